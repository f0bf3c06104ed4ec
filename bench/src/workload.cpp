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

#include "pattern.hpp"

namespace sluice::bench {
namespace {

// One transfer of a run, with what is needed to start and to verify it.
struct Leg {
  sluice_channel* channel;
  sluice_direction direction;
  unsigned port;
  BufferHandle buffer;
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

// The name of something of a port: "hp0.loopback". Each port has two channels, called after it.
std::string attribute(sluice_board* board, unsigned port, const char* name) {
  sluice_channel_info info{};
  sluice::check(sluice_channel_get_info(sluice_board_channel(board, 2 * port), &info, sizeof info));
  const std::string channel = info.name;
  return channel.substr(0, channel.find('.') + 1) + name;
}

bool two_ways(Direction direction) {
  return direction == Direction::duplex || direction == Direction::both;
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
      submit(leg.channel,
             {.buffer = leg.buffer.get(), .offset = 0, .bytes = workload_.bytes, .cookie = 0});
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

  // The placement rule: in order of port, source before destination, one after another, each on
  // the next page, or staggered. The order of starting is another: all receivers, then all
  // senders, so that every stream has somewhere to go from its first beat on.
  void allocate_legs() {
    const uint64_t count = workload_.ports.size() * (two_ways(workload_.direction) ? 2 : 1);
    const uint64_t alignment =
        std::max<uint64_t>(4096, std::bit_ceil(count * workload_.stagger_bytes));
    const auto add = [&](unsigned port, sluice_direction direction) {
      const sluice_placement placement{.alignment = alignment,
                                       .offset = legs_.size() * workload_.stagger_bytes};
      legs_.push_back({.channel = find_channel(
                           board_.get(), attribute(board_.get(), port,
                                                   direction == SLUICE_MM2S ? "mm2s" : "s2mm")),
                       .direction = direction,
                       .port = port,
                       .buffer = allocate(board_.get(), workload_.bytes, placement)});
    };
    for (const unsigned port : workload_.ports) {
      if (workload_.direction != Direction::s2mm) add(port, SLUICE_MM2S);
      if (workload_.direction != Direction::mm2s) add(port, SLUICE_S2MM);
    }
    std::ranges::stable_partition(legs_,
                                  [](const Leg& leg) { return leg.direction == SLUICE_S2MM; });
    for (Leg& leg : legs_)
      if (leg.direction == SLUICE_MM2S)
        fill_pattern(bytes_of(leg.buffer.get()), pattern_start(leg.port));
  }

  // Set up the streams of a port for the direction.
  void prepare(unsigned port) {
    const auto set = [&](const char* name, uint64_t value) {
      set_attribute(board_.get(), attribute(board_.get(), port, name), value);
    };
    if (workload_.direction == Direction::duplex) {
      set("loopback", 1);
      return;
    }
    if (workload_.direction != Direction::s2mm) {
      set("sink.start", pattern_start(port));
      set("sink.check", scattered(workload_) ? 0 : 1);
      set("sink.clear", 1);
      set("sink.enable", 1);
    }
    if (workload_.direction != Direction::mm2s) {
      set("source.packet_beats", workload_.bytes / (workload_.width_bits / 8));
      set("source.start", pattern_start(port));
      set("source.clear", 1);
      set("source.enable", 1);
    }
  }

  bool verify(Leg& leg) {
    if (leg.completion.bytes != workload_.bytes) return false;
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
  const uint64_t needed =
      workload.bytes * workload.ports.size() * (two_ways(workload.direction) ? 2 : 1);
  if (needed > info.memory_bytes)
    throw std::invalid_argument(fmt::format("the buffers need {} bytes; {} has {}", needed,
                                            workload.board, info.memory_bytes));
}

RunResult run(const Workload& workload, unsigned run) {
  return Session(workload, run).measure(run);
}

}  // namespace sluice::bench
