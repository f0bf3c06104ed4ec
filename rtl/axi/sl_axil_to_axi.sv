// SPDX-License-Identifier: Apache-2.0
//
// sl_axil_to_axi: an AXI4-Lite master on an AXI4 bus: each access is a burst of one beat.
//
// Handshake   A write is presented once both its address and its data are there, so that the bus
//             never has an address whose data may stay away (what sl_axi_join asks for); both are
//             taken together, when the bus has had both. Reads: one in flight. B, R, and AR of the
//             first read pass combinationally; no VALID depends on a READY.
// Latency     0 cycles. Throughput: a write a cycle; a read with each answer of the bus.
// Bursts      INCR, one beat of the bus's full width, that of the word; a write has strobes in the
//             word's bytes only, a read reads the words beside it too: for memory, not for what is
//             changed by being read. AxCACHE 0, AxLOCK 0, AxPROT the master's; ID 0.
// Ordering    of writes, as the bus answers ID 0; none between reads and writes.
// Reset       rst_ni synchronous, active low: forgets what is half presented or in flight.
// Errors      Responses pass unchanged.
// Widths      s_axil 32 bits; m_axi AXI4 of 32..1024, refused otherwise. Addresses are cut or
//             filled with 0 to m_axi's width.
// Follows     AMBA AXI (IHI 0022) A3.4, B1.

`include "sl_axi.svh"

module sl_axil_to_axi (
    input logic    clk_i,
    input logic    rst_ni,
    sl_axil_if.slv s_axil,
    sl_axi_if.mst  m_axi
);

  localparam int unsigned Words     = m_axi.DataWidth / 32;
  localparam int unsigned WordWidth = Words > 1 ? $clog2(Words) : 1;
  localparam int unsigned Offset    = $clog2(4 * Words);  // address bits within a beat
  localparam logic [1:0]  Incr      = 2'd1;

  if (s_axil.DataWidth != 32 || m_axi.DataWidth < 32 || m_axi.Axi3) begin : gen_bad_buses
    $fatal(1, "%m: need s_axil of 32 bits and m_axi an AXI4 bus of 32 or more, have %0d and %0d",
           s_axil.DataWidth, m_axi.DataWidth);
  end

  typedef logic [WordWidth-1:0] word_t;

  word_t write_word, read_word;  // which word of the beat; of a bus of one word it is 0
  if (Words > 1) begin : gen_word
    assign write_word = s_axil.awaddr[2+:WordWidth];
    assign read_word  = s_axil.araddr[2+:WordWidth];
  end else begin : gen_only_word
    assign write_word = '0;
    assign read_word  = '0;
  end

  // ---- writes ----
  logic write, write_end, aw_done_q, w_done_q;

  assign write     = s_axil.awvalid && s_axil.wvalid;
  assign write_end = write && (aw_done_q || m_axi.awready) && (w_done_q || m_axi.wready);

  always_ff @(posedge clk_i) begin
    aw_done_q <= write && !write_end && (aw_done_q || m_axi.awready);
    w_done_q  <= write && !write_end && (w_done_q || m_axi.wready);
    if (!rst_ni) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end
  end

  assign m_axi.awid     = '0;
  assign m_axi.awaddr   = (m_axi.AddrWidth'(s_axil.awaddr) >> Offset) << Offset;
  assign m_axi.awlen    = '0;
  assign m_axi.awsize   = 3'(Offset);
  assign m_axi.awburst  = Incr;
  assign m_axi.awlock   = 1'b0;
  assign m_axi.awcache  = '0;
  assign m_axi.awprot   = s_axil.awprot;
  assign m_axi.awvalid  = write && !aw_done_q;
  assign m_axi.wdata    = {Words{s_axil.wdata}};
  assign m_axi.wstrb    = (4 * Words)'(s_axil.wstrb) << (4 * write_word);
  assign m_axi.wlast    = 1'b1;
  assign m_axi.wvalid   = write && !w_done_q;
  assign s_axil.awready = write_end;
  assign s_axil.wready  = write_end;
  assign s_axil.bresp   = m_axi.bresp;
  assign s_axil.bvalid  = m_axi.bvalid;
  assign m_axi.bready   = s_axil.bready;

  // ---- reads ----
  logic  reading_q;
  word_t word_q;  // of the read in flight

  always_ff @(posedge clk_i) begin
    if (m_axi.arvalid && m_axi.arready) begin
      reading_q <= 1'b1;
      word_q    <= read_word;
    end else if (m_axi.rvalid && m_axi.rready) begin
      reading_q <= 1'b0;
    end
    if (!rst_ni) reading_q <= 1'b0;
  end

  assign m_axi.arid     = '0;
  assign m_axi.araddr   = (m_axi.AddrWidth'(s_axil.araddr) >> Offset) << Offset;
  assign m_axi.arlen    = '0;
  assign m_axi.arsize   = 3'(Offset);
  assign m_axi.arburst  = Incr;
  assign m_axi.arlock   = 1'b0;
  assign m_axi.arcache  = '0;
  assign m_axi.arprot   = s_axil.arprot;
  assign m_axi.arvalid  = s_axil.arvalid && !reading_q;
  assign s_axil.arready = m_axi.arready && !reading_q;
  assign s_axil.rdata   = m_axi.rdata[32*word_q+:32];
  assign s_axil.rresp   = m_axi.rresp;
  assign s_axil.rvalid  = m_axi.rvalid;
  assign m_axi.rready   = s_axil.rready;

  logic unused;
  assign unused = ^{m_axi.rid, m_axi.rlast, m_axi.bid};

endmodule
