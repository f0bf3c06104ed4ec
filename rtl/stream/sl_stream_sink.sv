// SPDX-License-Identifier: Apache-2.0
//
// sl_stream_sink: takes a stream, always or with stalls, checks the word pattern and counts.
//
// Purpose     End of a stream under test. Registers: regs/sl_stream_sink.rdl.
// Handshake   s_axis_tready comes from a register and never depends on TVALID. It follows ENABLE
//             one tick late: a beat may still be taken in the first tick after ENABLE went to 0.
// Stalls      Paced by ticks, not by beats. From the tick after ENABLE became 1: NEVER: TREADY
//             high. PERIODIC: READY_TICKS high (0 acts as 1), STALL_TICKS low, again. RANDOM: each
//             tick low if (x & 0xff) < STALL_PROB, x = STALL_SEED (0 acts as 1), then each tick of
//             this mode the next value of xorshift32 (x ^= x << 13; x ^= x >> 17; x ^= x << 5).
//             CLEAR or ENABLE=0 restart both.
// Check       Word i of the stream must be START + i (mod 2^32). A packet starts at a word: after a
//             TLAST beat that ends inside a word the sequence goes on with the next word. Only
//             bytes with TKEEP count. A beat that differs anywhere is a mismatch (FIRST_BAD,
//             MISMATCH); if its first word differs from what was due it is also a gap (GAPS). The
//             next beat is held against this beat's first word, so one loss is one gap, and a wrong
//             word further up in a beat is a mismatch and no gap. CHECK=0 counts neither, but keeps
//             track.
// Counters    Show a beat 4 cycles after it was taken, all at once; ticks 1 cycle after.
// Clear       CLEAR zeroes counters and marks and expects START again, at any time: the beat taken
//             in the tick of the pulse is the first of the new count, earlier ones are forgotten.
//             START has effect until the first beat after CLEAR.
// Ticks       Free-running 64-bit counter, 0 in the first tick after reset.
// Throughput  One beat a cycle; compare and counts are pipelined, no carry is longer than 64 bits.
// Reset       rst_ni synchronous, active low.
// Parameters  DataWidth  32..512, power of two, refused otherwise
// Not here    TUSER, TID, TDEST; TKEEP with holes.

`include "sl_axi.svh"

module sl_stream_sink
  import sl_stream_sink_regs_pkg::*;
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

    input  logic [DataWidth-1:0]   s_axis_tdata,
    input  logic [DataWidth/8-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready
);

  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end

  localparam int unsigned NumWords  = DataWidth / 32;
  localparam int unsigned KeepWidth = DataWidth / 8;
  localparam int unsigned ByteCount = $clog2(KeepWidth) + 1;  // bits to count the bytes of a beat
  localparam int unsigned WordCount = $clog2(NumWords) + 1;

  sl_stream_sink__in_t  hwif_in;
  sl_stream_sink__out_t hwif_out;

  logic enable, clear, check, taken;

  assign enable = hwif_out.CONTROL.ENABLE.value;
  assign clear  = hwif_out.CONTROL.CLEAR.value;
  assign check  = hwif_out.CONTROL.CHECK.value;
  assign taken  = s_axis_tvalid && s_axis_tready;

  // Bits of the bytes that TKEEP selects in one word.
  function automatic logic [31:0] byte_mask(logic [3:0] keep);
    return {{8{keep[3]}}, {8{keep[2]}}, {8{keep[1]}}, {8{keep[0]}}};
  endfunction

  // ---- stalls ----
  logic        stalling_q;  // periodic: the phase, and the ticks left in it
  logic [15:0] phase_q;
  logic [31:0] random_q;
  logic        stall;
  logic        restart, phase_end, to_stall;

  assign restart   = !enable || clear;
  assign phase_end = restart || phase_q[15:1] == '0;
  assign to_stall  = !restart && !stalling_q && hwif_out.STALL.STALL_TICKS.value != '0;

  function automatic logic [31:0] xorshift32(logic [31:0] value);
    logic [31:0] x;
    x = value ^ (value << 13);
    x = x ^ (x >> 17);
    return x ^ (x << 5);
  endfunction

  always_comb begin
    case (hwif_out.CONTROL.STALL_MODE.value)
      sl_stream_sink__stall_mode__PERIODIC: stall = stalling_q;
      sl_stream_sink__stall_mode__RANDOM:   stall = random_q[7:0] < hwif_out.STALL_PROB.VALUE.value;
      default:                              stall = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    s_axis_tready <= enable && !stall;
    phase_q       <= {16{!phase_end}} + (!phase_end ? phase_q
                     : to_stall ? hwif_out.STALL.STALL_TICKS.value
                                : hwif_out.STALL.READY_TICKS.value);
    if (phase_end) begin
      stalling_q <= to_stall;
    end
    if (hwif_out.CONTROL.STALL_MODE.value == sl_stream_sink__stall_mode__RANDOM) begin
      random_q <= xorshift32(random_q);
    end
    if (restart) begin
      random_q <= hwif_out.STALL_SEED.VALUE.value == '0 ? 32'd1
                  : hwif_out.STALL_SEED.VALUE.value;
    end
    if (!rst_ni) begin
      s_axis_tready <= 1'b0;
    end
  end

  // ---- stage 1: the beat as taken ----
  logic                 valid1_q;
  logic [DataWidth-1:0] data1_q;
  logic [KeepWidth-1:0] keep1_q;
  logic                 last1_q;

  // ---- stage 2: each word held against the one below it; the first waits for stage 3 ----
  logic                 valid2_q, last2_q;
  logic [31:0]          word2_q, mask2_q;
  logic [NumWords-1:0]  bad2_q;
  logic [ByteCount-1:0] bytes2_q;
  logic [WordCount-1:0] words2_q;
  logic [NumWords-1:0]  bad1;
  logic [NumWords-1:0]  used1;

  always_comb begin
    bad1 = '0;
    for (int unsigned k = 0; k < NumWords; k++) begin
      used1[k] = keep1_q[4*k];
    end
    for (int unsigned k = 1; k < NumWords; k++) begin
      bad1[k] = ((data1_q[32*k +: 32] ^ (data1_q[32*(k-1) +: 32] + 32'd1))
                 & byte_mask(keep1_q[4*k +: 4])) != '0;
    end
  end

  // ---- stage 3: the first word held against what was due after the beat before ----
  logic                 valid3_q, last3_q, gap3_q, bad3_q;
  logic [ByteCount-1:0] bytes3_q;
  logic [31:0]          due_q;    // first word of the next beat
  logic                 fresh_q;  // no beat since CLEAR: START is due
  logic                 gap2;

  assign gap2 = ((word2_q ^ due_q) & mask2_q) != '0;

  always_ff @(posedge clk_i) begin
    valid1_q <= taken;
    if (taken) begin
      data1_q <= s_axis_tdata;
      keep1_q <= s_axis_tkeep;
      last1_q <= s_axis_tlast;
    end

    valid2_q <= valid1_q && !clear;
    if (valid1_q) begin
      last2_q  <= last1_q;
      word2_q  <= data1_q[31:0];
      mask2_q  <= byte_mask(keep1_q[3:0]);
      bad2_q   <= bad1;
      bytes2_q <= ByteCount'($countones(keep1_q));
      words2_q <= WordCount'($countones(used1));
    end

    valid3_q <= valid2_q && !clear;
    last3_q  <= last2_q;
    bytes3_q <= bytes2_q;
    gap3_q   <= check && gap2;
    bad3_q   <= check && (gap2 || bad2_q != '0);
    if (valid2_q || fresh_q) begin
      // Bytes that were not sent are taken as they should have been.
      due_q <= (valid2_q ? 32'(words2_q) : '0)
               + (valid2_q ? (word2_q & mask2_q) | (due_q & ~mask2_q)
                           : hwif_out.START.VALUE.value);
    end
    if (valid2_q) begin
      fresh_q <= 1'b0;
    end
    if (clear || !rst_ni) begin
      fresh_q <= 1'b1;
    end
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
    end
  end

  // ---- counters ----
  logic        seen_q, mismatch_q, stamped_q;
  logic [63:0] beats_q, bytes_q, first_bad_q, tick_q, first_tick_q, last_tick_q;
  logic [31:0] packets_q, gaps_q;

  always_ff @(posedge clk_i) begin
    if (valid3_q) begin
      seen_q    <= 1'b1;
      beats_q   <= beats_q + 64'd1;
      bytes_q   <= bytes_q + 64'(bytes3_q);
      packets_q <= packets_q + 32'(last3_q);
      gaps_q    <= gaps_q + 32'(gap3_q);
      if (bad3_q) begin
        mismatch_q <= 1'b1;
        if (!mismatch_q) begin
          first_bad_q <= beats_q;
        end
      end
    end
    if (clear || !rst_ni) begin
      seen_q      <= 1'b0;
      mismatch_q  <= 1'b0;
      beats_q     <= '0;
      bytes_q     <= '0;
      packets_q   <= '0;
      gaps_q      <= '0;
      first_bad_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    tick_q <= tick_q + 64'd1;
    if (taken) begin
      stamped_q   <= 1'b1;
      last_tick_q <= tick_q;
    end
    if (taken && (!stamped_q || clear)) begin
      first_tick_q <= tick_q;
    end
    // A beat taken in the tick of CLEAR is the first of the new count.
    if ((clear && !taken) || !rst_ni) begin
      stamped_q    <= 1'b0;
      first_tick_q <= '0;
      last_tick_q  <= '0;
    end
    if (!rst_ni) begin
      tick_q <= '0;
    end
  end

  // ---- registers ----
  assign hwif_in.STATUS.SEEN.next         = seen_q;
  assign hwif_in.STATUS.MISMATCH.next     = mismatch_q;
  assign hwif_in.BEATS_LO.VALUE.next      = beats_q[31:0];
  assign hwif_in.BEATS_HI.VALUE.next      = beats_q[63:32];
  assign hwif_in.PACKETS.VALUE.next       = packets_q;
  assign hwif_in.GAPS.VALUE.next          = gaps_q;
  assign hwif_in.BYTES_LO.VALUE.next      = bytes_q[31:0];
  assign hwif_in.BYTES_HI.VALUE.next      = bytes_q[63:32];
  assign hwif_in.FIRST_BAD_LO.VALUE.next  = first_bad_q[31:0];
  assign hwif_in.FIRST_BAD_HI.VALUE.next  = first_bad_q[63:32];
  assign hwif_in.FIRST_TICK_LO.VALUE.next = first_tick_q[31:0];
  assign hwif_in.FIRST_TICK_HI.VALUE.next = first_tick_q[63:32];
  assign hwif_in.LAST_TICK_LO.VALUE.next  = last_tick_q[31:0];
  assign hwif_in.LAST_TICK_HI.VALUE.next  = last_tick_q[63:32];

  sl_stream_sink_regs u_regs (
      .clk   (clk_i),
      .rst_n (rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_, 12),
      .hwif_in,
      .hwif_out
  );

endmodule
