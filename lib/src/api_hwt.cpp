// SPDX-License-Identifier: Apache-2.0
// The C entry points of hardware threads.
#include <sluice.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "board.hpp"
#include "entry.hpp"
#include "error.hpp"

namespace sluice {
namespace {

sluice_direction direction_of(uint32_t direction) {
  if (direction != SLUICE_MM2S && direction != SLUICE_S2MM)
    throw Error(EINVAL, "a hardware thread has directions SLUICE_MM2S and SLUICE_S2MM, not {}",
                direction);
  return static_cast<sluice_direction>(direction);
}

// A range of a buffer of the thread's board; `what` names who uses it.
void check_range(const sluice_hwt& hwt, const sluice_buffer* buffer, uint64_t offset,
                 uint64_t bytes, const char* what) {
  if (buffer == nullptr) throw Error(EINVAL, "{} has no buffer", what);
  if (&buffer->board() != &hwt.board())
    throw Error(EINVAL, "{} has a buffer of another board", what);
  const uint64_t size = buffer->bytes();
  if (bytes == 0) throw Error(EINVAL, "{} is of no bytes", what);
  if (offset > size || bytes > size - offset)
    throw Error(EINVAL, "{} of {} bytes at offset {} exceeds the buffer of {} bytes", what, bytes,
                offset, size);
}

void check_grant(const sluice_hwt& hwt, const sluice_hwt_window& grant) {
  check_range(hwt, grant.buffer, grant.offset, grant.bytes, "a grant");
  const uint64_t step = hwt.info().grant_alignment;
  const bool to_the_end = grant.offset + grant.bytes == grant.buffer->bytes();
  if (grant.offset % step != 0 || (grant.bytes % step != 0 && !to_the_end))
    throw Error(EINVAL, "a grant begins and ends at multiples of {} bytes, not at {} and {}", step,
                grant.offset, grant.offset + grant.bytes);
  if (grant.access == 0 || (grant.access & ~(SLUICE_READ | SLUICE_WRITE)) != 0)
    throw Error(EINVAL, "a grant is of SLUICE_READ, SLUICE_WRITE or both, not 0x{:x}",
                grant.access);
  if (grant.reserved != 0) throw Error(EINVAL, "reserved of a grant must be 0");
}

void check_command(const sluice_hwt& hwt, const sluice_hwt_info& info,
                   const sluice_hwt_command& command) {
  check_range(hwt, command.buffer, command.offset, command.bytes, "a command");
  if (command.buffer->access() != 0)
    throw Error(EBUSY, "a command has a buffer to which the CPU's access has not ended");
  const bool reads = direction_of(command.direction) == SLUICE_MM2S;
  if (command.bytes > info.max_bytes)
    throw Error(EINVAL, "a command of thread {} is at most {} bytes long, not {}", info.number,
                info.max_bytes, command.bytes);
  if (!is_multiple(command.offset, info.alignment))
    throw Error(EINVAL, "a command's offset must be a multiple of {} bytes, not {}", info.alignment,
                command.offset);
  if ((command.flags & ~SLUICE_HWT_EOP) != 0 || (!reads && command.flags != 0))
    throw Error(EINVAL, "a command {} has no flags 0x{:x}", reads ? "to the thread" : "to memory",
                command.flags);
  if (reads && command.flags == 0 && !is_multiple(command.bytes, info.width_bits / 8))
    throw Error(EINVAL, "{} bytes are not whole words, so they must end a packet (SLUICE_HWT_EOP)",
                command.bytes);
}

}  // namespace
}  // namespace sluice

using sluice::entry;
using sluice::Error;
using sluice::require;

int sluice_hwt_open(sluice_board* board, unsigned number, sluice_hwt** hwt) {
  return entry([&] {
    require(board, "board");
    require(hwt, "hwt");
    *hwt = nullptr;
    *hwt = &board->open_hwt(number);
    return 0;
  });
}

int sluice_hwt_close(sluice_hwt* hwt) {
  return entry([&] {
    if (hwt != nullptr) hwt->board().close_hwt(*hwt);
    return 0;
  });
}

int sluice_hwt_get_info(const sluice_hwt* hwt, struct sluice_hwt_info* info, size_t size) {
  return entry([&] {
    require(hwt, "hwt");
    require(info, "info");
    sluice::check_size<sluice_hwt_info>(size, "info");
    sluice::copy_out(hwt->info(), info, size);
    return 0;
  });
}

int sluice_hwt_grant(sluice_hwt* hwt, const struct sluice_hwt_window* grant, size_t grant_size) {
  return entry([&] {
    require(hwt, "hwt");
    require(grant, "grant");
    sluice::check_size<sluice_hwt_window>(grant_size, "grant");
    const auto asked = sluice::copy_in<sluice_hwt_window>(grant, grant_size, "grant");
    sluice::check_grant(*hwt, asked);
    return static_cast<int>(hwt->grant(asked));
  });
}

int sluice_hwt_revoke(sluice_hwt* hwt, unsigned grant) {
  return entry([&] {
    require(hwt, "hwt");
    hwt->revoke(grant);
    return 0;
  });
}

int sluice_hwt_submit(sluice_hwt* hwt, const struct sluice_hwt_command* commands, unsigned count,
                      size_t command_size) {
  return entry([&] {
    require(hwt, "hwt");
    require(commands, "commands");
    sluice::check_size<sluice_hwt_command>(command_size, "command");
    if (count == 0) throw Error(EINVAL, "nothing to queue");
    const sluice_hwt_info info = hwt->info();
    const size_t most = std::min<size_t>(count, 2 * SLUICE_QUEUE_DEPTH);
    std::vector<sluice_hwt_command> checked;
    checked.reserve(most);
    const auto* bytes = reinterpret_cast<const char*>(commands);
    for (size_t i = 0; i < most; ++i) {
      checked.push_back(
          sluice::copy_in<sluice_hwt_command>(bytes + i * command_size, command_size, "command"));
      sluice::check_command(*hwt, info, checked.back());
    }
    const unsigned taken = hwt->submit(checked);
    if (taken == 0)
      throw Error(EAGAIN, "the queue of thread {} is full: {} commands", info.number,
                  SLUICE_QUEUE_DEPTH);
    return static_cast<int>(taken);
  });
}

int sluice_hwt_reap(sluice_hwt* hwt, uint32_t direction, struct sluice_completion* completions,
                    unsigned count, size_t completion_size, int64_t timeout_ns) {
  return entry([&] {
    require(hwt, "hwt");
    const sluice_direction from = sluice::direction_of(direction);
    return sluice::reap_into(completions, count, completion_size,
                             [&](auto room) { return hwt->reap(from, room, timeout_ns); });
  });
}

int sluice_hwt_route(sluice_hwt* hwt, sluice_hwt* source) {
  return entry([&] {
    require(hwt, "hwt");
    if (source != nullptr && &source->board() != &hwt->board())
      throw Error(EINVAL, "a thread cannot take the stream of another board's thread");
    if (source == hwt) throw Error(EINVAL, "a thread cannot take its own stream");
    hwt->route(source);
    return 0;
  });
}

int sluice_hwt_set_kernel(sluice_hwt* hwt, uint32_t kernel) {
  return entry([&] {
    require(hwt, "hwt");
    hwt->set_kernel(kernel);
    return 0;
  });
}

int sluice_hwt_start(sluice_hwt* hwt, uint32_t a, uint32_t b) {
  return entry([&] {
    require(hwt, "hwt");
    hwt->start(a, b);
    return 0;
  });
}

int sluice_hwt_wait(sluice_hwt* hwt, uint32_t* result, int64_t timeout_ns) {
  return entry([&] {
    require(hwt, "hwt");
    const std::optional<uint32_t> word = hwt->wait(timeout_ns);
    if (word && result != nullptr) *result = *word;
    return word ? 1 : 0;
  });
}

int sluice_hwt_put(sluice_hwt* hwt, uint32_t word, int64_t timeout_ns) {
  return entry([&] {
    require(hwt, "hwt");
    return hwt->put(word, timeout_ns) ? 1 : 0;
  });
}

int sluice_hwt_get(sluice_hwt* hwt, uint32_t* word, int64_t timeout_ns) {
  return entry([&] {
    require(hwt, "hwt");
    require(word, "word");
    const std::optional<uint32_t> mail = hwt->get(timeout_ns);
    if (mail) *word = *mail;
    return mail ? 1 : 0;
  });
}

int sluice_hwt_halt(sluice_hwt* hwt) {
  return entry([&] {
    require(hwt, "hwt");
    hwt->halt();
    return 0;
  });
}

int sluice_hwt_resume(sluice_hwt* hwt) {
  return entry([&] {
    require(hwt, "hwt");
    hwt->resume();
    return 0;
  });
}

int sluice_hwt_next_fault(sluice_board* board, struct sluice_hwt_fault* fault, size_t size,
                          int64_t timeout_ns) {
  return entry([&] {
    require(board, "board");
    require(fault, "fault");
    sluice::check_size<sluice_hwt_fault>(size, "fault");
    const std::optional<sluice_hwt_fault> found = board->next_fault(timeout_ns);
    if (found) sluice::copy_out(*found, fault, size);
    return found ? 1 : 0;
  });
}

int sluice_hwt_get_stats(sluice_hwt* hwt, uint32_t direction, struct sluice_hwt_stats* stats,
                         size_t size) {
  return entry([&] {
    require(hwt, "hwt");
    require(stats, "stats");
    sluice::check_size<sluice_hwt_stats>(size, "stats");
    sluice::copy_out(hwt->stats(sluice::direction_of(direction)), stats, size);
    return 0;
  });
}

int sluice_hwt_clear_stats(sluice_hwt* hwt) {
  return entry([&] {
    require(hwt, "hwt");
    hwt->clear_stats();
    return 0;
  });
}
