// SPDX-License-Identifier: Apache-2.0
#include "axi_dma.hpp"

#include <sl_axi_dma.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sluice {
namespace {

// Registers of one channel, from its base (PG021 lays both channels out alike).
constexpr uint32_t kControl = SL_AXI_DMA_MM2S_DMACR_OFFSET;
constexpr uint32_t kStatus = SL_AXI_DMA_MM2S_DMASR_OFFSET;
constexpr uint32_t kAddress = SL_AXI_DMA_MM2S_SA_OFFSET;
constexpr uint32_t kAddressMsb = SL_AXI_DMA_MM2S_SA_MSB_OFFSET;
constexpr uint32_t kLength = SL_AXI_DMA_MM2S_LENGTH_OFFSET;
constexpr uint32_t kS2mmBase = SL_AXI_DMA_S2MM_DMACR_OFFSET;
static_assert(SL_AXI_DMA_S2MM_DMASR_OFFSET - kS2mmBase == kStatus);
static_assert(SL_AXI_DMA_S2MM_DA_OFFSET - kS2mmBase == kAddress);
static_assert(SL_AXI_DMA_S2MM_DA_MSB_OFFSET - kS2mmBase == kAddressMsb);
static_assert(SL_AXI_DMA_S2MM_LENGTH_OFFSET - kS2mmBase == kLength);

constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK;
constexpr uint32_t kReset = SL_AXI_DMA_MM2S_DMACR_RESET_MASK;
constexpr uint32_t kInterruptEnables =
    SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK | SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK;
constexpr uint32_t kCompleted = SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK;
constexpr uint32_t kFailed = SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK;

int error_of(uint32_t status) {
  if (status & SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK) return -EFAULT;
  if (status & SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK) return -EIO;
  // What remains is DMAIntErr. Lengths and alignments were checked before the start, so it
  // says that the packet was longer than the transfer.
  return -EMSGSIZE;
}

}  // namespace

AxiDmaChannel::AxiDmaChannel(AxiDmaEngine& engine, Platform& platform, sluice_direction direction,
                             uint32_t base, unsigned interrupt, uint32_t start_cost_ns)
    : SerialChannel(platform, interrupt, start_cost_ns),
      engine_(engine),
      direction_(direction),
      base_(base) {}

void AxiDmaChannel::program(const Request& request) {
  if (!running_) {
    write(base_ + kControl, kRun | kInterruptEnables);
    running_ = true;
  }
  write(base_ + kAddressMsb, static_cast<uint32_t>(request.address >> 32));
  write(base_ + kAddress, static_cast<uint32_t>(request.address));
}

void AxiDmaChannel::go(const Request& request) {
  write(base_ + kLength, static_cast<uint32_t>(request.bytes));
}

bool AxiDmaChannel::signals() {
  return (platform_.read32(base_ + kStatus) & (kCompleted | kFailed)) != 0;
}

DmaChannel::Outcome AxiDmaChannel::collect(const Request& request) {
  const uint32_t status = platform_.read32(base_ + kStatus);
  if (status & kFailed) return {error_of(status), 0, false};
  platform_.write32(base_ + kStatus, kCompleted);
  uint64_t bytes = request.bytes;
  if (direction_ == SLUICE_S2MM) {
    // Never believe a register beyond what was asked for.
    bytes = std::min<uint64_t>(bytes, platform_.read32(base_ + kLength));
  }
  return {0, bytes, true};
}

void AxiDmaChannel::recover() {
  // What the other channel has finished stays finished; only then is it reset too.
  engine_.channel(direction_ == SLUICE_MM2S ? SLUICE_S2MM : SLUICE_MM2S).service();
  reset();
}

void AxiDmaChannel::reset() { engine_.reset(); }

AxiDmaEngine::AxiDmaEngine(Platform& platform, std::string name, uint32_t base,
                           unsigned first_interrupt, uint32_t start_cost_ns)
    : name_(std::move(name)),
      mm2s_(*this, platform, SLUICE_MM2S, base, first_interrupt, start_cost_ns),
      s2mm_(*this, platform, SLUICE_S2MM, base + kS2mmBase, first_interrupt + 1, start_cost_ns) {}

void AxiDmaEngine::reset() {
  s2mm_.stuck_ = true;
  mm2s_.write(mm2s_.base_ + kControl, kReset);
  mm2s_.wait_clear(mm2s_.base_ + kControl, kReset, name_);
  for (AxiDmaChannel* channel : {&mm2s_, &s2mm_}) {
    channel->cancel_all();
    channel->running_ = false;
  }
}

}  // namespace sluice
