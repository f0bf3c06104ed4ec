// SPDX-License-Identifier: Apache-2.0
//
// sl_axil_fill: makes the holes of an AXI4-Lite address map readable.
//
// Purpose     For control ports behind PCI Express. A bridge turns DECERR into a failed completion,
//             and drivers read blocks that a card may lack. Here such a read returns 0 and such a
//             write is taken.
// Responses   DECERR on m_axil becomes OKAY on s_axil, with data 0 for a read. SLVERR and OKAY pass
//             with their data.
// Handshake   All channels pass combinationally; nothing is stored or stalled.
// Latency     0 cycles.
// Reset       none: clk_i and rst_ni are the checker's.
// Checks      An sl_axil_check sits on the slave side in every simulation.
// Parameters  none; both buses have the same widths, refused otherwise.
// Follows     AMBA AXI (IHI 0022) A3.4.4 for DECERR.

`include "sl_axi.svh"

module sl_axil_fill (
    input logic     clk_i,
    input logic     rst_ni,
    sl_axil_if.slv  s_axil,
    sl_axil_if.mst  m_axil
);

  localparam logic [1:0] RespOkay   = 2'b00;
  localparam logic [1:0] RespDecerr = 2'b11;

  if (m_axil.AddrWidth != s_axil.AddrWidth || m_axil.DataWidth != s_axil.DataWidth)
  begin : gen_bad_bus
    $fatal(1, "%m: m_axil must have the widths of s_axil, %0d and %0d, has %0d and %0d",
           s_axil.AddrWidth, s_axil.DataWidth, m_axil.AddrWidth, m_axil.DataWidth);
  end

  assign m_axil.awaddr  = s_axil.awaddr;
  assign m_axil.awprot  = s_axil.awprot;
  assign m_axil.awvalid = s_axil.awvalid;
  assign s_axil.awready = m_axil.awready;
  assign m_axil.wdata   = s_axil.wdata;
  assign m_axil.wstrb   = s_axil.wstrb;
  assign m_axil.wvalid  = s_axil.wvalid;
  assign s_axil.wready  = m_axil.wready;
  assign s_axil.bresp   = m_axil.bresp == RespDecerr ? RespOkay : m_axil.bresp;
  assign s_axil.bvalid  = m_axil.bvalid;
  assign m_axil.bready  = s_axil.bready;
  assign m_axil.araddr  = s_axil.araddr;
  assign m_axil.arprot  = s_axil.arprot;
  assign m_axil.arvalid = s_axil.arvalid;
  assign s_axil.arready = m_axil.arready;
  assign s_axil.rdata   = m_axil.rresp == RespDecerr ? '0 : m_axil.rdata;
  assign s_axil.rresp   = m_axil.rresp == RespDecerr ? RespOkay : m_axil.rresp;
  assign s_axil.rvalid  = m_axil.rvalid;
  assign m_axil.rready  = s_axil.rready;

  `SL_AXIL_CHECK(u_check, s_axil., s_axil.AddrWidth, s_axil.DataWidth)

  logic unused;
  assign unused = &{1'b0, clk_i, rst_ni};

endmodule
