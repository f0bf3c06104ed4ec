// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_channel: one channel of sl_xdma: fetches descriptors, carries them out, reports their
// completion.
//
// Ways        C2h=0, Stream=0: the host's memory (src_axi) to the card's (dst_axi). C2h=1,
//             Stream=0: the card's (src_axi) to the host's (dst_axi). Stream=1: to m_axis (H2C) or
//             from s_axis (C2H), without dst_axi or src_axi. Ports that a way does not use are 0.
// Run         ctrl_i.run rises: completed is 0, descriptors are fetched from ctrl_i.first on and
//             carried out in order, reads ahead of writes. busy falls, with its events, when a
//             descriptor with STOP has completed; when, after an error, what had begun has ended;
//             or when, run having fallen, those begun have completed: those whose write the mover
//             has, on a C2H stream those that have got a byte, on an H2C stream those that are
//             being read. The others are dropped, their reads too. run has to be 0 before it starts
//             again.
// Completion  of a descriptor: its last write was answered, and on a C2H stream the write of its
//             result, too. Then completed counts; the count is written back where poll_wb asks for
//             it (COMPLETED, STOP, an error, in which bit 31 is set). Events come with the count,
//             and where it is written back, when that was answered.
// Stream      H2C: TLAST with the last byte of a descriptor with EOP, others follow without a gap.
//             C2H: a descriptor ends with its last byte or with the packet; its result
//             (sl_xdma_result) goes to the address in SOURCE, if that is not 0 and no_result is 0.
// Errors      a wrong magic number, a length of 0, a failed fetch: when all before has completed. A
//             failed read or write of data: what follows it is given up. Beats of a failed read are
//             not written, from the first failed one on; an H2C stream gets them, then
//             stream_rst_no low.
// Reset       ctrl_i.reset, until reset_done: bursts issued end on the bus, all else is dropped, a
//             C2H stream's beat that was taken ahead too. stream_rst_no is low meanwhile, and after
//             an error: m_axis may take back TVALID. rst_ni: at once, regardless of the bus.
// Latency     run to the ARVALID of the first descriptor 5 cycles; its last beat to the ARVALID of
//             its data 6; last B to busy low 6.
//
// DataWidth 64..512, that of all buses; AddrWidth 64; MaxBurst 2..256 beats, BufferBeats
// 2*MaxBurst..65536 and over 64, powers of two. Addresses and lengths are any.
// Follows     AMD PG195 v4.1, "DMA Operations"; docs/reference/sl_xdma.md.

`include "sl_axi.svh"

module sl_xdma_channel
  import sl_xdma_pkg::*, sl_mover_pkg::*, sl_xdma_result_addr_pkg::*;
#(
    parameter bit          C2h         = 1'b0,
    parameter bit          Stream      = 1'b0,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512,
    parameter int unsigned DescDepth   = 128  // descriptors held ahead, 32..256
) (
    input  logic            clk_i,
    input  logic            rst_ni,

    input  sl_xdma_ctrl_t   ctrl_i,
    output sl_xdma_status_t status_o,
    output logic            stream_rst_no,

    output logic            wb_valid_o,
    input  logic            wb_ready_i,
    output sl_xdma_wb_t     wb_o,
    input  logic            wb_done_i,
    input  logic [1:0]      wb_error_i,

    sl_axi_if.rd_mst        desc_axi,
    sl_axi_if.rd_mst        src_axi,
    sl_axi_if.wr_mst        dst_axi,
    sl_axis_if.mst          m_axis,
    sl_axis_if.slv          s_axis
);

  localparam bit          HasRead   = !(C2h && Stream);
  localparam bit          HasWrite  = C2h || !Stream;
  localparam bit          HasResult = C2h && Stream;
  localparam int unsigned DataWidth = desc_axi.DataWidth;
  localparam int unsigned LaneBits  = $clog2(DataWidth / 8);
  localparam int unsigned InFlight  = 64;  // descriptors begun and not completed
  // Reads of data outstanding. Those of the host take two microseconds on a link that is full both
  // ways; up to 128 bits 32 are enough for that.
  localparam int unsigned ReadDepth = C2h || DataWidth <= 128 ? 32 : 64;

  // How a descriptor came to its end, or why it was not begun.
  typedef enum logic [2:0] {
    KindData,
    KindMagic,
    KindLength,
    KindDescSlv,
    KindDescDec
  } kind_e;

  typedef struct packed {
    kind_e       kind;
    logic        stop;
    logic        completed;
    logic [63:0] result;  // where the result goes
  } info_t;

  typedef struct packed {
    kind_e      kind;
    logic       stop;
    logic       completed;
    logic [1:0] rd_error;
    logic [1:0] wr_error;
    logic       has_result;
  } end_t;

  typedef struct packed {
    logic [63:0]         addr;
    logic [LenWidth-1:0] bytes;
    logic                eop;
  } read_t;

  typedef struct packed {
    logic [63:0]         addr;
    logic [LenWidth-1:0] bytes;
  } write_t;

  typedef struct packed {
    logic [1:0]          error;
    logic                eop;
    logic [LenWidth-1:0] bytes;
  } write_status_t;

  // ---- state ------------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    StIdle,   // nothing to do
    StRun,    // fetches and moves
    StDrain,  // run has fallen: what has begun completes
    StOff,    // all has completed: fetching ends
    StHalt,   // error, reset, or reads of what was not begun: movers are halted too
    StWait    // not busy; run has to fall
  } state_e;

  state_e state_q;
  logic   fetch_enable_q, last_q, poll_q, reset_q;
  logic   halt_q, halted_q;  // halted: the movers have seen it
  logic   fell_q;            // run has fallen since the start
  logic   fetch_idle, movers_idle, wb_quiet, all_empty;
  logic   issue, retire, retire_bad, ret_valid;
  logic   give_up;  // none of the descriptors left was begun
  end_t   ret;
  logic [31:0] completed_q;

  // Events that wait for busy to fall.
  logic ev_stopped_q, ev_completed_q, ev_idle_q;
  logic ev_magic_q, ev_length_q, ev_read_dec_q, ev_read_slv_q, ev_write_dec_q, ev_write_slv_q;
  logic ev_desc_dec_q, ev_desc_slv_q;
  logic finish;  // busy falls: a cycle

  assign finish = (state_q == StOff || state_q == StHalt && halted_q && movers_idle) &&
                  fetch_idle && wb_quiet;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StIdle: begin
        if (ctrl_i.reset) begin
          state_q <= StHalt;
        end else if (ctrl_i.run) begin
          state_q        <= StRun;
          fetch_enable_q <= 1'b1;
        end
      end
      StRun, StDrain: begin
        if (ctrl_i.reset || retire && retire_bad) begin
          state_q        <= StHalt;
          fetch_enable_q <= 1'b0;
        end else if (retire && ret.stop) begin
          state_q        <= StOff;
          fetch_enable_q <= 1'b0;
        end else if (state_q == StRun && !ctrl_i.run) begin
          state_q <= StDrain;
        end else if (state_q == StDrain && (all_empty || !Stream && give_up)) begin
          state_q        <= all_empty ? StOff : StHalt;
          fetch_enable_q <= 1'b0;
          ev_idle_q      <= 1'b1;
        end
      end
      StOff: begin
        if (ctrl_i.reset) state_q <= StHalt;
        else if (finish) state_q <= fell_q || !ctrl_i.run ? StIdle : StWait;
      end
      StHalt: if (finish) state_q <= fell_q || !ctrl_i.run ? StIdle : StWait;
      default: begin
        if (ctrl_i.reset) state_q <= StHalt;
        else if (!ctrl_i.run) state_q <= StIdle;
      end
    endcase

    halt_q   <= state_q == StHalt && !finish;
    halted_q <= halt_q && state_q == StHalt && !finish;
    fell_q   <= state_q != StIdle && (fell_q || !ctrl_i.run);
    reset_q  <= ctrl_i.reset && state_q == StHalt && !finish;

    if (retire) begin
      ev_stopped_q   <= ret.stop && !retire_bad;
      ev_completed_q <= ret.stop && ret.completed && !retire_bad;
      ev_magic_q     <= ret.kind == KindMagic;
      ev_length_q    <= ret.kind == KindLength;
      ev_desc_slv_q  <= ret.kind == KindDescSlv;
      ev_desc_dec_q  <= ret.kind == KindDescDec;
      ev_read_slv_q  <= ret.rd_error == SLVERR;
      ev_read_dec_q  <= ret.rd_error == DECERR;
      if (ret.wr_error == SLVERR) ev_write_slv_q <= 1'b1;
      if (ret.wr_error == DECERR) ev_write_dec_q <= 1'b1;
      if (!retire_bad) completed_q <= completed_q + 1'b1;
    end
    // Of a write of a result or a count: told when busy falls.
    if (wb_done_i && wb_error_i == SLVERR) ev_write_slv_q <= 1'b1;
    if (wb_done_i && wb_error_i == DECERR) ev_write_dec_q <= 1'b1;
    if (state_q == StIdle && ctrl_i.run) completed_q <= '0;
    if (finish || !rst_ni) begin
      ev_stopped_q   <= 1'b0;
      ev_completed_q <= 1'b0;
      ev_idle_q      <= 1'b0;
      ev_magic_q     <= 1'b0;
      ev_length_q    <= 1'b0;
      ev_desc_slv_q  <= 1'b0;
      ev_desc_dec_q  <= 1'b0;
      ev_read_slv_q  <= 1'b0;
      ev_read_dec_q  <= 1'b0;
      ev_write_slv_q <= 1'b0;
      ev_write_dec_q <= 1'b0;
    end
    if (!rst_ni) begin
      state_q        <= StIdle;
      fetch_enable_q <= 1'b0;
      halt_q         <= 1'b0;
      halted_q       <= 1'b0;
      reset_q        <= 1'b0;
      completed_q    <= '0;
    end
  end

  assign stream_rst_no = !halt_q;
  assign retire_bad    = ret.kind != KindData || ret.rd_error != OKAY || ret.wr_error != OKAY;

  // ---- descriptors ------------------------------------------------------------------------------
  sl_xdma_desc_t         desc;
  logic                  desc_valid;
  logic [CreditBits-1:0] credits;

  sl_xdma_fetch #(
      .Depth(DescDepth)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .enable_i     (fetch_enable_q),
      .run_i        (ctrl_i.run),
      .reset_i      (ctrl_i.reset),
      .first_i      (ctrl_i.first),
      .adjacent_i   (ctrl_i.adjacent),
      .hold_i       (ctrl_i.fetch_halt || state_q != StRun),
      .credit_mode_i(ctrl_i.credit_mode),
      .credit_add_i (ctrl_i.credit_add),
      .credits_i    (ctrl_i.credits),
      .credits_o    (credits),
      .desc_valid_o (desc_valid),
      .desc_ready_i (issue),
      .desc_o       (desc),
      .idle_o       (fetch_idle),
      .m_axi        (desc_axi)
  );

  // ---- beginning them ---------------------------------------------------------------------------
  info_t info_in, info;
  kind_e kind;
  logic  info_ready, info_valid, info_pop, rd_ready, wr_ready, begun;

  always_comb begin
    kind = KindData;
    if (desc.error == DECERR) kind = KindDescDec;
    else if (desc.error != OKAY) kind = KindDescSlv;
    else if (desc.bad_magic) kind = KindMagic;
    else if (desc.empty) kind = KindLength;
  end

  assign begun   = kind == KindData;
  assign issue   = desc_valid && state_q == StRun && ctrl_i.run && !ctrl_i.reset && !last_q &&
                   info_ready && (!begun || rd_ready && wr_ready);
  assign info_in = '{
      kind: kind,
      stop: desc.stop && begun,
      completed: desc.completed && begun,
      result: HasResult ? desc.src : '0
  };

  // None is begun after a descriptor that ends the run.
  always_ff @(posedge clk_i) begin
    if (issue && (desc.stop || !begun)) last_q <= 1'b1;
    if (!fetch_enable_q) last_q <= 1'b0;
  end

  logic [$clog2(InFlight):0] unused_info_count;
  sl_fifo #(
      .Width($bits(info_t)),
      .Depth(InFlight)
  ) u_info (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q || give_up),
      .in_valid_i (issue),
      .in_ready_o (info_ready),
      .in_data_i  (info_in),
      .out_valid_o(info_valid),
      .out_ready_i(info_pop),
      .out_data_o (info),
      .count_o    (unused_info_count)
  );

  // ---- movers -----------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) rd_data (), wr_data ();
  logic                rd_idle, wr_idle;
  logic                rd_sts_valid, wr_sts_valid, wr_sts_eop, sts_take;
  logic [1:0]          rd_sts_error, wr_sts_error;
  logic                rd_failed, rd_stop;  // by the descriptor that ends next; no beat may follow
  logic [1:0]          rd_failed_error;
  logic [LenWidth-1:0] wr_sts_bytes;

  if (HasRead) begin : gen_read
    logic [LenWidth-1:0] unused_bytes;
    logic       unused_eop, unused_tag, unused_addr, unused_space, unused_data, unused_resp;
    logic       mover_valid, mover_ready, read_valid, read_ready;
    logic [1:0] mover_error;
    read_t      read_in, read;
    logic [$clog2(InFlight):0] unused_count;

    assign read_in = '{addr: desc.src, bytes: desc.bytes, eop: !Stream || desc.eop};

    // A slice: the mover's READY would go through what the fetch holds.
    sl_skid #(
        .Width($bits(read_t))
    ) u_read (
        .clk_i,
        .rst_ni,
        .clear_i    (halt_q),
        .in_valid_i (issue && begun),
        .in_ready_o (rd_ready),
        .in_data_i  (read_in),
        .out_valid_o(read_valid),
        .out_ready_i(read_ready),
        .out_data_o (read)
    );

    sl_mm2s #(
        .AddrWidth  (64),
        .DataWidth  (DataWidth),
        .LenWidth   (LenWidth),
        .TagWidth   (1),
        .IdWidth    (src_axi.IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .CmdDepth   (ReadDepth),
        .Unaligned  (1'b1)
    ) u_mover (
        .clk_i,
        .rst_ni,
        .halt_i       (halt_q),
        .idle_o       (rd_idle),
        .cmd_valid_i  (read_valid),
        .cmd_ready_o  (read_ready),
        .cmd_addr_i   (read.addr),
        .cmd_bytes_i  (read.bytes),
        .cmd_eop_i    (read.eop),
        .cmd_tag_i    (1'b0),
        .sts_valid_o  (mover_valid),
        .sts_ready_i  (mover_ready),
        .sts_bytes_o  (unused_bytes),
        .sts_eop_o    (unused_eop),
        .sts_error_o  (mover_error),
        .sts_tag_o    (unused_tag),
        .stall_addr_o (unused_addr),
        .stall_space_o(unused_space),
        .stall_data_o (unused_data),
        .stall_resp_o (unused_resp),
        `SL_AXI_PINS_RD(m_axi_, src_axi.),
        `SL_AXIS_PINS(m_axis_, rd_data.)
    );

    // They wait for those of the writes, and the mover must not.
    sl_fifo #(
        .Width(2),
        .Depth(InFlight)
    ) u_statuses (
        .clk_i,
        .rst_ni,
        .clear_i    (halt_q),
        .in_valid_i (mover_valid),
        .in_ready_o (mover_ready),
        .in_data_i  (mover_error),
        .out_valid_o(rd_sts_valid),
        .out_ready_i(sts_take),
        .out_data_o (rd_sts_error),
        .count_o    (unused_count)
    );

    // No beat from the first failed one on is written. It is known when it is read, which
    // descriptor it is of by counting beats; those before it complete. A stream cannot be cut like
    // this: a beat may have bytes of two descriptors.
    if (!Stream) begin : gen_failed
      typedef logic [LenWidth-LaneBits:0] beats_t;

      beats_t     last_in, last, left_q;  // left: beats after the one that comes next
      logic       last_valid, last_pop, counting_q, final_q;  // final: none
      logic       beat_q, bad_beat_q, last_beat, last_good;
      logic       failed_q, failed_late_q, handed, ended;
      logic [1:0] error_q;
      logic [$clog2(InFlight)+1:0] to_hand_q, to_end_q;  // descriptors read, before the failed one
      logic       unused_ready;
      logic [$clog2(InFlight):0] unused_lasts;

      assign last_in = beats_t'(((LenWidth + 1)'(desc.src[LaneBits-1:0]) +
                                 (LenWidth + 1)'(desc.bytes) - 1'b1) >> LaneBits);

      sl_fifo #(
          .Width($bits(beats_t)),
          .Depth(InFlight)
      ) u_lasts (
          .clk_i,
          .rst_ni,
          .clear_i    (halt_q),
          .in_valid_i (issue && begun),
          .in_ready_o (unused_ready),
          .in_data_i  (last_in),
          .out_valid_o(last_valid),
          .out_ready_i(last_pop),
          .out_data_o (last),
          .count_o    (unused_lasts)
      );

      // Counted a cycle after the bus, which is still before a beat that failed is out of the
      // mover.
      assign last_beat = beat_q && final_q;
      assign last_good = last_beat && !failed_late_q && !bad_beat_q;
      assign last_pop  = last_beat || !counting_q;
      assign handed    = rd_data.tvalid && rd_data.tready && rd_data.tlast;
      assign ended     = info_pop && info.kind == KindData && !rd_failed;

      always_ff @(posedge clk_i) begin
        beat_q     <= src_axi.rvalid;
        bad_beat_q <= src_axi.rresp[1];
        if (last_pop) begin
          counting_q <= last_valid;
          left_q     <= last;
          final_q    <= last == '0;
        end else if (beat_q) begin
          left_q  <= left_q - 1'b1;
          final_q <= left_q == 1;
        end

        if (src_axi.rvalid && src_axi.rresp[1] && !failed_q) begin
          failed_q <= 1'b1;
          error_q  <= src_axi.rresp;
        end
        failed_late_q <= failed_q;
        to_hand_q     <= to_hand_q + ($bits(to_hand_q))'(last_good) - ($bits(to_hand_q))'(handed);
        to_end_q      <= to_end_q + ($bits(to_end_q))'(last_good) - ($bits(to_end_q))'(ended);
        rd_stop       <= failed_q && (to_hand_q == '0 || to_hand_q == 1 && handed);
        if (!rst_ni || halt_q) begin
          beat_q        <= 1'b0;
          counting_q    <= 1'b0;
          failed_q      <= 1'b0;
          failed_late_q <= 1'b0;
          to_hand_q     <= '0;
          to_end_q      <= '0;
          rd_stop       <= 1'b0;
        end
      end

`ifndef SYNTHESIS
      always_ff @(posedge clk_i) begin
        if (rst_ni && !halt_q) begin
          assert (!beat_q || counting_q) else $error("%m: a beat of no descriptor");
        end
      end
`endif

      assign rd_failed       = failed_q && to_end_q == '0;
      assign rd_failed_error = error_q;

      logic unused;
      assign unused = &{1'b0, unused_ready, unused_lasts};
    end else begin : gen_handed_on
      assign rd_failed       = 1'b0;
      assign rd_failed_error = OKAY;
      assign rd_stop         = 1'b0;
    end

    logic unused;
    assign unused = &{1'b0, unused_bytes, unused_eop, unused_tag, unused_addr, unused_space,
                      unused_data, unused_resp, unused_count};
  end else begin : gen_no_read
    `SL_AXI_IDLE_RD_MST(src_axi.)
    `SL_AXIS_IDLE_MST(rd_data.)
    assign rd_failed       = 1'b0;
    assign rd_failed_error = OKAY;
    assign rd_stop         = 1'b0;
    assign rd_idle      = 1'b1;
    assign rd_ready     = 1'b1;
    assign rd_sts_valid = 1'b1;
    assign rd_sts_error = OKAY;
  end

  if (HasWrite) begin : gen_write
    write_t write_in, write;
    logic   write_valid, write_ready;
    logic   unused_tag, unused_addr, unused_space, unused_data, unused_resp;
    logic   mover_valid, mover_ready, held, cmd_ready, cmd_may;
    write_status_t mover_status, status;
    logic [$clog2(InFlight):0] unused_count, unused_statuses;

    assign write_in = '{addr: desc.dst, bytes: desc.bytes};

    assign write_ready = cmd_ready && cmd_may;

    // Reads run ahead: a mover takes its next write only when it has the data of the one before.
    sl_fifo #(
        .Width($bits(write_t)),
        .Depth(InFlight)
    ) u_writes (
        .clk_i,
        .rst_ni,
        .clear_i    (halt_q || give_up),
        .in_valid_i (issue && begun),
        .in_ready_o (wr_ready),
        .in_data_i  (write_in),
        .out_valid_o(write_valid),
        .out_ready_i(write_ready),
        .out_data_o (write),
        .count_o    (unused_count)
    );

    sl_s2mm #(
        .AddrWidth  (64),
        .DataWidth  (DataWidth),
        .LenWidth   (LenWidth),
        .TagWidth   (1),
        .IdWidth    (dst_axi.IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .CmdDepth   (32),
        .Unaligned  (1'b1),
        .Counted    (!Stream)
    ) u_mover (
        .clk_i,
        .rst_ni,
        .halt_i       (halt_q),
        .idle_o       (wr_idle),
        .cmd_valid_i  (write_valid && cmd_may),
        .cmd_ready_o  (cmd_ready),
        .cmd_addr_i   (write.addr),
        .cmd_bytes_i  (write.bytes),
        .cmd_eop_i    (1'b0),
        .cmd_tag_i    (1'b0),
        .sts_valid_o  (mover_valid),
        .sts_ready_i  (mover_ready),
        .sts_bytes_o  (mover_status.bytes),
        .sts_eop_o    (mover_status.eop),
        .sts_error_o  (mover_status.error),
        .sts_tag_o    (unused_tag),
        .stall_addr_o (unused_addr),
        .stall_space_o(unused_space),
        .stall_data_o (unused_data),
        .stall_resp_o (unused_resp),
        .held_o       (held),
        `SL_AXI_PINS_WR(m_axi_, dst_axi.),
        `SL_AXIS_PINS(s_axis_, wr_data.)
    );

    // There is room for all: a mover that kept its responses waiting would keep those of the short
    // writes behind them waiting, too, which a descriptor's end waits for.
    sl_fifo #(
        .Width($bits(write_status_t)),
        .Depth(InFlight)
    ) u_statuses (
        .clk_i,
        .rst_ni,
        .clear_i    (halt_q),
        .in_valid_i (mover_valid),
        .in_ready_o (mover_ready),
        .in_data_i  (mover_status),
        .out_valid_o(wr_sts_valid),
        .out_ready_i(sts_take),
        .out_data_o (status),
        .count_o    (unused_statuses)
    );
    assign wr_sts_bytes = status.bytes;
    assign wr_sts_eop   = status.eop;
    assign wr_sts_error = status.error;

    // A descriptor has begun when the mover has its write, which it gets while the channel runs:
    // the others can be given up. That of a stream gets it when there is a byte for it, so that no
    // byte of the stream is given up.
    logic take, has_byte;
    logic [$clog2(InFlight)+1:0] begun_q;  // and have not ended

    assign cmd_may = state_q == StRun && ctrl_i.run && has_byte;
    assign take    = write_valid && write_ready;
    assign give_up = state_q == StDrain && begun_q == '0 && !ret_valid &&
                     info_valid && info.kind == KindData;

    always_ff @(posedge clk_i) begin
      begun_q <= begun_q + ($bits(begun_q))'(take) -
                 ($bits(begun_q))'(retire && ret.kind == KindData);
      if (!rst_ni || halt_q) begun_q <= '0;
    end

    if (Stream) begin : gen_byte
      logic spare_q;  // the mover had no command

      assign has_byte = s_axis.tvalid || held && spare_q;
      always_ff @(posedge clk_i) spare_q <= cmd_ready && !take;
    end else begin : gen_no_byte
      logic unused_held;
      assign has_byte    = 1'b1;
      assign unused_held = held;
    end

    logic unused;
    assign unused = &{1'b0, unused_tag, unused_addr, unused_space, unused_data, unused_resp,
                      unused_count, unused_statuses};
  end else begin : gen_no_write
    assign give_up = 1'b0;
    `SL_AXI_IDLE_WR_MST(dst_axi.)
    assign wr_data.tready = 1'b0;
    assign wr_idle        = 1'b1;
    assign wr_ready       = 1'b1;
    assign wr_sts_valid   = 1'b1;
    assign wr_sts_error   = OKAY;
    assign wr_sts_bytes   = '0;
    assign wr_sts_eop     = 1'b0;
  end

  if (!Stream) begin : gen_memory
    // A slice: READY would go through the realigners of both movers.
    logic slice_ready;

    sl_skid #(
        .Width(DataWidth + DataWidth / 8 + 1)
    ) u_slice (
        .clk_i,
        .rst_ni,
        .clear_i    (halt_q),
        .in_valid_i (rd_data.tvalid && !rd_stop),
        .in_ready_o (slice_ready),
        .in_data_i  ({rd_data.tdata, rd_data.tkeep, rd_data.tlast}),
        .out_valid_o(wr_data.tvalid),
        .out_ready_i(wr_data.tready),
        .out_data_o ({wr_data.tdata, wr_data.tkeep, wr_data.tlast})
    );
    assign rd_data.tready = slice_ready && !rd_stop;
    `SL_AXIS_IDLE_MST(m_axis.)
    assign s_axis.tready = 1'b0;
  end else if (C2h) begin : gen_from_stream
    `SL_AXIS_LINK(wr_data., s_axis.)
    `SL_AXIS_IDLE_MST(m_axis.)
    assign rd_data.tready = 1'b0;
  end else begin : gen_to_stream
    `SL_AXIS_LINK(m_axis., rd_data.)
    `SL_AXIS_IDLE_MST(wr_data.)
    assign s_axis.tready = 1'b0;
  end

  assign movers_idle = rd_idle && wr_idle;

  // ---- ending them ------------------------------------------------------------------------------
  // A descriptor's statuses, and the write of its result; then, when that was answered, its end.
  logic ends, has_result, ret_in_ready, ret_wait;
  end_t ret_in;
  logic [4:0] results_q;  // answered, and not taken by a descriptor's end
  logic       result_valid, result_take, poll_take;

  // One whose read failed has none.
  assign ends       = info_valid && ret_in_ready && !halt_q &&
                      (info.kind != KindData || rd_sts_valid && wr_sts_valid || rd_failed);
  assign has_result = HasResult && info.kind == KindData && info.result != '0 &&
                      !ctrl_i.no_result && wr_sts_error == OKAY;
  assign result_valid = ends && has_result;
  assign info_pop     = ends && (!has_result || result_take);
  assign sts_take     = info_pop && info.kind == KindData;
  assign ret_in       = '{
      kind: info.kind,
      stop: info.stop,
      completed: info.completed,
      rd_error: info.kind != KindData ? OKAY : rd_failed ? rd_failed_error : rd_sts_error,
      wr_error: info.kind != KindData || rd_failed ? OKAY : wr_sts_error,
      has_result: has_result
  };

  logic [4:0] unused_ret_count;
  sl_fifo #(
      .Width($bits(end_t)),
      .Depth(16)
  ) u_ends (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (info_pop),
      .in_ready_o (ret_in_ready),
      .in_data_i  (ret_in),
      .out_valid_o(ret_valid),
      .out_ready_i(retire),
      .out_data_o (ret),
      .count_o    (unused_ret_count)
  );

  // Without STOP the channel stays busy, and COMPLETED's event is due alone.
  logic event_due;
  assign event_due = ret.completed && !ret.stop && !retire_bad;

  // A pending write of a count blocks the next end.
  assign ret_wait = ret.has_result && results_q == '0;
  assign retire   = ret_valid && !ret_wait && !poll_q && (state_q == StRun || state_q == StDrain);

  logic        poll_error_q, poll_event_q;  // of what the count tells
  logic [63:0] poll_data;

  assign poll_data = {32'd0, poll_error_q, 7'd0, completed_q[23:0]};

  always_ff @(posedge clk_i) begin
    if (poll_take) poll_q <= 1'b0;
    if (retire && ctrl_i.poll_wb && (ret.stop || ret.completed || retire_bad)) begin
      poll_q       <= 1'b1;
      poll_error_q <= retire_bad;
      poll_event_q <= event_due;
    end
    if (!rst_ni || reset_q) poll_q <= 1'b0;
  end

  // ---- writing to the host ----------------------------------------------------------------------
  typedef struct packed {
    logic result;
    logic told;  // a count: its event is due when the write was answered
  } kind_t;

  logic       kind_ready, kind_valid;
  kind_t      kind_in, kind_out;  // of a write on its way
  logic       poll_go;
  logic [5:0] unused_kind_count;

  sl_fifo #(
      .Width($bits(kind_t)),
      .Depth(32)
  ) u_kinds (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (wb_valid_o && wb_ready_i),
      .in_ready_o (kind_ready),
      .in_data_i  (kind_in),
      .out_valid_o(kind_valid),
      .out_ready_i(wb_done_i),
      .out_data_o (kind_out),
      .count_o    (unused_kind_count)
  );

  // That of an error makes software read STATUS: it goes when nothing else is to be waited
  // for.
  assign poll_go     = poll_q && (!poll_error_q || halted_q && movers_idle && fetch_idle);
  assign wb_valid_o  = kind_ready && (poll_q ? poll_go : result_valid);
  assign poll_take   = wb_valid_o && wb_ready_i && poll_q;
  assign result_take = wb_valid_o && wb_ready_i && !poll_q;
  assign wb_quiet    = !kind_valid && !poll_q;
  assign kind_in     = '{result: !poll_q, told: poll_q && poll_event_q};

  always_comb begin
    wb_o = '{two: 1'b0, addr: {ctrl_i.poll_addr, 2'b00}, data: poll_data};
    if (!poll_q) begin
      wb_o = '{
          two: 1'b1,
          addr: {info.result[63:3], 3'd0},
          data: {32'(wr_sts_bytes), STATUS_DEFAULT | 32'(wr_sts_eop) << STATUS_EOP_SHIFT}
      };
    end
  end

  always_ff @(posedge clk_i) begin
    results_q <= results_q + 5'(wb_done_i && kind_out.result) - 5'(retire && ret.has_result);
    if (!rst_ni || halt_q) results_q <= '0;
  end

  assign all_empty = !info_valid && !ret_valid && !poll_q;

  // ---- to the registers -------------------------------------------------------------------------
  logic events;
  assign events = finish && !reset_q && !ctrl_i.reset;

  assign status_o = '{
      busy: state_q != StIdle && state_q != StWait && !events,
      started: state_q == StIdle && ctrl_i.run && !ctrl_i.reset,
      reset_done: finish && state_q == StHalt && ctrl_i.reset,
      wb_waits: kind_valid,
      credits: credits,
      completed: completed_q,
      ev_stopped: events && ev_stopped_q,
      ev_completed: events && ev_completed_q || retire && event_due && !ctrl_i.poll_wb ||
                    wb_done_i && kind_out.told && !reset_q && !ctrl_i.reset,
      ev_bad_magic: events && ev_magic_q,
      ev_bad_length: events && ev_length_q,
      ev_idle: events && ev_idle_q,
      ev_read_dec: events && ev_read_dec_q,
      ev_read_slv: events && ev_read_slv_q,
      ev_write_dec: events && ev_write_dec_q,
      ev_write_slv: events && ev_write_slv_q,
      ev_desc_dec: events && ev_desc_dec_q,
      ev_desc_slv: events && ev_desc_slv_q,
      beat: HasWrite ? wr_data.tvalid && wr_data.tready : rd_data.tvalid && rd_data.tready
  };

  logic unused;
  assign unused = &{1'b0, desc, rd_stop, unused_info_count, unused_ret_count, unused_kind_count};

endmodule
