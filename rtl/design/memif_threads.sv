// SPDX-License-Identifier: Apache-2.0
// Design memif_threads: the hardware threads of streamif_threads on sl_memif, one path of 32 bits for
// all as ReconOS has it, to the ACP of a Zynq-7000.
//
// Control: as streamif_threads; design page at 0x40000 with another identity; what is at 0x50000 is
//   sl_memif's, with the registers of sl_streamif. Interrupts: as streamif_threads.
// Memory: one port, AXI3, bursts of at most 16 beats, 64 bits, AxCACHE 4'b1111: for the ACP, which
//   takes the lower 3 bits of an ID and needs ARUSER and AWUSER = 5'h1f (UG585, Accelerator Coherency
//   Port).
// Throughput: header of sl_memif.
// Reset: `rst_ni`, everything; a halted thread empties its FIFO.
// Parameters out of range stop elaboration.
module memif_threads #(
  parameter int unsigned NumThreads  = 8,     // 1..8
  parameter int unsigned DataWidth   = 64,    // of a port: 64
  parameter int unsigned RequestCycles = 17,  // as sl_memif
  parameter int unsigned TurnCycles    = 9,   // as sl_memif
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
  output logic                   m_axi_hp0_bready

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
    .Identity  ("SLMI"),
    .NumPorts  (1),
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
  logic        axi_arid;
  logic [31:0] axi_araddr;
  logic [7:0]  axi_arlen;
  logic [2:0]  axi_arsize;
  logic [1:0]  axi_arburst;
  logic        axi_arlock;
  logic [3:0]  axi_arcache;
  logic [2:0]  axi_arprot;
  logic        axi_arvalid;
  logic        axi_arready;
  logic        axi_rid;
  logic [63:0] axi_rdata;
  logic [1:0]  axi_rresp;
  logic        axi_rlast;
  logic        axi_rvalid;
  logic        axi_rready;
  logic        axi_awid;
  logic [31:0] axi_awaddr;
  logic [7:0]  axi_awlen;
  logic [2:0]  axi_awsize;
  logic [1:0]  axi_awburst;
  logic        axi_awlock;
  logic [3:0]  axi_awcache;
  logic [2:0]  axi_awprot;
  logic        axi_awvalid;
  logic        axi_awready;
  logic [63:0] axi_wdata;
  logic [7:0]  axi_wstrb;
  logic        axi_wlast;
  logic        axi_wvalid;
  logic        axi_wready;
  logic        axi_bid;
  logic [1:0]  axi_bresp;
  logic        axi_bvalid;
  logic        axi_bready;

  sl_memif #(
    .NumThreads   (NumThreads),
    .LenWidth     (26),
    .RequestCycles(RequestCycles),
    .TurnCycles   (TurnCycles)
  ) u_memif (
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

  sl_axi3_adapter #(
    .AddrWidth (32),
    .DataWidth (64),
    .SlvIdWidth(1),
    .MstIdWidth(IdWidth),
    .MaxBurst  (16),
    .Check     (1'b0)
  ) u_axi3 (
    .clk_i,
    .rst_ni,
    .s_axi_arid    (axi_arid),
    .s_axi_araddr  (axi_araddr),
    .s_axi_arlen   (axi_arlen),
    .s_axi_arsize  (axi_arsize),
    .s_axi_arburst (axi_arburst),
    .s_axi_arlock  (axi_arlock),
    .s_axi_arcache (4'b1111),
    .s_axi_arprot  (axi_arprot),
    .s_axi_arvalid (axi_arvalid),
    .s_axi_arready (axi_arready),
    .s_axi_rid     (axi_rid),
    .s_axi_rdata   (axi_rdata),
    .s_axi_rresp   (axi_rresp),
    .s_axi_rlast   (axi_rlast),
    .s_axi_rvalid  (axi_rvalid),
    .s_axi_rready  (axi_rready),
    .s_axi_awid    (axi_awid),
    .s_axi_awaddr  (axi_awaddr),
    .s_axi_awlen   (axi_awlen),
    .s_axi_awsize  (axi_awsize),
    .s_axi_awburst (axi_awburst),
    .s_axi_awlock  (axi_awlock),
    .s_axi_awcache (4'b1111),
    .s_axi_awprot  (axi_awprot),
    .s_axi_awvalid (axi_awvalid),
    .s_axi_awready (axi_awready),
    .s_axi_wdata   (axi_wdata),
    .s_axi_wstrb   (axi_wstrb),
    .s_axi_wlast   (axi_wlast),
    .s_axi_wvalid  (axi_wvalid),
    .s_axi_wready  (axi_wready),
    .s_axi_bid     (axi_bid),
    .s_axi_bresp   (axi_bresp),
    .s_axi_bvalid  (axi_bvalid),
    .s_axi_bready  (axi_bready),
    .m_axi_arid    (m_axi_hp0_arid),
    .m_axi_araddr  (m_axi_hp0_araddr),
    .m_axi_arlen   (m_axi_hp0_arlen),
    .m_axi_arsize  (m_axi_hp0_arsize),
    .m_axi_arburst (m_axi_hp0_arburst),
    .m_axi_arlock  (m_axi_hp0_arlock),
    .m_axi_arcache (m_axi_hp0_arcache),
    .m_axi_arprot  (m_axi_hp0_arprot),
    .m_axi_arvalid (m_axi_hp0_arvalid),
    .m_axi_arready (m_axi_hp0_arready),
    .m_axi_rid     (m_axi_hp0_rid),
    .m_axi_rdata   (m_axi_hp0_rdata),
    .m_axi_rresp   (m_axi_hp0_rresp),
    .m_axi_rlast   (m_axi_hp0_rlast),
    .m_axi_rvalid  (m_axi_hp0_rvalid),
    .m_axi_rready  (m_axi_hp0_rready),
    .m_axi_awid    (m_axi_hp0_awid),
    .m_axi_awaddr  (m_axi_hp0_awaddr),
    .m_axi_awlen   (m_axi_hp0_awlen),
    .m_axi_awsize  (m_axi_hp0_awsize),
    .m_axi_awburst (m_axi_hp0_awburst),
    .m_axi_awlock  (m_axi_hp0_awlock),
    .m_axi_awcache (m_axi_hp0_awcache),
    .m_axi_awprot  (m_axi_hp0_awprot),
    .m_axi_awvalid (m_axi_hp0_awvalid),
    .m_axi_awready (m_axi_hp0_awready),
    .m_axi_wid     (m_axi_hp0_wid),
    .m_axi_wdata   (m_axi_hp0_wdata),
    .m_axi_wstrb   (m_axi_hp0_wstrb),
    .m_axi_wlast   (m_axi_hp0_wlast),
    .m_axi_wvalid  (m_axi_hp0_wvalid),
    .m_axi_wready  (m_axi_hp0_wready),
    .m_axi_bid     (m_axi_hp0_bid),
    .m_axi_bresp   (m_axi_hp0_bresp),
    .m_axi_bvalid  (m_axi_hp0_bvalid),
    .m_axi_bready  (m_axi_hp0_bready)
  );

  logic unused_cache;  // what the ACP is told stands above
  assign unused_cache = ^{axi_arcache, axi_awcache};
endmodule
