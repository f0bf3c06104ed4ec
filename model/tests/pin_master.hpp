// SPDX-License-Identifier: Apache-2.0
// PinMaster and F2sPinMaster: AXI masters for tests that drive the pins of one HP or F2S port from
// lists of bursts.
//
// step() is one edge of the port's clock; the caller advances the board first. Chances (percent)
// stall each channel at random. Write data may run ahead of (or wait for) its address.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "sluice/model/axi_hp.hpp"
#include "sluice/model/cyclonev_axi_f2s.hpp"

namespace sluice::model {

template <typename Port>
class PortPinMaster {
 public:
  using Inputs = typename Port::Inputs;
  using Outputs = typename Port::Outputs;
  using Data = typename Port::Data;
  using Strobe = typename Port::Strobe;

  struct Burst {
    std::uint32_t address = 0;
    std::uint32_t beats = 16;
    std::optional<std::uint8_t> size{};  // the port's width
    std::uint8_t id = 0;
    std::uint8_t cache = 3;
    std::vector<Data> data{};      // writes
    std::vector<Strobe> strobe{};  // empty: all bytes
  };
  struct Read {
    Burst burst;
    std::vector<Data> data{};
    std::uint8_t response = 0;
  };

  PortPinMaster(Port& port, std::uint64_t seed) : port_(port), random_(seed) {
    in.arsize = in.awsize = full_size();
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
    const Outputs before = out;
    port_.edge(in, out);
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
      if (before.bid != open_writes_.front().id) throw std::runtime_error("BID");
      responses.push_back(before.bresp);
      response_ids.push_back(before.bid);
      open_writes_.pop_front();
    }
    drive();
  }

  Inputs in{};
  Outputs out{};
  std::vector<Read> finished{};
  std::vector<std::uint8_t> responses{};
  std::vector<std::uint8_t> response_ids{};
  std::uint64_t edges = 0, r_beats = 0, w_beats = 0, w_stalled = 0;

 private:
  bool chance(unsigned percent) { return percent != 0 && random_() % 100U < percent; }
  [[nodiscard]] std::uint8_t full_size() const {
    return static_cast<std::uint8_t>(std::countr_zero(port_.width() / 8U));
  }
  void take_read(const Outputs& beat) {
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
      in.arsize = b.size.value_or(full_size());
      in.arid = b.id;
      in.arcache = b.cache;
    }
    if (!in.awvalid && !writes_.empty() && !chance(aw_stall)) {
      const Burst& b = writes_.front();
      in.awvalid = true;
      in.awaddr = b.address;
      in.awlen = static_cast<std::uint8_t>(b.beats - 1U);
      in.awsize = b.size.value_or(full_size());
      in.awid = b.id;
      in.awcache = b.cache;
    }
    const bool may = !data_after_address || data_out_ < addresses_out_;
    if (!in.wvalid && !data_.empty() && may && !chance(w_stall)) {
      const Burst& b = data_.front();
      const auto all = static_cast<Strobe>((std::uint64_t{1} << (port_.width() / 8U)) - 1U);
      in.wvalid = true;
      in.wid = b.id;
      in.wdata = b.data.at(beat_);
      in.wstrb = b.strobe.empty() ? all : static_cast<Strobe>(b.strobe.at(beat_) & all);
      in.wlast = beat_ + 1U == b.beats;
    }
    in.rready = !chance(r_stall);
    in.bready = !chance(b_stall);
  }

  Port& port_;
  std::mt19937_64 random_;
  std::deque<Burst> reads_, writes_, data_;
  std::deque<Read> open_reads_;
  std::deque<Burst> open_writes_;
  std::uint32_t beat_ = 0;
  std::uint64_t addresses_out_ = 0, data_out_ = 0;
};

using PinMaster = PortPinMaster<AxiHp>;
using F2sPinMaster = PortPinMaster<AxiF2s>;

}  // namespace sluice::model
