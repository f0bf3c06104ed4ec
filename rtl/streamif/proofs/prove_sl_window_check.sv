// SPDX-License-Identifier: Apache-2.0
//
// sl_window_check: a command passes exactly if one window of its thread that grants its direction
// holds all its bytes, and the answer comes after Windows + 2 cycles. Assumed: commands have bytes.
// The windows are mirrored here as they were set; nothing is assumed of when, or of their bounds.

module prove_sl_window_check #(
    parameter int unsigned  NumThreads = 2,
    parameter int unsigned  Windows    = 4,
    localparam int unsigned ThreadBits = $clog2(NumThreads),
    localparam int unsigned WindowBits = $clog2(Windows),
    localparam int unsigned Slots      = NumThreads * Windows
) (
    input logic                  clk_i,
    input logic                  rst_ni,
    input logic                  set_valid_i,
    input logic [ThreadBits-1:0] set_thread_i,
    input logic [WindowBits-1:0] set_window_i,
    input logic [31:0]           set_base_i,
    input logic [31:0]           set_limit_i,
    input logic                  set_read_i,
    input logic                  set_write_i,
    input logic                  cmd_valid_i,
    input logic [ThreadBits-1:0] cmd_thread_i,
    input logic                  cmd_write_i,
    input logic [31:0]           cmd_addr_i,
    input logic [25:0]           cmd_bytes_i
);

  logic set_ready, cmd_ready, done, ok;

  sl_window_check #(
      .NumThreads(NumThreads),
      .Windows   (Windows)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .set_valid_i,
      .set_ready_o(set_ready),
      .set_thread_i,
      .set_window_i,
      .set_base_i,
      .set_limit_i,
      .set_read_i,
      .set_write_i,
      .cmd_valid_i,
      .cmd_ready_o(cmd_ready),
      .cmd_thread_i,
      .cmd_write_i,
      .cmd_addr_i,
      .cmd_bytes_i,
      .done_o     (done),
      .ok_o       (ok)
  );

  logic                    started_q = 1'b0;
  logic [Slots-1:0][31:0]  base_q, limit_q;
  logic [Slots-1:0]        read_q, write_q;
  logic                    busy_q;
  logic [3:0]              age_q;  // cycles since the command was taken
  logic [ThreadBits-1:0]   thread_q;
  logic                    cmd_write_q;
  logic [32:0]             addr_q, end_q;  // first byte, and the one after the last
  logic [Slots-1:0]        holds;  // the command lies in the window, which grants it
  logic [Windows-1:0]      seen;  // windows that were looked at

  always_comb begin
    for (int unsigned slot = 0; slot < Slots; slot++) begin
      holds[slot] = slot / Windows == 32'(thread_q) &&
                    (cmd_write_q ? write_q[slot] : read_q[slot]) &&
                    addr_q >= {1'b0, base_q[slot][31:3], 3'd0} &&
                    end_q <= {1'b0, limit_q[slot][31:3], 3'd7} + 33'd1;
    end
    for (int unsigned w = 0; w < Windows; w++) seen[w] = 32'(age_q) >= w + 3;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assume (started_q || !rst_ni);
    assume (cmd_bytes_i != '0);

    if (set_valid_i && set_ready) begin
      base_q[{set_thread_i, set_window_i}]  <= set_base_i;
      limit_q[{set_thread_i, set_window_i}] <= set_limit_i;
      read_q[{set_thread_i, set_window_i}]  <= set_read_i;
      write_q[{set_thread_i, set_window_i}] <= set_write_i;
    end
    if (busy_q) age_q <= age_q + 1'b1;
    if (done) busy_q <= 1'b0;
    if (cmd_valid_i && cmd_ready) begin
      busy_q      <= 1'b1;
      age_q       <= 4'd1;
      thread_q    <= cmd_thread_i;
      cmd_write_q <= cmd_write_i;
      addr_q      <= {1'b0, cmd_addr_i};
      end_q       <= 33'(cmd_addr_i) + 33'(cmd_bytes_i);
    end
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      read_q  <= '0;
      write_q <= '0;
    end

    if (started_q) begin
      assert (done == (busy_q && age_q == 4'(Windows + 2)));
      if (done) assert (ok == (holds != '0));
      assert (cmd_ready == (!set_valid_i && (!busy_q || done)));
      // Inside, to induce.
      assert (u_dut.read_q == read_q && u_dut.write_q == write_q);
      for (int unsigned slot = 0; slot < Slots; slot++) begin
        if (read_q[slot] || write_q[slot])
          assert (u_dut.windows[slot] == {base_q[slot][31:3], limit_q[slot][31:3]});
      end
      assert (!busy_q || (age_q >= 1 && age_q <= 4'(Windows + 2)));
      assert (u_dut.busy_q == (busy_q && !done));
      assert (u_dut.first_q == (busy_q && age_q == 1));
      if (busy_q) begin
        assert (u_dut.thread_q == thread_q && u_dut.cmd_write_q == cmd_write_q);
        assert (u_dut.addr_q == addr_q[31:0] && !addr_q[32]);
        assert (end_q > addr_q && end_q - addr_q < 33'd1 << 26);
        if (age_q == 1) assert (33'(u_dut.bytes_q) == end_q - addr_q);
        if (age_q == 1) assert (!u_dut.hit_q);
        if (age_q == 1 || age_q == 2) assert (u_dut.at_q == '0);
        if (age_q > 1) begin
          assert ({u_dut.over_q, u_dut.last_q} == 30'((end_q - 33'd1) >> 3));
          assert (u_dut.at_q == WindowBits'(age_q - 2));
          // A hit beyond the last address is none.
          if (!u_dut.over_q) begin
            assert (u_dut.hit_q == ((holds[{thread_q, 2'b00}+:Windows] & seen) != '0));
          end
        end
      end
    end
    cover (started_q && done && ok);
    cover (started_q && done && !ok && addr_q[31:0] > 32'hfff0_0000 && read_q != '0);
  end

endmodule
