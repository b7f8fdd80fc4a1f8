/* SPDX-License-Identifier: MIT */
/* What is behind clump_bands: levels, and for find the finder after them. */
#ifndef CLUMP_SRC_BANDS_BANDS_H
#define CLUMP_SRC_BANDS_BANDS_H

#include <clump/bands.h>

#include "bands/find.h"
#include "bands/levels.h"

struct clump_bands {
    clump_context *context;
    enum clump_bands_task task;
    enum clump_type type;
    uint64_t rows, cols;
    double *wanted; /* the quantiles that were asked for; levels.stats points to them */
    struct levels levels;
    struct finder finder;
    bool begun, broken; /* a pass is going on; a call has failed */
    uint64_t passes;    /* passes that were finished */
    uint64_t given;     /* rows that this pass was given */
};

#endif
