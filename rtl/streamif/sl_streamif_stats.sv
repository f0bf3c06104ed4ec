// SPDX-License-Identifier: Apache-2.0
//
// sl_streamif_stats: why the channels of sl_streamif stood still, and how long a burst waited.
//
// Stalls      stall_i[c][k] high for a cycle adds one to channel c's counter k; 32 bits, they wrap.
//             Every cycle counts.
// Wait        worst of channel c: the longest run of cycles with wait_i[c] high, 1023 at most.
// clear_i     a cycle's pulse a channel: its counters and worst wait start at 0 again; what its
//             stalls have counted in the last Channels cycles may be in either.
// Reading     req_i (no other until ack_o) asks for word word_i of channel chan_i: 0 to 3 the
//             counters, 4 the worst wait, others 0; data_o is valid with ack_o, a pulse, within
//             Channels + 1 cycles.
// Structure   totals are in RAM; one channel a cycle has its share of the last Channels cycles
//             added to them. Shares are counted in shift registers with feedback (LFSR), a LUT
//             each, whose states are turned into numbers where they are added.
// Reset       rst_ni synchronous, active low: all are 0 Channels cycles after it.
// Parameters  Channels 2..32, refused otherwise

module sl_streamif_stats #(
    parameter int unsigned  Channels  = 16,
    localparam int unsigned ChanBits  = $clog2(Channels),
    localparam int unsigned Causes    = 4,
    localparam int unsigned WaitWidth = 10
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  logic [Channels-1:0][Causes-1:0] stall_i,
    input  logic [Channels-1:0]             wait_i,
    input  logic [Channels-1:0]             clear_i,

    input  logic                            req_i,
    input  logic [ChanBits-1:0]             chan_i,
    input  logic [2:0]                      word_i,
    output logic                            ack_o,
    output logic [31:0]                     data_o
);

  if (Channels < 2 || Channels > 32) begin : gen_bad_channels
    $fatal(1, "%m: Channels must be 2..32, is %0d", Channels);
  end

  localparam int unsigned Bits = ChanBits + 1;  // 2..6: more states than a share needs

  typedef logic [Bits-1:0] share_t;

  // Feedback of the longest sequence of Bits bits; starts with 0.
  function automatic share_t next(input share_t share);
    return {share[Bits-2:0], ~(share[Bits-1] ^ share[Bits==5 ? 2 : Bits - 2])};
  endfunction

  function automatic logic [ChanBits-1:0] count_of(input share_t share);
    share_t state;
    state    = '0;
    count_of = '0;
    for (int unsigned n = 0; n < Channels; n++) begin
      if (share == state) count_of = ChanBits'(n);
      state = next(state);
    end
  endfunction

  // ---- shares, and worst waits ----
  logic [ChanBits-1:0]                slot_q;  // channel whose share is added in this cycle
  share_t [Channels-1:0][Causes-1:0]  share_q;
  logic [Channels-1:0]                clear_q;
  logic [Channels-1:0][WaitWidth-1:0] worst_q;

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    logic [WaitWidth-1:0] wait_q;
    logic                 here;
    assign here = slot_q == ChanBits'(c);

    for (genvar k = 0; k < Causes; k++) begin : gen_cause
      always_ff @(posedge clk_i) begin
        if (stall_i[c][k]) share_q[c][k] <= next(share_q[c][k]);
        if (!rst_ni || here) share_q[c][k] <= '0;
      end
    end

    always_ff @(posedge clk_i) begin
      clear_q[c] <= !rst_ni || clear_i[c] || (clear_q[c] && !here);
      if (!(&wait_q)) wait_q <= wait_q + 1'b1;
      if (!wait_i[c]) wait_q <= '0;
      if (wait_q > worst_q[c]) worst_q[c] <= wait_q;
      if (!rst_ni || clear_i[c]) worst_q[c] <= '0;
    end
  end

  // ---- totals ----
  (* ram_style = "distributed" *) logic [Causes-1:0][31:0] totals[2**ChanBits];
  logic [Causes-1:0][31:0] old, total;

  assign old = totals[slot_q];
  always_comb begin
    for (int unsigned k = 0; k < Causes; k++) begin
      total[k] = clear_q[slot_q] ? '0 :
                 old[k] + 32'(count_of(share_q[slot_q][k])) + 32'(stall_i[slot_q][k]);
    end
  end

  always_ff @(posedge clk_i) begin
    totals[slot_q] <= total;
    slot_q         <= slot_q == ChanBits'(Channels - 1) ? '0 : slot_q + 1'b1;
    if (!rst_ni) slot_q <= '0;
  end

  // ---- reading ----
  logic                busy_q;
  logic [ChanBits-1:0] chan_q;
  logic [2:0]          word_q;

  always_ff @(posedge clk_i) begin
    if (req_i) begin
      chan_q <= chan_i;
      word_q <= word_i;
    end
    ack_o  <= rst_ni && busy_q && slot_q == chan_q;
    busy_q <= rst_ni && (req_i || (busy_q && slot_q != chan_q));
    unique case (word_q)
      3'd0, 3'd1, 3'd2, 3'd3: data_o <= old[word_q[1:0]];
      3'd4:                   data_o <= 32'(worst_q[slot_q]);
      default:                data_o <= '0;
    endcase
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (!rst_ni || !req_i || !busy_q) else $error("%m: asked while busy");
  end
`endif

endmodule
