/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three hardware threads, one after the other: the first writes a counter into memory, the second
 * reads it and forms the exclusive or of its words, the third copies it. With 1,048,576 words these
 * are the threads that Guven and Sahin measured StreamIF with (2017). Software does the same, to
 * compare.
 *
 *   sluice_example_threads [URI [WORDS]]
 *
 * Default: sim:zynq7020/streamif_threads 1048576
 */
#include <inttypes.h>
#include <sluice.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread_steps.h"

#define FIRST 0x01234567u /* of the counter */
#define MOST_WORDS (1u << 22)

/* Open thread `number` with a kernel and give it a job of so many words. */
static sluice_hwt *begin(sluice_board *board, unsigned number, uint32_t kernel, uint32_t words,
                         uint32_t first)
{
    sluice_hwt *hwt;

    if (try("open", sluice_hwt_open(board, number, &hwt)) < 0 ||
        try("kernel", sluice_hwt_set_kernel(hwt, kernel)) < 0 ||
        try("job", sluice_hwt_start(hwt, words, first)) < 0)
        return NULL;
    return hwt;
}

/* Wait for a thread's result. 0, or -1 having said why. */
static int result_of(sluice_hwt *hwt, uint32_t *result)
{
    const int count = try("result", sluice_hwt_wait(hwt, result, TIMEOUT_NS));

    if (count == 0)
        fprintf(stderr, "the thread is not done in time\n");
    return count == 1 ? 0 : -1;
}

static void say(const char *what, uint64_t bytes, uint64_t start_ns, uint64_t finish_ns)
{
    const double time_us = (double)(finish_ns - start_ns) / 1000.0;

    printf("%-13s %8" PRIu64 " bytes, %9.1f us of the board's time, %6.1f MB/s\n", what, bytes,
           time_us, (double)bytes / time_us);
}

static int count(sluice_board *board, sluice_buffer *to, uint32_t words)
{
    sluice_hwt *hwt = begin(board, 0, SLUICE_HWT_COUNT, words, FIRST);
    struct sluice_completion written;
    uint32_t result;

    if (hwt == NULL || grant(hwt, to, SLUICE_WRITE) < 0 || command(hwt, to, SLUICE_S2MM) < 0 ||
        complete(hwt, SLUICE_S2MM, &written) < 0 || result_of(hwt, &result) < 0 ||
        try("access", sluice_buffer_begin_access(to, SLUICE_READ)) < 0)
        return -1;
    const uint32_t *found = sluice_buffer_data(to);
    for (uint32_t i = 0; i < words; ++i) {
        if (found[i] != FIRST + i) {
            fprintf(stderr, "word %" PRIu32 ": %" PRIu32 " instead of %" PRIu32 "\n", i, found[i],
                    FIRST + i);
            return -1;
        }
    }
    say("counter:", written.bytes, written.start_ns, written.finish_ns);
    return try("access", sluice_buffer_end_access(to));
}

static int exclusive_or(sluice_board *board, sluice_buffer *from, uint32_t words)
{
    sluice_hwt *hwt = begin(board, 1, SLUICE_HWT_XOR, words, 0);
    struct sluice_completion read;
    uint32_t expected = 0, result;

    if (hwt == NULL || grant(hwt, from, SLUICE_READ) < 0 || command(hwt, from, SLUICE_MM2S) < 0 ||
        complete(hwt, SLUICE_MM2S, &read) < 0 || result_of(hwt, &result) < 0)
        return -1;
    for (uint32_t i = 0; i < words; ++i)
        expected ^= FIRST + i;
    if (result != expected) {
        fprintf(stderr, "exclusive or %" PRIu32 " instead of %" PRIu32 "\n", result, expected);
        return -1;
    }
    say("exclusive or:", read.bytes, read.start_ns, read.finish_ns);
    return 0;
}

static int copy(sluice_board *board, sluice_buffer *from, sluice_buffer *to, uint32_t words)
{
    sluice_hwt *hwt = begin(board, 2, SLUICE_HWT_COPY, words, 0);
    struct sluice_completion read, written;
    uint32_t result;

    if (hwt == NULL || grant(hwt, from, SLUICE_READ) < 0 || grant(hwt, to, SLUICE_WRITE) < 0 ||
        command(hwt, to, SLUICE_S2MM) < 0 || command(hwt, from, SLUICE_MM2S) < 0 ||
        complete(hwt, SLUICE_S2MM, &written) < 0 || complete(hwt, SLUICE_MM2S, &read) < 0 ||
        result_of(hwt, &result) < 0 ||
        try("access", sluice_buffer_begin_access(from, SLUICE_READ)) < 0 ||
        try("access", sluice_buffer_begin_access(to, SLUICE_READ)) < 0)
        return -1;
    if (memcmp(sluice_buffer_data(from), sluice_buffer_data(to), 4 * (size_t)words) != 0) {
        fprintf(stderr, "the copy is not what was copied\n");
        return -1;
    }
    say("copy:", read.bytes + written.bytes, read.start_ns, written.finish_ns);
    return 0;
}

static int run(sluice_board *board, uint32_t words)
{
    sluice_buffer *from, *to;

    if (try("buffer", sluice_buffer_alloc(board, 4 * (uint64_t)words, NULL, 0, &from)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, 4 * (uint64_t)words, NULL, 0, &to)) < 0)
        return 1;
    return count(board, from, words) < 0 || exclusive_or(board, from, words) < 0 ||
           copy(board, from, to, words) < 0;
}

int main(int argc, char **argv)
{
    const char *uri = argc > 1 ? argv[1] : "sim:zynq7020/streamif_threads";
    char *end = "";
    const unsigned long words = argc > 2 ? strtoul(argv[2], &end, 0) : 1048576;
    sluice_board *board;

    if (argc > 3 || *end != 0 || words < 1 || words > MOST_WORDS) {
        fprintf(stderr, "usage: %s [URI [WORDS]]; WORDS is 1 to %u\n", argv[0], MOST_WORDS);
        return 2;
    }
    if (try("open", sluice_board_open(uri, &board)) < 0)
        return 1;
    const int result = run(board, (uint32_t)words);
    sluice_board_close(board); /* frees threads and buffers too */
    return result;
}
