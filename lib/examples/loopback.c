/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Send a buffer through the loop-back of a board's first port and get it back in another.
 *
 *   sluice_example_loopback [URI]      (default: sim:zynq7010/hp_stress)
 */
#include <sluice.h>
#include <stdio.h>
#include <string.h>

#define BYTES 65536u

/* What a call returned; says why if it failed. */
static int try(const char *what, int result)
{
    if (result < 0)
        fprintf(stderr, "%s: %s\n", what, sluice_last_error());
    return result;
}

static int move(sluice_board *board)
{
    struct sluice_transfer send = {.bytes = BYTES}, receive = {.bytes = BYTES};
    struct sluice_completion sent, received;
    sluice_channel *mm2s, *s2mm;

    if (try("channel", sluice_board_find_channel(board, "hp0.mm2s", &mm2s)) < 0 ||
        try("channel", sluice_board_find_channel(board, "hp0.s2mm", &s2mm)) < 0 ||
        try("loop-back", sluice_board_set_attribute(board, "hp0.loopback", 1)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, BYTES, NULL, 0, &send.buffer)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, BYTES, NULL, 0, &receive.buffer)) < 0)
        return 1;

    unsigned char *data = sluice_buffer_data(send.buffer);
    for (unsigned i = 0; i < BYTES; ++i)
        data[i] = (unsigned char)(i * 7 + i / 256);

    /* Arm the receiver first: the stream has somewhere to go from its first beat on. */
    if (try("receive", sluice_channel_submit(s2mm, &receive, 1, sizeof receive)) < 0 ||
        try("send", sluice_channel_submit(mm2s, &send, 1, sizeof send)) < 0 ||
        try("sent", sluice_channel_reap(mm2s, &sent, 1, sizeof sent, -1)) < 0 ||
        try("received", sluice_channel_reap(s2mm, &received, 1, sizeof received, -1)) < 0)
        return 1;
    if (sent.status != 0 || received.status != 0 || received.bytes != BYTES ||
        memcmp(data, sluice_buffer_data(receive.buffer), BYTES) != 0) {
        fprintf(stderr, "the data did not come back as it was\n");
        return 1;
    }
    printf("%u bytes there and back in %.1f us of the board's time\n", BYTES,
           (double)(received.finish_ns - received.start_ns) / 1000.0);
    return 0;
}

int main(int argc, char **argv)
{
    sluice_board *board;

    if (try("open", sluice_board_open(argc > 1 ? argv[1] : "sim:zynq7010/hp_stress", &board)) < 0)
        return 1;
    const int result = move(board);
    sluice_board_close(board); /* frees the buffers too */
    return result;
}
