// SPDX-License-Identifier: Apache-2.0
#include "tcp_board.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "error.hpp"
#include "system_calls.hpp"

namespace sluice::tcp {
namespace {

using nlohmann::json;

constexpr size_t kMostChannels = 256;
constexpr int kMostErrnum = 4095;  // as Linux itself has it

// Fields of an answer; Error(EPROTO): it has none such.
[[noreturn]] void refuse_answer(const char* name) {
  throw Error(EPROTO, "the server gave an answer without a valid '{}'", name);
}

const json& field(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse_answer(name);
  return *found;
}

template <typename T>
T integer(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_number_unsigned() ||
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<T>::max()))
    refuse_answer(name);
  return static_cast<T>(value.get<uint64_t>());
}

std::string text(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_string()) refuse_answer(name);
  return value.get<std::string>();
}

const json& list(const json& object, const char* name) {
  const json& value = field(object, name);
  if (!value.is_array()) refuse_answer(name);
  return value;
}

class Channel final : public sluice_channel {
 public:
  Channel(Board& board, RemoteCapture::Board& asked, uint16_t index, std::string name)
      : board_(board), index_(index), name_(std::move(name)), capture_(asked, index, name_) {}

  [[nodiscard]] sluice_board& board() const override { return board_; }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] const sluice_channel_info& info() const override {
    if (!info_) info_ = board_.channel_info(index_);
    return *info_;
  }
  unsigned submit(std::span<const sluice_transfer>) override { refuse(); }
  unsigned copy(std::span<const sluice_copy>) override { board_.refuse("copies"); }
  unsigned reap(std::span<sluice_completion>, int64_t) override { refuse(); }
  void cancel() override { refuse(); }
  Capture& capture() override {
    if ((info().capabilities & SLUICE_CAN_CAPTURE) == 0)
      throw Error(ENOTSUP, "{} cannot capture, and nothing else is supported over tcp:", name_);
    return capture_;
  }
  RemoteCapture& remote() { return capture_; }

 private:
  [[noreturn]] void refuse() const { board_.refuse("transfers"); }

  Board& board_;
  uint16_t index_;
  std::string name_;
  RemoteCapture capture_;
  mutable std::optional<sluice_channel_info> info_;
};

}  // namespace

Buffer::Buffer(sluice_board& board, uint64_t bytes) : sluice_buffer(board, bytes) {
  data_ = bytes > std::numeric_limits<size_t>::max()
              ? MAP_FAILED
              : ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED)
    throw Error(ENOMEM, "there is no memory for a buffer of {} bytes", bytes);
}

Buffer::~Buffer() { ::munmap(data_, static_cast<size_t>(bytes())); }

Board::Board(std::string uri, const std::string& host, uint16_t port, const std::string& served)
    : uri_(std::move(uri)) {
  link_ = std::make_unique<Link>(*this, host, port);
  const json opened = ask({{"call", "open"}, {"board", served}});
  const json& board = field(opened, "board");
  assign(info_.board, text(board, "board"));
  assign(info_.design, text(board, "design"));
  info_.simulated_time = integer<uint32_t>(board, "simulated_time");
  info_.port_count = integer<uint32_t>(board, "port_count");
  info_.width_bits = integer<uint32_t>(board, "width_bits");
  info_.clock_khz = integer<uint32_t>(board, "clock_khz");
  info_.start_cost_ns = integer<uint32_t>(board, "start_cost_ns");
  info_.memory_bytes = integer<uint64_t>(opened, "limit_bytes");
  const json& names = list(opened, "channels");
  if (names.size() > kMostChannels) refuse_answer("channels");
  for (const json& name : names) {
    if (!name.is_string()) refuse_answer("channels");
    channels_.push_back(std::make_unique<Channel>(
        *this, *this, static_cast<uint16_t>(channels_.size()), name.get<std::string>()));
  }
  info_.channel_count = static_cast<uint32_t>(channels_.size());
}

Board::~Board() {
  try {
    if (link_ != nullptr && !link_->failure()) link_->send(goodbye("the program closed the board"));
  } catch (const Error&) {
    link_.reset();  // it had ended
  }
}

void Board::refuse(std::string_view what) const {
  throw Error(ENOTSUP,
              "not supported over tcp: {}; captures and attributes are. Run the program where the "
              "board of {} is",
              what, uri_);
}

json Board::ask(json call) {
  const uint64_t id = ++calls_;
  call["id"] = id;
  const uint64_t before_ns = linux_calls().now_ns();
  answer_.reset();
  link_->send(
      frame(Kind::call, kNoChannel, call.dump(-1, ' ', true, json::error_handler_t::replace)));
  const auto answered = [&] {
    return answer_ != nullptr && integer<uint64_t>(*answer_, "id") == id;
  };
  while (!answered()) {
    try {
      receive_uninterrupted();
    } catch (const Error&) {
      if (!answered()) throw;  // what came before the end counts
    }
  }
  const json answer = std::move(*std::exchange(answer_, nullptr));
  const uint64_t after_ns = linux_calls().now_ns();
  server_ns_ = integer<uint64_t>(answer, "now_ns");
  here_ns_ = before_ns + (after_ns - before_ns) / 2;
  const auto error = answer.find("error");
  if (error != answer.end())
    throw Error(std::clamp(integer<int>(*error, "errno"), 1, kMostErrnum), "{}",
                text(*error, "text"));
  return answer;
}

// The server answers, so a signal is for later.
void Board::receive_uninterrupted() {
  try {
    link_->receive(-1);
  } catch (const Error& error) {
    if (error.errnum() != EINTR) throw;
  }
}

RemoteCapture& Board::capture_of(uint16_t channel) {
  if (channel >= channels_.size())
    throw Error(EPROTO, "sent data of channel {}, which does not exist", channel);
  RemoteCapture& capture = static_cast<Channel&>(*channels_[channel]).remote();
  if (!capture.started()) throw Error(EPROTO, "sent something of a capture that was not started");
  return capture;
}

uint8_t* Board::place(uint16_t channel, const Record& record) {
  return capture_of(channel).place(record);
}

void Board::arrived(uint16_t channel, const Record& record) { capture_of(channel).arrived(record); }

void Board::take(const Header& header, const uint8_t* content) {
  const auto expect = [&](size_t bytes) {
    if (header.bytes != bytes)
      throw Error(EPROTO, "sent a frame of kind {} with {} bytes, not {}", header.kind,
                  header.bytes, bytes);
  };
  switch (static_cast<Kind>(header.kind)) {
    case Kind::answer: {
      json answer = json::parse(content, content + header.bytes, nullptr, false);
      if (!answer.is_object()) throw Error(EPROTO, "gave an answer that is not a JSON object");
      answer_ = std::make_unique<json>(std::move(answer));
      return;
    }
    case Kind::settled:
      expect(kSettledBytes);
      return capture_of(header.channel).settle(read_settled(content));
    case Kind::lost: {
      if (header.bytes < kLostBytes) expect(kLostBytes);
      const Lost lost = read_lost(content);
      if (lost.records > kMostRecords) throw Error(EPROTO, "sent {} records", lost.records);
      expect(kLostBytes + lost.records * kRecordBytes);
      return capture_of(header.channel).lose(lost, content + kLostBytes);
    }
    case Kind::status:
      expect(kStatusBytes);
      if (simulated()) server_ns_ = std::max(server_ns_, get<uint64_t>(content));
      return;
    case Kind::ended: {
      if (header.bytes < kEndedBytes) expect(kEndedBytes);
      const auto errnum = get<uint64_t>(content);
      return capture_of(header.channel)
          .end(static_cast<int>(std::min<uint64_t>(errnum, kMostErrnum)),
               readable({reinterpret_cast<const char*>(content), header.bytes - kEndedBytes}));
    }
    case Kind::waited:
      expect(kWaitedBytes);
      waited_ = read_waited(content);
      server_ns_ = std::max(server_ns_, waited_.now_ns);
      return;
    default: break;
  }
  throw Error(EPROTO, "sent a frame of kind {}, which is a client's", header.kind);
}

RemoteCapture::Board::Started Board::start(uint16_t channel, const sluice_capture& capture) {
  const json answer = ask({{"call", "start"},
                           {"channel", channel},
                           {"period_bytes", capture.period_bytes},
                           {"periods", capture.periods},
                           {"flags", capture.flags}});
  return {.clock_hz = integer<uint64_t>(answer, "clock_hz"),
          .exact = integer<uint32_t>(answer, "exact") != 0};
}

sluice_capture_status Board::stop(uint16_t channel) {
  const json answer = ask({{"call", "stop"}, {"channel", channel}});
  sluice_capture_status status{};
  status.bytes = integer<uint64_t>(answer, "bytes");
  status.drops = integer<uint64_t>(answer, "drops");
  status.exact = integer<uint32_t>(answer, "exact");
  return status;
}

void Board::credit(uint16_t channel, uint64_t below) { link_->send(tcp::credit(channel, below)); }

void Board::pass(uint16_t channel, uint64_t period, int64_t timeout_ns) {
  const auto ask = [&](int64_t ns) {
    link_->send(tcp::wait(channel, {.id = ++waits_, .period = period, .timeout_ns = ns}));
  };
  ask(timeout_ns);
  try {
    while (waited_.id != waits_) link_->receive(-1);
  } catch (const Error& error) {
    if (error.errnum() != EINTR) throw;
    ask(0);  // in place of the first, so that the board's time stops
    while (waited_.id != waits_) receive_uninterrupted();
    throw;
  }
}

bool Board::take_what_came() noexcept {
  try {
    return receive(0, true);
  } catch (const std::exception&) {
    return false;
  }
}

sluice_channel_info Board::channel_info(uint16_t index) {
  const json answer = ask({{"call", "channel"}, {"channel", index}});
  sluice_channel_info info{};
  assign(info.name, channels_[index]->name());
  assign(info.port, text(answer, "port"));
  info.direction = integer<uint32_t>(answer, "direction");
  info.width_bits = integer<uint32_t>(answer, "width_bits");
  // Both are divisors.
  info.offset_alignment = std::max(integer<uint32_t>(answer, "offset_alignment"), 1U);
  info.length_alignment = std::max(integer<uint32_t>(answer, "length_alignment"), 1U);
  info.max_bytes = integer<uint64_t>(answer, "max_bytes");
  info.max_packet_bytes = integer<uint64_t>(answer, "max_packet_bytes");
  info.capabilities =
      integer<uint32_t>(answer, "capabilities") &
      (SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT | SLUICE_CAN_HOLD | SLUICE_CAN_PACKETS);
  return info;
}

uint64_t Board::now_ns() const {
  const uint64_t now = simulated() ? server_ns_ : server_ns_ + (linux_calls().now_ns() - here_ns_);
  last_ns_ = std::max(last_ns_, now);
  return last_ns_;
}

void Board::sleep_ns(uint64_t ns) {
  if (simulated())
    ask({{"call", "sleep"}, {"ns", ns}});
  else
    linux_calls().sleep_ns(ns);
}

uint64_t Board::cpu_work(const sluice_cpu_work&) { refuse("work of the board's CPU"); }

std::optional<size_t> Board::wait_any(std::span<sluice_channel* const>, int64_t) {
  refuse("transfers");
}

sluice_buffer& Board::allocate(uint64_t bytes, const sluice_placement& placement) {
  if (placement.memory != SLUICE_HOST_MEMORY) refuse("memory of a GPU and on-chip memory");
  if (placement.alignment != 4096 || placement.offset != 0)
    refuse("the place of a buffer in the board's memory");
  return *buffers_.emplace_back(std::make_unique<Buffer>(*this, bytes));
}

uint64_t Board::card_bytes() const { refuse("the card's memory"); }

sluice_buffer& Board::map_card(uint64_t, uint64_t) { refuse("the card's memory"); }

void Board::free(sluice_buffer& buffer) {
  if (static_cast<Buffer&>(buffer).captured()) throw Error(EBUSY, "a capture uses the buffer");
  std::erase_if(buffers_, [&](const auto& ours) { return ours.get() == &buffer; });
}

sluice_buffer& Board::import(int) { refuse("dma-bufs"); }

std::vector<sluice_attribute_info> Board::attributes() const {
  if (!attributes_.empty()) return attributes_;
  // A table that does not change, kept like one.
  const json answer = const_cast<Board*>(this)->ask({{"call", "attributes"}});
  for (const json& entry : list(answer, "attributes")) {
    sluice_attribute_info info{};
    assign(info.name, text(entry, "name"));
    info.max = integer<uint64_t>(entry, "max");
    assign(info.text, text(entry, "text"));
    attributes_.push_back(info);
  }
  return attributes_;
}

uint64_t Board::get_attribute(std::string_view name) {
  return integer<uint64_t>(ask({{"call", "get"}, {"name", name}}), "value");
}

void Board::set_attribute(std::string_view name, uint64_t value) {
  ask({{"call", "set"}, {"name", name}, {"value", value}});
}

sluice::RawAccess& Board::raw() { refuse("registers, bus addresses, interrupts and memory"); }

sluice_hwt& Board::open_hwt(unsigned) { refuse("hardware threads"); }

std::optional<sluice_hwt_fault> Board::next_fault(int64_t) { refuse("hardware threads"); }

}  // namespace sluice::tcp
