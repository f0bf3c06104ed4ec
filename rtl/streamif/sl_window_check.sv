// SPDX-License-Identifier: Apache-2.0
//
// sl_window_check: says whether a hardware thread may access the memory that a command names.
//
// Windows     each thread has Windows of them: base, limit (the last byte), read, write; none after
//             reset. They are of whole beats of 8 bytes, which is what memory is read in: the lower
//             three bits of a base count as 0, of a limit as 1.
// Rule        a command passes if one window of its thread that grants its direction holds all its
//             bytes. One that goes beyond the last address never does; one that lies in two
//             windows does not either.
// Handshake   cmd_valid_i with cmd_ready_o takes a command; ok_o belongs to done_o, a pulse,
//             Windows + 2 cycles later; between them cmd_ready_o is low. set_valid_i with
//             set_ready_o changes one window; set_ready_o is low during a check, so every answer is
//             by the windows of one moment. A set goes before a command in the same cycle.
// Throughput  a command every Windows + 2 cycles, whosever and whatever it is: it may be shared
//             among the threads of any number of ports.
// Reset       rst_ni synchronous, active low: every window is revoked; a check is forgotten.
// Parameters  NumThreads 1..16, Windows 1..8, AddrWidth 32..62, LenWidth 8..31, refused otherwise
// Requires    cmd_bytes_i is not 0; cmd_thread_i and set_thread_i are below NumThreads (asserted).
// Proved      proofs/prove_sl_window_check.sv: ok_o is what the rule says, of any windows.

module sl_window_check #(
    parameter int unsigned  NumThreads = 8,
    parameter int unsigned  Windows    = 4,
    parameter int unsigned  AddrWidth  = 32,
    parameter int unsigned  LenWidth   = 26,
    localparam int unsigned ThreadBits = NumThreads > 1 ? $clog2(NumThreads) : 1,
    localparam int unsigned WindowBits = Windows > 1 ? $clog2(Windows) : 1
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic                  set_valid_i,
    output logic                  set_ready_o,
    input  logic [ThreadBits-1:0] set_thread_i,
    input  logic [WindowBits-1:0] set_window_i,
    input  logic [AddrWidth-1:0]  set_base_i,
    input  logic [AddrWidth-1:0]  set_limit_i,
    input  logic                  set_read_i,
    input  logic                  set_write_i,

    input  logic                  cmd_valid_i,
    output logic                  cmd_ready_o,
    input  logic [ThreadBits-1:0] cmd_thread_i,
    input  logic                  cmd_write_i,
    input  logic [AddrWidth-1:0]  cmd_addr_i,
    input  logic [LenWidth-1:0]   cmd_bytes_i,

    output logic                  done_o,
    output logic                  ok_o
);

  if (NumThreads < 1 || NumThreads > 16) begin : gen_bad_threads
    $fatal(1, "%m: NumThreads must be 1..16, is %0d", NumThreads);
  end
  if (Windows < 1 || Windows > 8) begin : gen_bad_windows
    $fatal(1, "%m: Windows must be 1..8, is %0d", Windows);
  end
  if (AddrWidth < 32 || AddrWidth > 62) begin : gen_bad_addr
    $fatal(1, "%m: AddrWidth must be 32..62, is %0d", AddrWidth);
  end
  if (LenWidth < 8 || LenWidth > 31) begin : gen_bad_len
    $fatal(1, "%m: LenWidth must be 8..31, is %0d", LenWidth);
  end

  localparam int unsigned BeatBits = AddrWidth - 3;
  localparam int unsigned Slots    = 2 ** (ThreadBits + WindowBits);

  typedef struct packed {
    logic [BeatBits-1:0] base;
    logic [BeatBits-1:0] limit;
  } window_t;

  // The bounds are in a RAM; what they grant is in registers, which a reset revokes.
  (* ram_style = "distributed" *)
  window_t               windows[Slots];
  logic [Slots-1:0]      read_q, write_q;
  window_t               window;

  logic                  busy_q, first_q, hit_q, over_q;
  logic [WindowBits-1:0] at_q;
  logic [ThreadBits-1:0] thread_q;
  logic                  cmd_write_q;
  logic [AddrWidth-1:0]  addr_q;
  logic [LenWidth-1:0]   bytes_q;
  logic [BeatBits-1:0]   last_q;  // beat of the command's last byte
  logic [AddrWidth:0]    last;
  logic                  take, set, at_end, grants;

  assign set_ready_o = !busy_q;
  assign cmd_ready_o = !busy_q && !set_valid_i;
  assign set         = set_valid_i && set_ready_o;
  assign take        = cmd_valid_i && cmd_ready_o;
  assign at_end      = at_q == WindowBits'(Windows - 1);
  assign window      = windows[{thread_q, at_q}];
  assign grants      = cmd_write_q ? write_q[{thread_q, at_q}] : read_q[{thread_q, at_q}];
  assign last        = {1'b0, addr_q} + (AddrWidth + 1)'(bytes_q - 1'b1);

  always_ff @(posedge clk_i) begin
    if (set) windows[{set_thread_i, set_window_i}] <= '{
        base: set_base_i[AddrWidth-1:3],
        limit: set_limit_i[AddrWidth-1:3]
    };
  end

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (set) begin
      read_q[{set_thread_i, set_window_i}]  <= set_read_i;
      write_q[{set_thread_i, set_window_i}] <= set_write_i;
    end
    if (take) begin
      thread_q    <= cmd_thread_i;
      cmd_write_q <= cmd_write_i;
      addr_q      <= cmd_addr_i;
      bytes_q     <= cmd_bytes_i;
      busy_q      <= 1'b1;
      first_q     <= 1'b1;
      at_q        <= '0;
      hit_q       <= 1'b0;
    end else if (first_q) begin
      first_q          <= 1'b0;
      {over_q, last_q} <= last[AddrWidth:3];
    end else if (busy_q) begin
      at_q  <= at_q + 1'b1;
      hit_q <= hit_q || (grants && window.base <= addr_q[AddrWidth-1:3] && last_q <= window.limit);
      if (at_end) begin
        busy_q <= 1'b0;
        done_o <= 1'b1;
      end
    end
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      first_q <= 1'b0;
      done_o  <= 1'b0;
      read_q  <= '0;
      write_q <= '0;
    end
  end

  assign ok_o = hit_q && !over_q;

  logic unused;
  assign unused = &{1'b0, set_base_i[2:0], set_limit_i[2:0], last[2:0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!take || cmd_bytes_i != '0) else $error("%m: command of no bytes");
      assert (!take || 32'(cmd_thread_i) < NumThreads)
      else $error("%m: command of thread %0d", cmd_thread_i);
      assert (!set || 32'(set_thread_i) < NumThreads)
      else $error("%m: window of thread %0d", set_thread_i);
    end
  end
`endif

endmodule
