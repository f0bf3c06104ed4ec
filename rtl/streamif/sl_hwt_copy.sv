// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt_copy: a hardware thread that passes on what it takes.
//
// Run         start_i with busy_o low begins one of words_i words; a packet that ends before ends
//             it too. m_axis_* gives what was taken, TLAST with the last. busy_o is high until that
//             was taken.
// Handshake   valid/ready; TVALID from a register, s_axis_tready depends on m_axis_tready and is
//             low between runs. Latency: 1 cycle. Throughput: a word a cycle.
// Reset       rst_ni synchronous, active low; ends the run.
// Requires    words_i is not 0 (asserted).

module sl_hwt_copy (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic        start_i,
    input  logic [31:0] words_i,
    output logic        busy_o,

    input  logic [31:0] s_axis_tdata,
    input  logic [ 3:0] s_axis_tkeep,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,

    output logic [31:0] m_axis_tdata,
    output logic [ 3:0] m_axis_tkeep,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);

  logic        more_q;  // words of the run are to come
  logic [31:0] left_q;  // how many, less one
  logic        last;

  assign s_axis_tready = more_q && (!m_axis_tvalid || m_axis_tready);
  assign last          = s_axis_tlast || left_q == '0;
  assign busy_o        = more_q || m_axis_tvalid;

  always_ff @(posedge clk_i) begin
    if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (s_axis_tvalid && s_axis_tready) begin
      m_axis_tvalid <= 1'b1;
      m_axis_tdata  <= s_axis_tdata;
      m_axis_tkeep  <= s_axis_tkeep;
      m_axis_tlast  <= last;
      left_q        <= left_q - 1'b1;
      more_q        <= !last;
    end
    if (start_i && !busy_o) begin
      left_q <= words_i - 1'b1;
      more_q <= 1'b1;
    end
    if (!rst_ni) begin
      more_q        <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (!rst_ni || !start_i || busy_o || words_i != '0) else $error("%m: run of no words");
  end
`endif

endmodule
