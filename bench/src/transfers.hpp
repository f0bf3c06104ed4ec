// SPDX-License-Identifier: Apache-2.0
// Transfers between a PCI Express card and its host, by the codes of Garrone ten Brink 2017.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::bench {

struct Transfers {
  // fh, hf: card to host, host to card, by the card's DMA; fm, hm: the same by the CPU, through the
  // BAR; both: fh and hf at once.
  enum class Code { fh, hf, fm, hm, both };

  std::string board = "pcie-gen2x4";
  std::string design = "xdma";
  std::string level = "rtl";              // or transaction
  std::string completions = "interrupt";  // or poll
  std::vector<std::string> settings;      // of the model, NAME=VALUE
  std::string tlp;                        // file for the link's packets; empty: none
  std::optional<double> clock_mhz;        // of the card's logic; none: the board's own
  std::optional<uint32_t> start_cost_ns;  // software's time for one start; none: the board's own
  Code code = Code::fh;
  uint64_t bytes = 4096;      // of a transfer
  unsigned iterations = 100;  // transfers, of each direction
  unsigned depth = 1;         // of them queued at a time, at most SLUICE_QUEUE_DEPTH
};

struct TransferFigures {
  uint64_t elapsed_ns;               // of all iterations, the last byte's end included
  std::vector<uint64_t> latency_ns;  // of each, from its start to its end; empty for fm, hm
  // Of the time: share in which the link's wire to the host, to the card, was busy, and in which
  // the card's reads or writes waited for this alone.
  double up_share, down_share;
  double tags_share, credits_share, completion_share;
  bool verified;  // every byte was where it should be afterwards
};

// Open the board, move, check every byte. Throws sluice::Failure or std::invalid_argument with a
// sentence.
TransferFigures transfer(const Transfers& asked);

}  // namespace sluice::bench
