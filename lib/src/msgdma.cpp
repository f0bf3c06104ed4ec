// SPDX-License-Identifier: Apache-2.0
#include "msgdma.hpp"

#include <f2s_stress.h>
#include <msgdma.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sluice {
namespace {

constexpr uint32_t kDesc = F2S_STRESS_F2S_MM2S_DESC_OFFSET - F2S_STRESS_F2S_MM2S_CSR_OFFSET;
constexpr uint32_t kResp = F2S_STRESS_F2S_MM2S_RESP_OFFSET - F2S_STRESS_F2S_MM2S_CSR_OFFSET;
static_assert(F2S_STRESS_F2S_S2MM_DESC_OFFSET - F2S_STRESS_F2S_S2MM_CSR_OFFSET == kDesc);
static_assert(F2S_STRESS_F2S_S2MM_RESP_OFFSET - F2S_STRESS_F2S_S2MM_CSR_OFFSET == kResp);
static_assert(MSGDMA_HP_DESC_OFFSET - MSGDMA_HP_CSR_OFFSET == kDesc);
static_assert(MSGDMA_HP_RESP_OFFSET - MSGDMA_HP_CSR_OFFSET == kResp);

constexpr uint32_t kErrors = SL_MSGDMA_RESP_STATUS_REFUSED_MASK |
                             SL_MSGDMA_RESP_STATUS_SLVERR_MASK | SL_MSGDMA_RESP_STATUS_DECERR_MASK |
                             SL_MSGDMA_RESP_STATUS_EARLY_MASK;
constexpr uint32_t kGo = SL_MSGDMA_DESC_CONTROL_GO_MASK | SL_MSGDMA_DESC_CONTROL_COMPLETE_IRQ_MASK |
                         SL_MSGDMA_DESC_CONTROL_ERROR_IRQ_MASK;

int error_of(uint32_t status) {
  if (status & SL_MSGDMA_RESP_STATUS_DECERR_MASK) return -EFAULT;
  if (status & SL_MSGDMA_RESP_STATUS_EARLY_MASK) return -EMSGSIZE;  // the packet was longer
  return -EIO;
}

}  // namespace

MsgdmaChannel::MsgdmaChannel(Platform& platform, std::string name, sluice_direction direction,
                             uint32_t base, unsigned interrupt, uint32_t start_cost_ns)
    : SerialChannel(platform, interrupt, start_cost_ns),
      name_(std::move(name)),
      direction_(direction),
      csr_(base),
      desc_(base + kDesc),
      resp_(base + kResp) {}

void MsgdmaChannel::program(const Request& request) {
  if (!running_) {
    write(csr_ + SL_MSGDMA_CSR_CONTROL_OFFSET, SL_MSGDMA_CSR_CONTROL_IRQ_EN_MASK);
    running_ = true;
  }
  if (direction_ != SLUICE_S2MM) {
    write(desc_ + SL_MSGDMA_DESC_READ_ADDR_HI_OFFSET, static_cast<uint32_t>(request.address >> 32));
    write(desc_ + SL_MSGDMA_DESC_READ_ADDR_LO_OFFSET, static_cast<uint32_t>(request.address));
  }
  if (direction_ != SLUICE_MM2S) {
    const uint64_t to = direction_ == SLUICE_COPY ? request.destination : request.address;
    write(desc_ + SL_MSGDMA_DESC_WRITE_ADDR_HI_OFFSET, static_cast<uint32_t>(to >> 32));
    write(desc_ + SL_MSGDMA_DESC_WRITE_ADDR_LO_OFFSET, static_cast<uint32_t>(to));
  }
  write(desc_ + SL_MSGDMA_DESC_LENGTH_OFFSET, static_cast<uint32_t>(request.bytes));
}

void MsgdmaChannel::go(const Request& /*request*/) {
  uint32_t control = kGo;
  if (direction_ == SLUICE_MM2S) control |= SL_MSGDMA_DESC_CONTROL_GEN_EOP_MASK;
  if (direction_ == SLUICE_S2MM)
    control |= SL_MSGDMA_DESC_CONTROL_END_ON_EOP_MASK | SL_MSGDMA_DESC_CONTROL_END_ON_LEN_MASK;
  write(desc_ + SL_MSGDMA_DESC_CONTROL_OFFSET, control);
}

bool MsgdmaChannel::signals() {
  return (platform_.read32(csr_ + SL_MSGDMA_CSR_STATUS_OFFSET) & SL_MSGDMA_CSR_STATUS_IRQ_MASK) !=
         0;
}

DmaChannel::Outcome MsgdmaChannel::collect(const Request& request) {
  platform_.write32(csr_ + SL_MSGDMA_CSR_STATUS_OFFSET, SL_MSGDMA_CSR_STATUS_IRQ_MASK);
  // Never believe a register beyond what was asked for.
  const uint64_t bytes =
      std::min<uint64_t>(request.bytes, platform_.read32(resp_ + SL_MSGDMA_RESP_BYTES_OFFSET));
  // This read takes the response away.
  const uint32_t status = platform_.read32(resp_ + SL_MSGDMA_RESP_STATUS_OFFSET);
  if (status & kErrors) return {error_of(status), 0, false};
  return {0, bytes, direction_ != SLUICE_COPY};
}

void MsgdmaChannel::reset() {
  write(csr_ + SL_MSGDMA_CSR_CONTROL_OFFSET, SL_MSGDMA_CSR_CONTROL_RESET_MASK);
  wait_clear(csr_ + SL_MSGDMA_CSR_STATUS_OFFSET, SL_MSGDMA_CSR_STATUS_RESETTING_MASK, name_);
  cancel_all();
  running_ = false;
}

}  // namespace sluice
