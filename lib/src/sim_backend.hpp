// SPDX-License-Identifier: Apache-2.0
// Back end sim: a board simulated in this process.
#pragma once

#include "board.hpp"

namespace sluice {

extern const Backend kSimBackend;

}  // namespace sluice
