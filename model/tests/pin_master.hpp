// SPDX-License-Identifier: Apache-2.0
// PinMaster: an AXI3 master for tests that drives the pins of one HP port from lists of bursts.
//
// step() is one PL clock edge; the caller advances the board first. Chances (percent) stall each
// channel at random. Write data may run ahead of (or wait for) its address.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "sluice/model/axi_hp.hpp"

namespace sluice::model {

class PinMaster {
 public:
  struct Burst {
    std::uint32_t address = 0;
    std::uint32_t beats = 16;
    std::uint8_t size = 3;
    std::uint8_t id = 0;
    std::uint8_t cache = 3;
    std::vector<std::uint64_t> data{};  // writes
    std::vector<std::uint8_t> strobe{};
  };
  struct Read {
    Burst burst;
    std::vector<std::uint64_t> data{};
    std::uint8_t response = 0;
  };

  PinMaster(AxiHp& hp, std::uint64_t seed) : hp_(hp), random_(seed) {}

  unsigned ar_stall = 0, r_stall = 0, aw_stall = 0, w_stall = 0, b_stall = 0;
  bool data_after_address = false;

  void read(const Burst& b) { reads_.push_back(b); }
  void write(const Burst& b) {
    writes_.push_back(b);
    data_.push_back(b);
  }

  [[nodiscard]] bool done() const {
    return reads_.empty() && writes_.empty() && data_.empty() && open_reads_.empty() &&
           open_writes_.empty() && !in.arvalid && !in.awvalid && !in.wvalid;
  }

  void step() {
    const HpOutputs before = out;
    hp_.edge(in, out);
    ++edges;
    if (in.arvalid && before.arready) {
      open_reads_.push_back({reads_.front()});
      reads_.pop_front();
      in.arvalid = false;
    }
    if (in.awvalid && before.awready) {
      open_writes_.push_back(writes_.front());
      writes_.pop_front();
      in.awvalid = false;
      ++addresses_out_;
    }
    if (in.wvalid && before.wready) {
      ++w_beats;
      in.wvalid = false;
      if (++beat_ == data_.front().beats) {
        data_.pop_front();
        beat_ = 0;
        ++data_out_;
      }
    } else if (in.wvalid) {
      ++w_stalled;
    }
    if (before.rvalid && in.rready) take_read(before);
    if (before.bvalid && in.bready) {
      responses.push_back(before.bresp);
      response_ids.push_back(before.bid);
      open_writes_.pop_front();
    }
    drive();
  }

  HpInputs in{};
  HpOutputs out{};
  std::vector<Read> finished{};
  std::vector<std::uint8_t> responses{};
  std::vector<std::uint8_t> response_ids{};
  std::uint64_t edges = 0, r_beats = 0, w_beats = 0, w_stalled = 0;

 private:
  bool chance(unsigned percent) { return percent != 0 && random_() % 100U < percent; }
  void take_read(const HpOutputs& beat) {
    ++r_beats;
    Read& read = open_reads_.front();
    if (beat.rid != read.burst.id) throw std::runtime_error("RID is not the oldest read's");
    read.data.push_back(beat.rdata);
    if (beat.rresp > read.response) read.response = beat.rresp;
    if (beat.rlast != (read.data.size() == read.burst.beats)) throw std::runtime_error("RLAST");
    if (beat.rlast) {
      finished.push_back(read);
      open_reads_.pop_front();
    }
  }
  void drive() {
    if (!in.arvalid && !reads_.empty() && !chance(ar_stall)) {
      const Burst& b = reads_.front();
      in.arvalid = true;
      in.araddr = b.address;
      in.arlen = static_cast<std::uint8_t>(b.beats - 1U);
      in.arsize = b.size;
      in.arid = b.id;
      in.arcache = b.cache;
    }
    if (!in.awvalid && !writes_.empty() && !chance(aw_stall)) {
      const Burst& b = writes_.front();
      in.awvalid = true;
      in.awaddr = b.address;
      in.awlen = static_cast<std::uint8_t>(b.beats - 1U);
      in.awsize = b.size;
      in.awid = b.id;
      in.awcache = b.cache;
    }
    const bool may = !data_after_address || data_out_ < addresses_out_;
    if (!in.wvalid && !data_.empty() && may && !chance(w_stall)) {
      const Burst& b = data_.front();
      in.wvalid = true;
      in.wid = b.id;
      in.wdata = b.data.at(beat_);
      in.wstrb = b.strobe.at(beat_);
      in.wlast = beat_ + 1U == b.beats;
    }
    in.rready = !chance(r_stall);
    in.bready = !chance(b_stall);
  }

  AxiHp& hp_;
  std::mt19937_64 random_;
  std::deque<Burst> reads_, writes_, data_;
  std::deque<Read> open_reads_;
  std::deque<Burst> open_writes_;
  std::uint32_t beat_ = 0;
  std::uint64_t addresses_out_ = 0, data_out_ = 0;
};

}  // namespace sluice::model
