// SPDX-License-Identifier: Apache-2.0
// What UG1145 measured on a ZC702, beside the model: nothing was fitted to it but read_path_edges.
#include <gtest/gtest.h>

#include "../tools/model_ug1145.hpp"

namespace sluice::model {
namespace {

constexpr std::uint64_t kClocks = 40'000;

/// Four ports ask for 96 % of the peak: the mean over eight starts is silicon's within 3 %, and its
/// reads and writes within 7 %.
TEST(Ug1145, FourPortsShareWhatTheDramHas) {
  Zynq7000Params params = zynq7020();
  params.ddrc.check_commands = 1;
  double read = 0;
  double write = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const ug1145::Result result = ug1145::Traffic(params, false, seed).run(kClocks);
    read += result.read_mb_s / 8.0;
    write += result.write_mb_s / 8.0;
  }
  constexpr double kBoth = ug1145::kReadMbS + ug1145::kWriteMbS;
  EXPECT_NEAR(read + write, kBoth, 0.03 * kBoth);
  EXPECT_NEAR(read, ug1145::kReadMbS, 0.07 * ug1145::kReadMbS);
  EXPECT_NEAR(write, ug1145::kWriteMbS, 0.07 * ug1145::kWriteMbS);
}

/// The path that the model leaves out by default (docs/explanation/memory-model.md) adds its edges.
/// Reads of the on-chip memory take as long as on silicon then, and those of DDR nearly.
TEST(Ug1145, APathBeyondTheSynchronisersDelaysReads) {
  Zynq7000Params params = zynq7020();
  const ug1145::Result without = ug1145::Traffic(params, true, 1).run(kClocks);
  params.afi.read_path_edges = 33;
  const ug1145::Result with = ug1145::Traffic(params, true, 1).run(kClocks);
  const double clocks = 33.0 / (533.0 * 2.0 / 3.0) * 100.0;  // of DDR_2x in those of the ports
  EXPECT_NEAR(with.delay[2], without.delay[2] + clocks, 2.0);
  EXPECT_NEAR((with.delay[2] + with.delay[3]) / 2.0, 31.5, 2.0);
  EXPECT_NEAR((with.delay[0] + with.delay[1]) / 2.0, 42.0, 8.0);
  // All that is asked for, with and without.
  EXPECT_NEAR(with.read_mb_s, 2048.0, 10.0);
  EXPECT_NEAR(without.read_mb_s, 2048.0, 10.0);
  EXPECT_NEAR(with.write_mb_s, 2048.0, 10.0);
}

/// A read that waits for its path holds no write back.
TEST(ReadPath, IsOfReadsOnly) {
  const auto response_edge = [](std::uint32_t path, bool with_a_read) {
    Zynq7000Params params = zynq7020();
    params.afi.read_path_edges = path;
    Zynq7000 chip(params);
    AfiPort& port = chip.afi(0);
    const Clock pl(100.0);
    for (std::uint64_t edge = 1; edge < 1000; ++edge) {
      chip.advance_to(pl.time_ps(edge));
      port.pl_edge();
      if (port.pl_read_word_available()) (void)port.pl_take_read_word();
      if (port.pl_response_available()) return edge;
      if (edge == 1) port.pl_write({0x10'0000, 16, 8});
      if (edge == 15 && with_a_read) port.pl_read({0x20'0000, 1, 8});
      if (edge <= 16) port.pl_put_write_word(edge, 0xff);
    }
    return std::uint64_t{0};
  };
  const std::uint64_t alone = response_edge(0, false);
  EXPECT_GT(alone, 16U);
  for (const std::uint32_t path : {33U, 200U}) {
    EXPECT_EQ(response_edge(path, false), alone);
    EXPECT_EQ(response_edge(path, true), alone);
  }
}

}  // namespace
}  // namespace sluice::model
