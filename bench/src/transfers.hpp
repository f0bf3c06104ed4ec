// SPDX-License-Identifier: Apache-2.0
// Transfers between a PCI Express card, its host and a GPU, by the codes of Garrone ten Brink 2017.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::bench {

struct Transfers {
  // URI of a card that is not simulated; then the next three say nothing of it.
  std::string device;
  std::string board = "pcie-gen2x4";
  std::string design = "xdma";
  std::string level = "rtl";              // or transaction
  std::string completions = "interrupt";  // or poll
  std::string gpu;                        // model of a GPU beside a simulated card; empty: none
  std::optional<unsigned> cuda;           // number of a GPU of CUDA in its place
  std::string peer;                       // FUNCTION/BAR: memory of another device in its place
  std::vector<std::string> settings;      // of the model, NAME=VALUE
  std::string tlp;                        // file for the link's packets; empty: none
  std::optional<double> clock_mhz;        // of the card's logic; none: the board's own
  std::optional<uint32_t> start_cost_ns;  // software's time for one start; none: the board's own
  std::string code = "FH";                // one of transfer_codes()
  bool pageable = false;                  // GH, HG: use host memory that the GPU does not know
  uint64_t bytes = 4096;                  // of a transfer
  unsigned iterations = 100;              // transfers, of each direction
  unsigned depth = 1;  // of them queued at a time, at most SLUICE_QUEUE_DEPTH; of the card's own
  uint64_t chunk = 0;  // of FIP, GIP: bytes; 0: as their model says
  std::optional<uint64_t> corrupt;  // a byte that is changed before the comparison, to see it found
};

// One piece of a transfer, as its engine or the CPU did it.
struct TransferStep {
  std::string_view what;  // the card's "h2c" or "c2h", "gpu", "cpu"
  uint64_t transfer;      // number, from 0
  uint64_t bytes;
  uint64_t start_ns, finish_ns;
};

struct TransferFigures {
  uint64_t elapsed_ns;               // of all iterations, the last byte's end included
  std::vector<uint64_t> latency_ns;  // of each, from its start to its end; empty for FM, HM
  std::vector<TransferStep> steps;   // in the order of their ends; empty for FM, HM
  // Of the time: share in which the link's wire to the host, to the card, was busy, and in which
  // the card's reads or writes waited for this alone. Of a simulated card only.
  struct Link {
    double up_share, down_share;
    double tags_share, credits_share, completion_share;
  };
  std::optional<Link> link;
  std::string clock;  // that the times are of: simulated, or CLOCK_MONOTONIC_RAW
  std::string gpu;    // the GPU that took part, GpuDevice::name(); empty: none
  bool verified;      // every byte was where it should be afterwards
};

// The codes: first those in which no GPU copies.
[[nodiscard]] const std::vector<std::string>& transfer_codes();

// Open the board, move, check every byte. Throws sluice::Failure or std::invalid_argument with a
// sentence.
TransferFigures transfer(const Transfers& asked);

}  // namespace sluice::bench
