// SPDX-License-Identifier: Apache-2.0
// A GPU beside a simulated card, through the public interface: its memory as buffers, its copies,
// and the card's transfers to and from that memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sluice.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "opened_board.hpp"
#include "seed.hpp"

namespace {

using sluice::Board;
using sluice::channel;
using sluice::data;
using sluice::open_board;

sluice_buffer* host_buffer(const Board& board, uint64_t bytes) {
  sluice_buffer* made = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(board.get(), bytes, nullptr, 0, &made), 0) << sluice_last_error();
  return made;
}

sluice_buffer* gpu_buffer(const Board& board, uint64_t bytes) {
  const sluice_placement placement{
      .alignment = 0, .offset = 0, .memory = SLUICE_GPU_MEMORY, .reserved = 0};
  sluice_buffer* made = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(board.get(), bytes, &placement, sizeof placement, &made), 0)
      << sluice_last_error();
  return made;
}

sluice_buffer* card_buffer(const Board& board, uint64_t offset, uint64_t bytes) {
  sluice_buffer* made = nullptr;
  EXPECT_EQ(sluice_card_buffer(board.get(), offset, bytes, &made), 0) << sluice_last_error();
  return made;
}

void fill(sluice_buffer* of, std::mt19937& random) {
  std::generate_n(data(of), sluice_buffer_bytes(of),
                  [&] { return static_cast<uint8_t>(random()); });
}

int queue_copy(const Board& board, sluice_buffer* source, uint64_t from, sluice_buffer* destination,
               uint64_t to, uint64_t bytes, uint64_t cookie = 0) {
  const sluice_copy copy{.source = source,
                         .source_offset = from,
                         .destination = destination,
                         .destination_offset = to,
                         .bytes = bytes,
                         .cookie = cookie,
                         .timeout_ns = 0};
  return sluice_channel_copy(channel(board, "gpu0.copy"), &copy, 1, sizeof copy);
}

sluice_completion reap(const Board& board, const char* name) {
  sluice_completion completion{};
  EXPECT_EQ(sluice_channel_reap(channel(board, name), &completion, 1, sizeof completion, -1), 1)
      << sluice_last_error();
  return completion;
}

sluice_completion copy(const Board& board, sluice_buffer* source, uint64_t from,
                       sluice_buffer* destination, uint64_t to, uint64_t bytes) {
  EXPECT_EQ(queue_copy(board, source, from, destination, to, bytes), 1) << sluice_last_error();
  return reap(board, "gpu0.copy");
}

sluice_completion transfer(const Board& board, const char* name, sluice_buffer* of, uint64_t offset,
                           uint64_t card, uint64_t bytes) {
  const sluice_transfer one{.buffer = of,
                            .offset = offset,
                            .bytes = bytes,
                            .cookie = 0,
                            .timeout_ns = 0,
                            .flags = 0,
                            .reserved = 0,
                            .card_offset = card};
  EXPECT_EQ(sluice_channel_submit(channel(board, name), &one, 1, sizeof one), 1)
      << sluice_last_error();
  return reap(board, name);
}

class Gpu : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(
    Boards, Gpu,
    testing::Values("sim:pcie-gen2x4/xdma?gpu=quadro-m2000",
                    "sim:pcie-gen2x4/xdma?gpu=quadro-m2000&level=transaction",
                    "sim:pcie-gen2x4/xdma?gpu=quadro-m2000&model.mps=128&completions=poll",
                    "sim:pcie-gen3x8/xdma?gpu=quadro-m2000&level=transaction&model.gpu_mrrs=512&"
                    "model.p2p_window=4",
                    "sim:pcie-gen3x8/avmm?gpu=quadro-m2000&model.iotlb_entries=8"));

// By the card and by the GPU, round by every way there is: host, card, GPU.
TEST_P(Gpu, EveryPathMovesEveryByte) {
  const Board board = open_board(GetParam());
  constexpr uint64_t kBytes = 1 << 16;
  std::mt19937 random(static_cast<uint32_t>(sluice::test_seed()));
  sluice_buffer* host = host_buffer(board, kBytes);
  sluice_buffer* back = host_buffer(board, kBytes);
  sluice_buffer* gpu = gpu_buffer(board, kBytes);
  sluice_buffer* other = gpu_buffer(board, kBytes);
  sluice_buffer* card = card_buffer(board, 8192, kBytes);
  const bool aligned = GetParam().find("avmm") != std::string::npos;
  for (const uint64_t bytes : {uint64_t{4}, uint64_t{100}, uint64_t{5000}, kBytes / 2}) {
    const auto skip = [&] { return aligned ? 0 : random() % 1000 * 4; };
    fill(host, random);
    const uint64_t a = skip(), b = skip(), c = skip(), d = skip();
    // Host to GPU, GPU to card, card to GPU by the GPU; within; GPU to host.
    EXPECT_EQ(copy(board, host, a, gpu, b, bytes).status, 0);
    EXPECT_EQ(copy(board, gpu, b, card, c, bytes).status, 0);
    EXPECT_EQ(copy(board, card, c, other, d, bytes).status, 0);
    EXPECT_EQ(copy(board, other, d, gpu, c, bytes).status, 0);
    EXPECT_EQ(copy(board, gpu, c, back, b, bytes).status, 0);
    EXPECT_TRUE(std::equal(data(host) + a, data(host) + a + bytes, data(back) + b)) << bytes;
    // Card to GPU and GPU to card by the card.
    fill(host, random);
    EXPECT_EQ(transfer(board, "h2c0", host, a, 8192 + 4096 + b, bytes).status, 0);
    EXPECT_EQ(transfer(board, "c2h0", gpu, c, 8192 + 4096 + b, bytes).status, 0);
    EXPECT_TRUE(std::equal(data(host) + a, data(host) + a + bytes, data(gpu) + c)) << bytes;
    EXPECT_EQ(transfer(board, "h2c0", gpu, c, 40960 + d, bytes).status, 0);
    EXPECT_EQ(transfer(board, "c2h0", back, d, 40960 + d, bytes).status, 0);
    EXPECT_TRUE(std::equal(data(host) + a, data(host) + a + bytes, data(back) + d)) << bytes;
    EXPECT_TRUE(std::equal(data(host) + a, data(host) + a + bytes, data(card) + 40960 - 8192 + d));
  }
}

// A GPU's copy ends with an interrupt, where a card's transfer may end with a word of memory.
TEST_P(Gpu, ItsCopyOrACardsTransferEndsAWaitForBoth) {
  const Board board = open_board(GetParam());
  constexpr uint64_t kBytes = 1 << 20;
  sluice_buffer* host = host_buffer(board, kBytes);
  sluice_buffer* gpu = gpu_buffer(board, kBytes);
  const std::array<sluice_channel*, 2> both{channel(board, "h2c0"), channel(board, "gpu0.copy")};
  for (const size_t first : {1, 0}) {
    sluice_transfer transfer{};
    transfer.buffer = host;
    transfer.bytes = first == 0 ? 64 : kBytes;
    ASSERT_EQ(sluice_channel_submit(both[0], &transfer, 1, sizeof transfer), 1);
    ASSERT_EQ(queue_copy(board, gpu, 0, host, 0, first == 1 ? 64 : kBytes), 1);
    for (const size_t next : {first, 1 - first}) {
      unsigned index = 7;
      ASSERT_EQ(sluice_channel_wait_any(both.data(), 2, -1, &index), 1) << sluice_last_error();
      EXPECT_EQ(index, next);
      EXPECT_EQ(reap(board, next == 0 ? "h2c0" : "gpu0.copy").status, 0);
    }
  }
}

TEST_P(Gpu, ItsCopiesAndTheCardsTransfersGoOnBesideEachOther) {
  const Board board = open_board(GetParam());
  constexpr uint64_t kBytes = 1 << 20;
  std::mt19937 random(static_cast<uint32_t>(sluice::test_seed()));
  sluice_buffer* host = host_buffer(board, kBytes);
  sluice_buffer* in = host_buffer(board, kBytes / 2);
  sluice_buffer* gpu = gpu_buffer(board, kBytes);
  fill(host, random);
  fill(gpu, random);
  for (uint64_t i = 0; i < 4; ++i)
    ASSERT_EQ(queue_copy(board, gpu, i * 65536, host, i * 65536, 65536, i), 1);
  const uint64_t begin = sluice_board_now_ns(board.get());
  EXPECT_EQ(transfer(board, "h2c0", host, kBytes / 2, 0, kBytes / 4).status, 0);
  EXPECT_EQ(transfer(board, "c2h0", in, 0, 0, kBytes / 4).status, 0);
  for (uint64_t i = 0; i < 4; ++i) {
    const sluice_completion ended = reap(board, "gpu0.copy");
    EXPECT_EQ(ended.cookie, i);
    EXPECT_EQ(ended.bytes, 65536U);
    EXPECT_GT(ended.start_ns + 2 * 65536, begin);
  }
  EXPECT_TRUE(std::equal(data(gpu), data(gpu) + 262144, data(host)));
  EXPECT_TRUE(std::equal(data(host) + kBytes / 2, data(host) + kBytes / 2 + kBytes / 4, data(in)));
}

// A file of pages, as an exporter's memory that lets programs map it.
struct File {
  explicit File(off_t bytes) : fd(memfd_create("peer", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_EQ(ftruncate(fd, bytes), 0);
  }
  ~File() { close(fd); }
  int fd;
};

sluice_buffer* import_buffer(const Board& board, int fd) {
  sluice_buffer* made = nullptr;
  EXPECT_EQ(sluice_buffer_import(board.get(), fd, &made), 0) << sluice_last_error();
  return made;
}

// Memory of a file is a peer of any card: its DMA and a GPU's copies reach it.
TEST(GpuImports, ReachAFileThatCanBeMapped) {
  for (const char* uri : {"sim:pcie-gen2x4/xdma", "sim:pcie-gen3x8/avmm?gpu=quadro-m2000",
                          "sim:pcie-gen2x4/xdma?gpu=quadro-m2000&level=transaction"}) {
    const Board board = open_board(uri);
    std::mt19937 random(static_cast<uint32_t>(sluice::test_seed()));
    std::vector<sluice_buffer*> imported;
    for (int i = 0; i < 3; ++i) {
      const File file(65536);
      imported.push_back(import_buffer(board, file.fd));
      ASSERT_NE(imported.back(), nullptr);
      EXPECT_EQ(sluice_buffer_bytes(imported.back()), 65536U);
      fill(imported.back(), random);
    }
    // A buffer is freed between two others, and the next one takes its place.
    EXPECT_EQ(sluice_buffer_free(imported[1]), 0);
    const File file(65536);
    imported[1] = import_buffer(board, file.fd);
    EXPECT_EQ(transfer(board, "h2c0", imported[0], 0, 0, 65536).status, 0);
    EXPECT_EQ(transfer(board, "c2h0", imported[1], 0, 0, 65536).status, 0);
    std::vector<uint8_t> seen(65536);
    ASSERT_EQ(pread(file.fd, seen.data(), seen.size(), 0), 65536);
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), data(imported[0])));
    if (std::string(uri).find("gpu=") == std::string::npos) continue;
    sluice_buffer* gpu = gpu_buffer(board, 65536);
    EXPECT_EQ(copy(board, imported[2], 100, gpu, 0, 30000).status, 0);
    EXPECT_EQ(copy(board, gpu, 0, imported[1], 5, 30000).status, 0);
    EXPECT_TRUE(
        std::equal(data(imported[2]) + 100, data(imported[2]) + 30100, data(imported[1]) + 5));
  }
}

TEST(GpuImports, AreRefusedInAWord) {
  const Board board = open_board("sim:pcie-gen2x4/xdma");
  sluice_buffer* made = nullptr;
  const auto fails = [&](int fd, int error, const char* text) {
    EXPECT_EQ(sluice_buffer_import(board.get(), fd, &made), -error);
    EXPECT_NE(std::string(sluice_last_error()).find(text), std::string::npos)
        << sluice_last_error();
  };
  fails(999, EBADF, "is not an open descriptor");
  const File odd(100);
  fails(odd.fd, EINVAL, "whole pages");
  const int loose = memfd_create("loose", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(loose, 8192), 0);
  fails(loose, EINVAL, "may shrink");
  close(loose);
  // A file on a disk knows no seals.
  char name[] = "/var/tmp/sluice-XXXXXX";
  const int disk = mkstemp(name);
  ASSERT_GE(disk, 0);
  unlink(name);
  ASSERT_EQ(ftruncate(disk, 8192), 0);
  fails(disk, EINVAL, "may shrink");
  close(disk);
  // The descriptor stays as it was, but for the seal.
  const File file(8192);
  ASSERT_EQ(lseek(file.fd, 10, SEEK_SET), 10);
  sluice_buffer* imported = import_buffer(board, file.fd);
  EXPECT_EQ(lseek(file.fd, 0, SEEK_CUR), 10);
  EXPECT_NE(ftruncate(file.fd, 4096), 0);
  EXPECT_EQ(sluice_buffer_free(imported), 0);
  const int constant = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  sluice_buffer_import(board.get(), constant, &made);
  EXPECT_EQ(made, nullptr);
  close(constant);
  const Board zynq = open_board("sim:zynq7010/hp_stress");
  const File good(4096);
  EXPECT_EQ(sluice_buffer_import(zynq.get(), good.fd, &made), -ENOTSUP);
}

TEST(GpuErrors, AreSaidInAWord) {
  const auto fails = [](int result, int error, const char* text) {
    EXPECT_EQ(result, -error);
    EXPECT_NE(std::string(sluice_last_error()).find(text), std::string::npos)
        << sluice_last_error();
  };
  const Board board = open_board("sim:pcie-gen2x4/xdma?gpu=quadro-m2000");
  sluice_buffer* host = host_buffer(board, 4096);
  sluice_buffer* gpu = gpu_buffer(board, 4096);
  sluice_buffer* card = card_buffer(board, 0, 4096);
  fails(queue_copy(board, host, 0, card, 0, 64), EINVAL, "neither side");
  fails(queue_copy(board, gpu, 0, host, 64, 4096), EINVAL, "exceed the buffer");
  const sluice_transfer itself{.buffer = card,
                               .offset = 0,
                               .bytes = 64,
                               .cookie = 0,
                               .timeout_ns = 0,
                               .flags = 0,
                               .reserved = 0,
                               .card_offset = 0};
  fails(sluice_channel_submit(channel(board, "c2h0"), &itself, 1, sizeof itself), EINVAL,
        "both sides");
  sluice_buffer* made = nullptr;
  sluice_board_info info{};
  ASSERT_EQ(sluice_board_get_info(board.get(), &info, sizeof info), 0);
  fails(sluice_card_buffer(board.get(), info.card_bytes, 1, &made), EINVAL, "exceed the card");
  fails(sluice_card_buffer(board.get(), 0, 0, &made), EINVAL, "at least 1 byte");
  const sluice_placement huge{
      .alignment = 0, .offset = 0, .memory = SLUICE_GPU_MEMORY, .reserved = 0};
  fails(sluice_buffer_alloc(board.get(), uint64_t{1} << 40, &huge, sizeof huge, &made), ENOMEM,
        "the GPU has");
  const sluice_placement unknown{.alignment = 0, .offset = 0, .memory = 7, .reserved = 0};
  fails(sluice_buffer_alloc(board.get(), 4096, &unknown, sizeof unknown, &made), EINVAL,
        "must be 0 (host), 1 (GPU) or 2 (on-chip), not 7");

  const Board without = open_board("sim:pcie-gen2x4/xdma");
  fails(sluice_buffer_alloc(without.get(), 4096, &huge, sizeof huge, &made), ENOTSUP, "no GPU");
  const Board zynq = open_board("sim:zynq7010/hp_stress");
  fails(sluice_card_buffer(zynq.get(), 0, 4096, &made), ENOTSUP, "not a card with memory");
  sluice_channel* found = nullptr;
  EXPECT_EQ(sluice_board_find_channel(without.get(), "gpu0.copy", &found), -ENOENT);
  sluice_board* opened = nullptr;
  fails(sluice_board_open("sim:pcie-gen2x4/xdma?gpu=voodoo", &opened), EINVAL, "quadro-m2000");
  fails(sluice_board_open("sim:pcie-gen2x4/xdma?model.gpu_window=2", &opened), EINVAL,
        "gpu=quadro-m2000");
  fails(sluice_board_open("sim:zynq7010/hp_stress?gpu=quadro-m2000", &opened), EINVAL, "gpu");
}

TEST(GpuBuffers, AreFreedAndHadAgain) {
  const Board board = open_board("sim:pcie-gen2x4/xdma?gpu=quadro-m2000");
  const uint64_t all = uint64_t{256} << 20;
  sluice_buffer* whole = gpu_buffer(board, all);
  data(whole)[all - 1] = 9;
  ASSERT_EQ(queue_copy(board, whole, 0, host_buffer(board, 4096), 0, 4096), 1);
  EXPECT_EQ(sluice_buffer_free(whole), -EBUSY);
  reap(board, "gpu0.copy");
  EXPECT_EQ(sluice_buffer_free(whole), 0);
  sluice_buffer* again = gpu_buffer(board, all);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(data(again)[all - 1], 0);
}

// Whatever the settings make of it.
TEST(GpuCopies, OfLongAreCancelledToo) {
  const Board board = open_board(
      "sim:pcie-gen2x4/xdma?gpu=quadro-m2000&level=transaction&model.p2p_read_ns=100000");
  sluice_buffer* gpu = gpu_buffer(board, 32 << 20);
  sluice_buffer* card = card_buffer(board, 0, 32 << 20);
  ASSERT_EQ(queue_copy(board, card, 0, gpu, 0, 32 << 20), 1);
  EXPECT_EQ(sluice_channel_cancel(channel(board, "gpu0.copy")), 0) << sluice_last_error();
  EXPECT_EQ(reap(board, "gpu0.copy").status, -ECANCELED);
  EXPECT_GT(sluice_board_now_ns(board.get()), 13'000'000'000U);
  EXPECT_EQ(copy(board, gpu, 0, gpu, 4096, 4096).status, 0);
}

TEST(GpuCopies, AreCancelledBehindTheOneUnderWay) {
  const Board board = open_board("sim:pcie-gen2x4/xdma?gpu=quadro-m2000&level=transaction");
  sluice_buffer* host = host_buffer(board, 1 << 20);
  sluice_buffer* gpu = gpu_buffer(board, 1 << 20);
  for (uint64_t i = 0; i < 3; ++i) ASSERT_EQ(queue_copy(board, host, 0, gpu, 0, 1 << 20, i), 1);
  EXPECT_EQ(sluice_channel_cancel(channel(board, "gpu0.copy")), 0) << sluice_last_error();
  for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(reap(board, "gpu0.copy").status, -ECANCELED);
  EXPECT_EQ(copy(board, host, 0, gpu, 0, 4096).status, 0);
}

}  // namespace
