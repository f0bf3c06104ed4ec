// SPDX-License-Identifier: Apache-2.0
// PcieDesignCard: a card's design (xdma, xdma_stream, avmm) on a virtual machine's bus: the same
// RTL, bridge and card memory as on a simulated link, with the virtual machine above them.
//
//   BAR 0  the design's control space, with its MSI-X table at 0x8000 and pending bits at 0x8fe0
//   BAR 2  the card's memory; accesses of any size
//   MSI-X  32 vectors. The client keeps the table that the driver writes. The design's own table is
//          filled by the card: each message goes to an address of the card's, and becomes the
//          vector's signal. A message for which the client has no event yet waits for one.
// DMA addresses have 64 bits. Where the client sent no file for memory, another device's BAR say,
// it is read and written by messages. A read that fails gets DECERR; that a write fails is not
// told. Reads of a BAR do not wait for the card's DMA. Memory ports, for faults and counts: 0, the
// host's; 1, the card's memory's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sluice/cosim/card.hpp"
#include "sluice/model/memory.hpp"
#include "sluice/sim/pcie_logic.hpp"

namespace sluice::cosim {

class AxiFaults;
class GuestBus;

class PcieDesignCard final : public Card {
 public:
  static constexpr unsigned kVectors = 32;
  static constexpr uint64_t kMemory_bytes = uint64_t{16} << 20;
  // 10ee:9038, AMD's for XDMA at Gen3 x8, which AMD's driver knows; the subsystem tells whose card
  // it is.
  static constexpr ConfigSpace::Identity kIdentity{.vendor = 0x10ee,
                                                   .device = 0x9038,
                                                   .subsystem_vendor = 0x1234,
                                                   .subsystem = 0x51cf,
                                                   .revision = 0,
                                                   .class_code = 0x12'0000};

  // width_bits: of the design's ports, as it was made. Throws std::invalid_argument: the design is
  // not one for a card.
  PcieDesignCard(std::unique_ptr<sim::Design> design, unsigned width_bits,
                 const ConfigSpace::Identity& identity = kIdentity);
  ~PcieDesignCard() override;

  [[nodiscard]] unsigned ports() const override { return kPorts; }
  [[nodiscard]] uint64_t handshakes(unsigned port, Channel channel) const override;
  [[nodiscard]] uint64_t region_bytes(unsigned region) const override;
  [[nodiscard]] unsigned vectors() const override { return kVectors; }

 private:
  static constexpr unsigned kPorts = 2;

  void restart() override;
  void edge() override;
  bool read_control(uint32_t offset, uint32_t& value) override;
  void write_control(uint32_t offset, uint32_t value, uint8_t enables) override;
  bool read_bar(unsigned region, uint64_t offset, std::span<std::byte> data) override;
  bool write_bar(unsigned region, uint64_t offset, std::span<const std::byte> data) override;
  void configured() override;
  // But not what is a repetition itself.
  [[nodiscard]] bool may_repeat(unsigned line) const override { return (extra_ >> line & 1) == 0; }
  void set_faults(unsigned port, std::vector<ArmedFault*> faults) override;

  [[nodiscard]] sim::PcieConfig link_config() const;
  // How an access of the CPU ended; silent: not within its time.
  enum class Answer : uint8_t { done, refused, silent };
  Answer load(unsigned bar, uint64_t offset, std::span<std::byte> data);
  Answer store(unsigned bar, uint64_t offset, std::span<const std::byte> data);

  model::Memory memory_;
  std::unique_ptr<GuestBus> bus_;
  sim::PcieLogic logic_;
  std::array<std::unique_ptr<AxiFaults>, kPorts> faults_;  // host, card
};

}  // namespace sluice::cosim
