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
// Ports       Master-side vectors are flat: port p at bits [p*W +: W].
// Parameters  NumPorts 1..32; AddrWidth 1..64; DataWidth 32 or 64
//             Base, Mask  window of each port: port p at [p*AddrWidth +: AddrWidth]; 0 in Mask is
//                         "any"; Base outside Mask and windows that overlap are refused
// Checks      An sl_axil_check sits on the slave side in every simulation.
// Follows     AMBA AXI (IHI 0022) B1, A3.3; A3.4.4 for DECERR.

module sl_axil_demux #(
  parameter int unsigned                   NumPorts  = 2,
  parameter int unsigned                   AddrWidth = 16,
  parameter int unsigned                   DataWidth = 32,
  parameter logic [NumPorts*AddrWidth-1:0] Base      = {16'h1000, 16'h0000},
  parameter logic [NumPorts*AddrWidth-1:0] Mask      = {16'hf000, 16'hf000}
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic [AddrWidth-1:0]            s_axil_awaddr,
  input  logic [2:0]                      s_axil_awprot,
  input  logic                            s_axil_awvalid,
  output logic                            s_axil_awready,
  input  logic [DataWidth-1:0]            s_axil_wdata,
  input  logic [DataWidth/8-1:0]          s_axil_wstrb,
  input  logic                            s_axil_wvalid,
  output logic                            s_axil_wready,
  output logic [1:0]                      s_axil_bresp,
  output logic                            s_axil_bvalid,
  input  logic                            s_axil_bready,
  input  logic [AddrWidth-1:0]            s_axil_araddr,
  input  logic [2:0]                      s_axil_arprot,
  input  logic                            s_axil_arvalid,
  output logic                            s_axil_arready,
  output logic [DataWidth-1:0]            s_axil_rdata,
  output logic [1:0]                      s_axil_rresp,
  output logic                            s_axil_rvalid,
  input  logic                            s_axil_rready,

  output logic [NumPorts*AddrWidth-1:0]   m_axil_awaddr,
  output logic [NumPorts*3-1:0]           m_axil_awprot,
  output logic [NumPorts-1:0]             m_axil_awvalid,
  input  logic [NumPorts-1:0]             m_axil_awready,
  output logic [NumPorts*DataWidth-1:0]   m_axil_wdata,
  output logic [NumPorts*DataWidth/8-1:0] m_axil_wstrb,
  output logic [NumPorts-1:0]             m_axil_wvalid,
  input  logic [NumPorts-1:0]             m_axil_wready,
  input  logic [NumPorts*2-1:0]           m_axil_bresp,
  input  logic [NumPorts-1:0]             m_axil_bvalid,
  output logic [NumPorts-1:0]             m_axil_bready,
  output logic [NumPorts*AddrWidth-1:0]   m_axil_araddr,
  output logic [NumPorts*3-1:0]           m_axil_arprot,
  output logic [NumPorts-1:0]             m_axil_arvalid,
  input  logic [NumPorts-1:0]             m_axil_arready,
  input  logic [NumPorts*DataWidth-1:0]   m_axil_rdata,
  input  logic [NumPorts*2-1:0]           m_axil_rresp,
  input  logic [NumPorts-1:0]             m_axil_rvalid,
  output logic [NumPorts-1:0]             m_axil_rready
);

  if (NumPorts < 1 || NumPorts > 32) begin : g_bad_num_ports
    $fatal(1, "%m: NumPorts must be 1..32, is %0d", NumPorts);
  end
  if (AddrWidth < 1 || AddrWidth > 64) begin : g_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 1..64, is %0d", AddrWidth);
  end
  if (DataWidth != 32 && DataWidth != 64) begin : g_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end
  for (genvar p = 0; p < NumPorts; p++) begin : g_window
    localparam logic [AddrWidth-1:0] PortBase = Base[p*AddrWidth +: AddrWidth];
    localparam logic [AddrWidth-1:0] PortMask = Mask[p*AddrWidth +: AddrWidth];
    if ((PortBase & ~PortMask) != '0) begin : g_bad_base
      $fatal(1, "%m: Base 0x%0h of port %0d is not aligned to Mask 0x%0h", PortBase, p, PortMask);
    end
    for (genvar other = 0; other < p; other++) begin : g_overlap
      localparam logic [AddrWidth-1:0] OtherBase = Base[other*AddrWidth +: AddrWidth];
      localparam logic [AddrWidth-1:0] OtherMask = Mask[other*AddrWidth +: AddrWidth];
      if (((PortBase ^ OtherBase) & PortMask & OtherMask) == '0) begin : g_bad_overlap
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

  // ---- writes ----
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

  assign s_axil_awready = !aw_held_q;
  assign s_axil_wready  = !w_held_q;
  assign m_axil_awaddr  = {NumPorts{aw_addr_q}};
  assign m_axil_awprot  = {NumPorts{aw_prot_q}};
  assign m_axil_awvalid = aw_shown_q ? wr_sel_q : '0;
  assign m_axil_wdata   = {NumPorts{w_data_q}};
  assign m_axil_wstrb   = {NumPorts{w_strb_q}};
  assign m_axil_wvalid  = aw_held_q && w_shown_q ? wr_sel_q : '0;
  assign m_axil_bready  = aw_held_q && s_axil_bready ? wr_sel_q : '0;
  assign b_taken        = s_axil_bvalid && s_axil_bready;

  always_comb begin
    s_axil_bvalid = aw_held_q && (wr_sel_q == '0 ? w_held_q : |(wr_sel_q & m_axil_bvalid));
    s_axil_bresp  = wr_sel_q == '0 ? RespDecerr : '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (wr_sel_q[p]) begin
        s_axil_bresp |= m_axil_bresp[p*2 +: 2];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid && s_axil_awready) begin
      aw_addr_q  <= s_axil_awaddr;
      aw_prot_q  <= s_axil_awprot;
      wr_sel_q   <= decode(s_axil_awaddr);
      aw_held_q  <= 1'b1;
      aw_shown_q <= 1'b1;
    end else if (|(wr_sel_q & m_axil_awready)) begin
      aw_shown_q <= 1'b0;
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_data_q  <= s_axil_wdata;
      w_strb_q  <= s_axil_wstrb;
      w_held_q  <= 1'b1;
      w_shown_q <= 1'b1;
    end else if (aw_held_q && |(wr_sel_q & m_axil_wready)) begin
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

  // ---- reads ----
  logic [AddrWidth-1:0] ar_addr_q;
  logic [2:0]           ar_prot_q;
  logic [NumPorts-1:0]  rd_sel_q;    // port of the address held; none: DECERR
  logic                 ar_held_q;   // an AR was taken and not yet answered
  logic                 ar_shown_q;  // the AR held waits for its slave

  assign s_axil_arready = !ar_held_q;
  assign m_axil_araddr  = {NumPorts{ar_addr_q}};
  assign m_axil_arprot  = {NumPorts{ar_prot_q}};
  assign m_axil_arvalid = ar_shown_q ? rd_sel_q : '0;
  assign m_axil_rready  = ar_held_q && s_axil_rready ? rd_sel_q : '0;

  always_comb begin
    s_axil_rvalid = ar_held_q && (rd_sel_q == '0 || |(rd_sel_q & m_axil_rvalid));
    s_axil_rresp  = rd_sel_q == '0 ? RespDecerr : '0;
    s_axil_rdata  = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rd_sel_q[p]) begin
        s_axil_rresp |= m_axil_rresp[p*2 +: 2];
        s_axil_rdata |= m_axil_rdata[p*DataWidth +: DataWidth];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_axil_arvalid && s_axil_arready) begin
      ar_addr_q  <= s_axil_araddr;
      ar_prot_q  <= s_axil_arprot;
      rd_sel_q   <= decode(s_axil_araddr);
      ar_held_q  <= 1'b1;
      ar_shown_q <= 1'b1;
    end else if (|(rd_sel_q & m_axil_arready)) begin
      ar_shown_q <= 1'b0;
    end
    if (s_axil_rvalid && s_axil_rready) begin
      ar_held_q  <= 1'b0;
      ar_shown_q <= 1'b0;
    end
    if (!rst_ni) begin
      ar_held_q  <= 1'b0;
      ar_shown_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  // verilator lint_off PINCONNECTEMPTY
  sl_axil_check #(
    .AddrWidth (AddrWidth),
    .DataWidth (DataWidth)
  ) u_check (
    .clk_i,
    .rst_ni,
    .axil_awaddr      (s_axil_awaddr),
    .axil_awprot      (s_axil_awprot),
    .axil_awvalid     (s_axil_awvalid),
    .axil_awready     (s_axil_awready),
    .axil_wdata       (s_axil_wdata),
    .axil_wstrb       (s_axil_wstrb),
    .axil_wvalid      (s_axil_wvalid),
    .axil_wready      (s_axil_wready),
    .axil_bresp       (s_axil_bresp),
    .axil_bvalid      (s_axil_bvalid),
    .axil_bready      (s_axil_bready),
    .axil_araddr      (s_axil_araddr),
    .axil_arprot      (s_axil_arprot),
    .axil_arvalid     (s_axil_arvalid),
    .axil_arready     (s_axil_arready),
    .axil_rdata       (s_axil_rdata),
    .axil_rresp       (s_axil_rresp),
    .axil_rvalid      (s_axil_rvalid),
    .axil_rready      (s_axil_rready),
    .wr_outstanding_o (),
    .rd_outstanding_o (),
    .violation_o      ()
  );
  // verilator lint_on PINCONNECTEMPTY
`endif

endmodule
