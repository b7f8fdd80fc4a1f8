/* SPDX-License-Identifier: MIT */
/*
 * The second half of a threshold by hysteresis: keeps the regions above the low level that have a
 * pixel above the high one.
 *
 * Method:    `labels` are of the regions above the low level. hysteresis_mark flags the labels that
 *            have a pixel above the high level, hysteresis_keep clears the others.
 * Launch:    one work-item per mask word, in groups of GROUP; `count` words in all.
 * Exactness: integers.
 * Limits:    as label.cl.
 * Others:    host src/opencl/regions/threshold.c, definition src/reference/threshold.c, pair
 *            src/pairs/threshold.c.
 */

/* Sets the flag of every label that has a pixel above the high level. */
kernel GROUPED void hysteresis_mark(global const uint *high, global const int *labels, ulong cols,
                                    ulong count, volatile global uint *flags)
{
    ulong words = (cols + 31) / 32, i = get_global_id(0), row = i / words, at = i % words;
    if (i >= count)
        return;
    for (uint bits = high[i]; bits != 0; bits &= bits - 1) {
        uint b = 31 - clz(bits & -bits);
        atomic_or(flags + labels[row * cols + at * 32 + b], 1u);
    }
}

/* Clears the pixels of regions without a flag in `mask`, which has those above the low level. */
kernel GROUPED void hysteresis_keep(global const int *labels, ulong cols, ulong count,
                                    global const uint *flags, global uint *mask)
{
    ulong words = (cols + 31) / 32, i = get_global_id(0), row = i / words, at = i % words;
    if (i >= count)
        return;
    uint kept = 0;
    for (uint bits = mask[i]; bits != 0; bits &= bits - 1) {
        uint lowest = bits & -bits;
        if (flags[labels[row * cols + at * 32 + 31 - clz(lowest)]])
            kept |= lowest;
    }
    mask[i] = kept;
}
