// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/transaction_board.hpp"

#include <cdma.h>
#include <f2s_stress.h>
#include <hp_stress.h>
#include <sl_design_page.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "lane_streams.hpp"
#include "sluice/sim/design.hpp"
#include "steady_state.hpp"
#include "transaction_chip.hpp"
#include "transaction_engine.hpp"
#include "words.hpp"

namespace sluice::sim {
namespace {

constexpr unsigned kReadCycles = 4;  // of an AXI4-Lite read
// Longer than anything in a lane that counts edges by itself.
constexpr uint64_t kWatchCycles = 128;

constexpr uint32_t kLaneBytes = HP_STRESS_HP_STRIDE;
static_assert(CDMA_HP_STRIDE == kLaneBytes && F2S_STRESS_F2S_STRIDE == kLaneBytes);

std::unique_ptr<TransactionEngine> make_engine(const TransactionDesign& design,
                                               model::Master& master, const EngineParams& params) {
  switch (design.kind) {
    case TransactionDesign::Engine::cdma: return make_cdma(master, params);
    case TransactionDesign::Engine::msgdma: return make_msgdma(master, params);
    default: return make_axi_dma(master, params);
  }
}

std::unique_ptr<LaneStreams> make_streams(const TransactionDesign& design, model::Master& master,
                                          unsigned width_bits) {
  switch (design.streams) {
    case TransactionDesign::Streams::counter: return make_counter_streams(master, width_bits);
    case TransactionDesign::Streams::counted:
      return make_counted_streams(master, design.length_bits);
    case TransactionDesign::Streams::loop: return make_loop_streams(master);
    case TransactionDesign::Streams::capture:
      return make_capture_streams(master, design.length_bits);
    default: master.set_loopback(true); return nullptr;
  }
}

// Words that an engine, its buffers and a loop-back hold at most.
uint64_t held_words(const model::MasterParams& engine) {
  const uint64_t beats = 2ULL * engine.buffer_beats + engine.loop_beats +
                         uint64_t{engine.max_write_bursts} * engine.burst_beats;
  return beats * std::max(engine.port_bits / 64, 1U);
}

}  // namespace

struct TransactionBoard::Lane {
  LanePorts ports;
  std::unique_ptr<TransactionEngine> engine;
  std::unique_ptr<LaneStreams> streams;  // none of a CDMA
};

// The streams in flight, and what they had moved at the end of the last window.
struct TransactionBoard::Windows {
  // Of a loop-back both ways its writes, which are as many as its reads.
  struct Stream {
    unsigned lane;
    bool write;
    bool operator==(const Stream&) const = default;
  };
  SteadyState state;
  uint64_t end = 0;  // of the next window
  std::vector<Stream> streams{};
  std::vector<uint64_t> words{};  // of each since the board was made
};

TransactionBoard::TransactionBoard(const ChipParams& memory_system, const TransactionDesign& design,
                                   double clock_mhz, bool leaves_out)
    : chip_(make_transaction_chip(memory_system, design)),
      clock_(clock_mhz),
      design_(design),
      width_bits_(design.engine.stream_bits == 32 ? 32 : design.engine.port_bits),
      page_offset_(design.page != 0 ? design.page : design.lanes * kLaneBytes),
      ram_(design.lanes * design.ram_bytes),
      lanes_(design.lanes),
      windows_(leaves_out && design.ports != TransactionDesign::Ports::acp
                   ? std::make_unique<Windows>(SteadyState(held_words(design.engine)))
                   : nullptr) {
  for (unsigned number = 0; number < design.lanes; ++number) make_lane(number);
  if (model::Zynq7000* zynq = chip_->zynq())
    attach_zynq(*zynq, clock_.time_ps(1),
                [this](uint64_t offset, uint64_t bytes) { return ram(offset, bytes); });
}

TransactionBoard::~TransactionBoard() = default;

void TransactionBoard::make_lane(unsigned number) {
  Lane& lane = lanes_[number];
  lane.ports = chip_->make_ports(
      number, std::span(ram_).subspan(number * design_.ram_bytes, design_.ram_bytes));
  model::Master& master = *lane.ports.master;
  const auto& descriptors = lane.ports.shared ? lane.ports.shared : lane.ports.descriptors;
  lane.engine = make_engine(design_, master,
                            {.length_bits = design_.length_bits,
                             .unit_bytes = std::max(design_.engine.port_bits / 8, 8U),
                             .descriptors = descriptors,
                             .reads = design_.streams != TransactionDesign::Streams::capture});
  lane.streams = make_streams(design_, master, width_bits_);
}

model::Memory& TransactionBoard::memory() { return chip_->memory(); }

model::Memory* TransactionBoard::on_chip_memory() { return chip_->on_chip_memory(); }

ControlLatency TransactionBoard::control_latency() const { return chip_->control_latency(); }

// ------------------------------------------------------------------------------------------- time

void TransactionBoard::step(unsigned number) {
  Lane& lane = lanes_[number];
  if (lane.ports.shared) lane.ports.shared->begin_edge();
  if (lane.ports.descriptors) lane.ports.descriptors->begin_edge();
  const bool before = lane.engine->awake();
  if (before) lane.engine->before(cycle_);
  model::Master& master = *lane.ports.master;
  const uint64_t done = master.transfers_done();
  master.pl_edge();
  const bool after = lane.engine->awake() || done != master.transfers_done();
  if (after) lane.engine->after(cycle_);
  const bool streams = lane.streams && lane.streams->steps();
  if (streams) lane.streams->edge(cycle_, *lane.engine);
  if (before || after || streams) lines_stale_ = true;
  if (after || streams) look_after(number);
}

void TransactionBoard::look_after(unsigned number) {
  const Lane& lane = lanes_[number];
  const bool busy = lane.engine->busy() || (lane.streams && lane.streams->running());
  const uint32_t bit = 1U << number;
  busy_ = busy ? busy_ | bit : busy_ & ~bit;
}

void TransactionBoard::edge() {
  waits_ = false;
  ++cycle_;
  if (dmac_works()) lines_stale_ = true;
  chip_->advance_to(chip_ps());
  for (unsigned number = 0; number < design_.lanes; ++number) {
    if ((busy_ >> number & 1U) == 0) continue;
    step(number);
  }
  if (lines_stale_) update_interrupts();
}

void TransactionBoard::update_interrupts() {
  const bool one_line = design_.kind == TransactionDesign::Engine::cdma;
  uint64_t lines = 0;
  for (unsigned number = 0; number < design_.lanes; ++number) {
    const uint64_t two = lanes_[number].engine->interrupts();
    lines |= one_line ? two >> kS2mm << number : two << (2 * number);
    if (lanes_[number].streams)
      lines |= lanes_[number].streams->interrupts() << (2 * design_.lanes);
  }
  see_lines(lines);
  lines_stale_ = false;
}

// Whether nothing moved for so long that nothing will any more.
void TransactionBoard::watch() {
  if (cycle_ % kWatchCycles != 0) return;
  uint64_t moves = 0;
  bool under_way = false;
  bool streaming = false;
  for (const Lane& lane : lanes_) {
    moves += lane.ports.master->moves();
    under_way = under_way || lane.engine->timed() || !lane.ports.master->port_idle();
    streaming = streaming || (lane.streams && lane.streams->running());
  }
  waits_ = !under_way && moves == moves_seen_;
  rests_ = waits_ && !streaming;
  moves_seen_ = moves;
}

// At how many of the next edges nothing happens but counting.
uint64_t TransactionBoard::quiet_edges() const {
  if (!waits_ || dmac_works()) return 0;
  uint64_t edges = UINT32_MAX;
  for (const Lane& lane : lanes_)
    if (lane.streams && lane.streams->running())
      edges = std::min(edges, lane.streams->quiet_edges(cycle_));
  return edges;
}

void TransactionBoard::pass_edges(uint64_t count) {
  for (const Lane& lane : lanes_)
    if (lane.streams && lane.streams->running()) lane.streams->pass_edges(count);
  cycle_ += count;
  chip_->advance_to(chip_ps());
}

uint64_t TransactionBoard::quiet_until_ps() const { return clock_.time_ps(cycle_ + quiet_edges()); }

template <typename Done>
void TransactionBoard::run(uint64_t time_ps, Done done) {
  time_ps = std::min(time_ps, kLatestPs);
  while (!done() && now_ps() < time_ps) {
    if (at_rest()) {
      // Nothing can happen but the passing of time.
      cycle_ = std::max(cycle_ + 1, clock_.cycle_from(time_ps));
      chip_->advance_to(chip_ps());
      return;
    }
    if (const uint64_t edges = quiet_edges(); edges != 0) {
      pass_edges(std::min(edges, std::max(cycle_ + 1, clock_.cycle_from(time_ps)) - cycle_));
      continue;
    }
    edge();
    watch();
    if (windows_ && cycle_ >= windows_->end) end_window(time_ps);
  }
}

void TransactionBoard::run_until_interrupt(uint64_t mask, uint64_t time_ps) {
  run(time_ps, [&] { return (interrupts() & mask) != 0; });
}

void TransactionBoard::run_until_change(uint64_t time_ps) {
  run(time_ps, [this, before = interrupts()] { return interrupts() != before; });
}

uint64_t TransactionBoard::run_cpu(const model::CpuProgram& program) {
  constexpr uint64_t kStepPs = 1'000'000;
  const uint64_t begin_ps = chip_ps();
  chip_->start_cpu(program);
  while (chip_->cpu().running()) run_until(now_ps() + kStepPs);
  return chip_->cpu().finished_ps() - begin_ps;
}

// ------------------------------------------------------------------------------------ leaving out

bool TransactionBoard::may_leave_out() const {
  using Span = model::Master::Span;
  std::vector<Span> read, written;
  for (const Lane& lane : lanes_) {
    // Streams that have steps count what moves edge by edge.
    if (lane.engine->timed() || (lane.streams && lane.streams->steps())) return false;
    const model::Master& master = *lane.ports.master;
    if (!master.whole(SteadyState::kUnitWords)) return false;
    read.push_back(master.read_span());
    written.push_back(master.write_span());
  }
  // Who reads what another one writes, or writes it too, would find it written too early.
  const auto meets = [](const std::vector<Span>& spans, const Span& span) {
    return std::ranges::count_if(spans, [&](const Span& other) {
      return std::max(span.first, other.first) < std::min(span.end, other.end);
    });
  };
  const auto apart = [&](const Span& span) {
    return span.first == span.end || (meets(read, span) == 0 && meets(written, span) == 1);
  };
  return chip_->may_rest() && std::ranges::all_of(written, apart);
}

// Looks at what has moved in a window, and leaves out what it may, of what comes before time_ps.
void TransactionBoard::end_window(uint64_t time_ps) {
  Windows& seen = *windows_;
  seen.end = cycle_ + SteadyState::kWindowCycles;
  std::vector<Windows::Stream> streams;
  std::vector<uint64_t> words;
  for (unsigned number = 0; number < design_.lanes; ++number) {
    const model::Master& master = *lanes_[number].ports.master;
    if (master.reading() && !(master.loopback() && master.writing())) {
      streams.push_back({number, false});
      words.push_back(master.words_sent());
    }
    if (master.writing()) {
      streams.push_back({number, true});
      words.push_back(master.words_received());
    }
  }
  std::swap(words, seen.words);
  if (streams.empty() || streams != seen.streams) {
    seen.streams = std::move(streams);
    seen.state.restart();
    return;
  }
  for (size_t i = 0; i < words.size(); ++i) words[i] = seen.words[i] - words[i];
  seen.state.see(words);
  // Software that looks within a window after the cut would find counters that lack what was left
  // out: words before the cut are still in buffers.
  const uint64_t until = clock_.cycle_from(time_ps);
  if (until > seen.end && seen.state.steady() && may_leave_out()) leave_out(until - seen.end);
}

// Of all streams in flight, for at most so many cycles.
void TransactionBoard::leave_out(uint64_t most_cycles) {
  constexpr uint64_t kTailWords = 2 * SteadyState::kUnitWords;  // that stay to be simulated
  Windows& seen = *windows_;
  std::vector<uint64_t> most;
  for (const Windows::Stream& stream : seen.streams) {
    const auto of_lane = lanes_[stream.lane].ports.master->most_to_leave_out(memory());
    const uint64_t left = stream.write ? of_lane.write : of_lane.read;
    most.push_back(left - std::min(left, kTailWords));
  }
  const auto [cycles, words] = seen.state.most(most, most_cycles);
  if (cycles < SteadyState::kWindowCycles) return;
  std::vector<model::Master::Words> of_lanes(lanes_.size());
  for (size_t i = 0; i < words.size(); ++i) {
    const auto [lane, write] = seen.streams[i];
    if (!write || lanes_[lane].ports.master->loopback()) of_lanes[lane].read = words[i];
    if (write) of_lanes[lane].write = words[i];
  }
  for (size_t lane = 0; lane < lanes_.size(); ++lane)
    lanes_[lane].ports.master->leave_out(of_lanes[lane], memory());
  cycle_ += cycles;
  left_out_ += cycles;
  seen.end = cycle_ + SteadyState::kWindowCycles;
  seen.streams.clear();      // the next window is the first one
  moves_seen_ = UINT64_MAX;  // watch() may look again before it has waited
}

// -------------------------------------------------------------------------------------- registers

uint32_t TransactionBoard::read_register(uint32_t offset) {
  spend_cycles(kReadCycles - saved_cycles(offset));
  if (const uint8_t* word = ram_word(offset)) {
    uint32_t value = 0;
    std::memcpy(&value, word, sizeof value);
    return value;
  }
  if (offset >= page_offset_) return load_page(offset);
  if (offset / kLaneBytes >= design_.lanes) refuse_access("read", offset);
  Lane& lane = lanes_[offset / kLaneBytes];
  const uint32_t in_lane = offset % kLaneBytes;
  lines_stale_ = true;
  if (lane.streams)
    if (const auto value = lane.streams->load(in_lane, cycle_)) return *value;
  return lane.engine->load(in_lane, cycle_);
}

void TransactionBoard::write_register(uint32_t offset, uint32_t value, uint8_t enables) {
  if (uint8_t* word = ram_word(offset)) {
    for (unsigned byte = 0; byte < sizeof value; ++byte)
      if ((enables >> byte & 1U) != 0) word[byte] = static_cast<uint8_t>(value >> (8 * byte));
    spend_cycles(design_.write_cycles);
    return;
  }
  if (enables != 0xf) refuse_access("write of part of a register", offset);
  if (offset / kLaneBytes >= design_.lanes) refuse_access("write", offset);
  Lane& lane = lanes_[offset / kLaneBytes];
  const uint32_t in_lane = offset % kLaneBytes;
  rests_ = waits_ = false;
  if (!lane.streams || !lane.streams->store(in_lane, value, cycle_))
    lane.engine->store(in_lane, value, cycle_);
  look_after(offset / kLaneBytes);
  update_interrupts();
  spend_cycles(design_.write_cycles - saved_cycles(offset));
}

// Of an access to a register.
unsigned TransactionBoard::saved_cycles(uint32_t offset) const {
  if (offset / kLaneBytes >= design_.lanes) return 0;
  const auto& streams = lanes_[offset / kLaneBytes].streams;
  return streams && streams->quick(offset % kLaneBytes) ? 1 : 0;
}

uint8_t* TransactionBoard::ram(uint64_t offset, uint64_t bytes) {
  const uint64_t of_lane = design_.ram_bytes;
  if (offset >= ram_.size() || bytes > of_lane - offset % of_lane) return nullptr;
  return &ram_[offset];
}

// Where the processor sees a word of a block RAM; nullptr: there is none.
uint8_t* TransactionBoard::ram_word(uint32_t offset) {
  return offset < kRamOffset ? nullptr : ram(offset - kRamOffset, sizeof(uint32_t));
}

uint32_t TransactionBoard::load_page(uint32_t offset) const {
  switch (offset - page_offset_) {
    case SL_DESIGN_PAGE_IDENTITY_OFFSET: return design_.identity;
    case SL_DESIGN_PAGE_VERSION_OFFSET: return field(1, SL_DESIGN_PAGE_VERSION_MAJOR_MASK);
    case SL_DESIGN_PAGE_CONFIG_OFFSET:
      return field(design_.lanes, SL_DESIGN_PAGE_CONFIG_NUM_PORTS_MASK) |
             field(width_bits_ / 8, SL_DESIGN_PAGE_CONFIG_DATA_BYTES_MASK) |
             field(design_.length_bits, SL_DESIGN_PAGE_CONFIG_LEN_BITS_MASK);
    case SL_DESIGN_PAGE_TICKS_LO_OFFSET: return low(cycle_);
    case SL_DESIGN_PAGE_TICKS_HI_OFFSET: return high(cycle_);
    case SL_DESIGN_PAGE_FAULTS_OFFSET: return 0;
    default: refuse_access("read", offset);
  }
}

}  // namespace sluice::sim
