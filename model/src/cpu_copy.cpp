// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cpu_copy.hpp"

namespace sluice::model {

CpuCopy::CpuCopy(const CpuParams& params, std::uint64_t memory_end, DdriPort& port)
    : params_(params),
      source_(memory_end - 2U * kRegionBytes),
      // Some banks further than the source at equal offsets.
      destination_(memory_end - kRegionBytes + 4U * 4096U),
      port_(port) {}

AfiBurst CpuCopy::line_of(bool destination, std::uint64_t line) const {
  const std::uint64_t offset = line * kLineBytes % (kRegionBytes / 2U);
  return {(destination ? destination_ : source_) + offset, kLineWords, 8};
}

void CpuCopy::tick(std::uint64_t cycle) {
  if (port_.read_word_ready(0)) {
    port_.take_read_word(0);
    if (++words_ % kLineWords == 0) next_cycle_ = cycle + params_.line_cycles;
  }
  const std::uint64_t lines = words_ / kLineWords;
  // A line that leaves the cache goes before the next miss.
  const bool write_due = writes_ < lines / 2U;
  if (!write_due && asked_ < lines + kInFlight && cycle >= next_cycle_ && port_.read_room()) {
    port_.read(line_of(asked_ % 2U == 1U, asked_ / 2U), 0, false, cycle);
    ++asked_;
  }
  if (write_words_ != 0) {
    port_.put_write_word();
    --write_words_;
  } else if (write_due && port_.write_room(kLineWords)) {
    port_.write(line_of(true, writes_), 0, false, cycle);
    ++writes_;
    write_words_ = kLineWords;
  }
  if (port_.response_ready(cycle)) (void)port_.take_response();
}

}  // namespace sluice::model
