// SPDX-License-Identifier: Apache-2.0
// Control port of a design: address decoder (sl_axil_demux) and design page (sl_design_page).
//
// Control: window n answers where (address & Mask[n]) == Base[n], the page at 0x40000, 4 KiB;
//   DECERR elsewhere. Addresses pass unchanged, a slave uses the lower bits that it has.
// Handshake, latency, ordering, reset: headers of the two. Vectors: window n at bits [n*W +: W].
// Parameters: checked in the two.
// Specification: regs/sl_design_page.rdl; the design's own for its windows.
module sl_design_control #(
  parameter int unsigned           Windows   = 1,
  parameter logic [Windows*20-1:0] Base      = '0,
  parameter logic [Windows*20-1:0] Mask      = {Windows{20'hf0000}},
  parameter logic [31:0]           Identity  = "SLXX",
  parameter logic [15:0]           Version   = 16'h0101,
  parameter int unsigned           NumPorts  = 1,
  parameter int unsigned           DataWidth = 64,
  parameter int unsigned           LenWidth  = 26,
  parameter bit                    Unaligned = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic [19:0] s_axil_awaddr,
  input  logic [ 2:0] s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [ 3:0] s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [ 1:0] s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [19:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  output logic [Windows*20-1:0]    m_axil_awaddr,
  output logic [Windows*3-1:0]     m_axil_awprot,
  output logic [Windows-1:0]       m_axil_awvalid,
  input  logic [Windows-1:0]       m_axil_awready,
  output logic [Windows*32-1:0]    m_axil_wdata,
  output logic [Windows*4-1:0]     m_axil_wstrb,
  output logic [Windows-1:0]       m_axil_wvalid,
  input  logic [Windows-1:0]       m_axil_wready,
  input  logic [Windows*2-1:0]     m_axil_bresp,
  input  logic [Windows-1:0]       m_axil_bvalid,
  output logic [Windows-1:0]       m_axil_bready,
  output logic [Windows*20-1:0]    m_axil_araddr,
  output logic [Windows*3-1:0]     m_axil_arprot,
  output logic [Windows-1:0]       m_axil_arvalid,
  input  logic [Windows-1:0]       m_axil_arready,
  input  logic [Windows*32-1:0]    m_axil_rdata,
  input  logic [Windows*2-1:0]     m_axil_rresp,
  input  logic [Windows-1:0]       m_axil_rvalid,
  output logic [Windows-1:0]       m_axil_rready,

  input  logic [7:0]               faults_i
);

  localparam int unsigned All = Windows + 1;  // the page is the last

  logic [All*20-1:0]        axil_awaddr;
  logic [All*3-1:0]         axil_awprot;
  logic [All-1:0]           axil_awvalid;
  logic [All-1:0]           axil_awready;
  logic [All*32-1:0]        axil_wdata;
  logic [All*4-1:0]         axil_wstrb;
  logic [All-1:0]           axil_wvalid;
  logic [All-1:0]           axil_wready;
  logic [All*2-1:0]         axil_bresp;
  logic [All-1:0]           axil_bvalid;
  logic [All-1:0]           axil_bready;
  logic [All*20-1:0]        axil_araddr;
  logic [All*3-1:0]         axil_arprot;
  logic [All-1:0]           axil_arvalid;
  logic [All-1:0]           axil_arready;
  logic [All*32-1:0]        axil_rdata;
  logic [All*2-1:0]         axil_rresp;
  logic [All-1:0]           axil_rvalid;
  logic [All-1:0]           axil_rready;
  logic unused_addr;  // the page decodes the bits it has

  assign unused_addr = ^{axil_awaddr[Windows*20+12+:8], axil_araddr[Windows*20+12+:8]};

  sl_axil_demux #(
    .NumPorts (All),
    .AddrWidth(20),
    .Base     ({20'h40000, Base}),
    .Mask     ({20'hff000, Mask})
  ) u_demux (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr,
    .s_axil_awprot,
    .s_axil_awvalid,
    .s_axil_awready,
    .s_axil_wdata,
    .s_axil_wstrb,
    .s_axil_wvalid,
    .s_axil_wready,
    .s_axil_bresp,
    .s_axil_bvalid,
    .s_axil_bready,
    .s_axil_araddr,
    .s_axil_arprot,
    .s_axil_arvalid,
    .s_axil_arready,
    .s_axil_rdata,
    .s_axil_rresp,
    .s_axil_rvalid,
    .s_axil_rready,
    .m_axil_awaddr (axil_awaddr),
    .m_axil_awprot (axil_awprot),
    .m_axil_awvalid(axil_awvalid),
    .m_axil_awready(axil_awready),
    .m_axil_wdata  (axil_wdata),
    .m_axil_wstrb  (axil_wstrb),
    .m_axil_wvalid (axil_wvalid),
    .m_axil_wready (axil_wready),
    .m_axil_bresp  (axil_bresp),
    .m_axil_bvalid (axil_bvalid),
    .m_axil_bready (axil_bready),
    .m_axil_araddr (axil_araddr),
    .m_axil_arprot (axil_arprot),
    .m_axil_arvalid(axil_arvalid),
    .m_axil_arready(axil_arready),
    .m_axil_rdata  (axil_rdata),
    .m_axil_rresp  (axil_rresp),
    .m_axil_rvalid (axil_rvalid),
    .m_axil_rready (axil_rready)
  );

  assign m_axil_awaddr   = axil_awaddr[Windows*20-1:0];
  assign m_axil_awprot   = axil_awprot[Windows*3-1:0];
  assign m_axil_awvalid  = axil_awvalid[Windows-1:0];
  assign axil_awready[Windows-1:0] = m_axil_awready;
  assign m_axil_wdata    = axil_wdata[Windows*32-1:0];
  assign m_axil_wstrb    = axil_wstrb[Windows*4-1:0];
  assign m_axil_wvalid   = axil_wvalid[Windows-1:0];
  assign axil_wready[Windows-1:0] = m_axil_wready;
  assign axil_bresp[Windows*2-1:0] = m_axil_bresp;
  assign axil_bvalid[Windows-1:0] = m_axil_bvalid;
  assign m_axil_bready   = axil_bready[Windows-1:0];
  assign m_axil_araddr   = axil_araddr[Windows*20-1:0];
  assign m_axil_arprot   = axil_arprot[Windows*3-1:0];
  assign m_axil_arvalid  = axil_arvalid[Windows-1:0];
  assign axil_arready[Windows-1:0] = m_axil_arready;
  assign axil_rdata[Windows*32-1:0] = m_axil_rdata;
  assign axil_rresp[Windows*2-1:0] = m_axil_rresp;
  assign axil_rvalid[Windows-1:0] = m_axil_rvalid;
  assign m_axil_rready   = axil_rready[Windows-1:0];

  sl_design_page #(
    .Identity (Identity),
    .Version  (Version),
    .NumPorts (NumPorts),
    .DataWidth(DataWidth),
    .LenWidth (LenWidth),
    .Unaligned(Unaligned)
  ) u_page (
    .clk_i,
    .rst_ni,
    .s_axil_awaddr (axil_awaddr[Windows*20+:12]),
    .s_axil_awprot (axil_awprot[Windows*3+:3]),
    .s_axil_awvalid(axil_awvalid[Windows]),
    .s_axil_awready(axil_awready[Windows]),
    .s_axil_wdata  (axil_wdata[Windows*32+:32]),
    .s_axil_wstrb  (axil_wstrb[Windows*4+:4]),
    .s_axil_wvalid (axil_wvalid[Windows]),
    .s_axil_wready (axil_wready[Windows]),
    .s_axil_bresp  (axil_bresp[Windows*2+:2]),
    .s_axil_bvalid (axil_bvalid[Windows]),
    .s_axil_bready (axil_bready[Windows]),
    .s_axil_araddr (axil_araddr[Windows*20+:12]),
    .s_axil_arprot (axil_arprot[Windows*3+:3]),
    .s_axil_arvalid(axil_arvalid[Windows]),
    .s_axil_arready(axil_arready[Windows]),
    .s_axil_rdata  (axil_rdata[Windows*32+:32]),
    .s_axil_rresp  (axil_rresp[Windows*2+:2]),
    .s_axil_rvalid (axil_rvalid[Windows]),
    .s_axil_rready (axil_rready[Windows]),
    .faults_i
  );
endmodule
