// SPDX-License-Identifier: Apache-2.0
// sluice.io._native: libsluice for Python, call by call; what a program imports is sluice.io, which
// gives these calls their types and their waiting.
//
// Errors    what fails raises OSError with the library's errno and sentence; what has been closed
//           or freed, ValueError.
// Threads   calls on one board wait for each other; the interpreter's lock is released meanwhile.
//           A buffer counts as freed as soon as free() is called: what waits behind it for the
//           board finds it freed, and nothing uses or frees its memory after that.
// Lifetime  a board lives until it is closed or the last object from it has gone. A view of a
//           buffer's bytes keeps the memory: a buffer that is freed and a board that is closed give
//           theirs back when the last view has gone.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <sluice.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <sluice.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

// An open board, shared by all that was obtained from it.
class Session {
 public:
  explicit Session(const std::string& uri) : board_(sluice::open_board(uri)) {}
  ~Session() {
    if (of_parent()) forget();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // use(board), alone on this board, without the interpreter's lock; its result.
  template <typename Use>
  auto call(const Use& use) {
    if (closed_) throw nb::value_error("the board is closed");
    nb::gil_scoped_release without_interpreter;
    const std::scoped_lock alone(mutex_);
    if (!board_) throw nb::value_error("the board is closed");
    return use(board_.get());
  }

  // The same for what must not fail: nothing if the board is closed, or is by the time of its turn.
  template <typename Use>
  void call_if_open(const Use& use) noexcept {
    if (closed_ || of_parent()) return;
    nb::gil_scoped_release without_interpreter;
    const std::scoped_lock alone(mutex_);
    if (board_) use(board_.get());
  }

  void close() {
    closed_ = true;
    if (views_ == 0) give_back();
  }

  [[nodiscard]] bool closed() const { return closed_; }

  // Views of its buffers come and go.
  void count_view(int change) {
    views_ += change;
    if (closed_ && views_ == 0) give_back();
  }

 private:
  // After a fork() the board is the parent's. Its threads do not exist in the child, and closing it
  // there would wait for them.
  [[nodiscard]] bool of_parent() const { return getpid() != creator_; }

  void forget() { static_cast<void>(board_.release()); }

  void give_back() {
    if (of_parent()) return forget();
    nb::gil_scoped_release without_interpreter;
    const std::scoped_lock alone(mutex_);
    board_.reset();
  }

  const pid_t creator_ = getpid();

  std::mutex mutex_;
  sluice::BoardHandle board_;
  // These under the interpreter's lock; board_ under the mutex.
  bool closed_ = false;
  int views_ = 0;
};

using SharedSession = std::shared_ptr<Session>;

class Buffer {
 public:
  Buffer(SharedSession session, uint64_t bytes, const sluice_placement& placement)
      : session_(std::move(session)) {
    handle_ = session_->call(
        [&](sluice_board* board) { return sluice::allocate(board, bytes, placement).release(); });
    bytes_ = static_cast<Py_ssize_t>(bytes);
  }
  // Of the card's memory.
  Buffer(SharedSession session, uint64_t offset, uint64_t bytes) : session_(std::move(session)) {
    handle_ = session_->call(
        [&](sluice_board* board) { return sluice::card_buffer(board, offset, bytes).release(); });
    bytes_ = static_cast<Py_ssize_t>(bytes);
  }
  // Of a dma-buf of anyone.
  Buffer(SharedSession session, int fd) : session_(std::move(session)) {
    handle_ = session_->call([&](sluice_board* board) {
      sluice::BufferHandle buffer = sluice::import_buffer(board, fd);
      bytes_ = static_cast<Py_ssize_t>(sluice_buffer_bytes(buffer.get()));
      return buffer.release();
    });
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  // Closing the board frees what is left, such as a buffer that a queued transfer still uses.
  ~Buffer() {
    if (!freed_) give_back();
  }

  void free() {
    if (freed_.exchange(true)) throw nb::value_error("the buffer was freed");
    if (views_ != 0) return;  // the last one gives it back
    try {
      session_->call([&](sluice_board*) { return sluice::check(sluice_buffer_free(handle_)); });
    } catch (...) {
      freed_ = false;
      throw;
    }
  }

  void begin_access(unsigned access) {
    session_->call(
        [&](sluice_board*) { return sluice::check(sluice_buffer_begin_access(handle(), access)); });
  }
  void end_access() {
    session_->call(
        [&](sluice_board*) { return sluice::check(sluice_buffer_end_access(handle())); });
  }

  uint64_t bus_address() {
    return session_->call([&](sluice_board*) { return sluice::bus_address(handle()); });
  }

  // To be asked for within Session::call(), where nothing frees it before its use has ended.
  [[nodiscard]] sluice_buffer* handle() const {
    if (freed_) throw nb::value_error("the buffer was freed");
    return handle_;
  }
  [[nodiscard]] Py_ssize_t bytes() const { return bytes_; }

  // Python's buffer protocol.
  static int get_view(PyObject* self, Py_buffer* view, int flags) noexcept {
    auto* buffer = nb::inst_ptr<Buffer>(self);
    if (buffer->freed_ || buffer->session_->closed()) {
      PyErr_SetString(PyExc_ValueError, "the buffer was freed");
      view->obj = nullptr;
      return -1;
    }
    void* const data = sluice_buffer_data(buffer->handle_);
    if (data == nullptr) {
      PyErr_SetString(PyExc_BufferError, "the memory's exporter keeps it from programs");
      view->obj = nullptr;
      return -1;
    }
    const int failed = PyBuffer_FillInfo(view, self, data, buffer->bytes_, 0, flags);
    if (failed == 0) buffer->count_view(1);
    return failed;
  }
  static void release_view(PyObject* self, Py_buffer* /*view*/) noexcept {
    nb::inst_ptr<Buffer>(self)->count_view(-1);
  }

 private:
  void count_view(int change) {
    views_ += change;
    if (freed_ && views_ == 0) give_back();
    session_->count_view(change);
  }

  void give_back() noexcept {
    session_->call_if_open([&](sluice_board*) { (void)sluice_buffer_free(handle_); });
  }

  SharedSession session_;
  sluice_buffer* handle_ = nullptr;
  Py_ssize_t bytes_ = 0;
  int views_ = 0;  // under the interpreter's lock
  // Written under the interpreter's lock, read under the board's mutex too.
  std::atomic<bool> freed_ = false;
};

PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(Buffer::get_view)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(Buffer::release_view)},
    {0, nullptr},
};

// (buffer, offset, bytes, cookie, timeout_ns, flags)
using Transfer =
    std::tuple<const Buffer*, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t, uint64_t>;
// (source, its offset, destination, its offset, bytes, cookie, timeout_ns)
using Copy =
    std::tuple<const Buffer*, uint64_t, const Buffer*, uint64_t, uint64_t, uint64_t, uint64_t>;
// (cookie, bytes, start_ns, finish_ns, status, end_of_packet, the status in words)
using Completion = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, int32_t, bool, std::string>;

class Channel {
 public:
  Channel(SharedSession session, const std::string& name) : session_(std::move(session)) {
    handle_ =
        session_->call([&](sluice_board* board) { return sluice::find_channel(board, name); });
  }

  nb::dict info() {
    sluice_channel_info info{};
    session_->call([&](sluice_board*) {
      return sluice::check(sluice_channel_get_info(handle_, &info, sizeof info));
    });
    nb::dict fields;
    fields["name"] = info.name;
    fields["port"] = info.port;
    fields["direction"] = info.direction;
    fields["width_bits"] = info.width_bits;
    fields["offset_alignment"] = info.offset_alignment;
    fields["length_alignment"] = info.length_alignment;
    fields["max_bytes"] = info.max_bytes;
    fields["max_packet_bytes"] = info.max_packet_bytes;
    fields["capabilities"] = info.capabilities;
    fields["card_first"] = info.card_first;
    fields["card_bytes"] = info.card_bytes;
    return fields;
  }

  int submit(const std::vector<Transfer>& transfers) {
    return session_->call([&](sluice_board*) {
      std::vector<sluice_transfer> entries;
      entries.reserve(transfers.size());
      for (const auto& [buffer, offset, bytes, cookie, timeout_ns, flags, card_offset] : transfers)
        entries.push_back({.buffer = buffer->handle(),
                           .offset = offset,
                           .bytes = bytes,
                           .cookie = cookie,
                           .timeout_ns = timeout_ns,
                           .flags = flags,
                           .reserved = 0,
                           .card_offset = card_offset});
      return sluice::check(sluice_channel_submit(
          handle_, entries.data(), static_cast<unsigned>(entries.size()), sizeof(sluice_transfer)));
    });
  }

  int copy(const std::vector<Copy>& copies) {
    return session_->call([&](sluice_board*) {
      std::vector<sluice_copy> entries;
      entries.reserve(copies.size());
      for (const auto& [source, from, destination, to, bytes, cookie, timeout_ns] : copies)
        entries.push_back({.source = source->handle(),
                           .source_offset = from,
                           .destination = destination->handle(),
                           .destination_offset = to,
                           .bytes = bytes,
                           .cookie = cookie,
                           .timeout_ns = timeout_ns});
      return sluice::check(sluice_channel_copy(
          handle_, entries.data(), static_cast<unsigned>(entries.size()), sizeof(sluice_copy)));
    });
  }

  std::vector<Completion> reap(unsigned count, int64_t timeout_ns) {
    std::vector<sluice_completion> entries(count);
    const int got = session_->call([&](sluice_board*) {
      return sluice::check(sluice_channel_reap(handle_, entries.data(), count,
                                               sizeof(sluice_completion), timeout_ns));
    });
    std::vector<Completion> completions;
    for (int i = 0; i < got; ++i) {
      const sluice_completion& c = entries[static_cast<size_t>(i)];
      completions.emplace_back(c.cookie, c.bytes, c.start_ns, c.finish_ns, c.status,
                               c.end_of_packet != 0, sluice_status_text(c.status));
    }
    return completions;
  }

  [[nodiscard]] const Session* session() const { return session_.get(); }
  [[nodiscard]] sluice_channel* handle() const { return handle_; }

  void cancel() {
    session_->call([&](sluice_board*) { return sluice::check(sluice_channel_cancel(handle_)); });
  }

  void capture_start(const Buffer& buffer, uint64_t offset, uint64_t period_bytes, uint32_t periods,
                     uint32_t flags) {
    session_->call([&](sluice_board*) {
      const sluice_capture capture{.buffer = buffer.handle(),
                                   .offset = offset,
                                   .period_bytes = period_bytes,
                                   .periods = periods,
                                   .flags = flags};
      return sluice::check(sluice_capture_start(handle_, &capture, sizeof capture));
    });
  }

  // Whether the period has ended.
  bool capture_wait(uint64_t period, int64_t timeout_ns) {
    return session_->call([&](sluice_board*) {
      return sluice::check(sluice_capture_wait(handle_, period, timeout_ns, nullptr)) != 0;
    });
  }

  nb::dict capture_period(uint64_t period) {
    sluice_capture_period info{};
    session_->call([&](sluice_board*) {
      return sluice::check(sluice_capture_get_period(handle_, period, &info, sizeof info));
    });
    nb::dict fields;
    fields["bytes"] = info.bytes;
    fields["ticks"] = info.ticks;
    fields["time_ns"] = info.time_ns;
    fields["drops"] = info.drops;
    fields["exact"] = info.exact != 0;
    fields["merged"] = info.merged != 0;
    return fields;
  }

  // How many of the periods released now were written over before.
  uint64_t capture_release(uint64_t period) {
    sluice_capture_answer answer{};
    session_->call([&](sluice_board*) {
      return sluice::check(sluice_capture_release(handle_, period, &answer, sizeof answer));
    });
    return answer.lost;
  }

  // Copies the first bytes of a period, as many as there is room for, by the driver.
  void capture_read(uint64_t period, nb::handle to) {
    Py_buffer view;
    if (PyObject_GetBuffer(to.ptr(), &view, PyBUF_WRITABLE) != 0) throw nb::python_error();
    const std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> release(&view, PyBuffer_Release);
    session_->call([&](sluice_board*) {
      return sluice::check(
          sluice_capture_read(handle_, period, view.buf, static_cast<uint64_t>(view.len)));
    });
  }

  // (first, count, time_ns)
  std::tuple<uint64_t, uint64_t, uint64_t> capture_loss(uint64_t index) {
    sluice_capture_loss loss{};
    session_->call([&](sluice_board*) {
      return sluice::check(sluice_capture_get_loss(handle_, index, &loss, sizeof loss));
    });
    return {loss.first, loss.count, loss.time_ns};
  }

  nb::dict capture_status() {
    sluice_capture_status status{};
    session_->call([&](sluice_board*) {
      return sluice::check(sluice_capture_get_status(handle_, &status, sizeof status));
    });
    nb::dict fields;
    fields["produced"] = status.produced;
    fields["released"] = status.released;
    fields["lost"] = status.lost;
    fields["losses"] = status.losses;
    fields["bytes"] = status.bytes;
    fields["drops"] = status.drops;
    fields["clock_hz"] = status.clock_hz;
    fields["running"] = status.running != 0;
    fields["exact"] = status.exact != 0;
    return fields;
  }

  void capture_stop() {
    session_->call([&](sluice_board*) { return sluice::check(sluice_capture_stop(handle_)); });
  }

 private:
  SharedSession session_;
  sluice_channel* handle_ = nullptr;
};

class Board {
 public:
  explicit Board(const std::string& uri) {
    nb::gil_scoped_release without_interpreter;
    session_ = std::make_shared<Session>(uri);
  }

  nb::dict info() {
    sluice_board_info info{};
    session_->call([&](sluice_board* board) {
      return sluice::check(sluice_board_get_info(board, &info, sizeof info));
    });
    nb::dict fields;
    fields["board"] = info.board;
    fields["design"] = info.design;
    fields["simulated_time"] = info.simulated_time != 0;
    fields["channel_count"] = info.channel_count;
    fields["port_count"] = info.port_count;
    fields["width_bits"] = info.width_bits;
    fields["clock_khz"] = info.clock_khz;
    fields["start_cost_ns"] = info.start_cost_ns;
    fields["memory_bytes"] = info.memory_bytes;
    fields["card_bytes"] = info.card_bytes;
    return fields;
  }

  std::vector<std::string> channel_names() {
    return session_->call([&](sluice_board* board) {
      std::vector<std::string> names;
      for (unsigned i = 0; sluice_channel* channel = sluice_board_channel(board, i); ++i) {
        sluice_channel_info info{};
        sluice::check(sluice_channel_get_info(channel, &info, sizeof info));
        names.emplace_back(info.name);
      }
      return names;
    });
  }

  Channel channel(const std::string& name) { return {session_, name}; }

  // memory: enum sluice_memory.
  std::unique_ptr<Buffer> buffer(uint64_t bytes, uint64_t alignment, uint64_t offset,
                                 uint32_t memory) {
    return std::make_unique<Buffer>(
        session_, bytes,
        sluice_placement{
            .alignment = alignment, .offset = offset, .memory = memory, .reserved = 0});
  }

  std::unique_ptr<Buffer> card_buffer(uint64_t offset, uint64_t bytes) {
    return std::make_unique<Buffer>(session_, offset, bytes);
  }

  std::unique_ptr<Buffer> import_buffer(int fd) { return std::make_unique<Buffer>(session_, fd); }

  uint64_t now_ns() {
    return session_->call([](sluice_board* board) { return sluice_board_now_ns(board); });
  }
  void sleep_ns(uint64_t ns) {
    session_->call(
        [&](sluice_board* board) { return sluice::check(sluice_board_sleep_ns(board, ns)); });
  }

  // (name, largest value or 0, text) of each.
  std::vector<std::tuple<std::string, uint64_t, std::string>> attributes() {
    return session_->call([&](sluice_board* board) {
      std::vector<std::tuple<std::string, uint64_t, std::string>> found;
      sluice_attribute_info info{};
      unsigned index = 0;
      int result = 0;
      while ((result = sluice_board_attribute(board, index++, &info, sizeof info)) == 0)
        found.emplace_back(info.name, info.max, info.text);
      if (result != -ENOENT) sluice::check(result);
      return found;
    });
  }
  uint64_t get_attribute(const std::string& name) {
    return session_->call([&](sluice_board* board) { return sluice::get_attribute(board, name); });
  }
  void set_attribute(const std::string& name, uint64_t value) {
    session_->call([&](sluice_board* board) {
      sluice::set_attribute(board, name, value);
      return 0;
    });
  }

  uint32_t read_register(uint64_t offset) {
    return session_->call(
        [&](sluice_board* board) { return sluice::read_register(board, offset); });
  }
  void write_register(uint64_t offset, uint32_t value, unsigned enables) {
    session_->call([&](sluice_board* board) {
      sluice::write_register(board, offset, value, enables);
      return 0;
    });
  }
  // Place of the first channel that has a completion, if one has in time.
  std::optional<unsigned> wait_any(const std::vector<Channel*>& channels, int64_t timeout_ns) {
    std::vector<sluice_channel*> handles;
    for (const Channel* channel : channels) {
      if (channel->session() != session_.get()) throw nb::value_error("a channel of another board");
      handles.push_back(channel->handle());
    }
    return session_->call([&](sluice_board*) { return sluice::wait_any(handles, timeout_ns); });
  }
  void write_card(uint64_t offset, nb::bytes data) {
    session_->call([&](sluice_board* board) {
      return sluice::check(sluice_card_write(board, offset, data.data(), data.size()));
    });
  }
  nb::bytes read_card(uint64_t offset, uint64_t bytes) {
    std::vector<uint8_t> data;
    session_->call([&](sluice_board* board) {
      sluice_board_info info{};
      sluice::check(sluice_board_get_info(board, &info, sizeof info));
      // What no card has is refused below, and needs no room.
      data.resize(std::clamp<uint64_t>(bytes, 1, info.card_bytes + 1));
      return sluice::check(sluice_card_read(board, offset, data.data(), bytes));
    });
    return nb::bytes(data.data(), bytes);
  }
  uint64_t interrupts() {
    return session_->call([](sluice_board* board) { return sluice::interrupts(board); });
  }
  uint64_t wait_interrupt(uint64_t mask, uint64_t timeout_ns) {
    return session_->call(
        [&](sluice_board* board) { return sluice::wait_interrupt(board, mask, timeout_ns); });
  }
  int interrupt_fd(uint64_t mask) {
    return session_->call(
        [&](sluice_board* board) { return sluice::check(sluice_board_interrupt_fd(board, mask)); });
  }
  // (descriptor, bus address of its first byte, bytes)
  std::tuple<int, uint64_t, uint64_t> memory_fd() {
    return session_->call([](sluice_board* board) {
      uint64_t first = 0, bytes = 0;
      const int file = sluice::check(sluice_board_memory_fd(board, &first, &bytes));
      return std::tuple{file, first, bytes};
    });
  }

  void close() { session_->close(); }
  [[nodiscard]] bool closed() const { return session_->closed(); }

 private:
  SharedSession session_;
};

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "libsluice, call by call. Programs import sluice.io.";
  module.attr("READ") = SLUICE_READ;
  module.attr("WRITE") = SLUICE_WRITE;
  module.attr("TRANSFER_FILL") = SLUICE_TRANSFER_FILL;
  module.attr("CAN_CANCEL") = SLUICE_CAN_CANCEL;
  module.attr("HAS_CARD") = SLUICE_HAS_CARD;
  module.attr("CAN_CAPTURE") = SLUICE_CAN_CAPTURE;
  module.attr("CAN_COUNT") = SLUICE_CAN_COUNT;
  module.attr("CAN_HOLD") = SLUICE_CAN_HOLD;
  module.attr("CAPTURE_HOLD") = SLUICE_CAPTURE_HOLD;

  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const sluice::Failure& failure) {
      // Of two arguments OSError makes the class that the errno has: TimeoutError and so on.
      nb::object error = nb::steal(
          PyObject_CallFunction(PyExc_OSError, "is", failure.code().value(), failure.what()));
      if (error.is_valid())
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    }
  });

  module.def("version", [] { return std::string(sluice_version()); });

  nb::class_<Buffer>(module, "Buffer", nb::type_slots(buffer_slots))
      .def("free", &Buffer::free)
      .def("begin_access", &Buffer::begin_access)
      .def("end_access", &Buffer::end_access)
      .def("bus_address", &Buffer::bus_address)
      .def("__len__", &Buffer::bytes);

  nb::class_<Channel>(module, "Channel")
      .def("info", &Channel::info)
      .def("submit", &Channel::submit)
      .def("copy", &Channel::copy)
      .def("reap", &Channel::reap)
      .def("cancel", &Channel::cancel)
      .def("capture_start", &Channel::capture_start)
      .def("capture_wait", &Channel::capture_wait)
      .def("capture_period", &Channel::capture_period)
      .def("capture_read", &Channel::capture_read)
      .def("capture_release", &Channel::capture_release)
      .def("capture_loss", &Channel::capture_loss)
      .def("capture_status", &Channel::capture_status)
      .def("capture_stop", &Channel::capture_stop);

  nb::class_<Board>(module, "Board")
      .def(nb::init<const std::string&>())
      .def("info", &Board::info)
      .def("channel_names", &Board::channel_names)
      .def("channel", &Board::channel)
      .def("wait_any", &Board::wait_any)
      .def("buffer", &Board::buffer)
      .def("card_buffer", &Board::card_buffer)
      .def("import_buffer", &Board::import_buffer)
      .def("now_ns", &Board::now_ns)
      .def("sleep_ns", &Board::sleep_ns)
      .def("attributes", &Board::attributes)
      .def("get_attribute", &Board::get_attribute)
      .def("set_attribute", &Board::set_attribute)
      .def("read_register", &Board::read_register)
      .def("write_register", &Board::write_register)
      .def("write_card", &Board::write_card)
      .def("read_card", &Board::read_card)
      .def("interrupts", &Board::interrupts)
      .def("wait_interrupt", &Board::wait_interrupt)
      .def("interrupt_fd", &Board::interrupt_fd)
      .def("memory_fd", &Board::memory_fd)
      .def("close", &Board::close)
      .def_prop_ro("closed", &Board::closed);
}
