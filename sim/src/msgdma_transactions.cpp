// SPDX-License-Identifier: Apache-2.0
// Two sl_msgdma on the transaction level, one a direction, of one descriptor at a time.
#include <f2s_stress.h>
#include <sl_msgdma_csr.h>
#include <sl_msgdma_desc.h>
#include <sl_msgdma_resp.h>

#include <array>
#include <memory>
#include <utility>

#include "sluice/sim/transaction_board.hpp"
#include "transaction_engine.hpp"
#include "words.hpp"

namespace sluice::sim {
namespace {

// Cycles, measured on the RTL (tests/levels_test.cpp holds them):
constexpr unsigned kStart = 4;   // the write of GO to the first burst
constexpr unsigned kFinish = 7;  // the last beat or response to the interrupt

constexpr uint32_t kS2mmCsr = F2S_STRESS_F2S_S2MM_CSR_OFFSET;
constexpr uint32_t kDesc = F2S_STRESS_F2S_MM2S_DESC_OFFSET;
constexpr uint32_t kResp = F2S_STRESS_F2S_MM2S_RESP_OFFSET;

class Msgdma final : public TransactionEngine {
 public:
  Msgdma(model::Master& master, const EngineParams& params)
      : master_(master), length_bits_(params.length_bits), unit_bytes_(params.unit_bytes) {}

  uint32_t load(uint32_t offset, uint64_t /*cycle*/) override {
    Channel& channel = channels_[offset >= kS2mmCsr ? kS2mm : kMm2s];
    switch (offset >= kS2mmCsr ? offset - kS2mmCsr : offset) {
      case SL_MSGDMA_CSR_STATUS_OFFSET:
        return (channel.active ? SL_MSGDMA_CSR_STATUS_BUSY_MASK : 0U) |
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

  void store(uint32_t offset, uint32_t value, uint64_t cycle) override {
    const unsigned direction = offset >= kS2mmCsr ? kS2mm : kMm2s;
    Channel& channel = channels_[direction];
    switch (direction == kS2mm ? offset - kS2mmCsr : offset) {
      case SL_MSGDMA_CSR_STATUS_OFFSET:
        if ((value & SL_MSGDMA_CSR_STATUS_IRQ_MASK) != 0) channel.interrupt = false;
        break;
      case SL_MSGDMA_CSR_CONTROL_OFFSET:
        if ((value & SL_MSGDMA_CSR_CONTROL_RESET_MASK) != 0) {
          if (channel.active)
            throw NotModelled("reset of a transfer that runs: only the RTL level does");
          channel = {};
        } else if ((value & ~SL_MSGDMA_CSR_CONTROL_IRQ_EN_MASK) != 0) {
          refuse_access("stop bits", offset);
        } else {
          channel.control = value;
        }
        break;
      case kDesc + SL_MSGDMA_DESC_READ_ADDR_LO_OFFSET:
        if (direction == kMm2s) set_low(channel.address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_READ_ADDR_HI_OFFSET:
        if (direction == kMm2s) set_high(channel.address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_WRITE_ADDR_LO_OFFSET:
        if (direction == kS2mm) set_low(channel.address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_WRITE_ADDR_HI_OFFSET:
        if (direction == kS2mm) set_high(channel.address, value);
        break;
      case kDesc + SL_MSGDMA_DESC_LENGTH_OFFSET: channel.length = value; break;
      case kDesc + SL_MSGDMA_DESC_CONTROL_OFFSET:
        if ((value & SL_MSGDMA_DESC_CONTROL_GO_MASK) == 0) break;
        if (channel.active || channel.answered) refuse_access("a second descriptor", offset);
        check_units(channel.address, channel.length, unit_bytes_);
        channel.descriptor = value;
        channel.active = channel.starts = true;
        channel.cycle = cycle + kStart;
        break;
      default: refuse_access("write", offset);
    }
    update();
  }

  void before(uint64_t cycle) override {
    for (const unsigned direction : {kMm2s, kS2mm}) {
      Channel& channel = channels_[direction];
      if (!channel.starts || cycle < channel.cycle) continue;
      channel.starts = false;
      const uint32_t bytes = channel.length & low((uint64_t{1} << length_bits_) - 1U);
      if (direction == kS2mm)
        master_.start_write({channel.address, bytes});
      else
        master_.start_read({channel.address, bytes});
    }
    update();
  }

  void after(uint64_t cycle) override {
    for (const unsigned direction : {kMm2s, kS2mm}) {
      Channel& channel = channels_[direction];
      const uint64_t done = direction == kS2mm ? master_.writes_done() : master_.reads_done();
      if (channel.done_seen != done) {
        channel.done_seen = done;
        channel.ends = true;
        channel.cycle = cycle + kFinish;
      }
      if (!channel.ends || cycle < channel.cycle) continue;
      channel.ends = false;
      finish(channel, direction, direction == kS2mm ? master_.write_done() : master_.read_done());
    }
    update();
  }

  [[nodiscard]] bool busy() const override { return channels_[0].active || channels_[1].active; }
  [[nodiscard]] bool timed() const override {
    return channels_[0].starts || channels_[1].starts || channels_[0].ends || channels_[1].ends;
  }

 private:
  struct Channel {
    uint64_t address = 0;
    uint32_t control = 0;
    uint32_t length = 0;
    uint32_t descriptor = 0;  // its control word
    uint32_t bytes = 0;       // of the response
    uint32_t errors = 0;
    bool answered = false;
    bool interrupt = false;
    bool active = false;
    bool starts = false, ends = false;  // in the cycle
    uint64_t cycle = 0;
    uint64_t done_seen = 0;
  };

  void update() { set_state(timed(), channels_[kMm2s].interrupt, channels_[kS2mm].interrupt); }
  static void finish(Channel& channel, unsigned direction, const model::Master::Done& done) {
    channel.active = false;
    channel.errors = 0;
    if (done.response == model::Response::slverr)
      channel.errors = SL_MSGDMA_RESP_STATUS_SLVERR_MASK;
    if (done.response == model::Response::decerr)
      channel.errors = SL_MSGDMA_RESP_STATUS_DECERR_MASK;
    const bool overrun = direction == kS2mm && !done.ended_packet;
    if (channel.errors != 0)
      channel.errors |= direction == kMm2s ? SL_MSGDMA_RESP_STATUS_READ_FAILED_MASK
                                           : SL_MSGDMA_RESP_STATUS_WRITE_FAILED_MASK;
    else if (overrun && (channel.descriptor & SL_MSGDMA_DESC_CONTROL_END_ON_EOP_MASK) != 0)
      channel.errors = SL_MSGDMA_RESP_STATUS_EARLY_MASK;
    channel.bytes = low(done.bytes);
    channel.answered = true;
    const bool wanted = (channel.descriptor & SL_MSGDMA_DESC_CONTROL_COMPLETE_IRQ_MASK) != 0 ||
                        ((channel.descriptor >> SL_MSGDMA_DESC_CONTROL_ERROR_IRQ_SHIFT) &
                         channel.errors & 0xff) != 0;
    if (wanted && (channel.control & SL_MSGDMA_CSR_CONTROL_IRQ_EN_MASK) != 0)
      channel.interrupt = true;
  }

  model::Master& master_;
  unsigned length_bits_;
  unsigned unit_bytes_;
  std::array<Channel, 2> channels_{};
};

}  // namespace

std::unique_ptr<TransactionEngine> make_msgdma(model::Master& master, const EngineParams& params) {
  return std::make_unique<Msgdma>(master, params);
}

}  // namespace sluice::sim
