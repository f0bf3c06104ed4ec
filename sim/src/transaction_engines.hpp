// SPDX-License-Identifier: Apache-2.0
// What software sees of the engine of a lane on the transaction level: registers on one side,
// transfers of two directions on the other. One transfer a direction at a time.
//
// Registers that are not here, and what only RTL does, throw NotModelled.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sluice/model/port_master.hpp"

namespace sluice::sim {

inline constexpr unsigned kMm2s = 0;
inline constexpr unsigned kS2mm = 1;

class TransactionEngine {
 public:
  struct Outcome {
    model::Response response;
    uint64_t bytes;
    bool overrun;  // the packet was longer than the transfer
  };

  TransactionEngine(unsigned length_bits, unsigned unit_bytes)
      : length_bits_(length_bits), unit_bytes_(unit_bytes) {}
  virtual ~TransactionEngine() = default;

  // offset: in the lane. load() may change state; store() returns the directions whose transfers it
  // starts: kMm2s is bit 0, kS2mm bit 1.
  virtual uint32_t load(uint32_t offset) = 0;
  virtual unsigned store(uint32_t offset, uint32_t value) = 0;

  virtual void finish(unsigned direction, const Outcome& outcome) = 0;
  [[nodiscard]] virtual bool interrupt(unsigned direction) const = 0;

  [[nodiscard]] const model::PortTransfer& transfer(unsigned direction) const {
    return transfers_[direction];
  }
  [[nodiscard]] bool active(unsigned direction) const { return active_[direction]; }

  // Cycles of the logic: the write that starts a transfer to its first burst, its last beat or
  // response to the interrupt.
  [[nodiscard]] virtual unsigned start_cycles() const = 0;
  [[nodiscard]] virtual unsigned finish_cycles() const = 0;

 protected:
  // Throws NotModelled while the direction's transfer runs.
  void check_reset(unsigned direction) const;
  // Throws NotModelled for a transfer that is not in whole units of unit_bytes.
  void begin(unsigned direction, uint32_t bytes);

  std::array<model::PortTransfer, 2> transfers_{};
  std::array<bool, 2> active_{};
  unsigned length_bits_;
  unsigned unit_bytes_;
};

// sl_axi_dma in direct mode; two sl_msgdma, one a direction; sl_axi_cdma in simple mode, of whose
// two directions one interrupt tells, that of kS2mm. unit_bytes: what transfers and their addresses
// are multiples of.
std::unique_ptr<TransactionEngine> make_axi_dma(unsigned length_bits, unsigned unit_bytes);
std::unique_ptr<TransactionEngine> make_msgdma(unsigned length_bits, unsigned unit_bytes);
std::unique_ptr<TransactionEngine> make_cdma(unsigned length_bits, unsigned unit_bytes);

// Throws NotModelled for an access to a register.
[[noreturn]] void refuse_access(const char* access, uint32_t offset);

}  // namespace sluice::sim
