// SPDX-License-Identifier: Apache-2.0
//
// sl_axi_dma_pkg: what passes between the parts of sl_axi_dma.

package sl_axi_dma_pkg;

  // From the registers. *_written: a pulse, the value is the new one.
  typedef struct packed {
    logic        run;                // DMACR.RS
    logic        cyclic;
    logic [7:0]  threshold;
    logic        threshold_written;
    logic [7:0]  delay;
    logic [63:0] curdesc;
    logic [63:0] taildesc;
    logic        taildesc_written;
    logic [63:0] addr;               // SA or DA
    logic [25:0] length;
    logic        length_writing;     // length is the new one in the next cycle
  } sl_axi_dma_ctrl_t;

  // To the registers. *_we: the value beside it replaces the register's.
  typedef struct packed {
    logic        run_clr;            // level: clear DMACR.RS
    logic        halted;
    logic        idle;
    logic        int_err;            // levels until reset
    logic        slv_err;
    logic        dec_err;
    logic        sg_int_err;
    logic        sg_slv_err;
    logic        sg_dec_err;
    logic        ioc;                // pulses
    logic        dly;
    logic        err;
    logic [7:0]  threshold;          // in force
    logic [7:0]  threshold_count;
    logic [7:0]  delay_count;
    logic        curdesc_open;       // software may write CURDESC
    logic        curdesc_we;
    logic [63:0] curdesc;
    logic        length_open;        // software may write LENGTH
    logic        length_we;
    logic [25:0] length;
  } sl_axi_dma_status_t;

  // A channel that was left out, and what a channel does not drive in the mode it was built for.
  localparam sl_axi_dma_status_t ABSENT = '{
      run_clr: 1'b1,
      halted: 1'b1,
      threshold: 8'd1,
      threshold_count: 8'd1,
      default: '0
  };

  // The descriptor port of one channel: its AXI4 channels, without what is constant.
  typedef struct packed {
    logic [63:0] araddr;
    logic [7:0]  arlen;
    logic        arvalid;
    logic        rready;
    logic [63:0] awaddr;
    logic        awvalid;
    logic [31:0] wdata;
    logic        wvalid;
    logic        bready;
  } sl_axi_dma_sg_req_t;

  typedef struct packed {
    logic        arready;
    logic [31:0] rdata;
    logic [1:0]  rresp;
    logic        rlast;
    logic        rvalid;
    logic        awready;
    logic        wready;
    logic [1:0]  bresp;
    logic        bvalid;
  } sl_axi_dma_sg_rsp_t;

endpackage
