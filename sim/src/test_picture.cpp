// SPDX-License-Identifier: Apache-2.0
#include "test_picture.hpp"

#include <sl_test_picture.h>

#include <algorithm>
#include <array>

namespace sluice::sim {
namespace {

constexpr uint32_t kPictureEnable = SL_TEST_PICTURE_CONTROL_ENABLE_MASK;
constexpr uint32_t kFormat = SL_TEST_PICTURE_CONTROL_FORMAT_MASK;
constexpr uint32_t kFormatShift = SL_TEST_PICTURE_CONTROL_FORMAT_SHIFT;
constexpr uint32_t kNumberLines = 16;  // at the top and at the bottom

// Of each colour the word in each format; white, yellow, cyan, green, magenta, red, blue, black.
constexpr std::array<uint32_t, 8> kGrey = {0xffff'ffff, 0xe2e2'e2e2, 0xb3b3'b3b3, 0x9696'9696,
                                           0x6969'6969, 0x4c4c'4c4c, 0x1d1d'1d1d, 0};
constexpr std::array<uint32_t, 8> kRgb565 = {0xffff'ffff, 0xffe0'ffe0, 0x07ff'07ff, 0x07e0'07e0,
                                             0xf81f'f81f, 0xf800'f800, 0x001f'001f, 0};
constexpr std::array<uint32_t, 8> kYuyv = {0x80eb'80eb, 0x92d2'10d2, 0x10aa'a6aa, 0x2291'3691,
                                           0xde6a'ca6a, 0xf051'5a51, 0x6e29'f029, 0x8010'8010};

const std::array<uint32_t, 8>& words_of(uint32_t format) {
  switch (format) {
    case SL_TEST_PICTURE_CONTROL_FORMAT_GREY8: return kGrey;
    case SL_TEST_PICTURE_CONTROL_FORMAT_RGB565: return kRgb565;
    default: return kYuyv;
  }
}

}  // namespace

std::optional<uint32_t> TestPicture::load(uint32_t offset) const {
  switch (offset) {
    case SL_TEST_PICTURE_CONTROL_OFFSET:
      return (enabled_ ? kPictureEnable : 0U) | format_ << kFormatShift;
    case SL_TEST_PICTURE_WIDTH_OFFSET: return width_;
    case SL_TEST_PICTURE_HEIGHT_OFFSET: return height_;
    case SL_TEST_PICTURE_FRAME_OFFSET: return number_;
    default: return {};
  }
}

bool TestPicture::store(uint32_t offset, uint32_t value) {
  switch (offset) {
    case SL_TEST_PICTURE_CONTROL_OFFSET:
      enabled_ = (value & kPictureEnable) != 0;
      format_ = (value & kFormat) >> kFormatShift;
      break;
    case SL_TEST_PICTURE_WIDTH_OFFSET: width_ = value & SL_TEST_PICTURE_WIDTH_VALUE_MASK; break;
    case SL_TEST_PICTURE_HEIGHT_OFFSET: height_ = value & SL_TEST_PICTURE_HEIGHT_VALUE_MASK; break;
    default: return load(offset).has_value();  // read only
  }
  return true;
}

void TestPicture::clear() {
  beat_ = line_ = number_ = 0;
  bar_ = block_ = {};
}

uint32_t TestPicture::line_beats() const {
  const uint32_t pixel_bytes = format_ == SL_TEST_PICTURE_CONTROL_FORMAT_GREY8 ? 1 : 2;
  return std::max(width_ * pixel_bytes / beat_bytes_, 1U);
}

void TestPicture::Parts::step(uint32_t beats, uint32_t last) {
  ++beat;
  if (part == last || beat < beats) return;
  ++part;
  beat = 0;
}

uint32_t TestPicture::draw() {
  constexpr uint32_t kBars = 8, kBlocks = 32, kWhite = 0, kBlack = 7;
  const uint32_t beats = line_beats(), height = std::max(height_, 1U);
  // Lines beyond a height that has become less are not the last ones.
  const bool number = line_ < kNumberLines || ((height - line_ - 1) & 0xffff) < kNumberLines;
  const uint32_t bit = number_ >> block_.part & 1U;
  const uint32_t colour = number ? (bit != 0 ? kWhite : kBlack) : (bar_.part + number_) % kBars;
  const uint32_t word = words_of(format_)[colour];
  bar_.step(beats / kBars, kBars - 1);
  block_.step(beats / kBlocks, kBlocks - 1);
  if (++beat_ < beats) return word;
  beat_ = 0;
  bar_ = block_ = {};
  if (++line_ < height) return word;
  line_ = 0;
  ++number_;
  return word;
}

}  // namespace sluice::sim
