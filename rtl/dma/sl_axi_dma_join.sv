// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_join: joins the descriptor reads and write-backs of two channels onto one AXI4 port of
// 32 bits. The ID's bit is the channel's number, and its index on req_i, rsp_o.
//
// Handshake   reads: a channel's ARVALID is passed on and kept until taken; the other one is next
//             if it waits too. Writes: AW and W of one channel, which rise together, until both
//             are taken; likewise. R and B go to the channel of their ID. All is combinational; no
//             VALID depends on a READY.
// Throughput  an address, a beat, a response a cycle each.
// Ordering    of a channel, as memory answers it; memory may answer the channels in any order.
// Reset       rst_ni, synchronous: channel 0 first.

module sl_axi_dma_join
  import sl_axi_dma_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,

    input  sl_axi_dma_sg_req_t [1:0]  req_i,
    output sl_axi_dma_sg_rsp_t [1:0]  rsp_o,

    sl_axi_if.mst m_axi
);

  localparam int unsigned AddrWidth = m_axi.AddrWidth;

  // ----------------------------------------------------------------------------------------- reads
  logic ar_sel, ar_sel_q, ar_held_q;  // held: ARVALID waits

  // The one that was served last comes second.
  assign ar_sel = ar_held_q ? ar_sel_q : req_i[!ar_sel_q].arvalid ? !ar_sel_q : ar_sel_q;

  always_ff @(posedge clk_i) begin
    if (m_axi.arvalid) ar_sel_q <= ar_sel;
    ar_held_q <= m_axi.arvalid && !m_axi.arready;
    if (!rst_ni) begin
      ar_sel_q  <= 1'b1;
      ar_held_q <= 1'b0;
    end
  end

  assign m_axi.arid    = ar_sel;
  assign m_axi.araddr  = req_i[ar_sel].araddr[AddrWidth-1:0];
  assign m_axi.arlen   = req_i[ar_sel].arlen;
  assign m_axi.arsize  = 3'd2;
  assign m_axi.arburst = 2'b01;
  assign m_axi.arlock  = 1'b0;
  assign m_axi.arcache = 4'b0011;
  assign m_axi.arprot  = 3'b000;
  assign m_axi.arvalid = req_i[ar_sel].arvalid;

  for (genvar i = 0; i < 2; i++) begin : gen_read
    assign rsp_o[i].arready = m_axi.arready && ar_sel == 1'(i);
    assign rsp_o[i].rvalid  = m_axi.rvalid && m_axi.rid == 1'(i);
    assign rsp_o[i].rdata   = m_axi.rdata;
    assign rsp_o[i].rresp   = m_axi.rresp;
    assign rsp_o[i].rlast   = m_axi.rlast;
  end
  assign m_axi.rready = req_i[m_axi.rid].rready;

  // ---------------------------------------------------------------------------------------- writes
  logic aw_sel, aw_sel_q, aw_held_q;
  logic aw_done_q, w_done_q, aw_end, w_end;  // of the write in hand

  assign aw_sel = aw_held_q ? aw_sel_q : req_i[!aw_sel_q].awvalid ? !aw_sel_q : aw_sel_q;
  assign aw_end = aw_done_q || (m_axi.awvalid && m_axi.awready);
  assign w_end  = w_done_q || (m_axi.wvalid && m_axi.wready);

  // A channel raises AWVALID and WVALID together, hence neither has to look at the other.
  always_ff @(posedge clk_i) begin
    if (m_axi.awvalid || m_axi.wvalid) begin
      aw_sel_q  <= aw_sel;
      aw_held_q <= !(aw_end && w_end);
      aw_done_q <= aw_end && !w_end;
      w_done_q  <= w_end && !aw_end;
    end
    if (!rst_ni) begin
      aw_sel_q  <= 1'b1;
      aw_held_q <= 1'b0;
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end
  end

  assign m_axi.awid    = aw_sel;
  assign m_axi.awaddr  = req_i[aw_sel].awaddr[AddrWidth-1:0];
  assign m_axi.awlen   = '0;
  assign m_axi.awsize  = 3'd2;
  assign m_axi.awburst = 2'b01;
  assign m_axi.awlock  = 1'b0;
  assign m_axi.awcache = 4'b0011;
  assign m_axi.awprot  = 3'b000;
  assign m_axi.awvalid = req_i[aw_sel].awvalid && !aw_done_q;
  assign m_axi.wdata   = req_i[aw_sel].wdata;
  assign m_axi.wstrb   = '1;
  assign m_axi.wlast   = 1'b1;
  assign m_axi.wvalid  = req_i[aw_sel].wvalid && !w_done_q;

  for (genvar i = 0; i < 2; i++) begin : gen_write
    assign rsp_o[i].awready = m_axi.awready && aw_sel == 1'(i) && !aw_done_q;
    assign rsp_o[i].wready  = m_axi.wready && aw_sel == 1'(i) && !w_done_q;
    assign rsp_o[i].bvalid  = m_axi.bvalid && m_axi.bid == 1'(i);
    assign rsp_o[i].bresp   = m_axi.bresp;
  end
  assign m_axi.bready = req_i[m_axi.bid].bready;

  logic unused;
  assign unused = &{1'b0, req_i};

endmodule
