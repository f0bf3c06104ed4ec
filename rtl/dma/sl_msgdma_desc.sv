// SPDX-License-Identifier: Apache-2.0
// Descriptor port of sl_msgdma: words written in any order and size become a descriptor when GO of
// the control word is written.
//
// Handshake: `desc_valid_o` rises in the cycle after the write of GO and stays until
//   `desc_ready_i`; the write's response waits for that, so a full queue stalls the port's writes
//   and reads, and nothing else. `drop_i` (soft reset) takes the waiting descriptor and answers.
// Words: kept after GO, so that software may write only what changes. Byte enables are honoured;
//   GO counts only where byte 3 of the control word is written.
// Format: ExtendedDesc = 1: control at 0x1C; 0: control at 0xC, offsets from 0x10 ignored, high
//   addresses and sequence number 0.
// Reset: `rst_ni` clears words and the port. A soft reset leaves the words.
// Specification: regs/sl_msgdma_desc.rdl.

`include "sl_axi.svh"

module sl_msgdma_desc
  import sl_msgdma_pkg::*;
#(
    parameter bit ExtendedDesc = 1'b1
) (
    input logic clk_i,
    input logic rst_ni,
    input logic drop_i,

    sl_axil_if.slv s_axil,

    output logic  desc_valid_o,
    input  logic  desc_ready_i,
    output desc_t desc_o
);
  localparam int unsigned ControlWord = ExtendedDesc ? 7 : 3;
  localparam int unsigned Words = ControlWord + 1;

  sl_msgdma_desc_regs_pkg::sl_msgdma_desc__in_t  hwif_in;
  sl_msgdma_desc_regs_pkg::sl_msgdma_desc__out_t hwif_out;

  sl_msgdma_desc_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 5),
      .hwif_in,
      .hwif_out
  );

  // ---------------------------------------------------------------------------------- words, acks
  logic [7:0]       req, wr_ack;
  logic             req_is_wr;
  logic [31:0]      wr_data, wr_biten;
  logic [7:0][31:0] word_q;
  logic             go, go_q;

  // Every register sees the same direction, data and enables.
  assign req = {
    hwif_out.CONTROL.req,
    hwif_out.WRITE_ADDR_HI.req,
    hwif_out.READ_ADDR_HI.req,
    hwif_out.STRIDE.req,
    hwif_out.BURST_SEQ.req,
    hwif_out.LENGTH.req,
    hwif_out.WRITE_ADDR_LO.req,
    hwif_out.READ_ADDR_LO.req
  };
  assign req_is_wr = hwif_out.LENGTH.req_is_wr;
  assign wr_data   = hwif_out.LENGTH.wr_data;
  assign wr_biten  = hwif_out.LENGTH.wr_biten;
  assign go        = req[ControlWord] && req_is_wr && wr_data[31] && wr_biten[31];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 8; i++) begin
      if (req[i] && req_is_wr && i < Words) begin
        word_q[i] <= (word_q[i] & ~wr_biten) | (wr_data & wr_biten);
      end
      if (!rst_ni || i >= Words) word_q[i] <= '0;
    end
    go_q <= go || (go_q && !desc_ready_i && !drop_i);
    if (!rst_ni) go_q <= 1'b0;
  end

  always_comb begin
    wr_ack = req & {8{req_is_wr}};
    wr_ack[ControlWord] = (wr_ack[ControlWord] && !go) || (go_q && (desc_ready_i || drop_i));
  end

  assign hwif_in.READ_ADDR_LO.wr_ack   = wr_ack[0];
  assign hwif_in.WRITE_ADDR_LO.wr_ack  = wr_ack[1];
  assign hwif_in.LENGTH.wr_ack         = wr_ack[2];
  assign hwif_in.BURST_SEQ.wr_ack      = wr_ack[3];
  assign hwif_in.STRIDE.wr_ack         = wr_ack[4];
  assign hwif_in.READ_ADDR_HI.wr_ack   = wr_ack[5];
  assign hwif_in.WRITE_ADDR_HI.wr_ack  = wr_ack[6];
  assign hwif_in.CONTROL.wr_ack        = wr_ack[7];
  assign hwif_in.READ_ADDR_LO.rd_ack   = req[0] && !req_is_wr;
  assign hwif_in.WRITE_ADDR_LO.rd_ack  = req[1] && !req_is_wr;
  assign hwif_in.LENGTH.rd_ack         = req[2] && !req_is_wr;
  assign hwif_in.BURST_SEQ.rd_ack      = req[3] && !req_is_wr;
  assign hwif_in.STRIDE.rd_ack         = req[4] && !req_is_wr;
  assign hwif_in.READ_ADDR_HI.rd_ack   = req[5] && !req_is_wr;
  assign hwif_in.WRITE_ADDR_HI.rd_ack  = req[6] && !req_is_wr;
  assign hwif_in.CONTROL.rd_ack        = req[7] && !req_is_wr;
  assign hwif_in.READ_ADDR_LO.rd_data  = word_q[0];
  assign hwif_in.WRITE_ADDR_LO.rd_data = word_q[1];
  assign hwif_in.LENGTH.rd_data        = word_q[2];
  assign hwif_in.BURST_SEQ.rd_data     = word_q[3];
  assign hwif_in.STRIDE.rd_data        = word_q[4];
  assign hwif_in.READ_ADDR_HI.rd_data  = word_q[5];
  assign hwif_in.WRITE_ADDR_HI.rd_data = word_q[6];
  assign hwif_in.CONTROL.rd_data       = word_q[7];

  // ----------------------------------------------------------------------------------- descriptor
  assign desc_valid_o = go_q && !drop_i;

  always_comb begin
    desc_o              = '0;
    desc_o.read_addr    = {word_q[5], word_q[0]};
    desc_o.write_addr   = {word_q[6], word_q[1]};
    desc_o.length       = word_q[2];
    desc_o.seq          = ExtendedDesc ? word_q[3][15:0] : 16'd0;
    desc_o.error_irq    = word_q[ControlWord][23:16];
    desc_o.early_irq    = word_q[ControlWord][15];
    desc_o.complete_irq = word_q[ControlWord][14];
    desc_o.end_on_eop   = word_q[ControlWord][12];
    desc_o.gen_eop      = word_q[ControlWord][9];
  end
endmodule
