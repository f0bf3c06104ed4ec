// SPDX-License-Identifier: Apache-2.0
// Design f2s_stress: one to four FPGA-to-SDRAM ports of a Cyclone V HPS, each with two mSGDMAs that
// move between memory and counter streams or loop back, under control of one port.
//
// Control: AXI4-Lite, 20-bit address. Port p at p << 16 (sl_f2s_lane), design page at 0x40000.
//   Every other address, and the region of a port that was not built, answers DECERR.
// Interrupts: irq_o[2p] MM2S and irq_o[2p + 1] S2MM of port p, level.
// Memory: AXI4, bursts of at most 16 beats, full width. The outputs of ports not built are
//   constant 0.
// Throughput: a beat a cycle each way on every port; the lanes share nothing but the control port.
// Reset: `rst_ni`, everything.
// Parameters out of range stop elaboration; DataWidth is checked in sl_f2s_lane.
// Specification: regs/f2s_stress.rdl (whole map).
module f2s_stress #(
  parameter int unsigned NumPorts    = 1,     // 1..4
  parameter int unsigned DataWidth   = 64,    // 32, 64, 128 or 256
  parameter int unsigned LenWidth    = 26,    // 10..32
  parameter int unsigned BufferBeats = 512,   // per direction and port, power of two
  parameter int unsigned FifoBeats   = 512,   // loop-back FIFO, power of two
  parameter bit          Unaligned   = 1'b0,  // 1: buffers may start at any byte
  parameter int unsigned ResetTimeout = 1 << 20,  // 0..2^30 cycles: header of sl_msgdma
  localparam int unsigned IdWidth    = 8
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

  output logic [7:0] irq_o,

  // F2S0
  output logic [    IdWidth-1:0] m_axi_f2s0_arid,
  output logic [           31:0] m_axi_f2s0_araddr,
  output logic [            7:0] m_axi_f2s0_arlen,
  output logic [            2:0] m_axi_f2s0_arsize,
  output logic [            1:0] m_axi_f2s0_arburst,
  output logic                   m_axi_f2s0_arlock,
  output logic [            3:0] m_axi_f2s0_arcache,
  output logic [            2:0] m_axi_f2s0_arprot,
  output logic                   m_axi_f2s0_arvalid,
  input  logic                   m_axi_f2s0_arready,
  input  logic [    IdWidth-1:0] m_axi_f2s0_rid,
  input  logic [  DataWidth-1:0] m_axi_f2s0_rdata,
  input  logic [            1:0] m_axi_f2s0_rresp,
  input  logic                   m_axi_f2s0_rlast,
  input  logic                   m_axi_f2s0_rvalid,
  output logic                   m_axi_f2s0_rready,
  output logic [    IdWidth-1:0] m_axi_f2s0_awid,
  output logic [           31:0] m_axi_f2s0_awaddr,
  output logic [            7:0] m_axi_f2s0_awlen,
  output logic [            2:0] m_axi_f2s0_awsize,
  output logic [            1:0] m_axi_f2s0_awburst,
  output logic                   m_axi_f2s0_awlock,
  output logic [            3:0] m_axi_f2s0_awcache,
  output logic [            2:0] m_axi_f2s0_awprot,
  output logic                   m_axi_f2s0_awvalid,
  input  logic                   m_axi_f2s0_awready,
  output logic [  DataWidth-1:0] m_axi_f2s0_wdata,
  output logic [DataWidth/8-1:0] m_axi_f2s0_wstrb,
  output logic                   m_axi_f2s0_wlast,
  output logic                   m_axi_f2s0_wvalid,
  input  logic                   m_axi_f2s0_wready,
  input  logic [    IdWidth-1:0] m_axi_f2s0_bid,
  input  logic [            1:0] m_axi_f2s0_bresp,
  input  logic                   m_axi_f2s0_bvalid,
  output logic                   m_axi_f2s0_bready,

  // F2S1
  output logic [    IdWidth-1:0] m_axi_f2s1_arid,
  output logic [           31:0] m_axi_f2s1_araddr,
  output logic [            7:0] m_axi_f2s1_arlen,
  output logic [            2:0] m_axi_f2s1_arsize,
  output logic [            1:0] m_axi_f2s1_arburst,
  output logic                   m_axi_f2s1_arlock,
  output logic [            3:0] m_axi_f2s1_arcache,
  output logic [            2:0] m_axi_f2s1_arprot,
  output logic                   m_axi_f2s1_arvalid,
  input  logic                   m_axi_f2s1_arready,
  input  logic [    IdWidth-1:0] m_axi_f2s1_rid,
  input  logic [  DataWidth-1:0] m_axi_f2s1_rdata,
  input  logic [            1:0] m_axi_f2s1_rresp,
  input  logic                   m_axi_f2s1_rlast,
  input  logic                   m_axi_f2s1_rvalid,
  output logic                   m_axi_f2s1_rready,
  output logic [    IdWidth-1:0] m_axi_f2s1_awid,
  output logic [           31:0] m_axi_f2s1_awaddr,
  output logic [            7:0] m_axi_f2s1_awlen,
  output logic [            2:0] m_axi_f2s1_awsize,
  output logic [            1:0] m_axi_f2s1_awburst,
  output logic                   m_axi_f2s1_awlock,
  output logic [            3:0] m_axi_f2s1_awcache,
  output logic [            2:0] m_axi_f2s1_awprot,
  output logic                   m_axi_f2s1_awvalid,
  input  logic                   m_axi_f2s1_awready,
  output logic [  DataWidth-1:0] m_axi_f2s1_wdata,
  output logic [DataWidth/8-1:0] m_axi_f2s1_wstrb,
  output logic                   m_axi_f2s1_wlast,
  output logic                   m_axi_f2s1_wvalid,
  input  logic                   m_axi_f2s1_wready,
  input  logic [    IdWidth-1:0] m_axi_f2s1_bid,
  input  logic [            1:0] m_axi_f2s1_bresp,
  input  logic                   m_axi_f2s1_bvalid,
  output logic                   m_axi_f2s1_bready,

  // F2S2
  output logic [    IdWidth-1:0] m_axi_f2s2_arid,
  output logic [           31:0] m_axi_f2s2_araddr,
  output logic [            7:0] m_axi_f2s2_arlen,
  output logic [            2:0] m_axi_f2s2_arsize,
  output logic [            1:0] m_axi_f2s2_arburst,
  output logic                   m_axi_f2s2_arlock,
  output logic [            3:0] m_axi_f2s2_arcache,
  output logic [            2:0] m_axi_f2s2_arprot,
  output logic                   m_axi_f2s2_arvalid,
  input  logic                   m_axi_f2s2_arready,
  input  logic [    IdWidth-1:0] m_axi_f2s2_rid,
  input  logic [  DataWidth-1:0] m_axi_f2s2_rdata,
  input  logic [            1:0] m_axi_f2s2_rresp,
  input  logic                   m_axi_f2s2_rlast,
  input  logic                   m_axi_f2s2_rvalid,
  output logic                   m_axi_f2s2_rready,
  output logic [    IdWidth-1:0] m_axi_f2s2_awid,
  output logic [           31:0] m_axi_f2s2_awaddr,
  output logic [            7:0] m_axi_f2s2_awlen,
  output logic [            2:0] m_axi_f2s2_awsize,
  output logic [            1:0] m_axi_f2s2_awburst,
  output logic                   m_axi_f2s2_awlock,
  output logic [            3:0] m_axi_f2s2_awcache,
  output logic [            2:0] m_axi_f2s2_awprot,
  output logic                   m_axi_f2s2_awvalid,
  input  logic                   m_axi_f2s2_awready,
  output logic [  DataWidth-1:0] m_axi_f2s2_wdata,
  output logic [DataWidth/8-1:0] m_axi_f2s2_wstrb,
  output logic                   m_axi_f2s2_wlast,
  output logic                   m_axi_f2s2_wvalid,
  input  logic                   m_axi_f2s2_wready,
  input  logic [    IdWidth-1:0] m_axi_f2s2_bid,
  input  logic [            1:0] m_axi_f2s2_bresp,
  input  logic                   m_axi_f2s2_bvalid,
  output logic                   m_axi_f2s2_bready,

  // F2S3
  output logic [    IdWidth-1:0] m_axi_f2s3_arid,
  output logic [           31:0] m_axi_f2s3_araddr,
  output logic [            7:0] m_axi_f2s3_arlen,
  output logic [            2:0] m_axi_f2s3_arsize,
  output logic [            1:0] m_axi_f2s3_arburst,
  output logic                   m_axi_f2s3_arlock,
  output logic [            3:0] m_axi_f2s3_arcache,
  output logic [            2:0] m_axi_f2s3_arprot,
  output logic                   m_axi_f2s3_arvalid,
  input  logic                   m_axi_f2s3_arready,
  input  logic [    IdWidth-1:0] m_axi_f2s3_rid,
  input  logic [  DataWidth-1:0] m_axi_f2s3_rdata,
  input  logic [            1:0] m_axi_f2s3_rresp,
  input  logic                   m_axi_f2s3_rlast,
  input  logic                   m_axi_f2s3_rvalid,
  output logic                   m_axi_f2s3_rready,
  output logic [    IdWidth-1:0] m_axi_f2s3_awid,
  output logic [           31:0] m_axi_f2s3_awaddr,
  output logic [            7:0] m_axi_f2s3_awlen,
  output logic [            2:0] m_axi_f2s3_awsize,
  output logic [            1:0] m_axi_f2s3_awburst,
  output logic                   m_axi_f2s3_awlock,
  output logic [            3:0] m_axi_f2s3_awcache,
  output logic [            2:0] m_axi_f2s3_awprot,
  output logic                   m_axi_f2s3_awvalid,
  input  logic                   m_axi_f2s3_awready,
  output logic [  DataWidth-1:0] m_axi_f2s3_wdata,
  output logic [DataWidth/8-1:0] m_axi_f2s3_wstrb,
  output logic                   m_axi_f2s3_wlast,
  output logic                   m_axi_f2s3_wvalid,
  input  logic                   m_axi_f2s3_wready,
  input  logic [    IdWidth-1:0] m_axi_f2s3_bid,
  input  logic [            1:0] m_axi_f2s3_bresp,
  input  logic                   m_axi_f2s3_bvalid,
  output logic                   m_axi_f2s3_bready
);

  if (NumPorts < 1 || NumPorts > 4) begin : g_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..4, is %0d", NumPorts);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  function automatic logic [NumPorts*20-1:0] bases();
    for (int unsigned p = 0; p < NumPorts; p++) bases[p*20+:20] = 20'(p << 16);
  endfunction

  // Not a replication, so that NumPorts = 0 gets as far as its refusal.
  function automatic logic [NumPorts*20-1:0] masks();
    for (int unsigned p = 0; p < NumPorts; p++) masks[p*20+:20] = 20'hf0000;
  endfunction

  logic [NumPorts*20-1:0] axil_awaddr;
  logic [NumPorts*3-1:0]  axil_awprot;
  logic [NumPorts-1:0]    axil_awvalid;
  logic [NumPorts-1:0]    axil_awready;
  logic [NumPorts*32-1:0] axil_wdata;
  logic [NumPorts*4-1:0]  axil_wstrb;
  logic [NumPorts-1:0]    axil_wvalid;
  logic [NumPorts-1:0]    axil_wready;
  logic [NumPorts*2-1:0]  axil_bresp;
  logic [NumPorts-1:0]    axil_bvalid;
  logic [NumPorts-1:0]    axil_bready;
  logic [NumPorts*20-1:0] axil_araddr;
  logic [NumPorts*3-1:0]  axil_arprot;
  logic [NumPorts-1:0]    axil_arvalid;
  logic [NumPorts-1:0]    axil_arready;
  logic [NumPorts*32-1:0] axil_rdata;
  logic [NumPorts*2-1:0]  axil_rresp;
  logic [NumPorts-1:0]    axil_rvalid;
  logic [NumPorts-1:0]    axil_rready;
  logic unused_addr;  // each page decodes the bits it has

  logic [7:0] faults;

  assign unused_addr = ^{axil_awaddr, axil_araddr};

  sl_design_control #(
    .Windows  (NumPorts),
    .Base     (bases()),
    .Mask     (masks()),
    .Identity ("SLF2"),
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
    .faults_i      (faults)
  );

  // ---------------------------------------------------------------------------------------------
  // Lanes
  // ---------------------------------------------------------------------------------------------
  logic [3:0][IdWidth-1:0]     arid;
  logic [3:0][31:0]            araddr;
  logic [3:0][7:0]             arlen;
  logic [3:0][2:0]             arsize;
  logic [3:0][1:0]             arburst;
  logic [3:0]                  arlock;
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
  logic [3:0][7:0]             awlen;
  logic [3:0][2:0]             awsize;
  logic [3:0][1:0]             awburst;
  logic [3:0]                  awlock;
  logic [3:0][3:0]             awcache;
  logic [3:0][2:0]             awprot;
  logic [3:0]                  awvalid;
  logic [3:0]                  awready;
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
      sl_f2s_lane #(
        .DataWidth  (DataWidth),
        .LenWidth   (LenWidth),
        .IdWidth    (IdWidth),
        .BufferBeats(BufferBeats),
        .FifoBeats  (FifoBeats),
        .Unaligned  (Unaligned),
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
        .irq_o  (irq_o[2*p+:2]),
        .fault_o(faults[2*p+:2]),
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
    end else begin : g_absent
      logic unused;

      assign unused = ^{arready[p], rid[p], rdata[p], rresp[p], rlast[p], rvalid[p], awready[p],
                        wready[p], bid[p], bresp[p], bvalid[p]};
      assign irq_o[2*p+:2] = '0;
      assign faults[2*p+:2] = '0;
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
      assign wdata[p] = '0;
      assign wstrb[p] = '0;
      assign wlast[p] = '0;
      assign wvalid[p] = '0;
      assign bready[p] = '0;
    end
  end

  // F2S0
  assign m_axi_f2s0_arid = arid[0];
  assign m_axi_f2s0_araddr = araddr[0];
  assign m_axi_f2s0_arlen = arlen[0];
  assign m_axi_f2s0_arsize = arsize[0];
  assign m_axi_f2s0_arburst = arburst[0];
  assign m_axi_f2s0_arlock = arlock[0];
  assign m_axi_f2s0_arcache = arcache[0];
  assign m_axi_f2s0_arprot = arprot[0];
  assign m_axi_f2s0_arvalid = arvalid[0];
  assign arready[0] = m_axi_f2s0_arready;
  assign rid[0] = m_axi_f2s0_rid;
  assign rdata[0] = m_axi_f2s0_rdata;
  assign rresp[0] = m_axi_f2s0_rresp;
  assign rlast[0] = m_axi_f2s0_rlast;
  assign rvalid[0] = m_axi_f2s0_rvalid;
  assign m_axi_f2s0_rready = rready[0];
  assign m_axi_f2s0_awid = awid[0];
  assign m_axi_f2s0_awaddr = awaddr[0];
  assign m_axi_f2s0_awlen = awlen[0];
  assign m_axi_f2s0_awsize = awsize[0];
  assign m_axi_f2s0_awburst = awburst[0];
  assign m_axi_f2s0_awlock = awlock[0];
  assign m_axi_f2s0_awcache = awcache[0];
  assign m_axi_f2s0_awprot = awprot[0];
  assign m_axi_f2s0_awvalid = awvalid[0];
  assign awready[0] = m_axi_f2s0_awready;
  assign m_axi_f2s0_wdata = wdata[0];
  assign m_axi_f2s0_wstrb = wstrb[0];
  assign m_axi_f2s0_wlast = wlast[0];
  assign m_axi_f2s0_wvalid = wvalid[0];
  assign wready[0] = m_axi_f2s0_wready;
  assign bid[0] = m_axi_f2s0_bid;
  assign bresp[0] = m_axi_f2s0_bresp;
  assign bvalid[0] = m_axi_f2s0_bvalid;
  assign m_axi_f2s0_bready = bready[0];

  // F2S1
  assign m_axi_f2s1_arid = arid[1];
  assign m_axi_f2s1_araddr = araddr[1];
  assign m_axi_f2s1_arlen = arlen[1];
  assign m_axi_f2s1_arsize = arsize[1];
  assign m_axi_f2s1_arburst = arburst[1];
  assign m_axi_f2s1_arlock = arlock[1];
  assign m_axi_f2s1_arcache = arcache[1];
  assign m_axi_f2s1_arprot = arprot[1];
  assign m_axi_f2s1_arvalid = arvalid[1];
  assign arready[1] = m_axi_f2s1_arready;
  assign rid[1] = m_axi_f2s1_rid;
  assign rdata[1] = m_axi_f2s1_rdata;
  assign rresp[1] = m_axi_f2s1_rresp;
  assign rlast[1] = m_axi_f2s1_rlast;
  assign rvalid[1] = m_axi_f2s1_rvalid;
  assign m_axi_f2s1_rready = rready[1];
  assign m_axi_f2s1_awid = awid[1];
  assign m_axi_f2s1_awaddr = awaddr[1];
  assign m_axi_f2s1_awlen = awlen[1];
  assign m_axi_f2s1_awsize = awsize[1];
  assign m_axi_f2s1_awburst = awburst[1];
  assign m_axi_f2s1_awlock = awlock[1];
  assign m_axi_f2s1_awcache = awcache[1];
  assign m_axi_f2s1_awprot = awprot[1];
  assign m_axi_f2s1_awvalid = awvalid[1];
  assign awready[1] = m_axi_f2s1_awready;
  assign m_axi_f2s1_wdata = wdata[1];
  assign m_axi_f2s1_wstrb = wstrb[1];
  assign m_axi_f2s1_wlast = wlast[1];
  assign m_axi_f2s1_wvalid = wvalid[1];
  assign wready[1] = m_axi_f2s1_wready;
  assign bid[1] = m_axi_f2s1_bid;
  assign bresp[1] = m_axi_f2s1_bresp;
  assign bvalid[1] = m_axi_f2s1_bvalid;
  assign m_axi_f2s1_bready = bready[1];

  // F2S2
  assign m_axi_f2s2_arid = arid[2];
  assign m_axi_f2s2_araddr = araddr[2];
  assign m_axi_f2s2_arlen = arlen[2];
  assign m_axi_f2s2_arsize = arsize[2];
  assign m_axi_f2s2_arburst = arburst[2];
  assign m_axi_f2s2_arlock = arlock[2];
  assign m_axi_f2s2_arcache = arcache[2];
  assign m_axi_f2s2_arprot = arprot[2];
  assign m_axi_f2s2_arvalid = arvalid[2];
  assign arready[2] = m_axi_f2s2_arready;
  assign rid[2] = m_axi_f2s2_rid;
  assign rdata[2] = m_axi_f2s2_rdata;
  assign rresp[2] = m_axi_f2s2_rresp;
  assign rlast[2] = m_axi_f2s2_rlast;
  assign rvalid[2] = m_axi_f2s2_rvalid;
  assign m_axi_f2s2_rready = rready[2];
  assign m_axi_f2s2_awid = awid[2];
  assign m_axi_f2s2_awaddr = awaddr[2];
  assign m_axi_f2s2_awlen = awlen[2];
  assign m_axi_f2s2_awsize = awsize[2];
  assign m_axi_f2s2_awburst = awburst[2];
  assign m_axi_f2s2_awlock = awlock[2];
  assign m_axi_f2s2_awcache = awcache[2];
  assign m_axi_f2s2_awprot = awprot[2];
  assign m_axi_f2s2_awvalid = awvalid[2];
  assign awready[2] = m_axi_f2s2_awready;
  assign m_axi_f2s2_wdata = wdata[2];
  assign m_axi_f2s2_wstrb = wstrb[2];
  assign m_axi_f2s2_wlast = wlast[2];
  assign m_axi_f2s2_wvalid = wvalid[2];
  assign wready[2] = m_axi_f2s2_wready;
  assign bid[2] = m_axi_f2s2_bid;
  assign bresp[2] = m_axi_f2s2_bresp;
  assign bvalid[2] = m_axi_f2s2_bvalid;
  assign m_axi_f2s2_bready = bready[2];

  // F2S3
  assign m_axi_f2s3_arid = arid[3];
  assign m_axi_f2s3_araddr = araddr[3];
  assign m_axi_f2s3_arlen = arlen[3];
  assign m_axi_f2s3_arsize = arsize[3];
  assign m_axi_f2s3_arburst = arburst[3];
  assign m_axi_f2s3_arlock = arlock[3];
  assign m_axi_f2s3_arcache = arcache[3];
  assign m_axi_f2s3_arprot = arprot[3];
  assign m_axi_f2s3_arvalid = arvalid[3];
  assign arready[3] = m_axi_f2s3_arready;
  assign rid[3] = m_axi_f2s3_rid;
  assign rdata[3] = m_axi_f2s3_rdata;
  assign rresp[3] = m_axi_f2s3_rresp;
  assign rlast[3] = m_axi_f2s3_rlast;
  assign rvalid[3] = m_axi_f2s3_rvalid;
  assign m_axi_f2s3_rready = rready[3];
  assign m_axi_f2s3_awid = awid[3];
  assign m_axi_f2s3_awaddr = awaddr[3];
  assign m_axi_f2s3_awlen = awlen[3];
  assign m_axi_f2s3_awsize = awsize[3];
  assign m_axi_f2s3_awburst = awburst[3];
  assign m_axi_f2s3_awlock = awlock[3];
  assign m_axi_f2s3_awcache = awcache[3];
  assign m_axi_f2s3_awprot = awprot[3];
  assign m_axi_f2s3_awvalid = awvalid[3];
  assign awready[3] = m_axi_f2s3_awready;
  assign m_axi_f2s3_wdata = wdata[3];
  assign m_axi_f2s3_wstrb = wstrb[3];
  assign m_axi_f2s3_wlast = wlast[3];
  assign m_axi_f2s3_wvalid = wvalid[3];
  assign wready[3] = m_axi_f2s3_wready;
  assign bid[3] = m_axi_f2s3_bid;
  assign bresp[3] = m_axi_f2s3_bresp;
  assign bvalid[3] = m_axi_f2s3_bvalid;
  assign m_axi_f2s3_bready = bready[3];
endmodule
