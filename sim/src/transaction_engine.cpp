// SPDX-License-Identifier: Apache-2.0
#include "transaction_engine.hpp"

#include <cstdio>
#include <string>

#include "sluice/sim/transaction_board.hpp"

namespace sluice::sim {

void refuse_access(const char* access, uint32_t offset) {
  char text[96];
  std::snprintf(text, sizeof text, "%s of register 0x%05x: only the RTL level has it", access,
                offset);
  throw NoRegister(text);
}

void check_units(uint64_t address, uint64_t bytes, unsigned unit_bytes) {
  if ((bytes | address) % unit_bytes == 0) return;
  const std::string unit = std::to_string(unit_bytes);
  throw NotModelled("a transfer of " + std::to_string(bytes) + " bytes: transactions move " +
                    "multiples of " + unit + " bytes between multiples of " + unit +
                    "; only the RTL level does");
}

}  // namespace sluice::sim
