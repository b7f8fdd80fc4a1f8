/* SPDX-License-Identifier: MIT */
/* Labels: the components of a mask (runs.c), and the label image if it is asked for. */
#include "opencl/regions/runs.h"

enum clump_status clump_opencl_label(clump_context *context, const clump_image *mask,
                                     const struct clump_label_params *params, clump_image **labels,
                                     uint64_t *count)
{
    struct runs runs = {0};
    clump_image *bits = NULL, *made = NULL;
    uint32_t counts[RUNS_COUNTS];
    enum clump_status status = CLUMP_OK;
    if (mask->type != CLUMP_BITS) {
        status = clump_opencl_convert(context, mask, CLUMP_BITS, &bits);
        mask = bits;
    }
    if (!status)
        status = clump_runs_make(context, "label", mask, false, params->connectivity, &runs);
    if (!status && labels)
        status = clump_image_create(context, CLUMP_I32, mask->rows, mask->cols, &made);
    if (!status && labels)
        status = clump_runs_write(context, &runs, "regions/label_write", made);
    if (!status)
        status = clump_runs_count(context, &runs, counts);
    clump_runs_release(context, &runs);
    clump_image_destroy(&bits);
    if (status) {
        clump_image_destroy(&made);
        return status;
    }
    if (labels)
        *labels = made;
    *count = counts[RUNS_COMPONENTS];
    return CLUMP_OK;
}
