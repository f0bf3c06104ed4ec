// SPDX-License-Identifier: Apache-2.0
//
// sl_axil_demux: spreads one AXI4-Lite port over NumPorts slaves by address windows.
//
// Purpose     Address decoder of a control bus. Port p answers where (address & Mask[p]) ==
//             Base[p]; elsewhere the demux itself answers DECERR (read data 0).
// Handshake   One transaction a direction at a time; reads and writes are independent. AW, W and AR
//             are taken into registers (READY does not depend on VALID) and shown to the selected
//             slave from there; B and R pass back combinationally from it (VALID one way, READY the
//             other), so no combinational path leads from any input of a side to the same side. The
//             next address is taken after the response. A slave that never answers blocks its
//             direction for good.
// Latency     1 cycle in the request, 0 in the response; DECERR 1 cycle after the request
//             is complete. A slave sees AW at once, W when its AW is known.
// Address     Passed unchanged: slaves use the lower bits they have.
// Ordering    Reads and writes are not ordered against each other (as in AXI).
// Reset       rst_ni synchronous, active low: all VALIDs low after one edge.
// Parameters  NumPorts 1..32; AddrWidth and the data's width are those of all buses, refused
//             otherwise
//             Base, Mask  window of each port: port p at [p*AddrWidth +: AddrWidth]; 0 in Mask is
//                         "any"; Base outside Mask and windows that overlap are refused
// Checks      An sl_axil_check sits on the slave side in every simulation.
// Follows     AMBA AXI (IHI 0022) B1, A3.3; A3.4.4 for DECERR.

`include "sl_axi.svh"

module sl_axil_demux #(
    parameter int unsigned                   NumPorts  = 2,
    parameter int unsigned                   AddrWidth = 16,
    parameter logic [NumPorts*AddrWidth-1:0] Base      = {16'h1000, 16'h0000},
    parameter logic [NumPorts*AddrWidth-1:0] Mask      = {16'hf000, 16'hf000}
) (
    input logic        clk_i,
    input logic        rst_ni,
    sl_axil_if.slv     s_axil,
    sl_axil_if.mst     m_axil [NumPorts]
);

  localparam int unsigned DataWidth = s_axil.DataWidth;

  if (NumPorts < 1 || NumPorts > 32) begin : gen_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..32, is %0d", NumPorts);
  end
  if (s_axil.AddrWidth != AddrWidth) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be that of s_axil, %0d, is %0d", s_axil.AddrWidth, AddrWidth);
  end
  for (genvar p = 0; p < NumPorts; p++) begin : gen_window
    if (m_axil[p].AddrWidth != AddrWidth || m_axil[p].DataWidth != DataWidth)
    begin : gen_bad_port
      $fatal(1, "%m: port %0d must have the widths of s_axil, %0d and %0d, has %0d and %0d", p,
             AddrWidth, DataWidth, m_axil[p].AddrWidth, m_axil[p].DataWidth);
    end
    localparam logic [AddrWidth-1:0] PortBase = Base[p*AddrWidth +: AddrWidth];
    localparam logic [AddrWidth-1:0] PortMask = Mask[p*AddrWidth +: AddrWidth];
    if ((PortBase & ~PortMask) != '0) begin : gen_bad_base
      $fatal(1, "%m: Base 0x%0h of port %0d is not aligned to Mask 0x%0h", PortBase, p, PortMask);
    end
    for (genvar other = 0; other < p; other++) begin : gen_overlap
      localparam logic [AddrWidth-1:0] OtherBase = Base[other*AddrWidth +: AddrWidth];
      localparam logic [AddrWidth-1:0] OtherMask = Mask[other*AddrWidth +: AddrWidth];
      if (((PortBase ^ OtherBase) & PortMask & OtherMask) == '0) begin : gen_bad_overlap
        $fatal(1, "%m: windows of ports %0d and %0d overlap", other, p);
      end
    end
  end

  localparam logic [1:0] RespDecerr = 2'b11;

  // One bit per port; none set: nobody's address.
  function automatic logic [NumPorts-1:0] decode(logic [AddrWidth-1:0] addr);
    logic [NumPorts-1:0] hit;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      hit[p] = (addr & Mask[p*AddrWidth +: AddrWidth]) == Base[p*AddrWidth +: AddrWidth];
    end
    return hit;
  endfunction

  // ---- requests held ----
  logic [AddrWidth-1:0]   aw_addr_q;
  logic [2:0]             aw_prot_q;
  logic [DataWidth-1:0]   w_data_q;
  logic [DataWidth/8-1:0] w_strb_q;
  logic [NumPorts-1:0]    wr_sel_q;    // port of the address held; none: DECERR
  logic                   aw_held_q;   // an AW was taken and not yet answered
  logic                   w_held_q;    // a W was taken and not yet answered
  logic                   aw_shown_q;  // the AW held waits for its slave
  logic                   w_shown_q;   // the W held waits for its slave
  logic                   b_taken;
  logic [AddrWidth-1:0] ar_addr_q;
  logic [2:0]           ar_prot_q;
  logic [NumPorts-1:0]  rd_sel_q;    // port of the address held; none: DECERR
  logic                 ar_held_q;   // an AR was taken and not yet answered
  logic                 ar_shown_q;  // the AR held waits for its slave

  // ---- the ports: requests from the registers, answers side by side ----
  logic [NumPorts-1:0]                m_awready, m_wready, m_bvalid, m_arready, m_rvalid;
  logic [NumPorts-1:0][1:0]           m_bresp, m_rresp;
  logic [NumPorts-1:0][DataWidth-1:0] m_rdata;

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign m_axil[p].awaddr  = aw_addr_q;
    assign m_axil[p].awprot  = aw_prot_q;
    assign m_axil[p].awvalid = aw_shown_q && wr_sel_q[p];
    assign m_axil[p].wdata   = w_data_q;
    assign m_axil[p].wstrb   = w_strb_q;
    assign m_axil[p].wvalid  = aw_held_q && w_shown_q && wr_sel_q[p];
    assign m_axil[p].bready  = aw_held_q && s_axil.bready && wr_sel_q[p];
    assign m_axil[p].araddr  = ar_addr_q;
    assign m_axil[p].arprot  = ar_prot_q;
    assign m_axil[p].arvalid = ar_shown_q && rd_sel_q[p];
    assign m_axil[p].rready  = ar_held_q && s_axil.rready && rd_sel_q[p];

    assign m_awready[p] = m_axil[p].awready;
    assign m_wready[p]  = m_axil[p].wready;
    assign m_bvalid[p]  = m_axil[p].bvalid;
    assign m_bresp[p]   = m_axil[p].bresp;
    assign m_arready[p] = m_axil[p].arready;
    assign m_rvalid[p]  = m_axil[p].rvalid;
    assign m_rresp[p]   = m_axil[p].rresp;
    assign m_rdata[p]   = m_axil[p].rdata;
  end

  // Conditions outside synthesis let a simulation skip a bus at rest.

  // ---- writes ----
  assign s_axil.awready = !aw_held_q;
  assign s_axil.wready  = !w_held_q;
  assign b_taken        = s_axil.bvalid && s_axil.bready;

  always_comb begin
    s_axil.bvalid = aw_held_q && (wr_sel_q == '0 ? w_held_q : |(wr_sel_q & m_bvalid));
    s_axil.bresp  = wr_sel_q == '0 ? RespDecerr : '0;
`ifndef SYNTHESIS
    if (aw_held_q)
`endif
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (wr_sel_q[p]) begin
        s_axil.bresp |= m_bresp[p];
      end
    end
  end

  always_ff @(posedge clk_i) begin
`ifndef SYNTHESIS
    if (s_axil.awvalid || s_axil.wvalid || aw_held_q || w_held_q || !rst_ni)
`endif
    begin
      if (s_axil.awvalid && s_axil.awready) begin
        aw_addr_q  <= s_axil.awaddr;
        aw_prot_q  <= s_axil.awprot;
        wr_sel_q   <= decode(s_axil.awaddr);
        aw_held_q  <= 1'b1;
        aw_shown_q <= 1'b1;
      end else if (|(wr_sel_q & m_awready)) begin
        aw_shown_q <= 1'b0;
      end
      if (s_axil.wvalid && s_axil.wready) begin
        w_data_q  <= s_axil.wdata;
        w_strb_q  <= s_axil.wstrb;
        w_held_q  <= 1'b1;
        w_shown_q <= 1'b1;
      end else if (aw_held_q && |(wr_sel_q & m_wready)) begin
        w_shown_q <= 1'b0;
      end
      if (b_taken) begin
        aw_held_q  <= 1'b0;
        w_held_q   <= 1'b0;
        aw_shown_q <= 1'b0;
        w_shown_q  <= 1'b0;
      end
      if (!rst_ni) begin
        aw_held_q  <= 1'b0;
        w_held_q   <= 1'b0;
        aw_shown_q <= 1'b0;
        w_shown_q  <= 1'b0;
      end
    end
  end

  // ---- reads ----
  assign s_axil.arready = !ar_held_q;

  always_comb begin
    s_axil.rvalid = ar_held_q && (rd_sel_q == '0 || |(rd_sel_q & m_rvalid));
    s_axil.rresp  = rd_sel_q == '0 ? RespDecerr : '0;
    s_axil.rdata  = '0;
`ifndef SYNTHESIS
    if (ar_held_q)
`endif
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rd_sel_q[p]) begin
        s_axil.rresp |= m_rresp[p];
        s_axil.rdata |= m_rdata[p];
      end
    end
  end

  always_ff @(posedge clk_i) begin
`ifndef SYNTHESIS
    if (s_axil.arvalid || ar_held_q || !rst_ni)
`endif
    begin
      if (s_axil.arvalid && s_axil.arready) begin
        ar_addr_q  <= s_axil.araddr;
        ar_prot_q  <= s_axil.arprot;
        rd_sel_q   <= decode(s_axil.araddr);
        ar_held_q  <= 1'b1;
        ar_shown_q <= 1'b1;
      end else if (|(rd_sel_q & m_arready)) begin
        ar_shown_q <= 1'b0;
      end
      if (s_axil.rvalid && s_axil.rready) begin
        ar_held_q  <= 1'b0;
        ar_shown_q <= 1'b0;
      end
      if (!rst_ni) begin
        ar_held_q  <= 1'b0;
        ar_shown_q <= 1'b0;
      end
    end
  end

  `SL_AXIL_CHECK(u_check, s_axil., AddrWidth, DataWidth)

endmodule
