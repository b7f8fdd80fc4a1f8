/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <inttypes.h>
#include <stdlib.h>

#include "reference/pixel.h"

#define UNSEEN (-1)

/* Marks set pixels UNSEEN and the others 0. */
static void mark(const clump_image *mask, int32_t *labels)
{
    for (uint64_t i = 0; i < pixel_count(mask); i++) {
        bool set = mask->type == CLUMP_BITS ? bit_get(mask, i / mask->cols, i % mask->cols)
                                            : ((const uint8_t *)mask->pixels)[i] != 0;
        labels[i] = set ? UNSEEN : 0;
    }
}

/* Gives `number` to every UNSEEN pixel connected to `seed`; `stack` has room for all pixels. */
static void fill(clump_image *labels, unsigned connectivity, uint64_t seed, int32_t number,
                 uint64_t *stack)
{
    int32_t *pixels = labels->pixels;
    uint64_t height = 0;
    pixels[seed] = number;
    stack[height++] = seed;
    while (height) {
        uint64_t i = stack[--height], row = i / labels->cols, col = i % labels->cols;
        for (int dr = -1; dr <= 1; dr++)
            for (int dc = -1; dc <= 1; dc++) {
                uint64_t r = row + (uint64_t)(int64_t)dr, c = col + (uint64_t)(int64_t)dc;
                if ((connectivity == 4 && dr && dc) || r >= labels->rows || c >= labels->cols)
                    continue;
                uint64_t j = r * labels->cols + c;
                if (pixels[j] == UNSEEN) {
                    pixels[j] = number;
                    stack[height++] = j;
                }
            }
    }
}

/* Numbers components in raster order of their first pixels. */
static enum clump_status number_all(clump_context *context, clump_image *labels,
                                    unsigned connectivity, uint64_t *stack, uint64_t *count)
{
    const int32_t *pixels = labels->pixels;
    int32_t found = 0;
    for (uint64_t i = 0; i < pixel_count(labels); i++) {
        if (pixels[i] != UNSEEN)
            continue;
        if (found == INT32_MAX)
            return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                              "label: the image has more than %" PRId32 " components", INT32_MAX);
        fill(labels, connectivity, i, ++found, stack);
    }
    *count = (uint64_t)found;
    return CLUMP_OK;
}

enum clump_status clump_reference_label(clump_context *context, const clump_image *mask,
                                        const struct clump_label_params *params,
                                        clump_image **labels, uint64_t *count)
{
    clump_image *out = NULL;
    uint64_t *stack = malloc(pixel_count(mask) * sizeof *stack);
    if (!stack)
        return clump_reference_no_memory(context, "label");
    enum clump_status status = clump_image_create(context, CLUMP_I32, mask->rows, mask->cols, &out);
    if (!status) {
        mark(mask, out->pixels);
        status = number_all(context, out, params->connectivity, stack, count);
    }
    free(stack);
    if (status || !labels)
        clump_image_destroy(&out);
    else
        *labels = out;
    return status;
}
