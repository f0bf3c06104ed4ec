// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_split: one AXI4 master on two slaves, by address: m1 has the window, m0 all else.
//
// Handshake   AR, R, AW, W, B pass combinationally, VALID and READY both ways; no VALID depends on
//             a READY. An address to the other slave waits until every burst of its direction on
//             the one before is done (RLAST, B), so that answers keep the master's order whatever
//             its IDs. A W beat waits until its AW is presented, the same cycle is early enough.
// Latency     0 cycles. Throughput: that of the slaves, while a direction stays with one of them.
// Bursts      lie in one slave: WindowBits is 12 or more, and bursts do not cross 4 KiB.
// Ordering    none between reads and writes (as in AXI).
// Reset       rst_ni synchronous, active low: forgets the bursts under way.
// Errors      Responses pass unchanged.
// Parameters  Base       first address of the window, a multiple of its size
//             WindowBits 12..AddrWidth-1: log2 of its bytes; both refused otherwise
//             AddrWidth  of all three, which are AXI4 of equal widths, refused otherwise. At most
//             1,023 bursts a direction are in flight, more wait.
// Not here    QOS, REGION, USER, locked accesses.
// Follows     AMBA AXI (IHI 0022) A5.

`include "sl_axi.svh"

module sl_axi_split #(
    parameter int unsigned          AddrWidth  = 32,
    parameter int unsigned          WindowBits = 16,
    parameter logic [AddrWidth-1:0] Base       = '0
) (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axi_if.slv      s_axi,
    sl_axi_if.mst      m0_axi,
    sl_axi_if.mst      m1_axi
);

  if (s_axi.AddrWidth != AddrWidth || m0_axi.AddrWidth != AddrWidth ||
      m1_axi.AddrWidth != AddrWidth || m0_axi.DataWidth != s_axi.DataWidth ||
      m1_axi.DataWidth != s_axi.DataWidth || m0_axi.IdWidth != s_axi.IdWidth ||
      m1_axi.IdWidth != s_axi.IdWidth || s_axi.Axi3 || m0_axi.Axi3 || m1_axi.Axi3)
  begin : gen_bad_buses
    $fatal(1, "%m: the three buses must be AXI4 of equal widths, addresses of %0d bits", AddrWidth);
  end
  if (WindowBits < 12 || WindowBits >= AddrWidth) begin : gen_bad_window
    $fatal(1, "%m: WindowBits must be 12..%0d, is %0d", AddrWidth - 1, WindowBits);
  end else if (Base[WindowBits-1:0] != '0) begin : gen_bad_base
    $fatal(1, "%m: Base must be a multiple of the window's size, is %0x", Base);
  end

  localparam int unsigned CountBits = 10;

  // ---- reads ----
  logic                 rd_to, rd_at_q, rd_pass;  // slave of the address, of the bursts in flight
  logic [CountBits-1:0] rd_count_q;
  logic                 rd_begin, rd_end;

  assign rd_to    = s_axi.araddr[AddrWidth-1:WindowBits] == Base[AddrWidth-1:WindowBits];
  assign rd_pass  = rd_count_q == '0 || (rd_to == rd_at_q && rd_count_q != '1);
  assign rd_begin = s_axi.arvalid && s_axi.arready;
  assign rd_end   = s_axi.rvalid && s_axi.rready && s_axi.rlast;

  always_ff @(posedge clk_i) begin
    if (rd_begin) rd_at_q <= rd_to;
    rd_count_q <= rd_count_q + CountBits'(rd_begin) - CountBits'(rd_end);
    if (!rst_ni) rd_count_q <= '0;
  end

  assign m0_axi.arid    = s_axi.arid;
  assign m1_axi.arid    = s_axi.arid;
  `SL_AXI_LINK_AX(m0_axi., s_axi., ar)
  `SL_AXI_LINK_AX(m1_axi., s_axi., ar)
  assign m0_axi.arvalid = s_axi.arvalid && rd_pass && !rd_to;
  assign m1_axi.arvalid = s_axi.arvalid && rd_pass && rd_to;
  assign s_axi.arready  = rd_pass && (rd_to ? m1_axi.arready : m0_axi.arready);
  assign s_axi.rid      = rd_at_q ? m1_axi.rid : m0_axi.rid;
  assign s_axi.rdata    = rd_at_q ? m1_axi.rdata : m0_axi.rdata;
  assign s_axi.rresp    = rd_at_q ? m1_axi.rresp : m0_axi.rresp;
  assign s_axi.rlast    = rd_at_q ? m1_axi.rlast : m0_axi.rlast;
  assign s_axi.rvalid   = rd_at_q ? m1_axi.rvalid : m0_axi.rvalid;
  assign m0_axi.rready  = s_axi.rready && !rd_at_q;
  assign m1_axi.rready  = s_axi.rready && rd_at_q;

  // ---- writes ----
  logic                 wr_to, wr_at_q, wr_pass, aw_held_q;  // held: presented in an earlier cycle
  logic [CountBits-1:0] wr_count_q;                          // AW presented, B not taken
  logic [CountBits-1:0] w_count_q;                           // AW presented, WLAST not taken
  logic                 wr_begin, wr_end, w_end, w_to, w_pass;

  assign wr_to    = s_axi.awaddr[AddrWidth-1:WindowBits] == Base[AddrWidth-1:WindowBits];
  assign wr_pass  = aw_held_q || wr_count_q == '0 || (wr_to == wr_at_q && wr_count_q != '1);
  assign wr_begin = s_axi.awvalid && wr_pass && !aw_held_q;
  assign wr_end   = s_axi.bvalid && s_axi.bready;
  assign w_end    = s_axi.wvalid && s_axi.wready && s_axi.wlast;
  assign w_to     = wr_begin ? wr_to : wr_at_q;  // all in flight are at one slave
  assign w_pass   = w_count_q != '0 || wr_begin;

  always_ff @(posedge clk_i) begin
    if (wr_begin) wr_at_q <= wr_to;
    aw_held_q  <= s_axi.awvalid && wr_pass && !s_axi.awready;
    wr_count_q <= wr_count_q + CountBits'(wr_begin) - CountBits'(wr_end);
    w_count_q  <= w_count_q + CountBits'(wr_begin) - CountBits'(w_end);
    if (!rst_ni) begin
      aw_held_q  <= 1'b0;
      wr_count_q <= '0;
      w_count_q  <= '0;
    end
  end

  assign m0_axi.awid    = s_axi.awid;
  assign m1_axi.awid    = s_axi.awid;
  `SL_AXI_LINK_AX(m0_axi., s_axi., aw)
  `SL_AXI_LINK_AX(m1_axi., s_axi., aw)
  assign m0_axi.wdata   = s_axi.wdata;
  assign m0_axi.wstrb   = s_axi.wstrb;
  assign m0_axi.wlast   = s_axi.wlast;
  assign m1_axi.wdata   = s_axi.wdata;
  assign m1_axi.wstrb   = s_axi.wstrb;
  assign m1_axi.wlast   = s_axi.wlast;
  assign m0_axi.awvalid = s_axi.awvalid && wr_pass && !wr_to;
  assign m1_axi.awvalid = s_axi.awvalid && wr_pass && wr_to;
  assign s_axi.awready  = wr_pass && (wr_to ? m1_axi.awready : m0_axi.awready);
  assign m0_axi.wvalid  = s_axi.wvalid && w_pass && !w_to;
  assign m1_axi.wvalid  = s_axi.wvalid && w_pass && w_to;
  assign s_axi.wready   = w_pass && (w_to ? m1_axi.wready : m0_axi.wready);
  assign s_axi.bid      = wr_at_q ? m1_axi.bid : m0_axi.bid;
  assign s_axi.bresp    = wr_at_q ? m1_axi.bresp : m0_axi.bresp;
  assign s_axi.bvalid   = wr_at_q ? m1_axi.bvalid : m0_axi.bvalid;
  assign m0_axi.bready  = s_axi.bready && !wr_at_q;
  assign m1_axi.bready  = s_axi.bready && wr_at_q;

endmodule
