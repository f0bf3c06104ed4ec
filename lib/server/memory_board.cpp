// SPDX-License-Identifier: Apache-2.0
#include "memory_board.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "board.hpp"
#include "error.hpp"
#include "loss_log.hpp"
#include "system_calls.hpp"

namespace sluice::serve {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000;
constexpr uint64_t kMostRate = 1'000'000'000'000;
constexpr uint64_t kMostPeriodBytes = 64 << 20;
constexpr uint32_t kAlignment = 8;
constexpr uint64_t kGuard = 1;  // the period that is being written

uint64_t now_ns() { return linux_calls().now_ns(); }

struct Settings {
  uint64_t rate = 0, periods = 0, counter = 1;
};

struct Attribute {
  const char* name;
  uint64_t Settings::* value;
  uint64_t max;
  const char* text;
};
constexpr std::array kAttributes{
    Attribute{"memory.rate", &Settings::rate, kMostRate,
              "bytes a second; 0: as fast as periods are released"},
    Attribute{"memory.periods", &Settings::periods, std::numeric_limits<uint32_t>::max(),
              "periods until the stream ends; 0: without end"},
    Attribute{"memory.counter", &Settings::counter, 1, "1: words that count up; 0: zeroes"},
};

struct Buffer final : sluice_buffer {
  Buffer(sluice_board& board, uint64_t bytes)
      : sluice_buffer(board, bytes), bytes_(static_cast<size_t>(bytes) / kAlignment + 1) {}
  [[nodiscard]] void* data() const override { return const_cast<uint64_t*>(bytes_.data()); }
  [[nodiscard]] bool busy() const override { return false; }
  bool captured = false;

 private:
  std::vector<uint64_t> bytes_;
};

class Ring final : public Capture {
 public:
  Ring(const char* name, const Settings& settings) : name_(name), settings_(settings) {}

  void start(const sluice_capture& capture) override {
    if (running_) throw Error(EBUSY, "a capture runs on {}", name_);
    asked_ = capture;
    now_ = settings_;
    buffer_ = static_cast<Buffer*>(capture.buffer);
    buffer_->captured = true;
    start_ns_ = now_ns();
    produced_ = released_ = 0;
    losses_.clear();
    started_ = running_ = true;
  }

  [[nodiscard]] bool started() const override { return started_; }

  std::optional<uint64_t> wait(uint64_t period, int64_t timeout_ns) override {
    const uint64_t start = now_ns();
    for (;;) {
      look();
      if (produced_ > period) return produced_;
      if (!running_) throw Error(EPIPE, "the capture on {} has stopped", name_);
      const uint64_t now = now_ns();
      uint64_t left = std::max<uint64_t>(due_ns(produced_) - std::min(now, due_ns(produced_)), 1);
      if (timeout_ns >= 0) {
        const uint64_t passed = now - start;
        if (passed >= static_cast<uint64_t>(timeout_ns)) return std::nullopt;
        left = std::min(left, static_cast<uint64_t>(timeout_ns) - passed);
      }
      linux_calls().sleep_ns(left);
    }
  }

  [[nodiscard]] std::optional<sluice_capture_period> period(uint64_t period) const override {
    if (period >= produced_) return std::nullopt;
    sluice_capture_period found{};
    found.bytes = asked_.period_bytes;
    found.ticks = period + 1;
    found.time_ns = due_ns(period);
    found.exact = 1;
    return found;
  }

  [[nodiscard]] std::optional<sluice_capture_loss> loss(uint64_t index) const override {
    return losses_.at(index);
  }

  [[nodiscard]] sluice_capture_status status() const override {
    return {.produced = produced_,
            .released = released_,
            .lost = losses_.lost(),
            .losses = losses_.seen(),
            .bytes = produced_ * asked_.period_bytes,
            .drops = 0,
            .clock_hz = 1,
            .running = running_,
            .exact = 1};
  }

  sluice_capture_answer release(uint64_t period) override {
    look();
    if (period < released_ || period > produced_)
      throw Error(EINVAL, "periods {} to {} of {} can be released, not up to {}", released_,
                  produced_, name_, period);
    const sluice_capture_answer answer{
        .released = released_,
        .lost = std::clamp(losses_.below(), released_, period) - released_,
        .produced = produced_};
    released_ = period;
    return answer;
  }

  void stop() override {
    look();
    end();
  }

 private:
  [[nodiscard]] bool holds() const { return (asked_.flags & SLUICE_CAPTURE_HOLD) != 0; }

  // When a period ends.
  [[nodiscard]] uint64_t due_ns(uint64_t period) const {
    if (now_.rate == 0) return start_ns_;
    const double bytes = static_cast<double>(period + 1) * static_cast<double>(asked_.period_bytes);
    return start_ns_ + static_cast<uint64_t>(bytes / static_cast<double>(now_.rate) *
                                             static_cast<double>(kSecond_ns));
  }

  // What the engine has done until now.
  void look() {
    if (!running_) return;
    const uint64_t room = released_ + asked_.periods;
    uint64_t below = room - kGuard;
    if (now_.rate != 0) {
      const double bytes = static_cast<double>(now_ns() - start_ns_) /
                           static_cast<double>(kSecond_ns) * static_cast<double>(now_.rate);
      below = static_cast<uint64_t>(bytes / static_cast<double>(asked_.period_bytes));
      if (holds()) below = std::min(below, room);
    }
    if (now_.periods != 0) below = std::min(below, now_.periods);
    if (below > produced_) {
      fill(below);
      produced_ = below;
      find_losses();
    }
    if (now_.periods != 0 && produced_ == now_.periods) end();
  }

  // The words of period n count on where those of the one before end.
  void fill(uint64_t below) {
    if (now_.counter == 0) return;
    const uint64_t words = asked_.period_bytes / sizeof(uint32_t);
    uint64_t first = produced_;
    if (below - first > asked_.periods) first = below - asked_.periods;
    for (uint64_t number = first; number < below; ++number) {
      uint8_t* at = static_cast<uint8_t*>(buffer_->data()) + asked_.offset +
                    number % asked_.periods * asked_.period_bytes;
      auto word = static_cast<uint32_t>(number * words);
      auto* place = reinterpret_cast<uint32_t*>(at);
      for (uint64_t i = 0; i < words; ++i) place[i] = word++;
    }
  }

  void find_losses() {
    const uint64_t writes_below = produced_ + kGuard;
    if (holds() || writes_below <= asked_.periods) return;
    losses_.overwrite(released_, std::min(writes_below - asked_.periods, produced_), now_ns);
  }

  void end() {
    running_ = false;
    if (buffer_ != nullptr) buffer_->captured = false;
    buffer_ = nullptr;
  }

  const char* name_;
  const Settings& settings_;
  Settings now_;  // of the capture that runs
  sluice_capture asked_{};
  Buffer* buffer_ = nullptr;
  bool started_ = false, running_ = false;
  uint64_t start_ns_ = 0, produced_ = 0, released_ = 0;
  LossLog losses_;
};

class Channel final : public sluice_channel {
 public:
  Channel(sluice_board& board, const char* name, const Settings& settings)
      : board_(board), ring_(name, settings) {
    assign(info_.name, name);
    info_.direction = SLUICE_S2MM;
    info_.width_bits = 8 * kAlignment;
    info_.offset_alignment = info_.length_alignment = kAlignment;
    info_.max_bytes = info_.max_packet_bytes = kMostPeriodBytes;
    info_.capabilities =
        SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT | SLUICE_CAN_HOLD | SLUICE_CAN_PACKETS;
  }
  [[nodiscard]] sluice_board& board() const override { return board_; }
  [[nodiscard]] std::string_view name() const override { return info_.name; }
  [[nodiscard]] const sluice_channel_info& info() const override { return info_; }
  unsigned submit(std::span<const sluice_transfer>) override { refuse(); }
  unsigned copy(std::span<const sluice_copy>) override { refuse(); }
  unsigned reap(std::span<sluice_completion>, int64_t) override { refuse(); }
  void cancel() override { refuse(); }
  Capture& capture() override { return ring_; }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ENOTSUP, "a channel of the board of memory captures, and no more");
  }

  sluice_board& board_;
  sluice_channel_info info_{};
  Ring ring_;
};

class MemoryBoard final : public sluice_board {
 public:
  MemoryBoard() {
    for (const char* name : {"memory0.s2mm", "memory1.s2mm"})
      channels_.push_back(std::make_unique<Channel>(*this, name, settings_));
  }

  [[nodiscard]] sluice_board_info info() const override {
    sluice_board_info info{};
    assign(info.board, "memory");
    assign(info.design, "memory");
    info.channel_count = static_cast<uint32_t>(channels_.size());
    return info;
  }
  [[nodiscard]] uint64_t now_ns() const override { return serve::now_ns(); }
  void sleep_ns(uint64_t ns) override { linux_calls().sleep_ns(ns); }
  uint64_t cpu_work(const sluice_cpu_work&) override { refuse(); }
  [[nodiscard]] const std::vector<std::unique_ptr<sluice_channel>>& channels() const override {
    return channels_;
  }
  std::optional<size_t> wait_any(std::span<sluice_channel* const>, int64_t) override { refuse(); }
  sluice_buffer& allocate(uint64_t bytes, const sluice_placement&) override {
    return *buffers_.emplace_back(std::make_unique<Buffer>(*this, bytes));
  }
  void free(sluice_buffer& buffer) override {
    if (static_cast<Buffer&>(buffer).captured) throw Error(EBUSY, "a capture uses the buffer");
    std::erase_if(buffers_, [&](const auto& ours) { return ours.get() == &buffer; });
  }
  [[nodiscard]] std::vector<sluice_attribute_info> attributes() const override {
    std::vector<sluice_attribute_info> infos;
    for (const Attribute& attribute : kAttributes) {
      sluice_attribute_info& info = infos.emplace_back();
      assign(info.name, attribute.name);
      info.max = attribute.max;
      assign(info.text, attribute.text);
    }
    return infos;
  }
  uint64_t get_attribute(std::string_view name) override { return settings_.*find(name).value; }
  void set_attribute(std::string_view name, uint64_t value) override {
    const Attribute& attribute = find(name);
    if (value > attribute.max)
      throw Error(ERANGE, "{} is at most {}, not {}", name, attribute.max, value);
    settings_.*attribute.value = value;
  }

 private:
  [[noreturn]] static void refuse() { throw Error(ENOTSUP, "the board of memory captures alone"); }
  static const Attribute& find(std::string_view name) {
    for (const Attribute& attribute : kAttributes)
      if (name == attribute.name) return attribute;
    throw Error(ENOENT, "there is no attribute '{}'", name);
  }

  Settings settings_;
  std::vector<std::unique_ptr<sluice_channel>> channels_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

}  // namespace

std::unique_ptr<sluice_board, CloseBoard> memory_board() {
  return std::unique_ptr<sluice_board, CloseBoard>(new MemoryBoard);
}

}  // namespace sluice::serve
