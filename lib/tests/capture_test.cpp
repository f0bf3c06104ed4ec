// SPDX-License-Identifier: Apache-2.0
// Captures without end on simulated boards, with the design's logic and without: what is not lost
// is the source's sequence, and every word that is missing is one that the library has told of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <sluice.hpp>
#include <string>
#include <vector>

namespace sluice {
namespace {

constexpr uint64_t kMillisecond_ns = 1'000'000;
constexpr uint32_t kPeriods = 8;
constexpr uint64_t kPeriodBytes = 4096;
constexpr uint32_t kWords = kPeriodBytes / 4;  // the source's words have 32 bits

sluice_channel_info info_of(sluice_channel* channel) {
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel, &info, sizeof info));
  return info;
}

struct Case {
  const char* where;  // board and design
  const char* level;
  const char* lane;
};

void PrintTo(const Case& value, std::ostream* out) {
  *out << value.where << " at level " << value.level;
}

struct Capturing : testing::TestWithParam<Case> {
  bool rtl = std::string(GetParam().level) == "rtl";
  std::string lane = GetParam().lane;
  BoardHandle board = open_board(std::string("sim:") + GetParam().where +
                                 "?start_cost_ns=0&level=" + GetParam().level);
  sluice_channel* channel = find_channel(board.get(), lane + ".s2mm");
  BufferHandle buffer = allocate(board.get(), kPeriods* kPeriodBytes);
  uint64_t beat_bytes = info_of(channel).width_bits / 8;
  uint64_t period_beats = kPeriodBytes / beat_bytes;

  void set(const char* name, uint64_t value) {
    set_attribute(board.get(), lane + ".source." + name, value);
  }
  uint64_t get(const char* name) { return get_attribute(board.get(), lane + "." + name); }

  // Packets of so many bytes, each `ticks` of the clock after the one before; a source that does
  // not wait.
  void run_source(uint64_t bytes, uint64_t ticks, bool free_run = true) {
    set("packet_beats", bytes / beat_bytes);
    set("frame_packets", 1);
    set("frame_ticks", ticks);
    set("continuous", 1);
    set("free_run", free_run);
    set("enable", 1);
  }

  sluice_capture ring(uint32_t flags = 0) const {
    return {.buffer = buffer.get(),
            .offset = 0,
            .period_bytes = kPeriodBytes,
            .periods = kPeriods,
            .flags = flags};
  }
  int start(uint32_t flags = 0) {
    const sluice_capture capture = ring(flags);
    return sluice_capture_start(channel, &capture, sizeof capture);
  }
  uint64_t wait_for(uint64_t period) {
    uint64_t produced = 0;
    EXPECT_EQ(sluice_capture_wait(channel, period, 10 * kMillisecond_ns, &produced), 1)
        << sluice_last_error();
    return produced;
  }
  sluice_capture_answer release(uint64_t period) {
    sluice_capture_answer answer{};
    EXPECT_EQ(sluice_capture_release(channel, period, &answer, sizeof answer), 0)
        << sluice_last_error();
    return answer;
  }
  sluice_capture_status status() {
    sluice_capture_status found{};
    EXPECT_EQ(sluice_capture_get_status(channel, &found, sizeof found), 0);
    return found;
  }
  sluice_capture_period period(uint64_t number) {
    sluice_capture_period found{};
    EXPECT_EQ(sluice_capture_get_period(channel, number, &found, sizeof found), 0)
        << sluice_last_error();
    return found;
  }
  // Words of a period.
  std::vector<uint32_t> words(uint64_t number, uint64_t bytes = kPeriodBytes) {
    std::vector<uint32_t> found(bytes / 4);
    std::memcpy(found.data(), bytes_of(buffer.get()).data() + number % kPeriods * kPeriodBytes,
                bytes);
    return found;
  }
};

std::vector<uint32_t> sequence(uint32_t first, size_t count) {
  std::vector<uint32_t> expected(count);
  std::iota(expected.begin(), expected.end(), first);
  return expected;
}

// Those of design capture, which draws a test picture.
struct Drawing : Capturing {};

const Case kDrawing[] = {
    {"zynq7010/capture", "rtl", "hp0"},      {"zynq7010/capture", "transaction", "hp0"},
    {"zynq7010/capture_32", "rtl", "hp0"},   {"zynq7020/capture_32", "transaction", "hp0"},
    {"zynq7020/capture_acp", "rtl", "acp0"}, {"zynq7010/capture_acp", "transaction", "acp0"}};
const Case kOfSeveralPorts[] = {{"zynq7010/hp_stress_sg", "transaction", "hp2"}};

std::string name_of(const testing::TestParamInfo<Case>& param) {
  std::string name = std::string(param.param.where) + "_" + param.param.level;
  std::ranges::replace(name, '/', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Designs, Capturing, testing::ValuesIn(kDrawing), name_of);
INSTANTIATE_TEST_SUITE_P(Ports, Capturing, testing::ValuesIn(kOfSeveralPorts), name_of);
INSTANTIATE_TEST_SUITE_P(Designs, Drawing, testing::ValuesIn(kDrawing), name_of);

TEST_P(Capturing, HasNoDriverThatCopies) {
  ASSERT_EQ(start(), 0) << sluice_last_error();
  run_source(kPeriodBytes, 2 * period_beats);
  wait_for(0);
  uint32_t word = 0;
  EXPECT_EQ(sluice_capture_read(channel, 0, &word, sizeof word), -ENOTSUP);
}

TEST_P(Capturing, LosesNothingWhereTheReaderIsInTime) {
  const sluice_channel_info info = info_of(channel);
  EXPECT_EQ(info.direction, static_cast<uint32_t>(SLUICE_S2MM));
  constexpr uint32_t kCan = SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT | SLUICE_CAN_HOLD;
  EXPECT_EQ(info.capabilities & kCan, kCan);
  ASSERT_EQ(start(), 0) << sluice_last_error();
  run_source(kPeriodBytes, 2 * period_beats);  // half the port's rate
  uint64_t ticks = 0;
  for (uint64_t next = 0; next < 50;) {
    const uint64_t produced = wait_for(next);
    for (; next < produced; ++next) {
      ASSERT_EQ(words(next), sequence(static_cast<uint32_t>(next * kWords), kWords));
      const sluice_capture_period found = period(next);
      EXPECT_EQ(found.bytes, kPeriodBytes);
      EXPECT_EQ(found.drops, 0U);
      EXPECT_EQ(found.exact, 1U);
      EXPECT_GT(found.ticks, ticks);
      if (ticks != 0) {
        EXPECT_NEAR(static_cast<double>(found.ticks - ticks), static_cast<double>(2 * period_beats),
                    64);
      }
      ticks = found.ticks;
    }
    EXPECT_EQ(release(next).lost, 0U);
  }
  const sluice_capture_status found = status();
  EXPECT_EQ(found.lost, 0U);
  EXPECT_EQ(found.losses, 0U);
  EXPECT_EQ(found.drops, 0U);
  EXPECT_EQ(found.bytes, found.produced * kPeriodBytes);
  EXPECT_EQ(found.clock_hz, 100'000'000U);
  EXPECT_EQ(found.running, 1U);
  EXPECT_EQ(found.exact, 1U);
  ASSERT_EQ(sluice_capture_stop(channel), 0);
  EXPECT_EQ(status().running, 0U);
  EXPECT_EQ(sluice_capture_wait(channel, 1000, -1, nullptr), -EPIPE);
}

// A reader that stops at random, for up to three rounds of the ring: each period whose words are
// not the sequence's is among the losses, and none of the losses was told as whole.
TEST_P(Capturing, EveryWordThatIsMissingIsTold) {
  const char* const seed = std::getenv("SEED");
  std::mt19937_64 random(seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
  const bool full = std::getenv("SLUICE_FULL") != nullptr;
  const unsigned stops = rtl ? (full ? 100 : 20) : (full ? 1000 : 60);
  const uint64_t period_ns = 2 * period_beats * 10;
  ASSERT_EQ(start(), 0) << sluice_last_error();
  run_source(kPeriodBytes, 2 * period_beats);
  uint64_t next = 0, lost = 0;
  std::vector<bool> told_lost;
  for (unsigned stop = 0; stop < stops; ++stop) {
    sluice_board_sleep_ns(board.get(), random() % (3 * kPeriods) * period_ns + random() % 5000);
    const uint64_t produced = wait_for(next);
    std::vector<bool> whole;
    for (uint64_t number = next; number < produced; ++number)
      whole.push_back(words(number) == sequence(static_cast<uint32_t>(number * kWords), kWords));
    const sluice_capture_answer answer = release(produced);
    EXPECT_EQ(answer.released, next);
    for (uint64_t number = next; number < produced; ++number) {
      const bool told = number < next + answer.lost;
      told_lost.push_back(told);
      ASSERT_TRUE(told || whole[number - next]) << "period " << number << " is not whole";
      ASSERT_TRUE(told || produced - number <= kPeriods) << "period " << number;
    }
    lost += answer.lost;
    next = produced;
  }
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(status().lost, lost);
  // The records name the same ones, of those that are kept.
  const uint64_t losses = status().losses;
  EXPECT_GT(losses, 1U);
  for (uint64_t index = losses > 64 ? losses - 64 : 0; index < losses; ++index) {
    sluice_capture_loss loss{};
    ASSERT_EQ(sluice_capture_get_loss(channel, index, &loss, sizeof loss), 0);
    for (uint64_t number = loss.first; number < loss.first + loss.count; ++number)
      EXPECT_TRUE(told_lost[number]) << number;
  }
  EXPECT_EQ(get("capability.drops"), 0U);
}

// A source as fast as the logic's clock, which does not wait for a capture that holds the stream
// for a late reader: what was dropped in front of the engine is what is missing between the words.
TEST_P(Capturing, WhatIsDroppedBeforeTheEngineIsCounted) {
  const uint64_t beat_words = beat_bytes / 4;
  std::mt19937_64 random(1);
  for (const uint32_t flags : {0U, uint32_t{SLUICE_CAPTURE_HOLD}}) {
    set("clear", 1);
    ASSERT_EQ(start(flags), 0) << sluice_last_error();
    run_source(1 << 23, 0);
    uint64_t missing = 0;
    uint32_t expected = 0;
    for (uint64_t next = 0; next < 150;) {
      if (flags != 0)
        sluice_board_sleep_ns(board.get(), random() % (3 * kPeriods * 10 * period_beats));
      const uint64_t produced = wait_for(next);
      const uint64_t first = next;
      std::vector<std::vector<uint32_t>> found;
      for (; next < produced; ++next) found.push_back(words(next));
      const sluice_capture_answer answer = release(produced);
      ASSERT_EQ(answer.lost, 0U) << "of periods from " << first << " on";
      for (const auto& period : found)
        for (const uint32_t word : period) {
          missing += word - expected;
          expected = word + 1;
        }
    }
    set("enable", 0);
    ASSERT_EQ(sluice_capture_stop(channel), 0);
    // What lay in the FIFO and in the engine's buffer at the end has not come.
    EXPECT_LE(missing, beat_words * get("drop.beats"));
    if (flags != 0) {
      EXPECT_GT(missing, 0U);
    } else {
      EXPECT_GE(beat_words * status().drops, missing);
    }
  }
}

// Periods that are given only when they are free: the source waits, and nothing is lost however
// late the reader is. A packet's end ends a period.
TEST_P(Capturing, AStreamThatCanWaitIsHeld) {
  constexpr uint64_t kBytes = 800;
  ASSERT_EQ(start(SLUICE_CAPTURE_HOLD), 0) << sluice_last_error();
  run_source(kBytes, 0, false);
  std::mt19937_64 random(1);
  for (uint64_t next = 0; next < 100;) {
    sluice_board_sleep_ns(board.get(), random() % 20'000);
    const uint64_t produced = wait_for(next);
    ASSERT_LE(produced - next, kPeriods);
    for (; next < produced; ++next) {
      EXPECT_EQ(period(next).bytes, kBytes);
      ASSERT_EQ(words(next, kBytes),
                sequence(static_cast<uint32_t>(next * kBytes / 4), kBytes / 4));
    }
    EXPECT_EQ(release(next).lost, 0U);
  }
  EXPECT_EQ(status().lost, 0U);
  EXPECT_EQ(status().exact, 0U);
  ASSERT_EQ(sluice_capture_stop(channel), 0);
}

TEST_P(Capturing, WithoutTheBlockItIsAGuess) {
  ASSERT_EQ(start(SLUICE_CAPTURE_GUESS), 0) << sluice_last_error();
  run_source(kPeriodBytes, 2 * period_beats);
  for (uint64_t next = 0; next < 30;) {
    const uint64_t produced = wait_for(next);
    for (; next < produced; ++next) {
      ASSERT_EQ(words(next), sequence(static_cast<uint32_t>(next * kWords), kWords));
      EXPECT_EQ(period(next).exact, 0U);
    }
    EXPECT_EQ(release(next).lost, 0U);
  }
  EXPECT_EQ(status().exact, 0U);
  EXPECT_EQ(status().clock_hz, 0U);
}

TEST_P(Capturing, ShortPacketsEndPeriods) {
  ASSERT_EQ(start(), 0) << sluice_last_error();
  run_source(512, 1024);
  uint32_t expected = 0;
  for (uint64_t next = 0; next < 20;) {
    const uint64_t produced = wait_for(next);
    for (; next < produced; ++next, expected += 128) {
      EXPECT_EQ(period(next).bytes, 512U);
      ASSERT_EQ(words(next, 512), sequence(expected, 128));
    }
    EXPECT_EQ(release(next).lost, 0U);
  }
}

// Frames of packets, as a camera's: a pause between packets, and a frame each so many ticks.
struct Frames {
  uint64_t packets, packet_bytes, pause_ticks, frame_ticks;
  unsigned count;
};

TEST_P(Capturing, FramesOfPacketsComeAtTheirRate) {
  const std::string where = GetParam().where;
  std::vector<Frames> all = {{5, 1024, 100, 3000, 4}};
  // 614,400 bytes 120 times a second.
  if (std::getenv("SLUICE_FULL") != nullptr || (where == "zynq7020/capture_32" && !rtl))
    all.push_back({150, 4096, 1000, 833'333, 2});
  for (const Frames& frames : all) {
    set("clear", 1);
    ASSERT_EQ(start(), 0) << sluice_last_error();
    set("pause_ticks", frames.pause_ticks);
    set("packet_beats", frames.packet_bytes / beat_bytes);
    set("frame_packets", frames.packets);
    set("frame_ticks", frames.frame_ticks);
    set("continuous", 1);
    set("free_run", 1);
    set("enable", 1);
    const uint64_t packet_ticks = frames.packet_bytes / beat_bytes + frames.pause_ticks;
    uint64_t last = 0, first_of_frame = 0;
    for (uint64_t next = 0; next <= frames.count * frames.packets;) {
      const uint64_t produced = wait_for(next);
      for (; next < produced; ++next) {
        ASSERT_EQ(words(next, frames.packet_bytes),
                  sequence(static_cast<uint32_t>(next * frames.packet_bytes / 4),
                           frames.packet_bytes / 4));
        const sluice_capture_period found = period(next);
        EXPECT_EQ(found.bytes, frames.packet_bytes);
        const bool first = next % frames.packets == 0;
        const uint64_t since = found.ticks - (first ? first_of_frame : last);
        if (next != 0) {
          EXPECT_NEAR(static_cast<double>(since),
                      static_cast<double>(first ? frames.frame_ticks : packet_ticks), 64)
              << next;
        }
        last = found.ticks;
        if (first) first_of_frame = found.ticks;
      }
      ASSERT_EQ(release(next).lost, 0U);
    }
    EXPECT_GE(get("source.frames_done"), frames.count);
    EXPECT_EQ(get("source.late"), 0U);
    EXPECT_EQ(get("drop.beats"), 0U);
    set("enable", 0);
    ASSERT_EQ(sluice_capture_stop(channel), 0);
  }
}

TEST_P(Capturing, SettingsOfTheSourceHaveRanges) {
  for (const auto& [name, most] : {std::pair<const char*, uint64_t>{"packet_beats", 0xff'ffff},
                                   {"pause_ticks", 0xff'ffff},
                                   {"frame_packets", 0xff'ffff},
                                   {"frame_ticks", 0xffff'ffff},
                                   {"frames", 0xffff'ffff}}) {
    const std::string attribute = lane + ".source." + name;
    set(name, most);
    EXPECT_EQ(get_attribute(board.get(), attribute), most);
    EXPECT_EQ(sluice_board_set_attribute(board.get(), attribute.c_str(), most + 1), -ERANGE);
    EXPECT_EQ(sluice_last_error(), "attribute '" + attribute + "' must be from 0 to " +
                                       std::to_string(most) + ", not " + std::to_string(most + 1));
  }
}

// A picture of the design's (rtl/stream/sl_test_picture.sv), pixel by pixel.
struct Picture {
  uint64_t format, width, height;  // 0: grey, 1: RGB565, 2: YUYV

  [[nodiscard]] uint64_t bytes() const { return width * height * (format == 0 ? 1 : 2); }
  [[nodiscard]] std::vector<uint8_t> draw(uint64_t number, uint64_t beat_bytes) const {
    static constexpr uint8_t kGrey[] = {255, 226, 179, 150, 105, 76, 29, 0};
    static constexpr uint16_t kRgb[] = {0xffff, 0xffe0, 0x07ff, 0x07e0, 0xf81f, 0xf800, 0x001f, 0};
    static constexpr uint8_t kYuv[][3] = {{235, 128, 128}, {210, 16, 146},  {170, 166, 16},
                                          {145, 54, 34},   {106, 202, 222}, {81, 90, 240},
                                          {41, 240, 110},  {16, 128, 128}};
    const uint64_t a_beat = beat_bytes / (format == 0 ? 1 : 2), beats = width / a_beat;
    std::vector<uint8_t> found;
    for (uint64_t y = 0; y < height; ++y)
      for (uint64_t x = 0; x < width; ++x) {
        const uint64_t bar = std::min<uint64_t>(x / a_beat / std::max<uint64_t>(beats / 8, 1), 7);
        const uint64_t bit = std::min<uint64_t>(x / a_beat / std::max<uint64_t>(beats / 32, 1), 31);
        const bool numbered = y < 16 || height - 1 - y < 16;
        const uint64_t colour = numbered ? ((number >> bit & 1) != 0 ? 0 : 7) : (bar + number) % 8;
        if (format == 0) {
          found.push_back(kGrey[colour]);
        } else if (format == 1) {
          found.push_back(static_cast<uint8_t>(kRgb[colour]));
          found.push_back(static_cast<uint8_t>(kRgb[colour] >> 8));
        } else {
          found.push_back(kYuv[colour][0]);
          found.push_back(kYuv[colour][x % 2 + 1]);
        }
      }
    return found;
  }
};

TEST_P(Drawing, TestPicturesMove) {
  for (const Picture& picture : {Picture{0, 72, 50}, Picture{1, 32, 40}, Picture{2, 40, 36}}) {
    ASSERT_LE(picture.bytes(), kPeriodBytes);
    for (const auto& [name, value] : {std::pair<const char*, uint64_t>{"enable", 1},
                                      {"format", picture.format},
                                      {"width", picture.width},
                                      {"height", picture.height}})
      set_attribute(board.get(), lane + ".picture." + name, value);
    set("clear", 1);
    ASSERT_EQ(start(), 0) << sluice_last_error();
    run_source(picture.bytes(), 2 * picture.bytes() / beat_bytes);
    for (uint64_t next = 0; next < 10;) {
      const uint64_t produced = wait_for(next);
      for (; next < produced; ++next) {
        const uint8_t* const at = bytes_of(buffer.get()).data() + next % kPeriods * kPeriodBytes;
        ASSERT_EQ(std::vector<uint8_t>(at, at + picture.bytes()), picture.draw(next, beat_bytes))
            << "picture " << next << " of format " << picture.format;
      }
      ASSERT_EQ(release(next).lost, 0U);
    }
    EXPECT_GE(get("picture.frame"), 10U);
    set("enable", 0);
    ASSERT_EQ(sluice_capture_stop(channel), 0);
  }
}

// A reader that is late, of a camera that does not wait: a picture that is torn is short, each
// whole one has its number, and the numbers in between are of pictures that are lost.
TEST_P(Drawing, TestPicturesTellWhichAreLost) {
  const Picture picture{0, 64, 40};
  for (const auto& [name, value] : {std::pair<const char*, uint64_t>{"enable", 1},
                                    {"width", picture.width},
                                    {"height", picture.height}})
    set_attribute(board.get(), lane + ".picture." + name, value);
  ASSERT_EQ(start(SLUICE_CAPTURE_HOLD), 0) << sluice_last_error();
  run_source(picture.bytes(), 0);
  std::mt19937_64 random(1);
  uint64_t whole = 0, lost = 0, due = 0;
  for (uint64_t next = 0; next < 100;) {
    sluice_board_sleep_ns(board.get(), random() % (3 * kPeriods * 10 * period_beats));
    const uint64_t produced = wait_for(next);
    for (; next < produced; ++next) {
      if (period(next).bytes != picture.bytes()) continue;
      const uint8_t* const at = bytes_of(buffer.get()).data() + next % kPeriods * kPeriodBytes;
      uint64_t number = 0;  // a beat a bit, as many as a line has
      for (uint64_t beat = 0; beat < picture.width / beat_bytes; ++beat)
        number |= uint64_t{at[beat * beat_bytes] == 255} << beat;
      const uint64_t bits = picture.width / beat_bytes;
      number |= due >> bits << bits;
      if (number < due) number += uint64_t{1} << bits;
      ASSERT_EQ(std::vector<uint8_t>(at, at + picture.bytes()), picture.draw(number, beat_bytes))
          << "period " << next;
      lost += number - due;
      due = number + 1;
      ++whole;
    }
    release(next);
  }
  set("enable", 0);
  ASSERT_EQ(sluice_capture_stop(channel), 0);
  EXPECT_GT(whole, 50U);
  EXPECT_GT(lost, 0U);
  EXPECT_LE(get("drop.packets"), lost);
}

TEST_P(Capturing, TransfersAndCapturesTakeTurns) {
  const BufferHandle other = allocate(board.get(), 8192);
  const sluice_transfer transfers[] = {{.buffer = other.get(), .offset = 0, .bytes = 4096},
                                       {.buffer = other.get(), .offset = 4096, .bytes = 4096}};
  ASSERT_EQ(sluice_channel_submit(channel, transfers, 2, sizeof transfers[0]), 2);
  EXPECT_EQ(start(), -EBUSY);
  run_source(4800, 0,
             false);  // 4,800 bytes: the second transfer has what the first has no room for
  for (const auto& [bytes, end] : {std::pair<uint64_t, uint32_t>{4096, 0}, {704, 1}}) {
    const sluice_completion done = wait(channel, kMillisecond_ns);
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.bytes, bytes);
    EXPECT_EQ(done.end_of_packet, end);
  }
  set("enable", 0);
  check(sluice_channel_cancel(channel));
  for (unsigned round = 0; round < 2; ++round) {
    ASSERT_EQ(start(), 0) << sluice_last_error();
    EXPECT_EQ(start(), -EBUSY);
    EXPECT_EQ(sluice_channel_submit(channel, transfers, 1, sizeof transfers[0]), -EBUSY);
    sluice_completion none{};
    EXPECT_EQ(sluice_channel_reap(channel, &none, 1, sizeof none, 0), 0);
    EXPECT_EQ(sluice_buffer_free(buffer.get()), -EBUSY);
    EXPECT_EQ(sluice_buffer_begin_access(buffer.get(), SLUICE_READ), 0) << "it may be read";
    EXPECT_EQ(sluice_buffer_end_access(buffer.get()), 0);
    ASSERT_EQ(sluice_capture_stop(channel), 0);
  }
}

// Filled before its packet's end, a transfer raises no interrupt.
TEST_P(Capturing, AFilledTransferIsOverWithoutItsPacketsEnd) {
  const BufferHandle other = allocate(board.get(), 4096);
  const sluice_transfer transfer{.buffer = other.get(), .offset = 0, .bytes = 4096};
  ASSERT_EQ(sluice_channel_submit(channel, &transfer, 1, sizeof transfer), 1);
  run_source(4800, 0, false);
  const sluice_completion done = wait(channel, kMillisecond_ns);
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.bytes, 4096U);
  EXPECT_EQ(done.end_of_packet, 0U);
}

// A beat and a half of a packet: the engine fails. That transfer has the error,
// the one behind it is cancelled, and the channel goes on.
TEST_P(Capturing, AFailedTransferHasTheError) {
  if (!rtl) GTEST_SKIP() << "transactions move multiples of 8 bytes, and do not fail";
  const BufferHandle good = allocate(board.get(), 4096);
  const sluice_transfer transfers[] = {
      {.buffer = good.get(), .offset = 0, .bytes = beat_bytes * 3 / 2},
      {.buffer = good.get(), .offset = 2048, .bytes = 2048}};
  ASSERT_EQ(sluice_channel_submit(channel, transfers, 2, sizeof transfers[0]), 2);
  run_source(800, 0, false);
  sluice_completion done[2];
  for (sluice_completion& each : done)
    ASSERT_EQ(sluice_channel_reap(channel, &each, 1, sizeof each, kMillisecond_ns), 1);
  EXPECT_EQ(done[0].status, -EIO);
  EXPECT_EQ(done[1].status, -ECANCELED);
  set("enable", 0);
  ASSERT_EQ(start(), 0) << sluice_last_error();
  ASSERT_EQ(sluice_capture_stop(channel), 0);
}

// The last period of all, whenever it ends while the counts are read.
TEST_P(Capturing, NoEndIsMissedWhileTheCountsAreRead) {
  for (uint64_t phase = 0; phase < 40; ++phase) {
    set("clear", 1);
    ASSERT_EQ(start(), 0) << sluice_last_error();
    set("packet_beats", 512 / beat_bytes);
    set("frame_packets", 1);
    set("frame_ticks", 150 + 7 * phase);
    set("continuous", 0);
    set("frames", 6);
    set("free_run", 1);
    set("enable", 1);
    uint64_t produced = 0;
    ASSERT_EQ(sluice_capture_wait(channel, 5, 10 * kMillisecond_ns, &produced), 1) << phase;
    const uint64_t now_ns = sluice_board_now_ns(board.get());
    EXPECT_LT(now_ns - period(5).time_ns, 100'000U) << phase;
    set("enable", 0);
    ASSERT_EQ(sluice_capture_stop(channel), 0);
  }
}

TEST_P(Capturing, AStartThatFailsLeavesTheChannelFree) {
  std::vector<BufferHandle> all;
  for (uint64_t bytes = uint64_t{1} << 30; bytes >= 4096; bytes /= 2) {
    for (;;) {
      sluice_buffer* taken = nullptr;
      if (sluice_buffer_alloc(board.get(), bytes, nullptr, 0, &taken) != 0) break;
      all.emplace_back(taken);
    }
  }
  EXPECT_EQ(start(), -ENOMEM);
  all.clear();
  EXPECT_EQ(start(), 0) << sluice_last_error();
  EXPECT_EQ(sluice_capture_stop(channel), 0);
}

TEST_P(Capturing, WhatCannotBeIsRefused) {
  uint64_t produced = 0;
  EXPECT_EQ(sluice_capture_wait(channel, 0, 0, &produced), -EINVAL) << "none was started";
  sluice_capture capture = ring();
  capture.period_bytes = 64 * beat_bytes;  // the engine's buffer holds eight of these
  EXPECT_EQ(sluice_capture_start(channel, &capture, sizeof capture), -EINVAL);
  EXPECT_NE(std::string(sluice_last_error()).find("needs at least"), std::string::npos)
      << sluice_last_error();
  capture = ring();
  capture.periods = 2;
  EXPECT_EQ(sluice_capture_start(channel, &capture, sizeof capture), -EINVAL);
  capture = ring();
  capture.offset = 8;
  EXPECT_EQ(sluice_capture_start(channel, &capture, sizeof capture), -EINVAL)
      << "out of the buffer";
  ASSERT_EQ(sluice_buffer_begin_access(buffer.get(), SLUICE_READ), 0);
  EXPECT_EQ(start(), -EBUSY);
  ASSERT_EQ(sluice_buffer_end_access(buffer.get()), 0);
  ASSERT_EQ(start(), 0);
  sluice_capture_answer answer{};
  EXPECT_EQ(sluice_capture_release(channel, 1, &answer, sizeof answer), -EINVAL);
  sluice_capture_period none{};
  EXPECT_EQ(sluice_capture_get_period(channel, 0, &none, sizeof none), -ENOENT);
}

// Packets of an odd number of 32-bit beats: transactions have words of 64 bits.
TEST(Capturing32, OddPacketsNeedTheRtl) {
  const BoardHandle board = open_board("sim:zynq7010/capture_32?level=transaction");
  set_attribute(board.get(), "hp0.source.packet_beats", 3);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "hp0.source.enable", 1), -ENOTSUP);
  EXPECT_NE(std::string(sluice_last_error())
                .find("a packet of 3 beats of 4 bytes is no multiple of 8 bytes"),
            std::string::npos)
      << sluice_last_error();
  EXPECT_EQ(get_attribute(board.get(), "hp0.source.running"), 0U);
}

// Four captures at once, each at half its port's rate; the reader of one forgets it, and it alone
// loses.
TEST(Captures, SeveralAtOnceAreApart) {
  const BoardHandle board = open_board("sim:zynq7010/hp_stress_sg?level=transaction");
  constexpr unsigned kLanes = 4, kForgotten = 1;
  constexpr uint64_t kEnd = 40;
  std::vector<sluice_channel*> channels;
  std::vector<BufferHandle> buffers;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::string name = "hp" + std::to_string(lane);
    channels.push_back(find_channel(board.get(), name + ".s2mm"));
    buffers.push_back(allocate(board.get(), kPeriods * kPeriodBytes));
    const sluice_capture ring{.buffer = buffers.back().get(),
                              .offset = 0,
                              .period_bytes = kPeriodBytes,
                              .periods = kPeriods,
                              .flags = 0};
    ASSERT_EQ(sluice_capture_start(channels.back(), &ring, sizeof ring), 0) << sluice_last_error();
    for (const auto& [what, value] : {std::pair<const char*, uint64_t>{"packet_beats", 512},
                                      {"frame_ticks", 1024},
                                      {"start", lane << 24},
                                      {"continuous", 1},
                                      {"free_run", 1},
                                      {"clear", 1},
                                      {"enable", 1}})
      set_attribute(board.get(), name + ".source." + what, value);
  }
  for (uint64_t next = 0; next < kEnd; ++next) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (lane == kForgotten) continue;
      uint64_t produced = 0;
      ASSERT_EQ(sluice_capture_wait(channels[lane], next, kMillisecond_ns, &produced), 1);
      std::vector<uint32_t> words(kWords);
      std::memcpy(words.data(),
                  bytes_of(buffers[lane].get()).data() + next % kPeriods * kPeriodBytes,
                  kPeriodBytes);
      EXPECT_EQ(words, sequence(static_cast<uint32_t>((lane << 24) + next * kWords), kWords))
          << "period " << next << " of lane " << lane;
      sluice_capture_answer answer{};
      ASSERT_EQ(sluice_capture_release(channels[lane], next + 1, &answer, sizeof answer), 0);
      EXPECT_EQ(answer.lost, 0U);
    }
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t produced = 0;
    ASSERT_EQ(sluice_capture_wait(channels[lane], 0, kMillisecond_ns, &produced), 1);
    sluice_capture_answer answer{};
    ASSERT_EQ(sluice_capture_release(channels[lane], produced, &answer, sizeof answer), 0);
    sluice_capture_status found{};
    ASSERT_EQ(sluice_capture_get_status(channels[lane], &found, sizeof found), 0);
    EXPECT_EQ(found.lost != 0, lane == kForgotten) << "lane " << lane;
    EXPECT_EQ(found.drops, 0U);
    EXPECT_GE(found.produced, kEnd - 1);
    EXPECT_EQ(sluice_capture_stop(channels[lane]), 0);
  }
}

}  // namespace
}  // namespace sluice
