// SPDX-License-Identifier: Apache-2.0
#include "cdma.hpp"

#include <sl_axi_cdma.h>

#include <cerrno>

namespace sluice {
namespace {

constexpr uint32_t kInterruptEnables =
    SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK | SL_AXI_CDMA_CDMACR_ERR_IRQEN_MASK;

int error_of(uint32_t status) {
  if (status & SL_AXI_CDMA_CDMASR_DMADECERR_MASK) return -EFAULT;
  return -EIO;  // lengths and alignments were checked before the start
}

}  // namespace

void CdmaChannel::program(const Request& request) {
  if (!running_) {
    write(base_ + SL_AXI_CDMA_CDMACR_OFFSET, kInterruptEnables);
    running_ = true;
  }
  write(base_ + SL_AXI_CDMA_SA_MSB_OFFSET, static_cast<uint32_t>(request.address >> 32));
  write(base_ + SL_AXI_CDMA_SA_OFFSET, static_cast<uint32_t>(request.address));
  write(base_ + SL_AXI_CDMA_DA_MSB_OFFSET, static_cast<uint32_t>(request.destination >> 32));
  write(base_ + SL_AXI_CDMA_DA_OFFSET, static_cast<uint32_t>(request.destination));
}

void CdmaChannel::go(const Request& request) {
  write(base_ + SL_AXI_CDMA_BTT_OFFSET, static_cast<uint32_t>(request.bytes));
}

bool CdmaChannel::signals() {
  return (platform_.read32(base_ + SL_AXI_CDMA_CDMASR_OFFSET) &
          (SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK | SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK)) != 0;
}

DmaChannel::Outcome CdmaChannel::collect(const Request& request) {
  const uint32_t status = platform_.read32(base_ + SL_AXI_CDMA_CDMASR_OFFSET);
  if (status & SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK) return {error_of(status), 0, false};
  platform_.write32(base_ + SL_AXI_CDMA_CDMASR_OFFSET, SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
  return {0, request.bytes, false};
}

void CdmaChannel::reset() {
  write(base_ + SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_RESET_MASK);
  wait_clear(base_ + SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_RESET_MASK, name_);
  cancel_all();
  running_ = false;
}

}  // namespace sluice
