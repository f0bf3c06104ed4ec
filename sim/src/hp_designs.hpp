// SPDX-License-Identifier: Apache-2.0
// The designs for HP ports (rtl/design), each a Verilated model for each width that it is built
// for.
#pragma once

#include <memory>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

// As the models are built.
inline constexpr unsigned kHpPorts = 4;
inline constexpr unsigned kHpLengthBits = 26;
inline constexpr unsigned kMsgdmaLengthBits = 31;
inline constexpr unsigned kThreads = 8;
inline constexpr unsigned kThreadStreamBits = 32;
inline constexpr unsigned kThreadPortBits = 64;

// Throw std::invalid_argument if the design is not built for ports of width_bits. Each is there
// where SLUICE_HAS_ and its name is defined.
std::unique_ptr<Design> make_hp_stress(unsigned width_bits);
// The same with engines that take descriptors (scatter-gather), and no others.
std::unique_ptr<Design> make_hp_stress_sg(unsigned width_bits);
std::unique_ptr<Design> make_dma_loopback(unsigned width_bits);
std::unique_ptr<Design> make_dma_loopback_acp(unsigned width_bits);
std::unique_ptr<Design> make_cdma(unsigned width_bits);
// The same with the block RAM of a zynq7020.
std::unique_ptr<Design> make_cdma_7020(unsigned width_bits);
std::unique_ptr<Design> make_cdma_acp(unsigned width_bits);
std::unique_ptr<Design> make_msgdma(unsigned width_bits);
std::unique_ptr<Design> make_capture(unsigned width_bits);
std::unique_ptr<Design> make_capture_32(unsigned width_bits);
std::unique_ptr<Design> make_capture_acp(unsigned width_bits);
// Hardware threads, whose streams are of width_bits; the ports have kThreadPortBits.
std::unique_ptr<Design> make_streamif_threads(unsigned width_bits);
// The same threads on one path of 32 bits for all, to the ACP.
std::unique_ptr<Design> make_memif_threads(unsigned width_bits);

}  // namespace sluice::sim
