// SPDX-License-Identifier: Apache-2.0
#include "device_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "device_board.hpp"
#include "error.hpp"
#include "system_calls.hpp"
#include "uri.hpp"

namespace sluice {
namespace {

// The folder of device nodes: /dev, or what SLUICE_DEVICES says.
std::string devices() {
  const char* folder = ::secure_getenv("SLUICE_DEVICES");
  return folder != nullptr && *folder != '\0' ? folder : "/dev";
}

std::string boards_folder() { return devices() + "/sluice"; }

std::unique_ptr<sluice_board> open(Uri& uri) { return open_device(uri, linux_calls()); }

std::vector<sluice_board_description> enumerate() { return enumerate_devices(linux_calls()); }

}  // namespace

std::vector<sluice_board_description> enumerate_devices(SystemCalls& calls) {
  std::vector<sluice_board_description> descriptions;
  for (const std::string& board : calls.list(boards_folder())) {
    const std::vector<std::string> nodes = calls.list(boards_folder() + "/" + board);
    const auto channels = std::ranges::count_if(nodes, [](const std::string& node) {
      return node != DeviceControl::kName && node != DeviceCard::kName;
    });
    sluice_board_description& entry = descriptions.emplace_back();
    assign(entry.uri, "dev:" + board);
    assign(entry.board, board);
    assign(entry.board_text,
           fmt::format("device of sluice.ko, {} channel{}", channels, channels == 1 ? "" : "s"));
    entry.is_device = 1;
  }
  return descriptions;
}

std::unique_ptr<sluice_board> open_device(Uri& uri, SystemCalls& calls) {
  std::string heap = uri.take("heap").value_or("");
  constexpr uint64_t kNsPerUs = 1000;
  constexpr uint64_t kMostBusyPollUs = 10'000;  // no signal ends it
  const uint64_t busy_poll_us = uri.take_integer("busy_poll_us", 0, kMostBusyPollUs).value_or(0);
  uri.expect_empty("heap, busy_poll_us");
  if (heap.find('/') != std::string::npos)
    throw Error(EINVAL, "heap must be a name in {}/dma_heap, cma, coherent or udmabuf, not '{}'",
                devices(), heap);
  const auto boards = calls.list(boards_folder());
  if (boards.empty())
    throw Error(ENODEV,
                "there is no board in {}. Load the driver with modprobe sluice, and for a PCI "
                "Express card also modprobe sluice_card or sluice_pci. If the driver finds no "
                "board, dmesg has the reason",
                boards_folder());
  if (std::ranges::find(boards, uri.board()) == boards.end())
    throw Error(ENODEV, "unknown board '{}'; {} has: {}", uri.board(), boards_folder(),
                fmt::join(boards, ", "));
  const std::string folder = boards_folder() + "/" + uri.board();
  return std::make_unique<DeviceBoard>(calls, uri.board(), folder, calls.list(folder), devices(),
                                       heap, busy_poll_us * kNsPerUs);
}

const Backend kDeviceBackend{.scheme = "dev", .enumerate = enumerate, .open = open};

}  // namespace sluice
