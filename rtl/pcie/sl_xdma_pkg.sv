// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_pkg: what the parts of sl_xdma say to each other.
//
// sl_avmm_table, too, uses sl_xdma_writeback, and nothing else of this package.
// verilator lint_off UNUSEDPARAM

package sl_xdma_pkg;

  localparam int unsigned LenWidth   = $countones(sl_xdma_desc_addr_pkg::LENGTH_BYTES_MASK);
  localparam int unsigned DescBytes  = sl_xdma_desc_addr_pkg::WINDOW;
  localparam int unsigned DescBits   = 8 * DescBytes;
  localparam int unsigned CreditBits = 10;

  // In every block's identifier: what AMD's drivers expect of a Vivado since 2017.
  localparam logic [7:0] RegVersion = 8'd6;

  // What a descriptor asks for, as fetched.
  typedef struct packed {
    logic [1:0]          error;      // sl_mover_pkg::error_e of its fetch; then the rest is nothing
    logic                bad_magic;
    logic                stop;
    logic                completed;
    logic                eop;
    logic                empty;      // bytes is 0
    logic [LenWidth-1:0] bytes;
    logic [63:0]         src;
    logic [63:0]         dst;
  } sl_xdma_desc_t;

  // Registers to a channel: levels.
  typedef struct packed {
    logic                  run;
    logic                  reset;        // until the channel's reset_done
    logic [63:5]           first;
    logic [5:0]            adjacent;
    logic                  fetch_halt;
    logic                  credit_mode;
    logic                  credit_add;   // a pulse, with credits
    logic [CreditBits-1:0] credits;
    logic                  poll_wb;
    logic [63:2]           poll_addr;
    logic                  no_result;
  } sl_xdma_ctrl_t;

  // A channel to its registers: pulses, but for busy, wb_waits, credits and completed.
  typedef struct packed {
    logic                  busy;
    logic                  started;      // run was taken: completed is 0
    logic                  reset_done;
    logic                  wb_waits;     // a short write is not answered
    logic [CreditBits-1:0] credits;
    logic [31:0]           completed;
    logic                  ev_stopped;
    logic                  ev_completed;
    logic                  ev_bad_magic;
    logic                  ev_bad_length;
    logic                  ev_idle;
    logic                  ev_read_dec;
    logic                  ev_read_slv;
    logic                  ev_write_dec;
    logic                  ev_write_slv;
    logic                  ev_desc_dec;
    logic                  ev_desc_slv;
    logic                  beat;         // of data, moved
  } sl_xdma_status_t;

  // A short write into the host's memory, little-endian.
  typedef struct packed {
    logic        two;   // words: 2, else 1
    logic [63:0] addr;  // a multiple of 4; of 8 for two words
    logic [63:0] data;
  } sl_xdma_wb_t;

endpackage
// verilator lint_on UNUSEDPARAM
