// SPDX-License-Identifier: Apache-2.0
#include "tcp_protocol.hpp"

#include <algorithm>
#include <ranges>

namespace sluice::tcp {
namespace {

constexpr std::string_view kMagic = "SLUICE\r\n";

// A frame of numbers.
template <size_t Bytes, typename... Numbers>
std::string numbers(Kind kind, uint16_t channel, Numbers... values) {
  static_assert((sizeof(Numbers) + ...) == Bytes);
  std::array<uint8_t, kHeaderBytes + Bytes> bytes{};
  write_header(bytes.data(), kind, channel, Bytes);
  uint8_t* at = bytes.data() + kHeaderBytes;
  (put(at, values), ...);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string readable(std::string text) {
  std::ranges::replace_if(text, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return text;
}

Hello hello(uint16_t version) {
  Hello bytes{};
  std::ranges::copy(kMagic, bytes.begin());
  uint8_t* at = bytes.data() + kMagic.size();
  put(at, version);
  return bytes;
}

uint16_t version_of(const Hello& hello) {
  if (!std::ranges::equal(kMagic, hello | std::views::take(kMagic.size()))) return 0;
  const uint8_t* at = hello.data() + kMagic.size();
  return get<uint16_t>(at);
}

void write_header(uint8_t* at, Kind kind, uint16_t channel, size_t bytes) {
  put(at, static_cast<uint16_t>(kind));
  put(at, channel);
  put(at, static_cast<uint32_t>(bytes));
}

Header read_header(const uint8_t* at) {
  Header header{};
  header.kind = get<uint16_t>(at);
  header.channel = get<uint16_t>(at);
  header.bytes = get<uint32_t>(at);
  return header;
}

size_t most_bytes(uint16_t kind) {
  switch (static_cast<Kind>(kind)) {
    case Kind::call: return kMostCall;
    case Kind::answer: return kMostAnswer;
    case Kind::period: return 0;
    case Kind::settled: return kSettledBytes;
    case Kind::lost: return kLostBytes + kMostRecords * kRecordBytes;
    case Kind::status: return kStatusBytes;
    case Kind::ended: return kEndedBytes + kMostText;
    case Kind::credit: return kCreditBytes;
    case Kind::wait: return kWaitBytes;
    case Kind::waited: return kWaitedBytes;
    case Kind::goodbye: return kMostText;
  }
  return 0;
}

void write_record(uint8_t* at, const Record& record) {
  const sluice_capture_period& period = record.period;
  put(at, record.number);
  put(at, period.bytes);
  put(at, period.ticks);
  put(at, period.time_ns);
  put(at, period.drops);
  put(at, (period.exact != 0 ? kExact : 0) | (period.merged != 0 ? kMerged : 0) |
              (record.known ? kKnown : 0));
  put(at, record.payload);
}

Record read_record(const uint8_t* at) {
  Record record{};
  record.number = get<uint64_t>(at);
  record.period.bytes = get<uint64_t>(at);
  record.period.ticks = get<uint64_t>(at);
  record.period.time_ns = get<uint64_t>(at);
  record.period.drops = get<uint64_t>(at);
  const auto flags = get<uint32_t>(at);
  record.period.exact = (flags & kExact) != 0;
  record.period.merged = (flags & kMerged) != 0;
  record.known = (flags & kKnown) != 0;
  record.payload = get<uint32_t>(at);
  return record;
}

std::string frame(Kind kind, uint16_t channel, std::string_view content) {
  std::array<uint8_t, kHeaderBytes> header{};
  write_header(header.data(), kind, channel, content.size());
  std::string bytes(reinterpret_cast<const char*>(header.data()), header.size());
  return bytes.append(content);
}

std::string settled(uint16_t channel, const Settled& value) {
  return numbers<kSettledBytes>(Kind::settled, channel, value.first, value.count, value.lost,
                                value.time_ns);
}

std::string lost(uint16_t channel, const Lost& value) {
  std::string bytes = numbers<kLostBytes>(Kind::lost, channel, value.first, value.count,
                                          value.time_ns, value.records, uint32_t{0});
  write_header(reinterpret_cast<uint8_t*>(bytes.data()), Kind::lost, channel,
               kLostBytes + value.records * kRecordBytes);
  return bytes;
}

std::string credit(uint16_t channel, uint64_t below) {
  return numbers<kCreditBytes>(Kind::credit, channel, below);
}

std::string wait(uint16_t channel, const Wait& value) {
  return numbers<kWaitBytes>(Kind::wait, channel, value.id, value.period,
                             static_cast<uint64_t>(value.timeout_ns));
}

std::string waited(uint16_t channel, const Waited& value) {
  return numbers<kWaitedBytes>(Kind::waited, channel, value.id, value.now_ns,
                               uint64_t{value.ended});
}

std::string status(uint64_t now_ns) {
  return numbers<kStatusBytes>(Kind::status, kNoChannel, now_ns);
}

std::string ended(uint16_t channel, int errnum, std::string_view reason) {
  std::array<uint8_t, kEndedBytes> number{};
  uint8_t* at = number.data();
  put(at, static_cast<uint64_t>(errnum));
  std::string content(reinterpret_cast<const char*>(number.data()), number.size());
  return frame(Kind::ended, channel, content.append(reason.substr(0, kMostText)));
}

std::string goodbye(std::string_view reason) {
  return frame(Kind::goodbye, kNoChannel, reason.substr(0, kMostText));
}

Settled read_settled(const uint8_t* at) {
  Settled value{};
  for (uint64_t* field : {&value.first, &value.count, &value.lost, &value.time_ns})
    *field = get<uint64_t>(at);
  return value;
}

Lost read_lost(const uint8_t* at) {
  Lost value{};
  for (uint64_t* field : {&value.first, &value.count, &value.time_ns}) *field = get<uint64_t>(at);
  value.records = get<uint32_t>(at);
  return value;
}

Wait read_wait(const uint8_t* at) {
  Wait value{};
  value.id = get<uint64_t>(at);
  value.period = get<uint64_t>(at);
  value.timeout_ns = static_cast<int64_t>(get<uint64_t>(at));
  return value;
}

Waited read_waited(const uint8_t* at) {
  Waited value{};
  value.id = get<uint64_t>(at);
  value.now_ns = get<uint64_t>(at);
  value.ended = get<uint64_t>(at) != 0;
  return value;
}

}  // namespace sluice::tcp
