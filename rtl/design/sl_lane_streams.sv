// SPDX-License-Identifier: Apache-2.0
// The streams' ends of a lane: stream source with dropper, stream sink, loop-back FIFO, and the
// route between them and the engine.
//
// Streams: ROUTE.LOOPBACK = 1: s_axis (MM2S) -> FIFO -> m_axis (S2MM). 0: s_axis -> sink, source ->
//   dropper -> m_axis. The unselected blocks see TVALID = 0 and TREADY = 0; a free-running source
//   then drops. Change the route only while both directions are halted or idle and the streams are
//   quiet. SourceFifo = 1: source -> dropper -> FIFO -> m_axis; a change of the route empties the
//   FIFO, and withdraws a beat that m_axis presents.
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

`include "sl_axi.svh"

module sl_lane_streams #(
    parameter int unsigned FifoBeats = 512,   // of the loop-back FIFO, power of two
    parameter bit          Streams   = 1'b1,  // 1: source, dropper and sink as well
    parameter bit          SourceFifo = 1'b0,  // 1: the FIFO is behind the source, too
    localparam int unsigned Pages    = Streams ? 3 : 1
) (
    input logic     clk_i,
    input logic     rst_ni,
    sl_axil_if.slv  s_axil [Pages],
    input logic     clear_i,
    sl_axis_if.slv  s_axis,
    sl_axis_if.mst  m_axis,
    output logic    drop_odd_o,  // lowest bit of the count of dropped beats
    output logic    clear_o      // that count is cleared
);

  localparam int unsigned DataWidth   = s_axis.DataWidth;
  localparam int unsigned PageControl = 0;
  localparam int unsigned PageSource  = 1;
  localparam int unsigned PageSink    = 2;

  sl_hp_lane_regs_pkg::sl_hp_lane__in_t  hwif_in;
  sl_hp_lane_regs_pkg::sl_hp_lane__out_t hwif_out;
  logic                                  loopback, loopback_q, by_fifo, turn;

  assign loopback   = !Streams || hwif_out.ROUTE.LOOPBACK.value;
  assign by_fifo    = loopback || SourceFifo;
  assign turn       = SourceFifo && loopback != loopback_q;  // nothing enters the FIFO

  always_ff @(posedge clk_i) loopback_q <= loopback;

  sl_hp_lane_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil[PageControl]., 12),
      .hwif_in,
      .hwif_out
  );

  // ---------------------------------------------------------------------------------------------
  // Loop-back FIFO and route
  // ---------------------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) fifo_in (), fifo (), dropper (), sink ();
  logic [$clog2(FifoBeats):0] fifo_level;

  assign hwif_in.FIFO_LEVEL.BEATS.next = 16'(fifo_level);

  if (SourceFifo) begin : gen_source_fifo
    assign fifo_in.tdata  = loopback ? s_axis.tdata : dropper.tdata;
    assign fifo_in.tkeep  = loopback ? s_axis.tkeep : dropper.tkeep;
    assign fifo_in.tlast  = loopback ? s_axis.tlast : dropper.tlast;
    assign fifo_in.tvalid = (loopback ? s_axis.tvalid : dropper.tvalid) && !turn;
  end else begin : gen_loop_fifo
    assign fifo_in.tdata  = s_axis.tdata;
    assign fifo_in.tkeep  = s_axis.tkeep;
    assign fifo_in.tlast  = s_axis.tlast;
    assign fifo_in.tvalid = s_axis.tvalid && loopback;
  end
  assign sink.tdata     = s_axis.tdata;
  assign sink.tkeep     = s_axis.tkeep;
  assign sink.tlast     = s_axis.tlast;
  assign sink.tvalid    = s_axis.tvalid && !loopback;
  assign s_axis.tready  = loopback ? fifo_in.tready && !turn : sink.tready;
  assign m_axis.tdata   = by_fifo ? fifo.tdata : dropper.tdata;
  assign m_axis.tkeep   = by_fifo ? fifo.tkeep : dropper.tkeep;
  assign m_axis.tlast   = by_fifo ? fifo.tlast : dropper.tlast;
  assign m_axis.tvalid  = by_fifo ? fifo.tvalid : dropper.tvalid;
  assign fifo.tready    = by_fifo && m_axis.tready;
  assign dropper.tready = !loopback && (SourceFifo ? fifo_in.tready && !turn : m_axis.tready);

  sl_stream_fifo #(
      .DataWidth(DataWidth),
      .Depth    (FifoBeats)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .clear_i(clear_i || turn),
      `SL_AXIS_PINS(s_axis_, fifo_in.),
      `SL_AXIS_PINS(m_axis_, fifo.),
      .level_o(fifo_level)
  );

  // ---------------------------------------------------------------------------------------------
  // Source and sink
  // ---------------------------------------------------------------------------------------------
  if (Streams) begin : gen_streams
    sl_axis_if #(.DataWidth(DataWidth)) source ();
    logic [31:0] word;         // first of the beat behind the dropper
    logic [3:0]  unused_keep;
    logic unused_gap_mark;  // S2MM has no TUSER; the loss is in the drop registers
    logic free_run;
    logic [63:0] drop_beats, drop_first;
    logic [31:0] drop_runs, drop_packets;

    sl_stream_sink #(
        .DataWidth(DataWidth)
    ) u_sink (
        .clk_i,
        .rst_ni,
        `SL_AXIL_PINS(s_axil_, s_axil[PageSink]., 12),
        `SL_AXIS_PINS(s_axis_, sink.)
    );

    sl_stream_source #(
        .DataWidth(DataWidth)
    ) u_source (
        .clk_i,
        .rst_ni,
        `SL_AXIL_PINS(s_axil_, s_axil[PageSource]., 12),
        `SL_AXIS_PINS(m_axis_, source.),
        .free_run_o    (free_run),
        .clear_o,
        .drop_beats_i  (drop_beats),
        .drop_runs_i   (drop_runs),
        .drop_first_i  (drop_first),
        .drop_packets_i(drop_packets)
    );

    assign drop_odd_o = drop_beats[0];

    // A beat of the source is whole, and its words count up from the first: the dropper keeps that.
    for (genvar k = 0; k < DataWidth / 32; k++) begin : gen_word
      assign dropper.tdata[k*32+:32] = word + k;
    end
    assign dropper.tkeep = '1;

    sl_stream_dropper #(
        .DataWidth(32)
    ) u_dropper (
        .clk_i,
        .rst_ni,
        .drop_i        (free_run),
        .clear_i       (clear_o),
        .s_axis_tdata  (source.tdata[31:0]),
        .s_axis_tkeep  (source.tkeep[3:0]),
        .s_axis_tlast  (source.tlast),
        .s_axis_tvalid (source.tvalid),
        .s_axis_tready (source.tready),
        .m_axis_tdata  (word),
        .m_axis_tkeep  (unused_keep),
        .m_axis_tlast  (dropper.tlast),
        .m_axis_tuser  (unused_gap_mark),
        .m_axis_tvalid (dropper.tvalid),
        .m_axis_tready (dropper.tready),
        .drop_beats_o  (drop_beats),
        .drop_runs_o   (drop_runs),
        .drop_first_o  (drop_first),
        .drop_packets_o(drop_packets)
    );
  end else begin : gen_no_streams
    assign sink.tready = 1'b0;
    assign drop_odd_o  = 1'b0;
    assign clear_o     = 1'b0;
    `SL_AXIS_IDLE_MST(dropper.)
  end
endmodule
