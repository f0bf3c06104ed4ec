// SPDX-License-Identifier: Apache-2.0
// Pl330: the DMA controller of a Zynq-7000's PS, ARM's DMA-330 (DDI 0424) as UG585 chapter 9 has
// it: 8 channels, 16 events, 4 peripheral interfaces, 8 lines of instruction cache with 16 bytes
// each, an MFIFO of 128 entries with 64 bits, queues of 16 loads and 16 stores, 8 reads and 8
// writes under way (registers CR0, CR1, CRD; UG585 appendix B).
//
// A call of tick() is one cycle of CPU_2x. In a cycle at most
//   one instruction is executed: of the manager, else of the next channel that is able to;
//   one word is read and one is written, one address goes out a direction, one answer comes back.
// Instructions: a lookup of the cache a cycle; two for an instruction of 6 bytes or across lines. A
//   miss fills a line from memory; a second miss meanwhile stalls all threads (DDI 0424 2.5). Lines
//   belong to a thread and are dropped with its DMAEND and DMAKILL. The least recently used line
//   is replaced (assumed).
// Loads: DMALD reserves its entries of the MFIFO, in which the bytes of a channel are packed and
// lie
//   as they will at the destination, enters the load queue, and is done. A channel that has loaded
//   owns the load-lock until it stores, waits or ends; others do not load meanwhile.
// Stores: DMAST enters the store queue; its burst begins when all its bytes are in the MFIFO. Both
//   queues are in order (assumed). A burst across 4 KiB becomes two. Beats of a fixed address are
//   bursts of their own (assumed; nothing of the PS that is modelled has fixed addresses).
// Faults: a channel that aborts drops what is queued, waits for what is under way, and rests in
//   Faulting; irq_abort is high until it is killed. Lockup (no channel can load, nothing is queued)
//   aborts those that wait, or interrupts only (WD).
// The manager boots secure and stopped (CR0: boot_en 0), so it executes instructions of the debug
//   registers alone. All events and peripherals are secure (CR3, CR4): those and secure accesses
//   are faults for a channel that DMAGO has made non-secure. Of the registers this is the secure
//   page; the non-secure one sees nothing of a secure manager.
// Refused as an invalid operand: CCR with an endian swap, or with beats wider than the bus.
// Not there: caching and protection bits have no effect; DMAFLUSHP, and the acknowledge of a
//   peripheral for DMALDP and DMASTP, take no time.
//
// quiet(): nothing will happen until a register is written or a peripheral asks; no ticks needed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "sluice/model/dmac_paths.hpp"

namespace sluice::model {

class Pl330 {
 public:
  static constexpr unsigned kChannels = 8;
  static constexpr unsigned kEvents = 16;
  static constexpr unsigned kPeripherals = 4;
  static constexpr unsigned kLines = 9;  ///< irq_abort, then irq[7:0]
  static constexpr std::uint32_t kRegisterBytes = 0x1000;

  explicit Pl330(DmacPaths& paths) : paths_(paths) {}
  Pl330(const Pl330&) = delete;
  Pl330& operator=(const Pl330&) = delete;

  /// An access by the APB port, 32 bits at a multiple of 4 below kRegisterBytes. Where no register
  /// is, it reads as 0 and ignores writes.
  [[nodiscard]] std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t value);
  /// Interrupts that are high: bit 0 irq_abort, bit 1 + n irq[n].
  [[nodiscard]] std::uint32_t lines() const { return irqs_; }

  /// A peripheral asks for a single transfer or for a burst; `last`: of its data (for DMALPFE).
  void request(unsigned peripheral, bool burst, bool last);

  void tick(std::uint64_t now_ps);
  [[nodiscard]] bool quiet() const { return !works_; }

 private:
  // DDI 0424 3.3.11, the status of a thread.
  enum class State : std::uint8_t {
    stopped = 0,
    executing = 1,
    cache_miss = 2,
    waiting_for_event = 4,
    at_barrier = 5,
    waiting_for_peripheral = 7,
    killing = 8,
    completing = 9,
    faulting_completing = 14,
    faulting = 15,
  };
  static constexpr unsigned kNobody = ~0U;
  static constexpr unsigned kLineBytes = 16;
  static constexpr unsigned kMostInstruction = 6;
  static constexpr unsigned kOpen = 8;     // reads, and writes, under way
  static constexpr unsigned kQueue = 16;   // loads, and stores
  static constexpr unsigned kMfifo = 128;  // entries
  static constexpr unsigned kWordBytes = 8;

  // Bytes that a DMALD has asked for, by their place in the channel's stream.
  struct Load {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t arrived;
  };
  // One side of CCR.
  struct Side {
    bool increments;
    std::uint32_t size_bytes;
    std::uint32_t beats;
    bool secure;
  };
  // What is left of a load or a store.
  struct Access {
    unsigned channel;
    std::uint32_t address;
    Side side;
    std::uint64_t place;  // in the channel's stream, of its first byte
    bool zeros;           // of a store: DMASTZ
  };
  struct Channel {
    State state = State::stopped;
    std::uint32_t pc = 0, sar = 0, dar = 0, ccr = kCcrReset;
    std::array<std::uint8_t, 2> loops{};
    std::uint32_t fault = 0;  // FTRn
    bool nonsecure = false;
    bool looked_up = false;                               // the first half of an instruction
    bool burst = false;                                   // what the peripheral asked for
    bool last = false;                                    // and whether that is its last
    unsigned waits_for = 0;                               // event or peripheral
    bool waits_for_burst = false, waits_for_any = false;  // of DMAWFP
    bool barrier_of_writes = false;
    bool blocked_load = false;                 // in the last cycle
    unsigned reads_open = 0, writes_open = 0;  // bursts
    // Its bytes in the MFIFO, by their place: from `head`, which has not been written yet, to
    // `tail`; those before `stored` belong to a queued DMAST.
    std::uint64_t head = 0, stored = 0, tail = 0;
    std::deque<Load> loads;
    std::array<std::uint8_t, kMfifo * kWordBytes> bytes{};

    [[nodiscard]] unsigned entries() const { return entries_to(tail); }
    [[nodiscard]] unsigned entries_to(std::uint64_t end) const {
      return end == head
                 ? 0
                 : static_cast<unsigned>((end + kWordBytes - 1U) / kWordBytes - head / kWordBytes);
    }
    [[nodiscard]] std::uint64_t arrived_to() const {
      return loads.empty() ? tail : loads.front().begin + loads.front().arrived;
    }
  };
  struct Line {
    unsigned thread = kNobody;  // a channel; the manager fetches nothing
    std::uint32_t address = 0;
    std::uint64_t used = 0;
    std::array<std::uint8_t, kLineBytes> bytes{};
  };
  struct Fill {
    unsigned thread;
    std::uint32_t address;
    bool asked = false;
    bool wanted = true;  // the thread has not been killed since
    bool failed = false;
    std::array<std::uint8_t, kLineBytes> bytes{};
  };
  struct OpenRead {
    bool busy = false;
    bool fill = false;
    unsigned channel = 0;
    bool wanted = true;  // as of Fill
    AfiBurst burst{};
    std::uint32_t taken = 0;
    std::uint64_t place = 0;
  };
  struct OpenWrite {
    bool busy = false;
    unsigned channel = 0;
    bool wanted = true;
  };
  // The words of the burst that W carries.
  struct Writing {
    AfiBurst burst{};
    unsigned channel = 0;
    bool of_mfifo = false;  // its words free entries: not of DMASTZ, nor of a channel killed since
    std::uint32_t put = 0;
    std::array<std::uint64_t, 16> words{};
    std::array<std::uint8_t, 16> strobes{};
    std::array<std::uint8_t, 16> bytes{};
  };
  enum class Step : std::uint8_t { done, jumped, blocked };

  static constexpr std::uint32_t kCcrReset = 0x0080'0200;

  // The bus, pl330.cpp.
  void take_word(std::uint64_t now_ps);
  void take_answer(std::uint64_t now_ps);
  void post_read(std::uint64_t now_ps);
  void move_write(std::uint64_t now_ps);
  void begin_write(std::uint64_t now_ps);
  [[nodiscard]] static AfiBurst next_burst(const Access& access);
  static bool advance(Access& access, const AfiBurst& burst);
  [[nodiscard]] static std::uint32_t bytes_of(std::uint32_t address, const Side& side);

  void end_fill();

  // Threads, pl330.cpp.
  void execute_one();
  bool execute(unsigned number);
  void settle();
  void update_outputs();
  [[nodiscard]] bool has_work() const;
  void watch_for_lockup();
  void abort(unsigned number, std::uint32_t fault);
  void drop(unsigned number);
  void drop_lines(unsigned number);
  void release_lock(unsigned number);
  [[nodiscard]] unsigned entries_used() const;
  [[nodiscard]] const std::uint8_t* look_up(unsigned number, std::uint32_t address);

  // Instructions, pl330_instructions.cpp.
  using Code = std::array<std::uint8_t, kMostInstruction>;
  [[nodiscard]] Step perform(unsigned number, const Code& code);
  [[nodiscard]] Step fail(unsigned number, std::uint32_t fault);
  [[nodiscard]] Step load(unsigned number, bool single);
  [[nodiscard]] Step store(unsigned number, bool single, bool zeros);
  [[nodiscard]] Step loop_end(Channel& channel, std::uint8_t opcode, std::uint8_t jump);
  [[nodiscard]] Step move(unsigned number, unsigned target, std::uint32_t value);
  [[nodiscard]] Step wait_for_event(unsigned number, std::uint8_t operand);
  [[nodiscard]] Step wait_for_peripheral(unsigned number, std::uint8_t opcode, unsigned peripheral);
  [[nodiscard]] static Side side(std::uint32_t ccr, unsigned shift);
  [[nodiscard]] static std::uint32_t after(std::uint32_t address, const Side& side);
  [[nodiscard]] static bool holds(const Channel& channel, std::uint8_t opcode);
  [[nodiscard]] static std::uint32_t event_fault(bool nonsecure, unsigned event);
  [[nodiscard]] static std::uint32_t peripheral_fault(const Channel& channel, unsigned peripheral);
  void signal(unsigned event);
  void grant(Channel& channel);
  void perform_debug();
  void go(const Code& code);

  // Registers, pl330_registers.cpp.
  [[nodiscard]] std::uint32_t faulting() const;
  [[nodiscard]] static std::uint32_t status(const Channel& channel);

  DmacPaths& paths_;
  std::array<Channel, kChannels> channels_{};
  std::uint32_t manager_fault_ = 0;  // FTRD; the manager is in Faulting while it is not 0
  std::uint32_t enabled_ = 0;        // INTEN
  std::uint32_t raised_ = 0;         // INT_EVENT_RIS
  std::uint32_t watchdog_ = 0;       // WD
  bool locked_up_ = false;           // and WD says interrupt only
  std::array<std::uint32_t, 2> debug_{};
  bool debug_pending_ = false;
  bool works_ = false;      // for quiet(), and ...
  std::uint32_t irqs_ = 0;  // ... for lines(): as the last cycle or access has left them
  unsigned last_channel_ = kChannels - 1;
  unsigned load_lock_ = kNobody;  // the channel that owns it

  std::array<Line, 8> lines_{};
  std::uint64_t lookups_ = 0;
  std::optional<Fill> fill_;
  bool stalled_ = false;  // by a second miss

  std::deque<Access> loads_, stores_;  // the queues
  std::array<OpenRead, kOpen> reads_{};
  std::array<OpenWrite, kOpen> writes_{};
  std::optional<Writing> writing_;
  struct Request {
    bool pending = false;
    bool burst = false;
    bool last = false;
  };
  std::array<Request, kPeripherals> requests_{};
};

}  // namespace sluice::model
