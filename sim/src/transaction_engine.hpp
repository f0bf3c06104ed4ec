// SPDX-License-Identifier: Apache-2.0
// What software sees of the engine of a lane on the transaction level: registers on one side, the
// lane's model::Master on the other.
//
// Registers that are not here, and what only RTL does, throw NotModelled. Times are cycles of the
// logic's clock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "descriptor_chain.hpp"
#include "sluice/model/port_master.hpp"

namespace sluice::sim {

inline constexpr unsigned kMm2s = 0;
inline constexpr unsigned kS2mm = 1;

class TransactionEngine {
 public:
  virtual ~TransactionEngine() = default;

  // offset: in the lane. load() may change state.
  virtual uint32_t load(uint32_t offset, uint64_t cycle) = 0;
  virtual void store(uint32_t offset, uint32_t value, uint64_t cycle) = 0;

  // An edge of the clock while busy(), before and after the master's own: while awake(), after()
  // also where the master has done a transfer.
  virtual void before(uint64_t cycle) = 0;
  virtual void after(uint64_t cycle) = 0;

  [[nodiscard]] bool awake() const { return awake_; }
  // The interrupts that are high: bit kMm2s, bit kS2mm.
  [[nodiscard]] uint32_t interrupts() const { return interrupts_; }
  // Something may happen at the next edge; it waits for a cycle, or for what is in a port.
  [[nodiscard]] virtual bool busy() const = 0;
  [[nodiscard]] virtual bool timed() const = 0;

  // A descriptor or transfer that writes to memory has ended at this edge, with so many bytes; 0:
  // none has.
  [[nodiscard]] virtual uint64_t received() const { return 0; }

 protected:
  // awake: it waits for something else than the master. After each store(), before() and after().
  void set_state(bool awake, bool mm2s, bool s2mm) {
    awake_ = awake;
    interrupts_ = (mm2s ? 1U << kMm2s : 0U) | (s2mm ? 1U << kS2mm : 0U);
  }

 private:
  bool awake_ = false;
  uint32_t interrupts_ = 0;
};

// What an engine is built with.
struct EngineParams {
  unsigned length_bits = 26;  // of its length registers
  unsigned unit_bytes = 8;    // what transfers and their addresses are multiples of
  // By which it reads descriptors, as so many clients from `client` on; without: none.
  std::shared_ptr<DescriptorPort> descriptors{};
  unsigned client = 1;
  bool reads = true;  // an AXI DMA has MM2S
};

// sl_axi_dma; two sl_msgdma, one a direction; sl_axi_cdma, of whose two directions one interrupt
// tells, that of kS2mm. The master must outlive the engine.
std::unique_ptr<TransactionEngine> make_axi_dma(model::Master& master, const EngineParams& params);
std::unique_ptr<TransactionEngine> make_msgdma(model::Master& master, const EngineParams& params);
std::unique_ptr<TransactionEngine> make_cdma(model::Master& master, const EngineParams& params);

// Throws NoRegister for an access to a register.
[[noreturn]] void refuse_access(const char* access, uint32_t offset);
// Throws NotModelled for a transfer that is not in whole units of unit_bytes.
void check_units(uint64_t address, uint64_t bytes, unsigned unit_bytes);

}  // namespace sluice::sim
