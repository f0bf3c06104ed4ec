// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_axi.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace sluice::model {
namespace {

constexpr std::uint32_t kWritesOut = 128;  // of the 256 that tokens tell apart

std::uint8_t* bytes_of(Axi4Data& data) { return reinterpret_cast<std::uint8_t*>(data.data()); }
const std::uint8_t* bytes_of(const Axi4Data& data) {
  return reinterpret_cast<const std::uint8_t*>(data.data());
}

}  // namespace

PcieAxi::PcieAxi(std::uint32_t max_payload, unsigned width_bytes, PcieControl& control)
    : width_bytes_(width_bytes), max_payload_(max_payload), control_(control), reads_(kBursts) {
  reset();
}

void PcieAxi::reset() {
  free_reads_.clear();
  for (std::uint32_t token = kBursts; token-- > 0;) free_reads_.push_back(token);
  for (auto& tokens : by_id_) tokens.clear();
  ids_.clear();
  turn_ = 0;
  writes_.clear();
  piece_.clear();
  unanswered_ = 0;
  sent_.clear();
  accesses_.clear();
  busy_ = Busy::none;
  stores_out_ = 0;
}

// ---- the host port: reads

void PcieAxi::take_read(const Axi4Inputs& in) {
  const std::uint32_t token = free_reads_.back();
  free_reads_.pop_back();
  Read& read = reads_[token];
  read = {};
  read.id = in.arid;
  read.address = in.araddr & ~std::uint64_t{width_bytes_ - 1U};
  read.bytes = (in.arlen + 1U) * width_bytes_;
  if (by_id_[in.arid].empty()) ids_.push_back(in.arid);
  by_id_[in.arid].push_back(token);
  upstream_->read(token, read.address, read.bytes);
}

void PcieAxi::read_data(std::uint32_t token, std::uint32_t bytes,
                        std::span<const std::uint8_t> data, Response status) {
  Read& read = reads_[token];
  read.arrived += bytes;
  if (status != Response::okay) {
    read.failed = true;
    read.status = status;
  } else if (!read.failed) {
    read.data.insert(read.data.end(), data.begin(), data.end());
  }
  free_if_over(token);
}

// A failed burst may have been given while requests of it are still out.
void PcieAxi::free_if_over(std::uint32_t token) {
  const Read& read = reads_[token];
  if (read.given == read.bytes && read.arrived == read.bytes) free_reads_.push_back(token);
}

// Place in ids_ of an ID with a beat to give, -1 if there is none: the one in turn if it has.
int PcieAxi::next_id() {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    const std::size_t place = (turn_ + i) % ids_.size();
    if (reads_[by_id_[ids_[place]].front()].ready(width_bytes_)) return static_cast<int>(place);
  }
  return -1;
}

void PcieAxi::give_beat(Axi4Outputs& out) {
  const int place = next_id();
  if (place < 0) return;
  turn_ = static_cast<std::size_t>(place);
  const std::uint8_t id = ids_[turn_];
  const std::uint32_t token = by_id_[id].front();
  Read& read = reads_[token];
  const bool there = read.data.size() >= read.given + width_bytes_;
  if (there)
    std::memcpy(bytes_of(out.rdata), read.data.data() + read.given, width_bytes_);
  else
    out.rdata.fill(0);
  read.given += width_bytes_;
  out.rvalid = true;
  out.rid = id;
  out.rresp = static_cast<std::uint8_t>(there ? Response::okay : read.status);
  out.rlast = read.given == read.bytes;
  if (!out.rlast) return;
  free_if_over(token);
  by_id_[id].pop_front();
  if (by_id_[id].empty())
    ids_.erase(ids_.begin() + place);
  else
    ++turn_;
  if (turn_ >= ids_.size()) turn_ = 0;
}

// ---- the host port: writes

void PcieAxi::flush(bool last) {
  if (!piece_.empty())
    upstream_->write(write_token_, piece_address_, piece_, last);
  else if (last)
    upstream_->write_nothing(write_token_);
  piece_.clear();
}

void PcieAxi::take_beat(const Axi4Inputs& in) {
  Write& write = writes_.front();
  const std::uint64_t base = write.address & ~std::uint64_t{width_bytes_ - 1U};
  const std::uint8_t* data = bytes_of(in.wdata);
  for (unsigned lane = 0; lane < width_bytes_; ++lane) {
    if ((in.wstrb >> lane & 1U) == 0) {
      flush(false);
      continue;
    }
    if (piece_.empty()) piece_address_ = base + lane;
    piece_.push_back(data[lane]);
    // The piece at the end of the burst is kept: it tells of the last byte.
    const bool at_end = write.beats == 1 && lane + 1U == width_bytes_;
    if ((base + lane + 1U) % max_payload_ == 0 && !at_end) flush(false);
  }
  write.address = base + width_bytes_;
  if (--write.beats != 0) return;
  write_ids_[write_token_] = write.id;
  flush(true);
  ++write_token_;
  ++unanswered_;
  writes_.pop_front();
}

void PcieAxi::host_edge(const Axi4Inputs& in, Axi4Outputs& out) {
  if (out.rvalid && in.rready) out.rvalid = false;
  if (in.arvalid && out.arready) take_read(in);
  if (!out.rvalid) give_beat(out);

  if (out.bvalid && in.bready) out.bvalid = false;
  if (in.wvalid && out.wready) take_beat(in);
  if (in.awvalid && out.awready)
    writes_.push_back({.id = in.awid, .address = in.awaddr, .beats = in.awlen + 1U});
  if (!out.bvalid && !sent_.empty()) {
    out.bvalid = true;
    out.bid = write_ids_[sent_.front()];
    out.bresp = static_cast<std::uint8_t>(Response::okay);
    sent_.pop_front();
    --unanswered_;
  }
  out.arready = !free_reads_.empty();
  out.awready = writes_.size() < kBursts;
  out.wready = !writes_.empty() && unanswered_ < kWritesOut && upstream_->can_write();
}

// ---- the CPU's accesses

void PcieAxi::store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) {
  accesses_.push_back({.is_load = false,
                       .bar = bar,
                       .offset = offset,
                       .bytes = static_cast<std::uint32_t>(data.size()),
                       .data = {data.begin(), data.end()}});
}

void PcieAxi::load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) {
  accesses_.push_back({.is_load = true, .bar = bar, .offset = offset, .bytes = bytes, .data = {}});
}

void PcieAxi::give_store_beat(Axi4Inputs& out) {
  Access& access = accesses_.front();
  const auto lane = static_cast<unsigned>((access.offset + beat_bytes_) % width_bytes_);
  const std::uint32_t bytes = std::min(width_bytes_ - lane, access.bytes - beat_bytes_);
  std::memcpy(bytes_of(out.wdata) + lane, access.data.data() + beat_bytes_, bytes);
  out.wstrb = (bytes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1U) << lane;
  beat_bytes_ += bytes;
  out.wlast = beat_bytes_ == access.bytes;
  out.wvalid = true;
}

void PcieAxi::take_load_beat(const Axi4Outputs& in) {
  Access& access = accesses_.front();
  const auto lane = static_cast<unsigned>((access.offset + beat_bytes_) % width_bytes_);
  const std::uint32_t bytes = std::min(width_bytes_ - lane, access.bytes - beat_bytes_);
  const std::uint8_t* data = bytes_of(in.rdata) + lane;
  access.data.insert(access.data.end(), data, data + bytes);
  beat_bytes_ += bytes;
  load_status_ = std::max(load_status_, static_cast<Response>(in.rresp));
  if (!in.rlast) return;
  if (load_status_ != Response::okay) access.data.clear();
  upstream_->complete(access.data, load_status_);
  accesses_.pop_front();
  busy_ = Busy::none;
}

void PcieAxi::memory_edge(const Axi4Outputs& in, Axi4Inputs& out) {
  if (in.rvalid && out.rready) take_load_beat(in);
  if (in.bvalid && out.bready) {
    --stores_out_;
    upstream_->stored();
  }
  if (out.arvalid && in.arready) out.arvalid = false;
  if (out.awvalid && in.awready) out.awvalid = false;
  if (out.wvalid && in.wready) {
    out.wvalid = false;
    if (out.wlast) {
      accesses_.pop_front();
      busy_ = Busy::none;
    }
  }
  out.bready = out.rready = true;

  if (busy_ == Busy::none && !accesses_.empty() && accesses_.front().bar == kMemoryBar &&
      !out.awvalid) {
    const Access& access = accesses_.front();
    const auto beats = static_cast<std::uint8_t>(
        (access.offset % width_bytes_ + access.bytes + width_bytes_ - 1U) / width_bytes_ - 1U);
    if (!access.is_load) {
      busy_ = Busy::store;
      ++stores_out_;
      out.awvalid = true;
      out.awaddr = access.offset;
      out.awlen = beats;
    } else if (stores_out_ == 0) {
      busy_ = Busy::load;
      load_status_ = Response::okay;
      out.arvalid = true;
      out.araddr = access.offset;
      out.arlen = beats;
    }
    beat_bytes_ = 0;
  }
  if (busy_ == Busy::store && !out.wvalid) give_store_beat(out);
}

void PcieAxi::control_edge() {
  if (busy_ == Busy::control) {
    std::uint32_t value = 0;
    Response status = Response::okay;
    if (!control_.answered(value, status)) return;
    const Access access = std::move(accesses_.front());
    accesses_.pop_front();
    busy_ = Busy::none;
    if (!access.is_load) return upstream_->stored();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value) + access.offset % 4U;
    upstream_->complete({bytes, status == Response::okay ? access.bytes : 0U}, status);
  } else if (busy_ == Busy::none && !accesses_.empty() && stores_out_ == 0 &&
             accesses_.front().bar == kControlBar) {
    const Access& access = accesses_.front();
    busy_ = Busy::control;
    const auto lane = static_cast<unsigned>(access.offset % 4U);
    const auto offset = static_cast<std::uint32_t>(access.offset - lane);
    assert(lane + access.bytes <= 4U);
    if (access.is_load) return control_.begin_read(offset);
    std::uint32_t value = 0;
    std::memcpy(reinterpret_cast<std::uint8_t*>(&value) + lane, access.data.data(), access.bytes);
    const unsigned enables = ((1U << access.bytes) - 1U) << lane;
    control_.begin_write(offset, value, static_cast<std::uint8_t>(enables));
  }
}

bool PcieAxi::idle() const {
  return free_reads_.size() == kBursts && writes_.empty() && unanswered_ == 0 &&
         accesses_.empty() && stores_out_ == 0 && upstream_->idle();
}

}  // namespace sluice::model
