// SPDX-License-Identifier: Apache-2.0
// Faults that a card makes on command, as failing hardware would.
//
// A fault is armed, acts, and stays until it is cleared: neither a reset of the card nor another
// client ends it. Counts start at the arming.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/model/axi.hpp"

namespace sluice::cosim {

// A channel of a memory port.
enum class Channel : uint8_t { ar, r, aw, w, b };
inline constexpr std::array<std::string_view, 5> kChannelNames{"ar", "r", "aw", "w", "b"};
constexpr std::size_t index(Channel channel) { return static_cast<std::size_t>(channel); }

constexpr uint64_t kForEver = std::numeric_limits<uint64_t>::max();

// The memory answers with an error: reads, on that beat; writes, on the burst of that beat, none of
// which is done.
struct ResponseFault {
  unsigned port;
  bool write;
  model::Response response;           // slverr or decerr
  uint64_t skip = 0;                  // beats of the direction that go well before
  uint64_t beats = 1;                 // that fail
  std::optional<uint64_t> address{};  // only a beat that holds this byte

  bool operator==(const ResponseFault&) const = default;
};

// The memory does not answer: READY of ar, aw and w stays low, VALID of r and b. What was VALID
// before stays so, as AXI wants it. Cleared, all goes on where it stood.
struct StuckFault {
  unsigned port;
  Channel channel;
  uint64_t skip = 0;  // handshakes of the channel before

  bool operator==(const StuckFault&) const = default;
};

// A register's bits under the mask read as those of value, whatever they are.
struct RegisterFault {
  uint32_t offset;  // in BAR 0, a multiple of 4
  uint32_t mask;
  uint32_t value;

  bool operator==(const RegisterFault&) const = default;
};

// Messages of an interrupt line that are lost, or come twice: again once the line has fallen, when
// the first one's handler has cleared the cause.
struct InterruptFault {
  unsigned line;
  bool twice;
  uint64_t messages = 1;

  bool operator==(const InterruptFault&) const = default;
};

// As after surprise removal: configuration space and BARs read ones, writes go nowhere, transfers
// get DECERR, no message is sent.
struct RemovedFault {
  bool operator==(const RemovedFault&) const = default;
};

using Fault = std::variant<ResponseFault, StuckFault, RegisterFault, InterruptFault, RemovedFault>;

struct ArmedFault {
  unsigned id;
  Fault fault;
  uint64_t hits = 0;   // beats failed, register reads changed, messages lost or doubled
  uint64_t start = 0;  // the port's count of the channel when it was armed
};

// Of a port's faults, in order of arming: the ResponseFault that a beat of a direction meets, of
// `bytes` from `address` on, when `beats` went before it; null: none.
ArmedFault* response_fault(const std::vector<ArmedFault*>& faults, bool write, uint64_t beats,
                           uint64_t address, unsigned bytes);
// Whether a channel stands still after so many handshakes.
bool is_stuck(const std::vector<ArmedFault*>& faults, Channel channel, uint64_t handshakes);

}  // namespace sluice::cosim
