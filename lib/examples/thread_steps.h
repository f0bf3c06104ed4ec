/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that the examples with hardware threads share. */
#ifndef THREAD_STEPS_H
#define THREAD_STEPS_H

#include <sluice.h>
#include <stdio.h>

#define TIMEOUT_NS 100000000 /* of the board's time: many times what it takes */

/* What a call returned; says why if it failed. */
static inline int try(const char *what, int result)
{
    if (result < 0)
        fprintf(stderr, "%s: %s\n", what, sluice_last_error());
    return result;
}

/* Let a thread use all of a buffer. */
static inline int grant(sluice_hwt *hwt, sluice_buffer *buffer, uint32_t access)
{
    const struct sluice_hwt_window window = {
        .buffer = buffer, .bytes = sluice_buffer_bytes(buffer), .access = access};

    return try("grant", sluice_hwt_grant(hwt, &window, sizeof window));
}

/* Queue a command for all of a buffer. */
static inline int command(sluice_hwt *hwt, sluice_buffer *buffer, uint32_t direction)
{
    const struct sluice_hwt_command all = {.buffer = buffer,
                                           .bytes = sluice_buffer_bytes(buffer),
                                           .direction = direction,
                                           .flags = direction == SLUICE_MM2S ? SLUICE_HWT_EOP : 0};

    return try("command", sluice_hwt_submit(hwt, &all, 1, sizeof all));
}

/* Wait for the one command of a direction. 0, or -1 having said why. */
static inline int complete(sluice_hwt *hwt, uint32_t direction,
                           struct sluice_completion *completion)
{
    const int count = try("completion", sluice_hwt_reap(hwt, direction, completion, 1,
                                                        sizeof *completion, TIMEOUT_NS));

    if (count == 1 && completion->status == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", direction == SLUICE_MM2S ? "reading" : "writing",
            count == 1 ? sluice_status_text(completion->status) : "no end in time");
    return -1;
}

#endif /* THREAD_STEPS_H */
