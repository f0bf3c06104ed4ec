// SPDX-License-Identifier: Apache-2.0
// A design as its board sees it: pins, and one rising clock edge at a time.
//
// All pins are registered on the board's side: in a cycle the board samples the design's
// outputs, which have settled, works out its own next outputs, and calls clock_edge() with them.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "sluice/model/axi.hpp"
#include "sluice/model/cyclonev_axi.hpp"

namespace sluice::sim {

// The design itself reported an error: an assertion in the RTL failed. The text is what it
// printed. The board that holds the design is of no further use.
class DesignFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of every design: byte addresses of its control port, which has 20 bits of them.
inline constexpr uint32_t kControlSpaceBytes = uint32_t{1} << 20;
// Of a design whose lanes have block RAM: where the control port has it, lane behind lane, and the
// bus address by which each lane's engine reaches its own (rtl/design/sl_hp_ports.sv).
inline constexpr uint32_t kRamOffset = 0x8'0000;
inline constexpr uint64_t kRamAddress = 0x4008'0000;

// AXI4-Lite control port, master's side and slave's side.
struct ControlInputs {
  bool awvalid = false;
  uint32_t awaddr = 0;
  bool wvalid = false;
  uint32_t wdata = 0;
  uint8_t wstrb = 0xf;
  bool bready = false;
  bool arvalid = false;
  uint32_t araddr = 0;
  bool rready = false;

  bool operator==(const ControlInputs&) const = default;
};

struct ControlOutputs {
  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  uint8_t bresp = 0;
  bool arready = false;
  bool rvalid = false;
  uint32_t rdata = 0;
  uint8_t rresp = 0;
};

class Design {
 public:
  virtual ~Design() = default;

  // Outputs as they stand before the next edge.
  virtual void sample_control(ControlOutputs& pins) const = 0;
  [[nodiscard]] virtual uint64_t interrupts() const = 0;  // bit n: line n, level
  // 8, 16, 32 or 64: as many lines as the design has, or the next of these; those above stay low.
  [[nodiscard]] virtual unsigned interrupt_lines() const = 0;

  // The block RAM of a lane, its bytes as they are between two edges; empty if it has none. All
  // lanes have as much.
  [[nodiscard]] virtual std::span<uint8_t> ram(unsigned lane) const = 0;

  // Inputs from the next edge on.
  virtual void drive_control(const ControlInputs& pins) = 0;
  virtual void drive_reset(bool asserted) = 0;

  // rise() is the clock edge with the inputs driven before it; settle() follows once the new
  // inputs are driven, and so comes between the driving of any input and the next rise(). Both may
  // throw DesignFault.
  virtual void rise() = 0;
  virtual void settle() = 0;

  // keep_state() remembers the design's state, its pins among it; state_kept(): it is the same now,
  // `cycles` later, but for its counters of cycles. It will be the same after each further such
  // step until an input changes, and skip() is as good as the cycles of any number of steps.
  virtual void keep_state() = 0;
  [[nodiscard]] virtual bool state_kept(uint64_t cycles) = 0;
  virtual void skip(uint64_t cycles) = 0;

  // Some cycles of reset, with the inputs that are driven.
  void reset() {
    constexpr unsigned kCycles = 16;
    drive_reset(true);
    settle();
    for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
      rise();
      settle();
    }
    drive_reset(false);
    settle();
  }
};

// A design for the HP ports of a Zynq-7000, or for its ACP.
class HpDesign : public Design {
 public:
  // HP ports that the design drives, numbered from 0.
  [[nodiscard]] virtual unsigned hp_ports() const = 0;
  // Its one port is wired to the ACP.
  [[nodiscard]] virtual bool on_acp() const { return false; }
  virtual void sample_hp(unsigned port, model::HpInputs& pins) const = 0;
  virtual void drive_hp(unsigned port, const model::HpOutputs& pins) = 0;
};

// A design for the F2S ports of a Cyclone V.
class F2sDesign : public Design {
 public:
  // Ports of a width that fit into the interface's 256 bits, three at most.
  static constexpr unsigned kMostPorts = 3;
  static constexpr unsigned ports_at(unsigned width_bits) {
    return width_bits >= 256 ? 1 : width_bits >= 128 ? 2 : kMostPorts;
  }

  // F2S ports that the design drives, numbered from 0.
  [[nodiscard]] virtual unsigned f2s_ports() const = 0;
  virtual void sample_f2s(unsigned port, model::F2sInputs& pins) const = 0;
  virtual void drive_f2s(unsigned port, const model::F2sOutputs& pins) = 0;
};

}  // namespace sluice::sim
