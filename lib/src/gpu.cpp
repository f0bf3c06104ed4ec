// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <cerrno>

#include "error.hpp"

namespace sluice {
namespace {

constexpr uint64_t kLongestNs = 1'000'000'000'000;  // of a copy, whatever the model's settings

}  // namespace

void GpuChannel::check(const Request& request) const {
  const Window memory = gpu_.memory();
  const auto owns = [&](uint64_t address) {
    return address >= memory.first && address - memory.first < memory.bytes;
  };
  if (!owns(request.address) && !owns(request.destination))
    throw Error(EINVAL, "{}: neither side of a copy is the GPU's memory", name_);
}

DmaChannel::Outcome GpuChannel::collect(const Request& request) {
  platform_.acknowledge(expected_interrupt());
  const int status = gpu_.status();
  return {status, status == 0 ? request.bytes : 0, false};
}

void GpuChannel::reset() {
  const uint64_t line = expected_interrupt();
  const uint64_t deadline_ns = platform_.now_ns() + kLongestNs;
  stuck_ = line != 0;
  while (line != 0 && (platform_.interrupts() & line) == 0) {
    if (platform_.now_ns() >= deadline_ns)
      throw Error(ETIMEDOUT, "a copy of {} does not end", name_);
    platform_.wait_interrupt(line, deadline_ns);
  }
  platform_.acknowledge(line);
  cancel_all();
}

}  // namespace sluice
