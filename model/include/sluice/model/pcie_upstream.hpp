// SPDX-License-Identifier: Apache-2.0
// What is above a card's bridge, and what the bridge is to it: PcieUpstream and PcieCard, which
// call each other. PcieLink is an upstream in simulated time; a virtual machine's bus can be one
// without.
#pragma once

#include <cstdint>
#include <span>

#include "sluice/model/axi.hpp"

namespace sluice::model {

/// The card's side, called by the upstream, which it does not call meanwhile. Data is valid during
/// the call.
class PcieCard {
 public:
  virtual ~PcieCard() = default;
  /// The next `bytes` of the read `token`, in order, and their data, which is empty if they could
  /// not be had.
  virtual void read_data(std::uint32_t token, std::uint32_t bytes,
                         std::span<const std::uint8_t> data, Response status) = 0;
  /// The packets of write `token` have left: what is asked for later comes behind them.
  virtual void write_sent(std::uint32_t token) = 0;
  /// Accesses of the CPU to one of the card's BARs; the card calls stored() or complete() for each,
  /// in order of their arrival.
  virtual void store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) = 0;
  virtual void load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) = 0;
};

/// The host's side, called by the card.
class PcieUpstream {
 public:
  virtual ~PcieUpstream() = default;
  /// Read `bytes` (1 to 4096, within 4 KiB) from bus address `address`; read_data() answers.
  virtual void read(std::uint32_t token, std::uint64_t address, std::uint32_t bytes) = 0;
  /// There is room for another packet of max_payload.
  [[nodiscard]] virtual bool can_write() const = 0;
  /// One packet of a write: 1 to max_payload bytes within 4 KiB, all enabled. `last`: of its token,
  /// which write_sent() tells of.
  virtual void write(std::uint32_t token, std::uint64_t address, std::span<const std::uint8_t> data,
                     bool last) = 0;
  /// A write of no byte: write_sent() comes in its turn.
  virtual void write_nothing(std::uint32_t token) = 0;
  /// The oldest store() has been done.
  virtual void stored() = 0;
  /// The oldest load() has been done; data is empty if it failed.
  virtual void complete(std::span<const std::uint8_t> data, Response status) = 0;
  /// Nothing is under way, in either direction.
  [[nodiscard]] virtual bool idle() const = 0;
};

}  // namespace sluice::model
