/* SPDX-License-Identifier: MIT */
/*
 * Convolution on a device, split by method: what is to be summed (struct sum), how it is done
 * (direct.c, folded.c, separable.c, fft.c), and what a kernel of weights is made of
 * (outer_products.c).
 */
#ifndef CLUMP_SRC_OPENCL_CONVOLVE_H
#define CLUMP_SRC_OPENCL_CONVOLVE_H

#include "opencl/core/opencl.h"

/*
 * out(i, j) = sum of weight(s, t) * in(i + up + s, j + left + t), the weights turned by half a
 * turn already and `in` extended beyond its border.
 */
struct sum {
    enum clump_type type; /* F32 or F64 */
    cl_mem in, out;
    uint64_t rows, cols;         /* of in */
    uint64_t out_rows, out_cols; /* of out */
    int64_t up, left;
    enum clump_boundary boundary;
    double fill;
    bool ignore; /* blank pixels */
    bool level;  /* separably: a sum of pixels that are all equal is that pixel */
};

/* Its pixels as arguments of a kernel that goes through all of them. */
#define CLUMP_ARG_IN(sum)                                                                          \
    ((struct clump_arg){sizeof(cl_mem), &(sum)->in,                                                \
                        (size_t)((sum)->rows * (sum)->cols) * clump_type_size((sum)->type)})
#define CLUMP_ARG_OUT(sum)                                                                         \
    ((struct clump_arg){sizeof(cl_mem), &(sum)->out,                                               \
                        (size_t)((sum)->out_rows * (sum)->out_cols) *                              \
                            clump_type_size((sum)->type)})

/* Weights of a sum, turned by half a turn, row after row. */
struct weights {
    uint32_t rows, cols;
    const double *values;
};

/* The same weights as a sum of `rank` outer products down x along. */
struct outer_products {
    uint32_t rows, cols, rank;
    double *down;  /* rank x rows */
    double *along; /* rank x cols */
    double error;  /* sum of |what the products miss| / sum of |weights| */
    double growth; /* sum over the products of |down| |along| / sum of |weights| */
};

/* A value as kernels take it, in the type of the pixels. */
union real {
    float f32;
    double f64;
};
struct clump_arg clump_real(enum clump_type type, double value, union real *real);
/* Copies values to memory of the pixels' type, from element `at` on. */
void clump_reals_put(enum clump_type type, const double *values, size_t count, void *to, size_t at);
/* sum + weight * value as kernels take it: rounded once, in the pixels' type. */
double clump_chain(enum clump_type type, double sum, double weight, double value);
double clump_type_epsilon(enum clump_type type);
size_t clump_type_size(enum clump_type type);
/* Elements of a vector on a coarse device: two registers, or one where registers are many. */
uint32_t clump_vector_elements(const clump_context *context, enum clump_type type);

/* direct.c */
enum clump_status clump_direct_sum(clump_context *context, const struct sum *sum,
                                   const struct weights *weights);

/*
 * folded.c: false on fine devices, where blank pixels are left out, for few rows of weights, and
 * where local memory has no room; then the others must not be called.
 */
bool clump_folded_fits(const clump_context *context, const struct sum *sum,
                       const struct weights *weights);
/* What it spends on a result. */
double clump_folded_taps(const struct sum *sum, const struct weights *weights);
/* The bound of its error as a part of what direct sums may err by. */
enum clump_status clump_folded_error(clump_context *context, const struct sum *sum,
                                     const struct weights *weights, double *error);
enum clump_status clump_folded_sum(clump_context *context, const struct sum *sum,
                                   const struct weights *weights);

/* separable.c */
enum clump_status clump_separable_sum(clump_context *context, const struct sum *sum,
                                      const struct outer_products *terms);

/* fft.c: the points of a tile. */
struct fft_size {
    uint32_t high, wide;
};
struct fft_size clump_fft_size(const struct sum *sum, const struct weights *weights);
/* The bound of its error as a part of what direct sums may err by; infinite where it cannot be. */
double clump_fft_error(const struct sum *sum, const struct weights *weights);
/* Leaves `*done` false where VkFFT has no transform for the device. */
enum clump_status clump_fft_sum(clump_context *context, const struct sum *sum,
                                const struct weights *weights, bool *done);

/*
 * outer_products.c: splits weights into at most `most` outer products. `*terms` is released with
 * clump_outer_products_free; its rank may be too small to be exact: see `error`. Returns
 * CLUMP_ERROR_MEMORY only.
 */
enum clump_status clump_outer_products_find(clump_context *context, const struct weights *weights,
                                            double tolerance, uint32_t most,
                                            struct outer_products *terms);
void clump_outer_products_free(struct outer_products *terms);

#endif
