/* SPDX-License-Identifier: MIT */
#include "opencl/stats/histogram.h"

#include <assert.h>

static_assert(sizeof(struct histogram_seek_args) == 48, "histogram_seek_args is laid out otherwise "
                                                        "on the device");

/*
 * Looks for the first pixel of key `least` in the chunks from start.least on, and for that of key
 * `most` in the chunks from start.most on, `chunks` chunks each. has[] tells which are there.
 */
static enum clump_status look(struct histogram *histogram, uint64_t least, uint64_t most,
                              struct histogram_place start, uint64_t chunks,
                              struct histogram_place *place, bool has[2])
{
    clump_context *context = histogram->context;
    struct histogram_seek_args args = {.n = histogram->n,
                                       .start_least = start.least,
                                       .start_most = start.most,
                                       .least = least,
                                       .most = most,
                                       .chunks = chunks};
    size_t bytes = (size_t)chunks * 2 * sizeof(uint32_t);
    cl_kernel kernel;
    cl_mem buffer = NULL;
    void *mapped = NULL;
    enum clump_status status = clump_histogram_kernel(context, histogram->image->type,
                                                      "stats/histogram", "histogram_seek", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &buffer);
    if (!status)
        status = clump_histogram_launch(histogram, kernel, chunks,
                                        CLUMP_ARGS(clump_arg_part(histogram->image,
                                                                  chunks * 2 * HISTOGRAM_CHUNK),
                                                   CLUMP_ARG(args), CLUMP_ARG(buffer)));
    if (!status)
        status = clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        const uint32_t *found = mapped;
        uint64_t a = 0, b = 0;
        while (a + 1 < chunks && found[2 * a] == UINT32_MAX)
            a++;
        while (b + 1 < chunks && found[2 * b + 1] == UINT32_MAX)
            b++;
        has[0] = found[2 * a] < HISTOGRAM_CHUNK;
        has[1] = found[2 * b + 1] < HISTOGRAM_CHUNK;
        *place = (struct histogram_place){(start.least + a) * HISTOGRAM_CHUNK + found[2 * a],
                                          (start.most + b) * HISTOGRAM_CHUNK + found[2 * b + 1]};
        status = clump_buffer_unmap(context, buffer, mapped);
    }
    clump_buffer_return(context, &buffer);
    return status;
}

/* The same, but fails if either is not there. */
static enum clump_status seek(struct histogram *histogram, uint64_t least, uint64_t most,
                              struct histogram_place start, uint64_t chunks,
                              struct histogram_place *place)
{
    bool has[2];
    enum clump_status status = look(histogram, least, most, start, chunks, place, has);
    return status ? status
                  : clump_check_count(histogram->context, "statistics", "extreme pixels",
                                      (uint64_t)has[0] + has[1], 2);
}

enum clump_status clump_histogram_seek_extremes(struct histogram *histogram,
                                                struct histogram_place *place)
{
    return seek(histogram, histogram->least, histogram->most,
                (struct histogram_place){histogram->least_chunk, histogram->most_chunk}, 1, place);
}

enum clump_status clump_histogram_seek(struct histogram *histogram, uint64_t least, uint64_t most,
                                       struct histogram_place *place)
{
    uint64_t chunks = clump_histogram_chunks(histogram->n);
    return seek(histogram, least, most, (struct histogram_place){0, 0}, chunks, place);
}

enum clump_status clump_histogram_seek_any(struct histogram *histogram, uint64_t least,
                                           uint64_t most, struct histogram_place *place,
                                           bool has[2])
{
    uint64_t chunks = clump_histogram_chunks(histogram->n);
    return look(histogram, least, most, (struct histogram_place){0, 0}, chunks, place, has);
}
