// SPDX-License-Identifier: Apache-2.0
// Work of a board's CPU: what it takes, what it leaves behind, what is refused.
#include <gtest/gtest.h>

#include <cerrno>
#include <numeric>
#include <sluice.hpp>

namespace {

using namespace sluice;

constexpr uint64_t kBytes = 1 << 20;

struct CpuWork : testing::Test {
  double mb_s(const sluice_cpu_work& work) {
    uint64_t elapsed_ps = 0;
    check(sluice_board_cpu_work(board.get(), &work, sizeof work, &elapsed_ps));
    return static_cast<double>(work.bytes) / static_cast<double>(elapsed_ps) * 1e6;
  }
  int refused(sluice_cpu_work work) {
    uint64_t elapsed_ps = 0;
    return sluice_board_cpu_work(board.get(), &work, sizeof work, &elapsed_ps);
  }

  BoardHandle board = open_board("sim:zynq7010/hp_stress?level=transaction");
  BufferHandle source = allocate(board.get(), kBytes);
  BufferHandle destination = allocate(board.get(), kBytes);
  sluice_cpu_work read{.source = source.get(),
                       .destination = nullptr,
                       .bytes = kBytes,
                       .loads = 0,
                       .kind = SLUICE_CPU_READ,
                       .stride = 0,
                       .uncached = 0,
                       .reserved = 0};
};

TEST_F(CpuWork, CopiesBytesAndTakesTheBoardsTime) {
  std::iota(bytes_of(source.get()).begin(), bytes_of(source.get()).end(), uint8_t{1});
  sluice_cpu_work copy = read;
  copy.destination = destination.get();
  copy.kind = SLUICE_CPU_COPY;
  const uint64_t begin_ns = sluice_board_now_ns(board.get());
  const double rate = mb_s(copy);
  EXPECT_GT(rate, 200.0);
  EXPECT_LT(rate, 500.0);
  EXPECT_NEAR(static_cast<double>(sluice_board_now_ns(board.get()) - begin_ns), kBytes / rate * 1e3,
              2000.0);
  EXPECT_TRUE(std::ranges::equal(bytes_of(source.get()), bytes_of(destination.get())));
}

TEST_F(CpuWork, AnUncachedReadIsSlowerAndACachedOneGetsFaster) {
  sluice_cpu_work uncached = read;
  uncached.uncached = 1;
  const double slow = mb_s(uncached);
  const double cold = mb_s(read);
  EXPECT_GT(cold, 3 * slow);
  read.bytes = 16 << 10;
  mb_s(read);
  EXPECT_GT(mb_s(read), 3 * cold);
}

TEST_F(CpuWork, EnginesGoOnBesideIt) {
  const double alone = mb_s(read);
  set_attribute(board.get(), "hp0.sink.enable", 1);
  sluice_channel* mm2s = find_channel(board.get(), "hp0.mm2s");
  submit(mm2s, {destination.get(), 0, kBytes, 1});
  EXPECT_LT(mb_s(read), alone);
  EXPECT_EQ(wait(mm2s).bytes, kBytes);
}

TEST_F(CpuWork, RefusesWhatIsNotWork) {
  sluice_cpu_work work = read;
  work.kind = 4;
  EXPECT_EQ(refused(work), -EINVAL);
  work = read;
  work.reserved = 1;
  EXPECT_EQ(refused(work), -EINVAL);
  work = read;
  work.destination = destination.get();
  EXPECT_EQ(refused(work), -EINVAL);
  work.kind = SLUICE_CPU_COPY;
  work.destination = source.get();
  EXPECT_EQ(refused(work), -EINVAL);
  work.destination = nullptr;
  EXPECT_EQ(refused(work), -EINVAL);
  work = read;
  work.bytes = kBytes + 32;
  EXPECT_EQ(refused(work), -EINVAL);
  work.bytes = 33;
  EXPECT_EQ(refused(work), -EINVAL);
  work = read;
  work.kind = SLUICE_CPU_CHASE;
  EXPECT_EQ(refused(work), -EINVAL);
  EXPECT_EQ(refused(read), 0);
}

TEST(CpuWorkElsewhere, IsNotSupportedWithoutAModelOfTheCpu) {
  for (const auto& [uri, error] :
       {std::pair{"sim:zynq7010/hp_stress", -ENOTSUP},
        std::pair{"sim:zynq7010/hp_stress?level=transaction&model.cpu_copies=1", -EBUSY}}) {
    const BoardHandle board = open_board(uri);
    const BufferHandle source = allocate(board.get(), 4096);
    const sluice_cpu_work work{.source = source.get(),
                               .destination = nullptr,
                               .bytes = 4096,
                               .loads = 0,
                               .kind = SLUICE_CPU_READ,
                               .stride = 0,
                               .uncached = 0,
                               .reserved = 0};
    uint64_t elapsed_ps = 0;
    EXPECT_EQ(sluice_board_cpu_work(board.get(), &work, sizeof work, &elapsed_ps), error);
  }
}

}  // namespace
