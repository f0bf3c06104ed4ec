// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_windows: one AXI4 master on several slaves, by address: windows of one size, one behind
// the other from 0 on. Addresses pass whole; the last slave has all beyond its window too.
//
// Handshake, latency, throughput, bursts, ordering, reset, errors   of sl_axi_split, of which this
//             is a chain: a direction that changes slaves waits for its bursts on the one before.
// Parameters  NumSlaves  1..8, refused otherwise
//             WindowBits 12..31: log2 of a window's bytes; buses as sl_axi_split has them,
//             addresses of 32 bits
// Follows     AMBA AXI (IHI 0022) A5.

`include "sl_axi.svh"

module sl_axi_windows #(
    parameter int unsigned NumSlaves  = 4,
    parameter int unsigned WindowBits = 16
) (
    input logic    clk_i,
    input logic    rst_ni,
    sl_axi_if.slv  s_axi,
    sl_axi_if.mst  m_axi [NumSlaves]
);

  localparam int unsigned DataWidth = s_axi.DataWidth;
  localparam int unsigned IdWidth   = s_axi.IdWidth;

  if (NumSlaves < 1 || NumSlaves > 8) begin : gen_bad_num_slaves
    $fatal(1, "%m: NumSlaves must be 1..8, is %0d", NumSlaves);
  end

  // What is for slave n or one behind it.
  sl_axi_if #(.DataWidth(DataWidth), .IdWidth(IdWidth)) left [NumSlaves] ();

  `SL_AXI_LINK(left[0]., s_axi.)

  for (genvar n = 0; n < NumSlaves - 1; n++) begin : gen_split
    sl_axi_split #(
        .WindowBits(WindowBits),
        .Base      (n << WindowBits)
    ) u_split (
        .clk_i,
        .rst_ni,
        .s_axi (left[n]),
        .m0_axi(left[n+1]),
        .m1_axi(m_axi[n])
    );
  end

  `SL_AXI_LINK(m_axi[NumSlaves-1]., left[NumSlaves-1].)

  if (NumSlaves == 1) begin : gen_wires
    logic unused;
    assign unused = clk_i ^ rst_ni;
  end

endmodule
