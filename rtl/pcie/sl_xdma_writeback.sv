// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_writeback: writes of one or two words into the host's memory, for the channels of
// sl_xdma.
//
// Handshake   req_i[p] is taken while valid_i[p] and ready_o[p]; channels take turns. done_o[p] is
//             a pulse for each of a channel's writes in order, when it was answered, error_o its
//             answer.
// Bus         AWVALID and WVALID are registered and rise together: single beats, strobed.
// Latency     2 cycles to AWVALID, 1 from B to done_o. Throughput: a write every second cycle, up
//             to Outstanding of them unanswered.
// Reset       rst_ni, synchronous, regardless of the bus.
//
// NumPorts 1 to 8; Outstanding a power of two in 2..64; DataWidth of m_axi 64 to 512.

`include "sl_axi.svh"

module sl_xdma_writeback
  import sl_xdma_pkg::*;
#(
    parameter int unsigned NumPorts    = 8,
    parameter int unsigned Outstanding = 16
) (
    input  logic                clk_i,
    input  logic                rst_ni,

    input  logic [NumPorts-1:0] valid_i,
    output logic [NumPorts-1:0] ready_o,
    input  sl_xdma_wb_t         req_i [NumPorts],
    output logic [NumPorts-1:0] done_o,
    output logic [1:0]          error_o,  // sl_mover_pkg::error_e

    sl_axi_if.wr_mst            m_axi
);

  localparam int unsigned DataWidth = m_axi.DataWidth;
  localparam int unsigned LaneBits  = $clog2(DataWidth / 8);
  localparam logic [LaneBits-1:0] LaneMask = LaneBits'(DataWidth / 8 - 8);
  localparam int unsigned SelWidth  = NumPorts > 1 ? $clog2(NumPorts) : 1;

  if (NumPorts < 1 || NumPorts > 8) begin : gen_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..8, is %0d", NumPorts);
  end
  if (DataWidth < 64 || DataWidth > 512) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 64..512, is %0d", DataWidth);
  end

  // ---- one of those that ask --------------------------------------------------------------------
  typedef logic [SelWidth-1:0] sel_t;

  sl_xdma_wb_t req_q;
  sel_t        sel, sel_q, turn_q;
  logic        any, valid_q, take, push_ready;

  sl_turn #(
      .NumRequests(NumPorts)
  ) u_turn (
      .ask_i (valid_i),
      .last_i(turn_q),
      .sel_o (sel),
      .any_o (any)
  );

  always_comb begin
    ready_o      = '0;
    ready_o[sel] = any && !valid_q;
  end

  always_ff @(posedge clk_i) begin
    if (any && !valid_q) begin
      req_q   <= req_i[sel];
      sel_q   <= sel;
      turn_q  <= sel;
      valid_q <= 1'b1;
    end else if (take) begin
      valid_q <= 1'b0;
    end
    if (!rst_ni) begin
      valid_q <= 1'b0;
      turn_q  <= '0;
    end
  end

  // ---- the bus ----------------------------------------------------------------------------------
  logic [7:0]          strb;
  logic [LaneBits-1:0] lane;  // the first of the 8 bytes

  assign take = valid_q && push_ready && !m_axi.awvalid && !m_axi.wvalid;
  assign lane = req_q.addr[LaneBits-1:0] & LaneMask;
  assign strb = req_q.two ? 8'hff : req_q.addr[2] ? 8'hf0 : 8'h0f;

  always_ff @(posedge clk_i) begin
    if (m_axi.awready) m_axi.awvalid <= 1'b0;
    if (m_axi.wready) m_axi.wvalid <= 1'b0;
    if (take) begin
      m_axi.awvalid <= 1'b1;
      m_axi.wvalid  <= 1'b1;
      m_axi.awaddr  <= {req_q.addr[63:3], 3'd0};
      m_axi.wdata   <= {(DataWidth / 64){req_q.two ? req_q.data : {2{req_q.data[31:0]}}}};
      m_axi.wstrb   <= '0;
      m_axi.wstrb[lane+:8] <= strb;
    end
    if (!rst_ni) begin
      m_axi.awvalid <= 1'b0;
      m_axi.wvalid  <= 1'b0;
    end
  end

  assign m_axi.awid    = '0;
  assign m_axi.awlen   = '0;
  assign m_axi.awsize  = 3'(LaneBits);
  assign m_axi.awburst = 2'b01;
  assign m_axi.awlock  = '0;
  assign m_axi.awcache = 4'b0011;
  assign m_axi.awprot  = '0;
  assign m_axi.wlast   = 1'b1;
  assign m_axi.bready  = 1'b1;

  // ---- whose answer comes -----------------------------------------------------------------------
  sel_t whose;
  logic whose_valid;
  logic [$clog2(Outstanding):0] unused_count;

  sl_fifo #(
      .Width(SelWidth),
      .Depth(Outstanding)
  ) u_whose (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (take),
      .in_ready_o (push_ready),
      .in_data_i  (sel_q),
      .out_valid_o(whose_valid),
      .out_ready_i(m_axi.bvalid),
      .out_data_o (whose),
      .count_o    (unused_count)
  );

  always_ff @(posedge clk_i) begin
    done_o <= '0;
    if (m_axi.bvalid) done_o[whose] <= rst_ni;
    error_o <= m_axi.bresp[1] ? m_axi.bresp : 2'd0;
  end

  logic unused;
  assign unused = &{1'b0, unused_count, whose_valid, m_axi.bid, m_axi.bresp};

endmodule
