/* SPDX-License-Identifier: MIT */
/*
 * Kernels as sums of outer products: Gaussian elimination with complete pivoting. The weight that
 * is largest in magnitude, of what is left, names a row and a column; their outer product is
 * subtracted, until little enough is left. That takes rank * rows * cols operations.
 * docs/convolution.md, "Which kernels are separable", is the definition.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void clump_outer_products_free(struct outer_products *products)
{
    free(products->down);
    free(products->along);
    products->down = products->along = NULL;
}

static size_t largest(const double *values, size_t count)
{
    size_t at = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(values[i]) > fabs(values[at]))
            at = i;
    return at;
}

/* Whether what is left of each weight is at most `tolerance` of that weight. */
static bool met(const struct convolve_weights *weights, const double *left, double tolerance)
{
    for (size_t i = 0; i < (size_t)weights->rows * weights->cols; i++)
        if (fabs(left[i]) > tolerance * fabs(weights->values[i]))
            return false;
    return true;
}

static double absolute_sum(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(values[i]);
    return sum;
}

static double product_sum(const struct outer_products *products, uint32_t q)
{
    return absolute_sum(products->down + (size_t)q * products->rows, products->rows) *
           absolute_sum(products->along + (size_t)q * products->cols, products->cols);
}

/* Subtracts one more product from `left`; false where nothing is left. */
static bool take(const struct convolve_weights *weights, double *left,
                 struct outer_products *products)
{
    size_t rows = weights->rows, cols = weights->cols;
    size_t pivot = largest(left, rows * cols), pr = pivot / cols, pc = pivot % cols;
    double value = left[pivot], *down = products->down + products->rank * rows,
           *along = products->along + products->rank * cols;
    if (value == 0)
        return false;
    /* Both factors get a like magnitude, so that neither leaves the range of float32. */
    double scale = sqrt(fabs(value));
    for (size_t r = 0; r < rows; r++)
        down[r] = left[r * cols + pc] / scale;
    for (size_t c = 0; c < cols; c++)
        along[c] = left[pr * cols + c] / copysign(scale, value);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            left[r * cols + c] -= down[r] * along[c];
    products->rank++;
    return true;
}

enum clump_status clump_outer_products_find(clump_context *context,
                                            const struct convolve_weights *weights,
                                            double tolerance, uint32_t most,
                                            struct outer_products *products)
{
    size_t count = (size_t)weights->rows * weights->cols;
    double *left = malloc(count * sizeof *left);
    *products = (struct outer_products){weights->rows,
                                        weights->cols,
                                        0,
                                        malloc((size_t)most * weights->rows * sizeof(double)),
                                        malloc((size_t)most * weights->cols * sizeof(double)),
                                        1};
    if (!left || !products->down || !products->along) {
        free(left);
        clump_outer_products_free(products);
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "convolve: cannot allocate %u outer products of %u + %u weights", most,
                          weights->rows, weights->cols);
    }
    memcpy(left, weights->values, count * sizeof *left);
    double whole = absolute_sum(left, count);
    while (products->rank < most && take(weights, left, products)) {
        products->error = absolute_sum(left, count) / whole;
        products->growth += product_sum(products, products->rank - 1) / whole;
        if (products->rank == 1 ? met(weights, left, tolerance) : products->error <= tolerance)
            break;
    }
    if (products->rank == 1 && !met(weights, left, tolerance) && products->error <= tolerance)
        products->error =
            2 * tolerance; /* little is missed in all, but too much of small weights */
    free(left);
    return CLUMP_OK;
}
