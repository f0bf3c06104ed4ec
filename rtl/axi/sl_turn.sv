// SPDX-License-Identifier: Apache-2.0
//
// sl_turn: whose turn it is, of several that ask: round robin.
//
// Operation   sel_o is the first that asks after last_i, in a ring; last_i itself comes last, and
//             is what sel_o says while nobody asks. any_o: somebody asks. Keeping last_i, the one
//             served last, is the user's.
// Latency     combinational, 0 cycles.
// Parameters  NumRequests 1..32, refused otherwise.

module sl_turn #(
    parameter int unsigned NumRequests = 2,
    localparam int unsigned SelWidth   = NumRequests > 1 ? $clog2(NumRequests) : 1
) (
    input  logic [NumRequests-1:0] ask_i,
    input  logic [SelWidth-1:0]    last_i,
    output logic [SelWidth-1:0]    sel_o,
    output logic                   any_o
);

  if (NumRequests < 1 || NumRequests > 32) begin : gen_bad_num_requests
    $fatal(1, "%m: NumRequests must be 1..32, is %0d", NumRequests);
  end

  // Those after last_i come first.
  logic [NumRequests-1:0] after;

  assign any_o = ask_i != '0;

  always_comb begin
    for (int unsigned i = 0; i < NumRequests; i++) after[i] = ask_i[i] && i > 32'(last_i);
    sel_o = last_i;
    for (int unsigned i = NumRequests; i > 0; i--) begin
      if (after != '0 ? after[i-1] : ask_i[i-1]) sel_o = SelWidth'(i - 1);
    end
  end

endmodule
