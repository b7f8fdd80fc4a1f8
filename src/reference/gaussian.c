/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>

#include "reference/boundary.h"
#include "reference/chain.h"
#include "reference/pixel.h"

#define NO_BLUR 1e-15 /* scipy.ndimage skips an axis with a sigma up to this */

/* Weights for -radius..radius, computed as scipy.ndimage does. */
static double *make_weights(double sigma, int64_t radius)
{
    double *weights = malloc((size_t)(2 * radius + 1) * sizeof *weights);
    double factor = radius ? -0.5 / (sigma * sigma) : 0, sum = 0;
    if (!weights)
        return NULL;
    for (int64_t x = -radius; x <= radius; x++)
        sum += weights[x + radius] = exp(factor * (double)(x * x));
    for (int64_t i = 0; i <= 2 * radius; i++)
        weights[i] /= sum;
    return weights;
}

/* What the passes along one axis share. */
struct pass {
    const double *weights;
    int64_t radius, n, step; /* a line has n values, `step` apart */
    enum clump_boundary boundary;
    double fill;
    bool single, level; /* float32; a sum of equal values is that value */
    double *line;       /* one line, extended by the radius at both ends */
};

static void blur_line(const struct pass *pass, const double *from, double *to)
{
    int64_t radius = pass->radius;
    for (int64_t i = -radius; i < pass->n + radius; i++) {
        int64_t j = boundary_index(i, pass->n, pass->boundary);
        pass->line[i + radius] = j == BOUNDARY_OUTSIDE ? pass->fill : from[j * pass->step];
    }
    for (int64_t i = 0; i < pass->n; i++) {
        const double *first = pass->line + i;
        double sum = 0;
        bool level = pass->level;
        for (int64_t x = 0; x <= 2 * radius; x++) {
            sum = chain_add(pass->single, sum, pass->weights[x], first[x]);
            level = level && first[x] == first[0];
        }
        to[i * pass->step] = level ? first[0] : sum;
    }
}

/* An array of values to be blurred in place. */
struct field {
    double *values, *spare;
    bool single, level;
    double fill;
};

/* Blurs down the columns or along the rows. */
static bool blur(struct field *field, const clump_image *image,
                 const struct clump_gaussian_params *params, bool down)
{
    int64_t rows = (int64_t)image->rows, cols = (int64_t)image->cols;
    double sigma = down ? params->sigma_rows : params->sigma_cols;
    int64_t radius = sigma <= NO_BLUR ? 0 : (int64_t)(params->truncate * sigma + 0.5);
    int64_t n = down ? rows : cols;
    double *weights = make_weights(sigma, radius);
    double *line = malloc((size_t)(n + 2 * radius) * sizeof *line);
    struct pass pass = {weights,         radius,           n,
                        down ? cols : 1, params->boundary, field->fill,
                        field->single,   field->level,     line};
    bool done = weights && line;
    for (int64_t i = 0; done && i < (down ? cols : rows); i++) {
        int64_t start = down ? i : i * cols;
        blur_line(&pass, field->values + start, field->spare + start);
    }
    /* beyond the border of the next pass lie columns of fill values that this pass has summed */
    double sum = 0;
    for (int64_t x = 0; done && x <= 2 * radius; x++)
        sum = chain_add(field->single, sum, weights[x], field->fill);
    if (!field->level)
        field->fill = sum;
    double *swap = field->values;
    field->values = field->spare;
    field->spare = swap;
    free(line);
    free(weights);
    return done;
}

/* Blurs down the columns and along the rows; `fill` becomes the blur of a window full of it. */
static bool blur_both_ways(struct field *field, const clump_image *image,
                           const struct clump_gaussian_params *params)
{
    return blur(field, image, params, true) && blur(field, image, params, false);
}

/* Ignores blanks: divides the blur of the values, blanks being 0, by the blur of a field that is 1
 * where a value is present and 0 where it is blank. */
static bool blur_ignoring(struct field *field, struct field *presence, const clump_image *image,
                          const struct clump_gaussian_params *params)
{
    struct field all = {presence->values, presence->spare, field->single, false, 1};
    struct clump_gaussian_params filled = *params;
    /* the sum of the weights where none is missing: the blur of one pixel of 1 with 1 beyond it */
    clump_image point = *image;
    point.rows = point.cols = 1;
    filled.boundary = CLUMP_BOUNDARY_FILL;
    all.values[0] = 1;
    if (!blur_both_ways(&all, &point, &filled))
        return false;
    double whole = all.values[0];
    presence->values = all.values;
    presence->spare = all.spare;
    presence->fill = !isnan(field->fill);
    for (uint64_t i = 0; i < pixel_count(image); i++) {
        presence->values[i] = !isnan(field->values[i]);
        field->values[i] = isnan(field->values[i]) ? 0 : field->values[i];
    }
    field->fill = isnan(field->fill) ? 0 : field->fill;
    if (!blur_both_ways(field, image, params) || !blur_both_ways(presence, image, params))
        return false;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        field->values[i] =
            chain_rescale(field->single, field->values[i], presence->values[i], whole);
    return true;
}

static void store(const double *values, clump_image *image)
{
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (image->type == CLUMP_F32)
            ((float *)image->pixels)[i] = (float)values[i];
        else
            ((double *)image->pixels)[i] = values[i];
}

enum clump_status clump_reference_gaussian(clump_context *context, const clump_image *image,
                                           const struct clump_gaussian_params *params,
                                           clump_image **blurred)
{
    bool ignore = params->blank == CLUMP_BLANK_IGNORE, single = image->type == CLUMP_F32;
    bool done = false;
    size_t bytes = pixel_count(image) * sizeof(double);
    struct field field = {malloc(bytes), malloc(bytes), single, true,
                          chain_round(single, params->fill_value)};
    struct field presence = {ignore ? malloc(bytes) : NULL, ignore ? malloc(bytes) : NULL, single,
                             false, 0};
    clump_image *out = NULL;
    if (field.values && field.spare && (!ignore || (presence.values && presence.spare))) {
        for (uint64_t i = 0; i < pixel_count(image); i++)
            field.values[i] = (double)pixel_get(image, i);
        done = ignore ? blur_ignoring(&field, &presence, image, params)
                      : blur_both_ways(&field, image, params);
    }
    enum clump_status status =
        done ? clump_image_create(context, image->type, image->rows, image->cols, &out)
             : clump_reference_no_memory(context, "gaussian");
    if (!status) {
        store(field.values, out);
        *blurred = out;
    }
    free(presence.values);
    free(presence.spare);
    free(field.values);
    free(field.spare);
    return status;
}
