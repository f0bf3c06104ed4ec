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
  logic [3:0][IdWidth-1:0]     arid;
  logic [3:0][31:0]            araddr;
  logic [3:0][3:0]             arlen;
  logic [3:0][2:0]             arsize;
  logic [3:0][1:0]             arburst;
  logic [3:0][1:0]             arlock;
  logic [3:0][3:0]             arcache;
  logic [3:0][2:0]             arprot;
  logic [3:0]                  arvalid;
  logic [3:0]                  arready;
  logic [3:0][IdWidth-1:0]     rid;
  logic [3:0][DataWidth-1:0]   rdata;
  logic [3:0][1:0]             rresp;
  logic [3:0]                  rlast;
  logic [3:0]                  rvalid;
  logic [3:0]                  rready;
  logic [3:0][IdWidth-1:0]     awid;
  logic [3:0][31:0]            awaddr;
  logic [3:0][3:0]             awlen;
  logic [3:0][2:0]             awsize;
  logic [3:0][1:0]             awburst;
  logic [3:0][1:0]             awlock;
  logic [3:0][3:0]             awcache;
  logic [3:0][2:0]             awprot;
  logic [3:0]                  awvalid;
  logic [3:0]                  awready;
  logic [3:0][IdWidth-1:0]     wid;
  logic [3:0][DataWidth-1:0]   wdata;
  logic [3:0][DataWidth/8-1:0] wstrb;
  logic [3:0]                  wlast;
  logic [3:0]                  wvalid;
  logic [3:0]                  wready;
  logic [3:0][IdWidth-1:0]     bid;
  logic [3:0][1:0]             bresp;
  logic [3:0]                  bvalid;
  logic [3:0]                  bready;

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
      logic unused;

      assign unused = ^{arready[p], rid[p], rdata[p], rresp[p], rlast[p], rvalid[p], awready[p],
                        wready[p], bid[p], bresp[p], bvalid[p]};
      assign irq_o[p*Lines+:Lines] = '0;
      assign faults[p] = 1'b0;
      assign arid[p] = '0;
      assign araddr[p] = '0;
      assign arlen[p] = '0;
      assign arsize[p] = '0;
      assign arburst[p] = '0;
      assign arlock[p] = '0;
      assign arcache[p] = '0;
      assign arprot[p] = '0;
      assign arvalid[p] = '0;
      assign rready[p] = '0;
      assign awid[p] = '0;
      assign awaddr[p] = '0;
      assign awlen[p] = '0;
      assign awsize[p] = '0;
      assign awburst[p] = '0;
      assign awlock[p] = '0;
      assign awcache[p] = '0;
      assign awprot[p] = '0;
      assign awvalid[p] = '0;
      assign wid[p] = '0;
      assign wdata[p] = '0;
      assign wstrb[p] = '0;
      assign wlast[p] = '0;
      assign wvalid[p] = '0;
      assign bready[p] = '0;
    end
  end

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
