// SPDX-License-Identifier: Apache-2.0
// The library's one error channel: -errno for the program, a sentence for its user.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {

// Carried from wherever something is refused up to the C entry point, which turns it into
// -errnum and keeps the sentence for sluice_last_error(). errnum is positive.
class Error : public std::runtime_error {
 public:
  template <typename... Args>
  Error(int errnum, fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)), errnum_(errnum) {}

  [[nodiscard]] int errnum() const { return errnum_; }

 private:
  int errnum_;
};

}  // namespace sluice
