/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reference/big.h"
#include "reference/pixel.h"
#include "reference/measure_shape.h"

#define VALUE_BITS 39

/*
 * Integer sums over a region's pixels, weighted by v, which is 1 for the shape. They have at most
 * 127 bits, because clump_measure refuses larger regions.
 */
struct sums {
    clump_int128 n, v, vv, vr, vc, vrr, vrc, vcc;
};

static void add(struct sums *s, clump_int128 v, uint64_t row, uint64_t col)
{
    clump_int128 r = row, c = col;
    s->n += 1;
    s->v += v;
    s->vv += v * v;
    s->vr += v * r;
    s->vc += v * c;
    s->vrr += v * r * r;
    s->vrc += v * r * c;
    s->vcc += v * c * c;
}

/* a / b * 2^exponent, rounded once; where b is 0, infinite or NaN as in IEEE arithmetic. */
static double ratio(clump_int128 a, clump_int128 b, int exponent)
{
    struct clump_big numerator, denominator;
    if (b == 0)
        return a == 0 ? (double)NAN : a > 0 ? (double)INFINITY : -(double)INFINITY;
    clump_big_set(&numerator, b < 0 ? -a : a);
    clump_big_set(&denominator, b < 0 ? -b : b);
    return clump_big_quotient(&numerator, &denominator, exponent);
}

/* a * b - c * d */
static void cross(struct clump_big *result, clump_int128 a, clump_int128 b, clump_int128 c,
                  clump_int128 d)
{
    struct clump_big x, y, product;
    clump_big_set(&x, a);
    clump_big_set(&y, b);
    clump_big_multiply(result, &x, &y);
    clump_big_set(&x, -c);
    clump_big_set(&y, d);
    clump_big_multiply(&product, &x, &y);
    clump_big_add(result, &product);
}

/* (v * vab - va * vb) / v^2: the central second moment divided by the sum of the weights. */
static double moment(const struct sums *s, clump_int128 va, clump_int128 vb, clump_int128 vab)
{
    struct clump_big numerator, denominator;
    if (s->v == 0)
        return (double)NAN;
    cross(&numerator, s->v, vab, va, vb);
    cross(&denominator, s->v, s->v, 0, 0);
    return clump_big_quotient(&numerator, &denominator, 0);
}

static double deviation(const struct sums *s, int exponent)
{
    struct clump_big numerator, denominator;
    if (s->n == 0)
        return (double)NAN;
    cross(&numerator, s->n, s->vv, s->v, s->v);
    cross(&denominator, s->n, s->n, 0, 0);
    return clump_big_root(&numerator, &denominator, 2 * exponent);
}

static double variance(const struct sums *s, int exponent)
{
    struct clump_big numerator, denominator;
    if (s->n == 0)
        return (double)NAN;
    cross(&numerator, s->n, s->vv, s->v, s->v);
    cross(&denominator, s->n, s->n, 0, 0);
    return clump_big_quotient(&numerator, &denominator, 2 * exponent);
}

/* k of measure.h for one region: values times 2^k are the integers that are summed. */
static int choose_scale(const clump_image *image, double level, const uint64_t *pixels,
                        uint64_t count)
{
    long double largest = fabsl((long double)level);
    int exponent;
    for (uint64_t i = 0; i < count; i++) {
        long double magnitude = fabsl(pixel_get(image, pixels[i]));
        if (isfinite(magnitude) && magnitude > largest)
            largest = magnitude;
    }
    frexpl(largest, &exponent);
    if (largest == 0 || (!type_is_float(image->type) && exponent <= VALUE_BITS))
        return 0;
    return VALUE_BITS - exponent;
}

/* Fills in the box and the border flag, and sums the shape. */
static void measure_shape(const clump_image *labels, const uint64_t *pixels,
                          struct clump_region *region)
{
    struct sums s = {0};
    uint64_t rows = labels->rows, cols = labels->cols;
    region->row_min = region->col_min = UINT64_MAX;
    for (uint64_t i = 0; i < region->area; i++) {
        uint64_t row = pixels[i] / cols, col = pixels[i] % cols;
        add(&s, 1, row, col);
        region->row_min = row < region->row_min ? row : region->row_min;
        region->col_min = col < region->col_min ? col : region->col_min;
        region->row_max = row + 1 > region->row_max ? row + 1 : region->row_max;
        region->col_max = col + 1 > region->col_max ? col + 1 : region->col_max;
        if (row == 0 || col == 0 || row == rows - 1 || col == cols - 1)
            region->flags |= CLUMP_REGION_BORDER;
    }
    region->centroid_row = ratio(s.vr, s.v, 0);
    region->centroid_col = ratio(s.vc, s.v, 0);
    region->moment_rr = moment(&s, s.vr, s.vr, s.vrr);
    region->moment_rc = moment(&s, s.vr, s.vc, s.vrc);
    region->moment_cc = moment(&s, s.vc, s.vc, s.vcc);
}

/* Computes axes, orientation and eccentricity from the rounded moments, as measure.h states. */
static void measure_ellipse(struct clump_region *region)
{
    const double quarter = 0.78539816339744830962; /* pi / 4 */
    double rr = region->moment_rr, rc = region->moment_rc, cc = region->moment_cc;
    double mid = (rr + cc) / 2, dif = (rr - cc) / 2, root = sqrt(dif * dif + rc * rc);
    double l1 = mid + root, l2 = mid - root < 0 ? 0 : mid - root;
    region->axis_major = 4 * sqrt(l1);
    region->axis_minor = 4 * sqrt(l2);
    if (rr - cc == 0)
        region->orientation = rc > 0 ? quarter : -quarter;
    else
        region->orientation = 0.5 * atan2(2 * rc, rr - cc);
    region->eccentricity = l1 == 0 ? 0 : sqrt(1 - l2 / l1);
}

static void weigh(const struct sums *s, int scale, struct clump_region *region)
{
    region->sum = ratio(s->v, 1, -scale);
    region->mean = ratio(s->v, s->n, -scale);
    region->std = deviation(s, -scale);
    region->variance = variance(s, -scale);
    region->weighted_row = ratio(s->vr, s->v, 0);
    region->weighted_col = ratio(s->vc, s->v, 0);
    region->weighted_rr = moment(s, s->vr, s->vr, s->vrr);
    region->weighted_rc = moment(s, s->vr, s->vc, s->vrc);
    region->weighted_cc = moment(s, s->vc, s->vc, s->vcc);
}

/* Counts a value in units of half of 2^-scale, from the level in the same units. */
static void measure_values(const clump_image *image, double level, const uint64_t *pixels,
                           struct clump_region *region)
{
    struct sums s = {0};
    int scale = choose_scale(image, level, pixels, region->area);
    clump_int128 base = (clump_int128)rintl(ldexpl(level, scale + 1));
    double infinities = 0;
    long double least = (long double)NAN, greatest = (long double)NAN;
    for (uint64_t i = 0; i < region->area; i++) {
        uint64_t row = pixels[i] / image->cols, col = pixels[i] % image->cols;
        long double value = pixel_get(image, pixels[i]);
        if (isnan(value)) {
            region->flags |= CLUMP_REGION_BLANK;
            continue;
        }
        if (!(least <= value))
            least = value;
        if (!(greatest >= value)) {
            greatest = value;
            region->peak_row = row;
            region->peak_col = col;
        }
        if (isinf(value)) {
            region->flags |= CLUMP_REGION_INFINITE;
            infinities += (double)value;
        } else {
            add(&s, 2 * (clump_int128)rintl(ldexpl(value, scale)) - base, row, col);
        }
    }
    region->min = (double)(least + 0.0L) - level; /* -0 + 0 is 0 */
    region->max = (double)(greatest + 0.0L) - level;
    if (region->flags & CLUMP_REGION_INFINITE)
        region->sum = region->mean = infinities;
    else
        weigh(&s, scale + 1, region);
    if (region->sum <= 0)
        region->flags |= CLUMP_REGION_NEGATIVE;
}

static struct clump_region empty_region(uint64_t label)
{
    const double nan = (double)NAN;
    return (struct clump_region){.label = label,
                                 .mean = nan,
                                 .std = nan,
                                 .variance = nan,
                                 .min = nan,
                                 .max = nan,
                                 .centroid_row = nan,
                                 .centroid_col = nan,
                                 .weighted_row = nan,
                                 .weighted_col = nan,
                                 .moment_rr = nan,
                                 .moment_rc = nan,
                                 .moment_cc = nan,
                                 .weighted_rr = nan,
                                 .weighted_rc = nan,
                                 .weighted_cc = nan,
                                 .axis_major = nan,
                                 .axis_minor = nan,
                                 .orientation = nan,
                                 .eccentricity = nan,
                                 .perimeter = nan,
                                 .solidity = nan};
}

/* Sets the figures that were not asked for to NaN or 0. */
static void forget_moments(struct clump_region *region)
{
    region->std = region->variance = (double)NAN;
    region->moment_rr = region->moment_rc = region->moment_cc = (double)NAN;
    region->weighted_rr = region->weighted_rc = region->weighted_cc = (double)NAN;
    region->axis_major = region->axis_minor = (double)NAN;
    region->orientation = region->eccentricity = (double)NAN;
}

/* Measures one region after the other, each with the list of its pixels in raster order. */
static enum clump_status measure_all(clump_context *context, const clump_image *image,
                                     const clump_image *labels,
                                     const struct clump_measure_params *params,
                                     const uint64_t *pixels, struct clump_region *regions,
                                     uint64_t count)
{
    for (uint64_t i = 0; i < count; pixels += regions[i++].area) {
        struct clump_region *region = &regions[i];
        if (!image)
            region->sum = (double)NAN;
        if (!region->area)
            continue;
        measure_shape(labels, pixels, region);
        measure_ellipse(region);
        if (image)
            measure_values(image, params->level, pixels, region);
        if (params->brief)
            forget_moments(region);
        if (params->perimeter)
            region->perimeter = clump_measure_shape_perimeter(labels, pixels, region);
        if (params->euler)
            region->euler = clump_measure_shape_euler(labels, pixels, region);
        if (!params->convex)
            continue;
        if (!clump_measure_shape_convex_area(labels, pixels, region))
            return clump_reference_no_memory(context, "measure");
        region->solidity = (double)region->area / (double)region->area_convex;
    }
    return CLUMP_OK;
}

/* Counts the pixels of each region and lists them, region after region, in raster order. */
static bool sort_pixels(const clump_image *labels, uint64_t count, struct clump_region **regions,
                        uint64_t **pixels)
{
    const int32_t *numbers = labels->pixels;
    uint64_t total = 0, *next = malloc((count + 1) * sizeof *next);
    *regions = malloc((count + 1) * sizeof **regions);
    *pixels = malloc(pixel_count(labels) * sizeof **pixels);
    if (next && *regions && *pixels) {
        for (uint64_t i = 0; i < count; i++)
            (*regions)[i] = empty_region(i + 1);
        for (uint64_t i = 0; i < pixel_count(labels); i++)
            if (numbers[i])
                (*regions)[numbers[i] - 1].area++;
        for (uint64_t i = 0; i < count; total += (*regions)[i++].area)
            next[i] = total;
        for (uint64_t i = 0; i < pixel_count(labels); i++)
            if (numbers[i])
                (*pixels)[next[numbers[i] - 1]++] = i;
    }
    bool done = next != NULL;
    free(next);
    return done && *regions && *pixels;
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Lists the positive numbers in a label image in rising order, each once. `numbers` has room for
 * one per pixel. */
static uint64_t list_ids(const clump_image *labels, uint64_t *ids)
{
    uint64_t n = 0, count = 0;
    for (uint64_t i = 0; i < pixel_count(labels); i++)
        if (pixel_get(labels, i) > 0 && (!n || (uint64_t)pixel_get(labels, i) != ids[n - 1]))
            ids[n++] = (uint64_t)pixel_get(labels, i);
    qsort(ids, n, sizeof *ids, compare_ids);
    for (uint64_t i = 0; i < n; i++)
        if (!count || ids[i] != ids[count - 1])
            ids[count++] = ids[i];
    return count;
}

/* The index of a number in the list, which holds it. */
static uint64_t find_id(const uint64_t *ids, uint64_t count, uint64_t id)
{
    uint64_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (ids[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes a label image of the ranks, from 1, of the numbers in `labels`, and a list of the numbers.
 */
static enum clump_status rank_labels(clump_context *context, const clump_image *labels,
                                     clump_image **ranked, uint64_t **ids, uint64_t *count)
{
    for (uint64_t i = 0; i < pixel_count(labels); i++)
        if (pixel_get(labels, i) < 0)
            return clump_fail_negative(labels);
    *ids = malloc(pixel_count(labels) * sizeof **ids);
    if (!*ids)
        return clump_reference_no_memory(context, "measure");
    enum clump_status status =
        clump_image_create(context, CLUMP_I32, labels->rows, labels->cols, ranked);
    if (status)
        return status;
    *count = list_ids(labels, *ids);
    int32_t *ranks = (*ranked)->pixels;
    for (uint64_t i = 0; i < pixel_count(labels); i++) {
        uint64_t id = (uint64_t)pixel_get(labels, i);
        ranks[i] = id ? (int32_t)find_id(*ids, *count, id) + 1 : 0;
    }
    return CLUMP_OK;
}

enum clump_status clump_reference_measure(clump_context *context, const clump_image *image,
                                          const clump_image *labels,
                                          const struct clump_measure_params *params,
                                          struct clump_region **regions, uint64_t *count)
{
    clump_image *made = NULL;
    struct clump_region *found = NULL;
    uint64_t *pixels = NULL, *ids = NULL, number = 0;
    enum clump_status status = CLUMP_OK;
    if (labels->type == CLUMP_BITS) {
        struct clump_label_params how = {params->connectivity};
        status = clump_reference_label(context, labels, &how, &made, &number);
    } else {
        status = rank_labels(context, labels, &made, &ids, &number);
    }
    if (!status && !sort_pixels(made, number, &found, &pixels))
        status = clump_reference_no_memory(context, "measure");
    else if (!status)
        status = measure_all(context, image, made, params, pixels, found, number);
    for (uint64_t i = 0; !status && ids && i < number; i++)
        found[i].label = ids[i];
    free(pixels);
    free(ids);
    clump_image_destroy(&made);
    if (status) {
        free(found);
        return status;
    }
    *regions = found;
    *count = number;
    return CLUMP_OK;
}
