// SPDX-License-Identifier: Apache-2.0
// Design memif_threads: the hardware threads of streamif_threads on sl_memif, one path of 32 bits
// for all as ReconOS has it, to the ACP of a Zynq-7000.
//
// Control: as streamif_threads; design page at 0x40000 with another identity; what is at 0x50000 is
//   sl_memif's, with the registers of sl_streamif. Interrupts: as streamif_threads.
// Memory: one port, AXI3, bursts of at most 16 beats, 64 bits, AxCACHE 4'b1111: for the ACP, which
//   takes the lower 3 bits of an ID and needs ARUSER and AWUSER = 5'h1f (UG585, Accelerator
//   Coherency Port).
// Throughput: header of sl_memif.
// Reset: `rst_ni`, everything; a halted thread empties its FIFO.
// Parameters out of range stop elaboration.

`include "sl_axi.svh"

module memif_threads #(
    parameter int unsigned NumThreads  = 8,     // 1..8
    parameter int unsigned DataWidth   = 64,    // of a port: 64
    parameter int unsigned RequestCycles = 18,  // as sl_memif
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
      .Identity  ("SLMI"),
      .NumPorts  (1),
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
  sl_axi_if #(.DataWidth(64)) axi ();
  sl_axi_if #(.DataWidth(64), .IdWidth(IdWidth), .Axi3(1'b1)) hp ();

  sl_memif #(
      .NumThreads   (NumThreads),
      .LenWidth     (26),
      .RequestCycles(RequestCycles),
      .TurnCycles   (TurnCycles)
  ) u_memif (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, memory., 13),
      .irq_o        (irq),
      .fault_irq_o  (fault_irq),
      .thread_rst_no(thread_rst_n),
      `SL_AXIS_PINS(to_axis_, to_),
      `SL_AXIS_PINS(from_axis_, from_),
      `SL_AXI_PINS(m_axi_, axi.)
  );

  sl_axi3_adapter #(
      .MaxBurst(16),
      .Coherent(1'b1),
      .Check   (1'b0)
  ) u_axi3 (
      .clk_i,
      .rst_ni,
      .s_axi(axi),
      .m_axi(hp)
  );

  `SL_AXI3_LINK(m_axi_hp0_, hp.)
endmodule
