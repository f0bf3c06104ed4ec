// SPDX-License-Identifier: Apache-2.0
//
// sl_avmm_csr: the registers of one direction of sl_avmm_table, its counters and its interrupt.
//
// Handshake   the two buses as the generated register files have it; no channel can stall them.
// Latency     a write of LAST_PTR taken to ctrl_o.ptr_valid 1 cycle.
// Interrupt   irq_o: a pulse for each descriptor that LAST_PTR was written with, when it has ended.
//             intx_o: a level, STATUS.IRQ while CONTROL.INTX lets it through.
// Reset       rst_ni, and status_i.reset_done, which ends a software reset: everything.
//
// Follows     Intel UG 683514, DMA Descriptor Controller Registers; regs/sl_avmm_control.rdl,
//             regs/sl_avmm_ext.rdl.

`include "sl_axi.svh"

module sl_avmm_csr
  import sl_avmm_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,

    output sl_avmm_ctrl_t   ctrl_o,
    input  sl_avmm_status_t status_i,
    output logic            irq_o,
    output logic [4:0]      vector_o,
    output logic            intx_o,

    sl_axil_if.slv          s_axil,     // sl_avmm_control
    sl_axil_if.slv          s_axil_ext  // sl_avmm_ext
);

  sl_avmm_control_regs_pkg::sl_avmm_control__in_t  ctl_in;
  sl_avmm_control_regs_pkg::sl_avmm_control__out_t ctl;
  sl_avmm_ext_regs_pkg::sl_avmm_ext__in_t          ext_in;
  sl_avmm_ext_regs_pkg::sl_avmm_ext__out_t         ext;

  logic field_rst_n;
  assign field_rst_n        = rst_ni && !status_i.reset_done;
  assign ctl_in.field_rst_n = field_rst_n;
  assign ext_in.field_rst_n = field_rst_n;

  sl_avmm_control_regs u_control (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 8),
      .hwif_in (ctl_in),
      .hwif_out(ctl)
  );

  sl_avmm_ext_regs u_ext (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_ext., 8),
      .hwif_in (ext_in),
      .hwif_out(ext)
  );

  // ---- to the channel ---------------------------------------------------------------------------
  logic ptr_q;

  // The strobe comes a cycle before the value.
  always_ff @(posedge clk_i) ptr_q <= field_rst_n && ctl.LAST_PTR.ID.swmod;

  assign ctl_in.LAST_PTR.ID.next = status_i.last_ptr;
  assign ctl_in.LAST_PTR.ID.we   = ptr_q;

  assign ctrl_o = '{
      base: {ctl.RC_BASE_HI.ADDR.value, ctl.RC_BASE_LO.ADDR.value},
      size: ctl.TABLE_SIZE.SIZE.value,
      ptr_valid: ptr_q,
      ptr: ctl.LAST_PTR.ID.value,
      each_done: ctl.CONTROL.DONE.value,
      any_bytes: ext.CONTROL.BYTES.value,
      error_words: ext.CONTROL.ERROR_WORDS.value,
      reset: ext.CONTROL.RESET.value
  };

  // ---- what happened ----------------------------------------------------------------------------
  logic        failed;
  logic [31:0] completed_q, errors_q;
  logic [63:0] bytes_q;
  index_t      failed_q;

  assign failed = status_i.cause != '0 || status_i.word_error;

  always_ff @(posedge clk_i) begin
    if (status_i.retired && !failed) begin
      completed_q <= completed_q + 1'b1;
      bytes_q     <= bytes_q + 64'(status_i.bytes);
    end
    if (status_i.retired && failed) begin
      errors_q <= errors_q + 1'b1;
      failed_q <= status_i.place;
    end
    if (!field_rst_n) begin
      completed_q <= '0;
      bytes_q     <= '0;
      errors_q    <= '0;
      failed_q    <= '0;
    end
  end

  assign ext_in.STATUS.BUSY.next     = status_i.busy;
  assign ext_in.STATUS.FULL.next     = status_i.full;
  assign ext_in.STATUS.WAITING.next  = status_i.waiting;
  assign ext_in.STATUS.FREE.next     = status_i.free;
  assign ext_in.STATUS.IRQ.hwset     = irq_o;
  assign ext_in.ERROR.LENGTH.hwset   = status_i.retired && status_i.cause.length;
  assign ext_in.ERROR.INDEX.hwset    = status_i.retired && status_i.cause.index;
  assign ext_in.ERROR.FETCH.hwset    = status_i.retired && status_i.cause.fetch;
  assign ext_in.ERROR.READ.hwset     = status_i.retired && status_i.cause.read;
  assign ext_in.ERROR.WRITE.hwset    = status_i.retired && status_i.cause.write;
  assign ext_in.ERROR.WORD.hwset     = status_i.retired && status_i.word_error;
  assign ext_in.ERROR.POINTER.hwset  = status_i.pointer;
  assign ext_in.ERROR.OVERRUN.hwset  = status_i.overrun;
  assign ext_in.FAILED.PLACE.next    = failed_q;
  assign ext_in.COMPLETED.COUNT.next = completed_q;
  assign ext_in.ERRORS.COUNT.next    = errors_q;
  assign ext_in.BYTES_LO.COUNT.next  = bytes_q[31:0];
  assign ext_in.BYTES_HI.COUNT.next  = bytes_q[63:32];

  assign irq_o    = status_i.retired && status_i.last;
  assign vector_o = ext.VECTOR.NUMBER.value;
  assign intx_o   = ext.STATUS.IRQ.value && ext.CONTROL.INTX.value;

  logic unused;
  assign unused = &{1'b0, s_axil.awaddr, s_axil.araddr, s_axil_ext.awaddr, s_axil_ext.araddr};

endmodule
