// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_front: front end of one direction of sl_axi_dma, as built: by registers
// (sl_axi_dma_channel, IncludeDirect), by descriptors (sl_axi_dma_sg, IncludeSg), or by either,
// one at a time.
//
// Both        after the channel has left Halted, a LENGTH written first makes direct register mode,
//             a TAILDESC written first scatter-gather mode, until it is Halted again. A write of
//             the other one's register meanwhile starts nothing.
// Stop        after RS is cleared, or an error, StopTimeout cycles of stream_wait_i on end make the
//             front end give the stream up (their stalled_i).
// Probes      done_o: a command has ended well, after its status; by descriptors, after the
//             write-back. done_bytes_o, done_eop_o are valid with it.
//
// Operation, handshake, latency, errors, reset: headers of the two; being able to do both costs no
// cycle. Parameters: checked in sl_axi_dma.

module sl_axi_dma_front
  import sl_mover_pkg::*, sl_axi_dma_pkg::*;
#(
    parameter int unsigned AddrWidth     = 32,
    parameter int unsigned DataWidth     = 64,
    parameter int unsigned LenWidth      = 26,
    parameter bit          Unaligned     = 1'b0,
    parameter bit          ToMemory      = 1'b0,  // 0: MM2S, 1: S2MM
    parameter bit          IncludeSg     = 1'b0,
    parameter bit          IncludeDirect = 1'b1,
    parameter int unsigned Depth         = 32,    // descriptors between command and status
    parameter int unsigned StopTimeout   = 1 << 14  // cycles, 0: never
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 quiesce_i,
    output logic                 idle_o,         // nothing outstanding on the descriptor port

    input  sl_axi_dma_ctrl_t     ctrl_i,
    output sl_axi_dma_status_t   status_o,

    output logic                 cmd_valid_o,
    input  logic                 cmd_ready_i,
    output logic [AddrWidth-1:0] cmd_addr_o,
    output logic [LenWidth-1:0]  cmd_bytes_o,
    output logic                 cmd_eop_o,
    input  logic                 sts_valid_i,
    output logic                 sts_ready_o,
    input  logic [LenWidth-1:0]  sts_bytes_i,
    input  logic                 sts_eop_i,
    input  error_e               sts_error_i,
    output logic                 mover_halt_o,
    input  logic                 mover_idle_i,
    output logic                 draining_o,     // only the descriptor port is waited for

    input  logic                 stream_wait_i,  // only the other side of the stream is waited for
    input  logic                 stream_beat_i,  // ToMemory: a beat is taken; its TLAST
    input  logic                 stream_last_i,
    input  logic                 stream_held_i,  // ToMemory: one is held that no command took
    output logic                 stream_open_o,  // ToMemory: 0: no beat may be taken

    output logic                 done_o,         // pulse
    output logic [LenWidth-1:0]  done_bytes_o,
    output logic                 done_eop_o,

    output sl_axi_dma_sg_req_t   sg_req_o,
    input  sl_axi_dma_sg_rsp_t   sg_rsp_i
);

  // What a front end drives.
  typedef struct packed {
    sl_axi_dma_status_t   status;
    logic                 cmd_valid;
    logic [AddrWidth-1:0] cmd_addr;
    logic [LenWidth-1:0]  cmd_bytes;
    logic                 cmd_eop;
    logic                 sts_ready;
    logic                 halt;
    logic                 drain;
    logic                 open;
    logic                 done;
    logic [LenWidth-1:0]  done_bytes;
    logic                 done_eop;
  } drive_t;

  drive_t             direct, sg, chosen;
  sl_axi_dma_ctrl_t   sg_ctrl;
  sl_axi_dma_status_t both;  // status of an engine with either
  logic               by_length, by_tail;  // the mode, once there is one

  if (IncludeDirect && IncludeSg) begin : gen_either
    always_ff @(posedge clk_i) begin
      if (ctrl_i.run && ctrl_i.length_writing && !by_tail) by_length <= 1'b1;
      else if (ctrl_i.run && ctrl_i.taildesc_written && !by_length) by_tail <= 1'b1;
      if (!rst_ni || (both.halted && !ctrl_i.run)) begin
        by_length <= 1'b0;
        by_tail   <= 1'b0;
      end
    end

    // To descriptors, direct register mode looks as if RS were cleared.
    always_comb begin
      sg_ctrl     = ctrl_i;
      sg_ctrl.run = ctrl_i.run && !by_length;
    end

    always_comb begin
      both              = sg.status;
      both.run_clr      = sg.status.run_clr || direct.status.run_clr;
      both.halted       = sg.status.halted && direct.status.halted;
      both.idle         = by_length ? direct.status.idle : sg.status.idle;
      both.int_err      = sg.status.int_err || direct.status.int_err;
      both.slv_err      = sg.status.slv_err || direct.status.slv_err;
      both.dec_err      = sg.status.dec_err || direct.status.dec_err;
      both.ioc          = sg.status.ioc || direct.status.ioc;
      both.err          = sg.status.err || direct.status.err;
      both.curdesc_open = sg.status.curdesc_open && !by_length;
      both.length_open  = direct.status.length_open;
      both.length_we    = direct.status.length_we;
      both.length       = direct.status.length;
    end

    assign chosen   = by_length ? direct : sg;
    assign status_o = both;
  end else begin : gen_one
    assign by_length = IncludeDirect;
    assign by_tail   = IncludeSg;
    assign sg_ctrl   = ctrl_i;
    assign both      = '0;
    assign chosen    = IncludeDirect ? direct : sg;
    assign status_o  = chosen.status;
  end

  assign cmd_valid_o   = chosen.cmd_valid;
  assign cmd_addr_o    = chosen.cmd_addr;
  assign cmd_bytes_o   = chosen.cmd_bytes;
  assign cmd_eop_o     = chosen.cmd_eop;
  assign sts_ready_o   = chosen.sts_ready;
  // Before there is a mode there is nothing to halt: a front end that stops then does not.
  assign mover_halt_o  = by_length || by_tail ? chosen.halt : quiesce_i;
  assign draining_o    = by_tail && chosen.drain;
  assign stream_open_o = chosen.open;
  assign done_o        = chosen.done;
  assign done_bytes_o  = chosen.done_bytes;
  assign done_eop_o    = chosen.done_eop;

  // ------------------------------------------------------------------------------------------ stop
  logic expired, stalled;

  // Not in the cycle in which the stream moves again, or RS is set again.
  assign stalled = expired && stream_wait_i && !ctrl_i.run;

  sl_dma_timeout #(
      .Timeout(StopTimeout),
      .Hold   (1'b0)
  ) u_stop (
      .clk_i,
      .rst_ni,
      .wait_i   (stream_wait_i && !ctrl_i.run),
      .expired_o(expired)
  );

  // ------------------------------------------------------------------------------ direct registers
  if (IncludeDirect) begin : gen_direct
    sl_axi_dma_channel #(
        .AddrWidth(AddrWidth),
        .DataWidth(DataWidth),
        .LenWidth (LenWidth),
        .Unaligned(Unaligned),
        .ToMemory (ToMemory)
    ) u_front (
        .clk_i,
        .rst_ni,
        .quiesce_i,
        .run_i           (ctrl_i.run),
        .run_clr_o       (direct.status.run_clr),
        .halted_o        (direct.status.halted),
        .idle_o          (direct.status.idle),
        .int_err_o       (direct.status.int_err),
        .slv_err_o       (direct.status.slv_err),
        .dec_err_o       (direct.status.dec_err),
        .ioc_o           (direct.status.ioc),
        .err_o           (direct.status.err),
        .addr_i          (ctrl_i.addr[AddrWidth-1:0]),
        .length_written_i(ctrl_i.length_writing && !by_tail),
        .length_i        (ctrl_i.length),
        .length_open_o   (direct.status.length_open),
        .length_we_o     (direct.status.length_we),
        .length_next_o   (direct.status.length),
        .cmd_valid_o     (direct.cmd_valid),
        .cmd_ready_i,
        .cmd_addr_o      (direct.cmd_addr),
        .cmd_bytes_o     (direct.cmd_bytes),
        .sts_valid_i     (sts_valid_i && by_length),
        .sts_ready_o     (direct.sts_ready),
        .sts_bytes_i,
        .sts_eop_i,
        .sts_error_i,
        .mover_halt_o    (direct.halt),
        .mover_idle_i,
        .stalled_i       (stalled),
        .stream_beat_i,
        .stream_held_i,
        .stream_open_o   (direct.open)
    );

    // What only descriptors have.
    assign direct.status.dly             = ABSENT.dly;
    assign direct.status.sg_int_err      = ABSENT.sg_int_err;
    assign direct.status.sg_slv_err      = ABSENT.sg_slv_err;
    assign direct.status.sg_dec_err      = ABSENT.sg_dec_err;
    assign direct.status.threshold       = ABSENT.threshold;
    assign direct.status.threshold_count = ABSENT.threshold_count;
    assign direct.status.delay_count     = ABSENT.delay_count;
    assign direct.status.curdesc_open    = ABSENT.curdesc_open;
    assign direct.status.curdesc_we      = ABSENT.curdesc_we;
    assign direct.status.curdesc         = ABSENT.curdesc;

    assign direct.drain      = 1'b0;
    assign direct.cmd_eop    = 1'b1;
    assign direct.done       = sts_valid_i && direct.sts_ready && sts_error_i == OKAY &&
                               !direct.halt;
    assign direct.done_bytes = sts_bytes_i;
    assign direct.done_eop   = sts_eop_i;
  end else begin : gen_no_direct
    assign direct = '0;
  end

  // ----------------------------------------------------------------------------------- descriptors
  if (IncludeSg) begin : gen_sg
    sl_axi_dma_sg #(
        .AddrWidth(AddrWidth),
        .DataWidth(DataWidth),
        .LenWidth (LenWidth),
        .Unaligned(Unaligned),
        .ToMemory (ToMemory),
        .Depth    (Depth)
    ) u_front (
        .clk_i,
        .rst_ni,
        .quiesce_i,
        .idle_o,
        .ctrl_i       (sg_ctrl),
        .status_o     (sg.status),
        .cmd_valid_o  (sg.cmd_valid),
        .cmd_ready_i,
        .cmd_addr_o   (sg.cmd_addr),
        .cmd_bytes_o  (sg.cmd_bytes),
        .cmd_eop_o    (sg.cmd_eop),
        .sts_valid_i  (sts_valid_i && by_tail),
        .sts_ready_o  (sg.sts_ready),
        .sts_bytes_i,
        .sts_eop_i,
        .sts_error_i,
        .mover_halt_o (sg.halt),
        .draining_o   (sg.drain),
        .mover_idle_i (mover_idle_i || !by_tail),
        .stalled_i    (stalled),
        .stream_beat_i,
        .stream_last_i,
        .stream_held_i,
        .stream_open_o(sg.open),
        .done_o       (sg.done),
        .done_bytes_o (sg.done_bytes),
        .done_eop_o   (sg.done_eop),
        .sg_req_o,
        .sg_rsp_i
    );
  end else begin : gen_no_sg
    assign sg       = '0;
    assign idle_o   = 1'b1;
    assign sg_req_o = '0;
  end

  logic unused;
  assign unused = &{1'b0, sg_rsp_i, sg_ctrl, stream_last_i, stream_held_i, stalled, both, direct,
                    sg, chosen, by_tail, by_length};

endmodule
