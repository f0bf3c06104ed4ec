/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Send a buffer through the loop-back of a board's first port and get it back in another. The same
 * on a simulated board and on a device of the driver.
 *
 *   sluice_example_loopback [URI [SENDER RECEIVER]]
 *
 * Default: sim:zynq7010/hp_stress hp0.mm2s hp0.s2mm
 */
#include <errno.h>
#include <sluice.h>
#include <stdio.h>
#include <string.h>

#define BYTES 65536u

static const char *const defaults[] = {"sim:zynq7010/hp_stress", "hp0.mm2s", "hp0.s2mm"};

/* What a call returned; says why if it failed. */
static int try(const char *what, int result)
{
    if (result < 0)
        fprintf(stderr, "%s: %s\n", what, sluice_last_error());
    return result;
}

/* Where the design can do something else, its loop-back has to be switched on. */
static int switch_on(sluice_board *board)
{
    const int result = sluice_board_set_attribute(board, "hp0.loopback", 1);

    return result == -ENOENT || result == -ENOTSUP ? 0 : result;
}

/* 1 if the transfer has moved everything; else says what happened. */
static int complete(const char *what, const struct sluice_completion *completion)
{
    if (completion->status != 0)
        fprintf(stderr, "%s: %s\n", what, sluice_status_text(completion->status));
    else if (completion->bytes != BYTES)
        fprintf(stderr, "%s: %llu bytes\n", what, (unsigned long long)completion->bytes);
    return completion->status == 0 && completion->bytes == BYTES;
}

static int move(sluice_board *board, const char *sender, const char *receiver)
{
    struct sluice_transfer send = {.bytes = BYTES}, receive = {.bytes = BYTES};
    struct sluice_completion sent, received;
    sluice_channel *mm2s, *s2mm;

    if (try("channel", sluice_board_find_channel(board, sender, &mm2s)) < 0 ||
        try("channel", sluice_board_find_channel(board, receiver, &s2mm)) < 0 ||
        try("loop-back", switch_on(board)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, BYTES, NULL, 0, &send.buffer)) < 0 ||
        try("buffer", sluice_buffer_alloc(board, BYTES, NULL, 0, &receive.buffer)) < 0 ||
        try("access", sluice_buffer_begin_access(send.buffer, SLUICE_WRITE)) < 0)
        return 1;

    unsigned char *data = sluice_buffer_data(send.buffer);
    for (unsigned i = 0; i < BYTES; ++i)
        data[i] = (unsigned char)(i * 7 + i / 256);

    /* Arm the receiver first: the stream has somewhere to go from its first beat on. */
    if (try("access", sluice_buffer_end_access(send.buffer)) < 0 ||
        try("receive", sluice_channel_submit(s2mm, &receive, 1, sizeof receive)) < 0 ||
        try("send", sluice_channel_submit(mm2s, &send, 1, sizeof send)) < 0 ||
        try("sent", sluice_channel_reap(mm2s, &sent, 1, sizeof sent, -1)) < 0 ||
        try("received", sluice_channel_reap(s2mm, &received, 1, sizeof received, -1)) < 0 ||
        try("access", sluice_buffer_begin_access(send.buffer, SLUICE_READ)) < 0 ||
        try("access", sluice_buffer_begin_access(receive.buffer, SLUICE_READ)) < 0)
        return 1;
    if (!complete("sent", &sent) || !complete("received", &received))
        return 1;
    if (memcmp(data, sluice_buffer_data(receive.buffer), BYTES) != 0) {
        fprintf(stderr, "the data did not come back as it was\n");
        return 1;
    }
    printf("%u bytes there and back in %.1f us of the board's time\n", BYTES,
           (double)(received.finish_ns - received.start_ns) / 1000.0);
    return 0;
}

int main(int argc, char **argv)
{
    const int given = argc > 1 ? argc - 1 : 0;
    sluice_board *board;

    if (given > 3 || given == 2) {
        fprintf(stderr, "usage: %s [URI [SENDER RECEIVER]]\n", argv[0]);
        return 2;
    }
    if (try("open", sluice_board_open(given > 0 ? argv[1] : defaults[0], &board)) < 0)
        return 1;
    const int result = move(board, given == 3 ? argv[2] : defaults[1],
                            given == 3 ? argv[3] : defaults[2]);
    sluice_board_close(board); /* frees the buffers too */
    return result;
}
