// SPDX-License-Identifier: Apache-2.0
// PcieRoot: what stands behind the link on the host's side: IOMMU, host memory, and peers.
//
//   Iotlb       translations; a miss takes a walk, of which a few go on at a time
//   Memory      host memory, a constant time away, at any rate that a link has
//   PciePeer    another device's memory: a window of requests, each with a service time
//
// Order: reads of one target are answered in the order of their arrival; writes are seen in theirs.
// A write to kInterruptFirst..kInterruptLast is an interrupt message. Not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sluice/model/memory.hpp"
#include "sluice/model/pcie_params.hpp"

namespace sluice::model {

/// Translations of pages, the least recently used of which goes; and the walks for those missing.
class Iotlb {
 public:
  /// entries > 0.
  Iotlb(std::uint32_t entries, std::uint32_t page_bytes, std::uint64_t walk_ps,
        std::uint32_t walkers);
  /// When a translation asked for at now_ps, never earlier than the one before, is there.
  std::uint64_t translate(std::uint64_t now_ps, std::uint64_t address);
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::uint64_t page;
    std::uint64_t ready_ps;
  };
  std::uint32_t entries_;
  std::uint32_t page_bytes_;
  std::uint64_t walk_ps_;
  std::list<Entry> recent_;  ///< most recently used first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> pages_;
  std::vector<std::uint64_t> walker_free_ps_;
  std::uint64_t misses_ = 0;
};

/// Another device's memory, as a GPU shows it: writes are taken as they come; of reads it works on
/// `window` at a time, `service_ps` each, and longer where the bytes do not lie in the `near_bytes`
/// that were used last (its cache): far_ps more for each 128 bytes.
struct PciePeerParams {
  std::uint64_t base = 0;   ///< bus address, multiple of 4096
  std::uint64_t bytes = 0;  ///< multiple of 4096
  std::uint32_t window = 1;
  std::uint64_t service_ps = 400'000;
  std::uint64_t near_bytes = 0;  ///< 0: all are near
  std::uint64_t far_ps = 0;
};

class PciePeer {
 public:
  /// Throws std::invalid_argument as Memory, and for a window of 0.
  explicit PciePeer(const PciePeerParams& params);
  [[nodiscard]] Memory& memory() { return memory_; }
  /// When a read that arrives at now_ps is answered; never earlier than the one before.
  std::uint64_t read(std::uint64_t now_ps, std::uint64_t address, std::uint32_t bytes);

 private:
  static constexpr std::uint64_t kLineBytes = 128;
  [[nodiscard]] bool touch(std::uint64_t line);

  PciePeerParams params_;
  Memory memory_;
  std::vector<std::uint64_t> slot_free_ps_;
  std::uint64_t last_ps_ = 0;
  std::list<std::uint64_t> recent_;  ///< lines, most recently used first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> lines_;
};

class PcieRoot {
 public:
  static constexpr std::uint64_t kInterruptFirst = 0xfee0'0000;
  static constexpr std::uint64_t kInterruptLast = 0xfeef'ffff;

  explicit PcieRoot(const PcieParams& params);

  [[nodiscard]] Memory& memory() { return memory_; }
  /// The peer lives as long as this. Throws std::invalid_argument if its addresses are in use.
  PciePeer& add_peer(const PciePeerParams& params);

  static bool is_interrupt(std::uint64_t address) {
    return address >= kInterruptFirst && address <= kInterruptLast;
  }

  /// What a read that arrives at now_ps meets: when the first completion can be sent, where the
  /// bytes lie then, and whether they can be had.
  struct Answer {
    std::uint64_t ready_ps;
    Response status;
  };
  Answer read(std::uint64_t now_ps, std::uint64_t address, std::uint32_t bytes);
  /// When the last write that has arrived is seen.
  [[nodiscard]] std::uint64_t last_write_ps() const { return last_write_ps_; }
  /// When a write that arrives at now_ps is seen; never earlier than the one before.
  std::uint64_t write(std::uint64_t now_ps, std::uint64_t address);

  /// The memory that has all of these bytes, or nullptr.
  [[nodiscard]] Memory* find(std::uint64_t address, std::uint32_t bytes);

  [[nodiscard]] std::uint64_t iotlb_misses() const { return iotlb_ ? iotlb_->misses() : 0; }

 private:
  [[nodiscard]] std::uint64_t translate(std::uint64_t now_ps, std::uint64_t address);
  [[nodiscard]] PciePeer* find_peer(std::uint64_t address, std::uint32_t bytes);

  std::uint64_t read_ps_;
  std::uint64_t write_ps_;
  Memory memory_;
  std::unique_ptr<Iotlb> iotlb_;
  std::vector<std::unique_ptr<PciePeer>> peers_;
  std::uint64_t last_read_ps_ = 0;
  std::uint64_t last_write_ps_ = 0;
};

}  // namespace sluice::model
