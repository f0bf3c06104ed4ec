// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_mm2s: direction memory to stream of sl_axi_dma: a front end
// (sl_axi_dma_front) on the mover sl_mm2s, whose stream sl_axis_width brings to its width.
//
// Stalls      m_axis stalls the mover alone: RREADY stays high.
// Probes      stall_o: why the mover moved nothing, see its header.
//             done_o, done_bytes_o, done_eop_o: those of the front end.
// Reset       rst_ni at once, and regardless of the bus: keep quiesce_i high until idle_o first.
//
// Operation, latency, errors: headers of the front end and the mover. Parameters: checked in
// sl_axi_dma.

`include "sl_axi.svh"

module sl_axi_dma_mm2s
  import sl_mover_pkg::*, sl_axi_dma_pkg::*;
#(
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512,
    parameter bit          Unaligned   = 1'b0,
    parameter bit          IncludeSg   = 1'b0,
    parameter bit          IncludeDirect = 1'b1,
    parameter int unsigned StopTimeout = 1 << 14
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   quiesce_i,      // soft reset: issue nothing
    output logic                   idle_o,         // nothing outstanding on any port
    output logic                   halting_o,      // the bursts issued are waited for
    input  sl_axi_dma_ctrl_t       ctrl_i,
    output sl_axi_dma_status_t     status_o,

    output logic [3:0]             stall_o,        // {response, data, space, address}
    output logic                   done_o,         // pulse
    output logic [LenWidth-1:0]    done_bytes_o,
    output logic                   done_eop_o,

    output sl_axi_dma_sg_req_t     sg_req_o,
    input  sl_axi_dma_sg_rsp_t     sg_rsp_i,

    sl_axi_if.rd_mst m_axi,

    sl_axis_if.mst m_axis
);

  localparam int unsigned AddrWidth   = m_axi.AddrWidth;
  localparam int unsigned DataWidth   = m_axi.DataWidth;
  localparam int unsigned StreamWidth = m_axis.DataWidth;

  // Descriptors in flight between command and status; without them one command at a time.
  localparam int unsigned CmdDepth = IncludeSg ? 32 : 2;

  logic                 cmd_valid, cmd_ready, cmd_eop, sts_valid, sts_ready, sts_eop;
  logic                 halt, mover_idle, sg_idle, draining;
  logic [AddrWidth-1:0] cmd_addr;
  logic [LenWidth-1:0]  cmd_bytes, sts_bytes;
  logic [1:0]           sts_error;
  logic                 unused_stream_open;

  sl_axi_dma_front #(
      .AddrWidth    (AddrWidth),
      .DataWidth    (DataWidth),
      .LenWidth     (LenWidth),
      .Unaligned    (Unaligned),
      .ToMemory     (1'b0),
      .IncludeSg    (IncludeSg),
      .IncludeDirect(IncludeDirect),
      .Depth        (CmdDepth),
      .StopTimeout  (StopTimeout)
  ) u_front (
      .clk_i,
      .rst_ni,
      .quiesce_i,
      .idle_o       (sg_idle),
      .ctrl_i,
      .status_o,
      .cmd_valid_o  (cmd_valid),
      .cmd_ready_i  (cmd_ready),
      .cmd_addr_o   (cmd_addr),
      .cmd_bytes_o  (cmd_bytes),
      .cmd_eop_o    (cmd_eop),
      .sts_valid_i  (sts_valid),
      .sts_ready_o  (sts_ready),
      .sts_bytes_i  (sts_bytes),
      .sts_eop_i    (sts_eop),
      .sts_error_i  (error_e'(sts_error)),
      .mover_halt_o (halt),
      .mover_idle_i (mover_idle),
      .draining_o   (draining),
      .stream_wait_i(m_axis.tvalid && !m_axis.tready),
      .stream_beat_i(1'b0),
      .stream_held_i(1'b0),
      .stream_last_i(1'b0),
      .stream_open_o(unused_stream_open),
      .done_o,
      .done_bytes_o,
      .done_eop_o,
      .sg_req_o,
      .sg_rsp_i
  );

  assign idle_o    = mover_idle && sg_idle;
  assign halting_o = halt || draining;

  logic                   unused_sts_tag;
  logic [DataWidth-1:0]   mover_tdata;
  logic [DataWidth/8-1:0] mover_tkeep;
  logic                   mover_tlast, mover_tvalid, mover_tready;

  sl_mm2s #(
      .AddrWidth  (AddrWidth),
      .DataWidth  (DataWidth),
      .LenWidth   (LenWidth),
      .TagWidth   (1),
      .IdWidth    (m_axi.IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (CmdDepth),
      .Unaligned  (Unaligned)
  ) u_mover (
      .clk_i,
      .rst_ni,
      .halt_i       (halt),
      .idle_o       (mover_idle),
      .cmd_valid_i  (cmd_valid),
      .cmd_ready_o  (cmd_ready),
      .cmd_addr_i   (cmd_addr),
      .cmd_bytes_i  (cmd_bytes),
      .cmd_eop_i    (cmd_eop),
      .cmd_tag_i    (1'b0),
      .sts_valid_o  (sts_valid),
      .sts_ready_i  (sts_ready),
      .sts_bytes_o  (sts_bytes),
      .sts_eop_o    (sts_eop),
      .sts_error_o  (sts_error),
      .sts_tag_o    (unused_sts_tag),
      .stall_addr_o (stall_o[0]),
      .stall_space_o(stall_o[1]),
      .stall_data_o (stall_o[2]),
      .stall_resp_o (stall_o[3]),
      `SL_AXI_PINS_RD(m_axi_, m_axi.),
      .m_axis_tdata (mover_tdata),
      .m_axis_tkeep (mover_tkeep),
      .m_axis_tlast (mover_tlast),
      .m_axis_tvalid(mover_tvalid),
      .m_axis_tready(mover_tready)
  );

  sl_axis_width #(
      .SlvWidth(DataWidth),
      .MstWidth(StreamWidth),
      .Check   (1'b0)
  ) u_width (
      .clk_i,
      .rst_ni       (rst_ni && !halt),
      .s_axis_tdata (mover_tdata),
      .s_axis_tkeep (mover_tkeep),
      .s_axis_tlast (mover_tlast),
      .s_axis_tvalid(mover_tvalid),
      .s_axis_tready(mover_tready),
      `SL_AXIS_PINS(m_axis_, m_axis.)
  );
endmodule
