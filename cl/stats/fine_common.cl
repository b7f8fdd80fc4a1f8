/* SPDX-License-Identifier: MIT */
/*
 * What the fine kernels of the statistics share.
 *
 * Method:    sums of 64 bits are made of two words of 32 bits, the low one first, with a carry by
 *            hand: not every device has 64-bit atomics. Extremes of a work-group are found by a
 *            tree in local memory.
 * Launch:    no kernels here.
 * Exactness: integers. Every addition to the low word that wraps carries exactly one into the
 *            high word, so the order of additions does not matter.
 * Limits:    sums wrap at 2^64.
 * Others:    cl/stats/histogram_fine.cl, sweep_fine.cl and otsu_fine.cl include this file;
 *            docs/statistics.md, "The key histogram".
 */
#include "common/keys.cl"

/* Adds v to the 64-bit sum at p. */
INLINE void add_wide(volatile global uint *p, ulong v)
{
    uint low = (uint)v, old = atomic_add(p, low);
    uint high = (uint)(v >> 32) + (old + low < old);
    if (high != 0)
        atomic_add(p + 1, high);
}

/*
 * Leaves the least of all work-items' `least` in low[0] and the greatest of their `past` in
 * high[0], for work-item 0 to read. All work-items of the group must come here; `low` and `high`
 * have GROUP elements each.
 */
INLINE void find_extremes(key least, key past, local key *low, local key *high)
{
    uint l = get_local_id(0);
    low[l] = least;
    high[l] = past;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            low[l] = min(low[l], low[l + step]);
            high[l] = max(high[l], high[l + step]);
        }
    }
}

/* Does the same, and leaves both in range[0] and range[1]. */
INLINE void store_extremes(key least, key past, local key *low, local key *high, global key *range)
{
    find_extremes(least, past, low, high);
    if (get_local_id(0) == 0) {
        range[0] = low[0];
        range[1] = high[0];
    }
}
