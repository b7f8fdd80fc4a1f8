/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>

#include "reference/boundary.h"
#include "reference/pixel.h"

#define NO_BLUR 1e-15 /* scipy.ndimage skips an axis with a sigma up to this */

/* Weights for -radius..radius, computed as scipy.ndimage does. */
static double *make_weights(double sigma, int64_t radius)
{
    double *weights = malloc((size_t)(2 * radius + 1) * sizeof *weights);
    double factor = -0.5 / (sigma * sigma);
    long double sum = 0;
    if (!weights)
        return NULL;
    for (int64_t x = -radius; x <= radius; x++)
        sum += weights[x + radius] = exp(factor * (double)(x * x));
    for (int64_t i = 0; i <= 2 * radius; i++)
        weights[i] = (double)(weights[i] / sum);
    return weights;
}

/* What the passes along one axis share. */
struct pass {
    const double *weights;
    int64_t radius, n, step; /* n values a line, `step` apart */
    enum clump_boundary boundary;
    long double fill;
    long double *line; /* one line, extended by the radius at both ends */
};

static void blur_line(const struct pass *pass, const long double *from, long double *to)
{
    int64_t radius = pass->radius;
    for (int64_t i = -radius; i < pass->n + radius; i++) {
        int64_t j = boundary_index(i, pass->n, pass->boundary);
        pass->line[i + radius] = j == BOUNDARY_OUTSIDE ? pass->fill : from[j * pass->step];
    }
    for (int64_t i = 0; i < pass->n; i++) {
        long double sum = 0;
        for (int64_t x = 0; x <= 2 * radius; x++)
            sum += pass->weights[x] * pass->line[i + x];
        to[i * pass->step] = sum;
    }
}

/* Blurs `field` down the columns or along the rows, into `spare`, and swaps them. */
static bool blur(long double **field, long double **spare, const clump_image *image,
                 const struct clump_gaussian_params *params, bool down, long double fill)
{
    int64_t rows = (int64_t)image->rows, cols = (int64_t)image->cols;
    double sigma = down ? params->sigma_rows : params->sigma_cols;
    if (sigma <= NO_BLUR)
        return true;
    int64_t radius = (int64_t)(params->truncate * sigma + 0.5), n = down ? rows : cols;
    double *weights = make_weights(sigma, radius);
    long double *line = malloc((size_t)(n + 2 * radius) * sizeof *line);
    struct pass pass = {weights, radius, n, down ? cols : 1, params->boundary, fill, line};
    bool done = weights && line;
    for (int64_t i = 0; done && i < (down ? cols : rows); i++) {
        int64_t start = down ? i : i * cols;
        blur_line(&pass, *field + start, *spare + start);
    }
    long double *swap = *field;
    *field = *spare;
    *spare = swap;
    free(line);
    free(weights);
    return done;
}

static bool blur_both_ways(long double **field, long double **spare, const clump_image *image,
                           const struct clump_gaussian_params *params, long double fill)
{
    return blur(field, spare, image, params, true, fill) &&
           blur(field, spare, image, params, false, fill);
}

/* Leaves blanks out: the blurred values, blanks 0, by the blurred presence of values. */
static bool blur_ignoring(long double **field, long double **spare, long double **presence,
                          const clump_image *image, const struct clump_gaussian_params *params,
                          long double fill)
{
    for (uint64_t i = 0; i < pixel_count(image); i++) {
        (*presence)[i] = !isnan((*field)[i]);
        if (isnan((*field)[i]))
            (*field)[i] = 0;
    }
    if (!blur_both_ways(field, spare, image, params, isnan(fill) ? 0 : fill) ||
        !blur_both_ways(presence, spare, image, params, !isnan(fill)))
        return false;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        (*field)[i] = (*presence)[i] == 0 ? (long double)NAN : (*field)[i] / (*presence)[i];
    return true;
}

static void store(const long double *field, clump_image *image)
{
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (image->type == CLUMP_F32)
            ((float *)image->pixels)[i] = (float)field[i];
        else
            ((double *)image->pixels)[i] = (double)field[i];
}

enum clump_status clump_reference_gaussian(clump_context *context, const clump_image *image,
                                           const struct clump_gaussian_params *params,
                                           clump_image **blurred)
{
    bool ignore = params->blank == CLUMP_BLANK_IGNORE, done = false;
    size_t bytes = pixel_count(image) * sizeof(long double);
    long double fill =
        image->type == CLUMP_F32 ? (long double)(float)params->fill_value : params->fill_value;
    long double *field = malloc(bytes), *spare = malloc(bytes);
    long double *presence = ignore ? malloc(bytes) : NULL;
    clump_image *out = NULL;
    if (field && spare && (presence || !ignore)) {
        for (uint64_t i = 0; i < pixel_count(image); i++)
            field[i] = pixel_get(image, i);
        done = ignore ? blur_ignoring(&field, &spare, &presence, image, params, fill)
                      : blur_both_ways(&field, &spare, image, params, fill);
    }
    enum clump_status status =
        done ? clump_image_create(context, image->type, image->rows, image->cols, &out)
             : clump_reference_no_memory(context, "gaussian");
    if (!status) {
        store(field, out);
        *blurred = out;
    }
    free(presence);
    free(spare);
    free(field);
    return status;
}
