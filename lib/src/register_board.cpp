// SPDX-License-Identifier: Apache-2.0
#include "register_board.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "attribute_names.hpp"
#include "avmm.hpp"
#include "axi_dma.hpp"
#include "axi_dma_ring.hpp"
#include "cdma.hpp"
#include "error.hpp"
#include "gpu.hpp"
#include "hwt.hpp"
#include "msgdma.hpp"
#include "register_capture.hpp"
#include "system_calls.hpp"
#include "xdma.hpp"

namespace sluice {
namespace {

constexpr std::pair<sluice_direction, const char*> kDirections[] = {
    {SLUICE_MM2S, ".mm2s"}, {SLUICE_S2MM, ".s2mm"}, {SLUICE_COPY, ".copy"}};

// Each is one channel, of a card.
bool is_of_card(const EngineEntry& entry) {
  using Kind = EngineEntry::Kind;
  return entry.kind == Kind::xdma_h2c || entry.kind == Kind::xdma_c2h || entry.kind == Kind::avmm;
}

// Where the buffers of an enum sluice_memory lie.
RegisterBuffer::Place place_of(uint32_t memory) {
  switch (memory) {
    case SLUICE_GPU_MEMORY: return RegisterBuffer::Place::gpu;
    case SLUICE_ON_CHIP_MEMORY: return RegisterBuffer::Place::on_chip;
    default: return RegisterBuffer::Place::host;
  }
}

// Of a dma-buf, or of a file in memory that cannot shrink while a board has it. Other files can.
bool keeps_its_size(int fd) {
  constexpr decltype(statfs::f_type) kDmaBuf = 0x444d'4142;  // DMA_BUF_MAGIC, linux/magic.h
  struct statfs system{};
  if (::fstatfs(fd, &system) == 0 && system.f_type == kDmaBuf) return true;
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0) return false;
  return (seals & F_SEAL_SHRINK) != 0 || ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
}

uint64_t memory_bytes(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) throw Error(EBADF, "{} is not an open descriptor", fd);
  // Before Linux 5.3 a dma-buf tells its length by lseek() alone; it keeps no place.
  const off_t bytes = status.st_size != 0 ? status.st_size : ::lseek(fd, 0, SEEK_END);
  if (bytes <= 0 || static_cast<uint64_t>(bytes) % AddressSpace::kPageBytes != 0)
    throw Error(EINVAL, "descriptor {} is not a dma-buf or a memfd of whole pages", fd);
  if (!keeps_its_size(fd))
    throw Error(EINVAL,
                "descriptor {} is a file that may shrink; give a dma-buf, or a memfd that can be "
                "sealed against that (MFD_ALLOW_SEALING, F_SEAL_SHRINK)",
                fd);
  return static_cast<uint64_t>(bytes);
}

}  // namespace

std::unique_ptr<Engine> RegisterBoard::make_engine(const EngineEntry& entry) {
  using Kind = EngineEntry::Kind;
  Platform& platform = *platform_;
  const uint32_t start_cost_ns = identity_.start_cost_ns;
  switch (entry.kind) {
    case Kind::axi_dma:
      return std::make_unique<AxiDmaEngine>(platform, entry.port, entry.base, entry.interrupt,
                                            start_cost_ns);
    case Kind::axi_dma_ring:
      return std::make_unique<AxiDmaRingEngine>(platform,
                                                AxiDmaRingSettings{.name = entry.port,
                                                                   .base = entry.base,
                                                                   .interrupt = entry.interrupt + 1,
                                                                   .start_cost_ns = start_cost_ns},
                                                allocate_shared(AxiDmaRing::kBytes));
    case Kind::msgdma_mm2s:
    case Kind::msgdma_s2mm:
    case Kind::msgdma_copy:
      return std::make_unique<MsgdmaEngine>(platform, entry.port,
                                            entry.kind == Kind::msgdma_mm2s   ? SLUICE_MM2S
                                            : entry.kind == Kind::msgdma_s2mm ? SLUICE_S2MM
                                                                              : SLUICE_COPY,
                                            entry.base, entry.interrupt, start_cost_ns);
    case Kind::cdma:
      return std::make_unique<CdmaEngine>(platform, entry.port, entry.base, entry.interrupt,
                                          start_cost_ns);
    case Kind::xdma_h2c:
    case Kind::xdma_c2h:
      return std::make_unique<XdmaEngine>(
          platform,
          XdmaSettings{.name = entry.channel,
                       .to_card = entry.kind == Kind::xdma_h2c,
                       .stream = entry.stream,
                       .number = entry.number,
                       .interrupt = entry.interrupt,
                       .poll = identity_.poll || !platform.has_interrupts(),
                       .start_cost_ns = start_cost_ns},
          allocate_shared());
    case Kind::avmm:
      return std::make_unique<AvmmEngine>(
          platform,
          AvmmSettings{.name = entry.channel,
                       .to_card = entry.number == 0,
                       .interrupt = entry.interrupt,
                       .poll = identity_.poll || !platform.has_interrupts(),
                       .start_cost_ns = start_cost_ns},
          allocate_shared());
  }
  throw Error(ENODEV, "an engine of {} is of an unknown kind", entry.port);
}

SharedMemory RegisterBoard::allocate_shared(uint64_t bytes) {
  auto& buffer = static_cast<Buffer&>(allocate(bytes, {}));
  return {.address = buffer.address(), .data = static_cast<uint8_t*>(buffer.data())};
}

void RegisterBoard::release_shared(const SharedMemory& memory) {
  const auto found = std::ranges::find_if(
      buffers_, [&](const auto& buffer) { return buffer->address() == memory.address; });
  if (found != buffers_.end()) free(**found);
}

std::unique_ptr<Capture> RegisterBoard::make_capture(const EngineEntry& entry, Engine& engine) {
  if (!entry.capability) return nullptr;
  // First the wait: what service() takes, the capture looks for next.
  const auto wait = [this](uint64_t deadline_ns) {
    platform_->wait_interrupt(expected_interrupts(), next_look_ns(deadline_ns));
    service();
  };
  return std::make_unique<RegisterCapture>(
      *platform_, static_cast<AxiDmaRingEngine&>(engine).channel(),
      RegisterCapture::Place{.name = entry.channel + ".s2mm",
                             .capability = *entry.capability,
                             .clock_hz = uint64_t{identity_.clock_khz} * 1000},
      RegisterCapture::Board{
          .allocate = [this](uint64_t bytes) { return allocate_shared(bytes); },
          .release = [this](const SharedMemory& memory) { release_shared(memory); },
          .wait = wait});
}

class RegisterBoard::Channel final : public sluice_channel {
 public:
  // `capture`: nullptr where it cannot.
  Channel(RegisterBoard& board, DmaChannel& dma, const sluice_channel_info& info,
          std::unique_ptr<Capture> capture)
      : board_(board), dma_(dma), info_(info), capture_(std::move(capture)) {}

  [[nodiscard]] sluice_board& board() const override { return board_; }
  [[nodiscard]] std::string_view name() const override { return info_.name; }
  [[nodiscard]] const sluice_channel_info& info() const override { return info_; }
  [[nodiscard]] DmaChannel& dma() { return dma_; }
  Capture& capture() override {
    if (capture_ == nullptr)
      throw Error(ENOTSUP, "{} takes transfers only: its engine has no ring of periods",
                  info_.name);
    return *capture_;
  }
  // What is queued and completes then is the capture's, not the program's.
  [[nodiscard]] bool captures() const {
    return capture_ != nullptr && capture_->started() && capture_->status().running != 0;
  }
  [[nodiscard]] bool idle() const { return captures() || dma_.idle(); }
  [[nodiscard]] bool has_completion() const { return !captures() && dma_.has_completion(); }

  unsigned submit(std::span<const sluice_transfer> transfers) override {
    if (captures()) throw Error(EBUSY, "a capture runs on {}", info_.name);
    for (const sluice_transfer& transfer : transfers) {
      if (transfer.flags != 0)
        throw Error(ENOTSUP,
                    "{}: the end of a packet ends a transfer of this engine, so "
                    "SLUICE_TRANSFER_FILL is not supported",
                    info_.name);
      check_timeout(transfer.timeout_ns);
    }
    for (const sluice_transfer& transfer : transfers)
      if (static_cast<Buffer&>(*transfer.buffer).place() == Place::card)
        throw Error(EINVAL, "{}: both sides of a transfer are the card's memory", info_.name);
    return queue(transfers, [](const sluice_transfer& transfer) {
      auto& buffer = static_cast<Buffer&>(*transfer.buffer);
      return DmaChannel::Request{.address = buffer.address() + transfer.offset,
                                 .bytes = transfer.bytes,
                                 .cookie = transfer.cookie,
                                 .users = buffer.users(),
                                 .card_offset = transfer.card_offset};
    });
  }

  unsigned copy(std::span<const sluice_copy> copies) override {
    for (const sluice_copy& entry : copies) {
      check_timeout(entry.timeout_ns);
      check_reach(static_cast<Buffer&>(*entry.source));
      check_reach(static_cast<Buffer&>(*entry.destination));
    }
    return queue(copies, [](const sluice_copy& entry) {
      auto& source = static_cast<Buffer&>(*entry.source);
      auto& destination = static_cast<Buffer&>(*entry.destination);
      return DmaChannel::Request{.address = source.address() + entry.source_offset,
                                 .bytes = entry.bytes,
                                 .cookie = entry.cookie,
                                 .users = source.users(),
                                 .destination = destination.address() + entry.destination_offset,
                                 .destination_users = destination.users()};
    });
  }

  unsigned reap(std::span<sluice_completion> completions, int64_t timeout_ns) override {
    sluice_channel* const alone[] = {this};
    static_cast<void>(board_.wait_any(alone, timeout_ns));
    unsigned taken = 0;
    while (taken < completions.size() && has_completion())
      completions[taken++] = dma_.take_completion();
    return taken;
  }

  void cancel() override {
    if (captures()) return;
    board_.service();
    if (!dma_.idle()) dma_.reset();
  }

 private:
  void check_timeout(uint64_t timeout_ns) const {
    if (timeout_ns != 0)
      throw Error(ENOTSUP, "{}: transfers have no timeout here; reap with a timeout, then cancel",
                  info_.name);
  }

  // Block RAM of another engine is not its own.
  void check_reach(const Buffer& buffer) const {
    if (buffer.place() != Place::card || info_.card_bytes == 0) return;
    const uint64_t first = buffer.address() - board_.platform_->card_address();
    if (first < info_.card_first || first - info_.card_first >= info_.card_bytes)
      throw Error(EINVAL, "{}: the buffer is in the block RAM of another engine", info_.name);
  }

  template <typename Entry, typename MakeRequest>
  unsigned queue(std::span<const Entry> entries, MakeRequest make_request) {
    for (const Entry& entry : entries) dma_.check(make_request(entry));
    board_.service();
    dma_.revive();
    const size_t taken = std::min(entries.size(), dma_.room());
    for (size_t i = 0; i < taken; ++i) dma_.submit(make_request(entries[i]));
    dma_.flush();
    return static_cast<unsigned>(taken);
  }

  RegisterBoard& board_;
  DmaChannel& dma_;
  sluice_channel_info info_;
  std::unique_ptr<Capture> capture_;
};

RegisterBoard::RegisterBoard(std::unique_ptr<Platform> platform, DesignMap design,
                             Identity identity)
    : platform_(std::move(platform)), design_(std::move(design)), identity_(std::move(identity)) {
  heap(Place::host).emplace(platform_->memory());
  if (const auto on_chip = platform_->on_chip_memory()) heap(Place::on_chip).emplace(*on_chip);
  if (design_.hwts)
    hwts_ = std::make_unique<HwtUnit>(*this, *platform_, *design_.hwts, identity_.start_cost_ns);
  for (const EngineEntry& entry : design_.engines) {
    Engine& engine = *engines_.emplace_back(make_engine(entry));
    for (const auto& [direction, suffix] : kDirections) {
      DmaChannel* channel = engine.find(direction);
      if (channel == nullptr) continue;
      sluice_channel_info info{};
      assign(info.name, is_of_card(entry) ? entry.channel : entry.channel + suffix);
      assign(info.port, entry.port);
      info.direction = direction;
      info.width_bits = design_.width_bits;
      info.offset_alignment = design_.unaligned ? 1 : design_.width_bits / 8;
      info.length_alignment = 1;  // a transfer is a whole packet in direct register mode
      info.max_bytes = (uint64_t{1} << design_.length_bits) - 1;
      info.capabilities = SLUICE_CAN_CANCEL;
      if (entry.kind == EngineEntry::Kind::avmm) info.max_bytes = AvmmChannel::kMostBytes;
      if (entry.kind == EngineEntry::Kind::cdma) {
        info.card_bytes = platform_->card_part_bytes();
        info.card_first = entry.number * info.card_bytes;
      }
      if (is_of_card(entry) && !entry.stream) {
        info.capabilities |= SLUICE_HAS_CARD;
      } else if (direction == SLUICE_S2MM) {
        info.max_packet_bytes = info.max_bytes;
        info.capabilities |= SLUICE_CAN_PACKETS;
      }
      if (entry.capability)
        info.capabilities |= SLUICE_CAN_CAPTURE | SLUICE_CAN_COUNT | SLUICE_CAN_HOLD;
      channels_.push_back(
          std::make_unique<Channel>(*this, *channel, info, make_capture(entry, engine)));
    }
  }
  if (PlatformGpu* gpu = platform_->gpu(); gpu != nullptr) add_gpu(*gpu);
}

void RegisterBoard::add_gpu(PlatformGpu& gpu) {
  const Window memory = gpu.memory();
  heap(Place::gpu).emplace(memory);
  Engine& engine =
      *engines_.emplace_back(std::make_unique<GpuEngine>(*platform_, gpu, "gpu0.copy"));
  sluice_channel_info info{};
  assign(info.name, "gpu0.copy");
  assign(info.port, "GPU");
  info.direction = SLUICE_COPY;
  info.offset_alignment = info.length_alignment = 1;
  info.max_bytes = memory.bytes;
  info.capabilities = SLUICE_CAN_CANCEL;
  channels_.push_back(std::make_unique<Channel>(*this, *engine.find(SLUICE_COPY), info, nullptr));
}

RegisterBoard::~RegisterBoard() {
  if (platform_->simulated_time()) return;
  for (const auto& channel : channels_) {
    try {
      static_cast<Channel&>(*channel).dma().reset();  // hardware would go on without us
    } catch (const Error&) {
      // The platform cuts off what does not come out of reset.
    }
  }
}

void RegisterBoard::reset() {
  for (const auto& channel : channels_) static_cast<Channel&>(*channel).dma().reset();
}

sluice_board_info RegisterBoard::info() const {
  sluice_board_info info{};
  assign(info.board, identity_.board);
  assign(info.design, identity_.design);
  info.simulated_time = platform_->simulated_time();
  info.channel_count = static_cast<uint32_t>(channels_.size());
  info.port_count = design_.ports;
  info.width_bits = design_.width_bits;
  info.clock_khz = identity_.clock_khz;
  info.start_cost_ns = identity_.start_cost_ns;
  info.memory_bytes = platform_->memory().bytes;
  info.thread_count = hwts_ ? hwts_->count() : 0;
  info.card_bytes = platform_->card_bytes();
  return info;
}

void RegisterBoard::service() {
  for (const auto& channel : channels_) static_cast<Channel&>(*channel).dma().service();
  if (hwts_) hwts_->service();
}

uint64_t RegisterBoard::expected_interrupts() const {
  uint64_t mask = 0;
  for (const auto& channel : channels_)
    mask |= static_cast<Channel&>(*channel).dma().expected_interrupt();
  return hwts_ ? mask | hwts_->expected_interrupts() : mask;
}

uint64_t RegisterBoard::next_look_ns(uint64_t deadline_ns) const {
  uint64_t look_ns = DmaChannel::kNever;
  for (const auto& channel : channels_)
    look_ns = std::min(look_ns, static_cast<Channel&>(*channel).dma().look_again_ns());
  const uint64_t now_ns = platform_->now_ns();
  return look_ns < deadline_ns - std::min(deadline_ns, now_ns) ? now_ns + look_ns : deadline_ns;
}

void RegisterBoard::sleep_ns(uint64_t ns) {
  const uint64_t deadline_ns = platform_->now_ns() + ns;
  for (service(); platform_->now_ns() < deadline_ns; service())
    platform_->wait_interrupt(expected_interrupts(), next_look_ns(deadline_ns));
}

std::optional<size_t> RegisterBoard::wait_any(std::span<sluice_channel* const> channels,
                                              int64_t timeout_ns) {
  const auto channel_of = [](sluice_channel* channel) -> Channel& {
    return static_cast<Channel&>(*channel);
  };
  const auto first_over = [&]() -> std::optional<size_t> {
    const auto found = std::ranges::find_if(channels, &Channel::has_completion, channel_of);
    if (found == channels.end()) return std::nullopt;
    return static_cast<size_t>(found - channels.begin());
  };
  const uint64_t deadline_ns = timeout_ns < 0 ? std::numeric_limits<uint64_t>::max()
                                              : now_ns() + static_cast<uint64_t>(timeout_ns);
  service();
  for (;;) {
    if (const auto found = first_over()) return found;
    if (std::ranges::all_of(channels, &Channel::idle, channel_of) || now_ns() >= deadline_ns)
      return std::nullopt;
    for (sluice_channel* channel : channels) channel_of(channel).dma().revive();
    if (const auto found = first_over()) return found;
    wait_for_engines(channels, deadline_ns);
    service();
  }
}

// Every channel's interrupt wakes us, so that the other queues do not run dry meanwhile.
void RegisterBoard::wait_for_engines(std::span<sluice_channel* const> channels,
                                     uint64_t deadline_ns) {
  std::vector<MemoryWord> words;
  for (sluice_channel* channel : channels) {
    const DmaChannel& dma = static_cast<Channel&>(*channel).dma();
    if (const MemoryWord* word = dma.polled(); word != nullptr && !dma.idle())
      words.push_back(*word);
  }
  if (words.empty())
    platform_->wait_interrupt(expected_interrupts(), next_look_ns(deadline_ns));
  else
    platform_->wait_change(words, expected_interrupts(), next_look_ns(deadline_ns));
}

void RegisterBoard::write_register(uint32_t offset, uint32_t value, uint8_t enables) {
  platform_->write_bytes(offset, value, enables);
}

void RegisterBoard::write_card(uint64_t offset, std::span<const uint8_t> data) {
  platform_->write_card(offset, data);
  service();
}

void RegisterBoard::read_card(uint64_t offset, std::span<uint8_t> data) {
  platform_->read_card(offset, data);
  service();
}

void RegisterBoard::require_interrupts() const {
  if (!platform_->has_interrupts())
    throw Error(ENOTSUP,
                "{}: the program does not see this board's interrupts; read the engines' status "
                "registers",
                identity_.board);
}

uint64_t RegisterBoard::interrupts() const {
  require_interrupts();
  const uint64_t lines = platform_->interrupts();
  platform_->acknowledge(lines & ~expected_interrupts());  // those are for the channels to take
  return lines;
}

uint64_t RegisterBoard::wait_interrupt(uint64_t mask, uint64_t timeout_ns) {
  require_interrupts();
  const uint64_t begin_ns = now_ns();
  const uint64_t deadline_ns =
      begin_ns + std::min(timeout_ns, std::numeric_limits<uint64_t>::max() - begin_ns);
  for (service(); (platform_->interrupts() & mask) == 0 && now_ns() < deadline_ns; service())
    platform_->wait_interrupt(mask | expected_interrupts(), next_look_ns(deadline_ns));
  return interrupts();
}

int RegisterBoard::interrupt_descriptor(uint64_t mask) {
  require_interrupts();
  return platform_->interrupt_descriptor(mask);
}

uint64_t RegisterBoard::bus_address(const sluice_buffer& buffer) const {
  return static_cast<const Buffer&>(buffer).address();
}

int RegisterBoard::memory_descriptor(uint64_t* first, uint64_t* bytes) {
  const Platform::MemoryFile file = platform_->memory_file();
  const int copy = ::fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    throw Error(errno, "the descriptor of the memory cannot be duplicated: {}", message(-errno));
  *first = file.first;
  *bytes = file.bytes;
  return copy;
}

void* RegisterBoard::map_memory(void* at, uint64_t address, uint64_t bytes) {
  const Platform::MemoryFile file = platform_->memory_file_at(address);
  if (address < file.first || address - file.first > file.bytes ||
      bytes > file.bytes - (address - file.first))
    throw Error(EINVAL, "{} bytes at bus address 0x{:x} exceed the memory, 0x{:x} to 0x{:x}", bytes,
                address, file.first, file.first + file.bytes - 1);
  return mappings_
      .emplace_back(file.descriptor, address - file.first, at, static_cast<size_t>(bytes))
      .data();
}

uint64_t RegisterBoard::cpu_work(const sluice_cpu_work& work) {
  const bool copies = work.kind == SLUICE_CPU_COPY;
  const auto address = [](const sluice_buffer* buffer) {
    const auto* ours = static_cast<const Buffer*>(buffer);
    if (ours->place() != Place::host)
      throw Error(ENOTSUP, "the model of the CPU works in DDR memory; give it buffers of that");
    return ours->address();
  };
  const uint64_t elapsed_ps =
      platform_->cpu_work(work, address(work.source), copies ? address(work.destination) : 0);
  if (copies) std::memcpy(work.destination->data(), work.source->data(), work.bytes);
  service();
  return elapsed_ps;
}

sluice_buffer& RegisterBoard::allocate(uint64_t bytes, const sluice_placement& placement) {
  const Place place = place_of(placement.memory);
  std::optional<Heap>& from = heap(place);
  if (!from)
    throw Error(ENOTSUP, "{} has no {}", identity_.board,
                place == Place::gpu ? "GPU beside it" : "on-chip memory");
  const auto address = from->addresses.allocate(
      bytes, std::max(placement.alignment, from->memory.page_bytes), placement.offset);
  if (!address)
    throw Error(ENOMEM,
                "no free memory for a buffer of {} bytes: {} has {} bytes of {} for buffers", bytes,
                place == Place::gpu ? "the GPU" : identity_.board, from->memory.bytes,
                place == Place::on_chip ? "on-chip memory" : "memory");
  uint8_t* data = nullptr;
  try {
    data = platform_->provide(*address, bytes);
    std::memset(data, 0, bytes);
    buffers_.push_back(std::make_unique<Buffer>(*this, place, *address, bytes, data));
  } catch (...) {
    if (data != nullptr) platform_->withdraw(*address);
    from->addresses.release(*address);
    throw;
  }
  return *buffers_.back();
}

sluice_buffer& RegisterBoard::import(int fd) {
  if (!platform_->lends()) return sluice_board::import(fd);
  const uint64_t count = memory_bytes(fd);
  const uint64_t address = platform_->lend(fd, count);
  return *buffers_.emplace_back(std::make_unique<Buffer>(*this, Place::lent, address, count,
                                                         platform_->provide(address, count)));
}

sluice_buffer& RegisterBoard::map_card(uint64_t offset, uint64_t bytes) {
  if (platform_->card_address() == 0) return sluice_board::map_card(offset, bytes);
  const uint64_t address = platform_->card_address() + offset;
  return *buffers_.emplace_back(std::make_unique<Buffer>(*this, Place::card, address, bytes,
                                                         platform_->provide(address, bytes)));
}

void RegisterBoard::free(sluice_buffer& buffer) {
  const auto& ours = static_cast<Buffer&>(buffer);
  if (ours.captured()) throw Error(EBUSY, "a capture uses the buffer");
  if (ours.place() == Place::lent) {
    platform_->take_back(ours.address());
  } else if (ours.place() != Place::card) {
    platform_->withdraw(ours.address());
    heap(ours.place())->addresses.release(ours.address());
  }
  std::erase_if(buffers_, [&](const auto& entry) { return entry.get() == &buffer; });
}

HwtUnit& RegisterBoard::hwts() const {
  if (!hwts_) throw Error(ENOTSUP, "{} has no hardware threads", identity_.design);
  return *hwts_;
}

sluice_hwt& RegisterBoard::open_hwt(unsigned number) { return hwts().open(number); }

void RegisterBoard::close_hwt(sluice_hwt& hwt) { hwts().close(static_cast<Hwt&>(hwt)); }

std::optional<sluice_hwt_fault> RegisterBoard::next_fault(int64_t timeout_ns) {
  auto fault = hwts().next_fault(timeout_ns);
  if (!fault) return fault;
  const uint64_t address = fault->offset;
  for (const auto& buffer : buffers_) {
    if (address < buffer->address() || address - buffer->address() >= buffer->bytes()) continue;
    fault->buffer = buffer.get();
    fault->offset = address - buffer->address();
    return fault;
  }
  fault->offset = 0;
  return fault;
}

std::vector<sluice_attribute_info> RegisterBoard::attributes() const {
  std::vector<sluice_attribute_info> infos;
  for (const Attribute& attribute : design_.attributes) {
    sluice_attribute_info& info = infos.emplace_back();
    assign(info.name, attribute.name);
    assign(info.text, attribute.text);
    info.max = attribute.max;
  }
  for (const Platform::Counter& counter : platform_->counters()) {
    sluice_attribute_info& info = infos.emplace_back();
    assign(info.name, counter.name);
    assign(info.text, counter.text);
  }
  return infos;
}

const Attribute& RegisterBoard::find_attribute(std::string_view name) const {
  const auto found = std::find_if(design_.attributes.begin(), design_.attributes.end(),
                                  [&](const Attribute& entry) { return entry.name == name; });
  if (found == design_.attributes.end()) refuse_attribute(identity_.design, name, attributes());
  return *found;
}

// Place among the platform's counters.
std::optional<size_t> RegisterBoard::find_counter(std::string_view name) const {
  const auto counters = platform_->counters();
  const auto found = std::ranges::find(counters, name, &Platform::Counter::name);
  if (found == counters.end()) return std::nullopt;
  return static_cast<size_t>(found - counters.begin());
}

uint64_t RegisterBoard::get_attribute(std::string_view name) {
  if (const auto index = find_counter(name)) return platform_->counter(*index);
  const Attribute& attribute = find_attribute(name);
  const uint64_t low = (platform_->read32(attribute.offset) >> attribute.shift) & attribute.mask;
  if (!attribute.wide) return low;
  return low | uint64_t{platform_->read32(attribute.offset + 4)} << 32;
}

void RegisterBoard::set_attribute(std::string_view name, uint64_t value) {
  if (find_counter(name)) throw Error(EACCES, "attribute '{}' is read-only", name);
  const Attribute& attribute = find_attribute(name);
  if (attribute.max == 0) throw Error(EACCES, "attribute '{}' is read-only", name);
  if (value > attribute.max)
    throw Error(ERANGE, "attribute '{}' must be from 0 to {}, not {}", name, attribute.max, value);
  uint32_t word = static_cast<uint32_t>(value) << attribute.shift;
  const uint32_t field = attribute.mask << attribute.shift;
  if (field != ~uint32_t{0}) word |= platform_->read32(attribute.offset) & ~field;
  platform_->write32(attribute.offset, word);
}

}  // namespace sluice
