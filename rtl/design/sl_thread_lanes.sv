// SPDX-License-Identifier: Apache-2.0
// What designs with hardware threads have beside their memory interface (sl_streamif, sl_memif):
// the control port with its decoder and design page, and a lane for each thread (sl_hwt_lane).
//
// Control: s_axil, 20-bit address. Thread t at t << 15, as sl_hwt_lane has it; design page at
//   0x40000; the memory interface, m_axil, 8 KiB at 0x50000. Every other address, and the region
//   of a thread that was not built, answers DECERR.
// Threads: to_axis_*: what thread t gets of the memory interface, from_axis_*: what it sends, at
//   index t; thread_rst_ni[t] low: its lane is in reset.
// Interrupts: irq_i[2t], [2t + 1] and fault_irq_i, of the memory interface, to irq_o[2t], [2t + 1]
//   and irq_o[16]; irq_o[17 + t] mail of thread t; level.
// Handshake, latency, ordering, reset: headers of the parts.
// Parameters: NumThreads 1..8, DataWidth 64, refused otherwise; Identity and NumPorts are the
//   page's.

`include "sl_axi.svh"

module sl_thread_lanes #(
    parameter int unsigned NumThreads = 8,
    parameter logic [31:0] Identity   = "SLXX",
    parameter int unsigned NumPorts   = 1,    // of memory
    parameter int unsigned DataWidth  = 64,   // of a port of memory
    parameter int unsigned FifoBeats  = 512   // loop-back FIFO of a lane, power of two
) (
    input  logic clk_i,
    input  logic rst_ni,

    sl_axil_if.slv s_axil,

    // Memory interface
    sl_axil_if.mst m_axil,

    input  logic [2*NumThreads-1:0]     irq_i,
    input  logic                        fault_irq_i,
    output logic [31:0]                 irq_o,

    // Threads
    input  logic [NumThreads-1:0]       thread_rst_ni,
    input  logic [NumThreads-1:0][31:0] to_axis_tdata,
    input  logic [NumThreads-1:0][3:0]  to_axis_tkeep,
    input  logic [NumThreads-1:0]       to_axis_tlast,
    input  logic [NumThreads-1:0]       to_axis_tvalid,
    output logic [NumThreads-1:0]       to_axis_tready,
    output logic [NumThreads-1:0][31:0] from_axis_tdata,
    output logic [NumThreads-1:0][3:0]  from_axis_tkeep,
    output logic [NumThreads-1:0]       from_axis_tlast,
    output logic [NumThreads-1:0]       from_axis_tvalid,
    input  logic [NumThreads-1:0]       from_axis_tready
);

  if (NumThreads < 1 || NumThreads > 8) begin : gen_bad_num_threads
    $fatal(1, "%m: NumThreads must be 1..8, is %0d", NumThreads);
  end
  if (DataWidth != 64) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 64, is %0d", DataWidth);
  end

  localparam int unsigned Windows = NumThreads + 1;  // the threads, then the memory interface

  function automatic logic [Windows*20-1:0] bases();
    for (int unsigned t = 0; t < NumThreads; t++) bases[t*20+:20] = 20'(t << 15);
    bases[NumThreads*20+:20] = 20'h50000;
  endfunction

  sl_axil_if #(.AddrWidth(20)) window [Windows] ();

  sl_design_control #(
      .Windows  (Windows),
      .Base     (bases()),
      .Mask     ({20'hfe000, {NumThreads{20'hf8000}}}),
      .Identity (Identity),
      .NumPorts (NumPorts),
      .DataWidth(DataWidth),
      .LenWidth (26),
      .Unaligned(1'b0)
  ) u_control (
      .clk_i,
      .rst_ni,
      .s_axil,
      .m_axil  (window),
      .faults_i('0)  // no engine here cuts off its port
  );

  `SL_AXIL_LINK(m_axil., window[NumThreads].)

  logic [NumThreads-1:0] mail_irq;

  assign irq_o = {7'd0, 8'(mail_irq), fault_irq_i, 16'(irq_i)};

  for (genvar t = 0; t < NumThreads; t++) begin : gen_thread
    sl_axis_if #(.DataWidth(32)) to_thread (), from_thread ();

    assign to_thread.tdata     = to_axis_tdata[t];
    assign to_thread.tkeep     = to_axis_tkeep[t];
    assign to_thread.tlast     = to_axis_tlast[t];
    assign to_thread.tvalid    = to_axis_tvalid[t];
    assign to_axis_tready[t]   = to_thread.tready;
    assign from_axis_tdata[t]  = from_thread.tdata;
    assign from_axis_tkeep[t]  = from_thread.tkeep;
    assign from_axis_tlast[t]  = from_thread.tlast;
    assign from_axis_tvalid[t] = from_thread.tvalid;
    assign from_thread.tready  = from_axis_tready[t];

    sl_hwt_lane #(
        .FifoBeats(FifoBeats)
    ) u_lane (
        .clk_i,
        .rst_ni,
        .thread_rst_ni(thread_rst_ni[t]),
        .s_axil       (window[t]),
        .irq_o        (mail_irq[t]),
        .s_axis       (to_thread),
        .m_axis       (from_thread)
    );
  end
endmodule
