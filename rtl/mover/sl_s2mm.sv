// SPDX-License-Identifier: Apache-2.0
//
// sl_s2mm: stream to memory. Takes commands (address, bytes), writes an AXI-Stream there by AXI
// bursts, returns a status for each command in order.
//
// Commands    a command ends with its last byte or with the packet (TLAST), whichever is first; the
//             rest of a longer packet goes to the next command, also from within a beat
//             (Unaligned=1). The mover takes the next command with the last beat of the one before
//             (cmd_ready_o depends on the stream); bursts that wait for data or response: the
//             larger of CmdDepth and BufferBeats / MaxBurst (8 to 64), less 2. cmd_eop_i: no
//             meaning.
// Stream      beats are taken only under a command, with Unaligned=1 up to one beat beyond the last
//             one. Counted=1: each command gets one packet, of its own length: the end is counted,
//             and TKEEP and TLAST are not looked at, which makes a smaller and faster mover.
// Bursts      end at multiples of min(MaxBurst * DataWidth / 8, 4096) bytes. CutThrough=0: AWVALID
//             rises once all of a burst is in the buffer, and its data then flows without a gap.
//             CutThrough=1: with the burst's first beat; a packet that ends early, or a halt, fills
//             the burst up with WSTRB = 0. WVALID waits for AWVALID only.
// Status      after the last B. Bytes are those of bursts before the first failed one; eop: TLAST
//             was taken, with all of its packet's bytes.
// Latency     64 B at 64 bits, WLAST-to-B 20, stream waiting: status 31 cycles after the command
//             with CutThrough=1 (30 with Unaligned=0), else 38 (37; a burst of n < 3: 3 - n more).
// Throughput  64 bits, commands of 64 B and up, any latency the responses' queue covers: 100 % of a
//             beat a cycle. Unaligned: a command that touches n beats of memory takes n cycles, and
//             one that ends inside a beat of the stream without TLAST one more.
// Errors      the first failed response makes the status's error; the command goes on to its end. 0
//             bytes, or with Unaligned=0 an address that is not beat-aligned: INTERNAL, no bus
//             access, no data taken. Unaligned=0: where a command ends inside a beat that has more
//             bytes, the rest of that beat is lost, and eop is 0.
// halt_i      level, held until idle_o: an AWVALID that waits is kept until taken, no other burst
//             is issued, those issued get all their beats; the rest of the buffer, commands and
//             statuses are dropped. TREADY is low.
// Reset       synchronous, at once, and regardless of the bus: use halt_i first.
// stall_*_o   a cycle later: no W beat went, and why (exactly one): addr, its burst had no AWREADY;
//             space, no WREADY; resp, a B to come held up stream or next command; data, no burst's
//             data from the stream, or no command. With the W beats they make all cycles.
// held_o      a beat of the stream was taken ahead, for the command that takes it next (Unaligned).
//
// AddrWidth 32..64, DataWidth 32..512 (memory and stream), LenWidth 8..32 (byte count), TagWidth
// 1..32, IdWidth 1..16, MaxBurst 2..256 beats, BufferBeats 2*MaxBurst..65536 and over 64, CmdDepth
// 2..64; widths of data, bursts, buffer and depth are powers of two. Not supported: null bytes
// inside a packet, narrow bursts, several IDs (AWID = 0).

module sl_s2mm #(
    parameter int unsigned AddrWidth   = 32,
    parameter int unsigned DataWidth   = 64,
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned TagWidth    = 4,
    parameter int unsigned IdWidth     = 1,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512,
    parameter int unsigned CmdDepth    = 32,
    parameter bit          Unaligned   = 1'b0,
    parameter bit          CutThrough  = 1'b0,
    parameter bit          Counted     = 1'b0
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
    output logic                   held_o,

    output logic [IdWidth-1:0]     m_axi_awid,
    output logic [AddrWidth-1:0]   m_axi_awaddr,
    output logic [7:0]             m_axi_awlen,
    output logic [2:0]             m_axi_awsize,
    output logic [1:0]             m_axi_awburst,
    output logic                   m_axi_awlock,
    output logic [3:0]             m_axi_awcache,
    output logic [2:0]             m_axi_awprot,
    output logic                   m_axi_awvalid,
    input  logic                   m_axi_awready,
    output logic [DataWidth-1:0]   m_axi_wdata,
    output logic [DataWidth/8-1:0] m_axi_wstrb,
    output logic                   m_axi_wlast,
    output logic                   m_axi_wvalid,
    input  logic                   m_axi_wready,
    input  logic [IdWidth-1:0]     m_axi_bid,
    input  logic [1:0]             m_axi_bresp,
    input  logic                   m_axi_bvalid,
    output logic                   m_axi_bready,

    input  logic [DataWidth-1:0]   s_axis_tdata,
    input  logic [DataWidth/8-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready
);

  import sl_mover_pkg::*;

  localparam int unsigned BeatBytes  = DataWidth / 8;
  localparam int unsigned LaneBits   = $clog2(BeatBytes);
  localparam int unsigned BurstBytes = MaxBurst * BeatBytes < 4096 ? MaxBurst * BeatBytes : 4096;
  localparam int unsigned BurstBeats = BurstBytes / BeatBytes;
  localparam int unsigned OffBits    = $clog2(BurstBytes);
  localparam int unsigned IdxBits    = OffBits - LaneBits;
  localparam int unsigned BySpace    = BufferBeats / BurstBeats;
  localparam int unsigned WantBursts = BySpace > CmdDepth ? BySpace : CmdDepth;
  localparam int unsigned MaxBursts  = WantBursts > 64 ? 64 : WantBursts < 8 ? 8 : WantBursts;
  localparam int unsigned BeatCnt    = LenWidth - LaneBits;
  localparam int unsigned OutBits    = $clog2(MaxBursts) + 2;

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

  // What is known of a burst (or of a bad command) until its response.
  typedef struct packed {
    logic                bad;
    logic                last;  // ends its command
    logic                eop;
    logic [TagWidth-1:0] tag;
    logic [OffBits:0]    bytes;
  } resp_t;

  // -------------------------------------------------------------------------------- halt, commands
  logic halt_q, clear;
  logic aw_pend_q;  // AWVALID was seen by the slave and has to stay

  always_ff @(posedge clk_i) begin
    halt_q    <= halt_i && rst_ni;
    aw_pend_q <= rst_ni && m_axi_awvalid && !m_axi_awready;
  end

  logic cmd_bad, cmd_load, split_ready, active;
  logic bad_q, bad_push;  // a bad command waits for its place among the responses
  logic burst_end, cmd_end, burst_last;
  logic [AddrWidth-1:0] burst_addr;
  logic [7:0]           burst_len;
  logic [TagWidth-1:0]  tag_q;

  assign cmd_bad     = cmd_bytes_i == '0 || (!Unaligned && cmd_addr_i[LaneBits-1:0] != '0);
  assign cmd_ready_o = split_ready && !bad_q && !halt_q;
  assign cmd_load    = cmd_valid_i && cmd_ready_o;

  always_ff @(posedge clk_i) begin
    if (cmd_load) tag_q <= cmd_tag_i;
    bad_q <= (cmd_load && cmd_bad) || (bad_q && !bad_push);
    if (!rst_ni || clear) bad_q <= 1'b0;
  end

  sl_burst_split #(
      .AddrWidth(AddrWidth),
      .DataWidth(DataWidth),
      .LenWidth (LenWidth),
      .MaxBurst (MaxBurst),
      .UseLast  (CutThrough),
      .LateDrop (Unaligned)
  ) u_split (
      .clk_i,
      .rst_ni,
      .clear_i      (clear),
      .cmd_valid_i  (cmd_load && !cmd_bad),
      .cmd_ready_o  (split_ready),
      .cmd_addr_i,
      .cmd_bytes_i,
      .burst_valid_o(active),
      .burst_ready_i(burst_end),
      .burst_addr_o (burst_addr),
      .burst_len_o  (burst_len),
      .burst_last_o (burst_last),
      .drop_i       (cmd_end)
  );

  // --------------------------------------------------------------------------- bytes of the stream
  // The beat of the stream in hand: raw_count + 1 bytes from lane raw_beg on, of which the command
  // takes in_count + 1.
  logic                 raw_valid, raw_pop, raw_last, raw_done;
  logic                 told_last;  // what TLAST and TKEEP say of it
  logic [LaneBits-1:0]  told_count;
  logic [DataWidth-1:0] raw_data;
  logic [LaneBits-1:0]  raw_beg, raw_count, in_count, keep_end;
  logic                 in_valid, in_ready, in_final, in_take;
  // Bytes of the command still to come, negative: counts up, one LUT a bit; ~neg_q is one less.
  logic [LenWidth-1:0]  neg_q;
  logic [LaneBits-1:0]  left_low;  // of ~neg_q
  // ~neg_q is of less than a beat, of one to two; kept apart, for they decide what the beat in hand
  // does.
  logic                 short_q, next_q;
  logic [BeatCnt-1:0]   cmd_beats;
  logic                 cmd_whole;
  logic                 borrow;
  logic                 room, pad_q;

  always_comb begin
    keep_end = '0;
    for (int unsigned lane = 1; lane < BeatBytes; lane++) begin
      if (s_axis_tkeep[lane]) keep_end = LaneBits'(lane);
    end
  end

  // a < b, or a <= b if `equal`; written out: so few bits are faster in LUTs than on a carry chain.
  function automatic logic below(input logic [LaneBits-1:0] a,
                                 input logic [LaneBits-1:0] b, input logic equal);
    below = equal;
    for (int unsigned bitno = 0; bitno < LaneBits; bitno++) begin
      below = (below && a[bitno] == b[bitno]) || (!a[bitno] && b[bitno]);
    end
  endfunction

  assign raw_last  = Counted ? short_q : told_last;
  assign raw_count = Counted ? '1 : told_count;

  assign left_low = ~neg_q[LaneBits-1:0];
  assign in_final = short_q && below(left_low, raw_count, 1'b1);
  assign raw_done = Counted || !(short_q && below(left_low, raw_count, 1'b0));
  assign in_count = in_final ? left_low : raw_count;
  assign in_valid = raw_valid && active && !pad_q && !halt_q;
  assign in_take  = in_valid && in_ready;

  assign cmd_beats = cmd_bytes_i[LenWidth-1:LaneBits];
  assign cmd_whole = cmd_bytes_i[LaneBits-1:0] == '0;
  assign borrow    = Counted || below(left_low, in_count, 1'b1);

  always_ff @(posedge clk_i) begin
    // Once the command is done these registers are free, also for what is not valid: the choice
    // need not wait for cmd_load. a - ~b is a + b + 1; -bytes is ~bytes + 1. With Unaligned
    // split_ready comes too late in the cycle to stand before an adder.
    if (Counted) begin  // counts whole beats; the low bits stay as the last one's
      if (split_ready) neg_q[LaneBits-1:0] <= -cmd_bytes_i[LaneBits-1:0];
      if (split_ready || in_take) begin
        neg_q[LenWidth-1:LaneBits] <= (split_ready ? ~cmd_beats : neg_q[LenWidth-1:LaneBits]) +
                                      BeatCnt'(!split_ready || cmd_whole);
      end
    end else if (Unaligned && (split_ready || in_take)) begin
      neg_q <= split_ready ? -cmd_bytes_i : neg_q - ~LenWidth'(in_count);
    end else if (split_ready || in_take) begin
      neg_q <= (split_ready ? ~cmd_bytes_i : neg_q) - ~(split_ready ? '0 : LenWidth'(in_count));
    end
    if (split_ready) begin
      short_q <= cmd_beats == '0 || (cmd_beats == 1 && cmd_whole);
      next_q  <= (cmd_beats == 1 && !cmd_whole) || (cmd_beats == 2 && cmd_whole);
    end else if (in_take) begin
      short_q <= borrow ? next_q : short_q;
      next_q  <= borrow ? neg_q[LenWidth-1:LaneBits] == ~BeatCnt'(2) : next_q;
    end
  end

  // ------------------------------------------------------------------------------- beats of memory
  logic                 out_valid, out_last;
  logic [DataWidth-1:0] out_data;
  logic [LaneBits-1:0]  out_beg, out_end;

  if (!Unaligned) begin : gen_aligned
    assign raw_valid     = s_axis_tvalid;
    assign raw_data      = s_axis_tdata;
    assign told_last     = s_axis_tlast;
    assign told_count    = keep_end;
    assign raw_beg       = '0;
    assign raw_pop       = in_take;
    assign s_axis_tready = active && !pad_q && !halt_q && room;

    assign held_o        = 1'b0;
    assign in_ready      = room;
    assign out_valid     = in_valid;
    assign out_data      = raw_data;
    assign out_beg       = '0;
    assign out_end       = in_count;
    assign out_last      = in_final || raw_last;

    logic unused_aligned;
    assign unused_aligned = &{1'b0, raw_pop, raw_beg};
  end else begin : gen_unaligned
    // The stream is registered before the byte arithmetic; TREADY depends on no input.
    logic                 valid_q, last_q;
    logic [DataWidth-1:0] data_q;
    logic [LaneBits-1:0]  count_q, beg_q;

    assign held_o        = valid_q;
    assign raw_valid     = valid_q;
    assign raw_data      = data_q;
    assign told_last     = last_q;
    assign told_count    = count_q;
    assign raw_beg       = Counted ? '0 : beg_q;
    assign raw_pop       = in_take && raw_done;
    assign s_axis_tready = active && !pad_q && !halt_q && (!valid_q || raw_pop);

    always_ff @(posedge clk_i) begin
      if (s_axis_tready) begin
        data_q  <= s_axis_tdata;
        last_q  <= s_axis_tlast;
        count_q <= keep_end;
        beg_q   <= '0;
        valid_q <= s_axis_tvalid;
      end else begin
        if (raw_pop) valid_q <= 1'b0;
        if (in_take) begin  // the rest is the next command's
          beg_q   <= beg_q + left_low + 1'b1;
          count_q <= count_q - left_low - 1'b1;
        end
      end
      if (!rst_ni || clear) begin
        valid_q <= 1'b0;
      end
    end

    sl_realign #(
        .DataWidth(DataWidth)
    ) u_realign (
        .clk_i,
        .rst_ni,
        .clear_i       (clear),
        .start_i       (cmd_load),
        .start_fill_i  (cmd_addr_i[LaneBits-1:0]),
        .in_valid_i    (in_valid),
        .in_ready_o    (in_ready),
        .in_data_i     (raw_data),
        .in_beg_i      (raw_beg),
        .in_count_i    (raw_count),
        .in_cut_i      (in_final),
        .in_cut_count_i(left_low),
        .in_flush_i    (in_final || raw_last),
        .out_valid_o   (out_valid),
        .out_ready_i   (room),
        .out_data_o    (out_data),
        .out_beg_o     (out_beg),
        .out_end_o     (out_end),
        .out_last_o    (out_last)
    );
  end

  // ---------------------------------------------------------------------------------------- bursts
  logic buffer_ready, aw_ready, resp_ready;
  logic out_take, beat_push, beat_last, full, aw_push, resp_push;
  logic [IdxBits-1:0] idx_q, aw_len, done_len;
  resp_t              resp_in;

  // Every address in its queue has, or is about to get, a place in the responses' queue of that
  // size.
  assign room      = buffer_ready && resp_ready;
  assign out_take  = out_valid && room;
  assign beat_push = out_take || (pad_q && buffer_ready);
  assign done_len  = idx_q - burst_addr[OffBits-1:LaneBits];

  always_ff @(posedge clk_i) begin
    // The index in the window of the next beat; it wraps into the next window.
    if (split_ready) idx_q <= cmd_addr_i[OffBits-1:LaneBits];
    else if (beat_push) idx_q <= idx_q + 1'b1;
  end

  if (!CutThrough) begin : gen_store
    assign full      = &idx_q;
    assign burst_end = out_take && (full || out_last);
    assign cmd_end   = out_last;
    assign beat_last = full || out_last;
    assign aw_push   = burst_end;
    assign aw_len    = done_len;
    assign resp_push = burst_end;
    assign pad_q     = 1'b0;
  end else begin : gen_cut
    logic open_q;  // the burst's address is out, more beats have to follow

    assign full      = done_len == burst_len[IdxBits-1:0];
    assign burst_end = beat_push && full;
    assign cmd_end   = pad_q || out_last;
    assign beat_last = full;
    assign aw_push   = out_take && !open_q;
    assign aw_len    = burst_len[IdxBits-1:0];
    assign resp_push = out_take && (full || out_last);

    always_ff @(posedge clk_i) begin
      if (beat_push) open_q <= !full;
      if (beat_push && full) pad_q <= 1'b0;
      else if ((out_take && out_last) || (halt_q && open_q)) pad_q <= 1'b1;
      if (!rst_ni || clear) begin
        open_q <= 1'b0;
        pad_q  <= 1'b0;
      end
    end
  end

  // Counted a cycle after the beat, and the count looked at a cycle later: two places are kept.
  resp_t resp_q;
  logic  resp_push_q, resp_in_ready;
  logic [$clog2(MaxBursts):0] resp_count;
  always_ff @(posedge clk_i) begin
    resp_ready  <= resp_count <= ($clog2(MaxBursts) + 1)'(MaxBursts - 3);
    resp_q      <= resp_in;
    resp_push_q <= rst_ni && !clear && (resp_push || bad_push);
  end

  assign bad_push      = bad_q && resp_ready;
  assign resp_in.bad   = bad_q;
  assign resp_in.last  = bad_q || out_last;
  assign resp_in.eop   = raw_last && raw_done && !bad_q;
  assign resp_in.tag   = tag_q;
  assign resp_in.bytes = {1'b0, idx_q, out_end} - {1'b0, burst_addr[OffBits-1:0]} + 1'b1;

  logic aw_valid;
  logic [$clog2(MaxBursts):0] unused_aw_count;
  logic [IdxBits-1:0]         aw_len_out;
  sl_fifo #(
      .Width(AddrWidth + IdxBits),
      .Depth(MaxBursts)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (aw_push),
      .in_ready_o (aw_ready),
      .in_data_i  ({burst_addr, aw_len}),
      .out_valid_o(aw_valid),
      .out_ready_i(m_axi_awready && m_axi_awvalid),
      .out_data_o ({m_axi_awaddr, aw_len_out}),
      .count_o    (unused_aw_count)
  );

  assign m_axi_awvalid = aw_valid && (!halt_q || aw_pend_q);
  assign m_axi_awlen   = 8'(aw_len_out);
  assign m_axi_awid    = '0;
  assign m_axi_awsize  = 3'(LaneBits);
  assign m_axi_awburst = 2'b01;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = 4'b0011;
  assign m_axi_awprot  = 3'b000;

  // ---------------------------------------------------------------------------------------- buffer
  // Lanes beg to end of a beat are written; beg > end writes none (a filler). Without shifting or
  // fillers beg is 0.
  localparam int unsigned BegBits = Unaligned || CutThrough ? LaneBits : 0;
  localparam int unsigned BeatBits = 1 + LaneBits + BegBits + DataWidth;
  logic [BeatBits-1:0] beat_in, beat;
  logic                beat_valid;
  logic [LaneBits-1:0] w_beg, w_end;
  logic [$clog2(BufferBeats):0] unused_buffer_count;

  if (BegBits != 0) begin : gen_beg
    assign beat_in = {beat_last, pad_q ? '0 : out_end, pad_q ? LaneBits'(1) : out_beg, out_data};
    assign w_beg   = beat[DataWidth+:LaneBits];
  end else begin : gen_no_beg
    logic unused_beg;
    assign unused_beg = &{1'b0, out_beg};
    assign beat_in = {beat_last, out_end, out_data};
    assign w_beg   = '0;
  end

  // With all of a burst inside before its address goes out, the way around the RAM saves nothing.
  sl_fifo #(
      .Width (BeatBits),
      .Depth (BufferBeats),
      .Bypass(CutThrough)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (beat_push),
      .in_ready_o (buffer_ready),
      .in_data_i  (beat_in),
      .out_valid_o(beat_valid),
      .out_ready_i(m_axi_wready && m_axi_wvalid),
      .out_data_o (beat),
      .count_o    (unused_buffer_count)
  );

  // Bursts whose AWVALID has risen and whose WLAST is not yet taken: only these may send data.
  logic [OutBits-1:0] w_open_q, b_open_q;
  logic aw_new, w_end_take, b_take;

  assign aw_new       = m_axi_awvalid && !aw_pend_q;
  assign m_axi_wvalid = beat_valid && (w_open_q != '0 || aw_new);
  assign m_axi_wdata  = beat[DataWidth-1:0];
  assign m_axi_wlast  = beat[BeatBits-1];
  assign w_end        = beat[BeatBits-2-:LaneBits];
  assign w_end_take   = m_axi_wvalid && m_axi_wready && m_axi_wlast;
  assign m_axi_wstrb  = ({BeatBytes{1'b1}} << w_beg) & ~({{(BeatBytes - 1){1'b1}}, 1'b0} << w_end);

  always_ff @(posedge clk_i) begin
    if (aw_new != w_end_take) w_open_q <= w_open_q + (aw_new ? OutBits'(1) : '1);
    if (aw_new != b_take) b_open_q <= b_open_q + (aw_new ? OutBits'(1) : '1);
    if (!rst_ni) begin
      w_open_q <= '0;
      b_open_q <= '0;
    end
  end

  // ------------------------------------------------------------------------------------- responses
  logic  resp_valid, resp_pop, sts_free, sts_load;
  resp_t resp;
  sl_fifo #(
      .Width($bits(resp_t)),
      .Depth(MaxBursts)
  ) u_resp (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (resp_push_q),
      .in_ready_o (resp_in_ready),
      .in_data_i  (resp_q),
      .out_valid_o(resp_valid),
      .out_ready_i(resp_pop),
      .out_data_o (resp),
      .count_o    (resp_count)
  );

  logic                b_ok;
  logic [1:0]          error_q, error;
  logic [LenWidth-1:0] sum_q, sum;

  assign sts_free     = !sts_valid_o || sts_ready_i;
  assign m_axi_bready = halt_q || (resp_valid && !resp.bad && sts_free);
  assign b_take       = m_axi_bvalid && m_axi_bready;
  assign resp_pop     = b_take || (resp_valid && resp.bad && sts_free);
  assign sts_load     = resp_pop && resp.last;

  assign error = error_q != OKAY ? error_q : (m_axi_bresp[1] ? m_axi_bresp : OKAY);
  assign b_ok  = error == OKAY;
  assign sum   = (b_ok ? LenWidth'(resp.bytes) : '0) + sum_q;

  always_ff @(posedge clk_i) begin
    if (resp_pop) begin
      error_q <= error;
      sum_q   <= sum;
    end
    if (!rst_ni || clear || sts_load) begin
      error_q <= OKAY;
      sum_q   <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sts_free) begin
      sts_valid_o <= sts_load;
      sts_bytes_o <= resp.bad ? '0 : sum;
      sts_eop_o   <= resp.eop;
      sts_error_o <= resp.bad ? INTERNAL : error;
      sts_tag_o   <= resp.tag;
    end
    if (!rst_ni || halt_q) sts_valid_o <= 1'b0;
  end

  assign clear  = halt_q && !m_axi_awvalid && w_open_q == '0 && b_open_q == '0;
  // A halt that is only just asked for has not yet stopped anything.
  assign idle_o = !active && !bad_q && !resp_push_q && !resp_valid && !sts_valid_o &&
                  b_open_q == '0 && (halt_q || !halt_i);

  // ---------------------------------------------------------------------------------------- stalls
  // An address that waits is to blame only if the next W beat is of its burst, or of one behind it.
  logic w_take, addr_wait, space_wait, resp_wait;
  assign w_take     = m_axi_wvalid && m_axi_wready;
  assign addr_wait  = m_axi_awvalid && !m_axi_awready && beat_valid &&
                      w_open_q <= OutBits'(aw_pend_q);
  assign space_wait = m_axi_wvalid;
  assign resp_wait  = active ? raw_valid && !resp_ready : b_open_q != '0;

  always_ff @(posedge clk_i) begin
    stall_addr_o  <= rst_ni && !w_take && addr_wait;
    stall_space_o <= rst_ni && !w_take && !addr_wait && space_wait;
    stall_resp_o  <= rst_ni && !w_take && !addr_wait && !space_wait && resp_wait;
    stall_data_o  <= rst_ni && !w_take && !addr_wait && !space_wait && !resp_wait;
  end

  logic unused;
  assign unused = &{1'b0, m_axi_bid, cmd_eop_i, unused_aw_count, resp_in_ready,
                    unused_buffer_count, burst_last, burst_len, aw_ready};

`ifndef SYNTHESIS
  logic halted_q;
  int unsigned w_len_q [$];  // length of bursts presented, oldest first
  int unsigned w_count_q;
  always_ff @(posedge clk_i) begin
    halted_q <= rst_ni && halt_i && !idle_o;
    if (rst_ni) begin
      assert (!halted_q || halt_i) else $error("%m: halt_i fell before idle_o");
      assert (!resp_push_q || resp_in_ready) else $error("%m: no place for a response");
      assert (!aw_push || aw_ready) else $error("%m: no place for a burst's address");
      assert (!m_axi_bvalid || b_open_q != '0) else $error("%m: response without a burst");
      assert (!(s_axis_tvalid && s_axis_tready) || s_axis_tkeep[0])
      else $error("%m: beat without bytes");
      assert (!(s_axis_tvalid && s_axis_tready) || (s_axis_tkeep & (s_axis_tkeep + 1'b1)) == '0)
      else $error("%m: TKEEP %b is not contiguous from byte 0", s_axis_tkeep);
      assert (!(s_axis_tvalid && s_axis_tready) || s_axis_tlast || &s_axis_tkeep)
      else $error("%m: TKEEP %b without TLAST", s_axis_tkeep);
      assert (!Counted || !in_take || (told_last == short_q && told_count == in_count))
      else $error("%m: packet is not of the command's length");
      assert (!m_axi_awvalid ||
              int'(m_axi_awaddr[11:LaneBits]) + int'(m_axi_awlen) < 4096 / BeatBytes)
      else $error("%m: burst %h, length %0d crosses 4 KiB", m_axi_awaddr, m_axi_awlen);
      if (aw_new) w_len_q.push_back(int'(m_axi_awlen));
      if (m_axi_wvalid && m_axi_wready) begin
        assert (w_len_q.size() != 0 && m_axi_wlast == (w_len_q[0] == w_count_q))
        else $error("%m: WLAST %b on beat %0d of a burst", m_axi_wlast, w_count_q);
        w_count_q <= m_axi_wlast ? 0 : w_count_q + 1;
        if (m_axi_wlast) void'(w_len_q.pop_front());
      end
    end else begin
      w_len_q.delete();
      w_count_q <= 0;
    end
  end
`endif

endmodule
