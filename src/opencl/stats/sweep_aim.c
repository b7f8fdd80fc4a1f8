/* SPDX-License-Identifier: MIT */
/*
 * Where a sweep aims, by a sample of the pixels: units, bracket, core. Everything here is a guess,
 * made in double: a bad one costs time, and the sweep tells. See docs/statistics.md, "Sample and
 * bracket" and "Clipping by one sweep".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/stats/radix_sort.h"
#include "opencl/stats/sweep.h"

#include "stats/sweep.h"

/*
 * How many pixels are sampled: one in SAMPLED, but at least SAMPLES_LEAST and at most SAMPLES_MOST.
 * An image of fewer than 2 * SAMPLES_LEAST pixels is sampled whole.
 */
#define SAMPLED       256
#define SAMPLES_LEAST 4096
#define SAMPLES_MOST  65536
#define UNIT_SAMPLES  4096 /* sampled pixels that choose the units */

#define UNITS     2048 /* more than there are exponents of a unit */
#define ODD_MOST  32   /* a sweep does not pay if more than one in so many pixels is odd, */
#define TAIL_MOST 16   /* or lies in the tails */
#define SPARE     8192

/* How far a bound of clipping may be off, in standard errors, and the passes that are tried. */
#define BOUND_REACH 6
#define PASSES      64

uint32_t clump_sweep_aim_samples(uint64_t n)
{
    uint64_t samples = n / SAMPLED;
    samples = samples > SAMPLES_LEAST ? samples : SAMPLES_LEAST;
    samples = samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
    return (uint32_t)(2 * samples <= n ? samples : n);
}

/*
 * How far the image's median may lie from the middle of the sample, in ranks of the sample: 3.3
 * standard deviations, and 2 for good measure. See docs/statistics.md, "Sample and bracket".
 */
static double reach_of(const struct sweep_sample *sample)
{
    return sample->count == sample->n ? 2 : 3.3 * sqrt((double)sample->count) / 2 + 2;
}

struct sweep_room clump_sweep_aim_room(uint64_t n)
{
    struct sweep_sample sample = {.count = clump_sweep_aim_samples(n), .n = n};
    double bracket = 3 * reach_of(&sample) / (double)sample.count * (double)n;
    return (struct sweep_room){(uint32_t)bracket + SPARE, (uint32_t)(n / TAIL_MOST) + SPARE,
                               (uint32_t)(n / ODD_MOST) + SPARE};
}

/* Room for a list of which the sample has `found` entries: what is likely, half as much again, and
 * some. Returns false if even the likely number is more than `most`. */
static bool room_for(const struct sweep_sample *sample, size_t found, uint32_t most, uint32_t *room)
{
    double share = (double)sample->n / (double)sample->count, likely = (double)found * share;
    double wide = 1.5 * (likely + 4 * sqrt((double)found) * share) + 4096;
    *room = wide < most ? (uint32_t)wide : most;
    return likely <= most;
}

static inline uint64_t key_at(const struct sweep_sample *sample, size_t i)
{
    return sample->keys.bits == 32 ? ((const uint32_t *)sample->key)[i]
                                   : ((const uint64_t *)sample->key)[i];
}

/*
 * Tells whether a float is finite and not tiny, and with units of which exponents it is usual: from
 * `first` to `last`. No unit is needed for zero.
 */
static bool usual_with(const struct keys *keys, uint64_t key, int *first, int *last)
{
    uint64_t sign = UINT64_C(1) << (keys->bits - 1), bits = key & sign ? key ^ sign : ~key;
    int fraction = (int)keys->fraction, bias = keys->bits == 64 ? 1023 : 127;
    int span = keys->bits == 64 ? 2 * SWEEP_SPAN : SWEEP_SPAN;
    int exponent = (int)((bits & (sign - 1)) >> fraction);
    uint64_t whole = (bits & ((UINT64_C(1) << fraction) - 1)) | UINT64_C(1) << fraction;
    *first = exponent - bias + 1 - span;
    *last = exponent - bias - fraction + __builtin_ctzll(whole);
    return exponent != 0 && exponent != 2 * bias + 1;
}

/*
 * Chooses the unit for which the most sampled pixels are usual that are not so with the unit
 * `other` (NULL: of all pixels); where several units serve as well, the middle one of the first
 * that do. Each pixel adds one to a range of exponents. Returns how many of `*seen` pixels remain
 * odd.
 */
static size_t choose_unit(const struct sweep_sample *sample, const int *other, int *unit,
                          size_t *seen)
{
    int least = sample->keys.bits == 64 ? -1022 : -126, most = sample->keys.bits == 64 ? 960 : 96;
    int change[UNITS + 1] = {0}, usual = 0, best = -1, first = 0, last = 0;
    uint64_t blank = clump_keys_max(&sample->keys), zero = blank / 2 + 1;
    size_t odd = 0;
    *seen = 0;
    for (size_t i = 0; i < sample->count; i += 1 + sample->count / UNIT_SAMPLES) {
        uint64_t key = key_at(sample, i);
        int from, to;
        *seen += key != blank;
        if (key == blank || key == zero)
            continue;
        odd++;
        if (!usual_with(&sample->keys, key, &from, &to))
            continue;
        if (other && from <= *other && *other <= to) {
            odd--;
            continue;
        }
        from = from < least ? least : from;
        to = to > most ? most : to;
        if (from <= to) {
            change[from - least]++;
            change[to - least + 1]--;
        }
    }
    for (int i = 0; i <= most - least; i++) {
        usual += change[i];
        first = usual > best ? i : first;
        last = usual > best || (usual == best && last == i - 1) ? i : last;
        best = usual > best ? usual : best;
    }
    *unit = least + (first + last) / 2;
    return odd - (size_t)best;
}

/* Chooses both units. Returns false if too many pixels would be odd. */
static bool choose_units(const struct sweep_sample *sample, struct sweep_room room,
                         struct sweep_aim *aim)
{
    size_t seen, odd = 0;
    aim->exponent[0] = aim->exponent[1] = 0;
    aim->odd = 0;
    if (!sample->keys.fraction)
        return true; /* integers of 16 bits */
    choose_unit(sample, NULL, &aim->exponent[0], &seen);
    odd = choose_unit(sample, &aim->exponent[0], &aim->exponent[1], &seen);
    size_t every = 1 + sample->count / UNIT_SAMPLES;
    return room_for(sample, odd * every, room.odd, &aim->odd) &&
           (odd * ODD_MOST <= seen || sample->n < SPARE);
}

/* The valid pixels of the sample in order, and running sums over the finite ones among them. */
struct ranked {
    struct keys keys;
    bool whole; /* whether the sample is the image */
    double *value;
    size_t valid, first, past; /* the finite ones have ranks first to past - 1 */
    double centre;             /* that the sums are about */
    double (*sum)[3];          /* of the pixels below a rank: first, second and fourth powers */
    size_t median_first, median_last; /* ranks where the medians of all passes lie */
};

/* How many pixels of ranks first to past - 1 are below `level`, or up to it, plus `first`. */
static size_t rank_of(const struct ranked *ranked, size_t first, size_t past, double level,
                      bool equal)
{
    while (first < past) {
        size_t middle = first + (past - first) / 2;
        double value = ranked->value[middle];
        if (value < level || (equal && value == level))
            first = middle + 1;
        else
            past = middle;
    }
    return first;
}

static void add_up(struct ranked *ranked)
{
    ranked->centre = ranked->value[(ranked->first + ranked->past) / 2];
    double *before = ranked->sum[ranked->first];
    before[0] = before[1] = before[2] = 0;
    for (size_t i = ranked->first; i < ranked->past; i++) {
        double d = ranked->value[i] - ranked->centre, *sum = ranked->sum[i + 1];
        sum[0] = before[0] + d;
        sum[1] = before[1] + d * d;
        sum[2] = before[2] + d * d * d * d;
        before = sum;
    }
}

/* Bounds of a pass. If `careful` is true they are narrower by what the sample may be off. */
static void narrow_bounds(const struct ranked *ranked, const struct clump_clip_params *params,
                          size_t first, size_t past, bool careful, double bound[2])
{
    const double *a = ranked->sum[first], *b = ranked->sum[past], n = (double)(past - first);
    double mean = (b[0] - a[0]) / n, variance = fmax((b[1] - a[1]) / n - mean * mean, 0);
    double std = sqrt(variance), fourth = (b[2] - a[2]) / n;
    double spread = variance > 0 ? fmax(fourth / (variance * variance) - 1, 1) / 4 : 0;
    double centre = (ranked->value[(first + past - 1) / 2] + ranked->value[(first + past) / 2]) / 2;
    if (params->centre == CLUMP_CLIP_CENTRE_MEAN)
        centre = ranked->centre + mean;
    for (int side = 0; side < 2; side++) {
        double kappa = side ? params->kappa_high : params->kappa_low;
        double error =
            ranked->whole ? 1e-6 : BOUND_REACH * sqrt((1.6 + kappa * kappa * spread) / n);
        double away = isinf(kappa) ? kappa : fmax(careful ? kappa - error : kappa, 0) * std;
        if (careful && ranked->keys.bits == 64) /* only the upper half of the keys is known */
            away = fmax(away - fabs(centre) * 0x1p-18, 0);
        bound[side] = side ? centre + away : centre - away;
    }
}

/* The nearest number below `value` that a pixel of the sweep can be compared with, or above it. */
static double beside(const struct keys *keys, double value, double towards)
{
    if (isinf(value))
        return value;
    if (keys->bits == 64)
        return nextafter(value, towards);
    float narrow = (float)value;
    bool outside = towards < 0 ? (double)narrow < value : (double)narrow > value;
    return outside ? narrow : nextafterf(narrow, (float)towards);
}

/* The ranks of the sample's pixels that a pass keeps. */
struct kept {
    size_t first, past;
};

/* Does a pass, with bounds that are narrower by what the sample may be off if `careful` is true.
 * Returns false if the figures are no numbers. */
static bool clip_once(const struct ranked *ranked, const struct clump_clip_params *params,
                      bool careful, struct kept *kept, double bound[2])
{
    narrow_bounds(ranked, params, kept->first, kept->past, careful, bound);
    if (isnan(bound[0]) || isnan(bound[1]))
        return false;
    struct kept next = {rank_of(ranked, kept->first, kept->past, bound[0], false),
                        rank_of(ranked, kept->first, kept->past, bound[1], true)};
    if (next.first < next.past)
        *kept = next;
    return true;
}

static void widen_medians(struct ranked *ranked, struct kept kept)
{
    size_t middle = (kept.first + kept.past) / 2;
    ranked->median_first = middle < ranked->median_first ? middle : ranked->median_first;
    ranked->median_last = middle > ranked->median_last ? middle : ranked->median_last;
}

/*
 * Clips the sample, and then goes on with narrower bounds from what the last pass has found before
 * it. Leaves the innermost bounds in aim->core_low and core_high. Returns false if too little is
 * kept.
 */
static bool choose_core(struct ranked *ranked, const struct clump_clip_params *params,
                        struct sweep_aim *aim)
{
    struct kept kept = {ranked->first, ranked->past}, before = kept;
    double bound[2];
    uint32_t passes = params->max_iterations;
    bool moved = true;
    for (uint32_t pass = 0; moved && (!passes || pass < passes); pass++) {
        before = kept;
        if (!clip_once(ranked, params, false, &kept, bound))
            return false;
        widen_medians(ranked, kept);
        moved = kept.first != before.first || kept.past != before.past;
    }
    kept = before;
    moved = true;
    for (uint32_t pass = 0; moved && (!passes || pass < 1); pass++) {
        before = kept;
        if (!clip_once(ranked, params, true, &kept, bound))
            return false;
        aim->core_low = fmax(aim->core_low, bound[0]);
        aim->core_high = fmin(aim->core_high, bound[1]);
        widen_medians(ranked, kept);
        moved = !ranked->whole && (kept.first != before.first || kept.past != before.past);
    }
    aim->core_low = beside(&ranked->keys, aim->core_low, -(double)INFINITY);
    aim->core_high = beside(&ranked->keys, aim->core_high, (double)INFINITY);
    /* Where pixels are removed, the extreme kept ones have to be in the tails. */
    double least = ranked->value[kept.first], most = ranked->value[kept.past - 1];
    double more = ranked->keys.bits == 64 ? 0x1p-19 : 0; /* that half of a key may lack */
    if (kept.first > ranked->first)
        aim->core_low = fmax(aim->core_low, least + fabs(least) * more);
    if (kept.past < ranked->past)
        aim->core_high = fmin(aim->core_high, most - fabs(most) * more);
    return 2 * (kept.past - kept.first) >= ranked->past - ranked->first;
}

/* Chooses the bracket around the medians of all passes; it stays within the core. */
static void choose_bracket(const struct sweep_sample *sample, const struct ranked *ranked,
                           struct sweep_aim *aim)
{
    size_t reach = (size_t)reach_of(sample), same = 0;
    aim->low = -(double)INFINITY;
    aim->high = (double)INFINITY;
    if (ranked->median_first >= reach)
        aim->low = ranked->value[ranked->median_first - reach];
    if (ranked->median_last + reach < ranked->valid)
        aim->high = ranked->value[ranked->median_last + reach];
    if (sample->keys.bits == 64) { /* only the upper half of its key is known */
        aim->low = nextafter(aim->low, -(double)INFINITY);
        aim->high += fabs(aim->high) * 0x1p-19;
    }
    for (size_t i = 0; i < ranked->valid; i++)
        same += ranked->value[i] == aim->low || ranked->value[i] == aim->high;
    aim->ties = same > 2 || sample->keys.pad;
    aim->low = fmax(aim->low, aim->core_low);
    aim->high = fmin(aim->high, aim->core_high);
}

/* Ranks the sample. `room` has twice its size. Of 64-bit keys the upper half is enough. */
static void rank(const struct sweep_sample *sample, uint64_t *room, struct ranked *ranked)
{
    const struct keys *keys = &sample->keys;
    uint64_t blank = keys->fraction ? clump_keys_max(keys) : UINT64_MAX, *sorted;
    size_t valid = 0;
    for (size_t i = 0; i < sample->count; i++) {
        uint64_t key = key_at(sample, i);
        room[valid] = keys->bits == 64 ? key >> 32 : key;
        valid += key != blank;
    }
    sorted = clump_radix_sort(room, room + sample->count, valid, 32);
    *ranked = (struct ranked){.keys = *keys,
                              .whole = sample->count == sample->n,
                              .valid = valid,
                              .value = (double *)(void *)sorted};
    for (size_t i = 0; i < valid; i++) { /* a value takes the place of its key */
        double value = keys->type == CLUMP_F32
                           ? (double)clump_keys_float((uint32_t)sorted[i])
                           : clump_keys_value(keys, sorted[i] << (keys->bits - 32));
        memcpy(&sorted[i], &value, sizeof value);
    }
    ranked->first = rank_of(ranked, 0, valid, -(double)INFINITY, true);
    ranked->past = rank_of(ranked, 0, valid, (double)INFINITY, false);
    ranked->median_first = ranked->median_last = valid / 2;
}

bool clump_sweep_aim(const struct sweep_sample *sample, const struct clump_clip_params *clip,
                     struct sweep_room room, struct sweep_aim *aim, bool *worth)
{
    struct ranked ranked;
    *aim = (struct sweep_aim){.core_low = -(double)INFINITY, .core_high = (double)INFINITY};
    *worth = choose_units(sample, room, aim);
    if (!*worth)
        return true;
    uint64_t *keys = malloc(2 * sample->count * sizeof *keys);
    double(*sum)[3] = malloc(clip ? (sample->count + 1) * sizeof *sum : 1);
    if (keys && sum) {
        rank(sample, keys, &ranked);
        ranked.sum = sum;
        if (clip && ranked.first < ranked.past) {
            add_up(&ranked);
            *worth = choose_core(&ranked, clip, aim);
        }
        choose_bracket(sample, &ranked, aim);
        size_t tails = rank_of(&ranked, 0, ranked.valid, aim->core_low, true) + ranked.valid -
                       rank_of(&ranked, 0, ranked.valid, aim->core_high, false);
        size_t upper = rank_of(&ranked, 0, ranked.valid, aim->high, false);
        size_t lower = rank_of(&ranked, 0, ranked.valid, aim->low, true);
        /* Skewed pixels may have their median outside of the core. */
        bool meets = aim->low < aim->high || (aim->low == aim->high && aim->low > aim->core_low &&
                                              aim->high < aim->core_high);
        *worth = *worth && meets && room_for(sample, clip ? tails : 0, room.tails, &aim->tails) &&
                 room_for(sample, upper > lower ? upper - lower : 0, room.bracket, &aim->bracket);
    }
    free(sum);
    free(keys);
    return keys && sum;
}
