// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt: a hardware thread of the examples: a kernel that takes its jobs from a mailbox and posts
// their results to another, as the threads of ReconOS do.
//
// Job         two words of mail, A then B; with the second the kernel that KERNEL names starts.
//             When its last word has left it, the result is posted, and the next job's mail is
//             taken. regs/sl_hwt.rdl says what A, B and the result are.
// Kernels     1 sl_hwt_copy, 2 _count, 3 _xor, 4 _reduce, 5 _sobel (rows of 2 to MaxWords words);
//             0: none, and mail waits. Parameters out of range end the job at once, with result 0.
// Mailboxes   of Depth words. PUT: a word is there from the cycle after its write on. GET:
//             answered, and the word gone, in the cycle after the read.
// active_o    the streams are the kernel's, not those of what else the thread has.
// Handshake   valid/ready; TVALID, m_axis_tready's effect and s_axis_tready of a kernel that waits
//             cross a register (sl_skid) at the output, so threads may be routed in a ring.
// Latency     2 cycles from B to the kernel's start, 1 from its end to the result; then a job's
//             cycles are its kernel's. Throughput: a word a cycle.
// irq_o       level, as regs/sl_hwt.rdl says.
// Reset       rst_ni synchronous, active low; thread_rst_ni too, but KERNEL, IRQ_ENABLE and bus
//             stay.
// Parameters  Depth a power of two 4..64; MaxWords as sl_hwt_sobel; refused otherwise
// Follows     regs/sl_hwt.rdl; docs/reference/sl_streamif.md

`include "sl_axi.svh"

module sl_hwt #(
    parameter int unsigned Depth    = 16,
    parameter int unsigned MaxWords = 512
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        thread_rst_ni,

    input  logic [11:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [ 1:0] s_axil_bresp,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    input  logic [11:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    output logic        irq_o,
    output logic        active_o,

    input  logic [31:0] s_axis_tdata,
    input  logic [ 3:0] s_axis_tkeep,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,

    output logic [31:0] m_axis_tdata,
    output logic [ 3:0] m_axis_tkeep,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);

  if (Depth < 4 || Depth > 64 || 2 ** $clog2(Depth) != Depth) begin : gen_bad_depth
    $fatal(1, "%m: Depth must be a power of two in 4..64, is %0d", Depth);
  end

  localparam int unsigned CountBits  = $clog2(Depth) + 1;
  localparam int unsigned ColBits    = $clog2(MaxWords);
  localparam int unsigned NumKernels = 6;  // with 0, none

  typedef enum logic [2:0] {
    NONE,
    COPY,
    COUNT,
    XOR,
    REDUCE,
    SOBEL
  } kernel_e;

  typedef enum logic [2:0] {
    WAIT_A,
    WAIT_B,
    START,
    RUN,
    POST
  } state_e;

  state_e state_q;
  logic   run_rst_n;

  sl_hwt_regs_pkg::sl_hwt__in_t  hwif_in;
  sl_hwt_regs_pkg::sl_hwt__out_t hwif_out;

  assign run_rst_n = rst_ni && thread_rst_ni;

  sl_hwt_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_, 12),
      .hwif_in,
      .hwif_out
  );

  // --------------------------------------------------------------------------------------
  // mailboxes
  logic [31:0]          mail, got_q, result_q;
  logic [CountBits-1:0] put_count, get_count;
  logic [31:0]          get_word;
  logic                 put_q, put_ready, mail_valid, mail_take;
  logic                 post_ready, get, get_valid, got_ack_q, missed_q;

  sl_fifo #(
      .Width(32),
      .Depth(Depth)
  ) u_put (
      .clk_i,
      .rst_ni     (run_rst_n),
      .clear_i    (1'b0),
      .in_valid_i (put_q),
      .in_ready_o (put_ready),
      .in_data_i  (hwif_out.PUT.VALUE.value),
      .out_valid_o(mail_valid),
      .out_ready_i(mail_take),
      .out_data_o (mail),
      .count_o    (put_count)
  );

  sl_fifo #(
      .Width(32),
      .Depth(Depth)
  ) u_get (
      .clk_i,
      .rst_ni     (run_rst_n),
      .clear_i    (1'b0),
      .in_valid_i (state_q == POST),
      .in_ready_o (post_ready),
      .in_data_i  (result_q),
      .out_valid_o(get_valid),
      .out_ready_i(get),
      .out_data_o (get_word),
      .count_o    (get_count)
  );

  assign get = hwif_out.GET.req && !hwif_out.GET.req_is_wr;

  always_ff @(posedge clk_i) begin
    put_q     <= rst_ni && hwif_out.PUT.VALUE.swmod;
    got_ack_q <= rst_ni && get;
    got_q     <= get_valid ? get_word : '0;
    if (get) missed_q <= !get_valid;
    if (!run_rst_n) missed_q <= 1'b0;
  end

  // -------------------------------------------------------------------------------------------
  // jobs
  logic [2:0]  kernel_q;
  logic [3:0]  kernel;
  logic [31:0] a_q, b_q;
  logic [15:0] jobs_q;
  logic        refused_q, good, start;

  logic [NumKernels-1:0]       starts, busies, s_valid, s_ready, m_valid, m_last, m_ready;
  logic [NumKernels-1:0][31:0] m_data;
  logic [NumKernels-1:0][3:0]  m_keep;
  logic [31:0]                 xor_result, out_data;
  logic [3:0]                  out_keep;
  logic                        out_valid, out_ready, busy, running;

  assign kernel    = hwif_out.KERNEL.KERNEL.value;
  assign mail_take = mail_valid && kernel != 4'(NONE) && (state_q == WAIT_A || state_q == WAIT_B);
  assign start     = state_q == START && good;

  always_comb begin
    unique case (kernel_q)
      COPY, COUNT, XOR: good = a_q != '0;
      REDUCE:           good = a_q != '0 && a_q[31:16] == '0 && b_q != '0;
      SOBEL: begin
        good = a_q >= 32'd2 && a_q <= 32'(MaxWords) && b_q != '0 && b_q[31:16] == '0;
      end
      default:          good = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      WAIT_A: begin
        a_q <= mail;
        if (mail_take) state_q <= WAIT_B;
      end
      WAIT_B: begin
        b_q      <= mail;
        kernel_q <= kernel < 4'(NumKernels) ? kernel[2:0] : 3'(NONE);
        if (mail_take) state_q <= START;
      end
      START: begin
        refused_q <= !good;
        result_q  <= '0;
        state_q   <= good ? RUN : POST;
      end
      RUN: begin
        for (int unsigned n = 0; n < 4; n++) begin
          if (out_valid && out_ready && out_keep[n]) begin
            result_q[8*n+:8] <= result_q[8*n+:8] ^ out_data[8*n+:8];
          end
        end
        if (!busy) begin
          state_q <= POST;
          if (kernel_q == XOR) result_q <= xor_result;
        end
      end
      default: begin
        if (post_ready) begin
          state_q <= WAIT_A;
          jobs_q  <= jobs_q + 1'b1;
        end
      end
    endcase
    if (!run_rst_n) begin
      state_q   <= WAIT_A;
      refused_q <= 1'b0;
      jobs_q    <= '0;
      result_q  <= '0;
    end
  end

  assign active_o = kernel != 4'(NONE) || state_q == START || state_q == RUN;

  // ----------------------------------------------------------------------------------------
  // streams
  assign running       = state_q == RUN;
  assign busy          = busies[kernel_q];
  assign s_axis_tready = running && s_ready[kernel_q];
  assign out_valid     = running && m_valid[kernel_q];
  assign out_data      = m_data[kernel_q];
  assign out_keep      = m_keep[kernel_q];

  for (genvar k = 0; k < NumKernels; k++) begin : gen_kernel
    assign starts[k]  = start && kernel_q == 3'(k);
    assign s_valid[k] = running && s_axis_tvalid && kernel_q == 3'(k);
    assign m_ready[k] = running && out_ready && kernel_q == 3'(k);
  end

  // READY of the next thread must not reach this one's combinationally: routes may make a ring.
  sl_skid #(
      .Width(37)
  ) u_skid (
      .clk_i,
      .rst_ni     (run_rst_n),
      .clear_i    (1'b0),
      .in_valid_i (out_valid),
      .in_ready_o (out_ready),
      .in_data_i  ({m_last[kernel_q], out_keep, out_data}),
      .out_valid_o(m_axis_tvalid),
      .out_ready_i(m_axis_tready),
      .out_data_o ({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  assign busies[NONE]  = 1'b0;
  assign s_ready[NONE] = 1'b0;
  assign m_valid[NONE] = 1'b0;
  assign m_last[NONE]  = 1'b0;
  assign m_data[NONE]  = '0;
  assign m_keep[NONE]  = '0;

  sl_hwt_copy u_copy (
      .clk_i,
      .rst_ni       (run_rst_n),
      .start_i      (starts[COPY]),
      .words_i      (a_q),
      .busy_o       (busies[COPY]),
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tvalid(s_valid[COPY]),
      .s_axis_tready(s_ready[COPY]),
      .m_axis_tdata (m_data[COPY]),
      .m_axis_tkeep (m_keep[COPY]),
      .m_axis_tlast (m_last[COPY]),
      .m_axis_tvalid(m_valid[COPY]),
      .m_axis_tready(m_ready[COPY])
  );

  sl_hwt_count u_count (
      .clk_i,
      .rst_ni       (run_rst_n),
      .start_i      (starts[COUNT]),
      .first_i      (b_q),
      .words_i      (a_q),
      .busy_o       (busies[COUNT]),
      .m_axis_tdata (m_data[COUNT]),
      .m_axis_tlast (m_last[COUNT]),
      .m_axis_tvalid(m_valid[COUNT]),
      .m_axis_tready(m_ready[COUNT])
  );
  assign s_ready[COUNT] = 1'b0;
  assign m_keep[COUNT]  = '1;

  sl_hwt_xor u_xor (
      .clk_i,
      .rst_ni       (run_rst_n),
      .start_i      (starts[XOR]),
      .words_i      (a_q),
      .busy_o       (busies[XOR]),
      .result_o     (xor_result),
      .s_axis_tdata,
      .s_axis_tvalid(s_valid[XOR]),
      .s_axis_tready(s_ready[XOR])
  );
  assign m_valid[XOR] = 1'b0;
  assign m_last[XOR]  = 1'b0;
  assign m_data[XOR]  = '0;
  assign m_keep[XOR]  = '0;

  sl_hwt_reduce u_reduce (
      .clk_i,
      .rst_ni       (run_rst_n),
      .start_i      (starts[REDUCE]),
      .words_i      (a_q[15:0]),
      .groups_i     (b_q),
      .busy_o       (busies[REDUCE]),
      .s_axis_tdata,
      .s_axis_tlast,
      .s_axis_tvalid(s_valid[REDUCE]),
      .s_axis_tready(s_ready[REDUCE]),
      .m_axis_tdata (m_data[REDUCE]),
      .m_axis_tlast (m_last[REDUCE]),
      .m_axis_tvalid(m_valid[REDUCE]),
      .m_axis_tready(m_ready[REDUCE])
  );
  assign m_keep[REDUCE] = '1;

  sl_hwt_sobel #(
      .MaxWords(MaxWords)
  ) u_sobel (
      .clk_i,
      .rst_ni       (run_rst_n),
      .start_i      (starts[SOBEL]),
      .words_i      (a_q[ColBits:0]),
      .rows_i       (b_q[15:0]),
      .busy_o       (busies[SOBEL]),
      .s_axis_tdata,
      .s_axis_tvalid(s_valid[SOBEL]),
      .s_axis_tready(s_ready[SOBEL]),
      .m_axis_tdata (m_data[SOBEL]),
      .m_axis_tlast (m_last[SOBEL]),
      .m_axis_tvalid(m_valid[SOBEL]),
      .m_axis_tready(m_ready[SOBEL])
  );
  assign m_keep[SOBEL] = '1;

  logic unused;
  assign unused = &{1'b0, starts, s_valid, m_ready};

  // --------------------------------------------------------------------------------------
  // registers
  logic [1:0] shown;
  logic       mail_waits, put_empty;

  always_comb begin
    unique case (state_q)
      WAIT_A:     shown = 2'd0;
      WAIT_B:     shown = 2'd1;
      START, RUN: shown = 2'd2;
      default:    shown = 2'd3;
    endcase
  end

  assign mail_waits = get_valid;
  assign put_empty  = thread_rst_ni && !mail_valid && !put_q;
  assign irq_o      = (mail_waits && hwif_out.IRQ_ENABLE.MAIL.value) ||
                      (put_empty && hwif_out.IRQ_ENABLE.EMPTY.value);

  assign hwif_in.STATE.STATE.next       = shown;
  assign hwif_in.STATE.HALTED.next      = !thread_rst_ni;
  assign hwif_in.STATE.REFUSED.next     = refused_q;
  assign hwif_in.STATE.JOBS.next        = jobs_q;
  assign hwif_in.RESULT.VALUE.next      = result_q;
  assign hwif_in.PUT_STATE.FREE.next    = thread_rst_ni ? 8'(Depth) - 8'(put_count) : '0;
  assign hwif_in.PUT_STATE.LOST.hwset   = put_q && !(put_ready && thread_rst_ni);
  assign hwif_in.GET.rd_ack             = got_ack_q;
  assign hwif_in.GET.rd_data.VALUE      = got_q;
  assign hwif_in.GET_STATE.FILL.next    = 8'(get_count);
  assign hwif_in.GET_STATE.MISSED.next  = missed_q;
  assign hwif_in.IRQ_PENDING.MAIL.next  = mail_waits;
  assign hwif_in.IRQ_PENDING.EMPTY.next = put_empty;

endmodule
