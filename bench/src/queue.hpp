// SPDX-License-Identifier: Apache-2.0
// Transfers one after the other on several channels at once, as many queued on each as are wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice.hpp"

namespace sluice::bench {

// What a side of a copy is: memory that is allocated, or the block RAM of the channel's engine.
enum class Side : uint8_t { memory, ram };

// What the program does with the data of each transfer: nothing; begin and end its access, which
// maintains caches on a device; and between the two write, or read, each word.
enum class Use : uint8_t { none, sync, touch };

struct Queue {
  std::string uri;
  std::vector<std::string> channels;  // at least one, of any direction
  Side from = Side::memory;           // of channels that copy; not both are block RAM
  Side to = Side::memory;
  // Block RAM: of another board of the driver, its node of memory; empty: of the channel's engine.
  std::string ram_node;
  Use use = Use::none;       // of memory, not of block RAM
  uint64_t bytes = 65536;    // of a transfer
  unsigned depth = 16;       // transfers queued on a channel, 1..SLUICE_QUEUE_DEPTH
  uint64_t transfers = 256;  // on a channel
};

struct Queued {
  uint64_t bytes;      // that were moved, on all channels
  uint64_t start_ns;   // of the board's clock, before the first submission
  uint64_t finish_ns;  // after the program had the last completion
  // The first transfer's start and the last one's finish, as completions say: of a board of the
  // driver, its submission there and its completion there.
  uint64_t first_start_ns;
  uint64_t last_finish_ns;

  [[nodiscard]] double mb_s() const {
    return static_cast<double>(bytes) * 1e3 / static_cast<double>(finish_ns - start_ns);
  }
};

// Each transfer has a buffer of its own, which the next transfer in its place uses again; before
// the time starts each buffer has been used once, so that whatever happens at a buffer's first use
// is over. Block RAM is one buffer for all transfers of a channel. Sinks and sources of the
// channels' streams, where the board has such attributes, are switched on before. Throws
// std::invalid_argument: a channel that cannot do it; Error: the board, or a transfer that fails.
[[nodiscard]] Queued run_queue(const Queue& queue);

// The same again and again: for each run, what a transfer of each channel took as the program sees
// it, and within the driver, and how long this process worked within the former.
struct Called {
  std::vector<uint64_t> user_ns;
  std::vector<uint64_t> kernel_ns;  // of a board of the driver, else none
  std::vector<uint64_t> work_ns;
};
[[nodiscard]] Called run_calls(const Queue& queue, unsigned runs);

// The same with a thread for each channel. Each has the device open for itself, as a board belongs
// to one thread. A run lasts from the first thread's start to the last one's end. Throws as
// run_queue() does, and std::invalid_argument for a simulated board, which has no second door, and
// for channels that do not copy.
[[nodiscard]] Called run_threads(const Queue& queue, unsigned runs);

// Copies from memory to memory by lanes in loop-back, in a thread, until they are stopped. The
// board is opened for itself.
class Copies {
 public:
  // `lanes`: such as hp1, whose channels are hp1.mm2s and hp1.s2mm; their sources are switched off.
  // `queue`: its channels do not count. Begins. Throws as run_threads() does for what is wrong
  // before the first transfer.
  Copies(Queue queue, std::vector<std::string> lanes);
  // Ends them, whatever became of them, and takes the lanes out of loop-back.
  ~Copies();
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  // Ends them. Returns 10^6 bytes a second that were copied, by all lanes together; throws what
  // went wrong. Once.
  double stop();

 private:
  class Thread;
  void prepare(Queue& queue) const;

  std::string uri_;
  std::vector<std::string> lanes_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace sluice::bench
