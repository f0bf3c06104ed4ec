// SPDX-License-Identifier: Apache-2.0
//
// sl_sg_widen: a descriptor port of 32 bits (sl_axi_dma, sl_axi_cdma) on a memory port of 64.
//
// Purpose     Descriptors move in beats of the memory port's full width, not in narrow ones.
// Handshake   Combinational on every channel. A 64-bit R beat is taken with its second word.
// Latency     0 cycles; reads: a word a cycle, which memory serves at half its rate.
// Bursts      What descriptor ports issue, all else stops a simulation: reads of an even number of
//             words from an address divisible by 8; writes of one word, a descriptor's status, at
//             an odd multiple of 4: it is the upper half of its beat.
// Ordering, errors   Passed on: each word has its beat's ID and response.
// Reset       rst_ni synchronous, active low: the next R beat starts with its lower word.
// Follows     AMBA AXI (IHI 0022) A3.4.

`include "sl_axi.svh"

module sl_sg_widen (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axi_if.slv      s_axi,  // 32 bits
    sl_axi_if.mst      m_axi   // 64 bits
);

  logic upper_q;  // the word of the R beat that is shown

  assign m_axi.arid    = s_axi.arid;
  assign m_axi.araddr  = s_axi.araddr;
  assign m_axi.arlen   = {1'b0, s_axi.arlen[7:1]};
  assign m_axi.arsize  = 3'd3;
  `SL_AXI_LINK_ATTR(m_axi., s_axi., ar)
  assign m_axi.arvalid = s_axi.arvalid;
  assign s_axi.arready = m_axi.arready;
  assign s_axi.rid     = m_axi.rid;
  assign s_axi.rdata   = upper_q ? m_axi.rdata[63:32] : m_axi.rdata[31:0];
  assign s_axi.rresp   = m_axi.rresp;
  assign s_axi.rlast   = m_axi.rlast && upper_q;
  assign s_axi.rvalid  = m_axi.rvalid;
  assign m_axi.rready  = s_axi.rready && upper_q;

  assign m_axi.awid    = s_axi.awid;
  assign m_axi.awaddr  = s_axi.awaddr;
  assign m_axi.awlen   = s_axi.awlen;
  assign m_axi.awsize  = 3'd3;
  `SL_AXI_LINK_ATTR(m_axi., s_axi., aw)
  assign m_axi.awvalid = s_axi.awvalid;
  assign s_axi.awready = m_axi.awready;
  assign m_axi.wdata   = {2{s_axi.wdata}};
  assign m_axi.wstrb   = {s_axi.wstrb, 4'd0};
  assign m_axi.wlast   = s_axi.wlast;
  assign m_axi.wvalid  = s_axi.wvalid;
  assign s_axi.wready  = m_axi.wready;
  `SL_AXI_LINK_B(m_axi., s_axi.)

  always_ff @(posedge clk_i) begin
    if (s_axi.rvalid && s_axi.rready) upper_q <= !upper_q;
    if (!rst_ni) upper_q <= 1'b0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && s_axi.arvalid) begin
      assert (s_axi.arlen[0] && s_axi.araddr[2:0] == '0)
      else $fatal(1, "%m: a read that is not of whole beats");
    end
    if (rst_ni && s_axi.awvalid) begin
      assert (s_axi.awlen == '0 && s_axi.awaddr[2:0] == 3'd4)
      else $fatal(1, "%m: a write that is not of a status");
    end
  end
`endif

endmodule
