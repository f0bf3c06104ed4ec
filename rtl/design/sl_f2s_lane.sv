// SPDX-License-Identifier: Apache-2.0
// One lane of f2s_stress: everything behind one F2S port. An mSGDMA from memory to stream, which
// has the port's read channels, one from stream to memory, which has its write channels, and the
// streams' ends (sl_lane_streams).
//
// Packets: a descriptor of MM2S ends a packet where GEN_EOP says so; TLAST ends one of S2MM.
// Throughput: a beat a cycle each way.
// Reset: `rst_ni`; a soft reset of either engine empties the loop-back FIFO as well. A packet that
//   is cut short so in loop-back needs both engines reset.
// Errors: an unmapped control address answers DECERR; the engines report errors of the port.
// Control map, 64 KiB: +0x0000 MM2S (csr; +0x20 desc, +0x40 resp), +0x1000 source, +0x2000 sink,
//   +0x3000 lane control, +0x4000 S2MM (as MM2S).
// Parameters: those of sl_msgdma, checked there; FifoBeats is checked in sl_stream_fifo.
// Specification: regs/f2s_stress.rdl (map).

`include "sl_axi.svh"

module sl_f2s_lane #(
    parameter int unsigned LenWidth     = 26,    // 10..32
    parameter int unsigned BufferBeats  = 512,   // per direction, power of two
    parameter int unsigned FifoBeats    = 512,   // of the loop-back FIFO, power of two
    parameter bit          Unaligned    = 1'b0,  // 1: buffers may start at any byte
    parameter int unsigned ResetTimeout = 1 << 20  // header of sl_msgdma
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    sl_axil_if.slv     s_axil,
    output logic [1:0] irq_o,    // {S2MM, MM2S}, level
    output logic [1:0] fault_o,  // likewise, as of sl_msgdma
    sl_axi_if.mst      m_axi     // the F2S port, 32 to 256 bits; all transfers use ID 0
);

  localparam int unsigned Pages       = 9;
  localparam int unsigned PageStreams = 0;  // lane control, source, sink
  localparam int unsigned PageMm2s    = 3;  // csr, desc, resp
  localparam int unsigned PageS2mm    = 6;  // csr, desc, resp
  localparam int unsigned MaxBurst    = 16;
  localparam int unsigned DataWidth   = m_axi.DataWidth;

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128 or 256, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  sl_axil_if #(.AddrWidth(20)) axil [Pages] ();

  sl_axil_demux #(
      .NumPorts (Pages),
      .AddrWidth(20),
      .Base     ({20'h04040, 20'h04020, 20'h04000, 20'h00040, 20'h00020, 20'h00000,
                  20'h02000, 20'h01000, 20'h03000}),
      .Mask     ({{2{20'h0fff8, {2{20'h0ffe0}}}}, {3{20'h0f000}}})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil,
      .m_axil(axil)
  );

  // ---------------------------------------------------------------------------------------------
  // Engines
  // ---------------------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) mm2s (), s2mm ();
  // What the engines have for the direction that they do not go
  sl_axi_if #(.DataWidth(DataWidth), .IdWidth(m_axi.IdWidth)) none ();
  sl_axis_if #(.DataWidth(DataWidth)) none_in (), none_out ();
  logic mm2s_rst_n, s2mm_rst_n;
  logic [1:0] unused_done;  // without capability block
  logic [1:0][3:0] unused_mm2s_stalls, unused_s2mm_stalls;
  logic [1:0][LenWidth-1:0] unused_done_bytes;

  `SL_AXI_IDLE_SLV(none.)
  `SL_AXIS_IDLE_MST(none_in.)
  assign none_out.tready = 1'b0;

  sl_msgdma #(
      .Mode        (1),
      .AddrWidth   (32),
      .DataWidth   (DataWidth),
      .LenWidth    (LenWidth),
      .IdWidth     (m_axi.IdWidth),
      .MaxBurst    (MaxBurst),
      .BufferBeats (BufferBeats),
      .Unaligned   (Unaligned),
      .ResetTimeout(ResetTimeout)
  ) u_mm2s (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_csr_, axil[PageMm2s]., 5),
      `SL_AXIL_PINS(s_axil_desc_, axil[PageMm2s+1]., 5),
      `SL_AXIL_PINS(s_axil_resp_, axil[PageMm2s+2]., 3),
      .irq_o        (irq_o[0]),
      .stream_rst_no(mm2s_rst_n),
      .fault_o      (fault_o[0]),
      .rd_stall_o   (unused_mm2s_stalls[0]),
      .wr_stall_o   (unused_mm2s_stalls[1]),
      .done_o       (unused_done[0]),
      .done_bytes_o (unused_done_bytes[0]),
      `SL_AXI_PINS_RD(m_axi_, m_axi.),
      `SL_AXI_PINS_WR(m_axi_, none.),
      `SL_AXIS_PINS(m_axis_, mm2s.),
      `SL_AXIS_PINS(s_axis_, none_in.)
  );

  sl_msgdma #(
      .Mode        (2),
      .AddrWidth   (32),
      .DataWidth   (DataWidth),
      .LenWidth    (LenWidth),
      .IdWidth     (m_axi.IdWidth),
      .MaxBurst    (MaxBurst),
      .BufferBeats (BufferBeats),
      .Packets     (1'b1),
      .Unaligned   (Unaligned),
      .ResetTimeout(ResetTimeout)
  ) u_s2mm (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_csr_, axil[PageS2mm]., 5),
      `SL_AXIL_PINS(s_axil_desc_, axil[PageS2mm+1]., 5),
      `SL_AXIL_PINS(s_axil_resp_, axil[PageS2mm+2]., 3),
      .irq_o        (irq_o[1]),
      .stream_rst_no(s2mm_rst_n),
      .fault_o      (fault_o[1]),
      .rd_stall_o   (unused_s2mm_stalls[0]),
      .wr_stall_o   (unused_s2mm_stalls[1]),
      .done_o       (unused_done[1]),
      .done_bytes_o (unused_done_bytes[1]),
      `SL_AXI_PINS_RD(m_axi_, none.),
      `SL_AXI_PINS_WR(m_axi_, m_axi.),
      `SL_AXIS_PINS(m_axis_, none_out.),
      `SL_AXIS_PINS(s_axis_, s2mm.)
  );

  // ---------------------------------------------------------------------------------------------
  // Streams
  // ---------------------------------------------------------------------------------------------
  logic unused_drop_odd, unused_clear;

  sl_lane_streams #(
      .FifoBeats(FifoBeats)
  ) u_streams (
      .clk_i,
      .rst_ni,
      .s_axil (axil[PageStreams:PageStreams+2]),
      .clear_i(!mm2s_rst_n || !s2mm_rst_n),
      .s_axis (mm2s),
      .m_axis (s2mm),
      .drop_odd_o(unused_drop_odd),
      .clear_o   (unused_clear)
  );
endmodule
