// SPDX-License-Identifier: Apache-2.0
//
// sl_dma_timeout: decides that memory, or the other side of a stream, will not answer any more.
//
// Operation   wait_i high for Timeout cycles on end: expired_o rises. Hold=1: it stays until
//             rst_ni. Hold=0: it falls a cycle after wait_i.
// Latency     wait_i rising to expired_o: Timeout cycles.
// Reset       rst_ni, synchronous. Where a soft reset is what waits, not that one.
//
// Timeout     0 to 2^30 cycles; 0: never

module sl_dma_timeout #(
    parameter int unsigned Timeout = 1 << 20,
    parameter bit          Hold    = 1'b1
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic wait_i,
    output logic expired_o
);

  if (Timeout > 1 << 30) begin : gen_bad_timeout
    $fatal(1, "%m: Timeout must be 0..2^30, is %0d", Timeout);
  end

  if (Timeout == 0) begin : gen_never
    logic unused;
    assign unused    = &{1'b0, clk_i, rst_ni, wait_i};
    assign expired_o = 1'b0;
  end else begin : gen_count
    localparam int unsigned Bits = $clog2(Timeout + 1);
    logic [Bits-1:0] count_q;

    logic            last;
    assign last = count_q == Bits'(Timeout - 1);

    always_ff @(posedge clk_i) begin
      if (!wait_i) count_q <= '0;
      else if (!last) count_q <= count_q + 1'b1;
      expired_o <= (wait_i && last) || (Hold && expired_o);
      if (!rst_ni) begin
        count_q   <= '0;
        expired_o <= 1'b0;
      end
    end
  end

endmodule
