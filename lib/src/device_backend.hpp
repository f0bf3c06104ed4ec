// SPDX-License-Identifier: Apache-2.0
// Devices of the driver sluice.ko as a back end of libsluice: "dev:BOARD".
#pragma once

#include <memory>
#include <vector>

#include "board.hpp"

namespace sluice {

class SystemCalls;
class Uri;

extern const Backend kDeviceBackend;

// The same over calls of one's own. `calls` lives as long as the board.
std::vector<sluice_board_description> enumerate_devices(SystemCalls& calls);
std::unique_ptr<sluice_board> open_device(Uri& uri, SystemCalls& calls);

}  // namespace sluice
