// SPDX-License-Identifier: Apache-2.0
// Ddr3Timing: the constraints between commands of one DDR3 rank, in cycles of the DDR clock
// (DDR_3x).
//
// Names are JEDEC JESD79-3's; where UG585's DDRC register has another name it is in the comment.
// The defaults are for -15E (DDR3-1333, CL-tRCD-tRP 9-9-9) x16 parts of 2 Gb run at 533 MHz
// (tCK 1.876 ns), as on the Zybo. Where "ps7" stands, the value is what the Zybo's own start-up
// registers hold at 525 MHz (u-boot, board/xilinx/zynq/zynq-zybo/ps7_init_gpl.c), rescaled from ns
// where the clock matters.
#pragma once

#include <cstdint>

namespace sluice::model {

struct Ddr3Timing {
  std::uint32_t banks = 8;             ///< JESD79-3; 4 or 8
  std::uint32_t burst_cycles = 4;      ///< BL8 on a double data rate bus (ps7 burst_rdwr 4)
  std::uint32_t CL = 7;                ///< read to first data; ps7 read_latency 7, MR0 0x930
  std::uint32_t CWL = 6;               ///< write to first data; ps7 write_latency 5 = CWL - 1
  std::uint32_t tCCD = 4;              ///< column to column, same kind; ps7 t_ccd 4
  std::uint32_t tRCD = 7;              ///< ACT to column; 13.1 ns, ps7 t_rcd 7
  std::uint32_t tRP = 7;               ///< PRE to ACT; 13.1 ns, ps7 t_rp 7
  std::uint32_t tRAS = 19;             ///< ACT to PRE; 35 ns, ps7 t_ras_min 0x13
  std::uint32_t tRC = 26;              ///< ACT to ACT, same bank; 48.75 ns, ps7 t_rc 0x1a
  std::uint32_t tRRD = 6;              ///< ACT to ACT, other bank; 10 ns (2 KiB page), ps7 t_rrd 6
  std::uint32_t tFAW = 22;             ///< four ACT window; 40 ns, ps7 0x15 at 525 MHz
  std::uint32_t tWR = 8;               ///< end of write data to PRE; 15 ns
  std::uint32_t tWTR = 4;              ///< end of write data to RD; max(4 tCK, 7.5 ns)
  std::uint32_t tRTP = 4;              ///< RD to PRE; ps7 rd2pre 4
  std::uint32_t rd2wr = 7;             ///< RD to WR; CL - CWL + tCCD + 2, ps7 rd2wr 7
  std::uint32_t tRFC = 86;             ///< REF to ACT/REF; 160 ns (2 Gb), ps7 t_rfc_min 0x54 at 525
  std::uint32_t tREFI = 4160;          ///< mean REF to REF; 7.8 us, ps7 t_rfc_nom_x32 (0x82 x 32)
  std::uint32_t refresh_postpone = 8;  ///< REFs that may be owed; JESD79-3 4.13: eight

  [[nodiscard]] std::uint32_t wr2rd() const { return CWL + burst_cycles + tWTR; }  ///< ps7 0xe
  [[nodiscard]] std::uint32_t wr2pre() const { return CWL + burst_cycles + tWR; }  ///< ps7 0x12
};

}  // namespace sluice::model
