// SPDX-License-Identifier: Apache-2.0
// hp_stress alone, without a board: reads IDENTITY of the design page and ends the simulation,
// with an error if it is not "SLHP" or takes 1,000 cycles. For FuseSoC's target sim.
module hp_stress_identity;
  logic        clk = 1'b0, rst_n = 1'b0, arvalid = 1'b0, arready, rvalid;
  logic [31:0] rdata;
  logic [1:0]  rresp;

  always #5 clk = !clk;

  // verilator lint_off PINMISSING
  sl_hp_ports #(
      .NumPorts   (1),
      .BufferBeats(128),
      .FifoBeats  (128)
  ) u_design (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .s_axil_awvalid(1'b0),
      .s_axil_wvalid (1'b0),
      .s_axil_bready (1'b0),
      .s_axil_araddr (20'h40000),
      .s_axil_arprot ('0),
      .s_axil_arvalid(arvalid),
      .s_axil_arready(arready),
      .s_axil_rdata  (rdata),
      .s_axil_rresp  (rresp),
      .s_axil_rvalid (rvalid),
      .s_axil_rready (1'b1)
  );
  // verilator lint_on PINMISSING

  initial begin
    repeat (8) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    arvalid = 1'b1;
    @(negedge clk iff !arready);  // the address is taken
    arvalid = 1'b0;
  end

  initial begin
    repeat (1000) @(posedge clk) begin
      if (rvalid) begin
        if (rdata != "SLHP" || rresp != '0) $fatal(1, "IDENTITY is %08x, RRESP %b", rdata, rresp);
        $display("hp_stress_identity: passed");
        $finish;
      end
    end
    $fatal(1, "no answer in 1,000 cycles");
  end
endmodule
