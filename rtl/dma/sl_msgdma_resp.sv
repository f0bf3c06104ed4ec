// SPDX-License-Identifier: Apache-2.0
// Response port of sl_msgdma: a queue of responses behind two registers.
//
// Handshake: `in_ready_o` depends on the fill level only. A read of STATUS takes the response shown
//   away; with none there both registers read 0 and nothing is taken.
// Level: `level_o` counts a response from the cycle after it was taken in until STATUS is read.
// Reset: `rst_ni` resets the port, `clear_ni` empties the queue (soft reset); a read in flight is
//   answered.
// Parameters: Depth 16..2048, power of two, responses; LenWidth 10..32, bits of a response's bytes.
// Specification: regs/sl_msgdma_resp.rdl.

`include "sl_axi.svh"

module sl_msgdma_resp
  import sl_msgdma_pkg::*;
#(
    parameter int unsigned Depth    = 64,
    parameter int unsigned LenWidth = 31
) (
    input logic clk_i,
    input logic rst_ni,
    input logic clear_ni,

    sl_axil_if.slv s_axil,

    input  logic                   in_valid_i,
    output logic                   in_ready_o,
    input  response_t              in_i,
    output logic [$clog2(Depth):0] level_o
);
  typedef struct packed {
    logic                early;
    logic [4:0]          error;
    logic [LenWidth-1:0] bytes;
  } entry_t;

  sl_msgdma_resp_regs_pkg::sl_msgdma_resp__in_t  hwif_in;
  sl_msgdma_resp_regs_pkg::sl_msgdma_resp__out_t hwif_out;
  logic                   push, pop, head_valid, unused_in_ready;
  logic [$clog2(Depth):0] unused_count;
  entry_t                 head;
  logic [$clog2(Depth):0] level_q;

  sl_msgdma_resp_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 3),
      .hwif_in,
      .hwif_out
  );

  sl_fifo #(
      .Width($bits(entry_t)),
      .Depth(Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni     (clear_ni),
      .clear_i    (1'b0),
      .in_valid_i (push),
      .in_ready_o (unused_in_ready),
      .in_data_i  ({in_i.early, in_i.error, in_i.bytes[LenWidth-1:0]}),
      .out_valid_o(head_valid),
      .out_ready_i(pop),
      .out_data_o (head),
      .count_o    (unused_count)
  );

  assign in_ready_o = !level_q[$clog2(Depth)];
  assign push       = in_valid_i && in_ready_o;
  assign pop        = hwif_out.STATUS.req && !hwif_out.STATUS.req_is_wr && head_valid;
  assign level_o    = level_q;

  always_ff @(posedge clk_i) begin
    if (push && !pop) level_q <= level_q + 1'b1;
    if (pop && !push) level_q <= level_q - 1'b1;
    if (!clear_ni) level_q <= '0;
  end

  assign hwif_in.BYTES.rd_ack   = hwif_out.BYTES.req && !hwif_out.BYTES.req_is_wr;
  assign hwif_in.BYTES.rd_data  = head_valid ? 32'(head.bytes) : '0;
  assign hwif_in.STATUS.rd_ack  = hwif_out.STATUS.req && !hwif_out.STATUS.req_is_wr;
  assign hwif_in.STATUS.rd_data = head_valid ? {23'd0, head.early, 3'd0, head.error} : '0;
endmodule
