// SPDX-License-Identifier: Apache-2.0
//
// sl_avmm_fetch: reads the descriptors that LAST_PTR requests, in one direction of sl_avmm_table.
//
// Request     ptr_valid_i: the descriptors after the last one requested up to ptr_i; after size_i,
//             as it is then, follows 0. The last pointer again: the whole table. A pointer beyond
//             size_i is refused (pointer_o), as is one while QueueDepth others wait (overrun_o). A
//             request waits until the table has room for all of it, behind those that came before.
// Room        a place of the table is used from its request to done_i, which counts places in
//             order.
// Ahead       all descriptors requested are read at once, by reads of up to ReadDescs.
// Output      desc_o in order, valid until taken or until halt_i. A read that failed marks all of
//             its descriptors; those after it are not affected.
// halt_i      level, held until idle_o: a burst that was issued ends on the bus, all else is
//             dropped, and no descriptor has been requested then. ptr_valid_i is ignored.
// Latency     ptr_valid_i to ARVALID 5 cycles; last beat of a read to desc_valid_o 4 cycles.
// Throughput  DataWidth 256 and up: a descriptor a cycle and one cycle a read, else one in
//             256 / DataWidth cycles. A read every third cycle.
// Reset       rst_ni, synchronous, regardless of the bus: use halt_i first.
//
// DataWidth of m_axi 64 to 512; ReadDescs one of 2 to 16. base_i and size_i are constant while a
// descriptor is outstanding, size_i from a cycle before ptr_valid_i on.
// Follows     Intel UG 683514, DMA Descriptor Controller Registers; regs/sl_avmm_desc.rdl.

`include "sl_axi.svh"

module sl_avmm_fetch
  import sl_avmm_pkg::*, sl_mover_pkg::*;
#(
    parameter int unsigned ReadDescs = 16
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          halt_i,
    output logic          idle_o,

    input  logic [63:5]   base_i,
    input  index_t        size_i,
    input  logic          ptr_valid_i,
    input  logic [7:0]    ptr_i,
    output logic [7:0]    last_ptr_o,  // with ptr_valid_i: the last pointer that was not refused
    output logic          pointer_o,
    output logic          overrun_o,
    output logic          busy_o,
    output logic          full_o,
    output logic [4:0]    waiting_o,
    output count_t        free_o,

    output logic          desc_valid_o,
    input  logic          desc_ready_i,
    output sl_avmm_desc_t desc_o,
    input  logic          done_i,

    sl_axi_if.rd_mst      m_axi
);

  import sl_avmm_desc_addr_pkg::*;

  localparam int unsigned DataWidth = m_axi.DataWidth;
  localparam int unsigned CntBits   = $clog2(ReadDescs) + 1;
  localparam int unsigned ReadBits  = $clog2(ReadDescs * DescBytes) + 1;
  localparam int unsigned LenBits   = ReadBits < 8 ? 8 : ReadBits;
  localparam int unsigned ReadBeats = ReadDescs * DescBits / DataWidth;
  localparam int unsigned MaxBurst  = ReadBeats < 2 ? 2 : ReadBeats;

  if (DataWidth < 64 || DataWidth > 512) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 64..512, is %0d", DataWidth);
  end
  if (ReadDescs < 2 || ReadDescs > 16 || (ReadDescs & (ReadDescs - 1)) != 0)
  begin : gen_bad_read_descs
    $fatal(1, "%m: ReadDescs must be a power of two in 2..16, is %0d", ReadDescs);
  end

  // The place after one that was reached, and what a next place becomes, with a request, when the
  // table has become smaller.
  function automatic index_t after(index_t place, index_t size);
    return place == size ? '0 : place + 1'b1;
  endfunction

  function automatic index_t clamp(index_t place, index_t size);
    return place > size ? '0 : place;
  endfunction

  // Near what compares with it.
  index_t size_q;
  always_ff @(posedge clk_i) size_q <= size_i;

  // ---- requests ---------------------------------------------------------------------------------
  logic       queue_ready, queue_valid, queue_pop, push;
  index_t     queue_ptr;
  logic [7:0] last_q;
  logic [4:0] waiting;

  assign push       = ptr_valid_i && !halt_i && ptr_i <= {1'b0, size_q} && queue_ready;
  assign pointer_o  = ptr_valid_i && !halt_i && ptr_i > {1'b0, size_q};
  assign overrun_o  = ptr_valid_i && !halt_i && ptr_i <= {1'b0, size_q} && !queue_ready;
  assign last_ptr_o = push ? ptr_i : last_q;

  always_ff @(posedge clk_i) begin
    if (push) last_q <= ptr_i;
    if (!rst_ni || halt_i) last_q <= '1;
  end

  sl_fifo #(
      .Width(IndexWidth),
      .Depth(QueueDepth)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_i),
      .in_valid_i (push),
      .in_ready_o (queue_ready),
      .in_data_i  (ptr_i[IndexWidth-1:0]),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_pop),
      .out_data_o (queue_ptr),
      .count_o    (waiting)
  );

  // ---- room in the table: how much the next request takes, then the request ---------------------
  index_t next_q;  // after the last one that has room
  count_t ahead;        // from there to the request's pointer, modulo twice the largest table
  count_t need_q;       // of the request that waits
  logic   need_valid_q, admit;
  count_t used_q, unread_q, free_q;

  assign ahead     = {1'b0, queue_ptr} - {1'b0, next_q};
  assign admit     = need_valid_q && need_q <= free_q;
  assign queue_pop = admit;

  logic                 cmd_valid, cmd_ready, cmd_take;
  logic [CntBits-1:0]   want_q;
  logic [TableDescs-1:0] last_of_q;  // of a request, by place
  logic                 out_pop;
  index_t               out_q;  // the next one that comes out

  always_ff @(posedge clk_i) begin
    // Negative: it goes round the table's end.
    need_q <= ahead + 8'd1 + (ahead[IndexWidth] ? {1'b0, size_q} + 8'd1 : 8'd0);
    need_valid_q <= queue_valid && !admit;

    used_q <= used_q + (admit ? need_q : '0) - count_t'(done_i);
    // A cycle late, and low in the cycle after a request took some.
    free_q <= admit ? '0 : free_o;
    unread_q <= unread_q + (admit ? need_q : '0) - (cmd_take ? count_t'(want_q) : '0);

    if (out_pop) last_of_q[out_q] <= 1'b0;
    if (admit) last_of_q[queue_ptr] <= 1'b1;
    if (push) next_q <= clamp(next_q, size_q);
    if (admit) next_q <= after(queue_ptr, size_q);
    if (!rst_ni || halt_i) begin
      next_q       <= '0;
      need_valid_q <= 1'b0;
      used_q       <= '0;
      free_q       <= '0;
      unread_q     <= '0;
      last_of_q    <= '0;
    end
  end

  assign busy_o    = used_q != '0 || queue_valid;
  assign full_o    = queue_valid && need_valid_q && need_q > free_q;
  assign waiting_o = waiting;
  assign free_o    = used_q > {1'b0, size_q} ? '0 : {1'b0, size_q} + 8'd1 - used_q;

  // ---- what to read -----------------------------------------------------------------------------
  index_t      read_q;       // the next one to read
  logic [63:5] read_addr_q;  // where it lies
  logic        want_valid_q, taken_q;
  count_t      want, to_end_q;  // to_end: descriptors up to the table's end

  always_comb begin
    want = unread_q < to_end_q ? unread_q : to_end_q;
    if (want > count_t'(ReadDescs)) want = count_t'(ReadDescs);
  end

  assign cmd_valid = want_valid_q && !halt_i;
  assign cmd_take  = cmd_valid && cmd_ready;

  always_ff @(posedge clk_i) begin
    want_q       <= CntBits'(want);
    want_valid_q <= want != '0 && !cmd_take && !taken_q;
    taken_q      <= cmd_take;
    to_end_q     <= {1'b0, size_q} - {1'b0, read_q} + 8'd1;
    read_addr_q  <= base_i + 59'(DescOffset / DescBytes) + 59'(read_q);
    if (push) read_q <= clamp(read_q, size_q);
    if (cmd_take) read_q <= after(read_q + index_t'(want_q) - 1'b1, size_q);
    if (!rst_ni || halt_i) begin
      read_q       <= '0;
      want_valid_q <= 1'b0;
      taken_q      <= 1'b0;
    end
  end

  // ---- reading ----------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(DataWidth)) words ();
  sl_axis_if #(.DataWidth(DescBits)) descs ();
  logic               sts_valid, sts_ready, unused_sts_eop;
  logic [LenBits-1:0] unused_sts_bytes;
  logic [1:0]         sts_error;
  logic [CntBits-1:0] sts_descs;
  logic unused_addr, unused_space, unused_data, unused_resp;

  sl_mm2s #(
      .AddrWidth  (64),
      .DataWidth  (DataWidth),
      .LenWidth   (LenBits),
      .TagWidth   (CntBits),
      .IdWidth    (m_axi.IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(2 * MaxBurst > 128 ? 2 * MaxBurst : 128),
      .CmdDepth   (8),
      .Unaligned  (DataWidth > DescBits)
  ) u_mover (
      .clk_i,
      .rst_ni,
      .halt_i,
      .idle_o       (idle_o),
      .cmd_valid_i  (cmd_valid),
      .cmd_ready_o  (cmd_ready),
      .cmd_addr_i   ({read_addr_q, 5'd0}),
      .cmd_bytes_i  (LenBits'(want_q) * LenBits'(DescBytes)),
      .cmd_eop_i    (1'b1),
      .cmd_tag_i    (want_q),
      .sts_valid_o  (sts_valid),
      .sts_ready_i  (sts_ready),
      .sts_bytes_o  (unused_sts_bytes),
      .sts_eop_o    (unused_sts_eop),
      .sts_error_o  (sts_error),
      .sts_tag_o    (sts_descs),
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
      .rst_ni(rst_ni && !halt_i),
      `SL_AXIS_PINS(s_axis_, words.),
      `SL_AXIS_PINS(m_axis_, descs.)
  );

  // ---- descriptors, and how the reads of them ended ---------------------------------------------
  typedef struct packed {
    logic                error;
    logic [CntBits-1:0]  descs;
  } read_t;

  typedef struct packed {
    index_t              index;
    logic [17:0]         dwords;
    logic [LenWidth-1:0] bytes;
    logic [63:0]         src;
    logic [63:0]         dst;
  } body_t;

  read_t read_in, read;
  body_t body_in, body;
  logic  body_ready, body_valid, read_valid, read_pop;
  logic [$clog2(TableDescs):0] unused_bodies;
  logic [4:0]                  unused_reads;

  assign read_in = '{error: sts_error != OKAY, descs: sts_descs};
  assign body_in = '{
      index: index_t'(descs.tdata[8*CONTROL_OFFSET+CONTROL_ID_SHIFT+:IndexWidth]),
      dwords: descs.tdata[8*CONTROL_OFFSET+CONTROL_SIZE_SHIFT+:18],
      bytes: descs.tdata[8*LENGTH_OFFSET+LENGTH_BYTES_SHIFT+:LenWidth],
      src: descs.tdata[8*SRC_ADDR_LO_OFFSET+:64],
      dst: descs.tdata[8*DEST_ADDR_LO_OFFSET+:64]
  };
  // There is room: no more descriptors are outstanding than a table has.
  assign descs.tready = 1'b1;

  sl_fifo #(
      .Width($bits(body_t)),
      .Depth(TableDescs)
  ) u_bodies (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_i),
      .in_valid_i (descs.tvalid),
      .in_ready_o (body_ready),
      .in_data_i  (body_in),
      .out_valid_o(body_valid),
      .out_ready_i(out_pop),
      .out_data_o (body),
      .count_o    (unused_bodies)
  );

  sl_fifo #(
      .Width($bits(read_t)),
      .Depth(16)
  ) u_reads (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_i),
      .in_valid_i (sts_valid),
      .in_ready_o (sts_ready),
      .in_data_i  (read_in),
      .out_valid_o(read_valid),
      .out_ready_i(read_pop),
      .out_data_o (read),
      .count_o    (unused_reads)
  );

  logic [CntBits-1:0] left_q;  // of a read
  logic               error_q;

  assign read_pop     = left_q == '0;
  assign desc_valid_o = body_valid && left_q != '0 && !halt_i;
  assign out_pop      = desc_valid_o && desc_ready_i;

  always_ff @(posedge clk_i) begin
    if (read_pop && read_valid) begin
      left_q  <= read.descs;
      error_q <= read.error;
    end else if (out_pop) begin
      left_q <= left_q - 1'b1;
    end
    if (push) out_q <= clamp(out_q, size_q);
    if (out_pop) out_q <= after(out_q, size_q);
    if (!rst_ni || halt_i) begin
      left_q <= '0;
      out_q  <= '0;
    end
  end

  assign desc_o = '{
      error: error_q,
      last: last_of_q[out_q],
      place: out_q,
      index: body.index,
      dwords: body.dwords,
      bytes: body.bytes,
      src: body.src,
      dst: body.dst
  };

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i && descs.tvalid) begin
      assert (body_ready)
      else $fatal(1, "%m: a descriptor came that no room was kept for");
    end
    if (rst_ni && !halt_i && done_i) begin
      assert (used_q != '0)
      else $fatal(1, "%m: a descriptor ended that was not requested");
    end
  end
`endif

  logic unused;
  assign unused = &{1'b0, unused_addr, unused_space, unused_data, unused_resp, unused_sts_eop,
                    unused_sts_bytes, unused_bodies, unused_reads, descs.tkeep, descs.tlast,
                    descs.tdata};

endmodule
