// SPDX-License-Identifier: Apache-2.0
// AXI CDMA, memory to memory, with the registers and behaviour of AMD PG034, in simple mode and
// (IncludeSg) scatter-gather mode, so that software for the vendor's engine drives it unchanged.
//
// Structure: registers (generated), copy engine (sl_axi_cdma_copy: the movers), reset
//   (sl_dma_reset), memory port (sl_dma_port); with IncludeSg a front end (sl_axi_cdma_sg) and
//   interrupt coalescing (sl_sg_irq), with a descriptor port of their own.
// Simple mode (CDMACR.SGMode = 0): a write of BTT while CDMASR.Idle is 1 and no error stands starts
//   a copy. It takes SA and DA, which may be rewritten at once. During a copy it is undone, and
//   starts nothing.
// Scatter-gather mode: a write of TAILDESC starts, see sl_axi_cdma_sg; its high half does where
//   AddrWidth > 32. BTT starts nothing. A change of SGMode takes effect when the engine is idle.
// Handshake: every VALID output is independent of its READY.
// Latency: write of BTT taken to ARVALID 3 cycles. Throughput: a beat a cycle.
// Interrupt: level, (IOC_Irq & IOC_IrqEn) | (Dly_Irq & Dly_IrqEn) | (Err_Irq & Err_IrqEn).
// Errors: the first one sets its CDMASR bit and Err_Irq; issued bursts end, then Idle is set.
//   Nothing starts before a reset. Bytes of a failed read are not known at the destination.
// Reset: `rst_ni`, or CDMACR.Reset: issued bursts end legally, then every register is reset.
// Fault: a reset, or the halt after an error, that has waited ResetTimeout cycles for memory
//   isolates memory and descriptor port (sl_axi_guard) and sets `fault_o`, both until `rst_ni`; it
//   then ends, and a later copy fails at once with a slave error.
// Probes: *_stall_o says why reader, writer moved nothing (see sl_mm2s, sl_s2mm); done_o is a pulse
//   for each copy that ended without error, in scatter-gather mode written back.
// Parameters out of range stop elaboration. CutThrough: see sl_axi_cdma_copy. IncludeSg = 0: the
//   outputs of `m_axi_sg` are 0.
// Not supported: keyhole, overlapping source and destination.
// Specification: AMD PG034 v4.1; regs/sl_axi_cdma.rdl; docs/reference/sl_axi_cdma.md (differences).

`include "sl_axi.svh"

module sl_axi_cdma
  import sl_mover_pkg::*;
#(
    parameter int unsigned AddrWidth   = 32,    // 32..64
    parameter int unsigned DataWidth   = 64,    // 32..512, power of two
    parameter int unsigned LenWidth    = 26,    // 8..26, bits of a byte count
    parameter int unsigned IdWidth     = 1,     // all transfers use ID 0
    parameter int unsigned MaxBurst    = 16,    // 2..256 beats, power of two
    parameter int unsigned BufferBeats = 512,   // per direction, power of two
    parameter bit          Unaligned   = 1'b1,  // 1: any byte alignment
    parameter bit          CutThrough  = 1'b0,
    parameter bit          IncludeSg   = 1'b0,  // 1: scatter-gather mode too
    parameter int unsigned ResetTimeout = 1 << 20  // 0..2^30 cycles, see Fault; 0: never
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

    output logic irq_o,
    output logic fault_o,  // memory has not answered, the ports are isolated; until rst_ni

    // Probes
    output logic [         3:0] rd_stall_o,  // {response, data, space, address}
    output logic [         3:0] wr_stall_o,
    output logic                done_o,
    output logic [LenWidth-1:0] done_bytes_o,

    // Memory (AXI4)
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

    // Descriptors (AXI4, 32 bits; IncludeSg)
    output logic [          0:0] m_axi_sg_arid,
    output logic [AddrWidth-1:0] m_axi_sg_araddr,
    output logic [          7:0] m_axi_sg_arlen,
    output logic [          2:0] m_axi_sg_arsize,
    output logic [          1:0] m_axi_sg_arburst,
    output logic                 m_axi_sg_arlock,
    output logic [          3:0] m_axi_sg_arcache,
    output logic [          2:0] m_axi_sg_arprot,
    output logic                 m_axi_sg_arvalid,
    input  logic                 m_axi_sg_arready,
    input  logic [          0:0] m_axi_sg_rid,
    input  logic [         31:0] m_axi_sg_rdata,
    input  logic [          1:0] m_axi_sg_rresp,
    input  logic                 m_axi_sg_rlast,
    input  logic                 m_axi_sg_rvalid,
    output logic                 m_axi_sg_rready,
    output logic [          0:0] m_axi_sg_awid,
    output logic [AddrWidth-1:0] m_axi_sg_awaddr,
    output logic [          7:0] m_axi_sg_awlen,
    output logic [          2:0] m_axi_sg_awsize,
    output logic [          1:0] m_axi_sg_awburst,
    output logic                 m_axi_sg_awlock,
    output logic [          3:0] m_axi_sg_awcache,
    output logic [          2:0] m_axi_sg_awprot,
    output logic                 m_axi_sg_awvalid,
    input  logic                 m_axi_sg_awready,
    output logic [         31:0] m_axi_sg_wdata,
    output logic [          3:0] m_axi_sg_wstrb,
    output logic                 m_axi_sg_wlast,
    output logic                 m_axi_sg_wvalid,
    input  logic                 m_axi_sg_wready,
    input  logic [          0:0] m_axi_sg_bid,
    input  logic [          1:0] m_axi_sg_bresp,
    input  logic                 m_axi_sg_bvalid,
    output logic                 m_axi_sg_bready
);
  if (AddrWidth < 32 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128, 256 or 512, is %0d", DataWidth);
  end
  if (LenWidth < 8 || LenWidth > 26) begin : gen_bad_len_width
    $fatal(1, "%m: LenWidth must be 8..26, is %0d", LenWidth);
  end

  localparam int unsigned Depth = IncludeSg ? 16 : 2;  // copies in flight

  localparam logic [63:0] AddrMask    = 64'hFFFF_FFFF_FFFF_FFFF >> (64 - AddrWidth);
  localparam logic [31:0] AddrMsbMask = AddrMask[63:32];

  typedef enum logic [2:0] {
    READY,   // a write of BTT starts a copy
    ISSUE,   // the copy engine has not yet taken it
    ACTIVE,
    FLUSH,   // an error: bursts still out
    STOPPED  // an error stands
  } state_e;

  sl_axi_cdma_regs_pkg::sl_axi_cdma__in_t  hwif_in;
  sl_axi_cdma_regs_pkg::sl_axi_cdma__out_t hwif_out;
  state_e state_q;
  logic quiesce, core_rst_n, written_q, ioc_q, err_q;
  logic cmd_ready, sts_valid, copy_halt, copy_idle;
  logic tail_written;
  logic sg_mode, sg_idle, sg_busy, sg_halting, sg_halt, sg_cmd_valid, sg_sts_ready, sg_done, sg_err;
  logic at_rest, ioc, dly, curdesc_we, failed;
  logic unused_tag;
  logic [7:0] threshold_count, delay_count, threshold;
  logic [2:0] sg_data_err, sg_desc_err;
  logic [LenWidth-1:0] bytes_q, sts_bytes, sg_bytes, sg_done_bytes;
  logic [AddrWidth-1:0] sg_src, sg_dst, curdesc;
  logic [AddrWidth-1:0] src_q, dst_q;
  logic [1:0] sts_error, error_q;
  logic [25:0] btt;

  // The memory bus of the movers, and what is left of it behind the guard
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth))
      mem_bus (), port_bus ();
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(32)) sg_bus ();

  `SL_AXI_LINK(m_axi_, port_bus.)
  `SL_AXI_LINK(m_axi_sg_, sg_bus.)

  sl_axi_cdma_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_, 10),
      .hwif_in,
      .hwif_out
  );

  sl_dma_reset u_reset (
      .clk_i,
      .rst_ni,
      .req_i    (hwif_out.CDMACR.RESET.value),
      .quiet_i  (copy_idle && sg_idle),
      .quiesce_o(quiesce),
      .rst_no   (core_rst_n)
  );

  sl_axi_cdma_copy #(
      .AddrWidth  (AddrWidth),
      .DataWidth  (DataWidth),
      .LenWidth   (LenWidth),
      .IdWidth    (IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .TagWidth   (1),
      .CmdDepth   (Depth),
      .Unaligned  (Unaligned),
      .CutThrough (CutThrough)
  ) u_copy (
      .clk_i,
      .rst_ni     (core_rst_n),
      .halt_i     (copy_halt),
      .idle_o     (copy_idle),
      .cmd_valid_i(sg_mode ? sg_cmd_valid : state_q == ISSUE && !quiesce),
      .cmd_ready_o(cmd_ready),
      .cmd_src_i  (sg_mode ? sg_src : src_q),
      .cmd_dst_i  (sg_mode ? sg_dst : dst_q),
      .cmd_bytes_i(sg_mode ? sg_bytes : bytes_q),
      .cmd_tag_i  (1'b0),
      .sts_valid_o(sts_valid),
      .sts_ready_i(sg_mode ? sg_sts_ready : state_q == ACTIVE),
      .sts_bytes_o(sts_bytes),
      .sts_error_o(sts_error),
      .sts_tag_o  (unused_tag),
      .rd_stall_o,
      .wr_stall_o,
      `SL_AXI_PINS(m_axi_, mem_bus.)
  );

  sl_dma_timeout #(
      .Timeout(ResetTimeout)
  ) u_timeout (
      .clk_i,
      .rst_ni,
      .wait_i   (quiesce || state_q == FLUSH || sg_halting),
      .expired_o(fault_o)
  );

  sl_dma_port #(
      .Guard    (ResetTimeout != 0)
  ) u_port (
      .clk_i,
      .rst_ni,
      .isolate_i    (fault_o),
      .s_axi(mem_bus),
      .m_axi(port_bus)
  );

  assign btt = hwif_out.BTT.VALUE.value;

  always_ff @(posedge clk_i) begin
    written_q <= hwif_out.BTT.VALUE.swmod;
    ioc_q     <= 1'b0;
    err_q     <= 1'b0;
    unique case (state_q)
      READY: begin
        if (written_q && !quiesce && !sg_mode && !failed) begin
          state_q <= ISSUE;
          src_q   <= AddrWidth'({hwif_out.SA_MSB.VALUE.value, hwif_out.SA.VALUE.value});
          dst_q   <= AddrWidth'({hwif_out.DA_MSB.VALUE.value, hwif_out.DA.VALUE.value});
          bytes_q <= btt[LenWidth-1:0];
        end
      end

      ISSUE: if (cmd_ready && !quiesce) state_q <= ACTIVE;

      ACTIVE: begin
        if (sts_valid) begin
          state_q <= sts_error == OKAY ? READY : FLUSH;
          ioc_q   <= sts_error == OKAY;
          err_q   <= sts_error != OKAY;
          error_q <= sts_error;
        end
      end

      FLUSH: if (copy_idle) state_q <= STOPPED;

      default: state_q <= STOPPED;
    endcase
    if (!core_rst_n) begin
      state_q   <= READY;
      written_q <= 1'b0;
      ioc_q     <= 1'b0;
      err_q     <= 1'b0;
    end
  end

  assign copy_halt = state_q == FLUSH || sg_halt || quiesce;

  // --------------------------------------------------------------------------- scatter-gather mode
  if (IncludeSg) begin : gen_sg
    logic threshold_q, taildesc_q;
    sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(32)) bd_bus ();

    // The strobes come a cycle before the values.
    always_ff @(posedge clk_i) begin
      threshold_q <= core_rst_n && hwif_out.CDMACR.IRQTHRESHOLD.swmod;
      taildesc_q  <= core_rst_n && (AddrWidth > 32 ? hwif_out.TAILDESC_MSB.VALUE.swmod :
                                                     hwif_out.TAILDESC.VALUE.swmod);
    end

    assign tail_written = taildesc_q;  // its value is looked at in the next cycle

    // Linux's driver clears SGMode at work where its termination meets an interrupt: what runs ends
    // in its mode.
    always_ff @(posedge clk_i) begin
      if (at_rest) sg_mode <= hwif_out.CDMACR.SGMODE.value;
      if (!core_rst_n) sg_mode <= 1'b0;
    end

    sl_axi_cdma_sg #(
        .AddrWidth(AddrWidth),
        .LenWidth (LenWidth),
        .Depth    (Depth)
    ) u_sg (
        .clk_i,
        .rst_ni       (core_rst_n),
        .quiesce_i    (quiesce),
        .idle_o       (sg_idle),
        .halting_o    (sg_halting),
        .mode_i       (sg_mode),
        .cyclic_i     (hwif_out.CDMACR.CYCLIC.value),
        .curdesc_i    (AddrWidth'({hwif_out.CURDESC_MSB.VALUE.value,
                                   hwif_out.CURDESC.VALUE.value, 6'd0})),
        .taildesc_i   (AddrWidth'({hwif_out.TAILDESC_MSB.VALUE.value,
                                   hwif_out.TAILDESC.VALUE.value, 6'd0})),
        .taildesc_we_i(taildesc_q && state_q == READY),
        .busy_o       (sg_busy),
        .curdesc_we_o (curdesc_we),
        .curdesc_o    (curdesc),
        .data_err_o   (sg_data_err),
        .desc_err_o   (sg_desc_err),
        .err_o        (sg_err),
        .done_o       (sg_done),
        .done_bytes_o (sg_done_bytes),
        .cmd_valid_o  (sg_cmd_valid),
        .cmd_ready_i  (cmd_ready),
        .cmd_src_o    (sg_src),
        .cmd_dst_o    (sg_dst),
        .cmd_bytes_o  (sg_bytes),
        .sts_valid_i  (sts_valid),
        .sts_ready_o  (sg_sts_ready),
        .sts_bytes_i  (sts_bytes),
        .sts_error_i  (sts_error),
        .copy_halt_o  (sg_halt),
        .copy_idle_i  (copy_idle),
        .m_axi        (bd_bus)
    );

    sl_sg_irq u_irq (
        .clk_i,
        .rst_ni           (core_rst_n),
        .enable_i         (sg_mode),
        .threshold_i      (hwif_out.CDMACR.IRQTHRESHOLD.value),
        .threshold_we_i   (threshold_q),
        .delay_i          (hwif_out.CDMACR.IRQDELAY.value),
        .event_i          (sg_done),
        .busy_i           (sg_busy),
        .ioc_o            (ioc),
        .dly_o            (dly),
        .threshold_o      (threshold),
        .threshold_count_o(threshold_count),
        .delay_count_o    (delay_count)
    );

    sl_dma_port #(
        .Guard    (ResetTimeout != 0)
    ) u_sg_port (
        .clk_i,
        .rst_ni,
        .isolate_i    (fault_o),
        .s_axi(bd_bus),
        .m_axi(sg_bus)
    );
  end else begin : gen_no_sg
    logic unused;
    assign unused = &{1'b0, sts_bytes};
    assign sg_mode          = 1'b0;
    assign tail_written     = 1'b0;
    assign sg_idle          = 1'b1;
    assign sg_busy          = 1'b0;
    assign sg_halting       = 1'b0;
    assign sg_halt          = 1'b0;
    assign sg_cmd_valid     = 1'b0;
    assign sg_sts_ready     = 1'b0;
    assign sg_done          = 1'b0;
    assign sg_done_bytes    = '0;
    assign sg_err           = 1'b0;
    assign ioc              = 1'b0;
    assign dly              = 1'b0;
    assign curdesc_we       = 1'b0;
    assign curdesc          = '0;
    assign sg_data_err      = '0;
    assign sg_desc_err      = '0;
    assign sg_src           = '0;
    assign sg_dst           = '0;
    assign sg_bytes         = '0;
    assign threshold        = 8'd1;
    assign threshold_count  = 8'd1;
    assign delay_count      = '0;
    `SL_AXI_IDLE_MST(sg_bus.)
  end

  assign failed       = sg_data_err != '0 || sg_desc_err != '0;
  assign done_o       = sg_done || ioc_q;
  assign done_bytes_o = sg_mode ? sg_done_bytes : bytes_q;

  // ---------------------------------------------------------------------------------------- status
  assign hwif_in.field_rst_n              = core_rst_n;
  assign hwif_in.CDMACR.TAILPNTREN.next   = IncludeSg;
  assign hwif_in.CDMACR.SGMODE.swwe       = IncludeSg;
  assign hwif_in.CDMACR.CYCLIC.swwe       = IncludeSg;
  assign hwif_in.CDMACR.DLY_IRQEN.swwe    = IncludeSg;
  assign hwif_in.CDMACR.IRQTHRESHOLD.swwe = IncludeSg;
  assign hwif_in.CDMACR.IRQTHRESHOLD.we   = IncludeSg && hwif_out.CDMACR.IRQTHRESHOLD.value == '0;
  assign hwif_in.CDMACR.IRQTHRESHOLD.next = threshold;
  assign hwif_in.CDMACR.IRQDELAY.swwe     = IncludeSg;
  // Who sees Idle shall see the interrupt of what ended too.
  assign at_rest = (state_q == READY || state_q == STOPPED) && !ioc_q && !sg_busy && !ioc;
  assign hwif_in.CDMASR.IDLE.next            = at_rest;
  assign hwif_in.CDMASR.SGINCLD.next         = IncludeSg;
  assign hwif_in.CDMASR.IOC_IRQ.hwset        = ioc_q || ioc;
  assign hwif_in.CDMASR.DLY_IRQ.hwset        = dly;
  assign hwif_in.CDMASR.ERR_IRQ.hwset        = err_q || sg_err;
  assign hwif_in.CDMASR.DMAINTERR.hwset      = (err_q && error_q == INTERNAL) || sg_data_err[0];
  assign hwif_in.CDMASR.DMASLVERR.hwset      = (err_q && error_q == SLVERR) || sg_data_err[1];
  assign hwif_in.CDMASR.DMADECERR.hwset      = (err_q && error_q == DECERR) || sg_data_err[2];
  assign hwif_in.CDMASR.SGINTERR.hwset       = sg_desc_err[0];
  assign hwif_in.CDMASR.SGSLVERR.hwset       = sg_desc_err[1];
  assign hwif_in.CDMASR.SGDECERR.hwset       = sg_desc_err[2];
  assign hwif_in.CDMASR.IRQTHRESHOLDSTS.next = threshold_count;
  assign hwif_in.CDMASR.IRQDELAYSTS.next     = delay_count;

  // SGMode = 0 clears what only descriptors have, once what ran with them has ended.
  logic        simple, curdesc_open, taildesc_open;
  logic [31:0] curdesc_msb;
  assign simple        = !hwif_out.CDMACR.SGMODE.value && (at_rest || !sg_mode) && !tail_written;
  assign hwif_in.CDMASR.DLY_IRQ.hwclr   = simple;
  assign curdesc_open  = IncludeSg && !sg_busy && !failed && !simple;
  assign taildesc_open = IncludeSg && !simple;
  assign curdesc_msb   = 32'(64'(curdesc) >> 32);
  assign hwif_in.CURDESC.VALUE.swwe     = curdesc_open;
  assign hwif_in.CURDESC.VALUE.we       = curdesc_we || simple;
  assign hwif_in.CURDESC.VALUE.next     = simple ? '0 : curdesc[31:6];
  assign hwif_in.CURDESC_MSB.VALUE.swwe = curdesc_open;
  assign hwif_in.CURDESC_MSB.VALUE.we   =
      curdesc_we || simple || (hwif_out.CURDESC_MSB.VALUE.value & ~AddrMsbMask) != '0;
  assign hwif_in.CURDESC_MSB.VALUE.next =
      simple ? '0 : curdesc_we ? curdesc_msb : hwif_out.CURDESC_MSB.VALUE.value & AddrMsbMask;
  assign hwif_in.TAILDESC.VALUE.swwe     = taildesc_open;
  assign hwif_in.TAILDESC.VALUE.we       = simple;
  assign hwif_in.TAILDESC.VALUE.next     = '0;
  assign hwif_in.TAILDESC_MSB.VALUE.swwe = taildesc_open;
  assign hwif_in.TAILDESC_MSB.VALUE.we   =
      simple || (hwif_out.TAILDESC_MSB.VALUE.value & ~AddrMsbMask) != '0;
  assign hwif_in.TAILDESC_MSB.VALUE.next =
      simple ? '0 : hwif_out.TAILDESC_MSB.VALUE.value & AddrMsbMask;

  // Bits beyond the engine's widths are taken away in the cycle after the write; a write of BTT
  // during a copy likewise.
  logic refuse;
  assign refuse = written_q && (state_q == ISSUE || state_q == ACTIVE || state_q == FLUSH);
  assign hwif_in.SA_MSB.VALUE.we   = (hwif_out.SA_MSB.VALUE.value & ~AddrMsbMask) != '0;
  assign hwif_in.SA_MSB.VALUE.next = hwif_out.SA_MSB.VALUE.value & AddrMsbMask;
  assign hwif_in.DA_MSB.VALUE.we   = (hwif_out.DA_MSB.VALUE.value & ~AddrMsbMask) != '0;
  assign hwif_in.DA_MSB.VALUE.next = hwif_out.DA_MSB.VALUE.value & AddrMsbMask;
  assign hwif_in.BTT.VALUE.we      = refuse || btt != 26'(btt[LenWidth-1:0]);
  assign hwif_in.BTT.VALUE.next    = refuse ? 26'(bytes_q) : 26'(btt[LenWidth-1:0]);

  assign irq_o = hwif_out.CDMASR.IOC_IRQ.value && hwif_out.CDMACR.IOC_IRQEN.value ||
                 hwif_out.CDMASR.DLY_IRQ.value && hwif_out.CDMACR.DLY_IRQEN.value ||
                 hwif_out.CDMASR.ERR_IRQ.value && hwif_out.CDMACR.ERR_IRQEN.value;

  `SL_AXIL_CHECK(u_check_axil, s_axil_, 10, 32)
endmodule
