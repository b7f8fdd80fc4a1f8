/* SPDX-License-Identifier: MIT */
/*
 * The runs of a mask and their components on the device: what label, measure and morphology begin
 * with. Kernels cl/regions/label.cl, contents of the arrays cl/regions/runs.cl, proofs
 * docs/labelling.md.
 */
#ifndef CLUMP_SRC_OPENCL_RUNS_H
#define CLUMP_SRC_OPENCL_RUNS_H

#include "opencl/core/opencl.h"
#include "regions/runs.h"

#define RUNS_ARRAYS 4

struct runs {
    const clump_image *mask;
    bool invert;                      /* the components are those of the clear pixels */
    char options[64];                 /* of the programs whose kernels read the arrays */
    uint32_t cols, rows, words, most; /* most: runs that there can be */
    uint32_t bands, band_rows;        /* coarse: bands of rows */
    cl_mem arrays[RUNS_ARRAYS];       /* coarse: runs, ids, bands, slots; fine: runs, offsets, group
                                         offsets, and one that nothing uses */
    cl_mem counts;                    /* 32-bit numbers by enum runs_count */
};

/* The arguments of a kernel that stand for COMPONENTS in cl/regions/runs.cl. */
#define CLUMP_ARG_COMPONENTS(runs)                                                                 \
    CLUMP_ARG((runs)->arrays[0]), CLUMP_ARG((runs)->arrays[1]), CLUMP_ARG((runs)->arrays[2]),      \
        CLUMP_ARG((runs)->arrays[3])

/* Divides the rows of an image into bands, one per coarse work-item. */
void clump_runs_bands(const clump_context *context, uint32_t rows, uint32_t *bands,
                      uint32_t *band_rows);

/* Finds the components of a mask. `operation` is named in messages. Does not block; release with
 * clump_runs_release. */
enum clump_status clump_runs_make(clump_context *context, const char *operation,
                                  const clump_image *mask, bool invert, unsigned connectivity,
                                  struct runs *runs);
/* Reads the counts. Blocks. */
enum clump_status clump_runs_count(clump_context *context, const struct runs *runs,
                                   uint32_t counts[RUNS_COUNTS]);
/* Writes the label image, I32. `program` has label_write.cl in it. Does not block. */
enum clump_status clump_runs_write(clump_context *context, const struct runs *runs,
                                   const char *program, clump_image *labels);
void clump_runs_release(clump_context *context, struct runs *runs);

#endif
