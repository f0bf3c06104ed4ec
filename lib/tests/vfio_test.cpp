// SPDX-License-Identifier: Apache-2.0
// The back end for functions that vfio-pci has against a double of the kernel: what it refuses,
// what it asks for and in which order, and that it believes nothing. Transfers are tested in a
// guest, driver/tests/test_vfio_library.py.
#include <gtest/gtest.h>
#include <sl_axi_cdma.h>

#include <algorithm>
#include <cerrno>
#include <sluice.hpp>
#include <string>
#include <vector>

#include "board.hpp"
#include "error.hpp"
#include "uri.hpp"
#include "vfio_backend.hpp"
#include "vfio_double.hpp"

namespace {

using namespace sluice;

constexpr const char* kUri = "vfio:0000:00:03.0";

bool mentions(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

struct Vfio : testing::Test {
  VfioDouble kernel;
  BoardHandle board;

  Vfio() { kernel.describe("SLHP"); }  // hp_stress
  void open(const std::string& text = kUri) {
    Uri uri(text);
    board = BoardHandle(open_vfio(uri, kernel).release());
  }
  std::string refusal(const std::string& text, int errnum) {
    try {
      open(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.errnum(), errnum) << error.what();
      EXPECT_TRUE(kernel.descriptors.empty()) << "left open";
      return error.what();
    }
    return "not refused";
  }
  std::string refusal(int errnum) { return refusal(kUri, errnum); }
  // The place of what begins so in what was done; past the end if nothing does.
  [[nodiscard]] ptrdiff_t when(const std::string& what) const {
    return std::ranges::find_if(kernel.log, [&](const auto& s) { return s.starts_with(what); }) -
           kernel.log.begin();
  }
  void TearDown() override {
    board = nullptr;
    EXPECT_TRUE(kernel.descriptors.empty()) << "left open";
    EXPECT_TRUE(kernel.mapped.empty()) << "left mapped";
  }
};

TEST_F(Vfio, UrisAreChecked) {
  for (const char* text : {"vfio:", "vfio:0000:00:03.0/cdma", "vfio:0000:00:03.0?design"})
    EXPECT_TRUE(mentions(refusal(text, EINVAL), "not of the form")) << text;
  for (const char* text : {"vfio:card", "vfio:00:03.0", "vfio:0000:00:03", "vfio:0000:00:03.00",
                           "vfio:0000:0A:03.0", "vfio:..:00:03.0", "vfio:0000:00.03.0"})
    EXPECT_TRUE(mentions(refusal(text, EINVAL), "is not a PCI address")) << text;
  EXPECT_TRUE(mentions(refusal("vfio:0000:00:03.0?heap=cma", EINVAL), "allowed: design"));
  EXPECT_TRUE(mentions(refusal("vfio:0000:00:03.0?design=none", ENODEV), "no map of a design"));
  EXPECT_TRUE(mentions(refusal("vfio:0000:00:03.0?design=cdma", ENODEV), "not cdma"));
}

TEST_F(Vfio, WithoutAnIommuTheDriverIsNamed) {
  kernel.folders.erase("/sys/kernel/iommu_groups/7/devices");
  std::string text = refusal(ENOTSUP);
  EXPECT_TRUE(mentions(text, "no IOMMU protects memory from 0000:00:03.0")) << text;
  EXPECT_TRUE(mentions(text, "dev:0000:00:03.0")) << text;
  kernel.folders.erase("/sys/kernel/iommu_groups");
  EXPECT_EQ(refusal(ENOTSUP), text);
}

TEST_F(Vfio, ModeWithoutAnIommuIsRefusedAndTheDriverNamed) {
  kernel.folders["/dev/vfio"] = {"noiommu-7", "vfio"};
  kernel.nodes["/dev/vfio/noiommu-7"] = 0;
  const std::string text = refusal(ENOTSUP);
  EXPECT_TRUE(mentions(text, "without an IOMMU") && mentions(text, "dev:0000:00:03.0")) << text;
}

TEST_F(Vfio, FunctionsOfOthersAreRefusedWithWhatToDo) {
  EXPECT_TRUE(mentions(refusal("vfio:0000:00:09.0", ENODEV), "lspci -D"));
  kernel.folders["/sys/bus/pci/drivers/vfio-pci"] = {"bind"};
  EXPECT_TRUE(mentions(refusal(ENODEV), "has no driver. Bind it to vfio-pci"));
  kernel.folders["/sys/bus/pci/drivers/sluice_pci"] = {VfioDouble::kAddress};
  EXPECT_TRUE(mentions(refusal(EBUSY), "belongs to the driver sluice_pci"));
}

TEST_F(Vfio, NodesThatDoNotOpenSayWhy) {
  kernel.nodes["/dev/vfio/7"] = -EACCES;
  EXPECT_TRUE(mentions(refusal(EACCES), "chown USER /dev/vfio/7"));
  kernel.nodes["/dev/vfio/7"] = -EBUSY;
  EXPECT_TRUE(mentions(refusal(EBUSY), "fuser -v /dev/vfio/7"));
  kernel.nodes.erase("/dev/vfio/7");
  EXPECT_TRUE(mentions(refusal(ENODEV), "there is no /dev/vfio/7"));
  kernel.nodes.erase("/dev/vfio/vfio");
  EXPECT_TRUE(mentions(refusal(ENODEV), "modprobe vfio-pci"));
}

TEST_F(Vfio, GroupsThatAreSharedWithOtherDriversAreRefused) {
  kernel.viable = false;
  kernel.folders["/sys/kernel/iommu_groups/7/devices"].push_back("0000:00:04.0");
  EXPECT_TRUE(mentions(refusal(EBUSY), "0000:00:04.0"));
}

TEST_F(Vfio, EveryCallThatFailsIsRefused) {
  for (const unsigned long call :
       {VFIO_GET_API_VERSION, VFIO_CHECK_EXTENSION, VFIO_GROUP_GET_STATUS, VFIO_GROUP_SET_CONTAINER,
        VFIO_SET_IOMMU, VFIO_IOMMU_GET_INFO, VFIO_GROUP_GET_DEVICE_FD,
        VFIO_DEVICE_GET_REGION_INFO}) {
    kernel.fails = {{call, -EIO}};
    EXPECT_TRUE(mentions(refusal(EIO), "0000:00:03.0: ")) << call;
  }
}

TEST_F(Vfio, RegistersHaveToBeThere) {
  kernel.bar_bytes = 256;
  EXPECT_TRUE(mentions(refusal(ENODEV), "BAR 0, of 256 bytes"));
  kernel.bar_bytes = 4096;  // the design page would be behind it
  EXPECT_TRUE(mentions(refusal(ENODEV), "no design here"));
  EXPECT_TRUE(mentions(refusal("vfio:0000:00:03.0?design=cdma", EIO), "no register at 0x40000"));
  kernel.bar_flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
  EXPECT_TRUE(mentions(refusal(ENODEV), "cannot be mapped"));
}

TEST_F(Vfio, DesignsThatMakeNoSenseAreRefused) {
  uint32_t& config = kernel.registers[(VfioDouble::kPage + SL_DESIGN_PAGE_CONFIG_OFFSET) / 4];
  for (const uint32_t lie : {0U, ~0U, 0x00173001U, 0x003f0801U, 0x00170807U}) {
    config = lie;
    EXPECT_TRUE(mentions(refusal(ENODEV), "makes no sense")) << lie;
  }
  kernel.registers[VfioDouble::kPage / 4] = 0;
  EXPECT_TRUE(mentions(refusal(ENODEV), "no design here"));
}

TEST_F(Vfio, AttributesAreRegisters) {
  open();
  sluice_board_info info{};
  check(sluice_board_get_info(board.get(), &info, sizeof info));
  EXPECT_STREQ(info.board, "0000:00:03.0");
  EXPECT_STREQ(info.design, "hp_stress");
  EXPECT_EQ(info.simulated_time, 0U);
  EXPECT_EQ(info.clock_khz, 0U);
  const unsigned before = kernel.calls;
  set_attribute(board.get(), "hp0.source.packet_beats", 77);
  EXPECT_EQ(get_attribute(board.get(), "hp0.source.packet_beats"), 77U);
  EXPECT_EQ(kernel.calls, before) << "they are reached without the kernel";
}

TEST_F(Vfio, ProgramsReachRegistersAndBusAddresses) {
  open();
  constexpr uint32_t kOffset = 0x1000;
  const unsigned before = kernel.calls;
  write_register(board.get(), kOffset, 0x11223344);
  EXPECT_EQ(kernel.at(kOffset), 0x11223344U);
  EXPECT_EQ(read_register(board.get(), kOffset), 0x11223344U);
  for (const auto& [enables, expected] : std::map<unsigned, uint32_t>{{0x1, 0x112233dd},
                                                                      {0x2, 0x1122cc44},
                                                                      {0x4, 0x11bb3344},
                                                                      {0x8, 0xaa223344},
                                                                      {0x3, 0x1122ccdd},
                                                                      {0xc, 0xaabb3344}}) {
    kernel.at(kOffset) = 0x11223344;
    write_register(board.get(), kOffset, 0xaabbccdd, enables);
    EXPECT_EQ(kernel.at(kOffset), expected) << enables;
  }
  for (const unsigned enables : {0x5U, 0x6U, 0x7U, 0x9U, 0xaU, 0xbU, 0xdU, 0xeU}) {
    EXPECT_EQ(sluice_board_write_register(board.get(), kOffset, 0, enables), -ENOTSUP) << enables;
    EXPECT_TRUE(mentions(sluice_last_error(), "stores of 1, 2 or 4 bytes"));
  }
  EXPECT_EQ(kernel.at(kOffset), 0xaabb3344U) << "what is refused stores nothing";
  EXPECT_EQ(kernel.calls, before) << "registers are reached without the kernel";
  EXPECT_EQ(sluice_board_write_register(board.get(), 1 << 20, 0, 0xf), -EINVAL);
  const BufferHandle one = allocate(board.get(), 1), two = allocate(board.get(), 1);
  EXPECT_EQ(bus_address(one.get()), 0x10'0000U);
  EXPECT_EQ(bus_address(two.get()), 0x10'1000U);
}

TEST_F(Vfio, InterruptsAndMemoryOfItsOwnAreRefusedWithWhatToDo) {
  open();
  uint64_t wide = 0;
  void* data = nullptr;
  for (const int status : {sluice_board_get_interrupts(board.get(), &wide),
                           sluice_board_wait_interrupt(board.get(), 1, 0, &wide),
                           sluice_board_interrupt_fd(board.get(), 1)}) {
    EXPECT_EQ(status, -ENOTSUP);
    EXPECT_TRUE(mentions(sluice_last_error(), "read the engines' status registers"));
  }
  for (const int status : {sluice_board_memory_fd(board.get(), &wide, &wide),
                           sluice_board_map_memory(board.get(), nullptr, 0, 4096, &data)}) {
    EXPECT_EQ(status, -ENOTSUP);
    EXPECT_TRUE(mentions(sluice_last_error(), "allocate buffers"));
  }
}

TEST_F(Vfio, BuffersAreMappedByPagesWhereTheIommuTranslates) {
  open();
  const BufferHandle one = allocate(board.get(), 1), two = allocate(board.get(), 4097);
  const sluice_placement placement{.alignment = 65536, .offset = 128, .memory = 0, .reserved = 0};
  const BufferHandle placed = allocate(board.get(), 4096, placement);
  const std::map<uint64_t, uint64_t> expected{
      {0x10'0000, 4096}, {0x10'1000, 8192}, {0x11'0000, 8192}};
  EXPECT_EQ(kernel.mapped, expected);
  EXPECT_TRUE(std::ranges::all_of(bytes_of(two.get()), [](uint8_t byte) { return byte == 0; }));
}

TEST_F(Vfio, PagesOfTheIommuAreKept) {
  kernel.page_sizes = ~uint64_t{0xffff};
  open();
  const BufferHandle one = allocate(board.get(), 1), two = allocate(board.get(), 1);
  const std::map<uint64_t, uint64_t> expected{{0x10'0000, 0x1'0000}, {0x11'0000, 0x1'0000}};
  EXPECT_EQ(kernel.mapped, expected);
}

TEST_F(Vfio, RoomIsTheLargestRangeOf32Bits) {
  const auto room = [&] {
    open();
    sluice_board_info info{};
    check(sluice_board_get_info(board.get(), &info, sizeof info));
    return info.memory_bytes;
  };
  EXPECT_EQ(room(), 0xfedf'f000U - 0x10'0000U);
  kernel.ranges = {{0, 0x20'0000}, {0x8000'0000, ~uint64_t{0}}};
  EXPECT_EQ(room(), 0x7fff'f000U);
  (void)allocate(board.get(), 1).release();  // the board frees it
  EXPECT_EQ(kernel.mapped.begin()->first, 0x8000'0000U);
  board = nullptr;
  kernel.tells_ranges = false;
  EXPECT_EQ(room(), 0xfedf'f000U - 0x10'0000U);
}

TEST_F(Vfio, IommusThatTellNonsenseAreRefused) {
  kernel.next_capability = sizeof(vfio_iommu_type1_info);  // itself, for ever
  open();
  kernel.next_capability = 0xfff0;
  open();
  board = nullptr;
  kernel.ranges = {{uint64_t{1} << 32, ~uint64_t{0}}};
  EXPECT_TRUE(mentions(refusal(ENOTSUP), "no addresses of 32 bits"));
}

TEST_F(Vfio, MemoryThatMayNotBeLockedNamesTheLimit) {
  open();
  kernel.fails = {{VFIO_IOMMU_MAP_DMA, -ENOMEM}};
  sluice_buffer* none = nullptr;
  EXPECT_EQ(sluice_buffer_alloc(board.get(), 1 << 20, nullptr, 0, &none), -ENOMEM);
  EXPECT_TRUE(mentions(sluice_last_error(), "ulimit -l"));
  kernel.fails.clear();
  const BufferHandle buffer = allocate(board.get(), 1);
  EXPECT_EQ(kernel.mapped.begin()->first, 0x10'0000U) << "the address is free again";
  EXPECT_EQ(sluice_buffer_alloc(board.get(), uint64_t{1} << 33, nullptr, 0, &none), -ENOMEM);
}

TEST_F(Vfio, EverythingIsTakenBackInOrder) {
  open();
  EXPECT_LT(when("master on"), static_cast<ptrdiff_t>(kernel.log.size()));
  sluice_buffer* buffer = allocate(board.get(), 1).release();
  check(sluice_buffer_free(buffer));
  EXPECT_LT(when("unmap"), when("close device"));
  kernel.log.clear();
  (void)allocate(board.get(), 1).release();  // the board frees it
  board = nullptr;
  EXPECT_LT(when("map"), when("master off"));
  EXPECT_LT(when("master off"), when("unmap"));
  EXPECT_LT(when("unmap"), when("close device"));
  EXPECT_LT(when("close device"), when("close /dev/vfio/7"));
  EXPECT_LT(when("close /dev/vfio/7"), when("close /dev/vfio/vfio"));
}

TEST_F(Vfio, EnginesAreResetFirstAndLast) {
  kernel.describe("SLCD");
  kernel.at(SL_AXI_CDMA_CDMACR_OFFSET) = SL_AXI_CDMA_CDMACR_IOC_IRQEN_MASK;
  open();
  EXPECT_EQ(kernel.at(SL_AXI_CDMA_CDMACR_OFFSET), 0U);
  sluice_buffer* buffer = allocate(board.get(), 64).release();
  sluice_copy twice{.source = buffer, .destination = buffer, .bytes = 32};
  twice.destination_offset = 32;
  copy(find_channel(board.get(), "hp0.copy"), twice);
  EXPECT_EQ(kernel.at(SL_AXI_CDMA_SA_OFFSET), 0x10'0000U);
  EXPECT_EQ(kernel.at(SL_AXI_CDMA_DA_OFFSET), 0x10'0020U);
  EXPECT_EQ(kernel.at(SL_AXI_CDMA_BTT_OFFSET), 32U);
  EXPECT_NE(kernel.at(SL_AXI_CDMA_CDMACR_OFFSET), 0U);
  board = nullptr;
  EXPECT_EQ(kernel.at(SL_AXI_CDMA_CDMACR_OFFSET), 0U);
}

TEST_F(Vfio, CompletionsArePolledWithoutTheKernel) {
  kernel.describe("SLCD");
  open();
  sluice_channel* channel = find_channel(board.get(), "hp0.copy");
  const BufferHandle buffer = allocate(board.get(), 64);
  const sluice_copy one{
      .source = buffer.get(), .destination = buffer.get(), .destination_offset = 32, .bytes = 32};
  const unsigned before = kernel.calls;
  copy(channel, one);
  sluice_completion done{};
  EXPECT_EQ(sluice_channel_reap(channel, &done, 1, sizeof done, 0), 0);
  EXPECT_EQ(sluice_channel_reap(channel, &done, 1, sizeof done, 1'000'000), 0);
  kernel.at(SL_AXI_CDMA_CDMASR_OFFSET) = SL_AXI_CDMA_CDMASR_IOC_IRQ_MASK;
  EXPECT_EQ(sluice_channel_reap(channel, &done, 1, sizeof done, -1), 1);
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.bytes, 32U);
  EXPECT_EQ(kernel.calls, before);
}

TEST_F(Vfio, ResetsThatDoNotEndAreBounded) {
  kernel.describe("SLCD");
  kernel.resets_end = false;
  EXPECT_TRUE(mentions(refusal(ETIMEDOUT), "does not come out of reset"));
  kernel.resets_end = true;
  open();
  sluice_channel* channel = find_channel(board.get(), "hp0.copy");
  sluice_buffer* buffer = allocate(board.get(), 64).release();
  const sluice_copy one{
      .source = buffer, .destination = buffer, .destination_offset = 32, .bytes = 32};
  copy(channel, one);
  kernel.resets_end = false;
  sluice_completion done{};
  EXPECT_EQ(sluice_channel_cancel(channel), -ETIMEDOUT);
  EXPECT_EQ(sluice_channel_reap(channel, &done, 1, sizeof done, -1), -ETIMEDOUT);
  EXPECT_EQ(sluice_channel_copy(channel, &one, 1, sizeof one), -ETIMEDOUT);
  EXPECT_EQ(sluice_buffer_free(buffer), -EBUSY) << "the engine may still use it";
  kernel.resets_end = true;
  EXPECT_EQ(sluice_channel_reap(channel, &done, 1, sizeof done, -1), 1);
  EXPECT_EQ(done.status, -ECANCELED);
  EXPECT_EQ(sluice_channel_copy(channel, &one, 1, sizeof one), 1);
  kernel.resets_end = false;
  kernel.log.clear();
  board = nullptr;  // the reset does not end: the function is cut off from memory all the same
  EXPECT_LT(when("master off"), when("unmap"));
  EXPECT_LT(when("unmap"), when("close device"));
}

TEST_F(Vfio, FunctionsThatHaveGoneSaySo) {
  open();
  const BufferHandle buffer = allocate(board.get(), 64);
  kernel.gone = true;
  std::ranges::fill(kernel.registers, ~uint32_t{0});
  uint64_t value = 0;
  EXPECT_EQ(sluice_board_get_attribute(board.get(), "hp0.source.packet_beats", &value), -ENODEV);
  EXPECT_TRUE(mentions(sluice_last_error(), "has been removed"));
}

}  // namespace
