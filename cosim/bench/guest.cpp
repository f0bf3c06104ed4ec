// SPDX-License-Identifier: Apache-2.0
#include "guest.hpp"

#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace sluice::cosim {
namespace {

constexpr int kTimeout_ms = 30'000;
constexpr uint32_t kBar = VFIO_PCI_BAR0_REGION_INDEX;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void wait_readable(int descriptor) {
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, kTimeout_ms) != 1) throw std::runtime_error("the card does not answer");
}

void receive_all(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(to);
  while (bytes > 0) {
    wait_readable(socket);
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got <= 0) throw std::runtime_error("the card has gone");
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace

template <typename... Parts>
void Guest::send(wire::Command command, uint32_t flags, std::span<const int> files,
                 const Parts&... parts) {
  std::vector<std::byte> message(sizeof(wire::Header));
  const auto add = [&](std::span<const std::byte> bytes) {
    message.insert(message.end(), bytes.begin(), bytes.end());
  };
  (add(std::as_bytes(std::span(&parts, 1))), ...);
  const wire::Header header{.id = 1,
                            .command = static_cast<uint16_t>(command),
                            .bytes = static_cast<uint32_t>(message.size()),
                            .flags = flags,
                            .error = 0};
  std::memcpy(message.data(), &header, sizeof header);

  iovec piece{message.data(), message.size()};
  msghdr envelope{};
  envelope.msg_iov = &piece;
  envelope.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * wire::kMaxFiles)> control{};
  if (!files.empty()) {
    envelope.msg_control = control.data();
    envelope.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&envelope);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(part), files.data(), files.size_bytes());
  }
  if (::sendmsg(socket_.get(), &envelope, MSG_NOSIGNAL) != static_cast<ssize_t>(message.size()))
    fail("a request to the card");
}

std::vector<std::byte> Guest::receive() {
  wire::Header header{};
  receive_all(socket_.get(), &header, sizeof header);
  if (header.error != 0)
    throw std::runtime_error("the card refuses command " + std::to_string(header.command) + ": " +
                             std::strerror(static_cast<int>(header.error)));
  std::vector<std::byte> body(header.bytes - sizeof header);
  receive_all(socket_.get(), body.data(), body.size());
  return body;
}

template <typename... Parts>
std::vector<std::byte> Guest::ask(wire::Command command, std::span<const int> files,
                                  const Parts&... parts) {
  send(command, 0, files, parts...);
  return receive();
}

Guest::Guest(File connection, std::size_t memory_bytes, unsigned vectors)
    : socket_(std::move(connection)), memory_file_(::memfd_create("guest", MFD_CLOEXEC)) {
  if (!memory_file_ || ::ftruncate(memory_file_.get(), static_cast<off_t>(memory_bytes)) != 0)
    fail("memory");
  void* memory =
      ::mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_file_.get(), 0);
  if (memory == MAP_FAILED) fail("memory");
  memory_ = {static_cast<std::byte*>(memory), memory_bytes};

  ask(wire::Command::kVersion, {}, wire::Version{.major = 0, .minor = 1});
  const std::array memory_files{memory_file_.get()};
  ask(wire::Command::kDmaMap, memory_files,
      wire::DmaMap{.argsz = sizeof(wire::DmaMap),
                   .flags = wire::kMapRead | wire::kMapWrite,
                   .offset = 0,
                   .address = kMemoryAddress,
                   .size = memory_bytes});
  for (unsigned vector = 0; vector < vectors; ++vector) {
    events_.emplace_back(::eventfd(0, EFD_CLOEXEC));
    if (!events_.back()) fail("an event");
    const std::array files{events_.back().get()};
    ask(wire::Command::kDeviceSetIrqs, files,
        std::array<uint32_t, 5>{sizeof(vfio_irq_set),
                                VFIO_IRQ_SET_ACTION_TRIGGER | VFIO_IRQ_SET_DATA_EVENTFD,
                                VFIO_PCI_MSIX_IRQ_INDEX, vector, 1});
  }
  ask(wire::Command::kRegionWrite, {},
      wire::RegionAccess{
          .offset = PCI_COMMAND, .region = VFIO_PCI_CONFIG_REGION_INDEX, .count = sizeof(uint16_t)},
      uint16_t{PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER});
}

Guest::~Guest() { ::munmap(memory_.data(), memory_.size()); }

uint32_t Guest::read32(uint32_t offset) {
  const auto answer = ask(wire::Command::kRegionRead, {},
                          wire::RegionAccess{.offset = offset, .region = kBar, .count = 4});
  uint32_t value = 0;
  if (answer.size() != sizeof(wire::RegionAccess) + sizeof value)
    throw std::runtime_error("the card's answer to a read is too short");
  std::memcpy(&value, answer.data() + sizeof(wire::RegionAccess), sizeof value);
  return value;
}

void Guest::write32(uint32_t offset, uint32_t value) {
  send(wire::Command::kRegionWrite, wire::kNoReply, {},
       wire::RegionAccess{.offset = offset, .region = kBar, .count = 4}, value);
}

void Guest::wait_interrupt(unsigned vector) {
  wait_readable(events_[vector].get());
  uint64_t count = 0;
  if (::read(events_[vector].get(), &count, sizeof count) != sizeof count) fail("an event");
}

}  // namespace sluice::cosim
