/* SPDX-License-Identifier: MIT */
#include "opencl/stats/sweep.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/stats/radix_select.h"
#include "opencl/stats/stats.h"

#include "stats/sweep.h"

/*
 * How many pixels are sampled: one in SAMPLED, but at least SAMPLES_LEAST and at most SAMPLES_MOST.
 * An image of fewer than 2 * SAMPLES_LEAST pixels is sampled whole.
 */
#define SAMPLED       128
#define SAMPLES_LEAST 4096
#define SAMPLES_MOST  65536

#define SIGN       UINT32_C(0x80000000)
#define KEY_LEAST  UINT32_C(0x007fffff) /* the keys of the infinities */
#define KEY_MOST   UINT32_C(0xff800000)
#define UNIT_LEAST -126 /* the least and the greatest exponent of a unit */
#define UNIT_MOST  98
#define UNITS      (UNIT_MOST - UNIT_LEAST + 1)
#define ODD_MOST   8 /* a sweep does not pay if more than one in so many pixels is odd */

static_assert(sizeof(struct sweep_group) == 32, "sweep_group is laid out otherwise on the device");
static_assert(sizeof(struct sweep_part) == 48 && offsetof(struct sweep_part, least) == 36,
              "sweep_part is laid out otherwise on the device");
static_assert(sizeof(struct sweep_sample_args) == 24,
              "sweep_sample_args is laid out otherwise on the device");
static_assert(sizeof(struct sweep_parts_args) == 40 &&
                  offsetof(struct sweep_parts_args, limit) == 32,
              "sweep_parts_args is laid out otherwise on the device");

struct sweep {
    clump_context *context;
    const clump_image *image;
    struct keys keys;
    uint64_t n, chunks;
    uint32_t workers, samples, limit;
    uint64_t parts_at, list_at; /* where parts and list start in the memory, in words of 64 bits */
    size_t bytes;
    cl_mem memory;
    int exponent;       /* the unit is 2^exponent */
    uint32_t low, high; /* the keys of the bracket */
    bool ties;          /* whether to count the pixels equal to low or high */
};

static enum clump_status out_of_memory(const struct sweep *sweep, size_t bytes)
{
    return clump_fail(&sweep->context->log, CLUMP_ERROR_MEMORY,
                      "statistics: cannot allocate %zu bytes of host memory", bytes);
}

static enum clump_status kernel_of(const struct sweep *sweep, const char *name, cl_kernel *kernel)
{
    char options[64];
    snprintf(options, sizeof options, "-DT=float -DT_float -DVECTOR=%d -DTIES=%d",
             sweep->context->opencl->layout.vector >= 16 ? 16 : 8, sweep->ties);
    return clump_kernel(sweep->context, "stats/sweep", options, name, kernel);
}

/*
 * How far the image's median may lie from the middle of the sample, in ranks of the sample: 3.3
 * standard deviations, and 2 for good measure. See docs/statistics.md, "Sample and bracket".
 */
static double reach_of(double samples) { return 3.3 * sqrt(samples) / 2 + 2; }

/* Decides how many pixels are sampled, and where everything lies in the memory. */
static struct sweep plan(clump_context *context, const clump_image *image)
{
    const struct layout *layout = &context->opencl->layout;
    struct sweep sweep = {.context = context,
                          .image = image,
                          .n = image->rows * image->cols,
                          .ties = true};
    uint64_t samples = sweep.n / SAMPLED;
    samples = samples > SAMPLES_LEAST ? samples : SAMPLES_LEAST;
    samples = samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
    samples = 2 * samples <= sweep.n ? samples : sweep.n;
    double listed = 2 * reach_of((double)samples) / (double)samples * (double)sweep.n;
    sweep.keys = clump_keys(CLUMP_F32);
    sweep.chunks = (sweep.n + SWEEP_CHUNK - 1) / SWEEP_CHUNK;
    sweep.workers = layout->coarse ? layout->workers : 1;
    sweep.samples = (uint32_t)samples;
    sweep.limit = (uint32_t)(1.5 * listed) + SAMPLES_LEAST; /* more means that the sample misled */
    sweep.parts_at =
        SWEEP_HEAD + (uint64_t)sweep.workers * SWEEP_GROUPS * sizeof(struct sweep_group) / 8;
    sweep.list_at = sweep.parts_at + sweep.chunks * sizeof(struct sweep_part) / 8;
    uint64_t keys = sweep.limit > sweep.samples ? sweep.limit : sweep.samples;
    sweep.bytes = (size_t)(sweep.list_at * 8 + keys * sizeof(uint32_t));
    return sweep;
}

static float value_of(uint32_t key)
{
    uint32_t bits = key & SIGN ? key ^ SIGN : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static enum clump_status launch_sample(const struct sweep *sweep)
{
    bool coarse = sweep->context->opencl->layout.coarse; /* whose workers clear their own groups */
    struct sweep_sample_args args = {.n = sweep->n,
                                     .sample_at = sweep->list_at,
                                     .samples = sweep->samples,
                                     .zeros = (uint32_t)(coarse ? SWEEP_HEAD : sweep->parts_at)};
    uint32_t items = args.zeros > args.samples ? args.zeros : args.samples;
    cl_kernel kernel;
    enum clump_status status = kernel_of(sweep, "sweep_sample", &kernel);
    if (status)
        return status;
    return clump_launch_flat(sweep->context, kernel, items,
                             CLUMP_ARGS(clump_arg_part(sweep->image, sweep->samples),
                                        CLUMP_ARG(args), CLUMP_ARG(sweep->memory)));
}

static enum clump_status launch_parts(const struct sweep *sweep)
{
    const struct layout *layout = &sweep->context->opencl->layout;
    struct sweep_parts_args args = {.n = sweep->n,
                                    .parts_at = sweep->parts_at,
                                    .scale = ldexpf(1, -sweep->exponent),
                                    .unit = ldexpf(1, sweep->exponent),
                                    .low = value_of(sweep->low),
                                    .high = value_of(sweep->high),
                                    .limit = sweep->limit};
    size_t group = layout->group, two = 2 * group, local = layout->coarse ? 1 : group;
    size_t global = layout->coarse ? sweep->workers : (size_t)sweep->chunks * local;
    cl_kernel parts, place;
    enum clump_status status = kernel_of(sweep, "sweep_parts", &parts);
    if (!status)
        status = kernel_of(sweep, "sweep_place", &place);
    if (!status)
        status = clump_launch(sweep->context, parts, 1, &global, &local,
                              CLUMP_ARGS(clump_arg_part(sweep->image, sweep->n), CLUMP_ARG(args),
                                         CLUMP_ARG(sweep->memory)));
    if (!status)
        status = clump_launch(sweep->context, place, 1, &two, &group,
                              CLUMP_ARGS(clump_arg_part(sweep->image, 2 * SWEEP_CHUNK),
                                         CLUMP_ARG(sweep->n), CLUMP_ARG(sweep->parts_at),
                                         CLUMP_ARG(sweep->memory)));
    return status;
}

/*
 * Chooses the unit for which the most sampled pixels are usual; where several units serve as well,
 * the middle one of the first that do. A pixel m 2^e, m odd, is usual if the unit's exponent is not
 * above e and 2^SWEEP_SPAN units exceed it: each pixel adds one to a range of exponents. Returns
 * false if too many pixels would be odd.
 */
static bool choose_unit(struct sweep *sweep, const uint32_t *sample)
{
    int change[UNITS + 1] = {0}, usual = 0, best = -1, first = 0, last = 0, zeros = 0, valid = 0;
    for (size_t i = 0; i < sweep->samples; i += 1 + sweep->samples / SAMPLES_LEAST) {
        uint32_t bits = sample[i] & SIGN ? sample[i] ^ SIGN : ~sample[i];
        uint32_t whole = (bits & ((1u << SWEEP_FRACTION) - 1)) | 1u << SWEEP_FRACTION;
        int exponent = (int)((bits & ~SIGN) >> SWEEP_FRACTION);
        valid += sample[i] != UINT32_MAX;
        zeros += bits == 0;
        if (exponent == 0 || exponent == UINT8_MAX)
            continue; /* zero, tiny, infinite or blank */
        /* The first unit that is large enough, and one past the last that divides the pixel. */
        int from = exponent - 126 - SWEEP_SPAN - UNIT_LEAST;
        int past = from + SWEEP_SPAN - SWEEP_FRACTION + __builtin_ctz(whole);
        change[from < 0 ? 0 : from]++;
        change[past < 0 ? 0 : past < UNITS ? past : UNITS]--;
    }
    for (int i = 0; i < UNITS; i++) {
        usual += change[i];
        first = usual > best ? i : first;
        last = usual > best || (usual == best && last == i - 1) ? i : last;
        best = usual > best ? usual : best;
    }
    sweep->exponent = UNIT_LEAST + (first + last) / 2;
    return valid - zeros - best <= valid / ODD_MOST;
}

/* Chooses the bracket of the median. `room` has room for twice the sample and one key. */
static void choose_bracket(struct sweep *sweep, const uint32_t *sample, uint32_t *room)
{
    struct unsorted_keys unsorted = {sample, sweep->samples, 0, UINT32_MAX};
    size_t valid = 0;
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < sweep->samples; i++)
        valid += sample[i] != UINT32_MAX;
    size_t reach = (size_t)reach_of((double)valid);
    sweep->low = KEY_LEAST;
    sweep->high = KEY_MOST;
    if (valid / 2 < reach || valid / 2 + reach >= valid)
        return;
    size_t first = valid / 2 - reach, last = valid / 2 + reach;
    unsorted = clump_radix_select_between(unsorted, &first, &last, room, &next);
    sweep->low = clump_radix_select(unsorted, first, room + unsorted.n, &next);
    sweep->high = clump_radix_select(unsorted, last, room + unsorted.n, &next);
    size_t same = 0;
    for (size_t i = 0; i < sweep->samples; i++)
        same += (sample[i] == sweep->low) + (sample[i] == sweep->high);
    sweep->ties = same > 2;
}

/* Samples the image and chooses unit and bracket. *worth becomes false if a sweep does not pay. */
static enum clump_status take_sample(struct sweep *sweep, uint32_t *room, bool *worth)
{
    void *mapped;
    size_t bytes = (size_t)sweep->list_at * 8 + sweep->samples * sizeof(uint32_t);
    enum clump_status status = launch_sample(sweep);
    if (!status)
        status = clump_buffer_map(sweep->context, sweep->memory, CLUMP_IMAGE_READ, bytes, &mapped);
    if (status)
        return status;
    const uint64_t *words = mapped;
    const uint32_t *sample = (const uint32_t *)(const void *)(words + sweep->list_at);
    *worth = choose_unit(sweep, sample);
    if (*worth)
        choose_bracket(sweep, sample, room);
    return clump_buffer_unmap(sweep->context, sweep->memory, mapped);
}

/* What the sweep has found. */
struct found {
    uint64_t count, blank;  /* pixels that are not blank; blank ones */
    uint64_t below, above;  /* pixels at minus and plus infinity */
    struct sweep_part part; /* of the whole image; its sums are not used */
    bool tiny;              /* whether some pixels are tiny (subnormal) */
    const uint32_t *list;
    uint32_t listed;
};

/* Adds up the parts. On entry sums->units.count is the number of pixels that are in no group: the
 * usual ones, and the blank ones that the parts have counted. */
static void add_parts(const struct sweep *sweep, const struct sweep_part *parts, uint32_t listed,
                      struct exact_sums *sums, struct sweep_part *all)
{
    uint64_t high = 0, low = 0, usual;
    uint128 sum = 0, bias = (uint128)1 << SWEEP_SPAN;
    *all = (struct sweep_part){.least = INFINITY, .most = -INFINITY};
    for (uint64_t c = 0; c < sweep->chunks; c++) {
        const struct sweep_part *part = &parts[c];
        sum += part->sum;
        low += part->square_low;
        high += part->square_high;
        all->below_low += part->below_low;
        all->to_low += part->to_low;
        all->to_high += part->to_high;
        all->least = part->least < all->least ? part->least : all->least;
        all->most = part->most > all->most ? part->most : all->most;
        all->blank += part->blank;
    }
    if (!sweep->ties) {
        all->below_low = all->to_low;
        all->to_high = all->to_low + listed;
    }
    usual = sums->units.count -= all->blank;
    /* S(k) = S(k + b) - n b; S(k^2) = S((k + b)^2) - 2 b S(k + b) + n b^2 */
    sums->units.exponent = sweep->exponent;
    sums->units.sum = (int128)(sum - usual * bias);
    sums->units.square = ((uint128)high << 32) + low - 2 * bias * sum + usual * bias * bias;
}

/* Adds up the groups of all workers, and counts the pixels that are in no group. */
static void add_groups(const struct sweep *sweep, const struct sweep_group *groups,
                       struct found *found, struct exact_sums *sums)
{
    uint64_t odd = 0;
    for (uint32_t g = 0; g < SWEEP_GROUPS; g++) {
        struct exact_sums_bin bin = {.key = (uint64_t)g << SWEEP_FRACTION};
        for (uint32_t w = 0; w < sweep->workers; w++) {
            const struct sweep_group *group = &groups[(size_t)w * SWEEP_GROUPS + g];
            bin.count += group->count;
            bin.d += group->d;
            bin.square += ((uint128)group->square_high << 32) + group->square_low;
        }
        odd += bin.count;
        if (g == 0) {
            found->below = bin.count;
        } else if (g == SWEEP_GROUPS - 1) { /* d is 0 for infinity and all ones for a blank pixel */
            found->blank = (uint64_t)bin.d / ((1u << SWEEP_FRACTION) - 1);
            found->above = bin.count - found->blank;
        } else if (bin.count > 0) {
            clump_exact_sums_add(sums, &bin);
        }
        found->tiny = found->tiny || (g == SWEEP_GROUPS / 2 - 1 && bin.count > 0) ||
                      (g == SWEEP_GROUPS / 2 && bin.d > 0);
    }
    sums->units.count = sweep->n - odd;
}

static bool is_tiny(float value) { return fabsf(value) < FLT_MIN; }

/* Tells whether the figures follow from what was found. If not, the sample misled. */
static bool is_sound(const struct sweep *sweep, const struct found *found)
{
    const struct sweep_part *all = &found->part;
    if (found->count == 0)
        return true;
    if (found->listed > sweep->limit || all->least == INFINITY || all->most == -INFINITY)
        return false;
    if (found->tiny && (is_tiny(all->least) || is_tiny(all->most) ||
                        is_tiny(value_of(sweep->low)) || is_tiny(value_of(sweep->high))))
        return false; /* the device may take tiny pixels for zeros: its comparisons are of no use */
    return (found->count - 1) / 2 >= all->below_low && found->count / 2 < all->to_high;
}

/*
 * Fails if the counts contradict each other: they must not, even if the sample misled. If it did
 * not
 * (`done`), the extreme pixels must have been found in the image too.
 */
static enum clump_status check(const struct sweep *sweep, const struct found *found,
                               const struct exact_sums *sums, const uint64_t *places, bool done)
{
    const struct sweep_part *all = &found->part;
    bool fits = sums->units.count <= sweep->n && found->blank <= sweep->n &&
                all->below_low <= all->to_low &&
                (uint64_t)all->to_low + found->listed <= all->to_high &&
                all->to_high <= found->count;
    if (fits && (!done || !found->count || (places[0] < sweep->n && places[1] < sweep->n)))
        return CLUMP_OK;
    return clump_fail(&sweep->context->log, CLUMP_ERROR_RESULT,
                      "statistics: the counts that %s has made of %" PRIu64
                      " pixels contradict each "
                      "other, so its answer is not used; `clump devices --check` tests the device",
                      sweep->context->device.name, sweep->n);
}

/* The median: the middle ranks fall on keys of the list, or on low or high themselves. */
static double median_of(const struct sweep *sweep, const struct found *found, uint32_t *room)
{
    uint64_t first = (found->count - 1) / 2, second = found->count / 2;
    uint64_t start = found->part.to_low,
             past = start + found->listed; /* ranks of the listed keys */
    bool has_first = first >= start && first < past, has_second = second >= start && second < past;
    struct unsorted_keys unsorted = {found->list, found->listed, sweep->low, sweep->high};
    uint32_t a = first < start ? sweep->low : sweep->high, key = 0, next = 0;
    uint32_t b = second < start ? sweep->low : sweep->high;
    if (has_first || has_second)
        key = clump_radix_select(unsorted, has_first ? (size_t)(first - start) : 0, room, &next);
    if (has_first)
        a = key;
    if (has_second)
        b = has_first && second > first ? next : key;
    return clump_order_middle((double)value_of(a), (double)value_of(b));
}

static void set_figures(const struct sweep *sweep, const struct found *found,
                        const struct exact_sums *sums, const uint64_t *places, uint32_t ddof,
                        struct clump_stats_result *result)
{
    double nan = (double)NAN;
    *result = (struct clump_stats_result){.count = found->count, .blank = found->blank};
    result->min = result->max = result->median = result->mad = nan;
    clump_stats_sums(sums, found->below, found->above, ddof, result);
    if (found->count == 0)
        return;
    result->min = (double)found->part.least + 0.0; /* makes -0 0 */
    result->max = (double)found->part.most + 0.0;
    clump_stats_positions(sweep->image, (struct histogram_place){places[0], places[1]}, result);
}

/* Makes the figures of what the sweep has left in the memory. */
static enum clump_status conclude(const struct sweep *sweep, const uint64_t *memory, uint32_t *room,
                                  uint32_t ddof, struct clump_stats_result *result, bool *done)
{
    struct exact_sums sums;
    struct found found = {.listed = (uint32_t)memory[SWEEP_LISTED]};
    found.list = (const uint32_t *)(const void *)(memory + sweep->list_at);
    if (!clump_exact_sums_create(&sums, &sweep->keys))
        return out_of_memory(sweep, sums.groups * sizeof *sums.group);
    add_groups(sweep, (const struct sweep_group *)(const void *)(memory + SWEEP_HEAD), &found,
               &sums);
    add_parts(sweep, (const struct sweep_part *)(const void *)(memory + sweep->parts_at),
              found.listed, &sums, &found.part);
    found.blank += found.part.blank;
    found.count = sweep->n - found.blank;
    *done = is_sound(sweep, &found);
    enum clump_status status = check(sweep, &found, &sums, memory + SWEEP_PLACES, *done);
    if (!status && !*done)
        clump_fall_back(sweep->context,
                        "statistics: the sample misled the sweep: the histogram answers");
    if (!status && *done) {
        set_figures(sweep, &found, &sums, memory + SWEEP_PLACES, ddof, result);
        if (found.count > 0)
            result->median = median_of(sweep, &found, room);
    }
    clump_exact_sums_destroy(&sums);
    return status;
}

static enum clump_status run(struct sweep *sweep, uint32_t *room, uint32_t ddof,
                             struct clump_stats_result *result, bool *done)
{
    bool worth = false;
    void *mapped = NULL;
    enum clump_status status = take_sample(sweep, room, &worth);
    if (status || !worth)
        return status;
    status = launch_parts(sweep);
    if (!status)
        status = clump_buffer_map(sweep->context, sweep->memory, CLUMP_IMAGE_READ, sweep->bytes,
                                  &mapped);
    if (status)
        return status;
    status = conclude(sweep, mapped, room, ddof, result, done);
    enum clump_status unmapped = clump_buffer_unmap(sweep->context, sweep->memory, mapped);
    return status ? status : unmapped;
}

enum clump_status clump_sweep(clump_context *context, const clump_image *image, uint32_t ddof,
                              struct clump_stats_result *result, bool *done)
{
    *done = false;
    if (image->type != CLUMP_F32 ||
        image->rows * image->cols > context->opencl->bounds.sweep_pixels)
        return CLUMP_OK;
    struct sweep sweep = plan(context, image);
    size_t keys = 2 * sweep.samples > sweep.limit ? 2 * sweep.samples : sweep.limit;
    size_t bytes = (keys + 1) * sizeof(uint32_t);
    uint32_t *room = malloc(bytes);
    enum clump_status status = room ? clump_buffer_borrow(context, sweep.bytes, &sweep.memory)
                                    : out_of_memory(&sweep, bytes);
    if (!status)
        status = run(&sweep, room, ddof, result, done);
    clump_buffer_return(context, &sweep.memory);
    free(room);
    return status;
}
