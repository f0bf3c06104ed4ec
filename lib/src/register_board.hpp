// SPDX-License-Identifier: Apache-2.0
// A board whose registers and memory this process has in its hands: user-space drivers over a
// Platform, with no kernel in between.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "address_space.hpp"
#include "board.hpp"
#include "design_map.hpp"
#include "engine.hpp"
#include "memory_mapping.hpp"
#include "platform.hpp"
#include "register_buffer.hpp"
#include "register_windows.hpp"

namespace sluice {

class HwtUnit;

class RegisterBoard final : public sluice_board, private RawAccess {
 public:
  struct Identity {
    std::string board;
    std::string design;
    uint32_t clock_khz;
    uint32_t start_cost_ns;
    bool poll = false;  // completions, where the engine offers both
  };

  // The design is ready for its first register access.
  RegisterBoard(std::unique_ptr<Platform> platform, DesignMap design, Identity identity);
  // Resets the engines, unless they end with the platform.
  ~RegisterBoard() override;

  // Reset every engine. Throws Error(ETIMEDOUT) if a reset does not end.
  void reset();

  [[nodiscard]] sluice_board_info info() const override;
  [[nodiscard]] uint64_t now_ns() const override { return platform_->now_ns(); }
  void sleep_ns(uint64_t ns) override;
  uint64_t cpu_work(const sluice_cpu_work& work) override;
  [[nodiscard]] const std::vector<std::unique_ptr<sluice_channel>>& channels() const override {
    return channels_;
  }
  std::optional<size_t> wait_any(std::span<sluice_channel* const> channels,
                                 int64_t timeout_ns) override;
  sluice_buffer& allocate(uint64_t bytes, const sluice_placement& placement) override;
  sluice_buffer& map_card(uint64_t offset, uint64_t bytes) override;
  sluice_buffer& import(int fd) override;
  void free(sluice_buffer& buffer) override;
  [[nodiscard]] std::vector<sluice_attribute_info> attributes() const override;
  uint64_t get_attribute(std::string_view name) override;
  void set_attribute(std::string_view name, uint64_t value) override;
  RawAccess& raw() override { return *this; }
  [[nodiscard]] uint64_t card_bytes() const override { return platform_->card_bytes(); }
  void write_card(uint64_t offset, std::span<const uint8_t> data) override;
  void read_card(uint64_t offset, std::span<uint8_t> data) override;
  sluice_hwt& open_hwt(unsigned number) override;
  void close_hwt(sluice_hwt& hwt) override;
  std::optional<sluice_hwt_fault> next_fault(int64_t timeout_ns) override;

 private:
  using Buffer = RegisterBuffer;
  using Place = RegisterBuffer::Place;
  class Channel;

  uint32_t read_register(uint32_t offset) override { return platform_->read32(offset); }
  void write_register(uint32_t offset, uint32_t value, uint8_t enables) override;
  [[nodiscard]] uint64_t interrupts() const override;
  uint64_t wait_interrupt(uint64_t mask, uint64_t timeout_ns) override;
  int interrupt_descriptor(uint64_t mask) override;
  [[nodiscard]] uint64_t bus_address(const sluice_buffer& buffer) const override;
  int memory_descriptor(uint64_t* first, uint64_t* bytes) override;
  void* map_memory(void* at, uint64_t address, uint64_t bytes) override;
  void* map_registers(void* at, uint32_t offset, uint64_t bytes) override {
    return windows_.map(at, offset, static_cast<size_t>(bytes));
  }

  // Error(ENOTSUP) unless the program sees interrupt lines.
  void require_interrupts() const;
  [[nodiscard]] HwtUnit& hwts() const;
  [[nodiscard]] std::optional<size_t> find_counter(std::string_view name) const;
  [[nodiscard]] const Attribute& find_attribute(std::string_view name) const;
  std::unique_ptr<Engine> make_engine(const EngineEntry& entry);
  void add_gpu(PlatformGpu& gpu);
  // Memory that engines and this library share, zeroed, and its return, at the latest as the board
  // is closed.
  SharedMemory allocate_shared(uint64_t bytes = SharedMemory::kBytes);
  void release_shared(const SharedMemory& memory);
  std::unique_ptr<Capture> make_capture(const EngineEntry& entry, Engine& engine);
  // Let every channel that has finished something go on.
  void service();
  // Until an engine may have finished something, of these channels' or another's.
  void wait_for_engines(std::span<sluice_channel* const> channels, uint64_t deadline_ns);
  // The time, or before it that at which a channel wants to be looked at.
  [[nodiscard]] uint64_t next_look_ns(uint64_t deadline_ns) const;
  // Lines of the channels that have a transfer in their engine.
  [[nodiscard]] uint64_t expected_interrupts() const;

  std::unique_ptr<Platform> platform_;
  DesignMap design_;
  Identity identity_;
  // A memory that buffers are allocated in.
  struct Heap {
    explicit Heap(const Window& of) : memory(of), addresses(of.first, of.bytes, of.page_bytes) {}
    Window memory;
    AddressSpace addresses;
  };
  // Of a Place; nullopt: the board has no such memory, or it is not for allocation.
  std::optional<Heap>& heap(Place place) { return heaps_[static_cast<size_t>(place)]; }
  std::array<std::optional<Heap>, static_cast<size_t>(Place::lent)> heaps_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::unique_ptr<sluice_channel>> channels_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<HwtUnit> hwts_;  // of a design that has hardware threads
  std::vector<MemoryMapping> mappings_;
  RegisterWindows windows_{*this};
};

}  // namespace sluice
