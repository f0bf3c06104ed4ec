// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_split: one AXI4 master on two slaves, by address: m1 has the window, m0 all else.
//
// Handshake   AR, R, AW, W, B pass combinationally, VALID and READY both ways; no VALID depends on a
//             READY. An address to the other slave waits until every burst of its direction on the
//             one before is done (RLAST, B), so that answers keep the master's order whatever its
//             IDs. A W beat waits until its AW is presented, the same cycle is early enough.
// Latency     0 cycles. Throughput: that of the slaves, while a direction stays with one of them.
// Bursts      lie in one slave: WindowBits is 12 or more, and bursts do not cross 4 KiB.
// Ordering    none between reads and writes (as in AXI).
// Reset       rst_ni synchronous, active low: forgets the bursts under way.
// Errors      Responses pass unchanged.
// Parameters  Base       first address of the window, a multiple of its size
//             WindowBits 12..AddrWidth-1: log2 of its bytes; both refused otherwise
//             the others as what stands at the ports has them; at most 1,023 bursts a direction
//             are in flight, more wait
// Not here    QOS, REGION, USER, locked accesses.
// Follows     AMBA AXI (IHI 0022) A5.

module sl_axi_split #(
    parameter int unsigned         AddrWidth  = 32,
    parameter int unsigned         DataWidth  = 64,
    parameter int unsigned         IdWidth    = 1,
    parameter int unsigned         WindowBits = 16,
    parameter logic [AddrWidth-1:0] Base      = '0
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,

    input  logic [IdWidth-1:0]       s_axi_arid,
    input  logic [AddrWidth-1:0]     s_axi_araddr,
    input  logic [7:0]               s_axi_arlen,
    input  logic [2:0]               s_axi_arsize,
    input  logic [1:0]               s_axi_arburst,
    input  logic                     s_axi_arlock,
    input  logic [3:0]               s_axi_arcache,
    input  logic [2:0]               s_axi_arprot,
    input  logic                     s_axi_arvalid,
    output logic                     s_axi_arready,
    output logic [IdWidth-1:0]       s_axi_rid,
    output logic [DataWidth-1:0]     s_axi_rdata,
    output logic [1:0]               s_axi_rresp,
    output logic                     s_axi_rlast,
    output logic                     s_axi_rvalid,
    input  logic                     s_axi_rready,
    input  logic [IdWidth-1:0]       s_axi_awid,
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
    output logic [IdWidth-1:0]       s_axi_bid,
    output logic [1:0]               s_axi_bresp,
    output logic                     s_axi_bvalid,
    input  logic                     s_axi_bready,

    output logic [IdWidth-1:0]       m0_axi_arid,
    output logic [AddrWidth-1:0]     m0_axi_araddr,
    output logic [7:0]               m0_axi_arlen,
    output logic [2:0]               m0_axi_arsize,
    output logic [1:0]               m0_axi_arburst,
    output logic                     m0_axi_arlock,
    output logic [3:0]               m0_axi_arcache,
    output logic [2:0]               m0_axi_arprot,
    output logic                     m0_axi_arvalid,
    input  logic                     m0_axi_arready,
    input  logic [IdWidth-1:0]       m0_axi_rid,
    input  logic [DataWidth-1:0]     m0_axi_rdata,
    input  logic [1:0]               m0_axi_rresp,
    input  logic                     m0_axi_rlast,
    input  logic                     m0_axi_rvalid,
    output logic                     m0_axi_rready,
    output logic [IdWidth-1:0]       m0_axi_awid,
    output logic [AddrWidth-1:0]     m0_axi_awaddr,
    output logic [7:0]               m0_axi_awlen,
    output logic [2:0]               m0_axi_awsize,
    output logic [1:0]               m0_axi_awburst,
    output logic                     m0_axi_awlock,
    output logic [3:0]               m0_axi_awcache,
    output logic [2:0]               m0_axi_awprot,
    output logic                     m0_axi_awvalid,
    input  logic                     m0_axi_awready,
    output logic [DataWidth-1:0]     m0_axi_wdata,
    output logic [DataWidth/8-1:0]   m0_axi_wstrb,
    output logic                     m0_axi_wlast,
    output logic                     m0_axi_wvalid,
    input  logic                     m0_axi_wready,
    input  logic [IdWidth-1:0]       m0_axi_bid,
    input  logic [1:0]               m0_axi_bresp,
    input  logic                     m0_axi_bvalid,
    output logic                     m0_axi_bready,

    output logic [IdWidth-1:0]       m1_axi_arid,
    output logic [AddrWidth-1:0]     m1_axi_araddr,
    output logic [7:0]               m1_axi_arlen,
    output logic [2:0]               m1_axi_arsize,
    output logic [1:0]               m1_axi_arburst,
    output logic                     m1_axi_arlock,
    output logic [3:0]               m1_axi_arcache,
    output logic [2:0]               m1_axi_arprot,
    output logic                     m1_axi_arvalid,
    input  logic                     m1_axi_arready,
    input  logic [IdWidth-1:0]       m1_axi_rid,
    input  logic [DataWidth-1:0]     m1_axi_rdata,
    input  logic [1:0]               m1_axi_rresp,
    input  logic                     m1_axi_rlast,
    input  logic                     m1_axi_rvalid,
    output logic                     m1_axi_rready,
    output logic [IdWidth-1:0]       m1_axi_awid,
    output logic [AddrWidth-1:0]     m1_axi_awaddr,
    output logic [7:0]               m1_axi_awlen,
    output logic [2:0]               m1_axi_awsize,
    output logic [1:0]               m1_axi_awburst,
    output logic                     m1_axi_awlock,
    output logic [3:0]               m1_axi_awcache,
    output logic [2:0]               m1_axi_awprot,
    output logic                     m1_axi_awvalid,
    input  logic                     m1_axi_awready,
    output logic [DataWidth-1:0]     m1_axi_wdata,
    output logic [DataWidth/8-1:0]   m1_axi_wstrb,
    output logic                     m1_axi_wlast,
    output logic                     m1_axi_wvalid,
    input  logic                     m1_axi_wready,
    input  logic [IdWidth-1:0]       m1_axi_bid,
    input  logic [1:0]               m1_axi_bresp,
    input  logic                     m1_axi_bvalid,
    output logic                     m1_axi_bready
);

  if (WindowBits < 12 || WindowBits >= AddrWidth) begin : g_bad_window
    $fatal(1, "%m: WindowBits must be 12..%0d, is %0d", AddrWidth - 1, WindowBits);
  end else if (Base[WindowBits-1:0] != '0) begin : g_bad_base
    $fatal(1, "%m: Base must be a multiple of the window's size, is %0x", Base);
  end

  localparam int unsigned CountBits = 10;

  // ---- reads ----
  logic                 rd_to, rd_at_q, rd_pass;  // slave of the address, of the bursts in flight
  logic [CountBits-1:0] rd_count_q;
  logic                 rd_begin, rd_end;

  assign rd_to    = s_axi_araddr[AddrWidth-1:WindowBits] == Base[AddrWidth-1:WindowBits];
  assign rd_pass  = rd_count_q == '0 || (rd_to == rd_at_q && rd_count_q != '1);
  assign rd_begin = s_axi_arvalid && s_axi_arready;
  assign rd_end   = s_axi_rvalid && s_axi_rready && s_axi_rlast;

  always_ff @(posedge clk_i) begin
    if (rd_begin) rd_at_q <= rd_to;
    rd_count_q <= rd_count_q + CountBits'(rd_begin) - CountBits'(rd_end);
    if (!rst_ni) rd_count_q <= '0;
  end

  assign m0_axi_arid    = s_axi_arid;
  assign m0_axi_araddr  = s_axi_araddr;
  assign m0_axi_arlen   = s_axi_arlen;
  assign m0_axi_arsize  = s_axi_arsize;
  assign m0_axi_arburst = s_axi_arburst;
  assign m0_axi_arlock  = s_axi_arlock;
  assign m0_axi_arcache = s_axi_arcache;
  assign m0_axi_arprot  = s_axi_arprot;
  assign m1_axi_arid    = s_axi_arid;
  assign m1_axi_araddr  = s_axi_araddr;
  assign m1_axi_arlen   = s_axi_arlen;
  assign m1_axi_arsize  = s_axi_arsize;
  assign m1_axi_arburst = s_axi_arburst;
  assign m1_axi_arlock  = s_axi_arlock;
  assign m1_axi_arcache = s_axi_arcache;
  assign m1_axi_arprot  = s_axi_arprot;
  assign m0_axi_arvalid = s_axi_arvalid && rd_pass && !rd_to;
  assign m1_axi_arvalid = s_axi_arvalid && rd_pass && rd_to;
  assign s_axi_arready  = rd_pass && (rd_to ? m1_axi_arready : m0_axi_arready);
  assign s_axi_rid      = rd_at_q ? m1_axi_rid : m0_axi_rid;
  assign s_axi_rdata    = rd_at_q ? m1_axi_rdata : m0_axi_rdata;
  assign s_axi_rresp    = rd_at_q ? m1_axi_rresp : m0_axi_rresp;
  assign s_axi_rlast    = rd_at_q ? m1_axi_rlast : m0_axi_rlast;
  assign s_axi_rvalid   = rd_at_q ? m1_axi_rvalid : m0_axi_rvalid;
  assign m0_axi_rready  = s_axi_rready && !rd_at_q;
  assign m1_axi_rready  = s_axi_rready && rd_at_q;

  // ---- writes ----
  logic                 wr_to, wr_at_q, wr_pass, aw_held_q;  // held: presented in an earlier cycle
  logic [CountBits-1:0] wr_count_q;                          // AW presented, B not taken
  logic [CountBits-1:0] w_count_q;                           // AW presented, WLAST not taken
  logic                 wr_begin, wr_end, w_end, w_to, w_pass;

  assign wr_to    = s_axi_awaddr[AddrWidth-1:WindowBits] == Base[AddrWidth-1:WindowBits];
  assign wr_pass  = aw_held_q || wr_count_q == '0 || (wr_to == wr_at_q && wr_count_q != '1);
  assign wr_begin = s_axi_awvalid && wr_pass && !aw_held_q;
  assign wr_end   = s_axi_bvalid && s_axi_bready;
  assign w_end    = s_axi_wvalid && s_axi_wready && s_axi_wlast;
  assign w_to     = wr_begin ? wr_to : wr_at_q;  // all in flight are at one slave
  assign w_pass   = w_count_q != '0 || wr_begin;

  always_ff @(posedge clk_i) begin
    if (wr_begin) wr_at_q <= wr_to;
    aw_held_q  <= s_axi_awvalid && wr_pass && !s_axi_awready;
    wr_count_q <= wr_count_q + CountBits'(wr_begin) - CountBits'(wr_end);
    w_count_q  <= w_count_q + CountBits'(wr_begin) - CountBits'(w_end);
    if (!rst_ni) begin
      aw_held_q  <= 1'b0;
      wr_count_q <= '0;
      w_count_q  <= '0;
    end
  end

  assign m0_axi_awid    = s_axi_awid;
  assign m0_axi_awaddr  = s_axi_awaddr;
  assign m0_axi_awlen   = s_axi_awlen;
  assign m0_axi_awsize  = s_axi_awsize;
  assign m0_axi_awburst = s_axi_awburst;
  assign m0_axi_awlock  = s_axi_awlock;
  assign m0_axi_awcache = s_axi_awcache;
  assign m0_axi_awprot  = s_axi_awprot;
  assign m0_axi_wdata   = s_axi_wdata;
  assign m0_axi_wstrb   = s_axi_wstrb;
  assign m0_axi_wlast   = s_axi_wlast;
  assign m1_axi_awid    = s_axi_awid;
  assign m1_axi_awaddr  = s_axi_awaddr;
  assign m1_axi_awlen   = s_axi_awlen;
  assign m1_axi_awsize  = s_axi_awsize;
  assign m1_axi_awburst = s_axi_awburst;
  assign m1_axi_awlock  = s_axi_awlock;
  assign m1_axi_awcache = s_axi_awcache;
  assign m1_axi_awprot  = s_axi_awprot;
  assign m1_axi_wdata   = s_axi_wdata;
  assign m1_axi_wstrb   = s_axi_wstrb;
  assign m1_axi_wlast   = s_axi_wlast;
  assign m0_axi_awvalid = s_axi_awvalid && wr_pass && !wr_to;
  assign m1_axi_awvalid = s_axi_awvalid && wr_pass && wr_to;
  assign s_axi_awready  = wr_pass && (wr_to ? m1_axi_awready : m0_axi_awready);
  assign m0_axi_wvalid  = s_axi_wvalid && w_pass && !w_to;
  assign m1_axi_wvalid  = s_axi_wvalid && w_pass && w_to;
  assign s_axi_wready   = w_pass && (w_to ? m1_axi_wready : m0_axi_wready);
  assign s_axi_bid      = wr_at_q ? m1_axi_bid : m0_axi_bid;
  assign s_axi_bresp    = wr_at_q ? m1_axi_bresp : m0_axi_bresp;
  assign s_axi_bvalid   = wr_at_q ? m1_axi_bvalid : m0_axi_bvalid;
  assign m0_axi_bready  = s_axi_bready && !wr_at_q;
  assign m1_axi_bready  = s_axi_bready && wr_at_q;

endmodule
