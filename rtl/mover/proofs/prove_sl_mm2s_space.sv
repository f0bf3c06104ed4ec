// SPDX-License-Identifier: Apache-2.0
//
// sl_mm2s: a read burst is asked for only when the buffer has room for all of it, counting what was
// promised before, so that RREADY may be high always and no beat of R is lost. The slave is any
// that answers what was asked: beats and bursts are counted, not their lengths one by one, which
// allows more than AXI does.

module prove_sl_mm2s_space #(
    parameter bit Unaligned = 1'b0,
    parameter int unsigned MaxBurst = 64,
    localparam int unsigned BufferBeats = 128
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        halt_i,
    input logic        cmd_valid_i,
    input logic [31:0] cmd_addr_i,
    input logic [9:0]  cmd_bytes_i,
    input logic        cmd_eop_i,
    input logic        cmd_tag_i,
    input logic        sts_ready_i,
    input logic        m_axi_arready,
    input logic [31:0] m_axi_rdata,
    input logic [1:0]  m_axi_rresp,
    input logic        m_axi_rlast,
    input logic        m_axi_rvalid,
    input logic        m_axis_tready
);

  logic       arvalid, rready, stall_space;
  logic [7:0] arlen;

  sl_mm2s #(
      .DataWidth  (32),
      .LenWidth   (10),
      .TagWidth   (1),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (2),
      .Unaligned  (Unaligned)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .halt_i,
      .cmd_valid_i,
      .cmd_addr_i,
      .cmd_bytes_i,
      .cmd_eop_i,
      .cmd_tag_i,
      .sts_ready_i,
      .stall_space_o(stall_space),
      .m_axi_arlen  (arlen),
      .m_axi_arvalid(arvalid),
      .m_axi_arready,
      .m_axi_rid    (1'b0),
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready (rready),
      .m_axis_tready
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
  end

  logic [15:0] beats_q, bursts_q;  // asked for and not yet answered
  logic [15:0] beats_left, bursts_left;  // after this cycle's beat of R
  logic        ar, waited_q;

  assign ar          = arvalid && m_axi_arready;
  assign beats_left  = beats_q - 16'(m_axi_rvalid);
  assign bursts_left = bursts_q - 16'(m_axi_rvalid && m_axi_rlast);

  always_ff @(posedge clk_i) begin
    if (m_axi_rvalid) begin
      assume (beats_q != '0 && bursts_q != '0);
      assume (beats_left >= bursts_left);
      assume ((beats_left == '0) == (bursts_left == '0));
    end
    beats_q  <= beats_left + (ar ? 16'(arlen) + 1'b1 : 16'd0);
    bursts_q <= bursts_left + 16'(ar);
    waited_q <= started_q && rst_ni && (stall_space || waited_q);
    if (!rst_ni) begin
      beats_q  <= '0;
      bursts_q <= '0;
    end
  end

  logic [15:0] stored;  // beats in the buffer
  logic [1:0]  regs;
  assign regs   = 2'(u_dut.u_buffer.gen_block.out_valid_q) +
                  2'(u_dut.u_buffer.gen_block.next_valid_q) +
                  2'(u_dut.u_buffer.gen_block.ram_valid_q);
  assign stored = 16'(u_dut.u_buffer.count_q) + 16'(regs);

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      assert (rready);
      assert (!m_axi_rvalid || u_dut.u_buffer.in_ready_o);
      assert (!ar || u_dut.free_q > 8'(arlen));
      assert (stored <= 16'(BufferBeats) && beats_q <= 16'(BufferBeats));
      assert (u_dut.free_q <= 8'(BufferBeats) && bursts_q <= 64);
      // All room is free, promised or taken.
      assert (16'(u_dut.free_q) + beats_q + stored == 16'(BufferBeats));
      assert (!u_dut.space_q || u_dut.free_q >= 8'(MaxBurst));
      assert (bursts_q == 16'(u_dut.u_bursts.count_q));
      assert (u_dut.u_bursts.gen_lut.valid_q == (bursts_q != '0));
      assert (beats_q >= bursts_q && (beats_q == '0) == (bursts_q == '0));
      // The buffer's own invariants: see prove_sl_fifo.
      assert (u_dut.u_buffer.gen_block.ram_any_q == (u_dut.u_buffer.count_q != '0));
      if (u_dut.u_buffer.gen_block.next_valid_q || u_dut.u_buffer.gen_block.ram_valid_q)
        assert (u_dut.u_buffer.gen_block.out_valid_q);
      if (u_dut.u_buffer.gen_block.ram_any_q) assert (regs >= 2);
      if (u_dut.u_buffer.gen_block.ram_any_q && !u_dut.u_buffer.gen_block.ram_valid_q)
        assert (u_dut.u_buffer.count_q == 1);
    end
    cover (started_q && stall_space && beats_q >= 16'(MaxBurst));
    cover (started_q && waited_q && stored != '0 && m_axi_rvalid && m_axi_rlast && bursts_q == 1);
  end

endmodule
