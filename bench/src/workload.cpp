// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sluice.hpp>
#include <stdexcept>
#include <string_view>

#include "lane.hpp"
#include "pattern.hpp"

namespace sluice::bench {
namespace {

// One transfer of a run, with what is needed to start and to verify it.
struct Leg {
  sluice_channel* channel;  // nullptr: a command of a hardware thread
  sluice_hwt* hwt;
  sluice_direction direction;
  unsigned port;
  BufferHandle buffer;
  BufferHandle destination;  // of a copy
  sluice_completion completion{};
};

std::string uri(const Workload& workload) {
  if (!workload.device.empty()) return workload.device;
  std::string text =
      fmt::format("sim:{}/{}?width={}&clock_mhz={}&level={}", workload.board, workload.design,
                  workload.width_bits, workload.clock_mhz, workload.level);
  if (workload.fast_forward) text += "&fast_forward=1";
  if (workload.start_cost_ns) text += fmt::format("&start_cost_ns={}", *workload.start_cost_ns);
  for (const std::string& setting : workload.settings) text += "&model." + setting;
  return text;
}

// The board, with the design's attributes as asked.
BoardHandle open(const Workload& workload) {
  BoardHandle board = open_board(uri(workload));
  for (const std::string& text : workload.attributes) {
    const size_t equals = text.find('=');
    uint64_t value = 0;
    const char* const end = text.data() + text.size();
    if (equals == std::string::npos ||
        std::from_chars(text.data() + equals + 1, end, value) != std::from_chars_result{end, {}})
      throw std::invalid_argument(fmt::format("'{}' is not NAME=VALUE", text));
    set_attribute(board.get(), text.substr(0, equals), value);
  }
  return board;
}

// The sequence that a port's data follows; apart for each port, so that crossed data shows.
uint32_t pattern_start(unsigned port) { return 0x1000'0000U * (port + 1); }

sluice_board_info info_of(sluice_board* board) {
  sluice_board_info info{};
  sluice::check(sluice_board_get_info(board, &info, sizeof info));
  return info;
}

bool has_threads(sluice_board* board) { return info_of(board).thread_count != 0; }

// A channel of a board, and the port behind it.
struct Engine {
  sluice_channel* channel;
  sluice_channel_info info;

  // What the names of everything of its port start with: "hp0" of port 0 of a board with HP ports.
  [[nodiscard]] std::string lane() const { return lane_of(info.name); }
  // "HP0". A driver does not say which port it is: there the lane is called after it.
  [[nodiscard]] std::string port() const {
    std::string name = info.port[0] != '\0' ? info.port : lane();
    std::ranges::transform(name, name.begin(), [](char letter) {
      return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    return name;
  }
  [[nodiscard]] bool is_of(unsigned number) const {
    const std::string name = port();
    return name.substr(name.find_last_not_of("0123456789") + 1) == std::to_string(number);
  }
};

// The first channel that is wanted. One that another program has cannot say what it is: so unless
// it is found among the others the answer is that.
template <typename Wanted>
std::optional<Engine> find_engine(sluice_board* board, Wanted wanted) {
  std::optional<Failure> in_use;
  for (unsigned index = 0;; ++index) {
    Engine engine{.channel = sluice_board_channel(board, index), .info = {}};
    if (engine.channel == nullptr) break;
    const int result = sluice_channel_get_info(engine.channel, &engine.info, sizeof engine.info);
    if (result == -EBUSY) {
      in_use.emplace(EBUSY);
      continue;
    }
    sluice::check(result);
    if (wanted(engine)) return engine;
  }
  if (in_use) throw Failure(*in_use);
  return std::nullopt;
}

std::optional<Engine> find_engine(sluice_board* board, unsigned port) {
  return find_engine(board, [&](const Engine& engine) { return engine.is_of(port); });
}

std::optional<Engine> find_engine(sluice_board* board, unsigned port, sluice_direction direction) {
  return find_engine(board, [&](const Engine& engine) {
    return engine.is_of(port) && engine.info.direction == direction;
  });
}

// What the names of everything of a port start with; "t0" of thread 0.
std::string lane_name(sluice_board* board, unsigned port) {
  if (has_threads(board)) return fmt::format("t{}", port);
  const auto engine = find_engine(board, port);
  if (!engine) throw std::invalid_argument(fmt::format("there is no port {}", port));
  return engine->lane();
}

// The name of something of a port: "hp0.loopback".
std::string attribute(sluice_board* board, unsigned port, const char* name) {
  return lane_name(board, port) + '.' + name;
}

bool has_attribute(sluice_board* board, const std::string& name) {
  sluice_attribute_info info{};
  for (unsigned index = 0;; ++index) {
    const int result = sluice_board_attribute(board, index, &info, sizeof info);
    if (result == -ENOENT) return false;  // there are no more
    sluice::check(result);
    if (name == info.name) return true;
  }
}

bool sends(Direction direction) {
  return direction == Direction::duplex || direction == Direction::mm2s ||
         direction == Direction::both;
}

bool receives(Direction direction) {
  return direction == Direction::duplex || direction == Direction::s2mm ||
         direction == Direction::both;
}

// Of a simulated board the library refuses what there is not; here what is said is taken as said.
void check_device(const Workload& workload) {
  constexpr unsigned kLeastBits = 8;
  constexpr unsigned kMostBits = 1024;
  constexpr double kMostMhz = 10'000;
  if (workload.device.empty()) return;
  if (!std::has_single_bit(workload.width_bits) || workload.width_bits < kLeastBits ||
      workload.width_bits > kMostBits)
    throw std::invalid_argument(fmt::format("a stream has {} to {} bits, a power of two, not {}",
                                            kLeastBits, kMostBits, workload.width_bits));
  if (!(workload.clock_mhz > 0) || workload.clock_mhz > kMostMhz)
    throw std::invalid_argument(
        fmt::format("a clock is above 0 and at most {} MHz, not {}", kMostMhz, workload.clock_mhz));
}

// The engines of a port that work in a run.
std::vector<sluice_direction> engines_of(Direction direction) {
  if (direction == Direction::copy) return {SLUICE_COPY};
  std::vector<sluice_direction> engines;
  if (sends(direction)) engines.push_back(SLUICE_MM2S);
  if (receives(direction)) engines.push_back(SLUICE_S2MM);
  return engines;
}

uint64_t buffers_of_a_port(Direction direction) {
  return direction == Direction::mm2s || direction == Direction::s2mm ? 1 : 2;
}

// The longest transfer of the engines that work, or command of the threads.
uint64_t longest(sluice_board* board, const Workload& workload) {
  if (has_threads(board)) {
    sluice_hwt_info info{};
    const HwtHandle hwt = open_hwt(board, 0);
    sluice::check(sluice_hwt_get_info(hwt.get(), &info, sizeof info));
    return info.max_bytes;
  }
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
  for (const unsigned port : workload.ports)
    for (const sluice_direction direction : engines_of(workload.direction))
      bytes = std::min(bytes, find_engine(board, port, direction)->info.max_bytes);
  return bytes;
}

// The driver's channels take what arrives in memory of several pieces where it is known to be full.
uint32_t receive_flags(const Workload& workload) {
  return workload.device.starts_with("dev:") ? SLUICE_TRANSFER_FILL : 0;
}

// What makes a source send one packet without a pause.
constexpr std::pair<const char*, uint64_t> kOnePacket[] = {
    {"source.enable", 0},        {"source.continuous", 0},  {"source.free_run", 0},
    {"source.frame_packets", 1}, {"source.frame_ticks", 0}, {"source.frames", 1},
    {"source.pause_ticks", 0}};

// The engines scatter their bursts, so that data arrives whole but in another order.
bool scattered(const Workload& workload) {
  return std::ranges::find(workload.settings, "engine.scatter=1") != workload.settings.end();
}

class Session {
 public:
  Session(const Workload& workload, unsigned run)
      : workload_(workload), board_(open(workload)), random_(seed(workload, run)) {
    if (has_threads(board_.get()))
      for (const unsigned port : workload_.ports)
        threads_.emplace(port, open_hwt(board_.get(), port));
    allocate_legs();
    for (const unsigned port : workload_.ports) prepare(port);
  }

  RunResult measure(unsigned run) {
    RunResult result{};
    result.run = run;
    result.clock = clock_name(board_.get());
    for (Leg& leg : legs_) {
      const uint32_t skew_ns =
          std::uniform_int_distribution<uint32_t>(0, workload_.skew_ns)(random_);
      result.skew_ns.push_back(skew_ns);
      if (skew_ns != 0) sluice::check(sluice_board_sleep_ns(board_.get(), skew_ns));
      start(leg);
    }
    result.start_ns = std::numeric_limits<uint64_t>::max();
    for (Leg& leg : legs_) {
      leg.completion = leg.hwt == nullptr ? wait(leg.channel) : wait(leg.hwt, leg.direction);
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
    if (leg.hwt != nullptr)
      submit(leg.hwt, {.buffer = leg.buffer.get(),
                       .offset = 0,
                       .bytes = workload_.bytes,
                       .cookie = 0,
                       .direction = static_cast<uint32_t>(leg.direction),
                       .flags = leg.direction == SLUICE_MM2S ? SLUICE_HWT_EOP : 0});
    else if (leg.direction == SLUICE_COPY)
      copy(leg.channel, {.source = leg.buffer.get(),
                         .source_offset = 0,
                         .destination = leg.destination.get(),
                         .destination_offset = 0,
                         .bytes = workload_.bytes,
                         .cookie = 0});
    else
      submit(leg.channel, {.buffer = leg.buffer.get(),
                           .offset = 0,
                           .bytes = workload_.bytes,
                           .cookie = 0,
                           .flags = leg.direction == SLUICE_S2MM ? receive_flags(workload_) : 0});
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
    const auto add = [&](unsigned port, sluice_direction direction) {
      sluice_hwt* const hwt = threads_.contains(port) ? threads_.at(port).get() : nullptr;
      Leg& leg = legs_.emplace_back(
          Leg{.channel = hwt == nullptr ? find_engine(board_.get(), port, direction).value().channel
                                        : nullptr,
              .hwt = hwt,
              .direction = direction,
              .port = port,
              .buffer = place(),
              .destination = direction == SLUICE_COPY ? place() : nullptr});
      if (hwt != nullptr)
        grant(hwt, leg.buffer.get(), direction == SLUICE_MM2S ? SLUICE_READ : SLUICE_WRITE);
    };
    for (const unsigned port : workload_.ports)
      for (const sluice_direction direction : engines_of(workload_.direction)) add(port, direction);
    std::ranges::stable_partition(legs_,
                                  [](const Leg& leg) { return leg.direction == SLUICE_S2MM; });
    for (Leg& leg : legs_)
      if (leg.direction != SLUICE_S2MM) {
        const Access access(leg.buffer.get(), SLUICE_WRITE);
        fill_pattern(bytes_of(leg.buffer.get()), pattern_start(leg.port));
      }
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
      // A simulated board comes out of reset; a device has what the program before it has set.
      if (!workload_.device.empty())
        for (const auto& [name, value] : kOnePacket) set(name, value);
      set("source.packet_beats", workload_.bytes / (workload_.width_bits / 8));
      set("source.start", pattern_start(port));
      set("source.clear", 1);
      set("source.enable", 1);
    }
  }

  bool verify(Leg& leg) {
    if (leg.completion.bytes != workload_.bytes) return false;
    if (leg.direction != SLUICE_MM2S) {
      sluice_buffer* const arrived =
          (leg.direction == SLUICE_COPY ? leg.destination : leg.buffer).get();
      const Access access(arrived, SLUICE_READ);
      return (scattered(workload_) ? holds_pattern : matches_pattern)(bytes_of(arrived),
                                                                      pattern_start(leg.port));
    }
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
  std::map<unsigned, HwtHandle> threads_;  // by number, where ports are hardware threads
};

}  // namespace

std::string clock_name(sluice_board* board) {
  return info_of(board).simulated_time != 0 ? "simulated" : "CLOCK_MONOTONIC_RAW";
}

std::vector<Port> ports_of(sluice_board* board) {
  constexpr unsigned kMostPorts = 64;
  std::vector<Port> ports;
  for (unsigned number = 0; number < kMostPorts; ++number) {
    const auto engine = find_engine(board, number);
    if (!engine) continue;
    Port& port = ports.emplace_back(Port{.number = number,
                                         .name = engine->port(),
                                         .directions = {},
                                         .max_bytes = engine->info.max_bytes,
                                         .width_bits = engine->info.width_bits});
    for (const Direction direction : kDirections)
      if (can(board, direction, number)) port.directions.push_back(direction);
  }
  return ports;
}

bool can(sluice_board* board, Direction direction, unsigned port) {
  if (has_threads(board)) return direction != Direction::copy;
  for (const sluice_direction engine : engines_of(direction))
    if (!find_engine(board, port, engine)) return false;
  if (direction == Direction::duplex || direction == Direction::copy) return true;
  const std::string lane = lane_name(board, port);
  return (!sends(direction) || has_attribute(board, lane + ".sink.enable")) &&
         (!receives(direction) || has_attribute(board, lane + ".source.enable"));
}

void check(const Workload& workload) {
  check_device(workload);
  const BoardHandle board = open(workload);
  const sluice_board_info info = info_of(board.get());
  const std::string& name = workload.device.empty() ? workload.design : workload.device;
  const uint32_t ports = info.thread_count != 0 ? info.thread_count : info.port_count;
  std::set<unsigned> seen;
  for (const unsigned port : workload.ports) {
    if (ports != 0 && port >= ports)
      throw std::invalid_argument(
          fmt::format("{} has no port {}; allowed: 0 to {}", name, port, ports - 1));
    if (ports == 0 && !find_engine(board.get(), port))
      throw std::invalid_argument(fmt::format("{} has no port {}", name, port));
    if (!seen.insert(port).second)
      throw std::invalid_argument(fmt::format("port {} is given twice", port));
    if (!can(board.get(), workload.direction, port))
      throw std::invalid_argument(fmt::format("{} does not go in that direction", name));
  }
  // Of hardware threads the streams have that width, not the ports.
  if (info.thread_count == 0 && info.width_bits != 0 && info.width_bits != workload.width_bits)
    throw std::invalid_argument(fmt::format("the ports of {} have {} bits, not {}", name,
                                            info.width_bits, workload.width_bits));
  const uint64_t max_bytes = longest(board.get(), workload);
  const unsigned beat_bytes = workload.width_bits / 8;
  if (workload.bytes == 0 || workload.bytes > max_bytes || workload.bytes % beat_bytes != 0)
    throw std::invalid_argument(
        fmt::format("a transfer must be a multiple of {} bytes, from {} to {}, not {}", beat_bytes,
                    beat_bytes, max_bytes / beat_bytes * beat_bytes, workload.bytes));
  const uint64_t needed =
      workload.bytes * workload.ports.size() * buffers_of_a_port(workload.direction);
  if (info.memory_bytes != 0 && needed > info.memory_bytes)
    throw std::invalid_argument(
        fmt::format("the buffers need {} bytes; {} has {}", needed, info.board, info.memory_bytes));
}

RunResult run(const Workload& workload, unsigned run) {
  return Session(workload, run).measure(run);
}

}  // namespace sluice::bench
