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
#include <deque>
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

enum class Side { host, pageable, card, gpu };

// The engines, and memory of `bytes` on each side.
class Machine {
 public:
  // modelled: time is that of a model, in which the CPU's copies take theirs.
  Machine(sluice_board* board, uint64_t bytes, std::unique_ptr<GpuDevice> gpu, bool modelled)
      : board_(board),
        to_card_(find_channel(board, "h2c0")),
        from_card_(find_channel(board, "c2h0")),
        pageable_(bytes),
        gpu_(std::move(gpu)) {
    host_ = gpu_->allocate(bytes);
    for (auto& stage : stages_) stage = gpu_->allocate(std::min(bytes, kStageBytes));
    if (modelled) copy_bytes_per_s_ = get_attribute(board, "cpu.copy_bytes_per_s");
  }

  [[nodiscard]] sluice_channel* to_card() const { return to_card_; }
  [[nodiscard]] sluice_channel* from_card() const { return from_card_; }
  [[nodiscard]] GpuDevice& gpu() const { return *gpu_; }
  [[nodiscard]] sluice_buffer* host() const { return host_.get(); }
  // The card's memory, as a side of the GPU's copies.
  sluice_buffer* card() {
    if (card_ == nullptr) {
      card_ = card_buffer(board_, 0, pageable_.size());
      gpu_->know_card(card_.get());
    }
    return card_.get();
  }
  // A ring that both engines use; there is one.
  sluice_buffer* make_ring(uint64_t bytes) {
    ring_ = gpu_->allocate(bytes);
    return ring_.get();
  }
  // Host memory that no device knows.
  [[nodiscard]] std::span<uint8_t> pageable() { return pageable_; }
  [[nodiscard]] sluice_buffer* stage(uint64_t index) const { return stages_[index % 2].get(); }

  // All bytes of a side, by the program.
  void put(Side side, std::span<const uint8_t> bytes) {
    switch (side) {
      case Side::host: {
        const CpuAccess access(host_.get());
        std::ranges::copy(bytes, bytes_of(host_.get()).begin());
        return;
      }
      case Side::pageable: std::ranges::copy(bytes, pageable_.begin()); return;
      case Side::card: {
        check(sluice_card_write(board_, 0, bytes.data(), bytes.size()));
        uint8_t last = 0;  // behind which all of it has arrived
        check(sluice_card_read(board_, bytes.size() - 1, &last, 1));
        return;
      }
      case Side::gpu: return gpu_->write(bytes);
    }
  }
  void get(Side side, std::span<uint8_t> bytes) {
    switch (side) {
      case Side::host: {
        const CpuAccess access(host_.get());
        std::ranges::copy(bytes_of(host_.get()).first(bytes.size()), bytes.begin());
        return;
      }
      case Side::pageable: std::ranges::copy(pageable_, bytes.begin()); return;
      case Side::card: check(sluice_card_read(board_, 0, bytes.data(), bytes.size())); return;
      case Side::gpu: return gpu_->read(bytes);
    }
  }

  // One core copies; the engines go on meanwhile. A model's core takes its time.
  void copy_by_cpu(std::span<uint8_t> to, std::span<const uint8_t> from) {
    std::memcpy(to.data(), from.data(), from.size());
    if (copy_bytes_per_s_ == 0) return;
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
    if (check(sluice_channel_submit(channel, &transfer, 1, sizeof transfer)) != 1)
      throw std::runtime_error("a channel refused a transfer although its queue has room");
  }
  // The oldest transfer that ends, of those queued; without waiting, nothing if none has.
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
  sluice_board* board_;
  sluice_channel *to_card_, *from_card_;
  BufferHandle host_, card_, ring_;
  std::array<BufferHandle, 2> stages_;
  std::vector<uint8_t> pageable_;
  uint64_t copy_bytes_per_s_ = 0;   // of the model's core; 0: this program is the core
  std::unique_ptr<GpuDevice> gpu_;  // goes first: it knows the buffers
};

// A path of the card's memory, host memory and the GPU's: where it begins, where it ends, and how.
class GpuPath : public TransferPath {
 public:
  bool verify() override {
    std::vector<uint8_t> sent(bytes()), received(bytes());
    machine_.put(to_, received);
    fill_random(sent, 3);
    machine_.put(from_, sent);
    move(0);
    machine_.get(to_, received);
    arrived(received);
    return sent == received;
  }

  void run(unsigned transfers) override {
    begin();
    for (unsigned i = 0; i < transfers; ++i) {
      const uint64_t start_ns = now_ns();
      ended(start_ns, move(i));
    }
  }

  // Beside a GPU of CUDA, time is the host's.
  [[nodiscard]] uint64_t now_ns() const override {
    return asked_.cuda ? host_now_ns() : TransferPath::now_ns();
  }
  [[nodiscard]] bool simulated_time() const override {
    return !asked_.cuda && TransferPath::simulated_time();
  }

 protected:
  GpuPath(sluice_board* board, const Transfers& asked, std::unique_ptr<GpuDevice> gpu, Side from,
          Side to)
      : TransferPath(board, asked),
        machine_(board, asked.bytes, std::move(gpu), GpuPath::simulated_time()),
        from_(from),
        to_(to) {}

  // Move all of it once; when its last byte was there.
  virtual uint64_t move(uint64_t transfer) = 0;

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
  // When the oldest transfer of the card, or copy of the GPU, has ended; without waiting, nothing
  // if it has not.
  std::optional<uint64_t> reap_card(sluice_channel* channel, uint64_t transfer, bool wait,
                                    uint64_t queued_ns) {
    const auto ended = machine_.reap(channel, wait);
    if (!ended) return std::nullopt;
    const char* what = channel == machine_.to_card() ? "h2c" : "c2h";
    // A simulated card's own times are of another clock than CUDA's.
    return asked_.cuda ? noted(what, transfer, ended->bytes, queued_ns, now_ns())
                       : noted(what, transfer, ended->bytes, ended->start_ns, ended->finish_ns);
  }
  std::optional<uint64_t> reap_gpu(uint64_t transfer, bool wait) {
    const auto ended = machine_.gpu().reap(wait);
    if (!ended) return std::nullopt;
    return noted("gpu", transfer, ended->bytes, ended->start_ns, ended->finish_ns);
  }

  // ---- the steps of paths

  uint64_t by_card(uint64_t transfer, bool to_card) {
    sluice_channel* channel = to_card ? machine_.to_card() : machine_.from_card();
    const uint64_t queued_ns = now_ns();
    machine_.queue_transfer(channel, machine_.host(), 0, bytes(), 0);
    return *reap_card(channel, transfer, true, queued_ns);
  }
  uint64_t by_gpu(uint64_t transfer, bool to_gpu, sluice_buffer* other) {
    machine_.gpu().queue(to_gpu, other, 0, 0, bytes());
    return *reap_gpu(transfer, true);
  }
  using Fill = std::function<void(uint64_t offset, std::span<uint8_t> stage)>;
  // Into the GPU, of memory that it does not know: `fill` puts a piece into a stage.
  uint64_t staged_in(uint64_t transfer, const Fill& fill) {
    uint64_t finish_ns = 0;
    uint64_t queued = 0;
    for (uint64_t offset = 0, piece = 0; offset < bytes(); ++piece) {
      const uint64_t count = std::min(kStageBytes, bytes() - offset);
      if (queued == 2) {
        reap_gpu(transfer, true);  // the stage is free
        --queued;
      }
      sluice_buffer* stage = machine_.stage(piece);
      cpu_step(transfer, stage, count, [&] { fill(offset, bytes_of(stage).first(count)); });
      machine_.gpu().queue(true, stage, 0, offset, count);
      ++queued;
      offset += count;
    }
    for (; queued != 0; --queued) finish_ns = *reap_gpu(transfer, true);
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
      machine_.gpu().queue(false, machine_.stage(piece), 0, piece * kStageBytes, count_of(piece));
    };
    for (uint64_t piece = 0; piece < std::min<uint64_t>(pieces, 2); ++piece) ask(piece);
    for (uint64_t piece = 0; piece < pieces; ++piece) {
      reap_gpu(transfer, true);
      sluice_buffer* stage = machine_.stage(piece);
      finish_ns = cpu_step(transfer, stage, count_of(piece), [&] {
        drain(piece * kStageBytes, bytes_of(stage).first(count_of(piece)));
      });
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
  uint64_t cpu_step(uint64_t transfer, sluice_buffer* stage, uint64_t count, const Work& work) {
    const uint64_t start_ns = now_ns();
    const CpuAccess access(stage);
    work();
    return noted("cpu", transfer, count, start_ns, now_ns());
  }

  Side from_, to_;
};

// GH, HG, and FGR, GFR: one copy of the GPU. Pageable memory is not the board's.
class CopyPath final : public GpuPath {
 public:
  CopyPath(sluice_board* board, const Transfers& asked, std::unique_ptr<GpuDevice> gpu, bool to_gpu,
           Side other)
      : GpuPath(board, asked, std::move(gpu), to_gpu ? side(asked, other) : Side::gpu,
                to_gpu ? Side::gpu : side(asked, other)),
        to_gpu_(to_gpu),
        other_(side(asked, other)) {}

 private:
  static Side side(const Transfers& asked, Side other) {
    return asked.pageable ? Side::pageable : other;
  }

  uint64_t move(uint64_t transfer) override {
    if (other_ == Side::pageable)
      return to_gpu_ ? pageable_in(transfer, machine_.pageable())
                     : pageable_out(transfer, machine_.pageable());
    return by_gpu(transfer, to_gpu_, other_ == Side::card ? machine_.card() : machine_.host());
  }

  bool to_gpu_;
  Side other_;
};

// FG, GF: the BAR as memory that the GPU does not know, so that the CPU is at the BAR.
class BarPath final : public GpuPath {
 public:
  BarPath(sluice_board* board, const Transfers& asked, std::unique_ptr<GpuDevice> gpu, bool to_gpu)
      : GpuPath(board, asked, std::move(gpu), to_gpu ? Side::card : Side::gpu,
                to_gpu ? Side::gpu : Side::card),
        to_gpu_(to_gpu) {}

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
  IndirectPath(sluice_board* board, const Transfers& asked, std::unique_ptr<GpuDevice> gpu,
               bool to_gpu, bool registered)
      : GpuPath(board, asked, std::move(gpu), to_gpu ? Side::card : Side::gpu,
                to_gpu ? Side::gpu : Side::card),
        to_gpu_(to_gpu),
        registered_(registered) {}

 private:
  uint64_t move(uint64_t transfer) override {
    if (to_gpu_) by_card(transfer, false);
    const uint64_t finish_ns = between_host_and_gpu(transfer);
    return to_gpu_ ? finish_ns : by_card(transfer, true);
  }

  uint64_t between_host_and_gpu(uint64_t transfer) {
    if (registered_) return by_gpu(transfer, to_gpu_, machine_.host());
    const CpuAccess access(machine_.host());
    const auto host = bytes_of(machine_.host()).first(bytes());
    return to_gpu_ ? pageable_in(transfer, host) : pageable_out(transfer, host);
  }

  bool to_gpu_, registered_;
};

// FIP, GIP: through a ring of chunks in host memory, both halves at work. Ours.
class PipelinedPath final : public GpuPath {
 public:
  PipelinedPath(sluice_board* board, const Transfers& asked, std::unique_ptr<GpuDevice> gpu,
                bool to_gpu)
      : GpuPath(board, asked, std::move(gpu), to_gpu ? Side::card : Side::gpu,
                to_gpu ? Side::gpu : Side::card),
        to_gpu_(to_gpu),
        chunk_(std::min(asked.bytes, asked.chunk != 0 ? asked.chunk : chunk_for(asked.bytes))),
        ring_(machine_.make_ring(kPlaces * chunk_)) {}

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
      const auto emptied_ns =
          out.ended < out.queued ? take(transfer, to_gpu_, in.ended == in.queued) : std::nullopt;
      if (emptied_ns) {
        finish_ns = *emptied_ns;
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
    if (by_gpu) return machine_.gpu().queue(to_gpu_, ring_, place, offset, count);
    queued_ns_.push_back(now_ns());
    machine_.queue_transfer(of_card(), ring_, place, count, offset);
  }

  [[nodiscard]] sluice_channel* of_card() const {
    return to_gpu_ ? machine_.from_card() : machine_.to_card();
  }

  // When a half has ended a chunk, of which it may have none yet.
  std::optional<uint64_t> take(uint64_t transfer, bool by_gpu, bool wait) {
    if (by_gpu) return reap_gpu(transfer, wait);
    const auto finish_ns = reap_card(of_card(), transfer, wait, queued_ns_.front());
    if (finish_ns) queued_ns_.pop_front();
    return finish_ns;
  }

  bool to_gpu_;
  uint64_t chunk_;
  sluice_buffer* ring_;
  std::deque<uint64_t> queued_ns_;  // of the card's transfers that are queued
};

template <typename Path, auto... kArguments>
std::unique_ptr<TransferPath> make(sluice_board* board, const Transfers& asked,
                                   std::unique_ptr<GpuDevice> gpu) {
  return std::make_unique<Path>(board, asked, std::move(gpu), kArguments...);
}

constexpr TransferCode kCodes[] = {
    {"GH", true, make<CopyPath, false, Side::host>},
    {"HG", true, make<CopyPath, true, Side::host>},
    {"FI", true, make<IndirectPath, true, false>},
    {"GI", true, make<IndirectPath, false, false>},
    {"FIR", true, make<IndirectPath, true, true>},
    {"GIR", true, make<IndirectPath, false, true>},
    {"FG", true, make<BarPath, true>},
    {"GF", true, make<BarPath, false>},
    {"FGR", true, make<CopyPath, true, Side::card>},
    {"GFR", true, make<CopyPath, false, Side::card>},
    {"FIP", true, make<PipelinedPath, true>},
    {"GIP", true, make<PipelinedPath, false>},
};

}  // namespace

std::span<const TransferCode> gpu_codes() { return kCodes; }

}  // namespace sluice::bench
