// SPDX-License-Identifier: Apache-2.0
// One lane of hp_stress or dma_loopback: everything behind one HP port. AXI DMA, the streams' ends
// (sl_lane_streams), the way to the port (sl_hp_port), and with Streams and IncludeSg a capability
// block for captures by S2MM (sl_lane_capability).
//
// Throughput: a beat a cycle each way.
// Reset: `rst_ni`; a soft reset of the DMA empties the loop-back FIFO as well.
// Errors: an unmapped control address answers DECERR; the DMA reports errors of the port.
// Control map, 64 KiB: +0x0000 AXI DMA, +0x3000 lane control; with Streams = 1 also +0x1000 source,
//   +0x2000 sink; with Streams = 1 and IncludeSg = 1 also +0x4000 capability block, channel 0 S2MM.
// Parameters: those of sl_axi_dma, checked there; FifoBeats is checked in sl_stream_fifo.
// Specification: regs/hp_stress.rdl (map), regs/sl_hp_lane.rdl (lane control).

`include "sl_axi.svh"

module sl_hp_lane #(
    parameter int unsigned LenWidth     = 26,    // 8..26
    parameter int unsigned BufferBeats  = 512,   // per direction, power of two
    // Of the loop-back FIFO, power of two; of a lane with a capability block behind the source, too
    parameter int unsigned FifoBeats    = 512,
    parameter bit          Unaligned    = 1'b0,  // 1: buffers may start at any byte
    parameter bit          IncludeSg    = 1'b0,  // 1: scatter-gather, descriptors through the port
    parameter bit          Coherent     = 1'b0,  // 1: the port is one for the ACP (sl_hp_port)
    parameter bit          Streams      = 1'b1,  // 0: loop-back only, no source and sink
    parameter int unsigned ResetTimeout = 1 << 20  // header of sl_axi_dma
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    sl_axil_if.slv     s_axil,
    output logic [1:0] irq_o,    // {S2MM, MM2S}, level
    output logic       fault_o,  // as of sl_axi_dma
    sl_axi_if.mst      m_axi     // HP port or ACP, 32 or 64 bits; all transfers use ID 0
);

  localparam bit          Capability = Streams && IncludeSg;
  // DMA; lane control, source, sink; capability block
  localparam int unsigned Pages     = Capability ? 5 : Streams ? 4 : 2;
  localparam int unsigned StreamEnd = Streams ? 3 : 1;  // of them, the last of the streams
  localparam int unsigned MaxBurst  = 16;               // AXI3
  localparam int unsigned DataWidth = m_axi.DataWidth;

  sl_axil_if #(.AddrWidth(20)) axil [Pages] ();
  sl_axi_if #(.DataWidth(DataWidth)) axi ();
  sl_axi_if #(.DataWidth(32)) sg ();  // descriptors
  sl_axis_if #(.DataWidth(DataWidth)) mm2s (), s2mm ();

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  sl_axil_demux #(
      .NumPorts (Pages),
      .AddrWidth(20),
      .Base     ((Pages * 20)'({20'h04000, 20'h02000, 20'h01000, 20'h03000, 20'h00000})),
      .Mask     ({Pages{20'h0f000}})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil,
      .m_axil(axil)
  );

  // ---------------------------------------------------------------------------------------------
  // AXI DMA and its port
  // ---------------------------------------------------------------------------------------------
  logic       stream_rst_n;
  logic [3:0] unused_mm2s_stall, s2mm_stall;
  logic       unused_mm2s_done, s2mm_done, unused_mm2s_done_eop, unused_s2mm_done_eop;
  logic [LenWidth-1:0] unused_mm2s_done_bytes, s2mm_done_bytes;

  sl_axi_dma #(
      .AddrWidth    (32),
      .DataWidth    (DataWidth),
      .LenWidth     (LenWidth),
      .IdWidth      (1),
      .MaxBurst     (MaxBurst),
      .BufferBeats  (BufferBeats),
      .Unaligned    (Unaligned),
      .IncludeSg    (IncludeSg),
      .IncludeDirect(1'b1),
      .ResetTimeout (ResetTimeout)
  ) u_dma (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, axil[0]., 10),
      .mm2s_irq_o       (irq_o[0]),
      .s2mm_irq_o       (irq_o[1]),
      .stream_rst_no    (stream_rst_n),
      .fault_o,
      .mm2s_stall_o     (unused_mm2s_stall),
      .mm2s_done_o      (unused_mm2s_done),
      .mm2s_done_bytes_o(unused_mm2s_done_bytes),
      .mm2s_done_eop_o  (unused_mm2s_done_eop),
      .s2mm_stall_o     (s2mm_stall),
      .s2mm_done_o      (s2mm_done),
      .s2mm_done_bytes_o(s2mm_done_bytes),
      .s2mm_done_eop_o  (unused_s2mm_done_eop),
      `SL_AXI_PINS(m_axi_sg_, sg.),
      `SL_AXI_PINS(m_axi_, axi.),
      `SL_AXIS_PINS(m_axis_, mm2s.),
      `SL_AXIS_PINS(s_axis_, s2mm.)
  );

  sl_hp_port #(
      .MaxBurst (MaxBurst),
      .IncludeSg(IncludeSg),
      .Coherent (Coherent)
  ) u_port (
      .clk_i,
      .rst_ni,
      .s_axi   (axi),
      .s_axi_sg(sg),
      .m_axi
  );

  // ---------------------------------------------------------------------------------------------
  // Streams
  // ---------------------------------------------------------------------------------------------
  logic drop_odd, clear;

  sl_lane_streams #(
      .FifoBeats (FifoBeats),
      .Streams   (Streams),
      .SourceFifo(Capability)
  ) u_streams (
      .clk_i,
      .rst_ni,
      .s_axil (axil[1:StreamEnd]),
      .clear_i(!stream_rst_n),
      .s_axis (mm2s),
      .m_axis (s2mm),
      .drop_odd_o(drop_odd),
      .clear_o   (clear)
  );

  // ---------------------------------------------------------------------------------------------
  // Capability block
  // ---------------------------------------------------------------------------------------------
  if (Capability) begin : gen_capability
    sl_lane_capability #(
        .LenWidth   (LenWidth),
        .DataWidth  (DataWidth),
        .BufferBeats(BufferBeats),
        .Unaligned  (Unaligned)
    ) u_capability (
        .clk_i,
        .rst_ni,
        .s_axil      (axil[Pages-1]),
        .fault_i     (fault_o),
        .beat_i      (axi.wvalid && axi.wready),
        .stall_i     (s2mm_stall),
        .done_i      (s2mm_done),
        .done_bytes_i(s2mm_done_bytes),
        .drop_odd_i  (drop_odd),
        .clear_i     (clear)
    );
  end else begin : gen_no_capability
    logic unused;

    assign unused = &{1'b0, s2mm_stall, s2mm_done, s2mm_done_bytes, drop_odd, clear};
  end
endmodule
