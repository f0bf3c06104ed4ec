// SPDX-License-Identifier: Apache-2.0
#include "axi_dma_ring.hpp"

#include <sl_axi_dma.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace sluice {
namespace {

constexpr uint32_t kRun = SL_AXI_DMA_S2MM_DMACR_RS_MASK;
constexpr uint32_t kReset = SL_AXI_DMA_S2MM_DMACR_RESET_MASK;
constexpr uint32_t kInterruptEach = SL_AXI_DMA_S2MM_DMACR_IOC_IRQEN_MASK |
                                    SL_AXI_DMA_S2MM_DMACR_ERR_IRQEN_MASK |
                                    uint32_t{1} << SL_AXI_DMA_S2MM_DMACR_IRQTHRESHOLD_SHIFT;
constexpr uint32_t kCompleted = SL_AXI_DMA_S2MM_DMASR_IOC_IRQ_MASK;
constexpr uint32_t kFailed = SL_AXI_DMA_S2MM_DMASR_ERR_IRQ_MASK;

// STATUS of a descriptor (PG021, S2MM_STATUS), and the length in its CONTROL.
constexpr uint32_t kDone = 1U << 31;
constexpr uint32_t kErrors = 7U << 28;  // DMADecErr, DMASlvErr, DMAIntErr: done is set with them
constexpr uint32_t kEndOfPacket = 1U << 26;
constexpr uint32_t kBytesMask = (1U << 26) - 1;

int error_of(uint32_t status) {
  constexpr uint32_t kNothingThere =
      SL_AXI_DMA_S2MM_DMASR_DMADECERR_MASK | SL_AXI_DMA_S2MM_DMASR_SGDECERR_MASK;
  return (status & kNothingThere) != 0 ? -EFAULT : -EIO;
}

}  // namespace

AxiDmaRing::AxiDmaRing(Platform& platform, const AxiDmaRingSettings& settings,
                       const SharedMemory& memory)
    : DmaChannel(platform, settings.interrupt, settings.start_cost_ns),
      settings_(settings),
      memory_(memory) {
  watch_oldest();
}

void AxiDmaRing::watch_oldest() {
  const uint64_t offset = oldest_ * uint64_t{kDescriptorBytes} + offsetof(Descriptor, status);
  oldest_status_ = {.address = memory_.address + offset,
                    .data = reinterpret_cast<const volatile uint32_t*>(memory_.data + offset),
                    .seen = 0};
}

void AxiDmaRing::describe(const SharedMemory& ring, uint32_t place, uint32_t places,
                          uint64_t address, uint64_t bytes) {
  Descriptor descriptor{};
  descriptor.next = ring.address + (place + 1) % places * uint64_t{kDescriptorBytes};
  descriptor.address = address;
  descriptor.control = low(bytes);
  std::memcpy(ring.data + place * uint64_t{kDescriptorBytes}, &descriptor, sizeof descriptor);
}

// The tail may be written only while the channel runs, the current descriptor only before.
void AxiDmaRing::run(uint64_t first, uint64_t last, uint32_t mode) {
  if (!running_) {
    write(settings_.base + SL_AXI_DMA_S2MM_CURDESC_MSB_OFFSET, high(first));
    write(settings_.base + SL_AXI_DMA_S2MM_CURDESC_OFFSET, low(first));
    write(settings_.base + SL_AXI_DMA_S2MM_DMACR_OFFSET, kRun | kInterruptEach | mode);
    running_ = true;
  }
  // An engine of 32 address bits begins with the lower half, one of more with the upper.
  write(settings_.base + SL_AXI_DMA_S2MM_TAILDESC_OFFSET, low(last));
  write(settings_.base + SL_AXI_DMA_S2MM_TAILDESC_MSB_OFFSET, high(last));
}

void AxiDmaRing::flush() {
  const size_t count = waiting();
  if (count == 0) return;
  const uint64_t begin_ns = platform_.now_ns();
  const uint32_t first = next_;
  for (size_t i = 0; i < count; ++i, next_ = (next_ + 1) % SLUICE_QUEUE_DEPTH) {
    const Request& entry = request(started() + i);
    describe(memory_, next_, SLUICE_QUEUE_DEPTH, entry.address, entry.bytes);
  }
  const uint32_t last = (next_ + SLUICE_QUEUE_DEPTH - 1) % SLUICE_QUEUE_DEPTH;
  spend_start_cost(begin_ns);
  run(memory_.address + first * uint64_t{kDescriptorBytes},
      memory_.address + last * uint64_t{kDescriptorBytes}, 0);
  for (size_t i = 0; i < count; ++i) begin(begin_ns);
}

bool AxiDmaRing::oldest_is_done() const {
  return (status_of(oldest_) & (kDone | kErrors)) == kDone;
}

uint32_t AxiDmaRing::status_of(uint32_t place) const {
  const uint64_t offset = place * uint64_t{kDescriptorBytes} + offsetof(Descriptor, status);
  return *reinterpret_cast<const volatile uint32_t*>(memory_.data + offset);
}

// Those that succeeded; the one that failed is fail()'s.
void AxiDmaRing::retire(uint64_t finish_ns) {
  while (started() != 0 && oldest_is_done()) {
    const uint32_t status = status_of(oldest_);
    platform_.order_after_memory_read();
    // Never believe a count beyond what was asked for.
    const uint64_t bytes = std::min<uint64_t>(status & kBytesMask, request(0).bytes);
    complete({0, bytes, (status & kEndOfPacket) != 0}, finish_ns);
    oldest_ = (oldest_ + 1) % SLUICE_QUEUE_DEPTH;
    finish_ns = platform_.now_ns();  // those behind it were seen with it
  }
  watch_oldest();
}

void AxiDmaRing::service() {
  if (stuck_ || (started() == 0 && !periodic_)) return;
  const uint64_t line = uint64_t{1} << interrupt_;
  const bool told = platform_.has_interrupts() && (platform_.interrupts() & line) != 0;
  // A transfer that is filled before its packet's end raises no interrupt, and where none are seen
  // no transfer does: its word in memory says it. Errors are in the register.
  if (!told && !periodic_ && oldest_is_done()) {
    retire(platform_.now_ns());
    return;
  }
  if (!told && platform_.has_interrupts()) return;
  const uint64_t rise_ns = platform_.interrupt_rise_ns(interrupt_);
  const uint32_t status = platform_.read32(settings_.base + SL_AXI_DMA_S2MM_DMASR_OFFSET);
  if ((status & kCompleted) != 0) write(settings_.base + SL_AXI_DMA_S2MM_DMASR_OFFSET, kCompleted);
  if (!periodic_) retire(rise_ns);
  if ((status & kFailed) != 0) fail(status, rise_ns);
}

void AxiDmaRing::fail(uint32_t status, uint64_t finish_ns) {
  reset_engine();  // what is queued stays the engine's where this throws
  if (started() != 0) complete({error_of(status), 0, false}, finish_ns);
  cancel_all();
}

void AxiDmaRing::reset() {
  reset_engine();
  cancel_all();
}

void AxiDmaRing::reset_engine() {
  const uint32_t control = settings_.base + SL_AXI_DMA_S2MM_DMACR_OFFSET;
  write(control, kReset);
  wait_clear(control, kReset, settings_.name);
  if (!periodic_) retire(platform_.now_ns());  // what ended before the reset has ended
  running_ = periodic_ = false;
  next_ = oldest_ = 0;
  watch_oldest();
}

void AxiDmaRing::start_periods(const SharedMemory& ring, uint64_t address, uint64_t bytes,
                               uint32_t periods) {
  if (running_) reset();
  for (uint32_t place = 0; place < periods; ++place)
    describe(ring, place, periods, address + place * bytes, bytes);
  periods_ = ring;
  // Any address that is not one of the ring's starts it (PG021).
  run(ring.address, ring.address + periods * uint64_t{kDescriptorBytes},
      SL_AXI_DMA_S2MM_DMACR_CYCLIC_MASK);
  periodic_ = true;
}

uint32_t AxiDmaRing::period_place() {
  const uint64_t address =
      platform_.read32(settings_.base + SL_AXI_DMA_S2MM_CURDESC_OFFSET) |
      uint64_t{platform_.read32(settings_.base + SL_AXI_DMA_S2MM_CURDESC_MSB_OFFSET)} << 32;
  return static_cast<uint32_t>((address - periods_.address) / kDescriptorBytes);
}

}  // namespace sluice
