// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axil_fill with pins.
`include "sl_axi.svh"

module sl_axil_fill_pins #(
    parameter int unsigned AddrWidth     = 16,
    parameter int unsigned DataWidth     = 32,
    parameter int unsigned PortAddrWidth = AddrWidth  // another: to be refused
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [AddrWidth-1:0]     s_axil_awaddr,
    input  logic [2:0]               s_axil_awprot,
    input  logic                     s_axil_awvalid,
    output logic                     s_axil_awready,
    input  logic [DataWidth-1:0]     s_axil_wdata,
    input  logic [DataWidth/8-1:0]   s_axil_wstrb,
    input  logic                     s_axil_wvalid,
    output logic                     s_axil_wready,
    output logic [1:0]               s_axil_bresp,
    output logic                     s_axil_bvalid,
    input  logic                     s_axil_bready,
    input  logic [AddrWidth-1:0]     s_axil_araddr,
    input  logic [2:0]               s_axil_arprot,
    input  logic                     s_axil_arvalid,
    output logic                     s_axil_arready,
    output logic [DataWidth-1:0]     s_axil_rdata,
    output logic [1:0]               s_axil_rresp,
    output logic                     s_axil_rvalid,
    input  logic                     s_axil_rready,
    output logic [PortAddrWidth-1:0] m_axil_awaddr,
    output logic [2:0]               m_axil_awprot,
    output logic                     m_axil_awvalid,
    input  logic                     m_axil_awready,
    output logic [DataWidth-1:0]     m_axil_wdata,
    output logic [DataWidth/8-1:0]   m_axil_wstrb,
    output logic                     m_axil_wvalid,
    input  logic                     m_axil_wready,
    input  logic [1:0]               m_axil_bresp,
    input  logic                     m_axil_bvalid,
    output logic                     m_axil_bready,
    output logic [PortAddrWidth-1:0] m_axil_araddr,
    output logic [2:0]               m_axil_arprot,
    output logic                     m_axil_arvalid,
    input  logic                     m_axil_arready,
    input  logic [DataWidth-1:0]     m_axil_rdata,
    input  logic [1:0]               m_axil_rresp,
    input  logic                     m_axil_rvalid,
    output logic                     m_axil_rready
);

  sl_axil_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth)) s_bus ();
  sl_axil_if #(.AddrWidth(PortAddrWidth), .DataWidth(DataWidth)) m_bus ();

  `SL_AXIL_LINK(s_bus., s_axil_)
  `SL_AXIL_LINK(m_axil_, m_bus.)

  sl_axil_fill u_dut (
      .clk_i,
      .rst_ni,
      .s_axil(s_bus),
      .m_axil(m_bus)
  );

endmodule
