// SPDX-License-Identifier: Apache-2.0
// Bench: sl_msix with pins, and a protocol checker on its master port.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_msix_pins #(
    parameter int unsigned NumVectors = 32,
    parameter int unsigned DataWidth  = 128,
    parameter int unsigned AddrWidth  = 64,  // another: to be refused
    parameter int unsigned PageBits   = 12   // likewise
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                enable_i,
    input  logic                mask_i,
    input  logic                vector_valid_i,
    output logic                vector_ready_o,
    input  logic [4:0]          vector_i,
    input  logic [PageBits-1:0] s_axil_awaddr,
    input  logic [2:0]          s_axil_awprot,
    input  logic                s_axil_awvalid,
    output logic                s_axil_awready,
    input  logic [31:0]         s_axil_wdata,
    input  logic [3:0]          s_axil_wstrb,
    input  logic                s_axil_wvalid,
    output logic                s_axil_wready,
    output logic [1:0]          s_axil_bresp,
    output logic                s_axil_bvalid,
    input  logic                s_axil_bready,
    input  logic [PageBits-1:0] s_axil_araddr,
    input  logic [2:0]          s_axil_arprot,
    input  logic                s_axil_arvalid,
    output logic                s_axil_arready,
    output logic [31:0]         s_axil_rdata,
    output logic [1:0]          s_axil_rresp,
    output logic                s_axil_rvalid,
    input  logic                s_axil_rready,
    `SL_AXI_PORTS_OUT(m_axi_, AddrWidth, DataWidth, 1)
);

  sl_axil_if #(.AddrWidth(PageBits)) control ();
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth)) host ();

  `SL_AXIL_LINK(control., s_axil_)
  `SL_AXI_LINK(m_axi_, host.)
  `SL_AXI_IDLE_RD_MST(host.)

  sl_msix #(
      .NumVectors(NumVectors)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .enable_i,
      .mask_i,
      .vector_valid_i,
      .vector_ready_o,
      .vector_i,
      .s_axil(control),
      .m_axi (host)
  );

  `SL_AXI_CHECK(u_check, host., AddrWidth, DataWidth, 1, 1'b0)

endmodule
