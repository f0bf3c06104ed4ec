// SPDX-License-Identifier: Apache-2.0
// sluice-serve: the program behind `sluice serve`.
#include <fmt/format.h>
#include <sluice.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "memory_board.hpp"
#include "server.hpp"
#include "tcp_place.hpp"

namespace sluice::serve {
namespace {

using nlohmann::json;

constexpr int kWrongInput = 2;
constexpr unsigned kMostClients = 1000;

struct Options {
  std::vector<std::string> boards;
  std::string listen = "127.0.0.1";
  unsigned clients = Limits{}.clients;
  uint64_t bytes = Limits{}.bytes;
  unsigned stall_s = 30;
  bool free_running = false, as_json = false, memory = false;
};

// Of a server: port 0 is any that is free.
tcp::Place parse_listen(const std::string& text) {
  if (const std::optional<tcp::Place> place = tcp::parse_place(text)) return *place;
  throw Error(EINVAL,
              "--listen {} is not of the form ADDRESS or ADDRESS:PORT, such as 127.0.0.1:{}, "
              "0.0.0.0 or [::1]:{}",
              text, tcp::kDefaultPort, tcp::kDefaultPort);
}

// What clients call a board: NAME of NAME=URI; else a simulated one's design, a device's own name.
std::string name_of(std::string_view& uri) {
  const size_t equals = uri.find('='), colon = uri.find(':');
  if (equals != std::string_view::npos && (colon == std::string_view::npos || equals < colon)) {
    const std::string name(uri.substr(0, equals));
    uri.remove_prefix(equals + 1);
    if (name.empty() || name.find_first_of("/?#") != std::string::npos)
      throw Error(EINVAL, "'{}' is not a name for a board; it must not be empty or have / ? #",
                  name);
    return name;
  }
  if (uri.starts_with("tcp:")) throw Error(EINVAL, "{} is served by another server already", uri);
  std::string_view name = uri.substr(0, uri.find('?'));
  name.remove_prefix(std::min(name.size(), name.find_first_of(":") + 1));
  const size_t slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

ServedBoard open_served(const std::string& text, bool free_running) {
  std::string_view uri = text;
  ServedBoard board;
  board.name = name_of(uri);
  board.uri = uri;
  board.free_running = free_running;
  sluice_board* opened = nullptr;
  const int result = sluice_board_open(board.uri.c_str(), &opened);
  if (result < 0) throw Error(-result, "{}: {}", board.uri, sluice_last_error());
  board.board.reset(opened);
  return board;
}

std::vector<ServedBoard> open_boards(const Options& options) {
  std::vector<ServedBoard> boards;
  for (const std::string& text : options.boards)
    boards.push_back(open_served(text, options.free_running));
  if (options.memory) {
    ServedBoard memory;
    memory.name = memory.uri = "memory";
    memory.board = memory_board();
    boards.push_back(std::move(memory));
  }
  if (boards.empty())
    throw Error(EINVAL, "no board to serve; give one, such as sim:zynq7010/capture");
  for (size_t i = 0; i < boards.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (boards[i].name == boards[j].name)
        throw Error(EINVAL, "two boards have the name {}; give one another as NAME={}",
                    boards[i].name, boards[i].uri);
  return boards;
}

// A log that is full, or that nobody reads any longer, ends no capture.
void put(FILE* file, const std::string& line) {
  (void)std::fputs((line + "\n").c_str(), file);
  (void)std::fflush(file);
}

void say(const json& event, const std::string& sentence, bool as_json, FILE* words) {
  if (as_json)
    put(stdout, event.dump(-1, ' ', true, json::error_handler_t::replace));
  else
    put(words, sentence);
}

// Those that end the server; not SIGHUP where nohup has it ignored.
std::vector<int> ending_signals() {
  std::vector<int> signals{SIGINT, SIGTERM};
  struct sigaction hangup{};
  if (::sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
    signals.push_back(SIGHUP);
  return signals;
}

void serve(const Options& options) {
  const tcp::Place place = parse_listen(options.listen);
  Limits limits;
  limits.clients = options.clients;
  limits.bytes = options.bytes;
  limits.stall = std::chrono::seconds(options.stall_s);
  std::vector<ServedBoard> boards = open_boards(options);
  json names = json::array();
  std::string places;
  const std::vector<std::string> served = [&] {
    std::vector<std::string> found;
    for (const ServedBoard& board : boards) found.push_back(board.name + " is " + board.uri);
    return found;
  }();
  for (const ServedBoard& board : boards)
    names.push_back({{"name", board.name}, {"uri", board.uri}});
  const auto as_json = options.as_json;
  Server server(std::move(boards), place.host, place.port, limits,
                [as_json](const json& event, const std::string& sentence) {
                  say(event, sentence, as_json, stderr);
                });
  const bool v6 = place.host.find(':') != std::string::npos;
  const std::string at = v6 ? fmt::format("[{}]:{}", place.host, server.port())
                            : fmt::format("{}:{}", place.host, server.port());
  for (const json& entry : names)
    places += fmt::format("\n  tcp:{}/{} is {}", at, entry["name"].get<std::string>(),
                          entry["uri"].get<std::string>());
  say({{"event", "listening"},
       {"address", place.host},
       {"port", server.port()},
       {"loopback", server.loopback()},
       {"boards", names}},
      fmt::format("listening at {}{}", at, places), as_json, stdout);
  if (!server.loopback() && !as_json)
    put(stderr, fmt::format("every program that reaches {} can capture and change settings, "
                            "without encryption or a password; an SSH tunnel is safer",
                            at));
  std::signal(SIGPIPE, SIG_IGN);
  server.run(ending_signals());
  say({{"event", "stopped"}}, "stopped", as_json, stderr);
}

int run(int count, char** words) {
  Options options;
  CLI::App app("Serve captures of boards to programs on other machines, as tcp:HOST/BOARD.",
               "sluice serve");
  app.set_version_flag("--version", SLUICE_VERSION);
  app.add_option("BOARD", options.boards, "Board to serve: [NAME=]URI");
  app.add_option("--listen", options.listen, "Address of this machine, with or without a port");
  app.add_option("--max-clients", options.clients, "Clients at once")
      ->check(CLI::Range(1U, kMostClients));
  app.add_option("--limit-bytes", options.bytes, "Most bytes of a client's captures in flight");
  app.add_option("--stall-seconds", options.stall_s,
                 "Seconds after which a client that receives nothing is disconnected")
      ->check(CLI::Range(1U, 3600U));
  app.add_flag("--free-running", options.free_running,
               "Let simulated time pass also between calls of clients");
  app.add_flag("--json", options.as_json, "Print a JSON object for each event");
  app.add_flag("--benchmark-memory", options.memory,
               "Serve also the board `memory`, a stream from this process's memory");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    put(stderr, fmt::format("sluice: {} (see `sluice serve --help`)", error.what()));
    return kWrongInput;
  }
  try {
    serve(options);
  } catch (const Error& error) {
    put(stderr, fmt::format("sluice: {}", error.what()));
    return kWrongInput;
  } catch (const std::exception& error) {
    put(stderr, fmt::format("sluice: {}", error.what()));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace sluice::serve

int main(int count, char** words) { return sluice::serve::run(count, words); }
