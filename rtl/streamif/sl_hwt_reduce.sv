// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt_reduce: a hardware thread that sums: of each group of words the sum of their bytes.
//
// Operation   words_i words make a group (a row of an image); m_axis_* gives its sum, modulo 2^32.
//             TLAST of the input ends a group early, and goes with its sum.
// Handshake   valid/ready; TVALID from a register, s_axis_tready depends on m_axis_tready.
// Latency     the sum comes the cycle after the group's last word. Throughput: a word a cycle.
// Reset       rst_ni synchronous, active low; forgets the group begun.
// Requires    words_i constant from a reset on; 0 counts as 2^16. All bytes of a word count,
//             whatever TKEEP is.

module sl_hwt_reduce (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] words_i,

    input  logic [31:0] s_axis_tdata,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,

    output logic [31:0] m_axis_tdata,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);

  logic [31:0] sum_q, sum;
  logic [15:0] count_q;  // words of the group so far
  logic        group_end;

  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
  assign group_end     = s_axis_tlast || count_q == words_i - 1'b1;
  assign sum           = sum_q + 32'(s_axis_tdata[7:0]) + 32'(s_axis_tdata[15:8]) +
                         32'(s_axis_tdata[23:16]) + 32'(s_axis_tdata[31:24]);

  always_ff @(posedge clk_i) begin
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid && group_end;
      m_axis_tdata  <= sum;
      m_axis_tlast  <= s_axis_tlast;
      if (s_axis_tvalid) begin
        sum_q   <= group_end ? '0 : sum;
        count_q <= group_end ? '0 : count_q + 1'b1;
      end
    end
    if (!rst_ni) begin
      m_axis_tvalid <= 1'b0;
      sum_q         <= '0;
      count_q       <= '0;
    end
  end

endmodule
