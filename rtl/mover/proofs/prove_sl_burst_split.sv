// SPDX-License-Identifier: Apache-2.0
//
// sl_burst_split: the bursts cover exactly the command's bytes, in order; none crosses 4 KiB or has
// more than MaxBurst beats; the last is marked. A model keeps the next byte's address and the bytes
// left, and says what each burst has to be.

module prove_sl_burst_split #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned MaxBurst  = 16,
    parameter int unsigned LenWidth  = 26,
    parameter bit          LateDrop  = 1'b0
) (
    input logic                clk_i,
    input logic                rst_ni,
    input logic                clear_i,
    input logic                cmd_valid_i,
    input logic [31:0]         cmd_addr_i,
    input logic [LenWidth-1:0] cmd_bytes_i,
    input logic                burst_ready_i,
    input logic                drop_i
);

  localparam int unsigned BeatBytes  = DataWidth / 8;
  localparam int unsigned BurstBytes = MaxBurst * BeatBytes < 4096 ? MaxBurst * BeatBytes : 4096;
  localparam int unsigned OffBits    = $clog2(BurstBytes);
  localparam bit          Long       = LenWidth > OffBits;  // a command may fill a burst
  localparam int unsigned CntBits    = Long ? LenWidth + 1 - OffBits : 1;  // of the bursts left

  logic        cmd_ready, burst_valid, burst_last;
  logic [31:0] burst_addr;
  logic [7:0]  burst_len;

  sl_burst_split #(
      .DataWidth(DataWidth),
      .MaxBurst (MaxBurst),
      .LenWidth (LenWidth),
      .LateDrop (LateDrop)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .clear_i,
      .cmd_valid_i,
      .cmd_ready_o  (cmd_ready),
      .cmd_addr_i,
      .cmd_bytes_i,
      .burst_valid_o(burst_valid),
      .burst_ready_i,
      .burst_addr_o (burst_addr),
      .burst_len_o  (burst_len),
      .burst_last_o (burst_last),
      .drop_i
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    assume (!cmd_valid_i || cmd_bytes_i != '0);
  end

  logic [31:0] next_q;  // address of the next byte
  logic [31:0] left_q;  // bytes from there on; 0: no command
  logic [31:0] room, bytes;  // to the boundary; of this burst
  logic [31:0] first_lane, end_pos;

  assign room       = 32'(BurstBytes) - next_q % 32'(BurstBytes);
  assign bytes      = left_q < room ? left_q : room;
  assign first_lane = next_q % 32'(BeatBytes);
  assign end_pos    = next_q % 32'(BurstBytes) + left_q - 1;

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready) begin
      next_q <= cmd_addr_i;
      left_q <= 32'(cmd_bytes_i);
    end else if (burst_valid && burst_ready_i) begin
      next_q <= next_q + bytes;
      left_q <= drop_i ? '0 : left_q - bytes;
    end
    if (!rst_ni || clear_i) left_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      assert (burst_valid == (left_q != '0));
      assert (left_q < 32'(1 << LenWidth));
      if (burst_valid) begin
        assert (burst_addr == next_q);
        assert (32'(burst_len) == (first_lane + bytes - 1) / BeatBytes);
        assert (burst_last == (bytes == left_q));
        assert (32'(burst_len) < MaxBurst);
        // The last beat's bytes are in the first byte's page.
        assert (burst_addr[11:0] / BeatBytes + 32'(burst_len) < 4096 / BeatBytes);
        // What the splitter keeps for later bursts.
        assert (32'(u_dut.gen_last.left_n_q) + 32'(u_dut.gen_last.inc_q) + end_pos / BurstBytes ==
                1 << CntBits);
        assert (32'(u_dut.gen_last.end_q) == end_pos % BurstBytes / BeatBytes);
      end
    end
    cover (!Long || (started_q && burst_valid && burst_ready_i && burst_last && cmd_valid_i &&
                     32'(burst_len) == BurstBytes / BeatBytes - 1));
    cover (started_q && burst_valid && end_pos / BurstBytes == (Long ? 1000 : 1) &&
           first_lane != 0);
    cover (started_q && burst_valid && burst_last && left_q == 1 && next_q[11:0] == '0);
  end

endmodule
