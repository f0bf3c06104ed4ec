// SPDX-License-Identifier: Apache-2.0
//
// sl_sg_fetch: reads the descriptors of a chain ahead, up to the tail pointer.
//
// Start       start_i (while enable_i is low, or idle_o high) takes start_addr_i; nothing is read
//             before the first tail_we_i. Then descriptors are read up to and including the one at
//             tail_i; there it pauses (at_tail_o) until the next tail_we_i. cyclic_i: the tail is
//             not looked at, nor is the complete bit.
// Ahead       as long as each NXTDESC is the address that follows, Depth reads or descriptors are
//             in flight or buffered. At one that is not, what was read beyond it is discarded, and
//             the next one is read when its address is known, until addresses follow again.
//             Nothing beyond the tail is read.
// New tail    written before the tail's own read is issued: it replaces the old one. Else the old
//             tail is read again, for its NXTDESC alone, when it was reached: software may have
//             linked it since.
// Same tail   written when the tail's read is issued: it withdraws a new tail that waits, and does
//             nothing else until drained_i shows that software may have seen the tail complete.
//             From then on it asks for one more round: when settled_i allows it, the tail is read
//             again, and followed if software has cleared its complete bit; else the pause goes on.
// Output      desc_o in order, valid until taken or until enable_i falls. error: INTERNAL for a
//             complete bit that stands (not cyclic) or a NXTDESC that is no multiple of 64; SLVERR,
//             DECERR of its read. Nothing follows an error. Errors of discarded reads are ignored.
// Stop        enable_i low: buffered descriptors are dropped, no read is issued (an ARVALID that
//             waits stays), issued ones are taken and dropped; idle_o: nothing is outstanding.
// Latency     tail_we_i to ARVALID 2 cycles; last word to desc_valid_o 1; NXTDESC to the ARVALID of
//             an address that does not follow 2.
// Reset       rst_ni, synchronous, regardless of the bus: enable_i low until idle_o first.
//
// AddrWidth   32 to 64; Depth 2 to 32, a power of two
// Follows     AMD PG021 v7.1, "Scatter Gather Descriptor", "Descriptor Management"; PG034 likewise.

module sl_sg_fetch
  import sl_sg_pkg::*, sl_mover_pkg::*;
#(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned Depth     = 8
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 enable_i,
    input  logic                 start_i,
    input  logic [AddrWidth-1:0] start_addr_i,
    input  logic [AddrWidth-1:0] tail_i,
    input  logic                 tail_we_i,
    input  logic                 cyclic_i,
    input  logic                 drained_i,      // every descriptor taken is given to write-back
    input  logic                 settled_i,      // and every write-back is acknowledged

    output logic                 desc_valid_o,
    input  logic                 desc_ready_i,
    output sl_sg_desc_t          desc_o,
    output logic                 idle_o,
    output logic                 at_tail_o,

    output logic [AddrWidth-1:0] m_axi_araddr,
    output logic [7:0]           m_axi_arlen,
    output logic [2:0]           m_axi_arsize,
    output logic [1:0]           m_axi_arburst,
    output logic                 m_axi_arvalid,
    input  logic                 m_axi_arready,
    input  logic [31:0]          m_axi_rdata,
    input  logic [1:0]           m_axi_rresp,
    input  logic                 m_axi_rlast,
    input  logic                 m_axi_rvalid,
    output logic                 m_axi_rready
);

  localparam int unsigned BdBits   = 6;
  localparam int unsigned PtrBits  = AddrWidth - BdBits;
  localparam int unsigned CntBits  = $clog2(Depth) + 1;
  localparam logic [2:0]  NextWord = AddrWidth > 32 ? 3'd1 : 3'd0;  // with it NXTDESC is known

  if (AddrWidth < 32 || AddrWidth > 64) begin : gen_bad_addr
    $fatal(1, "%m: AddrWidth must be 32..64, is %0d", AddrWidth);
  end
  if (Depth < 2 || Depth > 32 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "%m: Depth must be a power of two in 2..32, is %0d", Depth);
  end

  // ------------------------------------------------------------------------------- reads in flight
  // They end in order: first dead_q that nobody wants, then those of the chain, oldest at head_q.
  logic [PtrBits-1:0] head_q, issue_q, limit_q, pend_ptr_q, next_ptr, tail_ptr;
  logic [CntBits-1:0] total_q, total, dead_q, free_q;
  logic [CntBits-1:0] buffered;
  logic [CntBits-1:0] behind_q;  // reads behind head_q, and before any newer, that nobody wants
  logic               ar_load, ar_take, r_end, live, drop_end, kill;
  logic               go_q;       // a tail is known
  logic               known_q;    // issue_q is certain
  logic               follow_q;   // addresses follow each other: read ahead
  logic               limit_out_q;  // the tail's read is issued, or waits at ARVALID
  logic               paused_q, pend_q, stopped_q;
  logic               relink_q;   // the old tail is, or will be, read again
  logic               again_q;    // that read is the next
  logic               discard_q;  // that read is thrown away, whatever it finds
  logic               pend_same_q;    // the tail that waits is the old one
  logic               relink_same_q;  // so was the one for which the old tail is read again

  // The words of the read that comes.
  logic [2:0]       word_q;
  logic [6:0][31:0] words_q;
  logic [1:0]       resp_q, resp;
  logic [63:0]      next;
  logic             next_here, at_limit, follows, sound, finish, push, fail, stale, relink_end;
  logic             refrain;    // the tail is still complete, or a later write is to be obeyed
  sl_sg_desc_t      desc;

  assign tail_ptr = tail_i[AddrWidth-1:BdBits];
  assign ar_take  = m_axi_arvalid && m_axi_arready;
  assign r_end    = m_axi_rvalid && m_axi_rlast;
  assign live     = dead_q == '0 && enable_i;
  assign total    = total_q + CntBits'(ar_load) - CntBits'(r_end);
  assign ar_load  = enable_i && go_q && !paused_q && !stopped_q && !limit_out_q && free_q != '0 &&
                   (known_q || follow_q) && (!m_axi_arvalid || m_axi_arready) && !kill &&
                   !tail_we_i && (again_q || !(relink_q && relink_same_q));

  // ----------------------------------------------------------------------------------------- words
  assign next       = {NextWord == 3'd1 && word_q == 3'd1 ? m_axi_rdata : words_q[1],
                       word_q == 3'd0 ? m_axi_rdata : words_q[0]};
  assign next_ptr   = next[AddrWidth-1:BdBits];
  assign at_limit   = head_q == limit_q && !cyclic_i && !relink_q;
  assign next_here  = live && m_axi_rvalid && word_q == NextWord;
  assign follows    = next_ptr == head_q + 1'b1;
  // So far; a fault is told when the last word is there, until then no address is made of it.
  assign sound      = resp == OKAY && next[BdBits-1:0] == '0;
  // The reads behind the head are not of the chain.
  assign kill       = (next_here && (!follows || at_limit)) ||
                      (finish && (fail || at_limit || refrain));
  assign finish     = live && r_end;
  assign resp       = resp_q != OKAY ? resp_q : m_axi_rresp[1] ? m_axi_rresp : OKAY;
  assign fail       = desc.error != OKAY;
  assign stale      = m_axi_rdata[SgComplete] && !cyclic_i && !relink_q;
  assign relink_end = finish && relink_q;
  assign refrain    = relink_end && relink_same_q && !fail &&
                      (m_axi_rdata[SgComplete] || discard_q || (tail_we_i && tail_ptr != head_q));
  assign push       = finish && (!relink_q || fail);
  assign drop_end   = r_end && (!live || (relink_q && !fail));

  always_comb begin
    desc         = '0;
    desc.addr    = 64'({head_q, BdBits'(0)});
    desc.next    = 64'({next_ptr, BdBits'(0)});
    desc.a0      = 64'(AddrWidth'({words_q[3], words_q[2]}));
    desc.a1      = 64'(AddrWidth'({words_q[5], words_q[4]}));
    desc.control = words_q[6];
    desc.status  = m_axi_rdata;
    desc.tail    = at_limit;
    desc.error   = resp;
    if (resp == OKAY && (stale || next[BdBits-1:0] != '0)) desc.error = INTERNAL;
  end

  always_ff @(posedge clk_i) begin
    if (m_axi_rvalid) begin
      for (int unsigned i = 0; i < 7; i++) if (word_q == 3'(i)) words_q[i] <= m_axi_rdata;
      word_q <= m_axi_rlast ? '0 : word_q + 1'b1;
      resp_q <= m_axi_rlast ? OKAY : resp;
    end
    if (!rst_ni) begin
      word_q <= '0;
      resp_q <= OKAY;
    end
  end

  // --------------------------------------------------------------------------------------- control
  logic pop, seen, empty, reread;
  assign pop      = desc_valid_o && desc_ready_i;
  assign empty    = buffered == '0;
  assign seen     = paused_q && drained_i && empty;
  // The old tail's second read may not serve this write, and is made again. It was made for the old
  // tail: software may have linked that since, or cleared its complete bit. Or it was made for a
  // new tail that is withdrawn now: the complete bit did not matter.
  assign reread   = relink_q && !(relink_end && !relink_same_q) &&
                    (relink_same_q ? !again_q : tail_ptr == head_q);

  always_ff @(posedge clk_i) begin
    total_q <= total;
    free_q  <= free_q - CntBits'(ar_load) + CntBits'(drop_end) + CntBits'(pop);
    if (r_end && dead_q != '0) dead_q <= dead_q - 1'b1;

    if (ar_load) begin
      issue_q     <= issue_q + 1'b1;
      known_q     <= 1'b0;
      limit_out_q <= issue_q == limit_q && !cyclic_i && !again_q;
      again_q     <= 1'b0;
    end

    if (next_here) begin
      follow_q <= follows && sound;
      if (!at_limit && (!follows || total_q == CntBits'(1))) begin
        // Either way nothing of the chain is issued behind the head.
        if (!(follows && ar_load)) begin
          issue_q <= next_ptr;
          known_q <= sound;
        end
        if (!follows) limit_out_q <= 1'b0;
      end
      if (at_limit) limit_out_q <= 1'b1;
      if (kill) behind_q <= total_q - 1'b1;
    end

    if (finish) begin
      head_q   <= next_ptr;
      dead_q   <= kill ? total_q - 1'b1 : behind_q;
      behind_q <= '0;
      if (fail) stopped_q <= 1'b1;
      else if (at_limit || refrain) begin
        paused_q <= 1'b1;
        known_q  <= 1'b0;
      end
    end
    if (relink_end) begin
      relink_q  <= 1'b0;
      discard_q <= 1'b0;
      if (relink_same_q && !refrain) pend_q <= 1'b0;
    end

    if (tail_we_i) begin
      go_q       <= 1'b1;
      pend_ptr_q <= tail_ptr;
      if (reread) begin
        limit_q       <= head_q;
        relink_same_q <= 1'b1;
        discard_q     <= discard_q || !relink_same_q || tail_ptr != head_q;
        // In the cycle in which that read ends and is followed, this write asks for the same round.
        pend_q        <= !relink_end || refrain;
        pend_same_q   <= tail_ptr == head_q;
      end else if (!go_q || (!limit_out_q && !paused_q && !(finish && at_limit))) begin
        // It replaces one that came while the old tail was read in vain.
        limit_q       <= tail_ptr;
        relink_same_q <= relink_q && tail_ptr == head_q;
        pend_q        <= 1'b0;
      end else begin
        pend_q      <= tail_ptr != limit_q || seen;
        pend_same_q <= tail_ptr == limit_q;
      end
    end else if (paused_q && pend_q && (!pend_same_q || (settled_i && empty))) begin
      paused_q      <= 1'b0;
      pend_q        <= 1'b0;
      limit_out_q   <= 1'b0;
      relink_q      <= 1'b1;
      discard_q     <= 1'b0;
      relink_same_q <= pend_same_q;
      again_q       <= 1'b1;
      known_q       <= 1'b1;
      head_q        <= limit_q;
      issue_q       <= limit_q;
      limit_q       <= pend_ptr_q;
    end

    if (!enable_i) begin
      dead_q <= total;
      behind_q <= '0;
      free_q <= CntBits'(Depth) - total;
      go_q   <= 1'b0;
    end
    if (start_i) begin
      head_q      <= start_addr_i[AddrWidth-1:BdBits];
      issue_q     <= start_addr_i[AddrWidth-1:BdBits];
      known_q     <= 1'b1;
      follow_q    <= 1'b1;
      limit_out_q <= 1'b0;
      paused_q    <= 1'b0;
      pend_q      <= 1'b0;
      relink_q    <= 1'b0;
      again_q     <= 1'b0;
      stopped_q   <= 1'b0;
      go_q        <= 1'b0;
    end
    if (!rst_ni) begin
      total_q     <= '0;
      dead_q      <= '0;
      behind_q    <= '0;
      free_q      <= CntBits'(Depth);
      go_q        <= 1'b0;
      paused_q    <= 1'b0;
      pend_q      <= 1'b0;
      relink_q    <= 1'b0;
      again_q     <= 1'b0;
      stopped_q   <= 1'b0;
      limit_out_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ar_take) m_axi_arvalid <= 1'b0;
    if (ar_load) begin
      m_axi_arvalid <= 1'b1;
      m_axi_araddr  <= {issue_q, BdBits'(0)};
    end
    if (!rst_ni) m_axi_arvalid <= 1'b0;
  end

  assign m_axi_arlen   = 8'd7;
  assign m_axi_arsize  = 3'd2;
  assign m_axi_arburst = 2'b01;
  assign m_axi_rready  = 1'b1;
  assign idle_o        = total_q == '0;
  assign at_tail_o     = paused_q && !pend_q;

  // ---------------------------------------------------------------------------------------- buffer
  logic unused_ready;

  sl_fifo #(
      .Width($bits(sl_sg_desc_t)),
      .Depth(Depth)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .clear_i    (!enable_i),
      .in_valid_i (push),
      .in_ready_o (unused_ready),
      .in_data_i  (desc),
      .out_valid_o(desc_valid_o),
      .out_ready_i(desc_ready_i),
      .out_data_o (desc_o),
      .count_o    (buffered)
  );

  logic unused;
  assign unused = &{1'b0, next, words_q, start_addr_i[BdBits-1:0], tail_i[BdBits-1:0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!push || unused_ready) else $error("%m: no room for a descriptor");
      assert (!r_end || word_q == 3'd7) else $error("%m: RLAST on word %0d", word_q);
      assert (!m_axi_rvalid || total_q != '0) else $error("%m: a word that nobody asked for");
      assert (!start_i || !enable_i || idle_o) else $error("%m: start_i while working");
    end
  end
`endif

endmodule
