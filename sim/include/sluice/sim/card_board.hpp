// SPDX-License-Identifier: Apache-2.0
// CardBoard: a PCI Express card in a PC, whatever moves its data: host memory, the card's memory,
// and a CPU that reaches the card through its BARs; a GPU in another slot, if params have one.
// PcieBoard has the card's logic as RTL, TransactionCard as transactions.
//
// Stands where Board stands, with these differences. A register write is posted: it returns when
// the CPU has issued it, and arrives later; a read waits for its completion, and so for all writes
// before it. Interrupts are MSI-X messages: line n of interrupts() is vector n, and stays high from
// the message's arrival until acknowledge(). start() does what firmware and kernel do: BARs, bus
// master, MSI-X with its table.
// Time passes as in Board: it stands at edges of the card's clock. Deterministic. Not thread-safe;
// boards are independent of each other.
//
// Errors: BusError, when the card refuses an access of the CPU or does not answer, or the capture's
// file takes no more.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sluice/model/clock.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/model/pcie_gpu.hpp"
#include "sluice/model/pcie_link.hpp"
#include "sluice/model/tlp_capture.hpp"
#include "sluice/sim/control_port.hpp"

namespace sluice::sim {

class CardBoard {
 public:
  static constexpr unsigned kVectors = 32;
  /// Line of the GPU's copies, behind those of the card's vectors.
  static constexpr unsigned kGpuLine = kVectors;
  /// Offset of the MSI-X table in BAR 0, in every design of a card (PG195).
  static constexpr uint32_t kMsixTable = 0x8000;
  static constexpr uint16_t kBdf = 0x0100;  // 01:00.0

  // PCI Express's code of a payload or request of so many bytes, 128 to 4096: 128 is 0.
  static constexpr uint8_t size_code(uint32_t bytes) {
    return static_cast<uint8_t>(std::countr_zero(bytes) - 7);
  }

  virtual ~CardBoard() = default;
  CardBoard(const CardBoard&) = delete;
  CardBoard& operator=(const CardBoard&) = delete;

  uint32_t read32(uint32_t offset);
  void write32(uint32_t offset, uint32_t value, uint8_t enables = 0xf);

  // The CPU's own copies to and from the card's memory, through BAR 1: stores are combined and
  // posted, so that the last may arrive later; loads wait, one after the other. Throws
  // std::out_of_range if the range leaves that memory.
  void store_card(uint64_t address, std::span<const uint8_t> data);
  void load_card(uint64_t address, std::span<uint8_t> data);

  [[nodiscard]] uint64_t now_ps() const { return clock_.time_ps(cycle_); }
  [[nodiscard]] uint64_t cycles() const { return cycle_; }

  // Run to the first clock edge at or after time_ps.
  void run_until(uint64_t time_ps);
  // The same, but stop after the edge at which a line of mask is high.
  void run_until_interrupt(uint64_t mask, uint64_t time_ps);
  // A word at bus address `address` of host memory, a multiple of 4, and its value until it
  // changes.
  struct Watched {
    uint64_t address;
    uint32_t old;
  };
  // The same, but stop after the edge at which a word has changed too: a CPU that polls them.
  void run_until_change(std::span<const Watched> words, uint64_t mask, uint64_t time_ps);

  [[nodiscard]] uint64_t interrupts() const { return interrupts_; }
  // When the oldest message of that line that was not acknowledged arrived: of vector `line`, below
  // kVectors, or kGpuLine.
  [[nodiscard]] uint64_t interrupt_rise_ps(unsigned line) const { return rise_ps_.at(line); }
  void acknowledge(uint64_t mask) { interrupts_ &= ~mask; }

  [[nodiscard]] model::Memory& memory() { return link().root().memory(); }
  [[nodiscard]] model::Memory& card_memory() { return card_memory_; }
  // Memory of someone else on the bus, a file of `bytes` (a multiple of 4096) that can be mapped:
  // at which bus address. It is as fast as host memory. Throws std::invalid_argument: there is no
  // room; std::system_error: it cannot be mapped. drop(): nothing is under way there.
  uint64_t lend(int file, uint64_t bytes);
  void drop(uint64_t address);

  // What is at a bus address: of host memory, of the card's memory, of the GPU's, of what was lent.
  // Throws std::out_of_range if the range is in none.
  [[nodiscard]] uint8_t* bytes_at(uint64_t address, uint64_t bytes);

  // The GPU, or nullptr. copy_by_gpu(): one at a time; the line kGpuLine goes high at its end, and
  // gpu_status() says how its reads ended.
  [[nodiscard]] model::PcieGpu* gpu() { return gpu_.get(); }
  void copy_by_gpu(const model::PcieGpu::Copy& copy) { gpu_->copy(copy); }
  [[nodiscard]] model::Response gpu_status() const { return gpu_status_; }
  [[nodiscard]] const model::PcieParams& params() const { return params_; }

  [[nodiscard]] virtual model::PcieLink& link() = 0;
  // Nothing is under way on the link or in the card.
  [[nodiscard]] virtual bool idle() const = 0;

 protected:
  CardBoard(const model::PcieParams& params, double clock_mhz);

  // Of the derived class's constructor: once link() is there, and once the card can be reached.
  // start() throws std::invalid_argument as PcieGpu does.
  void capture(const std::string& file);
  void start();

  // Go on to a later edge, no later than `last_cycle`, at which something may have changed.
  virtual void step(uint64_t last_cycle) = 0;

  model::PcieParams params_;
  model::Memory card_memory_;
  model::Clock clock_;
  uint64_t cycle_ = 0;

 private:
  void advance(uint64_t time_ps);
  void take_interrupts();
  void raise(unsigned line, uint64_t time_ps);
  model::PcieLink::Loaded load(unsigned bar, uint64_t offset, uint32_t bytes, const char* what);
  void store(unsigned bar, uint64_t offset, std::span<const uint8_t> data);
  void spend(uint64_t ps) { run_until(now_ps() + ps); }

  std::optional<model::TlpCapture> capture_;
  uint64_t interrupts_ = 0;
  unsigned abandoned_ = 0;  // loads that were given up and may yet be answered
  std::array<uint64_t, kVectors + 1> rise_ps_{};
  std::unique_ptr<model::PcieGpu> gpu_;
  std::map<uint64_t, model::PciePeer*> lent_;  // by bus address
  model::Response gpu_status_ = model::Response::okay;
};

}  // namespace sluice::sim
