// SPDX-License-Identifier: Apache-2.0
#include "transaction_engines.hpp"

#include <f2s_stress.h>
#include <sl_axi_cdma.h>
#include <sl_axi_dma.h>
#include <sl_msgdma_csr.h>
#include <sl_msgdma_desc.h>
#include <sl_msgdma_resp.h>

#include <cstdio>
#include <string>
#include <utility>

#include "sluice/sim/transaction_board.hpp"

namespace sluice::sim {

void refuse_access(const char* access, uint32_t offset) {
  char text[96];
  std::snprintf(text, sizeof text, "%s of register 0x%05x: only the RTL level has it", access,
                offset);
  throw NotModelled(text);
}

void TransactionEngine::check_reset(unsigned direction) const {
  if (active_[direction])
    throw NotModelled("reset of a transfer that runs: only the RTL level does");
}

void TransactionEngine::begin(unsigned direction, uint32_t bytes) {
  model::PortTransfer& transfer = transfers_[direction];
  if ((bytes | transfer.address) % unit_bytes_ != 0) {
    const std::string unit = std::to_string(unit_bytes_);
    throw NotModelled("a transfer of " + std::to_string(bytes) + " bytes: transactions move " +
                      "multiples of " + unit + " bytes between multiples of " + unit +
                      "; only the RTL level does");
  }
  transfer.bytes = bytes & ((1U << length_bits_) - 1U);
  active_[direction] = true;
}

namespace {

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
void set_low(uint64_t& address, uint32_t value) { address = (address >> 32 << 32) | value; }
void set_high(uint64_t& address, uint32_t value) {
  address = (address & 0xffffffff) | uint64_t{value} << 32;
}

constexpr uint32_t kS2mmBase = SL_AXI_DMA_S2MM_DMACR_OFFSET;
constexpr uint32_t kControlWritable =
    SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
    SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK | SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_MASK;
constexpr uint32_t kInterruptFlags =
    SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK | SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK;

class AxiDma final : public TransactionEngine {
 public:
  AxiDma(unsigned length_bits, unsigned unit_bytes) : TransactionEngine(length_bits, unit_bytes) {
    reset();
  }

  uint32_t load(uint32_t offset) override {
    const unsigned direction = offset >= kS2mmBase ? kS2mm : kMm2s;
    switch (direction == kS2mm ? offset - kS2mmBase : offset) {
      case SL_AXI_DMA_MM2S_DMACR_OFFSET: return control_[direction];
      case SL_AXI_DMA_MM2S_DMASR_OFFSET: return status_[direction];
      case SL_AXI_DMA_MM2S_LENGTH_OFFSET: return low(transfers_[direction].bytes);
      default: refuse_access("read", offset);
    }
  }

  unsigned store(uint32_t offset, uint32_t value) override {
    const unsigned direction = offset >= kS2mmBase ? kS2mm : kMm2s;
    model::PortTransfer& transfer = transfers_[direction];
    switch (direction == kS2mm ? offset - kS2mmBase : offset) {
      case SL_AXI_DMA_MM2S_DMACR_OFFSET:
        if ((value & SL_AXI_DMA_MM2S_DMACR_RESET_MASK) != 0) {
          reset();
          break;
        }
        control_[direction] =
            (SL_AXI_DMA_MM2S_DMACR_DEFAULT & ~kControlWritable) | (value & kControlWritable);
        if ((value & SL_AXI_DMA_MM2S_DMACR_RS_MASK) != 0)
          status_[direction] &= ~SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
        else
          status_[direction] |= SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
        break;
      case SL_AXI_DMA_MM2S_DMASR_OFFSET: status_[direction] &= ~(value & kInterruptFlags); break;
      case SL_AXI_DMA_MM2S_SA_OFFSET: set_low(transfer.address, value); break;
      case SL_AXI_DMA_MM2S_SA_MSB_OFFSET: set_high(transfer.address, value); break;
      case SL_AXI_DMA_MM2S_LENGTH_OFFSET:
        if ((control_[direction] & SL_AXI_DMA_MM2S_DMACR_RS_MASK) == 0 || active_[direction] ||
            value == 0)
          break;
        begin(direction, value);
        status_[direction] &= ~SL_AXI_DMA_MM2S_DMASR_IDLE_MASK;
        return 1U << direction;
      default: refuse_access("write", offset);
    }
    return 0;
  }

  void finish(unsigned direction, const Outcome& outcome) override {
    active_[direction] = false;
    uint32_t error = 0;
    if (outcome.response == model::Response::slverr) error = SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK;
    if (outcome.response == model::Response::decerr) error = SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK;
    // S2MM: whatever the cause, as PG021 has it.
    if (outcome.overrun || (direction == kS2mm && error != 0))
      error |= SL_AXI_DMA_MM2S_DMASR_DMAINTERR_MASK;
    if (direction == kS2mm) transfers_[direction].bytes = outcome.bytes;
    if (error != 0) {
      status_[direction] |=
          error | SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK | SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
      control_[direction] &= ~SL_AXI_DMA_MM2S_DMACR_RS_MASK;
    } else {
      status_[direction] |= SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK | SL_AXI_DMA_MM2S_DMASR_IDLE_MASK;
    }
  }

  // The flags stand at the same bits in the status as their enables in the control register.
  [[nodiscard]] bool interrupt(unsigned direction) const override {
    return (status_[direction] & control_[direction] & kInterruptFlags) != 0;
  }

  [[nodiscard]] unsigned start_cycles() const override { return 4; }
  [[nodiscard]] unsigned finish_cycles() const override { return 7; }

 private:
  void reset() {
    for (const unsigned direction : {kMm2s, kS2mm}) {
      check_reset(direction);
      control_[direction] = SL_AXI_DMA_MM2S_DMACR_DEFAULT;
      status_[direction] = SL_AXI_DMA_MM2S_DMASR_DEFAULT;
      transfers_[direction] = {};
    }
  }

  std::array<uint32_t, 2> control_{};
  std::array<uint32_t, 2> status_{};
};

constexpr uint32_t kS2mmCsr = F2S_STRESS_F2S_S2MM_CSR_OFFSET;
constexpr uint32_t kDesc = F2S_STRESS_F2S_MM2S_DESC_OFFSET;
constexpr uint32_t kResp = F2S_STRESS_F2S_MM2S_RESP_OFFSET;

class Msgdma final : public TransactionEngine {
 public:
  using TransactionEngine::TransactionEngine;

  uint32_t load(uint32_t offset) override {
    const unsigned direction = offset >= kS2mmCsr ? kS2mm : kMm2s;
    Channel& channel = channels_[direction];
    switch (offset - (direction == kS2mm ? kS2mmCsr : 0)) {
      case SL_MSGDMA_CSR_STATUS_OFFSET:
        return (active_[direction] ? SL_MSGDMA_CSR_STATUS_BUSY_MASK : 0U) |
               SL_MSGDMA_CSR_STATUS_DESC_EMPTY_MASK |
               (channel.answered ? 0U : SL_MSGDMA_CSR_STATUS_RESP_EMPTY_MASK) |
               (channel.interrupt ? SL_MSGDMA_CSR_STATUS_IRQ_MASK : 0U);
      case SL_MSGDMA_CSR_CONTROL_OFFSET: return channel.control;
      case kResp + SL_MSGDMA_RESP_BYTES_OFFSET: return channel.answered ? channel.bytes : 0;
      case kResp + SL_MSGDMA_RESP_STATUS_OFFSET:
        return std::exchange(channel.answered, false) ? channel.errors : 0;
      default: refuse_access("read", offset);
    }
  }

  unsigned store(uint32_t offset, uint32_t value) override {
    const unsigned direction = offset >= kS2mmCsr ? kS2mm : kMm2s;
    Channel& channel = channels_[direction];
    uint64_t& address = transfers_[direction].address;
    switch (offset - (direction == kS2mm ? kS2mmCsr : 0)) {
      case SL_MSGDMA_CSR_STATUS_OFFSET:
        if ((value & SL_MSGDMA_CSR_STATUS_IRQ_MASK) != 0) channel.interrupt = false;
        break;
      case SL_MSGDMA_CSR_CONTROL_OFFSET:
        if ((value & SL_MSGDMA_CSR_CONTROL_RESET_MASK) != 0) {
          check_reset(direction);
          channel = {};
          transfers_[direction] = {};
        } else if ((value & ~SL_MSGDMA_CSR_CONTROL_IRQ_EN_MASK) != 0) {
          refuse_access("stop bits", offset);
        } else {
          channel.control = value;
        }
        break;
      case kDesc + SL_MSGDMA_DESC_READ_ADDR_LO_OFFSET:
        if (direction == kMm2s) set_low(address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_READ_ADDR_HI_OFFSET:
        if (direction == kMm2s) set_high(address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_WRITE_ADDR_LO_OFFSET:
        if (direction == kS2mm) set_low(address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_WRITE_ADDR_HI_OFFSET:
        if (direction == kS2mm) set_high(address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_LENGTH_OFFSET: channel.length = value; break;
      case kDesc + SL_MSGDMA_DESC_CONTROL_OFFSET:
        if ((value & SL_MSGDMA_DESC_CONTROL_GO_MASK) == 0) break;
        if (active_[direction] || channel.answered) refuse_access("a second descriptor", offset);
        channel.descriptor = value;
        begin(direction, channel.length);
        return 1U << direction;
      default: refuse_access("write", offset);
    }
    return 0;
  }

  void finish(unsigned direction, const Outcome& outcome) override {
    Channel& channel = channels_[direction];
    active_[direction] = false;
    channel.errors = 0;
    if (outcome.response == model::Response::slverr)
      channel.errors = SL_MSGDMA_RESP_STATUS_SLVERR_MASK;
    if (outcome.response == model::Response::decerr)
      channel.errors = SL_MSGDMA_RESP_STATUS_DECERR_MASK;
    if (channel.errors != 0)
      channel.errors |= direction == kMm2s ? SL_MSGDMA_RESP_STATUS_READ_FAILED_MASK
                                           : SL_MSGDMA_RESP_STATUS_WRITE_FAILED_MASK;
    else if (outcome.overrun && (channel.descriptor & SL_MSGDMA_DESC_CONTROL_END_ON_EOP_MASK) != 0)
      channel.errors = SL_MSGDMA_RESP_STATUS_EARLY_MASK;
    channel.bytes = low(outcome.bytes);
    channel.answered = true;
    const bool wanted = (channel.descriptor & SL_MSGDMA_DESC_CONTROL_COMPLETE_IRQ_MASK) != 0 ||
                        ((channel.descriptor >> SL_MSGDMA_DESC_CONTROL_ERROR_IRQ_SHIFT) &
                         channel.errors & 0xff) != 0;
    if (wanted && (channel.control & SL_MSGDMA_CSR_CONTROL_IRQ_EN_MASK) != 0)
      channel.interrupt = true;
  }

  [[nodiscard]] bool interrupt(unsigned direction) const override {
    return channels_[direction].interrupt;
  }

  [[nodiscard]] unsigned start_cycles() const override { return 4; }
  [[nodiscard]] unsigned finish_cycles() const override { return 7; }

 private:
  struct Channel {
    uint32_t control = 0;
    uint32_t length = 0;
    uint32_t descriptor = 0;  // its control word
    uint32_t bytes = 0;       // of the response
    uint32_t errors = 0;
    bool answered = false;
    bool interrupt = false;
  };
  std::array<Channel, 2> channels_{};
};

constexpr uint32_t kCdmaEnables =
    SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK | SL_AXI_CDMA_CDMACR_ERR_IRQEN_MASK;
constexpr uint32_t kCdmaFlags = SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK | SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK;

// A copy reads and writes at once; it is over when both are.
class Cdma final : public TransactionEngine {
 public:
  using TransactionEngine::TransactionEngine;

  uint32_t load(uint32_t offset) override {
    switch (offset) {
      case SL_AXI_CDMA_CDMACR_OFFSET: return control_;
      case SL_AXI_CDMA_CDMASR_OFFSET: return status_;
      case SL_AXI_CDMA_BTT_OFFSET: return low(transfers_[kMm2s].bytes);
      default: refuse_access("read", offset);
    }
  }

  unsigned store(uint32_t offset, uint32_t value) override {
    uint64_t& source = transfers_[kMm2s].address;
    uint64_t& destination = transfers_[kS2mm].address;
    switch (offset) {
      case SL_AXI_CDMA_CDMACR_OFFSET: set_control(value); break;
      case SL_AXI_CDMA_CDMASR_OFFSET: status_ &= ~(value & kCdmaFlags); break;
      case SL_AXI_CDMA_SA_OFFSET: set_low(source, value); break;
      case SL_AXI_CDMA_SA_MSB_OFFSET: set_high(source, value); break;
      case SL_AXI_CDMA_DA_OFFSET: set_low(destination, value); break;
      case SL_AXI_CDMA_DA_MSB_OFFSET: set_high(destination, value); break;
      case SL_AXI_CDMA_BTT_OFFSET: return start(value);
      default: refuse_access("write", offset);
    }
    return 0;
  }

  void finish(unsigned direction, const Outcome& outcome) override {
    active_[direction] = false;
    if (outcome.response == model::Response::slverr) errors_ |= SL_AXI_CDMA_CDMASR_DMASLVERR_MASK;
    if (outcome.response == model::Response::decerr) errors_ |= SL_AXI_CDMA_CDMASR_DMADECERR_MASK;
    if (active_[kMm2s] || active_[kS2mm]) return;
    status_ |= SL_AXI_CDMA_CDMASR_IDLE_MASK | errors_ |
               (errors_ != 0 ? SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK : SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
  }

  // The flags stand at the same bits in the status as their enables in the control register.
  [[nodiscard]] bool interrupt(unsigned direction) const override {
    return direction == kS2mm && (status_ & control_ & kCdmaFlags) != 0;
  }

  [[nodiscard]] unsigned start_cycles() const override { return 4; }
  [[nodiscard]] unsigned finish_cycles() const override { return 8; }

 private:
  void set_control(uint32_t value) {
    if ((value & SL_AXI_CDMA_CDMACR_SGMODE_MASK) != 0)
      refuse_access("scatter-gather mode", SL_AXI_CDMA_CDMACR_OFFSET);
    if ((value & SL_AXI_CDMA_CDMACR_RESET_MASK) == 0) {
      control_ = (SL_AXI_CDMA_CDMACR_DEFAULT & ~kCdmaEnables) | (value & kCdmaEnables);
      return;
    }
    for (const unsigned direction : {kMm2s, kS2mm}) check_reset(direction);
    control_ = SL_AXI_CDMA_CDMACR_DEFAULT;
    status_ = kReset;
    errors_ = 0;
    transfers_ = {};
  }

  // After an error nothing starts until a reset (PG034).
  unsigned start(uint32_t bytes) {
    if (active_[kMm2s] || active_[kS2mm] || bytes == 0 || errors_ != 0) return 0;
    for (const unsigned direction : {kMm2s, kS2mm}) begin(direction, bytes);
    status_ &= ~SL_AXI_CDMA_CDMASR_IDLE_MASK;
    return 1U << kMm2s | 1U << kS2mm;
  }

  static constexpr uint32_t kReset =
      SL_AXI_CDMA_CDMASR_DEFAULT | 1U << SL_AXI_CDMA_CDMASR_IRQTHRESHOLDSTS_SHIFT;

  uint32_t control_ = SL_AXI_CDMA_CDMACR_DEFAULT;
  uint32_t status_ = kReset;
  uint32_t errors_ = 0;
};

}  // namespace

std::unique_ptr<TransactionEngine> make_cdma(unsigned length_bits, unsigned unit_bytes) {
  return std::make_unique<Cdma>(length_bits, unit_bytes);
}

std::unique_ptr<TransactionEngine> make_axi_dma(unsigned length_bits, unsigned unit_bytes) {
  return std::make_unique<AxiDma>(length_bits, unit_bytes);
}

std::unique_ptr<TransactionEngine> make_msgdma(unsigned length_bits, unsigned unit_bytes) {
  return std::make_unique<Msgdma>(length_bits, unit_bytes);
}

}  // namespace sluice::sim
