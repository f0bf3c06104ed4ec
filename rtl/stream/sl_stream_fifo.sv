// SPDX-License-Identifier: Apache-2.0
//
// sl_stream_fifo: AXI-Stream FIFO that says how full it is; the loop-back path of a lane.
//
// Purpose     Decouples two streams that stall at different times.
// Handshake   s_axis_tready and m_axis_tvalid come from registers and depend on no input. A
//             presented beat never changes (clear_i and reset aside). Only a full FIFO stalls the
//             input.
// Latency     1 cycle when empty; where Depth > 64, up to 3 for a beat that enters while the FIFO
//             runs empty (it goes through the RAM). Throughput one beat a cycle.
// Capacity    Depth beats, and up to 3 more in the output stage where Depth > 64 (see sl_fifo).
// Level       level_o is the number of beats inside, output stage included.
// Reset       rst_ni (synchronous, active low) or clear_i empties it; both may withdraw a presented
//             beat: the consumer has to be cleared with it. A beat taken in that cycle is lost.
// Parameters  DataWidth  32..512, power of two, refused otherwise
//             Depth      4..32768 beats, power of two, refused otherwise
// Not here    TUSER, TID, TDEST.
// Follows     AMBA AXI-Stream (IHI 0051) 2.2.

module sl_stream_fifo #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Depth     = 512
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  input  logic [DataWidth-1:0]   s_axis_tdata,
  input  logic [DataWidth/8-1:0] s_axis_tkeep,
  input  logic                   s_axis_tlast,
  input  logic                   s_axis_tvalid,
  output logic                   s_axis_tready,

  output logic [DataWidth-1:0]   m_axis_tdata,
  output logic [DataWidth/8-1:0] m_axis_tkeep,
  output logic                   m_axis_tlast,
  output logic                   m_axis_tvalid,
  input  logic                   m_axis_tready,

  output logic [$clog2(Depth):0] level_o
);

  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end
  if (Depth < 4 || Depth > 32768 || 2 ** $clog2(Depth) != Depth) begin : g_bad_depth
    $fatal(1, "%m: Depth must be a power of two in 4..32768, is %0d", Depth);
  end

  localparam int unsigned KeepWidth  = DataWidth / 8;
  localparam int unsigned LevelWidth = $clog2(Depth) + 1;

  logic [$clog2(Depth):0] count;
  logic                   unused;
  logic                   push, pop;

  sl_fifo #(
    .Width (DataWidth + KeepWidth + 1),
    .Depth (Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .clear_i,
    .in_valid_i  (s_axis_tvalid),
    .in_ready_o  (s_axis_tready),
    .in_data_i   ({s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
    .out_valid_o (m_axis_tvalid),
    .out_ready_i (m_axis_tready),
    .out_data_o  ({m_axis_tlast, m_axis_tkeep, m_axis_tdata}),
    .count_o     (count)
  );

  assign unused = ^count;  // without the output stage
  assign push   = s_axis_tvalid && s_axis_tready;
  assign pop    = m_axis_tvalid && m_axis_tready;

  always_ff @(posedge clk_i) begin
    if (push != pop) begin
      level_o <= push ? level_o + LevelWidth'(1) : level_o - LevelWidth'(1);
    end
    if (!rst_ni || clear_i) begin
      level_o <= '0;
    end
  end

`ifndef SYNTHESIS
  // verilator lint_off PINCONNECTEMPTY
  sl_axis_check #(
    .DataWidth (DataWidth),
    .AllowNull (1'b1)
  ) u_check (
    .clk_i,
    .rst_ni      (rst_ni && !clear_i),
    .axis_tdata  (m_axis_tdata),
    .axis_tkeep  (m_axis_tkeep),
    .axis_tlast  (m_axis_tlast),
    .axis_tuser  (1'b0),
    .axis_tvalid (m_axis_tvalid),
    .axis_tready (m_axis_tready),
    .violation_o ()
  );
  // verilator lint_on PINCONNECTEMPTY
`endif

endmodule
