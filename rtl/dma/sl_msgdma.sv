// SPDX-License-Identifier: Apache-2.0
// Scatter-gather DMA with the registers and behaviour of Intel's Modular Scatter-Gather DMA
// (mSGDMA), so that Linux's altera-msgdma drives it unchanged: descriptors written to a port, a
// queue of them, a response each.
//
// Structure: csr (generated register file), sl_msgdma_desc (descriptor port), sl_msgdma_dispatch
//   (queues, commands, completion), sl_msgdma_resp (response port), sl_dma_reset, and the
//   movers that Mode needs, behind sl_dma_port. Memory to memory: sl_mm2s feeds sl_s2mm, reads run
//   ahead of writes.
// Handshake: every VALID output is registered and independent of its READY. A write of GO is
//   answered once the queue has room: a full queue stalls the descriptor port only. Unread
//   responses (2 * QueueDepth) stall completion, and in the end the movers.
// Throughput: a beat a cycle with queued descriptors: memory to memory, 64 bits, latency 120: 64 B
//   >= 94 %, 1 KiB >= 99.5 %. Latency: write of GO taken to ARVALID 4 cycles; 64 B at latency 20,
//   GO taken to interrupt 65 cycles, 58 with CutThrough=1 (for memory that need not see a burst's
//   data whole when its address comes: see sl_s2mm), one less with ResetTimeout=0.
// Interrupt: level, STATUS.IRQ. BUSY is 0 and the response readable when that of the last
//   descriptor rises.
// Errors: a failed descriptor runs to its end and says so in its response; the next follow, unless
//   STOP_ON_ERROR. A read that fails still has its data sent or written.
// Reset: `rst_ni`, or CONTROL.RESET: issued bursts end legally first; `m_axis` may lose TVALID,
//   `stream_rst_no` is low meanwhile, for whatever stands on the streams.
// Fault: a reset that has waited ResetTimeout cycles, or a stop during which memory has owed an
//   answer and nothing has moved on its port for as long, isolates the port (sl_axi_guard) and sets
//   `fault_o`, both until `rst_ni`. The reset then ends; what had begun fails with SLVERR, and so
//   does a later descriptor, at once.
// Probes: *_stall_o says why the mover moved nothing (headers of sl_mm2s, sl_s2mm); done_o is a
//   pulse for each descriptor with its response, done_bytes_o its bytes.
// Parameters out of range stop elaboration. Ports that Mode does not use are 0.
// Not supported: strides other than the data's width, burst counts, parking, channels, prefetcher,
//   streamed responses, a wider descriptor port (stores of 8 and 16 bytes arrive as words).
// Specification: Intel UG 683130, chapter Modular Scatter-Gather DMA Core; regs/sl_msgdma_*.rdl;
//   docs/reference/sl_msgdma.md (differences).

`include "sl_axi.svh"

module sl_msgdma
  import sl_mover_pkg::*;
  import sl_msgdma_pkg::*;
#(
    parameter int unsigned Mode            = 0,    // 0 memory to memory, 1 to stream, 2 from stream
    parameter int unsigned AddrWidth       = 32,   // 32..64
    parameter int unsigned DataWidth       = 64,   // 32..512, power of two; memory and stream
    parameter int unsigned LenWidth        = 31,   // 10..32, bits of a descriptor's length
    parameter int unsigned IdWidth         = 1,    // all transfers use ID 0
    parameter int unsigned MaxBurst        = 16,   // 2..256 beats, power of two
    parameter int unsigned BufferBeats     = 512,  // per mover, power of two
    parameter int unsigned QueueDepth      = 32,   // 8..1024 descriptors, power of two
    parameter bit          ExtendedDesc    = 1'b1, // 0: standard descriptors of 4 words
    parameter bit          IncludeResponse = 1'b1, // 0: no responses; resp reads 0
    parameter bit          Packets         = 1'b0, // Mode 2: 1: TLAST ends a descriptor; 0: ignored
    parameter bit          Unaligned       = 1'b0, // 1: buffers may start at any byte
    parameter bit          CutThrough      = 1'b0, // 1: write bursts open with their first beat
    parameter int unsigned ResetTimeout    = 1 << 20  // 0..2^30 cycles, see Fault; 0: never
) (
    input logic clk_i,
    input logic rst_ni,

    // Control and status
    input  logic [4:0]  s_axil_csr_awaddr,
    input  logic [2:0]  s_axil_csr_awprot,
    input  logic        s_axil_csr_awvalid,
    output logic        s_axil_csr_awready,
    input  logic [31:0] s_axil_csr_wdata,
    input  logic [3:0]  s_axil_csr_wstrb,
    input  logic        s_axil_csr_wvalid,
    output logic        s_axil_csr_wready,
    output logic [1:0]  s_axil_csr_bresp,
    output logic        s_axil_csr_bvalid,
    input  logic        s_axil_csr_bready,
    input  logic [4:0]  s_axil_csr_araddr,
    input  logic [2:0]  s_axil_csr_arprot,
    input  logic        s_axil_csr_arvalid,
    output logic        s_axil_csr_arready,
    output logic [31:0] s_axil_csr_rdata,
    output logic [1:0]  s_axil_csr_rresp,
    output logic        s_axil_csr_rvalid,
    input  logic        s_axil_csr_rready,

    // Descriptors
    input  logic [4:0]  s_axil_desc_awaddr,
    input  logic [2:0]  s_axil_desc_awprot,
    input  logic        s_axil_desc_awvalid,
    output logic        s_axil_desc_awready,
    input  logic [31:0] s_axil_desc_wdata,
    input  logic [3:0]  s_axil_desc_wstrb,
    input  logic        s_axil_desc_wvalid,
    output logic        s_axil_desc_wready,
    output logic [1:0]  s_axil_desc_bresp,
    output logic        s_axil_desc_bvalid,
    input  logic        s_axil_desc_bready,
    input  logic [4:0]  s_axil_desc_araddr,
    input  logic [2:0]  s_axil_desc_arprot,
    input  logic        s_axil_desc_arvalid,
    output logic        s_axil_desc_arready,
    output logic [31:0] s_axil_desc_rdata,
    output logic [1:0]  s_axil_desc_rresp,
    output logic        s_axil_desc_rvalid,
    input  logic        s_axil_desc_rready,

    // Responses
    input  logic [2:0]  s_axil_resp_awaddr,
    input  logic [2:0]  s_axil_resp_awprot,
    input  logic        s_axil_resp_awvalid,
    output logic        s_axil_resp_awready,
    input  logic [31:0] s_axil_resp_wdata,
    input  logic [3:0]  s_axil_resp_wstrb,
    input  logic        s_axil_resp_wvalid,
    output logic        s_axil_resp_wready,
    output logic [1:0]  s_axil_resp_bresp,
    output logic        s_axil_resp_bvalid,
    input  logic        s_axil_resp_bready,
    input  logic [2:0]  s_axil_resp_araddr,
    input  logic [2:0]  s_axil_resp_arprot,
    input  logic        s_axil_resp_arvalid,
    output logic        s_axil_resp_arready,
    output logic [31:0] s_axil_resp_rdata,
    output logic [1:0]  s_axil_resp_rresp,
    output logic        s_axil_resp_rvalid,
    input  logic        s_axil_resp_rready,

    output logic irq_o,
    output logic stream_rst_no,  // low in reset, and from the start to the end of a soft reset
    output logic fault_o,        // memory has not answered, the port is isolated; until rst_ni

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

    // Stream out (Mode 1)
    output logic [  DataWidth-1:0] m_axis_tdata,
    output logic [DataWidth/8-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready,

    // Stream in (Mode 2)
    input  logic [  DataWidth-1:0] s_axis_tdata,
    input  logic [DataWidth/8-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready
);
  localparam int unsigned TagWidth = 1;  // the dispatcher tells commands apart by their order
  localparam int unsigned CmdDepth = 32;
  localparam int unsigned RespDepth = 2 * QueueDepth;

  if (Mode > 2) begin : gen_bad_mode
    $fatal(1, "%m: Mode must be 0, 1 or 2, is %0d", Mode);
  end
  if (AddrWidth < 32 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128, 256 or 512, is %0d", DataWidth);
  end
  if (LenWidth < 10 || LenWidth > 32) begin : gen_bad_len_width
    $fatal(1, "%m: LenWidth must be 10..32, is %0d", LenWidth);
  end
  if (QueueDepth < 8 || QueueDepth > 1024 || 2 ** $clog2(QueueDepth) != QueueDepth)
  begin : gen_bad_q
    $fatal(1, "%m: QueueDepth must be a power of two in 8..1024, is %0d", QueueDepth);
  end

  sl_msgdma_csr_regs_pkg::sl_msgdma_csr__in_t  hwif_in;
  sl_msgdma_csr_regs_pkg::sl_msgdma_csr__out_t hwif_out;
  logic                        quiesce, core_rst_n, rd_idle, wr_idle;
  logic                        desc_valid, desc_ready, resp_valid, resp_ready, done, irq, stop;
  logic                        stop_error, stop_early, stopped, full;
  desc_t                       desc;
  response_t                   resp;
  logic [$clog2(RespDepth):0]  resp_level;
  logic [$clog2(QueueDepth):0] rd_level, wr_level;
  logic                        rd_cmd_valid, rd_cmd_ready, rd_cmd_eop, rd_sts_valid, rd_sts_ready;
  logic                        wr_cmd_valid, wr_cmd_ready, wr_sts_valid, wr_sts_ready, wr_sts_eop;
  logic [AddrWidth-1:0]        rd_cmd_addr, wr_cmd_addr;
  logic [LenWidth-1:0]         rd_cmd_bytes, rd_sts_bytes, wr_cmd_bytes, wr_sts_bytes;
  logic [1:0]                  rd_sts_error, wr_sts_error;

  // The memory bus of the movers, and what is left of it behind the guard
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth))
      mem_bus (), port_bus ();
  sl_axil_if #(.AddrWidth(5)) desc_bus ();
  sl_axil_if #(.AddrWidth(3)) resp_bus ();

  `SL_AXIL_LINK(desc_bus., s_axil_desc_)
  `SL_AXIL_LINK(resp_bus., s_axil_resp_)
  `SL_AXI_LINK(m_axi_, port_bus.)

  // ---------------------------------------------------------------------------------------------
  // Control and status
  // ---------------------------------------------------------------------------------------------
  sl_msgdma_csr_regs u_csr (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_csr_, 5),
      .hwif_in,
      .hwif_out
  );

  sl_dma_reset u_reset (
      .clk_i,
      .rst_ni,
      .req_i    (hwif_out.CONTROL.RESET.value),
      .quiet_i  (rd_idle && wr_idle),
      .quiesce_o(quiesce),
      .rst_no   (core_rst_n)
  );

  assign stream_rst_no = core_rst_n && !quiesce;
  assign irq_o         = hwif_out.STATUS.IRQ.value;
  assign stop          = hwif_out.CONTROL.STOP.value || hwif_out.CONTROL.STOP_DESC.value;
  assign done_o        = done;
  assign done_bytes_o  = resp.bytes[LenWidth-1:0];
  assign stop_error    = done && resp.error != '0 && hwif_out.CONTROL.STOP_ON_ERROR.value;
  assign stop_early    = done && resp.early && hwif_out.CONTROL.STOP_ON_EARLY.value;

  assign hwif_in.field_rst_n                   = core_rst_n;
  assign hwif_in.STATUS.DESC_FULL.next         = full;
  assign hwif_in.STATUS.STOPPED.next           = stopped;
  assign hwif_in.STATUS.RESP_EMPTY.next        = resp_level == '0;
  assign hwif_in.STATUS.RESP_FULL.next         = resp_level[$clog2(RespDepth)];
  assign hwif_in.STATUS.RESETTING.next         = hwif_out.CONTROL.RESET.value || quiesce;
  assign hwif_in.STATUS.IRQ.hwset              = irq && hwif_out.CONTROL.IRQ_EN.value;
  assign hwif_in.CONTROL.STOP.hwset            = stop_error || stop_early;
  assign hwif_in.STATUS.STOPPED_ON_ERROR.hwset = stop_error;
  assign hwif_in.STATUS.STOPPED_ON_ERROR.hwclr = !hwif_out.CONTROL.STOP.value && !stop_error;
  assign hwif_in.STATUS.STOPPED_ON_EARLY.hwset = stop_early;
  assign hwif_in.STATUS.STOPPED_ON_EARLY.hwclr = !hwif_out.CONTROL.STOP.value && !stop_early;
  assign hwif_in.FILL_LEVEL.READ.next          = 16'(rd_level);
  assign hwif_in.FILL_LEVEL.WRITE.next         = 16'(wr_level);
  assign hwif_in.RESP_FILL_LEVEL.COUNT.next    = 16'(resp_level);
  assign hwif_in.CONFIG_1.FIFO_DEPTH.next      = 4'($clog2(BufferBeats) - 4);
  assign hwif_in.CONFIG_1.DATA_WIDTH.next      = 3'($clog2(DataWidth) - 3);
  assign hwif_in.CONFIG_1.DESC_DEPTH.next      = 3'($clog2(QueueDepth) - 3);
  assign hwif_in.CONFIG_1.MODE.next            = 2'(Mode);
  assign hwif_in.CONFIG_1.EXTENDED.next        = ExtendedDesc;
  assign hwif_in.CONFIG_1.MAX_BURST.next       = 4'($clog2(MaxBurst) - 1);
  assign hwif_in.CONFIG_1.MAX_LENGTH.next      = 5'(LenWidth - 10);
  assign hwif_in.CONFIG_2.PACKETS.next         = Packets;
  assign hwif_in.CONFIG_2.RESPONSE.next        = IncludeResponse ? 2'd0 : 2'd2;
  assign hwif_in.CONFIG_2.TRANSFER.next        = Unaligned ? 2'd2 : 2'd1;

  // ---------------------------------------------------------------------------------------------
  // Descriptors and responses
  // ---------------------------------------------------------------------------------------------
  sl_msgdma_desc #(
      .ExtendedDesc(ExtendedDesc)
  ) u_desc (
      .clk_i,
      .rst_ni,
      .drop_i(quiesce),
      .s_axil        (desc_bus),
      .desc_valid_o  (desc_valid),
      .desc_ready_i  (desc_ready),
      .desc_o        (desc)
  );

  sl_msgdma_dispatch #(
      .Mode      (2'(Mode)),
      .AddrWidth (AddrWidth),
      .DataWidth (DataWidth),
      .LenWidth  (LenWidth),
      .QueueDepth(QueueDepth),
      .Unaligned (Unaligned),
      .Packets   (Packets)
  ) u_dispatch (
      .clk_i,
      .rst_ni        (core_rst_n),
      .quiesce_i     (quiesce),
      .desc_valid_i  (desc_valid),
      .desc_ready_o  (desc_ready),
      .desc_i        (desc),
      .stop_i        (stop),
      .busy_o        (hwif_in.STATUS.BUSY.next),
      .empty_o       (hwif_in.STATUS.DESC_EMPTY.next),
      .full_o        (full),
      .stopped_o     (stopped),
      .rd_level_o    (rd_level),
      .wr_level_o    (wr_level),
      .rd_seq_o      (hwif_in.SEQ_NUM.READ.next),
      .wr_seq_o      (hwif_in.SEQ_NUM.WRITE.next),
      .resp_valid_o  (resp_valid),
      .resp_ready_i  (resp_ready || !IncludeResponse),
      .resp_o        (resp),
      .done_o        (done),
      .irq_o         (irq),
      .rd_cmd_valid_o(rd_cmd_valid),
      .rd_cmd_ready_i(rd_cmd_ready),
      .rd_cmd_addr_o (rd_cmd_addr),
      .rd_cmd_bytes_o(rd_cmd_bytes),
      .rd_cmd_eop_o  (rd_cmd_eop),
      .rd_sts_valid_i(rd_sts_valid),
      .rd_sts_ready_o(rd_sts_ready),
      .rd_sts_bytes_i(rd_sts_bytes),
      .rd_sts_error_i(rd_sts_error),
      .wr_cmd_valid_o(wr_cmd_valid),
      .wr_cmd_ready_i(wr_cmd_ready),
      .wr_cmd_addr_o (wr_cmd_addr),
      .wr_cmd_bytes_o(wr_cmd_bytes),
      .wr_sts_valid_i(wr_sts_valid),
      .wr_sts_ready_o(wr_sts_ready),
      .wr_sts_bytes_i(wr_sts_bytes),
      .wr_sts_eop_i  (wr_sts_eop),
      .wr_sts_error_i(wr_sts_error)
  );

  sl_msgdma_resp #(
      .Depth   (RespDepth),
      .LenWidth(LenWidth)
  ) u_resp (
      .clk_i,
      .rst_ni,
      .clear_ni(core_rst_n),
      .s_axil        (resp_bus),
      .in_valid_i    (resp_valid && IncludeResponse),
      .in_ready_o    (resp_ready),
      .in_i          (resp),
      .level_o       (resp_level)
  );

  // ---------------------------------------------------------------------------------------------
  // Movers; `link` runs between them, from memory to memory
  // ---------------------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) link_bus (), in_bus ();

  if (Mode == 2) begin : gen_no_read
    logic unused;

    assign unused = ^{rd_cmd_valid, rd_cmd_addr, rd_cmd_bytes, rd_cmd_eop, rd_sts_ready};
    assign rd_idle = 1'b1;
    assign rd_stall_o = '0;
    assign rd_cmd_ready = 1'b0;
    assign rd_sts_valid = 1'b0;
    assign rd_sts_bytes = '0;
    assign rd_sts_error = '0;
    `SL_AXIS_IDLE_MST(link_bus.)
    `SL_AXI_IDLE_RD_MST(mem_bus.)
  end else begin : gen_read
    logic [TagWidth-1:0] unused_tag;
    logic                unused_eop;

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
        .rst_ni       (core_rst_n),
        .halt_i       (quiesce),
        .idle_o       (rd_idle),
        .cmd_valid_i  (rd_cmd_valid),
        .cmd_ready_o  (rd_cmd_ready),
        .cmd_addr_i   (rd_cmd_addr),
        .cmd_bytes_i  (rd_cmd_bytes),
        .cmd_eop_i    (rd_cmd_eop),
        .cmd_tag_i    ('0),
        .sts_valid_o  (rd_sts_valid),
        .sts_ready_i  (rd_sts_ready),
        .sts_bytes_o  (rd_sts_bytes),
        .sts_eop_o    (unused_eop),
        .sts_error_o  (rd_sts_error),
        .sts_tag_o    (unused_tag),
        .stall_addr_o (rd_stall_o[0]),
        .stall_space_o(rd_stall_o[1]),
        .stall_data_o (rd_stall_o[2]),
        .stall_resp_o (rd_stall_o[3]),
        `SL_AXI_PINS_RD(m_axi_, mem_bus.),
        `SL_AXIS_PINS(m_axis_, link_bus.)
    );
  end

  if (Mode == 1) begin : gen_no_write
    logic unused;

    assign unused = ^{wr_cmd_valid, wr_cmd_addr, wr_cmd_bytes, wr_sts_ready};
    assign wr_idle = 1'b1;
    assign wr_stall_o = '0;
    assign wr_cmd_ready = 1'b0;
    assign wr_sts_valid = 1'b0;
    assign wr_sts_bytes = '0;
    assign wr_sts_eop = 1'b0;
    assign wr_sts_error = '0;
    assign in_bus.tready = 1'b0;
    `SL_AXI_IDLE_WR_MST(mem_bus.)
  end else begin : gen_write
    logic [TagWidth-1:0] unused_tag;
    logic                unused_held;

    sl_s2mm #(
        .AddrWidth  (AddrWidth),
        .DataWidth  (DataWidth),
        .LenWidth   (LenWidth),
        .TagWidth   (TagWidth),
        .IdWidth    (IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .CmdDepth   (CmdDepth),
        .Unaligned  (Unaligned),
        .CutThrough (CutThrough)
    ) u_mover (
        .clk_i,
        .rst_ni       (core_rst_n),
        .halt_i       (quiesce),
        .idle_o       (wr_idle),
        .cmd_valid_i  (wr_cmd_valid),
        .cmd_ready_o  (wr_cmd_ready),
        .cmd_addr_i   (wr_cmd_addr),
        .cmd_bytes_i  (wr_cmd_bytes),
        .cmd_eop_i    (1'b0),
        .cmd_tag_i    ('0),
        .sts_valid_o  (wr_sts_valid),
        .sts_ready_i  (wr_sts_ready),
        .sts_bytes_o  (wr_sts_bytes),
        .sts_eop_o    (wr_sts_eop),
        .sts_error_o  (wr_sts_error),
        .sts_tag_o    (unused_tag),
        .stall_addr_o (wr_stall_o[0]),
        .stall_space_o(wr_stall_o[1]),
        .stall_data_o (wr_stall_o[2]),
        .stall_resp_o (wr_stall_o[3]),
        .held_o       (unused_held),
        `SL_AXI_PINS_WR(m_axi_, mem_bus.),
        `SL_AXIS_PINS(s_axis_, in_bus.)
    );
  end

  if (Mode == 0) begin : gen_link
    logic unused;

    assign unused        = ^{m_axis_tready, s_axis_tdata, s_axis_tkeep, s_axis_tlast,
                             s_axis_tvalid};
    `SL_AXIS_LINK(in_bus., link_bus.)
    `SL_AXIS_IDLE_MST(m_axis_)
    assign s_axis_tready = 1'b0;
  end else begin : gen_streams
    logic unused;

    assign unused        = ^{s_axis_tlast};
    `SL_AXIS_LINK(m_axis_, link_bus.)
    assign in_bus.tdata      = s_axis_tdata;
    assign in_bus.tkeep      = s_axis_tkeep;
    assign in_bus.tlast      = s_axis_tlast && Packets;
    assign in_bus.tvalid     = s_axis_tvalid;
    assign s_axis_tready = in_bus.tready;
  end

  // ---------------------------------------------------------------------------------------------
  // Memory port
  // ---------------------------------------------------------------------------------------------
  // A stop waits for what has begun, and that may wait for a stream. What memory owes is counted,
  // so that a stop gives up only on memory: nothing moves on the port, and a VALID waits for its
  // READY, or a burst that memory has whole for its answer.
  logic [6:0] rd_owed_q, wr_owed_q;
  logic       ar_take, r_take, aw_take, w_take, b_take, silent;

  assign ar_take = mem_bus.arvalid && mem_bus.arready;
  assign r_take  = mem_bus.rvalid && mem_bus.rready;
  assign aw_take = mem_bus.awvalid && mem_bus.awready;
  assign w_take  = mem_bus.wvalid && mem_bus.wready;
  assign b_take  = mem_bus.bvalid && mem_bus.bready;
  assign silent  = !(ar_take || r_take || aw_take || w_take || b_take) &&
      (mem_bus.arvalid || mem_bus.awvalid || mem_bus.wvalid || rd_owed_q != '0 || wr_owed_q != '0);

  always_ff @(posedge clk_i) begin
    rd_owed_q <= rd_owed_q + 7'(ar_take) - 7'(r_take && mem_bus.rlast);
    wr_owed_q <= wr_owed_q + 7'(w_take && mem_bus.wlast) - 7'(b_take);
    if (!rst_ni) begin
      rd_owed_q <= '0;
      wr_owed_q <= '0;
    end
  end

  sl_dma_timeout #(
      .Timeout(ResetTimeout)
  ) u_timeout (
      .clk_i,
      .rst_ni,
      .wait_i   (quiesce || (stop && !stopped && silent)),
      .expired_o(fault_o)
  );

  sl_dma_port #(
      .ReadPort (Mode != 2),
      .WritePort(Mode != 1),
      .Guard    (ResetTimeout != 0)
  ) u_port (
      .clk_i,
      .rst_ni,
      .isolate_i    (fault_o),
      .s_axi(mem_bus),
      .m_axi(port_bus)
  );

  // ---------------------------------------------------------------------------------------------
  // Protocol checkers; that of m_axi is in sl_dma_port. The one of m_axis is in reset with the
  // stream, see stream_rst_no.
  // ---------------------------------------------------------------------------------------------
  `SL_AXIS_CHECK(u_check_axis, m_axis_, DataWidth, stream_rst_no)
  `SL_AXIL_CHECK(u_check_csr, s_axil_csr_, 5, 32)
  `SL_AXIL_CHECK(u_check_desc, s_axil_desc_, 5, 32)
  `SL_AXIL_CHECK(u_check_resp, s_axil_resp_, 3, 32)
endmodule
