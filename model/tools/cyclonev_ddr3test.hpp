// SPDX-License-Identifier: Apache-2.0
// A test of the DDR memory behind a 64-bit F2S port that was run on silicon, on the model: reads or
// writes of a number of words, one after the other or several at a time.
//
// The test is MiSTerDDR3Test (github.com/RobertPeip/MiSTerDDR3Test, rtl/ddr3test_mister.vhd), and a
// fork of it that keeps several reads in flight. Silicon is a DE10-Nano. Its figures are those of
// github.com/ika-musume/ikacore_CV1k, sim/scripts/blit_cost_model.py at commit 2a799290. There the
// memory also served Linux and a video output, which are not modelled.
//
// delay: clocks of the port from the edge that takes a command to the edge that takes its first
// word. Addresses are multiples of 64 bytes: each the next one, or those of the test's shift
// register of 20 bits, which steps every clock. A single read follows two clocks behind the last
// word of the one before; how soon the fork posts its reads is not known, here at once. Avalon
// bursts of over 16 words are several bursts here, posted one a clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sluice/model/cyclonev.hpp"

namespace sluice::model::ddr3test {

struct Row {
  double clock_mhz;
  bool write;
  bool random;              ///< else each address is the next one
  std::uint32_t words;      ///< of a transfer, 1 to 128
  std::uint32_t in_flight;  ///< reads at a time
  double silicon_delay;     ///< least; 0: not given
  double silicon_delay_mean;
  double silicon_mb_s;
};

// 1164 MB/s are given as 94.7 % of the port, and writes of 2 and more words as 1183 to 1210.
inline const std::vector<Row> kRows = {
    {125.0, false, true, 128, 1, 15, 17, 860},    {125.0, false, false, 128, 1, 15, 16, 872},
    {153.6, false, true, 128, 1, 17, 21.4, 1031}, {153.6, false, true, 8, 4, 0, 0, 1164},
    {153.6, false, true, 8, 8, 0, 0, 1187},       {125.0, true, false, 1, 1, 0, 0, 740},
    {125.0, true, true, 1, 1, 0, 0, 490},         {153.6, true, true, 8, 1, 0, 0, 1183},
};

struct Result {
  std::uint64_t delay = 0;  ///< least, of reads
  double delay_mean = 0;
  double mb_s = 0;
};

/// The board's memory where it differs from the DE1-SoC's (u-boot,
/// board/terasic/de10-nano/qts/sdram_config.h).
inline CycloneVParams de10_nano() {
  CycloneVParams params = cyclonev_de1soc();
  params.port_bits = {64};
  params.timing.tRAS = 14;
  params.timing.tFAW = 15;
  params.timing.rd2wr += 2;  // CFG_EXTRA_CTL_CLK_RD_TO_WR
  return params;
}

class Test {
 public:
  Test(const CycloneVParams& params, const Row& row)
      : row_(row), chip_(params), port_(chip_.port(0)), clock_(row.clock_mhz) {
    if (row.words < 1 || row.words > 128 || row.in_flight < 1)
      throw std::invalid_argument("ddr3test: 1 to 128 words, at least one transfer at a time");
  }

  /// Of so many transfers, behind the first kWarmUp.
  Result run(std::uint64_t transfers) {
    std::uint64_t begin = 0;
    while (done_ < transfers + kWarmUp) {
      if (begin == 0 && done_ >= kWarmUp) begin = edge_;
      ++edge_;
      shift_ = (((shift_ >> 5U ^ shift_ >> 3U ^ shift_) & 1U) << 19U) | shift_ >> 1U;
      chip_.advance_to(clock_.time_ps(edge_));
      port_.pl_edge();
      row_.write ? write() : read();
    }
    const double us = static_cast<double>(clock_.time_ps(edge_) - clock_.time_ps(begin)) * 1e-6;
    const double bytes = static_cast<double>(transfers) * row_.words * 8.0;
    return {least_, static_cast<double>(sum_) / static_cast<double>(transfers), bytes / us};
  }

 private:
  static constexpr std::uint64_t kWarmUp = 100;
  // From a read's last word to the next command, of the test with one read at a time.
  static constexpr std::uint64_t kClocksToNext = 2;
  static constexpr std::uint64_t kBase = 0x1000'0000;
  static constexpr std::uint64_t kPage = 4096;  // that a burst stays in

  struct Transfer {
    std::uint64_t address;
    std::uint32_t posted = 0;  // words
    std::uint32_t taken = 0;
    std::uint64_t edge = 0;  // that took its command
  };

  Transfer next() {
    return {.address = kBase + 64U * (row_.random ? shift_ : ++count_ & 0xfffffU)};
  }
  /// The next burst of a transfer.
  static AfiBurst burst(const Transfer& t, std::uint32_t words) {
    const std::uint64_t address = t.address + 8U * t.posted;
    const std::uint64_t in_page = (kPage - address % kPage) / 8U;
    const std::uint64_t most = std::min<std::uint64_t>(in_page, F2sPort::kMostBeats);
    return {address, static_cast<std::uint32_t>(std::min<std::uint64_t>(most, words - t.posted)),
            8};
  }

  void read() {
    if (port_.pl_read_word_available()) {
      (void)port_.pl_take_read_word();
      Transfer& oldest = transfers_.front();
      if (oldest.taken++ == 0 && done_ >= kWarmUp) {
        const std::uint64_t delay = edge_ - oldest.edge;
        least_ = least_ == 0 ? delay : std::min(least_, delay);
        sum_ += delay;
      }
      if (oldest.taken == row_.words) {
        transfers_.erase(transfers_.begin());
        ++done_;
        next_edge_ = edge_ + (row_.in_flight == 1 ? kClocksToNext : 0);
      }
    }
    const bool all_posted = transfers_.empty() || transfers_.back().posted == row_.words;
    if (all_posted && transfers_.size() < row_.in_flight && edge_ >= next_edge_)
      transfers_.push_back(next());
    if (transfers_.empty() || !port_.pl_read_room()) return;
    Transfer& newest = transfers_.back();
    if (newest.posted == row_.words) return;
    if (newest.posted == 0) newest.edge = edge_;
    const AfiBurst part = burst(newest, row_.words);
    port_.pl_read(part);
    newest.posted += part.words;
  }

  void write() {
    if (port_.pl_response_available()) (void)port_.pl_take_response();
    if (words_left_ == 0) {
      if (transfers_.empty()) transfers_.push_back(next());
      if (!port_.pl_write_room()) return;
      Transfer& t = transfers_.front();
      const AfiBurst part = burst(t, row_.words);
      port_.pl_write(part);
      t.posted += part.words;
      words_left_ = part.words;
    }
    if (!port_.pl_write_word_room()) return;
    port_.pl_put_write_word(edge_, 0xff);
    if (--words_left_ == 0 && transfers_.front().posted == row_.words) {
      transfers_.clear();
      ++done_;
    }
  }

  Row row_;
  CycloneV chip_;
  F2sPort& port_;
  Clock clock_;
  std::uint64_t edge_ = 0;
  std::uint64_t next_edge_ = 0;  // of the next read's command
  std::uint32_t shift_ = 0x12345;
  std::uint32_t count_ = 0;
  std::vector<Transfer> transfers_;  // in flight, oldest first
  std::uint32_t words_left_ = 0;     // of the burst that is written
  std::uint64_t done_ = 0;
  std::uint64_t least_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace sluice::model::ddr3test
