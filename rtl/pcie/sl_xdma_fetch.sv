// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_fetch: reads the descriptors of one XDMA channel ahead, in the blocks that they lie in.
//
// Start       enable_i rises while idle_o: the first block lies at first_i, adjacent_i + 1
//             descriptors. The last descriptor of a block says where the next one lies and how many
//             it has; NEXT and NEXT_ADJACENT of the others are not looked at.
// Ahead       while there is room for ReadDescs descriptors of Depth, by reads of up to so many;
//             two more wait at the output.
//             Nothing is asked for after a descriptor with STOP or a wrong magic number has come.
// Credits     credit_mode_i: a descriptor is asked for only with a credit, which it takes. A write
//             (credit_add_i) adds, up to 1,023 in all. None remain without the mode, when run_i has
//             fallen, or while reset_i is high.
// Output      desc_o in order, valid until taken; none is to be taken while enable_i is low. A read
//             that failed gives one with error, and nothing after it; those that the read brought
//             do not come out.
// hold_i      no read is begun. A read that waits until hold_i falls has taken its credits.
// Stop        enable_i low, until idle_o: what was fetched is dropped; a burst that was issued ends
//             on the bus. idle_o: nothing is outstanding.
// Latency     enable_i to ARVALID 4 cycles; last beat of a read to desc_valid_o 4 cycles.
// Throughput  DataWidth 256 and up: a descriptor a cycle, else one in 256 / DataWidth cycles. A
//             read is asked for every second cycle at most.
// Reset       rst_ni, synchronous, regardless of the bus: enable_i low until idle_o first.
//
// DataWidth of m_axi 64 to 512; Depth a power of two, 2 * ReadDescs to 256, ReadDescs one of 1 to
// 16.
// Follows     AMD PG195 v4.1, "Descriptors": contiguous descriptors, credits.

`include "sl_axi.svh"

module sl_xdma_fetch
  import sl_xdma_pkg::*, sl_mover_pkg::*, sl_xdma_desc_addr_pkg::*;
#(
    parameter int unsigned Depth     = 128,
    parameter int unsigned ReadDescs = 16
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  enable_i,
    input  logic                  run_i,      // software's
    input  logic                  reset_i,    // software's: takes the credits
    input  logic [63:5]           first_i,
    input  logic [5:0]            adjacent_i,
    input  logic                  hold_i,
    input  logic                  credit_mode_i,
    input  logic                  credit_add_i,
    input  logic [CreditBits-1:0] credits_i,
    output logic [CreditBits-1:0] credits_o,  // that remain

    output logic                  desc_valid_o,
    input  logic                  desc_ready_i,
    output sl_xdma_desc_t         desc_o,
    output logic                  idle_o,

    sl_axi_if.rd_mst              m_axi
);

  localparam int unsigned DataWidth = m_axi.DataWidth;
  localparam int unsigned CntBits   = $clog2(ReadDescs) + 1;
  localparam int unsigned RoomBits  = $clog2(Depth) + 1;
  localparam int unsigned ReadBits  = $clog2(ReadDescs * DescBytes) + 1;
  localparam int unsigned LenBits   = ReadBits < 8 ? 8 : ReadBits;
  localparam int unsigned ReadBeats = ReadDescs * DescBits / DataWidth;
  localparam int unsigned MaxBurst  = ReadBeats < 2 ? 2 : ReadBeats;
  localparam int unsigned CmdDepth  = 8;

  if (DataWidth < 64 || DataWidth > 512) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 64..512, is %0d", DataWidth);
  end
  if (ReadDescs < 1 || ReadDescs > 16 || (ReadDescs & (ReadDescs - 1)) != 0)
  begin : gen_bad_read_descs
    $fatal(1, "%m: ReadDescs must be a power of two in 1..16, is %0d", ReadDescs);
  end
  if (Depth < 2 * ReadDescs || Depth > 256 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "%m: Depth must be a power of two in 2 * ReadDescs..256, is %0d", Depth);
  end

  // ---- what to read -----------------------------------------------------------------------------
  logic [63:5]           addr_q;       // of what is asked for next
  logic [6:0]            left_q;       // descriptors of the block still to be asked for
  logic [RoomBits-1:0]   room_q;       // that no read was promised
  logic [CreditBits-1:0] credits_q;
  logic [CntBits-1:0]    want_q;       // descriptors of the next read
  logic                  want_last_q;  // they end the block
  logic                  want_valid_q;
  logic                  enable_q, run_q, end_q;  // end: no read is to follow
  logic [1:0]            error_q;
  logic                  ask, pop;     // ask: a read of want_q from addr_q

  // A read that was asked for, on its way to the mover, whose READY comes late.
  logic [63:5]         cmd_addr_q;
  logic [CntBits-1:0]  cmd_count_q;
  logic                cmd_last_q, cmd_valid_q, cmd_valid, cmd_ready;

  // The last descriptor that has come, and how many of those that have come are known to be good.
  logic [63:5]         next_q;
  logic [5:0]          next_adjacent_q;
  logic [RoomBits-1:0] good_q;
  logic                some_q;  // good_q is not 0

  logic               sts_valid, sts_last, unused_sts_eop;
  logic [LenBits-1:0] sts_bytes;
  logic [1:0]         sts_error;
  logic               sts_good, more;

  assign sts_good = sts_valid && sts_error == OKAY;
  assign more     = sts_good && error_q == OKAY;

  // The size of the next read, and whether there is room for it: a cycle after what they depend on.
  // Room and credits only grow until it is asked for, but where credits end.
  logic [CntBits-1:0] want;
  logic               credit_end, credit_mode_q;

  always_comb begin
    want = left_q > 7'(ReadDescs) ? CntBits'(ReadDescs) : CntBits'(left_q);
    if (credit_mode_i && credits_q < CreditBits'(want)) want = CntBits'(credits_q);
  end
  assign credit_end = reset_i || run_q && !run_i;

  assign ask = want_valid_q && enable_q && enable_i && !hold_i && !end_q && !cmd_valid_q &&
               (credit_mode_q || !credit_mode_i);

  logic [CreditBits:0] credits_sum;
  assign credits_sum = {1'b0, credits_q} + (credit_add_i ? {1'b0, credits_i} : '0) -
                       (ask && credit_mode_i ? (CreditBits + 1)'(want_q) : '0);

  always_ff @(posedge clk_i) begin
    enable_q <= enable_i;

    want_q       <= want;
    want_last_q  <= 7'(want) == left_q;
    want_valid_q <= want != '0 && room_q >= RoomBits'(ReadDescs) && !ask &&
                    !(credit_mode_i && credit_end);
    if (ask) begin
      left_q <= left_q - 7'(want_q);
      addr_q <= addr_q + 59'(want_q);
    end
    if (sts_good && sts_last && !end_q) begin
      left_q       <= {1'b0, next_adjacent_q} + 1'b1;
      addr_q       <= next_q;
      want_valid_q <= 1'b0;
    end
    if (sts_valid && sts_error != OKAY && error_q == OKAY) error_q <= sts_error;
    if (!enable_q) begin
      left_q       <= {1'b0, adjacent_i} + 1'b1;
      addr_q       <= first_i;
      error_q      <= OKAY;
      want_valid_q <= 1'b0;
    end

    room_q <= room_q - (ask ? RoomBits'(want_q) : '0) + RoomBits'(pop);
    good_q <= good_q + (more ? RoomBits'(sts_bytes / DescBytes) : '0) - RoomBits'(pop);
    some_q <= more || good_q > 1 || good_q == 1 && !pop;
    if (!enable_i) begin
      room_q <= RoomBits'(Depth);
      good_q <= '0;
      some_q <= 1'b0;
    end

    credits_q <= credits_sum[CreditBits] ? '1 : credits_sum[CreditBits-1:0];
    run_q     <= run_i;
    if (!rst_ni || !credit_mode_i || credit_end) credits_q <= '0;
    credit_mode_q <= credit_mode_i;

    if (!cmd_valid_q) begin
      cmd_addr_q  <= addr_q;
      cmd_count_q <= want_q;
      cmd_last_q  <= want_last_q;
    end
    cmd_valid_q <= enable_i && (cmd_valid_q ? !(cmd_valid && cmd_ready) : ask);

    if (!rst_ni) begin
      enable_q    <= 1'b0;
      cmd_valid_q <= 1'b0;
    end
  end

  assign credits_o = credits_q;
  assign cmd_valid = cmd_valid_q && enable_i && !hold_i && !end_q;

  // ---- reading ----------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) words ();
  sl_axis_if #(.DataWidth(DescBits)) descs ();
  logic mover_idle;
  logic unused_addr, unused_space, unused_data, unused_resp;

  sl_mm2s #(
      .AddrWidth  (64),
      .DataWidth  (DataWidth),
      .LenWidth   (LenBits),
      .TagWidth   (1),
      .IdWidth    (m_axi.IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(2 * MaxBurst > 128 ? 2 * MaxBurst : 128),
      .CmdDepth   (CmdDepth),
      .Unaligned  (DataWidth > DescBits)
  ) u_mover (
      .clk_i,
      .rst_ni,
      .halt_i       (!enable_i),
      .idle_o       (mover_idle),
      .cmd_valid_i  (cmd_valid),
      .cmd_ready_o  (cmd_ready),
      .cmd_addr_i   ({cmd_addr_q, 5'd0}),
      .cmd_bytes_i  (LenBits'(cmd_count_q) * LenBits'(DescBytes)),
      .cmd_eop_i    (1'b1),
      .cmd_tag_i    (cmd_last_q),
      .sts_valid_o  (sts_valid),
      .sts_ready_i  (1'b1),
      .sts_bytes_o  (sts_bytes),
      .sts_eop_o    (unused_sts_eop),
      .sts_error_o  (sts_error),
      .sts_tag_o    (sts_last),
      .stall_addr_o (unused_addr),
      .stall_space_o(unused_space),
      .stall_data_o (unused_data),
      .stall_resp_o (unused_resp),
      `SL_AXI_PINS_RD(m_axi_, m_axi.),
      `SL_AXIS_PINS(m_axis_, words.)
  );

  sl_axis_width #(
      .SlvWidth(DataWidth),
      .MstWidth(DescBits),
      .Check   (1'b0)
  ) u_width (
      .clk_i,
      .rst_ni(enable_q),
      `SL_AXIS_PINS(s_axis_, words.),
      `SL_AXIS_PINS(m_axis_, descs.)
  );

  // ---- descriptors ------------------------------------------------------------------------------
  sl_xdma_desc_t in_desc, out_desc;
  logic          in_valid, in_ready, out_valid, out_ready;
  logic [63:5]   in_next;
  logic [5:0]    in_adjacent;
  logic [31:0]   in_control;
  logic [$clog2(Depth):0] unused_count;

  always_comb begin
    in_control        = descs.tdata[8*CONTROL_OFFSET+:32];
    in_desc           = '0;
    in_desc.error     = OKAY;
    in_desc.stop      = in_control[CONTROL_STOP_SHIFT];
    in_desc.completed = in_control[CONTROL_COMPLETED_SHIFT];
    in_desc.eop       = in_control[CONTROL_EOP_SHIFT];
    in_desc.bad_magic = ((in_control ^ CONTROL_DEFAULT) & CONTROL_MAGIC_MASK) != '0;
    in_desc.bytes     = descs.tdata[8*LENGTH_OFFSET+LENGTH_BYTES_SHIFT+:LenWidth];
    in_desc.empty     = in_desc.bytes == '0;
    in_desc.src       = descs.tdata[8*SOURCE_LO_OFFSET+:64];
    in_desc.dst       = descs.tdata[8*DESTINATION_LO_OFFSET+:64];
    in_adjacent       = in_control[CONTROL_NEXT_ADJACENT_SHIFT+:6];
    in_next           = descs.tdata[8*NEXT_LO_OFFSET+NEXT_LO_VALUE_SHIFT+:59];
  end

  // Room was kept for it.
  assign in_valid     = descs.tvalid && enable_q;
  assign descs.tready = in_ready;

  always_ff @(posedge clk_i) begin
    if (in_valid) begin
      next_q          <= in_next;
      next_adjacent_q <= in_adjacent;
      if (in_desc.stop || in_desc.bad_magic) end_q <= 1'b1;
    end
    if (error_q != OKAY) end_q <= 1'b1;
    if (!enable_q) end_q <= 1'b0;
  end

  sl_fifo #(
      .Width($bits(sl_xdma_desc_t)),
      .Depth(Depth)
  ) u_descs (
      .clk_i,
      .rst_ni,
      .clear_i    (!enable_i),
      .in_valid_i (in_valid),
      .in_ready_o (in_ready),
      .in_data_i  (in_desc),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_data_o (out_desc),
      .count_o    (unused_count)
  );

  // A slice: what is begun with a descriptor would wait for its error, and the RAM for both.
  sl_xdma_desc_t next_desc;
  logic          next_ready;

  always_comb begin
    next_desc = out_desc;
    if (!some_q) next_desc.error = error_q;
  end

  sl_skid #(
      .Width($bits(sl_xdma_desc_t))
  ) u_slice (
      .clk_i,
      .rst_ni,
      .clear_i    (!enable_i),
      .in_valid_i (out_valid && some_q || error_q != OKAY),
      .in_ready_o (next_ready),
      .in_data_i  (next_desc),
      .out_valid_o(desc_valid_o),
      .out_ready_i(desc_ready_i),
      .out_data_o (desc_o)
  );

  assign out_ready    = next_ready && some_q;
  assign pop          = out_valid && out_ready;
  assign idle_o       = !enable_q && mover_idle;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && in_valid) begin
      assert (in_ready)
      else $fatal(1, "%m: a descriptor came that no room was kept for");
    end
    if (rst_ni && enable_i) begin
      assert (some_q == (good_q != '0)) else $error("%m: some_q is not of good_q");
    end
    assert (!rst_ni || enable_i || !desc_ready_i) else $error("%m: taken while it is not enabled");
  end
`endif

  logic unused;
  assign unused = &{1'b0, unused_addr, unused_space, unused_data, unused_resp, unused_sts_eop,
                    unused_count, descs.tkeep, descs.tlast, descs.tdata};

endmodule
