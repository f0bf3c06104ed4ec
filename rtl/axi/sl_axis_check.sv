// SPDX-License-Identifier: Apache-2.0
//
// sl_axis_check: passive protocol checker for one AXI-Stream link.
//
// Purpose     Stops the simulation on the first broken rule of AXI-Stream (IHI 0051) or of the
//             project's tighter TKEEP convention. It only listens: nothing is ever stalled.
// Rules       bit of violation_o, rule:
//               0 RESET    TVALID low at every edge that follows an edge in reset (2.7.2)
//               1 DROP     TVALID, once high, stays high until TREADY (2.2.1)
//               2 DATA     TDATA is held while TVALID waits (2.2.1)
//               3 KEEP     TKEEP is held while TVALID waits (2.2.1)
//               4 LAST     TLAST is held while TVALID waits (2.2.1)
//               5 USER     TUSER is held while TVALID waits (2.2.1)
//               6 HOLES    TKEEP is contiguous from byte 0 (project)
//               7 PARTIAL  TKEEP is partial only on a beat with TLAST (project)
//               8 NULL     TKEEP is not all zero, unless AllowNull=1 (project)
// Output      violation_o is sticky (Fatal = 0): set one cycle after the offence, cleared by reset.
// Reset       rst_ni synchronous, active low. Nothing is checked until a first reset was seen. A
//             soft reset that may withdraw a presented beat is made known by pulling rst_ni of this
//             checker low at the edge that withdraws the beat.
// Parameters  DataWidth  8..1024, multiple of 8, refused otherwise
//             UserWidth  1..64 (tie an unused TUSER to 0), refused otherwise
//             AllowNull  1: beats without a byte are legal
//             Fatal      1: $error names instance and rule and stops; 0: only violation_o tells
// Synthesis   Under SYNTHESIS the body is empty and violation_o is 0.
// Not here    TID, TDEST, TSTRB.

module sl_axis_check #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned UserWidth = 1,
    parameter bit          AllowNull = 1'b0,
    parameter bit          Fatal     = 1'b1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [DataWidth-1:0]   axis_tdata,
    input  logic [DataWidth/8-1:0] axis_tkeep,
    input  logic                   axis_tlast,
    input  logic [UserWidth-1:0]   axis_tuser,
    input  logic                   axis_tvalid,
    input  logic                   axis_tready,
    output logic [8:0]             violation_o
);

  if (DataWidth < 8 || DataWidth > 1024 || DataWidth % 8 != 0) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a multiple of 8 in 8..1024, is %0d", DataWidth);
  end
  if (UserWidth < 1 || UserWidth > 64) begin : gen_bad_user_width
    $fatal(1, "%m: UserWidth must be 1..64, is %0d", UserWidth);
  end

`ifndef SYNTHESIS

  localparam int unsigned KeepWidth = DataWidth / 8;

  typedef enum int unsigned {
    RULE_RESET, RULE_DROP, RULE_DATA, RULE_KEEP, RULE_LAST, RULE_USER,
    RULE_HOLES, RULE_PARTIAL, RULE_NULL, RULE_COUNT
  } rule_e;

  function automatic string rule_text(int unsigned rule);
    case (rule)
      RULE_RESET:   return "RESET: TVALID high in or right after reset (IHI 0051 2.7.2)";
      RULE_DROP:    return "DROP: TVALID fell before TREADY (IHI 0051 2.2.1)";
      RULE_DATA:    return "DATA: TDATA changed while TVALID waited (IHI 0051 2.2.1)";
      RULE_KEEP:    return "KEEP: TKEEP changed while TVALID waited (IHI 0051 2.2.1)";
      RULE_LAST:    return "LAST: TLAST changed while TVALID waited (IHI 0051 2.2.1)";
      RULE_USER:    return "USER: TUSER changed while TVALID waited (IHI 0051 2.2.1)";
      RULE_HOLES:   return "HOLES: TKEEP is not contiguous from byte 0";
      RULE_PARTIAL: return "PARTIAL: partial TKEEP without TLAST";
      RULE_NULL:    return "NULL: TKEEP is all zero";
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
  logic                  wait_q;          // the previous edge left a beat waiting
  logic [DataWidth-1:0]  data_q;
  logic [KeepWidth-1:0]  keep_q;
  logic                  last_q;
  logic [UserWidth-1:0]  user_q;

  // A function called at the clock edge, not a net: it is worked out once a cycle, whatever the
  // inputs do in between. This is most of a checker's cost.
  function automatic logic [RULE_COUNT-1:0] broken_rules();
    logic [RULE_COUNT-1:0] bad;
    bad = '0;
    if (armed_q && reset_q) begin
      bad[RULE_RESET] = axis_tvalid;
    end
    if (rst_ni && armed_q && wait_q) begin
      bad[RULE_DROP] = !axis_tvalid;
      bad[RULE_DATA] = axis_tvalid && axis_tdata != data_q;
      bad[RULE_KEEP] = axis_tvalid && axis_tkeep != keep_q;
      bad[RULE_LAST] = axis_tvalid && axis_tlast != last_q;
      bad[RULE_USER] = axis_tvalid && axis_tuser != user_q;
    end
    if (rst_ni && armed_q && axis_tvalid && !(&axis_tkeep)) begin
      bad[RULE_HOLES]   = |(axis_tkeep & (axis_tkeep + 1'b1));
      bad[RULE_PARTIAL] = !axis_tlast;
      bad[RULE_NULL]    = !AllowNull && axis_tkeep == '0;
    end
    return bad;
  endfunction

  always_ff @(posedge clk_i) begin
    // A link at rest breaks no rule and changes nothing here.
    if (!rst_ni || reset_q || axis_tvalid || wait_q) begin
      reset_q <= !rst_ni;
      wait_q  <= rst_ni && axis_tvalid && !axis_tready;
      if (axis_tvalid) begin
        data_q <= axis_tdata;
        keep_q <= axis_tkeep;
        last_q <= axis_tlast;
        user_q <= axis_tuser;
      end
      if (!rst_ni) begin
        armed_q <= 1'b1;
      end
      // Evaluated once either way: an error stops the simulation, else violation_o remembers.
      if (!Fatal) begin
        violation_o <= (rst_ni ? violation_o : '0) | broken_rules();
      end else if (broken_rules() != '0) begin
        $error("%m: AXI-Stream rule %s", rule_text(lowest(broken_rules())));
      end
    end
  end

`else

  assign violation_o = '0;

  logic unused;
  assign unused = ^{clk_i, rst_ni, axis_tdata, axis_tkeep, axis_tlast, axis_tuser, axis_tvalid,
                    axis_tready, AllowNull, Fatal};

`endif

endmodule
