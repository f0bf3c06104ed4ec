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

module sl_axi_dma_mm2s
  import sl_mover_pkg::*, sl_axi_dma_pkg::*;
#(
    parameter int unsigned AddrWidth   = 32,
    parameter int unsigned DataWidth   = 64,
    parameter int unsigned StreamWidth = DataWidth,
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned IdWidth     = 1,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512,
    parameter bit          Unaligned   = 1'b0,
    parameter bit          IncludeSg   = 1'b0,
    parameter bit          IncludeDirect = 1'b1
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

    output logic [IdWidth-1:0]     m_axi_arid,
    output logic [AddrWidth-1:0]   m_axi_araddr,
    output logic [7:0]             m_axi_arlen,
    output logic [2:0]             m_axi_arsize,
    output logic [1:0]             m_axi_arburst,
    output logic                   m_axi_arlock,
    output logic [3:0]             m_axi_arcache,
    output logic [2:0]             m_axi_arprot,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    input  logic [IdWidth-1:0]     m_axi_rid,
    input  logic [DataWidth-1:0]   m_axi_rdata,
    input  logic [1:0]             m_axi_rresp,
    input  logic                   m_axi_rlast,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready,

    output logic [StreamWidth-1:0]   m_axis_tdata,
    output logic [StreamWidth/8-1:0] m_axis_tkeep,
    output logic                     m_axis_tlast,
    output logic                     m_axis_tvalid,
    input  logic                     m_axis_tready
);

  // Descriptors in flight between command and status; without them one command at a time.
  localparam int unsigned CmdDepth = IncludeSg ? 32 : 2;

  logic                 cmd_valid, cmd_ready, cmd_eop, sts_valid, sts_ready, sts_eop;
  logic                 halt, mover_idle, sg_idle;
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
      .Depth        (CmdDepth)
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
  assign halting_o = halt;

  logic                   unused_sts_tag;
  logic [DataWidth-1:0]   mover_tdata;
  logic [DataWidth/8-1:0] mover_tkeep;
  logic                   mover_tlast, mover_tvalid, mover_tready;

  sl_mm2s #(
      .AddrWidth  (AddrWidth),
      .DataWidth  (DataWidth),
      .LenWidth   (LenWidth),
      .TagWidth   (1),
      .IdWidth    (IdWidth),
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
      .m_axi_arid,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arlock,
      .m_axi_arcache,
      .m_axi_arprot,
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_rid,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready,
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
      .rst_ni,
      .s_axis_tdata (mover_tdata),
      .s_axis_tkeep (mover_tkeep),
      .s_axis_tlast (mover_tlast),
      .s_axis_tvalid(mover_tvalid),
      .s_axis_tready(mover_tready),
      .m_axis_tdata,
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tvalid,
      .m_axis_tready
  );
endmodule
