// SPDX-License-Identifier: Apache-2.0
// sl_axi_dma on the transaction level: two channels and their common reset.
#include <sl_axi_dma.h>

#include <memory>

#include "axi_dma_channel.hpp"
#include "transaction_engine.hpp"

namespace sluice::sim {
namespace {

constexpr uint32_t kS2mmBase = SL_AXI_DMA_S2MM_DMACR_OFFSET;
constexpr uint32_t kEnd = SL_AXI_DMA_S2MM_LENGTH_OFFSET + 4;

class AxiDma final : public TransactionEngine {
 public:
  AxiDma(model::Master& master, const EngineParams& params)
      : master_(master),
        reads_(params.reads),
        mm2s_(master, params, params.client, false),
        s2mm_(master, params, params.client + 1, true) {}

  uint32_t load(uint32_t offset, uint64_t cycle) override {
    if (offset >= kEnd) refuse_access("read", offset);
    const bool second = offset >= kS2mmBase;
    if (!second && !reads_) return 0;
    const uint32_t at = second ? offset - kS2mmBase : offset;
    const uint32_t value = (second ? s2mm_ : mm2s_).load(at, cycle);
    const bool control = at == SL_AXI_DMA_MM2S_DMACR_OFFSET;
    return value | (control && resetting_ ? SL_AXI_DMA_MM2S_DMACR_RESET_MASK : 0U);
  }

  void store(uint32_t offset, uint32_t value, uint64_t cycle) override {
    if (offset >= kEnd) refuse_access("write", offset);
    const bool second = offset >= kS2mmBase;
    if (resetting_ || (!second && !reads_)) return;
    const uint32_t at = second ? offset - kS2mmBase : offset;
    const bool reset =
        at == SL_AXI_DMA_MM2S_DMACR_OFFSET && (value & SL_AXI_DMA_MM2S_DMACR_RESET_MASK) != 0;
    if (reset) value &= ~SL_AXI_DMA_MM2S_DMACR_RS_MASK;
    (second ? s2mm_ : mm2s_).store(at, value, cycle);
    if (reset) {
      resetting_ = true;
      mm2s_.quiesce();
      s2mm_.quiesce();
      end_reset();
    }
    update();
  }

  void before(uint64_t cycle) override {
    mm2s_.before(cycle);
    s2mm_.before(cycle);
    if (resetting_) end_reset();
    update();
  }
  void after(uint64_t cycle) override {
    mm2s_.after(cycle);
    s2mm_.after(cycle);
    update();
  }

  [[nodiscard]] bool busy() const override { return resetting_ || mm2s_.busy() || s2mm_.busy(); }
  [[nodiscard]] bool timed() const override { return resetting_ || mm2s_.timed() || s2mm_.timed(); }
  [[nodiscard]] uint64_t received() const override { return s2mm_.received(); }

 private:
  void update() {
    set_state(resetting_ || mm2s_.awake() || s2mm_.awake(), mm2s_.interrupt(), s2mm_.interrupt());
  }
  void end_reset() {
    if (!mm2s_.quiet() || !s2mm_.quiet()) return;
    resetting_ = false;
    mm2s_.reset();
    s2mm_.reset();
    master_.empty_loop();
  }

  model::Master& master_;
  bool reads_;
  bool resetting_ = false;
  AxiDmaChannel mm2s_, s2mm_;
};

}  // namespace

std::unique_ptr<TransactionEngine> make_axi_dma(model::Master& master, const EngineParams& params) {
  return std::make_unique<AxiDma>(master, params);
}

}  // namespace sluice::sim
