// SPDX-License-Identifier: Apache-2.0
// The ops table of libsluice: what a back end implements and the C entry points call.
//
// Everything here may throw Error. One thread at a time per board (sluice.h).
#pragma once

#include <sluice.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace sluice {

// Divides only where it must: processors of 32 bits take hundreds of instructions for that.
constexpr bool is_multiple(uint64_t value, uint32_t unit) {
  return (unit & (unit - 1)) == 0 ? (static_cast<uint32_t>(value) & (unit - 1)) == 0
                                  : value % unit == 0;
}

// Capture without end on a channel. What has to have been started is refused by whoever calls.
struct Capture {
  virtual ~Capture() = default;

  // The buffer is of the same board and holds the periods, of which there are at least 3.
  virtual void start(const sluice_capture& capture) = 0;
  [[nodiscard]] virtual bool started() const = 0;
  // How many periods have ended, if more than `period`; nothing if that is not so in time.
  virtual std::optional<uint64_t> wait(uint64_t period, int64_t timeout_ns) = 0;
  [[nodiscard]] virtual std::optional<sluice_capture_period> period(uint64_t period) const = 0;
  [[nodiscard]] virtual std::optional<sluice_capture_loss> loss(uint64_t index) const = 0;
  [[nodiscard]] virtual sluice_capture_status status() const = 0;
  // A copy by the driver's read(), where there is a driver, of a period that has ended and was not
  // released. The implementation checks the length.
  virtual void read(uint64_t period, void* data, uint64_t bytes) {
    static_cast<void>(period), static_cast<void>(data), static_cast<void>(bytes);
    throw Error(ENOTSUP,
                "only the driver of a board dev: copies from a capture; read the memory of the "
                "ring instead");
  }
  virtual sluice_capture_answer release(uint64_t period) = 0;
  virtual void stop() = 0;
};

}  // namespace sluice

// The opaque handles of sluice.h are these classes themselves.

struct sluice_buffer {
  sluice_buffer(sluice_board& board, uint64_t bytes) : board_(board), bytes_(bytes) {}
  virtual ~sluice_buffer() = default;

  // Asked of each transfer's buffer: no virtual calls.
  [[nodiscard]] sluice_board& board() const { return board_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] virtual void* data() const = 0;
  [[nodiscard]] virtual bool busy() const = 0;                  // a queued transfer uses it
  [[nodiscard]] virtual bool granted() const { return false; }  // to a hardware thread

  // Around the CPU's accesses to data(); `access` is of SLUICE_READ and SLUICE_WRITE. Who calls
  // keeps in access() what has begun and not ended; 0: nothing.
  virtual void begin_access(unsigned access) { static_cast<void>(access); }
  virtual void end_access(unsigned access) { static_cast<void>(access); }
  [[nodiscard]] unsigned access() const { return access_; }
  void set_access(unsigned access) { access_ = access; }

 private:
  sluice_board& board_;
  uint64_t bytes_;
  unsigned access_ = 0;
};

struct sluice_channel {
  virtual ~sluice_channel() = default;

  [[nodiscard]] virtual sluice_board& board() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // It stays as long as the channel.
  [[nodiscard]] virtual const sluice_channel_info& info() const = 0;
  // How many of the transfers were taken. Those of other boards' buffers and those out of the
  // buffer's or channel's bounds have been refused before.
  virtual unsigned submit(std::span<const sluice_transfer> transfers) = 0;
  // The same for a channel of direction SLUICE_COPY; the other call is not made on one.
  virtual unsigned copy(std::span<const sluice_copy> copies) = 0;
  // How many completions were taken.
  virtual unsigned reap(std::span<sluice_completion> completions, int64_t timeout_ns) = 0;
  virtual void cancel() = 0;

  // Error(ENOTSUP) if it cannot.
  virtual sluice::Capture& capture() {
    throw sluice::Error(ENOTSUP, "{} takes transfers only: capture is for devices (dev:)", name());
  }
};

struct sluice_hwt {
  virtual ~sluice_hwt() = default;

  [[nodiscard]] virtual sluice_board& board() const = 0;
  [[nodiscard]] virtual sluice_hwt_info info() const = 0;
  // The range is in the buffer, aligned, and of the same board; so is a command's.
  virtual unsigned grant(const sluice_hwt_window& grant) = 0;
  virtual void revoke(unsigned grant) = 0;
  // How many were taken.
  virtual unsigned submit(std::span<const sluice_hwt_command> commands) = 0;
  virtual unsigned reap(sluice_direction direction, std::span<sluice_completion> completions,
                        int64_t timeout_ns) = 0;
  virtual void route(sluice_hwt* source) = 0;  // of the same board
  virtual void set_kernel(uint32_t kernel) = 0;
  virtual void start(uint32_t a, uint32_t b) = 0;
  virtual std::optional<uint32_t> wait(int64_t timeout_ns) = 0;
  virtual bool put(uint32_t word, int64_t timeout_ns) = 0;
  virtual std::optional<uint32_t> get(int64_t timeout_ns) = 0;
  virtual void halt() = 0;
  virtual void resume() = 0;
  [[nodiscard]] virtual sluice_hwt_stats stats(sluice_direction direction) = 0;
  virtual void clear_stats() = 0;
};

namespace sluice {

// What is under a board's channels, for software with a driver of its own.
struct RawAccess {
  virtual ~RawAccess() = default;

  // offset: of the control space, a multiple of 4. Bit i of enables, which is not 0: byte i.
  virtual uint32_t read_register(uint32_t offset) = 0;
  virtual void write_register(uint32_t offset, uint32_t value, uint8_t enables) = 0;
  // Interrupt lines, bit n = line n. Error(ENOTSUP) where the program does not see them.
  [[nodiscard]] virtual uint64_t interrupts() const = 0;
  // The lines when one of mask is high or the time is over.
  virtual uint64_t wait_interrupt(uint64_t mask, uint64_t timeout_ns) = 0;
  virtual int interrupt_descriptor(uint64_t mask) = 0;  // the board's
  // Of a buffer of this board.
  [[nodiscard]] virtual uint64_t bus_address(const sluice_buffer& buffer) const = 0;
  // A descriptor of the board's own memory, the caller's; byte 0 is at bus address *first.
  virtual int memory_descriptor(uint64_t* first, uint64_t* bytes) = 0;
  // Bytes of that memory, from and to a page, at a host address (nullptr: any); until the board
  // closes.
  virtual void* map_memory(void* at, uint64_t address, uint64_t bytes) = 0;
  // The same of registers from an offset on, which is a multiple of a page too.
  virtual void* map_registers(void* at, uint32_t offset, uint64_t bytes) = 0;
};

}  // namespace sluice

struct sluice_board {
  virtual ~sluice_board() = default;

  [[nodiscard]] virtual sluice_board_info info() const = 0;
  [[nodiscard]] virtual uint64_t now_ns() const = 0;
  virtual void sleep_ns(uint64_t ns) = 0;

  // The buffers are of this board and hold work.bytes. ps that it took.
  virtual uint64_t cpu_work(const sluice_cpu_work& work) = 0;

  [[nodiscard]] virtual const std::vector<std::unique_ptr<sluice_channel>>& channels() const = 0;

  // Wait until one of these channels of the board has a completion: the first that has one.
  // Nothing: none came in time, or nothing is queued on any.
  virtual std::optional<size_t> wait_any(std::span<sluice_channel* const> channels,
                                         int64_t timeout_ns) = 0;

  // placement is valid: alignment a power of two from a page up, offset below it, memory one of
  // enum sluice_memory.
  virtual sluice_buffer& allocate(uint64_t bytes, const sluice_placement& placement) = 0;
  // Of the card's memory, a range that lies in it, as other devices reach it.
  virtual sluice_buffer& map_card(uint64_t offset, uint64_t bytes) {
    static_cast<void>(offset), static_cast<void>(bytes);
    throw sluice::Error(ENOTSUP, "{}: no other device reaches the card's memory here",
                        info().board);
  }
  virtual void free(sluice_buffer& buffer) = 0;
  // The descriptor stays the caller's.
  virtual sluice_buffer& import(int fd) {
    static_cast<void>(fd);
    throw sluice::Error(ENOTSUP,
                        "{}: buffers lie in the board's own memory; a dma-buf can be imported by "
                        "dev: boards and simulated cards",
                        info().board);
  }

  [[nodiscard]] virtual std::vector<sluice_attribute_info> attributes() const = 0;
  virtual uint64_t get_attribute(std::string_view name) = 0;
  virtual void set_attribute(std::string_view name, uint64_t value) = 0;

  // Error(ENOTSUP) where a driver stands between the program and the hardware.
  virtual sluice::RawAccess& raw() {
    throw sluice::Error(ENOTSUP,
                        "{}: the driver sluice.ko keeps the registers, bus addresses and "
                        "interrupts of dev: boards to itself; open a sim: or vfio: board",
                        info().board);
  }

  // The memory of a card, of boards that have one; ranges lie in it.
  [[nodiscard]] virtual uint64_t card_bytes() const { return 0; }
  virtual void write_card(uint64_t offset, std::span<const uint8_t> data) {
    static_cast<void>(offset), static_cast<void>(data);
  }
  virtual void read_card(uint64_t offset, std::span<uint8_t> data) {
    static_cast<void>(offset), static_cast<void>(data);
  }

  // Hardware threads, of boards that have some.
  virtual sluice_hwt& open_hwt(unsigned number) {
    throw sluice::Error(ENOTSUP, "{} has no hardware threads, so no thread {}", info().board,
                        number);
  }
  virtual void close_hwt(sluice_hwt& hwt) { static_cast<void>(hwt); }
  virtual std::optional<sluice_hwt_fault> next_fault(int64_t timeout_ns) {
    static_cast<void>(timeout_ns);
    throw sluice::Error(ENOTSUP, "{} has no hardware threads, so no faults", info().board);
  }
};

namespace sluice {

class Uri;

// One row of the table of back ends: what its scheme can open without being asked, and how.
struct Backend {
  const char* scheme;
  std::vector<sluice_board_description> (*enumerate)();
  std::unique_ptr<sluice_board> (*open)(Uri& uri);
};

const std::vector<Backend>& backends();

// Copy text into a fixed name or text field, cut to fit, always terminated.
template <size_t N>
void assign(char (&field)[N], std::string_view text) {
  const size_t count = text.copy(field, N - 1);
  field[count] = '\0';
}

}  // namespace sluice
