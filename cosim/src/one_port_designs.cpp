// SPDX-License-Identifier: Apache-2.0
#include "one_port_designs.hpp"

#ifdef SLUICE_ALL_DESIGNS
#include <Vcdma_w64_p1.h>
#include <Vdma_loopback_w64_p1.h>
#include <Vmsgdma_w64_p1.h>

#include "one_port_design.hpp"
#endif

namespace sluice::cosim {

std::unique_ptr<sim::HpDesign> make_one_port_design(std::string_view design, unsigned width_bits) {
#ifdef SLUICE_ALL_DESIGNS
  if (width_bits != 64) return nullptr;
  if (design == "dma_loopback")
    return std::make_unique<OnePortDesign<Vdma_loopback_w64_p1>>("dma_loopback");
  if (design == "cdma") return std::make_unique<OnePortDesign<Vcdma_w64_p1>>("cdma");
  if (design == "msgdma") return std::make_unique<OnePortDesign<Vmsgdma_w64_p1>>("msgdma");
#endif
  static_cast<void>(design);
  static_cast<void>(width_bits);
  return nullptr;
}

}  // namespace sluice::cosim
