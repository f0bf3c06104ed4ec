// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axil_demux with pins, port p at bits [p*W +: W], and a protocol checker on every port.
`include "sl_axi.svh"

module sl_axil_demux_pins #(
    parameter int unsigned                   NumPorts  = 2,
    parameter int unsigned                   AddrWidth = 16,
    parameter int unsigned                   DataWidth = 32,
    parameter int unsigned                   PortAddrWidth = AddrWidth,  // another: to be refused
    parameter int unsigned                   PortDataWidth = DataWidth,  // likewise
    parameter logic [NumPorts*AddrWidth-1:0] Base      = {16'h1000, 16'h0000},
    parameter logic [NumPorts*AddrWidth-1:0] Mask      = {16'hf000, 16'hf000},
    localparam int unsigned                  StrbWidth = DataWidth / 8
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic [AddrWidth-1:0] s_axil_awaddr,
    input  logic [3-1:0] s_axil_awprot,
    input  logic s_axil_awvalid,
    output logic s_axil_awready,
    input  logic [DataWidth-1:0] s_axil_wdata,
    input  logic [StrbWidth-1:0] s_axil_wstrb,
    input  logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [2-1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input  logic s_axil_bready,
    input  logic [AddrWidth-1:0] s_axil_araddr,
    input  logic [3-1:0] s_axil_arprot,
    input  logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [DataWidth-1:0] s_axil_rdata,
    output logic [2-1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input  logic s_axil_rready,
    output logic [NumPorts*AddrWidth-1:0] m_axil_awaddr,
    output logic [NumPorts*3-1:0] m_axil_awprot,
    output logic [NumPorts-1:0] m_axil_awvalid,
    input  logic [NumPorts-1:0] m_axil_awready,
    output logic [NumPorts*DataWidth-1:0] m_axil_wdata,
    output logic [NumPorts*StrbWidth-1:0] m_axil_wstrb,
    output logic [NumPorts-1:0] m_axil_wvalid,
    input  logic [NumPorts-1:0] m_axil_wready,
    input  logic [NumPorts*2-1:0] m_axil_bresp,
    input  logic [NumPorts-1:0] m_axil_bvalid,
    output logic [NumPorts-1:0] m_axil_bready,
    output logic [NumPorts*AddrWidth-1:0] m_axil_araddr,
    output logic [NumPorts*3-1:0] m_axil_arprot,
    output logic [NumPorts-1:0] m_axil_arvalid,
    input  logic [NumPorts-1:0] m_axil_arready,
    input  logic [NumPorts*DataWidth-1:0] m_axil_rdata,
    input  logic [NumPorts*2-1:0] m_axil_rresp,
    input  logic [NumPorts-1:0] m_axil_rvalid,
    output logic [NumPorts-1:0] m_axil_rready
);

  sl_axil_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth)) s_bus ();
  sl_axil_if #(.AddrWidth(PortAddrWidth), .DataWidth(PortDataWidth)) m_bus [NumPorts] ();

  `SL_AXIL_LINK(s_bus., s_axil_)

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign m_axil_awaddr[p*AddrWidth +: AddrWidth] = m_bus[p].awaddr;
    assign m_axil_awprot[p*3 +: 3] = m_bus[p].awprot;
    assign m_axil_awvalid[p] = m_bus[p].awvalid;
    assign m_bus[p].awready = m_axil_awready[p];
    assign m_axil_wdata[p*DataWidth +: DataWidth] = m_bus[p].wdata;
    assign m_axil_wstrb[p*StrbWidth +: StrbWidth] = m_bus[p].wstrb;
    assign m_axil_wvalid[p] = m_bus[p].wvalid;
    assign m_bus[p].wready = m_axil_wready[p];
    assign m_bus[p].bresp = m_axil_bresp[p*2 +: 2];
    assign m_bus[p].bvalid = m_axil_bvalid[p];
    assign m_axil_bready[p] = m_bus[p].bready;
    assign m_axil_araddr[p*AddrWidth +: AddrWidth] = m_bus[p].araddr;
    assign m_axil_arprot[p*3 +: 3] = m_bus[p].arprot;
    assign m_axil_arvalid[p] = m_bus[p].arvalid;
    assign m_bus[p].arready = m_axil_arready[p];
    assign m_bus[p].rdata = m_axil_rdata[p*DataWidth +: DataWidth];
    assign m_bus[p].rresp = m_axil_rresp[p*2 +: 2];
    assign m_bus[p].rvalid = m_axil_rvalid[p];
    assign m_axil_rready[p] = m_bus[p].rready;
    `SL_AXIL_CHECK(u_check, m_bus[p]., AddrWidth, DataWidth)
  end

  sl_axil_demux #(
      .NumPorts (NumPorts),
      .AddrWidth(AddrWidth),
      .Base     (Base),
      .Mask     (Mask)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s_axil(s_bus),
      .m_axil(m_bus)
  );
endmodule
