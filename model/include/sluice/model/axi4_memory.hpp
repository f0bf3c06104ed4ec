// SPDX-License-Identifier: Apache-2.0
// Axi4Memory: a memory behind an AXI4 port, a beat a cycle each way, a constant time away.
//
// Bursts are answered in their order, whatever their IDs. An address outside is answered DECERR, a
// poisoned one SLVERR (memory.hpp). Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>

#include "sluice/model/axi4.hpp"
#include "sluice/model/memory.hpp"

namespace sluice::model {

class Axi4Memory {
 public:
  /// Bursts of a direction that it holds.
  static constexpr std::size_t kBursts = 64;

  /// width_bytes: of a beat. read_ps: an address taken to its first beat; write_ps: the last beat
  /// taken to its response. The memory lives as long as this.
  Axi4Memory(Memory& memory, unsigned width_bytes, std::uint64_t read_ps, std::uint64_t write_ps)
      : memory_(memory), width_bytes_(width_bytes), read_ps_(read_ps), write_ps_(write_ps) {}

  /// One edge at time now_ps: `in` as it stands before it; `out` was driven before it, and is what
  /// is driven after it on return.
  void edge(std::uint64_t now_ps, const Axi4Inputs& in, Axi4Outputs& out);

  /// Forget what is under way; the memory keeps its content.
  void reset() {
    reads_.clear();
    writes_.clear();
    responses_.clear();
  }

  [[nodiscard]] bool idle() const {
    return reads_.empty() && writes_.empty() && responses_.empty();
  }

 private:
  struct Burst {
    std::uint8_t id;
    std::uint64_t address;  ///< of the next beat
    unsigned beats;         ///< left
    std::uint64_t ready_ps;
    Response status = Response::okay;
  };
  [[nodiscard]] std::uint64_t beat_address(const Burst& burst) const {
    return burst.address & ~std::uint64_t{width_bytes_ - 1U};
  }
  void give(Burst& burst, Axi4Outputs& out);
  void take(Burst& burst, const Axi4Inputs& in);

  Memory& memory_;
  unsigned width_bytes_;
  std::uint64_t read_ps_;
  std::uint64_t write_ps_;
  std::deque<Burst> reads_;
  std::deque<Burst> writes_;
  std::deque<Burst> responses_;
};

}  // namespace sluice::model
