/* SPDX-License-Identifier: MIT */
/*
 * The histogram behind Otsu's threshold of a float image.
 *
 * Method:    otsu_range finds the least and the greatest key (prelude.cl); otsu_count puts the
 *            scaled pixels into 256 bins as numpy.histogram does: by a product, corrected by a
 *            look at the bin's edges wherever the product is within `slack` of a whole number.
 * Launch:    fat: a work-item a worker, each with a slice of its own; thin: groups of GROUP, any
 *            number of them, and one slice that the host has zeroed. 2^31 pixels at most.
 * Exactness: counts; every operation on floats is rounded once, as on the host.
 * Others:    host src/opencl/otsu.c, definition src/reference/otsu.c, pair tests/pairs/otsu.c.
 */
#define BINS 256
#if FAT
#define BANKS 8 /* copies of the counts, so that equal neighbours do not wait for each other */
#else
#define BANKS 1
#endif
#define SLICE (BANKS * (BINS + 1)) /* the last bin of a bank is for blank pixels */

/* Keeps the extremes of keys that are not blank; past is one more than the greatest, or 0. */
#if FAT
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
otsu_range(global const word *image, ulong n, global key *range)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong i = n / LANES * w / workers * LANES, end = n / LANES * (w + 1) / workers * LANES;
    keyv low = BLANK, high = 0;
    for (; i < end; i += LANES) {
        keyv k = keys_load(i, image);
        low = min(low, k);
        high = max(high, k + 1);
    }
    key least = BLANK, past = 0;
#define EXTREMES(s)                                                                                \
    least = min(least, low.s);                                                                     \
    past = max(past, high.s);
    EACH_LANE(EXTREMES)
    for (i = w + 1 < workers ? n : n / LANES * LANES; i < n; i++) {
        least = min(least, key_of(image[i]));
        past = max(past, key_of(image[i]) + 1);
    }
    range[2 * w] = least;
    range[2 * w + 1] = past;
}
#else
__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
otsu_range(global const word *image, ulong n, global key *range)
{
    local key low[GROUP], high[GROUP];
    uint l = get_local_id(0);
    key least = BLANK, past = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        least = min(least, key_of(image[i]));
        past = max(past, key_of(image[i]) + 1);
    }
    low[l] = least;
    high[l] = past;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            low[l] = min(low[l], low[l + step]);
            high[l] = max(high[l], high[l + step]);
        }
    }
    if (l == 0) {
        range[2 * get_group_id(0)] = low[0];
        range[2 * get_group_id(0) + 1] = high[0];
    }
}
#endif

/* The bin of a scaled value whose product with the norm is `index`. */
static inline uint bin_of(T value, T index, global const T *edges)
{
    int bin = clamp((int)index, 0, BINS - 1);
    if (value < edges[bin])
        bin = max(bin - 1, 0);
    if (value >= edges[bin + 1] && bin != BINS - 1)
        bin++;
    return bin;
}

#if FAT
typedef JOIN(T, LANES) valuev;
#define TO_INT JOIN(convert_int, LANES)
/* Two bins at once: taking one lane after the other out of a vector costs more. */
#define ADD(s, bank)                                                                               \
    t[bank * (BINS + 1) + (uint)two.s]++;                                                          \
    t[(bank + 1) * (BINS + 1) + (uint)(two.s >> 32)]++;
#define FIX(s) bin.s = isnan(x.s) ? BINS : bin_of(x.s, index.s, edges);

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
otsu_count(global const T *image, ulong start, ulong n, T scale, T again, T first, T norm, T slack,
           global const T *edges, global uint *counts)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    global uint *t = counts + w * SLICE;
    ulong i = n / LANES * w / workers * LANES, end = n / LANES * (w + 1) / workers * LANES;
    image += start;
    for (uint b = 0; b < SLICE; b++)
        t[b] = 0;
    for (; i < end; i += LANES) {
        valuev x = JOIN(vload, LANES)(0, image + i) * scale * again;
        valuev index = (x - first) * norm;
        JOIN(int, LANES) bin = TO_INT(index);
        valuev rest = fabs(index - JOIN(JOIN(convert_, T), LANES)(bin) - (T)0.5f);
        if (is_any(~(rest < (T)0.5f - slack))) { /* or it is blank */
            EACH_LANE(FIX)
        }
#if LANES == 8
        ulong4 two = as_ulong4(bin);
        ADD(s2, 4)
        ADD(s3, 6)
#else
        ulong2 two = as_ulong2(bin);
#endif
        ADD(s0, 0)
        ADD(s1, 2)
    }
    for (i = w + 1 < workers ? n : n / LANES * LANES; i < n; i++) {
        T x = image[i] * scale * again;
        t[isnan(x) ? BINS : bin_of(x, (x - first) * norm, edges)]++;
    }
}
#else
__attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
otsu_count(global const T *image, ulong start, ulong n, T scale, T again, T first, T norm, T slack,
           global const T *edges, volatile global uint *counts)
{
    local uint own[SLICE];
    for (uint b = get_local_id(0); b < SLICE; b += GROUP)
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        T x = image[start + i] * scale * again, index = (x - first) * norm;
        uint bin = (uint)(int)index;
        if (!(fabs(index - (T)(int)index - (T)0.5f) < (T)0.5f - slack)) /* or it is blank */
            bin = isnan(x) ? BINS : bin_of(x, index, edges);
        atomic_inc(own + bin);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < SLICE; b += GROUP)
        if (own[b] != 0)
            atomic_add(counts + b, own[b]);
}
#endif
