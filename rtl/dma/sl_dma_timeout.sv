// SPDX-License-Identifier: Apache-2.0
//
// sl_dma_timeout: decides that memory will not answer any more.
//
// Operation   wait_i high for Timeout cycles on end: expired_o rises, and stays until rst_ni.
// Latency     wait_i rising to expired_o: Timeout cycles.
// Reset       rst_ni, synchronous; not a soft reset, which is what is being waited for.
//
// Timeout     0 to 2^30 cycles; 0: never

module sl_dma_timeout #(
    parameter int unsigned Timeout = 1 << 20
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

    always_ff @(posedge clk_i) begin
      count_q <= wait_i ? count_q + 1'b1 : '0;
      if (wait_i && count_q == Bits'(Timeout - 1)) expired_o <= 1'b1;
      if (!rst_ni) begin
        count_q   <= '0;
        expired_o <= 1'b0;
      end
    end
  end

endmodule
