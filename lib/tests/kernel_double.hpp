// SPDX-License-Identifier: Apache-2.0
// The kernel's side of <linux/sluice.h>, of dma-heaps and of udmabuf, as the library sees it: for
// what a real kernel cannot be made to answer. Nothing moves data here; a test says when and how a
// transfer ends.
#pragma once

#include <gtest/gtest.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "system_calls.hpp"
#include "uapi.hpp"

namespace sluice {

class KernelDouble final : public SystemCalls {
 public:
  static constexpr size_t kPageBytes = 4096;
  static constexpr size_t kHeader = 64;  // of the ring, in front of its entries
  static constexpr uint32_t kRecords = 4, kLosses = 2;

  using Page = std::vector<uint64_t>;  // aligned for what is in it

  struct Channel {
    uapi::sluice_info info{};
    int open_error = 0;
    unsigned opens = 0;
    bool opened = false;
    bool gone = false;                   // the device, for poll()
    std::map<unsigned long, int> fails;  // the error of a call
    unsigned most_accepted = UINT32_MAX;
    uint64_t submit_time_ns = 0;  // of a submission; 0: a driver that does not say
    uint32_t pieces = 1;          // of every buffer
    std::map<uint32_t, int> buffers;
    uint32_t next_buffer = 1;
    Page ring, tail, capture;
    std::deque<uapi::sluice_transfer> under_way;
    std::vector<uapi::sluice_transfer> accepted;
    uapi::sluice_capture_start started{};
    uapi::sluice_reap reap{};

    uapi::sluice_ring& head() { return *reinterpret_cast<uapi::sluice_ring*>(ring.data()); }
    uint32_t consumed() { return reinterpret_cast<uapi::sluice_ring_tail*>(tail.data())->tail; }
    uapi::sluice_capture_status& status() {
      return *reinterpret_cast<uapi::sluice_capture_status*>(capture.data());
    }
    // Entry n of one of the tables behind the status.
    template <typename Entry>
    Entry& entry(uint32_t offset, uint64_t n) {
      return reinterpret_cast<Entry*>(reinterpret_cast<char*>(capture.data()) + offset)[n];
    }
    uapi::sluice_capture_period& record(uint64_t period) {
      return entry<uapi::sluice_capture_period>(status().records_offset, period % kRecords);
    }
    uapi::sluice_capture_loss& loss(uint64_t n) {
      return entry<uapi::sluice_capture_loss>(status().losses_offset, n % kLosses);
    }
    // The oldest transfer under way ends.
    void complete(uint64_t bytes, int32_t status = 0, uint32_t flags = 0) {
      ASSERT_FALSE(under_way.empty());
      auto* entries = reinterpret_cast<uapi::sluice_completion*>(
          reinterpret_cast<char*>(ring.data()) + kHeader);
      entries[head().head % head().entries] = {.cookie = under_way.front().cookie,
                                               .bytes = bytes,
                                               .time_ns = 5000,
                                               .status = status,
                                               .flags = flags};
      under_way.pop_front();
      ++head().head;
    }
  };

  struct Buffer {
    Page memory;
    std::vector<uint64_t> syncs;
  };

  // A channel "BOARD/NAME".
  Channel& add(const std::string& name, uint32_t direction, uint64_t capabilities) {
    Channel& channel = channels["/dev/sluice/" + name];
    channel.info = {.size = sizeof channel.info,
                    .flags = 0,
                    .api_version = 1,
                    .direction = direction,
                    .capabilities = capabilities,
                    .max_length = UINT32_MAX,
                    .max_packet = 1 << 20,
                    .address_align = 8,
                    .length_align = 1,
                    .max_transfers = 4096,
                    .max_ring_entries = 4096,
                    .max_buffers = 1024,
                    .max_periods = 1024,
                    .board = {},
                    .name = {}};
    return channel;
  }

  // A setting or a count of a control node, by name: its largest value, and what it is.
  struct Setting {
    uint64_t max;
    uint64_t value;
  };
  std::map<std::string, Setting> settings;                        // of all control nodes
  std::map<unsigned long, int> settings_fail;                     // the error of a call there
  std::map<std::string, Channel> channels;                        // by path
  std::map<std::string, int> files{{"/dev/dma_heap/system", 0}};  // others, and open()'s error
  std::map<int, Buffer> buffers;                                  // by descriptor
  std::set<int> descriptors;                                      // that are open
  uint64_t card_bytes = 0;                                        // of a memory node
  bool unmappable = false;                                        // no buffer can be mapped
  unsigned calls = 0;                                             // ioctls and polls
  std::vector<std::string> polled;                                // paths, by the last poll()
  int64_t poll_timeout_ns = 0;                                    // of it
  std::function<void()> in_poll;                                  // what happens meanwhile
  std::function<void()> after_poll;                               // and behind its answer
  std::function<void()> in_clock;                                 // as the clock is read
  int poll_error = 0;
  int read_error = 0;      // of pread() of a channel
  uint64_t allocated = 0;  // bytes, by the last allocation
  uint64_t time_ns = 1000;

  int open(const std::string& path) override {
    if (const auto file = files.find(path); file != files.end())
      return file->second != 0 ? file->second : descriptor(path);
    const auto found = channels.find(path);
    if (found == channels.end()) return -ENOENT;
    if (found->second.open_error != 0) return found->second.open_error;
    if (found->second.opened) return -EBUSY;
    found->second.opened = true;
    ++found->second.opens;
    return descriptor(path);
  }
  void close(int fd) override {
    EXPECT_EQ(descriptors.erase(fd), 1U);
    const auto found = channels.find(paths_[fd]);
    if (found == channels.end()) return;
    found->second.opened = false;
    found->second.buffers.clear();
    found->second.under_way.clear();
  }
  int ioctl(int fd, unsigned long request, void* argument) override {
    ++calls;
    EXPECT_TRUE(descriptors.contains(fd));
    if (request == DMA_BUF_IOCTL_SYNC) {
      if (!buffers.contains(fd)) return -ENOTTY;
      buffers.at(fd).syncs.push_back(static_cast<dma_buf_sync*>(argument)->flags);
      return 0;
    }
    if (request == DMA_HEAP_IOCTL_ALLOC) {
      auto& allocation = *static_cast<dma_heap_allocation_data*>(argument);
      allocation.fd = static_cast<uint32_t>(buffer(allocation.len));
      return 0;
    }
    if (request == UDMABUF_CREATE)
      return buffer(static_cast<const udmabuf_create*>(argument)->size);
    const auto found = channels.find(paths_[fd]);
    if (found == channels.end() && paths_[fd].ends_with("/memory"))
      return memory(request, argument);
    if (found == channels.end())
      return paths_[fd].ends_with("/control") ? control(request, argument) : -ENOTTY;
    if (const auto fails = found->second.fails.find(request); fails != found->second.fails.end())
      return fails->second;
    return call(found->second, request, argument);
  }
  // Of a channel that captures, a page at most, though a kernel gives all.
  int64_t read_at(int fd, uint64_t offset, void* data, size_t bytes) override {
    const auto found = channels.find(paths_[fd]);
    if (found == channels.end()) return -EINVAL;
    if (read_error != 0) return read_error;
    Channel& channel = found->second;
    const auto buffer = channel.buffers.find(channel.started.buffer);
    if (buffer == channel.buffers.end()) return -ESPIPE;
    const Page& memory = buffers.at(buffer->second).memory;
    const uint64_t from = offset - SLUICE_MMAP_BUFFER;
    if (from >= memory.size() * 8) return 0;
    const size_t count = std::min({bytes, kPageBytes, memory.size() * 8 - from});
    std::memcpy(data, reinterpret_cast<const char*>(memory.data()) + from, count);
    return static_cast<int64_t>(count);
  }
  int64_t write_at(int, uint64_t, const void*, size_t) override { return -EINVAL; }
  void* map(int fd, uint64_t offset, size_t bytes, bool writable, int* error) override {
    *error = -EINVAL;
    const auto found = channels.find(paths_[fd]);
    Page* page = nullptr;
    if (found == channels.end()) {
      if (unmappable || !buffers.contains(fd)) return nullptr;
      page = &buffers.at(fd).memory;
    } else if (offset == SLUICE_MMAP_TAIL) {
      page = &found->second.tail;
    } else {
      if (writable) *error = -EPERM;
      if (!writable)
        page = offset == SLUICE_MMAP_RING ? &found->second.ring : &found->second.capture;
    }
    return page == nullptr || bytes > page->size() * 8 ? nullptr : page->data();
  }
  void unmap(void* /*address*/, size_t /*bytes*/) override {}
  int duplicate(int fd) override {
    const int copy = descriptor(paths_[fd]);
    if (buffers.contains(fd)) buffers[copy] = buffers[fd];
    return copy;
  }
  int64_t size_of(int fd) override {
    if (!descriptors.contains(fd)) return -EBADF;
    return buffers.contains(fd) ? static_cast<int64_t>(buffers[fd].memory.size() * 8) : 4096;
  }
  int memory_file(uint64_t /*bytes*/) override { return descriptor("memory"); }
  // A descriptor of a dma-buf that is not the library's, or of something else.
  int foreign(uint64_t bytes) { return bytes != 0 ? buffer(bytes) : descriptor("file"); }
  std::vector<std::string> list(const std::string& folder) override {
    std::set<std::string> names;
    const auto add_below = [&](const std::string& path) {
      if (path.starts_with(folder + "/"))
        names.insert(
            path.substr(folder.size() + 1, path.find('/', folder.size() + 1) - folder.size() - 1));
    };
    for (const auto& [path, channel] : channels) add_below(path);
    for (const auto& [path, error] : files) add_below(path);
    return {names.begin(), names.end()};
  }
  int poll(std::span<pollfd> asked, int64_t timeout_ns) override {
    ++calls;
    polled.clear();
    poll_timeout_ns = timeout_ns;
    if (in_poll) in_poll();
    if (poll_error != 0) return poll_error;
    int ready = 0;
    for (pollfd& entry : asked) {
      EXPECT_EQ(entry.events, POLLIN);
      polled.push_back(paths_.at(entry.fd));
      Channel& channel = channels.at(paths_.at(entry.fd));
      entry.revents = channel.gone ? POLLERR | POLLHUP : 0;
      if (channel.head().head != channel.consumed()) entry.revents |= POLLIN;
      ready += entry.revents != 0 ? 1 : 0;
    }
    if (after_poll) after_poll();
    return ready;
  }
  uint64_t now_ns() override {
    if (in_clock) in_clock();
    return ++time_ns;
  }
  void sleep_ns(uint64_t ns) override { time_ns += ns; }

 private:
  int descriptor(const std::string& path) {
    descriptors.insert(++last_);
    paths_[last_] = path;
    return last_;
  }
  int buffer(uint64_t bytes) {
    allocated = bytes;
    const int fd = descriptor("dmabuf");
    buffers[fd].memory.resize(bytes / 8);
    return fd;
  }

  // As include/uapi/linux/sluice.h says of each.
  int call(Channel& channel, unsigned long request, void* argument) {
    EXPECT_GE(*static_cast<uint32_t*>(argument), 8U);
    switch (request) {
      case SLUICE_INFO: std::memcpy(argument, &channel.info, sizeof channel.info); return 0;
      case SLUICE_ATTACH: {
        auto& attach = *static_cast<uapi::sluice_attach*>(argument);
        attach.buffer = channel.next_buffer++;
        attach.bytes = buffers.at(attach.fd).memory.size() * 8;
        attach.pieces = channel.pieces;
        channel.buffers[attach.buffer] = attach.fd;
        return 0;
      }
      case SLUICE_DETACH:
        return channel.buffers.erase(static_cast<uapi::sluice_detach*>(argument)->buffer) == 1
                   ? 0
                   : -ENOENT;
      case SLUICE_ALLOCATE: {
        auto& allocate = *static_cast<uapi::sluice_allocate*>(argument);
        allocate.fd = buffer(allocate.bytes);
        return 0;
      }
      case SLUICE_SETUP: {
        auto& setup = *static_cast<uapi::sluice_setup*>(argument);
        setup.ring_bytes =
            static_cast<uint32_t>(kHeader + setup.ring_entries * sizeof(uapi::sluice_completion));
        channel.ring.assign(setup.ring_bytes / 8, 0);
        channel.tail.assign(kPageBytes / 8, 0);
        channel.head() = {.entries = setup.ring_entries,
                          .entry_bytes = sizeof(uapi::sluice_completion),
                          .entries_offset = kHeader,
                          .head = 0};
        return 0;
      }
      case SLUICE_SUBMIT: return submit(channel, *static_cast<uapi::sluice_submit*>(argument));
      case SLUICE_REAP:
        channel.reap = *static_cast<uapi::sluice_reap*>(argument);
        return channel.head().head == channel.consumed() ? -EAGAIN : 0;
      case SLUICE_CANCEL:
        while (!channel.under_way.empty()) channel.complete(0, -ECANCELED);
        return 0;
      case SLUICE_CAPTURE_START:
        return start(channel, *static_cast<uapi::sluice_capture_start*>(argument));
      case SLUICE_CAPTURE_WAIT: {
        auto& wait = *static_cast<uapi::sluice_capture_wait*>(argument);
        wait.produced = channel.status().produced;
        if (wait.produced > wait.period) return 0;
        return (channel.status().flags & SLUICE_STATUS_RUNNING) != 0 ? -EAGAIN : -EPIPE;
      }
      case SLUICE_CAPTURE_RELEASE: {
        auto& release = *static_cast<uapi::sluice_capture_release*>(argument);
        uapi::sluice_capture_status& status = channel.status();
        if (release.period < status.released || release.period > status.produced) return -EINVAL;
        release.released = status.released;
        release.lost = status.lost;
        release.produced = status.produced;
        status.released = release.period;
        return 0;
      }
      case SLUICE_CAPTURE_STOP: channel.status().flags &= ~SLUICE_STATUS_RUNNING; return 0;
      default: return -ENOTTY;
    }
  }
  int memory(unsigned long request, void* argument) {
    if (request == SLUICE_MEMORY_INFO) {
      static_cast<uapi::sluice_memory_info*>(argument)->bytes = card_bytes;
      return 0;
    }
    auto& part = *static_cast<uapi::sluice_memory_export*>(argument);
    EXPECT_EQ(request, SLUICE_MEMORY_EXPORT);
    if (part.bytes == 0 || part.offset + part.bytes > card_bytes) return -EINVAL;
    part.fd = buffer(part.bytes);
    return 0;
  }
  int control(unsigned long request, void* argument) {
    if (const auto fails = settings_fail.find(request); fails != settings_fail.end())
      return fails->second;
    if (request == SLUICE_ATTRIBUTE_INFO) {
      auto& info = *static_cast<uapi::sluice_attribute_info*>(argument);
      if (info.index >= settings.size()) return -ENOENT;
      const auto& [name, setting] = *std::next(settings.begin(), info.index);
      info.max = setting.max;
      std::memset(info.name, 0, sizeof info.name);
      name.copy(reinterpret_cast<char*>(info.name), sizeof info.name - 1);
      return 0;
    }
    auto& attribute = *static_cast<uapi::sluice_attribute*>(argument);
    const auto found = settings.find(reinterpret_cast<const char*>(attribute.name));
    if (found == settings.end()) return -ENOENT;
    Setting& setting = found->second;
    if (request == SLUICE_ATTRIBUTE_GET) {
      attribute.value = setting.value;
      return 0;
    }
    if (setting.max == 0) return -EACCES;
    if (attribute.value > setting.max) return -ERANGE;
    setting.value = attribute.value;
    return 0;
  }
  static int submit(Channel& channel, uapi::sluice_submit& submit) {
    const auto* transfers = reinterpret_cast<const uapi::sluice_transfer*>(submit.transfers);
    EXPECT_EQ(submit.transfer_bytes, sizeof transfers[0]);
    const size_t used = channel.head().head - channel.consumed() + channel.under_way.size();
    submit.time_ns = channel.submit_time_ns;
    for (submit.accepted = 0; submit.accepted < submit.count; ++submit.accepted) {
      const uapi::sluice_transfer& transfer = transfers[submit.accepted];
      if (used + submit.accepted == channel.head().entries) return submit.accepted ? 0 : -EAGAIN;
      if (submit.accepted == channel.most_accepted) return 0;
      EXPECT_TRUE(channel.buffers.contains(transfer.buffer));
      channel.under_way.push_back(transfer);
      channel.accepted.push_back(transfer);
    }
    return 0;
  }
  static int start(Channel& channel, uapi::sluice_capture_start& start) {
    channel.started = start;
    uapi::sluice_capture_status status{};
    status.flags = SLUICE_STATUS_RUNNING | SLUICE_STATUS_EXACT;
    status.periods = start.periods;
    status.record_count = kRecords;
    status.record_bytes = sizeof(uapi::sluice_capture_period);
    status.records_offset = sizeof status;
    status.loss_count = kLosses;
    status.loss_bytes = sizeof(uapi::sluice_capture_loss);
    status.losses_offset = status.records_offset + kRecords * status.record_bytes;
    status.period_bytes = start.period_bytes;
    start.status_bytes = status.losses_offset + kLosses * status.loss_bytes;
    channel.capture.assign(start.status_bytes / 8, 0);
    channel.status() = status;
    return 0;
  }

  int last_ = 100;
  std::map<int, std::string> paths_;
};

}  // namespace sluice
