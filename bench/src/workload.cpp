// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <sluice.hpp>
#include <stdexcept>
#include <string_view>

#include "pattern.hpp"

namespace sluice::bench {
namespace {

// One transfer of a run, with what is needed to start and to verify it.
struct Leg {
  sluice_channel* channel;
  sluice_direction direction;
  unsigned port;
  BufferHandle buffer;
  BufferHandle destination;  // of a copy
  sluice_completion completion{};
};

std::string uri(const Workload& workload) {
  std::string text = fmt::format("sim:{}/{}?width={}&clock_mhz={}&start_cost_ns={}&level={}",
                                 workload.board, workload.design, workload.width_bits,
                                 workload.clock_mhz, workload.start_cost_ns, workload.level);
  for (const std::string& setting : workload.settings) text += "&model." + setting;
  return text;
}

// The sequence that a port's data follows; apart for each port, so that crossed data shows.
uint32_t pattern_start(unsigned port) { return 0x1000'0000U * (port + 1); }

// What the names of everything of a port start with: "hp0" of port 0 of a board with HP ports.
std::string lane_name(sluice_board* board, unsigned port) {
  for (unsigned index = 0;; ++index) {
    sluice_channel* channel = sluice_board_channel(board, index);
    if (channel == nullptr) throw std::invalid_argument(fmt::format("there is no port {}", port));
    sluice_channel_info info{};
    sluice::check(sluice_channel_get_info(channel, &info, sizeof info));
    const std::string name = info.port;
    if (name.substr(name.find_last_not_of("0123456789") + 1) == std::to_string(port))
      return std::string(info.name, std::string_view(info.name).find('.'));
  }
}

// The name of something of a port: "hp0.loopback".
std::string attribute(sluice_board* board, unsigned port, const char* name) {
  return lane_name(board, port) + '.' + name;
}

bool has_channel(sluice_board* board, const std::string& name) {
  sluice_channel* channel = nullptr;
  return sluice_board_find_channel(board, name.c_str(), &channel) == 0;
}

bool has_attribute(sluice_board* board, const std::string& name) {
  sluice_attribute_info info{};
  for (unsigned index = 0; sluice_board_attribute(board, index, &info, sizeof info) == 0; ++index)
    if (name == info.name) return true;
  return false;
}

bool sends(Direction direction) {
  return direction == Direction::duplex || direction == Direction::mm2s ||
         direction == Direction::both;
}

bool receives(Direction direction) {
  return direction == Direction::duplex || direction == Direction::s2mm ||
         direction == Direction::both;
}

uint64_t buffers_of_a_port(Direction direction) {
  return direction == Direction::mm2s || direction == Direction::s2mm ? 1 : 2;
}

// The engines scatter their bursts, so that data arrives whole but in another order.
bool scattered(const Workload& workload) {
  return std::ranges::find(workload.settings, "engine.scatter=1") != workload.settings.end();
}

class Session {
 public:
  Session(const Workload& workload, unsigned run)
      : workload_(workload), board_(open_board(uri(workload))), random_(seed(workload, run)) {
    allocate_legs();
    for (const unsigned port : workload_.ports) prepare(port);
  }

  RunResult measure(unsigned run) {
    RunResult result{};
    result.run = run;
    for (Leg& leg : legs_) {
      const uint32_t skew_ns =
          std::uniform_int_distribution<uint32_t>(0, workload_.skew_ns)(random_);
      result.skew_ns.push_back(skew_ns);
      sluice::check(sluice_board_sleep_ns(board_.get(), skew_ns));
      start(leg);
    }
    result.start_ns = std::numeric_limits<uint64_t>::max();
    for (Leg& leg : legs_) {
      leg.completion = wait(leg.channel);
      if (leg.completion.status != 0)
        throw std::runtime_error(
            fmt::format("a transfer on port {} failed: {}", leg.port,
                        std::generic_category().message(-leg.completion.status)));
      result.start_ns = std::min(result.start_ns, leg.completion.start_ns);
      result.finish_ns = std::max(result.finish_ns, leg.completion.finish_ns);
      result.bytes += leg.completion.bytes;
    }
    const auto elapsed_ns = static_cast<double>(result.finish_ns - result.start_ns);
    result.mb_s = static_cast<double>(result.bytes) / elapsed_ns * 1e3;
    result.pl_cycles = static_cast<uint64_t>(std::llround(elapsed_ns * workload_.clock_mhz / 1e3));
    result.verified = std::ranges::all_of(legs_, [&](Leg& leg) { return verify(leg); });
    return result;
  }

 private:
  static std::mt19937_64 seed(const Workload& workload, unsigned run) {
    std::vector<uint32_t> words{static_cast<uint32_t>(workload.seed),
                                static_cast<uint32_t>(workload.seed >> 32),
                                run,
                                workload.width_bits,
                                static_cast<uint32_t>(workload.direction),
                                static_cast<uint32_t>(workload.bytes),
                                static_cast<uint32_t>(workload.bytes >> 32)};
    words.insert(words.end(), workload.ports.begin(), workload.ports.end());
    std::seed_seq sequence(words.begin(), words.end());
    return std::mt19937_64(sequence);
  }

  void start(const Leg& leg) {
    if (leg.direction == SLUICE_COPY)
      copy(leg.channel, {.source = leg.buffer.get(),
                         .source_offset = 0,
                         .destination = leg.destination.get(),
                         .destination_offset = 0,
                         .bytes = workload_.bytes,
                         .cookie = 0});
    else
      submit(leg.channel,
             {.buffer = leg.buffer.get(), .offset = 0, .bytes = workload_.bytes, .cookie = 0});
  }

  // The placement rule: in order of port, source before destination, one after another, each on
  // the next page, or staggered. The order of starting is another: all receivers, then all
  // senders, so that every stream has somewhere to go from its first beat on.
  void allocate_legs() {
    const uint64_t count = workload_.ports.size() * buffers_of_a_port(workload_.direction);
    const uint64_t alignment =
        std::max<uint64_t>(4096, std::bit_ceil(count * workload_.stagger_bytes));
    uint64_t buffers = 0;
    const auto place = [&] {
      return allocate(board_.get(), workload_.bytes,
                      {.alignment = alignment, .offset = buffers++ * workload_.stagger_bytes});
    };
    const auto add = [&](unsigned port, sluice_direction direction, const char* name) {
      legs_.push_back({.channel = find_channel(board_.get(), attribute(board_.get(), port, name)),
                       .direction = direction,
                       .port = port,
                       .buffer = place(),
                       .destination = direction == SLUICE_COPY ? place() : nullptr});
    };
    for (const unsigned port : workload_.ports) {
      const Direction direction = workload_.direction;
      if (direction == Direction::copy) add(port, SLUICE_COPY, "copy");
      if (sends(direction)) add(port, SLUICE_MM2S, "mm2s");
      if (receives(direction)) add(port, SLUICE_S2MM, "s2mm");
    }
    std::ranges::stable_partition(legs_,
                                  [](const Leg& leg) { return leg.direction == SLUICE_S2MM; });
    for (Leg& leg : legs_)
      if (leg.direction != SLUICE_S2MM)
        fill_pattern(bytes_of(leg.buffer.get()), pattern_start(leg.port));
  }

  // Set up the streams of a port for the direction.
  void prepare(unsigned port) {
    const auto set = [&](const char* name, uint64_t value) {
      set_attribute(board_.get(), attribute(board_.get(), port, name), value);
    };
    if (workload_.direction == Direction::copy) return;
    if (workload_.direction == Direction::duplex) {
      // A design that only loops back has no such attribute.
      if (has_attribute(board_.get(), attribute(board_.get(), port, "loopback")))
        set("loopback", 1);
      return;
    }
    if (sends(workload_.direction)) {
      set("sink.start", pattern_start(port));
      set("sink.check", scattered(workload_) ? 0 : 1);
      set("sink.clear", 1);
      set("sink.enable", 1);
    }
    if (receives(workload_.direction)) {
      set("source.packet_beats", workload_.bytes / (workload_.width_bits / 8));
      set("source.start", pattern_start(port));
      set("source.clear", 1);
      set("source.enable", 1);
    }
  }

  bool verify(Leg& leg) {
    if (leg.completion.bytes != workload_.bytes) return false;
    if (leg.direction == SLUICE_COPY)
      return matches_pattern(bytes_of(leg.destination.get()), pattern_start(leg.port));
    if (leg.direction == SLUICE_S2MM)
      return (scattered(workload_) ? holds_pattern : matches_pattern)(bytes_of(leg.buffer.get()),
                                                                      pattern_start(leg.port));
    if (workload_.direction == Direction::duplex) return true;  // its receiver is verified
    const auto get = [&](const char* name) {
      return get_attribute(board_.get(), attribute(board_.get(), leg.port, name));
    };
    return get("sink.bytes") == workload_.bytes && get("sink.packets") == 1 &&
           get("sink.mismatch") == 0 && get("sink.gaps") == 0;
  }

  const Workload& workload_;
  BoardHandle board_;
  std::mt19937_64 random_;
  std::vector<Leg> legs_;
};

}  // namespace

bool can(sluice_board* board, Direction direction) {
  if (sluice_board_channel(board, 0) == nullptr)
    return false;  // the library drives no engine of it
  const std::string lane = lane_name(board, 0);
  switch (direction) {
    case Direction::duplex:
      return has_channel(board, lane + ".mm2s") && has_channel(board, lane + ".s2mm");
    case Direction::mm2s: return has_attribute(board, lane + ".sink.enable");
    case Direction::s2mm: return has_attribute(board, lane + ".source.enable");
    case Direction::both: return can(board, Direction::mm2s) && can(board, Direction::s2mm);
    case Direction::copy: return has_channel(board, lane + ".copy");
  }
  return false;
}

void check(const Workload& workload) {
  const BoardHandle board = open_board(uri(workload));
  sluice_board_info info{};
  sluice::check(sluice_board_get_info(board.get(), &info, sizeof info));
  std::set<unsigned> seen;
  for (const unsigned port : workload.ports) {
    if (port >= info.port_count)
      throw std::invalid_argument(fmt::format("{} has no port {}; allowed: 0 to {}",
                                              workload.design, port, info.port_count - 1));
    if (!seen.insert(port).second)
      throw std::invalid_argument(fmt::format("port {} is given twice", port));
  }
  sluice_channel_info channel{};
  sluice::check(
      sluice_channel_get_info(sluice_board_channel(board.get(), 0), &channel, sizeof channel));
  const unsigned beat_bytes = workload.width_bits / 8;
  if (workload.bytes == 0 || workload.bytes > channel.max_bytes || workload.bytes % beat_bytes != 0)
    throw std::invalid_argument(
        fmt::format("a transfer must be a multiple of {} bytes, from {} to {}, not {}", beat_bytes,
                    beat_bytes, channel.max_bytes / beat_bytes * beat_bytes, workload.bytes));
  if (!can(board.get(), workload.direction))
    throw std::invalid_argument(fmt::format("{} does not go in that direction", workload.design));
  const uint64_t needed =
      workload.bytes * workload.ports.size() * buffers_of_a_port(workload.direction);
  if (needed > info.memory_bytes)
    throw std::invalid_argument(fmt::format("the buffers need {} bytes; {} has {}", needed,
                                            workload.board, info.memory_bytes));
}

RunResult run(const Workload& workload, unsigned run) {
  return Session(workload, run).measure(run);
}

}  // namespace sluice::bench
