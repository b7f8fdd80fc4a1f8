/* SPDX-License-Identifier: MIT */
/*
 * The histogram behind Otsu's threshold of a float image.
 *
 * Method:    otsu_range finds the least and the greatest key (cl/common/keys.cl) of the pixels that
 *            are not blank. otsu_count puts the pixels into 256 bins as numpy.histogram does with
 *            the scaled ones: by a product, corrected by a look at the bin's edges. The look is
 *            needed only where the product is near a whole number.
 * Launch:    coarse: one work-item per worker, each with a slice of counts of its own. Fine: any
 *            number of groups of GROUP work-items, and one slice that the host has zeroed.
 * Exactness: counts. Every operation on floats is rounded once, as on the host.
 * Limits:    2^31 pixels in a launch. See docs/limits.md.
 * Others:    host src/opencl/stats/otsu.c, definition src/reference/otsu.c, pair
 *            src/pairs/otsu.c, derivation docs/statistics.md, "Otsu's edges".
 */
#include "common/keys.cl"
#include "stats/otsu.h"

/*
 * The bin of a pixel by numpy.histogram's own steps, OTSU_BINS for a blank pixel: a product, and a
 * look at the edges of the bin that it names.
 */
static inline uint bin_of(T pixel, struct otsu_steps steps, global const T *edges)
{
    T value = pixel * steps.scale * steps.again;
    int bin = clamp((int)((value - steps.first) * steps.norm), 0, OTSU_BINS - 1);
    if (isnan(value))
        return OTSU_BINS;
    if (value < edges[bin])
        bin = max(bin - 1, 0);
    if (value >= edges[bin + 1] && bin != OTSU_BINS - 1)
        bin++;
    return bin;
}

#if COARSE
#include "stats/otsu_coarse.cl"
#else
#include "stats/otsu_fine.cl"
#endif
