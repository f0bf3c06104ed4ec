// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_guard: lets an AXI4 engine go on, and end, when the memory behind its port no longer
// answers.
//
// Operation   s_axi_* to the engine, m_axi_* to the memory. Until isolate_i: a wire that counts.
//             isolate_i (level; one cycle is enough, it is remembered until reset) cuts the two
//             sides apart from the next cycle on:
//             memory side  No new VALID (RegisterW=1: WVALID for a beat taken before). One that
//                          waits stays, with its payload, until taken; the rest of its burst never
//                          comes. RREADY, BREADY are high: what memory still answers is swallowed.
//             engine side  Addresses and write data are taken and lost. Every burst, outstanding
//                          or new, gets all that it is owed: the rest of its R beats, RLAST on the
//                          last, or its B once AW and WLAST are taken; RESP is SLVERR. An R or B
//                          that waits for the engine at the cut is left to it as it is. So an
//                          engine that takes its answers ends all its bursts.
// Handshake   combinational, VALID and READY both ways, but for RegisterW. With MaxOutstanding
//             bursts of a direction (reads: of an ID) outstanding the next address waits; write
//             data that runs as many bursts ahead of its addresses waits too.
// Latency     0 cycles; W with RegisterW=1: 1 cycle. Throughput: a beat a cycle. Cut: a beat of R a
//             cycle, one cycle between bursts; a B every second cycle.
// Ordering    IDs 0 to NumIds - 1 only; memory may answer different IDs in any order, interleaved.
// Reset       rst_ni synchronous, active low; forgets bursts and the cut, regardless of the bus.
// Parameters  Widths are those of s_axi; m_axi's are equal, refused otherwise.
//             MaxOutstanding power of two 2..64: what the engine may have in flight; less slows it
//             NumIds    1..2**IdWidth, 8 at most
//             ReadPort, WritePort  0: the engine has none; these outputs are 0
//             RegisterW 1: saves a LUT for each bit of WDATA and WSTRB
//             ZeroR     1: RDATA of the guard's own answers is 0, and held: for an engine that
//                       lowers RREADY (asserted). 0: it is what the memory drives, no LUTs.
// Not here    AXI3 (put the guard before sl_axi3_adapter), QOS, REGION, USER.

`include "sl_axi.svh"

module sl_axi_guard #(
    parameter int unsigned MaxOutstanding = 64,
    parameter int unsigned NumIds         = 1,
    parameter bit          ReadPort       = 1'b1,
    parameter bit          WritePort      = 1'b1,
    parameter bit          RegisterW      = 1'b0,
    parameter bit          ZeroR          = 1'b0
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        isolate_i,
    sl_axi_if.slv      s_axi,
    sl_axi_if.mst      m_axi
);

  localparam int unsigned DataWidth = s_axi.DataWidth;
  localparam int unsigned IdWidth   = s_axi.IdWidth;

  if (m_axi.AddrWidth != s_axi.AddrWidth || m_axi.DataWidth != DataWidth ||
      m_axi.IdWidth != IdWidth || s_axi.Axi3 || m_axi.Axi3) begin : gen_bad_buses
    $fatal(1, "%m: s_axi and m_axi must be AXI4 of the same widths");
  end
  if (MaxOutstanding < 2 || MaxOutstanding > 64 || 2 ** $clog2(MaxOutstanding) != MaxOutstanding)
  begin : gen_bad_max_outstanding
    $fatal(1, "%m: MaxOutstanding must be a power of two in 2..64, is %0d", MaxOutstanding);
  end
  if (NumIds < 1 || NumIds > 8 || NumIds > 2 ** IdWidth) begin : gen_bad_num_ids
    $fatal(1, "%m: NumIds must be 1..2**IdWidth and 8 at most, is %0d", NumIds);
  end

  localparam logic [1:0]  Slverr   = 2'b10;
  localparam int unsigned CntWidth = $clog2(MaxOutstanding) + 1;
  localparam int unsigned SelWidth = NumIds > 1 ? $clog2(NumIds) : 1;
  localparam int unsigned AxWidth  = IdWidth + s_axi.AddrWidth + 8 + 3 + 2 + 1 + 4 + 3;

  logic cut_q;
  always_ff @(posedge clk_i) cut_q <= rst_ni && (isolate_i || cut_q);

  // ----------------------------------------------------------------------------------------- reads
  if (ReadPort) begin : gen_read
    logic                   r_cut_q;  // R is the guard's
    logic                   room, ar_ready, ar_take, r_take;
    logic [NumIds-1:0]      len_ready, len_valid, last;
    logic                   own_valid_q;  // a burst is being answered by the guard
    logic [SelWidth-1:0]    own_q, next;

    assign room          = len_ready[NumIds > 1 ? s_axi.arid[SelWidth-1:0] : '0];
    assign s_axi.arready = ar_ready && room;
    assign ar_take       = s_axi.arvalid && s_axi.arready;
    assign r_take        = s_axi.rvalid && s_axi.rready;

    sl_axi_guard_out #(
        .Width (AxWidth)
    ) u_ar (
        .clk_i,
        .rst_ni,
        .cut_i     (cut_q),
        .s_valid_i (s_axi.arvalid && room),
        .s_ready_o (ar_ready),
        .s_data_i  ({`SL_AXI_AX_BITS(s_axi., ar)}),
        .m_valid_o (m_axi.arvalid),
        .m_ready_i (m_axi.arready),
        .m_data_o  ({`SL_AXI_AX_BITS(m_axi., ar)})
    );

    // Per ID: lengths of the bursts outstanding, and the beats of the oldest one already given.
    for (genvar id = 0; id < NumIds; id++) begin : gen_id
      logic [7:0]          len, beat_q;
      logic [CntWidth-1:0] unused_count;
      logic                r_mine;

      assign r_mine   = r_take && (NumIds == 1 || s_axi.rid == IdWidth'(id));
      assign last[id] = beat_q == len;

      sl_fifo #(
          .Width (8),
          .Depth (MaxOutstanding)
      ) u_len (
          .clk_i,
          .rst_ni,
          .clear_i     (1'b0),
          .in_valid_i  (ar_take && (NumIds == 1 || s_axi.arid == IdWidth'(id))),
          .in_ready_o  (len_ready[id]),
          .in_data_i   (s_axi.arlen),
          .out_valid_o (len_valid[id]),
          .out_ready_i (r_mine && s_axi.rlast),
          .out_data_o  (len),
          .count_o     (unused_count)
      );

      always_ff @(posedge clk_i) begin
        if (r_mine) beat_q <= s_axi.rlast ? '0 : beat_q + 1'b1;
        if (!rst_ni) beat_q <= '0;
      end

`ifndef SYNTHESIS
      always_ff @(posedge clk_i) begin
        if (rst_ni && r_mine) begin
          assert (len_valid[id] && s_axi.rlast == last[id])
          else $error("%m: R without a burst, or RLAST %b on beat %0d of %0d", s_axi.rlast, beat_q,
                      len + 9'd1);
        end
      end
`endif
    end

    always_comb begin
      next = '0;
      for (int id = NumIds - 1; id >= 0; id--) if (len_valid[id]) next = SelWidth'(id);
    end

    always_ff @(posedge clk_i) begin
      r_cut_q <= rst_ni && (r_cut_q || (cut_q && !(s_axi.rvalid && !s_axi.rready)));
      if (!own_valid_q) begin
        own_valid_q <= r_cut_q && len_valid != '0;
        own_q       <= next;
      end else if (r_take && s_axi.rlast) begin
        own_valid_q <= 1'b0;
      end
      if (!rst_ni) own_valid_q <= 1'b0;
    end

    assign m_axi.rready = r_cut_q || s_axi.rready;
    assign s_axi.rvalid = r_cut_q ? own_valid_q : m_axi.rvalid;
    assign s_axi.rid    = r_cut_q ? IdWidth'(own_q) : m_axi.rid;
    assign s_axi.rdata  = ZeroR && r_cut_q ? '0 : m_axi.rdata;
    assign s_axi.rresp  = r_cut_q ? Slverr : m_axi.rresp;
    assign s_axi.rlast  = r_cut_q ? last[NumIds > 1 ? own_q : '0] : m_axi.rlast;

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (ZeroR || !(r_cut_q && s_axi.rvalid) || s_axi.rready)
        else $error("%m: RREADY is low on an answer of the guard: set ZeroR");
        assert (!s_axi.arvalid || 32'(s_axi.arid) < NumIds)
        else $error("%m: ARID %0d, NumIds %0d", s_axi.arid, NumIds);
      end
    end
`endif
  end else begin : gen_no_read
    `SL_AXI_IDLE_RD_SLV(s_axi.)
    `SL_AXI_IDLE_RD_MST(m_axi.)
  end

  // ---------------------------------------------------------------------------------------- writes
  if (WritePort) begin : gen_write
    logic                b_cut_q;  // B is the guard's
    logic [CntWidth-1:0] aw_q, w_q;  // AWs, WLASTs taken from the engine whose B is not yet given
    logic                aw_room, w_room, aw_ready, w_ready, aw_take, w_end, b_take;
    logic                own_valid_q;
    logic [SelWidth-1:0] own_q, next;
    logic                owed;

    assign aw_room       = !aw_q[CntWidth-1];
    assign w_room        = !w_q[CntWidth-1];
    assign s_axi.awready = aw_ready && aw_room;
    assign s_axi.wready  = w_ready && w_room;
    assign aw_take       = s_axi.awvalid && s_axi.awready;
    assign w_end         = s_axi.wvalid && s_axi.wready && s_axi.wlast;
    assign b_take        = s_axi.bvalid && s_axi.bready;

    sl_axi_guard_out #(
        .Width (AxWidth)
    ) u_aw (
        .clk_i,
        .rst_ni,
        .cut_i     (cut_q),
        .s_valid_i (s_axi.awvalid && aw_room),
        .s_ready_o (aw_ready),
        .s_data_i  ({`SL_AXI_AX_BITS(s_axi., aw)}),
        .m_valid_o (m_axi.awvalid),
        .m_ready_i (m_axi.awready),
        .m_data_o  ({`SL_AXI_AX_BITS(m_axi., aw)})
    );

    sl_axi_guard_out #(
        .Width    (DataWidth + DataWidth / 8 + 1),
        .Register (RegisterW)
    ) u_w (
        .clk_i,
        .rst_ni,
        .cut_i     (cut_q),
        .s_valid_i (s_axi.wvalid && w_room),
        .s_ready_o (w_ready),
        .s_data_i  ({s_axi.wlast, s_axi.wstrb, s_axi.wdata}),
        .m_valid_o (m_axi.wvalid),
        .m_ready_i (m_axi.wready),
        .m_data_o  ({m_axi.wlast, m_axi.wstrb, m_axi.wdata})
    );

    always_ff @(posedge clk_i) begin
      if (aw_take != b_take) aw_q <= aw_take ? aw_q + 1'b1 : aw_q - 1'b1;
      if (w_end != b_take) w_q <= w_end ? w_q + 1'b1 : w_q - 1'b1;
      if (!rst_ni) begin
        aw_q <= '0;
        w_q  <= '0;
      end
    end

    if (NumIds == 1) begin : gen_one_id
      assign owed = aw_q != '0 && w_q != '0;
      assign next = '0;
    end else begin : gen_ids
      // A burst is due, to its ID, once both its AW and its WLAST are taken: IDs of AWs that
      // wait for their data stand in a queue. The other way round the AW itself tells.
      logic                w_behind, w_ahead, due, id_valid, id_ready;
      logic [IdWidth-1:0]  id_head, id_due;
      logic [NumIds-1:0]   any;
      logic [CntWidth-1:0] unused_count;

      assign w_behind = aw_q > w_q;
      assign w_ahead  = aw_q < w_q;
      assign due      = (aw_take && (w_end || w_ahead)) || (w_end && w_behind);
      assign id_due   = w_behind ? id_head : s_axi.awid;

      sl_fifo #(
          .Width (IdWidth),
          .Depth (MaxOutstanding)
      ) u_ids (
          .clk_i,
          .rst_ni,
          .clear_i     (1'b0),
          .in_valid_i  (aw_take && (w_behind || (!w_end && !w_ahead))),
          .in_ready_o  (id_ready),
          .in_data_i   (s_axi.awid),
          .out_valid_o (id_valid),
          .out_ready_i (w_end && w_behind),
          .out_data_o  (id_head),
          .count_o     (unused_count)
      );

      for (genvar id = 0; id < NumIds; id++) begin : gen_id
        logic [CntWidth-1:0] owed_q;
        logic                more, less;
        assign any[id] = owed_q != '0;
        assign more    = due && id_due == IdWidth'(id);
        assign less    = b_take && s_axi.bid == IdWidth'(id);
        always_ff @(posedge clk_i) begin
          if (more != less) owed_q <= more ? owed_q + 1'b1 : owed_q - 1'b1;
          if (!rst_ni) owed_q <= '0;
        end
      end

      assign owed = any != '0;
      always_comb begin
        next = '0;
        for (int id = NumIds - 1; id >= 0; id--) if (any[id]) next = SelWidth'(id);
      end

      logic unused_ids;
      assign unused_ids = ^{id_valid, id_ready};
    end

    always_ff @(posedge clk_i) begin
      b_cut_q     <= rst_ni && (b_cut_q || (cut_q && !(s_axi.bvalid && !s_axi.bready)));
      own_valid_q <= rst_ni && (own_valid_q ? !s_axi.bready : b_cut_q && owed);
      if (!own_valid_q) own_q <= next;
    end

    assign m_axi.bready = b_cut_q || s_axi.bready;
    assign s_axi.bvalid = b_cut_q ? own_valid_q : m_axi.bvalid;
    assign s_axi.bid    = b_cut_q ? IdWidth'(own_q) : m_axi.bid;
    assign s_axi.bresp  = b_cut_q ? Slverr : m_axi.bresp;

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!s_axi.awvalid || 32'(s_axi.awid) < NumIds)
        else $error("%m: AWID %0d, NumIds %0d", s_axi.awid, NumIds);
        assert (!b_take || (aw_q != '0 && w_q != '0)) else $error("%m: B without a burst");
      end
    end
`endif
  end else begin : gen_no_write
    `SL_AXI_IDLE_WR_SLV(s_axi.)
    `SL_AXI_IDLE_WR_MST(m_axi.)
  end

endmodule
