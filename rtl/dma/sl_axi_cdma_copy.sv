// SPDX-License-Identifier: Apache-2.0
// Copy engine: memory to memory, one sl_mm2s and one sl_s2mm coupled by a stream inside. What
// stands before it (registers, scatter-gather) speaks commands and statuses only.
//
// Commands   source, destination, bytes, tag; taken while the reader has room. Reads run ahead of
//            writes across commands by up to CmdDepth commands and the buffers. Copies are done in
//            order, but reads of a later one may come before writes of an earlier one: where a
//            copy reads what the one before writes, wait for that one's status.
// Status     in command order, after the last B. sts_bytes_o: bytes surely at the destination, from
//            its start: the fewer of those read and those written without error.
// Latency    64 B at 64 bits, L=20 both ways: status 61 cycles after the command, 54 CutThrough.
// Throughput a beat a cycle each way, back-to-back commands of 64 B and up.
// Handshake  cmd_ready_o depends on no input; sts_valid_o does not depend on sts_ready_i.
// Errors     a failed read is written out like any other (within the range commanded); the status
//            has the read's error first, else the write's. 0 bytes, or with Unaligned=0 an address
//            that is not beat-aligned: INTERNAL, no bus access.
// Probes     *_stall_o: why reader, writer moved nothing, see sl_mm2s, sl_s2mm. Reader's space: the
//            writer holds it up; writer's data: the reader has nothing for it.
// halt_i     level, held until idle_o: issued bursts end legally, the rest is dropped. Reset is at
//            once and regardless of the bus: halt first.
// Parameters as in sl_mm2s and sl_s2mm, which refuse wrong ones. CutThrough=1: a write burst is
//            opened when its first beat is there; shorter by some cycles, but only for slaves that
//            go on answering reads while a write burst waits for its data.
// Not supported: overlapping source and destination (the result then depends on timing).

`include "sl_axi.svh"

module sl_axi_cdma_copy
  import sl_mover_pkg::*;
#(
    parameter int unsigned AddrWidth   = 32,    // 32..64
    parameter int unsigned DataWidth   = 64,    // 32..512, power of two
    parameter int unsigned LenWidth    = 26,    // 8..26, bits of a byte count
    parameter int unsigned IdWidth     = 1,     // all transfers use ID 0
    parameter int unsigned MaxBurst    = 16,    // 2..256 beats, power of two
    parameter int unsigned BufferBeats = 512,   // per direction, power of two
    parameter int unsigned TagWidth    = 4,     // 1..32
    parameter int unsigned CmdDepth    = 32,    // 2..64, power of two
    parameter bit          Unaligned   = 1'b1,
    parameter bit          CutThrough  = 1'b0
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic halt_i,
    output logic idle_o,

    input  logic                 cmd_valid_i,
    output logic                 cmd_ready_o,
    input  logic [AddrWidth-1:0] cmd_src_i,
    input  logic [AddrWidth-1:0] cmd_dst_i,
    input  logic [ LenWidth-1:0] cmd_bytes_i,
    input  logic [ TagWidth-1:0] cmd_tag_i,

    output logic                sts_valid_o,
    input  logic                sts_ready_i,
    output logic [LenWidth-1:0] sts_bytes_o,
    output logic [         1:0] sts_error_o,
    output logic [TagWidth-1:0] sts_tag_o,

    output logic [3:0] rd_stall_o,  // {response, data, space, address}
    output logic [3:0] wr_stall_o,

    output logic [    IdWidth-1:0] m_axi_arid,
    output logic [  AddrWidth-1:0] m_axi_araddr,
    output logic [            7:0] m_axi_arlen,
    output logic [            2:0] m_axi_arsize,
    output logic [            1:0] m_axi_arburst,
    output logic                   m_axi_arlock,
    output logic [            3:0] m_axi_arcache,
    output logic [            2:0] m_axi_arprot,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    input  logic [    IdWidth-1:0] m_axi_rid,
    input  logic [  DataWidth-1:0] m_axi_rdata,
    input  logic [            1:0] m_axi_rresp,
    input  logic                   m_axi_rlast,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready,
    output logic [    IdWidth-1:0] m_axi_awid,
    output logic [  AddrWidth-1:0] m_axi_awaddr,
    output logic [            7:0] m_axi_awlen,
    output logic [            2:0] m_axi_awsize,
    output logic [            1:0] m_axi_awburst,
    output logic                   m_axi_awlock,
    output logic [            3:0] m_axi_awcache,
    output logic [            2:0] m_axi_awprot,
    output logic                   m_axi_awvalid,
    input  logic                   m_axi_awready,
    output logic [  DataWidth-1:0] m_axi_wdata,
    output logic [DataWidth/8-1:0] m_axi_wstrb,
    output logic                   m_axi_wlast,
    output logic                   m_axi_wvalid,
    input  logic                   m_axi_wready,
    input  logic [    IdWidth-1:0] m_axi_bid,
    input  logic [            1:0] m_axi_bresp,
    input  logic                   m_axi_bvalid,
    output logic                   m_axi_bready
);
  localparam int unsigned LaneBits = $clog2(DataWidth / 8);

  typedef struct packed {
    logic [AddrWidth-1:0] addr;
    logic [LenWidth-1:0]  bytes;
    logic [TagWidth-1:0]  tag;
  } write_t;

  // With Unaligned=0 a command that one mover would refuse has to be refused by both: each sees the
  // other's bits below a beat, too.
  logic [AddrWidth-1:0] src, dst;
  assign src = cmd_src_i | (Unaligned ? '0 : AddrWidth'(cmd_dst_i[LaneBits-1:0]));
  assign dst = cmd_dst_i | (Unaligned ? '0 : AddrWidth'(cmd_src_i[LaneBits-1:0]));

  logic read_ready, write_in_ready, cmd_take, halt_q, clear;
  logic write_next_valid, write_next_ready, write_valid, write_ready;
  write_t write_in, write_next, write;
  logic [$clog2(CmdDepth):0] unused_write_count;

  assign cmd_ready_o = read_ready && write_in_ready && !halt_q;
  assign cmd_take    = cmd_valid_i && cmd_ready_o;
  assign write_in    = '{addr: dst, bytes: cmd_bytes_i, tag: cmd_tag_i};
  assign clear       = halt_q;

  always_ff @(posedge clk_i) halt_q <= halt_i && rst_ni;

  sl_fifo #(
      .Width($bits(write_t)),
      .Depth(CmdDepth)
  ) u_write (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (cmd_take),
      .in_ready_o (write_in_ready),
      .in_data_i  (write_in),
      .out_valid_o(write_next_valid),
      .out_ready_i(write_next_ready),
      .out_data_o (write_next),
      .count_o    (unused_write_count)
  );

  // The writer's next command, out of the RAM's way: it is there long before its data.
  assign write_next_ready = !write_valid || write_ready;
  always_ff @(posedge clk_i) begin
    if (write_next_ready) begin
      write       <= write_next;
      write_valid <= write_next_valid;
    end
    if (!rst_ni || clear) write_valid <= 1'b0;
  end

  typedef struct packed {
    logic [DataWidth/8-1:0] keep;  // for the writer's checks alone, as is last
    logic                   last;
    logic [DataWidth-1:0]   data;
  } beat_t;

  beat_t read_beat, write_beat;
  logic  read_beat_valid, read_beat_ready, write_beat_valid, write_beat_ready;
  logic                   read_sts_valid, write_sts_valid, sts_take, read_idle, write_idle;
  logic                   read_done, read_done_ready;
  logic [LenWidth-1:0]    read_done_bytes, read_bytes, write_bytes;
  logic [1:0]             read_done_error, read_error, write_error;
  logic [$clog2(CmdDepth):0] unused_read_count;
  logic [TagWidth-1:0]    unused_read_tag;
  logic                   unused_read_eop, unused_write_eop, unused_held;

  sl_mm2s #(
      .AddrWidth  (AddrWidth),
      .DataWidth  (DataWidth),
      .LenWidth   (LenWidth),
      .TagWidth   (TagWidth),
      .IdWidth    (IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (CmdDepth),
      .Unaligned  (Unaligned)
  ) u_read (
      .clk_i,
      .rst_ni,
      .halt_i,
      .idle_o       (read_idle),
      .cmd_valid_i  (cmd_take),
      .cmd_ready_o  (read_ready),
      .cmd_addr_i   (src),
      .cmd_bytes_i,
      .cmd_eop_i    (1'b1),
      .cmd_tag_i,
      .sts_valid_o  (read_done),
      .sts_ready_i  (read_done_ready || halt_i),
      .sts_bytes_o  (read_done_bytes),
      .sts_eop_o    (unused_read_eop),
      .sts_error_o  (read_done_error),
      .sts_tag_o    (unused_read_tag),
      .stall_addr_o (rd_stall_o[0]),
      .stall_space_o(rd_stall_o[1]),
      .stall_data_o (rd_stall_o[2]),
      .stall_resp_o (rd_stall_o[3]),
      `SL_AXI_PINS_RD(m_axi_, m_axi_),
      .m_axis_tdata (read_beat.data),
      .m_axis_tkeep (read_beat.keep),
      .m_axis_tlast (read_beat.last),
      .m_axis_tvalid(read_beat_valid),
      .m_axis_tready(read_beat_ready)
  );

  // Cuts the path from the writer's bytes left to the reader's buffer; smaller than a register
  // slice, which needs a multiplexer for every bit.
  logic [1:0] unused_beat_count;
  sl_fifo #(
      .Width($bits(beat_t)),
      .Depth(2)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (read_beat_valid),
      .in_ready_o (read_beat_ready),
      .in_data_i  (read_beat),
      .out_valid_o(write_beat_valid),
      .out_ready_i(write_beat_ready),
      .out_data_o (write_beat),
      .count_o    (unused_beat_count)
  );

  sl_s2mm #(
      .AddrWidth  (AddrWidth),
      .DataWidth  (DataWidth),
      .LenWidth   (LenWidth),
      .TagWidth   (TagWidth),
      .IdWidth    (IdWidth),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (CmdDepth),
      .Unaligned  (Unaligned),
      .CutThrough (CutThrough),
      .Counted    (1'b1)
  ) u_writer (
      .clk_i,
      .rst_ni,
      .halt_i,
      .idle_o       (write_idle),
      .cmd_valid_i  (write_valid),
      .cmd_ready_o  (write_ready),
      .cmd_addr_i   (write.addr),
      .cmd_bytes_i  (write.bytes),
      .cmd_eop_i    (1'b1),
      .cmd_tag_i    (write.tag),
      .sts_valid_o  (write_sts_valid),
      .sts_ready_i  (sts_take),
      .sts_bytes_o  (write_bytes),
      .sts_eop_o    (unused_write_eop),
      .sts_error_o  (write_error),
      .sts_tag_o,
      .stall_addr_o (wr_stall_o[0]),
      .stall_space_o(wr_stall_o[1]),
      .stall_data_o (wr_stall_o[2]),
      .stall_resp_o (wr_stall_o[3]),
      .held_o       (unused_held),
      `SL_AXI_PINS_WR(m_axi_, m_axi_),
      .s_axis_tdata (write_beat.data),
      .s_axis_tkeep (write_beat.keep),
      .s_axis_tlast (write_beat.last),
      .s_axis_tvalid(write_beat_valid),
      .s_axis_tready(write_beat_ready)
  );

  // Statuses of reads wait here for their writes' responses, so that the reader does not wait.
  sl_fifo #(
      .Width(LenWidth + 2),
      .Depth(CmdDepth)
  ) u_read_done (
      .clk_i,
      .rst_ni,
      .clear_i    (clear),
      .in_valid_i (read_done),
      .in_ready_o (read_done_ready),
      .in_data_i  ({read_done_bytes, read_done_error}),
      .out_valid_o(read_sts_valid),
      .out_ready_i(sts_take),
      .out_data_o ({read_bytes, read_error}),
      .count_o    (unused_read_count)
  );

  assign sts_valid_o = read_sts_valid && write_sts_valid;
  assign sts_take    = halt_i || (sts_valid_o && sts_ready_i);
  assign sts_bytes_o = read_bytes < write_bytes ? read_bytes : write_bytes;
  assign sts_error_o = read_error != OKAY ? read_error : write_error;
  // A copy is in one of the movers at any time: from the queue of writes it leaves for the writer
  // before the reader's status can go.
  assign idle_o      = read_idle && write_idle && !write_next_valid && !write_valid;
endmodule
