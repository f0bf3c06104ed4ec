// SPDX-License-Identifier: Apache-2.0
// A BAR of another PCI device that vfio-pci has, in a GPU's place: memory that a card reaches peer
// to peer, without a copy engine. Its dma-buf is vfio-pci's own (VFIO_DEVICE_FEATURE_DMA_BUF, Linux
// 6.19 and newer).
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sluice.hpp>
#include <stdexcept>
#include <system_error>

#include "gpu_device.hpp"

namespace sluice::bench {
namespace {

// Newer than some compilers' headers: its number, and its structure with one range.
constexpr uint32_t kFeatureDmaBuf = 11;
struct FeatureDmaBuf {
  uint32_t argsz, flags;
  uint32_t region_index, open_flags, zero, ranges;
  uint64_t offset, length;
};

class Descriptor {
 public:
  // What failed, as "PEER: WHAT: reason".
  Descriptor(int fd, const std::string& peer, const char* what) : fd_(fd) {
    if (fd < 0)
      throw std::runtime_error(
          fmt::format("{}: {}: {}", peer, what, std::generic_category().message(errno)));
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

struct PeerName {
  std::string function;
  uint32_t bar;
};

PeerName parse(const std::string& text) {
  const size_t slash = text.find('/');
  PeerName peer{.function = text.substr(0, slash), .bar = 0};
  const std::string bar = slash == std::string::npos ? "" : text.substr(slash + 1);
  const auto [end, error] = std::from_chars(bar.data(), bar.data() + bar.size(), peer.bar);
  if (peer.function.empty() || error != std::errc() || end != bar.data() + bar.size() ||
      peer.bar > VFIO_PCI_BAR5_REGION_INDEX)
    throw std::invalid_argument(fmt::format(
        "--peer {} is not of the form FUNCTION/BAR, as 0000:02:00.0/2, BAR from 0 to 5", text));
  return peer;
}

class PeerMemory final : public GpuDevice {
 public:
  PeerMemory(sluice_board* board, const PeerName& peer, uint64_t bytes)
      : board_(board),
        name_("memory of " + peer.function),
        container_(::open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC), peer.function, "/dev/vfio/vfio"),
        group_(::open(group_path(peer.function).c_str(), O_RDWR | O_CLOEXEC), peer.function,
               "its group, which vfio-pci has to have"),
        device_(join(peer.function), peer.function, "the function") {
    const auto config = region(VFIO_PCI_CONFIG_REGION_INDEX);
    uint16_t command = 0;
    must(::pread(device_.get(), &command, sizeof command,
                 static_cast<off_t>(config.offset + PCI_COMMAND)),
         "reading its command register");
    command |= PCI_COMMAND_MEMORY;
    must(::pwrite(device_.get(), &command, sizeof command,
                  static_cast<off_t>(config.offset + PCI_COMMAND)),
         "switching its memory on");
    const auto bar = region(peer.bar);
    if (bar.size < bytes)
      throw std::invalid_argument(fmt::format("{}: BAR {} has {} bytes, a transfer {}",
                                              peer.function, peer.bar, bar.size, bytes));
    bytes_ = bar.size;
    void* mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, device_.get(),
                          static_cast<off_t>(bar.offset));
    if (mapped == MAP_FAILED) must(-1, "mapping its memory");
    data_ = static_cast<uint8_t*>(mapped);
    FeatureDmaBuf feature{.argsz = sizeof feature,
                          .flags = VFIO_DEVICE_FEATURE_GET | kFeatureDmaBuf,
                          .region_index = peer.bar,
                          .open_flags = O_RDWR | O_CLOEXEC,
                          .zero = 0,
                          .ranges = 1,
                          .offset = 0,
                          .length = bytes_};
    const Descriptor exported(::ioctl(device_.get(), VFIO_DEVICE_FEATURE, &feature), peer.function,
                              "its memory as a dma-buf, which Linux 6.19 and newer have");
    buffer_ = import_buffer(board_, exported.get());
  }
  ~PeerMemory() override {
    buffer_.reset();
    ::munmap(data_, bytes_);
  }

  [[nodiscard]] std::string name() const override { return name_; }
  sluice_buffer* buffer() override { return buffer_.get(); }
  void write(std::span<const uint8_t> bytes) override { std::ranges::copy(bytes, data_); }
  void read(std::span<uint8_t> bytes) override { std::copy_n(data_, bytes.size(), bytes.begin()); }

  BufferHandle allocate(uint64_t /*bytes*/) override { refuse(); }
  void know_card(sluice_buffer* /*card*/) override { refuse(); }
  void queue(bool /*to_gpu*/, sluice_buffer* /*other*/, uint64_t /*other_offset*/,
             uint64_t /*offset*/, uint64_t /*bytes*/) override {
    refuse();
  }
  std::optional<Ended> reap(bool /*wait*/) override { refuse(); }

 private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument(name_ + " has no copy engine; --code FR and GR need none");
  }
  void must(ssize_t result, const char* what) const {
    if (result < 0)
      throw std::runtime_error(
          fmt::format("{}: {}: {}", name_, what, std::generic_category().message(errno)));
  }

  // Where no IOMMU holds the function, the kernel has made a group without one.
  static std::string group_path(const std::string& function) {
    const std::filesystem::path link = "/sys/bus/pci/devices/" + function + "/iommu_group";
    std::error_code error;
    const std::string group = std::filesystem::read_symlink(link, error).filename();
    if (error)
      throw std::runtime_error(function + ": there is no such PCI function, or vfio-pci lacks it");
    const std::string path = "/dev/vfio/" + group;
    return std::filesystem::exists(path) ? path : "/dev/vfio/noiommu-" + group;
  }
  int join(const std::string& function) {
    const bool translated = group_path(function).find("noiommu") == std::string::npos;
    const int container = container_.get();
    must(::ioctl(group_.get(), VFIO_GROUP_SET_CONTAINER, &container), "joining its group");
    must(::ioctl(container, VFIO_SET_IOMMU, translated ? VFIO_TYPE1v2_IOMMU : VFIO_NOIOMMU_IOMMU),
         "choosing its IOMMU");
    return ::ioctl(group_.get(), VFIO_GROUP_GET_DEVICE_FD, function.c_str());
  }
  [[nodiscard]] vfio_region_info region(uint32_t index) const {
    vfio_region_info info{};
    info.argsz = sizeof info;
    info.index = index;
    must(::ioctl(device_.get(), VFIO_DEVICE_GET_REGION_INFO, &info), "a region of it");
    return info;
  }

  sluice_board* board_;
  std::string name_;
  Descriptor container_, group_, device_;
  uint64_t bytes_ = 0;
  uint8_t* data_ = nullptr;
  BufferHandle buffer_;
};

}  // namespace

std::unique_ptr<GpuDevice> make_peer_memory(sluice_board* board, const std::string& peer,
                                            uint64_t bytes) {
  return std::make_unique<PeerMemory>(board, parse(peer), bytes);
}

}  // namespace sluice::bench
