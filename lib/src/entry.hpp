// SPDX-License-Identifier: Apache-2.0
// What all C entry points share (c_entry.hpp), with the structures of sluice.h in any version.
#pragma once

#include <sluice.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "c_entry.hpp"
#include "error.hpp"

namespace sluice {

// The first versions of these structures.
template <>
inline constexpr size_t kFirstVersionBytes<sluice_board_description> = 496;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_board_info> = 96;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_channel_info> = 88;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_attribute_info> = 264;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_placement> = 16;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_transfer> = 32;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_copy> = 48;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_cpu_work> = 2 * sizeof(void*) + 32;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_completion> = 40;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_capture> = 32;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_capture_period> = 40;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_capture_answer> = 24;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_capture_loss> = 24;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_capture_status> = 64;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_hwt_info> = 72;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_hwt_window> = 32;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_hwt_command> = 40;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_hwt_fault> = 40;
template <>
inline constexpr size_t kFirstVersionBytes<sluice_hwt_stats> = 64;

// Take the caller's structure; fields that its version lacks are zero. Fields that ours lacks
// must be zero: a newer program asks for something that this library cannot do.
template <typename T>
T copy_in(const void* in, size_t size, const char* name) {
  T value;
  if (size < sizeof value) value = {};
  std::memcpy(&value, in, std::min(size, sizeof value));
  const auto* bytes = static_cast<const unsigned char*>(in);
  for (size_t i = sizeof value; i < size; ++i)
    if (bytes[i] != 0)
      throw Error(E2BIG, "{} has a field that library version {} does not know", name,
                  SLUICE_VERSION);
  return value;
}

// Have `reap` fill completions (it is given a span of ours and returns how many it took) and give
// the caller as much of each as its version of the structure holds.
template <typename Reap>
int reap_into(sluice_completion* completions, unsigned count, size_t completion_size, Reap reap) {
  require(completions, "completions");
  check_size<sluice_completion>(completion_size, "completion");
  if (count == 0) throw Error(EINVAL, "no room for completions");
  const size_t room = std::min<unsigned>(count, INT_MAX);
  if (completion_size == sizeof *completions)
    return static_cast<int>(reap(std::span<sluice_completion>(completions, room)));
  std::vector<sluice_completion> taken(std::min<size_t>(room, SLUICE_QUEUE_DEPTH));
  taken.resize(reap(std::span<sluice_completion>(taken)));
  auto* bytes = reinterpret_cast<char*>(completions);
  for (size_t i = 0; i < taken.size(); ++i)
    copy_out(taken[i], bytes + i * completion_size, completion_size);
  return static_cast<int>(taken.size());
}

}  // namespace sluice
