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
// Parameters  AddrWidth 12..64; DataWidth 8..1024, power of two; IdWidth 1..16; refused otherwise
//             MaxOutstanding power of two 2..64: what the engine may have in flight; less slows it
//             NumIds    1..2**IdWidth, 8 at most
//             ReadPort, WritePort  0: the engine has none; these outputs are 0
//             RegisterW 1: saves a LUT for each bit of WDATA and WSTRB
//             ZeroR     1: RDATA of the guard's own answers is 0, and held: for an engine that
//                       lowers RREADY (asserted). 0: it is what the memory drives, no LUTs.
// Not here    AXI3 (put the guard before sl_axi3_adapter), QOS, REGION, USER.

module sl_axi_guard #(
  parameter int unsigned AddrWidth      = 32,
  parameter int unsigned DataWidth      = 64,
  parameter int unsigned IdWidth        = 1,
  parameter int unsigned MaxOutstanding = 64,
  parameter int unsigned NumIds         = 1,
  parameter bit          ReadPort       = 1'b1,
  parameter bit          WritePort      = 1'b1,
  parameter bit          RegisterW      = 1'b0,
  parameter bit          ZeroR          = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   isolate_i,

  input  logic [IdWidth-1:0]     s_axi_awid,
  input  logic [AddrWidth-1:0]   s_axi_awaddr,
  input  logic [7:0]             s_axi_awlen,
  input  logic [2:0]             s_axi_awsize,
  input  logic [1:0]             s_axi_awburst,
  input  logic                   s_axi_awlock,
  input  logic [3:0]             s_axi_awcache,
  input  logic [2:0]             s_axi_awprot,
  input  logic                   s_axi_awvalid,
  output logic                   s_axi_awready,
  input  logic [DataWidth-1:0]   s_axi_wdata,
  input  logic [DataWidth/8-1:0] s_axi_wstrb,
  input  logic                   s_axi_wlast,
  input  logic                   s_axi_wvalid,
  output logic                   s_axi_wready,
  output logic [IdWidth-1:0]     s_axi_bid,
  output logic [1:0]             s_axi_bresp,
  output logic                   s_axi_bvalid,
  input  logic                   s_axi_bready,
  input  logic [IdWidth-1:0]     s_axi_arid,
  input  logic [AddrWidth-1:0]   s_axi_araddr,
  input  logic [7:0]             s_axi_arlen,
  input  logic [2:0]             s_axi_arsize,
  input  logic [1:0]             s_axi_arburst,
  input  logic                   s_axi_arlock,
  input  logic [3:0]             s_axi_arcache,
  input  logic [2:0]             s_axi_arprot,
  input  logic                   s_axi_arvalid,
  output logic                   s_axi_arready,
  output logic [IdWidth-1:0]     s_axi_rid,
  output logic [DataWidth-1:0]   s_axi_rdata,
  output logic [1:0]             s_axi_rresp,
  output logic                   s_axi_rlast,
  output logic                   s_axi_rvalid,
  input  logic                   s_axi_rready,

  output logic [IdWidth-1:0]     m_axi_awid,
  output logic [AddrWidth-1:0]   m_axi_awaddr,
  output logic [7:0]             m_axi_awlen,
  output logic [2:0]             m_axi_awsize,
  output logic [1:0]             m_axi_awburst,
  output logic                   m_axi_awlock,
  output logic [3:0]             m_axi_awcache,
  output logic [2:0]             m_axi_awprot,
  output logic                   m_axi_awvalid,
  input  logic                   m_axi_awready,
  output logic [DataWidth-1:0]   m_axi_wdata,
  output logic [DataWidth/8-1:0] m_axi_wstrb,
  output logic                   m_axi_wlast,
  output logic                   m_axi_wvalid,
  input  logic                   m_axi_wready,
  input  logic [IdWidth-1:0]     m_axi_bid,
  input  logic [1:0]             m_axi_bresp,
  input  logic                   m_axi_bvalid,
  output logic                   m_axi_bready,
  output logic [IdWidth-1:0]     m_axi_arid,
  output logic [AddrWidth-1:0]   m_axi_araddr,
  output logic [7:0]             m_axi_arlen,
  output logic [2:0]             m_axi_arsize,
  output logic [1:0]             m_axi_arburst,
  output logic                   m_axi_arlock,
  output logic [3:0]             m_axi_arcache,
  output logic [2:0]             m_axi_arprot,
  output logic                   m_axi_arvalid,
  input  logic                   m_axi_arready,
  input  logic [IdWidth-1:0]     m_axi_rid,
  input  logic [DataWidth-1:0]   m_axi_rdata,
  input  logic [1:0]             m_axi_rresp,
  input  logic                   m_axi_rlast,
  input  logic                   m_axi_rvalid,
  output logic                   m_axi_rready
);

  if (AddrWidth < 12 || AddrWidth > 64) begin : g_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 12..64, is %0d", AddrWidth);
  end
  if (DataWidth < 8 || DataWidth > 1024 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 8..1024, is %0d", DataWidth);
  end
  if (IdWidth < 1 || IdWidth > 16) begin : g_bad_id_width
    $fatal(1, "%m: IdWidth must be 1..16, is %0d", IdWidth);
  end
  if (MaxOutstanding < 2 || MaxOutstanding > 64 || 2 ** $clog2(MaxOutstanding) != MaxOutstanding)
  begin : g_bad_max_outstanding
    $fatal(1, "%m: MaxOutstanding must be a power of two in 2..64, is %0d", MaxOutstanding);
  end
  if (NumIds < 1 || NumIds > 8 || NumIds > 2 ** IdWidth) begin : g_bad_num_ids
    $fatal(1, "%m: NumIds must be 1..2**IdWidth and 8 at most, is %0d", NumIds);
  end

  localparam logic [1:0]  Slverr   = 2'b10;
  localparam int unsigned CntWidth = $clog2(MaxOutstanding) + 1;
  localparam int unsigned SelWidth = NumIds > 1 ? $clog2(NumIds) : 1;
  localparam int unsigned AxWidth  = IdWidth + AddrWidth + 8 + 3 + 2 + 1 + 4 + 3;

  logic cut_q;
  always_ff @(posedge clk_i) cut_q <= rst_ni && (isolate_i || cut_q);

  // ----------------------------------------------------------------------------------------- reads
  if (ReadPort) begin : g_read
    logic                   r_cut_q;  // R is the guard's
    logic                   room, ar_ready, ar_take, r_take;
    logic [NumIds-1:0]      len_ready, len_valid, last;
    logic                   own_valid_q;  // a burst is being answered by the guard
    logic [SelWidth-1:0]    own_q, next;

    assign room          = len_ready[NumIds > 1 ? s_axi_arid[SelWidth-1:0] : '0];
    assign s_axi_arready = ar_ready && room;
    assign ar_take       = s_axi_arvalid && s_axi_arready;
    assign r_take        = s_axi_rvalid && s_axi_rready;

    sl_axi_guard_out #(
      .Width (AxWidth)
    ) u_ar (
      .clk_i,
      .rst_ni,
      .cut_i     (cut_q),
      .s_valid_i (s_axi_arvalid && room),
      .s_ready_o (ar_ready),
      .s_data_i  ({s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arlock,
                   s_axi_arcache, s_axi_arprot}),
      .m_valid_o (m_axi_arvalid),
      .m_ready_i (m_axi_arready),
      .m_data_o  ({m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arlock,
                   m_axi_arcache, m_axi_arprot})
    );

    // Per ID: lengths of the bursts outstanding, and the beats of the oldest one already given.
    for (genvar id = 0; id < NumIds; id++) begin : g_id
      logic [7:0]          len, beat_q;
      logic [CntWidth-1:0] unused_count;
      logic                r_mine;

      assign r_mine   = r_take && (NumIds == 1 || s_axi_rid == IdWidth'(id));
      assign last[id] = beat_q == len;

      sl_fifo #(
        .Width (8),
        .Depth (MaxOutstanding)
      ) u_len (
        .clk_i,
        .rst_ni,
        .clear_i     (1'b0),
        .in_valid_i  (ar_take && (NumIds == 1 || s_axi_arid == IdWidth'(id))),
        .in_ready_o  (len_ready[id]),
        .in_data_i   (s_axi_arlen),
        .out_valid_o (len_valid[id]),
        .out_ready_i (r_mine && s_axi_rlast),
        .out_data_o  (len),
        .count_o     (unused_count)
      );

      always_ff @(posedge clk_i) begin
        if (r_mine) beat_q <= s_axi_rlast ? '0 : beat_q + 1'b1;
        if (!rst_ni) beat_q <= '0;
      end

`ifndef SYNTHESIS
      always_ff @(posedge clk_i) begin
        if (rst_ni && r_mine) begin
          assert (len_valid[id] && s_axi_rlast == last[id])
          else $error("%m: R without a burst, or RLAST %b on beat %0d of %0d", s_axi_rlast, beat_q,
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
      r_cut_q <= rst_ni && (r_cut_q || (cut_q && !(s_axi_rvalid && !s_axi_rready)));
      if (!own_valid_q) begin
        own_valid_q <= r_cut_q && len_valid != '0;
        own_q       <= next;
      end else if (r_take && s_axi_rlast) begin
        own_valid_q <= 1'b0;
      end
      if (!rst_ni) own_valid_q <= 1'b0;
    end

    assign m_axi_rready = r_cut_q || s_axi_rready;
    assign s_axi_rvalid = r_cut_q ? own_valid_q : m_axi_rvalid;
    assign s_axi_rid    = r_cut_q ? IdWidth'(own_q) : m_axi_rid;
    assign s_axi_rdata  = ZeroR && r_cut_q ? '0 : m_axi_rdata;
    assign s_axi_rresp  = r_cut_q ? Slverr : m_axi_rresp;
    assign s_axi_rlast  = r_cut_q ? last[NumIds > 1 ? own_q : '0] : m_axi_rlast;

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (ZeroR || !(r_cut_q && s_axi_rvalid) || s_axi_rready)
        else $error("%m: RREADY is low on an answer of the guard: set ZeroR");
        assert (!s_axi_arvalid || 32'(s_axi_arid) < NumIds)
        else $error("%m: ARID %0d, NumIds %0d", s_axi_arid, NumIds);
      end
    end
`endif
  end else begin : g_no_read
    logic unused_read;
    assign unused_read = ^{s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst,
                           s_axi_arlock, s_axi_arcache, s_axi_arprot, s_axi_arvalid, s_axi_rready,
                           m_axi_arready, m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast,
                           m_axi_rvalid};
    assign s_axi_arready = 1'b0;
    assign s_axi_rid     = '0;
    assign s_axi_rdata   = '0;
    assign s_axi_rresp   = '0;
    assign s_axi_rlast   = 1'b0;
    assign s_axi_rvalid  = 1'b0;
    assign m_axi_arid    = '0;
    assign m_axi_araddr  = '0;
    assign m_axi_arlen   = '0;
    assign m_axi_arsize  = '0;
    assign m_axi_arburst = '0;
    assign m_axi_arlock  = 1'b0;
    assign m_axi_arcache = '0;
    assign m_axi_arprot  = '0;
    assign m_axi_arvalid = 1'b0;
    assign m_axi_rready  = 1'b0;
  end

  // ---------------------------------------------------------------------------------------- writes
  if (WritePort) begin : g_write
    logic                b_cut_q;  // B is the guard's
    logic [CntWidth-1:0] aw_q, w_q;  // AWs, WLASTs taken from the engine whose B is not yet given
    logic                aw_room, w_room, aw_ready, w_ready, aw_take, w_end, b_take;
    logic                own_valid_q;
    logic [SelWidth-1:0] own_q, next;
    logic                owed;

    assign aw_room       = !aw_q[CntWidth-1];
    assign w_room        = !w_q[CntWidth-1];
    assign s_axi_awready = aw_ready && aw_room;
    assign s_axi_wready  = w_ready && w_room;
    assign aw_take       = s_axi_awvalid && s_axi_awready;
    assign w_end         = s_axi_wvalid && s_axi_wready && s_axi_wlast;
    assign b_take        = s_axi_bvalid && s_axi_bready;

    sl_axi_guard_out #(
      .Width (AxWidth)
    ) u_aw (
      .clk_i,
      .rst_ni,
      .cut_i     (cut_q),
      .s_valid_i (s_axi_awvalid && aw_room),
      .s_ready_o (aw_ready),
      .s_data_i  ({s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awlock,
                   s_axi_awcache, s_axi_awprot}),
      .m_valid_o (m_axi_awvalid),
      .m_ready_i (m_axi_awready),
      .m_data_o  ({m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awlock,
                   m_axi_awcache, m_axi_awprot})
    );

    sl_axi_guard_out #(
      .Width    (DataWidth + DataWidth / 8 + 1),
      .Register (RegisterW)
    ) u_w (
      .clk_i,
      .rst_ni,
      .cut_i     (cut_q),
      .s_valid_i (s_axi_wvalid && w_room),
      .s_ready_o (w_ready),
      .s_data_i  ({s_axi_wlast, s_axi_wstrb, s_axi_wdata}),
      .m_valid_o (m_axi_wvalid),
      .m_ready_i (m_axi_wready),
      .m_data_o  ({m_axi_wlast, m_axi_wstrb, m_axi_wdata})
    );

    always_ff @(posedge clk_i) begin
      if (aw_take != b_take) aw_q <= aw_take ? aw_q + 1'b1 : aw_q - 1'b1;
      if (w_end != b_take) w_q <= w_end ? w_q + 1'b1 : w_q - 1'b1;
      if (!rst_ni) begin
        aw_q <= '0;
        w_q  <= '0;
      end
    end

    if (NumIds == 1) begin : g_one_id
      assign owed = aw_q != '0 && w_q != '0;
      assign next = '0;
    end else begin : g_ids
      // A burst is due, to its ID, once both its AW and its WLAST are taken: IDs of AWs that
      // wait for their data stand in a queue. The other way round the AW itself tells.
      logic                w_behind, w_ahead, due, id_valid, id_ready;
      logic [IdWidth-1:0]  id_head, id_due;
      logic [NumIds-1:0]   any;
      logic [CntWidth-1:0] unused_count;

      assign w_behind = aw_q > w_q;
      assign w_ahead  = aw_q < w_q;
      assign due      = (aw_take && (w_end || w_ahead)) || (w_end && w_behind);
      assign id_due   = w_behind ? id_head : s_axi_awid;

      sl_fifo #(
        .Width (IdWidth),
        .Depth (MaxOutstanding)
      ) u_ids (
        .clk_i,
        .rst_ni,
        .clear_i     (1'b0),
        .in_valid_i  (aw_take && (w_behind || (!w_end && !w_ahead))),
        .in_ready_o  (id_ready),
        .in_data_i   (s_axi_awid),
        .out_valid_o (id_valid),
        .out_ready_i (w_end && w_behind),
        .out_data_o  (id_head),
        .count_o     (unused_count)
      );

      for (genvar id = 0; id < NumIds; id++) begin : g_id
        logic [CntWidth-1:0] owed_q;
        logic                more, less;
        assign any[id] = owed_q != '0;
        assign more    = due && id_due == IdWidth'(id);
        assign less    = b_take && s_axi_bid == IdWidth'(id);
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
      b_cut_q     <= rst_ni && (b_cut_q || (cut_q && !(s_axi_bvalid && !s_axi_bready)));
      own_valid_q <= rst_ni && (own_valid_q ? !s_axi_bready : b_cut_q && owed);
      if (!own_valid_q) own_q <= next;
    end

    assign m_axi_bready = b_cut_q || s_axi_bready;
    assign s_axi_bvalid = b_cut_q ? own_valid_q : m_axi_bvalid;
    assign s_axi_bid    = b_cut_q ? IdWidth'(own_q) : m_axi_bid;
    assign s_axi_bresp  = b_cut_q ? Slverr : m_axi_bresp;

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!s_axi_awvalid || 32'(s_axi_awid) < NumIds)
        else $error("%m: AWID %0d, NumIds %0d", s_axi_awid, NumIds);
        assert (!b_take || (aw_q != '0 && w_q != '0)) else $error("%m: B without a burst");
      end
    end
`endif
  end else begin : g_no_write
    logic unused_write;
    assign unused_write = ^{s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst,
                            s_axi_awlock, s_axi_awcache, s_axi_awprot, s_axi_awvalid, s_axi_wdata,
                            s_axi_wstrb, s_axi_wlast, s_axi_wvalid, s_axi_bready, m_axi_awready,
                            m_axi_wready, m_axi_bid, m_axi_bresp, m_axi_bvalid};
    assign s_axi_awready = 1'b0;
    assign s_axi_wready  = 1'b0;
    assign s_axi_bid     = '0;
    assign s_axi_bresp   = '0;
    assign s_axi_bvalid  = 1'b0;
    assign m_axi_awid    = '0;
    assign m_axi_awaddr  = '0;
    assign m_axi_awlen   = '0;
    assign m_axi_awsize  = '0;
    assign m_axi_awburst = '0;
    assign m_axi_awlock  = 1'b0;
    assign m_axi_awcache = '0;
    assign m_axi_awprot  = '0;
    assign m_axi_awvalid = 1'b0;
    assign m_axi_wdata   = '0;
    assign m_axi_wstrb   = '0;
    assign m_axi_wlast   = 1'b0;
    assign m_axi_wvalid  = 1'b0;
    assign m_axi_bready  = 1'b0;
  end

endmodule
