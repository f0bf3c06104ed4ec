// SPDX-License-Identifier: Apache-2.0
// A Zynq's memory system, whose DMA controller is driven by its registers as a driver does.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "pl330_program.hpp"
#include "sluice/model/zynq7000.hpp"

namespace sluice::model {

inline constexpr std::uint32_t kSource = 0x0020'0000, kTarget = 0x0040'4000, kCode = 0x0010'0000;

struct Pl330Machine {
  static constexpr std::uint64_t kCyclePs = 4500;
  static constexpr std::uint32_t kInten = 0x20, kRis = 0x24, kIntmis = 0x28, kIntclr = 0x2c;
  static constexpr std::uint32_t kFsrd = 0x30, kFsrc = 0x34, kFtrd = 0x38, kFtr = 0x40;
  static constexpr unsigned kStopped = 0, kFaulting = 15;

  explicit Pl330Machine(const Zynq7000Params& params = checking()) : zynq(params) {}

  static Zynq7000Params checking() {
    Zynq7000Params params = zynq7010();
    params.ddrc.check_commands = 1;
    return params;
  }

  std::uint32_t read(std::uint32_t offset) { return zynq.dmac().read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) { zynq.dmac().write(offset, value); }
  unsigned state(unsigned channel) { return read(0x100 + 8 * channel) & 15U; }
  std::uint32_t pc(unsigned channel) { return read(0x104 + 8 * channel); }
  std::uint32_t fault(unsigned channel) { return read(kFtr + 4 * channel); }
  std::uint32_t register_of(unsigned channel, unsigned index) {
    return read(0x400 + 0x20 * channel + 4 * index);
  }

  void advance(std::uint64_t ps) { zynq.advance_to(zynq.now_ps() + ps); }
  void debug(std::uint32_t first, std::uint32_t second) {
    write(0xd08, first);
    write(0xd0c, second);
    write(0xd04, 0);
    for (int i = 0; i < 100 && read(0xd00) != 0; ++i) advance(kCyclePs);
    EXPECT_EQ(read(0xd00), 0U);
  }
  /// By the manager, as DMAGO.
  void start(unsigned channel, std::uint32_t at, bool nonsecure = false) {
    debug((nonsecure ? 0xa2U : 0xa0U) << 16U | channel << 24U, at);
  }
  void kill(unsigned channel) { debug(1U | channel << 8U | 0x01U << 16U, 0); }
  void put(std::uint32_t at, const Pl330Program& program) {
    std::memcpy(zynq.memory().host(at, program.code.size()), program.code.data(),
                program.code.size());
  }
  void run(unsigned channel, const Pl330Program& program, std::uint32_t at = kCode) {
    put(at, program);
    start(channel, at);
  }
  /// Until the channel is in a state; returns the ps that it took.
  std::uint64_t until(unsigned channel, unsigned wanted, std::uint64_t most_ps = 2'000'000'000) {
    const std::uint64_t begin = zynq.now_ps();
    while (state(channel) != wanted && zynq.now_ps() < begin + most_ps) advance(kCyclePs);
    EXPECT_EQ(state(channel), wanted);
    return zynq.now_ps() - begin;
  }

  void fill(std::uint32_t at, std::uint32_t bytes, std::uint8_t seed = 1) {
    std::uint8_t* host = zynq.memory().host(at, bytes);
    for (std::uint32_t i = 0; i < bytes; ++i)
      host[i] = static_cast<std::uint8_t>((i * 2654435761U >> 13U) + seed);
  }
  std::vector<std::uint8_t> bytes(std::uint32_t at, std::uint32_t count) {
    const std::uint8_t* host = zynq.memory().host(at, count);
    return {host, host + count};
  }

  Zynq7000 zynq;
};

struct Pl330Test : testing::Test, Pl330Machine {};

}  // namespace sluice::model
