// SPDX-License-Identifier: Apache-2.0
// TestPicture: sl_test_picture on the transaction level: the beats of a moving test picture.
#pragma once

#include <cstdint>
#include <optional>

namespace sluice::sim {

class TestPicture {
 public:
  // Of a stream of so many bits: 32 or 64.
  explicit TestPicture(unsigned width_bits) : beat_bytes_(width_bits / 8) {}

  // offset: among its registers. Nothing, and false: there is no such register.
  [[nodiscard]] std::optional<uint32_t> load(uint32_t offset) const;
  bool store(uint32_t offset, uint32_t value);

  [[nodiscard]] bool enabled() const { return enabled_; }
  // Of the next beat: its word of 32 bits; one of 64 bits has it twice.
  uint32_t draw();
  // The next beat is the first of picture 0.
  void clear();

 private:
  // Bars or blocks of a line: parts of whole beats, the last one has what is left over.
  struct Parts {
    uint32_t part = 0, beat = 0;
    void step(uint32_t beats, uint32_t last);
  };

  [[nodiscard]] uint32_t line_beats() const;

  uint32_t beat_bytes_;
  bool enabled_ = false;
  uint32_t format_ = 0, width_ = 640, height_ = 480;
  uint32_t beat_ = 0, line_ = 0, number_ = 0;
  Parts bar_, block_;
};

}  // namespace sluice::sim
