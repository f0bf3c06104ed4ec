// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axi_guard with pins, and a protocol checker on each side.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axi_guard_checked #(
    parameter int unsigned AddrWidth      = 32,
    parameter int unsigned DataWidth      = 64,
    parameter int unsigned IdWidth        = 1,
    parameter int unsigned MaxOutstanding = 8,
    parameter int unsigned NumIds         = 1,
    parameter bit          RegisterW      = 1'b0,
    parameter bit          ZeroR          = 1'b0,
    parameter int unsigned MstIdWidth     = IdWidth  // another: to be refused
) (
    input logic clk_i,
    input logic rst_ni,
    input logic isolate_i,
    `SL_AXI_PORTS_IN(s_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_OUT(m_axi_, AddrWidth, DataWidth, IdWidth)
);

  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth)) s_bus ();
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(MstIdWidth)) m_bus ();

  `SL_AXI_LINK(s_bus., s_axi_)
  `SL_AXI_LINK(m_axi_, m_bus.)

  sl_axi_guard #(
      .MaxOutstanding(MaxOutstanding),
      .NumIds        (NumIds),
      .RegisterW     (RegisterW),
      .ZeroR         (ZeroR)
  ) u_guard (
      .clk_i,
      .rst_ni,
      .isolate_i,
      .s_axi(s_bus),
      .m_axi(m_bus)
  );

  // verilator lint_off PINCONNECTEMPTY
  sl_axi_check #(
      .AddrWidth     (AddrWidth),
      .DataWidth     (DataWidth),
      .IdWidth       (IdWidth),
      .MaxOutstanding(64),
      .AllowEarlyW   (1'b1)
  ) u_check_engine (
      .clk_i,
      .rst_ni,
      `SL_AXI_PINS(axi_, s_axi_),
      .axi_wid         ('0),
      .wr_outstanding_o(),
      .rd_outstanding_o(),
      .violation_o     ()
  );

  sl_axi_check #(
      .AddrWidth     (AddrWidth),
      .DataWidth     (DataWidth),
      .IdWidth       (IdWidth),
      .MaxOutstanding(64),
      .AllowEarlyW   (1'b1)
  ) u_check_memory (
      .clk_i,
      .rst_ni,
      `SL_AXI_PINS(axi_, m_axi_),
      .axi_wid         ('0),
      .wr_outstanding_o(),
      .rd_outstanding_o(),
      .violation_o     ()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
