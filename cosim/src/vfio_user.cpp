// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/vfio_user.hpp"

#include <linux/vfio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

#include "interrupts.hpp"
#include "message_channel.hpp"
#include "sluice/cosim/recording.hpp"
#include "vfio_user_wire.hpp"

namespace sluice::cosim {
namespace {

using wire::Command;

constexpr unsigned kRequestsAtOnce = 64;
constexpr std::size_t kMaxAsked = 4096;  // of 65,536 that ids tell apart
constexpr unsigned kRegions = VFIO_PCI_NUM_REGIONS;
constexpr unsigned kInterruptKinds = VFIO_PCI_NUM_IRQS;

// A request that is answered by an errno.
struct Refused {
  int error;
};

void check(int error) {
  if (error != 0) throw Refused{error};
}

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

// What the body begins with. The rest is left in body.
template <typename T>
T take(std::span<const std::byte>& body) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (body.size() < sizeof(T)) throw Refused{EINVAL};
  T value;
  std::memcpy(&value, body.data(), sizeof value);
  body = body.subspan(sizeof value);
  return value;
}

// The same for a struct that says by argsz how much of it, or of its answer, the client knows.
template <typename T>
T take_sized(std::span<const std::byte>& body) {
  const T value = take<T>(body);
  if (value.argsz < sizeof value) throw Refused{EINVAL};
  return value;
}

}  // namespace

class VfioUserServer::Session {
 public:
  Session(File connection, PciDevice& device, Recording* recording)
      : channel_(std::move(connection)),
        device_(device),
        recording_(recording),
        memory_(recording),
        interrupts_(device.vectors()) {}
  ~Session() { device_.reset(); }

  bool serve(int timeout_ms) {
    if (ended_) return false;
    try {
      if (!channel_.wait(timeout_ms)) return true;
      for (unsigned i = 0; i < kRequestsAtOnce; ++i) {
        std::optional<Message> message = channel_.receive();
        if (!message) return true;
        handle(*message);
        if (ended_) return false;
      }
      return true;
    } catch (const MessageChannel::Closed&) {
    } catch (const MessageChannel::Broken& broken) {
      complaint_ = broken.what();
    }
    end();
    return false;
  }

  [[nodiscard]] int descriptor() const { return channel_.descriptor(); }
  GuestMemory& memory() { return memory_; }
  bool interrupt(unsigned vector) {
    const bool sent = interrupts_.signal(vector);
    if (sent && recording_ != nullptr) recording_->interrupted(vector);
    return sent;
  }
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

  void read_memory(uint64_t address, uint32_t bytes, ReadDone done) {
    ask(Command::kDmaRead, {.address = address, .count = bytes}, {},
        [this, address, bytes, done = std::move(done)](int error, std::span<const std::byte> body) {
          const bool whole = error == 0 && body.size() == sizeof(wire::DmaAccess) + bytes;
          const auto data = whole ? body.subspan(sizeof(wire::DmaAccess)) : body.first(0);
          if (recording_ != nullptr && whole) recording_->moved(false, address, data);
          if (recording_ != nullptr && !whole) recording_->failed(address, bytes);
          done(whole, data);
        });
  }

  void write_memory(uint64_t address, std::span<const std::byte> data, WriteDone done) {
    if (recording_ != nullptr) recording_->moved(true, address, data);
    ask(Command::kDmaWrite, {.address = address, .count = data.size()}, data,
        [this, address, bytes = data.size(), done = std::move(done)](int error,
                                                                     std::span<const std::byte>) {
          if (recording_ != nullptr && error != 0) recording_->failed(address, bytes);
          done(error == 0);
        });
  }

  void forget() {
    for (Asked& asked : asked_) asked.done = {};
  }

 private:
  // What the client was asked and has not answered yet.
  struct Asked {
    uint16_t id;
    Command command;
    std::function<void(int error, std::span<const std::byte> body)> done;
  };

  void ask(Command command, const wire::DmaAccess& access, std::span<const std::byte> data,
           decltype(Asked::done) done) {
    if (ended_) return;
    if (asked_.size() == kMaxAsked) {
      complaint_ = "more than " + std::to_string(kMaxAsked) + " requests are not answered";
      return end();
    }
    const wire::Header head{
        .id = ++last_id_,
        .command = static_cast<uint16_t>(command),
        .bytes = static_cast<uint32_t>(sizeof(wire::Header) + sizeof access + data.size()),
        .flags = wire::kTypeCommand,
        .error = 0,
    };
    question_.clear();
    append(question_, access);
    question_.insert(question_.end(), data.begin(), data.end());
    asked_.push_back({.id = head.id, .command = command, .done = std::move(done)});
    try {
      channel_.send(bytes_of(head), question_);
    } catch (const MessageChannel::Closed&) {
      end();
    } catch (const MessageChannel::Broken& broken) {
      complaint_ = broken.what();
      end();
    }
  }

  void answered(const Message& message) {
    const wire::Header& header = message.header;
    const auto found = std::find_if(asked_.begin(), asked_.end(), [&](const Asked& asked) {
      return asked.id == header.id && static_cast<uint16_t>(asked.command) == header.command;
    });
    if (found == asked_.end()) throw MessageChannel::Broken("an answer without a request");
    const auto done = std::move(found->done);
    asked_.erase(found);
    if (!done) return;
    const bool failed = (header.flags & wire::kError) != 0;
    done(failed ? static_cast<int>(std::max(header.error, 1u)) : 0, message.body);
  }

  void end() {
    ended_ = true;
    channel_.hang_up();
    asked_.clear();
    interrupts_.clear();
    memory_.clear();
  }

  void handle(Message& message) {
    const wire::Header& header = message.header;
    if ((header.flags & wire::kTypeMask) == wire::kTypeReply) return answered(message);
    if ((header.flags & wire::kTypeMask) != wire::kTypeCommand)
      throw MessageChannel::Broken("a message that is neither a request nor an answer");
    const auto command = static_cast<Command>(header.command);
    if (!agreed_ && command != Command::kVersion)
      throw MessageChannel::Broken("command " + std::to_string(header.command) +
                                   " before the version");
    std::span<const std::byte> body = message.body;
    answer_.clear();
    int error = 0;
    try {
      execute(command, body, message.files);
    } catch (const Refused& refused) {
      error = refused.error;
    }
    if ((header.flags & wire::kNoReply) == 0) reply(header, error);
  }

  void reply(const wire::Header& request, int error) {
    if (error != 0) answer_.clear();
    const wire::Header head{
        .id = request.id,
        .command = request.command,
        .bytes = static_cast<uint32_t>(sizeof(wire::Header) + answer_.size()),
        .flags = wire::kTypeReply | (error != 0 ? wire::kError : 0),
        .error = static_cast<uint32_t>(error),
    };
    channel_.send(bytes_of(head), answer_);
  }

  template <typename T>
  static void append(std::vector<std::byte>& to, const T& value) {
    const auto bytes = bytes_of(value);
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  template <typename T>
  void answer(const T& value) {
    append(answer_, value);
  }

  void execute(Command command, std::span<const std::byte> body, std::vector<File>& files) {
    switch (command) {
      case Command::kVersion: return version(body);
      case Command::kDmaMap: return dma_map(body, files);
      case Command::kDmaUnmap: return dma_unmap(body);
      case Command::kDeviceGetInfo: return device_info(body);
      case Command::kDeviceGetRegionInfo: return region_info(body);
      case Command::kDeviceGetIrqInfo: return irq_info(body);
      case Command::kDeviceSetIrqs: return set_irqs(body, files);
      case Command::kRegionRead: return region_read(body);
      case Command::kRegionWrite: return region_write(body);
      case Command::kDeviceReset: return reset();
      case Command::kDeviceGetRegionIoFds:
      case Command::kDmaRead:
      case Command::kDmaWrite: break;
    }
    throw Refused{ENOTSUP};
  }

  void version(std::span<const std::byte> body) {
    const auto asked = take<wire::Version>(body);
    if (agreed_ || asked.major != 0) throw Refused{EINVAL};
    agreed_ = true;
    answer(wire::Version{.major = 0, .minor = std::min<uint16_t>(asked.minor, 1)});
    const nlohmann::json data = {{"capabilities",
                                  {{"max_msg_fds", wire::kMaxFiles},
                                   {"max_data_xfer_size", wire::kMaxTransfer},
                                   {"pgsizes", GuestMemory::kPage},
                                   {"max_dma_maps", GuestMemory::kMaxMaps}}}};
    const std::string text = data.dump();
    const auto bytes = std::as_bytes(std::span(text.c_str(), text.size() + 1));
    answer_.insert(answer_.end(), bytes.begin(), bytes.end());
  }

  void dma_map(std::span<const std::byte> body, const std::vector<File>& files) {
    const auto map = take_sized<wire::DmaMap>(body);
    if (files.size() > 1) throw Refused{EINVAL};
    if (files.empty()) return check(memory_.reserve(map.address, map.size));
    const GuestMemory::Access access{.read = (map.flags & wire::kMapRead) != 0,
                                     .write = (map.flags & wire::kMapWrite) != 0};
    check(memory_.map(map.address, map.size, access, files.front(), map.offset));
  }

  void dma_unmap(std::span<const std::byte> body) {
    const auto unmap = take_sized<wire::DmaUnmap>(body);
    if ((unmap.flags & ~wire::kUnmapAll) != 0) throw Refused{ENOTSUP};
    if ((unmap.flags & wire::kUnmapAll) != 0) {
      if (unmap.address != 0 || unmap.size != 0) throw Refused{EINVAL};
      memory_.clear();
    } else {
      check(memory_.unmap(unmap.address, unmap.size));
    }
    answer(unmap);
  }

  // The structs of <linux/vfio.h> grow at their ends: only what the protocol has is sent.
  struct DeviceInfo {
    uint32_t argsz, flags, num_regions, num_irqs;
  };

  void device_info(std::span<const std::byte> body) {
    take_sized<DeviceInfo>(body);
    answer(DeviceInfo{.argsz = sizeof(DeviceInfo),
                      .flags = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
                      .num_regions = kRegions,
                      .num_irqs = kInterruptKinds});
  }

  void region_info(std::span<const std::byte> body) {
    const auto asked = take_sized<vfio_region_info>(body);
    if (asked.index >= kRegions) throw Refused{EINVAL};
    const uint64_t size = device_.region_bytes(asked.index);
    answer(vfio_region_info{
        .argsz = sizeof(vfio_region_info),
        .flags = size == 0 ? 0u : VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE,
        .index = asked.index,
        .cap_offset = 0,
        .size = size,
        .offset = 0,
    });
  }

  void irq_info(std::span<const std::byte> body) {
    const auto asked = take_sized<vfio_irq_info>(body);
    if (asked.index >= kInterruptKinds) throw Refused{EINVAL};
    const bool msix = asked.index == VFIO_PCI_MSIX_IRQ_INDEX;
    answer(vfio_irq_info{
        .argsz = sizeof(vfio_irq_info),
        .flags = msix ? VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE : 0u,
        .index = asked.index,
        .count = msix ? interrupts_.vectors() : 0u,
    });
  }

  void set_irqs(std::span<const std::byte> body, std::vector<File>& files) {
    // Not by argsz, which counts descriptors as data, and they come beside the message.
    const auto request = take<vfio_irq_set>(body);
    if (request.index != VFIO_PCI_MSIX_IRQ_INDEX) throw Refused{EINVAL};
    check(interrupts_.set(request, body, files));
  }

  wire::RegionAccess take_access(std::span<const std::byte>& body) const {
    const auto access = take<wire::RegionAccess>(body);
    if (access.region >= kRegions || access.count == 0 || access.count > wire::kMaxTransfer)
      throw Refused{EINVAL};
    const uint64_t size = device_.region_bytes(access.region);
    if (access.offset > size || access.count > size - access.offset) throw Refused{EINVAL};
    return access;
  }

  void reset() {
    if (recording_ != nullptr) recording_->reset();
    device_.reset();
  }

  void region_read(std::span<const std::byte> body) {
    const wire::RegionAccess access = take_access(body);
    answer(access);
    answer_.resize(sizeof access + access.count);
    const auto data = std::span(answer_).subspan(sizeof access);
    if (!device_.read(access.region, access.offset, data)) throw Refused{EINVAL};
    if (recording_ != nullptr) recording_->accessed(false, access.region, access.offset, data);
  }

  void region_write(std::span<const std::byte> body) {
    const wire::RegionAccess access = take_access(body);
    if (body.size() != access.count) throw Refused{EINVAL};
    if (recording_ != nullptr) recording_->accessed(true, access.region, access.offset, body);
    if (!device_.write(access.region, access.offset, body)) throw Refused{EINVAL};
    answer(access);
  }

  MessageChannel channel_;
  PciDevice& device_;
  Recording* recording_;
  GuestMemory memory_;
  Interrupts interrupts_;
  std::vector<std::byte> answer_;
  std::vector<std::byte> question_;
  std::vector<Asked> asked_;  // in order; few
  uint16_t last_id_ = 0;
  std::string complaint_;
  bool agreed_ = false;
  bool ended_ = false;
};

VfioUserServer::VfioUserServer(File connection, PciDevice& device, Recording* recording)
    : session_(std::make_unique<Session>(std::move(connection), device, recording)) {}
VfioUserServer::~VfioUserServer() = default;

bool VfioUserServer::serve(int timeout_ms) { return session_->serve(timeout_ms); }
int VfioUserServer::descriptor() const { return session_->descriptor(); }
GuestMemory& VfioUserServer::memory() { return session_->memory(); }
void VfioUserServer::read_memory(uint64_t address, uint32_t bytes, ReadDone done) {
  session_->read_memory(address, bytes, std::move(done));
}
void VfioUserServer::write_memory(uint64_t address, std::span<const std::byte> data,
                                  WriteDone done) {
  session_->write_memory(address, data, std::move(done));
}
void VfioUserServer::forget() { session_->forget(); }
bool VfioUserServer::interrupt(unsigned vector) { return session_->interrupt(vector); }
const std::string& VfioUserServer::complaint() const { return session_->complaint(); }

}  // namespace sluice::cosim
