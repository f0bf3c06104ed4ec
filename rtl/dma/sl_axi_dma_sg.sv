// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_sg: front end of one direction of sl_axi_dma in scatter-gather mode: turns the
// descriptors of a chain into mover commands, and the mover's statuses into write-backs of the
// descriptors and the run, halt, error and interrupt behaviour of PG021.
//
// Flow        RS set: CURDESC is where the chain starts. A write of TAILDESC runs it up to and
//             including that descriptor; another one goes on from there. Descriptors come
//             prefetched from sl_sg_fetch, each goes to the mover as one command at once, up
//             to Depth are in flight, and each is written back by sl_sg_update in order, after
//             its last byte. A completion counts (sl_sg_irq) after its write-back is acknowledged,
//             if it ends a packet (TXEOF, RXEOF), in cyclic mode always.
// Handshake   cmd_valid_o may be withdrawn (stop, reset). sts_ready_o depends on the write-backs'
//             queue: a descriptor port that does not answer ends up stalling the mover.
// Packets     ToMemory = 0: TXEOF gives TLAST; TXSOF has no meaning. ToMemory = 1: a packet longer
//             than a descriptor's buffer goes on in the next one.
// Stop        RS cleared: no further command. Issued ones complete and are written back; one that
//             waits for its first beat (ToMemory = 1) is dropped. With stalled_i all that are left
//             are: ToMemory = 1, beats that the mover took are lost; 0, the packet has no TLAST.
// Errors      a descriptor that cannot be read, is stale or cannot be executed takes effect after
//             all before it are done; one whose transfer or write-back failed, at once. No further
//             command then. ToMemory = 0: issued ones complete, the stream stays legal; ToMemory =
//             1: the mover is halted. CURDESC keeps the first that failed, err is pulsed after its
//             write-back. Nothing runs before a reset.
// CURDESC     written while the channel is not halted: the oldest descriptor in flight, or the last
//             that was.
// Idle        the tail is reached and written back, and IOC_Irq set if it is due.
// Reset       rst_ni is the engine's reset, which a soft reset drives too, after quiesce_i has kept
//             mover and descriptor port from issuing until mover_idle_i and idle_o.
//
// Depth       power of two, 4 to 64: descriptors between command and status
// Parameters  the others are checked in sl_axi_dma
// Follows     AMD PG021 v7.1, "Scatter/Gather Mode", "Cyclic DMA Mode"; regs/sl_axi_dma.rdl

module sl_axi_dma_sg
  import sl_mover_pkg::*, sl_axi_dma_pkg::*, sl_sg_pkg::*, sl_axi_dma_bd_addr_pkg::*;
#(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned DataWidth = 64,
    parameter int unsigned LenWidth  = 26,
    parameter bit          Unaligned = 1'b0,
    parameter bit          ToMemory  = 1'b0,  // 0: MM2S, 1: S2MM
    parameter int unsigned Depth     = 32
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 quiesce_i,
    output logic                 idle_o,           // nothing outstanding on the descriptor port

    input  sl_axi_dma_ctrl_t     ctrl_i,
    output sl_axi_dma_status_t   status_o,

    output logic                 cmd_valid_o,
    input  logic                 cmd_ready_i,
    output logic [AddrWidth-1:0] cmd_addr_o,
    output logic [LenWidth-1:0]  cmd_bytes_o,
    output logic                 cmd_eop_o,
    input  logic                 sts_valid_i,
    output logic                 sts_ready_o,
    input  logic [LenWidth-1:0]  sts_bytes_i,
    input  logic                 sts_eop_i,
    input  error_e               sts_error_i,
    output logic                 mover_halt_o,
    input  logic                 mover_idle_i,
    output logic                 draining_o,       // only the descriptor port is waited for
    input  logic                 stalled_i,        // RS is clear, and the stream stands still

    input  logic                 stream_beat_i,    // ToMemory: a beat is taken; its TLAST
    input  logic                 stream_last_i,
    input  logic                 stream_held_i,    // ToMemory: one is held that no command took
    output logic                 stream_open_o,    // ToMemory: 0: no beat may be taken

    output logic                 done_o,           // pulse: a descriptor is written back
    output logic [LenWidth-1:0]  done_bytes_o,
    output logic                 done_eop_o,

    output sl_axi_dma_sg_req_t   sg_req_o,
    input  sl_axi_dma_sg_rsp_t   sg_rsp_i
);

  localparam int unsigned LaneBits = $clog2(DataWidth / 8);
  localparam int unsigned BdBits   = 6;  // a descriptor is 64-byte aligned
  localparam int unsigned PtrBits  = AddrWidth - BdBits;

  typedef enum logic [1:0] {
    HALTED,  // nothing in flight; RS = 0, or an error stands
    RUN,     // descriptors are read and issued
    STOP,    // issued ones complete
    FLUSH    // mover halted, descriptor port drains
  } state_e;

  typedef struct packed {
    logic               uneven;  // the buffer is not whole beats
    logic [PtrBits-1:0] ptr;
  } flight_t;

  typedef struct packed {
    logic                failed;
    logic                eop;
    logic [LenWidth-1:0] bytes;
    logic [PtrBits-1:0]  ptr;
  } tag_t;

  state_e state_q;
  logic   failed, int_err_q, slv_err_q, dec_err_q, sg_int_err_q, sg_slv_err_q, sg_dec_err_q;
  logic   sg_failed;

  assign sg_failed = sg_int_err_q || sg_slv_err_q || sg_dec_err_q;
  assign failed    = int_err_q || slv_err_q || dec_err_q || sg_failed;

  // ------------------------------------------------------------------------- descriptors, as read
  sl_sg_desc_t          desc;
  logic                 desc_valid, desc_ready, fetch_idle, at_tail, start, tail_q, started_q;
  logic                 drained, settled;
  logic [AddrWidth-1:0] araddr;
  logic [22:0]          unused_constant;  // of the bus, sl_axi_dma_join has it
  logic [LenWidth-1:0]  bytes;
  logic                 eop, uneven, bad, blocked;

  // RS, not the state: TAILDESC may be written so soon after RS that the state has not followed.
  always_ff @(posedge clk_i) begin
    tail_q <= (ctrl_i.taildesc_written && ctrl_i.run && !failed) || (tail_q && state_q != RUN);
    if (state_q == HALTED) started_q <= 1'b0;
    else if (tail_q) started_q <= 1'b1;
    if (!rst_ni) begin
      tail_q    <= 1'b0;
      started_q <= 1'b0;
    end
  end

  assign start = state_q == HALTED && ctrl_i.run && !failed && !quiesce_i;

  sl_sg_fetch #(
      .AddrWidth(AddrWidth)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .enable_i     (state_q == RUN && !quiesce_i),
      .start_i      (start),
      .start_addr_i (ctrl_i.curdesc[AddrWidth-1:0]),
      .tail_i       (ctrl_i.taildesc[AddrWidth-1:0]),
      .tail_we_i    (tail_q && state_q == RUN),
      .cyclic_i     (ctrl_i.cyclic),
      .drained_i    (drained),
      .settled_i    (settled),
      .desc_valid_o (desc_valid),
      .desc_ready_i (desc_ready),
      .desc_o       (desc),
      .idle_o       (fetch_idle),
      .at_tail_o    (at_tail),
      .m_axi_araddr (araddr),
      .m_axi_arlen  (sg_req_o.arlen),
      .m_axi_arsize (unused_constant[0+:3]),
      .m_axi_arburst(unused_constant[3+:2]),
      .m_axi_arvalid(sg_req_o.arvalid),
      .m_axi_arready(sg_rsp_i.arready),
      .m_axi_rdata  (sg_rsp_i.rdata),
      .m_axi_rresp  (sg_rsp_i.rresp),
      .m_axi_rlast  (sg_rsp_i.rlast),
      .m_axi_rvalid (sg_rsp_i.rvalid),
      .m_axi_rready (sg_req_o.rready)
  );

  assign sg_req_o.araddr = 64'(araddr);

  assign bytes  = desc.control[LenWidth-1:0];
  assign eop    = desc.control[CONTROL_EOP_SHIFT];
  assign uneven = !Unaligned && bytes[LaneBits-1:0] != '0;
  // What the mover would refuse, or lose bytes of.
  assign bad    = bytes == '0 || (!Unaligned && desc.a0[LaneBits-1:0] != '0) ||
                  (!ToMemory && uneven && !eop);
  assign blocked = bad || desc.error != OKAY;

  // --------------------------------------------------------------------------- commands in flight
  flight_t flight, issued;
  logic    issue, flight_ready, flight_valid, flight_pop;
  logic [$clog2(Depth):0] flight_count;

  assign cmd_valid_o = state_q == RUN && desc_valid && !blocked && flight_ready && ctrl_i.run &&
                       !failed && !quiesce_i;
  assign cmd_addr_o  = desc.a0[AddrWidth-1:0];
  assign cmd_bytes_o = bytes;
  assign cmd_eop_o   = eop;
  assign issue       = cmd_valid_o && cmd_ready_i;
  assign drained     = flight_count == '0;
  assign issued      = '{uneven: uneven, ptr: desc.addr[AddrWidth-1:BdBits]};

  sl_fifo #(
      .Width($bits(flight_t)),
      .Depth(Depth)
  ) u_flight (
      .clk_i,
      .rst_ni,
      .clear_i    (state_q == FLUSH),
      .in_valid_i (issue),
      .in_ready_o (flight_ready),
      .in_data_i  (issued),
      .out_valid_o(flight_valid),
      .out_ready_i(flight_pop),
      .out_data_o (flight),
      .count_o    (flight_count)
  );

  // ------------------------------------------------------------------------------------ write-back
  logic        upd_valid, upd_ready, upd_idle, refuse, refused, sop_q, lost;
  logic [1:0]  error;
  tag_t        upd_tag, done_tag;
  logic [31:0] upd_status;
  logic        done_valid;
  logic [1:0]  done_error;
  logic [AddrWidth-1:0] awaddr;

  // The descriptor at the head cannot be executed, and all before it are done.
  assign refuse  = state_q == RUN && desc_valid && blocked && !flight_valid && !failed &&
                   !quiesce_i;
  assign refused = refuse && upd_idle && !done_valid && desc.error != OKAY;

  // The command ended inside a beat of the packet: the rest of that beat is in no buffer.
  assign lost  = ToMemory && flight.uneven && !sts_eop_i;
  assign error = !flight_valid ? INTERNAL : sts_error_i == OKAY && lost ? INTERNAL : sts_error_i;

  assign upd_valid   = flight_valid ? sts_valid_i && state_q != FLUSH && !quiesce_i
                                    : refuse && desc.error == OKAY;
  assign upd_tag     = '{
      failed: error != OKAY,
      eop: flight_valid && sts_eop_i,
      bytes: flight_valid ? sts_bytes_i : '0,
      ptr: flight_valid ? flight.ptr : desc.addr[AddrWidth-1:BdBits]
  };
  assign upd_status  = STATUS_COMPLETE_MASK | 32'(upd_tag.bytes) |
                       (error == DECERR ? STATUS_DECERR_MASK : '0) |
                       (error == SLVERR ? STATUS_SLVERR_MASK : '0) |
                       (error == INTERNAL ? STATUS_INTERR_MASK : '0) |
                       (ToMemory && sop_q ? STATUS_SOP_MASK : '0) |
                       (ToMemory && upd_tag.eop ? STATUS_EOP_MASK : '0);
  assign flight_pop  = upd_valid && upd_ready && flight_valid;
  assign sts_ready_o = mover_halt_o || (flight_valid && upd_ready);
  assign desc_ready  = issue || (upd_valid && upd_ready && !flight_valid) || refused;

  always_ff @(posedge clk_i) begin
    if (flight_pop) sop_q <= sts_eop_i;
    if (!rst_ni || state_q == HALTED) sop_q <= 1'b1;
  end

  sl_sg_update #(
      .AddrWidth(AddrWidth),
      .TagWidth ($bits(tag_t))
  ) u_update (
      .clk_i,
      .rst_ni,
      .halt_i       (quiesce_i),
      .idle_o       (upd_idle),
      .upd_valid_i  (upd_valid),
      .upd_ready_o  (upd_ready),
      .upd_addr_i   ({upd_tag.ptr, BdBits'(0)}),
      .upd_status_i (upd_status),
      .upd_tag_i    (upd_tag),
      .done_valid_o (done_valid),
      .done_error_o (done_error),
      .done_tag_o   (done_tag),
      .m_axi_awaddr (awaddr),
      .m_axi_awlen  (unused_constant[5+:8]),
      .m_axi_awsize (unused_constant[13+:3]),
      .m_axi_awburst(unused_constant[16+:2]),
      .m_axi_awvalid(sg_req_o.awvalid),
      .m_axi_awready(sg_rsp_i.awready),
      .m_axi_wdata  (sg_req_o.wdata),
      .m_axi_wstrb  (unused_constant[18+:4]),
      .m_axi_wlast  (unused_constant[22]),
      .m_axi_wvalid (sg_req_o.wvalid),
      .m_axi_wready (sg_rsp_i.wready),
      .m_axi_bresp  (sg_rsp_i.bresp),
      .m_axi_bvalid (sg_rsp_i.bvalid),
      .m_axi_bready (sg_req_o.bready)
  );

  assign sg_req_o.awaddr = 64'(awaddr);

  assign done_o       = done_valid && done_error == OKAY && !done_tag.failed;
  assign done_bytes_o = done_tag.bytes;
  assign done_eop_o   = done_tag.eop;
  assign idle_o       = fetch_idle && upd_idle;
  assign settled      = drained && upd_idle && !done_valid;

  // --------------------------------------------------------------------------------------- control
  logic begun_q;  // the newest command has had a beat
  logic told_q;   // Err_Irq was given
  logic err_q;
  logic unbegun;
  logic left;     // no descriptor that may still complete is before those that the stream holds up

  // The mover takes a command with the last beat of the one before: what is held after that, and
  // what comes then, is the newest one's.
  assign unbegun = ToMemory && flight_count == 1 && !begun_q && !stream_beat_i && !stream_held_i;
  assign left    = !ToMemory || flight_count == 1;

  always_ff @(posedge clk_i) begin
    begun_q <= !issue && (begun_q || stream_beat_i || stream_held_i);

    unique case (state_q)
      HALTED: if (start) state_q <= RUN;
      RUN: if (!ctrl_i.run || failed) state_q <= STOP;
      STOP: begin
        if (ToMemory && failed) state_q <= FLUSH;
        else if (upd_idle && !done_valid) begin
          if (unbegun || (flight_valid && stalled_i && left)) state_q <= FLUSH;
          else if (!flight_valid && !ToMemory) state_q <= FLUSH;
          // Not by way of a halt, which would drop a beat that the mover holds.
          else if (!flight_valid && mover_idle_i && idle_o) state_q <= HALTED;
        end
      end
      FLUSH: if (mover_idle_i && idle_o && !done_valid) state_q <= HALTED;
      default: state_q <= HALTED;
    endcase

    err_q <= 1'b0;
    if (upd_valid && upd_ready) begin
      int_err_q <= int_err_q || error == INTERNAL;
      slv_err_q <= slv_err_q || error == SLVERR;
      dec_err_q <= dec_err_q || error == DECERR;
    end
    if (refused || (done_valid && done_error != OKAY)) begin
      sg_int_err_q <= sg_int_err_q || (refused && desc.error == INTERNAL);
      sg_slv_err_q <= sg_slv_err_q || (refused ? desc.error : done_error) == SLVERR;
      sg_dec_err_q <= sg_dec_err_q || (refused ? desc.error : done_error) == DECERR;
    end
    if (refused || (done_valid && (done_error != OKAY || done_tag.failed))) begin
      err_q  <= !told_q;
      told_q <= 1'b1;
    end

    if (!rst_ni) begin
      state_q      <= HALTED;
      begun_q      <= 1'b0;
      told_q       <= 1'b0;
      err_q        <= 1'b0;
      int_err_q    <= 1'b0;
      slv_err_q    <= 1'b0;
      dec_err_q    <= 1'b0;
      sg_int_err_q <= 1'b0;
      sg_slv_err_q <= 1'b0;
      sg_dec_err_q <= 1'b0;
    end
  end

  assign draining_o    = state_q == STOP && !flight_valid;
  assign mover_halt_o  = state_q == FLUSH || quiesce_i;
  assign stream_open_o = (state_q == RUN || state_q == STOP) && !quiesce_i;

  // ------------------------------------------------------------------------------------ interrupts
  logic packet_q;  // the next beat (S2MM) or command (MM2S) begins a packet
  logic begins, ends;

  assign begins = packet_q && (ToMemory ? stream_beat_i : issue);
  assign ends   = ToMemory ? stream_last_i : eop;
  always_ff @(posedge clk_i) begin
    if (ToMemory ? stream_beat_i : issue) packet_q <= ends;
    if (!rst_ni || state_q == HALTED) packet_q <= 1'b1;
  end

  sl_sg_irq u_irq (
      .clk_i,
      .rst_ni,
      .enable_i         (state_q != HALTED),
      .threshold_i      (ctrl_i.threshold),
      .threshold_we_i   (ctrl_i.threshold_written),
      .delay_i          (ctrl_i.delay),
      .event_i          (done_o && (done_eop_o || ctrl_i.cyclic)),
      .busy_i           (begins),
      .ioc_o            (status_o.ioc),
      .dly_o            (status_o.dly),
      .threshold_o      (status_o.threshold),
      .threshold_count_o(status_o.threshold_count),
      .delay_count_o    (status_o.delay_count)
  );

  // ---------------------------------------------------------------------------------------- status
  logic [2:0] rest_q;  // IOC_Irq of the last descriptor is set before Idle is

  always_ff @(posedge clk_i) begin
    rest_q <= {rest_q[1:0], 1'b1};
    if (!rst_ni || state_q != RUN || !started_q || !at_tail || tail_q || desc_valid ||
        flight_valid || !upd_idle || done_valid) begin
      rest_q <= '0;
    end
  end

  assign status_o.run_clr      = failed;
  assign status_o.halted       = state_q == HALTED && !(ctrl_i.run && !failed);
  assign status_o.idle         = rest_q[2] && ctrl_i.run;
  assign status_o.int_err      = int_err_q;
  assign status_o.slv_err      = slv_err_q;
  assign status_o.dec_err      = dec_err_q;
  assign status_o.sg_int_err   = sg_int_err_q;
  assign status_o.sg_slv_err   = sg_slv_err_q;
  assign status_o.sg_dec_err   = sg_dec_err_q;
  assign status_o.err          = err_q;
  assign status_o.curdesc_open = state_q == HALTED && !failed;
  assign status_o.length_open  = 1'b0;
  assign status_o.length_we    = 1'b0;
  assign status_o.length       = '0;

  logic unused;
  assign unused = &{1'b0, ctrl_i, desc};

  // The oldest failure stays; a write-back that fails is of one older than those in flight.
  always_comb begin
    status_o.curdesc_we = state_q != HALTED && !failed && (flight_valid || refuse);
    status_o.curdesc    = 64'({upd_tag.ptr, BdBits'(0)});
    if (done_valid && done_error != OKAY && !sg_failed) begin
      status_o.curdesc_we = 1'b1;
      status_o.curdesc    = 64'({done_tag.ptr, BdBits'(0)});
    end
  end
endmodule
