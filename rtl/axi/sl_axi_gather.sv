// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_gather: an AXI4 master of 32 bits, a processor's port, on a wider AXI4 bus to memory.
//
// Purpose     Bursts of a general-purpose port reach block RAM as bursts. The bus never waits for
//             the master: a write burst is presented when all of its data is here, which is what
//             sl_axi_join asks of a master.
// Handshake   AWREADY and WREADY come from registers, and from WLAST in the last beat's cycle; W is
//             taken only after its AW, and presented no sooner than it. AR passes combinationally,
//             R and B too; no VALID depends on a READY.
// Latency     writes: 1 cycle from WLAST taken to AW and the first W presented; reads: 0.
// Throughput  a beat a cycle each way, bursts back to back.
// Bursts      INCR, WRAP and FIXED, beats of 1, 2 or 4 bytes, which keep their size: each is moved
//             to the lanes of the bus that its address names. Of one with more than Beats beats AW
//             is presented when the buffer is full, while the master may still owe data.
// Ordering    The bus answers each way in the order of the addresses; so does this, with the
//             master's IDs, which it keeps: those of m_axi are 0. None between reads and writes.
// Reset       rst_ni synchronous, active low: forgets what is gathered and what is under way.
// Errors      Responses pass unchanged.
// Widths      s_axi AXI4 of 32 bits; m_axi AXI4 of 32..1024 bits, addresses of equal width; refused
//             otherwise.
// Parameters  Beats 16..256, power of two: longest write burst that is gathered whole. The buffer
//             has room for two of them. At most 8 bursts a direction are under way, more wait.
// Not here    QOS, REGION, USER. AxLOCK, AxCACHE and AxPROT pass.
// Follows     AMBA AXI (IHI 0022) A3.4 (lanes of narrow transfers).

`include "sl_axi.svh"

module sl_axi_gather #(
    parameter int unsigned Beats = 16
) (
    input logic    clk_i,
    input logic    rst_ni,
    sl_axi_if.slv  s_axi,
    sl_axi_if.mst  m_axi
);

  localparam int unsigned Depth     = 2 * Beats;
  localparam int unsigned InFlight  = 8;
  localparam int unsigned AwDepth   = 4;
  localparam int unsigned Words     = m_axi.DataWidth / 32;
  localparam int unsigned WordWidth = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned IdWidth   = s_axi.IdWidth;
  localparam int unsigned AddrWidth = s_axi.AddrWidth;

  if (s_axi.DataWidth != 32 || m_axi.DataWidth < 32 || s_axi.AddrWidth != m_axi.AddrWidth ||
      s_axi.Axi3 || m_axi.Axi3) begin : gen_bad_buses
    $fatal(1, "%m: need AXI4 buses of 32 bits, and 32 or more, addresses alike, have %0d and %0d",
           s_axi.DataWidth, m_axi.DataWidth);
  end
  if (Beats < 16 || Beats > 256 || 2 ** $clog2(Beats) != Beats) begin : gen_bad_beats
    $fatal(1, "%m: Beats must be a power of two in 16..256, is %0d", Beats);
  end

  typedef logic [WordWidth-1:0] word_t;

  // Where the next beat of a burst lies.
  typedef struct packed {
    logic [11:0] addr;
    logic [3:0]  len;   // of a WRAP burst
    logic [2:0]  size;
    logic [1:0]  burst;
  } place_t;

  function automatic place_t after(place_t p);
    after      = p;
    after.addr = sl_axi_pkg::next_beat(p.addr, p.size, p.burst, p.len);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Writes: addresses and beats, as they come
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [AddrWidth-1:0] addr;
    logic [7:0]           len;
    logic [2:0]           size;
    logic [1:0]           burst;
    logic                 lock;
    logic [3:0]           cache;
    logic [2:0]           prot;
  } address_t;

  typedef struct packed {
    word_t       word;
    logic [31:0] data;
    logic [3:0]  strb;
    logic        last;
  } beat_t;

  place_t   filling_q;  // of the burst whose beats come
  word_t    filling_word, r_word;  // which word of the bus's beat; of a bus of one word it is 0
  logic     filling_busy_q;
  address_t aw_in, aw_out;
  beat_t    w_in, w_out;
  logic     aw_take, w_take, w_end, aw_room, aw_there, aw_pass, w_room, w_there, w_pass, b_room;
  logic     unused_b_there, unused_r_there;
  place_t   r_place;
  logic [$clog2(AwDepth):0] unused_aw_count;
  logic [$clog2(Depth):0]   unused_w_count;

  assign s_axi.awready = aw_room && b_room && (!filling_busy_q || w_end);
  assign s_axi.wready  = filling_busy_q && w_room;
  assign aw_take       = s_axi.awvalid && s_axi.awready;
  assign w_take        = s_axi.wvalid && s_axi.wready;
  assign w_end         = w_take && s_axi.wlast;

  always_ff @(posedge clk_i) begin
    if (aw_take) begin
      filling_busy_q <= 1'b1;
      filling_q      <= '{
          addr: s_axi.awaddr[11:0],
          len: s_axi.awlen[3:0],
          size: s_axi.awsize,
          burst: s_axi.awburst
      };
    end else if (w_end) begin
      filling_busy_q <= 1'b0;
    end else if (w_take) begin
      filling_q <= after(filling_q);
    end
    if (!rst_ni) filling_busy_q <= 1'b0;
  end

  assign aw_in = '{
      addr: s_axi.awaddr,
      len: s_axi.awlen,
      size: s_axi.awsize,
      burst: s_axi.awburst,
      lock: s_axi.awlock,
      cache: s_axi.awcache,
      prot: s_axi.awprot
  };
  if (Words > 1) begin : gen_word
    assign filling_word = filling_q.addr[2+:WordWidth];
    assign r_word       = r_place.addr[2+:WordWidth];
  end else begin : gen_only_word
    assign filling_word = '0;
    assign r_word       = '0;
  end

  assign w_in = '{
      word: filling_word,
      data: s_axi.wdata,
      strb: s_axi.wstrb,
      last: s_axi.wlast
  };

  sl_fifo #(
      .Width($bits(address_t)),
      .Depth(AwDepth)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (aw_take),
      .in_ready_o (aw_room),
      .in_data_i  (aw_in),
      .out_valid_o(aw_there),
      .out_ready_i(aw_pass && m_axi.awready),
      .out_data_o (aw_out),
      .count_o    (unused_aw_count)
  );

  sl_fifo #(
      .Width($bits(beat_t)),
      .Depth(Depth)
  ) u_w (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (s_axi.wvalid && filling_busy_q),
      .in_ready_o (w_room),
      .in_data_i  (w_in),
      .out_valid_o(w_there),
      .out_ready_i(m_axi.wready && w_pass),
      .out_data_o (w_out),
      .count_o    (unused_w_count)
  );

  // ---------------------------------------------------------------------------------------------
  // Writes: on the bus, once gathered
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned CountWidth = $clog2(InFlight) + 1;

  logic [CountWidth-1:0] whole_q;  // bursts that are gathered, their AW not taken
  logic                  held_q;   // AW of the one that fills the buffer is presented
  logic                  early_q;  // and was taken, before the burst's end
  logic                  aw_begin;

  assign aw_pass  = whole_q != '0 || held_q;
  assign aw_begin = aw_there && aw_pass && m_axi.awready;

  always_ff @(posedge clk_i) begin
    // The end of a burst whose AW is taken now, or was, leaves nothing to present.
    if (w_end && !early_q && !(aw_begin && whole_q == '0)) begin
      whole_q <= whole_q + CountWidth'(!aw_begin);
    end else if (aw_begin && whole_q != '0) begin
      whole_q <= whole_q - 1'b1;
    end
    // Only of a burst that does not fit: the beats of another one may fill the buffer.
    held_q  <= (held_q || (aw_there && !w_room && whole_q == '0 && 9'(aw_out.len) >= 9'(Beats))) &&
               !aw_begin && !w_end;
    early_q <= (early_q || (aw_begin && whole_q == '0)) && !w_end;
    if (!rst_ni) begin
      whole_q <= '0;
      held_q  <= 1'b0;
      early_q <= 1'b0;
    end
  end

  // Beats follow their AW, the same cycle is early enough.
  logic                  shown_q;   // AW was presented in an earlier cycle
  logic [CountWidth-1:0] open_q;    // AWs presented, WLAST not taken
  logic                  show, w_gone;

  assign show   = m_axi.awvalid && !shown_q;
  assign w_pass = open_q != '0 || show;
  assign w_gone = m_axi.wvalid && m_axi.wready && m_axi.wlast;

  always_ff @(posedge clk_i) begin
    shown_q <= m_axi.awvalid && !m_axi.awready;
    open_q  <= open_q + CountWidth'(show) - CountWidth'(w_gone);
    if (!rst_ni) begin
      shown_q <= 1'b0;
      open_q  <= '0;
    end
  end

  assign m_axi.awid    = '0;
  assign m_axi.awaddr  = aw_out.addr;
  assign m_axi.awlen   = aw_out.len;
  assign m_axi.awsize  = aw_out.size;
  assign m_axi.awburst = aw_out.burst;
  assign m_axi.awlock  = aw_out.lock;
  assign m_axi.awcache = aw_out.cache;
  assign m_axi.awprot  = aw_out.prot;
  assign m_axi.awvalid = aw_there && aw_pass;
  assign m_axi.wdata   = {Words{w_out.data}};
  assign m_axi.wstrb   = (4 * Words)'(w_out.strb) << (4 * w_out.word);
  assign m_axi.wlast   = w_out.last;
  assign m_axi.wvalid  = w_there && w_pass;

  // ---- answers ----
  logic [IdWidth-1:0]         b_id;
  logic [$clog2(InFlight):0]  unused_b_count, unused_r_count;

  sl_fifo #(
      .Width(IdWidth),
      .Depth(InFlight)
  ) u_b (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (aw_take),
      .in_ready_o (b_room),
      .in_data_i  (s_axi.awid),
      .out_valid_o(unused_b_there),
      .out_ready_i(s_axi.bvalid && s_axi.bready),
      .out_data_o (b_id),
      .count_o    (unused_b_count)
  );

  assign s_axi.bid    = b_id;
  assign s_axi.bresp  = m_axi.bresp;
  assign s_axi.bvalid = m_axi.bvalid;
  assign m_axi.bready = s_axi.bready;

  // ---------------------------------------------------------------------------------------------
  // Reads
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [IdWidth-1:0] id;
    place_t             place;
  } read_t;

  read_t  r_in, r_out;
  place_t r_place_q;
  logic   r_room, r_first_q, r_take;

  assign r_in = '{
      id: s_axi.arid,
      place: '{
          addr: s_axi.araddr[11:0],
          len: s_axi.arlen[3:0],
          size: s_axi.arsize,
          burst: s_axi.arburst
      }
  };

  sl_fifo #(
      .Width($bits(read_t)),
      .Depth(InFlight)
  ) u_r (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (s_axi.arvalid && m_axi.arready),
      .in_ready_o (r_room),
      .in_data_i  (r_in),
      .out_valid_o(unused_r_there),
      .out_ready_i(r_take && s_axi.rlast),
      .out_data_o (r_out),
      .count_o    (unused_r_count)
  );

  assign r_take  = s_axi.rvalid && s_axi.rready;
  assign r_place = r_first_q ? r_out.place : r_place_q;

  always_ff @(posedge clk_i) begin
    if (r_take) begin
      r_first_q <= s_axi.rlast;
      r_place_q <= after(r_place);
    end
    if (!rst_ni) r_first_q <= 1'b1;
  end

  assign m_axi.arid    = '0;
  `SL_AXI_LINK_AX(m_axi., s_axi., ar)
  assign m_axi.arvalid = s_axi.arvalid && r_room;
  assign s_axi.arready = m_axi.arready && r_room;
  assign s_axi.rid     = r_out.id;
  assign s_axi.rdata   = m_axi.rdata[32*r_word+:32];
  assign s_axi.rresp   = m_axi.rresp;
  assign s_axi.rlast   = m_axi.rlast;
  assign s_axi.rvalid  = m_axi.rvalid;
  assign m_axi.rready  = s_axi.rready;

  logic unused;
  assign unused = ^{m_axi.bid, m_axi.rid, unused_aw_count, unused_w_count, unused_b_count,
                    unused_r_count, unused_b_there, unused_r_there};

endmodule
