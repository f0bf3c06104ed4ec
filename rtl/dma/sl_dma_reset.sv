// SPDX-License-Identifier: Apache-2.0
// Soft reset of a DMA engine: brings its movers to rest, then resets the whole engine in one
// cycle.
//
// Operation: `req_i` (the stored reset bits) raises `quiesce_o`, which halts the movers (issued
//   bursts end legally, nothing new is issued) and keeps everything from starting. Once `quiet_i`
//   is high, `rst_no` is low for one cycle: movers, front ends and register fields, the reset bits
//   among them, return to the reset state.
// Latency: 3 cycles from `req_i` to the end of `rst_no` where the movers are idle; else as long as
//   the memory takes to answer the bursts it has accepted. There is no time limit here, see
//   sl_dma_timeout.
// Reset: `rst_ni` low holds `rst_no` low and forgets a request.
// Follows: AMD PG021 v7.1 DMACR, PG034 v4.1 CDMACR: bit 2.
module sl_dma_reset (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic req_i,      // level: a reset bit is set
    input  logic quiet_i,    // all movers are idle under halt
    output logic quiesce_o,  // reset in progress: halt the movers, start nothing
    output logic rst_no      // engine reset: movers, front ends, register fields
);
  typedef enum logic [1:0] {
    RUN,
    DRAIN,
    CLEAR
  } state_e;

  state_e state_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      RUN:     if (req_i) state_q <= DRAIN;
      DRAIN:   if (quiet_i) state_q <= CLEAR;
      default: state_q <= RUN;
    endcase
    if (!rst_ni) state_q <= RUN;
  end

  assign quiesce_o = state_q != RUN;
  assign rst_no    = rst_ni && state_q != CLEAR;
endmodule
