/* SPDX-License-Identifier: MIT */
/*
 * The order statistics that a sweep tells. In ascending order its pixels are
 *
 *     -inf | lower tail | core below low | = low | bracket | = high | core above high | upper tail
 *     | +inf
 *
 * Keys are known of the tails and the bracket, which are listed; of the core only the number of
 * pixels is.
 */
#include <math.h>
#include <stdlib.h>

#include "opencl/stats/sweep.h"

#include "stats/sweep.h"

#define BUCKETS 1024 /* bins that a list is parted into, at most */

/* Key number i of the tails, and the number of its pixel. */
static inline uint64_t tail_at(const struct sweep *sweep, size_t i, uint64_t *number)
{
    const uint64_t *tails = sweep->words + sweep->tails_at;
    bool wide = sweep->histogram.order.keys.bits == 64;
    *number = wide ? tails[2 * i + 1] : (uint32_t)tails[i];
    return wide ? tails[2 * i] : tails[i] >> 32;
}

/* Makes room for so many bins and keys. */
static enum clump_status make_room(struct sweep *sweep, size_t keys)
{
    struct order *order = &sweep->histogram.order;
    size_t bytes = sizeof *sweep->histogram.gathered + keys * sizeof(uint64_t);
    order->room = 3 * BUCKETS + 16;
    order->bin = malloc(order->room * sizeof *order->bin);
    sweep->histogram.gathered = malloc(bytes);
    if (sweep->histogram.gathered)
        sweep->histogram.gathered->next = NULL;
    if (!sweep->histogram.gathered || !order->bin)
        return clump_histogram_out_of_memory(&sweep->histogram, bytes);
    return CLUMP_OK;
}

static struct order_bin *append(struct order *order, uint64_t first, uint64_t last, uint64_t count)
{
    struct order_bin *bin = &order->bin[order->count++];
    *bin = (struct order_bin){.first = first, .last = last};
    bin->sums = (struct exact_sums_bin){.key = first, .count = count};
    return bin;
}

/* Appends pixels that all have the same key. */
static void append_known(struct order *order, uint64_t key, uint64_t count)
{
    if (count > 0)
        append(order, key, key, count);
}

/* Appends pixels whose keys lie from `first` to `last`, of which only the number is known. */
static void append_blind(struct order *order, uint64_t first, uint64_t last, uint64_t count)
{
    if (count > 0)
        append(order, first, last, count)->blind = first != last;
}

/* A list as the sweep has left it: keys of 32 or 64 bits, or entries of tails. */
struct list {
    const uint64_t *words;
    size_t n;
    bool wide, tails;
};

static inline uint64_t key_in(const struct list *list, size_t i)
{
    if (list->tails)
        return list->wide ? list->words[2 * i] : list->words[i] >> 32;
    return list->wide ? list->words[i] : ((const uint32_t *)(const void *)list->words)[i];
}

/* A list parted into up to two ranges of keys, and these into BUCKETS buckets each. */
struct buckets {
    struct range {
        uint64_t first, last; /* keys */
        unsigned shift;       /* a bucket has 2^shift of them */
    } range[2];
    size_t past[2 * BUCKETS]; /* the ends of the buckets, in `keys` */
    uint64_t *keys;
};

static void set_range(struct range *range, uint64_t first, uint64_t last)
{
    *range = (struct range){first, last, 0};
    while ((last - first) >> range->shift >= BUCKETS)
        range->shift++;
}

/* The bucket of a key, or 2 * BUCKETS if it is in neither range. */
static inline size_t bucket_of(const struct buckets *buckets, uint64_t key)
{
    size_t side = key >= buckets->range[1].first;
    const struct range *range = &buckets->range[side];
    uint64_t d = key - range->first;
    return d > range->last - range->first ? 2 * BUCKETS
                                          : side * BUCKETS + (size_t)(d >> range->shift);
}

/* Copies the keys of both ranges to buckets->keys, bucket after bucket. */
static void fill_buckets(struct buckets *buckets, const struct list *list)
{
    size_t at[2 * BUCKETS + 1] = {0}, all = 0;
    for (size_t i = 0; i < list->n; i++)
        at[bucket_of(buckets, key_in(list, i))]++;
    for (size_t b = 0; b < 2 * BUCKETS; b++) {
        size_t count = at[b];
        at[b] = all;
        buckets->past[b] = all += count;
    }
    at[2 * BUCKETS] = list->n; /* there is room for one more key */
    for (size_t i = 0; i < list->n; i++) {
        uint64_t key = key_in(list, i);
        size_t b = bucket_of(buckets, key);
        buckets->keys[at[b]] = key;
        at[b] += b < 2 * BUCKETS;
    }
}

/* Appends the buckets of a range that are not empty. */
static void append_buckets(struct order *order, const struct buckets *buckets, size_t side)
{
    const struct range *range = &buckets->range[side];
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t at = side * BUCKETS + b, start = at ? buckets->past[at - 1] : 0;
        uint64_t first = range->first + ((uint64_t)b << range->shift);
        uint64_t last = first + ((UINT64_C(1) << range->shift) - 1);
        if (buckets->past[at] > start)
            append(order, first, last < range->last ? last : range->last, buckets->past[at] - start)
                ->list = buckets->keys + start;
    }
}

/* What the tails have: how many finite pixels, and the extreme ones among them. */
struct tails {
    size_t lower, upper;
    uint64_t least, most;
};

static struct tails look_at_tails(const struct sweep *sweep, const struct list *list, uint64_t core)
{
    const struct keys *keys = &sweep->histogram.order.keys;
    struct tails tails = {.least = UINT64_MAX};
    uint64_t below = 0, above = UINT64_MAX; /* the keys of infinities */
    if (keys->fraction) {
        below = (uint64_t)clump_keys_above(keys, -(double)INFINITY, true);
        above = (uint64_t)clump_keys_above(keys, (double)INFINITY, true);
    }
    for (size_t i = 0; i < list->n; i++) {
        uint64_t key = key_in(list, i);
        if (keys->fraction && (key == below || key == above))
            continue;
        tails.lower += key < core;
        tails.upper += key >= core;
        tails.least = key < tails.least ? key : tails.least;
        tails.most = key > tails.most ? key : tails.most;
    }
    return tails;
}

/* The numbers of pixels in the parts of the order. */
struct shares {
    uint64_t below_low, equal_low, bracket, equal_high, above_high;
};

/* Pixels equal to low belong to the lower tail where that ends there, and are infinite where low
 * is; likewise those equal to high. Returns false if a number would be negative. */
static bool share_out(const struct sweep *sweep, const struct sweep_counts *counts,
                      const struct tails *tails, struct shares *shares)
{
    const struct sweep_aim *aim = &sweep->aim;
    bool no_low = !aim->ties || aim->low == aim->core_low || isinf(aim->low);
    bool no_high = !aim->ties || aim->high == aim->core_high || isinf(aim->high);
    uint64_t below_low = no_low ? counts->to_low : counts->below_low;
    uint64_t to_high = no_high ? counts->to_low + counts->bracket : counts->to_high;
    uint64_t lower = counts->below + tails->lower, upper = counts->above + tails->upper;
    if (below_low < lower || counts->to_low < below_low ||
        to_high < counts->to_low + counts->bracket || counts->pixels < to_high + upper)
        return false;
    shares->below_low = below_low - lower;
    shares->equal_low = counts->to_low - below_low;
    shares->bracket = counts->bracket;
    shares->equal_high = to_high - counts->to_low - counts->bracket;
    shares->above_high = counts->pixels - to_high - upper;
    return true;
}

/* The first key of the core, of what is not below low, of the bracket, of what is not below high,
 * of what is above high, and of the upper tail. */
struct borders {
    uint128 core, low, bracket, high, above, tail;
};

static struct borders borders_of(const struct sweep *sweep)
{
    const struct keys *keys = &sweep->histogram.order.keys;
    const struct sweep_aim *aim = &sweep->aim;
    return (struct borders){
        clump_keys_above(keys, aim->core_low, false), clump_keys_above(keys, aim->low, true),
        clump_keys_above(keys, aim->low, false),      clump_keys_above(keys, aim->high, true),
        clump_keys_above(keys, aim->high, false),     clump_keys_above(keys, aim->core_high, true),
    };
}

/* Appends all bins. */
static void append_all(struct sweep *sweep, const struct sweep_counts *counts,
                       const struct tails *tails, struct shares shares,
                       const struct buckets *bracket, const struct buckets *outside)
{
    struct order *order = &sweep->histogram.order;
    struct borders at = borders_of(sweep);
    uint64_t least = counts->least, most = counts->most;
    uint64_t core = at.core > least ? (uint64_t)at.core : least;
    uint64_t last = at.tail <= most ? (uint64_t)at.tail - 1 : most; /* of the core */
    /* Where no tail has the extreme pixel, it is a bin of its own. */
    bool has_least = !tails->lower && !counts->below && shares.below_low > 0;
    bool has_most = !tails->upper && !counts->above && shares.above_high > 0;
    append_known(order, least, counts->below + has_least);
    append_buckets(order, outside, 0);
    append_blind(order, core, (uint64_t)at.low - 1, shares.below_low - has_least);
    append_known(order, (uint64_t)at.low, shares.equal_low);
    append_buckets(order, bracket, 0);
    append_known(order, (uint64_t)at.high, shares.equal_high);
    append_blind(order, (uint64_t)at.above, last, shares.above_high - has_most);
    append_buckets(order, outside, 1);
    append_known(order, most, counts->above + has_most);
}

/* Parts both lists into buckets, and makes the order of them. */
static void make_order(struct sweep *sweep, const struct sweep_counts *counts,
                       const struct tails *tails, struct shares shares, const struct list lists[2])
{
    struct borders at = borders_of(sweep);
    struct buckets bracket, outside;
    bracket.keys = sweep->histogram.gathered->key;
    outside.keys = bracket.keys + lists[0].n + 1;
    set_range(&bracket.range[0], (uint64_t)at.bracket, (uint64_t)(at.high - 1));
    set_range(&bracket.range[1], UINT64_MAX, UINT64_MAX);
    set_range(&outside.range[0], tails->lower ? tails->least : 0,
              tails->lower ? (uint64_t)(at.core - 1) : 0);
    set_range(&outside.range[1], (uint64_t)at.tail, tails->upper ? tails->most : (uint64_t)at.tail);
    fill_buckets(&bracket, &lists[0]);
    fill_buckets(&outside, &lists[1]);
    append_all(sweep, counts, tails, shares, &bracket, &outside);
    clump_order_index(&sweep->histogram.order);
    sweep->histogram.order.closed = true;
}

enum clump_status clump_sweep_order(struct sweep *sweep, const struct sweep_counts *counts,
                                    bool *fits)
{
    bool wide = sweep->histogram.order.keys.bits == 64;
    const struct list lists[2] = {
        {sweep->words + sweep->bracket_at, counts->bracket, wide, false},
        {sweep->words + sweep->tails_at, counts->tails, wide, true},
    };
    struct tails tails = look_at_tails(sweep, &lists[1], (uint64_t)borders_of(sweep).core);
    struct shares shares;
    *fits = share_out(sweep, counts, &tails, &shares);
    if (!*fits)
        return CLUMP_OK;
    enum clump_status status = make_room(sweep, lists[0].n + lists[1].n + 2);
    if (status)
        return status;
    make_order(sweep, counts, &tails, shares, lists);
    *fits = sweep->histogram.order.pixels == counts->pixels;
    return CLUMP_OK;
}

bool clump_sweep_order_seek(const struct sweep *sweep, uint64_t least, uint64_t most,
                            struct histogram_place *place)
{
    const uint32_t *head = (const uint32_t *)(const void *)sweep->words;
    *place = (struct histogram_place){UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < head[SWEEP_TAILS]; i++) {
        uint64_t number, key = tail_at(sweep, i, &number);
        if (key == least && number < place->least)
            place->least = number;
        if (key == most && number < place->most)
            place->most = number;
    }
    return place->least != UINT64_MAX && place->most != UINT64_MAX;
}
