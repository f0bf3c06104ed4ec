// SPDX-License-Identifier: Apache-2.0
// A PCI function in this program's hands, by Linux's VFIO (Documentation/driver-api/vfio.rst,
// container of type 1, version 2). Whose it is, in this order and back:
//
//   bound to vfio-pci   nobody's; the IOMMU lets it reach no memory
//   opened              this program's alone; Linux has reset it, and it is no bus master
//   memory mapped       it could reach that memory, at the addresses given, and no other
//   bus master          it may use the bus
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "device_memory.hpp"
#include "system_calls.hpp"

namespace sluice {

class VfioFunction {
 public:
  // `address` is where it is on the bus: 0000:00:03.0. Throws Error with a sentence that says what
  // to do: ENOTSUP if no IOMMU stands before it.
  VfioFunction(SystemCalls& calls, std::string address);
  // Linux resets it, and then takes back what is still mapped.
  ~VfioFunction() = default;
  VfioFunction(const VfioFunction&) = delete;
  VfioFunction& operator=(const VfioFunction&) = delete;

  // BAR 0, of at most kMostRegisters bytes. Throws Error.
  static constexpr uint64_t kMostRegisters = uint64_t{1} << 24;
  [[nodiscard]] Mapping map_registers();

  // Addresses of 32 bits that the IOMMU translates; everything is in pages of page_bytes.
  struct Addresses {
    uint64_t first;
    uint64_t bytes;
    uint64_t page_bytes;
  };
  [[nodiscard]] const Addresses& addresses() const { return addresses_; }
  // Let it read and write memory of this program at that address. Throws Error.
  void map(uint64_t address, void* memory, uint64_t bytes);
  void unmap(uint64_t address, uint64_t bytes);

  void set_bus_master(bool on);
  // False: it does not answer any more.
  [[nodiscard]] bool there();

 private:
  class Descriptor {
   public:
    Descriptor() = default;
    Descriptor(SystemCalls& calls, int fd) : calls_(&calls), fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(calls_, other.calls_);
      std::swap(fd_, other.fd_);
      return *this;
    }
    ~Descriptor() {
      if (fd_ >= 0) calls_->close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }

   private:
    SystemCalls* calls_ = nullptr;
    int fd_ = -1;
  };
  struct Region {
    uint64_t offset, bytes;
    uint32_t flags;
  };

  [[nodiscard]] std::string find_group() const;
  [[nodiscard]] Descriptor open(const std::string& path) const;
  // Throws Error, "ADDRESS: what: ...", if the call fails; else its result.
  int must(const Descriptor& on, unsigned long request, void* argument, const char* what);
  void join_group(const std::string& group);
  [[nodiscard]] Addresses find_addresses();
  [[nodiscard]] Region region(uint32_t index, const char* what);

  SystemCalls& calls_;
  std::string address_;
  Descriptor container_, group_, device_;
  uint64_t configuration_ = 0;  // where configuration space is in the device's file
  Addresses addresses_{};
};

}  // namespace sluice
