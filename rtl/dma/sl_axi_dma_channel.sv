// SPDX-License-Identifier: Apache-2.0
// Front end of one direction of sl_axi_dma: turns a write of LENGTH into one mover command, and
// the mover's status into the run, halt, error and interrupt behaviour of PG021 direct register
// mode.
//
// Start: a LENGTH write (`length_written_i` in the cycle of the write, the value one cycle later)
//   starts a transfer if RS is set, no error stands and no transfer is in progress. While one is,
//   LENGTH is closed to software (`length_open_o`) and keeps the length in progress; otherwise a
//   write is stored and starts nothing.
// Handshake: one command at a time, `cmd_valid_o` holds until `cmd_ready_i` (a soft reset may
//   withdraw it). The interface is that of the movers' queue, so that a descriptor engine can
//   stand in this place and keep several commands in flight.
// Latency: LENGTH write to `cmd_valid_o` 2 cycles; status to `ioc_o`, `idle_o` 1 cycle.
// Halt: Halted = RS clear or an error, and nothing in flight. Clearing RS lets the transfer
//   finish. A stream-to-memory transfer that no beat has reached yet is flushed instead, as there
//   may never be one: without interrupt, `stream_open_o` low from that decision on, so that no
//   beat is lost. With `stalled_i` one in the middle of a packet is flushed too, without interrupt:
//   to memory, the beats taken since the last burst are lost; from memory, the packet has no TLAST.
// Errors: zero length, misaligned address (Unaligned = 0), a packet longer than LENGTH and the
//   mover's error statuses set a sticky bit (ToMemory = 1: `int_err_o` too, whatever the cause),
//   pulse `err_o`, and hold `run_clr_o` until reset. The mover is halted until idle (issued bursts
//   end legally), then Halted follows. The first two make no bus access.
// Length read back: ToMemory = 1 writes the bytes of the status to LENGTH, after an error as well.
// Reset: `rst_ni` is the engine's reset, which a soft reset drives too, after `quiesce_i` has kept
//   the mover halted until it was idle.
// Parameters: ranges below are checked in sl_axi_dma.
// Specification: AMD PG021 v7.1, "Direct Register Mode"; regs/sl_axi_dma.rdl.
module sl_axi_dma_channel
  import sl_mover_pkg::*;
#(
    parameter int unsigned AddrWidth = 32,    // 32..64
    parameter int unsigned DataWidth = 64,    // 32..512, power of two
    parameter int unsigned LenWidth  = 26,    // 8..26
    parameter bit          Unaligned = 1'b0,  // 1: any byte address is legal
    parameter bit          ToMemory  = 1'b0   // 0: MM2S, 1: S2MM
) (
    input logic clk_i,
    input logic rst_ni,
    input logic quiesce_i,  // soft reset in progress: keep the mover halted, start nothing

    // Register file
    input  logic                 run_i,             // DMACR.RS
    output logic                 run_clr_o,         // level: clear DMACR.RS
    output logic                 halted_o,          // DMASR.Halted
    output logic                 idle_o,            // DMASR.Idle
    output logic                 int_err_o,         // DMASR.DMAIntErr, level
    output logic                 slv_err_o,         // DMASR.DMASlvErr, level
    output logic                 dec_err_o,         // DMASR.DMADecErr, level
    output logic                 ioc_o,             // pulse: set DMASR.IOC_Irq
    output logic                 err_o,             // pulse: set DMASR.Err_Irq
    input  logic [AddrWidth-1:0] addr_i,            // SA or DA
    input  logic                 length_written_i,
    input  logic [25:0]          length_i,
    output logic                 length_open_o,     // software may write LENGTH
    output logic                 length_we_o,
    output logic [25:0]          length_next_o,

    // Mover
    output logic                 cmd_valid_o,
    input  logic                 cmd_ready_i,
    output logic [AddrWidth-1:0] cmd_addr_o,
    output logic [ LenWidth-1:0] cmd_bytes_o,
    input  logic                 sts_valid_i,
    output logic                 sts_ready_o,
    input  logic [ LenWidth-1:0] sts_bytes_i,
    input  logic                 sts_eop_i,
    input  error_e               sts_error_i,
    output logic                 mover_halt_o,
    input  logic                 mover_idle_i,
    input  logic                 stalled_i,       // RS is clear, and the stream stands still

    // Stream into the mover (ToMemory = 1)
    input  logic stream_beat_i,  // a beat is taken in this cycle
    input  logic stream_held_i,  // the mover holds a beat that no command took
    output logic stream_open_o   // 0: no beat may be taken
);
  localparam int unsigned LaneBits = $clog2(DataWidth / 8);

  typedef enum logic [2:0] {
    HALTED,  // nothing in flight; RS = 0, or an error stands
    READY,   // running, waits for LENGTH
    ISSUE,   // command offered to the mover
    ACTIVE,  // command taken, status awaited
    FLUSH    // mover halted, waits until it is idle
  } state_e;

  state_e               state_q;
  logic                 written_q;  // length_i is what was just written
  logic [AddrWidth-1:0] addr_q;
  logic                 idle_q;
  logic                 begun_q;  // a beat of this transfer was taken from the stream
  logic                 int_err_q;
  logic                 slv_err_q;
  logic                 dec_err_q;
  logic                 ioc_q;
  logic                 err_q;

  logic [ LenWidth-1:0] length;
  logic                 failed;
  logic                 at_rest;
  logic                 start;
  logic                 misaligned;
  logic                 overlong;
  logic                 abandon;
  logic                 written_back;  // the bytes received go to LENGTH

  assign length  = LenWidth'(length_i);
  assign failed  = int_err_q || slv_err_q || dec_err_q;
  assign at_rest = state_q == HALTED || state_q == READY;

  // RS itself is looked at, not the state: LENGTH may be written so soon after RS that the state
  // has not left HALTED yet.
  assign start   = written_q && run_i && !failed && at_rest && !quiesce_i;

  if (Unaligned) begin : gen_any_address
    assign misaligned = 1'b0;
  end else begin : gen_aligned_address
    assign misaligned = addr_i[LaneBits-1:0] != '0;
  end

  // All of LENGTH is filled and TLAST has not come: the packet is longer than the buffer.
  assign overlong = ToMemory && !sts_eop_i && sts_error_i == OKAY;
  // RS cleared before the first beat of the packet came.
  assign abandon  = ToMemory && !run_i && !begun_q && !stream_beat_i;

  always_ff @(posedge clk_i) begin
    written_q <= length_written_i && length_open_o;
    ioc_q     <= 1'b0;
    err_q     <= 1'b0;

    unique case (state_q)
      HALTED, READY: begin
        state_q <= run_i && !failed ? READY : HALTED;
        if (!run_i) idle_q <= 1'b0;
        if (start) begin
          state_q <= ISSUE;
          addr_q  <= addr_i;
          idle_q  <= 1'b0;
          begun_q <= stream_held_i;  // taken along with the end of the packet before
          if (length == '0 || misaligned) begin
            state_q   <= FLUSH;
            int_err_q <= 1'b1;
            err_q     <= 1'b1;
          end
        end
      end

      ISSUE: begin
        if (stream_beat_i) begun_q <= 1'b1;  // the mover may take a beat along with the command
        if (cmd_valid_o && cmd_ready_i) state_q <= ACTIVE;
      end

      ACTIVE: begin
        if (stream_beat_i) begun_q <= 1'b1;
        if (sts_valid_i) begin
          if (sts_error_i != OKAY || overlong) begin
            state_q   <= FLUSH;
            int_err_q <= ToMemory || sts_error_i == INTERNAL;
            slv_err_q <= sts_error_i == SLVERR;
            dec_err_q <= sts_error_i == DECERR;
            err_q     <= 1'b1;
          end else begin
            state_q <= READY;
            idle_q  <= 1'b1;
            ioc_q   <= 1'b1;
          end
        end else if (abandon || stalled_i) begin
          state_q <= FLUSH;
        end
      end

      FLUSH: if (mover_idle_i) state_q <= HALTED;

      default: state_q <= HALTED;
    endcase

    if (!rst_ni) begin
      state_q   <= HALTED;
      written_q <= 1'b0;
      idle_q    <= 1'b0;
      begun_q   <= 1'b0;
      int_err_q <= 1'b0;
      slv_err_q <= 1'b0;
      dec_err_q <= 1'b0;
      ioc_q     <= 1'b0;
      err_q     <= 1'b0;
    end
  end

  assign run_clr_o = failed;
  // Not in the cycle of `ioc_q`: who sees Halted shall see IOC_Irq of the transfer that ended too.
  assign halted_o  = at_rest && !(run_i && !failed) && !ioc_q;
  assign idle_o    = idle_q && at_rest && !halted_o;
  assign int_err_o = int_err_q;
  assign slv_err_o = slv_err_q;
  assign dec_err_o = dec_err_q;
  assign ioc_o     = ioc_q;
  assign err_o     = err_q;

  // Bits beyond the engine's width are taken away in the cycle after the write.
  assign length_open_o = at_rest && !start;
  assign written_back  = ToMemory && state_q == ACTIVE && sts_valid_i;
  assign length_we_o   = written_back || length_i != 26'(length);
  assign length_next_o = written_back ? 26'(sts_bytes_i) : 26'(length);

  // Not offered once the engine is being reset: the mover must have seen its last command by then.
  assign cmd_valid_o   = state_q == ISSUE && !quiesce_i;
  assign cmd_addr_o    = addr_q;
  assign cmd_bytes_o   = length;
  assign sts_ready_o   = state_q == ACTIVE || mover_halt_o;
  assign mover_halt_o  = state_q == FLUSH || quiesce_i;
  assign stream_open_o = (state_q == ISSUE || state_q == ACTIVE) && !quiesce_i;
endmodule
