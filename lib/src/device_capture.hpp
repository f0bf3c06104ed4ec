// SPDX-License-Identifier: Apache-2.0
// Capture by the driver: its calls, and its status, which is mapped.
#pragma once

#include "board.hpp"
#include "device_memory.hpp"
#include "uapi.hpp"

namespace sluice {

class DeviceBuffer;
class DeviceChannel;

class DeviceCapture final : public Capture {
 public:
  explicit DeviceCapture(DeviceChannel& channel) : channel_(channel) {}
  ~DeviceCapture() override;

  void start(const sluice_capture& capture) override;
  [[nodiscard]] bool started() const override { return mapping_.there(); }
  std::optional<uint64_t> wait(uint64_t period, int64_t timeout_ns) override;
  [[nodiscard]] std::optional<sluice_capture_period> period(uint64_t period) const override;
  [[nodiscard]] std::optional<sluice_capture_loss> loss(uint64_t index) const override;
  [[nodiscard]] sluice_capture_status status() const override;
  void read(uint64_t period, void* data, uint64_t bytes) override;
  sluice_capture_answer release(uint64_t period) override;
  void stop() override;

  [[nodiscard]] bool running() const { return started() && status().running != 0; }
  // The channel's node is being closed, which ends the capture.
  void forget();

 private:
  [[nodiscard]] const uapi::sluice_capture_status& told() const {
    return *mapping_.at<const uapi::sluice_capture_status>();
  }
  // What `read` makes of the status while nobody writes it.
  template <typename Read>
  auto consistent(Read read) const;

  DeviceChannel& channel_;
  DeviceBuffer* buffer_ = nullptr;
  uint64_t place_ = 0;  // of period 0 in the memory of the buffer
  uint64_t period_bytes_ = 0;
  uint32_t periods_ = 0;
  Mapping mapping_;
};

}  // namespace sluice
