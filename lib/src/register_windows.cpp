// SPDX-License-Identifier: Apache-2.0
#include "register_windows.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

#include "error.hpp"
#include "memory_mapping.hpp"
#include "x86_access.hpp"

namespace sluice {
namespace {

// The board that has windows; its windows change only in its own calls.
std::atomic<const RegisterWindows*> owner{nullptr};
struct sigaction before;
bool installed = false;
thread_local bool answering = false;

// As if there were no handler: that of before, or the fault once more without ours.
void pass_on(int signal, siginfo_t* info, void* context) {
  const bool sent = info->si_code <= 0;  // by a process: nothing would fault again
  if (sent && before.sa_handler == SIG_IGN) return;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    ::sigaction(signal, &before, nullptr);
    if (sent) ::raise(signal);
  }
}

#if defined(__x86_64__)

constexpr int kGeneralRegisters[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                     REG_R12, REG_R13, REG_R14, REG_R15};

// Throws Error.
void answer(const RegisterWindows& windows, const RegisterWindows::Window& window,
            uintptr_t address, ucontext_t& context) {
  auto& general = context.uc_mcontext.gregs;
  const auto* const code = reinterpret_cast<const uint8_t*>(general[REG_RIP]);
  const std::optional<X86Access> access = decode_x86_access(code);
  if (!access)
    throw Error(ENOTSUP,
                "the instruction 0x{:02x} 0x{:02x} 0x{:02x} at {} is not mov, movzx or movsx. "
                "Access registers by volatile variables of 1, 2 or 4 bytes",
                code[0], code[1], code[2], fmt::ptr(code));
  const auto byte = static_cast<unsigned>(address % sizeof(uint32_t));
  if (byte + access->bytes > sizeof(uint32_t))
    throw Error(EINVAL, "an access of {} bytes is not within one register of 4 bytes",
                access->bytes);
  const auto offset = static_cast<uint32_t>(window.offset + (address - window.first) - byte);
  auto& target = general[kGeneralRegisters[access->reg]];
  if (access->write) {
    const uint64_t value =
        access->immediate ? access->value : access->taken(static_cast<uint64_t>(target));
    windows.registers().write_register(
        offset, static_cast<uint32_t>(value << 8 * byte),
        static_cast<uint8_t>(((1U << access->bytes) - 1) << byte & 0xfU));
  } else {
    const uint32_t value = windows.registers().read_register(offset) >> 8 * byte;
    target = static_cast<greg_t>(access->merged(static_cast<uint64_t>(target), value));
  }
  general[REG_RIP] += access->length;
}

#else

void answer(const RegisterWindows& /*windows*/, const RegisterWindows::Window& /*window*/,
            uintptr_t /*address*/, ucontext_t& /*context*/) {
  throw Error(ENOTSUP, "this processor's instructions are not decoded");
}

#endif

void handle(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const RegisterWindows* const windows = owner.load();
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const RegisterWindows::Window* const window =
      windows == nullptr || info->si_code <= 0 ? nullptr : windows->find(address);
  if (window == nullptr) {
    pass_on(signal, info, context);
    errno = saved_errno;
    return;
  }
  try {
    if (answering) throw Error(EBUSY, "a call on the board is in progress");
    answering = true;
    answer(*windows, *window, address, *static_cast<ucontext_t*>(context));
    answering = false;
  } catch (const std::exception& error) {
    answering = false;
    const std::string text = fmt::format("sluice: access to 0x{:x}, register 0x{:x}: {}\n", address,
                                         window->offset + (address - window->first), error.what());
    std::fputs(text.c_str(), stderr);
    pass_on(signal, info, context);
  }
  errno = saved_errno;
}

void install() {
  if (installed) return;
  struct sigaction action{};
  action.sa_sigaction = handle;
  // The simulator faults for itself if it faults; its stack is the program's own.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &before);
  installed = true;
}

void uninstall() {
  struct sigaction now{};
  ::sigaction(SIGSEGV, nullptr, &now);
  // A handler that came later may pass faults on to ours, which stays and passes them on in turn.
  if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != handle) return;
  ::sigaction(SIGSEGV, &before, nullptr);
  installed = false;
}

}  // namespace

RegisterWindows::~RegisterWindows() {
  if (windows_.empty()) return;
  uninstall();
  owner.store(nullptr);
  for (const Window& window : windows_)
    ::munmap(reinterpret_cast<void*>(window.first), window.bytes);
}

void* RegisterWindows::map(void* at, uint32_t offset, size_t bytes) {
#if !defined(__x86_64__)
  throw Error(ENOTSUP,
              "registers appear at addresses on x86-64 only; use sluice_board_read_register() and "
              "sluice_board_write_register()");
#endif
  windows_.reserve(windows_.size() + 1);
  const RegisterWindows* nobody = nullptr;
  const bool first = windows_.empty();
  if (first && !owner.compare_exchange_strong(nobody, this))
    throw Error(EBUSY, "another board of this process has its registers at addresses; close it");
  void* data = nullptr;
  try {
    data = map_at(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } catch (...) {
    if (first) owner.store(nullptr);
    throw;
  }
  windows_.push_back(
      {.first = reinterpret_cast<uintptr_t>(data), .bytes = bytes, .offset = offset});
  if (first) install();
  return data;
}

const RegisterWindows::Window* RegisterWindows::find(uintptr_t address) const {
  for (const Window& window : windows_)
    if (address >= window.first && address - window.first < window.bytes) return &window;
  return nullptr;
}

}  // namespace sluice
