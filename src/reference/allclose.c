/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>

#include "reference/pixel.h"

/* Computes |a - b| and whether a and b agree, in float32 or float64. */
static double compare(double a, double b, bool single, const struct clump_allclose_params *params,
                      bool *close)
{
    double difference, tolerance;
    if (single) {
        float bound = (float)params->rtol * fabsf((float)b);
        bound += (float)params->atol;
        difference = (double)fabsf((float)a - (float)b);
        tolerance = (double)bound;
    } else {
        difference = fabs(a - b);
        tolerance = params->atol + params->rtol * fabs(b);
    }
    bool equal = a == b || (params->equal_nan && isnan(a) && isnan(b));
    *close = equal || (difference <= tolerance && isfinite(b));
    return equal ? 0 : difference;
}

/* Tells whether a difference is worse than another; NaN is the worst. */
static bool is_more(double x, double y) { return isnan(x) ? !isnan(y) : x > y; }

enum clump_status clump_reference_allclose(clump_context *context, const clump_image *a,
                                           const clump_image *b,
                                           const struct clump_allclose_params *params,
                                           struct clump_allclose_result *result)
{
    bool single = a->type == CLUMP_F32 && b->type == CLUMP_F32;
    struct clump_allclose_result found = {.close = true};
    uint64_t worst = 0;
    (void)context;
    for (uint64_t i = 0; i < pixel_count(a); i++) {
        bool close;
        double difference =
            compare((double)pixel_get(a, i), (double)pixel_get(b, i), single, params, &close);
        bool worse = found.close ? !close || is_more(difference, found.difference)
                                 : !close && is_more(difference, found.difference);
        found.differ += !close;
        if (!worse)
            continue;
        found.close = found.close && close;
        found.difference = difference;
        worst = i;
    }
    found.row = worst / a->cols;
    found.col = worst % a->cols;
    found.a = (double)pixel_get(a, worst);
    found.b = (double)pixel_get(b, worst);
    *result = found;
    return CLUMP_OK;
}
