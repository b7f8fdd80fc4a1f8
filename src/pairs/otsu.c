/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>

/* The threshold, or that there is none: blank and infinite images are refused. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    double threshold = 0;
    (void)test;
    enum clump_status status = clump_otsu(context, in->image, &threshold);
    if (status && status != CLUMP_ERROR_ARGUMENT)
        return status;
    pair_add_number(out, "refused", status != CLUMP_OK);
    pair_add_number(out, "threshold", threshold);
    return CLUMP_OK;
}

/* Pixels at the borders of the 256 bins, as exactly as the type has them, and next to these. */
static void picture_edges(const struct pair_case *test, void *pixels)
{
    static const double ends[][2] = {{0, 1},          {-3.7, 11.3},   {-2, -1},  {1e-30, 3e-30},
                                     {-1e38, 2.1e38}, {0.1, 0.10001}, {-255, 1}, {-1e-40, 3e-38}};
    const double *end = ends[test->seed % 8];
    uint64_t state = test->seed + 99, n = test->rows * test->cols;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = pair_random(&state);
        double edge = end[0] + (end[1] - end[0]) / 256 * (double)(1 + r % 255);
        double towards = r >> 8 & 1 ? (double)INFINITY : -(double)INFINITY;
        double value = i < 2 ? end[i] : edge;
        bool beside = i >= 2 && r >> 9 & 1;
        if (test->type == CLUMP_F32)
            ((float *)pixels)[i] = beside ? nextafterf((float)value, (float)towards) : (float)value;
        else
            ((double *)pixels)[i] = beside ? nextafter(value, towards) : value;
    }
}

/* Every pixel has to be read once; the extremes, which the bins need, cost a second reading. */
static double bytes(const struct pair_case *test) { return pair_image_bytes(test, test->type); }

const struct pair pair_otsu = {
    .name = "otsu",
    .operation = "otsu",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_otsu_hard = {
    .name = "otsu_hard",
    .operation = "otsu",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_hard,
    .run = run,
};

const struct pair pair_otsu_edges = {
    .name = "otsu_edges",
    .operation = "otsu",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64,
    .picture = picture_edges,
    .run = run,
};
