// SPDX-License-Identifier: Apache-2.0
// What C entry points have in common, those of libsluice and of libsluice-cuda: exceptions become
// -errno and a sentence, and structures grow at their ends.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>

#include "error.hpp"

namespace sluice {

extern thread_local std::string last_error;  // what the library's call for it returns

// Run an entry point's body; its int result is passed on.
template <typename Body>
int entry(Body body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    last_error = error.what();
    return -error.errnum();
  } catch (const std::bad_alloc&) {
    last_error = "out of memory";
    return -ENOMEM;
  } catch (const std::exception& error) {
    last_error = error.what();
    return -EIO;
  }
}

inline void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Error(EINVAL, "{} is a null pointer", name);
}

// A structure grows at its end, so the bytes that its first version had are the least that a
// caller may pass. These numbers never change.
template <typename T>
inline constexpr size_t kFirstVersionBytes = 0;

template <typename T>
void check_size(size_t size, const char* name) {
  constexpr size_t kSmallest = kFirstVersionBytes<T>;
  static_assert(kSmallest > 0 && kSmallest <= sizeof(T));
  if (size < kSmallest)
    throw Error(EINVAL, "{} of {} bytes is smaller than its first version, {} bytes", name, size,
                kSmallest);
}

// Give the caller as much of `value` as its version of the structure holds, zeroes past it.
template <typename T>
void copy_out(const T& value, void* out, size_t size) {
  std::memset(out, 0, size);
  std::memcpy(out, &value, std::min(size, sizeof value));
}

}  // namespace sluice
