// SPDX-License-Identifier: Apache-2.0
// The models of this build, each beside another one whose lanes never rest
// (tools/verilated_rest.py). Both get the same inputs. After each evaluation all bytes of their
// states have to be the same.
//
// A test with this in one source has these models instead of those of src/verilated_models.cpp.
#pragma once

#include <algorithm>
#include <built_models.hpp>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "verilated_models.hpp"
#include "verilated_ports.hpp"

// All memory is 0 at first, so bytes between members, which are copied with structs, are the same
// in both models.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = std::calloc(1, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t bytes,
                                     const std::nothrow_t& /*nothrow*/) noexcept {
  return std::calloc(1, bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

namespace sluice::sim {

// Of all mirrored models: evaluations, lanes that were at rest after one, and lanes that it woke.
struct Rested {
  uint64_t evaluations = 0;
  uint64_t lanes = 0;
  uint64_t woken = 0;
};
inline Rested rested;

template <typename Top>
class Mirrored : public Top {
 public:
  Mirrored(VerilatedContext* context, const char* name)
      : Top(context, name), mirror_(context, name) {
    if constexpr (kRests) {
      Top::rest(1, 1);  // a lane that a cycle leaves as it is
      mirror_.rest(0, 0);
    }
    const std::span<uint64_t> ours = words(*this), theirs = words(mirror_);
    last_.assign(ours.begin(), ours.end());
    for (std::size_t i = 0; i < ours.size(); ++i) own_.push_back(ours[i] != theirs[i]);
  }

  void eval() {
    const std::span<uint64_t> ours = words(*this), theirs = words(mirror_);
    // The states were the same: what differs from then is what the board has driven or skipped.
    for (std::size_t i = 0; i < last_.size(); ++i)
      if (ours[i] != last_[i]) theirs[i] = ours[i];
    const unsigned before = resting();
    const std::exception_ptr fault = evaluate(*this), same_fault = evaluate(mirror_);
    if (!fault != !same_fault) fail("only one of the models stops");
    if (fault) std::rethrow_exception(fault);
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (ours[i] != theirs[i] && !own_[i] && !(is_address(ours[i]) && is_address(theirs[i]))) {
        std::fprintf(stderr, "word %zu of %zu: %#" PRIx64 ", %#" PRIx64 " without rest\n", i,
                     ours.size(), ours[i], theirs[i]);
        fail("the states differ");
      }
    last_.assign(ours.begin(), ours.end());
    ++rested.evaluations;
    rested.lanes += resting();
    rested.woken += before - std::min(before, resting());
  }

 private:
  static constexpr bool kRests = requires(Top& top) { top.resting(); };

  unsigned resting() const {
    if constexpr (kRests)
      return Top::resting();
    else
      return 0;
  }
  static std::span<uint64_t> words(const Top& top) {
    std::size_t bytes = 0;
    const void* first = top.state(bytes);
    return {static_cast<uint64_t*>(const_cast<void*>(first)), bytes / sizeof(uint64_t)};
  }
  static std::exception_ptr evaluate(Top& top) {
    try {
      top.eval();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }
  // Of what a queue or text has got since: near this object, or near one that it has allocated.
  bool is_address(uint64_t word) const {
    const auto near = [word](const void* there) {
      return ((word ^ reinterpret_cast<uintptr_t>(there)) >> 36) == 0;
    };
    return near(this) || near(last_.data()) || near(small_.get());
  }
  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "after %" PRIu64 " evaluations %s\n", rested.evaluations, what);
    std::abort();
  }

  Top mirror_;
  std::vector<uint64_t> last_;
  std::vector<bool> own_;  // words that differ from the start: the models' own pointers
  std::unique_ptr<int> small_ = std::make_unique<int>();
};

std::span<const VerilatedModel> verilated_models() {
#define SLUICE_MODEL(name, bits) {#name, bits, make_verilated<Mirrored<V##name##_w##bits>>},
  static constexpr VerilatedModel kModels[] = {SLUICE_BUILT_MODELS(SLUICE_MODEL)};
#undef SLUICE_MODEL
  return kModels;
}

}  // namespace sluice::sim
