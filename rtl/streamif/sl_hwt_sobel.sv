// SPDX-License-Identifier: Apache-2.0
//
// sl_hwt_sobel: a hardware thread that filters a grey image: 3 x 3 Sobel, four pixels a beat.
//
// Operation   s_axis_* brings an image, a byte a pixel, row by row, the leftmost pixel of a word in
//             its lowest byte; m_axis_* gives one of the same size, TLAST with its last word. A
//             pixel becomes min(255, |Gx| + |Gy|) of the pixels around it, one at the border 0.
//             TLAST and TKEEP of the input are ignored: the image's size says where it ends.
// Run         start_i with busy_o low begins an image of words_i words a row and rows_i rows;
//             busy_o is high until its last word was taken.
// Handshake   valid/ready; TVALID comes from registers, s_axis_tready depends on m_axis_tready.
// Latency     the first word comes words_i + 2 words after the first went in.
// Throughput  a word a cycle; after the last word in, words_i + 1 cycles until the last one out.
// Structure   two line buffers, read a word ahead.
// Reset       rst_ni synchronous, active low; ends the run.
// Parameters  MaxWords 4..1024, a power of two: words of the longest row, refused otherwise.
// Requires    words_i 2..MaxWords, rows_i 1..65535 (asserted).

module sl_hwt_sobel #(
    parameter int unsigned  MaxWords = 512,
    localparam int unsigned ColBits  = $clog2(MaxWords)
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    input  logic             start_i,
    input  logic [ColBits:0] words_i,
    input  logic [15:0]      rows_i,
    output logic             busy_o,

    input  logic [31:0]      s_axis_tdata,
    input  logic             s_axis_tvalid,
    output logic             s_axis_tready,

    output logic [31:0]      m_axis_tdata,
    output logic             m_axis_tlast,
    output logic             m_axis_tvalid,
    input  logic             m_axis_tready
);

  if (MaxWords < 4 || MaxWords > 1024 || (MaxWords & (MaxWords - 1)) != 0) begin : gen_bad_words
    $fatal(1, "%m: MaxWords must be a power of two in 4..1024, is %0d", MaxWords);
  end

  typedef logic [2:0][31:0] rows_t;  // a word of each of three rows, the oldest highest

  (* ram_style = "block" *) logic [31:0] line_a[MaxWords];
  (* ram_style = "block" *) logic [31:0] line_b[MaxWords];
  logic [31:0] above_q, top_q;  // the words above the one that comes next

  logic [ColBits-1:0] last_col_q, col_q, col_next, out_col_q;
  logic [15:0]        last_row_q, row_q, out_row_q;
  logic               busy_q, in_done_q, out_q, step, take, free, give, first_out;
  rows_t              now, mid_q, old_q;  // the words that come, those before, those before them

  // With a word of the row below come, and one more, all of a word's neighbours are there.
  assign take          = busy_q && !in_done_q;
  assign free          = !m_axis_tvalid || m_axis_tready;
  assign step          = busy_q && (in_done_q || s_axis_tvalid) && free;
  assign s_axis_tready = take && free;
  assign first_out     = row_q == 16'd1 && col_q == ColBits'(1);
  assign give          = out_q || first_out;
  assign col_next      = col_q == last_col_q ? '0 : col_q + 1'b1;
  assign now           = {top_q, above_q, s_axis_tdata};
  assign busy_o        = busy_q;

  always_ff @(posedge clk_i) begin
    if (step) begin
      line_a[col_q] <= s_axis_tdata;
      line_b[col_q] <= above_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (step) begin
      above_q <= line_a[col_next];
      top_q   <= line_b[col_next];
    end
  end

  // ---- the filter ----
  // Pixels of a row from the word before's last to the word after's first.
  function automatic logic [5:0][7:0] span(input int unsigned row, input rows_t left,
                                           input rows_t here, input rows_t right);
    return {right[row][7:0], here[row], left[row][31:24]};
  endfunction

  function automatic logic [7:0] sobel(input logic [2:0][7:0] top, input logic [7:0] west,
                                       input logic [7:0] east, input logic [2:0][7:0] low);
    logic [10:0] right, left, above, below, gx, gy;
    logic [11:0] sum;
    right = 11'(top[2]) + {2'b0, east, 1'b0} + 11'(low[2]);
    left  = 11'(top[0]) + {2'b0, west, 1'b0} + 11'(low[0]);
    above = 11'(top[0]) + {2'b0, top[1], 1'b0} + 11'(top[2]);
    below = 11'(low[0]) + {2'b0, low[1], 1'b0} + 11'(low[2]);
    gx    = right > left ? right - left : left - right;
    gy    = above > below ? above - below : below - above;
    sum   = 12'(gx) + 12'(gy);
    return sum > 12'd255 ? 8'hff : sum[7:0];
  endfunction

  logic [2:0][5:0][7:0] spans;
  logic [3:0][7:0]      filtered;
  logic                 edge_row, edge_left, edge_right;

  assign edge_row   = out_row_q == '0 || out_row_q == last_row_q;
  assign edge_left  = out_col_q == '0;
  assign edge_right = out_col_q == last_col_q;

  always_comb begin
    for (int unsigned row = 0; row < 3; row++) spans[row] = span(row, old_q, mid_q, now);
    for (int unsigned pixel = 0; pixel < 4; pixel++) begin
      filtered[pixel] = sobel(spans[2][pixel+:3], spans[1][pixel], spans[1][pixel+2],
                              spans[0][pixel+:3]);
      if (edge_row || (edge_left && pixel == 0) || (edge_right && pixel == 3)) begin
        filtered[pixel] = '0;
      end
    end
  end

  // ---- where in the image ----
  always_ff @(posedge clk_i) begin
    if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (m_axis_tvalid && m_axis_tready && m_axis_tlast) busy_q <= 1'b0;
    if (step) begin
      mid_q <= now;
      old_q <= mid_q;
      col_q <= col_next;
      if (col_q == last_col_q) begin
        row_q <= row_q + 1'b1;
        if (row_q == last_row_q) in_done_q <= 1'b1;
      end
      if (give && !(m_axis_tlast && out_q)) begin
        out_q         <= 1'b1;
        m_axis_tvalid <= 1'b1;
        m_axis_tdata  <= filtered;
        m_axis_tlast  <= out_row_q == last_row_q && edge_right;
        out_col_q     <= edge_right ? '0 : out_col_q + 1'b1;
        if (edge_right) out_row_q <= out_row_q + 1'b1;
      end
    end
    if (start_i && !busy_q) begin
      busy_q       <= 1'b1;
      in_done_q    <= 1'b0;
      out_q        <= 1'b0;
      last_col_q   <= ColBits'(words_i - 1'b1);
      last_row_q   <= rows_i - 1'b1;
      col_q        <= '0;
      row_q        <= '0;
      out_col_q    <= '0;
      out_row_q    <= '0;
      m_axis_tlast <= 1'b0;
    end
    if (!rst_ni) begin
      busy_q        <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i && !busy_q) begin
      assert (words_i >= 2 && words_i <= (ColBits + 1)'(MaxWords))
      else $error("%m: row of %0d words", words_i);
      assert (rows_i != '0) else $error("%m: image of no rows");
    end
  end
`endif

endmodule
