// SPDX-License-Identifier: Apache-2.0
// PortShare: the interconnect of the logic in front of one port of the chip (AfiPort, F2sPort), by
// which some masters (clients) use it.
//
// A client sees the PL side of the port, and the same rules hold. With several clients read words
// and responses go to the client whose turn it is in the order of the addresses; write words enter
// in that order too, so a client whose burst is next has to have its words ready (PortMaster has:
// it announces only bursts that it holds).
// Turns::alternate: two clients, each posts addresses at every second edge. pl_edge() is called by
//   each client that works at an edge, in the order of their numbers.
// Turns::free: of the clients that have an address, the first one that posts it at an edge goes; a
//   channel moves one address, word or response an edge. begin_edge() is called once an edge, by
//   whoever has the clients; their pl_edge() is then nothing.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

enum class Turns : std::uint8_t { alternate, free };

template <typename Port>
class PortShare {
 public:
  /// A beat may have several words of 64 bits.
  static constexpr bool kWide = requires(const Port& port) { port.bits(); };

  PortShare(Port& port, unsigned clients, Turns turns = Turns::alternate)
      : port_(port), clients_(clients), free_(turns == Turns::free) {
    if (clients < 1 || clients > (free_ ? 8U : 2U))
      throw std::invalid_argument("PortShare: clients must be 1 or 2, with free turns 1 to 8");
  }

  /// A beat of so many bits is one of the port's.
  [[nodiscard]] bool fits(std::uint32_t bits) const {
    if constexpr (kWide) return bits == port_.bits();
    return bits <= 64;
  }
  void begin_edge() {
    port_.pl_edge();
    used_ = 0;
  }
  void pl_edge(unsigned client) {
    if (free_) return;
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
  /// The address is of no account here; it is where a master has more than a port (RamSplit).
  [[nodiscard]] bool pl_read_room(unsigned client, std::uint64_t /*address*/) const {
    return port_.pl_read_room() && (clients_ == 1 || (may_post(client, kAr) && !reads_.full()));
  }
  void pl_read(unsigned client, const AfiBurst& burst) {
    port_.pl_read(burst);
    if (clients_ == 1) return;
    used_ |= kAr;
    reads_.push({client, burst.words});
  }
  [[nodiscard]] bool pl_read_word_available(unsigned client) const {
    return port_.pl_read_word_available() && is_next(reads_, client, kR);
  }
  [[nodiscard]] std::uint64_t pl_peek_read_word() const { return port_.pl_peek_read_word(); }
  AfiPort::ReadWord pl_take_read_word() {
    const AfiPort::ReadWord word = port_.pl_take_read_word();
    used_ |= kR;
    if (clients_ != 1 && word.last) reads_.pop();
    return word;
  }
  [[nodiscard]] bool pl_write_room(unsigned client, std::uint64_t /*address*/) const {
    return port_.pl_write_room() &&
           (clients_ == 1 || (may_post(client, kAw) && !writes_.full() && !responses_.full()));
  }
  void pl_write(unsigned client, const AfiBurst& burst) {
    port_.pl_write(burst);
    if (clients_ == 1) return;
    used_ |= kAw;
    writes_.push({client, burst.words});
    responses_.push({client, 0});
  }
  [[nodiscard]] bool pl_write_word_room(unsigned client) const {
    return port_.pl_write_word_room() && is_next(writes_, client, kW);
  }
  void pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
    port_.pl_put_write_word(data, strobe);
    used_ |= kW;
    if (clients_ != 1 && --writes_.front().words == 0) writes_.pop();
  }
  [[nodiscard]] bool pl_response_available(unsigned client) const {
    return port_.pl_response_available() && is_next(responses_, client, kB);
  }
  Response pl_take_response() {
    used_ |= kB;
    if (clients_ != 1) responses_.pop();
    return port_.pl_take_response();
  }

 private:
  struct Turn {
    unsigned client;
    std::uint32_t words;
  };
  // The channels of the port, of which an edge has used.
  enum Channel : std::uint8_t { kAr = 1, kR = 2, kAw = 4, kW = 8, kB = 16 };

  [[nodiscard]] bool may_post(unsigned client, Channel channel) const {
    return free_ ? (used_ & channel) == 0 : turn_ == client;
  }
  [[nodiscard]] bool is_next(const Ring<Turn>& order, unsigned client, Channel channel) const {
    return clients_ == 1 ||
           (!order.empty() && order.front().client == client && !(free_ && (used_ & channel) != 0));
  }

  Port& port_;
  unsigned clients_;
  bool free_;
  unsigned turn_ = 0;
  unsigned stepped_ = 0;
  std::uint8_t used_ = 0;
  Ring<Turn> reads_{128}, writes_{128}, responses_{128};
};

}  // namespace sluice::model
