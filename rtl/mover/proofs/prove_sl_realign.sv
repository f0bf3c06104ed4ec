// SPDX-License-Identifier: Apache-2.0
//
// sl_realign: bytes leave in order and unchanged, none is lost or doubled, and output beats are
// dense. One byte of one input beat, picked at an arbitrary moment, is followed to its output lane;
// the bytes held are counted. Assumed: the input stays while it is not taken, fits its beat, and
// start_i comes between flushes only.

module prove_sl_realign #(
    parameter int unsigned DataWidth = 32,
    localparam int unsigned Lanes    = DataWidth / 8,
    localparam int unsigned LaneBits = $clog2(Lanes)
) (
    input logic                 clk_i,
    input logic                 rst_ni,
    input logic                 clear_i,
    input logic                 start_i,
    input logic [LaneBits-1:0]  start_fill_i,
    input logic                 in_valid_i,
    input logic [DataWidth-1:0] in_data_i,
    input logic [LaneBits-1:0]  in_beg_i,
    input logic [LaneBits-1:0]  in_count_i,
    input logic                 in_cut_i,
    input logic [LaneBits-1:0]  in_cut_count_i,
    input logic                 in_flush_i,
    input logic                 out_ready_i,
    input logic                 pick_i,
    input logic [LaneBits-1:0]  pick_byte_i
);

  typedef logic [LaneBits+1:0] bytes_t;

  logic                 in_ready, out_valid, out_last;
  logic [DataWidth-1:0] out_data;
  logic [LaneBits-1:0]  out_beg, out_end;

  sl_realign #(
      .DataWidth(DataWidth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .clear_i,
      .start_i,
      .start_fill_i,
      .in_valid_i,
      .in_ready_o (in_ready),
      .in_data_i,
      .in_beg_i,
      .in_count_i,
      .in_cut_i,
      .in_cut_count_i,
      .in_flush_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o (out_data),
      .out_beg_o  (out_beg),
      .out_end_o  (out_end),
      .out_last_o (out_last)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
  end

  // An input beat's bytes are placed once, in the first cycle in which the output takes something
  // or nothing has to leave.
  logic                step, place, emit, placed_q, open_q, wait_q;
  logic [LaneBits-1:0] last;  // bytes of the input beat less one
  logic                pick;
  bytes_t              held_q, held, in_bytes, out_bytes;
  logic                track_q, track;
  bytes_t              ahead_q, ahead;
  logic [7:0]          data_q, data;
  logic [LaneBits-1:0] first_q;  // lane of the next byte to leave, 0 after the first beat
  logic                arrives, taken;

  assign last      = in_cut_i ? in_cut_count_i : in_count_i;
  assign step      = in_valid_i && out_ready_i;
  assign taken     = in_valid_i && in_ready;
  assign place     = step && !placed_q;
  assign emit      = out_valid && out_ready_i;
  assign in_bytes  = place ? bytes_t'(last) + 1'b1 : '0;
  assign out_bytes = emit ? bytes_t'(out_end) - bytes_t'(out_beg) + 1'b1 : '0;
  assign held      = held_q + in_bytes;
  assign pick      = place && pick_i && pick_byte_i <= last && !track_q;
  assign track     = track_q || pick;
  assign ahead     = track_q ? ahead_q : held_q + bytes_t'(pick_byte_i);
  assign data      = track_q ? data_q : in_data_i[{LaneBits'(in_beg_i + pick_byte_i), 3'b0}+:8];
  assign arrives   = emit && track && ahead < out_bytes;

  always_ff @(posedge clk_i) begin
    held_q <= held - out_bytes;
    track_q <= track && !arrives;
    ahead_q <= ahead - out_bytes;
    data_q  <= data;
    if (place) placed_q <= 1'b1;
    if (taken) placed_q <= 1'b0;
    if (step) open_q <= !(in_flush_i && taken);
    if (emit) first_q <= '0;
    if (start_i) first_q <= start_fill_i;
    wait_q <= in_valid_i && !in_ready;
    if (!rst_ni || clear_i) begin
      held_q   <= '0;
      track_q  <= 1'b0;
      placed_q <= 1'b0;
      open_q   <= 1'b0;
      first_q  <= '0;
      wait_q   <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (int'(in_beg_i) + int'(last) < int'(Lanes));
    assume (!start_i || (step ? in_flush_i && in_ready : !open_q && !in_valid_i));
    if (started_q && wait_q) begin
      assume (in_valid_i && $stable(in_data_i) && $stable(in_beg_i) && $stable(last));
      assume ($stable(in_flush_i));
      assume (!start_i || step);
    end
    if (started_q && rst_ni && !clear_i) begin
      // Nothing leaves that has not come, and all has left after a flush.
      assert (out_bytes <= held);
      if (emit && out_last) assert (out_bytes == held && taken);
      if (taken && in_flush_i) assert (emit && out_last);
      // Dense: from where the one before ended, to the end of the beat unless the flush ends it.
      if (out_valid) begin
        assert (out_beg == first_q && out_beg <= out_end);
        assert (out_end == '1 || out_last);
      end
      if (arrives) assert (out_data[{LaneBits'(out_beg + ahead), 3'b0}+:8] == data);
      // What is inside.
      assert (u_dut.flush_q == placed_q && (!placed_q || wait_q));
      if (placed_q) begin
        assert (in_flush_i && u_dut.spill);
        assert (held_q == bytes_t'(u_dut.pos_end[LaneBits-1:0]) + 1'b1);
        assert (first_q == '0);
      end else begin
        assert (u_dut.beg_q == first_q && u_dut.beg_q <= u_dut.fill_q);
        assert (held_q == bytes_t'(u_dut.fill_q) - bytes_t'(u_dut.beg_q));
        assert (open_q || held_q == '0);
      end
      if (track_q) begin
        assert (ahead_q < held_q);
        assert (u_dut.residue_q[{LaneBits'(first_q + ahead_q), 3'b0}+:8] == data_q);
      end
    end
    cover (started_q && rst_ni && arrives && track_q && placed_q && ahead_q == 1);
    cover (started_q && rst_ni && arrives && track_q && first_q == 2 && !placed_q);
  end

endmodule
