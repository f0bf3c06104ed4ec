// SPDX-License-Identifier: Apache-2.0
// DdriPort: one 64-bit AXI slave port of the DDR controller (UG585 10.2), clocked by DDR_2x.
//
// Bursts wait in the command FIFO of their direction and are split into requests of one DRAM burst
// (32 bytes, aligned). The arbiter grants requests in the order of acceptance of their direction.
// Reads: at most read_bursts bursts are inside, from acceptance until the data of the last request
// is
//   back. A granted request holds its words of the reorder RAM until they have left on R; a request
//   is granted only into free words, which bounds the reads a port has in the DRAM. R carries one
//   word a DDR_2x cycle, in the order in which the port accepted the bursts, whichever source
//   (master behind the port) they came from. UG585 10.1.1 returns data out of order only
//   between master IDs; that the two HP ports of one controller port count as one master is a
//   reading that the measured rates need, see docs/explanation/memory-model.md.
// Writes: a burst is taken only when the write RAM has room for all its words; one word a DDR_2x
//   cycle enters on W; a request can be granted when its words are there, and frees them then. The
//   response follows the last grant.
// A failed burst (range error) takes the same way but none of its requests goes to the DRAM.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "sluice/model/afi_port.hpp"
#include "sluice/model/cam.hpp"
#include "sluice/model/ddrc_params.hpp"
#include "sluice/model/ring.hpp"

namespace sluice::model {

/// What the controller's ports ask the arbiter for, so that it need not ask them: the cycle from
/// which a port's next request may be granted, kNever while it waits for something (free words of
/// the reorder RAM, or its data). Once known it stays until that grant.
struct DdriRequests {
  static constexpr std::uint32_t kPorts = 4;
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  struct Type {
    std::array<std::uint64_t, kPorts> from{kNever, kNever, kNever, kNever};
    /// No request that the arbiter has not seen is pending before this cycle.
    std::uint64_t next = kNever;
    void set(std::uint32_t port, std::uint64_t cycle) {
      from[port] = cycle;
      if (cycle < next) next = cycle;
    }
  };
  Type reads{};
  Type writes{};
  /// Bursts inside the ports: reads with words to send, writes without their response.
  std::uint32_t bursts = 0;
};

class DdriPort {
 public:
  static constexpr std::uint32_t kSources = 3;
  static constexpr std::uint32_t kRequestBytes = 32;
  static constexpr std::uint64_t kNever = DdriRequests::kNever;

  /// Where a burst comes from.
  struct Origin {
    std::uint32_t source = 0;  ///< master behind the port: 0, 1, 2
    bool failed = false;       ///< for no DRAM
    bool urgent = false;       ///< its requests have priority 0 at the arbiter
  };

  /// Port `index`; keeps its place in `requests` up to date.
  DdriPort(const DdrcParams& params, std::uint32_t index, DdriRequests& requests);

  // ---- AXI side ------------------------------------------------------------------------------
  [[nodiscard]] bool read_room() const {
    return reads_open_ < params_.port.read_bursts && read_free_ != 0;
  }
  void read(const AfiBurst& burst, const Origin& origin, std::uint64_t cycle);
  /// One word of R may leave in this cycle.
  [[nodiscard]] bool read_word_ready() const { return read_words_ready_ != 0; }
  /// The source that it goes to.
  std::uint32_t take_read_word() {
    const std::uint32_t slot = read_order_.front();
    Burst& b = reads_[slot];
    --read_words_ready_;
    --read_ram_used_;
    if (++b.words_sent == b.burst.words) {
      read_order_.pop();
      read_free_ |= 1U << slot;
      --requests_.bursts;
      update_read_words_ready();
    }
    if (requests_.reads.from[index_] == kNever) update_read_request();
    return b.origin.source;
  }

  [[nodiscard]] bool write_room(std::uint32_t words) const {
    return !write_commands_.full() && write_free_ != 0 &&
           write_ram_used_ + words <= params_.port.write_ram_words;
  }
  void write(const AfiBurst& burst, const Origin& origin, std::uint64_t cycle);
  /// Next word of the burst accepted last.
  void put_write_word() {
    Burst& b = writes_[write_commands_.back()];
    if (++b.words_here == b.next_end && requests_.writes.from[index_] == kNever) {
      update_write_request();
    }
  }
  [[nodiscard]] bool response_ready(std::uint64_t cycle) const { return cycle >= response_cycle_; }
  std::uint32_t take_response();  ///< its source

  // ---- controller side -----------------------------------------------------------------------
  /// Removes the next request; `failed` requests are not for the DRAM.
  DramRequest grant_read(bool& failed);
  DramRequest grant_write(std::uint64_t cycle, bool& failed);
  /// Of the next request.
  [[nodiscard]] bool read_urgent() const { return reads_[read_commands_.front()].origin.urgent; }
  [[nodiscard]] bool write_urgent() const { return writes_[write_commands_.front()].origin.urgent; }
  [[nodiscard]] std::uint64_t next_read_address() const;
  [[nodiscard]] std::uint64_t next_write_address() const;
  void read_returned(std::uint32_t burst, std::uint32_t index);

 private:
  static constexpr std::uint32_t kSlots = 32;
  static constexpr std::uint32_t kAllSlots = ~std::uint32_t{0};
  struct Burst {
    AfiBurst burst;
    std::uint64_t ready_cycle;  // visible to the arbiter from here on
    Origin origin;
    std::uint32_t requests;
    std::uint32_t first_words;  // words that lie in request 0
    std::uint32_t step_words;   // words that lie in each further one
    std::uint32_t granted;
    std::uint32_t words_granted;  // words that lie in the granted requests
    std::uint32_t next_end;       // ... and in the next one to grant
    std::uint32_t words_here;     // writes: words that have arrived
    std::uint32_t words_sent;     // reads: words that have left
    std::uint32_t returned;       // reads: mask of requests whose data is in the RAM
  };
  struct Pending {
    std::uint64_t cycle;
    std::uint32_t source;
  };
  static Burst split(const AfiBurst& burst, const Origin& origin, std::uint64_t ready);
  /// Words of the burst that lie in requests 0..index.
  static std::uint32_t words_through(const Burst& b, std::uint32_t index) {
    const std::uint32_t words = b.first_words + index * b.step_words;
    return words < b.burst.words ? words : b.burst.words;
  }
  /// Marks the next request as granted; returns its words.
  static std::uint32_t grant(Burst& b);
  DramRequest make_request(const Burst& b, std::uint32_t slot) const;
  void update_read_request();
  void update_write_request();
  void update_read_words_ready();

  DdrcParams params_;
  std::uint32_t index_;
  DdriRequests& requests_;
  std::array<Burst, kSlots> reads_{};
  std::uint32_t read_free_ = kAllSlots;
  Ring<std::uint8_t> read_commands_;  // slots with requests left to grant
  Ring<std::uint8_t> read_order_;     // slots with words left to send, oldest first
  std::uint32_t read_ram_used_ = 0;
  std::uint32_t reads_open_ = 0;        // taken, data not all back
  std::uint32_t read_words_ready_ = 0;  // of the oldest burst in read_order_, not yet sent

  std::array<Burst, kSlots> writes_{};
  std::uint32_t write_free_ = kAllSlots;
  Ring<std::uint8_t> write_commands_;
  std::uint32_t write_ram_used_ = 0;
  Ring<Pending> responses_;
  std::uint64_t response_cycle_ = kNever;  // of the oldest of them
};

}  // namespace sluice::model
