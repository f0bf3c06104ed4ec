// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev_axi_f2s.hpp"

namespace sluice::model {

AxiF2s::AxiF2s(F2sPort& port, unsigned index)
    : port_(port), index_(index), port_bytes_(port.bits() / 8U) {}

void AxiF2s::fault(const std::string& sentence) const {
  throw AxiProtocolError("F2S" + std::to_string(index_) + ": " + sentence);
}

void AxiF2s::check_stability(const F2sInputs& in) const {
  const F2sInputs& was = waiting_in_;
  if (was.arvalid) {
    if (!in.arvalid) fault("ARVALID dropped before ARREADY.");
    if (in.araddr != was.araddr || in.arlen != was.arlen || in.arsize != was.arsize ||
        in.arburst != was.arburst || in.arid != was.arid || in.arcache != was.arcache ||
        in.arlock != was.arlock || in.arprot != was.arprot) {
      fault("the AR payload changed before ARREADY.");
    }
  }
  if (was.awvalid) {
    if (!in.awvalid) fault("AWVALID dropped before AWREADY.");
    if (in.awaddr != was.awaddr || in.awlen != was.awlen || in.awsize != was.awsize ||
        in.awburst != was.awburst || in.awid != was.awid || in.awcache != was.awcache ||
        in.awlock != was.awlock || in.awprot != was.awprot) {
      fault("the AW payload changed before AWREADY.");
    }
  }
  if (was.wvalid) {
    if (!in.wvalid) fault("WVALID dropped before WREADY.");
    if (in.wdata != was.wdata || in.wstrb != was.wstrb || in.wlast != was.wlast) {
      fault("the W payload changed before WREADY.");
    }
  }
}

void AxiF2s::check_address(const char* channel, std::uint32_t address, unsigned length,
                           unsigned size, unsigned burst, unsigned lock) const {
  const std::string name = channel;
  if (length >= F2sPort::kMostBeats) {
    fault(name + "LEN is " + std::to_string(length) + "; the port takes bursts of 16 beats.");
  }
  if (1U << size != port_bytes_) {
    fault(name + "SIZE is " + std::to_string(size) + "; this model takes beats of the port's " +
          std::to_string(width()) + " bits only.");
  }
  if (burst != 1) {
    fault(name + "BURST is " + std::to_string(burst) + "; this model takes INCR (1) only.");
  }
  if (lock != 0) fault(name + "LOCK is not 0; exclusive accesses are not modelled.");
  const std::uint32_t last = (address & ~(port_bytes_ - 1U)) + (length + 1U) * port_bytes_ - 1U;
  if (address >> 12U != last >> 12U) {
    fault("a burst at address " + std::to_string(address) + " of " + std::to_string(length + 1U) +
          " beats crosses a 4 KiB boundary (" + name + ").");
  }
}

AfiBurst AxiF2s::words_of(std::uint32_t address, std::uint32_t beats) const {
  const std::uint64_t start = address & ~(port_bytes_ - 1U);
  const std::uint64_t first = start / 8U;
  const std::uint64_t end = (start + std::uint64_t{beats} * port_bytes_ + 7U) / 8U;
  return {first * 8U, static_cast<std::uint32_t>(end - first), 8};
}

void AxiF2s::take_read(const F2sInputs& in) {
  check_address("AR", in.araddr, in.arlen, in.arsize, in.arburst, in.arlock);
  const std::uint32_t beats = in.arlen + 1U;
  reads_.push_back({in.araddr & ~(port_bytes_ - 1U), beats, in.arid, false});
  port_.pl_read(words_of(in.araddr, beats));
}

void AxiF2s::take_write(const F2sInputs& in) {
  check_address("AW", in.awaddr, in.awlen, in.awsize, in.awburst, in.awlock);
  const std::uint32_t beats = in.awlen + 1U;
  writes_.push_back({in.awaddr, beats, 0});
  responses_.push_back({in.awid, false});
  port_.pl_write(words_of(in.awaddr, beats));
}

void AxiF2s::put_half(std::uint64_t address, bool last, std::uint64_t data, std::uint32_t strobe) {
  const bool upper = (address & 4U) != 0;
  half_data_ |= (data & 0xffffffffU) << (upper ? 32U : 0U);
  half_strobe_ = static_cast<std::uint8_t>(half_strobe_ | (upper ? strobe << 4U : strobe));
  if (!upper && !last) return;
  port_.pl_put_write_word(half_data_, half_strobe_);
  half_data_ = 0;
  half_strobe_ = 0;
}

void AxiF2s::take_beat(const WriteBeat& beat) {
  WriteBurst& burst = writes_.front();
  const bool last = burst.beats_taken + 1U == burst.beats;
  if (beat.last != last) {
    fault(beat.last ? "WLAST came before the last beat of the burst."
                    : "WLAST is missing on the last beat of the burst.");
  }
  const std::uint32_t below =
      burst.beats_taken == 0 ? (1U << burst.address % port_bytes_) - 1U : 0U;
  if ((beat.strobe & below) != 0) fault("WSTRB marks a byte below the burst's address.");
  if (port_bytes_ == 4) {
    const std::uint64_t start = burst.address & ~3U;
    put_half(start + std::uint64_t{burst.beats_taken} * 4U, last, beat.data[0], beat.strobe & 15U);
  } else {
    for (std::uint32_t word = 0; word < port_bytes_ / 8U; ++word) {
      port_.pl_put_write_word(beat.data[word],
                              static_cast<std::uint8_t>(beat.strobe >> (8U * word)));
    }
  }
  ++burst.beats_taken;
  if (last) writes_.pop_front();
}

void AxiF2s::load_read_beat(F2sOutputs& out) {
  // Beats of a read that was cut off by reset() are dropped at once.
  while (!reads_.empty()) {
    ReadBurst& burst = reads_.front();
    F2sData data{};
    Response response = Response::okay;
    const bool last = read_beat_ + 1U == burst.beats;
    if (port_bytes_ == 4) {
      if (!read_word_held_) {
        if (!port_.pl_read_word_available()) return;
        read_word_ = port_.pl_take_read_word();
      }
      const bool upper = ((burst.address + read_beat_ * 4U) & 4U) != 0;
      data[0] = upper ? read_word_.data >> 32U : read_word_.data & 0xffffffffU;
      response = read_word_.response;
      read_word_held_ = !upper && !last;
    } else {
      if (!port_.pl_read_word_available()) return;
      for (std::uint32_t word = 0; word < port_bytes_ / 8U; ++word) {
        const F2sPort::ReadWord part = port_.pl_take_read_word();
        data[word] = part.data;
        response = part.response;
      }
    }
    const bool discard = burst.discard;
    out.rvalid = !discard;
    out.rid = burst.id;
    out.rdata = data;
    out.rresp = static_cast<std::uint8_t>(response);
    out.rlast = last;
    ++read_beat_;
    if (last) {
      reads_.pop_front();
      read_beat_ = 0;
    }
    if (!discard) return;
  }
}

void AxiF2s::load_response(F2sOutputs& out) {
  while (port_.pl_response_available()) {
    const Response response = port_.pl_take_response();
    const PendingResponse pending = responses_.front();
    responses_.pop_front();
    if (pending.discard) continue;
    out.bvalid = true;
    out.bid = pending.id;
    out.bresp = static_cast<std::uint8_t>(response);
    return;
  }
}

void AxiF2s::edge(const F2sInputs& in, F2sOutputs& out) {
  check_stability(in);
  port_.pl_edge();

  // What is not taken at this edge has to stand unchanged at the next one.
  waiting_in_ = in;
  waiting_in_.arvalid = in.arvalid && !out_.arready;
  waiting_in_.awvalid = in.awvalid && !out_.awready;
  waiting_in_.wvalid = in.wvalid && !out_.wready;

  // Handshakes of the cycle that ends here.
  if (in.arvalid && out_.arready) take_read(in);
  if (in.awvalid && out_.awready) take_write(in);
  if (in.wvalid && out_.wready) early_.push_back({in.wdata, in.wstrb, in.wlast});
  if (out_.rvalid && in.rready) out_.rvalid = false;
  if (out_.bvalid && in.bready) out_.bvalid = false;

  // Data goes on as soon as its address is known; cut-off bursts are completed with empty strobes.
  while (abandoned_words_ != 0 && port_.pl_write_word_room()) {
    port_.pl_put_write_word(0, 0);
    --abandoned_words_;
  }
  while (abandoned_words_ == 0 && !early_.empty() && !writes_.empty() &&
         port_.pl_write_word_room()) {
    take_beat(early_.front());
    early_.pop_front();
  }

  if (!out_.rvalid) load_read_beat(out_);
  if (!out_.bvalid) load_response(out_);
  out_.arready = port_.pl_read_room();
  out_.awready = port_.pl_write_room();
  out_.wready = abandoned_words_ == 0 && early_.empty() && port_.pl_write_word_room();
  if (writes_.empty()) out_.wready = abandoned_words_ == 0 && early_.size() < kEarlyBeats;

  out = out_;
}

void AxiF2s::reset() {
  for (ReadBurst& burst : reads_) burst.discard = true;
  for (PendingResponse& response : responses_) response.discard = true;
  for (const WriteBurst& burst : writes_) {
    // A half word that was held back is lost too.
    const std::uint64_t all = words_of(burst.address, burst.beats).words;
    const std::uint64_t start = burst.address & ~(port_bytes_ - 1U);
    const std::uint64_t put =
        (start + std::uint64_t{burst.beats_taken} * port_bytes_) / 8U - start / 8U;
    abandoned_words_ += all - put;
  }
  writes_.clear();
  early_.clear();
  half_data_ = 0;
  half_strobe_ = 0;
  waiting_in_ = {};
  out_ = {};
}

}  // namespace sluice::model
