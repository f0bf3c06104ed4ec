// SPDX-License-Identifier: Apache-2.0
// AXI DMA, memory to stream (MM2S) and stream to memory (S2MM), with the registers and behaviour
// of AMD PG021 in direct register mode, so that software for the vendor's engine drives it
// unchanged.
//
// Structure: register file (generated) + one sl_axi_dma_channel and one mover per direction +
//   sl_axi_dma_reset. The directions share the memory port (AR/R from MM2S, AW/W/B from S2MM) and
//   the soft reset, and nothing else: neither can stall the other.
// Handshake: every VALID output is registered and independent of its READY. `m_axis` stalls only
//   MM2S; read bursts are issued only into reserved buffer space, so a stalled stream never holds
//   R. `s_axis` is taken only while an S2MM transfer stands.
// Throughput: a beat a cycle each way. Latency: write of LENGTH taken to ARVALID 4 cycles.
// Interrupts: level, (IOC_Irq & IOC_IrqEn) | (Err_Irq & Err_IrqEn).
// Errors: the channel that met one clears RS, sets its DMASR bit and Err_Irq, lets issued bursts
//   end and then sets Halted; it starts again only after a reset. The other channel runs on.
// Reset: `rst_ni`, or DMACR.Reset of either channel (both channels; issued bursts end legally
//   first). A soft reset may withdraw TVALID on `m_axis` (PG021: streams may be terminated early);
//   `stream_rst_no` is low from there to its end, for whatever stands on the streams.
// Parameters out of range stop elaboration. IncludeMm2s or IncludeS2mm = 0 leaves the channel's
//   mover out: the channel stays halted, its other outputs are 0.
// Not supported: scatter-gather, cyclic and micro modes, keyhole, control and status streams, data
//   widths that differ between stream and memory.
// Specification: AMD PG021 v7.1; regs/sl_axi_dma.rdl; docs/reference/sl_axi_dma.md (differences).
module sl_axi_dma
  import sl_mover_pkg::*;
#(
    parameter int unsigned AddrWidth   = 32,   // 32..64
    parameter int unsigned DataWidth   = 64,   // 32..512, power of two; memory and stream
    parameter int unsigned LenWidth    = 26,   // 8..26, width of LENGTH
    parameter int unsigned IdWidth     = 1,    // all transfers use ID 0
    parameter int unsigned MaxBurst    = 16,   // 2..256 beats, power of two
    parameter int unsigned BufferBeats = 512,  // per direction, power of two
    parameter bit          Unaligned   = 1'b0, // 1: buffers may start at any byte
    parameter bit          IncludeMm2s = 1'b1,
    parameter bit          IncludeS2mm = 1'b1
) (
    input logic clk_i,
    input logic rst_ni,

    // Registers
    input  logic [ 9:0] s_axil_awaddr,
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
    input  logic [ 9:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    output logic mm2s_irq_o,
    output logic s2mm_irq_o,
    output logic stream_rst_no,  // low in reset, and from the start to the end of a soft reset

    // Memory (AXI4): AR and R belong to MM2S, AW, W and B to S2MM
    output logic [    IdWidth-1:0] m_axi_arid,
    output logic [  AddrWidth-1:0] m_axi_araddr,
    output logic [            7:0] m_axi_arlen,
    output logic [            2:0] m_axi_arsize,
    output logic [            1:0] m_axi_arburst,
    output logic                   m_axi_arlock,
    output logic [            3:0] m_axi_arcache,
    output logic [            2:0] m_axi_arprot,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    input  logic [    IdWidth-1:0] m_axi_rid,
    input  logic [  DataWidth-1:0] m_axi_rdata,
    input  logic [            1:0] m_axi_rresp,
    input  logic                   m_axi_rlast,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready,
    output logic [    IdWidth-1:0] m_axi_awid,
    output logic [  AddrWidth-1:0] m_axi_awaddr,
    output logic [            7:0] m_axi_awlen,
    output logic [            2:0] m_axi_awsize,
    output logic [            1:0] m_axi_awburst,
    output logic                   m_axi_awlock,
    output logic [            3:0] m_axi_awcache,
    output logic [            2:0] m_axi_awprot,
    output logic                   m_axi_awvalid,
    input  logic                   m_axi_awready,
    output logic [  DataWidth-1:0] m_axi_wdata,
    output logic [DataWidth/8-1:0] m_axi_wstrb,
    output logic                   m_axi_wlast,
    output logic                   m_axi_wvalid,
    input  logic                   m_axi_wready,
    input  logic [    IdWidth-1:0] m_axi_bid,
    input  logic [            1:0] m_axi_bresp,
    input  logic                   m_axi_bvalid,
    output logic                   m_axi_bready,

    // MM2S stream
    output logic [  DataWidth-1:0] m_axis_tdata,
    output logic [DataWidth/8-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready,

    // S2MM stream
    input  logic [  DataWidth-1:0] s_axis_tdata,
    input  logic [DataWidth/8-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready
);
  localparam int unsigned TagWidth = 1;  // commands are told apart by nothing: one at a time
  localparam int unsigned CmdDepth = 2;

  if (AddrWidth < 32 || AddrWidth > 64) begin : g_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth) begin : g_bad_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128, 256 or 512, is %0d", DataWidth);
  end
  if (LenWidth < 8 || LenWidth > 26) begin : g_bad_len_width
    $fatal(1, "%m: LenWidth must be 8..26, is %0d", LenWidth);
  end
  if (!IncludeMm2s && !IncludeS2mm) begin : g_bad_include
    $fatal(1, "%m: IncludeMm2s and IncludeS2mm are both 0");
  end

  sl_axi_dma_regs_pkg::sl_axi_dma__in_t  hwif_in;
  sl_axi_dma_regs_pkg::sl_axi_dma__out_t hwif_out;
  logic                                  quiesce;
  logic                                  core_rst_n;
  logic                                  mm2s_idle;  // the mover
  logic                                  s2mm_idle;

  sl_axi_dma_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      .s_axil_awready,
      .s_axil_awvalid,
      .s_axil_awaddr,
      .s_axil_awprot,
      .s_axil_wready,
      .s_axil_wvalid,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_bready,
      .s_axil_bvalid,
      .s_axil_bresp,
      .s_axil_arready,
      .s_axil_arvalid,
      .s_axil_araddr,
      .s_axil_arprot,
      .s_axil_rready,
      .s_axil_rvalid,
      .s_axil_rdata,
      .s_axil_rresp,
      .hwif_in,
      .hwif_out
  );

  sl_axi_dma_reset u_reset (
      .clk_i,
      .rst_ni,
      .req_i    (hwif_out.MM2S.DMACR.RESET.value || hwif_out.S2MM.DMACR.RESET.value),
      .quiet_i  (mm2s_idle && s2mm_idle),
      .quiesce_o(quiesce),
      .rst_no   (core_rst_n)
  );

  assign hwif_in.field_rst_n = core_rst_n;
  // For as long as the reset lasts: the mover takes TVALID of m_axis back when it is halted.
  assign stream_rst_no       = core_rst_n && !quiesce;

  assign mm2s_irq_o = hwif_out.MM2S.DMASR.IOC_IRQ.value && hwif_out.MM2S.DMACR.IOC_IRQEN.value ||
                      hwif_out.MM2S.DMASR.ERR_IRQ.value && hwif_out.MM2S.DMACR.ERR_IRQEN.value;
  assign s2mm_irq_o = hwif_out.S2MM.DMASR.IOC_IRQ.value && hwif_out.S2MM.DMACR.IOC_IRQEN.value ||
                      hwif_out.S2MM.DMASR.ERR_IRQ.value && hwif_out.S2MM.DMACR.ERR_IRQEN.value;

  // ---------------------------------------------------------------------------------------------
  // Memory to stream
  // ---------------------------------------------------------------------------------------------
  if (IncludeMm2s) begin : g_mm2s
    logic [ TagWidth-1:0] unused_sts_tag;
    logic [          2:0] unused_stalls;  // for the capability block, when there is one
    logic                 unused_stream_open;
    logic                 cmd_valid;
    logic                 cmd_ready;
    logic [AddrWidth-1:0] cmd_addr;
    logic [ LenWidth-1:0] cmd_bytes;
    logic                 sts_valid;
    logic                 sts_ready;
    logic [ LenWidth-1:0] sts_bytes;
    logic                 sts_eop;
    logic [          1:0] sts_error;
    logic                 halt;

    sl_axi_dma_channel #(
        .AddrWidth(AddrWidth),
        .DataWidth(DataWidth),
        .LenWidth (LenWidth),
        .Unaligned(Unaligned),
        .ToMemory (1'b0)
    ) u_channel (
        .clk_i,
        .rst_ni          (core_rst_n),
        .quiesce_i       (quiesce),
        .run_i           (hwif_out.MM2S.DMACR.RS.value),
        .run_clr_o       (hwif_in.MM2S.DMACR.RS.hwclr),
        .halted_o        (hwif_in.MM2S.DMASR.HALTED.next),
        .idle_o          (hwif_in.MM2S.DMASR.IDLE.next),
        .int_err_o       (hwif_in.MM2S.DMASR.DMAINTERR.hwset),
        .slv_err_o       (hwif_in.MM2S.DMASR.DMASLVERR.hwset),
        .dec_err_o       (hwif_in.MM2S.DMASR.DMADECERR.hwset),
        .ioc_o           (hwif_in.MM2S.DMASR.IOC_IRQ.hwset),
        .err_o           (hwif_in.MM2S.DMASR.ERR_IRQ.hwset),
        .addr_i          (hwif_out.MM2S.SA.VALUE.value),
        .addr_msb_i      (hwif_out.MM2S.SA_MSB.VALUE.value),
        .addr_msb_we_o   (hwif_in.MM2S.SA_MSB.VALUE.we),
        .addr_msb_next_o (hwif_in.MM2S.SA_MSB.VALUE.next),
        .length_written_i(hwif_out.MM2S.LENGTH.VALUE.swmod),
        .length_i        (hwif_out.MM2S.LENGTH.VALUE.value),
        .length_we_o     (hwif_in.MM2S.LENGTH.VALUE.we),
        .length_next_o   (hwif_in.MM2S.LENGTH.VALUE.next),
        .cmd_valid_o     (cmd_valid),
        .cmd_ready_i     (cmd_ready),
        .cmd_addr_o      (cmd_addr),
        .cmd_bytes_o     (cmd_bytes),
        .sts_valid_i     (sts_valid),
        .sts_ready_o     (sts_ready),
        .sts_bytes_i     (sts_bytes),
        .sts_eop_i       (sts_eop),
        .sts_error_i     (error_e'(sts_error)),
        .mover_halt_o    (halt),
        .mover_idle_i    (mm2s_idle),
        .stream_beat_i   (1'b0),
        .stream_open_o   (unused_stream_open)
    );

    sl_mm2s #(
        .AddrWidth  (AddrWidth),
        .DataWidth  (DataWidth),
        .LenWidth   (LenWidth),
        .TagWidth   (TagWidth),
        .IdWidth    (IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .CmdDepth   (CmdDepth),
        .Unaligned  (Unaligned)
    ) u_mover (
        .clk_i,
        .rst_ni      (core_rst_n),
        .halt_i      (halt),
        .idle_o      (mm2s_idle),
        .cmd_valid_i (cmd_valid),
        .cmd_ready_o (cmd_ready),
        .cmd_addr_i  (cmd_addr),
        .cmd_bytes_i (cmd_bytes),
        .cmd_eop_i   (1'b1),
        .cmd_tag_i   ('0),
        .sts_valid_o (sts_valid),
        .sts_ready_i (sts_ready),
        .sts_bytes_o (sts_bytes),
        .sts_eop_o   (sts_eop),
        .sts_error_o (sts_error),
        .sts_tag_o   (unused_sts_tag),
        .stall_addr_o(unused_stalls[0]),
        .stall_space_o(unused_stalls[1]),
        .stall_data_o(unused_stalls[2]),
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
        .m_axis_tdata,
        .m_axis_tkeep,
        .m_axis_tlast,
        .m_axis_tvalid,
        .m_axis_tready
    );
  end else begin : g_no_mm2s
    logic unused;

    assign unused = m_axis_tready;
    assign mm2s_idle = 1'b1;
    assign hwif_in.MM2S.DMACR.RS.hwclr = 1'b1;
    assign hwif_in.MM2S.DMASR.HALTED.next = 1'b1;
    assign hwif_in.MM2S.DMASR.IDLE.next = 1'b0;
    assign hwif_in.MM2S.DMASR.DMAINTERR.hwset = 1'b0;
    assign hwif_in.MM2S.DMASR.DMASLVERR.hwset = 1'b0;
    assign hwif_in.MM2S.DMASR.DMADECERR.hwset = 1'b0;
    assign hwif_in.MM2S.DMASR.IOC_IRQ.hwset = 1'b0;
    assign hwif_in.MM2S.DMASR.ERR_IRQ.hwset = 1'b0;
    assign hwif_in.MM2S.SA_MSB.VALUE.we = 1'b1;
    assign hwif_in.MM2S.SA_MSB.VALUE.next = '0;
    assign hwif_in.MM2S.LENGTH.VALUE.we = 1'b1;
    assign hwif_in.MM2S.LENGTH.VALUE.next = '0;
    assign m_axi_arid = '0;
    assign m_axi_araddr = '0;
    assign m_axi_arlen = '0;
    assign m_axi_arsize = '0;
    assign m_axi_arburst = '0;
    assign m_axi_arlock = '0;
    assign m_axi_arcache = '0;
    assign m_axi_arprot = '0;
    assign m_axi_arvalid = '0;
    assign m_axi_rready = '0;
    assign m_axis_tdata = '0;
    assign m_axis_tkeep = '0;
    assign m_axis_tlast = '0;
    assign m_axis_tvalid = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Stream to memory
  // ---------------------------------------------------------------------------------------------
  if (IncludeS2mm) begin : g_s2mm
    logic [ TagWidth-1:0] unused_sts_tag;
    logic [          2:0] unused_stalls;  // for the capability block, when there is one
    logic                 cmd_valid;
    logic                 cmd_ready;
    logic [AddrWidth-1:0] cmd_addr;
    logic [ LenWidth-1:0] cmd_bytes;
    logic                 sts_valid;
    logic                 sts_ready;
    logic [ LenWidth-1:0] sts_bytes;
    logic                 sts_eop;
    logic [          1:0] sts_error;
    logic                 halt;
    logic                 stream_open;
    logic                 mover_tready;

    assign s_axis_tready = mover_tready && stream_open;

    sl_axi_dma_channel #(
        .AddrWidth(AddrWidth),
        .DataWidth(DataWidth),
        .LenWidth (LenWidth),
        .Unaligned(Unaligned),
        .ToMemory (1'b1)
    ) u_channel (
        .clk_i,
        .rst_ni          (core_rst_n),
        .quiesce_i       (quiesce),
        .run_i           (hwif_out.S2MM.DMACR.RS.value),
        .run_clr_o       (hwif_in.S2MM.DMACR.RS.hwclr),
        .halted_o        (hwif_in.S2MM.DMASR.HALTED.next),
        .idle_o          (hwif_in.S2MM.DMASR.IDLE.next),
        .int_err_o       (hwif_in.S2MM.DMASR.DMAINTERR.hwset),
        .slv_err_o       (hwif_in.S2MM.DMASR.DMASLVERR.hwset),
        .dec_err_o       (hwif_in.S2MM.DMASR.DMADECERR.hwset),
        .ioc_o           (hwif_in.S2MM.DMASR.IOC_IRQ.hwset),
        .err_o           (hwif_in.S2MM.DMASR.ERR_IRQ.hwset),
        .addr_i          (hwif_out.S2MM.DA.VALUE.value),
        .addr_msb_i      (hwif_out.S2MM.DA_MSB.VALUE.value),
        .addr_msb_we_o   (hwif_in.S2MM.DA_MSB.VALUE.we),
        .addr_msb_next_o (hwif_in.S2MM.DA_MSB.VALUE.next),
        .length_written_i(hwif_out.S2MM.LENGTH.VALUE.swmod),
        .length_i        (hwif_out.S2MM.LENGTH.VALUE.value),
        .length_we_o     (hwif_in.S2MM.LENGTH.VALUE.we),
        .length_next_o   (hwif_in.S2MM.LENGTH.VALUE.next),
        .cmd_valid_o     (cmd_valid),
        .cmd_ready_i     (cmd_ready),
        .cmd_addr_o      (cmd_addr),
        .cmd_bytes_o     (cmd_bytes),
        .sts_valid_i     (sts_valid),
        .sts_ready_o     (sts_ready),
        .sts_bytes_i     (sts_bytes),
        .sts_eop_i       (sts_eop),
        .sts_error_i     (error_e'(sts_error)),
        .mover_halt_o    (halt),
        .mover_idle_i    (s2mm_idle),
        .stream_beat_i   (s_axis_tvalid && s_axis_tready),
        .stream_open_o   (stream_open)
    );

    sl_s2mm #(
        .AddrWidth  (AddrWidth),
        .DataWidth  (DataWidth),
        .LenWidth   (LenWidth),
        .TagWidth   (TagWidth),
        .IdWidth    (IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .CmdDepth   (CmdDepth),
        .Unaligned  (Unaligned)
    ) u_mover (
        .clk_i,
        .rst_ni      (core_rst_n),
        .halt_i      (halt),
        .idle_o      (s2mm_idle),
        .cmd_valid_i (cmd_valid),
        .cmd_ready_o (cmd_ready),
        .cmd_addr_i  (cmd_addr),
        .cmd_bytes_i (cmd_bytes),
        .cmd_eop_i   (1'b1),
        .cmd_tag_i   ('0),
        .sts_valid_o (sts_valid),
        .sts_ready_i (sts_ready),
        .sts_bytes_o (sts_bytes),
        .sts_eop_o   (sts_eop),
        .sts_error_o (sts_error),
        .sts_tag_o   (unused_sts_tag),
        .stall_addr_o(unused_stalls[0]),
        .stall_space_o(unused_stalls[1]),
        .stall_data_o(unused_stalls[2]),
        .m_axi_awid,
        .m_axi_awaddr,
        .m_axi_awlen,
        .m_axi_awsize,
        .m_axi_awburst,
        .m_axi_awlock,
        .m_axi_awcache,
        .m_axi_awprot,
        .m_axi_awvalid,
        .m_axi_awready,
        .m_axi_wdata,
        .m_axi_wstrb,
        .m_axi_wlast,
        .m_axi_wvalid,
        .m_axi_wready,
        .m_axi_bid,
        .m_axi_bresp,
        .m_axi_bvalid,
        .m_axi_bready,
        .s_axis_tdata,
        .s_axis_tkeep,
        .s_axis_tlast,
        .s_axis_tvalid(s_axis_tvalid && stream_open),
        .s_axis_tready(mover_tready)
    );
  end else begin : g_no_s2mm
    logic unused;

    assign unused = ^{s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tvalid};
    assign s2mm_idle = 1'b1;
    assign hwif_in.S2MM.DMACR.RS.hwclr = 1'b1;
    assign hwif_in.S2MM.DMASR.HALTED.next = 1'b1;
    assign hwif_in.S2MM.DMASR.IDLE.next = 1'b0;
    assign hwif_in.S2MM.DMASR.DMAINTERR.hwset = 1'b0;
    assign hwif_in.S2MM.DMASR.DMASLVERR.hwset = 1'b0;
    assign hwif_in.S2MM.DMASR.DMADECERR.hwset = 1'b0;
    assign hwif_in.S2MM.DMASR.IOC_IRQ.hwset = 1'b0;
    assign hwif_in.S2MM.DMASR.ERR_IRQ.hwset = 1'b0;
    assign hwif_in.S2MM.DA_MSB.VALUE.we = 1'b1;
    assign hwif_in.S2MM.DA_MSB.VALUE.next = '0;
    assign hwif_in.S2MM.LENGTH.VALUE.we = 1'b1;
    assign hwif_in.S2MM.LENGTH.VALUE.next = '0;
    assign m_axi_awid = '0;
    assign m_axi_awaddr = '0;
    assign m_axi_awlen = '0;
    assign m_axi_awsize = '0;
    assign m_axi_awburst = '0;
    assign m_axi_awlock = '0;
    assign m_axi_awcache = '0;
    assign m_axi_awprot = '0;
    assign m_axi_awvalid = '0;
    assign m_axi_wdata = '0;
    assign m_axi_wstrb = '0;
    assign m_axi_wlast = '0;
    assign m_axi_wvalid = '0;
    assign m_axi_bready = '0;
    assign s_axis_tready = '0;
  end

`ifndef SYNTHESIS
  // ---------------------------------------------------------------------------------------------
  // Protocol checkers. The one of m_axis is in reset with the stream, see stream_rst_no.
  // ---------------------------------------------------------------------------------------------
  logic [15:0] unused_axi_writes, unused_axi_reads, unused_axil_writes, unused_axil_reads;
  logic [32:0] unused_axi_violation;
  logic [14:0] unused_axil_violation;
  logic [ 8:0] unused_axis_violation;

  sl_axi_check #(
      .AddrWidth(AddrWidth),
      .DataWidth(DataWidth),
      .IdWidth  (IdWidth)
  ) u_check_axi (
      .clk_i,
      .rst_ni,
      .axi_awid      (m_axi_awid),
      .axi_awaddr    (m_axi_awaddr),
      .axi_awlen     (m_axi_awlen),
      .axi_awsize    (m_axi_awsize),
      .axi_awburst   (m_axi_awburst),
      .axi_awlock    (m_axi_awlock),
      .axi_awcache   (m_axi_awcache),
      .axi_awprot    (m_axi_awprot),
      .axi_awvalid   (m_axi_awvalid),
      .axi_awready   (m_axi_awready),
      .axi_wid       ('0),
      .axi_wdata     (m_axi_wdata),
      .axi_wstrb     (m_axi_wstrb),
      .axi_wlast     (m_axi_wlast),
      .axi_wvalid    (m_axi_wvalid),
      .axi_wready    (m_axi_wready),
      .axi_bid       (m_axi_bid),
      .axi_bresp     (m_axi_bresp),
      .axi_bvalid    (m_axi_bvalid),
      .axi_bready    (m_axi_bready),
      .axi_arid      (m_axi_arid),
      .axi_araddr    (m_axi_araddr),
      .axi_arlen     (m_axi_arlen),
      .axi_arsize    (m_axi_arsize),
      .axi_arburst   (m_axi_arburst),
      .axi_arlock    (m_axi_arlock),
      .axi_arcache   (m_axi_arcache),
      .axi_arprot    (m_axi_arprot),
      .axi_arvalid   (m_axi_arvalid),
      .axi_arready   (m_axi_arready),
      .axi_rid       (m_axi_rid),
      .axi_rdata     (m_axi_rdata),
      .axi_rresp     (m_axi_rresp),
      .axi_rlast     (m_axi_rlast),
      .axi_rvalid    (m_axi_rvalid),
      .axi_rready    (m_axi_rready),
      .wr_outstanding_o(unused_axi_writes),
      .rd_outstanding_o(unused_axi_reads),
      .violation_o     (unused_axi_violation)
  );

  sl_axis_check #(
      .DataWidth(DataWidth)
  ) u_check_axis (
      .clk_i,
      .rst_ni     (stream_rst_no),
      .axis_tdata (m_axis_tdata),
      .axis_tkeep (m_axis_tkeep),
      .axis_tlast (m_axis_tlast),
      .axis_tuser (1'b0),
      .axis_tvalid(m_axis_tvalid),
      .axis_tready(m_axis_tready),
      .violation_o(unused_axis_violation)
  );

  sl_axil_check #(
      .AddrWidth(10),
      .DataWidth(32)
  ) u_check_axil (
      .clk_i,
      .rst_ni,
      .axil_awaddr  (s_axil_awaddr),
      .axil_awprot  (s_axil_awprot),
      .axil_awvalid (s_axil_awvalid),
      .axil_awready (s_axil_awready),
      .axil_wdata   (s_axil_wdata),
      .axil_wstrb   (s_axil_wstrb),
      .axil_wvalid  (s_axil_wvalid),
      .axil_wready  (s_axil_wready),
      .axil_bresp   (s_axil_bresp),
      .axil_bvalid  (s_axil_bvalid),
      .axil_bready  (s_axil_bready),
      .axil_araddr  (s_axil_araddr),
      .axil_arprot  (s_axil_arprot),
      .axil_arvalid (s_axil_arvalid),
      .axil_arready (s_axil_arready),
      .axil_rdata   (s_axil_rdata),
      .axil_rresp   (s_axil_rresp),
      .axil_rvalid  (s_axil_rvalid),
      .axil_rready  (s_axil_rready),
      .wr_outstanding_o(unused_axil_writes),
      .rd_outstanding_o(unused_axil_reads),
      .violation_o     (unused_axil_violation)
  );
`endif
endmodule
