// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_shared: the registers that the channels of sl_xdma share: configuration and reset,
// halting of fetches and credits.
//
// Reset       reset_o[c] from the write of its bit until reset_done_i[c], a pulse.
// Latency     a write taken to the outputs 1 cycle, by a set or clear register 2.
//
// Follows     AMD PG195 v4.1, "Config Block", "SGDMA Common"; regs/sl_xdma_config.rdl,
//             regs/sl_xdma_common.rdl.

`include "sl_axi.svh"

module sl_xdma_shared #(
    parameter int unsigned NumH2c    = 1,    // 1..4
    parameter int unsigned NumC2h    = 1,    // 1..4
    parameter int unsigned DataWidth = 256,  // of the buses, for software to read
    localparam int unsigned NumCh    = NumH2c + NumC2h
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    input  logic [15:0]      cfg_bdf_i,
    input  logic [2:0]       cfg_max_payload_i,
    input  logic [2:0]       cfg_max_read_request_i,
    input  logic             cfg_msi_i,
    input  logic             cfg_msix_i,

    // A bit a channel: H2C from bit 0, then C2H
    output logic [NumCh-1:0] reset_o,
    input  logic [NumCh-1:0] reset_done_i,
    input  logic [NumCh-1:0] cut_off_i,
    output logic [NumCh-1:0] fetch_halt_o,
    output logic [NumCh-1:0] credit_mode_o,

    sl_axil_if.slv           s_axil_config,
    sl_axil_if.slv           s_axil_common
);

  localparam logic [3:0] H2cMask = 4'((5'd1 << NumH2c) - 5'd1);

  sl_xdma_config_regs_pkg::sl_xdma_config__in_t  cfg_in;
  sl_xdma_config_regs_pkg::sl_xdma_config__out_t cfg;
  sl_xdma_common_regs_pkg::sl_xdma_common__in_t  com_in;
  sl_xdma_common_regs_pkg::sl_xdma_common__out_t com;

  sl_xdma_config_regs u_config (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_config., 8),
      .hwif_in (cfg_in),
      .hwif_out(cfg)
  );

  sl_xdma_common_regs u_common (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_common., 8),
      .hwif_in (com_in),
      .hwif_out(com)
  );

  // A bit a channel, from and to the registers' H2C and C2H parts.
  function automatic logic [NumCh-1:0] channels(logic [3:0] h2c, logic [3:0] c2h);
    return NumCh'({4'd0, c2h} << NumH2c | {4'd0, h2c & H2cMask});
  endfunction

  // ---- configuration ----------------------------------------------------------------------------
  assign cfg_in.IDENTIFIER.VERSION.next    = sl_xdma_pkg::RegVersion;
  assign cfg_in.BUSDEV.BDF.next            = cfg_bdf_i;
  assign cfg_in.MAX_PAYLOAD.SIZE.next      = cfg_max_payload_i;
  assign cfg_in.MAX_READ_REQUEST.SIZE.next = cfg_max_read_request_i;
  assign cfg_in.MSI_ENABLE.MSI.next        = cfg_msi_i;
  assign cfg_in.MSI_ENABLE.MSIX.next       = cfg_msix_i;
  assign cfg_in.DATA_WIDTH.WIDTH.next      = 3'($clog2(DataWidth) - 6);

  // ---- reset: that of a channel that is not built ends at once ----------------------------------
  logic [3:0] h2c_done, c2h_done;

  always_comb begin
    h2c_done = '1;
    c2h_done = '1;
    h2c_done[NumH2c-1:0] = reset_done_i[NumH2c-1:0];
    c2h_done[NumC2h-1:0] = reset_done_i[NumCh-1:NumH2c];
  end

  assign cfg_in.RESET.H2C0.hwclr = h2c_done[0];
  assign cfg_in.RESET.H2C1.hwclr = h2c_done[1];
  assign cfg_in.RESET.H2C2.hwclr = h2c_done[2];
  assign cfg_in.RESET.H2C3.hwclr = h2c_done[3];
  assign cfg_in.RESET.C2H0.hwclr = c2h_done[0];
  assign cfg_in.RESET.C2H1.hwclr = c2h_done[1];
  assign cfg_in.RESET.C2H2.hwclr = c2h_done[2];
  assign cfg_in.RESET.C2H3.hwclr = c2h_done[3];

  assign cfg_in.CUT_OFF.H2C.next = 4'(cut_off_i[NumH2c-1:0]);
  assign cfg_in.CUT_OFF.C2H.next = 4'(cut_off_i[NumCh-1:NumH2c]);

  assign reset_o = channels(
      {cfg.RESET.H2C3.value, cfg.RESET.H2C2.value, cfg.RESET.H2C1.value, cfg.RESET.H2C0.value},
      {cfg.RESET.C2H3.value, cfg.RESET.C2H2.value, cfg.RESET.C2H1.value, cfg.RESET.C2H0.value});

  // ---- fetching ---------------------------------------------------------------------------------
  logic        halt_we, credit_mode_we;
  logic [19:0] halt_next, credit_mode_next;

  assign com_in.IDENTIFIER.VERSION.next = sl_xdma_pkg::RegVersion;

  sl_xdma_set_clear #(
      .Width(20)
  ) u_halt (
      .clk_i,
      .rst_ni,
      .set_i  (com.HALT_W1S.BITS.swmod),
      .clear_i(com.HALT_W1C.BITS.swmod),
      .ones_i (com.HALT_W1S.BITS.value),
      .zeros_i(com.HALT_W1C.BITS.value),
      .value_i({com.HALT.C2H.value, 12'd0, com.HALT.H2C.value}),
      .we_o   (halt_we),
      .next_o (halt_next)
  );
  assign com_in.HALT.H2C.we   = halt_we;
  assign com_in.HALT.H2C.next = halt_next[3:0];
  assign com_in.HALT.C2H.we   = halt_we;
  assign com_in.HALT.C2H.next = halt_next[19:16];

  sl_xdma_set_clear #(
      .Width(20)
  ) u_credit_mode (
      .clk_i,
      .rst_ni,
      .set_i  (com.CREDIT_MODE_W1S.BITS.swmod),
      .clear_i(com.CREDIT_MODE_W1C.BITS.swmod),
      .ones_i (com.CREDIT_MODE_W1S.BITS.value),
      .zeros_i(com.CREDIT_MODE_W1C.BITS.value),
      .value_i({com.CREDIT_MODE.C2H.value, 12'd0, com.CREDIT_MODE.H2C.value}),
      .we_o   (credit_mode_we),
      .next_o (credit_mode_next)
  );
  assign com_in.CREDIT_MODE.H2C.we   = credit_mode_we;
  assign com_in.CREDIT_MODE.H2C.next = credit_mode_next[3:0];
  assign com_in.CREDIT_MODE.C2H.we   = credit_mode_we;
  assign com_in.CREDIT_MODE.C2H.next = credit_mode_next[19:16];

  assign fetch_halt_o  = channels(com.HALT.H2C.value, com.HALT.C2H.value);
  assign credit_mode_o = channels(com.CREDIT_MODE.H2C.value, com.CREDIT_MODE.C2H.value);

  logic unused;
  assign unused = &{1'b0, halt_next, credit_mode_next, s_axil_config.awaddr, s_axil_config.araddr,
                    s_axil_common.awaddr, s_axil_common.araddr};

endmodule
