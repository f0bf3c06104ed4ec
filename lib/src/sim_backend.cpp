// SPDX-License-Identifier: Apache-2.0
#include "sim_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <variant>

#include "address_space.hpp"
#include "error.hpp"
#include "interrupt_events.hpp"
#include "platform.hpp"
#include "register_board.hpp"
#include "sluice/model/pcie_axi.hpp"
#include "sluice/model/settings.hpp"
#include "sluice/sim/catalogue.hpp"
#include "sluice/sim/pcie_board.hpp"
#include "sluice/sim/transaction_board.hpp"
#include "sluice/sim/transaction_card.hpp"
#include "uri.hpp"

namespace sluice {
namespace {

constexpr uint64_t kPsPerNs = 1000;
constexpr uint32_t kMaxStartCostNs = 1'000'000;
constexpr unsigned kDefaultWidthBits = 64;

// What the link of a card counts, and what the model's host is.
struct LinkCounter {
  Platform::Counter counter;
  uint64_t (*value)(const model::PcieParams& params, const model::PcieLink::Statistics& counted);
};
#define SLUICE_LINK_COUNTER(name, field, text)                                      \
  {{"link." name, text},                                                            \
   [](const model::PcieParams&, const model::PcieLink::Statistics& s) -> uint64_t { \
     return s.field;                                                                \
   }}
constexpr LinkCounter kLinkCounters[] = {
    {{"link.raw_bytes_per_s", "bytes a second that a direction of the link carries"},
     [](const model::PcieParams& params, const model::PcieLink::Statistics&) {
       return static_cast<uint64_t>(std::llround(params.raw_mb_s() * 1e6));
     }},
    {{"cpu.copy_bytes_per_s", "bytes a second that one core of the host copies inside its memory"},
     [](const model::PcieParams& params, const model::PcieLink::Statistics&) {
       return uint64_t{params.cpu_copy_mb_s} * 1'000'000;
     }},
    SLUICE_LINK_COUNTER("up_bytes", up_bytes, "bytes sent to the host, with all overhead"),
    SLUICE_LINK_COUNTER("down_bytes", down_bytes, "bytes sent to the card, with all overhead"),
    SLUICE_LINK_COUNTER("written_bytes", written_bytes, "payload of the card's writes"),
    SLUICE_LINK_COUNTER("read_bytes", read_bytes, "payload of the card's reads"),
    SLUICE_LINK_COUNTER("lost_writes", lost_writes, "writes of the card to where nothing is"),
    SLUICE_LINK_COUNTER("iotlb_misses", iotlb_misses, "translations that the IOMMU had to fetch"),
    SLUICE_LINK_COUNTER("tags_ns", tags_ps / kPsPerNs, "ns in which a read waited for a tag"),
    SLUICE_LINK_COUNTER("credits_ns", credits_ps / kPsPerNs,
                        "ns in which a packet of the card waited for credits"),
    SLUICE_LINK_COUNTER("completion_ns", completion_ps / kPsPerNs,
                        "ns in which reads were out and no completion came in"),
};
#undef SLUICE_LINK_COUNTER

// What goes wrong inside a simulated board is an I/O error to the program.
template <typename Call>
auto guarded(Call call) {
  try {
    return call();
  } catch (const sim::BusError& error) {
    throw Error(EIO, "{}", error.what());
  } catch (const sim::DesignFault& error) {
    throw Error(EIO, "the simulated design failed a check of its own: {}", error.what());
  } catch (const sim::NotModelled& error) {
    throw Error(ENOTSUP, "level=transaction: {}", error.what());
  } catch (const model::AxiProtocolError& error) {
    throw Error(EIO, "the simulated design broke the protocol of a port: {}", error.what());
  }
}

// The GPU beside a card.
struct SimGpu final : PlatformGpu {
  [[nodiscard]] Window memory() const override {
    model::Memory& memory = board->gpu()->memory();
    return {.first = memory.base(),
            .bytes = memory.size_bytes(),
            .page_bytes = AddressSpace::kPageBytes};
  }
  [[nodiscard]] unsigned line() const override { return sim::CardBoard::kGpuLine; }
  void copy(uint64_t source, uint64_t destination, uint64_t bytes) override {
    board->copy_by_gpu({.source = source, .destination = destination, .bytes = bytes});
  }
  [[nodiscard]] int status() const override {
    switch (board->gpu_status()) {
      case model::Response::okay: return 0;
      case model::Response::decerr: return -EFAULT;
      default: return -EIO;
    }
  }
  sim::CardBoard* board = nullptr;
};

// Board is sim::Board or sim::PcieBoard (RTL), sim::TransactionBoard or sim::TransactionCard: alike
// to a driver.
template <typename Board>
class SimPlatform final : public Platform {
  static constexpr bool kIsCard = requires(Board& board) { board.gpu(); };
  static constexpr bool kHasRam = requires(Board& board) { board.ram_bytes(); };

 public:
  // The board's own arguments follow.
  template <typename... Args>
  explicit SimPlatform(uint64_t reserved_bytes, Args&&... args)
      : board_(std::forward<Args>(args)...), reserved_bytes_(reserved_bytes) {
    if constexpr (kIsCard) gpu_.board = &board_;
  }

  uint32_t read32(uint32_t offset) override {
    return pass_time([&] { return board_.read32(offset); });
  }
  void write32(uint32_t offset, uint32_t value) override { write_bytes(offset, value, 0xf); }
  void write_bytes(uint32_t offset, uint32_t value, uint8_t enables) override {
    pass_time([&] { board_.write32(offset, value, enables); });
  }
  [[nodiscard]] uint64_t interrupts() const override { return board_.interrupts(); }
  [[nodiscard]] uint64_t interrupt_rise_ns(unsigned line) const override {
    return board_.interrupt_rise_ps(line) / kPsPerNs;
  }
  void wait_interrupt(uint64_t mask, uint64_t deadline_ns) override {
    pass_time([&] { board_.run_until_interrupt(mask, to_ps(deadline_ns)); });
  }
  void acknowledge(uint64_t mask) override {
    if constexpr (requires { board_.acknowledge(mask); }) {
      board_.acknowledge(mask);
      events_.update(board_.interrupts());
    }
  }
  void wait_change(std::span<const MemoryWord> words, uint64_t mask,
                   uint64_t deadline_ns) override {
    if constexpr (kIsCard) {
      std::vector<typename Board::Watched> watched;
      for (const MemoryWord& word : words) watched.push_back({word.address, word.seen});
      pass_time([&] { board_.run_until_change(watched, mask, to_ps(deadline_ns)); });
    } else {
      throw Error(ENOTSUP, "this board's engines tell of their ends by interrupts");
    }
  }
  [[nodiscard]] std::span<const Counter> counters() const override {
    if constexpr (requires { board_.link(); }) {
      static const auto table = [] {
        std::array<Counter, std::size(kLinkCounters)> counters;
        std::ranges::transform(kLinkCounters, counters.begin(), &LinkCounter::counter);
        return counters;
      }();
      return table;
    }
    return {};
  }
  [[nodiscard]] uint64_t counter(size_t index) const override {
    if constexpr (requires { board_.link(); })
      return kLinkCounters[index].value(board_.link().params(), board_.link().statistics());
    return Platform::counter(index);
  }
  [[nodiscard]] uint64_t card_bytes() const override {
    if constexpr (requires { board_.card_memory(); }) return board_.card_memory().size_bytes();
    if constexpr (kHasRam) return board_.ram_bytes();
    return 0;
  }
  [[nodiscard]] uint64_t card_part_bytes() const override {
    if constexpr (kHasRam) return board_.lane_ram_bytes();
    return card_bytes();
  }
  void write_card(uint64_t offset, std::span<const uint8_t> data) override {
    if constexpr (requires { board_.store_card(offset, data); })
      pass_time([&] { board_.store_card(offset, data); });
    if constexpr (kHasRam)
      for_each_word(offset, data.size(), [&](uint32_t at, size_t from, unsigned first, unsigned n) {
        uint32_t word = 0;
        std::memcpy(&word, data.data() + from, n);
        write_bytes(at, word << (8 * first), static_cast<uint8_t>(((1U << n) - 1) << first));
      });
  }
  void read_card(uint64_t offset, std::span<uint8_t> data) override {
    if constexpr (requires { board_.load_card(offset, data); })
      pass_time([&] { board_.load_card(offset, data); });
    if constexpr (kHasRam)
      for_each_word(offset, data.size(), [&](uint32_t at, size_t to, unsigned first, unsigned n) {
        const uint32_t word = read32(at) >> (8 * first);
        std::memcpy(data.data() + to, &word, n);
      });
  }
  [[nodiscard]] uint64_t card_address() const override {
    if constexpr (kIsCard) return board_.params().bar_base[model::PcieAxi::kMemoryBar];
    if constexpr (kHasRam) return board_.ram_bytes() == 0 ? 0 : sim::kRamAddress;
    return 0;
  }
  [[nodiscard]] PlatformGpu* gpu() override {
    if constexpr (kIsCard) return board_.gpu() == nullptr ? nullptr : &gpu_;
    return nullptr;
  }
  int interrupt_descriptor(uint64_t mask) override {
    return events_.descriptor(mask, board_.interrupts());
  }
  [[nodiscard]] uint64_t now_ns() const override { return board_.now_ps() / kPsPerNs; }
  void sleep_ns(uint64_t ns) override {
    pass_time([&] { board_.run_until(to_ps(now_ns() + ns)); });
  }
  [[nodiscard]] bool simulated_time() const override { return true; }
  uint64_t cpu_work(const sluice_cpu_work& work, uint64_t source, uint64_t destination) override {
    if constexpr (requires { board_.run_cpu(model::CpuProgram{}); }) {
      using Kind = model::CpuProgram::Kind;
      const Kind kind = work.kind == SLUICE_CPU_COPY   ? Kind::copy
                        : work.kind == SLUICE_CPU_READ ? Kind::read
                                                       : Kind::chase;
      const model::CpuProgram program{.kind = kind,
                                      .source = source,
                                      .destination = destination,
                                      .bytes = work.bytes,
                                      .cached = work.uncached == 0,
                                      .stride = work.stride,
                                      .loads = work.loads};
      try {
        return pass_time([&] { return board_.run_cpu(program); });
      } catch (const std::invalid_argument& error) {
        throw Error(EINVAL, "{}", error.what());
      } catch (const std::logic_error& error) {
        throw Error(EBUSY, "{}", error.what());
      }
    } else {
      return Platform::cpu_work(work, source, destination);
    }
  }
  [[nodiscard]] Window memory() const override {
    model::Memory& memory = board_.memory();
    return {.first = memory.base() + reserved_bytes_,
            .bytes = memory.size_bytes() - reserved_bytes_,
            .page_bytes = AddressSpace::kPageBytes};
  }
  [[nodiscard]] std::optional<Window> on_chip_memory() const override {
    const model::Memory* memory = on_chip();
    if (memory == nullptr) return std::nullopt;
    return Window{.first = memory->base(),
                  .bytes = memory->size_bytes(),
                  .page_bytes = AddressSpace::kPageBytes};
  }
  // All of it is theirs from the beginning.
  uint8_t* provide(uint64_t address, uint64_t bytes) override {
    if constexpr (kIsCard) return board_.bytes_at(address, bytes);
    if constexpr (kHasRam) {
      const uint64_t offset = address - sim::kRamAddress;
      if (address >= sim::kRamAddress && offset < board_.ram_bytes()) {
        if (uint8_t* data = board_.ram(offset, bytes)) return data;
        throw Error(EINVAL,
                    "{} bytes at {} are not all in one engine's block RAM, of which each has {}",
                    bytes, offset, board_.lane_ram_bytes());
      }
    }
    return memory_at(address).host(address, bytes);
  }
  void withdraw(uint64_t /*address*/) override {}
  [[nodiscard]] bool lends() const override { return kIsCard; }
  uint64_t lend(int file, uint64_t bytes) override {
    if constexpr (kIsCard) {
      try {
        return board_.lend(file, bytes);
      } catch (const std::system_error& error) {
        throw Error(error.code().value(), "a simulated card reaches memory that can be mapped: {}",
                    error.what());
      } catch (const std::invalid_argument& error) {
        throw Error(ENOMEM, "{}", error.what());
      }
    }
    return Platform::lend(file, bytes);
  }
  void take_back(uint64_t address) override {
    if constexpr (kIsCard) board_.drop(address);
  }
  [[nodiscard]] MemoryFile memory_file() override { return file_of(board_.memory()); }
  [[nodiscard]] MemoryFile memory_file_at(uint64_t address) override {
    return file_of(memory_at(address));
  }

 private:
  // nullptr: the board has none.
  [[nodiscard]] model::Memory* on_chip() const {
    if constexpr (!kIsCard) return board_.on_chip_memory();
    return nullptr;
  }
  [[nodiscard]] model::Memory& memory_at(uint64_t address) const {
    model::Memory* memory = on_chip();
    return memory != nullptr && memory->contains(address, 1) ? *memory : board_.memory();
  }
  static MemoryFile file_of(const model::Memory& memory) {
    return {.descriptor = memory.file(), .first = memory.base(), .bytes = memory.size_bytes()};
  }
  // A call in which time passes, after which the lines are as they were left even if it failed.
  template <typename Call>
  auto pass_time(Call call) {
    struct Update {
      SimPlatform& platform;
      ~Update() { platform.events_.update(platform.board_.interrupts()); }
    };
    const Update update{*this};
    return guarded(call);
  }

  // What an access of the CPU to block RAM is, on the control port: call(offset of the word, bytes
  // before it in the range, its first byte that is of the range, how many are).
  template <typename Call>
  static void for_each_word(uint64_t offset, size_t bytes, Call call) {
    constexpr unsigned kWord = 4;
    for (size_t done = 0; done < bytes;) {
      const auto at = static_cast<uint32_t>(sim::kRamOffset + offset + done);
      const unsigned first = at % kWord;
      const auto count = static_cast<unsigned>(std::min<size_t>(kWord - first, bytes - done));
      call(at - first, done, first, count);
      done += count;
    }
  }

  static uint64_t to_ps(uint64_t ns) {
    return ns > UINT64_MAX / kPsPerNs ? UINT64_MAX : ns * kPsPerNs;
  }

  mutable Board board_;
  SimGpu gpu_;  // of a card's board that has one
  InterruptEvents events_;
  uint64_t reserved_bytes_;
};

uint32_t khz(double mhz) { return static_cast<uint32_t>(std::lround(mhz * 1000.0)); }

std::vector<sluice_board_description> enumerate() {
  std::vector<sluice_board_description> descriptions;
  for (const sim::BoardEntry& board : sim::catalogue()) {
    for (const sim::DesignEntry& design : board.designs) {
      sluice_board_description& entry = descriptions.emplace_back();
      assign(entry.uri, fmt::format("sim:{}/{}", board.name, design.name));
      assign(entry.board, board.name);
      assign(entry.board_text, board.text);
      assign(entry.design, design.name);
      assign(entry.design_text, design.text);
      entry.port_count = design.port_count;
      assign(entry.port_name, design.port_name);
      entry.has_rtl = design.has_rtl();
      entry.has_transactions = design.has_transactions();
      for (const unsigned bits : design.widths_bits)
        entry.width_mask |= 1U << static_cast<unsigned>(std::countr_zero(bits / 8));
      std::visit(
          [&](const auto& params) {
            entry.ddr_peak_bytes_per_s =
                static_cast<uint64_t>(std::llround(params.peak_mb_s() * 1e6));
            entry.memory_bytes = params.memory_bytes - board.reserved_bytes;
          },
          board.memory_system);
      entry.max_transfer_bytes = design.max_transfer_bytes;
      entry.default_clock_khz = khz(board.default_clock_mhz);
      entry.min_clock_khz = khz(board.min_clock_mhz);
      entry.max_clock_khz = khz(board.max_clock_mhz);
      entry.default_start_cost_ns =
          static_cast<uint32_t>(std::lround(board.start_cost.ns_at(board.default_clock_mhz)));
      entry.start_cost_clocks = board.start_cost.clocks;
      entry.linux_start_cost_ns = board.linux_start_cost_ns;
      entry.full_rate = design.full_rate;
      const auto ppm = [](double percent) {
        return static_cast<uint32_t>(std::lround(percent * 1e4));
      };
      entry.overload_error_ppm = ppm(board.overload_error_percent);
      entry.worst_overload_error_ppm = ppm(board.worst_overload_error_percent);
    }
  }
  return descriptions;
}

// The entry of that name, or Error(ENODEV) that lists the names there are.
template <typename Entry>
const Entry& find(const std::vector<Entry>& entries, const char* kind, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  if (found != entries.end()) return *found;
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  throw Error(ENODEV, "unknown {} '{}'; allowed: {}", kind, name, fmt::join(names, ", "));
}

// A chip's model with what the URI's model.NAME keys change.
template <typename Params>
model::Settings<Params> take_settings(Uri& uri, const Params& memory_system,
                                      const sim::DesignEntry& design, unsigned width_bits,
                                      bool transactions) {
  model::Settings<Params> settings{.memory_system = memory_system, .engine = {}};
  if (design.transactions) settings.engine = design.transactions->engine;
  if (design.has_rtl()) settings.engine.port_bits = width_bits;
  for (const auto& [name, value] : uri.take_prefixed("model.")) {
    if (!transactions && name.starts_with("engine."))
      throw Error(EINVAL, "model.{} is of the transaction-level engines; give level=transaction",
                  name);
    if constexpr (std::is_same_v<Params, model::PcieParams>)
      if (name.starts_with("gpu_") && memory_system.gpu.memory_bytes == 0)
        throw Error(EINVAL, "model.{} is of a GPU beside the card; give gpu=quadro-m2000", name);
    try {
      model::apply(settings, name, value);
    } catch (const std::invalid_argument& error) {
      throw Error(EINVAL, "{}", error.what());
    }
  }
  return settings;
}

std::unique_ptr<Platform> make_platform(Uri& uri, const sim::BoardEntry& board,
                                        const sim::DesignEntry& design, unsigned width_bits,
                                        double clock_mhz) {
  const bool transactions =
      uri.take_word("level", {"rtl", "transaction"})
          .value_or(design.has_rtl() ? "rtl" : "transaction") == "transaction";
  if (!transactions && !design.has_rtl())
    throw Error(EINVAL, "{} has no RTL; give level=transaction", design.name);
  if (transactions && !design.has_transactions())
    throw Error(EINVAL, "{} has RTL only; give level=rtl", design.name);
  return std::visit(
      [&](const auto& params) -> std::unique_ptr<Platform> {
        constexpr bool kIsCard = std::is_same_v<std::decay_t<decltype(params)>, model::PcieParams>;
        auto memory_system = params;
        if constexpr (kIsCard)
          if (const auto gpu = uri.take_word("gpu", {"quadro-m2000", "gtx-950"}))
            memory_system.gpu = *gpu == "gtx-950" ? model::gtx_950() : model::quadro_m2000();
        const auto settings = take_settings(uri, memory_system, design, width_bits, transactions);
        const std::string capture = kIsCard ? uri.take("tlp").value_or("") : "";
        const bool fast_forward =
            !kIsCard && uri.take_integer("fast_forward", 0, 1).value_or(0) != 0;
        if (fast_forward && !transactions)
          throw Error(EINVAL, "fast_forward=1 is of the transaction level; give level=transaction");
        uri.expect_empty(
            kIsCard ? "width, clock_mhz, start_cost_ns, level, completions, tlp, gpu, model.NAME"
                    : "width, clock_mhz, start_cost_ns, level, fast_forward, model.NAME");
        if constexpr (kIsCard) {
          try {
            if (transactions)
              return std::make_unique<SimPlatform<sim::TransactionCard>>(
                  board.reserved_bytes, settings.memory_system, width_bits, clock_mhz, capture);
            return std::make_unique<SimPlatform<sim::PcieBoard>>(
                board.reserved_bytes, settings.memory_system, design.make(width_bits), width_bits,
                clock_mhz, capture);
          } catch (const std::invalid_argument& error) {
            throw Error(EINVAL, "{}", error.what());
          } catch (const std::system_error& error) {
            throw Error(error.code().value(), "tlp: {}", error.what());
          }
        } else {
          if (!transactions)
            return std::make_unique<SimPlatform<sim::Board>>(
                board.reserved_bytes, settings.memory_system, design.make(width_bits),
                design.memory_port_bits(width_bits), clock_mhz);
          sim::TransactionDesign what = *design.transactions;
          what.engine = settings.engine;
          if (design.ports_at != nullptr) what.lanes = design.ports_at(width_bits);
          return std::make_unique<SimPlatform<sim::TransactionBoard>>(
              board.reserved_bytes, settings.memory_system, what, clock_mhz, fast_forward);
        }
      },
      board.memory_system);
}

std::unique_ptr<sluice_board> open(Uri& uri) {
  const sim::BoardEntry& board = find(sim::catalogue(), "board", uri.board());
  const sim::DesignEntry& design = find(board.designs, "design", uri.design());
  const bool usual =
      std::ranges::find(design.widths_bits, kDefaultWidthBits) != design.widths_bits.end();
  const auto width_bits =
      static_cast<unsigned>(uri.take_integer("width", 0, 1024)
                                .value_or(usual ? kDefaultWidthBits : design.widths_bits.front()));
  if (std::ranges::find(design.widths_bits, width_bits) == design.widths_bits.end())
    throw Error(EINVAL, "{} has no ports of {} bits; allowed widths: {}", design.name, width_bits,
                fmt::join(design.widths_bits, ", "));
  const double clock_mhz = uri.take_number("clock_mhz", board.min_clock_mhz, board.max_clock_mhz)
                               .value_or(board.default_clock_mhz);
  const auto start_cost_ns =
      static_cast<uint32_t>(uri.take_integer("start_cost_ns", 0, kMaxStartCostNs)
                                .value_or(std::lround(board.start_cost.ns_at(clock_mhz))));
  const bool is_card = std::holds_alternative<model::PcieParams>(board.memory_system);
  const bool poll =
      is_card && uri.take_word("completions", {"interrupt", "poll"}).value_or("") == "poll";
  std::unique_ptr<Platform> platform = make_platform(uri, board, design, width_bits, clock_mhz);
  DesignMap map = map_design(*platform, design.name);
  return std::make_unique<RegisterBoard>(std::move(platform), std::move(map),
                                         RegisterBoard::Identity{.board = std::string(board.name),
                                                                 .design = std::string(design.name),
                                                                 .clock_khz = khz(clock_mhz),
                                                                 .start_cost_ns = start_cost_ns,
                                                                 .poll = poll});
}

}  // namespace

const Backend kSimBackend{.scheme = "sim", .enumerate = enumerate, .open = open};

}  // namespace sluice
