// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/catalogue.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sluice/model/fitted_streamif.hpp"
#include "verilated_models.hpp"

namespace sluice::sim {
namespace {

using Engine = TransactionDesign::Engine;
using Ports = TransactionDesign::Ports;
using Streams = TransactionDesign::Streams;
using Descriptors = TransactionDesign::Descriptors;

constexpr uint64_t kKiB = uint64_t{1} << 10;
constexpr uint64_t kMiB = uint64_t{1} << 20;
// vieira2020, text beside figure 7: above 90 % of the rate from 512 KiB on, not before.
constexpr uint32_t kLinuxStartNs = 28'000;

constexpr uint32_t kIdentityStress = 0x534c'4850;    // SLHP
constexpr uint32_t kIdentityStressSg = 0x534c'4853;  // SLHS
constexpr uint32_t kIdentityLoopback = 0x534c'4c42;  // SLLB
constexpr uint32_t kIdentityCdma = 0x534c'4344;      // SLCD
constexpr uint32_t kIdentityCapture = 0x534c'4341;   // SLCA
constexpr uint32_t kIdentityF2s = 0x534c'4632;       // SLF2
constexpr uint32_t kPage = 0x4'0000;                 // of the designs of the HP ports

constexpr unsigned kHpPorts = 4;
constexpr unsigned kThreads = 8;

// Of an engine with a length register of so many bits.
constexpr uint64_t longest_bytes(unsigned length_bits) { return (uint64_t{1} << length_bits) - 1; }
constexpr uint64_t kMsgdmaBytes = longest_bytes(31);
constexpr uint64_t kXdmaBytes = longest_bytes(28);
constexpr uint64_t kAvmmBytes = longest_bytes(20);  // of a descriptor: libsluice takes several

// Between the CDMA's reader and its writer are two beats.
TransactionDesign cdma(Ports ports, unsigned lanes, uint64_t ram_bytes) {
  return {.ports = ports,
          .kind = Engine::cdma,
          .streams = Streams::none,
          .descriptors = Descriptors::same_port,
          .identity = kIdentityCdma,
          .page = kPage,
          .lanes = lanes,
          .ram_bytes = ram_bytes,
          .write_cycles = 4,
          .engine = {.loop_beats = 2, .loop_latency_edges = 1}};
}

TransactionDesign capture(Ports ports, Descriptors descriptors, unsigned width_bits) {
  return {.ports = ports,
          .streams = Streams::capture,
          .descriptors = descriptors,
          .identity = kIdentityCapture,
          .page = kPage,
          .lanes = 1,
          .write_cycles = 4,
          .engine = {.port_bits = width_bits}};
}

// The memory interface of Guven and Sahin 2017 (StreamIF): hardware threads with streams of 32
// bits, bursts of 1 KiB (eight of the port's), one in flight a thread and direction.
TransactionDesign streamif() {
  return {.identity = kIdentityStress,
          .lanes = kThreads,
          .lanes_per_port = 2,
          .engine = {.port_bits = 64,
                     .loop_latency_edges = 1,
                     .stream_bits = 32,
                     .group_bursts = 8,
                     .read_gap_edges = model::fitted::streamif::read_gap_edges,
                     .write_gap_edges = model::fitted::streamif::write_gap_edges,
                     .loop_gap_edges = model::fitted::streamif::loop_gap_edges}};
}

// Which boards have a design.
enum Boards : unsigned {
  kZynq7010 = 1,
  kZynq7020 = 2,
  kZynqs = kZynq7010 | kZynq7020,
  kCycloneV = 4,
  kCards = 8,
};

struct Row {
  Boards boards;
  DesignEntry design;
};

// Boards list their designs in this order.
std::vector<Row> table() {
  return {
      {kZynqs,
       {.name = "hp_stress",
        .text =
            "1 to 4 HP ports, an AXI DMA on each, with pattern source, checking sink and loop-back",
        .model = "hp_stress",
        .port_count = kHpPorts,
        .transactions = TransactionDesign{.identity = kIdentityStress},
        .full_rate = true}},
      {kZynqs,
       {.name = "hp_stress_sg",
        .text = "hp_stress with engines that take descriptors, as Linux drives them",
        .model = "hp_stress_sg",
        .port_count = kHpPorts,
        .transactions = TransactionDesign{.streams = Streams::counted,
                                          .descriptors = Descriptors::same_port,
                                          .identity = kIdentityStressSg}}},
      {kZynqs,
       {.name = "dma_loopback",
        .text = "1 to 4 HP ports, an AXI DMA on each, its streams in loop-back",
        .model = "dma_loopback",
        .port_count = kHpPorts,
        .transactions = TransactionDesign{.streams = Streams::loop,
                                          .descriptors = Descriptors::same_port,
                                          .identity = kIdentityLoopback},
        .full_rate = true}},
      {kZynqs,
       {.name = "dma_loopback_acp",
        .text = "an AXI DMA on the ACP, coherent with the CPU's caches, its streams in loop-back",
        .model = "dma_loopback_acp",
        .on_acp = true,
        .port_name = "ACP",
        .transactions = TransactionDesign{.ports = Ports::acp,
                                          .streams = Streams::loop,
                                          .descriptors = Descriptors::same_port,
                                          .identity = kIdentityLoopback,
                                          .page = kPage,
                                          .lanes = 1}}},
      {kZynq7010,
       {.name = "cdma",
        .text = "1 to 4 HP ports, an AXI CDMA on each, between memory and 32 KiB of block RAM each",
        .model = "cdma",
        .port_count = kHpPorts,
        .transactions = cdma(Ports::hp, kHpPorts, 32 * kKiB)}},
      {kZynq7020,
       {.name = "cdma",
        .text = "1 to 4 HP ports, an AXI CDMA on each, between memory and 64 KiB of block RAM each",
        .model = "cdma_7020",
        .port_count = kHpPorts,
        .transactions = cdma(Ports::hp, kHpPorts, 64 * kKiB)}},
      {kZynqs,
       {.name = "cdma_acp",
        .text = "an AXI CDMA on the ACP, coherent with the CPU's caches, between memory and 64 KiB "
                "of block RAM",
        .model = "cdma_acp",
        .on_acp = true,
        .port_name = "ACP",
        .transactions = cdma(Ports::acp, 1, 64 * kKiB)}},
      {kZynqs,
       {.name = "msgdma",
        .text = "1 to 4 HP ports, an mSGDMA on each, memory to memory",
        .model = "msgdma",
        .port_count = kHpPorts,
        .max_transfer_bytes = kMsgdmaBytes}},
      {kZynqs,
       {.name = "capture",
        .text = "a counter source, captured by a cyclic AXI DMA on HP0, descriptors on HP1",
        .model = "capture",
        .transactions = capture(Ports::hp, Descriptors::next_port, 64)}},
      {kZynqs,
       {.name = "capture_32",
        .text = "capture with a stream and ports of 32 bits",
        .model = "capture_32",
        .transactions = capture(Ports::hp, Descriptors::next_port, 32)}},
      {kZynqs,
       {.name = "capture_acp",
        .text = "capture with data and descriptors on the ACP, coherent with the CPU's caches",
        .model = "capture_acp",
        .on_acp = true,
        .port_name = "ACP",
        .transactions = capture(Ports::acp, Descriptors::same_port, 64)}},
      {kZynqs,
       {.name = "acp_stress",
        .text =
            "the ACP, through the SCU and the L2 cache, with the engine and streams of hp_stress",
        .port_name = "ACP",
        .widths_bits = {64},
        .transactions =
            TransactionDesign{.ports = Ports::acp, .identity = kIdentityStress, .lanes = 1}}},
      {kZynqs,
       {.name = "gp_stress",
        .text = "1 or 2 GP ports, through the central interconnect, with the engines and streams "
                "of hp_stress",
        .port_count = 2,
        .port_name = "GP",
        .widths_bits = {32},
        .transactions = TransactionDesign{.ports = Ports::gp,
                                          .identity = kIdentityStress,
                                          .lanes = 2,
                                          .engine = {.port_bits = 32}}}},
      {kZynq7020,
       {.name = "streamif",
        .text = "1 to 8 threads with 32-bit streams, two an HP port, 1 KiB bursts one at a time",
        .port_count = kThreads,
        .port_name = "T",
        .widths_bits = {32},
        .transactions = streamif()}},
      {kZynq7020,
       {.name = "streamif_threads",
        .text = "8 hardware threads with 32-bit streams on sl_streamif, two an HP port",
        .model = "streamif_threads",
        .port_count = kThreads,
        .port_name = "T",
        .widths_bits = {32},
        .port_bits = 64}},
      {kZynq7020,
       {.name = "memif_threads",
        .text = "the same threads on sl_memif, one half-duplex path of 32 bits to the ACP",
        .model = "memif_threads",
        .on_acp = true,
        .port_count = kThreads,
        .port_name = "T",
        .widths_bits = {32},
        .port_bits = 64}},
      {kCycloneV,
       {.name = "f2s_stress",
        .text = "1 to 3 F2S ports (of 128 bits 2, of 256 bits 1), an mSGDMA each way, with pattern "
                "source, checking sink and loop-back",
        .model = "f2s_stress",
        .port_count = F2sDesign::kMostPorts,
        .port_name = "F2S",
        .ports_at = F2sDesign::ports_at,
        .transactions = TransactionDesign{.ports = Ports::f2s,
                                          .kind = Engine::msgdma,
                                          .identity = kIdentityF2s,
                                          .page = kPage},
        .full_rate = true}},
      {kCards,
       {.name = "xdma",
        .text = "AMD's XDMA registers, a channel each way between host memory and the card's",
        .model = "xdma",
        .port_name = "PCIe",
        .max_transfer_bytes = kXdmaBytes,
        .card_transactions = true}},
      {kCards,
       {.name = "xdma_stream",
        .text = "AMD's XDMA registers, a channel each way between host memory and streams, with "
                "pattern source, checking sink and loop-back",
        .model = "xdma_stream",
        .port_name = "PCIe",
        .max_transfer_bytes = kXdmaBytes}},
      {kCards,
       {.name = "avmm",
        .text = "the published FPGA-GPU system's tables of descriptors, a direction each between "
                "host memory and the card's",
        .model = "avmm",
        .port_name = "PCIe",
        .max_transfer_bytes = kAvmmBytes}},
  };
}

// Those that are built. width_bits: the only one, of a board's card; 0: all.
std::vector<DesignEntry> designs_of(Boards board, unsigned width_bits = 0) {
  std::vector<DesignEntry> designs;
  for (auto& [boards, design] : table()) {
    if ((boards & board) == 0) continue;
    std::vector<unsigned> built;
    for (const VerilatedModel& model : verilated_models())
      if (model.name == design.model && (width_bits == 0 || model.port_bits == width_bits))
        built.push_back(model.port_bits);
    if (design.has_rtl() && built.empty()) continue;
    if (design.widths_bits.empty()) design.widths_bits = built;
    designs.push_back(design);
  }
  return designs;
}

BoardEntry card_board(const model::PcieParams& params, std::string_view name, std::string_view text,
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
      .designs = designs_of(kCards, width_bits),
  };
}

BoardEntry zynq_board(const model::Zynq7000Params& params, std::string_view name,
                      std::string_view text, Boards board) {
  return {
      .name = name,
      .text = text,
      .memory_system = params,
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
      .designs = designs_of(board),
  };
}

std::vector<BoardEntry> build() {
  std::vector<BoardEntry> boards{
      zynq_board(model::zynq7010(), "zynq7010",
                 "XC7Z010 (Zybo): four AXI HP ports, 512 MiB of DDR3-1066, 32 bits wide",
                 kZynq7010),
      zynq_board(model::zynq7020(), "zynq7020",
                 "XC7Z020 (ZedBoard): four AXI HP ports, 512 MiB of DDR3-1066, 32 bits wide",
                 kZynq7020),
      {
          .name = "cyclonev",
          .text = "5CSEMA5 (DE1-SoC): FPGA-to-SDRAM ports, 1 GiB of DDR3-800, 32 bits wide",
          .memory_system = model::cyclonev_de1soc(),
          .default_clock_mhz = 100.0,
          .min_clock_mhz = 10.0,
          .max_clock_mhz = 200.0,
          // vieira2020 table 5: the 32-bit rows lose 0.05 % of the time of 32 MiB, proportional to
          // it; nothing is left for a fixed cost beyond that of a Zynq.
          .start_cost = {.clocks = 210},
          .linux_start_cost_ns = kLinuxStartNs,
          .overload_error_percent = model::fitted::cyclonev::score_percent,
          .worst_overload_error_percent = model::fitted::cyclonev::worst_percent,
          .reserved_bytes = 1 * kMiB,
          .designs = designs_of(kCycloneV),
      },
      card_board(model::pcie_gen2x4(), "pcie-gen2x4",
                 "a card in a PC, PCI Express Gen2 x4: 128 bits at 125 MHz", 128, 125.0),
      card_board(model::pcie_gen3x8(), "pcie-gen3x8",
                 "a card in a PC, PCI Express Gen3 x8: 256 bits at 250 MHz", 256, 250.0),
      card_board(model::pcie_gen4x8(), "pcie-gen4x8",
                 "a card in a PC, PCI Express Gen4 x8: 512 bits at 250 MHz", 512, 250.0),
  };
  std::erase_if(boards, [](const BoardEntry& board) { return board.designs.empty(); });
  return boards;
}

}  // namespace

std::unique_ptr<Design> DesignEntry::make(unsigned width_bits) const {
  const bool is_width =
      port_bits == 0 || std::ranges::find(widths_bits, width_bits) != widths_bits.end();
  for (const VerilatedModel& built : verilated_models())
    if (is_width && built.name == model && built.port_bits == memory_port_bits(width_bits))
      return built.make(std::string(name).c_str(), on_acp);
  throw std::invalid_argument(std::string(name) + " is not built for ports of " +
                              std::to_string(width_bits) + " bits");
}

const std::vector<BoardEntry>& catalogue() {
  static const std::vector<BoardEntry> boards = build();
  return boards;
}

}  // namespace sluice::sim
