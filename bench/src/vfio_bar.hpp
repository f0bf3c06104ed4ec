// SPDX-License-Identifier: Apache-2.0
// A BAR of a PCI function that vfio-pci has: mapped, and as dma-bufs of vfio-pci's own
// (VFIO_DEVICE_FEATURE_DMA_BUF, Linux 6.19 and newer), which other devices import.
#pragma once

#include <cstdint>
#include <string>

namespace sluice::bench {

// Throws std::invalid_argument for a name that is none and a function that is not there, else
// std::runtime_error, "FUNCTION: WHAT: reason". The function's memory is switched on, and stays so
// until this goes.
class VfioBar {
 public:
  // "FUNCTION/BAR", as 0000:02:00.0/2.
  explicit VfioBar(const std::string& name);
  VfioBar(const VfioBar&) = delete;
  VfioBar& operator=(const VfioBar&) = delete;

  [[nodiscard]] const std::string& function() const { return function_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  // Its first bytes, at `at` (a multiple of a page; nullptr: anywhere), until munmap().
  [[nodiscard]] uint8_t* map(void* at, uint64_t bytes) const;
  // A dma-buf of its first bytes, a multiple of a page: the caller's descriptor.
  [[nodiscard]] int export_first(uint64_t bytes) const;

 private:
  class Descriptor {
   public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }

   private:
    int fd_;
  };

  template <typename Result>
  Result must(Result result, const char* what) const;
  [[nodiscard]] std::string group() const;
  [[nodiscard]] int join() const;
  // Where a region is in device_, and its length.
  void region(uint32_t index, uint64_t& offset, uint64_t& bytes) const;

  std::string function_;
  uint32_t bar_ = 0;
  std::string path_;  // of its group
  Descriptor container_, group_, device_;
  uint64_t offset_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace sluice::bench
