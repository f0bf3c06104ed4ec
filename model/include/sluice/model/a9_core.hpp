// SPDX-License-Identifier: Apache-2.0
// A9Core: the time that a Cortex-A9's loads and stores take: L1 data cache, TLBs, store buffer.
//
// Runs one CpuProgram at a time: start(), then advance() once a DDR_2x cycle until it is finished.
// One load or store of 64 bits issues a cycle, in order. A load that hits gives its value
//   load_use_cycles later; others need not wait for it unless they need its value, so that as many
//   lines are on their way as there are linefill buffers. A load that finds none free waits.
// Stores leave through the store buffer, in order, when their data is there and their line is in
//   the L1 cache (write-allocate: the line is fetched first). A full buffer holds the next one.
// A linefill buffer is free once the rest of its line has come, and once a dirty line that it
//   replaces has found room in the L2 cache (one at a time: eviction buffer).
// TLB: a miss of the micro TLB costs micro_tlb_miss_ps; one of the main TLB besides the walk: a
//   first- and a second-level descriptor, loaded through the L1 cache one after the other.
// An uncached load (Normal non-cacheable or Device memory) is alone: the next one waits for it.
// The program itself is in the instruction cache and its branches are predicted. Only timing: the
// bytes are in Memory at all times.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sluice/model/a9_params.hpp"
#include "sluice/model/pl310.hpp"
#include "sluice/model/ring.hpp"
#include "sluice/model/set_cache.hpp"

namespace sluice::model {

/// A loop that a program spends its time in, 8 bytes at a time.
struct CpuProgram {
  enum class Kind : std::uint8_t {
    copy,   ///< four loads, four stores, as in tinymembench's "C copy"
    read,   ///< loads one after another, none needed by the next
    chase,  ///< each load gives the address of the next; a fixed permutation of the slots
  };
  Kind kind = Kind::read;
  std::uint64_t source = 0;       ///< multiple of 32
  std::uint64_t destination = 0;  ///< of a copy; multiple of 32
  std::uint64_t bytes = 0;        ///< multiple of 32; of a chase its range: slots of `stride`
  bool cached = true;             ///< of the source
  std::uint32_t stride = 64;      ///< of a chase: multiple of 8; bytes / stride is a power of two
  std::uint64_t loads = 0;        ///< of a chase
  bool forever = false;           ///< again and again, without end
};

class A9Core {
 public:
  /// `tables` is where the translation tables lie: 16 KiB and 4 KiB a mapped MiB.
  A9Core(const A9Params& params, std::uint64_t tables, Pl310& l2);

  /// Throws std::logic_error while a program runs, std::invalid_argument for one that is not legal.
  void start(const CpuProgram& program, std::uint64_t time_ps);
  void advance(std::uint64_t now_ps);
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] std::uint64_t finished_ps() const { return time_ps_; }
  /// Bytes that the running or last copy has come through, rounds of one without end added up.
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_before_ + op_ / 8U * 32U; }

  /// The SCU's view: the line is in the L1 cache; take it out.
  [[nodiscard]] bool holds(std::uint64_t address) const {
    return l1_.contains(address / Pl310::kLineBytes);
  }
  void invalidate(std::uint64_t address) { (void)l1_.invalidate(address / Pl310::kLineBytes); }

  struct Counts {
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t l1_hits = 0;
    std::uint64_t l1_misses = 0;
    std::uint64_t l1_evictions = 0;  ///< of dirty lines
    std::uint64_t micro_tlb_misses = 0;
    std::uint64_t main_tlb_misses = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint64_t kNever = Pl310::kPending;
  static constexpr std::uint32_t kMaxLinefills = 8;
  static constexpr std::uint32_t kOpsOfLine = 4;  // loads, or stores
  struct Linefill {
    bool used = false;
    std::uint64_t line = 0;
    std::uint64_t serial = 0;
    std::uint64_t ready_ps = 0;
  };
  /// A value on its way: at time ps, or with a linefill.
  struct Value {
    std::uint64_t ps = 0;
    std::uint32_t slot = 0;
    std::uint64_t serial = 0;  // 0: no linefill
  };
  struct Store {
    std::uint64_t line;
    std::uint64_t issued_ps;
    Value value;
  };

  [[nodiscard]] std::uint64_t cycles(std::uint32_t count) const {
    return std::uint64_t{count} * params_.cycle_ps;
  }
  [[nodiscard]] std::uint64_t when(const Value& value) const;
  /// All of these: false, the core must wait and try the same again.
  bool step();
  bool step_stream();
  bool step_chase();
  bool finish();
  bool load(std::uint64_t address, Value& value);
  bool load_uncached(std::uint64_t address, Value& value);
  bool store(std::uint64_t address, const Value& value);
  bool translate(std::uint64_t address);
  bool walk(std::uint64_t page);
  /// The line is in the L1 cache (slot is kMaxLinefills) or in a linefill.
  bool fetch(std::uint64_t address, std::uint32_t& slot);
  bool wait_for_linefill();
  void release_linefills();
  void drain();
  void wait_until(std::uint64_t ps) { time_ps_ = ps > time_ps_ ? ps : time_ps_; }

  A9Params params_;
  std::uint64_t tables_;
  Pl310& l2_;
  SetCache l1_;
  SetCache micro_tlb_;
  SetCache main_tlb_;
  std::array<Linefill, kMaxLinefills> linefills_{};
  std::uint64_t serial_ = 0;
  Ring<Store> stores_;
  std::uint64_t drain_free_ps_ = 0;
  std::uint64_t drain_due_ps_ = 0;  // when the oldest store can leave, kNever if not known

  CpuProgram program_{};
  bool running_ = false;
  std::uint64_t now_ps_ = 0;
  std::uint64_t time_ps_ = 0;  // of the core
  std::uint64_t op_ = 0;       // of the program
  std::uint64_t ops_ = 0;
  std::uint64_t copied_before_ = 0;  // in earlier rounds
  std::uint64_t slot_ = 0;           // of a chase
  std::array<Value, kOpsOfLine> registers_{};
  Value blocked_on_{};
  bool uncached_asked_ = false;
  std::uint64_t uncached_ps_ = 0;
  std::uint32_t walk_level_ = 0;  // descriptors that have come
  bool micro_charged_ = false;
  Counts counts_{};
};

}  // namespace sluice::model
