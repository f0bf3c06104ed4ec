// SPDX-License-Identifier: Apache-2.0
// How fast a capture comes over TCP, beside a plain socket with blocks of the same size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::bench {

struct Network {
  std::string uri;  // of a board whose stream is as fast as periods are released
  std::string channel = "memory0.s2mm";
  uint64_t bytes = 64 << 10;  // of a period, and of a block
  unsigned periods = 64;      // of the ring, and of the memory of blocks at each end
  double seconds = 0.5;       // of a round, each way
  unsigned rounds = 5;        // of both, whose order changes
};

struct Compared {
  std::vector<double> capture_mb_s, raw_mb_s;  // a round each
  uint64_t lost = 0;                           // periods
};

// The plain socket: a process that sends blocks, one after the other, from memory as large as the
// ring, over the loopback; this process receives each whole into memory as large.
// Throws std::runtime_error, Failure.
[[nodiscard]] Compared compare_network(const Network& network);

}  // namespace sluice::bench
