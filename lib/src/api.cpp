// SPDX-License-Identifier: Apache-2.0
// The C entry points but those of hardware threads (api_hwt.cpp): check arguments, copy structures
// of any version, turn exceptions into -errno. What they do stands in board.hpp and the back ends.
#include <fmt/ranges.h>
#include <sluice.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <new>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "address_space.hpp"
#include "board.hpp"
#include "entry.hpp"
#include "error.hpp"
#include "uri.hpp"

namespace sluice {

thread_local std::string last_error;

namespace {

constexpr uint64_t kPlacementStep = 64;  // bytes: a cache line pair, and every width's beat

// The sentences are made out of line: a transfer that is right pays for comparisons alone.
[[noreturn]] void refuse_buffer(const sluice_channel_info& channel, const sluice_board& board,
                                const sluice_buffer* buffer) {
  if (buffer == nullptr) throw Error(EINVAL, "a transfer on {} has no buffer", channel.name);
  if (&buffer->board() != &board)
    throw Error(EINVAL, "a transfer on {} has a buffer of another board", channel.name);
  throw Error(EBUSY, "a transfer on {} has a buffer to which the CPU's access has not ended",
              channel.name);
}

inline void check_buffer(const sluice_channel_info& channel, const sluice_board& board,
                         const sluice_buffer* buffer) {
  if (buffer == nullptr || &buffer->board() != &board || buffer->access() != 0)
    refuse_buffer(channel, board, buffer);
}

[[noreturn]] void refuse_range(const sluice_channel_info& channel, uint64_t size, uint64_t offset,
                               uint64_t bytes) {
  if (bytes == 0 || bytes > channel.max_bytes)
    throw Error(EINVAL, "a transfer on {} must be 1 to {} bytes long, not {}", channel.name,
                channel.max_bytes, bytes);
  if (offset > size || bytes > size - offset)
    throw Error(EINVAL, "{} bytes at offset {} exceed the buffer of {} bytes", bytes, offset, size);
  if (!is_multiple(offset, channel.offset_alignment))
    throw Error(EINVAL, "offsets on {} must be multiples of {} bytes, not {}", channel.name,
                channel.offset_alignment, offset);
  if ((channel.capabilities & SLUICE_CAN_PACKETS) == 0)
    throw Error(ENOTSUP,
                "the engine of {} does not report how much of a packet arrived. Set "
                "SLUICE_TRANSFER_FILL on transfers that are always filled",
                channel.name);
  throw Error(EINVAL,
              "a packet on {} has at most {} bytes, not {}; set SLUICE_TRANSFER_FILL on a transfer "
              "that is always filled",
              channel.name, channel.max_packet_bytes, bytes);
}

// A range of 1 to `most` bytes that a transfer on `channel` may use of a buffer of `board`.
inline void check_range(const sluice_channel_info& channel, const sluice_board& board,
                        const sluice_buffer* buffer, uint64_t offset, uint64_t bytes,
                        uint64_t most) {
  check_buffer(channel, board, buffer);
  const uint64_t size = buffer->bytes();
  if (bytes - 1 >= most || offset > size || bytes > size - offset ||
      !is_multiple(offset, channel.offset_alignment))
    refuse_range(channel, size, offset, bytes);
}

void check_card_range(const sluice_board& board, uint64_t offset, uint64_t bytes) {
  const uint64_t there = board.card_bytes();
  if (there == 0) return;  // vfio: how much the card has is not known
  if (offset > there || bytes > there - offset)
    throw Error(EINVAL, "{} bytes at {} exceed the card's memory of {} bytes", bytes, offset,
                there);
}

[[noreturn]] void refuse_kind(const sluice_channel_info& channel, const sluice_transfer& transfer) {
  if ((transfer.flags & ~SLUICE_TRANSFER_FILL) != 0 || transfer.reserved != 0)
    throw Error(EINVAL, "a transfer on {} has flags 0x{:x} that are not known", channel.name,
                transfer.flags);
  if (channel.direction != SLUICE_S2MM && transfer.flags != 0)
    throw Error(EINVAL, "{} does not receive, so SLUICE_TRANSFER_FILL is not allowed",
                channel.name);
  throw Error(EINVAL, "the other side of {} is a stream: card_offset must be 0, is {}",
              channel.name, transfer.card_offset);
}

// Out of line, for its loop needs all registers that a 32-bit processor has.
[[gnu::noinline]] void check_entries(std::span<const sluice_transfer> transfers,
                                     const sluice_channel_info& channel,
                                     const sluice_board& board) {
  const bool receives = channel.direction == SLUICE_S2MM;
  const bool card = (channel.capabilities & SLUICE_HAS_CARD) != 0;
  const bool packets = (channel.capabilities & SLUICE_CAN_PACKETS) != 0;
  const uint32_t known = receives ? SLUICE_TRANSFER_FILL : 0;
  const uint64_t most = channel.max_bytes;
  const uint64_t most_of_packet = packets ? channel.max_packet_bytes : 0;
  const uint64_t most_without_flags = receives && !card ? most_of_packet : most;
  for (const sluice_transfer& transfer : transfers) {
    check_range(channel, board, transfer.buffer, transfer.offset, transfer.bytes,
                transfer.flags == 0 ? most_without_flags : most);
    if (((transfer.flags & ~known) | transfer.reserved) != 0) refuse_kind(channel, transfer);
    if (card)
      check_card_range(board, transfer.card_offset, transfer.bytes);
    else if (transfer.card_offset != 0)
      refuse_kind(channel, transfer);
  }
}

void check_card_copy(sluice_board* board, uint64_t offset, const void* data, uint64_t bytes) {
  require(board, "board");
  require(data, "data");
  const uint64_t there = board->card_bytes();
  if (there == 0)
    throw Error(ENOTSUP, "{} is not a card with memory, and its logic has no block RAM",
                board->info().board);
  if (offset > there || bytes > there - offset)
    throw Error(EINVAL, "{} bytes at {} exceed the card's memory of {} bytes", bytes, offset,
                there);
}

void check_entries(std::span<const sluice_copy> copies, const sluice_channel_info& channel,
                   const sluice_board& board) {
  for (const sluice_copy& copy : copies) {
    const uint64_t most = channel.max_bytes;
    check_range(channel, board, copy.source, copy.source_offset, copy.bytes, most);
    check_range(channel, board, copy.destination, copy.destination_offset, copy.bytes, most);
    if (copy.source == copy.destination &&
        copy.source_offset < copy.destination_offset + copy.bytes &&
        copy.destination_offset < copy.source_offset + copy.bytes)
      throw Error(EINVAL, "source and destination of a copy on {} overlap", channel.name);
  }
}

// What a board is called in a sentence: its design, where that is known.
std::string name_of(const sluice_board& board) {
  const sluice_board_info info = board.info();
  return info.design[0] != '\0' ? info.design : info.board;
}

std::string channel_names(const sluice_board& board) {
  auto names =
      board.channels() | std::views::transform([](const auto& channel) { return channel->name(); });
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string schemes() {
  auto names = backends() | std::views::transform(&Backend::scheme);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The capture of a channel, that one has been started on.
Capture& started(sluice_channel* channel) {
  require(channel, "channel");
  Capture& capture = channel->capture();
  if (!capture.started()) throw Error(EINVAL, "no capture was started on {}", channel->name());
  return capture;
}

// Queue the caller's entries, of its version of Entry, on a channel that takes such.
template <typename Entry, typename Queue>
int queue_entries(sluice_channel& channel, const Entry* entries, unsigned count, size_t size,
                  const char* name, Queue queue) {
  check_size<Entry>(size, name);
  if (count == 0) throw Error(EINVAL, "nothing to queue");
  const sluice_channel_info& info = channel.info();
  const bool copies = info.direction == SLUICE_COPY;
  if (copies != std::is_same_v<Entry, sluice_copy>)
    throw Error(ENOTSUP, "{} {}", info.name,
                copies ? "copies from memory to memory: give it copies"
                       : "moves to or from a stream: give it transfers");
  const size_t most = std::min<size_t>(count, SLUICE_QUEUE_DEPTH);
  std::vector<Entry> copied;  // of another version of Entry
  if (size != sizeof *entries) {
    copied.reserve(most);
    const auto* bytes = reinterpret_cast<const char*>(entries);
    for (size_t i = 0; i < most; ++i)
      copied.push_back(copy_in<Entry>(bytes + i * size, size, name));
    entries = copied.data();
  }
  const std::span<const Entry> asked(entries, most);
  check_entries(asked, info, channel.board());
  const unsigned taken = queue(asked);
  if (taken == 0)
    throw Error(EAGAIN, "the queue of {} is full: {} transfers", info.name, SLUICE_QUEUE_DEPTH);
  return static_cast<int>(taken);
}

}  // namespace
}  // namespace sluice

using sluice::entry;
using sluice::Error;
using sluice::require;

const char* sluice_version(void) { return SLUICE_VERSION; }

const char* sluice_last_error(void) { return sluice::last_error.c_str(); }

int sluice_enumerate(unsigned index, struct sluice_board_description* description, size_t size) {
  return entry([&] {
    require(description, "description");
    sluice::check_size<sluice_board_description>(size, "description");
    for (const sluice::Backend& backend : sluice::backends()) {
      const auto entries = backend.enumerate();
      if (index < entries.size()) {
        sluice::copy_out(entries[index], description, size);
        return 0;
      }
      index -= static_cast<unsigned>(entries.size());
    }
    throw Error(ENOENT, "there are no more boards");
  });
}

int sluice_board_open(const char* uri, sluice_board** board) {
  return entry([&] {
    require(board, "board");
    *board = nullptr;
    require(uri, "uri");
    sluice::Uri parsed(uri);
    for (const sluice::Backend& backend : sluice::backends()) {
      if (parsed.scheme() != backend.scheme) continue;
      *board = backend.open(parsed).release();
      return 0;
    }
    throw Error(ENODEV, "unknown scheme '{}' in board URI '{}'; this library has: {}",
                parsed.scheme(), parsed.text(), sluice::schemes());
  });
}

void sluice_board_close(sluice_board* board) { delete board; }

int sluice_board_get_info(const sluice_board* board, struct sluice_board_info* info, size_t size) {
  return entry([&] {
    require(board, "board");
    require(info, "info");
    sluice::check_size<sluice_board_info>(size, "info");
    sluice::copy_out(board->info(), info, size);
    return 0;
  });
}

uint64_t sluice_board_now_ns(const sluice_board* board) { return board->now_ns(); }

int sluice_board_sleep_ns(sluice_board* board, uint64_t ns) {
  return entry([&] {
    require(board, "board");
    board->sleep_ns(ns);
    return 0;
  });
}

int sluice_board_cpu_work(sluice_board* board, const struct sluice_cpu_work* work, size_t work_size,
                          uint64_t* elapsed_ps) {
  return entry([&] {
    require(board, "board");
    require(work, "work");
    require(elapsed_ps, "elapsed_ps");
    sluice::check_size<sluice_cpu_work>(work_size, "work");
    const auto asked = sluice::copy_in<sluice_cpu_work>(work, work_size, "work");
    const bool copies = asked.kind == SLUICE_CPU_COPY;
    if (asked.kind < SLUICE_CPU_COPY || asked.kind > SLUICE_CPU_CHASE || asked.reserved != 0)
      throw Error(EINVAL, "work of kind {} is not known", asked.kind);
    if (copies ? asked.destination == asked.source : asked.destination != nullptr)
      throw Error(EINVAL,
                  "a copy needs a second buffer as its destination; other work must not have one");
    for (const sluice_buffer* buffer : {asked.source, copies ? asked.destination : asked.source}) {
      if (buffer == nullptr || &buffer->board() != board)
        throw Error(EINVAL, "the work has no buffer, or one of another board");
      if (asked.bytes > buffer->bytes())
        throw Error(EINVAL, "{} bytes of work do not fit a buffer of {}", asked.bytes,
                    buffer->bytes());
    }
    *elapsed_ps = board->cpu_work(asked);
    return 0;
  });
}

int sluice_card_write(sluice_board* board, uint64_t offset, const void* data, uint64_t bytes) {
  return entry([&] {
    sluice::check_card_copy(board, offset, data, bytes);
    board->write_card(offset, {static_cast<const uint8_t*>(data), static_cast<size_t>(bytes)});
    return 0;
  });
}

int sluice_card_read(sluice_board* board, uint64_t offset, void* data, uint64_t bytes) {
  return entry([&] {
    sluice::check_card_copy(board, offset, data, bytes);
    board->read_card(offset, {static_cast<uint8_t*>(data), static_cast<size_t>(bytes)});
    return 0;
  });
}

sluice_channel* sluice_board_channel(sluice_board* board, unsigned index) {
  return index < board->channels().size() ? board->channels()[index].get() : nullptr;
}

int sluice_board_find_channel(sluice_board* board, const char* name, sluice_channel** channel) {
  return entry([&] {
    require(board, "board");
    require(name, "name");
    require(channel, "channel");
    for (const auto& candidate : board->channels()) {
      if (candidate->name() != name) continue;
      *channel = candidate.get();
      return 0;
    }
    throw Error(ENOENT, "{} has no channel '{}'; it has: {}", sluice::name_of(*board), name,
                sluice::channel_names(*board));
  });
}

int sluice_channel_get_info(const sluice_channel* channel, struct sluice_channel_info* info,
                            size_t size) {
  return entry([&] {
    require(channel, "channel");
    require(info, "info");
    sluice::check_size<sluice_channel_info>(size, "info");
    sluice::copy_out(channel->info(), info, size);
    return 0;
  });
}

int sluice_buffer_alloc(sluice_board* board, uint64_t bytes,
                        const struct sluice_placement* placement, size_t placement_size,
                        sluice_buffer** buffer) {
  return entry([&] {
    require(board, "board");
    require(buffer, "buffer");
    *buffer = nullptr;
    sluice_placement where{};
    if (placement != nullptr) {
      sluice::check_size<sluice_placement>(placement_size, "placement");
      where = sluice::copy_in<sluice_placement>(placement, placement_size, "placement");
    }
    if (where.alignment == 0) where.alignment = sluice::AddressSpace::kPageBytes;
    if (bytes == 0) throw Error(EINVAL, "a buffer must be at least 1 byte long");
    if (!std::has_single_bit(where.alignment) || where.alignment < sluice::AddressSpace::kPageBytes)
      throw Error(EINVAL, "a buffer's alignment must be a power of two from {} up, not {}",
                  sluice::AddressSpace::kPageBytes, where.alignment);
    if (where.offset >= where.alignment || where.offset % sluice::kPlacementStep != 0)
      throw Error(EINVAL, "a buffer's offset must be a multiple of {} below {}, not {}",
                  sluice::kPlacementStep, where.alignment, where.offset);
    if (where.memory > SLUICE_ON_CHIP_MEMORY)
      throw Error(EINVAL, "a buffer's memory must be 0 (host), 1 (GPU) or 2 (on-chip), not {}",
                  where.memory);
    if (where.reserved != 0)
      throw Error(EINVAL, "a placement's reserved word must be 0, not {}", where.reserved);
    *buffer = &board->allocate(bytes, where);
    return 0;
  });
}

int sluice_buffer_import(sluice_board* board, int fd, sluice_buffer** buffer) {
  return entry([&] {
    require(board, "board");
    require(buffer, "buffer");
    *buffer = nullptr;
    *buffer = &board->import(fd);
    return 0;
  });
}

int sluice_card_buffer(sluice_board* board, uint64_t offset, uint64_t bytes,
                       sluice_buffer** buffer) {
  return entry([&] {
    require(buffer, "buffer");
    *buffer = nullptr;
    sluice::check_card_copy(board, offset, buffer, bytes);
    if (bytes == 0) throw Error(EINVAL, "a buffer must be at least 1 byte long");
    *buffer = &board->map_card(offset, bytes);
    return 0;
  });
}

int sluice_buffer_free(sluice_buffer* buffer) {
  return entry([&] {
    if (buffer == nullptr) return 0;
    if (buffer->busy()) throw Error(EBUSY, "a queued transfer uses the buffer");
    if (buffer->granted()) throw Error(EBUSY, "the buffer is granted to a hardware thread");
    buffer->board().free(*buffer);
    return 0;
  });
}

int sluice_buffer_begin_access(sluice_buffer* buffer, unsigned access) {
  return entry([&] {
    require(buffer, "buffer");
    if (access == 0 || (access & ~(SLUICE_READ | SLUICE_WRITE)) != 0)
      throw Error(EINVAL, "access 0x{:x} is not SLUICE_READ, SLUICE_WRITE or both", access);
    if (buffer->access() != 0)
      throw Error(EBUSY, "the CPU's access to the buffer has already begun");
    if (buffer->busy()) throw Error(EBUSY, "a queued transfer uses the buffer");
    buffer->begin_access(access);
    buffer->set_access(access);
    return 0;
  });
}

int sluice_buffer_end_access(sluice_buffer* buffer) {
  return entry([&] {
    require(buffer, "buffer");
    if (buffer->access() == 0) throw Error(EINVAL, "no access of the CPU to the buffer has begun");
    buffer->end_access(buffer->access());
    buffer->set_access(0);
    return 0;
  });
}

void* sluice_buffer_data(sluice_buffer* buffer) { return buffer->data(); }

uint64_t sluice_buffer_bytes(const sluice_buffer* buffer) { return buffer->bytes(); }

int sluice_channel_submit(sluice_channel* channel, const struct sluice_transfer* transfers,
                          unsigned count, size_t transfer_size) {
  return entry([&] {
    require(channel, "channel");
    require(transfers, "transfers");
    return sluice::queue_entries(*channel, transfers, count, transfer_size, "a transfer",
                                 [&](const auto& checked) { return channel->submit(checked); });
  });
}

int sluice_channel_copy(sluice_channel* channel, const struct sluice_copy* copies, unsigned count,
                        size_t copy_size) {
  return entry([&] {
    require(channel, "channel");
    require(copies, "copies");
    return sluice::queue_entries(*channel, copies, count, copy_size, "a copy",
                                 [&](const auto& checked) { return channel->copy(checked); });
  });
}

int sluice_channel_reap(sluice_channel* channel, struct sluice_completion* completions,
                        unsigned count, size_t completion_size, int64_t timeout_ns) {
  return entry([&] {
    require(channel, "channel");
    return sluice::reap_into(completions, count, completion_size,
                             [&](auto room) { return channel->reap(room, timeout_ns); });
  });
}

int sluice_channel_wait_any(sluice_channel* const* channels, unsigned count, int64_t timeout_ns,
                            unsigned* index) {
  return entry([&] {
    if (count == 0) throw Error(EINVAL, "no channels to wait for");
    require(channels, "channels");
    const std::span<sluice_channel* const> asked(channels, count);
    for (const sluice_channel* channel : asked) {
      require(channel, "a channel");
      if (&channel->board() != &asked[0]->board())
        throw Error(EINVAL, "{} and {} are channels of two boards", asked[0]->name(),
                    channel->name());
    }
    const auto found = asked[0]->board().wait_any(asked, timeout_ns);
    if (found && index != nullptr) *index = static_cast<unsigned>(*found);
    return found ? 1 : 0;
  });
}

int sluice_channel_cancel(sluice_channel* channel) {
  return entry([&] {
    require(channel, "channel");
    channel->cancel();
    return 0;
  });
}

const char* sluice_status_text(int32_t status) {
  switch (status) {
    case 0: return "the transfer succeeded";
    case -EIO: return "the engine or the memory reported an error";
    case -EFAULT: return "there is no memory at the address";
    case -EMSGSIZE: return "the packet was longer than the transfer";
    case -ECANCELED: return "cancelled, or queued beside a transfer that failed";
    case -ETIMEDOUT: return "its timeout expired, so the channel was stopped";
    case -ENODEV: return "the device has been removed";
    case -EACCES: return "refused: no grant of the thread contains all of it";
    case -EINVAL: return "the hardware reports the command as invalid";
    case -ESTALE: return "the exporter of the memory, another device, has revoked it";
    case -ENOMEM: return "the engine has too few descriptors for so many segments of memory";
    default: return "an error that has no sentence here; it is the negative of an errno";
  }
}

int sluice_capture_start(sluice_channel* channel, const struct sluice_capture* capture,
                         size_t capture_size) {
  return entry([&] {
    require(channel, "channel");
    require(capture, "capture");
    sluice::check_size<sluice_capture>(capture_size, "capture");
    const auto asked = sluice::copy_in<sluice_capture>(capture, capture_size, "capture");
    sluice::Capture& engine = channel->capture();
    const sluice_channel_info& info = channel->info();
    if ((asked.flags & ~(SLUICE_CAPTURE_GUESS | SLUICE_CAPTURE_HOLD)) != 0)
      throw Error(EINVAL, "a capture on {} has flags 0x{:x} that are not known", info.name,
                  asked.flags);
    if ((asked.flags & SLUICE_CAPTURE_HOLD) != 0 && (info.capabilities & SLUICE_CAN_HOLD) == 0)
      throw Error(ENOTSUP,
                  "a capture on {} cannot block the stream: its engine's driver does not report "
                  "how many bytes arrived, or cannot stop the engine",
                  info.name);
    sluice::check_buffer(info, channel->board(), asked.buffer);
    if (asked.periods < 3)
      throw Error(EINVAL, "a capture on {} has at least 3 periods, not {}", info.name,
                  asked.periods);
    if (asked.period_bytes == 0 || asked.period_bytes > info.max_packet_bytes)
      throw Error(EINVAL, "a period on {} is 1 to {} bytes long, not {}", info.name,
                  info.max_packet_bytes, asked.period_bytes);
    const uint64_t size = asked.buffer->bytes();
    if (asked.offset > size || (size - asked.offset) / asked.period_bytes < asked.periods)
      throw Error(EINVAL, "{} periods of {} bytes at offset {} exceed the buffer of {} bytes",
                  asked.periods, asked.period_bytes, asked.offset, size);
    if (asked.offset % info.offset_alignment != 0 ||
        asked.period_bytes % info.offset_alignment != 0)
      throw Error(EINVAL, "offset and periods on {} must be multiples of {} bytes", info.name,
                  info.offset_alignment);
    engine.start(asked);
    return 0;
  });
}

int sluice_capture_wait(sluice_channel* channel, uint64_t period, int64_t timeout_ns,
                        uint64_t* produced) {
  return entry([&] {
    const auto count = sluice::started(channel).wait(period, timeout_ns);
    if (count && produced != nullptr) *produced = *count;
    return count ? 1 : 0;
  });
}

int sluice_capture_get_period(sluice_channel* channel, uint64_t period,
                              struct sluice_capture_period* info, size_t size) {
  return entry([&] {
    require(info, "info");
    sluice::check_size<sluice_capture_period>(size, "info");
    const auto record = sluice::started(channel).period(period);
    if (!record) throw Error(ENOENT, "there is no record of period {}", period);
    sluice::copy_out(*record, info, size);
    return 0;
  });
}

int sluice_capture_read(sluice_channel* channel, uint64_t period, void* data, uint64_t bytes) {
  return entry([&] {
    require(data, "data");
    sluice::Capture& capture = sluice::started(channel);
    const sluice_capture_status now = capture.status();
    if (period < now.released || period >= now.produced)
      throw Error(EINVAL, "periods of {} can be read from number {} to below {}, not {}",
                  channel->name(), now.released, now.produced, period);
    capture.read(period, data, bytes);
    return 0;
  });
}

int sluice_capture_release(sluice_channel* channel, uint64_t period,
                           struct sluice_capture_answer* answer, size_t size) {
  return entry([&] {
    require(answer, "answer");
    sluice::check_size<sluice_capture_answer>(size, "answer");
    sluice::copy_out(sluice::started(channel).release(period), answer, size);
    return 0;
  });
}

int sluice_capture_get_loss(sluice_channel* channel, uint64_t index,
                            struct sluice_capture_loss* loss, size_t size) {
  return entry([&] {
    require(loss, "loss");
    sluice::check_size<sluice_capture_loss>(size, "loss");
    const auto record = sluice::started(channel).loss(index);
    if (!record) throw Error(ENOENT, "there is no record of loss {}", index);
    sluice::copy_out(*record, loss, size);
    return 0;
  });
}

int sluice_capture_get_status(sluice_channel* channel, struct sluice_capture_status* status,
                              size_t size) {
  return entry([&] {
    require(status, "status");
    sluice::check_size<sluice_capture_status>(size, "status");
    sluice::copy_out(sluice::started(channel).status(), status, size);
    return 0;
  });
}

int sluice_capture_stop(sluice_channel* channel) {
  return entry([&] {
    sluice::started(channel).stop();
    return 0;
  });
}

int sluice_board_attribute(sluice_board* board, unsigned index, struct sluice_attribute_info* info,
                           size_t size) {
  return entry([&] {
    require(board, "board");
    require(info, "info");
    sluice::check_size<sluice_attribute_info>(size, "info");
    const auto attributes = board->attributes();
    if (index >= attributes.size()) throw Error(ENOENT, "there are no more attributes");
    sluice::copy_out(attributes[index], info, size);
    return 0;
  });
}

int sluice_board_get_attribute(sluice_board* board, const char* name, uint64_t* value) {
  return entry([&] {
    require(board, "board");
    require(name, "name");
    require(value, "value");
    *value = board->get_attribute(name);
    return 0;
  });
}

int sluice_board_set_attribute(sluice_board* board, const char* name, uint64_t value) {
  return entry([&] {
    require(board, "board");
    require(name, "name");
    board->set_attribute(name, value);
    return 0;
  });
}
