// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/cyclonev_f2s_port.hpp"

#include <algorithm>
#include <stdexcept>

namespace sluice::model {

namespace {
void require(bool ok, const char* sentence) {
  if (!ok) throw std::logic_error(sentence);
}

const F2sPortParams& checked(const F2sPortParams& p) {
  if (p.async_data_words + p.sync_data_words < 4) {
    throw std::invalid_argument("F2S: the data FIFOs must hold at least 4 words together");
  }
  if (p.async_commands + p.sync_commands == 0) {
    throw std::invalid_argument("F2S: the command FIFOs must hold at least 1 command");
  }
  return p;
}

// A read of the front end occupies at most this many DRAM bursts of FIFO and buffer.
constexpr std::uint32_t kMostChunks = 1024;
// Writes whose response the PL has not taken; beyond that no more are scheduled.
constexpr std::uint32_t kMostResponses = 64;
}  // namespace

F2sPort::F2sPort(const F2sPortParams& params, std::uint32_t port_bits, Memory& memory)
    : memory_(memory),
      port_bits_(port_bits),
      beat_words_(std::max(port_bits / 64U, 1U)),
      fifo_words_((checked(params).async_data_words + params.sync_data_words) * beat_words_),
      commands_(params.async_commands + params.sync_commands),
      reads_(commands_),
      chunks_(kMostChunks),
      read_fifo_(kMostChunks * kDramBurstBytes / 8U),
      // The PL learns late that a command is gone: its count bounds the ring.
      writes_(commands_),
      write_fifo_(fifo_words_),
      due_(kMostResponses),
      responses_(kMostResponses) {}

void F2sPort::check_burst(const AfiBurst& burst) const {
  require(burst.size_bytes == 8 && burst.words >= 1 && burst.words % beat_words_ == 0 &&
              burst.words <= kMostBeats * beat_words_,
          "F2S: a burst has 1 to 16 whole beats");
  require(burst.address % (std::uint64_t{beat_words_} * 8U) == 0, "F2S: a burst is beat-aligned");
  require((burst.address & ~std::uint64_t{4095}) == ((burst.end() - 1U) & ~std::uint64_t{4095}),
          "F2S: a burst stays inside a 4 KiB page");
}

F2sPort::Request F2sPort::request(const Command& command) {
  const std::uint64_t address = command.burst.address + std::uint64_t{command.scheduled} * 8U;
  const auto to_boundary =
      static_cast<std::uint32_t>(kDramBurstBytes - address % kDramBurstBytes) / 8U;
  return {address, std::min(to_boundary, command.burst.words - command.scheduled),
          command.response != Response::okay};
}

// ---- PL side ---------------------------------------------------------------------------------

void F2sPort::pl_read(const AfiBurst& burst) {
  require(pl_read_room(), "F2S: read pushed without room");
  check_burst(burst);
  reads_.push({burst, memory_.access(burst.address, burst.end() - burst.address), 0, 0});
  ++reads_accepted_;
  ++ddr_open_;
}

F2sPort::ReadWord F2sPort::pl_take_read_word() {
  require(pl_read_word_available(), "F2S: read word taken that is not there");
  const ReadWord word = read_fifo_.front();
  read_fifo_.pop();
  ++read_taken_;
  --read_reserved_;
  return word;
}

void F2sPort::pl_write(const AfiBurst& burst) {
  require(pl_write_room(), "F2S: write pushed without room");
  check_burst(burst);
  writes_.push(
      {burst, memory_.access(burst.address, burst.end() - burst.address), 0, write_claimed_});
  write_claimed_ += burst.words;
  ++writes_accepted_;
  ++ddr_open_;
}

void F2sPort::pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
  require(pl_write_word_room(), "F2S: write word pushed without room");
  write_fifo_.push({data, strobe});
  ++write_put_;
}

Response F2sPort::pl_take_response() {
  require(pl_response_available(), "F2S: response taken that is not there");
  const Response response = responses_.front();
  responses_.pop();
  ++responses_taken_;
  return response;
}

bool F2sPort::idle() const {
  return ddr_open_ == 0 && read_fifo_.empty() && responses_.empty() && write_put_ == write_freed_;
}

// ---- DDR side --------------------------------------------------------------------------------

void F2sPort::ddr_tick(std::uint64_t cycle) {
  reads_accepted_seen_.clock(reads_accepted_);
  writes_accepted_seen_.clock(writes_accepted_);
  write_put_seen_.clock(write_put_);
  while (!due_.empty() && due_.front().cycle <= cycle) {
    responses_.push(due_.front().response);
    ++responded_;
    --ddr_open_;
    due_.pop();
  }
}

bool F2sPort::ddr_quiet() const {
  if (ddr_open_ == 0) return true;
  return reads_accepted_seen_.seen == reads_accepted_ &&
         writes_accepted_seen_.seen == writes_accepted_ && write_put_seen_.seen == write_put_ &&
         chunks_.empty() && due_.empty() && !ddr_read_pending() && !ddr_write_pending();
}

F2sPort::Request F2sPort::ddr_next_read() const { return request(reads_.front()); }

std::uint32_t F2sPort::ddr_grant_read() {
  require(ddr_read_pending() && !chunks_.full(), "F2S: read scheduled that is not pending");
  Command& command = reads_.front();
  const Request next = request(command);
  command.scheduled += next.words;
  const bool last = command.scheduled == command.burst.words;
  const std::uint32_t number = chunks_delivered_ + chunks_.size();
  chunks_.push({next.address, next.words, command.response, last, false});
  read_reserved_ += next.words;
  if (last) {
    ++reads_scheduled_;
    reads_.pop();
  }
  return number;
}

void F2sPort::ddr_returned(std::uint32_t number) {
  chunks_.at(number - chunks_delivered_).returned = true;
  while (!chunks_.empty() && chunks_.front().returned) deliver();
}

void F2sPort::deliver() {
  const Chunk& chunk = chunks_.front();
  const bool readable = chunk.response == Response::okay;
  for (std::uint32_t i = 0; i < chunk.words; ++i) {
    const std::uint64_t data = readable ? memory_.load_word(chunk.address + i * 8U) : 0;
    read_fifo_.push({data, chunk.response, chunk.last && i + 1U == chunk.words});
  }
  read_put_ += chunk.words;
  if (readable) read_bytes_ += std::uint64_t{chunk.words} * 8U;
  if (chunk.last) --ddr_open_;
  chunks_.pop();
  ++chunks_delivered_;
}

bool F2sPort::ddr_write_pending() const {
  if (writes_scheduled_ == writes_accepted_seen_.seen ||
      due_.size() + responses_.size() >= kMostResponses) {
    return false;
  }
  const Command& command = writes_.front();
  return command.first_word + command.scheduled + request(command).words <= write_put_seen_.seen;
}

F2sPort::Request F2sPort::ddr_next_write() const { return request(writes_.front()); }

void F2sPort::ddr_grant_write(std::uint64_t respond_cycle) {
  require(ddr_write_pending(), "F2S: write scheduled that is not pending");
  Command& command = writes_.front();
  const Request next = request(command);
  for (std::uint32_t i = 0; i < next.words; ++i) {
    const Word& word = write_fifo_.front();
    if (!next.failed) memory_.store_word(next.address + i * 8U, word.data, word.strobe);
    write_fifo_.pop();
  }
  write_freed_ += next.words;
  if (!next.failed) write_bytes_ += std::uint64_t{next.words} * 8U;
  command.scheduled += next.words;
  if (command.scheduled == command.burst.words) {
    due_.push({respond_cycle, command.response});
    ++writes_scheduled_;
    writes_.pop();
  }
}

}  // namespace sluice::model
