// SPDX-License-Identifier: Apache-2.0
// The boards that can be simulated: which chip, which designs, and their limits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/model/pcie_params.hpp"
#include "sluice/sim/board.hpp"
#include "sluice/sim/transaction_board.hpp"

namespace sluice::sim {

struct DesignEntry {
  std::string_view name;
  std::string_view text;
  std::string_view model{};  // its RTL's name in CMake; empty: transactions only
  bool on_acp = false;       // the RTL's port HP0 is wired to the ACP
  unsigned port_count = 1;
  std::string_view port_name = "HP";  // "HP0" is the first
  // Of a port, or of the streams where port_bits is not 0. Empty in the table of catalogue.cpp:
  // those that the RTL is built for.
  std::vector<unsigned> widths_bits{};
  unsigned port_bits = 0;  // of the memory ports, where that is not the streams' width
  unsigned (*ports_at)(unsigned width_bits) = nullptr;    // where fewer than port_count fit
  uint64_t max_transfer_bytes = (uint64_t{1} << 26) - 1;  // length register of its engines
  std::optional<TransactionDesign> transactions{};        // the same without RTL, if there is that
  bool card_transactions = false;  // of a card: there is a TransactionCard of it
  bool full_rate = false;          // an engine alone keeps the rate of its port's width and clock

  [[nodiscard]] bool has_rtl() const { return !model.empty(); }
  [[nodiscard]] bool has_transactions() const { return transactions || card_transactions; }
  [[nodiscard]] unsigned memory_port_bits(unsigned width_bits) const {
    return port_bits != 0 ? port_bits : width_bits;
  }
  // The RTL, of a card also at the width of another board. Throws std::invalid_argument if it is
  // not built for that width.
  [[nodiscard]] std::unique_ptr<Design> make(unsigned width_bits) const;
};

// Of a card in a PC: a PcieBoard or a TransactionCard; else a chip: a Board or a TransactionBoard.
using BoardParams = std::variant<model::Zynq7000Params, model::CycloneVParams, model::PcieParams>;

// Software's time to start one transfer.
struct StartCost {
  uint32_t ns = 0;      // at any clock, ...
  uint32_t clocks = 0;  // ... plus this many cycles of the logic's clock, as register accesses take

  [[nodiscard]] double ns_at(double clock_mhz) const { return ns + clocks * 1e3 / clock_mhz; }
};

struct BoardEntry {
  std::string_view name;
  std::string_view text;
  BoardParams memory_system;
  double default_clock_mhz;
  double min_clock_mhz;
  double max_clock_mhz;
  StartCost start_cost;              // bare metal
  uint32_t linux_start_cost_ns = 0;  // of a program under Linux; 0: not known
  // How far the memory's model is from silicon where the memory sets the rate: mean and largest
  // |error| of the published rows, in percent; 0: not compared.
  double overload_error_percent = 0;
  double worst_overload_error_percent = 0;
  uint64_t reserved_bytes;  // at the bottom of memory, not for buffers
  std::vector<DesignEntry> designs;
};

// Built on first use; lives as long as the program. Any thread.
const std::vector<BoardEntry>& catalogue();

}  // namespace sluice::sim
