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

`include "sl_axi.svh"

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

  sl_axil_if #(.AddrWidth(20)) control (), memory ();
  logic [2*NumThreads-1:0]     irq;
  logic                        fault_irq;
  logic [NumThreads-1:0]       thread_rst_n, to_tlast, to_tvalid, to_tready;
  logic [NumThreads-1:0]       from_tlast, from_tvalid, from_tready;
  logic [NumThreads-1:0][31:0] to_tdata, from_tdata;
  logic [NumThreads-1:0][3:0]  to_tkeep, from_tkeep;

  `SL_AXIL_LINK(control., s_axil_)

  sl_thread_lanes #(
      .NumThreads(NumThreads),
      .Identity  ("SLST"),
      .NumPorts  (NumPorts),
      .DataWidth (DataWidth),
      .FifoBeats (FifoBeats)
  ) u_threads (
      .clk_i,
      .rst_ni,
      .s_axil       (control),
      .m_axil       (memory),
      .irq_i        (irq),
      .fault_irq_i  (fault_irq),
      .irq_o,
      .thread_rst_ni(thread_rst_n),
      `SL_AXIS_PINS(to_axis_, to_),
      `SL_AXIS_PINS(from_axis_, from_)
  );

  // ---------------------------------------------------------------------------------------------
  // Memory interface
  // ---------------------------------------------------------------------------------------------
  logic [NumPorts-1:0][3:0]  axi_arid, axi_rid, axi_awid, axi_bid;
  logic [NumPorts-1:0][31:0] axi_araddr, axi_awaddr;
  logic [NumPorts-1:0][7:0]  axi_arlen, axi_awlen, axi_wstrb;
  logic [NumPorts-1:0][2:0]  axi_arsize, axi_awsize, axi_arprot, axi_awprot;
  logic [NumPorts-1:0][1:0]  axi_arburst, axi_awburst, axi_rresp, axi_bresp;
  logic [NumPorts-1:0][3:0]  axi_arcache, axi_awcache;
  logic [NumPorts-1:0][63:0] axi_rdata, axi_wdata;
  logic [NumPorts-1:0]       axi_arlock, axi_arvalid, axi_arready, axi_rlast, axi_rvalid;
  logic [NumPorts-1:0]       axi_awlock, axi_awvalid, axi_awready, axi_wlast, axi_wvalid;
  logic [NumPorts-1:0]       axi_rready, axi_wready, axi_bvalid, axi_bready;

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
      `SL_AXIL_PINS(s_axil_, memory., 13),
      .irq_o        (irq),
      .fault_irq_o  (fault_irq),
      .thread_rst_no(thread_rst_n),
      `SL_AXIS_PINS(to_axis_, to_),
      `SL_AXIS_PINS(from_axis_, from_),
      `SL_AXI_PINS(m_axi_, axi_)
  );

  sl_axi_if #(.DataWidth(64), .IdWidth(IdWidth), .Axi3(1'b1)) hp [4] ();

  for (genvar p = 0; p < 4; p++) begin : gen_port
    if (p < NumPorts) begin : gen_adapter
      sl_axi_if #(.DataWidth(64), .IdWidth(4)) axi ();
      `SL_AXI_LINK_I(axi., , axi_, [p])

      sl_axi3_adapter #(
          .MaxBurst(16),
          .Check   (1'b0)
      ) u_axi3 (
          .clk_i,
          .rst_ni,
          .s_axi(axi),
          .m_axi(hp[p])
      );
    end else begin : gen_absent
      `SL_AXI_IDLE_MST(hp[p].)
      assign hp[p].wid = '0;
    end
  end

  `SL_AXI3_LINK(m_axi_hp0_, hp[0].)
  `SL_AXI3_LINK(m_axi_hp1_, hp[1].)
  `SL_AXI3_LINK(m_axi_hp2_, hp[2].)
  `SL_AXI3_LINK(m_axi_hp3_, hp[3].)
endmodule
