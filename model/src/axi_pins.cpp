// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/axi_pins.hpp"

#include <algorithm>

#include "sluice/model/axi_hp.hpp"
#include "sluice/model/cyclonev_axi_f2s.hpp"

namespace sluice::model {

namespace {
/// Byte lanes of the port that beat `beat` of a burst may use.
std::uint64_t lanes(std::uint64_t address, std::uint32_t beat, std::uint32_t size_bytes,
                    std::uint32_t port_bytes) {
  const std::uint64_t aligned = address & ~std::uint64_t{size_bytes - 1U};
  const std::uint64_t start = beat == 0 ? address : aligned + std::uint64_t{beat} * size_bytes;
  const std::uint64_t end = aligned + std::uint64_t{beat + 1U} * size_bytes;
  return ((std::uint64_t{1} << (end - start)) - 1U) << start % port_bytes;
}

/// Word i of what the data pins have.
std::uint64_t& word(std::uint64_t& data, std::uint32_t /*i*/) { return data; }
std::uint64_t word(const std::uint64_t& data, std::uint32_t /*i*/) { return data; }
std::uint64_t& word(F2sData& data, std::uint32_t i) { return data[i]; }
std::uint64_t word(const F2sData& data, std::uint32_t i) { return data[i]; }
}  // namespace

template <typename Kind>
void AxiPins<Kind>::fault(const std::string& sentence) const {
  throw AxiProtocolError(name_ + ": " + sentence);
}

template <typename Kind>
void AxiPins<Kind>::check_stability(const Inputs& in) const {
  const Inputs& was = waiting_in_;
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

template <typename Kind>
void AxiPins<Kind>::check_address(const char* channel, std::uint32_t address, unsigned length,
                                  unsigned size, unsigned burst, unsigned lock) const {
  const std::string name = channel;
  if (length >= kMostBeats)
    fault(name + "LEN is " + std::to_string(length) + "; AXI3 bursts end at 16 beats.");
  const unsigned bytes = 1U << size;
  if (Kind::kWholeBeats ? bytes != port_bytes_ : bytes > port_bytes_) {
    fault(name + "SIZE is " + std::to_string(size) +
          (Kind::kWholeBeats
               ? "; this model takes beats of the port's " + std::to_string(width()) + " bits only."
               : ", wider than the port's " + std::to_string(width()) + " bits."));
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

template <typename Kind>
auto AxiPins<Kind>::taken(const char* channel, std::uint8_t id, std::uint32_t address,
                          unsigned length, unsigned size, unsigned burst, unsigned lock,
                          unsigned cache) const -> Burst {
  check_address(channel, address, length, size, burst, lock);
  const std::uint32_t beats = length + 1U;
  const std::uint32_t size_bytes = 1U << size;
  return {address, beats, size_bytes, id,
          Kind::packed(port_bytes_, address, beats, size_bytes, cache)};
}

template <typename Kind>
AfiBurst AxiPins<Kind>::words_of(const Burst& burst) {
  if (!Kind::kWholeBeats && !burst.packed) return {burst.address, burst.beats, burst.size_bytes};
  const std::uint64_t first = burst.aligned() / 8U;
  const std::uint64_t end =
      (burst.aligned() + std::uint64_t{burst.beats} * burst.size_bytes + 7U) / 8U;
  return {first * 8U, static_cast<std::uint32_t>(end - first), 8};
}

template <typename Kind>
std::uint64_t AxiPins<Kind>::words_left(const Burst& burst) const {
  if (!burst.packed)
    return std::uint64_t{burst.beats - burst.beats_taken} * std::max(port_bytes_ / 8U, 1U);
  // A half word that was held back is lost too.
  const std::uint64_t first = burst.aligned() / 8U;
  return words_of(burst).words - ((burst.aligned() + burst.beats_taken * 4U) / 8U - first);
}

template <typename Kind>
void AxiPins<Kind>::check_beat(const Burst& burst, const WriteBeat& beat) const {
  if (Kind::kWriteIds && beat.id != burst.id) {
    fault("WID is " + std::to_string(beat.id) + " while the oldest write has AWID " +
          std::to_string(burst.id) + "; write data must come in the order of the addresses.");
  }
  if (beat.last != (burst.beats_taken + 1U == burst.beats)) {
    fault(beat.last ? "WLAST came before the last beat of the burst."
                    : "WLAST is missing on the last beat of the burst.");
  }
  const std::uint64_t allowed =
      lanes(burst.address, burst.beats_taken, burst.size_bytes, port_bytes_);
  if ((beat.strobe & ~allowed) != 0) fault("WSTRB marks a byte outside the beat's own bytes.");
}

/// To the half of the 64-bit word that the address names.
template <typename Kind>
void AxiPins<Kind>::put_half(const Burst& burst, const WriteBeat& beat) {
  const bool upper = burst.upper_half();
  half_data_ |= (word(beat.data, 0) & 0xffffffffU) << (upper ? 32U : 0U);
  half_strobe_ = static_cast<std::uint8_t>(half_strobe_ | beat.strobe << (upper ? 4U : 0U));
  if (burst.packed && !upper && !beat.last) return;
  port_.pl_put_write_word(half_data_, half_strobe_);
  half_data_ = 0;
  half_strobe_ = 0;
}

template <typename Kind>
void AxiPins<Kind>::take_beat(const WriteBeat& beat) {
  Burst& burst = writes_.front();
  check_beat(burst, beat);
  if (port_bytes_ == 4) {
    put_half(burst, beat);
  } else {
    for (std::uint32_t i = 0; i < port_bytes_ / 8U; ++i)
      port_.pl_put_write_word(word(beat.data, i),
                              static_cast<std::uint8_t>(beat.strobe >> (8U * i)));
  }
  ++burst.beats_taken;
  if (beat.last) writes_.pop_front();
}

/// False: the FIFOs do not have the next beat yet.
template <typename Kind>
bool AxiPins<Kind>::take_read_beat(const Burst& burst, Data& data, Response& response) {
  if (!read_word_held_) {
    if (!port_.pl_read_word_available()) return false;
    read_word_ = port_.pl_take_read_word();
  }
  if (port_bytes_ == 4) {
    const bool upper = burst.upper_half();
    word(data, 0) = upper ? read_word_.data >> 32U : read_word_.data & 0xffffffffU;
    read_word_held_ = burst.packed && !upper && burst.beats_taken + 1U != burst.beats;
  } else {
    word(data, 0) = read_word_.data;
    for (std::uint32_t i = 1; i < port_bytes_ / 8U; ++i) {
      read_word_ = port_.pl_take_read_word();
      word(data, i) = read_word_.data;
    }
  }
  response = read_word_.response;
  return true;
}

template <typename Kind>
void AxiPins<Kind>::load_read_beat(Outputs& out) {
  // Beats of a read that was cut off by reset() are dropped at once.
  while (!reads_.empty()) {
    Burst& burst = reads_.front();
    Data data{};
    Response response = Response::okay;
    if (!take_read_beat(burst, data, response)) return;
    const bool discard = burst.discard;
    const bool last = ++burst.beats_taken == burst.beats;
    out.rvalid = !discard;
    out.rid = burst.id;
    out.rdata = data;
    out.rresp = static_cast<std::uint8_t>(response);
    out.rlast = last;
    if (last) reads_.pop_front();
    if (!discard) return;
  }
}

template <typename Kind>
void AxiPins<Kind>::load_response(Outputs& out) {
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

template <typename Kind>
void AxiPins<Kind>::edge(const Inputs& in, Outputs& out) {
  check_stability(in);
  port_.pl_edge();

  // What is not taken at this edge has to be unchanged at the next one.
  waiting_in_ = in;
  waiting_in_.arvalid = in.arvalid && !out_.arready;
  waiting_in_.awvalid = in.awvalid && !out_.awready;
  waiting_in_.wvalid = in.wvalid && !out_.wready;

  // Handshakes of the cycle that ends here.
  if (in.arvalid && out_.arready) {
    reads_.push_back(
        taken("AR", in.arid, in.araddr, in.arlen, in.arsize, in.arburst, in.arlock, in.arcache));
    port_.pl_read(words_of(reads_.back()));
  }
  if (in.awvalid && out_.awready) {
    writes_.push_back(
        taken("AW", in.awid, in.awaddr, in.awlen, in.awsize, in.awburst, in.awlock, in.awcache));
    responses_.push_back({in.awid, false});
    port_.pl_write(words_of(writes_.back()));
  }
  if (in.wvalid && out_.wready) early_.push_back({in.wdata, in.wstrb, in.wid, in.wlast});
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

template <typename Kind>
void AxiPins<Kind>::reset() {
  for (Burst& burst : reads_) burst.discard = true;
  for (PendingResponse& response : responses_) response.discard = true;
  for (const Burst& burst : writes_) abandoned_words_ += words_left(burst);
  writes_.clear();
  early_.clear();
  half_data_ = 0;
  half_strobe_ = 0;
  waiting_in_ = {};
  out_ = {};
}

template class AxiPins<HpKind>;
template class AxiPins<F2sKind>;

}  // namespace sluice::model
