// SPDX-License-Identifier: Apache-2.0
//
// sl_stream_xbar: where each hardware thread's stream comes from: from memory, or from another
// thread directly.
//
// Routes      direct_i[t] = 0: thread t takes mem_in's stream t. 1: it takes the stream that thread
//             source_i[t] sends, which then does not go to memory (mem_out). Of several threads
//             that name one source the lowest is served; the others get nothing, nor does one that
//             names a thread which is not there. A thread may name itself. What memory sends to a
//             thread with a direct route waits.
// Handshake   combinational, VALID and READY, all ways; no VALID depends on a READY.
// Latency     0 cycles, a beat a cycle on every route at once.
// Change      of direct_i or source_i only while the streams concerned are quiet.
// Parameters  NumThreads 1..16; Width: bits of a stream's payload, 1..1024; refused otherwise.

module sl_stream_xbar #(
    parameter int unsigned NumThreads = 8,
    parameter int unsigned Width      = 37
) (
    input  logic [NumThreads-1:0]            direct_i,
    input  logic [NumThreads-1:0][3:0]       source_i,

    // From memory, and to the threads
    input  logic [NumThreads-1:0][Width-1:0] mem_in_data_i,
    input  logic [NumThreads-1:0]            mem_in_valid_i,
    output logic [NumThreads-1:0]            mem_in_ready_o,
    output logic [NumThreads-1:0][Width-1:0] to_data_o,
    output logic [NumThreads-1:0]            to_valid_o,
    input  logic [NumThreads-1:0]            to_ready_i,

    // From the threads, and to memory
    input  logic [NumThreads-1:0][Width-1:0] from_data_i,
    input  logic [NumThreads-1:0]            from_valid_i,
    output logic [NumThreads-1:0]            from_ready_o,
    output logic [NumThreads-1:0][Width-1:0] mem_out_data_o,
    output logic [NumThreads-1:0]            mem_out_valid_o,
    input  logic [NumThreads-1:0]            mem_out_ready_i
);

  if (NumThreads < 1 || NumThreads > 16) begin : gen_bad_threads
    $fatal(1, "%m: NumThreads must be 1..16, is %0d", NumThreads);
  end
  if (Width < 1 || Width > 1024) begin : gen_bad_width
    $fatal(1, "%m: Width must be 1..1024, is %0d", Width);
  end

  // takes[t][s]: thread t is the one that thread s sends to.
  logic [NumThreads-1:0][NumThreads-1:0] takes;

  always_comb begin
    for (int unsigned s = 0; s < NumThreads; s++) begin
      logic served;
      served = 1'b0;
      for (int unsigned t = 0; t < NumThreads; t++) begin
        takes[t][s] = direct_i[t] && source_i[t] == 4'(s) && !served;
        served      = served || takes[t][s];
      end
    end
  end

  always_comb begin
    for (int unsigned t = 0; t < NumThreads; t++) begin
      to_data_o[t]  = direct_i[t] ? '0 : mem_in_data_i[t];
      to_valid_o[t] = !direct_i[t] && mem_in_valid_i[t];
      for (int unsigned s = 0; s < NumThreads; s++) begin
        to_data_o[t]  |= {Width{takes[t][s]}} & from_data_i[s];
        to_valid_o[t] |= takes[t][s] && from_valid_i[s];
      end
      mem_in_ready_o[t] = !direct_i[t] && to_ready_i[t];
    end
    for (int unsigned s = 0; s < NumThreads; s++) begin
      logic direct;
      direct          = 1'b0;
      from_ready_o[s] = 1'b0;
      for (int unsigned t = 0; t < NumThreads; t++) begin
        direct          = direct || takes[t][s];
        from_ready_o[s] = from_ready_o[s] || (takes[t][s] && to_ready_i[t]);
      end
      mem_out_data_o[s]  = from_data_i[s];
      mem_out_valid_o[s] = from_valid_i[s] && !direct;
      if (!direct) from_ready_o[s] = mem_out_ready_i[s];
    end
  end

endmodule
