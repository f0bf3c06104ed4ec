// SPDX-License-Identifier: Apache-2.0
//
// sl_xdma_port: half a bus of sl_xdma, reads or writes, on its way to a join: addresses and write
// data pass registers, and a guard can cut it off.
//
// Handshake   addresses: READY while the register is empty, so that arbitration among all masters
//             ends at registers. W passes an sl_skid, and waits until its AW is in the register. R,
//             B: as sl_dma_port. The registers follow the guard.
// Latency     1 cycle for an address and for W, where Guard = 1 has another. An address every
//             second cycle, a beat a cycle. 128 writes open at most.
// isolate_i   as sl_axi_guard: what the engine is owed comes at once, as SLVERR, until rst_ni.
// Reset       rst_ni, synchronous, regardless of the bus.
//
// The half of s_axi that is not used has to be idle; that of m_axi is 0. One ID, 0.

`include "sl_axi.svh"

module sl_xdma_port #(
    parameter bit Write = 1'b0,  // 1: the write half, 0: the read half
    parameter bit Guard = 1'b1
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        isolate_i,
    sl_axi_if.slv      s_axi,
    sl_axi_if.mst      m_axi
);

  sl_axi_if #(.AddrWidth(m_axi.AddrWidth), .DataWidth(m_axi.DataWidth)) guarded ();

  sl_dma_port #(
      .ReadPort (!Write),
      .WritePort(Write),
      .Guard    (Guard),
      .ZeroR    (1'b0)
  ) u_guard (
      .clk_i,
      .rst_ni,
      .isolate_i,
      .s_axi,
      .m_axi(guarded)
  );

  if (Write) begin : gen_write
    logic [7:0] open_q;  // bursts whose AW is or was presented, without their WLAST
    logic       open, take, last, w_valid;

    assign take = guarded.awvalid && guarded.awready;
    assign last = m_axi.wvalid && m_axi.wready && m_axi.wlast;
    assign open = open_q != '0;

    always_ff @(posedge clk_i) begin
      m_axi.awvalid <= rst_ni && (m_axi.awvalid ? !m_axi.awready : guarded.awvalid);
      if (!m_axi.awvalid) {`SL_AXI_AX_BITS(m_axi., aw)} <= {`SL_AXI_AX_BITS(guarded., aw)};
      if (take != last) open_q <= take ? open_q + 1'b1 : open_q - 1'b1;
      if (!rst_ni) open_q <= '0;
    end
    assign guarded.awready = !m_axi.awvalid;
    assign m_axi.wvalid    = w_valid && open;

    sl_skid #(
        .Width(m_axi.DataWidth + m_axi.DataWidth / 8 + 1)
    ) u_w (
        .clk_i,
        .rst_ni,
        .clear_i    (1'b0),
        .in_valid_i (guarded.wvalid),
        .in_ready_o (guarded.wready),
        .in_data_i  ({guarded.wdata, guarded.wstrb, guarded.wlast}),
        .out_valid_o(w_valid),
        .out_ready_i(m_axi.wready && open),
        .out_data_o ({m_axi.wdata, m_axi.wstrb, m_axi.wlast})
    );
    `SL_AXI_LINK_B(m_axi., guarded.)
    `SL_AXI_IDLE_RD_MST(m_axi.)
    `SL_AXI_IDLE_RD_SLV(guarded.)
  end else begin : gen_read
    always_ff @(posedge clk_i) begin
      m_axi.arvalid <= rst_ni && (m_axi.arvalid ? !m_axi.arready : guarded.arvalid);
      if (!m_axi.arvalid) {`SL_AXI_AX_BITS(m_axi., ar)} <= {`SL_AXI_AX_BITS(guarded., ar)};
    end
    assign guarded.arready = !m_axi.arvalid;
    `SL_AXI_LINK_R(m_axi., guarded.)
    `SL_AXI_IDLE_WR_MST(m_axi.)
    `SL_AXI_IDLE_WR_SLV(guarded.)
  end

endmodule
