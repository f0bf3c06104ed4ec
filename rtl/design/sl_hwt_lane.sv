// SPDX-License-Identifier: Apache-2.0
// One hardware thread of the designs streamif_threads and memif_threads: a lane (stream source, sink,
// loop-back FIFO) and in its place, as KERNEL says, a kernel with mailboxes.
//
// Control: AXI4-Lite; source at 0x1000, sink at 0x2000, lane control at 0x3000, kernel and mailboxes
//   at 0x4000 of 32 KiB; DECERR elsewhere. Address bits above are ignored.
// Streams: s_axis from memory, m_axis to it. The part that KERNEL does not name sees TVALID = 0 and
//   TREADY = 0.
// Reset: `rst_ni`, everything; `thread_rst_ni` empties the FIFO and ends the kernel's job; source,
//   sink and registers keep their state.
// irq_o: mail; header of sl_hwt.
// Handshake, throughput, parameters: headers of sl_lane_streams and sl_hwt.
// Specification: regs/sl_stream_{source,sink}.rdl, sl_hp_lane.rdl, sl_hwt.rdl.
module sl_hwt_lane #(
  parameter int unsigned FifoBeats = 512  // of the loop-back FIFO, power of two
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic thread_rst_ni,

  input  logic [14:0] s_axil_awaddr,
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
  input  logic [14:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  output logic irq_o,

  input  logic [31:0] s_axis_tdata,
  input  logic [ 3:0] s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,

  output logic [31:0] m_axis_tdata,
  output logic [ 3:0] m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned Pages     = 4;          // lane control, source, sink; kernel
  localparam int unsigned LanePages = Pages - 1;
  localparam int unsigned Kernel    = LanePages;  // its page

  logic [Pages*15-1:0]   page_awaddr;
  logic [Pages*3-1:0]    page_awprot;
  logic [Pages-1:0]      page_awvalid;
  logic [Pages-1:0]      page_awready;
  logic [Pages*32-1:0]   page_wdata;
  logic [Pages*4-1:0]    page_wstrb;
  logic [Pages-1:0]      page_wvalid;
  logic [Pages-1:0]      page_wready;
  logic [Pages*2-1:0]    page_bresp;
  logic [Pages-1:0]      page_bvalid;
  logic [Pages-1:0]      page_bready;
  logic [Pages*15-1:0]   page_araddr;
  logic [Pages*3-1:0]    page_arprot;
  logic [Pages-1:0]      page_arvalid;
  logic [Pages-1:0]      page_arready;
  logic [Pages*32-1:0]   page_rdata;
  logic [Pages*2-1:0]    page_rresp;
  logic [Pages-1:0]      page_rvalid;
  logic [Pages-1:0]      page_rready;
  logic [LanePages*16-1:0] lane_awaddr, lane_araddr;
  logic unused_addr;

  sl_axil_demux #(
    .NumPorts (Pages),
    .AddrWidth(15),
    .Base     ({15'h4000, 15'h2000, 15'h1000, 15'h3000}),
    .Mask     ({Pages{15'h7000}})
  ) u_pages (
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
    .m_axil_awaddr (page_awaddr),
    .m_axil_awprot (page_awprot),
    .m_axil_awvalid(page_awvalid),
    .m_axil_awready(page_awready),
    .m_axil_wdata  (page_wdata),
    .m_axil_wstrb  (page_wstrb),
    .m_axil_wvalid (page_wvalid),
    .m_axil_wready (page_wready),
    .m_axil_bresp  (page_bresp),
    .m_axil_bvalid (page_bvalid),
    .m_axil_bready (page_bready),
    .m_axil_araddr (page_araddr),
    .m_axil_arprot (page_arprot),
    .m_axil_arvalid(page_arvalid),
    .m_axil_arready(page_arready),
    .m_axil_rdata  (page_rdata),
    .m_axil_rresp  (page_rresp),
    .m_axil_rvalid (page_rvalid),
    .m_axil_rready (page_rready)
  );

  for (genvar p = 0; p < LanePages; p++) begin : g_page
    assign lane_awaddr[p*16+:16] = 16'(page_awaddr[p*15+:15]);
    assign lane_araddr[p*16+:16] = 16'(page_araddr[p*15+:15]);
  end
  assign unused_addr = ^{page_awaddr[Kernel*15+12+:3], page_araddr[Kernel*15+12+:3]};

  // ---------------------------------------------------------------------------------------------
  // Lane or kernel
  // ---------------------------------------------------------------------------------------------
  logic        active;  // the kernel
  logic        lane_in_ready, lane_out_last, lane_out_valid;
  logic        hwt_in_ready, hwt_out_last, hwt_out_valid;
  logic [31:0] lane_out_data, hwt_out_data;
  logic [ 3:0] lane_out_keep, hwt_out_keep;

  assign s_axis_tready = active ? hwt_in_ready : lane_in_ready;
  assign m_axis_tdata  = active ? hwt_out_data : lane_out_data;
  assign m_axis_tkeep  = active ? hwt_out_keep : lane_out_keep;
  assign m_axis_tlast  = active ? hwt_out_last : lane_out_last;
  assign m_axis_tvalid = active ? hwt_out_valid : lane_out_valid;

  sl_lane_streams #(
    .DataWidth(32),
    .FifoBeats(FifoBeats)
  ) u_streams (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (lane_awaddr),
    .s_axil_awprot (page_awprot[LanePages*3-1:0]),
    .s_axil_awvalid(page_awvalid[LanePages-1:0]),
    .s_axil_awready(page_awready[LanePages-1:0]),
    .s_axil_wdata  (page_wdata[LanePages*32-1:0]),
    .s_axil_wstrb  (page_wstrb[LanePages*4-1:0]),
    .s_axil_wvalid (page_wvalid[LanePages-1:0]),
    .s_axil_wready (page_wready[LanePages-1:0]),
    .s_axil_bresp  (page_bresp[LanePages*2-1:0]),
    .s_axil_bvalid (page_bvalid[LanePages-1:0]),
    .s_axil_bready (page_bready[LanePages-1:0]),
    .s_axil_araddr (lane_araddr),
    .s_axil_arprot (page_arprot[LanePages*3-1:0]),
    .s_axil_arvalid(page_arvalid[LanePages-1:0]),
    .s_axil_arready(page_arready[LanePages-1:0]),
    .s_axil_rdata  (page_rdata[LanePages*32-1:0]),
    .s_axil_rresp  (page_rresp[LanePages*2-1:0]),
    .s_axil_rvalid (page_rvalid[LanePages-1:0]),
    .s_axil_rready (page_rready[LanePages-1:0]),
    .clear_i       (!thread_rst_ni),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tvalid (s_axis_tvalid && !active),
    .s_axis_tready (lane_in_ready),
    .m_axis_tdata  (lane_out_data),
    .m_axis_tkeep  (lane_out_keep),
    .m_axis_tlast  (lane_out_last),
    .m_axis_tvalid (lane_out_valid),
    .m_axis_tready (m_axis_tready && !active)
  );

  sl_hwt u_hwt (
    .clk_i,
    .rst_ni,
    .thread_rst_ni,
    .s_axil_awaddr (page_awaddr[Kernel*15+:12]),
    .s_axil_awprot (page_awprot[Kernel*3+:3]),
    .s_axil_awvalid(page_awvalid[Kernel]),
    .s_axil_awready(page_awready[Kernel]),
    .s_axil_wdata  (page_wdata[Kernel*32+:32]),
    .s_axil_wstrb  (page_wstrb[Kernel*4+:4]),
    .s_axil_wvalid (page_wvalid[Kernel]),
    .s_axil_wready (page_wready[Kernel]),
    .s_axil_bresp  (page_bresp[Kernel*2+:2]),
    .s_axil_bvalid (page_bvalid[Kernel]),
    .s_axil_bready (page_bready[Kernel]),
    .s_axil_araddr (page_araddr[Kernel*15+:12]),
    .s_axil_arprot (page_arprot[Kernel*3+:3]),
    .s_axil_arvalid(page_arvalid[Kernel]),
    .s_axil_arready(page_arready[Kernel]),
    .s_axil_rdata  (page_rdata[Kernel*32+:32]),
    .s_axil_rresp  (page_rresp[Kernel*2+:2]),
    .s_axil_rvalid (page_rvalid[Kernel]),
    .s_axil_rready (page_rready[Kernel]),
    .irq_o,
    .active_o      (active),
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tvalid (s_axis_tvalid && active),
    .s_axis_tready (hwt_in_ready),
    .m_axis_tdata  (hwt_out_data),
    .m_axis_tkeep  (hwt_out_keep),
    .m_axis_tlast  (hwt_out_last),
    .m_axis_tvalid (hwt_out_valid),
    .m_axis_tready (m_axis_tready && active)
  );
endmodule
