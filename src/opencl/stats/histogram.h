/* SPDX-License-Identifier: MIT */
/*
 * The key histogram of an image (cl/stats/histogram.cl), and the passes over the image that make it
 * and look inside its bins. Shared by stats, clip and otsu. See docs/statistics.md, "The key
 * histogram".
 */
#ifndef CLUMP_SRC_OPENCL_STATS_HISTOGRAM_H
#define CLUMP_SRC_OPENCL_STATS_HISTOGRAM_H

#include "opencl/core/opencl.h"
#include "opencl/stats/order.h"
#include "stats/histogram.h"

struct histogram {
    clump_context *context;
    const clump_image *image;
    uint64_t n, blank;                /* all pixels; the blank ones */
    uint64_t least, most;             /* the extreme keys, if any pixel is not blank */
    uint64_t least_chunk, most_chunk; /* the first chunks that have them */
    struct order order;               /* the bins that have pixels */
    struct histogram_keys *gathered;  /* owns the keys that the bins of `order` point to */
    size_t split;                     /* the bin that is being split */
    void *into;                       /* of bands.c: where the totals of a pass go */
};

/* Keys of one pass. */
struct histogram_keys {
    struct histogram_keys *next;
    uint64_t key[];
};

/* Numbers of the first pixels that have the least and the greatest key. */
struct histogram_place {
    uint64_t least, most;
};

/*
 * histogram.c: makes the histogram by one pass over the image, or by two if the first one chose a
 * bad base. Blocks. Close it after a failure too.
 */
enum clump_status clump_histogram_open(clump_context *context, const clump_image *image,
                                       struct histogram *histogram);
void clump_histogram_close(struct histogram *histogram);

/*
 * Replaces a bin by up to HISTOGRAM_NARROW_BINS bins, by one pass over the image. The bin must have
 * more than one key.
 */
enum clump_status clump_histogram_split(struct histogram *histogram, size_t bin);

/*
 * histogram_refine.c: does one pass over the image that learns the keys of the wanted bins, or
 * splits the fullest of them if they have too many. Afterwards no bin is wanted, and
 * order.guessed is false: the questions must be asked again.
 */
enum clump_status clump_histogram_refine(struct histogram *histogram);

/*
 * What a pass has to do about the wanted bins, without doing it: forgets hints that are too many,
 * and sets *bin to the one that must be split, or to order.count where the keys of all wanted bins
 * can be had. Hints may have up to `hint` pixels, needed bins `needed`.
 */
void clump_histogram_plan(struct histogram *histogram, uint64_t hint, uint64_t needed, size_t *bin);
/* No bin is wanted any longer, and nothing was guessed. */
void clump_histogram_planned(struct histogram *histogram);
/* Lists the wanted bins as ascending intervals of keys, first and last of each; `*interval` must be
 * freed, after a failure too. */
enum clump_status clump_histogram_wanted(struct histogram *histogram, uint64_t **interval,
                                         size_t *count, uint64_t *keys);
/* Takes the keys of all wanted bins. */
enum clump_status clump_histogram_take_keys(struct histogram *histogram, const uint64_t *keys,
                                            size_t n);
/* Copies the keys of the image that lie in intervals, up to `room` of them. */
enum clump_status clump_histogram_gather(struct histogram *histogram, const uint64_t *interval,
                                         size_t count, size_t room, uint64_t *keys, size_t *n);

/* Learns the keys of every bin by one pass, and takes memory for all of them. */
enum clump_status clump_histogram_refine_all(struct histogram *histogram);

/* histogram_seek.c: finds the first pixels of the histogram's extreme keys, in their chunks.
 * Blocks.
 */
enum clump_status clump_histogram_seek_extremes(struct histogram *histogram,
                                                struct histogram_place *place);
/* Finds the first pixels of two keys that the image has, by one pass. Blocks. */
enum clump_status clump_histogram_seek(struct histogram *histogram, uint64_t least, uint64_t most,
                                       struct histogram_place *place);

/* Looks for the first pixels of two keys; has[] tells which of them the image has. Blocks. */
enum clump_status clump_histogram_seek_any(struct histogram *histogram, uint64_t least,
                                           uint64_t most, struct histogram_place *place,
                                           bool has[2]);

/* What the files of this room share. */

/* The keys that have narrow bins: `length` keys from `base` on, 2^shift per bin. Length 0: none. */
struct histogram_window {
    uint64_t base, length;
    uint32_t shift;
};

/*
 * The sums of all bins. One band: as histogram_merge has left them, BINS words from one kind of sum
 * to the next. Several bands: added up here, because they may need more than 64 bits.
 */
struct histogram_totals {
    const uint64_t *band;
    struct exact_sums_bin *added; /* NULL if there is one band */
};

/* Takes the totals of a pass into histogram->order. Returns false when memory is short. */
typedef bool histogram_take(struct histogram *histogram, const struct histogram_window *window,
                            const struct histogram_totals *totals);

/* histogram.c: runs a pass over the whole image, band by band, and hands its totals to `take`. */
enum clump_status clump_histogram_fill(struct histogram *histogram,
                                       const struct histogram_window *window, histogram_take *take);
/* Chooses the window by a sample, which gets sorted. */
struct histogram_window clump_histogram_window(const struct keys *keys, uint64_t *sample,
                                               size_t count);

/* histogram_list.c: whether a bin has no pixels, and its sums. */
bool clump_histogram_list_empty(const struct histogram_totals *totals, size_t bin);
struct exact_sums_bin clump_histogram_list_total(const struct keys *keys,
                                                 const struct histogram_totals *totals, size_t bin);
/* Lists all bins; none where one of them wraps around (docs/statistics.md). */
histogram_take clump_histogram_list_bins;
/* Puts the narrow bins in the place of the bin that is being split. */
histogram_take clump_histogram_list_split;

/* Gets a kernel of cl/PROGRAM.cl, built for keys of the image's type. */
enum clump_status clump_histogram_kernel(clump_context *context, enum clump_type type,
                                         const char *program, const char *name, cl_kernel *kernel);
/* How many chunks n pixels make. */
uint64_t clump_histogram_chunks(uint64_t n);
/* Launches a kernel that takes chunks: one work-item per worker, or one group per chunk. */
enum clump_status clump_histogram_launch(const struct histogram *histogram, cl_kernel kernel,
                                         uint64_t chunks, const struct clump_arg *args,
                                         unsigned count);
/* Key number i of those that a kernel has left. */
uint64_t clump_histogram_read_key(const struct keys *keys, const void *from, size_t i);
/* Fails with a message that `bytes` of host memory could not be allocated. */
enum clump_status clump_histogram_out_of_memory(const struct histogram *histogram, size_t bytes);

#endif
