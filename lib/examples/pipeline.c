/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four hardware threads in a pipeline: a source sends a grey image, a filter finds its edges
 * (3 x 3 Sobel), a reducer sums up each row, a sink stores the sums. The image is read once and the
 * sums are written; what is between goes from thread to thread directly. Then the same in software,
 * to compare.
 *
 *   sluice_example_pipeline [URI]
 *
 * Default: sim:zynq7020/streamif_threads
 */
#include <sluice.h>
#include <stdint.h>
#include <stdio.h>

#include "thread_steps.h"

#define WIDTH 256u /* pixels of a row, a byte each */
#define HEIGHT 192u
#define WORDS (WIDTH / 4) /* of a row */

enum { SOURCE, FILTER, REDUCER, SINK, THREADS };

static int absolute(int value)
{
    return value < 0 ? -value : value;
}

/* The sums of the rows of the filtered image. */
static void reference(const uint8_t *image, uint32_t *sums)
{
    for (unsigned y = 0; y < HEIGHT; ++y) {
        sums[y] = 0;
        for (unsigned x = 1; x + 1 < WIDTH && y > 0 && y + 1 < HEIGHT; ++x) {
            const uint8_t *above = image + (y - 1) * WIDTH + x;
            const uint8_t *here = above + WIDTH, *below = here + WIDTH;
            const int left = above[-1] + 2 * here[-1] + below[-1];
            const int right = above[1] + 2 * here[1] + below[1];
            const int top = above[-1] + 2 * above[0] + above[1];
            const int bottom = below[-1] + 2 * below[0] + below[1];
            const int edge = absolute(right - left) + absolute(bottom - top);

            sums[y] += edge > 255 ? 255u : (uint32_t)edge;
        }
    }
}

/* A bright disc on a slope, with some noise. */
static void paint(uint8_t *image)
{
    uint32_t noise = 1;

    for (unsigned y = 0; y < HEIGHT; ++y) {
        for (unsigned x = 0; x < WIDTH; ++x) {
            const int dx = (int)x - (int)WIDTH / 2, dy = (int)y - (int)HEIGHT / 2;

            noise = noise * 1664525u + 1013904223u;
            image[y * WIDTH + x] =
                (uint8_t)((dx * dx + dy * dy < 3600 ? 160 : 0) + x / 4 + (noise >> 28));
        }
    }
}

static int run(sluice_board *board)
{
    static const struct {
        uint32_t kernel, a, b; /* as enum sluice_hwt_kernel says */
    } jobs[THREADS] = {{SLUICE_HWT_COPY, WORDS * HEIGHT, 0},
                       {SLUICE_HWT_SOBEL, WORDS, HEIGHT},
                       {SLUICE_HWT_REDUCE, WORDS, HEIGHT},
                       {SLUICE_HWT_COPY, HEIGHT, 0}};
    struct sluice_completion read, written;
    sluice_buffer *image, *sums;
    sluice_hwt *hwts[THREADS];
    uint32_t expected[HEIGHT];

    if (try("buffer", sluice_buffer_alloc(board, WIDTH * HEIGHT, NULL, 0, &image)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, sizeof expected, NULL, 0, &sums)) < 0 ||
        try("access", sluice_buffer_begin_access(image, SLUICE_WRITE)) < 0)
        return 1;
    paint(sluice_buffer_data(image));
    reference(sluice_buffer_data(image), expected);
    if (try("access", sluice_buffer_end_access(image)) < 0)
        return 1;

    /* Each takes its stream from the one before, and knows what to do with it. */
    for (unsigned i = 0; i < THREADS; ++i) {
        if (try("open", sluice_hwt_open(board, i, &hwts[i])) < 0 ||
            try("kernel", sluice_hwt_set_kernel(hwts[i], jobs[i].kernel)) < 0 ||
            (i > 0 && try("route", sluice_hwt_route(hwts[i], hwts[i - 1])) < 0))
            return 1;
    }
    for (unsigned i = 0; i < THREADS; ++i)
        if (try("job", sluice_hwt_start(hwts[i], jobs[i].a, jobs[i].b)) < 0)
            return 1;

    /* The first may read the image, the last may write the sums; the others reach no memory. */
    if (grant(hwts[SOURCE], image, SLUICE_READ) < 0 || grant(hwts[SINK], sums, SLUICE_WRITE) < 0 ||
        command(hwts[SINK], sums, SLUICE_S2MM) < 0 ||
        command(hwts[SOURCE], image, SLUICE_MM2S) < 0 ||
        complete(hwts[SINK], SLUICE_S2MM, &written) < 0 ||
        complete(hwts[SOURCE], SLUICE_MM2S, &read) < 0)
        return 1;
    for (unsigned i = 0; i < THREADS; ++i) {
        if (try("result", sluice_hwt_wait(hwts[i], NULL, TIMEOUT_NS)) != 1) {
            fprintf(stderr, "thread %u is not done\n", i);
            return 1;
        }
    }

    if (try("access", sluice_buffer_begin_access(sums, SLUICE_READ)) < 0)
        return 1;
    const uint32_t *found = sluice_buffer_data(sums);
    for (unsigned y = 0; y < HEIGHT; ++y) {
        if (found[y] != expected[y]) {
            fprintf(stderr, "row %u: %lu instead of %lu\n", y, (unsigned long)found[y],
                    (unsigned long)expected[y]);
            return 1;
        }
    }
    const double time_us = (double)(written.finish_ns - read.start_ns) / 1000.0;
    printf("%u rows of %u pixels through four threads in %.1f us of the board's time, %.1f MB/s\n",
           HEIGHT, WIDTH, time_us, WIDTH * HEIGHT / time_us);
    return 0;
}

int main(int argc, char **argv)
{
    sluice_board *board;

    if (argc > 2) {
        fprintf(stderr, "usage: %s [URI]\n", argv[0]);
        return 2;
    }
    if (try("open", sluice_board_open(argc > 1 ? argv[1] : "sim:zynq7020/streamif_threads",
                                      &board)) < 0)
        return 1;
    const int result = run(board);
    sluice_board_close(board); /* frees threads and buffers too */
    return result;
}
