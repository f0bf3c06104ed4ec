// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/zynq7000_params.hpp"

namespace sluice::model {

Zynq7000Params zynq7010() { return {}; }

Zynq7000Params zynq7020() {
  Zynq7000Params params;
  params.name = "zynq7020";
  return params;
}

}  // namespace sluice::model
