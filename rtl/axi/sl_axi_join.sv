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
// Widths      those of s0_axi; s1_axi has the same, m_axi an ID of one bit more; refused otherwise.
// Parameters  WriteDepth power of two 2..64, refused otherwise.
// Not here    more masters (cascade), QOS, REGION, USER, locked accesses.
// Follows     AMBA AXI (IHI 0022) A5.3: write data in the order of the addresses.

`include "sl_axi.svh"

module sl_axi_join #(
    parameter int unsigned WriteDepth = 16
) (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axi_if.slv      s0_axi,
    sl_axi_if.slv      s1_axi,
    sl_axi_if.mst      m_axi
);

  localparam int unsigned IdWidth = s0_axi.IdWidth;

  if (s1_axi.AddrWidth != s0_axi.AddrWidth || m_axi.AddrWidth != s0_axi.AddrWidth ||
      s1_axi.DataWidth != s0_axi.DataWidth || m_axi.DataWidth != s0_axi.DataWidth ||
      s1_axi.IdWidth != IdWidth || m_axi.IdWidth != IdWidth + 1) begin : gen_bad_buses
    $fatal(1, "%m: s0_axi and s1_axi must have the same widths, m_axi an ID of one bit more");
  end
  if (WriteDepth < 2 || WriteDepth > 64 || 2 ** $clog2(WriteDepth) != WriteDepth)
  begin : gen_bad_write_depth
    $fatal(1, "%m: WriteDepth must be a power of two in 2..64, is %0d", WriteDepth);
  end

  localparam int unsigned PtrWidth = $clog2(WriteDepth);

  // ---- reads ----
  logic ar_sel, ar_last_q, ar_held_q;  // last: served last; held: ARVALID waits

  assign ar_sel = ar_held_q ? ar_last_q : ar_last_q ? !s0_axi.arvalid : s1_axi.arvalid;

  always_ff @(posedge clk_i) begin
    if (m_axi.arvalid) ar_last_q <= ar_sel;
    ar_held_q <= m_axi.arvalid && !m_axi.arready;
    if (!rst_ni) begin
      ar_last_q <= 1'b1;
      ar_held_q <= 1'b0;
    end
  end

  assign m_axi.arid     = {ar_sel, ar_sel ? s1_axi.arid : s0_axi.arid};
  `SL_AXI_MUX_AX(m_axi., ar_sel, s1_axi., s0_axi., ar)
  assign m_axi.arvalid  = ar_sel ? s1_axi.arvalid : s0_axi.arvalid;
  assign s0_axi.arready = m_axi.arready && !ar_sel;
  assign s1_axi.arready = m_axi.arready && ar_sel;
  assign s0_axi.rvalid  = m_axi.rvalid && !m_axi.rid[IdWidth];
  assign s1_axi.rvalid  = m_axi.rvalid && m_axi.rid[IdWidth];
  assign m_axi.rready   = m_axi.rid[IdWidth] ? s1_axi.rready : s0_axi.rready;
  assign s0_axi.rdata   = m_axi.rdata;
  assign s1_axi.rdata   = m_axi.rdata;
  assign s0_axi.rresp   = m_axi.rresp;
  assign s1_axi.rresp   = m_axi.rresp;
  assign s0_axi.rlast   = m_axi.rlast;
  assign s1_axi.rlast   = m_axi.rlast;
  assign s0_axi.rid     = m_axi.rid[IdWidth-1:0];
  assign s1_axi.rid     = m_axi.rid[IdWidth-1:0];

  // ---- writes: a queue of the masters of presented AWs, for W ----
  logic [WriteDepth-1:0] masters_q;
  logic [PtrWidth:0]     head_q, tail_q;
  logic                  aw_sel, aw_last_q, aw_wait_q;  // wait: entered in an earlier cycle
  logic                  aw_valid, aw_pass, w_sel, w_pass, empty, full, push, pop;

  assign empty = head_q == tail_q;
  assign full  = head_q == {~tail_q[PtrWidth], tail_q[PtrWidth-1:0]};

  assign aw_sel   = aw_wait_q ? aw_last_q : aw_last_q ? !s0_axi.awvalid : s1_axi.awvalid;
  assign aw_valid = aw_sel ? s1_axi.awvalid : s0_axi.awvalid;
  // Once entered it stays presented, so `full` no longer concerns it.
  assign aw_pass  = aw_wait_q || !full;
  assign push     = aw_valid && !aw_wait_q && !full;
  assign w_sel    = empty ? aw_sel : masters_q[head_q[PtrWidth-1:0]];
  assign w_pass   = !empty || push;
  assign pop      = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  always_ff @(posedge clk_i) begin
    aw_wait_q <= m_axi.awvalid && !m_axi.awready;
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

  assign m_axi.awid     = {aw_sel, aw_sel ? s1_axi.awid : s0_axi.awid};
  `SL_AXI_MUX_AX(m_axi., aw_sel, s1_axi., s0_axi., aw)
  assign m_axi.awvalid  = aw_valid && aw_pass;
  assign s0_axi.awready = m_axi.awready && aw_pass && !aw_sel;
  assign s1_axi.awready = m_axi.awready && aw_pass && aw_sel;
  assign m_axi.wdata    = w_sel ? s1_axi.wdata : s0_axi.wdata;
  assign m_axi.wstrb    = w_sel ? s1_axi.wstrb : s0_axi.wstrb;
  assign m_axi.wlast    = w_sel ? s1_axi.wlast : s0_axi.wlast;
  assign m_axi.wvalid   = (w_sel ? s1_axi.wvalid : s0_axi.wvalid) && w_pass;
  assign s0_axi.wready  = m_axi.wready && w_pass && !w_sel;
  assign s1_axi.wready  = m_axi.wready && w_pass && w_sel;
  assign s0_axi.bvalid  = m_axi.bvalid && !m_axi.bid[IdWidth];
  assign s1_axi.bvalid  = m_axi.bvalid && m_axi.bid[IdWidth];
  assign m_axi.bready   = m_axi.bid[IdWidth] ? s1_axi.bready : s0_axi.bready;
  assign s0_axi.bresp   = m_axi.bresp;
  assign s0_axi.bid     = m_axi.bid[IdWidth-1:0];
  assign s1_axi.bresp   = m_axi.bresp;
  assign s1_axi.bid     = m_axi.bid[IdWidth-1:0];

endmodule
