// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_irq: the interrupt block of sl_xdma: what is pending, and which vectors are sent for it.
//
// Pending     a channel's or a user's line, while it is enabled.
// Vectors     when an interrupt begins to be pending, or a channel's still is while channel_seen_i
//             shows that software has looked and acknowledged, its vector is sent once: vector_o
//             with vector_valid_o, held until vector_ready_i. Interrupts that wait are sent in
//             turns; one that began again meanwhile is sent once.
// Level       intx_o: anything is pending.
// Latency     a line to vector_valid_o 4 cycles.
// Reset       rst_ni, synchronous.
//
// NumChannels 1..8, NumUser 0..16.
// Follows     AMD PG195 v4.1, "Interrupts", "IRQ Block Registers"; regs/sl_xdma_irq.rdl.

`include "sl_axi.svh"

module sl_xdma_irq #(
    parameter int unsigned NumChannels = 2,  // H2C and C2H together
    parameter int unsigned NumUser     = 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,

    input  logic [NumChannels-1:0] channel_i,  // levels; H2C channels from bit 0, then C2H
    input  logic [NumChannels-1:0] channel_seen_i,
    input  logic [15:0]            user_i,     // levels; those from NumUser on are not looked at

    output logic                   intx_o,
    output logic                   vector_valid_o,
    input  logic                   vector_ready_i,
    output logic [4:0]             vector_o,

    sl_axil_if.slv                 s_axil
);

  localparam int unsigned Lines    = 24;  // channels from 0, users from 8
  localparam logic [15:0] Users    = 16'((17'd1 << NumUser) - 17'd1);
  localparam logic [7:0]  Channels = 8'((9'd1 << NumChannels) - 9'd1);

  if (NumChannels < 1 || NumChannels > 8) begin : gen_bad_num_channels
    $fatal(1, "%m: NumChannels must be 1..8, is %0d", NumChannels);
  end
  if (NumUser > 16) begin : gen_bad_num_user
    $fatal(1, "%m: NumUser must be 0..16, is %0d", NumUser);
  end

  sl_xdma_irq_regs_pkg::sl_xdma_irq__in_t  regs_in;
  sl_xdma_irq_regs_pkg::sl_xdma_irq__out_t regs;

  sl_xdma_irq_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 8),
      .hwif_in (regs_in),
      .hwif_out(regs)
  );

  // ---- enables ----------------------------------------------------------------------------------
  assign regs_in.IDENTIFIER.VERSION.next = sl_xdma_pkg::RegVersion;

  sl_xdma_set_clear #(
      .Width(16)
  ) u_user_enable (
      .clk_i,
      .rst_ni,
      .set_i  (regs.USER_ENABLE_W1S.BITS.swmod),
      .clear_i(regs.USER_ENABLE_W1C.BITS.swmod),
      .ones_i (regs.USER_ENABLE_W1S.BITS.value),
      .zeros_i(regs.USER_ENABLE_W1C.BITS.value),
      .value_i(regs.USER_ENABLE.BITS.value),
      .we_o   (regs_in.USER_ENABLE.BITS.we),
      .next_o (regs_in.USER_ENABLE.BITS.next)
  );

  sl_xdma_set_clear #(
      .Width(8)
  ) u_channel_enable (
      .clk_i,
      .rst_ni,
      .set_i  (regs.CHANNEL_ENABLE_W1S.BITS.swmod),
      .clear_i(regs.CHANNEL_ENABLE_W1C.BITS.swmod),
      .ones_i (regs.CHANNEL_ENABLE_W1S.BITS.value),
      .zeros_i(regs.CHANNEL_ENABLE_W1C.BITS.value),
      .value_i(regs.CHANNEL_ENABLE.BITS.value),
      .we_o   (regs_in.CHANNEL_ENABLE.BITS.we),
      .next_o (regs_in.CHANNEL_ENABLE.BITS.next)
  );

  // ---- pending ----------------------------------------------------------------------------------
  logic [7:0]       channel;
  logic [15:0]      user;
  logic [Lines-1:0] pending, pending_q, waiting_q, taken;

  assign channel = 8'(channel_i) & Channels;
  assign user    = user_i & Users;
  assign pending = {user & regs.USER_ENABLE.BITS.value, channel & regs.CHANNEL_ENABLE.BITS.value};

  assign regs_in.USER_REQUEST.BITS.next    = user;
  assign regs_in.CHANNEL_REQUEST.BITS.next = channel;
  assign regs_in.USER_PENDING.BITS.next    = pending[23:8];
  assign regs_in.CHANNEL_PENDING.BITS.next = pending[7:0];

  always_ff @(posedge clk_i) begin
    intx_o    <= pending != '0;
    pending_q <= pending;
    waiting_q <= (waiting_q & ~taken) | (pending & (~pending_q | Lines'(channel_seen_i)));
    if (!rst_ni) begin
      intx_o    <= 1'b0;
      pending_q <= '0;
      waiting_q <= '0;
    end
  end

  // ---- sending ----------------------------------------------------------------------------------
  logic [Lines-1:0][4:0] vectors;
  logic [4:0]            line, turn_q;
  logic                  any, turn_valid_q;

  assign vectors = {
      regs.USER_VECTOR3.V3.value, regs.USER_VECTOR3.V2.value,
      regs.USER_VECTOR3.V1.value, regs.USER_VECTOR3.V0.value,
      regs.USER_VECTOR2.V3.value, regs.USER_VECTOR2.V2.value,
      regs.USER_VECTOR2.V1.value, regs.USER_VECTOR2.V0.value,
      regs.USER_VECTOR1.V3.value, regs.USER_VECTOR1.V2.value,
      regs.USER_VECTOR1.V1.value, regs.USER_VECTOR1.V0.value,
      regs.USER_VECTOR0.V3.value, regs.USER_VECTOR0.V2.value,
      regs.USER_VECTOR0.V1.value, regs.USER_VECTOR0.V0.value,
      regs.CHANNEL_VECTOR1.V3.value, regs.CHANNEL_VECTOR1.V2.value,
      regs.CHANNEL_VECTOR1.V1.value, regs.CHANNEL_VECTOR1.V0.value,
      regs.CHANNEL_VECTOR0.V3.value, regs.CHANNEL_VECTOR0.V2.value,
      regs.CHANNEL_VECTOR0.V1.value, regs.CHANNEL_VECTOR0.V0.value
  };

  sl_turn #(
      .NumRequests(Lines)
  ) u_turn (
      .ask_i (waiting_q),
      .last_i(turn_q),
      .sel_o (line),
      .any_o (any)
  );

  // turn_q is the line whose turn it is, where turn_valid_q, else the one that had it last.
  always_comb begin
    taken = '0;
    if (turn_valid_q) taken[turn_q] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    turn_valid_q <= any && !turn_valid_q && !vector_valid_o;
    if (any && !turn_valid_q && !vector_valid_o) turn_q <= line;
    if (vector_ready_i) vector_valid_o <= 1'b0;
    if (turn_valid_q) begin
      vector_valid_o <= 1'b1;
      vector_o       <= vectors[turn_q];
    end
    if (!rst_ni) begin
      vector_valid_o <= 1'b0;
      turn_valid_q   <= 1'b0;
      turn_q         <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axil.awaddr, s_axil.araddr, regs.USER_ENABLE.BITS.swmod,
                    regs.CHANNEL_ENABLE.BITS.swmod};

endmodule
