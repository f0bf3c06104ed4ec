// SPDX-License-Identifier: Apache-2.0
// A capture against bytes that were put together by hand after the specification.
#include "sluice/model/tlp_capture.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace sluice::model {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kFileHeader = 24, kRecordHeader = 16, kAround = 14 + 20 + 8 + 6;

Bytes read_all(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Capture : testing::Test {
  ~Capture() override { ::unlink(name.c_str()); }
  // The packet as it stands in the file, without what is around it.
  Bytes written(const Tlp& tlp) {
    {
      TlpCapture capture(name, 0x0100);
      capture.packet(5'000'007'000, tlp);
      EXPECT_FALSE(capture.failed());
    }
    Bytes all = read_all(name);
    EXPECT_GT(all.size(), kFileHeader + kRecordHeader + kAround);
    return {all.begin() + kFileHeader + kRecordHeader + kAround, all.end()};
  }
  std::string name = testing::TempDir() + "tlp-" + std::to_string(::getpid()) + ".pcap";
};

TEST_F(Capture, AReadOfFourDwordsOfHeader) {
  EXPECT_EQ(written({.kind = Tlp::Kind::memory_read,
                     .upstream = true,
                     .tag = 7,
                     .address = 0x1'2345'6780,
                     .bytes = 512}),
            (Bytes{0x20, 0, 0, 0x80, 1, 0, 7, 0xff, 0, 0, 0, 1, 0x23, 0x45, 0x67, 0x80}));
}

TEST_F(Capture, AWriteOfAFewBytes) {
  const std::array<std::uint8_t, 3> data{0xaa, 0xbb, 0xcc};
  EXPECT_EQ(written({.kind = Tlp::Kind::memory_write,
                     .upstream = false,
                     .tag = 1,
                     .address = 0xf000'0003,
                     .bytes = 3,
                     .data = data.data()}),
            (Bytes{0x40, 0, 0, 2, 0, 0, 1, 0x38, 0xf0, 0, 0, 0, 0, 0, 0, 0xaa, 0xbb, 0xcc, 0, 0}));
  // In one dword the last enables are 0.
  EXPECT_EQ(written({.kind = Tlp::Kind::memory_write,
                     .upstream = false,
                     .address = 0xf000'0001,
                     .bytes = 2,
                     .data = data.data()})[7],
            0x06);
}

TEST_F(Capture, Completions) {
  const std::array<std::uint8_t, 4> data{1, 2, 3, 4};
  EXPECT_EQ(written({.kind = Tlp::Kind::completion,
                     .upstream = false,
                     .tag = 9,
                     .address = 0x1'0000'00c4,
                     .bytes = 4,
                     .byte_count = 60,
                     .data = data.data()}),
            (Bytes{0x4a, 0, 0, 1, 0, 0, 0, 60, 1, 0, 9, 0x44, 1, 2, 3, 4}));
  EXPECT_EQ(written({.kind = Tlp::Kind::completion,
                     .upstream = true,
                     .status = 1,
                     .tag = 9,
                     .address = 0x40,
                     .bytes = 0,
                     .byte_count = 4}),
            (Bytes{0x0a, 0, 0, 0, 1, 0, 0x20, 4, 0, 0, 9, 0x40}));
}

TEST_F(Capture, StandsInDatagramsWithTimes) {
  written(
      {.kind = Tlp::Kind::memory_read, .upstream = true, .tag = 3, .address = 0x1000, .bytes = 4});
  const Bytes all = read_all(name);
  EXPECT_EQ(Bytes(all.begin(), all.begin() + 8), (Bytes{0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4}));
  const auto record = all.begin() + kFileHeader;
  const auto size = static_cast<std::uint8_t>(all.size() - kFileHeader - kRecordHeader);
  EXPECT_EQ(Bytes(record, record + kRecordHeader),  // 5.000007 ms
            (Bytes{0, 0, 0, 0, 0, 0x4c, 0x4b, 0x47, 0, 0, 0, size, 0, 0, 0, size}));
  const auto ip = record + kRecordHeader + 14;
  std::uint32_t sum = 0;
  for (int i = 0; i < 20; i += 2) sum += std::uint32_t{ip[i]} << 8U | ip[i + 1];
  EXPECT_EQ((sum & 0xffffU) + (sum >> 16U), 0xffffU);
  EXPECT_EQ(Bytes(ip + 20, ip + 24), (Bytes{0x30, 3, 0x30, 3}));
}

TEST(CaptureFile, ThatTakesNoMoreSaysSo) {
  TlpCapture capture("/dev/full", 0);  // the header stays in memory
  const std::vector<std::uint8_t> data(4096);
  for (unsigned i = 0; i < 100; ++i)
    capture.packet(i, {.kind = Tlp::Kind::memory_write,
                       .upstream = true,
                       .address = 0,
                       .bytes = 4096,
                       .data = data.data()});
  EXPECT_TRUE(capture.failed());
}

TEST(CaptureFile, WhoseEndCannotBeWrittenSaysSo) {
  testing::internal::CaptureStderr();
  {
    TlpCapture capture("/dev/full", 0);
    capture.packet(0, {.kind = Tlp::Kind::memory_read, .upstream = true, .address = 0, .bytes = 4});
    EXPECT_FALSE(capture.failed());
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sluice: /dev/full lacks the last packets of the link: No space left on device\n");
}

TEST(CaptureFile, ThatCannotBeWrittenIsRefused) {
  EXPECT_THROW(TlpCapture("/nonexistent/file", 0), std::system_error);
}

}  // namespace
}  // namespace sluice::model
