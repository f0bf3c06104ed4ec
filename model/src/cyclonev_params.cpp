// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev_params.hpp"

namespace sluice::model {

CycloneVParams cyclonev_de1soc() {
  CycloneVParams params;
  // board: DRAMTIMING1..4, in clocks of 400 MHz; formulas between commands from HPC2, DDR3.
  params.timing = {.banks = 8,
                   .burst_cycles = 4,
                   .CL = 7,
                   .CWL = 7,
                   .tCCD = 4,
                   .tRCD = 6,
                   .tRP = 6,
                   .tRAS = 15,
                   .tRC = 20,
                   .tRRD = 3,
                   .tFAW = 18,
                   .tWR = 6,
                   .tWTR = 4,
                   .tRTP = 4,   // max(tRTP 3, 4)
                   .rd2wr = 6,  // CL - CWL + BL/2 + 2
                   .tRFC = 120,
                   .tREFI = 3120,
                   .refresh_postpone = 8};
  return params;
}

}  // namespace sluice::model
