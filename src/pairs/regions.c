/* SPDX-License-Identifier: MIT */
#include "regions.h"

enum clump_status pair_label_above(clump_context *context, struct pair_input *in, double level,
                                   unsigned connectivity)
{
    struct clump_threshold_params above = clump_threshold_defaults;
    const struct clump_label_params joined = {.connectivity = connectivity};
    clump_image *mask;
    uint64_t count;
    above.above = level;
    enum clump_status status = clump_threshold(context, in->image, &above, &mask, NULL);
    if (status)
        return status;
    status = clump_label(context, mask, &joined, &in->extra[0], &count);
    clump_image_destroy(&mask);
    return status;
}

void pair_add_sources(struct pair_output *out, const struct clump_region *regions, uint64_t count)
{
    double *area = pair_memory(count * sizeof *area), *sum = pair_memory(count * sizeof *sum);
    double *row = pair_memory(count * sizeof *row), *col = pair_memory(count * sizeof *col);
    for (uint64_t i = 0; i < count; i++) {
        area[i] = (double)regions[i].area;
        sum[i] = regions[i].sum;
        row[i] = regions[i].weighted_row;
        col[i] = regions[i].weighted_col;
    }
    pair_add_list(out, "area", area, count);
    pair_add_list(out, "sum", sum, count);
    pair_add_list(out, "row", row, count);
    pair_add_list(out, "col", col, count);
}

void pair_add_cells(struct pair_output *out, const struct clump_region *regions, uint64_t count)
{
    double *area = pair_memory(count * sizeof *area), *mean = pair_memory(count * sizeof *mean);
    double *solidity = pair_memory(count * sizeof *solidity);
    for (uint64_t i = 0; i < count; i++) {
        area[i] = (double)regions[i].area;
        mean[i] = regions[i].mean;
        solidity[i] = regions[i].solidity;
    }
    pair_add_list(out, "area", area, count);
    pair_add_list(out, "mean", mean, count);
    pair_add_list(out, "solidity", solidity, count);
}
