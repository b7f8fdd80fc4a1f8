/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include <stdlib.h>

enum clump_status bench_prepare_labels(clump_context *context, const struct pair_case *test,
                                       struct pair_input *in, double level, unsigned connectivity)
{
    struct clump_threshold_params above = clump_threshold_defaults;
    struct clump_label_params joined = {.connectivity = connectivity};
    clump_image *mask;
    uint64_t count;
    (void)test;
    above.above = level;
    enum clump_status status = clump_threshold(context, in->image, &above, &mask, NULL);
    if (status)
        return status;
    status = clump_label(context, mask, &joined, &in->extra[0], &count);
    clump_image_destroy(&mask);
    return status;
}

void bench_add_regions(struct pair_output *out, const struct clump_region *regions, uint64_t count,
                       bool convex)
{
    static const char *const names[2][4] = {{"area", "sum", "row", "col"},
                                            {"area", "mean", "solidity", NULL}};
    for (int k = 0; k < (convex ? 3 : 4); k++) {
        double *values = malloc((count + 1) * sizeof *values);
        for (uint64_t i = 0; values && i < count; i++) {
            const struct clump_region *r = &regions[i];
            const double plain[] = {(double)r->area, r->sum, r->weighted_row, r->weighted_col};
            const double hull[] = {(double)r->area, r->mean, r->solidity};
            values[i] = convex ? hull[k] : plain[k];
        }
        pair_add_list(out, names[convex][k], values, values ? count : 0);
    }
}
