// SPDX-License-Identifier: Apache-2.0
//
// sl_port_share: up to 16 AXI4 masters on one port, served in turn.
//
// Arbitration reads and writes apart. Of the addresses that wait, the one whose master comes next
//             after the one served last, in a circle. So between a master's VALID and its READY at
//             most NumMasters - 1 addresses of others are taken, whatever they ask for: with a
//             port that takes an address every A cycles and bursts of B beats, a wait of at most
//             (NumMasters - 1) * max(A, B) cycles beside the port's own. Proved in
//             proofs/prove_sl_port_share.sv.
// Grouping    read_en_i, write_en_i low: no address of that direction is newly presented; one that
//             is stays. The bound, of others' addresses, holds whatever they do.
// Handshake   AR, R, AW, W, B pass combinationally, VALID and READY both ways; no VALID depends on
//             a READY; what is presented stays until taken. W beats come in the order of the AWs: a
//             beat waits until its AW is presented, the same cycle is early enough, and for the
//             bursts before it. So a master presents an AW only when it can give all of the burst's
//             data, and takes every R beat at once (sl_mm2s, sl_s2mm with CutThrough = 0): then no
//             master holds up another. An AW waits while WriteDepth bursts lack their WLAST.
// Latency     0 cycles; an address a cycle each way.
// Ordering    of a master as the port answers. The ID is the master's number; R and B go where it
//             says, in any order.
// Errors      pass unchanged. Reset: rst_ni synchronous, active low; master 0 goes first.
// Parameters  NumMasters 1..16, WriteDepth a power of two 2..64, refused otherwise. Vectors: master
//             n at index n.
// Not here    the masters' own IDs (all 0), QOS, REGION, USER, exclusive accesses.

module sl_port_share #(
    parameter int unsigned  NumMasters = 2,
    parameter int unsigned  AddrWidth  = 32,
    parameter int unsigned  DataWidth  = 64,
    parameter int unsigned  WriteDepth = 16,
    localparam int unsigned IdWidth    = NumMasters > 1 ? $clog2(NumMasters) : 1
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    read_en_i,
    input  logic                                    write_en_i,

    input  logic [NumMasters-1:0][AddrWidth-1:0]    s_axi_araddr,
    input  logic [NumMasters-1:0][7:0]              s_axi_arlen,
    input  logic [NumMasters-1:0]                   s_axi_arvalid,
    output logic [NumMasters-1:0]                   s_axi_arready,
    output logic [DataWidth-1:0]                    s_axi_rdata,
    output logic [1:0]                              s_axi_rresp,
    output logic                                    s_axi_rlast,
    output logic [NumMasters-1:0]                   s_axi_rvalid,
    input  logic [NumMasters-1:0]                   s_axi_rready,
    input  logic [NumMasters-1:0][AddrWidth-1:0]    s_axi_awaddr,
    input  logic [NumMasters-1:0][7:0]              s_axi_awlen,
    input  logic [NumMasters-1:0]                   s_axi_awvalid,
    output logic [NumMasters-1:0]                   s_axi_awready,
    input  logic [NumMasters-1:0][DataWidth-1:0]    s_axi_wdata,
    input  logic [NumMasters-1:0][DataWidth/8-1:0]  s_axi_wstrb,
    input  logic [NumMasters-1:0]                   s_axi_wlast,
    input  logic [NumMasters-1:0]                   s_axi_wvalid,
    output logic [NumMasters-1:0]                   s_axi_wready,
    output logic [1:0]                              s_axi_bresp,
    output logic [NumMasters-1:0]                   s_axi_bvalid,
    input  logic [NumMasters-1:0]                   s_axi_bready,

    output logic [IdWidth-1:0]                      m_axi_arid,
    output logic [AddrWidth-1:0]                    m_axi_araddr,
    output logic [7:0]                              m_axi_arlen,
    output logic                                    m_axi_arvalid,
    input  logic                                    m_axi_arready,
    input  logic [IdWidth-1:0]                      m_axi_rid,
    input  logic [DataWidth-1:0]                    m_axi_rdata,
    input  logic [1:0]                              m_axi_rresp,
    input  logic                                    m_axi_rlast,
    input  logic                                    m_axi_rvalid,
    output logic                                    m_axi_rready,
    output logic [IdWidth-1:0]                      m_axi_awid,
    output logic [AddrWidth-1:0]                    m_axi_awaddr,
    output logic [7:0]                              m_axi_awlen,
    output logic                                    m_axi_awvalid,
    input  logic                                    m_axi_awready,
    output logic [DataWidth-1:0]                    m_axi_wdata,
    output logic [DataWidth/8-1:0]                  m_axi_wstrb,
    output logic                                    m_axi_wlast,
    output logic                                    m_axi_wvalid,
    input  logic                                    m_axi_wready,
    input  logic [IdWidth-1:0]                      m_axi_bid,
    input  logic [1:0]                              m_axi_bresp,
    input  logic                                    m_axi_bvalid,
    output logic                                    m_axi_bready
);

  if (NumMasters < 1 || NumMasters > 16) begin : gen_bad_masters
    $fatal(1, "%m: NumMasters must be 1..16, is %0d", NumMasters);
  end
  if (WriteDepth < 2 || WriteDepth > 64 || 2 ** $clog2(WriteDepth) != WriteDepth)
  begin : gen_bad_depth
    $fatal(1, "%m: WriteDepth must be a power of two in 2..64, is %0d", WriteDepth);
  end

  localparam int unsigned PtrWidth = $clog2(WriteDepth);

  // The first of those that ask, from behind `last` on in a circle; `last` itself comes last.
  function automatic logic [IdWidth-1:0] next(input logic [NumMasters-1:0] ask,
                                              input logic [IdWidth-1:0] last);
    next = last;
    for (int unsigned n = NumMasters; n > 0; n--) if (ask[n-1]) next = IdWidth'(n - 1);
    for (int unsigned n = NumMasters; n > 0; n--) begin
      if (ask[n-1] && n - 1 > 32'(last)) next = IdWidth'(n - 1);
    end
  endfunction

  // ---- reads ----
  logic [IdWidth-1:0] ar_sel, ar_last_q;
  logic               ar_held_q;  // what ar_last_q chose waits
  logic               ar_pass;

  assign ar_pass = ar_held_q || read_en_i;
  assign ar_sel  = ar_held_q ? ar_last_q : next(s_axi_arvalid, ar_last_q);

  always_ff @(posedge clk_i) begin
    if (m_axi_arvalid) ar_last_q <= ar_sel;
    ar_held_q <= m_axi_arvalid && !m_axi_arready;
    if (!rst_ni) begin
      ar_last_q <= IdWidth'(NumMasters - 1);
      ar_held_q <= 1'b0;
    end
  end

  assign m_axi_arid    = ar_sel;
  assign m_axi_araddr  = s_axi_araddr[ar_sel];
  assign m_axi_arlen   = s_axi_arlen[ar_sel];
  assign m_axi_arvalid = |s_axi_arvalid && ar_pass;
  assign m_axi_rready  = s_axi_rready[m_axi_rid];
  assign s_axi_rdata   = m_axi_rdata;
  assign s_axi_rresp   = m_axi_rresp;
  assign s_axi_rlast   = m_axi_rlast;

  // ---- writes: a queue of the masters of presented AWs, for W ----
  logic [IdWidth-1:0] masters_q[WriteDepth];
  logic [PtrWidth:0]  head_q, tail_q;
  logic [IdWidth-1:0] aw_sel, aw_last_q, w_sel;
  logic               aw_held_q, aw_pass, w_pass, empty, full, push, pop;

  assign empty   = head_q == tail_q;
  assign full    = head_q == {~tail_q[PtrWidth], tail_q[PtrWidth-1:0]};
  assign aw_sel  = aw_held_q ? aw_last_q : next(s_axi_awvalid, aw_last_q);
  // An AW is entered in the first cycle in which it is presented: its data may go before it is
  // taken. Once entered it stays presented, so `full` no longer concerns it.
  assign aw_pass = aw_held_q || (!full && write_en_i);
  assign push    = m_axi_awvalid && !aw_held_q;
  assign w_sel   = empty ? aw_sel : masters_q[head_q[PtrWidth-1:0]];
  assign w_pass  = !empty || push;
  assign pop     = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  always_ff @(posedge clk_i) begin
    aw_held_q <= m_axi_awvalid && !m_axi_awready;
    if (push) begin
      masters_q[tail_q[PtrWidth-1:0]] <= aw_sel;
      tail_q                          <= tail_q + 1'b1;
      aw_last_q                       <= aw_sel;
    end
    if (pop) head_q <= head_q + 1'b1;
    if (!rst_ni) begin
      aw_last_q <= IdWidth'(NumMasters - 1);
      aw_held_q <= 1'b0;
      head_q    <= '0;
      tail_q    <= '0;
    end
  end

  assign m_axi_awid    = aw_sel;
  assign m_axi_awaddr  = s_axi_awaddr[aw_sel];
  assign m_axi_awlen   = s_axi_awlen[aw_sel];
  assign m_axi_awvalid = |s_axi_awvalid && aw_pass;
  assign m_axi_wdata   = s_axi_wdata[w_sel];
  assign m_axi_wstrb   = s_axi_wstrb[w_sel];
  assign m_axi_wlast   = s_axi_wlast[w_sel];
  assign m_axi_wvalid  = s_axi_wvalid[w_sel] && w_pass;
  assign m_axi_bready  = s_axi_bready[m_axi_bid];
  assign s_axi_bresp   = m_axi_bresp;

  for (genvar n = 0; n < NumMasters; n++) begin : gen_master
    assign s_axi_arready[n] = m_axi_arready && ar_pass && ar_sel == IdWidth'(n);
    assign s_axi_rvalid[n]  = m_axi_rvalid && m_axi_rid == IdWidth'(n);
    assign s_axi_awready[n] = m_axi_awready && aw_pass && aw_sel == IdWidth'(n);
    assign s_axi_wready[n]  = m_axi_wready && w_pass && w_sel == IdWidth'(n);
    assign s_axi_bvalid[n]  = m_axi_bvalid && m_axi_bid == IdWidth'(n);
  end

`ifndef SYNTHESIS
  // The bound, watched under whatever load a simulation makes.
  int unsigned ar_others_q[NumMasters];
  int unsigned aw_others_q[NumMasters];

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < NumMasters; n++) begin
      ar_others_q[n] <= !rst_ni || !s_axi_arvalid[n] || s_axi_arready[n] ? 0 :
                        ar_others_q[n] + 32'(m_axi_arvalid && m_axi_arready);
      aw_others_q[n] <= !rst_ni || !s_axi_awvalid[n] || s_axi_awready[n] ? 0 :
                        aw_others_q[n] + 32'(m_axi_awvalid && m_axi_awready);
      if (rst_ni) begin
        assert (ar_others_q[n] < NumMasters && aw_others_q[n] < NumMasters)
        else $error("%m: master %0d waited for %0d reads, %0d writes of others", n,
                    ar_others_q[n], aw_others_q[n]);
      end
    end
  end
`endif

endmodule
