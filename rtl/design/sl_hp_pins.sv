// SPDX-License-Identifier: Apache-2.0
// The pins of HP0 to HP3 of a design, from arrays of as many ports as it has.
//
// Ports: s_axi_x[p] is m_axi_hp<p>_x, combinationally. The outputs of ports beyond NumPorts are
//   constant 0, their inputs ignored.
// Parameters: NumPorts 1..4 (the design that has it refuses others), widths as the ports'.
module sl_hp_pins #(
  parameter int unsigned NumPorts  = 4,
  parameter int unsigned DataWidth = 64,
  parameter int unsigned IdWidth   = 6
) (
  input  logic [NumPorts-1:0][IdWidth-1:0]     s_axi_arid,
  input  logic [NumPorts-1:0][31:0]            s_axi_araddr,
  input  logic [NumPorts-1:0][3:0]             s_axi_arlen,
  input  logic [NumPorts-1:0][2:0]             s_axi_arsize,
  input  logic [NumPorts-1:0][1:0]             s_axi_arburst,
  input  logic [NumPorts-1:0][1:0]             s_axi_arlock,
  input  logic [NumPorts-1:0][3:0]             s_axi_arcache,
  input  logic [NumPorts-1:0][2:0]             s_axi_arprot,
  input  logic [NumPorts-1:0]                  s_axi_arvalid,
  output logic [NumPorts-1:0]                  s_axi_arready,
  output logic [NumPorts-1:0][IdWidth-1:0]     s_axi_rid,
  output logic [NumPorts-1:0][DataWidth-1:0]   s_axi_rdata,
  output logic [NumPorts-1:0][1:0]             s_axi_rresp,
  output logic [NumPorts-1:0]                  s_axi_rlast,
  output logic [NumPorts-1:0]                  s_axi_rvalid,
  input  logic [NumPorts-1:0]                  s_axi_rready,
  input  logic [NumPorts-1:0][IdWidth-1:0]     s_axi_awid,
  input  logic [NumPorts-1:0][31:0]            s_axi_awaddr,
  input  logic [NumPorts-1:0][3:0]             s_axi_awlen,
  input  logic [NumPorts-1:0][2:0]             s_axi_awsize,
  input  logic [NumPorts-1:0][1:0]             s_axi_awburst,
  input  logic [NumPorts-1:0][1:0]             s_axi_awlock,
  input  logic [NumPorts-1:0][3:0]             s_axi_awcache,
  input  logic [NumPorts-1:0][2:0]             s_axi_awprot,
  input  logic [NumPorts-1:0]                  s_axi_awvalid,
  output logic [NumPorts-1:0]                  s_axi_awready,
  input  logic [NumPorts-1:0][IdWidth-1:0]     s_axi_wid,
  input  logic [NumPorts-1:0][DataWidth-1:0]   s_axi_wdata,
  input  logic [NumPorts-1:0][DataWidth/8-1:0] s_axi_wstrb,
  input  logic [NumPorts-1:0]                  s_axi_wlast,
  input  logic [NumPorts-1:0]                  s_axi_wvalid,
  output logic [NumPorts-1:0]                  s_axi_wready,
  output logic [NumPorts-1:0][IdWidth-1:0]     s_axi_bid,
  output logic [NumPorts-1:0][1:0]             s_axi_bresp,
  output logic [NumPorts-1:0]                  s_axi_bvalid,
  input  logic [NumPorts-1:0]                  s_axi_bready,

  // HP0
  output logic [IdWidth-1:0]     m_axi_hp0_arid,
  output logic [31:0]            m_axi_hp0_araddr,
  output logic [3:0]             m_axi_hp0_arlen,
  output logic [2:0]             m_axi_hp0_arsize,
  output logic [1:0]             m_axi_hp0_arburst,
  output logic [1:0]             m_axi_hp0_arlock,
  output logic [3:0]             m_axi_hp0_arcache,
  output logic [2:0]             m_axi_hp0_arprot,
  output logic                   m_axi_hp0_arvalid,
  input  logic                   m_axi_hp0_arready,
  input  logic [IdWidth-1:0]     m_axi_hp0_rid,
  input  logic [DataWidth-1:0]   m_axi_hp0_rdata,
  input  logic [1:0]             m_axi_hp0_rresp,
  input  logic                   m_axi_hp0_rlast,
  input  logic                   m_axi_hp0_rvalid,
  output logic                   m_axi_hp0_rready,
  output logic [IdWidth-1:0]     m_axi_hp0_awid,
  output logic [31:0]            m_axi_hp0_awaddr,
  output logic [3:0]             m_axi_hp0_awlen,
  output logic [2:0]             m_axi_hp0_awsize,
  output logic [1:0]             m_axi_hp0_awburst,
  output logic [1:0]             m_axi_hp0_awlock,
  output logic [3:0]             m_axi_hp0_awcache,
  output logic [2:0]             m_axi_hp0_awprot,
  output logic                   m_axi_hp0_awvalid,
  input  logic                   m_axi_hp0_awready,
  output logic [IdWidth-1:0]     m_axi_hp0_wid,
  output logic [DataWidth-1:0]   m_axi_hp0_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp0_wstrb,
  output logic                   m_axi_hp0_wlast,
  output logic                   m_axi_hp0_wvalid,
  input  logic                   m_axi_hp0_wready,
  input  logic [IdWidth-1:0]     m_axi_hp0_bid,
  input  logic [1:0]             m_axi_hp0_bresp,
  input  logic                   m_axi_hp0_bvalid,
  output logic                   m_axi_hp0_bready,

  // HP1
  output logic [IdWidth-1:0]     m_axi_hp1_arid,
  output logic [31:0]            m_axi_hp1_araddr,
  output logic [3:0]             m_axi_hp1_arlen,
  output logic [2:0]             m_axi_hp1_arsize,
  output logic [1:0]             m_axi_hp1_arburst,
  output logic [1:0]             m_axi_hp1_arlock,
  output logic [3:0]             m_axi_hp1_arcache,
  output logic [2:0]             m_axi_hp1_arprot,
  output logic                   m_axi_hp1_arvalid,
  input  logic                   m_axi_hp1_arready,
  input  logic [IdWidth-1:0]     m_axi_hp1_rid,
  input  logic [DataWidth-1:0]   m_axi_hp1_rdata,
  input  logic [1:0]             m_axi_hp1_rresp,
  input  logic                   m_axi_hp1_rlast,
  input  logic                   m_axi_hp1_rvalid,
  output logic                   m_axi_hp1_rready,
  output logic [IdWidth-1:0]     m_axi_hp1_awid,
  output logic [31:0]            m_axi_hp1_awaddr,
  output logic [3:0]             m_axi_hp1_awlen,
  output logic [2:0]             m_axi_hp1_awsize,
  output logic [1:0]             m_axi_hp1_awburst,
  output logic [1:0]             m_axi_hp1_awlock,
  output logic [3:0]             m_axi_hp1_awcache,
  output logic [2:0]             m_axi_hp1_awprot,
  output logic                   m_axi_hp1_awvalid,
  input  logic                   m_axi_hp1_awready,
  output logic [IdWidth-1:0]     m_axi_hp1_wid,
  output logic [DataWidth-1:0]   m_axi_hp1_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp1_wstrb,
  output logic                   m_axi_hp1_wlast,
  output logic                   m_axi_hp1_wvalid,
  input  logic                   m_axi_hp1_wready,
  input  logic [IdWidth-1:0]     m_axi_hp1_bid,
  input  logic [1:0]             m_axi_hp1_bresp,
  input  logic                   m_axi_hp1_bvalid,
  output logic                   m_axi_hp1_bready,

  // HP2
  output logic [IdWidth-1:0]     m_axi_hp2_arid,
  output logic [31:0]            m_axi_hp2_araddr,
  output logic [3:0]             m_axi_hp2_arlen,
  output logic [2:0]             m_axi_hp2_arsize,
  output logic [1:0]             m_axi_hp2_arburst,
  output logic [1:0]             m_axi_hp2_arlock,
  output logic [3:0]             m_axi_hp2_arcache,
  output logic [2:0]             m_axi_hp2_arprot,
  output logic                   m_axi_hp2_arvalid,
  input  logic                   m_axi_hp2_arready,
  input  logic [IdWidth-1:0]     m_axi_hp2_rid,
  input  logic [DataWidth-1:0]   m_axi_hp2_rdata,
  input  logic [1:0]             m_axi_hp2_rresp,
  input  logic                   m_axi_hp2_rlast,
  input  logic                   m_axi_hp2_rvalid,
  output logic                   m_axi_hp2_rready,
  output logic [IdWidth-1:0]     m_axi_hp2_awid,
  output logic [31:0]            m_axi_hp2_awaddr,
  output logic [3:0]             m_axi_hp2_awlen,
  output logic [2:0]             m_axi_hp2_awsize,
  output logic [1:0]             m_axi_hp2_awburst,
  output logic [1:0]             m_axi_hp2_awlock,
  output logic [3:0]             m_axi_hp2_awcache,
  output logic [2:0]             m_axi_hp2_awprot,
  output logic                   m_axi_hp2_awvalid,
  input  logic                   m_axi_hp2_awready,
  output logic [IdWidth-1:0]     m_axi_hp2_wid,
  output logic [DataWidth-1:0]   m_axi_hp2_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp2_wstrb,
  output logic                   m_axi_hp2_wlast,
  output logic                   m_axi_hp2_wvalid,
  input  logic                   m_axi_hp2_wready,
  input  logic [IdWidth-1:0]     m_axi_hp2_bid,
  input  logic [1:0]             m_axi_hp2_bresp,
  input  logic                   m_axi_hp2_bvalid,
  output logic                   m_axi_hp2_bready,

  // HP3
  output logic [IdWidth-1:0]     m_axi_hp3_arid,
  output logic [31:0]            m_axi_hp3_araddr,
  output logic [3:0]             m_axi_hp3_arlen,
  output logic [2:0]             m_axi_hp3_arsize,
  output logic [1:0]             m_axi_hp3_arburst,
  output logic [1:0]             m_axi_hp3_arlock,
  output logic [3:0]             m_axi_hp3_arcache,
  output logic [2:0]             m_axi_hp3_arprot,
  output logic                   m_axi_hp3_arvalid,
  input  logic                   m_axi_hp3_arready,
  input  logic [IdWidth-1:0]     m_axi_hp3_rid,
  input  logic [DataWidth-1:0]   m_axi_hp3_rdata,
  input  logic [1:0]             m_axi_hp3_rresp,
  input  logic                   m_axi_hp3_rlast,
  input  logic                   m_axi_hp3_rvalid,
  output logic                   m_axi_hp3_rready,
  output logic [IdWidth-1:0]     m_axi_hp3_awid,
  output logic [31:0]            m_axi_hp3_awaddr,
  output logic [3:0]             m_axi_hp3_awlen,
  output logic [2:0]             m_axi_hp3_awsize,
  output logic [1:0]             m_axi_hp3_awburst,
  output logic [1:0]             m_axi_hp3_awlock,
  output logic [3:0]             m_axi_hp3_awcache,
  output logic [2:0]             m_axi_hp3_awprot,
  output logic                   m_axi_hp3_awvalid,
  input  logic                   m_axi_hp3_awready,
  output logic [IdWidth-1:0]     m_axi_hp3_wid,
  output logic [DataWidth-1:0]   m_axi_hp3_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp3_wstrb,
  output logic                   m_axi_hp3_wlast,
  output logic                   m_axi_hp3_wvalid,
  input  logic                   m_axi_hp3_wready,
  input  logic [IdWidth-1:0]     m_axi_hp3_bid,
  input  logic [1:0]             m_axi_hp3_bresp,
  input  logic                   m_axi_hp3_bvalid,
  output logic                   m_axi_hp3_bready
);

  assign {m_axi_hp3_arid, m_axi_hp2_arid, m_axi_hp1_arid, m_axi_hp0_arid} =
      (4*IdWidth)'(s_axi_arid);
  assign {m_axi_hp3_araddr, m_axi_hp2_araddr, m_axi_hp1_araddr, m_axi_hp0_araddr} =
      128'(s_axi_araddr);
  assign {m_axi_hp3_arlen, m_axi_hp2_arlen, m_axi_hp1_arlen, m_axi_hp0_arlen} = 16'(s_axi_arlen);
  assign {m_axi_hp3_arsize, m_axi_hp2_arsize, m_axi_hp1_arsize, m_axi_hp0_arsize} =
      12'(s_axi_arsize);
  assign {m_axi_hp3_arburst, m_axi_hp2_arburst, m_axi_hp1_arburst, m_axi_hp0_arburst} =
      8'(s_axi_arburst);
  assign {m_axi_hp3_arlock, m_axi_hp2_arlock, m_axi_hp1_arlock, m_axi_hp0_arlock} =
      8'(s_axi_arlock);
  assign {m_axi_hp3_arcache, m_axi_hp2_arcache, m_axi_hp1_arcache, m_axi_hp0_arcache} =
      16'(s_axi_arcache);
  assign {m_axi_hp3_arprot, m_axi_hp2_arprot, m_axi_hp1_arprot, m_axi_hp0_arprot} =
      12'(s_axi_arprot);
  assign {m_axi_hp3_arvalid, m_axi_hp2_arvalid, m_axi_hp1_arvalid, m_axi_hp0_arvalid} =
      4'(s_axi_arvalid);
  assign s_axi_arready =
      (NumPorts)'({m_axi_hp3_arready, m_axi_hp2_arready, m_axi_hp1_arready, m_axi_hp0_arready});
  assign s_axi_rid =
      (NumPorts*IdWidth)'({m_axi_hp3_rid, m_axi_hp2_rid, m_axi_hp1_rid, m_axi_hp0_rid});
  assign s_axi_rdata =
      (NumPorts*DataWidth)'({m_axi_hp3_rdata, m_axi_hp2_rdata, m_axi_hp1_rdata, m_axi_hp0_rdata});
  assign s_axi_rresp =
      (NumPorts*2)'({m_axi_hp3_rresp, m_axi_hp2_rresp, m_axi_hp1_rresp, m_axi_hp0_rresp});
  assign s_axi_rlast =
      (NumPorts)'({m_axi_hp3_rlast, m_axi_hp2_rlast, m_axi_hp1_rlast, m_axi_hp0_rlast});
  assign s_axi_rvalid =
      (NumPorts)'({m_axi_hp3_rvalid, m_axi_hp2_rvalid, m_axi_hp1_rvalid, m_axi_hp0_rvalid});
  assign {m_axi_hp3_rready, m_axi_hp2_rready, m_axi_hp1_rready, m_axi_hp0_rready} =
      4'(s_axi_rready);
  assign {m_axi_hp3_awid, m_axi_hp2_awid, m_axi_hp1_awid, m_axi_hp0_awid} =
      (4*IdWidth)'(s_axi_awid);
  assign {m_axi_hp3_awaddr, m_axi_hp2_awaddr, m_axi_hp1_awaddr, m_axi_hp0_awaddr} =
      128'(s_axi_awaddr);
  assign {m_axi_hp3_awlen, m_axi_hp2_awlen, m_axi_hp1_awlen, m_axi_hp0_awlen} = 16'(s_axi_awlen);
  assign {m_axi_hp3_awsize, m_axi_hp2_awsize, m_axi_hp1_awsize, m_axi_hp0_awsize} =
      12'(s_axi_awsize);
  assign {m_axi_hp3_awburst, m_axi_hp2_awburst, m_axi_hp1_awburst, m_axi_hp0_awburst} =
      8'(s_axi_awburst);
  assign {m_axi_hp3_awlock, m_axi_hp2_awlock, m_axi_hp1_awlock, m_axi_hp0_awlock} =
      8'(s_axi_awlock);
  assign {m_axi_hp3_awcache, m_axi_hp2_awcache, m_axi_hp1_awcache, m_axi_hp0_awcache} =
      16'(s_axi_awcache);
  assign {m_axi_hp3_awprot, m_axi_hp2_awprot, m_axi_hp1_awprot, m_axi_hp0_awprot} =
      12'(s_axi_awprot);
  assign {m_axi_hp3_awvalid, m_axi_hp2_awvalid, m_axi_hp1_awvalid, m_axi_hp0_awvalid} =
      4'(s_axi_awvalid);
  assign s_axi_awready =
      (NumPorts)'({m_axi_hp3_awready, m_axi_hp2_awready, m_axi_hp1_awready, m_axi_hp0_awready});
  assign {m_axi_hp3_wid, m_axi_hp2_wid, m_axi_hp1_wid, m_axi_hp0_wid} = (4*IdWidth)'(s_axi_wid);
  assign {m_axi_hp3_wdata, m_axi_hp2_wdata, m_axi_hp1_wdata, m_axi_hp0_wdata} =
      (4*DataWidth)'(s_axi_wdata);
  assign {m_axi_hp3_wstrb, m_axi_hp2_wstrb, m_axi_hp1_wstrb, m_axi_hp0_wstrb} =
      (4*DataWidth/8)'(s_axi_wstrb);
  assign {m_axi_hp3_wlast, m_axi_hp2_wlast, m_axi_hp1_wlast, m_axi_hp0_wlast} = 4'(s_axi_wlast);
  assign {m_axi_hp3_wvalid, m_axi_hp2_wvalid, m_axi_hp1_wvalid, m_axi_hp0_wvalid} =
      4'(s_axi_wvalid);
  assign s_axi_wready =
      (NumPorts)'({m_axi_hp3_wready, m_axi_hp2_wready, m_axi_hp1_wready, m_axi_hp0_wready});
  assign s_axi_bid =
      (NumPorts*IdWidth)'({m_axi_hp3_bid, m_axi_hp2_bid, m_axi_hp1_bid, m_axi_hp0_bid});
  assign s_axi_bresp =
      (NumPorts*2)'({m_axi_hp3_bresp, m_axi_hp2_bresp, m_axi_hp1_bresp, m_axi_hp0_bresp});
  assign s_axi_bvalid =
      (NumPorts)'({m_axi_hp3_bvalid, m_axi_hp2_bvalid, m_axi_hp1_bvalid, m_axi_hp0_bvalid});
  assign {m_axi_hp3_bready, m_axi_hp2_bready, m_axi_hp1_bready, m_axi_hp0_bready} =
      4'(s_axi_bready);
endmodule
