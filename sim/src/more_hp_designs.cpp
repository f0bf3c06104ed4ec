// SPDX-License-Identifier: Apache-2.0
#include <Vcapture_w64.h>
#include <Vcdma_acp_w64.h>
#include <Vcdma_w64.h>
#include <Vdma_loopback_w64.h>
#include <Vmemif_threads_w64.h>
#include <Vmsgdma_w64.h>
#include <Vstreamif_threads_w64.h>

#include "hp_designs.hpp"
#include "verilated_hp.hpp"

namespace sluice::sim {

std::unique_ptr<Design> make_dma_loopback(unsigned width_bits) {
  constexpr const char* kName = "dma_loopback";
  if (width_bits != 64) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vdma_loopback_w64, QData>>(kName);
}

std::unique_ptr<Design> make_cdma(unsigned width_bits) {
  constexpr const char* kName = "cdma";
  if (width_bits != 64) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vcdma_w64, QData>>(kName);
}

std::unique_ptr<Design> make_cdma_acp(unsigned width_bits) {
  constexpr const char* kName = "cdma_acp";
  if (width_bits != 64) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vcdma_acp_w64, QData>>(kName, true);
}

std::unique_ptr<Design> make_msgdma(unsigned width_bits) {
  constexpr const char* kName = "msgdma";
  if (width_bits != 64) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vmsgdma_w64, QData>>(kName);
}

std::unique_ptr<Design> make_capture(unsigned width_bits) {
  constexpr const char* kName = "capture";
  if (width_bits != 64) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vcapture_w64, QData>>(kName);
}

std::unique_ptr<Design> make_streamif_threads(unsigned width_bits) {
  constexpr const char* kName = "streamif_threads";
  if (width_bits != kThreadStreamBits) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vstreamif_threads_w64, QData>>(kName);
}

std::unique_ptr<Design> make_memif_threads(unsigned width_bits) {
  constexpr const char* kName = "memif_threads";
  if (width_bits != kThreadStreamBits) refuse_width(kName, width_bits);
  return std::make_unique<VerilatedHpDesign<Vmemif_threads_w64, QData>>(kName, true);
}

}  // namespace sluice::sim
