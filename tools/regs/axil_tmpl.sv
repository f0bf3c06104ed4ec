{# SPDX-License-Identifier: Apache-2.0 -#}
// One access at a time. READY comes from a register and takes what the bus holds until then, so
// that neither address nor data is stored here. A write waits for both of its channels; reads
// and writes that wait together take turns.
logic axil_read, axil_write; // the access decoded in this cycle
logic axil_was_read;
logic axil_read_waits, axil_write_waits;

assign axil_read_waits = {{cpuif.signal("arvalid")}} && !{{cpuif.signal("rvalid")}};
assign axil_write_waits = {{cpuif.signal("awvalid")}} && {{cpuif.signal("wvalid")}}
                          && !{{cpuif.signal("bvalid")}};

always_ff {{get_always_ff_event(cpuif.reset)}} begin
`ifndef SYNTHESIS
    // A simulation skips a bus at rest.
    if(axil_read || axil_write || axil_read_waits || axil_write_waits
            || {{cpuif.signal("rvalid")}} || {{cpuif.signal("bvalid")}} || {{get_resetsignal(cpuif.reset)}})
`endif
    begin
        axil_read <= !axil_read && !axil_write && axil_read_waits
                     && !(axil_write_waits && axil_was_read);
        axil_write <= !axil_read && !axil_write && axil_write_waits
                      && !(axil_read_waits && !axil_was_read);
        if(axil_read) begin
            axil_was_read <= '1;
            {{cpuif.signal("rvalid")}} <= '1;
            {{cpuif.signal("rresp")}} <= {cpuif_rd_err, 1'b0};
            {{cpuif.signal("rdata")}} <= cpuif_rd_data;
        end else if({{cpuif.signal("rready")}}) begin
            {{cpuif.signal("rvalid")}} <= '0;
        end
        if(axil_write) begin
            axil_was_read <= '0;
            {{cpuif.signal("bvalid")}} <= '1;
            {{cpuif.signal("bresp")}} <= {cpuif_wr_err, 1'b0};
        end else if({{cpuif.signal("bready")}}) begin
            {{cpuif.signal("bvalid")}} <= '0;
        end
        if({{get_resetsignal(cpuif.reset)}}) begin
            axil_read <= '0;
            axil_write <= '0;
            axil_was_read <= '0;
            {{cpuif.signal("rvalid")}} <= '0;
            {{cpuif.signal("bvalid")}} <= '0;
        end
    end
end

always_comb begin
    {{cpuif.signal("arready")}} = axil_read;
    {{cpuif.signal("awready")}} = axil_write;
    {{cpuif.signal("wready")}} = axil_write;
    cpuif_req = axil_read || axil_write;
    cpuif_req_is_wr = axil_write;
    cpuif_addr = '0;
    cpuif_wr_data = '0;
    cpuif_wr_biten = '0;
`ifndef SYNTHESIS
    if(axil_read || axil_write)
`endif
    begin
        cpuif_addr = axil_write ? {{cpuif.signal("awaddr")}} : {{cpuif.signal("araddr")}};
        cpuif_addr[{{clog2(cpuif.data_width_bytes)-1}}:0] = '0;
        cpuif_wr_data = {{cpuif.signal("wdata")}};
        for(int i=0; i<{{cpuif.data_width_bytes}}; i++) begin
            cpuif_wr_biten[i*8 +: 8] = {8{ {{-cpuif.signal("wstrb")}}[i]}};
        end
    end
end
