// SPDX-License-Identifier: Apache-2.0
//
// sl_test_picture: draws a moving test picture over the words of a stream.
//
// Purpose     A stand-in for a camera behind sl_stream_source, which keeps its pace, packets and
//             frames. A picture that is lost, torn or shifted is seen, and its number is in it.
// Handshake   Combinational: TVALID, TREADY, TLAST and TKEEP pass; TDATA is replaced. 0 cycles.
// Picture     HEIGHT lines of WIDTH pixels, line by line, picture after picture; a picture's end
//             does not look at packets: the source's frames are made as long. Eight vertical bars
//             of an eighth of the line each, the last one with what is left over: white, yellow,
//             cyan, green, magenta, red, blue, black; with each picture they move one bar to the
//             left. On the first and the last 16 lines the picture's number stands in their place:
//             32 blocks, bit 0 on the left, white is 1 and black 0; the last one has what is left
//             over. Bars and blocks are whole beats, at least one: a line of fewer than 32 beats
//             has the lower bits.
// Not enabled TDATA passes, and the position stays.
// Clear       clear_i: the next beat is the first of picture 0. Reset, rst_ni synchronous, active
//             low: the same.
// Settings    Taken beat by beat: change them between clear_i's only.
// Throughput  One beat a cycle.
// Parameters  DataWidth  32 or 64, refused otherwise
// Registers   regs/sl_test_picture.rdl. Colours: ITU-R BT.601, full amplitude.

`include "sl_axi.svh"

module sl_test_picture
  import sl_test_picture_regs_pkg::*;
#(
    parameter int unsigned DataWidth = 64
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   clear_i,

    input  logic [11:0]            s_axil_awaddr,
    input  logic [2:0]             s_axil_awprot,
    input  logic                   s_axil_awvalid,
    output logic                   s_axil_awready,
    input  logic [31:0]            s_axil_wdata,
    input  logic [3:0]             s_axil_wstrb,
    input  logic                   s_axil_wvalid,
    output logic                   s_axil_wready,
    output logic [1:0]             s_axil_bresp,
    output logic                   s_axil_bvalid,
    input  logic                   s_axil_bready,
    input  logic [11:0]            s_axil_araddr,
    input  logic [2:0]             s_axil_arprot,
    input  logic                   s_axil_arvalid,
    output logic                   s_axil_arready,
    output logic [31:0]            s_axil_rdata,
    output logic [1:0]             s_axil_rresp,
    output logic                   s_axil_rvalid,
    input  logic                   s_axil_rready,

    input  logic [DataWidth-1:0]   s_axis_tdata,
    input  logic [DataWidth/8-1:0] s_axis_tkeep,
    input  logic                   s_axis_tlast,
    input  logic                   s_axis_tvalid,
    output logic                   s_axis_tready,

    output logic [DataWidth-1:0]   m_axis_tdata,
    output logic [DataWidth/8-1:0] m_axis_tkeep,
    output logic                   m_axis_tlast,
    output logic                   m_axis_tvalid,
    input  logic                   m_axis_tready
);

  if (DataWidth != 32 && DataWidth != 64) begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be 32 or 64, is %0d", DataWidth);
  end

  localparam int unsigned GreyShift = $clog2(DataWidth / 8);  // pixels of a beat
  localparam logic [15:0] NumberLines = 16'd16;

  sl_test_picture__in_t  hwif_in;
  sl_test_picture__out_t hwif_out;

  typedef enum logic [2:0] {
    WHITE, YELLOW, CYAN, GREEN, MAGENTA, RED, BLUE, BLACK
  } colour_e;

  // ---- the position of the presented beat ----
  logic [15:0] beat_q;         // of the line
  logic [15:0] line_q, left;  // of the picture; that follow
  logic [31:0] frame_q;
  logic [12:0] bar_beat_q;     // of the bar
  logic [10:0] block_beat_q;   // of the block
  logic [2:0]  bar_q;
  logic [4:0]  block_q;

  logic        enable, step, line_end, picture_end;
  logic [15:0] line_beats, beats, height;
  logic [1:0]  format;

  assign enable  = hwif_out.CONTROL.ENABLE.value;
  assign format  = hwif_out.CONTROL.FORMAT.value;
  // A pixel of grey has a byte, one of the others two.
  assign line_beats = format == sl_test_picture__pixel_format__GREY8 ?
                      hwif_out.WIDTH.VALUE.value >> GreyShift :
                      hwif_out.WIDTH.VALUE.value >> (GreyShift - 1);
  assign beats   = line_beats == '0 ? 16'd1 : line_beats;
  assign height  = hwif_out.HEIGHT.VALUE.value == '0 ? 16'd1 : hwif_out.HEIGHT.VALUE.value;

  assign step        = enable && s_axis_tvalid && m_axis_tready;
  assign line_end    = beat_q + 16'd1 >= beats;
  assign picture_end = line_end && line_q + 16'd1 >= height;

  always_ff @(posedge clk_i) begin
    if (step) begin
      beat_q       <= beat_q + 16'd1;
      bar_beat_q   <= bar_beat_q + 13'd1;
      block_beat_q <= block_beat_q + 11'd1;
      if (bar_q != '1 && bar_beat_q + 13'd1 >= beats[15:3]) begin
        bar_q      <= bar_q + 3'd1;
        bar_beat_q <= '0;
      end
      if (block_q != '1 && block_beat_q + 11'd1 >= beats[15:5]) begin
        block_q      <= block_q + 5'd1;
        block_beat_q <= '0;
      end
      if (line_end) line_q <= line_q + 16'd1;
      if (picture_end) begin
        line_q  <= '0;
        frame_q <= frame_q + 32'd1;
      end
    end
    if ((step && line_end) || clear_i || !rst_ni) begin
      beat_q       <= '0;
      bar_beat_q   <= '0;
      block_beat_q <= '0;
      bar_q        <= '0;
      block_q      <= '0;
    end
    if (clear_i || !rst_ni) begin
      line_q  <= '0;
      frame_q <= '0;
    end
  end

  // ---- its colour, and that in the format ----
  colour_e     colour;
  logic        number;  // lines of the picture's number
  logic [31:0] word;

  assign left = height - line_q - 16'd1;
  assign number = line_q < NumberLines || left < NumberLines;

  always_comb begin
    colour = colour_e'(bar_q + frame_q[2:0]);
    if (number) colour = frame_q[block_q] ? WHITE : BLACK;
  end

  logic       red, green, blue;
  logic [7:0] grey;
  logic [7:0] y, u, v;

  assign {green, red, blue} = ~colour;

  always_comb begin
    case (colour)
      WHITE:   {grey, y, u, v} = {8'd255, 8'd235, 8'd128, 8'd128};
      YELLOW:  {grey, y, u, v} = {8'd226, 8'd210, 8'd16, 8'd146};
      CYAN:    {grey, y, u, v} = {8'd179, 8'd170, 8'd166, 8'd16};
      GREEN:   {grey, y, u, v} = {8'd150, 8'd145, 8'd54, 8'd34};
      MAGENTA: {grey, y, u, v} = {8'd105, 8'd106, 8'd202, 8'd222};
      RED:     {grey, y, u, v} = {8'd76, 8'd81, 8'd90, 8'd240};
      BLUE:    {grey, y, u, v} = {8'd29, 8'd41, 8'd240, 8'd110};
      default: {grey, y, u, v} = {8'd0, 8'd16, 8'd128, 8'd128};
    endcase
    case (format)
      sl_test_picture__pixel_format__GREY8:  word = {4{grey}};
      sl_test_picture__pixel_format__RGB565: word = {2{{5{red}}, {6{green}}, {5{blue}}}};
      default:                               word = {v, y, u, y};
    endcase
  end

  assign m_axis_tdata  = enable ? {DataWidth / 32{word}} : s_axis_tdata;
  assign m_axis_tkeep  = s_axis_tkeep;
  assign m_axis_tlast  = s_axis_tlast;
  assign m_axis_tvalid = s_axis_tvalid;
  assign s_axis_tready = m_axis_tready;

  // ---- registers ----
  assign hwif_in.FRAME.VALUE.next = frame_q;

  sl_test_picture_regs u_regs (
      .clk   (clk_i),
      .rst_n (rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil_, 12),
      .hwif_in,
      .hwif_out
  );

endmodule
