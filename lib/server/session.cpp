// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <limits>
#include <utility>

#include "board.hpp"
#include "board_server.hpp"
#include "error.hpp"

namespace sluice::serve {
namespace {

using nlohmann::json;
using tcp::Kind;

constexpr size_t kBatchBytes = 256 << 10;  // sent at once
constexpr size_t kBatchPeriods = 28;       // two parts each: the kernel takes 64 at once
constexpr size_t kMostWaiting = 256
                                << 10;  // of answers, before the client is no longer listened to
constexpr uint64_t kStep_ns = 50'000;   // of simulated time, before others are looked after
constexpr uint32_t kMostPeriods = 65536;
constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();
constexpr std::chrono::seconds kFarewell{1};

// What a client said cannot be: its connection ends.
struct Nonsense : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename T>
T integer(const json& call, const char* name) {
  const auto found = call.find(name);
  if (found == call.end() || !found->is_number_unsigned() ||
      found->get<uint64_t>() > std::numeric_limits<T>::max())
    throw Nonsense(fmt::format("its call has no valid '{}'", name));
  return static_cast<T>(found->get<uint64_t>());
}

std::string text(const json& call, const char* name) {
  const auto found = call.find(name);
  if (found == call.end() || !found->is_string())
    throw Nonsense(fmt::format("its call has no valid '{}'", name));
  return found->get<std::string>();
}

// What a call of the library returned, or an error for the client.
int check(int result) {
  if (result < 0) throw Error(-result, "{}", sluice_last_error());
  return result;
}

std::string periods(uint64_t count) {
  return fmt::format("{} period{}", count, count == 1 ? "" : "s");
}

}  // namespace

Session::Session(BoardServer& board, asio::ip::tcp::socket socket, std::string client)
    : board_(board),
      socket_(std::move(socket)),
      timer_(board.io()),
      client_(std::move(client)),
      progress_(std::chrono::steady_clock::now()) {
  socket_.non_blocking(true);
}

Session::~Session() = default;

void Session::begin(uint64_t id) {
  board_.tell({{"event", "opened"}, {"client", client_}, {"board", board_.name()}},
              fmt::format("{} opened {}", client_, board_.name()));
  answer(id, describe_board());
  push();
  read_header();
  beat();
}

// --- what comes -----------------------------------------------------------------------------

void Session::read_header() {
  if (over_) return;
  if (control_.size() > kMostWaiting) {
    paused_ = true;  // until it reads
    return;
  }
  asio::async_read(socket_, asio::buffer(head_),
                   [this, self = shared_from_this()](const std::error_code& error, size_t) {
                     if (over_) return;
                     if (error) return end("closed the connection");
                     header_ = tcp::read_header(head_.data());
                     const size_t most = tcp::most_bytes(header_.kind);
                     if (most == 0 || header_.bytes > most)
                       return drop(fmt::format("it sent a frame of kind {} and {} bytes",
                                               header_.kind, header_.bytes));
                     content_.resize(header_.bytes);
                     read_content();
                   });
}

void Session::read_content() {
  asio::async_read(socket_, asio::buffer(content_),
                   [this, self = shared_from_this()](const std::error_code& error, size_t) {
                     if (over_) return;
                     if (error) return end("closed the connection");
                     try {
                       take();
                     } catch (const Nonsense& nonsense) {
                       return drop(nonsense.what());
                     }
                     if (over_) return;
                     push();
                     read_header();
                   });
}

void Session::take() {
  const auto* content = reinterpret_cast<const uint8_t*>(content_.data());
  const auto expect = [&](size_t bytes) {
    if (content_.size() != bytes)
      throw Nonsense(fmt::format("it sent a frame of kind {} with {} bytes, not {}", header_.kind,
                                 content_.size(), bytes));
  };
  switch (static_cast<Kind>(header_.kind)) {
    case Kind::call: return take_call();
    case Kind::credit: expect(tcp::kCreditBytes); return take_credit(tcp::get<uint64_t>(content));
    case Kind::wait: expect(tcp::kWaitBytes); return take_wait(tcp::read_wait(content));
    case Kind::goodbye: return end("closed the board");
    default: break;
  }
  throw Nonsense(fmt::format("it sent a frame of kind {}, which is a server's", header_.kind));
}

void Session::take_credit(uint64_t below) {
  // What was meant for a capture that has just ended is late.
  if (Capture* capture = find(header_.channel))
    capture->free_below = std::max(capture->free_below, below);
}

void Session::take_wait(const tcp::Wait& wait) {
  wait_ = wait;  // in place of one that the client has given up
  wait_channel_ = header_.channel;
  const uint64_t now_ns = sluice_board_now_ns(board_.board());
  const auto timeout_ns = static_cast<uint64_t>(wait.timeout_ns);
  wait_until_ns_ =
      wait.timeout_ns < 0 ? kForever : now_ns + std::min(timeout_ns, kForever - now_ns);
  if (Capture* capture = find(wait_channel_)) capture->look = true;
}

void Session::take_call() {
  const json call = json::parse(content_, nullptr, false);
  if (!call.is_object()) throw Nonsense("its call is not a JSON object");
  const auto id = integer<uint64_t>(call, "id");
  if (sleep_call_) throw Nonsense("it makes a call before the previous call has returned");
  for (const auto& capture : captures_)
    if (capture->stop_call) throw Nonsense("it makes a call before the previous call has returned");
  json result;
  try {
    result = perform(call);
  } catch (const Error& error) {
    result = {{"error", {{"errno", error.errnum()}, {"text", error.what()}}}};
  } catch (const std::bad_alloc&) {
    result = {{"error", {{"errno", ENOMEM}, {"text", "the server has no memory left"}}}};
  }
  if (!result.is_null()) answer(id, std::move(result));
}

json Session::perform(const json& call) {
  const std::string name = text(call, "call");
  sluice_board* board = board_.board();
  json result = json::object();
  if (name == "channel") return describe_channel(call);
  if (name == "attributes") return describe_attributes();
  if (name == "get") {
    uint64_t value = 0;
    check(sluice_board_get_attribute(board, text(call, "name").c_str(), &value));
    result["value"] = value;
    board_.time_passed();
  } else if (name == "set") {
    check(sluice_board_set_attribute(board, text(call, "name").c_str(),
                                     integer<uint64_t>(call, "value")));
    board_.time_passed();
  } else if (name == "sleep") {
    const auto ns = integer<uint64_t>(call, "ns");
    if (!board_.simulated()) throw Nonsense("it lets time pass on a board that is not simulated");
    const uint64_t now_ns = sluice_board_now_ns(board);
    sleep_until_ns_ = now_ns + std::min(ns, kForever - now_ns);
    sleep_call_ = integer<uint64_t>(call, "id");
    return nullptr;
  } else if (name == "start") {
    start_capture(call, result);
  } else if (name == "stop") {
    stop_capture(call);
    return nullptr;
  } else {
    throw Error(ENOTSUP, "not supported over tcp: the server does not know the call '{}'", name);
  }
  return result;
}

json Session::describe_board() const {
  sluice_board* board = board_.board();
  sluice_board_info info{};
  (void)sluice_board_get_info(board, &info, sizeof info);
  json channels = json::array();
  for (unsigned i = 0; i < info.channel_count; ++i) {
    // A device's channel is opened by asking for more than its name.
    channels.push_back(std::string(sluice_board_channel(board, i)->name()));
  }
  return {{"board",
           {{"board", info.board},
            {"design", info.design},
            {"simulated_time", info.simulated_time},
            {"port_count", info.port_count},
            {"width_bits", info.width_bits},
            {"clock_khz", info.clock_khz},
            {"start_cost_ns", info.start_cost_ns}}},
          {"limit_bytes", board_.limits().bytes},
          {"channels", std::move(channels)}};
}

sluice_channel* Session::channel_of(const json& call) const {
  sluice_channel* channel =
      sluice_board_channel(board_.board(), integer<uint16_t>(call, "channel"));
  if (channel == nullptr) throw Nonsense("its call is of a channel that the board does not have");
  return channel;
}

json Session::describe_channel(const json& call) const {
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel_of(call), &info, sizeof info));
  return {{"port", info.port},
          {"direction", info.direction},
          {"width_bits", info.width_bits},
          {"offset_alignment", info.offset_alignment},
          {"length_alignment", info.length_alignment},
          {"max_bytes", info.max_bytes},
          {"max_packet_bytes", info.max_packet_bytes},
          {"capabilities", info.capabilities}};
}

json Session::describe_attributes() const {
  json attributes = json::array();
  sluice_attribute_info info{};
  for (unsigned i = 0; sluice_board_attribute(board_.board(), i, &info, sizeof info) == 0; ++i)
    attributes.push_back({{"name", info.name}, {"max", info.max}, {"text", info.text}});
  return {{"attributes", std::move(attributes)}};
}

void Session::start_capture(const json& call, json& result) {
  sluice_channel* channel = channel_of(call);
  const auto index = integer<uint16_t>(call, "channel");
  auto capture = std::make_unique<Capture>();
  capture->index = index;
  capture->channel = channel;
  capture->period_bytes = integer<uint64_t>(call, "period_bytes");
  capture->periods = integer<uint32_t>(call, "periods");
  sluice_channel_info info{};
  check(sluice_channel_get_info(channel, &info, sizeof info));
  if (board_.is_captured(channel))
    throw Error(EBUSY, "{} is busy: {} captures it", info.name,
                find(index) != nullptr ? "this program" : "another client of the server");
  uint64_t used = 0;
  for (const auto& other : captures_) used += other->ring_bytes;
  const uint64_t most = board_.limits().bytes - std::min(used, board_.limits().bytes);
  if (capture->period_bytes == 0 || capture->periods == 0 || capture->periods > kMostPeriods)
    throw Error(EINVAL,
                "a capture on {} has 1 to {} periods of at least 1 byte over tcp:", info.name,
                kMostPeriods);
  if (capture->period_bytes > std::numeric_limits<uint32_t>::max() - tcp::kRecordBytes ||
      capture->period_bytes > most / capture->periods)
    throw Error(ENOSPC,
                "{} periods of {} bytes are more than the {} bytes that the server allows a "
                "client. Request less, or start `sluice serve` with a larger --limit-bytes",
                capture->periods, capture->period_bytes, most);
  capture->ring_bytes = capture->period_bytes * capture->periods;
  capture->taken.assign(capture->periods, 0);
  const auto flags = integer<uint32_t>(call, "flags");
  capture->holds = (flags & SLUICE_CAPTURE_HOLD) != 0;
  const sluice_placement placement{};
  check(sluice_buffer_alloc(board_.board(), capture->ring_bytes, &placement, sizeof placement,
                            &capture->buffer));
  capture->ring = static_cast<const uint8_t*>(sluice_buffer_data(capture->buffer));
  const sluice_capture asked{.buffer = capture->buffer,
                             .offset = 0,
                             .period_bytes = capture->period_bytes,
                             .periods = capture->periods,
                             .flags = flags};
  const int started = sluice_capture_start(channel, &asked, sizeof asked);
  board_.time_passed();
  if (started < 0) {
    const Error error(-started, "{}", sluice_last_error());
    (void)sluice_buffer_free(capture->buffer);
    throw error;
  }
  sluice_capture_status status{};
  check(sluice_capture_get_status(channel, &status, sizeof status));
  result["clock_hz"] = status.clock_hz;
  result["exact"] = status.exact;
  board_.tell({{"event", "started"},
               {"client", client_},
               {"board", board_.name()},
               {"channel", info.name},
               {"period_bytes", capture->period_bytes},
               {"periods", capture->periods}},
              fmt::format("{} captures {} of {}: {} of {} bytes", client_, info.name, board_.name(),
                          periods(capture->periods), capture->period_bytes));
  captures_.push_back(std::move(capture));
}

// Answered when what had ended has been sent.
void Session::stop_capture(const json& call) {
  Capture* capture = find(integer<uint16_t>(call, "channel"));
  if (capture == nullptr) {
    // It has stopped by itself, which the client will see.
    json result{{"bytes", 0}, {"drops", 0}, {"exact", 0}};
    answer(integer<uint64_t>(call, "id"), std::move(result));
    return;
  }
  check(sluice_capture_stop(capture->channel));
  board_.time_passed();
  sluice_capture_status status{};
  check(sluice_capture_get_status(capture->channel, &status, sizeof status));
  refresh(*capture);
  capture->produced = status.produced;
  capture->stopped = true;
  capture->stop_call = integer<uint64_t>(call, "id");
}

// --- what goes ------------------------------------------------------------------------------

void Session::answer(uint64_t id, json result) {
  result["id"] = id;
  result["now_ns"] = sluice_board_now_ns(board_.board());
  control_ += tcp::frame(Kind::answer, tcp::kNoChannel,
                         result.dump(-1, ' ', true, json::error_handler_t::replace));
}

Session::Capture* Session::find(uint16_t index) const {
  for (const auto& capture : captures_)
    if (capture->index == index) return capture.get();
  return nullptr;
}

// The library has said just now why the capture ends.
void Session::fail(Capture& capture, int errnum) {
  capture.stopped = true;
  capture.errnum = errnum;
  capture.reason = sluice_last_error();
  (void)sluice_capture_stop(capture.channel);
}

// Learn what has ended, and what was written over.
void Session::refresh(Capture& capture) {
  capture.look = false;
  if (!capture.stopped) {
    const int result = sluice_capture_wait(capture.channel, capture.next, 0, &capture.produced);
    if (result < 0 && result != -EINTR) fail(capture, -result);
  }
  sluice_capture_status status{};
  if (sluice_capture_get_status(capture.channel, &status, sizeof status) < 0) return;
  if (capture.stopped) capture.produced = status.produced;
  if (status.lost == capture.lost_seen) return;
  // Of the last record, which may have grown: those before it end below.
  sluice_capture_loss loss{};
  if (status.losses == 0 ||
      sluice_capture_get_loss(capture.channel, status.losses - 1, &loss, sizeof loss) < 0) {
    capture.look = true;  // a later one has taken its place
    return;
  }
  capture.lost_seen = status.lost;
  capture.lost_below = loss.first + loss.count;
  capture.loss_time_ns = loss.time_ns;
}

// The frame of periods that are written over and were not sent.
uint64_t Session::add_losses(Capture& capture, uint64_t below) {
  const uint64_t first = capture.next;
  // The newest first: where one is no longer kept, those before it are not either, and a driver
  // that is busy counting makes each look long.
  std::vector<std::array<uint8_t, tcp::kRecordBytes>> records;
  for (uint64_t number = below; number > first && records.size() < tcp::kMostRecords; --number) {
    tcp::Record record{.number = number - 1, .period = {}, .known = true, .payload = 0};
    if (sluice_capture_get_period(capture.channel, record.number, &record.period,
                                  sizeof record.period) < 0)
      break;
    tcp::write_record(records.emplace_back().data(), record);
  }
  sluice_capture_answer released{};
  (void)sluice_capture_release(capture.channel, below, &released, sizeof released);
  control_ += tcp::lost(capture.index, {.first = first,
                                        .count = below - first,
                                        .time_ns = capture.loss_time_ns,
                                        .records = static_cast<uint32_t>(records.size())});
  for (auto record = records.rbegin(); record != records.rend(); ++record)
    control_.append(reinterpret_cast<const char*>(record->data()), record->size());
  capture.next = below;
  return below - first;
}

// Put periods that have ended into what is sent next.
bool Session::add_periods(Capture& capture) {
  if (capture.next >= capture.produced || !capture.has_place(capture.next)) return false;
  if (const int result = sluice_buffer_begin_access(capture.buffer, SLUICE_READ); result < 0) {
    fail(capture, -result);
    capture.produced = capture.next;  // nothing more can be sent
    return false;
  }
  heads_.clear();
  heads_.reserve(kBatchPeriods);
  size_t bytes = 0;
  uint64_t number = capture.next;
  for (; number < capture.produced && capture.has_place(number) && heads_.size() < kBatchPeriods &&
         bytes < kBatchBytes;
       ++number) {
    tcp::Record record{.number = number, .period = {}, .known = true, .payload = 0};
    record.known = sluice_capture_get_period(capture.channel, number, &record.period,
                                             sizeof record.period) == 0;
    // Of one whose length is not known, all.
    record.payload = static_cast<uint32_t>(record.known && record.period.merged == 0
                                               ? std::min(record.period.bytes, capture.period_bytes)
                                               : capture.period_bytes);
    auto& head = heads_.emplace_back();
    tcp::write_header(head.data(), Kind::period, capture.index, tcp::kRecordBytes + record.payload);
    tcp::write_record(head.data() + tcp::kHeaderBytes, record);
    parts_.push_back(asio::buffer(head));
    if (record.payload > 0)
      parts_.push_back(asio::buffer(capture.ring + number % capture.periods * capture.period_bytes,
                                    record.payload));
    bytes += record.payload;
    capture.taken[number % capture.periods] = number + 1;
  }
  batch_ = &capture;
  batch_count_ = number - capture.next;
  return true;
}

// The kernel has the batch's bytes: learn whether they count.
void Session::settle() {
  Capture& capture = *std::exchange(batch_, nullptr);
  (void)sluice_buffer_end_access(capture.buffer);
  const uint64_t first = capture.next, below = first + batch_count_;
  sluice_capture_answer released{};
  uint64_t lost = batch_count_;
  if (sluice_capture_release(capture.channel, below, &released, sizeof released) == 0)
    lost = std::min(released.lost, batch_count_);
  capture.next = below;
  capture.sent += batch_count_ - lost;
  capture.lost += lost;
  control_ +=
      tcp::settled(capture.index, {.first = first,
                                   .count = batch_count_,
                                   .lost = lost,
                                   .time_ns = lost == 0 ? 0 : sluice_board_now_ns(board_.board())});
  capture.look = capture.look || !board_.steps();
}

// Of a capture that has stopped and of which nothing more can be sent. True: it is no more.
bool Session::finish(Capture& capture) {
  if (!capture.stopped) return false;
  const bool all = capture.next >= capture.produced;
  if (capture.stop_call) {
    if (!all) {  // what the client has no place for
      capture.loss_time_ns = sluice_board_now_ns(board_.board());
      capture.unsent = add_losses(capture, capture.produced);
    }
    sluice_capture_status status{};
    (void)sluice_capture_get_status(capture.channel, &status, sizeof status);
    answer(*capture.stop_call,
           {{"bytes", status.bytes}, {"drops", status.drops}, {"exact", status.exact}});
  } else {
    if (!all) return false;
    control_ += tcp::ended(capture.index, capture.errnum, capture.reason);
  }
  retire(capture);
  return true;
}

void Session::push() {
  if (writing_ || over_ || farewell_) return;
  parts_.clear();
  bool batch = false;
  for (size_t i = 0, count = captures_.size(); i < count && !batch; ++i) {
    Capture& capture = *captures_[(turn_ + i) % count];
    if (capture.look) refresh(capture);
    const uint64_t lost_below = std::min(capture.lost_below, capture.produced);
    if (lost_below > capture.next) capture.lost += add_losses(capture, lost_below);
    batch = add_periods(capture);
    if (batch) {
      turn_ = (turn_ + i + 1) % count;
    } else if (finish(capture)) {
      break;  // the others' turn comes when this has been sent
    }
  }
  if (!batch && control_.empty()) return;
  sending_.swap(control_);
  control_.clear();
  if (!sending_.empty()) parts_.insert(parts_.begin(), asio::buffer(sending_));
  writing_ = true;
  progress_ = std::chrono::steady_clock::now();
  asio::async_write(
      socket_, parts_,
      [this](const std::error_code& error, size_t) -> size_t {
        progress_ = std::chrono::steady_clock::now();
        return error ? 0 : std::numeric_limits<size_t>::max();
      },
      [this, self = shared_from_this()](const std::error_code& error, size_t) { sent(error); });
}

void Session::sent(const std::error_code& error) {
  writing_ = false;
  if (over_) return;
  if (error) return end(farewell_.value_or("closed the connection"));
  if (batch_ != nullptr) settle();
  sending_.clear();
  if (farewell_) return drop(*std::exchange(farewell_, std::nullopt));
  push();
  if (paused_ && control_.size() <= kMostWaiting) {
    paused_ = false;
    read_header();
  }
}

// The client may be waiting: for an answer, or for a period, which has a place then.
bool Session::awaited() const {
  return sleep_call_ || wait_ || std::ranges::any_of(captures_, [](const auto& capture) {
           return capture->stop_call || capture->has_place(capture->next);
         });
}

// Say that the server is there, and see whether the client takes anything.
void Session::beat() {
  timer_.expires_after(board_.limits().heartbeat);
  timer_.async_wait([this, self = shared_from_this()](const std::error_code& error) {
    if (error || over_ || farewell_) return;
    if (!writing_ && control_.empty() && awaited()) {
      control_ += tcp::status(sluice_board_now_ns(board_.board()));
      push();
    } else if (writing_ && std::chrono::steady_clock::now() - progress_ > board_.limits().stall) {
      return drop(fmt::format("it has received nothing for {} s",
                              std::chrono::duration<double>(board_.limits().stall).count()));
    }
    beat();
  });
}

// --- the board's time -----------------------------------------------------------------------

void Session::time_passed() {
  for (const auto& capture : captures_) capture->look = true;
}

bool Session::captures(const sluice_channel* channel) const {
  return std::ranges::any_of(captures_,
                             [&](const auto& capture) { return capture->channel == channel; });
}

size_t Session::running() const {
  return static_cast<size_t>(
      std::ranges::count_if(captures_, [](const auto& capture) { return !capture->stopped; }));
}

bool Session::hungry() const {
  return !writing_ && std::ranges::any_of(captures_, [](const auto& capture) {
    return !capture->stopped && capture->has_place(capture->next);
  });
}

void Session::wait_for_period(int64_t timeout_ns) {
  Capture* chosen = nullptr;
  for (const auto& capture : captures_) {
    if (capture->stopped) continue;
    if (chosen == nullptr || capture->has_place(capture->next)) chosen = capture.get();
  }
  if (chosen == nullptr) return;
  // Of one that nothing can be sent of, the next that ends.
  const uint64_t period = chosen->has_place(chosen->next) ? chosen->next : chosen->produced;
  (void)sluice_capture_wait(chosen->channel, period, timeout_ns, &chosen->produced);
  board_.time_passed();
}

bool Session::turn() {
  if (over_ || farewell_) return false;
  if (!board_.steps()) time_passed();
  const bool before = writing_;
  push();
  bool moved = writing_ != before;
  if (over_) return moved;
  return step() || moved;
}

// What a client of a simulated board waits for.
bool Session::step() {
  sluice_board* board = board_.board();
  if (sleep_call_) {
    const uint64_t now_ns = sluice_board_now_ns(board);
    if (now_ns >= sleep_until_ns_) {
      answer(*std::exchange(sleep_call_, std::nullopt), json::object());
      push();
    } else {
      (void)sluice_board_sleep_ns(board, std::min(sleep_until_ns_ - now_ns, kStep_ns));
      board_.time_passed();
    }
    return true;
  }
  if (!wait_ || writing_) return false;
  Capture* capture = find(wait_channel_);
  const uint64_t now_ns = sluice_board_now_ns(board);
  const bool ended = capture == nullptr || capture->next > wait_->period;
  if (ended || capture->stopped || now_ns >= wait_until_ns_) {
    control_ += tcp::waited(wait_channel_, {.id = wait_->id, .now_ns = now_ns, .ended = ended});
    wait_.reset();
    push();
    return true;
  }
  const uint64_t period = capture->has_place(capture->next) ? capture->next : wait_->period;
  const uint64_t slice_ns = std::min(wait_until_ns_ - now_ns, kStep_ns);
  (void)sluice_capture_wait(capture->channel, period, static_cast<int64_t>(slice_ns),
                            &capture->produced);
  board_.time_passed();
  push();
  return true;
}

// --- the end --------------------------------------------------------------------------------

// The capture is no more, and its channel free.
void Session::retire(Capture& capture) {
  if (&capture == batch_) {
    batch_ = nullptr;
    (void)sluice_buffer_end_access(capture.buffer);
  }
  if (!capture.stopped) (void)sluice_capture_stop(capture.channel);
  (void)sluice_buffer_free(capture.buffer);
  sluice_channel_info info{};
  (void)sluice_channel_get_info(capture.channel, &info, sizeof info);
  board_.tell({{"event", "ended"},
               {"client", client_},
               {"board", board_.name()},
               {"channel", info.name},
               {"sent_periods", capture.sent},
               {"lost_periods", capture.lost},
               {"unsent_periods", capture.unsent}},
              fmt::format("{} no longer captures {}: {} sent, {} lost, {} left at the end", client_,
                          info.name, periods(capture.sent), capture.lost, capture.unsent));
  std::erase_if(captures_, [&](const auto& entry) { return entry.get() == &capture; });
  turn_ = 0;
  board_.time_passed();
}

void Session::end(const std::string& reason) {
  if (over_) return;
  over_ = true;
  const auto self = shared_from_this();
  timer_.cancel();
  std::error_code ignored;
  socket_.close(ignored);
  while (!captures_.empty()) retire(*captures_.back());
  board_.tell(
      {{"event", "gone"}, {"client", client_}, {"board", board_.name()}, {"reason", reason}},
      fmt::format("{} has gone: {}", client_, reason));
  board_.has_gone(*this);
}

void Session::drop(const std::string& reason) {
  if (over_ || farewell_) return;
  if (writing_) {  // within a frame: after it
    farewell_ = reason;
    timer_.expires_after(kFarewell);
    timer_.async_wait([this, self = shared_from_this()](const std::error_code& error) {
      if (!error && farewell_) end(*farewell_);
    });
    return;
  }
  over_ = true;
  const auto self = shared_from_this();
  timer_.cancel();
  while (!captures_.empty()) retire(*captures_.back());
  board_.tell(
      {{"event", "gone"}, {"client", client_}, {"board", board_.name()}, {"reason", reason}},
      fmt::format("{} has gone: {}", client_, reason));
  std::error_code ignored;
  socket_.cancel(ignored);
  sending_ = tcp::goodbye(reason);
  asio::async_write(socket_, asio::buffer(sending_),
                    [this, self](const std::error_code&, size_t) { linger(); });
  timer_.expires_after(kFarewell);
  timer_.async_wait([this, self](const std::error_code&) {
    std::error_code closed;
    socket_.close(closed);
    board_.has_gone(*this);
  });
}

// Closed with bytes unread, a connection is reset, and the farewell with it.
void Session::linger() {
  std::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  content_.resize(tcp::kMostCall);
  socket_.async_read_some(asio::buffer(content_),
                          [this, self = shared_from_this()](const std::error_code& error, size_t) {
                            if (error)
                              timer_.cancel();
                            else
                              linger();
                          });
}

}  // namespace sluice::serve
