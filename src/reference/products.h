/* SPDX-License-Identifier: MIT */
/* A kernel as a sum of outer products, and when it is taken so: docs/convolution.md. */
#ifndef CLUMP_SRC_REFERENCE_PRODUCTS_H
#define CLUMP_SRC_REFERENCE_PRODUCTS_H

#include "context.h"

struct products {
    uint64_t rows, cols, count;
    double *columns; /* count x rows */
    double *lines;   /* count x cols */
};

/*
 * Splits weights (turned by half a turn) where the method says so; `count` is 0 where they are to
 * be summed directly. Returns CLUMP_ERROR_ARGUMENT where the method is SEPARABLE and they are no
 * sum of few products. Released with reference_products_free.
 */
enum clump_status reference_products_find(clump_context *context, const double *weights,
                                          uint64_t rows, uint64_t cols, bool single,
                                          enum clump_convolve_method method,
                                          struct products *products);
void reference_products_free(struct products *products);

#endif
