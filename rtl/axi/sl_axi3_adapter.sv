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
// IDs         Padded with zeros to MstIdWidth; answers are matched on the lower SlvIdWidth bits.
// Reset       rst_ni synchronous, active low: forgets the write bursts under way. VALIDs in reset
//             follow the two neighbours.
// Errors      Responses pass unchanged. A burst longer than MaxBurst cannot be expressed: it
//             stops a simulation, and in hardware its length is cut to 4 bits.
// Parameters  AddrWidth 12..64; DataWidth 32..512, power of two; SlvIdWidth 1..MstIdWidth <= 10;
//             MaxBurst   1..16: longest burst the master may issue (its own parameter goes here)
//             WriteDepth power of two 2..64; all refused otherwise
//             Check      0: no checker, for a master that carries one: what passes through is
//                        checked there, and simulation is faster; lengths are checked here either
//                        way, WID is proved in proofs/
// Checks      Check = 1: an sl_axi_check of AXI3 rules on the master side in every simulation.
// Not here    QOS, REGION, USER; splitting of long bursts; AXI3 locked accesses.
// Follows     AMBA AXI (IHI 0022): A10 and the differences of AXI3 and AXI4 in A3.4.1, A5.3, A7.4.

module sl_axi3_adapter #(
  parameter int unsigned AddrWidth  = 32,
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned SlvIdWidth = 1,
  parameter int unsigned MstIdWidth = 6,
  parameter int unsigned MaxBurst   = 16,
  parameter int unsigned WriteDepth = 16,
  parameter bit          Check      = 1'b1
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic [SlvIdWidth-1:0]    s_axi_awid,
  input  logic [AddrWidth-1:0]     s_axi_awaddr,
  input  logic [7:0]               s_axi_awlen,
  input  logic [2:0]               s_axi_awsize,
  input  logic [1:0]               s_axi_awburst,
  input  logic                     s_axi_awlock,
  input  logic [3:0]               s_axi_awcache,
  input  logic [2:0]               s_axi_awprot,
  input  logic                     s_axi_awvalid,
  output logic                     s_axi_awready,
  input  logic [DataWidth-1:0]     s_axi_wdata,
  input  logic [DataWidth/8-1:0]   s_axi_wstrb,
  input  logic                     s_axi_wlast,
  input  logic                     s_axi_wvalid,
  output logic                     s_axi_wready,
  output logic [SlvIdWidth-1:0]    s_axi_bid,
  output logic [1:0]               s_axi_bresp,
  output logic                     s_axi_bvalid,
  input  logic                     s_axi_bready,
  input  logic [SlvIdWidth-1:0]    s_axi_arid,
  input  logic [AddrWidth-1:0]     s_axi_araddr,
  input  logic [7:0]               s_axi_arlen,
  input  logic [2:0]               s_axi_arsize,
  input  logic [1:0]               s_axi_arburst,
  input  logic                     s_axi_arlock,
  input  logic [3:0]               s_axi_arcache,
  input  logic [2:0]               s_axi_arprot,
  input  logic                     s_axi_arvalid,
  output logic                     s_axi_arready,
  output logic [SlvIdWidth-1:0]    s_axi_rid,
  output logic [DataWidth-1:0]     s_axi_rdata,
  output logic [1:0]               s_axi_rresp,
  output logic                     s_axi_rlast,
  output logic                     s_axi_rvalid,
  input  logic                     s_axi_rready,

  output logic [MstIdWidth-1:0]    m_axi_awid,
  output logic [AddrWidth-1:0]     m_axi_awaddr,
  output logic [3:0]               m_axi_awlen,
  output logic [2:0]               m_axi_awsize,
  output logic [1:0]               m_axi_awburst,
  output logic [1:0]               m_axi_awlock,
  output logic [3:0]               m_axi_awcache,
  output logic [2:0]               m_axi_awprot,
  output logic                     m_axi_awvalid,
  input  logic                     m_axi_awready,
  output logic [MstIdWidth-1:0]    m_axi_wid,
  output logic [DataWidth-1:0]     m_axi_wdata,
  output logic [DataWidth/8-1:0]   m_axi_wstrb,
  output logic                     m_axi_wlast,
  output logic                     m_axi_wvalid,
  input  logic                     m_axi_wready,
  input  logic [MstIdWidth-1:0]    m_axi_bid,
  input  logic [1:0]               m_axi_bresp,
  input  logic                     m_axi_bvalid,
  output logic                     m_axi_bready,
  output logic [MstIdWidth-1:0]    m_axi_arid,
  output logic [AddrWidth-1:0]     m_axi_araddr,
  output logic [3:0]               m_axi_arlen,
  output logic [2:0]               m_axi_arsize,
  output logic [1:0]               m_axi_arburst,
  output logic [1:0]               m_axi_arlock,
  output logic [3:0]               m_axi_arcache,
  output logic [2:0]               m_axi_arprot,
  output logic                     m_axi_arvalid,
  input  logic                     m_axi_arready,
  input  logic [MstIdWidth-1:0]    m_axi_rid,
  input  logic [DataWidth-1:0]     m_axi_rdata,
  input  logic [1:0]               m_axi_rresp,
  input  logic                     m_axi_rlast,
  input  logic                     m_axi_rvalid,
  output logic                     m_axi_rready
);

  if (AddrWidth < 12 || AddrWidth > 64) begin : g_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 12..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end
  if (MstIdWidth > 10 || SlvIdWidth < 1 || SlvIdWidth > MstIdWidth) begin : g_bad_id_width
    $fatal(1, "%m: need 1 <= SlvIdWidth <= MstIdWidth <= 10, are %0d and %0d", SlvIdWidth,
           MstIdWidth);
  end
  if (MaxBurst < 1 || MaxBurst > 16) begin : g_bad_max_burst
    $fatal(1, "%m: MaxBurst must be 1..16 (AXI3), is %0d", MaxBurst);
  end
  if (WriteDepth < 2 || WriteDepth > 64 || 2 ** $clog2(WriteDepth) != WriteDepth)
  begin : g_bad_write_depth
    $fatal(1, "%m: WriteDepth must be a power of two in 2..64, is %0d", WriteDepth);
  end

  localparam int unsigned PtrWidth = $clog2(WriteDepth);

  // ---- reads: renamed wires ----
  assign m_axi_arid    = MstIdWidth'(s_axi_arid);
  assign m_axi_araddr  = s_axi_araddr;
  assign m_axi_arlen   = s_axi_arlen[3:0];
  assign m_axi_arsize  = s_axi_arsize;
  assign m_axi_arburst = s_axi_arburst;
  assign m_axi_arlock  = {1'b0, s_axi_arlock};
  assign m_axi_arcache = s_axi_arcache;
  assign m_axi_arprot  = s_axi_arprot;
  assign m_axi_arvalid = s_axi_arvalid;
  assign s_axi_arready = m_axi_arready;
  assign s_axi_rid     = m_axi_rid[SlvIdWidth-1:0];
  assign s_axi_rdata   = m_axi_rdata;
  assign s_axi_rresp   = m_axi_rresp;
  assign s_axi_rlast   = m_axi_rlast;
  assign s_axi_rvalid  = m_axi_rvalid;
  assign m_axi_rready  = s_axi_rready;

  // ---- writes: a queue of the IDs of presented AWs, for WID ----
  logic [SlvIdWidth-1:0] ids_q [WriteDepth];
  logic [PtrWidth:0]     head_q, tail_q;
  logic                  aw_wait_q;  // the AW on the port was entered in an earlier cycle
  logic                  empty, full, push, pop;

  assign empty = head_q == tail_q;
  assign full  = head_q == {~tail_q[PtrWidth], tail_q[PtrWidth-1:0]};
  // An AW is entered in the first cycle in which it is presented, whether taken or not: its data
  // may go first. Once entered it stays presented, so `full` no longer concerns it.
  assign push  = s_axi_awvalid && !aw_wait_q && !full;
  assign pop   = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  assign m_axi_awid    = MstIdWidth'(s_axi_awid);
  assign m_axi_awaddr  = s_axi_awaddr;
  assign m_axi_awlen   = s_axi_awlen[3:0];
  assign m_axi_awsize  = s_axi_awsize;
  assign m_axi_awburst = s_axi_awburst;
  assign m_axi_awlock  = {1'b0, s_axi_awlock};
  assign m_axi_awcache = s_axi_awcache;
  assign m_axi_awprot  = s_axi_awprot;
  assign m_axi_awvalid = s_axi_awvalid && (aw_wait_q || !full);
  assign s_axi_awready = m_axi_awready && (aw_wait_q || !full);

  // The queue's head, or the AW that enters in this very cycle: either stays until WLAST is taken.
  assign m_axi_wid     = MstIdWidth'(empty ? s_axi_awid : ids_q[head_q[PtrWidth-1:0]]);
  assign m_axi_wdata   = s_axi_wdata;
  assign m_axi_wstrb   = s_axi_wstrb;
  assign m_axi_wlast   = s_axi_wlast;
  assign m_axi_wvalid  = s_axi_wvalid && (!empty || push);
  assign s_axi_wready  = m_axi_wready && (!empty || push);

  assign s_axi_bid     = m_axi_bid[SlvIdWidth-1:0];
  assign s_axi_bresp   = m_axi_bresp;
  assign s_axi_bvalid  = m_axi_bvalid;
  assign m_axi_bready  = s_axi_bready;

  always_ff @(posedge clk_i) begin
    aw_wait_q <= m_axi_awvalid && !m_axi_awready;
    if (push) begin
      tail_q                      <= tail_q + 1'b1;
      ids_q[tail_q[PtrWidth-1:0]] <= s_axi_awid;
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
  assign unused = ^{s_axi_awlen[7:4], s_axi_arlen[7:4], m_axi_bid, m_axi_rid};

`ifndef SYNTHESIS
  if (Check) begin : g_check
    // verilator lint_off PINCONNECTEMPTY
    sl_axi_check #(
      .AddrWidth (AddrWidth),
      .DataWidth (DataWidth),
      .IdWidth   (MstIdWidth),
      .Axi3      (1'b1)
    ) u_check (
      .clk_i,
      .rst_ni,
      .axi_awid         (m_axi_awid),
      .axi_awaddr       (m_axi_awaddr),
      .axi_awlen        (m_axi_awlen),
      .axi_awsize       (m_axi_awsize),
      .axi_awburst      (m_axi_awburst),
      .axi_awlock       (m_axi_awlock),
      .axi_awcache      (m_axi_awcache),
      .axi_awprot       (m_axi_awprot),
      .axi_awvalid      (m_axi_awvalid),
      .axi_awready      (m_axi_awready),
      .axi_wid          (m_axi_wid),
      .axi_wdata        (m_axi_wdata),
      .axi_wstrb        (m_axi_wstrb),
      .axi_wlast        (m_axi_wlast),
      .axi_wvalid       (m_axi_wvalid),
      .axi_wready       (m_axi_wready),
      .axi_bid          (m_axi_bid),
      .axi_bresp        (m_axi_bresp),
      .axi_bvalid       (m_axi_bvalid),
      .axi_bready       (m_axi_bready),
      .axi_arid         (m_axi_arid),
      .axi_araddr       (m_axi_araddr),
      .axi_arlen        (m_axi_arlen),
      .axi_arsize       (m_axi_arsize),
      .axi_arburst      (m_axi_arburst),
      .axi_arlock       (m_axi_arlock),
      .axi_arcache      (m_axi_arcache),
      .axi_arprot       (m_axi_arprot),
      .axi_arvalid      (m_axi_arvalid),
      .axi_arready      (m_axi_arready),
      .axi_rid          (m_axi_rid),
      .axi_rdata        (m_axi_rdata),
      .axi_rresp        (m_axi_rresp),
      .axi_rlast        (m_axi_rlast),
      .axi_rvalid       (m_axi_rvalid),
      .axi_rready       (m_axi_rready),
      .wr_outstanding_o (),
      .rd_outstanding_o (),
      .violation_o      ()
    );
    // verilator lint_on PINCONNECTEMPTY
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!s_axi_awvalid || s_axi_awlen < 8'(MaxBurst))
      else $error("%m: write burst of %0d beats, at most %0d fit", s_axi_awlen + 9'd1, MaxBurst);
      assert (!s_axi_arvalid || s_axi_arlen < 8'(MaxBurst))
      else $error("%m: read burst of %0d beats, at most %0d fit", s_axi_arlen + 9'd1, MaxBurst);
    end
  end

`endif

endmodule
