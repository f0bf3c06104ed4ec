// SPDX-License-Identifier: Apache-2.0
// AxiFilter: stands between a master and a slave on an AXI4 port, and may change what they see of
// each other.
#pragma once

#include "sluice/model/axi4.hpp"

namespace sluice::sim {

class AxiFilter {
 public:
  virtual ~AxiFilter() = default;
  // At each edge, first: what the master drives; on return what the slave is to see.
  virtual void requests(model::Axi4Inputs& pins) = 0;
  // Then: what the slave drives from the edge on; what the master is to see.
  virtual model::Axi4Outputs answers(const model::Axi4Outputs& pins) = 0;
};

}  // namespace sluice::sim
