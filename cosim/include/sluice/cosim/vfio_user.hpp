// SPDX-License-Identifier: Apache-2.0
// VfioUserServer: serves one PciDevice to one client, which is QEMU's `vfio-user-pci`.
//
// Protocol: vfio-user 0.1 (QEMU, docs/interop/vfio-user.rst). Not offered: mapping a region into
// the client, memory without a file (VFIO_USER_DMA_READ and _WRITE), migration, INTx and MSI. A
// request that cannot be done is answered by its errno. A client that breaks the framing (a size
// that cannot be, descriptors that were cut, a command before the version) loses its connection.
// No request makes the server wait for the client, but for sending an answer: 10 s at most.
//
// Not thread-safe. Device and server: the device must live as long as the server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/cosim/file.hpp"
#include "sluice/cosim/guest_memory.hpp"
#include "sluice/cosim/pci_device.hpp"

namespace sluice::cosim {

class VfioUserServer {
 public:
  VfioUserServer(File connection, PciDevice& device);
  ~VfioUserServer();

  // Waits up to timeout_ms (-1: for ever, 0: not at all) for a request, then serves all that have
  // come, up to 64. False: the client has gone or was sent away; the server is of no more use.
  bool serve(int timeout_ms);

  // Readable when a request waits.
  [[nodiscard]] int descriptor() const;
  // Memory of the client, changed by serve() alone.
  [[nodiscard]] GuestMemory& memory();
  // Signal an MSI-X vector. False: the client has not enabled it.
  bool interrupt(unsigned vector);
  // Why the client was sent away; empty: it went, or is there.
  [[nodiscard]] const std::string& complaint() const;

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace sluice::cosim
