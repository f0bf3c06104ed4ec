// SPDX-License-Identifier: Apache-2.0
// The control channel: every request is answered, none that is wrong changes anything, and no
// client holds the card up.
#include "sluice/cosim/card_control.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "card_fixture.hpp"

namespace sluice::cosim {
namespace {

using nlohmann::json;

const std::vector<std::string> kGood{
    R"({"do":"status"})",
    R"({"do":"arm","fault":"error","port":0,"direction":"read","response":"slverr"})",
    R"({"do":"arm","fault":"error","port":3,"direction":"write","response":"decerr","skip":7,)"
    R"("beats":0,"address":1073741824})",
    R"({"do":"arm","fault":"stuck","port":1,"channel":"aw","skip":2})",
    R"({"do":"arm","fault":"register","offset":48,"mask":4,"value":4})",
    R"({"do":"arm","fault":"interrupt","line":7,"how":"lost","messages":0})",
    R"({"do":"arm","fault":"interrupt","line":0,"how":"twice"})",
    R"({"do":"arm","fault":"removed"})",
    R"({"do":"interrupt","line":2})",
    R"({"do":"clear","id":1})",
    R"({"do":"clear"})",
};

class CardControl : public CardFixture {
 protected:
  CardControl() : CardFixture(64) {}

  json ask(const std::string& line) { return json::parse(answer_control(card, line)); }
};

TEST_F(CardControl, GoodRequestsAreDone) {
  for (const std::string& line : kGood) EXPECT_EQ(ask(line)["ok"], true) << line;
  EXPECT_TRUE(card.faults().empty());
}

TEST_F(CardControl, WhatWasAskedForIsArmed) {
  for (std::size_t i = 1; i <= 7; ++i) EXPECT_EQ(ask(kGood[i])["id"], i);
  const std::vector<Fault> wanted{
      ResponseFault{.port = 0, .write = false, .response = model::Response::slverr},
      ResponseFault{.port = 3,
                    .write = true,
                    .response = model::Response::decerr,
                    .skip = 7,
                    .beats = kForEver,
                    .address = 0x4000'0000},
      StuckFault{.port = 1, .channel = Channel::aw, .skip = 2},
      RegisterFault{.offset = 48, .mask = 4, .value = 4},
      InterruptFault{.line = 7, .twice = false, .messages = kForEver},
      InterruptFault{.line = 0, .twice = true},
      RemovedFault{}};
  std::vector<Fault> armed;
  for (const ArmedFault& one : card.faults()) armed.push_back(one.fault);
  EXPECT_EQ(armed, wanted);
}

TEST_F(CardControl, StatusSaysWhatTheCardDoes) {
  ask(kGood[4]);
  const json status = ask(kGood[0]);
  EXPECT_EQ(status["vectors"], kLines);
  EXPECT_EQ(status["lines"], 0u);
  EXPECT_EQ(status["messages"], 0u);
  EXPECT_GT(status["cycles"].get<uint64_t>(), 0u);
  EXPECT_EQ(status["ports"].size(), 4u);
  EXPECT_EQ(status["ports"][0], json::parse(R"({"ar":0,"r":0,"aw":0,"w":0,"b":0})"));
  EXPECT_EQ(status["faults"], json::parse(R"([{"id":1,"fault":"register","hits":0}])"));
}

TEST_F(CardControl, WrongRequestsAreRefusedAndChangeNothing) {
  for (const char* line :
       {"",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        R"({"do":7})",
        R"({"do":"dance"})",
        R"({"do":"status","x":1})",
        R"({"do":"arm"})",
        R"({"do":"arm","fault":"flood"})",
        R"({"do":"arm","fault":"removed","port":0})",
        R"({"do":"arm","fault":"stuck","port":4,"channel":"r"})",
        R"({"do":"arm","fault":"stuck","port":-1,"channel":"r"})",
        R"({"do":"arm","fault":"stuck","port":4294967296,"channel":"r"})",
        R"({"do":"arm","fault":"stuck","port":0,"channel":"x"})",
        R"({"do":"arm","fault":"stuck","port":0,"channel":"r","skip":1.5})",
        R"({"do":"arm","fault":"error","port":0,"direction":"read","response":"okay"})",
        R"({"do":"arm","fault":"error","port":0,"direction":"up","response":"slverr"})",
        R"({"do":"arm","fault":"register","offset":2,"mask":1,"value":1})",
        R"({"do":"arm","fault":"register","offset":1048576,"mask":1,"value":1})",
        R"({"do":"arm","fault":"interrupt","line":8,"how":"lost"})",
        R"({"do":"arm","fault":"interrupt","line":0,"how":"late"})",
        R"({"do":"interrupt","line":8})",
        R"({"do":"clear","id":1})",
        "{\"do\":\"\xff\"}",
        "\xff"}) {
    const json answer = ask(line);
    EXPECT_EQ(answer["ok"], false) << line;
    EXPECT_FALSE(answer["error"].get<std::string>().empty()) << line;
  }
  EXPECT_TRUE(card.faults().empty());
}

TEST_F(CardControl, ThereIsAnEndToFaults) {
  for (std::size_t i = 0; i < Card::kMaxFaults; ++i) EXPECT_EQ(ask(kGood[4])["ok"], true);
  EXPECT_EQ(ask(kGood[4])["ok"], false);
  EXPECT_EQ(card.faults().size(), Card::kMaxFaults);
}

// 20,000 requests, or with SLUICE_FULL in the environment 1,000,000: right ones with a few bytes
// changed, cut or joined.
TEST_F(CardControl, WhateverIsAskedIsAnswered) {
  const unsigned long requests = std::getenv("SLUICE_FULL") != nullptr ? 1'000'000 : 20'000;
  std::mt19937_64 random(test_seed());
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  unsigned long done = 0;
  for (unsigned long i = 0; i < requests && !HasFailure(); ++i) {
    std::string line = kGood[below(kGood.size())];
    for (std::size_t changes = below(4); changes > 0; --changes) {
      const std::size_t at = below(line.size());
      switch (below(4)) {
        case 0: line[at] = static_cast<char>(random()); break;
        case 1: line[at] = "{}[]\",:0123456789-e.\\"[below(21)]; break;
        case 2: line.erase(at, 1 + below(8)); break;
        default: line.insert(at, kGood[below(kGood.size())].substr(below(10), below(30)));
      }
      if (line.empty()) line = " ";
    }
    const json answer = ask(line);
    ASSERT_TRUE(answer["ok"].is_boolean()) << line;
    EXPECT_EQ(answer.contains("error"), answer["ok"] == false) << line;
    done += answer["ok"] == true ? 1 : 0;
    if (card.faults().size() == Card::kMaxFaults) card.clear_faults();
  }
  // Neither all right nor all wrong.
  EXPECT_GT(done, requests / 10);
  EXPECT_LT(done, requests - requests / 10);
}

class ControlPath : public CardControl {
 protected:
  std::filesystem::path folder = [] {
    std::string name = std::filesystem::temp_directory_path() / "card-control-XXXXXX";
    return std::filesystem::path(::mkdtemp(name.data()));
  }();
  ControlSocket socket{card, folder / "control"};
  ~ControlPath() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] File connect() {
    File file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder / "control";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(file.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socket.serve();
    return file;
  }
  static void send(const File& file, const std::string& text) {
    ::send(file.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  // What has come; nothing if the other end has gone, or said nothing.
  static std::string receive(const File& file) {
    std::string text(1 << 20, '\0');
    const ssize_t got = ::recv(file.get(), text.data(), text.size(), MSG_DONTWAIT);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
  }
  static bool gone(const File& file) {
    char byte = 0;
    return ::recv(file.get(), &byte, 1, MSG_DONTWAIT) == 0 || errno == ECONNRESET;
  }
};

TEST_F(ControlPath, LinesAreAnsweredInOrderHoweverTheyArrive) {
  const File file = connect();
  send(file, "{\"do\":\"clear\"}\n{\"do\":");
  socket.serve();
  EXPECT_EQ(receive(file), "{\"ok\":true}\n");
  send(file, "\"clear\",\"id\":9}\n\n");
  socket.serve();
  EXPECT_EQ(receive(file),
            "{\"ok\":false,\"error\":\"no fault 9\"}\n"
            "{\"ok\":false,\"error\":\"not a JSON object\"}\n");
}

TEST_F(ControlPath, ALineWithoutEndEndsTheConnection) {
  const File file = connect();
  const File other = connect();
  for (unsigned i = 0; i < 3; ++i) {
    send(file, std::string(ControlSocket::kMaxLine / 2, ' '));
    socket.serve();
  }
  EXPECT_TRUE(gone(file));
  send(other, "{\"do\":\"clear\"}\n");
  socket.serve();
  EXPECT_EQ(receive(other), "{\"ok\":true}\n");
}

TEST_F(ControlPath, WhoReadsNoAnswersIsSentAway) {
  const File file = connect();
  for (unsigned i = 0; i < 10'000 && !testing::Test::HasFailure(); ++i) {
    send(file, "{\"do\":\"status\"}\n{\"do\":\"status\"}\n");
    socket.serve();
  }
  while (!receive(file).empty()) {
  }
  EXPECT_TRUE(gone(file));
}

TEST_F(ControlPath, ThereIsAnEndToClients) {
  std::vector<File> files;
  for (std::size_t i = 0; i <= ControlSocket::kMaxClients; ++i) files.push_back(connect());
  EXPECT_FALSE(gone(files.front()));
  EXPECT_TRUE(gone(files.back()));
}

TEST_F(ControlPath, WaitingServesItAndTellsOfOthers) {
  const File file = connect();
  const File other = event();
  EXPECT_FALSE(ControlSocket::wait(&socket, other.get(), 0));
  send(file, "{\"do\":\"clear\"}\n");
  EXPECT_FALSE(ControlSocket::wait(&socket, other.get(), 1000));
  EXPECT_EQ(receive(file), "{\"ok\":true}\n");
  const uint64_t one = 1;
  ASSERT_EQ(::write(other.get(), &one, sizeof one), ssize_t{sizeof one});
  EXPECT_TRUE(ControlSocket::wait(&socket, other.get(), 1000));
  EXPECT_TRUE(ControlSocket::wait(nullptr, other.get(), 1000));
}

}  // namespace
}  // namespace sluice::cosim
