// SPDX-License-Identifier: Apache-2.0
// Memory of another board of the driver, such as block RAM of the logic, for channels of this one.
#pragma once

#include <cstdint>
#include <string>

#include "sluice.hpp"

namespace sluice::bench {

// The first bytes behind a node such as /dev/sluice/pl/memory; `bytes`: a multiple of 4096. Throws
// std::invalid_argument: there is no such node, or it has less; Error: the board cannot have it.
[[nodiscard]] BufferHandle memory_of_node(sluice_board* board, const std::string& path,
                                          uint64_t bytes);

}  // namespace sluice::bench
