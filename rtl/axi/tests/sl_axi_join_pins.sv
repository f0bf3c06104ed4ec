// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axi_join with pins, of which masters beyond NumMasters are not connected.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axi_join_pins #(
    parameter int unsigned NumMasters = 2,  // 2..4
    parameter int unsigned AddrWidth  = 32,
    parameter int unsigned DataWidth  = 64,
    parameter int unsigned IdWidth    = 1,
    parameter int unsigned WriteDepth = 16,
    parameter bit          Axi3       = 1'b0,  // 1: to be refused
    localparam int unsigned OutWidth  = IdWidth + $clog2(NumMasters)
) (
    input logic clk_i,
    input logic rst_ni,
    `SL_AXI_PORTS_IN(s0_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_IN(s1_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_IN(s2_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_IN(s3_axi_, AddrWidth, DataWidth, IdWidth),
    `SL_AXI_PORTS_OUT(m_axi_, AddrWidth, DataWidth, OutWidth)
);

  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth))
      s_bus [NumMasters] (), none [4] ();
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(OutWidth), .Axi3(Axi3))
      m_bus ();

  `SL_AXI_LINK(s_bus[0]., s0_axi_)
  `SL_AXI_LINK(s_bus[1]., s1_axi_)
  if (NumMasters > 2) begin : gen_s2
    `SL_AXI_LINK(s_bus[2]., s2_axi_)
  end else begin : gen_no_s2
    `SL_AXI_LINK(none[2]., s2_axi_)
    `SL_AXI_IDLE_SLV(none[2].)
  end
  if (NumMasters > 3) begin : gen_s3
    `SL_AXI_LINK(s_bus[3]., s3_axi_)
  end else begin : gen_no_s3
    `SL_AXI_LINK(none[3]., s3_axi_)
    `SL_AXI_IDLE_SLV(none[3].)
  end
  `SL_AXI_LINK(m_axi_, m_bus.)

  sl_axi_join #(
      .NumMasters(NumMasters),
      .WriteDepth(WriteDepth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s_axi(s_bus),
      .m_axi(m_bus)
  );
endmodule
