// SPDX-License-Identifier: Apache-2.0
#include "sluice/cosim/card_control.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace sluice::cosim {
namespace {

using model::Response;
using nlohmann::ordered_json;

// The fields of a request: each is asked for by name, and none may be left over.
class Fields {
 public:
  explicit Fields(std::string_view text) : json_(ordered_json::parse(text, nullptr, false)) {
    if (!json_.is_object()) throw std::invalid_argument("not a JSON object");
  }

  std::string text(const char* name) {
    const ordered_json value = take(name);
    if (!value.is_string()) throw std::invalid_argument(std::string(name) + " must be a string");
    return value.get<std::string>();
  }
  // The position of the string among those allowed.
  template <std::size_t N>
  std::size_t choice(const char* name, const std::array<std::string_view, N>& allowed) {
    const std::string value = text(name);
    const auto found = std::find(allowed.begin(), allowed.end(), value);
    if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
    std::string names;
    for (const std::string_view one : allowed)
      names += (names.empty() ? "" : ", ") + std::string(one);
    throw std::invalid_argument(std::string(name) + " must be one of " + names);
  }
  template <typename T>
  T number(const char* name) {
    const ordered_json value = take(name);
    constexpr uint64_t kMost = std::numeric_limits<T>::max();
    if (!value.is_number_unsigned() || value.get<uint64_t>() > kMost)
      throw std::invalid_argument(std::string(name) + " must be a number, 0 to " +
                                  std::to_string(kMost));
    return value.get<T>();
  }
  template <typename T>
  T number_or(const char* name, T otherwise) {
    return json_.contains(name) ? number<T>(name) : otherwise;
  }
  // 0: without end.
  uint64_t times(const char* name) {
    const auto value = number_or<uint64_t>(name, 1);
    return value == 0 ? kForEver : value;
  }
  [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }
  void no_more() const {
    if (!json_.empty()) throw std::invalid_argument("unknown field " + json_.begin().key());
  }

 private:
  ordered_json take(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end()) throw std::invalid_argument(std::string(name) + " is missing");
    ordered_json value = std::move(*found);
    json_.erase(found);
    return value;
  }

  ordered_json json_;
};

constexpr std::array<std::string_view, 4> kActions{"status", "arm", "clear", "interrupt"};
constexpr std::array<std::string_view, 5> kFaults{"error", "stuck", "register", "interrupt",
                                                  "removed"};
constexpr std::array<std::string_view, 2> kDirections{"read", "write"};
constexpr std::array<std::string_view, 2> kResponses{"slverr", "decerr"};
constexpr std::array<std::string_view, 2> kHows{"lost", "twice"};

Fault fault_of(Fields& fields) {
  switch (fields.choice("fault", kFaults)) {
    case 0: {
      ResponseFault fault{
          .port = fields.number<uint32_t>("port"),
          .write = fields.choice("direction", kDirections) == 1,
          .response =
              fields.choice("response", kResponses) == 0 ? Response::slverr : Response::decerr,
          .skip = fields.number_or<uint64_t>("skip", 0),
          .beats = fields.times("beats"),
      };
      if (fields.has("address")) fault.address = fields.number<uint64_t>("address");
      return fault;
    }
    case 1:
      return StuckFault{.port = fields.number<uint32_t>("port"),
                        .channel = static_cast<Channel>(fields.choice("channel", kChannelNames)),
                        .skip = fields.number_or<uint64_t>("skip", 0)};
    case 2:
      return RegisterFault{.offset = fields.number<uint32_t>("offset"),
                           .mask = fields.number<uint32_t>("mask"),
                           .value = fields.number<uint32_t>("value")};
    case 3:
      return InterruptFault{.line = fields.number<uint32_t>("line"),
                            .twice = fields.choice("how", kHows) == 1,
                            .messages = fields.times("messages")};
    default: return RemovedFault{};
  }
}

ordered_json status(const Card& card) {
  ordered_json ports = ordered_json::array();
  for (unsigned port = 0; port < card.ports(); ++port) {
    ordered_json counts;
    for (std::size_t i = 0; i < kChannelNames.size(); ++i)
      counts[std::string(kChannelNames[i])] = card.handshakes(port, static_cast<Channel>(i));
    ports.push_back(counts);
  }
  ordered_json faults = ordered_json::array();
  for (const ArmedFault& armed : card.faults())
    faults.push_back(
        {{"id", armed.id}, {"fault", kFaults[armed.fault.index()]}, {"hits", armed.hits}});
  return {{"ok", true},
          {"cycles", card.cycles()},
          {"vectors", card.vectors()},
          {"lines", card.lines()},
          {"messages", card.messages()},
          {"ports", ports},
          {"faults", faults}};
}

ordered_json execute(Card& card, Fields& fields) {
  ordered_json done{{"ok", true}};
  switch (fields.choice("do", kActions)) {
    case 0: fields.no_more(); return status(card);
    case 1: {
      const Fault fault = fault_of(fields);
      fields.no_more();
      done["id"] = card.arm(fault);
      return done;
    }
    case 2: {
      if (!fields.has("id")) {
        fields.no_more();
        card.clear_faults();
        return done;
      }
      const auto id = fields.number<uint32_t>("id");
      fields.no_more();
      if (!card.clear(id)) throw std::invalid_argument("no fault " + std::to_string(id));
      return done;
    }
    default: {
      const auto line = fields.number<uint32_t>("line");
      fields.no_more();
      card.send_unasked(line);
      return done;
    }
  }
}

}  // namespace

std::string answer_control(Card& card, std::string_view request) {
  ordered_json answer;
  try {
    Fields fields(request);
    answer = execute(card, fields);
  } catch (const std::invalid_argument& error) {
    answer = {{"ok", false}, {"error", error.what()}};
  }
  return answer.dump();
}

void ControlSocket::add_to(std::vector<pollfd>& entries) const {
  entries.push_back({.fd = socket_.descriptor(), .events = POLLIN, .revents = 0});
  for (const Client& client : clients_)
    entries.push_back({.fd = client.file.get(),
                       .events = static_cast<short>(client.out.empty() ? POLLIN : POLLIN | POLLOUT),
                       .revents = 0});
}

bool ControlSocket::wait(ControlSocket* control, int other, int timeout_ms) {
  std::vector<pollfd> entries{{.fd = other, .events = POLLIN, .revents = 0}};
  if (control != nullptr) control->add_to(entries);
  if (::poll(entries.data(), entries.size(), timeout_ms) <= 0) return false;
  const bool asked = std::any_of(entries.begin() + 1, entries.end(),
                                 [](const pollfd& entry) { return entry.revents != 0; });
  if (asked) control->serve();
  return entries.front().revents != 0;
}

void ControlSocket::serve() {
  for (File file = socket_.accept(0); file; file = socket_.accept(0))
    if (clients_.size() < kMaxClients) clients_.push_back({.file = std::move(file)});
  std::erase_if(clients_, [this](Client& client) { return !serve(client); });
}

bool ControlSocket::serve(Client& client) {
  std::array<char, kMaxLine> piece;
  const ssize_t got = ::recv(client.file.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
    return false;
  if (got > 0) client.in.append(piece.data(), static_cast<std::size_t>(got));
  std::size_t done = 0;
  for (std::size_t end; (end = client.in.find('\n', done)) != std::string::npos; done = end + 1) {
    if (end - done > kMaxLine) return false;
    client.out += answer_control(card_, std::string_view(client.in).substr(done, end - done));
    client.out += '\n';
  }
  client.in.erase(0, done);
  if (client.in.size() > kMaxLine) return false;
  if (client.out.empty()) return true;
  const ssize_t sent =
      ::send(client.file.get(), client.out.data(), client.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) client.out.erase(0, static_cast<std::size_t>(sent));
  if (client.out.size() > kMaxUnread) return false;
  return sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace sluice::cosim
