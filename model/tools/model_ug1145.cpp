// SPDX-License-Identifier: Apache-2.0
// model_ug1145: what UG1145 measured on a ZC702, beside the model (model_ug1145.hpp): four HP ports
// that ask for nearly all that the DRAM has, and the delay of reads. See --help.
#include "model_ug1145.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "options.hpp"

namespace {

using namespace sluice::model;
using namespace sluice::model::ug1145;

/// Mean and range of a figure over the starts.
class Figure {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  [[nodiscard]] double mean() const { return sum_ / count_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }

 private:
  double sum_ = 0;
  unsigned count_ = 0;
  double least_ = 1e12;
  double most_ = 0;
};

void print_rate(const char* name, const Figure& figure, double silicon) {
  std::printf("%-24s %7.0f (%.0f..%.0f) MB/s, silicon %7.1f, %+.1f %%\n", name, figure.mean(),
              figure.least(), figure.most(), silicon, 100.0 * (figure.mean() / silicon - 1.0));
}

void print_delay(const char* name, const Figure& figure, double least, double most) {
  std::printf("%-24s %7.1f (%.1f..%.1f) clocks, silicon %.0f to %.0f\n", name, figure.mean(),
              figure.least(), figure.most(), least, most);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Settings<Zynq7000Params> settings{.memory_system = zynq7020(), .engine = {}};
    std::uint64_t starts = 32;
    if (!read_options(argc, argv, settings, "--starts", starts)) {
      std::puts(
          "model_ug1145 [--starts N] [--set setting=value]\n"
          "Four HP ports of a ZC702 at 512 MB/s each way, and delays of their reads.");
      return 0;
    }
    constexpr std::uint64_t kClocks = 150'000;
    Figure read, write, both, ddr, ocm;
    for (std::uint64_t seed = 1; seed <= starts; ++seed) {
      const Result rates = Traffic(settings.memory_system, false, seed).run(kClocks);
      read.add(rates.read_mb_s);
      write.add(rates.write_mb_s);
      both.add(rates.read_mb_s + rates.write_mb_s);
      const Result delays = Traffic(settings.memory_system, true, seed).run(kClocks);
      ddr.add((delays.delay[0] + delays.delay[1]) / 2.0);
      ocm.add((delays.delay[2] + delays.delay[3]) / 2.0);
    }
    std::printf("Means (and ranges) of %llu starts.\n", static_cast<unsigned long long>(starts));
    print_rate("reads of four ports", read, kReadMbS);
    print_rate("writes", write, kWriteMbS);
    print_rate("both", both, kReadMbS + kWriteMbS);
    print_delay("delay of DDR reads", ddr, kDdrDelayLeast, kDdrDelayMost);
    print_delay("of on-chip memory reads", ocm, kOcmDelayLeast, kOcmDelayMost);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "model_ug1145: %s\n", e.what());
    return 2;
  }
}
