/* SPDX-License-Identifier: MIT */
#include "clip_options.h"

#include <inttypes.h>
#include <math.h>

struct clip_settings clip_settings = {.kappa = NAN, .kappa_low = NAN, .kappa_high = NAN};

int clip_options(struct run *run, struct clump_clip_params *params)
{
    const struct clip_settings *set = &clip_settings;
    *params = clump_clip_defaults;
    if (!isnan(set->kappa))
        params->kappa_low = params->kappa_high = set->kappa;
    if (!isnan(set->kappa_low))
        params->kappa_low = set->kappa_low;
    if (!isnan(set->kappa_high))
        params->kappa_high = set->kappa_high;
    params->max_iterations = set->iterations;
    params->centre = set->centre;
    params->scale = set->scale;
    params->inclusive = set->inclusive;
    if (!(params->kappa_low > 0) || !(params->kappa_high > 0))
        return run_misuse(run, "kappa must be greater than 0, not %g",
                          params->kappa_low > 0 ? params->kappa_high : params->kappa_low);
    return EXIT_DONE;
}

/* A NaN without its sign, which says nothing. */
static double shown(double value) { return isnan(value) ? NAN : value; }

void clip_print(struct run *run, const char *when, const struct clump_stats_result *stats)
{
    clip_print_line(run, when, stats);
    run_print(run, "%-7s minimum = %.*e, MAD = %.3e, sum = %.9g, %" PRIu64 " pixels\n", "",
              run_digits(stats->min, stats->std) - 1, shown(stats->min), shown(stats->mad),
              shown(stats->sum), stats->count);
}

void clip_print_line(struct run *run, const char *when, const struct clump_stats_result *stats)
{
    run_print(run, "%-7s mean = %.*e, median = %.*e, stddev = %.3e, maximum = %.*e\n", when,
              run_digits(stats->mean, stats->std) - 1, shown(stats->mean),
              run_digits(stats->median, stats->std) - 1, shown(stats->median), shown(stats->std),
              run_digits(stats->max, stats->std) - 1, shown(stats->max));
}

void clip_print_bounds(struct run *run, const struct clump_clip_result *result)
{
    const struct clump_stats_result *before = &result->before;
    int lower = run_digits(result->lower, result->after.std);
    int upper = run_digits(result->upper, result->after.std);
    if (before->blank || before->infinite)
        run_print(run, "%" PRIu64 " blank pixels, %" PRIu64 " infinite\n", before->blank,
                  before->infinite);
    run_print(run,
              "kept %" PRIu64 " of %" PRIu64 " pixels, between %.*g and %.*g, in %" PRIu32
              " iterations%s\n",
              result->kept, before->count, lower < 9 ? 9 : lower, result->lower,
              upper < 9 ? 9 : upper, result->upper, result->iterations,
              result->converged ? "" : "; not converged");
}
