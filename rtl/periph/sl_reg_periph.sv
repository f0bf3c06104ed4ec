// SPDX-License-Identifier: Apache-2.0
//
// sl_reg_periph: up to 32 registers of 32 bits between software (AXI4-Lite) and an accelerator.
//
// Registers   number n at byte address 4 * n; Kind says of each:
//             0 CONTROL  software writes, by bytes; value_o follows; hw_i is ignored
//             1 STATUS   reads hw_i as it is in the cycle ARREADY is high; writes change nothing
//             2 EVENT    a bit of hw_i that is high sets its bit; software clears it by writing 1;
//                        in the same cycle setting wins, so that no event is lost
//             value_o is what a read returns: the stored value of CONTROL and EVENT, hw_i of STATUS
//             write_o: one bit a register, high for a cycle when a write with any WSTRB was taken,
//             along with the new value; never for STATUS.
//             irq_o: level, an EVENT bit is set. Put a CONTROL register behind it for a mask.
// Handshake   AW and W are taken together, in any order of arrival; READY may wait for VALID, no
//             VALID for READY.
// Latency     write taken to value_o, write_o, BVALID: 1 cycle. AR taken to RVALID: 1 cycle.
//             Throughput: an access a cycle each way.
// Errors      SLVERR beyond the last register: reads 0, writes nothing. The low 2 address bits are
//             ignored.
// Reset       rst_ni synchronous, active low: CONTROL to its ResetValue, EVENT to 0.
// Parameters  NumRegs 1..32, AddrWidth 7..32; refused otherwise, as is a Kind of 3
//             Kind        2 bits a register, register 0 lowest
//             ResetValue  32 bits a register

`include "sl_axi.svh"

module sl_reg_periph #(
    parameter int unsigned           NumRegs    = 4,
    parameter int unsigned           AddrWidth  = 12,
    parameter logic [2*NumRegs-1:0]  Kind       = '0,
    parameter logic [32*NumRegs-1:0] ResetValue = '0
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic [AddrWidth-1:0]  s_axil_awaddr,
    input  logic [2:0]            s_axil_awprot,
    input  logic                  s_axil_awvalid,
    output logic                  s_axil_awready,
    input  logic [31:0]           s_axil_wdata,
    input  logic [3:0]            s_axil_wstrb,
    input  logic                  s_axil_wvalid,
    output logic                  s_axil_wready,
    output logic [1:0]            s_axil_bresp,
    output logic                  s_axil_bvalid,
    input  logic                  s_axil_bready,
    input  logic [AddrWidth-1:0]  s_axil_araddr,
    input  logic [2:0]            s_axil_arprot,
    input  logic                  s_axil_arvalid,
    output logic                  s_axil_arready,
    output logic [31:0]           s_axil_rdata,
    output logic [1:0]            s_axil_rresp,
    output logic                  s_axil_rvalid,
    input  logic                  s_axil_rready,

    input  logic [32*NumRegs-1:0] hw_i,
    output logic [32*NumRegs-1:0] value_o,
    output logic [NumRegs-1:0]    write_o,
    output logic                  irq_o
);

  localparam logic [1:0] Control = 2'd0;
  localparam logic [1:0] Status  = 2'd1;
  localparam logic [1:0] Event   = 2'd2;
  localparam logic [1:0] Okay    = 2'b00;
  localparam logic [1:0] Slverr  = 2'b10;

  if (NumRegs < 1 || NumRegs > 32) begin : gen_bad_num_regs
    $fatal(1, "%m: NumRegs must be 1..32, is %0d", NumRegs);
  end
  if (AddrWidth < 7 || AddrWidth > 32) begin : gen_bad_addr_width
    $fatal(1, "%m: AddrWidth must be 7..32, is %0d", AddrWidth);
  end

  logic                 write, read;
  logic [AddrWidth-3:0] write_index, read_index;
  logic [31:0]          write_bits, read_data;
  logic [NumRegs-1:0]   events;

  assign write          = s_axil_awvalid && s_axil_wvalid && (!s_axil_bvalid || s_axil_bready);
  assign s_axil_awready = write;
  assign s_axil_wready  = write;
  assign s_axil_arready = !s_axil_rvalid || s_axil_rready;
  assign read           = s_axil_arvalid && s_axil_arready;
  assign write_index    = s_axil_awaddr[AddrWidth-1:2];
  assign read_index     = s_axil_araddr[AddrWidth-1:2];
  assign irq_o          = events != '0;

  always_comb begin
    for (int unsigned lane = 0; lane < 4; lane++) begin
      write_bits[8*lane+:8] = {8{s_axil_wstrb[lane]}};
    end
    read_data = '0;
    for (int unsigned n = 0; n < NumRegs; n++) begin
      if (32'(read_index) == n) read_data = value_o[32*n+:32];
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      s_axil_bvalid <= 1'b1;
      s_axil_bresp  <= 32'(write_index) < NumRegs ? Okay : Slverr;
    end else if (s_axil_bready) begin
      s_axil_bvalid <= 1'b0;
    end
    if (read) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rresp  <= 32'(read_index) < NumRegs ? Okay : Slverr;
      s_axil_rdata  <= read_data;
    end else if (s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
    if (!rst_ni) begin
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

  for (genvar n = 0; n < NumRegs; n++) begin : gen_reg
    if (Kind[2*n+:2] == Status) begin : gen_status
      assign value_o[32*n+:32] = hw_i[32*n+:32];
      assign write_o[n]        = 1'b0;
      assign events[n]         = 1'b0;
    end else if (Kind[2*n+:2] == Control || Kind[2*n+:2] == Event) begin : gen_stored
      logic [31:0] value_q;
      logic        mine, write_q;

      assign mine              = write && 32'(write_index) == n && s_axil_wstrb != '0;
      assign value_o[32*n+:32] = value_q;
      assign write_o[n]        = write_q;
      always_ff @(posedge clk_i) write_q <= rst_ni && mine;

      if (Kind[2*n+:2] == Control) begin : gen_control
        logic unused_hw;
        assign unused_hw = ^hw_i[32*n+:32];
        assign events[n] = 1'b0;
        always_ff @(posedge clk_i) begin
          if (mine) value_q <= (value_q & ~write_bits) | (s_axil_wdata & write_bits);
          if (!rst_ni) value_q <= ResetValue[32*n+:32];
        end
      end else begin : gen_event
        assign events[n] = value_q != '0;
        always_ff @(posedge clk_i) begin
          value_q <= (value_q & ~(mine ? s_axil_wdata & write_bits : '0)) | hw_i[32*n+:32];
          if (!rst_ni) value_q <= '0;
        end
      end
    end else begin : gen_bad_kind
      $fatal(1, "%m: Kind of register %0d is 3, must be 0, 1 or 2", n);
    end
  end

  logic unused;
  assign unused = ^{s_axil_awprot, s_axil_arprot, s_axil_awaddr[1:0], s_axil_araddr[1:0]};

  `SL_AXIL_CHECK(u_check, s_axil_, AddrWidth, 32)

endmodule
