// SPDX-License-Identifier: Apache-2.0
#include "speed.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace sluice::bench {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Rate spread(std::vector<double> samples) {
  std::vector<double> sorted = samples;
  std::ranges::sort(sorted);
  return {.min = sorted.front(),
          .median = sorted[sorted.size() / 2],
          .max = sorted.back(),
          .samples = std::move(samples)};
}

}  // namespace

Speed time_simulation(const std::function<Simulated(unsigned run)>& simulate, unsigned runs) {
  Simulated last{};
  std::vector<double> mb;
  std::vector<double> us;
  for (unsigned run = 0; run < runs; ++run) {
    const double begin_s = cpu_seconds();
    last = simulate(run);
    const double cpu_s = cpu_seconds() - begin_s;
    mb.push_back(static_cast<double>(last.bytes) / 1e6 / cpu_s);
    us.push_back(static_cast<double>(last.elapsed_ns) / 1e3 / cpu_s);
  }
  return {
      .run = last, .mb_per_cpu_s = spread(std::move(mb)), .us_per_cpu_s = spread(std::move(us))};
}

Rate operator*(Rate rate, double many) {
  rate.min *= many;
  rate.median *= many;
  rate.max *= many;
  for (double& sample : rate.samples) sample *= many;
  return rate;
}

}  // namespace sluice::bench
