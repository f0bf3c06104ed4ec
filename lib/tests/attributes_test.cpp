// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>
#include <sluice.hpp>
#include <string>

namespace {

using namespace sluice;

struct Attributes : testing::Test {
  BoardHandle board = open_board("sim:zynq7010/hp_stress?width=32&start_cost_ns=0");
};

TEST_F(Attributes, AllCanBeListedAndRead) {
  std::set<std::string> names;
  sluice_attribute_info info{};
  for (unsigned i = 0; sluice_board_attribute(board.get(), i, &info, sizeof info) == 0; ++i) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_STRNE(info.text, "");
    EXPECT_NO_THROW(get_attribute(board.get(), info.name)) << info.name;
  }
  for (const char* port : {"hp0", "hp1", "hp2", "hp3"})
    for (const char* name : {".loopback", ".source.beats", ".drop.beats", ".sink.bytes"})
      EXPECT_TRUE(names.contains(std::string(port) + name));
}

TEST_F(Attributes, SettingsKeepWhatWasWrittenAndStayApart) {
  sluice_attribute_info info{};
  for (unsigned i = 0; sluice_board_attribute(board.get(), i, &info, sizeof info) == 0; ++i) {
    const std::string name = info.name;
    // Those that start something or clear themselves are tried elsewhere.
    if (info.max == 0 || name.ends_with("enable") || name.ends_with("clear")) continue;
    set_attribute(board.get(), name, info.max);
    EXPECT_EQ(get_attribute(board.get(), name), info.max) << name;
    EXPECT_EQ(sluice_board_set_attribute(board.get(), name.c_str(), info.max + 1), -ERANGE);
    set_attribute(board.get(), name, 1);
    EXPECT_EQ(get_attribute(board.get(), name), 1U) << name;
  }
  set_attribute(board.get(), "hp0.sink.ready_ticks", 3);  // shares its register
  set_attribute(board.get(), "hp0.sink.stall_ticks", 5);
  EXPECT_EQ(get_attribute(board.get(), "hp0.sink.ready_ticks"), 3U);
  EXPECT_EQ(get_attribute(board.get(), "hp1.sink.ready_ticks"), 1U);
}

TEST_F(Attributes, WrongNamesAndWritesAreRefused) {
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp4.loopback", &value), -ENOENT);
  EXPECT_STREQ(sluice_last_error(),
               "hp_stress has no attribute 'hp4.loopback'; names begin with: hp0, hp1, hp2, hp3");
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp1.loop", &value), -ENOENT);
  const std::string said = sluice_last_error();
  EXPECT_TRUE(said.starts_with("hp_stress has no attribute 'hp1.loop'; hp1 has: ")) << said;
  EXPECT_NE(said.find("loopback, "), said.npos) << said;
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.sink.beats", 0), -EACCES);
  EXPECT_STREQ(sluice_last_error(), "attribute 'hp0.sink.beats' is read-only");
}

TEST_F(Attributes, AreAllInTheReference) {
  std::ifstream page(SLUICE_SOURCE_DIR "/docs/reference/hp_stress.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  ASSERT_NE(text, "");
  sluice_attribute_info info{};
  for (unsigned i = 0; sluice_board_attribute(board.get(), i, &info, sizeof info) == 0; ++i) {
    const std::string name = info.name;
    const size_t row = text.find("| `" + name.substr(name.find('.') + 1) + "` |");
    ASSERT_NE(row, std::string::npos) << name << " is not in docs/reference/hp_stress.md";
    EXPECT_TRUE(text.substr(row, text.find('\n', row) - row)
                    .ends_with("| " + std::string(info.text) + " |"))
        << name << ": " << info.text;
  }
}

// A sensor that nobody reads: every beat past the few that fit on the way is counted as lost.
TEST_F(Attributes, FreeRunningSourceCountsWhatIsDropped) {
  set_attribute(board.get(), "hp2.source.free_run", 1);
  set_attribute(board.get(), "hp2.source.packet_beats", 1000);
  set_attribute(board.get(), "hp2.source.enable", 1);
  sluice::check(sluice_board_sleep_ns(board.get(), 100'000));
  EXPECT_EQ(get_attribute(board.get(), "hp2.source.done"), 1U);
  EXPECT_EQ(get_attribute(board.get(), "hp2.source.beats"), 1000U);
  const uint64_t dropped = get_attribute(board.get(), "hp2.drop.beats");
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(get_attribute(board.get(), "hp2.drop.first"), 1000 - dropped);
}

}  // namespace
