/* SPDX-License-Identifier: MIT */
/* Measurements of regions that differ much in brightness: none may depend on the others. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PITCH 4 /* pixels from one region, of 3 x 3 pixels, to the next */

/* The exponent e of a region, whose values are multiples of 2^e. Most regions have the same. Some
 * are fainter: a scale that serves all regions has all their bits, or has not. Some are so bright
 * that such a scale has no bit of the others. */
static int exponent_of(uint64_t hash)
{
    static const int exponents[] = {0,   0,   0,   0,   -3, -9,  -13, -14,
                                    -15, -16, -20, -40, 47, 100, 7,   -140};
    return exponents[hash % 16];
}

static uint64_t hash_of(const struct pair_case *test, uint64_t row, uint64_t col)
{
    uint64_t state = test->seed / 4 * 7919 + row / PITCH * 65537 + col / PITCH;
    return pair_random(&state);
}

/* A pixel of a region. By seed: of one sign or of both, whole or with all bits. Some regions are 0,
 * and some have a pixel that is 0 or, in floats, infinite. */
static double value_of(const struct pair_case *test, uint64_t hash, uint64_t r, bool middle)
{
    double sign = (test->seed & 1 && r & 1) || hash >> 20 & 1 ? -1 : 1;
    if (hash >> 8 & 15 ? (hash >> 12 & 7) == 0 && middle : true)
        return 0;
    if (middle && (hash >> 16 & 15) == 0 && test->type != CLUMP_I64)
        return sign * (double)INFINITY;
    double whole = (double)(test->seed & 2 ? 1 + (r >> 8 & 7) : 0x800000 + (r >> 8 & 0x7fffff));
    return sign * ldexp(whole, exponent_of(hash) - (test->seed & 2 ? 0 : 23));
}

static void picture_scales(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed + 1;
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++) {
            uint64_t i = row * test->cols + col, hash = hash_of(test, row, col);
            bool middle = row % PITCH == 1 && col % PITCH == 1;
            double value = value_of(test, hash, pair_random(&state), middle);
            if (test->type == CLUMP_F32)
                ((float *)pixels)[i] = (float)value;
            else if (test->type == CLUMP_F64)
                ((double *)pixels)[i] = value;
            else
                ((int64_t *)pixels)[i] = (int64_t)fmax(fmin(value, 0x1p62), -0x1p63);
        }
}

static bool in_region(uint64_t row, uint64_t col)
{
    return row % PITCH < PITCH - 1 && col % PITCH < PITCH - 1;
}

/* A mask, or labels, which every third region shares with the first. */
static enum clump_status prepare_scales(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    enum clump_type type = test->seed >> 2 & 1 ? CLUMP_I32 : CLUMP_BITS;
    size_t line = clump_type_row_bytes(type, test->cols);
    char *pixels = pair_memory(line * test->rows);
    uint64_t across = test->cols / PITCH + 1;
    memset(pixels, 0, line * test->rows);
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++) {
            uint32_t *words = (uint32_t *)(pixels + line * row);
            uint32_t number = (uint32_t)(row / PITCH * across + col / PITCH);
            if (in_region(row, col) && type == CLUMP_BITS)
                words[col / 32] |= (uint32_t)1 << col % 32;
            else if (in_region(row, col))
                words[col] = number % 3 ? number + 1 : 1;
        }
    enum clump_status status =
        clump_image_upload(context, type, test->rows, test->cols, pixels, &in->extra[0]);
    free(pixels);
    return status;
}

static enum clump_status run_scales(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    static const double levels[] = {0, 1 / 3.0, 0, 1e10};
    const struct clump_measure_params params = {.connectivity = 4,
                                                .convex = test->seed % 3 == 0,
                                                .brief = test->seed % 5 == 4,
                                                .level = levels[test->seed / 2 % 4]};
    return pair_measure_all(context, in->image, in->extra[0], &params, out);
}

const struct pair pair_measure_scales = {
    .name = "measure_scales",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64 | 1u << CLUMP_I64,
    .picture = picture_scales,
    .prepare = prepare_scales,
    .fallbacks = pair_label_fallbacks,
    .run = run_scales,
};
