// SPDX-License-Identifier: Apache-2.0
// CardFetch: what sl_xdma_fetch does, at transaction level: descriptors of one channel, read ahead
// in the blocks that they lie in, by credits if so set.
//
// Time as HostPort. Not modelled: reads of less than a beat's bytes (a descriptor is 32 bytes).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "host_port.hpp"
#include "read_window.hpp"

namespace sluice::sim {

struct CardDescriptor {
  enum class Kind : uint8_t { data, magic, length, slverr, decerr };
  uint32_t control = 0;
  uint32_t bytes = 0;
  uint64_t source = 0;
  uint64_t destination = 0;
  Kind kind = Kind::data;
  uint64_t ready = 0;  // the cycle from which it can begin
};

class CardFetch {
 public:
  CardFetch(HostPort& host, HostPort::Reader reader, unsigned width_bytes);

  void start(uint64_t cycle, uint64_t first, uint32_t adjacent);
  // What was fetched is dropped; reads that are out end.
  void stop();
  void add_credits(uint64_t cycle, uint32_t credits);
  void clear_credits();
  [[nodiscard]] uint32_t credits() const { return credits_; }
  void set_credit_mode(bool on);
  // No read is begun while the channel holds it, or software halts it.
  void hold(uint64_t cycle, bool on) { stall(cycle, held_, on); }
  void halt(uint64_t cycle, bool on) { stall(cycle, halted_, on); }

  [[nodiscard]] const CardDescriptor* front() const {
    return ready_.empty() ? nullptr : &ready_.front();
  }
  void pop(uint64_t cycle);

  void bytes(uint64_t place, std::span<const uint8_t> data);
  void beats(uint64_t cycle, uint32_t count, bool last, model::Response status);

  // Says whether it has read.
  bool step(uint64_t cycle);
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] bool idle() const { return !running_ && commands_.empty(); }

 private:
  struct Command {  // a read of descriptors
    uint32_t count;
    uint32_t left;  // that have not left the mover; kept where a beat has two
    bool ends_block;
    uint64_t place;  // in buffer_
    uint32_t beats;  // not yet come
    bool dropped = false;
    uint32_t skew = 0;  // beats that come before any leaves
    model::Response status = model::Response::okay;
  };
  struct Credits {
    uint64_t from;  // the cycle of the first address that they can be for
    uint32_t count;
  };
  struct Piece {  // a burst of a command
    uint64_t address;
    uint32_t bytes;
    uint64_t place;
  };

  void stall(uint64_t cycle, bool& reason, bool on);
  [[nodiscard]] uint32_t ripe_credits(uint64_t cycle);
  void command(uint64_t cycle);
  void push(const CardDescriptor& descriptor);
  void finish(const Command& command, uint64_t cycle);
  [[nodiscard]] uint32_t beats_of(const Piece& piece) const {
    return static_cast<uint32_t>(sim::beats_of(piece.address, piece.bytes, width_));
  }
  // Descriptors that no read was promised a place for. Those at the output have left theirs.
  [[nodiscard]] uint32_t room() const;
  void not_before(uint64_t cycle) { command_from_ = cycle > command_from_ ? cycle : command_from_; }

  HostPort& host_;
  HostPort::Reader reader_;
  unsigned width_;
  ReadWindow reads_;
  bool running_ = false;
  bool held_ = false;
  bool halted_ = false;
  bool ended_ = false;
  bool credit_mode_ = false;
  uint32_t credits_ = 0;  // with the fresh ones
  std::deque<Credits> fresh_;
  uint64_t address_ = 0;
  uint32_t left_ = 0;          // of the block
  uint32_t room_ = 0;          // without those at the output
  uint64_t command_from_ = 0;  // the cycle of the next command
  uint64_t address_from_ = 0;  // the cycle of the next address
  uint64_t given_ = 0;         // the cycle after the last beat that the mover gave
  uint64_t next_ = kNever;
  uint64_t commanded_ = 0;  // ever
  std::deque<Command> commands_;
  std::deque<Piece> pieces_;     // of the newest, to be asked for
  std::vector<uint8_t> buffer_;  // of commands, in turns
  std::deque<CardDescriptor> ready_;
};

}  // namespace sluice::sim
