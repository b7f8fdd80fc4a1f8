/* SPDX-License-Identifier: MIT */
/*
 * The key histogram of an image, and passes that look inside its bins.
 *
 * Method:    a pixel's key (cl/common/keys.cl) less `base` names a bin: one of 4,096 narrow bins
 *            where it is less than `length`, else by its top 16 bits one of 65,536 wide bins. Most
 *            pixels of a usual image have narrow bins. A bin holds its number of pixels, the
 *            sum of d and the sum of d^2, where d is the distance of a key from the bin's start.
 *            histogram_fill makes the histogram, histogram_merge adds up its parts,
 *            histogram_sample lets the host choose `base`, histogram_gather copies the keys of
 *            chosen bins, and histogram_seek finds the first pixels of two keys.
 * Launch:    coarse: one work-item per worker, each with a slice of bins of its own, which it
 *            zeroes. Fine: one group per chunk of HISTOGRAM_CHUNK pixels; 32-bit atomics with a
 *            carry add to the only slice, which the host has zeroed. histogram_merge and
 *            histogram_sample: one work-item per bin or per sample.
 * Exactness: integers only, so that any order and any split of the pixels give the same sums.
 * Limits:    coarse: fewer than 2^HISTOGRAM_COUNT_BITS pixels per worker in a launch. Fine: 2^31
 *            pixels in a launch. histogram_gather: 2^32 - 1 keys. See docs/limits.md.
 * Others:    host src/opencl/stats/histogram.c, histogram_refine.c and histogram_seek.c, definition
 *            src/reference/stats.c, pair src/pairs/stats.c, derivation docs/statistics.md, "The key
 *            histogram".
 */
#include "common/keys.cl"
#include "stats/histogram.h"

#define LOW      (KEY_BITS - 16) /* bits of a key below those that number the wide bins */
#define LOW_MASK (((key)1 << LOW) - 1)

#if KEY_BITS == 32
#define WORDS HISTOGRAM_WORDS_32
#else
#define WORDS HISTOGRAM_WORDS_64
#endif

/* One more than a key; a blank pixel, which has the highest key, becomes the lowest. Integers are
 * never blank, and their highest key must stay the highest. */
#if FLOATING
#define PAST(k) ((k) + 1)
#else
#define PAST(k) (k)
#endif

/* The narrow bins: the window of keys from `base` on, `length` of them, 2^shift per bin. */
struct window {
    key base, length;
    uint shift;
};

/* The bin of a key that is `o` above the base. */
static inline uint bin_of(key o, struct window window)
{
    return o < window.length ? (uint)(o >> window.shift) + HISTOGRAM_WIDE_BINS : (uint)(o >> LOW);
}

/* The distance of the same key from the start of its bin. */
static inline key low_of(key o, struct window window)
{
    return o & (o < window.length ? ((key)1 << window.shift) - 1 : LOW_MASK);
}

#if KEY_BITS == 64
/* d has 48 bits. d^2 = PART0 + PART1 * 2^32 + PART2 * 2^64, each part below 2^33. */
/* clang-format off */
#define PART0(d) (((d) & 0xffffffff) * ((d) & 0xffffffff) & 0xffffffff)
#define CROSS(d) (((d) & 0xffffffff) * ((d) >> 32) * 2)
#define PART1(d) ((((d) & 0xffffffff) * ((d) & 0xffffffff) >> 32) + (CROSS(d) & 0xffffffff))
#define PART2(d) (((d) >> 32) * ((d) >> 32) + (CROSS(d) >> 32))
/* clang-format on */
#endif

/* Leaves the key of one pixel out of every n / samples. Launch: one work-item per sample. */
kernel GROUPED void histogram_sample(global const word *image, ulong n, global key *sample)
{
    size_t i = get_global_id(0), samples = get_global_size(0);
    ulong stride = n / samples;
    sample[i] = key_of(image[i * stride + (uint)(i * 2654435761u >> 7) % stride]);
}

/* Tells whether k lies in one of the ascending intervals [chosen[2 * i], chosen[2 * i + 1]]. */
CALLED int is_chosen(key k, global const key *chosen, uint intervals)
{
    uint low = 0, high = intervals;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (k > chosen[2 * middle + 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < intervals && k >= chosen[2 * low];
}

/* What histogram_gather leaves: a head, whose first word counts the keys, and then the keys. */
#define HEAD      (HISTOGRAM_HEAD / sizeof(key))
#define ROOM(out) ((volatile global uint *)(out))

#if COARSE
#include "stats/histogram_coarse.cl"
#else
#include "stats/histogram_fine.cl"
#endif
