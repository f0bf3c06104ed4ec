// SPDX-License-Identifier: Apache-2.0
// What a transfer between memory and a stream costs by one way of asking for it, run in a guest by
// `python -m driver.overhead.iio`. BOARD has the controls of source and sink.
//
//   sluice_stream begin BOARD DIRECTION BYTES TRANSFERS
//   sluice_stream WAY DIRECTION BYTES DEPTH WAKE TRANSFERS ROUNDS
//   sluice_stream end BOARD DIRECTION BYTES DEPTH TRANSFERS
//
// DIRECTION is mm2s or s2mm. WAY is iio, calls (of sluice.ko) or library (libsluice). A round keeps
// DEPTH transfers queued until TRANSFERS are over; it waits for WAKE of them at a time. Before the
// rounds each buffer has been used once. Prints what measure.py reads: nanoseconds of each round.
//
// All words of all transfers are one count. A queue that goes around sends the same words again: so
// many gaps in the count has the sink seen then, and no other. What was received is compared.
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <sluice.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock.hpp"
#include "heap.h"
#include "stream_way.h"
#include "window.h"

namespace {

using namespace sluice;
using namespace overhead;

constexpr uint64_t kBeatBytes = 8;  // of the design's streams

int must(int result) {
  if (result < 0) throw std::runtime_error(std::strerror(-result));
  return result;
}

// The words of the stream that `transfer`, of all from 0 on, has.
uint32_t first_word(uint64_t transfer, uint64_t bytes) {
  return static_cast<uint32_t>(transfer * bytes / sizeof(uint32_t));
}

class Buffers {
 public:
  Buffers(unsigned count, uint64_t bytes) : bytes_(bytes), mapped_(count) {
    for (unsigned slot = 0; slot < count; ++slot)
      descriptors_.push_back(must(heap_allocate(bytes, &mapped_[slot])));
  }
  [[nodiscard]] const int* descriptors() const { return descriptors_.data(); }
  void fill() {
    for (unsigned slot = 0; slot < mapped_.size(); ++slot)
      access(slot, [&](uint32_t& word, uint32_t value) { word = value; }, slot);
  }
  void check(uint64_t transfers) {
    for (uint64_t transfer = transfers - mapped_.size(); transfer < transfers; ++transfer) {
      const auto slot = static_cast<unsigned>(transfer % mapped_.size());
      const auto compare = [&](uint32_t word, uint32_t value) {
        if (word != value)
          throw std::runtime_error("transfer " + std::to_string(transfer) + " has a wrong word");
      };
      access(slot, compare, transfer);
    }
  }

 private:
  template <typename Each>
  void access(unsigned slot, const Each& each, uint64_t transfer) {
    auto* words = reinterpret_cast<uint32_t*>(mapped_[slot]);
    must(heap_sync(descriptors_[slot], 1));
    for (uint64_t i = 0; i < bytes_ / sizeof *words; ++i)
      each(words[i], first_word(transfer, bytes_) + static_cast<uint32_t>(i));
    must(heap_sync(descriptors_[slot], 0));
  }

  uint64_t bytes_;
  std::vector<uint8_t*> mapped_;
  std::vector<int> descriptors_;
};

// One way of asking for transfers.
class Way {
 public:
  virtual ~Way() = default;
  virtual void submit(unsigned first, unsigned count) = 0;
  virtual unsigned wait(unsigned min) = 0;  // how many are over
};

class WithoutLibrary final : public Way {
 public:
  WithoutLibrary(const stream_way& way, const stream& given) : way_(way) {
    must(way_.open(&given));
  }
  ~WithoutLibrary() override { (void)way_.close(); }
  void submit(unsigned first, unsigned count) override { must(way_.submit(first, count)); }
  unsigned wait(unsigned min) override { return static_cast<unsigned>(must(way_.wait(min))); }

 private:
  const stream_way& way_;
};

class Library final : public Way {
 public:
  explicit Library(const stream& given)
      : depth_(given.depth),
        board_(open_board("dev:port")),
        channel_(find_channel(board_.get(), given.sends != 0 ? "mm2s" : "s2mm")),
        completions_(given.depth) {
    for (unsigned slot = 0; slot < depth_; ++slot)
      buffers_.push_back(import_buffer(board_.get(), given.buffers[slot]));
    for (unsigned i = 0; i < 2 * depth_; ++i)
      transfers_.push_back({.buffer = buffers_[i % depth_].get(), .bytes = given.bytes});
  }
  void submit(unsigned first, unsigned count) override {
    if (check(sluice_channel_submit(channel_, &transfers_[first], count, sizeof transfers_[0])) !=
        static_cast<int>(count))
      throw std::runtime_error("not all transfers are taken");
  }
  unsigned wait(unsigned min) override {
    unsigned over = 0;
    while (over < min) {
      const int taken = check(
          sluice_channel_reap(channel_, completions_.data(), depth_, sizeof completions_[0], -1));
      for (int i = 0; i < taken; ++i) must(completions_[static_cast<std::size_t>(i)].status);
      over += static_cast<unsigned>(taken);
    }
    return over;
  }

 private:
  unsigned depth_;
  BoardHandle board_;
  sluice_channel* channel_;
  std::vector<BufferHandle> buffers_;
  std::vector<sluice_transfer> transfers_;  // twice, for what goes around the end
  std::vector<sluice_completion> completions_;
};

const std::map<std::string, std::function<std::unique_ptr<Way>(const stream&)>> kWays = {
    {"iio", [](const stream& s) { return std::make_unique<WithoutLibrary>(stream_iio, s); }},
    {"calls", [](const stream& s) { return std::make_unique<WithoutLibrary>(stream_calls, s); }},
    {"library", [](const stream& s) { return std::make_unique<Library>(s); }},
};

struct Queue {
  Way& way;
  unsigned depth;
  uint64_t submitted = 0;
  uint64_t over = 0;

  void run(uint64_t transfers, unsigned wake) {
    const uint64_t end = over + transfers;
    submit_up_to(std::min<uint64_t>(over + depth, end));
    while (over < end) {
      over += way.wait(static_cast<unsigned>(std::min<uint64_t>(wake, end - over)));
      submit_up_to(std::min<uint64_t>(over + depth, end));
    }
  }

 private:
  void submit_up_to(uint64_t number) {
    if (number == submitted) return;
    way.submit(static_cast<unsigned>(submitted % depth), static_cast<unsigned>(number - submitted));
    submitted = number;
  }
};

bool sends(const std::string& direction) {
  if (direction != "mm2s" && direction != "s2mm")
    throw std::runtime_error("'" + direction + "' is no direction: mm2s or s2mm");
  return direction == "mm2s";
}

void set(sluice_board* board, const char* name, uint64_t value) {
  check(sluice_board_set_attribute(board, name, value));
}

uint64_t get(sluice_board* board, const char* name) {
  uint64_t value = 0;
  check(sluice_board_get_attribute(board, name, &value));
  return value;
}

void require(const char* what, uint64_t found, uint64_t expected) {
  if (found != expected)
    throw std::runtime_error(std::string(what) + ": " + std::to_string(found) + ", not " +
                             std::to_string(expected));
}

void begin(const std::vector<std::string>& words) {
  const BoardHandle board = open_board("dev:" + words.at(1));
  const bool sending = sends(words.at(2));
  const uint64_t bytes = std::stoull(words.at(3)), transfers = std::stoull(words.at(4));
  if (sending) {
    set(board.get(), "hp0.sink.enable", 0);
    set(board.get(), "hp0.sink.clear", 1);
    set(board.get(), "hp0.sink.check", 1);
    set(board.get(), "hp0.sink.enable", 1);
    return;
  }
  set(board.get(), "hp0.source.enable", 0);
  require("hp0.source.running", get(board.get(), "hp0.source.running"), 0);
  set(board.get(), "hp0.source.clear", 1);
  set(board.get(), "hp0.source.packet_beats", bytes / kBeatBytes);
  set(board.get(), "hp0.source.frames", transfers);
  set(board.get(), "hp0.source.enable", 1);
}

void end(const std::vector<std::string>& words) {
  const BoardHandle board = open_board("dev:" + words.at(1));
  const bool sending = sends(words.at(2));
  const uint64_t bytes = std::stoull(words.at(3)), depth = std::stoull(words.at(4)),
                 transfers = std::stoull(words.at(5));
  if (sending) {
    require("hp0.sink.bytes", get(board.get(), "hp0.sink.bytes"), transfers * bytes);
    require("hp0.sink.packets", get(board.get(), "hp0.sink.packets"), transfers);
    require("hp0.sink.gaps", get(board.get(), "hp0.sink.gaps"), (transfers - 1) / depth);
    require("hp0.sink.first_bad", get(board.get(), "hp0.sink.first_bad"),
            depth * bytes / kBeatBytes);
    return;
  }
  require("hp0.source.packets", get(board.get(), "hp0.source.packets"), transfers);
  require("hp0.source.done", get(board.get(), "hp0.source.done"), 1);
}

void measure(const std::vector<std::string>& words) {
  const bool sending = sends(words.at(1));
  const uint64_t bytes = std::stoull(words.at(2));
  const auto number = [&](std::size_t at) {
    return static_cast<unsigned>(std::stoul(words.at(at)));
  };
  const unsigned depth = number(3), wake = number(4), transfers = number(5), rounds = number(6);
  if (depth < 1 || depth > STREAM_DEPTH_MAX || wake < 1 || wake > depth)
    throw std::runtime_error("DEPTH is 1 to 64, WAKE 1 to DEPTH");
  Buffers buffers(depth, bytes);
  if (sending) buffers.fill();
  const stream given{
      .sends = sending ? 1 : 0, .buffers = buffers.descriptors(), .depth = depth, .bytes = bytes};
  std::vector<uint64_t> took(rounds);
  {
    const std::unique_ptr<Way> way = kWays.at(words.at(0))(given);
    Queue queue{*way, depth};
    queue.run(depth, depth);
    for (uint64_t& ns : took) {
      const uint64_t start = now_ns();
      WINDOW_BEGIN();
      queue.run(transfers, wake);
      WINDOW_END();
      ns = now_ns() - start;
    }
    if (!sending) buffers.check(queue.over);
  }
  print_clock();
  for (const uint64_t ns : took) std::printf("round %llu\n", static_cast<unsigned long long>(ns));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() == 5 && words[0] == "begin")
      begin(words);
    else if (words.size() == 6 && words[0] == "end")
      end(words);
    else if (words.size() == 7 && kWays.contains(words[0]))
      measure(words);
    else
      throw std::runtime_error("begin, end or a way, and what it takes: see the source");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sluice_stream: %s\n", error.what());
    return 1;
  }
}
