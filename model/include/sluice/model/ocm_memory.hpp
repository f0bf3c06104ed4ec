// SPDX-License-Identifier: Apache-2.0
// OcmMemory: the bytes of the on-chip memory, and whether Ocm has work.
#pragma once

#include "sluice/model/memory.hpp"

namespace sluice::model {

struct OcmMemory {
  Memory bytes;
  bool active = false;  ///< a port sets it as its next command is for these bytes; Ocm clears it
};

}  // namespace sluice::model
