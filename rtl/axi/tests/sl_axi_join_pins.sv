// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axi_join with pins.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axi_join_pins #(
    parameter int unsigned AddrWidth  = 32,
    parameter int unsigned DataWidth  = 64,
    parameter int unsigned IdWidth    = 1,
    parameter int unsigned WriteDepth = 16
) (
    input logic clk_i,
    input logic rst_ni,
    `SL_AXI_PORTS_IN(s0_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_IN(s1_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_OUT(m_axi_, AddrWidth, DataWidth, IdWidth + 1)
);

  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth)) s0_bus (), s1_bus ();
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth + 1)) m_bus ();

  `SL_AXI_LINK(s0_bus., s0_axi_)
  `SL_AXI_LINK(s1_bus., s1_axi_)
  `SL_AXI_LINK(m_axi_, m_bus.)

  sl_axi_join #(
      .WriteDepth(WriteDepth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s0_axi(s0_bus),
      .s1_axi(s1_bus),
      .m_axi (m_bus)
  );
endmodule
