// SPDX-License-Identifier: Apache-2.0
// A buffer of a board whose memory this process has in its hands.
#pragma once

#include <cstdint>

#include "board.hpp"

namespace sluice {

class RegisterBuffer final : public sluice_buffer {
 public:
  enum class Place { host, card, gpu, on_chip, lent };

  RegisterBuffer(sluice_board& board, Place place, uint64_t address, uint64_t bytes, uint8_t* data)
      : sluice_buffer(board, bytes), place_(place), address_(address), data_(data) {}

  [[nodiscard]] void* data() const override { return data_; }
  [[nodiscard]] bool busy() const override { return users_ > 0; }
  [[nodiscard]] Place place() const { return place_; }
  [[nodiscard]] uint64_t address() const { return address_; }
  [[nodiscard]] bool granted() const override { return grants_ > 0; }
  // A capture writes to it, which the program may read meanwhile.
  [[nodiscard]] bool captured() const { return captured_; }
  void set_captured(bool captured) { captured_ = captured; }
  [[nodiscard]] uint32_t* users() { return &users_; }  // counts transfers and commands
  [[nodiscard]] uint32_t& grants() { return grants_; }

 private:
  Place place_;
  uint64_t address_;
  uint8_t* data_;
  uint32_t users_ = 0;
  uint32_t grants_ = 0;
  bool captured_ = false;
};

}  // namespace sluice
