// SPDX-License-Identifier: Apache-2.0
// PcieParams: everything that makes one PCI Express card in its slot differ from another.
//
// Sources: PCI Express Base Specification 3.0 (rates 1.1 and 4.2, packets 2.2, flow control 2.6,
// acknowledgement 3.5); R. Neugebauer et al., "Understanding PCIe performance for end host
// networking", SIGCOMM 2018 (overheads, latencies of hosts, IOTLB). "assumed": nothing was found.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace sluice::model {

/// A GPU in another slot of the same PC: its own link, a copy engine, and memory that others reach.
struct PcieGpuParams {
  std::uint64_t memory_bytes = 0;  ///< that the bus reaches, multiple of 4096; 0: there is no GPU
  std::uint64_t memory_base = std::uint64_t{1} << 39;  ///< bus address

  // ---- its link; the rest is as the card's
  std::uint32_t generation = 2;
  std::uint32_t lanes = 16;
  std::uint32_t max_payload = 128;
  std::uint32_t max_read_request = 256;  ///< bytes: 128 to 512
  std::uint32_t tags = 64;

  // ---- the copy engine: one copy at a time
  std::uint64_t start_ps = 0;   ///< the command to the copy's first request
  std::uint32_t rate_mb_s = 0;  ///< 10^6 bytes a second at most; 0: as its link allows

  // ---- others' reads of its memory, as PciePeerParams
  std::uint32_t window = 1;
  std::uint64_t service_ps = 0;
  std::uint32_t near_bytes = 0;
  std::uint64_t far_ps = 0;
};

struct PcieParams {
  std::string name = "pcie-gen3x8";

  // ---- the link
  std::uint32_t generation = 3;                 ///< 1 to 4: 2.5, 5, 8, 16 GT/s
  std::uint32_t lanes = 8;                      ///< 1, 2, 4, 8 or 16
  std::uint32_t max_payload = 256;              ///< bytes: 128, 256, 512, 1024
  std::uint32_t max_read_request = 512;         ///< bytes: 128 to 4096, a power of two
  std::uint32_t read_completion_boundary = 64;  ///< bytes: 64 or 128
  /// Reads that the card has outstanding, 1 to 256. Over 32 need Extended Tags; Linux enables it.
  std::uint32_t tags = 64;
  /// Time of a packet between the end of one transmitter and the other side's logic: both
  /// pipelines.
  std::uint64_t hop_ps = 150'000;  ///< assumed
  /// An Ack DLLP for so many packets; the specification's AckFactor allows 1.4 to 3 (table 3-5).
  std::uint32_t ack_packets = 2;
  /// Time between two UpdateFC DLLPs of one kind; credits that are freed meanwhile wait for the
  /// next. About what 2.6.1.2 recommends at most for this link; 5 GT/s, four lanes: 300 ns.
  std::uint64_t credit_interval_ps = 200'000;

  // ---- the root complex
  std::uint32_t posted_headers = 64;     ///< credits for writes of the card; assumed
  std::uint32_t posted_data = 1024;      ///< of 16 bytes each; assumed
  std::uint32_t nonposted_headers = 64;  ///< credits for reads of the card; assumed
  /// A read's arrival to its first completion. With hops and packets a round trip of about 1 us.
  std::uint64_t root_read_ps = 600'000;
  /// A write's arrival to the time at which the CPU sees it; no more than root_read_ps.
  std::uint64_t root_write_ps = 200'000;  ///< assumed
  /// Chance, in thousandths, that the root complex sends the next cache line in the same completion
  /// while that has room. 1000: completions are as long as they may be.
  std::uint32_t coalescing = 1000;
  std::uint32_t seed = 1;  ///< of these chances

  // ---- between devices, through the root complex
  std::uint32_t p2p_window = 1;  ///< reads of one device from another's BAR that it has out
  /// That each is out at least.
  std::uint64_t p2p_read_ps = 0;
  /// Writes to another device's BAR are cut at multiples of this: 64 to 512 bytes, a power of two.
  std::uint32_t p2p_write_bytes = 64;

  PcieGpuParams gpu{};

  // ---- the IOMMU
  std::uint32_t iotlb_entries =
      0;  ///< translations kept, the least recently used goes; 0: no IOMMU
  std::uint32_t iotlb_page_bytes = 4096;  ///< a power of two from 4096 up
  std::uint64_t iotlb_walk_ps = 330'000;  ///< a miss (Neugebauer et al., section 6.5)
  std::uint32_t iotlb_walkers = 6;        ///< misses that are worked on at a time (the same)

  // ---- the CPU, at the card's registers and memory
  std::uint64_t cpu_store_ps = 10'000;   ///< between two stores of one program; assumed
  std::uint32_t cpu_combine_bytes = 64;  ///< stores to the card's memory leave in pieces of this
  std::uint32_t cpu_load_bytes = 8;      ///< a load from the card's memory, one at a time
  /// 10^6 bytes a second that one core copies inside host memory; assumed.
  std::uint32_t cpu_copy_mb_s = 5'000;
  std::uint32_t card_posted_headers = 32;  ///< the card's credits for stores

  // ---- memories
  /// Bus addresses of the card's BARs: 32 bits for the registers, 64 for the memory.
  std::array<std::uint64_t, 2> bar_base = {0xf000'0000, std::uint64_t{1} << 38};
  std::uint64_t memory_base = std::uint64_t{1} << 32;  ///< of host memory for buffers: 4 DW headers
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< multiple of 4096
  std::uint64_t card_memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t card_read_ps = 100'000;  ///< of the card's memory: address to data; assumed
  std::uint64_t card_write_ps = 60'000;  ///< last beat to its response; assumed

  /// 10^6 bytes a second that a direction of the link carries, packets' overhead included: the
  /// lanes' rate after coding, less 4 symbols of every 1538 for SKP ordered sets.
  [[nodiscard]] double raw_mb_s() const;
  [[nodiscard]] double peak_mb_s() const { return raw_mb_s(); }
};

/// Throws std::invalid_argument naming the parameter that is out of range and what is allowed.
void check(const PcieParams& params);

/// The published card: Gen2 x4 (Cyclone V GT in an Intel X58 PC; Garrone ten Brink 2017).
[[nodiscard]] PcieParams pcie_gen2x4();
/// The GPU beside it (Quadro M2000, Gen2 x16).
[[nodiscard]] PcieGpuParams quadro_m2000();
/// The other one that was compared with it (GTX 950): 10 to 15 % more latency was printed of it,
/// and nothing else.
[[nodiscard]] PcieGpuParams gtx_950();
/// Gen3 x8, for 256 bits at 250 MHz.
[[nodiscard]] PcieParams pcie_gen3x8();
/// Gen4 x8, for 512 bits at 250 MHz.
[[nodiscard]] PcieParams pcie_gen4x8();

}  // namespace sluice::model
