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
module sl_f2s_lane #(
  parameter int unsigned DataWidth   = 64,    // 32, 64, 128 or 256: what an F2S port can be
  parameter int unsigned LenWidth    = 26,    // 10..32
  parameter int unsigned IdWidth     = 8,     // of the F2S port; all transfers use ID 0
  parameter int unsigned BufferBeats = 512,   // per direction, power of two
  parameter int unsigned FifoBeats   = 512,   // of the loop-back FIFO, power of two
  parameter bit          Unaligned   = 1'b0,  // 1: buffers may start at any byte
  parameter int unsigned ResetTimeout = 1 << 20  // header of sl_msgdma
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

  output logic [1:0] irq_o,    // {S2MM, MM2S}, level
  output logic [1:0] fault_o,  // likewise, as of sl_msgdma

  output logic [    IdWidth-1:0] m_axi_arid,
  output logic [           31:0] m_axi_araddr,
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
  output logic [           31:0] m_axi_awaddr,
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
  output logic                   m_axi_bready
);

  localparam int unsigned Pages       = 9;
  localparam int unsigned PageStreams = 0;  // lane control, source, sink
  localparam int unsigned PageMm2s    = 3;  // csr, desc, resp
  localparam int unsigned PageS2mm    = 6;  // csr, desc, resp
  localparam int unsigned MaxBurst    = 16;
  localparam int unsigned KeepWidth   = DataWidth / 8;

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256)
  begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128 or 256, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  logic [Pages*16-1:0] axil_awaddr;
  logic [Pages*3-1:0]  axil_awprot;
  logic [Pages-1:0]    axil_awvalid;
  logic [Pages-1:0]    axil_awready;
  logic [Pages*32-1:0] axil_wdata;
  logic [Pages*4-1:0]  axil_wstrb;
  logic [Pages-1:0]    axil_wvalid;
  logic [Pages-1:0]    axil_wready;
  logic [Pages*2-1:0]  axil_bresp;
  logic [Pages-1:0]    axil_bvalid;
  logic [Pages-1:0]    axil_bready;
  logic [Pages*16-1:0] axil_araddr;
  logic [Pages*3-1:0]  axil_arprot;
  logic [Pages-1:0]    axil_arvalid;
  logic [Pages-1:0]    axil_arready;
  logic [Pages*32-1:0] axil_rdata;
  logic [Pages*2-1:0]  axil_rresp;
  logic [Pages-1:0]    axil_rvalid;
  logic [Pages-1:0]    axil_rready;
  logic unused_addr;  // each page decodes the bits it has

  assign unused_addr = ^{axil_awaddr, axil_araddr};

  sl_axil_demux #(
    .NumPorts (Pages),
    .AddrWidth(16),
    .Base     ({16'h4040, 16'h4020, 16'h4000, 16'h0040, 16'h0020, 16'h0000,
                16'h2000, 16'h1000, 16'h3000}),
    .Mask     ({{2{16'hfff8, {2{16'hffe0}}}}, {3{16'hf000}}})
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
  // Engines
  // ---------------------------------------------------------------------------------------------
  logic [DataWidth-1:0] mm2s_tdata, s2mm_tdata;
  logic [KeepWidth-1:0] mm2s_tkeep, s2mm_tkeep;
  logic mm2s_tlast, s2mm_tlast;
  logic mm2s_tvalid, s2mm_tvalid;
  logic mm2s_tready, s2mm_tready;
  logic mm2s_rst_n, s2mm_rst_n;

  // What the engines have for the direction that they do not go: constant 0.
  logic [IdWidth-1:0] unused_s2mm_arid, unused_mm2s_awid;
  logic [31:0] unused_s2mm_araddr, unused_mm2s_awaddr;
  logic [7:0] unused_s2mm_arlen, unused_mm2s_awlen;
  logic [2:0] unused_s2mm_arsize, unused_s2mm_arprot, unused_mm2s_awsize, unused_mm2s_awprot;
  logic [1:0] unused_s2mm_arburst, unused_mm2s_awburst;
  logic unused_s2mm_arlock, unused_s2mm_arvalid, unused_s2mm_rready, unused_mm2s_awlock,
      unused_mm2s_awvalid, unused_mm2s_wlast, unused_mm2s_wvalid, unused_mm2s_bready,
      unused_s2mm_m_tlast, unused_s2mm_m_tvalid, unused_mm2s_s_tready;
  logic [3:0] unused_s2mm_arcache, unused_mm2s_awcache;
  logic [DataWidth-1:0] unused_mm2s_wdata, unused_s2mm_m_tdata;
  logic [DataWidth/8-1:0] unused_mm2s_wstrb, unused_s2mm_m_tkeep;
  logic [1:0] unused_done;  // without capability block
  logic [1:0][3:0] unused_mm2s_stalls, unused_s2mm_stalls;
  logic [1:0][LenWidth-1:0] unused_done_bytes;
  logic unused;

  assign unused = ^{unused_done, unused_mm2s_stalls, unused_s2mm_stalls,
                    unused_done_bytes, unused_s2mm_arid, unused_mm2s_awid, unused_s2mm_araddr,
                    unused_mm2s_awaddr, unused_s2mm_arlen, unused_mm2s_awlen, unused_s2mm_arsize,
                    unused_s2mm_arprot, unused_mm2s_awsize, unused_mm2s_awprot,
                    unused_s2mm_arburst, unused_mm2s_awburst, unused_s2mm_arlock,
                    unused_s2mm_arvalid, unused_s2mm_rready, unused_mm2s_awlock,
                    unused_mm2s_awvalid, unused_mm2s_wlast, unused_mm2s_wvalid,
                    unused_mm2s_bready, unused_s2mm_m_tlast, unused_s2mm_m_tvalid,
                    unused_mm2s_s_tready, unused_s2mm_arcache, unused_mm2s_awcache,
                    unused_mm2s_wdata, unused_s2mm_m_tdata, unused_mm2s_wstrb,
                    unused_s2mm_m_tkeep};

  sl_msgdma #(
    .Mode       (1),
    .AddrWidth  (32),
    .DataWidth  (DataWidth),
    .LenWidth   (LenWidth),
    .IdWidth    (IdWidth),
    .MaxBurst   (MaxBurst),
    .BufferBeats(BufferBeats),
    .Unaligned  (Unaligned),
    .ResetTimeout(ResetTimeout)
  ) u_mm2s (
    .clk_i,
    .rst_ni,
    .s_axil_csr_awaddr (axil_awaddr[PageMm2s*16+:5]),
    .s_axil_csr_awprot (axil_awprot[PageMm2s*3+:3]),
    .s_axil_csr_awvalid(axil_awvalid[PageMm2s]),
    .s_axil_csr_awready(axil_awready[PageMm2s]),
    .s_axil_csr_wdata  (axil_wdata[PageMm2s*32+:32]),
    .s_axil_csr_wstrb  (axil_wstrb[PageMm2s*4+:4]),
    .s_axil_csr_wvalid (axil_wvalid[PageMm2s]),
    .s_axil_csr_wready (axil_wready[PageMm2s]),
    .s_axil_csr_bresp  (axil_bresp[PageMm2s*2+:2]),
    .s_axil_csr_bvalid (axil_bvalid[PageMm2s]),
    .s_axil_csr_bready (axil_bready[PageMm2s]),
    .s_axil_csr_araddr (axil_araddr[PageMm2s*16+:5]),
    .s_axil_csr_arprot (axil_arprot[PageMm2s*3+:3]),
    .s_axil_csr_arvalid(axil_arvalid[PageMm2s]),
    .s_axil_csr_arready(axil_arready[PageMm2s]),
    .s_axil_csr_rdata  (axil_rdata[PageMm2s*32+:32]),
    .s_axil_csr_rresp  (axil_rresp[PageMm2s*2+:2]),
    .s_axil_csr_rvalid (axil_rvalid[PageMm2s]),
    .s_axil_csr_rready (axil_rready[PageMm2s]),
    .s_axil_desc_awaddr (axil_awaddr[(PageMm2s+1)*16+:5]),
    .s_axil_desc_awprot (axil_awprot[(PageMm2s+1)*3+:3]),
    .s_axil_desc_awvalid(axil_awvalid[(PageMm2s+1)]),
    .s_axil_desc_awready(axil_awready[(PageMm2s+1)]),
    .s_axil_desc_wdata  (axil_wdata[(PageMm2s+1)*32+:32]),
    .s_axil_desc_wstrb  (axil_wstrb[(PageMm2s+1)*4+:4]),
    .s_axil_desc_wvalid (axil_wvalid[(PageMm2s+1)]),
    .s_axil_desc_wready (axil_wready[(PageMm2s+1)]),
    .s_axil_desc_bresp  (axil_bresp[(PageMm2s+1)*2+:2]),
    .s_axil_desc_bvalid (axil_bvalid[(PageMm2s+1)]),
    .s_axil_desc_bready (axil_bready[(PageMm2s+1)]),
    .s_axil_desc_araddr (axil_araddr[(PageMm2s+1)*16+:5]),
    .s_axil_desc_arprot (axil_arprot[(PageMm2s+1)*3+:3]),
    .s_axil_desc_arvalid(axil_arvalid[(PageMm2s+1)]),
    .s_axil_desc_arready(axil_arready[(PageMm2s+1)]),
    .s_axil_desc_rdata  (axil_rdata[(PageMm2s+1)*32+:32]),
    .s_axil_desc_rresp  (axil_rresp[(PageMm2s+1)*2+:2]),
    .s_axil_desc_rvalid (axil_rvalid[(PageMm2s+1)]),
    .s_axil_desc_rready (axil_rready[(PageMm2s+1)]),
    .s_axil_resp_awaddr (axil_awaddr[(PageMm2s+2)*16+:3]),
    .s_axil_resp_awprot (axil_awprot[(PageMm2s+2)*3+:3]),
    .s_axil_resp_awvalid(axil_awvalid[(PageMm2s+2)]),
    .s_axil_resp_awready(axil_awready[(PageMm2s+2)]),
    .s_axil_resp_wdata  (axil_wdata[(PageMm2s+2)*32+:32]),
    .s_axil_resp_wstrb  (axil_wstrb[(PageMm2s+2)*4+:4]),
    .s_axil_resp_wvalid (axil_wvalid[(PageMm2s+2)]),
    .s_axil_resp_wready (axil_wready[(PageMm2s+2)]),
    .s_axil_resp_bresp  (axil_bresp[(PageMm2s+2)*2+:2]),
    .s_axil_resp_bvalid (axil_bvalid[(PageMm2s+2)]),
    .s_axil_resp_bready (axil_bready[(PageMm2s+2)]),
    .s_axil_resp_araddr (axil_araddr[(PageMm2s+2)*16+:3]),
    .s_axil_resp_arprot (axil_arprot[(PageMm2s+2)*3+:3]),
    .s_axil_resp_arvalid(axil_arvalid[(PageMm2s+2)]),
    .s_axil_resp_arready(axil_arready[(PageMm2s+2)]),
    .s_axil_resp_rdata  (axil_rdata[(PageMm2s+2)*32+:32]),
    .s_axil_resp_rresp  (axil_rresp[(PageMm2s+2)*2+:2]),
    .s_axil_resp_rvalid (axil_rvalid[(PageMm2s+2)]),
    .s_axil_resp_rready (axil_rready[(PageMm2s+2)]),
    .irq_o        (irq_o[0]),
    .stream_rst_no(mm2s_rst_n),
    .fault_o      (fault_o[0]),
    .rd_stall_o   (unused_mm2s_stalls[0]),
    .wr_stall_o   (unused_mm2s_stalls[1]),
    .done_o       (unused_done[0]),
    .done_bytes_o (unused_done_bytes[0]),
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
    .m_axi_awid   (unused_mm2s_awid),
    .m_axi_awaddr (unused_mm2s_awaddr),
    .m_axi_awlen  (unused_mm2s_awlen),
    .m_axi_awsize (unused_mm2s_awsize),
    .m_axi_awburst(unused_mm2s_awburst),
    .m_axi_awlock (unused_mm2s_awlock),
    .m_axi_awcache(unused_mm2s_awcache),
    .m_axi_awprot (unused_mm2s_awprot),
    .m_axi_awvalid(unused_mm2s_awvalid),
    .m_axi_awready('0),
    .m_axi_wdata  (unused_mm2s_wdata),
    .m_axi_wstrb  (unused_mm2s_wstrb),
    .m_axi_wlast  (unused_mm2s_wlast),
    .m_axi_wvalid (unused_mm2s_wvalid),
    .m_axi_wready ('0),
    .m_axi_bid    ('0),
    .m_axi_bresp  ('0),
    .m_axi_bvalid ('0),
    .m_axi_bready (unused_mm2s_bready),
    .m_axis_tdata (mm2s_tdata),
    .m_axis_tkeep (mm2s_tkeep),
    .m_axis_tlast (mm2s_tlast),
    .m_axis_tvalid(mm2s_tvalid),
    .m_axis_tready(mm2s_tready),
    .s_axis_tdata ('0),
    .s_axis_tkeep ('0),
    .s_axis_tlast ('0),
    .s_axis_tvalid('0),
    .s_axis_tready(unused_mm2s_s_tready)
  );

  sl_msgdma #(
    .Mode       (2),
    .AddrWidth  (32),
    .DataWidth  (DataWidth),
    .LenWidth   (LenWidth),
    .IdWidth    (IdWidth),
    .MaxBurst   (MaxBurst),
    .BufferBeats(BufferBeats),
    .Packets    (1'b1),
    .Unaligned  (Unaligned),
    .ResetTimeout(ResetTimeout)
  ) u_s2mm (
    .clk_i,
    .rst_ni,
    .s_axil_csr_awaddr (axil_awaddr[PageS2mm*16+:5]),
    .s_axil_csr_awprot (axil_awprot[PageS2mm*3+:3]),
    .s_axil_csr_awvalid(axil_awvalid[PageS2mm]),
    .s_axil_csr_awready(axil_awready[PageS2mm]),
    .s_axil_csr_wdata  (axil_wdata[PageS2mm*32+:32]),
    .s_axil_csr_wstrb  (axil_wstrb[PageS2mm*4+:4]),
    .s_axil_csr_wvalid (axil_wvalid[PageS2mm]),
    .s_axil_csr_wready (axil_wready[PageS2mm]),
    .s_axil_csr_bresp  (axil_bresp[PageS2mm*2+:2]),
    .s_axil_csr_bvalid (axil_bvalid[PageS2mm]),
    .s_axil_csr_bready (axil_bready[PageS2mm]),
    .s_axil_csr_araddr (axil_araddr[PageS2mm*16+:5]),
    .s_axil_csr_arprot (axil_arprot[PageS2mm*3+:3]),
    .s_axil_csr_arvalid(axil_arvalid[PageS2mm]),
    .s_axil_csr_arready(axil_arready[PageS2mm]),
    .s_axil_csr_rdata  (axil_rdata[PageS2mm*32+:32]),
    .s_axil_csr_rresp  (axil_rresp[PageS2mm*2+:2]),
    .s_axil_csr_rvalid (axil_rvalid[PageS2mm]),
    .s_axil_csr_rready (axil_rready[PageS2mm]),
    .s_axil_desc_awaddr (axil_awaddr[(PageS2mm+1)*16+:5]),
    .s_axil_desc_awprot (axil_awprot[(PageS2mm+1)*3+:3]),
    .s_axil_desc_awvalid(axil_awvalid[(PageS2mm+1)]),
    .s_axil_desc_awready(axil_awready[(PageS2mm+1)]),
    .s_axil_desc_wdata  (axil_wdata[(PageS2mm+1)*32+:32]),
    .s_axil_desc_wstrb  (axil_wstrb[(PageS2mm+1)*4+:4]),
    .s_axil_desc_wvalid (axil_wvalid[(PageS2mm+1)]),
    .s_axil_desc_wready (axil_wready[(PageS2mm+1)]),
    .s_axil_desc_bresp  (axil_bresp[(PageS2mm+1)*2+:2]),
    .s_axil_desc_bvalid (axil_bvalid[(PageS2mm+1)]),
    .s_axil_desc_bready (axil_bready[(PageS2mm+1)]),
    .s_axil_desc_araddr (axil_araddr[(PageS2mm+1)*16+:5]),
    .s_axil_desc_arprot (axil_arprot[(PageS2mm+1)*3+:3]),
    .s_axil_desc_arvalid(axil_arvalid[(PageS2mm+1)]),
    .s_axil_desc_arready(axil_arready[(PageS2mm+1)]),
    .s_axil_desc_rdata  (axil_rdata[(PageS2mm+1)*32+:32]),
    .s_axil_desc_rresp  (axil_rresp[(PageS2mm+1)*2+:2]),
    .s_axil_desc_rvalid (axil_rvalid[(PageS2mm+1)]),
    .s_axil_desc_rready (axil_rready[(PageS2mm+1)]),
    .s_axil_resp_awaddr (axil_awaddr[(PageS2mm+2)*16+:3]),
    .s_axil_resp_awprot (axil_awprot[(PageS2mm+2)*3+:3]),
    .s_axil_resp_awvalid(axil_awvalid[(PageS2mm+2)]),
    .s_axil_resp_awready(axil_awready[(PageS2mm+2)]),
    .s_axil_resp_wdata  (axil_wdata[(PageS2mm+2)*32+:32]),
    .s_axil_resp_wstrb  (axil_wstrb[(PageS2mm+2)*4+:4]),
    .s_axil_resp_wvalid (axil_wvalid[(PageS2mm+2)]),
    .s_axil_resp_wready (axil_wready[(PageS2mm+2)]),
    .s_axil_resp_bresp  (axil_bresp[(PageS2mm+2)*2+:2]),
    .s_axil_resp_bvalid (axil_bvalid[(PageS2mm+2)]),
    .s_axil_resp_bready (axil_bready[(PageS2mm+2)]),
    .s_axil_resp_araddr (axil_araddr[(PageS2mm+2)*16+:3]),
    .s_axil_resp_arprot (axil_arprot[(PageS2mm+2)*3+:3]),
    .s_axil_resp_arvalid(axil_arvalid[(PageS2mm+2)]),
    .s_axil_resp_arready(axil_arready[(PageS2mm+2)]),
    .s_axil_resp_rdata  (axil_rdata[(PageS2mm+2)*32+:32]),
    .s_axil_resp_rresp  (axil_rresp[(PageS2mm+2)*2+:2]),
    .s_axil_resp_rvalid (axil_rvalid[(PageS2mm+2)]),
    .s_axil_resp_rready (axil_rready[(PageS2mm+2)]),
    .irq_o        (irq_o[1]),
    .stream_rst_no(s2mm_rst_n),
    .fault_o      (fault_o[1]),
    .rd_stall_o   (unused_s2mm_stalls[0]),
    .wr_stall_o   (unused_s2mm_stalls[1]),
    .done_o       (unused_done[1]),
    .done_bytes_o (unused_done_bytes[1]),
    .m_axi_arid   (unused_s2mm_arid),
    .m_axi_araddr (unused_s2mm_araddr),
    .m_axi_arlen  (unused_s2mm_arlen),
    .m_axi_arsize (unused_s2mm_arsize),
    .m_axi_arburst(unused_s2mm_arburst),
    .m_axi_arlock (unused_s2mm_arlock),
    .m_axi_arcache(unused_s2mm_arcache),
    .m_axi_arprot (unused_s2mm_arprot),
    .m_axi_arvalid(unused_s2mm_arvalid),
    .m_axi_arready('0),
    .m_axi_rid    ('0),
    .m_axi_rdata  ('0),
    .m_axi_rresp  ('0),
    .m_axi_rlast  ('0),
    .m_axi_rvalid ('0),
    .m_axi_rready (unused_s2mm_rready),
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
    .m_axis_tdata (unused_s2mm_m_tdata),
    .m_axis_tkeep (unused_s2mm_m_tkeep),
    .m_axis_tlast (unused_s2mm_m_tlast),
    .m_axis_tvalid(unused_s2mm_m_tvalid),
    .m_axis_tready('0),
    .s_axis_tdata (s2mm_tdata),
    .s_axis_tkeep (s2mm_tkeep),
    .s_axis_tlast (s2mm_tlast),
    .s_axis_tvalid(s2mm_tvalid),
    .s_axis_tready(s2mm_tready)
  );

  // ---------------------------------------------------------------------------------------------
  // Streams
  // ---------------------------------------------------------------------------------------------
  sl_lane_streams #(
    .DataWidth(DataWidth),
    .FifoBeats(FifoBeats)
  ) u_streams (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[PageStreams*16+:3*16]),
    .s_axil_awprot (axil_awprot[PageStreams*3+:3*3]),
    .s_axil_awvalid(axil_awvalid[PageStreams+:3]),
    .s_axil_awready(axil_awready[PageStreams+:3]),
    .s_axil_wdata  (axil_wdata[PageStreams*32+:3*32]),
    .s_axil_wstrb  (axil_wstrb[PageStreams*4+:3*4]),
    .s_axil_wvalid (axil_wvalid[PageStreams+:3]),
    .s_axil_wready (axil_wready[PageStreams+:3]),
    .s_axil_bresp  (axil_bresp[PageStreams*2+:3*2]),
    .s_axil_bvalid (axil_bvalid[PageStreams+:3]),
    .s_axil_bready (axil_bready[PageStreams+:3]),
    .s_axil_araddr (axil_araddr[PageStreams*16+:3*16]),
    .s_axil_arprot (axil_arprot[PageStreams*3+:3*3]),
    .s_axil_arvalid(axil_arvalid[PageStreams+:3]),
    .s_axil_arready(axil_arready[PageStreams+:3]),
    .s_axil_rdata  (axil_rdata[PageStreams*32+:3*32]),
    .s_axil_rresp  (axil_rresp[PageStreams*2+:3*2]),
    .s_axil_rvalid (axil_rvalid[PageStreams+:3]),
    .s_axil_rready (axil_rready[PageStreams+:3]),
    .clear_i      (!mm2s_rst_n || !s2mm_rst_n),
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
