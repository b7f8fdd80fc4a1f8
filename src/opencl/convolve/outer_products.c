/* SPDX-License-Identifier: MIT */
/*
 * Kernels as sums of outer products. The largest weight that is left names a row and a column,
 * whose product is taken away, until little enough is left: elimination with complete pivoting,
 * which costs rank * rows * cols.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void clump_outer_products_free(struct outer_products *terms)
{
    free(terms->down);
    free(terms->along);
    terms->down = terms->along = NULL;
}

static size_t largest(const double *values, size_t count)
{
    size_t at = 0;
    for (size_t i = 1; i < count; i++)
        if (fabs(values[i]) > fabs(values[at]))
            at = i;
    return at;
}

/* True when every weight is met to `tolerance` of itself by a single product. */
static bool met(const struct weights *weights, const double *left, double tolerance)
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

static double product_sum(const struct outer_products *terms, uint32_t q)
{
    return absolute_sum(terms->down + (size_t)q * terms->rows, terms->rows) *
           absolute_sum(terms->along + (size_t)q * terms->cols, terms->cols);
}

/* Takes one product away from `left`; false when nothing is left to take. */
static bool take(const struct weights *weights, double *left, struct outer_products *terms)
{
    size_t rows = weights->rows, cols = weights->cols;
    size_t pivot = largest(left, rows * cols), pr = pivot / cols, pc = pivot % cols;
    double value = left[pivot], *down = terms->down + terms->rank * rows,
           *along = terms->along + terms->rank * cols;
    if (value == 0)
        return false;
    /* both halves of the product of a like size, so that neither leaves the range of floats */
    double scale = sqrt(fabs(value));
    for (size_t r = 0; r < rows; r++)
        down[r] = left[r * cols + pc] / scale;
    for (size_t c = 0; c < cols; c++)
        along[c] = left[pr * cols + c] / copysign(scale, value);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            left[r * cols + c] -= down[r] * along[c];
    terms->rank++;
    return true;
}

enum clump_status clump_outer_products_find(clump_context *context, const struct weights *weights,
                                            double tolerance, uint32_t most,
                                            struct outer_products *terms)
{
    size_t count = (size_t)weights->rows * weights->cols;
    double *left = malloc(count * sizeof *left);
    *terms = (struct outer_products){weights->rows,
                                     weights->cols,
                                     0,
                                     malloc((size_t)most * weights->rows * sizeof(double)),
                                     malloc((size_t)most * weights->cols * sizeof(double)),
                                     1};
    if (!left || !terms->down || !terms->along) {
        free(left);
        clump_outer_products_free(terms);
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    }
    memcpy(left, weights->values, count * sizeof *left);
    double whole = absolute_sum(left, count);
    while (terms->rank < most && take(weights, left, terms)) {
        terms->error = absolute_sum(left, count) / whole;
        terms->growth += product_sum(terms, terms->rank - 1) / whole;
        if (terms->rank == 1 ? met(weights, left, tolerance) : terms->error <= tolerance)
            break;
    }
    if (terms->rank == 1 && !met(weights, left, tolerance) && terms->error <= tolerance)
        terms->error = 2 * tolerance; /* small on the whole, but not where weights are small */
    free(left);
    return CLUMP_OK;
}
