// SPDX-License-Identifier: Apache-2.0
// DMA of a PCI Express card with the registers and tables of Intel's Avalon-MM DMA descriptor
// controller (V-Series Avalon-MM DMA Interface for PCIe, UG 683514), which the published FPGA-GPU
// system uses: tables of up to 128 descriptors in the host's memory, read (host to card) and write
// (card to host), behind an AXI4 port that a PCI Express bridge carries into the host's memory.
//
// Structure: for each direction sl_avmm_channel (fetch, movers, completion) and sl_avmm_csr;
//   sl_xdma_writeback for the status words of both; sl_axi_join puts all on the host's port.
// Control: the published registers at 0x000 (read) and 0x100 (write), the extension at 0x1000 and
//   0x1100; elsewhere DECERR.
// Host: m_axi_host_*, bus addresses. Data and fetches take turns, burst by burst. Reads are asked
//   for only where there is room: RREADY is always 1, so that a bridge needs no room for
//   completions. A status word is written, and then an interrupt requested, when the writes
//   of the data that it reports were answered.
// Card: m_axi_card_*, the card's memory.
// Throughput: a beat a cycle each way at once, descriptors of 4 KiB.
// Interrupts: vectors by vector_valid_o/_ready_i, for a bridge to send; a direction's vector is
//   sent once for what was requested while it waited. intx_o, a level.
// Reset: rst_ni at once, regardless of the bus; RESET of the extension a direction at a time:
//   bursts that were issued end first, without a time limit.
// Parameters out of range stop elaboration.
// Not supported: widths that differ between the two sides, MSI-X's table (sl_msix), the descriptor
//   FIFO in the card's memory.
// Specification: Intel UG 683514; regs/sl_avmm_table.rdl; docs/reference/sl_avmm_table.md
// (differences).

`include "sl_axi.svh"

module sl_avmm_table
  import sl_avmm_pkg::*;
#(
    parameter int unsigned DataWidth   = 256,  // 64..512, power of two
    parameter int unsigned MaxBurst    = 16,   // 2..256 beats, power of two
    parameter int unsigned BufferBeats = 512,  // of a mover, power of two
    localparam int unsigned HostIdW    = 3
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,

    // Control
    input  logic [12:0]            s_axil_awaddr,
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
    input  logic [12:0]            s_axil_araddr,
    input  logic [2:0]             s_axil_arprot,
    input  logic                   s_axil_arvalid,
    output logic                   s_axil_arready,
    output logic [31:0]            s_axil_rdata,
    output logic [1:0]             s_axil_rresp,
    output logic                   s_axil_rvalid,
    input  logic                   s_axil_rready,

    // Interrupts
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
    output logic [0:0]             m_axi_card_arid,
    output logic [63:0]            m_axi_card_araddr,
    output logic [7:0]             m_axi_card_arlen,
    output logic [2:0]             m_axi_card_arsize,
    output logic [1:0]             m_axi_card_arburst,
    output logic                   m_axi_card_arlock,
    output logic [3:0]             m_axi_card_arcache,
    output logic [2:0]             m_axi_card_arprot,
    output logic                   m_axi_card_arvalid,
    input  logic                   m_axi_card_arready,
    input  logic [0:0]             m_axi_card_rid,
    input  logic [DataWidth-1:0]   m_axi_card_rdata,
    input  logic [1:0]             m_axi_card_rresp,
    input  logic                   m_axi_card_rlast,
    input  logic                   m_axi_card_rvalid,
    output logic                   m_axi_card_rready,
    output logic [0:0]             m_axi_card_awid,
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
    input  logic [0:0]             m_axi_card_bid,
    input  logic [1:0]             m_axi_card_bresp,
    input  logic                   m_axi_card_bvalid,
    output logic                   m_axi_card_bready
);

  localparam int unsigned NumHost = 3;
  localparam int unsigned Windows = 4;

  if (DataWidth < 64 || DataWidth > 512 || (DataWidth & (DataWidth - 1)) != 0)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 64..512, is %0d", DataWidth);
  end

  // ---- control ----------------------------------------------------------------------------------
  sl_axil_if #(.AddrWidth(13)) control (), window [Windows] ();

  `SL_AXIL_LINK(control., s_axil_)

  sl_axil_demux #(
      .NumPorts (Windows),
      .AddrWidth(13),
      .Base     ({
        13'(sl_avmm_table_addr_pkg::WR_EXT_OFFSET), 13'(sl_avmm_table_addr_pkg::RD_EXT_OFFSET),
        13'(sl_avmm_table_addr_pkg::WR_OFFSET), 13'(sl_avmm_table_addr_pkg::RD_OFFSET)
      }),
      .Mask     ({Windows{13'h1f00}})
  ) u_control (
      .clk_i,
      .rst_ni,
      .s_axil(control),
      .m_axil(window)
  );

  // ---- directions: 0 read, host to card; 1 write, card to host ----------------------------------
  // On the host's port: data; then the fetches of each direction, the first with the status words
  // beside it.
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) host [NumHost] ();
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) data [2] ();  // 0 host's, 1 card's

  logic [1:0]               wb_valid, wb_ready, wb_done, irq, intx, reset_done;
  sl_xdma_pkg::sl_xdma_wb_t wb [2];
  logic [1:0]               wb_error;
  logic [1:0][4:0]          vector;

  for (genvar d = 0; d < 2; d++) begin : gen_direction
    sl_avmm_ctrl_t   ctrl;
    sl_avmm_status_t status;

    sl_avmm_csr u_csr (
        .clk_i,
        .rst_ni,
        .ctrl_o    (ctrl),
        .status_i  (status),
        .irq_o     (irq[d]),
        .vector_o  (vector[d]),
        .intx_o    (intx[d]),
        .s_axil    (window[d]),
        .s_axil_ext(window[2+d])
    );

    sl_avmm_channel #(
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats)
    ) u_channel (
        .clk_i,
        .rst_ni,
        .ctrl_i    (ctrl),
        .status_o  (status),
        .wb_valid_o(wb_valid[d]),
        .wb_ready_i(wb_ready[d]),
        .wb_o      (wb[d]),
        .wb_done_i (wb_done[d]),
        .wb_error_i(wb_error),
        .desc_axi  (host[1+d]),
        .src_axi   (data[d]),
        .dst_axi   (data[1-d])
    );

    assign reset_done[d] = status.reset_done;
  end

  `SL_AXI_LINK(host[0]., data[0].)
  `SL_AXI_IDLE_WR_MST(host[2].)

  sl_xdma_writeback #(
      .NumPorts   (2),
      .Outstanding(64)
  ) u_writeback (
      .clk_i,
      .rst_ni,
      .valid_i(wb_valid),
      .ready_o(wb_ready),
      .req_i  (wb),
      .done_o (wb_done),
      .error_o(wb_error),
      .m_axi  (host[1])
  );

  // ---- interrupts: a vector waits once a direction ----------------------------------------------
  logic [1:0] pending_q;
  logic       turn, turn_q, any;

  sl_turn #(
      .NumRequests(2)
  ) u_turn (
      .ask_i (pending_q),
      .last_i(turn_q),
      .sel_o (turn),
      .any_o (any)
  );

  always_ff @(posedge clk_i) begin
    pending_q <= (pending_q | irq) & ~reset_done;
    if (vector_ready_i) vector_valid_o <= 1'b0;
    if (any && (vector_ready_i || !vector_valid_o)) begin
      pending_q[turn] <= irq[turn] && !reset_done[turn];
      vector_valid_o  <= 1'b1;
      vector_o        <= vector[turn];
      turn_q          <= turn;
    end
    if (!rst_ni) begin
      pending_q      <= '0;
      vector_valid_o <= 1'b0;
      turn_q         <= 1'b0;
    end
  end

  assign intx_o = intx != '0;

  // ---- buses ------------------------------------------------------------------------------------
  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth), .IdWidth(HostIdW)) host_port ();

  sl_axi_join #(
      .NumMasters(NumHost)
  ) u_host (
      .clk_i,
      .rst_ni,
      .s_axi(host),
      .m_axi(host_port)
  );

  `SL_AXI_LINK(m_axi_host_, host_port.)
  `SL_AXI_LINK(m_axi_card_, data[1].)

  `SL_AXI_CHECK(u_check_host, host_port., 64, DataWidth, HostIdW, 1'b0)
  `SL_AXI_CHECK(u_check_card, data[1]., 64, DataWidth, 1, 1'b0)

endmodule
