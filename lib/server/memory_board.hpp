// SPDX-License-Identifier: Apache-2.0
// A board of this process's memory whose stream keeps a rate by the machine's clock: what the
// server is measured and tested with, since no simulation is as fast, and no board is everywhere.
//
// Channels "memory0.s2mm" and "memory1.s2mm" capture. Attributes of both:
//   memory.rate     bytes a second; 0: as fast as periods are released
//   memory.periods  periods until the stream ends and the capture stops by itself; 0: without end
//   memory.counter  1: words count up; 0: the buffer's bytes stay what they are, which costs
//   nothing
#pragma once

#include <sluice.h>

#include <memory>

#include "server.hpp"

namespace sluice::serve {

std::unique_ptr<sluice_board, CloseBoard> memory_board();

}  // namespace sluice::serve
