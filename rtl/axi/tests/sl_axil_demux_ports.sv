// SPDX-License-Identifier: Apache-2.0
//
// Puts a protocol checker on every master port of sl_axil_demux; for its tests.

module sl_axil_demux_ports #(
  parameter int unsigned NumPorts  = 2,
  parameter int unsigned AddrWidth = 16,
  parameter int unsigned DataWidth = 32
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic [NumPorts*AddrWidth-1:0]   m_axil_awaddr,
  input logic [NumPorts*3-1:0]           m_axil_awprot,
  input logic [NumPorts-1:0]             m_axil_awvalid,
  input logic [NumPorts-1:0]             m_axil_awready,
  input logic [NumPorts*DataWidth-1:0]   m_axil_wdata,
  input logic [NumPorts*DataWidth/8-1:0] m_axil_wstrb,
  input logic [NumPorts-1:0]             m_axil_wvalid,
  input logic [NumPorts-1:0]             m_axil_wready,
  input logic [NumPorts*2-1:0]           m_axil_bresp,
  input logic [NumPorts-1:0]             m_axil_bvalid,
  input logic [NumPorts-1:0]             m_axil_bready,
  input logic [NumPorts*AddrWidth-1:0]   m_axil_araddr,
  input logic [NumPorts*3-1:0]           m_axil_arprot,
  input logic [NumPorts-1:0]             m_axil_arvalid,
  input logic [NumPorts-1:0]             m_axil_arready,
  input logic [NumPorts*DataWidth-1:0]   m_axil_rdata,
  input logic [NumPorts*2-1:0]           m_axil_rresp,
  input logic [NumPorts-1:0]             m_axil_rvalid,
  input logic [NumPorts-1:0]             m_axil_rready
);

  localparam int unsigned StrbWidth = DataWidth / 8;

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    // verilator lint_off PINCONNECTEMPTY
    sl_axil_check #(
      .AddrWidth (AddrWidth),
      .DataWidth (DataWidth)
    ) u_check (
      .clk_i,
      .rst_ni,
      .axil_awaddr      (m_axil_awaddr[p*AddrWidth +: AddrWidth]),
      .axil_awprot      (m_axil_awprot[p*3 +: 3]),
      .axil_awvalid     (m_axil_awvalid[p]),
      .axil_awready     (m_axil_awready[p]),
      .axil_wdata       (m_axil_wdata[p*DataWidth +: DataWidth]),
      .axil_wstrb       (m_axil_wstrb[p*StrbWidth +: StrbWidth]),
      .axil_wvalid      (m_axil_wvalid[p]),
      .axil_wready      (m_axil_wready[p]),
      .axil_bresp       (m_axil_bresp[p*2 +: 2]),
      .axil_bvalid      (m_axil_bvalid[p]),
      .axil_bready      (m_axil_bready[p]),
      .axil_araddr      (m_axil_araddr[p*AddrWidth +: AddrWidth]),
      .axil_arprot      (m_axil_arprot[p*3 +: 3]),
      .axil_arvalid     (m_axil_arvalid[p]),
      .axil_arready     (m_axil_arready[p]),
      .axil_rdata       (m_axil_rdata[p*DataWidth +: DataWidth]),
      .axil_rresp       (m_axil_rresp[p*2 +: 2]),
      .axil_rvalid      (m_axil_rvalid[p]),
      .axil_rready      (m_axil_rready[p]),
      .wr_outstanding_o (),
      .rd_outstanding_o (),
      .violation_o      ()
    );
    // verilator lint_on PINCONNECTEMPTY
  end

endmodule

bind sl_axil_demux sl_axil_demux_ports #(
  .NumPorts  (NumPorts),
  .AddrWidth (AddrWidth),
  .DataWidth (DataWidth)
) u_ports (.*);
