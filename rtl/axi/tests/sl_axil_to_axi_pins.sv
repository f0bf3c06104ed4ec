// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axil_to_axi with pins, checkers on both sides.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axil_to_axi_pins #(
    parameter int unsigned AddrWidth     = 16,
    parameter int unsigned DataWidth     = 64,
    parameter int unsigned LiteDataWidth = 32,   // another: to be refused
    parameter bit          Axi3          = 1'b0  // 1: to be refused
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [AddrWidth-1:0]       s_axil_awaddr,
    input  logic [2:0]                 s_axil_awprot,
    input  logic                       s_axil_awvalid,
    output logic                       s_axil_awready,
    input  logic [LiteDataWidth-1:0]   s_axil_wdata,
    input  logic [LiteDataWidth/8-1:0] s_axil_wstrb,
    input  logic                       s_axil_wvalid,
    output logic                       s_axil_wready,
    output logic [1:0]                 s_axil_bresp,
    output logic                       s_axil_bvalid,
    input  logic                       s_axil_bready,
    input  logic [AddrWidth-1:0]       s_axil_araddr,
    input  logic [2:0]                 s_axil_arprot,
    input  logic                       s_axil_arvalid,
    output logic                       s_axil_arready,
    output logic [LiteDataWidth-1:0]   s_axil_rdata,
    output logic [1:0]                 s_axil_rresp,
    output logic                       s_axil_rvalid,
    input  logic                       s_axil_rready,
    `SL_AXI_PORTS_OUT(m_axi_, 32, DataWidth, 1)
);

  sl_axil_if #(.AddrWidth(AddrWidth), .DataWidth(LiteDataWidth)) s_bus ();
  sl_axi_if #(.DataWidth(DataWidth), .Axi3(Axi3)) m_bus ();

  `SL_AXIL_LINK(s_bus., s_axil_)
  `SL_AXI_LINK(m_axi_, m_bus.)

  sl_axil_to_axi u_dut (
      .clk_i,
      .rst_ni,
      .s_axil(s_bus),
      .m_axi (m_bus)
  );

  `SL_AXIL_CHECK(u_check_lite, s_bus., AddrWidth, LiteDataWidth)

  // verilator lint_off PINCONNECTEMPTY
  sl_axi_check #(
      .DataWidth(DataWidth)
  ) u_check (
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
