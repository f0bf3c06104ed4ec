// SPDX-License-Identifier: Apache-2.0
// Encodings of the DMA-330 (DDI 0424): faults (3.3.9, 3.3.10), fields of CCR (3.3.15), instructions
// (chapter 4).
#pragma once

#include <cstdint>

namespace sluice::model::pl330 {

// FTRD, FTRn.
inline constexpr std::uint32_t kUndefined = 1U << 0U;
inline constexpr std::uint32_t kOperand = 1U << 1U;
inline constexpr std::uint32_t kEvent = 1U << 5U;
inline constexpr std::uint32_t kPeripheral = 1U << 6U;
inline constexpr std::uint32_t kSecurity = 1U << 7U;
inline constexpr std::uint32_t kStoreData = 1U << 13U;
inline constexpr std::uint32_t kFetch = 1U << 16U;
inline constexpr std::uint32_t kWrite = 1U << 17U;
inline constexpr std::uint32_t kRead = 1U << 18U;
inline constexpr std::uint32_t kDebug = 1U << 30U;
inline constexpr std::uint32_t kLockup = 1U << 31U;

// CCR: the lowest bit of each side's half.
inline constexpr unsigned kSource = 0;
inline constexpr unsigned kDestination = 14;
inline constexpr unsigned kSwap = 28;

inline constexpr std::uint8_t kEnd = 0x00;
inline constexpr std::uint8_t kKill = 0x01;
inline constexpr std::uint8_t kLd = 0x04;
inline constexpr std::uint8_t kSt = 0x08;
inline constexpr std::uint8_t kStz = 0x0c;
inline constexpr std::uint8_t kRmb = 0x12;
inline constexpr std::uint8_t kWmb = 0x13;
inline constexpr std::uint8_t kNop = 0x18;
inline constexpr std::uint8_t kLp = 0x20;
inline constexpr std::uint8_t kLdp = 0x25;
inline constexpr std::uint8_t kLpfe = 0x28;  // DMALPEND of a DMALPFE
inline constexpr std::uint8_t kStp = 0x29;
inline constexpr std::uint8_t kWfp = 0x30;
inline constexpr std::uint8_t kSev = 0x34;
inline constexpr std::uint8_t kFlushp = 0x35;
inline constexpr std::uint8_t kWfe = 0x36;
inline constexpr std::uint8_t kLpend = 0x38;
inline constexpr std::uint8_t kAddh = 0x54;
inline constexpr std::uint8_t kAdnh = 0x5c;
inline constexpr std::uint8_t kGo = 0xa0;
inline constexpr std::uint8_t kMov = 0xbc;

// Bits within an opcode.
inline constexpr std::uint8_t kConditional = 0x01;  // of DMALD, DMAST, DMALPEND
inline constexpr std::uint8_t kBurst = 0x02;        // of those and the instructions of peripherals
inline constexpr std::uint8_t kCounter = 0x02;      // of DMALP
inline constexpr std::uint8_t kEndCounter = 0x04;   // of DMALPEND
inline constexpr std::uint8_t kToDestination = 0x02;  // of DMAADDH, DMAADNH
inline constexpr std::uint8_t kAnyRequest = 0x01;     // of DMAWFP
inline constexpr std::uint8_t kNonSecure = 0x02;      // of DMAGO
inline constexpr std::uint8_t kInvalidate = 0x02;     // of DMAWFE, in its operand

inline constexpr unsigned kLookupBytes = 4;  // that a lookup of the cache gives (DDI 0424 2.5)

/// Bytes of a channel's instruction; 0: there is none of that opcode.
constexpr unsigned length_of(std::uint8_t opcode) {
  switch (opcode) {
    case kEnd:
    case kKill:
    case kLd:
    case kLd | kConditional:
    case kLd | kConditional | kBurst:
    case kSt:
    case kSt | kConditional:
    case kSt | kConditional | kBurst:
    case kStz:
    case kRmb:
    case kWmb:
    case kNop: return 1;
    case kLp:
    case kLp | kCounter:
    case kLdp:
    case kLdp | kBurst:
    case kStp:
    case kStp | kBurst:
    case kLpfe:
    case kLpfe | kEndCounter:
    case kLpend:
    case kLpend | kConditional:
    case kLpend | kConditional | kBurst:
    case kLpend | kEndCounter:
    case kLpend | kEndCounter | kConditional:
    case kLpend | kEndCounter | kConditional | kBurst:
    case kWfp:
    case kWfp | kAnyRequest:
    case kWfp | kBurst:
    case kSev:
    case kFlushp:
    case kWfe: return 2;
    case kAddh:
    case kAddh | kToDestination:
    case kAdnh:
    case kAdnh | kToDestination: return 3;
    case kMov: return 6;
    default: return 0;
  }
}

}  // namespace sluice::model::pl330
