// SPDX-License-Identifier: Apache-2.0
// A board that the driver sluice.ko has: a folder of channels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "board.hpp"
#include "busy_poll.hpp"
#include "device_card.hpp"
#include "device_control.hpp"
#include "device_memory.hpp"

namespace sluice {

class DeviceBoard;

class DeviceBuffer final : public sluice_buffer {
 public:
  // `skip` bytes in front of what the program sees. `imported`: memory of another exporter.
  DeviceBuffer(DeviceBoard& board, size_t slot, SystemCalls& calls, int fd, uint64_t skip,
               uint64_t bytes, bool imported = false);

  [[nodiscard]] void* data() const override {
    return memory_.mapped() ? memory_.data() + skip_ : nullptr;
  }
  [[nodiscard]] bool busy() const override;
  void begin_access(unsigned access) override { memory_.begin_access(access); }
  void end_access(unsigned access) override { memory_.end_access(access); }

  [[nodiscard]] const DmaBuf& memory() const { return memory_; }
  [[nodiscard]] size_t slot() const { return slot_; }
  [[nodiscard]] uint64_t skip() const { return skip_; }

  unsigned users = 0;     // transfers queued that use it
  bool captured = false;  // a capture writes to it

 private:
  DeviceBoard& device_;
  size_t slot_;
  uint64_t skip_;
  DmaBuf memory_;
};

class DeviceBoard final : public sluice_board {
 public:
  // `folder` has the nodes, `names` are theirs, `devices` has everything else.
  DeviceBoard(SystemCalls& calls, std::string name, const std::string& folder,
              const std::vector<std::string>& names, const std::string& devices, std::string heap,
              uint64_t busy_poll_ns = 0);

  [[nodiscard]] sluice_board_info info() const override;
  [[nodiscard]] uint64_t now_ns() const override { return calls_.now_ns(); }
  void sleep_ns(uint64_t ns) override { calls_.sleep_ns(ns); }
  uint64_t cpu_work(const sluice_cpu_work& work) override;
  [[nodiscard]] const std::vector<std::unique_ptr<sluice_channel>>& channels() const override {
    return channels_;
  }
  std::optional<size_t> wait_any(std::span<sluice_channel* const> channels,
                                 int64_t timeout_ns) override;
  sluice_buffer& allocate(uint64_t bytes, const sluice_placement& placement) override;
  sluice_buffer& import(int fd) override;
  sluice_buffer& map_card(uint64_t offset, uint64_t bytes) override;
  void free(sluice_buffer& buffer) override;
  [[nodiscard]] std::vector<sluice_attribute_info> attributes() const override;
  uint64_t get_attribute(std::string_view name) override;
  void set_attribute(std::string_view name, uint64_t value) override;
  [[nodiscard]] uint64_t card_bytes() const override { return card_ ? card_->bytes() : 0; }
  void write_card(uint64_t offset, std::span<const uint8_t> data) override {
    card_->write(offset, data);
  }
  void read_card(uint64_t offset, std::span<uint8_t> data) override { card_->read(offset, data); }

  // The card's memory as a buffer, under a slot of its own. There is a card.
  static constexpr size_t kCardSlot = 0;
  [[nodiscard]] const DmaBuf& card_memory() const { return card_->memory(); }
  [[nodiscard]] SystemCalls& calls() const { return calls_; }
  // What a wait for completions does before it sleeps.
  [[nodiscard]] const BusyPoll& busy_poll() const { return busy_poll_; }
  // Learn which transfers are over.
  void settle() const;

 private:
  [[nodiscard]] DeviceControl& control() const;
  size_t free_slot();
  int allocate_pages(uint64_t bytes);
  int allocate_coherent(uint64_t bytes);

  SystemCalls& calls_;
  BusyPoll busy_poll_;
  std::string name_;
  std::unique_ptr<DeviceControl> control_;  // of a board that has one
  bool coherent_;                           // in place of a heap
  Heap heap_;
  std::unique_ptr<DeviceCard> card_;                    // of a board that has one
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;  // by slot; some are empty, the card's too
  std::vector<std::unique_ptr<sluice_channel>> channels_;  // these go first: they use buffers
};

}  // namespace sluice
