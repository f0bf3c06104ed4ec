// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_guard_out: one channel of sl_axi_guard towards the memory; can be cut off at any cycle.
//
// Handshake   cut_i low: a word passes, Register=0: combinationally, VALID, READY and payload;
//             Register=1: through a register, s_ready_o = register free or m_ready_i.
//             cut_i high (level, kept until reset): s_ready_o is high and words are lost; no new
//             m_valid_o rises; one that is up stays, with its payload, until taken.
// Latency     Register cycles; one word a cycle.
// Reset       rst_ni synchronous, active low.
// Width       1..4096 bits
// Register    0: a LUT for each bit of payload; 1: none, and a cycle more

module sl_axi_guard_out #(
    parameter int unsigned Width    = 8,
    parameter bit          Register = 1'b0
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             cut_i,
    input  logic             s_valid_i,
    output logic             s_ready_o,
    input  logic [Width-1:0] s_data_i,
    output logic             m_valid_o,
    input  logic             m_ready_i,
    output logic [Width-1:0] m_data_o
);

  if (Width < 1 || Width > 4096) begin : gen_bad_width
    $fatal(1, "%m: Width must be 1..4096, is %0d", Width);
  end

  logic             held_valid_q;
  logic [Width-1:0] held_q;

  if (Register) begin : gen_register
    assign m_valid_o = held_valid_q;
    assign m_data_o  = held_q;
    assign s_ready_o = cut_i || !held_valid_q || m_ready_i;

    always_ff @(posedge clk_i) begin
      if (!held_valid_q || m_ready_i) begin
        held_valid_q <= s_valid_i && !cut_i;
        held_q       <= s_data_i;
      end
      if (!rst_ni) held_valid_q <= 1'b0;
    end
  end else begin : gen_through
    // held_valid_q: VALID was left waiting. The payload is kept from the last cycle before the cut.
    assign m_valid_o = cut_i ? held_valid_q : s_valid_i;
    assign m_data_o  = cut_i ? held_q : s_data_i;
    assign s_ready_o = cut_i || m_ready_i;

    always_ff @(posedge clk_i) begin
      held_valid_q <= rst_ni && m_valid_o && !m_ready_i;
      if (!cut_i) held_q <= s_data_i;
    end
  end

endmodule
