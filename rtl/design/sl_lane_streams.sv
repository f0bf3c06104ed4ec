// SPDX-License-Identifier: Apache-2.0
// The streams' ends of a lane: stream source with dropper, stream sink, loop-back FIFO, and the
// route between them and the engine.
//
// Streams: ROUTE.LOOPBACK = 1: s_axis (MM2S) -> FIFO -> m_axis (S2MM). 0: s_axis -> sink, source ->
//   dropper -> m_axis. The unselected blocks see TVALID = 0 and TREADY = 0; a free-running source
//   then drops. Change the route only while both directions are halted or idle and the streams are
//   quiet.
// Handshake: the route is combinational; each stream end is registered in the block that drives
//   it.
// Throughput: a beat a cycle each way.
// Reset: `rst_ni`; `clear_i` (the engine's soft reset) empties the FIFO, so that no beat of the
//   packet it cut short reaches the next transfer. Source and sink keep their state.
// Control: three AXI4-Lite ports side by side: lane control, source, sink. Address bits above a
//   page are ignored.
// Streams = 0: the FIFO and lane control alone; it always loops back, whatever ROUTE says.
// Parameters: DataWidth is checked in the blocks, FifoBeats in sl_stream_fifo.
// Specification: regs/sl_hp_lane.rdl (lane control), regs/sl_stream_{source,sink}.rdl.
module sl_lane_streams #(
  parameter int unsigned DataWidth = 64,   // 32..512, power of two
  parameter int unsigned FifoBeats = 512,  // of the loop-back FIFO, power of two
  parameter bit          Streams   = 1'b1, // 1: source, dropper and sink as well
  localparam int unsigned Pages    = Streams ? 3 : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [Pages*16-1:0] s_axil_awaddr,
  input  logic [Pages*3-1:0]  s_axil_awprot,
  input  logic [Pages-1:0]    s_axil_awvalid,
  output logic [Pages-1:0]    s_axil_awready,
  input  logic [Pages*32-1:0] s_axil_wdata,
  input  logic [Pages*4-1:0]  s_axil_wstrb,
  input  logic [Pages-1:0]    s_axil_wvalid,
  output logic [Pages-1:0]    s_axil_wready,
  output logic [Pages*2-1:0]  s_axil_bresp,
  output logic [Pages-1:0]    s_axil_bvalid,
  input  logic [Pages-1:0]    s_axil_bready,
  input  logic [Pages*16-1:0] s_axil_araddr,
  input  logic [Pages*3-1:0]  s_axil_arprot,
  input  logic [Pages-1:0]    s_axil_arvalid,
  output logic [Pages-1:0]    s_axil_arready,
  output logic [Pages*32-1:0] s_axil_rdata,
  output logic [Pages*2-1:0]  s_axil_rresp,
  output logic [Pages-1:0]    s_axil_rvalid,
  input  logic [Pages-1:0]    s_axil_rready,

  input  logic clear_i,

  input  logic [  DataWidth-1:0] s_axis_tdata,
  input  logic [DataWidth/8-1:0] s_axis_tkeep,
  input  logic                   s_axis_tlast,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,

  output logic [  DataWidth-1:0] m_axis_tdata,
  output logic [DataWidth/8-1:0] m_axis_tkeep,
  output logic                   m_axis_tlast,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready
);

  localparam int unsigned PageControl = 0;
  localparam int unsigned PageSource  = 1;
  localparam int unsigned PageSink    = 2;
  localparam int unsigned KeepWidth   = DataWidth / 8;

  sl_hp_lane_regs_pkg::sl_hp_lane__in_t  hwif_in;
  sl_hp_lane_regs_pkg::sl_hp_lane__out_t hwif_out;
  logic                                  loopback;
  logic                                  unused_addr;

  assign loopback    = !Streams || hwif_out.ROUTE.LOOPBACK.value;
  assign unused_addr = ^{s_axil_awaddr, s_axil_araddr};

  sl_hp_lane_regs u_regs (
    .clk  (clk_i),
    .rst_n(rst_ni),
    .s_axil_awaddr (s_axil_awaddr[PageControl*16+:12]),
    .s_axil_awprot (s_axil_awprot[PageControl*3+:3]),
    .s_axil_awvalid(s_axil_awvalid[PageControl]),
    .s_axil_awready(s_axil_awready[PageControl]),
    .s_axil_wdata  (s_axil_wdata[PageControl*32+:32]),
    .s_axil_wstrb  (s_axil_wstrb[PageControl*4+:4]),
    .s_axil_wvalid (s_axil_wvalid[PageControl]),
    .s_axil_wready (s_axil_wready[PageControl]),
    .s_axil_bresp  (s_axil_bresp[PageControl*2+:2]),
    .s_axil_bvalid (s_axil_bvalid[PageControl]),
    .s_axil_bready (s_axil_bready[PageControl]),
    .s_axil_araddr (s_axil_araddr[PageControl*16+:12]),
    .s_axil_arprot (s_axil_arprot[PageControl*3+:3]),
    .s_axil_arvalid(s_axil_arvalid[PageControl]),
    .s_axil_arready(s_axil_arready[PageControl]),
    .s_axil_rdata  (s_axil_rdata[PageControl*32+:32]),
    .s_axil_rresp  (s_axil_rresp[PageControl*2+:2]),
    .s_axil_rvalid (s_axil_rvalid[PageControl]),
    .s_axil_rready (s_axil_rready[PageControl]),
    .hwif_in,
    .hwif_out
  );

  // ---------------------------------------------------------------------------------------------
  // Loop-back FIFO and route
  // ---------------------------------------------------------------------------------------------
  logic [DataWidth-1:0] dropper_tdata, fifo_tdata;
  logic [KeepWidth-1:0] dropper_tkeep, fifo_tkeep;
  logic dropper_tlast, fifo_tlast;
  logic dropper_tvalid, fifo_tvalid;
  logic dropper_tready, fifo_tready;
  logic fifo_in_tready, sink_tready;
  logic [$clog2(FifoBeats):0] fifo_level;

  assign hwif_in.FIFO_LEVEL.BEATS.next = 16'(fifo_level);

  assign s_axis_tready  = loopback ? fifo_in_tready : sink_tready;
  assign m_axis_tdata   = loopback ? fifo_tdata : dropper_tdata;
  assign m_axis_tkeep   = loopback ? fifo_tkeep : dropper_tkeep;
  assign m_axis_tlast   = loopback ? fifo_tlast : dropper_tlast;
  assign m_axis_tvalid  = loopback ? fifo_tvalid : dropper_tvalid;
  assign fifo_tready    = loopback && m_axis_tready;
  assign dropper_tready = !loopback && m_axis_tready;

  sl_stream_fifo #(
    .DataWidth(DataWidth),
    .Depth    (FifoBeats)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .clear_i,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tlast,
    .s_axis_tvalid(s_axis_tvalid && loopback),
    .s_axis_tready(fifo_in_tready),
    .m_axis_tdata (fifo_tdata),
    .m_axis_tkeep (fifo_tkeep),
    .m_axis_tlast (fifo_tlast),
    .m_axis_tvalid(fifo_tvalid),
    .m_axis_tready(fifo_tready),
    .level_o      (fifo_level)
  );

  // ---------------------------------------------------------------------------------------------
  // Source and sink
  // ---------------------------------------------------------------------------------------------
  if (Streams) begin : g_streams
    logic [DataWidth-1:0] source_tdata;
    logic [KeepWidth-1:0] source_tkeep;
    logic source_tlast, source_tvalid, source_tready;
    logic [31:0] word;         // first of the beat behind the dropper
    logic [3:0]  unused_keep;
    logic        unused_rest;
    logic unused_gap_mark;  // S2MM has no TUSER; the loss is in the drop registers
    logic free_run, clear;
    logic [63:0] drop_beats, drop_first;
    logic [31:0] drop_runs, drop_packets;

    sl_stream_sink #(
      .DataWidth(DataWidth)
    ) u_sink (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr (s_axil_awaddr[PageSink*16+:12]),
      .s_axil_awprot (s_axil_awprot[PageSink*3+:3]),
      .s_axil_awvalid(s_axil_awvalid[PageSink]),
      .s_axil_awready(s_axil_awready[PageSink]),
      .s_axil_wdata  (s_axil_wdata[PageSink*32+:32]),
      .s_axil_wstrb  (s_axil_wstrb[PageSink*4+:4]),
      .s_axil_wvalid (s_axil_wvalid[PageSink]),
      .s_axil_wready (s_axil_wready[PageSink]),
      .s_axil_bresp  (s_axil_bresp[PageSink*2+:2]),
      .s_axil_bvalid (s_axil_bvalid[PageSink]),
      .s_axil_bready (s_axil_bready[PageSink]),
      .s_axil_araddr (s_axil_araddr[PageSink*16+:12]),
      .s_axil_arprot (s_axil_arprot[PageSink*3+:3]),
      .s_axil_arvalid(s_axil_arvalid[PageSink]),
      .s_axil_arready(s_axil_arready[PageSink]),
      .s_axil_rdata  (s_axil_rdata[PageSink*32+:32]),
      .s_axil_rresp  (s_axil_rresp[PageSink*2+:2]),
      .s_axil_rvalid (s_axil_rvalid[PageSink]),
      .s_axil_rready (s_axil_rready[PageSink]),
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tvalid(s_axis_tvalid && !loopback),
      .s_axis_tready(sink_tready)
    );

    sl_stream_source #(
      .DataWidth(DataWidth)
    ) u_source (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr (s_axil_awaddr[PageSource*16+:12]),
      .s_axil_awprot (s_axil_awprot[PageSource*3+:3]),
      .s_axil_awvalid(s_axil_awvalid[PageSource]),
      .s_axil_awready(s_axil_awready[PageSource]),
      .s_axil_wdata  (s_axil_wdata[PageSource*32+:32]),
      .s_axil_wstrb  (s_axil_wstrb[PageSource*4+:4]),
      .s_axil_wvalid (s_axil_wvalid[PageSource]),
      .s_axil_wready (s_axil_wready[PageSource]),
      .s_axil_bresp  (s_axil_bresp[PageSource*2+:2]),
      .s_axil_bvalid (s_axil_bvalid[PageSource]),
      .s_axil_bready (s_axil_bready[PageSource]),
      .s_axil_araddr (s_axil_araddr[PageSource*16+:12]),
      .s_axil_arprot (s_axil_arprot[PageSource*3+:3]),
      .s_axil_arvalid(s_axil_arvalid[PageSource]),
      .s_axil_arready(s_axil_arready[PageSource]),
      .s_axil_rdata  (s_axil_rdata[PageSource*32+:32]),
      .s_axil_rresp  (s_axil_rresp[PageSource*2+:2]),
      .s_axil_rvalid (s_axil_rvalid[PageSource]),
      .s_axil_rready (s_axil_rready[PageSource]),
      .m_axis_tdata  (source_tdata),
      .m_axis_tkeep  (source_tkeep),
      .m_axis_tlast  (source_tlast),
      .m_axis_tvalid (source_tvalid),
      .m_axis_tready (source_tready),
      .free_run_o    (free_run),
      .clear_o       (clear),
      .drop_beats_i  (drop_beats),
      .drop_runs_i   (drop_runs),
      .drop_first_i  (drop_first),
      .drop_packets_i(drop_packets)
    );

    // A beat of the source is whole, and its words count up from the first: the dropper keeps that.
    for (genvar k = 0; k < DataWidth / 32; k++) begin : g_word
      assign dropper_tdata[k*32+:32] = word + k;
    end
    assign dropper_tkeep = '1;
    assign unused_rest   = ^{source_tdata, source_tkeep};

    sl_stream_dropper #(
      .DataWidth(32)
    ) u_dropper (
      .clk_i,
      .rst_ni,
      .drop_i        (free_run),
      .clear_i       (clear),
      .s_axis_tdata  (source_tdata[31:0]),
      .s_axis_tkeep  (source_tkeep[3:0]),
      .s_axis_tlast  (source_tlast),
      .s_axis_tvalid (source_tvalid),
      .s_axis_tready (source_tready),
      .m_axis_tdata  (word),
      .m_axis_tkeep  (unused_keep),
      .m_axis_tlast  (dropper_tlast),
      .m_axis_tuser  (unused_gap_mark),
      .m_axis_tvalid (dropper_tvalid),
      .m_axis_tready (dropper_tready),
      .drop_beats_o  (drop_beats),
      .drop_runs_o   (drop_runs),
      .drop_first_o  (drop_first),
      .drop_packets_o(drop_packets)
    );
  end else begin : g_no_streams
    logic unused;

    assign unused         = dropper_tready;
    assign sink_tready    = 1'b0;
    assign dropper_tdata  = '0;
    assign dropper_tkeep  = '0;
    assign dropper_tlast  = 1'b0;
    assign dropper_tvalid = 1'b0;
  end
endmodule
