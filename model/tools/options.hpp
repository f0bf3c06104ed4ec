// SPDX-License-Identifier: Apache-2.0
// The command lines of the tools: numbers, --set setting=value, and whole lines of these, --help
// and one more option.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "sluice/model/settings.hpp"

namespace sluice::model {

/// Throws std::invalid_argument unless it is a whole number of 32 bits.
inline std::uint32_t number_of(const std::string& name, std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(name + " must be a whole number below 2^32, not '" +
                                std::string(text) + "'");
  return number;
}

/// Applies "setting=value". Throws std::invalid_argument that names what is wrong.
template <typename Params>
void set(Settings<Params>& settings, const std::string& assignment) {
  const auto split = assignment.find('=');
  if (split == std::string::npos) throw std::invalid_argument("--set takes setting=value");
  const std::string setting = assignment.substr(0, split);
  apply(settings, setting, number_of(setting, assignment.substr(split + 1)));
}

/// Applies each --set, and sets `number`, at least 1, by the option of this name. False: help is
/// wanted. Throws std::invalid_argument about anything else.
template <typename Params>
bool read_options(int argc, char** argv, Settings<Params>& settings, std::string_view option,
                  std::uint64_t& number) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") return false;
    if (i + 1 == argc) throw std::invalid_argument(name + " is unknown or lacks its value; --help");
    const std::string value = argv[++i];
    if (name == "--set") {
      set(settings, value);
    } else if (name == option) {
      number = number_of(name, value);
      if (number == 0) throw std::invalid_argument(name + " must be at least 1");
    } else {
      throw std::invalid_argument(name + " " + value + " is unknown; --help");
    }
  }
  return true;
}

}  // namespace sluice::model
