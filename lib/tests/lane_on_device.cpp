// SPDX-License-Identifier: Apache-2.0
// What the library does, by the real driver, on a lane of the design hp_stress, whose engine takes
// no descriptors. Run in a guest by driver/tests/test_zynq_logic.py; says why it fails.
//
//   lane_on_device URI LANE ROUNDS SEED   packets from the lane's source, to its sink, and in
//                                         loop-back; a time limit; what is refused
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <sluice.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sluice;

constexpr int64_t kWaitNs = 600'000'000'000;  // against hanging only
constexpr unsigned kQueued = 8;
constexpr uint64_t kBytes = 65536;  // contiguous, of the system heap too
constexpr uint64_t kBeatBytes = 8;
constexpr uint64_t kPieceBytes = 1 << 20;

using Lengths = std::vector<uint64_t>;
using Buffers = std::vector<BufferHandle>;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what + "; the library's last: " + sluice_last_error());
}

struct Lane {
  Lane(sluice_board* of, std::string called)
      : board(of),
        name(std::move(called)),
        tx(find_channel(of, name + ".mm2s")),
        rx(find_channel(of, name + ".s2mm")) {
    for (unsigned i = 0; i < kQueued; ++i) {
      sent.push_back(allocate(board, kBytes));
      received.push_back(allocate(board, kBytes));
    }
  }
  void set(const char* what, uint64_t value) const {
    set_attribute(board, name + "." + what, value);
  }
  [[nodiscard]] uint64_t get(const char* what) const {
    return get_attribute(board, name + "." + what);
  }

  sluice_board* board;
  std::string name;
  sluice_channel *tx, *rx;
  Buffers sent, received;
};

std::span<uint32_t> words_of(sluice_buffer* buffer, uint64_t bytes) {
  return {reinterpret_cast<uint32_t*>(bytes_of(buffer).data()), bytes / sizeof(uint32_t)};
}

void submit_all(sluice_channel* channel, const Buffers& buffers, const Lengths& lengths,
                uint32_t flags) {
  std::vector<sluice_transfer> transfers;
  for (unsigned i = 0; i < kQueued; ++i)
    transfers.push_back({.buffer = buffers[i].get(),
                         .bytes = lengths[i],
                         .cookie = i,
                         .timeout_ns = kWaitNs,
                         .flags = flags});
  require(sluice_channel_submit(channel, transfers.data(), kQueued, sizeof transfers[0]) == kQueued,
          "transfers are not taken");
}

void reap_all(sluice_channel* channel, const Lengths& lengths) {
  for (unsigned i = 0; i < kQueued; ++i) {
    const sluice_completion done = wait(channel, kWaitNs);
    require(done.status == 0, sluice_status_text(done.status));
    require(done.cookie == i && done.bytes == lengths[i], "not the transfer that was next");
  }
}

// One packet a transfer; each word is the one before it plus 1.
void from_source(const Lane& lane, std::mt19937_64& random) {
  const uint64_t beats = 1 + random() % (kBytes / kBeatBytes);
  const Lengths lengths(kQueued, beats * kBeatBytes);
  auto next = static_cast<uint32_t>(random());
  lane.set("loopback", 0);
  lane.set("source.clear", 1);
  lane.set("source.start", next);
  lane.set("source.packet_beats", beats);
  lane.set("source.frame_packets", kQueued);
  lane.set("source.frames", 1);
  submit_all(lane.rx, lane.received, lengths, SLUICE_TRANSFER_FILL);
  lane.set("source.enable", 1);
  reap_all(lane.rx, lengths);
  lane.set("source.enable", 0);
  for (const BufferHandle& buffer : lane.received) {
    const Access access(buffer.get(), SLUICE_READ);
    for (const uint32_t word : words_of(buffer.get(), lengths[0]))
      require(word == next++, "a word of the source is wrong");
  }
}

// The sink compares each word with the one that it expects.
void to_sink(const Lane& lane, std::mt19937_64& random) {
  Lengths lengths;
  auto next = static_cast<uint32_t>(random());
  uint64_t bytes = 0;
  lane.set("loopback", 0);
  lane.set("sink.clear", 1);
  lane.set("sink.start", next);
  lane.set("sink.check", 1);
  lane.set("sink.enable", 1);
  for (const BufferHandle& buffer : lane.sent) {
    lengths.push_back(kBeatBytes * (1 + random() % (kBytes / kBeatBytes)));
    bytes += lengths.back();
    const Access access(buffer.get(), SLUICE_WRITE);
    std::ranges::generate(words_of(buffer.get(), lengths.back()), [&] { return next++; });
  }
  submit_all(lane.tx, lane.sent, lengths, 0);
  reap_all(lane.tx, lengths);
  require(lane.get("sink.bytes") == bytes && lane.get("sink.packets") == kQueued &&
              lane.get("sink.mismatch") == 0,
          "the sink has taken something else");
  lane.set("sink.enable", 0);
}

// Random bytes, packets of any length.
void loopback(const Lane& lane, std::mt19937_64& random) {
  Lengths lengths;
  lane.set("loopback", 1);
  for (const BufferHandle& buffer : lane.sent) {
    lengths.push_back(1 + random() % kBytes);
    const Access access(buffer.get(), SLUICE_WRITE);
    std::ranges::generate(bytes_of(buffer.get()), [&] { return static_cast<uint8_t>(random()); });
  }
  submit_all(lane.rx, lane.received, lengths, SLUICE_TRANSFER_FILL);
  submit_all(lane.tx, lane.sent, lengths, 0);
  reap_all(lane.tx, lengths);
  reap_all(lane.rx, lengths);
  for (unsigned i = 0; i < kQueued; ++i) {
    sluice_buffer *from = lane.sent[i].get(), *to = lane.received[i].get();
    const Access source(from, SLUICE_READ), destination(to, SLUICE_READ);
    require(std::memcmp(bytes_of(from).data(), bytes_of(to).data(), lengths[i]) == 0,
            "data did not come back as it was");
  }
}

// Nothing comes; then the lane works as before.
void limit(const Lane& lane) {
  constexpr uint64_t kLimitNs = 50'000'000;
  lane.set("loopback", 1);
  sluice_transfer receive{.buffer = lane.received[0].get(),
                          .bytes = 64,
                          .timeout_ns = kLimitNs,
                          .flags = SLUICE_TRANSFER_FILL};
  submit(lane.rx, receive);
  receive.timeout_ns = 0;
  submit(lane.rx, receive);
  require(wait(lane.rx, kWaitNs).status == -ETIMEDOUT, "no time limit");
  require(wait(lane.rx, kWaitNs).status == -ECANCELED, "not cancelled beside it");
}

void refused(const Lane& lane) {
  for (sluice_channel* channel : {lane.tx, lane.rx}) {
    sluice_channel_info info{};
    check(sluice_channel_get_info(channel, &info, sizeof info));
    require(info.capabilities == SLUICE_CAN_CANCEL, "it says that it can do more");
  }
  // A heap's pieces are of 1 MiB: so it has some that do not follow one another.
  Buffers apart;
  for (unsigned i = 0; i < 2 * kQueued; ++i) apart.push_back(allocate(lane.board, kPieceBytes));
  for (unsigned i = 0; i < 2 * kQueued; i += 2) apart[i].reset();
  const BufferHandle large = allocate(lane.board, kQueued * kPieceBytes);
  const sluice_transfer transfer{.buffer = large.get(), .bytes = kQueued * kPieceBytes};
  require(sluice_channel_submit(lane.tx, &transfer, 1, sizeof transfer) == -EINVAL, "pieces");
  std::printf("pieces: %s\n", sluice_last_error());
  require(sluice_channel_submit(lane.rx, &transfer, 1, sizeof transfer) == -ENOTSUP, "a packet");
  std::printf("packet: %s\n", sluice_last_error());
}

void test(const std::string& uri, const std::string& name, unsigned rounds, uint64_t seed) {
  const BoardHandle board = open_board(uri);
  const Lane lane(board.get(), name);
  std::mt19937_64 random(seed);
  refused(lane);
  for (unsigned round = 0; round < rounds; ++round) {
    from_source(lane, random);
    to_sink(lane, random);
    loopback(lane, random);
    limit(lane);
  }
  std::printf("rounds %u\n", rounds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "lane_on_device: give URI LANE ROUNDS SEED\n");
    return 2;
  }
  try {
    test(argv[1], argv[2], static_cast<unsigned>(std::stoul(argv[3])), std::stoull(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lane_on_device: %s\n", error.what());
    return 1;
  }
  return 0;
}
