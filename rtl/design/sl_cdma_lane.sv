// SPDX-License-Identifier: Apache-2.0
// One lane of cdma: an AXI CDMA and the AXI3 adapter at its HP port.
//
// Throughput: a beat a cycle, read and written. Reset: `rst_ni`.
// Control map, 64 KiB: +0x0000 AXI CDMA, 4 KiB; DECERR elsewhere. Errors of the port: the CDMA's.
// Parameters: those of sl_axi_cdma, checked there.
// Specification: regs/cdma.rdl (map).
module sl_cdma_lane #(
  parameter int unsigned DataWidth   = 64,    // 32 or 64: what an HP port can be
  parameter int unsigned LenWidth    = 26,    // 8..26
  parameter int unsigned IdWidth     = 6,     // of the HP port; all transfers use ID 0
  parameter int unsigned BufferBeats = 512,   // per direction, power of two
  parameter bit          Unaligned   = 1'b1   // 1: any byte alignment
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

  output logic irq_o,  // level

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

  localparam int unsigned MaxBurst = 16;  // AXI3

  if (DataWidth != 32 && DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  logic [1*16-1:0] axil_awaddr;
  logic [1*3-1:0]  axil_awprot;
  logic [1-1:0]    axil_awvalid;
  logic [1-1:0]    axil_awready;
  logic [1*32-1:0] axil_wdata;
  logic [1*4-1:0]  axil_wstrb;
  logic [1-1:0]    axil_wvalid;
  logic [1-1:0]    axil_wready;
  logic [1*2-1:0]  axil_bresp;
  logic [1-1:0]    axil_bvalid;
  logic [1-1:0]    axil_bready;
  logic [1*16-1:0] axil_araddr;
  logic [1*3-1:0]  axil_arprot;
  logic [1-1:0]    axil_arvalid;
  logic [1-1:0]    axil_arready;
  logic [1*32-1:0] axil_rdata;
  logic [1*2-1:0]  axil_rresp;
  logic [1-1:0]    axil_rvalid;
  logic [1-1:0]    axil_rready;
  logic unused_addr;  // the page decodes the bits it has

  assign unused_addr = ^{axil_awaddr, axil_araddr};

  sl_axil_demux #(
    .NumPorts (1),
    .AddrWidth(16),
    .Base     (16'h0000),
    .Mask     (16'hf000)
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
  // Engine and the step to AXI3
  // ---------------------------------------------------------------------------------------------
  logic                   axi_arid;
  logic [31:0]            axi_araddr;
  logic [7:0]             axi_arlen;
  logic [2:0]             axi_arsize;
  logic [1:0]             axi_arburst;
  logic                   axi_arlock;
  logic [3:0]             axi_arcache;
  logic [2:0]             axi_arprot;
  logic                   axi_arvalid;
  logic                   axi_arready;
  logic                   axi_rid;
  logic [DataWidth-1:0]   axi_rdata;
  logic [1:0]             axi_rresp;
  logic                   axi_rlast;
  logic                   axi_rvalid;
  logic                   axi_rready;
  logic                   axi_awid;
  logic [31:0]            axi_awaddr;
  logic [7:0]             axi_awlen;
  logic [2:0]             axi_awsize;
  logic [1:0]             axi_awburst;
  logic                   axi_awlock;
  logic [3:0]             axi_awcache;
  logic [2:0]             axi_awprot;
  logic                   axi_awvalid;
  logic                   axi_awready;
  logic [DataWidth-1:0]   axi_wdata;
  logic [DataWidth/8-1:0] axi_wstrb;
  logic                   axi_wlast;
  logic                   axi_wvalid;
  logic                   axi_wready;
  logic                   axi_bid;
  logic [1:0]             axi_bresp;
  logic                   axi_bvalid;
  logic                   axi_bready;

  logic [149:0]        unused_sg;
  logic [3:0]          unused_rd_stall, unused_wr_stall;
  logic                unused_fault, unused_done;
  logic [LenWidth-1:0] unused_done_bytes;

  sl_axi_cdma #(
    .AddrWidth  (32),
    .DataWidth  (DataWidth),
    .LenWidth   (LenWidth),
    .IdWidth    (1),
    .MaxBurst   (MaxBurst),
    .BufferBeats(BufferBeats),
    .Unaligned  (Unaligned),
    .IncludeSg  (1'b0),
    .ResetTimeout(0)
  ) u_cdma (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[0*16+:10]),
    .s_axil_awprot (axil_awprot[0*3+:3]),
    .s_axil_awvalid(axil_awvalid[0]),
    .s_axil_awready(axil_awready[0]),
    .s_axil_wdata  (axil_wdata[0*32+:32]),
    .s_axil_wstrb  (axil_wstrb[0*4+:4]),
    .s_axil_wvalid (axil_wvalid[0]),
    .s_axil_wready (axil_wready[0]),
    .s_axil_bresp  (axil_bresp[0*2+:2]),
    .s_axil_bvalid (axil_bvalid[0]),
    .s_axil_bready (axil_bready[0]),
    .s_axil_araddr (axil_araddr[0*16+:10]),
    .s_axil_arprot (axil_arprot[0*3+:3]),
    .s_axil_arvalid(axil_arvalid[0]),
    .s_axil_arready(axil_arready[0]),
    .s_axil_rdata  (axil_rdata[0*32+:32]),
    .s_axil_rresp  (axil_rresp[0*2+:2]),
    .s_axil_rvalid (axil_rvalid[0]),
    .s_axil_rready (axil_rready[0]),
    .irq_o,
    .fault_o     (unused_fault),
    .rd_stall_o  (unused_rd_stall),
    .wr_stall_o  (unused_wr_stall),
    .done_o      (unused_done),
    .done_bytes_o(unused_done_bytes),
    .m_axi_sg_arid(unused_sg[0+:1]),
    .m_axi_sg_araddr(unused_sg[1+:32]),
    .m_axi_sg_arlen(unused_sg[33+:8]),
    .m_axi_sg_arsize(unused_sg[41+:3]),
    .m_axi_sg_arburst(unused_sg[44+:2]),
    .m_axi_sg_arlock(unused_sg[46+:1]),
    .m_axi_sg_arcache(unused_sg[47+:4]),
    .m_axi_sg_arprot(unused_sg[51+:3]),
    .m_axi_sg_arvalid(unused_sg[54+:1]),
    .m_axi_sg_arready('0),
    .m_axi_sg_rid('0),
    .m_axi_sg_rdata('0),
    .m_axi_sg_rresp('0),
    .m_axi_sg_rlast('0),
    .m_axi_sg_rvalid('0),
    .m_axi_sg_rready(unused_sg[55+:1]),
    .m_axi_sg_awid(unused_sg[56+:1]),
    .m_axi_sg_awaddr(unused_sg[57+:32]),
    .m_axi_sg_awlen(unused_sg[89+:8]),
    .m_axi_sg_awsize(unused_sg[97+:3]),
    .m_axi_sg_awburst(unused_sg[100+:2]),
    .m_axi_sg_awlock(unused_sg[102+:1]),
    .m_axi_sg_awcache(unused_sg[103+:4]),
    .m_axi_sg_awprot(unused_sg[107+:3]),
    .m_axi_sg_awvalid(unused_sg[110+:1]),
    .m_axi_sg_awready('0),
    .m_axi_sg_wdata(unused_sg[111+:32]),
    .m_axi_sg_wstrb(unused_sg[143+:4]),
    .m_axi_sg_wlast(unused_sg[147+:1]),
    .m_axi_sg_wvalid(unused_sg[148+:1]),
    .m_axi_sg_wready('0),
    .m_axi_sg_bid('0),
    .m_axi_sg_bresp('0),
    .m_axi_sg_bvalid('0),
    .m_axi_sg_bready(unused_sg[149+:1]),
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
    .m_axi_bready (axi_bready)
  );

  sl_axi3_adapter #(
    .AddrWidth (32),
    .DataWidth (DataWidth),
    .SlvIdWidth(1),
    .MstIdWidth(IdWidth),
    .MaxBurst  (MaxBurst),
    .WriteDepth(16)
  ) u_axi3 (
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
endmodule
