// SPDX-License-Identifier: Apache-2.0
#include "attribute_names.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cerrno>
#include <set>
#include <string>

#include "error.hpp"

namespace sluice {

void refuse_attribute(std::string_view owner, std::string_view name,
                      const std::vector<sluice_attribute_info>& attributes) {
  const std::string_view wanted = name.substr(0, name.find('.'));
  std::vector<std::string_view> of_wanted;
  std::set<std::string_view> first_parts;
  for (const sluice_attribute_info& info : attributes) {
    const std::string_view known = info.name;
    const size_t dot = known.find('.');
    first_parts.insert(known.substr(0, dot));
    if (known.substr(0, dot) == wanted && dot != std::string_view::npos)
      of_wanted.push_back(known.substr(dot + 1));
  }
  if (!of_wanted.empty())
    throw Error(ENOENT, "{} has no attribute '{}'; {} has: {}", owner, name, wanted,
                fmt::join(of_wanted, ", "));
  if (first_parts.empty()) throw Error(ENOENT, "{} has no attributes", owner);
  throw Error(ENOENT, "{} has no attribute '{}'; names begin with: {}", owner, name,
              fmt::join(first_parts, ", "));
}

}  // namespace sluice
