/* SPDX-License-Identifier: MIT */
#include "measure.h"
#include "regions.h"
#include "stats.h"

#include <stdlib.h>

#include <clump/find.h>

#define FIELDS 12

static void add_result(const struct clump_find_result *found, struct pair_output *out)
{
    double *values = pair_memory(found->count * FIELDS * sizeof *values);
    for (uint64_t i = 0; i < found->count; i++) {
        const struct clump_region *r = &found->regions[i];
        const double all[FIELDS] = {
            (double)r->label, (double)r->area,     r->sum,         r->max,
            r->weighted_row,  r->weighted_col,     r->weighted_rr, r->weighted_rc,
            r->weighted_cc,   (double)r->peak_row, r->mean,        (double)r->flags,
        };
        for (int k = 0; k < FIELDS; k++)
            values[i * FIELDS + (uint64_t)k] = all[k];
    }
    pair_add_number(out, "kept", (double)found->clip.kept);
    pair_add_number(out, "std", found->clip.after.std);
    pair_add_number(out, "threshold", found->threshold);
    pair_add_number(out, "sources", (double)found->count);
    pair_add_list(out, "figures", values, found->count * FIELDS);
}

/* A small picture may have no finite pixel: both sides refuse it, which tests/find.c checks. */
static bool all_blank(clump_context *context, const clump_image *image)
{
    struct clump_stats_result stats;
    return clump_image_rows(image) * clump_image_cols(image) < 64 &&
           !clump_stats(context, image, NULL, NULL, &stats) && stats.count == stats.infinite;
}

static enum clump_status run(clump_context *context, const struct pair_input *in, bool labelled,
                             const struct clump_find_params *params, struct pair_output *out)
{
    struct clump_find_result found = {0};
    clump_image *labels = NULL;
    if (all_blank(context, in->image))
        return CLUMP_OK;
    enum clump_status status =
        clump_find(context, in->image, params, labelled ? &labels : NULL, &found);
    if (!status)
        add_result(&found, out);
    if (labels)
        pair_add_image(out, "labels", labels);
    clump_find_release(&found);
    return status;
}

static enum clump_status run_find(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    (void)test;
    return run(context, in, false, NULL, out);
}

static enum clump_status run_find_full(clump_context *context, const struct pair_case *test,
                                       const struct pair_input *in, struct pair_output *out)
{
    struct clump_find_params params = clump_find_defaults;
    params.sigmas = 2 + (double)(test->seed % 3);
    params.connectivity = 8;
    params.level = test->seed % 2 ? CLUMP_FIND_LEVEL_ZERO : CLUMP_FIND_LEVEL_MEDIAN;
    params.subtract = test->seed % 5 != 4;
    return run(context, in, true, &params, out);
}

/* The lesson's four steps; its sums are of the pixels as they are, without a level taken off. */
static enum clump_status run_lesson(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    struct clump_find_params params = clump_find_defaults;
    struct clump_find_result found = {0};
    (void)test;
    params.subtract = false;
    enum clump_status status = clump_find(context, in->image, &params, NULL, &found);
    if (status)
        return status;
    pair_add_clip(out, &found.clip);
    pair_add_number(out, "threshold", found.threshold);
    pair_add_sources(out, found.regions, found.count);
    clump_find_release(&found);
    return CLUMP_OK;
}

/* Every pixel has to be read once. */
static double bytes(const struct pair_case *test) { return pair_image_bytes(test, test->type); }

/* It measures the image three times if there are blank pixels. */
static unsigned fallbacks(const struct pair_case *test) { return 3 * pair_scale_fallbacks(test); }

const struct pair pair_find = {
    .name = "find",
    .operation = "find",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run_find,
    .fallbacks = fallbacks,
    .bytes = bytes,
};

const struct pair pair_find_full = {
    .name = "find_full",
    .operation = "find",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run_find_full,
    .fallbacks = fallbacks,
};

const struct pair pair_find_lesson = {
    .name = "find_lesson",
    .operation = "find",
    .types = PAIR_FLOATS,
    .picture = pair_picture_stars,
    .run = run_lesson,
    .fallbacks = fallbacks,
    .bytes = bytes,
};
