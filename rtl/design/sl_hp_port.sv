// SPDX-License-Identifier: Apache-2.0
// An HP port of a Zynq-7000 for one DMA engine: its memory port and, IncludeSg = 1, its descriptor
// port, whose words travel in beats of the port's width.
//
// Handshake, latency: sl_axi_join, sl_sg_widen, sl_axi3_adapter, all combinational: 0 cycles; with
//   nothing on the descriptor port data passes as if it were not there.
// Ordering: the ID's bit 1 is 0 for data, 1 for descriptors; bit 0 is the engine's. The engine's
//   movers have CutThrough = 0, as sl_axi_join wants it: a burst's data is there with its AW.
// Errors: responses pass. Reset: `rst_ni`.
// Coherent: for the ACP, which takes the lower 3 bits of an ID and needs ARUSER and AWUSER = 5'h1f
//   (UG585, Accelerator Coherency Port): then every access is coherent with the CPUs' caches.
// Widths: m_axi 32 or 64 bits; s_axi as many, s_axi_sg 32, IDs of both 1; refused otherwise.
// Parameters: checked in sl_axi3_adapter.
// Check: 0 leaves the checker out where the engine's port carries one; with IncludeSg it is there.

`include "sl_axi.svh"

module sl_hp_port #(
    parameter int unsigned MaxBurst  = 16,
    parameter bit          IncludeSg = 1'b0,
    parameter bit          Coherent  = 1'b0,  // 1: AxCACHE 4'b1111, for the ACP
    parameter bit          Check     = 1'b0
) (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axi_if.slv      s_axi,     // data
    sl_axi_if.slv      s_axi_sg,  // descriptors
    sl_axi_if.mst      m_axi      // AXI3
);

  localparam int unsigned DataWidth = m_axi.DataWidth;

  if ((DataWidth != 32 && DataWidth != 64) || s_axi.DataWidth != DataWidth || s_axi.IdWidth != 1 ||
      s_axi_sg.DataWidth != 32 || s_axi_sg.IdWidth != 1) begin : gen_bad_buses
    $fatal(1, "%m: need m_axi of 32 or 64 bits, s_axi of as many, s_axi_sg of 32, IDs of 1 bit");
  end

  sl_axi_if #(.DataWidth(DataWidth), .IdWidth(IncludeSg ? 2 : 1)) joined ();

  if (IncludeSg) begin : gen_sg
    sl_axi_if #(.DataWidth(DataWidth)) both [2] ();  // data, descriptors at the port's width

    `SL_AXI_LINK(both[0]., s_axi.)
    if (DataWidth == 64) begin : gen_widen
      sl_sg_widen u_widen (.clk_i, .rst_ni, .s_axi(s_axi_sg), .m_axi(both[1]));
    end else begin : gen_same
      `SL_AXI_LINK(both[1]., s_axi_sg.)
    end

    sl_axi_join u_join (.clk_i, .rst_ni, .s_axi(both), .m_axi(joined));
  end else begin : gen_data
    `SL_AXI_IDLE_SLV(s_axi_sg.)
    `SL_AXI_LINK(joined., s_axi.)
  end

  sl_axi3_adapter #(
      .MaxBurst(MaxBurst),
      .Coherent(Coherent),
      .Check   (Check || IncludeSg)
  ) u_axi3 (
      .clk_i,
      .rst_ni,
      .s_axi(joined),
      .m_axi
  );

endmodule
