// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/pcie_board.hpp"

#include <stdexcept>
#include <utility>

namespace sluice::sim {
namespace {

constexpr unsigned kResetCycles = 16;

PcieDesign& as_card(Design& design) {
  auto* card = dynamic_cast<PcieDesign*>(&design);
  if (card == nullptr) throw std::invalid_argument("the design is not one for a card");
  return *card;
}

}  // namespace

// ---- the control port

void PcieBoard::Control::begin_write(uint32_t offset, uint32_t value, uint8_t enables) {
  reads_ = false;
  in_.awvalid = in_.wvalid = in_.bready = true;
  in_.awaddr = offset;
  in_.wdata = value;
  in_.wstrb = enables;
}

void PcieBoard::Control::begin_read(uint32_t offset) {
  reads_ = true;
  in_.arvalid = in_.rready = true;
  in_.araddr = offset;
}

bool PcieBoard::Control::answered(uint32_t& value, model::Response& status) {
  if (in_.awvalid && out_.awready) in_.awvalid = false;
  if (in_.wvalid && out_.wready) in_.wvalid = false;
  if (in_.arvalid && out_.arready) in_.arvalid = false;
  if (!(reads_ ? out_.rvalid : out_.bvalid)) return false;
  in_.bready = in_.rready = false;
  value = out_.rdata;
  status = static_cast<model::Response>(reads_ ? out_.rresp : out_.bresp);
  return true;
}

// ---- the board

PcieBoard::PcieBoard(const model::PcieParams& params, std::unique_ptr<Design> design,
                     unsigned width_bits, double clock_mhz, const std::string& capture)
    : CardBoard(params, clock_mhz),
      owned_(std::move(design)),
      design_(as_card(*owned_)),
      bridge_(params, width_bits / 8, control_),
      card_port_(card_memory_, width_bits / 8, params.card_read_ps, params.card_write_ps) {
  CardBoard::capture(capture);
  reset();
  start();
}

void PcieBoard::reset() {
  design_.drive_reset(true);
  design_.drive_config({.bdf = kBdf,
                        .max_payload = size_code(params_.max_payload),
                        .max_read_request = size_code(params_.max_read_request),
                        .msix = true});
  design_.drive_control(control_.pins());
  for (unsigned i = 0; i < kResetCycles; ++i) {
    design_.rise();
    design_.settle();
  }
  design_.drive_reset(false);
  design_.settle();
}

void PcieBoard::step(uint64_t /*last_cycle*/) {
  ++cycle_;
  const uint64_t now = now_ps();
  bridge_.link().advance_to(now);
  design_.sample_host(host_in_);
  design_.sample_card(card_in_);
  design_.sample_bar(bar_in_);
  control_.sample(design_);
  bridge_.host_edge(host_in_, host_out_);
  card_port_.edge(now, card_in_, card_out_);
  bridge_.memory_edge(bar_in_, bar_out_);
  bridge_.control_edge();
  design_.rise();
  design_.drive_host(host_out_);
  design_.drive_card(card_out_);
  design_.drive_bar(bar_out_);
  design_.drive_control(control_.pins());
  design_.settle();
}

}  // namespace sluice::sim
