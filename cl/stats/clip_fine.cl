/* SPDX-License-Identifier: MIT */
/*
 * The fine half of clip.cl.
 *
 * Method:    a group takes a chunk. clip_pack takes GROUP pixels at a time; a scan in local memory
 *            tells every work-item how many kept pixels come before its own.
 * Launch:    one group of GROUP work-items per chunk.
 * Exactness: comparisons of integers.
 * Limits:    none of its own.
 * Others:    as in clip.cl.
 */

/* Counts the kept pixels of every chunk. */
kernel GROUPED void clip_count(global const word *image, ulong n, struct clip_interval interval,
                               global ulong *counts)
{
    key least = (key)interval.least, span = (key)interval.span;
    local uint count;
    ulong c = get_group_id(0), end = min((c + 1) * HISTOGRAM_CHUNK, n);
    uint own = 0;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = c * HISTOGRAM_CHUNK + get_local_id(0); i < end; i += GROUP)
        own += is_kept(image[i], least, span);
    atomic_add(&count, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[c] = count;
}

/* Copies the kept pixels of a chunk, in their order, from its start on. */
kernel GROUPED void clip_pack(global const word *image, ulong n, struct clip_interval interval,
                              global const ulong *starts, global word *row)
{
    key least = (key)interval.least, span = (key)interval.span;
    local uint before[2][GROUP]; /* kept pixels up to a work-item's own, by turns */
    uint l = get_local_id(0);
    ulong c = get_group_id(0), at = starts[c], end = min((c + 1) * HISTOGRAM_CHUNK, n);
    for (ulong from = c * HISTOGRAM_CHUNK; from < end; from += GROUP) {
        int keep = from + l < end && is_kept(image[min(from + l, end - 1)], least, span);
        uint turn = 0;
        before[0][l] = keep;
        for (uint step = 1; step < GROUP; step *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            before[1 - turn][l] = before[turn][l] + (l >= step ? before[turn][l - step] : 0);
            turn = 1 - turn;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (keep)
            row[at + before[turn][l] - 1] = image[from + l];
        at += before[turn][GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
