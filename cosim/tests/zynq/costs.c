// SPDX-License-Identifier: Apache-2.0
// What two instructions, a turn of an empty loop, getppid() and a read() of nothing take: a line of
// nanoseconds each, by the guest's clock. The least of some runs: those without a tick.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 1000, RUNS = 10 };

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void two_instructions(int file) {
  (void)file;
  int left = TURNS;
  __asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(left) : : "cc");
}

static void loop(int file) {
  (void)file;
  for (volatile int i = 0; i < TURNS; ++i) {
  }
}

static void parent(int file) {
  (void)file;
  for (int i = 0; i < TURNS; ++i) getppid();
}

static void read_nothing(int file) {
  char byte;
  for (int i = 0; i < TURNS; ++i)
    if (read(file, &byte, 1) != 0) abort();
}

static void nothing(int file) { (void)file; }

static uint64_t least_ns(void (*what)(int file), int file) {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < RUNS; ++i) {
    const uint64_t start = now_ns();
    what(file);
    const uint64_t took = now_ns() - start;
    if (took < least) least = took;
  }
  return least;
}

static void measure(void (*what)(int file), int file) {
  const uint64_t took = least_ns(what, file) - least_ns(nothing, file);
  printf("%llu\n", (unsigned long long)(took / TURNS));
}

int main(void) {
  const int file = open("/dev/null", O_RDONLY);
  if (file < 0) return 1;
  measure(two_instructions, file);
  measure(loop, file);
  measure(parent, file);
  measure(read_nothing, file);
  return 0;
}
