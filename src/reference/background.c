/* SPDX-License-Identifier: MIT */
#include "reference/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/pixel.h"

#define BINS 4096

/* Statistics of the pixels of a box that lie within bounds. */
struct sums {
    uint64_t count;
    double mean, std;
};

static bool is_used(float value) { return fabsf(value) < 1e30f; }

/* The pixels as float32; NaN where they have no part in a box, 0 for denormals. */
static void read_pixels(const clump_image *image, const clump_image *mask, float *pixels)
{
    for (uint64_t i = 0; i < pixel_count(image); i++) {
        bool masked = mask && bit_get(mask, i / image->cols, i % image->cols);
        float value = (float)pixel_get(image, i);
        pixels[i] = masked || !is_used(value) ? NAN : fabsf(value) < FLT_MIN ? 0 : value;
    }
}

/* Copies the used pixels of a box; returns their number. */
static uint64_t gather(const float *pixels, const struct mesh *mesh, uint64_t j, uint64_t i,
                       float *values, uint64_t *all)
{
    uint64_t count = 0, row = j * mesh->height, col = i * mesh->width;
    *all = 0;
    for (uint64_t y = row; y < row + mesh->height && y < mesh->image_rows; y++)
        for (uint64_t x = col; x < col + mesh->width && x < mesh->image_cols; x++) {
            float value = pixels[y * mesh->image_cols + x];
            ++*all;
            if (!isnan(value))
                values[count++] = value;
        }
    return count;
}

/* Mean and standard deviation of the values within bounds, by integers of `bits` bits. */
static struct sums sum(const float *values, uint64_t count, float low, float high, int bits)
{
    struct sums sums = {0};
    float least = INFINITY, most = -INFINITY;
    uint64_t first = 0, second = 0;
    int e;
    for (uint64_t i = 0; i < count; i++)
        if (values[i] >= low && values[i] <= high) {
            least = fminf(least, values[i]);
            most = fmaxf(most, values[i]);
            sums.count++;
        }
    sums.mean = (double)least;
    if (!sums.count || most - least < 0x1p-60f)
        return sums;
    frexpf(most - least, &e);
    for (uint64_t i = 0; i < count; i++)
        if (values[i] >= low && values[i] <= high) {
            uint64_t k = (uint64_t)rintf(ldexpf(values[i] - least, bits - e));
            first += k;
            second += k * k;
        }
    double n = (double)sums.count, unit = ldexp(1, e - bits), mean = (double)first / n;
    double variance = (double)second / n - mean * mean;
    sums.mean = (double)least + mean * unit;
    sums.std = unit * sqrt(variance > 0 ? variance : 0);
    return sums;
}

/* A histogram whose bin k is centred on origin + k step. */
struct histogram {
    int bins;
    float origin;
    double step;
    uint64_t counts[BINS + 1];
};

static void fill(struct histogram *histogram, const struct sums *sums, const float *values,
                 uint64_t count)
{
    double bins = (double)sums->count * 0.997355701003582 + 1;
    float inverse = 1;
    memset(histogram, 0, sizeof *histogram);
    histogram->bins = bins < BINS ? (int)bins : BINS;
    histogram->step = 1;
    histogram->origin = (float)(sums->mean - 5 * sums->std);
    if (sums->std > 0) {
        histogram->step = 10 * sums->std / histogram->bins;
        inverse = (float)(histogram->bins / (10 * sums->std));
    }
    for (uint64_t i = 0; i < count; i++) {
        float u = (values[i] - histogram->origin) * inverse + 0.5f;
        if (u > -1 && u < (float)histogram->bins)
            histogram->counts[(int)u]++;
    }
}

/* Returns the bin, with a fraction, where walks from both ends of the bins from..to meet if the
 * side that has counted fewer pixels always goes on. */
static double median(const struct histogram *histogram, int from, int to)
{
    const uint64_t *counts = histogram->counts;
    uint64_t low = 0, high = 0;
    int left = from - 1, right = to;
    for (int i = from; i <= to; i++)
        if (low < high)
            low += counts[++left];
        else
            high += counts[right--];
    if (left < 0)
        return 0;
    uint64_t most = counts[left] > counts[left + 1] ? counts[left] : counts[left + 1];
    return left + 0.5 + ((double)high - (double)low) / (2 * (double)most);
}

/* Mean and standard deviation of the bins from..to; false where they are empty. */
static bool moments(const struct histogram *histogram, int from, int to, double *mean, double *std)
{
    uint64_t all = 0, first = 0, second = 0;
    for (int k = from; k <= to; k++) {
        uint64_t count = histogram->counts[k];
        all += count;
        first += count * (uint64_t)k;
        second += count * (uint64_t)k * (uint64_t)k;
    }
    if (!all)
        return false;
    *mean = (double)first / (double)all;
    double variance = (double)second / (double)all - *mean * *mean;
    *std = sqrt(variance > 0 ? variance : 0);
    return true;
}

static void find_mode(const struct histogram *histogram, double *level, double *rms)
{
    int last = histogram->bins - 1, from = 0, to = last;
    double std = 10.0 * last, previous = 1, mean = 0, middle = 0;
    for (int i = 0; i < 100 && std >= 0.1 && fabs(std / previous - 1) > 1e-4; i++) {
        previous = std;
        if (!moments(histogram, from, to, &mean, &std))
            break;
        middle = median(histogram, from, to);
        double below = middle - 3 * std, above = middle + 3 * std;
        from = below > 0 ? (int)(below + 0.5) : 0;
        to = above < last ? (int)(above + 0.5) : last;
    }
    double mode = middle;
    if (!(std > 0))
        mode = mean;
    else if (fabs(mean - middle) / std < 0.3)
        mode = 2.5 * middle - 1.5 * mean;
    *level = (double)histogram->origin + histogram->step * mode;
    *rms = histogram->step * std;
}

/* Fills a box's level and rms; false where it has too few pixels. */
static bool measure_box(const float *values, uint64_t count, uint64_t all, int bits,
                        struct histogram *histogram, float *level, float *rms)
{
    if (2 * count < all)
        return false;
    struct sums sums = sum(values, count, -INFINITY, INFINITY, bits);
    struct sums kept = sum(values, count, (float)(sums.mean - 2 * sums.std),
                           (float)(sums.mean + 2 * sums.std), bits);
    if (kept.count)
        sums = kept;
    double mode = sums.mean, noise = sums.std;
    fill(histogram, &sums, values, count);
    if (histogram->bins > 1)
        find_mode(histogram, &mode, &noise);
    *level = (float)mode;
    *rms = (float)noise;
    return true;
}

/* The bits of an integer pixel, so that the sum of squares over a box stays below 2^64. */
static int value_bits(const struct mesh *mesh)
{
    uint64_t width = mesh->width < mesh->image_cols ? mesh->width : mesh->image_cols;
    uint64_t height = mesh->height < mesh->image_rows ? mesh->height : mesh->image_rows;
    int bits = 24;
    while (2 * bits + (int)ceill(log2l((long double)(width * height))) > 64)
        bits--;
    return bits;
}

static enum clump_status measure_boxes(clump_context *context, const clump_image *image,
                                       const clump_image *mask, struct mesh *mesh,
                                       struct clump_background_result *result)
{
    float *pixels = malloc(pixel_count(image) * sizeof *pixels);
    float *values = malloc(pixel_count(image) * sizeof *values);
    struct histogram *histogram = malloc(sizeof *histogram);
    enum clump_status status = CLUMP_OK;
    if (!pixels || !values || !histogram)
        status = clump_reference_no_memory(context, "background");
    else
        read_pixels(image, mask, pixels);
    for (uint64_t j = 0; j < mesh->rows && !status; j++)
        for (uint64_t i = 0; i < mesh->cols; i++) {
            uint64_t all, box = j * mesh->cols + i;
            uint64_t count = gather(pixels, mesh, j, i, values, &all);
            mesh->good[box] = measure_box(values, count, all, value_bits(mesh), histogram,
                                          &mesh->level[box], &mesh->rms[box]);
            result->bad += !mesh->good[box];
            result->used += count;
        }
    free(histogram);
    free(values);
    free(pixels);
    return status;
}

static enum clump_status subtract(clump_context *context, const clump_image *image,
                                  const clump_image *back, clump_image **subtracted)
{
    enum clump_status status =
        clump_image_create(context, CLUMP_F32, image->rows, image->cols, subtracted);
    if (status)
        return status;
    const float *level = back->pixels;
    float *out = (*subtracted)->pixels;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        out[i] = (float)pixel_get(image, i) - level[i];
    return CLUMP_OK;
}

enum clump_status clump_reference_background(clump_context *context, const clump_image *image,
                                             const clump_image *mask,
                                             const struct clump_background_params *params,
                                             clump_image **back, clump_image **rms,
                                             clump_image **subtracted,
                                             struct clump_background_result *result)
{
    struct mesh mesh = {0};
    struct clump_background_result r = {0};
    clump_image *level_map = NULL, *rms_map = NULL, *difference = NULL;
    enum clump_status status = clump_mesh_create(context, image, params, &mesh);
    if (!status)
        status = measure_boxes(context, image, mask, &mesh, &r);
    if (!status)
        status = clump_mesh_finish(context, params, &mesh, &r);
    if (!status && (back || subtracted))
        status = clump_mesh_spread(context, &mesh, mesh.level, &level_map);
    if (!status && rms)
        status = clump_mesh_spread(context, &mesh, mesh.rms, &rms_map);
    if (!status && subtracted)
        status = subtract(context, image, level_map, &difference);
    clump_mesh_release(&mesh);
    if (status || !back)
        clump_image_destroy(&level_map);
    if (status) {
        clump_image_destroy(&difference);
        clump_image_destroy(&rms_map);
        return status;
    }
    if (back)
        *back = level_map;
    if (rms) {
        float *noise = rms_map->pixels;
        for (uint64_t i = 0; i < pixel_count(rms_map); i++)
            noise[i] = noise[i] > 0 ? noise[i] : 0;
        *rms = rms_map;
    }
    if (subtracted)
        *subtracted = difference;
    *result = r;
    return CLUMP_OK;
}
