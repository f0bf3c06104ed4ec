// SPDX-License-Identifier: Apache-2.0
// Included before everything in the compilation of Verilator's run time: what a design prints
// goes into the sentence of the DesignFault that its $error or $fatal throws, not to standard
// output, and no design ends the process.
#pragma once

namespace sluice::sim {
[[gnu::format(printf, 1, 2)]] void design_printf(const char* format, ...);
}

#define VL_PRINTF ::sluice::sim::design_printf
#define VL_USER_STOP
#define VL_USER_FATAL
