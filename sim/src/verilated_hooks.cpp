// SPDX-License-Identifier: Apache-2.0
// The functions that Verilated code calls to print and to stop (verilated_funcs.h).
#include "verilated_hooks.hpp"

#include <verilated.h>

#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#include "sluice/sim/design.hpp"

namespace {

thread_local std::string printed;  // since the last stop of this thread's designs

[[noreturn]] void stop(const char* file, int line, const char* what) {
  std::string text = std::exchange(printed, {});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.empty()) text = what;
  throw sluice::sim::DesignFault(text + " (" + file + ":" + std::to_string(line) + ")");
}

}  // namespace

namespace sluice::sim {

void design_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  printed += text;
}

}  // namespace sluice::sim

void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  stop(file, line, "the design stopped the simulation");
}

void vl_fatal(const char* file, int line, const char* /*hierarchy*/, const char* message) {
  stop(file, line, message);
}
