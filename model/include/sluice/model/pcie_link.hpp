// SPDX-License-Identifier: Apache-2.0
// PcieLink: a card's link, as packets and events: two PcieWires, flow control, tags, PcieRoot.
//
//   card                          wires                         host
//   read(), write(), complete()   up:   MRd, MWr, Cpl      ->   PcieRoot, load completions
//   PcieCard                      down: CplD, MWr, MRd     <-   store(), load(), other devices
//
// Several links may share one PcieRoot; what one card asks of another's memory goes through it and
// down the other's link. Time is that of the root: advance_to() of any brings all.
// Packets: a read is cut at multiples of max_read_request, its completions at multiples of the read
// completion boundary; a write of the card is given packet by packet. A read leaves when it has a
// tag and a credit and the writes and completions given before it have left, a write when it has
// credits. A completion leaves when the stores given before the root complex had its bytes have
// left, and carries the bytes of that time. They take turns where both may. Credits come back by
// UpdateFC DLLPs, packets are acknowledged by Ack DLLPs; both take their time on the other wire.
// Time: advance_to(t) brings the link to board time t (ps, never backwards). Calls are made at a
// time to which it was brought. PcieCard's calls come out of advance_to(), in order of time.
// Deterministic for a seed. Not thread-safe; instances are independent of each other. Not modelled:
// replays, power states, ordering attributes, more than one virtual channel.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "sluice/model/pcie_params.hpp"
#include "sluice/model/pcie_root.hpp"
#include "sluice/model/pcie_upstream.hpp"
#include "sluice/model/pcie_wire.hpp"

namespace sluice::model {

/// Where an interrupt message has arrived.
struct PcieInterrupt {
  std::uint64_t time_ps;
  std::uint64_t address;
  std::uint32_t data;
};

class PcieLink final : public PcieUpstream,
                       private PcieActor,
                       private PcieBars,
                       private PcieRequester {
 public:
  /// Bytes of writes that may wait for the wire.
  static constexpr std::uint32_t kTransmitBytes = 4096;

  /// Below a root complex of its own. The card lives as long as the link. Throws
  /// std::invalid_argument as check().
  PcieLink(const PcieParams& params, PcieCard& card);
  /// Below that one, which lives as long as the link; what params say of root complex, IOMMU and
  /// host memory counts for nothing. The card shows no memory to others (no BAR 1).
  PcieLink(const PcieParams& params, PcieCard& card, PcieRoot& root);
  PcieLink(const PcieLink&) = delete;
  PcieLink& operator=(const PcieLink&) = delete;

  [[nodiscard]] const PcieParams& params() const { return params_; }
  [[nodiscard]] PcieRoot& root() { return root_; }
  [[nodiscard]] std::uint64_t now_ps() const { return time_.now_ps(); }
  void advance_to(std::uint64_t time_ps) { time_.advance_to(time_ps); }
  /// When the next thing happens by itself, on any link of the root complex; UINT64_MAX if nothing
  /// is under way.
  [[nodiscard]] std::uint64_t next_ps() const { return time_.next_ps(); }

  // ---- the card

  void read(std::uint32_t token, std::uint64_t address, std::uint32_t bytes) override;
  /// Requests that wait for the wire, a tag, a credit or older writes.
  [[nodiscard]] std::size_t queued_reads() const { return reads_.size(); }
  [[nodiscard]] bool can_write() const override { return transmit_bytes_ < kTransmitBytes; }
  void write(std::uint32_t token, std::uint64_t address, std::span<const std::uint8_t> data,
             bool last) override;
  void write_nothing(std::uint32_t token) override;
  void stored() override;
  void complete(std::span<const std::uint8_t> data, Response status) override;
  [[nodiscard]] bool idle() const override;
  /// All of these bytes are another device's memory, behind its own link.
  [[nodiscard]] bool reaches_device(std::uint64_t address, std::uint32_t bytes) const {
    return root_.find_bars(address, bytes, *this) != nullptr;
  }

  // ---- the CPU

  /// The card has room for another store; beside those of other devices, the CPU's next one waits
  /// among them for its turn.
  [[nodiscard]] bool can_store() const {
    return forwarded_stores_ == 0 ? store_credits_ > cpu_stores_ : cpu_stores_ == 0;
  }
  /// 1 to 64 bytes, in order with all other accesses.
  void store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data);
  /// 1 to 64 bytes; the answer comes to loaded().
  void load(unsigned bar, std::uint64_t offset, std::uint32_t bytes);
  struct Loaded {
    std::vector<std::uint8_t> data;  ///< empty if it failed
    Response status;
  };
  /// Loads that have been answered and not yet taken, oldest first.
  [[nodiscard]] std::deque<Loaded>& loaded() { return loaded_; }
  /// Interrupts that have arrived and have not yet been taken, oldest first.
  [[nodiscard]] std::deque<PcieInterrupt>& interrupts() { return interrupts_; }

  // ---- what is to be seen of it

  /// Every packet goes to the observer too (nullptr: none).
  void observe(TlpObserver* observer) { observer_ = observer; }
  struct Statistics {
    std::uint64_t up_bytes = 0;       ///< on the wire
    std::uint64_t down_bytes = 0;     ///< on the wire
    std::uint64_t written_bytes = 0;  ///< payload of the card's writes
    std::uint64_t read_bytes = 0;     ///< payload of completions to the card
    std::uint64_t lost_writes = 0;    ///< to addresses where nothing is
    std::uint64_t iotlb_misses = 0;
    // Time in which a read or a write of the card waited for just this, ps.
    std::uint64_t tags_ps = 0;        ///< a read, for a tag
    std::uint64_t credits_ps = 0;     ///< a packet, for the root complex's credits
    std::uint64_t completion_ps = 0;  ///< reads are out, none waits, and no completion is coming in
  };
  [[nodiscard]] Statistics statistics() const;

 private:
  enum class Kind : std::uint8_t {
    up_free,
    up_arrives,
    committed,
    answered,
    forwards,
    loaded,
    down_free,
    down_arrives,
    root_credits,
    card_credits,
    credit_dllp
  };
  struct Request {  // a read of the card, at most max_read_request
    std::uint32_t token;
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint64_t place = 0;  // in the order of all that was given to the link
  };
  struct Packet {  // from the card: a write, or the completion of a load
    std::uint32_t token;
    std::uint64_t address;
    std::vector<std::uint8_t> data;
    bool last;  // of the token
    bool completion;
    Response status;
    std::uint64_t place = 0;
    std::uint8_t tag = 0;                  // of a completion
    std::uint32_t asked = 0;               // bytes that its load asked for, from this packet on
    std::optional<PcieForward> forward{};  // of a completion: for another device
  };
  struct Tag {
    Request request;
    std::uint32_t done = 0;  // bytes completed at the root complex
    Response status = Response::okay;
    std::vector<std::uint8_t> data{};  // of the whole request, once the root complex has it
    bool of_device = false;            // that came from another device
  };
  struct Answer {  // bytes of a read that can be sent
    std::uint16_t tag;
    std::uint64_t place;
  };
  struct Access {  // of the CPU or of another device
    bool is_load;
    unsigned bar;
    std::uint64_t offset;
    std::uint32_t bytes;
    std::uint64_t place = 0;
    std::uint8_t tag = 0;  // of a load
    std::vector<std::uint8_t> data;
    std::optional<PcieForward> forward{};  // a load of another device
    bool of_device = false;                // a store of another device
    // One that ends its write: who, and the write's credits.
    PcieRequester* writer = nullptr;
    std::uint32_t data_credits = 0;
  };
  struct Flight {  // a packet on its way
    bool is_read = false;
    std::uint32_t tag = 0;
    Packet packet{};
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool ends = false;  // the request
    Response status = Response::okay;
    std::vector<std::uint8_t> data{};
    bool is_access = false;
    Access access{};
  };
  struct Stall {
    std::uint64_t since_ps = 0;
    bool on = false;
  };

  PcieLink(const PcieParams& params, PcieCard& card, std::unique_ptr<PcieRoot> own);

  void act(const PcieEvent& event) override;
  void forward(std::uint32_t tag);
  [[nodiscard]] bool decodes(std::uint64_t address, std::uint32_t bytes) const override;
  void forward_read(const PcieForward& read) override;
  void forward_write(PcieRequester& requester, std::uint64_t address,
                     const std::vector<std::uint8_t>& data, std::uint32_t piece_bytes,
                     std::uint32_t data_credits) override;
  void answered(std::uint32_t tag, std::uint64_t ready_ps, std::vector<std::uint8_t> data,
                Response status) override;
  void forwarded(std::uint32_t data_credits) override;

  void at(std::uint64_t time_ps, Kind kind, std::uint32_t a = 0, std::uint32_t b = 0,
          std::uint32_t c = 0) {
    time_.at(time_ps, *this, static_cast<std::uint8_t>(kind), a, b, c);
  }
  void wake(const PcieWire& wire, std::uint64_t& wake_ps, Kind kind);
  void dispatch(const PcieEvent& event);
  void send_up();
  void send_read();
  void send_packet();
  void answer(std::uint16_t number);
  void send_down();
  void send_completion();
  void send_access();
  void arrive_up();
  void arrive_completion(Packet packet);
  void arrive_down();
  void commit();
  void acknowledge(PcieWire& wire, std::uint32_t& packets);
  void free_root_credits(std::uint32_t headers, std::uint32_t data, std::uint32_t nonposted);
  void free_card_credit();
  void flush_credits(bool of_root);
  void observe(const Tlp& tlp) {
    if (observer_ != nullptr) observer_->packet(now_ps(), tlp);
  }
  void account();
  void tally(Stall& stall, std::uint64_t& total, bool on);

  [[nodiscard]] static std::uint32_t data_credits(const Packet& packet);
  [[nodiscard]] bool packet_has_credits() const;
  [[nodiscard]] bool read_may_go() const;
  [[nodiscard]] bool completion_may_go() const;
  [[nodiscard]] std::uint32_t completion_bytes(std::uint64_t address, std::uint32_t left);

  PcieParams params_;
  PcieCard& card_;
  std::unique_ptr<PcieRoot> own_root_;
  PcieRoot& root_;
  PcieTime& time_;
  TlpObserver* observer_ = nullptr;
  std::mt19937 random_;
  std::uint64_t places_ = 0;

  PcieWire up_;
  PcieWire down_;
  std::uint64_t up_wake_ps_ = 0;  // when the wire is looked at again
  std::uint64_t down_wake_ps_ = 0;
  std::deque<Request> reads_;   // wait for the wire
  std::deque<Packet> packets_;  // the same
  std::uint32_t transmit_bytes_ = 0;
  bool read_was_last_ = false;  // sent up
  std::vector<Tag> tags_;
  std::vector<std::uint16_t> free_tags_;
  std::deque<Flight> up_flight_;
  std::deque<Flight> commits_;   // writes at the root complex, not yet seen
  std::deque<Answer> answers_;   // oldest first
  std::deque<Access> accesses_;  // of the CPU, wait for the wire
  bool access_was_last_ = false;
  std::deque<Flight> down_flight_;
  std::deque<Access> loads_;  // at the card, not yet completed

  // Credits that the card's transmitter has, and those that are freed and not yet told.
  std::uint32_t posted_headers_;
  std::uint32_t posted_data_;
  std::uint32_t nonposted_headers_;
  std::array<std::uint32_t, 3> freed_{};
  std::uint64_t root_dllp_ps_ = 0;  // when the last UpdateFC of the root complex left
  bool root_dllp_due_ = false;
  // The same of the CPU's stores.
  std::uint32_t store_credits_;
  std::uint32_t cpu_stores_ = 0;        // that wait for the wire
  std::uint32_t forwarded_stores_ = 0;  // the same, of other devices
  std::uint32_t freed_stores_ = 0;
  std::uint64_t card_dllp_ps_ = 0;
  bool card_dllp_due_ = false;
  std::uint32_t unacknowledged_up_ = 0;
  std::uint32_t unacknowledged_down_ = 0;

  std::vector<std::uint8_t> completion_;  // the packets of one that have arrived
  std::uint8_t load_tag_ = 0;
  std::deque<Loaded> loading_;  // at the root complex, behind writes that are not yet seen
  std::deque<Loaded> loaded_;
  std::uint32_t completions_coming_ = 0;  // in down_flight_
  std::deque<PcieInterrupt> interrupts_;
  Statistics statistics_{};
  Stall tags_stall_{}, credits_stall_{}, completion_stall_{};
};

}  // namespace sluice::model
