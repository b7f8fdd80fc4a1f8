/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of clip.cl.
 *
 * Method:    a worker takes a row of whole chunks; clip_count takes LANES keys at a time.
 * Launch:    one work-item per worker, in groups of one.
 * Exactness: comparisons of integers.
 * Limits:    none of its own.
 * Others:    as in clip.cl.
 */

/* Counts the kept pixels of every worker. */
kernel ALONE void clip_count(global const word *image, ulong n, struct clip_interval interval,
                             global ulong *counts)
{
    key least = (key)interval.least, span = (key)interval.span;
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK;
    for (ulong c = chunks * w / workers; c < chunks * (w + 1) / workers; c++) {
        ulong i = c * HISTOGRAM_CHUNK, end = min((c + 1) * HISTOGRAM_CHUNK, n);
        keyv kept = 0;
        for (; i + LANES <= end; i += LANES)
            kept += select((keyv)0, (keyv)1, keys_load(i, image) - least <= (keyv)span);
        uint count = 0;
#define SUM(s) count += (uint)kept.s;
        EACH_LANE(SUM)
        for (; i < end; i++)
            count += is_kept(image[i], least, span);
        counts[c] = count;
    }
}

/* Copies the kept pixels of a worker, in their order, from its start on. */
kernel ALONE void clip_pack(global const word *image, ulong n, struct clip_interval interval,
                            global const ulong *starts, global word *row)
{
    key least = (key)interval.least, span = (key)interval.span;
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK;
    for (ulong c = chunks * w / workers; c < chunks * (w + 1) / workers; c++) {
        ulong at = starts[c];
        for (ulong i = c * HISTOGRAM_CHUNK; i < min((c + 1) * HISTOGRAM_CHUNK, n); i++)
            if (is_kept(image[i], least, span))
                row[at++] = image[i];
    }
}
