/* SPDX-License-Identifier: MIT */
/*
 * Elimination with complete pivoting in double precision: the weight of the largest magnitude (of
 * equal ones the first in raster order) names a column and a row, which are divided by the root of
 * its magnitude, the row with its sign; their product is taken from what is left.
 */
#include "reference/products.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reference.h"

#define MISSED 16 /* the error of a product, in eps, that is accepted */
#define SPARE  16 /* products are tried where weights outnumber rows and columns by this */

void reference_products_free(struct products *products)
{
    free(products->columns);
    free(products->lines);
    *products = (struct products){0};
}

/* Tells whether `count` products are less work than all weights. */
static bool less_work(double rows, double cols, uint64_t count)
{
    return (double)count * (1.3 * (rows + cols) + 6) < rows * cols;
}

static double magnitude(const double *values, uint64_t count)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += fabs(values[i]);
    return sum;
}

/* Tells whether what is left of every weight is at most `part` of it. */
static bool each_met(const double *weights, const double *left, uint64_t count, double part)
{
    uint64_t i = 0;
    while (i < count && fabs(left[i]) <= part * fabs(weights[i]))
        i++;
    return i == count;
}

/* Subtracts the next product from what is left; false where nothing is left. */
static bool split(struct products *p, double *left)
{
    uint64_t at = 0, count = p->rows * p->cols;
    for (uint64_t i = 1; i < count; i++)
        at = fabs(left[i]) > fabs(left[at]) ? i : at;
    double pivot = left[at], root = sqrt(fabs(pivot));
    uint64_t row = at / p->cols, col = at % p->cols;
    double *column = p->columns + p->count * p->rows, *line = p->lines + p->count * p->cols;
    if (pivot == 0)
        return false;
    for (uint64_t r = 0; r < p->rows; r++)
        column[r] = left[r * p->cols + col] / root;
    for (uint64_t c = 0; c < p->cols; c++)
        line[c] = left[row * p->cols + c] / (pivot < 0 ? -root : root);
    for (uint64_t i = 0; i < count; i++)
        left[i] -= column[i / p->cols] * line[i % p->cols];
    p->count++;
    return true;
}

/* Splits until little is left or there are `most` products; true when their sum is close enough to
 * the weights. */
static bool split_up(struct products *p, const double *weights, double *left, uint64_t most,
                     double part)
{
    uint64_t count = p->rows * p->cols;
    double all = magnitude(weights, count), missed = 1, grown = 0;
    memcpy(left, weights, count * sizeof *left);
    while (p->count < most && split(p, left)) {
        uint64_t last = p->count - 1;
        missed = magnitude(left, count) / all;
        grown += magnitude(p->columns + last * p->rows, p->rows) *
                 magnitude(p->lines + last * p->cols, p->cols) / all;
        if (p->count == 1 ? each_met(weights, left, count, part) : missed <= part)
            break;
    }
    if (p->count == 1)
        return each_met(weights, left, count, part);
    double roundings = (double)p->rows + (double)p->cols + (double)p->count + 4;
    return p->count && missed <= part && grown * roundings + MISSED <= (double)count + 4;
}

enum clump_status reference_products_find(clump_context *context, const double *weights,
                                          uint64_t rows, uint64_t cols, bool single,
                                          enum clump_convolve_method method,
                                          struct products *products)
{
    bool asked = method == CLUMP_CONVOLVE_METHOD_SEPARABLE;
    uint64_t least = rows < cols ? rows : cols, most = 1;
    *products = (struct products){rows, cols, 0, NULL, NULL};
    if (least < 2 || (!asked && method != CLUMP_CONVOLVE_METHOD_AUTO) ||
        (!asked &&
         (!less_work((double)rows, (double)cols, 1) || rows * cols < rows + cols + SPARE)))
        return CLUMP_OK;
    while (most < least &&
           (asked ? most < least / 2 : less_work((double)rows, (double)cols, most + 1)))
        most++;
    double *left = malloc(rows * cols * sizeof *left);
    products->columns = malloc(most * rows * sizeof *left);
    products->lines = malloc(most * cols * sizeof *left);
    enum clump_status status = CLUMP_OK;
    if (!left || !products->columns || !products->lines) {
        status = clump_reference_no_memory(context, "convolve");
    } else if (!split_up(products, weights, left, most,
                         MISSED * (single ? (double)FLT_EPSILON : DBL_EPSILON))) {
        if (asked && products->count)
            status = clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                                "convolve: the kernel is not separable: it is not a sum of few "
                                "outer products; use the method auto or direct");
        products->count = 0;
    }
    free(left);
    if (status)
        reference_products_free(products);
    return status;
}
