// SPDX-License-Identifier: Apache-2.0
//
// sl_stream_dropper: takes every beat of a source that cannot wait, and drops with a mark.
//
// Purpose     Puts AXI-Stream's promise (a presented beat holds until taken) behind a sensor that
//             keeps no promise. Two beats of storage: the presented one and, behind it, a held one.
// Handshake   drop_i=1: s_axis_tready is 1; a beat that finds both places full, with nothing
//             leaving in that cycle, is dropped. drop_i=0: nothing is dropped, s_axis_tready comes
//             from a register. m_axis comes from registers; a presented beat never changes.
// Latency     1 cycle. Throughput one beat a cycle; no bubble after a stall.
// Marks       m_axis_tuser is 1 on the first beat after a gap (a run of consecutive dropped beats).
// Packets     If a dropped beat had TLAST, the held beat, which belongs to the same packet or to
//             one before it, gets TLAST: packets get shorter or vanish, they never merge. So one
//             packet's missing tail and the next one's missing head are one gap, marked after the
//             boundary.
// Counters    of the time since clear_i or reset; they show one cycle late:
//               drop_beats_o    beats dropped
//               drop_runs_o     gaps, counted when they begin: the last may not be marked yet
//               drop_first_o    index of the first dropped beat among all offered; 0 if none
//               drop_packets_o  packets of which no beat got through
// Clear       clear_i zeroes counters and index and forgets a gap not yet marked; beats inside
//             stay. Meant for a source at rest between packets.
// Reset       rst_ni synchronous, active low: empties, zeroes all.
// Parameters  DataWidth  32..512, power of two, refused otherwise
// Not here    TUSER of the source; storage: put a FIFO behind it.
// Follows     AMBA AXI-Stream (IHI 0051) 2.2.

`include "sl_axi.svh"

module sl_stream_dropper #(
    parameter int unsigned DataWidth = 64
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   drop_i,
    input  logic                   clear_i,

    input  logic [DataWidth-1:0]   s_axis_tdata,
    input  logic [DataWidth/8-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready,

    output logic [DataWidth-1:0]   m_axis_tdata,
    output logic [DataWidth/8-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic                   m_axis_tuser,
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready,

    output logic [63:0]            drop_beats_o,
    output logic [31:0]            drop_runs_o,
    output logic [63:0]            drop_first_o,
    output logic [31:0]            drop_packets_o
);

  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end

  localparam int unsigned KeepWidth = DataWidth / 8;

  logic [DataWidth-1:0] held_data_q;
  logic [KeepWidth-1:0] held_keep_q;
  logic                 held_last_q, held_user_q, held_valid_q;

  logic        gap_q;      // beats were dropped, the next one let in gets the mark
  logic        reached_q;  // a beat of the packet on the input got in
  logic        any_q;      // a beat was dropped since clear
  logic [63:0] index_q;    // of the beat on the input
  logic        leave, enter, drop;

  // The presented place is free or gets free: the held beat, or else the arriving one, moves there.
  assign leave = !m_axis_tvalid || m_axis_tready;
  // Without drop_i a beat enters only on TREADY, which must not depend on m_axis_tready.
  assign enter = s_axis_tvalid && (!held_valid_q || (drop_i && leave));
  assign drop  = s_axis_tvalid && drop_i && held_valid_q && !leave;

  assign s_axis_tready = drop_i || !held_valid_q;

  always_ff @(posedge clk_i) begin
    if (leave) begin
      m_axis_tvalid <= held_valid_q || enter;
      m_axis_tdata  <= held_valid_q ? held_data_q : s_axis_tdata;
      m_axis_tkeep  <= held_valid_q ? held_keep_q : s_axis_tkeep;
      m_axis_tlast  <= held_valid_q ? held_last_q : s_axis_tlast;
      m_axis_tuser  <= held_valid_q ? held_user_q : gap_q;
    end
    held_valid_q <= leave ? held_valid_q && enter : held_valid_q || enter;
    if (enter) begin
      held_data_q <= s_axis_tdata;
      held_keep_q <= s_axis_tkeep;
      held_last_q <= s_axis_tlast;
      held_user_q <= gap_q;
    end else if (drop && s_axis_tlast) begin
      held_last_q <= 1'b1;
    end
    if (!rst_ni) begin
      m_axis_tvalid <= 1'b0;
      held_valid_q  <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enter || drop) begin
      index_q   <= index_q + 64'd1;
      gap_q     <= drop;
      reached_q <= !s_axis_tlast && (reached_q || enter);
    end
    if (drop) begin
      drop_beats_o <= drop_beats_o + 64'd1;
      any_q        <= 1'b1;
      if (!any_q) begin
        drop_first_o <= index_q;
      end
      if (!gap_q) begin
        drop_runs_o <= drop_runs_o + 32'd1;
      end
      if (s_axis_tlast && !reached_q) begin
        drop_packets_o <= drop_packets_o + 32'd1;
      end
    end
    if (!rst_ni || clear_i) begin
      index_q        <= '0;
      gap_q          <= 1'b0;
      reached_q      <= 1'b0;
      any_q          <= 1'b0;
      drop_beats_o   <= '0;
      drop_runs_o    <= '0;
      drop_first_o   <= '0;
      drop_packets_o <= '0;
    end
  end

`ifndef SYNTHESIS
  // verilator lint_off PINCONNECTEMPTY
  sl_axis_check #(
      .DataWidth (DataWidth)
  ) u_check (
      .clk_i,
      .rst_ni,
      `SL_AXIS_PINS(axis_, m_axis_),
      .axis_tuser  (m_axis_tuser),
      .violation_o ()
  );
  // verilator lint_on PINCONNECTEMPTY
`endif

endmodule
