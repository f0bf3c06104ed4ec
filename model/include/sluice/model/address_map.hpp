// SPDX-License-Identifier: Apache-2.0
// AddressMap: byte address to bank and row.
//
// Zybo's registers (ps7 addrmap_bank_b0..b2 = 7, addrmap_row_b0 = 6, col_b2..b8 = 0): with two x16
// parts a page is 1024 columns of 4 bytes; above its 12 bits come three bank bits, then the row. So
// consecutive 4 KiB pages lie in consecutive banks, and addresses that are equal modulo 32 KiB lie
// in the same bank and in different rows.
#pragma once

#include <cstdint>

namespace sluice::model {

struct AddressMap {
  std::uint32_t page_bits = 12;  ///< log2 bytes of a row over all parts
  std::uint32_t bank_bits = 3;
  [[nodiscard]] std::uint32_t bank(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address >> page_bits) & ((1U << bank_bits) - 1U);
  }
  [[nodiscard]] std::uint32_t row(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address >> (page_bits + bank_bits));
  }
};

}  // namespace sluice::model
