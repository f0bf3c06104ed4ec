// SPDX-License-Identifier: Apache-2.0
// A Verilated top as a Design: clock, reset, control port and interrupts, whose names are the same
// in every design.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "sluice/sim/design.hpp"

namespace sluice::sim {

// Between a pin and what the model makes of it. Wide ones are words of 32 bits to Verilator, of 64
// bits to the model; both least significant first, so on a little-endian host the bytes are the
// same.
template <typename To, typename From>
void copy_pin(To& to, const From& from) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
    to = static_cast<To>(from);
  else
    std::memcpy(&to, &from, std::min(sizeof to, sizeof from));
}

// Base is Design or an interface derived from it, whose pins the class derived from this has.
template <typename Base, typename Top>
class VerilatedDesign : public Base {
 public:
  explicit VerilatedDesign(const char* name) : top_(&context_, name) {}
  ~VerilatedDesign() override { top_.final(); }
  VerilatedDesign(const VerilatedDesign&) = delete;
  VerilatedDesign& operator=(const VerilatedDesign&) = delete;

  [[nodiscard]] uint64_t interrupts() const override { return top_.irq_o; }
  [[nodiscard]] unsigned interrupt_lines() const override { return 8 * sizeof top_.irq_o; }

  [[nodiscard]] std::span<uint8_t> ram(unsigned lane) const override {
    std::size_t bytes = 0;
    void* first = top_.ram(lane, bytes);
    return {static_cast<uint8_t*>(first), bytes};
  }

  void sample_control(ControlOutputs& out) const override {
    out.awready = top_.s_axil_awready;
    out.wready = top_.s_axil_wready;
    out.bvalid = top_.s_axil_bvalid;
    out.bresp = top_.s_axil_bresp;
    out.arready = top_.s_axil_arready;
    out.rvalid = top_.s_axil_rvalid;
    out.rdata = top_.s_axil_rdata;
    out.rresp = top_.s_axil_rresp;
  }

  void drive_control(const ControlInputs& in) override {
    top_.s_axil_awvalid = in.awvalid;
    top_.s_axil_awaddr = in.awaddr;
    top_.s_axil_awprot = 0;
    top_.s_axil_wvalid = in.wvalid;
    top_.s_axil_wdata = in.wdata;
    top_.s_axil_wstrb = in.wstrb;
    top_.s_axil_bready = in.bready;
    top_.s_axil_arvalid = in.arvalid;
    top_.s_axil_araddr = in.araddr;
    top_.s_axil_arprot = 0;
    top_.s_axil_rready = in.rready;
  }

  void drive_reset(bool asserted) override { top_.rst_ni = !asserted; }

  void rise() override {
    top_.clk_i = 1;
    top_.eval();
  }

  void settle() override {
    top_.clk_i = 0;
    top_.eval();
  }

  void keep_state() override {
    kept_.clear();
    if (top_.ticks() < kFirstTicks) return;  // no comparison yet, so no copy
    const auto words = state();
    kept_.assign(words.begin(), words.end());
  }
  [[nodiscard]] bool state_kept(uint64_t cycles) override {
    if (kept_.empty()) return false;
    const auto words = state();
    const uint64_t ticks = top_.ticks();
    followers_.clear();
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == kept_[i]) continue;
      if (words[i] == kept_[i] + cycles && ticks - words[i] < kMostLag)
        followers_.push_back(i);
      else if (!copies(kept_[i], words[i], ticks - cycles, ticks))
        return false;
    }
    return true;
  }
  void skip(uint64_t cycles) override {
    for (const std::size_t i : followers_) state()[i] += cycles;
  }

 protected:
  [[nodiscard]] Top& top() { return top_; }
  [[nodiscard]] const Top& top() const { return top_; }

 private:
  // A word of 64 bits that counts cycles is the design page's counter, another one that began at
  // reset, or the time of what is done every few cycles: no further than this behind the first.
  static constexpr uint64_t kMostLag = 128;
  // Before that, a counter of 16 bits would look like one.
  static constexpr uint64_t kFirstTicks = (1U << 16) + kMostLag;

  // Each half of a word that has become another one is a copy of a half of the counter, as register
  // blocks make it in each cycle.
  [[nodiscard]] static bool copies(uint64_t before, uint64_t now, uint64_t ticks_before,
                                   uint64_t ticks) {
    const auto copied = [&](unsigned shift) {
      const auto was = static_cast<uint32_t>(before >> shift);
      const auto is = static_cast<uint32_t>(now >> shift);
      const auto half = [&](unsigned of) {
        return was == static_cast<uint32_t>(ticks_before >> of) &&
               is == static_cast<uint32_t>(ticks >> of);
      };
      return was == is || half(0) || half(32);
    };
    return copied(0) && copied(32);
  }

  [[nodiscard]] std::span<uint64_t> state() {
    std::size_t bytes = 0;
    const void* first = top_.state(bytes);
    return {static_cast<uint64_t*>(const_cast<void*>(first)), bytes / sizeof(uint64_t)};
  }

  VerilatedContext context_;
  mutable Top top_;
  std::vector<uint64_t> kept_;
  std::vector<std::size_t> followers_;  // words that count cycles
};

}  // namespace sluice::sim
