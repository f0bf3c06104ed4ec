// SPDX-License-Identifier: Apache-2.0
// card-bench: how fast a card moves a virtual machine's memory on this machine.
//
// One transfer after another through one engine, each from its registers' writes to its last
// message: server, protocol, RTL and guest memory as under QEMU, without QEMU. Bytes of a loop-back
// or a copy count once. What is timed is not verified: each workload is verified first. "MB/s of
// CPU" is by the serving thread's processor time: what the card would do on a machine of its own.
//
// Prints a table; with --json the samples too. Exit status: 0; 1, a workload failed; 2, bad input.
#include <cdma.h>
#include <fmt/ranges.h>
#include <hp_stress.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "guest.hpp"
#include "sluice/cosim/card_server.hpp"
#include "sluice/cosim/hp_card.hpp"
#include "sluice/cosim/served_designs.hpp"

namespace {

using namespace sluice;
using cosim::File;
using cosim::Guest;
using cosim::HpCard;
using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr unsigned kRegisterReads = 1000;

struct Options {
  uint32_t bytes = 1u << 20;
  unsigned samples = 9;
  uint64_t seed = 1;
};

// Two buffers, at the bottom of memory and in its upper half.
struct Buffers {
  uint32_t from, to;
};

void axi_dma(Guest& guest, Buffers buffers, uint32_t bytes) {
  constexpr uint32_t kMm2s = HP_STRESS_HP_DMA(0);
  constexpr uint32_t kRun = SL_AXI_DMA_MM2S_DMACR_RS_MASK | SL_AXI_DMA_MM2S_DMACR_IOC_IRQEN_MASK;
  guest.write32(HP_STRESS_HP_CONTROL(0) + SL_HP_LANE_ROUTE_OFFSET, SL_HP_LANE_ROUTE_LOOPBACK_MASK);
  guest.write32(kMm2s + SL_AXI_DMA_S2MM_DMACR_OFFSET, kRun);
  guest.write32(kMm2s + SL_AXI_DMA_S2MM_DA_OFFSET, buffers.to);
  guest.write32(kMm2s + SL_AXI_DMA_S2MM_LENGTH_OFFSET, bytes);
  guest.write32(kMm2s + SL_AXI_DMA_MM2S_DMACR_OFFSET, kRun);
  guest.write32(kMm2s + SL_AXI_DMA_MM2S_SA_OFFSET, buffers.from);
  guest.write32(kMm2s + SL_AXI_DMA_MM2S_LENGTH_OFFSET, bytes);
  for (unsigned vector = 0; vector < 2; ++vector) guest.wait_interrupt(vector);
  guest.write32(kMm2s + SL_AXI_DMA_MM2S_DMASR_OFFSET, SL_AXI_DMA_MM2S_DMASR_IOC_IRQ_MASK);
  guest.write32(kMm2s + SL_AXI_DMA_S2MM_DMASR_OFFSET, SL_AXI_DMA_S2MM_DMASR_IOC_IRQ_MASK);
}

void axi_cdma(Guest& guest, Buffers buffers, uint32_t bytes) {
  constexpr uint32_t kCdma = CDMA_HP_CDMA(0);
  guest.write32(kCdma + SL_AXI_CDMA_CDMACR_OFFSET, SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK);
  guest.write32(kCdma + SL_AXI_CDMA_SA_OFFSET, buffers.from);
  guest.write32(kCdma + SL_AXI_CDMA_DA_OFFSET, buffers.to);
  guest.write32(kCdma + SL_AXI_CDMA_BTT_OFFSET, bytes);
  guest.wait_interrupt(0);
  guest.write32(kCdma + SL_AXI_CDMA_CDMASR_OFFSET, SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK);
}

struct Workload {
  std::string name, design;
  unsigned width_bits;
  unsigned ports;  // that are built, one of which works
  void (*transfer)(Guest&, Buffers, uint32_t bytes);
};

const std::vector<Workload> kWorkloads{
    {"AXI DMA, loop-back", "zynq7010/dma_loopback", 64, 1, axi_dma},
    {"AXI CDMA, copy", "zynq7010/cdma", 64, 1, axi_cdma},
    {"AXI DMA, loop-back", "zynq7010/dma_loopback", 64, 4, axi_dma},
    {"AXI CDMA, copy", "zynq7010/cdma", 64, 4, axi_cdma},
    {"AXI DMA, loop-back", "zynq7010/hp_stress", 32, 4, axi_dma},
};

// A card that is served by a thread of its own.
class Served {
 public:
  explicit Served(const Workload& workload)
      : card_(cosim::make_served_design(workload.design, workload.width_bits, workload.ports),
              workload.width_bits) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "a pair of sockets");
    guest_end_ = File(ends[0]);
    thread_ = std::thread([this, connection = ends[1]] {
      cosim::CardServer server(card_, File(connection));
      while (server.step()) {
      }
    });
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  // Once the guest has hung up.
  ~Served() { thread_.join(); }

  File take_guest_end() { return std::move(guest_end_); }
  [[nodiscard]] unsigned vectors() const { return card_.vectors(); }
  // Of the processor, that the serving thread has had.
  [[nodiscard]] double cpu_seconds() {
    clockid_t clock{};
    timespec time{};
    if (::pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 ||
        ::clock_gettime(clock, &time) != 0)
      throw std::runtime_error("no clock of the thread's processor time");
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

 private:
  HpCard card_;
  File guest_end_;
  std::thread thread_;
};

double seconds_of(const std::function<void()>& what) {
  const auto start = Clock::now();
  what();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void verify(Guest& guest, const Workload& workload, Buffers buffers, const Options& options) {
  const auto source = guest.memory().first(options.bytes);
  const auto target = guest.memory().last(guest.memory().size() / 2);
  std::mt19937_64 random(options.seed);
  for (std::byte& byte : source) byte = static_cast<std::byte>(random());
  std::fill(target.begin(), target.end(), std::byte{0});
  workload.transfer(guest, buffers, options.bytes);
  const auto rest = target.subspan(options.bytes);
  if (!std::equal(source.begin(), source.end(), target.begin()) ||
      std::any_of(rest.begin(), rest.end(), [](std::byte byte) { return byte != std::byte{0}; }))
    throw std::runtime_error("the bytes that arrived are not those that were sent");
}

ordered_json measure(const Workload& workload, const Options& options) {
  Served served(workload);
  Guest guest(served.take_guest_end(), std::size_t{4} * options.bytes, served.vectors());
  const Buffers buffers{Guest::kMemoryAddress, Guest::kMemoryAddress + 2 * options.bytes};
  verify(guest, workload, buffers, options);

  std::vector<double> mb_s;
  const double cpu_before = served.cpu_seconds();
  for (unsigned i = 0; i < options.samples; ++i) {
    const double seconds = seconds_of([&] { workload.transfer(guest, buffers, options.bytes); });
    mb_s.push_back(options.bytes / seconds / 1e6);
  }
  const double cpu_mb_s =
      options.bytes * options.samples / (served.cpu_seconds() - cpu_before) / 1e6;
  const double read_us = seconds_of([&] {
                           for (unsigned i = 0; i < kRegisterReads; ++i)
                             guest.read32(HP_STRESS_PAGE_OFFSET);
                         }) *
                         1e6 / kRegisterReads;
  std::vector<double> sorted = mb_s;
  std::sort(sorted.begin(), sorted.end());
  return {{"name", workload.name},
          {"design", workload.design},
          {"width_bits", workload.width_bits},
          {"ports", workload.ports},
          {"bytes", options.bytes},
          {"verified", true},
          {"mb_s",
           {{"min", sorted.front()},
            {"median", sorted[sorted.size() / 2]},
            {"max", sorted.back()},
            {"samples", mb_s}}},
          {"mb_per_cpu_s", cpu_mb_s},
          {"register_read_us", read_us}};
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

ordered_json machine() {
  utsname name{};
  ::uname(&name);
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"system", fmt::format("{} {} {}", name.sysname, name.release, name.machine)},
          {"compiler", __VERSION__}};
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"How fast a card moves a virtual machine's memory on this machine, without QEMU."};
  Options options;
  std::string json;
  std::string commit;
  app.add_option("--bytes", options.bytes, "of a transfer, a multiple of 4096")
      ->check(CLI::Range(4096u, 1u << 25))
      ->capture_default_str();
  app.add_option("--samples", options.samples, "timed transfers of a workload")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the bytes")->capture_default_str();
  app.add_option("--json", json, "file for the samples");
  app.add_option("--commit", commit, "to note in the file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
  options.bytes &= ~4095u;

  ordered_json results = ordered_json::array();
  fmt::print("{:<20}{:<24}{:>6}{:>7}{:>8}{:>16}{:>14}{:>18}\n", "", "design", "bits", "ports",
             "MB/s", "min to max", "MB/s of CPU", "register read us");
  for (const Workload& workload : kWorkloads) {
    results.push_back(measure(workload, options));
    const auto& rate = results.back()["mb_s"];
    const std::string range =
        fmt::format("{:.1f} to {:.1f}", rate["min"].get<double>(), rate["max"].get<double>());
    fmt::print("{:<20}{:<24}{:>6}{:>7}{:>8.1f}{:>16}{:>14.1f}{:>18.1f}\n", workload.name,
               workload.design, workload.width_bits, workload.ports, rate["median"].get<double>(),
               range, results.back()["mb_per_cpu_s"].get<double>(),
               results.back()["register_read_us"].get<double>());
    std::fflush(stdout);
  }
  if (!json.empty()) {
    std::ofstream file(json);
    file << ordered_json{{"machine", machine()},
                         {"commit", commit},
                         {"seed", options.seed},
                         {"workloads", results}}
                .dump(1)
         << "\n";
    if (!file.flush()) throw std::runtime_error("cannot write " + json);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "card-bench: {}\n", error.what());
  return kFailed;
}
