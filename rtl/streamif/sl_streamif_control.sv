// SPDX-License-Identifier: Apache-2.0
//
// sl_streamif_control: the registers of sl_streamif; it queues the commands of all threads, has
// each checked against its thread's windows, hands it to the thread's port, and keeps its status.
//
// Channels    2 * thread reads memory, 2 * thread + 1 writes it. Each holds up to 8 commands from
//             COMMAND to status.
// Dispatch    looks at one channel a cycle, in turn; a command found is checked and put into the
//             channel's register, from which the port takes it: Windows + 6 cycles. A channel whose
//             register is full is passed over: no thread holds up another, and each is come to once
//             in 2 * NumThreads * (Windows + 6) cycles at the latest, but for windows being set.
// Protection  a refused command goes on without bytes, so that its status comes in its turn, and no
//             beat of it is asked for: the port answers INTERNAL, which is told apart by the tag.
//             FAULT keeps the first; a later one only counts.
// Span        (sl_s2mem) of a command, in place of its bytes: made here once for all channels, and
//             made bytes again.
// Status      looked for on one channel a cycle, in turn; kept two cycles after it was found.
// Halt        of a thread: halt_o, from the register or until the port is idle, whichever is later;
//             its queues and registers are emptied, a command of its in dispatch is dropped.
// Interrupts  levels: irq_o[channel], fault_irq_o; they fall within 2 cycles of the write's answer.
// Handshake   AXI4-Lite, a transaction a direction at a time. Lower half of the 8 KiB: registers;
//             upper half: channels, answered within 4 cycles, their stalls and waits within 2 *
//             NumThreads + 4.
// Reset       rst_ni synchronous, active low. Statistics, ADDR and STATUS are in RAM: the former
//             are cleared in the first 2 * NumThreads cycles after it, the others are not.
// Statistics  bytes and commands; with Statistics = 1 stalls and worst waits (sl_streamif_stats).
// Parameters  NumThreads 1..16, Windows 1..8, LenWidth 8..26; the others are reported only.
// Follows     regs/sl_streamif.rdl, regs/sl_streamif_channel.rdl; docs/reference/sl_streamif.md.

`include "sl_axi.svh"

module sl_streamif_control #(
    parameter int unsigned  NumThreads  = 8,
    parameter int unsigned  NumPorts    = 4,
    parameter int unsigned  StreamWidth = 32,
    parameter int unsigned  LenWidth    = 26,
    parameter int unsigned  Windows     = 4,
    parameter bit           Statistics  = 1'b1,
    localparam int unsigned Channels    = 2 * NumThreads
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,

    input  logic [12:0]                       s_axil_awaddr,
    input  logic [ 2:0]                       s_axil_awprot,
    input  logic                              s_axil_awvalid,
    output logic                              s_axil_awready,
    input  logic [31:0]                       s_axil_wdata,
    input  logic [ 3:0]                       s_axil_wstrb,
    input  logic                              s_axil_wvalid,
    output logic                              s_axil_wready,
    output logic [ 1:0]                       s_axil_bresp,
    output logic                              s_axil_bvalid,
    input  logic                              s_axil_bready,
    input  logic [12:0]                       s_axil_araddr,
    input  logic [ 2:0]                       s_axil_arprot,
    input  logic                              s_axil_arvalid,
    output logic                              s_axil_arready,
    output logic [31:0]                       s_axil_rdata,
    output logic [ 1:0]                       s_axil_rresp,
    output logic                              s_axil_rvalid,
    input  logic                              s_axil_rready,

    output logic [Channels-1:0]               irq_o,
    output logic                              fault_irq_o,

    output logic [NumThreads-1:0]             halt_o,
    input  logic [NumThreads-1:0]             idle_i,
    output logic [NumThreads-1:0]             direct_o,
    output logic [NumThreads-1:0][3:0]        source_o,
    output logic [15:0]                       turn_cycles_o,  // TURNS

    output logic [Channels-1:0]               cmd_valid_o,
    input  logic [Channels-1:0]               cmd_ready_i,
    output logic [Channels-1:0][31:0]         cmd_addr_o,
    output logic [Channels-1:0][LenWidth:0]   cmd_span_o,
    output logic [Channels-1:0]               cmd_eop_o,
    output logic [Channels-1:0][2:0]          cmd_tag_o,   // {odd word, refused, interrupt}
    input  logic [Channels-1:0]               sts_valid_i,
    output logic [Channels-1:0]               sts_ready_o,
    input  logic [Channels-1:0][LenWidth:0]   sts_span_i,
    input  logic [Channels-1:0]               sts_eop_i,
    input  logic [Channels-1:0][1:0]          sts_error_i,
    input  logic [Channels-1:0][2:0]          sts_tag_i,
    input  logic [Channels-1:0][3:0]          stall_i,     // {resp, data, space, addr}
    input  logic [Channels-1:0]               wait_i       // an address stands at its port
);

  if (NumThreads < 1 || NumThreads > 16) begin : gen_bad_threads
    $fatal(1, "%m: NumThreads must be 1..16, is %0d", NumThreads);
  end
  if (Windows < 1 || Windows > 8) begin : gen_bad_windows
    $fatal(1, "%m: Windows must be 1..8, is %0d", Windows);
  end
  if (LenWidth < 8 || LenWidth > 26) begin : gen_bad_len
    $fatal(1, "%m: LenWidth must be 8..26, is %0d", LenWidth);
  end

  localparam int unsigned ChanBits   = $clog2(Channels);
  localparam int unsigned ThreadBits = NumThreads > 1 ? $clog2(NumThreads) : 1;
  localparam int unsigned WindowBits = Windows > 1 ? $clog2(Windows) : 1;
  localparam int unsigned SlotBits   = 3;  // commands that a channel holds

  typedef struct packed {
    logic                eop;
    logic                irq;
    logic [LenWidth-1:0] bytes;
    logic [31:0]         addr;
  } command_t;

  typedef struct packed {
    logic [1:0]          error;
    logic                eop;
    logic                refused;
    logic [LenWidth-1:0] bytes;
  } status_t;

  typedef struct packed {
    logic [15:0] dones;
    logic [47:0] bytes;
  } total_t;

  function automatic logic [ThreadBits-1:0] thread_of(input logic [ChanBits-1:0] channel);
    return ThreadBits'(channel >> 1);
  endfunction

  function automatic logic [ChanBits-1:0] after(input logic [ChanBits-1:0] channel);
    return channel == ChanBits'(Channels - 1) ? '0 : channel + 1'b1;
  endfunction

  // ------------------------------------------------------------------------------------------- bus
  sl_axil_if #(.AddrWidth(13)) control (), page [2] ();  // pages: all threads, channels

  `SL_AXIL_LINK(control., s_axil_)

  sl_axil_demux #(
      .NumPorts (2),
      .AddrWidth(13),
      .Base     ({13'h1000, 13'h0000}),
      .Mask     ({13'h1000, 13'h1000})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil(control),
      .m_axil(page)
  );

  sl_streamif_regs_pkg::sl_streamif__in_t          hwif_in;
  sl_streamif_regs_pkg::sl_streamif__out_t         hwif_out;
  sl_streamif_channel_regs_pkg::sl_streamif_channel__in_t  chan_in;
  sl_streamif_channel_regs_pkg::sl_streamif_channel__out_t chan_out;

  sl_streamif_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, page[0]., 12),
      .hwif_in,
      .hwif_out
  );

  sl_streamif_channel_regs u_channels (
      .clk          (clk_i),
      .rst_n        (rst_ni),
      .s_axil_awaddr({1'b0, page[1].awaddr[6:0]}),
      .s_axil_araddr({1'b0, page[1].araddr[6:0]}),
      `SL_AXIL_PINS_BUT_ADDR(s_axil_, page[1].),
      .hwif_in      (chan_in),
      .hwif_out     (chan_out)
  );

  // ------------------------------------------------------------------------------- an access' part
  // The demux keeps an address until its answer.
  logic       req, req_write, req_known;
  logic [4:0] req_number;
  logic [3:0] req_word;
  logic [ChanBits-1:0] req_chan;
  logic       push_addr, push;  // ADDR, COMMAND of a channel written

  assign req        = chan_out.QUEUE.req;
  assign req_write  = chan_out.QUEUE.req_is_wr;
  assign req_number = req_write ? page[1].awaddr[7+:5] : page[1].araddr[7+:5];
  assign req_known  = {1'b0, req_number} < 6'(Channels);
  assign req_chan   = ChanBits'(req_number);
  assign req_word   = chan_out.QUEUE.addr[5:2];
  assign push_addr  = req && req_write && req_known && req_word == 4'd0;
  assign push       = req && req_write && req_known && req_word == 4'd1;

  // STATS of a channel. An access is to one of the two.
  logic [4:0] stats_number;
  logic       stats_known, stats_ask, stats_ack, stats_wr_ack_q, stats_none_q;
  logic [31:0] stats_data;

  assign stats_number = page[1].araddr[7+:5];
  assign stats_known  = Statistics && {1'b0, stats_number} < 6'(Channels);
  assign stats_ask    = chan_out.STATS.req && !chan_out.STATS.req_is_wr;

  always_ff @(posedge clk_i) begin
    stats_wr_ack_q <= rst_ni && chan_out.STATS.req && chan_out.STATS.req_is_wr;
    stats_none_q   <= rst_ni && stats_ask && !stats_known;
  end

  assign chan_in.STATS.wr_ack  = stats_wr_ack_q;
  assign chan_in.STATS.rd_ack  = stats_ack || stats_none_q;
  assign chan_in.STATS.rd_data = stats_none_q ? '0 : stats_data;

  // ------------------------------------------------------------------------------- state and RAMs
  logic [Channels-1:0][SlotBits:0] queued_q, taken_q, done_q;
  logic [Channels-1:0]             lost_q, valid_q;
  logic [NumThreads-1:0]           halt_q, in_dispatch, idle;
  logic [Channels-1:0]             halted;

  (* ram_style = "distributed" *) logic [31:0] addrs[2**ChanBits];
  command_t commands[2**(ChanBits+SlotBits)];
  status_t  statuses[2**(ChanBits+SlotBits)];
  (* ram_style = "distributed" *) total_t totals[2**ChanBits];

  logic [SlotBits:0] push_at;
  logic              push_full;
  command_t          push_data;
  assign push_at   = queued_q[req_chan];
  assign push_full = push_at - done_q[req_chan] == (SlotBits + 1)'(2 ** SlotBits);
  assign push_data = '{
      eop: chan_out.QUEUE.wr_data[31],
      irq: chan_out.QUEUE.wr_data[30],
      bytes: chan_out.QUEUE.wr_data[LenWidth-1:0],
      addr: addrs[req_chan]
  };

  always_ff @(posedge clk_i) begin
    if (push_addr) addrs[req_chan] <= chan_out.QUEUE.wr_data;
    if (push && !push_full) commands[{req_chan, push_at[SlotBits-1:0]}] <= push_data;
  end

  // -------------------------------------------------------------------------------------- dispatch
  typedef enum logic [1:0] {SCAN, READ, CHECK, GIVE} dispatch_e;
  dispatch_e           dispatch_q;
  logic [ChanBits-1:0] scan_q, at_q;  // at_q: the channel whose command is at hand
  command_t            command_q;
  logic [LenWidth:0]   given_q;       // its span, 0 if it was refused
  logic                odd;           // of words, and it begins in the upper half of a beat
  logic                found, drop, check_ready, check_done, check_ok, empty;
  logic                refused_q, asked_q, dropped_q, give;
  logic                window_known, window_ready;

  assign found = queued_q[scan_q] != taken_q[scan_q] && !valid_q[scan_q] && !halted[scan_q];
  assign empty = command_q.bytes == '0;  // the port answers it by itself
  // A halt while the command is at hand.
  assign drop  = dropped_q || halted[at_q];
  assign give  = dispatch_q == GIVE;
  assign odd   = StreamWidth == 32 && command_q.addr[2];

  for (genvar t = 0; t < NumThreads; t++) begin : gen_thread
    assign in_dispatch[t]    = dispatch_q != SCAN && thread_of(at_q) == ThreadBits'(t);
    assign halted[2*t+:2]    = {2{halt_q[t]}};
    assign halt_o[t]         = halt_q[t];
  end

  always_ff @(posedge clk_i) begin
    unique case (dispatch_q)
      SCAN: begin
        at_q      <= scan_q;
        scan_q    <= after(scan_q);
        dropped_q <= 1'b0;
        if (found) dispatch_q <= READ;
      end
      READ: begin
        command_q  <= commands[{at_q, taken_q[at_q][SlotBits-1:0]}];
        asked_q    <= 1'b0;
        refused_q  <= 1'b0;
        dispatch_q <= CHECK;
      end
      CHECK: begin
        if (check_ready) asked_q <= 1'b1;
        if (check_done) refused_q <= !check_ok;
        given_q <= '0;
        if (check_done && check_ok) begin
          given_q <= (LenWidth + 1)'(command_q.bytes) +
                     (LenWidth + 1)'({odd, 2'b00});
        end
        if (empty || check_done) dispatch_q <= GIVE;
      end
      default: dispatch_q <= SCAN;
    endcase
    if (dispatch_q != SCAN) dropped_q <= drop;
    if (!rst_ni) begin
      dispatch_q <= SCAN;
      scan_q     <= '0;
    end
  end

  sl_window_check #(
      .NumThreads(NumThreads),
      .Windows   (Windows),
      .AddrWidth (32),
      .LenWidth  (LenWidth)
  ) u_check (
      .clk_i,
      .rst_ni,
      .set_valid_i (hwif_out.WINDOW_SET.GO.value && window_known),
      .set_ready_o (window_ready),
      .set_thread_i(ThreadBits'(hwif_out.WINDOW_SET.THREAD.value)),
      .set_window_i(WindowBits'(hwif_out.WINDOW_SET.WINDOW.value)),
      .set_base_i  (hwif_out.WINDOW_BASE.VALUE.value),
      .set_limit_i (hwif_out.WINDOW_LIMIT.VALUE.value),
      .set_read_i  (hwif_out.WINDOW_SET.READ.value),
      .set_write_i (hwif_out.WINDOW_SET.WRITE.value),
      .cmd_valid_i (dispatch_q == CHECK && !asked_q && !empty),
      .cmd_ready_o (check_ready),
      .cmd_thread_i(thread_of(at_q)),
      .cmd_write_i (at_q[0]),
      .cmd_addr_i  (command_q.addr),
      .cmd_bytes_i (empty ? LenWidth'(1) : command_q.bytes),
      .done_o      (check_done),
      .ok_o        (check_ok)
  );

  assign window_known = {1'b0, hwif_out.WINDOW_SET.THREAD.value} < 5'(NumThreads) &&
                        {1'b0, hwif_out.WINDOW_SET.WINDOW.value} < 4'(Windows);
  assign hwif_in.WINDOW_SET.GO.hwclr = hwif_out.WINDOW_SET.GO.value &&
                                       (window_ready || !window_known);

  // A status found on one channel is kept in the next cycle.
  logic [ChanBits-1:0] look_q, kept_q, init_q;
  logic                keep_q, keep, init_on_q;

  // The channels' registers.
  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic                load;
    logic                eop_q;
    logic [2:0]          tag_q;
    logic [31:0]         addr_q;
    logic [LenWidth:0]   span_q;

    assign load           = give && at_q == ChanBits'(c) && !drop;
    assign cmd_valid_o[c] = valid_q[c];
    assign cmd_addr_o[c]  = addr_q;
    assign cmd_span_o[c]  = span_q;
    assign cmd_eop_o[c]   = eop_q;
    assign cmd_tag_o[c]   = tag_q;

    always_ff @(posedge clk_i) begin
      if (load) begin
        addr_q <= command_q.addr;
        span_q <= given_q;
        eop_q  <= command_q.eop;
        tag_q  <= {odd, refused_q, command_q.irq};
      end
      if (load) valid_q[c] <= 1'b1;
      else if (cmd_ready_i[c]) valid_q[c] <= 1'b0;
      if (load) taken_q[c] <= taken_q[c] + 1'b1;
      if (push && req_chan == ChanBits'(c)) begin
        if (push_full) lost_q[c] <= 1'b1;
        else queued_q[c] <= queued_q[c] + 1'b1;
      end
      if (keep && kept_q == ChanBits'(c)) done_q[c] <= done_q[c] + 1'b1;
      if (!rst_ni || halted[c]) begin
        valid_q[c]  <= 1'b0;
        queued_q[c] <= '0;
        taken_q[c]  <= '0;
        done_q[c]   <= '0;
        lost_q[c]   <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------------------------------- statuses
  status_t             status_q;
  logic                status_irq_q;
  logic [LenWidth:0]   status_span;
  total_t              total;

  assign keep        = keep_q && !halted[kept_q];
  assign status_span = sts_span_i[look_q];
  assign total       = totals[kept_q];

  always_comb begin
    sts_ready_o         = '0;
    sts_ready_o[look_q] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    look_q           <= after(look_q);
    kept_q           <= look_q;
    keep_q           <= rst_ni && sts_valid_i[look_q];
    status_q.error   <= sts_error_i[look_q];
    status_q.eop     <= sts_eop_i[look_q];
    status_q.refused <= sts_tag_i[look_q][1];
    status_q.bytes   <= LenWidth'(status_span) -
                        LenWidth'({sts_tag_i[look_q][2] && status_span != '0, 2'b00});
    status_irq_q     <= sts_tag_i[look_q][0];
    if (init_on_q) begin
      init_q    <= after(init_q);
      init_on_q <= init_q != ChanBits'(Channels - 1);
    end
    if (!rst_ni) begin
      look_q    <= '0;
      init_q    <= '0;
      init_on_q <= 1'b1;
    end
  end

  // No channel has a status while the totals are zeroed: its command would be younger.
  always_ff @(posedge clk_i) begin
    if (keep) statuses[{kept_q, done_q[kept_q][SlotBits-1:0]}] <= status_q;
    if (init_on_q) totals[init_q] <= '0;
    else if (keep) begin
      totals[kept_q] <= '{
          dones: total.dones + 1'b1,
          bytes: total.bytes + 48'(status_q.bytes)
      };
    end
  end

  // ---------------------------------------------------------------------------- interrupts, faults
  logic [Channels-1:0] pending_q, rises, clears;
  logic                clear_q, fault;
  logic                fault_write_q;
  logic [3:0]          fault_thread_q;
  logic [15:0]         fault_count_q;
  logic [31:0]         fault_addr_q;
  logic [LenWidth-1:0] fault_bytes_q;

  always_comb begin
    rises         = '0;
    rises[kept_q] = keep && (status_irq_q || status_q.error != '0);
  end
  assign clears      = clear_q ? hwif_out.IRQ_CLEAR.VALUE.value[Channels-1:0] : '0;
  assign irq_o       = pending_q & hwif_out.IRQ_ENABLE.VALUE.value[Channels-1:0];
  assign fault       = give && refused_q && !drop;
  assign fault_irq_o = hwif_out.FAULT.VALID.value && hwif_out.FAULT_IRQ.ENABLE.value;

  always_ff @(posedge clk_i) begin
    clear_q   <= hwif_out.IRQ_CLEAR.VALUE.swmod;
    pending_q <= (pending_q & ~clears) | rises;
    if (fault) begin
      fault_count_q <= fault_count_q + 1'b1;
      if (!hwif_out.FAULT.VALID.value || hwif_out.FAULT.VALID.swmod) begin
        fault_write_q  <= at_q[0];
        fault_thread_q <= 4'(thread_of(at_q));
        fault_addr_q   <= command_q.addr;
        fault_bytes_q  <= command_q.bytes;
      end
    end
    if (!rst_ni) begin
      clear_q       <= 1'b0;
      pending_q     <= '0;
      fault_count_q <= '0;
    end
  end

  assign turn_cycles_o = hwif_out.TURNS.CYCLES.value;

  assign hwif_in.CONFIG.THREADS.next      = 5'(NumThreads);
  assign hwif_in.CONFIG.PORTS.next        = 3'(NumPorts);
  assign hwif_in.CONFIG.STREAM_BYTES.next = 5'(StreamWidth / 8);
  assign hwif_in.CONFIG.LEN_BITS.next     = 5'(LenWidth);
  assign hwif_in.LIMITS.WINDOWS.next      = 4'(Windows);
  assign hwif_in.LIMITS.DEPTH.next        = 4'(2 ** SlotBits);
  assign hwif_in.LIMITS.STATS.next        = Statistics;
  assign hwif_in.IRQ_PENDING.VALUE.next   = 32'(pending_q);
  assign hwif_in.IDLE.VALUE.next          = 16'(idle);
  assign hwif_in.FAULT.VALID.hwset        = fault;
  assign hwif_in.FAULT.WRITE.next         = fault_write_q;
  assign hwif_in.FAULT.THREAD.next        = fault_thread_q;
  assign hwif_in.FAULT.COUNT.next         = fault_count_q;
  assign hwif_in.FAULT_ADDR.VALUE.next    = fault_addr_q;
  assign hwif_in.FAULT_BYTES.VALUE.next   = 31'(fault_bytes_q);

  if (Statistics) begin : gen_stats
    logic stats_clear_q;

    always_ff @(posedge clk_i) stats_clear_q <= rst_ni && hwif_out.STATS_CLEAR.VALUE.swmod;

    sl_streamif_stats #(
        .Channels(Channels)
    ) u_stats (
        .clk_i,
        .rst_ni,
        .stall_i,
        .wait_i,
        .clear_i({Channels{stats_clear_q}} & hwif_out.STATS_CLEAR.VALUE.value[Channels-1:0]),
        .req_i  (stats_ask && stats_known),
        .chan_i (ChanBits'(stats_number)),
        .word_i (chan_out.STATS.addr[4:2]),
        .ack_o  (stats_ack),
        .data_o (stats_data)
    );
  end else begin : gen_no_stats
    logic unused_stats;
    assign unused_stats = &{1'b0, stall_i, wait_i};
    assign stats_ack    = 1'b0;
    assign stats_data   = '0;
  end

  // -------------------------------------------------------------------------------- halt, idle,
  // route
  for (genvar t = 0; t < NumThreads; t++) begin : gen_idle
    logic [3:0] source_q;
    logic       direct_q, quiet;

    assign quiet = queued_q[2*t] == done_q[2*t] && queued_q[2*t+1] == done_q[2*t+1];
    assign idle[t] = idle_i[t] && !in_dispatch[t] && valid_q[2*t+:2] == '0 &&
                     (halt_q[t] || quiet);
    assign source_o[t] = source_q;
    assign direct_o[t] = direct_q;

    always_ff @(posedge clk_i) begin
      halt_q[t] <= hwif_out.HALT.VALUE.value[t] || (halt_q[t] && !idle[t]);
      if (hwif_out.ROUTE_SET.GO.value && hwif_out.ROUTE_SET.THREAD.value == 4'(t)) begin
        source_q <= hwif_out.ROUTE_SET.SOURCE.value;
        direct_q <= hwif_out.ROUTE_SET.DIRECT.value;
      end
      if (!rst_ni) begin
        halt_q[t] <= 1'b0;
        direct_q  <= 1'b0;
        source_q  <= '0;
      end
    end
  end

  // ----------------------------------------------------------------------------------------
  // answers The RAMs are read in the cycle of the request, the answer put together in the next one.
  logic                 read_q, known_q, wr_ack_q;
  logic [3:0]           word_q;
  logic [ChanBits-1:0]  chan_q;
  logic                 rd_ack_q;
  logic [31:0]          rd_data_q, read_addr_q;
  logic [15:0]          high_q;
  status_t              read_status_q;
  total_t               read_total_q;

  always_ff @(posedge clk_i) begin
    read_q        <= rst_ni && req && !req_write;
    wr_ack_q      <= rst_ni && req && req_write;
    known_q       <= req_known;
    word_q        <= req_word;
    chan_q        <= req_chan;
    read_addr_q   <= addrs[req_chan];
    read_status_q <= statuses[{req_chan, req_word[SlotBits-1:0]}];
    read_total_q  <= totals[req_chan];
    rd_ack_q      <= rst_ni && read_q;
    if (read_q) begin
      rd_data_q <= '0;
      unique case (word_q)
        4'd0: rd_data_q <= read_addr_q;
        4'd1: rd_data_q <= '0;
        4'd2: rd_data_q <= {15'd0, lost_q[chan_q], 4'd0, done_q[chan_q], 4'd0, queued_q[chan_q]};
        4'd3: rd_data_q <= 32'(read_total_q.dones);
        4'd4: rd_data_q <= read_total_q.bytes[31:0];
        4'd5: rd_data_q <= 32'(high_q);
        default: begin
          if (word_q[3]) begin
            rd_data_q <= {
              read_status_q.error, read_status_q.eop, read_status_q.refused,
              28'(read_status_q.bytes)
            };
          end
        end
      endcase
      if (!known_q) rd_data_q <= '0;
      if (word_q == 4'd4) high_q <= read_total_q.bytes[47:32];
    end
  end

  assign chan_in.QUEUE.rd_ack  = rd_ack_q;
  assign chan_in.QUEUE.rd_data = rd_data_q;
  assign chan_in.QUEUE.wr_ack  = wr_ack_q;

  logic unused;
  assign unused = &{1'b0, chan_out.QUEUE.wr_biten, chan_out.QUEUE.wr_data, chan_out.QUEUE.addr,
                    hwif_out.IRQ_ENABLE.VALUE.value,
                    hwif_out.IRQ_CLEAR.VALUE.value, hwif_out.HALT.VALUE.value,
                    hwif_out.STATS_CLEAR.VALUE.value,
                    hwif_out.STATS_CLEAR.VALUE.swmod, chan_out.STATS.addr,
                    chan_out.STATS.wr_data, chan_out.STATS.wr_biten};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(keep && init_on_q)) else $error("%m: a status while the totals are zeroed");
    end
  end
`endif

endmodule
