// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_fetch. Credits: no descriptor is asked for without one, none is lost or made, and none
// remains when the run or the mode has ended or a reset was asked for. Room: no descriptor is asked
// for that there is no room for. Adjacency: every read lies in the block that the start, or the
// last descriptor of the block before, has named; so does every burst of it, which stays inside
// its 4 KiB. After a descriptor with STOP or without the magic number, or a failed read, none is
// asked for. The bus may answer anything at any time. Descriptors are looked at where they come out
// of the mover.

`include "sl_axi.svh"

module prove_sl_xdma_fetch #(
    parameter int unsigned DataWidth  = 256,
    localparam int unsigned BeatBytes  = DataWidth / 8,
    localparam int unsigned ReadBytes  = 512,  // of the largest read: ReadDescs = 16
    localparam int unsigned CntBits    = 2,    // of sl_burst_split here
    localparam int unsigned LaneBits   = $clog2(BeatBytes),
    localparam int unsigned Depth      = 32    // descriptors
) (
    input logic                 clk_i,
    input logic                 rst_ni,
    input logic                 enable_i,
    input logic                 run_i,
    input logic                 reset_i,
    input logic [63:5]          first_i,
    input logic [5:0]           adjacent_i,
    input logic                 hold_i,
    input logic                 credit_mode_i,
    input logic                 credit_add_i,
    input logic [9:0]           credits_i,
    input logic                 desc_ready_i,
    input logic                 m_axi_arready,
    input logic [DataWidth-1:0] m_axi_rdata,
    input logic [1:0]           m_axi_rresp,
    input logic                 m_axi_rlast,
    input logic                 m_axi_rvalid
);

  logic [9:0]                  credits;
  logic                        desc_valid, idle;
  sl_xdma_pkg::sl_xdma_desc_t  desc;

  sl_axi_if #(.AddrWidth(64), .DataWidth(DataWidth)) bus ();
  assign bus.arready = m_axi_arready;
  assign bus.rid     = 1'b0;
  assign bus.rdata   = m_axi_rdata;
  assign bus.rresp   = m_axi_rresp;
  assign bus.rlast   = m_axi_rlast;
  assign bus.rvalid  = m_axi_rvalid;

  sl_xdma_fetch #(
      .Depth(Depth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .enable_i,
      .run_i,
      .reset_i,
      .first_i,
      .adjacent_i,
      .hold_i,
      .credit_mode_i,
      .credit_add_i,
      .credits_i,
      .credits_o   (credits),
      .desc_valid_o(desc_valid),
      .desc_ready_i,
      .desc_o      (desc),
      .idle_o      (idle),
      .m_axi       (bus)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    assume (enable_i || !desc_ready_i);
  end

  // What is asked for: a read of some descriptors. The mover begins it later.
  logic        ask, begins;
  logic [63:5] ask_addr;
  logic [63:5] ask_count;
  assign ask       = u_dut.ask;
  assign ask_addr  = u_dut.addr_q;
  assign ask_count = 59'(u_dut.want_q);
  assign begins    = u_dut.cmd_valid && u_dut.cmd_ready;

  // ---- credits ----------------------------------------------------------------------------------
  logic [15:0] have_q, sum;
  logic        run_q;

  assign sum = have_q + (credit_add_i ? 16'(credits_i) : '0) -
               (ask && credit_mode_i ? 16'(ask_count) : '0);

  always_ff @(posedge clk_i) begin
    have_q <= sum > 1023 ? 16'd1023 : sum;
    run_q  <= run_i;
    if (!rst_ni || !credit_mode_i || reset_i || (run_q && !run_i)) have_q <= '0;
    if (started_q) begin
      assert (16'(credits) == have_q && have_q <= 1023);
      if (ask && credit_mode_i) assert (16'(ask_count) <= have_q);
      assert (u_dut.run_q == run_q);
    end
  end

  // ---- room -------------------------------------------------------------------------------------
  logic [5:0] owed_q;  // asked for, and not taken out

  always_ff @(posedge clk_i) begin
    owed_q <= owed_q + (ask ? 6'(ask_count) : '0) - 6'(u_dut.pop);
    if (!enable_i) owed_q <= '0;
    // Not more comes out of the mover than was asked for: its own proofs have that.
    assume (!u_dut.pop || owed_q != '0);
    if (!started_q) assume (owed_q == '0 && u_dut.room_q == 6'(Depth) && !u_dut.want_valid_q);
    if (started_q) begin
      assert (owed_q <= 6'(Depth) && u_dut.room_q == 6'(Depth) - owed_q);
      assert (!u_dut.want_valid_q || 6'(u_dut.want_q) <= u_dut.room_q);
      if (ask) assert (6'(ask_count) <= 6'(Depth) - owed_q);
    end
  end

  // ---- blocks -----------------------------------------------------------------------------------
  // The block ends at end_q, as the start has it, or the last descriptor that came. A read that
  // ends a block is followed by none before its status.
  logic [63:5]  end_q, last_next_q;
  logic [5:0]   last_adjacent_q;
  logic [255:0] word;
  logic         word_valid, stop_q, on_q, block_q;
  logic         seen_q;  // a descriptor came since the start
  logic [63:5]  asked_addr_q, asked_count_q;

  assign word       = u_dut.descs.tdata;
  assign word_valid = u_dut.descs.tvalid && on_q;
  // The status of the read that ends the block is there.
  assign block_q    = u_dut.sts_valid && u_dut.sts_error == 2'b00 && u_dut.sts_last && !u_dut.end_q;

  always_ff @(posedge clk_i) begin
    if (ask) begin
      asked_addr_q  <= ask_addr;
      asked_count_q <= ask_count;
    end
    on_q   <= rst_ni && enable_i;
    seen_q <= on_q && (seen_q || word_valid);
    if (word_valid) begin
      last_next_q     <= word[255:197];
      last_adjacent_q <= word[13:8];
    end
    if (block_q) end_q <= last_next_q + 59'(last_adjacent_q) + 1'b1;
    if (!on_q) end_q <= first_i + 59'(adjacent_i) + 1'b1;
    stop_q <= on_q && (stop_q || word_valid && (word[0] || word[31:16] != 16'hAD4B) ||
                       u_dut.error_q != 2'b00);
    // Before a first one came it is what the registers were switched on with.
    assume (started_q || (on_q == u_dut.enable_q && u_dut.next_q == last_next_q &&
                          u_dut.next_adjacent_q == last_adjacent_q));
    if (started_q) begin
      assert (on_q == u_dut.enable_q);
      if (on_q) begin
        assert (u_dut.addr_q + 59'(u_dut.left_q) == end_q);
        assert (u_dut.left_q <= 64);
        assert (u_dut.end_q || !stop_q);
      end
      if (u_dut.want_valid_q) begin
        assert (u_dut.want_q != '0 && u_dut.want_q <= 16 && 7'(u_dut.want_q) <= u_dut.left_q);
        assert (u_dut.want_last_q == (7'(u_dut.want_q) == u_dut.left_q));
      end
      // Asked for out of the block, from where the read before ended.
      if (ask) begin
        assert (ask_count != '0 && ask_count <= 16);
        assert (end_q - ask_addr >= ask_count && end_q - ask_addr <= 64);
        assert (enable_i && !hold_i && !stop_q);
      end
      // It is begun as it was asked for, unless it is too late.
      assert (!u_dut.cmd_valid_q || u_dut.cmd_count_q != '0 && u_dut.cmd_count_q <= 16 &&
                                    u_dut.cmd_addr_q == asked_addr_q &&
                                    59'(u_dut.cmd_count_q) == asked_count_q);
      assert (!begins || enable_i && !hold_i && !stop_q);
      // What the next block begins with is what came last.
      assert (u_dut.next_q == last_next_q && u_dut.next_adjacent_q == last_adjacent_q);
    end
  end

  // ---- bursts -----------------------------------------------------------------------------------
  // Bytes of the read that bursts are made of, from next_q on.
  logic [63:0] next_q;
  logic [9:0]  left_q, bytes, room;
  logic [9:0]  end_pos;

  assign room    = 10'(ReadBytes) - 10'(next_q[8:0]);
  assign bytes   = left_q < room ? left_q : room;
  assign end_pos = 10'(next_q[8:0]) + left_q - 1'b1;

  always_ff @(posedge clk_i) begin
    if (begins) begin
      next_q <= {asked_addr_q, 5'd0};
      left_q <= 10'(asked_count_q) << 5;
    end else if (bus.arvalid && m_axi_arready) begin
      next_q <= next_q + 64'(bytes);
      left_q <= left_q - bytes;
    end
    if (!rst_ni || u_dut.u_mover.clear) left_q <= '0;
    if (started_q) begin
      assert (u_dut.u_mover.burst_valid == (left_q != '0));
      assert (left_q <= 10'(ReadBytes) && left_q[4:0] == '0);
      if (left_q != '0) begin
        assert (next_q[4:0] == '0);
        assert (bus.araddr == next_q);
        // The last byte of the burst is of the read, and of the page.
        assert ((10'(bus.arlen) + 1'b1) << LaneBits ==
                (bytes + 10'(next_q[LaneBits-1:0]) + 10'(BeatBytes - 1)) >> LaneBits << LaneBits);
        assert (13'(next_q[11:0]) + 13'(bytes) <= 13'd4096);
        assert (10'(u_dut.u_mover.u_split.gen_last.left_n_q) +
                10'(u_dut.u_mover.u_split.gen_last.inc_q) + (end_pos >> 9) == 1 << CntBits);
        assert (u_dut.u_mover.u_split.gen_last.end_q == (end_pos[8:0] >> LaneBits));
        assert (u_dut.u_mover.u_split.gen_last.last_q == (bytes == left_q));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    cover (started_q && ask && credit_mode_i && 16'(ask_count) == have_q);
    cover (started_q && ask && seen_q && end_q - ask_addr == 59'd3);
    cover (started_q && stop_q && desc_valid && desc.stop);
  end

  logic unused;
  assign unused = &{1'b0, idle, bus.rready};

endmodule
