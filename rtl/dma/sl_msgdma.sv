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
//   answered once the queue has room: a full queue stalls the descriptor port only. Unread responses
//   (2 * QueueDepth) stall completion, and in the end the movers.
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

  if (Mode > 2) begin : g_bad_mode
    $fatal(1, "%m: Mode must be 0, 1 or 2, is %0d", Mode);
  end
  if (AddrWidth < 32 || AddrWidth > 64) begin : g_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth) begin : g_bad_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128, 256 or 512, is %0d", DataWidth);
  end
  if (LenWidth < 10 || LenWidth > 32) begin : g_bad_len_width
    $fatal(1, "%m: LenWidth must be 10..32, is %0d", LenWidth);
  end
  if (QueueDepth < 8 || QueueDepth > 1024 || 2 ** $clog2(QueueDepth) != QueueDepth) begin : g_bad_q
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

  // The movers' bus
  logic [IdWidth-1:0]     mem_arid, mem_awid, mem_rid, mem_bid;
  logic [AddrWidth-1:0]   mem_araddr, mem_awaddr;
  logic [7:0]             mem_arlen, mem_awlen;
  logic [2:0]             mem_arsize, mem_awsize, mem_arprot, mem_awprot;
  logic [1:0]             mem_arburst, mem_awburst, mem_rresp, mem_bresp;
  logic [3:0]             mem_arcache, mem_awcache;
  logic                   mem_arlock, mem_awlock, mem_arvalid, mem_arready;
  logic                   mem_awvalid, mem_awready;
  logic [DataWidth-1:0]   mem_rdata, mem_wdata;
  logic [DataWidth/8-1:0] mem_wstrb;
  logic                   mem_rlast, mem_rvalid, mem_rready, mem_wlast, mem_wvalid, mem_wready;
  logic                   mem_bvalid, mem_bready;

  // ---------------------------------------------------------------------------------------------
  // Control and status
  // ---------------------------------------------------------------------------------------------
  sl_msgdma_csr_regs u_csr (
      .clk  (clk_i),
      .rst_n(rst_ni),
      .s_axil_awaddr (s_axil_csr_awaddr),
      .s_axil_awprot (s_axil_csr_awprot),
      .s_axil_awvalid(s_axil_csr_awvalid),
      .s_axil_awready(s_axil_csr_awready),
      .s_axil_wdata  (s_axil_csr_wdata),
      .s_axil_wstrb  (s_axil_csr_wstrb),
      .s_axil_wvalid (s_axil_csr_wvalid),
      .s_axil_wready (s_axil_csr_wready),
      .s_axil_bresp  (s_axil_csr_bresp),
      .s_axil_bvalid (s_axil_csr_bvalid),
      .s_axil_bready (s_axil_csr_bready),
      .s_axil_araddr (s_axil_csr_araddr),
      .s_axil_arprot (s_axil_csr_arprot),
      .s_axil_arvalid(s_axil_csr_arvalid),
      .s_axil_arready(s_axil_csr_arready),
      .s_axil_rdata  (s_axil_csr_rdata),
      .s_axil_rresp  (s_axil_csr_rresp),
      .s_axil_rvalid (s_axil_csr_rvalid),
      .s_axil_rready (s_axil_csr_rready),
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
      .s_axil_awaddr (s_axil_desc_awaddr),
      .s_axil_awprot (s_axil_desc_awprot),
      .s_axil_awvalid(s_axil_desc_awvalid),
      .s_axil_awready(s_axil_desc_awready),
      .s_axil_wdata  (s_axil_desc_wdata),
      .s_axil_wstrb  (s_axil_desc_wstrb),
      .s_axil_wvalid (s_axil_desc_wvalid),
      .s_axil_wready (s_axil_desc_wready),
      .s_axil_bresp  (s_axil_desc_bresp),
      .s_axil_bvalid (s_axil_desc_bvalid),
      .s_axil_bready (s_axil_desc_bready),
      .s_axil_araddr (s_axil_desc_araddr),
      .s_axil_arprot (s_axil_desc_arprot),
      .s_axil_arvalid(s_axil_desc_arvalid),
      .s_axil_arready(s_axil_desc_arready),
      .s_axil_rdata  (s_axil_desc_rdata),
      .s_axil_rresp  (s_axil_desc_rresp),
      .s_axil_rvalid (s_axil_desc_rvalid),
      .s_axil_rready (s_axil_desc_rready),
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
      .s_axil_awaddr (s_axil_resp_awaddr),
      .s_axil_awprot (s_axil_resp_awprot),
      .s_axil_awvalid(s_axil_resp_awvalid),
      .s_axil_awready(s_axil_resp_awready),
      .s_axil_wdata  (s_axil_resp_wdata),
      .s_axil_wstrb  (s_axil_resp_wstrb),
      .s_axil_wvalid (s_axil_resp_wvalid),
      .s_axil_wready (s_axil_resp_wready),
      .s_axil_bresp  (s_axil_resp_bresp),
      .s_axil_bvalid (s_axil_resp_bvalid),
      .s_axil_bready (s_axil_resp_bready),
      .s_axil_araddr (s_axil_resp_araddr),
      .s_axil_arprot (s_axil_resp_arprot),
      .s_axil_arvalid(s_axil_resp_arvalid),
      .s_axil_arready(s_axil_resp_arready),
      .s_axil_rdata  (s_axil_resp_rdata),
      .s_axil_rresp  (s_axil_resp_rresp),
      .s_axil_rvalid (s_axil_resp_rvalid),
      .s_axil_rready (s_axil_resp_rready),
      .in_valid_i    (resp_valid && IncludeResponse),
      .in_ready_o    (resp_ready),
      .in_i          (resp),
      .level_o       (resp_level)
  );

  // ---------------------------------------------------------------------------------------------
  // Movers; `link` runs between them, from memory to memory
  // ---------------------------------------------------------------------------------------------
  logic [  DataWidth-1:0] link_tdata, in_tdata;
  logic [DataWidth/8-1:0] link_tkeep, in_tkeep;
  logic                   link_tlast, link_tvalid, link_tready;
  logic                   in_tlast, in_tvalid, in_tready;

  if (Mode == 2) begin : g_no_read
    logic unused;

    assign unused = ^{rd_cmd_valid, rd_cmd_addr, rd_cmd_bytes, rd_cmd_eop, rd_sts_ready,
                      mem_arready, mem_rid, mem_rdata, mem_rresp, mem_rlast,
                      mem_rvalid, link_tready};
    assign rd_idle = 1'b1;
    assign rd_stall_o = '0;
    assign rd_cmd_ready = 1'b0;
    assign rd_sts_valid = 1'b0;
    assign rd_sts_bytes = '0;
    assign rd_sts_error = '0;
    assign link_tdata = '0;
    assign link_tkeep = '0;
    assign link_tlast = 1'b0;
    assign link_tvalid = 1'b0;
    assign mem_arid = '0;
    assign mem_araddr = '0;
    assign mem_arlen = '0;
    assign mem_arsize = '0;
    assign mem_arburst = '0;
    assign mem_arlock = '0;
    assign mem_arcache = '0;
    assign mem_arprot = '0;
    assign mem_arvalid = '0;
    assign mem_rready = '0;
  end else begin : g_read
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
        .m_axi_arid(mem_arid),
        .m_axi_araddr(mem_araddr),
        .m_axi_arlen(mem_arlen),
        .m_axi_arsize(mem_arsize),
        .m_axi_arburst(mem_arburst),
        .m_axi_arlock(mem_arlock),
        .m_axi_arcache(mem_arcache),
        .m_axi_arprot(mem_arprot),
        .m_axi_arvalid(mem_arvalid),
        .m_axi_arready(mem_arready),
        .m_axi_rid(mem_rid),
        .m_axi_rdata(mem_rdata),
        .m_axi_rresp(mem_rresp),
        .m_axi_rlast(mem_rlast),
        .m_axi_rvalid(mem_rvalid),
        .m_axi_rready(mem_rready),
        .m_axis_tdata (link_tdata),
        .m_axis_tkeep (link_tkeep),
        .m_axis_tlast (link_tlast),
        .m_axis_tvalid(link_tvalid),
        .m_axis_tready(link_tready)
    );
  end

  if (Mode == 1) begin : g_no_write
    logic unused;

    assign unused = ^{wr_cmd_valid, wr_cmd_addr, wr_cmd_bytes, wr_sts_ready, mem_awready,
                      mem_wready, mem_bid, mem_bresp, mem_bvalid, in_tdata, in_tkeep,
                      in_tlast, in_tvalid};
    assign wr_idle = 1'b1;
    assign wr_stall_o = '0;
    assign wr_cmd_ready = 1'b0;
    assign wr_sts_valid = 1'b0;
    assign wr_sts_bytes = '0;
    assign wr_sts_eop = 1'b0;
    assign wr_sts_error = '0;
    assign in_tready = 1'b0;
    assign mem_awid = '0;
    assign mem_awaddr = '0;
    assign mem_awlen = '0;
    assign mem_awsize = '0;
    assign mem_awburst = '0;
    assign mem_awlock = '0;
    assign mem_awcache = '0;
    assign mem_awprot = '0;
    assign mem_awvalid = '0;
    assign mem_wdata = '0;
    assign mem_wstrb = '0;
    assign mem_wlast = '0;
    assign mem_wvalid = '0;
    assign mem_bready = '0;
  end else begin : g_write
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
        .m_axi_awid(mem_awid),
        .m_axi_awaddr(mem_awaddr),
        .m_axi_awlen(mem_awlen),
        .m_axi_awsize(mem_awsize),
        .m_axi_awburst(mem_awburst),
        .m_axi_awlock(mem_awlock),
        .m_axi_awcache(mem_awcache),
        .m_axi_awprot(mem_awprot),
        .m_axi_awvalid(mem_awvalid),
        .m_axi_awready(mem_awready),
        .m_axi_wdata(mem_wdata),
        .m_axi_wstrb(mem_wstrb),
        .m_axi_wlast(mem_wlast),
        .m_axi_wvalid(mem_wvalid),
        .m_axi_wready(mem_wready),
        .m_axi_bid(mem_bid),
        .m_axi_bresp(mem_bresp),
        .m_axi_bvalid(mem_bvalid),
        .m_axi_bready(mem_bready),
        .s_axis_tdata (in_tdata),
        .s_axis_tkeep (in_tkeep),
        .s_axis_tlast (in_tlast),
        .s_axis_tvalid(in_tvalid),
        .s_axis_tready(in_tready)
    );
  end

  if (Mode == 0) begin : g_link
    logic unused;

    assign unused        = ^{m_axis_tready, s_axis_tdata, s_axis_tkeep, s_axis_tlast,
                             s_axis_tvalid};
    assign in_tdata      = link_tdata;
    assign in_tkeep      = link_tkeep;
    assign in_tlast      = link_tlast;
    assign in_tvalid     = link_tvalid;
    assign link_tready   = in_tready;
    assign m_axis_tdata  = '0;
    assign m_axis_tkeep  = '0;
    assign m_axis_tlast  = 1'b0;
    assign m_axis_tvalid = 1'b0;
    assign s_axis_tready = 1'b0;
  end else begin : g_streams
    logic unused;

    assign unused        = ^{s_axis_tlast};
    assign m_axis_tdata  = link_tdata;
    assign m_axis_tkeep  = link_tkeep;
    assign m_axis_tlast  = link_tlast;
    assign m_axis_tvalid = link_tvalid;
    assign link_tready   = m_axis_tready;
    assign in_tdata      = s_axis_tdata;
    assign in_tkeep      = s_axis_tkeep;
    assign in_tlast      = s_axis_tlast && Packets;
    assign in_tvalid     = s_axis_tvalid;
    assign s_axis_tready = in_tready;
  end

  // ---------------------------------------------------------------------------------------------
  // Memory port
  // ---------------------------------------------------------------------------------------------
  // A stop waits for what has begun, and that may wait for a stream. What memory owes is counted,
  // so that a stop gives up only on memory: nothing moves on the port, and a VALID waits for its
  // READY, or a burst that memory has whole for its answer.
  logic [6:0] rd_owed_q, wr_owed_q;
  logic       ar_take, r_take, aw_take, w_take, b_take, silent;

  assign ar_take = mem_arvalid && mem_arready;
  assign r_take  = mem_rvalid && mem_rready;
  assign aw_take = mem_awvalid && mem_awready;
  assign w_take  = mem_wvalid && mem_wready;
  assign b_take  = mem_bvalid && mem_bready;
  assign silent  = !(ar_take || r_take || aw_take || w_take || b_take) &&
      (mem_arvalid || mem_awvalid || mem_wvalid || rd_owed_q != '0 || wr_owed_q != '0);

  always_ff @(posedge clk_i) begin
    rd_owed_q <= rd_owed_q + 7'(ar_take) - 7'(r_take && mem_rlast);
    wr_owed_q <= wr_owed_q + 7'(w_take && mem_wlast) - 7'(b_take);
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
      .AddrWidth(AddrWidth),
      .DataWidth(DataWidth),
      .IdWidth  (IdWidth),
      .ReadPort (Mode != 2),
      .WritePort(Mode != 1),
      .Guard    (ResetTimeout != 0)
  ) u_port (
      .clk_i,
      .rst_ni,
      .isolate_i    (fault_o),
      .s_axi_awid   (mem_awid),
      .s_axi_awaddr (mem_awaddr),
      .s_axi_awlen  (mem_awlen),
      .s_axi_awsize (mem_awsize),
      .s_axi_awburst(mem_awburst),
      .s_axi_awlock (mem_awlock),
      .s_axi_awcache(mem_awcache),
      .s_axi_awprot (mem_awprot),
      .s_axi_awvalid(mem_awvalid),
      .s_axi_awready(mem_awready),
      .s_axi_wdata  (mem_wdata),
      .s_axi_wstrb  (mem_wstrb),
      .s_axi_wlast  (mem_wlast),
      .s_axi_wvalid (mem_wvalid),
      .s_axi_wready (mem_wready),
      .s_axi_bid    (mem_bid),
      .s_axi_bresp  (mem_bresp),
      .s_axi_bvalid (mem_bvalid),
      .s_axi_bready (mem_bready),
      .s_axi_arid   (mem_arid),
      .s_axi_araddr (mem_araddr),
      .s_axi_arlen  (mem_arlen),
      .s_axi_arsize (mem_arsize),
      .s_axi_arburst(mem_arburst),
      .s_axi_arlock (mem_arlock),
      .s_axi_arcache(mem_arcache),
      .s_axi_arprot (mem_arprot),
      .s_axi_arvalid(mem_arvalid),
      .s_axi_arready(mem_arready),
      .s_axi_rid    (mem_rid),
      .s_axi_rdata  (mem_rdata),
      .s_axi_rresp  (mem_rresp),
      .s_axi_rlast  (mem_rlast),
      .s_axi_rvalid (mem_rvalid),
      .s_axi_rready (mem_rready),
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
      .m_axi_rready
  );

`ifndef SYNTHESIS
  // ---------------------------------------------------------------------------------------------
  // Protocol checkers; that of m_axi is in sl_dma_port. The one of m_axis is in reset with the
  // stream, see stream_rst_no.
  // ---------------------------------------------------------------------------------------------
  logic [2:0][15:0] unused_axil_writes, unused_axil_reads;
  logic [2:0][14:0] unused_axil_violation;
  logic [ 8:0] unused_axis_violation;

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
      .AddrWidth(5),
      .DataWidth(32)
  ) u_check_csr (
      .clk_i,
      .rst_ni,
      .axil_awaddr  (s_axil_csr_awaddr),
      .axil_awprot  (s_axil_csr_awprot),
      .axil_awvalid (s_axil_csr_awvalid),
      .axil_awready (s_axil_csr_awready),
      .axil_wdata   (s_axil_csr_wdata),
      .axil_wstrb   (s_axil_csr_wstrb),
      .axil_wvalid  (s_axil_csr_wvalid),
      .axil_wready  (s_axil_csr_wready),
      .axil_bresp   (s_axil_csr_bresp),
      .axil_bvalid  (s_axil_csr_bvalid),
      .axil_bready  (s_axil_csr_bready),
      .axil_araddr  (s_axil_csr_araddr),
      .axil_arprot  (s_axil_csr_arprot),
      .axil_arvalid (s_axil_csr_arvalid),
      .axil_arready (s_axil_csr_arready),
      .axil_rdata   (s_axil_csr_rdata),
      .axil_rresp   (s_axil_csr_rresp),
      .axil_rvalid  (s_axil_csr_rvalid),
      .axil_rready  (s_axil_csr_rready),
      .wr_outstanding_o(unused_axil_writes[0]),
      .rd_outstanding_o(unused_axil_reads[0]),
      .violation_o     (unused_axil_violation[0])
  );

  sl_axil_check #(
      .AddrWidth(5),
      .DataWidth(32)
  ) u_check_desc (
      .clk_i,
      .rst_ni,
      .axil_awaddr  (s_axil_desc_awaddr),
      .axil_awprot  (s_axil_desc_awprot),
      .axil_awvalid (s_axil_desc_awvalid),
      .axil_awready (s_axil_desc_awready),
      .axil_wdata   (s_axil_desc_wdata),
      .axil_wstrb   (s_axil_desc_wstrb),
      .axil_wvalid  (s_axil_desc_wvalid),
      .axil_wready  (s_axil_desc_wready),
      .axil_bresp   (s_axil_desc_bresp),
      .axil_bvalid  (s_axil_desc_bvalid),
      .axil_bready  (s_axil_desc_bready),
      .axil_araddr  (s_axil_desc_araddr),
      .axil_arprot  (s_axil_desc_arprot),
      .axil_arvalid (s_axil_desc_arvalid),
      .axil_arready (s_axil_desc_arready),
      .axil_rdata   (s_axil_desc_rdata),
      .axil_rresp   (s_axil_desc_rresp),
      .axil_rvalid  (s_axil_desc_rvalid),
      .axil_rready  (s_axil_desc_rready),
      .wr_outstanding_o(unused_axil_writes[1]),
      .rd_outstanding_o(unused_axil_reads[1]),
      .violation_o     (unused_axil_violation[1])
  );

  sl_axil_check #(
      .AddrWidth(3),
      .DataWidth(32)
  ) u_check_resp (
      .clk_i,
      .rst_ni,
      .axil_awaddr  (s_axil_resp_awaddr),
      .axil_awprot  (s_axil_resp_awprot),
      .axil_awvalid (s_axil_resp_awvalid),
      .axil_awready (s_axil_resp_awready),
      .axil_wdata   (s_axil_resp_wdata),
      .axil_wstrb   (s_axil_resp_wstrb),
      .axil_wvalid  (s_axil_resp_wvalid),
      .axil_wready  (s_axil_resp_wready),
      .axil_bresp   (s_axil_resp_bresp),
      .axil_bvalid  (s_axil_resp_bvalid),
      .axil_bready  (s_axil_resp_bready),
      .axil_araddr  (s_axil_resp_araddr),
      .axil_arprot  (s_axil_resp_arprot),
      .axil_arvalid (s_axil_resp_arvalid),
      .axil_arready (s_axil_resp_arready),
      .axil_rdata   (s_axil_resp_rdata),
      .axil_rresp   (s_axil_resp_rresp),
      .axil_rvalid  (s_axil_resp_rvalid),
      .axil_rready  (s_axil_resp_rready),
      .wr_outstanding_o(unused_axil_writes[2]),
      .rd_outstanding_o(unused_axil_reads[2]),
      .violation_o     (unused_axil_violation[2])
  );
`endif
endmodule
