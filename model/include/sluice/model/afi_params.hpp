// SPDX-License-Identifier: Apache-2.0
// Parameters of one AFI (the FIFO block behind an S_AXI_HP port) and of the two-port switch.
// "fitted" names the table that the value was fitted to; see docs/explanation/memory-model.md.
#pragma once

#include <cstdint>

namespace sluice::model {

struct AfiParams {
  /// Data FIFO of a direction, 64-bit words: UG585 appendix B, axi_hp.AFI_RDDATAFIFO_LEVEL and
  /// AFI_WRDATAFIFO_LEVEL count to 128 entries.
  std::uint32_t read_fifo_words = 128;
  std::uint32_t write_fifo_words = 128;
  /// Commands accepted from the PL and not yet issued to the PS. UG1085 (the AFI of UltraScale+): 8
  /// deep queues; UG585 gives no depth.
  std::uint32_t read_command_depth = 8;
  std::uint32_t write_command_depth = 8;
  /// Commands issued to the PS and not yet finished; UG585 axi_hp.AFI_RDCHAN_ISSUINGCAP and
  /// AFI_WRCHAN_ISSUINGCAP, reset value 7: eight commands.
  std::uint32_t read_issue_capability = 8;
  std::uint32_t write_issue_capability = 8;
  /// Edges of the PS's clock (DDR_2x) that a read takes between this port and the memories beyond
  /// the synchronisers, both ways together; it holds its place in the queue meanwhile. With 33 on
  /// HP ports, reads of the on-chip memory take as long as UG1145 measured; all fits were made with
  /// 0.
  std::uint32_t read_path_edges = 0;
  /// A write is issued once every word of it is in the FIFO; else with its first word, and the
  /// master then has a word for each edge of the PS's clock until the burst is whole.
  bool whole_writes = true;
  /// Of every command: axi_hp.AFI_RDQOS and AFI_WRQOS (StaticQos), reset value 0; 15 is highest.
  std::uint32_t read_qos = 0;
  std::uint32_t write_qos = 0;
};

}  // namespace sluice::model
