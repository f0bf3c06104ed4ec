// SPDX-License-Identifier: Apache-2.0
// Where a server of tcp: boards is, as text: what `tcp:` and `sluice serve --listen` read.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tcp_protocol.hpp"

namespace sluice::tcp {

struct Place {
  std::string host;
  uint16_t port = kDefaultPort;
};

// HOST or HOST:PORT; an address of IPv6 is in brackets, without a port it need not be. Nothing: it
// is neither.
inline std::optional<Place> parse_place(std::string_view text) {
  std::string_view host = text, rest;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return {};
    host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
  } else if (const size_t colon = text.find(':'); colon == text.rfind(':')) {
    host = text.substr(0, colon);
    if (colon != std::string_view::npos) rest = text.substr(colon);
  }
  if (host.empty()) return {};
  Place place{.host = std::string(host)};
  if (rest.empty()) return place;
  const char* const end = rest.data() + rest.size();
  const auto result = std::from_chars(rest.data() + 1, end, place.port);
  if (rest.front() != ':' || result.ec != std::errc{} || result.ptr != end) return {};
  return place;
}

}  // namespace sluice::tcp
