// SPDX-License-Identifier: Apache-2.0
// Tests the promises that regs/*.rdl make to the RTL, on the generated register modules.

module regs_bench;
  import sl_axi_dma_addr_pkg::*;

  logic clk;
  logic rst_n = 1'b0;
  initial begin
    clk = 1'b0;
    forever #5 clk = ~clk;
  end

  // One AXI4-Lite master; sel chooses the block.
  logic        sel = 1'b0;  // 0: DMA, 1: stream source
  logic        awvalid = 1'b0, wvalid = 1'b0, arvalid = 1'b0;
  logic [11:0] addr = '0;
  logic [31:0] wdata = '0;
  logic [3:0]  wstrb = '1;

  logic [1:0] awready, wready, arready, bvalid, rvalid;
  logic [1:0][1:0] bresp, rresp;
  logic [1:0][31:0] rdata;

  sl_axi_dma_regs_pkg::sl_axi_dma__in_t dma_in;
  sl_axi_dma_regs_pkg::sl_axi_dma__out_t dma_out;
  sl_stream_source_regs_pkg::sl_stream_source__in_t source_in;
  sl_stream_source_regs_pkg::sl_stream_source__out_t source_out;

  logic field_rst_n = 1'b1;
  logic rs_clr = 1'b0, ioc_set = 1'b0, slverr_set = 1'b0;
  logic [25:0] length_next = '0;
  logic length_we = 1'b0;
  logic msb_we = 1'b0;
  logic enable_clr = 1'b0;
  logic open = 1'b0;
  logic [63:0] beats = '0;

  assign dma_in.field_rst_n = rst_n && field_rst_n;
  assign dma_in.MM2S.DMACR.RS.hwclr = rs_clr;
  assign dma_in.MM2S.DMASR.HALTED.next = 1'b1;
  assign dma_in.MM2S.DMASR.IDLE.next = 1'b0;
  assign dma_in.MM2S.DMASR.DMAINTERR.hwset = 1'b0;
  assign dma_in.MM2S.DMASR.DMASLVERR.hwset = slverr_set;
  assign dma_in.MM2S.DMASR.DMADECERR.hwset = 1'b0;
  assign dma_in.MM2S.DMASR.IOC_IRQ.hwset = ioc_set;
  assign dma_in.MM2S.DMASR.ERR_IRQ.hwset = 1'b0;
  assign dma_in.MM2S.SA_MSB.VALUE.next = '0;
  assign dma_in.MM2S.SA_MSB.VALUE.we = msb_we;
  assign dma_in.MM2S.LENGTH.VALUE.next = length_next;
  assign dma_in.MM2S.LENGTH.VALUE.we = length_we;
  assign dma_in.S2MM.DMACR.RS.hwclr = 1'b0;
  assign dma_in.S2MM.DMASR.HALTED.next = 1'b1;
  assign dma_in.S2MM.DMASR.IDLE.next = 1'b0;
  assign dma_in.S2MM.DMASR.DMAINTERR.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.DMASLVERR.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.DMADECERR.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.IOC_IRQ.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.ERR_IRQ.hwset = 1'b0;
  assign dma_in.S2MM.DA_MSB.VALUE.next = '0;
  assign dma_in.S2MM.DA_MSB.VALUE.we = 1'b0;
  assign dma_in.S2MM.LENGTH.VALUE.next = '0;
  assign dma_in.S2MM.LENGTH.VALUE.we = 1'b0;
  assign dma_in.MM2S.DMACR.CYCLIC.swwe = 1'b1;
  assign dma_in.MM2S.DMACR.DLY_IRQEN.swwe = 1'b1;
  assign dma_in.MM2S.DMACR.IRQTHRESHOLD.swwe = 1'b1;
  assign dma_in.MM2S.DMACR.IRQTHRESHOLD.we = dma_out.MM2S.DMACR.IRQTHRESHOLD.value == '0;
  assign dma_in.MM2S.DMACR.IRQTHRESHOLD.next = 8'h01;
  assign dma_in.MM2S.DMACR.IRQDELAY.swwe = 1'b1;
  assign dma_in.MM2S.DMASR.SGINCLD.next = 1'b0;
  assign dma_in.MM2S.DMASR.SGINTERR.hwset = 1'b0;
  assign dma_in.MM2S.DMASR.SGSLVERR.hwset = 1'b0;
  assign dma_in.MM2S.DMASR.SGDECERR.hwset = 1'b0;
  assign dma_in.MM2S.DMASR.DLY_IRQ.hwset = 1'b0;
  assign dma_in.MM2S.DMASR.IRQTHRESHOLDSTS.next = 8'h01;
  assign dma_in.MM2S.DMASR.IRQDELAYSTS.next = 8'h00;
  assign dma_in.MM2S.CURDESC.VALUE.swwe = open;
  assign dma_in.MM2S.CURDESC.VALUE.we = 1'b0;
  assign dma_in.MM2S.CURDESC.VALUE.next = '0;
  assign dma_in.MM2S.CURDESC_MSB.VALUE.swwe = 1'b0;
  assign dma_in.MM2S.CURDESC_MSB.VALUE.we = 1'b0;
  assign dma_in.MM2S.CURDESC_MSB.VALUE.next = '0;
  assign dma_in.MM2S.TAILDESC.VALUE.swwe = 1'b1;
  assign dma_in.MM2S.TAILDESC_MSB.VALUE.swwe = 1'b1;
  assign dma_in.MM2S.TAILDESC_MSB.VALUE.we = 1'b0;
  assign dma_in.MM2S.TAILDESC_MSB.VALUE.next = '0;
  assign dma_in.MM2S.SA.VALUE.swwe = 1'b1;
  assign dma_in.MM2S.SA_MSB.VALUE.swwe = 1'b1;
  assign dma_in.MM2S.LENGTH.VALUE.swwe = 1'b1;
  assign dma_in.S2MM.DMACR.CYCLIC.swwe = 1'b1;
  assign dma_in.S2MM.DMACR.DLY_IRQEN.swwe = 1'b1;
  assign dma_in.S2MM.DMACR.IRQTHRESHOLD.swwe = 1'b1;
  assign dma_in.S2MM.DMACR.IRQTHRESHOLD.we = dma_out.S2MM.DMACR.IRQTHRESHOLD.value == '0;
  assign dma_in.S2MM.DMACR.IRQTHRESHOLD.next = 8'h01;
  assign dma_in.S2MM.DMACR.IRQDELAY.swwe = 1'b1;
  assign dma_in.S2MM.DMASR.SGINCLD.next = 1'b0;
  assign dma_in.S2MM.DMASR.SGINTERR.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.SGSLVERR.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.SGDECERR.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.DLY_IRQ.hwset = 1'b0;
  assign dma_in.S2MM.DMASR.IRQTHRESHOLDSTS.next = 8'h01;
  assign dma_in.S2MM.DMASR.IRQDELAYSTS.next = 8'h00;
  assign dma_in.S2MM.CURDESC.VALUE.swwe = 1'b0;
  assign dma_in.S2MM.CURDESC.VALUE.we = 1'b0;
  assign dma_in.S2MM.CURDESC.VALUE.next = '0;
  assign dma_in.S2MM.CURDESC_MSB.VALUE.swwe = 1'b0;
  assign dma_in.S2MM.CURDESC_MSB.VALUE.we = 1'b0;
  assign dma_in.S2MM.CURDESC_MSB.VALUE.next = '0;
  assign dma_in.S2MM.TAILDESC.VALUE.swwe = 1'b1;
  assign dma_in.S2MM.TAILDESC_MSB.VALUE.swwe = 1'b1;
  assign dma_in.S2MM.TAILDESC_MSB.VALUE.we = 1'b0;
  assign dma_in.S2MM.TAILDESC_MSB.VALUE.next = '0;
  assign dma_in.S2MM.DA.VALUE.swwe = 1'b1;
  assign dma_in.S2MM.DA_MSB.VALUE.swwe = 1'b1;
  assign dma_in.S2MM.LENGTH.VALUE.swwe = 1'b1;

  assign source_in.CONTROL.ENABLE.hwclr = enable_clr;
  assign source_in.STATUS.RUNNING.next = 1'b0;
  assign source_in.STATUS.DONE.next = 1'b0;
  assign source_in.BEATS_LO.VALUE.next = beats[31:0];
  assign source_in.BEATS_HI.VALUE.next = beats[63:32];
  assign source_in.PACKETS.VALUE.next = '0;
  assign source_in.FRAMES_DONE.VALUE.next = '0;
  assign source_in.LATE.VALUE.next = '0;
  assign source_in.DROP_BEATS_LO.VALUE.next = '0;
  assign source_in.DROP_BEATS_HI.VALUE.next = '0;
  assign source_in.DROP_RUNS.VALUE.next = '0;
  assign source_in.DROP_FIRST_LO.VALUE.next = '0;
  assign source_in.DROP_FIRST_HI.VALUE.next = '0;
  assign source_in.DROP_PACKETS.VALUE.next = '0;

  sl_axi_dma_regs u_dma (
    .clk(clk), .rst_n(rst_n),
    .s_axil_awready(awready[0]), .s_axil_awvalid(awvalid && !sel),
    .s_axil_awaddr(addr[9:0]), .s_axil_awprot('0),
    .s_axil_wready(wready[0]), .s_axil_wvalid(wvalid && !sel),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb),
    .s_axil_bready(1'b1), .s_axil_bvalid(bvalid[0]), .s_axil_bresp(bresp[0]),
    .s_axil_arready(arready[0]), .s_axil_arvalid(arvalid && !sel),
    .s_axil_araddr(addr[9:0]), .s_axil_arprot('0),
    .s_axil_rready(1'b1), .s_axil_rvalid(rvalid[0]), .s_axil_rdata(rdata[0]),
    .s_axil_rresp(rresp[0]),
    .hwif_in(dma_in), .hwif_out(dma_out));

  sl_stream_source_regs u_source (
    .clk(clk), .rst_n(rst_n),
    .s_axil_awready(awready[1]), .s_axil_awvalid(awvalid && sel),
    .s_axil_awaddr(addr), .s_axil_awprot('0),
    .s_axil_wready(wready[1]), .s_axil_wvalid(wvalid && sel),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb),
    .s_axil_bready(1'b1), .s_axil_bvalid(bvalid[1]), .s_axil_bresp(bresp[1]),
    .s_axil_arready(arready[1]), .s_axil_arvalid(arvalid && sel),
    .s_axil_araddr(addr), .s_axil_arprot('0),
    .s_axil_rready(1'b1), .s_axil_rvalid(rvalid[1]), .s_axil_rdata(rdata[1]),
    .s_axil_rresp(rresp[1]),
    .hwif_in(source_in), .hwif_out(source_out));

  // What hwif shows: strobes counted, and the value one cycle after the strobe.
  int unsigned length_writes;
  logic        length_written;
  logic [25:0] length_started;
  int unsigned clears;
  always_ff @(posedge clk) begin
    length_written <= dma_out.MM2S.LENGTH.VALUE.swmod;
    if (dma_out.MM2S.LENGTH.VALUE.swmod) length_writes <= length_writes + 1;
    if (length_written) length_started <= dma_out.MM2S.LENGTH.VALUE.value;
    if (source_out.CONTROL.CLEAR.value) clears <= clears + 1;
    if (!rst_n) begin
      length_writes <= 0;
      length_written <= 1'b0;
      length_started <= '0;
      clears <= 0;
    end
  end

  // hw_on_write acts in exactly the cycle in which the write is decoded.
  logic collide_ioc = 1'b0, collide_rs = 1'b0, collide_enable = 1'b0;
  logic decoding;
  assign decoding = u_dma.cpuif_wr_ack || u_source.cpuif_wr_ack;

  task automatic write(input logic [31:0] offset, input logic [31:0] data,
                       input logic [3:0] strobe = '1);
    @(negedge clk);
    addr = offset[11:0]; wdata = data; wstrb = strobe; awvalid = 1'b1; wvalid = 1'b1;
    @(negedge clk);
    awvalid = 1'b0; wvalid = 1'b0;
    if (!decoding) $fatal(1, "write of %h is not decoded in the next cycle", offset);
    ioc_set = collide_ioc; rs_clr = rs_clr | collide_rs; enable_clr = collide_enable;
    @(negedge clk);
    ioc_set = 1'b0; enable_clr = 1'b0;
    if (collide_rs) rs_clr = 1'b0;
    if (!bvalid[sel] || bresp[sel] != '0) $fatal(1, "no OKAY for the write of %h", offset);
    @(negedge clk);
  endtask

  task automatic expect_read(input logic [31:0] offset, input logic [31:0] value,
                             input string what);
    @(negedge clk);
    addr = offset[11:0]; arvalid = 1'b1;
    @(negedge clk);
    arvalid = 1'b0;
    while (!rvalid[sel]) @(negedge clk);
    if (rresp[sel] != '0) $fatal(1, "%s: response %b", what, rresp[sel]);
    if (rdata[sel] != value) $fatal(1, "%s: read %h, not %h", what, rdata[sel], value);
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;

    // PG021 reset values; constants and reserved bits take no write; holes read 0.
    expect_read(MM2S_DMACR_OFFSET, 32'h0001_0002, "DMACR after reset");
    expect_read(MM2S_DMASR_OFFSET, 32'h0001_0001, "DMASR after reset");
    write(MM2S_DMACR_OFFSET, ~MM2S_DMACR_RESET_MASK);
    expect_read(MM2S_DMACR_OFFSET, 32'hffff_7013, "DMACR takes what it has");
    write(MM2S_DMACR_OFFSET, 32'h0001_5000);
    expect_read(32'h020, '0, "hole");

    // swwe lets software's writes through; CURDESC has no bits below a descriptor's size.
    write(MM2S_CURDESC_OFFSET, '1);
    expect_read(MM2S_CURDESC_OFFSET, '0, "CURDESC while swwe is 0");
    open = 1'b1;
    write(MM2S_CURDESC_OFFSET, '1);
    open = 1'b0;
    expect_read(MM2S_CURDESC_OFFSET, 32'hffff_ffc0, "CURDESC while swwe is 1");
    expect_read(32'h3fc, '0, "beyond the last register");

    // A level on hwclr wins over a write.
    rs_clr = 1'b1;
    write(MM2S_DMACR_OFFSET, MM2S_DMACR_RS_MASK);
    expect_read(MM2S_DMACR_OFFSET, 32'h0001_0002, "RS while hwclr is held");
    rs_clr = 1'b0;
    collide_rs = 1'b1;
    write(MM2S_DMACR_OFFSET, MM2S_DMACR_RS_MASK);
    collide_rs = 1'b0;
    expect_read(MM2S_DMACR_OFFSET, 32'h0001_0002, "RS set in the cycle of hwclr");
    write(MM2S_DMACR_OFFSET, MM2S_DMACR_RS_MASK);
    expect_read(MM2S_DMACR_OFFSET, 32'h0001_0003, "RS set one access later");

    // Write 1 to clear; an event in the same cycle is not lost; 0 clears nothing.
    @(negedge clk) ioc_set = 1'b1;
    @(negedge clk) ioc_set = 1'b0;
    write(MM2S_DMASR_OFFSET, ~MM2S_DMASR_IOC_IRQ_MASK);
    expect_read(MM2S_DMASR_OFFSET, 32'h0001_1001, "IOC_IRQ after a write of 0");
    collide_ioc = 1'b1;
    write(MM2S_DMASR_OFFSET, MM2S_DMASR_IOC_IRQ_MASK);
    collide_ioc = 1'b0;
    expect_read(MM2S_DMASR_OFFSET, 32'h0001_1001, "IOC_IRQ set in the cycle of the clear");
    write(MM2S_DMASR_OFFSET, MM2S_DMASR_IOC_IRQ_MASK);
    expect_read(MM2S_DMASR_OFFSET, 32'h0001_0001, "IOC_IRQ cleared");

    // LENGTH: a strobe per write, also of the same value and of 0; the value one cycle later.
    write(MM2S_LENGTH_OFFSET, 32'hfc00_1234);
    if (length_writes != 1 || length_started != 26'h1234) $fatal(1, "LENGTH: first write");
    write(MM2S_LENGTH_OFFSET, 32'h0000_1234);
    if (length_writes != 2) $fatal(1, "LENGTH: same value");
    write(MM2S_LENGTH_OFFSET, 32'h0000_0056, 4'b0001);
    if (length_writes != 3 || length_started != 26'h1256) $fatal(1, "LENGTH: one byte");
    write(MM2S_LENGTH_OFFSET, 32'h0, 4'b0000);
    if (length_writes != 3) $fatal(1, "LENGTH: no byte enabled");
    @(negedge clk) begin length_next = 26'h77; length_we = 1'b1; end
    @(negedge clk) length_we = 1'b0;
    expect_read(MM2S_LENGTH_OFFSET, 32'h77, "LENGTH written back");
    if (length_writes != 3) $fatal(1, "LENGTH: write-back is no software write");
    write(MM2S_SA_MSB_OFFSET, 32'hffff_ffff);
    @(negedge clk) msb_we = 1'b1;
    @(negedge clk) msb_we = 1'b0;
    expect_read(MM2S_SA_MSB_OFFSET, '0, "SA_MSB truncated");

    // Soft reset: reads 1 until the field reset, is not cleared by writing 0.
    @(negedge clk) slverr_set = 1'b1;
    @(negedge clk) slverr_set = 1'b0;
    write(MM2S_DMASR_OFFSET, '1);
    expect_read(MM2S_DMASR_OFFSET, 32'h0001_0021, "DMASLVERR is not cleared by writing");
    write(S2MM_DMACR_OFFSET, S2MM_DMACR_RESET_MASK);
    write(S2MM_DMACR_OFFSET, '0);
    expect_read(S2MM_DMACR_OFFSET, 32'h0001_0006, "RESET stays");
    // The field reset falls in the cycle of a read: the read completes.
    @(negedge clk);
    addr = MM2S_LENGTH_OFFSET[11:0]; arvalid = 1'b1;
    @(negedge clk);
    arvalid = 1'b0; field_rst_n = 1'b0;
    @(negedge clk);
    field_rst_n = 1'b1;
    if (!rvalid[0] || rdata[0] != 32'h77) $fatal(1, "read during the field reset");
    expect_read(S2MM_DMACR_OFFSET, 32'h0001_0002, "RESET after the field reset");
    expect_read(MM2S_DMACR_OFFSET, 32'h0001_0002, "the other channel's DMACR");
    expect_read(MM2S_DMASR_OFFSET, 32'h0001_0001, "DMASLVERR after the field reset");
    expect_read(MM2S_LENGTH_OFFSET, '0, "LENGTH after the field reset");

    // High half latches when the low half is read; other reads leave it.
    sel = 1'b1;
    beats = 64'h0000_0001_ffff_ffff;
    expect_read(sl_stream_source_addr_pkg::BEATS_LO_OFFSET, 32'hffff_ffff, "BEATS_LO");
    beats = 64'h0000_0002_0000_0000;
    expect_read(sl_stream_source_addr_pkg::PACKETS_OFFSET, '0, "another register");
    expect_read(sl_stream_source_addr_pkg::BEATS_HI_OFFSET, 32'h1, "BEATS_HI latched");
    expect_read(sl_stream_source_addr_pkg::BEATS_LO_OFFSET, '0, "BEATS_LO again");
    expect_read(sl_stream_source_addr_pkg::BEATS_HI_OFFSET, 32'h2, "BEATS_HI latched again");

    // CLEAR is one pulse and reads 0; software wins over ENABLE's clear in the same cycle.
    collide_enable = 1'b1;
    write(sl_stream_source_addr_pkg::CONTROL_OFFSET, 32'h3);
    collide_enable = 1'b0;
    if (clears != 1) $fatal(1, "CLEAR: %0d pulses", clears);
    expect_read(sl_stream_source_addr_pkg::CONTROL_OFFSET, 32'h1, "ENABLE kept, CLEAR reads 0");
    @(negedge clk) enable_clr = 1'b1;
    @(negedge clk) enable_clr = 1'b0;
    expect_read(sl_stream_source_addr_pkg::CONTROL_OFFSET, '0, "ENABLE cleared by hardware");

    $display("regs_bench: passed");
    $finish;
  end

  initial begin
    #100_000 $fatal(1, "time-out");
  end
endmodule
