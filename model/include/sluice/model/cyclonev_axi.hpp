// SPDX-License-Identifier: Apache-2.0
// Pins of one FPGA-to-SDRAM port, 32 to 256 bits.
//
// The hard interface is AXI3, whose bursts have at most 16 beats. Its WID is left out here, as in
// the designs, which never interleave writes; it has no QOS. SIZE is that of the port's full width.
// Data is in the low words; a port of W bits uses W/8 strobes.
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/axi.hpp"

namespace sluice::model {

using F2sData = std::array<std::uint64_t, 4>;  ///< 256 bits, least significant word first
using F2sInputs = AxiInputs<F2sData, std::uint32_t>;
using F2sOutputs = AxiOutputs<F2sData>;

}  // namespace sluice::model
