/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Move data from the memory of a PCI Express card to a GPU through host memory that both reach, and
 * fetch it from the GPU for a comparison.
 *
 *   sluice_example_gpu [URI [BYTES]]
 *
 * Default: sim:pcie-gen3x8/xdma?level=transaction 1048576
 */
#include <sluice.h>
#include <sluice_cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a call of libsluice or of libsluice-cuda returned; says why if it failed. */
static int board_try(const char *what, int result)
{
    if (result < 0)
        fprintf(stderr, "%s: %s\n", what, sluice_last_error());
    return result;
}

static int gpu_try(const char *what, int result)
{
    if (result < 0)
        fprintf(stderr, "%s: %s\n", what, sluice_cuda_last_error());
    return result;
}

/* One transfer of a whole buffer, from its queueing to its end. */
static int transfer(sluice_board *board, const char *name, sluice_buffer *buffer)
{
    struct sluice_transfer one = {.buffer = buffer, .bytes = sluice_buffer_bytes(buffer)};
    struct sluice_completion end;
    sluice_channel *channel;

    if (board_try("channel", sluice_board_find_channel(board, name, &channel)) < 0 ||
        board_try("submit", sluice_channel_submit(channel, &one, 1, sizeof one)) < 0 ||
        board_try("reap", sluice_channel_reap(channel, &end, 1, sizeof end, -1)) < 0)
        return -1;
    if (end.status != 0)
        fprintf(stderr, "%s: %s\n", name, sluice_status_text(end.status));
    return end.status;
}

/* The buffer's bytes go into the card, come back from it, and go on to the GPU. */
static int run(sluice_board *board, sluice_cuda_gpu *gpu, sluice_buffer *buffer)
{
    const uint64_t bytes = sluice_buffer_bytes(buffer);
    unsigned char *data = sluice_buffer_data(buffer), *sent = malloc(bytes);
    sluice_cuda_memory *memory = NULL;
    sluice_cuda_host *shared = NULL, *back = NULL;
    sluice_cuda_stream *stream = NULL;
    int status = 1;

    if (sent == NULL)
        return 1;
    for (uint64_t i = 0; i < bytes; ++i)
        sent[i] = (unsigned char)(i * 7 + (i >> 8));
    memcpy(data, sent, bytes);
    if (transfer(board, "h2c0", buffer) < 0)
        goto out;
    memset(data, 0, bytes);

    /* The buffer of a simulated board is memory of this process: register it with the GPU. */
    if (gpu_try("register", sluice_cuda_host_register(gpu, data, bytes, 0, &shared)) < 0 ||
        gpu_try("memory", sluice_cuda_memory_alloc(gpu, bytes, &memory)) < 0 ||
        gpu_try("host", sluice_cuda_host_alloc(gpu, bytes, &back)) < 0 ||
        gpu_try("stream", sluice_cuda_stream_open(gpu, &stream)) < 0 ||
        transfer(board, "c2h0", buffer) < 0)
        goto out;
    const uint64_t pointer = sluice_cuda_memory_pointer(memory);
    if (gpu_try("copy", sluice_cuda_copy_to_gpu(stream, pointer, data, bytes)) < 0 ||
        gpu_try("copy", sluice_cuda_copy_from_gpu(stream, sluice_cuda_host_data(back), pointer,
                                                  bytes)) < 0 ||
        gpu_try("synchronize", sluice_cuda_stream_synchronize(stream)) < 0)
        goto out;
    if (memcmp(sluice_cuda_host_data(back), sent, bytes) != 0) {
        fprintf(stderr, "the GPU does not hold what the card was sent\n");
        goto out;
    }
    printf("%llu bytes went from the card to the GPU\n", (unsigned long long)bytes);
    status = 0;
out:
    sluice_cuda_stream_close(stream);
    sluice_cuda_host_free(back);
    sluice_cuda_memory_free(memory);
    sluice_cuda_host_free(shared);
    free(sent);
    return status;
}

int main(int argc, char **argv)
{
    const char *uri = argc > 1 ? argv[1] : "sim:pcie-gen3x8/xdma?level=transaction";
    const uint64_t bytes = argc > 2 ? strtoull(argv[2], NULL, 0) : 1048576;
    struct sluice_cuda_info info;
    sluice_board *board = NULL;
    sluice_buffer *buffer = NULL;
    sluice_cuda_gpu *gpu = NULL;
    int status = 1;

    if (gpu_try("GPU 0", sluice_cuda_open(0, &gpu)) == 0 &&
        gpu_try("GPU 0", sluice_cuda_get_info(gpu, &info, sizeof info)) == 0 &&
        board_try(uri, sluice_board_open(uri, &board)) == 0 &&
        board_try("buffer", sluice_buffer_alloc(board, bytes, NULL, 0, &buffer)) == 0) {
        printf("%s, %s\n", info.name, info.pci);
        status = run(board, gpu, buffer);
    }
    sluice_board_close(board);
    sluice_cuda_close(gpu);
    return status;
}
