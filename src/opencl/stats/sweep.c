/* SPDX-License-Identifier: MIT */
/*
 * Statistics of floats by one sweep (cl/stats/sweep.cl): a sample tells where to aim, the sweep
 * gives exact sums and the few pixels among which the median is. Two waits in all.
 */
#include "opencl/stats/stats.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/stats/radix_select.h"

/* As in cl/stats/sweep.cl. */
#define CHUNK    HISTOGRAM_CHUNK
#define SPAN     30
#define GROUPS   512
#define FRACTION 23
#define HEAD     8

#define SAMPLES_LESS                                                                               \
    4096 /* an image of less than twice as many is sampled whole: every pixel of a                 \
            smaller part would not tell of the rest */
#define SAMPLES_MOST 65536
#define SAMPLED      128 /* one pixel of so many */

#define SIGN       UINT32_C(0x80000000)
#define KEY_LEAST  UINT32_C(0x007fffff) /* of the infinities */
#define KEY_MOST   UINT32_C(0xff800000)
#define UNIT_LEAST -126 /* exponents */
#define UNIT_MOST  98
#define UNITS      (UNIT_MOST - UNIT_LEAST + 1)
#define ODD_MOST   8 /* a sweep does not pay if one in so many pixels is odd */

struct part {
    uint64_t sum, square_low, square_high;
    uint32_t below_low, to_low, to_high;
    float least, most;
    uint32_t blank;
};
static_assert(sizeof(struct part) == 48, "a part is as in cl/stats/sweep.cl");

/* Count, sum of d, sum of the low and of the high 32 bits of d^2. */
struct group {
    uint64_t count, d, square_low, square_high;
};

struct sweep {
    clump_context *context;
    const clump_image *image;
    struct keys keys;
    uint64_t n, chunks;
    uint32_t workers, samples, limit;
    uint64_t parts_at, list_at; /* in words of 64 bits */
    size_t bytes;
    cl_mem memory;
    int exponent;       /* of the unit */
    uint32_t low, high; /* keys */
    bool ties;          /* pixels that equal them are to be counted */
};

static enum clump_status out_of_memory(const struct sweep *sweep, size_t bytes)
{
    return clump_fail(&sweep->context->log, CLUMP_ERROR_MEMORY,
                      "statistics: no host memory for %zu bytes", bytes);
}

static enum clump_status kernel_of(const struct sweep *sweep, const char *name, cl_kernel *kernel)
{
    char options[64];
    snprintf(options, sizeof options, "-DKEYS -DT=float -DT_float -DVECTOR=%d -DTIES=%d",
             sweep->context->opencl->layout.vector >= 16 ? 16 : 8, sweep->ties);
    return clump_kernel(sweep->context, "stats/sweep", options, name, kernel);
}

/* How far, in ranks of the sample, the median may be from its middle: 3.3 standard deviations. */
static double reach_of(double samples) { return 3.3 * sqrt(samples) / 2 + 2; }

static struct sweep plan(clump_context *context, const clump_image *image)
{
    const struct layout *layout = &context->opencl->layout;
    struct sweep sweep = {.context = context,
                          .image = image,
                          .n = image->rows * image->cols,
                          .ties = true};
    uint64_t samples = sweep.n / SAMPLED;
    samples = samples > SAMPLES_LESS ? samples : SAMPLES_LESS;
    samples = samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
    samples = 2 * samples <= sweep.n ? samples : sweep.n;
    double listed = 2 * reach_of((double)samples) / (double)samples * (double)sweep.n;
    sweep.keys = clump_keys(CLUMP_F32);
    sweep.chunks = (sweep.n + CHUNK - 1) / CHUNK;
    sweep.workers = layout->coarse ? layout->workers : 1;
    sweep.samples = (uint32_t)samples;
    sweep.limit = (uint32_t)(1.5 * listed) + SAMPLES_LESS;
    sweep.parts_at = HEAD + (uint64_t)sweep.workers * GROUPS * sizeof(struct group) / 8;
    sweep.list_at = sweep.parts_at + sweep.chunks * sizeof(struct part) / 8;
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
    cl_kernel kernel;
    uint32_t zeros = (uint32_t)(sweep->context->opencl->layout.coarse ? HEAD : sweep->parts_at);
    enum clump_status status = kernel_of(sweep, "sweep_sample", &kernel);
    if (status)
        return status;
    uint32_t items = zeros > sweep->samples ? zeros : sweep->samples;
    return clump_launch_flat(sweep->context, kernel, items,
                             CLUMP_ARGS(clump_arg_part(sweep->image, sweep->samples),
                                        CLUMP_ARG(sweep->n), CLUMP_ARG(sweep->samples),
                                        CLUMP_ARG(zeros), CLUMP_ARG(sweep->list_at),
                                        CLUMP_ARG(sweep->memory)));
}

static enum clump_status launch_parts(const struct sweep *sweep)
{
    const struct layout *layout = &sweep->context->opencl->layout;
    float unit = ldexpf(1, sweep->exponent), scale = ldexpf(1, -sweep->exponent);
    float low = value_of(sweep->low), high = value_of(sweep->high);
    size_t group = layout->group, two = 2 * group, local = layout->coarse ? 1 : group;
    size_t global = layout->coarse ? sweep->workers : (size_t)sweep->chunks * local;
    cl_kernel parts, place;
    enum clump_status status = kernel_of(sweep, "sweep_parts", &parts);
    if (!status)
        status = kernel_of(sweep, "sweep_place", &place);
    if (!status)
        status = clump_launch(sweep->context, parts, 1, &global, &local,
                              CLUMP_ARGS(clump_arg_part(sweep->image, sweep->n),
                                         CLUMP_ARG(sweep->n), CLUMP_ARG(scale), CLUMP_ARG(unit),
                                         CLUMP_ARG(low), CLUMP_ARG(high), CLUMP_ARG(sweep->limit),
                                         CLUMP_ARG(sweep->parts_at), CLUMP_ARG(sweep->memory)));
    if (!status)
        status =
            clump_launch(sweep->context, place, 1, &two, &group,
                         CLUMP_ARGS(clump_arg_part(sweep->image, 2 * CHUNK), CLUMP_ARG(sweep->n),
                                    CLUMP_ARG(sweep->parts_at), CLUMP_ARG(sweep->memory)));
    return status;
}

/*
 * Chooses the unit of which the most keys are usual numbers, the middle one where there are many;
 * false if that leaves too many odd ones for a sweep to pay.
 */
static bool choose_unit(struct sweep *sweep, const uint32_t *sample)
{
    int change[UNITS + 1] = {0}, usual = 0, best = -1, first = 0, last = 0, zeros = 0, valid = 0;
    for (size_t i = 0; i < sweep->samples; i += 1 + sweep->samples / SAMPLES_LESS) {
        uint32_t bits = sample[i] & SIGN ? sample[i] ^ SIGN : ~sample[i];
        uint32_t whole = (bits & ((1u << FRACTION) - 1)) | 1u << FRACTION;
        int exponent = (int)((bits & ~SIGN) >> FRACTION);
        valid += sample[i] != UINT32_MAX;
        zeros += bits == 0;
        if (exponent == 0 || exponent == UINT8_MAX)
            continue;                                  /* zero, tiny, infinite, blank */
        int from = exponent - 126 - SPAN - UNIT_LEAST; /* just large enough */
        int past = from + SPAN - FRACTION + __builtin_ctz(whole);
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

/* Learns from the sample where the median is, with room for twice the sample. */
static void choose_bracket(struct sweep *sweep, const uint32_t *sample, uint32_t *room)
{
    struct unsorted_keys heap = {sample, sweep->samples, 0, UINT32_MAX};
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
    heap = clump_radix_select_between(heap, &first, &last, room, &next);
    sweep->low = clump_radix_select(heap, first, room + heap.n, &next);
    sweep->high = clump_radix_select(heap, last, room + heap.n, &next);
    size_t same = 0;
    for (size_t i = 0; i < sweep->samples; i++)
        same += (sample[i] == sweep->low) + (sample[i] == sweep->high);
    sweep->ties = same > 2;
}

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

/* What the sweep found, all of it. */
struct found {
    uint64_t count, blank, below, above; /* pixels that are not blank; blank; infinite */
    struct part part;                    /* of the whole image, but its sums */
    bool tiny;                           /* some are closer to 0 than normal numbers */
    const uint32_t *list;
    uint32_t listed;
};

/* Adds up the parts; the number of pixels in no group is known: usual ones, and blank ones. */
static void add_parts(const struct sweep *sweep, const struct part *parts, uint32_t listed,
                      struct exact_sums *moments, struct part *all)
{
    uint64_t high = 0, low = 0, usual;
    u128 sum = 0, bias = (u128)1 << SPAN;
    *all = (struct part){.least = INFINITY, .most = -INFINITY};
    for (uint64_t c = 0; c < sweep->chunks; c++) {
        const struct part *part = &parts[c];
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
    usual = moments->units.count -= all->blank;
    /* S(k) = S(k + b) - n b; S(k^2) = S((k + b)^2) - 2 b S(k + b) + n b^2 */
    moments->units.exponent = sweep->exponent;
    moments->units.sum = (i128)(sum - usual * bias);
    moments->units.square = ((u128)high << 32) + low - 2 * bias * sum + usual * bias * bias;
}

static void add_groups(const struct sweep *sweep, const struct group *groups, struct found *found,
                       struct exact_sums *moments)
{
    uint64_t odd = 0;
    for (uint32_t g = 0; g < GROUPS; g++) {
        struct exact_sums_bin bin = {.key = (uint64_t)g << FRACTION};
        for (uint32_t w = 0; w < sweep->workers; w++) {
            const struct group *group = &groups[(size_t)w * GROUPS + g];
            bin.count += group->count;
            bin.d += group->d;
            bin.square += ((u128)group->square_high << 32) + group->square_low;
        }
        odd += bin.count;
        if (g == 0) {
            found->below = bin.count;
        } else if (g == GROUPS - 1) { /* d is 0 for infinity, all ones for blank */
            found->blank = (uint64_t)bin.d / ((1u << FRACTION) - 1);
            found->above = bin.count - found->blank;
        } else if (bin.count > 0) {
            clump_exact_sums_add(moments, &bin);
        }
        found->tiny =
            found->tiny || (g == GROUPS / 2 - 1 && bin.count > 0) || (g == GROUPS / 2 && bin.d > 0);
    }
    moments->units.count = sweep->n - odd;
}

static bool is_tiny(float value) { return fabsf(value) < FLT_MIN; }

/* Whether what was found tells everything. */
static bool is_sound(const struct sweep *sweep, const struct found *found)
{
    const struct part *all = &found->part;
    if (found->count == 0)
        return true;
    if (found->listed > sweep->limit || all->least == INFINITY || all->most == -INFINITY)
        return false;
    if (found->tiny && (is_tiny(all->least) || is_tiny(all->most) ||
                        is_tiny(value_of(sweep->low)) || is_tiny(value_of(sweep->high))))
        return false; /* the device may have taken tiny pixels for zeros */
    return (found->count - 1) / 2 >= all->below_low && found->count / 2 < all->to_high;
}

/* Whether the counts fit together, of a sample that misled too; and where that did not, whether the
 * extremes were found in the image. */
static enum clump_status check(const struct sweep *sweep, const struct found *found,
                               const struct exact_sums *moments, const uint64_t *places, bool done)
{
    const struct part *all = &found->part;
    bool fits = moments->units.count <= sweep->n && found->blank <= sweep->n &&
                all->below_low <= all->to_low &&
                (uint64_t)all->to_low + found->listed <= all->to_high &&
                all->to_high <= found->count;
    if (fits && (!done || !found->count || (places[0] < sweep->n && places[1] < sweep->n)))
        return CLUMP_OK;
    return clump_fail(&sweep->context->log, CLUMP_ERROR_RESULT,
                      "statistics: what %s has counted of %" PRIu64 " pixels does not fit together"
                      ": its answer is not used; `clump devices --check` looks at all it does",
                      sweep->context->device.name, sweep->n);
}

static double median_of(const struct sweep *sweep, const struct found *found, uint32_t *room)
{
    uint64_t first = (found->count - 1) / 2, second = found->count / 2;
    uint64_t start = found->part.to_low, past = start + found->listed; /* ranks of the list */
    bool has_first = first >= start && first < past, has_second = second >= start && second < past;
    struct unsorted_keys heap = {found->list, found->listed, sweep->low, sweep->high};
    uint32_t a = first < start ? sweep->low : sweep->high, key = 0, next = 0;
    uint32_t b = second < start ? sweep->low : sweep->high;
    if (has_first || has_second)
        key = clump_radix_select(heap, has_first ? (size_t)(first - start) : 0, room, &next);
    if (has_first)
        a = key;
    if (has_second)
        b = has_first && second > first ? next : key;
    return clump_order_middle((double)value_of(a), (double)value_of(b));
}

static void set_figures(const struct sweep *sweep, const struct found *found,
                        const struct exact_sums *moments, const uint64_t *places, uint32_t ddof,
                        struct clump_stats_result *result)
{
    double nan = (double)NAN;
    *result = (struct clump_stats_result){.count = found->count, .blank = found->blank};
    result->min = result->max = result->median = result->mad = nan;
    clump_stats_sums(moments, found->below, found->above, ddof, result);
    if (found->count == 0)
        return;
    result->min = (double)found->part.least + 0.0; /* no negative zero */
    result->max = (double)found->part.most + 0.0;
    clump_stats_positions(sweep->image, (struct place){places[0], places[1]}, result);
}

/* Reads what the sweep left in memory. */
static enum clump_status conclude(const struct sweep *sweep, const uint64_t *memory, uint32_t *room,
                                  uint32_t ddof, struct clump_stats_result *result, bool *done)
{
    struct exact_sums moments;
    struct found found = {.listed = (uint32_t)memory[0]};
    found.list = (const uint32_t *)(const void *)(memory + sweep->list_at);
    if (!clump_exact_sums_create(&moments, &sweep->keys))
        return out_of_memory(sweep, moments.groups * sizeof *moments.group);
    add_groups(sweep, (const struct group *)(const void *)(memory + HEAD), &found, &moments);
    add_parts(sweep, (const struct part *)(const void *)(memory + sweep->parts_at), found.listed,
              &moments, &found.part);
    found.blank += found.part.blank;
    found.count = sweep->n - found.blank;
    *done = is_sound(sweep, &found);
    enum clump_status status = check(sweep, &found, &moments, memory + 1, *done);
    if (!status && !*done)
        clump_fall_back(sweep->context, "statistics: the sample misled the sweep: by a table");
    if (!status && *done) {
        set_figures(sweep, &found, &moments, memory + 1, ddof, result);
        if (found.count > 0)
            result->median = median_of(sweep, &found, room);
    }
    clump_exact_sums_destroy(&moments);
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
