// SPDX-License-Identifier: Apache-2.0
// The driver of hardware threads: sl_streamif's control block, and each thread's kernel and
// mailboxes. A command moves through these states, and its buffer is owned as said:
//
//   waiting    in the library's queue   its buffer belongs to the thread's direction
//   started    in the hardware's queue  its buffer belongs to the hardware
//   completed  status read or at rest   its buffer belongs to the program again
//
// A grant holds its buffer until it is revoked.
#pragma once

#include <sluice.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "board.hpp"
#include "design_map.hpp"
#include "platform.hpp"
#include "register_buffer.hpp"

namespace sluice {

// One direction of one thread.
class HwtChannel {
 public:
  struct Request {
    uint64_t address;
    uint32_t bytes;
    uint64_t cookie;
    bool end_of_packet;
    uint32_t* users;  // of the buffer: counted up by submit(), down on completion
  };
  struct Limits {
    uint32_t start_cost_ns;  // of a command, register accesses included
    unsigned depth;          // commands that the hardware holds
  };

  // base: of its registers; control: of sl_streamif, whose channel of that number it is.
  HwtChannel(Platform& platform, uint32_t control, unsigned number, const Limits& limits);

  [[nodiscard]] size_t room() const {
    return SLUICE_QUEUE_DEPTH - waiting_.size() - started_.size();
  }
  [[nodiscard]] bool idle() const { return waiting_.empty() && started_.empty(); }
  [[nodiscard]] bool has_completion() const { return !done_.empty(); }
  // Mask of the interrupt line if the hardware has a command, else 0.
  [[nodiscard]] uint64_t expected_interrupt() const {
    return started_.empty() ? 0 : uint64_t{1} << number_;
  }

  void submit(const Request& request);  // room() > 0
  void service();
  sluice_completion take_completion();
  // The thread was halted: everything completes with -ECANCELED, and commands count from 0 again.
  void cancel();

  [[nodiscard]] sluice_hwt_stats stats();
  // What the thread's new owner has moved counts from here on.
  void begin_stats();

 private:
  struct Started {
    Request request;
    uint64_t start_ns;
  };

  uint64_t read_bytes();
  void start_next();
  void complete(const Request& request, sluice_completion completion);

  Platform& platform_;
  uint32_t control_;
  uint32_t base_;
  unsigned number_;
  Limits limits_;
  unsigned done_count_ = 0;  // statuses taken since the last halt
  uint64_t looked_ns_ = 0;   // when
  uint64_t first_bytes_ = 0;
  uint64_t completed_ = 0;
  uint64_t refused_ = 0;
  std::deque<Request> waiting_;
  std::deque<Started> started_;
  std::deque<sluice_completion> done_;
};

class HwtUnit;

class Hwt final : public sluice_hwt {
 public:
  Hwt(HwtUnit& unit, unsigned number);
  ~Hwt() override;
  Hwt(const Hwt&) = delete;
  Hwt& operator=(const Hwt&) = delete;

  [[nodiscard]] sluice_board& board() const override;
  [[nodiscard]] sluice_hwt_info info() const override;
  unsigned grant(const sluice_hwt_window& grant) override;
  void revoke(unsigned grant) override;
  unsigned submit(std::span<const sluice_hwt_command> commands) override;
  unsigned reap(sluice_direction direction, std::span<sluice_completion> completions,
                int64_t timeout_ns) override;
  void route(sluice_hwt* source) override;
  void set_kernel(uint32_t kernel) override;
  void start(uint32_t a, uint32_t b) override;
  std::optional<uint32_t> wait(int64_t timeout_ns) override;
  bool put(uint32_t word, int64_t timeout_ns) override;
  std::optional<uint32_t> get(int64_t timeout_ns) override;
  void halt() override;
  void resume() override;
  [[nodiscard]] sluice_hwt_stats stats(sluice_direction direction) override;
  void clear_stats() override;

  // As sluice_hwt_open() and sluice_hwt_close() say.
  void open();
  void close();
  // Wait once more for one that is stuck. Throws Error(ETIMEDOUT) if it does not become idle now.
  void revive();

  [[nodiscard]] unsigned number() const { return number_; }
  [[nodiscard]] bool halted() const { return halted_; }
  // Told to halt and not at rest yet: what it has may still be the hardware's.
  [[nodiscard]] bool stuck() const { return stuck_; }
  [[nodiscard]] bool has_commands() const { return !read_.idle() || !write_.idle(); }
  [[nodiscard]] const Hwt* source() const { return source_; }
  [[nodiscard]] HwtChannel& channel(bool write) { return write ? write_ : read_; }
  [[nodiscard]] const HwtChannel& channel(bool write) const { return write ? write_ : read_; }

 private:
  void require_running(const char* what) const;
  void require_kernel() const;
  void set_window(unsigned window, uint64_t base, uint64_t bytes, uint32_t access);
  void set_route(const Hwt* source);
  // Raises the mail line for `cause` (a bit of sl_hwt's IRQ_ENABLE) until done() holds or the time
  // is over; whether it holds.
  bool wait_mail(uint32_t cause, int64_t timeout_ns, const std::function<bool()>& done);
  [[nodiscard]] uint32_t read_page(uint32_t offset) const;
  void write_page(uint32_t offset, uint32_t value);

  HwtUnit& unit_;
  unsigned number_;
  bool halted_ = false;
  bool stuck_ = false;
  HwtChannel read_;
  HwtChannel write_;
  const Hwt* source_ = nullptr;  // nullptr: memory
  uint32_t kernel_ = SLUICE_HWT_LANE;
  unsigned jobs_ = 0;                    // started and not waited for
  std::vector<RegisterBuffer*> grants_;  // by window; nullptr: free
};

// All threads of a board.
class HwtUnit {
 public:
  // Throws Error(ENODEV) if there is another block at entry.control, or it makes no sense.
  HwtUnit(sluice_board& board, Platform& platform, const HwtEntry& entry, uint32_t start_cost_ns);

  Hwt& open(unsigned number);
  void close(Hwt& hwt);
  // A fault without its buffer, whose place is its bus address.
  std::optional<sluice_hwt_fault> next_fault(int64_t timeout_ns);

  // Let every thread that has finished something go on; lines of those that have something to do.
  void service();
  [[nodiscard]] uint64_t expected_interrupts() const;
  // Waits until done() holds, meanwhile for `lines` too; whether it does.
  bool wait_until(uint64_t lines, int64_t timeout_ns, const std::function<bool()>& done);

  [[nodiscard]] unsigned count() const { return entry_.count; }
  [[nodiscard]] Platform& platform() const { return platform_; }
  [[nodiscard]] sluice_board& board() const { return board_; }
  [[nodiscard]] const HwtEntry& entry() const { return entry_; }
  [[nodiscard]] uint32_t read(uint32_t offset) const;
  void write(uint32_t offset, uint32_t value);
  [[nodiscard]] const HwtChannel::Limits& limits() const { return limits_; }
  [[nodiscard]] const sluice_hwt_info& shared_info() const { return info_; }
  // Throws Error(ETIMEDOUT) if the thread does not become idle.
  void set_halt(unsigned number, bool halted);
  // A thread, other than `but`, that takes its stream from `source`.
  [[nodiscard]] const Hwt* taker_of(const Hwt& source, const Hwt* but = nullptr) const;

 private:
  sluice_board& board_;
  Platform& platform_;
  HwtEntry entry_;
  HwtChannel::Limits limits_;
  sluice_hwt_info info_{};  // what is the same for all
  uint32_t halts_ = 0;
  uint16_t faults_told_ = 0;
  std::vector<std::unique_ptr<Hwt>> threads_;  // by number; nullptr: not open
};

}  // namespace sluice
