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
    parameter int unsigned ResetTimeout = 1 << 20  // 0..2^30 cycles, see Fault; 0: never
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
  if (AddrWidth < 32 || AddrWidth > 64) begin : g_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth) begin : g_bad_width
    $fatal(1, "%m: DataWidth must be 32, 64, 128, 256 or 512, is %0d", DataWidth);
  end
  if (StreamWidth < 32 || StreamWidth > 512 || 2 ** $clog2(StreamWidth) != StreamWidth)
  begin : g_bad_stream_width
    $fatal(1, "%m: StreamWidth must be 32, 64, 128, 256 or 512, is %0d", StreamWidth);
  end
  if (LenWidth < 8 || LenWidth > 26) begin : g_bad_len_width
    $fatal(1, "%m: LenWidth must be 8..26, is %0d", LenWidth);
  end
  if (!IncludeMm2s && !IncludeS2mm) begin : g_bad_include
    $fatal(1, "%m: IncludeMm2s and IncludeS2mm are both 0");
  end
  if (!IncludeSg && !IncludeDirect) begin : g_bad_mode
    $fatal(1, "%m: IncludeSg and IncludeDirect are both 0");
  end

  sl_axi_dma_ctrl_t   mm2s_ctrl, s2mm_ctrl;
  sl_axi_dma_status_t mm2s_status, s2mm_status;
  sl_axi_dma_sg_req_t mm2s_sg_req, s2mm_sg_req;
  sl_axi_dma_sg_rsp_t mm2s_sg_rsp, s2mm_sg_rsp;
  logic               reset_req, quiesce, core_rst_n, mm2s_idle, s2mm_idle;
  logic               mm2s_halting, s2mm_halting;

  // The movers' bus
  logic [IdWidth-1:0]    mem_arid, mem_awid, mem_rid, mem_bid;
  logic [AddrWidth-1:0]  mem_araddr, mem_awaddr;
  logic [7:0]            mem_arlen, mem_awlen;
  logic [2:0]            mem_arsize, mem_awsize, mem_arprot, mem_awprot;
  logic [1:0]            mem_arburst, mem_awburst, mem_rresp, mem_bresp;
  logic [3:0]            mem_arcache, mem_awcache;
  logic                  mem_arlock, mem_awlock, mem_arvalid, mem_arready, mem_awvalid, mem_awready;
  logic [DataWidth-1:0]  mem_rdata, mem_wdata;
  logic [DataWidth/8-1:0] mem_wstrb;
  logic                  mem_rlast, mem_rvalid, mem_rready, mem_wlast, mem_wvalid, mem_wready;
  logic                  mem_bvalid, mem_bready;

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
      .s_axil_rready
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
  if (IncludeMm2s) begin : g_mm2s
    sl_axi_dma_mm2s #(
        .AddrWidth  (AddrWidth),
        .DataWidth  (DataWidth),
        .StreamWidth(StreamWidth),
        .LenWidth   (LenWidth),
        .IdWidth    (IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .Unaligned  (Unaligned),
        .IncludeSg  (IncludeSg),
        .IncludeDirect(IncludeDirect)
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
        .m_axi_arid(mem_arid),
        .m_axi_araddr(mem_araddr),
        .m_axi_arlen(mem_arlen),
        .m_axi_arsize(mem_arsize),
        .m_axi_arburst(mem_arburst),
        .m_axi_arlock(mem_arlock),
        .m_axi_arcache(mem_arcache),
        .m_axi_arprot(mem_arprot),
        .m_axi_arvalid(mem_arvalid),
        .m_axi_arready(mem_arready),
        .m_axi_rid(mem_rid),
        .m_axi_rdata(mem_rdata),
        .m_axi_rresp(mem_rresp),
        .m_axi_rlast(mem_rlast),
        .m_axi_rvalid(mem_rvalid),
        .m_axi_rready(mem_rready),
        .m_axis_tdata,
        .m_axis_tkeep,
        .m_axis_tlast,
        .m_axis_tvalid,
        .m_axis_tready
    );
  end else begin : g_no_mm2s
    logic unused;

    assign unused = ^{mm2s_ctrl, mm2s_sg_rsp, m_axis_tready, mem_arready, mem_rid, mem_rdata,
                      mem_rresp, mem_rlast, mem_rvalid};
    assign mm2s_idle = 1'b1;
    assign mm2s_halting = 1'b0;
    assign mm2s_status = ABSENT;
    assign mm2s_sg_req = '0;
    assign mm2s_stall_o = '0;
    assign mm2s_done_o = '0;
    assign mm2s_done_bytes_o = '0;
    assign mm2s_done_eop_o = '0;
    assign mem_arid = '0;
    assign mem_araddr = '0;
    assign mem_arlen = '0;
    assign mem_arsize = '0;
    assign mem_arburst = '0;
    assign mem_arlock = '0;
    assign mem_arcache = '0;
    assign mem_arprot = '0;
    assign mem_arvalid = '0;
    assign mem_rready = '0;
    assign m_axis_tdata = '0;
    assign m_axis_tkeep = '0;
    assign m_axis_tlast = '0;
    assign m_axis_tvalid = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Stream to memory
  // ---------------------------------------------------------------------------------------------
  if (IncludeS2mm) begin : g_s2mm
    sl_axi_dma_s2mm #(
        .AddrWidth  (AddrWidth),
        .DataWidth  (DataWidth),
        .StreamWidth(StreamWidth),
        .LenWidth   (LenWidth),
        .IdWidth    (IdWidth),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats),
        .Unaligned  (Unaligned),
        .IncludeSg  (IncludeSg),
        .IncludeDirect(IncludeDirect)
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
        .m_axi_awid(mem_awid),
        .m_axi_awaddr(mem_awaddr),
        .m_axi_awlen(mem_awlen),
        .m_axi_awsize(mem_awsize),
        .m_axi_awburst(mem_awburst),
        .m_axi_awlock(mem_awlock),
        .m_axi_awcache(mem_awcache),
        .m_axi_awprot(mem_awprot),
        .m_axi_awvalid(mem_awvalid),
        .m_axi_awready(mem_awready),
        .m_axi_wdata(mem_wdata),
        .m_axi_wstrb(mem_wstrb),
        .m_axi_wlast(mem_wlast),
        .m_axi_wvalid(mem_wvalid),
        .m_axi_wready(mem_wready),
        .m_axi_bid(mem_bid),
        .m_axi_bresp(mem_bresp),
        .m_axi_bvalid(mem_bvalid),
        .m_axi_bready(mem_bready),
        .s_axis_tdata,
        .s_axis_tkeep,
        .s_axis_tlast,
        .s_axis_tvalid,
        .s_axis_tready
    );
  end else begin : g_no_s2mm
    logic unused;

    assign unused = ^{s2mm_ctrl, s2mm_sg_rsp, s_axis_tdata, s_axis_tkeep, s_axis_tlast,
                      s_axis_tvalid, mem_awready, mem_wready, mem_bid, mem_bresp, mem_bvalid};
    assign s2mm_idle = 1'b1;
    assign s2mm_halting = 1'b0;
    assign s2mm_status = ABSENT;
    assign s2mm_sg_req = '0;
    assign s2mm_stall_o = '0;
    assign s2mm_done_o = '0;
    assign s2mm_done_bytes_o = '0;
    assign s2mm_done_eop_o = '0;
    assign mem_awid = '0;
    assign mem_awaddr = '0;
    assign mem_awlen = '0;
    assign mem_awsize = '0;
    assign mem_awburst = '0;
    assign mem_awlock = '0;
    assign mem_awcache = '0;
    assign mem_awprot = '0;
    assign mem_awvalid = '0;
    assign mem_wdata = '0;
    assign mem_wstrb = '0;
    assign mem_wlast = '0;
    assign mem_wvalid = '0;
    assign mem_bready = '0;
    assign s_axis_tready = '0;
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
      .AddrWidth     (AddrWidth),
      .DataWidth     (DataWidth),
      .IdWidth       (IdWidth),
      .ReadPort      (IncludeMm2s),
      .WritePort     (IncludeS2mm),
      .Guard         (ResetTimeout != 0)
  ) u_port (
      .clk_i,
      .rst_ni,
      .isolate_i    (fault_o),
      .s_axi_awid   (mem_awid),
      .s_axi_awaddr (mem_awaddr),
      .s_axi_awlen  (mem_awlen),
      .s_axi_awsize (mem_awsize),
      .s_axi_awburst(mem_awburst),
      .s_axi_awlock (mem_awlock),
      .s_axi_awcache(mem_awcache),
      .s_axi_awprot (mem_awprot),
      .s_axi_awvalid(mem_awvalid),
      .s_axi_awready(mem_awready),
      .s_axi_wdata  (mem_wdata),
      .s_axi_wstrb  (mem_wstrb),
      .s_axi_wlast  (mem_wlast),
      .s_axi_wvalid (mem_wvalid),
      .s_axi_wready (mem_wready),
      .s_axi_bid    (mem_bid),
      .s_axi_bresp  (mem_bresp),
      .s_axi_bvalid (mem_bvalid),
      .s_axi_bready (mem_bready),
      .s_axi_arid   (mem_arid),
      .s_axi_araddr (mem_araddr),
      .s_axi_arlen  (mem_arlen),
      .s_axi_arsize (mem_arsize),
      .s_axi_arburst(mem_arburst),
      .s_axi_arlock (mem_arlock),
      .s_axi_arcache(mem_arcache),
      .s_axi_arprot (mem_arprot),
      .s_axi_arvalid(mem_arvalid),
      .s_axi_arready(mem_arready),
      .s_axi_rid    (mem_rid),
      .s_axi_rdata  (mem_rdata),
      .s_axi_rresp  (mem_rresp),
      .s_axi_rlast  (mem_rlast),
      .s_axi_rvalid (mem_rvalid),
      .s_axi_rready (mem_rready),
      .m_axi_awid,
      .m_axi_awaddr,
      .m_axi_awlen,
      .m_axi_awsize,
      .m_axi_awburst,
      .m_axi_awlock,
      .m_axi_awcache,
      .m_axi_awprot,
      .m_axi_awvalid,
      .m_axi_awready,
      .m_axi_wdata,
      .m_axi_wstrb,
      .m_axi_wlast,
      .m_axi_wvalid,
      .m_axi_wready,
      .m_axi_bid,
      .m_axi_bresp,
      .m_axi_bvalid,
      .m_axi_bready,
      .m_axi_arid,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arlock,
      .m_axi_arcache,
      .m_axi_arprot,
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_rid,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready
  );

  // ---------------------------------------------------------------------------------------------
  // Descriptor port
  // ---------------------------------------------------------------------------------------------
  if (IncludeSg) begin : g_sg
    logic [0:0]            bd_arid, bd_awid, bd_rid, bd_bid;
    logic [AddrWidth-1:0]  bd_araddr, bd_awaddr;
    logic [7:0]            bd_arlen, bd_awlen;
    logic [2:0]            bd_arsize, bd_awsize, bd_arprot, bd_awprot;
    logic [1:0]            bd_arburst, bd_awburst, bd_rresp, bd_bresp;
    logic [3:0]            bd_arcache, bd_awcache;
    logic                  bd_arlock, bd_awlock, bd_arvalid, bd_arready, bd_awvalid, bd_awready;
    logic [31:0]           bd_rdata, bd_wdata;
    logic [3:0]            bd_wstrb;
    logic                  bd_rlast, bd_rvalid, bd_rready, bd_wlast, bd_wvalid, bd_wready;
    logic                  bd_bvalid, bd_bready;

    sl_axi_dma_join #(
        .AddrWidth(AddrWidth)
    ) u_join (
        .clk_i,
        .rst_ni,
        .req_i        ({s2mm_sg_req, mm2s_sg_req}),
        .rsp_o        ({s2mm_sg_rsp, mm2s_sg_rsp}),
        .m_axi_arid   (bd_arid),
        .m_axi_araddr (bd_araddr),
        .m_axi_arlen  (bd_arlen),
        .m_axi_arsize (bd_arsize),
        .m_axi_arburst(bd_arburst),
        .m_axi_arlock (bd_arlock),
        .m_axi_arcache(bd_arcache),
        .m_axi_arprot (bd_arprot),
        .m_axi_arvalid(bd_arvalid),
        .m_axi_arready(bd_arready),
        .m_axi_rid    (bd_rid),
        .m_axi_rdata  (bd_rdata),
        .m_axi_rresp  (bd_rresp),
        .m_axi_rlast  (bd_rlast),
        .m_axi_rvalid (bd_rvalid),
        .m_axi_rready (bd_rready),
        .m_axi_awid   (bd_awid),
        .m_axi_awaddr (bd_awaddr),
        .m_axi_awlen  (bd_awlen),
        .m_axi_awsize (bd_awsize),
        .m_axi_awburst(bd_awburst),
        .m_axi_awlock (bd_awlock),
        .m_axi_awcache(bd_awcache),
        .m_axi_awprot (bd_awprot),
        .m_axi_awvalid(bd_awvalid),
        .m_axi_awready(bd_awready),
        .m_axi_wdata  (bd_wdata),
        .m_axi_wstrb  (bd_wstrb),
        .m_axi_wlast  (bd_wlast),
        .m_axi_wvalid (bd_wvalid),
        .m_axi_wready (bd_wready),
        .m_axi_bid    (bd_bid),
        .m_axi_bresp  (bd_bresp),
        .m_axi_bvalid (bd_bvalid),
        .m_axi_bready (bd_bready)
    );

    sl_dma_port #(
        .AddrWidth     (AddrWidth),
        .DataWidth     (32),
        .IdWidth       (1),
        .NumIds        (2),
        .Guard         (ResetTimeout != 0)
    ) u_sg_port (
        .clk_i,
        .rst_ni,
        .isolate_i    (fault_o),
        .s_axi_awid   (bd_awid),
        .s_axi_awaddr (bd_awaddr),
        .s_axi_awlen  (bd_awlen),
        .s_axi_awsize (bd_awsize),
        .s_axi_awburst(bd_awburst),
        .s_axi_awlock (bd_awlock),
        .s_axi_awcache(bd_awcache),
        .s_axi_awprot (bd_awprot),
        .s_axi_awvalid(bd_awvalid),
        .s_axi_awready(bd_awready),
        .s_axi_wdata  (bd_wdata),
        .s_axi_wstrb  (bd_wstrb),
        .s_axi_wlast  (bd_wlast),
        .s_axi_wvalid (bd_wvalid),
        .s_axi_wready (bd_wready),
        .s_axi_bid    (bd_bid),
        .s_axi_bresp  (bd_bresp),
        .s_axi_bvalid (bd_bvalid),
        .s_axi_bready (bd_bready),
        .s_axi_arid   (bd_arid),
        .s_axi_araddr (bd_araddr),
        .s_axi_arlen  (bd_arlen),
        .s_axi_arsize (bd_arsize),
        .s_axi_arburst(bd_arburst),
        .s_axi_arlock (bd_arlock),
        .s_axi_arcache(bd_arcache),
        .s_axi_arprot (bd_arprot),
        .s_axi_arvalid(bd_arvalid),
        .s_axi_arready(bd_arready),
        .s_axi_rid    (bd_rid),
        .s_axi_rdata  (bd_rdata),
        .s_axi_rresp  (bd_rresp),
        .s_axi_rlast  (bd_rlast),
        .s_axi_rvalid (bd_rvalid),
        .s_axi_rready (bd_rready),
        .m_axi_awid   (m_axi_sg_awid),
        .m_axi_awaddr (m_axi_sg_awaddr),
        .m_axi_awlen  (m_axi_sg_awlen),
        .m_axi_awsize (m_axi_sg_awsize),
        .m_axi_awburst(m_axi_sg_awburst),
        .m_axi_awlock (m_axi_sg_awlock),
        .m_axi_awcache(m_axi_sg_awcache),
        .m_axi_awprot (m_axi_sg_awprot),
        .m_axi_awvalid(m_axi_sg_awvalid),
        .m_axi_awready(m_axi_sg_awready),
        .m_axi_wdata  (m_axi_sg_wdata),
        .m_axi_wstrb  (m_axi_sg_wstrb),
        .m_axi_wlast  (m_axi_sg_wlast),
        .m_axi_wvalid (m_axi_sg_wvalid),
        .m_axi_wready (m_axi_sg_wready),
        .m_axi_bid    (m_axi_sg_bid),
        .m_axi_bresp  (m_axi_sg_bresp),
        .m_axi_bvalid (m_axi_sg_bvalid),
        .m_axi_bready (m_axi_sg_bready),
        .m_axi_arid   (m_axi_sg_arid),
        .m_axi_araddr (m_axi_sg_araddr),
        .m_axi_arlen  (m_axi_sg_arlen),
        .m_axi_arsize (m_axi_sg_arsize),
        .m_axi_arburst(m_axi_sg_arburst),
        .m_axi_arlock (m_axi_sg_arlock),
        .m_axi_arcache(m_axi_sg_arcache),
        .m_axi_arprot (m_axi_sg_arprot),
        .m_axi_arvalid(m_axi_sg_arvalid),
        .m_axi_arready(m_axi_sg_arready),
        .m_axi_rid    (m_axi_sg_rid),
        .m_axi_rdata  (m_axi_sg_rdata),
        .m_axi_rresp  (m_axi_sg_rresp),
        .m_axi_rlast  (m_axi_sg_rlast),
        .m_axi_rvalid (m_axi_sg_rvalid),
        .m_axi_rready (m_axi_sg_rready)
    );
  end else begin : g_no_sg
    logic unused;

    assign unused = ^{mm2s_sg_req, s2mm_sg_req, m_axi_sg_arready, m_axi_sg_rid, m_axi_sg_rdata,
                      m_axi_sg_rresp, m_axi_sg_rlast, m_axi_sg_rvalid, m_axi_sg_awready,
                      m_axi_sg_wready, m_axi_sg_bid, m_axi_sg_bresp, m_axi_sg_bvalid};
    assign mm2s_sg_rsp = '0;
    assign s2mm_sg_rsp = '0;
    assign {m_axi_sg_arid, m_axi_sg_araddr, m_axi_sg_arlen, m_axi_sg_arsize, m_axi_sg_arburst,
            m_axi_sg_arlock, m_axi_sg_arcache, m_axi_sg_arprot, m_axi_sg_arvalid,
            m_axi_sg_rready} = '0;
    assign {m_axi_sg_awid, m_axi_sg_awaddr, m_axi_sg_awlen, m_axi_sg_awsize, m_axi_sg_awburst,
            m_axi_sg_awlock, m_axi_sg_awcache, m_axi_sg_awprot, m_axi_sg_awvalid, m_axi_sg_wdata,
            m_axi_sg_wstrb, m_axi_sg_wlast, m_axi_sg_wvalid, m_axi_sg_bready} = '0;
  end

`ifndef SYNTHESIS
  // ---------------------------------------------------------------------------------------------
  // Protocol checkers. The one of m_axis is in reset with the stream, see stream_rst_no.
  // ---------------------------------------------------------------------------------------------
  logic [15:0] unused_axil_writes, unused_axil_reads;
  logic [14:0] unused_axil_violation;
  logic [ 8:0] unused_axis_violation;

  sl_axis_check #(
      .DataWidth(StreamWidth)
  ) u_check_axis (
      .clk_i,
      .rst_ni     (stream_rst_no),
      .axis_tdata (m_axis_tdata),
      .axis_tkeep (m_axis_tkeep),
      .axis_tlast (m_axis_tlast),
      .axis_tuser (1'b0),
      .axis_tvalid(m_axis_tvalid),
      .axis_tready(m_axis_tready),
      .violation_o(unused_axis_violation)
  );

  sl_axil_check #(
      .AddrWidth(10),
      .DataWidth(32)
  ) u_check_axil (
      .clk_i,
      .rst_ni,
      .axil_awaddr  (s_axil_awaddr),
      .axil_awprot  (s_axil_awprot),
      .axil_awvalid (s_axil_awvalid),
      .axil_awready (s_axil_awready),
      .axil_wdata   (s_axil_wdata),
      .axil_wstrb   (s_axil_wstrb),
      .axil_wvalid  (s_axil_wvalid),
      .axil_wready  (s_axil_wready),
      .axil_bresp   (s_axil_bresp),
      .axil_bvalid  (s_axil_bvalid),
      .axil_bready  (s_axil_bready),
      .axil_araddr  (s_axil_araddr),
      .axil_arprot  (s_axil_arprot),
      .axil_arvalid (s_axil_arvalid),
      .axil_arready (s_axil_arready),
      .axil_rdata   (s_axil_rdata),
      .axil_rresp   (s_axil_rresp),
      .axil_rvalid  (s_axil_rvalid),
      .axil_rready  (s_axil_rready),
      .wr_outstanding_o(unused_axil_writes),
      .rd_outstanding_o(unused_axil_reads),
      .violation_o     (unused_axil_violation)
  );
`endif
endmodule
