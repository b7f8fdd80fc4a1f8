/* SPDX-License-Identifier: MIT */
/*
 * The fine half of histogram.cl.
 *
 * Method:    a group takes a chunk, neighbouring work-items neighbouring pixels. Bins are words of
 *            32 bits in one slice of global memory, to which all work-items add by atomics.
 * Launch:    one group of GROUP work-items per chunk; histogram_merge one work-item per bin;
 *            histogram_gather any number of groups.
 * Exactness: integers.
 * Limits:    2^31 pixels in a launch.
 * Others:    as in histogram.cl.
 */
#include "stats/fine_common.cl"

/* 32-bit words of a bin: the count, then the low and the high half of each sum. */
#define CELL_WORDS (2 * WORDS - 1)

/* Adds the bins of the group's chunk to the slice, and leaves its extreme keys in `range`: the
 * least key, and PAST of the greatest. */
kernel GROUPED void histogram_fill(global const word *image, struct histogram_fill_args args,
                                   volatile global uint *slice, global key *range)
{
    local key low[GROUP], high[GROUP];
    size_t c = get_group_id(0);
    ulong end = min((c + 1) * (ulong)HISTOGRAM_CHUNK, args.n);
    struct window window = {(key)args.base, (key)args.length, args.shift};
    key least = BLANK, past = 0;
    image += args.first;
    for (ulong i = c * (ulong)HISTOGRAM_CHUNK + get_local_id(0); i < end; i += GROUP) {
        key k = key_of(image[i]), o = k - window.base, d = low_of(o, window);
        volatile global uint *t = slice + bin_of(o, window) * CELL_WORDS;
        least = min(least, k);
        past = max(past, PAST(k));
        atomic_inc(t);
#if KEY_BITS == 32
        add_wide(t + 1, d);
        add_wide(t + 3, (ulong)d * d);
#else
        add_wide(t + 1, d >> 32);
        add_wide(t + 3, d & 0xffffffff);
        add_wide(t + 5, PART0(d));
        add_wide(t + 7, PART1(d));
        add_wide(t + 9, PART2(d));
#endif
    }
    store_extremes(least, past, low, high, range + 2 * c);
}

/* Makes 64-bit totals of the slices, `workers` of them: one. Launch: one work-item per bin. */
kernel GROUPED void histogram_merge(global const uint *slices, uint workers, global ulong *total)
{
    size_t b = get_global_id(0);
    for (uint j = 0; j < WORDS; j++) {
        ulong sum = 0;
        for (uint w = 0; w < workers; w++) {
            global const uint *t = slices + (w * (size_t)HISTOGRAM_BINS + b) * CELL_WORDS;
            sum += j == 0 ? t[0] : t[2 * j - 1] | (ulong)t[2 * j] << 32;
        }
        total[j * HISTOGRAM_BINS + b] = sum;
    }
}

/*
 * Leaves in place[2 * c] the offset of the first pixel of key `least` in chunk start_least + c, and
 * in place[2 * c + 1] that of key `most` in chunk start_most + c, ~0 where the chunk has none.
 */
kernel GROUPED void histogram_seek(global const word *image, struct histogram_seek_args args,
                                   global uint *place)
{
    local uint first[2];
    ulong c = get_group_id(0);
    key least = (key)args.least, most = (key)args.most;
    for (uint j = get_local_id(0); j < 2; j += GROUP)
        first[j] = ~0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); c < args.chunks && i < HISTOGRAM_CHUNK; i += GROUP) {
        ulong a = (args.start_least + c) * HISTOGRAM_CHUNK + i;
        ulong b = (args.start_most + c) * HISTOGRAM_CHUNK + i;
        if (a < args.n && key_of(image[a]) == least)
            atomic_min(first, i);
        if (b < args.n && key_of(image[b]) == most)
            atomic_min(first + 1, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = get_local_id(0); c < args.chunks && j < 2; j += GROUP)
        place[2 * c + j] = first[j];
}

/* Appends the keys of the chosen intervals to `out`, in any order. `out` has room for `limit` keys;
 * the head counts all keys, those too that have no room. */
kernel GROUPED void histogram_gather(global const word *image, struct histogram_gather_args args,
                                     global const key *chosen, global key *out)
{
    key f0 = (key)args.from[0], f1 = (key)args.from[1], f2 = (key)args.from[2];
    key s0 = (key)args.span[0], s1 = (key)args.span[1], s2 = (key)args.span[2];
    for (ulong i = get_global_id(0); i < args.n; i += get_global_size(0)) {
        key k = key_of(image[i]);
        if (k - f0 < s0 || k - f1 < s1 || k - f2 < s2)
            if (is_chosen(k, chosen, args.intervals)) {
                uint at = atomic_inc(ROOM(out));
                if (at < args.limit)
                    out[HEAD + at] = k;
            }
    }
}
