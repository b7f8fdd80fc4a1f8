/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bands.h"
#include "clip_options.h"

static struct option_list quantiles;
static const char *memory;

static const struct option options[] = {
    {"quantiles", 0, OPTION_LIST, &quantiles, "Q,...",
     "also these quantiles of all pixels, each in 0..1"},
    CLIP_OPTIONS,
    BANDS_OPTION(&memory),
    {0},
};

static struct clump_clip_params params;

static enum clump_status add_quantiles(struct run *run, struct bands_input *in, json_t *json)
{
    struct clump_stats_params stats = clump_stats_defaults;
    struct clump_stats_result result;
    double *values = malloc(quantiles.count * sizeof *values);
    if (!values)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for %zu quantiles", quantiles.count);
    stats.quantiles = quantiles.values;
    stats.quantile_count = quantiles.count;
    enum clump_status status = bands_stats(in, &stats, values, &result);
    json_t *list = json_array();
    for (size_t i = 0; !status && i < quantiles.count; i++) {
        json_array_append_new(list, run_json_real(values[i]));
        int digits = run_digits(values[i], result.std);
        run_print(run, "quantile %g = %.*g\n", quantiles.values[i], digits < 9 ? 9 : digits,
                  values[i]);
    }
    json_object_set_new(json, "quantiles", list);
    free(values);
    return status;
}

static enum clump_status stats_file(struct run *run, const char *path, json_t *json)
{
    struct bands_input in;
    struct clump_clip_result result;
    enum clump_status status = bands_open(run, path, memory, &in);
    if (!status)
        status = bands_clip(&in, &params, &result);
    if (!status) {
        json_object_set_new(json, "before", run_json_stats(&result.before));
        json_object_set_new(json, "after", run_json_stats(&result.after));
        json_object_set_new(json, "clip", run_json_clip(&result));
        clip_print(run, "before:", &result.before);
        clip_print(run, "after:", &result.after);
        clip_print_bounds(run, &result);
    }
    if (!status && quantiles.count)
        status = add_quantiles(run, &in, json);
    run_release(&in.input);
    return status;
}

static int run_stats(struct run *run)
{
    int status = clip_options(run, &params);
    params.mad = true;
    for (size_t i = 0; !status && i < quantiles.count; i++)
        if (!(quantiles.values[i] >= 0 && quantiles.values[i] <= 1))
            status = run_misuse(run, "quantile %g is not between 0 and 1", quantiles.values[i]);
    if (!status)
        status = bands_check(run, memory);
    return status ? status : run_each(run, stats_file);
}

const struct command command_stats = {
    .name = "stats",
    .summary = "Measures all pixels, and those that kappa-sigma clipping keeps",
    .usage = "FILE...",
    .about = "Mean, median, standard deviation and more, before and after clipping. Blank (NaN)\n"
             "pixels are left out and counted. All figures are exact, then rounded once.",
    .examples = "  clump stats field.fits\n"
                "  clump stats field.fits --kappa 4 --scale mad --json\n"
                "  clump stats field.fits --quantiles 0.01,0.5,0.99\n"
                "  clump stats mosaic.fits --memory 1G\n",
    .options = options,
    .groups = COMMAND_READS,
    .least = 1,
    .most = -1,
    .run = run_stats,
};
