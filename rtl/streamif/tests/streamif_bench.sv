// SPDX-License-Identifier: Apache-2.0
//
// sl_streamif of four threads on two ports, or sl_memif of four threads, each thread's and each
// port's signals by themselves; for their tests. sl_memif is on port 0, port 1 then asks for
// nothing.

module streamif_bench #(
    parameter bit Memif = 1'b0
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [12:0] s_axil_awaddr,
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
    input  logic [12:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [7:0]  irq_o,
    output logic        fault_irq_o,
    output logic [3:0]  thread_rst_no,
    output logic [31:0] to0_tdata,
    output logic [3:0]  to0_tkeep,
    output logic        to0_tlast,
    output logic        to0_tvalid,
    input  logic        to0_tready,
    input  logic [31:0] from0_tdata,
    input  logic [3:0]  from0_tkeep,
    input  logic        from0_tlast,
    input  logic        from0_tvalid,
    output logic        from0_tready,
    output logic [31:0] to1_tdata,
    output logic [3:0]  to1_tkeep,
    output logic        to1_tlast,
    output logic        to1_tvalid,
    input  logic        to1_tready,
    input  logic [31:0] from1_tdata,
    input  logic [3:0]  from1_tkeep,
    input  logic        from1_tlast,
    input  logic        from1_tvalid,
    output logic        from1_tready,
    output logic [31:0] to2_tdata,
    output logic [3:0]  to2_tkeep,
    output logic        to2_tlast,
    output logic        to2_tvalid,
    input  logic        to2_tready,
    input  logic [31:0] from2_tdata,
    input  logic [3:0]  from2_tkeep,
    input  logic        from2_tlast,
    input  logic        from2_tvalid,
    output logic        from2_tready,
    output logic [31:0] to3_tdata,
    output logic [3:0]  to3_tkeep,
    output logic        to3_tlast,
    output logic        to3_tvalid,
    input  logic        to3_tready,
    input  logic [31:0] from3_tdata,
    input  logic [3:0]  from3_tkeep,
    input  logic        from3_tlast,
    input  logic        from3_tvalid,
    output logic        from3_tready,
    output logic [3:0]  m0_arid,
    output logic [31:0] m0_araddr,
    output logic [7:0]  m0_arlen,
    output logic [2:0]  m0_arsize,
    output logic [1:0]  m0_arburst,
    output logic        m0_arvalid,
    input  logic        m0_arready,
    input  logic [3:0]  m0_rid,
    input  logic [63:0] m0_rdata,
    input  logic [1:0]  m0_rresp,
    input  logic        m0_rlast,
    input  logic        m0_rvalid,
    output logic        m0_rready,
    output logic [3:0]  m0_awid,
    output logic [31:0] m0_awaddr,
    output logic [7:0]  m0_awlen,
    output logic [2:0]  m0_awsize,
    output logic [1:0]  m0_awburst,
    output logic        m0_awvalid,
    input  logic        m0_awready,
    output logic [63:0] m0_wdata,
    output logic [7:0]  m0_wstrb,
    output logic        m0_wlast,
    output logic        m0_wvalid,
    input  logic        m0_wready,
    input  logic [3:0]  m0_bid,
    input  logic [1:0]  m0_bresp,
    input  logic        m0_bvalid,
    output logic        m0_bready,
    output logic [3:0]  m1_arid,
    output logic [31:0] m1_araddr,
    output logic [7:0]  m1_arlen,
    output logic [2:0]  m1_arsize,
    output logic [1:0]  m1_arburst,
    output logic        m1_arvalid,
    input  logic        m1_arready,
    input  logic [3:0]  m1_rid,
    input  logic [63:0] m1_rdata,
    input  logic [1:0]  m1_rresp,
    input  logic        m1_rlast,
    input  logic        m1_rvalid,
    output logic        m1_rready,
    output logic [3:0]  m1_awid,
    output logic [31:0] m1_awaddr,
    output logic [7:0]  m1_awlen,
    output logic [2:0]  m1_awsize,
    output logic [1:0]  m1_awburst,
    output logic        m1_awvalid,
    input  logic        m1_awready,
    output logic [63:0] m1_wdata,
    output logic [7:0]  m1_wstrb,
    output logic        m1_wlast,
    output logic        m1_wvalid,
    input  logic        m1_wready,
    input  logic [3:0]  m1_bid,
    input  logic [1:0]  m1_bresp,
    input  logic        m1_bvalid,
    output logic        m1_bready
);

  logic [3:0][31:0] to_axis_tdata, from_axis_tdata;
  logic [3:0][3:0]  to_axis_tkeep, from_axis_tkeep;
  logic [3:0]       to_axis_tlast, to_axis_tvalid, to_axis_tready;
  logic [3:0]       from_axis_tlast, from_axis_tvalid, from_axis_tready;

  assign {to3_tdata, to2_tdata, to1_tdata, to0_tdata} = to_axis_tdata;
  assign {to3_tkeep, to2_tkeep, to1_tkeep, to0_tkeep} = to_axis_tkeep;
  assign {to3_tlast, to2_tlast, to1_tlast, to0_tlast} = to_axis_tlast;
  assign {to3_tvalid, to2_tvalid, to1_tvalid, to0_tvalid} = to_axis_tvalid;
  assign {from3_tready, from2_tready, from1_tready, from0_tready} = from_axis_tready;
  assign to_axis_tready = {to3_tready, to2_tready, to1_tready, to0_tready};
  assign from_axis_tdata = {from3_tdata, from2_tdata, from1_tdata, from0_tdata};
  assign from_axis_tkeep = {from3_tkeep, from2_tkeep, from1_tkeep, from0_tkeep};
  assign from_axis_tlast = {from3_tlast, from2_tlast, from1_tlast, from0_tlast};
  assign from_axis_tvalid = {from3_tvalid, from2_tvalid, from1_tvalid, from0_tvalid};

  if (Memif) begin : gen_memif
    logic       unused_arlock, unused_awlock;
    logic [3:0] unused_arcache, unused_awcache;
    logic [2:0] unused_arprot, unused_awprot;

    sl_memif #(
        .NumThreads   (4),
        .RequestCycles(3)
    ) u_dut (
        .m_axi_arid   (m0_arid[0]),
        .m_axi_araddr (m0_araddr),
        .m_axi_arlen  (m0_arlen),
        .m_axi_arsize (m0_arsize),
        .m_axi_arburst(m0_arburst),
        .m_axi_arlock (unused_arlock),
        .m_axi_arcache(unused_arcache),
        .m_axi_arprot (unused_arprot),
        .m_axi_arvalid(m0_arvalid),
        .m_axi_arready(m0_arready),
        .m_axi_rid    (m0_rid[0]),
        .m_axi_rdata  (m0_rdata),
        .m_axi_rresp  (m0_rresp),
        .m_axi_rlast  (m0_rlast),
        .m_axi_rvalid (m0_rvalid),
        .m_axi_rready (m0_rready),
        .m_axi_awid   (m0_awid[0]),
        .m_axi_awaddr (m0_awaddr),
        .m_axi_awlen  (m0_awlen),
        .m_axi_awsize (m0_awsize),
        .m_axi_awburst(m0_awburst),
        .m_axi_awlock (unused_awlock),
        .m_axi_awcache(unused_awcache),
        .m_axi_awprot (unused_awprot),
        .m_axi_awvalid(m0_awvalid),
        .m_axi_awready(m0_awready),
        .m_axi_wdata  (m0_wdata),
        .m_axi_wstrb  (m0_wstrb),
        .m_axi_wlast  (m0_wlast),
        .m_axi_wvalid (m0_wvalid),
        .m_axi_wready (m0_wready),
        .m_axi_bid    (m0_bid[0]),
        .m_axi_bresp  (m0_bresp),
        .m_axi_bvalid (m0_bvalid),
        .m_axi_bready (m0_bready),
        .*
    );

    assign {m0_arid[3:1], m0_awid[3:1]} = '0;
    assign {m1_arid, m1_araddr, m1_arlen, m1_arsize, m1_arburst, m1_arvalid, m1_rready, m1_awid,
            m1_awaddr, m1_awlen, m1_awsize, m1_awburst, m1_awvalid, m1_wdata, m1_wstrb, m1_wlast,
            m1_wvalid, m1_bready} = '0;
    logic unused;
    assign unused = &{1'b0, unused_arlock, unused_awlock, unused_arcache, unused_awcache,
                      unused_arprot, unused_awprot, m0_rid, m0_bid, m1_arready, m1_rid, m1_rdata,
                      m1_rresp, m1_rlast, m1_rvalid, m1_awready, m1_wready, m1_bid, m1_bresp,
                      m1_bvalid};
  end else begin : gen_streamif
    logic [1:0]      unused_arlock, unused_awlock;
    logic [1:0][3:0] unused_arcache, unused_awcache;
    logic [1:0][2:0] unused_arprot, unused_awprot;

    sl_streamif #(
        .NumThreads(4),
        .NumPorts  (2)
    ) u_dut (
        .m_axi_arid   ({m1_arid, m0_arid}),
        .m_axi_araddr ({m1_araddr, m0_araddr}),
        .m_axi_arlen  ({m1_arlen, m0_arlen}),
        .m_axi_arsize ({m1_arsize, m0_arsize}),
        .m_axi_arburst({m1_arburst, m0_arburst}),
        .m_axi_arlock (unused_arlock),
        .m_axi_arcache(unused_arcache),
        .m_axi_arprot (unused_arprot),
        .m_axi_arvalid({m1_arvalid, m0_arvalid}),
        .m_axi_arready({m1_arready, m0_arready}),
        .m_axi_rid    ({m1_rid, m0_rid}),
        .m_axi_rdata  ({m1_rdata, m0_rdata}),
        .m_axi_rresp  ({m1_rresp, m0_rresp}),
        .m_axi_rlast  ({m1_rlast, m0_rlast}),
        .m_axi_rvalid ({m1_rvalid, m0_rvalid}),
        .m_axi_rready ({m1_rready, m0_rready}),
        .m_axi_awid   ({m1_awid, m0_awid}),
        .m_axi_awaddr ({m1_awaddr, m0_awaddr}),
        .m_axi_awlen  ({m1_awlen, m0_awlen}),
        .m_axi_awsize ({m1_awsize, m0_awsize}),
        .m_axi_awburst({m1_awburst, m0_awburst}),
        .m_axi_awlock (unused_awlock),
        .m_axi_awcache(unused_awcache),
        .m_axi_awprot (unused_awprot),
        .m_axi_awvalid({m1_awvalid, m0_awvalid}),
        .m_axi_awready({m1_awready, m0_awready}),
        .m_axi_wdata  ({m1_wdata, m0_wdata}),
        .m_axi_wstrb  ({m1_wstrb, m0_wstrb}),
        .m_axi_wlast  ({m1_wlast, m0_wlast}),
        .m_axi_wvalid ({m1_wvalid, m0_wvalid}),
        .m_axi_wready ({m1_wready, m0_wready}),
        .m_axi_bid    ({m1_bid, m0_bid}),
        .m_axi_bresp  ({m1_bresp, m0_bresp}),
        .m_axi_bvalid ({m1_bvalid, m0_bvalid}),
        .m_axi_bready ({m1_bready, m0_bready}),
        .*
    );

    logic unused;
    assign unused = &{1'b0, unused_arlock, unused_awlock, unused_arcache, unused_awcache,
                      unused_arprot, unused_awprot};
  end

endmodule
