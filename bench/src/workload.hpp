// SPDX-License-Identifier: Apache-2.0
// One measurement: which ports move how much in which direction, and how a run of it is made.
#pragma once

#include <sluice.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::bench {

// duplex: one stream each port, from memory to memory. both: two streams each port, apart.
// copy: memory to memory by an engine that has no stream.
enum class Direction { duplex, mm2s, s2mm, both, copy };
constexpr Direction kDirections[] = {Direction::duplex, Direction::mm2s, Direction::s2mm,
                                     Direction::both, Direction::copy};

struct Workload {
  std::string device;  // URI of a board that is not simulated; then the next four say nothing of it
  std::string board = "zynq7010";
  std::string design = "hp_stress";
  std::string level = "rtl";            // or "transaction"
  bool fast_forward = false;            // on that level
  std::vector<std::string> settings;    // of the memory model, "name=value"
  std::vector<std::string> attributes;  // of the design, "name=value", set first
  unsigned width_bits = 64;
  std::vector<unsigned> ports{0};
  Direction direction = Direction::duplex;
  double clock_mhz = 100.0;
  uint64_t bytes = 1 << 20;               // per transfer; duplex moves it twice, a copy counts once
  std::optional<uint32_t> start_cost_ns;  // software's time for one start; none: the board's own
  uint32_t skew_ns = 1000;                // before each start a random wait of 0 to this
  uint64_t stagger_bytes = 0;             // buffer n lies n times this past a common alignment
  uint64_t seed = 1;
};

struct RunResult {
  unsigned run;
  double mb_s;                    // all bytes over (last finish - first start), 10^6 bytes a second
  uint64_t bytes;                 // moved by all transfers together
  uint64_t start_ns;              // of the first transfer, board's clock
  uint64_t finish_ns;             // of the last transfer
  uint64_t pl_cycles;             // from start to finish
  bool verified;                  // every byte was where it should be afterwards
  std::vector<uint32_t> skew_ns;  // in order of starting
  std::string clock;              // that the times are of: clock_name()
};

// What time is on the board: "simulated", or the clock that a device and its program share.
[[nodiscard]] std::string clock_name(sluice_board* board);

// What can be moved through one port of a board.
struct Port {
  unsigned number;
  std::string name;  // "HP0"
  std::vector<Direction> directions;
  uint64_t max_bytes;   // of a transfer
  uint32_t width_bits;  // 0: not known
};

// The ports of a board that has channels, by number. Throws sluice::Failure.
[[nodiscard]] std::vector<Port> ports_of(sluice_board* board);

// Whether a port of the board's design can be measured in that direction.
[[nodiscard]] bool can(sluice_board* board, Direction direction, unsigned port = 0);

// Throws sluice::Failure or std::invalid_argument with a sentence if the board cannot do it.
void check(const Workload& workload);

// Open the board afresh, move the data once, and verify it afterwards. Which random waits it has
// depends on the workload and `run` alone. Throws sluice::Failure or std::runtime_error.
RunResult run(const Workload& workload, unsigned run);

}  // namespace sluice::bench
