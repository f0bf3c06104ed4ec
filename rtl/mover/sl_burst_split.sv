// SPDX-License-Identifier: Apache-2.0
//
// sl_burst_split: cuts a command (address, bytes) into AXI bursts that end at aligned boundaries.
//
// A burst ends where the command ends or at the next multiple of BurstBytes = min(MaxBurst *
// DataWidth / 8, 4096), so none crosses 4 KiB. The first burst starts at the command's own address,
// which may lie inside a beat; all others start at a multiple of BurstBytes.
//
// Handshake   valid/ready on both sides. burst_* come from registers and stay until taken.
//             cmd_ready_o is high when idle and in the cycle in which the last burst is taken,
//             hence depends on burst_ready_i and drop_i.
// Latency     1 cycle from command to first burst.
// Throughput  one burst a cycle, without a gap between commands.
// drop_i      with a burst taken: the command ends with this burst, whatever was left of it.
// clear_i     forgets the command. Reset: rst_ni does the same; the payload registers are not
//             reset.
// Errors      none of its own: cmd_bytes_i = 0 is not allowed (the movers answer such commands
//             themselves).
//
// AddrWidth   32 to 64; addresses wrap there without notice
// DataWidth   32 to 512, a power of two: bits of a beat
// LenWidth    8 to 32: bits of the byte count
// MaxBurst    2 to 256, a power of two: beats
// UseLast     1; 0 leaves out the length and the end (burst_len_o = 0, burst_last_o = 0), for a
//             user that ends commands by drop_i alone
// LateDrop    0; 1: for a drop_i that arrives late in the cycle: it chooses behind the adder of
//             the address instead of before it, for a LUT more a bit. Addresses of more than 48
//             bits always do: their adder takes the time that the choice would.

module sl_burst_split #(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned DataWidth = 64,
    parameter int unsigned LenWidth  = 26,
    parameter int unsigned MaxBurst  = 16,
    parameter bit          UseLast   = 1'b1,
    parameter bit          LateDrop  = 1'b0
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 clear_i,

    input  logic                 cmd_valid_i,
    output logic                 cmd_ready_o,
    input  logic [AddrWidth-1:0] cmd_addr_i,
    input  logic [LenWidth-1:0]  cmd_bytes_i,

    output logic                 burst_valid_o,
    input  logic                 burst_ready_i,
    output logic [AddrWidth-1:0] burst_addr_o,
    output logic [7:0]           burst_len_o,
    output logic                 burst_last_o,
    input  logic                 drop_i
);

  if (AddrWidth < 32 || AddrWidth > 64) begin : gen_bad_addr
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (DataWidth < 32 || DataWidth > 512 || (DataWidth & (DataWidth - 1)) != 0) begin : gen_bad_data
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end
  if (LenWidth < 8 || LenWidth > 32) begin : gen_bad_len
    $fatal(1, "%m: LenWidth must be 8..32, is %0d", LenWidth);
  end
  if (MaxBurst < 2 || MaxBurst > 256 || (MaxBurst & (MaxBurst - 1)) != 0) begin : gen_bad_burst
    $fatal(1, "%m: MaxBurst must be a power of two in 2..256, is %0d", MaxBurst);
  end

  localparam int unsigned BeatBytes  = DataWidth / 8;
  localparam int unsigned BurstBytes = MaxBurst * BeatBytes < 4096 ? MaxBurst * BeatBytes : 4096;
  localparam int unsigned LaneBits   = $clog2(BeatBytes);
  localparam int unsigned OffBits    = $clog2(BurstBytes);
  localparam int unsigned IdxBits    = OffBits - LaneBits;
  localparam int unsigned PageBits   = AddrWidth - OffBits;
  // Position of the command's last byte, counted from the boundary at or below its first.
  localparam int unsigned EndWidth   = (LenWidth > OffBits ? LenWidth : OffBits) + 1;
  localparam int unsigned CntBits    = EndWidth - OffBits;
  localparam int unsigned LowBits    = LenWidth < OffBits ? LenWidth : OffBits;
  localparam bit          AddFirst   = LateDrop || AddrWidth > 48;

  logic                busy_q;
  logic [PageBits-1:0] page_q;
  logic [OffBits-1:0]  off_q;
  logic                load, take, step, last;

  assign step          = burst_valid_o && burst_ready_i;
  assign load          = cmd_valid_i && cmd_ready_o;
  assign cmd_ready_o   = !busy_q || (step && (last || drop_i));
  // Once the command is done its registers are free, also for what is not valid: the choice need
  // not wait for cmd_valid_i.
  assign take          = cmd_ready_o;
  assign burst_valid_o = busy_q;
  assign burst_addr_o  = {page_q, off_q};
  assign burst_last_o  = last;

  always_ff @(posedge clk_i) begin
    if (take) begin
      off_q <= cmd_addr_i[OffBits-1:0];
    end else if (step) begin
      off_q <= '0;
    end
    if (take || step) begin
      if (AddFirst) page_q <= take ? cmd_addr_i[AddrWidth-1:OffBits] : page_q + 1'b1;
      else page_q <= (take ? cmd_addr_i[AddrWidth-1:OffBits] : page_q) + PageBits'(!take);
    end
    if (cmd_ready_o) busy_q <= cmd_valid_i;
    if (!rst_ni || clear_i) busy_q <= 1'b0;
  end

  if (UseLast) begin : gen_last
    // Bursts after the current one, inverted, but for the command's first: that has the windows
    // after its own by the byte count alone, and inc_q what the address makes of it.
    logic [CntBits-1:0]  left_n_q;
    logic [1:0]          inc_q;
    logic                last_q;  // none
    logic [IdxBits-1:0]  cmd_end, end_q, len_q;
    logic                one_burst, one_left, over, none;
    logic [CntBits-1:0]  high_bytes;
    logic [OffBits:0]    low_last;
    logic [OffBits-1:0]  lane_last;
    assign high_bytes = CntBits'(cmd_bytes_i >> OffBits);

    // The command's last byte lies in window high_bytes + over - none, counted from that of its
    // first.
    assign low_last  = (OffBits + 1)'(cmd_addr_i[OffBits-1:0]) +
                       (OffBits + 1)'(cmd_bytes_i[LowBits-1:0]) - 1'b1;
    assign none      = cmd_addr_i[OffBits-1:0] == '0 && cmd_bytes_i[LowBits-1:0] == '0;
    assign over      = low_last[OffBits] && !none;
    assign one_burst = high_bytes == '0 ? !over : high_bytes == 1 && none;
    assign cmd_end   = low_last[OffBits-1:LaneBits];
    assign one_left  = left_n_q == ~CntBits'(inc_q);

    // Counted from the beat of its first byte: a lone burst's length comes from it, off the path
    // through low_last.
    assign lane_last = OffBits'(cmd_addr_i[LaneBits-1:0]) +
                       OffBits'(cmd_bytes_i[LowBits-1:0]) - 1'b1;

    logic unused;
    assign unused    = &{1'b0, low_last, lane_last};

    always_ff @(posedge clk_i) begin
      if (take || step) begin
        if (AddFirst) left_n_q <= take ? ~high_bytes : left_n_q + CntBits'(inc_q);
        else left_n_q <= (take ? ~high_bytes : left_n_q) + (take ? '0 : CntBits'(inc_q));
        inc_q <= !take ? 2'd1 : over ? 2'd0 : none ? 2'd2 : 2'd1;
      end
      if (take) begin
        last_q <= one_burst;
        end_q  <= cmd_end;
        len_q  <= one_burst ? lane_last[OffBits-1:LaneBits] : ~cmd_addr_i[OffBits-1:LaneBits];
      end else if (step) begin
        last_q <= one_left;
        len_q  <= one_left ? end_q : '1;
      end
    end

    assign last        = last_q;
    assign burst_len_o = 8'(len_q);
  end else begin : gen_no_last
    logic unused;
    assign unused      = &{1'b0, cmd_bytes_i};
    assign last        = 1'b0;
    assign burst_len_o = '0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!load || cmd_bytes_i != '0) else $error("%m: command of no bytes");
      if (UseLast && burst_valid_o) begin
        assert (int'(burst_addr_o[11:LaneBits]) + int'(burst_len_o) < 4096 / BeatBytes)
        else $error("%m: burst %h, length %0d crosses 4 KiB", burst_addr_o, burst_len_o);
      end
    end
  end
`endif

endmodule
