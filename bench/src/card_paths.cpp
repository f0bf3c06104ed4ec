// SPDX-License-Identifier: Apache-2.0
// FH, HF, FR, GR and FH+HF: the card's own DMA, its queue kept full; FM, HM: the CPU at the BAR.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "pattern.hpp"
#include "transfer_path.hpp"

namespace sluice::bench {
namespace {

constexpr uint64_t kWindowBytes = 1 << 20;  // that transfers go through, round and round
constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kStart = 0x5100'0000;  // of the pattern on streams

// Of a run's data: a card keeps what an earlier run left there, which has to be other data.
uint32_t run_seed() {
  static const auto seed = static_cast<uint32_t>(host_now_ns());
  return seed;
}

// One direction: a channel, its buffer, and its place in the card's memory.
class Direction {
 public:
  // Out of or into memory of the host, or of the GPU.
  Direction(sluice_board* board, const Transfers& asked, bool to_card, GpuDevice* gpu)
      : asked_(asked),
        channel_(find_channel(board, to_card ? "h2c0" : "c2h0")),
        step_((asked.bytes + kPageBytes - 1) / kPageBytes * kPageBytes),
        gpu_(gpu),
        places_(gpu != nullptr ? 1
                               : std::clamp<uint64_t>(kWindowBytes / step_, 1, asked.iterations)),
        card_(to_card ? 0 : places_ * step_) {
    if (gpu_ == nullptr) host_ = allocate(board, places_ * step_);
    buffer_ = gpu_ == nullptr ? host_.get() : gpu_->buffer();
    sluice_channel_info info{};
    sluice::check(sluice_channel_get_info(channel_, &info, sizeof info));
    memory_ = (info.capabilities & SLUICE_HAS_CARD) != 0;
    if (asked.bytes > info.max_bytes)
      throw std::invalid_argument(
          fmt::format("a transfer has at most {} bytes, not {}", info.max_bytes, asked.bytes));
  }

  [[nodiscard]] uint64_t places() const { return places_; }
  [[nodiscard]] bool memory() const { return memory_; }
  // The bytes of a place, by the program.
  void put(uint64_t index, std::span<const uint8_t> bytes) {
    if (gpu_ != nullptr) return gpu_->write(bytes);
    const CpuAccess access(buffer_);
    std::ranges::copy(bytes, bytes_of(buffer_).subspan(index * step_, asked_.bytes).begin());
  }
  [[nodiscard]] std::vector<uint8_t> get(uint64_t index) const {
    std::vector<uint8_t> bytes(asked_.bytes);
    if (gpu_ != nullptr) {
      gpu_->read(bytes);
      return bytes;
    }
    const CpuAccess access(buffer_);
    std::ranges::copy(bytes_of(buffer_).subspan(index * step_, asked_.bytes), bytes.begin());
    return bytes;
  }
  // Where it begins in the card's memory.
  void put_at(uint64_t card) { card_ = card; }
  [[nodiscard]] uint64_t card() const { return card_; }
  // Since begin(), in their order.
  [[nodiscard]] const std::vector<sluice_completion>& completions() const { return completions_; }

  void begin(unsigned transfers) {
    wanted_ = transfers;
    queued_ = ended_ = 0;
    completions_.clear();
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
      completions_.push_back(completion);
      ++ended_;
    }
  }

 private:
  [[nodiscard]] sluice_transfer at(uint64_t number) const {
    const uint64_t offset = number % places_ * step_;
    return {.buffer = buffer_,
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
  uint64_t step_;   // from one place to the next
  GpuDevice* gpu_;  // whose memory it is, or nullptr
  // In buffer and card. A GPU's memory is used at one place, as the published benchmark used it: it
  // remembers.
  uint64_t places_;
  uint64_t card_;
  BufferHandle host_;
  sluice_buffer* buffer_;
  bool memory_ = false;
  unsigned wanted_ = 0;
  unsigned queued_ = 0;
  unsigned ended_ = 0;
  std::vector<sluice_completion> completions_;
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

class DmaPath final : public TransferPath {
 public:
  DmaPath(sluice_board* board, const Transfers& asked, bool to_card, bool from_card,
          std::unique_ptr<GpuDevice> gpu)
      : TransferPath(board, asked),
        gpu_(std::move(gpu)),
        there_(board, asked, true, gpu_.get()),
        back_(board, asked, false, gpu_.get()) {
    if (to_card) timed_.push_back(&there_);
    if (from_card) timed_.push_back(&back_);
  }

  bool verify() override { return there_.memory() ? verify_memory() : verify_streams(); }

  void run(unsigned transfers) override {
    begin();
    sluice::bench::run(timed_, transfers);
    for (const Direction* direction : timed_) {
      for (const sluice_completion& completion : direction->completions()) {
        note({.what = direction == &there_ ? "h2c" : "c2h",
              .transfer = completion.cookie,
              .bytes = completion.bytes,
              .start_ns = completion.start_ns,
              .finish_ns = completion.finish_ns});
        ended(completion.start_ns, completion.finish_ns);
      }
    }
  }

 private:
  // To the card and back, by the same transfers as are measured.
  bool verify_memory() {
    std::vector<std::vector<uint8_t>> sent(there_.places(), std::vector<uint8_t>(asked_.bytes));
    for (uint64_t i = 0; i < sent.size(); ++i) {
      fill_random(sent[i], run_seed() + static_cast<uint32_t>(i));
      there_.put(i, sent[i]);
    }
    const uint64_t own = back_.card();
    back_.put_at(there_.card());
    run_one(there_);
    // Both ways may be in the same memory of a GPU: what comes back is not what was there.
    for (uint64_t i = 0; i < sent.size(); ++i) back_.put(i, std::vector<uint8_t>(asked_.bytes));
    run_one(back_);
    back_.put_at(own);
    bool right = true;
    for (uint64_t i = 0; i < sent.size(); ++i) {
      std::vector<uint8_t> received = back_.get(i);
      if (i == 0) arrived(received);
      right = right && received == sent[i];
    }
    return right;
  }

  // Packets of the pattern to the sink, which checks them, and from the source, which counts on.
  bool verify_streams() {
    sluice_board_info info{};
    sluice::check(sluice_board_get_info(board_, &info, sizeof info));
    const uint64_t beat = info.width_bits / 8;
    const uint64_t bytes = asked_.bytes;
    if (bytes % beat != 0)
      throw std::invalid_argument(fmt::format(
          "the streams' pattern has whole beats of {} bytes, not {} bytes", beat, bytes));
    const auto words = static_cast<uint32_t>(bytes / 4);
    std::vector<uint8_t> packet(bytes);
    for (uint32_t i = 0; i < there_.places(); ++i) {
      fill_pattern(packet, kStart + i * words);
      there_.put(i, packet);
    }
    set_all({{"loopback", 0},
             {"sink.start", kStart},
             {"sink.check", 1},
             {"sink.clear", 1},
             {"sink.enable", 1},
             {"source.packet_beats", bytes / beat},
             {"source.start", kStart},
             {"source.clear", 1},
             {"source.continuous", 1},
             {"source.enable", 1}});
    run_one(there_);
    run_one(back_);
    const auto get = [&](const char* name) {
      return get_attribute(board_, std::string("s0.") + name);
    };
    bool right = get("sink.bytes") == there_.places() * bytes && get("sink.mismatch") == 0 &&
                 get("sink.packets") == there_.places();
    for (uint32_t i = 0; i < back_.places(); ++i) {
      packet = back_.get(i);
      if (i == 0) arrived(packet);
      right = right && matches_pattern(packet, kStart + i * words);
    }
    set_all({{"sink.check", 0}});
    return right;
  }

  void set_all(std::initializer_list<std::pair<const char*, uint64_t>> settings) {
    for (const auto& [name, value] : settings)
      set_attribute(board_, std::string("s0.") + name, value);
  }

  std::unique_ptr<GpuDevice> gpu_;
  Direction there_;
  Direction back_;
  std::vector<Direction*> timed_;
};

class CpuPath final : public TransferPath {
 public:
  CpuPath(sluice_board* board, const Transfers& asked, bool to_card)
      : TransferPath(board, asked), to_card_(to_card), data_(asked.bytes) {}

  bool verify() override {
    std::vector<uint8_t> received(asked_.bytes);
    fill_random(data_, run_seed());
    sluice::check(sluice_card_write(board_, 0, data_.data(), data_.size()));
    sluice::check(sluice_card_read(board_, 0, received.data(), received.size()));
    arrived(received);
    return data_ == received;
  }

  void run(unsigned transfers) override {
    begin();
    for (unsigned i = 0; i < transfers; ++i)
      sluice::check(to_card_ ? sluice_card_write(board_, 0, data_.data(), data_.size())
                             : sluice_card_read(board_, 0, data_.data(), data_.size()));
    // Stores are posted: the last has arrived when a load behind it is answered.
    if (to_card_) sluice::check(sluice_card_read(board_, 0, data_.data(), 1));
    ended(sluice_board_now_ns(board_));
  }

 private:
  bool to_card_;
  std::vector<uint8_t> data_;
};

template <bool kToCard, bool kFromCard>
std::unique_ptr<TransferPath> by_dma(sluice_board* board, const Transfers& asked,
                                     std::unique_ptr<GpuDevice> gpu) {
  return std::make_unique<DmaPath>(board, asked, kToCard, kFromCard, std::move(gpu));
}

template <bool kToCard>
std::unique_ptr<TransferPath> by_cpu(sluice_board* board, const Transfers& asked,
                                     std::unique_ptr<GpuDevice> /*none*/) {
  return std::make_unique<CpuPath>(board, asked, kToCard);
}

constexpr TransferCode kCodes[] = {
    {"FH", false, by_dma<false, true>},   {"HF", false, by_dma<true, false>},
    {"FM", false, by_cpu<false>},         {"HM", false, by_cpu<true>},
    {"FR", true, by_dma<false, true>},    {"GR", true, by_dma<true, false>},
    {"FH+HF", false, by_dma<true, true>},
};

}  // namespace

std::span<const TransferCode> card_codes() { return kCodes; }

}  // namespace sluice::bench
