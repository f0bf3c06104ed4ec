// SPDX-License-Identifier: Apache-2.0
//
// sl_msix: MSI-X table and pending bits of a PCI Express function; sends a vector's message as a
// write.
//
// Vectors     vector_ready_o is always 1. A vector that is taken becomes pending; one that is
//             pending already stays so, and one message reports both. Vectors from NumVectors on
//             are ignored.
// Messages    A pending vector whose mask, with mask_i, allows it is sent once: four bytes,
//             strobed, of its data at its address, a single beat of the port's width. Several wait:
//             in turns. A vector that comes in the cycle that its message starts in becomes pending
//             again.
// Disabled    While enable_i is 0 vectors are dropped and no bit is pending.
// Ordering    A message starts after its vector was taken: what was answered before that, the host
//             has. A read of the table, also of a mask, is answered when all messages before it
//             have been; no message starts while it waits. A write never waits for a message: a
//             card must not make taking a posted write depend on sending one (PCI Express Base,
//             2.4.1).
// Bus         AWVALID and WVALID rise together and are registered; BREADY is always 1; up to
//             MaxInFlight messages without an answer; AWID is 0.
// Latency     vector taken to AWVALID 3 cycles. Throughput: a message every second cycle.
// Errors      A message that is answered by SLVERR or DECERR is lost; FAILED counts it; all others
//             are sent.
// Reset       rst_ni, synchronous, regardless of the bus: all vectors are masked, none is pending.
//             Addresses and data keep what they are, at first anything.
// Table       a memory, written by software and read twice: no register module has it.
// Parameters  NumVectors 1..32; s_axil has at least 12 address bits, of which it ignores the upper
//             ones, and 32 data bits, m_axi 64 address bits, 64 to 512 data bits; refused
//             otherwise.
// Follows     PCI Express Base 6.0, 6.1.4, 7.7.2; AMD PG195 for the offsets; regs/sl_msix.rdl.

`include "sl_axi.svh"

module sl_msix #(
    parameter int unsigned NumVectors = 32
) (
    input  logic       clk_i,
    input  logic       rst_ni,

    input  logic       enable_i,  // MSI-X Enable of the function's capability
    input  logic       mask_i,    // its Function Mask

    input  logic       vector_valid_i,
    output logic       vector_ready_o,
    input  logic [4:0] vector_i,

    sl_axil_if.slv     s_axil,
    sl_axi_if.wr_mst   m_axi
);

  localparam int unsigned MaxInFlight = 8;
  localparam int unsigned SelWidth    = NumVectors > 1 ? $clog2(NumVectors) : 1;
  localparam int unsigned AddrWidth   = s_axil.AddrWidth;
  localparam int unsigned DataWidth   = m_axi.DataWidth;
  localparam int unsigned LaneBits    = $clog2(DataWidth / 8);

  if (NumVectors < 1 || NumVectors > 32) begin : gen_bad_num_vectors
    $fatal(1, "%m: NumVectors must be 1..32, is %0d", NumVectors);
  end
  if (AddrWidth < 12 || s_axil.DataWidth != 32) begin : gen_bad_control
    $fatal(1, "%m: s_axil must have at least 12 address bits and 32 data bits, has %0d and %0d",
           AddrWidth, s_axil.DataWidth);
  end
  if (m_axi.AddrWidth != 64 || DataWidth < 64 || DataWidth > 512) begin : gen_bad_bus
    $fatal(1, "%m: m_axi must have 64 address bits and 64 to 512 data bits, has %0d and %0d",
           m_axi.AddrWidth, DataWidth);
  end

  typedef logic [SelWidth-1:0] sel_t;

  // ---- control ----------------------------------------------------------------------------------
  sl_axil_if #(.AddrWidth(AddrWidth)) block [2] ();  // table, pending bits

  sl_axil_demux #(
      .NumPorts (2),
      .AddrWidth(AddrWidth),
      .Base     ({AddrWidth'('hfe0), AddrWidth'('h000)}),
      .Mask     ({AddrWidth'('hfe0), AddrWidth'('he00)})
  ) u_demux (
      .clk_i,
      .rst_ni,
      .s_axil,
      .m_axil(block)
  );

  sl_msix_pba_regs_pkg::sl_msix_pba__in_t pba;

  sl_msix_pba_regs u_pba (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, block[1]., 5),
      .hwif_in(pba)
  );

  // ---- table: a vector's data, upper and lower address; masks -----------------------------------
  localparam logic [1:0] WordControl = 2'd3;

  logic [95:0]           entry_q [NumVectors];
  logic [NumVectors-1:0] mask_q;
  logic                  write, read, settled;
  logic [4:0]            write_vector, read_vector;
  logic [1:0]            write_word, read_word;
  logic                  write_there, read_there;  // the vector was built

  assign write            = block[0].awvalid && block[0].wvalid &&
                            (!block[0].bvalid || block[0].bready);
  assign write_vector     = block[0].awaddr[8:4];
  assign write_word       = block[0].awaddr[3:2];
  assign write_there      = 32'(write_vector) < NumVectors;
  assign block[0].awready = write;
  assign block[0].wready  = write;
  assign block[0].bresp   = '0;

  assign block[0].arready = settled && (!block[0].rvalid || block[0].rready);
  assign read             = block[0].arvalid && block[0].arready;
  assign read_vector      = block[0].araddr[8:4];
  assign read_word        = block[0].araddr[3:2];
  assign read_there       = 32'(read_vector) < NumVectors;
  assign block[0].rresp   = '0;

  always_ff @(posedge clk_i) begin
    if (write && write_there) begin
      for (int unsigned lane = 0; lane < 4; lane++) begin
        for (int unsigned word = 0; word < 3; word++) begin
          if (block[0].wstrb[lane] && 32'(write_word) == word) begin
            entry_q[sel_t'(write_vector)][32*word+8*lane+:8] <= block[0].wdata[8*lane+:8];
          end
        end
      end
      if (block[0].wstrb[0] && write_word == WordControl) begin
        mask_q[sel_t'(write_vector)] <= block[0].wdata[0];
      end
    end
    if (!rst_ni) mask_q <= '1;
  end

  always_ff @(posedge clk_i) begin
    if (read) begin
      block[0].rdata <= '0;
      if (read_there && read_word == WordControl) begin
        block[0].rdata[0] <= mask_q[sel_t'(read_vector)];
      end else if (read_there) begin
        block[0].rdata <= entry_q[sel_t'(read_vector)][32*read_word+:32];
      end
    end
    block[0].rvalid <= read || block[0].rvalid && !block[0].rready;
    block[0].bvalid <= write || block[0].bvalid && !block[0].bready;
    if (!rst_ni) begin
      block[0].rvalid <= 1'b0;
      block[0].bvalid <= 1'b0;
    end
  end

  // ---- pending bits, and whose turn it is -------------------------------------------------------
  logic [NumVectors-1:0] pending_q, ask;
  sel_t                  sel, sel_q, last_q;
  logic                  any, any_q;
  logic                  start;  // the message of sel_q

  assign vector_ready_o = 1'b1;
  assign ask            = enable_i && !mask_i ? pending_q & ~mask_q : '0;

  always_ff @(posedge clk_i) begin
    if (start) pending_q[sel_q] <= 1'b0;
    if (vector_valid_i && 32'(vector_i) < NumVectors) pending_q[sel_t'(vector_i)] <= 1'b1;
    if (!rst_ni || !enable_i) pending_q <= '0;
  end

  sl_turn #(
      .NumRequests(NumVectors)
  ) u_turn (
      .ask_i (ask),
      .last_i(last_q),
      .sel_o (sel),
      .any_o (any)
  );

  // What was chosen is looked at again before it starts: it may have been masked since. After a
  // start AWVALID is high for a cycle at least: sel_q is then of the bits that are still pending.
  always_ff @(posedge clk_i) begin
    sel_q <= sel;
    any_q <= any;
    if (start) last_q <= sel_q;
    if (!rst_ni) begin
      any_q  <= 1'b0;
      last_q <= '0;
    end
  end

  // ---- messages ---------------------------------------------------------------------------------
  logic [$clog2(MaxInFlight):0] in_flight_q;  // presented and not answered
  logic [15:0]                  failed_q;
  logic [95:0]                  entry;
  logic [LaneBits-1:0]          lane;

  assign settled = in_flight_q == '0;
  assign start   = any_q && ask[sel_q] && !m_axi.awvalid && !m_axi.wvalid && !block[0].arvalid &&
                   in_flight_q != ($clog2(MaxInFlight) + 1)'(MaxInFlight);
  assign entry   = entry_q[sel_q];
  assign lane    = {entry[LaneBits-1:2], 2'd0};

  always_ff @(posedge clk_i) begin
    if (m_axi.awready) m_axi.awvalid <= 1'b0;
    if (m_axi.wready) m_axi.wvalid <= 1'b0;
    if (start) begin
      m_axi.awvalid <= 1'b1;
      m_axi.wvalid  <= 1'b1;
      m_axi.awaddr  <= {entry[63:2], 2'd0};
      m_axi.wdata   <= {(DataWidth / 32){entry[95:64]}};
      m_axi.wstrb   <= '0;
      m_axi.wstrb[lane+:4] <= '1;
    end
    in_flight_q <= in_flight_q + ($bits(in_flight_q))'(start) - ($bits(in_flight_q))'(m_axi.bvalid);
    if (m_axi.bvalid && m_axi.bresp[1] && !(&failed_q)) failed_q <= failed_q + 1'b1;
    if (!rst_ni) begin
      m_axi.awvalid <= 1'b0;
      m_axi.wvalid  <= 1'b0;
      in_flight_q   <= '0;
      failed_q      <= '0;
    end
  end

  assign m_axi.awid    = '0;
  assign m_axi.awlen   = '0;
  assign m_axi.awsize  = 3'(LaneBits);
  assign m_axi.awburst = 2'b01;
  assign m_axi.awlock  = '0;
  assign m_axi.awcache = '0;
  assign m_axi.awprot  = '0;
  assign m_axi.wlast   = 1'b1;
  assign m_axi.bready  = 1'b1;

  assign pba.PENDING.BITS.next = 32'(pending_q);
  assign pba.FAILED.COUNT.next = failed_q;

  logic unused;
  assign unused = &{1'b0, block[0].awaddr, block[0].araddr, block[0].awprot, block[0].arprot,
                    block[1].awaddr, block[1].araddr, m_axi.bid, m_axi.bresp[0],
                    entry[1:0]};

endmodule
