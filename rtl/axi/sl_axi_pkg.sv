// SPDX-License-Identifier: Apache-2.0
// sl_axi_pkg: arithmetic of AXI bursts.
// Follows     AMBA AXI (IHI 0022) A3.4.1.
package sl_axi_pkg;

  localparam logic [1:0] Fixed = 2'b00;
  localparam logic [1:0] Wrap  = 2'b10;

  // The address of the beat after the one at `addr`, within 4 KiB, which no burst leaves. `len` is
  // the burst's AxLEN, of which a WRAP burst has at most 15.
  function automatic logic [11:0] next_beat(logic [11:0] addr, logic [2:0] size, logic [1:0] burst,
                                            logic [3:0] len);
    logic [11:0] bytes, span, next;
    bytes = 12'd1 << size;
    next  = (addr & ~(bytes - 12'd1)) + bytes;
    span  = '1;  // bits that may change
    if (burst == Wrap) span = ((12'(len) + 12'd1) << size) - 12'd1;
    if (burst == Fixed) span = '0;
    return (addr & ~span) | (next & span);
  endfunction

endpackage
