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

module sl_sg_widen (
    input  logic                 clk_i,
    input  logic                 rst_ni,

    input  logic [2:0]           s_axi_araddr,  // the lowest bits
    input  logic [7:0]           s_axi_arlen,
    input  logic                 s_axi_arvalid,
    output logic [31:0]          s_axi_rdata,
    output logic                 s_axi_rlast,
    output logic                 s_axi_rvalid,
    input  logic                 s_axi_rready,
    input  logic [2:0]           s_axi_awaddr,
    input  logic [7:0]           s_axi_awlen,
    input  logic                 s_axi_awvalid,
    input  logic [31:0]          s_axi_wdata,
    input  logic [3:0]           s_axi_wstrb,

    output logic [7:0]           m_axi_arlen,
    output logic [2:0]           m_axi_arsize,
    input  logic [63:0]          m_axi_rdata,
    input  logic                 m_axi_rlast,
    input  logic                 m_axi_rvalid,
    output logic                 m_axi_rready,
    output logic [2:0]           m_axi_awsize,
    output logic [63:0]          m_axi_wdata,
    output logic [7:0]           m_axi_wstrb
);

  logic upper_q;  // the word of the R beat that is shown

  assign m_axi_arlen  = {1'b0, s_axi_arlen[7:1]};
  assign m_axi_arsize = 3'd3;
  assign s_axi_rdata  = upper_q ? m_axi_rdata[63:32] : m_axi_rdata[31:0];
  assign s_axi_rlast  = m_axi_rlast && upper_q;
  assign s_axi_rvalid = m_axi_rvalid;
  assign m_axi_rready = s_axi_rready && upper_q;
  assign m_axi_awsize = 3'd3;
  assign m_axi_wdata  = {2{s_axi_wdata}};
  assign m_axi_wstrb  = {s_axi_wstrb, 4'd0};

  always_ff @(posedge clk_i) begin
    if (s_axi_rvalid && s_axi_rready) upper_q <= !upper_q;
    if (!rst_ni) upper_q <= 1'b0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && s_axi_arvalid) begin
      assert (s_axi_arlen[0] && s_axi_araddr == '0)
      else $fatal(1, "%m: a read that is not of whole beats");
    end
    if (rst_ni && s_axi_awvalid) begin
      assert (s_axi_awlen == '0 && s_axi_awaddr == 3'd4)
      else $fatal(1, "%m: a write that is not of a status");
    end
  end
`else
  logic unused;
  assign unused = ^{s_axi_araddr, s_axi_arlen[0], s_axi_arvalid, s_axi_awaddr, s_axi_awlen,
                    s_axi_awvalid};
`endif

endmodule
