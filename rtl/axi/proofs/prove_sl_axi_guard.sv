// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_guard, one ID: the memory side never sees a VALID withdrawn or changed, none new after
// the cut; the engine side gets exactly the answers that it is owed, every beat of R with its RLAST
// and every B, none withdrawn or changed, all SLVERR and without delay after the cut.
// Assumed: both sides keep waiting VALIDs; before the cut memory answers only what it was asked.
// After the cut memory may do anything.

`include "sl_axi.svh"

module prove_sl_axi_guard #(
    parameter bit          RegisterW      = 1'b0,
    parameter int unsigned MaxOutstanding = 4,
    localparam int unsigned AxWidth       = 12 + 8,
    localparam int unsigned PtrWidth      = $clog2(MaxOutstanding)
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        isolate_i,
    input logic [11:0] s_axi_awaddr,
    input logic [7:0]  s_axi_awlen,
    input logic        s_axi_awvalid,
    input logic [7:0]  s_axi_wdata,
    input logic        s_axi_wstrb,
    input logic        s_axi_wlast,
    input logic        s_axi_wvalid,
    input logic        s_axi_bready,
    input logic [11:0] s_axi_araddr,
    input logic [7:0]  s_axi_arlen,
    input logic        s_axi_arvalid,
    input logic        s_axi_rready,
    input logic        m_axi_awready,
    input logic        m_axi_wready,
    input logic [1:0]  m_axi_bresp,
    input logic        m_axi_bvalid,
    input logic        m_axi_arready,
    input logic [7:0]  m_axi_rdata,
    input logic [1:0]  m_axi_rresp,
    input logic        m_axi_rlast,
    input logic        m_axi_rvalid
);

  logic        s_axi_awready, s_axi_wready, s_axi_bvalid, s_axi_arready, s_axi_rvalid, s_axi_rlast;
  logic [1:0]  s_axi_bresp, s_axi_rresp;
  logic [7:0]  s_axi_rdata;
  logic        m_axi_awvalid, m_axi_wvalid, m_axi_bready, m_axi_arvalid, m_axi_rready;
  logic [11:0] m_axi_awaddr, m_axi_araddr;
  logic [7:0]  m_axi_awlen, m_axi_arlen, m_axi_wdata;
  logic        m_axi_wstrb, m_axi_wlast;

  sl_axi_if #(.AddrWidth(12), .DataWidth(8)) s_bus (), m_bus ();

  assign s_bus.awid    = 1'b0;
  assign s_bus.awaddr  = s_axi_awaddr;
  assign s_bus.awlen   = s_axi_awlen;
  assign s_bus.awvalid = s_axi_awvalid;
  assign s_axi_awready = s_bus.awready;
  assign {s_bus.awsize, s_bus.awburst, s_bus.awlock, s_bus.awcache, s_bus.awprot} = '0;
  assign s_bus.arid    = 1'b0;
  assign s_bus.araddr  = s_axi_araddr;
  assign s_bus.arlen   = s_axi_arlen;
  assign s_bus.arvalid = s_axi_arvalid;
  assign s_axi_arready = s_bus.arready;
  assign {s_bus.arsize, s_bus.arburst, s_bus.arlock, s_bus.arcache, s_bus.arprot} = '0;
  assign s_axi_bresp   = s_bus.bresp;
  assign s_axi_bvalid  = s_bus.bvalid;
  assign s_bus.bready  = s_axi_bready;
  assign s_axi_rdata   = s_bus.rdata;
  assign s_axi_rresp   = s_bus.rresp;
  assign s_axi_rlast   = s_bus.rlast;
  assign s_axi_rvalid  = s_bus.rvalid;
  assign s_bus.rready  = s_axi_rready;
  `SL_AXI_LINK_W(s_bus., s_axi_)

  assign m_axi_awaddr  = m_bus.awaddr;
  assign m_axi_awlen   = m_bus.awlen;
  assign m_axi_awvalid = m_bus.awvalid;
  assign m_bus.awready = m_axi_awready;
  assign m_axi_araddr  = m_bus.araddr;
  assign m_axi_arlen   = m_bus.arlen;
  assign m_axi_arvalid = m_bus.arvalid;
  assign m_bus.arready = m_axi_arready;
  assign m_bus.bid     = 1'b0;
  assign m_bus.bresp   = m_axi_bresp;
  assign m_bus.bvalid  = m_axi_bvalid;
  assign m_axi_bready  = m_bus.bready;
  assign m_bus.rid     = 1'b0;
  assign m_bus.rdata   = m_axi_rdata;
  assign m_bus.rresp   = m_axi_rresp;
  assign m_bus.rlast   = m_axi_rlast;
  assign m_bus.rvalid  = m_axi_rvalid;
  assign m_axi_rready  = m_bus.rready;
  `SL_AXI_LINK_W(m_axi_, m_bus.)

  sl_axi_guard #(
      .MaxOutstanding(MaxOutstanding),
      .RegisterW     (RegisterW),
      .ZeroR         (1'b1)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .isolate_i,
      .s_axi(s_bus),
      .m_axi(m_bus)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
  end

  // -------------------------------------------------------- what waits at an edge, on each channel
  // Bit n of a vector is channel n: inputs of the guard {s AW, s W, s AR, m B, m R}, outputs
  // {m AW, m W, m AR, s B, s R}.
  logic [2:0]         in_valid;
  logic [4:0]         in_wait_q, out_valid, out_wait_q;
  logic [AxWidth-1:0] in_data[5], in_data_q[5], out_data[5], out_data_q[5];
  logic               cut_q, cut_first_q;  // isolate_i was seen; first at the last edge

  assign in_data[0]  = {s_axi_awaddr, s_axi_awlen};
  assign in_data[1]  = AxWidth'({s_axi_wdata, s_axi_wstrb, s_axi_wlast});
  assign in_data[2]  = {s_axi_araddr, s_axi_arlen};
  assign in_data[3]  = AxWidth'(m_axi_bresp);
  assign in_data[4]  = AxWidth'({m_axi_rdata, m_axi_rresp, m_axi_rlast});
  assign out_data[0] = {m_axi_awaddr, m_axi_awlen};
  assign out_data[1] = AxWidth'({m_axi_wdata, m_axi_wstrb, m_axi_wlast});
  assign out_data[2] = {m_axi_araddr, m_axi_arlen};
  assign out_data[3] = AxWidth'(s_axi_bresp);
  assign out_data[4] = AxWidth'({s_axi_rdata, s_axi_rresp, s_axi_rlast});
  assign in_valid    = {s_axi_arvalid, s_axi_wvalid, s_axi_awvalid};
  assign out_valid   = {s_axi_rvalid, s_axi_bvalid, m_axi_arvalid, m_axi_wvalid, m_axi_awvalid};

  always_ff @(posedge clk_i) begin
    in_wait_q  <= {5{rst_ni}} & {m_axi_rvalid && !m_axi_rready, m_axi_bvalid && !m_axi_bready,
                                 s_axi_arvalid && !s_axi_arready, s_axi_wvalid && !s_axi_wready,
                                 s_axi_awvalid && !s_axi_awready};
    out_wait_q <= {5{rst_ni}} & out_valid &
                  ~{s_axi_rready, s_axi_bready, m_axi_arready, m_axi_wready, m_axi_awready};
    in_data_q   <= in_data;
    out_data_q  <= out_data;
    cut_q       <= rst_ni && (cut_q || isolate_i);
    cut_first_q <= rst_ni && isolate_i && !cut_q;
  end

  // ----------------------------------------------------------------------- what the engine is owed
  logic [7:0]          len_q[MaxOutstanding];
  logic [PtrWidth-1:0] head_q, tail_q;
  logic [PtrWidth:0]   reads_q, aws_q, wlasts_q;
  logic [7:0]          beat_q;
  logic [1:0]          late_r_q, late_b_q;  // cycles since the cut in which an answer was missing
  logic                ar, r, aw, wlast, b;

  assign ar    = s_axi_arvalid && s_axi_arready;
  assign r     = s_axi_rvalid && s_axi_rready;
  assign aw    = s_axi_awvalid && s_axi_awready;
  assign wlast = s_axi_wvalid && s_axi_wready && s_axi_wlast;
  assign b     = s_axi_bvalid && s_axi_bready;

  always_ff @(posedge clk_i) begin
    if (ar) begin
      len_q[tail_q] <= s_axi_arlen;
      tail_q        <= tail_q + 1'b1;
    end
    if (r) beat_q <= s_axi_rlast ? '0 : beat_q + 1'b1;
    if (r && s_axi_rlast) head_q <= head_q + 1'b1;
    reads_q  <= reads_q + (PtrWidth + 1)'(ar) - (PtrWidth + 1)'(r && s_axi_rlast);
    aws_q    <= aws_q + (PtrWidth + 1)'(aw) - (PtrWidth + 1)'(b);
    wlasts_q <= wlasts_q + (PtrWidth + 1)'(wlast) - (PtrWidth + 1)'(b);
    late_r_q <= cut_q && reads_q != '0 && !s_axi_rvalid ? late_r_q + 1'b1 : '0;
    late_b_q <= cut_q && aws_q != '0 && wlasts_q != '0 && !s_axi_bvalid ? late_b_q + 1'b1 : '0;
    if (!rst_ni) begin
      head_q   <= '0;
      tail_q   <= '0;
      reads_q  <= '0;
      aws_q    <= '0;
      wlasts_q <= '0;
      beat_q   <= '0;
      late_r_q <= '0;
      late_b_q <= '0;
    end
  end

  // --------------------------------------------------------------------------------------- assumed
  always_ff @(posedge clk_i) begin
    for (int ch = 0; ch < 3; ch++) begin
      if (in_wait_q[ch])
        assume (in_valid[ch] && in_data[ch] == in_data_q[ch]);
    end
    if (!u_dut.gen_write.b_cut_q) begin
      if (in_wait_q[3]) assume (m_axi_bvalid && in_data[3] == in_data_q[3]);
      if (m_axi_bvalid) assume (aws_q != '0 && wlasts_q != '0);
    end
    if (!u_dut.gen_read.r_cut_q) begin
      if (in_wait_q[4]) assume (m_axi_rvalid && in_data[4] == in_data_q[4]);
      if (m_axi_rvalid) assume (reads_q != '0 && m_axi_rlast == (beat_q == len_q[head_q]));
    end
  end

  // ---------------------------------------------------------------------------------------- proved
  always_ff @(posedge clk_i) begin
    if (started_q) begin
      for (int ch = 0; ch < 5; ch++) begin
        if (out_wait_q[ch]) assert (out_valid[ch] && out_data[ch] == out_data_q[ch]);
      end
      for (int ch = 0; ch < 3; ch++) begin
        if (cut_q && !(RegisterW && ch == 1 && cut_first_q))
          assert (!out_valid[ch] || out_wait_q[ch]);
      end
      if (s_axi_rvalid) assert (reads_q != '0 && s_axi_rlast == (beat_q == len_q[head_q]));
      if (s_axi_bvalid) assert (aws_q != '0 && wlasts_q != '0);
      // From the second cycle of the cut on, unless an answer of the memory waits since before it.
      if (cut_q && !cut_first_q) begin
        assert (!s_axi_rvalid || s_axi_rresp == 2'b10 || out_wait_q[4]);
        assert (!s_axi_bvalid || s_axi_bresp == 2'b10 || out_wait_q[3]);
        assert (m_axi_rready || out_wait_q[4]);
        assert (m_axi_bready || out_wait_q[3]);
      end
      if (cut_q) begin
        assert (late_r_q <= 2 && late_b_q <= 2);
        assert (s_axi_arready || reads_q == (PtrWidth + 1)'(MaxOutstanding));
        assert (s_axi_awready || aws_q == (PtrWidth + 1)'(MaxOutstanding));
        assert (s_axi_wready || wlasts_q == (PtrWidth + 1)'(MaxOutstanding));
      end
      assert (reads_q <= (PtrWidth + 1)'(MaxOutstanding));
      assert (aws_q <= (PtrWidth + 1)'(MaxOutstanding));
      assert (wlasts_q <= (PtrWidth + 1)'(MaxOutstanding));
    end
    cover (started_q && cut_q && u_dut.gen_read.r_cut_q && beat_q == 2 && r && s_axi_rlast &&
           reads_q == 3);
    cover (started_q && cut_q && out_wait_q[4] && s_axi_rresp == '0);
    cover (started_q && cut_q && !cut_first_q && out_wait_q[2:0] == '1);
    cover (started_q && cut_q && !cut_first_q && b && wlasts_q > aws_q);
  end

  // ----------------------------------------------------------------------------- inside, to induce
  always_ff @(posedge clk_i) begin
    if (started_q) begin
      assert (u_dut.cut_q == cut_q);
      assert (!u_dut.gen_read.r_cut_q || cut_q);
      assert (!u_dut.gen_write.b_cut_q || cut_q);
      assert (u_dut.gen_read.r_cut_q || !cut_q || cut_first_q || out_wait_q[4]);
      assert (u_dut.gen_write.b_cut_q || !cut_q || cut_first_q || out_wait_q[3]);
      assert (!cut_first_q || (cut_q && !u_dut.gen_read.r_cut_q && !u_dut.gen_write.b_cut_q));
      assert (!u_dut.gen_read.own_valid_q || (u_dut.gen_read.r_cut_q && reads_q != '0));
      assert (!u_dut.gen_write.own_valid_q ||
              (u_dut.gen_write.b_cut_q && aws_q != '0 && wlasts_q != '0));
      assert (u_dut.gen_write.aw_q == aws_q && u_dut.gen_write.w_q == wlasts_q);
      assert (u_dut.gen_read.gen_id[0].beat_q == beat_q);
      assert (u_dut.gen_read.gen_id[0].u_len.count_q == reads_q);
      assert (u_dut.gen_read.gen_id[0].u_len.gen_lut.valid_q == (reads_q != '0));
      assert (u_dut.gen_read.gen_id[0].u_len.rd_ptr_q == head_q);
      assert (u_dut.gen_read.gen_id[0].u_len.wr_ptr_q == tail_q);
      assert (PtrWidth'(tail_q - head_q) == reads_q[PtrWidth-1:0]);
      for (int unsigned n = 0; n < MaxOutstanding; n++) begin
        if (PtrWidth'(n - 32'(head_q)) < reads_q)
          assert (u_dut.gen_read.gen_id[0].u_len.gen_lut.ram[n] == len_q[n]);
      end
      assert (late_r_q == '0 || u_dut.gen_read.r_cut_q);
      assert (late_b_q == '0 || u_dut.gen_write.b_cut_q);
      assert (late_r_q != 2 || u_dut.gen_read.own_valid_q);
      assert (late_b_q != 2 || u_dut.gen_write.own_valid_q);
      // A VALID towards memory that waits is the one held.
      assert (u_dut.gen_read.u_ar.held_valid_q == out_wait_q[2]);
      assert (u_dut.gen_write.u_aw.held_valid_q == out_wait_q[0]);
      if (out_wait_q[2] && u_dut.cut_q)
        assert (u_dut.gen_read.u_ar.held_q[13+:AxWidth] == out_data_q[2]);
      if (out_wait_q[0] && u_dut.cut_q)
        assert (u_dut.gen_write.u_aw.held_q[13+:AxWidth] == out_data_q[0]);
      // Until the cut it is the engine's, and it waits there too.
      if (out_wait_q[2] && !cut_q) assert (in_wait_q[2] && in_data_q[2] == out_data_q[2]);
      if (out_wait_q[0] && !cut_q) assert (in_wait_q[0] && in_data_q[0] == out_data_q[0]);
    end
  end
  if (!RegisterW) begin : gen_through
    logic [AxWidth-1:0] held;
    assign held = AxWidth'({u_dut.gen_write.u_w.held_q[7:0], u_dut.gen_write.u_w.held_q[8],
                            u_dut.gen_write.u_w.held_q[9]});
    always_ff @(posedge clk_i) begin
      if (started_q) begin
        assert (u_dut.gen_write.u_w.held_valid_q == out_wait_q[1]);
        if (out_wait_q[1] && cut_q) assert (held == out_data_q[1]);
        if (out_wait_q[1] && !cut_q) assert (in_wait_q[1] && in_data_q[1] == out_data_q[1]);
      end
    end
  end

endmodule
