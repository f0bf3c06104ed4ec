// SPDX-License-Identifier: Apache-2.0
#include "axi_faults.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace sluice::cosim {

using model::Axi4Inputs;
using model::Axi4Outputs;
using model::Response;

ArmedFault* AxiFaults::fault_of(uint64_t address, Channel channel) const {
  return response_fault(faults_, channel == Channel::w, count(channel), address, width_bytes_);
}

void AxiFaults::take_reads(const Axi4Inputs& pins) {
  read_stays_ = shown_.rvalid && !pins.rready;
  if (shown_.rvalid && pins.rready) {
    pass(Channel::r);
    if (read_fault_ != nullptr) ++read_fault_->hits;
    auto& bursts = reads_[shown_.rid];
    bursts.front().address += width_bytes_;
    if (shown_.rlast) bursts.pop_front();
  }
  if (pins.arvalid && shown_.arready) {
    pass(Channel::ar);
    reads_[pins.arid].push_back({.address = pins.araddr & ~uint64_t{width_bytes_ - 1U}});
  }
}

void AxiFaults::take_writes(Axi4Inputs& pins) {
  response_stays_ = shown_.bvalid && !pins.bready;
  if (shown_.bvalid && pins.bready) {
    pass(Channel::b);
    owed_.pop_front();
  }
  if (pins.wvalid && shown_.wready) {
    Burst& burst = writes_.front();
    if (ArmedFault* fault = fault_of(burst.address, Channel::w)) {
      burst.response = std::get<ResponseFault>(fault->fault).response;
      ++fault->hits;
    }
    if (burst.response != Response::okay) pins.wstrb = 0;
    pass(Channel::w);
    burst.address += width_bytes_;
    if (pins.wlast) {
      owed_.push_back(burst.response);
      writes_.pop_front();
    }
  }
  if (pins.awvalid && shown_.awready) {
    pass(Channel::aw);
    writes_.push_back({.address = pins.awaddr & ~uint64_t{width_bytes_ - 1U}});
  }
}

void AxiFaults::requests(Axi4Inputs& pins) {
  take_reads(pins);
  take_writes(pins);
  pins.arvalid = pins.arvalid && shown_.arready;
  pins.awvalid = pins.awvalid && shown_.awready;
  pins.wvalid = pins.wvalid && shown_.wready;
  pins.rready = pins.rready && shown_.rvalid;
  pins.bready = pins.bready && shown_.bvalid;
}

Axi4Outputs AxiFaults::answers(const Axi4Outputs& pins) {
  Axi4Outputs now = pins;
  now.arready = pins.arready && !stuck(Channel::ar);
  now.awready = pins.awready && !stuck(Channel::aw);
  now.wready = pins.wready && !stuck(Channel::w);
  if (read_stays_) {
    now.rresp = shown_.rresp;
  } else {
    now.rvalid = pins.rvalid && !stuck(Channel::r);
    read_fault_ = now.rvalid ? fault_of(reads_[pins.rid].front().address, Channel::r) : nullptr;
    if (read_fault_ != nullptr)
      now.rresp = static_cast<uint8_t>(std::get<ResponseFault>(read_fault_->fault).response);
  }
  now.bvalid = response_stays_ || (pins.bvalid && !stuck(Channel::b));
  if (now.bvalid && owed_.front() != Response::okay)
    now.bresp = static_cast<uint8_t>(owed_.front());
  shown_ = now;
  return now;
}

void AxiFaults::reset() {
  shown_ = {};
  read_stays_ = response_stays_ = false;
  for (auto& bursts : reads_) bursts.clear();
  writes_.clear();
  owed_.clear();
  read_fault_ = nullptr;
}

void AxiFaults::set_faults(std::vector<ArmedFault*> faults) {
  faults_ = std::move(faults);
  if (std::find(faults_.begin(), faults_.end(), read_fault_) == faults_.end())
    read_fault_ = nullptr;
}

}  // namespace sluice::cosim
