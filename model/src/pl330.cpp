// SPDX-License-Identifier: Apache-2.0
// The cycle of a DMA controller: its bus, its queues, and which thread is next.
#include "sluice/model/pl330.hpp"

#include <algorithm>
#include <cstring>

#include "pl330_encoding.hpp"

namespace sluice::model {

using namespace pl330;

namespace {
constexpr std::uint32_t kBoundary = 4096;
constexpr std::uint32_t kIrqs = 0xff;  // of 16 events, those that are wires

template <typename Slots>
auto* free_slot(Slots& slots) {
  const auto found = std::ranges::find_if(slots, [](const auto& slot) { return !slot.busy; });
  return found == slots.end() ? nullptr : &*found;
}
}  // namespace

// ---------------------------------------------------------------------------------------- the bus

std::uint32_t Pl330::bytes_of(std::uint32_t address, const Side& side) {
  const std::uint32_t offset = address % side.size_bytes;
  return side.increments ? side.beats * side.size_bytes - offset
                         : side.beats * (side.size_bytes - offset);
}

AfiBurst Pl330::next_burst(const Access& access) {
  if (!access.side.increments) return {access.address, 1, access.side.size_bytes};
  const std::uint32_t to_page = kBoundary - access.address % kBoundary;
  const std::uint32_t fit = (to_page + access.side.size_bytes - 1U) / access.side.size_bytes;
  return {access.address, std::min(access.side.beats, fit), access.side.size_bytes};
}

/// Whether more of it is left.
bool Pl330::advance(Access& access, const AfiBurst& burst) {
  access.place += burst.end() - burst.address;
  access.side.beats -= burst.words;
  if (access.side.increments) access.address = static_cast<std::uint32_t>(burst.end());
  return access.side.beats != 0;
}

void Pl330::take_word(std::uint64_t now_ps) {
  const auto word = paths_.take_word(now_ps);
  if (!word) return;
  OpenRead& read = reads_[word->tag];
  const std::uint64_t from = read.burst.beat_address(read.taken);
  const std::uint64_t to =
      (from & ~std::uint64_t{read.burst.size_bytes - 1U}) + read.burst.size_bytes;
  ++read.taken;
  if (word->last) read.busy = false;
  if (read.fill) {
    std::memcpy(&fill_->bytes[from % kLineBytes], &word->data, sizeof word->data);
    fill_->failed = fill_->failed || word->response != Response::okay;
    if (word->last) end_fill();
    return;
  }
  Channel& channel = channels_[read.channel];
  if (word->last) --channel.reads_open;
  if (!read.wanted) return;
  if (word->response != Response::okay) {
    abort(read.channel, kRead);
    return;
  }
  Load& load = *std::ranges::find_if(channel.loads, [&](const Load& one) {
    return read.place >= one.begin && read.place < one.end;
  });
  for (std::uint64_t address = from; address < to; ++address)
    channel.bytes[read.place++ % channel.bytes.size()] =
        static_cast<std::uint8_t>(word->data >> 8U * (address % kWordBytes));
  load.arrived += to - from;
  while (!channel.loads.empty() &&
         channel.loads.front().begin + channel.loads.front().arrived == channel.loads.front().end)
    channel.loads.pop_front();
}

void Pl330::end_fill() {
  const Fill fill = *fill_;
  fill_.reset();
  stalled_ = false;
  if (!fill.wanted) return;
  if (fill.failed) {
    abort(fill.thread, kFetch);
    return;
  }
  channels_[fill.thread].state = State::executing;
  Line& line = *std::ranges::min_element(lines_, {}, &Line::used);
  line = {fill.thread, fill.address, ++lookups_, fill.bytes};
}

void Pl330::take_answer(std::uint64_t now_ps) {
  const auto answer = paths_.take_answer(now_ps);
  if (!answer) return;
  OpenWrite& write = writes_[answer->tag];
  write.busy = false;
  --channels_[write.channel].writes_open;
  if (write.wanted && answer->response != Response::okay) abort(write.channel, kWrite);
}

void Pl330::post_read(std::uint64_t now_ps) {
  OpenRead* slot = free_slot(reads_);
  if (slot == nullptr) return;
  const auto tag = static_cast<unsigned>(slot - reads_.data());
  if (fill_ && !fill_->asked) {
    const AfiBurst burst{fill_->address, kLineBytes / kWordBytes, kWordBytes};
    if (!paths_.read_room(burst)) return;
    fill_->asked = true;
    *slot = {.busy = true, .fill = true, .burst = burst};
    paths_.read(burst, tag, now_ps);
    return;
  }
  if (loads_.empty()) return;
  Access& access = loads_.front();
  const AfiBurst burst = next_burst(access);
  if (!paths_.read_room(burst)) return;
  *slot = {.busy = true, .channel = access.channel, .burst = burst, .place = access.place};
  ++channels_[access.channel].reads_open;
  paths_.read(burst, tag, now_ps);
  if (!advance(access, burst)) loads_.pop_front();
}

void Pl330::begin_write(std::uint64_t now_ps) {
  if (stores_.empty()) return;
  Access& access = stores_.front();
  Channel& channel = channels_[access.channel];
  const AfiBurst burst = next_burst(access);
  OpenWrite* slot = free_slot(writes_);
  if (slot == nullptr || !paths_.write_room(burst)) return;
  if (!access.zeros && access.place + (burst.end() - burst.address) > channel.arrived_to()) return;
  Writing writing{.burst = burst, .channel = access.channel, .of_mfifo = !access.zeros};
  std::uint64_t place = access.place;
  for (std::uint32_t beat = 0; beat < burst.words; ++beat) {
    const std::uint64_t from = burst.beat_address(beat);
    const std::uint64_t to = (from & ~std::uint64_t{burst.size_bytes - 1U}) + burst.size_bytes;
    for (std::uint64_t address = from; address < to; ++address, ++place) {
      const auto lane = static_cast<unsigned>(address % kWordBytes);
      const std::uint64_t byte = access.zeros ? 0 : channel.bytes[place % channel.bytes.size()];
      writing.words[beat] |= byte << 8U * lane;
      writing.strobes[beat] |= static_cast<std::uint8_t>(1U << lane);
    }
    writing.bytes[beat] = static_cast<std::uint8_t>(to - from);
  }
  *slot = {.busy = true, .channel = access.channel};
  ++channel.writes_open;
  paths_.write(burst, static_cast<unsigned>(slot - writes_.data()), now_ps);
  writing_ = writing;
  if (!advance(access, burst)) stores_.pop_front();
}

void Pl330::move_write(std::uint64_t now_ps) {
  if (!writing_) begin_write(now_ps);
  if (!writing_ || !paths_.word_room(now_ps)) return;
  Writing& writing = *writing_;
  paths_.put_word(writing.words[writing.put], writing.strobes[writing.put], now_ps);
  if (writing.of_mfifo) channels_[writing.channel].head += writing.bytes[writing.put];
  if (++writing.put == writing.burst.words) writing_.reset();
}

void Pl330::tick(std::uint64_t now_ps) {
  paths_.edge();
  take_answer(now_ps);
  take_word(now_ps);
  move_write(now_ps);
  post_read(now_ps);
  execute_one();
  settle();
  update_outputs();
}

void Pl330::update_outputs() {
  works_ = has_work();
  const bool abort = faulting() != 0 || manager_fault_ != 0 || locked_up_;
  irqs_ = (raised_ & enabled_ & kIrqs) << 1U | (abort ? 1U : 0U);
}

bool Pl330::has_work() const {
  const auto works = [](const Channel& channel) {
    switch (channel.state) {
      case State::stopped:
      case State::waiting_for_event:
      case State::waiting_for_peripheral:
      case State::faulting: return channel.reads_open + channel.writes_open != 0;
      default: return true;
    }
  };
  return debug_pending_ || fill_ || !loads_.empty() || !stores_.empty() || writing_ ||
         std::ranges::any_of(channels_, works);
}

// ---------------------------------------------------------------------------------------- threads

const std::uint8_t* Pl330::look_up(unsigned number, std::uint32_t address) {
  const std::uint32_t first = address / kLineBytes * kLineBytes;
  const auto line = std::ranges::find_if(
      lines_, [&](const Line& one) { return one.thread == number && one.address == first; });
  if (line != lines_.end()) {
    line->used = ++lookups_;
    return &line->bytes[address - first];
  }
  if (fill_) {
    stalled_ = true;
  } else {
    fill_ = Fill{.thread = number, .address = first};
    channels_[number].state = State::cache_miss;
  }
  return nullptr;
}

/// Whether the cycle is used.
bool Pl330::execute(unsigned number) {
  Channel& channel = channels_[number];
  const std::uint8_t* first = look_up(number, channel.pc);
  if (first == nullptr) return true;
  const unsigned length = length_of(*first);
  if (length == 0) {
    abort(number, kUndefined);
    return true;
  }
  const unsigned here = std::min(length, kLineBytes - channel.pc % kLineBytes);
  if ((here < length || length > kLookupBytes) && !channel.looked_up) {
    channel.looked_up = true;
    return true;
  }
  std::array<std::uint8_t, kMostInstruction> code{};
  std::copy_n(first, here, code.begin());
  if (here < length) {
    const std::uint8_t* rest = look_up(number, channel.pc + here);
    if (rest == nullptr) return true;
    std::copy_n(rest, length - here, code.begin() + here);
  }
  const Step step = perform(number, code);
  if (step == Step::blocked) return false;
  channel.looked_up = false;
  if (step == Step::done) channel.pc += length;
  return true;
}

void Pl330::execute_one() {
  for (Channel& channel : channels_) channel.blocked_load = false;
  if (debug_pending_) {
    debug_pending_ = false;
    perform_debug();
    return;
  }
  if (stalled_) return;
  for (unsigned step = 1; step <= kChannels; ++step) {
    const unsigned number = (last_channel_ + step) % kChannels;
    if (channels_[number].state != State::executing || !execute(number)) continue;
    last_channel_ = number;
    locked_up_ = false;
    return;
  }
  watch_for_lockup();
}

// DDI 0424 2.10.3: nothing is queued or under way, and each channel that runs waits at a DMALD.
void Pl330::watch_for_lockup() {
  if (fill_ || writing_ || !loads_.empty() || !stores_.empty()) return;
  bool blocked = false;
  for (const Channel& channel : channels_) {
    if (channel.reads_open + channel.writes_open != 0) return;
    switch (channel.state) {
      case State::stopped:
      case State::faulting: break;
      case State::executing:
        if (!channel.blocked_load) return;
        blocked = true;
        break;
      default: return;
    }
  }
  if (!blocked) return;
  if ((watchdog_ & 1U) != 0) {
    locked_up_ = true;
    return;
  }
  for (unsigned number = 0; number < kChannels; ++number)
    if (channels_[number].blocked_load) abort(number, kLockup);
}

// States that end by themselves.
void Pl330::settle() {
  for (unsigned number = 0; number < kChannels; ++number) {
    Channel& channel = channels_[number];
    const auto queued = [&](const std::deque<Access>& queue) {
      return std::ranges::any_of(queue, [&](const Access& a) { return a.channel == number; });
    };
    const bool open = channel.reads_open + channel.writes_open != 0;
    switch (channel.state) {
      case State::at_barrier:
        if (channel.barrier_of_writes ? !queued(stores_) && channel.writes_open == 0
                                      : !queued(loads_) && channel.reads_open == 0)
          channel.state = State::executing;
        break;
      case State::completing:
        if (open || queued(loads_) || queued(stores_)) break;
        drop(number);
        channel.state = State::stopped;
        break;
      case State::killing:
        if (!open) channel.state = State::stopped;
        break;
      case State::faulting_completing:
        if (!open) channel.state = State::faulting;
        break;
      default: break;
    }
  }
}

void Pl330::abort(unsigned number, std::uint32_t fault) {
  channels_[number].fault |= fault;
  drop(number);
  channels_[number].state = State::faulting_completing;
}

// What a channel has in the controller, but for bursts under way.
void Pl330::drop(unsigned number) {
  const auto of_it = [number](const Access& access) { return access.channel == number; };
  std::erase_if(loads_, of_it);
  std::erase_if(stores_, of_it);
  for (OpenRead& read : reads_)
    if (read.busy && !read.fill && read.channel == number) read.wanted = false;
  for (OpenWrite& write : writes_)
    if (write.busy && write.channel == number) write.wanted = false;
  if (writing_ && writing_->channel == number) writing_->of_mfifo = false;
  Channel& channel = channels_[number];
  channel.loads.clear();
  channel.head = channel.stored = channel.tail = 0;
  channel.looked_up = false;
  locked_up_ = false;
  drop_lines(number);
  release_lock(number);
}

void Pl330::drop_lines(unsigned number) {
  for (Line& line : lines_)
    if (line.thread == number) line = {};
  if (fill_ && fill_->thread == number) fill_->wanted = false;
}

void Pl330::release_lock(unsigned number) {
  if (load_lock_ == number) load_lock_ = kNobody;
}

unsigned Pl330::entries_used() const {
  unsigned used = 0;
  for (const Channel& channel : channels_) used += channel.entries();
  return used;
}

}  // namespace sluice::model
