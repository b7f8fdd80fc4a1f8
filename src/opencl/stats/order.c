/* SPDX-License-Identifier: MIT */
#include "opencl/stats/order.h"

#include <math.h>
#include <stdlib.h>

static bool is_uniform(const struct order_bin *bin) { return bin->first == bin->last; }

void clump_order_index(struct order *bins)
{
    uint64_t pixels = 0;
    for (size_t i = 0; i < bins->count; i++) {
        bins->bin[i].before = pixels;
        pixels += bins->bin[i].sums.count;
    }
    bins->pixels = bins->past = pixels;
    bins->first = 0;
    if (bins->count == 0)
        return;
    const struct order_bin *low = &bins->bin[0], *high = &bins->bin[bins->count - 1];
    if (is_uniform(low) && clump_keys_infinite(&bins->keys, low->first) < 0)
        bins->first = low->sums.count;
    if (is_uniform(high) && clump_keys_infinite(&bins->keys, high->first) > 0)
        bins->past = high->before;
}

void clump_order_destroy(struct order *bins)
{
    free(bins->bin);
    *bins = (struct order){.bin = NULL};
}

static bool is_known(const struct order_bin *bin) { return is_uniform(bin) || bin->keys; }

/* Asks for a bin's keys. Once answers are guesses the neighbours may be wanted too. */
static void want(struct order *bins, size_t i)
{
    if (is_known(&bins->bin[i]))
        return;
    bins->bin[i].wanted |= bins->guessed ? BIN_HINT : BIN_NEEDED;
    for (size_t j = i > 0 ? i - 1 : 0; bins->guessed && j <= i + 1 && j < bins->count; j++)
        if (!is_known(&bins->bin[j]))
            bins->bin[j].wanted |= BIN_HINT;
    bins->guessed = true;
}

/* The bin of a rank. */
static size_t bin_at(const struct order *bins, uint64_t rank)
{
    size_t low = 0, high = bins->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (bins->bin[middle].before <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The key of a bin's pixel number `place`: known, or guessed as if keys were spread evenly. */
static uint64_t key_in(const struct order_bin *bin, uint64_t place)
{
    if (bin->keys)
        return bin->keys[place];
    double share = ((double)place + 0.5) / (double)bin->sums.count;
    return bin->first + (uint64_t)(share * 0.9999999 * (double)(bin->last - bin->first));
}

uint64_t clump_order_select(struct order *bins, uint64_t rank)
{
    size_t i = bin_at(bins, rank);
    want(bins, i);
    return key_in(&bins->bin[i], rank - bins->bin[i].before);
}

/* How many of a bin's pixels have keys less than `key`. */
static uint64_t below_in(const struct order_bin *bin, u128 key)
{
    if (!bin->keys)
        return (uint64_t)((double)bin->sums.count * (double)(key - bin->first) /
                          ((double)(bin->last - bin->first) + 1));
    uint64_t low = 0, high = bin->sums.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (bin->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t clump_order_rank(struct order *bins, u128 key)
{
    size_t low = 0, high = bins->count; /* bins that start below the key */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bins->bin[middle].first < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct order_bin *bin = &bins->bin[low - 1];
    if (key > bin->last)
        return bin->before + bin->sums.count;
    want(bins, low - 1);
    return bin->before + below_in(bin, key);
}

static double value_at(struct order *bins, uint64_t rank)
{
    return clump_keys_value(&bins->keys, clump_order_select(bins, rank));
}

/* The same, without asking for what is not known. */
static double guess_at(const struct order *bins, uint64_t rank)
{
    const struct order_bin *bin = &bins->bin[bin_at(bins, rank)];
    return clump_keys_value(&bins->keys, key_in(bin, rank - bin->before));
}

double clump_order_middle(double a, double b)
{
    double sum = a + b;
    return isinf(sum) && !isinf(a) && !isinf(b) ? a / 2 + b / 2 : sum / 2;
}

double clump_order_median(struct order *bins, uint64_t first, uint64_t past)
{
    uint64_t n = past - first;
    double high = value_at(bins, first + n / 2);
    return n % 2 ? high : clump_order_middle(value_at(bins, first + n / 2 - 1), high);
}

double clump_order_quantile(struct order *bins, double q)
{
    double h = (double)(bins->pixels - 1) * q, whole = floor(h), t = h - whole;
    double a = value_at(bins, (uint64_t)whole);
    if (t == 0)
        return a;
    double b = value_at(bins, (uint64_t)whole + 1);
    if (a == b)
        return a;
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

/*
 * The distances from the centre of the pixels below it and of the others are two ascending
 * sequences. The first of their union are i from below and j from the others, found by bisection;
 * once the four distances around that cut are known and in order, so is the answer.
 */
struct sides {
    struct order *bins;
    uint64_t first, middle, past; /* ranks: middle is the first that is not below the centre */
    double centre;
};

static double left_guess(const struct sides *sides, uint64_t i)
{
    return fabs(guess_at(sides->bins, sides->middle - 1 - i) - sides->centre);
}

static double right_guess(const struct sides *sides, uint64_t i)
{
    return fabs(guess_at(sides->bins, sides->middle + i) - sides->centre);
}

static double left(const struct sides *sides, uint64_t i)
{
    return fabs(value_at(sides->bins, sides->middle - 1 - i) - sides->centre);
}

static double right(const struct sides *sides, uint64_t i)
{
    return fabs(value_at(sides->bins, sides->middle + i) - sides->centre);
}

/* The distance of this rank, from 0, and the next one, which is infinite after the last. */
static double distance_at(const struct sides *sides, uint64_t rank, double *next)
{
    uint64_t lefts = sides->middle - sides->first, rights = sides->past - sides->middle;
    uint64_t low = rank + 1 > rights ? rank + 1 - rights : 0;
    uint64_t high = rank + 1 < lefts ? rank + 1 : lefts;
    while (low < high) {
        uint64_t i = low + (high - low) / 2, j = rank + 1 - i; /* i < lefts, j > 0 */
        if (left_guess(sides, i) < right_guess(sides, j - 1))
            low = i + 1;
        else
            high = i;
    }
    uint64_t i = low, j = rank + 1 - i;
    double a = i > 0 ? left(sides, i - 1) : 0, b = j > 0 ? right(sides, j - 1) : 0;
    double c = i < lefts ? left(sides, i) : INFINITY, d = j < rights ? right(sides, j) : INFINITY;
    *next = fmin(c, d);
    return fmax(a, b);
}

double clump_order_mad(struct order *bins, uint64_t first, uint64_t past, double centre)
{
    uint64_t n = past - first,
             middle = clump_order_rank(bins, clump_keys_above(&bins->keys, centre, true));
    middle = middle < first ? first : middle > past ? past : middle;
    struct sides sides = {bins, first, middle, past, centre};
    double next, high;
    if (n % 2)
        return distance_at(&sides, n / 2, &next);
    double low = distance_at(&sides, n / 2 - 1, &high);
    return clump_order_middle(low, high);
}

/* Takes out the pixels number first to past - 1 of a bin. */
static void remove_part(struct order *bins, struct exact_sums *moments, size_t i, uint64_t first,
                        uint64_t past)
{
    want(bins, i);
    const struct order_bin *bin = &bins->bin[i];
    if (!bin->keys) {
        uint64_t middle = key_in(bin, (first + past) / 2);
        clump_exact_sums_remove(moments, &(struct exact_sums_bin){middle, past - first, 0, 0, 0});
        return;
    }
    for (uint64_t j = first; j < past; j++)
        clump_exact_sums_remove(moments, &(struct exact_sums_bin){bin->keys[j], 1, 0, 0, 0});
}

void clump_order_remove(struct order *bins, struct exact_sums *moments, uint64_t first,
                        uint64_t past)
{
    for (size_t i = first < past ? bin_at(bins, first) : bins->count; i < bins->count; i++) {
        const struct order_bin *bin = &bins->bin[i];
        uint64_t end = bin->before + bin->sums.count;
        if (bin->before >= past)
            break;
        if (bin->before >= first && end <= past)
            clump_exact_sums_remove(moments, &bin->sums);
        else
            remove_part(bins, moments, i, first > bin->before ? first - bin->before : 0,
                        (past < end ? past : end) - bin->before);
    }
}
