// SPDX-License-Identifier: Apache-2.0
#include "vfio_bar.hpp"

#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace sluice::bench {
namespace {

// Newer than some compilers' headers: its number, and its structure with one range.
constexpr uint32_t kFeatureDmaBuf = 11;
struct FeatureDmaBuf {
  uint32_t argsz, flags;
  uint32_t region_index, open_flags, zero, ranges;
  uint64_t offset, length;
};

std::string function_of(const std::string& name) { return name.substr(0, name.find('/')); }

uint32_t bar_of(const std::string& name) {
  const size_t slash = name.find('/');
  const std::string text = slash == std::string::npos ? "" : name.substr(slash + 1);
  uint32_t bar = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bar);
  if (slash == 0 || error != std::errc() || end != text.data() + text.size() ||
      bar > VFIO_PCI_BAR5_REGION_INDEX)
    throw std::invalid_argument(
        name + " is not of the form FUNCTION/BAR, as 0000:02:00.0/2, BAR from 0 to 5");
  return bar;
}

}  // namespace

VfioBar::Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

template <typename Result>
Result VfioBar::must(Result result, const char* what) const {
  if (result < 0)
    throw std::runtime_error(function_ + ": " + what + ": " +
                             std::generic_category().message(errno));
  return result;
}

VfioBar::VfioBar(const std::string& name)
    : function_(function_of(name)),
      bar_(bar_of(name)),
      path_(group()),
      container_(must(::open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC), "/dev/vfio/vfio")),
      group_(must(::open(path_.c_str(), O_RDWR | O_CLOEXEC), "its group")),
      device_(join()) {
  uint64_t config = 0, unused = 0;
  region(VFIO_PCI_CONFIG_REGION_INDEX, config, unused);
  const auto place = static_cast<off_t>(config + PCI_COMMAND);
  uint16_t command = 0;
  must(::pread(device_.get(), &command, sizeof command, place), "its command register");
  command |= PCI_COMMAND_MEMORY;
  must(::pwrite(device_.get(), &command, sizeof command, place), "its command register");
  region(bar_, offset_, bytes_);
}

// Where no IOMMU holds the function, the kernel has made a group without one.
std::string VfioBar::group() const {
  std::error_code error;
  const std::string number =
      std::filesystem::read_symlink("/sys/bus/pci/devices/" + function_ + "/iommu_group", error)
          .filename();
  if (error)
    throw std::invalid_argument(function_ +
                                ": there is no such PCI function, or vfio-pci lacks it");
  const std::string path = "/dev/vfio/" + number;
  return std::filesystem::exists(path) ? path : "/dev/vfio/noiommu-" + number;
}

int VfioBar::join() const {
  const bool translated = path_.find("noiommu") == std::string::npos;
  const int container = container_.get();
  must(::ioctl(group_.get(), VFIO_GROUP_SET_CONTAINER, &container), "joining its group");
  must(::ioctl(container, VFIO_SET_IOMMU, translated ? VFIO_TYPE1v2_IOMMU : VFIO_NOIOMMU_IOMMU),
       "choosing its IOMMU");
  return must(::ioctl(group_.get(), VFIO_GROUP_GET_DEVICE_FD, function_.c_str()), "the function");
}

void VfioBar::region(uint32_t index, uint64_t& offset, uint64_t& bytes) const {
  vfio_region_info info{};
  info.argsz = sizeof info;
  info.index = index;
  must(::ioctl(device_.get(), VFIO_DEVICE_GET_REGION_INFO, &info), "a region of it");
  offset = info.offset;
  bytes = info.size;
}

uint8_t* VfioBar::map(void* at, uint64_t bytes) const {
  const int flags = MAP_SHARED | (at == nullptr ? 0 : MAP_FIXED);
  void* mapped =
      ::mmap(at, bytes, PROT_READ | PROT_WRITE, flags, device_.get(), static_cast<off_t>(offset_));
  must(mapped == MAP_FAILED ? -1 : 0, "mapping its memory");
  return static_cast<uint8_t*>(mapped);
}

int VfioBar::export_first(uint64_t bytes) const {
  FeatureDmaBuf feature{.argsz = sizeof feature,
                        .flags = VFIO_DEVICE_FEATURE_GET | kFeatureDmaBuf,
                        .region_index = bar_,
                        .open_flags = O_RDWR | O_CLOEXEC,
                        .zero = 0,
                        .ranges = 1,
                        .offset = 0,
                        .length = bytes};
  return must(::ioctl(device_.get(), VFIO_DEVICE_FEATURE, &feature),
              "its memory as a dma-buf, which Linux 6.19 and newer make");
}

}  // namespace sluice::bench
