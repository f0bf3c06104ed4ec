// SPDX-License-Identifier: Apache-2.0
// DMA of a PCI Express card with the registers and behaviour of AMD's DMA/Bridge Subsystem (XDMA,
// PG195): up to four channels from the host (H2C) and four to it (C2H), memory-mapped or streams,
// behind an AXI4 port that a PCI Express bridge carries into the host's memory.
//
// Structure: for each channel sl_xdma_channel (fetch, movers, completion) and sl_xdma_csr;
//   sl_xdma_irq; sl_xdma_writeback for results and counts; sl_axi_join puts all on the host's port,
//   and the channels' other sides on the card's.
// Host: m_axi_host_*, bus addresses. The channels and their fetching take turns, burst by burst.
//   Reads are asked for only where there is room: RREADY is always 1, so that a bridge needs no
//   room for completions. Results and counts are written, and interrupts rise, when the writes of
//   the data that they report were answered.
// Card: m_axi_card_*, Stream = 0; else m_axis_h2c_*, s_axis_c2h_*, channel n at [n].
// Throughput: a beat a cycle each way at once, with descriptors of 256 B and more (DataWidth 256).
// Interrupts: vectors by vector_valid_o/_ready_i, for a bridge to send; or intx_o, a level.
// Reset: rst_ni at once, regardless of the bus; RESET of the configuration block a channel at a
//   time: bursts that were issued end first. After ResetTimeout cycles the channel is cut off from
//   its buses until rst_ni, and CUT_OFF is set.
// Parameters out of range stop elaboration.
// Not supported: descriptor bypass, non-incrementing addresses, widths that differ between the two
//   sides, MSI-X's table (the bridge's).
// Specification: AMD PG195 v4.1; regs/sl_xdma.rdl; docs/reference/sl_xdma.md (differences).

`include "sl_axi.svh"

module sl_xdma
  import sl_xdma_pkg::*;
#(
    parameter int unsigned NumH2c       = 1,        // 1..4
    parameter int unsigned NumC2h       = 1,        // 1..4
    parameter bit          Stream       = 1'b0,     // 1: streams on the card's side
    parameter int unsigned DataWidth    = 256,      // 64..512, power of two
    parameter int unsigned MaxBurst     = 16,       // 2..256 beats, power of two
    parameter int unsigned BufferBeats  = 512,      // of a mover, power of two
    parameter int unsigned DescDepth    = 128,      // 32..256 descriptors held, each channel
    parameter int unsigned NumUser      = 1,        // 0..16 interrupts of the user's
    parameter int unsigned ResetTimeout = 1 << 20,  // cycles of a channel's reset, 0: no limit
    localparam int unsigned NumPairs    = NumH2c > NumC2h ? NumH2c : NumC2h,
    localparam int unsigned NumCh       = NumH2c + NumC2h,
    localparam int unsigned NumHost     = NumPairs + NumCh,
    localparam int unsigned HostIdW     = 1 + $clog2(NumHost),
    localparam int unsigned CardIdW     = NumPairs > 1 ? 1 + $clog2(NumPairs) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,

    // Control
    input  logic [15:0]            s_axil_awaddr,
    input  logic [2:0]             s_axil_awprot,
    input  logic                   s_axil_awvalid,
    output logic                   s_axil_awready,
    input  logic [31:0]            s_axil_wdata,
    input  logic [3:0]             s_axil_wstrb,
    input  logic                   s_axil_wvalid,
    output logic                   s_axil_wready,
    output logic [1:0]             s_axil_bresp,
    output logic                   s_axil_bvalid,
    input  logic                   s_axil_bready,
    input  logic [15:0]            s_axil_araddr,
    input  logic [2:0]             s_axil_arprot,
    input  logic                   s_axil_arvalid,
    output logic                   s_axil_arready,
    output logic [31:0]            s_axil_rdata,
    output logic [1:0]             s_axil_rresp,
    output logic                   s_axil_rvalid,
    input  logic                   s_axil_rready,

    // The link's state, for the configuration block: levels
    input  logic [15:0]            cfg_bdf_i,               // bus, device, function
    input  logic [2:0]             cfg_max_payload_i,       // 128 << n bytes
    input  logic [2:0]             cfg_max_read_request_i,  // 128 << n bytes
    input  logic                   cfg_msi_i,
    input  logic                   cfg_msix_i,

    // Interrupts
    input  logic [15:0]            user_irq_i,  // levels
    output logic                   intx_o,
    output logic                   vector_valid_o,
    input  logic                   vector_ready_i,
    output logic [4:0]             vector_o,

    // Host
    output logic [HostIdW-1:0]     m_axi_host_arid,
    output logic [63:0]            m_axi_host_araddr,
    output logic [7:0]             m_axi_host_arlen,
    output logic [2:0]             m_axi_host_arsize,
    output logic [1:0]             m_axi_host_arburst,
    output logic                   m_axi_host_arlock,
    output logic [3:0]             m_axi_host_arcache,
    output logic [2:0]             m_axi_host_arprot,
    output logic                   m_axi_host_arvalid,
    input  logic                   m_axi_host_arready,
    input  logic [HostIdW-1:0]     m_axi_host_rid,
    input  logic [DataWidth-1:0]   m_axi_host_rdata,
    input  logic [1:0]             m_axi_host_rresp,
    input  logic                   m_axi_host_rlast,
    input  logic                   m_axi_host_rvalid,
    output logic                   m_axi_host_rready,
    output logic [HostIdW-1:0]     m_axi_host_awid,
    output logic [63:0]            m_axi_host_awaddr,
    output logic [7:0]             m_axi_host_awlen,
    output logic [2:0]             m_axi_host_awsize,
    output logic [1:0]             m_axi_host_awburst,
    output logic                   m_axi_host_awlock,
    output logic [3:0]             m_axi_host_awcache,
    output logic [2:0]             m_axi_host_awprot,
    output logic                   m_axi_host_awvalid,
    input  logic                   m_axi_host_awready,
    output logic [DataWidth-1:0]   m_axi_host_wdata,
    output logic [DataWidth/8-1:0] m_axi_host_wstrb,
    output logic                   m_axi_host_wlast,
    output logic                   m_axi_host_wvalid,
    input  logic                   m_axi_host_wready,
    input  logic [HostIdW-1:0]     m_axi_host_bid,
    input  logic [1:0]             m_axi_host_bresp,
    input  logic                   m_axi_host_bvalid,
    output logic                   m_axi_host_bready,

    // Card's memory
    output logic [CardIdW-1:0]     m_axi_card_arid,
    output logic [63:0]            m_axi_card_araddr,
    output logic [7:0]             m_axi_card_arlen,
    output logic [2:0]             m_axi_card_arsize,
    output logic [1:0]             m_axi_card_arburst,
    output logic                   m_axi_card_arlock,
    output logic [3:0]             m_axi_card_arcache,
    output logic [2:0]             m_axi_card_arprot,
    output logic                   m_axi_card_arvalid,
    input  logic                   m_axi_card_arready,
    input  logic [CardIdW-1:0]     m_axi_card_rid,
    input  logic [DataWidth-1:0]   m_axi_card_rdata,
    input  logic [1:0]             m_axi_card_rresp,
    input  logic                   m_axi_card_rlast,
    input  logic                   m_axi_card_rvalid,
    output logic                   m_axi_card_rready,
    output logic [CardIdW-1:0]     m_axi_card_awid,
    output logic [63:0]            m_axi_card_awaddr,
    output logic [7:0]             m_axi_card_awlen,
    output logic [2:0]             m_axi_card_awsize,
    output logic [1:0]             m_axi_card_awburst,
    output logic                   m_axi_card_awlock,
    output logic [3:0]             m_axi_card_awcache,
    output logic [2:0]             m_axi_card_awprot,
    output logic                   m_axi_card_awvalid,
    input  logic                   m_axi_card_awready,
    output logic [DataWidth-1:0]   m_axi_card_wdata,
    output logic [DataWidth/8-1:0] m_axi_card_wstrb,
    output logic                   m_axi_card_wlast,
    output logic                   m_axi_card_wvalid,
    input  logic                   m_axi_card_wready,
    input  logic [CardIdW-1:0]     m_axi_card_bid,
    input  logic [1:0]             m_axi_card_bresp,
    input  logic                   m_axi_card_bvalid,
    output logic                   m_axi_card_bready,

    // Card's streams. stream_rst_no[n]: low while m_axis_h2c's channel n may take back TVALID
    output logic [NumH2c-1:0]                  stream_rst_no,
    output logic [NumH2c-1:0][DataWidth-1:0]   m_axis_h2c_tdata,
    output logic [NumH2c-1:0][DataWidth/8-1:0] m_axis_h2c_tkeep,
    output logic [NumH2c-1:0]                  m_axis_h2c_tlast,
    output logic [NumH2c-1:0]                  m_axis_h2c_tvalid,
    input  logic [NumH2c-1:0]                  m_axis_h2c_tready,
    input  logic [NumC2h-1:0][DataWidth-1:0]   s_axis_c2h_tdata,
    input  logic [NumC2h-1:0][DataWidth/8-1:0] s_axis_c2h_tkeep,
    input  logic [NumC2h-1:0]                  s_axis_c2h_tlast,
    input  logic [NumC2h-1:0]                  s_axis_c2h_tvalid,
    output logic [NumC2h-1:0]                  s_axis_c2h_tready
);

  if (NumH2c < 1 || NumH2c > 4) begin : gen_bad_num_h2c
    $fatal(1, "%m: NumH2c must be 1..4, is %0d", NumH2c);
  end
  if (NumC2h < 1 || NumC2h > 4) begin : gen_bad_num_c2h
    $fatal(1, "%m: NumC2h must be 1..4, is %0d", NumC2h);
  end
  if (DataWidth < 64 || DataWidth > 512 || (DataWidth & (DataWidth - 1)) != 0)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 64..512, is %0d", DataWidth);
  end

  // ---- control ----------------------------------------------------------------------------------
  // Windows: channel and SGDMA blocks of each channel, H2C before C2H; then the other blocks.
  localparam int unsigned Windows = 2 * NumCh + 3;

  typedef logic [Windows*16-1:0] windows_t;

  function automatic windows_t bases();
    for (int unsigned c = 0; c < NumCh; c++) begin
      logic [15:0] at = c < NumH2c ? 16'(c << 8) : 16'h1000 | 16'((c - NumH2c) << 8);
      bases[(2*c)*16+:16]   = at;
      bases[(2*c+1)*16+:16] = at | 16'h4000;
    end
    bases[(2*NumCh)*16+:16]   = 16'h2000;
    bases[(2*NumCh+1)*16+:16] = 16'h3000;
    bases[(2*NumCh+2)*16+:16] = 16'h6000;
  endfunction

  sl_axil_if #(.AddrWidth(16)) control (), window [Windows] ();

  `SL_AXIL_LINK(control., s_axil_)

  sl_axil_demux #(
      .NumPorts (Windows),
      .AddrWidth(16),
      .Base     (bases()),
      .Mask     ({Windows{16'hff00}})
  ) u_control (
      .clk_i,
      .rst_ni,
      .s_axil(control),
      .m_axil(window)
  );

  logic [NumCh-1:0] irq, irq_seen, reset, reset_done, cut_off, short_waits, fetch_halt, credit_mode;

  sl_xdma_irq #(
      .NumChannels(NumCh),
      .NumUser    (NumUser)
  ) u_irq (
      .clk_i,
      .rst_ni,
      .channel_i     (irq),
      .channel_seen_i(irq_seen),
      .user_i        (user_irq_i),
      .intx_o,
      .vector_valid_o,
      .vector_ready_i,
      .vector_o,
      .s_axil        (window[2*NumCh])
  );

  sl_xdma_shared #(
      .NumH2c   (NumH2c),
      .NumC2h   (NumC2h),
      .DataWidth(DataWidth)
  ) u_shared (
      .clk_i,
      .rst_ni,
      .cfg_bdf_i,
      .cfg_max_payload_i,
      .cfg_max_read_request_i,
      .cfg_msi_i,
      .cfg_msix_i,
      .reset_o      (reset),
      .reset_done_i (reset_done),
      .cut_off_i    (cut_off),
      .fetch_halt_o (fetch_halt),
      .credit_mode_o(credit_mode),
      .s_axil_config(window[2*NumCh+1]),
      .s_axil_common(window[2*NumCh+2])
  );

  // ---- channels ---------------------------------------------------------------------------------
  // On the host's port: a pair of channels, one reading, one writing; then fetching, which reads.
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) host [NumHost] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) card [NumPairs] ();
  // Of a channel: descriptors, data read and written, before and behind its ports; short writes.
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) desc [NumCh] (), desc_port [NumCh] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) source [NumCh] (), source_port [NumCh] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) target [NumCh] (), target_port [NumCh] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) short (), short_port ();
  sl_axis_if #(.DataWidth(DataWidth)) h2c [NumCh] (), c2h [NumCh] ();

  logic [NumCh-1:0] wb_valid, wb_ready, wb_done;
  sl_xdma_wb_t      wb [NumCh];
  logic [1:0]       wb_error;

  for (genvar c = 0; c < NumCh; c++) begin : gen_channel
    localparam bit          IsC2h  = c >= NumH2c;
    localparam int unsigned Number = IsC2h ? c - NumH2c : c;

    sl_xdma_ctrl_t   ctrl;
    sl_xdma_status_t status;
    logic            stream_rst_n;

    sl_xdma_csr #(
        .C2h    (IsC2h),
        .Stream (Stream),
        .Channel(Number)
    ) u_csr (
        .clk_i,
        .rst_ni,
        .reset_i      (reset[c]),
        .fetch_halt_i (fetch_halt[c]),
        .credit_mode_i(credit_mode[c]),
        .irq_o        (irq[c]),
        .seen_o       (irq_seen[c]),
        .ctrl_o       (ctrl),
        .status_i     (status),
        .s_axil       (window[2*c]),
        .s_axil_sgdma (window[2*c+1])
    );
    assign reset_done[c] = status.reset_done;

    sl_xdma_channel #(
        .C2h        (IsC2h),
        .Stream     (Stream),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .DescDepth  (DescDepth)
    ) u_channel (
        .clk_i,
        .rst_ni,
        .ctrl_i       (ctrl),
        .status_o     (status),
        .stream_rst_no(stream_rst_n),
        .wb_valid_o   (wb_valid[c]),
        .wb_ready_i   (wb_ready[c]),
        .wb_o         (wb[c]),
        .wb_done_i    (wb_done[c]),
        .wb_error_i   (wb_error),
        .desc_axi     (desc[c]),
        .src_axi      (source[c]),
        .dst_axi      (target[c]),
        .m_axis       (h2c[c]),
        .s_axis       (c2h[c])
    );

    // A reset that the bus does not let end cuts the channel off, once and for all.
    sl_dma_timeout #(
        .Timeout(ResetTimeout)
    ) u_timeout (
        .clk_i,
        .rst_ni,
        .wait_i   (reset[c]),
        .expired_o(cut_off[c])
    );
    assign short_waits[c] = status.wb_waits;

    `SL_AXI_IDLE_WR_MST(desc[c].)
    `SL_AXI_IDLE_WR_MST(source[c].)
    `SL_AXI_IDLE_RD_MST(target[c].)

    sl_xdma_port #(
        .Guard(ResetTimeout != 0)
    ) u_desc (
        .clk_i,
        .rst_ni,
        .isolate_i(cut_off[c]),
        .s_axi    (desc[c]),
        .m_axi    (desc_port[c])
    );

    sl_xdma_port #(
        .Guard(ResetTimeout != 0)
    ) u_source (
        .clk_i,
        .rst_ni,
        .isolate_i(cut_off[c]),
        .s_axi    (source[c]),
        .m_axi    (source_port[c])
    );

    sl_xdma_port #(
        .Write(1'b1),
        .Guard(ResetTimeout != 0)
    ) u_target (
        .clk_i,
        .rst_ni,
        .isolate_i(cut_off[c]),
        .s_axi    (target[c]),
        .m_axi    (target_port[c])
    );

    if (IsC2h) begin : gen_c2h
      logic unused_stream;
      assign unused_stream = stream_rst_n;

      `SL_AXI_LINK_RD(card[Number]., source_port[c].)
      `SL_AXI_LINK_WR(host[Number]., target_port[c].)
      assign c2h[c].tdata  = s_axis_c2h_tdata[Number];
      assign c2h[c].tkeep  = s_axis_c2h_tkeep[Number];
      assign c2h[c].tlast  = s_axis_c2h_tlast[Number];
      assign c2h[c].tvalid = s_axis_c2h_tvalid[Number];
      assign s_axis_c2h_tready[Number] = c2h[c].tready;
      assign h2c[c].tready = 1'b0;
    end else begin : gen_h2c
      `SL_AXI_LINK_RD(host[Number]., source_port[c].)
      `SL_AXI_LINK_WR(card[Number]., target_port[c].)
      assign stream_rst_no[Number]     = stream_rst_n;
      assign m_axis_h2c_tdata[Number]  = h2c[c].tdata;
      assign m_axis_h2c_tkeep[Number]  = h2c[c].tkeep;
      assign m_axis_h2c_tlast[Number]  = h2c[c].tlast;
      assign m_axis_h2c_tvalid[Number] = h2c[c].tvalid;
      assign h2c[c].tready             = m_axis_h2c_tready[Number];
      `SL_AXIS_IDLE_MST(c2h[c].)
    end

    // Fetching reads; the first of them has the short writes beside it.
    `SL_AXI_LINK_RD(host[NumPairs+c]., desc_port[c].)
    if (c > 0) begin : gen_reads_only
      `SL_AXI_IDLE_WR_MST(host[NumPairs+c].)
    end else begin : gen_short_writes
      `SL_AXI_LINK_WR(host[NumPairs]., short_port.)
    end
  end

  for (genvar p = 0; p < NumPairs; p++) begin : gen_pair
    if (p >= NumH2c) begin : gen_no_h2c
      `SL_AXI_IDLE_RD_MST(host[p].)
      `SL_AXI_IDLE_WR_MST(card[p].)
    end
    if (p >= NumC2h) begin : gen_no_c2h
      `SL_AXI_IDLE_WR_MST(host[p].)
      `SL_AXI_IDLE_RD_MST(card[p].)
    end
  end

  sl_xdma_writeback #(
      .NumPorts(NumCh)
  ) u_writeback (
      .clk_i,
      .rst_ni,
      .valid_i(wb_valid),
      .ready_o(wb_ready),
      .req_i  (wb),
      .done_o (wb_done),
      .error_o(wb_error),
      .m_axi  (short)
  );
  `SL_AXI_IDLE_RD_MST(short.)

  // All channels' short writes go with the first channel that is cut off while one of its own
  // waits.
  sl_xdma_port #(
      .Write(1'b1),
      .Guard(ResetTimeout != 0)
  ) u_short (
      .clk_i,
      .rst_ni,
      .isolate_i((cut_off & short_waits) != '0),
      .s_axi    (short),
      .m_axi    (short_port)
  );

  // ---- buses ------------------------------------------------------------------------------------
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(HostIdW)) host_port ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(CardIdW)) card_port ();

  sl_axi_join #(
      .NumMasters(NumHost)
  ) u_host (
      .clk_i,
      .rst_ni,
      .s_axi(host),
      .m_axi(host_port)
  );

  if (NumPairs > 1) begin : gen_card
    sl_axi_join #(
        .NumMasters(NumPairs)
    ) u_card (
        .clk_i,
        .rst_ni,
        .s_axi(card),
        .m_axi(card_port)
    );
  end else begin : gen_one_pair
    `SL_AXI_LINK(card_port., card[0].)
  end

  `SL_AXI_LINK(m_axi_host_, host_port.)
  `SL_AXI_LINK(m_axi_card_, card_port.)

  `SL_AXI_CHECK(u_check_host, host_port., 64, DataWidth, HostIdW, 1'b0)
  `SL_AXI_CHECK(u_check_card, card_port., 64, DataWidth, CardIdW, 1'b0)

endmodule
