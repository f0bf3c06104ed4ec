// SPDX-License-Identifier: Apache-2.0
// PcieRoot: what stands behind the links on the host's side: IOMMU, host memory, and peers.
//
//   Iotlb       translations; a miss takes a walk, of which a few go on at a time
//   Memory      host memory, a constant time away, at any rate that a link has
//   PciePeer    another device's memory: a window of requests, each with a service time
//   PcieBars    another device's BARs, behind its own link: reads through a window of the root
//               complex, writes in pieces that it cuts
//
// Order: reads of one target are answered in the order of their arrival; writes are seen in theirs.
// A write to kInterruptFirst..kInterruptLast is an interrupt message. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sluice/model/memory.hpp"
#include "sluice/model/pcie_params.hpp"
#include "sluice/model/pcie_time.hpp"

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
  int file = -1;  ///< whose bytes it has, the caller's descriptor; -1: memory of its own
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

/// Who has sent a request to another device, and hears what has become of it.
class PcieRequester {
 public:
  virtual ~PcieRequester() = default;
  /// The read `tag` is answered from ready_ps on; no data if it failed.
  virtual void answered(std::uint32_t tag, std::uint64_t ready_ps, std::vector<std::uint8_t> data,
                        Response status) = 0;
  /// A write with so many data credits has left the root complex.
  virtual void forwarded(std::uint32_t data_credits) = 0;
};

/// A read of one device from another's BAR.
struct PcieForward {
  PcieRequester* requester;
  std::uint32_t tag;
  std::uint64_t address;
  std::uint32_t bytes;
  std::uint64_t earliest_ps = 0;  ///< PcieRoot's: of its answer
};

/// A device's BARs, to which the root complex forwards others' requests.
class PcieBars {
 public:
  virtual ~PcieBars() = default;
  /// All of these bytes are in one BAR that devices may reach: its memory.
  [[nodiscard]] virtual bool decodes(std::uint64_t address, std::uint32_t bytes) const = 0;
  /// PcieRoot::answer() tells of the end.
  virtual void forward_read(const PcieForward& read) = 0;
  /// In pieces of no more than piece_bytes, cut at their multiples.
  virtual void forward_write(PcieRequester& requester, std::uint64_t address,
                             const std::vector<std::uint8_t>& data, std::uint32_t piece_bytes,
                             std::uint32_t data_credits) = 0;
};

class PcieRoot final : private PcieActor {
 public:
  static constexpr std::uint64_t kInterruptFirst = 0xfee0'0000;
  static constexpr std::uint64_t kInterruptLast = 0xfeef'ffff;

  explicit PcieRoot(const PcieParams& params);
  PcieRoot(const PcieRoot&) = delete;
  PcieRoot& operator=(const PcieRoot&) = delete;

  /// Of all that is below it.
  [[nodiscard]] PcieTime& time() { return time_; }
  [[nodiscard]] Memory& memory() { return memory_; }
  /// The peer lives as long as this. Throws std::invalid_argument if its addresses are in use.
  PciePeer& add_peer(const PciePeerParams& params);
  /// Of add_peer(); no request to it is under way.
  void remove_peer(const PciePeer& peer);

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

  // ---- between devices

  /// They live as long as this is used.
  void add_bars(PcieBars& bars) { bars_.push_back(&bars); }
  /// The BARs of another device than `own` that have all of these bytes, or nullptr: a root complex
  /// sends nothing back to where it came from.
  [[nodiscard]] PcieBars* find_bars(std::uint64_t address, std::uint32_t bytes,
                                    const PcieBars& own) const;
  /// When a read of a BAR that arrives at now_ps has passed the IOMMU and the writes before it.
  [[nodiscard]] std::uint64_t forward_ps(std::uint64_t now_ps, std::uint64_t address) {
    return std::max(translate(now_ps, address), last_write_ps_);
  }
  /// Such a read waits for its place in the window then.
  void forward(PcieBars& bars, const PcieForward& read);
  /// It has been answered by the device.
  void answer(const PcieForward& read, std::vector<std::uint8_t> data, Response status);
  /// Bytes of the pieces that writes to another device are cut into.
  [[nodiscard]] std::uint32_t write_piece_bytes() const { return write_piece_bytes_; }

  [[nodiscard]] std::uint64_t iotlb_misses() const { return iotlb_ ? iotlb_->misses() : 0; }

 private:
  void act(const PcieEvent& event) override;
  void forward_next();
  [[nodiscard]] std::uint64_t translate(std::uint64_t now_ps, std::uint64_t address);
  [[nodiscard]] PciePeer* find_peer(std::uint64_t address, std::uint32_t bytes);

  PcieTime time_;
  std::uint64_t read_ps_;
  std::uint64_t write_ps_;
  Memory memory_;
  std::unique_ptr<Iotlb> iotlb_;
  std::vector<std::unique_ptr<PciePeer>> peers_;
  std::vector<PcieBars*> bars_;
  struct Waiting {
    PcieBars* bars;
    PcieForward read;
  };
  std::deque<Waiting> waiting_;  // reads of other devices' BARs
  std::uint32_t forwarded_ = 0;  // such reads that are out
  std::uint32_t window_;         // of them
  std::uint64_t window_ps_;      // that each is out at least
  std::uint32_t write_piece_bytes_;
  std::uint64_t last_read_ps_ = 0;
  std::uint64_t last_write_ps_ = 0;
};

}  // namespace sluice::model
