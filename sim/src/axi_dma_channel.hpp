// SPDX-License-Identifier: Apache-2.0
// AxiDmaChannel: one direction of sl_axi_dma on the transaction level, by registers or, with a
// descriptor port, by descriptors: the first write of LENGTH or TAILDESC after Halted decides
// (rtl/dma/sl_axi_dma_front.sv, sl_axi_dma_channel.sv, sl_axi_dma_sg.sv).
#pragma once

#include <cstdint>
#include <optional>

#include "coalescing.hpp"
#include "descriptor_chain.hpp"
#include "sluice/model/port_master.hpp"
#include "sluice/model/ring.hpp"
#include "transaction_engine.hpp"

namespace sluice::sim {

class AxiDmaChannel {
 public:
  // client: of params.descriptors.
  AxiDmaChannel(model::Master& master, const EngineParams& params, unsigned client, bool to_memory);

  // offset: among the channel's registers.
  [[nodiscard]] uint32_t load(uint32_t offset, uint64_t cycle) const;
  // A soft reset is the engine's.
  void store(uint32_t offset, uint32_t value, uint64_t cycle);

  // It waits for something else than the master.
  [[nodiscard]] bool awake() const {
    return chain_ || starts_ || !ending_.empty() ||
           !(state_ == State::halted || (state_ == State::run && runs()));
  }
  void before(uint64_t cycle);
  void after(uint64_t cycle);

  [[nodiscard]] bool interrupt() const { return (flags_ & enables_) != 0; }
  [[nodiscard]] bool busy() const;
  [[nodiscard]] bool timed() const;
  [[nodiscard]] uint64_t received() const { return received_; }

  // For a reset: bursts that are issued end, until quiet(); then everything is as at the start.
  void quiesce();
  [[nodiscard]] bool quiet() const;
  void reset();

 private:
  enum class Mode : uint8_t { none, direct, descriptors };
  enum class State : uint8_t { halted, run, stop, flush };
  struct Ending {
    uint64_t cycle;
    model::Master::Done done;
  };
  struct WriteBack {
    uint64_t address;
    uint64_t bytes;
    bool ends_packet;
    bool failed;
  };

  [[nodiscard]] bool runs() const { return run_ && errors_ == 0; }
  [[nodiscard]] bool working() const { return to_memory_ ? master_.writing() : master_.reading(); }
  // Words of the stream.
  [[nodiscard]] uint64_t moved() const {
    return to_memory_ ? master_.words_received() : master_.words_sent();
  }
  void set_control(uint32_t value);
  void start_direct(uint32_t bytes, uint64_t cycle);
  void finish_direct(const model::Master::Done& done);
  [[nodiscard]] bool issue_due() const;
  void issue(uint64_t cycle);
  void refuse(const Descriptor& descriptor, uint64_t cycle);
  void status(const model::Master::Done& done, uint64_t cycle);
  void written(model::Response response, uint64_t cycle);
  void step_state(uint64_t cycle);
  void give_to_master(const model::PortTransfer& transfer);
  void fail(uint32_t errors, bool tell);

  model::Master& master_;
  bool to_memory_;
  unsigned length_bits_;
  unsigned unit_bytes_;
  uint64_t done_seen_;

  bool run_ = false;
  uint32_t enables_ = 0;  // writable bits of DMACR but RS
  uint32_t flags_ = 0;    // interrupts of DMASR
  uint32_t errors_ = 0;
  uint64_t current_ = 0, tail_ = 0, address_ = 0;
  uint32_t length_ = 0;

  Mode mode_ = Mode::none;
  State state_ = State::halted;
  bool active_ = false;  // a direct transfer
  bool idle_ = false;    // one has ended
  uint64_t start_at_ = 0;
  bool starts_ = false;  // it waits for start_at_
  model::Ring<Ending> ending_{64};

  std::optional<DescriptorChain> chain_;
  Coalescing coalescing_;
  model::Ring<uint64_t> flight_{64};  // addresses of descriptors whose transfers are in work
  model::Ring<WriteBack> writing_{64};
  bool told_ = false;          // of an error
  bool first_ = true;          // of a packet: the next write-back
  bool packet_begins_ = true;  // MM2S: with the next transfer
  uint64_t packets_seen_ = 0;  // S2MM
  uint64_t still_since_ = 0;   // the stream, while the channel stops
  uint64_t moved_seen_ = 0;
  uint64_t received_ = 0;
};

}  // namespace sluice::sim
