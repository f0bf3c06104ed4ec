// SPDX-License-Identifier: Apache-2.0
// One lane of msgdma: an mSGDMA from memory to memory and the AXI3 adapter at its HP port.
//
// Throughput: a beat a cycle, read and written. Reset: `rst_ni`. Errors of the port: the mSGDMA's.
// Control: three windows, csr (5 address bits), desc (5), resp (3).
// Parameters: those of sl_msgdma, checked there.
// Specification: regs/msgdma.rdl (map).

`include "sl_axi.svh"

module sl_msgdma_lane #(
    parameter int unsigned LenWidth     = 31,    // 10..31
    parameter int unsigned BufferBeats  = 512,   // per direction, power of two
    parameter bit          Unaligned    = 1'b1,  // 1: any byte alignment
    parameter bit          IncludeResponse = 1'b1,  // 0: no responses; their window reads 0
    parameter int unsigned ResetTimeout = 1 << 20  // header of sl_msgdma
) (
    input  logic   clk_i,
    input  logic   rst_ni,
    sl_axil_if.slv s_axil_csr,
    sl_axil_if.slv s_axil_desc,
    sl_axil_if.slv s_axil_resp,
    output logic   irq_o,    // level
    output logic   fault_o,  // as of sl_msgdma
    sl_axi_if.mst  m_axi     // the HP port, 32 or 64 bits; all transfers use ID 0
);

  localparam int unsigned MaxBurst  = 16;  // AXI3
  localparam int unsigned DataWidth = m_axi.DataWidth;

  sl_axi_if #(.DataWidth(DataWidth)) axi ();
  sl_axis_if #(.DataWidth(DataWidth)) in (), out ();  // memory to memory: no streams

  logic                unused_stream_rst_n, unused_done;
  logic [3:0]          unused_rd_stall, unused_wr_stall;
  logic [LenWidth-1:0] unused_done_bytes;

  `SL_AXIS_IDLE_MST(in.)
  assign out.tready = 1'b0;

  sl_msgdma #(
      .Mode        (0),
      .AddrWidth   (32),
      .DataWidth   (DataWidth),
      .LenWidth    (LenWidth),
      .IdWidth     (1),
      .MaxBurst    (MaxBurst),
      .BufferBeats (BufferBeats),
      .Unaligned   (Unaligned),
      .IncludeResponse(IncludeResponse),
      .ResetTimeout(ResetTimeout)
  ) u_msgdma (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_csr_, s_axil_csr., 5),
      `SL_AXIL_PINS(s_axil_desc_, s_axil_desc., 5),
      `SL_AXIL_PINS(s_axil_resp_, s_axil_resp., 3),
      .irq_o,
      .stream_rst_no(unused_stream_rst_n),
      .fault_o,
      .rd_stall_o   (unused_rd_stall),
      .wr_stall_o   (unused_wr_stall),
      .done_o       (unused_done),
      .done_bytes_o (unused_done_bytes),
      `SL_AXI_PINS(m_axi_, axi.),
      `SL_AXIS_PINS(m_axis_, out.),
      `SL_AXIS_PINS(s_axis_, in.)
  );

  sl_axi3_adapter #(
      .MaxBurst(MaxBurst),
      .Check   (1'b0)
  ) u_axi3 (
      .clk_i,
      .rst_ni,
      .s_axi(axi),
      .m_axi
  );
endmodule
