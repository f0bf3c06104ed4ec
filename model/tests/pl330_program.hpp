// SPDX-License-Identifier: Apache-2.0
// Programs of a DMA-330, instruction by instruction: an assembler of its own, from the encodings of
// DDI 0424 chapter 4, not from the model's table.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace sluice::model {

class Pl330Program {
 public:
  enum Register : std::uint8_t { sar = 0, ccr = 1, dar = 2 };

  /// CCR of a copy: both sides with increasing addresses, secure.
  static std::uint32_t copies(unsigned beats, unsigned log2_size) {
    return side(true, beats, log2_size) | side(true, beats, log2_size) << 14U;
  }
  static std::uint32_t side(bool increments, unsigned beats, unsigned log2_size) {
    return (increments ? 1U : 0U) | log2_size << 1U | (beats - 1U) << 4U;
  }

  Pl330Program& raw(std::initializer_list<std::uint8_t> bytes) {
    code.insert(code.end(), bytes);
    return *this;
  }
  Pl330Program& mov(Register target, std::uint32_t value) {
    raw({0xbc, target});
    for (unsigned i = 0; i < 4; ++i) code.push_back(static_cast<std::uint8_t>(value >> 8U * i));
    return *this;
  }
  Pl330Program& ld() { return raw({0x04}); }
  Pl330Program& st() { return raw({0x08}); }
  Pl330Program& stz() { return raw({0x0c}); }
  Pl330Program& rmb() { return raw({0x12}); }
  Pl330Program& wmb() { return raw({0x13}); }
  Pl330Program& nop() { return raw({0x18}); }
  Pl330Program& end() { return raw({0x00}); }
  Pl330Program& kill() { return raw({0x01}); }
  Pl330Program& sev(unsigned event) { return raw({0x34, static_cast<std::uint8_t>(event << 3U)}); }
  Pl330Program& wfe(unsigned event) { return raw({0x36, static_cast<std::uint8_t>(event << 3U)}); }
  /// Counter 0 or 1, 1 to 256 rounds; returns where the body begins.
  std::size_t lp(unsigned counter, unsigned rounds) {
    raw({static_cast<std::uint8_t>(0x20U | counter << 1U), static_cast<std::uint8_t>(rounds - 1U)});
    return code.size();
  }
  Pl330Program& lpend(unsigned counter, std::size_t body) {
    const auto jump = static_cast<std::uint8_t>(code.size() - body);
    return raw({static_cast<std::uint8_t>(0x38U | counter << 2U), jump});
  }
  Pl330Program& addh(Register target, std::uint16_t value) {
    return raw({static_cast<std::uint8_t>(target == dar ? 0x56 : 0x54),
                static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8U)});
  }
  Pl330Program& adnh(Register target, std::uint16_t value) {
    return raw({static_cast<std::uint8_t>(target == dar ? 0x5e : 0x5c),
                static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8U)});
  }

  /// As Linux' pl330 driver writes a copy (drivers/dma/pl330.c, _setup_req): a burst of 8 bytes a
  /// beat and 16 beats where source, target and length allow, else single beats of what they do;
  /// loops, what is left as a shorter burst, the event, the end.
  static Pl330Program of_linux(std::uint32_t target, std::uint32_t source, std::uint32_t bytes,
                               unsigned event) {
    unsigned log2_size = 3;
    while (((target | source | bytes) & ((1U << log2_size) - 1U)) != 0) --log2_size;
    const unsigned beats = log2_size == 3 ? 16 : 1;
    Pl330Program program;
    program.mov(ccr, copies(beats, log2_size)).mov(sar, source).mov(dar, target);
    std::uint32_t bursts = bytes / (beats << log2_size);
    const std::uint32_t rest = bytes % (beats << log2_size) >> log2_size;
    while (bursts != 0) bursts -= program.loop(bursts);
    if (rest != 0) program.mov(ccr, copies(rest, log2_size)).ld().st();
    program.sev(event).end();
    return program;
  }

  std::vector<std::uint8_t> code;

 private:
  std::uint32_t loop(std::uint32_t bursts) {
    constexpr std::uint32_t kMost = 256;
    if (bursts == 1) {
      ld().st();
      return 1;
    }
    const std::uint32_t inner = bursts > kMost ? kMost : bursts;
    const std::uint32_t outer = bursts > kMost ? bursts / kMost : 0;
    const std::size_t outer_body = outer != 0 ? lp(0, outer < kMost ? outer : kMost) : 0;
    const std::size_t inner_body = lp(1, inner);
    ld().st();
    lpend(1, inner_body);
    if (outer != 0) lpend(0, outer_body);
    return inner * (outer == 0 ? 1 : outer < kMost ? outer : kMost);
  }
};

}  // namespace sluice::model
