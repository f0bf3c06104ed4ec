// SPDX-License-Identifier: Apache-2.0
// The designs of a PCI Express card (rtl/design), each a Verilated model for each width that it is
// built for. Each is there where SLUICE_HAS_ and its name is defined.
#pragma once

#include <memory>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

inline constexpr unsigned kXdmaLengthBits = 28;
inline constexpr unsigned kAvmmLengthBits = 20;  // of a descriptor: libsluice takes several

// Throw std::invalid_argument if the design is not built for ports of width_bits.
std::unique_ptr<Design> make_xdma(unsigned width_bits);
std::unique_ptr<Design> make_xdma_stream(unsigned width_bits);
std::unique_ptr<Design> make_avmm(unsigned width_bits);

}  // namespace sluice::sim
