// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_cdma_sg: scatter-gather front end of sl_axi_cdma: turns the descriptors of a chain into
// copies, and their statuses into write-backs and the error behaviour of PG034.
//
// Start       mode_i low arms: the next taildesc_we_i reads the chain from curdesc_i on, up to and
//             including the descriptor at taildesc_i. Without mode_i low in between a write of
//             TAILDESC goes on, from the descriptor after the last tail; while the chain runs it
//             extends it.
// Flow        descriptors come prefetched (sl_sg_fetch), each is given to the copy engine at once,
//             up to Depth are in flight; each is written back (sl_sg_update) in order after its
//             last byte. done_o once the write-back is acknowledged.
// Handshake   cmd_valid_o may be withdrawn (error, reset). sts_ready_o depends on the write-backs'
//             queue: a descriptor port that does not answer ends up stalling the copies.
// Errors      a descriptor that cannot be read, or is stale, takes effect after all before it are
//             done; one whose copy or write-back failed, at once: the copy engine is halted.
//             err_o after its write-back, with the sticky error levels. CURDESC keeps the first
//             that failed. Nothing runs before a reset.
// Status      COMPLETE, the error bits and in [25:0] the bytes copied, as the AXI DMA's.
// CURDESC     while the chain runs: the oldest descriptor in flight; then the last that was.
// Idle        busy_o low: tail reached, all written back, nothing outstanding; or an error stands
//             and the bursts have ended.
// Reset       rst_ni after quiesce_i has kept ports from issuing until copy_idle_i and idle_o.
//
// Depth       4 to 32, power of two: descriptors between command and status
// Follows     AMD PG034 v4.1, "Scatter Gather Mode"; regs/sl_axi_cdma.rdl, sl_axi_cdma_bd.rdl

module sl_axi_cdma_sg
  import sl_mover_pkg::*, sl_sg_pkg::*, sl_axi_cdma_bd_addr_pkg::*;
#(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned LenWidth  = 26,
    parameter int unsigned Depth     = 8
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 quiesce_i,
    output logic                 idle_o,        // nothing outstanding on the descriptor port
    output logic                 halting_o,     // an error: the bursts issued are waited for

    input  logic                 mode_i,        // CDMACR.SGMode
    input  logic                 cyclic_i,
    input  logic [AddrWidth-1:0] curdesc_i,
    input  logic [AddrWidth-1:0] taildesc_i,
    input  logic                 taildesc_we_i,
    output logic                 busy_o,
    output logic                 curdesc_we_o,
    output logic [AddrWidth-1:0] curdesc_o,
    output logic [2:0]           data_err_o,    // {decode, slave, internal}, sticky
    output logic [2:0]           desc_err_o,    // the same of the descriptor port
    output logic                 err_o,         // pulse
    output logic                 done_o,        // pulse: a descriptor is written back
    output logic [LenWidth-1:0]  done_bytes_o,

    output logic                 cmd_valid_o,
    input  logic                 cmd_ready_i,
    output logic [AddrWidth-1:0] cmd_src_o,
    output logic [AddrWidth-1:0] cmd_dst_o,
    output logic [LenWidth-1:0]  cmd_bytes_o,
    input  logic                 sts_valid_i,
    output logic                 sts_ready_o,
    input  logic [LenWidth-1:0]  sts_bytes_i,
    input  logic [1:0]           sts_error_i,
    output logic                 copy_halt_o,
    input  logic                 copy_idle_i,

    sl_axi_if.mst                m_axi          // 32 bits, ID 0
);

  assign m_axi.arid    = '0;
  assign m_axi.arlock  = 1'b0;
  assign m_axi.arcache = 4'b0011;
  assign m_axi.arprot  = 3'b000;
  assign m_axi.awid    = '0;
  assign m_axi.awlock  = 1'b0;
  assign m_axi.awcache = 4'b0011;
  assign m_axi.awprot  = 3'b000;

  localparam int unsigned BdBits  = 6;
  localparam int unsigned PtrBits = AddrWidth - BdBits;

  typedef enum logic [1:0] {
    REST,    // nothing in flight; the chain may go on
    RUN,     // descriptors are read and copied
    FLUSH,   // an error: the copy engine is halted, write-backs end
    STOPPED  // an error stands
  } state_e;

  typedef struct packed {
    logic                failed;
    logic [LenWidth-1:0] bytes;
    logic [PtrBits-1:0]  ptr;
  } tag_t;

  state_e     state_q;
  logic       armed_q, enable_q, tail_q, failed, at_rest;
  logic [2:0] data_err_q, desc_err_q;

  assign failed = data_err_q != '0 || desc_err_q != '0;

  // ------------------------------------------------------------------------- descriptors, as read
  sl_sg_desc_t desc;
  logic        desc_valid, desc_ready, fetch_idle, at_tail, begins, drained, settled;

  // The fetcher takes CURDESC with the first TAILDESC after mode_i was low, the tail a cycle later.
  assign begins = taildesc_we_i && mode_i && armed_q && state_q == REST && fetch_idle && !quiesce_i;

  always_ff @(posedge clk_i) begin
    tail_q <= taildesc_we_i && mode_i && (state_q == REST || state_q == RUN) && !quiesce_i;
    if (!mode_i) armed_q <= 1'b1;
    else if (begins) armed_q <= 1'b0;
    if (begins) enable_q <= 1'b1;
    else if ((!mode_i || armed_q) && state_q == REST && !tail_q) enable_q <= 1'b0;
    if (failed || quiesce_i) enable_q <= 1'b0;
    if (!rst_ni) begin
      tail_q   <= 1'b0;
      armed_q  <= 1'b1;
      enable_q <= 1'b0;
    end
  end

  sl_sg_fetch #(
      .AddrWidth(AddrWidth)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .enable_i    (enable_q && !failed && !quiesce_i),
      .start_i     (begins),
      .start_addr_i(curdesc_i),
      .tail_i      (taildesc_i),
      .tail_we_i   (tail_q && enable_q),
      .cyclic_i,
      .drained_i   (drained),
      .settled_i   (settled),
      .desc_valid_o(desc_valid),
      .desc_ready_i(desc_ready),
      .desc_o      (desc),
      .idle_o      (fetch_idle),
      .at_tail_o   (at_tail),
      .m_axi_araddr (m_axi.araddr),
      .m_axi_arlen  (m_axi.arlen),
      .m_axi_arsize (m_axi.arsize),
      .m_axi_arburst(m_axi.arburst),
      .m_axi_arvalid(m_axi.arvalid),
      .m_axi_arready(m_axi.arready),
      .m_axi_rdata  (m_axi.rdata),
      .m_axi_rresp  (m_axi.rresp),
      .m_axi_rlast  (m_axi.rlast),
      .m_axi_rvalid (m_axi.rvalid),
      .m_axi_rready (m_axi.rready)
  );

  // --------------------------------------------------------------------------- commands in flight
  logic               issue, flight_ready, flight_valid, flight_pop;
  logic [PtrBits-1:0] flight_ptr;
  logic [$clog2(Depth):0] flight_count;

  assign cmd_valid_o = state_q == RUN && desc_valid && desc.error == OKAY && flight_ready &&
                       !failed && !quiesce_i;
  assign cmd_src_o   = desc.a0[AddrWidth-1:0];
  assign cmd_dst_o   = desc.a1[AddrWidth-1:0];
  assign cmd_bytes_o = desc.control[LenWidth-1:0];
  assign issue       = cmd_valid_o && cmd_ready_i;
  assign drained     = flight_count == '0;

  sl_fifo #(
      .Width(PtrBits),
      .Depth(Depth)
  ) u_flight (
      .clk_i,
      .rst_ni,
      .clear_i    (state_q == FLUSH),
      .in_valid_i (issue),
      .in_ready_o (flight_ready),
      .in_data_i  (desc.addr[AddrWidth-1:BdBits]),
      .out_valid_o(flight_valid),
      .out_ready_i(flight_pop),
      .out_data_o (flight_ptr),
      .count_o    (flight_count)
  );

  // ------------------------------------------------------------------------------------ write-back
  logic       upd_valid, upd_ready, upd_idle, refuse, refused, done_valid;
  logic [1:0] done_error;
  logic [31:0] upd_status;
  tag_t       upd_tag, done_tag;

  // The descriptor at the head cannot be executed, and all before it are done.
  assign refuse  = state_q == RUN && desc_valid && desc.error != OKAY && !flight_valid && !failed &&
                   !quiesce_i;
  assign refused = refuse && upd_idle && !done_valid;

  assign upd_valid   = flight_valid && sts_valid_i && state_q == RUN && !failed && !quiesce_i;
  assign upd_tag     = '{failed: sts_error_i != OKAY, bytes: sts_bytes_i, ptr: flight_ptr};
  assign upd_status  = STATUS_COMPLETE_MASK | 32'(sts_bytes_i) |
                       (sts_error_i == DECERR ? STATUS_DECERR_MASK : '0) |
                       (sts_error_i == SLVERR ? STATUS_SLVERR_MASK : '0) |
                       (sts_error_i == INTERNAL ? STATUS_INTERR_MASK : '0);
  assign flight_pop  = upd_valid && upd_ready;
  assign sts_ready_o = copy_halt_o || flight_pop;
  assign desc_ready  = issue || refused;

  sl_sg_update #(
      .AddrWidth(AddrWidth),
      .TagWidth ($bits(tag_t))
  ) u_update (
      .clk_i,
      .rst_ni,
      .halt_i      (quiesce_i),
      .idle_o      (upd_idle),
      .upd_valid_i (upd_valid),
      .upd_ready_o (upd_ready),
      .upd_addr_i  ({flight_ptr, BdBits'(0)}),
      .upd_status_i(upd_status),
      .upd_tag_i   (upd_tag),
      .done_valid_o(done_valid),
      .done_error_o(done_error),
      .done_tag_o  (done_tag),
      .m_axi_awaddr (m_axi.awaddr),
      .m_axi_awlen  (m_axi.awlen),
      .m_axi_awsize (m_axi.awsize),
      .m_axi_awburst(m_axi.awburst),
      .m_axi_awvalid(m_axi.awvalid),
      .m_axi_awready(m_axi.awready),
      .m_axi_wdata  (m_axi.wdata),
      .m_axi_wstrb  (m_axi.wstrb),
      .m_axi_wlast  (m_axi.wlast),
      .m_axi_wvalid (m_axi.wvalid),
      .m_axi_wready (m_axi.wready),
      .m_axi_bresp  (m_axi.bresp),
      .m_axi_bvalid (m_axi.bvalid),
      .m_axi_bready (m_axi.bready)
  );

  assign done_o       = done_valid && done_error == OKAY && !done_tag.failed;
  assign done_bytes_o = done_tag.bytes;
  assign idle_o       = fetch_idle && upd_idle;
  assign settled      = drained && upd_idle && !done_valid;

  // --------------------------------------------------------------------------------------- control
  logic told_q, err_q;

  assign at_rest = at_tail && !tail_q && !taildesc_we_i && !desc_valid && !flight_valid &&
                   upd_idle && !done_valid;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      REST: if (tail_q && enable_q) state_q <= RUN;
      RUN: begin
        if (failed) state_q <= FLUSH;
        else if (at_rest) state_q <= REST;
      end
      FLUSH: if (copy_idle_i && idle_o && !done_valid) state_q <= STOPPED;
      default: state_q <= STOPPED;
    endcase

    err_q <= 1'b0;
    if (flight_pop) begin
      data_err_q <= data_err_q |
                    {sts_error_i == DECERR, sts_error_i == SLVERR, sts_error_i == INTERNAL};
    end
    if (refused) begin
      desc_err_q <= {desc.error == DECERR, desc.error == SLVERR, desc.error == INTERNAL};
    end else if (done_valid && done_error != OKAY) begin
      desc_err_q <= desc_err_q | {done_error == DECERR, done_error == SLVERR, 1'b0};
    end
    if (refused || (done_valid && (done_error != OKAY || done_tag.failed))) begin
      err_q  <= !told_q;
      told_q <= 1'b1;
    end

    if (!rst_ni) begin
      state_q    <= REST;
      data_err_q <= '0;
      desc_err_q <= '0;
      err_q      <= 1'b0;
      told_q     <= 1'b0;
    end
  end

  assign err_o       = err_q;
  assign data_err_o  = data_err_q;
  assign desc_err_o  = desc_err_q;
  assign halting_o   = state_q == FLUSH;
  assign copy_halt_o = state_q == FLUSH || quiesce_i;
  assign busy_o      = state_q == RUN || state_q == FLUSH || tail_q || err_q || done_valid;

  // The oldest failure stays; a write-back that fails is of one older than those in flight.
  always_comb begin
    curdesc_we_o = state_q == RUN && !failed && (flight_valid || refuse);
    curdesc_o    = {flight_valid ? flight_ptr : desc.addr[AddrWidth-1:BdBits], BdBits'(0)};
    if (done_valid && done_error != OKAY && desc_err_q == '0) begin
      curdesc_we_o = 1'b1;
      curdesc_o    = {done_tag.ptr, BdBits'(0)};
    end
  end

  logic unused;
  assign unused = &{1'b0, desc};
endmodule
