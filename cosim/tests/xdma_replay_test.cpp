// SPDX-License-Identifier: Apache-2.0
// AMD's driver and tools as they were recorded (python -m driver.recordings), played to the card
// again: every access of the processor's in its order, each once the card has done what it had done
// before it then. What the card reads of the machine's memory is what it found there; what it
// writes, the interrupts it sends and, while nothing moves, what its registers say must be the
// same. Latencies may be others.
#include "sluice/cosim/recording.hpp"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "pcie_card_fixture.hpp"

namespace sluice::cosim {
namespace {

constexpr unsigned kVectors = 32;
// After so many cycles without an event the recorded card had come to rest.
constexpr uint64_t kSettled = 64;
constexpr unsigned kPatience = 10'000;  // cycles that an event may take

struct Event {
  uint64_t cycle;
  char kind;  // recording.hpp
  unsigned region;
  uint64_t at;  // an offset, address or vector
  Bytes data;   // in order of addresses

  [[nodiscard]] bool of_processor() const { return kind == 'R' || kind == 'W' || kind == 'x'; }
};

Bytes bytes_of_digits(std::string_view digits) {
  Bytes data(digits.size() / 2);
  for (std::size_t i = 0; i < data.size(); ++i) {
    unsigned value = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, value, 16);
    data[i] = static_cast<std::byte>(value);
  }
  return data;
}

std::vector<Event> parse(std::istream& file) {
  std::vector<Event> events;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    Event event{};
    std::istringstream words(line);
    std::string digits;
    words >> event.cycle >> event.kind;
    if (event.kind == 'R' || event.kind == 'W') words >> event.region;
    if (event.kind == 'i')
      words >> event.at;
    else if (event.kind != 'x')
      words >> std::hex >> event.at >> digits;
    if (!words || event.kind == 'e') throw std::runtime_error("not a recording to play: " + line);
    event.data = bytes_of_digits(digits);
    if (event.of_processor()) std::ranges::reverse(event.data);  // a number
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<Event> recording(const std::string& name) {
  std::ifstream file(std::filesystem::path(SLUICE_RECORDINGS) / (name + ".txt"));
  std::vector<Event> events = parse(file);
  EXPECT_FALSE(events.empty()) << name;
  return events;
}

// What each byte of memory was, from which event on.
class History {
 public:
  void note(std::size_t event, uint64_t address, std::span<const std::byte> data) {
    for (const std::byte byte : data) bytes_[address++].emplace(event, byte);
  }
  // As the card found it after an event; if it never looked again, as it last did.
  bool look(std::size_t event, uint64_t address, std::span<std::byte> data) const {
    for (std::byte& byte : data) {
      const auto found = bytes_.find(address++);
      if (found == bytes_.end()) return false;
      const auto next = found->second.lower_bound(event);
      byte = next == found->second.end() ? found->second.rbegin()->second : next->second;
    }
    return true;
  }

 private:
  std::map<uint64_t, std::map<std::size_t, std::byte>> bytes_;
};

// All that was ever written, byte by byte, in order.
class Written {
 public:
  void note(uint64_t address, std::span<const std::byte> data) {
    for (const std::byte byte : data) bytes_[address++].push_back(byte);
    total_ += data.size();
  }
  [[nodiscard]] uint64_t total() const { return total_; }
  // "": the same; else where it is not.
  [[nodiscard]] std::string differs(const Written& other) const {
    for (const auto& [address, values] : bytes_) {
      const auto found = other.bytes_.find(address);
      if (found == other.bytes_.end() || found->second != values) return place(address);
    }
    for (const auto& [address, values] : other.bytes_)
      if (!bytes_.contains(address)) return place(address);
    return "";
  }

 private:
  static std::string place(uint64_t address) {
    std::ostringstream text;
    text << "at " << std::hex << address;
    return text.str();
  }
  std::map<uint64_t, Bytes> bytes_;
  uint64_t total_ = 0;
};

class Replay : public PcieCardFixture {
 public:
  explicit Replay(const std::string& design) : PcieCardFixture(design) {
    client.hello();
    enable_vectors(kVectors);
  }
  void TestBody() override {}

  // What differs from the recording, a line each.
  std::vector<std::string> play(const std::vector<Event>& recorded) {
    for (std::size_t i = 0; i < recorded.size(); ++i)
      if (recorded[i].kind == 'r') history_.note(i, recorded[i].at, recorded[i].data);
    for (position_ = 0; position_ < recorded.size() && complaints_.size() < 10; ++position_) {
      const Event& event = recorded[position_];
      if (event.kind == 'w') expected_.note(event.at, event.data);
      if (event.kind == 'i') ++expected_interrupts_.at(event.at);
      if (!event.of_processor()) continue;
      if (!wait()) {
        complain("the card has not done what it did before", event);
        break;
      }
      access(recorded, position_);
    }
    run();
    count_interrupts();
    if (interrupts_ != expected_interrupts_) complaints_.emplace_back("other interrupts");
    if (const std::string place = written_.differs(expected_); !place.empty())
      complaints_.push_back("other data " + place);
    return complaints_;
  }
  [[nodiscard]] unsigned compared() const { return compared_; }

 private:
  bool host_read(uint64_t address, std::span<std::byte> data) override {
    if (history_.look(position_, address, data)) return true;
    complaints_.push_back("memory is read that was not at " + std::to_string(address));
    return false;
  }
  bool host_write(uint64_t address, std::span<const std::byte> data) override {
    written_.note(address, data);
    return true;
  }

  void count_interrupts() {
    for (unsigned i = 0; i < kVectors; ++i) interrupts_[i] += events_of(events[i]);
  }
  [[nodiscard]] bool has_done() {
    count_interrupts();
    for (unsigned i = 0; i < kVectors; ++i)
      if (interrupts_[i] < expected_interrupts_[i]) return false;
    return written_.total() >= expected_.total();
  }
  bool wait() {
    for (unsigned cycles = 0; !has_done(); cycles += 16) {
      if (cycles > kPatience) return false;
      card->pass(16);
      answer_messages();
    }
    return true;
  }

  // Nothing had moved for a while, and nothing did before the processor's next write.
  static bool at_rest(const std::vector<Event>& recorded, std::size_t i) {
    for (std::size_t next = i + 1; next < recorded.size(); ++next) {
      if (recorded[next].kind == 'W' || recorded[next].kind == 'x') break;
      if (!recorded[next].of_processor()) return false;
    }
    for (std::size_t before = i; before-- > 0;)
      if (recorded[before].kind != 'R')
        return recorded[i].cycle - recorded[before].cycle >= kSettled;
    return true;
  }

  void access(const std::vector<Event>& recorded, std::size_t i) {
    const Event& event = recorded[i];
    const wire::RegionAccess place{event.at, event.region,
                                   static_cast<uint32_t>(event.data.size())};
    if (event.kind == 'x') {
      client.ask(wire::Command::kDeviceReset, {});
    } else if (event.kind == 'W') {
      if (client.ask(wire::Command::kRegionWrite, pack(place) + event.data).error() != 0)
        complain("a write is refused", event);
    } else {
      const bool rests = at_rest(recorded, i);
      if (rests) card->pass(kSettled);
      answer_messages();
      const Bytes found = read_region(place.region, place.offset, place.count);
      if (!rests) return;
      ++compared_;
      if (found != event.data) complain("another value", event);
    }
    answer_messages();
  }

  void complain(const std::string& what, const Event& event) {
    std::ostringstream text;
    text << what << ": recorded " << event.cycle << ' ' << event.kind << ' ' << event.region << ' '
         << std::hex << event.at;
    complaints_.push_back(text.str());
  }

  std::size_t position_ = 0;  // of the event that the processor has come to
  History history_;
  Written written_, expected_;
  std::array<uint64_t, kVectors> interrupts_{}, expected_interrupts_{};
  std::vector<std::string> complaints_;
  unsigned compared_ = 0;
};

struct Recorded {
  const char* name;
  const char* design;
  unsigned compared;  // registers, at least: else it shows little
};

constexpr std::array kRecordings{
    Recorded{"xdma-interrupt", "pcie/xdma", 100},
    Recorded{"xdma-poll", "pcie/xdma", 30},
    Recorded{"xdma-stream", "pcie/xdma_stream", 30},
    Recorded{"xdma-stream-credits", "pcie/xdma_stream", 30},
};

class XdmaReplay : public testing::TestWithParam<Recorded> {};

TEST_P(XdmaReplay, IsAsItWas) {
  Replay replay(GetParam().design);
  EXPECT_EQ(replay.play(recording(GetParam().name)), std::vector<std::string>{});
  EXPECT_GE(replay.compared(), GetParam().compared);
}

INSTANTIATE_TEST_SUITE_P(Recordings, XdmaReplay, testing::ValuesIn(kRecordings),
                         [](const auto& recorded) {
                           std::string name = recorded.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Each thing that a replay looks at is seen when it is another.
TEST(XdmaReplayItself, SeesWhatDiffers) {
  const std::vector<Event> good = recording("xdma-poll");
  const auto last = [&](char kind) {
    std::size_t at = good.size();
    while (good[--at].kind != kind) {
    }
    return at;
  };
  const auto complaints = [](const std::vector<Event>& events) {
    return Replay("pcie/xdma").play(events).size();
  };
  ASSERT_EQ(complaints(good), 0u);
  std::vector<Event> bad = good;
  bad[last('w')].data.back() ^= std::byte{1};
  EXPECT_NE(complaints(bad), 0u) << "data";
  bad = good;
  bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(last('w')), good[last('w')]);
  EXPECT_NE(complaints(bad), 0u) << "a write that does not come";
  bad = good;
  bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(last('r')));
  EXPECT_NE(complaints(bad), 0u) << "a read that was not";
  bad = good;
  bad.push_back({.cycle = good.back().cycle, .kind = 'i', .region = 0, .at = 1, .data = {}});
  EXPECT_NE(complaints(bad), 0u) << "an interrupt";
  bad = good;
  bad[last('R')].data.front() ^= std::byte{1};
  EXPECT_NE(complaints(bad), 0u) << "a register";
}

// PG195's registers, as far as a card with a channel a direction has them.
TEST(XdmaReplayItself, EveryRegisterIsAccessed) {
  std::set<uint64_t> accessed;
  for (const Recorded& recorded : kRecordings)
    for (const Event& event : recording(recorded.name))
      if (event.of_processor() && event.region == 0) accessed.insert(event.at);
  std::set<uint64_t> all{0x2000, 0x2004, 0x2008, 0x200c, 0x2010, 0x2014, 0x2018, 0x2040, 0x2044,
                         0x2048, 0x204c, 0x2080, 0x2084, 0x2088, 0x208c, 0x20a0, 0x20a4, 0x3000,
                         0x6000, 0x6010, 0x6014, 0x6018, 0x6020, 0x6024, 0x6028};
  for (const uint64_t direction : {0x0000, 0x1000}) {
    for (const uint64_t at : {0x00, 0x04, 0x08, 0x0c, 0x40, 0x44, 0x48, 0x4c, 0x88, 0x8c,
                              0x90, 0x94, 0x98, 0xc0, 0xc4, 0xc8, 0xcc, 0xd0, 0xd4, 0xd8})
      all.insert(direction + at);
    for (const uint64_t at : {0x00, 0x80, 0x84, 0x88, 0x8c}) all.insert(direction + 0x4000 + at);
  }
  for (const uint64_t one : all) EXPECT_TRUE(accessed.contains(one)) << std::hex << one;
}

}  // namespace
}  // namespace sluice::cosim
