// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/pcie_design_card.hpp"

#include <linux/vfio.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "axi_faults.hpp"
#include "guest_bus.hpp"
#include "sluice/sim/card_board.hpp"

namespace sluice::cosim {
namespace {

constexpr unsigned kControlBar = VFIO_PCI_BAR0_REGION_INDEX;
constexpr unsigned kMemoryBar = VFIO_PCI_BAR2_REGION_INDEX;
constexpr uint32_t kTable = sim::CardBoard::kMsixTable;
constexpr uint32_t kPending = kTable + 0xfe0;
constexpr unsigned kAccessBytes = 64;   // of BAR 2, at once
constexpr unsigned kPatience = 10'000;  // cycles that an access may take
constexpr uint32_t kMaxPayload = 256;
constexpr uint32_t kMaxReadRequest = 512;

ConfigSpace make_config(const ConfigSpace::Identity& identity) {
  return {identity,
          {{.number = kControlBar, .bytes = Card::kControl_bytes},
           {.number = kMemoryBar, .bytes = PcieDesignCard::kMemory_bytes}},
          {.vectors = PcieDesignCard::kVectors,
           .bar = kControlBar,
           .table_offset = kTable,
           .pending_offset = kPending}};
}

}  // namespace

PcieDesignCard::PcieDesignCard(std::unique_ptr<sim::Design> design, unsigned width_bits,
                               const ConfigSpace::Identity& identity)
    : Card(make_config(identity)),
      memory_(0, kMemory_bytes),
      bus_(std::make_unique<GuestBus>([this](unsigned vector) {
        moved();
        unsent_ |= uint64_t{1} << vector % kVectors;
      })),
      logic_(std::move(design), width_bits, kMaxPayload, memory_, 0, 0) {
  bus_->connect(logic_.bridge());
  logic_.connect(*bus_);
  for (auto& faults : faults_) faults = std::make_unique<AxiFaults>(width_bits / 8);
  logic_.filter(faults_[0].get(), faults_[1].get());
  reset();
}

PcieDesignCard::~PcieDesignCard() = default;

sim::PcieConfig PcieDesignCard::link_config() const {
  return {.bdf = sim::CardBoard::kBdf,
          .max_payload = sim::CardBoard::size_code(kMaxPayload),
          .max_read_request = sim::CardBoard::size_code(kMaxReadRequest),
          .msix = config().msix_enabled()};
}

void PcieDesignCard::restart() {
  bus_->reset(host());
  for (auto& faults : faults_) faults->reset();
  logic_.reset(link_config());
  for (unsigned vector = 0; vector < kVectors; ++vector) {
    const uint64_t address = GuestBus::kMessages + uint64_t{4} * vector;
    const uint32_t entry = kTable + 16 * vector;
    write_control(entry, static_cast<uint32_t>(address), 0xf);
    write_control(entry + 4, static_cast<uint32_t>(address >> 32), 0xf);
    write_control(entry + 8, vector, 0xf);
    write_control(entry + 12, 0, 0xf);  // not masked
  }
}

void PcieDesignCard::configured() { logic_.configure(link_config()); }

void PcieDesignCard::edge() {
  ++cycles_;
  if (bus_->advance(bus())) moved();
  logic_.edge(0);
  if (logic_.moved() || !bus_->idle()) moved();
  if (unsent_ != 0 || again_ != 0) {
    extra_ |= std::exchange(again_, 0);
    send_messages();
  }
}

uint64_t PcieDesignCard::handshakes(unsigned port, Channel channel) const {
  return faults_.at(port)->count(channel);
}

void PcieDesignCard::set_faults(unsigned port, std::vector<ArmedFault*> faults) {
  faults_.at(port)->set_faults(std::move(faults));
}

// ---- the CPU's accesses

PcieDesignCard::Answer PcieDesignCard::load(unsigned bar, uint64_t offset,
                                            std::span<std::byte> data) {
  bus_->load(bar, offset, static_cast<uint32_t>(data.size()));
  for (unsigned i = 0; i < kPatience; ++i) {
    edge();
    const auto loaded = bus_->take_loaded();
    if (!loaded) continue;
    bus_->advance(bus());  // an answer comes behind the writes before it
    if (loaded->data.size() != data.size()) return Answer::refused;
    std::memcpy(data.data(), loaded->data.data(), data.size());
    return Answer::done;
  }
  bus_->give_up_load();
  return Answer::silent;
}

PcieDesignCard::Answer PcieDesignCard::store(unsigned bar, uint64_t offset,
                                             std::span<const std::byte> data) {
  bus_->store(bar, offset, data);
  for (unsigned i = 0; i < kPatience; ++i) {
    edge();
    if (bus_->store_is_done()) return Answer::done;
  }
  bus_->give_up_stores();
  return Answer::silent;
}

bool PcieDesignCard::read_control(uint32_t offset, uint32_t& value) {
  return load(model::PcieAxi::kControlBar, offset, std::as_writable_bytes(std::span(&value, 1))) ==
         Answer::done;
}

void PcieDesignCard::write_control(uint32_t offset, uint32_t value, uint8_t enables) {
  // A store is of bytes that follow each other, as those of a CPU's access do.
  const auto first = static_cast<unsigned>(std::countr_zero(enables));
  const auto bytes = static_cast<unsigned>(std::popcount(enables));
  store(model::PcieAxi::kControlBar, offset + first,
        std::as_bytes(std::span(&value, 1)).subspan(first, bytes));
}

bool PcieDesignCard::read_bar(unsigned /*region*/, uint64_t offset, std::span<std::byte> data) {
  for (std::size_t at = 0; at < data.size();) {
    const std::size_t bytes =
        std::min(data.size() - at, kAccessBytes - (offset + at) % kAccessBytes);
    const Answer answer = load(model::PcieAxi::kMemoryBar, offset + at, data.subspan(at, bytes));
    // Where one is not answered, the next would not be, either.
    const std::size_t lost = answer == Answer::silent ? data.size() - at : bytes;
    if (answer != Answer::done) std::ranges::fill(data.subspan(at, lost), std::byte{0xff});
    at += answer == Answer::silent ? lost : bytes;
  }
  moved();
  return true;
}

bool PcieDesignCard::write_bar(unsigned /*region*/, uint64_t offset,
                               std::span<const std::byte> data) {
  for (std::size_t at = 0; at < data.size();) {
    const std::size_t bytes =
        std::min(data.size() - at, kAccessBytes - (offset + at) % kAccessBytes);
    if (store(model::PcieAxi::kMemoryBar, offset + at, data.subspan(at, bytes)) == Answer::silent)
      break;
    at += bytes;
  }
  moved();
  return true;
}

uint64_t PcieDesignCard::region_bytes(unsigned region) const {
  switch (region) {
    case kControlBar: return kControl_bytes;
    case kMemoryBar: return kMemory_bytes;
    case VFIO_PCI_CONFIG_REGION_INDEX: return ConfigSpace::kBytes;
    default: return 0;
  }
}

}  // namespace sluice::cosim
