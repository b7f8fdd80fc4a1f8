/* SPDX-License-Identifier: MIT */
/*
 * The histogram behind Otsu's threshold of a float image.
 *
 * Method:    otsu_range finds the least and the greatest key (prelude.cl); otsu_count puts the
 *            pixels into 256 bins as numpy.histogram does with the scaled ones: by a product,
 *            corrected by a look at the bin's edges wherever the product is near a whole number.
 * Launch:    coarse: a work-item a worker, each with a slice of its own; fine: groups of GROUP, any
 *            number of them, and one slice that the host has zeroed. 2^31 pixels at most.
 * Exactness: counts; every operation on floats is rounded once, as on the host.
 * Others:    host src/opencl/stats/otsu.c, definition src/reference/otsu.c, pair src/pairs/otsu.c.
 */
#define BINS  256
#define SLICE (BINS + 1) /* the last one is for blank pixels */

#define AS_WORD JOIN(as_, KEY)

/* Keeps the extremes of keys that are not blank; past is one more than the greatest, or 0. */
#if COARSE
typedef JOIN(T, LANES) valuev;
#define LOAD(i) JOIN(vload, LANES)(0, image + (i))
#define BLOCK   512 /* pixels, done by one worker except for those after the last whole block */
#define FROM(w) (n / BLOCK * (w) / workers * BLOCK)
#define REST(w) ((w) + 1 < workers ? n : n / BLOCK * BLOCK)

/* A comparison with a blank pixel is false: it takes no part. */
kernel ALONE void otsu_range(global const T *image,
                                                                      ulong n, global key *range)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    valuev low[4], high[4];
    for (uint j = 0; j < 4; j++)
        low[j] = INFINITY, high[j] = -INFINITY;
    for (ulong i = FROM(w); i < FROM(w + 1); i += 4 * LANES)
        for (uint j = 0; j < 4; j++) {
            valuev x = LOAD(i + j * LANES);
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
    T least = INFINITY, most = -INFINITY;
#define EXTREMES(s)                                                                                \
    least = min(least, low[j].s);                                                                  \
    most = max(most, high[j].s);
    for (uint j = 0; j < 4; j++) {
        EACH_LANE(EXTREMES)
    }
    for (ulong i = REST(w); i < n; i++) {
        least = image[i] < least ? image[i] : least;
        most = image[i] > most ? image[i] : most;
    }
    range[2 * w] = least <= most ? key_of(AS_WORD(least)) : BLANK;
    range[2 * w + 1] = least <= most ? key_of(AS_WORD(most)) + 1 : 0;
}
#else
kernel GROUPED void otsu_range(global const word *image, ulong n, global key *range)
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

/*
 * Where a pixel belongs: index (x - least) * rate, unless that is within `slack` of a whole number
 * or not a number. Then by numpy.histogram's own steps: the pixel scaled by `scale` and `again`,
 * its index (x - first) * norm, and a look at the bin's edges.
 */
#define PRODUCT T least, T rate, T slack
#define STEPS   T scale, T again, T first, T norm, global const T *edges

static inline uint bin_of(T pixel, STEPS)
{
    T value = pixel * scale * again;
    int bin = clamp((int)((value - first) * norm), 0, BINS - 1);
    if (isnan(value))
        return BINS;
    if (value < edges[bin])
        bin = max(bin - 1, 0);
    if (value >= edges[bin + 1] && bin != BINS - 1)
        bin++;
    return bin;
}
#define BIN(pixel) bin_of(pixel, scale, again, first, norm, edges)

#if COARSE
#define PAIR  (2 * LANES) /* pixels that are looked at together */
#define BANKS 8 /* copies of the counts, so that equal neighbours do not wait for each other */

/* Stores the bins of LANES indices; returns where an index may be another bin's. */
static inline order store_bins(valuev index, T slack, uint *bins)
{
    order bin = JOIN(convert_, JOIN(KEY_SIGNED, LANES))(index);
    JOIN(vstore, LANES)(JOIN(convert_uint, LANES)(bin), 0, bins);
    return ~(fabs(index - JOIN(JOIN(convert_, T), LANES)(bin) - (T)0.5f) < (T)0.5f - slack);
}

static inline void find_bins(global const T *image, uint *bins, PRODUCT, STEPS)
{
    order odd = store_bins((LOAD(0) - least) * rate, slack, bins) |
                store_bins((LOAD(LANES) - least) * rate, slack, bins + LANES);
    if (is_any(odd))
        for (uint j = 0; j < PAIR; j++)
            bins[j] = BIN(image[j]);
}

#define COUNT(bank) banks[bank][bins[j + bank]]++;

kernel ALONE void otsu_count(global const T *image, ulong start, ulong n, PRODUCT, STEPS, global uint *counts)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    uint banks[BANKS][SLICE];
    uint bins[BLOCK]; /* to memory and back is faster than lane by lane out of a vector */
    image += start;
    for (uint b = 0; b < BANKS; b++)
        for (uint i = 0; i < SLICE; i++)
            banks[b][i] = 0;
    for (ulong i = FROM(w); i < FROM(w + 1); i += BLOCK) {
        for (uint j = 0; j < BLOCK; j += PAIR)
            find_bins(image + i + j, bins + j, least, rate, slack, scale, again, first, norm,
                      edges);
        for (uint j = 0; j < BLOCK; j += BANKS) {
            COUNT(0) COUNT(1) COUNT(2) COUNT(3) COUNT(4) COUNT(5) COUNT(6) COUNT(7)
        }
    }
    for (ulong i = REST(w); i < n; i++)
        banks[0][BIN(image[i])]++;
    for (uint i = 0; i < SLICE; i++) {
        uint count = 0;
        for (uint b = 0; b < BANKS; b++)
            count += banks[b][i];
        counts[w * SLICE + i] = count;
    }
}
#else
kernel GROUPED void otsu_count(global const T *image, ulong start, ulong n, PRODUCT, STEPS,
           volatile global uint *counts)
{
    local uint own[SLICE];
    for (uint b = get_local_id(0); b < SLICE; b += GROUP)
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        T x = image[start + i], index = (x - least) * rate;
        int bin = (int)index;
        bool plain = fabs(index - (T)bin - (T)0.5f) < (T)0.5f - slack;
        atomic_inc(own + (plain ? (uint)bin : BIN(x)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < SLICE; b += GROUP)
        if (own[b] != 0)
            atomic_add(counts + b, own[b]);
}
#endif
