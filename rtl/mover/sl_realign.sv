// SPDX-License-Identifier: Apache-2.0
//
// sl_realign: packs runs of bytes, each anywhere in an input beat, into dense output beats.
//
// Every input beat brings in_count_i + 1 bytes, with in_cut_i only in_cut_count_i + 1, from lane
// in_beg_i on. They are placed behind the bytes already collected. A filled beat goes out; with
// in_flush_i whatever is left goes out too. The first byte after a flush comes to lane 0, or to
// start_fill_i of a start_i since. This is the classic rotator: rotate by (fill - beg) mod B, take
// lanes below fill from the residue register and the others from the rotated beat.
//
// Handshake   valid/ready. Outputs are combinational from inputs: put a register behind.
//             out_valid_o depends on in_valid_i, in_ready_o on out_ready_i. An input beat that
//             flushes and spills needs two output beats: it stays at the input (with all its
//             qualifiers) until the second is taken.
//             start_i: not between a beat and its flush; in the cycle of the flush at the earliest.
// Latency     0 cycles. Late inputs are in_cut_i and in_flush_i: both counts are placed at once.
// Throughput  one input beat a cycle; a flush that spills costs one more.
// Lanes       out_beg_o, out_end_o: first and last lane in use. out_last_o: nothing is left behind,
//             only with in_flush_i.
// Reset       rst_ni or clear_i forgets collected bytes.
//
// DataWidth   32 to 512, a power of two

module sl_realign #(
    parameter int unsigned DataWidth = 64,
    localparam int unsigned LaneBits = $clog2(DataWidth / 8)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 clear_i,

    input  logic                 start_i,
    input  logic [LaneBits-1:0]  start_fill_i,

    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [DataWidth-1:0] in_data_i,
    input  logic [LaneBits-1:0]  in_beg_i,
    input  logic [LaneBits-1:0]  in_count_i,
    input  logic                 in_cut_i,
    input  logic [LaneBits-1:0]  in_cut_count_i,
    input  logic                 in_flush_i,

    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [DataWidth-1:0] out_data_o,
    output logic [LaneBits-1:0]  out_beg_o,
    output logic [LaneBits-1:0]  out_end_o,
    output logic                 out_last_o
);

  if (DataWidth < 32 || DataWidth > 512 || (DataWidth & (DataWidth - 1)) != 0) begin : gen_bad_data
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end

  localparam int unsigned Lanes = DataWidth / 8;

  logic [LaneBits-1:0]  fill_q, beg_q, rot;
  // Lane of the last byte placed, counted on into the next beat.
  logic [LaneBits:0]    pos_end, pos_whole, pos_cut;
  logic                 flush_q;  // second output beat of a flush that spilled
  logic                 spill, full, two, step;
  logic [DataWidth-1:0] rotated, residue_q;

  // a + b + carry, written out: so few bits are faster in LUTs than on a carry chain.
  function automatic logic [LaneBits:0] add(input logic [LaneBits-1:0] a,
                                            input logic [LaneBits-1:0] b, input logic carry);
    for (int unsigned bitno = 0; bitno < LaneBits; bitno++) begin
      add[bitno] = a[bitno] ^ b[bitno] ^ carry;
      carry      = (a[bitno] && b[bitno]) || (carry && (a[bitno] || b[bitno]));
    end
    add[LaneBits] = carry;
  endfunction

  assign rot       = LaneBits'(add(fill_q, ~in_beg_i, 1'b1));
  assign pos_whole = add(fill_q, in_count_i, 1'b0);
  assign pos_cut   = add(fill_q, in_cut_count_i, 1'b0);
  assign pos_end   = in_cut_i ? pos_cut : pos_whole;
  assign spill     = pos_end[LaneBits];
  assign full      = spill || (&pos_end[LaneBits-1:0]);
  assign two       = in_flush_i && spill && !flush_q;

  // Lane l of the rotated beat is lane l - rot of the input.
  always_comb begin
    rotated = in_data_i;
    for (int unsigned bitno = 0; bitno < LaneBits; bitno++) begin
      if (rot[bitno]) begin
        rotated = (rotated << (8 << bitno)) | (rotated >> (DataWidth - (8 << bitno)));
      end
    end
  end

  logic [Lanes-1:0] held;  // lanes collected before
  assign held = ~({Lanes{1'b1}} << fill_q);

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    // So too for a flush's second beat: it ends below fill_q.
    assign out_data_o[lane*8+:8] = held[lane] ? residue_q[lane*8+:8] : rotated[lane*8+:8];

    always_ff @(posedge clk_i) begin
      if (step && (full || !held[lane])) residue_q[lane*8+:8] <= rotated[lane*8+:8];
    end
  end

  assign out_valid_o = in_valid_i && (full || in_flush_i);
  assign out_beg_o   = flush_q ? '0 : beg_q;
  assign out_end_o   = spill && !flush_q ? '1 : pos_end[LaneBits-1:0];
  assign out_last_o  = in_flush_i && !two;
  assign in_ready_o  = out_ready_i && !two;
  assign step        = in_valid_i && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (step) begin
      flush_q <= two;
      if (!two) begin
        fill_q <= in_flush_i ? '0 : pos_end[LaneBits-1:0] + 1'b1;
        if (in_flush_i || full) beg_q <= '0;
      end
    end
    if (start_i) begin
      fill_q <= start_fill_i;
      beg_q  <= start_fill_i;
    end
    if (!rst_ni || clear_i) begin
      fill_q  <= '0;
      beg_q   <= '0;
      flush_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  logic open_q;  // bytes were placed since the last flush
  always_ff @(posedge clk_i) begin
    if (step) open_q <= !in_flush_i || two;
    if (!rst_ni || clear_i) open_q <= 1'b0;
    if (rst_ni && !clear_i && start_i) begin
      assert (step ? in_flush_i && !two : !open_q) else $error("%m: start before a flush");
    end
    if (rst_ni && !clear_i && in_valid_i) begin
      assert (int'(in_beg_i) + (in_cut_i ? int'(in_cut_count_i) : int'(in_count_i)) < Lanes)
      else $error("%m: more bytes than lanes from lane %0d on", in_beg_i);
      assert (out_valid_o || in_ready_o || !out_ready_i) else $error("%m: stuck");
    end
  end
`endif

endmodule
