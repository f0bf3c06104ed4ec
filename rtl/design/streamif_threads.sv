// SPDX-License-Identifier: Apache-2.0
// Design streamif_threads: up to eight hardware threads on sl_streamif and the four HP ports of a
// Zynq-7000, under control of one GP port. Each thread has a lane of 32 bits (stream source,
// checking sink, loop-back FIFO: it writes, reads or copies) and, in its place as KERNEL says, a
// kernel with mailboxes (copy, count, xor, reduce, sobel).
//
// Control: AXI4-Lite, 20-bit address. Thread t at t << 15: source at 0x1000, sink at 0x2000, lane
//   control at 0x3000 (sl_lane_streams), kernel and mailboxes at 0x4000 (sl_hwt); design page at
//   0x40000; sl_streamif at 0x50000. Every other address, and the region of a thread that was not
//   built, answers DECERR.
// Interrupts: irq_o[2t] and irq_o[2t + 1] read and write channel of thread t, irq_o[16] a refused
//   command, irq_o[17 + t] mail of thread t; level.
// Memory: AXI3, bursts of at most 16 beats, 64 bits; PortMap as sl_streamif has it by default.
// Throughput: a word a cycle each way and thread, as far as the ports go.
// Reset: `rst_ni`, everything; a halted thread empties its FIFO.
// Parameters out of range stop elaboration.
module streamif_threads #(
  parameter int unsigned NumThreads  = 8,     // 1..8
  parameter int unsigned NumPorts    = 4,     // 1..4
  parameter int unsigned DataWidth   = 64,    // of a port: 64
  parameter int unsigned BufferBeats = 512,   // per direction and thread, power of two
  parameter int unsigned FifoBeats   = 512,   // loop-back FIFO, power of two
  localparam int unsigned IdWidth    = 6
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Control
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

  output logic [31:0] irq_o,

  // HP0
  output logic [    IdWidth-1:0] m_axi_hp0_arid,
  output logic [           31:0] m_axi_hp0_araddr,
  output logic [            3:0] m_axi_hp0_arlen,
  output logic [            2:0] m_axi_hp0_arsize,
  output logic [            1:0] m_axi_hp0_arburst,
  output logic [            1:0] m_axi_hp0_arlock,
  output logic [            3:0] m_axi_hp0_arcache,
  output logic [            2:0] m_axi_hp0_arprot,
  output logic                   m_axi_hp0_arvalid,
  input  logic                   m_axi_hp0_arready,
  input  logic [    IdWidth-1:0] m_axi_hp0_rid,
  input  logic [           63:0] m_axi_hp0_rdata,
  input  logic [            1:0] m_axi_hp0_rresp,
  input  logic                   m_axi_hp0_rlast,
  input  logic                   m_axi_hp0_rvalid,
  output logic                   m_axi_hp0_rready,
  output logic [    IdWidth-1:0] m_axi_hp0_awid,
  output logic [           31:0] m_axi_hp0_awaddr,
  output logic [            3:0] m_axi_hp0_awlen,
  output logic [            2:0] m_axi_hp0_awsize,
  output logic [            1:0] m_axi_hp0_awburst,
  output logic [            1:0] m_axi_hp0_awlock,
  output logic [            3:0] m_axi_hp0_awcache,
  output logic [            2:0] m_axi_hp0_awprot,
  output logic                   m_axi_hp0_awvalid,
  input  logic                   m_axi_hp0_awready,
  output logic [    IdWidth-1:0] m_axi_hp0_wid,
  output logic [           63:0] m_axi_hp0_wdata,
  output logic [            7:0] m_axi_hp0_wstrb,
  output logic                   m_axi_hp0_wlast,
  output logic                   m_axi_hp0_wvalid,
  input  logic                   m_axi_hp0_wready,
  input  logic [    IdWidth-1:0] m_axi_hp0_bid,
  input  logic [            1:0] m_axi_hp0_bresp,
  input  logic                   m_axi_hp0_bvalid,
  output logic                   m_axi_hp0_bready,

  // HP1
  output logic [    IdWidth-1:0] m_axi_hp1_arid,
  output logic [           31:0] m_axi_hp1_araddr,
  output logic [            3:0] m_axi_hp1_arlen,
  output logic [            2:0] m_axi_hp1_arsize,
  output logic [            1:0] m_axi_hp1_arburst,
  output logic [            1:0] m_axi_hp1_arlock,
  output logic [            3:0] m_axi_hp1_arcache,
  output logic [            2:0] m_axi_hp1_arprot,
  output logic                   m_axi_hp1_arvalid,
  input  logic                   m_axi_hp1_arready,
  input  logic [    IdWidth-1:0] m_axi_hp1_rid,
  input  logic [           63:0] m_axi_hp1_rdata,
  input  logic [            1:0] m_axi_hp1_rresp,
  input  logic                   m_axi_hp1_rlast,
  input  logic                   m_axi_hp1_rvalid,
  output logic                   m_axi_hp1_rready,
  output logic [    IdWidth-1:0] m_axi_hp1_awid,
  output logic [           31:0] m_axi_hp1_awaddr,
  output logic [            3:0] m_axi_hp1_awlen,
  output logic [            2:0] m_axi_hp1_awsize,
  output logic [            1:0] m_axi_hp1_awburst,
  output logic [            1:0] m_axi_hp1_awlock,
  output logic [            3:0] m_axi_hp1_awcache,
  output logic [            2:0] m_axi_hp1_awprot,
  output logic                   m_axi_hp1_awvalid,
  input  logic                   m_axi_hp1_awready,
  output logic [    IdWidth-1:0] m_axi_hp1_wid,
  output logic [           63:0] m_axi_hp1_wdata,
  output logic [            7:0] m_axi_hp1_wstrb,
  output logic                   m_axi_hp1_wlast,
  output logic                   m_axi_hp1_wvalid,
  input  logic                   m_axi_hp1_wready,
  input  logic [    IdWidth-1:0] m_axi_hp1_bid,
  input  logic [            1:0] m_axi_hp1_bresp,
  input  logic                   m_axi_hp1_bvalid,
  output logic                   m_axi_hp1_bready,

  // HP2
  output logic [    IdWidth-1:0] m_axi_hp2_arid,
  output logic [           31:0] m_axi_hp2_araddr,
  output logic [            3:0] m_axi_hp2_arlen,
  output logic [            2:0] m_axi_hp2_arsize,
  output logic [            1:0] m_axi_hp2_arburst,
  output logic [            1:0] m_axi_hp2_arlock,
  output logic [            3:0] m_axi_hp2_arcache,
  output logic [            2:0] m_axi_hp2_arprot,
  output logic                   m_axi_hp2_arvalid,
  input  logic                   m_axi_hp2_arready,
  input  logic [    IdWidth-1:0] m_axi_hp2_rid,
  input  logic [           63:0] m_axi_hp2_rdata,
  input  logic [            1:0] m_axi_hp2_rresp,
  input  logic                   m_axi_hp2_rlast,
  input  logic                   m_axi_hp2_rvalid,
  output logic                   m_axi_hp2_rready,
  output logic [    IdWidth-1:0] m_axi_hp2_awid,
  output logic [           31:0] m_axi_hp2_awaddr,
  output logic [            3:0] m_axi_hp2_awlen,
  output logic [            2:0] m_axi_hp2_awsize,
  output logic [            1:0] m_axi_hp2_awburst,
  output logic [            1:0] m_axi_hp2_awlock,
  output logic [            3:0] m_axi_hp2_awcache,
  output logic [            2:0] m_axi_hp2_awprot,
  output logic                   m_axi_hp2_awvalid,
  input  logic                   m_axi_hp2_awready,
  output logic [    IdWidth-1:0] m_axi_hp2_wid,
  output logic [           63:0] m_axi_hp2_wdata,
  output logic [            7:0] m_axi_hp2_wstrb,
  output logic                   m_axi_hp2_wlast,
  output logic                   m_axi_hp2_wvalid,
  input  logic                   m_axi_hp2_wready,
  input  logic [    IdWidth-1:0] m_axi_hp2_bid,
  input  logic [            1:0] m_axi_hp2_bresp,
  input  logic                   m_axi_hp2_bvalid,
  output logic                   m_axi_hp2_bready,

  // HP3
  output logic [    IdWidth-1:0] m_axi_hp3_arid,
  output logic [           31:0] m_axi_hp3_araddr,
  output logic [            3:0] m_axi_hp3_arlen,
  output logic [            2:0] m_axi_hp3_arsize,
  output logic [            1:0] m_axi_hp3_arburst,
  output logic [            1:0] m_axi_hp3_arlock,
  output logic [            3:0] m_axi_hp3_arcache,
  output logic [            2:0] m_axi_hp3_arprot,
  output logic                   m_axi_hp3_arvalid,
  input  logic                   m_axi_hp3_arready,
  input  logic [    IdWidth-1:0] m_axi_hp3_rid,
  input  logic [           63:0] m_axi_hp3_rdata,
  input  logic [            1:0] m_axi_hp3_rresp,
  input  logic                   m_axi_hp3_rlast,
  input  logic                   m_axi_hp3_rvalid,
  output logic                   m_axi_hp3_rready,
  output logic [    IdWidth-1:0] m_axi_hp3_awid,
  output logic [           31:0] m_axi_hp3_awaddr,
  output logic [            3:0] m_axi_hp3_awlen,
  output logic [            2:0] m_axi_hp3_awsize,
  output logic [            1:0] m_axi_hp3_awburst,
  output logic [            1:0] m_axi_hp3_awlock,
  output logic [            3:0] m_axi_hp3_awcache,
  output logic [            2:0] m_axi_hp3_awprot,
  output logic                   m_axi_hp3_awvalid,
  input  logic                   m_axi_hp3_awready,
  output logic [    IdWidth-1:0] m_axi_hp3_wid,
  output logic [           63:0] m_axi_hp3_wdata,
  output logic [            7:0] m_axi_hp3_wstrb,
  output logic                   m_axi_hp3_wlast,
  output logic                   m_axi_hp3_wvalid,
  input  logic                   m_axi_hp3_wready,
  input  logic [    IdWidth-1:0] m_axi_hp3_bid,
  input  logic [            1:0] m_axi_hp3_bresp,
  input  logic                   m_axi_hp3_bvalid,
  output logic                   m_axi_hp3_bready
);

  logic [12:0] axil_awaddr;
  logic [ 2:0] axil_awprot;
  logic        axil_awvalid;
  logic        axil_awready;
  logic [31:0] axil_wdata;
  logic [ 3:0] axil_wstrb;
  logic        axil_wvalid;
  logic        axil_wready;
  logic [ 1:0] axil_bresp;
  logic        axil_bvalid;
  logic        axil_bready;
  logic [12:0] axil_araddr;
  logic [ 2:0] axil_arprot;
  logic        axil_arvalid;
  logic        axil_arready;
  logic [31:0] axil_rdata;
  logic [ 1:0] axil_rresp;
  logic        axil_rvalid;
  logic        axil_rready;
  logic [2*NumThreads-1:0]     irq;
  logic                        fault_irq;
  logic [NumThreads-1:0]       thread_rst_n, to_tlast, to_tvalid, to_tready;
  logic [NumThreads-1:0]       from_tlast, from_tvalid, from_tready;
  logic [NumThreads-1:0][31:0] to_tdata, from_tdata;
  logic [NumThreads-1:0][3:0]  to_tkeep, from_tkeep;

  sl_thread_lanes #(
    .NumThreads(NumThreads),
    .Identity  ("SLST"),
    .NumPorts  (NumPorts),
    .DataWidth (DataWidth),
    .FifoBeats (FifoBeats)
  ) u_threads (
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
    .m_axil_awaddr   (axil_awaddr),
    .m_axil_awprot   (axil_awprot),
    .m_axil_awvalid  (axil_awvalid),
    .m_axil_awready  (axil_awready),
    .m_axil_wdata    (axil_wdata),
    .m_axil_wstrb    (axil_wstrb),
    .m_axil_wvalid   (axil_wvalid),
    .m_axil_wready   (axil_wready),
    .m_axil_bresp    (axil_bresp),
    .m_axil_bvalid   (axil_bvalid),
    .m_axil_bready   (axil_bready),
    .m_axil_araddr   (axil_araddr),
    .m_axil_arprot   (axil_arprot),
    .m_axil_arvalid  (axil_arvalid),
    .m_axil_arready  (axil_arready),
    .m_axil_rdata    (axil_rdata),
    .m_axil_rresp    (axil_rresp),
    .m_axil_rvalid   (axil_rvalid),
    .m_axil_rready   (axil_rready),
    .irq_i           (irq),
    .fault_irq_i     (fault_irq),
    .irq_o,
    .thread_rst_ni   (thread_rst_n),
    .to_axis_tdata   (to_tdata),
    .to_axis_tkeep   (to_tkeep),
    .to_axis_tlast   (to_tlast),
    .to_axis_tvalid  (to_tvalid),
    .to_axis_tready  (to_tready),
    .from_axis_tdata (from_tdata),
    .from_axis_tkeep (from_tkeep),
    .from_axis_tlast (from_tlast),
    .from_axis_tvalid(from_tvalid),
    .from_axis_tready(from_tready)
  );

  // ---------------------------------------------------------------------------------------------
  // Memory interface
  // ---------------------------------------------------------------------------------------------
  logic [NumPorts-1:0][3:0]  axi_arid;
  logic [NumPorts-1:0][31:0] axi_araddr;
  logic [NumPorts-1:0][7:0]  axi_arlen;
  logic [NumPorts-1:0][2:0]  axi_arsize;
  logic [NumPorts-1:0][1:0]  axi_arburst;
  logic [NumPorts-1:0]       axi_arlock;
  logic [NumPorts-1:0][3:0]  axi_arcache;
  logic [NumPorts-1:0][2:0]  axi_arprot;
  logic [NumPorts-1:0]       axi_arvalid;
  logic [NumPorts-1:0]       axi_arready;
  logic [NumPorts-1:0][3:0]  axi_rid;
  logic [NumPorts-1:0][63:0] axi_rdata;
  logic [NumPorts-1:0][1:0]  axi_rresp;
  logic [NumPorts-1:0]       axi_rlast;
  logic [NumPorts-1:0]       axi_rvalid;
  logic [NumPorts-1:0]       axi_rready;
  logic [NumPorts-1:0][3:0]  axi_awid;
  logic [NumPorts-1:0][31:0] axi_awaddr;
  logic [NumPorts-1:0][7:0]  axi_awlen;
  logic [NumPorts-1:0][2:0]  axi_awsize;
  logic [NumPorts-1:0][1:0]  axi_awburst;
  logic [NumPorts-1:0]       axi_awlock;
  logic [NumPorts-1:0][3:0]  axi_awcache;
  logic [NumPorts-1:0][2:0]  axi_awprot;
  logic [NumPorts-1:0]       axi_awvalid;
  logic [NumPorts-1:0]       axi_awready;
  logic [NumPorts-1:0][63:0] axi_wdata;
  logic [NumPorts-1:0][7:0]  axi_wstrb;
  logic [NumPorts-1:0]       axi_wlast;
  logic [NumPorts-1:0]       axi_wvalid;
  logic [NumPorts-1:0]       axi_wready;
  logic [NumPorts-1:0][3:0]  axi_bid;
  logic [NumPorts-1:0][1:0]  axi_bresp;
  logic [NumPorts-1:0]       axi_bvalid;
  logic [NumPorts-1:0]       axi_bready;
  logic [NumPorts-1:0][IdWidth-1:0] arid;
  logic [NumPorts-1:0][31:0] araddr;
  logic [NumPorts-1:0][3:0]  arlen;
  logic [NumPorts-1:0][2:0]  arsize;
  logic [NumPorts-1:0][1:0]  arburst;
  logic [NumPorts-1:0][1:0]  arlock;
  logic [NumPorts-1:0][3:0]  arcache;
  logic [NumPorts-1:0][2:0]  arprot;
  logic [NumPorts-1:0]       arvalid;
  logic [NumPorts-1:0]       arready;
  logic [NumPorts-1:0][IdWidth-1:0] rid;
  logic [NumPorts-1:0][63:0]        rdata;
  logic [NumPorts-1:0][1:0]         rresp;
  logic [NumPorts-1:0]              rlast;
  logic [NumPorts-1:0]              rvalid;
  logic [NumPorts-1:0]              rready;
  logic [NumPorts-1:0][IdWidth-1:0] awid;
  logic [NumPorts-1:0][31:0]        awaddr;
  logic [NumPorts-1:0][3:0]         awlen;
  logic [NumPorts-1:0][2:0]         awsize;
  logic [NumPorts-1:0][1:0]         awburst;
  logic [NumPorts-1:0][1:0]         awlock;
  logic [NumPorts-1:0][3:0]         awcache;
  logic [NumPorts-1:0][2:0]         awprot;
  logic [NumPorts-1:0]              awvalid;
  logic [NumPorts-1:0]              awready;
  logic [NumPorts-1:0][IdWidth-1:0] wid;
  logic [NumPorts-1:0][63:0]        wdata;
  logic [NumPorts-1:0][7:0]         wstrb;
  logic [NumPorts-1:0]              wlast;
  logic [NumPorts-1:0]              wvalid;
  logic [NumPorts-1:0]              wready;
  logic [NumPorts-1:0][IdWidth-1:0] bid;
  logic [NumPorts-1:0][1:0]         bresp;
  logic [NumPorts-1:0]              bvalid;
  logic [NumPorts-1:0]              bready;

  sl_streamif #(
    .NumThreads (NumThreads),
    .NumPorts   (NumPorts),
    .StreamWidth(32),
    .LenWidth   (26),
    .MaxBurst   (16),
    .BufferBeats(BufferBeats)
  ) u_streamif (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr   (axil_awaddr),
    .s_axil_awprot   (axil_awprot),
    .s_axil_awvalid  (axil_awvalid),
    .s_axil_awready  (axil_awready),
    .s_axil_wdata    (axil_wdata),
    .s_axil_wstrb    (axil_wstrb),
    .s_axil_wvalid   (axil_wvalid),
    .s_axil_wready   (axil_wready),
    .s_axil_bresp    (axil_bresp),
    .s_axil_bvalid   (axil_bvalid),
    .s_axil_bready   (axil_bready),
    .s_axil_araddr   (axil_araddr),
    .s_axil_arprot   (axil_arprot),
    .s_axil_arvalid  (axil_arvalid),
    .s_axil_arready  (axil_arready),
    .s_axil_rdata    (axil_rdata),
    .s_axil_rresp    (axil_rresp),
    .s_axil_rvalid   (axil_rvalid),
    .s_axil_rready   (axil_rready),
    .irq_o           (irq),
    .fault_irq_o     (fault_irq),
    .thread_rst_no   (thread_rst_n),
    .to_axis_tdata   (to_tdata),
    .to_axis_tkeep   (to_tkeep),
    .to_axis_tlast   (to_tlast),
    .to_axis_tvalid  (to_tvalid),
    .to_axis_tready  (to_tready),
    .from_axis_tdata (from_tdata),
    .from_axis_tkeep (from_tkeep),
    .from_axis_tlast (from_tlast),
    .from_axis_tvalid(from_tvalid),
    .from_axis_tready(from_tready),
    .m_axi_arid      (axi_arid),
    .m_axi_araddr    (axi_araddr),
    .m_axi_arlen     (axi_arlen),
    .m_axi_arsize    (axi_arsize),
    .m_axi_arburst   (axi_arburst),
    .m_axi_arlock    (axi_arlock),
    .m_axi_arcache   (axi_arcache),
    .m_axi_arprot    (axi_arprot),
    .m_axi_arvalid   (axi_arvalid),
    .m_axi_arready   (axi_arready),
    .m_axi_rid       (axi_rid),
    .m_axi_rdata     (axi_rdata),
    .m_axi_rresp     (axi_rresp),
    .m_axi_rlast     (axi_rlast),
    .m_axi_rvalid    (axi_rvalid),
    .m_axi_rready    (axi_rready),
    .m_axi_awid      (axi_awid),
    .m_axi_awaddr    (axi_awaddr),
    .m_axi_awlen     (axi_awlen),
    .m_axi_awsize    (axi_awsize),
    .m_axi_awburst   (axi_awburst),
    .m_axi_awlock    (axi_awlock),
    .m_axi_awcache   (axi_awcache),
    .m_axi_awprot    (axi_awprot),
    .m_axi_awvalid   (axi_awvalid),
    .m_axi_awready   (axi_awready),
    .m_axi_wdata     (axi_wdata),
    .m_axi_wstrb     (axi_wstrb),
    .m_axi_wlast     (axi_wlast),
    .m_axi_wvalid    (axi_wvalid),
    .m_axi_wready    (axi_wready),
    .m_axi_bid       (axi_bid),
    .m_axi_bresp     (axi_bresp),
    .m_axi_bvalid    (axi_bvalid),
    .m_axi_bready    (axi_bready)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    sl_axi3_adapter #(
      .AddrWidth (32),
      .DataWidth (64),
      .SlvIdWidth(4),
      .MstIdWidth(IdWidth),
      .MaxBurst  (16),
      .Check     (1'b0)
    ) u_axi3 (
      .clk_i,
      .rst_ni,
      .s_axi_arid    (axi_arid[p]),
      .s_axi_araddr  (axi_araddr[p]),
      .s_axi_arlen   (axi_arlen[p]),
      .s_axi_arsize  (axi_arsize[p]),
      .s_axi_arburst (axi_arburst[p]),
      .s_axi_arlock  (axi_arlock[p]),
      .s_axi_arcache (axi_arcache[p]),
      .s_axi_arprot  (axi_arprot[p]),
      .s_axi_arvalid (axi_arvalid[p]),
      .s_axi_arready (axi_arready[p]),
      .s_axi_rid     (axi_rid[p]),
      .s_axi_rdata   (axi_rdata[p]),
      .s_axi_rresp   (axi_rresp[p]),
      .s_axi_rlast   (axi_rlast[p]),
      .s_axi_rvalid  (axi_rvalid[p]),
      .s_axi_rready  (axi_rready[p]),
      .s_axi_awid    (axi_awid[p]),
      .s_axi_awaddr  (axi_awaddr[p]),
      .s_axi_awlen   (axi_awlen[p]),
      .s_axi_awsize  (axi_awsize[p]),
      .s_axi_awburst (axi_awburst[p]),
      .s_axi_awlock  (axi_awlock[p]),
      .s_axi_awcache (axi_awcache[p]),
      .s_axi_awprot  (axi_awprot[p]),
      .s_axi_awvalid (axi_awvalid[p]),
      .s_axi_awready (axi_awready[p]),
      .s_axi_wdata   (axi_wdata[p]),
      .s_axi_wstrb   (axi_wstrb[p]),
      .s_axi_wlast   (axi_wlast[p]),
      .s_axi_wvalid  (axi_wvalid[p]),
      .s_axi_wready  (axi_wready[p]),
      .s_axi_bid     (axi_bid[p]),
      .s_axi_bresp   (axi_bresp[p]),
      .s_axi_bvalid  (axi_bvalid[p]),
      .s_axi_bready  (axi_bready[p]),
      .m_axi_arid    (arid[p]),
      .m_axi_araddr  (araddr[p]),
      .m_axi_arlen   (arlen[p]),
      .m_axi_arsize  (arsize[p]),
      .m_axi_arburst (arburst[p]),
      .m_axi_arlock  (arlock[p]),
      .m_axi_arcache (arcache[p]),
      .m_axi_arprot  (arprot[p]),
      .m_axi_arvalid (arvalid[p]),
      .m_axi_arready (arready[p]),
      .m_axi_rid     (rid[p]),
      .m_axi_rdata   (rdata[p]),
      .m_axi_rresp   (rresp[p]),
      .m_axi_rlast   (rlast[p]),
      .m_axi_rvalid  (rvalid[p]),
      .m_axi_rready  (rready[p]),
      .m_axi_awid    (awid[p]),
      .m_axi_awaddr  (awaddr[p]),
      .m_axi_awlen   (awlen[p]),
      .m_axi_awsize  (awsize[p]),
      .m_axi_awburst (awburst[p]),
      .m_axi_awlock  (awlock[p]),
      .m_axi_awcache (awcache[p]),
      .m_axi_awprot  (awprot[p]),
      .m_axi_awvalid (awvalid[p]),
      .m_axi_awready (awready[p]),
      .m_axi_wid     (wid[p]),
      .m_axi_wdata   (wdata[p]),
      .m_axi_wstrb   (wstrb[p]),
      .m_axi_wlast   (wlast[p]),
      .m_axi_wvalid  (wvalid[p]),
      .m_axi_wready  (wready[p]),
      .m_axi_bid     (bid[p]),
      .m_axi_bresp   (bresp[p]),
      .m_axi_bvalid  (bvalid[p]),
      .m_axi_bready  (bready[p])
    );
  end

  // Not with a NumPorts that is out of range, so that it gets as far as its refusal.
  if (NumPorts >= 1 && NumPorts <= 4) begin : g_pins
    sl_hp_pins #(
      .NumPorts (NumPorts),
      .DataWidth(DataWidth),
      .IdWidth  (IdWidth)
    ) u_pins (
      .s_axi_arid   (arid),
      .s_axi_araddr (araddr),
      .s_axi_arlen  (arlen),
      .s_axi_arsize (arsize),
      .s_axi_arburst(arburst),
      .s_axi_arlock (arlock),
      .s_axi_arcache(arcache),
      .s_axi_arprot (arprot),
      .s_axi_arvalid(arvalid),
      .s_axi_arready(arready),
      .s_axi_rid    (rid),
      .s_axi_rdata  (rdata),
      .s_axi_rresp  (rresp),
      .s_axi_rlast  (rlast),
      .s_axi_rvalid (rvalid),
      .s_axi_rready (rready),
      .s_axi_awid   (awid),
      .s_axi_awaddr (awaddr),
      .s_axi_awlen  (awlen),
      .s_axi_awsize (awsize),
      .s_axi_awburst(awburst),
      .s_axi_awlock (awlock),
      .s_axi_awcache(awcache),
      .s_axi_awprot (awprot),
      .s_axi_awvalid(awvalid),
      .s_axi_awready(awready),
      .s_axi_wid    (wid),
      .s_axi_wdata  (wdata),
      .s_axi_wstrb  (wstrb),
      .s_axi_wlast  (wlast),
      .s_axi_wvalid (wvalid),
      .s_axi_wready (wready),
      .s_axi_bid    (bid),
      .s_axi_bresp  (bresp),
      .s_axi_bvalid (bvalid),
      .s_axi_bready (bready),
      .*
    );
  end
endmodule
