// SPDX-License-Identifier: Apache-2.0
// Transfers in which a GPU takes part: by its copy engine, straight or through the host.
//
// What the published study did with cudaMemcpy is done step by step: memory that the GPU knows
// ("registered", "pinned") is a side of its copies; other memory goes through two buffers that it
// knows, which the CPU fills or empties while the GPU is at the other.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include "transfer_path.hpp"

namespace sluice::bench {
namespace {

// Bytes of each of the two buffers between a GPU and memory that it does not know: a hypothesis, as
// no document gives it.
constexpr uint64_t kStageBytes = 512 << 10;

enum class Side { host, card, gpu };

sluice_placement in(sluice_memory memory) {
  return {.alignment = 0, .offset = 0, .memory = static_cast<uint32_t>(memory), .reserved = 0};
}

// The engines, and memory of `bytes` on each side.
class Machine {
 public:
  Machine(sluice_board* board, uint64_t bytes)
      : board_(board),
        to_card_(find_channel(board, "h2c0")),
        from_card_(find_channel(board, "c2h0")),
        gpu_(find_channel(board, "gpu0.copy")),
        copy_bytes_per_s_(get_attribute(board, "cpu.copy_bytes_per_s")),
        buffers_{allocate(board, bytes), card_buffer(board, 0, bytes),
                 allocate(board, bytes, in(SLUICE_GPU_MEMORY))},
        pageable_(bytes) {
    for (auto& stage : stages_) stage = allocate(board, std::min(bytes, kStageBytes));
  }

  [[nodiscard]] sluice_board* board() const { return board_; }
  [[nodiscard]] sluice_channel* to_card() const { return to_card_; }
  [[nodiscard]] sluice_channel* from_card() const { return from_card_; }
  [[nodiscard]] sluice_channel* gpu() const { return gpu_; }
  [[nodiscard]] sluice_buffer* buffer(Side side) const {
    return buffers_[static_cast<size_t>(side)].get();
  }
  [[nodiscard]] std::span<uint8_t> bytes(Side side) const { return bytes_of(buffer(side)); }
  // Of host memory that no device knows.
  [[nodiscard]] std::span<uint8_t> pageable() { return pageable_; }
  [[nodiscard]] sluice_buffer* stage(uint64_t index) const { return stages_[index % 2].get(); }

  // One core copies; the engines go on meanwhile.
  void copy_by_cpu(std::span<uint8_t> to, std::span<const uint8_t> from) {
    std::memcpy(to.data(), from.data(), from.size());
    const double seconds =
        static_cast<double>(from.size()) / static_cast<double>(copy_bytes_per_s_);
    check(sluice_board_sleep_ns(board_, static_cast<uint64_t>(std::llround(seconds * 1e9))));
  }

  void queue_transfer(sluice_channel* channel, sluice_buffer* buffer, uint64_t offset,
                      uint64_t bytes, uint64_t card_offset) {
    const sluice_transfer transfer{.buffer = buffer,
                                   .offset = offset,
                                   .bytes = bytes,
                                   .cookie = 0,
                                   .timeout_ns = 0,
                                   .flags = 0,
                                   .reserved = 0,
                                   .card_offset = card_offset};
    expect_one(sluice_channel_submit(channel, &transfer, 1, sizeof transfer));
  }
  void queue_copy(sluice_buffer* from, uint64_t from_offset, sluice_buffer* to, uint64_t to_offset,
                  uint64_t bytes) {
    const sluice_copy copy{.source = from,
                           .source_offset = from_offset,
                           .destination = to,
                           .destination_offset = to_offset,
                           .bytes = bytes,
                           .cookie = 0,
                           .timeout_ns = 0};
    expect_one(sluice_channel_copy(gpu_, &copy, 1, sizeof copy));
  }
  // The oldest that ends, of those queued; without waiting, nothing if none has.
  std::optional<sluice_completion> reap(sluice_channel* channel, bool wait) {
    sluice_completion ended{};
    if (check(sluice_channel_reap(channel, &ended, 1, sizeof ended, wait ? -1 : 0)) == 0)
      return std::nullopt;
    if (ended.status != 0)
      throw std::runtime_error(std::string("a step of a transfer failed: ") +
                               sluice_status_text(ended.status));
    return ended;
  }

 private:
  static void expect_one(int taken) {
    if (check(taken) != 1) throw std::runtime_error("a channel took no transfer, with room for it");
  }

  sluice_board* board_;
  sluice_channel *to_card_, *from_card_, *gpu_;
  uint64_t copy_bytes_per_s_;
  std::array<BufferHandle, 3> buffers_;  // by Side
  std::array<BufferHandle, 2> stages_;
  std::vector<uint8_t> pageable_;
};

// A path of the card's memory, host memory and the GPU's: where it begins, where it ends, and how.
class GpuPath : public TransferPath {
 public:
  bool verify() override {
    fill_random(source_, 3);
    std::ranges::fill(destination_, uint8_t{0});
    move(0);
    arrived(destination_);
    return std::ranges::equal(source_, destination_);
  }

  void run(unsigned transfers) override {
    begin();
    for (unsigned i = 0; i < transfers; ++i) {
      const uint64_t start_ns = now_ns();
      ended(start_ns, move(i));
    }
  }

 protected:
  GpuPath(sluice_board* board, const Transfers& asked)
      : TransferPath(board, asked), machine_(board, asked.bytes) {}

  // Move all of it once; when its last byte was there.
  virtual uint64_t move(uint64_t transfer) = 0;

  void goes(std::span<uint8_t> source, std::span<uint8_t> destination) {
    source_ = source;
    destination_ = destination;
  }
  [[nodiscard]] uint64_t now_ns() const { return sluice_board_now_ns(board_); }
  [[nodiscard]] uint64_t bytes() const { return asked_.bytes; }
  uint64_t noted(std::string_view what, uint64_t transfer, uint64_t bytes, uint64_t start_ns,
                 uint64_t finish_ns) {
    note({.what = what,
          .transfer = transfer,
          .bytes = bytes,
          .start_ns = start_ns,
          .finish_ns = finish_ns});
    return finish_ns;
  }
  // When the oldest of a channel has ended, as Machine::reap().
  std::optional<uint64_t> reap(std::string_view what, sluice_channel* channel, uint64_t transfer,
                               bool wait) {
    const auto ended = machine_.reap(channel, wait);
    if (!ended) return std::nullopt;
    return noted(what, transfer, ended->bytes, ended->start_ns, ended->finish_ns);
  }
  uint64_t reap(std::string_view what, sluice_channel* channel, uint64_t transfer) {
    return *reap(what, channel, transfer, true);
  }

  // ---- the steps of paths

  uint64_t by_card(uint64_t transfer, bool to_card) {
    sluice_channel* channel = to_card ? machine_.to_card() : machine_.from_card();
    machine_.queue_transfer(channel, machine_.buffer(Side::host), 0, bytes(), 0);
    return reap("card", channel, transfer);
  }
  uint64_t by_gpu(uint64_t transfer, Side from, Side to) {
    machine_.queue_copy(machine_.buffer(from), 0, machine_.buffer(to), 0, bytes());
    return reap("gpu", machine_.gpu(), transfer);
  }
  using Fill = std::function<void(uint64_t offset, std::span<uint8_t> stage)>;
  // Into the GPU, of memory that it does not know: `fill` puts a piece into a stage.
  uint64_t staged_in(uint64_t transfer, const Fill& fill) {
    uint64_t finish_ns = 0;
    uint64_t queued = 0;
    for (uint64_t offset = 0, piece = 0; offset < bytes(); ++piece) {
      const uint64_t count = std::min(kStageBytes, bytes() - offset);
      if (queued == 2) {
        reap("gpu", machine_.gpu(), transfer);  // the stage is free
        --queued;
      }
      cpu_step(transfer, count,
               [&] { fill(offset, bytes_of(machine_.stage(piece)).first(count)); });
      machine_.queue_copy(machine_.stage(piece), 0, machine_.buffer(Side::gpu), offset, count);
      ++queued;
      offset += count;
    }
    for (; queued != 0; --queued) finish_ns = reap("gpu", machine_.gpu(), transfer);
    return finish_ns;
  }
  // Out of the GPU: `drain` takes a piece out of a stage.
  uint64_t staged_out(uint64_t transfer, const Fill& drain) {
    uint64_t finish_ns = 0;
    const uint64_t pieces = (bytes() + kStageBytes - 1) / kStageBytes;
    const auto count_of = [&](uint64_t piece) {
      return std::min(kStageBytes, bytes() - piece * kStageBytes);
    };
    const auto ask = [&](uint64_t piece) {
      machine_.queue_copy(machine_.buffer(Side::gpu), piece * kStageBytes, machine_.stage(piece), 0,
                          count_of(piece));
    };
    for (uint64_t piece = 0; piece < std::min<uint64_t>(pieces, 2); ++piece) ask(piece);
    for (uint64_t piece = 0; piece < pieces; ++piece) {
      reap("gpu", machine_.gpu(), transfer);
      const auto stage = bytes_of(machine_.stage(piece)).first(count_of(piece));
      finish_ns = cpu_step(transfer, stage.size(), [&] { drain(piece * kStageBytes, stage); });
      if (piece + 2 < pieces) ask(piece + 2);
    }
    return finish_ns;
  }
  // Between pageable memory and the GPU's.
  uint64_t pageable_in(uint64_t transfer, std::span<const uint8_t> from) {
    return staged_in(transfer, [&, from](uint64_t offset, std::span<uint8_t> stage) {
      machine_.copy_by_cpu(stage, from.subspan(offset, stage.size()));
    });
  }
  uint64_t pageable_out(uint64_t transfer, std::span<uint8_t> to) {
    return staged_out(transfer, [&, to](uint64_t offset, std::span<uint8_t> stage) {
      machine_.copy_by_cpu(to.subspan(offset, stage.size()), stage);
    });
  }

  Machine machine_;

 private:
  template <typename Work>
  uint64_t cpu_step(uint64_t transfer, uint64_t count, const Work& work) {
    const uint64_t start_ns = now_ns();
    work();
    return noted("cpu", transfer, count, start_ns, now_ns());
  }

  std::span<uint8_t> source_, destination_;
};

// GH, HG, and FGR, GFR: one copy of the GPU. Host memory that it does not know is not the board's.
class CopyPath final : public GpuPath {
 public:
  CopyPath(sluice_board* board, const Transfers& asked, Side from, Side to)
      : GpuPath(board, asked), from_(from), to_(to) {
    goes(place(from), place(to));
  }

 private:
  uint64_t move(uint64_t transfer) override {
    if (!asked_.pageable) return by_gpu(transfer, from_, to_);
    return to_ == Side::gpu ? pageable_in(transfer, machine_.pageable())
                            : pageable_out(transfer, machine_.pageable());
  }
  [[nodiscard]] std::span<uint8_t> place(Side side) {
    return side == Side::host && asked_.pageable ? machine_.pageable() : machine_.bytes(side);
  }

  Side from_, to_;
};

// FG, GF: the BAR as memory that the GPU does not know, so that the CPU is at the BAR.
class BarPath final : public GpuPath {
 public:
  BarPath(sluice_board* board, const Transfers& asked, bool to_gpu)
      : GpuPath(board, asked), to_gpu_(to_gpu) {
    goes(machine_.bytes(to_gpu ? Side::card : Side::gpu),
         machine_.bytes(to_gpu ? Side::gpu : Side::card));
  }

 private:
  uint64_t move(uint64_t transfer) override {
    if (to_gpu_)
      return staged_in(transfer, [&](uint64_t offset, std::span<uint8_t> stage) {
        check(sluice_card_read(board_, offset, stage.data(), stage.size()));
      });
    staged_out(transfer, [&](uint64_t offset, std::span<uint8_t> stage) {
      check(sluice_card_write(board_, offset, stage.data(), stage.size()));
    });
    uint8_t last = 0;  // stores are posted: the last has arrived when a load behind it is answered
    check(sluice_card_read(board_, bytes() - 1, &last, 1));
    return now_ns();
  }

  bool to_gpu_;
};

// FI, GI, FIR, GIR: through the host, one half after the other; the GPU knows the host's buffer
// (R) or does not.
class IndirectPath final : public GpuPath {
 public:
  IndirectPath(sluice_board* board, const Transfers& asked, bool to_gpu, bool registered)
      : GpuPath(board, asked), to_gpu_(to_gpu), registered_(registered) {
    goes(machine_.bytes(to_gpu ? Side::card : Side::gpu),
         machine_.bytes(to_gpu ? Side::gpu : Side::card));
  }

 private:
  uint64_t move(uint64_t transfer) override {
    if (to_gpu_) {
      by_card(transfer, false);
      return registered_ ? by_gpu(transfer, Side::host, Side::gpu)
                         : pageable_in(transfer, machine_.bytes(Side::host).first(bytes()));
    }
    if (registered_)
      by_gpu(transfer, Side::gpu, Side::host);
    else
      pageable_out(transfer, machine_.bytes(Side::host).first(bytes()));
    return by_card(transfer, true);
  }

  bool to_gpu_, registered_;
};

// FIP, GIP: through a ring of chunks in host memory, both halves at work. Ours.
class PipelinedPath final : public GpuPath {
 public:
  PipelinedPath(sluice_board* board, const Transfers& asked, bool to_gpu)
      : GpuPath(board, asked),
        to_gpu_(to_gpu),
        chunk_(std::min(asked.bytes, asked.chunk != 0 ? asked.chunk : chunk_for(asked.bytes))),
        ring_(allocate(board, kPlaces * chunk_)) {
    goes(machine_.bytes(to_gpu ? Side::card : Side::gpu),
         machine_.bytes(to_gpu ? Side::gpu : Side::card));
  }

 private:
  static constexpr uint64_t kPlaces = 4;  // chunks of the ring

  // Time is bytes / slow + chunk / fast + chunks * start: the least of it, as a power of two. A
  // chunk is not so short that starting the GPU makes its half the slower one.
  static uint64_t chunk_for(uint64_t bytes) {
    constexpr double kFast = 6.2;     // bytes a ns: the GPU's half
    constexpr double kStartNs = 100;  // that a chunk costs the slower half, whose queue is full
    const double best = std::sqrt(static_cast<double>(bytes) * kStartNs * kFast);
    const auto power = std::bit_floor(static_cast<uint64_t>(best));
    return std::clamp<uint64_t>(power, 32 << 10, 1 << 20);
  }

  // Of a half: chunks that were queued, and that have ended.
  struct Half {
    uint64_t queued = 0;
    uint64_t ended = 0;
  };

  uint64_t move(uint64_t transfer) override {
    const uint64_t chunks = (bytes() + chunk_ - 1) / chunk_;
    Half in, out;
    uint64_t finish_ns = 0;
    while (out.ended < chunks) {
      while (in.queued < chunks && in.queued < out.ended + kPlaces) queue(in.queued++, !to_gpu_);
      while (out.queued < in.ended) queue(out.queued++, to_gpu_);
      // What has emptied a place lets the other half go on; then what fills one is waited for,
      // since what empties them has more queued meanwhile.
      if (out.ended < out.queued && take(transfer, to_gpu_, in.ended == in.queued)) {
        finish_ns = last_finish_ns_;
        ++out.ended;
      } else if (in.ended < in.queued) {
        take(transfer, !to_gpu_, true);
        ++in.ended;
      }
    }
    return finish_ns;
  }

  void queue(uint64_t number, bool by_gpu) {
    const uint64_t offset = number * chunk_;
    const uint64_t place = number % kPlaces * chunk_;
    const uint64_t count = std::min(chunk_, bytes() - offset);
    if (!by_gpu)
      machine_.queue_transfer(to_gpu_ ? machine_.from_card() : machine_.to_card(), ring_.get(),
                              place, count, offset);
    else if (to_gpu_)
      machine_.queue_copy(ring_.get(), place, machine_.buffer(Side::gpu), offset, count);
    else
      machine_.queue_copy(machine_.buffer(Side::gpu), offset, ring_.get(), place, count);
  }

  // Take what a half has ended, or wait for it; whether there was any.
  bool take(uint64_t transfer, bool by_gpu, bool wait) {
    sluice_channel* channel = by_gpu    ? machine_.gpu()
                              : to_gpu_ ? machine_.from_card()
                                        : machine_.to_card();
    const auto finish_ns = reap(by_gpu ? "gpu" : "card", channel, transfer, wait);
    if (finish_ns) last_finish_ns_ = *finish_ns;
    return finish_ns.has_value();
  }

  bool to_gpu_;
  uint64_t chunk_;
  BufferHandle ring_;
  uint64_t last_finish_ns_ = 0;
};

template <typename Path, auto... kArguments>
std::unique_ptr<TransferPath> make(sluice_board* board, const Transfers& asked) {
  return std::make_unique<Path>(board, asked, kArguments...);
}

constexpr TransferCode kCodes[] = {
    {"GH", true, make<CopyPath, Side::gpu, Side::host>},
    {"HG", true, make<CopyPath, Side::host, Side::gpu>},
    {"FI", true, make<IndirectPath, true, false>},
    {"GI", true, make<IndirectPath, false, false>},
    {"FIR", true, make<IndirectPath, true, true>},
    {"GIR", true, make<IndirectPath, false, true>},
    {"FG", true, make<BarPath, true>},
    {"GF", true, make<BarPath, false>},
    {"FGR", true, make<CopyPath, Side::card, Side::gpu>},
    {"GFR", true, make<CopyPath, Side::gpu, Side::card>},
    {"FIP", true, make<PipelinedPath, true>},
    {"GIP", true, make<PipelinedPath, false>},
};

}  // namespace

std::span<const TransferCode> gpu_codes() { return kCodes; }

}  // namespace sluice::bench
