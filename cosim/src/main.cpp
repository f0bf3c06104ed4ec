// SPDX-License-Identifier: Apache-2.0
// sluice-card: a design of the catalogue as a PCI Express card for QEMU.
//
// Exit status: 0, ended by a signal, or --once and the client has gone; 1, the socket or the design
// failed; 2, bad input.
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <string>

#include "sluice/cosim/card.hpp"
#include "sluice/sim/catalogue.hpp"

namespace {

using namespace sluice;
using Clock = std::chrono::steady_clock;

constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr unsigned kSliceCycles = 2000;  // between looks at the socket while the design works
constexpr int kIdle_ms = 10;             // and while it does not, then
constexpr unsigned kIdleCycles = 64;     // these pass, so that what waits for time alone goes on
constexpr unsigned kLinesPerPort = 2;

volatile std::sig_atomic_t stop = 0;

void on_signal(int) { stop = 1; }

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;  // no SA_RESTART: poll() returns
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

// What can be served, by "board/design".
std::map<std::string, const sim::DesignEntry*> designs() {
  std::map<std::string, const sim::DesignEntry*> found;
  for (const sim::BoardEntry& board : sim::catalogue())
    for (const sim::DesignEntry& design : board.designs)
      if (design.make != nullptr && design.port_name == "HP")
        found[fmt::format("{}/{}", board.name, design.name)] = &design;
  return found;
}

std::unique_ptr<sim::HpDesign> make(const sim::DesignEntry& entry, unsigned width_bits) {
  std::unique_ptr<sim::Design> design = entry.make(width_bits);
  auto& hp = dynamic_cast<sim::HpDesign&>(*design);
  static_cast<void>(design.release());
  return std::unique_ptr<sim::HpDesign>(&hp);
}

// One client, from its connection to its end.
void serve(cosim::Card& card, cosim::File connection) {
  cosim::VfioUserServer server(std::move(connection), card);
  card.attach(&server);
  const uint64_t before = card.cycles();
  Clock::duration busy{};
  while (stop == 0) {
    const auto start = Clock::now();
    const bool moves = card.run(kSliceCycles);
    busy += Clock::now() - start;
    if (!moves) card.pass(kIdleCycles);
    if (!server.serve(moves ? 0 : kIdle_ms)) break;
  }
  card.attach(nullptr);
  const double seconds = std::chrono::duration<double>(busy).count();
  const double cycles = static_cast<double>(card.cycles() - before);
  fmt::print(stderr, "sluice-card: the client {}; {:.0f} cycles, {:.2f} s at work\n",
             server.complaint().empty() ? "has gone" : "was sent away: " + server.complaint(),
             cycles, seconds);
}

}  // namespace

int main(int argc, char** argv) try {
  const auto offered = designs();
  std::string names;
  for (const auto& entry : offered) names += (names.empty() ? "" : ", ") + entry.first;

  CLI::App app{
      "A design of the catalogue as a PCI Express card for QEMU 10.1 or newer.\n\n"
      "Example:\n"
      "  sluice-card --design zynq7010/hp_stress --socket /tmp/card.sock &\n"
      "  qemu-system-aarch64 -M virt,memory-backend=ram -object \\\n"
      "    memory-backend-memfd,id=ram,size=1G,share=on -m 1G ... -device \\\n"
      "    "
      "'{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"/tmp/"
      "card.sock\"}}'"};
  std::string name = "zynq7010/hp_stress";
  std::string path;
  unsigned width_bits = 64;
  bool once = false;
  app.add_option("--design", name, "board and design: " + names)->capture_default_str();
  app.add_option("--socket", path, "UNIX-domain socket to make, up to 107 bytes")->required();
  app.add_option("--width", width_bits, "bits of the design's ports")->capture_default_str();
  app.add_flag("--once", once, "end when the first client has gone");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }

  const auto found = offered.find(name);
  if (found == offered.end()) {
    fmt::print(stderr, "sluice-card: unknown design '{}'; allowed: {}\n", name, names);
    return kBadInput;
  }
  const sim::DesignEntry* design = found->second;
  const auto& widths = design->widths_bits;
  if (std::find(widths.begin(), widths.end(), width_bits) == widths.end()) {
    fmt::print(stderr, "sluice-card: {} has no ports of {} bits; allowed: {}\n", name, width_bits,
               fmt::join(widths, ", "));
    return kBadInput;
  }

  catch_signals();
  cosim::Card card(make(*design, width_bits), width_bits, kLinesPerPort * design->port_count);
  cosim::VfioUserSocket socket(path);
  fmt::print(stderr, "sluice-card: {} waits at {}\n", name, path);
  while (stop == 0) {
    cosim::File connection = socket.accept(-1);
    if (!connection) continue;
    serve(card, std::move(connection));
    if (once) break;
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "sluice-card: {}\n", error.what());
  return kFailed;
}
