// SPDX-License-Identifier: Apache-2.0
// One hardware thread of the designs streamif_threads and memif_threads: a lane (stream source,
// sink, loop-back FIFO) and in its place, as KERNEL says, a kernel with mailboxes.
//
// Control: AXI4-Lite; source at 0x1000, sink at 0x2000, lane control at 0x3000, kernel and
//   mailboxes at 0x4000 of 32 KiB; DECERR elsewhere. Address bits above are ignored.
// Streams: s_axis from memory, m_axis to it. The part that KERNEL does not name sees TVALID = 0 and
//   TREADY = 0.
// Reset: `rst_ni`, everything; `thread_rst_ni` empties the FIFO and ends the kernel's job; source,
//   sink and registers keep their state.
// irq_o: mail; header of sl_hwt.
// Handshake, throughput, parameters: headers of sl_lane_streams and sl_hwt.
// Specification: regs/sl_stream_{source,sink}.rdl, sl_hp_lane.rdl, sl_hwt.rdl.

`include "sl_axi.svh"

module sl_hwt_lane #(
    parameter int unsigned FifoBeats = 512  // of the loop-back FIFO, power of two
) (
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   thread_rst_ni,
    sl_axil_if.slv s_axil,
    output logic   irq_o,
    sl_axis_if.slv s_axis,  // 32 bits
    sl_axis_if.mst m_axis
);

  localparam int unsigned Pages     = 4;          // lane control, source, sink; kernel
  localparam int unsigned LanePages = Pages - 1;
  localparam int unsigned Kernel    = LanePages;  // its page

  sl_axil_if #(.AddrWidth(20)) page [Pages] ();

  sl_axil_demux #(
      .NumPorts (Pages),
      .AddrWidth(20),
      .Base     ({20'h04000, 20'h02000, 20'h01000, 20'h03000}),
      .Mask     ({Pages{20'h07000}})
  ) u_pages (
      .clk_i,
      .rst_ni,
      .s_axil,
      .m_axil(page)
  );

  // ---------------------------------------------------------------------------------------------
  // Lane or kernel
  // ---------------------------------------------------------------------------------------------
  sl_axis_if #(.DataWidth(32)) lane_in (), lane_out (), hwt_in (), hwt_out ();
  logic active;  // the kernel

  assign lane_in.tdata   = s_axis.tdata;
  assign lane_in.tkeep   = s_axis.tkeep;
  assign lane_in.tlast   = s_axis.tlast;
  assign lane_in.tvalid  = s_axis.tvalid && !active;
  assign hwt_in.tdata    = s_axis.tdata;
  assign hwt_in.tkeep    = s_axis.tkeep;
  assign hwt_in.tlast    = s_axis.tlast;
  assign hwt_in.tvalid   = s_axis.tvalid && active;
  assign s_axis.tready   = active ? hwt_in.tready : lane_in.tready;
  assign m_axis.tdata    = active ? hwt_out.tdata : lane_out.tdata;
  assign m_axis.tkeep    = active ? hwt_out.tkeep : lane_out.tkeep;
  assign m_axis.tlast    = active ? hwt_out.tlast : lane_out.tlast;
  assign m_axis.tvalid   = active ? hwt_out.tvalid : lane_out.tvalid;
  assign lane_out.tready = m_axis.tready && !active;
  assign hwt_out.tready  = m_axis.tready && active;

  logic unused_drop_odd, unused_clear;

  sl_lane_streams #(
      .FifoBeats(FifoBeats)
  ) u_streams (
      .clk_i,
      .rst_ni,
      .s_axil (page[0:LanePages-1]),
      .clear_i(!thread_rst_ni),
      .s_axis (lane_in),
      .m_axis (lane_out),
      .drop_odd_o(unused_drop_odd),
      .clear_o   (unused_clear)
  );

  sl_hwt u_hwt (
      .clk_i,
      .rst_ni,
      .thread_rst_ni,
      `SL_AXIL_PINS(s_axil_, page[Kernel]., 12),
      .irq_o,
      .active_o(active),
      `SL_AXIS_PINS(s_axis_, hwt_in.),
      `SL_AXIS_PINS(m_axis_, hwt_out.)
  );
endmodule
