// SPDX-License-Identifier: Apache-2.0
// SinglePortController: the single-port SDRAM controller of the Cyclone V HPS (TRM 12.5.2, 12.6.3;
// rules of EMI3 5.3), the scheduler of a DramController.
//
// Commands (one DRAM burst of 32 bytes each) wait in a queue of queue_commands and enter, in order,
// a timer bank pool of pool_commands. Per DDR clock one DRAM command, the first that is legal now:
//   1. column: among the pool's commands whose row is open and whose timers have run out, a starved
//      one (starve_limit commands have been served since it entered), else a read before a write,
//      else the oldest. While a starved command waits for no more than the bus's direction, the
//      other direction is held back.
//   2. ACT for the oldest command of a closed bank.
//   3. PRE of a bank whose open row no command of the pool wants. A starved command of another row
//      has it closed unless an older one wants it.
// Rows stay open (PORTCFG.AUTOPCHEN 0). Before a REF all banks are closed by one PREA, as the soft
// controller of the same family does (alt_mem_ddrx_sideband).
#pragma once

#include <array>
#include <cstdint>

#include "sluice/model/cyclonev_params.hpp"
#include "sluice/model/dram_controller.hpp"
#include "sluice/model/ring.hpp"
#include "sluice/model/statistics.hpp"

namespace sluice::model {

class SinglePortController : public DramController<SinglePortController> {
 public:
  static constexpr std::uint32_t kMostPool = 32;

  struct Command {
    std::uint32_t row = 0;
    std::uint8_t bank = 0;
    bool write = false;
    std::uint8_t port = 0;     ///< of the front end: who gets the data
    std::uint32_t number = 0;  ///< of a read, for its port
  };

  /// Throws std::invalid_argument naming the parameter.
  SinglePortController(const SinglePortParams& params, const Ddr3Timing& timing);

  [[nodiscard]] bool room() const { return !queue_.full(); }
  /// Visible to the pool from `ready_cycle` on; throws std::logic_error without room.
  void accept(const Command& command, std::uint64_t ready_cycle);

  /// A read whose last data left the DRAM `latency_cycles` ago or earlier waits to be taken.
  [[nodiscard]] bool returned(std::uint64_t cycle, std::uint32_t latency_cycles) const {
    return !returns_.empty() && returns_.front().cycle + latency_cycles <= cycle;
  }
  Command take_returned();

  /// No command, data on its way, or owed refresh.
  [[nodiscard]] bool quiet() const {
    return queue_.empty() && count_ == 0 && returns_.empty() && !refreshing();
  }

  [[nodiscard]] Statistics statistics() const {
    Statistics s = counted();
    s.read_cam_entry_cycles += count_ * now_;
    return s;
  }

 private:
  friend class DramController<SinglePortController>;
  static constexpr bool kPrechargeAll = true;
  struct Waiting {
    Command command;
    std::uint64_t cycle;
  };
  struct Entry {
    Command command;
    std::uint32_t passed;  ///< commands served since it entered
  };

  void step(std::uint64_t cycle);
  bool schedule(std::uint64_t cycle) { return issue_column(cycle) || issue_row(cycle); }
  void fill_pool(std::uint64_t cycle);
  /// The cycle in which the next command enters the pool; kNever: none waits, or the pool is full.
  [[nodiscard]] std::uint64_t next_entry() const {
    return queue_.empty() || count_ == params_.pool_commands ? kNever : queue_.front().cycle;
  }
  bool issue_column(std::uint64_t cycle);
  bool issue_row(std::uint64_t cycle);
  void serve(std::uint32_t index, std::uint64_t cycle);
  void row_opened(std::uint32_t /*bank*/, std::uint32_t /*row*/) {}
  void row_closed(std::uint32_t /*bank*/) {}
  [[nodiscard]] bool hits(const Command& c) const {
    return device_.open(c.bank) && device_.open_row(c.bank) == c.row;
  }
  [[nodiscard]] bool starved(const Entry& e) const { return e.passed >= params_.starve_limit; }

  SinglePortParams params_;
  Ring<Waiting> queue_;
  std::array<Entry, kMostPool> pool_{};  ///< the first count_, oldest first
  std::uint32_t count_ = 0;
  Ring<Waiting> returns_;
  // Of stats_, the entries' cycles count each entry at its leaving: they lack count_ times now_.
};

}  // namespace sluice::model
