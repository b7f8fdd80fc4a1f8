/* SPDX-License-Identifier: MIT */
/*
 * Values in the place of labels: numbers, colours, or ranks, out of a table.
 *
 * Kernel cl/pixels/lookup.cl, host src/opencl/pixels/lookup.c, definition src/reference/lookup.c;
 * clump_relabel is src/relabel.c.
 */
#ifndef CLUMP_LOOKUP_H
#define CLUMP_LOOKUP_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLUMP_LOOKUP_COLUMNS 16 /* at most */

/* On the host, used during the call only. */
struct clump_lookup_table {
    uint64_t count;        /* labels in the table; 0: none */
    const int64_t *labels; /* rising, each once; NULL where there are none */
    enum clump_type type;  /* of the values: a number type */
    uint32_t columns;      /* values per label, 1 to CLUMP_LOOKUP_COLUMNS */
    const void *values;    /* count * columns, those of a label together; NULL where count is 0 */
    const void *otherwise; /* `columns` values of all other labels; NULL: 0 */
    uint64_t reserved[4];  /* 0 (clump.h) */
};

/*
 * Makes `*result`, an image of the table's type. With one column it has the size of `labels`; with
 * several it has a row for each pixel, in raster order, and a column for each value. `labels` is an
 * image of a number type, or a mask, whose pixels are 0 and 1. Float labels must be whole numbers,
 * NaN counting as 0. Does not block, except for float labels. Returns CLUMP_ERROR_ARGUMENT for
 * labels of the table that do not rise, for another number of columns, and for a label of the image
 * that is not whole.
 */
CLUMP_API enum clump_status clump_lookup(clump_context *context, const clump_image *labels,
                                         const struct clump_lookup_table *table,
                                         clump_image **result);

/*
 * Makes `*result`, a CLUMP_I32 image in which the labels are numbered from 1 without gaps, in the
 * order that they had, as skimage.segmentation.relabel_sequential. 0 stays 0. `labels` is as in
 * clump_measure, but a mask is taken as labels 0 and 1. `*count` gets the number of labels and may
 * be NULL. Blocks. Returns CLUMP_ERROR_ARGUMENT for a label that is negative or not whole;
 * CLUMP_ERROR_UNSUPPORTED for more than 2^31 - 1 labels.
 */
CLUMP_API enum clump_status clump_relabel(clump_context *context, const clump_image *labels,
                                          clump_image **result, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
