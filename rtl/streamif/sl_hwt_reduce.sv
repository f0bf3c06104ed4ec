// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt_reduce: a hardware thread that sums: of each group of words the sum of their bytes.
//
// Run         start_i with busy_o low begins one of groups_i groups (rows of an image) of words_i
//             words each; m_axis_* gives each group's sum, modulo 2^32, TLAST with the last. TLAST
//             of the input ends group and run early. busy_o is high until the last sum was taken.
// Handshake   valid/ready; TVALID from a register, s_axis_tready depends on m_axis_tready and is
//             low between runs.
// Latency     the sum comes the cycle after the group's last word. Throughput: a word a cycle.
// Reset       rst_ni synchronous, active low; ends the run.
// Requires    words_i and groups_i are not 0 (asserted). All bytes of a word count, whatever TKEEP
//             is.

module sl_hwt_reduce (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic        start_i,
    input  logic [15:0] words_i,
    input  logic [31:0] groups_i,
    output logic        busy_o,

    input  logic [31:0] s_axis_tdata,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,

    output logic [31:0] m_axis_tdata,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);

  logic [31:0] sum_q, sum, groups_q;  // groups to come after the one at hand
  logic [15:0] last_q, count_q;       // words of a group, less one; of this one so far
  logic        more_q;                // words of the run are to come
  logic        group_end, last;

  assign s_axis_tready = more_q && (!m_axis_tvalid || m_axis_tready);
  assign group_end     = s_axis_tlast || count_q == last_q;
  assign last          = s_axis_tlast || groups_q == '0;
  assign sum           = sum_q + 32'(s_axis_tdata[7:0]) + 32'(s_axis_tdata[15:8]) +
                         32'(s_axis_tdata[23:16]) + 32'(s_axis_tdata[31:24]);
  assign busy_o        = more_q || m_axis_tvalid;

  always_ff @(posedge clk_i) begin
    if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (s_axis_tvalid && s_axis_tready) begin
      sum_q   <= sum;
      count_q <= count_q + 1'b1;
      if (group_end) begin
        m_axis_tvalid <= 1'b1;
        m_axis_tdata  <= sum;
        m_axis_tlast  <= last;
        sum_q         <= '0;
        count_q       <= '0;
        groups_q      <= groups_q - 1'b1;
        more_q        <= !last;
      end
    end
    if (start_i && !busy_o) begin
      last_q   <= words_i - 1'b1;
      groups_q <= groups_i - 1'b1;
      sum_q    <= '0;
      count_q  <= '0;
      more_q   <= 1'b1;
    end
    if (!rst_ni) begin
      more_q        <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (!rst_ni || !start_i || busy_o || (words_i != '0 && groups_i != '0))
    else $error("%m: run of no words");
  end
`endif

endmodule
