// SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <deque>
#include <exception>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "lane.hpp"
#include "memory_node.hpp"
#include "process_clock.hpp"

namespace sluice::bench {
namespace {

constexpr unsigned kReapAtOnce = 64;
constexpr int64_t kPatienceNs = 10'000'000'000;  // with copies beside a program

// A channel, its buffers, and how far it is.
struct Lane {
  sluice_channel* channel;
  uint32_t direction = 0;
  std::vector<BufferHandle> buffers;  // of a copy its sources; one, or one a place in the queue
  std::vector<BufferHandle> destinations;       // of a copy
  std::vector<sluice_transfer> transfers = {};  // of a submission
  std::vector<sluice_copy> copies = {};         // or these
  uint64_t submitted = 0;
  uint64_t reaped = 0;
};

// Block RAM that the channel's engine reaches, or another board's.
BufferHandle ram_of(sluice_board* board, sluice_channel* channel, const Queue& queue) {
  const uint64_t bytes = queue.bytes;
  if (!queue.ram_node.empty()) return memory_of_node(board, queue.ram_node, bytes);
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel, &info, sizeof info));
  if (bytes > info.card_bytes)
    throw std::invalid_argument(std::string("--bytes: the engine of ") + info.name + " has " +
                                std::to_string(info.card_bytes) + " bytes of block RAM");
  return card_buffer(board, info.card_first, bytes);
}

std::vector<BufferHandle> make_buffers(sluice_board* board, const Lane& lane, const Queue& queue,
                                       Side side) {
  std::vector<BufferHandle> buffers;
  if (side == Side::ram)
    buffers.push_back(ram_of(board, lane.channel, queue));
  else
    for (unsigned i = 0; i < queue.depth; ++i) buffers.push_back(allocate(board, queue.bytes));
  return buffers;
}

Lane make_lane(sluice_board* board, const std::string& name, const Queue& queue) {
  sluice_channel_info info{};
  Lane lane{.channel = find_channel(board, name)};
  check(sluice_channel_get_info(lane.channel, &info, sizeof info));
  if (queue.bytes == 0 || queue.bytes > info.max_bytes)
    throw std::invalid_argument("--bytes: " + name + " moves 1 to " +
                                std::to_string(info.max_bytes) + " bytes at a time");
  lane.direction = info.direction;
  if (info.direction == SLUICE_COPY)
    lane.destinations = make_buffers(board, lane, queue, queue.to);
  else if (queue.from == Side::ram || queue.to == Side::ram)
    throw std::invalid_argument("--from and --to ram: " + name + " does not copy");
  lane.buffers = make_buffers(board, lane, queue, queue.from);
  return lane;
}

// A packet of the source is as long as a transfer.
void switch_streams_on(sluice_board* board, const std::string& channel, uint64_t bytes) {
  const auto set = [&, lane = lane_of(channel)](const char* what, uint64_t wanted) {
    set_if_there(board, lane + what, wanted);
  };
  sluice_channel_info info{};
  check(sluice_channel_get_info(find_channel(board, channel), &info, sizeof info));
  set(".source.packet_beats", std::max<uint64_t>(bytes / beat_bytes(info), 1));
  set(".source.continuous", 1);
  set(".source.enable", 1);
  set(".sink.enable", 1);
}

// Of a transfer's memory: before it as the source of it, or after it as its destination.
void use(sluice_buffer* buffer, const Queue& queue, unsigned access) {
  if (queue.use == Use::none) return;
  const Access between(buffer, access);
  if (queue.use == Use::sync) return;
  const std::span<uint8_t> bytes = bytes_of(buffer);
  auto* const words = reinterpret_cast<volatile uint32_t*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(uint32_t);
  for (std::size_t i = 0; i < count; ++i) {
    if (access == SLUICE_WRITE)
      words[i] = static_cast<uint32_t>(i);
    else
      (void)words[i];
  }
}

void use_source(const Lane& lane, const Queue& queue, std::size_t slot) {
  if (lane.direction != SLUICE_S2MM && queue.from == Side::memory)
    use(lane.buffers[slot].get(), queue, SLUICE_WRITE);
}

void use_destination(const Lane& lane, const Queue& queue, std::size_t slot) {
  if (lane.direction == SLUICE_S2MM)
    use(lane.buffers[slot].get(), queue, SLUICE_READ);
  else if (lane.direction == SLUICE_COPY && queue.to == Side::memory)
    use(lane.destinations[slot].get(), queue, SLUICE_READ);
}

// As many as there is room for, in one call.
void submit_next(Lane& lane, const Queue& queue, uint64_t total) {
  lane.transfers.clear();
  lane.copies.clear();
  unsigned count = 0;
  while (lane.submitted + count < total && lane.submitted + count - lane.reaped < queue.depth) {
    const std::size_t slot = (lane.submitted + count) % queue.depth;
    use_source(lane, queue, slot);
    if (lane.direction == SLUICE_COPY)
      lane.copies.push_back(
          {.source = lane.buffers[slot % lane.buffers.size()].get(),
           .destination = lane.destinations[slot % lane.destinations.size()].get(),
           .bytes = queue.bytes});
    else
      lane.transfers.push_back({.buffer = lane.buffers[slot].get(), .bytes = queue.bytes});
    ++count;
  }
  if (count == 0) return;
  lane.submitted += static_cast<unsigned>(check(
      lane.direction == SLUICE_COPY
          ? sluice_channel_copy(lane.channel, lane.copies.data(), count, sizeof lane.copies[0])
          : sluice_channel_submit(lane.channel, lane.transfers.data(), count,
                                  sizeof lane.transfers[0])));
}

// What completions say together.
struct Over {
  uint64_t bytes = 0;
  uint64_t first_start_ns = UINT64_MAX;
  uint64_t last_finish_ns = 0;
};

// Add those that are over.
void reap(Lane& lane, const Queue& queue, Over& over) {
  std::array<sluice_completion, kReapAtOnce> completions;  // as many as come are filled in
  const int count = check(
      sluice_channel_reap(lane.channel, completions.data(), kReapAtOnce, sizeof completions[0], 0));
  for (int i = 0; i < count; ++i) {
    const sluice_completion& completion = completions[static_cast<std::size_t>(i)];
    if (completion.status != 0)
      throw std::runtime_error(std::string("a transfer failed: ") +
                               sluice_status_text(completion.status));
    over.bytes += completion.bytes;
    over.first_start_ns = std::min(over.first_start_ns, completion.start_ns);
    over.last_finish_ns = std::max(over.last_finish_ns, completion.finish_ns);
    use_destination(lane, queue, lane.reaped++ % queue.depth);
  }
}

// Until each channel has moved `total` transfers since it was opened, or `stop`, which is looked at
// after each completion; or nothing has come for so long.
Over run_to(std::vector<Lane>& lanes, const Queue& queue, uint64_t total,
            const std::atomic<bool>& stop = false, int64_t patience_ns = -1) {
  Over over;
  std::vector<sluice_channel*> channels;
  for (Lane& lane : lanes) {
    channels.push_back(lane.channel);
    submit_next(lane, queue, total);
  }
  while (!stop && wait_any(channels, patience_ns)) {  // until nothing is queued
    for (Lane& lane : lanes) {
      reap(lane, queue, over);
      submit_next(lane, queue, total);
    }
  }
  return over;
}

bool has_driver(const Queue& queue) { return queue.uri.starts_with("dev:"); }

void check_queue(const Queue& queue) {
  if (queue.channels.empty()) throw std::invalid_argument("--channels: name at least one");
  if (queue.depth < 1 || queue.depth > SLUICE_QUEUE_DEPTH)
    throw std::invalid_argument("--depth must be 1 to " + std::to_string(SLUICE_QUEUE_DEPTH) +
                                ", is " + std::to_string(queue.depth));
  if (queue.from == Side::ram && queue.to == Side::ram)
    throw std::invalid_argument("--from ram --to ram: one side is memory");
  if (!queue.ram_node.empty() && queue.from != Side::ram && queue.to != Side::ram)
    throw std::invalid_argument("--ram-of: neither --from nor --to is ram");
  if (queue.transfers < 1) throw std::invalid_argument("--transfers must be 1 or more, is 0");
}

// A stream's transfer may wait for that of another thread, and for ever if that one fails.
void check_copies(const Queue& queue) {
  const BoardHandle board = open_board(queue.uri);
  for (const std::string& name : queue.channels) {
    sluice_channel_info info{};
    check(sluice_channel_get_info(find_channel(board.get(), name), &info, sizeof info));
    if (info.direction != SLUICE_COPY)
      throw std::invalid_argument("--threads: " + name + " does not copy");
  }
}

// Opened, with the channels' buffers, each of which has been used once.
class Opened {
 public:
  // `streams`: what is at the channels' streams is switched on.
  explicit Opened(const Queue& queue, bool streams = true) : queue_(queue), board_(checked(queue)) {
    for (const std::string& name : queue.channels) {
      lanes_.push_back(make_lane(board_.get(), name, queue));
      if (streams) switch_streams_on(board_.get(), name, queue.bytes);
    }
    (void)run_to(lanes_, queue, queue.depth);
  }

  // `transfers` more on each channel.
  Queued run() {
    Queued queued{};
    const uint64_t total = lanes_.front().submitted + queue_.transfers;
    queued.start_ns = sluice_board_now_ns(board_.get());
    const Over over = run_to(lanes_, queue_, total);
    queued.finish_ns = sluice_board_now_ns(board_.get());
    queued.bytes = over.bytes;
    queued.first_start_ns = over.first_start_ns;
    queued.last_finish_ns = over.last_finish_ns;
    return queued;
  }

  // Transfers on each channel until `stop`; then each moves as many as the one that is furthest, so
  // that no stream waits for another one. Returns the rate at which they moved data until then.
  double run_until(const std::atomic<bool>& stop) {
    const uint64_t start_ns = sluice_board_now_ns(board_.get());
    const Over over = run_to(lanes_, queue_, UINT64_MAX, stop, kPatienceNs);
    const uint64_t stop_ns = sluice_board_now_ns(board_.get());
    if (!stop) throw_stuck();
    uint64_t total = 0;
    for (const Lane& lane : lanes_) total = std::max(total, lane.submitted);
    (void)run_to(lanes_, queue_, total, false, kPatienceNs);
    for (const Lane& lane : lanes_)
      if (lane.reaped != total) throw_stuck();
    return static_cast<double>(over.bytes) * 1e3 / static_cast<double>(stop_ns - start_ns);
  }

 private:
  [[noreturn]] static void throw_stuck() {
    throw std::runtime_error("--beside: a lane has moved nothing for 10 s");
  }
  static BoardHandle checked(const Queue& queue) {
    check_queue(queue);
    return open_board(queue.uri);
  }

  const Queue& queue_;
  BoardHandle board_;
  std::vector<Lane> lanes_;
};

}  // namespace

Queued run_queue(const Queue& queue) { return Opened(queue).run(); }

Called run_calls(const Queue& queue, unsigned runs) {
  Opened opened(queue);
  Called called;
  for (unsigned run = 0; run < runs; ++run) {
    const uint64_t worked_ns = process_work_ns();
    const Queued queued = opened.run();
    called.work_ns.push_back((process_work_ns() - worked_ns) / queue.transfers);
    called.user_ns.push_back((queued.finish_ns - queued.start_ns) / queue.transfers);
    if (has_driver(queue))
      called.kernel_ns.push_back((queued.last_finish_ns - queued.first_start_ns) / queue.transfers);
  }
  return called;
}

Called run_threads(const Queue& queue, unsigned runs) {
  if (!has_driver(queue))
    throw std::invalid_argument("--threads: each opens the device, so --device must be dev:, is " +
                                queue.uri);
  check_queue(queue);
  check_copies(queue);
  std::deque<Queue> parts;
  std::deque<Opened> opened;
  for (const std::string& channel : queue.channels) {
    parts.push_back(queue);
    parts.back().channels = {channel};
    opened.emplace_back(parts.back());
  }
  // Of the whole process, when all threads have ended a run and none has begun the next.
  std::vector<uint64_t> worked_ns;
  worked_ns.reserve(runs + 1);
  std::barrier together(static_cast<std::ptrdiff_t>(opened.size()),
                        [&]() noexcept { worked_ns.push_back(process_work_ns()); });
  std::vector<std::vector<Queued>> queued(opened.size());
  std::vector<std::exception_ptr> failed(opened.size());
  const auto run = [&](std::size_t number) {
    try {
      for (unsigned i = 0; i < runs; ++i) {
        together.arrive_and_wait();
        queued[number].push_back(opened[number].run());
      }
      together.arrive_and_wait();
    } catch (...) {
      failed[number] = std::current_exception();
      together.arrive_and_drop();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < opened.size(); ++number) threads.emplace_back(run, number);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failed)
    if (failure) std::rethrow_exception(failure);
  Called called;
  for (unsigned i = 0; i < runs; ++i) {
    Queued all = queued.front()[i];
    for (const std::vector<Queued>& of_thread : queued) {
      const Queued& one = of_thread[i];
      all.start_ns = std::min(all.start_ns, one.start_ns);
      all.finish_ns = std::max(all.finish_ns, one.finish_ns);
      all.first_start_ns = std::min(all.first_start_ns, one.first_start_ns);
      all.last_finish_ns = std::max(all.last_finish_ns, one.last_finish_ns);
    }
    called.user_ns.push_back((all.finish_ns - all.start_ns) / queue.transfers);
    called.kernel_ns.push_back((all.last_finish_ns - all.first_start_ns) / queue.transfers);
    called.work_ns.push_back((worked_ns[i + 1] - worked_ns[i]) / queue.transfers);
  }
  return called;
}

// ------------------------------------------------------------------------- copies beside a program

class Copies::Thread {
 public:
  explicit Thread(Queue queue)
      : queue_(std::move(queue)), opened_(queue_, false), thread_([this] {
          try {
            moved_mb_s_ = opened_.run_until(stop_);
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}
  ~Thread() { join(); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  double end() {
    join();
    if (failure_) std::rethrow_exception(failure_);
    return moved_mb_s_ / 2;  // what was read was written, too
  }

 private:
  void join() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  Queue queue_;
  Opened opened_;
  std::atomic<bool> stop_ = false;
  double moved_mb_s_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;  // uses all of the above
};

Copies::Copies(Queue queue, std::vector<std::string> lanes)
    : uri_(queue.uri), lanes_(std::move(lanes)) {
  if (!has_driver(queue))
    throw std::invalid_argument("--beside opens the device again, so --device must be dev:, is " +
                                queue.uri);
  std::vector<std::string> sorted = lanes_;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw std::invalid_argument("--beside: " + *twice + " is named twice");
  queue.channels.clear();
  prepare(queue);
  thread_ = std::make_unique<Thread>(std::move(queue));
}

// The thread opens the board again: a channel is open once.
void Copies::prepare(Queue& queue) const {
  const BoardHandle board = open_board(uri_);
  for (const std::string& lane : lanes_) {
    for (const char* side : {".mm2s", ".s2mm"}) {
      queue.channels.push_back(lane + side);
      sluice_channel_info info{};
      check(sluice_channel_get_info(find_channel(board.get(), queue.channels.back()), &info,
                                    sizeof info));
      if (queue.bytes == 0 || queue.bytes > info.max_bytes)
        throw std::invalid_argument("--beside-bytes must be 1 to " +
                                    std::to_string(info.max_bytes) + ", is " +
                                    std::to_string(queue.bytes));
    }
  }
  for (const std::string& lane : lanes_) {
    set_if_there(board.get(), lane + ".source.enable", 0);
    set_attribute(board.get(), lane + ".loopback", 1);
  }
}

Copies::~Copies() {
  thread_.reset();
  try {
    const BoardHandle board = open_board(uri_);
    for (const std::string& lane : lanes_) set_attribute(board.get(), lane + ".loopback", 0);
  } catch (const std::exception&) {
    // The lanes are as the failure left them, of which stop() has told.
  }
}

double Copies::stop() { return thread_->end(); }

}  // namespace sluice::bench
