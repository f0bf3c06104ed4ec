/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Send a buffer into the memory of a PCI Express card by the card's DMA, look at its first bytes
 * through the card's BAR where the board reaches the card's memory so, and fetch it back. The same
 * on a simulated card and on a function of vfio-pci, which has no such way yet.
 *
 *   sluice_example_card [URI [BYTES]]
 *
 * Default: sim:pcie-gen3x8/xdma 1048576
 */
#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEEK 16u /* bytes */

/* What a call returned; says why if it failed. */
static int try(const char *what, int result)
{
    if (result < 0)
        fprintf(stderr, "%s: %s\n", what, sluice_last_error());
    return result;
}

/* One transfer from its queueing to its end, whose rate is printed. */
static int move(sluice_board *board, const char *name, sluice_buffer *buffer)
{
    struct sluice_transfer transfer = {.buffer = buffer, .bytes = sluice_buffer_bytes(buffer)};
    struct sluice_completion end;
    sluice_channel *channel;

    if (try("channel", sluice_board_find_channel(board, name, &channel)) < 0 ||
        try("submit", sluice_channel_submit(channel, &transfer, 1, sizeof transfer)) < 0 ||
        try("reap", sluice_channel_reap(channel, &end, 1, sizeof end, -1)) < 0)
        return 1;
    if (end.status != 0) {
        fprintf(stderr, "%s: %s\n", name, sluice_status_text(end.status));
        return 1;
    }
    printf("%s: %llu bytes in %.2f us of the board's time, %.0f MB/s\n", name,
           (unsigned long long)end.bytes, (double)(end.finish_ns - end.start_ns) / 1e3,
           (double)end.bytes * 1e3 / (double)(end.finish_ns - end.start_ns));
    return 0;
}

static int there_and_back(sluice_board *board, unsigned long bytes)
{
    struct sluice_board_info info;
    sluice_buffer *out, *in;
    unsigned char peek[PEEK];

    if (try("info", sluice_board_get_info(board, &info, sizeof info)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, bytes, NULL, 0, &out)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, bytes, NULL, 0, &in)) < 0 ||
        try("access", sluice_buffer_begin_access(out, SLUICE_READ | SLUICE_WRITE)) < 0)
        return 1;

    unsigned char *data = sluice_buffer_data(out);
    for (unsigned long i = 0; i < bytes; ++i)
        data[i] = (unsigned char)(i * 7 + i / 256);

    if (try("access", sluice_buffer_end_access(out)) < 0 || move(board, "h2c0", out) != 0 ||
        (info.card_bytes != 0 &&
         try("peek", sluice_card_read(board, 0, peek, bytes < PEEK ? bytes : PEEK)) < 0) ||
        move(board, "c2h0", in) != 0 ||
        try("access", sluice_buffer_begin_access(in, SLUICE_READ)) < 0)
        return 1;
    if ((info.card_bytes != 0 && memcmp(peek, data, bytes < PEEK ? bytes : PEEK) != 0) ||
        memcmp(sluice_buffer_data(in), data, bytes) != 0) {
        fprintf(stderr, "the data did not come back as it was\n");
        return 1;
    }
    puts("the data came back as it was");
    return 0;
}

int main(int argc, char **argv)
{
    const char *uri = argc > 1 ? argv[1] : "sim:pcie-gen3x8/xdma";
    const unsigned long bytes = argc > 2 ? strtoul(argv[2], NULL, 0) : 1ul << 20;
    sluice_board *board;

    if (argc > 3 || bytes == 0) {
        fprintf(stderr, "usage: %s [URI [BYTES]]\n", argv[0]);
        return 2;
    }
    if (try("open", sluice_board_open(uri, &board)) < 0)
        return 1;
    const int result = there_and_back(board, bytes);
    sluice_board_close(board);
    return result;
}
