// SPDX-License-Identifier: Apache-2.0
// How fast this machine simulates.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sluice::bench {

// What one run simulated.
struct Simulated {
  uint64_t bytes;       // that were moved
  uint64_t elapsed_ns;  // of simulated time, from first start to last finish
};

// Something for each second of this process' CPU time, so that other work on the machine counts
// little: a sample for each run.
struct Rate {
  double min, median, max;
  std::vector<double> samples;
};

struct Speed {
  Simulated run;      // the last one
  Rate mb_per_cpu_s;  // 10^6 bytes
  Rate us_per_cpu_s;  // simulated microseconds
};

// Time `runs` (at least 1) runs, set-up and verification included.
[[nodiscard]] Speed time_simulation(const std::function<Simulated(unsigned run)>& simulate,
                                    unsigned runs);

// That rate of something of which there are so many for each one of this.
[[nodiscard]] Rate operator*(Rate rate, double many);

}  // namespace sluice::bench
