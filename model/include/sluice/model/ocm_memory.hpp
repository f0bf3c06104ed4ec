// SPDX-License-Identifier: Apache-2.0
// OcmMemory: the bytes of the on-chip memory, and whether a port asks for them.
#pragma once

#include "sluice/model/memory.hpp"

namespace sluice::model {

struct OcmMemory {
  Memory bytes;
  bool asked = false;  ///< set by a port whose next command is for it; cleared by Ocm
};

}  // namespace sluice::model
