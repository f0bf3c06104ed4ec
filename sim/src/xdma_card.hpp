// SPDX-License-Identifier: Apache-2.0
// XdmaCard: the design xdma at transaction level: its registers, interrupts and messages, the CPU's
// accesses to its BARs, and one CardChannel each way.
//
// Registers: those of PG195 that a driver uses for memory-mapped channels; the design page; the
// MSI-X table and its pending bits. Performance counters, the user's interrupts, and writes of part
// of a register throw NotModelled. Time as HostPort.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>

#include "card_channel.hpp"
#include "host_port.hpp"
#include "sluice/model/pcie_link.hpp"
#include "sluice/sim/card_board.hpp"

namespace sluice::sim {

class XdmaCard final : public model::PcieCard, private HostPort::User {
 public:
  XdmaCard(const model::PcieParams& params, unsigned width_bytes, model::Memory& memory,
           const model::Clock& clock);

  [[nodiscard]] model::PcieLink& link() { return link_; }
  // What is due in that cycle, to whose time the link was brought.
  void step(uint64_t cycle);
  // When something is due again, unless the link does something before.
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] bool idle() const;

 private:
  static constexpr unsigned kChannels = 2;  // H2C, C2H

  struct Access {  // of the CPU or of another device
    bool is_load;
    unsigned bar;
    uint64_t offset;
    uint32_t bytes;
    std::vector<uint8_t> data;
  };
  struct Vector {
    uint64_t address = 0;
    uint32_t data = 0;
    bool masked = true;
    bool pending = false;
  };

  void read_data(uint32_t token, uint32_t bytes, std::span<const uint8_t> data,
                 model::Response status) override;
  void write_sent(uint32_t token) override;
  void store(unsigned bar, uint64_t offset, std::span<const uint8_t> data) override;
  void load(unsigned bar, uint64_t offset, uint32_t bytes) override;

  void bytes(HostPort::Reader reader, uint64_t place, std::span<const uint8_t> data) override;
  void beats(HostPort::Reader reader, uint64_t cycle, uint32_t count, bool last,
             model::Response status) override;
  void written(HostPort::Writer writer, uint64_t cycle) override;

  void take_access(uint64_t cycle);
  [[nodiscard]] bool may_begin() const;
  void begin_access(uint64_t cycle);
  void access_memory();
  void access_register(uint64_t cycle);
  [[nodiscard]] uint32_t load_register(uint32_t offset);
  [[nodiscard]] uint32_t load_channel(unsigned number, uint32_t offset, uint32_t in_window);
  [[nodiscard]] uint32_t load_sgdma(unsigned number, uint32_t offset, uint32_t in_window);
  [[nodiscard]] uint32_t load_vector(uint32_t in_table) const;
  void store_register(uint64_t cycle, uint32_t offset, uint32_t value);
  void store_channel(uint64_t cycle, unsigned number, uint32_t offset, uint32_t value);
  void store_sgdma(uint64_t cycle, unsigned number, uint32_t offset, uint32_t value);
  void store_vector(uint64_t cycle, uint32_t in_table, uint32_t value);
  void reset(uint64_t cycle, uint32_t bits);
  void interrupts(uint64_t cycle);
  void read_host(uint64_t cycle);
  void send(uint64_t cycle, unsigned vector);
  void due(uint64_t cycle) { next_ = cycle < next_ ? cycle : next_; }

  const model::PcieParams params_;
  unsigned width_bytes_;
  model::Memory& memory_;
  const model::Clock& clock_;
  model::PcieLink link_;
  HostPort host_;
  std::array<CardChannel, kChannels> channels_;
  uint64_t next_ = kNever;
  uint64_t cycle_ = 0;

  std::deque<Access> accesses_;
  std::deque<uint64_t> stores_;  // to the card's memory, unanswered: when they are answered
  bool busy_ = false;
  uint64_t access_from_ = 0;  // the next may begin
  uint64_t effect_ = kNever;  // of that at hand
  uint64_t done_ = kNever;
  std::vector<uint8_t> loaded_;
  model::Response load_status_ = model::Response::okay;

  uint32_t credit_mode_ = 0;
  uint32_t halt_ = 0;
  uint32_t enabled_ = 0;  // channels whose interrupts are sent
  std::array<uint32_t, 2> channel_vectors_{};
  std::array<bool, kChannels> pending_{};
  unsigned messages_ = 0;  // on their way
  std::array<Vector, CardBoard::kVectors> vectors_{};
};

}  // namespace sluice::sim
