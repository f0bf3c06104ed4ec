// SPDX-License-Identifier: Apache-2.0
#include "sluice/model/pcie_link.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace sluice::model {
namespace {

constexpr std::uint32_t kPageBytes = 4096;
constexpr unsigned kMemoryBar = 1;          // that other devices may reach
constexpr std::uint32_t kCreditBytes = 16;  // of data, a flow-control credit

// Status codes of completions (Base Specification 2.2.9).
std::uint8_t completion_status(Response status) {
  constexpr std::uint8_t kSuccessful = 0, kUnsupported = 1, kAbort = 4;
  if (status == Response::decerr) return kUnsupported;
  return status == Response::slverr ? kAbort : kSuccessful;
}

const PcieParams& checked(const PcieParams& params) {
  check(params);
  return params;
}

}  // namespace

PcieLink::PcieLink(const PcieParams& params, PcieCard& card, PcieRoot& root)
    : params_(checked(params)),
      card_(card),
      root_(root),
      time_(root_.time()),
      random_(params.seed),
      up_(params.raw_mb_s()),
      down_(params.raw_mb_s()),
      tags_(params.tags),
      posted_headers_(params.posted_headers),
      posted_data_(params.posted_data),
      nonposted_headers_(params.nonposted_headers),
      store_credits_(params.card_posted_headers) {
  for (std::uint32_t tag = params.tags; tag-- > 0;)
    free_tags_.push_back(static_cast<std::uint16_t>(tag));
}

PcieLink::PcieLink(const PcieParams& params, PcieCard& card, std::unique_ptr<PcieRoot> own)
    : PcieLink(params, card, *own) {
  own_root_ = std::move(own);
  root_.add_bars(*this);
}

PcieLink::PcieLink(const PcieParams& params, PcieCard& card)
    : PcieLink(params, card, std::make_unique<PcieRoot>(checked(params))) {}

// One event an end of sending, however often it is asked for.
void PcieLink::wake(const PcieWire& wire, std::uint64_t& wake_ps, Kind kind) {
  if (wake_ps == wire.free_ps()) return;
  wake_ps = wire.free_ps();
  at(wake_ps, kind);
}

void PcieLink::act(const PcieEvent& event) {
  dispatch(event);
  account();
}

void PcieLink::dispatch(const PcieEvent& event) {
  switch (static_cast<Kind>(event.kind)) {
    case Kind::up_free: return send_up();
    case Kind::down_free: return send_down();
    case Kind::up_arrives: return arrive_up();
    case Kind::down_arrives: return arrive_down();
    case Kind::committed: return commit();
    case Kind::answered: return answer(static_cast<std::uint16_t>(event.a));
    case Kind::root_credits:
      posted_headers_ += event.a;
      posted_data_ += event.b;
      nonposted_headers_ += event.c;
      return send_up();
    case Kind::forwards: return forward(event.a);
    case Kind::loaded: loaded_.push_back(std::move(loading_.front())); return loading_.pop_front();
    case Kind::card_credits: store_credits_ += event.a; return send_down();
    case Kind::credit_dllp: return flush_credits(event.a != 0);
  }
}

// ---- the card's requests

void PcieLink::read(std::uint32_t token, std::uint64_t address, std::uint32_t bytes) {
  assert(bytes >= 1 && address % kPageBytes + bytes <= kPageBytes);
  while (bytes != 0) {
    const auto room =
        static_cast<std::uint32_t>(params_.max_read_request - address % params_.max_read_request);
    const std::uint32_t piece = std::min(bytes, room);
    reads_.push_back({.token = token, .address = address, .bytes = piece, .place = places_++});
    address += piece;
    bytes -= piece;
  }
  send_up();
  account();
}

void PcieLink::write(std::uint32_t token, std::uint64_t address, std::span<const std::uint8_t> data,
                     bool last) {
  assert(!data.empty() && data.size() <= params_.max_payload);
  transmit_bytes_ += static_cast<std::uint32_t>(data.size());
  packets_.push_back({.token = token,
                      .address = address,
                      .data = {data.begin(), data.end()},
                      .last = last,
                      .completion = false,
                      .status = Response::okay,
                      .place = places_++});
  send_up();
  account();
}

void PcieLink::write_nothing(std::uint32_t token) {
  packets_.push_back({.token = token,
                      .address = 0,
                      .data = {},
                      .last = true,
                      .completion = false,
                      .status = Response::okay,
                      .place = places_++});
  send_up();
  account();
}

// In packets of max_payload.
void PcieLink::complete(std::span<const std::uint8_t> data, Response status) {
  assert(!loads_.empty());
  const Access& load = loads_.front();
  std::uint64_t address = params_.bar_base.at(load.bar) + load.offset;
  std::uint32_t left = load.bytes;
  do {
    const std::uint64_t room = params_.max_payload - address % params_.max_payload;
    const std::size_t bytes = std::min<std::size_t>(data.size(), room);
    packets_.push_back({.token = 0,
                        .address = address,
                        .data = {data.begin(), data.begin() + static_cast<std::ptrdiff_t>(bytes)},
                        .last = bytes == data.size(),
                        .completion = true,
                        .status = status,
                        .place = places_++,
                        .tag = load.tag,
                        .asked = left,
                        .forward = load.forward});
    data = data.subspan(bytes);
    address += bytes;
    left -= static_cast<std::uint32_t>(bytes);
  } while (!data.empty());
  loads_.pop_front();
  send_up();
  account();
}

void PcieLink::stored() {
  free_card_credit();
  account();
}

// ---- up

std::uint32_t PcieLink::data_credits(const Packet& packet) {
  const auto bytes = static_cast<std::uint32_t>(packet.address % 4U + packet.data.size());
  return (bytes + kCreditBytes - 1U) / kCreditBytes;
}

// Credits for completions are infinite at a root complex.
bool PcieLink::packet_has_credits() const {
  const Packet& packet = packets_.front();
  return packet.completion || packet.data.empty() ||
         (posted_headers_ != 0 && posted_data_ >= data_credits(packet));
}

// No request passes the writes that were there before it.
bool PcieLink::read_may_go() const {
  return !reads_.empty() && (packets_.empty() || reads_.front().place < packets_.front().place);
}

void PcieLink::send_up() {
  while (up_.idle(now_ps())) {
    const bool packet = !packets_.empty() && packet_has_credits();
    const bool read = read_may_go() && !free_tags_.empty() && nonposted_headers_ != 0;
    if (!packet && !read) return;
    read_was_last_ = read && (!packet || !read_was_last_);
    if (read_was_last_)
      send_read();
    else
      send_packet();
  }
  if (!packets_.empty() || !reads_.empty()) wake(up_, up_wake_ps_, Kind::up_free);
}

void PcieLink::send_read() {
  const std::uint16_t tag = free_tags_.back();
  free_tags_.pop_back();
  --nonposted_headers_;
  tags_[tag].request = reads_.front();
  tags_[tag].done = 0;
  reads_.pop_front();
  const Request& request = tags_[tag].request;
  const Tlp tlp{.kind = Tlp::Kind::memory_read,
                .upstream = true,
                .tag = tag,
                .address = request.address,
                .bytes = request.bytes};
  observe(tlp);
  const std::uint64_t sent_ps = up_.send(now_ps(), tlp.wire_bytes());
  up_flight_.push_back({.is_read = true, .tag = tag});
  at(sent_ps + params_.hop_ps, Kind::up_arrives);
}

void PcieLink::send_packet() {
  Packet packet = std::move(packets_.front());
  packets_.pop_front();
  const auto bytes = static_cast<std::uint32_t>(packet.data.size());
  if (!packet.completion) {
    transmit_bytes_ -= bytes;
    if (packet.last) card_.write_sent(packet.token);
    if (bytes == 0) return;
    --posted_headers_;
    posted_data_ -= data_credits(packet);
    statistics_.written_bytes += bytes;
  }
  const Tlp tlp{.kind = packet.completion ? Tlp::Kind::completion : Tlp::Kind::memory_write,
                .upstream = true,
                .status = completion_status(packet.status),
                .tag = packet.tag,
                .address = packet.address,
                .bytes = bytes,
                .byte_count = packet.asked,
                .data = packet.data.data()};
  observe(tlp);
  const std::uint64_t sent_ps = up_.send(now_ps(), tlp.wire_bytes());
  up_flight_.push_back({.packet = std::move(packet)});
  at(sent_ps + params_.hop_ps, Kind::up_arrives);
}

void PcieLink::arrive_up() {
  Flight flight = std::move(up_flight_.front());
  up_flight_.pop_front();
  acknowledge(down_, unacknowledged_down_);
  if (flight.is_read) {
    Tag& tag = tags_[flight.tag];
    free_root_credits(0, 0, 1);
    const auto [address, bytes] = std::pair(tag.request.address, tag.request.bytes);
    tag.of_device = false;
    if (root_.find_bars(address, bytes, *this) != nullptr)
      return at(root_.forward_ps(now_ps(), address), Kind::forwards, flight.tag);
    const PcieRoot::Answer answer = root_.read(now_ps(), address, bytes);
    tag.status = answer.status;
    at(answer.ready_ps, Kind::answered, flight.tag);
  } else if (flight.packet.completion) {
    arrive_completion(std::move(flight.packet));
  } else {
    at(root_.write(now_ps(), flight.packet.address), Kind::committed);
    commits_.push_back(std::move(flight));
  }
}

void PcieLink::arrive_completion(Packet packet) {
  completion_.insert(completion_.end(), packet.data.begin(), packet.data.end());
  if (!packet.last) return;
  std::vector<std::uint8_t> data = std::exchange(completion_, {});
  if (packet.forward) return root_.answer(*packet.forward, std::move(data), packet.status);
  // A completion does not pass the writes before it.
  loading_.push_back({.data = std::move(data), .status = packet.status});
  at(std::max(now_ps(), root_.last_write_ps()), Kind::loaded);
}

void PcieLink::commit() {
  const Packet packet = std::move(commits_.front().packet);
  commits_.pop_front();
  const auto bytes = static_cast<std::uint32_t>(packet.data.size());
  if (PcieBars* bars = root_.find_bars(packet.address, bytes, *this); bars != nullptr)
    return bars->forward_write(*this, packet.address, packet.data, root_.write_piece_bytes(),
                               data_credits(packet));
  free_root_credits(1, data_credits(packet), 0);
  if (PcieRoot::is_interrupt(packet.address)) {
    std::uint32_t data = 0;
    std::memcpy(&data, packet.data.data(), std::min<std::size_t>(sizeof data, bytes));
    interrupts_.push_back({.time_ps = now_ps(), .address = packet.address, .data = data});
    return;
  }
  Memory* memory = root_.find(packet.address, bytes);
  if (memory == nullptr || memory->access(packet.address, bytes) != Response::okay) {
    ++statistics_.lost_writes;  // a posted write is answered by nobody
    return;
  }
  std::memcpy(memory->host(packet.address, bytes), packet.data.data(), bytes);
}

// ---- down

std::uint32_t PcieLink::completion_bytes(std::uint64_t address, std::uint32_t left) {
  const std::uint32_t boundary = params_.read_completion_boundary;
  std::uint32_t bytes = boundary - static_cast<std::uint32_t>(address % boundary);
  while (bytes + boundary <= params_.max_payload && bytes < left &&
         random_() % 1000U < params_.coalescing)
    bytes += boundary;
  return std::min(bytes, left);
}

// The root complex has the bytes of a read: those that its completions carry, whenever they leave.
void PcieLink::answer(std::uint16_t number) {
  answers_.push_back({.tag = number, .place = places_++});
  Tag& tag = tags_[number];
  if (tag.status == Response::okay && !tag.of_device) {
    const Request& request = tag.request;
    const std::uint8_t* data =
        root_.find(request.address, request.bytes)->host(request.address, request.bytes);
    tag.data.assign(data, data + request.bytes);
  }
  send_down();
}

// No completion passes a store that was there before it.
bool PcieLink::completion_may_go() const {
  if (answers_.empty()) return false;
  const auto store =
      std::ranges::find_if(accesses_, [](const Access& access) { return !access.is_load; });
  return store == accesses_.end() || answers_.front().place < store->place;
}

void PcieLink::send_down() {
  while (down_.idle(now_ps())) {
    const bool access = !accesses_.empty() && (accesses_.front().is_load || store_credits_ != 0);
    const bool completion = completion_may_go();
    if (!access && !completion) return;
    access_was_last_ = access && (!completion || !access_was_last_);
    if (access_was_last_)
      send_access();
    else
      send_completion();
  }
  if (!accesses_.empty() || !answers_.empty()) wake(down_, down_wake_ps_, Kind::down_free);
}

void PcieLink::send_completion() {
  const std::uint16_t number = answers_.front().tag;
  Tag& tag = tags_[number];
  const std::uint64_t address = tag.request.address + tag.done;
  const std::uint32_t left = tag.request.bytes - tag.done;
  const bool good = tag.status == Response::okay;
  const std::uint32_t bytes = good ? completion_bytes(address, left) : left;
  Flight flight{.tag = number, .address = address, .bytes = bytes, .status = tag.status};
  if (good) {
    const auto first = tag.data.begin() + tag.done;
    flight.data.assign(first, first + bytes);
    statistics_.read_bytes += bytes;
  }
  tag.done += bytes;
  flight.ends = tag.done == tag.request.bytes;
  if (flight.ends) answers_.pop_front();
  const Tlp tlp{.kind = Tlp::Kind::completion,
                .upstream = false,
                .status = completion_status(tag.status),
                .tag = number,
                .address = address,
                .bytes = good ? bytes : 0U,
                .byte_count = left,
                .data = flight.data.data()};
  observe(tlp);
  const std::uint64_t sent_ps = down_.send(now_ps(), tlp.wire_bytes());
  down_flight_.push_back(std::move(flight));
  ++completions_coming_;
  at(sent_ps + params_.hop_ps, Kind::down_arrives);
}

void PcieLink::send_access() {
  Access access = std::move(accesses_.front());
  accesses_.pop_front();
  if (!access.is_load) {
    --store_credits_;
    --(access.of_device ? forwarded_stores_ : cpu_stores_);
    if (access.writer != nullptr) access.writer->forwarded(access.data_credits);
  }
  const Tlp tlp{.kind = access.is_load ? Tlp::Kind::memory_read : Tlp::Kind::memory_write,
                .upstream = false,
                .tag = access.tag,
                .address = params_.bar_base.at(access.bar) + access.offset,
                .bytes = access.bytes,
                .data = access.data.data()};
  observe(tlp);
  const std::uint64_t sent_ps = down_.send(now_ps(), tlp.wire_bytes());
  down_flight_.push_back({.is_access = true, .access = std::move(access)});
  at(sent_ps + params_.hop_ps, Kind::down_arrives);
}

void PcieLink::arrive_down() {
  Flight flight = std::move(down_flight_.front());
  down_flight_.pop_front();
  acknowledge(up_, unacknowledged_up_);
  if (flight.is_access) {
    Access& access = flight.access;
    if (!access.is_load) return card_.store(access.bar, access.offset, access.data);
    loads_.push_back(access);
    return card_.load(access.bar, access.offset, access.bytes);
  }
  --completions_coming_;
  const std::uint32_t token = tags_[flight.tag].request.token;
  if (flight.ends) free_tags_.push_back(static_cast<std::uint16_t>(flight.tag));
  card_.read_data(token, flight.bytes, flight.data, flight.status);
  send_up();
}

// ---- the CPU

void PcieLink::store(unsigned bar, std::uint64_t offset, std::span<const std::uint8_t> data) {
  ++cpu_stores_;
  accesses_.push_back({.is_load = false,
                       .bar = bar,
                       .offset = offset,
                       .bytes = static_cast<std::uint32_t>(data.size()),
                       .place = places_++,
                       .data = {data.begin(), data.end()}});
  send_down();
  account();
}

void PcieLink::load(unsigned bar, std::uint64_t offset, std::uint32_t bytes) {
  accesses_.push_back({.is_load = true,
                       .bar = bar,
                       .offset = offset,
                       .bytes = bytes,
                       .place = places_++,
                       .tag = load_tag_++,
                       .data = {}});
  send_down();
  account();
}

// ---- other devices

void PcieLink::forward(std::uint32_t tag) {
  const auto [address, bytes] = std::pair(tags_[tag].request.address, tags_[tag].request.bytes);
  root_.forward(*root_.find_bars(address, bytes, *this),
                {.requester = this, .tag = tag, .address = address, .bytes = bytes});
}

bool PcieLink::decodes(std::uint64_t address, std::uint32_t bytes) const {
  const std::uint64_t base = params_.bar_base[kMemoryBar];
  return address >= base && address - base <= params_.card_memory_bytes &&
         bytes <= params_.card_memory_bytes - (address - base);
}

void PcieLink::forward_read(const PcieForward& read) {
  accesses_.push_back({.is_load = true,
                       .bar = kMemoryBar,
                       .offset = read.address - params_.bar_base[kMemoryBar],
                       .bytes = read.bytes,
                       .place = places_++,
                       .tag = load_tag_++,
                       .data = {},
                       .forward = read});
  send_down();
  account();
}

void PcieLink::forward_write(PcieRequester& requester, std::uint64_t address,
                             const std::vector<std::uint8_t>& data, std::uint32_t piece_bytes,
                             std::uint32_t data_credits) {
  for (std::size_t done = 0; done < data.size();) {
    const std::uint64_t room = piece_bytes - (address + done) % piece_bytes;
    const std::size_t bytes = std::min<std::size_t>(data.size() - done, room);
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(done);
    done += bytes;
    const bool ends = done == data.size();
    ++forwarded_stores_;
    accesses_.push_back({.is_load = false,
                         .bar = kMemoryBar,
                         .offset = address + done - bytes - params_.bar_base[kMemoryBar],
                         .bytes = static_cast<std::uint32_t>(bytes),
                         .place = places_++,
                         .data = {first, first + static_cast<std::ptrdiff_t>(bytes)},
                         .of_device = true,
                         .writer = ends ? &requester : nullptr,
                         .data_credits = data_credits});
  }
  send_down();
  account();
}

void PcieLink::answered(std::uint32_t tag, std::uint64_t ready_ps, std::vector<std::uint8_t> data,
                        Response status) {
  tags_[tag].of_device = true;
  tags_[tag].data = std::move(data);
  tags_[tag].status = status;
  at(ready_ps, Kind::answered, tag);
}

void PcieLink::forwarded(std::uint32_t data_credits) { free_root_credits(1, data_credits, 0); }

// ---- DLLPs

void PcieLink::acknowledge(PcieWire& wire, std::uint32_t& packets) {
  if (++packets < params_.ack_packets) return;
  packets = 0;
  wire.send_dllp(now_ps());
}

void PcieLink::free_root_credits(std::uint32_t headers, std::uint32_t data,
                                 std::uint32_t nonposted) {
  freed_[0] += headers;
  freed_[1] += data;
  freed_[2] += nonposted;
  if (std::exchange(root_dllp_due_, true)) return;
  at(std::max(now_ps(), root_dllp_ps_ + params_.credit_interval_ps), Kind::credit_dllp, 1);
}

void PcieLink::free_card_credit() {
  ++freed_stores_;
  if (std::exchange(card_dllp_due_, true)) return;
  at(std::max(now_ps(), card_dllp_ps_ + params_.credit_interval_ps), Kind::credit_dllp, 0);
}

void PcieLink::flush_credits(bool of_root) {
  if (of_root) {
    // Posted and non-posted credits are told by DLLPs of their own.
    if (freed_[0] != 0) down_.send_dllp(now_ps());
    if (freed_[2] != 0) down_.send_dllp(now_ps());
    at(down_.free_ps() + params_.hop_ps, Kind::root_credits, freed_[0], freed_[1], freed_[2]);
    freed_ = {};
    root_dllp_ps_ = now_ps();
    root_dllp_due_ = false;
  } else {
    up_.send_dllp(now_ps());
    at(up_.free_ps() + params_.hop_ps, Kind::card_credits, freed_stores_);
    freed_stores_ = 0;
    card_dllp_ps_ = now_ps();
    card_dllp_due_ = false;
  }
}

// ---- what is to be seen

void PcieLink::tally(Stall& stall, std::uint64_t& total, bool on) {
  if (stall.on) total += now_ps() - stall.since_ps;
  stall = {.since_ps = now_ps(), .on = on};
}

void PcieLink::account() {
  const bool wire = up_.idle(now_ps());
  const bool tags = wire && read_may_go() && free_tags_.empty();
  const bool credits = wire && ((!packets_.empty() && !packet_has_credits()) ||
                                (read_may_go() && !free_tags_.empty() && nonposted_headers_ == 0));
  const bool out = free_tags_.size() < tags_.size();
  tally(tags_stall_, statistics_.tags_ps, tags);
  tally(credits_stall_, statistics_.credits_ps, credits);
  tally(completion_stall_, statistics_.completion_ps,
        out && reads_.empty() && answers_.empty() && completions_coming_ == 0);
}

bool PcieLink::idle() const {
  return reads_.empty() && packets_.empty() && free_tags_.size() == tags_.size() &&
         up_flight_.empty() && commits_.empty() && accesses_.empty() && down_flight_.empty() &&
         loads_.empty() && loading_.empty();
}

PcieLink::Statistics PcieLink::statistics() const {
  Statistics statistics = statistics_;
  // What a stall that goes on has come to.
  const auto add = [&](const Stall& stall, std::uint64_t& total) {
    if (stall.on) total += now_ps() - stall.since_ps;
  };
  add(tags_stall_, statistics.tags_ps);
  add(credits_stall_, statistics.credits_ps);
  add(completion_stall_, statistics.completion_ps);
  statistics.up_bytes = up_.bytes();
  statistics.down_bytes = down_.bytes();
  statistics.iotlb_misses = root_.iotlb_misses();
  return statistics;
}

}  // namespace sluice::model
