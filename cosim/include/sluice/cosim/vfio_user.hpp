// SPDX-License-Identifier: Apache-2.0
// VfioUserServer: serves one PciDevice to one client, which is QEMU's `vfio-user-pci`.
//
// Protocol: vfio-user 0.1 (QEMU, docs/interop/vfio-user.rst). Not offered: mapping a region into
// the client, migration, INTx and MSI. A request that cannot be done is answered by its errno. A
// client that breaks the framing (a size that cannot be, descriptors that were cut, a command
// before the version, an answer without a request) loses its connection. No request makes
// the server wait for the client, but for sending an answer: 10 s at most.
//
// Memory for which the client sent no file is reached by messages to it. They are answered while
// the client waits for an answer itself, so a device must answer every access without them.
//
// Not thread-safe. Device and server: the device must live as long as the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sluice/cosim/file.hpp"
#include "sluice/cosim/guest_memory.hpp"
#include "sluice/cosim/pci_device.hpp"

namespace sluice::cosim {

class Recording;

class VfioUserServer {
 public:
  // recording: takes down what passes, and lives as long as the server; may be null.
  VfioUserServer(File connection, PciDevice& device, Recording* recording = nullptr);
  ~VfioUserServer();

  // Waits up to timeout_ms (-1: for ever, 0: not at all) for a request, then serves all that have
  // come, up to 64. False: the client has gone or was sent away; the server is of no more use.
  bool serve(int timeout_ms);

  // Readable when a request waits.
  [[nodiscard]] int descriptor() const;
  // Memory of the client, changed by serve() alone.
  [[nodiscard]] GuestMemory& memory();
  // Read or write the client's memory by a message: 1 to 4096 bytes within a map. `done` is called
  // by serve(), once, with what was read; not `ok`: it could not be had, or written. Messages are
  // done in their order. Not called any more after forget() or the client's end.
  using ReadDone = std::function<void(bool ok, std::span<const std::byte> data)>;
  using WriteDone = std::function<void(bool ok)>;
  void read_memory(uint64_t address, uint32_t bytes, ReadDone done);
  void write_memory(uint64_t address, std::span<const std::byte> data, WriteDone done);
  // The answers that are due are taken, and nobody is told.
  void forget();
  // Signal an MSI-X vector. False: the client has not enabled it.
  bool interrupt(unsigned vector);
  // Why the client was sent away; empty: it went, or is there.
  [[nodiscard]] const std::string& complaint() const;

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace sluice::cosim
