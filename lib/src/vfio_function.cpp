// SPDX-License-Identifier: Apache-2.0
#include "vfio_function.hpp"

#include <fmt/format.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace sluice {
namespace {

constexpr const char* kGroups = "/sys/kernel/iommu_groups";
constexpr const char* kDrivers = "/sys/bus/pci/drivers";
constexpr const char* kDriver = "vfio-pci";
constexpr const char* kNodes = "/dev/vfio";
constexpr uint64_t kReach = uint64_t{1} << 32;    // engines have addresses of 32 bits
constexpr uint64_t kNothing = uint64_t{1} << 20;  // below it no address is given: null is an error
constexpr uint64_t kMessages = 0xfee0'0000;       // where x86 has its interrupts
constexpr uint32_t kMostInformation = 1 << 16;    // bytes
constexpr uint16_t kGone = 0xffff;                // what configuration space then reads as

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// A structure at an offset of what the kernel told.
template <typename T>
bool copy_at(const std::vector<std::byte>& told, size_t offset, T* out) {
  if (offset > told.size() || sizeof *out > told.size() - offset) return false;
  std::memcpy(out, told.data() + offset, sizeof *out);
  return true;
}

}  // namespace

VfioFunction::VfioFunction(SystemCalls& calls, std::string address)
    : calls_(calls), address_(std::move(address)) {
  join_group(find_group());
  addresses_ = find_addresses();
  const int device =
      must(group_, VFIO_GROUP_GET_DEVICE_FD, address_.data(), "the function cannot be opened");
  device_ = Descriptor(calls_, device);
  configuration_ = region(VFIO_PCI_CONFIG_REGION_INDEX, "its configuration space").offset;
}

std::string VfioFunction::find_group() const {
  if (!has(calls_.list("/sys/bus/pci/devices"), address_))
    throw Error(ENODEV, "there is no PCI function {}; lspci -D lists those there are", address_);
  std::string found;
  for (const std::string& group : calls_.list(kGroups))
    if (has(calls_.list(fmt::format("{}/{}/devices", kGroups, group)), address_)) found = group;
  if (found.empty())
    throw Error(ENOTSUP,
                "no IOMMU protects memory from {0}. Without one, an engine that this program "
                "drives could access all memory. Switch the IOMMU on (intel_iommu=on or "
                "amd_iommu=on), or use the driver, dev:{0}",
                address_);
  if (has(calls_.list(kNodes), "noiommu-" + found))
    throw Error(ENOTSUP,
                "{0} is in VFIO's mode without an IOMMU. An engine that this program drives could "
                "access all memory. Use the driver, dev:{0}",
                address_);
  if (has(calls_.list(fmt::format("{}/{}", kDrivers, kDriver)), address_)) return found;
  for (const std::string& driver : calls_.list(kDrivers))
    if (has(calls_.list(fmt::format("{}/{}", kDrivers, driver)), address_))
      throw Error(
          EBUSY,
          "{0} belongs to the driver {1}, not to vfio-pci. Open it as dev:{0} if that is "
          "sluice_pci, or bind it to vfio-pci (docs/howto/drive-an-engine-from-user-space.md)",
          address_, driver);
  throw Error(ENODEV,
              "{0} has no driver. Bind it to vfio-pci (modprobe vfio-pci && echo vfio-pci > "
              "/sys/bus/pci/devices/{0}/driver_override && echo {0} > /sys/bus/pci/drivers_probe)",
              address_);
}

VfioFunction::Descriptor VfioFunction::open(const std::string& path) const {
  const int fd = calls_.open(path);
  switch (-fd) {
    case EACCES:
    case EPERM:
      throw Error(
          EACCES,
          "no permission for {0}: give the node to whoever may drive the engine (chown USER "
          "{0}, or a udev rule)",
          path);
    case EBUSY:
      throw Error(EBUSY, "{} is in use by another program (fuser -v {} says which)", path, path);
    case ENOENT:
    case ENODEV:
    case ENXIO:
      throw Error(ENODEV,
                  "there is no {}. Run modprobe vfio-pci. If that does not help, the kernel lacks "
                  "VFIO groups (CONFIG_VFIO_GROUP, CONFIG_VFIO_CONTAINER)",
                  path);
    default: break;
  }
  if (fd < 0) throw Error(-fd, "{} cannot be opened: {}", path, message(fd));
  return {calls_, fd};
}

int VfioFunction::must(const Descriptor& on, unsigned long request, void* argument,
                       const char* what) {
  const int result = calls_.ioctl(on.get(), request, argument);
  if (result < 0) throw Error(-result, "{}: {}: {}", address_, what, message(result));
  return result;
}

void VfioFunction::join_group(const std::string& group) {
  const auto value = [](uintptr_t number) { return reinterpret_cast<void*>(number); };
  container_ = open(fmt::format("{}/vfio", kNodes));
  if (must(container_, VFIO_GET_API_VERSION, nullptr, "VFIO does not report its version") !=
          VFIO_API_VERSION ||
      must(container_, VFIO_CHECK_EXTENSION, value(VFIO_TYPE1v2_IOMMU), "VFIO has no type 1") == 0)
    throw Error(ENOTSUP, "{0}: this kernel's VFIO has no IOMMU of type 1; use the driver, dev:{0}",
                address_);
  group_ = open(fmt::format("{}/{}", kNodes, group));
  vfio_group_status status{.argsz = sizeof status, .flags = 0};
  must(group_, VFIO_GROUP_GET_STATUS, &status, "the status of its group cannot be read");
  if ((status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0)
    throw Error(EBUSY,
                "{}: the IOMMU cannot isolate it from other functions of its group, and other "
                "drivers have some: unbind {}, or bind them to vfio-pci",
                address_,
                fmt::join(calls_.list(fmt::format("{}/{}/devices", kGroups, group)), ", "));
  int container = container_.get();
  must(group_, VFIO_GROUP_SET_CONTAINER, &container, "its group cannot be used");
  must(container_, VFIO_SET_IOMMU, value(VFIO_TYPE1v2_IOMMU), "the IOMMU cannot be used");
}

VfioFunction::Addresses VfioFunction::find_addresses() {
  constexpr const char* kWhat = "the IOMMU does not report what it translates";
  vfio_iommu_type1_info info{};
  info.argsz = sizeof info;
  must(container_, VFIO_IOMMU_GET_INFO, &info, kWhat);
  // The second time with room for what it has to tell beyond that.
  std::vector<std::byte> told(std::clamp<uint32_t>(info.argsz, sizeof info, kMostInformation));
  info.argsz = static_cast<uint32_t>(told.size());
  std::memcpy(told.data(), &info, sizeof info);
  must(container_, VFIO_IOMMU_GET_INFO, told.data(), kWhat);
  std::memcpy(&info, told.data(), sizeof info);

  const auto own = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const bool says = (info.flags & VFIO_IOMMU_INFO_PGSIZES) != 0 && info.iova_pgsizes != 0;
  const uint64_t page =
      std::max(own, says ? uint64_t{1} << std::countr_zero(uint64_t{info.iova_pgsizes}) : own);

  Addresses best{.first = 0, .bytes = 0, .page_bytes = page};
  const auto consider = [&](uint64_t first, uint64_t last) {
    first = (std::max(first, kNothing) + page - 1) / page * page;
    const uint64_t end = std::min(last, kReach - 1) / page * page;  // the last page is left out
    if (end > first && end - first > best.bytes)
      best = {.first = first, .bytes = end - first, .page_bytes = page};
  };
  bool listed = false;
  vfio_info_cap_header header{};
  uint32_t at = (info.flags & VFIO_IOMMU_INFO_CAPS) != 0 ? info.cap_offset : 0;
  while (at != 0 && copy_at(told, at, &header)) {
    vfio_iommu_type1_info_cap_iova_range ranges{};
    if (header.id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE && copy_at(told, at, &ranges)) {
      listed = true;
      vfio_iova_range range{};
      for (uint32_t i = 0; i < ranges.nr_iovas; ++i)
        if (copy_at(told, at + sizeof ranges + i * sizeof range, &range))
          consider(range.start, range.end);
    }
    if (header.next <= at) break;
    at = header.next;
  }
  if (!listed) consider(0, kMessages - 1);  // Linux before 5.4
  if (best.bytes == 0)
    throw Error(ENOTSUP, "{}: the IOMMU translates no addresses of 32 bits", address_);
  return best;
}

VfioFunction::Region VfioFunction::region(uint32_t index, const char* what) {
  vfio_region_info info{};
  info.argsz = sizeof info;
  info.index = index;
  must(device_, VFIO_DEVICE_GET_REGION_INFO, &info, what);
  return {.offset = info.offset, .bytes = info.size, .flags = info.flags};
}

Mapping VfioFunction::map_registers() {
  const Region bar = region(VFIO_PCI_BAR0_REGION_INDEX, "BAR 0");
  constexpr uint32_t kNeeded =
      VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE | VFIO_REGION_INFO_FLAG_MMAP;
  if ((bar.flags & kNeeded) != kNeeded ||
      bar.bytes < static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)))
    throw Error(ENODEV, "{}: BAR 0, of {} bytes, cannot be mapped", address_, bar.bytes);
  return {calls_,     device_.get(),
          bar.offset, static_cast<size_t>(std::min(bar.bytes, kMostRegisters)),
          true,       address_ + ": BAR 0"};
}

void VfioFunction::map(uint64_t address, void* memory, uint64_t bytes) {
  vfio_iommu_type1_dma_map request{};
  request.argsz = sizeof request;
  request.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
  request.vaddr = reinterpret_cast<uintptr_t>(memory);
  request.iova = address;
  request.size = bytes;
  const int result = calls_.ioctl(container_.get(), VFIO_IOMMU_MAP_DMA, &request);
  if (result == -ENOMEM)
    throw Error(ENOMEM,
                "{}: {} bytes cannot be locked in memory for the engine. Raise the limit (ulimit "
                "-l, or LimitMEMLOCK= of a service)",
                address_, bytes);
  if (result < 0)
    throw Error(-result, "{}: {} bytes cannot be mapped for the engine: {}", address_, bytes,
                message(result));
}

void VfioFunction::unmap(uint64_t address, uint64_t bytes) {
  vfio_iommu_type1_dma_unmap request{};
  request.argsz = sizeof request;
  request.iova = address;
  request.size = bytes;
  must(container_, VFIO_IOMMU_UNMAP_DMA, &request, "memory cannot be unmapped");
}

void VfioFunction::set_bus_master(bool on) {
  uint16_t command = 0;
  const auto moved = [&](int64_t bytes) {
    if (bytes != sizeof command)
      throw Error(EIO, "{}: its configuration space does not answer", address_);
  };
  const uint64_t at = configuration_ + PCI_COMMAND;
  moved(calls_.read_at(device_.get(), at, &command, sizeof command));
  command = static_cast<uint16_t>(on ? command | PCI_COMMAND_MASTER | PCI_COMMAND_MEMORY
                                     : command & ~PCI_COMMAND_MASTER);
  moved(calls_.write_at(device_.get(), at, &command, sizeof command));
}

bool VfioFunction::there() {
  uint16_t vendor = kGone;
  return calls_.read_at(device_.get(), configuration_ + PCI_VENDOR_ID, &vendor, sizeof vendor) ==
             sizeof vendor &&
         vendor != kGone;
}

}  // namespace sluice
