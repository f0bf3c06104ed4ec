// SPDX-License-Identifier: Apache-2.0
// sluice-pl: a design of the catalogue as the programmable logic of a Zynq in QEMU.
//
// Exit status: 0, ended by a signal, or the machine has gone; 1, the socket or the design failed;
// 2, bad input.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "program.hpp"
#include "sluice/cosim/file.hpp"
#include "sluice/cosim/pl_board.hpp"
#include "sluice/cosim/processor_times.hpp"
#include "sluice/cosim/served_designs.hpp"
#include "sluice/cosim/unix_socket.hpp"
#include "sluice/model/settings.hpp"
#include "sluice/sim/board.hpp"
#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/transaction_board.hpp"

namespace {

using namespace sluice;

using cosim::kBadInput;
using cosim::kFailed;
using cosim::stop;

struct Options {
  std::string design = "zynq7010/hp_stress";
  std::string socket;
  std::string memory;
  std::string level = "rtl";
  std::string processor = "instructions";
  std::string counts;                 // a file
  std::vector<std::string> settings;  // NAME=VALUE
  unsigned width_bits = 0;
  double clock_mhz = 0;
};

// The machine's memory, as large as the board's.
cosim::File open_memory(const std::string& path, uint64_t bytes) {
  cosim::File file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0)
    throw std::invalid_argument(fmt::format("--memory {}: {}", path, std::strerror(errno)));
  if (static_cast<uint64_t>(status.st_size) != bytes)
    throw std::invalid_argument(fmt::format("--memory {} has {} bytes; the board's memory has {}",
                                            path, status.st_size, bytes));
  return file;
}

unsigned choose_width(const sim::DesignEntry& design, unsigned given_bits) {
  if (given_bits == 0) return design.widths_bits.back();
  for (const unsigned width : design.widths_bits)
    if (width == given_bits) return width;
  throw std::invalid_argument(fmt::format("--width: {} is not built for {} bits; allowed: {}",
                                          design.name, given_bits,
                                          fmt::join(design.widths_bits, ", ")));
}

double choose_clock(const sim::BoardEntry& board, double given_mhz) {
  if (given_mhz == 0) return board.default_clock_mhz;
  if (given_mhz < board.min_clock_mhz || given_mhz > board.max_clock_mhz)
    throw std::invalid_argument(fmt::format("--clock must be {} to {} MHz, is {}",
                                            board.min_clock_mhz, board.max_clock_mhz, given_mhz));
  return given_mhz;
}

using Settings = model::Settings<model::Zynq7000Params>;

// Those of the chip, with what --set changes.
Settings choose_settings(const Options& options, const sim::BoardEntry& board,
                         const sim::DesignEntry& design, unsigned width_bits) {
  Settings settings{.memory_system = std::get<model::Zynq7000Params>(board.memory_system),
                    .engine = {}};
  if (design.transactions) settings.engine = design.transactions->engine;
  settings.engine.port_bits = width_bits;
  for (const std::string& given : options.settings) {
    const auto equals = given.find('=');
    const std::string_view name = std::string_view(given).substr(0, equals);
    const char* const first = equals == std::string::npos ? "" : given.data() + equals + 1;
    const char* const end = equals == std::string::npos ? first : given.data() + given.size();
    uint32_t value = 0;
    const auto [rest, error] = std::from_chars(first, end, value);
    if (error == std::errc::result_out_of_range) value = UINT32_MAX;  // the model has the range
    if ((error != std::errc() && error != std::errc::result_out_of_range) || rest != end)
      throw std::invalid_argument(
          fmt::format("--set takes NAME=VALUE, a whole number such as hp0_qos=15, not {}", given));
    if (options.level == "rtl" && name.starts_with("engine."))
      throw std::invalid_argument(fmt::format(
          "--set {} is of the transaction-level engines; give --level transaction", name));
    try {
      model::apply(settings, name, value);
    } catch (const std::invalid_argument& refusal) {
      throw std::invalid_argument(fmt::format("--set: {}", refusal.what()));
    }
  }
  return settings;
}

std::unique_ptr<sim::LogicBoard> make_board(const Options& options, const Settings& settings,
                                            const sim::DesignEntry& design, unsigned width_bits,
                                            double clock_mhz) {
  const model::Zynq7000Params& params = settings.memory_system;
  if (options.level == "rtl" && design.has_rtl())
    return std::make_unique<sim::Board>(params, design.make(width_bits),
                                        design.memory_port_bits(width_bits), clock_mhz);
  if (!design.transactions)
    throw std::invalid_argument(
        fmt::format("--level: {} has RTL only; allowed: rtl", options.design));
  sim::TransactionDesign transactions = *design.transactions;
  transactions.engine = settings.engine;
  return std::make_unique<sim::TransactionBoard>(params, transactions, clock_mhz);
}

bool exchange(int socket, void* data, size_t bytes, bool out) {
  auto* next = static_cast<std::byte*>(data);
  while (bytes > 0 && stop == 0) {
    const ssize_t done =
        out ? ::send(socket, next, bytes, MSG_NOSIGNAL) : ::recv(socket, next, bytes, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    next += done;
    bytes -= static_cast<size_t>(done);
  }
  return stop == 0;
}

// What the plugin is told of the processor.
sluice_pl_processor choose_processor(const std::string& given,
                                     const model::Zynq7000Params& params) {
  if (given == "cortex-a9") return cosim::cortex_a9_times(params);
  if (given != "instructions")
    throw std::invalid_argument(
        fmt::format("--processor is {}; allowed: instructions, cortex-a9", given));
  return {};
}

// Until the machine has gone, or a signal.
void serve(cosim::PlBoard& board, const sluice_pl_processor& processor, int socket) {
  sluice_pl_request request{};
  if (!exchange(socket, &request, sizeof request, false)) return;
  if (request.kind != SLUICE_PL_HELLO || request.value != SLUICE_PL_GREETING)
    throw std::runtime_error("the client is not a plugin of this kind");
  sluice_pl_hello hello = board.hello();
  hello.processor = processor;
  if (!exchange(socket, &hello, sizeof hello, true)) return;
  while (exchange(socket, &request, sizeof request, false)) {
    sluice_pl_reply reply = board.answer(request);
    if (!exchange(socket, &reply, sizeof reply, true)) return;
  }
}

// How often what happened, when all is over.
void write_counts(const sim::LogicBoard& board, const std::string& path, std::ofstream& file) {
  const model::Statistics memory = board.memory_statistics();
  const auto sum = [](const auto& of_ports) {
    return std::accumulate(of_ports.begin(), of_ports.end(), uint64_t{0});
  };
  file << fmt::format(
      "{{\"reads\": {}, \"writes\": {}, \"rows\": {}, \"refreshes\": {}, "
      "\"hp_read_bytes\": {}, \"hp_write_bytes\": {}, \"board_ps\": {}}}\n",
      memory.reads, memory.writes, memory.row_misses + memory.row_empties, memory.refreshes,
      sum(memory.hp_read_bytes), sum(memory.hp_write_bytes), board.now_ps());
  if (!file.flush()) throw std::runtime_error(fmt::format("--counts {} cannot be written", path));
}

void run(const Options& options) {
  if (options.level != "rtl" && options.level != "transaction")
    throw std::invalid_argument(
        fmt::format("--level is {}; allowed: rtl, transaction", options.level));
  const cosim::ServedDesigns offered = cosim::zynq_designs();
  const cosim::ServedDesign& one = cosim::find_design(offered, options.design);
  const unsigned width_bits = choose_width(*one.entry, options.width_bits);
  const double clock_mhz = choose_clock(*one.board, options.clock_mhz);
  Settings settings = choose_settings(options, *one.board, *one.entry, width_bits);
  model::Zynq7000Params& params = settings.memory_system;
  const sluice_pl_processor processor = choose_processor(options.processor, params);
  const cosim::File memory = open_memory(options.memory, params.memory_bytes);
  params.memory_file = memory.get();
  const auto board = make_board(options, settings, *one.entry, width_bits, clock_mhz);
  cosim::PlBoard door(*board, one.entry->port_count != 0, [](const std::string& sentence) {
    fmt::print(stderr, "sluice-pl: {}\n", sentence);
  });

  std::ofstream counts;
  if (!options.counts.empty()) {
    counts.open(options.counts);
    if (!counts)
      throw std::invalid_argument(
          fmt::format("--counts {}: {}", options.counts, std::strerror(errno)));
  }

  cosim::UnixSocket socket(options.socket);
  fmt::print(stderr, "sluice-pl: {} at {} MHz waits at {}\n", options.design, clock_mhz,
             options.socket);
  cosim::File connection;
  while (stop == 0 && !connection) connection = socket.accept(-1);
  if (!connection) return;
  serve(door, processor, connection.get());
  if (!options.counts.empty()) write_counts(*board, options.counts, counts);
  fmt::print(stderr, "sluice-pl: the machine has gone after {:.6f} s of its clock, {} cycles\n",
             static_cast<double>(board->now_ps()) * 1e-12, board->cycles());
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{
      "Runs a design of the catalogue as the programmable logic of QEMU's machine "
      "xilinx-zynq-a9, on the machine's clock.\n\n"
      "Example:\n"
      "  truncate -s 512M /dev/shm/zynq\n"
      "  sluice-pl --design zynq7010/cdma --memory /dev/shm/zynq --socket /tmp/pl.sock &\n"
      "  qemu-system-arm -M xilinx-zynq-a9,memory-backend=ram -m 512M -object \\\n"
      "    memory-backend-file,id=ram,size=512M,share=on,mem-path=/dev/shm/zynq \\\n"
      "    -icount shift=1,sleep=off -plugin pl.so,socket=/tmp/pl.sock ..."};
  Options options;
  app.add_option("--design", options.design,
                 "Board and design: " + cosim::names_of(cosim::zynq_designs()))
      ->capture_default_str();
  app.add_option("--memory", options.memory, "File that is also the machine's memory")->required();
  app.add_option("--socket", options.socket,
                 "Path of the UNIX-domain socket to create, up to 107 bytes")
      ->required();
  app.add_option("--level", options.level,
                 "rtl, or transaction (engines without RTL, faster, for designs that have it)")
      ->capture_default_str();
  app.add_option("--processor", options.processor,
                 "Model of the processor's time: instructions (each takes the same time), or "
                 "cortex-a9 (with caches, TLBs and memory, slower to simulate)")
      ->capture_default_str();
  app.add_option("--counts", options.counts,
                 "JSON file for counts of the memory's work for the logic and the DMA controller, "
                 "written when the machine ends");
  app.add_option("--set", options.settings,
                 "Setting of the memory system, NAME=VALUE, such as hp0_qos=15. Repeatable "
                 "(docs/explanation/memory-model.md)");
  app.add_option("--width", options.width_bits, "Bits of the design's ports. Default: the most");
  app.add_option("--clock", options.clock_mhz, "Clock of the logic in MHz. Default: the board's");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  cosim::catch_signals();
  try {
    run(options);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "sluice-pl: {}\n", error.what());
    return kBadInput;
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "sluice-pl: {}\n", error.what());
  return kFailed;
}
