// SPDX-License-Identifier: Apache-2.0
//
// sl_skid: register slice; cuts every path between its two sides, valid, ready and data.
//
// Handshake   valid/ready on both sides; in_ready_o and all outputs come from registers. A word
//             shown at the output stays until taken or until clear_i.
// Latency     1 cycle from in to out.
// Throughput  one word a cycle; it holds up to two words.
// Reset       rst_ni or clear_i empties it; data registers are not reset.
//
// Width       1 to 4096 bits

module sl_skid #(
    parameter int unsigned Width = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,

    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [Width-1:0] in_data_i,

    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_data_o
);

  if (Width < 1 || Width > 4096) begin : gen_bad_width
    $fatal(1, "%m: Width must be 1..4096, is %0d", Width);
  end

  logic             out_valid_q, skid_valid_q;
  logic [Width-1:0] out_q, skid_q;

  assign in_ready_o  = !skid_valid_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_q;

  always_ff @(posedge clk_i) begin
    if (!skid_valid_q) skid_q <= in_data_i;
    if (out_ready_i || !out_valid_q) begin
      out_q        <= skid_valid_q ? skid_q : in_data_i;
      out_valid_q  <= skid_valid_q || in_valid_i;
      skid_valid_q <= 1'b0;
    end else if (in_valid_i) begin
      skid_valid_q <= 1'b1;
    end
    if (!rst_ni || clear_i) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end
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
  end
`endif

endmodule
