// SPDX-License-Identifier: Apache-2.0
//
// sl_axil_check: passive protocol checker for one AXI4-Lite link.
//
// Purpose     Stops the simulation on the first broken rule of AXI4-Lite (IHI 0022 B1, and the
//             handshake rules of A3). It only listens: nothing is ever stalled.
// Rules       bit of violation_o, rule:
//               0 RESET     no VALID high at an edge that follows an edge in reset (A3.1.2)
//               1..5 DROP   AWVALID, WVALID, BVALID, ARVALID, RVALID stay high until READY (A3.2.1)
//               6..10 HOLD  payload of AW, W, B, AR, R is held while VALID waits (A3.2.1)
//              11 B_EARLY   BVALID only after the write's AW and W were both taken (A3.3.1)
//              12 R_EARLY   RVALID only after the read's AR was taken (A3.3.1)
//              13 B_RESP    BRESP is not EXOKAY (B1.1.1)
//              14 R_RESP    RRESP is not EXOKAY (B1.1.1)
// Output      violation_o is sticky (Fatal = 0): set one cycle after the offence, cleared by reset.
//             wr_outstanding_o, rd_outstanding_o count addresses taken and not yet answered.
// Reset       rst_ni synchronous, active low. Nothing is checked until a first reset was seen.
// Parameters  AddrWidth  1..64; DataWidth 32 or 64; refused otherwise
//             Fatal      1: $error names instance and rule and stops; 0: only violation_o tells
// Synthesis   Under SYNTHESIS the body is empty and the outputs are 0.
// Not here    more than 65,535 transactions outstanding a direction.

module sl_axil_check #(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned DataWidth = 32,
    parameter bit          Fatal     = 1'b1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [AddrWidth-1:0]   axil_awaddr,
    input  logic [2:0]             axil_awprot,
    input  logic                   axil_awvalid,
    input  logic                   axil_awready,
    input  logic [DataWidth-1:0]   axil_wdata,
    input  logic [DataWidth/8-1:0] axil_wstrb,
    input  logic                   axil_wvalid,
    input  logic                   axil_wready,
    input  logic [1:0]             axil_bresp,
    input  logic                   axil_bvalid,
    input  logic                   axil_bready,
    input  logic [AddrWidth-1:0]   axil_araddr,
    input  logic [2:0]             axil_arprot,
    input  logic                   axil_arvalid,
    input  logic                   axil_arready,
    input  logic [DataWidth-1:0]   axil_rdata,
    input  logic [1:0]             axil_rresp,
    input  logic                   axil_rvalid,
    input  logic                   axil_rready,
    output logic [15:0]            wr_outstanding_o,
    output logic [15:0]            rd_outstanding_o,
    output logic [14:0]            violation_o
);

  if (AddrWidth < 1 || AddrWidth > 64) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 1..64, is %0d", AddrWidth);
  end
  if (DataWidth != 32 && DataWidth != 64) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

`ifndef SYNTHESIS

  localparam logic [1:0] RespExokay = 2'b01;

  typedef enum int unsigned {
    RULE_RESET,
    RULE_AW_DROP, RULE_W_DROP, RULE_B_DROP, RULE_AR_DROP, RULE_R_DROP,
    RULE_AW_HOLD, RULE_W_HOLD, RULE_B_HOLD, RULE_AR_HOLD, RULE_R_HOLD,
    RULE_B_EARLY, RULE_R_EARLY, RULE_B_RESP, RULE_R_RESP, RULE_COUNT
  } rule_e;

  function automatic string rule_text(int unsigned rule);
    case (rule)
      RULE_RESET:   return "RESET: a VALID high in reset or on the first edge after it (A3.1.2)";
      RULE_AW_DROP: return "AW_DROP: AWVALID fell before AWREADY (A3.2.1)";
      RULE_W_DROP:  return "W_DROP: WVALID fell before WREADY (A3.2.1)";
      RULE_B_DROP:  return "B_DROP: BVALID fell before BREADY (A3.2.1)";
      RULE_AR_DROP: return "AR_DROP: ARVALID fell before ARREADY (A3.2.1)";
      RULE_R_DROP:  return "R_DROP: RVALID fell before RREADY (A3.2.1)";
      RULE_AW_HOLD: return "AW_HOLD: AW payload changed while AWVALID waited (A3.2.1)";
      RULE_W_HOLD:  return "W_HOLD: W payload changed while WVALID waited (A3.2.1)";
      RULE_B_HOLD:  return "B_HOLD: B payload changed while BVALID waited (A3.2.1)";
      RULE_AR_HOLD: return "AR_HOLD: AR payload changed while ARVALID waited (A3.2.1)";
      RULE_R_HOLD:  return "R_HOLD: R payload changed while RVALID waited (A3.2.1)";
      RULE_B_EARLY: return "B_EARLY: BVALID before AW and W were taken (A3.3.1)";
      RULE_R_EARLY: return "R_EARLY: RVALID before AR was taken (A3.3.1)";
      RULE_B_RESP:  return "B_RESP: BRESP is EXOKAY (B1.1.1)";
      RULE_R_RESP:  return "R_RESP: RRESP is EXOKAY (B1.1.1)";
      default:      return "unknown rule";
    endcase
  endfunction

  function automatic int unsigned lowest(logic [RULE_COUNT-1:0] rules);
    for (int unsigned rule = 0; rule < RULE_COUNT; rule++) begin
      if (rules[rule]) return rule;
    end
    return RULE_COUNT;
  endfunction

  // verilator lint_off PROCASSINIT
  logic armed_q = 1'b0;  // a reset was seen; must be known before it
  // verilator lint_on PROCASSINIT
  logic reset_q;  // the previous edge was in reset
  logic                              aw_wait_q, w_wait_q, b_wait_q, ar_wait_q, r_wait_q;
  logic [AddrWidth+2:0]              aw_q, ar_q;
  logic [DataWidth+DataWidth/8-1:0]  w_q;
  logic [1:0]                        b_q;
  logic [DataWidth+1:0]              r_q;
  logic [15:0]                       aw_open_q, w_open_q, ar_open_q;  // taken, not yet answered

  // A function called at the clock edge, not a net: it is worked out once a cycle, whatever the
  // inputs do in between. This is most of a checker's cost.
  function automatic logic [RULE_COUNT-1:0] broken_rules();
    logic [RULE_COUNT-1:0] bad;
    bad = '0;
    if (armed_q && reset_q) begin
      bad[RULE_RESET] = axil_awvalid | axil_wvalid | axil_bvalid | axil_arvalid | axil_rvalid;
    end
    if (rst_ni && armed_q) begin
      bad[RULE_AW_DROP] = aw_wait_q && !axil_awvalid;
      bad[RULE_W_DROP]  = w_wait_q && !axil_wvalid;
      bad[RULE_B_DROP]  = b_wait_q && !axil_bvalid;
      bad[RULE_AR_DROP] = ar_wait_q && !axil_arvalid;
      bad[RULE_R_DROP]  = r_wait_q && !axil_rvalid;
      bad[RULE_AW_HOLD] = aw_wait_q && axil_awvalid && aw_q != {axil_awaddr, axil_awprot};
      bad[RULE_W_HOLD]  = w_wait_q && axil_wvalid && w_q != {axil_wdata, axil_wstrb};
      bad[RULE_B_HOLD]  = b_wait_q && axil_bvalid && b_q != axil_bresp;
      bad[RULE_AR_HOLD] = ar_wait_q && axil_arvalid && ar_q != {axil_araddr, axil_arprot};
      bad[RULE_R_HOLD]  = r_wait_q && axil_rvalid && r_q != {axil_rdata, axil_rresp};
      bad[RULE_B_EARLY] = axil_bvalid && (aw_open_q == '0 || w_open_q == '0);
      bad[RULE_R_EARLY] = axil_rvalid && ar_open_q == '0;
      bad[RULE_B_RESP]  = axil_bvalid && axil_bresp == RespExokay;
      bad[RULE_R_RESP]  = axil_rvalid && axil_rresp == RespExokay;
    end
    return bad;
  endfunction

  always_ff @(posedge clk_i) begin
    // A bus at rest, which one of registers mostly is, breaks no rule and changes nothing here.
    if (!rst_ni || reset_q || axil_awvalid || axil_wvalid || axil_bvalid || axil_arvalid ||
        axil_rvalid || aw_wait_q || w_wait_q || b_wait_q || ar_wait_q || r_wait_q) begin
      reset_q   <= !rst_ni;
      aw_wait_q <= rst_ni && axil_awvalid && !axil_awready;
      w_wait_q  <= rst_ni && axil_wvalid && !axil_wready;
      b_wait_q  <= rst_ni && axil_bvalid && !axil_bready;
      ar_wait_q <= rst_ni && axil_arvalid && !axil_arready;
      r_wait_q  <= rst_ni && axil_rvalid && !axil_rready;
      if (axil_awvalid) aw_q <= {axil_awaddr, axil_awprot};
      if (axil_wvalid) w_q <= {axil_wdata, axil_wstrb};
      if (axil_bvalid) b_q <= axil_bresp;
      if (axil_arvalid) ar_q <= {axil_araddr, axil_arprot};
      if (axil_rvalid) r_q <= {axil_rdata, axil_rresp};
      aw_open_q <= aw_open_q + 16'(axil_awvalid && axil_awready) - 16'(axil_bvalid && axil_bready);
      w_open_q  <= w_open_q + 16'(axil_wvalid && axil_wready) - 16'(axil_bvalid && axil_bready);
      ar_open_q <= ar_open_q + 16'(axil_arvalid && axil_arready) - 16'(axil_rvalid && axil_rready);
      if (!rst_ni) begin
        armed_q <= 1'b1;
        aw_open_q   <= '0;
        w_open_q    <= '0;
        ar_open_q   <= '0;
      end
      // Evaluated once either way: an error stops the simulation, else violation_o remembers.
      if (!Fatal) begin
        violation_o <= (rst_ni ? violation_o : '0) | broken_rules();
      end else if (broken_rules() != '0) begin
        $error("%m: AXI4-Lite rule %s", rule_text(lowest(broken_rules())));
      end
    end
  end

  assign wr_outstanding_o = aw_open_q;
  assign rd_outstanding_o = ar_open_q;

`else

  assign wr_outstanding_o = '0;
  assign rd_outstanding_o = '0;
  assign violation_o      = '0;

  logic unused;
  assign unused = ^{clk_i, rst_ni, axil_awaddr, axil_awprot, axil_awvalid, axil_awready, axil_wdata,
                    axil_wstrb, axil_wvalid, axil_wready, axil_bresp, axil_bvalid, axil_bready,
                    axil_araddr, axil_arprot, axil_arvalid, axil_arready, axil_rdata, axil_rresp,
                    axil_rvalid, axil_rready, Fatal};

`endif

endmodule
