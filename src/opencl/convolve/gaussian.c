/* SPDX-License-Identifier: MIT */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdlib.h>

#define NO_BLUR 1e-15 /* a sigma up to this leaves its axis alone */

/* Weights for -radius..radius, normalised, as include/clump/gaussian.h has them. */
static double *gauss(double sigma, double truncate, uint32_t *count)
{
    uint32_t radius = sigma <= NO_BLUR ? 0 : (uint32_t)(truncate * sigma + 0.5);
    double *weights = malloc(((size_t)2 * radius + 1) * sizeof *weights), sum = 0;
    double factor = radius ? -0.5 / (sigma * sigma) : 0;
    *count = 2 * radius + 1;
    if (!weights)
        return NULL;
    for (uint32_t i = 0; i < *count; i++) {
        double x = (double)i - radius;
        sum += weights[i] = exp(factor * (x * x));
    }
    for (uint32_t i = 0; i < *count; i++)
        weights[i] /= sum;
    return weights;
}

enum clump_status clump_opencl_gaussian(clump_context *context, const clump_image *image,
                                        const struct clump_gaussian_params *params,
                                        clump_image **blurred)
{
    struct outer_products terms = {.rank = 1};
    clump_image *made = NULL;
    terms.down = gauss(params->sigma_rows, params->truncate, &terms.rows);
    terms.along = gauss(params->sigma_cols, params->truncate, &terms.cols);
    enum clump_status status =
        terms.down && terms.along
            ? clump_image_create(context, image->type, image->rows, image->cols, &made)
            : clump_fail(&context->log, CLUMP_ERROR_MEMORY, "gaussian: out of memory");
    if (status)
        goto out;
    struct sum sum = {.type = image->type,
                      .in = image->buffer,
                      .out = made->buffer,
                      .rows = image->rows,
                      .cols = image->cols,
                      .out_rows = image->rows,
                      .out_cols = image->cols,
                      .up = -(int64_t)(terms.rows / 2),
                      .left = -(int64_t)(terms.cols / 2),
                      .boundary = params->boundary,
                      .fill = params->fill_value,
                      .ignore = params->blank == CLUMP_BLANK_IGNORE,
                      .level = true};
    status = clump_separable_sum(context, &sum, &terms);
    if (status)
        clump_image_destroy(&made);
    else
        *blurred = made;
out:
    clump_outer_products_free(&terms);
    return status;
}
