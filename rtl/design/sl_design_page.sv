// SPDX-License-Identifier: Apache-2.0
// Design page: which design this is, how it was built, and a counter of ticks since reset.
//
// Control: AXI4-Lite, 4 KiB (regs/sl_design_page.rdl); answers of the generated register file.
// faults_i: shown in FAULTS as it is; the engines' fault_o stand by themselves.
// Reset: `rst_ni`; TICKS counts from its end.

`include "sl_axi.svh"

module sl_design_page #(
    parameter logic [31:0] Identity  = 32'h0,  // four characters
    parameter logic [15:0] Version   = 16'h0,  // {major, minor}
    parameter int unsigned NumPorts  = 1,      // the rest as in regs/sl_design_page.rdl, CONFIG
    parameter int unsigned DataWidth = 64,
    parameter int unsigned LenWidth  = 26,
    parameter bit          Unaligned = 1'b0
) (
    input logic       clk_i,
    input logic       rst_ni,
    sl_axil_if.slv    s_axil,
    input logic [7:0] faults_i
);

  sl_design_page_regs_pkg::sl_design_page__in_t hwif_in;
  logic [63:0] ticks_q;

  always_ff @(posedge clk_i) begin
    ticks_q <= ticks_q + 1'b1;
    if (!rst_ni) ticks_q <= '0;
  end

  assign hwif_in.IDENTITY.VALUE.next    = Identity;
  assign hwif_in.VERSION.MINOR.next     = Version[7:0];
  assign hwif_in.VERSION.MAJOR.next     = Version[15:8];
  assign hwif_in.CONFIG.NUM_PORTS.next  = 3'(NumPorts);
  assign hwif_in.CONFIG.DATA_BYTES.next = 8'(DataWidth / 8);
  assign hwif_in.CONFIG.LEN_BITS.next   = 6'(LenWidth);
  assign hwif_in.CONFIG.UNALIGNED.next  = Unaligned;
  assign hwif_in.TICKS_LO.VALUE.next    = ticks_q[31:0];
  assign hwif_in.TICKS_HI.VALUE.next    = ticks_q[63:32];
  assign hwif_in.FAULTS.VALUE.next      = faults_i;

  sl_design_page_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 12),
      .hwif_in
  );
endmodule
