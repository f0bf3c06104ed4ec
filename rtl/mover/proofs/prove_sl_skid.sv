// SPDX-License-Identifier: Apache-2.0
//
// sl_skid: words leave in order and unchanged; it holds two; in_ready_o is high while fewer are
// held, out_valid_o while any is. One word, picked at an arbitrary moment, is followed.

module prove_sl_skid #(
    parameter int unsigned Width = 8
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             clear_i,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i,
    input logic             pick_i
);

  logic             in_ready, out_valid, push, pop;
  logic [Width-1:0] out_data;

  sl_skid #(
      .Width(Width)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .clear_i,
      .in_valid_i,
      .in_ready_o (in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o (out_data)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
  end

  logic [1:0]       held_q, ahead_q;
  logic             track_q;
  logic [Width-1:0] data_q;

  assign push = in_valid_i && in_ready;
  assign pop  = out_valid && out_ready_i;

  always_ff @(posedge clk_i) begin
    held_q <= held_q + 2'(push) - 2'(pop);
    if (!track_q) begin
      track_q <= push && pick_i;
      ahead_q <= held_q - 2'(pop);
      data_q  <= in_data_i;
    end else if (pop) begin
      ahead_q <= ahead_q - 1'b1;
      if (ahead_q == '0) track_q <= 1'b0;
    end
    if (!rst_ni || clear_i) begin
      held_q  <= '0;
      track_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      assert (out_valid == (held_q != '0));
      assert (in_ready == (held_q < 2));
      assert (held_q <= 2);
      assert (!track_q || ahead_q < held_q);
      if (track_q && ahead_q == '0) assert (out_data == data_q);
      if (track_q && ahead_q == 1) assert (u_dut.skid_q == data_q);
    end
    cover (started_q && track_q && ahead_q == 1 && pop && !in_ready);
    cover (started_q && track_q && ahead_q == 0 && pop && push);
  end

endmodule
