/* SPDX-License-Identifier: MIT */
/* Measurements of the greatest and the least values there are, far away, and against levels. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kind of values in pair_measure_ends, by seed; real_end says what the kinds are. */
static unsigned kind_of(const struct pair_case *test) { return test->seed & 3; }

/* By kind: 0 and 1, the greatest magnitudes of the type, of one sign; 2, magnitudes so small that
 * their fixed-point scale needs two factors; 3, halves of the fixed-point unit among numbers large
 * enough to make that unit 1. */
static double real_end(unsigned kind, bool wide, uint64_t i, uint64_t r)
{
    double small = (double)(r & 63), sign = kind == 1 || (kind > 1 && r >> 8 & 1) ? -1 : 1;
    if (kind < 2)
        return sign * ldexp((wide ? 0x1p53 : 0x1p24) - 1 - small, wide ? 971 : 104);
    if (kind == 2) /* and some that are denormal */
        return sign * ldexp(64 + small, r >> 9 & 1 ? (wide ? -1074 : -149) : wide ? -1020 : -124);
    return sign * (i % 37 ? small + 0.5 : 0x1p39 - 0x1p15);
}

/* The ends of a type's range, one of them or both. */
static int64_t whole_end(unsigned kind, enum clump_type type, uint64_t r)
{
    bool has_sign = type == CLUMP_I16 || type == CLUMP_I32 || type == CLUMP_I64;
    unsigned bits = 8 * (unsigned)clump_type_row_bytes(type, 1) - has_sign;
    int64_t most = (int64_t)(((uint64_t)1 << bits) - 1), least = has_sign ? -most - 1 : 0;
    bool low = kind == 1 || (kind > 1 && r >> 8 & 1);
    return low ? least + (int64_t)(r & 63) : most - (int64_t)(r & 63);
}

static void picture_ends(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed, size = clump_type_row_bytes(test->type, 1);
    for (uint64_t i = 0; i < test->rows * test->cols; i++) {
        uint64_t r = pair_random(&state);
        double real = real_end(kind_of(test), test->type == CLUMP_F64, i, r);
        float single = (float)real;
        int64_t whole = 0;
        const void *from = &whole; /* its low bytes come first */
        if (test->type == CLUMP_F32)
            from = &single;
        else if (test->type == CLUMP_F64)
            from = &real;
        else
            whole = whole_end(kind_of(test), test->type, r);
        memcpy((char *)pixels + i * size, from, size);
    }
}

/* Long runs: everything, or nearly. */
static enum clump_status prepare_ends(clump_context *context, const struct pair_case *test,
                                      struct pair_input *in)
{
    const uint64_t seed = test->seed >> 2 & 1 ? 10 : 9;
    const struct pair_case dense = {test->rows, test->cols, test->type, seed};
    return pair_make_mask(context, &dense, &in->extra[0]);
}

/* A picture with so many rows above it, and columns, a multiple of 32, before it. */
static enum clump_status prepend(clump_context *context, const struct pair_case *test,
                                 uint64_t rows, uint64_t cols,
                                 void (*picture)(const struct pair_case *, void *),
                                 clump_image **image)
{
    size_t from = clump_type_row_bytes(test->type, test->cols);
    size_t to = clump_type_row_bytes(test->type, test->cols + cols),
           size = to * (rows + test->rows);
    char *small = pair_memory(from * test->rows), *large = pair_memory(size);
    memset(large, 0, size);
    picture(test, small);
    for (uint64_t row = 0; row < test->rows; row++)
        memcpy(large + to * (rows + row + 1) - from, small + from * row, from);
    enum clump_status status =
        clump_image_upload(context, test->type, rows + test->rows, cols + test->cols, large, image);
    free(large);
    free(small);
    return status;
}

/* Puts the picture so far from the first pixel that its moments need more than 64 bits. */
static enum clump_status prepare_far(clump_context *context, const struct pair_case *test,
                                     struct pair_input *in)
{
    bool far = test->seed < 2;
    uint64_t rows = far && test->cols <= 3 ? 1u << 19 : 0;
    uint64_t cols = far && test->rows == 1 && !rows ? 1u << 21 : 0;
    const struct pair_case dense = {test->rows, test->cols, CLUMP_BITS, test->seed % 2 ? 9 : 10};
    enum clump_status status = prepend(context, test, rows, cols, picture_ends, &in->extra[1]);
    return status ? status : prepend(context, &dense, rows, cols, pair_picture_mask, &in->extra[0]);
}

static enum clump_status run_far(clump_context *context, const struct pair_case *test,
                                 const struct pair_input *in, struct pair_output *out)
{
    (void)test;
    return pair_measure_all(context, in->extra[1], in->extra[0], NULL, out);
}

static enum clump_status run_ends(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    return (test->seed >> 3 & 1 ? pair_measure_briefly : pair_measure_plain)(context, test, in,
                                                                             out);
}

/* A level among the values, beyond them on either side, far below their unit, or in its halves. */
static double level_of(const struct pair_case *test)
{
    const bool any = test->type == CLUMP_F32 || test->type == CLUMP_F64 || test->type == CLUMP_I64;
    const double middle = pair_level(test->type), ends = real_end(0, false, 1, 0);
    const double levels[] = {
        middle, -middle / 3 - 0.5, 0x1p-40,   1000.0009765625, any ? ends : -0x1p38,
        0.5,    -1 / 3.0,          12345678.5};
    return levels[test->seed / 2 % 8];
}

static enum clump_status run_level(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {.connectivity = 8,
                                                .brief = test->seed % 16 == 5,
                                                .level = level_of(test)};
    return pair_measure_all(context, in->image, in->extra[0], &params, out);
}

const struct pair pair_measure_ends = {
    .name = "measure_ends",
    .operation = "measure",
    .types = PAIR_NUMBERS,
    .picture = picture_ends,
    .prepare = prepare_ends,
    .fallbacks = pair_scale_fallbacks,
    .run = run_ends,
};

const struct pair pair_measure_far = {
    .name = "measure_far",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_I64,
    .picture = picture_ends,
    .prepare = prepare_far,
    .fallbacks = pair_scale_fallbacks,
    .run = run_far,
};

const struct pair pair_measure_level = {
    .name = "measure_level",
    .operation = "measure",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .prepare = pair_mask_above,
    .fallbacks = pair_scale_fallbacks,
    .run = run_level,
};

const struct pair pair_measure_level_ends = {
    .name = "measure_level_ends",
    .operation = "measure",
    .types = PAIR_NUMBERS,
    .picture = picture_ends,
    .prepare = prepare_ends,
    .fallbacks = pair_scale_fallbacks,
    .run = run_level,
};
