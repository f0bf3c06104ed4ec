// SPDX-License-Identifier: Apache-2.0
// F2sPinMaster: an AXI4 master for tests that drives the pins of one F2S port from lists of bursts.
//
// step() is one edge of the port's clock; the caller advances the board first. Chances (percent)
// stall each channel at random. Write data may run ahead of its address unless told not to.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <vector>

#include "sluice/model/cyclonev_axi_f2s.hpp"

namespace sluice::model {

class F2sPinMaster {
 public:
  struct Burst {
    std::uint32_t address = 0;
    std::uint32_t beats = 16;
    std::uint8_t id = 0;
    std::vector<F2sData> data{};  // writes
    std::uint32_t strobe = ~0U;   // of every beat, below the port's width
  };
  struct Read {
    Burst burst;
    std::vector<F2sData> data{};
    std::uint8_t response = 0;
  };

  F2sPinMaster(AxiF2s& port, std::uint64_t seed) : port_(port), random_(seed) {
    in.arsize = in.awsize = static_cast<std::uint8_t>(std::countr_zero(port.width() / 8U));
  }

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
    const F2sOutputs before = out;
    port_.edge(in, out);
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
      in.wvalid = false;
      if (++beat_ == data_.front().beats) {
        data_.pop_front();
        beat_ = 0;
        ++data_out_;
      }
    }
    if (before.rvalid && in.rready) take_read(before);
    if (before.bvalid && in.bready) {
      if (before.bid != open_writes_.front().id) throw std::runtime_error("BID");
      responses.push_back(before.bresp);
      open_writes_.pop_front();
    }
    drive();
  }

  F2sInputs in{};
  F2sOutputs out{};
  std::vector<Read> finished{};
  std::vector<std::uint8_t> responses{};

 private:
  bool chance(unsigned percent) { return percent != 0 && random_() % 100U < percent; }
  void take_read(const F2sOutputs& beat) {
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
      in.arvalid = true;
      in.araddr = reads_.front().address;
      in.arlen = static_cast<std::uint8_t>(reads_.front().beats - 1U);
      in.arid = reads_.front().id;
    }
    if (!in.awvalid && !writes_.empty() && !chance(aw_stall)) {
      in.awvalid = true;
      in.awaddr = writes_.front().address;
      in.awlen = static_cast<std::uint8_t>(writes_.front().beats - 1U);
      in.awid = writes_.front().id;
    }
    const bool may = !data_after_address || data_out_ < addresses_out_;
    if (!in.wvalid && !data_.empty() && may && !chance(w_stall)) {
      const Burst& b = data_.front();
      const unsigned bytes = port_.width() / 8U;
      in.wvalid = true;
      in.wdata = b.data.at(beat_);
      in.wstrb = b.strobe & (bytes == 32 ? ~0U : (1U << bytes) - 1U);
      in.wlast = beat_ + 1U == b.beats;
    }
    in.rready = !chance(r_stall);
    in.bready = !chance(b_stall);
  }

  AxiF2s& port_;
  std::mt19937_64 random_;
  std::deque<Burst> reads_, writes_, data_;
  std::deque<Read> open_reads_;
  std::deque<Burst> open_writes_;
  std::uint32_t beat_ = 0;
  std::uint64_t addresses_out_ = 0, data_out_ = 0;
};

}  // namespace sluice::model
