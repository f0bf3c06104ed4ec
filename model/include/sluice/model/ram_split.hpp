// SPDX-License-Identifier: Apache-2.0
// RamSplit: a master's way to a port of the chip or, by address, to a block RAM of its own beside
// it, as sl_axi_split and a region of sl_mem_periph.
//
// The master is one client of the port. A direction that changes sides waits until its bursts on
// the other side are done. The RAM gives or takes a word an edge: where reads and writes have one
// each, they take turns. A PL-side interface as PortShare's; pl_edge() is called at each edge at
// which the master works.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/port_share.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

class RamSplit {
 public:
  static constexpr bool kWide = false;

  /// ram: at bus address `base`; it must outlive this.
  RamSplit(std::shared_ptr<PortShare<AfiPort>> port, std::span<std::uint8_t> ram,
           std::uint64_t base)
      : port_(std::move(port)), ram_(ram), base_(base) {}

  [[nodiscard]] bool fits(std::uint32_t bits) const { return port_->fits(bits); }
  void pl_edge(unsigned client) {
    port_->pl_edge(client);
    ++edge_;
    used_ = false;
  }

  [[nodiscard]] bool pl_read_room(unsigned client, std::uint64_t address) const {
    if (reads_open_ != 0 && in_ram(address) != reads_ram_) return false;
    return in_ram(address) ? !reads_.full() : port_->pl_read_room(client, address);
  }
  void pl_read(unsigned client, const AfiBurst& burst) {
    reads_ram_ = in_ram(burst.address);
    ++reads_open_;
    if (reads_ram_)
      reads_.push({burst.address - base_, burst.words, edge_ + kReadEdges});
    else
      port_->pl_read(client, burst);
  }
  [[nodiscard]] bool pl_read_word_available(unsigned client) const {
    if (!reads_ram_) return port_->pl_read_word_available(client);
    return !reads_.empty() && reads_.front().from <= edge_ && may_use(kReads);
  }
  AfiPort::ReadWord pl_take_read_word() {
    if (!reads_ram_) {
      const AfiPort::ReadWord word = port_->pl_take_read_word();
      if (word.last) --reads_open_;
      return word;
    }
    use(kReads);
    Burst& burst = reads_.front();
    AfiPort::ReadWord word{0, Response::okay, --burst.words == 0};
    std::memcpy(&word.data, &ram_[burst.offset], sizeof word.data);
    burst.offset += sizeof word.data;
    if (word.last) {
      reads_.pop();
      --reads_open_;
    }
    return word;
  }

  [[nodiscard]] bool pl_write_room(unsigned client, std::uint64_t address) const {
    if (writes_open_ != 0 && in_ram(address) != writes_ram_) return false;
    return in_ram(address) ? !writes_.full() : port_->pl_write_room(client, address);
  }
  void pl_write(unsigned client, const AfiBurst& burst) {
    writes_ram_ = in_ram(burst.address);
    ++writes_open_;
    if (writes_ram_)
      writes_.push({burst.address - base_, burst.words, edge_});
    else
      port_->pl_write(client, burst);
  }
  [[nodiscard]] bool pl_write_word_room(unsigned client) const {
    return writes_ram_ ? !writes_.empty() && may_use(kWrites) : port_->pl_write_word_room(client);
  }
  void pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
    if (!writes_ram_) return port_->pl_put_write_word(data, strobe);
    use(kWrites);
    Burst& burst = writes_.front();
    std::memcpy(&ram_[burst.offset], &data, sizeof data);
    burst.offset += sizeof data;
    if (--burst.words != 0) return;
    writes_.pop();
    answers_.push(edge_ + kWriteEdges);
  }
  [[nodiscard]] bool pl_response_available(unsigned client) const {
    if (!answers_.empty() && answers_.front() <= edge_) return true;
    return !writes_ram_ && port_->pl_response_available(client);
  }
  Response pl_take_response() {
    --writes_open_;
    if (!writes_ram_) return port_->pl_take_response();
    answers_.pop();
    return Response::okay;
  }

 private:
  // Measured on the RTL: a read's address to its first word, a write's last word to its response.
  static constexpr std::uint64_t kReadEdges = 4;
  static constexpr std::uint64_t kWriteEdges = 2;
  enum Side : std::uint8_t { kReads, kWrites };

  struct Burst {
    std::uint64_t offset;
    std::uint32_t words;
    std::uint64_t from;  // edge
  };

  [[nodiscard]] bool in_ram(std::uint64_t address) const { return address - base_ < ram_.size(); }
  /// The RAM has an access an edge: the other side's, if that waits and this one had the last.
  [[nodiscard]] bool may_use(Side side) const {
    if (used_) return false;
    const bool other_waits = side == kReads
                                 ? writes_ram_ && !writes_.empty()
                                 : reads_ram_ && !reads_.empty() && reads_.front().from <= edge_;
    return last_ != side || !other_waits;
  }
  void use(Side side) {
    used_ = true;
    last_ = side;
  }

  std::shared_ptr<PortShare<AfiPort>> port_;
  std::span<std::uint8_t> ram_;
  std::uint64_t base_;
  std::uint64_t edge_ = 0;
  bool used_ = false;  // in this edge
  Side last_ = kWrites;
  bool reads_ram_ = false, writes_ram_ = false;  // where the bursts of a direction are
  std::uint32_t reads_open_ = 0, writes_open_ = 0;
  Ring<Burst> reads_{64}, writes_{64};
  Ring<std::uint64_t> answers_{64};  // edges from which they are there
};

}  // namespace sluice::model
