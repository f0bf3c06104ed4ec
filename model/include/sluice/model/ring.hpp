// SPDX-License-Identifier: Apache-2.0
// Ring: a bounded first-in first-out queue without allocation after construction.
//
// Capacity is rounded up to a power of two; pushing into a full ring or reading an empty one is a
// fault of the caller (asserted in debug builds).
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace sluice::model {

template <typename T>
class Ring {
 public:
  explicit Ring(std::uint32_t capacity)
      : items_(std::bit_ceil(capacity == 0 ? 1U : capacity)),
        mask_(static_cast<std::uint32_t>(items_.size()) - 1U),
        capacity_(capacity) {}

  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] bool full() const { return tail_ - head_ >= capacity_; }
  [[nodiscard]] std::uint32_t size() const { return tail_ - head_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }

  T& push(const T& item) {
    assert(!full());
    T& slot = items_[tail_++ & mask_];
    slot = item;
    return slot;
  }
  void pop() {
    assert(!empty());
    ++head_;
  }
  [[nodiscard]] T& front() { return at(0); }
  [[nodiscard]] const T& front() const { return at(0); }
  [[nodiscard]] T& back() { return at(size() - 1U); }
  [[nodiscard]] T& at(std::uint32_t position) {
    assert(position < size());
    return items_[(head_ + position) & mask_];
  }
  [[nodiscard]] const T& at(std::uint32_t position) const {
    assert(position < size());
    return items_[(head_ + position) & mask_];
  }

 private:
  std::vector<T> items_;
  std::uint32_t mask_;
  std::uint32_t capacity_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
};

}  // namespace sluice::model
