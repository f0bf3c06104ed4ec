// SPDX-License-Identifier: Apache-2.0
//
// sl_s2mem: a hardware thread's port to memory: a stream from memory (m_axis_*) and one to it
// (s_axis_*), each under its own queue of commands, on one 64-bit AXI4 master.
//
// Commands    rd_cmd_*, wr_cmd_*: valid/ready, address, bytes, tag, and rd_cmd_eop_i (TLAST on the
//             last byte). Any number of bytes, addresses of 4 bytes; neither has to be of the
//             memory's 8. Many bursts of many commands are outstanding. Bursts end at multiples of
//             min(MaxBurst * 8, 4096) bytes. wr: a command ends with its last byte or with TLAST;
//             what follows in the stream is the next command's.
// Span        of a command, here where bytes stand: its bytes, and with StreamWidth 32 the 4 before
//             them where it starts at an odd word (bit 2 of the address); 0 for none.
// Status      one a command and direction, in order: span moved (0 for none), end of packet, error,
//             tag; as sl_mm2s and sl_s2mm say.
// Handshake   rd: a burst is issued only into free room, RREADY is always high. wr: AWVALID with
//             all of a burst in the buffer; its data then flows without a gap. So neither a thread
//             that stops nor a direction that waits holds up the memory's channels.
// Latency     as the movers; StreamWidth 32 adds no cycle, but one for a written command that
//             starts at an odd word, and one for one that ends in a beat's first word.
// Throughput  a beat of the stream, or of memory if that is narrower, a cycle each way at once, for
//             commands of 64 B and up (wider streams: 128 B) and memory that answers within 60
//             cycles (CmdDepth = 8).
// Errors      the first failed response makes the status's error. INTERNAL, nothing moved: 0 bytes;
//             an address that is no multiple of 4; a read without rd_cmd_eop_i that is no whole
//             words. A written command that is no whole words drops the rest of the word in which
//             it ends (StreamWidth 32).
// halt_i      level, held until idle_o: bursts issued are finished, all else is dropped, the
//             streams' READY and VALID are low from the next cycle on; the thread has to be reset
//             along. Then as new.
// Reset       rst_ni synchronous, active low; at once, regardless of the bus: use halt_i first.
// Structure   StreamWidth 32: converters between the streams and movers built without alignment:
//             the word before an odd start is read and not sent; written, it goes with WSTRB 0.
//             Wider streams: the movers align.
// stall_*_o   {resp, data, space, addr} of each mover.
// AddrWidth 32..62, StreamWidth 32, 64 or 128, LenWidth 8..31, TagWidth 1..31, MaxBurst 2..256,
// BufferBeats, CmdDepth, CutThrough (of writes: AWVALID with the burst's first beat) as the movers;
// refused otherwise. Not here: 128-bit commands that end inside a beat without end of packet wait
// for the next command's bytes (as sl_mm2s says).

`include "sl_axi.svh"

module sl_s2mem #(
    parameter int unsigned AddrWidth   = 32,
    parameter int unsigned StreamWidth = 32,
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned TagWidth    = 1,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 128,
    parameter int unsigned CmdDepth    = 8,
    parameter bit          CutThrough  = 1'b0
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     halt_i,
    output logic                     idle_o,

    input  logic                     rd_cmd_valid_i,
    output logic                     rd_cmd_ready_o,
    input  logic [AddrWidth-1:0]     rd_cmd_addr_i,
    input  logic [LenWidth:0]        rd_cmd_span_i,
    input  logic                     rd_cmd_eop_i,
    input  logic [TagWidth-1:0]      rd_cmd_tag_i,
    output logic                     rd_sts_valid_o,
    input  logic                     rd_sts_ready_i,
    output logic [LenWidth:0]        rd_sts_span_o,
    output logic                     rd_sts_eop_o,
    output logic [1:0]               rd_sts_error_o,
    output logic [TagWidth-1:0]      rd_sts_tag_o,

    input  logic                     wr_cmd_valid_i,
    output logic                     wr_cmd_ready_o,
    input  logic [AddrWidth-1:0]     wr_cmd_addr_i,
    input  logic [LenWidth:0]        wr_cmd_span_i,
    input  logic [TagWidth-1:0]      wr_cmd_tag_i,
    output logic                     wr_sts_valid_o,
    input  logic                     wr_sts_ready_i,
    output logic [LenWidth:0]        wr_sts_span_o,
    output logic                     wr_sts_eop_o,
    output logic [1:0]               wr_sts_error_o,
    output logic [TagWidth-1:0]      wr_sts_tag_o,

    output logic [3:0]               rd_stall_o,
    output logic [3:0]               wr_stall_o,

    output logic [StreamWidth-1:0]   m_axis_tdata,
    output logic [StreamWidth/8-1:0] m_axis_tkeep,
    output logic                     m_axis_tlast,
    output logic                     m_axis_tvalid,
    input  logic                     m_axis_tready,

    input  logic [StreamWidth-1:0]   s_axis_tdata,
    input  logic [StreamWidth/8-1:0] s_axis_tkeep,
    input  logic                     s_axis_tlast,
    input  logic                     s_axis_tvalid,
    output logic                     s_axis_tready,

    output logic                     m_axi_arid,
    output logic [AddrWidth-1:0]     m_axi_araddr,
    output logic [7:0]               m_axi_arlen,
    output logic [2:0]               m_axi_arsize,
    output logic [1:0]               m_axi_arburst,
    output logic                     m_axi_arlock,
    output logic [3:0]               m_axi_arcache,
    output logic [2:0]               m_axi_arprot,
    output logic                     m_axi_arvalid,
    input  logic                     m_axi_arready,
    input  logic                     m_axi_rid,
    input  logic [63:0]              m_axi_rdata,
    input  logic [1:0]               m_axi_rresp,
    input  logic                     m_axi_rlast,
    input  logic                     m_axi_rvalid,
    output logic                     m_axi_rready,
    output logic                     m_axi_awid,
    output logic [AddrWidth-1:0]     m_axi_awaddr,
    output logic [7:0]               m_axi_awlen,
    output logic [2:0]               m_axi_awsize,
    output logic [1:0]               m_axi_awburst,
    output logic                     m_axi_awlock,
    output logic [3:0]               m_axi_awcache,
    output logic [2:0]               m_axi_awprot,
    output logic                     m_axi_awvalid,
    input  logic                     m_axi_awready,
    output logic [63:0]              m_axi_wdata,
    output logic [7:0]               m_axi_wstrb,
    output logic                     m_axi_wlast,
    output logic                     m_axi_wvalid,
    input  logic                     m_axi_wready,
    input  logic                     m_axi_bid,
    input  logic [1:0]               m_axi_bresp,
    input  logic                     m_axi_bvalid,
    output logic                     m_axi_bready
);

  if (AddrWidth < 32 || AddrWidth > 62) begin : gen_bad_addr
    $fatal(1, "%m: AddrWidth must be 32..62, is %0d", AddrWidth);
  end
  if (StreamWidth != 32 && StreamWidth != 64 && StreamWidth != 128) begin : gen_bad_stream
    $fatal(1, "%m: StreamWidth must be 32, 64 or 128, is %0d", StreamWidth);
  end
  if (LenWidth < 8 || LenWidth > 31) begin : gen_bad_len
    $fatal(1, "%m: LenWidth must be 8..31, is %0d", LenWidth);
  end
  if (TagWidth < 1 || TagWidth > 31) begin : gen_bad_tag
    $fatal(1, "%m: TagWidth must be 1..31, is %0d", TagWidth);
  end

  localparam bit Words = StreamWidth == 32;  // a word's place in the beat is this module's business
  localparam int unsigned MoverLen = LenWidth + 1;

  logic [AddrWidth-1:0] rd_addr, wr_addr;
  logic [MoverLen-1:0]  rd_span, wr_span;
  logic                 rd_bad, wr_bad, rd_odd, wr_odd, rd_room, rd_ready, rd_eop;
  logic                 rd_idle, wr_idle;
  logic                 wr_first;  // the command is not of the parity of the one before
  logic [AddrWidth+1:0] wr_awaddr;
  logic [7:0]           wr_wstrb;

  logic [63:0]          rd_tdata, wr_tdata;
  logic [7:0]           rd_tkeep, wr_tkeep;
  logic                 rd_tlast, rd_tvalid, rd_tready, wr_tlast, wr_tvalid, wr_tready;
  logic                 stream_rst_n;

  assign idle_o         = rd_idle && wr_idle;
  assign stream_rst_n   = rst_ni && !halt_i;
  assign rd_cmd_ready_o = rd_ready && rd_room;
  assign rd_bad         = rd_cmd_addr_i[1:0] != '0 || rd_cmd_span_i == '0 ||
                          (Words && !rd_cmd_eop_i && rd_cmd_span_i[1:0] != '0);
  assign wr_bad         = wr_cmd_addr_i[1:0] != '0 || wr_cmd_span_i == '0;
  assign rd_odd         = Words && rd_cmd_addr_i[2];
  assign wr_odd         = Words && wr_cmd_addr_i[2];

  // A wrong command is one that the mover refuses: with words by an address inside a beat, which
  // costs no logic, else by no bytes.
  assign rd_addr = {rd_cmd_addr_i[AddrWidth-1:3], Words ? {2'd0, rd_bad} : rd_cmd_addr_i[2:0]};
  assign wr_addr = {wr_cmd_addr_i[AddrWidth-1:3], Words ? {2'd0, wr_bad} : wr_cmd_addr_i[2:0]};
  assign rd_span = !Words && rd_bad ? '0 : rd_cmd_span_i;
  assign wr_span = !Words && wr_bad ? '0 : wr_cmd_span_i;

  sl_mm2s #(
      .AddrWidth  (AddrWidth),
      .DataWidth  (64),
      .LenWidth   (MoverLen),
      .TagWidth   (TagWidth + 1),
      .IdWidth    (1),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (CmdDepth),
      .Unaligned  (!Words)
  ) u_mm2s (
      .clk_i,
      .rst_ni,
      .halt_i,
      .idle_o       (rd_idle),
      .cmd_valid_i  (rd_cmd_valid_i && rd_room),
      .cmd_ready_o  (rd_ready),
      .cmd_addr_i   (rd_addr),
      .cmd_bytes_i  (rd_span),
      // With words each command's last beat is told from the others; the stream's TLAST is set
      // behind the mover.
      .cmd_eop_i    (Words || rd_cmd_eop_i),
      .cmd_tag_i    ({rd_cmd_eop_i && !rd_bad, rd_cmd_tag_i}),
      .sts_valid_o  (rd_sts_valid_o),
      .sts_ready_i  (rd_sts_ready_i),
      .sts_bytes_o  (rd_sts_span_o),
      .sts_eop_o    (rd_eop),
      .sts_error_o  (rd_sts_error_o),
      .sts_tag_o    ({rd_sts_eop_o, rd_sts_tag_o}),
      .stall_addr_o (rd_stall_o[0]),
      .stall_space_o(rd_stall_o[1]),
      .stall_data_o (rd_stall_o[2]),
      .stall_resp_o (rd_stall_o[3]),
      .m_axi_arid,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arlock,
      .m_axi_arcache,
      .m_axi_arprot,
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_rid,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready,
      .m_axis_tdata (rd_tdata),
      .m_axis_tkeep (rd_tkeep),
      .m_axis_tlast (rd_tlast),
      .m_axis_tvalid(rd_tvalid),
      .m_axis_tready(rd_tready)
  );

  logic unused_held;

  // The two bits above the address go round with it: whether the command began at an odd word, and
  // one that differs from command to command, by which its first burst is known.
  sl_s2mm #(
      .AddrWidth  (AddrWidth + 2),
      .DataWidth  (64),
      .LenWidth   (MoverLen),
      .TagWidth   (TagWidth),
      .IdWidth    (1),
      .MaxBurst   (MaxBurst),
      .BufferBeats(BufferBeats),
      .CmdDepth   (CmdDepth),
      .Unaligned  (!Words),
      .CutThrough (CutThrough)
  ) u_s2mm (
      .clk_i,
      .rst_ni,
      .halt_i,
      .idle_o       (wr_idle),
      .cmd_valid_i  (wr_cmd_valid_i),
      .cmd_ready_o  (wr_cmd_ready_o),
      .cmd_addr_i   ({wr_first, wr_odd, wr_addr}),
      .cmd_bytes_i  (wr_span),
      .cmd_eop_i    (1'b0),
      .cmd_tag_i    (wr_cmd_tag_i),
      .sts_valid_o  (wr_sts_valid_o),
      .sts_ready_i  (wr_sts_ready_i),
      .sts_bytes_o  (wr_sts_span_o),
      .sts_eop_o    (wr_sts_eop_o),
      .sts_error_o  (wr_sts_error_o),
      .sts_tag_o    (wr_sts_tag_o),
      .stall_addr_o (wr_stall_o[0]),
      .stall_space_o(wr_stall_o[1]),
      .stall_data_o (wr_stall_o[2]),
      .stall_resp_o (wr_stall_o[3]),
      .held_o       (unused_held),
      .m_axi_awid,
      .m_axi_awaddr (wr_awaddr),
      .m_axi_awlen,
      .m_axi_awsize,
      .m_axi_awburst,
      .m_axi_awlock,
      .m_axi_awcache,
      .m_axi_awprot,
      .m_axi_awvalid,
      .m_axi_awready,
      .m_axi_wdata,
      .m_axi_wstrb  (wr_wstrb),
      .m_axi_wlast,
      .m_axi_wvalid,
      .m_axi_wready,
      .m_axi_bid,
      .m_axi_bresp,
      .m_axi_bvalid,
      .m_axi_bready,
      `SL_AXIS_PINS(s_axis_, wr_)
  );

  assign m_axi_awaddr = wr_awaddr[AddrWidth-1:0];

  if (Words) begin : gen_words
    logic rd_load, wr_load;
    assign rd_load = rd_cmd_valid_i && rd_cmd_ready_o && !rd_bad;
    assign wr_load = wr_cmd_valid_i && wr_cmd_ready_o && !wr_bad;

    // ------------------------------------------------------------------------------- from memory
    // A queue that cannot overflow: the mover holds CmdDepth commands, and a few in its stages.
    localparam int unsigned MetaBits = $clog2(CmdDepth) + 1;
    (* ram_style = "distributed" *)
    logic [1:0]          meta[2**MetaBits];
    logic [MetaBits-1:0] meta_in_q, meta_out_q;
    logic                first_q, lead, rd_is_odd, rd_is_eop, split_last, rd_pop;

    assign rd_room                = 1'b1;
    assign {rd_is_eop, rd_is_odd} = meta[meta_out_q];

    always_ff @(posedge clk_i) if (rd_load) meta[meta_in_q] <= {rd_cmd_eop_i, rd_odd};

    always_ff @(posedge clk_i) begin
      meta_in_q  <= meta_in_q + MetaBits'(rd_load);
      meta_out_q <= meta_out_q + MetaBits'(rd_pop && rd_tlast);
      if (!stream_rst_n) begin
        meta_in_q  <= '0;
        meta_out_q <= '0;
      end
    end

    assign lead   = first_q && rd_is_odd;
    assign rd_pop = rd_tvalid && rd_tready;

    always_ff @(posedge clk_i) begin
      if (rd_pop) first_q <= rd_tlast;
      if (!stream_rst_n) first_q <= 1'b1;
    end

    sl_axis_width #(
        .SlvWidth(64),
        .MstWidth(32)
    ) u_split (
        .clk_i,
        .rst_ni       (stream_rst_n),
        .s_axis_tdata ({rd_tdata[63:32], lead ? rd_tdata[63:32] : rd_tdata[31:0]}),
        .s_axis_tkeep (lead ? {4'd0, rd_tkeep[7:4]} : rd_tkeep),
        .s_axis_tlast (lead || rd_tlast),
        .s_axis_tvalid(rd_tvalid),
        .s_axis_tready(rd_tready),
        .m_axis_tdata,
        .m_axis_tkeep,
        .m_axis_tlast (split_last),
        .m_axis_tvalid,
        .m_axis_tready
    );
    assign m_axis_tlast = split_last && rd_tlast && rd_is_eop;

    // --------------------------------------------------------------------------------- to memory
    // Whole words of the span less those that came, and what that is at the last word: neither
    // takes an adder.
    logic [LenWidth-2:0] left_q;
    logic [1:0]          final_q;
    logic                active_q;  // a command is at hand
    logic                lead_q;  // the word before its first goes next
    logic                final_word, word_valid, word_last, word_ready;

    assign final_word = left_q == (LenWidth - 1)'(final_q);

    always_ff @(posedge clk_i) begin
      if (wr_load) begin
        left_q  <= wr_cmd_span_i[LenWidth:2];
        final_q <= {wr_odd && wr_cmd_span_i[1:0] == '0, wr_odd == (wr_cmd_span_i[1:0] != '0)};
      end else if (s_axis_tvalid && s_axis_tready) begin
        left_q <= left_q - 1'b1;
      end
      if (wr_load) begin
        active_q <= 1'b1;
        lead_q   <= wr_odd;
      end else begin
        if (word_valid && word_ready && word_last) active_q <= 1'b0;
        if (word_valid && word_ready) lead_q <= 1'b0;
      end
      if (!stream_rst_n) begin
        active_q <= 1'b0;
        lead_q   <= 1'b0;
      end
    end

    // As sl_axis_width, but a beat's first word always goes through the register, which spares a
    // multiplexer: what ends there is shown a cycle later.
    logic [31:0] low_q;
    logic [3:0]  low_keep_q;
    logic        low_valid_q, low_end_q, low_eop_q;  // a word; the beat's last; the packet's last

    assign word_valid    = s_axis_tvalid && active_q;
    assign word_last     = !lead_q && (s_axis_tlast || final_word);
    assign word_ready    = !low_valid_q || (wr_tready && !low_end_q);
    assign wr_tvalid     = low_valid_q && (low_end_q || word_valid);
    assign wr_tdata      = {s_axis_tdata, low_q};
    // Without end of packet the mover counts by itself how much of the last beat is the command's.
    assign wr_tlast      = low_end_q ? low_eop_q : s_axis_tlast;
    assign wr_tkeep      = !wr_tlast ? '1 : low_end_q ? {4'd0, low_keep_q} : {s_axis_tkeep, 4'hf};
    assign s_axis_tready = word_ready && active_q && !lead_q;

    always_ff @(posedge clk_i) begin
      if (!low_valid_q) begin
        low_q      <= s_axis_tdata;
        low_keep_q <= s_axis_tkeep;
        low_end_q  <= word_valid && word_last;
        low_eop_q  <= s_axis_tlast;
      end
      low_valid_q <= low_valid_q ? !(wr_tvalid && wr_tready) : word_valid;
      if (wr_tvalid && wr_tready) low_end_q <= 1'b0;
      if (!stream_rst_n) begin
        low_valid_q <= 1'b0;
        low_end_q   <= 1'b0;
      end
    end

    // ----------------------------------------------------------------- strobes of an odd start
    localparam int unsigned BySpace = BufferBeats / MaxBurst > 0 ? BufferBeats / MaxBurst : 1;
    localparam int unsigned Want    = BySpace > CmdDepth ? BySpace : CmdDepth;
    localparam int unsigned Bursts  = Want > 64 ? 64 : Want < 8 ? 8 : Want;  // as in sl_s2mm
    localparam int unsigned PtrBits = $clog2(Bursts);
    (* ram_style = "distributed" *)
    logic                  masks[2**PtrBits];  // of bursts that showed AW, their WLAST to come
    logic [PtrBits:0]      head_q, tail_q;
    logic                  parity_q, aw_parity_q, aw_pend_q, aw_new, aw_mask, empty, w_first_q;
    logic                  w_take, w_mask;

    assign wr_first = parity_q;
    assign aw_new   = m_axi_awvalid && !aw_pend_q;
    assign aw_mask  = wr_awaddr[AddrWidth] && wr_awaddr[AddrWidth+1] != aw_parity_q;
    assign empty    = head_q == tail_q;
    assign w_take   = m_axi_wvalid && m_axi_wready;
    assign w_mask   = w_first_q && (empty ? aw_mask : masks[head_q[PtrBits-1:0]]);

    assign m_axi_wstrb = wr_wstrb & ~{4'd0, {4{w_mask}}};

    always_ff @(posedge clk_i) if (aw_new) masks[tail_q[PtrBits-1:0]] <= aw_mask;

    always_ff @(posedge clk_i) begin
      if (wr_load) parity_q <= !parity_q;
      aw_pend_q <= m_axi_awvalid && !m_axi_awready;
      if (aw_new) begin
        tail_q      <= tail_q + 1'b1;
        aw_parity_q <= wr_awaddr[AddrWidth+1];
      end
      if (w_take) begin
        w_first_q <= m_axi_wlast;
        if (m_axi_wlast) head_q <= head_q + 1'b1;
      end
      if (!rst_ni) begin
        aw_pend_q <= 1'b0;
        head_q    <= '0;
        tail_q    <= '0;
        w_first_q <= 1'b1;
      end
      // Commands that a halt drops have shown no AW.
      if (!rst_ni || (halt_i && idle_o)) begin
        parity_q    <= 1'b0;
        aw_parity_q <= 1'b1;
      end
    end

    logic unused_words;
    assign unused_words = &{1'b0, rd_eop};
`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (stream_rst_n) begin
        assert (!rd_tvalid || meta_in_q != meta_out_q) else $error("%m: a beat of no command");
        assert (!rd_load || MetaBits'(meta_in_q + 1'b1) != meta_out_q)
        else $error("%m: no place for a command");
        assert (!aw_new || (PtrBits + 1)'(tail_q - head_q) != (PtrBits + 1)'(2 ** PtrBits))
        else $error("%m: no place for a burst's strobes");
      end
    end
`endif
  end else begin : gen_beats
    assign rd_room  = 1'b1;
    assign wr_first = 1'b0;
    assign m_axi_wstrb = wr_wstrb;

    sl_axis_width #(
        .SlvWidth(64),
        .MstWidth(StreamWidth)
    ) u_to_thread (
        .clk_i,
        .rst_ni       (stream_rst_n),
        `SL_AXIS_PINS(s_axis_, rd_),
        `SL_AXIS_PINS(m_axis_, m_axis_)
    );

    sl_axis_width #(
        .SlvWidth(StreamWidth),
        .MstWidth(64)
    ) u_from_thread (
        .clk_i,
        .rst_ni       (stream_rst_n),
        `SL_AXIS_PINS(s_axis_, s_axis_),
        `SL_AXIS_PINS(m_axis_, wr_)
    );

    logic unused_beats;
    assign unused_beats = &{1'b0, rd_eop, wr_awaddr[AddrWidth+1:AddrWidth]};
  end

endmodule
