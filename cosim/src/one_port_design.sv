// SPDX-License-Identifier: Apache-2.0
// A design of the HP ports with one port, for a simulator that is driven by a program.
//
// What depends on an input, Verilator evaluates at every call, changed or not, twice a cycle:
// the register files above all. So inputs pass through registers here, those of the control port
// clocked by either edge of control_changed_i, the memory port's by port_changed_i, and nothing
// behind them is evaluated while nothing changes. To the design they are inputs as ever, as long as
// the program drives them, and these edges, before the evaluation with clk_i low; its reset is among
// those of the control port.
`include "sl_axi.svh"

module one_port_design #(
  parameter  string       Design = "hp_stress",
  parameter  int unsigned DataWidth = 64,
  parameter  int unsigned Interrupts = 8,  // lines of the design
  localparam int unsigned IdWidth = 6
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   control_changed_i,
  input  logic                   port_changed_i,

  input  logic [           19:0] s_axil_awaddr,
  input  logic [            2:0] s_axil_awprot,
  input  logic                   s_axil_awvalid,
  output logic                   s_axil_awready,
  input  logic [           31:0] s_axil_wdata,
  input  logic [            3:0] s_axil_wstrb,
  input  logic                   s_axil_wvalid,
  output logic                   s_axil_wready,
  output logic [            1:0] s_axil_bresp,
  output logic                   s_axil_bvalid,
  input  logic                   s_axil_bready,
  input  logic [           19:0] s_axil_araddr,
  input  logic [            2:0] s_axil_arprot,
  input  logic                   s_axil_arvalid,
  output logic                   s_axil_arready,
  output logic [           31:0] s_axil_rdata,
  output logic [            1:0] s_axil_rresp,
  output logic                   s_axil_rvalid,
  input  logic                   s_axil_rready,

  output logic [ Interrupts-1:0] irq_o,

  output logic [    IdWidth-1:0] m_axi_hp0_arid,
  output logic [           31:0] m_axi_hp0_araddr,
  output logic [            3:0] m_axi_hp0_arlen,
  output logic [            2:0] m_axi_hp0_arsize,
  output logic [            1:0] m_axi_hp0_arburst,
  output logic [            1:0] m_axi_hp0_arlock,
  output logic [            3:0] m_axi_hp0_arcache,
  output logic [            2:0] m_axi_hp0_arprot,
  output logic                   m_axi_hp0_arvalid,
  input  logic                   m_axi_hp0_arready,
  input  logic [    IdWidth-1:0] m_axi_hp0_rid,
  input  logic [  DataWidth-1:0] m_axi_hp0_rdata,
  input  logic [            1:0] m_axi_hp0_rresp,
  input  logic                   m_axi_hp0_rlast,
  input  logic                   m_axi_hp0_rvalid,
  output logic                   m_axi_hp0_rready,
  output logic [    IdWidth-1:0] m_axi_hp0_awid,
  output logic [           31:0] m_axi_hp0_awaddr,
  output logic [            3:0] m_axi_hp0_awlen,
  output logic [            2:0] m_axi_hp0_awsize,
  output logic [            1:0] m_axi_hp0_awburst,
  output logic [            1:0] m_axi_hp0_awlock,
  output logic [            3:0] m_axi_hp0_awcache,
  output logic [            2:0] m_axi_hp0_awprot,
  output logic                   m_axi_hp0_awvalid,
  input  logic                   m_axi_hp0_awready,
  output logic [    IdWidth-1:0] m_axi_hp0_wid,
  output logic [  DataWidth-1:0] m_axi_hp0_wdata,
  output logic [DataWidth/8-1:0] m_axi_hp0_wstrb,
  output logic                   m_axi_hp0_wlast,
  output logic                   m_axi_hp0_wvalid,
  input  logic                   m_axi_hp0_wready,
  input  logic [    IdWidth-1:0] m_axi_hp0_bid,
  input  logic [            1:0] m_axi_hp0_bresp,
  input  logic                   m_axi_hp0_bvalid,
  output logic                   m_axi_hp0_bready
);

  logic                 rst_q;
  logic [         19:0] awaddr_q, araddr_q;
  logic [          2:0] awprot_q, arprot_q;
  logic [         31:0] wdata_q;
  logic [          3:0] wstrb_q;
  logic                 awvalid_q, wvalid_q, bready_q, arvalid_q, axil_rready_q;

  always_ff @(edge control_changed_i) begin
    rst_q         <= rst_ni;
    awaddr_q      <= s_axil_awaddr;
    awprot_q      <= s_axil_awprot;
    awvalid_q     <= s_axil_awvalid;
    wdata_q       <= s_axil_wdata;
    wstrb_q       <= s_axil_wstrb;
    wvalid_q      <= s_axil_wvalid;
    bready_q      <= s_axil_bready;
    araddr_q      <= s_axil_araddr;
    arprot_q      <= s_axil_arprot;
    arvalid_q     <= s_axil_arvalid;
    axil_rready_q <= s_axil_rready;
  end

  logic [  IdWidth-1:0] rid_q, bid_q;
  logic [DataWidth-1:0] rdata_q;
  logic [          1:0] rresp_q, bresp_q;
  logic                 arready_q, rvalid_q, rlast_q, awready_q, wready_q, bvalid_q;

  always_ff @(edge port_changed_i) begin
    arready_q <= m_axi_hp0_arready;
    rid_q     <= m_axi_hp0_rid;
    rdata_q   <= m_axi_hp0_rdata;
    rresp_q   <= m_axi_hp0_rresp;
    rlast_q   <= m_axi_hp0_rlast;
    rvalid_q  <= m_axi_hp0_rvalid;
    awready_q <= m_axi_hp0_awready;
    wready_q  <= m_axi_hp0_wready;
    bid_q     <= m_axi_hp0_bid;
    bresp_q   <= m_axi_hp0_bresp;
    bvalid_q  <= m_axi_hp0_bvalid;
  end

`define SLUICE_NO_PORT(n)                                                        \
    .m_axi_hp``n``_arid(), .m_axi_hp``n``_araddr(), .m_axi_hp``n``_arlen(),      \
    .m_axi_hp``n``_arsize(), .m_axi_hp``n``_arburst(), .m_axi_hp``n``_arlock(),  \
    .m_axi_hp``n``_arcache(), .m_axi_hp``n``_arprot(), .m_axi_hp``n``_arvalid(), \
    .m_axi_hp``n``_arready('0), .m_axi_hp``n``_rid('0), .m_axi_hp``n``_rdata('0), \
    .m_axi_hp``n``_rresp('0), .m_axi_hp``n``_rlast('0), .m_axi_hp``n``_rvalid('0), \
    .m_axi_hp``n``_rready(), .m_axi_hp``n``_awid(), .m_axi_hp``n``_awaddr(),     \
    .m_axi_hp``n``_awlen(), .m_axi_hp``n``_awsize(), .m_axi_hp``n``_awburst(),   \
    .m_axi_hp``n``_awlock(), .m_axi_hp``n``_awcache(), .m_axi_hp``n``_awprot(),  \
    .m_axi_hp``n``_awvalid(), .m_axi_hp``n``_awready('0), .m_axi_hp``n``_wid(),  \
    .m_axi_hp``n``_wdata(), .m_axi_hp``n``_wstrb(), .m_axi_hp``n``_wlast(),      \
    .m_axi_hp``n``_wvalid(), .m_axi_hp``n``_wready('0), .m_axi_hp``n``_bid('0),  \
    .m_axi_hp``n``_bresp('0), .m_axi_hp``n``_bvalid('0), .m_axi_hp``n``_bready()

  sl_axi_if #(.AddrWidth(19), .DataWidth(32), .IdWidth(12)) no_ram ();
  `SL_AXI_IDLE_MST(no_ram.)

  // verilator lint_off PINCONNECTEMPTY
  sl_hp_ports #(
    .Design(Design),
    .NumPorts(1),
    .DataWidth(DataWidth)
  ) u_design (
    .rst_ni(rst_q),
    .s_axil_awaddr(awaddr_q),
    .s_axil_awprot(awprot_q),
    .s_axil_awvalid(awvalid_q),
    .s_axil_wdata(wdata_q),
    .s_axil_wstrb(wstrb_q),
    .s_axil_wvalid(wvalid_q),
    .s_axil_bready(bready_q),
    .s_axil_araddr(araddr_q),
    .s_axil_arprot(arprot_q),
    .s_axil_arvalid(arvalid_q),
    .s_axil_rready(axil_rready_q),
    .m_axi_hp0_arready(arready_q),
    .m_axi_hp0_rid(rid_q),
    .m_axi_hp0_rdata(rdata_q),
    .m_axi_hp0_rresp(rresp_q),
    .m_axi_hp0_rlast(rlast_q),
    .m_axi_hp0_rvalid(rvalid_q),
    .m_axi_hp0_awready(awready_q),
    .m_axi_hp0_wready(wready_q),
    .m_axi_hp0_bid(bid_q),
    .m_axi_hp0_bresp(bresp_q),
    .m_axi_hp0_bvalid(bvalid_q),
    `SL_AXI_PINS(s_axi_ram_, no_ram.),
    `SLUICE_NO_PORT(1),
    `SLUICE_NO_PORT(2),
    `SLUICE_NO_PORT(3),
    .*
  );
  // verilator lint_on PINCONNECTEMPTY

`undef SLUICE_NO_PORT

endmodule
