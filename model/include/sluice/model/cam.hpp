// SPDX-License-Identifier: Apache-2.0
// RequestCam: one of the controller's two content-addressable memories of pending DRAM requests.
//
// Holds up to 32 requests of one BL8 (32 bytes) each. Age is kept as a matrix, as hardware does:
// bit j of older_[i] says that entry j entered before entry i. Matches by bank and by open row are
// kept as bit masks over the entries, so the scheduler works on whole masks.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace sluice::model {

struct DramRequest {
  std::uint32_t row = 0;
  std::uint8_t bank = 0;
  std::uint8_t port = 0;   ///< DDRI port it came from
  std::uint8_t burst = 0;  ///< slot of its burst in that port
  std::uint8_t index = 0;  ///< number of the request within the burst
};

class RequestCam {
 public:
  using Mask = std::uint32_t;

  explicit RequestCam(std::uint32_t entries)
      : capacity_mask_(entries >= 32 ? ~Mask{0} : (Mask{1} << entries) - 1U) {}

  [[nodiscard]] bool empty() const { return valid_ == 0; }
  [[nodiscard]] bool full() const { return valid_ == capacity_mask_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] Mask valid() const { return valid_; }
  [[nodiscard]] Mask in_bank(std::uint32_t bank) const { return bank_[bank]; }
  [[nodiscard]] Mask hits() const { return hits_; }
  /// Banks that have entries, and that have hits: bit a bank.
  [[nodiscard]] Mask banks() const { return banks_; }
  [[nodiscard]] Mask hit_banks() const { return hit_banks_; }
  [[nodiscard]] const DramRequest& request(std::uint32_t entry) const { return request_[entry]; }
  /// Entries of `candidates` that entered before `entry`.
  [[nodiscard]] Mask older_than(std::uint32_t entry, Mask candidates) const {
    return older_[entry] & candidates;
  }

  /// Oldest entry of a non-empty mask.
  [[nodiscard]] std::uint32_t oldest(Mask candidates) const {
    auto entry = static_cast<std::uint32_t>(std::countr_zero(candidates));
    for (;;) {
      const Mask earlier = older_[entry] & candidates;
      if (earlier == 0) return entry;
      entry = static_cast<std::uint32_t>(std::countr_zero(earlier));
    }
  }

  void insert(const DramRequest& request, bool hit) {
    const auto entry = static_cast<std::uint32_t>(std::countr_zero(~valid_));
    request_[entry] = request;
    older_[entry] = valid_;
    const Mask bit = Mask{1} << entry;
    valid_ |= bit;
    ++size_;
    bank_[request.bank] |= bit;
    banks_ |= Mask{1} << request.bank;
    if (hit) {
      hits_ |= bit;
      hit_banks_ |= Mask{1} << request.bank;
    }
  }
  void remove(std::uint32_t entry) {
    const Mask keep = ~(Mask{1} << entry);
    valid_ &= keep;
    --size_;
    hits_ &= keep;
    const std::uint32_t bank = request_[entry].bank;
    bank_[bank] &= keep;
    if (bank_[bank] == 0) banks_ &= ~(Mask{1} << bank);
    if ((bank_[bank] & hits_) == 0) hit_banks_ &= ~(Mask{1} << bank);
    for (Mask& older : older_) older &= keep;
  }
  void row_opened(std::uint32_t bank, std::uint32_t row) {
    for (Mask rest = bank_[bank]; rest != 0; rest &= rest - 1U) {
      const auto entry = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (request_[entry].row != row) continue;
      hits_ |= Mask{1} << entry;
      hit_banks_ |= Mask{1} << bank;
    }
  }
  void row_closed(std::uint32_t bank) {
    hits_ &= ~bank_[bank];
    hit_banks_ &= ~(Mask{1} << bank);
  }

 private:
  Mask capacity_mask_;
  Mask valid_ = 0;
  std::uint32_t size_ = 0;
  Mask hits_ = 0;  ///< entries whose row is open
  Mask banks_ = 0;
  Mask hit_banks_ = 0;
  std::array<Mask, 8> bank_{};
  std::array<Mask, 32> older_{};
  std::array<DramRequest, 32> request_{};
};

}  // namespace sluice::model
