// SPDX-License-Identifier: Apache-2.0
#include "tcp_backend.hpp"

#include <cerrno>
#include <optional>
#include <string_view>

#include "error.hpp"
#include "tcp_board.hpp"
#include "tcp_place.hpp"
#include "uri.hpp"

namespace sluice {
namespace {

// Of a client: port 0 is nobody's.
tcp::Place find_place(std::string_view text) {
  const std::optional<tcp::Place> place = tcp::parse_place(text);
  if (place && place->port != 0) return *place;
  throw Error(EINVAL,
              "'{}' is not the address of a server; write HOST or HOST:PORT, an IPv6 address in "
              "brackets, such as tcp:localhost/capture or tcp:[::1]:{}/capture",
              text, tcp::kDefaultPort);
}

std::unique_ptr<sluice_board> open(Uri& uri) {
  uri.expect_empty("none; the server's `sluice serve` has the keys of its boards");
  const tcp::Place place = find_place(uri.board());
  return std::make_unique<tcp::Board>(uri.text(), place.host, place.port, uri.design());
}

// None: which servers there are, nobody says.
std::vector<sluice_board_description> enumerate() { return {}; }

}  // namespace

const Backend kTcpBackend{.scheme = "tcp", .enumerate = enumerate, .open = open};

}  // namespace sluice
