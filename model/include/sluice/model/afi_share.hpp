// SPDX-License-Identifier: Apache-2.0
// AfiShare: the interconnect of the logic in front of one HP port, by which one or two masters
// (clients) use an AfiPort.
//
// A client sees the PL side of an AfiPort, and the same rules hold. With two clients: each posts
// addresses at every second edge; read words and responses go to the client whose turn it is in the
// order of the addresses; write words enter in that order too, so a client whose burst is next has
// to have its words ready (HpMaster has: it announces only bursts that it holds).
// pl_edge() is called by each client that works at an edge, in the order of their numbers.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

class AfiShare {
 public:
  AfiShare(AfiPort& afi, unsigned clients) : afi_(afi), clients_(clients) {
    if (clients < 1 || clients > 2) throw std::invalid_argument("AfiShare: clients must be 1 or 2");
  }

  void pl_edge(unsigned client) {
    const unsigned bit = 1U << client;
    if (stepped_ != 0 && (stepped_ & bit) == 0) {
      stepped_ |= bit;  // the other client has begun this edge
      return;
    }
    stepped_ = bit;
    turn_ ^= 1U;
    afi_.pl_edge();
  }
  [[nodiscard]] bool pl_read_room(unsigned client) const {
    return may_post(client) && !reads_.full() && afi_.pl_read_room();
  }
  void pl_read(unsigned client, const AfiBurst& burst) {
    afi_.pl_read(burst);
    if (clients_ != 1) reads_.push({client, burst.words});
  }
  [[nodiscard]] bool pl_read_word_available(unsigned client) const {
    return is_next(reads_, client) && afi_.pl_read_word_available();
  }
  AfiPort::ReadWord pl_take_read_word() {
    const AfiPort::ReadWord word = afi_.pl_take_read_word();
    if (clients_ != 1 && word.last) reads_.pop();
    return word;
  }
  [[nodiscard]] bool pl_write_room(unsigned client) const {
    return may_post(client) && !writes_.full() && !responses_.full() && afi_.pl_write_room();
  }
  void pl_write(unsigned client, const AfiBurst& burst) {
    afi_.pl_write(burst);
    if (clients_ == 1) return;
    writes_.push({client, burst.words});
    responses_.push({client, 0});
  }
  [[nodiscard]] bool pl_write_word_room(unsigned client) const {
    return is_next(writes_, client) && afi_.pl_write_word_room();
  }
  void pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
    afi_.pl_put_write_word(data, strobe);
    if (clients_ != 1 && --writes_.front().words == 0) writes_.pop();
  }
  [[nodiscard]] bool pl_response_available(unsigned client) const {
    return is_next(responses_, client) && afi_.pl_response_available();
  }
  Response pl_take_response() {
    if (clients_ != 1) responses_.pop();
    return afi_.pl_take_response();
  }

 private:
  struct Turn {
    unsigned client;
    std::uint32_t words;
  };
  [[nodiscard]] bool may_post(unsigned client) const { return clients_ == 1 || turn_ == client; }
  [[nodiscard]] bool is_next(const Ring<Turn>& order, unsigned client) const {
    return clients_ == 1 || (!order.empty() && order.front().client == client);
  }

  AfiPort& afi_;
  unsigned clients_;
  unsigned turn_ = 0;
  unsigned stepped_ = 0;
  Ring<Turn> reads_{128}, writes_{128}, responses_{128};
};

}  // namespace sluice::model
