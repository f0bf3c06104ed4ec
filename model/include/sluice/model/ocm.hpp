// SPDX-License-Identifier: Apache-2.0
// Ocm: the on-chip memory of a Zynq-7000 (UG585 chapter 29) and the interconnect before it.
//
// Two AXI ports of 64 bits lead to one RAM. The OCM interconnect's serves the HP and the GP ports;
// the SCU's serves the ACP and has priority.
// RAM: 128 bits wide, one port, clocked by CPU_2x. An operation reads or writes a word of 64 bits,
//   or both words of 128 aligned bits where a burst has them, so that whole bursts are read and
//   written at once at 64 bits a cycle each (UG585 29.2.2). No refresh, no rows, no banks.
// Interconnect, clocked by CPU_2x: a cycle carries an AR, an AW, a word of R, a word of W and a B.
//   It accepts bursts as choose_by_qos() says, up to `acceptance` a direction, and serves them in
//   that order. The RAM takes reads and writes in turn where both wait.
// Latency: first word of a read, response of a write, not before `latency_ps` after acceptance.
//
// tick() comes at each edge of CPU_2x while active(); the ports that are connected are ticked by
// their own interconnects (AfiPort::ps_tick()).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ocm_params.hpp"

namespace sluice::model {

class Ocm {
 public:
  /// cycle_ps: of CPU_2x. Throws std::invalid_argument.
  Ocm(const OcmParams& params, std::uint64_t cycle_ps);

  [[nodiscard]] OcmMemory& memory() { return memory_; }
  /// A port behind the OCM interconnect; it must live as long as this.
  void connect(AfiPort& port) { ports_.push_back(&port); }

  /// A flag, as it is read every cycle, also by a board whose engines use DDR memory alone.
  [[nodiscard]] bool active() const { return memory_.active; }
  /// Nothing is under way behind the ports.
  [[nodiscard]] bool quiet() const {
    return reads_.empty() && writes_.empty() && scu_operations_ == 0;
  }
  void tick(std::uint64_t now_ps);

  /// An access by the SCU's port to a part of `bytes` that is aligned to as many: when it is over.
  std::uint64_t access(std::uint64_t now_ps, std::uint32_t bytes);

 private:
  static constexpr std::uint32_t kBufferWords = 4;  // of a direction, before the RAM

  struct Burst {
    AfiPort* port;
    AfiBurst burst;
    std::uint64_t from_ps;        // acceptance and latency
    std::uint32_t operated = 0;   // words that the RAM has read or written
    std::uint32_t travelled = 0;  // words of R or W
  };

  template <typename Ready, typename Issue>
  void accept(std::deque<Burst>& bursts, std::uint32_t& last, Ready ready,
              std::uint32_t AfiParams::* qos, Issue issue, std::uint64_t now_ps);
  void operate(std::uint64_t now_ps);
  /// The burst whose next words the RAM reads or writes, if it can; and those words.
  [[nodiscard]] Burst* next_read(std::uint64_t now_ps);
  [[nodiscard]] Burst* next_write();
  [[nodiscard]] static std::uint32_t words_at_once(const Burst& burst);

  OcmParams params_;
  std::uint64_t cycle_ps_;
  OcmMemory memory_;
  std::vector<AfiPort*> ports_;
  std::deque<Burst> reads_, writes_;
  std::uint32_t last_read_ = 0, last_write_ = 0;  // ports
  bool write_was_last_ = false;
  std::uint32_t scu_operations_ = 0;
};

}  // namespace sluice::model
