// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/tlp_capture.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

namespace sluice::model {
namespace {

constexpr std::uint16_t kRootId = 0;
constexpr std::uint16_t kPort = 0x3000;
constexpr std::uint16_t kPortMask = 0x1fff;  // of those that are NetTLP's
constexpr std::uint32_t kPageBytes = 4096;

// Numbers in the order of the network.
class Bytes {
 public:
  template <typename... Values>
  explicit Bytes(Values... values) : bytes_{static_cast<std::uint8_t>(values)...} {}
  void put(std::uint64_t value, unsigned bytes) {
    while (bytes-- > 0) bytes_.push_back(static_cast<std::uint8_t>(value >> 8U * bytes));
  }
  void put(const Bytes& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const char* data() const { return reinterpret_cast<const char*>(bytes_.data()); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Header and payload (Base Specification 3.0, 2.2).
Bytes on_the_link(const Tlp& tlp, std::uint16_t card_id) {
  constexpr std::uint32_t kMemory = 0x00, kCompletion = 0x0a, kWithData = 0x40, kFourDwords = 0x20;
  const std::uint16_t sender = tlp.upstream ? card_id : kRootId;
  const std::uint16_t receiver = tlp.upstream ? kRootId : card_id;
  const bool completion = tlp.kind == Tlp::Kind::completion;
  const auto lane = static_cast<std::uint32_t>(tlp.address & 3U);
  const std::uint32_t dwords = completion && tlp.bytes == 0 ? 0U : tlp.dwords();

  Bytes header;
  header.put((completion ? kCompletion : kMemory) | (tlp.carries_data() ? kWithData : 0U) |
                 (tlp.header_bytes() == 16U ? kFourDwords : 0U),
             1);
  header.put(0, 1);
  header.put(dwords & 0x3ffU, 2);
  header.put(sender, 2);
  if (completion) {
    header.put(std::uint32_t{tlp.status} << 13U | (tlp.byte_count & (kPageBytes - 1U)), 2);
    header.put(receiver, 2);
    header.put(tlp.tag, 1);
    header.put(tlp.address & 0x7fU, 1);
  } else {
    const std::uint32_t first = 0xfU << lane & 0xfU;
    const std::uint32_t last = 0xfU >> (4U * dwords - lane - tlp.bytes);
    header.put(tlp.tag, 1);
    header.put(dwords == 1 ? first & last : last << 4U | first, 1);
    header.put(tlp.address & ~std::uint64_t{3}, tlp.header_bytes() - 8U);
  }
  if (!tlp.carries_data()) return header;
  for (std::uint32_t i = 0; i < 4U * dwords; ++i)
    header.put(i < lane || i - lane >= tlp.bytes ? 0U : tlp.data[i - lane], 1);
  return header;
}

// Ethernet, IPv4 and UDP around it. UDP's checksum may be 0: none.
Bytes datagram(const Bytes& payload, bool upstream, std::uint16_t port) {
  constexpr std::uint32_t kCard = 0x0a00'0001, kHost = 0x0a00'0002;
  constexpr std::uint32_t kIpBytes = 20, kUdpBytes = 8;
  const auto udp = static_cast<std::uint32_t>(kUdpBytes + payload.size());
  const std::uint32_t from = upstream ? kCard : kHost;
  const std::uint32_t to = upstream ? kHost : kCard;
  const std::uint32_t words[] = {0x4500,      kIpBytes + udp, 0,         0x4000,      0x4011,
                                 from >> 16U, from & 0xffffU, to >> 16U, to & 0xffffU};
  std::uint32_t sum = 0;
  for (const std::uint32_t word : words) sum += word;
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);

  Bytes frame(2, 0, 0, 0, 0, upstream ? 2 : 1, 2, 0, 0, 0, 0, upstream ? 1 : 2, 8, 0);
  for (unsigned i = 0; i < 5; ++i) frame.put(words[i], 2);
  frame.put(~sum, 2);
  for (unsigned i = 5; i < 9; ++i) frame.put(words[i], 2);
  frame.put(port, 2);
  frame.put(port, 2);
  frame.put(udp, 2);
  frame.put(0, 2);
  frame.put(payload);
  return frame;
}

}  // namespace

TlpCapture::TlpCapture(const std::string& file, std::uint16_t card_id)
    : name_(file), file_(file, std::ios::binary | std::ios::trunc), card_id_(card_id) {
  // pcap's header: magic of nanoseconds in this order, version 2.4, longest packet, Ethernet.
  Bytes header;
  header.put(0xa1b2'3c4d, 4);
  header.put(2, 2);
  header.put(4, 2);
  header.put(0, 8);
  header.put(65535, 4);
  header.put(1, 4);
  file_.write(header.data(), static_cast<std::streamsize>(header.size()));
  if (!file_) throw std::system_error(errno, std::generic_category(), file);
}

TlpCapture::~TlpCapture() {
  if (failed_ || file_.flush()) return;
  std::fprintf(stderr, "sluice: %s lacks the last packets of the link: %s\n", name_.c_str(),
               std::generic_category().message(errno).c_str());
}

void TlpCapture::packet(std::uint64_t time_ps, const Tlp& tlp) {
  if (failed_) return;
  const std::uint64_t time_ns = time_ps / 1000U;
  Bytes payload;
  payload.put(sequence_++, 2);
  payload.put(time_ns, 4);
  payload.put(on_the_link(tlp, card_id_));
  const Bytes frame =
      datagram(payload, tlp.upstream, static_cast<std::uint16_t>(kPort + (tlp.tag & kPortMask)));
  Bytes record;
  record.put(time_ns / 1'000'000'000U, 4);
  record.put(time_ns % 1'000'000'000U, 4);
  record.put(frame.size(), 4);
  record.put(frame.size(), 4);
  record.put(frame);
  file_.write(record.data(), static_cast<std::streamsize>(record.size()));
  failed_ = !file_;
}

}  // namespace sluice::model
