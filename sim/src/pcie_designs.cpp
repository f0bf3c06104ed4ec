// SPDX-License-Identifier: Apache-2.0
#include "pcie_designs.hpp"

#include "verilated_pcie.hpp"

using sluice::sim::Design;
using sluice::sim::refuse_width;
using sluice::sim::VerilatedPcieDesign;

#ifdef SLUICE_HAS_XDMA
#include <Vxdma_w128.h>
#include <Vxdma_w256.h>
#include <Vxdma_w512.h>

std::unique_ptr<Design> sluice::sim::make_xdma(unsigned width_bits) {
  constexpr const char* kName = "xdma";
  switch (width_bits) {
    case 128: return std::make_unique<VerilatedPcieDesign<Vxdma_w128>>(kName, width_bits);
    case 256: return std::make_unique<VerilatedPcieDesign<Vxdma_w256>>(kName, width_bits);
    case 512: return std::make_unique<VerilatedPcieDesign<Vxdma_w512>>(kName, width_bits);
    default: refuse_width(kName, width_bits);
  }
}
#endif

#ifdef SLUICE_HAS_XDMA_STREAM
#include <Vxdma_stream_w128.h>
#include <Vxdma_stream_w256.h>
#include <Vxdma_stream_w512.h>

std::unique_ptr<Design> sluice::sim::make_xdma_stream(unsigned width_bits) {
  constexpr const char* kName = "xdma_stream";
  switch (width_bits) {
    case 128: return std::make_unique<VerilatedPcieDesign<Vxdma_stream_w128>>(kName, width_bits);
    case 256: return std::make_unique<VerilatedPcieDesign<Vxdma_stream_w256>>(kName, width_bits);
    case 512: return std::make_unique<VerilatedPcieDesign<Vxdma_stream_w512>>(kName, width_bits);
    default: refuse_width(kName, width_bits);
  }
}
#endif

#ifdef SLUICE_HAS_AVMM
#include <Vavmm_w128.h>
#include <Vavmm_w256.h>
#include <Vavmm_w512.h>

std::unique_ptr<Design> sluice::sim::make_avmm(unsigned width_bits) {
  constexpr const char* kName = "avmm";
  switch (width_bits) {
    case 128: return std::make_unique<VerilatedPcieDesign<Vavmm_w128>>(kName, width_bits);
    case 256: return std::make_unique<VerilatedPcieDesign<Vavmm_w256>>(kName, width_bits);
    case 512: return std::make_unique<VerilatedPcieDesign<Vavmm_w512>>(kName, width_bits);
    default: refuse_width(kName, width_bits);
  }
}
#endif
