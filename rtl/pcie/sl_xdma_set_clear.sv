// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_set_clear: what a register becomes by a write of its set (W1S) or clear (W1C) address.
//
// Operation   set_i or clear_i, pulses, come a cycle before the bits written, as the generated
//             register files give them: swmod, then value. The next cycle we_o is high, and next_o
//             is value_i with these bits set or cleared. Both pulses never come in one cycle.
// Latency     1 cycle from the pulse to we_o; next_o is combinational from value_i, ones_i,
//             zeros_i.
// Reset       rst_ni, synchronous: a pulse is forgotten.
//
// Width 1 to 32.

module sl_xdma_set_clear #(
    parameter int unsigned Width = 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    input  logic             set_i,
    input  logic             clear_i,
    input  logic [Width-1:0] ones_i,   // written to the set address
    input  logic [Width-1:0] zeros_i,  // written to the clear address
    input  logic [Width-1:0] value_i,  // of the register
    output logic             we_o,
    output logic [Width-1:0] next_o
);

  if (Width < 1 || Width > 32) begin : gen_bad_width
    $fatal(1, "%m: Width must be 1..32, is %0d", Width);
  end

  logic set_q, clear_q;

  always_ff @(posedge clk_i) begin
    set_q   <= rst_ni && set_i;
    clear_q <= rst_ni && clear_i;
  end

  assign we_o   = set_q || clear_q;
  assign next_o = set_q ? value_i | ones_i : value_i & ~zeros_i;

endmodule
