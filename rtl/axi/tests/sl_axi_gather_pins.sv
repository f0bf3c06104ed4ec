// SPDX-License-Identifier: Apache-2.0
// Bench: sl_axi_gather with pins, block RAM behind it, a checker between them.
`include "sl_axi.svh"
`include "sl_bench.svh"

module sl_axi_gather_pins #(
    parameter int unsigned DataWidth  = 64,  // of the RAM
    parameter int unsigned SlaveWidth = 32,  // another: to be refused
    parameter int unsigned IdWidth    = 12,
    parameter int unsigned Beats      = 16,
    parameter int unsigned RamBeats   = 512
) (
    input  logic clk_i,
    input  logic rst_ni,
    output logic owed_o,  // the RAM has an AW, and waits for its data
    `SL_AXI_PORTS_IN(s_axi_, 20, SlaveWidth, IdWidth)
);

  sl_axi_if #(.AddrWidth(20), .DataWidth(SlaveWidth), .IdWidth(IdWidth)) s_bus ();
  sl_axi_if #(.AddrWidth(20), .DataWidth(DataWidth)) ram ();
  sl_axis_if #(.DataWidth(DataWidth)) in (), out ();  // no accelerator
  logic                      writing_q, aw_taken, w_ended;
  logic                      unused_busy;
  logic [$clog2(RamBeats):0] unused_count;

  `SL_AXI_LINK(s_bus., s_axi_)

  sl_axi_gather #(
      .Beats(Beats)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .s_axi(s_bus),
      .m_axi(ram)
  );

  assign aw_taken = ram.awvalid && ram.awready;
  assign w_ended  = ram.wvalid && ram.wready && ram.wlast;
  assign owed_o   = writing_q && !ram.wvalid;
  always_ff @(posedge clk_i) begin
    if (aw_taken || w_ended) writing_q <= aw_taken;
    if (!rst_ni) writing_q <= 1'b0;
  end

  `SL_AXIS_IDLE_MST(in.)
  assign out.tready = 1'b0;

  sl_mem_periph #(
      .NumRegions (1),
      .RegionBeats(RamBeats),
      .AddrWidth  (20),
      .DataWidth  (DataWidth)
  ) u_ram (
      .clk_i,
      .rst_ni,
      `SL_AXI_PINS(s_axi_, ram.),
      .start_i(1'b0),
      .first_i('0),
      .beats_i('0),
      .busy_o (unused_busy),
      .count_o(unused_count),
      `SL_AXIS_PINS(m_axis_, out.),
      `SL_AXIS_PINS(s_axis_, in.)
  );

  `SL_AXI_CHECK(u_check_ram, ram., 20, DataWidth, 1, 0)
endmodule
