// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_if: one AXI4 or AXI3 bus between modules of a design.
//
// Purpose     One port instead of 35 (36 of AXI3). Names are those of AMBA AXI (IHI 0022), in lower
//             case. Engines, designs and benches have flat pins; macros of sl_axi.svh connect them.
// Modports    mst, slv: all channels, as the master and as the slave see them
//             rd_mst, wr_mst: the read and the write half of mst, for two modules that share a bus
// Parameters  AddrWidth 12..64; DataWidth 8..1024, power of two; IdWidth 1..16; refused otherwise.
//             A module reads them from its port, as in s_axi.DataWidth.
//             Axi3       1: LEN 4 bits, LOCK 2, the master drives WID; 0: LEN 8, LOCK 1, WID is 0
// Names       An instance has another name than those in the modules above it (mem_bus in an
//             engine, axi in a lane): Verilator 5.48 takes one for the other where it inlines the
//             module.
// Handshake, ordering, reset   those of the two modules: the interface is wires.
// Not here    QOS, REGION, USER.

// Signals that no module of a bus reads are no defect: a write-only engine leaves R alone.
// verilator lint_off UNUSEDSIGNAL
interface sl_axi_if #(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned DataWidth = 64,
    parameter int unsigned IdWidth   = 1,
    parameter bit          Axi3      = 1'b0
);

  localparam int unsigned LenWidth  = Axi3 ? 4 : 8;
  localparam int unsigned LockWidth = Axi3 ? 2 : 1;

  if (AddrWidth < 12 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 12..64, is %0d", AddrWidth);
  end
  if (DataWidth < 8 || DataWidth > 1024 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 8..1024, is %0d", DataWidth);
  end
  if (IdWidth < 1 || IdWidth > 16) begin : gen_bad_id_width
    $fatal(1, "%m: IdWidth must be 1..16, is %0d", IdWidth);
  end

  logic [IdWidth-1:0]     arid;
  logic [AddrWidth-1:0]   araddr;
  logic [LenWidth-1:0]    arlen;
  logic [2:0]             arsize;
  logic [1:0]             arburst;
  logic [LockWidth-1:0]   arlock;
  logic [3:0]             arcache;
  logic [2:0]             arprot;
  logic                   arvalid, arready;
  logic [IdWidth-1:0]     rid;
  logic [DataWidth-1:0]   rdata;
  logic [1:0]             rresp;
  logic                   rlast, rvalid, rready;
  logic [IdWidth-1:0]     awid;
  logic [AddrWidth-1:0]   awaddr;
  logic [LenWidth-1:0]    awlen;
  logic [2:0]             awsize;
  logic [1:0]             awburst;
  logic [LockWidth-1:0]   awlock;
  logic [3:0]             awcache;
  logic [2:0]             awprot;
  logic                   awvalid, awready;
  logic [IdWidth-1:0]     wid;
  logic [DataWidth-1:0]   wdata;
  logic [DataWidth/8-1:0] wstrb;
  logic                   wlast, wvalid, wready;
  logic [IdWidth-1:0]     bid;
  logic [1:0]             bresp;
  logic                   bvalid, bready;

  if (!Axi3) begin : gen_axi4
    assign wid = '0;
  end

  modport mst(
      output arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot, arvalid, rready,
      input arready, rid, rdata, rresp, rlast, rvalid,
      output awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot, awvalid,
      output wid, wdata, wstrb, wlast, wvalid, bready,
      input awready, wready, bid, bresp, bvalid
  );
  modport slv(
      input arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot, arvalid, rready,
      output arready, rid, rdata, rresp, rlast, rvalid,
      input awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot, awvalid,
      input wid, wdata, wstrb, wlast, wvalid, bready,
      output awready, wready, bid, bresp, bvalid
  );
  modport rd_mst(
      output arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot, arvalid, rready,
      input arready, rid, rdata, rresp, rlast, rvalid
  );
  modport wr_mst(
      output awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot, awvalid,
      output wid, wdata, wstrb, wlast, wvalid, bready,
      input awready, wready, bid, bresp, bvalid
  );

endinterface
// verilator lint_on UNUSEDSIGNAL
