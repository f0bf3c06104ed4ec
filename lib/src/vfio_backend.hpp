// SPDX-License-Identifier: Apache-2.0
// PCI functions that vfio-pci has as a back end of libsluice: "vfio:FUNCTION".
#pragma once

#include <memory>

#include "board.hpp"

namespace sluice {

class SystemCalls;
class Uri;

extern const Backend kVfioBackend;

// The same over calls of one's own. `calls` lives as long as the board.
std::unique_ptr<sluice_board> open_vfio(Uri& uri, SystemCalls& calls);

}  // namespace sluice
