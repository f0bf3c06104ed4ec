// SPDX-License-Identifier: Apache-2.0
// The table of back ends that this library was built with.
#include "board.hpp"
#include "device_backend.hpp"
#include "tcp_backend.hpp"
#include "vfio_backend.hpp"
#ifdef SLUICE_SIMULATED_BOARDS
#include "sim_backend.hpp"
#endif

namespace sluice {

const std::vector<Backend>& backends() {
  static const std::vector<Backend> table{
#ifdef SLUICE_SIMULATED_BOARDS
      kSimBackend,
#endif
      kDeviceBackend,
      kVfioBackend,
      kTcpBackend,
  };
  return table;
}

}  // namespace sluice
