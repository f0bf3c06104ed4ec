// SPDX-License-Identifier: Apache-2.0
//
// sl_mem_region: one dual-port block RAM of sl_mem_periph; a bus on one side, a stream on the
// other.
//
// Bus         a_strb_i != 0 writes those bytes; a_read_i reads, the beat stands on a_rdata_o from
//             the next cycle until the next read. Never both in one cycle.
// Stream      start_i while busy_o is 0 starts a run of beats_i beats (0: none) from beat first_i
//             on, which goes round at the region's end. busy_o is 1 from the next cycle on until
//             the last beat has left (ToStream) or was stored; count_o counts the run's beats.
//   ToStream  1: reads the RAM to m_axis, TLAST on the run's last beat, TKEEP all ones.
//             0: stores s_axis, bytes with TKEEP = 0 left as they are; TLAST ends the run early.
//             The other stream's outputs are 0.
// Handshake   m_axis comes from registers; s_axis_tready is 1 throughout a run, else 0.
// Latency     start_i to m_axis_tvalid: 3 cycles. Throughput: a beat a cycle on each side.
// Collision   of both sides on a beat in one cycle, one of them writing it: what is read there, or
//             stays there if both write, is undefined.
// Reset       rst_ni synchronous, active low: ends a run. The RAM keeps what it has.
// Parameters  DataWidth 32..512, Beats 64..65536, both powers of two: sl_mem_periph refuses others

module sl_mem_region #(
    parameter int unsigned  DataWidth = 64,
    parameter int unsigned  Beats     = 512,
    parameter bit           ToStream  = 1'b0,
    localparam int unsigned Keep      = DataWidth / 8,
    localparam int unsigned Index     = $clog2(Beats)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,

    input  logic                 a_read_i,
    input  logic [Keep-1:0]      a_strb_i,
    input  logic [Index-1:0]     a_index_i,
    input  logic [DataWidth-1:0] a_wdata_i,
    output logic [DataWidth-1:0] a_rdata_o,

    input  logic                 start_i,
    input  logic [Index-1:0]     first_i,
    input  logic [Index:0]       beats_i,
    output logic                 busy_o,
    output logic [Index:0]       count_o,

    output logic [DataWidth-1:0] m_axis_tdata,
    output logic [Keep-1:0]      m_axis_tkeep,
    output logic                 m_axis_tlast,
    output logic                 m_axis_tvalid,
    input  logic                 m_axis_tready,
    input  logic [DataWidth-1:0] s_axis_tdata,
    input  logic [Keep-1:0]      s_axis_tkeep,
    input  logic                 s_axis_tlast,
    input  logic                 s_axis_tvalid,
    output logic                 s_axis_tready
);

  logic [DataWidth-1:0] ram [Beats];
  logic [Index-1:0]     index_q;
  logic [Index:0]       left_q;  // beats not yet read or stored
  logic                 start, step, stop;

  assign start = start_i && !busy_o;

  always_ff @(posedge clk_i) begin
    if (start) begin
      index_q <= first_i;
      left_q  <= beats_i;
    end else if (step) begin
      index_q <= index_q + 1'b1;
      left_q  <= stop ? '0 : left_q - 1'b1;
    end
    if (!rst_ni) left_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (a_read_i) a_rdata_o <= ram[a_index_i];
    for (int unsigned lane = 0; lane < Keep; lane++) begin
      if (a_strb_i[lane]) ram[a_index_i][8*lane+:8] <= a_wdata_i[8*lane+:8];
    end
    if (!ToStream && step) begin
      for (int unsigned lane = 0; lane < Keep; lane++) begin
        if (s_axis_tkeep[lane]) ram[index_q][8*lane+:8] <= s_axis_tdata[8*lane+:8];
      end
    end
  end

  if (ToStream) begin : gen_out
    logic [DataWidth-1:0] data_q;
    logic                 valid_q, last_q, room, unused;

    // A beat moves on from the RAM's output register in each cycle in which the slice has room.
    assign step          = left_q != '0 && (!valid_q || room);
    assign stop          = 1'b0;
    assign busy_o        = left_q != '0 || valid_q || m_axis_tvalid;
    assign m_axis_tkeep  = '1;
    assign s_axis_tready = 1'b0;
    assign unused        = ^{s_axis_tdata, s_axis_tkeep, s_axis_tlast, s_axis_tvalid};

    always_ff @(posedge clk_i) begin
      if (step) begin
        data_q <= ram[index_q];
        last_q <= left_q == (Index + 1)'(1);
      end
      if (!valid_q || room) valid_q <= step;
      if (!rst_ni) valid_q <= 1'b0;
      if (start) count_o <= '0;
      else if (m_axis_tvalid && m_axis_tready) count_o <= count_o + 1'b1;
      if (!rst_ni) count_o <= '0;
    end

    sl_skid #(
        .Width(DataWidth + 1)
    ) u_slice (
        .clk_i,
        .rst_ni,
        .clear_i    (1'b0),
        .in_valid_i (valid_q),
        .in_ready_o (room),
        .in_data_i  ({last_q, data_q}),
        .out_valid_o(m_axis_tvalid),
        .out_ready_i(m_axis_tready),
        .out_data_o ({m_axis_tlast, m_axis_tdata})
    );
  end else begin : gen_in
    logic unused;

    assign s_axis_tready = left_q != '0;
    assign step          = s_axis_tvalid && s_axis_tready;
    assign stop          = s_axis_tlast;
    assign busy_o        = left_q != '0;
    assign m_axis_tdata  = '0;
    assign m_axis_tkeep  = '0;
    assign m_axis_tlast  = 1'b0;
    assign m_axis_tvalid = 1'b0;
    assign unused        = m_axis_tready;

    always_ff @(posedge clk_i) begin
      if (start) count_o <= '0;
      else if (step) count_o <= count_o + 1'b1;
      if (!rst_ni) count_o <= '0;
    end
  end

endmodule
