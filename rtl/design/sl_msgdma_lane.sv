// SPDX-License-Identifier: Apache-2.0
// One lane of msgdma: an mSGDMA from memory to memory and the AXI3 adapter at its HP port.
//
// Throughput: a beat a cycle, read and written. Reset: `rst_ni`. Errors of the port: the mSGDMA's.
// Control: three windows, csr (5 address bits), desc (5), resp (3), window n at bits [n*W +: W].
// Parameters: those of sl_msgdma, checked there.
// Specification: regs/msgdma.rdl (map).
module sl_msgdma_lane #(
  parameter int unsigned DataWidth   = 64,    // 32 or 64: what an HP port can be
  parameter int unsigned LenWidth    = 31,    // 10..31
  parameter int unsigned IdWidth     = 6,     // of the HP port; all transfers use ID 0
  parameter int unsigned BufferBeats = 512,   // per direction, power of two
  parameter bit          Unaligned   = 1'b1,  // 1: any byte alignment
  parameter int unsigned ResetTimeout = 1 << 20  // header of sl_msgdma
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [59:0]  s_axil_awaddr,
  input  logic [8:0]   s_axil_awprot,
  input  logic [2:0]   s_axil_awvalid,
  output logic [2:0]   s_axil_awready,
  input  logic [95:0]  s_axil_wdata,
  input  logic [11:0]  s_axil_wstrb,
  input  logic [2:0]   s_axil_wvalid,
  output logic [2:0]   s_axil_wready,
  output logic [5:0]   s_axil_bresp,
  output logic [2:0]   s_axil_bvalid,
  input  logic [2:0]   s_axil_bready,
  input  logic [59:0]  s_axil_araddr,
  input  logic [8:0]   s_axil_arprot,
  input  logic [2:0]   s_axil_arvalid,
  output logic [2:0]   s_axil_arready,
  output logic [95:0]  s_axil_rdata,
  output logic [5:0]   s_axil_rresp,
  output logic [2:0]   s_axil_rvalid,
  input  logic [2:0]   s_axil_rready,

  output logic irq_o,  // level
  output logic fault_o,  // as of sl_msgdma

  output logic [IdWidth-1:0]     m_axi_arid,
  output logic [31:0]            m_axi_araddr,
  output logic [3:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  output logic [1:0]             m_axi_arlock,
  output logic [3:0]             m_axi_arcache,
  output logic [2:0]             m_axi_arprot,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic [IdWidth-1:0]     m_axi_rid,
  input  logic [DataWidth-1:0]   m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready,
  output logic [IdWidth-1:0]     m_axi_awid,
  output logic [31:0]            m_axi_awaddr,
  output logic [3:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic [1:0]             m_axi_awlock,
  output logic [3:0]             m_axi_awcache,
  output logic [2:0]             m_axi_awprot,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [IdWidth-1:0]     m_axi_wid,
  output logic [DataWidth-1:0]   m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [IdWidth-1:0]     m_axi_bid,
  input  logic [1:0]             m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready
);

  localparam int unsigned MaxBurst = 16;  // AXI3

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

  logic [3:0]             unused_rd_stall, unused_wr_stall;
  logic                   unused_done;
  logic [LenWidth-1:0]    unused_done_bytes;
  logic                   unused_addr;
  // No streams
  logic                   unused_stream_rst_n, unused_tlast, unused_tvalid, unused_tready;
  logic [DataWidth-1:0]   unused_tdata;
  logic [DataWidth/8-1:0] unused_tkeep;

  assign unused_addr = ^{s_axil_awaddr, s_axil_araddr};

  sl_msgdma #(
    .Mode        (0),
    .AddrWidth   (32),
    .DataWidth   (DataWidth),
    .LenWidth    (LenWidth),
    .IdWidth     (1),
    .MaxBurst    (MaxBurst),
    .BufferBeats (BufferBeats),
    .Unaligned   (Unaligned),
    .ResetTimeout(ResetTimeout)
  ) u_msgdma (
    .clk_i,
    .rst_ni,
    .s_axil_csr_awaddr  (s_axil_awaddr[0+:5]),
    .s_axil_csr_awprot  (s_axil_awprot[0+:3]),
    .s_axil_csr_awvalid (s_axil_awvalid[0]),
    .s_axil_csr_awready (s_axil_awready[0]),
    .s_axil_csr_wdata   (s_axil_wdata[0+:32]),
    .s_axil_csr_wstrb   (s_axil_wstrb[0+:4]),
    .s_axil_csr_wvalid  (s_axil_wvalid[0]),
    .s_axil_csr_wready  (s_axil_wready[0]),
    .s_axil_csr_bresp   (s_axil_bresp[0+:2]),
    .s_axil_csr_bvalid  (s_axil_bvalid[0]),
    .s_axil_csr_bready  (s_axil_bready[0]),
    .s_axil_csr_araddr  (s_axil_araddr[0+:5]),
    .s_axil_csr_arprot  (s_axil_arprot[0+:3]),
    .s_axil_csr_arvalid (s_axil_arvalid[0]),
    .s_axil_csr_arready (s_axil_arready[0]),
    .s_axil_csr_rdata   (s_axil_rdata[0+:32]),
    .s_axil_csr_rresp   (s_axil_rresp[0+:2]),
    .s_axil_csr_rvalid  (s_axil_rvalid[0]),
    .s_axil_csr_rready  (s_axil_rready[0]),
    .s_axil_desc_awaddr (s_axil_awaddr[20+:5]),
    .s_axil_desc_awprot (s_axil_awprot[3+:3]),
    .s_axil_desc_awvalid(s_axil_awvalid[1]),
    .s_axil_desc_awready(s_axil_awready[1]),
    .s_axil_desc_wdata  (s_axil_wdata[32+:32]),
    .s_axil_desc_wstrb  (s_axil_wstrb[4+:4]),
    .s_axil_desc_wvalid (s_axil_wvalid[1]),
    .s_axil_desc_wready (s_axil_wready[1]),
    .s_axil_desc_bresp  (s_axil_bresp[2+:2]),
    .s_axil_desc_bvalid (s_axil_bvalid[1]),
    .s_axil_desc_bready (s_axil_bready[1]),
    .s_axil_desc_araddr (s_axil_araddr[20+:5]),
    .s_axil_desc_arprot (s_axil_arprot[3+:3]),
    .s_axil_desc_arvalid(s_axil_arvalid[1]),
    .s_axil_desc_arready(s_axil_arready[1]),
    .s_axil_desc_rdata  (s_axil_rdata[32+:32]),
    .s_axil_desc_rresp  (s_axil_rresp[2+:2]),
    .s_axil_desc_rvalid (s_axil_rvalid[1]),
    .s_axil_desc_rready (s_axil_rready[1]),
    .s_axil_resp_awaddr (s_axil_awaddr[40+:3]),
    .s_axil_resp_awprot (s_axil_awprot[6+:3]),
    .s_axil_resp_awvalid(s_axil_awvalid[2]),
    .s_axil_resp_awready(s_axil_awready[2]),
    .s_axil_resp_wdata  (s_axil_wdata[64+:32]),
    .s_axil_resp_wstrb  (s_axil_wstrb[8+:4]),
    .s_axil_resp_wvalid (s_axil_wvalid[2]),
    .s_axil_resp_wready (s_axil_wready[2]),
    .s_axil_resp_bresp  (s_axil_bresp[4+:2]),
    .s_axil_resp_bvalid (s_axil_bvalid[2]),
    .s_axil_resp_bready (s_axil_bready[2]),
    .s_axil_resp_araddr (s_axil_araddr[40+:3]),
    .s_axil_resp_arprot (s_axil_arprot[6+:3]),
    .s_axil_resp_arvalid(s_axil_arvalid[2]),
    .s_axil_resp_arready(s_axil_arready[2]),
    .s_axil_resp_rdata  (s_axil_rdata[64+:32]),
    .s_axil_resp_rresp  (s_axil_rresp[4+:2]),
    .s_axil_resp_rvalid (s_axil_rvalid[2]),
    .s_axil_resp_rready (s_axil_rready[2]),
    .irq_o,
    .stream_rst_no      (unused_stream_rst_n),
    .fault_o,
    .rd_stall_o         (unused_rd_stall),
    .wr_stall_o         (unused_wr_stall),
    .done_o             (unused_done),
    .done_bytes_o       (unused_done_bytes),
    .m_axi_arid      (axi_arid),
    .m_axi_araddr    (axi_araddr),
    .m_axi_arlen     (axi_arlen),
    .m_axi_arsize    (axi_arsize),
    .m_axi_arburst   (axi_arburst),
    .m_axi_arlock    (axi_arlock),
    .m_axi_arcache   (axi_arcache),
    .m_axi_arprot    (axi_arprot),
    .m_axi_arvalid   (axi_arvalid),
    .m_axi_arready   (axi_arready),
    .m_axi_rid       (axi_rid),
    .m_axi_rdata     (axi_rdata),
    .m_axi_rresp     (axi_rresp),
    .m_axi_rlast     (axi_rlast),
    .m_axi_rvalid    (axi_rvalid),
    .m_axi_rready    (axi_rready),
    .m_axi_awid      (axi_awid),
    .m_axi_awaddr    (axi_awaddr),
    .m_axi_awlen     (axi_awlen),
    .m_axi_awsize    (axi_awsize),
    .m_axi_awburst   (axi_awburst),
    .m_axi_awlock    (axi_awlock),
    .m_axi_awcache   (axi_awcache),
    .m_axi_awprot    (axi_awprot),
    .m_axi_awvalid   (axi_awvalid),
    .m_axi_awready   (axi_awready),
    .m_axi_wdata     (axi_wdata),
    .m_axi_wstrb     (axi_wstrb),
    .m_axi_wlast     (axi_wlast),
    .m_axi_wvalid    (axi_wvalid),
    .m_axi_wready    (axi_wready),
    .m_axi_bid       (axi_bid),
    .m_axi_bresp     (axi_bresp),
    .m_axi_bvalid    (axi_bvalid),
    .m_axi_bready    (axi_bready),
    .m_axis_tdata       (unused_tdata),
    .m_axis_tkeep       (unused_tkeep),
    .m_axis_tlast       (unused_tlast),
    .m_axis_tvalid      (unused_tvalid),
    .m_axis_tready      (1'b0),
    .s_axis_tdata       ('0),
    .s_axis_tkeep       ('0),
    .s_axis_tlast       (1'b0),
    .s_axis_tvalid      (1'b0),
    .s_axis_tready      (unused_tready)
  );

  sl_axi3_adapter #(
    .AddrWidth (32),
    .DataWidth (DataWidth),
    .SlvIdWidth(1),
    .MstIdWidth(IdWidth),
    .MaxBurst  (MaxBurst),
    .WriteDepth(16),
    .Check     (1'b0)  // the mSGDMA's port carries a checker
  ) u_axi3 (
    .clk_i,
    .rst_ni,
    .s_axi_arid    (axi_arid),
    .s_axi_araddr  (axi_araddr),
    .s_axi_arlen   (axi_arlen),
    .s_axi_arsize  (axi_arsize),
    .s_axi_arburst (axi_arburst),
    .s_axi_arlock  (axi_arlock),
    .s_axi_arcache (axi_arcache),
    .s_axi_arprot  (axi_arprot),
    .s_axi_arvalid (axi_arvalid),
    .s_axi_arready (axi_arready),
    .s_axi_rid     (axi_rid),
    .s_axi_rdata   (axi_rdata),
    .s_axi_rresp   (axi_rresp),
    .s_axi_rlast   (axi_rlast),
    .s_axi_rvalid  (axi_rvalid),
    .s_axi_rready  (axi_rready),
    .s_axi_awid    (axi_awid),
    .s_axi_awaddr  (axi_awaddr),
    .s_axi_awlen   (axi_awlen),
    .s_axi_awsize  (axi_awsize),
    .s_axi_awburst (axi_awburst),
    .s_axi_awlock  (axi_awlock),
    .s_axi_awcache (axi_awcache),
    .s_axi_awprot  (axi_awprot),
    .s_axi_awvalid (axi_awvalid),
    .s_axi_awready (axi_awready),
    .s_axi_wdata   (axi_wdata),
    .s_axi_wstrb   (axi_wstrb),
    .s_axi_wlast   (axi_wlast),
    .s_axi_wvalid  (axi_wvalid),
    .s_axi_wready  (axi_wready),
    .s_axi_bid     (axi_bid),
    .s_axi_bresp   (axi_bresp),
    .s_axi_bvalid  (axi_bvalid),
    .s_axi_bready  (axi_bready),
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

  if (DataWidth != 32 && DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end
endmodule
