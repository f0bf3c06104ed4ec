// SPDX-License-Identifier: Apache-2.0
// Dispatcher of sl_msgdma: queues descriptors, hands them to the movers as commands, and makes one
// response and at most one interrupt event of each.
//
// Queues: one for the reading mover, one for the writing mover, QueueDepth each, filled together;
//   `full_o` (and `desc_ready_o` low) while one of them or the table of what each descriptor asked
//   for is full. Memory to memory: reads run ahead of writes, across descriptors.
// Handshake: `desc_ready_o` comes from registers. A command stays until taken, except for
//   `quiesce_i` (soft reset: nothing is offered, completed or kept; the movers are halted).
// Throughput: a descriptor a cycle in, out and completed. Latency: `desc_valid_i` to command 1
//   cycle; the movers' last status to `done` (response, interrupt, counters) the same cycle.
// Refused descriptors (length 0 or 2^LenWidth and more, address beyond AddrWidth, with Unaligned=0
//   not aligned to the data, or of a length that is no multiple of the data where nothing ends the
//   packet) pass the movers as commands of 0 bytes, so that they keep their place.
// Stop: `stop_i` holds back descriptors of which nothing was handed out; `stopped_o`: and those
//   begun have completed.
// Order: responses in the order of descriptors. `busy_o` falls with the push of the last response.
// Reset: `rst_ni` empties everything; hold it with the movers' reset.
// Parameters are checked by sl_msgdma.
module sl_msgdma_dispatch
  import sl_mover_pkg::*;
  import sl_msgdma_pkg::*;
#(
    parameter logic [1:0]  Mode       = MEM_TO_MEM,
    parameter int unsigned AddrWidth  = 32,
    parameter int unsigned DataWidth  = 64,
    parameter int unsigned LenWidth   = 31,
    parameter int unsigned QueueDepth = 32,
    parameter bit          Unaligned  = 1'b0,
    parameter bit          Packets    = 1'b0
) (
    input logic clk_i,
    input logic rst_ni,
    input logic quiesce_i,

    input  logic  desc_valid_i,
    output logic  desc_ready_o,
    input  desc_t desc_i,

    input  logic                        stop_i,
    output logic                        busy_o,
    output logic                        empty_o,
    output logic                        full_o,
    output logic                        stopped_o,
    output logic [$clog2(QueueDepth):0] rd_level_o,
    output logic [$clog2(QueueDepth):0] wr_level_o,
    output logic [                15:0] rd_seq_o,
    output logic [                15:0] wr_seq_o,

    // One a descriptor; done_o marks the cycle
    output logic      resp_valid_o,
    input  logic      resp_ready_i,
    output response_t resp_o,
    output logic      done_o,
    output logic      irq_o,

    output logic                 rd_cmd_valid_o,
    input  logic                 rd_cmd_ready_i,
    output logic [AddrWidth-1:0] rd_cmd_addr_o,
    output logic [ LenWidth-1:0] rd_cmd_bytes_o,
    output logic                 rd_cmd_eop_o,
    input  logic                 rd_sts_valid_i,
    output logic                 rd_sts_ready_o,
    input  logic [ LenWidth-1:0] rd_sts_bytes_i,
    input  logic [          1:0] rd_sts_error_i,

    output logic                 wr_cmd_valid_o,
    input  logic                 wr_cmd_ready_i,
    output logic [AddrWidth-1:0] wr_cmd_addr_o,
    output logic [ LenWidth-1:0] wr_cmd_bytes_o,
    input  logic                 wr_sts_valid_i,
    output logic                 wr_sts_ready_o,
    input  logic [ LenWidth-1:0] wr_sts_bytes_i,
    input  logic                 wr_sts_eop_i,
    input  logic [          1:0] wr_sts_error_i
);
  localparam bit UseRead = Mode != STREAM_TO_MEM;
  localparam bit UseWrite = Mode != MEM_TO_STREAM;
  localparam int unsigned Lanes = $clog2(DataWidth / 8);
  // Descriptors between the queues and their responses: what both movers hold, and more.
  localparam int unsigned InMovers = 96;
  localparam int unsigned TableDepth = 2 ** $clog2(QueueDepth + InMovers);
  localparam int unsigned LevelBits = $clog2(QueueDepth) + 1;
  localparam int unsigned TableBits = $clog2(TableDepth) + 1;

  typedef struct packed {
    logic [AddrWidth-1:0] addr;
    logic [LenWidth-1:0]  bytes;
    logic                 eop;
    logic [15:0]          seq;
  } cmd_t;

  typedef struct packed {
    logic [7:0] error_irq;
    logic       early_irq;
    logic       complete_irq;
    logic       end_on_eop;
  } asked_t;

  typedef struct packed {
    logic [LenWidth-1:0] bytes;
    logic [1:0]          error;
  } rd_sts_t;

  // ------------------------------------------------------------------------------ what is refused
  function automatic logic bad_address(input logic [63:0] addr);
    bad_address = (64'(AddrWidth'(addr)) != addr) || (!Unaligned && addr[Lanes-1:0] != '0);
  endfunction

  logic push, refused, ragged;
  cmd_t rd_in, wr_in, rd_head, wr_head;

  // Without realignment a beat belongs to one descriptor: one that ends inside a beat must end its
  // packet, or the stream's.
  assign ragged = !Unaligned && desc_i.length[Lanes-1:0] != '0 &&
      ((Mode == MEM_TO_STREAM && !desc_i.gen_eop) || (Mode == STREAM_TO_MEM && !Packets));
  assign refused = desc_i.length == '0 || (desc_i.length >> LenWidth) != '0 || ragged ||
      (UseRead && bad_address(desc_i.read_addr)) || (UseWrite && bad_address(desc_i.write_addr));
  assign rd_in = '{
      addr: desc_i.read_addr[AddrWidth-1:0],
      bytes: refused ? '0 : desc_i.length[LenWidth-1:0],
      eop: Mode == MEM_TO_MEM || desc_i.gen_eop,
      seq: desc_i.seq
  };
  assign wr_in = '{
      addr: desc_i.write_addr[AddrWidth-1:0],
      bytes: refused ? '0 : desc_i.length[LenWidth-1:0],
      eop: 1'b0,
      seq: desc_i.seq
  };

  // --------------------------------------------------------------------------------------- queues
  logic                 rd_head_valid, wr_head_valid, rd_take, wr_take, lead_take;
  logic [LevelBits-1:0] rd_level_q, wr_level_q;
  logic [TableBits-1:0] table_q;  // descriptors taken and not completed
  logic [TableBits-1:0] begun_q;  // of these, handed to the first mover
  logic [TableBits-1:0] ahead_q;  // of these, not yet handed to the writing mover
  logic                 asked_valid;
  asked_t               asked_in, asked;

  assign full_o       = rd_level_q[LevelBits-1] || wr_level_q[LevelBits-1] || table_q[TableBits-1];
  assign desc_ready_o = !full_o && !quiesce_i;
  assign push         = desc_valid_i && desc_ready_o;
  assign empty_o      = rd_level_q == '0 && wr_level_q == '0;
  assign busy_o       = table_q != '0;
  assign stopped_o    = stop_i && begun_q == '0;
  assign rd_level_o   = rd_level_q;
  assign wr_level_o   = wr_level_q;
  assign lead_take    = UseRead ? rd_take : wr_take;

  always_ff @(posedge clk_i) begin
    rd_level_q <= rd_level_q + LevelBits'(push && UseRead) - LevelBits'(rd_take);
    wr_level_q <= wr_level_q + LevelBits'(push && UseWrite) - LevelBits'(wr_take);
    table_q    <= table_q + TableBits'(push) - TableBits'(done_o);
    begun_q    <= begun_q + TableBits'(lead_take) - TableBits'(done_o);
    ahead_q    <= ahead_q + TableBits'(rd_take) - TableBits'(wr_take);
    if (rd_take) rd_seq_o <= rd_head.seq;
    if (wr_take) wr_seq_o <= wr_head.seq;
    if (!rst_ni) begin
      rd_level_q <= '0;
      wr_level_q <= '0;
      table_q    <= '0;
      begun_q    <= '0;
      ahead_q    <= '0;
      rd_seq_o   <= '0;
      wr_seq_o   <= '0;
    end
  end

  assign asked_in = '{
      error_irq: desc_i.error_irq,
      early_irq: desc_i.early_irq,
      complete_irq: desc_i.complete_irq,
      end_on_eop: desc_i.end_on_eop
  };

  logic                        unused_table_ready;
  logic [$clog2(TableDepth):0] unused_table_count;

  sl_fifo #(
      .Width($bits(asked_t)),
      .Depth(TableDepth)
  ) u_table (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (push),
      .in_ready_o (unused_table_ready),
      .in_data_i  (asked_in),
      .out_valid_o(asked_valid),
      .out_ready_i(done_o),
      .out_data_o (asked),
      .count_o    (unused_table_count)
  );

  // ----------------------------------------------------------------------------------- completion
  logic    rd_sts_valid;
  rd_sts_t rd_sts;
  logic    both;

  if (UseRead) begin : gen_read
    logic                        unused_ready;
    logic [$clog2(QueueDepth):0] unused_count;
    logic [                 6:0] unused_sts_count;

    sl_fifo #(
        .Width($bits(cmd_t)),
        .Depth(QueueDepth)
    ) u_queue (
        .clk_i,
        .rst_ni,
        .clear_i    (1'b0),
        .in_valid_i (push),
        .in_ready_o (unused_ready),
        .in_data_i  (rd_in),
        .out_valid_o(rd_head_valid),
        .out_ready_i(rd_take),
        .out_data_o (rd_head),
        .count_o    (unused_count)
    );

    // Memory to memory: reads end long before their writes; the mover is not to wait for those.
    sl_fifo #(
        .Width($bits(rd_sts_t)),
        .Depth(64)
    ) u_status (
        .clk_i,
        .rst_ni,
        .clear_i    (1'b0),
        .in_valid_i (rd_sts_valid_i),
        .in_ready_o (rd_sts_ready_o),
        .in_data_i  ({rd_sts_bytes_i, rd_sts_error_i}),
        .out_valid_o(rd_sts_valid),
        .out_ready_i(done_o),
        .out_data_o (rd_sts),
        .count_o    (unused_sts_count)
    );
  end else begin : gen_no_read
    logic unused;

    assign unused         = &{rd_in, rd_sts_valid_i, rd_sts_bytes_i, rd_sts_error_i};
    assign rd_head_valid  = 1'b0;
    assign rd_head        = '0;
    assign rd_sts_valid   = 1'b1;
    assign rd_sts         = '0;
    assign rd_sts_ready_o = 1'b1;
  end

  if (UseWrite) begin : gen_write
    logic                        unused_ready;
    logic [$clog2(QueueDepth):0] unused_count;

    sl_fifo #(
        .Width($bits(cmd_t)),
        .Depth(QueueDepth)
    ) u_queue (
        .clk_i,
        .rst_ni,
        .clear_i    (1'b0),
        .in_valid_i (push),
        .in_ready_o (unused_ready),
        .in_data_i  (wr_in),
        .out_valid_o(wr_head_valid),
        .out_ready_i(wr_take),
        .out_data_o (wr_head),
        .count_o    (unused_count)
    );
  end else begin : gen_no_write
    logic unused;

    assign unused        = ^{wr_in};
    assign wr_head_valid = 1'b0;
    assign wr_head       = '0;
  end

  // A command that is offered stays on offer when a stop comes: the movers' ports are handshakes.
  logic lead_open_q, lead_open;

  assign lead_open = lead_open_q || !stop_i;

  always_ff @(posedge clk_i) begin
    lead_open_q <= lead_open && (UseRead ? rd_head_valid && !rd_take : wr_head_valid && !wr_take);
    if (!rst_ni) lead_open_q <= 1'b0;
  end

  assign rd_cmd_valid_o = rd_head_valid && lead_open && !quiesce_i;
  assign rd_take        = rd_cmd_valid_o && rd_cmd_ready_i;
  assign rd_cmd_addr_o  = rd_head.addr;
  assign rd_cmd_bytes_o = rd_head.bytes;
  assign rd_cmd_eop_o   = rd_head.eop;

  assign wr_cmd_valid_o = wr_head_valid && (UseRead ? ahead_q != '0 : lead_open) && !quiesce_i;
  assign wr_take        = wr_cmd_valid_o && wr_cmd_ready_i;
  assign wr_cmd_addr_o  = wr_head.addr;
  assign wr_cmd_bytes_o = wr_head.bytes;

  // A descriptor completes when every mover it used has answered and its response has room.
  assign both           = asked_valid && rd_sts_valid && (wr_sts_valid_i || !UseWrite);
  assign resp_valid_o   = both && !quiesce_i;
  assign done_o         = resp_valid_o && resp_ready_i;
  assign wr_sts_ready_o = done_o || quiesce_i;

  logic [1:0]          wr_error;
  logic [LenWidth-1:0] wr_bytes;
  logic [4:0]          error;
  logic                early;

  assign wr_error = UseWrite ? wr_sts_error_i : OKAY;
  assign wr_bytes = UseWrite ? wr_sts_bytes_i : '0;
  assign error = {
    wr_error == SLVERR || wr_error == DECERR,
    rd_sts.error == SLVERR || rd_sts.error == DECERR,
    wr_error == DECERR || rd_sts.error == DECERR,
    wr_error == SLVERR || rd_sts.error == SLVERR,
    wr_error == INTERNAL || rd_sts.error == INTERNAL
  };
  assign early = Mode == STREAM_TO_MEM && Packets && asked.end_on_eop && !wr_sts_eop_i &&
      wr_error != INTERNAL;
  assign resp_o = '{
      early: early,
      error: error,
      bytes: 32'(!UseWrite || (UseRead && rd_sts.bytes < wr_bytes) ? rd_sts.bytes : wr_bytes)
  };
  assign irq_o = done_o && (asked.complete_irq || (asked.early_irq && early) ||
                            (asked.error_irq[4:0] & error) != '0);

  logic unused_bits;
  assign unused_bits = ^{rd_head, wr_head, asked.error_irq, wr_sts_valid_i, wr_sts_bytes_i,
                         wr_sts_eop_i, wr_sts_error_i, desc_i};
endmodule
