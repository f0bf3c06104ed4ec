// SPDX-License-Identifier: Apache-2.0
// What the programs here have in common: exit statuses, and an end by SIGINT or SIGTERM.
#pragma once

#include <csignal>

namespace sluice::cosim {

inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;

// Not 0: the program is to end.
inline volatile std::sig_atomic_t stop = 0;

// From now on the signals set `stop`, and system calls that wait return.
inline void catch_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stop = 1; };  // no SA_RESTART
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace sluice::cosim
