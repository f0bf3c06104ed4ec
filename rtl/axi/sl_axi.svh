// SPDX-License-Identifier: Apache-2.0
//
// Macros for buses: connect interfaces (sl_axi_if, sl_axil_if, sl_axis_if) with each other and with
// flat pins, one line a bus.
//
// A bus is named by what its signals begin with, separator included: `bus.` is an interface, `bus_`
// are pins or wires. For example, in an engine's top with pins m_axi_* and an interface mem:
//   `SL_AXI_LINK(m_axi_, mem.)                       mem's master drives the pins
//   sl_mm2s u_mm2s (.clk_i, `SL_AXI_PINS(m_axi_, mem.));  pins of an instance on an interface
//
// `to` is the side of the slave, `from` that of the master; payload and VALID go from `from` to
// `to`, READY and responses the other way. Widths are those of the signals: tools report a
// mismatch.

`ifndef SL_AXI_SVH
`define SL_AXI_SVH

// ---- assignments --------------------------------------------------------------------------------

// With an index after each name, as in `to.arid[p]`: ti, fi of the two sides, empty for none.

`define SL_AXI_LINK_ATTR_I(to, ti, from, fi, ch) \
  assign to``ch``burst``ti = from``ch``burst``fi; \
  assign to``ch``lock``ti = from``ch``lock``fi; \
  assign to``ch``cache``ti = from``ch``cache``fi; \
  assign to``ch``prot``ti = from``ch``prot``fi;

`define SL_AXI_LINK_AX_I(to, ti, from, fi, ch) \
  assign to``ch``addr``ti = from``ch``addr``fi; \
  assign to``ch``len``ti = from``ch``len``fi; \
  assign to``ch``size``ti = from``ch``size``fi; \
  `SL_AXI_LINK_ATTR_I(to, ti, from, fi, ch)

`define SL_AXI_LINK_AR_I(to, ti, from, fi) \
  assign to``arid``ti = from``arid``fi; \
  `SL_AXI_LINK_AX_I(to, ti, from, fi, ar) \
  assign to``arvalid``ti = from``arvalid``fi; \
  assign from``arready``fi = to``arready``ti;

`define SL_AXI_LINK_R_I(to, ti, from, fi) \
  assign from``rid``fi = to``rid``ti; \
  assign from``rdata``fi = to``rdata``ti; \
  assign from``rresp``fi = to``rresp``ti; \
  assign from``rlast``fi = to``rlast``ti; \
  assign from``rvalid``fi = to``rvalid``ti; \
  assign to``rready``ti = from``rready``fi;

`define SL_AXI_LINK_AW_I(to, ti, from, fi) \
  assign to``awid``ti = from``awid``fi; \
  `SL_AXI_LINK_AX_I(to, ti, from, fi, aw) \
  assign to``awvalid``ti = from``awvalid``fi; \
  assign from``awready``fi = to``awready``ti;

`define SL_AXI_LINK_W_I(to, ti, from, fi) \
  assign to``wdata``ti = from``wdata``fi; \
  assign to``wstrb``ti = from``wstrb``fi; \
  assign to``wlast``ti = from``wlast``fi; \
  assign to``wvalid``ti = from``wvalid``fi; \
  assign from``wready``fi = to``wready``ti;

`define SL_AXI_LINK_B_I(to, ti, from, fi) \
  assign from``bid``fi = to``bid``ti; \
  assign from``bresp``fi = to``bresp``ti; \
  assign from``bvalid``fi = to``bvalid``ti; \
  assign to``bready``ti = from``bready``fi;

`define SL_AXI_LINK_I(to, ti, from, fi) \
  `SL_AXI_LINK_AR_I(to, ti, from, fi) \
  `SL_AXI_LINK_R_I(to, ti, from, fi) \
  `SL_AXI_LINK_AW_I(to, ti, from, fi) \
  `SL_AXI_LINK_W_I(to, ti, from, fi) \
  `SL_AXI_LINK_B_I(to, ti, from, fi)

`define SL_AXIS_LINK_I(to, ti, from, fi) \
  assign to``tdata``ti = from``tdata``fi; \
  assign to``tkeep``ti = from``tkeep``fi; \
  assign to``tlast``ti = from``tlast``fi; \
  assign to``tvalid``ti = from``tvalid``fi; \
  assign from``tready``fi = to``tready``ti;

// BURST, LOCK, CACHE and PROT of AR or AW (`ch`: ar, aw): what nothing on the way changes.
`define SL_AXI_LINK_ATTR(to, from, ch) `SL_AXI_LINK_ATTR_I(to, , from, , ch)

// Payload of AR or AW without its ID.
`define SL_AXI_LINK_AX(to, from, ch) `SL_AXI_LINK_AX_I(to, , from, , ch)

// The same from one of two masters.
`define SL_AXI_MUX_AX(to, sel, one, zero, ch) \
  assign to``ch``addr  = sel ? one``ch``addr : zero``ch``addr; \
  assign to``ch``len   = sel ? one``ch``len : zero``ch``len; \
  assign to``ch``size  = sel ? one``ch``size : zero``ch``size; \
  assign to``ch``burst = sel ? one``ch``burst : zero``ch``burst; \
  assign to``ch``lock  = sel ? one``ch``lock : zero``ch``lock; \
  assign to``ch``cache = sel ? one``ch``cache : zero``ch``cache; \
  assign to``ch``prot  = sel ? one``ch``prot : zero``ch``prot;

// A channel, or all of them.
`define SL_AXI_LINK_R(to, from) `SL_AXI_LINK_R_I(to, , from, )
`define SL_AXI_LINK_W(to, from) `SL_AXI_LINK_W_I(to, , from, )
`define SL_AXI_LINK_B(to, from) `SL_AXI_LINK_B_I(to, , from, )
`define SL_AXI_LINK(to, from) `SL_AXI_LINK_I(to, , from, )

// Their read or their write half.
`define SL_AXI_LINK_RD(to, from) \
  `SL_AXI_LINK_AR_I(to, , from, ) \
  `SL_AXI_LINK_R(to, from)

`define SL_AXI_LINK_WR(to, from) \
  `SL_AXI_LINK_AW_I(to, , from, ) \
  `SL_AXI_LINK_W(to, from) \
  `SL_AXI_LINK_B(to, from)

// All but ARADDR and AWADDR.
`define SL_AXI_LINK_BUT_ADDR(to, from) \
  assign to``arid      = from``arid; \
  assign to``arlen     = from``arlen; \
  assign to``arsize    = from``arsize; \
  `SL_AXI_LINK_ATTR(to, from, ar) \
  assign to``arvalid   = from``arvalid; \
  assign from``arready = to``arready; \
  assign to``awid      = from``awid; \
  assign to``awlen     = from``awlen; \
  assign to``awsize    = from``awsize; \
  `SL_AXI_LINK_ATTR(to, from, aw) \
  assign to``awvalid   = from``awvalid; \
  assign from``awready = to``awready; \
  `SL_AXI_LINK_R(to, from) \
  `SL_AXI_LINK_W(to, from) \
  `SL_AXI_LINK_B(to, from)

// AXI3: WID too.
`define SL_AXI3_LINK(to, from) \
  `SL_AXI_LINK(to, from) \
  assign to``wid = from``wid;

// A master that never asks, a slave that never answers.
`define SL_AXI_IDLE_RD_MST(bus) \
  assign bus``arid    = '0; \
  assign bus``araddr  = '0; \
  assign bus``arlen   = '0; \
  assign bus``arsize  = '0; \
  assign bus``arburst = '0; \
  assign bus``arlock  = '0; \
  assign bus``arcache = '0; \
  assign bus``arprot  = '0; \
  assign bus``arvalid = 1'b0; \
  assign bus``rready  = 1'b0;

`define SL_AXI_IDLE_WR_MST(bus) \
  assign bus``awid    = '0; \
  assign bus``awaddr  = '0; \
  assign bus``awlen   = '0; \
  assign bus``awsize  = '0; \
  assign bus``awburst = '0; \
  assign bus``awlock  = '0; \
  assign bus``awcache = '0; \
  assign bus``awprot  = '0; \
  assign bus``awvalid = 1'b0; \
  assign bus``wdata   = '0; \
  assign bus``wstrb   = '0; \
  assign bus``wlast   = 1'b0; \
  assign bus``wvalid  = 1'b0; \
  assign bus``bready  = 1'b0;

`define SL_AXI_IDLE_RD_SLV(bus) \
  assign bus``arready = 1'b0; \
  assign bus``rid     = '0; \
  assign bus``rdata   = '0; \
  assign bus``rresp   = '0; \
  assign bus``rlast   = 1'b0; \
  assign bus``rvalid  = 1'b0;

`define SL_AXI_IDLE_WR_SLV(bus) \
  assign bus``awready = 1'b0; \
  assign bus``wready  = 1'b0; \
  assign bus``bid     = '0; \
  assign bus``bresp   = '0; \
  assign bus``bvalid  = 1'b0;

`define SL_AXI_IDLE_MST(bus) \
  `SL_AXI_IDLE_RD_MST(bus) \
  `SL_AXI_IDLE_WR_MST(bus)

`define SL_AXI_IDLE_SLV(bus) \
  `SL_AXI_IDLE_RD_SLV(bus) \
  `SL_AXI_IDLE_WR_SLV(bus)

// All but ARADDR and AWADDR.
`define SL_AXIL_LINK_BUT_ADDR(to, from) \
  assign to``awprot    = from``awprot; \
  assign to``awvalid   = from``awvalid; \
  assign from``awready = to``awready; \
  assign to``wdata     = from``wdata; \
  assign to``wstrb     = from``wstrb; \
  assign to``wvalid    = from``wvalid; \
  assign from``wready  = to``wready; \
  assign from``bresp   = to``bresp; \
  assign from``bvalid  = to``bvalid; \
  assign to``bready    = from``bready; \
  assign to``arprot    = from``arprot; \
  assign to``arvalid   = from``arvalid; \
  assign from``arready = to``arready; \
  assign from``rdata   = to``rdata; \
  assign from``rresp   = to``rresp; \
  assign from``rvalid  = to``rvalid; \
  assign to``rready    = from``rready;

`define SL_AXIL_LINK(to, from) \
  assign to``awaddr = from``awaddr; \
  assign to``araddr = from``araddr; \
  `SL_AXIL_LINK_BUT_ADDR(to, from)

// A master that never asks, a slave that never answers.
`define SL_AXIL_IDLE_MST(bus) \
  assign bus``awaddr  = '0; \
  assign bus``awprot  = '0; \
  assign bus``awvalid = 1'b0; \
  assign bus``wdata   = '0; \
  assign bus``wstrb   = '0; \
  assign bus``wvalid  = 1'b0; \
  assign bus``bready  = 1'b0; \
  assign bus``araddr  = '0; \
  assign bus``arprot  = '0; \
  assign bus``arvalid = 1'b0; \
  assign bus``rready  = 1'b0;

`define SL_AXIL_IDLE_SLV(bus) \
  assign bus``awready = 1'b0; \
  assign bus``wready  = 1'b0; \
  assign bus``bresp   = '0; \
  assign bus``bvalid  = 1'b0; \
  assign bus``arready = 1'b0; \
  assign bus``rdata   = '0; \
  assign bus``rresp   = '0; \
  assign bus``rvalid  = 1'b0;

`define SL_AXIS_LINK(to, from) `SL_AXIS_LINK_I(to, , from, )

`define SL_AXIS_IDLE_MST(bus) \
  assign bus``tdata  = '0; \
  assign bus``tkeep  = '0; \
  assign bus``tlast  = 1'b0; \
  assign bus``tvalid = 1'b0;

// ---- connections of an instance -----------------------------------------------------------------

`define SL_AXI_PINS_RD(pins, bus) \
  .pins``arid(bus``arid), .pins``araddr(bus``araddr), .pins``arlen(bus``arlen), \
  .pins``arsize(bus``arsize), .pins``arburst(bus``arburst), .pins``arlock(bus``arlock), \
  .pins``arcache(bus``arcache), .pins``arprot(bus``arprot), .pins``arvalid(bus``arvalid), \
  .pins``arready(bus``arready), .pins``rid(bus``rid), .pins``rdata(bus``rdata), \
  .pins``rresp(bus``rresp), .pins``rlast(bus``rlast), .pins``rvalid(bus``rvalid), \
  .pins``rready(bus``rready)

`define SL_AXI_PINS_WR(pins, bus) \
  .pins``awid(bus``awid), .pins``awaddr(bus``awaddr), .pins``awlen(bus``awlen), \
  .pins``awsize(bus``awsize), .pins``awburst(bus``awburst), .pins``awlock(bus``awlock), \
  .pins``awcache(bus``awcache), .pins``awprot(bus``awprot), .pins``awvalid(bus``awvalid), \
  .pins``awready(bus``awready), .pins``wdata(bus``wdata), .pins``wstrb(bus``wstrb), \
  .pins``wlast(bus``wlast), .pins``wvalid(bus``wvalid), .pins``wready(bus``wready), \
  .pins``bid(bus``bid), .pins``bresp(bus``bresp), .pins``bvalid(bus``bvalid), \
  .pins``bready(bus``bready)

`define SL_AXI_PINS(pins, bus) `SL_AXI_PINS_RD(pins, bus), `SL_AXI_PINS_WR(pins, bus)

`define SL_AXIL_PINS_BUT_ADDR(pins, bus) \
  .pins``awprot(bus``awprot), .pins``awvalid(bus``awvalid), .pins``awready(bus``awready), \
  .pins``wdata(bus``wdata), .pins``wstrb(bus``wstrb), .pins``wvalid(bus``wvalid), \
  .pins``wready(bus``wready), .pins``bresp(bus``bresp), .pins``bvalid(bus``bvalid), \
  .pins``bready(bus``bready), .pins``arprot(bus``arprot), .pins``arvalid(bus``arvalid), \
  .pins``arready(bus``arready), .pins``rdata(bus``rdata), .pins``rresp(bus``rresp), \
  .pins``rvalid(bus``rvalid), .pins``rready(bus``rready)

// `bits`: address bits that the instance has.
`define SL_AXIL_PINS(pins, bus, bits) \
  .pins``awaddr(bus``awaddr[(bits)-1:0]), .pins``araddr(bus``araddr[(bits)-1:0]), \
  `SL_AXIL_PINS_BUT_ADDR(pins, bus)

`define SL_AXIS_PINS(pins, bus) \
  .pins``tdata(bus``tdata), .pins``tkeep(bus``tkeep), .pins``tlast(bus``tlast), \
  .pins``tvalid(bus``tvalid), .pins``tready(bus``tready)

// ---- expressions --------------------------------------------------------------------------------

// All of an address channel's payload (`ch`: ar, aw), to stand between braces.
`define SL_AXI_AX_BITS(bus, ch) \
  bus``ch``id, bus``ch``addr, bus``ch``len, bus``ch``size, bus``ch``burst, bus``ch``lock, \
  bus``ch``cache, bus``ch``prot

// ---- checkers -----------------------------------------------------------------------------------
// An instance `name` of sl_axi_check, sl_axil_check or sl_axis_check on a bus of these widths, in a
// module with clk_i and rst_ni. Under SYNTHESIS nothing.

`ifndef SYNTHESIS

// The bus is an interface; `axi3` as its parameter.
`define SL_AXI_CHECK(name, bus, addr, data, id, axi3) \
  /* verilator lint_off PINCONNECTEMPTY */ \
  sl_axi_check #(.AddrWidth(addr), .DataWidth(data), .IdWidth(id), .Axi3(axi3)) name ( \
    .clk_i, .rst_ni, `SL_AXI_PINS(axi_, bus), .axi_wid(bus``wid), \
    .wr_outstanding_o(), .rd_outstanding_o(), .violation_o()); \
  /* verilator lint_on PINCONNECTEMPTY */

`define SL_AXIL_CHECK(name, bus, addr, data) \
  /* verilator lint_off PINCONNECTEMPTY */ \
  sl_axil_check #(.AddrWidth(addr), .DataWidth(data)) name ( \
    .clk_i, .rst_ni, `SL_AXIL_PINS(axil_, bus, addr), \
    .wr_outstanding_o(), .rd_outstanding_o(), .violation_o()); \
  /* verilator lint_on PINCONNECTEMPTY */

// `reset`: of the stream, active low.
`define SL_AXIS_CHECK(name, bus, data, reset) \
  /* verilator lint_off PINCONNECTEMPTY */ \
  sl_axis_check #(.DataWidth(data)) name ( \
    .clk_i, .rst_ni(reset), `SL_AXIS_PINS(axis_, bus), .axis_tuser('0), .violation_o()); \
  /* verilator lint_on PINCONNECTEMPTY */

`else

`define SL_AXI_CHECK(name, bus, addr, data, id, axi3)
`define SL_AXIL_CHECK(name, bus, addr, data)
`define SL_AXIS_CHECK(name, bus, data, reset)

`endif

`endif
