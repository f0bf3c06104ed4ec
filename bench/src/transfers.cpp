// SPDX-License-Identifier: Apache-2.0
#include "transfers.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sluice.hpp>
#include <stdexcept>

#include "transfer_path.hpp"

namespace sluice::bench {
namespace {

const TransferCode* find_code(std::string_view name) {
  for (const auto codes : {card_codes(), gpu_codes()})
    for (const TransferCode& code : codes)
      if (name == code.name) return &code;
  return nullptr;
}

void check(const Transfers& asked) {
  constexpr uint64_t kMost = uint64_t{1} << 32;
  const TransferCode* code = find_code(asked.code);
  if (code == nullptr)
    throw std::invalid_argument(
        fmt::format("--code {}: there are {}", asked.code, fmt::join(transfer_codes(), ", ")));
  if (code->with_gpu && asked.gpu.empty())
    throw std::invalid_argument(fmt::format("--code {} needs a GPU; give --gpu", asked.code));
  if (asked.bytes == 0 || asked.bytes > kMost)
    throw std::invalid_argument(
        fmt::format("a transfer has 1 to {} bytes, not {}", kMost, asked.bytes));
  if (asked.iterations == 0) throw std::invalid_argument("there is 1 iteration or more");
  if (asked.depth == 0 || asked.depth > SLUICE_QUEUE_DEPTH)
    throw std::invalid_argument(
        fmt::format("a queue holds 1 to {} transfers, not {}", SLUICE_QUEUE_DEPTH, asked.depth));
  if (asked.pageable && asked.code != "GH" && asked.code != "HG")
    throw std::invalid_argument(
        fmt::format("--pageable is for GH and HG, not {}; FI and GI have such memory, FIR and GIR "
                    "have not",
                    asked.code));
  // They become parts of a board's URI.
  if (asked.tlp.find('&') != std::string::npos)
    throw std::invalid_argument(
        fmt::format("--tlp {}: the name of a recording has no '&'; give another", asked.tlp));
  for (const std::string& setting : asked.settings)
    if (setting.find('=') == std::string::npos || setting.find('&') != std::string::npos)
      throw std::invalid_argument(
          fmt::format("--set {} is not of the form NAME=VALUE, VALUE a whole number", setting));
}

std::string uri_of(const Transfers& asked) {
  std::string uri = fmt::format("sim:{}/{}?level={}&completions={}", asked.board, asked.design,
                                asked.level, asked.completions);
  if (!asked.gpu.empty()) uri += "&gpu=" + asked.gpu;
  if (!asked.tlp.empty()) uri += "&tlp=" + asked.tlp;
  if (asked.clock_mhz) uri += fmt::format("&clock_mhz={}", *asked.clock_mhz);
  if (asked.start_cost_ns) uri += fmt::format("&start_cost_ns={}", *asked.start_cost_ns);
  for (const std::string& setting : asked.settings) uri += "&model." + setting;
  return uri;
}

uint64_t counter(sluice_board* board, const char* name) {
  return get_attribute(board, std::string("link.") + name);
}

struct Counted {
  uint64_t up, down, tags, credits, completion;
};

Counted counted(sluice_board* board) {
  return {counter(board, "up_bytes"), counter(board, "down_bytes"), counter(board, "tags_ns"),
          counter(board, "credits_ns"), counter(board, "completion_ns")};
}

}  // namespace

const std::vector<std::string>& transfer_codes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto codes : {card_codes(), gpu_codes()})
      for (const TransferCode& code : codes) all.emplace_back(code.name);
    return all;
  }();
  return names;
}

TransferFigures transfer(const Transfers& asked) {
  check(asked);
  const BoardHandle handle = open_board(uri_of(asked));
  sluice_board* board = handle.get();
  const std::unique_ptr<TransferPath> path = find_code(asked.code)->make(board, asked);

  TransferFigures figures{};
  figures.verified = path->verify();
  const Counted before = counted(board);
  const uint64_t begin_ns = sluice_board_now_ns(board);
  path->run(asked.iterations);
  const Counted after = counted(board);
  figures.elapsed_ns = path->end_ns() - begin_ns;
  figures.latency_ns = path->latency_ns();
  figures.steps = path->steps();
  const auto elapsed_ns = static_cast<double>(figures.elapsed_ns);
  const double carried = static_cast<double>(counter(board, "raw_bytes_per_s")) * elapsed_ns / 1e9;
  figures.up_share = static_cast<double>(after.up - before.up) / carried;
  figures.down_share = static_cast<double>(after.down - before.down) / carried;
  figures.tags_share = static_cast<double>(after.tags - before.tags) / elapsed_ns;
  figures.credits_share = static_cast<double>(after.credits - before.credits) / elapsed_ns;
  figures.completion_share = static_cast<double>(after.completion - before.completion) / elapsed_ns;
  return figures;
}

}  // namespace sluice::bench
