// SPDX-License-Identifier: Apache-2.0
#include "frames.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>

#include "burst_copy.hpp"
#include "lane.hpp"
#include "process_clock.hpp"
#include "queue.hpp"
#include "sluice.hpp"
#include "word_ledger.hpp"

namespace sluice::bench {
namespace {

constexpr uint64_t kMostPackets = 16'777'215;  // of a frame of the source

constexpr unsigned kCopiesQueued = 8;  // on each lane beside

constexpr double kPatienceNs = 10e9;  // of the board's time, beyond that from frame to frame

std::span<const uint32_t> words_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const uint32_t*>(bytes.data()), bytes.size() / sizeof(uint32_t)};
}

// Where the compiler cannot drop what was computed.
volatile uint32_t kept;

// Eight words at a time, as a program that is in a hurry does: with one, a Cortex-A9 would spend as
// long on the loop as on the memory.
void read_all(std::span<const uint8_t> bytes) {
  uint32_t sum = 0;
  const std::span<const uint32_t> words = words_of(bytes);
#pragma GCC unroll 8
  for (const uint32_t word : words) sum += word;
  kept = sum;
}

// Sums of three columns of three rows, which move along with the pixel.
void filter(std::span<const uint8_t> bytes, unsigned width) {
  const auto* const pixels = reinterpret_cast<const uint16_t*>(bytes.data());
  const std::size_t rows = bytes.size() / sizeof(uint16_t) / width;
  uint32_t all = 0;
  for (std::size_t row = 1; row + 1 < rows; ++row) {
    const uint16_t* const above = pixels + (row - 1) * width;
    const uint16_t* const here = above + width;
    const uint16_t* const below = here + width;
    uint32_t left = uint32_t{above[0]} + here[0] + below[0];
    uint32_t middle = uint32_t{above[1]} + here[1] + below[1];
    for (unsigned column = 2; column < width; ++column) {
      const uint32_t right = uint32_t{above[column]} + here[column] + below[column];
      all += (left + middle + right) / 9;
      left = middle;
      middle = right;
    }
  }
  kept = all;
}

// One of the streams.
class Stream {
 public:
  Stream(const Frames& frames, const std::string& channel, sluice_board* board)
      : frames_(frames),
        name_(channel),
        board_(board),
        channel_(find_channel(board, channel)),
        info_(info_of(channel_)),
        ledger_(beat_bytes(info_)) {
    check_frames();
    ring_ = allocate(board, frames.bytes * frames.periods);
    if (frames.method != Method::mmap) own_.resize(frames.bytes);
  }
  ~Stream() {
    if (!started_) return;
    const std::string name = source() + "enable";
    (void)sluice_board_set_attribute(board_, name.c_str(), 0);
    (void)sluice_capture_stop(channel_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The engine before the stream, so that this finds it ready; how fast the logic's clock is, it
  // knows. The route before both.
  void start() {
    const auto set = [&](const char* what, uint64_t value) {
      set_attribute(board_, source() + what, value);
    };
    set("enable", 0);
    set_if_there(board_, lane_of(name_) + ".loopback", 0);
    const sluice_capture capture{
        .buffer = ring_.get(),
        .offset = 0,
        .period_bytes = frames_.bytes,
        .periods = frames_.periods,
        .flags = frames_.hold ? SLUICE_CAPTURE_HOLD : 0,
    };
    check(sluice_capture_start(channel_, &capture, sizeof capture));
    started_ = true;
    framed_.clock_hz = clock_hz();
    // Over the counter's words, where the design has one, and another program has left it on.
    set_if_there(board_, lane_of(name_) + ".picture.enable", 0);
    set("packet_beats", frames_.bytes / beat_bytes(info_));
    // A pause stands between packets of one frame of the source, and its frames have a time.
    const bool paused = frames_.pause_ticks != 0;
    set("pause_ticks", frames_.pause_ticks);
    set("frame_packets", paused ? frames_.frames : 1);
    set("frame_ticks", paused ? 0 : frame_ticks());
    set("frames", paused ? 1 : frames_.frames);
    set("start", 0);
    set("continuous", 0);
    set("free_run", frames_.hold ? 0 : 1);
    set("clear", 1);
    set("enable", 1);
  }

  [[nodiscard]] bool over() const { return over_ || next_ >= frames_.frames; }
  void look() { check(sluice_capture_wait(channel_, next_, 0, &produced_)); }
  // Frames that had come at the last look or wait, and were not taken.
  [[nodiscard]] uint64_t unread() const {
    return over() || produced_ < next_ ? 0 : produced_ - next_;
  }
  // Waits for a frame. The stream is over when none has come for too long, in calls one after the
  // other.
  void await(int64_t timeout_ns) {
    if (check(sluice_capture_wait(channel_, next_, timeout_ns, &produced_)) != 0)
      waited_ns_ = 0;
    else if ((waited_ns_ += timeout_ns) >= patience_ns())
      give_up();
  }
  // A frame that has come.
  void take() { one(); }
  // What was found, when all is over.
  const Framed& found() const {
    ledger_.check();
    return framed_;
  }
  [[nodiscard]] int64_t patience_ns() const {
    const double interval_ns = frames_.rate_hz == 0 ? 0 : 1e9 / frames_.rate_hz;
    return static_cast<int64_t>(kPatienceNs + interval_ns);
  }

 private:
  static sluice_channel_info info_of(sluice_channel* channel) {
    sluice_channel_info info{};
    check(sluice_channel_get_info(channel, &info, sizeof info));
    return info;
  }

  void check_frames() const {
    if ((info_.capabilities & SLUICE_CAN_CAPTURE) == 0)
      throw std::invalid_argument("--channels: " + name_ + " does not capture");
    if (frames_.bytes > info_.max_packet_bytes)
      throw std::invalid_argument("--bytes: " + name_ + " takes frames of at most " +
                                  std::to_string(info_.max_packet_bytes) + " bytes");
    if (frames_.bytes == 0 || frames_.bytes % beat_bytes(info_) != 0)
      throw std::invalid_argument("--bytes must be a multiple of the stream's " +
                                  std::to_string(beat_bytes(info_)) + " bytes, is " +
                                  std::to_string(frames_.bytes));
    const uint64_t row_bytes = frames_.width * sizeof(uint16_t);
    if (frames_.look == Look::filter && (frames_.width < 3 || frames_.bytes < 3 * row_bytes))
      throw std::invalid_argument("--look filter: a frame has at least 3 rows of 3 pixels");
  }

  [[nodiscard]] std::string source() const { return lane_of(name_) + ".source."; }

  // 0: the board does not say.
  [[nodiscard]] uint64_t clock_hz() const {
    const uint64_t told_hz = status().clock_hz;
    if (told_hz != 0) return told_hz;
    sluice_board_info info{};
    check(sluice_board_get_info(board_, &info, sizeof info));
    return uint64_t{info.clock_khz} * 1000;
  }

  [[nodiscard]] uint64_t frame_ticks() const {
    if (frames_.rate_hz == 0) return 0;
    if (framed_.clock_hz == 0)
      throw std::invalid_argument("--rate: the board does not report its clock; give 0");
    const auto hz = static_cast<double>(framed_.clock_hz);
    return static_cast<uint64_t>(std::llround(hz / frames_.rate_hz));
  }

  [[nodiscard]] sluice_capture_status status() const {
    sluice_capture_status now{};
    check(sluice_capture_get_status(channel_, &now, sizeof now));
    return now;
  }

  // What is known of a period alone: not of those whose counts stand in a later one, nor of that.
  struct Told {
    uint64_t bytes;
    uint64_t drops;
    uint64_t end_ticks;  // 0: not told
  };
  [[nodiscard]] std::optional<Told> told_of(uint64_t number) const {
    sluice_capture_period period{};
    const int status = sluice_capture_get_period(channel_, number, &period, sizeof period);
    if (status == -ENOENT) return {};
    check(status);
    if (period.merged != 0 || period.bytes > frames_.bytes) return {};
    return Told{period.bytes, period.drops, period.ticks};
  }

  // The next frame. What was done with it counts once its release says that it was whole.
  void one() {
    catch_up();
    const uint64_t number = next_;
    framed_.behind = std::max(framed_.behind, produced_ - number - 1);
    const std::optional<Told> told = told_of(number);
    const std::span<const uint8_t> bytes = frame(number, told ? told->bytes : frames_.bytes);
    // Reading the processor's time is a call of the kernel, unlike the clock: it is outside.
    const uint64_t worked_ns = process_work_ns();
    const uint64_t begun_ns = now_ns();
    use(number, bytes);
    const uint64_t used_ns = now_ns();
    const uint64_t used_work_ns = process_work_ns();
    const WordLedger::Found found = compare(bytes);
    const uint64_t compared_work_ns = process_work_ns();
    const uint64_t compared_ns = now_ns();
    const bool lost = release(number + 1) != 0;
    const uint64_t user_ns = (now_ns() - compared_ns) + (used_ns - begun_ns);
    const uint64_t work_ns = (process_work_ns() - compared_work_ns) + (used_work_ns - worked_ns);
    enter(told);
    if (lost) {
      lose(told);
      return;
    }
    if (told && told->bytes < frames_.bytes && framed_.drops + framed_.unjudged == 0)
      throw std::runtime_error("frame " + std::to_string(number) + " has " +
                               std::to_string(told->bytes) + " bytes of " +
                               std::to_string(frames_.bytes) + ", and no beat was dropped");
    if (told) ledger_.take(found);
    framed_.user_ns.push_back(user_ns);
    if (!simulated()) framed_.work_ns.push_back(std::min(work_ns, user_ns));
  }

  // The last frames did not fill their periods, as beats of them were dropped; or the stream fails.
  void give_up() {
    if (status().drops == 0)
      throw std::runtime_error(name_ + ": no frame has come for " +
                               std::to_string(patience_ns() / 1'000'000) + " ms");
    over_ = true;
  }

  // Frames that the engine is about to write over, or has: those are lost at once. A stream that
  // waits writes nothing over.
  void catch_up() {
    if (frames_.hold || produced_ - next_ < frames_.periods) return;
    const uint64_t first = next_;
    const uint64_t end = produced_ - 1;
    (void)release(end);
    for (uint64_t number = first; number < end; ++number) {
      const std::optional<Told> told = told_of(number);
      enter(told);
      lose(told);
    }
  }

  // Returns how many of the frames since the last release were written over before it.
  uint64_t release(uint64_t end) {
    sluice_capture_answer answer{};
    check(sluice_capture_release(channel_, end, &answer, sizeof answer));
    next_ = end;
    return answer.lost;
  }

  // Of each frame in turn.
  void enter(const std::optional<Told>& told) {
    const uint64_t end_ticks = told ? told->end_ticks : 0;
    const uint64_t hz = framed_.clock_hz;
    if (end_ticks > last_end_ticks_ && last_end_ticks_ != 0 && hz != 0)
      framed_.engine_ns.push_back(static_cast<uint64_t>(std::llround(
          static_cast<double>(end_ticks - last_end_ticks_) * (1e9 / static_cast<double>(hz)))));
    last_end_ticks_ = end_ticks;
    if (told) {
      framed_.drops += told->drops;
      ledger_.drop(told->drops);
    } else {
      ++framed_.unjudged;
      ledger_.forget();
    }
  }

  void lose(const std::optional<Told>& told) {
    ++framed_.lost;
    if (told) ledger_.lose(told->bytes);
  }

  [[nodiscard]] std::span<const uint8_t> frame(uint64_t number, uint64_t bytes) const {
    const uint64_t offset = number % frames_.periods * frames_.bytes;
    return bytes_of(ring_.get()).subspan(offset, std::min(bytes, frames_.bytes));
  }

  void use(uint64_t number, std::span<const uint8_t> bytes) {
    if (frames_.method == Method::read) {
      check(sluice_capture_read(channel_, number, own_.data(), bytes.size()));
      return look_at(std::span(own_).first(bytes.size()));
    }
    const Access access(ring_.get(), SLUICE_READ);
    if (frames_.method == Method::copy) {
      burst_copy(own_.data(), bytes.data(), bytes.size());
      bytes = std::span(own_).first(bytes.size());
    }
    look_at(bytes);
  }
  void look_at(std::span<const uint8_t> bytes) const {
    if (frames_.look == Look::read) read_all(bytes);
    if (frames_.look == Look::filter) filter(bytes, frames_.width);
  }

  [[nodiscard]] WordLedger::Found compare(std::span<const uint8_t> bytes) const {
    if (frames_.method != Method::mmap)
      return ledger_.look(words_of(std::span(own_).first(bytes.size())), frames_.compare);
    const Access access(ring_.get(), SLUICE_READ);
    return ledger_.look(words_of(bytes), frames_.compare);
  }

  [[nodiscard]] bool simulated() const { return frames_.uri.starts_with("sim:"); }
  [[nodiscard]] uint64_t now_ns() const { return sluice_board_now_ns(board_); }

  const Frames& frames_;
  std::string name_;
  sluice_board* board_;
  sluice_channel* channel_;
  sluice_channel_info info_;
  WordLedger ledger_;
  BufferHandle ring_;
  std::vector<uint8_t> own_;
  uint64_t next_ = 0;      // frame that is looked at next
  uint64_t produced_ = 0;  // frames that had ended when it was awaited
  uint64_t last_end_ticks_ = 0;
  int64_t waited_ns_ = 0;  // for that one
  bool started_ = false;
  bool over_ = false;
  Framed framed_;
};

// Each channel once, and none of a lane that copies.
void check_names(const Frames& frames) {
  for (const std::string& channel : frames.channels) {
    const std::string lane = lane_of(channel);
    if (std::ranges::find(frames.beside, lane) != frames.beside.end())
      throw std::invalid_argument("--beside: " + lane + " is the lane of " + channel);
    if (std::ranges::count(frames.channels, channel) != 1)
      throw std::invalid_argument("--channels: " + channel + " is named twice");
  }
}

// Takes frames from all streams, in rounds: one of each that has some, of the fullest first. So
// none is read late because another one has lost frames and has lower numbers, and a frame costs
// one look, which is a call of the driver.
void take_all(std::deque<Stream>& streams) {
  constexpr int64_t kTurnNs = 100'000;  // a wait for one of several
  std::size_t turn = 0;
  while (true) {
    std::vector<Stream*> left;
    for (Stream& stream : streams)
      if (!stream.over()) left.push_back(&stream);
    if (left.empty()) return;
    if (left.size() == 1)
      left.front()->await(left.front()->patience_ns());
    else
      for (Stream* const stream : left) stream->look();
    std::ranges::stable_sort(left, std::greater(), &Stream::unread);
    if (left.front()->unread() == 0 && left.size() > 1) left[turn++ % left.size()]->await(kTurnNs);
    for (Stream* const stream : left)
      if (stream->unread() != 0) stream->take();
  }
}

void add(Framed& all, const Framed& one) {
  const auto append = [](std::vector<uint64_t>& to, const std::vector<uint64_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(all.user_ns, one.user_ns);
  append(all.work_ns, one.work_ns);
  append(all.engine_ns, one.engine_ns);
  all.lost += one.lost;
  all.unjudged += one.unjudged;
  all.drops += one.drops;
  all.behind = std::max(all.behind, one.behind);
  all.clock_hz = one.clock_hz;
}

}  // namespace

Framed run_frames(const Frames& frames) {
  if (frames.channels.empty()) throw std::invalid_argument("--channels: name at least one");
  check_names(frames);
  if (frames.periods < 3)
    throw std::invalid_argument("--periods must be at least 3, is " +
                                std::to_string(frames.periods));
  if (frames.frames == 0) throw std::invalid_argument("--frames must be at least 1, is 0");
  if (frames.pause_ticks != 0 && frames.rate_hz != 0)
    throw std::invalid_argument("--pause-ticks needs --rate 0: a rate sets the pauses itself");
  if (frames.pause_ticks != 0 && frames.frames > kMostPackets)
    throw std::invalid_argument("--pause-ticks: --frames must be at most " +
                                std::to_string(kMostPackets) + ", is " +
                                std::to_string(frames.frames));
  if (frames.rate_hz < 0 || !std::isfinite(frames.rate_hz))
    throw std::invalid_argument("--rate must be 0 or more");
  Framed framed;
  const BoardHandle board = open_board(frames.uri);
  std::deque<Stream> streams;
  for (const std::string& channel : frames.channels)
    streams.emplace_back(frames, channel, board.get());
  std::optional<Copies> beside;
  if (!frames.beside.empty())
    beside.emplace(Queue{.uri = frames.uri, .bytes = frames.beside_bytes, .depth = kCopiesQueued},
                   frames.beside);
  for (Stream& stream : streams) stream.start();
  take_all(streams);
  if (beside) framed.beside_mb_s = beside->stop();
  for (const Stream& stream : streams) add(framed, stream.found());
  return framed;
}

Shortest shortest_interval(Frames frames) {
  constexpr double kSlowestHz = 1;
  constexpr double kNear = 1.02;
  // A program that gets further behind would lose frames of a longer stream. One frame behind, it
  // has come later than it could.
  constexpr uint64_t kMostBehind = 1;
  double beside_mb_s = 0;
  const auto loses = [&](double rate_hz) {
    frames.rate_hz = rate_hz;
    const Framed framed = run_frames(frames);
    const bool lossy =
        framed.lost + framed.unjudged + framed.drops != 0 || framed.behind > kMostBehind;
    if (!lossy) beside_mb_s = framed.beside_mb_s;
    return lossy;
  };
  const Framed whole = run_frames({.uri = frames.uri,
                                   .channels = {frames.channels.front()},
                                   .bytes = frames.bytes,
                                   .rate_hz = 0,
                                   .frames = frames.periods,
                                   .periods = frames.periods,
                                   .compare = false});
  if (whole.clock_hz == 0)
    throw std::invalid_argument("--shortest: the board does not report its clock");
  if (whole.engine_ns.empty())
    throw std::invalid_argument("--shortest: " + frames.channels.front() +
                                " does not tell when frames end");
  const uint64_t stream_ns = std::ranges::min(whole.engine_ns);
  double lossy_hz = 1e9 / static_cast<double>(stream_ns);
  if (!loses(lossy_hz)) return {stream_ns, beside_mb_s};
  double fine_hz = lossy_hz / 2;
  while (loses(fine_hz)) {
    lossy_hz = fine_hz;
    fine_hz /= 2;
    if (fine_hz < kSlowestHz) throw std::runtime_error("frames are lost at any rate");
  }
  while (lossy_hz > fine_hz * kNear) {
    const double middle_hz = std::sqrt(lossy_hz * fine_hz);
    (loses(middle_hz) ? lossy_hz : fine_hz) = middle_hz;
  }
  return {static_cast<uint64_t>(std::llround(1e9 / fine_hz)), beside_mb_s};
}

}  // namespace sluice::bench
