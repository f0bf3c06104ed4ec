// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/afi_port.hpp"

#include <bit>
#include <stdexcept>

namespace sluice::model {

namespace {
const AfiParams& checked(const AfiParams& p) {
  if (p.read_fifo_words < 16 || p.write_fifo_words < 16) {
    throw std::invalid_argument("AFI: read_fifo_words and write_fifo_words must be at least 16");
  }
  if (p.read_command_depth == 0 || p.write_command_depth == 0 || p.read_issue_capability == 0 ||
      p.write_issue_capability == 0) {
    throw std::invalid_argument("AFI: command depths and issue capabilities must be at least 1");
  }
  return p;
}
}  // namespace

AfiPort::AfiPort(const AfiParams& params, Memory& memory, OcmMemory* ocm)
    : params_(checked(params)),
      memory_(memory),
      ocm_(ocm),
      reads_(params.read_command_depth + params.read_fifo_words + params.read_issue_capability),
      read_fifo_(std::bit_ceil(params.read_fifo_words)),
      read_fifo_mask_(static_cast<std::uint32_t>(read_fifo_.size()) - 1U),
      writes_(params.write_command_depth + params.write_issue_capability),
      write_fifo_(std::bit_ceil(params.write_fifo_words)),
      write_fifo_mask_(static_cast<std::uint32_t>(write_fifo_.size()) - 1U),
      // Responses the PL leaves waiting hold issue slots, so they cannot outnumber these.
      responses_(params.write_command_depth + params.write_issue_capability) {}

void AfiPort::check_burst(const AfiBurst& burst) const {
  require(burst.words >= 1 && burst.words <= 16, "AFI: a burst has 1 to 16 beats");
  require(std::has_single_bit(burst.size_bytes) && burst.size_bytes <= 8,
          "AFI: a beat has 1, 2, 4 or 8 bytes");
  require((burst.address & ~std::uint64_t{4095}) == ((burst.end() - 1U) & ~std::uint64_t{4095}),
          "AFI: a burst stays inside a 4 KiB page");
}

// ---- PL side ---------------------------------------------------------------------------------

void AfiPort::pl_read(const AfiBurst& burst) {
  require(pl_read_room(), "AFI: read pushed without room");
  check_burst(burst);
  reads_.push({burst, Response::okay, 0, 0, cross(params_.read_path_edges), memory_of(burst)});
  if (++reads_waiting_ == 1) find_next_read();
  ++ps_open_;
}

void AfiPort::pl_write(const AfiBurst& burst) {
  require(pl_write_room(), "AFI: write pushed without room");
  check_burst(burst);
  const std::uint64_t edge = cross();
  write_claimed_ += burst.words;
  const bool whole = !params_.whole_writes || write_put_ >= write_claimed_;
  writes_.push({burst, Response::okay, 0, write_claimed_, whole ? edge : kNever, memory_of(burst)});
  if (!whole && ++writes_lacking_ == 1) write_lacks_to_ = write_claimed_;
  if (++writes_waiting_ == 1) find_next_write();
  ++ps_open_;
}

void AfiPort::write_is_whole(std::uint64_t edge) {
  const std::uint32_t position = writes_.size() - writes_lacking_;
  writes_.at(position).whole_edge = edge;
  --writes_lacking_;
  write_lacks_to_ = writes_lacking_ == 0 ? kNever : writes_.at(position + 1U).words_end;
  find_next_write();
}

bool AfiPort::idle() const {
  return reads_.empty() && writes_.empty() && responses_.empty() && write_put_ == write_freed_;
}

// ---- PS side ---------------------------------------------------------------------------------

bool AfiPort::ps_quiet() const {
  if (ps_open_ == 0) return true;
  return ps_edge_ >= last_crossing_ && reads_issued_ == 0 && writes_fetching_ == 0 &&
         writes_fetched_ == 0 && !ps_read_ready() && !ps_write_ready() && !ps_ocm_read_ready() &&
         !ps_ocm_write_ready();
}

AfiPort::Next AfiPort::next_command(std::uint64_t edge, const Memory* memory,
                                    const Memory* before) {
  if (before != nullptr && before != memory) return {.held = true};
  if (memory == &memory_) return {.edge = edge};
  if (edge != kNever) ocm_->active = true;
  return {.ocm_edge = edge};
}

void AfiPort::find_next_read() {
  next_read_ = {};
  if (reads_waiting_ == 0) return;
  const std::uint32_t place = reads_delivered_ + reads_issued_;
  const Read& next = reads_.at(place);
  next_read_words_ = next.burst.words;
  next_read_ = next_command(next.visible_edge, next.memory,
                            reads_issued_ == 0 ? nullptr : reads_.at(place - 1U).memory);
}

void AfiPort::find_next_write() {
  next_write_ = {};
  if (writes_waiting_ == 0) return;
  const std::uint32_t place = writes_fetched_ + writes_fetching_;
  const Write& next = writes_.at(place);
  next_write_ = next_command(next.whole_edge, next.memory,
                             place == 0 ? nullptr : writes_.at(place - 1U).memory);
}

AfiBurst AfiPort::ps_issue_read(Response& response) {
  require(ps_read_ready() || ps_ocm_read_ready(), "AFI: read issued that is not ready");
  Read& read = reads_.at(reads_delivered_ + reads_issued_);
  read.response = read.memory->access(read.burst.address, read.burst.end() - read.burst.address);
  response = read.response;
  read_reserved_ += read.burst.words;
  ++reads_issued_;
  --reads_waiting_;
  find_next_read();
  return read.burst;
}

AfiBurst AfiPort::ps_issue_write(Response& response) {
  require(ps_write_ready() || ps_ocm_write_ready(), "AFI: write issued that is not ready");
  Write& write = writes_.at(writes_fetched_ + writes_fetching_);
  write.response =
      write.memory->access(write.burst.address, write.burst.end() - write.burst.address);
  response = write.response;
  ++writes_fetching_;
  --writes_waiting_;
  find_next_write();
  return write.burst;
}

}  // namespace sluice::model
