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

`include "sl_axi.svh"

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

  if (NumPorts < 1 || NumPorts > 4) begin : gen_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..4, is %0d", NumPorts);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  // At least one, so that NumPorts = 0 gets as far as its refusal.
  localparam int unsigned Windows = NumPorts == 0 ? 1 : NumPorts;

  function automatic logic [Windows*20-1:0] bases();
    for (int unsigned p = 0; p < Windows; p++) bases[p*20+:20] = 20'(p << 16);
  endfunction

  sl_axil_if #(.AddrWidth(20)) control (), window [Windows] ();
  logic [7:0] faults;

  `SL_AXIL_LINK(control., s_axil_)

  sl_design_control #(
      .Windows  (Windows),
      .Base     (bases()),
      .Mask     ({Windows{20'hf0000}}),
      .Identity ("SLF2"),
      .NumPorts (NumPorts),
      .DataWidth(DataWidth),
      .LenWidth (LenWidth),
      .Unaligned(Unaligned)
  ) u_control (
      .clk_i,
      .rst_ni,
      .s_axil  (control),
      .m_axil  (window),
      .faults_i(faults)
  );

  // ---------------------------------------------------------------------------------------------
  // Lanes
  // ---------------------------------------------------------------------------------------------
  sl_axi_if #(.DataWidth(DataWidth), .IdWidth(IdWidth)) f2s [4] ();

  for (genvar p = 0; p < 4; p++) begin : gen_port
    if (p < NumPorts) begin : gen_lane
      sl_f2s_lane #(
          .LenWidth    (LenWidth),
          .BufferBeats (BufferBeats),
          .FifoBeats   (FifoBeats),
          .Unaligned   (Unaligned),
          .ResetTimeout(ResetTimeout)
      ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil (window[p]),
          .irq_o  (irq_o[2*p+:2]),
          .fault_o(faults[2*p+:2]),
          .m_axi  (f2s[p])
      );
    end else begin : gen_absent
      assign irq_o[2*p+:2] = '0;
      assign faults[2*p+:2] = '0;
      `SL_AXI_IDLE_MST(f2s[p].)
    end
  end

  `SL_AXI_LINK(m_axi_f2s0_, f2s[0].)
  `SL_AXI_LINK(m_axi_f2s1_, f2s[1].)
  `SL_AXI_LINK(m_axi_f2s2_, f2s[2].)
  `SL_AXI_LINK(m_axi_f2s3_, f2s[3].)
endmodule
