/* SPDX-License-Identifier: MIT */
#include "opencl/stats/order.h"

#include <math.h>
#include <stdlib.h>

static bool is_uniform(const struct order_bin *bin) { return bin->first == bin->last; }

void clump_order_index(struct order *order)
{
    uint64_t pixels = 0;
    for (size_t i = 0; i < order->count; i++) {
        order->bin[i].before = pixels;
        pixels += order->bin[i].sums.count;
    }
    order->pixels = order->past = pixels;
    order->first = 0;
    if (order->count == 0)
        return;
    const struct order_bin *low = &order->bin[0], *high = &order->bin[order->count - 1];
    if (is_uniform(low) && clump_keys_infinite(&order->keys, low->first) < 0)
        order->first = low->sums.count;
    if (is_uniform(high) && clump_keys_infinite(&order->keys, high->first) > 0)
        order->past = high->before;
}

void clump_order_destroy(struct order *order)
{
    free(order->bin);
    *order = (struct order){.bin = NULL};
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Tells whether the keys of a bin are known, and sorts them if they are listed. */
static bool is_known(struct order_bin *bin)
{
    if (is_uniform(bin) || bin->keys)
        return true;
    if (!bin->list)
        return false;
    size_t n = (size_t)bin->sums.count, same = 1;
    while (same < n && bin->list[same] == bin->list[0])
        same++;
    if (same < n)
        qsort(bin->list, n, sizeof *bin->list, compare_keys);
    bin->keys = bin->list;
    return true;
}

/*
 * Marks a bin as wanted unless its keys are known. The first unknown bin since order->guessed was
 * cleared is needed for sure. Later questions may depend on the guess, so the bins that they ask
 * for and the neighbours of these are hints: likely to be needed when the questions are asked
 * again.
 */
static void want(struct order *order, size_t i)
{
    if (is_known(&order->bin[i]))
        return;
    order->bin[i].wanted |= order->guessed ? ORDER_HINT : ORDER_NEEDED;
    for (size_t j = i > 0 ? i - 1 : 0; order->guessed && j <= i + 1 && j < order->count; j++)
        if (!is_known(&order->bin[j]))
            order->bin[j].wanted |= ORDER_HINT;
    order->guessed = true;
}

/* The bin that has the pixel of this rank. */
static size_t bin_at(const struct order *order, uint64_t rank)
{
    size_t low = 0, high = order->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (order->bin[middle].before <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The key of pixel number `place` of a bin: the true one, or a guess as if the keys were spread
 * evenly. Guesses ascend with `place`, and lie in the bin. */
static uint64_t key_in(const struct order_bin *bin, uint64_t place)
{
    if (bin->keys)
        return bin->keys[place];
    double share = ((double)place + 0.5) / (double)bin->sums.count;
    return bin->first + (uint64_t)(share * 0.9999999 * (double)(bin->last - bin->first));
}

uint64_t clump_order_select(struct order *order, uint64_t rank)
{
    size_t i = bin_at(order, rank);
    want(order, i);
    return key_in(&order->bin[i], rank - order->bin[i].before);
}

/* How many pixels of a bin have keys less than `key`: the true number, or a guess as above. */
static uint64_t below_in(const struct order_bin *bin, uint128 key)
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

uint64_t clump_order_rank(struct order *order, uint128 key)
{
    size_t low = 0, high = order->count; /* bins that start below the key */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->bin[middle].first < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct order_bin *bin = &order->bin[low - 1];
    if (key > bin->last)
        return bin->before + bin->sums.count;
    want(order, low - 1);
    return bin->before + below_in(bin, key);
}

static double value_at(struct order *order, uint64_t rank)
{
    return clump_keys_value(&order->keys, clump_order_select(order, rank));
}

/* The same, but does not mark the bin as wanted. */
static double guess_at(const struct order *order, uint64_t rank)
{
    const struct order_bin *bin = &order->bin[bin_at(order, rank)];
    return clump_keys_value(&order->keys, key_in(bin, rank - bin->before));
}

double clump_order_middle(double a, double b)
{
    double sum = a + b;
    return isinf(sum) && !isinf(a) && !isinf(b) ? a / 2 + b / 2 : sum / 2;
}

double clump_order_median(struct order *order, uint64_t first, uint64_t past)
{
    uint64_t n = past - first;
    double high = value_at(order, first + n / 2);
    return n % 2 ? high : clump_order_middle(value_at(order, first + n / 2 - 1), high);
}

double clump_order_quantile(struct order *order, double q)
{
    double h = (double)(order->pixels - 1) * q, whole = floor(h), t = h - whole;
    double a = value_at(order, (uint64_t)whole);
    if (t == 0)
        return a;
    double b = value_at(order, (uint64_t)whole + 1);
    if (a == b)
        return a;
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

/*
 * The distances from the centre of the pixels below it, taken downwards, and of the other pixels,
 * taken upwards, are two ascending sequences. The lowest rank + 1 distances of both together are i
 * from below and j from above; bisection finds i. Guesses may steer the bisection: they ascend too,
 * and the four distances around the cut are then asked for exactly. See docs/statistics.md, "MAD".
 */
struct sides {
    struct order *order;
    uint64_t first, middle,
        past; /* ranks; `middle` is the first pixel that is not below the centre */
    double centre;
};

static double left_guess(const struct sides *sides, uint64_t i)
{
    return fabs(guess_at(sides->order, sides->middle - 1 - i) - sides->centre);
}

static double right_guess(const struct sides *sides, uint64_t i)
{
    return fabs(guess_at(sides->order, sides->middle + i) - sides->centre);
}

static double left(const struct sides *sides, uint64_t i)
{
    return fabs(value_at(sides->order, sides->middle - 1 - i) - sides->centre);
}

static double right(const struct sides *sides, uint64_t i)
{
    return fabs(value_at(sides->order, sides->middle + i) - sides->centre);
}

/* The distance of this rank, which counts from 0. *next gets the distance of the next rank,
 * infinity after the last one. */
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

double clump_order_mad(struct order *order, uint64_t first, uint64_t past, double centre)
{
    uint64_t n = past - first,
             middle = clump_order_rank(order, clump_keys_above(&order->keys, centre, true));
    middle = middle < first ? first : middle > past ? past : middle;
    struct sides sides = {order, first, middle, past, centre};
    double next, high;
    if (n % 2)
        return distance_at(&sides, n / 2, &next);
    double low = distance_at(&sides, n / 2 - 1, &high);
    return clump_order_middle(low, high);
}

/* Removes a bin's pixels number first to past - 1. Where they are unknown, removes as many pixels
 * that are alike, as a guess. */
static void remove_part(struct order *order, struct exact_sums *sums, size_t i, uint64_t first,
                        uint64_t past)
{
    want(order, i);
    const struct order_bin *bin = &order->bin[i];
    if (!bin->keys) {
        uint64_t middle = key_in(bin, (first + past) / 2);
        clump_exact_sums_remove(sums, &(struct exact_sums_bin){middle, past - first, 0, 0, 0});
        return;
    }
    clump_exact_sums_remove_keys(sums, bin->keys + first, (size_t)(past - first));
}

void clump_order_remove(struct order *order, struct exact_sums *sums, uint64_t first, uint64_t past)
{
    for (size_t i = first < past ? bin_at(order, first) : order->count; i < order->count; i++) {
        const struct order_bin *bin = &order->bin[i];
        uint64_t end = bin->before + bin->sums.count;
        if (bin->before >= past)
            break;
        bool whole = bin->before >= first && end <= past;
        if (whole && bin->list)
            clump_exact_sums_remove_keys(sums, bin->list, (size_t)bin->sums.count);
        else if (whole && !bin->blind)
            clump_exact_sums_remove(sums, &bin->sums);
        else
            remove_part(order, sums, i, first > bin->before ? first - bin->before : 0,
                        (past < end ? past : end) - bin->before);
    }
}
