// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_join: several AXI4 masters on one port: a DMA engine's data and its descriptors.
//
// Handshake   AR, R, AW, B pass combinationally, VALID and READY both ways; no VALID depends on a
//             READY. Of the addresses that wait the one goes first whose master comes first after
//             the one served last, in turns; what is presented stays until taken. W beats come in
//             the order of the AWs: a beat waits until its AW is presented, the same cycle is early
//             enough, and until the bursts before it have had theirs. A master therefore presents
//             an AW only when it can give the burst's data whatever the others do; else all may
//             stand still. An AW waits while WriteDepth write bursts have an AW presented but no
//             WLAST taken.
// Latency     0 cycles, also with a master alone; one address, one beat a channel and cycle.
// Ordering    of a master, as the port answers. The master's number is the ID's upper bits; R and B
//             go where they say, in any order.
// Reset       rst_ni synchronous, active low: forgets the write bursts under way; master 0 first.
// Errors      Responses pass unchanged.
// Widths      those of s_axi[0]; the others have the same, m_axi an ID that is clog2(NumMasters)
//             bits wider, all are AXI4; refused otherwise.
// Parameters  NumMasters 2..16; WriteDepth power of two 2..64; refused otherwise.
// Not here    QOS, REGION, USER, locked accesses.
// Follows     AMBA AXI (IHI 0022) A5.3: write data in the order of the addresses.

`include "sl_axi.svh"

module sl_axi_join #(
    parameter int unsigned NumMasters = 2,
    parameter int unsigned WriteDepth = 16
) (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axi_if.slv      s_axi [NumMasters],
    sl_axi_if.mst      m_axi
);

  localparam int unsigned IdWidth   = s_axi[0].IdWidth;
  localparam int unsigned DataWidth = m_axi.DataWidth;
  localparam int unsigned SelWidth  = $clog2(NumMasters);
  localparam int unsigned PtrWidth  = $clog2(WriteDepth);
  // ID and payload of an address; beat, strobes and WLAST.
  localparam int unsigned AxWidth   = IdWidth + m_axi.AddrWidth + 8 + 3 + 2 + 1 + 4 + 3;
  localparam int unsigned BeatWidth = DataWidth + DataWidth / 8 + 1;

  if (NumMasters < 2 || NumMasters > 16) begin : gen_bad_num_masters
    $fatal(1, "%m: NumMasters must be 2..16, is %0d", NumMasters);
  end
  if (m_axi.IdWidth != IdWidth + SelWidth) begin : gen_bad_id_width
    $fatal(1, "%m: the ID of m_axi must be %0d bits wider than that of s_axi, %0d, is %0d",
           SelWidth, IdWidth, m_axi.IdWidth);
  end
  if (WriteDepth < 2 || WriteDepth > 64 || 2 ** $clog2(WriteDepth) != WriteDepth)
  begin : gen_bad_write_depth
    $fatal(1, "%m: WriteDepth must be a power of two in 2..64, is %0d", WriteDepth);
  end

  typedef logic [SelWidth-1:0] sel_t;

  logic [NumMasters-1:0] ar_valid, aw_valid, w_valid, r_ready, b_ready;
  logic [NumMasters-1:0][AxWidth-1:0]   ar, aw;
  logic [NumMasters-1:0][BeatWidth-1:0] w;
  sel_t ar_sel, ar_last_q, aw_sel, aw_last_q, w_sel, r_sel, b_sel;  // last: served last
  sel_t ar_turn, aw_turn;
  logic ar_held_q;  // ARVALID waits
  logic aw_wait_q;  // entered in an earlier cycle
  logic aw_pass, w_pass;

  for (genvar i = 0; i < NumMasters; i++) begin : gen_master
    if (s_axi[i].AddrWidth != m_axi.AddrWidth || s_axi[i].DataWidth != DataWidth ||
        s_axi[i].IdWidth != IdWidth || s_axi[i].Axi3 || m_axi.Axi3) begin : gen_bad_bus
      $fatal(1, "%m: all must be AXI4, s_axi of the widths of m_axi, with one width of ID");
    end

    assign ar[i]       = {`SL_AXI_AX_BITS(s_axi[i]., ar)};
    assign ar_valid[i] = s_axi[i].arvalid;
    assign aw[i]       = {`SL_AXI_AX_BITS(s_axi[i]., aw)};
    assign aw_valid[i] = s_axi[i].awvalid;
    assign w[i]        = {s_axi[i].wdata, s_axi[i].wstrb, s_axi[i].wlast};
    assign w_valid[i]  = s_axi[i].wvalid;
    assign r_ready[i]  = s_axi[i].rready;
    assign b_ready[i]  = s_axi[i].bready;

    assign s_axi[i].arready = m_axi.arready && ar_sel == sel_t'(i);
    assign s_axi[i].awready = m_axi.awready && aw_pass && aw_sel == sel_t'(i);
    assign s_axi[i].wready  = m_axi.wready && w_pass && w_sel == sel_t'(i);
    assign s_axi[i].rvalid  = m_axi.rvalid && r_sel == sel_t'(i);
    assign s_axi[i].rid     = m_axi.rid[IdWidth-1:0];
    assign s_axi[i].rdata   = m_axi.rdata;
    assign s_axi[i].rresp   = m_axi.rresp;
    assign s_axi[i].rlast   = m_axi.rlast;
    assign s_axi[i].bvalid  = m_axi.bvalid && b_sel == sel_t'(i);
    assign s_axi[i].bid     = m_axi.bid[IdWidth-1:0];
    assign s_axi[i].bresp   = m_axi.bresp;
  end

  // ---- reads ----
  logic [IdWidth-1:0] ar_id;

  logic               unused_ar_any;

  sl_turn #(
      .NumRequests(NumMasters)
  ) u_ar_turn (
      .ask_i (ar_valid),
      .last_i(ar_last_q),
      .sel_o (ar_turn),
      .any_o (unused_ar_any)
  );
  assign ar_sel = ar_held_q ? ar_last_q : ar_turn;

  always_ff @(posedge clk_i) begin
    if (m_axi.arvalid) ar_last_q <= ar_sel;
    ar_held_q <= m_axi.arvalid && !m_axi.arready;
    if (!rst_ni) begin
      ar_last_q <= sel_t'(NumMasters - 1);
      ar_held_q <= 1'b0;
    end
  end

  assign {ar_id, m_axi.araddr, m_axi.arlen, m_axi.arsize, m_axi.arburst, m_axi.arlock,
          m_axi.arcache, m_axi.arprot} = ar[ar_sel];
  assign m_axi.arid    = {ar_sel, ar_id};
  assign m_axi.arvalid = ar_valid[ar_sel];
  assign r_sel         = m_axi.rid[IdWidth+:SelWidth];
  assign m_axi.rready  = r_ready[r_sel];

  // ---- writes: a queue of the masters of presented AWs, for W ----
  sel_t              masters_q [WriteDepth];
  logic [PtrWidth:0] head_q, tail_q;
  logic [IdWidth-1:0] aw_id;
  logic              empty, full, push, pop;

  assign empty = head_q == tail_q;
  assign full  = head_q == {~tail_q[PtrWidth], tail_q[PtrWidth-1:0]};

  logic unused_aw_any;
  sl_turn #(
      .NumRequests(NumMasters)
  ) u_aw_turn (
      .ask_i (aw_valid),
      .last_i(aw_last_q),
      .sel_o (aw_turn),
      .any_o (unused_aw_any)
  );
  assign aw_sel  = aw_wait_q ? aw_last_q : aw_turn;
  // Once entered it stays presented, so `full` no longer concerns it.
  assign aw_pass = aw_wait_q || !full;
  assign push    = aw_valid[aw_sel] && !aw_wait_q && !full;
  assign w_sel   = empty ? aw_sel : masters_q[head_q[PtrWidth-1:0]];
  assign w_pass  = !empty || push;
  assign pop     = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  always_ff @(posedge clk_i) begin
    aw_wait_q <= m_axi.awvalid && !m_axi.awready;
    if (push) begin
      tail_q                          <= tail_q + 1'b1;
      masters_q[tail_q[PtrWidth-1:0]] <= aw_sel;
      aw_last_q                       <= aw_sel;
    end
    if (pop) head_q <= head_q + 1'b1;
    if (!rst_ni) begin
      aw_last_q <= sel_t'(NumMasters - 1);
      aw_wait_q <= 1'b0;
      head_q    <= '0;
      tail_q    <= '0;
    end
  end

  assign {aw_id, m_axi.awaddr, m_axi.awlen, m_axi.awsize, m_axi.awburst, m_axi.awlock,
          m_axi.awcache, m_axi.awprot} = aw[aw_sel];
  assign m_axi.awid    = {aw_sel, aw_id};
  assign m_axi.awvalid = aw_valid[aw_sel] && aw_pass;
  assign {m_axi.wdata, m_axi.wstrb, m_axi.wlast} = w[w_sel];
  assign m_axi.wvalid  = w_valid[w_sel] && w_pass;
  assign b_sel         = m_axi.bid[IdWidth+:SelWidth];
  assign m_axi.bready  = b_ready[b_sel];

endmodule
