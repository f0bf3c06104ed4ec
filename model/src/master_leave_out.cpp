// SPDX-License-Identifier: Apache-2.0
// Of a Master: words in the middle of its transfers that are moved at once. A transfer has a cut
// then, at a boundary of a burst, behind which its addresses, its stream and what counts that go on
// further. Each of them passes the cut when it comes there: words before it are still in buffers.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sluice/model/port_master.hpp"

namespace sluice::model {

/// The first boundary of a burst from that word on.
std::uint64_t Master::next_cut(const Transfer& transfer, std::uint64_t words) const {
  const std::uint64_t past = past_boundary(transfer, words);
  return past == 0 ? words : words + burst_words_ - past;
}

Master::Words Master::most_to_leave_out(const Memory& memory) const {
  const auto usable = [&](const Direction& d) {
    if (d.transfers.size() != 1 || d.halting) return false;
    const Transfer& t = d.transfers.front();
    return t.cut == kNowhere && t.response == Response::okay &&
           memory.access(t.base, t.words * 8U) == Response::okay;
  };
  if (params_.scatter != 0 || route_ == Route::fed || finished()) return {};
  if ((reading() && !usable(read_)) || (writing() && !usable(write_))) return {};
  // A burst stays, so that the next one is as it was planned.
  const auto behind = [&](const Transfer& t, std::uint64_t at) {
    return t.words - std::min(t.words, at + burst_words_);
  };
  Words most;
  if (reading()) most.read = behind(read_.transfers.front(), read_.transfers.front().addressed);
  if (loopback()) {
    if (!reading() || !writing()) return {};
    const Transfer& from = read_.transfers.front();
    const Transfer& to = write_.transfers.front();
    const bool together = from.words == to.words && from.streamed - waiting_.size() == to.moved &&
                          next_cut(to, from.addressed) == from.addressed;
    if (!together) return {};
    most.write = most.read;
  } else if (writing()) {
    const Transfer& to = write_.transfers.front();
    const std::uint64_t at = next_cut(to, to.moved);
    const std::uint64_t in_packet = source_in_packet_ + (at - to.moved);
    if (!source_.enabled) return {};
    most.write = behind(to, at);
    if (source_.packet_words != 0) {
      if (in_packet >= source_.packet_words) return {};
      most.write = std::min(most.write, source_.packet_words - in_packet - 1U);
    }
  }
  return most;
}

void Master::leave_out(const Words& words, Memory& memory) {
  const Words most = most_to_leave_out(memory);
  if (words.read > most.read || words.write > most.write ||
      (loopback() && words.read != words.write) || !whole(words.read) || !whole(words.write)) {
    throw std::invalid_argument("Master: so many words cannot be left out");
  }
  if (words.read != 0) {
    Transfer& from = read_.transfers.front();
    const std::uint64_t at = from.addressed;
    if (loopback()) {
      Transfer& to = write_.transfers.front();
      std::memmove(memory.host(to.base + at * 8U, words.read * 8U),
                   memory.host(from.base + at * 8U, words.read * 8U), words.read * 8U);
      cut_write(to, at, words.write);
    } else if (sink_.check) {
      compare(memory, from.base + at * 8U, words.read, at - from.streamed);
    }
    cut_read(from, at, words.read);
  }
  if (words.write != 0 && !loopback()) {
    Transfer& to = write_.transfers.front();
    const std::uint64_t at = next_cut(to, to.moved);
    fill(memory, to.base + at * 8U, words.write, at - to.moved);
    cut_write(to, at, words.write);
  }
}

/// With what the sink expects after `later` more words.
void Master::compare(const Memory& memory, std::uint64_t address, std::uint64_t words,
                     std::uint64_t later) {
  auto expected = sink_.expected + static_cast<std::uint32_t>(2U * later);
  for (std::uint64_t i = 0; i < words; ++i, expected += 2U)
    if (memory.load_word(address + i * 8U) != counter_word(expected)) sink_.mismatch = true;
}

/// With what the source sends after `later` more words.
void Master::fill(Memory& memory, std::uint64_t address, std::uint64_t words,
                  std::uint64_t later) const {
  auto next = source_.next + static_cast<std::uint32_t>(2U * later);
  for (std::uint64_t i = 0; i < words; ++i, next += 2U)
    memory.store_word(address + i * 8U, counter_word(next), 0xff);
}

void Master::cut(Transfer& transfer, std::uint64_t at, std::uint64_t words) {
  transfer.cut = at;
  transfer.left_out = words;
  transfer.words -= words;
  pass_cut_of_addresses(transfer);
}

void Master::cut_read(Transfer& transfer, std::uint64_t at, std::uint64_t words) {
  cut(transfer, at, words);
  if (transfer.streamed == at) pass_cut_of_sink(transfer);
}

void Master::cut_write(Transfer& transfer, std::uint64_t at, std::uint64_t words) {
  cut(transfer, at, words);
  if (transfer.moved == at) pass_cut_of_source(transfer);
}

void Master::pass_cut_of_sink(const Transfer& transfer) {
  words_sent_ += transfer.left_out;
  if (loopback()) return;
  sink_.expected += static_cast<std::uint32_t>(2U * transfer.left_out);
  sink_.words += transfer.left_out;
}

void Master::pass_cut_of_source(const Transfer& transfer) {
  words_received_ += transfer.left_out;
  words_written_ += transfer.left_out;
  if (loopback()) return;
  source_.next += static_cast<std::uint32_t>(2U * transfer.left_out);
  source_in_packet_ += transfer.left_out;
}

}  // namespace sluice::model
