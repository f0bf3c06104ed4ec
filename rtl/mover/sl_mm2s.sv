// SPDX-License-Identifier: Apache-2.0
//
// sl_mm2s: memory to stream. Takes commands (address, bytes), reads by AXI bursts, sends an
// AXI-Stream, returns a status for each command in order.
//
// Commands    taken while at most CmdDepth are in flight; many bursts of many commands are
//             outstanding. Bursts end at multiples of min(MaxBurst * DataWidth / 8, 4096) bytes.
//             With cmd_eop_i the last byte carries TLAST; else the next command's bytes follow
//             directly, also within a beat (Unaligned=1).
// Space       a burst is issued only when the buffer has room for a whole MaxBurst: RREADY is
//             always high.
// Status      valid from the cycle after the command's last beat was taken on m_axis. Where the
//             bytes after the last full beat wait for the next command to fill theirs (no
//             cmd_eop_i), it does not wait for those.
// Latency     cmd to ARVALID 1 cycle; R to m_axis 1 cycle, 2 with Unaligned=1. 64 B at 64 bits and
//             AR-to-R 20: last beat taken 29 cycles after the command (30).
// Throughput  64 bits, AR-to-R up to 120, back-to-back commands of 64 B and up: 100 % of a beat a
//             cycle. Unaligned: a command that touches n beats of memory takes n cycles, one more
//             where its packet ends in one beat more. A burst a cycle is issued, every second one
//             while less than 2 * MaxBurst is free.
// Errors      the beats of a failed read go out like all others, so that packets stay whole. The
//             status has the first error, and the bytes before the first failed beat. A command of
//             0 bytes, or with Unaligned=0 one that is not beat-aligned: INTERNAL, no bus access,
//             nothing on the stream (no TLAST either). Unaligned=0: a byte count that is not whole
//             beats is allowed only with cmd_eop_i (asserted).
// halt_i      level, held until idle_o: an ARVALID that waits is kept until taken, no other burst
//             is issued; data still to come is taken and dropped, likewise commands and statuses.
//             TVALID falls at once, also on a beat that waits: as in PG021, the consumer has to be
//             reset along with the mover. idle_o: nothing in flight.
// Reset       synchronous, at once, and regardless of the bus: after reset no old R beats may come.
//             Use halt_i first.
// stall_*_o   a cycle later: no R beat came, and why (exactly one): addr, a burst had no ARREADY;
//             space, the consumer holds buffer or command queue full; resp, issued reads did not
//             answer; data, nothing was commanded. With the R beats they make all cycles.
//
// AddrWidth 32..64, DataWidth 32..512 (memory and stream), LenWidth 8..32 (byte count), TagWidth
// 1..32, IdWidth 1..16, MaxBurst 2..256 beats, BufferBeats 2*MaxBurst..65536 and over 64, CmdDepth
// 2..64; widths of data, bursts, buffer and depth are powers of two. Not supported: narrow bursts,
// FIXED or WRAP, several IDs (ARID = 0), out-of-order data.

module sl_mm2s #(
    parameter int unsigned AddrWidth   = 32,
    parameter int unsigned DataWidth   = 64,
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned TagWidth    = 4,
    parameter int unsigned IdWidth     = 1,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512,
    parameter int unsigned CmdDepth    = 32,
    parameter bit          Unaligned   = 1'b0
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   halt_i,
    output logic                   idle_o,

    input  logic                   cmd_valid_i,
    output logic                   cmd_ready_o,
    input  logic [AddrWidth-1:0]   cmd_addr_i,
    input  logic [LenWidth-1:0]    cmd_bytes_i,
    input  logic                   cmd_eop_i,
    input  logic [TagWidth-1:0]    cmd_tag_i,

    output logic                   sts_valid_o,
    input  logic                   sts_ready_i,
    output logic [LenWidth-1:0]    sts_bytes_o,
    output logic                   sts_eop_o,
    output logic [1:0]             sts_error_o,
    output logic [TagWidth-1:0]    sts_tag_o,

    output logic                   stall_addr_o,
    output logic                   stall_space_o,
    output logic                   stall_data_o,
    output logic                   stall_resp_o,

    output logic [IdWidth-1:0]     m_axi_arid,
    output logic [AddrWidth-1:0]   m_axi_araddr,
    output logic [7:0]             m_axi_arlen,
    output logic [2:0]             m_axi_arsize,
    output logic [1:0]             m_axi_arburst,
    output logic                   m_axi_arlock,
    output logic [3:0]             m_axi_arcache,
    output logic [2:0]             m_axi_arprot,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    input  logic [IdWidth-1:0]     m_axi_rid,
    input  logic [DataWidth-1:0]   m_axi_rdata,
    input  logic [1:0]             m_axi_rresp,
    input  logic                   m_axi_rlast,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready,

    output logic [DataWidth-1:0]   m_axis_tdata,
    output logic [DataWidth/8-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready
);

  import sl_mover_pkg::*;

  localparam int unsigned BeatBytes  = DataWidth / 8;
  localparam int unsigned LaneBits   = $clog2(BeatBytes);
  localparam int unsigned BurstBeats = MaxBurst * BeatBytes < 4096 ? MaxBurst : 4096 / BeatBytes;
  localparam int unsigned FreeBits   = $clog2(BufferBeats) + 1;
  localparam int unsigned CntBits    = LenWidth - LaneBits;
  localparam int unsigned BySpace    = BufferBeats / BurstBeats;
  localparam int unsigned WantBursts = BySpace > CmdDepth ? BySpace : CmdDepth;
  localparam int unsigned MaxBursts  = WantBursts > 64 ? 64 : WantBursts;

  if (BufferBeats <= 64 || BufferBeats > 65536 || BufferBeats < 2 * MaxBurst ||
      (BufferBeats & (BufferBeats - 1)) != 0) begin : gen_bad_buffer
    $fatal(1, "%m: BufferBeats must be a power of two in 128..65536, 2 * MaxBurst or more, is %0d",
           BufferBeats);
  end
  if (CmdDepth < 2 || CmdDepth > 64 || (CmdDepth & (CmdDepth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "%m: CmdDepth must be a power of two in 2..64, is %0d", CmdDepth);
  end
  if (TagWidth < 1 || TagWidth > 32) begin : gen_bad_tag
    $fatal(1, "%m: TagWidth must be 1..32, is %0d", TagWidth);
  end
  if (IdWidth < 1 || IdWidth > 16) begin : gen_bad_id
    $fatal(1, "%m: IdWidth must be 1..16, is %0d", IdWidth);
  end

  typedef struct packed {
    logic                bad;
    logic                eop;
    logic [TagWidth-1:0] tag;
    logic [LaneBits-1:0] beg;  // lane of the first byte
    logic [LaneBits-1:0] last;  // lane of the last byte
    logic                carry;  // see count
    logic [LaneBits-1:0] tail;  // byte count less one, modulo a beat
  } meta_t;

  typedef struct packed {
    logic                 last;  // last beat of its command
    logic [1:0]           resp;
    logic [DataWidth-1:0] data;
  } beat_t;

  typedef struct packed {
    logic [LenWidth-1:0] bytes;
    logic                eop;
    logic [1:0]          error;
    logic [TagWidth-1:0] tag;
  } status_t;

  // ------------------------------------------------------------------------------------------ halt
  logic halt_q, clear;
  logic ar_pend_q;  // ARVALID was seen by the slave and has to stay

  always_ff @(posedge clk_i) begin
    halt_q    <= halt_i && rst_ni;
    ar_pend_q <= rst_ni && m_axi_arvalid && !m_axi_arready;
  end

  // --------------------------------------------------------------------------- commands and bursts
  meta_t cmd_meta, meta_next, meta;
  logic  cmd_take, cmd_bad, meta_in_ready, meta_next_valid, meta_valid, meta_pop;
  logic [LaneBits-1:0] cmd_beg, cmd_last, cmd_tail;
  logic  split_ready, burst_valid, burst_last, ar_take;

  assign cmd_bad     = cmd_bytes_i == '0 || (!Unaligned && cmd_addr_i[LaneBits-1:0] != '0);
  assign cmd_ready_o = meta_in_ready && split_ready && !halt_q;
  assign cmd_take    = cmd_valid_i && cmd_ready_o;
  assign cmd_meta    = '{
      bad: cmd_bad,
      eop: cmd_eop_i,
      tag: cmd_tag_i,
      beg: cmd_beg,
      last: cmd_last,
      carry: cmd_beg == '0 ? (&cmd_last) : cmd_last >= cmd_beg - 1'b1,
      tail: cmd_tail
  };
  assign cmd_beg  = cmd_addr_i[LaneBits-1:0];
  assign cmd_tail = cmd_bytes_i[LaneBits-1:0] - 1'b1;
  assign cmd_last = cmd_beg + cmd_tail;

  sl_burst_split #(
      .AddrWidth(AddrWidth),
      .DataWidth(DataWidth),
      .LenWidth (LenWidth),
      .MaxBurst (MaxBurst)
  ) u_split (
      .clk_i,
      .rst_ni,
      .clear_i      (clear),
      .cmd_valid_i  (cmd_take && !cmd_bad),
      .cmd_ready_o  (split_ready),
      .cmd_addr_i,
      .cmd_bytes_i,
      .burst_valid_o(burst_valid),
      .burst_ready_i(ar_take),
      .burst_addr_o (m_axi_araddr),
      .burst_len_o  (m_axi_arlen),
      .burst_last_o (burst_last),
      .drop_i       (1'b0)
  );

  logic [$clog2(CmdDepth):0] unused_meta_count;
  sl_fifo #(
      .Width($bits(meta_t)),
      .Depth(CmdDepth)
  ) u_meta (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (cmd_take),
      .in_ready_o (meta_in_ready),
      .in_data_i  (cmd_meta),
      .out_valid_o(meta_next_valid),
      .out_ready_i(!meta_valid || meta_pop),
      .out_data_o (meta_next),
      .count_o    (unused_meta_count)
  );

  // The command whose beats come next, out of the RAM's way.
  always_ff @(posedge clk_i) begin
    if (!meta_valid || meta_pop) begin
      meta       <= meta_next;
      meta_valid <= meta_next_valid;
    end
    if (!rst_ni || clear) meta_valid <= 1'b0;
  end

  // Room in the buffer that no issued burst has been promised.
  logic [FreeBits-1:0] free_q;
  logic                space_q, beat_pop, slot_ready;

  always_ff @(posedge clk_i) begin
    // -(len + 1) is ~len; the beat that leaves is the carry.
    free_q <= free_q + (ar_take ? ~FreeBits'(m_axi_arlen) : '0) + FreeBits'(beat_pop);
    // Looks at the room before this cycle's burst, which takes at most BurstBeats. Without one it
    // never falls.
    space_q <= ar_take ? free_q >= FreeBits'(2 * BurstBeats) : free_q >= FreeBits'(BurstBeats);
    if (!rst_ni || clear) begin
      free_q  <= FreeBits'(BufferBeats);
      space_q <= 1'b1;
    end
  end

  assign m_axi_arvalid = burst_valid && space_q && slot_ready && (!halt_q || ar_pend_q);
  assign ar_take       = m_axi_arvalid && m_axi_arready;
  assign m_axi_arid    = '0;
  assign m_axi_arsize  = 3'(LaneBits);
  assign m_axi_arburst = 2'b01;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = 4'b0011;
  assign m_axi_arprot  = 3'b000;

  // Bursts outstanding; each remembers whether it ends its command.
  logic r_take, r_burst_valid, r_burst_last;
  logic [$clog2(MaxBursts):0] unused_burst_count;
  sl_fifo #(
      .Width(1),
      .Depth(MaxBursts)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (ar_take),
      .in_ready_o (slot_ready),
      .in_data_i  (burst_last),
      .out_valid_o(r_burst_valid),
      .out_ready_i(r_take && m_axi_rlast),
      .out_data_o (r_burst_last),
      .count_o    (unused_burst_count)
  );

  assign clear = halt_q && !m_axi_arvalid && !r_burst_valid;

  // ---------------------------------------------------------------------------------------- buffer
  beat_t r_beat, beat;
  logic  buffer_ready, beat_valid;
  logic [$clog2(BufferBeats):0] unused_buffer_count;

  assign m_axi_rready = 1'b1;
  assign r_take       = m_axi_rvalid;
  assign r_beat       = '{last: m_axi_rlast && r_burst_last, resp: m_axi_rresp, data: m_axi_rdata};

  sl_fifo #(
      .Width($bits(beat_t)),
      .Depth(BufferBeats)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (r_take),
      .in_ready_o (buffer_ready),
      .in_data_i  (r_beat),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_pop),
      .out_data_o (beat),
      .count_o    (unused_buffer_count)
  );

  // ------------------------------------------------------------------- to the stream, and statuses
  status_t sts_in;
  logic    sts_push, sts_in_ready;
  logic    go;  // the next beat is of the command at the head of u_meta
  logic    first_q, beg_bad_q;
  logic [1:0] error_q, error;
  logic [CntBits-1:0] count_q, count;
  logic [LaneBits-1:0] beg_neg;
  logic                ok, bad_pop;

  assign go       = beat_valid && meta_valid && !meta.bad && !halt_q;
  assign meta_pop = bad_pop || (beat_pop && beat.last);

  // Bytes = count * BeatBytes + (-beg mod BeatBytes), where count is one short from the start if
  // the first beat is not whole: it starts at -1. The last beat adds its own bytes, which carry
  // into count or not. count stops at an error.
  assign beg_neg = -meta.beg;
  assign error   = error_q != OKAY ? error_q : (beat.resp[1] ? beat.resp : OKAY);
  assign ok      = error == OKAY;
  assign count   = (first_q ? {CntBits{ok && meta.beg != '0}} : count_q) +
                   CntBits'(ok && (!beat.last || meta.carry));

  always_ff @(posedge clk_i) begin
    if (beat_pop) begin
      first_q   <= beat.last;
      error_q   <= beat.last ? OKAY : error;
      count_q   <= count;
      beg_bad_q <= first_q ? !ok : beg_bad_q;
    end
    if (!rst_ni || clear) begin
      first_q <= 1'b1;
      error_q <= OKAY;
    end
  end

  always_comb begin
    sts_in.bytes = {count, ok ? meta.tail + 1'b1 : ((first_q || beg_bad_q) ? '0 : beg_neg)};
    sts_in.eop   = meta.eop;
    sts_in.error = error;
    sts_in.tag   = meta.tag;
    if (meta.bad) begin
      sts_in.bytes = '0;
      sts_in.eop   = 1'b0;
      sts_in.error = INTERNAL;
    end
  end

  logic stage_busy;
  function automatic logic [BeatBytes-1:0] keep_to(input logic [LaneBits-1:0] last);
    for (int unsigned lane = 0; lane < BeatBytes; lane++) keep_to[lane] = LaneBits'(lane) <= last;
  endfunction

  if (!Unaligned) begin : gen_aligned
    assign m_axis_tvalid = go && (!beat.last || sts_in_ready);
    assign m_axis_tdata  = beat.data;
    assign m_axis_tlast  = beat.last && meta.eop;
    assign m_axis_tkeep  = beat.last ? keep_to(meta.last) : '1;
    assign beat_pop      = m_axis_tvalid && m_axis_tready;
    assign bad_pop       = meta_valid && meta.bad && sts_in_ready;
    assign sts_push      = bad_pop || (beat_pop && beat.last);
    assign stage_busy    = 1'b0;
  end else begin : gen_unaligned
    logic                 pack_valid, pack_last, stage_ready, beat_ready;
    logic [DataWidth-1:0] pack_data, data_q;
    logic [LaneBits-1:0]  pack_end, unused_beg;
    logic                 valid_q, last_q, sts_q;
    logic [BeatBytes-1:0] keep_q;
    status_t              stage_sts_q;
    logic [LaneBits-1:0]  beg_q;  // lane of the next beat's first byte
    logic [LaneBits-1:0]  cut_q;  // bytes of the next beat less one, if it is the command's last

    // Of a command of one beat: all its bytes.
    always_ff @(posedge clk_i) begin
      if (!meta_valid || meta_pop) begin
        beg_q <= meta_next.beg;
        cut_q <= meta_next.tail;
      end else if (beat_pop) begin
        beg_q <= '0;
        cut_q <= meta.last;
      end
    end

    sl_realign #(
        .DataWidth(DataWidth)
    ) u_realign (
        .clk_i,
        .rst_ni,
        .clear_i       (clear),
        .start_i       (1'b0),
        .start_fill_i  ('0),
        .in_valid_i    (go),
        .in_ready_o    (beat_ready),
        .in_data_i     (beat.data),
        .in_beg_i      (beg_q),
        .in_count_i    (~beg_q),  // from that lane on to the end: B - 1 - beg
        .in_cut_i      (beat.last),
        .in_cut_count_i(cut_q),
        .in_flush_i    (beat.last && meta.eop),
        .out_valid_o   (pack_valid),
        .out_ready_i   (stage_ready),
        .out_data_o    (pack_data),
        .out_beg_o     (unused_beg),
        .out_end_o     (pack_end),
        .out_last_o    (pack_last)
    );

    // The output register, and with it the status of the command that ends there: it moves on when
    // the beat (if any) is taken and the status (if any) finds room. sts_in_ready rises without
    // help, so TVALID never falls.
    assign stage_ready   = !stage_busy || ((m_axis_tready || !valid_q) && (sts_in_ready || !sts_q));
    assign m_axis_tvalid = valid_q && (sts_in_ready || !sts_q) && !halt_q;
    assign m_axis_tdata  = data_q;
    assign m_axis_tlast  = last_q;
    assign m_axis_tkeep  = keep_q;
    assign beat_pop      = go && beat_ready;
    assign bad_pop       = meta_valid && meta.bad && stage_ready;
    assign sts_push      = sts_q && sts_in_ready && (m_axis_tready || !valid_q);
    assign stage_busy    = valid_q || sts_q;

    always_ff @(posedge clk_i) begin
      if (stage_ready) begin
        valid_q     <= pack_valid;
        data_q      <= pack_data;
        last_q      <= pack_last;
        keep_q      <= keep_to(pack_end);
        sts_q       <= meta_pop;
        stage_sts_q <= sts_in;
      end
      if (!rst_ni || clear) begin
        valid_q <= 1'b0;
        sts_q   <= 1'b0;
      end
    end
  end

  status_t sts_out, sts;
  if (Unaligned) begin : gen_sts_staged
    assign sts_out = gen_unaligned.stage_sts_q;
  end else begin : gen_sts_direct
    assign sts_out = sts_in;
  end

  sl_skid #(
      .Width($bits(status_t))
  ) u_status (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (sts_push),
      .in_ready_o (sts_in_ready),
      .in_data_i  (sts_out),
      .out_valid_o(sts_valid_o),
      .out_ready_i(sts_ready_i),
      .out_data_o (sts)
  );
  assign sts_bytes_o = sts.bytes;
  assign sts_eop_o   = sts.eop;
  assign sts_error_o = sts.error;
  assign sts_tag_o   = sts.tag;

  // A halt that is only just asked for has not yet stopped anything.
  assign idle_o = !burst_valid && !meta_next_valid && !meta_valid && !r_burst_valid &&
                  !stage_busy && !sts_valid_o && (halt_q || !halt_i);

  // ---------------------------------------------------------------------------------------- stalls
  // Without room, it is the consumer's fault only if the buffer has beats, or if nothing is still
  // to come: else reads that do not answer hold what they were promised. Without a burst, the
  // consumer is at fault if it refuses a beat, or has left no place for a command.
  logic addr_wait, space_wait, resp_wait;
  assign addr_wait  = m_axi_arvalid && !m_axi_arready;
  assign space_wait = burst_valid ? !space_q && (beat_valid || !r_burst_valid) :
                      !r_burst_valid && ((m_axis_tvalid && !m_axis_tready) || !meta_in_ready);
  assign resp_wait  = burst_valid || r_burst_valid;

  always_ff @(posedge clk_i) begin
    stall_addr_o  <= rst_ni && !r_take && addr_wait;
    stall_space_o <= rst_ni && !r_take && !addr_wait && space_wait;
    stall_resp_o  <= rst_ni && !r_take && !addr_wait && !space_wait && resp_wait;
    stall_data_o  <= rst_ni && !r_take && !addr_wait && !space_wait && !resp_wait;
  end

  logic unused;
  assign unused = &{1'b0, m_axi_rid, unused_meta_count, unused_burst_count, unused_buffer_count,
                    buffer_ready};

`ifndef SYNTHESIS
  logic halted_q;
  always_ff @(posedge clk_i) begin
    halted_q <= rst_ni && halt_i && !idle_o;
    if (rst_ni) begin
      assert (!m_axi_rvalid || r_burst_valid) else $error("%m: R beat without a burst");
      assert (!m_axi_rvalid || buffer_ready) else $error("%m: R beat without room");
      assert (int'(free_q) <= BufferBeats)
      else $error("%m: %0d beats free of %0d", free_q, BufferBeats);
      assert (!ar_take || int'(free_q) > int'(m_axi_arlen))
      else $error("%m: burst beyond the reserved room");
      assert (!halted_q || halt_i) else $error("%m: halt_i fell before idle_o");
      if (!Unaligned) begin
        assert (!cmd_take || cmd_eop_i || cmd_bad || cmd_bytes_i[LaneBits-1:0] == '0)
        else $error("%m: part of a beat (%0d bytes) without end of packet", cmd_bytes_i);
      end
    end
  end
`endif

endmodule
