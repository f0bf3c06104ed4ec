// SPDX-License-Identifier: Apache-2.0
#include "device_control.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "attribute_names.hpp"
#include "device_memory.hpp"
#include "error.hpp"
#include "lane_attributes.hpp"

namespace sluice {

DeviceControl::~DeviceControl() {
  if (fd_) calls_.close(*fd_);
}

int DeviceControl::call(unsigned long request, void* argument) {
  if (!fd_) {
    const int fd = calls_.open(path_);
    if (fd == -EACCES || fd == -EPERM) refuse_permission(path_);
    if (fd < 0) throw Error(-fd, "{} cannot be opened: {}", path_, message(fd));
    fd_ = fd;
  }
  const int result = calls_.ioctl(*fd_, request, argument);
  if (result == -ENODEV) throw Error(ENODEV, "the device of {} has gone", path_);
  if (result == -EINTR) throw Error(EINTR, "{}: a signal came first", path_);
  return result;
}

std::vector<sluice_attribute_info> DeviceControl::attributes() {
  std::vector<sluice_attribute_info> infos;
  uapi::sluice_attribute_info told{};
  told.size = sizeof told;
  for (;; ++told.index) {
    const int result = call(SLUICE_ATTRIBUTE_INFO, &told);
    if (result == -ENOENT) return infos;
    if (result < 0) throw Error(-result, "attributes of {}: {}", path_, message(result));
    sluice_attribute_info& info = infos.emplace_back();
    const auto* name = reinterpret_cast<const char*>(told.name);
    assign(info.name, std::string_view(name, strnlen(name, sizeof told.name)));
    assign(info.text, attribute_text(info.name));
    info.max = told.max;
  }
}

uint64_t DeviceControl::max_of(std::string_view name) {
  for (const sluice_attribute_info& info : attributes())
    if (info.name == name) return info.max;
  return 0;
}

uint64_t DeviceControl::call(unsigned long request, std::string_view name, uint64_t value) {
  uapi::sluice_attribute attribute{};
  attribute.size = sizeof attribute;
  attribute.value = value;
  int result = -ENOENT;
  if (name.size() < sizeof attribute.name) {
    std::copy(name.begin(), name.end(), attribute.name);
    result = call(request, &attribute);
  }
  switch (result) {
    case 0: return attribute.value;
    case -ENOENT: refuse_attribute(path_, name, attributes());
    case -EACCES: throw Error(EACCES, "attribute '{}' is read-only", name);
    case -ERANGE:
      throw Error(ERANGE, "attribute '{}' must be from 0 to {}, not {}", name, max_of(name), value);
    default: throw Error(-result, "attribute '{}' of {}: {}", name, path_, message(result));
  }
}

uint64_t DeviceControl::get(std::string_view name) { return call(SLUICE_ATTRIBUTE_GET, name, 0); }

void DeviceControl::set(std::string_view name, uint64_t value) {
  call(SLUICE_ATTRIBUTE_SET, name, value);
}

}  // namespace sluice
