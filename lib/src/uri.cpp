// SPDX-License-Identifier: Apache-2.0
#include "uri.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>

#include "error.hpp"

namespace sluice {
namespace {

// The whole of text as a T, or nothing.
template <typename T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

Uri::Uri(std::string_view text) : text_(text) {
  const auto malformed = [this] {
    return Error(
        EINVAL,
        "board URI '{}' is not of the form sim:BOARD/DESIGN[?key=value&...], "
        "dev:BOARD[?key=value&...], vfio:FUNCTION[?key=value&...] or tcp:HOST[:PORT]/BOARD",
        text_);
  };
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) throw malformed();
  scheme_ = text.substr(0, colon);

  std::string_view rest = text.substr(colon + 1);
  const size_t question = rest.find('?');
  const std::string_view path = rest.substr(0, question);
  const size_t slash = path.find('/');
  const bool has_design = slash != std::string_view::npos;
  board_ = path.substr(0, slash);
  design_ = has_design ? path.substr(slash + 1) : std::string_view{};
  // A simulated board is a chip's and a design; a device is what it is.
  const bool is_device = scheme_ == "dev" || scheme_ == "vfio";
  if (board_.empty() || design_.empty() == has_design || has_design == is_device) throw malformed();

  rest = question == std::string_view::npos ? std::string_view{} : rest.substr(question + 1);
  while (!rest.empty()) {
    const size_t ampersand = rest.find('&');
    const std::string_view option = rest.substr(0, ampersand);
    const size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0) throw malformed();
    const std::string key(option.substr(0, equals));
    if (!options_.emplace(key, option.substr(equals + 1)).second)
      throw Error(EINVAL, "board URI '{}' gives '{}' twice", text_, key);
    rest = ampersand == std::string_view::npos ? std::string_view{} : rest.substr(ampersand + 1);
  }
}

std::optional<std::string> Uri::take(const std::string& key) {
  const auto found = options_.find(key);
  if (found == options_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  options_.erase(found);
  return value;
}

std::optional<uint64_t> Uri::take_integer(const std::string& key, uint64_t min, uint64_t max) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  const auto value = parse<uint64_t>(*text);
  if (!value || *value < min || *value > max)
    throw Error(EINVAL, "{} must be a whole number from {} to {}, not '{}'", key, min, max, *text);
  return value;
}

std::optional<double> Uri::take_number(const std::string& key, double min, double max) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  const auto value = parse<double>(*text);
  if (!value || !std::isfinite(*value) || *value < min || *value > max)
    throw Error(EINVAL, "{} must be a number from {} to {}, not '{}'", key, min, max, *text);
  return value;
}

std::optional<std::string> Uri::take_word(const std::string& key,
                                          std::initializer_list<std::string_view> words) {
  auto text = take(key);
  if (text && std::ranges::find(words, *text) == words.end())
    throw Error(EINVAL, "{} must be one of {}, not '{}'", key, fmt::join(words, ", "), *text);
  return text;
}

std::map<std::string, uint32_t> Uri::take_prefixed(std::string_view prefix) {
  std::map<std::string, uint32_t> taken;
  for (auto option = options_.lower_bound(std::string(prefix));
       option != options_.end() && option->first.starts_with(prefix);) {
    const auto value = parse<uint32_t>(option->second);
    if (!value)
      throw Error(EINVAL, "{} must be a whole number, not '{}'", option->first, option->second);
    taken.emplace(option->first.substr(prefix.size()), *value);
    option = options_.erase(option);
  }
  return taken;
}

void Uri::expect_empty(std::string_view allowed) const {
  if (!options_.empty())
    throw Error(EINVAL, "unknown key '{}' in board URI '{}'; allowed: {}", options_.begin()->first,
                text_, allowed);
}

}  // namespace sluice
