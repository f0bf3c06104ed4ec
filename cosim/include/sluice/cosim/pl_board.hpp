// SPDX-License-Identifier: Apache-2.0
// PlBoard: the programmable logic of a virtual Zynq, its memory system and the DMA controller of
// its PS, on the virtual machine's clock. It does what QEMU's plugin asks for (pl_wire.h).
//
// The board never runs further ahead of the machine's clock than lookahead_ns() while the processor
// runs: an access at time t reaches the logic no sooner than t + lookahead_ns(), so the board is
// never found to have gone too far. Writes are posted: the processor goes on, the next access waits
// for the answer, as accesses of one master to device memory do.
//
// A time is a time of the machine's virtual clock, ns since its start, up to 5 hours. Not
// thread-safe. Throws DesignFault, model::AxiProtocolError, and std::runtime_error for a later
// time; the board is of no further use then.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sluice/cosim/pl_wire.h"
#include "sluice/model/memory.hpp"
#include "sluice/sim/logic_board.hpp"

namespace sluice::cosim {

class PlBoard {
 public:
  // M_AXI_GP0, where the design's control space is in the processor's map (UG585 table 4-1).
  static constexpr uint64_t kControlBase = 0x4000'0000;

  // The controller's registers, those of the secure page (UG585 table 4-6).
  static constexpr uint64_t kDmacBase = 0xf800'3000;

  // Is given a sentence for the person who runs the board.
  using Say = std::function<void(const std::string& sentence)>;
  // So many registers that the board lacks are named, each once.
  static constexpr size_t kMostNamed = 16;

  // The board, a Zynq's, at time 0 of the virtual clock, its design at rest or not. has_logic: the
  // machine sees its control space. The machine maps the board's on-chip memory, at the speed of
  // its own. A read of a register that only RTL has is answered as one where nothing is; `say` is
  // told.
  explicit PlBoard(sim::LogicBoard& board, bool has_logic = true, Say say = {});

  [[nodiscard]] sluice_pl_hello hello();
  // Any request but a greeting. Throws std::invalid_argument: it is none.
  [[nodiscard]] sluice_pl_reply answer(const sluice_pl_request& request);

 private:
  struct Write {
    uint64_t arrives_ps;
    bool to_dmac;
    uint32_t offset;
    uint32_t value;
    uint8_t enables;
  };

  void peek(uint64_t address, sluice_pl_reply& reply);
  void read(const sluice_pl_request& request, sluice_pl_reply& reply);
  void write(const sluice_pl_request& request, sluice_pl_reply& reply);
  // To the first edge at or after a time, the posted write on the way. Ends at the first change of
  // a line if it may.
  void run_to(uint64_t time_ps, bool to_change);
  void finish_write();
  void name_absent(uint32_t offset);

  sim::LogicBoard& board_;
  bool has_logic_;
  Say say_;
  std::set<uint32_t> absent_;  // registers that were named
  model::Memory& on_chip_;
  sim::ControlLatency latency_;
  std::optional<Write> posted_;
  uint64_t answered_ps_ = 0;  // when the last posted write was
  std::vector<sluice_pl_change> changes_;
};

}  // namespace sluice::cosim
