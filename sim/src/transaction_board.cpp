// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/transaction_board.hpp"

#include <cdma.h>
#include <f2s_stress.h>
#include <hp_stress.h>
#include <sl_design_page.h>
#include <sl_hp_lane.h>
#include <sl_stream_sink.h>
#include <sl_stream_source.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "sluice/model/cyclonev.hpp"
#include "sluice/model/zynq7000.hpp"
#include "transaction_engines.hpp"

namespace sluice::sim {
namespace {

// Cycles of the logic, measured on the RTL (tests/levels_test.cpp holds them):
constexpr unsigned kWriteCycles = 6;  // of an AXI4-Lite write, address to response
constexpr unsigned kWriteCyclesCdma = 4;
constexpr unsigned kReadCycles = 4;  // of a read

constexpr uint32_t kIdentityHp = 0x534c'4850;    // SLHP
constexpr uint32_t kIdentityF2s = 0x534c'4632;   // SLF2
constexpr uint32_t kIdentityCdma = 0x534c'4344;  // SLCD

// Lanes and page of cdma stand where those of hp_stress do.
static_assert(CDMA_HP_STRIDE == HP_STRESS_HP_STRIDE && CDMA_HP_CDMA_OFFSET == 0);

// The streams of a lane have the same registers at the same places in both designs.
static_assert(HP_STRESS_HP_STRIDE == F2S_STRESS_F2S_STRIDE);
static_assert(HP_STRESS_HP_SOURCE_OFFSET == F2S_STRESS_F2S_SOURCE_OFFSET);
static_assert(HP_STRESS_HP_SINK_OFFSET == F2S_STRESS_F2S_SINK_OFFSET);
static_assert(HP_STRESS_HP_CONTROL_OFFSET == F2S_STRESS_F2S_CONTROL_OFFSET);

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

// A value in the place of a field.
uint32_t field(uint32_t value, uint32_t mask) { return (value << std::countr_zero(mask)) & mask; }

[[noreturn]] void refuse_ports() {
  throw std::invalid_argument("the chip has no ports of the design's kind");
}

class ZynqTransactions final : public TransactionChip {
 public:
  ZynqTransactions(const model::Zynq7000Params& params, const TransactionDesign& design)
      : chip_(params), design_(design) {
    if (design.ports == TransactionDesign::Ports::f2s) refuse_ports();
  }

  void advance_to(uint64_t time_ps) override { chip_.advance_to(time_ps); }
  [[nodiscard]] model::Memory& memory() override { return chip_.memory(); }
  [[nodiscard]] ControlLatency control_latency() const override {
    const auto& gp = chip_.params().gp;
    return {.write_ps = gp.write_latency_ps, .read_ps = gp.read_latency_ps};
  }
  [[nodiscard]] std::unique_ptr<model::Master> make_master(unsigned lane) override {
    const unsigned client = lane % design_.lanes_per_port;
    if (client == 0) {
      share_ = std::make_shared<model::PortShare<model::AfiPort>>(
          port(lane / design_.lanes_per_port), design_.lanes_per_port);
    }
    return std::make_unique<model::HpMaster>(share_, client, design_.engine);
  }
  void start_cpu(const model::CpuProgram& program) override { chip_.start_cpu(program); }
  [[nodiscard]] const model::A9Core& cpu() const override { return chip_.cpu(); }

 private:
  [[nodiscard]] model::AfiPort& port(unsigned number) {
    switch (design_.ports) {
      case TransactionDesign::Ports::acp: return chip_.acp();
      case TransactionDesign::Ports::gp: return chip_.gp(number);
      default: return chip_.afi(number);
    }
  }

  model::Zynq7000 chip_;
  TransactionDesign design_;
  std::shared_ptr<model::PortShare<model::AfiPort>> share_;  // of the last port that was given
};

model::CycloneVParams with_ports(model::CycloneVParams params, const TransactionDesign& design) {
  if (design.ports != TransactionDesign::Ports::f2s) refuse_ports();
  params.port_bits.assign(design.lanes, design.engine.port_bits);
  return params;
}

class CycloneTransactions final : public TransactionChip {
 public:
  CycloneTransactions(const model::CycloneVParams& params, const TransactionDesign& design)
      : chip_(with_ports(params, design)), engine_(design.engine) {}

  void advance_to(uint64_t time_ps) override { chip_.advance_to(time_ps); }
  [[nodiscard]] model::Memory& memory() override { return chip_.memory(); }
  [[nodiscard]] ControlLatency control_latency() const override {
    const auto& gp = chip_.params().gp;
    return {.write_ps = gp.write_latency_ps, .read_ps = gp.read_latency_ps};
  }
  [[nodiscard]] std::unique_ptr<model::Master> make_master(unsigned lane) override {
    return std::make_unique<model::F2sMaster>(chip_.port(lane), engine_);
  }
  void start_cpu(const model::CpuProgram& /*program*/) override { refuse_cpu(); }
  [[nodiscard]] const model::A9Core& cpu() const override { refuse_cpu(); }

 private:
  [[noreturn]] static void refuse_cpu() {
    throw NotModelled("the accesses of a Cyclone V's processor are not modelled");
  }

  model::CycloneV chip_;
  model::MasterParams engine_;
};

std::unique_ptr<TransactionEngine> make_engine(const TransactionDesign& design,
                                               unsigned unit_bytes) {
  if (design.copies) return make_cdma(design.length_bits, unit_bytes);
  if (design.ports == TransactionDesign::Ports::f2s)
    return make_msgdma(design.length_bits, unit_bytes);
  return make_axi_dma(design.length_bits, unit_bytes);
}

uint32_t identity_of(const TransactionDesign& design) {
  if (design.copies) return kIdentityCdma;
  return design.ports == TransactionDesign::Ports::f2s ? kIdentityF2s : kIdentityHp;
}

uint32_t page_offset_of(const TransactionDesign& design) {
  if (design.copies) return CDMA_PAGE_OFFSET;
  return design.ports == TransactionDesign::Ports::f2s ? F2S_STRESS_PAGE_OFFSET
                                                       : design.lanes * HP_STRESS_HP_STRIDE;
}

std::unique_ptr<TransactionChip> make_transaction_chip(const ChipParams& params,
                                                       const TransactionDesign& design) {
  if (const auto* zynq = std::get_if<model::Zynq7000Params>(&params))
    return std::make_unique<ZynqTransactions>(*zynq, design);
  return std::make_unique<CycloneTransactions>(std::get<model::CycloneVParams>(params), design);
}

}  // namespace

TransactionBoard::TransactionBoard(const ChipParams& memory_system, const TransactionDesign& design,
                                   double clock_mhz)
    : chip_(make_transaction_chip(memory_system, design)),
      clock_(clock_mhz),
      design_(design),
      width_bits_(design.engine.stream_bits == 32 ? 32 : design.engine.port_bits),
      page_offset_(page_offset_of(design)),
      rise_ps_(2 * design.lanes),
      lanes_(design.lanes) {
  const unsigned unit_bytes = std::max(design.engine.port_bits / 8, 8U);
  for (unsigned number = 0; number < design.lanes; ++number) {
    Lane& lane = lanes_[number];
    lane.master = chip_->make_master(number);
    lane.master->source() = {.enabled = false};
    lane.master->sink() = {.enabled = false};
    lane.engine = make_engine(design, unit_bytes);
    lane.master->set_loopback(design.copies);
  }
}

TransactionBoard::~TransactionBoard() = default;

void TransactionBoard::finish(Lane& lane, unsigned direction) {
  const model::Master& master = *lane.master;
  lane.finishes[direction] = kNever;
  if (direction == kMm2s)
    lane.engine->finish(kMm2s, {master.read_response(), lane.engine->transfer(kMm2s).bytes, false});
  else
    lane.engine->finish(kS2mm, {master.write_response(), master.written_bytes(), master.overrun()});
}

void TransactionBoard::step(Lane& lane) {
  model::Master& master = *lane.master;
  if (cycle_ >= lane.starts[kMm2s]) {
    lane.starts[kMm2s] = kNever;
    master.start_read(lane.engine->transfer(kMm2s));
  }
  if (cycle_ >= lane.starts[kS2mm]) {
    lane.starts[kS2mm] = kNever;
    master.start_write(lane.engine->transfer(kS2mm));
  }
  const bool reading = master.reading();
  const bool writing = master.writing();
  master.pl_edge();
  if (reading && !master.reading()) lane.finishes[kMm2s] = cycle_ + lane.engine->finish_cycles();
  if (writing && !master.writing()) lane.finishes[kS2mm] = cycle_ + lane.engine->finish_cycles();
  bool finished = false;
  for (const unsigned direction : {kMm2s, kS2mm}) {
    if (cycle_ < lane.finishes[direction]) continue;
    finish(lane, direction);
    finished = true;
  }
  if (finished) update_interrupts();
}

void TransactionBoard::update_interrupts() {
  uint64_t lines = 0;
  for (unsigned number = 0; number < design_.lanes; ++number)
    for (const unsigned direction : {kMm2s, kS2mm})
      if (lanes_[number].engine->interrupt(direction))
        lines |= uint64_t{1} << (design_.copies ? number : 2 * number + direction);
  for (uint64_t risen = lines & ~interrupts_; risen != 0; risen &= risen - 1)
    rise_ps_[static_cast<unsigned>(std::countr_zero(risen))] = now_ps();
  interrupts_ = lines;
}

bool TransactionBoard::idle() const {
  return std::ranges::all_of(lanes_, [](const Lane& lane) {
    return !lane.engine->active(kMm2s) && !lane.engine->active(kS2mm);
  });
}

void TransactionBoard::edge() {
  ++cycle_;
  chip_->advance_to(now_ps());
  for (Lane& lane : lanes_)
    if (lane.engine->active(kMm2s) || lane.engine->active(kS2mm)) step(lane);
}

void TransactionBoard::run_until_interrupt(uint64_t mask, uint64_t time_ps) {
  while ((interrupts_ & mask) == 0 && now_ps() < time_ps) {
    if (idle()) {
      // Nothing can happen but the passing of time.
      cycle_ = std::max(cycle_ + 1, clock_.cycle_at(time_ps));
      if (now_ps() < time_ps) ++cycle_;
      chip_->advance_to(now_ps());
      return;
    }
    edge();
  }
}

uint64_t TransactionBoard::run_cpu(const model::CpuProgram& program) {
  constexpr uint64_t kStepPs = 1'000'000;
  const uint64_t begin_ps = now_ps();
  chip_->start_cpu(program);
  while (chip_->cpu().running()) run_until(now_ps() + kStepPs);
  return chip_->cpu().finished_ps() - begin_ps;
}

uint32_t TransactionBoard::read32(uint32_t offset) {
  spend(chip_->control_latency().read_ps / 2);
  spend_cycles(kReadCycles);
  const uint32_t value = load(offset);
  spend(chip_->control_latency().read_ps / 2);
  return value;
}

void TransactionBoard::write32(uint32_t offset, uint32_t value, uint8_t enables) {
  if (enables != 0xf) refuse_access("write of part of a register", offset);
  spend(chip_->control_latency().write_ps);
  store(offset, value);
  update_interrupts();
  spend_cycles(design_.copies ? kWriteCyclesCdma : kWriteCycles);
}

uint32_t TransactionBoard::load(uint32_t offset) {
  if (offset >= page_offset_) {
    switch (offset - page_offset_) {
      case SL_DESIGN_PAGE_IDENTITY_OFFSET: return identity_of(design_);
      case SL_DESIGN_PAGE_VERSION_OFFSET: return field(1, SL_DESIGN_PAGE_VERSION_MAJOR_MASK);
      case SL_DESIGN_PAGE_CONFIG_OFFSET:
        return field(design_.lanes, SL_DESIGN_PAGE_CONFIG_NUM_PORTS_MASK) |
               field(width_bits_ / 8, SL_DESIGN_PAGE_CONFIG_DATA_BYTES_MASK) |
               field(design_.length_bits, SL_DESIGN_PAGE_CONFIG_LEN_BITS_MASK);
      case SL_DESIGN_PAGE_TICKS_LO_OFFSET: return low(cycle_);
      case SL_DESIGN_PAGE_TICKS_HI_OFFSET: return high(cycle_);
      default: refuse_access("read", offset);
    }
  }
  if (offset / HP_STRESS_HP_STRIDE >= design_.lanes) refuse_access("read", offset);
  const Lane& lane = lanes_[offset / HP_STRESS_HP_STRIDE];
  if (design_.copies) return lane.engine->load(offset % HP_STRESS_HP_STRIDE);
  model::Master& master = *lane.master;
  const uint64_t sink_bytes = master.sink().words * 8;
  const uint32_t in_lane = offset % HP_STRESS_HP_STRIDE;
  switch (in_lane) {
    case HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET:
      return master.loopback() ? SL_HP_LANE_ROUTE_LOOPBACK_MASK : 0U;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_CONTROL_OFFSET: return lane.source_control;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET:
      return lane.packet_beats;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_START_OFFSET: return lane.source_start;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKETS_OFFSET:
      return low(master.source().packets_sent);
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_CONTROL_OFFSET: return lane.sink_control;
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_START_OFFSET: return lane.sink_start;
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_STATUS_OFFSET:
      return field(sink_bytes != 0, SL_STREAM_SINK_STATUS_SEEN_MASK) |
             field(master.sink().mismatch, SL_STREAM_SINK_STATUS_MISMATCH_MASK);
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_BEATS_LO_OFFSET:
      return low(sink_bytes / (width_bits_ / 8));
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_BEATS_HI_OFFSET:
      return high(sink_bytes / (width_bits_ / 8));
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_BYTES_LO_OFFSET: return low(sink_bytes);
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_BYTES_HI_OFFSET: return high(sink_bytes);
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_PACKETS_OFFSET:
      return low(master.sink().packets);
    // The sink stands on the engine itself: there is nobody who could lose a beat.
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_GAPS_OFFSET: return 0;
    default: return lane.engine->load(in_lane);
  }
}

void TransactionBoard::store(uint32_t offset, uint32_t value) {
  if (offset / HP_STRESS_HP_STRIDE >= design_.lanes) refuse_access("write", offset);
  Lane& lane = lanes_[offset / HP_STRESS_HP_STRIDE];
  model::Master& master = *lane.master;
  const uint32_t in_lane = offset % HP_STRESS_HP_STRIDE;
  if (design_.copies) {
    start(lane, lane.engine->store(in_lane, value));
    return;
  }
  switch (in_lane) {
    case HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET:
      master.set_loopback((value & SL_HP_LANE_ROUTE_LOOPBACK_MASK) != 0);
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_CONTROL_OFFSET:
      if ((value & SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK) != 0) refuse_access("free run", offset);
      lane.source_control = value & ~SL_STREAM_SOURCE_CONTROL_CLEAR_MASK;
      if ((value & SL_STREAM_SOURCE_CONTROL_CLEAR_MASK) != 0) master.source() = {};
      master.source() = {.next = (value & SL_STREAM_SOURCE_CONTROL_CLEAR_MASK) != 0
                                     ? lane.source_start
                                     : master.source().next,
                         .packet_words = uint64_t{lane.packet_beats} * width_bits_ / 64,
                         .packets_sent = master.source().packets_sent,
                         .one_packet = (value & SL_STREAM_SOURCE_CONTROL_CONTINUOUS_MASK) == 0,
                         .enabled = (value & SL_STREAM_SOURCE_CONTROL_ENABLE_MASK) != 0};
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_PACKET_BEATS_OFFSET:
      if (uint64_t{value} * width_bits_ % 64 != 0)
        throw NotModelled("a packet of " + std::to_string(value) + " beats is no multiple of 8 " +
                          "bytes: only the RTL level does");
      lane.packet_beats = value;
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_START_OFFSET:
      lane.source_start = value;
      break;
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_CONTROL_OFFSET:
      if ((value & SL_STREAM_SINK_CONTROL_STALL_MODE_MASK) != 0)
        refuse_access("stall mode", offset);
      lane.sink_control = value & ~SL_STREAM_SINK_CONTROL_CLEAR_MASK;
      if ((value & SL_STREAM_SINK_CONTROL_CLEAR_MASK) != 0)
        master.sink() = {.expected = lane.sink_start};
      master.sink().check = (value & SL_STREAM_SINK_CONTROL_CHECK_MASK) != 0;
      master.sink().enabled = (value & SL_STREAM_SINK_CONTROL_ENABLE_MASK) != 0;
      break;
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_START_OFFSET: lane.sink_start = value; break;
    default: start(lane, lane.engine->store(in_lane, value));
  }
}

void TransactionBoard::start(Lane& lane, unsigned directions) {
  for (const unsigned direction : {kMm2s, kS2mm})
    if ((directions >> direction & 1U) != 0)
      lane.starts[direction] = cycle_ + lane.engine->start_cycles();
}

}  // namespace sluice::sim
