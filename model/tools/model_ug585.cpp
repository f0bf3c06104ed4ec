// SPDX-License-Identifier: Apache-2.0
// model_ug585: DDR efficiency as UG585's "DDR efficiency" table states it, from the model.
//
// Four HP ports of 64 bits at 150 MHz, bursts of 16 where not said otherwise, DDR at 525 MHz (1050
// Mb/s): more than the DRAM can carry, so the controller is the limit. Reads and writes of a port
// are independent. UG585 does not say where the buffers lie: "aligned" puts all of them in the same
// bank in step, "spread" puts each stream one page further. UG585 does not name the access type of
// its burst-length table; it is taken to be sequential reads and writes. No value in the model is
// fitted to these tables.
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>

#include "sluice/model/zynq7000.hpp"

namespace {

using namespace sluice::model;

struct Load {
  bool read;
  bool write;
  bool random;
  std::uint64_t spread_bytes;
  std::uint32_t beats = 16;
};

/// Bytes moved over what the DRAM bus could carry, in percent.
double efficiency(const Load& load) {
  constexpr std::uint64_t kEdges = 600'000;  // 4 ms
  constexpr std::uint64_t kRegion = 32ULL << 20U;
  const std::uint64_t burst_bytes = load.beats * 8U;
  Zynq7000Params params = zynq7010();
  params.ddr_mhz = 525.0;
  Zynq7000 zynq(params);
  const Clock pl(150.0);
  std::mt19937_64 random(1);
  struct Stream {
    std::uint64_t base = 0;
    std::uint64_t bursts = 0;
  };
  std::array<Stream, 4> reads;
  std::array<Stream, 4> writes;
  std::array<std::uint32_t, 4> words_due{};
  std::uint64_t number = 0;
  for (unsigned port = 0; port < 4; ++port) {
    reads[port].base = 2U * port * kRegion + number++ * load.spread_bytes;
    writes[port].base = (2U * port + 1U) * kRegion + number++ * load.spread_bytes;
  }
  const auto next = [&](Stream& stream) {
    const std::uint64_t offset = load.random ? random() % (kRegion / 2U / burst_bytes) * burst_bytes
                                             : stream.bursts++ * burst_bytes;
    return stream.base + offset;
  };
  for (std::uint64_t edge = 1; edge <= kEdges; ++edge) {
    zynq.advance_to(pl.time_ps(edge));
    for (unsigned port = 0; port < 4; ++port) {
      AfiPort& afi = zynq.afi(port);
      afi.pl_edge();
      if (load.read) {
        if (afi.pl_read_word_available()) (void)afi.pl_take_read_word();
        if (afi.pl_read_room()) afi.pl_read({next(reads[port]), load.beats, 8});
      }
      if (load.write) {
        if (afi.pl_response_available()) (void)afi.pl_take_response();
        if (words_due[port] != 0 && afi.pl_write_word_room()) {
          afi.pl_put_write_word(edge, 0xff);
          --words_due[port];
        }
        if (words_due[port] <= 16 && afi.pl_write_room()) {
          afi.pl_write({next(writes[port]), load.beats, 8});
          words_due[port] += load.beats;
        }
      }
    }
  }
  const Statistics s = zynq.statistics();
  double bytes = 0;
  for (unsigned port = 0; port < 4; ++port) {
    bytes += static_cast<double>(s.hp_read_bytes[port] + s.hp_write_bytes[port]);
  }
  return 100.0 * bytes * 1e6 / static_cast<double>(pl.time_ps(kEdges)) / params.peak_mb_s();
}

}  // namespace

int main() {
  struct Row {
    const char* name;
    bool read, write, random;
    int published;
  };
  constexpr std::array<Row, 6> kRows = {{{"reads, sequential", true, false, false, 97},
                                         {"reads, random", true, false, true, 92},
                                         {"writes, sequential", false, true, false, 90},
                                         {"writes, random", false, true, true, 87},
                                         {"both, sequential", true, true, false, 87},
                                         {"both, random", true, true, true, 79}}};
  std::printf("%-20s %9s %9s %9s   (efficiency %%)\n", "", "aligned", "spread", "UG585");
  for (const Row& row : kRows) {
    std::printf("%-20s %9.1f", row.name, efficiency({row.read, row.write, row.random, 0}));
    if (row.random)
      std::printf(" %9s", "");
    else
      std::printf(" %9.1f", efficiency({row.read, row.write, row.random, 4096}));
    std::printf(" %9d\n", row.published);
  }
  for (const std::uint32_t beats : {4U, 8U, 16U}) {
    std::printf("both, bursts of %-4u %9.1f %9.1f %9d\n", beats,
                efficiency({true, true, false, 0, beats}),
                efficiency({true, true, false, 4096, beats}), 87);
  }
}
