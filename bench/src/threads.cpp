// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <limits>
#include <random>
#include <sluice.hpp>
#include <span>
#include <stdexcept>

#include "pattern.hpp"

namespace sluice::bench {
namespace {

constexpr uint64_t kBankBytes = 4096;  // from one bank of the memory to the next
constexpr uint64_t kPlaces = 32;       // buffers, each a bank after the one before

// Buffers as the experiments place them.
class Placer {
 public:
  explicit Placer(sluice_board* board) : board_(board) {}
  BufferHandle place(uint64_t bytes) {
    return allocate(board_, bytes,
                    {.alignment = kPlaces * kBankBytes, .offset = next_++ % kPlaces * kBankBytes});
  }

 private:
  sluice_board* board_;
  uint64_t next_ = 0;
};

sluice_hwt_command command(sluice_buffer* buffer, sluice_direction direction, uint64_t cookie = 0) {
  return {.buffer = buffer,
          .offset = 0,
          .bytes = sluice_buffer_bytes(buffer),
          .cookie = cookie,
          .direction = static_cast<uint32_t>(direction),
          .flags = direction == SLUICE_MM2S ? SLUICE_HWT_EOP : 0};
}

// Whether a completion was there; throws if it is of a command that failed.
bool reap(sluice_hwt* hwt, sluice_direction direction, sluice_completion& completion,
          int64_t timeout_ns) {
  if (check(sluice_hwt_reap(hwt, direction, &completion, 1, sizeof completion, timeout_ns)) == 0)
    return false;
  if (completion.status != 0)
    throw std::runtime_error(
        fmt::format("a command failed: {}", sluice_status_text(completion.status)));
  return true;
}

sluice_hwt_stats stats_of(sluice_hwt* hwt, sluice_direction direction) {
  sluice_hwt_stats stats{};
  check(sluice_hwt_get_stats(hwt, direction, &stats, sizeof stats));
  return stats;
}

void loop_back(sluice_board* board, unsigned thread) {
  set_attribute(board, fmt::format("t{}.loopback", thread), 1);
}

uint32_t pattern_start(unsigned thread) { return 0x1000'0000U * (thread + 1); }

// --- isolation -----------------------------------------------------------------------------

constexpr uint64_t kRogueBytes = 1 << 14;
constexpr int64_t kFeedNs = 5000;

struct Mover {
  unsigned thread;
  HwtHandle hwt;
  BufferHandle from, to;
  uint64_t start_ns = 0;
  uint64_t finish_ns = 0;
};

// The one that misbehaves, if told to.
class RogueThread {
 public:
  RogueThread(sluice_board* board, const Isolation& asked, Placer& placer,
              const std::vector<Mover>& others)
      : asked_(asked),
        hwt_(open_hwt(board, asked.rogue_thread)),
        from_(placer.place(kRogueBytes)),
        to_(placer.place(kRogueBytes)) {
    if (asked.rogue == Rogue::full) loop_back(board, asked.rogue_thread);
    if (asked.rogue != Rogue::forbidden) {
      grant(hwt_.get(), from_.get(), SLUICE_READ);
      grant(hwt_.get(), to_.get(), SLUICE_WRITE);
    }
    for (const Mover& other : others) {
      targets_.push_back(other.from.get());
      targets_.push_back(other.to.get());
    }
  }

  // Keep its queues full, and count what came of its commands.
  void feed() {
    if (asked_.rogue == Rogue::idle) return;
    for (const sluice_direction direction : {SLUICE_MM2S, SLUICE_S2MM}) {
      std::array<sluice_completion, SLUICE_QUEUE_DEPTH> done{};
      const int count = check(
          sluice_hwt_reap(hwt_.get(), direction, done.data(), done.size(), sizeof done[0], 0));
      for (int i = 0; i < count; ++i) {
        --waiting_[direction == SLUICE_S2MM];
        refused_ += done[static_cast<size_t>(i)].status == -EACCES;
      }
      while (waiting_[direction == SLUICE_S2MM] < kKept) {
        sluice_hwt_command next = command(target(direction), direction);
        next.bytes = std::min(next.bytes, kRogueBytes);
        submit(hwt_.get(), next);
        ++waiting_[direction == SLUICE_S2MM];
      }
    }
  }

  [[nodiscard]] uint64_t refused() const { return refused_; }
  [[nodiscard]] uint64_t bytes() {
    return stats_of(hwt_.get(), SLUICE_MM2S).bytes + stats_of(hwt_.get(), SLUICE_S2MM).bytes;
  }

 private:
  static constexpr unsigned kKept = 64;

  sluice_buffer* target(sluice_direction direction) {
    if (asked_.rogue == Rogue::forbidden) return targets_[next_++ % targets_.size()];
    return (direction == SLUICE_MM2S ? from_ : to_).get();
  }

  const Isolation& asked_;
  HwtHandle hwt_;
  BufferHandle from_, to_;
  std::vector<sluice_buffer*> targets_;
  size_t next_ = 0;
  std::array<unsigned, 2> waiting_{};
  uint64_t refused_ = 0;
};

void run_movers(std::vector<Mover>& movers, RogueThread& rogue) {
  rogue.feed();
  for (Mover& mover : movers) {
    check(sluice_hwt_clear_stats(mover.hwt.get()));
    mover.start_ns = std::numeric_limits<uint64_t>::max();
    submit(mover.hwt.get(), command(mover.to.get(), SLUICE_S2MM));
    submit(mover.hwt.get(), command(mover.from.get(), SLUICE_MM2S));
  }
  for (Mover& mover : movers) {
    for (const sluice_direction direction : {SLUICE_MM2S, SLUICE_S2MM}) {
      sluice_completion completion{};
      while (!reap(mover.hwt.get(), direction, completion, kFeedNs)) rogue.feed();
      mover.start_ns = std::min(mover.start_ns, completion.start_ns);
      mover.finish_ns = std::max(mover.finish_ns, completion.finish_ns);
    }
  }
}

// --- pipelines -----------------------------------------------------------------------------

constexpr unsigned kStages = 4;
constexpr uint64_t kPollNs = 500;

// The sums of the rows of the filtered image, in software.
std::vector<uint32_t> row_sums(std::span<const uint8_t> image, size_t width, size_t height) {
  std::vector<uint32_t> sums(height);
  const auto at = [&](size_t x, size_t y) { return static_cast<int>(image[y * width + x]); };
  for (size_t y = 1; y + 1 < height; ++y)
    for (size_t x = 1; x + 1 < width; ++x) {
      const int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) -
                     2 * at(x - 1, y) - at(x - 1, y + 1);
      const int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) -
                     2 * at(x, y - 1) - at(x + 1, y - 1);
      sums[y] += static_cast<uint32_t>(std::min(255, std::abs(gx) + std::abs(gy)));
    }
  return sums;
}

// A buffer of one frame after another.
struct Frames {
  sluice_buffer* buffer = nullptr;
  uint64_t bytes = 0;  // of a frame

  [[nodiscard]] std::span<uint8_t> at(unsigned frame) const {
    return bytes_of(buffer).subspan(frame * bytes, bytes);
  }
  [[nodiscard]] sluice_hwt_command command(unsigned frame, sluice_direction direction) const {
    sluice_hwt_command one = bench::command(buffer, direction);
    one.offset = frame * bytes;
    one.bytes = bytes;
    return one;
  }
};

// One thread of a pipeline: its jobs, and the memory that it reads and writes.
struct Stage {
  HwtHandle hwt;
  uint32_t a, b;
  bool reads, writes;
  Frames from{}, to{};
  unsigned started = 0;  // jobs
  unsigned ended = 0;
  unsigned fed = 0;  // frames whose data it was told to read
  unsigned read = 0;
  unsigned written = 0;  // frames that are in memory
};

class Line {
 public:
  Line(sluice_board* board, const Pipeline& asked, Placer& placer, unsigned number)
      : asked_(asked) {
    const uint32_t words = asked.words * asked.rows;
    struct Job {
      uint32_t kernel, a, b, in_words;
    };
    const std::array<Job, kStages> jobs{
        Job{.kernel = SLUICE_HWT_COPY, .a = words, .b = 0, .in_words = words},
        Job{.kernel = SLUICE_HWT_SOBEL, .a = asked.words, .b = asked.rows, .in_words = words},
        Job{.kernel = SLUICE_HWT_REDUCE, .a = asked.words, .b = asked.rows, .in_words = words},
        Job{.kernel = SLUICE_HWT_COPY, .a = asked.rows, .b = 0, .in_words = asked.rows}};
    for (unsigned i = 0; i < kStages; ++i) {
      Stage& stage = stages_.emplace_back(Stage{.hwt = open_hwt(board, number * kStages + i),
                                                .a = jobs[i].a,
                                                .b = jobs[i].b,
                                                .reads = i == 0 || !asked.direct,
                                                .writes = i + 1 == kStages || !asked.direct});
      check(sluice_hwt_set_kernel(stage.hwt.get(), jobs[i].kernel));
      if (!stage.reads) check(sluice_hwt_route(stage.hwt.get(), stages_[i - 1].hwt.get()));
      if (stage.reads) stage.from = place(placer, jobs[i].in_words);
      if (stage.reads) grant(stage.hwt.get(), stage.from.buffer, SLUICE_READ);
    }
    for (unsigned i = 0; i < kStages; ++i) {
      Stage& stage = stages_[i];
      if (!stage.writes) continue;
      stage.to = i + 1 < kStages ? stages_[i + 1].from : place(placer, asked.rows);
      grant(stage.hwt.get(), stage.to.buffer, SLUICE_WRITE);
    }
    std::mt19937_64 random(number);
    std::ranges::generate(bytes_of(stages_.front().from.buffer),
                          [&] { return static_cast<uint8_t>(random()); });
  }

  // Everything that needs no data: where to write.
  void begin() {
    for (Stage& stage : stages_)
      for (unsigned frame = 0; stage.writes && frame < asked_.frames; ++frame)
        submit(stage.hwt.get(), stage.to.command(frame, SLUICE_S2MM));
  }

  // Do what can be done now; whether all frames have come out.
  bool step() {
    for (unsigned i = 0; i < kStages; ++i) {
      Stage& stage = stages_[i];
      start_jobs(stage);
      const unsigned there = i == 0 || asked_.direct ? asked_.frames : stages_[i - 1].written;
      for (; stage.reads && stage.fed < there; ++stage.fed)
        submit(stage.hwt.get(), stage.from.command(stage.fed, SLUICE_MM2S));
      sluice_completion completion{};
      if (stage.fed > stage.read && reap(stage.hwt.get(), SLUICE_MM2S, completion, 0)) {
        if (i == 0 && stage.read == 0) start_ns = completion.start_ns;
        ++stage.read;
      }
      if (stage.writes && stage.written < asked_.frames &&
          reap(stage.hwt.get(), SLUICE_S2MM, completion, 0)) {
        if (i + 1 == kStages && stage.written == 0) first_ns = completion.finish_ns;
        ++stage.written;
        finish_ns = completion.finish_ns;
      }
    }
    return stages_.back().written == asked_.frames;
  }

  [[nodiscard]] bool verify() const {
    for (unsigned frame = 0; frame < asked_.frames; ++frame) {
      const auto sums = row_sums(stages_.front().from.at(frame), 4 * asked_.words, asked_.rows);
      const auto found = stages_.back().to.at(frame);
      if (!std::ranges::equal(std::as_bytes(std::span(sums)), std::as_bytes(found))) return false;
    }
    return true;
  }

  [[nodiscard]] uint64_t moved() const {
    uint64_t bytes = 0;
    for (const Stage& stage : stages_)
      bytes += stats_of(stage.hwt.get(), SLUICE_MM2S).bytes +
               stats_of(stage.hwt.get(), SLUICE_S2MM).bytes;
    return bytes;
  }

  uint64_t start_ns = 0;   // of the first frame
  uint64_t first_ns = 0;   // its sums were there
  uint64_t finish_ns = 0;  // the last one's were

 private:
  Frames place(Placer& placer, uint32_t words) {
    const uint64_t bytes = uint64_t{4} * words;
    buffers_.push_back(placer.place(bytes * asked_.frames));
    return {.buffer = buffers_.back().get(), .bytes = bytes};
  }

  void start_jobs(Stage& stage) {
    while (stage.ended < stage.started && check(sluice_hwt_wait(stage.hwt.get(), nullptr, 0)) == 1)
      ++stage.ended;
    while (stage.started < asked_.frames && stage.started < stage.ended + kJobsAhead) {
      const int result = sluice_hwt_start(stage.hwt.get(), stage.a, stage.b);
      if (result == -EAGAIN) break;
      check(result);
      ++stage.started;
    }
  }

  static constexpr unsigned kJobsAhead = 2;

  const Pipeline& asked_;
  std::deque<BufferHandle> buffers_;
  std::vector<Stage> stages_;
};

}  // namespace

Scenario isolate(const Isolation& asked) {
  const BoardHandle board =
      open_board(fmt::format("sim:{}/{}?start_cost_ns=0", asked.board, asked.design));
  Placer placer(board.get());
  std::vector<Mover> movers;
  for (const unsigned thread : asked.threads) {
    if (thread == asked.rogue_thread)
      throw std::invalid_argument(fmt::format("thread {} is the rogue", thread));
    if (std::ranges::find(movers, thread, &Mover::thread) != movers.end())
      throw std::invalid_argument(fmt::format("thread {} is given twice", thread));
    Mover& mover = movers.emplace_back(Mover{.thread = thread,
                                             .hwt = open_hwt(board.get(), thread),
                                             .from = placer.place(asked.bytes),
                                             .to = placer.place(asked.bytes)});
    loop_back(board.get(), thread);
    grant(mover.hwt.get(), mover.from.get(), SLUICE_READ);
    grant(mover.hwt.get(), mover.to.get(), SLUICE_WRITE);
    fill_pattern(bytes_of(mover.from.get()), pattern_start(thread));
  }
  RogueThread rogue(board.get(), asked, placer, movers);
  const uint64_t begin_ns = sluice_board_now_ns(board.get());
  run_movers(movers, rogue);
  const uint64_t end_ns = sluice_board_now_ns(board.get());

  double slowest = std::numeric_limits<double>::max();
  uint64_t first_ns = std::numeric_limits<uint64_t>::max();
  uint64_t last_ns = 0;
  uint64_t worst_wait = 0;
  Scenario scenario{.figures = {}, .verified = true};
  for (Mover& mover : movers) {
    const double mb_s = 2e3 * static_cast<double>(asked.bytes) /
                        static_cast<double>(mover.finish_ns - mover.start_ns);
    slowest = std::min(slowest, mb_s);
    first_ns = std::min(first_ns, mover.start_ns);
    last_ns = std::max(last_ns, mover.finish_ns);
    for (const sluice_direction direction : {SLUICE_MM2S, SLUICE_S2MM})
      worst_wait = std::max(worst_wait, stats_of(mover.hwt.get(), direction).worst_wait);
    for (const sluice_buffer* buffer : {mover.from.get(), mover.to.get()})
      scenario.verified &= matches_pattern(bytes_of(const_cast<sluice_buffer*>(buffer)),
                                           pattern_start(mover.thread));
  }
  const double all_mb_s = 2e3 * static_cast<double>(asked.bytes * movers.size()) /
                          static_cast<double>(last_ns - first_ns);
  const double rogue_mb_s =
      static_cast<double>(rogue.bytes()) / static_cast<double>(end_ns - begin_ns) * 1e3;
  scenario.figures = {{"slowest thread", slowest, "MB/s"},
                      {"all threads", all_mb_s, "MB/s"},
                      {"worst wait", static_cast<double>(worst_wait), "cycles"},
                      {"rogue", rogue_mb_s, "MB/s"},
                      {"refused", static_cast<double>(rogue.refused()), "commands"}};
  return scenario;
}

Scenario pipeline(const Pipeline& asked) {
  constexpr unsigned kMostPipelines = 2;
  constexpr unsigned kMostFrames = 64;
  if (asked.pipelines < 1 || asked.pipelines > kMostPipelines || asked.frames < 1 ||
      asked.frames > kMostFrames)
    throw std::invalid_argument(fmt::format("1 to {} pipelines of 1 to {} frames, not {} of {}",
                                            kMostPipelines, kMostFrames, asked.pipelines,
                                            asked.frames));
  const BoardHandle board = open_board(fmt::format("sim:{}/{}", asked.board, asked.design));
  Placer placer(board.get());
  std::deque<Line> lines;
  for (unsigned number = 0; number < asked.pipelines; ++number)
    lines.emplace_back(board.get(), asked, placer, number);
  for (Line& line : lines) line.begin();
  for (bool done = false; !done;) {
    done = true;
    for (Line& line : lines) done &= line.step();
    if (!done) check(sluice_board_sleep_ns(board.get(), kPollNs));
  }
  Scenario scenario{.figures = {}, .verified = true};
  uint64_t start_ns = std::numeric_limits<uint64_t>::max();
  uint64_t finish_ns = 0;
  uint64_t first_ns = 0;
  uint64_t moved = 0;
  for (const Line& line : lines) {
    start_ns = std::min(start_ns, line.start_ns);
    finish_ns = std::max(finish_ns, line.finish_ns);
    first_ns = std::max(first_ns, line.first_ns - line.start_ns);
    moved += line.moved();
    scenario.verified &= line.verify();
  }
  const uint64_t pixels = uint64_t{4} * asked.words * asked.rows * asked.frames * asked.pipelines;
  const auto elapsed_ns = static_cast<double>(finish_ns - start_ns);
  scenario.figures = {
      {"pixels", static_cast<double>(pixels) / elapsed_ns * 1e3, "MB/s"},
      {"first frame", static_cast<double>(first_ns) / 1e3, "us"},
      {"memory traffic", static_cast<double>(moved) / elapsed_ns * 1e3, "MB/s"},
      {"memory per pixel", static_cast<double>(moved) / static_cast<double>(pixels), "bytes"}};
  return scenario;
}

}  // namespace sluice::bench
