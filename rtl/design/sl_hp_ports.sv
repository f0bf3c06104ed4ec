// SPDX-License-Identifier: Apache-2.0
// The designs of the HP ports: one to four HP ports of a Zynq-7000, each with an engine, under
// control of one GP port. The parameter Design chooses:
//   "hp_stress"     a full-duplex AXI DMA that moves between memory and counter streams or loops
//                   back (sl_hp_lane); with IncludeSg, a capability block counts what S2MM captures
//   "dma_loopback"  an AXI DMA whose MM2S stream returns to its S2MM stream through a FIFO, the
//                   usual way of measuring what a port carries. It is hp_stress without sources and
//                   sinks: their pages answer DECERR, ROUTE is ignored; its engines have
//                   scatter-gather beside direct register mode, descriptors travel through their
//                   port (sl_hp_port)
//   "cdma"          an AXI CDMA that copies memory to memory, descriptors through its port. With
//                   RamBeats it copies to and from a block RAM of its own too (sl_cdma_lane), which
//                   the processor sees on the control port; by default at the same address, where
//                   the control port is at 0x4000_0000 as on M_AXI_GP0 of a Zynq-7000
//   "msgdma"        an mSGDMA that copies memory to memory (sl_msgdma_lane)
// dma_loopback, cdma: with NumPorts = 1 and Coherent = 1 the port is one for the ACP (sl_hp_port).
//
// Control: AXI4-Lite, 20-bit address. Lane p at p << 16 (its windows: below), design page at
//   0x40000, block RAMs one behind the other from 0x80000 on. Every other address, and the region
//   of a port that was not built, answers DECERR. s_axi_ram, AXI4 of 32 bits, has the block RAMs
//   too, from 0 on, for masters with bursts (sl_axi_gather); SLVERR beyond them; without RAM it
//   never answers.
// Interrupts: level; AXI DMA: irq_o[2p] MM2S and irq_o[2p + 1] S2MM of port p; else irq_o[p].
// Memory: AXI3, bursts of at most 16 beats, full width. The outputs of ports not built are
//   constant 0.
// Throughput: a beat a cycle read and written on every port; the lanes share nothing but the
//   control port.
// Reset: `rst_ni`, everything.
// Parameters out of range stop elaboration, and those of other designs that are not the default.
// Specification: regs/hp_stress.rdl, dma_loopback.rdl, cdma.rdl, msgdma.rdl (whole maps).

`include "sl_axi.svh"

module sl_hp_ports #(
    parameter string       Design       = "hp_stress",
    parameter int unsigned NumPorts     = 4,    // 1..4
    parameter int unsigned DataWidth    = 64,   // 32 or 64
    parameter int unsigned LenWidth     = Design == "msgdma" ? 31 : 26,  // 8..26; msgdma: 10..31
    parameter int unsigned BufferBeats  = 512,  // per direction and port, power of two
    parameter bit          Unaligned    = Design == "cdma" || Design == "msgdma",  // any alignment
    parameter int unsigned ResetTimeout = 1 << 20,  // 0..2^30 cycles: headers of the engines
    // dma_loopback, cdma; 0: engines without scatter-gather, smaller
    parameter bit          IncludeSg    = Design == "dma_loopback" || Design == "cdma",
    // hp_stress, dma_loopback: loop-back FIFO, power of two
    parameter int unsigned FifoBeats    = 512,
    // dma_loopback, cdma
    parameter bit          Coherent     = 1'b0,  // 1: for the ACP, see sl_hp_port
    // cdma
    parameter int unsigned RamBeats     = 0,     // an engine's block RAM: power of two, from 4 KiB
    parameter logic [31:0] RamBase      = 32'h4008_0000,  // bus address of the first one
    // msgdma; 0: for software that never reads responses: unread ones stop the engine
    parameter bit          IncludeResponse = 1'b1,
    localparam int unsigned Lines       = Design == "cdma" || Design == "msgdma" ? 1 : 2,
    localparam int unsigned IdWidth     = 6,
    localparam int unsigned RamIdWidth  = 12     // M_AXI_GP0's
) (
    input  logic clk_i,
    input  logic rst_ni,

    // Control
    input  logic [19:0] s_axil_awaddr,
    input  logic [2:0]  s_axil_awprot,
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_wdata,
    input  logic [3:0]  s_axil_wstrb,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [1:0]  s_axil_bresp,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    input  logic [19:0] s_axil_araddr,
    input  logic [2:0]  s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0]  s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    // cdma with RamBeats: its block RAMs, for bursts
    input  logic [RamIdWidth-1:0] s_axi_ram_awid,
    input  logic [18:0]           s_axi_ram_awaddr,
    input  logic [7:0]            s_axi_ram_awlen,
    input  logic [2:0]            s_axi_ram_awsize,
    input  logic [1:0]            s_axi_ram_awburst,
    input  logic                  s_axi_ram_awlock,
    input  logic [3:0]            s_axi_ram_awcache,
    input  logic [2:0]            s_axi_ram_awprot,
    input  logic                  s_axi_ram_awvalid,
    output logic                  s_axi_ram_awready,
    input  logic [31:0]           s_axi_ram_wdata,
    input  logic [3:0]            s_axi_ram_wstrb,
    input  logic                  s_axi_ram_wlast,
    input  logic                  s_axi_ram_wvalid,
    output logic                  s_axi_ram_wready,
    output logic [RamIdWidth-1:0] s_axi_ram_bid,
    output logic [1:0]            s_axi_ram_bresp,
    output logic                  s_axi_ram_bvalid,
    input  logic                  s_axi_ram_bready,
    input  logic [RamIdWidth-1:0] s_axi_ram_arid,
    input  logic [18:0]           s_axi_ram_araddr,
    input  logic [7:0]            s_axi_ram_arlen,
    input  logic [2:0]            s_axi_ram_arsize,
    input  logic [1:0]            s_axi_ram_arburst,
    input  logic                  s_axi_ram_arlock,
    input  logic [3:0]            s_axi_ram_arcache,
    input  logic [2:0]            s_axi_ram_arprot,
    input  logic                  s_axi_ram_arvalid,
    output logic                  s_axi_ram_arready,
    output logic [RamIdWidth-1:0] s_axi_ram_rid,
    output logic [31:0]           s_axi_ram_rdata,
    output logic [1:0]            s_axi_ram_rresp,
    output logic                  s_axi_ram_rlast,
    output logic                  s_axi_ram_rvalid,
    input  logic                  s_axi_ram_rready,

    output logic [4*Lines-1:0] irq_o,

    // HP0
    output logic [IdWidth-1:0]     m_axi_hp0_arid,
    output logic [31:0]            m_axi_hp0_araddr,
    output logic [3:0]             m_axi_hp0_arlen,
    output logic [2:0]             m_axi_hp0_arsize,
    output logic [1:0]             m_axi_hp0_arburst,
    output logic [1:0]             m_axi_hp0_arlock,
    output logic [3:0]             m_axi_hp0_arcache,
    output logic [2:0]             m_axi_hp0_arprot,
    output logic                   m_axi_hp0_arvalid,
    input  logic                   m_axi_hp0_arready,
    input  logic [IdWidth-1:0]     m_axi_hp0_rid,
    input  logic [DataWidth-1:0]   m_axi_hp0_rdata,
    input  logic [1:0]             m_axi_hp0_rresp,
    input  logic                   m_axi_hp0_rlast,
    input  logic                   m_axi_hp0_rvalid,
    output logic                   m_axi_hp0_rready,
    output logic [IdWidth-1:0]     m_axi_hp0_awid,
    output logic [31:0]            m_axi_hp0_awaddr,
    output logic [3:0]             m_axi_hp0_awlen,
    output logic [2:0]             m_axi_hp0_awsize,
    output logic [1:0]             m_axi_hp0_awburst,
    output logic [1:0]             m_axi_hp0_awlock,
    output logic [3:0]             m_axi_hp0_awcache,
    output logic [2:0]             m_axi_hp0_awprot,
    output logic                   m_axi_hp0_awvalid,
    input  logic                   m_axi_hp0_awready,
    output logic [IdWidth-1:0]     m_axi_hp0_wid,
    output logic [DataWidth-1:0]   m_axi_hp0_wdata,
    output logic [DataWidth/8-1:0] m_axi_hp0_wstrb,
    output logic                   m_axi_hp0_wlast,
    output logic                   m_axi_hp0_wvalid,
    input  logic                   m_axi_hp0_wready,
    input  logic [IdWidth-1:0]     m_axi_hp0_bid,
    input  logic [1:0]             m_axi_hp0_bresp,
    input  logic                   m_axi_hp0_bvalid,
    output logic                   m_axi_hp0_bready,

    // HP1
    output logic [IdWidth-1:0]     m_axi_hp1_arid,
    output logic [31:0]            m_axi_hp1_araddr,
    output logic [3:0]             m_axi_hp1_arlen,
    output logic [2:0]             m_axi_hp1_arsize,
    output logic [1:0]             m_axi_hp1_arburst,
    output logic [1:0]             m_axi_hp1_arlock,
    output logic [3:0]             m_axi_hp1_arcache,
    output logic [2:0]             m_axi_hp1_arprot,
    output logic                   m_axi_hp1_arvalid,
    input  logic                   m_axi_hp1_arready,
    input  logic [IdWidth-1:0]     m_axi_hp1_rid,
    input  logic [DataWidth-1:0]   m_axi_hp1_rdata,
    input  logic [1:0]             m_axi_hp1_rresp,
    input  logic                   m_axi_hp1_rlast,
    input  logic                   m_axi_hp1_rvalid,
    output logic                   m_axi_hp1_rready,
    output logic [IdWidth-1:0]     m_axi_hp1_awid,
    output logic [31:0]            m_axi_hp1_awaddr,
    output logic [3:0]             m_axi_hp1_awlen,
    output logic [2:0]             m_axi_hp1_awsize,
    output logic [1:0]             m_axi_hp1_awburst,
    output logic [1:0]             m_axi_hp1_awlock,
    output logic [3:0]             m_axi_hp1_awcache,
    output logic [2:0]             m_axi_hp1_awprot,
    output logic                   m_axi_hp1_awvalid,
    input  logic                   m_axi_hp1_awready,
    output logic [IdWidth-1:0]     m_axi_hp1_wid,
    output logic [DataWidth-1:0]   m_axi_hp1_wdata,
    output logic [DataWidth/8-1:0] m_axi_hp1_wstrb,
    output logic                   m_axi_hp1_wlast,
    output logic                   m_axi_hp1_wvalid,
    input  logic                   m_axi_hp1_wready,
    input  logic [IdWidth-1:0]     m_axi_hp1_bid,
    input  logic [1:0]             m_axi_hp1_bresp,
    input  logic                   m_axi_hp1_bvalid,
    output logic                   m_axi_hp1_bready,

    // HP2
    output logic [IdWidth-1:0]     m_axi_hp2_arid,
    output logic [31:0]            m_axi_hp2_araddr,
    output logic [3:0]             m_axi_hp2_arlen,
    output logic [2:0]             m_axi_hp2_arsize,
    output logic [1:0]             m_axi_hp2_arburst,
    output logic [1:0]             m_axi_hp2_arlock,
    output logic [3:0]             m_axi_hp2_arcache,
    output logic [2:0]             m_axi_hp2_arprot,
    output logic                   m_axi_hp2_arvalid,
    input  logic                   m_axi_hp2_arready,
    input  logic [IdWidth-1:0]     m_axi_hp2_rid,
    input  logic [DataWidth-1:0]   m_axi_hp2_rdata,
    input  logic [1:0]             m_axi_hp2_rresp,
    input  logic                   m_axi_hp2_rlast,
    input  logic                   m_axi_hp2_rvalid,
    output logic                   m_axi_hp2_rready,
    output logic [IdWidth-1:0]     m_axi_hp2_awid,
    output logic [31:0]            m_axi_hp2_awaddr,
    output logic [3:0]             m_axi_hp2_awlen,
    output logic [2:0]             m_axi_hp2_awsize,
    output logic [1:0]             m_axi_hp2_awburst,
    output logic [1:0]             m_axi_hp2_awlock,
    output logic [3:0]             m_axi_hp2_awcache,
    output logic [2:0]             m_axi_hp2_awprot,
    output logic                   m_axi_hp2_awvalid,
    input  logic                   m_axi_hp2_awready,
    output logic [IdWidth-1:0]     m_axi_hp2_wid,
    output logic [DataWidth-1:0]   m_axi_hp2_wdata,
    output logic [DataWidth/8-1:0] m_axi_hp2_wstrb,
    output logic                   m_axi_hp2_wlast,
    output logic                   m_axi_hp2_wvalid,
    input  logic                   m_axi_hp2_wready,
    input  logic [IdWidth-1:0]     m_axi_hp2_bid,
    input  logic [1:0]             m_axi_hp2_bresp,
    input  logic                   m_axi_hp2_bvalid,
    output logic                   m_axi_hp2_bready,

    // HP3
    output logic [IdWidth-1:0]     m_axi_hp3_arid,
    output logic [31:0]            m_axi_hp3_araddr,
    output logic [3:0]             m_axi_hp3_arlen,
    output logic [2:0]             m_axi_hp3_arsize,
    output logic [1:0]             m_axi_hp3_arburst,
    output logic [1:0]             m_axi_hp3_arlock,
    output logic [3:0]             m_axi_hp3_arcache,
    output logic [2:0]             m_axi_hp3_arprot,
    output logic                   m_axi_hp3_arvalid,
    input  logic                   m_axi_hp3_arready,
    input  logic [IdWidth-1:0]     m_axi_hp3_rid,
    input  logic [DataWidth-1:0]   m_axi_hp3_rdata,
    input  logic [1:0]             m_axi_hp3_rresp,
    input  logic                   m_axi_hp3_rlast,
    input  logic                   m_axi_hp3_rvalid,
    output logic                   m_axi_hp3_rready,
    output logic [IdWidth-1:0]     m_axi_hp3_awid,
    output logic [31:0]            m_axi_hp3_awaddr,
    output logic [3:0]             m_axi_hp3_awlen,
    output logic [2:0]             m_axi_hp3_awsize,
    output logic [1:0]             m_axi_hp3_awburst,
    output logic [1:0]             m_axi_hp3_awlock,
    output logic [3:0]             m_axi_hp3_awcache,
    output logic [2:0]             m_axi_hp3_awprot,
    output logic                   m_axi_hp3_awvalid,
    input  logic                   m_axi_hp3_awready,
    output logic [IdWidth-1:0]     m_axi_hp3_wid,
    output logic [DataWidth-1:0]   m_axi_hp3_wdata,
    output logic [DataWidth/8-1:0] m_axi_hp3_wstrb,
    output logic                   m_axi_hp3_wlast,
    output logic                   m_axi_hp3_wvalid,
    input  logic                   m_axi_hp3_wready,
    input  logic [IdWidth-1:0]     m_axi_hp3_bid,
    input  logic [1:0]             m_axi_hp3_bresp,
    input  logic                   m_axi_hp3_bvalid,
    output logic                   m_axi_hp3_bready
);

  import sl_design_pkg::*;

  localparam engine_e Engine = Design == "cdma" ? EngineCdma :
                               Design == "msgdma" ? EngineMsgdma : EngineAxiDma;
  localparam bit Streams = Design == "hp_stress";
  localparam logic [31:0] Identity = Design == "hp_stress" ? (IncludeSg ? "SLHS" : "SLHP") :
                                     Design == "dma_loopback" ? "SLLB" :
                                     Design == "cdma" ? "SLCD" : "SLMS";
  // The windows of a lane: all of it; the CDMA's page; csr, desc and resp of the mSGDMA. Those of
  // block RAMs follow the lanes'.
  localparam int unsigned LaneWindows = Engine == EngineMsgdma ? 3 : 1;
  // At least one, so that NumPorts = 0 gets as far as its refusal.
  localparam int unsigned Lanes       = NumPorts == 0 ? 1 : NumPorts;
  localparam int unsigned Windows     = Lanes * LaneWindows + (RamBeats == 0 ? 0 : Lanes);
  localparam int unsigned RamBytes    = RamBeats * DataWidth / 8;
  localparam int unsigned RamPlace    = 'h80000;
  localparam logic [LaneWindows*20-1:0] LaneBase =
      (LaneWindows * 20)'({20'h00040, 20'h00020, 20'h00000});
  localparam logic [LaneWindows*20-1:0] LaneMask = (LaneWindows * 20)'(
      Engine == EngineAxiDma ? {3{20'hf0000}} :
      Engine == EngineCdma ? {3{20'hff000}} : {20'hffff8, 20'hfffe0, 20'hfffe0});

  if (Design != "hp_stress" && Design != "dma_loopback" && Design != "cdma" && Design != "msgdma")
  begin : gen_bad_design
    $fatal(1, "%m: Design must be hp_stress, dma_loopback, cdma or msgdma, is %s", Design);
  end
  if ((Engine != EngineAxiDma && FifoBeats != 512) ||
      (Design == "msgdma" && IncludeSg) ||
      (Design != "cdma" && Design != "dma_loopback" && Coherent) ||
      (Design != "cdma" && (RamBeats != 0 || RamBase != 32'h4008_0000)) ||
      (Design != "msgdma" && !IncludeResponse))
  begin : gen_bad_option
    $fatal(1, "%m: a parameter of another design is not its default");
  end
  if (RamBytes > 32'h10000) begin : gen_bad_ram
    $fatal(1, "%m: RamBeats must make at most 64 KiB an engine, is %0d", RamBeats);
  end
  if (NumPorts < 1 || NumPorts > 4) begin : gen_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..4, is %0d", NumPorts);
  end
  if (DataWidth != 32 && DataWidth != 64) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

  // ---------------------------------------------------------------------------------------------
  // Control
  // ---------------------------------------------------------------------------------------------
  function automatic logic [Windows*20-1:0] bases();
    for (int unsigned w = 0; w < Windows; w++) begin
      bases[w*20+:20] = w < Lanes * LaneWindows ?
          20'((w / LaneWindows) << 16) | LaneBase[w%LaneWindows*20+:20] :
          20'(RamPlace + (w - Lanes * LaneWindows) * RamBytes);
    end
  endfunction
  function automatic logic [Windows*20-1:0] masks();
    for (int unsigned w = 0; w < Windows; w++) begin
      masks[w*20+:20] = w < Lanes * LaneWindows ? LaneMask[w%LaneWindows*20+:20] :
          20'(~(RamBytes - 1));
    end
  endfunction

  sl_axil_if #(.AddrWidth(20)) control (), window [Windows] ();
  logic [3:0] faults;

  `SL_AXIL_LINK(control., s_axil_)

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
      .s_axil  (control),
      .m_axil  (window),
      .faults_i(8'(faults))
  );

  // ---------------------------------------------------------------------------------------------
  // Lanes
  // ---------------------------------------------------------------------------------------------
  sl_axi_if #(.DataWidth(DataWidth), .IdWidth(IdWidth), .Axi3(1'b1)) hp [4] ();
  sl_axi_if #(.DataWidth(32), .IdWidth(RamIdWidth)) rams (), ram_bursts [Lanes] ();

  assign rams.araddr = 32'(s_axi_ram_araddr);
  assign rams.awaddr = 32'(s_axi_ram_awaddr);
  `SL_AXI_LINK_BUT_ADDR(rams., s_axi_ram_)

  if (RamBeats != 0) begin : gen_ram_bursts
    sl_axi_windows #(
        .NumSlaves (Lanes),
        .WindowBits($clog2(RamBytes))
    ) u_windows (
        .clk_i,
        .rst_ni,
        .s_axi(rams),
        .m_axi(ram_bursts)
    );
  end else begin : gen_no_ram_bursts
    `SL_AXI_IDLE_SLV(rams.)
    for (genvar p = 0; p < Lanes; p++) begin : gen_lane
      `SL_AXI_IDLE_MST(ram_bursts[p].)
    end
  end

  for (genvar p = 0; p < 4; p++) begin : gen_port
    if (p >= NumPorts) begin : gen_absent
      assign irq_o[p*Lines+:Lines] = '0;
      assign faults[p] = 1'b0;
      `SL_AXI_IDLE_MST(hp[p].)
      assign hp[p].wid = '0;
    end else if (Engine == EngineAxiDma) begin : gen_dma
      sl_hp_lane #(
          .LenWidth    (LenWidth),
          .BufferBeats (BufferBeats),
          .FifoBeats   (FifoBeats),
          .Unaligned   (Unaligned),
          .IncludeSg   (IncludeSg),
          .Coherent    (Coherent),
          .Streams     (Streams),
          .ResetTimeout(ResetTimeout)
      ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil (window[p]),
          .irq_o  (irq_o[p*Lines+:Lines]),
          .fault_o(faults[p]),
          .m_axi  (hp[p])
      );
    end else if (Engine == EngineMsgdma) begin : gen_msgdma
      sl_msgdma_lane #(
          .LenWidth    (LenWidth),
          .BufferBeats (BufferBeats),
          .Unaligned   (Unaligned),
          .IncludeResponse(IncludeResponse),
          .ResetTimeout(ResetTimeout)
      ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil_csr (window[p*LaneWindows]),
          .s_axil_desc(window[p*LaneWindows+1]),
          .s_axil_resp(window[p*LaneWindows+2]),
          .irq_o      (irq_o[p]),
          .fault_o    (faults[p]),
          .m_axi      (hp[p])
      );
    end else begin : gen_cdma
      sl_axil_if #(.AddrWidth(20)) ram ();

      if (RamBeats != 0) begin : gen_ram_window
        `SL_AXIL_LINK(ram., window[NumPorts + p].)
      end else begin : gen_no_ram_window
        `SL_AXIL_IDLE_MST(ram.)
      end

      sl_cdma_lane #(
          .LenWidth    (LenWidth),
          .BufferBeats (BufferBeats),
          .Unaligned   (Unaligned),
          .IncludeSg   (IncludeSg),
          .Coherent    (Coherent),
          .RamBeats    (RamBeats),
          .RamBase     (RamBase + p * RamBytes),
          .RamFirst    (p * RamBytes),
          .ResetTimeout(ResetTimeout)
      ) u_lane (
          .clk_i,
          .rst_ni,
          .s_axil    (window[p]),
          .s_axil_ram(ram),
          .s_axi_ram (ram_bursts[p]),
          .irq_o     (irq_o[p]),
          .fault_o   (faults[p]),
          .m_axi     (hp[p])
      );
    end
  end

  `SL_AXI3_LINK(m_axi_hp0_, hp[0].)
  `SL_AXI3_LINK(m_axi_hp1_, hp[1].)
  `SL_AXI3_LINK(m_axi_hp2_, hp[2].)
  `SL_AXI3_LINK(m_axi_hp3_, hp[3].)
endmodule
