// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axi3_adapter with pins.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axi3_adapter_pins #(
    parameter int unsigned AddrWidth  = 32,
    parameter int unsigned DataWidth  = 64,
    parameter int unsigned SlvIdWidth = 1,
    parameter int unsigned MstIdWidth = 6,
    parameter int unsigned MaxBurst   = 16,
    parameter int unsigned WriteDepth = 16,
    parameter bit          Axi3       = 1'b1  // 0: to be refused
) (
    input logic clk_i,
    input logic rst_ni,
    `SL_AXI_PORTS_IN(s_axi_, AddrWidth, DataWidth, SlvIdWidth),
    `SL_AXI3_PORTS_OUT(m_axi_, AddrWidth, DataWidth, MstIdWidth)
);

  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(SlvIdWidth)) s_bus ();
  sl_axi_if #(
      .AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(MstIdWidth), .Axi3(Axi3)
  ) m_bus ();

  `SL_AXI_LINK(s_bus., s_axi_)
  `SL_AXI3_LINK(m_axi_, m_bus.)

  sl_axi3_adapter #(
      .MaxBurst  (MaxBurst),
      .WriteDepth(WriteDepth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s_axi(s_bus),
      .m_axi(m_bus)
  );
endmodule
