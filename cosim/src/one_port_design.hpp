// SPDX-License-Identifier: Apache-2.0
// A design behind one_port_design.sv, Verilated: what its inputs reach is evaluated when they
// change.
#pragma once

#include "verilated_ports.hpp"

namespace sluice::cosim {

template <typename Top>
class OnePortDesign final : public sim::VerilatedHpDesign<Top> {
  using Base = sim::VerilatedHpDesign<Top>;

 public:
  using Base::Base;

  void drive_reset(bool asserted) override {
    Base::drive_reset(asserted);
    control_changed_ = true;
  }

  void drive_control(const sim::ControlInputs& in) override {
    if (in == control_) return;
    control_ = in;
    Base::drive_control(in);
    control_changed_ = true;
  }

  void drive_hp(unsigned port, const model::HpOutputs& out) override {
    Base::drive_hp(port, out);
    port_changed_ = true;
  }

  void settle() override {
    this->top().control_changed_i ^= control_changed_;
    this->top().port_changed_i ^= port_changed_;
    control_changed_ = port_changed_ = false;
    Base::settle();
  }

 private:
  sim::ControlInputs control_;
  bool control_changed_ = true;
  bool port_changed_ = true;
};

}  // namespace sluice::cosim
