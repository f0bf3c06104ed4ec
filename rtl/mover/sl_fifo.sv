// SPDX-License-Identifier: Apache-2.0
//
// sl_fifo: synchronous FIFO, one word a cycle in and out.
//
// Handshake   valid/ready on both sides. in_ready_o and out_valid_o come from registers and depend
//             on no input; a word shown at the output stays until taken or until clear_i.
// Latency     1 cycle: a word taken at edge t is at the output before edge t + 1 if no other is
//             ahead of it. out_valid_o is high whenever a word is held. Bypass=0: 3 cycles.
// Throughput  one word a cycle, without a gap at any fill level and after any stalls.
// Memory      Depth <= 64: LUT RAM, read combinationally behind the read pointer; no output
//             register. Depth > 64: block RAM with a registered read, then two words of registers
//             at the output, which an empty FIFO is filled through directly. These hold up to 3
//             words beyond Depth. Bypass=0: all words go through the RAM and one register, without
//             a multiplexer; 2 words beyond Depth.
// Level       count_o = words in the RAM: all of them for LUT RAM; for block RAM without the output
//             stage. in_ready_o is low when Depth words are in the RAM.
// Reset       rst_ni or clear_i empties it; RAM contents stay. clear_i wins over a push in the same
//             cycle.
//
// Width       1 to 4096 bits
// Depth       2 to 65536 words, a power of two
// Bypass      1; 0 for Depth > 64 only, where the latency does not matter

module sl_fifo #(
    parameter int unsigned Width = 8,
    parameter int unsigned Depth = 16,
    parameter bit          Bypass = 1'b1,
    localparam int unsigned PtrWidth = $clog2(Depth)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                clear_i,

    input  logic                in_valid_i,
    output logic                in_ready_o,
    input  logic [Width-1:0]    in_data_i,

    output logic                out_valid_o,
    input  logic                out_ready_i,
    output logic [Width-1:0]    out_data_o,

    output logic [PtrWidth:0]   count_o
);

  if (Width < 1 || Width > 4096) begin : gen_bad_width
    $fatal(1, "%m: Width must be 1..4096, is %0d", Width);
  end
  if (Depth < 2 || Depth > 65536 || Depth != (1 << PtrWidth)) begin : gen_bad_depth
    $fatal(1, "%m: Depth must be a power of two in 2..65536, is %0d", Depth);
  end

  if (!Bypass && Depth <= 64) begin : gen_bad_bypass
    $fatal(1, "%m: Bypass must be 1 with a Depth of at most 64, which is %0d", Depth);
  end

  logic [PtrWidth-1:0] wr_ptr_q, rd_ptr_q;
  logic [PtrWidth:0]   count_q;
  logic                ram_write, ram_read;

  assign in_ready_o = !count_q[PtrWidth];
  assign count_o    = count_q;

  always_ff @(posedge clk_i) begin
    if (ram_write) wr_ptr_q <= wr_ptr_q + 1'b1;
    if (ram_read) rd_ptr_q <= rd_ptr_q + 1'b1;
    if (ram_write != ram_read) begin
      count_q <= count_q + (ram_write ? (PtrWidth + 1)'(1) : '1);
    end
    if (!rst_ni || clear_i) begin
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      count_q  <= '0;
    end
  end

  if (Depth <= 64) begin : gen_lut
    (* ram_style = "distributed" *)
    logic [Width-1:0] ram [Depth];
    logic             valid_q;

    assign ram_write   = in_valid_i && in_ready_o;
    assign ram_read    = out_valid_o && out_ready_i;
    assign out_valid_o = valid_q;
    assign out_data_o  = ram[rd_ptr_q];

    always_ff @(posedge clk_i) begin
      if (ram_write) ram[wr_ptr_q] <= in_data_i;
      // Stays empty only if nothing came in; becomes empty when the only word leaves.
      valid_q <= ram_write || (valid_q && !(ram_read && count_q == 1));
      if (!rst_ni || clear_i) valid_q <= 1'b0;
    end
  end else begin : gen_block
    // Never read and written at one address in one cycle (asserted): no logic for that case.
    (* ram_style = "block", no_rw_check *)
    logic [Width-1:0] ram [Depth];
    logic [Width-1:0] ram_q, out_q, next_q;
    logic             ram_valid_q, out_valid_q, next_valid_q;
    logic             ram_any_q;  // count_q != 0
    logic             pop, push, direct, to_out, ram_take;

    assign out_valid_o = out_valid_q;
    assign out_data_o  = out_q;

    assign pop    = out_valid_q && out_ready_i;
    assign push   = in_valid_i && in_ready_o;
    // The way through the RAM takes two cycles longer than the way around it. So a word goes
    // through only if two older ones are left after this cycle to cover them, else around. Those
    // two are never both still in the RAM, so a word that goes around overtakes none.
    assign direct = Bypass && !ram_any_q && !(next_valid_q && ram_valid_q) &&
                    (out_ready_i || !(next_valid_q || ram_valid_q));
    assign to_out = !out_valid_q || (pop && !next_valid_q);
    // The word read from RAM moves on when the output is or gets free and no older word waits in
    // next_q.
    assign ram_take  = ram_valid_q && to_out;
    assign ram_write = push && !direct;
    assign ram_read  = ram_any_q && (!ram_valid_q || ram_take);

    always_ff @(posedge clk_i) begin
      if (ram_write) ram[wr_ptr_q] <= in_data_i;
      if (ram_read) ram_q <= ram[rd_ptr_q];
    end

    always_ff @(posedge clk_i) begin
      if (!out_valid_q || pop) begin
        out_q <= !Bypass ? ram_q : next_valid_q ? next_q : ram_valid_q ? ram_q : in_data_i;
      end
      if (!next_valid_q || pop) next_q <= in_data_i;
      out_valid_q  <= (out_valid_q && !pop) || next_valid_q || ram_valid_q || (push && direct);
      next_valid_q <= Bypass && ((next_valid_q && !pop) ||
                                 (push && direct && (!to_out || ram_valid_q)));
      ram_valid_q  <= ram_read || (ram_valid_q && !ram_take);
      ram_any_q    <= ram_write || (ram_any_q && !(ram_read && count_q == 1));
      if (!rst_ni || clear_i) begin
        out_valid_q  <= 1'b0;
        next_valid_q <= 1'b0;
        ram_valid_q  <= 1'b0;
        ram_any_q    <= 1'b0;
      end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!(ram_write && ram_read && wr_ptr_q == rd_ptr_q))
        else $error("%m: address %0d read and written", rd_ptr_q);
      end
    end
`endif
  end

`ifndef SYNTHESIS
  logic             was_valid_q;
  logic [Width-1:0] was_data_q;
  always_ff @(posedge clk_i) begin
    was_valid_q <= rst_ni && !clear_i && out_valid_o && !out_ready_i;
    if (out_valid_o && !out_ready_i) was_data_q <= out_data_o;
    if (rst_ni && was_valid_q) begin
      assert (out_valid_o && out_data_o == was_data_q)
      else $error("%m: output changed while waiting");
    end
    if (rst_ni) begin
      assert (count_q <= Depth[PtrWidth:0]) else $error("%m: count %0d beyond depth", count_q);
    end
  end
`endif

endmodule
