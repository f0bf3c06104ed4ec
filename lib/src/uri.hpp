// SPDX-License-Identifier: Apache-2.0
// Board URIs: "scheme:board/design?key=value&key=value"; of a device without "/design".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// A parsed URI. Options are taken out one by one by whoever understands them; what is left
// over at the end was misspelt, and expect_empty() says so.
class Uri {
 public:
  // Throws Error(EINVAL) if the text is not of the form above or repeats a key.
  explicit Uri(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& scheme() const { return scheme_; }
  [[nodiscard]] const std::string& board() const { return board_; }
  [[nodiscard]] const std::string& design() const { return design_; }

  // Remove and return the option `key`, or nothing if it was not given.
  std::optional<std::string> take(const std::string& key);
  // The same; throws Error(EINVAL) if its value is not a number from min to max (of take_number:
  // may have a fraction).
  std::optional<uint64_t> take_integer(const std::string& key, uint64_t min, uint64_t max);
  std::optional<double> take_number(const std::string& key, double min, double max);

  // Remove and return the option `key` if it was given; Error(EINVAL) if it is not one of `words`.
  std::optional<std::string> take_word(const std::string& key,
                                       std::initializer_list<std::string_view> words);
  // Remove and return all options whose key starts with `prefix`, by the rest of their keys.
  // Throws Error(EINVAL) if a value is not a whole number of at most 32 bits.
  std::map<std::string, uint32_t> take_prefixed(std::string_view prefix);

  // Throws Error(EINVAL), naming `allowed`, if options are left that nobody took.
  void expect_empty(std::string_view allowed) const;

 private:
  std::string text_, scheme_, board_, design_;
  std::map<std::string, std::string> options_;
};

}  // namespace sluice
