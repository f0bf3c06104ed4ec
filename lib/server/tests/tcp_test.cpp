// SPDX-License-Identifier: Apache-2.0
// Captures over the network: a server in a thread, or in a process of its own that is killed, and
// clients by the C interface. The board is of memory, whose stream keeps a rate of the machine's
// time, so that a slow client loses; what it does not lose is right, and what it loses is named.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <sluice.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "board.hpp"
#include "error.hpp"
#include "memory_board.hpp"
#include "server.hpp"
#include "tcp_protocol.hpp"

namespace sluice {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr uint32_t kPeriods = 8;
constexpr uint64_t kPeriodBytes = 4096;
constexpr uint32_t kWords = kPeriodBytes / 4;
constexpr uint64_t kLongRate = 20'000'000;  // bytes a second: a period takes 0.2 ms
constexpr const char* kChannel = "memory0.s2mm";

unsigned seed() {
  const char* text = std::getenv("SEED");
  return text == nullptr ? 1 : static_cast<unsigned>(std::strtoul(text, nullptr, 0));
}

std::unique_ptr<serve::Server> make_server(uint16_t port, const serve::Limits& limits = {},
                                           sluice_board* board = nullptr) {
  std::vector<serve::ServedBoard> boards(1);
  boards[0].name = boards[0].uri = "memory";
  if (board != nullptr)
    boards[0].board.reset(board);
  else
    boards[0].board = serve::memory_board();
  return std::make_unique<serve::Server>(std::move(boards), "127.0.0.1", port, limits, nullptr);
}

// A board of one channel, whose capture is given.
class OneCapture final : public sluice_board {
 public:
  OneCapture(Capture& capture, bool readable) : readable_(readable) {
    channels_.push_back(std::make_unique<Channel>(*this, capture));
  }

  [[nodiscard]] sluice_board_info info() const override { return {.channel_count = 1}; }
  [[nodiscard]] uint64_t now_ns() const override { return 0; }
  void sleep_ns(uint64_t) override {}
  uint64_t cpu_work(const sluice_cpu_work&) override { return 0; }
  [[nodiscard]] const std::vector<std::unique_ptr<sluice_channel>>& channels() const override {
    return channels_;
  }
  std::optional<size_t> wait_any(std::span<sluice_channel* const>, int64_t) override { return {}; }
  sluice_buffer& allocate(uint64_t bytes, const sluice_placement&) override {
    return *buffers_.emplace_back(std::make_unique<Memory>(*this, bytes, readable_));
  }
  void free(sluice_buffer& buffer) override {
    std::erase_if(buffers_, [&](const auto& ours) { return ours.get() == &buffer; });
  }
  [[nodiscard]] std::vector<sluice_attribute_info> attributes() const override { return {}; }
  uint64_t get_attribute(std::string_view) override { return 0; }
  void set_attribute(std::string_view, uint64_t) override {}

 private:
  struct Memory final : sluice_buffer {
    Memory(sluice_board& board, uint64_t size, bool can_be_read)
        : sluice_buffer(board, size), bytes(size), readable(can_be_read) {}
    [[nodiscard]] void* data() const override { return const_cast<char*>(bytes.data()); }
    [[nodiscard]] bool busy() const override { return false; }
    void begin_access(unsigned) override {
      if (!readable) throw Error(EIO, "the caches cannot be synced");
    }
    std::vector<char> bytes;
    bool readable;
  };
  struct Channel final : sluice_channel {
    Channel(sluice_board& board, Capture& capture) : board_(board), capture_(capture) {
      info_.direction = SLUICE_S2MM;
      info_.offset_alignment = info_.length_alignment = 1;
      info_.max_packet_bytes = info_.max_bytes = kPeriodBytes;
      info_.capabilities = SLUICE_CAN_CAPTURE;
    }
    [[nodiscard]] sluice_board& board() const override { return board_; }
    [[nodiscard]] std::string_view name() const override { return kChannel; }
    [[nodiscard]] const sluice_channel_info& info() const override { return info_; }
    unsigned submit(std::span<const sluice_transfer>) override { return 0; }
    unsigned copy(std::span<const sluice_copy>) override { return 0; }
    unsigned reap(std::span<sluice_completion>, int64_t) override { return 0; }
    void cancel() override {}
    Capture& capture() override { return capture_; }
    sluice_board& board_;
    sluice_channel_info info_{};
    Capture& capture_;
  };

  bool readable_;
  std::vector<std::unique_ptr<sluice_channel>> channels_;
  std::vector<std::unique_ptr<sluice_buffer>> buffers_;
};

// A capture of which so many periods have ended at once, so many of them were lost, and no record
// is kept.
struct Ended final : Capture {
  Ended(uint64_t produced, uint64_t lost) : produced_(produced), lost_(lost) {}
  void start(const sluice_capture&) override { runs = true; }
  [[nodiscard]] bool started() const override { return true; }
  std::optional<uint64_t> wait(uint64_t period, int64_t) override {
    if (period < produced_) return produced_;
    return {};
  }
  [[nodiscard]] std::optional<sluice_capture_period> period(uint64_t number) const override {
    if (number < lost_) ++looks;
    return {};
  }
  [[nodiscard]] std::optional<sluice_capture_loss> loss(uint64_t index) const override {
    if (index > 0 || lost_ == 0) return {};
    return sluice_capture_loss{.first = 0, .count = lost_, .time_ns = 1};
  }
  [[nodiscard]] sluice_capture_status status() const override {
    return {.produced = produced_, .lost = lost_, .losses = lost_ > 0 ? 1U : 0U};
  }
  sluice_capture_answer release(uint64_t) override { return {}; }
  void stop() override { runs = false; }

  uint64_t produced_, lost_;
  std::atomic<bool> runs = false;
  mutable std::atomic<unsigned> looks = 0;  // for records of lost periods
};

// A server of this process.
class Served {
 public:
  explicit Served(const serve::Limits& limits = {}, sluice_board* board = nullptr)
      : server_(make_server(0, limits, board)), thread_([this] { server_->run(); }) {}
  ~Served() {
    server_->stop();
    thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string uri(const char* board = "memory") const {
    return "tcp:127.0.0.1:" + std::to_string(port()) + "/" + board;
  }

 private:
  std::unique_ptr<serve::Server> server_;
  std::thread thread_;
};

std::string open_refusal(const std::string& uri, int errnum) {
  sluice_board* board = nullptr;
  EXPECT_EQ(sluice_board_open(uri.c_str(), &board), -errnum) << sluice_last_error();
  EXPECT_EQ(board, nullptr);
  return sluice_last_error();
}

// A program that captures.
struct Client {
  explicit Client(const std::string& uri, const char* name = kChannel)
      : board(open_board(uri)), channel(find_channel(board.get(), name)) {}

  int start(uint32_t flags = 0, uint64_t bytes = kPeriodBytes, uint32_t periods = kPeriods) {
    buffer = allocate(board.get(), bytes * periods);
    const sluice_capture capture{.buffer = buffer.get(),
                                 .offset = 0,
                                 .period_bytes = bytes,
                                 .periods = periods,
                                 .flags = flags};
    return sluice_capture_start(channel, &capture, sizeof capture);
  }
  void set(const char* name, uint64_t value) { set_attribute(board.get(), name, value); }
  sluice_capture_status status() {
    sluice_capture_status found{};
    EXPECT_EQ(sluice_capture_get_status(channel, &found, sizeof found), 0);
    return found;
  }
  bool right(uint64_t number) {
    const auto* words = reinterpret_cast<const uint32_t*>(bytes_of(buffer.get()).data()) +
                        number % kPeriods * kWords;
    for (uint32_t i = 0; i < kWords; ++i)
      if (words[i] != static_cast<uint32_t>(number * kWords + i)) return false;
    return true;
  }
  // Take periods as they come until number `end`, pausing after each look, and return how many
  // were lost. What is not lost is right, has its record, and comes in its turn.
  uint64_t take(uint64_t end, microseconds pause = {}) {
    uint64_t lost = 0;
    while (next < end) {
      uint64_t produced = 0;
      if (sluice_capture_wait(channel, next, -1, &produced) != 1) {
        ADD_FAILURE() << sluice_last_error();
        return lost;
      }
      std::vector<bool> rights;
      for (uint64_t number = next; number < produced && number < next + kPeriods; ++number)
        rights.push_back(right(number));
      std::this_thread::sleep_for(pause);
      sluice_capture_answer answer{};
      EXPECT_EQ(sluice_capture_release(channel, produced, &answer, sizeof answer), 0)
          << sluice_last_error();
      EXPECT_EQ(answer.released, next);
      for (uint64_t number = next + answer.lost; number < produced; ++number) {
        EXPECT_TRUE(rights[number - next]) << "period " << number;
        sluice_capture_period record{};
        EXPECT_EQ(sluice_capture_get_period(channel, number, &record, sizeof record), 0);
        EXPECT_EQ(record.bytes, kPeriodBytes);
        EXPECT_EQ(record.ticks, number + 1);
        EXPECT_EQ(record.exact, 1U);
      }
      for (uint64_t number = next; number < next + answer.lost; ++number) missing.insert(number);
      lost += answer.lost;
      next = produced;
    }
    return lost;
  }
  // The numbers that the records of losses name.
  std::set<uint64_t> named() {
    std::set<uint64_t> found;
    sluice_capture_loss loss{};
    for (uint64_t i = 0; i < status().losses; ++i)
      if (sluice_capture_get_loss(channel, i, &loss, sizeof loss) == 0)
        for (uint64_t n = 0; n < loss.count; ++n) found.insert(loss.first + n);
    return found;
  }

  BoardHandle board;
  sluice_channel* channel;
  BufferHandle buffer;
  uint64_t next = 0;
  std::set<uint64_t> missing;
};

TEST(Tcp, ArrivesWholeAndInOrder) {
  const Served served;
  Client client(served.uri());
  sluice_channel_info info{};
  check(sluice_channel_get_info(client.channel, &info, sizeof info));
  EXPECT_EQ(info.capabilities,
            SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT | SLUICE_CAN_HOLD | SLUICE_CAN_PACKETS);
  for (const uint32_t flags : {0U, SLUICE_CAPTURE_HOLD}) {
    ASSERT_EQ(client.start(flags), 0) << sluice_last_error();
    client.next = 0;
    EXPECT_EQ(client.take(500), 0U);
    check(sluice_capture_stop(client.channel));
    const sluice_capture_status status = client.status();
    EXPECT_EQ(status.running, 0U);
    EXPECT_EQ(status.clock_hz, 1U);
    EXPECT_EQ(status.bytes, status.produced * kPeriodBytes);
    // What had come before the end can still be read; the rest is said to be lost.
    uint64_t produced = 0;
    ASSERT_EQ(sluice_capture_wait(client.channel, client.next, 0, &produced), 1);
    EXPECT_TRUE(client.right(client.next));
    EXPECT_EQ(sluice_capture_wait(client.channel, status.produced, 0, nullptr), -EPIPE);
  }
}

TEST(Tcp, NamesWhatASlowClientLoses) {
  const Served served;
  Client client(served.uri());
  client.set("memory.rate", kLongRate);
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  std::minstd_rand random(seed());
  uint64_t lost = client.take(20);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(microseconds(random() % 10'000));
    lost += client.take(client.next + 1 + random() % 10);
  }
  EXPECT_GT(lost, 0U);
  const std::set<uint64_t> named = client.named();
  EXPECT_TRUE(std::ranges::includes(named, client.missing));
  check(sluice_capture_stop(client.channel));
  EXPECT_GE(client.status().lost, lost);
}

TEST(Tcp, AStalledClientCostsOthersNothing) {
  const Served served;
  Client stalled(served.uri()), other(served.uri(), "memory1.s2mm");
  stalled.set("memory.rate", kLongRate);
  ASSERT_EQ(stalled.start(), 0) << sluice_last_error();
  stalled.set("memory.rate", 0);
  ASSERT_EQ(other.start(), 0) << sluice_last_error();
  EXPECT_EQ(other.take(2'000), 0U);
  EXPECT_EQ(other.status().lost, 0U);
  // Its own losses are its own.
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_GT(stalled.take(100), 0U);
  EXPECT_TRUE(std::ranges::includes(stalled.named(), stalled.missing));
}

TEST(Tcp, APeriodFarAheadIsWaitedForOverThoseBefore) {
  const Served served;
  Client client(served.uri());
  client.set("memory.rate", kLongRate);
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  uint64_t produced = 0;
  constexpr int64_t kLong_ns = std::numeric_limits<int64_t>::max();
  ASSERT_EQ(sluice_capture_wait(client.channel, 100, kLong_ns, &produced), 1)
      << sluice_last_error();
  EXPECT_GT(produced, 100U);
  sluice_capture_answer answer{};
  const bool right = client.right(100);
  ASSERT_EQ(sluice_capture_release(client.channel, 101, &answer, sizeof answer), 0);
  EXPECT_GE(answer.lost, 101 - kPeriods);
  EXPECT_TRUE(right || answer.lost == 101);
  client.next = 101;
  client.take(150);
}

TEST(Tcp, AStreamThatEndsIsReadToItsEnd) {
  const Served served;
  Client client(served.uri());
  client.set("memory.periods", 30);
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  EXPECT_EQ(client.take(30), 0U);
  EXPECT_EQ(sluice_capture_wait(client.channel, 30, -1, nullptr), -EPIPE);
  EXPECT_STREQ(sluice_last_error(), "the capture on memory0.s2mm has stopped");
  EXPECT_EQ(client.status().running, 0U);
  EXPECT_EQ(client.start(), 0) << sluice_last_error();  // and again
}

TEST(Tcp, ACaptureWhoseMemoryCannotBeReadEnds) {
  Ended capture(2, 0);
  const Served served({}, new OneCapture(capture, false));
  Client client(served.uri());
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  EXPECT_EQ(sluice_capture_wait(client.channel, 0, -1, nullptr), -EIO);
  EXPECT_NE(std::string(sluice_last_error()).find("the caches cannot be synced"),
            std::string::npos);
  EXPECT_FALSE(capture.runs);
  EXPECT_EQ(client.status().running, 0U);
  EXPECT_EQ(client.start(), 0) << sluice_last_error();  // the channel is free
}

// Of a device whose driver is busy counting each look takes its time, and the client would wait.
TEST(Tcp, LostPeriodsWithoutRecordsAreLookedForOnce) {
  Ended capture(1002, 1000);
  const Served served({}, new OneCapture(capture, true));
  Client client(served.uri());
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  uint64_t produced = 0;
  ASSERT_EQ(sluice_capture_wait(client.channel, 0, -1, &produced), 1) << sluice_last_error();
  EXPECT_EQ(produced, 1000U);
  EXPECT_EQ(client.status().lost, 1000U);
  EXPECT_EQ(capture.looks, 1U);
}

TEST(Tcp, AChannelHasOneClient) {
  const Served served;
  Client first(served.uri()), second(served.uri());
  ASSERT_EQ(first.start(), 0) << sluice_last_error();
  EXPECT_EQ(second.start(), -EBUSY);
  EXPECT_STREQ(sluice_last_error(),
               "memory0.s2mm is busy: another client of the server captures it");
  check(sluice_capture_stop(first.channel));
  EXPECT_EQ(second.start(), 0) << sluice_last_error();
  EXPECT_EQ(first.start(), -EBUSY);
  second.take(10);
}

TEST(Tcp, HasLimits) {
  serve::Limits limits;
  limits.clients = 2;
  limits.bytes = kPeriods * kPeriodBytes;
  const Served served(limits);
  Client first(served.uri());
  {
    const Client second(served.uri());
    EXPECT_EQ(open_refusal(served.uri(), ECONNRESET),
              "the server at 127.0.0.1 port " + std::to_string(served.port()) +
                  " ends the connection: busy: the server has 2 clients already, its "
                  "--max-clients");
  }
  EXPECT_EQ(first.start(0, kPeriodBytes, kPeriods + 1), -ENOSPC);
  EXPECT_STREQ(sluice_last_error(),
               "9 periods of 4096 bytes are more than the 32768 bytes that the server allows a "
               "client. Request less, or start `sluice serve` with a larger --limit-bytes");
  EXPECT_EQ(first.start(), 0) << sluice_last_error();
}

TEST(Tcp, AttributesAreTheBoards) {
  const Served served;
  const BoardHandle board = open_board(served.uri());
  sluice_attribute_info info{};
  ASSERT_EQ(sluice_board_attribute(board.get(), 0, &info, sizeof info), 0);
  EXPECT_STREQ(info.name, "memory.rate");
  EXPECT_EQ(info.max, 1'000'000'000'000U);
  EXPECT_EQ(sluice_board_attribute(board.get(), 3, &info, sizeof info), -ENOENT);
  set_attribute(board.get(), "memory.periods", 7);
  EXPECT_EQ(get_attribute(board.get(), "memory.periods"), 7U);
  EXPECT_EQ(sluice_board_set_attribute(board.get(), "memory.counter", 2), -ERANGE);
  EXPECT_STREQ(sluice_last_error(), "memory.counter is at most 1, not 2");
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "no", &value), -ENOENT);
  EXPECT_STREQ(sluice_last_error(), "there is no attribute 'no'");
  const uint64_t before = sluice_board_now_ns(board.get());
  check(sluice_board_sleep_ns(board.get(), 1000));
  EXPECT_GE(sluice_board_now_ns(board.get()), before);
}

TEST(Tcp, RefusesWhatDoesNotGoOverIt) {
  const Served served;
  Client client(served.uri());
  sluice_board* board = client.board.get();
  client.buffer = allocate(board, 4096);
  const auto refused = [](int result, const char* what) {
    EXPECT_EQ(result, -ENOTSUP) << what;
    EXPECT_EQ(std::string(sluice_last_error()).find(std::string("not supported over tcp: ") + what),
              0U)
        << sluice_last_error();
  };
  const sluice_transfer transfer{.buffer = client.buffer.get(), .offset = 0, .bytes = 8};
  refused(sluice_channel_submit(client.channel, &transfer, 1, sizeof transfer), "transfers");
  sluice_completion completion{};
  refused(sluice_channel_reap(client.channel, &completion, 1, sizeof completion, 0), "transfers");
  refused(sluice_channel_cancel(client.channel), "transfers");
  refused(sluice_channel_wait_any(&client.channel, 1, 0, nullptr), "transfers");
  uint32_t value = 0;
  refused(sluice_board_read_register(board, 0, &value), "registers");
  uint64_t address = 0;
  refused(sluice_buffer_get_bus_address(client.buffer.get(), &address), "registers");
  sluice_buffer* made = nullptr;
  refused(sluice_buffer_import(board, 0, &made), "dma-bufs");
  const sluice_placement gpu{.alignment = 0, .offset = 0, .memory = SLUICE_GPU_MEMORY};
  refused(sluice_buffer_alloc(board, 4096, &gpu, sizeof gpu, &made), "memory of a GPU");
  const sluice_placement place{.alignment = 8192, .offset = 0, .memory = 0};
  refused(sluice_buffer_alloc(board, 4096, &place, sizeof place, &made), "the place of a buffer");
  sluice_hwt* thread = nullptr;
  refused(sluice_hwt_open(board, 0, &thread), "hardware threads");
  sluice_hwt_fault fault{};
  refused(sluice_hwt_next_fault(board, &fault, sizeof fault, 0), "hardware threads");
  sluice_cpu_work work{};
  work.kind = SLUICE_CPU_READ;
  work.source = client.buffer.get();
  work.bytes = 32;
  refused(sluice_board_cpu_work(board, &work, sizeof work, &address), "work of the board's CPU");
  refused(sluice_card_read(board, 0, &value, sizeof value), "the card's memory");
}

TEST(Tcp, RefusesPlacesWithoutAServer) {
  for (const char* uri : {"tcp:localhost:/b", "tcp:localhost:0/b", "tcp:localhost:65536/b",
                          "tcp:localhost:http/b", "tcp:[::1/b", "tcp:[::1]x/b", "tcp::1/b"})
    EXPECT_NE(open_refusal(uri, EINVAL).find("is not the address of a server"), std::string::npos)
        << uri;
  EXPECT_NE(open_refusal("tcp:localhost/b?x=1", EINVAL).find("unknown key 'x'"), std::string::npos);
  uint16_t port = 0;
  {
    const Served served;
    port = served.port();
    EXPECT_EQ(open_refusal(served.uri("other"), ENODEV),
              "no board 'other' is served there; served: memory");
  }
  const std::string gone = "tcp:127.0.0.1:" + std::to_string(port) + "/memory";
  EXPECT_EQ(open_refusal(gone, ECONNREFUSED),
            "no server answers at 127.0.0.1 port " + std::to_string(port) +
                ": Connection refused. Start `sluice serve` there");
}

TEST(Tcp, AServerThatStopsSaysSo) {
  auto served = std::make_unique<Served>();
  Client client(served->uri());
  client.set("memory.rate", kLongRate);
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  client.take(3);
  const std::string name = "the server at 127.0.0.1 port " + std::to_string(served->port());
  std::thread stop([&] { served.reset(); });
  int result = 0;
  for (uint64_t next = client.next;
       (result = sluice_capture_wait(client.channel, next, -1, &next)) == 1;) {
    sluice_capture_answer answer{};
    check(sluice_capture_release(client.channel, next, &answer, sizeof answer));
  }
  stop.join();
  EXPECT_EQ(result, -ECONNRESET);
  EXPECT_EQ(std::string(sluice_last_error()),
            name + " ends the connection: the server was stopped");
  EXPECT_EQ(client.status().running, 0U);
  EXPECT_EQ(client.start(), -ECONNRESET);
  EXPECT_EQ(sluice_capture_stop(client.channel), 0);
}

// --- what comes from the wire is not trusted ---------------------------------------------------

struct Socket {
  explicit Socket(int of) : fd(of) {}
  ~Socket() { ::close(fd); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  void write(const std::string& bytes) const {
    (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  int fd;
};

sockaddr_in place(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::string greeting(uint16_t version = tcp::kVersion) {
  const tcp::Hello bytes = tcp::hello(version);
  return {bytes.begin(), bytes.end()};
}

std::string call(const nlohmann::json& content) {
  return tcp::frame(tcp::Kind::call, tcp::kNoChannel, content.dump());
}

// Change a message: bytes, its length, or all of it.
std::string mutate(std::string bytes, std::minstd_rand& random) {
  const auto below = [&](size_t end) { return end == 0 ? 0 : random() % end; };
  switch (random() % 5) {
    case 0:
      for (int i = 0; i < 4; ++i) bytes[below(bytes.size())] = static_cast<char>(random());
      break;
    case 1: bytes.resize(below(bytes.size() + 1)); break;
    case 2: bytes.insert(below(bytes.size()), bytes.substr(0, below(bytes.size()))); break;
    case 3:  // a length
      for (size_t i = 4; i < 8 && i < bytes.size(); ++i) bytes[i] = static_cast<char>(random());
      break;
    default: std::ranges::generate(bytes, [&] { return static_cast<char>(random()); }); break;
  }
  return bytes;
}

TEST(Tcp, AServerSurvivesWhatClientsSay) {
  serve::Limits limits;
  limits.clients = 64;
  limits.greeting = milliseconds(50);
  const Served served(limits);
  const std::vector<std::string> messages{
      call({{"id", 2}, {"call", "attributes"}}),
      call({{"id", 3}, {"call", "get"}, {"name", "memory.rate"}}),
      call({{"id", 4}, {"call", "set"}, {"name", "memory.counter"}, {"value", 1}}),
      call({{"id", 5}, {"call", "channel"}, {"channel", 0}}),
      call({{"id", 6},
            {"call", "start"},
            {"channel", 0},
            {"period_bytes", kPeriodBytes},
            {"periods", kPeriods},
            {"flags", 0}}),
      tcp::credit(0, 5),
      tcp::wait(0, {.id = 1, .period = 3, .timeout_ns = -1}),
      call({{"id", 7}, {"call", "stop"}, {"channel", 0}}),
      call({{"id", 8}, {"call", "sleep"}, {"ns", ~uint64_t{0}}}),
      tcp::goodbye("enough"),
  };
  std::minstd_rand random(seed());
  const sockaddr_in address = place(served.port());
  for (int i = 0; i < 200; ++i) {
    const Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(::connect(socket.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::string said = greeting() + call({{"id", 1}, {"call", "open"}, {"board", "memory"}});
    if (random() % 4 == 0) said = mutate(said, random);
    socket.write(said);
    for (int j = 0; j < 4; ++j) {
      std::string message = messages[random() % messages.size()];
      if (random() % 2 == 0) message = mutate(message, random);
      socket.write(message);
    }
  }
  // It has not, if nobody else is served.
  for (int attempt = 0;; ++attempt) {
    sluice_board* board = nullptr;
    const int result = sluice_board_open(served.uri().c_str(), &board);
    sluice_board_close(board);
    if (result == 0) break;
    ASSERT_LT(attempt, 10'000) << sluice_last_error();
    std::this_thread::sleep_for(milliseconds(10));
  }
  Client client(served.uri(), "memory1.s2mm");
  client.set("memory.rate", 0);
  client.set("memory.periods", 0);
  client.set("memory.counter", 1);
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  EXPECT_EQ(client.take(100), 0U);
}

// Something that listens, and has an answer to each message of whoever comes, whatever it is.
class Pretender {
 public:
  using Answers = std::vector<std::string>;
  explicit Pretender(std::vector<Answers> says, milliseconds delay = {})
      : says_(std::move(says)), listens_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = place(0);
    socklen_t bytes = sizeof address;
    EXPECT_EQ(::bind(listens_.fd, reinterpret_cast<const sockaddr*>(&address), bytes), 0);
    EXPECT_EQ(::listen(listens_.fd, 8), 0);
    EXPECT_EQ(::getsockname(listens_.fd, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, delay] {
      for (const Answers& answers : says_) {
        const Socket client(::accept(listens_.fd, nullptr, nullptr));
        std::array<char, 4096> ignored{};
        for (const std::string& answer : answers) {
          if (::recv(client.fd, ignored.data(), ignored.size(), 0) <= 0) break;
          std::this_thread::sleep_for(delay);
          client.write(answer);
        }
        ::shutdown(client.fd, SHUT_WR);
        while (::recv(client.fd, ignored.data(), ignored.size(), 0) > 0) continue;
      }
    });
  }
  ~Pretender() { thread_.join(); }
  Pretender(const Pretender&) = delete;
  Pretender& operator=(const Pretender&) = delete;
  [[nodiscard]] std::string uri() const {
    return "tcp:127.0.0.1:" + std::to_string(port_) + "/memory";
  }
  [[nodiscard]] std::string name() const {
    return "the server at 127.0.0.1 port " + std::to_string(port_);
  }

 private:
  std::vector<Answers> says_;
  Socket listens_;
  uint16_t port_ = 0;
  std::thread thread_;
};

TEST(Tcp, RefusesWhatIsNoServer) {
  const Pretender pretender({{"HTTP/1.0 400 Bad Request\r\n\r\n"},
                             {greeting(7)},
                             {greeting() + tcp::goodbye("odd \xff\x1b")}});
  EXPECT_EQ(open_refusal(pretender.uri(), EPROTO), pretender.name() + " is no `sluice serve`");
  EXPECT_EQ(open_refusal(pretender.uri(), EPROTO),
            pretender.name() + " speaks version 7 of the protocol, and libsluice " SLUICE_VERSION
                               " speaks version 1; use the same release at both ends");
  EXPECT_EQ(open_refusal(pretender.uri(), ECONNRESET),
            pretender.name() + " ends the connection: odd ??");
}

// What a server says.
std::string answer(nlohmann::json content) {
  content["now_ns"] = 5;
  return tcp::frame(tcp::Kind::answer, tcp::kNoChannel, content.dump());
}

std::string opened() {
  return answer({{"id", 1},
                 {"limit_bytes", 100},
                 {"channels", {"memory0.s2mm"}},
                 {"board",
                  {{"board", "b"},
                   {"design", "d"},
                   {"simulated_time", 0},
                   {"port_count", 1},
                   {"width_bits", 64},
                   {"clock_khz", 1},
                   {"start_cost_ns", 0}}}});
}

std::string described() {
  return answer({{"id", 2},
                 {"port", ""},
                 {"direction", 2},
                 {"width_bits", 64},
                 {"offset_alignment", 8},
                 {"length_alignment", 8},
                 {"max_bytes", 65536},
                 {"max_packet_bytes", 65536},
                 {"capabilities", 0x1c}});
}

std::string started() { return answer({{"id", 3}, {"clock_hz", 1}, {"exact", 1}}); }

std::string period(uint64_t number) {
  std::array<uint8_t, tcp::kRecordBytes> record{};
  tcp::write_record(record.data(), {.number = number,
                                    .period = {.bytes = kPeriodBytes, .exact = 1},
                                    .known = true,
                                    .payload = kPeriodBytes});
  std::string content(record.begin(), record.end());
  content.resize(content.size() + kPeriodBytes);
  return tcp::frame(tcp::Kind::period, 0, content);
}

TEST(Tcp, ALossBehindGoodPeriodsIsShownInItsTurn) {
  const auto good = [](uint64_t number) {
    return period(number) + tcp::settled(0, {.first = number, .count = 1, .lost = 0, .time_ns = 0});
  };
  const std::string stream = started() + good(0) +
                             tcp::lost(0, {.first = 1, .count = 2, .time_ns = 3, .records = 0}) +
                             good(3);
  const Pretender::Answers said{greeting(), opened(), described(), stream,
                                answer({{"id", 4}, {"value", 7}})};
  const Pretender pretender({said, said});
  for (const bool at_once : {false, true}) {
    Client client(pretender.uri());
    ASSERT_EQ(client.start(), 0) << sluice_last_error();
    uint64_t produced = 0;
    ASSERT_EQ(sluice_capture_wait(client.channel, 0, -1, &produced), 1) << sluice_last_error();
    EXPECT_EQ(get_attribute(client.board.get(), "all of it has come"), 7U);
    EXPECT_EQ(client.status().produced, 1U);
    EXPECT_EQ(client.status().lost, 0U);
    // A program may wait for more than the next.
    ASSERT_EQ(sluice_capture_wait(client.channel, 3, -1, &produced), 1) << sluice_last_error();
    EXPECT_EQ(produced, 4U);
    EXPECT_EQ(client.status().lost, 2U);
    sluice_capture_answer answer{};
    if (!at_once) {
      check(sluice_capture_release(client.channel, 1, &answer, sizeof answer));
      EXPECT_EQ(answer.lost, 0U);
    }
    check(sluice_capture_release(client.channel, 4, &answer, sizeof answer));
    EXPECT_EQ(answer.lost, at_once ? 3U : 2U);
    EXPECT_EQ(client.status().lost, answer.lost);
  }
}

// Signals, one after the other, whose handler does nothing.
class Signals {
 public:
  Signals() {
    struct sigaction ignored{};
    ignored.sa_handler = [](int) {};
    ignored.sa_flags = SA_RESTART;
    EXPECT_EQ(::sigaction(SIGALRM, &ignored, &before_), 0);
    const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 5'000},
                          .it_value = {.tv_sec = 0, .tv_usec = 5'000}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Signals() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct sigaction before_{};
};

TEST(Tcp, ASignalDoesNotEndTheOpening) {
  const Pretender pretender({{greeting(), opened()}}, milliseconds(30));
  sluice_board* board = nullptr;
  {
    const Signals signals;
    EXPECT_EQ(sluice_board_open(pretender.uri().c_str(), &board), 0) << sluice_last_error();
  }
  sluice_board_close(board);
}

TEST(Tcp, ASignalEndsAWaitForASimulatedBoard) {
  constexpr int64_t kLong_ns = 1'000'000'000'000;  // of simulated time
  sluice_board* simulated = nullptr;
  ASSERT_EQ(sluice_board_open("sim:zynq7010/capture?level=transaction", &simulated), 0)
      << sluice_last_error();
  const Served served({}, simulated);
  Client client(served.uri(), "hp0.s2mm");
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  {
    const Signals signals;
    for (int i = 0; i < 20; ++i)
      ASSERT_EQ(sluice_capture_wait(client.channel, 0, i % 2 == 0 ? -1 : kLong_ns, nullptr), -EINTR)
          << sluice_last_error();
  }
  // Its time stands still, and the capture goes on.
  const uint64_t now_ns = sluice_board_now_ns(client.board.get());
  client.set("hp0.source.packet_beats", kPeriodBytes / 8);
  EXPECT_LT(sluice_board_now_ns(client.board.get()) - now_ns, 1'000'000U);
  client.set("hp0.source.continuous", 1);
  client.set("hp0.source.enable", 1);
  uint64_t produced = 0;
  ASSERT_EQ(sluice_capture_wait(client.channel, 2, kLong_ns, &produced), 1) << sluice_last_error();
  for (uint64_t number = 0; number < 3; ++number) EXPECT_TRUE(client.right(number)) << number;
}

TEST(Tcp, AClientSurvivesWhatServersSay) {
  std::vector<std::string> frames;
  for (uint64_t number = 0; number < 4; ++number) {
    frames.push_back(period(number));
    frames.push_back(
        tcp::settled(0, {.first = number, .count = 1, .lost = number % 2, .time_ns = 0}));
  }
  frames.push_back(tcp::lost(0, {.first = 4, .count = 9, .time_ns = 3, .records = 0}));
  frames.push_back(tcp::status(7));
  frames.push_back(tcp::ended(0, EPIPE, "it has stopped"));
  std::minstd_rand random(seed());
  std::vector<Pretender::Answers> says;
  for (int i = 0; i < 200; ++i) {
    Pretender::Answers said{greeting()};
    bool whole = true;  // else the client may wait for more, and so would the server
    for (const std::string& first : {opened(), described(), started()}) {
      whole = whole && random() % 16 != 0;
      said.push_back(whole ? first : mutate(first, random));
      if (!whole) break;
    }
    for (const std::string& frame : frames)
      if (random() % 8 != 0) said.back() += random() % 8 == 0 ? mutate(frame, random) : frame;
    says.push_back(said);
  }
  const Pretender pretender(says);
  uint64_t captured = 0;
  for (size_t i = 0; i < says.size(); ++i) {
    sluice_board* opened_board = nullptr;
    if (sluice_board_open(pretender.uri().c_str(), &opened_board) < 0) continue;
    const BoardHandle board(opened_board);
    sluice_channel* found = sluice_board_channel(board.get(), 0);
    if (found == nullptr) continue;
    const BufferHandle buffer = allocate(board.get(), kPeriods * kPeriodBytes);
    const sluice_capture capture{.buffer = buffer.get(),
                                 .offset = 0,
                                 .period_bytes = kPeriodBytes,
                                 .periods = kPeriods,
                                 .flags = 0};
    if (sluice_capture_start(found, &capture, sizeof capture) < 0) continue;
    uint64_t next = 0;
    while (sluice_capture_wait(found, next, -1, &next) == 1) {
      sluice_capture_answer released{};
      EXPECT_EQ(sluice_capture_release(found, next, &released, sizeof released), 0)
          << sluice_last_error();
      captured += next - released.released;
    }
    EXPECT_NE(sluice_last_error()[0], '\0');
  }
  EXPECT_GT(captured, says.size());  // most say something of use first
}

// --- either end is killed -----------------------------------------------------------------------

// A child process; what it writes comes through a pipe.
class Child {
 public:
  template <typename Body>
  explicit Child(Body body) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      body(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    reads_ = ends[0];
  }
  ~Child() {
    kill();
    ::close(reads_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = 0;
  }
  std::string line() const {
    std::string found;
    for (char letter = 0; ::read(reads_, &letter, 1) == 1 && letter != '\n';) found += letter;
    return found;
  }

 private:
  pid_t id_ = 0;
  int reads_ = -1;
};

void say(int to, const std::string& words) {
  const std::string line = words + "\n";
  (void)!::write(to, line.data(), line.size());
}

void serve_in_child(int to, uint16_t port) {
  try {
    const auto server = make_server(port);
    say(to, std::to_string(server->port()));
    server->run();
  } catch (const std::exception& error) {
    say(to, error.what());
  }
}

// Captures until something is wrong, and says what.
void capture_in_child(int to, const std::string& uri, uint32_t flags) {
  try {
    Client client(uri);
    check(client.start(flags));
    say(to, "started");
    for (uint64_t next = 0;;) {
      uint64_t produced = 0;
      check(sluice_capture_wait(client.channel, next, -1, &produced));
      for (; next < produced; ++next)
        if (!client.right(next)) {
          sluice_capture_answer answer{};
          check(sluice_capture_release(client.channel, next + 1, &answer, sizeof answer));
          if (answer.lost == 0) return say(to, "wrong data");
        }
      sluice_capture_answer answer{};
      check(sluice_capture_release(client.channel, produced, &answer, sizeof answer));
    }
  } catch (const std::exception& error) {
    say(to, error.what());
  }
}

// A client that starts a capture as soon as the last one's has ended.
void expect_next_works(const std::string& uri) {
  Client next(uri);
  int result = 0;
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    result = next.start();
    if (result != -EBUSY) break;
    std::this_thread::sleep_for(milliseconds(5));
  }
  ASSERT_EQ(result, 0) << sluice_last_error();
  next.take(20);
}

TEST(Tcp, WhatHadComeIsReleasedAfterTheEnd) {
  Child server([](int to) { serve_in_child(to, 0); });
  Client client("tcp:127.0.0.1:" + server.line() + "/memory");
  ASSERT_EQ(client.start(), 0) << sluice_last_error();
  uint64_t produced = 0;
  ASSERT_EQ(sluice_capture_wait(client.channel, kPeriods - 2, -1, &produced), 1);
  server.kill();
  sluice_capture_answer answer{};
  for (uint64_t number = 1; number <= produced; ++number) {
    EXPECT_TRUE(client.right(number - 1));
    EXPECT_EQ(sluice_capture_release(client.channel, number, &answer, sizeof answer), 0)
        << sluice_last_error();
    EXPECT_EQ(answer.lost, 0U);
  }
  EXPECT_EQ(sluice_capture_wait(client.channel, produced, -1, nullptr), -ECONNRESET);
  EXPECT_EQ(sluice_capture_stop(client.channel), 0);
  EXPECT_EQ(sluice_buffer_free(client.buffer.release()), 0) << sluice_last_error();
}

TEST(Tcp, AFullRingThatHoldsTheStreamIsNoSilence) {
  if (std::getenv("SLUICE_FULL") == nullptr) GTEST_SKIP() << "takes 11 s: SLUICE_FULL";
  const Served served;
  Client client(served.uri());
  ASSERT_EQ(client.start(SLUICE_CAPTURE_HOLD), 0) << sluice_last_error();
  ASSERT_EQ(sluice_capture_wait(client.channel, kPeriods - 2, -1, nullptr), 1);
  for (int i = 0; i < 110; ++i)
    ASSERT_EQ(sluice_capture_wait(client.channel, kPeriods, 100'000'000, nullptr), 0)
        << sluice_last_error();
  EXPECT_EQ(client.take(100), 0U);
}

TEST(Tcp, EitherEndMayBeKilled) {
  const bool full = std::getenv("SLUICE_FULL") != nullptr;
  const int rounds = full ? 200 : 5;
  std::minstd_rand random(seed());
  std::vector<double> ends_ms;
  auto server = std::make_unique<Child>([](int to) { serve_in_child(to, 0); });
  const auto port = static_cast<uint16_t>(std::stoi(server->line()));
  const std::string uri = "tcp:127.0.0.1:" + std::to_string(port) + "/memory";
  for (int round = 0; round < rounds; ++round) {
    const uint32_t flags = random() % 2 == 0 ? 0 : SLUICE_CAPTURE_HOLD;
    Child client([&](int to) { capture_in_child(to, uri, flags); });
    // At once, so that the connection is being made, or after some time.
    const auto pause = microseconds(random() % (random() % 2 == 0 ? 2'000 : 40'000));
    if (random() % 2 == 0) {
      ASSERT_EQ(client.line(), "started");
    }
    std::this_thread::sleep_for(pause);
    if (random() % 2 == 0) {
      client.kill();
    } else {
      server->kill();
      const auto killed = std::chrono::steady_clock::now();
      std::string reason = client.line();
      if (reason == "started") reason = client.line();
      ends_ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - killed)
              .count());
      EXPECT_TRUE(reason.ends_with("closed the connection") ||
                  reason.find("no server answers at") != std::string::npos)
          << reason;
      server = std::make_unique<Child>([port](int to) { serve_in_child(to, port); });
      ASSERT_EQ(server->line(), std::to_string(port));
    }
    expect_next_works(uri);
  }
  if (const char* file = std::getenv("SLUICE_KILL_RESULT"))
    std::ofstream(file) << nlohmann::json{{"rounds", rounds},
                                          {"seed", seed()},
                                          {"servers_killed", ends_ms.size()},
                                          {"client_ended_after_ms", ends_ms}}
                        << "\n";
}

}  // namespace
}  // namespace sluice
