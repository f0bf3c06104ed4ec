// SPDX-License-Identifier: Apache-2.0
// sluice-card: a design of the catalogue as a PCI Express card for QEMU.
//
// Exit status: 0, ended by a signal, or --once and the client has gone; 1, the socket or the design
// failed; 2, bad input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "program.hpp"
#include "sluice/cosim/card.hpp"
#include "sluice/cosim/card_control.hpp"
#include "sluice/cosim/card_server.hpp"
#include "sluice/cosim/recording.hpp"
#include "sluice/cosim/served_designs.hpp"
#include "sluice/cosim/unix_socket.hpp"

namespace {

using namespace sluice;

using cosim::kBadInput;
using cosim::kFailed;
using cosim::stop;

void parse_id(const std::string& text, cosim::CardOptions& options) {
  const auto part = [&](std::string_view digits, uint16_t& value) {
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size() || value == 0)
      throw std::invalid_argument(
          "--id must be VENDOR:DEVICE, two numbers of up to four hexadecimal "
          "digits that are not 0, is '" +
          text + "'");
  };
  const std::string_view all = text;
  const std::size_t colon = all.find(':');
  part(all.substr(0, colon), options.vendor);
  part(colon == all.npos ? std::string_view{} : all.substr(colon + 1), options.device);
}

void serve(cosim::Card& card, cosim::File connection, cosim::ControlSocket* control,
           cosim::Recording* recording) {
  const uint64_t before = card.cycles();
  cosim::CardServer server(card, std::move(connection), control, recording);
  while (stop == 0 && server.step()) {
  }
  fmt::print(stderr, "sluice-card: the client {}; {} cycles\n",
             server.complaint().empty() ? "has gone" : "was sent away: " + server.complaint(),
             card.cycles() - before);
}

}  // namespace

int main(int argc, char** argv) try {
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
  cosim::CardOptions options;
  std::string id;
  std::string control_path;
  std::string recording_path;
  bool once = false;
  app.add_option("--design", name, "Board and design: " + cosim::names_of(cosim::served_designs()))
      ->capture_default_str();
  app.add_option("--socket", path, "Path of the UNIX-domain socket to create, up to 107 bytes")
      ->required();
  app.add_option("--width", options.width_bits, "Bits of the design's ports. Default: the most");
  app.add_option("--ports", options.ports,
                 "Number of the design's ports; 1 simulates faster. Default: all");
  app.add_option("--id", id,
                 "ID of a card's design, VENDOR:DEVICE in hexadecimal, as its driver expects it. "
                 "Default: 10ee:9038");
  app.add_option("--control", control_path, "Path of a socket by which tests make the card fail");
  app.add_option(
      "--record", recording_path,
      "File for a record of register accesses, the card's accesses to memory, and interrupts");
  app.add_flag("--once", once, "End when the first client has disconnected");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }

  std::unique_ptr<cosim::Card> card;
  try {
    if (!id.empty()) parse_id(id, options);
    card = cosim::make_served_card(name, options);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "sluice-card: {}\n", error.what());
    return kBadInput;
  }

  cosim::catch_signals();
  std::unique_ptr<cosim::ControlSocket> control;
  if (!control_path.empty()) control = std::make_unique<cosim::ControlSocket>(*card, control_path);
  std::unique_ptr<cosim::Recording> recording;
  if (!recording_path.empty())
    recording = std::make_unique<cosim::Recording>(recording_path, name,
                                                   [&card] { return card->cycles(); });
  cosim::UnixSocket socket(path);
  fmt::print(stderr, "sluice-card: {} waits at {}\n", name, path);
  while (stop == 0) {
    if (!cosim::ControlSocket::wait(control.get(), socket.descriptor(), -1)) continue;
    cosim::File connection = socket.accept(0);
    if (!connection) continue;
    serve(*card, std::move(connection), control.get(), recording.get());
    if (once) break;
  }
  if (recording != nullptr && !recording->finish())
    throw std::runtime_error(recording_path + " is not whole: it could not be written to its end");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "sluice-card: {}\n", error.what());
  return kFailed;
}
