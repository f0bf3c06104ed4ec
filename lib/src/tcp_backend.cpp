// SPDX-License-Identifier: Apache-2.0
#include "tcp_backend.hpp"

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include "error.hpp"
#include "tcp_board.hpp"
#include "uri.hpp"

namespace sluice {
namespace {

struct Place {
  std::string host;
  uint16_t port;
};

// HOST, HOST:PORT, [ADDRESS]:PORT.
Place parse_place(std::string_view text) {
  const auto malformed = [text] {
    return Error(EINVAL,
                 "'{}' is no place of a server: write HOST or HOST:PORT, an address of IPv6 in "
                 "brackets, such as tcp:localhost/capture or tcp:[::1]:{}/capture",
                 text, tcp::kDefaultPort);
  };
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) throw malformed();
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) throw malformed();
    if (rest.size() == 1) throw malformed();
    port = rest.empty() ? rest : rest.substr(1);
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port.empty()) throw malformed();
  }
  if (host.empty()) throw malformed();
  Place place{.host = std::string(host), .port = tcp::kDefaultPort};
  if (!port.empty()) {
    const char* end = port.data() + port.size();
    const auto result = std::from_chars(port.data(), end, place.port);
    if (result.ec != std::errc{} || result.ptr != end || place.port == 0) throw malformed();
  }
  return place;
}

std::unique_ptr<sluice_board> open(Uri& uri) {
  uri.expect_empty("none; the server's `sluice serve` has the keys of its boards");
  const Place place = parse_place(uri.board());
  return std::make_unique<tcp::Board>(uri.text(), place.host, place.port, uri.design());
}

// None: which servers there are, nobody says.
std::vector<sluice_board_description> enumerate() { return {}; }

}  // namespace

const Backend kTcpBackend{.scheme = "tcp", .enumerate = enumerate, .open = open};

}  // namespace sluice
