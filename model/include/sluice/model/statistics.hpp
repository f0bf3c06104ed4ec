// SPDX-License-Identifier: Apache-2.0
// Statistics: what the memory system did, to explain a bandwidth afterwards.
//
// All counters run from construction; subtract two snapshots to describe an interval. Cycles are
// DDR clock cycles. bus_utilisation = data cycles / all cycles.
#pragma once

#include <array>
#include <cstdint>

namespace sluice::model {

struct Statistics {
  std::uint64_t cycles = 0;
  std::uint64_t idle_cycles = 0;  ///< skipped: nothing anywhere
  std::uint64_t reads = 0;        ///< RD commands (one BL8 each)
  std::uint64_t writes = 0;       ///< WR commands
  std::uint64_t row_hits = 0;     ///< column commands that needed no ACT of their own
  std::uint64_t row_misses = 0;   ///< ACT after a PRE of another row for a waiting request
  std::uint64_t row_empties = 0;  ///< ACT of a bank that refresh or start left closed
  std::uint64_t precharges = 0;   ///< PRE, and PREA as one
  std::uint64_t refreshes = 0;
  std::uint64_t read_to_write = 0;  ///< turnarounds of the data bus
  std::uint64_t write_to_read = 0;
  std::uint64_t read_mode_cycles = 0;
  std::uint64_t write_mode_cycles = 0;
  std::uint64_t read_cam_entry_cycles = 0;  ///< sum of occupied entries over active cycles
  std::uint64_t write_cam_entry_cycles = 0;
  std::uint64_t data_cycles = 0;  ///< cycles with data on the DRAM bus
  std::array<std::uint64_t, 4> hp_read_bytes{};
  std::array<std::uint64_t, 4> hp_write_bytes{};

  [[nodiscard]] double bus_utilisation() const {
    return cycles == 0 ? 0.0 : static_cast<double>(data_cycles) / static_cast<double>(cycles);
  }
  Statistics& operator-=(const Statistics& o);
};

}  // namespace sluice::model
