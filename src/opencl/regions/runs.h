/* SPDX-License-Identifier: MIT */
/*
 * The components of a mask as tables of runs on the device (cl/regions/runs.cl): what label makes,
 * and what measure, morphology and the label image are made from.
 */
#ifndef CLUMP_SRC_OPENCL_RUNS_H
#define CLUMP_SRC_OPENCL_RUNS_H

#include "opencl/core/opencl.h"

#define RUNS_COUNTS 3

struct runs {
    const clump_image *mask;
    bool invert;      /* of the clear pixels */
    char options[48]; /* that the kernels which read the tables are built with */
    uint32_t cols, rows, words;
    uint32_t bands, band_rows; /* coarse: bands of rows */
    cl_mem tables[4];          /* coarse: runs, ids, bands, slots; else runs, offsets, sums, none */
    cl_mem counts;             /* words: components, slots (coarse), set pixels */
};

#define CLUMP_ARG_TABLES(runs)                                                                     \
    CLUMP_ARG((runs)->tables[0]), CLUMP_ARG((runs)->tables[1]), CLUMP_ARG((runs)->tables[2]),      \
        CLUMP_ARG((runs)->tables[3])

/* How the rows of an image are shared out among coarse work-items. */
void clump_runs_bands(const clump_context *context, uint32_t rows, uint32_t *bands,
                      uint32_t *band_rows);

/* Finds the components of a mask. Does not block; release with clump_runs_release. */
enum clump_status clump_runs_make(clump_context *context, const char *operation,
                                  const clump_image *mask, bool invert, unsigned connectivity,
                                  struct runs *runs);
/* Tells the numbers of components, of slots and of their pixels. Blocks. */
enum clump_status clump_runs_count(clump_context *context, const struct runs *runs,
                                   uint32_t counts[RUNS_COUNTS]);
/* Writes the label image, I32. Does not block. */
enum clump_status clump_runs_write(clump_context *context, const struct runs *runs,
                                   clump_image *labels);
void clump_runs_release(clump_context *context, struct runs *runs);

#endif
