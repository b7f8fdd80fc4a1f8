/* SPDX-License-Identifier: MIT */
/*
 * Convolution on a device. convolve.c chooses a method; direct.c, separable.c, folded.c and fft.c
 * each carry one out; outer_products.c splits a kernel of weights for separable.c;
 * convolve_common.c has what the methods share. docs/convolution.md explains the methods and their
 * bounds.
 */
#ifndef CLUMP_SRC_OPENCL_CONVOLVE_H
#define CLUMP_SRC_OPENCL_CONVOLVE_H

#include "convolve/convolve.h" /* cl/convolve/convolve.h */
#include "opencl/core/opencl.h"

/*
 * What is asked: out(i, j) = sum of weight(s, t) * in(i + up + s, j + left + t), where `in` is
 * extended beyond its border.
 */
struct convolve_task {
    enum clump_type type; /* F32 or F64 */
    cl_mem in, out;
    uint64_t rows, cols;         /* of in */
    uint64_t out_rows, out_cols; /* of out */
    int64_t up, left;
    enum clump_boundary boundary;
    double fill;
    bool ignore; /* leave blank pixels out */
    bool level;  /* a separable sum of pixels that are all equal is that pixel: for gaussian */
};

/* The caller's struct clump_weights, rotated by 180 degrees; row after row. */
struct convolve_weights {
    uint32_t rows, cols;
    const double *values;
};

/* The same weights as a sum of `rank` outer products down x along. */
struct outer_products {
    uint32_t rows, cols, rank;
    double *down;  /* rank x rows */
    double *along; /* rank x cols */
    double error;  /* sum of |weight - what the products make of it| / sum of |weight| */
    double growth; /* sum of |down| |along| over all products / sum of |weight| */
};

/*
 * convolve_common.c
 */
/* A number as an argument of a kernel, in the type of the pixels; `real` holds it. */
union convolve_real {
    float f32;
    double f64;
};
struct clump_arg clump_convolve_real(enum clump_type type, double value, union convolve_real *real);
/* Copies `count` values to memory of the pixels' type, from element `at` on. */
void clump_convolve_put(enum clump_type type, const double *values, size_t count, void *memory,
                        size_t at);
/* sum + weight * value as kernels make it: rounded once, to the pixels' type. */
double clump_convolve_fma(enum clump_type type, double sum, double weight, double value);
double clump_convolve_epsilon(enum clump_type type);
/* Bytes of a pixel. */
size_t clump_convolve_bytes(enum clump_type type);
/* Elements of a vector on a coarse device: two registers, or one where registers are many. */
uint32_t clump_convolve_vector(const clump_context *context, enum clump_type type);
/* Memory of zeros, released with free. */
enum clump_status clump_convolve_allocate(clump_context *context, size_t count, size_t size,
                                          void **memory);
/* The sum of all weights in the order of the direct sum; 0 where no blank pixel is left out. */
double clump_convolve_total(const struct convolve_task *task,
                            const struct convolve_weights *weights);
/* The task as the kernels take it. */
struct convolve_frame clump_convolve_frame(const struct convolve_task *task, uint32_t kernel_rows,
                                           uint32_t kernel_cols);

/* Input and output as arguments of a kernel that goes through all of their pixels. */
#define CLUMP_ARG_IN(task)                                                                         \
    ((struct clump_arg){sizeof(cl_mem), &(task)->in,                                               \
                        (size_t)((task)->rows * (task)->cols) *                                    \
                            clump_convolve_bytes((task)->type)})
#define CLUMP_ARG_OUT(task)                                                                        \
    ((struct clump_arg){sizeof(cl_mem), &(task)->out,                                              \
                        (size_t)((task)->out_rows * (task)->out_cols) *                            \
                            clump_convolve_bytes((task)->type)})

/*
 * direct.c
 */
enum clump_status clump_direct_sum(clump_context *context, const struct convolve_task *task,
                                   const struct convolve_weights *weights);

/*
 * folded.c
 */
/* The weights of the partial sums, and the bound of the error that they make. */
struct folded_plan {
    double *values; /* NULL: there is no plan */
    size_t count;
    double error; /* bound of the error / bound of the direct sum's error; may be infinite */
};
/* Whether rows can be folded: not on fine devices, where blank pixels are left out, for fewer than
 * 8 rows of weights, or where local memory has no room. */
bool clump_folded_fits(const clump_context *context, const struct convolve_task *task,
                       const struct convolve_weights *weights);
/* Taps per result, where it fits. */
double clump_folded_taps(const struct convolve_task *task, const struct convolve_weights *weights);
/* Makes a plan, where it fits; released with clump_folded_plan_free. */
enum clump_status clump_folded_plan_make(clump_context *context, const struct convolve_task *task,
                                         const struct convolve_weights *weights,
                                         struct folded_plan *plan);
void clump_folded_plan_free(struct folded_plan *plan);
enum clump_status clump_folded_sum(clump_context *context, const struct convolve_task *task,
                                   const struct convolve_weights *weights,
                                   const struct folded_plan *plan);

/*
 * separable.c
 */
enum clump_status clump_separable_sum(clump_context *context, const struct convolve_task *task,
                                      const struct outer_products *products,
                                      const struct convolve_weights *direct);

/*
 * fft.c
 */
/* Points of a tile. */
struct fft_size {
    uint32_t high, wide;
};
struct fft_size clump_fft_size(const struct convolve_task *task,
                               const struct convolve_weights *weights);
/* Bound of its error / bound of the direct sum's error; infinite where no tile holds the weights.
 */
double clump_fft_error(const struct convolve_task *task, const struct convolve_weights *weights);
/* Leaves `*done` false where VkFFT has no transform for the device. */
enum clump_status clump_fft_sum(clump_context *context, const struct convolve_task *task,
                                const struct convolve_weights *weights, bool *done);

/*
 * outer_products.c
 */
/*
 * Splits weights into at most `most` outer products. They may miss more of the weights than
 * `tolerance`: see their `error`. Released with clump_outer_products_free. Returns
 * CLUMP_ERROR_MEMORY only.
 */
enum clump_status clump_outer_products_find(clump_context *context,
                                            const struct convolve_weights *weights,
                                            double tolerance, uint32_t most,
                                            struct outer_products *products);
void clump_outer_products_free(struct outer_products *products);

#endif
