// SPDX-License-Identifier: Apache-2.0
// Designs of the catalogue once more, built with one port and without checkers of protocols, to be
// fast. Software sees no difference but the design page's number of ports.
#pragma once

#include <memory>
#include <string_view>

#include "sluice/sim/design.hpp"

namespace sluice::cosim {

// design: its name, without the board's. Null: it is not built so.
std::unique_ptr<sim::HpDesign> make_one_port_design(std::string_view design, unsigned width_bits);

}  // namespace sluice::cosim
