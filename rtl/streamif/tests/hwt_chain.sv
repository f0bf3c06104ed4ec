// SPDX-License-Identifier: Apache-2.0
//
// Hardware threads in a row, for their tests: counter writer to XOR reader, or to reduce.

module hwt_chain (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        start_i,
    input  logic [31:0] first_i,
    input  logic [31:0] words_i,
    input  logic [15:0] group_i,
    input  logic        reduce_i,  // to reduce, and the XOR reader takes its sums
    input  logic [31:0] take_i,    // words of the XOR reader's run
    input  logic        stall_i,   // between the writer and what follows
    output logic        count_busy_o,
    output logic        xor_busy_o,
    output logic [31:0] result_o,
    output logic        sum_last_o
);

  logic [31:0] words, sums;
  logic        last, valid, ready, sum_valid, sum_ready, reduce_ready, xor_ready;

  sl_hwt_count u_count (
      .clk_i,
      .rst_ni,
      .start_i,
      .first_i,
      .words_i,
      .busy_o       (count_busy_o),
      .m_axis_tdata (words),
      .m_axis_tlast (last),
      .m_axis_tvalid(valid),
      .m_axis_tready(ready && !stall_i)
  );

  assign ready     = reduce_i ? reduce_ready : xor_ready;
  assign sum_ready = reduce_i && xor_ready && !stall_i;

  sl_hwt_reduce u_reduce (
      .clk_i,
      .rst_ni,
      .words_i      (group_i),
      .s_axis_tdata (words),
      .s_axis_tlast (last),
      .s_axis_tvalid(valid && reduce_i && !stall_i),
      .s_axis_tready(reduce_ready),
      .m_axis_tdata (sums),
      .m_axis_tlast (sum_last_o),
      .m_axis_tvalid(sum_valid),
      .m_axis_tready(sum_ready)
  );

  sl_hwt_xor u_xor (
      .clk_i,
      .rst_ni,
      .start_i,
      .words_i      (take_i),
      .busy_o       (xor_busy_o),
      .result_o,
      .s_axis_tdata (reduce_i ? sums : words),
      .s_axis_tvalid(!stall_i && (reduce_i ? sum_valid : valid)),
      .s_axis_tready(xor_ready)
  );

endmodule
