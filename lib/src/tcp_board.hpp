// SPDX-License-Identifier: Apache-2.0
// A board that another program serves: its channels for captures, its attributes, its clock.
#pragma once

#include <sluice.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "board.hpp"
#include "tcp_capture.hpp"
#include "tcp_link.hpp"

namespace sluice::tcp {

// Memory of this process, into which the link receives.
class Buffer final : public sluice_buffer {
 public:
  // Error(ENOMEM): there is no room.
  Buffer(sluice_board& board, uint64_t bytes);
  ~Buffer() override;

  [[nodiscard]] void* data() const override { return data_; }
  [[nodiscard]] bool busy() const override { return false; }
  [[nodiscard]] bool captured() const { return captured_; }
  void set_captured(bool captured) { captured_ = captured; }

 private:
  void* data_;
  bool captured_ = false;
};

class Board final : public sluice_board, public Link::Receiver, public RemoteCapture::Board {
 public:
  // Connects. `uri` is the board's in sentences, `served` its name at the server.
  Board(std::string uri, const std::string& host, uint16_t port, const std::string& served);
  ~Board() override;

  [[nodiscard]] sluice_board_info info() const override { return info_; }
  [[nodiscard]] uint64_t now_ns() const override;
  void sleep_ns(uint64_t ns) override;
  uint64_t cpu_work(const sluice_cpu_work& work) override;
  [[nodiscard]] const std::vector<std::unique_ptr<sluice_channel>>& channels() const override {
    return channels_;
  }
  std::optional<size_t> wait_any(std::span<sluice_channel* const> channels,
                                 int64_t timeout_ns) override;
  sluice_buffer& allocate(uint64_t bytes, const sluice_placement& placement) override;
  [[nodiscard]] uint64_t card_bytes() const override;
  sluice_buffer& map_card(uint64_t offset, uint64_t bytes) override;
  void free(sluice_buffer& buffer) override;
  sluice_buffer& import(int fd) override;
  [[nodiscard]] std::vector<sluice_attribute_info> attributes() const override;
  uint64_t get_attribute(std::string_view name) override;
  void set_attribute(std::string_view name, uint64_t value) override;
  sluice::RawAccess& raw() override;
  sluice_hwt& open_hwt(unsigned number) override;
  std::optional<sluice_hwt_fault> next_fault(int64_t timeout_ns) override;

  // What a channel asks: about itself.
  [[nodiscard]] sluice_channel_info channel_info(uint16_t index);
  [[noreturn]] void refuse(std::string_view what) const;

 private:
  // Link::Receiver
  uint8_t* place(uint16_t channel, const Record& record) override;
  void arrived(uint16_t channel, const Record& record) override;
  void take(const Header& header, const uint8_t* content) override;

  // RemoteCapture::Board
  Started start(uint16_t channel, const sluice_capture& capture) override;
  sluice_capture_status stop(uint16_t channel) override;
  void credit(uint16_t channel, uint64_t below) override;
  void pass(uint16_t channel, uint64_t period, int64_t timeout_ns) override;
  bool receive(int64_t timeout_ns, bool owed) override { return link_->receive(timeout_ns, owed); }
  bool take_what_came() noexcept override;
  [[nodiscard]] bool simulated() const override { return info_.simulated_time != 0; }
  [[nodiscard]] bool failed() const override {
    return link_ == nullptr || link_->failure().has_value();
  }

  nlohmann::json ask(nlohmann::json call);
  void receive_uninterrupted();
  RemoteCapture& capture_of(uint16_t channel);

  std::string uri_;
  sluice_board_info info_{};
  std::vector<std::unique_ptr<sluice_channel>> channels_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  mutable std::vector<sluice_attribute_info> attributes_;  // empty: not asked for yet
  uint64_t calls_ = 0, waits_ = 0;
  std::unique_ptr<nlohmann::json> answer_;  // to the call that is out
  Waited waited_{};                         // the last
  uint64_t server_ns_ = 0;                  // the board's clock, as it was told last ...
  uint64_t here_ns_ = 0;                    // ... and ours then
  mutable uint64_t last_ns_ = 0;            // now_ns() never goes back
  std::unique_ptr<Link> link_;
};

}  // namespace sluice::tcp
