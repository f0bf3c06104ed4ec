// SPDX-License-Identifier: Apache-2.0
// HostPort: the host's port of a card at transaction level: what PcieAxi and the logic's AXI joins
// do with bursts, by calculation instead of edge by edge.
//
//   reads    64 bursts at a time, an address a cycle, which stays presented until taken; beats of a
//            reader in order, those of others between them where the bytes of the one at hand are
//            not there, in turns as PcieAxi takes them; a beat a cycle
//   writes   in the order of their addresses, of which 16 are ahead of their data; a beat a cycle
//            into packets of max_payload, while the link has room; answered when the last packet is
//            on the wire, one a cycle. Messages have one at a time before its beat; counts come
//            through the registers of sl_xdma_writeback and its port
//
// Time: cycles of the card's clock. step() does what is due; next() is when something is due again,
// unless the link does something before. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sluice/model/pcie_link.hpp"

namespace sluice::sim {

inline constexpr uint64_t kNever = ~uint64_t{0};

// Beats of a burst on a port of so many bytes.
constexpr uint64_t beats_of(uint64_t address, uint64_t bytes, unsigned width_bytes) {
  return (address % width_bytes + bytes + width_bytes - 1) / width_bytes;
}

class HostPort {
 public:
  enum Reader : uint8_t { kH2cData, kH2cFetch, kC2hFetch, kReaders };
  enum Writer : uint8_t { kC2hData, kH2cCounts, kC2hCounts, kMessages, kWriters };

  // What the port tells its users of.
  class User {
   public:
    virtual ~User() = default;
    // Bytes that were asked for have come, the first of them for `place`; not yet as beats. Comes
    // out of the link.
    virtual void bytes(Reader reader, uint64_t place, std::span<const uint8_t> data) = 0;
    // Beats of the reader's oldest burst, from `cycle` on one a cycle; last: its end.
    virtual void beats(Reader reader, uint64_t cycle, uint32_t count, bool last,
                       model::Response status) = 0;
    // The writer's oldest burst was answered.
    virtual void written(Writer writer, uint64_t cycle) = 0;
  };

  struct Burst {
    uint64_t address;
    uint32_t bytes;
    const uint8_t* data;  // nullptr: `word`
    uint32_t word;
    uint64_t ready;  // when its address is presented
  };

  HostPort(model::PcieLink& link, unsigned width_bytes, User& user)
      : link_(link), width_(width_bytes), max_payload_(link.params().max_payload), user_(user) {
    for (uint32_t token = 0; token < kBursts; ++token) free_.push_back({token, 0});
  }

  // Whether the port takes the address that a reader presents in this cycle. One that it does not
  // take keeps the others waiting, until release().
  [[nodiscard]] bool takes(Reader reader, uint64_t cycle);
  // The cycle from which it takes one; kNever: not known yet.
  [[nodiscard]] uint64_t read_from() const {
    return free_.empty() ? kNever : std::max(read_address_from_, free_.front().from);
  }
  // The reader whose address keeps the others waiting; kReaders: none. It may have been withdrawn.
  [[nodiscard]] Reader held() const { return held_; }
  void release() { held_ = kReaders; }
  // Who presented the last address that was taken.
  [[nodiscard]] Reader last_reader() const { return last_reader_; }
  // Read so many bytes, within 4 KiB, as whole beats. `place`: where the first goes.
  void read(Reader reader, uint64_t cycle, uint64_t address, uint32_t bytes, uint64_t place);
  // Bursts with beats to come.
  [[nodiscard]] size_t reads(Reader reader) const {
    return readers_[reader].size() - (ending_ && ids_[turn_] == reader ? 1 : 0);
  }

  // Addresses of a writer in order. Those of data that are still waiting can be dropped.
  void write(Writer writer, const Burst& burst) {
    waiting_[port_of(writer)].push_back({writer, burst});
    due(burst.ready);
  }
  [[nodiscard]] size_t waiting_data() const { return waiting_[kDataPort].size(); }
  // The last `count` of those that are waiting.
  void drop_data(size_t count) {
    auto& bursts = waiting_[kDataPort];
    bursts.erase(bursts.end() - static_cast<std::ptrdiff_t>(count), bursts.end());
  }
  // The cycle from which sl_xdma_writeback takes a count, of either channel; kNever: not known yet.
  [[nodiscard]] uint64_t count_from() const {
    return counts_.empty() ? 0 : after(counts_.back().taken, 1);
  }
  // It takes one then. The writer of the last one.
  void count(Writer writer, uint64_t cycle, uint64_t address, uint32_t word);
  [[nodiscard]] Writer last_count() const { return last_count_; }

  // The link's callbacks.
  void read_data(uint32_t token, uint32_t bytes, std::span<const uint8_t> data,
                 model::Response status);
  void write_sent() { ++sent_; }

  void step(uint64_t cycle);
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] bool idle() const;

 private:
  static constexpr uint32_t kBursts = 64;
  enum Port : uint8_t { kDataPort, kCountPort, kMessagePort, kPorts };  // of the joins
  static constexpr size_t kAddresses = 16;                              // WriteDepth of the joins

  struct Read {
    Reader reader;
    uint64_t place;
    uint32_t skip;         // bytes of the first beat that were not asked for
    uint32_t asked;        // bytes
    uint32_t bytes;        // of its beats
    uint32_t arrived = 0;  // with those that could not be had
    uint32_t good = 0;     // before the first that could not
    uint32_t given = 0;
    model::Response status = model::Response::okay;
  };
  struct Free {
    uint32_t token;
    uint64_t from;  // the cycle after its burst's last beat
  };
  struct Waiting {
    Writer writer;
    Burst burst;
  };
  // A count on its way through sl_xdma_writeback and sl_xdma_port: cycles, kNever while they depend
  // on others that are to come.
  struct Count {
    Writer writer;
    uint64_t address;
    uint32_t word;
    uint64_t queued;              // by sl_xdma_writeback
    uint64_t taken = kNever;      // from its queue to its bus
    uint64_t addressed = kNever;  // into the port's register
    uint64_t written = kNever;    // the beat, into the guard's register
    uint64_t waiting = kNever;    // the beat, into the port's slice
    uint64_t presented = kNever;  // the address, taken by the join
    uint64_t sent = kNever;       // the beat
  };
  struct Open {
    Writer writer;
    Burst burst;
    uint64_t first;  // cycle from which its beats may go
  };

  static Port port_of(Writer writer) {
    return writer == kC2hData ? kDataPort : writer == kMessages ? kMessagePort : kCountPort;
  }
  static uint64_t after(uint64_t cycle, uint64_t cycles) {
    return cycle == kNever ? kNever : cycle + cycles;
  }
  void resolve_counts();
  void give_beats(uint64_t cycle);
  void end_burst();
  [[nodiscard]] uint64_t address_at(unsigned port) const;
  void take_addresses(uint64_t cycle);
  void take_beats(uint64_t cycle);
  void begin_packet(uint64_t from);
  void send_packet(uint64_t cycle);
  void free_if_over(uint32_t token);
  void due(uint64_t cycle) { next_ = cycle < next_ ? cycle : next_; }

  model::PcieLink& link_;
  unsigned width_;
  uint32_t max_payload_;
  User& user_;
  uint64_t next_ = kNever;

  std::array<Read, kBursts> reads_{};
  std::deque<Free> free_;
  std::array<std::deque<uint32_t>, kReaders> readers_;  // tokens, oldest first
  std::vector<Reader> ids_;  // those with bursts, in the order in which they got the first
  size_t turn_ = 0;          // place in ids_
  bool ending_ = false;      // the burst whose turn it is has its last beat before read_from_
  uint64_t read_from_ = 0;   // cycle of the next beat
  uint64_t read_address_from_ = 0;
  Reader last_reader_ = kC2hFetch;
  Reader held_ = kReaders;

  std::array<std::deque<Waiting>, kPorts> waiting_;
  unsigned address_turn_ = 0;
  uint64_t address_from_ = 0;
  unsigned data_open_ = 0;    // of open_
  std::deque<Count> counts_;  // those to be sent, and the last two that were
  uint64_t first_count_ = 0;  // number of the first of them
  uint64_t answered_counts_ = 0;
  uint64_t count_answer_ = 0;  // cycle of the last answer to one
  Writer last_count_ = kH2cCounts;
  std::array<uint64_t, kPorts> port_from_{};  // kNever: a beat has to go first
  std::deque<Open> open_;
  uint64_t write_from_ = 0;  // cycle of the next beat, unless blocked
  bool blocked_ = false;     // by the link
  uint64_t packet_end_ = kNever;
  uint32_t packet_bytes_ = 0;
  std::deque<Writer> unanswered_;
  unsigned sent_ = 0;
  uint64_t answer_from_ = 0;
};

}  // namespace sluice::sim
