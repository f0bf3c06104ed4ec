// SPDX-License-Identifier: Apache-2.0
//
// stream_chain: source, dropper, FIFO and sink in a row; for tests.

module stream_chain #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned Depth     = 16
) (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic [11:0] source_axil_awaddr,
    input  logic [2:0]  source_axil_awprot,
    input  logic        source_axil_awvalid,
    output logic        source_axil_awready,
    input  logic [31:0] source_axil_wdata,
    input  logic [3:0]  source_axil_wstrb,
    input  logic        source_axil_wvalid,
    output logic        source_axil_wready,
    output logic [1:0]  source_axil_bresp,
    output logic        source_axil_bvalid,
    input  logic        source_axil_bready,
    input  logic [11:0] source_axil_araddr,
    input  logic [2:0]  source_axil_arprot,
    input  logic        source_axil_arvalid,
    output logic        source_axil_arready,
    output logic [31:0] source_axil_rdata,
    output logic [1:0]  source_axil_rresp,
    output logic        source_axil_rvalid,
    input  logic        source_axil_rready,

    input  logic [11:0] sink_axil_awaddr,
    input  logic [2:0]  sink_axil_awprot,
    input  logic        sink_axil_awvalid,
    output logic        sink_axil_awready,
    input  logic [31:0] sink_axil_wdata,
    input  logic [3:0]  sink_axil_wstrb,
    input  logic        sink_axil_wvalid,
    output logic        sink_axil_wready,
    output logic [1:0]  sink_axil_bresp,
    output logic        sink_axil_bvalid,
    input  logic        sink_axil_bready,
    input  logic [11:0] sink_axil_araddr,
    input  logic [2:0]  sink_axil_arprot,
    input  logic        sink_axil_arvalid,
    output logic        sink_axil_arready,
    output logic [31:0] sink_axil_rdata,
    output logic [1:0]  sink_axil_rresp,
    output logic        sink_axil_rvalid,
    input  logic        sink_axil_rready,

    output logic [31:0]            marks_o,  // beats with TUSER that left the dropper
    output logic [$clog2(Depth):0] level_o
);

  localparam int unsigned KeepWidth = DataWidth / 8;

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [KeepWidth-1:0] keep;
    logic                 last;
  } beat_t;

  beat_t       source, dropper, fifo;
  logic        source_valid, source_ready, dropper_valid, dropper_ready, fifo_valid, fifo_ready;
  logic        free_run, clear, user;
  logic [63:0] drop_beats, drop_first;
  logic [31:0] drop_runs, drop_packets;

  sl_stream_source #(
      .DataWidth (DataWidth)
  ) u_source (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr  (source_axil_awaddr),
      .s_axil_awprot  (source_axil_awprot),
      .s_axil_awvalid (source_axil_awvalid),
      .s_axil_awready (source_axil_awready),
      .s_axil_wdata   (source_axil_wdata),
      .s_axil_wstrb   (source_axil_wstrb),
      .s_axil_wvalid  (source_axil_wvalid),
      .s_axil_wready  (source_axil_wready),
      .s_axil_bresp   (source_axil_bresp),
      .s_axil_bvalid  (source_axil_bvalid),
      .s_axil_bready  (source_axil_bready),
      .s_axil_araddr  (source_axil_araddr),
      .s_axil_arprot  (source_axil_arprot),
      .s_axil_arvalid (source_axil_arvalid),
      .s_axil_arready (source_axil_arready),
      .s_axil_rdata   (source_axil_rdata),
      .s_axil_rresp   (source_axil_rresp),
      .s_axil_rvalid  (source_axil_rvalid),
      .s_axil_rready  (source_axil_rready),
      .m_axis_tdata   (source.data),
      .m_axis_tkeep   (source.keep),
      .m_axis_tlast   (source.last),
      .m_axis_tvalid  (source_valid),
      .m_axis_tready  (source_ready),
      .free_run_o     (free_run),
      .clear_o        (clear),
      .drop_beats_i   (drop_beats),
      .drop_runs_i    (drop_runs),
      .drop_first_i   (drop_first),
      .drop_packets_i (drop_packets)
  );

  sl_stream_dropper #(
      .DataWidth (DataWidth)
  ) u_dropper (
      .clk_i,
      .rst_ni,
      .drop_i         (free_run),
      .clear_i        (clear),
      .s_axis_tdata   (source.data),
      .s_axis_tkeep   (source.keep),
      .s_axis_tlast   (source.last),
      .s_axis_tvalid  (source_valid),
      .s_axis_tready  (source_ready),
      .m_axis_tdata   (dropper.data),
      .m_axis_tkeep   (dropper.keep),
      .m_axis_tlast   (dropper.last),
      .m_axis_tuser   (user),
      .m_axis_tvalid  (dropper_valid),
      .m_axis_tready  (dropper_ready),
      .drop_beats_o   (drop_beats),
      .drop_runs_o    (drop_runs),
      .drop_first_o   (drop_first),
      .drop_packets_o (drop_packets)
  );

  sl_stream_fifo #(
      .DataWidth (DataWidth),
      .Depth     (Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .clear_i        (clear),
      .s_axis_tdata   (dropper.data),
      .s_axis_tkeep   (dropper.keep),
      .s_axis_tlast   (dropper.last),
      .s_axis_tvalid  (dropper_valid),
      .s_axis_tready  (dropper_ready),
      .m_axis_tdata   (fifo.data),
      .m_axis_tkeep   (fifo.keep),
      .m_axis_tlast   (fifo.last),
      .m_axis_tvalid  (fifo_valid),
      .m_axis_tready  (fifo_ready),
      .level_o
  );

  sl_stream_sink #(
      .DataWidth (DataWidth)
  ) u_sink (
      .clk_i,
      .rst_ni,
      .s_axil_awaddr  (sink_axil_awaddr),
      .s_axil_awprot  (sink_axil_awprot),
      .s_axil_awvalid (sink_axil_awvalid),
      .s_axil_awready (sink_axil_awready),
      .s_axil_wdata   (sink_axil_wdata),
      .s_axil_wstrb   (sink_axil_wstrb),
      .s_axil_wvalid  (sink_axil_wvalid),
      .s_axil_wready  (sink_axil_wready),
      .s_axil_bresp   (sink_axil_bresp),
      .s_axil_bvalid  (sink_axil_bvalid),
      .s_axil_bready  (sink_axil_bready),
      .s_axil_araddr  (sink_axil_araddr),
      .s_axil_arprot  (sink_axil_arprot),
      .s_axil_arvalid (sink_axil_arvalid),
      .s_axil_arready (sink_axil_arready),
      .s_axil_rdata   (sink_axil_rdata),
      .s_axil_rresp   (sink_axil_rresp),
      .s_axil_rvalid  (sink_axil_rvalid),
      .s_axil_rready  (sink_axil_rready),
      .s_axis_tdata   (fifo.data),
      .s_axis_tkeep   (fifo.keep),
      .s_axis_tlast   (fifo.last),
      .s_axis_tvalid  (fifo_valid),
      .s_axis_tready  (fifo_ready)
  );

  always_ff @(posedge clk_i) begin
    if (dropper_valid && dropper_ready && user) begin
      marks_o <= marks_o + 32'd1;
    end
    if (!rst_ni || clear) begin
      marks_o <= '0;
    end
  end

endmodule
