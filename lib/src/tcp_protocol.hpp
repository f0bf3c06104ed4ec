// SPDX-License-Identifier: Apache-2.0
// What a board's server and its clients say to each other over TCP: docs/reference/tcp-protocol.md.
//
// Both send a hello of kHelloBytes, then frames: a header of kHeaderBytes and `bytes` bytes. All
// numbers are little-endian. Calls and their answers are JSON, what comes with each period is not.
// Nothing here trusts what came: who receives a frame checks its length against most_bytes().
#pragma once

#include <sluice.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "error.hpp"

namespace sluice::tcp {

inline constexpr uint16_t kVersion = 1;
inline constexpr uint16_t kDefaultPort = 7583;

inline constexpr size_t kHelloBytes = 16;
inline constexpr size_t kHeaderBytes = 8;
inline constexpr size_t kRecordBytes = 48;
inline constexpr size_t kSettledBytes = 32;
inline constexpr size_t kLostBytes = 32;
inline constexpr size_t kStatusBytes = 8;
inline constexpr size_t kEndedBytes = 8;
inline constexpr size_t kCreditBytes = 8;
inline constexpr size_t kWaitBytes = 24;
inline constexpr size_t kWaitedBytes = 24;

inline constexpr size_t kMostRecords = 512;  // behind a Lost
inline constexpr size_t kMostText = 1024;    // of a reason
inline constexpr size_t kMostCall = 4096;
inline constexpr size_t kMostAnswer = 1 << 20;

enum class Kind : uint16_t {
  call = 1,      // client: JSON
  answer = 2,    // server: JSON
  period = 3,    // server: a record, and the period's bytes
  settled = 4,   // server: of the periods just sent so many had been written over before
  lost = 5,      // server: periods that were written over before they were sent, with records
  status = 6,    // server: it is there; the board's time
  ended = 7,     // server: the capture has stopped by itself, and why
  credit = 8,    // client: periods below this number need their places no longer
  wait = 9,      // client: let the board's time pass
  waited = 10,   // server: it has
  goodbye = 11,  // both: why the connection ends
};

struct Header {
  uint16_t kind;     // Kind
  uint16_t channel;  // index of the board's; kNoChannel
  uint32_t bytes;    // behind it
};
inline constexpr uint16_t kNoChannel = 0xffff;

// A period's record on the wire.
inline constexpr uint32_t kExact = 1, kMerged = 2, kKnown = 4;
struct Record {
  uint64_t number;
  sluice_capture_period period;
  bool known;        // else the board no longer kept its record
  uint32_t payload;  // bytes that follow; 0 in a Lost
};

struct Settled {
  uint64_t first, count, lost, time_ns;  // the first `lost` of `count`
};
struct Lost {
  uint64_t first, count, time_ns;
  uint32_t records;  // that follow
};
struct Wait {
  uint64_t id, period;
  int64_t timeout_ns;
};
struct Waited {
  uint64_t id, now_ns;
  bool ended;
};

// What came as a sentence, without bytes that terminals obey or that are no text.
std::string readable(std::string text);

// Numbers as bytes, the lowest first.
template <typename T>
void put(uint8_t*& at, T value) {
  for (size_t i = 0; i < sizeof value; ++i) *at++ = static_cast<uint8_t>(value >> (8 * i));
}
template <typename T>
T get(const uint8_t*& at) {
  T value = 0;
  for (size_t i = 0; i < sizeof value; ++i) value = static_cast<T>(value | T{*at++} << (8 * i));
  return value;
}

using Hello = std::array<uint8_t, kHelloBytes>;
Hello hello(uint16_t version);
// The version that the other end says; 0: it is no end of this protocol.
uint16_t version_of(const Hello& hello);

void write_header(uint8_t* at, Kind kind, uint16_t channel, size_t bytes);
Header read_header(const uint8_t* at);
// Longest frame of a kind that is not a period; 0: no such kind.
size_t most_bytes(uint16_t kind);

void write_record(uint8_t* at, const Record& record);
Record read_record(const uint8_t* at);

// A whole frame.
std::string frame(Kind kind, uint16_t channel, std::string_view content);
std::string settled(uint16_t channel, const Settled& value);
std::string credit(uint16_t channel, uint64_t below);
std::string wait(uint16_t channel, const Wait& value);
std::string waited(uint16_t channel, const Waited& value);
std::string status(uint64_t now_ns);
std::string ended(uint16_t channel, int errnum, std::string_view reason);
std::string goodbye(std::string_view reason);
// Without its records, which follow.
std::string lost(uint16_t channel, const Lost& value);

Settled read_settled(const uint8_t* at);
Lost read_lost(const uint8_t* at);
Wait read_wait(const uint8_t* at);
Waited read_waited(const uint8_t* at);

}  // namespace sluice::tcp
