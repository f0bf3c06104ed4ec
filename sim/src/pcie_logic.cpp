// SPDX-License-Identifier: Apache-2.0
#include "sluice/sim/pcie_logic.hpp"

#include <stdexcept>
#include <utility>

namespace sluice::sim {
namespace {

PcieDesign& as_card(Design& design) {
  auto* card = dynamic_cast<PcieDesign*>(&design);
  if (card == nullptr) throw std::invalid_argument("the design is not one for a card");
  return *card;
}

}  // namespace

// ---- the control port

void PcieLogic::Control::begin_write(uint32_t offset, uint32_t value, uint8_t enables) {
  reads_ = false;
  in_.awvalid = in_.wvalid = in_.bready = true;
  in_.awaddr = offset;
  in_.wdata = value;
  in_.wstrb = enables;
}

void PcieLogic::Control::begin_read(uint32_t offset) {
  reads_ = true;
  in_.arvalid = in_.rready = true;
  in_.araddr = offset;
}

bool PcieLogic::Control::answered(uint32_t& value, model::Response& status) {
  if (in_.awvalid && out_.awready) in_.awvalid = false;
  if (in_.wvalid && out_.wready) in_.wvalid = false;
  if (in_.arvalid && out_.arready) in_.arvalid = false;
  if (!(reads_ ? out_.rvalid : out_.bvalid)) return false;
  in_.bready = in_.rready = false;
  value = out_.rdata;
  status = static_cast<model::Response>(reads_ ? out_.rresp : out_.bresp);
  return true;
}

// ---- the logic

PcieLogic::PcieLogic(std::unique_ptr<Design> design, unsigned width_bits, uint32_t max_payload,
                     model::Memory& card_memory, uint64_t read_ps, uint64_t write_ps)
    : owned_(std::move(design)),
      design_(as_card(*owned_)),
      bridge_(max_payload, width_bits / 8, control_),
      card_port_(card_memory, width_bits / 8, read_ps, write_ps) {}

void PcieLogic::reset(const PcieConfig& config) {
  bridge_.reset();
  card_port_.reset();
  control_ = {};
  host_out_ = card_out_ = {};
  bar_out_ = {};
  design_.drive_host(host_out_);
  design_.drive_card(card_out_);
  design_.drive_bar(bar_out_);
  design_.drive_control(control_.pins());
  design_.drive_config(config);
  design_.reset();
}

void PcieLogic::edge(uint64_t now_ps) {
  design_.sample_host(host_in_);
  design_.sample_card(card_in_);
  design_.sample_bar(bar_in_);
  control_.sample(design_);
  if (host_filter_ != nullptr) host_filter_->requests(host_in_);
  if (card_filter_ != nullptr) card_filter_->requests(card_in_);
  bridge_.host_edge(host_in_, host_out_);
  card_port_.edge(now_ps, card_in_, card_out_);
  bridge_.memory_edge(bar_in_, bar_out_);
  bridge_.control_edge();
  design_.rise();
  design_.drive_host(host_filter_ != nullptr ? host_filter_->answers(host_out_) : host_out_);
  design_.drive_card(card_filter_ != nullptr ? card_filter_->answers(card_out_) : card_out_);
  design_.drive_bar(bar_out_);
  design_.drive_control(control_.pins());
  design_.settle();
}

bool PcieLogic::moved() const {
  const auto asks = [](const model::Axi4Inputs& pins) {
    return pins.arvalid || pins.awvalid || pins.wvalid;
  };
  const auto answers = [](const model::Axi4Outputs& pins) { return pins.rvalid || pins.bvalid; };
  const ControlInputs& control = control_.pins();
  return asks(host_in_) || asks(card_in_) || asks(bar_out_) || answers(host_out_) ||
         answers(card_out_) || control.arvalid || control.awvalid || control.wvalid;
}

}  // namespace sluice::sim
