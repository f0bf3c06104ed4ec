// SPDX-License-Identifier: Apache-2.0
#include "vfio_backend.hpp"

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "design_map.hpp"
#include "error.hpp"
#include "register_board.hpp"
#include "system_calls.hpp"
#include "uri.hpp"
#include "vfio_platform.hpp"

namespace sluice {
namespace {

// "0000:00:03.0": a domain of 4 digits or more, bus, device, function; lower case, as Linux has it.
bool is_function(std::string_view text) {
  constexpr std::string_view kRest = ":xx:xx.x";
  if (text.size() < 4 + kRest.size()) return false;
  const size_t domain = text.size() - kRest.size();
  for (size_t i = 0; i < text.size(); ++i) {
    const char form = i < domain ? 'x' : kRest[i - domain];
    if (form == 'x' ? std::string_view("0123456789abcdef").find(text[i]) == std::string_view::npos
                    : text[i] != form)
      return false;
  }
  return true;
}

std::unique_ptr<sluice_board> open(Uri& uri) { return open_vfio(uri, linux_calls()); }

// None: whether a function has a design is seen by opening it, which resets it.
std::vector<sluice_board_description> enumerate() { return {}; }

}  // namespace

std::unique_ptr<sluice_board> open_vfio(Uri& uri, SystemCalls& calls) {
  std::string design = uri.take("design").value_or("");
  uri.expect_empty("design");
  if (!is_function(uri.board()))
    throw Error(EINVAL,
                "'{}' is not a PCI address; give one as vfio:0000:00:03.0 (lspci -D lists them)",
                uri.board());
  auto platform = std::make_unique<VfioPlatform>(calls, uri.board());
  VfioPlatform& card = *platform;
  if (design.empty()) design = identify_design(card);
  DesignMap map = map_design(card, design);
  if (map.hwts)
    throw Error(ENOTSUP, "{}: the hardware threads of {} are for simulated boards", uri.board(),
                design);
  auto board = std::make_unique<RegisterBoard>(
      std::move(platform), std::move(map),
      RegisterBoard::Identity{
          .board = uri.board(), .design = design, .clock_khz = 0, .start_cost_ns = 0});
  board->reset();
  card.connect();
  return board;
}

const Backend kVfioBackend{.scheme = "vfio", .enumerate = enumerate, .open = open};

}  // namespace sluice
