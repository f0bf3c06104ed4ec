// SPDX-License-Identifier: Apache-2.0
// PciDevice: what a virtual machine sees of a device on its bus.
//
// Regions are numbered as VFIO_PCI_*_REGION_INDEX of <linux/vfio.h>: 0 to 5 are the BARs, 7 is the
// configuration space. Called from the thread that serves the client, one call at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::cosim {

class PciDevice {
 public:
  virtual ~PciDevice() = default;

  // Bytes of a region; 0: the device has none such.
  [[nodiscard]] virtual uint64_t region_bytes(unsigned region) const = 0;
  // Number of MSI-X vectors, 1..2048.
  [[nodiscard]] virtual unsigned vectors() const = 0;

  // offset + data.size() is at most the region's size, data is not empty. False: the device does
  // not take this access.
  virtual bool read(unsigned region, uint64_t offset, std::span<std::byte> data) = 0;
  virtual bool write(unsigned region, uint64_t offset, std::span<const std::byte> data) = 0;

  // Function-level reset: as after power-on. Also when the client has gone.
  virtual void reset() = 0;
};

}  // namespace sluice::cosim
