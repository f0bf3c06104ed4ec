// SPDX-License-Identifier: Apache-2.0
//
// sl_axil_if: one AXI4-Lite bus between modules of a design.
//
// Purpose     One port instead of 19. Names are those of AMBA AXI (IHI 0022, part B), in lower
//             case. Engines, designs and benches have flat pins; macros of sl_axi.svh connect them.
// Modports    mst, slv: as the master and as the slave see them
// Parameters  AddrWidth 1..64; DataWidth 32 or 64; refused otherwise. A module reads them from its
//             port, as in s_axil.AddrWidth; a slave decodes as many address bits as it has.
// Handshake, ordering, reset   those of the two modules: the interface is wires.

// A slave leaves upper address bits and PROT alone.
// verilator lint_off UNUSEDSIGNAL
interface sl_axil_if #(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned DataWidth = 32
);

  if (AddrWidth < 1 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 1..64, is %0d", AddrWidth);
  end
  if (DataWidth != 32 && DataWidth != 64) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

  logic [AddrWidth-1:0]   awaddr;
  logic [2:0]             awprot;
  logic                   awvalid, awready;
  logic [DataWidth-1:0]   wdata;
  logic [DataWidth/8-1:0] wstrb;
  logic                   wvalid, wready;
  logic [1:0]             bresp;
  logic                   bvalid, bready;
  logic [AddrWidth-1:0]   araddr;
  logic [2:0]             arprot;
  logic                   arvalid, arready;
  logic [DataWidth-1:0]   rdata;
  logic [1:0]             rresp;
  logic                   rvalid, rready;

  modport mst(
      output awaddr, awprot, awvalid, wdata, wstrb, wvalid, bready, araddr, arprot, arvalid, rready,
      input awready, wready, bresp, bvalid, arready, rdata, rresp, rvalid
  );
  modport slv(
      input awaddr, awprot, awvalid, wdata, wstrb, wvalid, bready, araddr, arprot, arvalid, rready,
      output awready, wready, bresp, bvalid, arready, rdata, rresp, rvalid
  );

endinterface
// verilator lint_on UNUSEDSIGNAL
