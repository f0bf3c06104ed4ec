// SPDX-License-Identifier: Apache-2.0
//
// sl_avmm_channel: one direction of sl_avmm_table: fetches descriptors, carries them out,
// reports completion in the status table.
//
// Request     ctrl_i.ptr_valid: see sl_avmm_fetch. Descriptors are carried out in order, reads of
//             data ahead of writes, those of the next descriptor before the last has ended.
// End         of a descriptor: its last write was answered, and then the write of its done word,
//             too. It has one where ctrl_i.each_done is 1 or LAST_PTR was written with its place.
//             Then status_o.retired is high for a cycle, in order, and its place in the table is
//             free.
// Errors      a length of 0, an index beyond the table, a failed fetch: the descriptor is not
//             begun. A failed read or write of data: the rest of its data is moved, that of a
//             failed read is not defined. It ends without a done word, with ctrl_i.error_words with
//             an error word. The descriptors after it are not affected.
// Reset       ctrl_i.reset, until reset_done: bursts issued end on the bus, all else is dropped. It
//             has no time limit. rst_ni: at once, regardless of the bus.
// Latency     last beat of a descriptor's fetch to the ARVALID of its data 7 cycles (8 at 512
//             bits); its last B to the request of its done word 3.
// Throughput  a beat a cycle; a descriptor that touches n beats of either memory takes n cycles.
//
// DataWidth 64..512, that of all buses; AddrWidth 64; MaxBurst 2..256 beats, BufferBeats
// 2*MaxBurst..65536 and over 64, powers of two.
// Follows     Intel UG 683514, DMA Descriptor Controller Registers;
//             docs/reference/sl_avmm_table.md.

`include "sl_axi.svh"

module sl_avmm_channel
  import sl_avmm_pkg::*, sl_mover_pkg::*;
#(
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,

    input  sl_avmm_ctrl_t            ctrl_i,
    output sl_avmm_status_t          status_o,

    // Writes of status words
    output logic                     wb_valid_o,
    input  logic                     wb_ready_i,
    output sl_xdma_pkg::sl_xdma_wb_t wb_o,
    input  logic                     wb_done_i,
    input  logic [1:0]               wb_error_i,

    sl_axi_if.rd_mst                 desc_axi,
    sl_axi_if.rd_mst                 src_axi,
    sl_axi_if.wr_mst                 dst_axi
);

  import sl_avmm_status_addr_pkg::*;

  localparam int unsigned DataWidth = desc_axi.DataWidth;
  localparam int unsigned InFlight  = 64;  // descriptors begun whose data has not all been answered

  // A descriptor whose data moves.
  typedef struct packed {
    sl_avmm_cause_t      cause;
    logic                last;
    index_t              place;
    index_t              word;  // where its status word goes
    logic [LenWidth-1:0] bytes;
  } info_t;

  // One whose data is there.
  typedef struct packed {
    sl_avmm_cause_t      cause;
    logic                last;
    index_t              place;
    logic [LenWidth-1:0] bytes;
    logic                has_word;
  } end_t;

  // An access of a mover.
  typedef struct packed {
    logic [63:0]         addr;
    logic [LenWidth-1:0] bytes;
  } move_t;

  typedef struct packed {
    sl_avmm_cause_t cause;
    index_t         word;
  } word_t;

  // What a descriptor requests.
  typedef struct packed {
    logic        begun;  // it is carried out
    logic [63:0] src;
    logic [63:0] dst;
    info_t       info;
  } start_t;

  // ---- reset ------------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    StRun,
    StHalt,  // until nothing is outstanding
    StClear  // the registers return to the reset state
  } state_e;

  state_e state_q;
  logic   halt_q, halted_q;  // halted: the movers have seen it
  logic   fetch_idle, rd_idle, wr_idle, wb_quiet;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      StRun:   if (ctrl_i.reset) state_q <= StHalt;
      StHalt:  if (halted_q && fetch_idle && rd_idle && wr_idle && wb_quiet) state_q <= StClear;
      default: state_q <= StRun;
    endcase
    halt_q   <= state_q == StHalt || state_q == StRun && ctrl_i.reset;
    halted_q <= halt_q;
    if (!rst_ni) begin
      state_q  <= StRun;
      halt_q   <= 1'b0;
      halted_q <= 1'b0;
    end
  end

  // ---- descriptors ------------------------------------------------------------------------------
  sl_avmm_desc_t desc;
  logic          desc_valid, desc_ready, issue, retire, fetch_busy;

  sl_avmm_fetch u_fetch (
      .clk_i,
      .rst_ni,
      .halt_i      (halt_q),
      .idle_o      (fetch_idle),
      .base_i      (ctrl_i.base),
      .size_i      (ctrl_i.size),
      .ptr_valid_i (ctrl_i.ptr_valid),
      .ptr_i       (ctrl_i.ptr),
      .last_ptr_o  (status_o.last_ptr),
      .pointer_o   (status_o.pointer),
      .overrun_o   (status_o.overrun),
      .busy_o      (fetch_busy),
      .full_o      (status_o.full),
      .waiting_o   (status_o.waiting),
      .free_o      (status_o.free),
      .desc_valid_o(desc_valid),
      .desc_ready_i(desc_ready),
      .desc_o      (desc),
      .done_i      (retire),
      .m_axi       (desc_axi)
  );

  // ---- beginning them ---------------------------------------------------------------------------
  start_t              start_in, start;
  info_t               info_next, info;
  logic                start_valid, info_ready, info_next_valid, info_next_ready;
  logic                info_valid, info_pop, has_room, rd_ready, wr_ready;
  logic [LenWidth-1:0] bytes;
  logic [63:0]         keep;  // of an address

  assign keep = ctrl_i.any_bytes ? '1 : ~64'd3;

  always_comb begin
    bytes = {8'd0, desc.dwords, 2'b00};
    if (ctrl_i.any_bytes && desc.bytes != '0) bytes = desc.bytes;
    start_in.info = '{
        cause: '{
            fetch: desc.error,
            index: !desc.error && desc.index > ctrl_i.size,
            length: !desc.error && bytes == '0,
            default: 1'b0
        },
        last: desc.last,
        place: desc.place,
        word: desc.index,
        bytes: bytes
    };
    // A word beyond the table would lie in a descriptor.
    if (start_in.info.cause.fetch || start_in.info.cause.index) start_in.info.word = desc.place;
    start_in.begun = start_in.info.cause == '0;
    start_in.src   = desc.src & keep;
    start_in.dst   = desc.dst & keep;
  end

  // A slice: what the fetch has would wait for the movers' READY.
  sl_skid #(
      .Width($bits(start_t))
  ) u_start (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (desc_valid),
      .in_ready_o (desc_ready),
      .in_data_i  (start_in),
      .out_valid_o(start_valid),
      .out_ready_i(issue),
      .out_data_o (start)
  );

  assign issue = start_valid && !halt_q && has_room && (!start.begun || rd_ready && wr_ready);

  // Two more wait in the slice behind.
  logic [$clog2(InFlight):0] info_count;
  assign has_room = info_count < ($clog2(InFlight) + 1)'(InFlight - 2);

  sl_fifo #(
      .Width($bits(info_t)),
      .Depth(InFlight)
  ) u_info (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (issue),
      .in_ready_o (info_ready),
      .in_data_i  (start.info),
      .out_valid_o(info_next_valid),
      .out_ready_i(info_next_ready),
      .out_data_o (info_next),
      .count_o    (info_count)
  );

  // A slice: what ends a descriptor would wait for the RAM.
  sl_skid #(
      .Width($bits(info_t))
  ) u_info_slice (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (info_next_valid),
      .in_ready_o (info_next_ready),
      .in_data_i  (info_next),
      .out_valid_o(info_valid),
      .out_ready_i(info_pop),
      .out_data_o (info)
  );

  // ---- movers -----------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) rd_data (), wr_data ();
  logic       rd_sts_valid, wr_sts_valid, sts_take;
  logic [1:0] rd_sts_error, wr_sts_error;

  logic [LenWidth-1:0] unused_rd_bytes, unused_wr_bytes;
  logic       unused_rd_eop, unused_rd_tag, unused_wr_eop, unused_wr_tag, unused_held;
  logic [3:0] unused_rd_stalls, unused_wr_stalls;
  logic       rd_mover_valid, rd_mover_ready, wr_mover_valid, wr_mover_ready;
  logic [1:0] rd_mover_error, wr_mover_error;
  logic [$clog2(InFlight):0] unused_rd_count, unused_wr_count, unused_writes;
  move_t      read_in, read, write_in, write_next, write;
  logic       read_valid, read_ready, write_next_valid, write_next_ready, write_valid, write_ready;

  assign read_in = '{addr: start.src, bytes: start.info.bytes};

  // A slice: the mover's READY would go through all that begins with a descriptor.
  sl_skid #(
      .Width($bits(move_t))
  ) u_reads (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (issue && start.begun),
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
      .CmdDepth   (InFlight),
      .Unaligned  (1'b1)
  ) u_read (
      .clk_i,
      .rst_ni,
      .halt_i       (halt_q),
      .idle_o       (rd_idle),
      .cmd_valid_i  (read_valid),
      .cmd_ready_o  (read_ready),
      .cmd_addr_i   (read.addr),
      .cmd_bytes_i  (read.bytes),
      .cmd_eop_i    (1'b1),
      .cmd_tag_i    (1'b0),
      .sts_valid_o  (rd_mover_valid),
      .sts_ready_i  (rd_mover_ready),
      .sts_bytes_o  (unused_rd_bytes),
      .sts_eop_o    (unused_rd_eop),
      .sts_error_o  (rd_mover_error),
      .sts_tag_o    (unused_rd_tag),
      .stall_addr_o (unused_rd_stalls[0]),
      .stall_space_o(unused_rd_stalls[1]),
      .stall_data_o (unused_rd_stalls[2]),
      .stall_resp_o (unused_rd_stalls[3]),
      `SL_AXI_PINS_RD(m_axi_, src_axi.),
      `SL_AXIS_PINS(m_axis_, rd_data.)
  );

  // They wait for those of the writes, and the mover must not.
  sl_fifo #(
      .Width(2),
      .Depth(InFlight)
  ) u_read_statuses (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (rd_mover_valid),
      .in_ready_o (rd_mover_ready),
      .in_data_i  (rd_mover_error),
      .out_valid_o(rd_sts_valid),
      .out_ready_i(sts_take),
      .out_data_o (rd_sts_error),
      .count_o    (unused_rd_count)
  );

  // A slice: READY would go through the realigners of both movers.
  sl_skid #(
      .Width(DataWidth + DataWidth / 8 + 1)
  ) u_data (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (rd_data.tvalid),
      .in_ready_o (rd_data.tready),
      .in_data_i  ({rd_data.tdata, rd_data.tkeep, rd_data.tlast}),
      .out_valid_o(wr_data.tvalid),
      .out_ready_i(wr_data.tready),
      .out_data_o ({wr_data.tdata, wr_data.tkeep, wr_data.tlast})
  );

  // Reads run ahead: a mover takes its next write only when it has the data of the one before.
  assign write_in = '{addr: start.dst, bytes: start.info.bytes};

  sl_fifo #(
      .Width($bits(move_t)),
      .Depth(InFlight)
  ) u_writes (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (issue && start.begun),
      .in_ready_o (wr_ready),
      .in_data_i  (write_in),
      .out_valid_o(write_next_valid),
      .out_ready_i(write_next_ready),
      .out_data_o (write_next),
      .count_o    (unused_writes)
  );

  // A slice: the RAM's output would go through the mover's adders.
  sl_skid #(
      .Width($bits(move_t))
  ) u_write_slice (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (write_next_valid),
      .in_ready_o (write_next_ready),
      .in_data_i  (write_next),
      .out_valid_o(write_valid),
      .out_ready_i(write_ready),
      .out_data_o (write)
  );

  sl_s2mm #(
      .AddrWidth  (64),
      .DataWidth  (DataWidth),
      .LenWidth   (LenWidth),
      .TagWidth   (1),
      .IdWidth    (dst_axi.IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (InFlight),
      .Unaligned  (1'b1),
      .Counted    (1'b1)
  ) u_write (
      .clk_i,
      .rst_ni,
      .halt_i       (halt_q),
      .idle_o       (wr_idle),
      .cmd_valid_i  (write_valid),
      .cmd_ready_o  (write_ready),
      .cmd_addr_i   (write.addr),
      .cmd_bytes_i  (write.bytes),
      .cmd_eop_i    (1'b0),
      .cmd_tag_i    (1'b0),
      .sts_valid_o  (wr_mover_valid),
      .sts_ready_i  (wr_mover_ready),
      .sts_bytes_o  (unused_wr_bytes),
      .sts_eop_o    (unused_wr_eop),
      .sts_error_o  (wr_mover_error),
      .sts_tag_o    (unused_wr_tag),
      .stall_addr_o (unused_wr_stalls[0]),
      .stall_space_o(unused_wr_stalls[1]),
      .stall_data_o (unused_wr_stalls[2]),
      .stall_resp_o (unused_wr_stalls[3]),
      .held_o       (unused_held),
      `SL_AXI_PINS_WR(m_axi_, dst_axi.),
      `SL_AXIS_PINS(s_axis_, wr_data.)
  );

  // There is room for all: a mover that kept its responses waiting would keep those of the status
  // words behind them waiting, too, which a descriptor's end waits for.
  sl_fifo #(
      .Width(2),
      .Depth(InFlight)
  ) u_write_statuses (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (wr_mover_valid),
      .in_ready_o (wr_mover_ready),
      .in_data_i  (wr_mover_error),
      .out_valid_o(wr_sts_valid),
      .out_ready_i(sts_take),
      .out_data_o (wr_sts_error),
      .count_o    (unused_wr_count)
  );

  // ---- ending them: the status word, then, when that was answered, the descriptor's end ---------
  logic           was_begun, ends, end_ready, end_valid, has_word, word_ready, word_valid;
  word_t          word_in, word;
  sl_avmm_cause_t cause;
  end_t           end_in, ending;

  assign was_begun = info.cause == '0;
  assign ends      = info_valid && (!was_begun || rd_sts_valid && wr_sts_valid) && end_ready &&
                     !halt_q;

  always_comb begin
    cause = info.cause;
    if (was_begun) begin
      cause.read  = rd_sts_error != OKAY;
      cause.write = wr_sts_error != OKAY;
    end
  end

  assign has_word   = cause != '0 ? ctrl_i.error_words : ctrl_i.each_done || info.last;
  assign info_pop   = ends && (!has_word || word_ready);
  assign sts_take   = info_pop && was_begun;
  assign end_in     = '{
      cause: cause,
      last: info.last,
      place: info.place,
      bytes: info.bytes,
      has_word: has_word
  };

  assign word_in = '{cause: cause, word: info.word};

  // A slice: the ends of both directions would wait for each other's turn.
  sl_skid #(
      .Width($bits(word_t))
  ) u_word (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (ends && has_word),
      .in_ready_o (word_ready),
      .in_data_i  (word_in),
      .out_valid_o(word_valid),
      .out_ready_i(wb_ready_i),
      .out_data_o (word)
  );

  assign wb_o.two  = 1'b0;
  assign wb_o.addr = {ctrl_i.base, 5'd0} + 64'({word.word, 2'b00});
  assign wb_o.data = word.cause == '0 ? 64'(STATUS_DONE_MASK)
                                      : 64'(STATUS_ERROR_MASK) |
                                        64'(word.cause) << STATUS_CAUSE_SHIFT;
  assign wb_valid_o = word_valid && !halt_q;

  logic [$clog2(InFlight):0] unused_end_count, unused_answers;
  sl_fifo #(
      .Width($bits(end_t)),
      .Depth(InFlight)
  ) u_ends (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (info_pop),
      .in_ready_o (end_ready),
      .in_data_i  (end_in),
      .out_valid_o(end_valid),
      .out_ready_i(retire),
      .out_data_o (ending),
      .count_o    (unused_end_count)
  );

  // Answers of status words that their descriptors have not taken: there is room for all.
  logic answer_valid, answer_error, answer_ready;
  sl_fifo #(
      .Width(1),
      .Depth(InFlight)
  ) u_answers (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_q),
      .in_valid_i (wb_done_i),
      .in_ready_o (answer_ready),
      .in_data_i  (wb_error_i != OKAY),
      .out_valid_o(answer_valid),
      .out_ready_i(retire && ending.has_word),
      .out_data_o (answer_error),
      .count_o    (unused_answers)
  );

  assign retire = end_valid && (!ending.has_word || answer_valid) && !halt_q;

  logic [$clog2(InFlight)+1:0] words_q;  // on their way
  always_ff @(posedge clk_i) begin
    words_q <= words_q + ($bits(words_q))'(wb_valid_o && wb_ready_i) - ($bits(words_q))'(wb_done_i);
    if (!rst_ni) words_q <= '0;
  end
  assign wb_quiet = words_q == '0;

  // ---- to the registers -------------------------------------------------------------------------
  assign status_o.busy       = fetch_busy || state_q != StRun;
  assign status_o.retired    = retire;
  assign status_o.last       = ending.last;
  assign status_o.place      = ending.place;
  assign status_o.cause      = ending.cause;
  assign status_o.word_error = ending.has_word && answer_error;
  assign status_o.bytes      = ending.bytes;
  assign status_o.reset_done = state_q == StClear;

  // What has no room is lost.
`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_q) begin
      assert (!issue || info_ready)
      else $fatal(1, "%m: a descriptor begins that u_info has no room for");
      assert (!wb_done_i || answer_ready)
      else $fatal(1, "%m: an answer comes that u_answers has no room for");
      assert (!rd_mover_valid || rd_mover_ready)
      else $fatal(1, "%m: u_read has to wait with a status");
      assert (!wr_mover_valid || wr_mover_ready)
      else $fatal(1, "%m: u_write has to wait with a status");
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, info_ready, unused_rd_bytes, unused_wr_bytes, unused_rd_eop,
                    unused_rd_tag, unused_wr_eop, unused_wr_tag, unused_held, unused_rd_stalls,
                    unused_wr_stalls, unused_rd_count, unused_wr_count, unused_writes,
                    unused_end_count, unused_answers, answer_ready};

endmodule
