// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/catalogue.hpp"

#include <algorithm>
#include <utility>

#include "f2s_designs.hpp"
#include "hp_designs.hpp"
#include "pcie_designs.hpp"
#include "sluice/model/fitted_streamif.hpp"

#if defined(SLUICE_HAS_XDMA) || defined(SLUICE_HAS_XDMA_STREAM) || defined(SLUICE_HAS_AVMM)
#define SLUICE_HAS_PCIE
#endif

namespace sluice::sim {
namespace {

constexpr uint64_t kKiB = uint64_t{1} << 10;
constexpr uint64_t kMiB = uint64_t{1} << 20;
// vieira2020, text beside figure 7: above 90 % of the rate from 512 KiB on, not before.
constexpr uint32_t kLinuxStartNs = 28'000;

[[maybe_unused]] DesignEntry hp_design(std::string_view name, std::string_view text,
                                       std::vector<unsigned> widths,
                                       std::unique_ptr<Design> (*make)(unsigned width_bits)) {
  return {
      .name = name,
      .text = text,
      .port_count = kHpPorts,
      .widths_bits = std::move(widths),
      .max_transfer_bytes = (uint64_t{1} << kHpLengthBits) - 1,
      .make = make,
  };
}

constexpr uint32_t kIdentityStress = 0x534c'4850;    // SLHP
constexpr uint32_t kIdentityStressSg = 0x534c'4853;  // SLHS
constexpr uint32_t kIdentityLoopback = 0x534c'4c42;  // SLLB
constexpr uint32_t kIdentityCdma = 0x534c'4344;      // SLCD
constexpr uint32_t kIdentityCapture = 0x534c'4341;   // SLCA
constexpr uint32_t kIdentityF2s = 0x534c'4632;       // SLF2
constexpr uint32_t kPage = 0x4'0000;                 // of the designs of the HP ports

// Between the CDMA's reader and its writer stand two beats.
[[maybe_unused]] TransactionDesign cdma_transactions(unsigned lanes, uint64_t ram_bytes) {
  return {.kind = TransactionDesign::Engine::cdma,
          .streams = TransactionDesign::Streams::none,
          .descriptors = TransactionDesign::Descriptors::same_port,
          .identity = kIdentityCdma,
          .page = kPage,
          .lanes = lanes,
          .length_bits = kHpLengthBits,
          .ram_bytes = ram_bytes,
          .write_cycles = 4,
          .engine = {.loop_beats = 2, .loop_latency_edges = 1}};
}

[[maybe_unused]] TransactionDesign capture_transactions(unsigned width_bits) {
  return {.streams = TransactionDesign::Streams::capture,
          .descriptors = TransactionDesign::Descriptors::next_port,
          .identity = kIdentityCapture,
          .page = kPage,
          .lanes = 1,
          .length_bits = kHpLengthBits,
          .write_cycles = 4,
          .engine = {.port_bits = width_bits}};
}

std::vector<DesignEntry> hp_designs() {
  std::vector<DesignEntry> designs;
#ifdef SLUICE_HAS_HP_STRESS
  designs.push_back(hp_design(
      "hp_stress",
      "1 to 4 HP ports, an AXI DMA on each, with pattern source, checking sink and loop-back",
      {32, 64}, make_hp_stress));
  designs.back().transactions = {.identity = kIdentityStress, .length_bits = kHpLengthBits};
  designs.back().full_rate = true;
#endif
#ifdef SLUICE_HAS_HP_STRESS_SG
  designs.push_back(hp_design("hp_stress_sg",
                              "hp_stress with engines that take descriptors, as Linux drives them",
                              {64}, make_hp_stress_sg));
  designs.back().transactions = {.streams = TransactionDesign::Streams::counted,
                                 .descriptors = TransactionDesign::Descriptors::same_port,
                                 .identity = kIdentityStressSg,
                                 .length_bits = kHpLengthBits};
#endif
#ifdef SLUICE_HAS_DMA_LOOPBACK
  designs.push_back(hp_design("dma_loopback",
                              "1 to 4 HP ports, an AXI DMA on each, its streams in loop-back", {64},
                              make_dma_loopback));
  designs.back().transactions = {.streams = TransactionDesign::Streams::loop,
                                 .descriptors = TransactionDesign::Descriptors::same_port,
                                 .identity = kIdentityLoopback,
                                 .length_bits = kHpLengthBits};
  designs.back().full_rate = true;
#endif
#ifdef SLUICE_HAS_DMA_LOOPBACK_ACP
  designs.push_back(
      hp_design("dma_loopback_acp",
                "an AXI DMA on the ACP, coherent with the CPU's caches, its streams in loop-back",
                {64}, make_dma_loopback_acp));
  designs.back().port_count = 1;
  designs.back().port_name = "ACP";
  designs.back().transactions = {.ports = TransactionDesign::Ports::acp,
                                 .streams = TransactionDesign::Streams::loop,
                                 .descriptors = TransactionDesign::Descriptors::same_port,
                                 .identity = kIdentityLoopback,
                                 .page = kPage,
                                 .lanes = 1,
                                 .length_bits = kHpLengthBits};
#endif
#ifdef SLUICE_HAS_CDMA
  designs.push_back(hp_design(
      "cdma", "1 to 4 HP ports, an AXI CDMA on each, between memory and 32 KiB of block RAM each",
      {64}, make_cdma));
  designs.back().transactions = cdma_transactions(kHpPorts, 32 * kKiB);
#endif
#ifdef SLUICE_HAS_CDMA_ACP
  designs.push_back(hp_design(
      "cdma_acp",
      "an AXI CDMA on the ACP, coherent with the CPU's caches, between memory and 64 KiB of block "
      "RAM",
      {64}, make_cdma_acp));
  designs.back().port_count = 1;
  designs.back().port_name = "ACP";
  designs.back().transactions = cdma_transactions(1, 64 * kKiB);
  designs.back().transactions->ports = TransactionDesign::Ports::acp;
#endif
#ifdef SLUICE_HAS_MSGDMA
  designs.push_back(hp_design("msgdma", "1 to 4 HP ports, an mSGDMA on each, memory to memory",
                              {64}, make_msgdma));
  designs.back().max_transfer_bytes = (uint64_t{1} << kMsgdmaLengthBits) - 1;
#endif
#ifdef SLUICE_HAS_CAPTURE
  designs.push_back(hp_design(
      "capture", "a counter source, captured by a cyclic AXI DMA on HP0, descriptors on HP1", {64},
      make_capture));
  designs.back().port_count = 1;
  designs.back().transactions = capture_transactions(64);
#endif
#ifdef SLUICE_HAS_CAPTURE_32
  designs.push_back(
      hp_design("capture_32", "capture with a stream and ports of 32 bits", {32}, make_capture_32));
  designs.back().port_count = 1;
  designs.back().transactions = capture_transactions(32);
#endif
#ifdef SLUICE_HAS_CAPTURE_ACP
  designs.push_back(hp_design(
      "capture_acp", "capture with data and descriptors on the ACP, coherent with the CPU's caches",
      {64}, make_capture_acp));
  designs.back().port_count = 1;
  designs.back().port_name = "ACP";
  designs.back().transactions = capture_transactions(64);
  designs.back().transactions->ports = TransactionDesign::Ports::acp;
  designs.back().transactions->descriptors = TransactionDesign::Descriptors::same_port;
#endif
  return designs;
}

// The memory interface of Guven and Sahin 2017 (StreamIF): hardware threads with streams of 32
// bits, bursts of 1 KiB (eight of the port's), one in flight a thread and direction.
DesignEntry streamif() {
  constexpr unsigned kThreads = 8;
  return {
      .name = "streamif",
      .text = "1 to 8 threads with 32-bit streams, two an HP port, 1 KiB bursts one at a time",
      .port_count = kThreads,
      .widths_bits = {32},
      .max_transfer_bytes = (uint64_t{1} << kHpLengthBits) - 1,
      .make = nullptr,
      .transactions =
          TransactionDesign{.identity = kIdentityStress,
                            .lanes = kThreads,
                            .lanes_per_port = 2,
                            .length_bits = kHpLengthBits,
                            .engine = {.port_bits = 64,
                                       .loop_latency_edges = 1,
                                       .stream_bits = 32,
                                       .group_bursts = 8,
                                       .read_gap_edges = model::fitted::streamif::read_gap_edges,
                                       .write_gap_edges = model::fitted::streamif::write_gap_edges,
                                       .loop_gap_edges = model::fitted::streamif::loop_gap_edges}},
      .port_name = "T",
  };
}

// A lane of hp_stress on the accelerator coherency port.
DesignEntry acp_stress() {
  return {
      .name = "acp_stress",
      .text = "the ACP, through the SCU and the L2 cache, with the engine and streams of hp_stress",
      .port_count = 1,
      .widths_bits = {64},
      .max_transfer_bytes = (uint64_t{1} << kHpLengthBits) - 1,
      .make = nullptr,
      .transactions = TransactionDesign{.ports = TransactionDesign::Ports::acp,
                                        .identity = kIdentityStress,
                                        .lanes = 1,
                                        .length_bits = kHpLengthBits},
      .port_name = "ACP",
  };
}

// Lanes of hp_stress on the general-purpose slave ports.
DesignEntry gp_stress() {
  return {
      .name = "gp_stress",
      .text =
          "1 or 2 GP ports, through the central interconnect, with the engines and streams of "
          "hp_stress",
      .port_count = 2,
      .widths_bits = {32},
      .max_transfer_bytes = (uint64_t{1} << kHpLengthBits) - 1,
      .make = nullptr,
      .transactions = TransactionDesign{.ports = TransactionDesign::Ports::gp,
                                        .identity = kIdentityStress,
                                        .lanes = 2,
                                        .length_bits = kHpLengthBits,
                                        .engine = {.port_bits = 32}},
      .port_name = "GP",
  };
}

#if defined(SLUICE_HAS_STREAMIF_THREADS) || defined(SLUICE_HAS_MEMIF_THREADS)
DesignEntry thread_design(std::string_view name, std::string_view text,
                          std::unique_ptr<Design> (*make)(unsigned width_bits)) {
  DesignEntry design = hp_design(name, text, {kThreadStreamBits}, make);
  design.port_count = kThreads;
  design.port_name = "T";
  design.port_bits = kThreadPortBits;
  return design;
}
#endif

#ifdef SLUICE_HAS_F2S_STRESS
DesignEntry f2s_stress() {
  return {
      .name = "f2s_stress",
      .text =
          "1 to 3 F2S ports (of 128 bits 2, of 256 bits 1), an mSGDMA each way, with pattern "
          "source, checking sink and loop-back",
      .port_count = kF2sMostPorts,
      .widths_bits = {32, 64, 128, 256},
      .max_transfer_bytes = (uint64_t{1} << kF2sLengthBits) - 1,
      .make = make_f2s_stress,
      .transactions = TransactionDesign{.ports = TransactionDesign::Ports::f2s,
                                        .kind = TransactionDesign::Engine::msgdma,
                                        .identity = kIdentityF2s,
                                        .page = kPage,
                                        .length_bits = kF2sLengthBits},
      .port_name = "F2S",
      .ports_at = f2s_ports,
      .full_rate = true,
  };
}
#endif

#ifdef SLUICE_HAS_PCIE
std::vector<DesignEntry> pcie_designs(unsigned width_bits) {
  std::vector<DesignEntry> designs;
  const auto add = [&](std::string_view name, std::string_view text, unsigned length_bits,
                       std::unique_ptr<Design> (*make)(unsigned width)) {
    designs.push_back({.name = name,
                       .text = text,
                       .port_count = 1,
                       .widths_bits = {width_bits},
                       .max_transfer_bytes = (uint64_t{1} << length_bits) - 1,
                       .make = make,
                       .port_name = "PCIe"});
  };
#ifdef SLUICE_HAS_XDMA
  add("xdma", "AMD's XDMA registers, a channel each way between host memory and the card's",
      kXdmaLengthBits, make_xdma);
  designs.back().card_transactions = true;
#endif
#ifdef SLUICE_HAS_XDMA_STREAM
  add("xdma_stream",
      "AMD's XDMA registers, a channel each way between host memory and streams, with pattern "
      "source, checking sink and loop-back",
      kXdmaLengthBits, make_xdma_stream);
#endif
#ifdef SLUICE_HAS_AVMM
  add("avmm",
      "the published FPGA-GPU system's tables of descriptors, a direction each between host memory "
      "and the card's",
      kAvmmLengthBits, make_avmm);
#endif
  return designs;
}

BoardEntry pcie_board(const model::PcieParams& params, std::string_view name, std::string_view text,
                      unsigned width_bits, double clock_mhz) {
  return {
      .name = name,
      .text = text,
      .memory_system = params,
      .default_clock_mhz = clock_mhz,
      .min_clock_mhz = 10.0,
      .max_clock_mhz = 500.0,
      .start_cost = {.ns = 500},  // a program's, with the card's registers mapped; assumed
      .reserved_bytes = 0,
      .designs = pcie_designs(width_bits),
  };
}
#endif

std::vector<BoardEntry> build() {
  std::vector<BoardEntry> boards;
  boards.push_back({
      .name = "zynq7010",
      .text = "XC7Z010 (Zybo): four AXI HP ports, 512 MiB of DDR3-1066, 32 bits wide",
      .memory_system = model::zynq7010(),
      .default_clock_mhz = 100.0,
      .min_clock_mhz = 10.0,
      .max_clock_mhz = 250.0,  // DS187: F_AXI_MAX of the PL's AXI ports
      // vieira2020 table 3: the rows at full rate, all at 100 MHz, fall short of it by 2.1 us per
      // engine. Assumed: software spends it on accesses to registers, on the logic's clock.
      .start_cost = {.clocks = 210},
      // Not published; that of a program on the Cyclone V below, which has the same processors.
      .linux_start_cost_ns = kLinuxStartNs,
      .overload_error_percent = model::fitted::zynq7000::score_percent,
      .worst_overload_error_percent = model::fitted::zynq7000::worst_percent,
      .reserved_bytes = 1 * kMiB,  // UG585 table 4-1: the HP ports do not reach the first 512 KiB
      .designs = hp_designs(),
  });
  boards.back().designs.push_back(acp_stress());
  boards.back().designs.push_back(gp_stress());
  boards.push_back(boards.back());
  BoardEntry& zynq7020 = boards.back();
  zynq7020.name = "zynq7020";
  zynq7020.text = "XC7Z020 (ZedBoard): four AXI HP ports, 512 MiB of DDR3-1066, 32 bits wide";
  zynq7020.memory_system = model::zynq7020();
#ifdef SLUICE_HAS_CDMA
  const auto cdma = std::ranges::find(zynq7020.designs, "cdma", &DesignEntry::name);
  cdma->text = "1 to 4 HP ports, an AXI CDMA on each, between memory and 64 KiB of block RAM each";
  cdma->make = make_cdma_7020;
  cdma->transactions = cdma_transactions(kHpPorts, 64 * kKiB);
#endif
  zynq7020.designs.push_back(streamif());
#ifdef SLUICE_HAS_STREAMIF_THREADS
  zynq7020.designs.push_back(thread_design("streamif_threads",
                                           "8 hardware threads with 32-bit streams on sl_streamif, "
                                           "two an HP port",
                                           make_streamif_threads));
#endif
#ifdef SLUICE_HAS_MEMIF_THREADS
  zynq7020.designs.push_back(thread_design(
      "memif_threads", "the same threads on sl_memif, one half-duplex path of 32 bits to the ACP",
      make_memif_threads));
#endif
#ifdef SLUICE_HAS_F2S_STRESS
  boards.push_back({
      .name = "cyclonev",
      .text = "5CSEMA5 (DE1-SoC): FPGA-to-SDRAM ports, 1 GiB of DDR3-800, 32 bits wide",
      .memory_system = model::cyclonev_de1soc(),
      .default_clock_mhz = 100.0,
      .min_clock_mhz = 10.0,
      .max_clock_mhz = 200.0,
      // vieira2020 table 5: the 32-bit rows lose 0.05 % of the time of 32 MiB, proportional to it;
      // nothing is left for a fixed cost beyond that of a Zynq.
      .start_cost = {.clocks = 210},
      .linux_start_cost_ns = kLinuxStartNs,
      .overload_error_percent = model::fitted::cyclonev::score_percent,
      .worst_overload_error_percent = model::fitted::cyclonev::worst_percent,
      .reserved_bytes = 1 * kMiB,
      .designs = {f2s_stress()},
  });
#endif
#ifdef SLUICE_HAS_PCIE
  boards.push_back(pcie_board(model::pcie_gen2x4(), "pcie-gen2x4",
                              "a card in a PC, PCI Express Gen2 x4: 128 bits at 125 MHz", 128,
                              125.0));
  boards.push_back(pcie_board(model::pcie_gen3x8(), "pcie-gen3x8",
                              "a card in a PC, PCI Express Gen3 x8: 256 bits at 250 MHz", 256,
                              250.0));
  boards.push_back(pcie_board(model::pcie_gen4x8(), "pcie-gen4x8",
                              "a card in a PC, PCI Express Gen4 x8: 512 bits at 250 MHz", 512,
                              250.0));
#endif
  return boards;
}

}  // namespace

const std::vector<BoardEntry>& catalogue() {
  static const std::vector<BoardEntry> boards = build();
  return boards;
}

}  // namespace sluice::sim
