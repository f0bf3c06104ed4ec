// SPDX-License-Identifier: Apache-2.0
//
// sl_streamif: the memory interface of up to 16 hardware threads: a pair of streams for each, on up
// to four memory ports, with commands, windows and routes under control of one register block.
//
// Parts       sl_s2mem for each thread, sl_port_share for each port, sl_stream_xbar, and
//             sl_streamif_control, which checks every command against its thread's windows before
//             a port sees it.
// Streams     from_axis_*: what a thread sends, to memory or to the thread its route names.
//             to_axis_*: what it gets. Thread t at index t. thread_rst_no[t] low: the thread is
//             halted; its logic is to be reset with it.
// Ports       AXI4, 64 bits, bursts of at most MaxBurst beats; the ID is the thread's place among
//             those of its port. PortMap, 2 bits a thread: its port. As it is by default two
//             threads that follow each other share a port, and with four ports the pairs go to 0,
//             2, 1, 3: on a Zynq-7000 HP0, HP1 and HP2, HP3 each share a port of the memory
//             controller.
// Turns       reads and writes take turns of TURNS.CYCLES, on all ports at once, while addresses of
//             both wait: memory turns its bus round less often. 0 or 1: no turns. The buffers
//             bridge a turn of the other direction.
// Wait        of a burst at its port: at most as many bursts of others as there are other threads
//             on it (sl_port_share), whatever these do; and a turn of the other direction before
//             each of its own in which memory takes these, at most one for each thread of the port.
// Isolation   a thread that sends or takes nothing, or is halted, holds up no other; a write burst
//             is asked for when its data is there, a read burst when its room is. Memory that fails
//             a beat ends with that command's status alone.
// Throughput  32-bit streams: a word a cycle each way and thread, as far as the ports go.
// Handshake, latency, registers, errors: headers of the parts. irq_o[2t], [2t+1]: thread t's read
//             and write channel; fault_irq_o: a command was refused.
// Reset       rst_ni synchronous, active low; at once, regardless of the bus.
// Parameters  NumThreads 1..16, NumPorts 1..4, PortMap's entries below NumPorts, refused otherwise;
//             Statistics as sl_streamif_control; the others are checked in the parts.
// Follows     docs/reference/sl_streamif.md

`include "sl_axi.svh"

module sl_streamif #(
    parameter int unsigned NumThreads  = 8,
    parameter int unsigned NumPorts    = 4,
    parameter int unsigned StreamWidth = 32,
    parameter int unsigned LenWidth    = 26,
    parameter int unsigned Windows     = 4,
    parameter int unsigned MaxBurst    = 16,
    parameter int unsigned BufferBeats = 512,
    parameter bit          Statistics  = 1'b1,
    parameter logic [31:0] PortMap     = NumPorts == 4 ? 32'hf5a0_f5a0 :
                                         NumPorts == 3 ? 32'ha05a_05a0 :
                                         NumPorts == 2 ? 32'h5050_5050 : '0,
    localparam int unsigned KeepWidth  = StreamWidth / 8,
    localparam int unsigned IdWidth    = 4
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,

    input  logic [12:0]                            s_axil_awaddr,
    input  logic [ 2:0]                            s_axil_awprot,
    input  logic                                   s_axil_awvalid,
    output logic                                   s_axil_awready,
    input  logic [31:0]                            s_axil_wdata,
    input  logic [ 3:0]                            s_axil_wstrb,
    input  logic                                   s_axil_wvalid,
    output logic                                   s_axil_wready,
    output logic [ 1:0]                            s_axil_bresp,
    output logic                                   s_axil_bvalid,
    input  logic                                   s_axil_bready,
    input  logic [12:0]                            s_axil_araddr,
    input  logic [ 2:0]                            s_axil_arprot,
    input  logic                                   s_axil_arvalid,
    output logic                                   s_axil_arready,
    output logic [31:0]                            s_axil_rdata,
    output logic [ 1:0]                            s_axil_rresp,
    output logic                                   s_axil_rvalid,
    input  logic                                   s_axil_rready,

    output logic [2*NumThreads-1:0]                irq_o,
    output logic                                   fault_irq_o,

    // Threads
    output logic [NumThreads-1:0]                  thread_rst_no,
    output logic [NumThreads-1:0][StreamWidth-1:0] to_axis_tdata,
    output logic [NumThreads-1:0][KeepWidth-1:0]   to_axis_tkeep,
    output logic [NumThreads-1:0]                  to_axis_tlast,
    output logic [NumThreads-1:0]                  to_axis_tvalid,
    input  logic [NumThreads-1:0]                  to_axis_tready,
    input  logic [NumThreads-1:0][StreamWidth-1:0] from_axis_tdata,
    input  logic [NumThreads-1:0][KeepWidth-1:0]   from_axis_tkeep,
    input  logic [NumThreads-1:0]                  from_axis_tlast,
    input  logic [NumThreads-1:0]                  from_axis_tvalid,
    output logic [NumThreads-1:0]                  from_axis_tready,

    // Memory
    output logic [NumPorts-1:0][IdWidth-1:0]       m_axi_arid,
    output logic [NumPorts-1:0][31:0]              m_axi_araddr,
    output logic [NumPorts-1:0][7:0]               m_axi_arlen,
    output logic [NumPorts-1:0][2:0]               m_axi_arsize,
    output logic [NumPorts-1:0][1:0]               m_axi_arburst,
    output logic [NumPorts-1:0]                    m_axi_arlock,
    output logic [NumPorts-1:0][3:0]               m_axi_arcache,
    output logic [NumPorts-1:0][2:0]               m_axi_arprot,
    output logic [NumPorts-1:0]                    m_axi_arvalid,
    input  logic [NumPorts-1:0]                    m_axi_arready,
    input  logic [NumPorts-1:0][IdWidth-1:0]       m_axi_rid,
    input  logic [NumPorts-1:0][63:0]              m_axi_rdata,
    input  logic [NumPorts-1:0][1:0]               m_axi_rresp,
    input  logic [NumPorts-1:0]                    m_axi_rlast,
    input  logic [NumPorts-1:0]                    m_axi_rvalid,
    output logic [NumPorts-1:0]                    m_axi_rready,
    output logic [NumPorts-1:0][IdWidth-1:0]       m_axi_awid,
    output logic [NumPorts-1:0][31:0]              m_axi_awaddr,
    output logic [NumPorts-1:0][7:0]               m_axi_awlen,
    output logic [NumPorts-1:0][2:0]               m_axi_awsize,
    output logic [NumPorts-1:0][1:0]               m_axi_awburst,
    output logic [NumPorts-1:0]                    m_axi_awlock,
    output logic [NumPorts-1:0][3:0]               m_axi_awcache,
    output logic [NumPorts-1:0][2:0]               m_axi_awprot,
    output logic [NumPorts-1:0]                    m_axi_awvalid,
    input  logic [NumPorts-1:0]                    m_axi_awready,
    output logic [NumPorts-1:0][63:0]              m_axi_wdata,
    output logic [NumPorts-1:0][7:0]               m_axi_wstrb,
    output logic [NumPorts-1:0]                    m_axi_wlast,
    output logic [NumPorts-1:0]                    m_axi_wvalid,
    input  logic [NumPorts-1:0]                    m_axi_wready,
    input  logic [NumPorts-1:0][IdWidth-1:0]       m_axi_bid,
    input  logic [NumPorts-1:0][1:0]               m_axi_bresp,
    input  logic [NumPorts-1:0]                    m_axi_bvalid,
    output logic [NumPorts-1:0]                    m_axi_bready
);

  if (NumThreads < 1 || NumThreads > 16) begin : gen_bad_threads
    $fatal(1, "%m: NumThreads must be 1..16, is %0d", NumThreads);
  end
  if (NumPorts < 1 || NumPorts > 4) begin : gen_bad_ports
    $fatal(1, "%m: NumPorts must be 1..4, is %0d", NumPorts);
  end
  for (genvar t = 0; t < NumThreads; t++) begin : gen_map
    if (32'(PortMap[2*t+:2]) >= NumPorts) begin : gen_bad_map
      $fatal(1, "%m: PortMap sends thread %0d to port %0d of %0d", t, PortMap[2*t+:2], NumPorts);
    end
  end

  localparam int unsigned Channels = 2 * NumThreads;
  localparam int unsigned Payload  = StreamWidth + KeepWidth + 1;

  // Threads of a port, and those of them that are below thread t.
  function automatic int unsigned sharers(input int unsigned port, input int unsigned below);
    sharers = 0;
    for (int unsigned n = 0; n < below; n++) if (32'(PortMap[2*n+:2]) == port) sharers++;
  endfunction

  // --------------------------------------------------------------------------------------- control
  logic [NumThreads-1:0]             halt, idle, direct;
  logic [NumThreads-1:0][3:0]        source;
  logic [Channels-1:0]               cmd_valid, cmd_ready, cmd_eop, sts_valid, sts_ready, sts_eop;
  logic [Channels-1:0][31:0]         cmd_addr;
  logic [Channels-1:0][LenWidth:0]   cmd_span, sts_span;
  logic [Channels-1:0][2:0]          cmd_tag, sts_tag;
  logic [Channels-1:0][1:0]          sts_error;
  logic [Channels-1:0][3:0]          stall;
  logic [Channels-1:0]               waits;
  logic [15:0]                       turn_cycles;

  sl_streamif_control #(
      .NumThreads (NumThreads),
      .NumPorts   (NumPorts),
      .StreamWidth(StreamWidth),
      .LenWidth   (LenWidth),
      .Windows    (Windows),
      .Statistics (Statistics)
  ) u_control (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, s_axil_, 13),
      .irq_o,
      .fault_irq_o,
      .halt_o     (halt),
      .idle_i     (idle),
      .direct_o   (direct),
      .source_o   (source),
      .turn_cycles_o(turn_cycles),
      .cmd_valid_o(cmd_valid),
      .cmd_ready_i(cmd_ready),
      .cmd_addr_o (cmd_addr),
      .cmd_span_o (cmd_span),
      .cmd_eop_o  (cmd_eop),
      .cmd_tag_o  (cmd_tag),
      .sts_valid_i(sts_valid),
      .sts_ready_o(sts_ready),
      .sts_span_i (sts_span),
      .sts_eop_i  (sts_eop),
      .sts_error_i(sts_error),
      .sts_tag_i  (sts_tag),
      .stall_i    (stall),
      .wait_i     (waits)
  );

  assign thread_rst_no = ~halt & {NumThreads{rst_ni}};

  // --------------------------------------------------------------------------------------- streams
  logic [NumThreads-1:0][Payload-1:0] in_data, out_data, to_data, from_data;
  logic [NumThreads-1:0]              in_valid, in_ready, out_valid, out_ready;

  sl_stream_xbar #(
      .NumThreads(NumThreads),
      .Width     (Payload)
  ) u_xbar (
      .direct_i       (direct),
      .source_i       (source),
      .mem_in_data_i  (in_data),
      .mem_in_valid_i (in_valid),
      .mem_in_ready_o (in_ready),
      .to_data_o      (to_data),
      .to_valid_o     (to_axis_tvalid),
      .to_ready_i     (to_axis_tready),
      .from_data_i    (from_data),
      .from_valid_i   (from_axis_tvalid),
      .from_ready_o   (from_axis_tready),
      .mem_out_data_o (out_data),
      .mem_out_valid_o(out_valid),
      .mem_out_ready_i(out_ready)
  );

  // ------------------------------------------------------------------------------- threads' ports
  sl_axi_if #(.DataWidth(64)) thread_bus [NumThreads] ();
  logic [NumThreads-1:0] ar_waits, aw_waits;  // VALID

  for (genvar t = 0; t < NumThreads; t++) begin : gen_thread
    assign {to_axis_tlast[t], to_axis_tkeep[t], to_axis_tdata[t]} = to_data[t];
    assign from_data[t] = {from_axis_tlast[t], from_axis_tkeep[t], from_axis_tdata[t]};

    sl_s2mem #(
        .AddrWidth  (32),
        .StreamWidth(StreamWidth),
        .LenWidth   (LenWidth),
        .TagWidth   (3),
        .MaxBurst   (MaxBurst),
        .BufferBeats(BufferBeats)
    ) u_s2mem (
        .clk_i,
        .rst_ni,
        .halt_i        (halt[t]),
        .idle_o        (idle[t]),
        .rd_cmd_valid_i(cmd_valid[2*t]),
        .rd_cmd_ready_o(cmd_ready[2*t]),
        .rd_cmd_addr_i (cmd_addr[2*t]),
        .rd_cmd_span_i (cmd_span[2*t]),
        .rd_cmd_eop_i  (cmd_eop[2*t]),
        .rd_cmd_tag_i  (cmd_tag[2*t]),
        .rd_sts_valid_o(sts_valid[2*t]),
        .rd_sts_ready_i(sts_ready[2*t]),
        .rd_sts_span_o (sts_span[2*t]),
        .rd_sts_eop_o  (sts_eop[2*t]),
        .rd_sts_error_o(sts_error[2*t]),
        .rd_sts_tag_o  (sts_tag[2*t]),
        .wr_cmd_valid_i(cmd_valid[2*t+1]),
        .wr_cmd_ready_o(cmd_ready[2*t+1]),
        .wr_cmd_addr_i (cmd_addr[2*t+1]),
        .wr_cmd_span_i (cmd_span[2*t+1]),
        .wr_cmd_tag_i  (cmd_tag[2*t+1]),
        .wr_sts_valid_o(sts_valid[2*t+1]),
        .wr_sts_ready_i(sts_ready[2*t+1]),
        .wr_sts_span_o (sts_span[2*t+1]),
        .wr_sts_eop_o  (sts_eop[2*t+1]),
        .wr_sts_error_o(sts_error[2*t+1]),
        .wr_sts_tag_o  (sts_tag[2*t+1]),
        .rd_stall_o    (stall[2*t]),
        .wr_stall_o    (stall[2*t+1]),
        .m_axis_tdata  (in_data[t][0+:StreamWidth]),
        .m_axis_tkeep  (in_data[t][StreamWidth+:KeepWidth]),
        .m_axis_tlast  (in_data[t][Payload-1]),
        .m_axis_tvalid (in_valid[t]),
        .m_axis_tready (in_ready[t]),
        .s_axis_tdata  (out_data[t][0+:StreamWidth]),
        .s_axis_tkeep  (out_data[t][StreamWidth+:KeepWidth]),
        .s_axis_tlast  (out_data[t][Payload-1]),
        .s_axis_tvalid (out_valid[t]),
        .s_axis_tready (out_ready[t]),
        `SL_AXI_PINS(m_axi_, thread_bus[t].)
    );

    assign ar_waits[t]  = thread_bus[t].arvalid;
    assign aw_waits[t]  = thread_bus[t].awvalid;
    assign waits[2*t]   = ar_waits[t] && !thread_bus[t].arready;
    assign waits[2*t+1] = aw_waits[t] && !thread_bus[t].awready;

    logic unused;
    assign unused = cmd_eop[2*t+1];
  end

  // ----------------------------------------------------------------------------------------- ports
  logic [15:0] turn_q, last_q;  // cycle of the turn under way, its last one
  logic        writes_q;        // it is the writes'
  logic        turn_ends, writes_next, turns;
  logic        hold_reads_q, hold_writes_q;  // while addresses of the others wait
  logic        read_en, write_en;

  assign turns       = turn_cycles > 16'd1;
  assign turn_ends   = turn_q >= last_q;
  assign writes_next = writes_q ^ turn_ends;
  assign read_en     = !hold_reads_q || aw_waits == '0;
  assign write_en    = !hold_writes_q || ar_waits == '0;

  always_ff @(posedge clk_i) begin
    last_q        <= turn_cycles - 1'b1;
    turn_q        <= turn_ends ? '0 : turn_q + 1'b1;
    writes_q      <= writes_next;
    hold_reads_q  <= turns && writes_next;
    hold_writes_q <= turns && !writes_next;
    if (!rst_ni) begin
      turn_q        <= '0;
      writes_q      <= 1'b0;
      hold_reads_q  <= 1'b0;
      hold_writes_q <= 1'b0;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    localparam int unsigned Sharers = sharers(p, NumThreads);

    sl_axi_if #(.DataWidth(64), .IdWidth(IdWidth)) port ();
    `SL_AXI_LINK_I(m_axi_, [p], port., )

    if (Sharers == 0) begin : gen_none
      `SL_AXI_IDLE_MST(port.)
    end else begin : gen_share
      localparam int unsigned PortId = Sharers > 1 ? $clog2(Sharers) : 1;
      logic [Sharers-1:0][31:0] s_araddr, s_awaddr;
      logic [Sharers-1:0][7:0]  s_arlen, s_awlen, s_wstrb;
      logic [Sharers-1:0][63:0] s_wdata;
      logic [Sharers-1:0]       s_arvalid, s_arready, s_rvalid, s_rready, s_awvalid, s_awready;
      logic [Sharers-1:0]       s_wlast, s_wvalid, s_wready, s_bvalid, s_bready;
      logic [63:0]              s_rdata;
      logic [1:0]               s_rresp, s_bresp;
      logic                     s_rlast;
      logic [PortId-1:0]        arid, awid;

      for (genvar t = 0; t < NumThreads; t++) begin : gen_sharer
        if (32'(PortMap[2*t+:2]) == p) begin : gen_here
          localparam int unsigned N = sharers(p, t);
          assign s_araddr[N]  = thread_bus[t].araddr;
          assign s_arlen[N]   = thread_bus[t].arlen;
          assign s_arvalid[N] = thread_bus[t].arvalid;
          assign thread_bus[t].arready   = s_arready[N];
          assign thread_bus[t].rid   = 1'b0;
          assign thread_bus[t].rdata     = s_rdata;
          assign thread_bus[t].rresp     = s_rresp;
          assign thread_bus[t].rlast     = s_rlast;
          assign thread_bus[t].rvalid    = s_rvalid[N];
          assign s_rready[N]  = thread_bus[t].rready;
          assign s_awaddr[N]  = thread_bus[t].awaddr;
          assign s_awlen[N]   = thread_bus[t].awlen;
          assign s_awvalid[N] = thread_bus[t].awvalid;
          assign thread_bus[t].awready   = s_awready[N];
          assign s_wdata[N]   = thread_bus[t].wdata;
          assign s_wstrb[N]   = thread_bus[t].wstrb;
          assign s_wlast[N]   = thread_bus[t].wlast;
          assign s_wvalid[N]  = thread_bus[t].wvalid;
          assign thread_bus[t].wready    = s_wready[N];
          assign thread_bus[t].bid   = 1'b0;
          assign thread_bus[t].bresp     = s_bresp;
          assign thread_bus[t].bvalid    = s_bvalid[N];
          assign s_bready[N]  = thread_bus[t].bready;
        end
      end

      assign port.arid    = IdWidth'(arid);
      assign port.awid    = IdWidth'(awid);
      // As the movers have them (sl_mm2s, sl_s2mm).
      assign port.arsize  = 3'd3;
      assign port.arburst = 2'b01;
      assign port.arlock  = 1'b0;
      assign port.arcache = 4'b0011;
      assign port.arprot  = 3'b000;
      assign port.awsize  = 3'd3;
      assign port.awburst = 2'b01;
      assign port.awlock  = 1'b0;
      assign port.awcache = 4'b0011;
      assign port.awprot  = 3'b000;

      sl_port_share #(
          .NumMasters(Sharers),
          .AddrWidth (32),
          .DataWidth (64)
      ) u_share (
          .clk_i,
          .rst_ni,
          .read_en_i    (read_en),
          .write_en_i   (write_en),
          .s_axi_araddr (s_araddr),
          .s_axi_arlen  (s_arlen),
          .s_axi_arvalid(s_arvalid),
          .s_axi_arready(s_arready),
          .s_axi_rdata  (s_rdata),
          .s_axi_rresp  (s_rresp),
          .s_axi_rlast  (s_rlast),
          .s_axi_rvalid (s_rvalid),
          .s_axi_rready (s_rready),
          .s_axi_awaddr (s_awaddr),
          .s_axi_awlen  (s_awlen),
          .s_axi_awvalid(s_awvalid),
          .s_axi_awready(s_awready),
          .s_axi_wdata  (s_wdata),
          .s_axi_wstrb  (s_wstrb),
          .s_axi_wlast  (s_wlast),
          .s_axi_wvalid (s_wvalid),
          .s_axi_wready (s_wready),
          .s_axi_bresp  (s_bresp),
          .s_axi_bvalid (s_bvalid),
          .s_axi_bready (s_bready),
          .m_axi_arid   (arid),
          .m_axi_araddr (port.araddr),
          .m_axi_arlen  (port.arlen),
          .m_axi_arvalid(port.arvalid),
          .m_axi_arready(port.arready),
          .m_axi_rid    (port.rid[PortId-1:0]),
          .m_axi_rdata  (port.rdata),
          .m_axi_rresp  (port.rresp),
          .m_axi_rlast  (port.rlast),
          .m_axi_rvalid (port.rvalid),
          .m_axi_rready (port.rready),
          .m_axi_awid   (awid),
          .m_axi_awaddr (port.awaddr),
          .m_axi_awlen  (port.awlen),
          .m_axi_awvalid(port.awvalid),
          .m_axi_awready(port.awready),
          .m_axi_wdata  (port.wdata),
          .m_axi_wstrb  (port.wstrb),
          .m_axi_wlast  (port.wlast),
          .m_axi_wvalid (port.wvalid),
          .m_axi_wready (port.wready),
          .m_axi_bid    (port.bid[PortId-1:0]),
          .m_axi_bresp  (port.bresp),
          .m_axi_bvalid (port.bvalid),
          .m_axi_bready (port.bready)
      );
    end

    `SL_AXI_CHECK(u_check, port., 32, 64, IdWidth, 1'b0)
  end

endmodule
