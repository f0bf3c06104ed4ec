// SPDX-License-Identifier: Apache-2.0
// Interrupts: the event descriptors by which a device's MSI-X vectors reach its client.
#pragma once

#include <linux/vfio.h>

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/cosim/file.hpp"

namespace sluice::cosim {

class Interrupts {
 public:
  explicit Interrupts(unsigned vectors) : events_(vectors) {}

  [[nodiscard]] unsigned vectors() const { return static_cast<unsigned>(events_.size()); }
  // A request of VFIO_USER_DEVICE_SET_IRQS for MSI-X; data follow it, files came beside it. As
  // <linux/vfio.h> has it of VFIO_DEVICE_SET_IRQS: action TRIGGER; data NONE, BOOL or EVENTFD.
  // Returns 0 or an errno; then nothing has changed.
  int set(const vfio_irq_set& request, std::span<const std::byte> data, std::vector<File>& files);
  // False: no descriptor for this vector, or it takes no more events.
  bool signal(unsigned vector);
  void clear();

 private:
  std::vector<File> events_;
};

}  // namespace sluice::cosim
