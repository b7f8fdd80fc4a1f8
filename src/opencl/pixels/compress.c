/* SPDX-License-Identifier: MIT */
#include "pixels/compress.h"

#include "opencl/core/opencl.h"

/* Leaves in `starts` how many pixels come before each chunk, and in `*count` how many there are. */
static enum clump_status find_starts(clump_context *context, const clump_image *mask,
                                     const char *options, uint64_t words, uint64_t chunks,
                                     cl_mem starts, uint64_t *count)
{
    cl_kernel kernel;
    void *mapped;
    enum clump_status status =
        clump_kernel(context, "pixels/compress", options, "compress_count", &kernel);
    if (!status)
        status = clump_launch_flat(context, kernel, chunks,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(mask), CLUMP_ARG(words),
                                              CLUMP_ARG(chunks), CLUMP_ARG(starts)));
    if (!status)
        status = clump_buffer_map(context, starts, CLUMP_IMAGE_READ_WRITE,
                                  (size_t)chunks * sizeof(uint64_t), &mapped);
    if (status)
        return status;
    uint64_t sum = 0, *start = mapped;
    for (uint64_t c = 0; c < chunks; c++) {
        uint64_t pixels = start[c];
        start[c] = sum;
        sum += pixels;
    }
    *count = sum;
    return clump_buffer_unmap(context, starts, mapped);
}

enum clump_status clump_opencl_compress(clump_context *context, const clump_image *image,
                                        const clump_image *mask, clump_image **row, uint64_t *count)
{
    static const char *const options[] = {
        [1] = "-DT=uchar", [2] = "-DT=ushort", [4] = "-DT=uint", [8] = "-DT=ulong"};
    const char *option = options[clump_type_row_bytes(image->type, 1)];
    uint64_t words = image->rows * clump_row_words(image->cols), found = 0;
    uint64_t chunks = (words + COMPRESS_CHUNK - 1) / COMPRESS_CHUNK;
    uint64_t items = context->opencl->layout.coarse ? chunks : words;
    clump_image *made = NULL;
    cl_mem starts = NULL;
    cl_kernel kernel;
    enum clump_status status =
        clump_buffer_borrow(context, (size_t)chunks * sizeof(uint64_t), &starts);
    if (!status)
        status = find_starts(context, mask, option, words, chunks, starts, &found);
    if (!status && found)
        status = clump_image_create(context, image->type, 1, found, &made);
    if (!status && found)
        status = clump_kernel(context, "pixels/compress", option, "compress_pack", &kernel);
    if (!status && found)
        status = clump_launch_flat(context, kernel, items,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG_IMAGE(mask),
                                              CLUMP_ARG(image->cols), CLUMP_ARG(words),
                                              CLUMP_ARG(starts), CLUMP_ARG(items),
                                              CLUMP_ARG_IMAGE(made)));
    clump_buffer_return(context, &starts);
    if (status) {
        clump_image_destroy(&made);
        return status;
    }
    *row = made;
    *count = found;
    return CLUMP_OK;
}
