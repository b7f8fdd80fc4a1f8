/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>

#include "reference/boundary.h"
#include "reference/pixel.h"

/* The part of the full convolution that is wanted: from (row, col), rows x cols. */
struct window {
    uint64_t row, col, rows, cols;
};

/* All that one result needs; `image` is extended by the kernel's size less one on every side. */
struct problem {
    const double *image, *weights; /* weights turned by half a turn */
    uint64_t stride, rows, cols;   /* rows and cols of the kernel */
    bool single;                   /* float32 */
};

static double rounded(double value, bool single) { return single ? (double)(float)value : value; }

static double *extend(const clump_image *image, const struct clump_kernel *kernel,
                      enum clump_boundary boundary, double fill)
{
    int64_t above = (int64_t)kernel->rows - 1, left = (int64_t)kernel->cols - 1;
    int64_t rows = (int64_t)image->rows + 2 * above, cols = (int64_t)image->cols + 2 * left;
    double *extended = malloc((size_t)rows * (size_t)cols * sizeof *extended);
    for (int64_t r = 0; extended && r < rows; r++) {
        int64_t row = boundary_index(r - above, (int64_t)image->rows, boundary);
        for (int64_t c = 0; c < cols; c++) {
            int64_t col = boundary_index(c - left, (int64_t)image->cols, boundary);
            extended[r * cols + c] =
                row < 0 || col < 0
                    ? fill
                    : (double)pixel_get(image, (uint64_t)row * image->cols + (uint64_t)col);
        }
    }
    return extended;
}

static double *turn(const struct clump_kernel *kernel, bool single)
{
    uint64_t count = kernel->rows * kernel->cols;
    double *turned = malloc(count * sizeof *turned);
    for (uint64_t i = 0; turned && i < count; i++)
        turned[i] = rounded(kernel->weights[count - 1 - i], single);
    return turned;
}

/* One result for a float32 image: the products are exact, the sum is double. */
static double sum_single(const struct problem *p, const double *corner)
{
    double sum = 0;
    for (uint64_t r = 0; r < p->rows; r++)
        for (uint64_t c = 0; c < p->cols; c++)
            sum += p->weights[r * p->cols + c] * corner[r * p->stride + c];
    return sum;
}

/* One result for a float64 image. */
static double sum_double(const struct problem *p, const double *corner)
{
    long double sum = 0;
    for (uint64_t r = 0; r < p->rows; r++)
        for (uint64_t c = 0; c < p->cols; c++)
            sum += (long double)p->weights[r * p->cols + c] * corner[r * p->stride + c];
    return (double)sum;
}

/* One result without the blank pixels, scaled to all weights. */
static double sum_ignoring(const struct problem *p, const double *corner)
{
    long double sum = 0, present = 0, all = 0;
    bool blank = false;
    for (uint64_t r = 0; r < p->rows; r++)
        for (uint64_t c = 0; c < p->cols; c++) {
            long double weight = p->weights[r * p->cols + c], value = corner[r * p->stride + c];
            all += weight;
            if (isnan(value)) {
                blank = true;
                continue;
            }
            present += weight;
            sum += weight * value;
        }
    if (!blank)
        return (double)sum;
    return present == 0 ? (double)NAN : (double)(sum * (all / present));
}

static enum clump_status convolve(clump_context *context, const clump_image *image,
                                  const struct clump_kernel *kernel,
                                  const struct clump_convolve_params *params,
                                  enum clump_boundary boundary, double fill,
                                  const struct window *window, clump_image **convolved)
{
    bool single = image->type == CLUMP_F32;
    clump_image *out = NULL;
    double *extended = extend(image, kernel, boundary, rounded(fill, single));
    double *turned = turn(kernel, single);
    enum clump_status status =
        extended && turned
            ? clump_image_create(context, image->type, window->rows, window->cols, &out)
            : clump_reference_no_memory(context, "convolve");
    if (status)
        goto out;
    struct problem p = {extended,     turned,       image->cols + 2 * (kernel->cols - 1),
                        kernel->rows, kernel->cols, single};
    double (*sum)(const struct problem *, const double *) = params->blank == CLUMP_BLANK_IGNORE
                                                                ? sum_ignoring
                                                            : single ? sum_single
                                                                     : sum_double;
    for (uint64_t i = 0; i < pixel_count(out); i++) {
        uint64_t row = window->row + i / window->cols, col = window->col + i % window->cols;
        double value = sum(&p, extended + row * p.stride + col);
        if (single)
            ((float *)out->pixels)[i] = (float)value;
        else
            ((double *)out->pixels)[i] = value;
    }
    *convolved = out;
out:
    free(turned);
    free(extended);
    return status;
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Where the wanted part begins, and its length, along one axis with `same` places in mode SAME. */
static void cut(enum clump_mode mode, uint64_t n, uint64_t k, uint64_t same, uint64_t shift,
                uint64_t *start, uint64_t *length)
{
    switch (mode) {
    case CLUMP_MODE_FULL:
        *start = 0;
        *length = n + k - 1;
        break;
    case CLUMP_MODE_SAME:
        *start = shift;
        *length = same;
        break;
    default:
        *start = lesser(n, k) - 1;
        *length = greater(n, k) - lesser(n, k) + 1;
        break;
    }
}

enum clump_status clump_reference_convolve(clump_context *context, const clump_image *image,
                                           const struct clump_kernel *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved)
{
    struct window window;
    bool valid = params->mode == CLUMP_MODE_VALID;
    cut(params->mode, image->rows, kernel->rows, image->rows, (kernel->rows - 1) / 2, &window.row,
        &window.rows);
    cut(params->mode, image->cols, kernel->cols, image->cols, (kernel->cols - 1) / 2, &window.col,
        &window.cols);
    return convolve(context, image, kernel, params, valid ? CLUMP_BOUNDARY_FILL : params->boundary,
                    valid ? 0 : params->fill_value, &window, convolved);
}

enum clump_status clump_reference_convolve_1d(clump_context *context, const clump_image *image,
                                              const struct clump_kernel *kernel,
                                              const struct clump_convolve_params *params,
                                              clump_image **convolved)
{
    struct window window = {.row = 0, .rows = 1};
    cut(params->mode, image->cols, kernel->cols, greater(image->cols, kernel->cols),
        (lesser(image->cols, kernel->cols) - 1) / 2, &window.col, &window.cols);
    return convolve(context, image, kernel, params, CLUMP_BOUNDARY_FILL, 0, &window, convolved);
}
