// SPDX-License-Identifier: Apache-2.0
//
// Ports of benches: the pins of a bus, to be linked with an interface by the macros of sl_axi.svh.
// `pre` is what the pins' names begin with; addr, data, id are widths. IN: the bench is the slave.

`ifndef SL_BENCH_SVH
`define SL_BENCH_SVH

`define SL_AXI_PORTS_IN(pre, addr, data, id) \
  input logic [(id)-1:0] pre``arid, \
  input logic [(addr)-1:0] pre``araddr, \
  input logic [7:0] pre``arlen, \
  input logic [2:0] pre``arsize, \
  input logic [1:0] pre``arburst, \
  input logic pre``arlock, \
  input logic [3:0] pre``arcache, \
  input logic [2:0] pre``arprot, \
  input logic pre``arvalid, \
  output logic pre``arready, \
  output logic [(id)-1:0] pre``rid, \
  output logic [(data)-1:0] pre``rdata, \
  output logic [1:0] pre``rresp, \
  output logic pre``rlast, \
  output logic pre``rvalid, \
  input logic pre``rready, \
  input logic [(id)-1:0] pre``awid, \
  input logic [(addr)-1:0] pre``awaddr, \
  input logic [7:0] pre``awlen, \
  input logic [2:0] pre``awsize, \
  input logic [1:0] pre``awburst, \
  input logic pre``awlock, \
  input logic [3:0] pre``awcache, \
  input logic [2:0] pre``awprot, \
  input logic pre``awvalid, \
  output logic pre``awready, \
  input logic [(data)-1:0] pre``wdata, \
  input logic [(data)/8-1:0] pre``wstrb, \
  input logic pre``wlast, \
  input logic pre``wvalid, \
  output logic pre``wready, \
  output logic [(id)-1:0] pre``bid, \
  output logic [1:0] pre``bresp, \
  output logic pre``bvalid, \
  input logic pre``bready

`define SL_AXI_PORTS_OUT(pre, addr, data, id) \
  output logic [(id)-1:0] pre``arid, \
  output logic [(addr)-1:0] pre``araddr, \
  output logic [7:0] pre``arlen, \
  output logic [2:0] pre``arsize, \
  output logic [1:0] pre``arburst, \
  output logic pre``arlock, \
  output logic [3:0] pre``arcache, \
  output logic [2:0] pre``arprot, \
  output logic pre``arvalid, \
  input logic pre``arready, \
  input logic [(id)-1:0] pre``rid, \
  input logic [(data)-1:0] pre``rdata, \
  input logic [1:0] pre``rresp, \
  input logic pre``rlast, \
  input logic pre``rvalid, \
  output logic pre``rready, \
  output logic [(id)-1:0] pre``awid, \
  output logic [(addr)-1:0] pre``awaddr, \
  output logic [7:0] pre``awlen, \
  output logic [2:0] pre``awsize, \
  output logic [1:0] pre``awburst, \
  output logic pre``awlock, \
  output logic [3:0] pre``awcache, \
  output logic [2:0] pre``awprot, \
  output logic pre``awvalid, \
  input logic pre``awready, \
  output logic [(data)-1:0] pre``wdata, \
  output logic [(data)/8-1:0] pre``wstrb, \
  output logic pre``wlast, \
  output logic pre``wvalid, \
  input logic pre``wready, \
  input logic [(id)-1:0] pre``bid, \
  input logic [1:0] pre``bresp, \
  input logic pre``bvalid, \
  output logic pre``bready

`define SL_AXI3_PORTS_OUT(pre, addr, data, id) \
  output logic [(id)-1:0] pre``arid, \
  output logic [(addr)-1:0] pre``araddr, \
  output logic [3:0] pre``arlen, \
  output logic [2:0] pre``arsize, \
  output logic [1:0] pre``arburst, \
  output logic [1:0] pre``arlock, \
  output logic [3:0] pre``arcache, \
  output logic [2:0] pre``arprot, \
  output logic pre``arvalid, \
  input logic pre``arready, \
  input logic [(id)-1:0] pre``rid, \
  input logic [(data)-1:0] pre``rdata, \
  input logic [1:0] pre``rresp, \
  input logic pre``rlast, \
  input logic pre``rvalid, \
  output logic pre``rready, \
  output logic [(id)-1:0] pre``awid, \
  output logic [(addr)-1:0] pre``awaddr, \
  output logic [3:0] pre``awlen, \
  output logic [2:0] pre``awsize, \
  output logic [1:0] pre``awburst, \
  output logic [1:0] pre``awlock, \
  output logic [3:0] pre``awcache, \
  output logic [2:0] pre``awprot, \
  output logic pre``awvalid, \
  input logic pre``awready, \
  output logic [(id)-1:0] pre``wid, \
  output logic [(data)-1:0] pre``wdata, \
  output logic [(data)/8-1:0] pre``wstrb, \
  output logic pre``wlast, \
  output logic pre``wvalid, \
  input logic pre``wready, \
  input logic [(id)-1:0] pre``bid, \
  input logic [1:0] pre``bresp, \
  input logic pre``bvalid, \
  output logic pre``bready

`endif
