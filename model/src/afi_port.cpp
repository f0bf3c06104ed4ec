// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/afi_port.hpp"

#include <bit>
#include <stdexcept>

namespace sluice::model {

namespace {
void require(bool ok, const char* sentence) {
  if (!ok) throw std::logic_error(sentence);
}

const AfiParams& checked(const AfiParams& p) {
  if (p.read_fifo_words < 16 || p.write_fifo_words < 16) {
    throw std::invalid_argument("AFI: read_fifo_words and write_fifo_words must be at least 16");
  }
  if (p.read_command_depth == 0 || p.write_command_depth == 0 || p.read_issue_capability == 0 ||
      p.write_issue_capability == 0) {
    throw std::invalid_argument("AFI: command depths and issue capabilities must be at least 1");
  }
  return p;
}
}  // namespace

AfiPort::AfiPort(const AfiParams& params, Memory& memory)
    : params_(checked(params)),
      memory_(memory),
      reads_(params.read_command_depth + params.read_fifo_words + params.read_issue_capability),
      read_fifo_(std::bit_ceil(params.read_fifo_words)),
      read_fifo_mask_(static_cast<std::uint32_t>(read_fifo_.size()) - 1U),
      writes_(params.write_command_depth + params.write_issue_capability),
      write_fifo_(std::bit_ceil(params.write_fifo_words)),
      write_fifo_mask_(static_cast<std::uint32_t>(write_fifo_.size()) - 1U),
      // Responses the PL leaves waiting hold issue slots, so they cannot outnumber these.
      responses_(params.write_command_depth + params.write_issue_capability) {}

void AfiPort::check_burst(const AfiBurst& burst) const {
  require(burst.words >= 1 && burst.words <= 16, "AFI: a burst has 1 to 16 beats");
  require(std::has_single_bit(burst.size_bytes) && burst.size_bytes <= 8,
          "AFI: a beat has 1, 2, 4 or 8 bytes");
  require((burst.address & ~std::uint64_t{4095}) == ((burst.end() - 1U) & ~std::uint64_t{4095}),
          "AFI: a burst stays inside a 4 KiB page");
}

// ---- PL side ---------------------------------------------------------------------------------

void AfiPort::pl_read(const AfiBurst& burst) {
  require(pl_read_room(), "AFI: read pushed without room");
  check_burst(burst);
  reads_.push({burst, Response::okay, 0, 0, cross()});
  if (++reads_waiting_ == 1) find_next_read();
  ++ps_open_;
}

AfiPort::ReadWord AfiPort::pl_take_read_word() {
  require(pl_read_word_available(), "AFI: read word taken that is not there");
  Read& read = reads_.front();
  ReadWord word{read_fifo_[read_taken_ & read_fifo_mask_], read.response, false};
  ++read_taken_;
  --read_reserved_;
  if (++read.taken == read.burst.words) {
    word.last = true;
    --reads_delivered_;
    reads_.pop();
  }
  return word;
}

void AfiPort::pl_write(const AfiBurst& burst) {
  require(pl_write_room(), "AFI: write pushed without room");
  check_burst(burst);
  const std::uint64_t edge = cross();
  write_claimed_ += burst.words;
  const bool whole = write_put_ >= write_claimed_;
  writes_.push({burst, Response::okay, 0, write_claimed_, whole ? edge : kNever});
  if (!whole && ++writes_lacking_ == 1) write_lacks_to_ = write_claimed_;
  if (++writes_waiting_ == 1) find_next_write();
  ++ps_open_;
}

void AfiPort::pl_put_write_word(std::uint64_t data, std::uint8_t strobe) {
  require(pl_write_word_room(), "AFI: write word pushed without room");
  write_fifo_[write_put_ & write_fifo_mask_] = {data, strobe};
  (void)cross();
  if (++write_put_ == write_lacks_to_) write_is_whole();
}

void AfiPort::write_is_whole() {
  const std::uint32_t position = writes_.size() - writes_lacking_;
  writes_.at(position).whole_edge = last_crossing_;
  --writes_lacking_;
  write_lacks_to_ = writes_lacking_ == 0 ? kNever : writes_.at(position + 1U).words_end;
  find_next_write();
}

Response AfiPort::pl_take_response() {
  require(pl_response_available(), "AFI: response taken that is not there");
  const Response response = responses_.front();
  responses_.pop();
  ++responses_taken_;
  return response;
}

bool AfiPort::idle() const {
  return reads_.empty() && writes_.empty() && responses_.empty() && write_put_ == write_freed_;
}

// ---- PS side ---------------------------------------------------------------------------------

bool AfiPort::ps_quiet() const {
  if (ps_open_ == 0) return true;
  return ps_edge_ >= last_crossing_ && reads_issued_ == 0 && writes_fetching_ == 0 &&
         writes_fetched_ == 0 && !ps_read_ready() && !ps_write_ready();
}

void AfiPort::find_next_read() {
  next_read_edge_ = kNever;
  if (reads_waiting_ == 0) return;
  const Read& next = reads_.at(reads_delivered_ + reads_issued_);
  next_read_edge_ = next.visible_edge;
  next_read_words_ = next.burst.words;
}

void AfiPort::find_next_write() {
  next_write_edge_ =
      writes_waiting_ == 0 ? kNever : writes_.at(writes_fetched_ + writes_fetching_).whole_edge;
}

AfiBurst AfiPort::ps_issue_read(Response& response) {
  require(ps_read_ready(), "AFI: read issued that is not ready");
  Read& read = reads_.at(reads_delivered_ + reads_issued_);
  read.response = memory_.access(read.burst.address, read.burst.end() - read.burst.address);
  response = read.response;
  read_reserved_ += read.burst.words;
  ++reads_issued_;
  --reads_waiting_;
  find_next_read();
  return read.burst;
}

void AfiPort::ps_deliver_read_word() {
  require(reads_issued_ != 0, "AFI: read word delivered for no burst");
  // The oldest issued burst; one that is partly delivered counts as issued.
  Read& read = reads_.at(reads_delivered_);
  const std::uint64_t word_address = read.burst.beat_address(read.delivered) & ~std::uint64_t{7};
  const bool readable = read.response == Response::okay;
  read_fifo_[read_put_ & read_fifo_mask_] = readable ? memory_.load_word(word_address) : 0;
  ++read_put_;
  read_bytes_ += read.burst.size_bytes;
  if (++read.delivered == read.burst.words) {
    --reads_issued_;
    --ps_open_;
    ++reads_delivered_;
  }
}

AfiBurst AfiPort::ps_issue_write(Response& response) {
  require(ps_write_ready(), "AFI: write issued that is not ready");
  Write& write = writes_.at(writes_fetched_ + writes_fetching_);
  write.response = memory_.access(write.burst.address, write.burst.end() - write.burst.address);
  response = write.response;
  ++writes_fetching_;
  --writes_waiting_;
  find_next_write();
  return write.burst;
}

void AfiPort::ps_fetch_write_word() {
  require(writes_fetching_ != 0, "AFI: write word fetched for no burst");
  Write& write = writes_.at(writes_fetched_);
  const Word& word = write_fifo_[write_freed_ & write_fifo_mask_];
  if (write.response == Response::okay) {
    memory_.store_word(write.burst.beat_address(write.fetched) & ~std::uint64_t{7}, word.data,
                       word.strobe);
    write_bytes_ += write.burst.size_bytes;
  }
  ++write_freed_;
  if (++write.fetched == write.burst.words) {
    --writes_fetching_;
    ++writes_fetched_;
  }
}

void AfiPort::ps_respond() {
  require(writes_fetched_ != 0, "AFI: response for no write");
  responses_.push(writes_.front().response);
  ++responded_;
  --ps_open_;
  writes_.pop();
  --writes_fetched_;
}

}  // namespace sluice::model
