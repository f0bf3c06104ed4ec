// SPDX-License-Identifier: Apache-2.0
//
// sl_dma_port: a memory or descriptor port of a DMA engine, s_axi_* to the engine, m_axi_* out:
// with a guard that can cut it off, or, Guard = 0, straight; with the protocol checker of
// simulation.
//
// Handshake, latency, isolation, parameters: sl_axi_guard (RegisterW = 1, ZeroR = 1). Guard = 0 is
// wires; isolate_i is ignored then.

module sl_dma_port #(
    parameter int unsigned AddrWidth      = 32,
    parameter int unsigned DataWidth      = 64,
    parameter int unsigned IdWidth        = 1,
    parameter int unsigned MaxOutstanding = 64,
    parameter int unsigned NumIds         = 1,
    parameter bit          ReadPort       = 1'b1,
    parameter bit          WritePort      = 1'b1,
    parameter bit          Guard          = 1'b1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   isolate_i,

    input  logic [IdWidth-1:0]     s_axi_awid,
    input  logic [AddrWidth-1:0]   s_axi_awaddr,
    input  logic [7:0]             s_axi_awlen,
    input  logic [2:0]             s_axi_awsize,
    input  logic [1:0]             s_axi_awburst,
    input  logic                   s_axi_awlock,
    input  logic [3:0]             s_axi_awcache,
    input  logic [2:0]             s_axi_awprot,
    input  logic                   s_axi_awvalid,
    output logic                   s_axi_awready,
    input  logic [DataWidth-1:0]   s_axi_wdata,
    input  logic [DataWidth/8-1:0] s_axi_wstrb,
    input  logic                   s_axi_wlast,
    input  logic                   s_axi_wvalid,
    output logic                   s_axi_wready,
    output logic [IdWidth-1:0]     s_axi_bid,
    output logic [1:0]             s_axi_bresp,
    output logic                   s_axi_bvalid,
    input  logic                   s_axi_bready,
    input  logic [IdWidth-1:0]     s_axi_arid,
    input  logic [AddrWidth-1:0]   s_axi_araddr,
    input  logic [7:0]             s_axi_arlen,
    input  logic [2:0]             s_axi_arsize,
    input  logic [1:0]             s_axi_arburst,
    input  logic                   s_axi_arlock,
    input  logic [3:0]             s_axi_arcache,
    input  logic [2:0]             s_axi_arprot,
    input  logic                   s_axi_arvalid,
    output logic                   s_axi_arready,
    output logic [IdWidth-1:0]     s_axi_rid,
    output logic [DataWidth-1:0]   s_axi_rdata,
    output logic [1:0]             s_axi_rresp,
    output logic                   s_axi_rlast,
    output logic                   s_axi_rvalid,
    input  logic                   s_axi_rready,

    output logic [IdWidth-1:0]     m_axi_awid,
    output logic [AddrWidth-1:0]   m_axi_awaddr,
    output logic [7:0]             m_axi_awlen,
    output logic [2:0]             m_axi_awsize,
    output logic [1:0]             m_axi_awburst,
    output logic                   m_axi_awlock,
    output logic [3:0]             m_axi_awcache,
    output logic [2:0]             m_axi_awprot,
    output logic                   m_axi_awvalid,
    input  logic                   m_axi_awready,
    output logic [DataWidth-1:0]   m_axi_wdata,
    output logic [DataWidth/8-1:0] m_axi_wstrb,
    output logic                   m_axi_wlast,
    output logic                   m_axi_wvalid,
    input  logic                   m_axi_wready,
    input  logic [IdWidth-1:0]     m_axi_bid,
    input  logic [1:0]             m_axi_bresp,
    input  logic                   m_axi_bvalid,
    output logic                   m_axi_bready,
    output logic [IdWidth-1:0]     m_axi_arid,
    output logic [AddrWidth-1:0]   m_axi_araddr,
    output logic [7:0]             m_axi_arlen,
    output logic [2:0]             m_axi_arsize,
    output logic [1:0]             m_axi_arburst,
    output logic                   m_axi_arlock,
    output logic [3:0]             m_axi_arcache,
    output logic [2:0]             m_axi_arprot,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    input  logic [IdWidth-1:0]     m_axi_rid,
    input  logic [DataWidth-1:0]   m_axi_rdata,
    input  logic [1:0]             m_axi_rresp,
    input  logic                   m_axi_rlast,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready
);

  if (Guard) begin : g_guard
    sl_axi_guard #(
        .AddrWidth     (AddrWidth),
        .DataWidth     (DataWidth),
        .IdWidth       (IdWidth),
        .MaxOutstanding(MaxOutstanding),
        .NumIds        (NumIds),
        .ReadPort      (ReadPort),
        .WritePort     (WritePort),
        .RegisterW     (1'b1),
        .ZeroR         (1'b1)
    ) u_guard (
        .clk_i,
        .rst_ni,
        .isolate_i,
        .s_axi_awid,
        .s_axi_awaddr,
        .s_axi_awlen,
        .s_axi_awsize,
        .s_axi_awburst,
        .s_axi_awlock,
        .s_axi_awcache,
        .s_axi_awprot,
        .s_axi_awvalid,
        .s_axi_awready,
        .s_axi_wdata,
        .s_axi_wstrb,
        .s_axi_wlast,
        .s_axi_wvalid,
        .s_axi_wready,
        .s_axi_bid,
        .s_axi_bresp,
        .s_axi_bvalid,
        .s_axi_bready,
        .s_axi_arid,
        .s_axi_araddr,
        .s_axi_arlen,
        .s_axi_arsize,
        .s_axi_arburst,
        .s_axi_arlock,
        .s_axi_arcache,
        .s_axi_arprot,
        .s_axi_arvalid,
        .s_axi_arready,
        .s_axi_rid,
        .s_axi_rdata,
        .s_axi_rresp,
        .s_axi_rlast,
        .s_axi_rvalid,
        .s_axi_rready,
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
  end else begin : g_wires
    logic unused;
    assign unused = &{1'b0, isolate_i, NumIds[0], MaxOutstanding[0], ReadPort, WritePort};

    assign {
      m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arlock,
      m_axi_arcache, m_axi_arprot, m_axi_arvalid, m_axi_rready
    } = {
      s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arlock,
      s_axi_arcache, s_axi_arprot, s_axi_arvalid, s_axi_rready
    };
    assign {
      s_axi_arready, s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast, s_axi_rvalid
    } = {
      m_axi_arready, m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast, m_axi_rvalid
    };
    assign {
      m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awlock,
      m_axi_awcache, m_axi_awprot, m_axi_awvalid, m_axi_wdata, m_axi_wstrb, m_axi_wlast,
      m_axi_wvalid, m_axi_bready
    } = {
      s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awlock,
      s_axi_awcache, s_axi_awprot, s_axi_awvalid, s_axi_wdata, s_axi_wstrb, s_axi_wlast,
      s_axi_wvalid, s_axi_bready
    };
    assign {
      s_axi_awready, s_axi_wready, s_axi_bid, s_axi_bresp, s_axi_bvalid
    } = {
      m_axi_awready, m_axi_wready, m_axi_bid, m_axi_bresp, m_axi_bvalid
    };
  end

`ifndef SYNTHESIS
  logic [15:0] unused_writes, unused_reads;
  logic [32:0] unused_violation;

  sl_axi_check #(
      .AddrWidth(AddrWidth),
      .DataWidth(DataWidth),
      .IdWidth  (IdWidth)
  ) u_check (
      .clk_i,
      .rst_ni,
      .axi_awid      (m_axi_awid),
      .axi_awaddr    (m_axi_awaddr),
      .axi_awlen     (m_axi_awlen),
      .axi_awsize    (m_axi_awsize),
      .axi_awburst   (m_axi_awburst),
      .axi_awlock    (m_axi_awlock),
      .axi_awcache   (m_axi_awcache),
      .axi_awprot    (m_axi_awprot),
      .axi_awvalid   (m_axi_awvalid),
      .axi_awready   (m_axi_awready),
      .axi_wid       ('0),
      .axi_wdata     (m_axi_wdata),
      .axi_wstrb     (m_axi_wstrb),
      .axi_wlast     (m_axi_wlast),
      .axi_wvalid    (m_axi_wvalid),
      .axi_wready    (m_axi_wready),
      .axi_bid       (m_axi_bid),
      .axi_bresp     (m_axi_bresp),
      .axi_bvalid    (m_axi_bvalid),
      .axi_bready    (m_axi_bready),
      .axi_arid      (m_axi_arid),
      .axi_araddr    (m_axi_araddr),
      .axi_arlen     (m_axi_arlen),
      .axi_arsize    (m_axi_arsize),
      .axi_arburst   (m_axi_arburst),
      .axi_arlock    (m_axi_arlock),
      .axi_arcache   (m_axi_arcache),
      .axi_arprot    (m_axi_arprot),
      .axi_arvalid   (m_axi_arvalid),
      .axi_arready   (m_axi_arready),
      .axi_rid       (m_axi_rid),
      .axi_rdata     (m_axi_rdata),
      .axi_rresp     (m_axi_rresp),
      .axi_rlast     (m_axi_rlast),
      .axi_rvalid    (m_axi_rvalid),
      .axi_rready    (m_axi_rready),
      .wr_outstanding_o(unused_writes),
      .rd_outstanding_o(unused_reads),
      .violation_o     (unused_violation)
  );
`endif
endmodule
