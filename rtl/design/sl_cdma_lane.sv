// SPDX-License-Identifier: Apache-2.0
// One lane of cdma: an AXI CDMA, the way to its HP port (sl_hp_port), and where it is wanted a
// block RAM of its own beside the port (sl_mem_periph).
//
// Memory: at RamBase as many bytes as RamBeats has; all else, and all descriptors, is at the port.
// Throughput: a beat a cycle, read and written. Reset: `rst_ni`. Errors of the port: the CDMA's.
// Control: the CDMA's registers, the lower 10 address bits.
// Parameters: those of sl_axi_cdma, checked there.
// Specification: regs/cdma.rdl (map).
module sl_cdma_lane #(
  parameter int unsigned DataWidth   = 64,    // 32 or 64: what an HP port can be
  parameter int unsigned LenWidth    = 26,    // 8..26
  parameter int unsigned IdWidth     = 6,     // of the HP port
  parameter int unsigned BufferBeats = 512,   // per direction, power of two
  parameter bit          Unaligned   = 1'b1,  // 1: any byte alignment
  parameter bit          IncludeSg   = 1'b1,  // 1: scatter-gather too, descriptors through the port
  parameter bit          Coherent    = 1'b0,  // 1: AxCACHE of the ACP's coherent accesses
  parameter int unsigned RamBeats    = 0,     // 0: no RAM; else a power of two, 4 KiB or more
  parameter logic [31:0] RamBase     = 32'he000_0000,
  parameter int unsigned ResetTimeout = 1 << 20  // header of sl_axi_cdma
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [19:0]  s_axil_awaddr,
  input  logic [2:0]   s_axil_awprot,
  input  logic         s_axil_awvalid,
  output logic         s_axil_awready,
  input  logic [31:0]  s_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  input  logic         s_axil_wvalid,
  output logic         s_axil_wready,
  output logic [1:0]   s_axil_bresp,
  output logic         s_axil_bvalid,
  input  logic         s_axil_bready,
  input  logic [19:0]  s_axil_araddr,
  input  logic [2:0]   s_axil_arprot,
  input  logic         s_axil_arvalid,
  output logic         s_axil_arready,
  output logic [31:0]  s_axil_rdata,
  output logic [1:0]   s_axil_rresp,
  output logic         s_axil_rvalid,
  input  logic         s_axil_rready,

  output logic irq_o,  // level
  output logic fault_o,  // as of sl_axi_cdma

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

  // What is not the RAM's
  logic                   port_arid;
  logic [31:0]            port_araddr;
  logic [7:0]             port_arlen;
  logic [2:0]             port_arsize;
  logic [1:0]             port_arburst;
  logic                   port_arlock;
  logic [3:0]             port_arcache;
  logic [2:0]             port_arprot;
  logic                   port_arvalid;
  logic                   port_arready;
  logic                   port_rid;
  logic [DataWidth-1:0]   port_rdata;
  logic [1:0]             port_rresp;
  logic                   port_rlast;
  logic                   port_rvalid;
  logic                   port_rready;
  logic                   port_awid;
  logic [31:0]            port_awaddr;
  logic [7:0]             port_awlen;
  logic [2:0]             port_awsize;
  logic [1:0]             port_awburst;
  logic                   port_awlock;
  logic [3:0]             port_awcache;
  logic [2:0]             port_awprot;
  logic                   port_awvalid;
  logic                   port_awready;
  logic [DataWidth-1:0]   port_wdata;
  logic [DataWidth/8-1:0] port_wstrb;
  logic                   port_wlast;
  logic                   port_wvalid;
  logic                   port_wready;
  logic                   port_bid;
  logic [1:0]             port_bresp;
  logic                   port_bvalid;
  logic                   port_bready;

  // Descriptors
  logic                   sg_arid;
  logic [31:0]            sg_araddr;
  logic [7:0]             sg_arlen;
  logic [2:0]             sg_arsize;
  logic [1:0]             sg_arburst;
  logic                   sg_arlock;
  logic [3:0]             sg_arcache;
  logic [2:0]             sg_arprot;
  logic                   sg_arvalid;
  logic                   sg_arready;
  logic                   sg_rid;
  logic [31:0]            sg_rdata;
  logic [1:0]             sg_rresp;
  logic                   sg_rlast;
  logic                   sg_rvalid;
  logic                   sg_rready;
  logic                   sg_awid;
  logic [31:0]            sg_awaddr;
  logic [7:0]             sg_awlen;
  logic [2:0]             sg_awsize;
  logic [1:0]             sg_awburst;
  logic                   sg_awlock;
  logic [3:0]             sg_awcache;
  logic [2:0]             sg_awprot;
  logic                   sg_awvalid;
  logic                   sg_awready;
  logic [31:0]            sg_wdata;
  logic [3:0]             sg_wstrb;
  logic                   sg_wlast;
  logic                   sg_wvalid;
  logic                   sg_wready;
  logic                   sg_bid;
  logic [1:0]             sg_bresp;
  logic                   sg_bvalid;
  logic                   sg_bready;

  logic [3:0]          unused_rd_stall, unused_wr_stall;
  logic                unused_done;
  logic [LenWidth-1:0] unused_done_bytes;
  logic                unused_addr;

  assign unused_addr = ^{s_axil_awaddr[19:10], s_axil_araddr[19:10]};

  sl_axi_cdma #(
    .AddrWidth   (32),
    .DataWidth   (DataWidth),
    .LenWidth    (LenWidth),
    .IdWidth     (1),
    .MaxBurst    (MaxBurst),
    .BufferBeats (BufferBeats),
    .Unaligned   (Unaligned),
    .IncludeSg   (IncludeSg),
    .ResetTimeout(ResetTimeout)
  ) u_cdma (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr      (s_axil_awaddr[9:0]),
    .s_axil_awprot      (s_axil_awprot),
    .s_axil_awvalid     (s_axil_awvalid),
    .s_axil_awready     (s_axil_awready),
    .s_axil_wdata       (s_axil_wdata),
    .s_axil_wstrb       (s_axil_wstrb),
    .s_axil_wvalid      (s_axil_wvalid),
    .s_axil_wready      (s_axil_wready),
    .s_axil_bresp       (s_axil_bresp),
    .s_axil_bvalid      (s_axil_bvalid),
    .s_axil_bready      (s_axil_bready),
    .s_axil_araddr      (s_axil_araddr[9:0]),
    .s_axil_arprot      (s_axil_arprot),
    .s_axil_arvalid     (s_axil_arvalid),
    .s_axil_arready     (s_axil_arready),
    .s_axil_rdata       (s_axil_rdata),
    .s_axil_rresp       (s_axil_rresp),
    .s_axil_rvalid      (s_axil_rvalid),
    .s_axil_rready      (s_axil_rready),
    .irq_o,
    .fault_o,
    .rd_stall_o         (unused_rd_stall),
    .wr_stall_o         (unused_wr_stall),
    .done_o             (unused_done),
    .done_bytes_o       (unused_done_bytes),
    .m_axi_sg_arid   (sg_arid),
    .m_axi_sg_araddr (sg_araddr),
    .m_axi_sg_arlen  (sg_arlen),
    .m_axi_sg_arsize (sg_arsize),
    .m_axi_sg_arburst(sg_arburst),
    .m_axi_sg_arlock (sg_arlock),
    .m_axi_sg_arcache(sg_arcache),
    .m_axi_sg_arprot (sg_arprot),
    .m_axi_sg_arvalid(sg_arvalid),
    .m_axi_sg_arready(sg_arready),
    .m_axi_sg_rid    (sg_rid),
    .m_axi_sg_rdata  (sg_rdata),
    .m_axi_sg_rresp  (sg_rresp),
    .m_axi_sg_rlast  (sg_rlast),
    .m_axi_sg_rvalid (sg_rvalid),
    .m_axi_sg_rready (sg_rready),
    .m_axi_sg_awid   (sg_awid),
    .m_axi_sg_awaddr (sg_awaddr),
    .m_axi_sg_awlen  (sg_awlen),
    .m_axi_sg_awsize (sg_awsize),
    .m_axi_sg_awburst(sg_awburst),
    .m_axi_sg_awlock (sg_awlock),
    .m_axi_sg_awcache(sg_awcache),
    .m_axi_sg_awprot (sg_awprot),
    .m_axi_sg_awvalid(sg_awvalid),
    .m_axi_sg_awready(sg_awready),
    .m_axi_sg_wdata  (sg_wdata),
    .m_axi_sg_wstrb  (sg_wstrb),
    .m_axi_sg_wlast  (sg_wlast),
    .m_axi_sg_wvalid (sg_wvalid),
    .m_axi_sg_wready (sg_wready),
    .m_axi_sg_bid    (sg_bid),
    .m_axi_sg_bresp  (sg_bresp),
    .m_axi_sg_bvalid (sg_bvalid),
    .m_axi_sg_bready (sg_bready),
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
    .m_axi_bready    (axi_bready)
  );

  if (RamBeats != 0) begin : g_ram
    logic                   ram_arid;
    logic [31:0]            ram_araddr;
    logic [7:0]             ram_arlen;
    logic [2:0]             ram_arsize;
    logic [1:0]             ram_arburst;
    logic                   ram_arlock;
    logic [3:0]             ram_arcache;
    logic [2:0]             ram_arprot;
    logic                   ram_arvalid;
    logic                   ram_arready;
    logic                   ram_rid;
    logic [DataWidth-1:0]   ram_rdata;
    logic [1:0]             ram_rresp;
    logic                   ram_rlast;
    logic                   ram_rvalid;
    logic                   ram_rready;
    logic                   ram_awid;
    logic [31:0]            ram_awaddr;
    logic [7:0]             ram_awlen;
    logic [2:0]             ram_awsize;
    logic [1:0]             ram_awburst;
    logic                   ram_awlock;
    logic [3:0]             ram_awcache;
    logic [2:0]             ram_awprot;
    logic                   ram_awvalid;
    logic                   ram_awready;
    logic [DataWidth-1:0]   ram_wdata;
    logic [DataWidth/8-1:0] ram_wstrb;
    logic                   ram_wlast;
    logic                   ram_wvalid;
    logic                   ram_wready;
    logic                   ram_bid;
    logic [1:0]             ram_bresp;
    logic                   ram_bvalid;
    logic                   ram_bready;

    logic                   unused_ram_addr;

    assign unused_ram_addr = ^{ram_araddr, ram_awaddr};

    // No accelerator
    logic                          unused_busy, unused_tlast, unused_tvalid, unused_tready;
    logic [$clog2(RamBeats):0]     unused_count;
    logic [DataWidth-1:0]          unused_tdata;
    logic [DataWidth/8-1:0]        unused_tkeep;

    sl_axi_split #(
      .AddrWidth (32),
      .DataWidth (DataWidth),
      .IdWidth   (1),
      .WindowBits($clog2(RamBeats * DataWidth / 8)),
      .Base      (RamBase)
    ) u_split (
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
      .m0_axi_arid   (port_arid),
      .m0_axi_araddr (port_araddr),
      .m0_axi_arlen  (port_arlen),
      .m0_axi_arsize (port_arsize),
      .m0_axi_arburst(port_arburst),
      .m0_axi_arlock (port_arlock),
      .m0_axi_arcache(port_arcache),
      .m0_axi_arprot (port_arprot),
      .m0_axi_arvalid(port_arvalid),
      .m0_axi_arready(port_arready),
      .m0_axi_rid    (port_rid),
      .m0_axi_rdata  (port_rdata),
      .m0_axi_rresp  (port_rresp),
      .m0_axi_rlast  (port_rlast),
      .m0_axi_rvalid (port_rvalid),
      .m0_axi_rready (port_rready),
      .m0_axi_awid   (port_awid),
      .m0_axi_awaddr (port_awaddr),
      .m0_axi_awlen  (port_awlen),
      .m0_axi_awsize (port_awsize),
      .m0_axi_awburst(port_awburst),
      .m0_axi_awlock (port_awlock),
      .m0_axi_awcache(port_awcache),
      .m0_axi_awprot (port_awprot),
      .m0_axi_awvalid(port_awvalid),
      .m0_axi_awready(port_awready),
      .m0_axi_wdata  (port_wdata),
      .m0_axi_wstrb  (port_wstrb),
      .m0_axi_wlast  (port_wlast),
      .m0_axi_wvalid (port_wvalid),
      .m0_axi_wready (port_wready),
      .m0_axi_bid    (port_bid),
      .m0_axi_bresp  (port_bresp),
      .m0_axi_bvalid (port_bvalid),
      .m0_axi_bready (port_bready),
      .m1_axi_arid   (ram_arid),
      .m1_axi_araddr (ram_araddr),
      .m1_axi_arlen  (ram_arlen),
      .m1_axi_arsize (ram_arsize),
      .m1_axi_arburst(ram_arburst),
      .m1_axi_arlock (ram_arlock),
      .m1_axi_arcache(ram_arcache),
      .m1_axi_arprot (ram_arprot),
      .m1_axi_arvalid(ram_arvalid),
      .m1_axi_arready(ram_arready),
      .m1_axi_rid    (ram_rid),
      .m1_axi_rdata  (ram_rdata),
      .m1_axi_rresp  (ram_rresp),
      .m1_axi_rlast  (ram_rlast),
      .m1_axi_rvalid (ram_rvalid),
      .m1_axi_rready (ram_rready),
      .m1_axi_awid   (ram_awid),
      .m1_axi_awaddr (ram_awaddr),
      .m1_axi_awlen  (ram_awlen),
      .m1_axi_awsize (ram_awsize),
      .m1_axi_awburst(ram_awburst),
      .m1_axi_awlock (ram_awlock),
      .m1_axi_awcache(ram_awcache),
      .m1_axi_awprot (ram_awprot),
      .m1_axi_awvalid(ram_awvalid),
      .m1_axi_awready(ram_awready),
      .m1_axi_wdata  (ram_wdata),
      .m1_axi_wstrb  (ram_wstrb),
      .m1_axi_wlast  (ram_wlast),
      .m1_axi_wvalid (ram_wvalid),
      .m1_axi_wready (ram_wready),
      .m1_axi_bid    (ram_bid),
      .m1_axi_bresp  (ram_bresp),
      .m1_axi_bvalid (ram_bvalid),
      .m1_axi_bready (ram_bready)
    );

    sl_mem_periph #(
      .NumRegions (1),
      .RegionBeats(RamBeats),
      .AddrWidth  (32),
      .DataWidth  (DataWidth),
      .IdWidth    (1)
    ) u_ram (
      .clk_i,
      .rst_ni,
      .s_axi_arid    (ram_arid),
      .s_axi_araddr  (32'(ram_araddr[$clog2(RamBeats*DataWidth/8)-1:0])),
      .s_axi_arlen   (ram_arlen),
      .s_axi_arsize  (ram_arsize),
      .s_axi_arburst (ram_arburst),
      .s_axi_arlock  (ram_arlock),
      .s_axi_arcache (ram_arcache),
      .s_axi_arprot  (ram_arprot),
      .s_axi_arvalid (ram_arvalid),
      .s_axi_arready (ram_arready),
      .s_axi_rid     (ram_rid),
      .s_axi_rdata   (ram_rdata),
      .s_axi_rresp   (ram_rresp),
      .s_axi_rlast   (ram_rlast),
      .s_axi_rvalid  (ram_rvalid),
      .s_axi_rready  (ram_rready),
      .s_axi_awid    (ram_awid),
      .s_axi_awaddr  (32'(ram_awaddr[$clog2(RamBeats*DataWidth/8)-1:0])),
      .s_axi_awlen   (ram_awlen),
      .s_axi_awsize  (ram_awsize),
      .s_axi_awburst (ram_awburst),
      .s_axi_awlock  (ram_awlock),
      .s_axi_awcache (ram_awcache),
      .s_axi_awprot  (ram_awprot),
      .s_axi_awvalid (ram_awvalid),
      .s_axi_awready (ram_awready),
      .s_axi_wdata   (ram_wdata),
      .s_axi_wstrb   (ram_wstrb),
      .s_axi_wlast   (ram_wlast),
      .s_axi_wvalid  (ram_wvalid),
      .s_axi_wready  (ram_wready),
      .s_axi_bid     (ram_bid),
      .s_axi_bresp   (ram_bresp),
      .s_axi_bvalid  (ram_bvalid),
      .s_axi_bready  (ram_bready),
      .start_i       (1'b0),
      .first_i       ('0),
      .beats_i       ('0),
      .busy_o        (unused_busy),
      .count_o       (unused_count),
      .m_axis_tdata  (unused_tdata),
      .m_axis_tkeep  (unused_tkeep),
      .m_axis_tlast  (unused_tlast),
      .m_axis_tvalid (unused_tvalid),
      .m_axis_tready (1'b0),
      .s_axis_tdata  ('0),
      .s_axis_tkeep  ('0),
      .s_axis_tlast  (1'b0),
      .s_axis_tvalid (1'b0),
      .s_axis_tready (unused_tready)
    );
  end else begin : g_no_ram
    assign port_arid     = axi_arid;
    assign port_araddr   = axi_araddr;
    assign port_arlen    = axi_arlen;
    assign port_arsize   = axi_arsize;
    assign port_arburst  = axi_arburst;
    assign port_arlock   = axi_arlock;
    assign port_arcache  = axi_arcache;
    assign port_arprot   = axi_arprot;
    assign port_arvalid  = axi_arvalid;
    assign axi_arready   = port_arready;
    assign axi_rid       = port_rid;
    assign axi_rdata     = port_rdata;
    assign axi_rresp     = port_rresp;
    assign axi_rlast     = port_rlast;
    assign axi_rvalid    = port_rvalid;
    assign port_rready   = axi_rready;
    assign port_awid     = axi_awid;
    assign port_awaddr   = axi_awaddr;
    assign port_awlen    = axi_awlen;
    assign port_awsize   = axi_awsize;
    assign port_awburst  = axi_awburst;
    assign port_awlock   = axi_awlock;
    assign port_awcache  = axi_awcache;
    assign port_awprot   = axi_awprot;
    assign port_awvalid  = axi_awvalid;
    assign axi_awready   = port_awready;
    assign port_wdata    = axi_wdata;
    assign port_wstrb    = axi_wstrb;
    assign port_wlast    = axi_wlast;
    assign port_wvalid   = axi_wvalid;
    assign axi_wready    = port_wready;
    assign axi_bid       = port_bid;
    assign axi_bresp     = port_bresp;
    assign axi_bvalid    = port_bvalid;
    assign port_bready   = axi_bready;
  end

  sl_hp_port #(
    .DataWidth(DataWidth),
    .IdWidth  (IdWidth),
    .MaxBurst (MaxBurst),
    .IncludeSg(IncludeSg),
    .Coherent (Coherent)
  ) u_port (
    .clk_i,
    .rst_ni,
    .s_axi_arid    (port_arid),
    .s_axi_araddr  (port_araddr),
    .s_axi_arlen   (port_arlen),
    .s_axi_arsize  (port_arsize),
    .s_axi_arburst (port_arburst),
    .s_axi_arlock  (port_arlock),
    .s_axi_arcache (port_arcache),
    .s_axi_arprot  (port_arprot),
    .s_axi_arvalid (port_arvalid),
    .s_axi_arready (port_arready),
    .s_axi_rid     (port_rid),
    .s_axi_rdata   (port_rdata),
    .s_axi_rresp   (port_rresp),
    .s_axi_rlast   (port_rlast),
    .s_axi_rvalid  (port_rvalid),
    .s_axi_rready  (port_rready),
    .s_axi_awid    (port_awid),
    .s_axi_awaddr  (port_awaddr),
    .s_axi_awlen   (port_awlen),
    .s_axi_awsize  (port_awsize),
    .s_axi_awburst (port_awburst),
    .s_axi_awlock  (port_awlock),
    .s_axi_awcache (port_awcache),
    .s_axi_awprot  (port_awprot),
    .s_axi_awvalid (port_awvalid),
    .s_axi_awready (port_awready),
    .s_axi_wdata   (port_wdata),
    .s_axi_wstrb   (port_wstrb),
    .s_axi_wlast   (port_wlast),
    .s_axi_wvalid  (port_wvalid),
    .s_axi_wready  (port_wready),
    .s_axi_bid     (port_bid),
    .s_axi_bresp   (port_bresp),
    .s_axi_bvalid  (port_bvalid),
    .s_axi_bready  (port_bready),
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
endmodule
