// SPDX-License-Identifier: Apache-2.0
#include "transfers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <random>
#include <sluice.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "pattern.hpp"

namespace sluice::bench {
namespace {

using Code = Transfers::Code;

constexpr uint64_t kWindowBytes = 1 << 20;  // that transfers go through, round and round
constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kStart = 0x5100'0000;  // of the pattern on streams

bool by_cpu(Code code) { return code == Code::fm || code == Code::hm; }

void check(const Transfers& asked) {
  constexpr uint64_t kMost = uint64_t{1} << 32;
  if (asked.bytes == 0 || asked.bytes > kMost)
    throw std::invalid_argument(
        fmt::format("a transfer has 1 to {} bytes, not {}", kMost, asked.bytes));
  if (asked.iterations == 0) throw std::invalid_argument("there is 1 iteration or more");
  if (asked.depth == 0 || asked.depth > SLUICE_QUEUE_DEPTH)
    throw std::invalid_argument(
        fmt::format("a queue holds 1 to {} transfers, not {}", SLUICE_QUEUE_DEPTH, asked.depth));
  // They become parts of a board's URI.
  if (asked.tlp.find('&') != std::string::npos)
    throw std::invalid_argument(
        fmt::format("--tlp {}: the name of a recording has no '&'; give another", asked.tlp));
  for (const std::string& setting : asked.settings)
    if (setting.find('=') == std::string::npos || setting.find('&') != std::string::npos)
      throw std::invalid_argument(
          fmt::format("--set {} is not of the form NAME=VALUE, VALUE a whole number", setting));
}

// One direction: a channel, its buffer, and its place in the card's memory.
class Direction {
 public:
  Direction(sluice_board* board, const Transfers& asked, bool to_card)
      : asked_(asked),
        channel_(find_channel(board, to_card ? "h2c0" : "c2h0")),
        step_((asked.bytes + kPageBytes - 1) / kPageBytes * kPageBytes),
        places_(std::clamp<uint64_t>(kWindowBytes / step_, 1, asked.iterations)),
        card_(to_card ? 0 : places_ * step_),
        buffer_(allocate(board, places_ * step_)) {
    sluice_channel_info info{};
    sluice::check(sluice_channel_get_info(channel_, &info, sizeof info));
    memory_ = (info.capabilities & SLUICE_HAS_CARD) != 0;
    if (asked.bytes > info.max_bytes)
      throw std::invalid_argument(
          fmt::format("a transfer has at most {} bytes, not {}", info.max_bytes, asked.bytes));
  }

  [[nodiscard]] uint64_t places() const { return places_; }
  [[nodiscard]] bool memory() const { return memory_; }
  [[nodiscard]] std::span<uint8_t> place(uint64_t index) const {
    return bytes_of(buffer_.get()).subspan(index * step_, asked_.bytes);
  }
  // Where it begins in the card's memory.
  void put_at(uint64_t card) { card_ = card; }
  [[nodiscard]] uint64_t card() const { return card_; }
  [[nodiscard]] const std::vector<uint64_t>& latencies() const { return latency_ns_; }
  [[nodiscard]] uint64_t last_ns() const { return last_ns_; }

  void begin(unsigned transfers) {
    wanted_ = transfers;
    queued_ = ended_ = 0;
    latency_ns_.clear();
  }
  [[nodiscard]] bool done() const { return ended_ == wanted_; }

  // Queue what the depth lets be queued, in one call.
  void feed() {
    std::vector<sluice_transfer> next;
    while (queued_ < wanted_ && queued_ - ended_ < asked_.depth) next.push_back(at(queued_++));
    if (next.empty()) return;
    const int taken = sluice::check(sluice_channel_submit(
        channel_, next.data(), static_cast<unsigned>(next.size()), sizeof(sluice_transfer)));
    if (static_cast<size_t>(taken) != next.size())
      throw std::runtime_error("the channel took fewer transfers than its queue holds");
  }

  // Take what has ended; at least one.
  void reap() {
    std::array<sluice_completion, 64> ended{};
    const int count = sluice::check(
        sluice_channel_reap(channel_, ended.data(), ended.size(), sizeof ended[0], -1));
    for (const sluice_completion& completion : std::span(ended).first(static_cast<size_t>(count))) {
      if (completion.status != 0 || completion.bytes != asked_.bytes)
        throw std::runtime_error(fmt::format("transfer {} of {} bytes moved {}: {}",
                                             completion.cookie, asked_.bytes, completion.bytes,
                                             sluice_status_text(completion.status)));
      latency_ns_.push_back(completion.finish_ns - completion.start_ns);
      last_ns_ = completion.finish_ns;
      ++ended_;
    }
  }

 private:
  [[nodiscard]] sluice_transfer at(uint64_t number) const {
    const uint64_t offset = number % places_ * step_;
    return {.buffer = buffer_.get(),
            .offset = offset,
            .bytes = asked_.bytes,
            .cookie = number,
            .timeout_ns = 0,
            .flags = 0,
            .reserved = 0,
            .card_offset = memory_ ? card_ + offset : 0};
  }

  const Transfers& asked_;
  sluice_channel* channel_;
  uint64_t step_;    // from one place to the next
  uint64_t places_;  // in buffer and card
  uint64_t card_;
  BufferHandle buffer_;
  bool memory_ = false;
  unsigned wanted_ = 0;
  unsigned queued_ = 0;
  unsigned ended_ = 0;
  uint64_t last_ns_ = 0;
  std::vector<uint64_t> latency_ns_;
};

// All of them at once, each with its queue kept full.
void run(std::span<Direction*> directions, unsigned transfers) {
  for (Direction* direction : directions) direction->begin(transfers);
  for (bool busy = true; busy;) {
    for (Direction* direction : directions) direction->feed();
    busy = false;
    for (Direction* direction : directions) {
      if (direction->done()) continue;
      direction->reap();
      busy = busy || !direction->done();
    }
  }
}

void run_one(Direction& direction) {
  Direction* one = &direction;
  run({&one, 1}, static_cast<unsigned>(direction.places()));
}

bool equal(const Direction& a, const Direction& b) {
  for (uint64_t i = 0; i < a.places(); ++i)
    if (!std::ranges::equal(a.place(i), b.place(i))) return false;
  return true;
}

// To the card and back, by the same transfers as are measured, with data of its own.
bool verify_memory(Direction& there, Direction& back) {
  std::mt19937 random(1);
  for (uint64_t i = 0; i < there.places(); ++i)
    for (uint8_t& byte : there.place(i)) byte = static_cast<uint8_t>(random());
  const uint64_t own = back.card();
  back.put_at(there.card());
  run_one(there);
  run_one(back);
  back.put_at(own);
  return equal(there, back);
}

void set_all(sluice_board* board,
             std::initializer_list<std::pair<const char*, uint64_t>> settings) {
  for (const auto& [name, value] : settings) set_attribute(board, std::string("s0.") + name, value);
}

// Packets of the pattern to the sink, which checks them, and from the source, which counts on.
bool verify_streams(sluice_board* board, const Transfers& asked, Direction& there,
                    Direction& back) {
  sluice_board_info info{};
  sluice::check(sluice_board_get_info(board, &info, sizeof info));
  const uint64_t beat = info.width_bits / 8;
  if (asked.bytes % beat != 0)
    throw std::invalid_argument(fmt::format(
        "the streams' pattern has whole beats of {} bytes, not {} bytes", beat, asked.bytes));
  const auto words = static_cast<uint32_t>(asked.bytes / 4);
  for (uint32_t i = 0; i < there.places(); ++i) fill_pattern(there.place(i), kStart + i * words);
  set_all(board, {{"loopback", 0},
                  {"sink.start", kStart},
                  {"sink.check", 1},
                  {"sink.clear", 1},
                  {"sink.enable", 1},
                  {"source.packet_beats", asked.bytes / beat},
                  {"source.start", kStart},
                  {"source.clear", 1},
                  {"source.continuous", 1},
                  {"source.enable", 1}});
  run_one(there);
  run_one(back);
  const auto get = [&](const char* name) {
    return get_attribute(board, std::string("s0.") + name);
  };
  bool right = get("sink.bytes") == there.places() * asked.bytes && get("sink.mismatch") == 0 &&
               get("sink.packets") == there.places();
  for (uint32_t i = 0; i < back.places(); ++i)
    right = right && matches_pattern(back.place(i), kStart + i * words);
  set_all(board, {{"sink.check", 0}});
  return right;
}

uint64_t counter(sluice_board* board, const char* name) {
  return get_attribute(board, std::string("link.") + name);
}

struct Counted {
  uint64_t up, down, tags, credits, completion;
};

Counted counted(sluice_board* board) {
  return {counter(board, "up_bytes"), counter(board, "down_bytes"), counter(board, "tags_ns"),
          counter(board, "credits_ns"), counter(board, "completion_ns")};
}

void copy_by_cpu(sluice_board* board, const Transfers& asked, std::vector<uint8_t>& data) {
  if (asked.code == Code::hm)
    sluice::check(sluice_card_write(board, 0, data.data(), data.size()));
  else
    sluice::check(sluice_card_read(board, 0, data.data(), data.size()));
}

bool verify_cpu(sluice_board* board, const Transfers& asked) {
  std::mt19937 random(2);
  std::vector<uint8_t> sent(asked.bytes), received(asked.bytes);
  for (uint8_t& byte : sent) byte = static_cast<uint8_t>(random());
  sluice::check(sluice_card_write(board, 0, sent.data(), sent.size()));
  sluice::check(sluice_card_read(board, 0, received.data(), received.size()));
  return sent == received;
}

}  // namespace

TransferFigures transfer(const Transfers& asked) {
  check(asked);
  std::string uri = fmt::format("sim:{}/{}?level={}&completions={}", asked.board, asked.design,
                                asked.level, asked.completions);
  if (!asked.tlp.empty()) uri += "&tlp=" + asked.tlp;
  if (asked.clock_mhz) uri += fmt::format("&clock_mhz={}", *asked.clock_mhz);
  if (asked.start_cost_ns) uri += fmt::format("&start_cost_ns={}", *asked.start_cost_ns);
  for (const std::string& setting : asked.settings) uri += "&model." + setting;
  const BoardHandle handle = open_board(uri);
  sluice_board* board = handle.get();

  TransferFigures figures{};
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  Counted before{};
  if (by_cpu(asked.code)) {
    figures.verified = verify_cpu(board, asked);
    std::vector<uint8_t> data(asked.bytes);
    before = counted(board);
    begin_ns = sluice_board_now_ns(board);
    for (unsigned i = 0; i < asked.iterations; ++i) copy_by_cpu(board, asked, data);
    // Stores are posted: the last has arrived when a load behind it is answered.
    if (asked.code == Code::hm) sluice::check(sluice_card_read(board, 0, data.data(), 1));
    end_ns = sluice_board_now_ns(board);
  } else {
    Direction there(board, asked, true);
    Direction back(board, asked, false);
    figures.verified =
        there.memory() ? verify_memory(there, back) : verify_streams(board, asked, there, back);
    std::vector<Direction*> timed;
    if (asked.code != Code::fh) timed.push_back(&there);
    if (asked.code != Code::hf) timed.push_back(&back);
    before = counted(board);
    begin_ns = sluice_board_now_ns(board);
    run(timed, asked.iterations);
    for (const Direction* direction : timed) {
      end_ns = std::max(end_ns, direction->last_ns());
      figures.latency_ns.insert(figures.latency_ns.end(), direction->latencies().begin(),
                                direction->latencies().end());
    }
  }
  const Counted after = counted(board);
  const auto elapsed_ns = static_cast<double>(end_ns - begin_ns);
  const double carried = static_cast<double>(counter(board, "raw_bytes_per_s")) * elapsed_ns / 1e9;
  figures.elapsed_ns = end_ns - begin_ns;
  figures.up_share = static_cast<double>(after.up - before.up) / carried;
  figures.down_share = static_cast<double>(after.down - before.down) / carried;
  figures.tags_share = static_cast<double>(after.tags - before.tags) / elapsed_ns;
  figures.credits_share = static_cast<double>(after.credits - before.credits) / elapsed_ns;
  figures.completion_share = static_cast<double>(after.completion - before.completion) / elapsed_ns;
  return figures;
}

}  // namespace sluice::bench
