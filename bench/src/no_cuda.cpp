// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "gpu_device.hpp"

namespace sluice::bench {

std::unique_ptr<GpuDevice> make_cuda_gpu(sluice_board* /*board*/, unsigned /*index*/,
                                         uint64_t /*bytes*/) {
  throw std::invalid_argument(
      "this program is linked statically and cannot open CUDA's library; use a dynamically linked "
      "one for --cuda");
}

}  // namespace sluice::bench
