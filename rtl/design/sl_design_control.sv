// SPDX-License-Identifier: Apache-2.0
// Control port of a design: address decoder (sl_axil_demux) and design page (sl_design_page).
//
// Control: window n answers where (address & Mask[n]) == Base[n], the page at 0x40000, 4 KiB;
//   DECERR elsewhere. Addresses pass unchanged, a slave uses the lower bits that it has.
// Handshake, latency, ordering, reset: headers of the two.
// Parameters: checked in the two.
// Specification: regs/sl_design_page.rdl; the design's own for its windows.

`include "sl_axi.svh"

module sl_design_control #(
    parameter int unsigned           Windows   = 1,
    parameter logic [Windows*20-1:0] Base      = '0,
    parameter logic [Windows*20-1:0] Mask      = {Windows{20'hf0000}},
    parameter logic [31:0]           Identity  = "SLXX",
    parameter logic [15:0]           Version   = 16'h0101,
    parameter int unsigned           NumPorts  = 1,
    parameter int unsigned           DataWidth = 64,
    parameter int unsigned           LenWidth  = 26,
    parameter bit                    Unaligned = 1'b0
) (
    input logic       clk_i,
    input logic       rst_ni,
    sl_axil_if.slv    s_axil,
    sl_axil_if.mst    m_axil [Windows],
    input logic [7:0] faults_i
);

  sl_axil_if #(.AddrWidth(20)) slot [Windows+1] ();  // the page is the last

  sl_axil_demux #(
      .NumPorts (Windows + 1),
      .AddrWidth(20),
      .Base     ({20'h40000, Base}),
      .Mask     ({20'hff000, Mask})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil,
      .m_axil(slot)
  );

  for (genvar n = 0; n < Windows; n++) begin : gen_window
    `SL_AXIL_LINK(m_axil[n]., slot[n].)
  end

  sl_design_page #(
      .Identity (Identity),
      .Version  (Version),
      .NumPorts (NumPorts),
      .DataWidth(DataWidth),
      .LenWidth (LenWidth),
      .Unaligned(Unaligned)
  ) u_page (
      .clk_i,
      .rst_ni,
      .s_axil(slot[Windows]),
      .faults_i
  );
endmodule
