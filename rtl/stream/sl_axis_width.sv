// SPDX-License-Identifier: Apache-2.0
//
// sl_axis_width: joins the beats of a narrow stream into those of a wide one, or splits them.
//
// Order       bytes from lane 0 up, the first narrow beat in the lowest lanes. TLAST ends the wide
//             beat early: its upper lanes have TKEEP 0 (and data of no meaning). A wide beat is
//             split into as many narrow ones as have bytes.
// Handshake   combinational, for few registers; m_axis_tvalid depends on no READY; a beat shown
//             stays, as that of the input stays. Joining: s_axis_tready is high for a beat that
//             does not end the wide one (TakeEarly=1), else m_axis_tready. Splitting: m_axis_tready
//             with the last part, else low. Put an sl_skid beside it where the path is too long.
// Latency     0 cycles. Throughput: a narrow beat a cycle.
// Reset       rst_ni synchronous, active low: a wide beat begun is forgotten.
// SlvWidth, MstWidth   32..512, powers of two, refused otherwise; equal: wires
// TakeEarly   0: joining, s_axis_tready is m_axis_tready, for a master side that takes nothing
//             unless requested, and shows its READY before VALID: what it does not ask for
//             stays in the stream.
// Check       1: both streams are checked in every simulation. 0: for an engine that takes TVALID
//             back in a soft reset, at whose outer ports a checker knows of it.
// Requires    TKEEP contiguous from lane 0, not 0, and full without TLAST (asserted).

`include "sl_axi.svh"

module sl_axis_width #(
    parameter int unsigned SlvWidth  = 32,
    parameter int unsigned MstWidth  = 64,
    parameter bit          TakeEarly = 1'b1,
    parameter bit          Check     = 1'b1
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic [SlvWidth-1:0]   s_axis_tdata,
    input  logic [SlvWidth/8-1:0] s_axis_tkeep,
    input  logic                  s_axis_tlast,
    input  logic                  s_axis_tvalid,
    output logic                  s_axis_tready,

    output logic [MstWidth-1:0]   m_axis_tdata,
    output logic [MstWidth/8-1:0] m_axis_tkeep,
    output logic                  m_axis_tlast,
    output logic                  m_axis_tvalid,
    input  logic                  m_axis_tready
);

  if (SlvWidth < 32 || SlvWidth > 512 || (SlvWidth & (SlvWidth - 1)) != 0) begin : gen_bad_slv
    $fatal(1, "%m: SlvWidth must be a power of two in 32..512, is %0d", SlvWidth);
  end
  if (MstWidth < 32 || MstWidth > 512 || (MstWidth & (MstWidth - 1)) != 0) begin : gen_bad_mst
    $fatal(1, "%m: MstWidth must be a power of two in 32..512, is %0d", MstWidth);
  end

  localparam int unsigned Ratio    = MstWidth > SlvWidth ? MstWidth / SlvWidth
                                                         : SlvWidth / MstWidth;
  localparam int unsigned PartBits = Ratio > 1 ? $clog2(Ratio) : 1;

  logic [PartBits-1:0] part_q;  // the part that is next
  logic                part_take, part_last;

  always_ff @(posedge clk_i) begin
    if (part_take) part_q <= part_last ? '0 : part_q + 1'b1;
    if (!rst_ni) part_q <= '0;
  end

  if (MstWidth > SlvWidth) begin : gen_join
    localparam int unsigned Keep = SlvWidth / 8;
    logic [Ratio-2:0][SlvWidth-1:0] data_q;  // the top part is never kept

    assign part_take     = s_axis_tvalid && s_axis_tready;
    assign part_last     = s_axis_tlast || part_q == PartBits'(Ratio - 1);
    assign s_axis_tready = m_axis_tready || (TakeEarly && !part_last);
    assign m_axis_tvalid = s_axis_tvalid && part_last;
    assign m_axis_tlast  = s_axis_tlast;

    always_comb begin
      for (int unsigned part = 0; part < Ratio; part++) begin
        m_axis_tdata[part*SlvWidth+:SlvWidth] = s_axis_tdata;
        m_axis_tkeep[part*Keep+:Keep] = part_q == PartBits'(part) ? s_axis_tkeep : '0;
      end
      for (int unsigned part = 0; part < Ratio - 1; part++) begin
        if (PartBits'(part) < part_q) begin
          m_axis_tdata[part*SlvWidth+:SlvWidth] = data_q[part];
          m_axis_tkeep[part*Keep+:Keep] = '1;
        end
      end
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned part = 0; part < Ratio - 1; part++) begin
        if (part_take && part_q == PartBits'(part)) data_q[part] <= s_axis_tdata;
      end
    end
  end else if (MstWidth < SlvWidth) begin : gen_split
    localparam int unsigned Keep = MstWidth / 8;
    logic [Ratio-1:0] more;  // part has bytes and another follows that has

    always_comb begin
      more = '0;
      for (int unsigned part = 0; part < Ratio - 1; part++) begin
        more[part] = s_axis_tkeep[(part+1)*Keep];
      end
    end

    assign part_take     = s_axis_tvalid && m_axis_tready;
    assign part_last     = !more[part_q];
    assign s_axis_tready = m_axis_tready && part_last;
    assign m_axis_tvalid = s_axis_tvalid;
    assign m_axis_tdata  = s_axis_tdata[part_q*MstWidth+:MstWidth];
    assign m_axis_tkeep  = s_axis_tkeep[part_q*Keep+:Keep];
    assign m_axis_tlast  = s_axis_tlast && part_last;
  end else begin : gen_wires
    assign part_take     = 1'b0;
    assign part_last     = 1'b1;
    assign s_axis_tready = m_axis_tready;
    assign m_axis_tvalid = s_axis_tvalid;
    assign m_axis_tdata  = s_axis_tdata;
    assign m_axis_tkeep  = s_axis_tkeep;
    assign m_axis_tlast  = s_axis_tlast;
  end

  if (Check) begin : gen_check
    `SL_AXIS_CHECK(u_check_in, s_axis_, SlvWidth, rst_ni)
    `SL_AXIS_CHECK(u_check_out, m_axis_, MstWidth, rst_ni)
  end

endmodule
