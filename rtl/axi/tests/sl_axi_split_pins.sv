// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axi_split with pins.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axi_split_pins #(
    parameter int unsigned          AddrWidth  = 32,
    parameter int unsigned          DataWidth  = 64,
    parameter int unsigned          IdWidth    = 1,
    parameter int unsigned          WindowBits = 16,
    parameter logic [AddrWidth-1:0] Base       = '0,
    parameter bit                   Axi3       = 1'b0  // 1: to be refused
) (
    input logic clk_i,
    input logic rst_ni,
    `SL_AXI_PORTS_IN(s_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_OUT(m0_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_OUT(m1_axi_, AddrWidth, DataWidth, IdWidth)
);

  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth)) s_bus (), m0_bus ();
  sl_axi_if #(
      .AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth), .Axi3(Axi3)
  ) m1_bus ();

  `SL_AXI_LINK(s_bus., s_axi_)
  `SL_AXI_LINK(m0_axi_, m0_bus.)
  `SL_AXI_LINK(m1_axi_, m1_bus.)

  sl_axi_split #(
      .AddrWidth (AddrWidth),
      .WindowBits(WindowBits),
      .Base      (Base)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s_axi (s_bus),
      .m0_axi(m0_bus),
      .m1_axi(m1_bus)
  );
endmodule
