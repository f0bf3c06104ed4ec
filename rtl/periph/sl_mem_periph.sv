// SPDX-License-Identifier: Apache-2.0
//
// sl_mem_periph: up to 8 regions of block RAM, dual-port, between an AXI4 bus and an accelerator.
//
// Regions     number n at byte address n * RegionBeats * DataWidth / 8. One side of each is the
//             bus, the other a stream: bit n of ToStream set: out of the RAM on m_axis, else into
//             it from s_axis. sl_mem_region's header is the contract of start_i, first_i, beats_i,
//             busy_o, count_o and both streams; vectors carry region 0 lowest, a stream that a
//             region does not have stands still and its outputs are 0.
// Bus         INCR, WRAP and FIXED bursts of any length, beats of any size up to the width. Data
//             lanes beside a narrow beat's are not written, and read anything. Writes are done when
//             B is shown; reads and writes that overlap have no order.
// Handshake   W is taken only after its AW; READY may wait for VALID, no VALID for READY. B and R
//             come from registers; each way keeps the order of its addresses, whatever their IDs.
// Latency     AR taken to RVALID: 3 cycles. Last W taken to BVALID: 1 cycle.
//             Throughput: a beat a cycle each way, bursts back to back, in different regions; a
//             read and a write burst of one region share its beat a cycle, in turn.
// Errors      SLVERR beyond the last region, beat by beat: reads 0, writes nothing; a burst that
//             has such a beat writes the others. Exclusive accesses are answered OKAY: they fail.
// Reset       rst_ni synchronous, active low: forgets bursts and runs. The RAM keeps what it has,
//             and is undefined until written.
// Parameters  refused if outside:
//             NumRegions 1..8, AddrWidth 12..64 and enough for the regions, IdWidth 1..10
//             DataWidth 32..512 and RegionBeats 64..65536, powers of two
// Not here    AxLOCK, AxCACHE, AxPROT, AxQOS are not looked at; bursts with BURST = 3 or across
//             4 KiB (both illegal) go round in their 4 KiB.
// Follows     AMBA AXI (IHI 0022) A3; docs/reference/sl_mem_periph.md.

`include "sl_axi.svh"

module sl_mem_periph #(
    parameter int unsigned           NumRegions  = 2,
    parameter int unsigned           RegionBeats = 512,
    parameter int unsigned           AddrWidth   = 32,
    parameter int unsigned           DataWidth   = 64,
    parameter int unsigned           IdWidth     = 1,
    parameter logic [NumRegions-1:0] ToStream    = '0,
    localparam int unsigned          Keep        = DataWidth / 8,
    localparam int unsigned          Index       = $clog2(RegionBeats)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,

    input  logic [IdWidth-1:0]              s_axi_awid,
    input  logic [AddrWidth-1:0]            s_axi_awaddr,
    input  logic [7:0]                      s_axi_awlen,
    input  logic [2:0]                      s_axi_awsize,
    input  logic [1:0]                      s_axi_awburst,
    input  logic                            s_axi_awlock,
    input  logic [3:0]                      s_axi_awcache,
    input  logic [2:0]                      s_axi_awprot,
    input  logic                            s_axi_awvalid,
    output logic                            s_axi_awready,
    input  logic [DataWidth-1:0]            s_axi_wdata,
    input  logic [Keep-1:0]                 s_axi_wstrb,
    input  logic                            s_axi_wlast,
    input  logic                            s_axi_wvalid,
    output logic                            s_axi_wready,
    output logic [IdWidth-1:0]              s_axi_bid,
    output logic [1:0]                      s_axi_bresp,
    output logic                            s_axi_bvalid,
    input  logic                            s_axi_bready,
    input  logic [IdWidth-1:0]              s_axi_arid,
    input  logic [AddrWidth-1:0]            s_axi_araddr,
    input  logic [7:0]                      s_axi_arlen,
    input  logic [2:0]                      s_axi_arsize,
    input  logic [1:0]                      s_axi_arburst,
    input  logic                            s_axi_arlock,
    input  logic [3:0]                      s_axi_arcache,
    input  logic [2:0]                      s_axi_arprot,
    input  logic                            s_axi_arvalid,
    output logic                            s_axi_arready,
    output logic [IdWidth-1:0]              s_axi_rid,
    output logic [DataWidth-1:0]            s_axi_rdata,
    output logic [1:0]                      s_axi_rresp,
    output logic                            s_axi_rlast,
    output logic                            s_axi_rvalid,
    input  logic                            s_axi_rready,

    input  logic [NumRegions-1:0]           start_i,
    input  logic [NumRegions*Index-1:0]     first_i,
    input  logic [NumRegions*(Index+1)-1:0] beats_i,
    output logic [NumRegions-1:0]           busy_o,
    output logic [NumRegions*(Index+1)-1:0] count_o,

    output logic [NumRegions*DataWidth-1:0] m_axis_tdata,
    output logic [NumRegions*Keep-1:0]      m_axis_tkeep,
    output logic [NumRegions-1:0]           m_axis_tlast,
    output logic [NumRegions-1:0]           m_axis_tvalid,
    input  logic [NumRegions-1:0]           m_axis_tready,
    input  logic [NumRegions*DataWidth-1:0] s_axis_tdata,
    input  logic [NumRegions*Keep-1:0]      s_axis_tkeep,
    input  logic [NumRegions-1:0]           s_axis_tlast,
    input  logic [NumRegions-1:0]           s_axis_tvalid,
    output logic [NumRegions-1:0]           s_axis_tready
);

  localparam int unsigned Offset = $clog2(Keep);    // address bits within a beat
  localparam int unsigned Within = Offset + Index;  // and within a region
  localparam logic [1:0] Okay   = 2'b00;
  localparam logic [1:0] Slverr = 2'b10;

  if (NumRegions < 1 || NumRegions > 8) begin : gen_bad_num_regions
    $fatal(1, "%m: NumRegions must be 1..8, is %0d", NumRegions);
  end
  if (DataWidth < 32 || DataWidth > 512 || 2 ** $clog2(DataWidth) != DataWidth)
  begin : gen_bad_data_width
    $fatal(1, "%m: DataWidth must be a power of two in 32..512, is %0d", DataWidth);
  end
  if (RegionBeats < 64 || RegionBeats > 65536 || 2 ** Index != RegionBeats)
  begin : gen_bad_region_beats
    $fatal(1, "%m: RegionBeats must be a power of two in 64..65536, is %0d", RegionBeats);
  end
  if (IdWidth < 1 || IdWidth > 10) begin : gen_bad_id_width
    $fatal(1, "%m: IdWidth must be 1..10, is %0d", IdWidth);
  end
  if (AddrWidth < 12 || AddrWidth > 64 || AddrWidth < Within + $clog2(NumRegions))
  begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 12..64 and hold %0d regions of %0d bytes, is %0d", NumRegions,
           RegionBeats * Keep, AddrWidth);
  end

  typedef struct packed {
    logic [IdWidth-1:0]   id;
    logic [AddrWidth-1:0] addr;   // of the beat that comes next
    logic [7:0]           left;   // beats after it
    logic [3:0]           len;    // WRAP: at most 16 beats
    logic [2:0]           size;
    logic [1:0]           burst;
  } burst_t;

  // The burst after its next beat. Only the address within 4 KiB changes.
  function automatic burst_t after(burst_t b);
    after            = b;
    after.addr[11:0] = sl_axi_pkg::next_beat(b.addr[11:0], b.size, b.burst, b.len);
    after.left       = b.left - 8'd1;
  endfunction

  burst_t                write_q, read_q;
  logic                  writing_q, reading_q;
  logic [NumRegions-1:0] write_in, read_in;  // the region of the next beat, none beyond the last
  logic                  write, read, write_end, read_end;

  for (genvar n = 0; n < NumRegions; n++) begin : gen_decode
    assign write_in[n] = (write_q.addr >> Within) == AddrWidth'(n);
    assign read_in[n]  = (read_q.addr >> Within) == AddrWidth'(n);
  end

  // ------------------------------------------------------------------------------ who has the RAM
  // Of a read and a write beat for one region, the side that did not have the last such turn goes
  // first; the read steps back only for a beat that is there.
  logic b_room, r_room, clash, write_turn_q, fetched_q;

  assign clash        = writing_q && reading_q && |(write_in & read_in);
  assign s_axi_wready = writing_q && (b_room || write_q.left != '0) && (!clash || write_turn_q);
  assign write        = s_axi_wvalid && s_axi_wready;
  assign read         = reading_q && (!fetched_q || r_room) && !(clash && write);

  always_ff @(posedge clk_i) begin
    if (clash && (write || read)) write_turn_q <= read;
    else if (clash && !write_turn_q) write_turn_q <= 1'b1;  // the read cannot use its turn
    if (!rst_ni) write_turn_q <= 1'b0;
  end

  // --------------------------------------------------------------------------------------- writes
  // A burst that has beats beyond the regions ends there: WRAP stays on one side.
  assign write_end     = write && write_q.left == '0;
  assign s_axi_awready = !writing_q || write_end;

  always_ff @(posedge clk_i) begin
    if (s_axi_awready) begin
      writing_q <= s_axi_awvalid;
      write_q   <= '{
          id: s_axi_awid,
          addr: s_axi_awaddr,
          left: s_axi_awlen,
          len: s_axi_awlen[3:0],
          size: s_axi_awsize,
          burst: s_axi_awburst
      };
    end else if (write) begin
      write_q <= after(write_q);
    end
    if (!rst_ni) writing_q <= 1'b0;
  end

  sl_skid #(
      .Width(IdWidth + 2)
  ) u_b (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (write_end),
      .in_ready_o (b_room),
      .in_data_i  ({write_q.id, write_in == '0 ? Slverr : Okay}),
      .out_valid_o(s_axi_bvalid),
      .out_ready_i(s_axi_bready),
      .out_data_o ({s_axi_bid, s_axi_bresp})
  );

  // ---------------------------------------------------------------------------------------- reads
  logic [NumRegions-1:0]           fetched_in_q;
  logic [NumRegions*DataWidth-1:0] fetched;
  logic [IdWidth-1:0]              fetched_id_q;
  logic                            fetched_last_q;
  logic [DataWidth-1:0]            found;

  assign read_end      = read && read_q.left == '0;
  assign s_axi_arready = !reading_q || read_end;

  always_ff @(posedge clk_i) begin
    if (s_axi_arready) begin
      reading_q <= s_axi_arvalid;
      read_q    <= '{
          id: s_axi_arid,
          addr: s_axi_araddr,
          left: s_axi_arlen,
          len: s_axi_arlen[3:0],
          size: s_axi_arsize,
          burst: s_axi_arburst
      };
    end else if (read) begin
      read_q <= after(read_q);
    end
    if (!fetched_q || r_room) fetched_q <= read;
    if (read) begin
      fetched_in_q   <= read_in;
      fetched_id_q   <= read_q.id;
      fetched_last_q <= read_end;
    end
    if (!rst_ni) begin
      reading_q <= 1'b0;
      fetched_q <= 1'b0;
    end
  end

  always_comb begin
    found = '0;
    for (int unsigned n = 0; n < NumRegions; n++) begin
      if (fetched_in_q[n]) found |= fetched[n*DataWidth+:DataWidth];
    end
  end

  sl_skid #(
      .Width(IdWidth + DataWidth + 3)
  ) u_r (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (fetched_q),
      .in_ready_o (r_room),
      .in_data_i  ({fetched_id_q, found, fetched_in_q == '0 ? Slverr : Okay, fetched_last_q}),
      .out_valid_o(s_axi_rvalid),
      .out_ready_i(s_axi_rready),
      .out_data_o ({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast})
  );

  // -------------------------------------------------------------------------------------- regions
  for (genvar n = 0; n < NumRegions; n++) begin : gen_region
    logic mine;

    assign mine = write && write_in[n];

    sl_mem_region #(
        .DataWidth(DataWidth),
        .Beats    (RegionBeats),
        .ToStream (ToStream[n])
    ) u_region (
        .clk_i,
        .rst_ni,
        .a_read_i     (read && read_in[n]),
        .a_strb_i     (mine ? s_axi_wstrb : '0),
        .a_index_i    (mine ? write_q.addr[Offset+:Index] : read_q.addr[Offset+:Index]),
        .a_wdata_i    (s_axi_wdata),
        .a_rdata_o    (fetched[n*DataWidth+:DataWidth]),
        .start_i      (start_i[n]),
        .first_i      (first_i[n*Index+:Index]),
        .beats_i      (beats_i[n*(Index+1)+:Index+1]),
        .busy_o       (busy_o[n]),
        .count_o      (count_o[n*(Index+1)+:Index+1]),
        .m_axis_tdata (m_axis_tdata[n*DataWidth+:DataWidth]),
        .m_axis_tkeep (m_axis_tkeep[n*Keep+:Keep]),
        .m_axis_tlast (m_axis_tlast[n]),
        .m_axis_tvalid(m_axis_tvalid[n]),
        .m_axis_tready(m_axis_tready[n]),
        .s_axis_tdata (s_axis_tdata[n*DataWidth+:DataWidth]),
        .s_axis_tkeep (s_axis_tkeep[n*Keep+:Keep]),
        .s_axis_tlast (s_axis_tlast[n]),
        .s_axis_tvalid(s_axis_tvalid[n]),
        .s_axis_tready(s_axis_tready[n])
    );

`ifndef SYNTHESIS
    if (ToStream[n]) begin : gen_check
      // verilator lint_off PINCONNECTEMPTY
      sl_axis_check #(
          .DataWidth(DataWidth)
      ) u_check (
          .clk_i,
          .rst_ni,
          .axis_tdata (m_axis_tdata[n*DataWidth+:DataWidth]),
          .axis_tkeep (m_axis_tkeep[n*Keep+:Keep]),
          .axis_tlast (m_axis_tlast[n]),
          .axis_tuser ('0),
          .axis_tvalid(m_axis_tvalid[n]),
          .axis_tready(m_axis_tready[n]),
          .violation_o()
      );
      // verilator lint_on PINCONNECTEMPTY
    end
`endif
  end

  logic unused;
  assign unused = ^{s_axi_awlock, s_axi_awcache, s_axi_awprot, s_axi_arlock, s_axi_arcache,
                    s_axi_arprot, s_axi_wlast};

`ifndef SYNTHESIS
  // verilator lint_off PINCONNECTEMPTY
  sl_axi_check #(
      .AddrWidth     (AddrWidth),
      .DataWidth     (DataWidth),
      .IdWidth       (IdWidth),
      .MaxOutstanding(8),
      .AllowEarlyW   (1'b1)
  ) u_check (
      .clk_i,
      .rst_ni,
      `SL_AXI_PINS(axi_, s_axi_),
      .axi_wid         ('0),
      .wr_outstanding_o(),
      .rd_outstanding_o(),
      .violation_o     ()
  );
  // verilator lint_on PINCONNECTEMPTY
`endif

endmodule
