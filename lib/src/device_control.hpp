// SPDX-License-Identifier: Apache-2.0
// The control node of a board that the driver sluice.ko has: attributes by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board.hpp"
#include "system_calls.hpp"
#include "uapi.hpp"

namespace sluice {

class DeviceControl {
 public:
  static constexpr const char* kName = "control";  // of the node, in its board's folder

  // The node is opened when it is needed.
  DeviceControl(SystemCalls& calls, std::string path) : calls_(calls), path_(std::move(path)) {}
  ~DeviceControl();
  DeviceControl(const DeviceControl&) = delete;
  DeviceControl& operator=(const DeviceControl&) = delete;

  [[nodiscard]] std::vector<sluice_attribute_info> attributes();
  uint64_t get(std::string_view name);
  void set(std::string_view name, uint64_t value);

 private:
  // 0 or -errno of a call; what any may fail with is thrown.
  int call(unsigned long request, void* argument);
  uint64_t call(unsigned long request, std::string_view name, uint64_t value);
  [[nodiscard]] uint64_t max_of(std::string_view name);

  SystemCalls& calls_;
  std::string path_;
  std::optional<int> fd_;
};

}  // namespace sluice
