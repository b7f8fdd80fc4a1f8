/* SPDX-License-Identifier: MIT */
/* Extraction on skies whose sources overlap, with every kind of noise, mask and filter by seed. */
#include "pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clump/extract.h>

#define FIELDS 33

/* A crowded sky: noise of 1, sources of many sizes and heights, one of them large. */
static void picture_crowd(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed * 77 + test->rows * 1000003 + test->cols,
             n = test->rows * test->cols;
    float *v = pixels;
    uint64_t sources = n / (test->seed % 3 ? 120 : 600) + 2;
    for (uint64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += (double)(pair_random(&state) >> 40) * 0x1p-24 - 0.5;
        v[i] = (float)(sum * 1.41421356237309515);
    }
    for (uint64_t s = 0; s < sources; s++) {
        double x = (double)(pair_random(&state) % (test->cols * 16)) / 16,
               y = (double)(pair_random(&state) % (test->rows * 16)) / 16;
        double width = s ? 0.8 + (double)(pair_random(&state) % 16) / 8 : 9,
               height = s ? 4 + (double)(pair_random(&state) % 64) : 20;
        if (s % 37 == 1)
            height *= 100;
        int64_t far = (int64_t)(6 * width);
        for (int64_t r = (int64_t)y - far; r <= (int64_t)y + far; r++)
            for (int64_t c = (int64_t)x - far; c <= (int64_t)x + far; c++) {
                if (r < 0 || c < 0 || r >= (int64_t)test->rows || c >= (int64_t)test->cols)
                    continue;
                double dx = (double)c - x, dy = (double)r - y;
                float *at = &v[(uint64_t)r * test->cols + (uint64_t)c];
                *at = (float)(*at + height * exp(-(dx * dx + dy * dy) / (2 * width * width)));
            }
    }
    for (uint64_t i = 0; test->seed % 2 && i < n / 200 + 1; i++)
        v[pair_random(&state) % n] = i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
}

/* A map of noise, with places that are no noise, a mask and a mask of saturated pixels. */
static enum clump_status prepare(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    uint64_t state = test->seed + 5, n = test->rows * test->cols;
    float *noise = pair_memory(n * sizeof *noise);
    uint8_t *mask = pair_memory(n), *saturated = pair_memory(n);
    int32_t *segments = pair_memory(n * sizeof *segments);
    static const float odd[] = {0, -1, 1e30f, 1e-30f, 0.5f};
    for (uint64_t i = 0; i < n; i++) {
        double slope = 0.7 + 0.6 * (double)(i % test->cols) / (double)test->cols;
        noise[i] = (float)slope;
        if (pair_random(&state) % 97 == 0)
            noise[i] = odd[pair_random(&state) % 5];
        mask[i] = pair_random(&state) % 61 == 0 || (i / test->cols) % 29 == 7;
        saturated[i] = pair_random(&state) % 211 == 0;
        segments[i] = (int32_t)(i / test->cols / 7 * 3 + i % test->cols / 9 * 40) - 40;
        if (pair_random(&state) % 13 == 0)
            segments[i] = pair_random(&state) % 2 ? INT32_MAX : -5;
    }
    enum clump_status status =
        clump_image_upload(context, CLUMP_F32, test->rows, test->cols, noise, &in->extra[0]);
    if (!status)
        status = clump_image_upload(context, CLUMP_U8, test->rows, test->cols, mask, &in->extra[1]);
    if (!status)
        status =
            clump_image_upload(context, CLUMP_U8, test->rows, test->cols, saturated, &in->extra[2]);
    if (!status)
        status =
            clump_image_upload(context, CLUMP_I32, test->rows, test->cols, segments, &in->extra[3]);
    free(segments);
    free(saturated);
    free(mask);
    free(noise);
    return status;
}

static void add_result(const struct clump_extract_result *found, struct pair_output *out)
{
    double *values = pair_memory((found->count * FIELDS + 1) * sizeof *values);
    for (uint64_t i = 0; i < found->count; i++) {
        const struct clump_object *o = &found->objects[i];
        const double all[FIELDS] = {
            o->thresh,
            (double)o->npix,
            (double)o->tnpix,
            (double)o->xmin,
            (double)o->xmax,
            (double)o->ymin,
            (double)o->ymax,
            o->x,
            o->y,
            o->x2,
            o->y2,
            o->xy,
            o->errx2,
            o->erry2,
            o->errxy,
            o->a,
            o->b,
            o->theta,
            o->cxx,
            o->cyy,
            o->cxy,
            o->cflux,
            o->flux,
            o->cpeak,
            o->peak,
            (double)o->xcpeak,
            (double)o->ycpeak,
            (double)o->xpeak,
            (double)o->ypeak,
            (double)o->flag,
            o->fluxerr,
            o->snr,
            (double)o->reserved[0],
        };
        memcpy(values + i * FIELDS, all, sizeof all);
    }
    pair_add_number(out, "sources", (double)found->sources);
    pair_add_number(out, "deblended", (double)found->deblended);
    pair_add_number(out, "objects", (double)found->count);
    pair_add_list(out, "figures", values, found->count * FIELDS);
}

static enum clump_status run(clump_context *context, const struct pair_input *in,
                             const struct clump_extract_params *params, struct pair_output *out)
{
    struct clump_extract_result found = {0};
    clump_image *labels = NULL, *filtered = NULL;
    enum clump_status status =
        clump_extract(context, in->image, params, &labels, &filtered, &found);
    if (status)
        return status;
    add_result(&found, out);
    pair_add_image(out, "segmentation", labels);
    pair_add_image(out, "filtered", filtered);
    clump_extract_release(&found);
    return CLUMP_OK;
}

/* One noise for all pixels. */
static enum clump_status run_plain(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_extract_params params = clump_extract_defaults;
    params.noise = test->seed % 4 == 2 ? 0 : 1;
    params.clean = test->seed % 3 != 1;
    params.gain = test->seed % 4 == 3 ? 7.5 : 0;
    return run(context, in, &params, out);
}

/* A map of noise of any kind, a mask, saturated pixels, two thresholds, other filters. */
static enum clump_status run_full(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    static const double lopsided[] = {0.5, 1, -0.25, 1, 4, 2, 0, 1, 1, 0.5};
    static const struct clump_weights other = {.rows = 2, .cols = 5, .weights = lopsided};
    struct clump_extract_params params = clump_extract_defaults;
    uint64_t seed = test->seed;
    params.thresh = seed % 5 == 4 ? 4 : 1.5;
    params.low = seed % 5 == 4 ? 1.25 : 0;
    params.noise_map = in->extra[0];
    params.noise_kind = (enum clump_extract_noise)(seed % 3);
    params.mask = seed % 2 ? in->extra[1] : NULL;
    params.saturated = seed % 4 != 1 ? in->extra[2] : NULL;
    params.filter = seed % 4 == 1 ? NULL : seed % 4 == 2 ? &other : params.filter;
    params.filter_type = seed % 7 == 5 ? CLUMP_EXTRACT_FILTER_CONV : CLUMP_EXTRACT_FILTER_MATCHED;
    params.min_area = 1 + seed % 6;
    params.deblend_levels = seed % 6 == 5 ? 255 : 32;
    params.deblend_contrast = seed % 5 == 0 ? 0 : 0.005;
    params.clean_param = seed % 4 == 3 ? 2.5 : 1;
    params.gain = seed % 3 == 1 ? 2 : 0;
    params.negative = seed % 8 == 6;
    params.segmentation = seed % 9 == 3 ? in->extra[3] : NULL;
    return run(context, in, &params, out);
}

/* Every pixel has to be read once. */
static double bytes(const struct pair_case *test) { return pair_image_bytes(test, test->type); }

const struct pair pair_extract = {
    .name = "extract",
    .operation = "extract",
    .fp64 = true,
    .types = 1u << CLUMP_F32,
    .picture = picture_crowd,
    .run = run_plain,
    .bytes = bytes,
};

const struct pair pair_extract_full = {
    .name = "extract_full",
    .operation = "extract",
    .fp64 = true,
    .types = 1u << CLUMP_F32,
    .picture = picture_crowd,
    .prepare = prepare,
    .run = run_full,
};

/* Pixels of every type; the level of the noise is not known, so the threshold is a value. */
static enum clump_status run_types(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_extract_params params = clump_extract_defaults;
    params.thresh = pair_level(test->type);
    params.filter = test->seed % 2 ? NULL : params.filter;
    return run(context, in, &params, out);
}

const struct pair pair_extract_types = {
    .name = "extract_types",
    .operation = "extract",
    .fp64 = true,
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run_types,
};

#define APERTURES 6

/* The whole way, with the defaults. */
static enum clump_status run_field(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_extract_result found = {0};
    (void)test;
    enum clump_status status = clump_extract_field(context, in->image, NULL, NULL, NULL, &found);
    if (status)
        return status;
    double *values = pair_memory((found.count * APERTURES + 1) * sizeof *values);
    for (uint64_t i = 0; i < found.count; i++) {
        const struct clump_object *o = &found.objects[i];
        const double all[APERTURES] = {o->kron_radius, o->flux_auto, o->fluxerr_auto,
                                       o->flux_radius, o->xwin,      o->ywin};
        memcpy(values + i * APERTURES, all, sizeof all);
    }
    add_result(&found, out);
    pair_add_list(out, "apertures", values, found.count * APERTURES);
    clump_extract_release(&found);
    return CLUMP_OK;
}

const struct pair pair_extract_field = {
    .name = "extract_field",
    .operation = "extract",
    .fp64 = true,
    .types = 1u << CLUMP_F32,
    .picture = picture_crowd,
    .run = run_field,
    .bytes = bytes,
};
