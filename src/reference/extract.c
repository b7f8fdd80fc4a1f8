/* SPDX-License-Identifier: MIT */
/* Extraction: filter, members, sources; deblending, measuring and cleaning are called from here. */
#include "reference/extract.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/pixel.h"

/* The standard deviation that a value of a noise map means. */
static float sigma_of(enum clump_extract_noise kind, float value)
{
    if (kind == CLUMP_EXTRACT_NOISE_SIGMA)
        return value;
    return (float)sqrt(kind == CLUMP_EXTRACT_NOISE_VARIANCE ? (double)value : 1 / (double)value);
}

/* Noise counts where it and its reciprocal are normal numbers of F32. */
static bool usable(float sigma)
{
    float reciprocal = (float)(1 / (double)sigma);
    return sigma > 0 && isnormal(reciprocal) && isfinite(sigma);
}

static void release(struct scene *scene)
{
    free(scene->v);
    free(scene->c);
    free(scene->sigma);
    free(scene->good);
    free(scene->member);
    free(scene->seed);
    free(scene->mark);
    free(scene->stack);
    free(scene->heights);
}

static enum clump_status prepare(clump_context *context, const clump_image *image,
                                 const struct clump_extract_params *params, struct scene *scene)
{
    uint64_t n = pixel_count(image);
    const float *noise = params->noise_map ? params->noise_map->pixels : NULL;
    *scene = (struct scene){.params = params,
                            .rows = image->rows,
                            .cols = image->cols,
                            .thresh = (float)params->thresh,
                            .low = (float)(params->low > 0 ? params->low : params->thresh),
                            .v = malloc(n * sizeof(float)),
                            .c = malloc(n * sizeof(float)),
                            .sigma = noise ? malloc(n * sizeof(float)) : NULL,
                            .good = malloc(n * sizeof(bool)),
                            .member = malloc(n * sizeof(bool)),
                            .seed = malloc(n * sizeof(bool)),
                            .mark = calloc(n, sizeof(int32_t)),
                            .stack = malloc(n * sizeof(uint32_t)),
                            .heights = malloc(n * sizeof(float))};
    if (!scene->v || !scene->c || (noise && !scene->sigma) || !scene->good || !scene->member ||
        !scene->seed || !scene->mark || !scene->stack || !scene->heights)
        return clump_reference_no_memory(context, "extract");
    for (uint64_t i = 0; i < n; i++) {
        float value = ((const float *)image->pixels)[i];
        scene->good[i] = isfinite(value) &&
                         !(params->mask && bit_get(params->mask, i / image->cols, i % image->cols));
        if (noise) {
            scene->sigma[i] = sigma_of(params->noise_kind, noise[i]);
            scene->good[i] = scene->good[i] && usable(scene->sigma[i]);
        }
        scene->v[i] = scene->good[i] ? value : 0;
    }
    return CLUMP_OK;
}

/* Sums of the products of the weights and what lies under them. */
struct filtered {
    float c;             /* of the pixels */
    float signal, power; /* of the pixels by their noise, in units of that of the middle */
};

static struct filtered filter_at(const struct scene *scene, const float *weights, uint64_t row,
                                 uint64_t col)
{
    const struct clump_weights *filter = scene->params->filter;
    struct filtered sums = {0};
    for (uint64_t j = 0; j < filter->rows; j++)
        for (uint64_t i = 0; i < filter->cols; i++) {
            uint64_t y = row + j - filter->rows / 2, x = col + i - filter->cols / 2;
            if (y >= scene->rows || x >= scene->cols) /* negative ones are huge */
                continue;
            uint64_t at = y * scene->cols + x;
            float k = weights[j * filter->cols + i];
            sums.c = fmaf(k, scene->v[at], sums.c);
            if (!scene->sigma || !scene->good[at])
                continue;
            float reciprocal = (float)(1 / (double)scene->sigma[at]);
            float share = reciprocal * scene->sigma[row * scene->cols + col];
            sums.signal = fmaf(k, scene->v[at] * reciprocal * share, sums.signal);
            sums.power = fmaf(k * k, share * share, sums.power);
        }
    return sums;
}

/* signal / sqrt(power) > thresh */
static bool stands_out(const struct filtered *sums, float thresh)
{
    return sums->signal > 0 && sums->signal * sums->signal > thresh * thresh * sums->power;
}

/* Makes c, members and seeds. */
static enum clump_status detect(clump_context *context, struct scene *scene)
{
    const struct clump_extract_params *params = scene->params;
    const struct clump_weights *filter = params->filter;
    bool matched = filter && scene->sigma && params->filter_type == CLUMP_EXTRACT_FILTER_MATCHED;
    uint64_t count = filter ? filter->rows * filter->cols : 0;
    float *weights = malloc((count + 1) * sizeof *weights);
    double sum = 0;
    if (!weights)
        return clump_reference_no_memory(context, "extract");
    for (uint64_t i = 0; i < count; i++)
        sum += fabs(filter->weights[i]);
    for (uint64_t i = 0; i < count; i++)
        weights[i] = (float)(filter->weights[i] / sum);
    for (uint64_t i = 0; i < scene->rows * scene->cols; i++) {
        struct filtered sums = {.c = scene->v[i]};
        if (filter)
            sums = filter_at(scene, weights, i / scene->cols, i % scene->cols);
        scene->c[i] = sums.c;
        float unit = scene->sigma ? scene->sigma[i] : params->noise > 0 ? (float)params->noise : 1;
        scene->member[i] = scene->good[i] &&
                           (matched ? stands_out(&sums, scene->low) : sums.c > scene->low * unit);
        scene->seed[i] = scene->good[i] && (matched ? stands_out(&sums, scene->thresh)
                                                    : sums.c > scene->thresh * unit);
    }
    free(weights);
    return CLUMP_OK;
}

uint64_t extract_flood(const struct scene *scene, uint32_t from, int32_t unseen, int32_t number)
{
    uint64_t count = 0;
    scene->mark[from] = number;
    scene->stack[count++] = from;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = scene->stack[i] / scene->cols, col = scene->stack[i] % scene->cols;
        for (int d = 0; d < 9; d++) {
            uint64_t y = row + (uint64_t)(d / 3) - 1, x = col + (uint64_t)(d % 3) - 1;
            if (y >= scene->rows || x >= scene->cols || scene->mark[y * scene->cols + x] != unseen)
                continue;
            scene->mark[y * scene->cols + x] = number;
            scene->stack[count++] = (uint32_t)(y * scene->cols + x);
        }
    }
    return count;
}

enum clump_status extract_add(clump_context *context, struct blobs *blobs, struct places *places,
                              struct blob **blob)
{
    if (blobs->count == blobs->room) {
        uint64_t room = 2 * blobs->room + 64;
        struct blob *grown = realloc(blobs->all, room * sizeof *grown);
        if (!grown)
            return clump_reference_no_memory(context, "extract");
        blobs->all = grown;
        blobs->room = room;
    }
    *blob = &blobs->all[blobs->count++];
    **blob = (struct blob){.places = *places};
    *places = (struct places){0};
    return CLUMP_OK;
}

static int rising(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The mean threshold of a source. */
static float mean_threshold(const struct scene *scene, const struct places *places)
{
    double most = 0;
    int64_t sum = 0;
    if (!scene->sigma)
        return extract_threshold(scene, 0);
    for (uint64_t i = 0; i < places->count; i++)
        most = fmax(most, extract_threshold(scene, places->at[i]));
    double scale = extract_scale(most);
    for (uint64_t i = 0; i < places->count; i++)
        sum += (int64_t)rint(extract_threshold(scene, places->at[i]) * scale);
    return (float)((double)sum / scale / (double)places->count);
}

/* Takes the places in the scene's stack as a source, if it is large and bright enough. */
static enum clump_status take_source(clump_context *context, const struct scene *scene,
                                     uint64_t count, struct blobs *sources)
{
    struct places places = {NULL, count};
    struct blob *blob;
    bool seeded = false;
    for (uint64_t i = 0; i < count; i++)
        seeded = seeded || scene->seed[scene->stack[i]];
    if (!seeded || count < scene->params->min_area)
        return CLUMP_OK;
    places.at = malloc(count * sizeof *places.at);
    if (!places.at)
        return clump_reference_no_memory(context, "extract");
    memcpy(places.at, scene->stack, count * sizeof *places.at);
    qsort(places.at, count, sizeof *places.at, rising);
    enum clump_status status = extract_add(context, sources, &places, &blob);
    free(places.at);
    return status;
}

static int by_last(const void *left, const void *right)
{
    const struct places *a = &((const struct blob *)left)->places,
                        *b = &((const struct blob *)right)->places;
    return rising(&a->at[a->count - 1], &b->at[b->count - 1]);
}

/* Finds the sources, in the order of their last pixels, with nothing measured. */
static enum clump_status find_sources(clump_context *context, const struct scene *scene,
                                      struct blobs *sources)
{
    enum clump_status status = CLUMP_OK;
    uint64_t n = scene->rows * scene->cols;
    for (uint64_t i = 0; i < n; i++)
        scene->mark[i] = scene->member[i] ? -1 : 0;
    for (uint64_t i = 0; !status && i < n; i++)
        if (scene->mark[i] == -1)
            status = take_source(context, scene, extract_flood(scene, (uint32_t)i, -1, 0), sources);
    if (sources->count)
        qsort(sources->all, sources->count, sizeof *sources->all, by_last);
    return status;
}

/* Takes the objects of a segmentation, by their numbers, as they are. */
static enum clump_status take_given(clump_context *context, const struct scene *scene,
                                    struct blobs *blobs)
{
    const int32_t *numbers = scene->params->segmentation->pixels;
    enum clump_status status = CLUMP_OK;
    uint64_t n = scene->rows * scene->cols;
    for (int64_t last = 0, next = 0; !status; last = next) {
        struct places places = {NULL, 0};
        struct blob *blob;
        next = INT64_MAX;
        for (uint64_t i = 0; i < n; i++)
            if (scene->good[i] && numbers[i] > last && numbers[i] < next)
                next = numbers[i];
        if (next == INT64_MAX)
            return CLUMP_OK;
        for (uint64_t i = 0; i < n; i++)
            if (scene->good[i] && numbers[i] == next)
                scene->stack[places.count++] = (uint32_t)i;
        places.at = malloc(places.count * sizeof *places.at);
        if (!places.at)
            return clump_reference_no_memory(context, "extract");
        memcpy(places.at, scene->stack, places.count * sizeof *places.at);
        status = extract_add(context, blobs, &places, &blob);
        if (!status)
            extract_measure(scene, mean_threshold(scene, &blob->places), NULL, blob);
        free(places.at);
    }
    return status;
}

/* Makes the images that were asked for and the list of objects. */
static enum clump_status deliver(clump_context *context, const struct scene *scene,
                                 const struct blobs *blobs, clump_image **segmentation,
                                 clump_image **filtered, struct clump_extract_result *result)
{
    clump_image *labels = NULL, *smooth = NULL;
    result->objects = malloc((blobs->count + 1) * sizeof *result->objects);
    enum clump_status status =
        result->objects ? CLUMP_OK : clump_reference_no_memory(context, "extract");
    if (!status && segmentation)
        status = clump_image_create(context, CLUMP_I32, scene->rows, scene->cols, &labels);
    if (!status && filtered)
        status = clump_image_create(context, CLUMP_F32, scene->rows, scene->cols, &smooth);
    if (status) {
        clump_image_destroy(&labels);
        free(result->objects);
        return status;
    }
    result->count = blobs->count;
    if (labels)
        memset(labels->pixels, 0, labels->bytes);
    for (uint64_t i = 0; i < blobs->count; i++) {
        result->objects[i] = blobs->all[i].object;
        for (uint64_t p = 0; labels && p < blobs->all[i].places.count; p++)
            ((int32_t *)labels->pixels)[blobs->all[i].places.at[p]] = (int32_t)i + 1;
    }
    if (smooth)
        memcpy(smooth->pixels, scene->c, smooth->bytes);
    if (segmentation)
        *segmentation = labels;
    if (filtered)
        *filtered = smooth;
    return CLUMP_OK;
}

static void release_blobs(struct blobs *blobs)
{
    for (uint64_t i = 0; i < blobs->count; i++)
        free(blobs->all[i].places.at);
    free(blobs->all);
}

enum clump_status clump_reference_extract(clump_context *context, const clump_image *image,
                                          const struct clump_extract_params *params,
                                          clump_image **segmentation, clump_image **filtered,
                                          struct clump_extract_result *result)
{
    struct scene scene = {0};
    struct blobs sources = {0}, blobs = {0};
    struct clump_extract_result found = {0};
    enum clump_status status = prepare(context, image, params, &scene);
    if (!status)
        status = detect(context, &scene);
    if (!status && params->segmentation)
        status = take_given(context, &scene, &blobs);
    else if (!status)
        status = find_sources(context, &scene, &sources);
    for (uint64_t i = 0; !status && i < sources.count; i++) {
        struct places *places = &sources.all[i].places;
        status = extract_deblend(context, &scene, mean_threshold(&scene, places), places, &blobs);
    }
    found.sources = params->segmentation ? blobs.count : sources.count;
    found.deblended = blobs.count;
    if (!status && params->clean && !params->segmentation)
        status = extract_clean(context, params->clean_param, &blobs);
    if (!status)
        status = deliver(context, &scene, &blobs, segmentation, filtered, &found);
    if (!status)
        *result = found;
    release_blobs(&blobs);
    release_blobs(&sources);
    release(&scene);
    return status;
}
