/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>

#include "reference/boundary.h"
#include "reference/chain.h"
#include "reference/pixel.h"
#include "reference/products.h"

/* The part of the full convolution that is wanted: from (row, col), rows x cols. */
struct window {
    uint64_t row, col, rows, cols;
};

/* The inputs of the sums. `image` is extended by the kernel's size minus one on every side. */
struct problem {
    const double *image, *weights; /* weights turned by half a turn */
    uint64_t stride, rows, cols;   /* rows and cols of the kernel */
    bool single, ignore;           /* float32; blank pixels are left out */
};

static double *extend(const clump_image *image, const struct clump_weights *kernel,
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

static double *turn(const struct clump_weights *kernel)
{
    uint64_t count = kernel->rows * kernel->cols;
    double *turned = malloc(count * sizeof *turned);
    for (uint64_t i = 0; turned && i < count; i++)
        turned[i] = kernel->weights[count - 1 - i];
    return turned;
}

/* A sum of products, and the sum of the weights of the pixels present. */
struct sums {
    double value, present;
};

static void add(const struct problem *p, double weight, double pixel, struct sums *sums)
{
    bool blank = p->ignore && isnan(pixel);
    sums->value = chain_add(p->single, sums->value, weight, blank ? 0 : pixel);
    sums->present = chain_add(p->single, sums->present, weight, !blank);
}

static double result(const struct problem *p, struct sums sums, double all)
{
    return p->ignore ? chain_rescale(p->single, sums.value, sums.present, all) : sums.value;
}

/* The sum of the method direct: one row of weights after the other. */
static struct sums sum_directly(const struct problem *p, const double *corner)
{
    struct sums sums = {0, 0};
    for (uint64_t r = 0; r < p->rows; r++)
        for (uint64_t c = 0; c < p->cols; c++)
            add(p, p->weights[r * p->cols + c], corner[r * p->stride + c], &sums);
    return sums;
}

static double sum_of_weights(const struct problem *p)
{
    double all = 0;
    for (uint64_t i = 0; i < p->rows * p->cols; i++)
        all = chain_add(p->single, all, p->weights[i], 1);
    return all;
}

static void convolve_directly(const struct problem *p, const struct window *window, double *out)
{
    double all = sum_of_weights(p);
    for (uint64_t i = 0; i < window->rows * window->cols; i++) {
        uint64_t row = window->row + i / window->cols, col = window->col + i % window->cols;
        out[i] = result(p, sum_directly(p, p->image + row * p->stride + col), all);
    }
}

/* The sum of the method separable: down the columns, rounded to the image's type, then along the
 * row; where that is not finite, the sum of the method direct.
 */
static bool convolve_separably(const struct problem *p, const struct products *products,
                               const struct window *window, double *out)
{
    uint64_t span = window->cols + p->cols - 1;
    struct sums *between = malloc(products->count * span * sizeof *between);
    double all = 0;
    for (uint64_t q = 0; q < products->count; q++) {
        double down = 0;
        for (uint64_t r = 0; r < p->rows; r++)
            down = chain_add(p->single, down, products->columns[q * p->rows + r], 1);
        for (uint64_t c = 0; c < p->cols; c++)
            all = chain_add(p->single, all, products->lines[q * p->cols + c], down);
    }
    for (uint64_t row = 0; between && row < window->rows; row++) {
        const double *corner = p->image + (window->row + row) * p->stride + window->col;
        for (uint64_t i = 0; i < products->count * span; i++) {
            const double *column = products->columns + i / span * p->rows;
            between[i] = (struct sums){0, 0};
            for (uint64_t r = 0; r < p->rows; r++)
                add(p, column[r], corner[r * p->stride + i % span], &between[i]);
        }
        for (uint64_t col = 0; col < window->cols; col++) {
            struct sums sums = {0, 0};
            for (uint64_t i = 0; i < products->count * p->cols; i++) {
                struct sums *from = &between[i / p->cols * span + col + i % p->cols];
                sums.value = chain_add(p->single, sums.value, products->lines[i], from->value);
                sums.present =
                    chain_add(p->single, sums.present, products->lines[i], from->present);
            }
            double *to = &out[row * window->cols + col];
            *to = result(p, sums, all);
            if (!isfinite(*to))
                *to = result(p, sum_directly(p, corner + col), sum_of_weights(p));
        }
    }
    free(between);
    return between != NULL;
}

static void store(const double *values, clump_image *image)
{
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (image->type == CLUMP_F32)
            ((float *)image->pixels)[i] = (float)values[i];
        else
            ((double *)image->pixels)[i] = values[i];
}

static enum clump_status convolve(clump_context *context, const clump_image *image,
                                  const struct clump_weights *kernel,
                                  const struct clump_convolve_params *params,
                                  enum clump_boundary boundary, double fill,
                                  const struct window *window, clump_image **convolved)
{
    bool single = image->type == CLUMP_F32, done = false;
    clump_image *out = NULL;
    struct products products = {0};
    double *extended = extend(image, kernel, boundary, chain_round(single, fill));
    double *turned = turn(kernel);
    double *values = malloc(window->rows * window->cols * sizeof *values);
    struct problem p = {extended,     turned, image->cols + 2 * (kernel->cols - 1), kernel->rows,
                        kernel->cols, single, params->blank == CLUMP_BLANK_IGNORE};
    enum clump_status status = extended && turned && values
                                   ? reference_products_find(context, turned, p.rows, p.cols,
                                                             single, params->method, &products)
                                   : clump_reference_no_memory(context, "convolve");
    if (status)
        goto out;
    done = true;
    if (products.count)
        done = convolve_separably(&p, &products, window, values);
    else
        convolve_directly(&p, window, values);
    status = done ? clump_image_create(context, image->type, window->rows, window->cols, &out)
                  : clump_reference_no_memory(context, "convolve");
    if (!status) {
        store(values, out);
        *convolved = out;
    }
out:
    reference_products_free(&products);
    free(values);
    free(turned);
    free(extended);
    return status;
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Finds where the wanted part begins and how long it is along one axis; in mode SAME its length is
 * `same`. */
static void cut(enum clump_convolve_mode mode, uint64_t n, uint64_t k, uint64_t same,
                uint64_t shift, uint64_t *start, uint64_t *length)
{
    switch (mode) {
    case CLUMP_CONVOLVE_MODE_FULL:
        *start = 0;
        *length = n + k - 1;
        break;
    case CLUMP_CONVOLVE_MODE_SAME:
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
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved)
{
    struct window window;
    bool valid = params->mode == CLUMP_CONVOLVE_MODE_VALID;
    cut(params->mode, image->rows, kernel->rows, image->rows, (kernel->rows - 1) / 2, &window.row,
        &window.rows);
    cut(params->mode, image->cols, kernel->cols, image->cols, (kernel->cols - 1) / 2, &window.col,
        &window.cols);
    return convolve(context, image, kernel, params, valid ? CLUMP_BOUNDARY_FILL : params->boundary,
                    valid ? 0 : params->fill_value, &window, convolved);
}

enum clump_status clump_reference_convolve_1d(clump_context *context, const clump_image *image,
                                              const struct clump_weights *kernel,
                                              const struct clump_convolve_params *params,
                                              clump_image **convolved)
{
    struct window window = {.row = 0, .rows = 1};
    cut(params->mode, image->cols, kernel->cols, greater(image->cols, kernel->cols),
        (lesser(image->cols, kernel->cols) - 1) / 2, &window.col, &window.cols);
    return convolve(context, image, kernel, params, CLUMP_BOUNDARY_FILL, 0, &window, convolved);
}
