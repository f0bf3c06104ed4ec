// SPDX-License-Identifier: Apache-2.0
// Design capture: a counter source that does not wait, captured to memory without end by the
// cyclic scatter-gather mode of an AXI DMA, with a capability block that counts and places losses.
//
// Stream: sl_stream_source -> sl_stream_dropper -> sl_stream_fifo -> S2MM. A free-running source
//   loses beats only while the FIFO is full.
// Control: AXI4-Lite, 20-bit address, a page of 4 KiB each: engine 0x0000, source 0x1000,
//   capability block 0x4000, design page 0x40000. Every other address answers DECERR.
// Interrupt: irq_o[1] S2MM, level, as in hp_stress; the other is 0.
// Memory: HP0 data (writes only), HP1 descriptors; AXI3, 64 bits, bursts of at most 16 beats.
// Throughput: a beat a cycle; what the engine's header says of descriptors.
// Capability block: one channel, S2MM. BEATS are those of HP0; DROPS the dropper's; FAULTS bit 0
//   is the engine's fault.
// Reset: `rst_ni`, everything. A soft reset of the engine empties the FIFO; source and dropper keep
//   their state.
// Parameters out of range stop elaboration.
// Specification: regs/capture.rdl (whole map); docs/reference/capture.md.
module capture #(
  parameter int unsigned DataWidth   = 64,    // 64
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

  output logic [1:0] irq_o,

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

  localparam int unsigned Pages          = 3;
  localparam int unsigned PageDma        = 0;
  localparam int unsigned PageSource     = 1;
  localparam int unsigned PageCapability = 2;
  localparam int unsigned MaxBurst       = 16;  // AXI3
  localparam int unsigned KeepWidth      = DataWidth / 8;

  if (DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 64, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  logic [Pages*20-1:0]     axil_awaddr;
  logic [Pages*3-1:0]      axil_awprot;
  logic [Pages-1:0]        axil_awvalid;
  logic [Pages-1:0]        axil_awready;
  logic [Pages*32-1:0]     axil_wdata;
  logic [Pages*4-1:0]      axil_wstrb;
  logic [Pages-1:0]        axil_wvalid;
  logic [Pages-1:0]        axil_wready;
  logic [Pages*2-1:0]      axil_bresp;
  logic [Pages-1:0]        axil_bvalid;
  logic [Pages-1:0]        axil_bready;
  logic [Pages*20-1:0]     axil_araddr;
  logic [Pages*3-1:0]      axil_arprot;
  logic [Pages-1:0]        axil_arvalid;
  logic [Pages-1:0]        axil_arready;
  logic [Pages*32-1:0]     axil_rdata;
  logic [Pages*2-1:0]      axil_rresp;
  logic [Pages-1:0]        axil_rvalid;
  logic [Pages-1:0]        axil_rready;
  logic unused_addr;  // each page decodes the bits it has
  logic fault;

  assign unused_addr = ^{axil_awaddr, axil_araddr};

  sl_design_control #(
    .Windows  (Pages),
    .Base     ({20'h04000, 20'h01000, 20'h00000}),
    .Mask     ({Pages{20'hff000}}),
    .Identity ("SLCA"),
    .NumPorts (1),
    .DataWidth(DataWidth),
    .LenWidth (LenWidth),
    .Unaligned(Unaligned)
  ) u_control (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .m_axil_awaddr (axil_awaddr),
    .m_axil_awprot (axil_awprot),
    .m_axil_awvalid(axil_awvalid),
    .m_axil_awready(axil_awready),
    .m_axil_wdata  (axil_wdata),
    .m_axil_wstrb  (axil_wstrb),
    .m_axil_wvalid (axil_wvalid),
    .m_axil_wready (axil_wready),
    .m_axil_bresp  (axil_bresp),
    .m_axil_bvalid (axil_bvalid),
    .m_axil_bready (axil_bready),
    .m_axil_araddr (axil_araddr),
    .m_axil_arprot (axil_arprot),
    .m_axil_arvalid(axil_arvalid),
    .m_axil_arready(axil_arready),
    .m_axil_rdata  (axil_rdata),
    .m_axil_rresp  (axil_rresp),
    .m_axil_rvalid (axil_rvalid),
    .m_axil_rready (axil_rready),
    .faults_i      ({7'd0, fault})
  );

  // ---------------------------------------------------------------------------------------------
  // Engine, and its two ports' steps to AXI3
  // ---------------------------------------------------------------------------------------------
  logic                       axi_arid;
  logic [31:0]                axi_araddr;
  logic [7:0]                 axi_arlen;
  logic [2:0]                 axi_arsize;
  logic [1:0]                 axi_arburst;
  logic                       axi_arlock;
  logic [3:0]                 axi_arcache;
  logic [2:0]                 axi_arprot;
  logic                       axi_arvalid;
  logic                       axi_arready;
  logic                       axi_rid;
  logic [DataWidth-1:0]       axi_rdata;
  logic [1:0]                 axi_rresp;
  logic                       axi_rlast;
  logic                       axi_rvalid;
  logic                       axi_rready;
  logic                       axi_awid;
  logic [31:0]                axi_awaddr;
  logic [7:0]                 axi_awlen;
  logic [2:0]                 axi_awsize;
  logic [1:0]                 axi_awburst;
  logic                       axi_awlock;
  logic [3:0]                 axi_awcache;
  logic [2:0]                 axi_awprot;
  logic                       axi_awvalid;
  logic                       axi_awready;
  logic [DataWidth-1:0]       axi_wdata;
  logic [KeepWidth-1:0]       axi_wstrb;
  logic                       axi_wlast;
  logic                       axi_wvalid;
  logic                       axi_wready;
  logic                       axi_bid;
  logic [1:0]                 axi_bresp;
  logic                       axi_bvalid;
  logic                       axi_bready;

  logic [0:0]                 sg_arid;
  logic [31:0]                sg_araddr;
  logic [7:0]                 sg_arlen;
  logic [2:0]                 sg_arsize;
  logic [1:0]                 sg_arburst;
  logic                       sg_arlock;
  logic [3:0]                 sg_arcache;
  logic [2:0]                 sg_arprot;
  logic                       sg_arvalid;
  logic                       sg_arready;
  logic                       sg_rid;
  logic [31:0]                sg_rdata;
  logic [1:0]                 sg_rresp;
  logic                       sg_rlast;
  logic                       sg_rvalid;
  logic                       sg_rready;
  logic                       sg_awid;
  logic [31:0]                sg_awaddr;
  logic [7:0]                 sg_awlen;
  logic [2:0]                 sg_awsize;
  logic [1:0]                 sg_awburst;
  logic                       sg_awlock;
  logic [3:0]                 sg_awcache;
  logic [2:0]                 sg_awprot;
  logic                       sg_awvalid;
  logic                       sg_awready;
  logic [31:0]                sg_wdata;
  logic [3:0]                 sg_wstrb;
  logic                       sg_wlast;
  logic                       sg_wvalid;
  logic                       sg_wready;
  logic                       sg_bid;
  logic [1:0]                 sg_bresp;
  logic                       sg_bvalid;
  logic                       sg_bready;

  // The descriptor port's signals that differ at 64 bits
  logic [7:0]                 wide_arlen;
  logic [2:0]                 wide_arsize;
  logic [63:0]                wide_rdata;
  logic                       wide_rlast;
  logic                       wide_rvalid;
  logic                       wide_rready;
  logic [2:0]                 wide_awsize;
  logic [63:0]                wide_wdata;
  logic [7:0]                 wide_wstrb;

  logic [DataWidth-1:0] s2mm_tdata;
  logic [KeepWidth-1:0] s2mm_tkeep;
  logic                 s2mm_tlast, s2mm_tvalid, s2mm_tready;
  logic                 stream_rst_n;
  logic [3:0]           s2mm_stall;
  logic                 s2mm_done;
  logic [LenWidth-1:0]  s2mm_done_bytes;
  logic                 unused_s2mm_eop;
  // No MM2S
  logic [3:0]           unused_mm2s_stall;
  logic                 unused_mm2s_done, unused_mm2s_eop;
  logic [LenWidth-1:0]  unused_mm2s_bytes;
  logic [DataWidth-1:0] unused_mm2s_tdata;
  logic [KeepWidth-1:0] unused_mm2s_tkeep;
  logic                 unused_mm2s_tlast, unused_mm2s_tvalid;
  // Said anew at 64 bits
  logic                 unused_sg_size;

  assign unused_sg_size = ^{sg_arsize, sg_awsize};

  sl_axi_dma #(
    .AddrWidth  (32),
    .DataWidth  (DataWidth),
    .LenWidth   (LenWidth),
    .IdWidth    (1),
    .MaxBurst   (MaxBurst),
    .BufferBeats(BufferBeats),
    .Unaligned  (Unaligned),
    .IncludeMm2s(1'b0),
    .IncludeSg  (1'b1),
    .ResetTimeout(ResetTimeout)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[PageDma*20+:10]),
    .s_axil_awprot (axil_awprot[PageDma*3+:3]),
    .s_axil_awvalid(axil_awvalid[PageDma]),
    .s_axil_awready(axil_awready[PageDma]),
    .s_axil_wdata  (axil_wdata[PageDma*32+:32]),
    .s_axil_wstrb  (axil_wstrb[PageDma*4+:4]),
    .s_axil_wvalid (axil_wvalid[PageDma]),
    .s_axil_wready (axil_wready[PageDma]),
    .s_axil_bresp  (axil_bresp[PageDma*2+:2]),
    .s_axil_bvalid (axil_bvalid[PageDma]),
    .s_axil_bready (axil_bready[PageDma]),
    .s_axil_araddr (axil_araddr[PageDma*20+:10]),
    .s_axil_arprot (axil_arprot[PageDma*3+:3]),
    .s_axil_arvalid(axil_arvalid[PageDma]),
    .s_axil_arready(axil_arready[PageDma]),
    .s_axil_rdata  (axil_rdata[PageDma*32+:32]),
    .s_axil_rresp  (axil_rresp[PageDma*2+:2]),
    .s_axil_rvalid (axil_rvalid[PageDma]),
    .s_axil_rready (axil_rready[PageDma]),
    .mm2s_irq_o   (irq_o[0]),
    .s2mm_irq_o   (irq_o[1]),
    .stream_rst_no(stream_rst_n),
    .fault_o      (fault),
    .mm2s_stall_o     (unused_mm2s_stall),
    .mm2s_done_o      (unused_mm2s_done),
    .mm2s_done_bytes_o(unused_mm2s_bytes),
    .mm2s_done_eop_o  (unused_mm2s_eop),
    .s2mm_stall_o     (s2mm_stall),
    .s2mm_done_o      (s2mm_done),
    .s2mm_done_bytes_o(s2mm_done_bytes),
    .s2mm_done_eop_o  (unused_s2mm_eop),
    .m_axi_arid       (axi_arid),
    .m_axi_araddr     (axi_araddr),
    .m_axi_arlen      (axi_arlen),
    .m_axi_arsize     (axi_arsize),
    .m_axi_arburst    (axi_arburst),
    .m_axi_arlock     (axi_arlock),
    .m_axi_arcache    (axi_arcache),
    .m_axi_arprot     (axi_arprot),
    .m_axi_arvalid    (axi_arvalid),
    .m_axi_arready    (axi_arready),
    .m_axi_rid        (axi_rid),
    .m_axi_rdata      (axi_rdata),
    .m_axi_rresp      (axi_rresp),
    .m_axi_rlast      (axi_rlast),
    .m_axi_rvalid     (axi_rvalid),
    .m_axi_rready     (axi_rready),
    .m_axi_awid       (axi_awid),
    .m_axi_awaddr     (axi_awaddr),
    .m_axi_awlen      (axi_awlen),
    .m_axi_awsize     (axi_awsize),
    .m_axi_awburst    (axi_awburst),
    .m_axi_awlock     (axi_awlock),
    .m_axi_awcache    (axi_awcache),
    .m_axi_awprot     (axi_awprot),
    .m_axi_awvalid    (axi_awvalid),
    .m_axi_awready    (axi_awready),
    .m_axi_wdata      (axi_wdata),
    .m_axi_wstrb      (axi_wstrb),
    .m_axi_wlast      (axi_wlast),
    .m_axi_wvalid     (axi_wvalid),
    .m_axi_wready     (axi_wready),
    .m_axi_bid        (axi_bid),
    .m_axi_bresp      (axi_bresp),
    .m_axi_bvalid     (axi_bvalid),
    .m_axi_bready     (axi_bready),
    .m_axi_sg_arid    (sg_arid),
    .m_axi_sg_araddr  (sg_araddr),
    .m_axi_sg_arlen   (sg_arlen),
    .m_axi_sg_arsize  (sg_arsize),
    .m_axi_sg_arburst (sg_arburst),
    .m_axi_sg_arlock  (sg_arlock),
    .m_axi_sg_arcache (sg_arcache),
    .m_axi_sg_arprot  (sg_arprot),
    .m_axi_sg_arvalid (sg_arvalid),
    .m_axi_sg_arready (sg_arready),
    .m_axi_sg_rid     (sg_rid),
    .m_axi_sg_rdata   (sg_rdata),
    .m_axi_sg_rresp   (sg_rresp),
    .m_axi_sg_rlast   (sg_rlast),
    .m_axi_sg_rvalid  (sg_rvalid),
    .m_axi_sg_rready  (sg_rready),
    .m_axi_sg_awid    (sg_awid),
    .m_axi_sg_awaddr  (sg_awaddr),
    .m_axi_sg_awlen   (sg_awlen),
    .m_axi_sg_awsize  (sg_awsize),
    .m_axi_sg_awburst (sg_awburst),
    .m_axi_sg_awlock  (sg_awlock),
    .m_axi_sg_awcache (sg_awcache),
    .m_axi_sg_awprot  (sg_awprot),
    .m_axi_sg_awvalid (sg_awvalid),
    .m_axi_sg_awready (sg_awready),
    .m_axi_sg_wdata   (sg_wdata),
    .m_axi_sg_wstrb   (sg_wstrb),
    .m_axi_sg_wlast   (sg_wlast),
    .m_axi_sg_wvalid  (sg_wvalid),
    .m_axi_sg_wready  (sg_wready),
    .m_axi_sg_bid     (sg_bid),
    .m_axi_sg_bresp   (sg_bresp),
    .m_axi_sg_bvalid  (sg_bvalid),
    .m_axi_sg_bready  (sg_bready),
    .m_axis_tdata (unused_mm2s_tdata),
    .m_axis_tkeep (unused_mm2s_tkeep),
    .m_axis_tlast (unused_mm2s_tlast),
    .m_axis_tvalid(unused_mm2s_tvalid),
    .m_axis_tready(1'b0),
    .s_axis_tdata (s2mm_tdata),
    .s_axis_tkeep (s2mm_tkeep),
    .s_axis_tlast (s2mm_tlast),
    .s_axis_tvalid(s2mm_tvalid),
    .s_axis_tready(s2mm_tready)
  );

  sl_sg_widen u_widen (
    .clk_i,
    .rst_ni,
    .s_axi_araddr  (sg_araddr[2:0]),
    .s_axi_arlen   (sg_arlen),
    .s_axi_arvalid (sg_arvalid),
    .s_axi_rdata   (sg_rdata),
    .s_axi_rlast   (sg_rlast),
    .s_axi_rvalid  (sg_rvalid),
    .s_axi_rready  (sg_rready),
    .s_axi_awaddr  (sg_awaddr[2:0]),
    .s_axi_awlen   (sg_awlen),
    .s_axi_awvalid (sg_awvalid),
    .s_axi_wdata   (sg_wdata),
    .s_axi_wstrb   (sg_wstrb),
    .m_axi_arlen   (wide_arlen),
    .m_axi_arsize  (wide_arsize),
    .m_axi_rdata   (wide_rdata),
    .m_axi_rlast   (wide_rlast),
    .m_axi_rvalid  (wide_rvalid),
    .m_axi_rready  (wide_rready),
    .m_axi_awsize  (wide_awsize),
    .m_axi_wdata   (wide_wdata),
    .m_axi_wstrb   (wide_wstrb)
  );

  sl_axi3_adapter #(
    .AddrWidth (32),
    .DataWidth (DataWidth),
    .SlvIdWidth(1),
    .MstIdWidth(IdWidth),
    .MaxBurst  (MaxBurst),
    .WriteDepth(16)
  ) u_axi3_data (
    .clk_i,
    .rst_ni,
    .s_axi_arid       (axi_arid),
    .s_axi_araddr     (axi_araddr),
    .s_axi_arlen      (axi_arlen),
    .s_axi_arsize     (axi_arsize),
    .s_axi_arburst    (axi_arburst),
    .s_axi_arlock     (axi_arlock),
    .s_axi_arcache    (axi_arcache),
    .s_axi_arprot     (axi_arprot),
    .s_axi_arvalid    (axi_arvalid),
    .s_axi_arready    (axi_arready),
    .s_axi_rid        (axi_rid),
    .s_axi_rdata      (axi_rdata),
    .s_axi_rresp      (axi_rresp),
    .s_axi_rlast      (axi_rlast),
    .s_axi_rvalid     (axi_rvalid),
    .s_axi_rready     (axi_rready),
    .s_axi_awid       (axi_awid),
    .s_axi_awaddr     (axi_awaddr),
    .s_axi_awlen      (axi_awlen),
    .s_axi_awsize     (axi_awsize),
    .s_axi_awburst    (axi_awburst),
    .s_axi_awlock     (axi_awlock),
    .s_axi_awcache    (axi_awcache),
    .s_axi_awprot     (axi_awprot),
    .s_axi_awvalid    (axi_awvalid),
    .s_axi_awready    (axi_awready),
    .s_axi_wdata      (axi_wdata),
    .s_axi_wstrb      (axi_wstrb),
    .s_axi_wlast      (axi_wlast),
    .s_axi_wvalid     (axi_wvalid),
    .s_axi_wready     (axi_wready),
    .s_axi_bid        (axi_bid),
    .s_axi_bresp      (axi_bresp),
    .s_axi_bvalid     (axi_bvalid),
    .s_axi_bready     (axi_bready),
    .m_axi_arid    (m_axi_hp0_arid),
    .m_axi_araddr  (m_axi_hp0_araddr),
    .m_axi_arlen   (m_axi_hp0_arlen),
    .m_axi_arsize  (m_axi_hp0_arsize),
    .m_axi_arburst (m_axi_hp0_arburst),
    .m_axi_arlock  (m_axi_hp0_arlock),
    .m_axi_arcache (m_axi_hp0_arcache),
    .m_axi_arprot  (m_axi_hp0_arprot),
    .m_axi_arvalid (m_axi_hp0_arvalid),
    .m_axi_arready (m_axi_hp0_arready),
    .m_axi_rid     (m_axi_hp0_rid),
    .m_axi_rdata   (m_axi_hp0_rdata),
    .m_axi_rresp   (m_axi_hp0_rresp),
    .m_axi_rlast   (m_axi_hp0_rlast),
    .m_axi_rvalid  (m_axi_hp0_rvalid),
    .m_axi_rready  (m_axi_hp0_rready),
    .m_axi_awid    (m_axi_hp0_awid),
    .m_axi_awaddr  (m_axi_hp0_awaddr),
    .m_axi_awlen   (m_axi_hp0_awlen),
    .m_axi_awsize  (m_axi_hp0_awsize),
    .m_axi_awburst (m_axi_hp0_awburst),
    .m_axi_awlock  (m_axi_hp0_awlock),
    .m_axi_awcache (m_axi_hp0_awcache),
    .m_axi_awprot  (m_axi_hp0_awprot),
    .m_axi_awvalid (m_axi_hp0_awvalid),
    .m_axi_awready (m_axi_hp0_awready),
    .m_axi_wid     (m_axi_hp0_wid),
    .m_axi_wdata   (m_axi_hp0_wdata),
    .m_axi_wstrb   (m_axi_hp0_wstrb),
    .m_axi_wlast   (m_axi_hp0_wlast),
    .m_axi_wvalid  (m_axi_hp0_wvalid),
    .m_axi_wready  (m_axi_hp0_wready),
    .m_axi_bid     (m_axi_hp0_bid),
    .m_axi_bresp   (m_axi_hp0_bresp),
    .m_axi_bvalid  (m_axi_hp0_bvalid),
    .m_axi_bready  (m_axi_hp0_bready)
  );

  sl_axi3_adapter #(
    .AddrWidth (32),
    .DataWidth (DataWidth),
    .SlvIdWidth(1),
    .MstIdWidth(IdWidth),
    .MaxBurst  (MaxBurst),
    .WriteDepth(16)
  ) u_axi3_descriptors (
    .clk_i,
    .rst_ni,
    .s_axi_arid       (sg_arid),
    .s_axi_araddr     (sg_araddr),
    .s_axi_arlen      (wide_arlen),
    .s_axi_arsize     (wide_arsize),
    .s_axi_arburst    (sg_arburst),
    .s_axi_arlock     (sg_arlock),
    .s_axi_arcache    (sg_arcache),
    .s_axi_arprot     (sg_arprot),
    .s_axi_arvalid    (sg_arvalid),
    .s_axi_arready    (sg_arready),
    .s_axi_rid        (sg_rid),
    .s_axi_rdata      (wide_rdata),
    .s_axi_rresp      (sg_rresp),
    .s_axi_rlast      (wide_rlast),
    .s_axi_rvalid     (wide_rvalid),
    .s_axi_rready     (wide_rready),
    .s_axi_awid       (sg_awid),
    .s_axi_awaddr     (sg_awaddr),
    .s_axi_awlen      (sg_awlen),
    .s_axi_awsize     (wide_awsize),
    .s_axi_awburst    (sg_awburst),
    .s_axi_awlock     (sg_awlock),
    .s_axi_awcache    (sg_awcache),
    .s_axi_awprot     (sg_awprot),
    .s_axi_awvalid    (sg_awvalid),
    .s_axi_awready    (sg_awready),
    .s_axi_wdata      (wide_wdata),
    .s_axi_wstrb      (wide_wstrb),
    .s_axi_wlast      (sg_wlast),
    .s_axi_wvalid     (sg_wvalid),
    .s_axi_wready     (sg_wready),
    .s_axi_bid        (sg_bid),
    .s_axi_bresp      (sg_bresp),
    .s_axi_bvalid     (sg_bvalid),
    .s_axi_bready     (sg_bready),
    .m_axi_arid    (m_axi_hp1_arid),
    .m_axi_araddr  (m_axi_hp1_araddr),
    .m_axi_arlen   (m_axi_hp1_arlen),
    .m_axi_arsize  (m_axi_hp1_arsize),
    .m_axi_arburst (m_axi_hp1_arburst),
    .m_axi_arlock  (m_axi_hp1_arlock),
    .m_axi_arcache (m_axi_hp1_arcache),
    .m_axi_arprot  (m_axi_hp1_arprot),
    .m_axi_arvalid (m_axi_hp1_arvalid),
    .m_axi_arready (m_axi_hp1_arready),
    .m_axi_rid     (m_axi_hp1_rid),
    .m_axi_rdata   (m_axi_hp1_rdata),
    .m_axi_rresp   (m_axi_hp1_rresp),
    .m_axi_rlast   (m_axi_hp1_rlast),
    .m_axi_rvalid  (m_axi_hp1_rvalid),
    .m_axi_rready  (m_axi_hp1_rready),
    .m_axi_awid    (m_axi_hp1_awid),
    .m_axi_awaddr  (m_axi_hp1_awaddr),
    .m_axi_awlen   (m_axi_hp1_awlen),
    .m_axi_awsize  (m_axi_hp1_awsize),
    .m_axi_awburst (m_axi_hp1_awburst),
    .m_axi_awlock  (m_axi_hp1_awlock),
    .m_axi_awcache (m_axi_hp1_awcache),
    .m_axi_awprot  (m_axi_hp1_awprot),
    .m_axi_awvalid (m_axi_hp1_awvalid),
    .m_axi_awready (m_axi_hp1_awready),
    .m_axi_wid     (m_axi_hp1_wid),
    .m_axi_wdata   (m_axi_hp1_wdata),
    .m_axi_wstrb   (m_axi_hp1_wstrb),
    .m_axi_wlast   (m_axi_hp1_wlast),
    .m_axi_wvalid  (m_axi_hp1_wvalid),
    .m_axi_wready  (m_axi_hp1_wready),
    .m_axi_bid     (m_axi_hp1_bid),
    .m_axi_bresp   (m_axi_hp1_bresp),
    .m_axi_bvalid  (m_axi_hp1_bvalid),
    .m_axi_bready  (m_axi_hp1_bready)
  );

  // ---------------------------------------------------------------------------------------------
  // Stream
  // ---------------------------------------------------------------------------------------------
  logic [DataWidth-1:0] source_tdata, dropper_tdata;
  logic [KeepWidth-1:0] source_tkeep, dropper_tkeep;
  logic                 source_tlast, source_tvalid, source_tready;
  logic                 dropper_tlast, dropper_tvalid, dropper_tready;
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
    .s_axil_awaddr (axil_awaddr[PageSource*20+:12]),
    .s_axil_awprot (axil_awprot[PageSource*3+:3]),
    .s_axil_awvalid(axil_awvalid[PageSource]),
    .s_axil_awready(axil_awready[PageSource]),
    .s_axil_wdata  (axil_wdata[PageSource*32+:32]),
    .s_axil_wstrb  (axil_wstrb[PageSource*4+:4]),
    .s_axil_wvalid (axil_wvalid[PageSource]),
    .s_axil_wready (axil_wready[PageSource]),
    .s_axil_bresp  (axil_bresp[PageSource*2+:2]),
    .s_axil_bvalid (axil_bvalid[PageSource]),
    .s_axil_bready (axil_bready[PageSource]),
    .s_axil_araddr (axil_araddr[PageSource*20+:12]),
    .s_axil_arprot (axil_arprot[PageSource*3+:3]),
    .s_axil_arvalid(axil_arvalid[PageSource]),
    .s_axil_arready(axil_arready[PageSource]),
    .s_axil_rdata  (axil_rdata[PageSource*32+:32]),
    .s_axil_rresp  (axil_rresp[PageSource*2+:2]),
    .s_axil_rvalid (axil_rvalid[PageSource]),
    .s_axil_rready (axil_rready[PageSource]),
    .m_axis_tdata  (source_tdata),
    .m_axis_tkeep  (source_tkeep),
    .m_axis_tlast  (source_tlast),
    .m_axis_tvalid (source_tvalid),
    .m_axis_tready (source_tready),
    .free_run_o    (free_run),
    .clear_o       (clear),
    .drop_beats_i  (drop_beats),
    .drop_runs_i   (drop_runs),
    .drop_first_i  (drop_first),
    .drop_packets_i(drop_packets)
  );

  sl_stream_dropper #(
    .DataWidth(DataWidth)
  ) u_dropper (
    .clk_i,
    .rst_ni,
    .drop_i        (free_run),
    .clear_i       (clear),
    .s_axis_tdata  (source_tdata),
    .s_axis_tkeep  (source_tkeep),
    .s_axis_tlast  (source_tlast),
    .s_axis_tvalid (source_tvalid),
    .s_axis_tready (source_tready),
    .m_axis_tdata  (dropper_tdata),
    .m_axis_tkeep  (dropper_tkeep),
    .m_axis_tlast  (dropper_tlast),
    .m_axis_tuser  (unused_gap_mark),
    .m_axis_tvalid (dropper_tvalid),
    .m_axis_tready (dropper_tready),
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
    .clear_i      (!stream_rst_n),
    .s_axis_tdata (dropper_tdata),
    .s_axis_tkeep (dropper_tkeep),
    .s_axis_tlast (dropper_tlast),
    .s_axis_tvalid(dropper_tvalid),
    .s_axis_tready(dropper_tready),
    .m_axis_tdata (s2mm_tdata),
    .m_axis_tkeep (s2mm_tkeep),
    .m_axis_tlast (s2mm_tlast),
    .m_axis_tvalid(s2mm_tvalid),
    .m_axis_tready(s2mm_tready),
    .level_o      (unused_level)
  );

  // ---------------------------------------------------------------------------------------------
  // Capability block
  // ---------------------------------------------------------------------------------------------
  logic beat_q, odd_q, drop;

  // The dropper's counter moves by one at most: its lowest bit tells each dropped beat.
  assign drop = drop_beats[0] != odd_q;

  always_ff @(posedge clk_i) begin
    beat_q <= axi_wvalid && axi_wready;  // in step with s2mm_stall
    odd_q  <= drop_beats[0] && !clear;
    if (!rst_ni) begin
      beat_q <= 1'b0;
      odd_q  <= 1'b0;
    end
  end

  sl_capability #(
    .NumChannels(1),
    .LenWidth   (LenWidth),
    .Snapshots  (Snapshots),
    .ClockHz    (ClockHz),
    .DataWidth  (DataWidth),
    .AddrWidth  (32),
    .BufferBeats(BufferBeats),
    .HasSg      (1'b1),
    .HasCyclic  (1'b1),
    .Unaligned  (Unaligned)
  ) u_capability (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[PageCapability*20+:12]),
    .s_axil_awprot (axil_awprot[PageCapability*3+:3]),
    .s_axil_awvalid(axil_awvalid[PageCapability]),
    .s_axil_awready(axil_awready[PageCapability]),
    .s_axil_wdata  (axil_wdata[PageCapability*32+:32]),
    .s_axil_wstrb  (axil_wstrb[PageCapability*4+:4]),
    .s_axil_wvalid (axil_wvalid[PageCapability]),
    .s_axil_wready (axil_wready[PageCapability]),
    .s_axil_bresp  (axil_bresp[PageCapability*2+:2]),
    .s_axil_bvalid (axil_bvalid[PageCapability]),
    .s_axil_bready (axil_bready[PageCapability]),
    .s_axil_araddr (axil_araddr[PageCapability*20+:12]),
    .s_axil_arprot (axil_arprot[PageCapability*3+:3]),
    .s_axil_arvalid(axil_arvalid[PageCapability]),
    .s_axil_arready(axil_arready[PageCapability]),
    .s_axil_rdata  (axil_rdata[PageCapability*32+:32]),
    .s_axil_rresp  (axil_rresp[PageCapability*2+:2]),
    .s_axil_rvalid (axil_rvalid[PageCapability]),
    .s_axil_rready (axil_rready[PageCapability]),
    .fault_i      ({7'd0, fault}),
    .beat_i       (beat_q),
    .stall_i      (s2mm_stall),
    .drop_i       (drop),
    .done_i       (s2mm_done),
    .done_bytes_i (s2mm_done_bytes)
  );
endmodule
