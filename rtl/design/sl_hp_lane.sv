// SPDX-License-Identifier: Apache-2.0
// One lane of hp_stress or dma_loopback: everything behind one HP port. AXI DMA, the streams' ends
// (sl_lane_streams), and the way to the port (sl_hp_port).
//
// Throughput: a beat a cycle each way.
// Reset: `rst_ni`; a soft reset of the DMA empties the loop-back FIFO as well.
// Errors: an unmapped control address answers DECERR; the DMA reports errors of the port.
// Control map, 64 KiB: +0x0000 AXI DMA, +0x3000 lane control; with Streams = 1 also +0x1000 source,
//   +0x2000 sink.
// Parameters: those of sl_axi_dma, checked there; FifoBeats is checked in sl_stream_fifo.
// Specification: regs/hp_stress.rdl (map), regs/sl_hp_lane.rdl (lane control).
module sl_hp_lane #(
  parameter int unsigned DataWidth   = 64,    // 32 or 64: what an HP port can be
  parameter int unsigned LenWidth    = 26,    // 8..26
  parameter int unsigned IdWidth     = 6,     // of the HP port; all transfers use ID 0
  parameter int unsigned BufferBeats = 512,   // per direction, power of two
  parameter int unsigned FifoBeats   = 512,   // of the loop-back FIFO, power of two
  parameter bit          Unaligned   = 1'b0,  // 1: buffers may start at any byte
  parameter bit          IncludeSg   = 1'b0,  // 1: scatter-gather too, descriptors through the port
  parameter bit          Streams     = 1'b1,  // 0: loop-back only, no source and sink
  parameter int unsigned ResetTimeout = 1 << 20  // header of sl_axi_dma
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [15:0] s_axil_awaddr,
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
  input  logic [15:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  output logic [1:0] irq_o,  // {S2MM, MM2S}, level
  output logic       fault_o,  // as of sl_axi_dma

  output logic [    IdWidth-1:0] m_axi_arid,
  output logic [           31:0] m_axi_araddr,
  output logic [            3:0] m_axi_arlen,
  output logic [            2:0] m_axi_arsize,
  output logic [            1:0] m_axi_arburst,
  output logic [            1:0] m_axi_arlock,
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
  output logic [           31:0] m_axi_awaddr,
  output logic [            3:0] m_axi_awlen,
  output logic [            2:0] m_axi_awsize,
  output logic [            1:0] m_axi_awburst,
  output logic [            1:0] m_axi_awlock,
  output logic [            3:0] m_axi_awcache,
  output logic [            2:0] m_axi_awprot,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [    IdWidth-1:0] m_axi_wid,
  output logic [  DataWidth-1:0] m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [    IdWidth-1:0] m_axi_bid,
  input  logic [            1:0] m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready
);

  localparam int unsigned Pages       = Streams ? 4 : 2;
  localparam int unsigned PageDma     = 0;
  localparam int unsigned PageStreams = 1;  // lane control, source, sink
  localparam int unsigned MaxBurst    = 16;  // AXI3
  localparam int unsigned KeepWidth   = DataWidth / 8;

  if (DataWidth != 32 && DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  logic [Pages*16-1:0]       axil_awaddr;
  logic [Pages*3-1:0]        axil_awprot;
  logic [Pages-1:0]          axil_awvalid;
  logic [Pages-1:0]          axil_awready;
  logic [Pages*32-1:0]       axil_wdata;
  logic [Pages*4-1:0]        axil_wstrb;
  logic [Pages-1:0]          axil_wvalid;
  logic [Pages-1:0]          axil_wready;
  logic [Pages*2-1:0]        axil_bresp;
  logic [Pages-1:0]          axil_bvalid;
  logic [Pages-1:0]          axil_bready;
  logic [Pages*16-1:0]       axil_araddr;
  logic [Pages*3-1:0]        axil_arprot;
  logic [Pages-1:0]          axil_arvalid;
  logic [Pages-1:0]          axil_arready;
  logic [Pages*32-1:0]       axil_rdata;
  logic [Pages*2-1:0]        axil_rresp;
  logic [Pages-1:0]          axil_rvalid;
  logic [Pages-1:0]          axil_rready;
  logic unused_addr;  // each page decodes the bits it has

  assign unused_addr = ^{axil_awaddr, axil_araddr};

  sl_axil_demux #(
    .NumPorts (Pages),
    .AddrWidth(16),
    .Base     ((Pages * 16)'({16'h2000, 16'h1000, 16'h3000, 16'h0000})),
    .Mask     ({Pages{16'hf000}})
  ) u_demux (
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
    .m_axil_rready (axil_rready)
  );

  // ---------------------------------------------------------------------------------------------
  // AXI DMA and its port
  // ---------------------------------------------------------------------------------------------
  logic                 axi_arid;
  logic [31:0]          axi_araddr;
  logic [7:0]           axi_arlen;
  logic [2:0]           axi_arsize;
  logic [1:0]           axi_arburst;
  logic                 axi_arlock;
  logic [3:0]           axi_arcache;
  logic [2:0]           axi_arprot;
  logic                 axi_arvalid;
  logic                 axi_arready;
  logic                 axi_rid;
  logic [DataWidth-1:0] axi_rdata;
  logic [1:0]           axi_rresp;
  logic                 axi_rlast;
  logic                 axi_rvalid;
  logic                 axi_rready;
  logic                 axi_awid;
  logic [31:0]          axi_awaddr;
  logic [7:0]           axi_awlen;
  logic [2:0]           axi_awsize;
  logic [1:0]           axi_awburst;
  logic                 axi_awlock;
  logic [3:0]           axi_awcache;
  logic [2:0]           axi_awprot;
  logic                 axi_awvalid;
  logic                 axi_awready;
  logic [DataWidth-1:0] axi_wdata;
  logic [KeepWidth-1:0] axi_wstrb;
  logic                 axi_wlast;
  logic                 axi_wvalid;
  logic                 axi_wready;
  logic                 axi_bid;
  logic [1:0]           axi_bresp;
  logic                 axi_bvalid;
  logic                 axi_bready;

  // Descriptors
  logic                 sg_arid;
  logic [31:0]          sg_araddr;
  logic [7:0]           sg_arlen;
  logic [2:0]           sg_arsize;
  logic [1:0]           sg_arburst;
  logic                 sg_arlock;
  logic [3:0]           sg_arcache;
  logic [2:0]           sg_arprot;
  logic                 sg_arvalid;
  logic                 sg_arready;
  logic                 sg_rid;
  logic [31:0]          sg_rdata;
  logic [1:0]           sg_rresp;
  logic                 sg_rlast;
  logic                 sg_rvalid;
  logic                 sg_rready;
  logic                 sg_awid;
  logic [31:0]          sg_awaddr;
  logic [7:0]           sg_awlen;
  logic [2:0]           sg_awsize;
  logic [1:0]           sg_awburst;
  logic                 sg_awlock;
  logic [3:0]           sg_awcache;
  logic [2:0]           sg_awprot;
  logic                 sg_awvalid;
  logic                 sg_awready;
  logic [31:0]          sg_wdata;
  logic [3:0]           sg_wstrb;
  logic                 sg_wlast;
  logic                 sg_wvalid;
  logic                 sg_wready;
  logic                 sg_bid;
  logic [1:0]           sg_bresp;
  logic                 sg_bvalid;
  logic                 sg_bready;

  logic [DataWidth-1:0] mm2s_tdata, s2mm_tdata;
  logic [KeepWidth-1:0] mm2s_tkeep, s2mm_tkeep;
  logic mm2s_tlast, s2mm_tlast;
  logic mm2s_tvalid, s2mm_tvalid;
  logic mm2s_tready, s2mm_tready;
  logic stream_rst_n;

  logic [3:0] unused_mm2s_stall, unused_s2mm_stall;
  logic       unused_mm2s_done, unused_s2mm_done, unused_mm2s_done_eop, unused_s2mm_done_eop;
  logic [LenWidth-1:0] unused_mm2s_done_bytes, unused_s2mm_done_bytes;

  sl_axi_dma #(
    .AddrWidth  (32),
    .DataWidth  (DataWidth),
    .LenWidth   (LenWidth),
    .IdWidth    (1),
    .MaxBurst   (MaxBurst),
    .BufferBeats(BufferBeats),
    .Unaligned  (Unaligned),
    .IncludeSg  (IncludeSg),
    .IncludeDirect(1'b1),
    .ResetTimeout(ResetTimeout)
  ) u_dma (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[PageDma*16+:10]),
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
    .s_axil_araddr (axil_araddr[PageDma*16+:10]),
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
    .fault_o,
    .mm2s_stall_o(unused_mm2s_stall),
    .mm2s_done_o(unused_mm2s_done),
    .mm2s_done_bytes_o(unused_mm2s_done_bytes),
    .mm2s_done_eop_o(unused_mm2s_done_eop),
    .s2mm_stall_o(unused_s2mm_stall),
    .s2mm_done_o(unused_s2mm_done),
    .s2mm_done_bytes_o(unused_s2mm_done_bytes),
    .s2mm_done_eop_o(unused_s2mm_done_eop),
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
    .m_axi_arid   (axi_arid),
    .m_axi_araddr (axi_araddr),
    .m_axi_arlen  (axi_arlen),
    .m_axi_arsize (axi_arsize),
    .m_axi_arburst(axi_arburst),
    .m_axi_arlock (axi_arlock),
    .m_axi_arcache(axi_arcache),
    .m_axi_arprot (axi_arprot),
    .m_axi_arvalid(axi_arvalid),
    .m_axi_arready(axi_arready),
    .m_axi_rid    (axi_rid),
    .m_axi_rdata  (axi_rdata),
    .m_axi_rresp  (axi_rresp),
    .m_axi_rlast  (axi_rlast),
    .m_axi_rvalid (axi_rvalid),
    .m_axi_rready (axi_rready),
    .m_axi_awid   (axi_awid),
    .m_axi_awaddr (axi_awaddr),
    .m_axi_awlen  (axi_awlen),
    .m_axi_awsize (axi_awsize),
    .m_axi_awburst(axi_awburst),
    .m_axi_awlock (axi_awlock),
    .m_axi_awcache(axi_awcache),
    .m_axi_awprot (axi_awprot),
    .m_axi_awvalid(axi_awvalid),
    .m_axi_awready(axi_awready),
    .m_axi_wdata  (axi_wdata),
    .m_axi_wstrb  (axi_wstrb),
    .m_axi_wlast  (axi_wlast),
    .m_axi_wvalid (axi_wvalid),
    .m_axi_wready (axi_wready),
    .m_axi_bid    (axi_bid),
    .m_axi_bresp  (axi_bresp),
    .m_axi_bvalid (axi_bvalid),
    .m_axi_bready (axi_bready),
    .m_axis_tdata (mm2s_tdata),
    .m_axis_tkeep (mm2s_tkeep),
    .m_axis_tlast (mm2s_tlast),
    .m_axis_tvalid(mm2s_tvalid),
    .m_axis_tready(mm2s_tready),
    .s_axis_tdata (s2mm_tdata),
    .s_axis_tkeep (s2mm_tkeep),
    .s_axis_tlast (s2mm_tlast),
    .s_axis_tvalid(s2mm_tvalid),
    .s_axis_tready(s2mm_tready)
  );

  sl_hp_port #(
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth),
    .MaxBurst (MaxBurst),
    .IncludeSg(IncludeSg)
  ) u_port (
    .clk_i,
    .rst_ni,
    .s_axi_arid   (axi_arid),
    .s_axi_araddr (axi_araddr),
    .s_axi_arlen  (axi_arlen),
    .s_axi_arsize (axi_arsize),
    .s_axi_arburst(axi_arburst),
    .s_axi_arlock (axi_arlock),
    .s_axi_arcache(axi_arcache),
    .s_axi_arprot (axi_arprot),
    .s_axi_arvalid(axi_arvalid),
    .s_axi_arready(axi_arready),
    .s_axi_rid    (axi_rid),
    .s_axi_rdata  (axi_rdata),
    .s_axi_rresp  (axi_rresp),
    .s_axi_rlast  (axi_rlast),
    .s_axi_rvalid (axi_rvalid),
    .s_axi_rready (axi_rready),
    .s_axi_awid   (axi_awid),
    .s_axi_awaddr (axi_awaddr),
    .s_axi_awlen  (axi_awlen),
    .s_axi_awsize (axi_awsize),
    .s_axi_awburst(axi_awburst),
    .s_axi_awlock (axi_awlock),
    .s_axi_awcache(axi_awcache),
    .s_axi_awprot (axi_awprot),
    .s_axi_awvalid(axi_awvalid),
    .s_axi_awready(axi_awready),
    .s_axi_wdata  (axi_wdata),
    .s_axi_wstrb  (axi_wstrb),
    .s_axi_wlast  (axi_wlast),
    .s_axi_wvalid (axi_wvalid),
    .s_axi_wready (axi_wready),
    .s_axi_bid    (axi_bid),
    .s_axi_bresp  (axi_bresp),
    .s_axi_bvalid (axi_bvalid),
    .s_axi_bready (axi_bready),
    .s_axi_sg_arid    (sg_arid),
    .s_axi_sg_araddr  (sg_araddr),
    .s_axi_sg_arlen   (sg_arlen),
    .s_axi_sg_arsize  (sg_arsize),
    .s_axi_sg_arburst (sg_arburst),
    .s_axi_sg_arlock  (sg_arlock),
    .s_axi_sg_arcache (sg_arcache),
    .s_axi_sg_arprot  (sg_arprot),
    .s_axi_sg_arvalid (sg_arvalid),
    .s_axi_sg_arready (sg_arready),
    .s_axi_sg_rid     (sg_rid),
    .s_axi_sg_rdata   (sg_rdata),
    .s_axi_sg_rresp   (sg_rresp),
    .s_axi_sg_rlast   (sg_rlast),
    .s_axi_sg_rvalid  (sg_rvalid),
    .s_axi_sg_rready  (sg_rready),
    .s_axi_sg_awid    (sg_awid),
    .s_axi_sg_awaddr  (sg_awaddr),
    .s_axi_sg_awlen   (sg_awlen),
    .s_axi_sg_awsize  (sg_awsize),
    .s_axi_sg_awburst (sg_awburst),
    .s_axi_sg_awlock  (sg_awlock),
    .s_axi_sg_awcache (sg_awcache),
    .s_axi_sg_awprot  (sg_awprot),
    .s_axi_sg_awvalid (sg_awvalid),
    .s_axi_sg_awready (sg_awready),
    .s_axi_sg_wdata   (sg_wdata),
    .s_axi_sg_wstrb   (sg_wstrb),
    .s_axi_sg_wlast   (sg_wlast),
    .s_axi_sg_wvalid  (sg_wvalid),
    .s_axi_sg_wready  (sg_wready),
    .s_axi_sg_bid     (sg_bid),
    .s_axi_sg_bresp   (sg_bresp),
    .s_axi_sg_bvalid  (sg_bvalid),
    .s_axi_sg_bready  (sg_bready),
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
    .m_axi_wid,
    .m_axi_wdata,
    .m_axi_wstrb,
    .m_axi_wlast,
    .m_axi_wvalid,
    .m_axi_wready,
    .m_axi_bid,
    .m_axi_bresp,
    .m_axi_bvalid,
    .m_axi_bready
  );

  // ---------------------------------------------------------------------------------------------
  // Streams
  // ---------------------------------------------------------------------------------------------
  sl_lane_streams #(
    .DataWidth(DataWidth),
    .FifoBeats(FifoBeats),
    .Streams  (Streams)
  ) u_streams (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[PageStreams*16+:(Pages-1)*16]),
    .s_axil_awprot (axil_awprot[PageStreams*3+:(Pages-1)*3]),
    .s_axil_awvalid(axil_awvalid[PageStreams+:Pages-1]),
    .s_axil_awready(axil_awready[PageStreams+:Pages-1]),
    .s_axil_wdata  (axil_wdata[PageStreams*32+:(Pages-1)*32]),
    .s_axil_wstrb  (axil_wstrb[PageStreams*4+:(Pages-1)*4]),
    .s_axil_wvalid (axil_wvalid[PageStreams+:Pages-1]),
    .s_axil_wready (axil_wready[PageStreams+:Pages-1]),
    .s_axil_bresp  (axil_bresp[PageStreams*2+:(Pages-1)*2]),
    .s_axil_bvalid (axil_bvalid[PageStreams+:Pages-1]),
    .s_axil_bready (axil_bready[PageStreams+:Pages-1]),
    .s_axil_araddr (axil_araddr[PageStreams*16+:(Pages-1)*16]),
    .s_axil_arprot (axil_arprot[PageStreams*3+:(Pages-1)*3]),
    .s_axil_arvalid(axil_arvalid[PageStreams+:Pages-1]),
    .s_axil_arready(axil_arready[PageStreams+:Pages-1]),
    .s_axil_rdata  (axil_rdata[PageStreams*32+:(Pages-1)*32]),
    .s_axil_rresp  (axil_rresp[PageStreams*2+:(Pages-1)*2]),
    .s_axil_rvalid (axil_rvalid[PageStreams+:Pages-1]),
    .s_axil_rready (axil_rready[PageStreams+:Pages-1]),
    .clear_i      (!stream_rst_n),
    .s_axis_tdata (mm2s_tdata),
    .s_axis_tkeep (mm2s_tkeep),
    .s_axis_tlast (mm2s_tlast),
    .s_axis_tvalid(mm2s_tvalid),
    .s_axis_tready(mm2s_tready),
    .m_axis_tdata (s2mm_tdata),
    .m_axis_tkeep (s2mm_tkeep),
    .m_axis_tlast (s2mm_tlast),
    .m_axis_tvalid(s2mm_tvalid),
    .m_axis_tready(s2mm_tready)
  );
endmodule
