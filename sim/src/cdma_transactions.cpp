// SPDX-License-Identifier: Apache-2.0
// sl_axi_cdma on the transaction level: in simple mode, and with a descriptor port by descriptors
// (rtl/dma/sl_axi_cdma.sv, sl_axi_cdma_sg.sv). A copy reads and writes at once; it is over when
// both are.
#include <sl_axi_cdma.h>
#include <sl_axi_cdma_bd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "coalescing.hpp"
#include "sluice/sim/transaction_board.hpp"
#include "transaction_engine.hpp"
#include "words.hpp"

namespace sluice::sim {
namespace {

// Cycles, measured on the RTL (tests/levels_test.cpp holds them):
constexpr unsigned kStart = 4;   // the write of BTT to the first burst
constexpr unsigned kFinish = 8;  // the last response to the interrupt
constexpr unsigned kStatus = 7;  // to the status of a descriptor's copy
constexpr uint32_t kMostInFlight = 8;

constexpr uint32_t kIoc = SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK;
constexpr uint32_t kDelayed = SL_AXI_CDMA_CDMASR_DLY_IRQ_MASK;
constexpr uint32_t kError = SL_AXI_CDMA_CDMASR_ERR_IRQ_MASK;
constexpr uint32_t kFlags = kIoc | kDelayed | kError;
constexpr uint32_t kScatterGather = SL_AXI_CDMA_CDMACR_SGMODE_MASK;
constexpr uint32_t kThreshold = SL_AXI_CDMA_CDMACR_IRQTHRESHOLD_MASK;
constexpr uint32_t kDelay = SL_AXI_CDMA_CDMACR_IRQDELAY_MASK;
constexpr uint32_t kSimpleWritable = kIoc | kError;
constexpr uint32_t kWritable =
    kSimpleWritable | kDelayed | kScatterGather | SL_AXI_CDMA_CDMACR_CYCLIC_MASK | kDelay;

uint32_t data_error(model::Response response) {
  switch (response) {
    case model::Response::okay: return 0;
    case model::Response::slverr: return SL_AXI_CDMA_CDMASR_DMASLVERR_MASK;
    default: return SL_AXI_CDMA_CDMASR_DMADECERR_MASK;
  }
}

uint32_t chain_error(Descriptor::Error error) {
  switch (error) {
    case Descriptor::Error::none: return 0;
    case Descriptor::Error::internal: return SL_AXI_CDMA_CDMASR_SGINTERR_MASK;
    case Descriptor::Error::slave: return SL_AXI_CDMA_CDMASR_SGSLVERR_MASK;
    default: return SL_AXI_CDMA_CDMASR_SGDECERR_MASK;
  }
}

uint32_t status_error(model::Response response) {
  switch (response) {
    case model::Response::okay: return 0;
    case model::Response::slverr: return SL_AXI_CDMA_BD_STATUS_SLVERR_MASK;
    default: return SL_AXI_CDMA_BD_STATUS_DECERR_MASK;
  }
}

class Cdma final : public TransactionEngine {
 public:
  Cdma(model::Master& master, const EngineParams& params)
      : master_(master),
        length_bits_(params.length_bits),
        unit_bytes_(params.unit_bytes),
        reads_seen_(master.reads_done()),
        writes_seen_(master.writes_done()) {
    if (params.descriptors) chain_.emplace(params.descriptors, params.client);
  }

  uint32_t load(uint32_t offset, uint64_t cycle) override;
  void store(uint32_t offset, uint32_t value, uint64_t cycle) override;
  void before(uint64_t cycle) override;
  void after(uint64_t cycle) override;

  [[nodiscard]] bool busy() const override { return !at_rest() || coalescing_.running(); }
  [[nodiscard]] bool timed() const override {
    return starts_ || resetting_ || halting_ || !ending_.empty() || coalescing_.running() ||
           (chain_ && (chain_->at_work() || chain_->waits()));
  }

 private:
  struct Ending {
    uint64_t cycle;
    model::Response response;
    uint64_t bytes;
  };
  struct WriteBack {
    uint64_t address;
    bool failed;
  };

  // Nothing is in work: CDMASR.Idle.
  [[nodiscard]] bool at_rest() const {
    return !active_ && flight_.empty() && writing_.empty() && !resetting_ && !halting_ &&
           (!chain_ || (chain_->idle() && (!chain_->waits() || errors_ != 0) &&
                        (!chaining_ || chain_->at_tail() || errors_ != 0)));
  }
  void set_control(uint32_t value);
  void start_simple(uint32_t bytes, uint64_t cycle);
  void set_tail(uint32_t value, uint64_t cycle);
  void copy(uint64_t source, uint64_t destination, uint64_t bytes);
  void issue(uint64_t cycle);
  void end(const Ending& ended, uint64_t cycle);
  void written(model::Response response, uint64_t cycle);
  void fail(uint32_t errors, bool tell);
  void step_halt();
  void reset();
  void update() {
    const bool awake = chain_ || starts_ || !ending_.empty() || halting_ || resetting_;
    set_state(awake, false, (flags_ & enables_ & kFlags) != 0);
  }

  model::Master& master_;
  unsigned length_bits_;
  unsigned unit_bytes_;
  uint64_t reads_seen_, writes_seen_;

  uint32_t enables_ = 0;  // writable bits of CDMACR
  uint32_t flags_ = 0;
  uint32_t errors_ = 0;
  uint32_t source_ = 0, destination_ = 0, bytes_ = 0;
  uint64_t current_ = 0, tail_ = 0;

  bool active_ = false;  // a copy of simple mode
  bool starts_ = false;  // it waits for start_at_
  uint64_t start_at_ = 0;
  model::Ring<model::Master::Done> reads_{64};  // done, whose writes are not
  model::Ring<Ending> ending_{64};

  std::optional<DescriptorChain> chain_;
  bool chaining_ = false;  // a chain has begun since SGMode was 0
  Coalescing coalescing_;
  model::Ring<uint64_t> flight_{16};  // addresses of descriptors in work
  model::Ring<WriteBack> writing_{64};
  bool told_ = false;
  bool halting_ = false;  // after an error
  bool resetting_ = false;
};

uint32_t Cdma::load(uint32_t offset, uint64_t cycle) {
  switch (offset) {
    case SL_AXI_CDMA_CDMACR_OFFSET:
      return (SL_AXI_CDMA_CDMACR_DEFAULT & ~(kWritable | kThreshold)) | enables_ |
             (chain_ ? SL_AXI_CDMA_CDMACR_TAILPNTREN_MASK : 0U) |
             (resetting_ ? SL_AXI_CDMA_CDMACR_RESET_MASK : 0U) |
             coalescing_.threshold() << SL_AXI_CDMA_CDMACR_IRQTHRESHOLD_SHIFT;
    case SL_AXI_CDMA_CDMASR_OFFSET:
      return (at_rest() ? SL_AXI_CDMA_CDMASR_IDLE_MASK : 0U) |
             (chain_ ? SL_AXI_CDMA_CDMASR_SGINCLD_MASK : 0U) | errors_ | flags_ |
             coalescing_.left() << SL_AXI_CDMA_CDMASR_IRQTHRESHOLDSTS_SHIFT |
             coalescing_.ticks_passed(cycle) << SL_AXI_CDMA_CDMASR_IRQDELAYSTS_SHIFT;
    case SL_AXI_CDMA_CURDESC_OFFSET: return low(current_);
    case SL_AXI_CDMA_TAILDESC_OFFSET: return low(tail_);
    case SL_AXI_CDMA_SA_OFFSET: return source_;
    case SL_AXI_CDMA_DA_OFFSET: return destination_;
    case SL_AXI_CDMA_BTT_OFFSET: return bytes_;
    case SL_AXI_CDMA_CURDESC_MSB_OFFSET:
    case SL_AXI_CDMA_TAILDESC_MSB_OFFSET:
    case SL_AXI_CDMA_SA_MSB_OFFSET:
    case SL_AXI_CDMA_DA_MSB_OFFSET: return 0;
    default: refuse_access("read", offset);
  }
}

void Cdma::store(uint32_t offset, uint32_t value, uint64_t cycle) {
  if (resetting_) return;
  switch (offset) {
    case SL_AXI_CDMA_CDMACR_OFFSET: set_control(value); break;
    case SL_AXI_CDMA_CDMASR_OFFSET: flags_ &= ~(value & kFlags); break;
    case SL_AXI_CDMA_CURDESC_OFFSET:
      if (chain_ && at_rest()) current_ = value & SL_AXI_CDMA_CURDESC_VALUE_MASK;
      break;
    case SL_AXI_CDMA_TAILDESC_OFFSET: set_tail(value, cycle); break;
    case SL_AXI_CDMA_SA_OFFSET: source_ = value; break;
    case SL_AXI_CDMA_DA_OFFSET: destination_ = value; break;
    case SL_AXI_CDMA_BTT_OFFSET: start_simple(value, cycle); break;
    // Addresses have 32 bits.
    case SL_AXI_CDMA_CURDESC_MSB_OFFSET:
    case SL_AXI_CDMA_TAILDESC_MSB_OFFSET:
    case SL_AXI_CDMA_SA_MSB_OFFSET:
    case SL_AXI_CDMA_DA_MSB_OFFSET: break;
    default: refuse_access("write", offset);
  }
  update();
}

void Cdma::set_control(uint32_t value) {
  if ((value & SL_AXI_CDMA_CDMACR_RESET_MASK) != 0) {
    resetting_ = true;
    starts_ = false;
    if (chain_) chain_->abandon();
    step_halt();
    return;
  }
  enables_ = value & (chain_ ? kWritable : kSimpleWritable);
  if (!chain_) return;
  coalescing_.set_threshold((value & kThreshold) >> SL_AXI_CDMA_CDMACR_IRQTHRESHOLD_SHIFT);
  coalescing_.set_delay((value & kDelay) >> SL_AXI_CDMA_CDMACR_IRQDELAY_SHIFT);
  if ((value & kScatterGather) == 0 && at_rest()) {
    chaining_ = false;
    current_ = tail_ = 0;
    chain_->stop();
  }
}

// After an error nothing starts until a reset (PG034).
void Cdma::start_simple(uint32_t bytes, uint64_t cycle) {
  if (!at_rest()) return;
  bytes_ = bytes & ((1U << length_bits_) - 1U);
  if (bytes_ == 0 || errors_ != 0 || (enables_ & kScatterGather) != 0) return;
  check_units(source_ | destination_, bytes_, unit_bytes_);
  active_ = starts_ = true;
  start_at_ = cycle + kStart;
}

void Cdma::set_tail(uint32_t value, uint64_t cycle) {
  if (!chain_) return;
  tail_ = value & SL_AXI_CDMA_TAILDESC_VALUE_MASK;
  if ((enables_ & kScatterGather) == 0 || errors_ != 0) return;
  if (!chaining_) {
    if (!at_rest()) return;
    chaining_ = true;
    chain_->start(current_, (enables_ & SL_AXI_CDMA_CDMACR_CYCLIC_MASK) != 0);
  }
  chain_->set_tail(cycle, tail_, flight_.empty());
}

void Cdma::copy(uint64_t source, uint64_t destination, uint64_t bytes) {
  master_.start_read({source, bytes});
  master_.start_write({destination, bytes});
}

void Cdma::issue(uint64_t cycle) {
  const Descriptor* next = chain_->head(cycle);
  if (next == nullptr) return;
  if (next->error != Descriptor::Error::none) {
    if (!flight_.empty() || !chain_->writes_over()) return;
    current_ = next->address;
    const uint32_t error = chain_error(next->error);
    chain_->take();
    fail(error, true);
    return;
  }
  const uint32_t bytes = next->control & ((1U << length_bits_) - 1U);
  if (flight_.size() == kMostInFlight || !master_.read_room() || !master_.write_room()) return;
  if (bytes == 0) throw NotModelled("a copy of 0 bytes: only the RTL level fails it");
  check_units(next->a0 | next->a1, bytes, unit_bytes_);
  copy(next->a0, next->a1, bytes);
  if (flight_.empty()) current_ = next->address;
  flight_.push(next->address);
  chain_->take();
}

void Cdma::end(const Ending& ended, uint64_t cycle) {
  if (active_) {
    active_ = false;
    if (ended.response != model::Response::okay)
      fail(data_error(ended.response), true);
    else
      flags_ |= kIoc;
    return;
  }
  const uint64_t address = flight_.front();
  flight_.pop();
  const uint32_t error = status_error(ended.response);
  chain_->write_back(cycle, address,
                     SL_AXI_CDMA_BD_STATUS_COMPLETE_MASK | low(ended.bytes) | error);
  writing_.push({address, error != 0});
  if (error != 0) {
    current_ = address;
    fail(data_error(ended.response), false);
  } else {
    current_ = flight_.empty() ? address : flight_.front();
  }
}

void Cdma::written(model::Response response, uint64_t cycle) {
  const WriteBack done = writing_.front();
  writing_.pop();
  const uint32_t error = chain_error(to_error(response));
  if (error != 0) current_ = done.address;
  if (error != 0 || done.failed)
    fail(error, true);
  else if (coalescing_.complete(cycle))
    flags_ |= kIoc;
}

// tell: by an interrupt, once.
void Cdma::fail(uint32_t errors, bool tell) {
  errors_ |= errors;
  halting_ = true;
  if (chain_) chain_->stop();
  if (!tell || told_) return;
  flags_ |= kError;
  told_ = true;
}

void Cdma::step_halt() {
  master_.halt_read();
  master_.halt_write();
  if (!master_.finished() || (chain_ && !chain_->idle()) || (!resetting_ && !writing_.empty()))
    return;
  halting_ = active_ = false;
  master_.empty_loop();
  while (!reads_.empty()) reads_.pop();
  while (!ending_.empty()) ending_.pop();
  while (!flight_.empty()) flight_.pop();
  if (resetting_) reset();
}

void Cdma::reset() {
  if (chain_) chain_->stop();
  resetting_ = chaining_ = told_ = false;
  enables_ = flags_ = errors_ = source_ = destination_ = bytes_ = 0;
  current_ = tail_ = 0;
  coalescing_.reset();
  while (!writing_.empty()) writing_.pop();
}

void Cdma::before(uint64_t cycle) {
  if (starts_ && cycle >= start_at_) {
    starts_ = false;
    copy(source_, destination_, bytes_);
  }
  if (chain_) {
    chain_->edge(cycle, flight_.empty());
    if (chain_->written()) written(*chain_->written(), cycle);
    if (errors_ == 0 && !resetting_) issue(cycle);
    if (!at_rest()) coalescing_.restart_delay(cycle);
    if (coalescing_.delayed(cycle)) flags_ |= kDelayed;
  }
  if (halting_ || resetting_) step_halt();
  update();
}

void Cdma::after(uint64_t cycle) {
  if (reads_seen_ != master_.reads_done()) {
    reads_seen_ = master_.reads_done();
    reads_.push(master_.read_done());
  }
  if (writes_seen_ != master_.writes_done()) {
    writes_seen_ = master_.writes_done();
    const model::Master::Done read = reads_.front(), write = master_.write_done();
    reads_.pop();
    ending_.push({cycle + (active_ ? kFinish : kStatus),
                  read.response != model::Response::okay ? read.response : write.response,
                  std::min(read.bytes, write.bytes)});
  }
  if (!ending_.empty() && ending_.front().cycle <= cycle) {
    const Ending ended = ending_.front();
    ending_.pop();
    end(ended, cycle);
  }
  update();
}

}  // namespace

std::unique_ptr<TransactionEngine> make_cdma(model::Master& master, const EngineParams& params) {
  return std::make_unique<Cdma>(master, params);
}

}  // namespace sluice::sim
