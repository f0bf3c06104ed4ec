// SPDX-License-Identifier: Apache-2.0
//
// sl_axi3_adapter: every W beat has the ID of its AW, in the order of the AWs, and none is shown
// before its AW; AWVALID and WVALID are kept, with their payload, until taken; no more than
// WriteDepth bursts wait for data. Assumed: the master keeps a VALID that waits. One burst, picked
// at an arbitrary moment, is followed from its AW to its WLAST.

`include "sl_axi.svh"

module prove_sl_axi3_adapter #(
    parameter int unsigned WriteDepth = 4,
    localparam int unsigned CntWidth  = $clog2(WriteDepth) + 1
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [1:0]  s_axi_awid,
    input logic [31:0] s_axi_awaddr,
    input logic        s_axi_awvalid,
    input logic        s_axi_wlast,
    input logic [31:0] s_axi_wdata,
    input logic        s_axi_wvalid,
    input logic        m_axi_awready,
    input logic        m_axi_wready,
    input logic        pick_i
);

  logic        s_axi_awready, s_axi_wready, m_axi_awvalid, m_axi_wvalid, m_axi_wlast;
  logic [2:0]  m_axi_awid, m_axi_wid;
  logic [31:0] m_axi_awaddr, m_axi_wdata;

  sl_axi_if #(.DataWidth(32), .IdWidth(2)) s_bus ();
  sl_axi_if #(.DataWidth(32), .IdWidth(3), .Axi3(1'b1)) m_bus ();

  assign s_bus.awid    = s_axi_awid;
  assign s_bus.awaddr  = s_axi_awaddr;
  assign s_bus.awvalid = s_axi_awvalid;
  assign s_axi_awready = s_bus.awready;
  assign {s_bus.awlen, s_bus.awsize, s_bus.awburst, s_bus.awlock, s_bus.awcache, s_bus.awprot} = '0;
  assign s_bus.wdata   = s_axi_wdata;
  assign s_bus.wstrb   = '0;
  assign s_bus.wlast   = s_axi_wlast;
  assign s_bus.wvalid  = s_axi_wvalid;
  assign s_axi_wready  = s_bus.wready;
  assign s_bus.bready  = 1'b0;
  `SL_AXI_IDLE_RD_MST(s_bus.)

  assign m_axi_awid    = m_bus.awid;
  assign m_axi_awaddr  = m_bus.awaddr;
  assign m_axi_awvalid = m_bus.awvalid;
  assign m_bus.awready = m_axi_awready;
  assign m_axi_wid     = m_bus.wid;
  assign m_axi_wdata   = m_bus.wdata;
  assign m_axi_wlast   = m_bus.wlast;
  assign m_axi_wvalid  = m_bus.wvalid;
  assign m_bus.wready  = m_axi_wready;
  assign {m_bus.bid, m_bus.bresp, m_bus.bvalid} = '0;
  `SL_AXI_IDLE_RD_SLV(m_bus.)

  sl_axi3_adapter #(
      .WriteDepth(WriteDepth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s_axi(s_bus),
      .m_axi(m_bus)
  );

  logic                started_q = 1'b0;
  logic [1:0]          in_wait_q, out_wait_q;  // W, AW
  logic [33:0]         s_aw_q, m_aw_q;
  logic [32:0]         s_w_q;
  logic [35:0]         m_w_q;
  logic [CntWidth-1:0] open_q;  // AWs presented without WLAST taken
  logic                track_q;  // a burst was picked and its WLAST is still to come
  logic [CntWidth-1:0] ahead_q;  // bursts ahead of it
  logic [1:0]          id_q;
  logic                fresh, w_end;

  assign fresh = m_axi_awvalid && !out_wait_q[0];  // an AW is presented for the first time
  assign w_end = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    if (in_wait_q[0]) assume (s_axi_awvalid && {s_axi_awid, s_axi_awaddr} == s_aw_q);
    if (in_wait_q[1]) assume (s_axi_wvalid && {s_axi_wlast, s_axi_wdata} == s_w_q);

    in_wait_q  <= {2{rst_ni}} & {s_axi_wvalid && !s_axi_wready, s_axi_awvalid && !s_axi_awready};
    out_wait_q <= {2{rst_ni}} & {m_axi_wvalid && !m_axi_wready, m_axi_awvalid && !m_axi_awready};
    s_aw_q     <= {s_axi_awid, s_axi_awaddr};
    s_w_q      <= {s_axi_wlast, s_axi_wdata};
    m_aw_q     <= {m_axi_awid[1:0], m_axi_awaddr};
    m_w_q      <= {m_axi_wid, m_axi_wlast, m_axi_wdata};

    open_q <= open_q + CntWidth'(fresh) - CntWidth'(w_end);
    if (!track_q) begin
      track_q <= fresh && pick_i && !(open_q == '0 && w_end);
      ahead_q <= open_q - CntWidth'(w_end);
      id_q    <= s_axi_awid;
    end else if (w_end) begin
      ahead_q <= ahead_q - 1'b1;
      if (ahead_q == '0) track_q <= 1'b0;
    end
    if (!rst_ni) begin
      open_q  <= '0;
      track_q <= 1'b0;
    end

    if (started_q) begin
      if (out_wait_q[0]) assert (m_axi_awvalid && {m_axi_awid[1:0], m_axi_awaddr} == m_aw_q);
      if (out_wait_q[1]) assert (m_axi_wvalid && {m_axi_wid, m_axi_wlast, m_axi_wdata} == m_w_q);
      if (m_axi_awvalid) assert (!m_axi_awid[2] && m_axi_awid[1:0] == s_axi_awid);
      if (m_axi_wvalid) assert (open_q != '0 || fresh);
      // A burst whose AW enters an empty queue may send in the same cycle.
      if (m_axi_wvalid && open_q == '0) assert (m_axi_wid == 3'(s_axi_awid));
      if (m_axi_wvalid && track_q && ahead_q == '0) assert (m_axi_wid == 3'(id_q));
      assert (open_q <= CntWidth'(WriteDepth));
      // Nothing waits without a reason.
      if (s_axi_wvalid && open_q != '0) assert (m_axi_wvalid && s_axi_wready == m_axi_wready);
      if (s_axi_awvalid && open_q != CntWidth'(WriteDepth))
        assert (m_axi_awvalid && s_axi_awready == m_axi_awready);
      // Inside, to induce.
      assert (CntWidth'(u_dut.tail_q - u_dut.head_q) == open_q);
      assert (u_dut.aw_wait_q == out_wait_q[0]);
      assert (!track_q || ahead_q < open_q);
      if (track_q) assert (u_dut.ids_q[(CntWidth-1)'(u_dut.head_q + ahead_q)] == id_q);
      if (out_wait_q[0]) assert (in_wait_q[0] && m_aw_q == s_aw_q);
      if (out_wait_q[1])
        assert (in_wait_q[1] && m_w_q[32:0] == s_w_q && open_q != '0 &&
                m_w_q[35:33] == 3'(u_dut.ids_q[u_dut.head_q[CntWidth-2:0]]));
    end
    cover (started_q && track_q && ahead_q == 2 && open_q == CntWidth'(WriteDepth));
    cover (started_q && m_axi_wvalid && m_axi_wready && open_q == '0 && !m_axi_awready);
  end

endmodule
