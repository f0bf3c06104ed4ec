// SPDX-License-Identifier: Apache-2.0
//
// sl_fifo: words leave in order and unchanged; out_valid_o is high exactly while a word is held; it
// takes Depth words at least and Depth + 3 at most; the RAM is never read and written at one
// address. One word, picked at an arbitrary moment, is followed from its push to its pop.

module prove_sl_fifo #(
    parameter int unsigned Width = 4,
    parameter int unsigned Depth = 128,
    parameter bit Bypass = 1'b1,
    localparam int unsigned PtrWidth = $clog2(Depth)
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             clear_i,
    input logic             in_valid_i,
    input logic [Width-1:0] in_data_i,
    input logic             out_ready_i,
    input logic             pick_i
);

  logic              in_ready, out_valid;
  logic [Width-1:0]  out_data;
  logic [PtrWidth:0] count;

  sl_fifo #(
      .Width(Width),
      .Depth(Depth),
      .Bypass(Bypass)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .clear_i,
      .in_valid_i,
      .in_ready_o (in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o (out_data),
      .count_o    (count)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
  end

  logic                push, pop;
  logic [PtrWidth+1:0] held_q;  // words held
  logic                track_q;  // a word was picked and is held
  logic [PtrWidth+1:0] ahead_q;  // words ahead of it
  logic [Width-1:0]    data_q;
  logic                full_q, emptied_q;

  assign push = in_valid_i && in_ready;
  assign pop  = out_valid && out_ready_i;

  always_ff @(posedge clk_i) begin
    held_q <= held_q + (PtrWidth + 2)'(push) - (PtrWidth + 2)'(pop);
    if (!track_q) begin
      track_q <= push && pick_i;
      ahead_q <= held_q - (PtrWidth + 2)'(pop);
      data_q  <= in_data_i;
    end else if (pop) begin
      ahead_q <= ahead_q - 1'b1;
      if (ahead_q == '0) track_q <= 1'b0;
    end
    if (held_q == (PtrWidth + 2)'(Depth)) full_q <= 1'b1;
    if (full_q && held_q == '0) emptied_q <= 1'b1;
    if (!rst_ni || clear_i) begin
      held_q  <= '0;
      track_q <= 1'b0;
    end
    if (!rst_ni) begin
      full_q    <= 1'b0;
      emptied_q <= 1'b0;
    end
  end

  logic in_place;  // the followed word is where it belongs
  always_ff @(posedge clk_i) begin
    if (started_q) begin
      if (Bypass) assert (out_valid == (held_q != '0));
      else assert (!out_valid || held_q != '0);
      assert (in_ready || held_q >= (PtrWidth + 2)'(Depth));
      assert (held_q <= (PtrWidth + 2)'(Depth + 3));
      assert (!track_q || ahead_q < held_q);
      if (track_q && ahead_q == '0 && out_valid) assert (out_data == data_q);
      if (track_q) assert (in_place);
    end
    cover (started_q && track_q && ahead_q == 2 && pop);
  end

  if (Depth <= 64) begin : gen_lut
    assign in_place = data_q ==
                      u_dut.gen_lut.ram[PtrWidth'(u_dut.rd_ptr_q + ahead_q[PtrWidth-1:0])];
    always_ff @(posedge clk_i) begin
      if (started_q) begin
        assert ((PtrWidth + 2)'(u_dut.count_q) == held_q);
        assert (PtrWidth'(u_dut.wr_ptr_q - u_dut.rd_ptr_q) == u_dut.count_q[PtrWidth-1:0]);
        assert (u_dut.count_q <= (PtrWidth + 1)'(Depth));
      end
      cover (started_q && emptied_q);
    end
  end else begin : gen_block
    logic [1:0] regs;  // words in registers: out, then next, then ram_q, then the RAM
    logic [PtrWidth-1:0] at;
    assign regs = 2'(u_dut.gen_block.out_valid_q) + 2'(u_dut.gen_block.next_valid_q) +
                  2'(u_dut.gen_block.ram_valid_q);
    assign at = u_dut.rd_ptr_q + PtrWidth'(ahead_q - (PtrWidth + 2)'(regs));
    always_comb begin
      if (ahead_q == 0 && u_dut.gen_block.out_valid_q) in_place = u_dut.gen_block.out_q == data_q;
      else if (ahead_q >= (PtrWidth + 2)'(regs)) in_place = u_dut.gen_block.ram[at] == data_q;
      else if (ahead_q == 1 && u_dut.gen_block.next_valid_q)
        in_place = u_dut.gen_block.next_q == data_q;
      else in_place = u_dut.gen_block.ram_q == data_q;
    end
    always_ff @(posedge clk_i) begin
      if (started_q) begin
        assert ((PtrWidth + 2)'(u_dut.count_q) + (PtrWidth + 2)'(regs) == held_q);
        assert (u_dut.count_q <= (PtrWidth + 1)'(Depth));
        assert (PtrWidth'(u_dut.wr_ptr_q - u_dut.rd_ptr_q) == u_dut.count_q[PtrWidth-1:0]);
        assert (u_dut.gen_block.ram_any_q == (u_dut.count_q != '0));
        if (!Bypass) assert (!u_dut.gen_block.next_valid_q);
        // Two words at least cover a word that is in the RAM, one in the way to the output.
        if (Bypass && (u_dut.gen_block.next_valid_q || u_dut.gen_block.ram_valid_q))
          assert (u_dut.gen_block.out_valid_q);
        if (Bypass && u_dut.gen_block.ram_any_q) assert (regs >= 2);
        // A word stays in the RAM only behind one that waits in ram_q.
        if (Bypass && u_dut.gen_block.ram_any_q && !u_dut.gen_block.ram_valid_q)
          assert (u_dut.count_q == 1);
        assert (!(u_dut.ram_write && u_dut.ram_read && u_dut.wr_ptr_q == u_dut.rd_ptr_q));
      end
      cover (started_q && track_q && pop && ahead_q == 1 && push && u_dut.gen_block.ram_valid_q &&
             u_dut.gen_block.direct == Bypass);
      cover (started_q && track_q && ahead_q == 5 && pop);
    end
  end

endmodule
