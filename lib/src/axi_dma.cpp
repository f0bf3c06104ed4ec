// SPDX-License-Identifier: Apache-2.0
#include "axi_dma.hpp"

#include <sl_axi_dma.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "error.hpp"

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

// A reset waits for the bursts already issued, a few microseconds; this many reads of the
// register take longer than any memory system needs.
constexpr unsigned kResetReads = 10'000;

int error_of(uint32_t status) {
  if (status & SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK) return -EFAULT;
  if (status & SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK) return -EIO;
  // What remains is DMAIntErr. Lengths and alignments were checked before the start, so it
  // says that the packet was longer than the transfer.
  return -EMSGSIZE;
}

}  // namespace

AxiDmaChannel::AxiDmaChannel(AxiDmaEngine& engine, sluice_direction direction, uint32_t base,
                             unsigned interrupt)
    : engine_(engine), direction_(direction), base_(base), interrupt_(interrupt) {}

size_t AxiDmaChannel::room() const { return SLUICE_QUEUE_DEPTH - waiting_.size(); }

void AxiDmaChannel::submit(const Request& request) {
  ++*request.users;
  waiting_.push_back(request);
  if (!busy_) start_next();
}

void AxiDmaChannel::start_next() {
  Platform& platform = engine_.platform_;
  const Request& request = waiting_.front();
  const uint64_t begin_ns = platform.now_ns();
  if (!running_) {
    platform.write32(base_ + kControl, kRun | kInterruptEnables);
    running_ = true;
  }
  platform.write32(base_ + kAddressMsb, static_cast<uint32_t>(request.address >> 32));
  const uint64_t before_ns = platform.now_ns();
  platform.write32(base_ + kAddress, static_cast<uint32_t>(request.address));
  const uint64_t after_ns = platform.now_ns();

  // What is left of the start cost, when the last write has taken what the one before it took.
  const uint64_t spent_ns = after_ns - begin_ns + (after_ns - before_ns);
  if (spent_ns < engine_.start_cost_ns_) platform.sleep_ns(engine_.start_cost_ns_ - spent_ns);
  platform.write32(base_ + kLength, static_cast<uint32_t>(request.bytes));
  start_ns_ = begin_ns;
  busy_ = true;
}

void AxiDmaChannel::complete(int status, uint64_t bytes, uint64_t finish_ns) {
  const Request request = waiting_.front();
  waiting_.pop_front();
  --*request.users;
  sluice_completion completion{};
  completion.cookie = request.cookie;
  completion.bytes = bytes;
  completion.start_ns = std::exchange(busy_, false) ? start_ns_ : finish_ns;
  completion.finish_ns = finish_ns;
  completion.status = status;
  completion.end_of_packet = status == 0;
  done_.push_back(completion);
}

void AxiDmaChannel::cancel_all(uint64_t now_ns) {
  while (!waiting_.empty()) complete(-ECANCELED, 0, now_ns);
  running_ = false;
}

void AxiDmaChannel::service() {
  Platform& platform = engine_.platform_;
  if ((platform.interrupts() & expected_interrupt()) == 0) return;
  const uint64_t finish_ns = platform.interrupt_rise_ns(interrupt_);
  const uint32_t status = platform.read32(base_ + kStatus);
  if (status & kFailed) {
    complete(error_of(status), 0, finish_ns);
    // What the other channel has finished stays finished; only then is it reset too.
    (direction_ == SLUICE_MM2S ? engine_.s2mm_ : engine_.mm2s_).service();
    engine_.reset();
    return;
  }
  platform.write32(base_ + kStatus, kCompleted);
  uint64_t bytes = waiting_.front().bytes;
  if (direction_ == SLUICE_S2MM) {
    // Never believe a register beyond what was asked for.
    bytes = std::min<uint64_t>(bytes, platform.read32(base_ + kLength));
  }
  complete(0, bytes, finish_ns);
  if (!waiting_.empty()) start_next();
}

sluice_completion AxiDmaChannel::take_completion() {
  const sluice_completion completion = done_.front();
  done_.pop_front();
  return completion;
}

AxiDmaEngine::AxiDmaEngine(Platform& platform, std::string name, uint32_t base,
                           unsigned first_interrupt, uint32_t start_cost_ns)
    : platform_(platform),
      name_(std::move(name)),
      start_cost_ns_(start_cost_ns),
      mm2s_(*this, SLUICE_MM2S, base, first_interrupt),
      s2mm_(*this, SLUICE_S2MM, base + kS2mmBase, first_interrupt + 1) {}

void AxiDmaEngine::reset() {
  platform_.write32(mm2s_.base_ + kControl, kReset);
  for (unsigned i = 0; platform_.read32(mm2s_.base_ + kControl) & kReset; ++i) {
    if (i == kResetReads)
      throw Error(ETIMEDOUT, "the DMA engine of {} does not come out of reset", name_);
  }
  const uint64_t now_ns = platform_.now_ns();
  mm2s_.cancel_all(now_ns);
  s2mm_.cancel_all(now_ns);
}

}  // namespace sluice
