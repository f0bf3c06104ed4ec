// SPDX-License-Identifier: Apache-2.0
//
// sl_axis_if: one AXI4-Stream between modules of a design.
//
// Purpose     One port instead of 5. Names are those of AMBA AXI-Stream (IHI 0051), in lower case.
//             Engines, designs and benches have flat pins; macros of sl_axi.svh connect them.
// Modports    mst, slv: as the transmitter and as the receiver see it
// Parameters  DataWidth  8..1024, multiple of 8; refused otherwise. A module reads it from its
//             port, as in s_axis.DataWidth.
// Handshake, ordering, reset   those of the two modules: the interface is wires.
// Not here    TSTRB, TID, TDEST, TUSER.

// A receiver of whole beats leaves TKEEP alone, one of endless streams TLAST.
// verilator lint_off UNUSEDSIGNAL
interface sl_axis_if #(
    parameter int unsigned DataWidth = 64
);

  if (DataWidth < 8 || DataWidth > 1024 || DataWidth % 8 != 0) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a multiple of 8 in 8..1024, is %0d", DataWidth);
  end

  logic [DataWidth-1:0]   tdata;
  logic [DataWidth/8-1:0] tkeep;
  logic                   tlast, tvalid, tready;

  modport mst(output tdata, tkeep, tlast, tvalid, input tready);
  modport slv(input tdata, tkeep, tlast, tvalid, output tready);

endinterface
// verilator lint_on UNUSEDSIGNAL
