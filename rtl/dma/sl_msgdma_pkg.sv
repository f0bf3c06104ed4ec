// SPDX-License-Identifier: Apache-2.0
// What the parts of sl_msgdma hand to each other.
package sl_msgdma_pkg;
  typedef enum logic [1:0] {
    MEM_TO_MEM    = 2'd0,
    MEM_TO_STREAM = 2'd1,
    STREAM_TO_MEM = 2'd2
  } mode_e;

  // A descriptor as software wrote it; widths as on the port.
  typedef struct packed {
    logic [63:0] read_addr;   // bytes
    logic [63:0] write_addr;  // bytes
    logic [31:0] length;      // bytes
    logic [15:0] seq;
    logic [ 7:0] error_irq;   // mask over response_t.error
    logic        early_irq;
    logic        complete_irq;
    logic        end_on_eop;
    logic        gen_eop;
  } desc_t;

  // error: bit 0 refused, 1 SLVERR, 2 DECERR, 3 the read failed, 4 the write failed.
  typedef struct packed {
    logic        early;
    logic [ 4:0] error;
    logic [31:0] bytes;
  } response_t;
endpackage
