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

#include "stats/sweep.h"

static_assert(sizeof(struct sweep_sample_args) == 24,
              "sweep_sample_args is laid out otherwise on the device");
static_assert(sizeof(struct sweep_parts_args) == 120 &&
                  offsetof(struct sweep_parts_args, bracket) == 104,
              "sweep_parts_args is laid out otherwise on the device");

static unsigned sums_of(const struct sweep *sweep)
{
    return sweep->histogram.order.keys.bits == 64 ? SWEEP_SUMS_64 : SWEEP_SUMS_32;
}

static unsigned part_words(const struct sweep *sweep) { return 2 * sums_of(sweep) + SWEEP_COUNTS; }

/* Words of 64 bits that a list of so many keys takes; entries of tails are twice as large. */
static uint64_t list_words(const struct sweep *sweep, uint64_t keys)
{
    return sweep->histogram.order.keys.bits == 64 ? keys : (keys + 1) / 2;
}

static enum clump_status parts_kernel(const struct sweep *sweep, const char *name,
                                      cl_kernel *kernel)
{
    char options[96];
    const char *text = clump_type_opencl(sweep->image->type);
    snprintf(options, sizeof options, "-DT=%s -DT_%s -DVECTOR=%d -DTIES=%d -DCLIP=%d", text, text,
             sweep->context->opencl->layout.vector >= 16 ? 16 : 8, sweep->aim.ties,
             sweep->clip != NULL);
    return clump_kernel(sweep->context, "stats/sweep", options, name, kernel);
}

/* Lays out the lists by what the sample has told, or by the most that it may tell. */
static void lay_out(struct sweep *sweep, uint64_t bracket, uint64_t tails)
{
    sweep->parts_at = SWEEP_HEAD;
    sweep->bracket_at = sweep->parts_at + sweep->chunks * part_words(sweep);
    sweep->tails_at = (sweep->bracket_at + list_words(sweep, bracket) + 1) / 2 * 2;
    sweep->odd_at = sweep->tails_at + 2 * list_words(sweep, tails);
}

static size_t bytes_of(const struct sweep *sweep, uint64_t odd)
{
    return (size_t)(sweep->odd_at + list_words(sweep, odd)) * sizeof(uint64_t);
}

/* Borrows memory that is enough whatever the sample tells. */
static enum clump_status begin(struct sweep *sweep)
{
    sweep->n = sweep->image->rows * sweep->image->cols;
    sweep->chunks = (sweep->n + SWEEP_CHUNK - 1) / SWEEP_CHUNK;
    sweep->samples = clump_sweep_aim_samples(sweep->n);
    sweep->room = clump_sweep_aim_room(sweep->n);
    if (!sweep->clip)
        sweep->room.tails = 0;
    uint64_t bracket = sweep->room.bracket;
    lay_out(sweep, bracket > sweep->samples ? bracket : sweep->samples, sweep->room.tails);
    return clump_buffer_borrow(sweep->context, bytes_of(sweep, sweep->room.odd), &sweep->memory);
}

/* Samples the image and aims. *worth becomes false if a sweep does not pay. */
static enum clump_status take_sample(struct sweep *sweep, bool *worth)
{
    clump_context *context = sweep->context;
    struct sweep_sample sample = {sweep->histogram.order.keys, NULL, sweep->samples, sweep->n};
    struct sweep_sample_args args = {.n = sweep->n,
                                     .sample_at = sweep->bracket_at,
                                     .samples = sweep->samples,
                                     .zeros = SWEEP_HEAD};
    uint32_t items = args.zeros > args.samples ? args.zeros : args.samples;
    size_t bytes = (size_t)(sweep->bracket_at + list_words(sweep, args.samples)) * sizeof(uint64_t);
    cl_kernel kernel;
    void *mapped;
    enum clump_status status =
        clump_histogram_kernel(context, sweep->image->type, "stats/sweep_sample", "sweep_sample",
                               &kernel);
    if (!status)
        status = clump_launch_flat(context, kernel, items,
                                   CLUMP_ARGS(clump_arg_part(sweep->image, sweep->samples),
                                              CLUMP_ARG(args), CLUMP_ARG(sweep->memory)));
    if (!status)
        status = clump_buffer_map(context, sweep->memory, CLUMP_IMAGE_READ, bytes, &mapped);
    if (status)
        return status;
    sample.key = (const uint64_t *)mapped + sweep->bracket_at;
    if (!clump_sweep_aim(&sample, sweep->clip, sweep->room, &sweep->aim, worth))
        status = clump_histogram_out_of_memory(&sweep->histogram, bytes);
    enum clump_status unmapped = clump_buffer_unmap(context, sweep->memory, mapped);
    return status ? status : unmapped;
}

/* The bits of a number as the kernels take it. */
static uint64_t bits_of(const struct sweep *sweep, double value)
{
    uint64_t bits = 0;
    float narrow = (float)value;
    if (sweep->histogram.order.keys.bits == 64)
        memcpy(&bits, &value, sizeof value);
    else
        memcpy(&bits, &narrow, sizeof narrow);
    return bits;
}

static struct sweep_parts_args args_of(const struct sweep *sweep)
{
    const struct sweep_aim *aim = &sweep->aim;
    struct sweep_parts_args args = {.n = sweep->n,
                                    .parts_at = sweep->parts_at,
                                    .bracket_at = sweep->bracket_at,
                                    .tails_at = sweep->tails_at,
                                    .odd_at = sweep->odd_at,
                                    .low = bits_of(sweep, aim->low),
                                    .high = bits_of(sweep, aim->high),
                                    .core_low = bits_of(sweep, aim->core_low),
                                    .core_high = bits_of(sweep, aim->core_high),
                                    .bracket = aim->bracket,
                                    .tails = aim->tails,
                                    .odd = aim->odd};
    int part = sweep->histogram.order.keys.bits == 64 ? SWEEP_SPAN : 0; /* that scales leave */
    for (int u = 0; u < 2; u++) {
        args.scale[u] = bits_of(sweep, ldexp(1, -aim->exponent[u] - part));
        args.unit[u] = bits_of(sweep, ldexp(1, aim->exponent[u]));
    }
    return args;
}

static enum clump_status launch_parts(const struct sweep *sweep)
{
    const struct layout *layout = &sweep->context->opencl->layout;
    struct sweep_parts_args args = args_of(sweep);
    size_t group = layout->group, two = 2 * group, local = layout->coarse ? 1 : group;
    size_t global = layout->coarse ? layout->workers : (size_t)sweep->chunks * local;
    cl_kernel parts, place;
    enum clump_status status = parts_kernel(sweep, "sweep_parts", &parts);
    if (!status)
        status = parts_kernel(sweep, "sweep_place", &place);
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

/* Sums over all parts, each in 128 bits. */
struct added {
    uint128 sum[2][SWEEP_SUMS_64];
    uint64_t second;
};

static void add_parts(const struct sweep *sweep, struct added *added, struct sweep_counts *counts)
{
    unsigned sums = sums_of(sweep);
    *added = (struct added){.second = 0};
    counts->least = UINT64_MAX;
    for (uint64_t c = 0; c < sweep->chunks; c++) {
        const uint64_t *part = sweep->words + sweep->parts_at + c * part_words(sweep);
        for (unsigned j = 0; j < 2 * sums; j++)
            added->sum[j / sums][j % sums] += part[j];
        part += 2 * sums;
        added->second += (uint32_t)part[SWEEP_SECOND];
        counts->blank += part[SWEEP_SECOND] >> 32;
        counts->below_low += (uint32_t)part[SWEEP_BELOW];
        counts->to_low += part[SWEEP_BELOW] >> 32;
        counts->to_high += part[SWEEP_TO_HIGH];
        counts->least = part[SWEEP_LEAST] < counts->least ? part[SWEEP_LEAST] : counts->least;
        counts->most = part[SWEEP_MOST] > counts->most ? part[SWEEP_MOST] : counts->most;
    }
}

static void import(mpz_t value, uint128 from)
{
    const uint64_t words[2] = {(uint64_t)from, (uint64_t)(from >> 64)};
    mpz_import(value, 2, -1, sizeof *words, 0, 0, words);
}

/* A sum of products from those of their low and high 32 bits. */
static uint128 product(const uint128 *sum) { return sum[0] + (sum[1] << 32); }

/*
 * Sums of numbers from sums of biased numbers, b being the bias: S(x) = S(x + b) - n b, and
 * S(x y) = S((x + b)(y + b)) - b S(x + b) - b S(y + b) + n b^2. All of it is below 2^128.
 */
static int128 unbiased(uint128 sum, uint64_t n)
{
    return (int128)(sum - ((uint128)n << SWEEP_SPAN));
}

static int128 unbiased_product(uint128 products, uint128 x, uint128 y, uint64_t n)
{
    return (int128)(products - ((x + y) << SWEEP_SPAN) + ((uint128)n << 2 * SWEEP_SPAN));
}

/* Sets the sums of n pixels that are usual with a unit. */
static void set_units(const struct sweep *sweep, const uint128 *sum, uint64_t n,
                      struct exact_sums_units *units)
{
    units->given = true;
    units->count = n;
    if (sums_of(sweep) == SWEEP_SUMS_32) {
        uint128 square = (uint128)unbiased_product(product(sum + 1), sum[0], sum[0], n);
        units->sum = unbiased(sum[0], n);
        units->square[0] = (mp_limb_t)square;
        units->square[1] = (mp_limb_t)(square >> 64);
        return;
    }
    /* k = h 2^SPAN + l: S(k^2) = S(h^2) 2^(2 SPAN) + 2 S(h l) 2^SPAN + S(l^2) */
    int128 cross = unbiased_product(product(sum + 4), sum[0], sum[1], n);
    units->sum = unbiased(sum[0], n) * ((int128)1 << SWEEP_SPAN) + unbiased(sum[1], n);
    mpz_t total, term;
    mpz_inits(total, term, NULL);
    import(total, (uint128)unbiased_product(product(sum + 2), sum[0], sum[0], n));
    mpz_mul_2exp(total, total, SWEEP_SPAN - 1);
    import(term, cross < 0 ? -(uint128)cross : (uint128)cross);
    if (cross < 0)
        mpz_sub(total, total, term);
    else
        mpz_add(total, total, term);
    mpz_mul_2exp(total, total, SWEEP_SPAN + 1);
    import(term, (uint128)unbiased_product(product(sum + 6), sum[1], sum[1], n));
    mpz_add(total, total, term);
    mpz_export(units->square, NULL, -1, sizeof *units->square, 0, 0, total);
    mpz_clears(total, term, NULL);
}

#define TAKEN 256 /* odd pixels that are added at once */

/* Adds the odd pixels, and counts those that are infinite or tiny. */
static void add_odd(struct sweep *sweep, struct sweep_counts *counts)
{
    const struct keys *keys = &sweep->histogram.order.keys;
    uint64_t sign = UINT64_C(1) << (keys->bits - 1), infinite = sign - 1;
    infinite = infinite >> keys->fraction << keys->fraction; /* the bits of an infinity */
    uint64_t taken[TAKEN];
    size_t n = 0;
    for (size_t i = 0; i < counts->odd; i++) {
        uint64_t key = clump_histogram_read_key(keys, sweep->words + sweep->odd_at, i);
        uint64_t bits = key & sign ? key ^ sign : ~key & (sign - 1); /* without the sign */
        counts->below += bits == infinite && !(key & sign);
        counts->above += bits == infinite && key & sign;
        counts->tiny = counts->tiny || (bits && bits >> keys->fraction == 0);
        taken[n] = key;
        n += bits != infinite;
        if (n == TAKEN || i + 1 == counts->odd) {
            clump_exact_sums_add_keys(&sweep->sums, taken, n);
            n = 0;
        }
    }
}

/* Tells whether a number is so near to zero that a device may take it for another one. */
static bool is_tiny(const struct sweep *sweep, double value)
{
    return fabs(value) < (sweep->histogram.order.keys.bits == 64 ? DBL_MIN : (double)FLT_MIN);
}

/* Tells whether the counts mean what they say. If not, the sample misled. */
static bool is_sound(const struct sweep *sweep, const struct sweep_counts *counts)
{
    const struct sweep_aim *aim = &sweep->aim;
    const struct keys *keys = &sweep->histogram.order.keys;
    if (counts->bracket > aim->bracket || counts->tails > aim->tails || counts->odd > aim->odd)
        return false;
    if (counts->pixels > 0 && (clump_keys_infinite(keys, counts->least) > 0 ||
                               clump_keys_infinite(keys, counts->most) < 0))
        return false; /* all are infinities of one sign */
    return !counts->tiny || !(is_tiny(sweep, clump_keys_value(keys, counts->least)) ||
                              is_tiny(sweep, clump_keys_value(keys, counts->most)) ||
                              is_tiny(sweep, aim->low) || is_tiny(sweep, aim->high) ||
                              is_tiny(sweep, aim->core_low) || is_tiny(sweep, aim->core_high));
}

/* Fails, because the counts contradict each other: they must not, even if the sample misled. */
static enum clump_status contradiction(const struct sweep *sweep)
{
    return clump_fail(&sweep->context->log, CLUMP_ERROR_RESULT,
                      "statistics: the counts that %s has made of %" PRIu64
                      " pixels contradict each other, so its answer is not used; `clump devices "
                      "--check` tests the device",
                      sweep->context->device.name, sweep->n);
}

/* Makes sums and order of what the sweep has left in the memory. */
static enum clump_status conclude(struct sweep *sweep, bool *done)
{
    const uint32_t *head = (const uint32_t *)(const void *)sweep->words;
    struct sweep_counts counts = {.bracket = head[SWEEP_LISTED],
                                  .tails = head[SWEEP_TAILS],
                                  .odd = head[SWEEP_ODD]};
    struct added added;
    bool fits;
    add_parts(sweep, &added, &counts);
    if (counts.blank + added.second + counts.odd > sweep->n)
        return contradiction(sweep);
    counts.pixels = sweep->n - counts.blank;
    set_units(sweep, added.sum[0], counts.pixels - added.second - counts.odd,
              &sweep->sums.units[0]);
    set_units(sweep, added.sum[1], added.second, &sweep->sums.units[1]);
    for (int u = 0; u < 2; u++)
        sweep->sums.units[u].exponent = sweep->aim.exponent[u];
    if (counts.odd <= sweep->aim.odd)
        add_odd(sweep, &counts);
    *done = is_sound(sweep, &counts);
    if (!*done) {
        clump_fall_back(sweep->context, CLUMP_SWEEP_MISLED);
        return CLUMP_OK;
    }
    sweep->histogram.blank = counts.blank;
    sweep->histogram.least = counts.least;
    sweep->histogram.most = counts.most;
    sweep->place =
        (struct histogram_place){sweep->words[SWEEP_PLACES], sweep->words[SWEEP_PLACES + 1]};
    enum clump_status status = clump_sweep_order(sweep, &counts, &fits);
    if (!status && (!fits || (counts.pixels > 0 &&
                              (sweep->place.least >= sweep->n || sweep->place.most >= sweep->n))))
        status = contradiction(sweep);
    return status;
}

static enum clump_status run(struct sweep *sweep, bool *done)
{
    bool worth = false;
    void *mapped = NULL;
    enum clump_status status = begin(sweep);
    if (!status)
        status = take_sample(sweep, &worth);
    if (status || !worth)
        return status;
    lay_out(sweep, sweep->aim.bracket, sweep->aim.tails);
    status = launch_parts(sweep);
    if (!status)
        status = clump_buffer_map(sweep->context, sweep->memory, CLUMP_IMAGE_READ,
                                  bytes_of(sweep, sweep->aim.odd), &mapped);
    sweep->words = mapped;
    return status ? status : conclude(sweep, done);
}

enum clump_status clump_sweep_open(clump_context *context, const clump_image *image,
                                   const struct clump_clip_params *clip, struct sweep *sweep,
                                   bool *done)
{
    const unsigned types =
        1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_F32 | 1u << CLUMP_F64;
    *done = false;
    *sweep = (struct sweep){.context = context, .image = image, .clip = clip};
    sweep->histogram =
        (struct histogram){.context = context, .image = image, .n = image->rows * image->cols};
    sweep->histogram.order.keys = clump_keys(image->type);
    if (!(types >> image->type & 1) || sweep->histogram.n > context->opencl->bounds.sweep_pixels)
        return CLUMP_OK;
    if (!clump_exact_sums_create(&sweep->sums, &sweep->histogram.order.keys))
        return clump_histogram_out_of_memory(&sweep->histogram,
                                             sweep->sums.groups * sizeof *sweep->sums.group);
    return run(sweep, done);
}

enum clump_status clump_sweep_close(struct sweep *sweep)
{
    enum clump_status status = CLUMP_OK;
    if (sweep->words)
        status = clump_buffer_unmap(sweep->context, sweep->memory, (void *)sweep->words);
    sweep->words = NULL;
    clump_buffer_return(sweep->context, &sweep->memory);
    clump_exact_sums_destroy(&sweep->sums);
    clump_histogram_close(&sweep->histogram);
    return status;
}
