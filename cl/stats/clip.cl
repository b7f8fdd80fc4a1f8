/* SPDX-License-Identifier: MIT */
/*
 * What clipping keeps, as a mask and as a row of pixels.
 *
 * Method:    a pixel is kept if its key (cl/common/keys.cl) lies from `least` to least + span.
 *            clip_count counts the kept pixels of every chunk, the host adds up the counts, and
 *            clip_pack copies every chunk's kept pixels to their place in the row.
 * Launch:    clip_mask one work-item per word of the mask; rows are the second dimension. The
 *            others as histogram_fill (cl/stats/histogram.cl), whose chunks are the same.
 * Exactness: comparisons of integers.
 * Limits:    none of its own.
 * Others:    host src/opencl/stats/clip.c, definition src/reference/clip.c, pair
 *            src/pairs/clip.c, derivation docs/statistics.md, "Clipping".
 */
#include "common/keys.cl"
#include "stats/clip.h"
#include "stats/histogram.h"

static inline int is_kept(word pixel, key least, key span) { return key_of(pixel) - least <= span; }

/* Makes one word of the mask of kept pixels per work-item. */
kernel GROUPED void clip_mask(global const word *image, ulong cols, struct clip_interval interval,
                              global uint *mask)
{
    ulong words = (cols + 31) / 32, at = get_global_id(0), row = get_global_id(1);
    key least = (key)interval.least, span = (key)interval.span;
    if (at >= words)
        return;
    global const word *pixels = image + row * cols + at * 32;
    uint n = (uint)min((ulong)32, cols - at * 32), bits = 0;
    for (uint i = 0; i < n; i++)
        bits |= (uint)is_kept(pixels[i], least, span) << i;
    mask[row * words + at] = bits;
}

#if COARSE
#include "stats/clip_coarse.cl"
#else
#include "stats/clip_fine.cl"
#endif
