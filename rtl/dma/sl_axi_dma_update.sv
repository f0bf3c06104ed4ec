// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_update: writes descriptors' status words back, one 32-bit write each at offset 0x1C.
//
// Handshake   upd_ready_o is high while there is room for a request; up to Depth requests wait, and
//             Depth more are in flight. AWVALID and WVALID rise together, each stays until taken.
// Done        done_valid_o, a pulse in the order of the requests, a cycle after B is taken, with
//             the request's tag; done_error_o is OKAY or the response, SLVERR or DECERR.
// Latency     request to AWVALID 2 cycles. Throughput: a write every cycle.
// halt_i      level until idle_o: requests that wait are dropped, issued ones end.
// Reset       rst_ni, synchronous, regardless of the bus: use halt_i first.
//
// AddrWidth   32 to 64; Depth 2 to 32, a power of two; TagWidth 1 or more

module sl_axi_dma_update
  import sl_mover_pkg::*;
#(
    parameter int unsigned AddrWidth = 32,
    parameter int unsigned Depth     = 8,
    parameter int unsigned TagWidth  = 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 halt_i,
    output logic                 idle_o,

    input  logic                 upd_valid_i,
    output logic                 upd_ready_o,
    input  logic [AddrWidth-1:0] upd_addr_i,
    input  logic [31:0]          upd_status_i,
    input  logic [TagWidth-1:0]  upd_tag_i,
    output logic                 done_valid_o,
    output logic [1:0]           done_error_o,
    output logic [TagWidth-1:0]  done_tag_o,

    output logic [AddrWidth-1:0] m_axi_awaddr,
    output logic                 m_axi_awvalid,
    input  logic                 m_axi_awready,
    output logic [31:0]          m_axi_wdata,
    output logic                 m_axi_wvalid,
    input  logic                 m_axi_wready,
    input  logic [1:0]           m_axi_bresp,
    input  logic                 m_axi_bvalid,
    output logic                 m_axi_bready
);

  localparam int unsigned BdBits  = 6;
  localparam int unsigned PtrBits = AddrWidth - BdBits;

  logic                 req_valid, load, tag_ready, tag_valid;
  logic [PtrBits-1:0]   req_ptr;
  logic [31:0]          req_status;
  logic [TagWidth-1:0]  req_tag, tag;
  logic [$clog2(Depth):0] unused_req_count, unused_tag_count;

  sl_fifo #(
      .Width(PtrBits + 32 + TagWidth),
      .Depth(Depth)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .clear_i    (halt_i),
      .in_valid_i (upd_valid_i),
      .in_ready_o (upd_ready_o),
      .in_data_i  ({upd_addr_i[AddrWidth-1:BdBits], upd_status_i, upd_tag_i}),
      .out_valid_o(req_valid),
      .out_ready_i(load),
      .out_data_o ({req_ptr, req_status, req_tag}),
      .count_o    (unused_req_count)
  );

  assign load = req_valid && tag_ready && !halt_i && (!m_axi_awvalid || m_axi_awready) &&
                (!m_axi_wvalid || m_axi_wready);

  always_ff @(posedge clk_i) begin
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (m_axi_wready) m_axi_wvalid <= 1'b0;
    if (load) begin
      m_axi_awvalid <= 1'b1;
      m_axi_wvalid  <= 1'b1;
      m_axi_awaddr  <= {req_ptr, BdBits'(6'h1C)};
      m_axi_wdata   <= req_status;
    end
    if (!rst_ni) begin
      m_axi_awvalid <= 1'b0;
      m_axi_wvalid  <= 1'b0;
    end
  end

  sl_fifo #(
      .Width(TagWidth),
      .Depth(Depth)
  ) u_tags (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (load),
      .in_ready_o (tag_ready),
      .in_data_i  (req_tag),
      .out_valid_o(tag_valid),
      .out_ready_i(m_axi_bvalid),
      .out_data_o (tag),
      .count_o    (unused_tag_count)
  );

  assign m_axi_bready = 1'b1;

  always_ff @(posedge clk_i) begin
    done_valid_o <= rst_ni && m_axi_bvalid;
    done_error_o <= m_axi_bresp[1] ? m_axi_bresp : OKAY;
    done_tag_o   <= tag;
  end

  assign idle_o = !req_valid && !tag_valid;

  logic unused;
  assign unused = &{1'b0, upd_addr_i[BdBits-1:0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!m_axi_bvalid || tag_valid) else $error("%m: a response to no write");
      assert (!upd_valid_i || upd_addr_i[BdBits-1:0] == '0)
      else $error("%m: descriptor %h is not aligned", upd_addr_i);
    end
  end
`endif

endmodule
