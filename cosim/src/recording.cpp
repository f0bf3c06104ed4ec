// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/recording.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace sluice::cosim {
namespace {

template <typename Iterator>
std::string digits(Iterator first, Iterator last) {
  std::string text;
  text.reserve(2 * static_cast<std::size_t>(last - first));
  for (; first != last; ++first)
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(*first));
  return text;
}

}  // namespace

Recording::Recording(const std::string& path, const std::string& title,
                     std::function<uint64_t()> cycles)
    : file_(path), cycles_(std::move(cycles)) {
  if (!file_) throw std::runtime_error(path + ": " + std::generic_category().message(errno));
  fmt::print(file_, "# sluice-card recording 1\n# {}\n", title);
}

void Recording::accessed(bool write, unsigned region, uint64_t offset,
                         std::span<const std::byte> data) {
  fmt::print(file_, "{} {} {} {:x} {}\n", cycles_(), write ? 'W' : 'R', region, offset,
             digits(data.rbegin(), data.rend()));
}

void Recording::moved(bool write, uint64_t address, std::span<const std::byte> data) {
  fmt::print(file_, "{} {} {:x} {}\n", cycles_(), write ? 'w' : 'r', address,
             digits(data.begin(), data.end()));
}

void Recording::failed(uint64_t address, uint64_t bytes) {
  fmt::print(file_, "{} e {:x} {}\n", cycles_(), address, bytes);
}

void Recording::interrupted(unsigned vector) { fmt::print(file_, "{} i {}\n", cycles_(), vector); }

void Recording::reset() { fmt::print(file_, "{} x\n", cycles_()); }

bool Recording::finish() { return static_cast<bool>(file_.flush()); }

}  // namespace sluice::cosim
