// SPDX-License-Identifier: Apache-2.0
// A scatter-gather descriptor of AMD's AXI DMA (PG021) and AXI CDMA (PG034), as read from memory.
// Both are 64-byte aligned and have NXTDESC in words 0 and 1, the control word at 0x18 and the
// status word at 0x1C.
package sl_sg_pkg;
  // Bit of the status word, the same in both (regs/sl_axi_dma_bd.rdl, regs/sl_axi_cdma_bd.rdl).
  localparam int unsigned SgComplete = sl_axi_dma_bd_addr_pkg::STATUS_COMPLETE_SHIFT;

  typedef struct packed {
    logic [63:0] addr;     // where it lies
    logic [63:0] next;     // NXTDESC
    logic [63:0] a0;       // words 2, 3: buffer address (AXI DMA), source (CDMA)
    logic [63:0] a1;       // words 4, 5: destination (CDMA)
    logic [31:0] control;
    logic [31:0] status;
    logic        tail;     // it is the one that TAILDESC pointed to
    logic [1:0]  error;    // sl_mover_pkg::error_e; INTERNAL: stale, or NXTDESC misaligned
  } sl_sg_desc_t;
endpackage
