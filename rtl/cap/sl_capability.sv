// SPDX-License-Identifier: Apache-2.0
//
// sl_capability: describes an engine to software, counts what it moved, lost and waited for, and
// keeps time, bytes and drops of each channel's last periods.
//
// Inputs      per channel, one cycle each: a beat moved; the movers' stall causes; a beat dropped;
//             a descriptor or command finished, with its bytes. They stall nothing.
// Counters    CountWidth bits, wrap, zeroed by reset only. An event counts in what is read 2 cycles
//             later or more.
// Periods     PERIOD finished descriptors. A snapshot has TIME in the cycle of the last one's
//             done_i, BYTES with that one, and DROPS with that cycle's. The last Snapshots of them
//             stay readable: write SELECT, read SNAP_*, then SNAP_STATE.
// 64 bits     a LO register's read fetches the whole value, and keeps its high half for HI.
// Handshake   AXI4-Lite of the generated registers, a transaction at a time. A channel's register
//             answers within 8 cycles; reads in the first 16 * 2^clog2(NumChannels) + 1 cycles
//             after reset wait for their end.
// Faults      fault_i: a bit that was 1 once reads 1 in FAULTS until reset.
// Structure   beats, stalls and descriptors are counted in few bits each, which one adder moves on
//             to a RAM in turn, and when they are read; what a snapshot has is counted in full.
// Reset       rst_ni synchronous, active low.
// Parameters  NumChannels 1..8, LenWidth 8..32, CountWidth 8..64, Snapshots 2..64 a power of two,
//             refused otherwise; ClockHz and those under "reported" have no other effect.
// Follows     regs/sl_capability.rdl; docs/reference/sl_capability.md.

`include "sl_axi.svh"

module sl_capability #(
    parameter int unsigned NumChannels = 2,
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned CountWidth  = 64,
    parameter int unsigned Snapshots   = 16,
    // Reported
    parameter int unsigned ClockHz     = 0,
    parameter int unsigned DataWidth   = 64,
    parameter int unsigned AddrWidth   = 32,
    parameter int unsigned BufferBeats = 512,
    parameter bit          HasSg       = 1'b0,
    parameter bit          HasCyclic   = 1'b0,
    parameter bit          Unaligned   = 1'b0,
    parameter bit          CutThrough  = 1'b0
) (
    input  logic clk_i,
    input  logic rst_ni,

    input  logic [11:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [ 1:0] s_axil_bresp,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    input  logic [11:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    input  logic [7:0]                           fault_i,
    input  logic [NumChannels-1:0]               beat_i,
    input  logic [NumChannels-1:0][3:0]          stall_i,  // {response, data, space, address}
    input  logic [NumChannels-1:0]               drop_i,
    input  logic [NumChannels-1:0]               done_i,
    input  logic [NumChannels-1:0][LenWidth-1:0] done_bytes_i
);

  if (NumChannels < 1 || NumChannels > 8) begin : gen_bad_channels
    $fatal(1, "%m: NumChannels must be 1..8, is %0d", NumChannels);
  end
  if (LenWidth < 8 || LenWidth > 32) begin : gen_bad_len
    $fatal(1, "%m: LenWidth must be 8..32, is %0d", LenWidth);
  end
  if (CountWidth < 8 || CountWidth > 64) begin : gen_bad_count
    $fatal(1, "%m: CountWidth must be 8..64, is %0d", CountWidth);
  end
  if (Snapshots < 2 || Snapshots > 64 || (Snapshots & (Snapshots - 1)) != 0) begin : gen_bad_snap
    $fatal(1, "%m: Snapshots must be a power of two in 2..64, is %0d", Snapshots);
  end

  localparam int unsigned SlotBits = 3 + $clog2(NumChannels);  // events a channel: 8
  localparam int unsigned PendBits = SlotBits + 3;
  localparam int unsigned SnapBits = $clog2(Snapshots);

  typedef struct packed {
    logic [63:0]           ticks;
    logic [CountWidth-1:0] bytes;
    logic [CountWidth-1:0] drops;
  } snap_t;

  // ------------------------------------------------------------------------------------- registers
  sl_capability_regs_pkg::sl_capability__in_t  hwif_in;
  sl_capability_regs_pkg::sl_capability__out_t hwif_out;
  logic [63:0] time_q, time_done_q;
  logic [7:0]  fault_q;
  logic        rd_ack_q, wr_ack_q;
  logic [31:0] rd_data_q;

  always_ff @(posedge clk_i) begin
    time_q      <= time_q + 1'b1;
    time_done_q <= time_q;
    fault_q     <= fault_q | fault_i;
    if (!rst_ni) begin
      time_q  <= '0;
      fault_q <= '0;
    end
  end

  assign hwif_in.WIDTHS.DATA_BYTES.next    = 8'(DataWidth / 8);
  assign hwif_in.WIDTHS.LEN_BITS.next      = 6'(LenWidth);
  assign hwif_in.WIDTHS.ADDR_BITS.next     = 7'(AddrWidth);
  assign hwif_in.WIDTHS.COUNT_BITS.next    = 7'(CountWidth);
  assign hwif_in.FEATURES.SG.next          = HasSg;
  assign hwif_in.FEATURES.CYCLIC.next      = HasCyclic;
  assign hwif_in.FEATURES.UNALIGNED.next   = Unaligned;
  assign hwif_in.FEATURES.CUT_THROUGH.next = CutThrough;
  assign hwif_in.FEATURES.CHANNELS.next    = 4'(NumChannels);
  assign hwif_in.FEATURES.SNAPSHOTS.next   = 8'(Snapshots);
  assign hwif_in.DEPTH.BUFFER_BEATS.next   = 17'(BufferBeats);
  assign hwif_in.CLOCK.HZ.next             = ClockHz;
  assign hwif_in.TIME_LO.VALUE.next        = time_q[31:0];
  assign hwif_in.TIME_HI.VALUE.next        = time_q[63:32];
  assign hwif_in.FAULTS.VALUE.next         = fault_q;

  sl_capability_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_, 12),
      .hwif_in,
      .hwif_out
  );

  // One access at a time: the channels share address, data and answer.
  logic [7:0]  chan_req;
  logic [2:0]  chan, chan_q;
  logic [31:0] chan_data, chan_mask;
  logic [4:0]  chan_word;
  logic        chan_write;
  logic        unused_hwif;

  assign chan_data  = hwif_out.CHANNEL0.wr_data;
  assign chan_mask  = hwif_out.CHANNEL0.wr_biten;
  assign chan_word  = hwif_out.CHANNEL0.addr[6:2];
  assign chan_write = hwif_out.CHANNEL0.req_is_wr;
  assign unused_hwif = ^{hwif_out.CHANNEL0.addr[1:0],
      hwif_out.CHANNEL1.addr, hwif_out.CHANNEL1.req_is_wr, hwif_out.CHANNEL1.wr_data,
      hwif_out.CHANNEL1.wr_biten,
      hwif_out.CHANNEL2.addr, hwif_out.CHANNEL2.req_is_wr, hwif_out.CHANNEL2.wr_data,
      hwif_out.CHANNEL2.wr_biten,
      hwif_out.CHANNEL3.addr, hwif_out.CHANNEL3.req_is_wr, hwif_out.CHANNEL3.wr_data,
      hwif_out.CHANNEL3.wr_biten,
      hwif_out.CHANNEL4.addr, hwif_out.CHANNEL4.req_is_wr, hwif_out.CHANNEL4.wr_data,
      hwif_out.CHANNEL4.wr_biten,
      hwif_out.CHANNEL5.addr, hwif_out.CHANNEL5.req_is_wr, hwif_out.CHANNEL5.wr_data,
      hwif_out.CHANNEL5.wr_biten,
      hwif_out.CHANNEL6.addr, hwif_out.CHANNEL6.req_is_wr, hwif_out.CHANNEL6.wr_data,
      hwif_out.CHANNEL6.wr_biten,
      hwif_out.CHANNEL7.addr, hwif_out.CHANNEL7.req_is_wr, hwif_out.CHANNEL7.wr_data,
      hwif_out.CHANNEL7.wr_biten};

  assign chan_req[0]              = hwif_out.CHANNEL0.req;
  assign hwif_in.CHANNEL0.rd_ack  = rd_ack_q && chan_q == 3'd0;
  assign hwif_in.CHANNEL0.rd_data = rd_data_q;
  assign hwif_in.CHANNEL0.wr_ack  = wr_ack_q && chan_q == 3'd0;
  assign chan_req[1]              = hwif_out.CHANNEL1.req;
  assign hwif_in.CHANNEL1.rd_ack  = rd_ack_q && chan_q == 3'd1;
  assign hwif_in.CHANNEL1.rd_data = rd_data_q;
  assign hwif_in.CHANNEL1.wr_ack  = wr_ack_q && chan_q == 3'd1;
  assign chan_req[2]              = hwif_out.CHANNEL2.req;
  assign hwif_in.CHANNEL2.rd_ack  = rd_ack_q && chan_q == 3'd2;
  assign hwif_in.CHANNEL2.rd_data = rd_data_q;
  assign hwif_in.CHANNEL2.wr_ack  = wr_ack_q && chan_q == 3'd2;
  assign chan_req[3]              = hwif_out.CHANNEL3.req;
  assign hwif_in.CHANNEL3.rd_ack  = rd_ack_q && chan_q == 3'd3;
  assign hwif_in.CHANNEL3.rd_data = rd_data_q;
  assign hwif_in.CHANNEL3.wr_ack  = wr_ack_q && chan_q == 3'd3;
  assign chan_req[4]              = hwif_out.CHANNEL4.req;
  assign hwif_in.CHANNEL4.rd_ack  = rd_ack_q && chan_q == 3'd4;
  assign hwif_in.CHANNEL4.rd_data = rd_data_q;
  assign hwif_in.CHANNEL4.wr_ack  = wr_ack_q && chan_q == 3'd4;
  assign chan_req[5]              = hwif_out.CHANNEL5.req;
  assign hwif_in.CHANNEL5.rd_ack  = rd_ack_q && chan_q == 3'd5;
  assign hwif_in.CHANNEL5.rd_data = rd_data_q;
  assign hwif_in.CHANNEL5.wr_ack  = wr_ack_q && chan_q == 3'd5;
  assign chan_req[6]              = hwif_out.CHANNEL6.req;
  assign hwif_in.CHANNEL6.rd_ack  = rd_ack_q && chan_q == 3'd6;
  assign hwif_in.CHANNEL6.rd_data = rd_data_q;
  assign hwif_in.CHANNEL6.wr_ack  = wr_ack_q && chan_q == 3'd6;
  assign chan_req[7]              = hwif_out.CHANNEL7.req;
  assign hwif_in.CHANNEL7.rd_ack  = rd_ack_q && chan_q == 3'd7;
  assign hwif_in.CHANNEL7.rd_data = rd_data_q;
  assign hwif_in.CHANNEL7.wr_ack  = wr_ack_q && chan_q == 3'd7;

  assign chan = {|chan_req[7:4], |(chan_req & 8'hcc), |(chan_req & 8'haa)};

  logic [4:0] word_q;
  logic       read_q;   // a read waits for its turn
  logic       fetch_q;  // its value is there in this cycle
  logic       phase_q, init_q, take;

  assign take = read_q && !phase_q && !init_q;

  always_ff @(posedge clk_i) begin
    if (|chan_req) begin
      chan_q <= chan;
      word_q <= chan_word;
    end
    read_q   <= (|chan_req && !chan_write) || (read_q && !take);
    wr_ack_q <= |chan_req && chan_write;
    fetch_q  <= take;
    rd_ack_q <= fetch_q;
    if (!rst_ni) begin
      read_q   <= 1'b0;
      wr_ack_q <= 1'b0;
      fetch_q  <= 1'b0;
      rd_ack_q <= 1'b0;
    end
  end

  // -------------------------------------------------------------------- beats, stalls, descriptors
  // A slot's turn takes two cycles: in the first its few bits are read and zeroed, and its RAM word
  // read; in the second the sum is written back. A turn that a read takes is one more in a round of
  // turns; between reads there are at least two cycles: PendBits hold the events of two rounds.
  logic [2**SlotBits-1:0]               event_in;
  logic [2**SlotBits-1:0][PendBits-1:0] pend_q;
  logic [SlotBits-1:0]                  scan_q, slot, slot_q;
  logic [CountWidth-1:0]                bank [2**SlotBits];
  logic [CountWidth-1:0]                base_q, sum;
  logic [PendBits-1:0]                  more_q;

  always_comb begin
    event_in = '0;
    for (int unsigned c = 0; c < NumChannels; c++) begin
      event_in[8*c]      = beat_i[c];
      event_in[8*c+1+:4] = stall_i[c];
      event_in[8*c+5]    = done_i[c];
    end
  end

  assign slot = take ? SlotBits'({chan_q, word_q[3:1]}) : scan_q;
  assign sum  = base_q + CountWidth'(more_q);

  always_ff @(posedge clk_i) begin
    phase_q <= !phase_q;
    if (!phase_q) begin
      slot_q <= slot;
      base_q <= init_q ? '0 : bank[slot];
      more_q <= pend_q[slot];
      if (!take) scan_q <= scan_q + 1'b1;
      if (&scan_q) init_q <= 1'b0;
    end else begin
      bank[slot_q] <= sum;
    end
    for (int unsigned s = 0; s < 2 ** SlotBits; s++) begin
      pend_q[s] <= (!phase_q && slot == SlotBits'(s) ? '0 : pend_q[s]) + PendBits'(event_in[s]);
    end
    if (!rst_ni) begin
      phase_q <= 1'b0;
      scan_q  <= '0;
      init_q  <= 1'b1;
      pend_q  <= '0;
    end
  end

  // ----------------------------------------------------------------------------- bytes and periods
  logic [NumChannels-1:0][63:0] value_q;  // of the pair that is asked for, if of this channel
  logic [63:0]                  time_end_q;

  always_ff @(posedge clk_i) time_end_q <= time_done_q;

  for (genvar c = 0; c < NumChannels; c++) begin : gen_channel
    logic                  done_q, drop_q, end_q;
    logic [LenWidth-1:0]   len_q;
    logic [CountWidth-1:0] bytes_q, drops_q;
    logic [15:0]           period_q, count_q;
    logic [31:0]           periods_q, select_q, age;
    logic                  ends, write;
    snap_t                 ring [Snapshots];
    snap_t                 snap;

    assign ends  = done_q && {1'b0, count_q} + 1'b1 >= {1'b0, period_q};
    assign write = chan_req[c] && chan_write;

    always_ff @(posedge clk_i) begin
      done_q <= done_i[c];
      drop_q <= drop_i[c];
      len_q  <= done_bytes_i[c];
      end_q  <= ends;
      if (done_q) bytes_q <= bytes_q + CountWidth'(len_q);
      if (done_q) count_q <= ends ? '0 : count_q + 1'b1;
      drops_q   <= drops_q + CountWidth'(drop_q);
      periods_q <= periods_q + 32'(end_q);
      if (write && chan_word == 5'd0) begin
        period_q <= (period_q & ~chan_mask[15:0]) | (chan_data[15:0] & chan_mask[15:0]);
      end
      if (write && chan_word == 5'd2) begin
        select_q <= (select_q & ~chan_mask) | (chan_data & chan_mask);
      end
      if (!rst_ni) begin
        done_q    <= 1'b0;
        drop_q    <= 1'b0;
        end_q     <= 1'b0;
        bytes_q   <= '0;
        count_q   <= '0;
        drops_q   <= '0;
        periods_q <= '0;
        period_q  <= 16'd1;
        select_q  <= '0;
      end
    end

    always_ff @(posedge clk_i) begin
      if (end_q) begin
        ring[periods_q[SnapBits-1:0]] <= '{
            ticks: time_end_q,
            bytes: bytes_q,
            drops: drops_q
        };
      end
    end

    assign snap = ring[select_q[SnapBits-1:0]];
    assign age  = periods_q - select_q - 1'b1;

    always_ff @(posedge clk_i) begin
      unique case (word_q[3:1])
        3'd0: value_q[c] <= {periods_q, 16'd0, period_q};
        3'd1: value_q[c] <= {31'd0, age < 32'(Snapshots), select_q};
        3'd2: value_q[c] <= 64'(snap.bytes);
        3'd3: value_q[c] <= snap.ticks;
        3'd4: value_q[c] <= 64'(snap.drops);
        3'd5: value_q[c] <= 64'(bytes_q);
        3'd6: value_q[c] <= 64'(drops_q);
        default: value_q[c] <= '0;
      endcase
      if (word_q[4] || chan_q != 3'(c)) value_q[c] <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------- answer
  logic [63:0] found;
  logic [31:0] high_q;

  always_comb begin
    found = word_q[4] && {1'b0, chan_q} < 4'(NumChannels) ? 64'(sum) : '0;
    for (int unsigned c = 0; c < NumChannels; c++) found |= value_q[c];
  end

  always_ff @(posedge clk_i) begin
    if (fetch_q) begin
      // From pair 2 on they are 64-bit values.
      if (word_q[4:2] == '0) rd_data_q <= word_q[0] ? found[63:32] : found[31:0];
      else rd_data_q <= word_q[0] ? high_q : found[31:0];
      if (!word_q[0]) high_q <= found[63:32];
    end
  end

endmodule
