// SPDX-License-Identifier: Apache-2.0
// An HP port of a Zynq-7000 for one DMA engine: its memory port and, IncludeSg = 1, its descriptor
// port, whose words travel in beats of the port's width.
//
// Handshake, latency: sl_axi_join, sl_sg_widen, sl_axi3_adapter, all combinational: 0 cycles; with
//   nothing on the descriptor port data passes as if it were not there.
// Ordering: the ID's bit 1 is 0 for data, 1 for descriptors; bit 0 is the engine's. The engine's
//   movers have CutThrough = 0, as sl_axi_join wants it: a burst's data is there with its AW.
// Errors: responses pass. Reset: `rst_ni`.
// Coherent: for the ACP, which takes the lower 3 bits of an ID and needs ARUSER and AWUSER = 5'h1f
//   (UG585, Accelerator Coherency Port): then every access is coherent with the CPUs' caches.
// Parameters: DataWidth 32, 64; the others are checked in sl_axi3_adapter.
// Check: 0 leaves the checker out where the engine's port carries one; with IncludeSg it is there.
module sl_hp_port #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned IdWidth   = 6,    // of the HP port
    parameter int unsigned MaxBurst  = 16,
    parameter bit          IncludeSg = 1'b0,
    parameter bit          Coherent  = 1'b0, // 1: AxCACHE 4'b1111, for the ACP
    parameter bit          Check     = 1'b0
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,

    // Data
    input  logic                     s_axi_arid,
    input  logic [31:0]              s_axi_araddr,
    input  logic [7:0]               s_axi_arlen,
    input  logic [2:0]               s_axi_arsize,
    input  logic [1:0]               s_axi_arburst,
    input  logic                     s_axi_arlock,
    input  logic [3:0]               s_axi_arcache,
    input  logic [2:0]               s_axi_arprot,
    input  logic                     s_axi_arvalid,
    output logic                     s_axi_arready,
    output logic                     s_axi_rid,
    output logic [DataWidth-1:0]     s_axi_rdata,
    output logic [1:0]               s_axi_rresp,
    output logic                     s_axi_rlast,
    output logic                     s_axi_rvalid,
    input  logic                     s_axi_rready,
    input  logic                     s_axi_awid,
    input  logic [31:0]              s_axi_awaddr,
    input  logic [7:0]               s_axi_awlen,
    input  logic [2:0]               s_axi_awsize,
    input  logic [1:0]               s_axi_awburst,
    input  logic                     s_axi_awlock,
    input  logic [3:0]               s_axi_awcache,
    input  logic [2:0]               s_axi_awprot,
    input  logic                     s_axi_awvalid,
    output logic                     s_axi_awready,
    input  logic [DataWidth-1:0]     s_axi_wdata,
    input  logic [DataWidth/8-1:0]   s_axi_wstrb,
    input  logic                     s_axi_wlast,
    input  logic                     s_axi_wvalid,
    output logic                     s_axi_wready,
    output logic                     s_axi_bid,
    output logic [1:0]               s_axi_bresp,
    output logic                     s_axi_bvalid,
    input  logic                     s_axi_bready,

    // Descriptors
    input  logic                     s_axi_sg_arid,
    input  logic [31:0]              s_axi_sg_araddr,
    input  logic [7:0]               s_axi_sg_arlen,
    input  logic [2:0]               s_axi_sg_arsize,
    input  logic [1:0]               s_axi_sg_arburst,
    input  logic                     s_axi_sg_arlock,
    input  logic [3:0]               s_axi_sg_arcache,
    input  logic [2:0]               s_axi_sg_arprot,
    input  logic                     s_axi_sg_arvalid,
    output logic                     s_axi_sg_arready,
    output logic                     s_axi_sg_rid,
    output logic [31:0]              s_axi_sg_rdata,
    output logic [1:0]               s_axi_sg_rresp,
    output logic                     s_axi_sg_rlast,
    output logic                     s_axi_sg_rvalid,
    input  logic                     s_axi_sg_rready,
    input  logic                     s_axi_sg_awid,
    input  logic [31:0]              s_axi_sg_awaddr,
    input  logic [7:0]               s_axi_sg_awlen,
    input  logic [2:0]               s_axi_sg_awsize,
    input  logic [1:0]               s_axi_sg_awburst,
    input  logic                     s_axi_sg_awlock,
    input  logic [3:0]               s_axi_sg_awcache,
    input  logic [2:0]               s_axi_sg_awprot,
    input  logic                     s_axi_sg_awvalid,
    output logic                     s_axi_sg_awready,
    input  logic [31:0]              s_axi_sg_wdata,
    input  logic [3:0]               s_axi_sg_wstrb,
    input  logic                     s_axi_sg_wlast,
    input  logic                     s_axi_sg_wvalid,
    output logic                     s_axi_sg_wready,
    output logic                     s_axi_sg_bid,
    output logic [1:0]               s_axi_sg_bresp,
    output logic                     s_axi_sg_bvalid,
    input  logic                     s_axi_sg_bready,

    // AXI3
    output logic [IdWidth-1:0]       m_axi_arid,
    output logic [31:0]              m_axi_araddr,
    output logic [3:0]               m_axi_arlen,
    output logic [2:0]               m_axi_arsize,
    output logic [1:0]               m_axi_arburst,
    output logic [1:0]               m_axi_arlock,
    output logic [3:0]               m_axi_arcache,
    output logic [2:0]               m_axi_arprot,
    output logic                     m_axi_arvalid,
    input  logic                     m_axi_arready,
    input  logic [IdWidth-1:0]       m_axi_rid,
    input  logic [DataWidth-1:0]     m_axi_rdata,
    input  logic [1:0]               m_axi_rresp,
    input  logic                     m_axi_rlast,
    input  logic                     m_axi_rvalid,
    output logic                     m_axi_rready,
    output logic [IdWidth-1:0]       m_axi_awid,
    output logic [31:0]              m_axi_awaddr,
    output logic [3:0]               m_axi_awlen,
    output logic [2:0]               m_axi_awsize,
    output logic [1:0]               m_axi_awburst,
    output logic [1:0]               m_axi_awlock,
    output logic [3:0]               m_axi_awcache,
    output logic [2:0]               m_axi_awprot,
    output logic                     m_axi_awvalid,
    input  logic                     m_axi_awready,
    output logic [IdWidth-1:0]       m_axi_wid,
    output logic [DataWidth-1:0]     m_axi_wdata,
    output logic [DataWidth/8-1:0]   m_axi_wstrb,
    output logic                     m_axi_wlast,
    output logic                     m_axi_wvalid,
    input  logic                     m_axi_wready,
    input  logic [IdWidth-1:0]       m_axi_bid,
    input  logic [1:0]               m_axi_bresp,
    input  logic                     m_axi_bvalid,
    output logic                     m_axi_bready
);

  if (DataWidth != 32 && DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

  localparam int unsigned JoinIdWidth = IncludeSg ? 2 : 1;

  logic [JoinIdWidth-1:0] axi_arid, axi_rid, axi_awid, axi_bid;
  logic [31:0]            axi_araddr;
  logic [7:0]             axi_arlen;
  logic [2:0]             axi_arsize;
  logic [1:0]             axi_arburst;
  logic                   axi_arlock;
  logic [3:0]             axi_arcache;
  logic [2:0]             axi_arprot;
  logic                   axi_arvalid;
  logic                   axi_arready;
  logic [DataWidth-1:0]   axi_rdata;
  logic [1:0]             axi_rresp;
  logic                   axi_rlast;
  logic                   axi_rvalid;
  logic                   axi_rready;
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
  logic [1:0]             axi_bresp;
  logic                   axi_bvalid;
  logic                   axi_bready;

  if (IncludeSg) begin : gen_sg
    // The descriptor port's signals at the port's width
    logic [7:0]             wide_arlen;
    logic [2:0]             wide_arsize;
    logic [DataWidth-1:0]   wide_rdata;
    logic                   wide_rlast;
    logic                   wide_rvalid;
    logic                   wide_rready;
    logic [2:0]             wide_awsize;
    logic [DataWidth-1:0]   wide_wdata;
    logic [DataWidth/8-1:0] wide_wstrb;

    if (DataWidth == 64) begin : gen_widen
      logic unused_size;

      assign unused_size = ^{s_axi_sg_arsize, s_axi_sg_awsize};

      sl_sg_widen u_widen (
          .clk_i,
          .rst_ni,
          .s_axi_araddr (s_axi_sg_araddr[2:0]),
          .s_axi_arlen  (s_axi_sg_arlen),
          .s_axi_arvalid(s_axi_sg_arvalid),
          .s_axi_rdata  (s_axi_sg_rdata),
          .s_axi_rlast  (s_axi_sg_rlast),
          .s_axi_rvalid (s_axi_sg_rvalid),
          .s_axi_rready (s_axi_sg_rready),
          .s_axi_awaddr (s_axi_sg_awaddr[2:0]),
          .s_axi_awlen  (s_axi_sg_awlen),
          .s_axi_awvalid(s_axi_sg_awvalid),
          .s_axi_wdata  (s_axi_sg_wdata),
          .s_axi_wstrb  (s_axi_sg_wstrb),
          .m_axi_arlen  (wide_arlen),
          .m_axi_arsize (wide_arsize),
          .m_axi_rdata  (wide_rdata),
          .m_axi_rlast  (wide_rlast),
          .m_axi_rvalid (wide_rvalid),
          .m_axi_rready (wide_rready),
          .m_axi_awsize (wide_awsize),
          .m_axi_wdata  (wide_wdata),
          .m_axi_wstrb  (wide_wstrb)
      );
    end else begin : gen_same
      assign wide_arlen      = s_axi_sg_arlen;
      assign wide_arsize     = s_axi_sg_arsize;
      assign s_axi_sg_rdata  = wide_rdata;
      assign s_axi_sg_rlast  = wide_rlast;
      assign s_axi_sg_rvalid = wide_rvalid;
      assign wide_rready     = s_axi_sg_rready;
      assign wide_awsize     = s_axi_sg_awsize;
      assign wide_wdata      = s_axi_sg_wdata;
      assign wide_wstrb      = s_axi_sg_wstrb;
    end

    sl_axi_join #(
        .AddrWidth (32),
        .DataWidth (DataWidth),
        .IdWidth   (1),
        .WriteDepth(16)
    ) u_join (
        .clk_i,
        .rst_ni,
        .s0_axi_arid   (s_axi_arid),
        .s0_axi_araddr (s_axi_araddr),
        .s0_axi_arlen  (s_axi_arlen),
        .s0_axi_arsize (s_axi_arsize),
        .s0_axi_arburst(s_axi_arburst),
        .s0_axi_arlock (s_axi_arlock),
        .s0_axi_arcache(s_axi_arcache),
        .s0_axi_arprot (s_axi_arprot),
        .s0_axi_arvalid(s_axi_arvalid),
        .s0_axi_arready(s_axi_arready),
        .s0_axi_rid    (s_axi_rid),
        .s0_axi_rdata  (s_axi_rdata),
        .s0_axi_rresp  (s_axi_rresp),
        .s0_axi_rlast  (s_axi_rlast),
        .s0_axi_rvalid (s_axi_rvalid),
        .s0_axi_rready (s_axi_rready),
        .s0_axi_awid   (s_axi_awid),
        .s0_axi_awaddr (s_axi_awaddr),
        .s0_axi_awlen  (s_axi_awlen),
        .s0_axi_awsize (s_axi_awsize),
        .s0_axi_awburst(s_axi_awburst),
        .s0_axi_awlock (s_axi_awlock),
        .s0_axi_awcache(s_axi_awcache),
        .s0_axi_awprot (s_axi_awprot),
        .s0_axi_awvalid(s_axi_awvalid),
        .s0_axi_awready(s_axi_awready),
        .s0_axi_wdata  (s_axi_wdata),
        .s0_axi_wstrb  (s_axi_wstrb),
        .s0_axi_wlast  (s_axi_wlast),
        .s0_axi_wvalid (s_axi_wvalid),
        .s0_axi_wready (s_axi_wready),
        .s0_axi_bid    (s_axi_bid),
        .s0_axi_bresp  (s_axi_bresp),
        .s0_axi_bvalid (s_axi_bvalid),
        .s0_axi_bready (s_axi_bready),
        .s1_axi_arid   (s_axi_sg_arid),
        .s1_axi_araddr (s_axi_sg_araddr),
        .s1_axi_arlen  (wide_arlen),
        .s1_axi_arsize (wide_arsize),
        .s1_axi_arburst(s_axi_sg_arburst),
        .s1_axi_arlock (s_axi_sg_arlock),
        .s1_axi_arcache(s_axi_sg_arcache),
        .s1_axi_arprot (s_axi_sg_arprot),
        .s1_axi_arvalid(s_axi_sg_arvalid),
        .s1_axi_arready(s_axi_sg_arready),
        .s1_axi_rid    (s_axi_sg_rid),
        .s1_axi_rdata  (wide_rdata),
        .s1_axi_rresp  (s_axi_sg_rresp),
        .s1_axi_rlast  (wide_rlast),
        .s1_axi_rvalid (wide_rvalid),
        .s1_axi_rready (wide_rready),
        .s1_axi_awid   (s_axi_sg_awid),
        .s1_axi_awaddr (s_axi_sg_awaddr),
        .s1_axi_awlen  (s_axi_sg_awlen),
        .s1_axi_awsize (wide_awsize),
        .s1_axi_awburst(s_axi_sg_awburst),
        .s1_axi_awlock (s_axi_sg_awlock),
        .s1_axi_awcache(s_axi_sg_awcache),
        .s1_axi_awprot (s_axi_sg_awprot),
        .s1_axi_awvalid(s_axi_sg_awvalid),
        .s1_axi_awready(s_axi_sg_awready),
        .s1_axi_wdata  (wide_wdata),
        .s1_axi_wstrb  (wide_wstrb),
        .s1_axi_wlast  (s_axi_sg_wlast),
        .s1_axi_wvalid (s_axi_sg_wvalid),
        .s1_axi_wready (s_axi_sg_wready),
        .s1_axi_bid    (s_axi_sg_bid),
        .s1_axi_bresp  (s_axi_sg_bresp),
        .s1_axi_bvalid (s_axi_sg_bvalid),
        .s1_axi_bready (s_axi_sg_bready),
        .m_axi_arid    (axi_arid),
        .m_axi_araddr  (axi_araddr),
        .m_axi_arlen   (axi_arlen),
        .m_axi_arsize  (axi_arsize),
        .m_axi_arburst (axi_arburst),
        .m_axi_arlock  (axi_arlock),
        .m_axi_arcache (axi_arcache),
        .m_axi_arprot  (axi_arprot),
        .m_axi_arvalid (axi_arvalid),
        .m_axi_arready (axi_arready),
        .m_axi_rid     (axi_rid),
        .m_axi_rdata   (axi_rdata),
        .m_axi_rresp   (axi_rresp),
        .m_axi_rlast   (axi_rlast),
        .m_axi_rvalid  (axi_rvalid),
        .m_axi_rready  (axi_rready),
        .m_axi_awid    (axi_awid),
        .m_axi_awaddr  (axi_awaddr),
        .m_axi_awlen   (axi_awlen),
        .m_axi_awsize  (axi_awsize),
        .m_axi_awburst (axi_awburst),
        .m_axi_awlock  (axi_awlock),
        .m_axi_awcache (axi_awcache),
        .m_axi_awprot  (axi_awprot),
        .m_axi_awvalid (axi_awvalid),
        .m_axi_awready (axi_awready),
        .m_axi_wdata   (axi_wdata),
        .m_axi_wstrb   (axi_wstrb),
        .m_axi_wlast   (axi_wlast),
        .m_axi_wvalid  (axi_wvalid),
        .m_axi_wready  (axi_wready),
        .m_axi_bid     (axi_bid),
        .m_axi_bresp   (axi_bresp),
        .m_axi_bvalid  (axi_bvalid),
        .m_axi_bready  (axi_bready)
    );
  end else begin : gen_data
    logic unused;

    assign unused = ^{s_axi_sg_arid, s_axi_sg_araddr, s_axi_sg_arlen, s_axi_sg_arsize,
                      s_axi_sg_arburst, s_axi_sg_arlock, s_axi_sg_arcache, s_axi_sg_arprot,
                      s_axi_sg_arvalid, s_axi_sg_rready, s_axi_sg_awid, s_axi_sg_awaddr,
                      s_axi_sg_awlen, s_axi_sg_awsize, s_axi_sg_awburst, s_axi_sg_awlock,
                      s_axi_sg_awcache, s_axi_sg_awprot, s_axi_sg_awvalid, s_axi_sg_wdata,
                      s_axi_sg_wstrb, s_axi_sg_wlast, s_axi_sg_wvalid, s_axi_sg_bready};
    assign {s_axi_sg_arready, s_axi_sg_rid, s_axi_sg_rdata, s_axi_sg_rresp, s_axi_sg_rlast,
            s_axi_sg_rvalid, s_axi_sg_awready, s_axi_sg_wready, s_axi_sg_bid, s_axi_sg_bresp,
            s_axi_sg_bvalid} = '0;
    assign axi_arid         = s_axi_arid;
    assign axi_araddr       = s_axi_araddr;
    assign axi_arlen        = s_axi_arlen;
    assign axi_arsize       = s_axi_arsize;
    assign axi_arburst      = s_axi_arburst;
    assign axi_arlock       = s_axi_arlock;
    assign axi_arcache      = s_axi_arcache;
    assign axi_arprot       = s_axi_arprot;
    assign axi_arvalid      = s_axi_arvalid;
    assign s_axi_arready    = axi_arready;
    assign s_axi_rid        = axi_rid;
    assign s_axi_rdata      = axi_rdata;
    assign s_axi_rresp      = axi_rresp;
    assign s_axi_rlast      = axi_rlast;
    assign s_axi_rvalid     = axi_rvalid;
    assign axi_rready       = s_axi_rready;
    assign axi_awid         = s_axi_awid;
    assign axi_awaddr       = s_axi_awaddr;
    assign axi_awlen        = s_axi_awlen;
    assign axi_awsize       = s_axi_awsize;
    assign axi_awburst      = s_axi_awburst;
    assign axi_awlock       = s_axi_awlock;
    assign axi_awcache      = s_axi_awcache;
    assign axi_awprot       = s_axi_awprot;
    assign axi_awvalid      = s_axi_awvalid;
    assign s_axi_awready    = axi_awready;
    assign axi_wdata        = s_axi_wdata;
    assign axi_wstrb        = s_axi_wstrb;
    assign axi_wlast        = s_axi_wlast;
    assign axi_wvalid       = s_axi_wvalid;
    assign s_axi_wready     = axi_wready;
    assign s_axi_bid        = axi_bid;
    assign s_axi_bresp      = axi_bresp;
    assign s_axi_bvalid     = axi_bvalid;
    assign axi_bready       = s_axi_bready;
  end

  sl_axi3_adapter #(
      .AddrWidth (32),
      .DataWidth (DataWidth),
      .SlvIdWidth(JoinIdWidth),
      .MstIdWidth(IdWidth),
      .MaxBurst  (MaxBurst),
      .WriteDepth(16),
      .Check     (Check || IncludeSg)
  ) u_axi3 (
      .clk_i,
      .rst_ni,
      .s_axi_arid    (axi_arid),
      .s_axi_araddr  (axi_araddr),
      .s_axi_arlen   (axi_arlen),
      .s_axi_arsize  (axi_arsize),
      .s_axi_arburst (axi_arburst),
      .s_axi_arlock  (axi_arlock),
      .s_axi_arcache (Coherent ? 4'b1111 : axi_arcache),
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
      .s_axi_awcache (Coherent ? 4'b1111 : axi_awcache),
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

endmodule
