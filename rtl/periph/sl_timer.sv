// SPDX-License-Identifier: Apache-2.0
//
// sl_timer: a timer with an interrupt and a counter of cycles, on the registers of sl_reg_periph;
// an accelerator as small as one can be, for measuring register accesses and interrupts.
//
// Timer       A write to DELAY of N > 0 starts it: EVENT.EXPIRED is set N + 1 cycles after the
//             write was taken. A further write, taken before that, starts it again, or with 0
//             stops it. An event that is set stays until software clears it.
// Counter     CYCLES counts every cycle from the end of reset. EXPIRED is its lower half in the
//             first cycle in which the last event was set, so CYCLES_LO - EXPIRED is its age.
// irq_o       Level: EVENT.EXPIRED and IRQ_ENABLE.EXPIRED.
// Handshake, latency, errors, reset: sl_reg_periph; SLVERR beyond the last register.
// Parameters  AddrWidth, checked in sl_reg_periph.
// Follows     regs/sl_timer.rdl.

`include "sl_axi.svh"

module sl_timer #(
    parameter int unsigned AddrWidth = 12
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,

    input  logic [AddrWidth-1:0] s_axil_awaddr,
    input  logic [2:0]           s_axil_awprot,
    input  logic                 s_axil_awvalid,
    output logic                 s_axil_awready,
    input  logic [31:0]          s_axil_wdata,
    input  logic [3:0]           s_axil_wstrb,
    input  logic                 s_axil_wvalid,
    output logic                 s_axil_wready,
    output logic [1:0]           s_axil_bresp,
    output logic                 s_axil_bvalid,
    input  logic                 s_axil_bready,
    input  logic [AddrWidth-1:0] s_axil_araddr,
    input  logic [2:0]           s_axil_arprot,
    input  logic                 s_axil_arvalid,
    output logic                 s_axil_arready,
    output logic [31:0]          s_axil_rdata,
    output logic [1:0]           s_axil_rresp,
    output logic                 s_axil_rvalid,
    input  logic                 s_axil_rready,

    output logic                 irq_o
);

  import sl_timer_addr_pkg::*;

  localparam int unsigned Identity  = int'(IDENTITY_OFFSET) / 4;
  localparam int unsigned IrqEnable = int'(IRQ_ENABLE_OFFSET) / 4;
  localparam int unsigned Delay     = int'(DELAY_OFFSET) / 4;
  localparam int unsigned Event     = int'(EVENT_OFFSET) / 4;
  localparam int unsigned CyclesLo  = int'(CYCLES_LO_OFFSET) / 4;
  localparam int unsigned CyclesHi  = int'(CYCLES_HI_OFFSET) / 4;
  localparam int unsigned Expired   = int'(EXPIRED_OFFSET) / 4;
  localparam int unsigned NumRegs   = Expired + 1;

  function automatic logic [2*NumRegs-1:0] kinds();
    kinds = '0;  // CONTROL, but for these
    kinds[2*Identity+:2] = 2'd1;
    kinds[2*CyclesLo+:2] = 2'd1;
    kinds[2*CyclesHi+:2] = 2'd1;
    kinds[2*Expired+:2]  = 2'd1;
    kinds[2*Event+:2]    = 2'd2;
  endfunction

  logic [NumRegs-1:0][31:0] value, hw;
  logic [NumRegs-1:0]       written;
  logic [63:0]              cycles_q;
  logic [31:0]              left_q, expired_q;
  logic                     expires, unused_irq;

  sl_reg_periph #(
      .NumRegs  (NumRegs),
      .AddrWidth(AddrWidth),
      .Kind     (kinds())
  ) u_regs (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr,
      .s_axil_awprot,
      .s_axil_awvalid,
      .s_axil_awready,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_wvalid,
      .s_axil_wready,
      .s_axil_bresp,
      .s_axil_bvalid,
      .s_axil_bready,
      .s_axil_araddr,
      .s_axil_arprot,
      .s_axil_arvalid,
      .s_axil_arready,
      .s_axil_rdata,
      .s_axil_rresp,
      .s_axil_rvalid,
      .s_axil_rready,
      .hw_i   (hw),
      .value_o(value),
      .write_o(written),
      .irq_o  (unused_irq)  // before its mask
  );

  always_comb begin
    hw           = '0;
    hw[Identity] = IDENTITY_DEFAULT;
    hw[CyclesLo] = cycles_q[31:0];
    hw[CyclesHi] = cycles_q[63:32];
    hw[Expired]  = expired_q;
    hw[Event]    = 32'(expires);
  end

  // In the cycle of a write the new delay takes the place of one that ends.
  assign expires = left_q == 32'd1 && !written[Delay];
  assign irq_o   = (value[Event] & value[IrqEnable] & EVENT_EXPIRED_MASK) != '0;

  always_ff @(posedge clk_i) begin
    cycles_q <= cycles_q + 1'b1;
    if (written[Delay]) left_q <= value[Delay];
    else if (left_q != '0) left_q <= left_q - 1'b1;
    if (expires) expired_q <= cycles_q[31:0] + 1'b1;
    if (!rst_ni) begin
      cycles_q  <= '0;
      left_q    <= '0;
      expired_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{value, written};

endmodule
