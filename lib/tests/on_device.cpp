// SPDX-License-Identifier: Apache-2.0
// What the library does on a device of the real driver, run in a guest by
// driver/tests/test_sluice_library.py. Needs nothing but the library; says why it fails.
//
//   on_device list                                 boards, channels, and what they can do
//   on_device loopback URI TX RX ROUNDS SEED [SET] packets of random lengths, several queued; SET:
//                                                  an attribute that is 1 then
//   on_device unsynced URI TX RX ROUNDS SEED       the same, the CPU's accesses not bracketed
//   on_device copy URI CHANNEL ROUNDS SEED         copies of random ranges
//   on_device polled URI TX RX                     completions without a system call
//   on_device any URI TX RX ROUNDS SEED            waits for both channels of a loop-back at once
//   on_device timeout URI RX                       time limits, cancelling, the channel afterwards
//   on_device refuse URI TX RX                     what a driver refuses, with its sentence
//   on_device capture URI RX PERIODS HOW PAUSE     every word of a source that numbers them, with a
//                                                  pause of so many ticks after each period; HOW:
//                                                  keep, nothing may be lost (else status 3), or
//                                                  hold, the reader is blocked on purpose; stall,
//                                                  so is the stream
//   on_device attributes URI                       what each is, after each was read and set
//   on_device pieces URI RX                        a capture into memory that is not contiguous
//   on_device idle URI CHANNEL HOW                 keeps a transfer under way until it is over; HOW
//                                                  it is waited for: reap or any
//   on_device import URI PATH SEED                 to a card and back, from a buffer that is not
//                                                  the library's: of a heap (/dev/dma_heap/...), or
//                                                  part of another board's memory (/dev/sluice/...)
//   on_device ram URI CHANNEL ROUNDS SEED          to the engine's part of the board's block RAM
//                                                  and back, with the processor's own accesses to
//                                                  it
//   on_device through URI CHANNEL PATH ROUNDS SEED copies to such a buffer and back
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sluice.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "uapi.hpp"

namespace {

using namespace sluice;

constexpr int64_t kWaitNs = 600'000'000'000;  // against hanging only
constexpr unsigned kQueued = 8;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what + "; the library's last: " + sluice_last_error());
}

void print(const char* name, uint64_t value) {
  std::printf("%s %llu\n", name, static_cast<unsigned long long>(value));
}

sluice_channel_info info_of(sluice_channel* channel) {
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel, &info, sizeof info));
  return info;
}

struct Arguments {
  std::vector<std::string> words;
  [[nodiscard]] const std::string& operator[](size_t index) const {
    require(index < words.size(), "an argument is missing");
    return words[index];
  }
  [[nodiscard]] uint64_t number(size_t index) const { return std::stoull((*this)[index]); }
};

bool bracketed = true;

// The CPU's access to a buffer, unless the test is to do without.
class MaybeAccess {
 public:
  MaybeAccess(sluice_buffer* buffer, unsigned access) {
    if (bracketed) access_.emplace(buffer, access);
  }

 private:
  std::optional<Access> access_;
};

void fill(sluice_buffer* buffer, std::mt19937_64& random) {
  const MaybeAccess access(buffer, SLUICE_WRITE);
  std::ranges::generate(bytes_of(buffer), [&] { return static_cast<uint8_t>(random()); });
}

bool equal(sluice_buffer* a, uint64_t a_offset, sluice_buffer* b, uint64_t b_offset,
           uint64_t bytes) {
  const MaybeAccess access_a(a, SLUICE_READ), access_b(b, SLUICE_READ);
  return std::memcmp(bytes_of(a).data() + a_offset, bytes_of(b).data() + b_offset, bytes) == 0;
}

void list(const Arguments&) {
  sluice_board_description entry{};
  for (unsigned index = 0; sluice_enumerate(index, &entry, sizeof entry) == 0; ++index) {
    std::printf("board %s\n", entry.uri);
    const BoardHandle board = open_board(entry.uri);
    sluice_channel* channel = nullptr;
    for (unsigned i = 0; (channel = sluice_board_channel(board.get(), i)) != nullptr; ++i) {
      const sluice_channel_info info = info_of(channel);
      std::printf("channel %s %u %u %llu\n", info.name, info.direction, info.capabilities,
                  static_cast<unsigned long long>(info.max_packet_bytes));
    }
  }
}

void loopback(const Arguments& given) {
  constexpr uint64_t kBytes = 65536;  // one piece, of the system heap too
  const BoardHandle board = open_board(given[0]);
  if (given.words.size() > 5)
    require(sluice_board_set_attribute(board.get(), given[5].c_str(), 1) == 0, given[5]);
  sluice_channel *tx = find_channel(board.get(), given[1]),
                 *rx = find_channel(board.get(), given[2]);
  const uint64_t step = info_of(tx).offset_alignment;
  std::mt19937_64 random(given.number(4));
  std::vector<BufferHandle> sent, received;
  for (unsigned i = 0; i < kQueued; ++i) {
    sent.push_back(allocate(board.get(), kBytes));
    received.push_back(allocate(board.get(), kBytes));
  }
  uint64_t bytes = 0, short_packets = 0;
  for (uint64_t round = 0; round < given.number(3); ++round) {
    std::vector<sluice_transfer> sends, receives;
    for (unsigned i = 0; i < kQueued; ++i) {
      fill(sent[i].get(), random);
      const uint64_t offset = random() % 64 * step;
      const uint64_t length = 1 + random() % (kBytes - 2 * offset);
      sends.push_back({.buffer = sent[i].get(), .offset = offset, .bytes = length, .cookie = i});
      receives.push_back({.buffer = received[i].get(),
                          .offset = 2 * offset,
                          .bytes = kBytes - 2 * offset,
                          .cookie = 100 + i});
    }
    require(sluice_channel_submit(rx, receives.data(), kQueued, sizeof receives[0]) == kQueued,
            "receives are not taken");
    require(sluice_channel_submit(tx, sends.data(), kQueued, sizeof sends[0]) == kQueued,
            "sends are not taken");
    for (unsigned i = 0; i < kQueued; ++i) {
      const sluice_completion out = wait(tx, kWaitNs), in = wait(rx, kWaitNs);
      require(out.cookie == i && in.cookie == 100 + i, "out of order");
      require(out.status == 0 && in.status == 0, sluice_status_text(in.status));
      require(out.bytes == sends[i].bytes && in.bytes == sends[i].bytes, "a wrong length");
      require(in.end_of_packet == (in.bytes < receives[i].bytes), "a wrong end of packet");
      require(in.start_ns < in.finish_ns && in.finish_ns <= sluice_board_now_ns(board.get()),
              "times out of order");
      require(
          equal(sent[i].get(), sends[i].offset, received[i].get(), receives[i].offset, in.bytes),
          "data did not come back as it was");
      bytes += in.bytes;
      short_packets += in.end_of_packet;
    }
  }
  print("bytes", bytes);
  print("short_packets", short_packets);
}

void unsynced(const Arguments& given) {
  bracketed = false;
  loopback(given);
}

void copy_ranges(const Arguments& given) {
  constexpr uint64_t kBytes = 1 << 18;
  const BoardHandle board = open_board(given[0]);
  sluice_channel* channel = find_channel(board.get(), given[1]);
  const uint64_t step = info_of(channel).offset_alignment;
  std::mt19937_64 random(given.number(3));
  const BufferHandle from = allocate(board.get(), kBytes), to = allocate(board.get(), kBytes);
  uint64_t bytes = 0;
  for (uint64_t round = 0; round < given.number(2); ++round) {
    fill(from.get(), random);
    std::vector<sluice_copy> copies;
    const uint64_t room = kBytes / kQueued;
    for (unsigned i = 0; i < kQueued; ++i) {
      const uint64_t length = step * (1 + random() % (room / step / 2));
      copies.push_back({.source = from.get(),
                        .source_offset = random() % ((kBytes - length) / step) * step,
                        .destination = to.get(),
                        .destination_offset = i * room + random() % (room / step / 2) * step,
                        .bytes = length,
                        .cookie = i,
                        .timeout_ns = 0});
    }
    require(sluice_channel_copy(channel, copies.data(), kQueued, sizeof copies[0]) == kQueued,
            "copies are not taken");
    for (unsigned i = 0; i < kQueued; ++i) {
      const sluice_completion done = wait(channel, kWaitNs);
      require(done.status == 0 && done.cookie == i && done.bytes == copies[i].bytes,
              "a copy failed");
      bytes += done.bytes;
    }
    for (const sluice_copy& copy : copies)
      require(equal(from.get(), copy.source_offset, to.get(), copy.destination_offset, copy.bytes),
              "a copy is not like its source");
  }
  print("bytes", bytes);
}

// Voluntary context switches: a system call that waits makes one, polling makes none.
uint64_t switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_nvcsw);
}

void polled(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  sluice_channel *tx = find_channel(board.get(), given[1]),
                 *rx = find_channel(board.get(), given[2]);
  const BufferHandle from = allocate(board.get(), 4096), to = allocate(board.get(), 4096);
  std::vector<sluice_transfer> sends(32, {.buffer = from.get(), .offset = 0, .bytes = 64});
  std::vector<sluice_transfer> receives(32, {.buffer = to.get(), .offset = 0, .bytes = 64});
  check(sluice_channel_submit(rx, receives.data(), 32, sizeof receives[0]));
  check(sluice_channel_submit(tx, sends.data(), 32, sizeof sends[0]));
  const uint64_t before = switches();
  const uint64_t deadline_ns = sluice_board_now_ns(board.get()) + kWaitNs;
  uint64_t taken = 0;
  for (sluice_channel* channel : {tx, rx}) {
    for (unsigned left = 32; left > 0;) {
      sluice_completion completions[32];
      const int count =
          check(sluice_channel_reap(channel, completions, 32, sizeof completions[0], 0));
      require(sluice_board_now_ns(board.get()) < deadline_ns, "no completion");
      left -= static_cast<unsigned>(count);
      taken += static_cast<unsigned>(count);
    }
  }
  print("taken", taken);
  print("switches", switches() - before);
}

// Two packets are awaited, and sent one by one: once the first was received and reaped, only its
// sending can be over, although the receiver comes first in the array.
void any(const Arguments& given) {
  constexpr uint64_t kBytes = 32768;  // two are one piece, of the system heap too
  constexpr int64_t kInVainNs = 20'000'000;
  const BoardHandle board = open_board(given[0]);
  sluice_channel *tx = find_channel(board.get(), given[1]),
                 *rx = find_channel(board.get(), given[2]);
  sluice_channel* const both[] = {rx, tx};
  const BufferHandle from = allocate(board.get(), kBytes), to = allocate(board.get(), 2 * kBytes);
  std::mt19937_64 random(given.number(4));
  require(!wait_any(both), "nothing is queued, and something is over");
  for (uint64_t round = 0; round < given.number(3); ++round) {
    fill(from.get(), random);
    for (const uint64_t offset : {uint64_t{0}, kBytes})
      submit(rx, {.buffer = to.get(), .offset = offset, .bytes = kBytes});
    const uint64_t before_ns = sluice_board_now_ns(board.get());
    require(!wait_any(both, kInVainNs), "something is over before anything was sent");
    // By another clock than the board's.
    require(sluice_board_now_ns(board.get()) - before_ns >= kInVainNs / 2, "the wait was cut");
    for (unsigned packet = 0; packet < 2; ++packet) {
      submit(tx, {.buffer = from.get(), .offset = 0, .bytes = kBytes});
      const auto first = wait_any(both, kWaitNs);
      require(first.has_value(), "nothing is over in time");
      require(wait(both[*first], 0).bytes == kBytes, "the first transfer failed");
      require(wait_any(both, kWaitNs) == 1 - *first, "the other channel is not over next");
      require(wait(both[1 - *first], 0).bytes == kBytes, "the second transfer failed");
    }
    for (const uint64_t offset : {uint64_t{0}, kBytes})
      require(equal(from.get(), 0, to.get(), offset, kBytes), "data did not come as it was");
  }
  print("rounds", given.number(3));
}

void limit(const Arguments& given) {
  constexpr uint64_t kLimitNs = 50'000'000;
  const BoardHandle board = open_board(given[0]);
  sluice_channel* rx = find_channel(board.get(), given[1]);
  const BufferHandle to = allocate(board.get(), 4096);
  sluice_transfer receive{.buffer = to.get(), .offset = 0, .bytes = 64, .cookie = 1};
  for (int round = 0; round < 3; ++round) {
    receive.timeout_ns = kLimitNs;
    submit(rx, receive);
    receive.timeout_ns = 0;
    submit(rx, receive);
    sluice_completion none{};
    require(sluice_channel_reap(rx, &none, 1, sizeof none, 1'000'000) == 0, "something came");
    const sluice_completion first = wait(rx, kWaitNs), second = wait(rx, kWaitNs);
    require(first.status == -ETIMEDOUT, "no time limit");
    require(second.status == -ECANCELED, "not cancelled beside it");
    require(first.finish_ns - first.start_ns >= kLimitNs, "its time was cut");
    print("over_ns", first.finish_ns - first.start_ns - kLimitNs);
    submit(rx, receive);
    check(sluice_channel_cancel(rx));
    require(wait(rx, 0).status == -ECANCELED, "not cancelled");
  }
}

void refuse(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  sluice_channel *tx = find_channel(board.get(), given[1]),
                 *rx = find_channel(board.get(), given[2]);
  const auto says = [](int result, int error, const char* what) {
    require(result == error, std::string("not refused: ") + what);
    std::printf("%s: %s\n", what, sluice_last_error());
  };
  // Memory in pieces: a heap has none larger than 1 MiB.
  const BufferHandle large = allocate(board.get(), 16 << 20);
  sluice_transfer receive{.buffer = large.get(), .offset = 0, .bytes = 16 << 20};
  says(sluice_channel_submit(rx, &receive, 1, sizeof receive), -EINVAL, "pieces");
  receive.flags = SLUICE_TRANSFER_FILL;
  require(sluice_channel_submit(rx, &receive, 1, sizeof receive) == 1, "a filled one");
  says(sluice_buffer_begin_access(large.get(), SLUICE_READ), -EBUSY, "access");
  check(sluice_channel_cancel(rx));
  require(wait(rx, 0).status == -ECANCELED, "not cancelled");
  const sluice_transfer send{.buffer = large.get(), .offset = 1, .bytes = 64};
  if (info_of(tx).offset_alignment > 1)
    says(sluice_channel_submit(tx, &send, 1, sizeof send), -EINVAL, "alignment");
  const BoardHandle again = open_board(given[0]);
  sluice_channel_info info{};
  says(sluice_channel_get_info(find_channel(again.get(), given[1]), &info, sizeof info), -EBUSY,
       "busy");
  const BoardHandle odd = open_board(given[0] + "?heap=none");
  sluice_buffer* none = nullptr;
  says(sluice_buffer_alloc(odd.get(), 64, nullptr, 0, &none), -ENOENT, "heap");
  sluice_board* no_board = nullptr;
  says(sluice_board_open("dev:none", &no_board), -ENODEV, "board");
}

// --- capture -----------------------------------------------------------------------------------

constexpr uint32_t kRing = 64;  // periods
constexpr uint32_t kWords = 1024;
constexpr uint64_t kPeriodBytes = 4 * kWords;
constexpr uint64_t kBatch = 16;  // periods read at once
constexpr int kOvertaken = 3;    // exit status

struct Overtaken {};  // by a host that had no time for the reader

// The counter source of the design `capture` in front of a channel, whose engine takes whole beats
// only.
class Source {
 public:
  Source(sluice_board* board, sluice_channel* channel)
      : board_(board), beat_bytes_(info_of(channel).offset_alignment) {
    const std::string name = info_of(channel).name;
    lane_ = name.substr(0, name.find('.'));
    set("enable", 0);
  }
  ~Source() { sluice_board_set_attribute(board_, attribute("enable").c_str(), 0); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // `waits`: for the stream to be taken, instead of dropping.
  void start(uint64_t pause_ticks, bool waits) {
    set("packet_beats", kPeriodBytes / beat_bytes_);
    set("pause_ticks", pause_ticks);
    set("frame_packets", kRing);
    set("frame_ticks", 0);
    set("start", 0);
    set("continuous", 1);
    set("free_run", waits ? 0 : 1);
    set("clear", 1);
    set("enable", 1);
  }
  void stop() { set("enable", 0); }
  // It has sent so many since.
  uint64_t packets() const {
    uint64_t count = 0;
    check(sluice_board_get_attribute(board_, attribute("packets").c_str(), &count));
    return count;
  }

 private:
  std::string attribute(const char* what) const { return lane_ + ".source." + what; }
  void set(const char* what, uint64_t value) {
    check(sluice_board_set_attribute(board_, attribute(what).c_str(), value));
  }

  sluice_board* board_;
  uint64_t beat_bytes_;
  std::string lane_;
};

sluice_capture_status status_of(sluice_channel* channel) {
  sluice_capture_status status{};
  check(sluice_capture_get_status(channel, &status, sizeof status));
  return status;
}

void check_period(sluice_channel* channel, const std::vector<uint32_t>& words, uint64_t number) {
  // A sentence is made for a wrong word only: a slow processor has to keep up.
  for (uint32_t i = 0; i < kWords; ++i)
    if (words[i] != static_cast<uint32_t>(number * kWords + i))
      require(false, "period " + std::to_string(number) + ", word " + std::to_string(i) + ": " +
                         std::to_string(words[i]));
  sluice_capture_period record{};
  const int result = sluice_capture_get_period(channel, number, &record, sizeof record);
  if (result == -ENOENT) return;  // the record of a later one has taken its place
  check(result);
  require(record.time_ns != 0 && record.drops == 0, "a period's record makes no sense");
  require(!record.exact || (record.ticks != 0 && record.bytes != 0), "exact, but without counts");
}

// Copies periods from `number` on, then lets go of them, which says which of the copies count. How
// many there were; those lost are added to `lost`.
uint64_t read_periods(sluice_channel* channel, sluice_buffer* ring, uint64_t number, uint64_t end,
                      std::vector<uint64_t>* lost) {
  uint64_t produced = 0;
  require(check(sluice_capture_wait(channel, number, kWaitNs, &produced)) == 1, "no period");
  const uint64_t count = std::min({produced - number, kBatch, end - number});
  std::vector<std::vector<uint32_t>> copies(count, std::vector<uint32_t>(kWords));
  {
    const Access access(ring, SLUICE_READ);
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(copies[i].data(), bytes_of(ring).data() + (number + i) % kRing * kPeriodBytes,
                  kPeriodBytes);
  }
  sluice_capture_answer answer{};
  check(sluice_capture_release(channel, number + count, &answer, sizeof answer));
  require(answer.released == number && answer.lost <= count, "a release makes no sense");
  for (uint64_t i = 0; i < count; ++i) {
    if (i < answer.lost)
      lost->push_back(number + i);
    else
      check_period(channel, copies[i], number + i);
  }
  return count;
}

// What the losses name below `periods`.
std::vector<uint64_t> named_losses(sluice_channel* channel, uint64_t periods) {
  std::vector<uint64_t> named;
  sluice_capture_loss loss{};
  for (uint64_t i = 0; sluice_capture_get_loss(channel, i, &loss, sizeof loss) == 0; ++i)
    for (uint64_t n = loss.first; n < loss.first + loss.count && n < periods; ++n)
      named.push_back(n);
  return named;
}

void capture(const Arguments& given) {
  // The server of a tcp: board has its keys.
  const bool served = given[0].starts_with("tcp:");
  const BoardHandle board = open_board(given[0] + (served ? "" : "?heap=cma"));
  sluice_channel* rx = find_channel(board.get(), given[1]);
  Source source(board.get(), rx);
  const uint64_t periods = given.number(2);
  const bool holds = given[3] == "hold", stalls = given[3] == "stall";
  require((info_of(rx).capabilities & (SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT)) ==
              (SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT),
          "it cannot capture, or not count");
  const BufferHandle ring = allocate(board.get(), kRing * kPeriodBytes);
  const sluice_capture what{.buffer = ring.get(),
                            .offset = 0,
                            .period_bytes = kPeriodBytes,
                            .periods = kRing,
                            .flags = stalls ? SLUICE_CAPTURE_HOLD : 0};
  std::vector<uint64_t> lost;
  for (const uint64_t end : {periods, uint64_t{8}}) {  // and once more
    check(sluice_capture_start(rx, &what, sizeof what));
    require(status_of(rx).running && status_of(rx).exact == (stalls ? 0 : 1),
            "not running, or not exact");
    require(sluice_capture_start(rx, &what, sizeof what) == -EBUSY, "started twice");
    require(sluice_capture_wait(rx, 0, 0, nullptr) == 0, "a period without a source");
    lost.clear();
    source.start(given.number(4), stalls);
    for (uint64_t number = 0, next = kRing; number < end;) {
      number += read_periods(rx, ring.get(), number, end, &lost);
      if (!holds && !lost.empty()) throw Overtaken();
      if ((!holds && !stalls) || number < next) continue;
      while (holds && source.packets() < number + 2 * kRing)
        check(sluice_board_sleep_ns(board.get(), 2'000'000));
      if (stalls) check(sluice_board_sleep_ns(board.get(), 100'000'000));
      require(!stalls || status_of(rx).produced <= number + kRing, "written over");
      next = number + 4 * kRing;
    }
    source.stop();
    check(sluice_capture_stop(rx));
    require(!status_of(rx).running && status_of(rx).produced >= end, "not stopped as it was");
    require(named_losses(rx, end) == lost, "the losses are not what was lost");
    if (end == periods) print("lost", lost.size());
  }
  print("periods", periods);
}

void attributes(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  sluice_attribute_info info{};
  for (unsigned i = 0; sluice_board_attribute(board.get(), i, &info, sizeof info) == 0; ++i) {
    uint64_t value = 0;
    check(sluice_board_get_attribute(board.get(), info.name, &value));
    const int error = info.max > 0 ? -ERANGE : -EACCES;
    require(sluice_board_set_attribute(board.get(), info.name, info.max + 1) == error, info.name);
    if (info.max > 0) check(sluice_board_set_attribute(board.get(), info.name, value));
    std::printf("%s: %llu: %s\n", info.name, static_cast<unsigned long long>(info.max), info.text);
  }
  require(sluice_board_set_attribute(board.get(), "hp0.dma.control", 0) == -ENOENT, "an engine's");
}

void pieces(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  sluice_channel* rx = find_channel(board.get(), given[1]);
  const BufferHandle large = allocate(board.get(), 16 << 20);  // a heap has none larger than 1 MiB
  const sluice_capture what{
      .buffer = large.get(), .offset = 0, .period_bytes = 1 << 18, .periods = kRing, .flags = 0};
  require(sluice_capture_start(rx, &what, sizeof what) == -EINVAL, "not refused");
  std::printf("%s\n", sluice_last_error());
}

void idle(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  sluice_channel* rx = find_channel(board.get(), given[1]);
  const BufferHandle to = allocate(board.get(), 4096);
  submit(rx, {.buffer = to.get(), .offset = 0, .bytes = 64});
  std::printf("waiting\n");
  std::fflush(stdout);
  if (given[2] == "any") require(wait_any(std::span(&rx, 1)).has_value(), "nothing is over");
  const sluice_completion done = wait(rx, given[2] == "any" ? 0 : kWaitNs);
  std::printf("status %d: %s\n", done.status, sluice_status_text(done.status));
}

// A dma-buf of a heap, or of a memory node.
int foreign(const std::string& path, uint64_t bytes) {
  const int node = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  require(node >= 0, path + " cannot be opened");
  int fd = -1;
  if (path.find("dma_heap") != std::string::npos) {
    dma_heap_allocation_data heap{
        .len = bytes, .fd = 0, .fd_flags = O_RDWR | O_CLOEXEC, .heap_flags = 0};
    if (::ioctl(node, DMA_HEAP_IOCTL_ALLOC, &heap) == 0) fd = static_cast<int>(heap.fd);
  } else {
    uapi::sluice_memory_export part{};
    part.size = sizeof part;
    part.bytes = bytes;
    if (::ioctl(node, SLUICE_MEMORY_EXPORT, &part) == 0) fd = part.fd;
  }
  ::close(node);
  require(fd >= 0, path + " gives no memory");
  return fd;
}

void import_foreign(const Arguments& given) {
  constexpr uint64_t kBytes = 16384;
  const BoardHandle board = open_board(given[0]);
  const int theirs = foreign(given[1], kBytes);
  const BufferHandle imported = import_buffer(board.get(), theirs);
  ::close(theirs);
  const BufferHandle back = allocate(board.get(), kBytes);
  require(sluice_buffer_bytes(imported.get()) == kBytes, "of another size");
  std::mt19937_64 random(given.number(2));
  fill(imported.get(), random);
  const sluice_transfer to{.buffer = imported.get(), .bytes = kBytes, .card_offset = 1 << 20};
  const sluice_transfer from{.buffer = back.get(), .bytes = kBytes, .card_offset = 1 << 20};
  sluice_channel *h2c = find_channel(board.get(), "h2c0"), *c2h = find_channel(board.get(), "c2h0");
  submit(h2c, to);
  require(wait(h2c, kWaitNs).status == 0, "it was not sent");
  submit(c2h, from);
  require(wait(c2h, kWaitNs).status == 0, "it was not fetched");
  require(equal(imported.get(), 0, back.get(), 0, kBytes), "it is not what it was");
  print("bytes", kBytes);
}

void copy_done(sluice_channel* channel, const sluice_copy& entry) {
  copy(channel, entry);
  require(wait(channel, kWaitNs).status == 0, "a copy failed");
}

void block_ram(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  sluice_channel* channel = find_channel(board.get(), given[1]);
  std::mt19937_64 random(given.number(3));
  const uint64_t bytes = info_of(channel).card_bytes, first = info_of(channel).card_first;
  const BufferHandle from = allocate(board.get(), bytes), to = allocate(board.get(), bytes);
  const BufferHandle ram = card_buffer(board.get(), first, bytes);
  for (uint64_t round = 0; round < given.number(2); ++round) {
    fill(from.get(), random);
    copy_done(channel, {.source = from.get(), .destination = ram.get(), .bytes = bytes});
    const uint64_t at = random() % bytes, count = 1 + random() % (bytes - at) % 4096;
    std::vector<uint8_t> words(count);
    check(sluice_card_read(board.get(), first + at, words.data(), count));
    {
      const Access access(from.get(), SLUICE_READ | SLUICE_WRITE);
      const auto there = bytes_of(from.get()).subspan(at, count);
      require(std::ranges::equal(there, words), "the processor reads something else there");
      std::ranges::generate(words, [&] { return static_cast<uint8_t>(random()); });
      std::ranges::copy(words, there.begin());
    }
    check(sluice_card_write(board.get(), first + at, words.data(), count));
    copy_done(channel, {.source = ram.get(), .destination = to.get(), .bytes = bytes});
    require(equal(from.get(), 0, to.get(), 0, bytes), "it is not what it was");
  }
  const BufferHandle other = card_buffer(board.get(), first == 0 ? bytes : 0, bytes);
  const sluice_copy wrong{.source = from.get(), .destination = other.get(), .bytes = 64};
  require(sluice_channel_copy(channel, &wrong, 1, sizeof wrong) == -EXDEV,
          "another engine's part is not refused");
  std::printf("refused %s\n", sluice_last_error());
  print("bytes", given.number(2) * bytes);
}

void copy_through(const Arguments& given) {
  constexpr uint64_t kBytes = 16384;
  const BoardHandle board = open_board(given[0]);
  sluice_channel* channel = find_channel(board.get(), given[1]);
  const int theirs = foreign(given[2], kBytes);
  const BufferHandle imported = import_buffer(board.get(), theirs);
  ::close(theirs);
  const BufferHandle from = allocate(board.get(), kBytes), to = allocate(board.get(), kBytes);
  std::mt19937_64 random(given.number(4));
  for (uint64_t round = 0; round < given.number(3); ++round) {
    fill(from.get(), random);
    copy_done(channel, {.source = from.get(), .destination = imported.get(), .bytes = kBytes});
    require(equal(from.get(), 0, imported.get(), 0, kBytes), "the processor sees something else");
    copy_done(channel, {.source = imported.get(), .destination = to.get(), .bytes = kBytes});
    require(equal(from.get(), 0, to.get(), 0, kBytes), "it is not what it was");
  }
  print("bytes", given.number(3) * kBytes);
}

const std::map<std::string, std::function<void(const Arguments&)>> kTests{
    {"list", list},
    {"loopback", loopback},
    {"unsynced", unsynced},
    {"copy", copy_ranges},
    {"polled", polled},
    {"any", any},
    {"timeout", limit},
    {"refuse", refuse},
    {"idle", idle},
    {"capture", capture},
    {"pieces", pieces},
    {"attributes", attributes},
    {"import", import_foreign},
    {"ram", block_ram},
    {"through", copy_through}};

}  // namespace

int main(int argc, char** argv) {
  const auto test = kTests.find(argc > 1 ? argv[1] : "");
  if (test == kTests.end()) {
    std::fprintf(stderr, "on_device: which test?\n");
    return 2;
  }
  try {
    test->second({std::vector<std::string>(argv + 2, argv + argc)});
  } catch (const Overtaken&) {
    return kOvertaken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "on_device %s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
