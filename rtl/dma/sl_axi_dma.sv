// SPDX-License-Identifier: Apache-2.0
// AXI DMA, memory to stream (MM2S) and stream to memory (S2MM), with the registers and behaviour
// of AMD PG021 in direct register mode, in scatter-gather and cyclic mode, or in both, one at a
// time (header of sl_axi_dma_front), so that software for the vendor's engine drives it unchanged.
//
// Structure: registers (sl_axi_dma_csr), reset (sl_dma_reset), and for each direction a front
//   end on a mover (sl_axi_dma_mm2s, sl_axi_dma_s2mm). The directions share the memory port (AR/R
//   from MM2S, AW/W/B from S2MM), the descriptor port (sl_axi_dma_join) and the soft reset, and
//   nothing else: neither can stall the other, but by the descriptors' traffic.
// Handshake: every VALID output is independent of its READY. `m_axis` stalls only MM2S; read bursts
//   are issued only into reserved buffer space, so a stalled stream never holds R. `s_axis` is
//   taken only while an S2MM transfer or descriptor stands.
// Widths: a stream that is narrower or wider than memory has the same bytes in the same order
//   (sl_axis_width), at the rate of the narrower. Without Unaligned what starts at multiples of
//   DataWidth, and what ends there where no packet ends, does so whatever StreamWidth is.
// Throughput: a beat a cycle each way; IncludeSg, 64 bits, latency of 60 on both ports: descriptors
//   of 256 B at 80 % of it in a contiguous ring, 45 % scattered; 1 KiB 95 %, 4 KiB 98 %. Latency:
//   write of LENGTH taken to ARVALID 3 cycles.
// Interrupts: level, an event's bit of DMASR and its enable: IOC, Err, with IncludeSg Dly.
// Errors: the channel that met one clears RS, sets its DMASR bit and Err_Irq, lets issued bursts
//   end and then sets Halted; it starts again only after a reset. The other channel runs on.
// Stop: RS cleared, a direction ends what it has begun. Where it waits for nothing but the other
//   side of the stream, StopTimeout cycles on end, it drops the rest and halts (PG021: "potentially
//   terminated"): MM2S withdraws TVALID, and the packet has no TLAST; S2MM loses beats it took.
// Reset: `rst_ni`, or DMACR.Reset of either channel (both channels; issued bursts end legally
//   first). A soft reset may withdraw TVALID on `m_axis` (PG021: streams may be terminated early);
//   `stream_rst_no` is low from there to its end, for whatever stands on the streams.
// Fault: a reset, or the halt after an error, for which memory has to be waited ResetTimeout cycles
//   isolates memory and descriptor port (sl_axi_guard) and sets `fault_o`, both until `rst_ni`; it
//   then ends, and a later transfer fails at once with a slave error.
// Probes: *_stall_o says why the mover moved nothing (headers of sl_mm2s, sl_s2mm); *_done_o is a
//   pulse for each transfer, with IncludeSg each descriptor written back, with its bytes and end of
//   packet.
// Parameters out of range stop elaboration. IncludeMm2s or IncludeS2mm = 0 leaves the channel out:
//   it stays halted, its outputs are 0. IncludeSg = 0: so are those of `m_axi_sg`.
// Not supported: micro mode, keyhole, control and status streams.
// Specification: AMD PG021 v7.1; regs/sl_axi_dma.rdl; docs/reference/sl_axi_dma.md (differences).

`include "sl_axi.svh"

module sl_axi_dma
  import sl_axi_dma_pkg::*;
#(
    parameter int unsigned AddrWidth   = 32,   // 32..64
    parameter int unsigned DataWidth   = 64,   // 32..512, power of two; memory
    parameter int unsigned StreamWidth = DataWidth,   // 32..512, power of two; both streams
    parameter int unsigned LenWidth    = 26,   // 8..26, width of LENGTH
    parameter int unsigned IdWidth     = 1,    // all transfers use ID 0
    parameter int unsigned MaxBurst    = 16,   // 2..256 beats, power of two
    parameter int unsigned BufferBeats = 512,  // per direction, power of two
    parameter bit          Unaligned   = 1'b0, // 1: buffers may start at any byte
    parameter bit          IncludeMm2s = 1'b1,
    parameter bit          IncludeS2mm = 1'b1,
    parameter bit          IncludeSg   = 1'b0,        // scatter-gather and cyclic mode
    parameter bit          IncludeDirect = !IncludeSg, // direct register mode
    parameter int unsigned ResetTimeout = 1 << 20,  // 0..2^30 cycles, see Fault; 0: never
    parameter int unsigned StopTimeout  = 1 << 14   // 0..2^30 cycles, see Stop; 0: never
) (
    input logic clk_i,
    input logic rst_ni,

    // Registers
    input  logic [ 9:0] s_axil_awaddr,
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
    input  logic [ 9:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    output logic mm2s_irq_o,
    output logic s2mm_irq_o,
    output logic stream_rst_no,  // low in reset, and from the start to the end of a soft reset
    output logic fault_o,        // memory has not answered, the ports are isolated; until rst_ni

    // Probes
    output logic [         3:0] mm2s_stall_o,  // {response, data, space, address}
    output logic                mm2s_done_o,
    output logic [LenWidth-1:0] mm2s_done_bytes_o,
    output logic                mm2s_done_eop_o,
    output logic [         3:0] s2mm_stall_o,
    output logic                s2mm_done_o,
    output logic [LenWidth-1:0] s2mm_done_bytes_o,
    output logic                s2mm_done_eop_o,

    // Memory (AXI4): AR and R belong to MM2S, AW, W and B to S2MM
    output logic [    IdWidth-1:0] m_axi_arid,
    output logic [  AddrWidth-1:0] m_axi_araddr,
    output logic [            7:0] m_axi_arlen,
    output logic [            2:0] m_axi_arsize,
    output logic [            1:0] m_axi_arburst,
    output logic                   m_axi_arlock,
    output logic [            3:0] m_axi_arcache,
    output logic [            2:0] m_axi_arprot,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    input  logic [    IdWidth-1:0] m_axi_rid,
    input  logic [  DataWidth-1:0] m_axi_rdata,
    input  logic [            1:0] m_axi_rresp,
    input  logic                   m_axi_rlast,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready,
    output logic [    IdWidth-1:0] m_axi_awid,
    output logic [  AddrWidth-1:0] m_axi_awaddr,
    output logic [            7:0] m_axi_awlen,
    output logic [            2:0] m_axi_awsize,
    output logic [            1:0] m_axi_awburst,
    output logic                   m_axi_awlock,
    output logic [            3:0] m_axi_awcache,
    output logic [            2:0] m_axi_awprot,
    output logic                   m_axi_awvalid,
    input  logic                   m_axi_awready,
    output logic [  DataWidth-1:0] m_axi_wdata,
    output logic [DataWidth/8-1:0] m_axi_wstrb,
    output logic                   m_axi_wlast,
    output logic                   m_axi_wvalid,
    input  logic                   m_axi_wready,
    input  logic [    IdWidth-1:0] m_axi_bid,
    input  logic [            1:0] m_axi_bresp,
    input  logic                   m_axi_bvalid,
    output logic                   m_axi_bready,

    // Descriptors (AXI4, 32 bits; IncludeSg): the ID's bit tells the channel, 0 MM2S, 1 S2MM
    output logic [          0:0] m_axi_sg_arid,
    output logic [AddrWidth-1:0] m_axi_sg_araddr,
    output logic [          7:0] m_axi_sg_arlen,
    output logic [          2:0] m_axi_sg_arsize,
    output logic [          1:0] m_axi_sg_arburst,
    output logic                 m_axi_sg_arlock,
    output logic [          3:0] m_axi_sg_arcache,
    output logic [          2:0] m_axi_sg_arprot,
    output logic                 m_axi_sg_arvalid,
    input  logic                 m_axi_sg_arready,
    input  logic [          0:0] m_axi_sg_rid,
    input  logic [         31:0] m_axi_sg_rdata,
    input  logic [          1:0] m_axi_sg_rresp,
    input  logic                 m_axi_sg_rlast,
    input  logic                 m_axi_sg_rvalid,
    output logic                 m_axi_sg_rready,
    output logic [          0:0] m_axi_sg_awid,
    output logic [AddrWidth-1:0] m_axi_sg_awaddr,
    output logic [          7:0] m_axi_sg_awlen,
    output logic [          2:0] m_axi_sg_awsize,
    output logic [          1:0] m_axi_sg_awburst,
    output logic                 m_axi_sg_awlock,
    output logic [          3:0] m_axi_sg_awcache,
    output logic [          2:0] m_axi_sg_awprot,
    output logic                 m_axi_sg_awvalid,
    input  logic                 m_axi_sg_awready,
    output logic [         31:0] m_axi_sg_wdata,
    output logic [          3:0] m_axi_sg_wstrb,
    output logic                 m_axi_sg_wlast,
    output logic                 m_axi_sg_wvalid,
    input  logic                 m_axi_sg_wready,
    input  logic [          0:0] m_axi_sg_bid,
    input  logic [          1:0] m_axi_sg_bresp,
    input  logic                 m_axi_sg_bvalid,
    output logic                 m_axi_sg_bready,

    // MM2S stream
    output logic [  StreamWidth-1:0] m_axis_tdata,
    output logic [StreamWidth/8-1:0] m_axis_tkeep,
    output logic                     m_axis_tlast,
    output logic                     m_axis_tvalid,
    input  logic                     m_axis_tready,

    // S2MM stream
    input  logic [  StreamWidth-1:0] s_axis_tdata,
    input  logic [StreamWidth/8-1:0] s_axis_tkeep,
    input  logic                     s_axis_tlast,
    input  logic                     s_axis_tvalid,
    output logic                     s_axis_tready
);
  if (AddrWidth < 32 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128, 256 or 512, is %0d", DataWidth);
  end
  if (StreamWidth < 32 || StreamWidth > 512 || 2 ** $clog2(StreamWidth) != StreamWidth)
  begin : gen_bad_stream_width
    $fatal(1, "%m: StreamWidth must be 32, 64, 128, 256 or 512, is %0d", StreamWidth);
  end
  if (LenWidth < 8 || LenWidth > 26) begin : gen_bad_len_width
    $fatal(1, "%m: LenWidth must be 8..26, is %0d", LenWidth);
  end
  if (!IncludeMm2s && !IncludeS2mm) begin : gen_bad_include
    $fatal(1, "%m: IncludeMm2s and IncludeS2mm are both 0");
  end
  if (!IncludeSg && !IncludeDirect) begin : gen_bad_mode
    $fatal(1, "%m: IncludeSg and IncludeDirect are both 0");
  end

  sl_axi_dma_ctrl_t   mm2s_ctrl, s2mm_ctrl;
  sl_axi_dma_status_t mm2s_status, s2mm_status;
  sl_axi_dma_sg_req_t mm2s_sg_req, s2mm_sg_req;
  sl_axi_dma_sg_rsp_t mm2s_sg_rsp, s2mm_sg_rsp;
  logic               reset_req, quiesce, core_rst_n, mm2s_idle, s2mm_idle;
  logic               mm2s_halting, s2mm_halting;

  sl_axil_if #(.AddrWidth(10)) regs_bus ();
  sl_axis_if #(.DataWidth(StreamWidth)) mm2s_bus (), s2mm_bus ();
  // The memory bus of the movers, and what is left of it behind the guard
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(DataWidth), .IdWidth(IdWidth))
      mem_bus (), port_bus ();
  sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(32)) sg_bus ();

  // ---------------------------------------------------------------------------------------------
  // Pins
  // ---------------------------------------------------------------------------------------------
  `SL_AXIL_LINK(regs_bus., s_axil_)
  `SL_AXI_LINK(m_axi_, port_bus.)
  `SL_AXI_LINK(m_axi_sg_, sg_bus.)
  `SL_AXIS_LINK(m_axis_, mm2s_bus.)
  `SL_AXIS_LINK(s2mm_bus., s_axis_)

  sl_axi_dma_csr #(
      .AddrWidth  (AddrWidth),
      .IncludeMm2s(IncludeMm2s),
      .IncludeS2mm(IncludeS2mm),
      .IncludeSg  (IncludeSg),
      .IncludeDirect(IncludeDirect)
  ) u_csr (
      .clk_i,
      .rst_ni,
      .rst_core_ni  (core_rst_n),
      .reset_o      (reset_req),
      .mm2s_irq_o,
      .s2mm_irq_o,
      .mm2s_ctrl_o  (mm2s_ctrl),
      .s2mm_ctrl_o  (s2mm_ctrl),
      .mm2s_status_i(mm2s_status),
      .s2mm_status_i(s2mm_status),
      .s_axil(regs_bus)
  );

  sl_dma_reset u_reset (
      .clk_i,
      .rst_ni,
      .req_i    (reset_req),
      .quiet_i  (mm2s_idle && s2mm_idle),
      .quiesce_o(quiesce),
      .rst_no   (core_rst_n)
  );

  // For as long as the reset lasts: the mover takes TVALID of m_axis back when it is halted.
  assign stream_rst_no = core_rst_n && !quiesce;

  // ---------------------------------------------------------------------------------------------
  // Memory to stream
  // ---------------------------------------------------------------------------------------------
  if (IncludeMm2s) begin : gen_mm2s
    sl_axi_dma_mm2s #(
        .LenWidth   (LenWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .Unaligned  (Unaligned),
        .IncludeSg  (IncludeSg),
        .IncludeDirect(IncludeDirect),
        .StopTimeout(StopTimeout)
    ) u_mm2s (
        .clk_i,
        .rst_ni      (core_rst_n),
        .quiesce_i   (quiesce),
        .idle_o      (mm2s_idle),
        .halting_o   (mm2s_halting),
        .ctrl_i      (mm2s_ctrl),
        .status_o    (mm2s_status),
        .stall_o     (mm2s_stall_o),
        .done_o      (mm2s_done_o),
        .done_bytes_o(mm2s_done_bytes_o),
        .done_eop_o  (mm2s_done_eop_o),
        .sg_req_o    (mm2s_sg_req),
        .sg_rsp_i    (mm2s_sg_rsp),
        .m_axi(mem_bus),
        .m_axis(mm2s_bus)
    );
  end else begin : gen_no_mm2s
    logic unused;

    assign unused = ^{mm2s_ctrl, mm2s_sg_rsp};
    assign mm2s_idle = 1'b1;
    assign mm2s_halting = 1'b0;
    assign mm2s_status = ABSENT;
    assign mm2s_sg_req = '0;
    assign mm2s_stall_o = '0;
    assign mm2s_done_o = '0;
    assign mm2s_done_bytes_o = '0;
    assign mm2s_done_eop_o = '0;
    `SL_AXI_IDLE_RD_MST(mem_bus.)
    `SL_AXIS_IDLE_MST(mm2s_bus.)
  end

  // ---------------------------------------------------------------------------------------------
  // Stream to memory
  // ---------------------------------------------------------------------------------------------
  if (IncludeS2mm) begin : gen_s2mm
    sl_axi_dma_s2mm #(
        .LenWidth   (LenWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .Unaligned  (Unaligned),
        .IncludeSg  (IncludeSg),
        .IncludeDirect(IncludeDirect),
        .StopTimeout(StopTimeout)
    ) u_s2mm (
        .clk_i,
        .rst_ni      (core_rst_n),
        .quiesce_i   (quiesce),
        .idle_o      (s2mm_idle),
        .halting_o   (s2mm_halting),
        .ctrl_i      (s2mm_ctrl),
        .status_o    (s2mm_status),
        .stall_o     (s2mm_stall_o),
        .done_o      (s2mm_done_o),
        .done_bytes_o(s2mm_done_bytes_o),
        .done_eop_o  (s2mm_done_eop_o),
        .sg_req_o    (s2mm_sg_req),
        .sg_rsp_i    (s2mm_sg_rsp),
        .m_axi(mem_bus),
        .s_axis(s2mm_bus)
    );
  end else begin : gen_no_s2mm
    logic unused;

    assign unused = ^{s2mm_ctrl, s2mm_sg_rsp};
    assign s2mm_idle = 1'b1;
    assign s2mm_halting = 1'b0;
    assign s2mm_status = ABSENT;
    assign s2mm_sg_req = '0;
    assign s2mm_stall_o = '0;
    assign s2mm_done_o = '0;
    assign s2mm_done_bytes_o = '0;
    assign s2mm_done_eop_o = '0;
    `SL_AXI_IDLE_WR_MST(mem_bus.)
    assign s2mm_bus.tready = 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Memory port
  // ---------------------------------------------------------------------------------------------
  sl_dma_timeout #(
      .Timeout(ResetTimeout)
  ) u_timeout (
      .clk_i,
      .rst_ni,
      .wait_i   (quiesce || mm2s_halting || s2mm_halting),
      .expired_o(fault_o)
  );

  sl_dma_port #(
      .ReadPort      (IncludeMm2s),
      .WritePort     (IncludeS2mm),
      .Guard         (ResetTimeout != 0)
  ) u_port (
      .clk_i,
      .rst_ni,
      .isolate_i    (fault_o),
      .s_axi(mem_bus),
      .m_axi(port_bus)
  );

  // ---------------------------------------------------------------------------------------------
  // Descriptor port
  // ---------------------------------------------------------------------------------------------
  if (IncludeSg) begin : gen_sg
    sl_axi_if #(.AddrWidth(AddrWidth), .DataWidth(32)) bd_bus ();

    sl_axi_dma_join u_join (
        .clk_i,
        .rst_ni,
        .req_i        ({s2mm_sg_req, mm2s_sg_req}),
        .rsp_o        ({s2mm_sg_rsp, mm2s_sg_rsp}),
        .m_axi(bd_bus)
    );

    sl_dma_port #(
        .NumIds        (2),
        .Guard         (ResetTimeout != 0)
    ) u_sg_port (
        .clk_i,
        .rst_ni,
        .isolate_i    (fault_o),
        .s_axi(bd_bus),
        .m_axi(sg_bus)
    );
  end else begin : gen_no_sg
    logic unused;

    assign unused = ^{mm2s_sg_req, s2mm_sg_req};
    assign mm2s_sg_rsp = '0;
    assign s2mm_sg_rsp = '0;
    `SL_AXI_IDLE_MST(sg_bus.)
  end

  // ---------------------------------------------------------------------------------------------
  // Protocol checkers. The one of m_axis is in reset with the stream, see stream_rst_no, and while
  // the mover is halted, see Stop.
  // ---------------------------------------------------------------------------------------------
  `SL_AXIS_CHECK(u_check_axis, m_axis_, StreamWidth, stream_rst_no && !mm2s_halting)
  `SL_AXIL_CHECK(u_check_axil, s_axil_, 10, 32)
endmodule
