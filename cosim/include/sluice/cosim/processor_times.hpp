// SPDX-License-Identifier: Apache-2.0
// How long a Cortex-A9 of a Zynq-7000 waits for its caches, its memory and its registers, for
// QEMU's plugin, which has the processor's caches and TLBs (cosim/door/a9_clock.h). Each value is
// one of the model's parameters (a9_params.hpp), measured in the model, or assumed, as
// processor_times.cpp says of each.
#pragma once

#include "sluice/cosim/pl_wire.h"
#include "sluice/model/zynq7000_params.hpp"

namespace sluice::cosim {

// Of a memory system with these parameters, when nothing else uses it.
[[nodiscard]] sluice_pl_processor cortex_a9_times(const model::Zynq7000Params& params);

}  // namespace sluice::cosim
