// SPDX-License-Identifier: Apache-2.0
// The driver's interface, <linux/sluice.h>, apart from sluice.h: both name their structures alike.
// Its macros are everywhere.
#pragma once

#include <linux/ioctl.h>
#include <linux/types.h>
#include <sluice.h>

namespace sluice::uapi {

#include <linux/sluice.h>

}  // namespace sluice::uapi
