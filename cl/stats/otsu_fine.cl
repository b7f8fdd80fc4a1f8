/* SPDX-License-Identifier: MIT */
/*
 * The fine half of otsu.cl.
 *
 * Method:    a group counts in local memory and adds its counts to the only slice.
 * Launch:    any number of groups of GROUP work-items.
 * Exactness: counts.
 * Limits:    2^31 pixels in a launch.
 * Others:    as in otsu.cl.
 */
#include "stats/fine_common.cl"

/* Leaves the least key of the group's pixels, and one more than the greatest; BLANK and 0 where all
 * are blank. */
kernel GROUPED void otsu_range(global const word *image, ulong n, global key *range)
{
    local key low[GROUP], high[GROUP];
    key least = BLANK, past = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        least = min(least, key_of(image[i]));
        past = max(past, key_of(image[i]) + 1);
    }
    store_extremes(least, past, low, high, range + 2 * get_group_id(0));
}

/* Counts the pixels of every bin. */
kernel GROUPED void otsu_count(global const T *image, ulong start, ulong n, struct otsu_steps steps,
                               global const T *edges, volatile global uint *counts)
{
    local uint own[OTSU_SLICE];
    for (uint b = get_local_id(0); b < OTSU_SLICE; b += GROUP)
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        T x = image[start + i], index = (x - steps.least) * steps.rate;
        int bin = (int)index;
        bool plain = fabs(index - (T)bin - (T)0.5f) < (T)0.5f - steps.slack;
        atomic_inc(own + (plain ? (uint)bin : bin_of(x, steps, edges)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < OTSU_SLICE; b += GROUP)
        if (own[b] != 0)
            atomic_add(counts + b, own[b]);
}
