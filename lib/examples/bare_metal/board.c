/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated board around a bare-metal program: registers and memory at their bus addresses. */
#include "board.h"

#include <sluice.h>
#include <stdarg.h>
#include <stdio.h>

#include "xil_shims.h"

static sluice_board *board;

int xil_usleep(unsigned us) { return sluice_board_sleep_ns(board, 1000ULL * us); }

unsigned xil_sleep(unsigned seconds)
{
    (void)sluice_board_sleep_ns(board, 1000000000ULL * seconds);
    return 0;
}

void xil_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
}

int main(int argc, char **argv)
{
    const char *uri = argc > 1 ? argv[1] : "sim:zynq7010/dma_loopback";
    void *data;
    int status = 1;
    if (sluice_board_open(uri, &board) != 0 ||
        sluice_board_map_registers(board, (void *)ENGINE, 0, ENGINE_BYTES, &data) != 0 ||
        sluice_board_map_memory(board, (void *)MEMORY, MEMORY, MEMORY_BYTES, &data) != 0) {
        fprintf(stderr, "%s\n", sluice_last_error());
    } else {
        /* The streams of hp_stress loop back when asked, those of dma_loopback always do. */
        (void)sluice_board_set_attribute(board, "hp0.loopback", 1);
        status = bare_metal_main();
        printf("%llu ns of the board's time\n", (unsigned long long)sluice_board_now_ns(board));
    }
    sluice_board_close(board);
    return status;
}
