/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

#include "reference/pixel.h"

enum { CLEAR, WEAK, STRONG, DONE };

/* Tells whether the value lies on the wanted side of the level; NaN never does. */
static bool passes(const struct clump_threshold_params *params, long double value,
                   long double level)
{
    return (params->below ? value < level : value > level) || (params->inclusive && value == level);
}

/* Marks every pixel CLEAR, WEAK (above `low` only) or STRONG (above both levels). */
static void grade(const clump_image *image, const struct clump_threshold_params *params,
                  uint8_t *grades)
{
    for (uint64_t i = 0; i < pixel_count(image); i++) {
        long double value = pixel_get(image, i);
        long double level = params->map ? pixel_get(params->map, i) : params->above;
        grades[i] = passes(params, value, level)                               ? STRONG
                    : params->hysteresis && passes(params, value, params->low) ? WEAK
                                                                               : CLEAR;
    }
}

/* Makes the WEAK pixels that are connected to `seed` STRONG; `stack` has room for all pixels. */
static void spread(uint8_t *grades, const clump_image *image, unsigned connectivity, uint64_t seed,
                   uint64_t *stack)
{
    uint64_t height = 0;
    stack[height++] = seed;
    while (height) {
        uint64_t i = stack[--height], row = i / image->cols, col = i % image->cols;
        for (int dr = -1; dr <= 1; dr++)
            for (int dc = -1; dc <= 1; dc++) {
                uint64_t r = row + (uint64_t)(int64_t)dr, c = col + (uint64_t)(int64_t)dc;
                if ((connectivity == 4 && dr && dc) || r >= image->rows || c >= image->cols)
                    continue;
                uint64_t j = r * image->cols + c;
                if (grades[j] == WEAK) {
                    grades[j] = DONE;
                    stack[height++] = j;
                }
            }
    }
}

static enum clump_status connect(clump_context *context, const clump_image *image,
                                 unsigned connectivity, uint8_t *grades)
{
    uint64_t *stack = malloc(pixel_count(image) * sizeof *stack);
    if (!stack)
        return clump_reference_no_memory(context, "threshold");
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (grades[i] == STRONG)
            spread(grades, image, connectivity, i, stack);
    free(stack);
    return CLUMP_OK;
}

/* Sets the pixels that are STRONG or connected to a STRONG one, and returns their number. */
static uint64_t write_mask(const uint8_t *grades, clump_image *mask)
{
    uint64_t set = 0;
    memset(mask->pixels, 0, mask->bytes);
    for (uint64_t i = 0; i < pixel_count(mask); i++) {
        if (grades[i] != STRONG && grades[i] != DONE)
            continue;
        set++;
        if (mask->type == CLUMP_BITS)
            bit_set(mask, i / mask->cols, i % mask->cols);
        else
            ((uint8_t *)mask->pixels)[i] = 1;
    }
    return set;
}

enum clump_status clump_reference_threshold(clump_context *context, const clump_image *image,
                                            const struct clump_threshold_params *params,
                                            clump_image **mask, uint64_t *count)
{
    enum clump_status status = CLUMP_OK;
    clump_image *out = NULL;
    uint8_t *grades = malloc(pixel_count(image));
    if (!grades)
        return clump_reference_no_memory(context, "threshold");
    grade(image, params, grades);
    if (params->hysteresis)
        status = connect(context, image, params->connectivity, grades);
    if (!status)
        status = clump_image_create(context, params->output, image->rows, image->cols, &out);
    if (!status) {
        uint64_t set = write_mask(grades, out);
        if (count)
            *count = set;
        *mask = out;
    }
    free(grades);
    return status;
}
