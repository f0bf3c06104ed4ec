// SPDX-License-Identifier: Apache-2.0
// PcieWire: one direction of a link. It carries one packet after another, without gaps if there is
// always one, and DLLPs between them.
//
// Bytes on the wire (Base Specification 3.0, 2.2 and 3.4): header, payload in whole dwords, and 8
// for sequence number, LCRC and framing; a DLLP has 8. Not thread-safe.
#pragma once

#include <cstdint>

namespace sluice::model {

/// A transaction-layer packet.
struct Tlp {
  enum class Kind : std::uint8_t { memory_read, memory_write, completion };
  Kind kind = Kind::memory_read;
  bool upstream = true;     ///< from the card to the host
  std::uint8_t status = 0;  ///< of a completion: 0 successful, 1 unsupported request, 4 abort
  std::uint16_t tag = 0;
  std::uint64_t address = 0;     ///< of its first byte; of a completion: of the first byte in it
  std::uint32_t bytes = 0;       ///< asked for or carried; of a failed completion 0
  std::uint32_t byte_count = 0;  ///< of a completion: what the request still lacks, with it
  const std::uint8_t* data = nullptr;  ///< of the bytes carried; only while it is observed

  static constexpr std::uint32_t kFraming = 8;

  [[nodiscard]] bool carries_data() const { return kind != Kind::memory_read && bytes != 0; }
  [[nodiscard]] std::uint32_t dwords() const {
    return bytes == 0 ? 1U : (static_cast<std::uint32_t>(address & 3U) + bytes + 3U) / 4U;
  }
  [[nodiscard]] std::uint32_t header_bytes() const {
    return kind != Kind::completion && (address >> 32U) != 0 ? 16U : 12U;
  }
  [[nodiscard]] std::uint32_t wire_bytes() const {
    return kFraming + header_bytes() + (carries_data() ? 4U * dwords() : 0U);
  }
};

/// Sees every packet as its first byte leaves.
class TlpObserver {
 public:
  virtual ~TlpObserver() = default;
  virtual void packet(std::uint64_t time_ps, const Tlp& tlp) = 0;
};

class PcieWire {
 public:
  static constexpr std::uint32_t kDllpBytes = 8;

  explicit PcieWire(double mb_s) : byte_fs_(1e9 / mb_s) {}

  /// Nothing is being sent at that time.
  [[nodiscard]] bool idle(std::uint64_t now_ps) const { return free_fs_ <= now_ps * 1000U; }
  /// When the last byte of what is being sent leaves, rounded up.
  [[nodiscard]] std::uint64_t free_ps() const { return (free_fs_ + 999U) / 1000U; }

  /// Sends so many bytes behind what is being sent, no earlier than now. Returns free_ps().
  std::uint64_t send(std::uint64_t now_ps, std::uint32_t bytes);
  std::uint64_t send_dllp(std::uint64_t now_ps) {
    ++dllps_;
    return send(now_ps, kDllpBytes);
  }

  /// Sent since construction.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t dllps() const { return dllps_; }

 private:
  double byte_fs_;
  std::uint64_t free_fs_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t dllps_ = 0;
};

}  // namespace sluice::model
