/* SPDX-License-Identifier: MIT */
#include "clip_options.h"

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
