// SPDX-License-Identifier: Apache-2.0
//
// sl_avmm_pkg: what the parts of sl_avmm_table say to each other.

package sl_avmm_pkg;

  localparam int unsigned LenWidth   = 28;   // of a descriptor's length, in bytes
  localparam int unsigned TableDescs = 128;  // descriptors in a table, at most
  localparam int unsigned IndexWidth = $clog2(TableDescs);
  localparam int unsigned QueueDepth = 16;   // LAST_PTR writes that wait
  localparam int unsigned DescBytes  = 32;
  localparam int unsigned DescBits   = 8 * DescBytes;
  localparam int unsigned DescOffset = 512;  // of the first descriptor, from the table's base

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [IndexWidth:0]   count_t;    // of descriptors

  // A descriptor as fetched.
  typedef struct packed {
    logic                error;  // its fetch failed; then only place and last are valid
    logic                last;   // LAST_PTR was written with its place
    index_t              place;  // in the table
    index_t              index;  // as the descriptor says
    logic [17:0]         dwords;
    logic [LenWidth-1:0] bytes;  // extension
    logic [63:0]         src;
    logic [63:0]         dst;
  } sl_avmm_desc_t;

  // What went wrong with a descriptor.
  typedef struct packed {
    logic write;
    logic read;
    logic fetch;
    logic index;
    logic length;
  } sl_avmm_cause_t;

  // Registers to a channel: levels, but for ptr_valid.
  typedef struct packed {
    logic [63:5] base;
    index_t      size;       // descriptors in the table, minus 1
    logic        ptr_valid;  // LAST_PTR was written with ptr
    logic [7:0]  ptr;
    logic        each_done;
    logic        any_bytes;
    logic        error_words;
    logic        reset;      // until reset_done
  } sl_avmm_ctrl_t;

  // A channel to its registers. Pulses: retired with what belongs to it, pointer, overrun,
  // reset_done.
  typedef struct packed {
    logic [7:0]          last_ptr;    // with ptr_valid: what LAST_PTR becomes
    logic                pointer;     // ptr was refused, being beyond the table
    logic                overrun;     // ptr was refused, the queue being full
    logic                busy;
    logic                full;
    logic [4:0]          waiting;
    count_t              free;
    logic                retired;     // a descriptor has ended
    logic                last;        // and requests an interrupt
    index_t              place;
    sl_avmm_cause_t      cause;
    logic                word_error;
    logic [LenWidth-1:0] bytes;
    logic                reset_done;
  } sl_avmm_status_t;

endpackage
