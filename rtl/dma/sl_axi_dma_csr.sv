// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_csr: the registers of sl_axi_dma: the generated register file, what each channel gets
// from it and gives to it, and the interrupt outputs.
//
// Handshake   s_axil_* as the generated file has it; no channel can stall it.
// Mode        IncludeSg = 0 takes the registers of scatter-gather mode away, IncludeDirect = 0
//             those of direct register mode; so does a channel that is left out with its own: they
//             read 0, writes are ignored, and synthesis removes them.
// Latency     write taken to ctrl_o 1 cycle; *_written are pulses beside the new value,
//             length_writing is one cycle ahead of it.
// Reset       rst_ni: everything. rst_core_ni: every field, the bus interface works on.
// Interrupts  level: an event's bit and its enable, in any of IOC, Dly, Err.
//
// Parameters  checked in sl_axi_dma.
// Follows     AMD PG021 v7.1, "Register Space"; regs/sl_axi_dma.rdl.

`include "sl_axi.svh"

module sl_axi_dma_csr
  import sl_axi_dma_pkg::*;
#(
    parameter int unsigned AddrWidth   = 32,
    parameter bit          IncludeMm2s = 1'b1,
    parameter bit          IncludeS2mm = 1'b1,
    parameter bit          IncludeSg   = 1'b0,
    parameter bit          IncludeDirect = 1'b1
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               rst_core_ni,

    output logic               reset_o,        // level: DMACR.Reset of either channel
    output logic               mm2s_irq_o,
    output logic               s2mm_irq_o,
    output sl_axi_dma_ctrl_t   mm2s_ctrl_o,
    output sl_axi_dma_ctrl_t   s2mm_ctrl_o,
    input  sl_axi_dma_status_t mm2s_status_i,
    input  sl_axi_dma_status_t s2mm_status_i,

    sl_axil_if.slv s_axil
);

  localparam logic [31:0] MsbMask = 32'((64'd1 << (AddrWidth - 32)) - 64'd1);

  sl_axi_dma_regs_pkg::sl_axi_dma__in_t  hwif_in;
  sl_axi_dma_regs_pkg::sl_axi_dma__out_t hwif_out;

  logic mm2s_threshold_q, mm2s_taildesc_q, s2mm_threshold_q, s2mm_taildesc_q;

  sl_axi_dma_regs u_regs (
      .clk  (clk_i),
      .rst_n(rst_ni),
      `SL_AXIL_PINS(s_axil_, s_axil., 10),
      .hwif_in,
      .hwif_out
  );

  assign hwif_in.field_rst_n = rst_core_ni;
  assign reset_o = hwif_out.MM2S.DMACR.RESET.value || hwif_out.S2MM.DMACR.RESET.value;

  // ------------------------------------------------------------------------------------------ MM2S
  assign mm2s_ctrl_o = '{
      run: hwif_out.MM2S.DMACR.RS.value,
      cyclic: hwif_out.MM2S.DMACR.CYCLIC.value,
      threshold: hwif_out.MM2S.DMACR.IRQTHRESHOLD.value,
      threshold_written: mm2s_threshold_q,
      delay: hwif_out.MM2S.DMACR.IRQDELAY.value,
      curdesc: {hwif_out.MM2S.CURDESC_MSB.VALUE.value, hwif_out.MM2S.CURDESC.VALUE.value, 6'd0},
      taildesc: {hwif_out.MM2S.TAILDESC_MSB.VALUE.value, hwif_out.MM2S.TAILDESC.VALUE.value, 6'd0},
      taildesc_written: mm2s_taildesc_q,
      addr: {hwif_out.MM2S.SA_MSB.VALUE.value, hwif_out.MM2S.SA.VALUE.value},
      length: hwif_out.MM2S.LENGTH.VALUE.value,
      length_writing: hwif_out.MM2S.LENGTH.VALUE.swmod
  };

  // The strobes come a cycle before the values.
  always_ff @(posedge clk_i) begin
    mm2s_threshold_q <= rst_core_ni && hwif_out.MM2S.DMACR.IRQTHRESHOLD.swmod;
    mm2s_taildesc_q  <= rst_core_ni && (AddrWidth > 32 ? hwif_out.MM2S.TAILDESC_MSB.VALUE.swmod :
                                                       hwif_out.MM2S.TAILDESC.VALUE.swmod);
  end

  assign mm2s_irq_o =
      hwif_out.MM2S.DMASR.IOC_IRQ.value && hwif_out.MM2S.DMACR.IOC_IRQEN.value ||
      hwif_out.MM2S.DMASR.DLY_IRQ.value && hwif_out.MM2S.DMACR.DLY_IRQEN.value ||
      hwif_out.MM2S.DMASR.ERR_IRQ.value && hwif_out.MM2S.DMACR.ERR_IRQEN.value;

  assign hwif_in.MM2S.DMACR.RS.hwclr = mm2s_status_i.run_clr;
  assign hwif_in.MM2S.DMACR.CYCLIC.swwe = IncludeSg;
  assign hwif_in.MM2S.DMACR.DLY_IRQEN.swwe = IncludeSg;
  assign hwif_in.MM2S.DMACR.IRQTHRESHOLD.swwe = IncludeSg;
  assign hwif_in.MM2S.DMACR.IRQTHRESHOLD.we = hwif_out.MM2S.DMACR.IRQTHRESHOLD.value == '0;
  assign hwif_in.MM2S.DMACR.IRQTHRESHOLD.next = mm2s_status_i.threshold;
  assign hwif_in.MM2S.DMACR.IRQDELAY.swwe = IncludeSg;

  assign hwif_in.MM2S.DMASR.HALTED.next = mm2s_status_i.halted;
  assign hwif_in.MM2S.DMASR.IDLE.next = mm2s_status_i.idle;
  assign hwif_in.MM2S.DMASR.SGINCLD.next = IncludeSg;
  assign hwif_in.MM2S.DMASR.DMAINTERR.hwset = mm2s_status_i.int_err;
  assign hwif_in.MM2S.DMASR.DMASLVERR.hwset = mm2s_status_i.slv_err;
  assign hwif_in.MM2S.DMASR.DMADECERR.hwset = mm2s_status_i.dec_err;
  assign hwif_in.MM2S.DMASR.SGINTERR.hwset = mm2s_status_i.sg_int_err;
  assign hwif_in.MM2S.DMASR.SGSLVERR.hwset = mm2s_status_i.sg_slv_err;
  assign hwif_in.MM2S.DMASR.SGDECERR.hwset = mm2s_status_i.sg_dec_err;
  assign hwif_in.MM2S.DMASR.IOC_IRQ.hwset = mm2s_status_i.ioc;
  assign hwif_in.MM2S.DMASR.DLY_IRQ.hwset = mm2s_status_i.dly;
  assign hwif_in.MM2S.DMASR.ERR_IRQ.hwset = mm2s_status_i.err;
  assign hwif_in.MM2S.DMASR.IRQTHRESHOLDSTS.next = mm2s_status_i.threshold_count;
  assign hwif_in.MM2S.DMASR.IRQDELAYSTS.next = mm2s_status_i.delay_count;

  assign hwif_in.MM2S.CURDESC.VALUE.swwe = mm2s_status_i.curdesc_open;
  assign hwif_in.MM2S.CURDESC.VALUE.we = mm2s_status_i.curdesc_we;
  assign hwif_in.MM2S.CURDESC.VALUE.next = mm2s_status_i.curdesc[31:6];
  assign hwif_in.MM2S.CURDESC_MSB.VALUE.swwe = mm2s_status_i.curdesc_open && AddrWidth > 32;
  assign hwif_in.MM2S.CURDESC_MSB.VALUE.we =
      mm2s_status_i.curdesc_we || (hwif_out.MM2S.CURDESC_MSB.VALUE.value & ~MsbMask) != '0;
  assign hwif_in.MM2S.CURDESC_MSB.VALUE.next =
      mm2s_status_i.curdesc_we ? mm2s_status_i.curdesc[63:32]
                             : hwif_out.MM2S.CURDESC_MSB.VALUE.value & MsbMask;
  assign hwif_in.MM2S.TAILDESC.VALUE.swwe = IncludeSg;
  assign hwif_in.MM2S.TAILDESC_MSB.VALUE.swwe = IncludeSg && AddrWidth > 32;
  assign hwif_in.MM2S.TAILDESC_MSB.VALUE.we =
      (hwif_out.MM2S.TAILDESC_MSB.VALUE.value & ~MsbMask) != '0;
  assign hwif_in.MM2S.TAILDESC_MSB.VALUE.next = hwif_out.MM2S.TAILDESC_MSB.VALUE.value & MsbMask;

  assign hwif_in.MM2S.SA.VALUE.swwe = IncludeDirect && IncludeMm2s;
  assign hwif_in.MM2S.SA_MSB.VALUE.swwe = IncludeDirect && IncludeMm2s && AddrWidth > 32;
  assign hwif_in.MM2S.SA_MSB.VALUE.we = (hwif_out.MM2S.SA_MSB.VALUE.value & ~MsbMask) != '0;
  assign hwif_in.MM2S.SA_MSB.VALUE.next = hwif_out.MM2S.SA_MSB.VALUE.value & MsbMask;
  assign hwif_in.MM2S.LENGTH.VALUE.swwe = mm2s_status_i.length_open;
  assign hwif_in.MM2S.LENGTH.VALUE.we = mm2s_status_i.length_we;
  assign hwif_in.MM2S.LENGTH.VALUE.next = mm2s_status_i.length;

  // ------------------------------------------------------------------------------------------ S2MM
  assign s2mm_ctrl_o = '{
      run: hwif_out.S2MM.DMACR.RS.value,
      cyclic: hwif_out.S2MM.DMACR.CYCLIC.value,
      threshold: hwif_out.S2MM.DMACR.IRQTHRESHOLD.value,
      threshold_written: s2mm_threshold_q,
      delay: hwif_out.S2MM.DMACR.IRQDELAY.value,
      curdesc: {hwif_out.S2MM.CURDESC_MSB.VALUE.value, hwif_out.S2MM.CURDESC.VALUE.value, 6'd0},
      taildesc: {hwif_out.S2MM.TAILDESC_MSB.VALUE.value, hwif_out.S2MM.TAILDESC.VALUE.value, 6'd0},
      taildesc_written: s2mm_taildesc_q,
      addr: {hwif_out.S2MM.DA_MSB.VALUE.value, hwif_out.S2MM.DA.VALUE.value},
      length: hwif_out.S2MM.LENGTH.VALUE.value,
      length_writing: hwif_out.S2MM.LENGTH.VALUE.swmod
  };

  // The strobes come a cycle before the values.
  always_ff @(posedge clk_i) begin
    s2mm_threshold_q <= rst_core_ni && hwif_out.S2MM.DMACR.IRQTHRESHOLD.swmod;
    s2mm_taildesc_q  <= rst_core_ni && (AddrWidth > 32 ? hwif_out.S2MM.TAILDESC_MSB.VALUE.swmod :
                                                       hwif_out.S2MM.TAILDESC.VALUE.swmod);
  end

  assign s2mm_irq_o =
      hwif_out.S2MM.DMASR.IOC_IRQ.value && hwif_out.S2MM.DMACR.IOC_IRQEN.value ||
      hwif_out.S2MM.DMASR.DLY_IRQ.value && hwif_out.S2MM.DMACR.DLY_IRQEN.value ||
      hwif_out.S2MM.DMASR.ERR_IRQ.value && hwif_out.S2MM.DMACR.ERR_IRQEN.value;

  assign hwif_in.S2MM.DMACR.RS.hwclr = s2mm_status_i.run_clr;
  assign hwif_in.S2MM.DMACR.CYCLIC.swwe = IncludeSg;
  assign hwif_in.S2MM.DMACR.DLY_IRQEN.swwe = IncludeSg;
  assign hwif_in.S2MM.DMACR.IRQTHRESHOLD.swwe = IncludeSg;
  assign hwif_in.S2MM.DMACR.IRQTHRESHOLD.we = hwif_out.S2MM.DMACR.IRQTHRESHOLD.value == '0;
  assign hwif_in.S2MM.DMACR.IRQTHRESHOLD.next = s2mm_status_i.threshold;
  assign hwif_in.S2MM.DMACR.IRQDELAY.swwe = IncludeSg;

  assign hwif_in.S2MM.DMASR.HALTED.next = s2mm_status_i.halted;
  assign hwif_in.S2MM.DMASR.IDLE.next = s2mm_status_i.idle;
  assign hwif_in.S2MM.DMASR.SGINCLD.next = IncludeSg;
  assign hwif_in.S2MM.DMASR.DMAINTERR.hwset = s2mm_status_i.int_err;
  assign hwif_in.S2MM.DMASR.DMASLVERR.hwset = s2mm_status_i.slv_err;
  assign hwif_in.S2MM.DMASR.DMADECERR.hwset = s2mm_status_i.dec_err;
  assign hwif_in.S2MM.DMASR.SGINTERR.hwset = s2mm_status_i.sg_int_err;
  assign hwif_in.S2MM.DMASR.SGSLVERR.hwset = s2mm_status_i.sg_slv_err;
  assign hwif_in.S2MM.DMASR.SGDECERR.hwset = s2mm_status_i.sg_dec_err;
  assign hwif_in.S2MM.DMASR.IOC_IRQ.hwset = s2mm_status_i.ioc;
  assign hwif_in.S2MM.DMASR.DLY_IRQ.hwset = s2mm_status_i.dly;
  assign hwif_in.S2MM.DMASR.ERR_IRQ.hwset = s2mm_status_i.err;
  assign hwif_in.S2MM.DMASR.IRQTHRESHOLDSTS.next = s2mm_status_i.threshold_count;
  assign hwif_in.S2MM.DMASR.IRQDELAYSTS.next = s2mm_status_i.delay_count;

  assign hwif_in.S2MM.CURDESC.VALUE.swwe = s2mm_status_i.curdesc_open;
  assign hwif_in.S2MM.CURDESC.VALUE.we = s2mm_status_i.curdesc_we;
  assign hwif_in.S2MM.CURDESC.VALUE.next = s2mm_status_i.curdesc[31:6];
  assign hwif_in.S2MM.CURDESC_MSB.VALUE.swwe = s2mm_status_i.curdesc_open && AddrWidth > 32;
  assign hwif_in.S2MM.CURDESC_MSB.VALUE.we =
      s2mm_status_i.curdesc_we || (hwif_out.S2MM.CURDESC_MSB.VALUE.value & ~MsbMask) != '0;
  assign hwif_in.S2MM.CURDESC_MSB.VALUE.next =
      s2mm_status_i.curdesc_we ? s2mm_status_i.curdesc[63:32]
                             : hwif_out.S2MM.CURDESC_MSB.VALUE.value & MsbMask;
  assign hwif_in.S2MM.TAILDESC.VALUE.swwe = IncludeSg;
  assign hwif_in.S2MM.TAILDESC_MSB.VALUE.swwe = IncludeSg && AddrWidth > 32;
  assign hwif_in.S2MM.TAILDESC_MSB.VALUE.we =
      (hwif_out.S2MM.TAILDESC_MSB.VALUE.value & ~MsbMask) != '0;
  assign hwif_in.S2MM.TAILDESC_MSB.VALUE.next = hwif_out.S2MM.TAILDESC_MSB.VALUE.value & MsbMask;

  assign hwif_in.S2MM.DA.VALUE.swwe = IncludeDirect && IncludeS2mm;
  assign hwif_in.S2MM.DA_MSB.VALUE.swwe = IncludeDirect && IncludeS2mm && AddrWidth > 32;
  assign hwif_in.S2MM.DA_MSB.VALUE.we = (hwif_out.S2MM.DA_MSB.VALUE.value & ~MsbMask) != '0;
  assign hwif_in.S2MM.DA_MSB.VALUE.next = hwif_out.S2MM.DA_MSB.VALUE.value & MsbMask;
  assign hwif_in.S2MM.LENGTH.VALUE.swwe = s2mm_status_i.length_open;
  assign hwif_in.S2MM.LENGTH.VALUE.we = s2mm_status_i.length_we;
  assign hwif_in.S2MM.LENGTH.VALUE.next = s2mm_status_i.length;
endmodule
