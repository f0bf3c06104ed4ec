// SPDX-License-Identifier: Apache-2.0
// PortShare: the interconnect of the logic in front of one port of the chip (AfiPort, F2sPort), by
// which one or two masters (clients) use it.
//
// A client sees the PL side of the port, and the same rules hold. With two clients: each posts
// addresses at every second edge; read words and responses go to the client whose turn it is in the
// order of the addresses; write words enter in that order too, so a client whose burst is next has
// to have its words ready (PortMaster has: it announces only bursts that it holds).
// pl_edge() is called by each client that works at an edge, in the order of their numbers.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

template <typename Port>
class PortShare {
 public:
  PortShare(Port& port, unsigned clients) : port_(port), clients_(clients) {
    if (clients < 1 || clients > 2)
      throw std::invalid_argument("PortShare: clients must be 1 or 2");
  }

  /// A beat of so many bits is one of the port's.
  [[nodiscard]] bool fits(std::uint32_t bits) const {
    if constexpr (requires { port_.bits(); }) return bits == port_.bits();
    return bits <= 64;
  }
  void pl_edge(unsigned client) {
    if (clients_ == 1) return port_.pl_edge();
    const unsigned bit = 1U << client;
    if (stepped_ != 0 && (stepped_ & bit) == 0) {
      stepped_ |= bit;  // the other client has begun this edge
      return;
    }
    stepped_ = bit;
    turn_ ^= 1U;
    port_.pl_edge();
  }
  [[nodiscard]] bool pl_read_room(unsigned client) const {
    return port_.pl_read_room() && (clients_ == 1 || (turn_ == client && !reads_.full()));
  }
  void pl_read(unsigned client, const AfiBurst& burst) {
    port_.pl_read(burst);
    if (clients_ != 1) reads_.push({client, burst.words});
  }
  [[nodiscard]] bool pl_read_word_available(unsigned client) const {
    return port_.pl_read_word_available() && is_next(reads_, client);
  }
  AfiPort::ReadWord pl_take_read_word() {
    const AfiPort::ReadWord word = port_.pl_take_read_word();
    if (clients_ != 1 && word.last) reads_.pop();
    return word;
  }
  [[nodiscard]] bool pl_write_room(unsigned client) const {
    return port_.pl_write_room() &&
           (clients_ == 1 || (turn_ == client && !writes_.full() && !responses_.full()));
  }
  void pl_write(unsigned client, const AfiBurst& burst) {
    port_.pl_write(burst);
    if (clients_ == 1) return;
    writes_.push({client, burst.words});
    responses_.push({client, 0});
  }
  [[nodiscard]] bool pl_write_word_room(unsigned client) const {
    return port_.pl_write_word_room() && is_next(writes_, client);
  }
  void pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
    port_.pl_put_write_word(data, strobe);
    if (clients_ != 1 && --writes_.front().words == 0) writes_.pop();
  }
  [[nodiscard]] bool pl_response_available(unsigned client) const {
    return port_.pl_response_available() && is_next(responses_, client);
  }
  Response pl_take_response() {
    if (clients_ != 1) responses_.pop();
    return port_.pl_take_response();
  }

 private:
  struct Turn {
    unsigned client;
    std::uint32_t words;
  };
  [[nodiscard]] bool is_next(const Ring<Turn>& order, unsigned client) const {
    return clients_ == 1 || (!order.empty() && order.front().client == client);
  }

  Port& port_;
  unsigned clients_;
  unsigned turn_ = 0;
  unsigned stepped_ = 0;
  Ring<Turn> reads_{128}, writes_{128}, responses_{128};
};

}  // namespace sluice::model
