// SPDX-License-Identifier: Apache-2.0
//
// sl_stream_fifo: AXI-Stream FIFO that says how full it is; the loop-back path of a lane.
//
// Purpose     Decouples two streams that stall at different times.
// Handshake   s_axis_tready and m_axis_tvalid come from registers and depend on no input. A
//             presented beat never changes (clear_i and reset aside). Only a full FIFO stalls the
//             input.
// Latency     3 cycles when empty. Throughput one beat a cycle.
// Capacity    Depth beats, the two of the output stage included. No beat goes around the RAM: its
//             word and the output register take no multiplexer.
// Level       level_o is the number of beats inside.
// Reset       rst_ni (synchronous, active low) or clear_i empties it; both may withdraw a presented
//             beat: the consumer has to be cleared with it. A beat taken in that cycle is lost.
// Parameters  DataWidth  32..512, power of two, refused otherwise
//             Depth      4..32768 beats, power of two, refused otherwise
// Not here    TUSER, TID, TDEST.
// Follows     AMBA AXI-Stream (IHI 0051) 2.2.

`include "sl_axi.svh"

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
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end
  if (Depth < 4 || Depth > 32768 || 2 ** $clog2(Depth) != Depth) begin : gen_bad_depth
    $fatal(1, "%m: Depth must be a power of two in 4..32768, is %0d", Depth);
  end

  localparam int unsigned Width      = DataWidth + DataWidth / 8 + 1;
  localparam int unsigned PtrWidth   = $clog2(Depth);
  localparam int unsigned LevelWidth = PtrWidth + 1;

  // Never read and written at one address in one cycle (asserted): no logic for that case.
  (* no_rw_check *)
  logic [Width-1:0]    ram [Depth];
  logic [Width-1:0]    ram_q, out_q;
  logic [PtrWidth-1:0] wr_ptr_q, rd_ptr_q;
  logic                ram_valid_q, out_valid_q;
  logic                push, pop, fetch, step;

  assign s_axis_tready = !level_o[PtrWidth];
  assign m_axis_tvalid = out_valid_q;
  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = out_q;

  assign push = s_axis_tvalid && s_axis_tready;
  assign pop  = m_axis_tvalid && m_axis_tready;
  // The word read moves on when the output is or gets free; the next is read into its place.
  assign step = !out_valid_q || m_axis_tready;
  // Two words leave an idle RAM at once, so that it never holds Depth words: equal is empty.
  assign fetch = wr_ptr_q != rd_ptr_q && (!ram_valid_q || step);

  always_ff @(posedge clk_i) begin
    if (push) begin
      ram[wr_ptr_q] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    end
    if (fetch) begin
      ram_q <= ram[rd_ptr_q];
    end
    if (step) begin
      out_q <= ram_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      wr_ptr_q <= wr_ptr_q + 1'b1;
    end
    if (fetch) begin
      rd_ptr_q <= rd_ptr_q + 1'b1;
    end
    if (step) begin
      out_valid_q <= ram_valid_q;
    end
    ram_valid_q <= fetch || (ram_valid_q && !step);
    if (push != pop) begin
      level_o <= (push ? LevelWidth'(1) : '1) + level_o;
    end
    if (!rst_ni || clear_i) begin
      wr_ptr_q    <= '0;
      rd_ptr_q    <= '0;
      ram_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
      level_o     <= '0;
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
      `SL_AXIS_PINS(axis_, m_axis_),
      .axis_tuser  (1'b0),
      .violation_o ()
  );
  // verilator lint_on PINCONNECTEMPTY

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(push && fetch && wr_ptr_q == rd_ptr_q))
      else $error("%m: address %0d read and written", rd_ptr_q);
    end
  end
`endif

endmodule
