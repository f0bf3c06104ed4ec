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
//
// AddrWidth   is checked in sl_axi_dma.

module sl_axi_dma_join
  import sl_axi_dma_pkg::*;
#(
    parameter int unsigned AddrWidth = 32
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,

    input  sl_axi_dma_sg_req_t [1:0]  req_i,
    output sl_axi_dma_sg_rsp_t [1:0]  rsp_o,

    output logic [0:0]                m_axi_arid,
    output logic [AddrWidth-1:0]      m_axi_araddr,
    output logic [7:0]                m_axi_arlen,
    output logic [2:0]                m_axi_arsize,
    output logic [1:0]                m_axi_arburst,
    output logic                      m_axi_arlock,
    output logic [3:0]                m_axi_arcache,
    output logic [2:0]                m_axi_arprot,
    output logic                      m_axi_arvalid,
    input  logic                      m_axi_arready,
    input  logic [0:0]                m_axi_rid,
    input  logic [31:0]               m_axi_rdata,
    input  logic [1:0]                m_axi_rresp,
    input  logic                      m_axi_rlast,
    input  logic                      m_axi_rvalid,
    output logic                      m_axi_rready,
    output logic [0:0]                m_axi_awid,
    output logic [AddrWidth-1:0]      m_axi_awaddr,
    output logic [7:0]                m_axi_awlen,
    output logic [2:0]                m_axi_awsize,
    output logic [1:0]                m_axi_awburst,
    output logic                      m_axi_awlock,
    output logic [3:0]                m_axi_awcache,
    output logic [2:0]                m_axi_awprot,
    output logic                      m_axi_awvalid,
    input  logic                      m_axi_awready,
    output logic [31:0]               m_axi_wdata,
    output logic [3:0]                m_axi_wstrb,
    output logic                      m_axi_wlast,
    output logic                      m_axi_wvalid,
    input  logic                      m_axi_wready,
    input  logic [0:0]                m_axi_bid,
    input  logic [1:0]                m_axi_bresp,
    input  logic                      m_axi_bvalid,
    output logic                      m_axi_bready
);

  // ----------------------------------------------------------------------------------------- reads
  logic ar_sel, ar_sel_q, ar_held_q;  // held: ARVALID waits

  // The one that was served last comes second.
  assign ar_sel = ar_held_q ? ar_sel_q : req_i[!ar_sel_q].arvalid ? !ar_sel_q : ar_sel_q;

  always_ff @(posedge clk_i) begin
    if (m_axi_arvalid) ar_sel_q <= ar_sel;
    ar_held_q <= m_axi_arvalid && !m_axi_arready;
    if (!rst_ni) begin
      ar_sel_q  <= 1'b1;
      ar_held_q <= 1'b0;
    end
  end

  assign m_axi_arid    = ar_sel;
  assign m_axi_araddr  = req_i[ar_sel].araddr[AddrWidth-1:0];
  assign m_axi_arlen   = req_i[ar_sel].arlen;
  assign m_axi_arsize  = 3'd2;
  assign m_axi_arburst = 2'b01;
  assign m_axi_arlock  = 1'b0;
  assign m_axi_arcache = 4'b0011;
  assign m_axi_arprot  = 3'b000;
  assign m_axi_arvalid = req_i[ar_sel].arvalid;

  for (genvar i = 0; i < 2; i++) begin : gen_read
    assign rsp_o[i].arready = m_axi_arready && ar_sel == 1'(i);
    assign rsp_o[i].rvalid  = m_axi_rvalid && m_axi_rid == 1'(i);
    assign rsp_o[i].rdata   = m_axi_rdata;
    assign rsp_o[i].rresp   = m_axi_rresp;
    assign rsp_o[i].rlast   = m_axi_rlast;
  end
  assign m_axi_rready = req_i[m_axi_rid].rready;

  // ---------------------------------------------------------------------------------------- writes
  logic aw_sel, aw_sel_q, aw_held_q;
  logic aw_done_q, w_done_q, aw_end, w_end;  // of the write in hand

  assign aw_sel = aw_held_q ? aw_sel_q : req_i[!aw_sel_q].awvalid ? !aw_sel_q : aw_sel_q;
  assign aw_end = aw_done_q || (m_axi_awvalid && m_axi_awready);
  assign w_end  = w_done_q || (m_axi_wvalid && m_axi_wready);

  // A channel raises AWVALID and WVALID together, hence neither has to look at the other.
  always_ff @(posedge clk_i) begin
    if (m_axi_awvalid || m_axi_wvalid) begin
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

  assign m_axi_awid    = aw_sel;
  assign m_axi_awaddr  = req_i[aw_sel].awaddr[AddrWidth-1:0];
  assign m_axi_awlen   = '0;
  assign m_axi_awsize  = 3'd2;
  assign m_axi_awburst = 2'b01;
  assign m_axi_awlock  = 1'b0;
  assign m_axi_awcache = 4'b0011;
  assign m_axi_awprot  = 3'b000;
  assign m_axi_awvalid = req_i[aw_sel].awvalid && !aw_done_q;
  assign m_axi_wdata   = req_i[aw_sel].wdata;
  assign m_axi_wstrb   = '1;
  assign m_axi_wlast   = 1'b1;
  assign m_axi_wvalid  = req_i[aw_sel].wvalid && !w_done_q;

  for (genvar i = 0; i < 2; i++) begin : gen_write
    assign rsp_o[i].awready = m_axi_awready && aw_sel == 1'(i) && !aw_done_q;
    assign rsp_o[i].wready  = m_axi_wready && aw_sel == 1'(i) && !w_done_q;
    assign rsp_o[i].bvalid  = m_axi_bvalid && m_axi_bid == 1'(i);
    assign rsp_o[i].bresp   = m_axi_bresp;
  end
  assign m_axi_bready = req_i[m_axi_bid].bready;

  logic unused;
  assign unused = &{1'b0, req_i};

endmodule
