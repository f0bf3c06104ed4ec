// SPDX-License-Identifier: Apache-2.0
//
// sl_dma_port: a memory or descriptor port of a DMA engine, s_axi to the engine, m_axi out:
// with a guard that can cut it off, or, Guard = 0, straight; with the protocol checker of
// simulation.
//
// Handshake, latency, isolation, parameters: sl_axi_guard (RegisterW = 1). Guard = 0 is wires;
// isolate_i is ignored then.

`include "sl_axi.svh"

module sl_dma_port #(
    parameter int unsigned MaxOutstanding = 64,
    parameter int unsigned NumIds         = 1,
    parameter bit          ReadPort       = 1'b1,
    parameter bit          WritePort      = 1'b1,
    parameter bit          Guard          = 1'b1,
    parameter bit          ZeroR          = 1'b1
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        isolate_i,
    sl_axi_if.slv      s_axi,
    sl_axi_if.mst      m_axi
);

  if (Guard) begin : gen_guard
    sl_axi_guard #(
        .MaxOutstanding(MaxOutstanding),
        .NumIds        (NumIds),
        .ReadPort      (ReadPort),
        .WritePort     (WritePort),
        .RegisterW     (1'b1),
        .ZeroR         (ZeroR)
    ) u_guard (
        .clk_i,
        .rst_ni,
        .isolate_i,
        .s_axi,
        .m_axi
    );
  end else begin : gen_wires
    logic unused;
    assign unused = &{1'b0, isolate_i, NumIds[0], MaxOutstanding[0], ReadPort, WritePort, ZeroR};

    `SL_AXI_LINK(m_axi., s_axi.)
  end

  `SL_AXI_CHECK(u_check, m_axi., m_axi.AddrWidth, m_axi.DataWidth, m_axi.IdWidth, 1'b0)

endmodule
