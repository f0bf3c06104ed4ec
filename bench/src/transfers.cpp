// SPDX-License-Identifier: Apache-2.0
#include "transfers.hpp"

#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <optional>
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
  const int gpus =
      (asked.gpu.empty() ? 0 : 1) + (asked.cuda ? 1 : 0) + (asked.peer.empty() ? 0 : 1);
  if (code->with_gpu && gpus == 0)
    throw std::invalid_argument(
        fmt::format("--code {} needs a GPU; give --gpu, --cuda or --peer", asked.code));
  if (gpus > 1) throw std::invalid_argument("give one of --gpu, --cuda and --peer");
  if (!asked.gpu.empty() && !asked.device.empty())
    throw std::invalid_argument(
        "--gpu is a model beside a simulated card; beside a device, --cuda is a GPU of this "
        "machine");
  if (!asked.peer.empty() && asked.device.empty())
    throw std::invalid_argument("--peer is memory beside a card that is a device; give --device");
  if (!asked.device.empty() &&
      (!asked.tlp.empty() || asked.clock_mhz || asked.start_cost_ns || !asked.settings.empty()))
    throw std::invalid_argument(
        "--tlp, --clock-mhz, --start-cost-ns and --set are of simulated cards, not of --device");
  if (asked.bytes == 0 || asked.bytes > kMost)
    throw std::invalid_argument(
        fmt::format("a transfer has 1 to {} bytes, not {}", kMost, asked.bytes));
  if (asked.iterations == 0) throw std::invalid_argument("there is 1 iteration or more");
  if (asked.depth == 0 || asked.depth > SLUICE_QUEUE_DEPTH)
    throw std::invalid_argument(
        fmt::format("a queue holds 1 to {} transfers, not {}", SLUICE_QUEUE_DEPTH, asked.depth));
  if (asked.pageable && asked.code != "GH" && asked.code != "HG")
    throw std::invalid_argument(fmt::format(
        "--pageable is for GH and HG, not {}; FI and GI use such memory, FIR and GIR do not",
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
  if (!asked.device.empty()) return asked.device;
  std::string uri = fmt::format("sim:{}/{}?level={}&completions={}", asked.board, asked.design,
                                asked.level, asked.completions);
  if (!asked.gpu.empty()) uri += "&gpu=" + asked.gpu;
  if (!asked.tlp.empty()) uri += "&tlp=" + asked.tlp;
  if (asked.clock_mhz) uri += fmt::format("&clock_mhz={}", *asked.clock_mhz);
  if (asked.start_cost_ns) uri += fmt::format("&start_cost_ns={}", *asked.start_cost_ns);
  for (const std::string& setting : asked.settings) uri += "&model." + setting;
  return uri;
}

// What the model of a link counts.
struct Counted {
  uint64_t up, down, tags, credits, completion;
};

std::optional<Counted> counted(sluice_board* board) {
  sluice_board_info info{};
  sluice::check(sluice_board_get_info(board, &info, sizeof info));
  if (info.simulated_time == 0) return std::nullopt;
  const auto counter = [&](const char* name) {
    return get_attribute(board, std::string("link.") + name);
  };
  return Counted{counter("up_bytes"), counter("down_bytes"), counter("tags_ns"),
                 counter("credits_ns"), counter("completion_ns")};
}

TransferFigures::Link shares(sluice_board* board, const Counted& before, const Counted& after,
                             uint64_t elapsed) {
  const auto elapsed_ns = static_cast<double>(elapsed);
  const double carried =
      static_cast<double>(get_attribute(board, "link.raw_bytes_per_s")) * elapsed_ns / 1e9;
  const auto share = [](uint64_t from, uint64_t to, double all) {
    return static_cast<double>(to - from) / all;
  };
  return {.up_share = share(before.up, after.up, carried),
          .down_share = share(before.down, after.down, carried),
          .tags_share = share(before.tags, after.tags, elapsed_ns),
          .credits_share = share(before.credits, after.credits, elapsed_ns),
          .completion_share = share(before.completion, after.completion, elapsed_ns)};
}

std::unique_ptr<GpuDevice> make_gpu(sluice_board* board, const Transfers& asked) {
  if (asked.cuda) return make_cuda_gpu(board, *asked.cuda, asked.bytes);
  if (!asked.peer.empty()) return make_peer_memory(board, asked.peer, asked.bytes);
  return make_model_gpu(board, asked.gpu, asked.bytes);
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
  const TransferCode& code = *find_code(asked.code);
  std::unique_ptr<GpuDevice> gpu = code.with_gpu ? make_gpu(board, asked) : nullptr;

  TransferFigures figures{};
  if (gpu) figures.gpu = gpu->name();
  const std::unique_ptr<TransferPath> path = code.make(board, asked, std::move(gpu));
  figures.verified = path->verify();
  const auto before = counted(board);
  const uint64_t begin_ns = path->now_ns();
  path->run(asked.iterations);
  figures.elapsed_ns = path->end_ns() - begin_ns;
  // A simulated card beside CUDA has a clock of its own.
  const bool simulated = path->simulated_time();
  if (before && simulated)
    figures.link = shares(board, *before, *counted(board), figures.elapsed_ns);
  figures.clock = simulated ? "simulated" : "CLOCK_MONOTONIC_RAW";
  figures.latency_ns = path->latency_ns();
  figures.steps = path->steps();
  std::ranges::stable_sort(figures.steps, {}, &TransferStep::finish_ns);
  return figures;
}

uint64_t host_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace sluice::bench
