// SPDX-License-Identifier: Apache-2.0
// MessageChannel: whole vfio-user messages, with the descriptors beside them, over a stream socket.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "sluice/cosim/file.hpp"
#include "vfio_user_wire.hpp"

namespace sluice::cosim {

struct Message {
  wire::Header header;
  std::vector<std::byte> body;
  std::vector<File> files;
};

class MessageChannel {
 public:
  // The peer has gone: no fault.
  struct Closed {};
  // The peer breaks the framing, or does not take what is sent.
  struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  explicit MessageChannel(File socket) : socket_(std::move(socket)) {}

  // Nothing comes or goes any more: whoever waits for the descriptor is told.
  void hang_up();
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  // Wait for something to read, at most timeout_ms (-1: for ever). False: nothing, or a signal.
  [[nodiscard]] bool wait(int timeout_ms) const;
  // The next message if all of it has come; never waits. Throws Closed, Broken.
  std::optional<Message> receive();
  // Send head and data as one message. Waits up to 10 s for room. Throws Closed, Broken.
  void send(std::span<const std::byte> head, std::span<const std::byte> data);

 private:
  // Reads up to wanted bytes; fewer if no more have come.
  std::size_t fill(std::byte* to, std::size_t wanted);
  void take_files(const void* control, std::size_t bytes);

  File socket_;
  Message partial_{};
  std::size_t received_ = 0;  // bytes of partial_
};

}  // namespace sluice::cosim
