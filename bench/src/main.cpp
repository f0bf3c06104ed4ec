// SPDX-License-Identifier: Apache-2.0
// sluice-bench: the measuring loops behind the `sluice` command, usable alone.
//
//   sluice-bench list       what can be measured, one JSON object; of one board with --device
//   sluice-bench measure    runs of one workload, one JSON object a line as each finishes
//   sluice-bench cpu        what the CPU's own copies and reads take, one JSON object
//   sluice-bench isolation  hardware threads beside one that misbehaves, one JSON object
//   sluice-bench pipeline   hardware threads in a row, one JSON object
//   sluice-bench transfers  transfers between a card, its host and a GPU, one JSON object
//   sluice-bench queue      queued transfers of several channels, one JSON object
//   sluice-bench calls      the same, run by run, one JSON object as `sluice run` takes it
//   sluice-bench frames     frames of a captured stream, one JSON object as `sluice run` takes it
//   sluice-bench network    a capture over TCP beside a plain socket, one JSON object
//   sluice-bench speed      how fast this machine simulates a workload, one JSON object
//   sluice-bench card-speed the same of transfers of a simulated card
//
// Boards are simulated; with --device, what is measured is a device of the driver or a function of
// vfio-pci, by the same loops, and times are of the clock that it shares with this program.
//
// With SLUICE_PARENT, the number of the process that has started it, it ends with that process (its
// thread, as the kernel sees it).
//
// Exit status: 0; 1, it failed; 2, bad input, or nothing that the board can do; 130, interrupted
// (lines printed are whole).
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sluice.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "frames.hpp"
#include "network.hpp"
#include "queue.hpp"
#include "speed.hpp"
#include "threads.hpp"
#include "transfers.hpp"
#include "workload.hpp"

namespace {

using nlohmann::ordered_json;
using sluice::bench::Direction;
using sluice::bench::Rate;
using sluice::bench::RunResult;
using sluice::bench::Simulated;
using sluice::bench::Speed;
using sluice::bench::Transfers;
using sluice::bench::Workload;

constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;

const CLI::Range kRuns(1, 1'000'000);
const CLI::Range kFirstRun(0, 1'000'000'000);

const std::map<std::string, sluice::bench::Side> kSides{{"memory", sluice::bench::Side::memory},
                                                        {"ram", sluice::bench::Side::ram}};
const std::map<std::string, sluice::bench::Use> kUses{{"none", sluice::bench::Use::none},
                                                      {"sync", sluice::bench::Use::sync},
                                                      {"touch", sluice::bench::Use::touch}};

const std::map<std::string, sluice::bench::Method> kMethods{{"mmap", sluice::bench::Method::mmap},
                                                            {"copy", sluice::bench::Method::copy},
                                                            {"read", sluice::bench::Method::read}};
const std::map<std::string, sluice::bench::Look> kLooks{{"none", sluice::bench::Look::none},
                                                        {"read", sluice::bench::Look::read},
                                                        {"filter", sluice::bench::Look::filter}};

const std::map<std::string, sluice::bench::Rogue> kRogues{
    {"idle", sluice::bench::Rogue::idle},
    {"full", sluice::bench::Rogue::full},
    {"forbidden", sluice::bench::Rogue::forbidden},
    {"deaf", sluice::bench::Rogue::deaf}};

const std::map<std::string, Direction> kDirections{{"duplex", Direction::duplex},
                                                   {"mm2s", Direction::mm2s},
                                                   {"s2mm", Direction::s2mm},
                                                   {"both", Direction::both},
                                                   {"copy", Direction::copy}};

void print_line(const ordered_json& json) {
  const std::string line = json.dump() + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

// Names of the directions for which `can` holds.
template <typename Predicate>
ordered_json direction_names(Predicate can) {
  ordered_json names = ordered_json::array();
  for (const auto& [name, direction] : kDirections)
    if (can(direction)) names.push_back(name);
  return names;
}

ordered_json describe_design(const sluice_board_description& entry) {
  ordered_json ports = ordered_json::array();
  for (uint32_t port = 0; port < entry.port_count; ++port)
    ports.push_back(entry.port_name + std::to_string(port));
  ordered_json widths = ordered_json::array();
  for (unsigned bit = 0; bit < 32; ++bit)
    if (entry.width_mask >> bit & 1) widths.push_back(8U << bit);
  const sluice::BoardHandle board = sluice::open_board(entry.uri);
  ordered_json levels = ordered_json::array();
  if (entry.has_rtl) levels.push_back("rtl");
  if (entry.has_transactions) levels.push_back("transaction");
  return {{"name", entry.design},
          {"description", entry.design_text},
          {"ports", ports},
          {"widths", widths},
          {"directions",
           direction_names([&](Direction d) { return sluice::bench::can(board.get(), d); })},
          {"levels", levels},
          {"full_rate", entry.full_rate != 0},
          {"max_transfer_bytes", entry.max_transfer_bytes}};
}

ordered_json describe_board(const sluice_board_description& entry) {
  ordered_json presets{{"bare_metal",
                        {{"start_cost_ns", entry.default_start_cost_ns},
                         {"start_cost_clocks", entry.start_cost_clocks}}}};
  if (entry.linux_start_cost_ns != 0)
    presets["linux"] = {{"start_cost_ns", entry.linux_start_cost_ns}};
  ordered_json overload_error;  // null: not compared with silicon
  if (entry.worst_overload_error_ppm != 0)
    overload_error = {{"mean_percent", entry.overload_error_ppm / 1e4},
                      {"worst_percent", entry.worst_overload_error_ppm / 1e4}};
  return {{"name", entry.board},
          {"uri", entry.uri},
          {"description", entry.board_text},
          {"designs", ordered_json::array()},
          {"ddr_peak_mb_s", static_cast<double>(entry.ddr_peak_bytes_per_s) / 1e6},
          {"memory_bytes", entry.memory_bytes},
          {"default_clock_mhz", entry.default_clock_khz / 1e3},
          {"clock_mhz", {entry.min_clock_khz / 1e3, entry.max_clock_khz / 1e3}},
          {"max_transfer_bytes", entry.max_transfer_bytes},
          {"presets", presets},
          {"overload_error", overload_error}};
}

void list() {
  ordered_json boards = ordered_json::array();
  sluice_board_description entry{};
  for (unsigned index = 0; sluice_enumerate(index, &entry, sizeof entry) == 0; ++index) {
    if (entry.is_device) continue;  // what is measured here is simulated
    if (boards.empty() || boards.back()["name"] != entry.board)
      boards.push_back(describe_board(entry));
    boards.back()["designs"].push_back(describe_design(entry));
  }
  print_line({{"version", sluice_version()}, {"boards", boards}});
}

// What can be measured on one board that is not simulated. What nobody says of it is empty or 0.
void list_device(const std::string& uri) {
  const sluice::BoardHandle board = sluice::open_board(uri);
  sluice_board_info info{};
  sluice::check(sluice_board_get_info(board.get(), &info, sizeof info));
  ordered_json ports = ordered_json::array();
  for (const sluice::bench::Port& port : sluice::bench::ports_of(board.get()))
    ports.push_back({{"number", port.number},
                     {"name", port.name},
                     {"directions", direction_names([&](Direction d) {
                        return std::ranges::find(port.directions, d) != port.directions.end();
                      })},
                     {"width_bits", port.width_bits},
                     {"max_transfer_bytes", port.max_bytes}});
  print_line({{"version", sluice_version()},
              {"device",
               {{"uri", uri},
                {"design", info.design},
                {"clock", sluice::bench::clock_name(board.get())},
                {"ports", ports}}}});
}

void measure(const Workload& workload, unsigned first_run, unsigned runs) {
  for (unsigned run = first_run; run < first_run + runs; ++run) {
    const RunResult result = sluice::bench::run(workload, run);
    print_line({{"run", result.run},
                {"mb_s", result.mb_s},
                {"bytes", result.bytes},
                {"start_ns", result.start_ns},
                {"finish_ns", result.finish_ns},
                {"pl_cycles", result.pl_cycles},
                {"verified", result.verified},
                {"skew_ns", result.skew_ns},
                {"clock", result.clock}});
  }
}

ordered_json rate_json(const Rate& rate) {
  return {{"min", rate.min}, {"median", rate.median}, {"max", rate.max}, {"samples", rate.samples}};
}

ordered_json speed_json(const Speed& speed, double clock_mhz) {
  return {{"bytes", speed.run.bytes},
          {"elapsed_ns", speed.run.elapsed_ns},
          {"mb_per_cpu_s", rate_json(speed.mb_per_cpu_s)},
          {"pl_cycles_per_cpu_s", rate_json(speed.us_per_cpu_s * clock_mhz)}};
}

// A simulated board that exists.
sluice_board_description described(const std::string& board) {
  sluice_board_description entry{};
  for (unsigned i = 0; sluice_enumerate(i, &entry, sizeof entry) == 0; ++i)
    if (board == entry.board) return entry;
  throw std::invalid_argument("there is no board " + board);
}

void measure_queue(const sluice::bench::Queue& queue) {
  using sluice::bench::Side, sluice::bench::Use;
  const sluice::bench::Queued queued = sluice::bench::run_queue(queue);
  print_line({{"device", queue.uri},
              {"channels", queue.channels},
              {"from", queue.from == Side::ram ? "ram" : "memory"},
              {"to", queue.to == Side::ram ? "ram" : "memory"},
              {"use", queue.use == Use::touch  ? "touch"
                      : queue.use == Use::sync ? "sync"
                                               : "none"},
              {"transfer_bytes", queue.bytes},
              {"depth", queue.depth},
              {"transfers", queue.transfers},
              {"bytes", queued.bytes},
              {"start_ns", queued.start_ns},
              {"finish_ns", queued.finish_ns},
              {"mb_s", queued.mb_s()}});
}

// All of them are over when the program's time ends, so that is what has reached the driver.
void measure_calls(const sluice::bench::Queue& queue, unsigned runs, bool threads) {
  const sluice::bench::Called called =
      threads ? sluice::bench::run_threads(queue, runs) : sluice::bench::run_calls(queue, runs);
  print_line({{"user_ns", called.user_ns},
              {"kernel_ns", called.kernel_ns},
              {"work_ns", called.work_ns},
              {"bytes", queue.bytes},
              {"reached", queue.bytes}});
}

void find_shortest(const sluice::bench::Frames& frames) {
  const sluice::bench::Shortest shortest = sluice::bench::shortest_interval(frames);
  ordered_json found{
      {"user_ns", {shortest.interval_ns}}, {"bytes", frames.bytes}, {"reached", frames.bytes}};
  if (!frames.beside.empty()) found["beside_mb_s"] = shortest.beside_mb_s;
  print_line(found);
}

void measure_frames(const sluice::bench::Frames& frames) {
  const sluice::bench::Framed framed = sluice::bench::run_frames(frames);
  if (framed.user_ns.empty()) throw std::runtime_error("every frame was lost");
  ordered_json found{{"user_ns", framed.user_ns},   {"engine_ns", framed.engine_ns},
                     {"work_ns", framed.work_ns},   {"bytes", frames.bytes},
                     {"reached", frames.bytes},     {"lost", framed.lost},
                     {"unjudged", framed.unjudged}, {"drops", framed.drops}};
  if (!frames.beside.empty()) found["beside_mb_s"] = framed.beside_mb_s;
  print_line(found);
}

void measure_network(const sluice::bench::Network& network) {
  const sluice::bench::Compared compared = sluice::bench::compare_network(network);
  print_line({{"bytes", network.bytes},
              {"periods", network.periods},
              {"capture_mb_s", compared.capture_mb_s},
              {"raw_mb_s", compared.raw_mb_s},
              {"lost", compared.lost}});
}

void measure_speed(const Workload& workload, unsigned runs) {
  const auto simulate = [&](unsigned number) -> Simulated {
    const RunResult run = sluice::bench::run(workload, number);
    return {.bytes = run.bytes, .elapsed_ns = run.finish_ns - run.start_ns};
  };
  const Speed speed = sluice::bench::time_simulation(simulate, runs);
  ordered_json json = speed_json(speed, workload.clock_mhz);
  // The memory of each board with ports is 32 bits wide, and moves that at both edges.
  const auto peak_mb_s = static_cast<double>(described(workload.board).ddr_peak_bytes_per_s) / 1e6;
  json["ddr_cycles_per_cpu_s"] = rate_json(speed.us_per_cpu_s * (peak_mb_s / 8));
  print_line(json);
}

void measure_speed(const Transfers& transfers, unsigned runs) {
  const auto simulate = [&](unsigned) -> Simulated {
    const auto figures = sluice::bench::transfer(transfers);
    // Both ways have a latency each; the CPU's own accesses have none.
    const uint64_t count = std::max<uint64_t>(figures.latency_ns.size(), transfers.iterations);
    return {.bytes = count * transfers.bytes, .elapsed_ns = figures.elapsed_ns};
  };
  const Speed speed = sluice::bench::time_simulation(simulate, runs);
  const double own_mhz = described(transfers.board).default_clock_khz / 1e3;
  print_line(speed_json(speed, transfers.clock_mhz.value_or(own_mhz)));
}

// The options that say what a simulated card moves.
void add_transfers(CLI::App& command, Transfers& transfers) {
  command.add_option("--board", transfers.board, "Board")->capture_default_str();
  command.add_option("--design", transfers.design, "Design")->capture_default_str();
  command
      .add_option("--level", transfers.level, "rtl, or transaction (the card without its logic)")
      ->capture_default_str();
  command.add_option("--clock-mhz", transfers.clock_mhz,
                     "Clock of the logic. Default: the board's own");
  command.add_option("--start-cost-ns", transfers.start_cost_ns,
                     "Software time for one start. Default: the board's own");
  command.add_option("--set", transfers.settings, "A setting of the link's model, NAME=VALUE");
  command.add_option("--completions", transfers.completions, "interrupt or poll")
      ->capture_default_str();
  command.add_option("--code", transfers.code, "Path of the transfers")
      ->check(CLI::IsMember(sluice::bench::transfer_codes()))
      ->capture_default_str();
  command.add_option("--bytes", transfers.bytes, "Bytes of a transfer")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->capture_default_str();
  command.add_option("--iterations", transfers.iterations, "Transfers, each way")
      ->capture_default_str();
  command.add_option("--depth", transfers.depth, "Transfers queued at a time")
      ->capture_default_str();
}

// The options that say what is queued.
void add_queue(CLI::App& command, sluice::bench::Queue& queue) {
  command.add_option("--device", queue.uri, "Board, such as dev:pl or sim:zynq7010/cdma")
      ->required();
  command.add_option("--channels", queue.channels, "Channels, such as hp0.mm2s,hp1.mm2s")
      ->delimiter(',')
      ->required();
  const auto side = CLI::CheckedTransformer(kSides).description("");
  command
      .add_option("--from", queue.from,
                  "Source of copies: memory, or ram (block RAM of the channel's engine)")
      ->option_text("SIDE")
      ->transform(side);
  command.add_option("--to", queue.to, "Target of copies: memory or ram")
      ->option_text("SIDE")
      ->transform(side);
  command
      .add_option("--use", queue.use,
                  "What the program does with each transfer's data: none, sync (begin and end its "
                  "access), or touch (also write or read each word)")
      ->option_text("USE")
      ->transform(CLI::CheckedTransformer(kUses).description(""));
  command.add_option("--bytes", queue.bytes, "Bytes of a transfer")->capture_default_str();
  command.add_option("--depth", queue.depth, "Transfers queued on a channel")
      ->capture_default_str();
  command.add_option("--transfers", queue.transfers, "Timed transfers on a channel")
      ->capture_default_str();
  command.add_option("--ram-of", queue.ram_node,
                     "Memory node of another board whose block RAM is used, such as "
                     "/dev/sluice/pl/memory. Default: block RAM of the channel's engine");
}

void add_frames(CLI::App& command, sluice::bench::Frames& frames) {
  command
      .add_option("--device", frames.uri,
                  "Board, such as dev:pl?heap=cma or sim:zynq7010/capture?level=transaction")
      ->required();
  command
      .add_option("--channel,--channels", frames.channels,
                  "Channels that capture frames, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--bytes", frames.bytes, "Bytes of a frame")->capture_default_str();
  command.add_option("--width", frames.width, "Pixels of a row, 16 bits each, for the filter")
      ->capture_default_str();
  command.add_option("--rate", frames.rate_hz, "Frames a second; 0: no pauses")
      ->capture_default_str();
  command
      .add_option("--pause-ticks", frames.pause_ticks,
                  "Clock cycles of pause after each frame; needs --rate 0")
      ->check(CLI::Range(0U, (1U << 24) - 1))
      ->capture_default_str();
  command.add_option("--frames", frames.frames, "Frames that the source sends")
      ->check(CLI::Range(1U, UINT32_MAX))
      ->capture_default_str();
  command.add_option("--periods", frames.periods, "Frames in the ring")->capture_default_str();
  command
      .add_option("--method", frames.method,
                  "mmap (the program reads in the ring), copy (it copies first), or read (the "
                  "driver copies; dev: boards)")
      ->option_text("METHOD")
      ->transform(CLI::CheckedTransformer(kMethods).description(""));
  command
      .add_option("--look", frames.look,
                  "What the program does with a frame: none, read (load each word), or filter "
                  "(mean over 3 x 3 pixels)")
      ->option_text("LOOK")
      ->transform(CLI::CheckedTransformer(kLooks).description(""));
  command.add_flag("--hold", frames.hold,
                   "Block the stream while the ring is full, so that nothing is overwritten");
  command.add_flag("--ends{false}", frames.compare,
                   "Compare only the first and last word of each frame with the counter");
  CLI::Option* const beside =
      command
          .add_option("--beside", frames.beside,
                      "Lanes of a dev: board that copy memory in loop-back at the same time, such "
                      "as hp1,hp2. Their sources are switched off. beside_mb_s is their total rate")
          ->delimiter(',');
  command.add_option("--beside-bytes", frames.beside_bytes, "Bytes of each transfer of --beside")
      ->needs(beside)
      ->capture_default_str();
}

// The options that say what is moved.
void add_workload(CLI::App& command, Workload& workload) {
  command.add_option("--board", workload.board, "Board")->capture_default_str();
  command.add_option("--design", workload.design, "Design")->capture_default_str();
  command
      .add_option("--level", workload.level, "rtl, or transaction (engines without their logic)")
      ->check(CLI::IsMember({"rtl", "transaction"}))
      ->capture_default_str();
  command.add_flag("--fast-forward", workload.fast_forward,
                   "Skip the middle of long transfers once all rates stay the same. Needs "
                   "--level transaction");
  command.add_option("--set", workload.settings, "A setting of the memory model, NAME=VALUE");
  command.add_option("--attribute", workload.attributes, "An attribute of the design, NAME=VALUE");
  command.add_option("--width", workload.width_bits, "Bits of ports and streams")
      ->capture_default_str();
  command.add_option("--ports", workload.ports, "Ports, such as 0,2")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--direction", workload.direction, "duplex, mm2s, s2mm, both or copy")
      ->transform(CLI::CheckedTransformer(kDirections).description(""));
  command.add_option("--clock-mhz", workload.clock_mhz, "Clock of the logic")
      ->capture_default_str();
  command.add_option("--bytes", workload.bytes, "Bytes of a transfer")->capture_default_str();
  command.add_option("--seed", workload.seed, "Seed of the start skews")->capture_default_str();
  command.add_option("--start-cost-ns", workload.start_cost_ns,
                     "Software time for one start. Default: the board's own");
  command.add_option("--skew-ns", workload.skew_ns, "Longest random wait before a start")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command
      .add_option("--stagger-bytes", workload.stagger_bytes,
                  "Offset of each buffer from the previous one, a multiple of 64")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
}

// What is measured instead of a simulated board. What only a model can be told goes without it.
void add_device(CLI::App& command, Workload& workload) {
  CLI::Option* const device = command.add_option(
      "--device", workload.device, "A device or function, dev:BOARD or vfio:FUNCTION");
  for (const char* other : {"--board", "--design", "--level", "--fast-forward", "--set",
                            "--start-cost-ns", "--skew-ns"})
    device->excludes(command.get_option(other));
}

// Work of the board's CPU, timed twice: as `cold` finds the caches, and again as it has left them.
struct CpuWork {
  std::string board = "zynq7010";
  std::vector<std::string> settings;
  uint32_t kind = SLUICE_CPU_COPY;
  uint64_t bytes = 4 << 20;
  uint64_t loads = 20'000;
  uint32_t stride = 64;
  bool uncached = false;
};

// Programmed I/O: accesses to registers of the design, one after another. No work of the library.
constexpr uint32_t kPioRead = 100;
constexpr uint32_t kPioWrite = 101;
const std::map<std::string, uint32_t> kCpuKinds{{"copy", SLUICE_CPU_COPY},
                                                {"read", SLUICE_CPU_READ},
                                                {"chase", SLUICE_CPU_CHASE},
                                                {"pio_read", kPioRead},
                                                {"pio_write", kPioWrite}};
// The second buffer of a copy lies this much further than a multiple of it all: four banks.
constexpr uint64_t kCpuStagger = 4 * 4096;

// ps that the accesses of `bytes`, 32 bits each, take.
uint64_t time_pio(sluice_board* board, uint32_t kind, uint64_t bytes) {
  const uint64_t begin_ns = sluice_board_now_ns(board);
  for (uint64_t word = 0; word < bytes / 4; ++word) {
    if (kind == kPioRead)
      (void)sluice::get_attribute(board, "hp0.source.start");
    else
      sluice::set_attribute(board, "hp0.source.start", word);
  }
  return (sluice_board_now_ns(board) - begin_ns) * 1000;
}

void print_cpu(const std::vector<uint64_t>& elapsed_ps) {
  print_line({{"cold_ns", static_cast<double>(elapsed_ps[0]) / 1e3},
              {"warm_ns", static_cast<double>(elapsed_ps[1]) / 1e3}});
}

void time_cpu(const CpuWork& asked) {
  std::string uri = "sim:" + asked.board + "/hp_stress?level=transaction";
  for (const std::string& setting : asked.settings) uri += "&model." + setting;
  const sluice::BoardHandle board = sluice::open_board(uri);
  std::vector<uint64_t> elapsed_ps(2);
  if (asked.kind == kPioRead || asked.kind == kPioWrite) {
    if (asked.bytes == 0 || asked.bytes % 4 != 0)
      throw std::invalid_argument("programmed I/O moves multiples of 4 bytes");
    for (uint64_t& elapsed : elapsed_ps) elapsed = time_pio(board.get(), asked.kind, asked.bytes);
    return print_cpu(elapsed_ps);
  }
  constexpr uint64_t kAlignment = 32 << 20;
  const sluice::BufferHandle source =
      sluice::allocate(board.get(), asked.bytes, {.alignment = kAlignment, .offset = 0});
  const bool copies = asked.kind == SLUICE_CPU_COPY;
  const sluice::BufferHandle destination =
      copies ? sluice::allocate(board.get(), asked.bytes,
                                {.alignment = kAlignment, .offset = kCpuStagger})
             : nullptr;
  const sluice_cpu_work work{.source = source.get(),
                             .destination = destination.get(),
                             .bytes = asked.bytes,
                             .loads = asked.loads,
                             .kind = asked.kind,
                             .stride = asked.stride,
                             .uncached = asked.uncached,
                             .reserved = 0};
  for (uint64_t& elapsed : elapsed_ps)
    sluice::check(sluice_board_cpu_work(board.get(), &work, sizeof work, &elapsed));
  print_cpu(elapsed_ps);
}

void print_scenario(const sluice::bench::Scenario& scenario) {
  ordered_json figures = ordered_json::array();
  for (const sluice::bench::Figure& figure : scenario.figures)
    figures.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
  print_line({{"figures", figures}, {"verified", scenario.verified}});
}

void print_transfers(const sluice::bench::TransferFigures& figures, bool with_steps) {
  ordered_json steps = ordered_json::array();
  if (with_steps)
    for (const sluice::bench::TransferStep& step : figures.steps)
      steps.push_back({step.what, step.transfer, step.bytes, step.start_ns, step.finish_ns});
  ordered_json link;  // null without a model of it
  if (figures.link)
    link = {{"up_share", figures.link->up_share},
            {"down_share", figures.link->down_share},
            {"tags_share", figures.link->tags_share},
            {"credits_share", figures.link->credits_share},
            {"completion_share", figures.link->completion_share}};
  print_line({{"elapsed_ns", figures.elapsed_ns},
              {"latency_ns", figures.latency_ns},
              {"steps", steps},
              {"link", link},
              {"clock", figures.clock},
              {"gpu", figures.gpu.empty() ? ordered_json() : ordered_json(figures.gpu)},
              {"verified", figures.verified}});
}

int fail(int status, const std::string& sentence) {
  std::fprintf(stderr, "sluice-bench: %s\n", sentence.c_str());
  return status;
}

// Whether a failure says that there is not what was asked for.
bool is_refusal(const sluice::Failure& failure) {
  constexpr int kRefusals[] = {EINVAL, ENODEV, ENOENT, ENOMEM, ENOTSUP, ERANGE};
  return std::ranges::find(kRefusals, failure.code().value()) != std::end(kRefusals);
}

// Do a command's work, and return the exit status; what goes wrong is said in one sentence.
template <typename Work>
int attempt(const Work& work) {
  try {
    work();
  } catch (const sluice::Failure& failure) {
    return fail(is_refusal(failure) ? kBadInput : kFailed, failure.what());
  } catch (const std::invalid_argument& error) {
    return fail(kBadInput, error.what());
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
  return 0;
}

// End with the process that SLUICE_PARENT names, even if that is killed, where it has started this
// one; another that it has started may stand between, and then that one sees to it.
void end_with_parent() {
  const char* named = std::getenv("SLUICE_PARENT");
  const long parent = named == nullptr ? 0 : std::strtol(named, nullptr, 10);
  if (parent <= 0 || getppid() != parent) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kInterrupted);  // it has gone meanwhile
}

}  // namespace

int main(int argc, char** argv) {
  end_with_parent();
  // Nothing is left half done by leaving at once: a line is written whole, in one call.
  std::signal(SIGINT, [](int) { _exit(kInterrupted); });
  std::signal(SIGTERM, [](int) { _exit(kInterrupted); });

  Workload workload;
  unsigned first_run = 0;
  unsigned runs = 1;

  CLI::App app("Measure data rates of a board, simulated or not.");
  app.set_version_flag("--version", std::string("sluice-bench ") + sluice_version());
  app.require_subcommand(1);
  app.footer(
      "Example:\n  sluice-bench measure --ports 0,2 --direction duplex --bytes 1048576 --runs 4");
  CLI::App* listing =
      app.add_subcommand("list", "Print boards and designs, or one device, as one JSON object");
  listing->add_option("--device", workload.device, "dev:BOARD or vfio:FUNCTION");
  CLI::App* command =
      app.add_subcommand("measure", "Run one workload and print a JSON object for each run");
  add_workload(*command, workload);
  add_device(*command, workload);
  command->add_option("--runs", runs, "Runs")->check(kRuns)->capture_default_str();
  command->add_option("--first-run", first_run, "Number of the first run")
      ->check(kFirstRun)
      ->capture_default_str();
  CLI::App* speed = app.add_subcommand(
      "speed", "Measure how much of a workload is simulated in a second of CPU time");
  add_workload(*speed, workload);
  speed->add_option("--runs", runs, "Runs")->check(kRuns)->capture_default_str();

  sluice::bench::Queue queue;
  CLI::App* queued = app.add_subcommand(
      "queue", "Time queued transfers on several channels at once, and print one JSON object");
  add_queue(*queued, queue);
  CLI::App* calls = app.add_subcommand(
      "calls",
      "Time the same transfers repeatedly, and print the times of all runs as one JSON object");
  add_queue(*calls, queue);
  calls->add_option("--runs", runs, "Runs")->check(kRuns)->capture_default_str();
  bool threads = false;
  calls->add_flag("--threads", threads,
                  "One thread of the program for each channel; needs dev: channels that copy");

  sluice::bench::Network network;
  auto* networked = app.add_subcommand(
      "network", "Compare a capture over TCP with a plain socket, and print one JSON object");
  networked->add_option("--device", network.uri, "Board, such as tcp:localhost/memory")->required();
  networked->add_option("--channel", network.channel, "A channel that captures")
      ->capture_default_str();
  networked->add_option("--bytes", network.bytes, "Bytes of a period, and of a block")
      ->check(CLI::Range(64U, 64U << 20))
      ->capture_default_str();
  networked->add_option("--periods", network.periods, "Periods of the ring")
      ->check(CLI::Range(3U, 65536U))
      ->capture_default_str();
  networked->add_option("--seconds", network.seconds, "Seconds of a round, each way")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  networked->add_option("--rounds", network.rounds, "Rounds of both, in turns")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  sluice::bench::Frames frames;
  bool shortest = false;
  CLI::App* framed = app.add_subcommand(
      "frames", "Time what a program does with each frame of a stream, and print one JSON object");
  add_frames(*framed, frames);
  framed
      ->add_flag("--shortest", shortest,
                 "Find, to 2 %, the shortest frame time at which no frame is lost and the program "
                 "is at most one frame behind. user_ns is that time; --rate is ignored. Give at "
                 "least 100 frames, because the error is up to 1 / frames")
      ->excludes("--pause-ticks");

  CpuWork cpu_work;
  CLI::App* cpu = app.add_subcommand(
      "cpu", "Time work of the board's CPU with cold and warm caches, and print one JSON object");
  cpu->add_option("--board", cpu_work.board, "Board")->capture_default_str();
  cpu->add_option("--set", cpu_work.settings, "A setting of the memory model, NAME=VALUE");
  cpu->add_option("--kind", cpu_work.kind, "copy, read, chase, pio_read or pio_write")
      ->transform(CLI::CheckedTransformer(kCpuKinds).description(""));
  cpu->add_option("--bytes", cpu_work.bytes, "Bytes of the work; range of a chase")
      ->capture_default_str();
  cpu->add_option("--loads", cpu_work.loads, "Loads of a chase")->capture_default_str();
  cpu->add_option("--stride", cpu_work.stride, "Bytes between slots of a chase")
      ->capture_default_str();
  cpu->add_flag("--uncached", cpu_work.uncached, "Map the source without caches");

  sluice::bench::Isolation isolation;
  CLI::App* isolate = app.add_subcommand(
      "isolation", "Time hardware threads beside a rogue thread, and print one JSON object");
  isolate->add_option("--board", isolation.board, "Board")->capture_default_str();
  isolate->add_option("--design", isolation.design, "Design")->capture_default_str();
  isolate->add_option("--threads", isolation.threads, "Timed threads, such as 0,2")
      ->delimiter(',')
      ->capture_default_str();
  isolate->add_option("--rogue-thread", isolation.rogue_thread, "The rogue")->capture_default_str();
  isolate->add_option("--rogue", isolation.rogue, "idle, full, forbidden or deaf")
      ->transform(CLI::CheckedTransformer(kRogues).description(""));
  isolate->add_option("--bytes", isolation.bytes, "Bytes of a block")->capture_default_str();

  sluice::bench::Pipeline pipeline;
  CLI::App* pipe = app.add_subcommand(
      "pipeline", "Time pipelines of four hardware threads, and print one JSON object");
  pipe->add_option("--board", pipeline.board, "Board")->capture_default_str();
  pipe->add_option("--design", pipeline.design, "Design")->capture_default_str();
  pipe->add_flag("--through-memory{false}", pipeline.direct,
                 "Pass data from thread to thread through memory");
  pipe->add_option("--pipelines", pipeline.pipelines, "Pipelines, 1 or 2")->capture_default_str();
  pipe->add_option("--frames", pipeline.frames, "Images of each")->capture_default_str();
  pipe->add_option("--words", pipeline.words, "Words of a row")->capture_default_str();
  pipe->add_option("--rows", pipeline.rows, "Rows of an image")->capture_default_str();

  Transfers transfers;
  CLI::App* card = app.add_subcommand(
      "transfers", "Time transfers between a card, its host and a GPU, and print one JSON object");
  add_transfers(*card, transfers);
  CLI::App* card_speed = app.add_subcommand(
      "card-speed", "Measure how much of a card's transfers is simulated in a second of CPU time");
  add_transfers(*card_speed, transfers);
  card_speed->add_option("--runs", runs, "Runs")->check(kRuns)->capture_default_str();
  card->add_option("--tlp", transfers.tlp, "File for the packets of the link, in pcap format");
  CLI::Option* device =
      card->add_option("--device", transfers.device,
                       "URI of a card that is not simulated, such as dev:0000:01:00.0");
  for (const char* simulated : {"--board", "--design", "--level", "--completions"})
    device->excludes(card->get_option(simulated));
  card->add_option("--cuda", transfers.cuda, "Number of a GPU of this machine in CUDA");
  card->add_option("--peer", transfers.peer,
                   "FUNCTION/BAR of another device of vfio-pci, which takes the place of a GPU");
  card->add_option("--gpu", transfers.gpu, "Model of a GPU beside the card, such as quadro-m2000");
  card->add_flag("--pageable", transfers.pageable,
                 "GH, HG: use host memory that the GPU does not know");
  card->add_option("--chunk", transfers.chunk,
                   "Bytes of a chunk of FIP and GIP. Default: that of a model");
  card->add_option("--corrupt", transfers.corrupt,
                   "Change this byte before the comparison, to test it");
  bool with_steps = false;
  card->add_flag("--steps", with_steps, "Print the steps of each transfer too");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(kBadInput, error.what());
  }

  // Starts and waits of software are modelled on a simulated board; elsewhere it is this program.
  if (!workload.device.empty()) workload.skew_ns = 0;
  return attempt([&] {
    if (app.got_subcommand(listing))
      return workload.device.empty() ? list() : list_device(workload.device);
    if (app.got_subcommand(card))
      return print_transfers(sluice::bench::transfer(transfers), with_steps);
    if (app.got_subcommand(queued)) return measure_queue(queue);
    if (app.got_subcommand(calls)) return measure_calls(queue, runs, threads);
    if (app.got_subcommand(framed))
      return shortest ? find_shortest(frames) : measure_frames(frames);
    if (app.got_subcommand(networked)) return measure_network(network);
    if (app.got_subcommand(card_speed)) return measure_speed(transfers, runs);
    if (app.got_subcommand(cpu)) return time_cpu(cpu_work);
    if (app.got_subcommand(isolate)) return print_scenario(sluice::bench::isolate(isolation));
    if (app.got_subcommand(pipe)) return print_scenario(sluice::bench::pipeline(pipeline));
    sluice::bench::check(workload);
    try {
      if (app.got_subcommand(speed)) return measure_speed(workload, runs);
      measure(workload, first_run, runs);
    } catch (const sluice::Failure& failure) {
      if (failure.code().value() != ENODEV) throw;
      throw std::runtime_error(failure.what());  // it was there: a device that has gone
    }
  });
}
