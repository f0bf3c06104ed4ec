// SPDX-License-Identifier: Apache-2.0
//
// sl_memif: memory for up to 16 hardware threads as ReconOS gives it: one path of 32 bits, one way
// at a time, shared by all; what sl_streamif is measured against. Control, commands, windows,
// statuses and streams are those of sl_streamif, so software and threads are the same.
//
// Requests    a command is cut into requests of at most ChunkWords words. One of them is under way
//             at a time: of all channels whose request can be carried out whole (a read: room in
//             the thread's FIFO; a write: its words are in the FIFO, or its packet's end) the next
//             in a circle goes. RequestCycles later it is at the memory, its words pass one a
//             cycle, and the next one is looked for when memory has answered the last. For
//             TurnCycles after a read a thread has no request.
// FIFOs       of FifoWords words, one each way and thread.
// Memory      AXI4, 64 bits, bursts of at most 16 beats.
// Wait        of a request: at most the requests of all other channels, one each.
// Statistics  WORST_WAIT: from a request being ready until it goes. STALL_ADDR: it waits for
//             others; RESP: it is under way, and no word passes; SPACE: a read, no room; DATA: the
//             rest.
// Isolation   a thread that sends or takes nothing holds up no other: a request does not begin
//             before it can end. Halt: a request under way ends first.
// Errors      as sl_streamif: the first goes to the command's status; the command goes on.
// Not here    routes from thread to thread, turns of directions: ROUTE_SET, TURNS have no effect.
// Reset       rst_ni synchronous, active low; at once, regardless of the bus.
// Parameters  ChunkWords 16..FifoWords / 2, a power of two, and FifoWords a power of two 128..1024,
//             RequestCycles, TurnCycles 1..255, refused otherwise; the others are checked in the
//             parts. ReconOS 3.1 has ChunkWords 64, FifoWords 128; what the two other constants
//             stand for is not in this design or in the model of the ACP, and is fitted to one
//             published row (docs/reference/sl_streamif.md). RequestCycles: arbiter, the request's
//             two words, address translation, memory controller, interconnect. TurnCycles: the
//             thread takes the last word from its FIFO, and sends the two words of its next request
//             through the other.

`include "sl_axi.svh"

module sl_memif #(
    parameter int unsigned NumThreads    = 8,
    parameter int unsigned LenWidth      = 26,
    parameter int unsigned Windows       = 4,
    parameter int unsigned ChunkWords    = 64,
    parameter int unsigned FifoWords     = 128,
    parameter int unsigned RequestCycles = 18,
    parameter int unsigned TurnCycles    = 9,
    parameter bit          Statistics    = 1'b1
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,

    input  logic [12:0]                 s_axil_awaddr,
    input  logic [ 2:0]                 s_axil_awprot,
    input  logic                        s_axil_awvalid,
    output logic                        s_axil_awready,
    input  logic [31:0]                 s_axil_wdata,
    input  logic [ 3:0]                 s_axil_wstrb,
    input  logic                        s_axil_wvalid,
    output logic                        s_axil_wready,
    output logic [ 1:0]                 s_axil_bresp,
    output logic                        s_axil_bvalid,
    input  logic                        s_axil_bready,
    input  logic [12:0]                 s_axil_araddr,
    input  logic [ 2:0]                 s_axil_arprot,
    input  logic                        s_axil_arvalid,
    output logic                        s_axil_arready,
    output logic [31:0]                 s_axil_rdata,
    output logic [ 1:0]                 s_axil_rresp,
    output logic                        s_axil_rvalid,
    input  logic                        s_axil_rready,

    output logic [2*NumThreads-1:0]     irq_o,
    output logic                        fault_irq_o,

    // Threads
    output logic [NumThreads-1:0]       thread_rst_no,
    output logic [NumThreads-1:0][31:0] to_axis_tdata,
    output logic [NumThreads-1:0][3:0]  to_axis_tkeep,
    output logic [NumThreads-1:0]       to_axis_tlast,
    output logic [NumThreads-1:0]       to_axis_tvalid,
    input  logic [NumThreads-1:0]       to_axis_tready,
    input  logic [NumThreads-1:0][31:0] from_axis_tdata,
    input  logic [NumThreads-1:0][3:0]  from_axis_tkeep,
    input  logic [NumThreads-1:0]       from_axis_tlast,
    input  logic [NumThreads-1:0]       from_axis_tvalid,
    output logic [NumThreads-1:0]       from_axis_tready,

    // Memory
    output logic                        m_axi_arid,
    output logic [31:0]                 m_axi_araddr,
    output logic [7:0]                  m_axi_arlen,
    output logic [2:0]                  m_axi_arsize,
    output logic [1:0]                  m_axi_arburst,
    output logic                        m_axi_arlock,
    output logic [3:0]                  m_axi_arcache,
    output logic [2:0]                  m_axi_arprot,
    output logic                        m_axi_arvalid,
    input  logic                        m_axi_arready,
    input  logic                        m_axi_rid,
    input  logic [63:0]                 m_axi_rdata,
    input  logic [1:0]                  m_axi_rresp,
    input  logic                        m_axi_rlast,
    input  logic                        m_axi_rvalid,
    output logic                        m_axi_rready,
    output logic                        m_axi_awid,
    output logic [31:0]                 m_axi_awaddr,
    output logic [7:0]                  m_axi_awlen,
    output logic [2:0]                  m_axi_awsize,
    output logic [1:0]                  m_axi_awburst,
    output logic                        m_axi_awlock,
    output logic [3:0]                  m_axi_awcache,
    output logic [2:0]                  m_axi_awprot,
    output logic                        m_axi_awvalid,
    input  logic                        m_axi_awready,
    output logic [63:0]                 m_axi_wdata,
    output logic [7:0]                  m_axi_wstrb,
    output logic                        m_axi_wlast,
    output logic                        m_axi_wvalid,
    input  logic                        m_axi_wready,
    input  logic                        m_axi_bid,
    input  logic [1:0]                  m_axi_bresp,
    input  logic                        m_axi_bvalid,
    output logic                        m_axi_bready
);

  if (FifoWords < 128 || FifoWords > 1024 || 2 ** $clog2(FifoWords) != FifoWords)
  begin : gen_bad_fifo
    $fatal(1, "%m: FifoWords must be a power of two in 128..1024, is %0d", FifoWords);
  end
  if (ChunkWords < 16 || ChunkWords > FifoWords / 2 || 2 ** $clog2(ChunkWords) != ChunkWords)
  begin : gen_bad_chunk
    $fatal(1, "%m: ChunkWords must be a power of two in 16..FifoWords / 2, is %0d", ChunkWords);
  end
  if (RequestCycles < 1 || RequestCycles > 255) begin : gen_bad_request
    $fatal(1, "%m: RequestCycles must be 1..255, is %0d", RequestCycles);
  end
  if (TurnCycles < 1 || TurnCycles > 255) begin : gen_bad_turn
    $fatal(1, "%m: TurnCycles must be 1..255, is %0d", TurnCycles);
  end

  localparam int unsigned Channels   = 2 * NumThreads;
  localparam int unsigned ChanBits   = $clog2(Channels);
  localparam int unsigned ThreadBits = NumThreads > 1 ? $clog2(NumThreads) : 1;
  localparam int unsigned WordBits   = $clog2(ChunkWords) + 1;  // words of a request
  localparam int unsigned LevelBits  = $clog2(FifoWords) + 1;   // a FIFO holds a few words more
  localparam int unsigned ReqLen     = WordBits + 2;            // bytes of a request

  // --------------------------------------------------------------------------------------- control
  logic [NumThreads-1:0]             halt, idle, unused_direct;
  logic [NumThreads-1:0][3:0]        unused_source;
  logic [15:0]                       unused_turn_cycles;
  logic [Channels-1:0]               cmd_valid, cmd_ready, cmd_eop, sts_valid, sts_ready, sts_eop;
  logic [Channels-1:0][31:0]         cmd_addr;
  logic [Channels-1:0][LenWidth:0]   cmd_span, sts_span;
  logic [Channels-1:0][2:0]          cmd_tag;
  logic [Channels-1:0][1:0]          sts_error;
  logic [Channels-1:0][3:0]          stall;
  logic [Channels-1:0]               waits;

  sl_streamif_control #(
      .NumThreads (NumThreads),
      .NumPorts   (1),
      .StreamWidth(32),
      .LenWidth   (LenWidth),
      .Windows    (Windows),
      .Statistics (Statistics)
  ) u_control (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, s_axil_, 13),
      .irq_o,
      .fault_irq_o,
      .halt_o     (halt),
      .idle_i     (idle),
      .direct_o   (unused_direct),
      .source_o   (unused_source),
      .turn_cycles_o(unused_turn_cycles),
      .cmd_valid_o(cmd_valid),
      .cmd_ready_i(cmd_ready),
      .cmd_addr_o (cmd_addr),
      .cmd_span_o (cmd_span),
      .cmd_eop_o  (cmd_eop),
      .cmd_tag_o  (cmd_tag),
      .sts_valid_i(sts_valid),
      .sts_ready_o(sts_ready),
      .sts_span_i (sts_span),
      .sts_eop_i  (sts_eop),
      .sts_error_i(sts_error),
      .sts_tag_i  (cmd_tag),  // a command goes with its status
      .stall_i    (stall),
      .wait_i     (waits)
  );

  assign thread_rst_no = ~halt & {NumThreads{rst_ni}};
  assign cmd_ready     = sts_valid & sts_ready;

  // -------------------------------------------------------------------------------------- requests
  typedef enum logic [1:0] {PICK, REQUEST, COMMAND, WORDS} state_e;

  typedef struct packed {
    logic              bad;   // a command that no memory is asked for
    logic              last;  // request of the command
    logic [ReqLen-1:0] span;  // of it (sl_s2mem)
  } request_t;

  state_e                            state_q;
  logic [ChanBits-1:0]               chan_q;   // of the request under way, or of the last one
  logic                              write_q, eop_q;
  request_t                          request_q;
  logic [31:0]                       addr_q;
  logic [7:0]                        cycles_q;
  logic [Channels-1:0]               able, mine;
  request_t [Channels-1:0]           request;
  logic [Channels-1:0][LenWidth:0]   offset_q;  // span of the command's requests that ended
  logic [NumThreads-1:0]             turns;  // after a read
  logic [NumThreads-1:0]             in_room, packets;  // room for a request; a packet's end waits
  logic [NumThreads-1:0][LevelBits-1:0] out_level_q;    // words from the thread
  logic                              any, busy, command_ready, done, done_eop;
  logic [1:0]                        done_error;
  logic [ReqLen-1:0]                 done_span;
  logic                              word_passes;

  // The first of those that ask, from behind `last` on in a circle; `last` itself comes last.
  function automatic logic [ChanBits-1:0] next(input logic [Channels-1:0] ask,
                                               input logic [ChanBits-1:0] last);
    next = last;
    for (int unsigned n = Channels; n > 0; n--) if (ask[n-1]) next = ChanBits'(n - 1);
    for (int unsigned n = Channels; n > 0; n--) begin
      if (ask[n-1] && n - 1 > 32'(last)) next = ChanBits'(n - 1);
    end
  endfunction

  logic [ChanBits-1:0] pick;
  assign pick = next(able, chan_q);
  assign any  = |able;
  assign busy = state_q != PICK;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      PICK: begin
        cycles_q  <= 8'(RequestCycles - 1);
        request_q <= request[pick];
        // Spans are counted from the beat that the command begins in.
        addr_q    <= {cmd_addr[pick][31:3], cmd_addr[pick][2:0] & {3{offset_q[pick] == '0}}} +
                     32'(offset_q[pick]);
        eop_q     <= cmd_eop[pick];
        write_q   <= pick[0];
        if (any) begin
          chan_q  <= pick;
          state_q <= REQUEST;
        end
      end
      REQUEST: begin
        cycles_q <= cycles_q - 1'b1;
        if (cycles_q == '0) state_q <= COMMAND;
      end
      COMMAND: if (command_ready) state_q <= WORDS;
      default: if (done) state_q <= PICK;
    endcase
    if (!rst_ni) begin
      state_q <= PICK;
      chan_q  <= '0;
    end
  end

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    localparam bit Write = c % 2 == 1;
    localparam int unsigned T = c / 2;
    logic [LenWidth:0]   left, good_q;
    logic [WordBits-1:0] need;
    logic                bad, more, odd, end_now;

    assign mine[c] = busy && chan_q == ChanBits'(c);
    assign left    = cmd_span[c] - offset_q[c];
    assign more    = left > (LenWidth + 1)'(ChunkWords * 4);
    assign odd     = cmd_addr[c][2] && offset_q[c] == '0;  // a word of the span is none of it
    assign need    = (more ? WordBits'(ChunkWords) :
                             WordBits'((left + (LenWidth + 1)'(3)) >> 2)) - WordBits'(odd);
    assign bad     = cmd_addr[c][1:0] != '0 || cmd_span[c] == '0 ||
                     (!Write && !cmd_eop[c] && cmd_span[c][1:0] != '0);
    assign request[c] = '{
        bad: bad, last: !more, span: bad ? '0 : more ? ReqLen'(ChunkWords * 4) : ReqLen'(left)
    };
    assign able[c] = cmd_valid[c] && !sts_valid[c] && !halt[T] && !turns[T] &&
                     (bad || (Write ? packets[T] || out_level_q[T] >= LevelBits'(need) :
                                      in_room[T]));
    assign waits[c] = able[c] && !mine[c];
    assign end_now  = request_q.bad || request_q.last || (Write && done_eop);

    always_comb begin
      stall[c] = '0;
      if (!(mine[c] && word_passes)) begin
        stall[c][0] = waits[c];
        stall[c][1] = !Write && cmd_valid[c] && !able[c] && !mine[c];
        stall[c][3] = mine[c];
        stall[c][2] = stall[c] == '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (done && mine[c]) begin
        offset_q[c]  <= offset_q[c] + (LenWidth + 1)'(request_q.span);
        sts_valid[c] <= end_now;
        sts_eop[c]   <= done_eop;
        if (sts_error[c] == '0) begin
          good_q       <= good_q + (LenWidth + 1)'(done_span);
          sts_error[c] <= done_error;
        end
      end
      if (!rst_ni || halt[T] || cmd_ready[c]) begin
        offset_q[c]  <= '0;
        good_q       <= '0;
        sts_valid[c] <= 1'b0;
        sts_error[c] <= '0;
      end
    end
    assign sts_span[c] = good_q;
  end

  // ------------------------------------------------------------------------------------------ path
  logic              rd_ready, rd_done, rd_eop, wr_ready, wr_done, wr_eop;
  logic [ReqLen-1:0] rd_span, wr_span;
  logic [1:0]        rd_error, wr_error;
  logic              unused_rd_tag, unused_wr_tag, unused_idle;
  logic [3:0]        unused_rd_stall, unused_wr_stall;
  logic [31:0]       in_data, out_data;
  logic [3:0]        in_keep, out_keep;
  logic              in_last, in_valid, out_last, out_valid, out_ready;

  assign command_ready = write_q ? wr_ready : rd_ready;
  assign done          = state_q == WORDS && (write_q ? wr_done : rd_done);
  assign done_span     = write_q ? wr_span : rd_span;
  assign done_eop      = write_q ? wr_eop : rd_eop;
  assign done_error    = write_q ? wr_error : rd_error;
  assign word_passes   = write_q ? out_valid && out_ready : in_valid;

  sl_s2mem #(
      .AddrWidth  (32),
      .StreamWidth(32),
      .LenWidth   (ReqLen - 1),
      .TagWidth   (1),
      .MaxBurst   (16),
      .BufferBeats(128),
      .CmdDepth   (2),
      .CutThrough (1'b1)
  ) u_s2mem (
      .clk_i,
      .rst_ni,
      .halt_i        (1'b0),
      .idle_o        (unused_idle),
      .rd_cmd_valid_i(state_q == COMMAND && !write_q),
      .rd_cmd_ready_o(rd_ready),
      .rd_cmd_addr_i (addr_q),
      .rd_cmd_span_i (request_q.span),
      .rd_cmd_eop_i  (eop_q && request_q.last),
      .rd_cmd_tag_i  (1'b0),
      .rd_sts_valid_o(rd_done),
      .rd_sts_ready_i(1'b1),
      .rd_sts_span_o (rd_span),
      .rd_sts_eop_o  (rd_eop),
      .rd_sts_error_o(rd_error),
      .rd_sts_tag_o  (unused_rd_tag),
      .wr_cmd_valid_i(state_q == COMMAND && write_q),
      .wr_cmd_ready_o(wr_ready),
      .wr_cmd_addr_i (addr_q),
      .wr_cmd_span_i (request_q.span),
      .wr_cmd_tag_i  (1'b0),
      .wr_sts_valid_o(wr_done),
      .wr_sts_ready_i(1'b1),
      .wr_sts_span_o (wr_span),
      .wr_sts_eop_o  (wr_eop),
      .wr_sts_error_o(wr_error),
      .wr_sts_tag_o  (unused_wr_tag),
      .rd_stall_o    (unused_rd_stall),
      .wr_stall_o    (unused_wr_stall),
      .m_axis_tdata  (in_data),
      .m_axis_tkeep  (in_keep),
      .m_axis_tlast  (in_last),
      .m_axis_tvalid (in_valid),
      .m_axis_tready (1'b1),
      .s_axis_tdata  (out_data),
      .s_axis_tkeep  (out_keep),
      .s_axis_tlast  (out_last),
      .s_axis_tvalid (out_valid),
      .s_axis_tready (out_ready),
      `SL_AXI_PINS(m_axi_, m_axi_)
  );

  // ----------------------------------------------------------------------------------------- FIFOs
  logic [NumThreads-1:0]       fifo_valid, fifo_last, fifo_take;
  logic [NumThreads-1:0][31:0] fifo_data;
  logic [NumThreads-1:0][3:0]  fifo_keep;
  logic [ThreadBits-1:0]       thread;

  assign thread    = ThreadBits'(chan_q >> 1);
  assign out_data  = fifo_data[thread];
  assign out_keep  = fifo_keep[thread];
  assign out_last  = fifo_last[thread];
  assign out_valid = state_q == WORDS && write_q && fifo_valid[thread];

  for (genvar t = 0; t < NumThreads; t++) begin : gen_thread
    logic [LevelBits-1:0]       in_level_q, packets_q;
    logic [$clog2(FifoWords):0] unused_in_count, unused_out_count;
    logic                       here, clear, in_push, in_pop, in_out_valid, unused_ready;
    logic                       out_push, out_in_ready;
    logic [7:0]                 turn_q;

    assign here    = busy && thread == ThreadBits'(t);
    assign idle[t] = !here && sts_valid[2*t+:2] == '0;
    assign clear   = halt[t] && !here;  // what is under way ends with what it has

    assign packets[t] = packets_q != '0;
    assign turns[t] = turn_q != '0;
    assign in_push = here && !write_q && in_valid;
    assign in_room[t] = in_level_q <= LevelBits'(FifoWords - ChunkWords);
    assign to_axis_tvalid[t] = in_out_valid && !halt[t];
    assign in_pop  = to_axis_tvalid[t] && to_axis_tready[t];

    assign from_axis_tready[t] = out_in_ready && !halt[t];
    assign out_push     = from_axis_tvalid[t] && from_axis_tready[t];
    assign fifo_take[t] = here && out_valid && out_ready;

    sl_fifo #(
        .Width(37),
        .Depth(FifoWords)
    ) u_in (
        .clk_i,
        .rst_ni,
        .clear_i    (clear),
        .in_valid_i (in_push),
        .in_ready_o (unused_ready),
        .in_data_i  ({in_last, in_keep, in_data}),
        .out_valid_o(in_out_valid),
        .out_ready_i(in_pop),
        .out_data_o ({to_axis_tlast[t], to_axis_tkeep[t], to_axis_tdata[t]}),
        .count_o    (unused_in_count)
    );

    sl_fifo #(
        .Width(37),
        .Depth(FifoWords)
    ) u_out (
        .clk_i,
        .rst_ni,
        .clear_i    (clear),
        .in_valid_i (out_push),
        .in_ready_o (out_in_ready),
        .in_data_i  ({from_axis_tlast[t], from_axis_tkeep[t], from_axis_tdata[t]}),
        .out_valid_o(fifo_valid[t]),
        .out_ready_i(fifo_take[t]),
        .out_data_o ({fifo_last[t], fifo_keep[t], fifo_data[t]}),
        .count_o    (unused_out_count)
    );

    always_ff @(posedge clk_i) begin
      in_level_q <= in_level_q + LevelBits'(in_push) - LevelBits'(in_pop);
      packets_q  <= packets_q + LevelBits'(out_push && from_axis_tlast[t]) -
                    LevelBits'(fifo_take[t] && fifo_last[t]);
      out_level_q[t] <= out_level_q[t] + LevelBits'(out_push) - LevelBits'(fifo_take[t]);
      if (turns[t]) turn_q <= turn_q - 1'b1;
      if (done && here && !write_q) turn_q <= 8'(TurnCycles);
      if (!rst_ni || clear) begin
        turn_q         <= '0;
        in_level_q     <= '0;
        packets_q      <= '0;
        out_level_q[t] <= '0;
      end
    end

    logic unused_counts;
    assign unused_counts = &{1'b0, unused_in_count, unused_out_count, unused_ready};
`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      assert (!rst_ni || !in_push || unused_ready) else $error("%m: a word without room");
    end
`endif
  end

  logic unused;
  assign unused = &{1'b0, unused_direct, unused_source, unused_turn_cycles, unused_rd_tag,
                    unused_wr_tag, unused_idle, unused_rd_stall, unused_wr_stall};

`ifndef SYNTHESIS
  // The bound of a request's wait, watched under whatever load a simulation makes.
  int unsigned others_q[Channels];
  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Channels; c++) begin
      others_q[c] <= !rst_ni || !able[c] || mine[c] ? 0 :
                     others_q[c] + 32'(state_q == PICK && any && pick != ChanBits'(c));
      assert (!rst_ni || others_q[c] < Channels)
      else $error("%m: channel %0d waited for %0d requests of others", c, others_q[c]);
    end
  end
`endif

endmodule
