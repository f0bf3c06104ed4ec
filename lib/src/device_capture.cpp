// SPDX-License-Identifier: Apache-2.0
#include "device_capture.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "device_channel.hpp"
#include "error.hpp"

namespace sluice {
namespace {

// Entry `number` modulo `count` of a table behind the status.
template <typename Entry>
Entry entry(const Mapping& mapping, uint64_t number, uint32_t count, uint32_t stride,
            uint32_t offset) {
  Entry result;
  std::memcpy(&result, mapping.at(offset + static_cast<size_t>(number % count) * stride),
              sizeof result);
  return result;
}

bool fits(const Mapping& mapping, uint64_t count, uint32_t stride, uint32_t offset, size_t least) {
  return count > 0 && stride >= least && offset + count * stride <= mapping.bytes();
}

}  // namespace

DeviceCapture::~DeviceCapture() { forget(); }

void DeviceCapture::forget() {
  if (buffer_ != nullptr) buffer_->captured = false;
  buffer_ = nullptr;
  mapping_ = {};
}

template <typename Read>
auto DeviceCapture::consistent(Read read) const {
  for (;; std::this_thread::yield()) {
    const uint32_t sequence = __atomic_load_n(&told().sequence, __ATOMIC_ACQUIRE);
    if (sequence % 2 != 0) continue;
    const auto value = read();
    std::atomic_thread_fence(std::memory_order_acquire);
    if (__atomic_load_n(&told().sequence, __ATOMIC_RELAXED) == sequence) return value;
  }
}

void DeviceCapture::start(const sluice_capture& capture) {
  const std::string name(channel_.name());
  if (running()) throw Error(EBUSY, "a capture runs on {} already", name);
  DeviceNode& node = channel_.node_for_capture();
  forget();
  auto& buffer = static_cast<DeviceBuffer&>(*capture.buffer);
  const DeviceNode::Import import = node.import(buffer.memory(), buffer.slot());
  uapi::sluice_capture_start start{};
  start.size = sizeof start;
  if ((capture.flags & SLUICE_CAPTURE_GUESS) != 0) start.flags |= SLUICE_CAPTURE_INEXACT;
  if ((capture.flags & SLUICE_CAPTURE_HOLD) != 0) start.flags |= SLUICE_CAPTURE_STALL;
  start.buffer = import.number;
  start.periods = capture.periods;
  start.offset = buffer.skip() + capture.offset;
  start.period_bytes = capture.period_bytes;
  start.watermark = 1;
  const int result = node.call(SLUICE_CAPTURE_START, &start);
  if (result == -EINVAL && import.pieces > 1)
    throw Error(EINVAL,
                "the memory of a capture on {} must be contiguous for the engine, but this buffer "
                "has {} segments. Open the board with ?heap=cma",
                name, import.pieces);
  if (result == -EINVAL)
    throw Error(
        EINVAL,
        "the driver refuses {} periods of {} bytes on {}: at most {} periods, and more than "
        "the engine's buffer may be ahead by",
        capture.periods, capture.period_bytes, name, node.info().max_periods);
  if (result == -ENOSPC)
    throw Error(ENOSPC, "the engine of {} has too few descriptors for {} periods of {} bytes", name,
                capture.periods, capture.period_bytes);
  if (result < 0) throw Error(-result, "no capture on {}: {}", name, message(result));

  Mapping mapping =
      node.map(SLUICE_MMAP_CAPTURE, start.status_bytes, false, "the capture's status");
  const auto& status = *mapping.at<const uapi::sluice_capture_status>();
  if (mapping.bytes() < sizeof status ||
      !fits(mapping, status.record_count, status.record_bytes, status.records_offset,
            sizeof(uapi::sluice_capture_period)) ||
      !fits(mapping, status.loss_count, status.loss_bytes, status.losses_offset,
            sizeof(uapi::sluice_capture_loss)))
    throw Error(EPROTO, "{}: the driver's status of the capture is inconsistent", name);
  mapping_ = std::move(mapping);
  place_ = start.offset;
  period_bytes_ = start.period_bytes;
  periods_ = start.periods;
  buffer_ = &buffer;
  buffer.captured = true;
}

sluice_capture_status DeviceCapture::status() const {
  return consistent([&] {
    const uapi::sluice_capture_status& told = this->told();
    return sluice_capture_status{.produced = told.produced,
                                 .released = told.released,
                                 .lost = told.lost,
                                 .losses = told.losses,
                                 .bytes = told.bytes,
                                 .drops = told.drops,
                                 .clock_hz = told.clock_hz,
                                 .running = (told.flags & SLUICE_STATUS_RUNNING) != 0,
                                 .exact = (told.flags & SLUICE_STATUS_EXACT) != 0};
  });
}

std::optional<uint64_t> DeviceCapture::wait(uint64_t period, int64_t timeout_ns) {
  const sluice_capture_status now = status();
  if (now.produced > period) return now.produced;
  if (timeout_ns == 0 && now.running != 0) return std::nullopt;
  uapi::sluice_capture_wait wait{};
  wait.size = sizeof wait;
  wait.period = period;
  wait.timeout_ns = timeout_ns < 0 ? SLUICE_FOREVER : static_cast<uint64_t>(timeout_ns);
  const int result = channel_.node_for_capture().call(SLUICE_CAPTURE_WAIT, &wait);
  if (result == -EAGAIN) return std::nullopt;
  if (result == -EPIPE)
    throw Error(EPIPE, "the capture on {} has stopped after {} periods", channel_.name(),
                status().produced);
  if (result < 0)
    throw Error(-result, "waiting for a period on {}: {}", channel_.name(), message(result));
  return wait.produced;
}

std::optional<sluice_capture_period> DeviceCapture::period(uint64_t period) const {
  const auto record = consistent([&] {
    const uapi::sluice_capture_status& told = this->told();
    return entry<uapi::sluice_capture_period>(mapping_, period, told.record_count,
                                              told.record_bytes, told.records_offset);
  });
  if (record.period != period || period >= status().produced) return std::nullopt;
  return sluice_capture_period{.bytes = record.bytes,
                               .ticks = record.ticks,
                               .time_ns = record.time_ns,
                               .drops = record.drops,
                               .exact = (record.flags & SLUICE_PERIOD_EXACT) != 0,
                               .merged = (record.flags & SLUICE_PERIOD_MERGED) != 0};
}

std::optional<sluice_capture_loss> DeviceCapture::loss(uint64_t index) const {
  return consistent([&]() -> std::optional<sluice_capture_loss> {
    const uapi::sluice_capture_status& told = this->told();
    if (index >= told.losses || told.losses - index > told.loss_count) return std::nullopt;
    const auto record = entry<uapi::sluice_capture_loss>(mapping_, index, told.loss_count,
                                                         told.loss_bytes, told.losses_offset);
    return sluice_capture_loss{
        .first = record.first, .count = record.count, .time_ns = record.time_ns};
  });
}

void DeviceCapture::read(uint64_t period, void* data, uint64_t bytes) {
  if (bytes > period_bytes_)
    throw Error(EINVAL, "a period of {} has {} bytes; {} cannot be read from it", channel_.name(),
                period_bytes_, bytes);
  channel_.node_for_capture().read(
      SLUICE_MMAP_BUFFER + place_ + period % periods_ * period_bytes_,
      std::span(static_cast<uint8_t*>(data), static_cast<size_t>(bytes)));
}

sluice_capture_answer DeviceCapture::release(uint64_t period) {
  uapi::sluice_capture_release release{};
  release.size = sizeof release;
  release.period = period;
  const int result = channel_.node_for_capture().call(SLUICE_CAPTURE_RELEASE, &release);
  if (result == -EINVAL) {
    const sluice_capture_status now = status();
    throw Error(EINVAL, "periods of {} can be released from number {} to {}, not {}",
                channel_.name(), now.released, now.produced, period);
  }
  if (result < 0)
    throw Error(-result, "releasing periods of {}: {}", channel_.name(), message(result));
  return {.released = release.released, .lost = release.lost, .produced = release.produced};
}

void DeviceCapture::stop() {
  uapi::sluice_capture_stop stop{};
  stop.size = sizeof stop;
  channel_.node_for_capture().must(SLUICE_CAPTURE_STOP, &stop, "the capture was not stopped");
  if (buffer_ != nullptr) buffer_->captured = false;
  buffer_ = nullptr;
}

}  // namespace sluice
