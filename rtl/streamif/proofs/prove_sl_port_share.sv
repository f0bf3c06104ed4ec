// SPDX-License-Identifier: Apache-2.0
//
// sl_port_share: between the cycle in which a master presents an address and the one in which it is
// taken, at most NumMasters - 1 addresses of others are, whatever the others, the port and the
// enables do; every W beat is of the master whose AW is due, and none is shown before its AW; what
// waits is kept. Assumed: a master keeps a VALID that waits. Followed: one master, chosen once.

module prove_sl_port_share #(
    parameter int unsigned  NumMasters = 3,
    parameter int unsigned  WriteDepth = 4,
    localparam int unsigned IdWidth    = $clog2(NumMasters),
    localparam int unsigned CntWidth   = $clog2(WriteDepth) + 1
) (
    input logic                            clk_i,
    input logic                            rst_ni,
    input logic                            read_en_i,
    input logic                            write_en_i,
    input logic [NumMasters-1:0][31:0]     araddr_i,
    input logic [NumMasters-1:0]           arvalid_i,
    input logic [NumMasters-1:0][31:0]     awaddr_i,
    input logic [NumMasters-1:0]           awvalid_i,
    input logic [NumMasters-1:0][31:0]     wdata_i,
    input logic [NumMasters-1:0]           wlast_i,
    input logic [NumMasters-1:0]           wvalid_i,
    input logic                            arready_i,
    input logic                            awready_i,
    input logic                            wready_i,
    input logic                            pick_i,
    input logic [IdWidth-1:0]              who_i
);

  logic [NumMasters-1:0]       arready, awready, wready, rvalid, bvalid;
  logic [IdWidth-1:0]          arid, awid;
  logic [31:0]                 araddr, awaddr, wdata;
  logic                        arvalid, awvalid, wvalid, wlast;

  sl_port_share #(
      .NumMasters(NumMasters),
      .DataWidth (32),
      .WriteDepth(WriteDepth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .read_en_i,
      .write_en_i,
      .s_axi_araddr (araddr_i),
      .s_axi_arlen  ('0),
      .s_axi_arvalid(arvalid_i),
      .s_axi_arready(arready),
      .s_axi_rvalid (rvalid),
      .s_axi_rready ('1),
      .s_axi_awaddr (awaddr_i),
      .s_axi_awlen  ('0),
      .s_axi_awvalid(awvalid_i),
      .s_axi_awready(awready),
      .s_axi_wdata  (wdata_i),
      .s_axi_wstrb  ('1),
      .s_axi_wlast  (wlast_i),
      .s_axi_wvalid (wvalid_i),
      .s_axi_wready (wready),
      .s_axi_bvalid (bvalid),
      .s_axi_bready ('1),
      .m_axi_arid   (arid),
      .m_axi_araddr (araddr),
      .m_axi_arvalid(arvalid),
      .m_axi_arready(arready_i),
      .m_axi_rid    ('0),
      .m_axi_rdata  ('0),
      .m_axi_rresp  ('0),
      .m_axi_rlast  ('0),
      .m_axi_rvalid ('0),
      .m_axi_awid   (awid),
      .m_axi_awaddr (awaddr),
      .m_axi_awvalid(awvalid),
      .m_axi_awready(awready_i),
      .m_axi_wdata  (wdata),
      .m_axi_wlast  (wlast),
      .m_axi_wvalid (wvalid),
      .m_axi_wready (wready_i),
      .m_axi_bid    ('0),
      .m_axi_bresp  ('0),
      .m_axi_bvalid ('0)
  );

  logic                              started_q = 1'b0;
  logic                              chosen_q = 1'b0;
  logic [IdWidth-1:0]                who_q;
  logic [IdWidth:0]                  ar_others_q, aw_others_q;  // taken of others while it waits
  logic [NumMasters-1:0]             ar_wait_q, aw_wait_q, w_wait_q;
  logic [NumMasters-1:0][31:0]       araddr_q, awaddr_q;
  logic [NumMasters-1:0][32:0]       w_q;
  logic                              m_ar_wait_q, m_aw_wait_q, m_w_wait_q;
  logic [31+IdWidth:0]               m_ar_q, m_aw_q;
  logic [32:0]                       m_w_q;
  logic [CntWidth-1:0]               open_q, ahead_q;
  logic                              track_q, fresh, w_end;
  logic [IdWidth-1:0]                owner_q;

  assign fresh = awvalid && !m_aw_wait_q;
  assign w_end = wvalid && wready_i && wlast;

  // Masters from behind `last` on, in a circle, before `who`: those that may go before it.
  function automatic logic [IdWidth:0] ahead(input logic [IdWidth-1:0] last,
                                             input logic [IdWidth-1:0] who);
    return who > last ? (IdWidth + 1)'(who) - (IdWidth + 1)'(last) - 1'b1 :
           (IdWidth + 1)'(who) + (IdWidth + 1)'(NumMasters) - (IdWidth + 1)'(last) - 1'b1;
  endfunction

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    assume (32'(who_i) < NumMasters);
    for (int unsigned n = 0; n < NumMasters; n++) begin
      if (ar_wait_q[n]) assume (arvalid_i[n] && araddr_i[n] == araddr_q[n]);
      if (aw_wait_q[n]) assume (awvalid_i[n] && awaddr_i[n] == awaddr_q[n]);
      if (w_wait_q[n]) assume (wvalid_i[n] && {wlast_i[n], wdata_i[n]} == w_q[n]);
      w_q[n] <= {wlast_i[n], wdata_i[n]};
    end
    ar_wait_q <= {NumMasters{rst_ni}} & arvalid_i & ~arready;
    aw_wait_q <= {NumMasters{rst_ni}} & awvalid_i & ~awready;
    w_wait_q  <= {NumMasters{rst_ni}} & wvalid_i & ~wready;
    araddr_q  <= araddr_i;
    awaddr_q  <= awaddr_i;
    m_ar_wait_q <= rst_ni && arvalid && !arready_i;
    m_aw_wait_q <= rst_ni && awvalid && !awready_i;
    m_w_wait_q  <= rst_ni && wvalid && !wready_i;
    m_ar_q <= {arid, araddr};
    m_aw_q <= {awid, awaddr};
    m_w_q  <= {wlast, wdata};
    if (!chosen_q) begin
      who_q    <= who_i;
      chosen_q <= 1'b1;
    end

    // The bound.
    if (arvalid_i[who_q] && !arready[who_q]) begin
      ar_others_q <= ar_others_q + (IdWidth + 1)'(arvalid && arready_i);
    end else begin
      ar_others_q <= '0;
    end
    if (awvalid_i[who_q] && !awready[who_q]) begin
      aw_others_q <= aw_others_q + (IdWidth + 1)'(awvalid && awready_i);
    end else begin
      aw_others_q <= '0;
    end

    // One burst, from its AW to its WLAST.
    open_q <= open_q + CntWidth'(fresh) - CntWidth'(w_end);
    if (!track_q) begin
      track_q <= fresh && pick_i && !(open_q == '0 && w_end);
      ahead_q <= open_q - CntWidth'(w_end);
      owner_q <= awid;
    end else if (w_end) begin
      ahead_q <= ahead_q - 1'b1;
      if (ahead_q == '0) track_q <= 1'b0;
    end
    if (!rst_ni) begin
      open_q      <= '0;
      track_q     <= 1'b0;
      ar_others_q <= '0;
      aw_others_q <= '0;
    end

    if (started_q) begin
      assert (32'(ar_others_q) <= NumMasters - 1 && 32'(aw_others_q) <= NumMasters - 1);
      if (32'(ar_others_q) == NumMasters - 1 && arvalid && arvalid_i[who_q]) assert (arid == who_q);
      if (32'(aw_others_q) == NumMasters - 1 && awvalid && awvalid_i[who_q]) assert (awid == who_q);
      // Nothing waits without a reason, nothing is made up.
      assert (arvalid == (arvalid_i != '0 && (read_en_i || m_ar_wait_q)));
      if (!read_en_i && !m_ar_wait_q) assert (arready == '0);
      if (!write_en_i && !m_aw_wait_q) assert (!awvalid && awready == '0);
      if (arvalid) assert (arvalid_i[arid] && araddr == araddr_i[arid]);
      if (awvalid) assert (awvalid_i[awid] && awaddr == awaddr_i[awid]);
      if (arvalid) assert (arready == NumMasters'(arready_i) << arid);
      if (awvalid_i != '0 && write_en_i && open_q != CntWidth'(WriteDepth)) assert (awvalid);
      if (m_ar_wait_q) assert (arvalid && {arid, araddr} == m_ar_q);
      if (m_aw_wait_q) assert (awvalid && {awid, awaddr} == m_aw_q);
      if (m_w_wait_q) assert (wvalid && {wlast, wdata} == m_w_q);
      // Write data.
      if (wvalid) assert (open_q != '0 || fresh);
      if (wvalid && open_q == '0) assert (wvalid_i[awid] && wdata == wdata_i[awid]);
      if (wvalid && track_q && ahead_q == '0)
        assert (wdata == wdata_i[owner_q] && wready == NumMasters'(wready_i) << owner_q);
      if (track_q && ahead_q == '0 && wvalid_i[owner_q]) assert (wvalid);
      assert (open_q <= CntWidth'(WriteDepth));
      // Inside, to induce.
      assert (CntWidth'(u_dut.tail_q - u_dut.head_q) == open_q);
      assert (u_dut.ar_held_q == m_ar_wait_q && u_dut.aw_held_q == m_aw_wait_q);
      assert (32'(u_dut.ar_last_q) < NumMasters && 32'(u_dut.aw_last_q) < NumMasters);
      assert (!chosen_q || 32'(who_q) < NumMasters);
      if (m_ar_wait_q)
        assert (u_dut.ar_last_q == m_ar_q[32+:IdWidth] && ar_wait_q[u_dut.ar_last_q] &&
                m_ar_q[31:0] == araddr_q[u_dut.ar_last_q]);
      if (m_aw_wait_q)
        assert (u_dut.aw_last_q == m_aw_q[32+:IdWidth] && aw_wait_q[u_dut.aw_last_q] &&
                m_aw_q[31:0] == awaddr_q[u_dut.aw_last_q]);
      for (int unsigned n = 0; n < WriteDepth; n++)
        if (CntWidth'(n) < open_q)
          assert (32'(u_dut.masters_q[(CntWidth-1)'(u_dut.head_q + CntWidth'(n))]) < NumMasters);
      assert (!track_q || ahead_q < open_q);
      if (track_q) assert (u_dut.masters_q[(CntWidth-1)'(u_dut.head_q + ahead_q)] == owner_q);
      if (m_w_wait_q)
        assert (open_q != '0 && w_wait_q[u_dut.masters_q[u_dut.head_q[CntWidth-2:0]]] &&
                m_w_q == w_q[u_dut.masters_q[u_dut.head_q[CntWidth-2:0]]]);
      if (!ar_wait_q[who_q]) assert (ar_others_q == '0);
      if (!aw_wait_q[who_q]) assert (aw_others_q == '0);
      // As many of others as were taken are behind it in the circle.
      if (ar_wait_q[who_q] && chosen_q)
        assert (32'(ar_others_q) + 32'(ahead(u_dut.ar_last_q, who_q)) + 32'(m_ar_wait_q) <=
                NumMasters - 1 || (m_ar_wait_q && u_dut.ar_last_q == who_q));
      if (aw_wait_q[who_q] && chosen_q)
        assert (32'(aw_others_q) + 32'(ahead(u_dut.aw_last_q, who_q)) + 32'(m_aw_wait_q) <=
                NumMasters - 1 || (m_aw_wait_q && u_dut.aw_last_q == who_q));
    end
    cover (started_q && 32'(aw_others_q) == NumMasters - 1);
    cover (started_q && 32'(ar_others_q) == NumMasters - 1);
    cover (started_q && track_q && ahead_q == 2 && open_q == CntWidth'(WriteDepth));
  end

  logic unused;
  assign unused = &{1'b0, rvalid, bvalid};

endmodule
