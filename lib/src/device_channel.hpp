// SPDX-License-Identifier: Apache-2.0
// A channel of the driver as a queue of transfers. A transfer is counted by the ring of
// completions' own numbers, which run freely modulo 2^32, and moves through these states:
//
//   [settled_, submitted_)  the kernel's: its buffers are in use
//   [tail_, settled_)       over: its buffers are the program's, its completion waits in the ring
//   below tail_             reaped
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "board.hpp"
#include "device_board.hpp"
#include "device_node.hpp"

namespace sluice {

class DeviceCapture;

class DeviceChannel final : public sluice_channel {
 public:
  DeviceChannel(DeviceBoard& board, std::string path, std::string name);
  ~DeviceChannel() override;

  [[nodiscard]] sluice_board& board() const override { return board_; }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] const sluice_channel_info& info() const override;
  unsigned submit(std::span<const sluice_transfer> transfers) override;
  unsigned copy(std::span<const sluice_copy> copies) override;
  unsigned reap(std::span<sluice_completion> completions, int64_t timeout_ns) override;
  void cancel() override;
  Capture& capture() override;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Nothing is queued or waits to be reaped.
  [[nodiscard]] bool idle() const { return tail_ == submitted_; }
  [[nodiscard]] bool has_completion() const { return !idle() && head() != tail_; }
  // Of the node, which is open: the channel is not idle.
  [[nodiscard]] int descriptor() const { return node_->descriptor(); }
  // Give back the buffers of transfers that are over.
  void settle();
  // Let go of a buffer that is not in use.
  void forget(const DeviceBuffer& buffer);
  // A dma-buf of memory that the engine and the processor see alike: its descriptor. The node is
  // not kept open for that.
  [[nodiscard]] int allocate(uint64_t bytes) const;
  // The node, to be used for capture. Error(EBUSY) while transfers are queued or not reaped.
  DeviceNode& node_for_capture();

 private:
  enum class Use { nothing, queue, capture };

  // The transfers up to number `end`, from the end of the submission before.
  struct Submission {
    uint64_t start_ns;
    uint32_t end;
  };
  struct Queued {
    DeviceBuffer* buffer;
    DeviceBuffer* destination;  // of a copy
  };

  // Opened when it is first needed; anew for another use, which the driver settles once only.
  [[nodiscard]] DeviceNode& node() const;
  void use(Use use);
  void open_ring();
  [[nodiscard]] uint32_t head() const;
  bool wait(int64_t timeout_ns);
  template <typename Entry, typename Make>
  unsigned queue(std::span<const Entry> entries, Make make);
  unsigned give(unsigned count);
  void release(uint32_t begin, uint32_t end);
  void take(std::span<sluice_completion> completions, uint64_t start_ns) const;
  [[noreturn]] void refuse(const uapi::sluice_transfer& transfer, int error);
  void place_on_card(uapi::sluice_transfer& transfer, uint64_t card_offset);
  [[noreturn]] void refuse_length(uint64_t bytes) const;

  static constexpr uint32_t kEntries = SLUICE_QUEUE_DEPTH;

  DeviceBoard& board_;
  std::string path_;
  std::string name_;
  mutable std::unique_ptr<DeviceNode> node_;
  mutable std::optional<sluice_channel_info> info_;  // once it was asked for
  Use use_ = Use::nothing;
  std::unique_ptr<DeviceCapture> capture_;

  Mapping ring_;
  Mapping tail_page_;
  uint32_t entry_bytes_ = 0;
  uint32_t entries_offset_ = 0;
  uint32_t submitted_ = 0;
  uint32_t settled_ = 0;
  uint32_t tail_ = 0;
  uint32_t first_submission_ = 0;                        // of those that are not reaped
  uint32_t last_submission_ = 0;                         // behind the last one
  bool told_when_ = false;                               // the driver has said the time of one
  std::array<Queued, kEntries> queued_{};                // by number modulo kEntries
  std::array<Submission, kEntries> submissions_{};       // by theirs
  std::array<uapi::sluice_transfer, kEntries> batch_{};  // of the submission being made
};

}  // namespace sluice
