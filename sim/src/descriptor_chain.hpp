// SPDX-License-Identifier: Apache-2.0
// DescriptorChain: sl_sg_fetch and sl_sg_update on the transaction level: reads the descriptors of
// a chain ahead, up to the tail, and writes their status words back.
//
// It is a client of a port: of the engine's, or of one of its own. A descriptor is four beats of 64
// bits, each of which keeps the port's read channel for two edges (sl_sg_widen). While each NXTDESC
// is the address that follows, up to kDepth descriptors are in flight or wait; at one that is not,
// what was read beyond it is discarded. A new tail that comes after the old one's read was issued
// lets that be read again, for its NXTDESC alone; the old tail written again does so once software
// may have seen it complete, and goes on if its complete bit is cleared (rtl/sg/sl_sg_fetch.sv).
// Times are cycles of the logic's clock. Addresses have 32 bits. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/port_share.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::sim {

using DescriptorPort = model::PortShare<model::AfiPort>;

struct Descriptor {
  // What is wrong with it: it could not be read, or it is stale or its NXTDESC no multiple of 64.
  enum class Error : uint8_t { none, internal, slave, decode };

  uint64_t address = 0;
  uint32_t a0 = 0, a1 = 0;  // the addresses in it
  uint32_t control = 0;
  Error error = Error::none;
  uint64_t ready = 0;  // the cycle from which it is there
};

Descriptor::Error to_error(model::Response response);

class DescriptorChain {
 public:
  static constexpr uint32_t kDepth = 8;

  // client: of the port.
  DescriptorChain(std::shared_ptr<DescriptorPort> port, unsigned client)
      : port_(std::move(port)), client_(client) {}

  // The chain begins at an address; nothing is read before the first tail.
  void start(uint64_t first, bool cyclic);
  // drained: every descriptor that was taken has been given to write_back().
  void set_tail(uint64_t cycle, uint64_t tail, bool drained);
  // Reads nothing further and drops what waits; write-backs go on.
  void stop();
  // The same, and write-backs that have not begun are dropped, too.
  void abandon();

  // An edge of the clock, after the port's own.
  void edge(uint64_t cycle, bool drained);

  // The oldest descriptor that waits, or nullptr.
  [[nodiscard]] const Descriptor* head(uint64_t cycle) const;
  void take() { waiting_.pop(); }

  void write_back(uint64_t cycle, uint64_t address, uint32_t status);
  // Of the oldest write-back that is over, at the edge at which a channel tells of it.
  [[nodiscard]] const std::optional<model::Response>& written() const { return written_; }

  [[nodiscard]] bool waits() const { return !waiting_.empty(); }
  [[nodiscard]] bool at_tail() const { return paused_ && !pending_ && waiting_.empty(); }
  [[nodiscard]] bool reads_over() const { return reads_.empty(); }
  [[nodiscard]] bool writes_over() const {
    return updates_.empty() && answers_ == 0 && answered_.empty();
  }
  [[nodiscard]] bool idle() const { return reads_over() && writes_over(); }
  // It will do something that nobody else does before.
  [[nodiscard]] bool at_work() const {
    return !idle() || timed_ || (paused_ && pending_) || read_due();
  }

 private:
  struct Read {
    uint64_t address;
    bool wanted;
  };
  struct Update {
    uint64_t address;
    uint32_t status;
    uint64_t ready;
  };

  struct Answer {
    model::Response response;
    uint64_t ready;
  };

  void take_word(uint64_t cycle);
  void next_is(uint64_t next);
  void read_ended(uint64_t cycle);
  void discard_behind();
  // The next read waits for nothing but its cycle and room in the port.
  [[nodiscard]] bool read_due() const;
  void issue(uint64_t cycle);
  void update(uint64_t cycle);
  [[nodiscard]] bool at_limit(uint64_t address) const {
    return address == limit_ && !cyclic_ && !relink_;
  }

  std::shared_ptr<DescriptorPort> port_;
  unsigned client_;
  bool enabled_ = false;
  bool cyclic_ = false;

  // Reads in flight, in order, and what they brought.
  model::Ring<Read> reads_{kDepth};
  model::Ring<Descriptor> waiting_{kDepth};
  std::array<uint64_t, 4> words_{};
  uint32_t word_ = 0;
  bool upper_ = false;  // the second edge of a word
  model::Response response_ = model::Response::okay;

  // Names of sl_sg_fetch.
  uint64_t issue_ = 0;  // the next read
  uint64_t limit_ = 0;
  uint64_t issue_from_ = 0;  // cycle
  bool go_ = false;          // a tail is known
  bool known_ = false;       // issue_ is certain
  bool follow_ = false;      // addresses follow each other: read ahead
  bool limit_out_ = false;   // the tail's read is issued
  bool paused_ = false;
  bool stopped_ = false;  // by an error
  bool pending_ = false;  // a tail waits until the old one is read again
  uint64_t pending_tail_ = 0;
  bool relink_ = false;  // the old tail is read again
  bool relink_same_ = false;
  bool again_ = false;  // that read is the next
  bool timed_ = false;  // a read waits for its cycle

  model::Ring<Update> updates_{64};
  model::Ring<uint32_t> status_words_{64};  // addressed, whose word is to come
  uint32_t answers_ = 0;                    // to come
  model::Ring<Answer> answered_{64};        // that are there, and not told of
  std::optional<model::Response> written_;
};

}  // namespace sluice::sim
