/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of otsu.cl.
 *
 * Method:    LANES pixels at a time, several copies of the counts.
 * Launch:    one work-item per worker, in groups of one.
 * Exactness: counts.
 * Limits:    2^31 pixels in a launch.
 * Others:    as in otsu.cl.
 */
#define AS_WORD JOIN(as_, KEY)
typedef JOIN(T, LANES) valuev;
#define LOAD(i) JOIN(vload, LANES)(0, image + (i))
#define BLOCK   512 /* pixels; a worker takes whole blocks, the last worker the rest too */
#define FROM(w) (n / BLOCK * (w) / workers * BLOCK)
#define REST(w) ((w) + 1 < workers ? n : n / BLOCK * BLOCK)

/* Leaves the least key of the worker's pixels, and one more than the greatest; BLANK and 0 where
 * all are blank. Blank pixels take no part, because every comparison with them is false. */
kernel ALONE void otsu_range(global const T *image, ulong n, global key *range)
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

#define PAIR  (2 * LANES) /* pixels whose numbers are checked together */
#define BANKS 8 /* copies of the counts: pixels that are equal need not wait for each other */

/* Stores the integer parts of LANES numbers of bins. Returns true in the lanes whose number is
 * within `slack` of a whole one, or not a number: there the edges must decide. */
static inline order store_bins(valuev index, T slack, uint *bins)
{
    order bin = JOIN(convert_, JOIN(KEY_SIGNED, LANES))(index);
    JOIN(vstore, LANES)(JOIN(convert_uint, LANES)(bin), 0, bins);
    return ~(fabs(index - JOIN(JOIN(convert_, T), LANES)(bin) - (T)0.5f) < (T)0.5f - slack);
}

/* Stores the bins of PAIR pixels. */
static inline void find_bins(global const T *image, uint *bins, struct otsu_steps steps,
                             global const T *edges)
{
    order odd = store_bins((LOAD(0) - steps.least) * steps.rate, steps.slack, bins) |
                store_bins((LOAD(LANES) - steps.least) * steps.rate, steps.slack, bins + LANES);
    if (is_any(odd))
        for (uint j = 0; j < PAIR; j++)
            bins[j] = bin_of(image[j], steps, edges);
}

#define COUNT(bank) banks[bank][bins[j + bank]]++;

/* Counts the pixels of every bin, in several banks, so that equal bins do not wait. */
kernel ALONE void otsu_count(global const T *image, ulong start, ulong n, struct otsu_steps steps,
                             global const T *edges, global uint *counts)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    uint banks[BANKS][OTSU_SLICE];
    uint bins[BLOCK]; /* memory is a faster way out of a vector than lane by lane */
    image += start;
    for (uint b = 0; b < BANKS; b++)
        for (uint i = 0; i < OTSU_SLICE; i++)
            banks[b][i] = 0;
    for (ulong i = FROM(w); i < FROM(w + 1); i += BLOCK) {
        for (uint j = 0; j < BLOCK; j += PAIR)
            find_bins(image + i + j, bins + j, steps, edges);
        for (uint j = 0; j < BLOCK; j += BANKS) {
            COUNT(0) COUNT(1) COUNT(2) COUNT(3) COUNT(4) COUNT(5) COUNT(6) COUNT(7)
        }
    }
    for (ulong i = REST(w); i < n; i++)
        banks[0][bin_of(image[i], steps, edges)]++;
    for (uint i = 0; i < OTSU_SLICE; i++) {
        uint count = 0;
        for (uint b = 0; b < BANKS; b++)
            count += banks[b][i];
        counts[w * OTSU_SLICE + i] = count;
    }
}
