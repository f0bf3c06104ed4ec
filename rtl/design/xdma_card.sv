// SPDX-License-Identifier: Apache-2.0
// Design xdma_card: a PCI Express card behind a bridge. sl_xdma with its MSI-X table, a BAR into
// the card's memory, and with Stream = 1 sources, sinks and loop-backs at its channels' streams.
//
// Control: AXI4-Lite, 20-bit address. AMD's map at 0x00000 (sl_xdma; sl_msix at 0x8000), design
//   page at 0x10000; Stream = 1: channel n at 0x20000 + 0x4000 * n, source +0x1000, sink +0x2000,
//   lane control +0x3000. Every other address reads 0 and takes writes (sl_axil_fill).
// Interrupts: messages on the host's port while cfg_msix_i is 1; irq_o[0] is the level of INTx, 0
//   while cfg_msix_i or cfg_msi_i is 1; the other bits are 0. The card sends no MSI.
// Host: m_axi_host_*, bus addresses; all of the engine's accesses and the messages, single beats
//   with four strobes, which start after the host has answered the writes that they report. RREADY
//   is 1 for every answer to a read.
// Card: m_axi_card_*, the engine (Stream = 0) and the BAR in turns, burst by burst. On s_axi_bar_*
//   an address is presented only when its burst's data is there: it waits for nothing else.
// Streams: a lane for each pair of channels. A RESET of an H2C channel empties its loop-back FIFO.
// Throughput: a beat a cycle each way at once (sl_xdma); 0 cycles are added to either port.
// Reset: rst_ni, everything, regardless of the buses.
// Parameters out of range stop elaboration; checked in sl_xdma and sl_stream_fifo.
// Specification: regs/xdma_card.rdl (map); docs/reference/xdma_card.md.

`include "sl_axi.svh"

module xdma_card #(
    parameter int unsigned DataWidth   = 256,   // 64..512, power of two
    parameter int unsigned NumH2c      = 1,     // 1..4
    parameter int unsigned NumC2h      = 1,     // 1..4
    parameter bit          Stream      = 1'b0,  // 1: streams, 0: the card's memory
    parameter int unsigned MaxBurst    = 16,    // these three as of sl_xdma
    parameter int unsigned BufferBeats = 512,
    parameter int unsigned DescDepth   = 128,
    parameter int unsigned FifoBeats   = 512,   // of a loop-back FIFO, power of two
    localparam int unsigned NumPairs   = NumH2c > NumC2h ? NumH2c : NumC2h,
    localparam int unsigned XdmaHostIdW = 1 + $clog2(NumPairs + NumH2c + NumC2h),  // sl_xdma's
    localparam int unsigned XdmaCardIdW = NumPairs > 1 ? 1 + $clog2(NumPairs) : 1,
    localparam int unsigned HostIdW    = XdmaHostIdW + 1,
    localparam int unsigned CardIdW    = XdmaCardIdW + 1
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
  // Slots: the engine, the MSI-X page, the design page; of each lane its control, source and sink.
  localparam int unsigned Slots = Stream ? 3 + 3 * NumPairs : 3;

  typedef logic [Slots*20-1:0] slots_t;

  function automatic slots_t bases();
    bases[59:0] = {20'h10000, 20'h08000, 20'h00000};
    for (int unsigned s = 3; s < Slots; s += 3) begin
      logic [19:0] at = 20'h20000 + 20'h04000 * 20'((s - 3) / 3);
      bases[s*20+:60] = {at + 20'h2000, at + 20'h1000, at + 20'h3000};
    end
  endfunction

  sl_axil_if #(.AddrWidth(20)) pins (), decoded (), slot [Slots] ();

  `SL_AXIL_LINK(pins., s_axil_)

  sl_axil_fill u_fill (.clk_i, .rst_ni, .s_axil(pins), .m_axil(decoded));

  sl_axil_demux #(
      .NumPorts (Slots),
      .AddrWidth(20),
      .Base     (bases()),
      .Mask     ({{(Slots - 1){20'hff000}}, 20'hf8000})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil(decoded),
      .m_axil(slot)
  );

  sl_design_page #(
      .Identity (Stream ? "SLXS" : "SLXM"),
      .Version  (16'h0100),
      .NumPorts (NumPairs),
      .DataWidth(DataWidth),
      .LenWidth (28),
      .Unaligned(1'b1)
  ) u_page (
      .clk_i,
      .rst_ni,
      .s_axil  (slot[2]),
      .faults_i('0)
  );

  // ---- engine -----------------------------------------------------------------------------------
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(XdmaHostIdW)) to_host [2] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(XdmaCardIdW)) to_card [2] ();

  logic                                intx, vector_valid, vector_ready;
  logic [4:0]                          vector;
  logic [NumH2c-1:0]                   stream_rst_n;
  logic [NumH2c-1:0][DataWidth-1:0]    h2c_tdata;
  logic [NumH2c-1:0][DataWidth/8-1:0]  h2c_tkeep;
  logic [NumH2c-1:0]                   h2c_tlast, h2c_tvalid, h2c_tready;
  logic [NumC2h-1:0][DataWidth-1:0]    c2h_tdata;
  logic [NumC2h-1:0][DataWidth/8-1:0]  c2h_tkeep;
  logic [NumC2h-1:0]                   c2h_tlast, c2h_tvalid, c2h_tready;

  sl_xdma #(
      .NumH2c     (NumH2c),
      .NumC2h     (NumC2h),
      .Stream     (Stream),
      .DataWidth  (DataWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .DescDepth  (DescDepth),
      .NumUser    (0)
  ) u_xdma (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, slot[0]., 16),
      .cfg_bdf_i,
      .cfg_max_payload_i,
      .cfg_max_read_request_i,
      .cfg_msi_i,
      .cfg_msix_i,
      .user_irq_i    ('0),
      .intx_o        (intx),
      .vector_valid_o(vector_valid),
      .vector_ready_i(vector_ready),
      .vector_o      (vector),
      `SL_AXI_PINS(m_axi_host_, to_host[0].),
      `SL_AXI_PINS(m_axi_card_, to_card[0].),
      .stream_rst_no (stream_rst_n),
      `SL_AXIS_PINS(m_axis_h2c_, h2c_),
      `SL_AXIS_PINS(s_axis_c2h_, c2h_)
  );

  // ---- interrupts -------------------------------------------------------------------------------
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

  // ---- streams ----------------------------------------------------------------------------------
  if (Stream) begin : gen_streams
    sl_axis_if #(.DataWidth(DataWidth)) h2c [NumPairs] (), c2h [NumPairs] ();

    for (genvar n = 0; n < NumPairs; n++) begin : gen_lane
      logic clear;

      if (n < NumH2c) begin : gen_h2c
        `SL_AXIS_LINK_I(h2c[n]., , h2c_, [n])
        assign clear = !stream_rst_n[n];
      end else begin : gen_no_h2c
        `SL_AXIS_IDLE_MST(h2c[n].)
        assign clear = 1'b0;
      end
      if (n < NumC2h) begin : gen_c2h
        `SL_AXIS_LINK_I(c2h_, [n], c2h[n]., )
      end else begin : gen_no_c2h
        assign c2h[n].tready = 1'b0;
      end

      logic unused_drop_odd, unused_clear;

      sl_lane_streams #(
          .FifoBeats(FifoBeats)
      ) u_streams (
          .clk_i,
          .rst_ni,
          .s_axil (slot[3+3*n:5+3*n]),
          .clear_i(clear),
          .s_axis (h2c[n]),
          .m_axis (c2h[n]),
          .drop_odd_o(unused_drop_odd),
          .clear_o   (unused_clear)
      );
    end
  end else begin : gen_memory
    logic unused_streams;

    assign h2c_tready     = '0;
    assign c2h_tdata      = '0;
    assign c2h_tkeep      = '0;
    assign c2h_tlast      = '0;
    assign c2h_tvalid     = '0;
    assign unused_streams = &{1'b0, stream_rst_n, h2c_tdata, h2c_tkeep, h2c_tlast, h2c_tvalid,
                              c2h_tready};
  end

  // ---- buses ------------------------------------------------------------------------------------
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(HostIdW)) host_bus ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(CardIdW)) card_bus ();

  // The BAR's ID has one bit, the engine's may have more.
  // verilator lint_off WIDTHEXPAND
  // verilator lint_off WIDTHTRUNC
  `SL_AXI_LINK(to_card[1]., s_axi_bar_)
  // verilator lint_on WIDTHEXPAND
  // verilator lint_on WIDTHTRUNC

  sl_axi_join u_host (.clk_i, .rst_ni, .s_axi(to_host), .m_axi(host_bus));
  sl_axi_join u_card (.clk_i, .rst_ni, .s_axi(to_card), .m_axi(card_bus));

  `SL_AXI_LINK(m_axi_host_, host_bus.)
  `SL_AXI_LINK(m_axi_card_, card_bus.)

  `SL_AXI_CHECK(u_check_msix, to_host[1]., 64, DataWidth, XdmaHostIdW, 1'b0)

`ifndef SYNTHESIS
  // A bridge may give data before its address, and have more in flight than an engine.
  // verilator lint_off PINCONNECTEMPTY
  sl_axi_check #(
      .AddrWidth     (64),
      .DataWidth     (DataWidth),
      .IdWidth       (XdmaCardIdW),
      .MaxOutstanding(256),
      .AllowEarlyW   (1'b1)
  ) u_check_bar (
      .clk_i,
      .rst_ni,
      `SL_AXI_PINS(axi_, to_card[1].),
      .axi_wid         ('0),
      .wr_outstanding_o(),
      .rd_outstanding_o(),
      .violation_o     ()
  );
  // verilator lint_on PINCONNECTEMPTY
`endif

endmodule
