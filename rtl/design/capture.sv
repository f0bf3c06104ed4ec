// SPDX-License-Identifier: Apache-2.0
// Design capture: a counter source that does not wait, captured to memory without end by the
// cyclic scatter-gather mode of an AXI DMA, with a capability block that counts and places losses,
// and a timer: an accelerator of registers and an interrupt (sl_timer).
//
// Stream: sl_stream_source -> sl_test_picture -> sl_stream_dropper -> sl_stream_fifo -> S2MM. A
//   free-running source loses beats only while the FIFO is full.
// Control: AXI4-Lite, 20-bit address, a page of 4 KiB each: engine 0x0000, source 0x1000,
//   capability block 0x4000, timer 0x5000, test picture 0x6000, design page 0x40000. Every other
//   address answers DECERR.
// Interrupts: irq_o[1] S2MM, as in hp_stress, irq_o[2] timer; levels. irq_o[0] is 0.
// Memory: HP0 data (writes only), HP1 descriptors; AXI3, DataWidth bits, bursts of 16 at most.
//   Coherent = 1: both on HP0, which is a port for the ACP (sl_hp_port), and nothing on HP1.
// Throughput: a beat a cycle; what the engine's header says of descriptors.
// Capability block: one channel, S2MM. BEATS are those of HP0; DROPS the dropper's; FAULTS bit 0
//   is the engine's fault.
// Reset: `rst_ni`, everything. A soft reset of the engine empties the FIFO; source and dropper keep
//   their state.
// Parameters out of range stop elaboration.
// Specification: regs/capture.rdl (whole map); docs/reference/capture.md.

`include "sl_axi.svh"

module capture #(
    parameter int unsigned DataWidth   = 64,    // 32 or 64: of the stream and the ports
    parameter bit          Coherent    = 1'b0,  // 1: for the ACP, which has 64 bits
    parameter int unsigned LenWidth    = 26,    // 8..26
    parameter int unsigned BufferBeats = 512,   // of the engine, power of two
    parameter int unsigned FifoBeats   = 512,   // before it, power of two
    parameter bit          Unaligned   = 1'b0,  // 1: buffers may start at any byte
    parameter int unsigned ResetTimeout = 1 << 20,  // 0..2^30 cycles: header of sl_axi_dma
    parameter int unsigned Snapshots   = 16,    // periods kept, 2..64, power of two
    parameter int unsigned ClockHz     = 0,     // reported by the capability block
    localparam int unsigned IdWidth    = 6
) (
    input  logic clk_i,
    input  logic rst_ni,

    // Control
    input  logic [19:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [ 1:0] s_axil_bresp,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    input  logic [19:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    output logic [2:0] irq_o,

    // HP0
    output logic [    IdWidth-1:0] m_axi_hp0_arid,
    output logic [           31:0] m_axi_hp0_araddr,
    output logic [            3:0] m_axi_hp0_arlen,
    output logic [            2:0] m_axi_hp0_arsize,
    output logic [            1:0] m_axi_hp0_arburst,
    output logic [            1:0] m_axi_hp0_arlock,
    output logic [            3:0] m_axi_hp0_arcache,
    output logic [            2:0] m_axi_hp0_arprot,
    output logic                   m_axi_hp0_arvalid,
    input  logic                   m_axi_hp0_arready,
    input  logic [    IdWidth-1:0] m_axi_hp0_rid,
    input  logic [  DataWidth-1:0] m_axi_hp0_rdata,
    input  logic [            1:0] m_axi_hp0_rresp,
    input  logic                   m_axi_hp0_rlast,
    input  logic                   m_axi_hp0_rvalid,
    output logic                   m_axi_hp0_rready,
    output logic [    IdWidth-1:0] m_axi_hp0_awid,
    output logic [           31:0] m_axi_hp0_awaddr,
    output logic [            3:0] m_axi_hp0_awlen,
    output logic [            2:0] m_axi_hp0_awsize,
    output logic [            1:0] m_axi_hp0_awburst,
    output logic [            1:0] m_axi_hp0_awlock,
    output logic [            3:0] m_axi_hp0_awcache,
    output logic [            2:0] m_axi_hp0_awprot,
    output logic                   m_axi_hp0_awvalid,
    input  logic                   m_axi_hp0_awready,
    output logic [    IdWidth-1:0] m_axi_hp0_wid,
    output logic [  DataWidth-1:0] m_axi_hp0_wdata,
    output logic [DataWidth/8-1:0] m_axi_hp0_wstrb,
    output logic                   m_axi_hp0_wlast,
    output logic                   m_axi_hp0_wvalid,
    input  logic                   m_axi_hp0_wready,
    input  logic [    IdWidth-1:0] m_axi_hp0_bid,
    input  logic [            1:0] m_axi_hp0_bresp,
    input  logic                   m_axi_hp0_bvalid,
    output logic                   m_axi_hp0_bready,

    // HP1
    output logic [    IdWidth-1:0] m_axi_hp1_arid,
    output logic [           31:0] m_axi_hp1_araddr,
    output logic [            3:0] m_axi_hp1_arlen,
    output logic [            2:0] m_axi_hp1_arsize,
    output logic [            1:0] m_axi_hp1_arburst,
    output logic [            1:0] m_axi_hp1_arlock,
    output logic [            3:0] m_axi_hp1_arcache,
    output logic [            2:0] m_axi_hp1_arprot,
    output logic                   m_axi_hp1_arvalid,
    input  logic                   m_axi_hp1_arready,
    input  logic [    IdWidth-1:0] m_axi_hp1_rid,
    input  logic [  DataWidth-1:0] m_axi_hp1_rdata,
    input  logic [            1:0] m_axi_hp1_rresp,
    input  logic                   m_axi_hp1_rlast,
    input  logic                   m_axi_hp1_rvalid,
    output logic                   m_axi_hp1_rready,
    output logic [    IdWidth-1:0] m_axi_hp1_awid,
    output logic [           31:0] m_axi_hp1_awaddr,
    output logic [            3:0] m_axi_hp1_awlen,
    output logic [            2:0] m_axi_hp1_awsize,
    output logic [            1:0] m_axi_hp1_awburst,
    output logic [            1:0] m_axi_hp1_awlock,
    output logic [            3:0] m_axi_hp1_awcache,
    output logic [            2:0] m_axi_hp1_awprot,
    output logic                   m_axi_hp1_awvalid,
    input  logic                   m_axi_hp1_awready,
    output logic [    IdWidth-1:0] m_axi_hp1_wid,
    output logic [  DataWidth-1:0] m_axi_hp1_wdata,
    output logic [DataWidth/8-1:0] m_axi_hp1_wstrb,
    output logic                   m_axi_hp1_wlast,
    output logic                   m_axi_hp1_wvalid,
    input  logic                   m_axi_hp1_wready,
    input  logic [    IdWidth-1:0] m_axi_hp1_bid,
    input  logic [            1:0] m_axi_hp1_bresp,
    input  logic                   m_axi_hp1_bvalid,
    output logic                   m_axi_hp1_bready
);

  localparam int unsigned Pages          = 5;
  localparam int unsigned PageDma        = 0;
  localparam int unsigned PageSource     = 1;
  localparam int unsigned PageCapability = 2;
  localparam int unsigned PageTimer      = 3;
  localparam int unsigned PagePicture    = 4;
  localparam int unsigned MaxBurst       = 16;  // AXI3

  if (DataWidth != 32 && DataWidth != 64) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end
  if (Coherent && DataWidth != 64) begin : gen_bad_coherent
    $fatal(1, "%m: Coherent = 1 needs DataWidth = 64, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  sl_axil_if #(.AddrWidth(20)) control (), page [Pages] ();
  logic fault;

  `SL_AXIL_LINK(control., s_axil_)

  sl_design_control #(
      .Windows  (Pages),
      .Base     ({20'h06000, 20'h05000, 20'h04000, 20'h01000, 20'h00000}),
      .Mask     ({Pages{20'hff000}}),
      .Identity ("SLCA"),
      .NumPorts (1),
      .DataWidth(DataWidth),
      .LenWidth (LenWidth),
      .Unaligned(Unaligned)
  ) u_control (
      .clk_i,
      .rst_ni,
      .s_axil  (control),
      .m_axil  (page),
      .faults_i({7'd0, fault})
  );

  // ---------------------------------------------------------------------------------------------
  // AXI DMA and its ports
  // ---------------------------------------------------------------------------------------------
  sl_axi_if #(.DataWidth(DataWidth)) data ();
  sl_axi_if #(.DataWidth(32)) sg ();
  sl_axi_if #(.DataWidth(DataWidth), .IdWidth(IdWidth), .Axi3(1'b1)) hp [2] ();
  sl_axis_if #(.DataWidth(DataWidth)) mm2s (), s2mm ();  // no MM2S
  logic                stream_rst_n;
  logic [3:0]          s2mm_stall;
  logic                s2mm_done;
  logic [LenWidth-1:0] s2mm_done_bytes;
  logic                unused_s2mm_eop;
  logic [3:0]          unused_mm2s_stall;
  logic                unused_mm2s_done, unused_mm2s_eop;
  logic [LenWidth-1:0] unused_mm2s_bytes;

  assign mm2s.tready = 1'b0;

  sl_axi_dma #(
      .AddrWidth   (32),
      .DataWidth   (DataWidth),
      .LenWidth    (LenWidth),
      .IdWidth     (1),
      .MaxBurst    (MaxBurst),
      .BufferBeats (BufferBeats),
      .Unaligned   (Unaligned),
      .IncludeMm2s (1'b0),
      .IncludeSg   (1'b1),
      .ResetTimeout(ResetTimeout)
  ) u_dma (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, page[PageDma]., 10),
      .mm2s_irq_o       (irq_o[0]),
      .s2mm_irq_o       (irq_o[1]),
      .stream_rst_no    (stream_rst_n),
      .fault_o          (fault),
      .mm2s_stall_o     (unused_mm2s_stall),
      .mm2s_done_o      (unused_mm2s_done),
      .mm2s_done_bytes_o(unused_mm2s_bytes),
      .mm2s_done_eop_o  (unused_mm2s_eop),
      .s2mm_stall_o     (s2mm_stall),
      .s2mm_done_o      (s2mm_done),
      .s2mm_done_bytes_o(s2mm_done_bytes),
      .s2mm_done_eop_o  (unused_s2mm_eop),
      `SL_AXI_PINS(m_axi_, data.),
      `SL_AXI_PINS(m_axi_sg_, sg.),
      `SL_AXIS_PINS(m_axis_, mm2s.),
      `SL_AXIS_PINS(s_axis_, s2mm.)
  );

  if (Coherent) begin : gen_acp
    sl_hp_port #(
        .MaxBurst (MaxBurst),
        .IncludeSg(1'b1),
        .Coherent (1'b1)
    ) u_port (
        .clk_i,
        .rst_ni,
        .s_axi   (data),
        .s_axi_sg(sg),
        .m_axi   (hp[0])
    );

    `SL_AXI_IDLE_MST(hp[1].)
    assign hp[1].wid = '0;
  end else begin : gen_hp
    sl_axi_if #(.DataWidth(DataWidth)) descriptors ();  // at the port's width

    if (DataWidth == 64) begin : gen_widen
      sl_sg_widen u_widen (.clk_i, .rst_ni, .s_axi(sg), .m_axi(descriptors));
    end else begin : gen_same
      `SL_AXI_LINK(descriptors., sg.)
    end

    sl_axi3_adapter #(
        .MaxBurst(MaxBurst)
    ) u_axi3_data (
        .clk_i,
        .rst_ni,
        .s_axi(data),
        .m_axi(hp[0])
    );

    sl_axi3_adapter #(
        .MaxBurst(MaxBurst)
    ) u_axi3_descriptors (
        .clk_i,
        .rst_ni,
        .s_axi(descriptors),
        .m_axi(hp[1])
    );
  end

  `SL_AXI3_LINK(m_axi_hp0_, hp[0].)
  `SL_AXI3_LINK(m_axi_hp1_, hp[1].)

  // ---------------------------------------------------------------------------------------------
  // Stream
  // ---------------------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) source (), picture (), dropper ();
  logic                 unused_gap_mark;  // S2MM has no TUSER; snapshots say where
  logic                 free_run, clear;
  logic [63:0]          drop_beats, drop_first;
  logic [31:0]          drop_runs, drop_packets;
  logic [$clog2(FifoBeats):0] unused_level;

  sl_stream_source #(
      .DataWidth(DataWidth)
  ) u_source (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, page[PageSource]., 12),
      `SL_AXIS_PINS(m_axis_, source.),
      .free_run_o    (free_run),
      .clear_o       (clear),
      .drop_beats_i  (drop_beats),
      .drop_runs_i   (drop_runs),
      .drop_first_i  (drop_first),
      .drop_packets_i(drop_packets)
  );

  sl_test_picture #(
      .DataWidth(DataWidth)
  ) u_picture (
      .clk_i,
      .rst_ni,
      .clear_i(clear),
      `SL_AXIL_PINS(s_axil_, page[PagePicture]., 12),
      `SL_AXIS_PINS(s_axis_, source.),
      `SL_AXIS_PINS(m_axis_, picture.)
  );

  sl_stream_dropper #(
      .DataWidth(DataWidth)
  ) u_dropper (
      .clk_i,
      .rst_ni,
      .drop_i        (free_run),
      .clear_i       (clear),
      `SL_AXIS_PINS(s_axis_, picture.),
      `SL_AXIS_PINS(m_axis_, dropper.),
      .m_axis_tuser  (unused_gap_mark),
      .drop_beats_o  (drop_beats),
      .drop_runs_o   (drop_runs),
      .drop_first_o  (drop_first),
      .drop_packets_o(drop_packets)
  );

  sl_stream_fifo #(
      .DataWidth(DataWidth),
      .Depth    (FifoBeats)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .clear_i(!stream_rst_n),
      `SL_AXIS_PINS(s_axis_, dropper.),
      `SL_AXIS_PINS(m_axis_, s2mm.),
      .level_o(unused_level)
  );

  // ---------------------------------------------------------------------------------------------
  // Capability block
  // ---------------------------------------------------------------------------------------------
  sl_lane_capability #(
      .LenWidth   (LenWidth),
      .Snapshots  (Snapshots),
      .ClockHz    (ClockHz),
      .DataWidth  (DataWidth),
      .BufferBeats(BufferBeats),
      .Unaligned  (Unaligned)
  ) u_capability (
      .clk_i,
      .rst_ni,
      .s_axil       (page[PageCapability]),
      .fault_i      (fault),
      .beat_i       (data.wvalid && data.wready),
      .stall_i      (s2mm_stall),
      .done_i       (s2mm_done),
      .done_bytes_i (s2mm_done_bytes),
      .drop_odd_i   (drop_beats[0]),
      .clear_i      (clear)
  );

  // ---------------------------------------------------------------------------------------------
  // Timer
  // ---------------------------------------------------------------------------------------------
  sl_timer #(
      .AddrWidth(12)
  ) u_timer (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, page[PageTimer]., 12),
      .irq_o(irq_o[2])
  );
endmodule
