// SPDX-License-Identifier: Apache-2.0
// Messages of vfio-user as they stand on the wire (QEMU, docs/interop/vfio-user.rst), where they
// are not the structs of <linux/vfio.h>. Little endian, as every machine this runs on.
#pragma once

#include <bit>
#include <cstdint>

namespace sluice::cosim::wire {

static_assert(std::endian::native == std::endian::little);

enum class Command : uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceGetInfo = 4,
  kDeviceGetRegionInfo = 5,
  kDeviceGetRegionIoFds = 6,
  kDeviceGetIrqInfo = 7,
  kDeviceSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,
  kDmaWrite = 12,
  kDeviceReset = 13,
};

struct Header {
  uint16_t id;  // the sender's own
  uint16_t command;
  uint32_t bytes;  // of the whole message
  uint32_t flags;
  uint32_t error;  // errno, in an answer
};
static_assert(sizeof(Header) == 16);

constexpr uint32_t kTypeMask = 0xf;
constexpr uint32_t kTypeCommand = 0;
constexpr uint32_t kTypeReply = 1;
constexpr uint32_t kNoReply = 1u << 4;
constexpr uint32_t kError = 1u << 5;

struct Version {
  uint16_t major;
  uint16_t minor;
};
static_assert(sizeof(Version) == 4);

struct DmaMap {
  uint32_t argsz;
  uint32_t flags;
  uint64_t offset;  // in the file
  uint64_t address;
  uint64_t size;
};
static_assert(sizeof(DmaMap) == 32);
constexpr uint32_t kMapRead = 1u << 0;
constexpr uint32_t kMapWrite = 1u << 1;

struct DmaUnmap {
  uint32_t argsz;
  uint32_t flags;
  uint64_t address;
  uint64_t size;
};
static_assert(sizeof(DmaUnmap) == 24);
constexpr uint32_t kUnmapAll = 1u << 1;

struct RegionAccess {
  uint64_t offset;
  uint32_t region;
  uint32_t count;  // bytes of data, which follow in a write and in the answer to a read
};
static_assert(sizeof(RegionAccess) == 16);

// To the client: memory that it sent no file for.
struct DmaAccess {
  uint64_t address;
  uint64_t count;  // bytes of data, which follow in a write and in the answer to a read
};
static_assert(sizeof(DmaAccess) == 16);

constexpr uint32_t kMaxTransfer = 1u << 20;  // bytes of data in a message
constexpr uint32_t kMaxFiles = 8;            // descriptors beside a message
constexpr uint32_t kMaxMessage = sizeof(Header) + sizeof(RegionAccess) + kMaxTransfer;

}  // namespace sluice::cosim::wire
