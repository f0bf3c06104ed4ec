// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/transaction_board.hpp"

#include <hp_stress.h>
#include <sl_axi_dma.h>
#include <sl_design_page.h>
#include <sl_hp_lane.h>
#include <sl_stream_sink.h>
#include <sl_stream_source.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

namespace sluice::sim {
namespace {

// Cycles of the logic, measured on the RTL (tests/levels_test.cpp holds them):
constexpr unsigned kWriteCycles = 6;   // of an AXI4-Lite write, address to response
constexpr unsigned kReadCycles = 4;    // of a read
constexpr unsigned kStartCycles = 4;   // write of LENGTH taken to the engine's first burst
constexpr unsigned kFinishCycles = 7;  // last beat or response to the interrupt

constexpr uint32_t kIdentity = 0x534c'4850;  // SLHP
constexpr unsigned kMm2s = 0;
constexpr unsigned kS2mm = 1;
constexpr uint32_t kS2mmBase = SL_AXI_DMA_S2MM_DMACR_OFFSET;
constexpr uint32_t kControlWritable =
    SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK |
    SL_AXI_DMA_MM2S_DMACR_ERR_IRQEN_MASK | SL_AXI_DMA_MM2S_DMACR_IRQTHRESHOLD_MASK;
constexpr uint32_t kInterruptFlags =
    SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK | SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK;

[[noreturn]] void refuse(const char* access, uint32_t offset) {
  char text[96];
  std::snprintf(text, sizeof text, "%s of register 0x%05x: only the RTL level has it", access,
                offset);
  throw NotModelled(text);
}

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

// A value in the place of a field.
uint32_t field(uint32_t value, uint32_t mask) { return (value << std::countr_zero(mask)) & mask; }

}  // namespace

TransactionBoard::TransactionBoard(const model::Zynq7000Params& memory_system,
                                   const TransactionDesign& design, double clock_mhz)
    : chip_(memory_system),
      clock_(clock_mhz),
      design_(design),
      width_bits_(std::min(design.engine.port_bits, design.engine.stream_bits)),
      page_offset_(design.lanes * HP_STRESS_HP_STRIDE),
      rise_ps_(2 * design.lanes),
      lanes_(design.lanes) {
  std::shared_ptr<model::AfiShare> port;
  for (unsigned number = 0; number < design.lanes; ++number) {
    const unsigned client = number % design.lanes_per_port;
    if (client == 0) {
      port = std::make_shared<model::AfiShare>(
          design.acp ? chip_.acp() : chip_.afi(number / design.lanes_per_port),
          design.lanes_per_port);
    }
    Lane& lane = lanes_[number];
    lane.master = std::make_unique<model::HpMaster>(port, client, design.engine);
    lane.master->source() = {.enabled = false};
    lane.master->sink() = {.enabled = false};
    reset(lane);
  }
}

void TransactionBoard::reset(Lane& lane) {
  for (Channel& channel : lane.channel) {
    if (channel.active) throw NotModelled("reset of a transfer that runs: only the RTL level does");
    channel = {};
    channel.control = SL_AXI_DMA_MM2S_DMACR_DEFAULT;
    channel.status = SL_AXI_DMA_MM2S_DMASR_DEFAULT;
  }
}

void TransactionBoard::begin(Lane& lane, unsigned direction) {
  Channel& channel = lane.channel[direction];
  channel.starts = kNever;
  const model::HpTransfer transfer{channel.address, channel.length};
  if (direction == kMm2s)
    lane.master->start_read(transfer);
  else
    lane.master->start_write(transfer);
}

void TransactionBoard::finish(Lane& lane, unsigned direction) {
  Channel& channel = lane.channel[direction];
  const model::Response response =
      direction == kMm2s ? lane.master->read_response() : lane.master->write_response();
  channel.finishes = kNever;
  channel.active = false;
  uint32_t error = 0;
  if (response == model::Response::slverr) error = SL_AXI_DMA_MM2S_DMASR_DMASLVERR_MASK;
  if (response == model::Response::decerr) error = SL_AXI_DMA_MM2S_DMASR_DMADECERR_MASK;
  if (direction == kS2mm && lane.master->overrun()) error |= SL_AXI_DMA_MM2S_DMASR_DMAINTERR_MASK;
  if (direction == kS2mm) channel.length = low(lane.master->written_bytes());
  if (error != 0) {
    channel.status |=
        error | SL_AXI_DMA_MM2S_DMASR_ERR_IRQ_MASK | SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
    channel.control &= ~SL_AXI_DMA_MM2S_DMACR_RS_MASK;
  } else {
    channel.status |= SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK | SL_AXI_DMA_MM2S_DMASR_IDLE_MASK;
  }
}

void TransactionBoard::step(Lane& lane) {
  for (unsigned direction : {kMm2s, kS2mm})
    if (cycle_ >= lane.channel[direction].starts) begin(lane, direction);
  const bool reading = lane.master->reading();
  const bool writing = lane.master->writing();
  lane.master->pl_edge();
  if (reading && !lane.master->reading()) lane.channel[kMm2s].finishes = cycle_ + kFinishCycles;
  if (writing && !lane.master->writing()) lane.channel[kS2mm].finishes = cycle_ + kFinishCycles;
  bool finished = false;
  for (unsigned direction : {kMm2s, kS2mm}) {
    if (cycle_ < lane.channel[direction].finishes) continue;
    finish(lane, direction);
    finished = true;
  }
  if (finished) update_interrupts();
}

void TransactionBoard::update_interrupts() {
  uint64_t lines = 0;
  for (unsigned port = 0; port < design_.lanes; ++port) {
    for (unsigned direction : {kMm2s, kS2mm}) {
      const Channel& channel = lanes_[port].channel[direction];
      // The flags stand at the same bits in the status as their enables in the control register.
      if ((channel.status & channel.control & kInterruptFlags) != 0)
        lines |= uint64_t{1} << (2 * port + direction);
    }
  }
  for (uint64_t risen = lines & ~interrupts_; risen != 0; risen &= risen - 1)
    rise_ps_[static_cast<unsigned>(std::countr_zero(risen))] = now_ps();
  interrupts_ = lines;
}

bool TransactionBoard::idle() const {
  return std::ranges::all_of(lanes_, [](const Lane& lane) {
    return !lane.channel[kMm2s].active && !lane.channel[kS2mm].active;
  });
}

void TransactionBoard::edge() {
  ++cycle_;
  chip_.advance_to(now_ps());
  for (Lane& lane : lanes_)
    if (lane.channel[kMm2s].active || lane.channel[kS2mm].active) step(lane);
}

void TransactionBoard::run_until_interrupt(uint64_t mask, uint64_t time_ps) {
  while ((interrupts_ & mask) == 0 && now_ps() < time_ps) {
    if (idle()) {
      // Nothing can happen but the passing of time.
      cycle_ = std::max(cycle_ + 1, clock_.cycle_at(time_ps));
      if (now_ps() < time_ps) ++cycle_;
      chip_.advance_to(now_ps());
      return;
    }
    edge();
  }
}

uint64_t TransactionBoard::run_cpu(const model::CpuProgram& program) {
  constexpr uint64_t kStepPs = 1'000'000;
  const uint64_t begin_ps = now_ps();
  chip_.start_cpu(program);
  while (chip_.cpu().running()) run_until(now_ps() + kStepPs);
  return chip_.cpu().finished_ps() - begin_ps;
}

uint32_t TransactionBoard::read32(uint32_t offset) {
  spend(chip_.params().gp.read_latency_ps / 2);
  spend_cycles(kReadCycles);
  const uint32_t value = load(offset);
  spend(chip_.params().gp.read_latency_ps / 2);
  return value;
}

void TransactionBoard::write32(uint32_t offset, uint32_t value) {
  spend(chip_.params().gp.write_latency_ps);
  store(offset, value);
  update_interrupts();
  spend_cycles(kWriteCycles);
}

uint32_t TransactionBoard::load(uint32_t offset) const {
  if (offset >= page_offset_) {
    switch (offset - page_offset_) {
      case SL_DESIGN_PAGE_IDENTITY_OFFSET: return kIdentity;
      case SL_DESIGN_PAGE_VERSION_OFFSET: return field(1, SL_DESIGN_PAGE_VERSION_MAJOR_MASK);
      case SL_DESIGN_PAGE_CONFIG_OFFSET:
        return field(design_.lanes, SL_DESIGN_PAGE_CONFIG_NUM_PORTS_MASK) |
               field(width_bits_ / 8, SL_DESIGN_PAGE_CONFIG_DATA_BYTES_MASK) |
               field(design_.length_bits, SL_DESIGN_PAGE_CONFIG_LEN_BITS_MASK);
      case SL_DESIGN_PAGE_TICKS_LO_OFFSET: return low(cycle_);
      case SL_DESIGN_PAGE_TICKS_HI_OFFSET: return high(cycle_);
      default: refuse("read", offset);
    }
  }
  const Lane& lane = lanes_[offset / HP_STRESS_HP_STRIDE];
  model::HpMaster& master = *lane.master;
  const uint64_t sink_bytes = master.sink().words * 8;
  const uint32_t in_lane = offset % HP_STRESS_HP_STRIDE;
  const Channel& channel = lane.channel[in_lane >= kS2mmBase ? kS2mm : kMm2s];
  switch (in_lane) {
    case SL_AXI_DMA_MM2S_DMACR_OFFSET:
    case SL_AXI_DMA_S2MM_DMACR_OFFSET: return channel.control;
    case SL_AXI_DMA_MM2S_DMASR_OFFSET:
    case SL_AXI_DMA_S2MM_DMASR_OFFSET: return channel.status;
    case SL_AXI_DMA_MM2S_LENGTH_OFFSET:
    case SL_AXI_DMA_S2MM_LENGTH_OFFSET: return channel.length;
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
    default: refuse("read", offset);
  }
}

void TransactionBoard::store_dma(Lane& lane, uint32_t offset, uint32_t value) {
  const unsigned direction = offset >= kS2mmBase ? kS2mm : kMm2s;
  Channel& channel = lane.channel[direction];
  switch (direction == kS2mm ? offset - kS2mmBase : offset) {
    case SL_AXI_DMA_MM2S_DMACR_OFFSET:
      if ((value & SL_AXI_DMA_MM2S_DMACR_RESET_MASK) != 0) return reset(lane);
      channel.control =
          (SL_AXI_DMA_MM2S_DMACR_DEFAULT & ~kControlWritable) | (value & kControlWritable);
      if ((value & SL_AXI_DMA_MM2S_DMACR_RS_MASK) != 0)
        channel.status &= ~SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
      else
        channel.status |= SL_AXI_DMA_MM2S_DMASR_HALTED_MASK;
      break;
    case SL_AXI_DMA_MM2S_DMASR_OFFSET: channel.status &= ~(value & kInterruptFlags); break;
    case SL_AXI_DMA_MM2S_SA_OFFSET:
      channel.address = (channel.address & ~uint64_t{0xffffffff}) | value;
      break;
    case SL_AXI_DMA_MM2S_SA_MSB_OFFSET:
      channel.address = (channel.address & 0xffffffff) | uint64_t{value} << 32;
      break;
    case SL_AXI_DMA_MM2S_LENGTH_OFFSET:
      if ((channel.control & SL_AXI_DMA_MM2S_DMACR_RS_MASK) == 0 || channel.active || value == 0)
        break;
      if (((value | channel.address) & 7) != 0)
        throw NotModelled("a transfer of " + std::to_string(value) + " bytes: transactions move " +
                          "multiples of 8 bytes between multiples of 8; only the RTL level does");
      channel.length = value & ((1U << design_.length_bits) - 1U);
      channel.status &= ~SL_AXI_DMA_MM2S_DMASR_IDLE_MASK;
      channel.active = true;
      channel.starts = cycle_ + kStartCycles;
      break;
    default: refuse("write", offset);
  }
}

void TransactionBoard::store(uint32_t offset, uint32_t value) {
  if (offset >= page_offset_) refuse("write", offset);
  Lane& lane = lanes_[offset / HP_STRESS_HP_STRIDE];
  model::HpMaster& master = *lane.master;
  const uint32_t in_lane = offset % HP_STRESS_HP_STRIDE;
  switch (in_lane) {
    case HP_STRESS_HP_CONTROL_OFFSET + SL_HP_LANE_ROUTE_OFFSET:
      master.set_loopback((value & SL_HP_LANE_ROUTE_LOOPBACK_MASK) != 0);
      break;
    case HP_STRESS_HP_SOURCE_OFFSET + SL_STREAM_SOURCE_CONTROL_OFFSET:
      if ((value & SL_STREAM_SOURCE_CONTROL_FREE_RUN_MASK) != 0) refuse("free run", offset);
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
      if ((value & SL_STREAM_SINK_CONTROL_STALL_MODE_MASK) != 0) refuse("stall mode", offset);
      lane.sink_control = value & ~SL_STREAM_SINK_CONTROL_CLEAR_MASK;
      if ((value & SL_STREAM_SINK_CONTROL_CLEAR_MASK) != 0)
        master.sink() = {.expected = lane.sink_start};
      master.sink().check = (value & SL_STREAM_SINK_CONTROL_CHECK_MASK) != 0;
      master.sink().enabled = (value & SL_STREAM_SINK_CONTROL_ENABLE_MASK) != 0;
      break;
    case HP_STRESS_HP_SINK_OFFSET + SL_STREAM_SINK_START_OFFSET: lane.sink_start = value; break;
    default: store_dma(lane, in_lane, value);
  }
}

}  // namespace sluice::sim
