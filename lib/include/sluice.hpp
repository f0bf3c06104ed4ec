// SPDX-License-Identifier: Apache-2.0
// libsluice for C++: owning handles and exceptions over sluice.h, nothing more. Lifetime and
// thread rules are those of sluice.h; a handle must not outlive its board.
#pragma once

#include <sluice.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

namespace sluice {

// A call failed: code() holds the errno, what() the library's sentence.
class Failure : public std::system_error {
 public:
  explicit Failure(int errnum)
      : std::system_error(errnum, std::generic_category()), sentence_(sluice_last_error()) {}
  [[nodiscard]] const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

// Return the result of a call, or throw Failure if it is negative.
inline int check(int result) {
  if (result < 0) throw Failure(-result);
  return result;
}

struct BoardDeleter {
  void operator()(sluice_board* board) const { sluice_board_close(board); }
};
struct BufferDeleter {
  // A buffer that a queued transfer still uses lives on until its board is closed.
  void operator()(sluice_buffer* buffer) const { (void)sluice_buffer_free(buffer); }
};
struct HwtDeleter {
  // A thread whose stream another one takes stays open until that one or the board is closed.
  void operator()(sluice_hwt* hwt) const { (void)sluice_hwt_close(hwt); }
};
using BoardHandle = std::unique_ptr<sluice_board, BoardDeleter>;
using BufferHandle = std::unique_ptr<sluice_buffer, BufferDeleter>;
using HwtHandle = std::unique_ptr<sluice_hwt, HwtDeleter>;

inline BoardHandle open_board(const std::string& uri) {
  sluice_board* board = nullptr;
  check(sluice_board_open(uri.c_str(), &board));
  return BoardHandle(board);
}

inline BufferHandle allocate(sluice_board* board, uint64_t bytes,
                             const sluice_placement& placement = {}) {
  sluice_buffer* buffer = nullptr;
  check(sluice_buffer_alloc(board, bytes, &placement, sizeof placement, &buffer));
  return BufferHandle(buffer);
}

// Make a buffer of a dma-buf. The caller keeps its descriptor. See sluice_buffer_import().
inline BufferHandle import_buffer(sluice_board* board, int fd) {
  sluice_buffer* buffer = nullptr;
  check(sluice_buffer_import(board, fd, &buffer));
  return BufferHandle(buffer);
}

// Make a buffer of part of the card's memory, for other devices. See sluice_card_buffer().
inline BufferHandle card_buffer(sluice_board* board, uint64_t offset, uint64_t bytes) {
  sluice_buffer* buffer = nullptr;
  check(sluice_card_buffer(board, offset, bytes, &buffer));
  return BufferHandle(buffer);
}

inline std::span<uint8_t> bytes_of(sluice_buffer* buffer) {
  return {static_cast<uint8_t*>(sluice_buffer_data(buffer)), sluice_buffer_bytes(buffer)};
}

// Access of the CPU to a buffer during a block. The constructor throws Failure.
class Access {
 public:
  Access(sluice_buffer* buffer, unsigned access) : buffer_(buffer) {
    check(sluice_buffer_begin_access(buffer, access));
  }
  ~Access() { (void)sluice_buffer_end_access(buffer_); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  sluice_buffer* buffer_;
};

inline sluice_channel* find_channel(sluice_board* board, const std::string& name) {
  sluice_channel* channel = nullptr;
  check(sluice_board_find_channel(board, name.c_str(), &channel));
  return channel;
}

inline void submit(sluice_channel* channel, const sluice_transfer& transfer) {
  check(sluice_channel_submit(channel, &transfer, 1, sizeof transfer));
}

inline void copy(sluice_channel* channel, const sluice_copy& entry) {
  check(sluice_channel_copy(channel, &entry, 1, sizeof entry));
}

// Take the next completion. Throws Failure(ETIMEDOUT) if none arrives within timeout_ns of the
// board's time (negative: no limit), or if nothing is queued.
inline sluice_completion wait(sluice_channel* channel, int64_t timeout_ns = -1) {
  sluice_completion completion{};
  if (check(sluice_channel_reap(channel, &completion, 1, sizeof completion, timeout_ns)) == 0)
    throw Failure(ETIMEDOUT);
  return completion;
}

// Wait until a channel has a completion to reap. Returns the index of the first such channel, or
// nothing if the timeout expired or nothing is queued. See sluice_channel_wait_any().
inline std::optional<unsigned> wait_any(std::span<sluice_channel* const> channels,
                                        int64_t timeout_ns = -1) {
  unsigned index = 0;
  if (check(sluice_channel_wait_any(channels.data(), static_cast<unsigned>(channels.size()),
                                    timeout_ns, &index)) == 0)
    return std::nullopt;
  return index;
}

// Registers, bus addresses, interrupts and memory, for programs with a driver of their own.
inline uint32_t read_register(sluice_board* board, uint64_t offset) {
  uint32_t value = 0;
  check(sluice_board_read_register(board, offset, &value));
  return value;
}

inline void write_register(sluice_board* board, uint64_t offset, uint32_t value,
                           unsigned enables = 0xf) {
  check(sluice_board_write_register(board, offset, value, enables));
}

inline uint64_t bus_address(const sluice_buffer* buffer) {
  uint64_t address = 0;
  check(sluice_buffer_get_bus_address(buffer, &address));
  return address;
}

inline uint64_t interrupts(sluice_board* board) {
  uint64_t lines = 0;
  check(sluice_board_get_interrupts(board, &lines));
  return lines;
}

// All lines that are high once one of mask is, or when timeout_ns is over.
inline uint64_t wait_interrupt(sluice_board* board, uint64_t mask, uint64_t timeout_ns) {
  uint64_t lines = 0;
  check(sluice_board_wait_interrupt(board, mask, timeout_ns, &lines));
  return lines;
}

// A descriptor for poll(2), the board's, which is readable while a line of mask is high.
inline int interrupt_fd(sluice_board* board, uint64_t mask) {
  return check(sluice_board_interrupt_fd(board, mask));
}

// The memory of a simulated board as a file.
struct MemoryFile {
  int fd;            // the caller's to close
  uint64_t address;  // bus address of its first byte
  uint64_t bytes;
};

inline MemoryFile memory_file(sluice_board* board) {
  MemoryFile file{};
  file.fd = check(sluice_board_memory_fd(board, &file.address, &file.bytes));
  return file;
}

// Bytes of the board's memory at a host address (nullptr: any), until the board is closed.
inline std::span<uint8_t> map_memory(sluice_board* board, void* at, uint64_t address,
                                     uint64_t bytes) {
  void* data = nullptr;
  check(sluice_board_map_memory(board, at, address, bytes, &data));
  return {static_cast<uint8_t*>(data), bytes};
}

// Registers from an offset on at a host address (nullptr: any), until the board is closed.
inline volatile uint32_t* map_registers(sluice_board* board, void* at, uint64_t offset,
                                        uint64_t bytes) {
  void* data = nullptr;
  check(sluice_board_map_registers(board, at, offset, bytes, &data));
  return static_cast<volatile uint32_t*>(data);
}

inline HwtHandle open_hwt(sluice_board* board, unsigned number) {
  sluice_hwt* hwt = nullptr;
  check(sluice_hwt_open(board, number, &hwt));
  return HwtHandle(hwt);
}

// Let the thread use all of a buffer; the number of the grant.
inline unsigned grant(sluice_hwt* hwt, sluice_buffer* buffer, uint32_t access) {
  const sluice_hwt_window asked = {.buffer = buffer,
                                   .offset = 0,
                                   .bytes = sluice_buffer_bytes(buffer),
                                   .access = access,
                                   .reserved = 0};
  return static_cast<unsigned>(check(sluice_hwt_grant(hwt, &asked, sizeof asked)));
}

inline void submit(sluice_hwt* hwt, const sluice_hwt_command& command) {
  check(sluice_hwt_submit(hwt, &command, 1, sizeof command));
}

// The next completion of a direction; throws as wait() of a channel.
inline sluice_completion wait(sluice_hwt* hwt, sluice_direction direction,
                              int64_t timeout_ns = -1) {
  sluice_completion completion{};
  if (check(sluice_hwt_reap(hwt, direction, &completion, 1, sizeof completion, timeout_ns)) == 0)
    throw Failure(ETIMEDOUT);
  return completion;
}

// The result of the oldest job; throws Failure(ETIMEDOUT) if it is not done in time.
inline uint32_t wait_result(sluice_hwt* hwt, int64_t timeout_ns = -1) {
  uint32_t result = 0;
  if (check(sluice_hwt_wait(hwt, &result, timeout_ns)) == 0) throw Failure(ETIMEDOUT);
  return result;
}

inline uint64_t get_attribute(sluice_board* board, const std::string& name) {
  uint64_t value = 0;
  check(sluice_board_get_attribute(board, name.c_str(), &value));
  return value;
}

inline void set_attribute(sluice_board* board, const std::string& name, uint64_t value) {
  check(sluice_board_set_attribute(board, name.c_str(), value));
}

}  // namespace sluice
