// SPDX-License-Identifier: Apache-2.0
// The refusal of an attribute's name that a board does not have.
#pragma once

#include <sluice.h>

#include <string_view>
#include <vector>

namespace sluice {

// Throws ENOENT: `owner` has no such attribute, and which it has. Names like "hp0.loopback" belong
// to what is before their first dot. If there is one like that, its names are listed, else these.
[[noreturn]] void refuse_attribute(std::string_view owner, std::string_view name,
                                   const std::vector<sluice_attribute_info>& attributes);

}  // namespace sluice
