// SPDX-License-Identifier: Apache-2.0
// What the library does on a function that vfio-pci has, as far as sluice_on_device does not ask
// it: run in a guest by driver/tests/test_vfio_library.py. Says why it fails.
//
//   vfio_on_function steady URI TX RX COUNT   transfers through a loop-back, between whose
//   submission
//                                             and completion a system call kills the program
//   vfio_on_function outside FUNCTION         copies of a CDMA from and to memory that is not
//   mapped,
//                                             by its registers
//   vfio_on_function attribute URI NAME VALUE sets it and reads it back
#include <cdma.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <sluice.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cdma.hpp"
#include "design_map.hpp"
#include "vfio_platform.hpp"

namespace {

using namespace sluice;

constexpr int64_t kWaitNs = 600'000'000'000;  // against hanging only
constexpr uint64_t kPage = 4096;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what + "; the library's last: " + sluice_last_error());
}

void print(const char* name, uint64_t value) {
  std::printf("%s %llu\n", name, static_cast<unsigned long long>(value));
}

struct Arguments {
  std::vector<std::string> words;
  [[nodiscard]] const std::string& operator[](size_t index) const {
    require(index < words.size(), "an argument is missing");
    return words[index];
  }
  [[nodiscard]] uint64_t number(size_t index) const { return std::stoull((*this)[index]); }
};

// --- system calls (Linux, Documentation/admin-guide/syscall-user-dispatch.rst)
// --------------------

volatile char dispatch = SYSCALL_DISPATCH_FILTER_ALLOW;  // Linux reads it at each call

void report_call(int /*signal*/, siginfo_t* info, void* /*context*/) {
  dispatch = SYSCALL_DISPATCH_FILTER_ALLOW;
  char text[] = "vfio_on_function steady: system call      \n";
  char* at = text + sizeof text - 3;
  for (int number = info->si_syscall; number > 0; number /= 10)
    *at-- = static_cast<char>('0' + number % 10);
  [[maybe_unused]] const ssize_t written = ::write(2, text, sizeof text - 1);
  ::_exit(4);
}

// From here on, while `dispatch` says so, a system call ends the program.
void watch_calls() {
  struct sigaction action{};
  action.sa_sigaction = report_call;
  action.sa_flags = SA_SIGINFO;
  require(::sigaction(SIGSYS, &action, nullptr) == 0 &&
              ::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &dispatch) == 0,
          "Linux cannot watch system calls");
}

void steady(const Arguments& given) {
  constexpr uint64_t kWarm = 16, kBytes = 256;
  const BoardHandle board = open_board(given[0]);
  sluice_channel *tx = find_channel(board.get(), given[1]),
                 *rx = find_channel(board.get(), given[2]);
  const BufferHandle from = allocate(board.get(), kBytes), to = allocate(board.get(), kBytes);
  const sluice_transfer send{.buffer = from.get(), .offset = 0, .bytes = kBytes};
  const sluice_transfer receive{.buffer = to.get(), .offset = 0, .bytes = kBytes};
  watch_calls();
  uint64_t begin_ns = 0;
  for (uint64_t round = 0; round < kWarm + given.number(3); ++round) {
    if (round == kWarm) {
      begin_ns = sluice_board_now_ns(board.get());
      dispatch = SYSCALL_DISPATCH_FILTER_BLOCK;
    }
    bytes_of(from.get())[round % kBytes] = static_cast<uint8_t>(round);
    const bool taken = sluice_channel_submit(rx, &receive, 1, sizeof receive) == 1 &&
                       sluice_channel_submit(tx, &send, 1, sizeof send) == 1;
    sluice_completion sent{}, received{};
    const bool done = taken && sluice_channel_reap(tx, &sent, 1, sizeof sent, kWaitNs) == 1 &&
                      sluice_channel_reap(rx, &received, 1, sizeof received, kWaitNs) == 1 &&
                      received.status == 0 && received.bytes == kBytes;
    if (!done || !std::ranges::equal(bytes_of(from.get()), bytes_of(to.get()))) {
      dispatch = SYSCALL_DISPATCH_FILTER_ALLOW;
      require(false, "round " + std::to_string(round) + " went wrong");
    }
  }
  dispatch = SYSCALL_DISPATCH_FILTER_ALLOW;
  print("transfers", given.number(3));
  print("ns_each", (sluice_board_now_ns(board.get()) - begin_ns) / given.number(3));
}

// --- memory that is not mapped -----------------------------------------------------------------

// Linux's calls, but that what was memory stays there for the program: so that it can be seen who
// writes to it after the IOMMU has been told that nobody may.
class KeepsMemory final : public SystemCalls {
 public:
  int open(const std::string& path) override { return linux_calls().open(path); }
  void close(int fd) override { linux_calls().close(fd); }
  int ioctl(int fd, unsigned long request, void* argument) override {
    return linux_calls().ioctl(fd, request, argument);
  }
  int64_t read_at(int fd, uint64_t offset, void* data, size_t bytes) override {
    return linux_calls().read_at(fd, offset, data, bytes);
  }
  int64_t write_at(int fd, uint64_t offset, const void* data, size_t bytes) override {
    return linux_calls().write_at(fd, offset, data, bytes);
  }
  void* map(int fd, uint64_t offset, size_t bytes, bool writable, int* error) override {
    return linux_calls().map(fd, offset, bytes, writable, error);
  }
  void unmap(void* /*address*/, size_t /*bytes*/) override {}
  int duplicate(int fd) override { return linux_calls().duplicate(fd); }
  int64_t size_of(int fd) override { return linux_calls().size_of(fd); }
  int memory_file(uint64_t bytes) override { return linux_calls().memory_file(bytes); }
  std::vector<std::string> list(const std::string& folder) override {
    return linux_calls().list(folder);
  }
  int poll(std::span<pollfd> descriptors, int64_t timeout_ns) override {
    return linux_calls().poll(descriptors, timeout_ns);
  }
  uint64_t now_ns() override { return linux_calls().now_ns(); }
  void sleep_ns(uint64_t ns) override { linux_calls().sleep_ns(ns); }
};

bool all(std::span<const uint8_t> bytes, uint8_t value) {
  return std::ranges::all_of(bytes, [&](uint8_t byte) { return byte == value; });
}

void outside(const Arguments& given) {
  constexpr uint8_t kSource = 0xa5, kCanary = 0x5a;
  KeepsMemory calls;
  VfioPlatform card(calls, given[0]);
  const DesignMap design = map_design(card, "cdma");
  CdmaEngine engine(card, "HP0", CDMA_HP_CDMA(0), 0, 0);
  CdmaChannel& channel = engine.channel();
  channel.reset();
  card.connect();
  const uint64_t source = card.memory().first, target = source + kPage, gone = target + kPage;
  const auto page = [&](uint64_t address, uint8_t value) {
    const std::span<uint8_t> bytes(card.provide(address, kPage), kPage);
    std::ranges::fill(bytes, value);
    return bytes;
  };
  page(source, kSource);
  const auto received = page(target, 0), canary = page(gone, kCanary);
  const auto move = [&](uint64_t from, uint64_t to) {
    uint32_t users = 0, destination_users = 0;
    channel.submit({.address = from,
                    .bytes = kPage,
                    .cookie = 0,
                    .users = &users,
                    .destination = to,
                    .destination_users = &destination_users});
    channel.flush();
    const uint64_t deadline_ns = card.now_ns() + kWaitNs;
    while (!channel.has_completion()) {
      channel.service();
      require(card.now_ns() < deadline_ns, "the engine does not end");
    }
    return channel.take_completion().status;
  };
  require(move(source, gone) == 0 && all(canary, kSource), "the canary is not where it should be");
  std::ranges::fill(canary, kCanary);
  card.withdraw(gone);

  uint64_t refused = 0;
  const auto refuse = [&](uint64_t from, uint64_t to) {
    const int status = move(from, to);
    require(status == -EFAULT || status == -EIO, "not refused: " + std::to_string(status));
    require(all(canary, kCanary), "an engine wrote to memory that is not mapped");
    ++refused;
  };
  refuse(source, gone);
  refuse(source, target + kPage / 2);  // runs into it
  std::ranges::fill(received, uint8_t{0});
  refuse(gone, target);
  require(std::ranges::find(received, kCanary) == received.end(), "memory was read");
  for (uint64_t address = 0; address < uint64_t{1} << 30; address += uint64_t{1} << 26) {
    refuse(source, address);  // where the machine's own memory is
    refuse(address, target);
  }
  require(move(source, target) == 0 && all(received, kSource), "no copy afterwards");
  print("refused", refused);
}

void attribute(const Arguments& given) {
  const BoardHandle board = open_board(given[0]);
  set_attribute(board.get(), given[1], given.number(2));
  print(given[1].c_str(), get_attribute(board.get(), given[1]));
}

const std::map<std::string, std::function<void(const Arguments&)>> kTests{
    {"steady", steady}, {"outside", outside}, {"attribute", attribute}};

}  // namespace

int main(int argc, char** argv) {
  const auto test = kTests.find(argc > 1 ? argv[1] : "");
  if (test == kTests.end()) {
    std::fprintf(stderr, "vfio_on_function: which test?\n");
    return 2;
  }
  try {
    test->second({std::vector<std::string>(argv + 2, argv + argc)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vfio_on_function %s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
