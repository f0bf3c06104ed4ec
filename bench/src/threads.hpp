// SPDX-License-Identifier: Apache-2.0
// Measurements of hardware threads beside one another: a rogue among others, and pipelines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::bench {

struct Figure {
  std::string name;
  double value;
  std::string unit;
};

struct Scenario {
  std::vector<Figure> figures;
  bool verified;  // every byte was where it should be afterwards
};

// What the rogue does while the others run: nothing; reads and writes back at full rate in memory
// of its own; asks for the others' memory, both ways, as fast as software can; asks for its own,
// and then neither takes what is read nor sends what is to be written.
enum class Rogue { idle, full, forbidden, deaf };

struct Isolation {
  std::string board = "zynq7020";
  std::string design = "streamif_threads";
  std::vector<unsigned> threads{0, 2, 4, 6};  // that read and write back one block each
  unsigned rogue_thread = 7;
  Rogue rogue = Rogue::idle;
  uint64_t bytes = 1 << 19;  // of a block
};

// Throws sluice::Failure or std::invalid_argument with a sentence.
Scenario isolate(const Isolation& asked);

// Pipelines of four threads: source, Sobel filter, sums of rows, sink.
struct Pipeline {
  std::string board = "zynq7020";
  std::string design = "streamif_threads";
  bool direct = true;      // from thread to thread; false: through memory, each stage a frame ahead
  unsigned pipelines = 1;  // 1 or 2
  unsigned frames = 4;     // of each
  uint32_t words = 256;    // of a row, four pixels each
  uint32_t rows = 128;
};

Scenario pipeline(const Pipeline& asked);

}  // namespace sluice::bench
