// SPDX-License-Identifier: Apache-2.0
//
// sl_axi3_adapter: a thin step from an AXI4 master to an AXI3 port.
//
// Purpose     Gives AXI3 what AXI4 lacks: WID, a LOCK of 2 bits, a LEN of 4; for bursts that fit.
// Handshake   AR, R, W and B pass through combinationally, VALID and READY both ways; no READY ever
//             makes a VALID wait. A W beat waits (WVALID low downstream, WREADY low upstream) until
//             its AW is presented, as its WID is not known before; presented in the same cycle is
//             early enough. An AW waits while WriteDepth write bursts have an AW presented but no
//             WLAST taken. Nothing else stalls.
// Latency     0 cycles on every channel; one beat a cycle, back-to-back bursts.
// Ordering    W data follows in the order of the AWs (AXI4), so WID follows the AWIDs and write
//             data is never interleaved.
// IDs         Padded with zeros to m_axi's width; answers are matched on the lower bits.
// Reset       rst_ni synchronous, active low: forgets the write bursts under way. VALIDs in reset
//             follow the two neighbours.
// Errors      Responses pass unchanged. A burst longer than MaxBurst cannot be expressed: it
//             stops a simulation, and in hardware its length is cut to 4 bits.
// Widths      those of s_axi (AXI4) and m_axi (AXI3): data 32..512 and addresses equal, IDs of
//             s_axi not wider than those of m_axi, and these 10 at most; refused otherwise
// Parameters  MaxBurst   1..16: longest burst the master may issue (its own parameter goes here)
//             WriteDepth power of two 2..64; all refused otherwise
//             Coherent   1: AxCACHE is 4'b1111, for the ACP of a Zynq-7000; 0: it passes
//             Check      0: no checker, for a master that carries one: what passes through is
//                        checked there, and simulation is faster; lengths are checked here either
//                        way, WID is proved in proofs/
// Checks      Check = 1: an sl_axi_check of AXI3 rules on the master side in every simulation.
// Not here    QOS, REGION, USER; splitting of long bursts; AXI3 locked accesses.
// Follows     AMBA AXI (IHI 0022): A10 and the differences of AXI3 and AXI4 in A3.4.1, A5.3, A7.4.

`include "sl_axi.svh"

module sl_axi3_adapter #(
    parameter int unsigned MaxBurst   = 16,
    parameter int unsigned WriteDepth = 16,
    parameter bit          Coherent   = 1'b0,
    parameter bit          Check      = 1'b1
) (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axi_if.slv      s_axi,
    sl_axi_if.mst      m_axi
);

  localparam int unsigned DataWidth  = s_axi.DataWidth;
  localparam int unsigned SlvIdWidth = s_axi.IdWidth;
  localparam int unsigned MstIdWidth = m_axi.IdWidth;

  if (s_axi.Axi3 || !m_axi.Axi3 || m_axi.AddrWidth != s_axi.AddrWidth ||
      m_axi.DataWidth != DataWidth) begin : gen_bad_buses
    $fatal(1, "%m: need an AXI4 s_axi and an AXI3 m_axi with its widths");
  end
  if (DataWidth < 32 || DataWidth > 512) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end
  if (MstIdWidth > 10 || SlvIdWidth > MstIdWidth) begin : gen_bad_id_width
    $fatal(1, "%m: need 1 <= SlvIdWidth <= MstIdWidth <= 10, are %0d and %0d", SlvIdWidth,
           MstIdWidth);
  end
  if (MaxBurst < 1 || MaxBurst > 16) begin : gen_bad_max_burst
    $fatal(1, "%m: MaxBurst must be 1..16 (AXI3), is %0d", MaxBurst);
  end
  if (WriteDepth < 2 || WriteDepth > 64 || 2 ** $clog2(WriteDepth) != WriteDepth)
  begin : gen_bad_write_depth
    $fatal(1, "%m: WriteDepth must be a power of two in 2..64, is %0d", WriteDepth);
  end

  localparam int unsigned PtrWidth = $clog2(WriteDepth);

  // ---- reads: renamed wires ----
  assign m_axi.arid    = MstIdWidth'(s_axi.arid);
  assign m_axi.araddr  = s_axi.araddr;
  assign m_axi.arlen   = s_axi.arlen[3:0];
  assign m_axi.arsize  = s_axi.arsize;
  assign m_axi.arburst = s_axi.arburst;
  assign m_axi.arlock  = {1'b0, s_axi.arlock};
  assign m_axi.arcache = Coherent ? 4'b1111 : s_axi.arcache;
  assign m_axi.arprot  = s_axi.arprot;
  assign m_axi.arvalid = s_axi.arvalid;
  assign s_axi.arready = m_axi.arready;
  assign s_axi.rid     = m_axi.rid[SlvIdWidth-1:0];
  assign s_axi.rdata   = m_axi.rdata;
  assign s_axi.rresp   = m_axi.rresp;
  assign s_axi.rlast   = m_axi.rlast;
  assign s_axi.rvalid  = m_axi.rvalid;
  assign m_axi.rready  = s_axi.rready;

  // ---- writes: a queue of the IDs of presented AWs, for WID ----
  logic [SlvIdWidth-1:0] ids_q [WriteDepth];
  logic [PtrWidth:0]     head_q, tail_q;
  logic                  aw_wait_q;  // the AW on the port was entered in an earlier cycle
  logic                  empty, full, push, pop;

  assign empty = head_q == tail_q;
  assign full  = head_q == {~tail_q[PtrWidth], tail_q[PtrWidth-1:0]};
  // An AW is entered in the first cycle in which it is presented, whether taken or not: its data
  // may go first. Once entered it stays presented, so `full` no longer concerns it.
  assign push  = s_axi.awvalid && !aw_wait_q && !full;
  assign pop   = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  assign m_axi.awid    = MstIdWidth'(s_axi.awid);
  assign m_axi.awaddr  = s_axi.awaddr;
  assign m_axi.awlen   = s_axi.awlen[3:0];
  assign m_axi.awsize  = s_axi.awsize;
  assign m_axi.awburst = s_axi.awburst;
  assign m_axi.awlock  = {1'b0, s_axi.awlock};
  assign m_axi.awcache = Coherent ? 4'b1111 : s_axi.awcache;
  assign m_axi.awprot  = s_axi.awprot;
  assign m_axi.awvalid = s_axi.awvalid && (aw_wait_q || !full);
  assign s_axi.awready = m_axi.awready && (aw_wait_q || !full);

  // The queue's head, or the AW that enters in this very cycle: either stays until WLAST is taken.
  assign m_axi.wid     = MstIdWidth'(empty ? s_axi.awid : ids_q[head_q[PtrWidth-1:0]]);
  assign m_axi.wdata   = s_axi.wdata;
  assign m_axi.wstrb   = s_axi.wstrb;
  assign m_axi.wlast   = s_axi.wlast;
  assign m_axi.wvalid  = s_axi.wvalid && (!empty || push);
  assign s_axi.wready  = m_axi.wready && (!empty || push);

  assign s_axi.bid     = m_axi.bid[SlvIdWidth-1:0];
  assign s_axi.bresp   = m_axi.bresp;
  assign s_axi.bvalid  = m_axi.bvalid;
  assign m_axi.bready  = s_axi.bready;

  always_ff @(posedge clk_i) begin
    aw_wait_q <= m_axi.awvalid && !m_axi.awready;
    if (push) begin
      tail_q                      <= tail_q + 1'b1;
      ids_q[tail_q[PtrWidth-1:0]] <= s_axi.awid;
    end
    if (pop) begin
      head_q <= head_q + 1'b1;
    end
    if (!rst_ni) begin
      aw_wait_q <= 1'b0;
      head_q    <= '0;
      tail_q    <= '0;
    end
  end

  logic unused;
  assign unused = ^{s_axi.awlen[7:4], s_axi.arlen[7:4], m_axi.bid, m_axi.rid};

  if (Check) begin : gen_check
    `SL_AXI_CHECK(u_check, m_axi., m_axi.AddrWidth, DataWidth, MstIdWidth, 1'b1)
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!s_axi.awvalid || s_axi.awlen < 8'(MaxBurst))
      else $error("%m: write burst of %0d beats, at most %0d fit", s_axi.awlen + 9'd1, MaxBurst);
      assert (!s_axi.arvalid || s_axi.arlen < 8'(MaxBurst))
      else $error("%m: read burst of %0d beats, at most %0d fit", s_axi.arlen + 9'd1, MaxBurst);
    end
  end

`endif

endmodule
