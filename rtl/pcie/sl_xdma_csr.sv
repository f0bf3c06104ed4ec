// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_csr: the registers of one channel of sl_xdma, and its performance counters.
//
// Handshake   the two buses as the generated register files have it; no channel can stall them.
// Latency     a write taken to ctrl_o 1 cycle, by a set or clear register 2.
// Interrupt   irq_o: a level, while IRQ_MASK lets a bit of STATUS through. seen_o: a pulse, after
//             software has read STATUS_RC or written STATUS: what irq_o is then, came later.
// Reset       rst_ni: everything. reset_i, a level until status_i.reset_done: RUN falls, STATUS is
//             cleared, all else is kept.
//
// Follows     AMD PG195 v4.1, "Register Space"; regs/sl_xdma_channel.rdl, sl_xdma_sgdma.rdl.

`include "sl_axi.svh"

module sl_xdma_csr
  import sl_xdma_pkg::*;
#(
    parameter bit          C2h     = 1'b0,
    parameter bit          Stream  = 1'b0,
    parameter int unsigned Channel = 0    // 0..3, its number
) (
    input  logic            clk_i,
    input  logic            rst_ni,

    input  logic            reset_i,
    input  logic            fetch_halt_i,
    input  logic            credit_mode_i,
    output logic            irq_o,
    output logic            seen_o,
    output sl_xdma_ctrl_t   ctrl_o,
    input  sl_xdma_status_t status_i,

    sl_axil_if.slv          s_axil,       // sl_xdma_channel
    sl_axil_if.slv          s_axil_sgdma  // sl_xdma_sgdma
);

  localparam int unsigned CountBits = 42;

  sl_xdma_channel_regs_pkg::sl_xdma_channel__in_t  ch_in;
  sl_xdma_channel_regs_pkg::sl_xdma_channel__out_t ch;
  sl_xdma_sgdma_regs_pkg::sl_xdma_sgdma__in_t      sg_in;
  sl_xdma_sgdma_regs_pkg::sl_xdma_sgdma__out_t     sg;

  sl_xdma_channel_regs u_channel (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 8),
      .hwif_in (ch_in),
      .hwif_out(ch)
  );

  sl_xdma_sgdma_regs u_sgdma (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_sgdma., 8),
      .hwif_in (sg_in),
      .hwif_out(sg)
  );

  // ---- identity ---------------------------------------------------------------------------------
  assign ch_in.IDENTIFIER.VERSION.next = RegVersion;
  assign ch_in.IDENTIFIER.CHANNEL.next = 4'(Channel);
  assign ch_in.IDENTIFIER.STREAM.next  = Stream;
  assign ch_in.IDENTIFIER.TARGET.next  = C2h ? 4'd1 : 4'd0;
  assign sg_in.IDENTIFIER.VERSION.next = RegVersion;
  assign sg_in.IDENTIFIER.CHANNEL.next = 4'(Channel);
  assign sg_in.IDENTIFIER.STREAM.next  = Stream;
  assign sg_in.IDENTIFIER.TARGET.next  = C2h ? 4'd5 : 4'd4;

  assign ch_in.ALIGNMENTS.ADDRESS_BITS.next       = 8'd64;
  assign ch_in.ALIGNMENTS.LENGTH_GRANULARITY.next = 8'd1;
  assign ch_in.ALIGNMENTS.ADDRESS_ALIGNMENT.next  = 8'd1;

  // ---- control: what a set or clear register makes of it ----------------------------------------
  logic        control_we;
  logic [27:0] control, control_next;

  assign control = {
      ch.CONTROL.NO_RESULT.value, ch.CONTROL.POLL_WB_ENABLE.value, 2'b00,
      ch.CONTROL.IE_DESC_ERROR.value, ch.CONTROL.IE_WRITE_ERROR.value,
      ch.CONTROL.IE_READ_ERROR.value, 2'b00, ch.CONTROL.IE_IDLE_STOPPED.value,
      ch.CONTROL.IE_INVALID_LENGTH.value, ch.CONTROL.IE_MAGIC_STOPPED.value,
      ch.CONTROL.IE_ALIGN_MISMATCH.value, ch.CONTROL.IE_DESC_COMPLETED.value,
      ch.CONTROL.IE_DESC_STOPPED.value, ch.CONTROL.RUN.value
  };

  sl_xdma_set_clear #(
      .Width(28)
  ) u_control (
      .clk_i,
      .rst_ni,
      .set_i  (ch.CONTROL_W1S.BITS.swmod),
      .clear_i(ch.CONTROL_W1C.BITS.swmod),
      .ones_i (ch.CONTROL_W1S.BITS.value),
      .zeros_i(ch.CONTROL_W1C.BITS.value),
      .value_i(control),
      .we_o   (control_we),
      .next_o (control_next)
  );

  assign ch_in.CONTROL.RUN.next               = control_next[0];
  assign ch_in.CONTROL.RUN.we                 = control_we;
  assign ch_in.CONTROL.RUN.hwclr              = reset_i;
  assign ch_in.CONTROL.IE_DESC_STOPPED.next   = control_next[1];
  assign ch_in.CONTROL.IE_DESC_STOPPED.we     = control_we;
  assign ch_in.CONTROL.IE_DESC_COMPLETED.next = control_next[2];
  assign ch_in.CONTROL.IE_DESC_COMPLETED.we   = control_we;
  assign ch_in.CONTROL.IE_ALIGN_MISMATCH.next = control_next[3];
  assign ch_in.CONTROL.IE_ALIGN_MISMATCH.we   = control_we;
  assign ch_in.CONTROL.IE_MAGIC_STOPPED.next  = control_next[4];
  assign ch_in.CONTROL.IE_MAGIC_STOPPED.we    = control_we;
  assign ch_in.CONTROL.IE_INVALID_LENGTH.next = control_next[5];
  assign ch_in.CONTROL.IE_INVALID_LENGTH.we   = control_we;
  assign ch_in.CONTROL.IE_IDLE_STOPPED.next   = control_next[6];
  assign ch_in.CONTROL.IE_IDLE_STOPPED.we     = control_we;
  assign ch_in.CONTROL.IE_READ_ERROR.next     = control_next[13:9];
  assign ch_in.CONTROL.IE_READ_ERROR.we       = control_we;
  assign ch_in.CONTROL.IE_WRITE_ERROR.next    = control_next[18:14];
  assign ch_in.CONTROL.IE_WRITE_ERROR.we      = control_we;
  assign ch_in.CONTROL.IE_DESC_ERROR.next     = control_next[23:19];
  assign ch_in.CONTROL.IE_DESC_ERROR.we       = control_we;
  assign ch_in.CONTROL.POLL_WB_ENABLE.next    = control_next[26];
  assign ch_in.CONTROL.POLL_WB_ENABLE.we      = control_we;
  assign ch_in.CONTROL.NO_RESULT.next         = control_next[27];
  assign ch_in.CONTROL.NO_RESULT.we           = control_we;

  sl_xdma_set_clear #(
      .Width(23)
  ) u_irq_mask (
      .clk_i,
      .rst_ni,
      .set_i  (ch.IRQ_MASK_W1S.BITS.swmod),
      .clear_i(ch.IRQ_MASK_W1C.BITS.swmod),
      .ones_i (ch.IRQ_MASK_W1S.BITS.value),
      .zeros_i(ch.IRQ_MASK_W1C.BITS.value),
      .value_i(ch.IRQ_MASK.BITS.value),
      .we_o   (ch_in.IRQ_MASK.BITS.we),
      .next_o (ch_in.IRQ_MASK.BITS.next)
  );

  // ---- status -----------------------------------------------------------------------------------
  logic        clear;  // of what happened
  logic [23:0] status;

  assign clear = ch.STATUS_RC.BITS.swacc || status_i.started || reset_i;

  assign ch_in.STATUS.BUSY.hwset = status_i.busy;
  assign ch_in.STATUS.BUSY.hwclr = !status_i.busy;
  assign ch_in.STATUS.DESC_STOPPED.hwset = status_i.ev_stopped && control[1];
  assign ch_in.STATUS.DESC_STOPPED.hwclr = clear;
  assign ch_in.STATUS.DESC_COMPLETED.hwset = status_i.ev_completed && control[2];
  assign ch_in.STATUS.DESC_COMPLETED.hwclr = clear;
  assign ch_in.STATUS.ALIGN_MISMATCH.hwset = 1'b0;
  assign ch_in.STATUS.ALIGN_MISMATCH.hwclr = clear;
  assign ch_in.STATUS.MAGIC_STOPPED.hwset = status_i.ev_bad_magic && control[4];
  assign ch_in.STATUS.MAGIC_STOPPED.hwclr = clear;
  assign ch_in.STATUS.INVALID_LENGTH.hwset = status_i.ev_bad_length && control[5];
  assign ch_in.STATUS.INVALID_LENGTH.hwclr = clear;
  assign ch_in.STATUS.IDLE_STOPPED.hwset = status_i.ev_idle && control[6];
  assign ch_in.STATUS.IDLE_STOPPED.hwclr = clear;
  assign ch_in.STATUS.READ_DECERR.hwset = status_i.ev_read_dec && control[9];
  assign ch_in.STATUS.READ_DECERR.hwclr = clear;
  assign ch_in.STATUS.READ_SLVERR.hwset = status_i.ev_read_slv && control[10];
  assign ch_in.STATUS.READ_SLVERR.hwclr = clear;
  assign ch_in.STATUS.WRITE_DECERR.hwset = status_i.ev_write_dec && control[14];
  assign ch_in.STATUS.WRITE_DECERR.hwclr = clear;
  assign ch_in.STATUS.WRITE_SLVERR.hwset = status_i.ev_write_slv && control[15];
  assign ch_in.STATUS.WRITE_SLVERR.hwclr = clear;
  assign ch_in.STATUS.DESC_DECERR.hwset = status_i.ev_desc_dec && control[19];
  assign ch_in.STATUS.DESC_DECERR.hwclr = clear;
  assign ch_in.STATUS.DESC_SLVERR.hwset = status_i.ev_desc_slv && control[20];
  assign ch_in.STATUS.DESC_SLVERR.hwclr = clear;

  always_comb begin
    status     = '0;
    status[0]  = ch.STATUS.BUSY.value;
    status[1]  = ch.STATUS.DESC_STOPPED.value;
    status[2]  = ch.STATUS.DESC_COMPLETED.value;
    status[3]  = ch.STATUS.ALIGN_MISMATCH.value;
    status[4]  = ch.STATUS.MAGIC_STOPPED.value;
    status[5]  = ch.STATUS.INVALID_LENGTH.value;
    status[6]  = ch.STATUS.IDLE_STOPPED.value;
    status[9]  = ch.STATUS.READ_DECERR.value;
    status[10] = ch.STATUS.READ_SLVERR.value;
    status[14] = ch.STATUS.WRITE_DECERR.value;
    status[15] = ch.STATUS.WRITE_SLVERR.value;
    status[19] = ch.STATUS.DESC_DECERR.value;
    status[20] = ch.STATUS.DESC_SLVERR.value;
  end

  assign ch_in.STATUS_RC.BITS.next       = status;
  assign ch_in.COMPLETED_COUNT.COUNT.next = status_i.completed;
  assign irq_o = (status[23:1] & ch.IRQ_MASK.BITS.value) != '0;

  always_ff @(posedge clk_i) begin
    seen_o <= rst_ni && (ch.STATUS_RC.BITS.swacc || ch.STATUS.DESC_STOPPED.swmod);
  end

  // ---- descriptors ------------------------------------------------------------------------------
  logic credit_q;
  always_ff @(posedge clk_i) credit_q <= rst_ni && sg.CREDITS.COUNT.swmod;

  // What was written is there for the one cycle of credit_q.
  assign sg_in.CREDITS.COUNT.next = status_i.credits;
  assign sg_in.CREDITS.COUNT.we   = !sg.CREDITS.COUNT.swmod;

  assign ctrl_o = '{
      run: ch.CONTROL.RUN.value,
      reset: reset_i,
      first: {sg.FIRST_HI.ADDR.value, sg.FIRST_LO.ADDR.value},
      adjacent: sg.FIRST_ADJACENT.COUNT.value,
      fetch_halt: fetch_halt_i,
      credit_mode: credit_mode_i,
      credit_add: credit_q,
      credits: sg.CREDITS.COUNT.value,
      poll_wb: ch.CONTROL.POLL_WB_ENABLE.value,
      poll_addr: {ch.POLL_WB_HI.ADDR.value, ch.POLL_WB_LO.ADDR.value},
      no_result: ch.CONTROL.NO_RESULT.value
  };

  // ---- performance ------------------------------------------------------------------------------
  logic [CountBits-1:0] cycles_q, beats_q;
  logic                 perf_run;

  assign perf_run = ch.PERF_CONTROL.RUN.value && status_i.busy;
  assign ch_in.PERF_CONTROL.RUN.hwclr = ch.PERF_CONTROL.AUTO.value && status_i.ev_stopped;

  always_ff @(posedge clk_i) begin
    if (perf_run && !(&cycles_q)) cycles_q <= cycles_q + 1'b1;
    if (perf_run && status_i.beat && !(&beats_q)) beats_q <= beats_q + 1'b1;
    if (!rst_ni || ch.PERF_CONTROL.CLEAR.value ||
        ch.PERF_CONTROL.AUTO.value && status_i.started) begin
      cycles_q <= '0;
      beats_q  <= '0;
    end
  end

  assign ch_in.PERF_CYCLES_LO.COUNT.next = cycles_q[31:0];
  assign ch_in.PERF_CYCLES_HI.COUNT.next = cycles_q[CountBits-1:32];
  assign ch_in.PERF_CYCLES_HI.MAX.next   = &cycles_q;
  assign ch_in.PERF_DATA_LO.COUNT.next   = beats_q[31:0];
  assign ch_in.PERF_DATA_HI.COUNT.next   = beats_q[CountBits-1:32];
  assign ch_in.PERF_DATA_HI.MAX.next     = &beats_q;

  logic unused;
  assign unused = &{1'b0, control_next, status_i.reset_done, status_i.wb_waits, s_axil.awaddr,
                    s_axil.araddr, s_axil_sgdma.awaddr, s_axil_sgdma.araddr};

endmodule
