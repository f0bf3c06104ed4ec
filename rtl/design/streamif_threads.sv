// SPDX-License-Identifier: Apache-2.0
// Design streamif_threads: up to eight hardware threads on sl_streamif and the four HP ports of a
// Zynq-7000, under control of one GP port. Each thread has a stream source, a checking sink and a
// loop-back FIFO of 32 bits: it writes, reads or copies.
//
// Control: AXI4-Lite, 20-bit address. Thread t at t << 15: source at 0x1000, sink at 0x2000, lane
//   control at 0x3000 (sl_lane_streams); design page at 0x40000; sl_streamif at 0x50000. Every
//   other address, and the region of a thread that was not built, answers DECERR.
// Interrupts: irq_o[2t] and irq_o[2t + 1] read and write channel of thread t, irq_o[16] a refused
//   command; level.
// Memory: AXI3, bursts of at most 16 beats, 64 bits; PortMap as sl_streamif has it by default.
// Throughput: a word a cycle each way and thread, as far as the ports go.
// Reset: `rst_ni`, everything; a halted thread empties its FIFO.
// Parameters out of range stop elaboration.
module streamif_threads #(
  parameter int unsigned NumThreads  = 8,     // 1..8
  parameter int unsigned NumPorts    = 4,     // 1..4
  parameter int unsigned DataWidth   = 64,    // of a port: 64
  parameter int unsigned BufferBeats = 512,   // per direction and thread, power of two
  parameter int unsigned GroupCycles = 128,   // as sl_streamif
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

  if (NumThreads < 1 || NumThreads > 8) begin : g_bad_num_threads
    $fatal(1, "%m: NumThreads must be 1..8, is %0d", NumThreads);
  end
  if (DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 64, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned Windows = NumThreads + 1;  // the threads, then sl_streamif
  localparam int unsigned Pages   = 3;               // lane control, source, sink

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
    .Identity ("SLST"),
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

  // ---------------------------------------------------------------------------------------------
  // Threads
  // ---------------------------------------------------------------------------------------------
  logic [NumThreads-1:0]       thread_rst_n, to_tlast, to_tvalid, to_tready;
  logic [NumThreads-1:0]       from_tlast, from_tvalid, from_tready;
  logic [NumThreads-1:0][31:0] to_tdata, from_tdata;
  logic [NumThreads-1:0][3:0]  to_tkeep, from_tkeep;

  for (genvar t = 0; t < NumThreads; t++) begin : g_thread
    logic [Pages*20-1:0]   page_awaddr;
    logic [Pages*3-1:0]    page_awprot;
    logic [Pages-1:0]      page_awvalid;
    logic [Pages-1:0]      page_awready;
    logic [Pages*32-1:0]   page_wdata;
    logic [Pages*4-1:0]    page_wstrb;
    logic [Pages-1:0]      page_wvalid;
    logic [Pages-1:0]      page_wready;
    logic [Pages*2-1:0]    page_bresp;
    logic [Pages-1:0]      page_bvalid;
    logic [Pages-1:0]      page_bready;
    logic [Pages*20-1:0]   page_araddr;
    logic [Pages*3-1:0]    page_arprot;
    logic [Pages-1:0]      page_arvalid;
    logic [Pages-1:0]      page_arready;
    logic [Pages*32-1:0]   page_rdata;
    logic [Pages*2-1:0]    page_rresp;
    logic [Pages-1:0]      page_rvalid;
    logic [Pages-1:0]      page_rready;
    logic [Pages*16-1:0] short_awaddr, short_araddr;  // sl_lane_streams decodes a page
    logic                unused_addr;

    sl_axil_demux #(
      .NumPorts (Pages),
      .AddrWidth(20),
      .Base     ({20'h02000, 20'h01000, 20'h03000}),
      .Mask     ({Pages{20'h07000}})
    ) u_pages (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr (axil_awaddr[t*20+:20]),
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
      .s_axil_araddr (axil_araddr[t*20+:20]),
      .s_axil_arprot (axil_arprot[t*3+:3]),
      .s_axil_arvalid(axil_arvalid[t]),
      .s_axil_arready(axil_arready[t]),
      .s_axil_rdata  (axil_rdata[t*32+:32]),
      .s_axil_rresp  (axil_rresp[t*2+:2]),
      .s_axil_rvalid (axil_rvalid[t]),
      .s_axil_rready (axil_rready[t]),
      .m_axil_awaddr (page_awaddr),
      .m_axil_awprot (page_awprot),
      .m_axil_awvalid(page_awvalid),
      .m_axil_awready(page_awready),
      .m_axil_wdata  (page_wdata),
      .m_axil_wstrb  (page_wstrb),
      .m_axil_wvalid (page_wvalid),
      .m_axil_wready (page_wready),
      .m_axil_bresp  (page_bresp),
      .m_axil_bvalid (page_bvalid),
      .m_axil_bready (page_bready),
      .m_axil_araddr (page_araddr),
      .m_axil_arprot (page_arprot),
      .m_axil_arvalid(page_arvalid),
      .m_axil_arready(page_arready),
      .m_axil_rdata  (page_rdata),
      .m_axil_rresp  (page_rresp),
      .m_axil_rvalid (page_rvalid),
      .m_axil_rready (page_rready)
    );

    for (genvar p = 0; p < Pages; p++) begin : g_page
      assign short_awaddr[p*16+:16] = page_awaddr[p*20+:16];
      assign short_araddr[p*16+:16] = page_araddr[p*20+:16];
    end
    assign unused_addr = ^{page_awaddr, page_araddr};

    sl_lane_streams #(
      .DataWidth(32),
      .FifoBeats(FifoBeats)
    ) u_streams (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr (short_awaddr),
      .s_axil_awprot (page_awprot),
      .s_axil_awvalid(page_awvalid),
      .s_axil_awready(page_awready),
      .s_axil_wdata  (page_wdata),
      .s_axil_wstrb  (page_wstrb),
      .s_axil_wvalid (page_wvalid),
      .s_axil_wready (page_wready),
      .s_axil_bresp  (page_bresp),
      .s_axil_bvalid (page_bvalid),
      .s_axil_bready (page_bready),
      .s_axil_araddr (short_araddr),
      .s_axil_arprot (page_arprot),
      .s_axil_arvalid(page_arvalid),
      .s_axil_arready(page_arready),
      .s_axil_rdata  (page_rdata),
      .s_axil_rresp  (page_rresp),
      .s_axil_rvalid (page_rvalid),
      .s_axil_rready (page_rready),
      .clear_i       (!thread_rst_n[t]),
      .s_axis_tdata  (to_tdata[t]),
      .s_axis_tkeep  (to_tkeep[t]),
      .s_axis_tlast  (to_tlast[t]),
      .s_axis_tvalid (to_tvalid[t]),
      .s_axis_tready (to_tready[t]),
      .m_axis_tdata  (from_tdata[t]),
      .m_axis_tkeep  (from_tkeep[t]),
      .m_axis_tlast  (from_tlast[t]),
      .m_axis_tvalid (from_tvalid[t]),
      .m_axis_tready (from_tready[t])
    );
  end

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
  logic [3:0][5:0]  arid;
  logic [3:0][31:0] araddr;
  logic [3:0][3:0]  arlen;
  logic [3:0][2:0]  arsize;
  logic [3:0][1:0]  arburst;
  logic [3:0][1:0]  arlock;
  logic [3:0][3:0]  arcache;
  logic [3:0][2:0]  arprot;
  logic [3:0]       arvalid;
  logic [3:0]       arready;
  logic [3:0][5:0]  rid;
  logic [3:0][63:0] rdata;
  logic [3:0][1:0]  rresp;
  logic [3:0]       rlast;
  logic [3:0]       rvalid;
  logic [3:0]       rready;
  logic [3:0][5:0]  awid;
  logic [3:0][31:0] awaddr;
  logic [3:0][3:0]  awlen;
  logic [3:0][2:0]  awsize;
  logic [3:0][1:0]  awburst;
  logic [3:0][1:0]  awlock;
  logic [3:0][3:0]  awcache;
  logic [3:0][2:0]  awprot;
  logic [3:0]       awvalid;
  logic [3:0]       awready;
  logic [3:0][5:0]  wid;
  logic [3:0][63:0] wdata;
  logic [3:0][7:0]  wstrb;
  logic [3:0]       wlast;
  logic [3:0]       wvalid;
  logic [3:0]       wready;
  logic [3:0][5:0]  bid;
  logic [3:0][1:0]  bresp;
  logic [3:0]       bvalid;
  logic [3:0]       bready;
  logic [2*NumThreads-1:0] irq;
  logic                    fault_irq;

  assign irq_o = {15'd0, fault_irq, 16'(irq)};

  sl_streamif #(
    .NumThreads (NumThreads),
    .NumPorts   (NumPorts),
    .StreamWidth(32),
    .LenWidth   (26),
    .MaxBurst   (16),
    .BufferBeats(BufferBeats),
    .GroupCycles(GroupCycles)
  ) u_streamif (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[NumThreads*20+:13]),
    .s_axil_awprot (axil_awprot[NumThreads*3+:3]),
    .s_axil_awvalid(axil_awvalid[NumThreads]),
    .s_axil_awready(axil_awready[NumThreads]),
    .s_axil_wdata  (axil_wdata[NumThreads*32+:32]),
    .s_axil_wstrb  (axil_wstrb[NumThreads*4+:4]),
    .s_axil_wvalid (axil_wvalid[NumThreads]),
    .s_axil_wready (axil_wready[NumThreads]),
    .s_axil_bresp  (axil_bresp[NumThreads*2+:2]),
    .s_axil_bvalid (axil_bvalid[NumThreads]),
    .s_axil_bready (axil_bready[NumThreads]),
    .s_axil_araddr (axil_araddr[NumThreads*20+:13]),
    .s_axil_arprot (axil_arprot[NumThreads*3+:3]),
    .s_axil_arvalid(axil_arvalid[NumThreads]),
    .s_axil_arready(axil_arready[NumThreads]),
    .s_axil_rdata  (axil_rdata[NumThreads*32+:32]),
    .s_axil_rresp  (axil_rresp[NumThreads*2+:2]),
    .s_axil_rvalid (axil_rvalid[NumThreads]),
    .s_axil_rready (axil_rready[NumThreads]),
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

  for (genvar p = 0; p < 4; p++) begin : g_port
    if (p < NumPorts) begin : g_axi3
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
    end else begin : g_none
      logic unused;
      assign unused = ^{arready[p], rid[p], rdata[p], rresp[p], rlast[p], rvalid[p], awready[p],
                        wready[p], bid[p], bresp[p], bvalid[p]};
      assign arid[p]     = '0;
      assign araddr[p]   = '0;
      assign arlen[p]    = '0;
      assign arsize[p]   = '0;
      assign arburst[p]  = '0;
      assign arlock[p]   = '0;
      assign arcache[p]  = '0;
      assign arprot[p]   = '0;
      assign arvalid[p]  = '0;
      assign rready[p]   = '0;
      assign awid[p]     = '0;
      assign awaddr[p]   = '0;
      assign awlen[p]    = '0;
      assign awsize[p]   = '0;
      assign awburst[p]  = '0;
      assign awlock[p]   = '0;
      assign awcache[p]  = '0;
      assign awprot[p]   = '0;
      assign awvalid[p]  = '0;
      assign wid[p]      = '0;
      assign wdata[p]    = '0;
      assign wstrb[p]    = '0;
      assign wlast[p]    = '0;
      assign wvalid[p]   = '0;
      assign bready[p]   = '0;
    end
  end

  logic unused_window;  // sl_streamif decodes its own part
  assign unused_window = ^{axil_awaddr[NumThreads*20+13+:7], axil_araddr[NumThreads*20+13+:7]};

  // HP0
  assign m_axi_hp0_arid = arid[0];
  assign m_axi_hp0_araddr = araddr[0];
  assign m_axi_hp0_arlen = arlen[0];
  assign m_axi_hp0_arsize = arsize[0];
  assign m_axi_hp0_arburst = arburst[0];
  assign m_axi_hp0_arlock = arlock[0];
  assign m_axi_hp0_arcache = arcache[0];
  assign m_axi_hp0_arprot = arprot[0];
  assign m_axi_hp0_arvalid = arvalid[0];
  assign arready[0] = m_axi_hp0_arready;
  assign rid[0] = m_axi_hp0_rid;
  assign rdata[0] = m_axi_hp0_rdata;
  assign rresp[0] = m_axi_hp0_rresp;
  assign rlast[0] = m_axi_hp0_rlast;
  assign rvalid[0] = m_axi_hp0_rvalid;
  assign m_axi_hp0_rready = rready[0];
  assign m_axi_hp0_awid = awid[0];
  assign m_axi_hp0_awaddr = awaddr[0];
  assign m_axi_hp0_awlen = awlen[0];
  assign m_axi_hp0_awsize = awsize[0];
  assign m_axi_hp0_awburst = awburst[0];
  assign m_axi_hp0_awlock = awlock[0];
  assign m_axi_hp0_awcache = awcache[0];
  assign m_axi_hp0_awprot = awprot[0];
  assign m_axi_hp0_awvalid = awvalid[0];
  assign awready[0] = m_axi_hp0_awready;
  assign m_axi_hp0_wid = wid[0];
  assign m_axi_hp0_wdata = wdata[0];
  assign m_axi_hp0_wstrb = wstrb[0];
  assign m_axi_hp0_wlast = wlast[0];
  assign m_axi_hp0_wvalid = wvalid[0];
  assign wready[0] = m_axi_hp0_wready;
  assign bid[0] = m_axi_hp0_bid;
  assign bresp[0] = m_axi_hp0_bresp;
  assign bvalid[0] = m_axi_hp0_bvalid;
  assign m_axi_hp0_bready = bready[0];

  // HP1
  assign m_axi_hp1_arid = arid[1];
  assign m_axi_hp1_araddr = araddr[1];
  assign m_axi_hp1_arlen = arlen[1];
  assign m_axi_hp1_arsize = arsize[1];
  assign m_axi_hp1_arburst = arburst[1];
  assign m_axi_hp1_arlock = arlock[1];
  assign m_axi_hp1_arcache = arcache[1];
  assign m_axi_hp1_arprot = arprot[1];
  assign m_axi_hp1_arvalid = arvalid[1];
  assign arready[1] = m_axi_hp1_arready;
  assign rid[1] = m_axi_hp1_rid;
  assign rdata[1] = m_axi_hp1_rdata;
  assign rresp[1] = m_axi_hp1_rresp;
  assign rlast[1] = m_axi_hp1_rlast;
  assign rvalid[1] = m_axi_hp1_rvalid;
  assign m_axi_hp1_rready = rready[1];
  assign m_axi_hp1_awid = awid[1];
  assign m_axi_hp1_awaddr = awaddr[1];
  assign m_axi_hp1_awlen = awlen[1];
  assign m_axi_hp1_awsize = awsize[1];
  assign m_axi_hp1_awburst = awburst[1];
  assign m_axi_hp1_awlock = awlock[1];
  assign m_axi_hp1_awcache = awcache[1];
  assign m_axi_hp1_awprot = awprot[1];
  assign m_axi_hp1_awvalid = awvalid[1];
  assign awready[1] = m_axi_hp1_awready;
  assign m_axi_hp1_wid = wid[1];
  assign m_axi_hp1_wdata = wdata[1];
  assign m_axi_hp1_wstrb = wstrb[1];
  assign m_axi_hp1_wlast = wlast[1];
  assign m_axi_hp1_wvalid = wvalid[1];
  assign wready[1] = m_axi_hp1_wready;
  assign bid[1] = m_axi_hp1_bid;
  assign bresp[1] = m_axi_hp1_bresp;
  assign bvalid[1] = m_axi_hp1_bvalid;
  assign m_axi_hp1_bready = bready[1];

  // HP2
  assign m_axi_hp2_arid = arid[2];
  assign m_axi_hp2_araddr = araddr[2];
  assign m_axi_hp2_arlen = arlen[2];
  assign m_axi_hp2_arsize = arsize[2];
  assign m_axi_hp2_arburst = arburst[2];
  assign m_axi_hp2_arlock = arlock[2];
  assign m_axi_hp2_arcache = arcache[2];
  assign m_axi_hp2_arprot = arprot[2];
  assign m_axi_hp2_arvalid = arvalid[2];
  assign arready[2] = m_axi_hp2_arready;
  assign rid[2] = m_axi_hp2_rid;
  assign rdata[2] = m_axi_hp2_rdata;
  assign rresp[2] = m_axi_hp2_rresp;
  assign rlast[2] = m_axi_hp2_rlast;
  assign rvalid[2] = m_axi_hp2_rvalid;
  assign m_axi_hp2_rready = rready[2];
  assign m_axi_hp2_awid = awid[2];
  assign m_axi_hp2_awaddr = awaddr[2];
  assign m_axi_hp2_awlen = awlen[2];
  assign m_axi_hp2_awsize = awsize[2];
  assign m_axi_hp2_awburst = awburst[2];
  assign m_axi_hp2_awlock = awlock[2];
  assign m_axi_hp2_awcache = awcache[2];
  assign m_axi_hp2_awprot = awprot[2];
  assign m_axi_hp2_awvalid = awvalid[2];
  assign awready[2] = m_axi_hp2_awready;
  assign m_axi_hp2_wid = wid[2];
  assign m_axi_hp2_wdata = wdata[2];
  assign m_axi_hp2_wstrb = wstrb[2];
  assign m_axi_hp2_wlast = wlast[2];
  assign m_axi_hp2_wvalid = wvalid[2];
  assign wready[2] = m_axi_hp2_wready;
  assign bid[2] = m_axi_hp2_bid;
  assign bresp[2] = m_axi_hp2_bresp;
  assign bvalid[2] = m_axi_hp2_bvalid;
  assign m_axi_hp2_bready = bready[2];

  // HP3
  assign m_axi_hp3_arid = arid[3];
  assign m_axi_hp3_araddr = araddr[3];
  assign m_axi_hp3_arlen = arlen[3];
  assign m_axi_hp3_arsize = arsize[3];
  assign m_axi_hp3_arburst = arburst[3];
  assign m_axi_hp3_arlock = arlock[3];
  assign m_axi_hp3_arcache = arcache[3];
  assign m_axi_hp3_arprot = arprot[3];
  assign m_axi_hp3_arvalid = arvalid[3];
  assign arready[3] = m_axi_hp3_arready;
  assign rid[3] = m_axi_hp3_rid;
  assign rdata[3] = m_axi_hp3_rdata;
  assign rresp[3] = m_axi_hp3_rresp;
  assign rlast[3] = m_axi_hp3_rlast;
  assign rvalid[3] = m_axi_hp3_rvalid;
  assign m_axi_hp3_rready = rready[3];
  assign m_axi_hp3_awid = awid[3];
  assign m_axi_hp3_awaddr = awaddr[3];
  assign m_axi_hp3_awlen = awlen[3];
  assign m_axi_hp3_awsize = awsize[3];
  assign m_axi_hp3_awburst = awburst[3];
  assign m_axi_hp3_awlock = awlock[3];
  assign m_axi_hp3_awcache = awcache[3];
  assign m_axi_hp3_awprot = awprot[3];
  assign m_axi_hp3_awvalid = awvalid[3];
  assign awready[3] = m_axi_hp3_awready;
  assign m_axi_hp3_wid = wid[3];
  assign m_axi_hp3_wdata = wdata[3];
  assign m_axi_hp3_wstrb = wstrb[3];
  assign m_axi_hp3_wlast = wlast[3];
  assign m_axi_hp3_wvalid = wvalid[3];
  assign wready[3] = m_axi_hp3_wready;
  assign bid[3] = m_axi_hp3_bid;
  assign bresp[3] = m_axi_hp3_bresp;
  assign bvalid[3] = m_axi_hp3_bvalid;
  assign m_axi_hp3_bready = bready[3];
endmodule
