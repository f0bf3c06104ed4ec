// SPDX-License-Identifier: Apache-2.0
// What designs with hardware threads have beside their memory interface (sl_streamif, sl_memif): the
// control port with its decoder and design page, and a lane for each thread (sl_hwt_lane).
//
// Control: s_axil_*, 20-bit address. Thread t at t << 15, as sl_hwt_lane has it; design page at
//   0x40000; the memory interface, m_axil_*, 8 KiB at 0x50000. Every other address, and the region
//   of a thread that was not built, answers DECERR.
// Threads: to_axis_*: what thread t gets of the memory interface, from_axis_*: what it sends, at
//   index t; thread_rst_ni[t] low: its lane is in reset.
// Interrupts: irq_i[2t], [2t + 1] and fault_irq_i, of the memory interface, to irq_o[2t], [2t + 1]
//   and irq_o[16]; irq_o[17 + t] mail of thread t; level.
// Handshake, latency, ordering, reset: headers of the parts.
// Parameters: NumThreads 1..8, DataWidth 64, refused otherwise; Identity and NumPorts are the
//   page's.
module sl_thread_lanes #(
  parameter int unsigned NumThreads = 8,
  parameter logic [31:0] Identity   = "SLXX",
  parameter int unsigned NumPorts   = 1,    // of memory
  parameter int unsigned DataWidth  = 64,   // of a port of memory
  parameter int unsigned FifoBeats  = 512   // loop-back FIFO of a lane, power of two
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [19:0] s_axil_awaddr,
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
  input  logic [19:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  // Memory interface
  output logic [12:0] m_axil_awaddr,
  output logic [ 2:0] m_axil_awprot,
  output logic        m_axil_awvalid,
  input  logic        m_axil_awready,
  output logic [31:0] m_axil_wdata,
  output logic [ 3:0] m_axil_wstrb,
  output logic        m_axil_wvalid,
  input  logic        m_axil_wready,
  input  logic [ 1:0] m_axil_bresp,
  input  logic        m_axil_bvalid,
  output logic        m_axil_bready,
  output logic [12:0] m_axil_araddr,
  output logic [ 2:0] m_axil_arprot,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [31:0] m_axil_rdata,
  input  logic [ 1:0] m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready,

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

  if (NumThreads < 1 || NumThreads > 8) begin : g_bad_num_threads
    $fatal(1, "%m: NumThreads must be 1..8, is %0d", NumThreads);
  end
  if (DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 64, is %0d", DataWidth);
  end

  localparam int unsigned Windows = NumThreads + 1;  // the threads, then the memory interface

  function automatic logic [Windows*20-1:0] bases();
    for (int unsigned t = 0; t < NumThreads; t++) bases[t*20+:20] = 20'(t << 15);
    bases[NumThreads*20+:20] = 20'h50000;
  endfunction

  logic [Windows*20-1:0] axil_awaddr;
  logic [Windows*3-1:0]  axil_awprot;
  logic [Windows-1:0]    axil_awvalid;
  logic [Windows-1:0]    axil_awready;
  logic [Windows*32-1:0] axil_wdata;
  logic [Windows*4-1:0]  axil_wstrb;
  logic [Windows-1:0]    axil_wvalid;
  logic [Windows-1:0]    axil_wready;
  logic [Windows*2-1:0]  axil_bresp;
  logic [Windows-1:0]    axil_bvalid;
  logic [Windows-1:0]    axil_bready;
  logic [Windows*20-1:0] axil_araddr;
  logic [Windows*3-1:0]  axil_arprot;
  logic [Windows-1:0]    axil_arvalid;
  logic [Windows-1:0]    axil_arready;
  logic [Windows*32-1:0] axil_rdata;
  logic [Windows*2-1:0]  axil_rresp;
  logic [Windows-1:0]    axil_rvalid;
  logic [Windows-1:0]    axil_rready;

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
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .m_axil_awaddr (axil_awaddr),
    .m_axil_awprot (axil_awprot),
    .m_axil_awvalid(axil_awvalid),
    .m_axil_awready(axil_awready),
    .m_axil_wdata  (axil_wdata),
    .m_axil_wstrb  (axil_wstrb),
    .m_axil_wvalid (axil_wvalid),
    .m_axil_wready (axil_wready),
    .m_axil_bresp  (axil_bresp),
    .m_axil_bvalid (axil_bvalid),
    .m_axil_bready (axil_bready),
    .m_axil_araddr (axil_araddr),
    .m_axil_arprot (axil_arprot),
    .m_axil_arvalid(axil_arvalid),
    .m_axil_arready(axil_arready),
    .m_axil_rdata  (axil_rdata),
    .m_axil_rresp  (axil_rresp),
    .m_axil_rvalid (axil_rvalid),
    .m_axil_rready (axil_rready),
    .faults_i      ('0)  // no engine here cuts off its port
  );

  logic [NumThreads-1:0] mail_irq;

  assign irq_o = {7'd0, 8'(mail_irq), fault_irq_i, 16'(irq_i)};

  for (genvar t = 0; t < NumThreads; t++) begin : g_thread
    sl_hwt_lane #(
      .FifoBeats(FifoBeats)
    ) u_lane (
      .clk_i,
      .rst_ni,
      .thread_rst_ni (thread_rst_ni[t]),
      .s_axil_awaddr (axil_awaddr[t*20+:15]),
      .s_axil_awprot (axil_awprot[t*3+:3]),
      .s_axil_awvalid(axil_awvalid[t]),
      .s_axil_awready(axil_awready[t]),
      .s_axil_wdata  (axil_wdata[t*32+:32]),
      .s_axil_wstrb  (axil_wstrb[t*4+:4]),
      .s_axil_wvalid (axil_wvalid[t]),
      .s_axil_wready (axil_wready[t]),
      .s_axil_bresp  (axil_bresp[t*2+:2]),
      .s_axil_bvalid (axil_bvalid[t]),
      .s_axil_bready (axil_bready[t]),
      .s_axil_araddr (axil_araddr[t*20+:15]),
      .s_axil_arprot (axil_arprot[t*3+:3]),
      .s_axil_arvalid(axil_arvalid[t]),
      .s_axil_arready(axil_arready[t]),
      .s_axil_rdata  (axil_rdata[t*32+:32]),
      .s_axil_rresp  (axil_rresp[t*2+:2]),
      .s_axil_rvalid (axil_rvalid[t]),
      .s_axil_rready (axil_rready[t]),
      .irq_o         (mail_irq[t]),
      .s_axis_tdata  (to_axis_tdata[t]),
      .s_axis_tkeep  (to_axis_tkeep[t]),
      .s_axis_tlast  (to_axis_tlast[t]),
      .s_axis_tvalid (to_axis_tvalid[t]),
      .s_axis_tready (to_axis_tready[t]),
      .m_axis_tdata  (from_axis_tdata[t]),
      .m_axis_tkeep  (from_axis_tkeep[t]),
      .m_axis_tlast  (from_axis_tlast[t]),
      .m_axis_tvalid (from_axis_tvalid[t]),
      .m_axis_tready (from_axis_tready[t])
    );

    // The lane decodes its own part.
    logic unused_addr;
    assign unused_addr = ^{axil_awaddr[t*20+15+:5], axil_araddr[t*20+15+:5]};
  end

  assign m_axil_awaddr  = axil_awaddr[NumThreads*20+:13];
  assign m_axil_awprot  = axil_awprot[NumThreads*3+:3];
  assign m_axil_awvalid = axil_awvalid[NumThreads];
  assign m_axil_wdata   = axil_wdata[NumThreads*32+:32];
  assign m_axil_wstrb   = axil_wstrb[NumThreads*4+:4];
  assign m_axil_wvalid  = axil_wvalid[NumThreads];
  assign m_axil_bready  = axil_bready[NumThreads];
  assign m_axil_araddr  = axil_araddr[NumThreads*20+:13];
  assign m_axil_arprot  = axil_arprot[NumThreads*3+:3];
  assign m_axil_arvalid = axil_arvalid[NumThreads];
  assign m_axil_rready  = axil_rready[NumThreads];
  assign axil_awready[NumThreads] = m_axil_awready;
  assign axil_wready[NumThreads] = m_axil_wready;
  assign axil_bresp[NumThreads*2+:2] = m_axil_bresp;
  assign axil_bvalid[NumThreads] = m_axil_bvalid;
  assign axil_arready[NumThreads] = m_axil_arready;
  assign axil_rdata[NumThreads*32+:32] = m_axil_rdata;
  assign axil_rresp[NumThreads*2+:2] = m_axil_rresp;
  assign axil_rvalid[NumThreads] = m_axil_rvalid;

  logic unused_window;  // the memory interface decodes its own part
  assign unused_window = ^{axil_awaddr[NumThreads*20+13+:7], axil_araddr[NumThreads*20+13+:7]};
endmodule
