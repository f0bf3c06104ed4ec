// SPDX-License-Identifier: Apache-2.0
//
// sl_stream_source: emits the word pattern in frames of packets, paced by the clock.
//
// Purpose     A test generator and a stand-in for a sensor. Registers: regs/sl_stream_source.rdl.
// Timing      In clock ticks, exact. A frame starts in the tick in which its first beat is
//             presented. Without backpressure: beats of a packet in consecutive ticks; PAUSE_TICKS
//             idle ticks between the packets of a frame; frame n+1 starts FRAME_TICKS ticks after
//             frame n, or in the tick after frame n's last beat was taken if that is later (counted
//             in LATE; windows count from real starts). FRAME_TICKS = 0: always in the tick after.
//             A run starts (or goes on) 2 ticks after the first tick with ENABLE = 1.
// Handshake   FREE_RUN=0: TVALID does not depend on TREADY; a beat holds until taken, and pauses
//             count from the tick its packet's last beat was taken, windows run on. FREE_RUN=1:
//             every beat is presented for one tick whatever TREADY says; the dropper behind (drop_i
//             from free_run_o) always takes it, and a simulation stops where TREADY is low.
// Stop        ENABLE=0: the beat presented stays until taken, no other follows; pauses and windows
//             stand still. ENABLE=1 goes on from there. A gated run ends when its last beat is
//             taken: ENABLE clears itself, DONE is set; the next run starts a new frame at once.
// Clear       CLEAR acts only while STATUS.RUNNING is 0, also when written together with ENABLE=1:
//             zeroes counters, DONE and position (a packet cut short gets no TLAST) and restarts
//             the sequence at START. clear_o passes it to the dropper, whose counters stand here.
// Settings    Change them only while RUNNING is 0. START has effect until the first beat.
// Throughput  One beat a cycle. Reset: rst_ni synchronous, active low.
// Parameters  DataWidth  32..512, power of two, refused otherwise
// Not here    partial beats: TKEEP is all ones. Sequence and counters wrap.

`include "sl_axi.svh"

module sl_stream_source
  import sl_stream_source_regs_pkg::*;
#(
    parameter int unsigned DataWidth = 64
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,

    input  logic [11:0]            s_axil_awaddr,
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
    input  logic [11:0]            s_axil_araddr,
    input  logic [2:0]             s_axil_arprot,
    input  logic                   s_axil_arvalid,
    output logic                   s_axil_arready,
    output logic [31:0]            s_axil_rdata,
    output logic [1:0]             s_axil_rresp,
    output logic                   s_axil_rvalid,
    input  logic                   s_axil_rready,

    output logic [DataWidth-1:0]   m_axis_tdata,
    output logic [DataWidth/8-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready,

    // The dropper behind: how it shall work, and what it counted.
    output logic                   free_run_o,
    output logic                   clear_o,
    input  logic [63:0]            drop_beats_i,
    input  logic [31:0]            drop_runs_i,
    input  logic [63:0]            drop_first_i,
    input  logic [31:0]            drop_packets_i
);

  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end

  localparam int unsigned NumWords = DataWidth / 32;

  // What the beat after the presented one is; it says what has to be waited for.
  typedef enum logic [1:0] {
    NEXT_BEAT,    // of the same packet: nothing
    NEXT_PACKET,  // of the same frame: the pause
    NEXT_FRAME,   // the window
    NEXT_NONE     // the presented beat ends a gated run
  } next_e;

  sl_stream_source__in_t  hwif_in;
  sl_stream_source__out_t hwif_out;

  logic        enable, continuous;
  logic        run_q;         // ENABLE of the cycle before: a CLEAR written with it goes first
  logic        fresh_q;       // no beat since CLEAR: the sequence starts at START
  logic        first_q;       // the next frame is the first of its run
  logic        windowed_q;    // the current frame has a window
  logic        frame_end_q;   // the presented beat ends a frame
  logic        done_q;
  next_e       next_q;
  // Left to send, what is presented included: beats of the packet, packets of the frame, frames of
  // the run.
  logic [23:0] beats_left_q, packets_left_q;
  logic [31:0] frames_left_q;
  logic        last_packet_q, last_frame_q;  // the presented beat is of the last one
  logic [23:0] pause_q;       // idle ticks left
  logic [31:0] window_q;      // ticks left until the next frame is due
  logic [31:0] word_q;        // first of the presented beat
  logic [63:0] beats_q;
  logic [31:0] packets_q, frames_q, late_q;

  assign enable     = hwif_out.CONTROL.ENABLE.value;
  assign continuous = hwif_out.CONTROL.CONTINUOUS.value;
  assign free_run_o = hwif_out.CONTROL.FREE_RUN.value;
  assign clear_o    = hwif_out.CONTROL.CLEAR.value && !run_q && !m_axis_tvalid;

  // ---- what happens in this tick ----
  logic        tick;     // time runs
  logic        taken;    // the presented beat goes
  logic        slot;     // a beat may be presented in the next tick
  logic        due;      // and nothing has to be waited for
  logic        present;
  logic        finish;   // a gated run ends
  logic        new_packet, new_frame, start_frame;
  // Of the beat to be presented: it ends its packet; its packet ends the frame; its frame the run.
  logic        last, last_packet_d, last_frame_d;

  assign tick       = enable && run_q;
  assign taken      = m_axis_tvalid && (m_axis_tready || free_run_o);
  assign slot       = !m_axis_tvalid || taken;
  assign present    = tick && slot && due;
  assign finish     = taken && next_q == NEXT_NONE;
  assign new_frame  = next_q == NEXT_FRAME;
  assign new_packet = new_frame || next_q == NEXT_PACKET;
  assign start_frame = present && new_frame;

  always_comb begin
    case (next_q)
      NEXT_BEAT:   due = 1'b1;
      NEXT_PACKET: due = pause_q == '0;
      NEXT_FRAME:  due = window_q[31:1] == '0;
      default:     due = 1'b0;
    endcase
  end

  // A length of 0 acts as 1.
  always_comb begin
    last          = beats_left_q == 24'd2;
    last_packet_d = last_packet_q;
    last_frame_d  = last_frame_q;
    if (new_packet) begin
      last          = hwif_out.PACKET_BEATS.VALUE.value[23:1] == '0;
      last_packet_d = packets_left_q == 24'd2;
    end
    if (new_frame) begin
      last_packet_d = hwif_out.FRAME_PACKETS.VALUE.value[23:1] == '0;
      last_frame_d  = first_q ? hwif_out.FRAMES.VALUE.value[31:1] == '0 : frames_left_q == 32'd2;
    end
  end

  // ---- beats ----
  assign m_axis_tkeep = '1;
  for (genvar k = 0; k < NumWords; k++) begin : gen_word
    assign m_axis_tdata[k*32 +: 32] = word_q + k;
  end

  // Each counter adds to what it goes on from, a new value or its own: one LUT a bit.
  always_ff @(posedge clk_i) begin
    run_q <= enable;
    if (present) begin
      word_q        <= (fresh_q ? '0 : NumWords) + (fresh_q ? hwif_out.START.VALUE.value : word_q);
      m_axis_tlast  <= last;
      frame_end_q   <= last && last_packet_d;
      last_packet_q <= last_packet_d;
      last_frame_q  <= last_frame_d;
      beats_left_q  <= {24{!new_packet}}
                       + (new_packet ? hwif_out.PACKET_BEATS.VALUE.value : beats_left_q);
      if (new_packet) begin
        packets_left_q <= {24{!new_frame}}
                          + (new_frame ? hwif_out.FRAME_PACKETS.VALUE.value : packets_left_q);
      end
      if (new_frame) begin
        frames_left_q <= {32{!first_q}}
                         + (first_q ? hwif_out.FRAMES.VALUE.value : frames_left_q);
      end
      fresh_q       <= 1'b0;
      if (!last) begin
        next_q <= NEXT_BEAT;
      end else if (!last_packet_d) begin
        next_q <= NEXT_PACKET;
      end else if (!continuous && last_frame_d) begin
        next_q <= NEXT_NONE;
      end else begin
        next_q <= NEXT_FRAME;
      end
    end
    m_axis_tvalid <= present || !slot;

    // Where the pause has ended, the beat that waited for it is presented.
    if (present || (tick && slot && next_q == NEXT_PACKET)) begin
      pause_q <= {24{!present}} + (present ? hwif_out.PAUSE_TICKS.VALUE.value : pause_q);
    end
    if (start_frame) begin
      first_q    <= 1'b0;
      windowed_q <= hwif_out.FRAME_TICKS.VALUE.value != '0;
    end
    if (start_frame || (tick && window_q != '0)) begin
      window_q <= {32{!start_frame}}
                  + (start_frame ? hwif_out.FRAME_TICKS.VALUE.value : window_q);
    end

    if (enable && !run_q) begin
      done_q <= 1'b0;
    end
    if (finish) begin
      done_q <= 1'b1;
    end
    if (finish || clear_o || !rst_ni) begin
      next_q     <= NEXT_FRAME;
      first_q    <= 1'b1;
      windowed_q <= 1'b0;
      window_q   <= '0;
    end
    if (clear_o || !rst_ni) begin
      fresh_q <= 1'b1;
      done_q  <= 1'b0;
    end
    if (!rst_ni) begin
      run_q         <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end
  end

  // ---- counters ----
  always_ff @(posedge clk_i) begin
    if (taken) begin
      beats_q   <= beats_q + 64'd1;
      packets_q <= packets_q + 32'(m_axis_tlast);
      frames_q  <= frames_q + 32'(frame_end_q);
    end
    if (start_frame && windowed_q && window_q == '0) begin
      late_q <= late_q + 32'd1;
    end
    if (clear_o || !rst_ni) begin
      beats_q   <= '0;
      packets_q <= '0;
      frames_q  <= '0;
      late_q    <= '0;
    end
  end

  // ---- registers ----
  assign hwif_in.CONTROL.ENABLE.hwclr       = finish;
  assign hwif_in.STATUS.RUNNING.next        = enable || m_axis_tvalid;
  assign hwif_in.STATUS.DONE.next           = done_q;
  assign hwif_in.BEATS_LO.VALUE.next        = beats_q[31:0];
  assign hwif_in.BEATS_HI.VALUE.next        = beats_q[63:32];
  assign hwif_in.PACKETS.VALUE.next         = packets_q;
  assign hwif_in.FRAMES_DONE.VALUE.next     = frames_q;
  assign hwif_in.LATE.VALUE.next            = late_q;
  assign hwif_in.DROP_BEATS_LO.VALUE.next   = drop_beats_i[31:0];
  assign hwif_in.DROP_BEATS_HI.VALUE.next   = drop_beats_i[63:32];
  assign hwif_in.DROP_RUNS.VALUE.next       = drop_runs_i;
  assign hwif_in.DROP_FIRST_LO.VALUE.next   = drop_first_i[31:0];
  assign hwif_in.DROP_FIRST_HI.VALUE.next   = drop_first_i[63:32];
  assign hwif_in.DROP_PACKETS.VALUE.next    = drop_packets_i;

  sl_stream_source_regs u_regs (
      .clk   (clk_i),
      .rst_n (rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_, 12),
      .hwif_in,
      .hwif_out
  );

  `SL_AXIS_CHECK(u_check, m_axis_, DataWidth, rst_ni)

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && free_run_o && m_axis_tvalid) begin
      assert (m_axis_tready) else $error("%m: FREE_RUN without a dropper: TREADY is low");
    end
  end
`endif

endmodule
