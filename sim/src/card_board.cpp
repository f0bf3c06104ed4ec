// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/card_board.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "sluice/model/pcie_axi.hpp"

namespace sluice::sim {
namespace {

// A load that has not been answered by then never will: real hosts wait 50 us to 50 ms.
constexpr uint64_t kCompletionTimeoutPs = 10'000'000'000;

[[noreturn]] void refuse(const char* what, uint64_t offset, const char* why) {
  char text[128];
  std::snprintf(text, sizeof text, "%s at 0x%llx: %s", what,
                static_cast<unsigned long long>(offset), why);
  throw BusError(text);
}

}  // namespace

CardBoard::CardBoard(const model::PcieParams& params, double clock_mhz)
    : params_(params), card_memory_(0, params.card_memory_bytes), clock_(clock_mhz) {}

void CardBoard::capture(const std::string& file) {
  if (!file.empty()) link().observe(&capture_.emplace(file, kBdf));
}

void CardBoard::start() {
  if (params_.gpu.memory_bytes != 0)
    gpu_ = std::make_unique<model::PcieGpu>(params_, link().root());
  for (uint32_t vector = 0; vector < kVectors; ++vector) {
    const uint32_t entry = kMsixTable + 16 * vector;
    write32(entry, static_cast<uint32_t>(model::PcieRoot::kInterruptFirst));
    write32(entry + 4, 0);
    write32(entry + 8, vector);
    write32(entry + 12, 0);  // not masked
  }
  read32(kMsixTable);  // all of them have arrived
}

// ---- time

void CardBoard::advance(uint64_t time_ps) {
  constexpr uint64_t kMostPs = 1'000'000'000'000;  // a step: times are far from overflowing
  const uint64_t target_ps = std::min(time_ps, now_ps() + kMostPs);
  step(std::max(cycle_ + 1, clock_.cycle_at(target_ps)));
  take_interrupts();
  if (capture_ && capture_->failed()) throw BusError("the file for the link's packets is full");
}

void CardBoard::take_interrupts() {
  auto& messages = link().interrupts();
  for (; !messages.empty(); messages.pop_front())
    raise(messages.front().data % kVectors, messages.front().time_ps);
  if (gpu_ == nullptr || !gpu_->has_ended()) return;
  const model::PcieGpu::Ended ended = gpu_->take_ended();
  gpu_status_ = ended.status;
  raise(kGpuLine, ended.time_ps);
}

void CardBoard::raise(unsigned line, uint64_t time_ps) {
  if ((interrupts_ >> line & 1) == 0) rise_ps_[line] = time_ps;
  interrupts_ |= uint64_t{1} << line;
}

uint64_t CardBoard::lend(int file, uint64_t bytes) {
  // Behind the GPU's memory, the first gap.
  uint64_t address = params_.gpu.memory_base + params_.gpu.memory_bytes;
  for (const auto& [base, peer] : lent_) {
    if (base - address >= bytes) break;
    address = base + peer->memory().size_bytes();
  }
  lent_[address] = &link().root().add_peer({.base = address,
                                            .bytes = bytes,
                                            .window = params_.tags,
                                            .service_ps = params_.root_read_ps,
                                            .file = file});
  return address;
}

void CardBoard::drop(uint64_t address) {
  link().root().remove_peer(*lent_.at(address));
  lent_.erase(address);
}

uint8_t* CardBoard::bytes_at(uint64_t address, uint64_t bytes) {
  const uint64_t bar = params_.bar_base[model::PcieAxi::kMemoryBar];
  if (address >= bar && address - bar < card_memory_.size_bytes())
    return card_memory_.host(address - bar, bytes);
  if (gpu_ != nullptr && gpu_->memory().contains(address, bytes))
    return gpu_->memory().host(address, bytes);
  if (const auto next = lent_.upper_bound(address); next != lent_.begin()) {
    model::Memory& lent = std::prev(next)->second->memory();
    if (lent.contains(address, bytes)) return lent.host(address, bytes);
  }
  return memory().host(address, bytes);
}

void CardBoard::run_until(uint64_t time_ps) {
  while (now_ps() < time_ps) advance(time_ps);
}

void CardBoard::run_until_interrupt(uint64_t mask, uint64_t time_ps) {
  while ((interrupts_ & mask) == 0 && now_ps() < time_ps) advance(time_ps);
}

void CardBoard::run_until_change(std::span<const Watched> words, uint64_t mask, uint64_t time_ps) {
  const auto as_it_was = [&](const Watched& word) {
    return std::memcmp(memory().host(word.address, sizeof word.old), &word.old, sizeof word.old) ==
           0;
  };
  while ((interrupts_ & mask) == 0 && std::ranges::all_of(words, as_it_was) && now_ps() < time_ps)
    advance(time_ps);
}

// ---- the CPU

void CardBoard::store(unsigned bar, uint64_t offset, std::span<const uint8_t> data) {
  const uint64_t deadline = now_ps() + kCompletionTimeoutPs;
  while (!link().can_store()) {
    if (now_ps() >= deadline) refuse("store", offset, "the card takes no more");
    advance(deadline);
  }
  link().store(bar, offset, data);
}

model::PcieLink::Loaded CardBoard::load(unsigned bar, uint64_t offset, uint32_t bytes,
                                        const char* what) {
  const uint64_t deadline = now_ps() + kCompletionTimeoutPs;
  link().load(bar, offset, bytes);
  for (;;) {
    // What was given up for lost may come after all.
    for (; abandoned_ != 0 && !link().loaded().empty(); --abandoned_) link().loaded().pop_front();
    if (!link().loaded().empty()) break;
    if (now_ps() >= deadline) {
      ++abandoned_;
      refuse(what, offset, "the card does not answer");
    }
    try {
      advance(deadline);
    } catch (...) {
      ++abandoned_;
      throw;
    }
  }
  model::PcieLink::Loaded loaded = std::move(link().loaded().front());
  link().loaded().pop_front();
  if (loaded.status != model::Response::okay) refuse(what, offset, "the card refuses");
  return loaded;
}

void CardBoard::write32(uint32_t offset, uint32_t value, uint8_t enables) {
  if (offset >= kControlSpaceBytes) refuse("write", offset, "beyond BAR 0 of 1 MiB");
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  // A store for each run of bytes, as a CPU has no others.
  for (unsigned first = 0; first < 4; ++first) {
    if ((enables >> first & 1) == 0) continue;
    unsigned end = first;
    while (end < 4 && (enables >> end & 1) != 0) ++end;
    store(model::PcieAxi::kControlBar, offset + first, {bytes + first, end - first});
    first = end;
  }
  spend(params_.cpu_store_ps);
}

uint32_t CardBoard::read32(uint32_t offset) {
  if (offset >= kControlSpaceBytes) refuse("read", offset, "beyond BAR 0 of 1 MiB");
  uint32_t value = 0;
  const auto loaded = load(model::PcieAxi::kControlBar, offset, sizeof value, "read");
  std::memcpy(&value, loaded.data.data(), sizeof value);
  return value;
}

void CardBoard::store_card(uint64_t address, std::span<const uint8_t> data) {
  static_cast<void>(card_memory_.host(address, data.size()));  // throws
  while (!data.empty()) {
    const size_t room = params_.cpu_combine_bytes - address % params_.cpu_combine_bytes;
    const size_t bytes = std::min(data.size(), room);
    store(model::PcieAxi::kMemoryBar, address, data.first(bytes));
    spend(params_.cpu_store_ps);
    data = data.subspan(bytes);
    address += bytes;
  }
}

void CardBoard::load_card(uint64_t address, std::span<uint8_t> data) {
  static_cast<void>(card_memory_.host(address, data.size()));  // throws
  while (!data.empty()) {
    const size_t room = params_.cpu_load_bytes - address % params_.cpu_load_bytes;
    const size_t bytes = std::min(data.size(), room);
    const auto loaded =
        load(model::PcieAxi::kMemoryBar, address, static_cast<uint32_t>(bytes), "load");
    std::memcpy(data.data(), loaded.data.data(), bytes);
    data = data.subspan(bytes);
    address += bytes;
  }
}

}  // namespace sluice::sim
