// SPDX-License-Identifier: Apache-2.0
// One path of 32 bits for all hardware threads (design memif_threads, on the ACP of a Zynq-7020)
// beside what Guven and Sahin measured of ReconOS' MEMIF (2017, tables 3 and 4).
#include <array>
#include <cmath>
#include <cstdio>

#include "hardware_threads.hpp"

namespace sluice::sim {
namespace {

struct Published {
  unsigned threads;
  double read, write, both;  // MiB/s
};

// sl_memif's two constants are fitted to reads and writes of one thread; all else is predicted.
constexpr std::array<Published, 8> kPublished{{{1, 218.13, 254.09, 224.56},
                                               {2, 230.67, 255.63, 235.12},
                                               {3, 229.13, 256.06, 234.92},
                                               {4, 229.62, 256.52, 235.34},
                                               {5, 229.43, 257.10, 235.31},
                                               {6, 229.27, 257.11, 235.22},
                                               {7, 228.89, 257.09, 235.23},
                                               {8, 228.56, 257.09, 235.46}}};

void expect_close(const Published& row, Mode mode, const char* name, double published) {
  constexpr double kMiB = 1.048576;
  const uint32_t bytes = row.threads <= 2 ? 256 << 10 : 64 << 10;
  const double got = rate(thread_design("memif_threads"), row.threads, mode, bytes).mb_s / kMiB;
  std::printf("figure: memif, %u threads, %s: %.2f MiB/s, published %.2f, %+.1f %%\n", row.threads,
              name, got, published, 100 * (got / published - 1));
  EXPECT_LE(std::abs(got / published - 1), 0.05) << row.threads << " threads, " << name;
}

class Memif : public testing::TestWithParam<Published> {};

TEST_P(Memif, IsWithinFivePercentOfThePublishedRow) {
  const Published& row = GetParam();
  expect_close(row, Mode::read, "read", row.read);
  expect_close(row, Mode::write, "write", row.write);
  expect_close(row, Mode::both, "read and write", row.both);
}

INSTANTIATE_TEST_SUITE_P(Threads, Memif, testing::ValuesIn(kPublished),
                         [](const auto& entry) { return std::to_string(entry.param.threads); });

}  // namespace
}  // namespace sluice::sim
