// SPDX-License-Identifier: Apache-2.0
// Random clients: right, nearly right and nonsense. The server answers or ends the connection, the
// device sees no access outside its regions, and memory is what an independent list of maps says.
// 20,000 messages, or with SLUICE_FULL in the environment 1,000,000.
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>

#include "client.hpp"
#include "seed.hpp"

namespace sluice::cosim {
namespace {

using wire::Command;
constexpr uint64_t kPage = GuestMemory::kPage;
constexpr unsigned kFilePages = 4;

unsigned long messages_wanted() {
  return std::getenv("SLUICE_FULL") != nullptr ? 1'000'000 : 20'000;
}

class RandomClient {
 public:
  explicit RandomClient(uint64_t seed) : random_(seed) {}

  void connect() {
    client_ = std::make_unique<Client>(device_);
    maps_.clear();
    if (chance(95)) client_->hello();
    connected_ = true;
  }

  void step() {
    if (!connected_) connect();
    Bytes message = make_message();
    const std::vector<int> files = make_files(static_cast<Command>(header_of(message).command));
    if (chance(20)) mutate(message);
    send(message, files);
    if (connected_ && header_of(message).bytes != message.size()) babble();
    if (connected_) note(message, files);
    if (connected_) compare();
    if (chance(1)) connected_ = false;
  }

  unsigned long sent_away = 0;
  unsigned long refused = 0;
  unsigned long reads = 0;

 private:
  struct Map {
    uint64_t address, size;
    bool readable;
  };

  uint64_t below(uint64_t end) {
    return std::uniform_int_distribution<uint64_t>(0, end - 1)(random_);
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  uint64_t number(uint64_t usual) {
    switch (below(20)) {
      case 0: return random_();
      case 1: return ~uint64_t{0} - below(kPage + 2);
      case 2: return below(kPage);
      default: return below(usual);
    }
  }
  uint64_t pages(uint64_t usual) {
    return chance(3) ? number(usual * kPage) : kPage * below(usual);
  }

  std::vector<int> make_files(Command command) {
    if (command == Command::kDmaMap && chance(80)) return {memory_.get()};
    if (command == Command::kDeviceSetIrqs && chance(60))
      return std::vector<int>(below(5), event_.get());
    std::vector<int> files(below(chance(5) ? 12 : 3));
    for (int& file : files) file = some_file();
    return files;
  }

  int some_file() {
    switch (below(8)) {
      case 0: return not_memory_.get();
      case 1:
      case 2: return event_.get();
      default: return memory_.get();
    }
  }

  Bytes make_message() {
    const auto command = static_cast<Command>(chance(3) ? below(0x10000) : 1 + below(13));
    const bool posted = command == Command::kRegionWrite && chance(50);
    return Client::message(command, make_body(command), posted ? wire::kNoReply : 0);
  }

  Bytes make_body(Command command) {
    const auto word = [&](uint64_t usual) { return static_cast<uint32_t>(number(usual)); };
    switch (command) {
      case Command::kDmaMap:
        return pack(
            wire::DmaMap{chance(97) ? 32u : word(64), word(4), pages(2), pages(16), pages(5)});
      case Command::kDmaUnmap: {
        wire::DmaUnmap body{chance(97) ? 24u : word(64), chance(90) ? 0u : word(4), pages(16),
                            pages(5)};
        if (!maps_.empty() && chance(60)) {
          const Map& map = maps_[below(maps_.size())];
          body.address = map.address;
          body.size = map.size;
        }
        return pack(body);
      }
      case Command::kDeviceGetInfo: return pack(word(40), word(2), word(2), word(2));
      case Command::kDeviceGetRegionInfo:
        return pack(word(70), 0u, word(10), 0u, number(2), number(2));
      case Command::kDeviceGetIrqInfo: return pack(word(40), 0u, word(6), 0u);
      case Command::kDeviceSetIrqs:
        return pack(20u, chance(60) ? 0x24u : word(64), chance(80) ? 2u : word(6), word(5),
                    word(5)) +
               Bytes(below(6));
      case Command::kRegionRead: return pack(number(9000), word(9), word(300));
      case Command::kRegionWrite: {
        const uint32_t count = word(300);
        return pack(number(9000), word(9), count) + Bytes(chance(95) ? count % 9000 : below(400));
      }
      default: return Bytes(below(40));
    }
  }

  void mutate(Bytes& message) {
    for (unsigned i = 1 + static_cast<unsigned>(below(4)); i > 0; --i) {
      // Less often in the size, which ends the connection, or leaves the rest to be a header.
      const std::size_t at = chance(10) ? below(message.size()) : below(4) + (chance(50) ? 8 : 0);
      message[at] = static_cast<std::byte>(chance(50) ? below(256) : below(4));
    }
  }

  static wire::Header header_of(const Bytes& message) {
    wire::Header header{};
    std::memcpy(&header, message.data(), sizeof header);
    return header;
  }

  void send(std::span<const std::byte> message, std::span<const int> files) {
    last_error_.reset();
    const std::size_t cut = chance(5) ? 1 + below(message.size()) : message.size();
    client_->send_raw(message.first(cut), files);
    serve();
    if (!connected_ || cut == message.size()) return;
    client_->send_raw(message.subspan(cut));
    serve();
  }

  void serve() {
    if (!client_->server->serve(0)) {
      ++sent_away;
      EXPECT_FALSE(client_->server->complaint().empty());
      EXPECT_EQ(client_->server->memory().maps(), 0u);
      connected_ = false;
      return;
    }
    while (const auto answer = client_->receive()) {
      EXPECT_EQ(answer->header.flags & wire::kTypeMask, wire::kTypeReply);
      EXPECT_EQ((answer->header.flags & wire::kError) != 0, answer->error() != 0);
      EXPECT_TRUE(answer->error() == 0 || answer->body.empty());
      last_error_ = answer->error();
      refused += answer->error() != 0;
    }
  }

  // After a message that is not as long as it says, where others begin is anyone's guess.
  void babble() {
    for (unsigned i = 0; i < 3 && connected_; ++i) send(make_message(), {});
    connected_ = false;
  }

  // What the list of maps becomes, by what was asked and whether it was granted.
  void note(const Bytes& message, const std::vector<int>& files) {
    const wire::Header header = header_of(message);
    const auto command = static_cast<Command>(header.command);
    if (command != Command::kDmaMap && command != Command::kDmaUnmap) return;
    if (!last_error_) {
      connected_ = false;  // not answered: it may be either
      return;
    }
    if (*last_error_ != 0) return;
    const std::byte* body = message.data() + sizeof header;
    if (command == Command::kDmaMap) {
      wire::DmaMap map{};
      std::memcpy(&map, body, sizeof map);
      maps_.push_back({map.address, map.size, !files.empty() && (map.flags & wire::kMapRead) != 0});
      return;
    }
    wire::DmaUnmap unmap{};
    std::memcpy(&unmap, body, sizeof unmap);
    const bool all = (unmap.flags & wire::kUnmapAll) != 0;
    std::erase_if(maps_, [&](const Map& map) {
      return all || (map.address >= unmap.address && map.address - unmap.address < unmap.size);
    });
  }

  [[nodiscard]] bool readable(uint64_t address, uint64_t bytes) const {
    while (bytes > 0) {
      const auto map = std::find_if(maps_.begin(), maps_.end(), [&](const Map& one) {
        return one.readable && address >= one.address && address - one.address < one.size;
      });
      if (map == maps_.end()) return false;
      const uint64_t step = std::min(bytes, map->size - (address - map->address));
      bytes -= step;
      address += step;
      if (address == 0 && bytes > 0) return false;
    }
    return true;
  }

  void compare() {
    const GuestMemory& memory = client_->server->memory();
    EXPECT_EQ(memory.maps(), maps_.size());
    for (const uint64_t bytes : {uint64_t{1}, 1 + below(2 * kPage)}) {
      const uint64_t address = number(20 * kPage);
      Bytes data(bytes);
      const bool got = memory.read(address, data);
      EXPECT_EQ(got, readable(address, bytes)) << bytes << " bytes at " << address;
      if (!got) continue;
      EXPECT_TRUE(std::all_of(data.begin(), data.end(), [](std::byte b) { return b == kFill; }));
      ++reads;
    }
  }

  static constexpr std::byte kFill{0x5a};
  static File filled() {
    File file = memory_file(kFilePages * kPage);
    const Bytes fill(kFilePages * kPage, kFill);
    EXPECT_EQ(::pwrite(file.get(), fill.data(), fill.size(), 0), ssize_t(fill.size()));
    return file;
  }

  std::mt19937_64 random_;
  TestDevice device_;
  std::unique_ptr<Client> client_;
  bool connected_ = false;
  std::optional<int> last_error_;  // of the last message sent, if it was answered
  std::vector<Map> maps_;
  File memory_ = filled();
  File event_ = event();
  File not_memory_{::open("/dev/zero", O_RDWR | O_CLOEXEC)};
};

TEST(VfioUserFuzz, NoClientReachesBeyondItsMaps) {
  const unsigned long messages = messages_wanted();
  RandomClient client(test_seed());
  for (unsigned long i = 0; i < messages && !testing::Test::HasFailure(); ++i) client.step();
  RecordProperty("sent_away", static_cast<int>(client.sent_away));
  // The clients are neither all right nor all wrong.
  EXPECT_GT(client.sent_away, messages / 1000);
  EXPECT_GT(client.refused, messages / 10);
  EXPECT_GT(client.reads, messages / 100);
}

}  // namespace
}  // namespace sluice::cosim
