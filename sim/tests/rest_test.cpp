// SPDX-License-Identifier: Apache-2.0
// Lanes that rest change nothing: each design beside itself without rest, under random use.
// SLUICE_FULL=1: four times as long.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sluice.hpp>
#include <string>
#include <vector>

#include "mirrored_models.hpp"
#include "seed.hpp"

namespace {

using namespace sluice;

struct Use {
  const char* name;
  const char* uri;
  const char* lane;
  unsigned lanes;
  uint32_t lane_bytes;  // of a lane's registers, from offset 0
};

class Rest : public testing::TestWithParam<Use> {
 protected:
  BoardHandle board = open_board(GetParam().uri);
  std::mt19937_64 random{test_seed()};
  std::vector<BufferHandle> buffers;
  std::vector<sluice_channel*> channels;

  void SetUp() override {
    for (int i = 0; i < 4; ++i) buffers.push_back(allocate(board.get(), kBufferBytes));
    for (unsigned i = 0;; ++i) {
      channels.push_back(sluice_board_channel(board.get(), i));
      if (channels.back() == nullptr) break;
    }
    channels.pop_back();
  }

  uint64_t below(uint64_t limit) { return random() % limit; }
  std::string lane() { return GetParam().lane + std::to_string(below(GetParam().lanes)); }
  void set(const std::string& name, uint64_t value) {
    (void)sluice_board_set_attribute(board.get(), (lane() + name).c_str(), value);
  }

  // What a program may do at any time; much of it is refused, or does not finish.
  void use() {
    constexpr std::string_view kAttributes[] = {
        ".sink.enable",     ".source.enable",   ".sink.check",          ".loopback",
        ".source.free_run", ".sink.clear",      ".source.packet_beats", ".source.frames",
        ".sink.stall_mode", ".sink.stall_prob", ".source.pause_beats",  ".sink.seed"};
    switch (below(8)) {
      case 0:
      case 1: set(std::string(kAttributes[below(std::size(kAttributes))]), below(3)); break;
      case 2: {
        uint64_t value = 0;
        (void)sluice_board_get_attribute(board.get(), (lane() + ".sink.beats").c_str(), &value);
        break;
      }
      case 3: {
        uint32_t value = 0;
        const uint64_t offset = below(GetParam().lanes * GetParam().lane_bytes / 4) * 4;
        (void)sluice_board_read_register(board.get(), offset, &value);
        break;
      }
      case 4:
        (void)sluice_board_sleep_ns(board.get(),
                                    static_cast<uint32_t>(below(below(16) == 0 ? 40'000 : 3'000)));
        break;
      case 5:
        if (channels.empty())
          (void)sluice_board_write_register(board.get(),
                                            below(GetParam().lanes * GetParam().lane_bytes / 4) * 4,
                                            static_cast<uint32_t>(below(64)), 0xf);
        else
          transfer(channels[below(channels.size())]);
        break;
      case 6:
        if (!channels.empty() && below(4) == 0)
          (void)sluice_channel_cancel(channels[below(channels.size())]);
        break;
      default:
        if (!channels.empty()) {
          sluice_completion done{};
          (void)sluice_channel_reap(channels[below(channels.size())], &done, 1, sizeof done, 2000);
        }
    }
  }

 private:
  static constexpr uint64_t kBufferBytes = 16384;

  void transfer(sluice_channel* channel) {
    const uint64_t bytes = 8 * (1 + below(500));
    const sluice_transfer transfer{buffers[below(2)].get(), 0, bytes, 0};
    const sluice_copy copy{buffers[below(2)].get(), 0, buffers[2 + below(2)].get(), 0, bytes, 0};
    if (sluice_channel_submit(channel, &transfer, 1, sizeof transfer) != 0)
      (void)sluice_channel_copy(channel, &copy, 1, sizeof copy);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Designs, Rest,
    testing::Values(
        Use{"hp_stress_32", "sim:zynq7010/hp_stress?width=32&start_cost_ns=0", "hp", 4, 0x1'0000},
        Use{"hp_stress_64", "sim:zynq7010/hp_stress?start_cost_ns=0", "hp", 4, 0x1'0000},
        Use{"hp_stress_sg", "sim:zynq7020/hp_stress_sg?start_cost_ns=0", "hp", 4, 0x1'0000},
        Use{"dma_loopback", "sim:zynq7010/dma_loopback?start_cost_ns=0", "hp", 4, 0x1'0000},
        Use{"msgdma", "sim:zynq7020/msgdma?start_cost_ns=0", "hp", 4, 0x1'0000},
        Use{"f2s_stress_32", "sim:cyclonev/f2s_stress?width=32&start_cost_ns=0", "f2s", 3,
            0x1'0000},
        Use{"f2s_stress_64", "sim:cyclonev/f2s_stress?width=64&start_cost_ns=0", "f2s", 3,
            0x1'0000},
        Use{"f2s_stress_128", "sim:cyclonev/f2s_stress?width=128&start_cost_ns=0", "f2s", 2,
            0x1'0000},
        Use{"streamif_threads", "sim:zynq7020/streamif_threads?start_cost_ns=0", "thread", 8,
            0x8000},
        Use{"memif_threads", "sim:zynq7020/memif_threads?start_cost_ns=0", "thread", 8, 0x8000}),
    [](const auto& use) { return std::string(use.param.name); });

TEST_P(Rest, ChangesNoByteOfTheState) {
  const sim::Rested before = sim::rested;
  const uint64_t wanted = std::getenv("SLUICE_FULL") != nullptr ? 40'000 : 10'000;
  uint64_t evaluations = 0;
  for (int i = 0; i < 100'000 && evaluations < wanted; ++i) {
    use();
    evaluations = sim::rested.evaluations - before.evaluations;
  }
  EXPECT_GE(evaluations, wanted);
  // hp_stress_sg's capability blocks write a memory in each cycle: a flag of that changes within an
  // evaluation, so its lanes work on.
  if (GetParam().name == std::string("hp_stress_sg")) {
    EXPECT_EQ(sim::rested.lanes, before.lanes);
    return;
  }
  EXPECT_GT(sim::rested.lanes - before.lanes, evaluations / 8);  // a lane is at rest now and then
  EXPECT_GT(sim::rested.woken - before.woken, 5U);
}

}  // namespace
