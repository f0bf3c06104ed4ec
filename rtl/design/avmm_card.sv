// SPDX-License-Identifier: Apache-2.0
// Design avmm_card: a PCI Express card behind a bridge, as the published FPGA-GPU system has it:
// sl_avmm_table with its MSI-X table, and a BAR into the card's memory.
//
// Control: AXI4-Lite, 20-bit address. sl_avmm_table at 0x00000, sl_msix at 0x08000, design page at
//   0x10000. Every other address reads 0 and takes writes (sl_axil_fill).
// Interrupts: messages on the host's port while cfg_msix_i is 1; irq_o[0] is the level of INTx, 0
//   while cfg_msix_i or cfg_msi_i is 1; the other bits are 0. The card sends no MSI.
// Host: m_axi_host_*, bus addresses; all of the engine's accesses and the messages, single beats
//   with four strobes, which start after the host has answered the writes that they report. RREADY
//   is 1 for every answer to a read.
// Card: m_axi_card_*, the engine and the BAR in turns, burst by burst. On s_axi_bar_* an address is
//   presented only when its burst's data is there: it waits for nothing else.
// Throughput: a beat a cycle each way at once (sl_avmm_table); 0 cycles are added to either port.
// Reset: rst_ni, everything, regardless of the buses.
// Parameters out of range stop elaboration; checked in sl_avmm_table.
// Not used: cfg_bdf_i, cfg_max_payload_i, cfg_max_read_request_i, which no register shows.
// Specification: regs/avmm_card.rdl (map); docs/reference/avmm_card.md.

`include "sl_axi.svh"

module avmm_card #(
    parameter int unsigned DataWidth   = 256,  // 64..512, power of two
    parameter int unsigned MaxBurst    = 16,   // these two as of sl_avmm_table
    parameter int unsigned BufferBeats = 512,
    localparam int unsigned EngineIdW  = 3,    // sl_avmm_table's, on the host's port
    localparam int unsigned HostIdW    = EngineIdW + 1,
    localparam int unsigned CardIdW    = 2
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,

    // Control
    input  logic [19:0]              s_axil_awaddr,
    input  logic [2:0]               s_axil_awprot,
    input  logic                     s_axil_awvalid,
    output logic                     s_axil_awready,
    input  logic [31:0]              s_axil_wdata,
    input  logic [3:0]               s_axil_wstrb,
    input  logic                     s_axil_wvalid,
    output logic                     s_axil_wready,
    output logic [1:0]               s_axil_bresp,
    output logic                     s_axil_bvalid,
    input  logic                     s_axil_bready,
    input  logic [19:0]              s_axil_araddr,
    input  logic [2:0]               s_axil_arprot,
    input  logic                     s_axil_arvalid,
    output logic                     s_axil_arready,
    output logic [31:0]              s_axil_rdata,
    output logic [1:0]               s_axil_rresp,
    output logic                     s_axil_rvalid,
    input  logic                     s_axil_rready,

    output logic [7:0]               irq_o,

    // The link's state: levels
    input  logic [15:0]              cfg_bdf_i,               // bus, device, function
    input  logic [2:0]               cfg_max_payload_i,       // 128 << n bytes
    input  logic [2:0]               cfg_max_read_request_i,  // 128 << n bytes
    input  logic                     cfg_msi_i,               // enabled
    input  logic                     cfg_msix_i,              // enabled
    input  logic                     cfg_msix_mask_i,         // Function Mask

    // Host
    output logic [HostIdW-1:0]       m_axi_host_arid,
    output logic [63:0]              m_axi_host_araddr,
    output logic [7:0]               m_axi_host_arlen,
    output logic [2:0]               m_axi_host_arsize,
    output logic [1:0]               m_axi_host_arburst,
    output logic                     m_axi_host_arlock,
    output logic [3:0]               m_axi_host_arcache,
    output logic [2:0]               m_axi_host_arprot,
    output logic                     m_axi_host_arvalid,
    input  logic                     m_axi_host_arready,
    input  logic [HostIdW-1:0]       m_axi_host_rid,
    input  logic [DataWidth-1:0]     m_axi_host_rdata,
    input  logic [1:0]               m_axi_host_rresp,
    input  logic                     m_axi_host_rlast,
    input  logic                     m_axi_host_rvalid,
    output logic                     m_axi_host_rready,
    output logic [HostIdW-1:0]       m_axi_host_awid,
    output logic [63:0]              m_axi_host_awaddr,
    output logic [7:0]               m_axi_host_awlen,
    output logic [2:0]               m_axi_host_awsize,
    output logic [1:0]               m_axi_host_awburst,
    output logic                     m_axi_host_awlock,
    output logic [3:0]               m_axi_host_awcache,
    output logic [2:0]               m_axi_host_awprot,
    output logic                     m_axi_host_awvalid,
    input  logic                     m_axi_host_awready,
    output logic [DataWidth-1:0]     m_axi_host_wdata,
    output logic [DataWidth/8-1:0]   m_axi_host_wstrb,
    output logic                     m_axi_host_wlast,
    output logic                     m_axi_host_wvalid,
    input  logic                     m_axi_host_wready,
    input  logic [HostIdW-1:0]       m_axi_host_bid,
    input  logic [1:0]               m_axi_host_bresp,
    input  logic                     m_axi_host_bvalid,
    output logic                     m_axi_host_bready,

    // Card's memory
    output logic [CardIdW-1:0]       m_axi_card_arid,
    output logic [63:0]              m_axi_card_araddr,
    output logic [7:0]               m_axi_card_arlen,
    output logic [2:0]               m_axi_card_arsize,
    output logic [1:0]               m_axi_card_arburst,
    output logic                     m_axi_card_arlock,
    output logic [3:0]               m_axi_card_arcache,
    output logic [2:0]               m_axi_card_arprot,
    output logic                     m_axi_card_arvalid,
    input  logic                     m_axi_card_arready,
    input  logic [CardIdW-1:0]       m_axi_card_rid,
    input  logic [DataWidth-1:0]     m_axi_card_rdata,
    input  logic [1:0]               m_axi_card_rresp,
    input  logic                     m_axi_card_rlast,
    input  logic                     m_axi_card_rvalid,
    output logic                     m_axi_card_rready,
    output logic [CardIdW-1:0]       m_axi_card_awid,
    output logic [63:0]              m_axi_card_awaddr,
    output logic [7:0]               m_axi_card_awlen,
    output logic [2:0]               m_axi_card_awsize,
    output logic [1:0]               m_axi_card_awburst,
    output logic                     m_axi_card_awlock,
    output logic [3:0]               m_axi_card_awcache,
    output logic [2:0]               m_axi_card_awprot,
    output logic                     m_axi_card_awvalid,
    input  logic                     m_axi_card_awready,
    output logic [DataWidth-1:0]     m_axi_card_wdata,
    output logic [DataWidth/8-1:0]   m_axi_card_wstrb,
    output logic                     m_axi_card_wlast,
    output logic                     m_axi_card_wvalid,
    input  logic                     m_axi_card_wready,
    input  logic [CardIdW-1:0]       m_axi_card_bid,
    input  logic [1:0]               m_axi_card_bresp,
    input  logic                     m_axi_card_bvalid,
    output logic                     m_axi_card_bready,

    // User-memory BAR
    input  logic                     s_axi_bar_arid,
    input  logic [63:0]              s_axi_bar_araddr,
    input  logic [7:0]               s_axi_bar_arlen,
    input  logic [2:0]               s_axi_bar_arsize,
    input  logic [1:0]               s_axi_bar_arburst,
    input  logic                     s_axi_bar_arlock,
    input  logic [3:0]               s_axi_bar_arcache,
    input  logic [2:0]               s_axi_bar_arprot,
    input  logic                     s_axi_bar_arvalid,
    output logic                     s_axi_bar_arready,
    output logic                     s_axi_bar_rid,
    output logic [DataWidth-1:0]     s_axi_bar_rdata,
    output logic [1:0]               s_axi_bar_rresp,
    output logic                     s_axi_bar_rlast,
    output logic                     s_axi_bar_rvalid,
    input  logic                     s_axi_bar_rready,
    input  logic                     s_axi_bar_awid,
    input  logic [63:0]              s_axi_bar_awaddr,
    input  logic [7:0]               s_axi_bar_awlen,
    input  logic [2:0]               s_axi_bar_awsize,
    input  logic [1:0]               s_axi_bar_awburst,
    input  logic                     s_axi_bar_awlock,
    input  logic [3:0]               s_axi_bar_awcache,
    input  logic [2:0]               s_axi_bar_awprot,
    input  logic                     s_axi_bar_awvalid,
    output logic                     s_axi_bar_awready,
    input  logic [DataWidth-1:0]     s_axi_bar_wdata,
    input  logic [DataWidth/8-1:0]   s_axi_bar_wstrb,
    input  logic                     s_axi_bar_wlast,
    input  logic                     s_axi_bar_wvalid,
    output logic                     s_axi_bar_wready,
    output logic                     s_axi_bar_bid,
    output logic [1:0]               s_axi_bar_bresp,
    output logic                     s_axi_bar_bvalid,
    input  logic                     s_axi_bar_bready
);

  // ---- control ----------------------------------------------------------------------------------
  localparam int unsigned Slots = 3;  // engine, MSI-X page, design page

  sl_axil_if #(.AddrWidth(20)) pins (), decoded (), slot [Slots] ();

  `SL_AXIL_LINK(pins., s_axil_)

  sl_axil_fill u_fill (.clk_i, .rst_ni, .s_axil(pins), .m_axil(decoded));

  sl_axil_demux #(
      .NumPorts (Slots),
      .AddrWidth(20),
      .Base     ({20'h10000, 20'h08000, 20'h00000}),
      .Mask     ({20'hff000, 20'hff000, 20'hfe000})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil(decoded),
      .m_axil(slot)
  );

  sl_design_page #(
      .Identity ("SLAV"),
      .Version  (16'h0100),
      .NumPorts (1),
      .DataWidth(DataWidth),
      .LenWidth (sl_avmm_pkg::LenWidth),
      .Unaligned(1'b1)
  ) u_page (
      .clk_i,
      .rst_ni,
      .s_axil  (slot[2]),
      .faults_i('0)
  );

  // ---- engine and interrupts --------------------------------------------------------------------
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(EngineIdW)) to_host [2] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) to_card [2] ();

  logic       intx, vector_valid, vector_ready;
  logic [4:0] vector;

  sl_avmm_table #(
      .DataWidth  (DataWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats)
  ) u_engine (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, slot[0]., 13),
      .intx_o        (intx),
      .vector_valid_o(vector_valid),
      .vector_ready_i(vector_ready),
      .vector_o      (vector),
      `SL_AXI_PINS(m_axi_host_, to_host[0].),
      `SL_AXI_PINS(m_axi_card_, to_card[0].)
  );

  assign irq_o = {7'd0, intx && !cfg_msi_i && !cfg_msix_i};

  sl_msix u_msix (
      .clk_i,
      .rst_ni,
      .enable_i      (cfg_msix_i),
      .mask_i        (cfg_msix_mask_i),
      .vector_valid_i(vector_valid),
      .vector_ready_o(vector_ready),
      .vector_i      (vector),
      .s_axil        (slot[1]),
      .m_axi         (to_host[1])
  );
  `SL_AXI_IDLE_RD_MST(to_host[1].)

  // ---- buses ------------------------------------------------------------------------------------
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(HostIdW)) host_bus ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(CardIdW)) card_bus ();

  `SL_AXI_LINK(to_card[1]., s_axi_bar_)

  sl_axi_join u_host (.clk_i, .rst_ni, .s_axi(to_host), .m_axi(host_bus));
  sl_axi_join u_card (.clk_i, .rst_ni, .s_axi(to_card), .m_axi(card_bus));

  `SL_AXI_LINK(m_axi_host_, host_bus.)
  `SL_AXI_LINK(m_axi_card_, card_bus.)

  `SL_AXI_CHECK(u_check_host, host_bus., 64, DataWidth, HostIdW, 1'b0)
  `SL_AXI_CHECK(u_check_card, card_bus., 64, DataWidth, CardIdW, 1'b0)

  logic unused;
  assign unused = &{1'b0, cfg_bdf_i, cfg_max_payload_i, cfg_max_read_request_i};

endmodule
