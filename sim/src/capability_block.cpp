// SPDX-License-Identifier: Apache-2.0
#include "capability_block.hpp"

#include <sl_capability.h>

#include <algorithm>

#include "words.hpp"

namespace sluice::sim {
namespace {

constexpr uint32_t kChannel = SL_CAPABILITY_CHANNEL0_PERIOD_OFFSET;
constexpr uint32_t kChannelEnd = SL_CAPABILITY_CHANNEL0_DONES_HI_OFFSET + 4;

}  // namespace

std::optional<uint32_t> CapabilityBlock::load(uint32_t offset, uint64_t cycle) {
  const auto& params = master_.params();
  switch (offset) {
    case SL_CAPABILITY_IDENTITY_OFFSET: return SL_CAPABILITY_IDENTITY_DEFAULT;
    case SL_CAPABILITY_VERSION_OFFSET: return SL_CAPABILITY_VERSION_DEFAULT;
    case SL_CAPABILITY_WIDTHS_OFFSET:
      return field(params.port_bits / 8, SL_CAPABILITY_WIDTHS_DATA_BYTES_MASK) |
             field(length_bits_, SL_CAPABILITY_WIDTHS_LEN_BITS_MASK) |
             field(32, SL_CAPABILITY_WIDTHS_ADDR_BITS_MASK) |
             field(64, SL_CAPABILITY_WIDTHS_COUNT_BITS_MASK);
    case SL_CAPABILITY_FEATURES_OFFSET:
      return SL_CAPABILITY_FEATURES_SG_MASK | SL_CAPABILITY_FEATURES_CYCLIC_MASK |
             field(1, SL_CAPABILITY_FEATURES_CHANNELS_MASK) |
             field(kSnapshots, SL_CAPABILITY_FEATURES_SNAPSHOTS_MASK);
    case SL_CAPABILITY_DEPTH_OFFSET:
      return field(params.buffer_beats, SL_CAPABILITY_DEPTH_BUFFER_BEATS_MASK);
    case SL_CAPABILITY_CLOCK_OFFSET:
    case SL_CAPABILITY_FAULTS_OFFSET: return 0;
    case SL_CAPABILITY_TIME_LO_OFFSET: upper_ = high(cycle); return low(cycle);
    case SL_CAPABILITY_TIME_HI_OFFSET: return upper_;
    default: return load_channel(offset, cycle);
  }
}

std::optional<uint32_t> CapabilityBlock::load_channel(uint32_t offset, uint64_t cycle) {
  switch (offset) {
    case SL_CAPABILITY_CHANNEL0_PERIOD_OFFSET: return period_;
    case SL_CAPABILITY_CHANNEL0_PERIODS_OFFSET: return periods_;
    case SL_CAPABILITY_CHANNEL0_SELECT_OFFSET: return select_;
    case SL_CAPABILITY_CHANNEL0_SNAP_STATE_OFFSET:
      return periods_ - select_ - 1 < kSnapshots ? SL_CAPABILITY_CHANNEL0_SNAP_STATE_VALID_MASK
                                                 : 0U;
    default: break;
  }
  if (offset < kChannel || offset >= kChannelEnd) return {};
  if (offset % 8 == 4) return upper_;
  const uint64_t value = pair(offset, cycle);
  upper_ = high(value);
  return low(value);
}

uint64_t CapabilityBlock::pair(uint32_t offset, uint64_t cycle) const {
  const Snapshot& snapshot = snapshots_[select_ % kSnapshots];
  switch (offset) {
    case SL_CAPABILITY_CHANNEL0_SNAP_BYTES_LO_OFFSET: return snapshot.bytes;
    case SL_CAPABILITY_CHANNEL0_SNAP_TIME_LO_OFFSET: return snapshot.time;
    case SL_CAPABILITY_CHANNEL0_SNAP_DROPS_LO_OFFSET: return snapshot.drops;
    case SL_CAPABILITY_CHANNEL0_BYTES_LO_OFFSET: return bytes_;
    case SL_CAPABILITY_CHANNEL0_DROPS_LO_OFFSET: return drops_;
    case SL_CAPABILITY_CHANNEL0_BEATS_LO_OFFSET: return beats_;
    case SL_CAPABILITY_CHANNEL0_STALL_ADDR_LO_OFFSET: return stalls_[0];
    case SL_CAPABILITY_CHANNEL0_STALL_SPACE_LO_OFFSET: return stalls_[1];
    case SL_CAPABILITY_CHANNEL0_STALL_RESP_LO_OFFSET: return stalls_[2];
    case SL_CAPABILITY_CHANNEL0_STALL_DATA_LO_OFFSET:
      return cycle - beats_ - stalls_[0] - stalls_[1] - stalls_[2];
    case SL_CAPABILITY_CHANNEL0_DONES_LO_OFFSET: return dones_;
    default: return 0;
  }
}

bool CapabilityBlock::store(uint32_t offset, uint32_t value) {
  if (offset == SL_CAPABILITY_CHANNEL0_PERIOD_OFFSET)
    period_ = value & SL_CAPABILITY_CHANNEL0_PERIOD_COUNT_MASK;
  else if (offset == SL_CAPABILITY_CHANNEL0_SELECT_OFFSET)
    select_ = value;
  else
    return offset <= SL_CAPABILITY_FAULTS_OFFSET || (offset >= kChannel && offset < kChannelEnd);
  return true;
}

void CapabilityBlock::count_stall(uint64_t edges) {
  switch (master_.write_stall()) {
    case model::Master::Stall::address: stalls_[0] += edges; break;
    case model::Master::Stall::space: stalls_[1] += edges; break;
    case model::Master::Stall::response: stalls_[2] += edges; break;
    case model::Master::Stall::data: break;
  }
}

void CapabilityBlock::edge(uint64_t cycle, uint64_t done_bytes, uint64_t drops) {
  drops_ = drops;
  const uint64_t words = master_.words_written();
  // A word of 64 bits is two beats of a port of 32.
  moving_ += (words - words_seen_) * (64 / std::min(master_.params().port_bits, 64U));
  words_seen_ = words;
  if (moving_ != 0) {
    --moving_;
    ++beats_;
  } else {
    count_stall(1);
  }
  if (done_bytes == 0) return;
  ++dones_;
  bytes_ += done_bytes;
  if (++count_ < period_) return;
  count_ = 0;
  snapshots_[periods_++ % kSnapshots] = {cycle, bytes_, drops_};
}

}  // namespace sluice::sim
