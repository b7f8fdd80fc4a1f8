/* SPDX-License-Identifier: MIT */
/*
 * Seed 0 is the lesson's case (15 x 15 weights, full, filled with 0), which `clump bench` times;
 * other seeds choose the kernel's size, the mode, the boundary and the method.
 */
#include "pair.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE  41 /* of the largest kernel */
#define LARGE (1u << 16)

struct setting {
    struct clump_convolve_params params;
    struct clump_weights kernel;
    double weights[SIDE * SIDE];
};

/* In -0.5..0.5. */
static double noise(uint64_t *state) { return (double)(pair_random(state) >> 11) * 0x1p-53 - 0.5; }

static void choose(const struct pair_case *test, struct setting *s)
{
    static const uint8_t sizes[][2] = {{15, 15}, {3, 3}, {1, 1}, {5, 5}, {2, 4},   {7, 1},
                                       {1, 9},   {6, 7}, {4, 3}, {9, 2}, {15, 14}, {41, 40}};
    uint64_t count = sizeof sizes / sizeof *sizes, seed = test->seed;
    uint64_t size = test->rows * test->cols > LARGE ? seed % (count - 1) : seed % count;
    s->kernel = (struct clump_weights){sizes[size][0], sizes[size][1], s->weights};
    s->params = clump_convolve_defaults;
    if (!seed)
        return;
    s->params.mode = (enum clump_convolve_mode)(seed % 2); /* valid: below, where it can be */
    if (seed % 3 == 0 && s->kernel.rows <= test->rows && s->kernel.cols <= test->cols)
        s->params.mode = CLUMP_CONVOLVE_MODE_VALID;
    s->params.boundary = (enum clump_boundary)(seed / 2 % 5);
    s->params.fill_value = (double)(seed % 4) - 1.25;
}

static void choose_dense(const struct pair_case *test, struct setting *s)
{
    uint64_t state = test->seed + 1;
    choose(test, s);
    for (uint64_t i = 0; i < s->kernel.rows * s->kernel.cols; i++)
        s->weights[i] = noise(&state);
}

/* Point i of n from -2 to 2. */
static double point(uint64_t i, uint64_t n)
{
    return n > 1 ? -2 + 4 * (double)i / (double)(n - 1) : 0;
}

/* The lesson's gaussian: sigma 1, not normalised. */
static double gauss(double y, double x) { return exp(-(x * x + y * y) / 2); }

static void choose_gauss(const struct pair_case *test, struct setting *s)
{
    choose(test, s);
    uint64_t rows = s->kernel.rows, cols = s->kernel.cols;
    for (uint64_t i = 0; i < rows * cols; i++)
        s->weights[i] = gauss(point(i / cols, rows), point(i % cols, cols));
    if (test->seed % 4 == 3 && rows > 1 && cols > 1) { /* and one of rank two */
        for (uint64_t i = 0; i < rows * cols; i++)
            s->weights[i] += 0.25 * (double)(i / cols);
        s->params.method = CLUMP_CONVOLVE_METHOD_AUTO;
    }
}

static void choose_ignore(const struct pair_case *test, struct setting *s)
{
    choose_gauss(test, s);
    s->params.blank = CLUMP_BLANK_IGNORE;
    s->params.method = test->seed % 3 ? CLUMP_CONVOLVE_METHOD_AUTO : CLUMP_CONVOLVE_METHOD_DIRECT;
}

/* Sums down columns overflow (huge_columns). */
static void choose_huge(const struct pair_case *test, struct setting *s)
{
    choose_gauss(test, s);
    s->params.blank = test->seed & 1 ? CLUMP_BLANK_IGNORE : CLUMP_BLANK_SPREAD;
    s->params.method =
        test->seed % 4 == 3 ? CLUMP_CONVOLVE_METHOD_AUTO : CLUMP_CONVOLVE_METHOD_SEPARABLE;
}

/* Weights enough for a transform to be exact enough. */
static void choose_fft(const struct pair_case *test, struct setting *s)
{
    static const uint8_t sizes[][2] = {{15, 15}, {21, 17}, {17, 9}, {20, 20}, {4, 21}};
    uint64_t count = sizeof sizes / sizeof *sizes, state = test->seed + 1;
    choose(test, s);
    s->kernel.rows = sizes[test->seed % count][0];
    s->kernel.cols = sizes[test->seed % count][1];
    if (s->params.mode == CLUMP_CONVOLVE_MODE_VALID)
        s->params.mode = CLUMP_CONVOLVE_MODE_SAME;
    s->params.method = CLUMP_CONVOLVE_METHOD_FFT;
    s->params.blank = test->seed % 4 == 1 ? CLUMP_BLANK_IGNORE : CLUMP_BLANK_SPREAD;
    for (uint64_t i = 0; i < s->kernel.rows * s->kernel.cols; i++)
        s->weights[i] = 0.75 + noise(&state);
}

/* From 8 rows of weights on rows are folded, and the bound holds for them. */
static void choose_folded(const struct pair_case *test, struct setting *s)
{
    static const uint8_t sizes[][2] = {{15, 15}, {8, 9},   {13, 7}, {17, 3}, {40, 1},  {9, 31},
                                       {24, 24}, {41, 12}, {7, 5},  {33, 2}, {16, 40}, {10, 10}};
    uint64_t count = sizeof sizes / sizeof *sizes, seed = test->seed, state = seed + 1;
    uint64_t size = test->rows * test->cols > LARGE ? seed % 4 : seed % count;
    choose(test, s);
    s->kernel.rows = sizes[size][0];
    s->kernel.cols = sizes[size][1];
    if (s->params.mode == CLUMP_CONVOLVE_MODE_VALID &&
        (s->kernel.rows > test->rows || s->kernel.cols > test->cols))
        s->params.mode = CLUMP_CONVOLVE_MODE_SAME;
    s->params.method = CLUMP_CONVOLVE_METHOD_FOLDED;
    for (uint64_t i = 0; i < s->kernel.rows * s->kernel.cols; i++)
        s->weights[i] = (0.75 + noise(&state)) / (double)(s->kernel.rows * s->kernel.cols);
}

/* Neither an outer product of two vectors nor a sum of few; any method that keeps the bound. */
static void choose_fast(const struct pair_case *test, struct setting *s)
{
    uint64_t state = test->seed + 15;
    choose(test, s);
    s->params.method = CLUMP_CONVOLVE_METHOD_FAST;
    for (uint64_t i = 0; i < s->kernel.rows * s->kernel.cols; i++)
        s->weights[i] = (double)(pair_random(&state) >> 40) * 0x1p-24;
}

static void choose_1d(const struct pair_case *test, struct setting *s)
{
    uint64_t state = test->seed + 1;
    choose(test, s);
    s->params.mode = (enum clump_convolve_mode)(test->seed % 3);
    s->params.blank = test->seed % 5 == 3 ? CLUMP_BLANK_IGNORE : CLUMP_BLANK_SPREAD;
    if (test->seed) {
        s->kernel.rows = 1;
        s->kernel.cols = s->kernel.cols * s->kernel.cols;
        for (uint64_t i = 0; i < s->kernel.cols; i++)
            s->weights[i] = 0.75 + noise(&state);
        return;
    }
    for (uint64_t i = 0; i < s->kernel.cols; i++) /* the diagonal of the lesson's gaussian */
        s->weights[i] = gauss(point(i, s->kernel.cols), point(i, s->kernel.cols));
    s->kernel.rows = 1;
}

static enum clump_status convolve(clump_context *context, const struct pair_input *in,
                                  const struct setting *s, bool line, struct pair_output *out)
{
    clump_image *convolved = NULL;
    enum clump_status status =
        (line ? clump_convolve_1d : clump_convolve)(context,
                                                    in->extra[0] ? in->extra[0] : in->image,
                                                    &s->kernel, &s->params, &convolved);
    if (!status)
        pair_add_image(out, "convolved", convolved);
    return status;
}

/* (n + 4) eps sum |w| max |x| on either side; see convolve.h. Rescaling to all weights adds a few
 * roundings. */
static double bound(const struct pair_input *in, const struct setting *s)
{
    void *pixels;
    bool single = clump_image_type(in->image) == CLUMP_F32;
    uint64_t n = clump_image_rows(in->image) * clump_image_cols(in->image);
    double most = fabs(s->params.fill_value), sum = 0;
    if (clump_image_map(in->image, CLUMP_IMAGE_READ, &pixels))
        return 0;
    for (uint64_t i = 0; i < n; i++) {
        double x = single ? (double)((float *)pixels)[i] : ((double *)pixels)[i];
        if (isfinite(x) && fabs(x) > most)
            most = fabs(x);
    }
    clump_image_unmap(in->image);
    uint64_t taps = s->kernel.rows * s->kernel.cols;
    for (uint64_t i = 0; i < taps; i++)
        sum += fabs(s->weights[i]);
    return 2 * (double)(taps + 4) * (single ? FLT_EPSILON : DBL_EPSILON) * sum * most *
           (s->params.blank == CLUMP_BLANK_IGNORE ? 4 : 1);
}

/* The image in one row, unless it is that already. */
static enum clump_status flatten(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    void *pixels;
    if (test->rows == 1)
        return CLUMP_OK;
    enum clump_status status = clump_image_map(in->image, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    status =
        clump_image_upload(context, test->type, 1, test->rows * test->cols, pixels, &in->extra[0]);
    enum clump_status unmapped = clump_image_unmap(in->image);
    return status ? status : unmapped;
}

/* The lesson's image, and others. */
static void deltas(const struct pair_case *test, void *pixels)
{
    (test->seed ? pair_picture_sky : pair_picture_deltas)(test, pixels);
}

/* Blank pixels; for some seeds infinite ones too, or all so large that a sum of rows overflows. */
static void extremes(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed;
    double huge = test->type == CLUMP_F32 ? FLT_MAX : DBL_MAX;
    pair_picture_sky(test, pixels);
    for (uint64_t i = 0; i < test->rows * test->cols; i++) {
        double value = NAN;
        if (test->seed % 5 == 2)
            value = huge * (0.75 + noise(&state) / 2);
        else if (test->seed % 3 == 1 && i % 197 == 5)
            value = i % 2 ? INFINITY : -INFINITY;
        if (isnan(value))
            continue;
        if (test->type == CLUMP_F32)
            ((float *)pixels)[i] = (float)value;
        else
            ((double *)pixels)[i] = value;
    }
}

/* Columns of huge pixels, of both signs in turn, so that sums along rows do not overflow while
 * those down columns do; a few pixels are blank, infinite or small. */
static void huge_columns(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed + 1;
    double huge = test->type == CLUMP_F32 ? FLT_MAX : DBL_MAX;
    for (uint64_t i = 0; i < test->rows * test->cols; i++) {
        double value = huge * (0.75 + noise(&state) / 4) * (i % test->cols % 2 ? -1 : 1);
        uint64_t r = pair_random(&state) % 64;
        value = r == 0 && test->seed % 3 == 1 ? (double)NAN : r == 1 ? value * 1e-30 : value;
        value = r == 2 && test->seed % 3 == 2 ? (double)INFINITY : value;
        if (test->type == CLUMP_F32)
            ((float *)pixels)[i] = (float)value;
        else
            ((double *)pixels)[i] = value;
    }
}

/* A side of the result, where n pixels meet k weights. */
static double side(uint64_t n, uint64_t k, enum clump_convolve_mode mode)
{
    double whole = (double)n, weights = (double)k;
    return mode == CLUMP_CONVOLVE_MODE_FULL   ? whole + weights - 1
           : mode == CLUMP_CONVOLVE_MODE_SAME ? whole
                                              : fabs(whole - weights) + 1;
}

static double results(const struct pair_case *test, const struct setting *s, bool line)
{
    if (line)
        return side(test->rows * test->cols, s->kernel.cols, s->params.mode);
    return side(test->rows, s->kernel.rows, s->params.mode) *
           side(test->cols, s->kernel.cols, s->params.mode);
}

/* Runs it, and counts the bytes of the image and of the result. */
#define CONVOLVE(word, line)                                                                       \
    static enum clump_status run_##word(clump_context *context, const struct pair_case *test,      \
                                        const struct pair_input *in, struct pair_output *out)      \
    {                                                                                              \
        struct setting s;                                                                          \
        choose_##word(test, &s);                                                                   \
        return convolve(context, in, &s, line, out);                                               \
    }                                                                                              \
    static double bytes_##word(const struct pair_case *test)                                       \
    {                                                                                              \
        struct setting s;                                                                          \
        choose_##word(test, &s);                                                                   \
        return pair_image_bytes(test, test->type) +                                                \
               (double)clump_type_row_bytes(test->type, 1) * results(test, &s, line);              \
    }
/* A product and a sum per weight: what the definition asks for, not what a method spends. */
#define FLOPS(word, line, weights)                                                                 \
    static double flops_##word(const struct pair_case *test)                                       \
    {                                                                                              \
        struct setting s;                                                                          \
        choose_##word(test, &s);                                                                   \
        return 2 * (double)(weights)*results(test, &s, line);                                      \
    }
#define BOUND(word)                                                                                \
    static double bound_##word(const struct pair_case *test, const struct pair_input *in)          \
    {                                                                                              \
        struct setting s;                                                                          \
        choose_##word(test, &s);                                                                   \
        return bound(in, &s);                                                                      \
    }

CONVOLVE(dense, false)
CONVOLVE(gauss, false)
CONVOLVE(ignore, false)
CONVOLVE(huge, false)
CONVOLVE(fft, false)
CONVOLVE(folded, false)
CONVOLVE(1d, true)
CONVOLVE(fast, false)
BOUND(fft)
BOUND(folded)
BOUND(fast)
FLOPS(dense, false, s.kernel.rows *s.kernel.cols)
FLOPS(gauss, false, s.kernel.rows + s.kernel.cols) /* of one outer product */
FLOPS(folded, false, s.kernel.rows *s.kernel.cols)
FLOPS(fast, false, s.kernel.rows *s.kernel.cols)
FLOPS(1d, true, s.kernel.cols)

const struct pair pair_convolve = {
    .name = "convolve",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = pair_picture_sky,
    .run = run_dense,
    .bytes = bytes_dense,
    .flops = flops_dense,
};

const struct pair pair_convolve_gauss = {
    .name = "convolve_gauss",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = deltas,
    .run = run_gauss,
    .bytes = bytes_gauss,
    .flops = flops_gauss,
};

const struct pair pair_convolve_ignore = {
    .name = "convolve_ignore",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = pair_picture_sky,
    .run = run_ignore,
    .bytes = bytes_ignore,
};

const struct pair pair_convolve_huge = {
    .name = "convolve_huge",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = huge_columns,
    .run = run_huge,
    .bytes = bytes_huge,
};

const struct pair pair_convolve_fft = {
    .name = "convolve_fft",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = extremes,
    .run = run_fft,
    .tolerance = bound_fft,
    .bytes = bytes_fft,
};

const struct pair pair_convolve_folded = {
    .name = "folded_bands",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = extremes,
    .run = run_folded,
    .tolerance = bound_folded,
    .bytes = bytes_folded,
    .flops = flops_folded,
};

const struct pair pair_convolve_fast = {
    .name = "convolve_fast",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = deltas,
    .run = run_fast,
    .tolerance = bound_fast,
    .bytes = bytes_fast,
    .flops = flops_fast,
};

const struct pair pair_convolve_1d = {
    .name = "convolve_1d",
    .operation = "convolve",
    .types = PAIR_FLOATS,
    .picture = deltas,
    .prepare = flatten,
    .run = run_1d,
    .bytes = bytes_1d,
    .flops = flops_1d,
};
