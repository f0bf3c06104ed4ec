// SPDX-License-Identifier: Apache-2.0
// Each design stands with the Verilated models that it needs: it is there if they are built.
#include "hp_designs.hpp"

#include "verilated_hp.hpp"

using sluice::sim::Design;
using sluice::sim::kThreadStreamBits;
using sluice::sim::refuse_width;
using sluice::sim::VerilatedHpDesign;

namespace {

constexpr unsigned kPortBits = 64;

// A design whose one model has ports of Data's width; width_bits has to be `only`.
template <typename Top, typename Data = QData>
[[maybe_unused]] std::unique_ptr<Design> make_one_width(const char* name, unsigned width_bits,
                                                        unsigned only, bool on_acp = false) {
  if (width_bits != only) refuse_width(name, width_bits);
  return std::make_unique<VerilatedHpDesign<Top, Data>>(name, on_acp);
}

}  // namespace

#ifdef SLUICE_HAS_HP_STRESS
#include <Vhp_stress_w32.h>
#include <Vhp_stress_w64.h>

std::unique_ptr<Design> sluice::sim::make_hp_stress(unsigned width_bits) {
  constexpr const char* kName = "hp_stress";
  switch (width_bits) {
    case 32: return std::make_unique<VerilatedHpDesign<Vhp_stress_w32, IData>>(kName);
    case 64: return std::make_unique<VerilatedHpDesign<Vhp_stress_w64, QData>>(kName);
    default: refuse_width(kName, width_bits);
  }
}
#endif

#ifdef SLUICE_HAS_HP_STRESS_SG
#include <Vhp_stress_sg_w64.h>

std::unique_ptr<Design> sluice::sim::make_hp_stress_sg(unsigned width_bits) {
  return make_one_width<Vhp_stress_sg_w64>("hp_stress_sg", width_bits, kPortBits);
}
#endif

#ifdef SLUICE_HAS_DMA_LOOPBACK
#include <Vdma_loopback_w64.h>

std::unique_ptr<Design> sluice::sim::make_dma_loopback(unsigned width_bits) {
  return make_one_width<Vdma_loopback_w64>("dma_loopback", width_bits, kPortBits);
}
#endif

#ifdef SLUICE_HAS_DMA_LOOPBACK_ACP
#include <Vdma_loopback_acp_w64.h>

std::unique_ptr<Design> sluice::sim::make_dma_loopback_acp(unsigned width_bits) {
  return make_one_width<Vdma_loopback_acp_w64>("dma_loopback_acp", width_bits, kPortBits, true);
}
#endif

#ifdef SLUICE_HAS_CDMA
#include <Vcdma_7020_w64.h>
#include <Vcdma_w64.h>

std::unique_ptr<Design> sluice::sim::make_cdma(unsigned width_bits) {
  return make_one_width<Vcdma_w64>("cdma", width_bits, kPortBits);
}

std::unique_ptr<Design> sluice::sim::make_cdma_7020(unsigned width_bits) {
  return make_one_width<Vcdma_7020_w64>("cdma", width_bits, kPortBits);
}
#endif

#ifdef SLUICE_HAS_CDMA_ACP
#include <Vcdma_acp_w64.h>

std::unique_ptr<Design> sluice::sim::make_cdma_acp(unsigned width_bits) {
  return make_one_width<Vcdma_acp_w64>("cdma_acp", width_bits, kPortBits, true);
}
#endif

#ifdef SLUICE_HAS_MSGDMA
#include <Vmsgdma_w64.h>

std::unique_ptr<Design> sluice::sim::make_msgdma(unsigned width_bits) {
  return make_one_width<Vmsgdma_w64>("msgdma", width_bits, kPortBits);
}
#endif

#ifdef SLUICE_HAS_CAPTURE
#include <Vcapture_w64.h>

std::unique_ptr<Design> sluice::sim::make_capture(unsigned width_bits) {
  return make_one_width<Vcapture_w64>("capture", width_bits, kPortBits);
}
#endif

#ifdef SLUICE_HAS_CAPTURE_32
#include <Vcapture_32_w32.h>

std::unique_ptr<Design> sluice::sim::make_capture_32(unsigned width_bits) {
  return make_one_width<Vcapture_32_w32, IData>("capture_32", width_bits, 32);
}
#endif

#ifdef SLUICE_HAS_CAPTURE_ACP
#include <Vcapture_acp_w64.h>

std::unique_ptr<Design> sluice::sim::make_capture_acp(unsigned width_bits) {
  return make_one_width<Vcapture_acp_w64>("capture_acp", width_bits, kPortBits, true);
}
#endif

#ifdef SLUICE_HAS_STREAMIF_THREADS
#include <Vstreamif_threads_w64.h>

std::unique_ptr<Design> sluice::sim::make_streamif_threads(unsigned width_bits) {
  return make_one_width<Vstreamif_threads_w64>("streamif_threads", width_bits, kThreadStreamBits);
}
#endif

#ifdef SLUICE_HAS_MEMIF_THREADS
#include <Vmemif_threads_w64.h>

std::unique_ptr<Design> sluice::sim::make_memif_threads(unsigned width_bits) {
  return make_one_width<Vmemif_threads_w64>("memif_threads", width_bits, kThreadStreamBits, true);
}
#endif
