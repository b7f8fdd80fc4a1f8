/* SPDX-License-Identifier: MIT */
/*
 * A gaussian blur is a separable convolution (separable.c) with weights made here, and one rule
 * more: where all pixels under the weights are equal, the result is their value.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdlib.h>

#define NO_BLUR 1e-15 /* a sigma up to this leaves its axis alone */

/* Weights for -radius..radius, which sum to 1, as include/clump/gaussian.h defines them. */
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

static enum clump_status blur(clump_context *context, const clump_image *image,
                              const struct clump_gaussian_params *params,
                              const struct outer_products *products, clump_image *made)
{
    struct convolve_task task = {.type = image->type,
                                 .in = image->buffer,
                                 .out = made->buffer,
                                 .rows = image->rows,
                                 .cols = image->cols,
                                 .out_rows = image->rows,
                                 .out_cols = image->cols,
                                 .up = -(int64_t)(products->rows / 2),
                                 .left = -(int64_t)(products->cols / 2),
                                 .boundary = params->boundary,
                                 .fill = params->fill_value,
                                 .ignore = params->blank == CLUMP_BLANK_IGNORE,
                                 .level = true};
    return clump_separable_sum(context, &task, products, NULL);
}

enum clump_status clump_opencl_gaussian(clump_context *context, const clump_image *image,
                                        const struct clump_gaussian_params *params,
                                        clump_image **blurred)
{
    struct outer_products products = {.rank = 1};
    clump_image *made = NULL;
    products.down = gauss(params->sigma_rows, params->truncate, &products.rows);
    products.along = gauss(params->sigma_cols, params->truncate, &products.cols);
    enum clump_status status = CLUMP_OK;
    if (!products.down || !products.along)
        status =
            clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                       "gaussian: cannot allocate %u + %u weights", products.rows, products.cols);
    if (!status)
        status = clump_image_create(context, image->type, image->rows, image->cols, &made);
    if (!status)
        status = blur(context, image, params, &products, made);
    clump_outer_products_free(&products);
    if (status)
        clump_image_destroy(&made);
    else
        *blurred = made;
    return status;
}
