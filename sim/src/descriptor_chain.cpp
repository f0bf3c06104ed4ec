// SPDX-License-Identifier: Apache-2.0
#include "descriptor_chain.hpp"

#include <sl_axi_dma_bd.h>

#include "words.hpp"

namespace sluice::sim {
namespace {

// Cycles, measured on the RTL (tests/descriptors_test.cpp holds them):
constexpr unsigned kTailToRead = 6;     // the write of a tail to the first read's address
constexpr unsigned kReadToHead = 2;     // a descriptor's last word to the descriptor
constexpr unsigned kStatusToWrite = 2;  // a status to its write-back's address
constexpr unsigned kAnswerToFlag = 4;   // its response to the channel's interrupt

constexpr uint64_t kBytes = SL_AXI_DMA_BD_WINDOW;
constexpr unsigned kOpenWrites = 8;

}  // namespace

Descriptor::Error to_error(model::Response response) {
  switch (response) {
    case model::Response::okay: return Descriptor::Error::none;
    case model::Response::slverr: return Descriptor::Error::slave;
    default: return Descriptor::Error::decode;
  }
}

void DescriptorChain::start(uint64_t first, bool cyclic) {
  enabled_ = true;
  cyclic_ = cyclic;
  issue_ = first;
  known_ = follow_ = true;
  go_ = limit_out_ = paused_ = stopped_ = pending_ = relink_ = again_ = timed_ = false;
}

void DescriptorChain::set_tail(uint64_t cycle, uint64_t tail, bool drained) {
  if (!enabled_) return;
  issue_from_ = cycle + kTailToRead;
  timed_ = true;
  if (relink_ && !again_) {
    // The old tail is being read again: for this tail then, or, if it is the old one, in vain.
    limit_ = tail;
    relink_same_ = tail == reads_.front().address;
  } else if (!go_ || (!limit_out_ && !paused_)) {
    limit_ = tail;
    pending_ = false;
    go_ = true;
  } else {
    pending_ = tail != limit_ || (paused_ && drained && waiting_.empty());
    pending_tail_ = tail;
  }
}

void DescriptorChain::stop() {
  enabled_ = false;
  go_ = pending_ = relink_ = timed_ = false;
  while (!waiting_.empty()) waiting_.pop();
  for (uint32_t n = 0; n < reads_.size(); ++n) reads_.at(n).wanted = false;
}

void DescriptorChain::abandon() {
  stop();
  while (!updates_.empty()) updates_.pop();
}

const Descriptor* DescriptorChain::head(uint64_t cycle) const {
  return waiting_.empty() || waiting_.front().ready > cycle ? nullptr : &waiting_.front();
}

void DescriptorChain::write_back(uint64_t cycle, uint64_t address, uint32_t status) {
  updates_.push({address, status, cycle + kStatusToWrite});
}

void DescriptorChain::edge(uint64_t cycle, bool drained) {
  written_.reset();
  if (port_->pl_read_word_available(client_)) take_word(cycle);
  update(cycle);
  if (paused_ && pending_) {
    const bool same = pending_tail_ == limit_;
    if (!same || (drained && writes_over() && waiting_.empty())) {
      paused_ = pending_ = limit_out_ = false;
      relink_ = again_ = known_ = true;
      relink_same_ = same;
      issue_ = limit_;
      limit_ = pending_tail_;
    }
  }
  issue(cycle);
}

void DescriptorChain::take_word(uint64_t cycle) {
  upper_ = !upper_;
  if (upper_) {
    if (word_ == 0 && reads_.front().wanted && enabled_) {
      // The lower half of the first word is there: NXTDESC.
      next_is(low(port_->pl_peek_read_word()));
    }
    return;
  }
  const model::AfiPort::ReadWord word = port_->pl_take_read_word();
  words_[word_++] = word.data;
  if (response_ == model::Response::okay) response_ = word.response;
  if (!word.last) return;
  read_ended(cycle);
  word_ = 0;
  response_ = model::Response::okay;
}

void DescriptorChain::discard_behind() {
  for (uint32_t n = 1; n < reads_.size(); ++n) reads_.at(n).wanted = false;
}

void DescriptorChain::next_is(uint64_t next) {
  const uint64_t address = reads_.front().address;
  const bool follows = next == address + kBytes;
  follow_ = follows && next % kBytes == 0;
  if (at_limit(address)) {
    discard_behind();
    limit_out_ = true;
    return;
  }
  if (!follows) {
    discard_behind();
    limit_out_ = false;
  }
  if (!follows || reads_.size() == 1) {
    issue_ = next;
    known_ = next % kBytes == 0;
  }
}

void DescriptorChain::read_ended(uint64_t cycle) {
  const Read read = reads_.front();
  if (!read.wanted || !enabled_) {
    reads_.pop();
    return;
  }
  Descriptor found{.address = read.address,
                   .a0 = low(words_[1]),
                   .a1 = low(words_[2]),
                   .control = low(words_[3]),
                   .error = to_error(response_),
                   .ready = cycle + kReadToHead};
  const bool complete = (high(words_[3]) & SL_AXI_DMA_BD_STATUS_COMPLETE_MASK) != 0;
  const bool stale = complete && !cyclic_ && !relink_;
  if (found.error == Descriptor::Error::none && (stale || low(words_[0]) % kBytes != 0))
    found.error = Descriptor::Error::internal;
  const bool failed = found.error != Descriptor::Error::none;
  const bool refrain = relink_ && relink_same_ && !failed && complete;
  if (failed) stopped_ = true;
  if (failed || at_limit(read.address) || refrain) discard_behind();
  if (!failed && (at_limit(read.address) || refrain)) {
    paused_ = true;
    known_ = false;
    if (refrain) limit_ = read.address;
  }
  if (!relink_ || failed) waiting_.push(found);
  relink_ = false;
  reads_.pop();
}

bool DescriptorChain::read_due() const {
  return enabled_ && go_ && !paused_ && !stopped_ && !limit_out_ && (known_ || follow_) &&
         reads_.size() + waiting_.size() < kDepth && !(relink_ && relink_same_ && !again_);
}

void DescriptorChain::issue(uint64_t cycle) {
  if (cycle >= issue_from_) timed_ = false;
  if (cycle < issue_from_ || !read_due() || !port_->pl_read_room(client_, issue_)) return;
  port_->pl_read(client_, {.address = issue_, .words = 4, .size_bytes = 8});
  reads_.push({issue_, true});
  limit_out_ = issue_ == limit_ && !cyclic_ && !again_;
  issue_ += kBytes;
  known_ = again_ = false;
}

void DescriptorChain::update(uint64_t cycle) {
  if (port_->pl_response_available(client_)) {
    answered_.push({port_->pl_take_response(), cycle + kAnswerToFlag});
    --answers_;
  }
  if (!answered_.empty() && answered_.front().ready <= cycle) {
    written_ = answered_.front().response;
    answered_.pop();
  }
  if (!updates_.empty() && updates_.front().ready <= cycle && answers_ < kOpenWrites &&
      port_->pl_write_room(client_, updates_.front().address)) {
    port_->pl_write(client_, {.address = updates_.front().address + SL_AXI_DMA_BD_STATUS_OFFSET,
                              .words = 1,
                              .size_bytes = 8});
    status_words_.push(updates_.front().status);
    updates_.pop();
    ++answers_;
  }
  if (!status_words_.empty() && port_->pl_write_word_room(client_)) {
    port_->pl_put_write_word(uint64_t{status_words_.front()} << 32, 0xf0);
    status_words_.pop();
  }
}

}  // namespace sluice::sim
