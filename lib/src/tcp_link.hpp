// SPDX-License-Identifier: Apache-2.0
// A client's connection to a board's server: frames out, and frames in, periods straight to where
// they belong. Nothing runs behind the program's back: what has come waits in the kernel until a
// call receives it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tcp_protocol.hpp"

namespace sluice::tcp {

// CLOCK_MONOTONIC of this machine: what waits for a network go by.
int64_t host_ns();
// In so long, which is not negative: the last moment there is if it is after that.
int64_t host_after_ns(int64_t ns);

class Link {
 public:
  // Takes the frames. What it throws ends the connection.
  struct Receiver {
    virtual ~Receiver() = default;
    // Where the record.payload bytes of a period go.
    virtual uint8_t* place(uint16_t channel, const Record& record) = 0;
    virtual void arrived(uint16_t channel, const Record& record) = 0;
    // Any other frame; `content` has header.bytes.
    virtual void take(const Header& header, const uint8_t* content) = 0;
  };

  // Connects, and agrees on the version. Throws Error.
  Link(Receiver& receiver, const std::string& host, uint16_t port);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Throws Error, as does every call after one that failed.
  void send(std::string_view bytes);
  // Receive something: false, nothing came in that time (negative: for ever). A server that a
  // program waits for says that it is there; one that says nothing for 10 s of waiting, in one call
  // or in several without a pause, has gone, unless it owes nothing. Error(EINTR): a signal.
  bool receive(int64_t timeout_ns, bool owed = true);
  // Why nothing comes any longer; nothing while it does.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  static constexpr size_t kLook = kHeaderBytes + kSettledBytes + kHeaderBytes + kRecordBytes;

  void connect(const std::string& host, uint16_t port);
  void agree();
  void receive_whole(uint8_t* at, size_t bytes, int64_t deadline_ns);
  void understand(size_t got);
  void distribute(size_t got);
  bool parse_one();
  void begin_content(uint8_t* at, size_t bytes);
  void end_content();
  // Wait for the socket, signals or not; false: not in that time.
  bool poll(short events, int64_t timeout_ns);
  void check() const;
  // `what` the server does.
  [[noreturn]] void fail_reading(int error);
  [[noreturn]] void fail(int errnum, std::string_view what);

  Receiver& receiver_;
  std::string name_;  // the server's in sentences
  int socket_ = -1;
  std::optional<Error> failure_;
  std::optional<int64_t> quiet_since_ns_;  // nothing was there; none: something was
  int64_t listened_ns_ = 0;                // when the program last listened
  std::array<uint8_t, kLook> head_{};      // not yet understood
  size_t head_bytes_ = 0;
  Header header_{};               // of the frame whose content comes
  std::optional<Record> record_;  // of the period whose bytes come
  uint8_t* target_ = nullptr;     // of the content's rest
  size_t left_ = 0;
  // An answer came last: what is behind it waits until the program knows the answer.
  bool answered_ = false;
  std::string content_;  // where it goes if it is not a period
};

}  // namespace sluice::tcp
