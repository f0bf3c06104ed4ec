// SPDX-License-Identifier: Apache-2.0
#include "device_channel.hpp"

#include <algorithm>
#include <cerrno>
#include <type_traits>
#include <utility>

#include "core_registers.hpp"
#include "device_capture.hpp"
#include "error.hpp"

namespace sluice {
namespace {

sluice_direction direction_of(const uapi::sluice_info& info) {
  switch (info.direction) {
    case uapi::SLUICE_TX: return SLUICE_MM2S;
    case uapi::SLUICE_RX: return SLUICE_S2MM;
    case uapi::SLUICE_COPY:
      if ((info.capabilities & SLUICE_CAP_TO_CARD) != 0) return SLUICE_MM2S;
      if ((info.capabilities & SLUICE_CAP_FROM_CARD) != 0) return SLUICE_S2MM;
      return SLUICE_COPY;
    default:
      throw Error(EPROTO, "the driver says direction {}, which this library does not know",
                  info.direction);
  }
}

constexpr std::pair<uint64_t, uint32_t> kCapabilities[] = {
    {SLUICE_CAP_TERMINATE, SLUICE_CAN_CANCEL}, {SLUICE_CAP_BYTES, SLUICE_CAN_PACKETS},
    {SLUICE_CAP_CYCLIC, SLUICE_CAN_CAPTURE},   {SLUICE_CAP_LOSS_EXACT, SLUICE_CAN_COUNT},
    {SLUICE_CAP_STALL, SLUICE_CAN_HOLD},       {SLUICE_CAP_TO_CARD, SLUICE_HAS_CARD},
    {SLUICE_CAP_FROM_CARD, SLUICE_HAS_CARD},
};

}  // namespace

DeviceChannel::DeviceChannel(DeviceBoard& board, std::string path, std::string name)
    : board_(board), path_(std::move(path)), name_(std::move(name)) {}

DeviceChannel::~DeviceChannel() = default;

DeviceNode& DeviceChannel::node() const {
  if (node_ == nullptr) node_ = std::make_unique<DeviceNode>(board_.calls(), path_);
  return *node_;
}

int DeviceChannel::allocate(uint64_t bytes) const {
  if (node_ != nullptr) return node_->allocate(bytes);
  return DeviceNode(board_.calls(), path_).allocate(bytes);
}

const sluice_channel_info& DeviceChannel::info() const {
  if (info_) return *info_;
  const uapi::sluice_info& told = node().info();
  sluice_channel_info info{};
  assign(info.name, name_);
  info.direction = direction_of(told);
  info.offset_alignment = told.address_align;
  info.length_alignment = told.length_align;
  info.max_bytes = told.max_length;
  if (info.direction == SLUICE_S2MM) info.max_packet_bytes = told.max_packet;
  if (info.direction == SLUICE_COPY) {
    info.card_first = told.memory_first;
    info.card_bytes = told.memory_bytes;
  }
  for (const auto& [theirs, ours] : kCapabilities)
    if (node().can(theirs)) info.capabilities |= ours;
  return info_.emplace(info);
}

void DeviceChannel::use(Use use) {
  if (use_ == use) return;
  if (use_ == Use::queue && !idle())
    throw Error(EBUSY, "{} has transfers that are queued or not reaped", name_);
  if (use_ == Use::capture && capture_->running())
    throw Error(EBUSY, "a capture runs on {}", name_);
  if (use_ != Use::nothing) {
    if (capture_ != nullptr) capture_->forget();
    ring_ = {};
    tail_page_ = {};
    submitted_ = settled_ = tail_ = 0;
    first_submission_ = last_submission_ = 0;
    use_ = Use::nothing;
    node_ = nullptr;
  }
  static_cast<void>(node());
  use_ = use;
}

DeviceNode& DeviceChannel::node_for_capture() {
  use(Use::capture);
  return *node_;
}

void DeviceChannel::open_ring() {
  use(Use::queue);
  if (ring_.there()) return;
  if (!node_->can(SLUICE_CAP_QUEUE))
    throw Error(ENOTSUP, "{} takes no transfers; it may capture", name_);
  uapi::sluice_setup setup{};
  setup.size = sizeof setup;
  setup.ring_entries = kEntries;
  node_->must(SLUICE_SETUP, &setup, "no ring of completions");
  tail_page_ = node_->map(SLUICE_MMAP_TAIL, sizeof(uapi::sluice_ring_tail), true, "the tail");
  Mapping ring = node_->map(SLUICE_MMAP_RING, setup.ring_bytes, false, "the ring of completions");
  const auto& told = *ring.at<uapi::sluice_ring>();
  entry_bytes_ = told.entry_bytes;
  entries_offset_ = told.entries_offset;
  if (told.entries != kEntries || entry_bytes_ < sizeof(uapi::sluice_completion) ||
      entries_offset_ + uint64_t{kEntries} * entry_bytes_ > ring.bytes())
    throw Error(EPROTO, "{}: the driver's ring of completions is inconsistent", path_);
  ring_ = std::move(ring);
}

uint32_t DeviceChannel::head() const {
  return __atomic_load_n(&ring_.at<uapi::sluice_ring>()->head, __ATOMIC_ACQUIRE);
}

// Transfers that are over, or were not taken: their buffers are the program's.
void DeviceChannel::release(uint32_t begin, uint32_t end) {
  while (begin != end) {
    const uint32_t index = begin % kEntries;
    const uint32_t run = std::min(end - begin, kEntries - index);
    for (const Queued& queued : std::span(queued_).subspan(index, run)) {
      --queued.buffer->users;
      if (queued.destination != nullptr) --queued.destination->users;
    }
    begin += run;
  }
}

void DeviceChannel::settle() {
  if (settled_ == submitted_) return;
  const uint32_t end = head();
  if (end - settled_ > submitted_ - settled_) return;  // reap() says so
  release(settled_, end);
  settled_ = end;
}

void DeviceChannel::forget(const DeviceBuffer& buffer) {
  if (node_ != nullptr) node_->forget(buffer.slot());
}

void DeviceChannel::refuse_length(uint64_t bytes) const {
  throw Error(EINVAL, "lengths on {} must be multiples of {} bytes, not {}", name_,
              node_->info().length_align, bytes);
}

// For the driver a transfer to or from a card is a copy, one side of which is the card's memory.
void DeviceChannel::place_on_card(uapi::sluice_transfer& transfer, uint64_t card_offset) {
  const bool to = node_->can(SLUICE_CAP_TO_CARD);
  const uint32_t card = node_->import(board_.card_memory(), DeviceBoard::kCardSlot).number;
  if (to) {
    transfer.destination = card;
    transfer.destination_offset = card_offset;
  } else {
    transfer.destination = std::exchange(transfer.buffer, card);
    transfer.destination_offset = std::exchange(transfer.offset, card_offset);
  }
}

// Have make(transfer, asked, queued) fill in a transfer for each entry that there is room for, and
// its buffers, and submit them all. The buffers of what the driver does not take are given back.
template <typename Entry, typename Make>
unsigned DeviceChannel::queue(std::span<const Entry> entries, Make make) {
  const unsigned room = kEntries - (submitted_ - tail_);
  const std::span<const Entry> asked = entries.first(std::min<size_t>(entries.size(), room));
  const uint32_t length_align = node_->info().length_align;
  uapi::sluice_transfer* transfer = batch_.data();
  uint32_t number = submitted_;
  try {
    for (const Entry& entry : asked) {
      if (!is_multiple(entry.bytes, length_align)) refuse_length(entry.bytes);
      Queued& queued = queued_[number % kEntries];
      make(*transfer++, entry, queued);
      ++queued.buffer->users;
      if constexpr (std::is_same_v<Entry, sluice_copy>) ++queued.destination->users;
      ++number;
    }
    const unsigned taken = asked.empty() ? 0 : give(static_cast<unsigned>(asked.size()));
    release(submitted_ + taken, number);
    submitted_ += taken;
    return taken;
  } catch (...) {
    release(submitted_, number);
    throw;
  }
}

// What a stream's transfer does not have is 0 in the batch from the beginning.
unsigned DeviceChannel::submit(std::span<const sluice_transfer> transfers) {
  open_ring();
  DeviceNode& node = *node_;
  const uint32_t packet = node.info().direction == uapi::SLUICE_RX ? SLUICE_TRANSFER_PACKET : 0;
  const bool card = node.can(SLUICE_CAP_TO_CARD) || node.can(SLUICE_CAP_FROM_CARD);
  return queue(transfers,
               [&](uapi::sluice_transfer& transfer, const sluice_transfer& asked, Queued& queued) {
                 auto& buffer = static_cast<DeviceBuffer&>(*asked.buffer);
                 transfer.cookie = in_core(asked.cookie);
                 transfer.buffer = node.import(buffer.memory(), buffer.slot()).number;
                 transfer.flags = (asked.flags & SLUICE_TRANSFER_FILL) == 0 ? packet : 0;
                 transfer.offset = buffer.skip() + asked.offset;
                 transfer.length = in_core(asked.bytes);
                 transfer.timeout_ns = in_core(asked.timeout_ns);
                 if (card) place_on_card(transfer, asked.card_offset);
                 queued.buffer = &buffer;
                 queued.destination = nullptr;
               });
}

unsigned DeviceChannel::copy(std::span<const sluice_copy> copies) {
  open_ring();
  DeviceNode& node = *node_;
  return queue(
      copies, [&](uapi::sluice_transfer& transfer, const sluice_copy& asked, Queued& queued) {
        auto& source = static_cast<DeviceBuffer&>(*asked.source);
        auto& destination = static_cast<DeviceBuffer&>(*asked.destination);
        transfer.cookie = in_core(asked.cookie);
        transfer.buffer = node.import(source.memory(), source.slot()).number;
        transfer.offset = source.skip() + asked.source_offset;
        transfer.length = in_core(asked.bytes);
        transfer.destination = node.import(destination.memory(), destination.slot()).number;
        transfer.destination_offset = destination.skip() + asked.destination_offset;
        transfer.timeout_ns = in_core(asked.timeout_ns);
        queued.buffer = &source;
        queued.destination = &destination;
      });
}

// The first `count` transfers of the batch to the driver: how many it took.
unsigned DeviceChannel::give(unsigned count) {
  uapi::sluice_submit submit{};
  submit.size = sizeof submit;
  submit.transfers = reinterpret_cast<uintptr_t>(batch_.data());
  submit.count = count;
  submit.transfer_bytes = sizeof batch_[0];
  // Asking the clock is a system call where the vDSO does not tell it.
  const uint64_t before_ns = told_when_ ? 0 : board_.now_ns();
  const int result = node_->call(SLUICE_SUBMIT, &submit);
  if (result == -EAGAIN) return 0;
  if (result < 0) refuse(batch_[0], result);
  const unsigned taken = std::min(submit.accepted, count);
  told_when_ = submit.time_ns != 0;
  if (taken != 0)
    submissions_[last_submission_++ % kEntries] = {
        .start_ns = told_when_ ? submit.time_ns : before_ns, .end = submitted_ + taken};
  return taken;
}

// What the driver refuses in the first of the transfers of the batch.
void DeviceChannel::refuse(const uapi::sluice_transfer& transfer, int error) {
  const DeviceBuffer& buffer = *queued_[submitted_ % kEntries].buffer;
  const uint32_t pieces = node_->import(buffer.memory(), buffer.slot()).pieces;
  if (error == -EINVAL && (transfer.flags & SLUICE_TRANSFER_PACKET) != 0 && pieces > 1)
    throw Error(EINVAL,
                "the memory for a packet on {} must be contiguous for the engine, but this buffer "
                "has {} segments. Open the board with ?heap=cma, or set SLUICE_TRANSFER_FILL on "
                "transfers that are always filled",
                name_, pieces);
  if (error == -EINVAL && pieces > 1 && node_->info().max_length <= node_->info().max_packet)
    throw Error(EINVAL,
                "the memory of a transfer on {} must be contiguous for the engine, but this buffer "
                "has {} segments. Open the board with ?heap=cma",
                name_, pieces);
  if (error == -EMSGSIZE)
    throw Error(EMSGSIZE,
                "the buffer has too many segments for one transfer on {}, {}; open the "
                "board with ?heap=cma, or use shorter transfers",
                name_, pieces);
  if (error == -EOPNOTSUPP && transfer.timeout_ns != 0 && !node_->can(SLUICE_CAP_TERMINATE))
    throw Error(ENOTSUP, "the engine of {} cannot be stopped, so its transfers have no timeout",
                name_);
  if (error == -EXDEV)
    throw Error(EXDEV,
                "the engine of {} does not reach this buffer. It is memory of the card on the "
                "wrong side, or another engine's part of block RAM",
                name_);
  if (error == -EIO)
    throw Error(EIO, "the engine of {} did not restart after it was stopped; see dmesg", name_);
  throw Error(-error, "the driver refuses a transfer of {} bytes on {}: {}", transfer.length, name_,
              message(error));
}

bool DeviceChannel::wait(int64_t timeout_ns) {
  if (board_.busy_poll().until(timeout_ns, [this] { return has_completion(); })) return true;
  uapi::sluice_reap reap{};
  reap.size = sizeof reap;
  reap.min = 1;
  reap.timeout_ns = timeout_ns < 0 ? SLUICE_FOREVER : static_cast<uint64_t>(timeout_ns);
  const int result = node_->call(SLUICE_REAP, &reap);
  if (result == -EAGAIN) return false;
  if (result < 0) throw Error(-result, "{}: waiting for completions: {}", path_, message(result));
  return true;
}

unsigned DeviceChannel::reap(std::span<sluice_completion> completions, int64_t timeout_ns) {
  if (idle()) return 0;
  uint32_t end = head();
  if (end == tail_) {
    if (timeout_ns == 0 || !wait(timeout_ns)) return 0;
    end = head();
  }
  if (end - tail_ > submitted_ - tail_)
    throw Error(EPROTO, "{}: the driver's ring has more completions than there are transfers",
                path_);
  settle();
  const auto count = static_cast<unsigned>(std::min<size_t>(completions.size(), end - tail_));
  for (std::span<sluice_completion> left = completions.first(count); !left.empty();) {
    if (tail_ == submissions_[first_submission_ % kEntries].end) ++first_submission_;
    const Submission& submission = submissions_[first_submission_ % kEntries];
    const uint32_t run = std::min(
        {static_cast<uint32_t>(left.size()), submission.end - tail_, kEntries - tail_ % kEntries});
    take(left.first(run), submission.start_ns);
    tail_ += run;
    left = left.subspan(run);
  }
  __atomic_store_n(&tail_page_.at<uapi::sluice_ring_tail>()->tail, tail_, __ATOMIC_RELEASE);
  return count;
}

// Entries of the ring from tail_ on, up to its end at most.
void DeviceChannel::take(std::span<sluice_completion> completions, uint64_t start_ns) const {
  const uint32_t sends = node_->info().direction == uapi::SLUICE_TX ? 1 : 0;
  const uint32_t entry_bytes = entry_bytes_;
  const std::byte* entry = ring_.at(entries_offset_ + size_t{tail_ % kEntries} * entry_bytes);
  for (sluice_completion& completion : completions) {
    const auto& told = *reinterpret_cast<const uapi::sluice_completion*>(entry);
    entry += entry_bytes;
    const int32_t status = told.status;
    static_assert(SLUICE_COMPLETION_END_OF_PACKET == 1);
    const uint32_t ended = told.flags & SLUICE_COMPLETION_END_OF_PACKET;
    completion.cookie = in_core(told.cookie);
    completion.bytes = in_core(told.bytes);
    completion.start_ns = in_core(start_ns);
    completion.finish_ns = in_core(told.time_ns);
    completion.status = status;
    completion.end_of_packet = ended | (sends & (status == 0 ? 1U : 0U));
  }
}

void DeviceChannel::cancel() {
  if (use_ != Use::queue || !ring_.there() || submitted_ == head()) return;
  if (!node_->can(SLUICE_CAP_TERMINATE))
    throw Error(ENOTSUP, "the engine of {} cannot be stopped; its transfers end by themselves",
                name_);
  uapi::sluice_cancel cancel{};
  cancel.size = sizeof cancel;
  node_->must(SLUICE_CANCEL, &cancel, "the channel was not stopped");
}

Capture& DeviceChannel::capture() {
  if (capture_ == nullptr) {
    if (!node().can(SLUICE_CAP_CYCLIC))
      throw Error(ENOTSUP,
                  "{} cannot capture: it does not receive, or its engine has no cyclic transfers",
                  name_);
    capture_ = std::make_unique<DeviceCapture>(*this);
  }
  return *capture_;
}

}  // namespace sluice
