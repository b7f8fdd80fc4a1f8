/* SPDX-License-Identifier: MIT */
/* A kernel as a sum of outer products. docs/convolution.md tells when that is used. */
#ifndef CLUMP_SRC_REFERENCE_PRODUCTS_H
#define CLUMP_SRC_REFERENCE_PRODUCTS_H

#include "context.h"

struct products {
    uint64_t rows, cols, count;
    double *columns; /* count x rows */
    double *lines;   /* count x cols */
};

/*
 * Splits weights, turned by half a turn, where the method asks for it; `count` is 0 where they are
 * to be summed directly. Returns CLUMP_ERROR_ARGUMENT where the method is SEPARABLE and the weights
 * are not a sum of few products. Release with reference_products_free.
 */
enum clump_status reference_products_find(clump_context *context, const double *weights,
                                          uint64_t rows, uint64_t cols, bool single,
                                          enum clump_convolve_method method,
                                          struct products *products);
void reference_products_free(struct products *products);

#endif
