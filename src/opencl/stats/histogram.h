/* SPDX-License-Identifier: MIT */
/*
 * An image's table of bins (cl/stats/histogram.cl) and the passes over the image that make it
 * and look inside its bins. Shared by stats and clip.
 */
#ifndef CLUMP_SRC_OPENCL_TABLE_H
#define CLUMP_SRC_OPENCL_TABLE_H

#include "opencl/stats/order.h"
#include "opencl/core/opencl.h"

struct histogram {
    clump_context *context;
    const clump_image *image;
    uint64_t n, blank;
    uint64_t least, most;             /* the extreme keys, where there is any pixel */
    uint64_t least_chunk, most_chunk; /* the first chunks that have them */
    struct order bins;
    struct histogram_keys *gathered; /* what the bins' keys point into */
    size_t split;                    /* the bin that is being split */
};

struct histogram_keys {
    struct histogram_keys *next;
    uint64_t key[];
};

struct place {
    uint64_t least, most; /* pixel numbers */
};

/* One pass (two for integers that span their whole type). Blocks. Close it on failure too. */
enum clump_status clump_histogram_open(clump_context *context, const clump_image *image,
                                       struct histogram *table);
void clump_histogram_close(struct histogram *table);

/*
 * Learns the inside of the bins that are wanted, by one pass, or of as many as can be had by one;
 * then none is wanted and nothing guessed.
 */
enum clump_status clump_histogram_refine(struct histogram *table);

/* Learns the inside of every bin, by one pass; takes memory for as many keys as there are. */
enum clump_status clump_histogram_refine_all(struct histogram *table);

/* Finds the first pixels of the table's extreme keys. Blocks. */
enum clump_status clump_histogram_seek_extremes(struct histogram *table, struct place *place);
/* The same for two keys that are there, by a pass. */
enum clump_status clump_histogram_seek(struct histogram *table, uint64_t least, uint64_t most,
                                       struct place *place);

/* What histogram.c and histogram_refine.c share. */

#define HISTOGRAM_CHUNK 16384 /* CHUNK in cl/stats/histogram.cl */

/* Bins by key - base: narrow ones, 2^shift wide, for the first `length` keys, wide ones beyond. */
struct window {
    uint64_t base, length;
    uint32_t shift;
};
#define HISTOGRAM_NARROW_LOG                                                                       \
    12 /* there are NARROW_BINS = 2^this narrow ones in cl/stats/histogram.cl */

/* Splits bin number `bin` by another table. */
enum clump_status clump_histogram_split(struct histogram *table, size_t bin);

/* A key as an argument of a kernel. */
union histogram_key {
    uint32_t narrow;
    uint64_t wide;
};
union histogram_key clump_histogram_key(const struct keys *keys, uint64_t value);
#define HISTOGRAM_ARG_KEY(keys, variable) ((struct clump_arg){(keys)->bits / 8, &(variable)})

enum clump_status clump_histogram_launch(const struct histogram *table, cl_kernel kernel,
                                         uint64_t chunks, const struct clump_arg *args,
                                         unsigned count);
uint64_t clump_histogram_read_key(const struct keys *keys, const void *from, size_t i);
enum clump_status clump_histogram_out_of_memory(const struct histogram *table, size_t bytes);

/* A kernel of cl/PROGRAM.cl that works with keys of the image's type. */
enum clump_status clump_histogram_kernel(clump_context *context, enum clump_type type,
                                         const char *program, const char *name, cl_kernel *kernel);

#endif
