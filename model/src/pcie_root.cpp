// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_root.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sluice::model {

Iotlb::Iotlb(std::uint32_t entries, std::uint32_t page_bytes, std::uint64_t walk_ps,
             std::uint32_t walkers)
    : entries_(entries), page_bytes_(page_bytes), walk_ps_(walk_ps), walker_free_ps_(walkers) {}

std::uint64_t Iotlb::translate(std::uint64_t now_ps, std::uint64_t address) {
  const std::uint64_t page = address / page_bytes_;
  if (const auto found = pages_.find(page); found != pages_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return std::max(now_ps, found->second->ready_ps);
  }
  ++misses_;
  auto& walker = *std::ranges::min_element(walker_free_ps_);
  walker = std::max(walker, now_ps) + walk_ps_;
  if (recent_.size() == entries_) {
    pages_.erase(recent_.back().page);
    recent_.pop_back();
  }
  recent_.push_front({.page = page, .ready_ps = walker});
  pages_[page] = recent_.begin();
  return walker;
}

PciePeer::PciePeer(const PciePeerParams& params)
    : params_(params),
      memory_(params.file < 0 ? Memory(params.base, params.bytes)
                              : Memory(params.base, params.bytes, params.file)),
      slot_free_ps_(params.window) {
  if (params.window == 0) throw std::invalid_argument("a peer's window must be 1 or more, is 0");
}

bool PciePeer::touch(std::uint64_t line) {
  if (const auto found = lines_.find(line); found != lines_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return true;
  }
  if (recent_.size() >= params_.near_bytes / kLineBytes) {
    lines_.erase(recent_.back());
    recent_.pop_back();
  }
  recent_.push_front(line);
  lines_[line] = recent_.begin();
  return false;
}

std::uint64_t PciePeer::read(std::uint64_t now_ps, std::uint64_t address, std::uint32_t bytes) {
  std::uint64_t service_ps = params_.service_ps;
  if (params_.near_bytes >= kLineBytes) {
    for (std::uint64_t line = address / kLineBytes; line <= (address + bytes - 1U) / kLineBytes;
         ++line)
      if (!touch(line)) service_ps += params_.far_ps;
  }
  auto& slot = *std::ranges::min_element(slot_free_ps_);
  slot = std::max(slot, now_ps) + service_ps;
  last_ps_ = std::max(last_ps_, slot);
  return last_ps_;
}

PcieRoot::PcieRoot(const PcieParams& params)
    : read_ps_(params.root_read_ps),
      write_ps_(params.root_write_ps),
      memory_(params.memory_base, params.memory_bytes),
      window_(params.p2p_window),
      window_ps_(params.p2p_read_ps),
      write_piece_bytes_(params.p2p_write_bytes) {
  if (params.iotlb_entries != 0)
    iotlb_ = std::make_unique<Iotlb>(params.iotlb_entries, params.iotlb_page_bytes,
                                     params.iotlb_walk_ps, params.iotlb_walkers);
}

PciePeer& PcieRoot::add_peer(const PciePeerParams& params) {
  const auto overlaps = [&](std::uint64_t base, std::uint64_t bytes) {
    return params.base < base + bytes && base < params.base + params.bytes;
  };
  bool taken = overlaps(memory_.base(), memory_.size_bytes()) ||
               overlaps(kInterruptFirst, kInterruptLast - kInterruptFirst + 1U);
  for (const auto& peer : peers_)
    taken = taken || overlaps(peer->memory().base(), peer->memory().size_bytes());
  if (taken) throw std::invalid_argument("a peer's addresses must be free of memory and of others");
  return *peers_.emplace_back(std::make_unique<PciePeer>(params));
}

void PcieRoot::remove_peer(const PciePeer& peer) {
  std::erase_if(peers_, [&](const auto& one) { return one.get() == &peer; });
}

PciePeer* PcieRoot::find_peer(std::uint64_t address, std::uint32_t bytes) {
  for (const auto& peer : peers_)
    if (peer->memory().contains(address, bytes)) return peer.get();
  return nullptr;
}

Memory* PcieRoot::find(std::uint64_t address, std::uint32_t bytes) {
  if (memory_.contains(address, bytes)) return &memory_;
  PciePeer* peer = find_peer(address, bytes);
  return peer == nullptr ? nullptr : &peer->memory();
}

std::uint64_t PcieRoot::translate(std::uint64_t now_ps, std::uint64_t address) {
  return iotlb_ ? iotlb_->translate(now_ps, address) : now_ps;
}

PcieRoot::Answer PcieRoot::read(std::uint64_t now_ps, std::uint64_t address, std::uint32_t bytes) {
  // A read does not pass the writes before it.
  const std::uint64_t there_ps = translate(now_ps, address);
  if (PciePeer* peer = find_peer(address, bytes); peer != nullptr)
    return {.ready_ps = peer->read(std::max(there_ps, last_write_ps_), address, bytes),
            .status = peer->memory().access(address, bytes)};
  last_read_ps_ = std::max({last_read_ps_, last_write_ps_, there_ps + read_ps_});
  return {.ready_ps = last_read_ps_, .status = memory_.access(address, bytes)};
}

std::uint64_t PcieRoot::write(std::uint64_t now_ps, std::uint64_t address) {
  // Messages are no accesses to memory; interrupt remapping takes no time here.
  const std::uint64_t there_ps = is_interrupt(address) ? now_ps : translate(now_ps, address);
  last_write_ps_ = std::max(last_write_ps_, there_ps + write_ps_);
  return last_write_ps_;
}

// ---- between devices

PcieBars* PcieRoot::find_bars(std::uint64_t address, std::uint32_t bytes,
                              const PcieBars& own) const {
  const auto found = std::ranges::find_if(
      bars_, [&](const PcieBars* bars) { return bars != &own && bars->decodes(address, bytes); });
  return found == bars_.end() ? nullptr : *found;
}

void PcieRoot::forward(PcieBars& bars, const PcieForward& read) {
  waiting_.push_back({.bars = &bars, .read = read});
  forward_next();
}

void PcieRoot::forward_next() {
  while (forwarded_ < window_ && !waiting_.empty()) {
    Waiting next = waiting_.front();
    waiting_.pop_front();
    ++forwarded_;
    next.read.earliest_ps = time_.now_ps() + window_ps_;
    next.bars->forward_read(next.read);
  }
}

void PcieRoot::answer(const PcieForward& read, std::vector<std::uint8_t> data, Response status) {
  const std::uint64_t ready_ps = std::max({time_.now_ps(), read.earliest_ps, last_write_ps_});
  read.requester->answered(read.tag, ready_ps, std::move(data), status);
  time_.at(ready_ps, *this, 0);
}

// A place in the window is free.
void PcieRoot::act(const PcieEvent& /*event*/) {
  --forwarded_;
  forward_next();
}

}  // namespace sluice::model
