// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt_count: a hardware thread that writes: words that count up, a packet a run.
//
// Run         start_i with busy_o low begins one of words_i words, the first of which is first_i;
//             TLAST is with the last; busy_o is high until that was taken.
// Handshake   valid/ready, from registers. Throughput: a word a cycle. Latency: TVALID one cycle
//             after start_i.
// Reset       rst_ni synchronous, active low; ends the run.
// Requires    words_i is not 0 (asserted).

module sl_hwt_count (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic        start_i,
    input  logic [31:0] first_i,
    input  logic [31:0] words_i,
    output logic        busy_o,

    output logic [31:0] m_axis_tdata,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);

  logic [31:0] left_q;  // words after the one that is shown

  assign busy_o       = m_axis_tvalid;
  assign m_axis_tlast = left_q == '0;

  always_ff @(posedge clk_i) begin
    if (m_axis_tvalid && m_axis_tready) begin
      m_axis_tdata  <= m_axis_tdata + 1'b1;
      left_q        <= left_q - 1'b1;
      m_axis_tvalid <= !m_axis_tlast;
    end
    if (start_i && !busy_o) begin
      m_axis_tdata  <= first_i;
      left_q        <= words_i - 1'b1;
      m_axis_tvalid <= 1'b1;
    end
    if (!rst_ni) m_axis_tvalid <= 1'b0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (!rst_ni || !start_i || busy_o || words_i != '0) else $error("%m: run of no words");
  end
`endif

endmodule
