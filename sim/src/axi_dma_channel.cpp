// SPDX-License-Identifier: Apache-2.0
#include "axi_dma_channel.hpp"

#include <sl_axi_dma.h>
#include <sl_axi_dma_bd.h>

#include "words.hpp"

namespace sluice::sim {
namespace {

// Cycles, measured on the RTL (tests/levels_test.cpp holds them):
constexpr unsigned kStart = 4;   // the write of LENGTH to the first burst
constexpr unsigned kFinish = 7;  // the last beat or response to the interrupt
constexpr unsigned kStatus = 4;  // to the status of a descriptor's transfer
// Parameter StopTimeout of sl_axi_dma.
constexpr uint64_t kStopTimeout = 1 << 14;
constexpr uint32_t kMostInFlight = 32;

constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK;
constexpr uint32_t kCyclic = SL_AXI_DMA_MM2S_DMACR_CYCLIC_MASK;
constexpr uint32_t kIoc = SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK;
constexpr uint32_t kDelayed = SL_AXI_DMA_MM2S_DMASR_DLY_IRQ_MASK;
constexpr uint32_t kError = SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK;
constexpr uint32_t kFlags = kIoc | kDelayed | kError;
constexpr uint32_t kThreshold = SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_MASK;
constexpr uint32_t kDelay = SL_AXI_DMA_MM2S_DMACR_IRQDELAY_MASK;
constexpr uint32_t kDirectWritable = kIoc | kError;
constexpr uint32_t kWritable = kDirectWritable | kDelayed | kCyclic | kDelay;

uint32_t data_error(model::Response response) {
  switch (response) {
    case model::Response::okay: return 0;
    case model::Response::slverr: return SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK;
    default: return SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK;
  }
}

uint32_t chain_error(Descriptor::Error error) {
  switch (error) {
    case Descriptor::Error::none: return 0;
    case Descriptor::Error::internal: return SL_AXI_DMA_MM2S_DMASR_SGINTERR_MASK;
    case Descriptor::Error::slave: return SL_AXI_DMA_MM2S_DMASR_SGSLVERR_MASK;
    default: return SL_AXI_DMA_MM2S_DMASR_SGDECERR_MASK;
  }
}

uint32_t status_error(model::Response response) {
  switch (response) {
    case model::Response::okay: return 0;
    case model::Response::slverr: return SL_AXI_DMA_BD_STATUS_SLVERR_MASK;
    default: return SL_AXI_DMA_BD_STATUS_DECERR_MASK;
  }
}

}  // namespace

AxiDmaChannel::AxiDmaChannel(model::Master& master, const EngineParams& params, unsigned client,
                             bool to_memory)
    : master_(master),
      to_memory_(to_memory),
      length_bits_(params.length_bits),
      unit_bytes_(params.unit_bytes),
      done_seen_(to_memory ? master.writes_done() : master.reads_done()) {
  if (params.descriptors) chain_.emplace(params.descriptors, client);
}

// ------------------------------------------------------------------------------------- registers

uint32_t AxiDmaChannel::load(uint32_t offset, uint64_t cycle) const {
  const bool halted = state_ == State::halted && !runs();
  switch (offset) {
    case SL_AXI_DMA_MM2S_DMACR_OFFSET:
      return (SL_AXI_DMA_MM2S_DMACR_DEFAULT & ~(kWritable | kRun | kThreshold)) | enables_ |
             (run_ ? kRun : 0U) |
             coalescing_.threshold() << SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_SHIFT;
    case SL_AXI_DMA_MM2S_DMASR_OFFSET: {
      const bool chain_idle = chain_ && state_ == State::run && mode_ == Mode::descriptors &&
                              chain_->at_tail() && flight_.empty() && writing_.empty();
      const bool idle = mode_ == Mode::descriptors ? chain_idle && run_ : idle_ && !active_;
      return (halted ? SL_AXI_DMA_MM2S_DMASR_HALTED_MASK : 0U) |
             (idle && !halted ? SL_AXI_DMA_MM2S_DMASR_IDLE_MASK : 0U) |
             (chain_ ? SL_AXI_DMA_MM2S_DMASR_SGINCLD_MASK : 0U) | errors_ | flags_ |
             coalescing_.left() << SL_AXI_DMA_MM2S_DMASR_IRQTHRESHOLDSTS_SHIFT |
             coalescing_.ticks_passed(cycle) << SL_AXI_DMA_MM2S_DMASR_IRQDELAYSTS_SHIFT;
    }
    case SL_AXI_DMA_MM2S_CURDESC_OFFSET: return low(current_);
    case SL_AXI_DMA_MM2S_TAILDESC_OFFSET: return low(tail_);
    case SL_AXI_DMA_MM2S_SA_OFFSET: return low(address_);
    case SL_AXI_DMA_MM2S_CURDESC_MSB_OFFSET:
    case SL_AXI_DMA_MM2S_TAILDESC_MSB_OFFSET:
    case SL_AXI_DMA_MM2S_SA_MSB_OFFSET: return 0;
    case SL_AXI_DMA_MM2S_LENGTH_OFFSET: return length_;
    default: refuse_access("read", offset);
  }
}

void AxiDmaChannel::store(uint32_t offset, uint32_t value, uint64_t cycle) {
  switch (offset) {
    case SL_AXI_DMA_MM2S_DMACR_OFFSET: set_control(value); break;
    case SL_AXI_DMA_MM2S_DMASR_OFFSET: flags_ &= ~(value & kFlags); break;
    case SL_AXI_DMA_MM2S_CURDESC_OFFSET:
      if (chain_ && state_ == State::halted && errors_ == 0)
        current_ = value & SL_AXI_DMA_MM2S_CURDESC_VALUE_MASK;
      break;
    case SL_AXI_DMA_MM2S_TAILDESC_OFFSET:
      if (!chain_) break;
      tail_ = value & SL_AXI_DMA_MM2S_TAILDESC_VALUE_MASK;
      if (!runs() || mode_ == Mode::direct) break;
      mode_ = Mode::descriptors;
      chain_->set_tail(cycle, tail_, flight_.empty());
      break;
    case SL_AXI_DMA_MM2S_SA_OFFSET: address_ = value; break;
    // Addresses have 32 bits.
    case SL_AXI_DMA_MM2S_CURDESC_MSB_OFFSET:
    case SL_AXI_DMA_MM2S_TAILDESC_MSB_OFFSET:
    case SL_AXI_DMA_MM2S_SA_MSB_OFFSET: break;
    case SL_AXI_DMA_MM2S_LENGTH_OFFSET: start_direct(value, cycle); break;
    default: refuse_access("write", offset);
  }
}

void AxiDmaChannel::set_control(uint32_t value) {
  const bool was_running = run_;
  uint32_t writable = chain_ ? kWritable : kDirectWritable;
  if (state_ != State::halted) writable &= ~kCyclic;
  enables_ = (enables_ & ~writable) | (value & writable);
  if (chain_) {
    coalescing_.set_threshold((value & kThreshold) >> SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_SHIFT);
    coalescing_.set_delay((enables_ & kDelay) >> SL_AXI_DMA_MM2S_DMACR_IRQDELAY_SHIFT);
  }
  run_ = (value & kRun) != 0 && errors_ == 0;
  if (!runs() || was_running || state_ != State::halted) return;
  state_ = State::run;
  mode_ = Mode::none;
  idle_ = false;
  first_ = packet_begins_ = true;
  if (chain_) chain_->start(current_, (enables_ & kCyclic) != 0);
}

// ------------------------------------------------------------------------- direct register mode

void AxiDmaChannel::start_direct(uint32_t bytes, uint64_t cycle) {
  if (active_ || mode_ == Mode::descriptors) return;
  length_ = bytes & ((1U << length_bits_) - 1U);
  if (!runs() || length_ == 0) return;
  check_units(address_, length_, unit_bytes_);
  mode_ = Mode::direct;
  active_ = starts_ = true;
  idle_ = false;
  start_at_ = cycle + kStart;
}

void AxiDmaChannel::finish_direct(const model::Master::Done& done) {
  active_ = false;
  uint32_t errors = data_error(done.response);
  // S2MM: whatever the cause, as PG021 has it; a packet that is longer than the buffer, too.
  if (to_memory_ && (errors != 0 || !done.ended_packet))
    errors |= SL_AXI_DMA_MM2S_DMASR_DMAINTERR_MASK;
  if (to_memory_) length_ = low(done.bytes);
  if (errors != 0) {
    fail(errors, true);
  } else {
    flags_ |= kIoc;
    idle_ = true;
  }
}

void AxiDmaChannel::fail(uint32_t errors, bool tell) {
  errors_ |= errors;
  run_ = false;
  if (!tell || told_) return;
  flags_ |= kError;
  told_ = true;
}

// ----------------------------------------------------------------------------------- descriptors

void AxiDmaChannel::give_to_master(const model::PortTransfer& transfer) {
  if (to_memory_)
    master_.start_write(transfer);
  else
    master_.start_read(transfer);
}

// A descriptor waits for nothing but its cycle. The mover of S2MM takes a transfer with the last
// beat of the one before.
bool AxiDmaChannel::issue_due() const {
  return chain_ && state_ == State::run && runs() && mode_ == Mode::descriptors &&
         chain_->waits() && flight_.size() != kMostInFlight &&
         (to_memory_ ? !master_.write_open() : master_.read_room());
}

void AxiDmaChannel::issue(uint64_t cycle) {
  const Descriptor* next = chain_->head(cycle);
  if (next == nullptr) return;
  const uint32_t bytes = next->control & ((1U << length_bits_) - 1U);
  if (next->error != Descriptor::Error::none || bytes == 0) {
    if (flight_.empty()) refuse(*next, cycle);
    return;
  }
  check_units(next->a0, bytes, unit_bytes_);
  const bool ends_packet = (next->control & SL_AXI_DMA_BD_CONTROL_EOP_MASK) != 0;
  give_to_master({next->a0, bytes, ends_packet});
  if (!to_memory_) {
    if (packet_begins_) coalescing_.restart_delay(cycle);
    packet_begins_ = ends_packet;
  }
  if (flight_.empty()) current_ = next->address;
  flight_.push(next->address);
  chain_->take();
}

// The oldest descriptor cannot be executed, and all before it are done.
void AxiDmaChannel::refuse(const Descriptor& descriptor, uint64_t cycle) {
  if (descriptor.error == Descriptor::Error::none) {
    errors_ |= SL_AXI_DMA_MM2S_DMASR_DMAINTERR_MASK;
    chain_->write_back(cycle, descriptor.address,
                       SL_AXI_DMA_BD_STATUS_COMPLETE_MASK | SL_AXI_DMA_BD_STATUS_INTERR_MASK |
                           (to_memory_ && first_ ? SL_AXI_DMA_BD_STATUS_SOP_MASK : 0U));
    writing_.push({descriptor.address, 0, false, true});
    run_ = false;
  } else {
    if (!chain_->writes_over()) return;
    fail(chain_error(descriptor.error), true);
  }
  current_ = descriptor.address;
  chain_->take();
}

void AxiDmaChannel::status(const model::Master::Done& done, uint64_t cycle) {
  const uint64_t address = flight_.front();
  flight_.pop();
  const uint32_t error = status_error(done.response);
  const bool ends_packet = done.ended_packet;
  chain_->write_back(cycle, address,
                     SL_AXI_DMA_BD_STATUS_COMPLETE_MASK | low(done.bytes) | error |
                         (to_memory_ && first_ ? SL_AXI_DMA_BD_STATUS_SOP_MASK : 0U) |
                         (to_memory_ && ends_packet ? SL_AXI_DMA_BD_STATUS_EOP_MASK : 0U));
  writing_.push({address, done.bytes, ends_packet, error != 0});
  first_ = ends_packet;
  if (error != 0) {
    if (errors_ == 0) current_ = address;
    errors_ |= data_error(done.response);
    run_ = false;
  } else if (errors_ == 0) {
    current_ = flight_.empty() ? address : flight_.front();
  }
}

void AxiDmaChannel::written(model::Response response, uint64_t cycle) {
  const WriteBack done = writing_.front();
  writing_.pop();
  const uint32_t error = chain_error(to_error(response));
  if (error != 0) current_ = done.address;
  if (error != 0 || done.failed) {
    fail(error, true);
    return;
  }
  received_ = done.bytes;
  if ((done.ends_packet || (enables_ & kCyclic) != 0) && coalescing_.complete(cycle))
    flags_ |= kIoc;
}

// ------------------------------------------------------------------------------------------ edges

void AxiDmaChannel::before(uint64_t cycle) {
  received_ = 0;
  if (starts_ && cycle >= start_at_) {
    starts_ = false;
    give_to_master({address_, length_});
  }
  if (chain_) {
    chain_->edge(cycle, flight_.empty());
    if (chain_->written()) written(*chain_->written(), cycle);
    if (issue_due()) issue(cycle);
    if (coalescing_.delayed(cycle)) flags_ |= kDelayed;
  }
  step_state(cycle);
}

void AxiDmaChannel::after(uint64_t cycle) {
  const uint64_t done = to_memory_ ? master_.writes_done() : master_.reads_done();
  if (done != done_seen_) {
    done_seen_ = done;
    ending_.push({cycle + (mode_ == Mode::direct ? kFinish : kStatus),
                  to_memory_ ? master_.write_done() : master_.read_done()});
  }
  if (!ending_.empty() && ending_.front().cycle <= cycle) {
    const model::Master::Done ended = ending_.front().done;
    ending_.pop();
    if (mode_ == Mode::direct)
      finish_direct(ended);
    else
      status(ended, cycle);
  }
  if (to_memory_ && packets_seen_ != master_.packets_begun()) {
    packets_seen_ = master_.packets_begun();
    coalescing_.restart_delay(cycle);
  }
}

void AxiDmaChannel::step_state(uint64_t cycle) {
  const bool by_chain = mode_ == Mode::descriptors;
  const size_t in_flight = by_chain ? flight_.size() : active_ ? 1 : 0;
  switch (state_) {
    case State::halted: break;
    case State::run:
      if (runs()) break;
      state_ = State::stop;
      if (chain_) chain_->stop();
      still_since_ = cycle;
      moved_seen_ = moved();
      break;
    case State::stop: {
      if (moved_seen_ != moved()) {
        moved_seen_ = moved();
        still_since_ = cycle;
      }
      const bool unbegun = to_memory_ && in_flight == 1 && !starts_ && master_.write_open() &&
                           !master_.write_begun();
      const bool stalled =
          in_flight != 0 && (!to_memory_ || in_flight == 1) && cycle - still_since_ >= kStopTimeout;
      if (in_flight == 0 && (!chain_ || chain_->idle()) && ending_.empty())
        state_ = State::halted;
      else if ((to_memory_ && errors_ != 0) || unbegun || stalled)
        state_ = State::flush;
      break;
    }
    case State::flush:
      if (to_memory_)
        master_.halt_write();
      else
        master_.halt_read();
      if (working() || (chain_ && !chain_->idle())) break;
      while (!flight_.empty()) flight_.pop();
      while (!ending_.empty()) ending_.pop();
      active_ = starts_ = false;
      state_ = State::halted;
      break;
  }
}

bool AxiDmaChannel::busy() const {
  return active_ || !flight_.empty() || !writing_.empty() || coalescing_.running() ||
         (chain_ && (chain_->at_work() || (state_ == State::run && chain_->waits()))) ||
         (state_ == State::run && !runs()) || state_ == State::stop || state_ == State::flush ||
         working();
}

bool AxiDmaChannel::timed() const {
  return starts_ || !ending_.empty() || (chain_ && chain_->at_work()) || issue_due() ||
         coalescing_.running() || state_ == State::stop || state_ == State::flush;
}

// ------------------------------------------------------------------------------------------ reset

void AxiDmaChannel::quiesce() {
  run_ = starts_ = false;
  state_ = State::flush;
  if (chain_) chain_->abandon();
}

bool AxiDmaChannel::quiet() const { return !working() && (!chain_ || chain_->idle()); }

void AxiDmaChannel::reset() {
  if (chain_) chain_->stop();
  run_ = active_ = idle_ = starts_ = told_ = false;
  enables_ = flags_ = errors_ = length_ = 0;
  current_ = tail_ = address_ = 0;
  mode_ = Mode::none;
  state_ = State::halted;
  coalescing_.reset();
  while (!ending_.empty()) ending_.pop();
  while (!flight_.empty()) flight_.pop();
  while (!writing_.empty()) writing_.pop();
}

}  // namespace sluice::sim
