// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt_xor: a hardware thread that reads: the exclusive or of a run of words.
//
// Run         start_i with busy_o low begins one of words_i words; it takes them, whatever packets
//             they are of, and nothing beyond. busy_o falls with the last; result_o then is their
//             exclusive or, until the next start.
// Handshake   TREADY is high during a run. Throughput: a word a cycle.
// Reset       rst_ni synchronous, active low; ends the run, result_o becomes 0.
// Requires    words_i is not 0 (asserted). All bytes of a word count, whatever TKEEP is.

module sl_hwt_xor (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic        start_i,
    input  logic [31:0] words_i,
    output logic        busy_o,
    output logic [31:0] result_o,

    input  logic [31:0] s_axis_tdata,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready
);

  logic        busy_q;
  logic [31:0] left_q;  // words of the run, less one

  assign busy_o        = busy_q;
  assign s_axis_tready = busy_q;

  always_ff @(posedge clk_i) begin
    if (s_axis_tvalid && s_axis_tready) begin
      result_o <= result_o ^ s_axis_tdata;
      left_q   <= left_q - 1'b1;
      busy_q   <= left_q != '0;
    end
    if (start_i && !busy_q) begin
      result_o <= '0;
      left_q   <= words_i - 1'b1;
      busy_q   <= 1'b1;
    end
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      result_o <= '0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (!rst_ni || !start_i || busy_q || words_i != '0) else $error("%m: run of no words");
  end
`endif

endmodule
