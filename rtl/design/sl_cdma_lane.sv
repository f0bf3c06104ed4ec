// SPDX-License-Identifier: Apache-2.0
// One lane of cdma: an AXI CDMA, the way to its HP port (sl_hp_port), and where it is wanted a
// block RAM of its own beside the port (sl_mem_periph).
//
// Memory: at RamBase as many bytes as RamBeats has; all else, and all descriptors, is at the port.
//   The processor reads and writes the RAM word by word on s_axil_ram (sl_axil_to_axi), and with
//   bursts on s_axi_ram (sl_axi_gather), in turns with the engine; an engine's copy is in the RAM
//   when its interrupt is there.
// Throughput: a beat a cycle, read and written. Reset: `rst_ni`. Errors of the port: the CDMA's.
// Control: s_axil the CDMA's registers, the lower 10 address bits; s_axil_ram as many as the RAM
//   has; s_axi_ram has the RAM at RamFirst, and SLVERR beyond it. Without RAM neither of these two
//   answers.
// Parameters: those of sl_axi_cdma, checked there.
// Specification: regs/cdma.rdl (map).

`include "sl_axi.svh"

module sl_cdma_lane #(
    parameter int unsigned LenWidth     = 26,    // 8..26
    parameter int unsigned BufferBeats  = 512,   // per direction, power of two
    parameter bit          Unaligned    = 1'b1,  // 1: any byte alignment
    parameter bit          IncludeSg    = 1'b1,  // 1: scatter-gather, descriptors through the port
    parameter bit          Coherent     = 1'b0,  // 1: AxCACHE of the ACP's coherent accesses
    parameter int unsigned RamBeats     = 0,     // 0: no RAM; else a power of two, 4 KiB or more
    parameter logic [31:0] RamBase      = 32'h4008_0000,
    parameter logic [31:0] RamFirst     = '0,    // on s_axi_ram, which has nothing below it
    parameter int unsigned ResetTimeout = 1 << 20  // header of sl_axi_cdma
) (
    input  logic   clk_i,
    input  logic   rst_ni,
    sl_axil_if.slv s_axil,
    sl_axil_if.slv s_axil_ram,
    sl_axi_if.slv  s_axi_ram,  // 32 bits
    output logic   irq_o,    // level
    output logic   fault_o,  // as of sl_axi_cdma
    sl_axi_if.mst  m_axi     // the HP port, 32 or 64 bits
);

  localparam int unsigned MaxBurst  = 16;  // AXI3
  localparam int unsigned DataWidth = m_axi.DataWidth;

  sl_axi_if #(.DataWidth(DataWidth)) axi (), port ();  // port: what is not the RAM's
  sl_axi_if #(.DataWidth(32)) sg ();                   // descriptors

  logic [3:0]          unused_rd_stall, unused_wr_stall;
  logic                unused_done;
  logic [LenWidth-1:0] unused_done_bytes;

  sl_axi_cdma #(
      .AddrWidth   (32),
      .DataWidth   (DataWidth),
      .LenWidth    (LenWidth),
      .IdWidth     (1),
      .MaxBurst    (MaxBurst),
      .BufferBeats (BufferBeats),
      .Unaligned   (Unaligned),
      .IncludeSg   (IncludeSg),
      .ResetTimeout(ResetTimeout)
  ) u_cdma (
      .clk_i,
      .rst_ni,
      `SL_AXIL_PINS(s_axil_, s_axil., 10),
      .irq_o,
      .fault_o,
      .rd_stall_o  (unused_rd_stall),
      .wr_stall_o  (unused_wr_stall),
      .done_o      (unused_done),
      .done_bytes_o(unused_done_bytes),
      `SL_AXI_PINS(m_axi_sg_, sg.),
      `SL_AXI_PINS(m_axi_, axi.)
  );

  if (RamBeats != 0) begin : gen_ram
    localparam int unsigned WindowBits = $clog2(RamBeats * DataWidth / 8);

    sl_axi_if #(.DataWidth(DataWidth)) window (), users [3] ();  // engine, words, bursts
    sl_axi_if #(.DataWidth(DataWidth), .IdWidth(3)) ram ();
    sl_axis_if #(.DataWidth(DataWidth)) in (), out ();  // no accelerator
    logic                      unused_busy;
    logic [$clog2(RamBeats):0] unused_count;

    sl_axi_split #(
        .AddrWidth (32),
        .WindowBits(WindowBits),
        .Base      (RamBase)
    ) u_split (
        .clk_i,
        .rst_ni,
        .s_axi (axi),
        .m0_axi(port),
        .m1_axi(window)
    );

    // The RAM's addresses count from 0.
    assign users[0].araddr = 32'(window.araddr[WindowBits-1:0]);
    assign users[0].awaddr = 32'(window.awaddr[WindowBits-1:0]);
    `SL_AXI_LINK_BUT_ADDR(users[0]., window.)

    sl_axil_if #(.AddrWidth(WindowBits)) word ();
    assign word.araddr = s_axil_ram.araddr[WindowBits-1:0];
    assign word.awaddr = s_axil_ram.awaddr[WindowBits-1:0];
    `SL_AXIL_LINK_BUT_ADDR(word., s_axil_ram.)

    sl_axil_to_axi u_word (
        .clk_i,
        .rst_ni,
        .s_axil(word),
        .m_axi (users[1])
    );

    sl_axi_if #(.DataWidth(32), .IdWidth(s_axi_ram.IdWidth)) bursts ();
    assign bursts.araddr = s_axi_ram.araddr - RamFirst;
    assign bursts.awaddr = s_axi_ram.awaddr - RamFirst;
    `SL_AXI_LINK_BUT_ADDR(bursts., s_axi_ram.)

    sl_axi_gather u_bursts (
        .clk_i,
        .rst_ni,
        .s_axi(bursts),
        .m_axi(users[2])
    );

    // The engine's movers have CutThrough = 0, as sl_axi_join wants it.
    sl_axi_join #(
        .NumMasters(3)
    ) u_join (
        .clk_i,
        .rst_ni,
        .s_axi(users),
        .m_axi(ram)
    );

    `SL_AXIS_IDLE_MST(in.)
    assign out.tready = 1'b0;

    sl_mem_periph #(
        .NumRegions (1),
        .RegionBeats(RamBeats),
        .AddrWidth  (32),
        .DataWidth  (DataWidth),
        .IdWidth    (3)
    ) u_ram (
        .clk_i,
        .rst_ni,
        `SL_AXI_PINS(s_axi_, ram.),
        .start_i(1'b0),
        .first_i('0),
        .beats_i('0),
        .busy_o (unused_busy),
        .count_o(unused_count),
        `SL_AXIS_PINS(m_axis_, out.),
        `SL_AXIS_PINS(s_axis_, in.)
    );
  end else begin : gen_no_ram
    `SL_AXI_LINK(port., axi.)
    `SL_AXIL_IDLE_SLV(s_axil_ram.)
    `SL_AXI_IDLE_SLV(s_axi_ram.)
  end

  sl_hp_port #(
      .MaxBurst (MaxBurst),
      .IncludeSg(IncludeSg),
      .Coherent (Coherent)
  ) u_port (
      .clk_i,
      .rst_ni,
      .s_axi   (port),
      .s_axi_sg(sg),
      .m_axi
  );
endmodule
