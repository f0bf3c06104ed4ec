// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/axi_hp.hpp"

#include <stdexcept>

namespace sluice::model {

void AxiHp::set_width(unsigned bits) {
  if (bits != 32 && bits != 64) {
    throw std::invalid_argument(name_ + ": width must be 32 or 64, is " + std::to_string(bits));
  }
  if (!no_bursts() || !port_.idle()) {
    throw std::logic_error(name_ + ": width changed while bursts are in flight");
  }
  port_bytes_ = bits / 8U;
}

}  // namespace sluice::model
