// SPDX-License-Identifier: Apache-2.0
// The capability block of a lane that captures: sl_capability with one channel, that of S2MM.
//
// BEATS are those of the memory port. DROPS are the dropper's: its count moves by one at most, so
//   that the lowest bit shows each dropped beat.
// Reset: `rst_ni`, everything.
// Parameters: those of sl_capability, checked there.
// Specification: regs/sl_capability.rdl.

`include "sl_axi.svh"

module sl_lane_capability #(
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned Snapshots   = 16,
    parameter int unsigned ClockHz     = 0,     // reported
    parameter int unsigned DataWidth   = 64,    // reported
    parameter int unsigned BufferBeats = 512,   // reported
    parameter bit          Unaligned   = 1'b0   // reported
) (
    input logic                clk_i,
    input logic                rst_ni,
    sl_axil_if.slv             s_axil,
    input logic                fault_i,       // as of sl_axi_dma
    input logic                beat_i,        // WVALID && WREADY of the port
    input logic [3:0]          stall_i,       // of S2MM, a cycle behind the port
    input logic                done_i,        // of S2MM
    input logic [LenWidth-1:0] done_bytes_i,  // bytes of done_i
    input logic                drop_odd_i,    // lowest bit of sl_stream_dropper's count
    input logic                clear_i        // that count is cleared
);

  logic beat_q, odd_q, drop;

  assign drop = drop_odd_i != odd_q;

  always_ff @(posedge clk_i) begin
    beat_q <= beat_i;  // in step with stall_i
    odd_q  <= drop_odd_i && !clear_i;
    if (!rst_ni) begin
      beat_q <= 1'b0;
      odd_q  <= 1'b0;
    end
  end

  sl_capability #(
      .NumChannels(1),
      .LenWidth   (LenWidth),
      .Snapshots  (Snapshots),
      .ClockHz    (ClockHz),
      .DataWidth  (DataWidth),
      .AddrWidth  (32),
      .BufferBeats(BufferBeats),
      .HasSg      (1'b1),
      .HasCyclic  (1'b1),
      .Unaligned  (Unaligned)
  ) u_capability (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, s_axil., 12),
      .fault_i      ({7'd0, fault_i}),
      .beat_i       (beat_q),
      .stall_i,
      .drop_i       (drop),
      .done_i,
      .done_bytes_i
  );
endmodule
