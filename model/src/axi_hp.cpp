// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/axi_hp.hpp"

#include <stdexcept>

namespace sluice::model {

namespace {
/// Byte lanes of the port that beat `beat` of a burst may use.
unsigned lanes(std::uint64_t address, std::uint32_t beat, std::uint32_t size_bytes,
               std::uint32_t port_bytes) {
  const std::uint64_t aligned = address & ~std::uint64_t{size_bytes - 1U};
  const std::uint64_t start = beat == 0 ? address : aligned + std::uint64_t{beat} * size_bytes;
  const std::uint64_t end = aligned + std::uint64_t{beat + 1U} * size_bytes;
  const auto first = static_cast<unsigned>(start % port_bytes);
  const auto count = static_cast<unsigned>(end - start);
  return ((1U << count) - 1U) << first;
}
}  // namespace

void AxiHp::fault(const std::string& sentence) const {
  throw AxiProtocolError(name_ + ": " + sentence);
}

void AxiHp::set_width(unsigned bits) {
  if (bits != 32 && bits != 64) {
    throw std::invalid_argument(name_ + ": width must be 32 or 64, is " + std::to_string(bits));
  }
  if (!reads_.empty() || !writes_.empty() || !afi_.idle()) {
    throw std::logic_error(name_ + ": width changed while bursts are in flight");
  }
  width_bits_ = bits;
}

void AxiHp::check_stability(const HpInputs& in) const {
  const HpInputs& was = waiting_in_;
  if (was.arvalid) {
    if (!in.arvalid) fault("ARVALID dropped before ARREADY.");
    if (in.araddr != was.araddr || in.arlen != was.arlen || in.arsize != was.arsize ||
        in.arburst != was.arburst || in.arid != was.arid || in.arcache != was.arcache ||
        in.arlock != was.arlock || in.arprot != was.arprot || in.arqos != was.arqos) {
      fault("the AR payload changed before ARREADY.");
    }
  }
  if (was.awvalid) {
    if (!in.awvalid) fault("AWVALID dropped before AWREADY.");
    if (in.awaddr != was.awaddr || in.awlen != was.awlen || in.awsize != was.awsize ||
        in.awburst != was.awburst || in.awid != was.awid || in.awcache != was.awcache ||
        in.awlock != was.awlock || in.awprot != was.awprot || in.awqos != was.awqos) {
      fault("the AW payload changed before AWREADY.");
    }
  }
  if (was.wvalid) {
    if (!in.wvalid) fault("WVALID dropped before WREADY.");
    if (in.wdata != was.wdata || in.wstrb != was.wstrb || in.wlast != was.wlast ||
        in.wid != was.wid) {
      fault("the W payload changed before WREADY.");
    }
  }
}

void AxiHp::check_address(const char* channel, std::uint32_t address, unsigned length,
                          unsigned size, unsigned burst, unsigned lock) const {
  const std::string name = channel;
  const unsigned bytes = 1U << size;
  if (length > 15)
    fault(name + "LEN is " + std::to_string(length) + "; AXI3 bursts end at 16 beats.");
  if (size > 3 || bytes > width_bits_ / 8U) {
    fault(name + "SIZE is " + std::to_string(size) + ", wider than the port's " +
          std::to_string(width_bits_) + " bits.");
  }
  if (burst != 1) {
    fault(name + "BURST is " + std::to_string(burst) + "; this model takes INCR (1) only.");
  }
  if (lock != 0) fault(name + "LOCK is not 0; locked and exclusive accesses are not modelled.");
  const std::uint32_t last = (address & ~(bytes - 1U)) + (length + 1U) * bytes - 1U;
  if (address >> 12U != last >> 12U) {
    fault("a burst at address " + std::to_string(address) + " of " + std::to_string(length + 1U) +
          " beats of " + std::to_string(bytes) + " bytes crosses a 4 KiB boundary (" + name + ").");
  }
}

bool AxiHp::can_upsize(std::uint32_t address, unsigned beats, unsigned size_bytes,
                       unsigned cache) const {
  return width_bits_ == 32 && size_bytes == 4 && beats % 2U == 0 && address % 8U == 0 &&
         (cache & 2U) != 0;
}

void AxiHp::take_read(const HpInputs& in) {
  check_address("AR", in.araddr, in.arlen, in.arsize, in.arburst, in.arlock);
  const std::uint32_t beats = in.arlen + 1U;
  const std::uint32_t size_bytes = 1U << in.arsize;
  const bool upsized = can_upsize(in.araddr, beats, size_bytes, in.arcache);
  reads_.push_back({in.araddr, beats, size_bytes, in.arid, upsized, false});
  afi_.pl_read({in.araddr, upsized ? beats / 2U : beats, upsized ? 8U : size_bytes});
}

void AxiHp::take_write(const HpInputs& in) {
  check_address("AW", in.awaddr, in.awlen, in.awsize, in.awburst, in.awlock);
  const std::uint32_t beats = in.awlen + 1U;
  const std::uint32_t size_bytes = 1U << in.awsize;
  const bool upsized = can_upsize(in.awaddr, beats, size_bytes, in.awcache);
  writes_.push_back({in.awaddr, beats, size_bytes, in.awid, upsized, 0});
  responses_.push_back({in.awid, false});
  afi_.pl_write({in.awaddr, upsized ? beats / 2U : beats, upsized ? 8U : size_bytes});
}

void AxiHp::take_beat(const WriteBeat& beat) {
  WriteBurst& burst = writes_.front();
  if (beat.id != burst.id) {
    fault("WID is " + std::to_string(beat.id) + " while the oldest write has AWID " +
          std::to_string(burst.id) + "; write data must come in the order of the addresses.");
  }
  const bool last = burst.beats_taken + 1U == burst.beats;
  if (beat.last != last) {
    fault(beat.last ? "WLAST came before the last beat of the burst."
                    : "WLAST is missing on the last beat of the burst.");
  }
  const unsigned port_bytes = width_bits_ / 8U;
  const unsigned allowed = lanes(burst.address, burst.beats_taken, burst.size_bytes, port_bytes);
  if ((beat.strobe & ~allowed) != 0) {
    fault("WSTRB marks a byte outside the beat's own bytes.");
  }
  if (width_bits_ == 64) {
    afi_.pl_put_write_word(beat.data, beat.strobe);
  } else if (burst.upsized) {
    if (burst.beats_taken % 2U == 0) {
      write_word_ = beat.data & 0xffffffffU;
      write_word_strobe_ = beat.strobe;
    } else {
      afi_.pl_put_write_word(write_word_ | beat.data << 32U,
                             static_cast<std::uint8_t>(write_word_strobe_ | beat.strobe << 4U));
    }
  } else {
    // Expanded: the 32 bits go to the half of the 64-bit word that the address names.
    const std::uint64_t aligned = burst.address & ~std::uint64_t{burst.size_bytes - 1U};
    const bool upper = ((aligned + std::uint64_t{burst.beats_taken} * burst.size_bytes) & 4U) != 0;
    const std::uint64_t data = beat.data & 0xffffffffU;
    afi_.pl_put_write_word(upper ? data << 32U : data,
                           static_cast<std::uint8_t>(upper ? beat.strobe << 4U : beat.strobe));
  }
  ++burst.beats_taken;
  if (last) writes_.pop_front();
}

void AxiHp::load_read_beat(HpOutputs& out) {
  // Words of a read that was cut off by reset() are dropped, one an edge.
  while (!reads_.empty()) {
    if (!read_word_held_) {
      if (!afi_.pl_read_word_available()) return;
      const AfiPort::ReadWord word = afi_.pl_take_read_word();
      read_word_ = word.data;
      read_word_response_ = word.response;
      read_word_held_ = true;
    }
    ReadBurst& burst = reads_.front();
    std::uint64_t data = read_word_;
    if (width_bits_ == 32) {
      const std::uint64_t aligned = burst.address & ~std::uint64_t{burst.size_bytes - 1U};
      const std::uint64_t beat_address = aligned + std::uint64_t{read_beat_} * burst.size_bytes;
      data = (beat_address & 4U) != 0 ? data >> 32U : data & 0xffffffffU;
    }
    const bool last = read_beat_ + 1U == burst.beats;
    const bool word_done = !burst.upsized || read_beat_ % 2U == 1U;
    const bool discard = burst.discard;
    out.rvalid = !discard;
    out.rid = burst.id;
    out.rdata = data;
    out.rresp = static_cast<std::uint8_t>(read_word_response_);
    out.rlast = last;
    if (word_done) read_word_held_ = false;
    ++read_beat_;
    if (last) {
      reads_.pop_front();
      read_beat_ = 0;
    }
    if (!discard) return;
  }
}

void AxiHp::load_response(HpOutputs& out) {
  while (afi_.pl_response_available()) {
    const Response response = afi_.pl_take_response();
    const PendingResponse pending = responses_.front();
    responses_.pop_front();
    if (pending.discard) continue;
    out.bvalid = true;
    out.bid = pending.id;
    out.bresp = static_cast<std::uint8_t>(response);
    return;
  }
}

void AxiHp::edge(const HpInputs& in, HpOutputs& out) {
  check_stability(in);
  afi_.pl_edge();

  // What is not taken at this edge has to stand unchanged at the next one.
  waiting_in_ = in;
  waiting_in_.arvalid = in.arvalid && !out_.arready;
  waiting_in_.awvalid = in.awvalid && !out_.awready;
  waiting_in_.wvalid = in.wvalid && !out_.wready;

  // Handshakes of the cycle that ends here.
  if (in.arvalid && out_.arready) take_read(in);
  if (in.awvalid && out_.awready) take_write(in);
  if (in.wvalid && out_.wready) early_.push_back({in.wdata, in.wstrb, in.wid, in.wlast});
  if (out_.rvalid && in.rready) out_.rvalid = false;
  if (out_.bvalid && in.bready) out_.bvalid = false;

  // Data goes on as soon as its address is known; cut-off bursts are completed with empty strobes.
  while (abandoned_beats_ != 0 && afi_.pl_write_word_room()) {
    afi_.pl_put_write_word(0, 0);
    --abandoned_beats_;
  }
  while (abandoned_beats_ == 0 && !early_.empty() && !writes_.empty() &&
         afi_.pl_write_word_room()) {
    take_beat(early_.front());
    early_.pop_front();
  }

  if (!out_.rvalid) load_read_beat(out_);
  if (!out_.bvalid) load_response(out_);
  out_.arready = afi_.pl_read_room();
  out_.awready = afi_.pl_write_room();
  out_.wready = abandoned_beats_ == 0 && early_.empty() && afi_.pl_write_word_room();
  if (writes_.empty()) out_.wready = abandoned_beats_ == 0 && early_.size() < kEarlyBeats;

  out = out_;
}

void AxiHp::reset() {
  for (ReadBurst& burst : reads_) burst.discard = true;
  for (PendingResponse& response : responses_) response.discard = true;
  for (const WriteBurst& burst : writes_) {
    const std::uint32_t beats = burst.beats - burst.beats_taken;
    // Of an upsized burst two beats share a word; a half word that was held back is lost too.
    abandoned_beats_ += burst.upsized ? (beats + 1U) / 2U : beats;
  }
  writes_.clear();
  early_.clear();
  waiting_in_ = {};
  out_ = {};
}

}  // namespace sluice::model
