// SPDX-License-Identifier: Apache-2.0
#include "guest_bus.hpp"

#include <utility>

namespace sluice::cosim {
namespace {

using model::Response;

constexpr uint64_t kMessageBytes = sizeof(uint32_t);

std::span<const uint8_t> as_card_bytes(std::span<const std::byte> data) {
  return {reinterpret_cast<const uint8_t*>(data.data()), data.size()};
}

}  // namespace

bool GuestBus::advance(VfioUserServer* host) {
  bool done = false;
  while (!queue_.empty() && perform(host, queue_.front())) {
    queue_.pop_front();
    done = true;
  }
  return done;
}

void GuestBus::reset(VfioUserServer* host) {
  if (host != nullptr) host->forget();
  queue_.clear();
  pieces_.clear();
  reads_out_ = writes_out_ = stores_ = stale_stores_ = stale_loads_ = 0;
  loaded_.reset();
}

// ---- the card's requests

void GuestBus::read(uint32_t token, uint64_t address, uint32_t bytes) {
  queue_.push_back({.is_read = true,
                    .token = token,
                    .address = address,
                    .bytes = bytes,
                    .data = {},
                    .last = true});
}

void GuestBus::write(uint32_t token, uint64_t address, std::span<const uint8_t> data, bool last) {
  const auto bytes = std::as_bytes(data);
  queue_.push_back({.is_read = false,
                    .token = token,
                    .address = address,
                    .bytes = static_cast<uint32_t>(data.size()),
                    .data = {bytes.begin(), bytes.end()},
                    .last = last});
}

void GuestBus::write_nothing(uint32_t token) { write(token, 0, {}, true); }

// False: it has to wait.
bool GuestBus::perform(VfioUserServer* host, const Request& request) {
  return request.is_read ? perform_read(host, request) : perform_write(host, request);
}

// Memory without a file, or what the client has told nothing of, be it another device's registers,
// or nothing at all: it is asked, as a request on a real bus would go and look.
bool GuestBus::by_message(VfioUserServer* host, uint64_t address, uint64_t bytes) {
  if (host == nullptr || bytes == 0 || address >= kMessages) return false;
  const GuestMemory& memory = host->memory();
  return memory.without_file(address, bytes) || memory.nothing_at(address, bytes);
}

bool GuestBus::perform_read(VfioUserServer* host, const Request& request) {
  if (writes_out_ != 0) return false;
  const uint32_t token = request.token, bytes = request.bytes;
  if (by_message(host, request.address, bytes)) {
    ++reads_out_;
    host->read_memory(request.address, bytes,
                      [this, token, bytes](bool ok, std::span<const std::byte> data) {
                        --reads_out_;
                        card_->read_data(token, bytes, as_card_bytes(data),
                                         ok ? Response::okay : Response::decerr);
                      });
    return true;
  }
  std::vector<std::byte> data(bytes);
  const bool ok = host != nullptr && host->memory().read(request.address, data);
  if (!ok) data.clear();
  card_->read_data(token, bytes, as_card_bytes(data), ok ? Response::okay : Response::decerr);
  return true;
}

bool GuestBus::perform_write(VfioUserServer* host, const Request& request) {
  if (by_message(host, request.address, request.bytes)) {
    ++writes_out_;
    Pieces& pieces = pieces_[request.token];
    ++pieces.out;
    pieces.whole = request.last;
    // Posted: that it failed is not told.
    host->write_memory(request.address, request.data,
                       [this, token = request.token](bool) { write_answered(token); });
    return true;
  }
  if (writes_out_ != 0) return false;
  if (request.address >= kMessages && request.bytes == kMessageBytes)
    message_(static_cast<unsigned>((request.address - kMessages) / kMessageBytes));
  else if (host != nullptr && request.bytes != 0)
    static_cast<void>(host->memory().write(request.address, request.data));
  if (request.last) {
    pieces_.erase(request.token);
    card_->write_sent(request.token);
  }
  return true;
}

// In whatever order the client answers, a write has left when all of its pieces have.
void GuestBus::write_answered(uint32_t token) {
  --writes_out_;
  Pieces& pieces = pieces_[token];
  if (--pieces.out != 0 || !pieces.whole) return;
  pieces_.erase(token);
  card_->write_sent(token);
}

// ---- the CPU's accesses

void GuestBus::store(unsigned bar, uint64_t offset, std::span<const std::byte> data) {
  ++stores_;
  card_->store(bar, offset, as_card_bytes(data));
}

void GuestBus::load(unsigned bar, uint64_t offset, uint32_t bytes) {
  loaded_.reset();
  card_->load(bar, offset, bytes);
}

void GuestBus::complete(std::span<const uint8_t> data, Response status) {
  if (stale_loads_ != 0) {
    --stale_loads_;
    return;
  }
  loaded_ = Loaded{.data = {}};
  if (status == Response::okay) loaded_->data.assign(data.begin(), data.end());
}

}  // namespace sluice::cosim
