// SPDX-License-Identifier: Apache-2.0
// Capture by an engine whose registers this process has in its hands: AxiDmaRing, and a capability
// block beside it (sl_capability) that counts its periods.
//
// The counts are looked at when the program asks, never behind its back: nothing here runs of
// itself. How periods are counted:
//   exact   the engine fills the ring round and round, the block says how many periods have ended,
//           and of the last ones bytes, drops and time of their end
//   guess   (SLUICE_CAPTURE_GUESS) the same, by the engine's current descriptor: a whole round
//           between two looks is not seen
//   hold    (SLUICE_CAPTURE_HOLD) each period is a transfer, queued again when it is released
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "axi_dma_ring.hpp"
#include "board.hpp"
#include "loss_log.hpp"
#include "register_buffer.hpp"

namespace sluice {

class RegisterCapture final : public Capture {
 public:
  struct Place {
    std::string name;     // of the channel
    uint32_t capability;  // of the block's page; the engine is its channel 0
    uint64_t clock_hz;    // of the logic, where the block does not say; 0: nobody does
  };
  // What the capture asks of its board.
  struct Board {
    // Memory for descriptors, zeroed, and what takes it back.
    std::function<SharedMemory(uint64_t bytes)> allocate;
    std::function<void(const SharedMemory&)> release;
    // Let the board's other channels go on, then wait for an interrupt until the time at most.
    std::function<void(uint64_t deadline_ns)> wait;
  };

  RegisterCapture(Platform& platform, AxiDmaRing& engine, Place place, Board board)
      : platform_(platform), engine_(engine), place_(std::move(place)), board_(std::move(board)) {}

  void start(const sluice_capture& capture) override;
  [[nodiscard]] bool started() const override { return started_; }
  std::optional<uint64_t> wait(uint64_t period, int64_t timeout_ns) override;
  [[nodiscard]] std::optional<sluice_capture_period> period(uint64_t period) const override;
  [[nodiscard]] std::optional<sluice_capture_loss> loss(uint64_t index) const override;
  [[nodiscard]] sluice_capture_status status() const override;
  sluice_capture_answer release(uint64_t period) override;
  void stop() override;

 private:
  struct Counts {
    uint64_t bytes = 0, drops = 0;
  };

  [[nodiscard]] uint32_t block(uint32_t offset);
  [[nodiscard]] uint64_t block_pair(uint32_t offset);
  // Those of a 64-bit counter that wraps earlier.
  [[nodiscard]] uint64_t since(uint64_t before, uint64_t now) const;
  [[nodiscard]] uint32_t guard_periods(const sluice_capture& capture);
  void give_to_engine();
  void look();
  void count_exact();
  void count_by_place();
  void count_transfers();
  void queue_periods();
  void record(const sluice_capture_period& period);
  void record_bytes(uint64_t bytes);  // all that is known of it
  void find_losses();
  void end();

  Platform& platform_;
  AxiDmaRing& engine_;
  Place place_;
  Board board_;
  bool started_ = false;
  bool running_ = false;
  sluice_capture asked_{};
  RegisterBuffer* buffer_ = nullptr;  // while it is captured into
  SharedMemory ring_{};               // of a capture without SLUICE_CAPTURE_HOLD
  uint32_t guard_ = 0;                // periods that the engine may be ahead of those that ended
  uint64_t clock_hz_ = 0;
  unsigned count_bits_ = 64;
  uint32_t snapshots_ = 0;  // that the block keeps
  uint32_t first_ = 0;      // PERIODS at the start
  Counts last_;             // of the block, at the end of the period counted last
  uint32_t seen_at_ = 0;    // place in the ring, of count_by_place()
  uint64_t queued_ = 0;     // periods given to the engine, of count_transfers()
  uint32_t transfers_ = 0;  // of them under way
  uint64_t produced_ = 0, released_ = 0, bytes_ = 0, drops_ = 0;
  std::deque<sluice_capture_period> records_;  // of the last periods
  LossLog losses_;
};

}  // namespace sluice
