// SPDX-License-Identifier: Apache-2.0
// What a copy costs by one way of asking for it, run in a guest by `python -m driver.overhead`:
//
//   sluice_overhead METHOD BOARD CHANNEL BYTES BATCH ROUNDS
//
// Each round copies BATCH times BYTES. Prints, in nanoseconds of the guest's clock: what reading it
// takes ("clock"), a loop and of how many instructions ("scale"), and of each round what asking for
// the copies took, and taking their completions ("round"). The data is verified afterwards.
// Methods:
//   cpu        memcpy() between the buffers
//   copied     one at a time: memcpy() into a buffer, copied by the engine, memcpy() out of another
//   interrupt  the driver's calls alone: one that submits all, one that waits for all
//   ring       libsluice: submitted in one call, completions from the mapped ring
//   brackets   no copy: the begin and end of the CPU's access to both buffers
//   sleep      no copy: a millisecond of waiting, to see that it is not counted
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <sluice.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock.hpp"
#include "raw_queue.h"
#include "window.h"

namespace {

using namespace sluice;
using namespace overhead;

[[noreturn, gnu::cold]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + sluice_last_error());
}

inline void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

struct Arguments {
  std::string board, channel;
  uint64_t bytes;
  unsigned batch;
};

// One way of asking for copies from source() to destination().
class Method {
 public:
  virtual ~Method() = default;
  virtual void submit() = 0;
  virtual void reap() {}
  virtual uint8_t* source() = 0;
  virtual const uint8_t* destination() = 0;
  // The CPU's access to both, outside of what is measured.
  virtual void begin() {}
  virtual void end() {}
};

// Two buffers of a device, and its channel.
class OnDevice : public Method {
 public:
  explicit OnDevice(const Arguments& given) : OnDevice(given, given.bytes * given.batch) {}
  OnDevice(const Arguments& given, uint64_t bytes)
      : given_(given),
        board_(open_board("dev:" + given.board)),
        channel_(find_channel(board_.get(), given.channel)),
        from_(allocate(board_.get(), bytes)),
        to_(allocate(board_.get(), bytes)) {}
  uint8_t* source() override { return bytes_of(from_.get()).data(); }
  const uint8_t* destination() override { return bytes_of(to_.get()).data(); }
  void begin() override {
    check(sluice_buffer_begin_access(from_.get(), SLUICE_READ | SLUICE_WRITE));
    check(sluice_buffer_begin_access(to_.get(), SLUICE_READ | SLUICE_WRITE));
  }
  void end() override {
    check(sluice_buffer_end_access(to_.get()));
    check(sluice_buffer_end_access(from_.get()));
  }

 protected:
  Arguments given_;
  BoardHandle board_;
  sluice_channel* channel_;
  BufferHandle from_, to_;
};

class Cpu final : public OnDevice {
 public:
  using OnDevice::OnDevice;
  void submit() override {
    uint8_t* to = bytes_of(to_.get()).data();
    const uint8_t* from = source();
    for (unsigned i = 0; i < given_.batch; ++i)
      std::memcpy(to + i * given_.bytes, from + i * given_.bytes, given_.bytes);
  }
};

class Ring : public OnDevice {
 public:
  explicit Ring(const Arguments& given) : OnDevice(given), done_(given.batch) {
    for (unsigned i = 0; i < given.batch; ++i)
      copies_.push_back({.source = from_.get(),
                         .source_offset = i * given.bytes,
                         .destination = to_.get(),
                         .destination_offset = i * given.bytes,
                         .bytes = given.bytes,
                         .cookie = i,
                         .timeout_ns = 0});
  }
  void submit() override {
    const int taken =
        sluice_channel_copy(channel_, copies_.data(), given_.batch, sizeof copies_[0]);
    require(taken == static_cast<int>(given_.batch), "not all copies are taken");
  }
  void reap() override {
    for (unsigned taken = 0; taken < given_.batch;) {
      const int more =
          sluice_channel_reap(channel_, done_.data(), given_.batch - taken, sizeof done_[0], 0);
      require(more >= 0, "no completions");
      for (int i = 0; i < more; ++i) require(done_[i].status == 0, "a copy has failed");
      taken += static_cast<unsigned>(more);
    }
  }

 private:
  std::vector<sluice_copy> copies_;
  std::vector<sluice_completion> done_;
};

// What read() and write() of a device that copies come to.
class Copied final : public OnDevice {
 public:
  explicit Copied(const Arguments& given)
      : OnDevice(given, given.bytes),
        in_(given.bytes * given.batch),
        out_(given.bytes * given.batch) {}
  void submit() override {
    for (uint64_t at = 0; at < in_.size(); at += given_.bytes) one(at);
  }
  uint8_t* source() override { return in_.data(); }
  const uint8_t* destination() override { return out_.data(); }
  void begin() override {}
  void end() override {}

 private:
  void one(uint64_t at) {
    const sluice_copy copy{.source = from_.get(),
                           .source_offset = 0,
                           .destination = to_.get(),
                           .destination_offset = 0,
                           .bytes = given_.bytes,
                           .cookie = at,
                           .timeout_ns = 0};
    sluice_completion done{};
    check(sluice_buffer_begin_access(from_.get(), SLUICE_WRITE));
    std::memcpy(bytes_of(from_.get()).data(), in_.data() + at, given_.bytes);
    check(sluice_buffer_end_access(from_.get()));
    require(sluice_channel_copy(channel_, &copy, 1, sizeof copy) == 1, "the copy is not taken");
    require(sluice_channel_reap(channel_, &done, 1, sizeof done, -1) == 1 && done.status == 0,
            "the copy has failed");
    check(sluice_buffer_begin_access(to_.get(), SLUICE_READ));
    std::memcpy(out_.data() + at, bytes_of(to_.get()).data(), given_.bytes);
    check(sluice_buffer_end_access(to_.get()));
  }

  std::vector<uint8_t> in_, out_;
};

// Of buffers that the engine has had, as those of a program have.
class Brackets final : public Ring {
 public:
  explicit Brackets(const Arguments& given) : Ring(given) {
    Ring::submit();
    Ring::reap();
  }
  void submit() override {
    begin();
    end();
  }
  void reap() override {}
  const uint8_t* destination() override { return source(); }
};

class Sleep final : public OnDevice {
 public:
  using OnDevice::OnDevice;
  void submit() override { poll(nullptr, 0, 1); }
  const uint8_t* destination() override { return source(); }
};

class Interrupt final : public Method {
 public:
  explicit Interrupt(const Arguments& given) {
    must(raw_queue_open(given.board.c_str(), given.channel.c_str(), given.bytes, given.batch));
  }
  void submit() override { must(raw_queue_submit()); }
  void reap() override { must(raw_queue_reap()); }
  uint8_t* source() override { return raw_queue_source(); }
  const uint8_t* destination() override { return raw_queue_destination(); }
  void begin() override { must(raw_queue_sync(1)); }
  void end() override { must(raw_queue_sync(0)); }

 private:
  static void must(int error) {
    if (error != 0) throw std::runtime_error(std::strerror(-error));
  }
};

template <typename T>
std::unique_ptr<Method> make(const Arguments& given) {
  return std::make_unique<T>(given);
}

const std::map<std::string, std::function<std::unique_ptr<Method>(const Arguments&)>> kMethods = {
    {"cpu", make<Cpu>},   {"copied", make<Copied>},     {"interrupt", make<Interrupt>},
    {"ring", make<Ring>}, {"brackets", make<Brackets>}, {"sleep", make<Sleep>},
};

void measure(Method& method, const Arguments& given, unsigned rounds) {
  const uint64_t size = given.bytes * given.batch;
  std::mt19937 random(1);
  method.begin();
  std::generate(method.source(), method.source() + size,
                [&] { return static_cast<uint8_t>(random()); });
  method.end();

  std::vector<std::pair<uint64_t, uint64_t>> took(rounds);
  for (auto& [submit_ns, reap_ns] : took) {
    const uint64_t start = now_ns();
    WINDOW_BEGIN();
    method.submit();
    WINDOW_END();
    const uint64_t submitted = now_ns();
    WINDOW_BEGIN();
    method.reap();
    WINDOW_END();
    reap_ns = now_ns() - submitted;
    submit_ns = submitted - start;
  }
  method.begin();
  require(std::memcmp(method.source(), method.destination(), size) == 0, "wrong data");
  method.end();
  print_clock();
  for (const auto& [submit_ns, reap_ns] : took)
    std::printf("round %llu %llu\n", static_cast<unsigned long long>(submit_ns),
                static_cast<unsigned long long>(reap_ns));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 7 || !kMethods.contains(argv[1]))
      throw std::runtime_error("METHOD BOARD CHANNEL BYTES BATCH ROUNDS");
    const Arguments given{argv[2], argv[3], std::stoull(argv[4]),
                          static_cast<unsigned>(std::stoul(argv[5]))};
    const std::unique_ptr<Method> method = kMethods.at(argv[1])(given);
    measure(*method, given, static_cast<unsigned>(std::stoul(argv[6])));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sluice_overhead: %s\n", error.what());
    return 1;
  }
}
