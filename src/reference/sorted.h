/* SPDX-License-Identifier: MIT */
/*
 * The values of an image in rising order, and their statistics. The pixels that clipping keeps are
 * always consecutive ones of them.
 */
#ifndef CLUMP_SRC_REFERENCE_SORTED_H
#define CLUMP_SRC_REFERENCE_SORTED_H

#include "context.h"

struct clump_sorted {
    long double *values; /* every pixel that is not blank, rising; no negative zero */
    uint64_t count, blank;
};

/* Reads and sorts. Release with free(sample->values). */
enum clump_status clump_sorted_create(clump_context *context, const char *operation,
                                      const clump_image *image, struct clump_sorted *sample);

/* The statistics of values[from..to - 1], which includes all pixels of these values. */
enum clump_status clump_sorted_stats(clump_context *context, const clump_image *image,
                                     const struct clump_sorted *sample, uint64_t from, uint64_t to,
                                     uint32_t ddof, bool mad, struct clump_stats_result *result);

/* Median and median absolute deviation of `count` rising values. */
double clump_sorted_median(const long double *values, uint64_t count);
double clump_sorted_mad(const long double *values, uint64_t count);

/* Quantile 0..1 by linear interpolation. */
double clump_sorted_quantile(const long double *values, uint64_t count, double quantile);

#endif
