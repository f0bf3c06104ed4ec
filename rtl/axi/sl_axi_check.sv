// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_check: passive protocol checker for one AXI3 or AXI4 port, both sides' rules.
//
// Purpose     Stops the simulation on the first broken rule of AMBA AXI (IHI 0022, sections in
//             brackets). It only listens: nothing is ever stalled.
// Rules       bit of violation_o, rule:
//               0 RESET     no VALID high at an edge that follows an edge in reset (A3.1.2)
//               1..5 DROP   AWVALID, WVALID, BVALID, ARVALID, RVALID stay until READY (A3.2.1)
//               6..10 HOLD  payload of AW, W, B, AR, R is held while VALID waits (A3.2.1)
//              11..16 of AW, 17..22 of AR: BURST not reserved, LEN fits the type, SIZE within the
//                           bus, 4 KiB BOUND, LOCK and exclusive shape, CACHE (A3.4.1, A4.4, A7)
//              23 W_EARLY   no W beat before its AW is presented, unless AllowEarlyW (project)
//              24 W_LAST    WLAST on the last beat of its burst and only there (A3.4.1)
//              25 W_STRB    strobes only in the lanes of the beat's address and size (A3.4.3)
//              26 W_ID      AXI3: WID = ID of its AW, write data not interleaved (A5.3)
//              27 B_EARLY   B only for an ID with a write whose AW, WLAST were taken (A3.3.1)
//              28 B_RESP    EXOKAY only for exclusive writes (A3.4.4)
//              29 R_EARLY   R only for an ID with a read whose AR was taken (A3.3.1)
//              30 R_LAST    RLAST on the last beat of its burst and only there (A3.4.1)
//              31 R_RESP    EXOKAY only for exclusive reads (A3.4.4)
//              32 TABLE     more bursts in flight than MaxOutstanding: enlarge it
// Output      violation_o is sticky (Fatal = 0): set one cycle after the offence, cleared by reset.
//             wr_outstanding_o, rd_outstanding_o: bursts with address taken, answer incomplete.
// Reset       rst_ni synchronous, active low. Nothing is checked until a first reset was seen.
// Parameters  AddrWidth 12..64; DataWidth 8..1024, power of two; IdWidth 1..10; refused otherwise
//             Axi3           1: LEN 4 bits, LOCK 2, WID checked; 0: LEN 8, LOCK 1, tie WID to 0
//             MaxOutstanding power of two 2..256: bursts in flight a direction (reads: per ID)
//             AllowEarlyW    1: write data may run ahead of its address (legal AXI, unusual)
//             Fatal          1: $error names instance and rule and stops; 0: only violation_o tells
// Synthesis   Under SYNTHESIS the body is empty and the outputs are 0.
// Not here    QOS, REGION, USER, low power; AXI3 locked sequences and write interleaving.

module sl_axi_check #(
    parameter int unsigned AddrWidth      = 32,
    parameter int unsigned DataWidth      = 64,
    parameter int unsigned IdWidth        = 1,
    parameter bit          Axi3           = 1'b0,
    parameter int unsigned MaxOutstanding = 64,
    parameter bit          AllowEarlyW    = 1'b0,
    parameter bit          Fatal          = 1'b1,
    localparam int unsigned LenWidth      = Axi3 ? 4 : 8,
    localparam int unsigned LockWidth     = Axi3 ? 2 : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [IdWidth-1:0]     axi_awid,
    input  logic [AddrWidth-1:0]   axi_awaddr,
    input  logic [LenWidth-1:0]    axi_awlen,
    input  logic [2:0]             axi_awsize,
    input  logic [1:0]             axi_awburst,
    input  logic [LockWidth-1:0]   axi_awlock,
    input  logic [3:0]             axi_awcache,
    input  logic [2:0]             axi_awprot,
    input  logic                   axi_awvalid,
    input  logic                   axi_awready,
    input  logic [IdWidth-1:0]     axi_wid,
    input  logic [DataWidth-1:0]   axi_wdata,
    input  logic [DataWidth/8-1:0] axi_wstrb,
    input  logic                   axi_wlast,
    input  logic                   axi_wvalid,
    input  logic                   axi_wready,
    input  logic [IdWidth-1:0]     axi_bid,
    input  logic [1:0]             axi_bresp,
    input  logic                   axi_bvalid,
    input  logic                   axi_bready,
    input  logic [IdWidth-1:0]     axi_arid,
    input  logic [AddrWidth-1:0]   axi_araddr,
    input  logic [LenWidth-1:0]    axi_arlen,
    input  logic [2:0]             axi_arsize,
    input  logic [1:0]             axi_arburst,
    input  logic [LockWidth-1:0]   axi_arlock,
    input  logic [3:0]             axi_arcache,
    input  logic [2:0]             axi_arprot,
    input  logic                   axi_arvalid,
    input  logic                   axi_arready,
    input  logic [IdWidth-1:0]     axi_rid,
    input  logic [DataWidth-1:0]   axi_rdata,
    input  logic [1:0]             axi_rresp,
    input  logic                   axi_rlast,
    input  logic                   axi_rvalid,
    input  logic                   axi_rready,
    output logic [15:0]            wr_outstanding_o,
    output logic [15:0]            rd_outstanding_o,
    output logic [32:0]            violation_o
);

  if (AddrWidth < 12 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 12..64, is %0d", AddrWidth);
  end
  if (DataWidth < 8 || DataWidth > 1024 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 8..1024, is %0d", DataWidth);
  end
  if (IdWidth < 1 || IdWidth > 10) begin : gen_bad_id_width
    $fatal(1, "%m: IdWidth must be 1..10, is %0d", IdWidth);
  end
  if (MaxOutstanding < 2 || MaxOutstanding > 256 || 2 ** $clog2(MaxOutstanding) != MaxOutstanding)
  begin : gen_bad_max_outstanding
    $fatal(1, "%m: MaxOutstanding must be a power of two in 2..256, is %0d", MaxOutstanding);
  end

`ifndef SYNTHESIS

  localparam int unsigned StrbWidth = DataWidth / 8;
  localparam int unsigned BusSize   = $clog2(StrbWidth);
  localparam int unsigned NumIds    = 2 ** IdWidth;
  localparam int unsigned PtrWidth  = $clog2(MaxOutstanding);
  localparam int unsigned CntWidth  = PtrWidth + 2;  // differences of +-MaxOutstanding are exact

  localparam logic [1:0] BurstFixed = 2'b00;
  localparam logic [1:0] BurstIncr  = 2'b01;
  localparam logic [1:0] BurstWrap  = 2'b10;
  localparam logic [1:0] BurstNone  = 2'b11;
  localparam logic [1:0] RespExokay = 2'b01;

  typedef enum int unsigned {
    RULE_RESET,
    RULE_AW_DROP, RULE_W_DROP, RULE_B_DROP, RULE_AR_DROP, RULE_R_DROP,
    RULE_AW_HOLD, RULE_W_HOLD, RULE_B_HOLD, RULE_AR_HOLD, RULE_R_HOLD,
    RULE_AW_BURST, RULE_AW_LEN, RULE_AW_SIZE, RULE_AW_BOUND, RULE_AW_LOCK, RULE_AW_CACHE,
    RULE_AR_BURST, RULE_AR_LEN, RULE_AR_SIZE, RULE_AR_BOUND, RULE_AR_LOCK, RULE_AR_CACHE,
    RULE_W_EARLY, RULE_W_LAST, RULE_W_STRB, RULE_W_ID, RULE_B_EARLY, RULE_B_RESP,
    RULE_R_EARLY, RULE_R_LAST, RULE_R_RESP, RULE_TABLE, RULE_COUNT
  } rule_e;

  function automatic string rule_text(int unsigned rule);
    case (rule)
      RULE_RESET:    return "RESET: a VALID high in reset or on the first edge after it (A3.1.2)";
      RULE_AW_DROP:  return "AW_DROP: AWVALID fell before AWREADY (A3.2.1)";
      RULE_W_DROP:   return "W_DROP: WVALID fell before WREADY (A3.2.1)";
      RULE_B_DROP:   return "B_DROP: BVALID fell before BREADY (A3.2.1)";
      RULE_AR_DROP:  return "AR_DROP: ARVALID fell before ARREADY (A3.2.1)";
      RULE_R_DROP:   return "R_DROP: RVALID fell before RREADY (A3.2.1)";
      RULE_AW_HOLD:  return "AW_HOLD: AW payload changed while AWVALID waited (A3.2.1)";
      RULE_W_HOLD:   return "W_HOLD: W payload changed while WVALID waited (A3.2.1)";
      RULE_B_HOLD:   return "B_HOLD: B payload changed while BVALID waited (A3.2.1)";
      RULE_AR_HOLD:  return "AR_HOLD: AR payload changed while ARVALID waited (A3.2.1)";
      RULE_R_HOLD:   return "R_HOLD: R payload changed while RVALID waited (A3.2.1)";
      RULE_AW_BURST: return "AW_BURST: AWBURST is reserved (A3.4.1)";
      RULE_AW_LEN:   return "AW_LEN: AWLEN is illegal for the burst type (A3.4.1)";
      RULE_AW_SIZE:  return "AW_SIZE: AWSIZE is wider than the bus (A3.4.1)";
      RULE_AW_BOUND: return "AW_BOUND: burst crosses 4 KiB, or an unaligned WRAP (A3.4.1)";
      RULE_AW_LOCK:  return "AW_LOCK: reserved AWLOCK or illegal exclusive access (A7.2.4, A7.4)";
      RULE_AW_CACHE: return "AW_CACHE: AWCACHE is reserved (A4.4)";
      RULE_AR_BURST: return "AR_BURST: ARBURST is reserved (A3.4.1)";
      RULE_AR_LEN:   return "AR_LEN: ARLEN is illegal for the burst type (A3.4.1)";
      RULE_AR_SIZE:  return "AR_SIZE: ARSIZE is wider than the bus (A3.4.1)";
      RULE_AR_BOUND: return "AR_BOUND: burst crosses 4 KiB, or an unaligned WRAP (A3.4.1)";
      RULE_AR_LOCK:  return "AR_LOCK: reserved ARLOCK or illegal exclusive access (A7.2.4, A7.4)";
      RULE_AR_CACHE: return "AR_CACHE: ARCACHE is reserved (A4.4)";
      RULE_W_EARLY:  return "W_EARLY: W beat of a burst whose AW is not presented";
      RULE_W_LAST:   return "W_LAST: WLAST is not exactly on the last beat (A3.4.1)";
      RULE_W_STRB:   return "W_STRB: WSTRB outside the lanes of the beat (A3.4.3)";
      RULE_W_ID:     return "W_ID: WID is not the ID of its burst (A5.3)";
      RULE_B_EARLY:  return "B_EARLY: no write of this BID has AW and WLAST taken (A3.3.1)";
      RULE_B_RESP:   return "B_RESP: EXOKAY for a write that is not exclusive (A3.4.4)";
      RULE_R_EARLY:  return "R_EARLY: no read of this RID has its AR taken (A3.3.1)";
      RULE_R_LAST:   return "R_LAST: RLAST is not exactly on the last beat (A3.4.1)";
      RULE_R_RESP:   return "R_RESP: EXOKAY for a read that is not exclusive (A3.4.4)";
      RULE_TABLE:    return "TABLE: more bursts in flight than MaxOutstanding";
      default:       return "unknown rule";
    endcase
  endfunction

  function automatic int unsigned lowest(logic [RULE_COUNT-1:0] rules);
    for (int unsigned rule = 0; rule < RULE_COUNT; rule++) begin
      if (rules[rule]) return rule;
    end
    return RULE_COUNT;
  endfunction

  // What must be remembered of a write burst: the shape of its beats, and whose it is.
  typedef struct packed {
    logic [1:0]          burst;
    logic [2:0]          size;
    logic [LenWidth-1:0] len;
    logic [6:0]          lane;  // low address bits
  } shape_t;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic               excl;
  } owner_t;

  // Shape of an address: {CACHE, LOCK, BOUND, SIZE, LEN, BURST}, in the order of the rules.
  function automatic logic [5:0] shape_bad(logic [11:0] addr, logic [LenWidth-1:0] len,
                                           logic [2:0] size, logic [1:0] burst,
                                           logic [LockWidth-1:0] lock, logic [3:1] cache);
    logic [8:0]  beats;
    logic [15:0] bytes;
    logic [15:0] offset;
    logic        excl;
    logic [5:0]  result;
    beats     = 9'(len) + 9'd1;
    bytes     = 16'(beats) << size;
    offset    = 16'(addr);
    excl      = lock == LockWidth'(1);
    result[0] = burst == BurstNone;
    result[1] = (burst == BurstFixed && beats > 9'd16) ||
                (burst == BurstWrap && !(beats inside {9'd2, 9'd4, 9'd8, 9'd16}));
    result[2] = 32'(size) > BusSize;
    result[3] = (burst == BurstIncr && ((offset >> size) << size) + bytes > 16'd4096) ||
                (burst == BurstWrap && (offset & ((16'd1 << size) - 16'd1)) != '0);
    result[4] = (excl && ((bytes & (bytes - 16'd1)) != '0 || bytes > 16'd128 || beats > 9'd16 ||
                          (offset & (bytes - 16'd1)) != '0)) ||
                (Axi3 && lock == LockWidth'(3));
    result[5] = !cache[1] && cache[3:2] != 2'b00;
    return result;
  endfunction

  // Byte lanes that beat number `beat` of a burst may write.
  function automatic logic [StrbWidth-1:0] lanes(shape_t aw, logic [8:0] beat);
    logic [15:0] size_mask;
    logic [15:0] wrap_mask;
    logic [15:0] addr;
    logic [15:0] top;
    size_mask = (16'd1 << aw.size) - 16'd1;
    wrap_mask = ((16'(aw.len) + 16'd1) << aw.size) - 16'd1;
    addr      = 16'(aw.lane);
    if (beat != '0 && aw.burst != BurstFixed) begin
      addr = (addr & ~size_mask) + (16'(beat) << aw.size);
      if (aw.burst == BurstWrap) begin
        addr = (16'(aw.lane) & ~wrap_mask) | (addr & wrap_mask);
      end
    end
    addr = addr & 16'(StrbWidth - 1);
    top  = (addr | size_mask) & 16'(StrbWidth - 1);
    return ({StrbWidth{1'b1}} << addr) & ({StrbWidth{1'b1}} >> (16'(StrbWidth - 1) - top));
  endfunction

  // verilator lint_off PROCASSINIT
  logic armed_q = 1'b0;  // a reset was seen; must be known before it
  // verilator lint_on PROCASSINIT
  logic reset_q;  // the previous edge was in reset
  logic active;
  logic aw_wait_q, w_wait_q, b_wait_q, ar_wait_q, r_wait_q;  // VALID was left waiting

  assign active = rst_ni && armed_q;

  // ---- held payload ----
  localparam int unsigned AxWidth = IdWidth + AddrWidth + LenWidth + 3 + 2 + LockWidth + 4 + 3;
  logic [AxWidth-1:0]             aw_bits, ar_bits, aw_q, ar_q;
  logic [IdWidth+StrbWidth+1-1:0] w_bits, w_q;
  logic [DataWidth-1:0]           wdata_q, rdata_q;
  logic [IdWidth+2-1:0]           b_bits, b_q;
  logic [IdWidth+3-1:0]           r_bits, r_q;

  assign aw_bits = {axi_awid, axi_awaddr, axi_awlen, axi_awsize, axi_awburst, axi_awlock,
                    axi_awcache, axi_awprot};
  assign ar_bits = {axi_arid, axi_araddr, axi_arlen, axi_arsize, axi_arburst, axi_arlock,
                    axi_arcache, axi_arprot};
  assign w_bits  = {axi_wid, axi_wstrb, axi_wlast};
  assign b_bits  = {axi_bid, axi_bresp};
  assign r_bits  = {axi_rid, axi_rresp, axi_rlast};

  // ---- writes: bursts are numbered in AW order; W data carries no number, so it follows ----
  // aw_pres_q counts AWs presented, aw_taken_q AWs taken, w_done_q WLASTs taken, done_q bursts with
  // both. Tables are indexed by burst number modulo MaxOutstanding.
  logic [CntWidth-1:0] aw_pres_q, aw_taken_q, aw_taken_d, w_done_q, w_done_d, done_q;
  logic [CntWidth-1:0] w_lead;                         // signed: w_done_q - aw_pres_q
  shape_t             shape_q [MaxOutstanding];
  logic               plain_q [MaxOutstanding];        // every beat may write every lane
  owner_t             owner_q [MaxOutstanding];
  logic [8:0]         early_beats_q [MaxOutstanding];  // length of bursts ahead of their AW
  logic [IdWidth-1:0] early_id_q [MaxOutstanding];
  logic [8:0]         w_beat_q;                        // beat number within the current burst
  logic [IdWidth-1:0] w_id_q;                          // WID of that burst's first beat
  logic [15:0]        b_open_q [NumIds];               // writes that B may answer now
  logic [15:0]        b_excl_q [NumIds];               // exclusive ones among them
  shape_t             shape_live, shape_of_w;
  owner_t             owner_live, owner_of_done;
  logic               plain_live, plain_of_w;
  logic [IdWidth-1:0] id_of_w;
  logic               aw_new, aw_taken, w_taken, b_taken;
  logic               w_known;                         // the current W burst's AW was presented
  logic               w_ahead;                         // whole W bursts wait for their AW
  logic               done;

  assign shape_live = '{burst: axi_awburst, size: axi_awsize, len: axi_awlen,
                        lane: axi_awaddr[6:0]};
  assign plain_live = 32'(axi_awsize) == BusSize && axi_awburst != BurstFixed &&
                      (axi_awaddr[6:0] & 7'(StrbWidth - 1)) == '0;
  assign owner_live = '{id: axi_awid, excl: axi_awlock == LockWidth'(1)};

  assign aw_new   = axi_awvalid && !aw_wait_q;
  assign aw_taken = axi_awvalid && axi_awready;
  assign w_taken  = axi_wvalid && axi_wready;
  assign b_taken  = axi_bvalid && axi_bready;

  assign w_lead     = w_done_q - aw_pres_q;
  assign w_ahead    = w_lead != '0 && !w_lead[CntWidth-1];
  assign w_known    = w_lead[CntWidth-1] || (w_lead == '0 && aw_new);
  assign shape_of_w = w_lead == '0 ? shape_live : shape_q[w_done_q[PtrWidth-1:0]];
  assign plain_of_w = w_lead == '0 ? plain_live : plain_q[w_done_q[PtrWidth-1:0]];
  assign id_of_w    = w_lead == '0 ? axi_awid : owner_q[w_done_q[PtrWidth-1:0]].id;
  assign aw_taken_d = aw_taken_q + CntWidth'(aw_taken);
  assign w_done_d   = w_done_q + CntWidth'(w_taken && axi_wlast);
  assign done       = done_q != aw_taken_d && done_q != w_done_d;
  assign owner_of_done = done_q == aw_pres_q ? owner_live : owner_q[done_q[PtrWidth-1:0]];

  // ---- reads: a queue of burst lengths per ID ----
  logic [LenWidth:0]  rd_table_q [NumIds*MaxOutstanding];  // {exclusive, len}
  logic [PtrWidth:0]  rd_open_q [NumIds];
  logic [PtrWidth-1:0] rd_head_q [NumIds];
  logic [LenWidth-1:0] rd_beat_q [NumIds];
  logic [LenWidth:0]  rd_info;
  logic [PtrWidth-1:0] rd_tail;
  logic               ar_taken, r_taken, r_done;

  assign ar_taken = axi_arvalid && axi_arready;
  assign r_taken  = axi_rvalid && axi_rready;
  assign r_done   = r_taken && axi_rlast;
  assign rd_info  = rd_table_q[{axi_rid, rd_head_q[axi_rid]}];
  assign rd_tail  = rd_head_q[axi_arid] + rd_open_q[axi_arid][PtrWidth-1:0];

  // No channel is valid or waits, as on most buses in most cycles: no rule can break, and only what
  // `done` counts moves on.
  logic at_rest;
  assign at_rest = !(axi_awvalid || axi_wvalid || axi_bvalid || axi_arvalid || axi_rvalid ||
                     aw_wait_q || w_wait_q || b_wait_q || ar_wait_q || r_wait_q);

  // ---- the rules ----

  // A function called at the clock edge, not a net: it is worked out once a cycle, whatever the
  // inputs do in between. This is most of a checker's cost.
  function automatic logic [RULE_COUNT-1:0] broken_rules();
    logic [RULE_COUNT-1:0] bad;
    bad = '0;
    if (at_rest) return bad;
    if (armed_q && reset_q) begin
      bad[RULE_RESET] = axi_awvalid | axi_wvalid | axi_bvalid | axi_arvalid | axi_rvalid;
    end
    if (active) begin
      bad[RULE_AW_DROP] = aw_wait_q && !axi_awvalid;
      bad[RULE_W_DROP]  = w_wait_q && !axi_wvalid;
      bad[RULE_B_DROP]  = b_wait_q && !axi_bvalid;
      bad[RULE_AR_DROP] = ar_wait_q && !axi_arvalid;
      bad[RULE_R_DROP]  = r_wait_q && !axi_rvalid;
      if (axi_awvalid) begin
        bad[RULE_AW_HOLD] = aw_wait_q && aw_q != aw_bits;
        bad[RULE_AW_CACHE:RULE_AW_BURST] =
            shape_bad(axi_awaddr[11:0], axi_awlen, axi_awsize, axi_awburst, axi_awlock,
                      axi_awcache[3:1]);
        if (AllowEarlyW && aw_new && w_ahead) begin
          bad[RULE_W_LAST] = early_beats_q[aw_pres_q[PtrWidth-1:0]] != 9'(axi_awlen);
          bad[RULE_W_ID]   = Axi3 && early_id_q[aw_pres_q[PtrWidth-1:0]] != axi_awid;
        end
      end
      if (axi_wvalid) begin
        bad[RULE_W_HOLD]  = w_wait_q && (w_q != w_bits || wdata_q != axi_wdata);
        bad[RULE_W_EARLY] = !AllowEarlyW && !w_known;
        if (w_known) begin
          bad[RULE_W_LAST] = axi_wlast ? w_beat_q != 9'(shape_of_w.len)
                             : w_beat_q >= 9'(shape_of_w.len);
          if (!plain_of_w) begin
            bad[RULE_W_STRB] = (axi_wstrb & ~lanes(shape_of_w, w_beat_q)) != '0;
          end
        end
        if (Axi3 && ((w_known && axi_wid != id_of_w) || (w_beat_q != '0 && axi_wid != w_id_q)))
        begin
          bad[RULE_W_ID] = 1'b1;
        end
      end
      if (axi_bvalid) begin
        bad[RULE_B_HOLD]  = b_wait_q && b_q != b_bits;
        bad[RULE_B_EARLY] = b_open_q[axi_bid] == '0;
        bad[RULE_B_RESP]  = axi_bresp == RespExokay && b_excl_q[axi_bid] == '0;
      end
      if (axi_arvalid) begin
        bad[RULE_AR_HOLD] = ar_wait_q && ar_q != ar_bits;
        bad[RULE_AR_CACHE:RULE_AR_BURST] =
            shape_bad(axi_araddr[11:0], axi_arlen, axi_arsize, axi_arburst, axi_arlock,
                      axi_arcache[3:1]);
      end
      if (axi_rvalid) begin
        bad[RULE_R_HOLD]  = r_wait_q && (r_q != r_bits || rdata_q != axi_rdata);
        bad[RULE_R_EARLY] = rd_open_q[axi_rid] == '0;
        if (rd_open_q[axi_rid] != '0) begin
          bad[RULE_R_LAST] = axi_rlast != (rd_beat_q[axi_rid] >= rd_info[LenWidth-1:0]);
          bad[RULE_R_RESP] = axi_rresp == RespExokay && !rd_info[LenWidth];
        end
      end
      bad[RULE_TABLE] = (aw_new && aw_pres_q - done_q == CntWidth'(MaxOutstanding)) ||
                        (ar_taken && rd_open_q[axi_arid][PtrWidth]) ||
                        (AllowEarlyW && w_ahead && w_taken && axi_wlast &&
                         w_done_q - done_q == CntWidth'(MaxOutstanding));
    end
    return bad;
  endfunction

  always_ff @(posedge clk_i) begin
    // Evaluated once either way: an error stops the simulation, else violation_o remembers.
    if (!Fatal) begin
      violation_o <= (rst_ni ? violation_o : '0) | broken_rules();
    end else if (broken_rules() != '0) begin
      $error("%m: AXI rule %s", rule_text(lowest(broken_rules())));
    end
  end

  // ---- state ----
  always_ff @(posedge clk_i) begin
    reset_q   <= !rst_ni;
    if (!rst_ni || !at_rest || done) begin
      aw_wait_q <= rst_ni && axi_awvalid && !axi_awready;
      w_wait_q  <= rst_ni && axi_wvalid && !axi_wready;
      b_wait_q  <= rst_ni && axi_bvalid && !axi_bready;
      ar_wait_q <= rst_ni && axi_arvalid && !axi_arready;
      r_wait_q  <= rst_ni && axi_rvalid && !axi_rready;
      if (axi_awvalid) aw_q <= aw_bits;
      if (axi_arvalid) ar_q <= ar_bits;
      if (axi_bvalid) b_q <= b_bits;
      if (axi_wvalid) begin
        w_q     <= w_bits;
        wdata_q <= axi_wdata;
      end
      if (axi_rvalid) begin
        r_q     <= r_bits;
        rdata_q <= axi_rdata;
      end

      if (aw_new) begin
        aw_pres_q                        <= aw_pres_q + 1'b1;
        shape_q[aw_pres_q[PtrWidth-1:0]] <= shape_live;
        plain_q[aw_pres_q[PtrWidth-1:0]] <= plain_live;
        owner_q[aw_pres_q[PtrWidth-1:0]] <= owner_live;
      end
      aw_taken_q <= aw_taken_d;
      w_done_q   <= w_done_d;
      if (w_taken) begin
        w_beat_q <= axi_wlast ? '0 : w_beat_q + 9'd1;
        w_id_q   <= axi_wid;
        if (AllowEarlyW && axi_wlast) begin
          early_beats_q[w_done_q[PtrWidth-1:0]] <= w_beat_q;
          early_id_q[w_done_q[PtrWidth-1:0]]    <= axi_wid;
        end
      end
      if (done) begin
        done_q <= done_q + 1'b1;
      end
      if (done || b_taken) begin
        if (done && b_taken && owner_of_done.id == axi_bid) begin
          b_excl_q[axi_bid] <= b_excl_q[axi_bid] + 16'(owner_of_done.excl)
                               - 16'(axi_bresp == RespExokay);
        end else begin
          if (done) begin
            b_open_q[owner_of_done.id] <= b_open_q[owner_of_done.id] + 16'd1;
            b_excl_q[owner_of_done.id] <= b_excl_q[owner_of_done.id] + 16'(owner_of_done.excl);
          end
          if (b_taken) begin
            b_open_q[axi_bid] <= b_open_q[axi_bid] - 16'd1;
            b_excl_q[axi_bid] <= b_open_q[axi_bid] == 16'd1 ? '0
                                 : b_excl_q[axi_bid] - 16'(axi_bresp == RespExokay);
          end
        end
      end
      wr_outstanding_o <= wr_outstanding_o + 16'(aw_taken) - 16'(b_taken);

      if (ar_taken) begin
        rd_table_q[{axi_arid, rd_tail}] <= {axi_arlock == LockWidth'(1), axi_arlen};
      end
      if (r_taken) begin
        rd_beat_q[axi_rid] <= axi_rlast ? '0 : rd_beat_q[axi_rid] + 1'b1;
      end
      if (r_done) begin
        rd_head_q[axi_rid] <= rd_head_q[axi_rid] + 1'b1;
      end
      if (!(ar_taken && r_done && axi_arid == axi_rid)) begin
        if (ar_taken) rd_open_q[axi_arid] <= rd_open_q[axi_arid] + 1'b1;
        if (r_done) rd_open_q[axi_rid] <= rd_open_q[axi_rid] - 1'b1;
      end
      rd_outstanding_o <= rd_outstanding_o + 16'(ar_taken) - 16'(r_done);
    end

    if (!rst_ni) begin
      armed_q          <= 1'b1;
      aw_pres_q        <= '0;
      aw_taken_q       <= '0;
      w_done_q         <= '0;
      done_q           <= '0;
      w_beat_q         <= '0;
      wr_outstanding_o <= '0;
      rd_outstanding_o <= '0;
      for (int unsigned id = 0; id < NumIds; id++) begin
        b_open_q[id]  <= '0;
        b_excl_q[id]  <= '0;
        rd_open_q[id] <= '0;
        rd_head_q[id] <= '0;
        rd_beat_q[id] <= '0;
      end
    end
  end

`else

  assign wr_outstanding_o = '0;
  assign rd_outstanding_o = '0;
  assign violation_o      = '0;

  logic unused;
  assign unused = ^{clk_i, rst_ni, axi_awid, axi_awaddr, axi_awlen, axi_awsize, axi_awburst,
                    axi_awlock, axi_awcache, axi_awprot, axi_awvalid, axi_awready, axi_wid,
                    axi_wdata, axi_wstrb, axi_wlast, axi_wvalid, axi_wready, axi_bid, axi_bresp,
                    axi_bvalid, axi_bready, axi_arid, axi_araddr, axi_arlen, axi_arsize,
                    axi_arburst, axi_arlock, axi_arcache, axi_arprot, axi_arvalid, axi_arready,
                    axi_rid, axi_rdata, axi_rresp, axi_rlast, axi_rvalid, axi_rready,
                    AllowEarlyW, Fatal};

`endif

endmodule
