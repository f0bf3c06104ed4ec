// SPDX-License-Identifier: Apache-2.0
//
// sl_axis_width, narrow to wide and on to narrow again: the wide beat has the narrow ones from lane
// 0 up, and what comes out is what went in: nothing lost, doubled, changed or moved. A beat that
// waits at an output stays. Assumed: the source keeps a beat that waits; TKEEP is contiguous,
// not 0, full without TLAST.

module prove_sl_axis_width #(
    parameter int unsigned Ratio  = 2,
    localparam int unsigned Data  = 32,
    localparam int unsigned Keep  = Data / 8,
    localparam int unsigned Count = $clog2(Ratio) + 1
) (
    input logic            clk_i,
    input logic            rst_ni,
    input logic [Data-1:0] s_tdata,
    input logic [Keep-1:0] s_tkeep,
    input logic            s_tlast,
    input logic            s_tvalid,
    input logic            gate_i,  // the wide beat is held up
    input logic            m_tready
);

  logic                            s_tready, w_tlast, w_tvalid, w_tready, split_ready;
  logic                            m_tlast, m_tvalid;
  logic [Ratio-1:0][Data-1:0]      w_tdata;
  logic [Ratio-1:0][Keep-1:0]      w_tkeep;
  logic [Data-1:0]                 m_tdata;
  logic [Keep-1:0]                 m_tkeep;

  sl_axis_width #(
      .SlvWidth(Data),
      .MstWidth(Data * Ratio)
  ) u_join (
      .clk_i,
      .rst_ni,
      .s_axis_tdata (s_tdata),
      .s_axis_tkeep (s_tkeep),
      .s_axis_tlast (s_tlast),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .m_axis_tdata (w_tdata),
      .m_axis_tkeep (w_tkeep),
      .m_axis_tlast (w_tlast),
      .m_axis_tvalid(w_tvalid),
      .m_axis_tready(w_tready)
  );

  // Held up at times, but not once it is shown to the splitter.
  logic shown_q, show;
  assign show     = shown_q || !gate_i;
  assign w_tready = split_ready && show;

  sl_axis_width #(
      .SlvWidth(Data * Ratio),
      .MstWidth(Data)
  ) u_split (
      .clk_i,
      .rst_ni,
      .s_axis_tdata (w_tdata),
      .s_axis_tkeep (w_tkeep),
      .s_axis_tlast (w_tlast),
      .s_axis_tvalid(w_tvalid && show),
      .s_axis_tready(split_ready),
      .m_axis_tdata (m_tdata),
      .m_axis_tkeep (m_tkeep),
      .m_axis_tlast (m_tlast),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready)
  );

  typedef struct packed {
    logic            last;
    logic [Keep-1:0] keep;
    logic [Data-1:0] data;
  } beat_t;

  // Beats of the wide one that were taken, and given again. The newest one is still at the input.
  beat_t            in_q[Ratio];
  beat_t            s_beat, m_beat, s_beat_q, m_beat_q, want;
  logic [Count-1:0] taken_q, given_q;
  logic             started_q = 1'b0;
  logic             s_take, m_take, s_wait_q, m_wait_q, ends;

  assign s_beat = {s_tlast, s_tkeep, s_tdata};
  assign m_beat = {m_tlast, m_tkeep, m_tdata};
  assign s_take = s_tvalid && s_tready;
  assign m_take = m_tvalid && m_tready;
  assign ends   = s_tlast || taken_q == Count'(Ratio - 1);
  assign want   = given_q < taken_q ? in_q[given_q] : s_beat;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    assume ((s_tkeep & (s_tkeep + 1'b1)) == '0 && s_tkeep != '0 && (s_tlast || &s_tkeep));
    if (s_wait_q) assume (s_tvalid && s_beat == s_beat_q);

    s_wait_q <= rst_ni && s_tvalid && !s_tready;
    m_wait_q <= rst_ni && m_tvalid && !m_tready;
    shown_q  <= rst_ni && w_tvalid && show && !w_tready;
    s_beat_q <= s_beat;
    m_beat_q <= m_beat;
    if (s_take) begin
      in_q[taken_q] <= s_beat;
      taken_q       <= ends ? '0 : taken_q + 1'b1;
    end
    if (m_take) given_q <= s_take ? '0 : given_q + 1'b1;
    if (!rst_ni) begin
      taken_q <= '0;
      given_q <= '0;
    end

    if (started_q) begin
      assert (w_tvalid == (s_tvalid && ends));
      for (int unsigned part = 0; part < Ratio; part++) begin
        if (w_tvalid && part < 32'(taken_q))
          assert (w_tdata[part] == in_q[part].data && &w_tkeep[part]);
        if (w_tvalid && part == 32'(taken_q))
          assert (w_tdata[part] == s_tdata && w_tkeep[part] == s_tkeep);
        if (w_tvalid && part > 32'(taken_q)) assert (w_tkeep[part] == '0);
      end
      if (m_tvalid) assert (m_beat == want);
      if (m_wait_q) assert (m_tvalid && m_beat == m_beat_q);
      if (!ends) assert (s_tready);
      // The last beat in leaves together with the last one out.
      if (s_take && ends) assert (m_take && given_q == taken_q);
      if (m_take && given_q == taken_q) assert (s_take && ends);
      // Inside, to induce.
      assert (32'(taken_q) < Ratio && given_q <= taken_q);
      assert (Count'(u_join.part_q) == taken_q && Count'(u_split.part_q) == given_q);
      if (given_q != '0) assert (s_wait_q && shown_q && (s_beat_q.last ||
                                 taken_q == Count'(Ratio - 1)));
      if (m_wait_q) assert (shown_q && m_beat_q == (given_q < taken_q ? in_q[given_q] : s_beat_q));
      if (shown_q) assert (s_wait_q && (s_beat_q.last || taken_q == Count'(Ratio - 1)));
      for (int unsigned part = 0; part < Ratio - 1; part++) begin
        if (part < 32'(taken_q)) begin
          assert (u_join.gen_join.data_q[part] == in_q[part].data);
          assert (!in_q[part].last && &in_q[part].keep);
        end
      end
    end
    cover (started_q && m_take && s_take && given_q == Count'(Ratio - 1) && m_tlast);
    cover (started_q && m_take && s_take && given_q == '0 && m_tlast && m_tkeep == 1);
  end

endmodule
