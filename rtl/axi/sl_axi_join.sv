// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_join: two AXI4 masters on one port: a DMA engine's data and its descriptors.
//
// Handshake   AR, R, AW, B pass combinationally, VALID and READY both ways; no VALID depends on a
//             READY. Of two addresses that wait the one whose master was not served last goes
//             first; what is presented stays until taken. W beats come in the order of the AWs:
//             a beat waits until its AW is presented, the same cycle is early enough, and until
//             the bursts before it have had theirs. A master therefore presents an AW only when it
//             can give the burst's data whatever the other one does; else both may stand still.
//             An AW waits while WriteDepth write bursts have an AW presented but no WLAST taken.
// Latency     0 cycles, also with a master alone; one address, one beat a channel and cycle.
// Ordering    of a master, as the port answers. The master's number is the ID's upper bit; R and B
//             go where it says, in any order.
// Reset       rst_ni synchronous, active low: forgets the write bursts under way; master 0 first.
// Errors      Responses pass unchanged.
// Parameters  WriteDepth power of two 2..64, refused otherwise; the others as what stands at the
//             ports has them.
// Not here    more masters (cascade), QOS, REGION, USER, locked accesses.
// Follows     AMBA AXI (IHI 0022) A5.3: write data in the order of the addresses.

module sl_axi_join #(
    parameter int unsigned AddrWidth  = 32,
    parameter int unsigned DataWidth  = 64,
    parameter int unsigned IdWidth    = 1,
    parameter int unsigned WriteDepth = 16
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,

    input  logic [IdWidth-1:0]       s0_axi_arid,
    input  logic [AddrWidth-1:0]     s0_axi_araddr,
    input  logic [7:0]               s0_axi_arlen,
    input  logic [2:0]               s0_axi_arsize,
    input  logic [1:0]               s0_axi_arburst,
    input  logic                     s0_axi_arlock,
    input  logic [3:0]               s0_axi_arcache,
    input  logic [2:0]               s0_axi_arprot,
    input  logic                     s0_axi_arvalid,
    output logic                     s0_axi_arready,
    output logic [IdWidth-1:0]       s0_axi_rid,
    output logic [DataWidth-1:0]     s0_axi_rdata,
    output logic [1:0]               s0_axi_rresp,
    output logic                     s0_axi_rlast,
    output logic                     s0_axi_rvalid,
    input  logic                     s0_axi_rready,
    input  logic [IdWidth-1:0]       s0_axi_awid,
    input  logic [AddrWidth-1:0]     s0_axi_awaddr,
    input  logic [7:0]               s0_axi_awlen,
    input  logic [2:0]               s0_axi_awsize,
    input  logic [1:0]               s0_axi_awburst,
    input  logic                     s0_axi_awlock,
    input  logic [3:0]               s0_axi_awcache,
    input  logic [2:0]               s0_axi_awprot,
    input  logic                     s0_axi_awvalid,
    output logic                     s0_axi_awready,
    input  logic [DataWidth-1:0]     s0_axi_wdata,
    input  logic [DataWidth/8-1:0]   s0_axi_wstrb,
    input  logic                     s0_axi_wlast,
    input  logic                     s0_axi_wvalid,
    output logic                     s0_axi_wready,
    output logic [IdWidth-1:0]       s0_axi_bid,
    output logic [1:0]               s0_axi_bresp,
    output logic                     s0_axi_bvalid,
    input  logic                     s0_axi_bready,

    input  logic [IdWidth-1:0]       s1_axi_arid,
    input  logic [AddrWidth-1:0]     s1_axi_araddr,
    input  logic [7:0]               s1_axi_arlen,
    input  logic [2:0]               s1_axi_arsize,
    input  logic [1:0]               s1_axi_arburst,
    input  logic                     s1_axi_arlock,
    input  logic [3:0]               s1_axi_arcache,
    input  logic [2:0]               s1_axi_arprot,
    input  logic                     s1_axi_arvalid,
    output logic                     s1_axi_arready,
    output logic [IdWidth-1:0]       s1_axi_rid,
    output logic [DataWidth-1:0]     s1_axi_rdata,
    output logic [1:0]               s1_axi_rresp,
    output logic                     s1_axi_rlast,
    output logic                     s1_axi_rvalid,
    input  logic                     s1_axi_rready,
    input  logic [IdWidth-1:0]       s1_axi_awid,
    input  logic [AddrWidth-1:0]     s1_axi_awaddr,
    input  logic [7:0]               s1_axi_awlen,
    input  logic [2:0]               s1_axi_awsize,
    input  logic [1:0]               s1_axi_awburst,
    input  logic                     s1_axi_awlock,
    input  logic [3:0]               s1_axi_awcache,
    input  logic [2:0]               s1_axi_awprot,
    input  logic                     s1_axi_awvalid,
    output logic                     s1_axi_awready,
    input  logic [DataWidth-1:0]     s1_axi_wdata,
    input  logic [DataWidth/8-1:0]   s1_axi_wstrb,
    input  logic                     s1_axi_wlast,
    input  logic                     s1_axi_wvalid,
    output logic                     s1_axi_wready,
    output logic [IdWidth-1:0]       s1_axi_bid,
    output logic [1:0]               s1_axi_bresp,
    output logic                     s1_axi_bvalid,
    input  logic                     s1_axi_bready,

    output logic [IdWidth:0]         m_axi_arid,
    output logic [AddrWidth-1:0]     m_axi_araddr,
    output logic [7:0]               m_axi_arlen,
    output logic [2:0]               m_axi_arsize,
    output logic [1:0]               m_axi_arburst,
    output logic                     m_axi_arlock,
    output logic [3:0]               m_axi_arcache,
    output logic [2:0]               m_axi_arprot,
    output logic                     m_axi_arvalid,
    input  logic                     m_axi_arready,
    input  logic [IdWidth:0]         m_axi_rid,
    input  logic [DataWidth-1:0]     m_axi_rdata,
    input  logic [1:0]               m_axi_rresp,
    input  logic                     m_axi_rlast,
    input  logic                     m_axi_rvalid,
    output logic                     m_axi_rready,
    output logic [IdWidth:0]         m_axi_awid,
    output logic [AddrWidth-1:0]     m_axi_awaddr,
    output logic [7:0]               m_axi_awlen,
    output logic [2:0]               m_axi_awsize,
    output logic [1:0]               m_axi_awburst,
    output logic                     m_axi_awlock,
    output logic [3:0]               m_axi_awcache,
    output logic [2:0]               m_axi_awprot,
    output logic                     m_axi_awvalid,
    input  logic                     m_axi_awready,
    output logic [DataWidth-1:0]     m_axi_wdata,
    output logic [DataWidth/8-1:0]   m_axi_wstrb,
    output logic                     m_axi_wlast,
    output logic                     m_axi_wvalid,
    input  logic                     m_axi_wready,
    input  logic [IdWidth:0]         m_axi_bid,
    input  logic [1:0]               m_axi_bresp,
    input  logic                     m_axi_bvalid,
    output logic                     m_axi_bready
);

  if (WriteDepth < 2 || WriteDepth > 64 || 2 ** $clog2(WriteDepth) != WriteDepth)
  begin : g_bad_write_depth
    $fatal(1, "%m: WriteDepth must be a power of two in 2..64, is %0d", WriteDepth);
  end

  localparam int unsigned PtrWidth = $clog2(WriteDepth);

  // ---- reads ----
  logic ar_sel, ar_last_q, ar_held_q;  // last: served last; held: ARVALID waits

  assign ar_sel = ar_held_q ? ar_last_q : ar_last_q ? !s0_axi_arvalid : s1_axi_arvalid;

  always_ff @(posedge clk_i) begin
    if (m_axi_arvalid) ar_last_q <= ar_sel;
    ar_held_q <= m_axi_arvalid && !m_axi_arready;
    if (!rst_ni) begin
      ar_last_q <= 1'b1;
      ar_held_q <= 1'b0;
    end
  end

  assign m_axi_arid     = {ar_sel, ar_sel ? s1_axi_arid : s0_axi_arid};
  assign m_axi_araddr   = ar_sel ? s1_axi_araddr : s0_axi_araddr;
  assign m_axi_arlen    = ar_sel ? s1_axi_arlen : s0_axi_arlen;
  assign m_axi_arsize   = ar_sel ? s1_axi_arsize : s0_axi_arsize;
  assign m_axi_arburst  = ar_sel ? s1_axi_arburst : s0_axi_arburst;
  assign m_axi_arlock   = ar_sel ? s1_axi_arlock : s0_axi_arlock;
  assign m_axi_arcache  = ar_sel ? s1_axi_arcache : s0_axi_arcache;
  assign m_axi_arprot   = ar_sel ? s1_axi_arprot : s0_axi_arprot;
  assign m_axi_arvalid  = ar_sel ? s1_axi_arvalid : s0_axi_arvalid;
  assign s0_axi_arready = m_axi_arready && !ar_sel;
  assign s1_axi_arready = m_axi_arready && ar_sel;
  assign s0_axi_rvalid  = m_axi_rvalid && !m_axi_rid[IdWidth];
  assign s1_axi_rvalid  = m_axi_rvalid && m_axi_rid[IdWidth];
  assign m_axi_rready   = m_axi_rid[IdWidth] ? s1_axi_rready : s0_axi_rready;
  assign s0_axi_rdata   = m_axi_rdata;
  assign s1_axi_rdata   = m_axi_rdata;
  assign s0_axi_rresp   = m_axi_rresp;
  assign s1_axi_rresp   = m_axi_rresp;
  assign s0_axi_rlast   = m_axi_rlast;
  assign s1_axi_rlast   = m_axi_rlast;
  assign s0_axi_rid     = m_axi_rid[IdWidth-1:0];
  assign s1_axi_rid     = m_axi_rid[IdWidth-1:0];

  // ---- writes: a queue of the masters of presented AWs, for W ----
  logic [WriteDepth-1:0] masters_q;
  logic [PtrWidth:0]     head_q, tail_q;
  logic                  aw_sel, aw_last_q, aw_wait_q;  // wait: entered in an earlier cycle
  logic                  aw_valid, aw_pass, w_sel, w_pass, empty, full, push, pop;

  assign empty = head_q == tail_q;
  assign full  = head_q == {~tail_q[PtrWidth], tail_q[PtrWidth-1:0]};

  assign aw_sel   = aw_wait_q ? aw_last_q : aw_last_q ? !s0_axi_awvalid : s1_axi_awvalid;
  assign aw_valid = aw_sel ? s1_axi_awvalid : s0_axi_awvalid;
  // Once entered it stays presented, so `full` no longer concerns it.
  assign aw_pass  = aw_wait_q || !full;
  assign push     = aw_valid && !aw_wait_q && !full;
  assign w_sel    = empty ? aw_sel : masters_q[head_q[PtrWidth-1:0]];
  assign w_pass   = !empty || push;
  assign pop      = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  always_ff @(posedge clk_i) begin
    aw_wait_q <= m_axi_awvalid && !m_axi_awready;
    if (push) begin
      tail_q                          <= tail_q + 1'b1;
      masters_q[tail_q[PtrWidth-1:0]] <= aw_sel;
      aw_last_q                       <= aw_sel;
    end
    if (pop) head_q <= head_q + 1'b1;
    if (!rst_ni) begin
      aw_last_q <= 1'b1;
      aw_wait_q <= 1'b0;
      head_q    <= '0;
      tail_q    <= '0;
    end
  end

  assign m_axi_awid     = {aw_sel, aw_sel ? s1_axi_awid : s0_axi_awid};
  assign m_axi_awaddr   = aw_sel ? s1_axi_awaddr : s0_axi_awaddr;
  assign m_axi_awlen    = aw_sel ? s1_axi_awlen : s0_axi_awlen;
  assign m_axi_awsize   = aw_sel ? s1_axi_awsize : s0_axi_awsize;
  assign m_axi_awburst  = aw_sel ? s1_axi_awburst : s0_axi_awburst;
  assign m_axi_awlock   = aw_sel ? s1_axi_awlock : s0_axi_awlock;
  assign m_axi_awcache  = aw_sel ? s1_axi_awcache : s0_axi_awcache;
  assign m_axi_awprot   = aw_sel ? s1_axi_awprot : s0_axi_awprot;
  assign m_axi_awvalid  = aw_valid && aw_pass;
  assign s0_axi_awready = m_axi_awready && aw_pass && !aw_sel;
  assign s1_axi_awready = m_axi_awready && aw_pass && aw_sel;
  assign m_axi_wdata    = w_sel ? s1_axi_wdata : s0_axi_wdata;
  assign m_axi_wstrb    = w_sel ? s1_axi_wstrb : s0_axi_wstrb;
  assign m_axi_wlast    = w_sel ? s1_axi_wlast : s0_axi_wlast;
  assign m_axi_wvalid   = (w_sel ? s1_axi_wvalid : s0_axi_wvalid) && w_pass;
  assign s0_axi_wready  = m_axi_wready && w_pass && !w_sel;
  assign s1_axi_wready  = m_axi_wready && w_pass && w_sel;
  assign s0_axi_bvalid  = m_axi_bvalid && !m_axi_bid[IdWidth];
  assign s1_axi_bvalid  = m_axi_bvalid && m_axi_bid[IdWidth];
  assign m_axi_bready   = m_axi_bid[IdWidth] ? s1_axi_bready : s0_axi_bready;
  assign s0_axi_bresp   = m_axi_bresp;
  assign s0_axi_bid     = m_axi_bid[IdWidth-1:0];
  assign s1_axi_bresp   = m_axi_bresp;
  assign s1_axi_bid     = m_axi_bid[IdWidth-1:0];

endmodule
