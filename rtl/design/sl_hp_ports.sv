// SPDX-License-Identifier: Apache-2.0
// What the designs of the HP ports have in common: one to four HP ports of a Zynq-7000, each with
// an engine, under control of one GP port.
//
// Control: AXI4-Lite, 20-bit address. Lane p at p << 16 (its windows: below), design page at
//   0x40000. Every other address, and the region of a port that was not built, answers DECERR.
// Interrupts: level; AXI DMA: irq_o[2p] MM2S and irq_o[2p + 1] S2MM of port p; else irq_o[p].
// Memory: AXI3, bursts of at most 16 beats, full width. The outputs of ports not built are
//   constant 0.
// Throughput: a beat a cycle read and written on every port; the lanes share nothing but the
//   control port.
// Reset: `rst_ni`, everything.
// Parameters out of range stop elaboration, and those of other engines that are not the default.
// Specification: regs/hp_stress.rdl, dma_loopback.rdl, cdma.rdl, msgdma.rdl (whole maps).
module sl_hp_ports #(
  parameter int unsigned Engine      = 0,       // 0 AXI DMA, 1 CDMA, 2 mSGDMA
  parameter logic [31:0] Identity    = "SLHP",  // in the design page
  parameter int unsigned NumPorts    = 4,       // 1..4
  parameter int unsigned DataWidth   = 64,      // 32 or 64
  parameter int unsigned LenWidth    = 26,      // as the engine has it
  parameter int unsigned BufferBeats = 512,     // per direction and port, power of two
  parameter bit          Unaligned   = 1'b0,    // 1: any byte alignment
  parameter bit          IncludeSg   = 1'b0,    // AXI DMA, CDMA: scatter-gather too
  parameter int unsigned FifoBeats   = 512,     // AXI DMA: header of sl_hp_lane
  parameter bit          Streams     = 1'b0,    // AXI DMA: header of sl_hp_lane
  parameter bit          Coherent    = 1'b0,    // CDMA: header of sl_hp_port
  parameter int unsigned RamBeats    = 0,       // CDMA: header of sl_cdma_lane
  parameter logic [31:0] RamBase     = 32'he000_0000,
  parameter int unsigned ResetTimeout = 1 << 20,  // 0..2^30 cycles: headers of the engines
  localparam int unsigned Lines      = Engine == 0 ? 2 : 1,  // interrupts of a port
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

  output logic [4*Lines-1:0] irq_o,

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
  input  logic [  DataWidth-1:0] m_axi_hp0_rdata,
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
  output logic [  DataWidth-1:0] m_axi_hp0_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp0_wstrb,
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
  input  logic [  DataWidth-1:0] m_axi_hp1_rdata,
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
  output logic [  DataWidth-1:0] m_axi_hp1_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp1_wstrb,
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
  input  logic [  DataWidth-1:0] m_axi_hp2_rdata,
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
  output logic [  DataWidth-1:0] m_axi_hp2_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp2_wstrb,
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
  input  logic [  DataWidth-1:0] m_axi_hp3_rdata,
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
  output logic [  DataWidth-1:0] m_axi_hp3_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp3_wstrb,
  output logic                   m_axi_hp3_wlast,
  output logic                   m_axi_hp3_wvalid,
  input  logic                   m_axi_hp3_wready,
  input  logic [    IdWidth-1:0] m_axi_hp3_bid,
  input  logic [            1:0] m_axi_hp3_bresp,
  input  logic                   m_axi_hp3_bvalid,
  output logic                   m_axi_hp3_bready
);

  // The windows of a lane: all of it; the CDMA's page; csr, desc and resp of the mSGDMA.
  localparam int unsigned LaneWindows = Engine == 2 ? 3 : 1;
  localparam int unsigned Windows     = NumPorts * LaneWindows;
  localparam logic [LaneWindows*20-1:0] LaneBase =
      (LaneWindows * 20)'({20'h00040, 20'h00020, 20'h00000});
  localparam logic [LaneWindows*20-1:0] LaneMask = (LaneWindows * 20)'(
      Engine == 0 ? {3{20'hf0000}} :
      Engine == 1 ? {3{20'hff000}} : {20'hffff8, 20'hfffe0, 20'hfffe0});

  if (Engine > 2) begin : g_bad_engine
    $fatal(1, "%m: Engine must be 0..2, is %0d", Engine);
  end
  if ((Engine != 0 && (Streams || FifoBeats != 512)) || (Engine == 2 && IncludeSg) ||
      (Engine != 1 && (Coherent || RamBeats != 0 || RamBase != 32'he000_0000))) begin : g_bad_option
    $fatal(1, "%m: a parameter of another engine is not its default");
  end
  if (NumPorts < 1 || NumPorts > 4) begin : g_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..4, is %0d", NumPorts);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  function automatic logic [Windows*20-1:0] bases();
    for (int unsigned w = 0; w < Windows; w++) begin
      bases[w*20+:20] = 20'((w / LaneWindows) << 16) | LaneBase[w%LaneWindows*20+:20];
    end
  endfunction

  // Not a replication, so that NumPorts = 0 gets as far as its refusal.
  function automatic logic [Windows*20-1:0] masks();
    for (int unsigned w = 0; w < Windows; w++) masks[w*20+:20] = LaneMask[w%LaneWindows*20+:20];
  endfunction

  logic [Windows*20-1:0]    axil_awaddr;
  logic [Windows*3-1:0]     axil_awprot;
  logic [Windows-1:0]       axil_awvalid;
  logic [Windows-1:0]       axil_awready;
  logic [Windows*32-1:0]    axil_wdata;
  logic [Windows*4-1:0]     axil_wstrb;
  logic [Windows-1:0]       axil_wvalid;
  logic [Windows-1:0]       axil_wready;
  logic [Windows*2-1:0]     axil_bresp;
  logic [Windows-1:0]       axil_bvalid;
  logic [Windows-1:0]       axil_bready;
  logic [Windows*20-1:0]    axil_araddr;
  logic [Windows*3-1:0]     axil_arprot;
  logic [Windows-1:0]       axil_arvalid;
  logic [Windows-1:0]       axil_arready;
  logic [Windows*32-1:0]    axil_rdata;
  logic [Windows*2-1:0]     axil_rresp;
  logic [Windows-1:0]       axil_rvalid;
  logic [Windows-1:0]       axil_rready;
  logic [3:0]               faults;

  sl_design_control #(
    .Windows  (Windows),
    .Base     (bases()),
    .Mask     (masks()),
    .Identity (Identity),
    .NumPorts (NumPorts),
    .DataWidth(DataWidth),
    .LenWidth (LenWidth),
    .Unaligned(Unaligned)
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
    .faults_i      (8'(faults))
  );

  // ---------------------------------------------------------------------------------------------
  // Lanes
  // ---------------------------------------------------------------------------------------------
  logic [NumPorts-1:0][IdWidth-1:0]     arid;
  logic [NumPorts-1:0][31:0]            araddr;
  logic [NumPorts-1:0][3:0]             arlen;
  logic [NumPorts-1:0][2:0]             arsize;
  logic [NumPorts-1:0][1:0]             arburst;
  logic [NumPorts-1:0][1:0]             arlock;
  logic [NumPorts-1:0][3:0]             arcache;
  logic [NumPorts-1:0][2:0]             arprot;
  logic [NumPorts-1:0]                  arvalid;
  logic [NumPorts-1:0]                  arready;
  logic [NumPorts-1:0][IdWidth-1:0]     rid;
  logic [NumPorts-1:0][DataWidth-1:0]   rdata;
  logic [NumPorts-1:0][1:0]             rresp;
  logic [NumPorts-1:0]                  rlast;
  logic [NumPorts-1:0]                  rvalid;
  logic [NumPorts-1:0]                  rready;
  logic [NumPorts-1:0][IdWidth-1:0]     awid;
  logic [NumPorts-1:0][31:0]            awaddr;
  logic [NumPorts-1:0][3:0]             awlen;
  logic [NumPorts-1:0][2:0]             awsize;
  logic [NumPorts-1:0][1:0]             awburst;
  logic [NumPorts-1:0][1:0]             awlock;
  logic [NumPorts-1:0][3:0]             awcache;
  logic [NumPorts-1:0][2:0]             awprot;
  logic [NumPorts-1:0]                  awvalid;
  logic [NumPorts-1:0]                  awready;
  logic [NumPorts-1:0][IdWidth-1:0]     wid;
  logic [NumPorts-1:0][DataWidth-1:0]   wdata;
  logic [NumPorts-1:0][DataWidth/8-1:0] wstrb;
  logic [NumPorts-1:0]                  wlast;
  logic [NumPorts-1:0]                  wvalid;
  logic [NumPorts-1:0]                  wready;
  logic [NumPorts-1:0][IdWidth-1:0]     bid;
  logic [NumPorts-1:0][1:0]             bresp;
  logic [NumPorts-1:0]                  bvalid;
  logic [NumPorts-1:0]                  bready;

  for (genvar p = 0; p < 4; p++) begin : g_port
    if (p < NumPorts) begin : g_lane
      if (Engine == 0) begin : g_dma
        logic unused_addr;

        assign unused_addr = ^{axil_awaddr[p*20+16+:4], axil_araddr[p*20+16+:4]};

        sl_hp_lane #(
          .DataWidth  (DataWidth),
          .LenWidth   (LenWidth),
          .IdWidth    (IdWidth),
          .BufferBeats(BufferBeats),
          .FifoBeats  (FifoBeats),
          .Unaligned  (Unaligned),
          .IncludeSg  (IncludeSg),
          .Streams    (Streams),
          .ResetTimeout(ResetTimeout)
        ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil_awaddr (axil_awaddr[p*20+:16]),
          .s_axil_awprot (axil_awprot[p*3+:3]),
          .s_axil_awvalid(axil_awvalid[p]),
          .s_axil_awready(axil_awready[p]),
          .s_axil_wdata  (axil_wdata[p*32+:32]),
          .s_axil_wstrb  (axil_wstrb[p*4+:4]),
          .s_axil_wvalid (axil_wvalid[p]),
          .s_axil_wready (axil_wready[p]),
          .s_axil_bresp  (axil_bresp[p*2+:2]),
          .s_axil_bvalid (axil_bvalid[p]),
          .s_axil_bready (axil_bready[p]),
          .s_axil_araddr (axil_araddr[p*20+:16]),
          .s_axil_arprot (axil_arprot[p*3+:3]),
          .s_axil_arvalid(axil_arvalid[p]),
          .s_axil_arready(axil_arready[p]),
          .s_axil_rdata  (axil_rdata[p*32+:32]),
          .s_axil_rresp  (axil_rresp[p*2+:2]),
          .s_axil_rvalid (axil_rvalid[p]),
          .s_axil_rready (axil_rready[p]),
          .irq_o        (irq_o[p*Lines+:Lines]),
          .fault_o      (faults[p]),
          .m_axi_arid   (arid[p]),
          .m_axi_araddr (araddr[p]),
          .m_axi_arlen  (arlen[p]),
          .m_axi_arsize (arsize[p]),
          .m_axi_arburst(arburst[p]),
          .m_axi_arlock (arlock[p]),
          .m_axi_arcache(arcache[p]),
          .m_axi_arprot (arprot[p]),
          .m_axi_arvalid(arvalid[p]),
          .m_axi_arready(arready[p]),
          .m_axi_rid    (rid[p]),
          .m_axi_rdata  (rdata[p]),
          .m_axi_rresp  (rresp[p]),
          .m_axi_rlast  (rlast[p]),
          .m_axi_rvalid (rvalid[p]),
          .m_axi_rready (rready[p]),
          .m_axi_awid   (awid[p]),
          .m_axi_awaddr (awaddr[p]),
          .m_axi_awlen  (awlen[p]),
          .m_axi_awsize (awsize[p]),
          .m_axi_awburst(awburst[p]),
          .m_axi_awlock (awlock[p]),
          .m_axi_awcache(awcache[p]),
          .m_axi_awprot (awprot[p]),
          .m_axi_awvalid(awvalid[p]),
          .m_axi_awready(awready[p]),
          .m_axi_wid    (wid[p]),
          .m_axi_wdata  (wdata[p]),
          .m_axi_wstrb  (wstrb[p]),
          .m_axi_wlast  (wlast[p]),
          .m_axi_wvalid (wvalid[p]),
          .m_axi_wready (wready[p]),
          .m_axi_bid    (bid[p]),
          .m_axi_bresp  (bresp[p]),
          .m_axi_bvalid (bvalid[p]),
          .m_axi_bready (bready[p])
        );
      end else if (Engine == 2) begin : g_msgdma
        sl_msgdma_lane #(
          .DataWidth  (DataWidth),
          .LenWidth   (LenWidth),
          .IdWidth    (IdWidth),
          .BufferBeats(BufferBeats),
          .Unaligned  (Unaligned),
          .ResetTimeout(ResetTimeout)
        ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil_awaddr (axil_awaddr[p*LaneWindows*20+:LaneWindows*20]),
          .s_axil_awprot (axil_awprot[p*LaneWindows*3+:LaneWindows*3]),
          .s_axil_awvalid(axil_awvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_awready(axil_awready[p*LaneWindows+:LaneWindows]),
          .s_axil_wdata  (axil_wdata[p*LaneWindows*32+:LaneWindows*32]),
          .s_axil_wstrb  (axil_wstrb[p*LaneWindows*4+:LaneWindows*4]),
          .s_axil_wvalid (axil_wvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_wready (axil_wready[p*LaneWindows+:LaneWindows]),
          .s_axil_bresp  (axil_bresp[p*LaneWindows*2+:LaneWindows*2]),
          .s_axil_bvalid (axil_bvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_bready (axil_bready[p*LaneWindows+:LaneWindows]),
          .s_axil_araddr (axil_araddr[p*LaneWindows*20+:LaneWindows*20]),
          .s_axil_arprot (axil_arprot[p*LaneWindows*3+:LaneWindows*3]),
          .s_axil_arvalid(axil_arvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_arready(axil_arready[p*LaneWindows+:LaneWindows]),
          .s_axil_rdata  (axil_rdata[p*LaneWindows*32+:LaneWindows*32]),
          .s_axil_rresp  (axil_rresp[p*LaneWindows*2+:LaneWindows*2]),
          .s_axil_rvalid (axil_rvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_rready (axil_rready[p*LaneWindows+:LaneWindows]),
          .irq_o        (irq_o[p]),
          .fault_o      (faults[p]),
          .m_axi_arid   (arid[p]),
          .m_axi_araddr (araddr[p]),
          .m_axi_arlen  (arlen[p]),
          .m_axi_arsize (arsize[p]),
          .m_axi_arburst(arburst[p]),
          .m_axi_arlock (arlock[p]),
          .m_axi_arcache(arcache[p]),
          .m_axi_arprot (arprot[p]),
          .m_axi_arvalid(arvalid[p]),
          .m_axi_arready(arready[p]),
          .m_axi_rid    (rid[p]),
          .m_axi_rdata  (rdata[p]),
          .m_axi_rresp  (rresp[p]),
          .m_axi_rlast  (rlast[p]),
          .m_axi_rvalid (rvalid[p]),
          .m_axi_rready (rready[p]),
          .m_axi_awid   (awid[p]),
          .m_axi_awaddr (awaddr[p]),
          .m_axi_awlen  (awlen[p]),
          .m_axi_awsize (awsize[p]),
          .m_axi_awburst(awburst[p]),
          .m_axi_awlock (awlock[p]),
          .m_axi_awcache(awcache[p]),
          .m_axi_awprot (awprot[p]),
          .m_axi_awvalid(awvalid[p]),
          .m_axi_awready(awready[p]),
          .m_axi_wid    (wid[p]),
          .m_axi_wdata  (wdata[p]),
          .m_axi_wstrb  (wstrb[p]),
          .m_axi_wlast  (wlast[p]),
          .m_axi_wvalid (wvalid[p]),
          .m_axi_wready (wready[p]),
          .m_axi_bid    (bid[p]),
          .m_axi_bresp  (bresp[p]),
          .m_axi_bvalid (bvalid[p]),
          .m_axi_bready (bready[p])
        );
      end else begin : g_cdma
        sl_cdma_lane #(
          .DataWidth  (DataWidth),
          .LenWidth   (LenWidth),
          .IdWidth    (IdWidth),
          .BufferBeats(BufferBeats),
          .Unaligned  (Unaligned),
          .IncludeSg  (IncludeSg),
          .Coherent   (Coherent),
          .RamBeats   (RamBeats),
          .RamBase    (RamBase),
          .ResetTimeout(ResetTimeout)
        ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil_awaddr (axil_awaddr[p*LaneWindows*20+:LaneWindows*20]),
          .s_axil_awprot (axil_awprot[p*LaneWindows*3+:LaneWindows*3]),
          .s_axil_awvalid(axil_awvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_awready(axil_awready[p*LaneWindows+:LaneWindows]),
          .s_axil_wdata  (axil_wdata[p*LaneWindows*32+:LaneWindows*32]),
          .s_axil_wstrb  (axil_wstrb[p*LaneWindows*4+:LaneWindows*4]),
          .s_axil_wvalid (axil_wvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_wready (axil_wready[p*LaneWindows+:LaneWindows]),
          .s_axil_bresp  (axil_bresp[p*LaneWindows*2+:LaneWindows*2]),
          .s_axil_bvalid (axil_bvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_bready (axil_bready[p*LaneWindows+:LaneWindows]),
          .s_axil_araddr (axil_araddr[p*LaneWindows*20+:LaneWindows*20]),
          .s_axil_arprot (axil_arprot[p*LaneWindows*3+:LaneWindows*3]),
          .s_axil_arvalid(axil_arvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_arready(axil_arready[p*LaneWindows+:LaneWindows]),
          .s_axil_rdata  (axil_rdata[p*LaneWindows*32+:LaneWindows*32]),
          .s_axil_rresp  (axil_rresp[p*LaneWindows*2+:LaneWindows*2]),
          .s_axil_rvalid (axil_rvalid[p*LaneWindows+:LaneWindows]),
          .s_axil_rready (axil_rready[p*LaneWindows+:LaneWindows]),
          .irq_o        (irq_o[p]),
          .fault_o      (faults[p]),
          .m_axi_arid   (arid[p]),
          .m_axi_araddr (araddr[p]),
          .m_axi_arlen  (arlen[p]),
          .m_axi_arsize (arsize[p]),
          .m_axi_arburst(arburst[p]),
          .m_axi_arlock (arlock[p]),
          .m_axi_arcache(arcache[p]),
          .m_axi_arprot (arprot[p]),
          .m_axi_arvalid(arvalid[p]),
          .m_axi_arready(arready[p]),
          .m_axi_rid    (rid[p]),
          .m_axi_rdata  (rdata[p]),
          .m_axi_rresp  (rresp[p]),
          .m_axi_rlast  (rlast[p]),
          .m_axi_rvalid (rvalid[p]),
          .m_axi_rready (rready[p]),
          .m_axi_awid   (awid[p]),
          .m_axi_awaddr (awaddr[p]),
          .m_axi_awlen  (awlen[p]),
          .m_axi_awsize (awsize[p]),
          .m_axi_awburst(awburst[p]),
          .m_axi_awlock (awlock[p]),
          .m_axi_awcache(awcache[p]),
          .m_axi_awprot (awprot[p]),
          .m_axi_awvalid(awvalid[p]),
          .m_axi_awready(awready[p]),
          .m_axi_wid    (wid[p]),
          .m_axi_wdata  (wdata[p]),
          .m_axi_wstrb  (wstrb[p]),
          .m_axi_wlast  (wlast[p]),
          .m_axi_wvalid (wvalid[p]),
          .m_axi_wready (wready[p]),
          .m_axi_bid    (bid[p]),
          .m_axi_bresp  (bresp[p]),
          .m_axi_bvalid (bvalid[p]),
          .m_axi_bready (bready[p])
        );
      end
    end else begin : g_absent
      assign irq_o[p*Lines+:Lines] = '0;
      assign faults[p] = 1'b0;
    end
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
