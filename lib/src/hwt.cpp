// SPDX-License-Identifier: Apache-2.0
#include "hwt.hpp"

#include <sl_hwt.h>
#include <sl_streamif.h>
#include <sl_streamif_channel.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "error.hpp"

namespace sluice {
namespace {

constexpr uint32_t kChannels = 0x1000;  // of channel 0, from the control block on
constexpr uint32_t kChannelStride = 0x80;
constexpr uint32_t kStatusStride = 4;
constexpr unsigned kCountModulo = 16;  // of STATE.DONE
constexpr uint32_t kStreamBytes = 4;   // a command's address and a word of mail
constexpr uint64_t kGrantAlignment = 8;

// More than any memory system needs for what a thread has under way.
constexpr unsigned kPolls = 10'000;

constexpr uint32_t kLongestWord = 0xffff;
constexpr uint32_t kSobelLeastWords = 2;
constexpr uint32_t kSobelMostWords = 512;

#define SLUICE_HWT_FIELD(value, reg, field) \
  (((value) & reg##_##field##_MASK) >> reg##_##field##_SHIFT)

int error_of(uint32_t status) {
  if (status & SL_STREAMIF_CHANNEL_QUEUE_STATUS0_REFUSED_MASK) return -EACCES;
  constexpr int kErrors[] = {0, -EINVAL, -EIO, -EFAULT};
  return kErrors[SLUICE_HWT_FIELD(status, SL_STREAMIF_CHANNEL_QUEUE_STATUS0, ERROR)];
}

// a and b of a job, as sluice_hwt_kernel says.
bool possible(uint32_t kernel, uint32_t a, uint32_t b) {
  switch (kernel) {
    case SLUICE_HWT_COPY:
    case SLUICE_HWT_XOR: return a > 0 && b == 0;
    case SLUICE_HWT_COUNT: return a > 0;
    case SLUICE_HWT_REDUCE: return a > 0 && a <= kLongestWord && b > 0;
    case SLUICE_HWT_SOBEL:
      return a >= kSobelLeastWords && a <= kSobelMostWords && b > 0 && b <= kLongestWord;
    default: return false;
  }
}

}  // namespace

// --- a direction ---------------------------------------------------------------------------

HwtChannel::HwtChannel(Platform& platform, uint32_t control, unsigned number, const Limits& limits)
    : platform_(platform),
      control_(control),
      base_(control + kChannels + number * kChannelStride),
      number_(number),
      limits_(limits) {}

void HwtChannel::submit(const Request& request) {
  ++*request.users;
  waiting_.push_back(request);
  if (started_.size() < limits_.depth) start_next();
}

void HwtChannel::start_next() {
  const Request& request = waiting_.front();
  const uint64_t begin_ns = platform_.now_ns();
  platform_.write32(base_ + SL_STREAMIF_CHANNEL_QUEUE_ADDR_OFFSET,
                    static_cast<uint32_t>(request.address));
  // What is left of the start cost, when the last write takes what the one before it took.
  const uint64_t write_ns = platform_.now_ns() - begin_ns;
  if (2 * write_ns < limits_.start_cost_ns)
    platform_.sleep_ns(limits_.start_cost_ns - 2 * write_ns);
  platform_.write32(base_ + SL_STREAMIF_CHANNEL_QUEUE_COMMAND_OFFSET,
                    request.bytes | SL_STREAMIF_CHANNEL_QUEUE_COMMAND_IRQ_MASK |
                        (request.end_of_packet ? SL_STREAMIF_CHANNEL_QUEUE_COMMAND_EOP_MASK : 0));
  started_.push_back({request, begin_ns});
  waiting_.pop_front();
}

void HwtChannel::complete(const Request& request, sluice_completion completion) {
  --*request.users;
  completion.cookie = request.cookie;
  done_.push_back(completion);
  ++completed_;
  if (completion.status == -EACCES) ++refused_;
}

void HwtChannel::service() {
  if ((platform_.interrupts() & expected_interrupt()) == 0) return;
  // What was not there when we last looked has ended since.
  uint64_t finish_ns = std::max(platform_.interrupt_rise_ns(number_), looked_ns_);
  // Cleared first: a status that comes while we read raises it again.
  platform_.write32(control_ + SL_STREAMIF_IRQ_CLEAR_OFFSET, uint32_t{1} << number_);
  const uint32_t state = platform_.read32(base_ + SL_STREAMIF_CHANNEL_QUEUE_STATE_OFFSET);
  looked_ns_ = platform_.now_ns();
  const unsigned done = SLUICE_HWT_FIELD(state, SL_STREAMIF_CHANNEL_QUEUE_STATE, DONE);
  while (done_count_ % kCountModulo != done && !started_.empty()) {
    const uint32_t status = platform_.read32(base_ + SL_STREAMIF_CHANNEL_QUEUE_STATUS0_OFFSET +
                                             done_count_ % limits_.depth * kStatusStride);
    ++done_count_;
    const Started front = started_.front();
    started_.pop_front();
    sluice_completion completion{};
    completion.status = error_of(status);
    // Never believe a register beyond what was asked for.
    if (completion.status == 0)
      completion.bytes = std::min(
          front.request.bytes, SLUICE_HWT_FIELD(status, SL_STREAMIF_CHANNEL_QUEUE_STATUS0, BYTES));
    completion.start_ns = front.start_ns;
    completion.finish_ns = finish_ns;
    completion.end_of_packet = SLUICE_HWT_FIELD(status, SL_STREAMIF_CHANNEL_QUEUE_STATUS0, EOP);
    complete(front.request, completion);
    finish_ns = looked_ns_;
  }
  while (!waiting_.empty() && started_.size() < limits_.depth) start_next();
}

sluice_completion HwtChannel::take_completion() {
  const sluice_completion completion = done_.front();
  done_.pop_front();
  return completion;
}

void HwtChannel::cancel() {
  const uint64_t now_ns = platform_.now_ns();
  sluice_completion completion{};
  completion.status = -ECANCELED;
  completion.finish_ns = now_ns;
  for (const Started& entry : std::exchange(started_, {})) {
    completion.start_ns = entry.start_ns;
    complete(entry.request, completion);
  }
  completion.start_ns = now_ns;
  for (const Request& request : std::exchange(waiting_, {})) complete(request, completion);
  done_count_ = 0;
  platform_.write32(control_ + SL_STREAMIF_IRQ_CLEAR_OFFSET, uint32_t{1} << number_);
}

uint64_t HwtChannel::read_bytes() {
  const uint64_t low = platform_.read32(base_ + SL_STREAMIF_CHANNEL_QUEUE_BYTES_LO_OFFSET);
  return low | uint64_t{platform_.read32(base_ + SL_STREAMIF_CHANNEL_QUEUE_BYTES_HI_OFFSET)} << 32;
}

void HwtChannel::begin_stats() {
  first_bytes_ = read_bytes();
  completed_ = 0;
  refused_ = 0;
}

sluice_hwt_stats HwtChannel::stats() {
  const auto read = [&](uint32_t offset) { return platform_.read32(base_ + offset); };
  return {.bytes = read_bytes() - first_bytes_,
          .commands = completed_,
          .refused = refused_,
          .stall_address = read(SL_STREAMIF_CHANNEL_STATS_STALL_ADDR_OFFSET),
          .stall_space = read(SL_STREAMIF_CHANNEL_STATS_STALL_SPACE_OFFSET),
          .stall_data = read(SL_STREAMIF_CHANNEL_STATS_STALL_DATA_OFFSET),
          .stall_response = read(SL_STREAMIF_CHANNEL_STATS_STALL_RESP_OFFSET),
          .worst_wait = read(SL_STREAMIF_CHANNEL_STATS_WORST_WAIT_OFFSET)};
}

// --- a thread ------------------------------------------------------------------------------

Hwt::Hwt(HwtUnit& unit, unsigned number)
    : unit_(unit),
      number_(number),
      read_(unit.platform(), unit.entry().control, 2 * number, unit.limits()),
      write_(unit.platform(), unit.entry().control, 2 * number + 1, unit.limits()),
      grants_(unit.shared_info().windows) {}

Hwt::~Hwt() = default;

void Hwt::open() {
  halt();
  for (unsigned window = 0; window < grants_.size(); ++window) set_window(window, 0, 0, 0);
  set_route(nullptr);
  set_kernel(SLUICE_HWT_LANE);
  read_.begin_stats();
  write_.begin_stats();
  clear_stats();
  resume();
}

void Hwt::close() {
  if (const Hwt* taker = unit_.taker_of(*this))
    throw Error(EBUSY, "thread {} takes the stream of thread {}", taker->number(), number_);
  halt();
  for (unsigned window = 0; window < grants_.size(); ++window)
    if (grants_[window] != nullptr) revoke(window);
  if (source_ != nullptr) set_route(nullptr);
}

sluice_board& Hwt::board() const { return unit_.board(); }

sluice_hwt_info Hwt::info() const {
  sluice_hwt_info info = unit_.shared_info();
  assign(info.name, fmt::format("t{}", number_));
  info.number = number_;
  info.halted = halted_;
  return info;
}

void Hwt::require_running(const char* what) const {
  if (halted_) throw Error(EBUSY, "thread {} is halted and takes no {}", number_, what);
}

void Hwt::require_kernel() const {
  if (unit_.shared_info().kernels == 0)
    throw Error(ENOTSUP, "thread {} has a lane only, no kernels and no mailboxes", number_);
}

uint32_t Hwt::read_page(uint32_t offset) const {
  const HwtEntry& entry = unit_.entry();
  return unit_.platform().read32(entry.first_page + number_ * entry.page_stride + offset);
}

void Hwt::write_page(uint32_t offset, uint32_t value) {
  const HwtEntry& entry = unit_.entry();
  unit_.platform().write32(entry.first_page + number_ * entry.page_stride + offset, value);
}

void Hwt::set_window(unsigned window, uint64_t base, uint64_t bytes, uint32_t access) {
  unit_.write(SL_STREAMIF_WINDOW_BASE_OFFSET, static_cast<uint32_t>(base));
  unit_.write(SL_STREAMIF_WINDOW_LIMIT_OFFSET,
              bytes == 0 ? 0 : static_cast<uint32_t>(base + bytes - 1));
  unit_.write(SL_STREAMIF_WINDOW_SET_OFFSET,
              number_ << SL_STREAMIF_WINDOW_SET_THREAD_SHIFT |
                  window << SL_STREAMIF_WINDOW_SET_WINDOW_SHIFT |
                  (access & SLUICE_READ ? SL_STREAMIF_WINDOW_SET_READ_MASK : 0) |
                  (access & SLUICE_WRITE ? SL_STREAMIF_WINDOW_SET_WRITE_MASK : 0) |
                  SL_STREAMIF_WINDOW_SET_GO_MASK);
  for (unsigned i = 0; unit_.read(SL_STREAMIF_WINDOW_SET_OFFSET) & SL_STREAMIF_WINDOW_SET_GO_MASK;
       ++i)
    if (i == kPolls) throw Error(ETIMEDOUT, "a window of thread {} is not set", number_);
}

unsigned Hwt::grant(const sluice_hwt_window& grant) {
  const auto free = std::ranges::find(grants_, nullptr);
  if (free == grants_.end())
    throw Error(ENOSPC, "thread {} holds {} grants, the largest number", number_, grants_.size());
  auto& buffer = static_cast<RegisterBuffer&>(*grant.buffer);
  const auto window = static_cast<unsigned>(free - grants_.begin());
  set_window(window, buffer.address() + grant.offset, grant.bytes, grant.access);
  ++buffer.grants();
  *free = &buffer;
  return window;
}

void Hwt::revoke(unsigned grant) {
  revive();
  if (grant >= grants_.size() || grants_[grant] == nullptr)
    throw Error(ENOENT, "thread {} has no grant {}", number_, grant);
  unit_.service();
  if (!halted_ && has_commands())
    throw Error(EBUSY, "thread {} has commands, which keep their grants; halt it first", number_);
  set_window(grant, 0, 0, 0);
  --grants_[grant]->grants();
  grants_[grant] = nullptr;
}

unsigned Hwt::submit(std::span<const sluice_hwt_command> commands) {
  require_running("commands");
  unit_.service();
  unsigned taken = 0;
  for (const sluice_hwt_command& command : commands) {
    HwtChannel& to = channel(command.direction == SLUICE_S2MM);
    if (to.room() == 0) break;
    auto& buffer = static_cast<RegisterBuffer&>(*command.buffer);
    to.submit({.address = buffer.address() + command.offset,
               .bytes = static_cast<uint32_t>(command.bytes),
               .cookie = command.cookie,
               .end_of_packet = (command.flags & SLUICE_HWT_EOP) != 0,
               .users = buffer.users()});
    ++taken;
  }
  return taken;
}

unsigned Hwt::reap(sluice_direction direction, std::span<sluice_completion> completions,
                   int64_t timeout_ns) {
  HwtChannel& from = channel(direction == SLUICE_S2MM);
  if (!from.has_completion()) revive();
  unit_.wait_until(0, timeout_ns, [&] { return from.has_completion() || from.idle(); });
  unsigned taken = 0;
  while (taken < completions.size() && from.has_completion())
    completions[taken++] = from.take_completion();
  return taken;
}

void Hwt::set_route(const Hwt* source) {
  const unsigned from = source == nullptr ? 0 : source->number();
  unit_.write(SL_STREAMIF_ROUTE_SET_OFFSET,
              number_ << SL_STREAMIF_ROUTE_SET_THREAD_SHIFT |
                  from << SL_STREAMIF_ROUTE_SET_SOURCE_SHIFT |
                  (source == nullptr ? 0 : SL_STREAMIF_ROUTE_SET_DIRECT_MASK) |
                  SL_STREAMIF_ROUTE_SET_GO_MASK);
  source_ = source;
}

void Hwt::route(sluice_hwt* source) {
  if (source != nullptr && !unit_.entry().routes)
    throw Error(
        ENOTSUP,
        "the threads of this design cannot be connected; each has a stream from memory only");
  auto* const next = static_cast<Hwt*>(source);
  unit_.service();
  auto* const before = const_cast<Hwt*>(source_);
  std::vector<Hwt*> threads{this};
  for (Hwt* other : {next, before})
    if (other != nullptr && std::ranges::find(threads, other) == threads.end())
      threads.push_back(other);
  for (const Hwt* thread : threads)
    if (thread->has_commands())
      throw Error(EBUSY, "thread {} has commands; its route can change only when it has none",
                  thread->number());
  if (next != nullptr)
    if (const Hwt* taker = unit_.taker_of(*next, this))
      throw Error(EBUSY, "thread {} takes the stream of thread {} already", taker->number(),
                  next->number());
  for (Hwt* thread : threads) thread->revive();
  std::erase_if(threads, [](const Hwt* thread) { return thread->halted(); });
  for (Hwt* thread : threads) thread->halt();
  set_route(next);
  for (Hwt* thread : threads) thread->resume();
}

void Hwt::halt() {
  if (halted_ && !stuck_) return;
  unit_.service();
  halted_ = true;
  stuck_ = true;
  unit_.set_halt(number_, true);
  stuck_ = false;
  read_.cancel();
  write_.cancel();
  jobs_ = 0;
}

void Hwt::revive() {
  if (stuck_) halt();
}

void Hwt::resume() {
  if (!halted_) return;
  revive();
  unit_.set_halt(number_, false);
  halted_ = false;
}

void Hwt::set_kernel(uint32_t kernel) {
  if (kernel == SLUICE_HWT_LANE && unit_.shared_info().kernels == 0) return;
  require_kernel();
  if (kernel >= 32 || (unit_.shared_info().kernels >> kernel & 1) == 0)
    throw Error(ENOTSUP, "thread {} has no kernel {}", number_, kernel);
  if (jobs_ != 0 || SLUICE_HWT_FIELD(read_page(SL_HWT_STATE_OFFSET), SL_HWT_STATE, STATE) != 0)
    throw Error(EBUSY, "thread {} has a job that has not finished", number_);
  write_page(SL_HWT_KERNEL_OFFSET, kernel);
  kernel_ = kernel;
}

void Hwt::start(uint32_t a, uint32_t b) {
  require_kernel();
  require_running("jobs");
  if (kernel_ == SLUICE_HWT_LANE)
    throw Error(ENOTSUP, "thread {} has no kernel set that takes jobs", number_);
  if (!possible(kernel_, a, b))
    throw Error(EINVAL, "kernel {} of thread {} has no job {}, {}: out of range", kernel_, number_,
                a, b);
  const uint32_t room =
      SLUICE_HWT_FIELD(read_page(SL_HWT_PUT_STATE_OFFSET), SL_HWT_PUT_STATE, FREE);
  if (room < 2) throw Error(EAGAIN, "the mailbox of thread {} has no room for a job", number_);
  write_page(SL_HWT_PUT_OFFSET, a);
  write_page(SL_HWT_PUT_OFFSET, b);
  ++jobs_;
}

std::optional<uint32_t> Hwt::wait(int64_t timeout_ns) {
  require_kernel();
  if (jobs_ == 0) throw Error(ENOENT, "thread {} has no job to wait for", number_);
  const std::optional<uint32_t> result = get(timeout_ns);
  if (result) --jobs_;
  return result;
}

bool Hwt::wait_mail(uint32_t cause, int64_t timeout_ns, const std::function<bool()>& done) {
  if (done()) return true;
  if (timeout_ns == 0) return false;
  write_page(SL_HWT_IRQ_ENABLE_OFFSET, cause);
  const uint64_t line = uint64_t{1} << (unit_.entry().mail_line + number_);
  const bool in_time = unit_.wait_until(line, timeout_ns, done);
  write_page(SL_HWT_IRQ_ENABLE_OFFSET, 0);
  return in_time;
}

bool Hwt::put(uint32_t word, int64_t timeout_ns) {
  require_kernel();
  require_running("mail");
  const bool room = wait_mail(SL_HWT_IRQ_ENABLE_EMPTY_MASK, timeout_ns, [&] {
    return SLUICE_HWT_FIELD(read_page(SL_HWT_PUT_STATE_OFFSET), SL_HWT_PUT_STATE, FREE) != 0;
  });
  if (room) write_page(SL_HWT_PUT_OFFSET, word);
  return room;
}

std::optional<uint32_t> Hwt::get(int64_t timeout_ns) {
  require_kernel();
  require_running("mail");
  const bool there = wait_mail(SL_HWT_IRQ_ENABLE_MAIL_MASK, timeout_ns, [&] {
    return SLUICE_HWT_FIELD(read_page(SL_HWT_GET_STATE_OFFSET), SL_HWT_GET_STATE, FILL) != 0;
  });
  if (!there) return std::nullopt;
  return read_page(SL_HWT_GET_OFFSET);
}

sluice_hwt_stats Hwt::stats(sluice_direction direction) {
  unit_.service();
  return channel(direction == SLUICE_S2MM).stats();
}

void Hwt::clear_stats() {
  unit_.write(SL_STREAMIF_STATS_CLEAR_OFFSET, uint32_t{3} << (2 * number_));
}

// --- all threads ---------------------------------------------------------------------------

HwtUnit::HwtUnit(sluice_board& board, Platform& platform, const HwtEntry& entry,
                 uint32_t start_cost_ns)
    : board_(board), platform_(platform), entry_(entry) {
  const uint32_t identity = read(SL_STREAMIF_IDENTITY_OFFSET);
  if (identity != SL_STREAMIF_IDENTITY_DEFAULT)
    throw Error(ENODEV, "there is no sl_streamif at 0x{:x}, but 0x{:08x}", entry.control, identity);
  const uint32_t config = read(SL_STREAMIF_CONFIG_OFFSET);
  const uint32_t limits = read(SL_STREAMIF_LIMITS_OFFSET);
  limits_ = {.start_cost_ns = start_cost_ns,
             .depth = SLUICE_HWT_FIELD(limits, SL_STREAMIF_LIMITS, DEPTH)};
  info_.width_bits = 8 * SLUICE_HWT_FIELD(config, SL_STREAMIF_CONFIG, STREAM_BYTES);
  info_.windows = SLUICE_HWT_FIELD(limits, SL_STREAMIF_LIMITS, WINDOWS);
  info_.depth = limits_.depth;
  info_.max_bytes = (uint64_t{1} << SLUICE_HWT_FIELD(config, SL_STREAMIF_CONFIG, LEN_BITS)) - 1;
  info_.alignment = kStreamBytes;
  info_.grant_alignment = kGrantAlignment;
  // Two lines of interrupts each, before that of faults.
  if (2 * entry_.count > entry_.fault_line)
    throw Error(ENODEV, "sl_streamif says it has {} threads; there are at most {}", entry_.count,
                entry_.fault_line / 2);
  if (entry_.count == 0 || limits_.depth == 0 || info_.windows == 0)
    throw Error(ENODEV, "sl_streamif says it has {} threads of {} windows and {} commands",
                entry_.count, info_.windows, limits_.depth);
  info_.kernels = (2U << SLUICE_HWT_SOBEL) - 1;
  threads_.resize(entry_.count);
  write(SL_STREAMIF_IRQ_ENABLE_OFFSET,
        static_cast<uint32_t>((uint64_t{1} << (2 * entry_.count)) - 1));
}

uint32_t HwtUnit::read(uint32_t offset) const { return platform_.read32(entry_.control + offset); }

void HwtUnit::write(uint32_t offset, uint32_t value) {
  platform_.write32(entry_.control + offset, value);
}

Hwt& HwtUnit::open(unsigned number) {
  if (number >= entry_.count)
    throw Error(ENOENT, "there is no thread {}; allowed: 0 to {}", number, entry_.count - 1);
  if (threads_[number] != nullptr) throw Error(EBUSY, "thread {} is open", number);
  auto thread = std::make_unique<Hwt>(*this, number);
  thread->open();
  threads_[number] = std::move(thread);
  return *threads_[number];
}

void HwtUnit::close(Hwt& hwt) {
  hwt.close();
  threads_[hwt.number()].reset();
}

void HwtUnit::set_halt(unsigned number, bool halted) {
  const uint32_t bit = uint32_t{1} << number;
  halts_ = halted ? halts_ | bit : halts_ & ~bit;
  write(SL_STREAMIF_HALT_OFFSET, halts_);
  for (unsigned i = 0; halted && (read(SL_STREAMIF_IDLE_OFFSET) & bit) == 0; ++i)
    if (i == kPolls) throw Error(ETIMEDOUT, "thread {} does not become idle", number);
}

const Hwt* HwtUnit::taker_of(const Hwt& source, const Hwt* but) const {
  for (const auto& thread : threads_)
    if (thread != nullptr && thread.get() != but && thread->source() == &source)
      return thread.get();
  return nullptr;
}

void HwtUnit::service() {
  for (const auto& thread : threads_) {
    // Of one that comes to rest statuses may be those of before or after: halt() has the last word.
    if (thread == nullptr || thread->stuck()) continue;
    thread->channel(false).service();
    thread->channel(true).service();
  }
}

uint64_t HwtUnit::expected_interrupts() const {
  uint64_t lines = 0;
  for (const auto& thread : threads_)
    if (thread != nullptr && !thread->stuck())
      lines |=
          thread->channel(false).expected_interrupt() | thread->channel(true).expected_interrupt();
  return lines;
}

bool HwtUnit::wait_until(uint64_t lines, int64_t timeout_ns, const std::function<bool()>& done) {
  const uint64_t deadline_ns = timeout_ns < 0
                                   ? std::numeric_limits<uint64_t>::max()
                                   : platform_.now_ns() + static_cast<uint64_t>(timeout_ns);
  for (service(); !done(); service()) {
    if (platform_.now_ns() >= deadline_ns) return false;
    platform_.wait_interrupt(expected_interrupts() | lines, deadline_ns);
  }
  return true;
}

std::optional<sluice_hwt_fault> HwtUnit::next_fault(int64_t timeout_ns) {
  uint32_t record = 0;
  const auto there = [&] {
    record = read(SL_STREAMIF_FAULT_OFFSET);
    return (record & SL_STREAMIF_FAULT_VALID_MASK) != 0;
  };
  service();
  if (!there()) {
    if (timeout_ns == 0) return std::nullopt;
    write(SL_STREAMIF_FAULT_IRQ_OFFSET, SL_STREAMIF_FAULT_IRQ_ENABLE_MASK);
    const bool in_time = wait_until(uint64_t{1} << entry_.fault_line, timeout_ns, there);
    write(SL_STREAMIF_FAULT_IRQ_OFFSET, 0);
    if (!in_time) return std::nullopt;
  }
  sluice_hwt_fault fault{};
  fault.thread = SLUICE_HWT_FIELD(record, SL_STREAMIF_FAULT, THREAD);
  fault.direction = record & SL_STREAMIF_FAULT_WRITE_MASK ? SLUICE_S2MM : SLUICE_MM2S;
  fault.offset = read(SL_STREAMIF_FAULT_ADDR_OFFSET);
  fault.bytes = read(SL_STREAMIF_FAULT_BYTES_OFFSET);
  const auto count = static_cast<uint16_t>(SLUICE_HWT_FIELD(record, SL_STREAMIF_FAULT, COUNT));
  fault.refused = static_cast<uint16_t>(count - faults_told_);
  faults_told_ = count;
  write(SL_STREAMIF_FAULT_OFFSET, SL_STREAMIF_FAULT_VALID_MASK);
  return fault;
}

}  // namespace sluice
