// SPDX-License-Identifier: Apache-2.0
// GuestBus: a virtual machine's bus, as a card's bridge sees it: its memory, and the address that
// the card's MSI-X messages are sent to.
//
// No model of time: what can be done is done at the next advance(). In order, but that a write may
// overtake a read whose answer comes by a message; a read waits for the writes before it, and a
// message that is an interrupt comes after them, too.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sluice/cosim/vfio_user.hpp"
#include "sluice/model/pcie_upstream.hpp"

namespace sluice::cosim {

class GuestBus final : public model::PcieUpstream {
 public:
  // Where the message of vector n is sent: kMessages + 4 * n, which no machine has memory at.
  static constexpr uint64_t kMessages = 0xffff'ffff'ffff'f000;

  // message: an interrupt of that vector has come.
  explicit GuestBus(std::function<void(unsigned vector)> message) : message_(std::move(message)) {}
  // Before all else. The card, whose calls come out of advance() and of VfioUserServer::serve(),
  // lives as long as this.
  void connect(model::PcieCard& card) { card_ = &card; }

  // Do what can be done now. host: whose bus it is; null: the card is not its master, and all
  // fails. True: something was done.
  bool advance(VfioUserServer* host);
  // Forget all that is under way. host: whose bus it was; null: nobody's.
  void reset(VfioUserServer* host);

  void read(uint32_t token, uint64_t address, uint32_t bytes) override;
  [[nodiscard]] bool can_write() const override { return queue_.size() < kMostQueued; }
  void write(uint32_t token, uint64_t address, std::span<const uint8_t> data, bool last) override;
  void write_nothing(uint32_t token) override;
  void stored() override { --(stale_stores_ != 0 ? stale_stores_ : stores_); }
  void complete(std::span<const uint8_t> data, model::Response status) override;
  [[nodiscard]] bool idle() const override {
    return queue_.empty() && reads_out_ == 0 && writes_out_ == 0 && stores_ == 0;
  }

  // ---- the CPU's accesses: one at a time

  void store(unsigned bar, uint64_t offset, std::span<const std::byte> data);
  void load(unsigned bar, uint64_t offset, uint32_t bytes);
  [[nodiscard]] bool store_is_done() const { return stores_ == 0; }
  struct Loaded {
    std::vector<uint8_t> data;  // empty if it failed
  };
  // The answer of the load, once.
  std::optional<Loaded> take_loaded() { return std::exchange(loaded_, std::nullopt); }
  // Nobody waits for it any more. The card may answer later: in order, before what comes after it.
  void give_up_load() { ++stale_loads_; }
  void give_up_stores() { stale_stores_ += std::exchange(stores_, 0); }

 private:
  static constexpr std::size_t kMostQueued = 64;

  struct Request {
    bool is_read;
    uint32_t token;
    uint64_t address;
    uint32_t bytes;
    std::vector<std::byte> data;  // of a write
    bool last;                    // of its token
  };

  // A write whose pieces go by messages.
  struct Pieces {
    unsigned out = 0;    // not answered
    bool whole = false;  // there are no more of them
  };

  [[nodiscard]] static bool by_message(VfioUserServer* host, uint64_t address, uint64_t bytes);
  void write_answered(uint32_t token);
  bool perform(VfioUserServer* host, const Request& request);
  bool perform_read(VfioUserServer* host, const Request& request);
  bool perform_write(VfioUserServer* host, const Request& request);

  model::PcieCard* card_ = nullptr;
  std::function<void(unsigned)> message_;
  std::deque<Request> queue_;
  unsigned reads_out_ = 0;             // by messages, not answered
  unsigned writes_out_ = 0;            // the same
  std::map<uint32_t, Pieces> pieces_;  // by token
  unsigned stores_ = 0;
  unsigned stale_stores_ = 0, stale_loads_ = 0;  // given up, not answered
  std::optional<Loaded> loaded_;
};

}  // namespace sluice::cosim
