// SPDX-License-Identifier: Apache-2.0
//
// sl_sg_irq: interrupt coalescing of a scatter-gather channel: the threshold counter and the delay
// timer of AMD's AXI DMA and AXI CDMA.
//
// Threshold   counts completions down from the threshold in force; the one that reaches zero gives
//             ioc_o and restarts the count. threshold_we_i takes threshold_i into force and
//             restarts the count, too; a completion in that very cycle counts against the new
//             value. A threshold of 0 is not taken: the one in force stays (threshold_o, for the
//             register's readback). So does dly_o, and so does enable_i low.
// Delay       a completion starts the timer, and so does each further one; after delay_i ticks of
//             DelayTick cycles it gives dly_o and stops until the next completion. delay_i = 0: it
//             never runs. busy_i holds it at zero for as long as it is high: a pulse where a packet
//             begins (AXI DMA) restarts the time; a level while the channel is not idle (CDMA)
//             has it count from the end of the work on.
// Latency     event_i to ioc_o 1 cycle; event_i, or the last cycle of busy_i, to dly_o
//             1 + delay_i * DelayTick cycles.
// Readback    threshold_count_o: completions still to come until ioc_o; delay_count_o: ticks
//             passed.
// Reset       rst_ni, synchronous: threshold 1, timer stopped.
//
// DelayTick   1 to 65536 cycles, cycles of a unit of delay_i
// Follows     AMD PG021 and PG034, fields IRQThreshold, IRQDelay, IOC_Irq, Dly_Irq and their
//             status.

module sl_sg_irq #(
    parameter int unsigned DelayTick = 125
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       enable_i,          // the channel runs

    input  logic [7:0] threshold_i,
    input  logic       threshold_we_i,    // software wrote it; threshold_i is the value
    input  logic [7:0] delay_i,
    input  logic       event_i,           // pulse: a completion
    input  logic       busy_i,

    output logic       ioc_o,             // pulse
    output logic       dly_o,             // pulse
    output logic [7:0] threshold_o,
    output logic [7:0] threshold_count_o,
    output logic [7:0] delay_count_o
);

  localparam int unsigned TickBits = DelayTick > 1 ? $clog2(DelayTick) : 1;

  if (DelayTick < 1 || DelayTick > 65536) begin : gen_bad_tick
    $fatal(1, "%m: DelayTick must be 1..65536, is %0d", DelayTick);
  end

  // ------------------------------------------------------------------------------------- threshold
  logic [7:0] limit_q, limit, left_q, left;

  assign limit = threshold_we_i && threshold_i != '0 ? threshold_i : limit_q;
  assign left  = threshold_we_i || dly_o || !enable_i ? limit : left_q;

  always_ff @(posedge clk_i) begin
    limit_q <= limit;
    left_q  <= left;
    ioc_o   <= 1'b0;
    if (event_i && enable_i) begin
      left_q <= left == 8'd1 ? limit : left - 1'b1;
      ioc_o  <= left == 8'd1;
    end
    if (!rst_ni) begin
      limit_q <= 8'd1;
      left_q  <= 8'd1;
      ioc_o   <= 1'b0;
    end
  end

  assign threshold_o       = limit_q;
  assign threshold_count_o = left_q;

  // ----------------------------------------------------------------------------------------- delay
  logic                run_q;
  logic [TickBits-1:0] tick_q;
  logic [7:0]          passed_q;

  always_ff @(posedge clk_i) begin
    dly_o <= 1'b0;
    if (event_i || busy_i) begin
      run_q    <= run_q || event_i;
      tick_q   <= '0;
      passed_q <= '0;
    end else if (run_q) begin
      tick_q <= tick_q + 1'b1;
      if (tick_q == TickBits'(DelayTick - 1)) begin
        tick_q   <= '0;
        passed_q <= passed_q + 1'b1;
        if (passed_q + 1'b1 >= delay_i) begin
          dly_o    <= 1'b1;
          run_q    <= 1'b0;
          passed_q <= '0;
        end
      end
    end
    if (!rst_ni || !enable_i || delay_i == '0) begin
      run_q    <= 1'b0;
      dly_o    <= 1'b0;
      tick_q   <= '0;
      passed_q <= '0;
    end
  end

  assign delay_count_o = passed_q;

endmodule
