// SPDX-License-Identifier: Apache-2.0
// Boards that `sluice serve` serves at another machine, or here.
#pragma once

#include "board.hpp"

namespace sluice {

extern const Backend kTcpBackend;

}  // namespace sluice
