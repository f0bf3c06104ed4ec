// SPDX-License-Identifier: Apache-2.0
// A gate that opens for a stream when descriptors become readable, one after another.
//
// The gate is a number in host memory. The stream's n-th wait waits until it is n or more (cyclic);
// a thread polls the n-th descriptor and then makes it n. So the GPU never waits in a host
// function, which other streams' host functions could be waiting behind.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace sluice::cuda {

class Gate {
 public:
  using Before = std::function<std::optional<std::string>()>;  // returns why it failed

  // `number` is in memory that the GPU reads. `before`, if there is one, is called by the gate's
  // thread before each opening.
  Gate(std::atomic<uint32_t>& number, Before before);
  ~Gate();  // releases
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // Add a descriptor, which is the gate's from now on. Returns what the number will be. The gate
  // does not read the descriptor before watch(). Either watch() or withdraw() comes next.
  uint32_t add(int fd, bool take);
  void watch() noexcept;     // the stream waits for what was added
  void withdraw() noexcept;  // the stream does not

  // Block until the number has come to that.
  void wait(uint32_t ticket);

  // Open for all that was added, now.
  void release();

  // What the first descriptor that failed reported, since the last call.
  std::optional<std::string> take_failure();

 private:
  struct Watched {
    int fd;
    bool take;
    uint32_t ticket;
  };

  void run();
  void start();
  std::optional<std::string> poll_for(const Watched& watched) const;  // why it failed

  std::atomic<uint32_t>& number_;
  Before before_;
  int stop_;  // an eventfd, readable when the gate is released
  std::mutex mutex_;
  std::condition_variable more_;
  std::list<Watched> added_;  // one at most; a list, so that it moves to the queue as it is
  std::list<Watched> queue_;
  std::optional<std::string> failure_;
  uint32_t last_ = 0;
  bool released_ = false;
  std::thread thread_;  // begun by the first descriptor
};

}  // namespace sluice::cuda
