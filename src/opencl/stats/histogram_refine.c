/* SPDX-License-Identifier: MIT */
#include "opencl/stats/histogram.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/stats/radix_sort.h"

static_assert(sizeof(struct histogram_gather_args) == 64 &&
                  offsetof(struct histogram_gather_args, span) == 32 &&
                  offsetof(struct histogram_gather_args, intervals) == 56,
              "histogram_gather_args is laid out otherwise on the device");
static_assert(HISTOGRAM_ZONES == 3, "cover() leaves two gaps");

/*
 * How many keys are gathered by one pass: of needed bins up to an eighth of the pixels, and with
 * hints no more than a 32nd, because a hint may turn out to be useless.
 */
static uint64_t needed_limit(const struct histogram *histogram) { return histogram->n / 8 + 65536; }
static uint64_t hint_limit(const struct histogram *histogram) { return histogram->n / 32 + 65536; }

/* The wanted bins as ascending intervals of keys; neighbouring bins are joined. */
struct chosen {
    uint64_t *interval; /* first and last key of each */
    size_t count;
    uint64_t keys; /* pixels in all of them */
};

/* Pixels of the bins that are wanted for one of the reasons `why`. */
static uint64_t count_wanted(const struct order *order, unsigned why)
{
    uint64_t keys = 0;
    for (size_t i = 0; i < order->count; i++)
        if (order->bin[i].wanted & why)
            keys += order->bin[i].sums.count;
    return keys;
}

/* No bin is wanted for these reasons any longer. */
static void forget(struct order *order, unsigned why)
{
    for (size_t i = 0; i < order->count; i++)
        order->bin[i].wanted &= ~why;
}

/* Lists the wanted bins. `chosen->interval` must be freed, after a failure too. */
static enum clump_status choose(struct histogram *histogram, struct chosen *chosen)
{
    size_t room = 0;
    for (size_t i = 0; i < histogram->order.count; i++)
        room += histogram->order.bin[i].wanted != 0;
    *chosen = (struct chosen){.interval = malloc((room + 1) * 2 * sizeof *chosen->interval)};
    if (!chosen->interval)
        return clump_histogram_out_of_memory(histogram, (room + 1) * 2 * sizeof *chosen->interval);
    for (size_t i = 0; i < histogram->order.count; i++) {
        const struct order_bin *bin = &histogram->order.bin[i];
        if (!bin->wanted)
            continue;
        uint64_t *last = chosen->interval + 2 * chosen->count;
        if (chosen->count > 0 && last[-1] + 1 == bin->first) {
            last -= 2;
        } else {
            last[0] = bin->first;
            chosen->count++;
        }
        last[1] = bin->last;
        chosen->keys += bin->sums.count;
    }
    return CLUMP_OK;
}

/*
 * Covers the intervals by three zones, so that most pixels are dismissed by three comparisons. The
 * gaps between the zones are the two gaps between intervals that have the most pixels.
 */
static void cover(struct histogram *histogram, const struct chosen *chosen,
                  struct histogram_gather_args *args)
{
    size_t cut[2] = {0, 0};   /* the interval after either gap; 0: no gap */
    uint64_t gap[2] = {0, 0}; /* pixels in it */
    for (size_t i = 1; i < chosen->count; i++) {
        const uint64_t *interval = chosen->interval + 2 * i;
        uint64_t between = clump_order_rank(&histogram->order, interval[0]) -
                           clump_order_rank(&histogram->order, (uint128)interval[-1] + 1);
        size_t least = gap[0] <= gap[1] ? 0 : 1;
        if (between > gap[least]) {
            gap[least] = between;
            cut[least] = i;
        }
    }
    size_t zone = 0, from = 0;
    for (size_t i = 1; i <= chosen->count; i++)
        if (i == chosen->count || i == cut[0] || i == cut[1]) {
            args->from[zone] = chosen->interval[2 * from];
            args->span[zone] = chosen->interval[2 * i - 1] + 1 - chosen->interval[2 * from];
            zone++;
            from = i;
        }
    /* A zone of all keys there are: their number is one more than a key can be, so it is halved. */
    uint64_t most = clump_keys_max(&histogram->order.keys);
    if (zone == 1 && args->span[0] == most + 1) {
        args->from[1] = args->span[0] = most / 2 + 1;
        args->span[1] = most - most / 2;
    }
}

static enum clump_status launch_gather(struct histogram *histogram, const struct chosen *chosen,
                                       cl_mem intervals, cl_mem out)
{
    struct histogram_gather_args args = {.n = histogram->n, /* spans of 0 keys: no zones */
                                         .intervals = (uint32_t)chosen->count,
                                         .limit = (uint32_t)chosen->keys};
    cl_kernel kernel;
    cover(histogram, chosen, &args);
    enum clump_status status =
        clump_histogram_kernel(histogram->context, histogram->image->type, "stats/histogram",
                               "histogram_gather", &kernel);
    if (status)
        return status;
    return clump_histogram_launch(histogram, kernel, clump_histogram_chunks(histogram->n),
                                  CLUMP_ARGS(CLUMP_ARG_IMAGE(histogram->image), CLUMP_ARG(args),
                                             CLUMP_ARG(intervals), CLUMP_ARG(out)));
}

/* Makes room for n keys and their sorting, which the histogram owns. */
static enum clump_status make_room(struct histogram *histogram, size_t n, uint64_t **keys)
{
    size_t bytes = sizeof(struct histogram_keys) + 2 * n * sizeof(uint64_t);
    struct histogram_keys *gathered = malloc(bytes);
    if (!gathered)
        return clump_histogram_out_of_memory(histogram, bytes);
    gathered->next = histogram->gathered;
    histogram->gathered = gathered;
    *keys = gathered->key;
    return CLUMP_OK;
}

/* Sorts the n keys that were gathered, and gives every wanted bin its own. */
static void hand_out(struct histogram *histogram, uint64_t *gathered, size_t n)
{
    uint64_t *keys = clump_radix_sort(gathered, gathered + n, n, histogram->order.keys.bits);
    for (size_t i = 0; i < histogram->order.count; i++) {
        struct order_bin *bin = &histogram->order.bin[i];
        if (!bin->wanted)
            continue;
        bin->keys = keys;
        keys += bin->sums.count;
    }
}

static enum clump_status take_found(struct histogram *histogram, const void *found, size_t n)
{
    uint64_t *keys = NULL;
    enum clump_status status = make_room(histogram, n, &keys);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        keys[i] = clump_histogram_read_key(&histogram->order.keys, found, i);
    hand_out(histogram, keys, n);
    return CLUMP_OK;
}

enum clump_status clump_histogram_take_keys(struct histogram *histogram, const uint64_t *keys,
                                            size_t n)
{
    uint64_t *own = NULL;
    enum clump_status status = make_room(histogram, n, &own);
    if (status)
        return status;
    if (n)
        memcpy(own, keys, n * sizeof *own);
    hand_out(histogram, own, n);
    return CLUMP_OK;
}

/* Writes the intervals to the device, as keys of the width that the kernels have. */
static enum clump_status upload(struct histogram *histogram, const struct chosen *chosen,
                                cl_mem intervals)
{
    void *mapped;
    size_t width = histogram->order.keys.bits / 8;
    enum clump_status status = clump_buffer_map(histogram->context, intervals, CLUMP_IMAGE_WRITE,
                                                chosen->count * 2 * width, &mapped);
    if (status)
        return status;
    for (size_t i = 0; i < 2 * chosen->count; i++) {
        if (width == sizeof(uint32_t))
            ((uint32_t *)mapped)[i] = (uint32_t)chosen->interval[i];
        else
            ((uint64_t *)mapped)[i] = chosen->interval[i];
    }
    return clump_buffer_unmap(histogram->context, intervals, mapped);
}

static enum clump_status gather_into(struct histogram *histogram, const struct chosen *chosen,
                                     cl_mem out)
{
    clump_context *context = histogram->context;
    size_t width = histogram->order.keys.bits / 8;
    cl_mem intervals = NULL;
    enum clump_status status = clump_buffer_borrow(context, chosen->count * 2 * width, &intervals);
    if (!status)
        status = upload(histogram, chosen, intervals);
    if (!status)
        status = clump_buffer_fill(context, out, 0, HISTOGRAM_HEAD);
    if (!status)
        status = launch_gather(histogram, chosen, intervals, out);
    clump_buffer_return(context, &intervals);
    return status;
}

/* Learns the keys of the wanted bins. */
static enum clump_status gather(struct histogram *histogram)
{
    clump_context *context = histogram->context;
    struct chosen chosen;
    cl_mem out = NULL;
    void *found = NULL;
    enum clump_status status = choose(histogram, &chosen);
    size_t bytes = HISTOGRAM_HEAD + (size_t)chosen.keys * histogram->order.keys.bits / 8;
    if (!status && chosen.keys > UINT32_MAX)
        status = clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                            "statistics: %" PRIu64
                            " pixels would have to be sorted, and at most %" PRIu32
                            " can be; crop the image to parts",
                            chosen.keys, UINT32_MAX);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &out);
    if (!status)
        status = gather_into(histogram, &chosen, out);
    if (!status)
        status = clump_buffer_map(context, out, CLUMP_IMAGE_READ, bytes, &found);
    if (!status) {
        status = clump_check_count(context, "statistics", "keys of the wanted bins",
                                   *(const uint32_t *)found, chosen.keys);
        if (!status)
            status =
                take_found(histogram, (const char *)found + HISTOGRAM_HEAD, (size_t)chosen.keys);
        enum clump_status unmapped = clump_buffer_unmap(context, out, found);
        status = status ? status : unmapped;
    }
    clump_buffer_return(context, &out);
    free(chosen.interval);
    return status;
}

enum clump_status clump_histogram_gather(struct histogram *histogram, const uint64_t *interval,
                                         size_t count, size_t room, uint64_t *keys, size_t *n)
{
    clump_context *context = histogram->context;
    const struct chosen chosen = {(uint64_t *)interval, count, room};
    size_t bytes = HISTOGRAM_HEAD + room * histogram->order.keys.bits / 8;
    cl_mem out = NULL;
    void *found = NULL;
    enum clump_status status = clump_buffer_borrow(context, bytes, &out);
    if (!status)
        status = gather_into(histogram, &chosen, out);
    if (!status)
        status = clump_buffer_map(context, out, CLUMP_IMAGE_READ, bytes, &found);
    if (!status) {
        *n = *(const uint32_t *)found;
        for (size_t i = 0; i < *n && i < room; i++)
            keys[i] = clump_histogram_read_key(&histogram->order.keys,
                                               (const char *)found + HISTOGRAM_HEAD, i);
        status = clump_buffer_unmap(context, out, found);
    }
    clump_buffer_return(context, &out);
    return status;
}

enum clump_status clump_histogram_wanted(struct histogram *histogram, uint64_t **interval,
                                         size_t *count, uint64_t *keys)
{
    struct chosen chosen;
    enum clump_status status = choose(histogram, &chosen);
    *interval = chosen.interval;
    *count = chosen.count;
    *keys = chosen.keys;
    return status;
}

void clump_histogram_plan(struct histogram *histogram, uint64_t hint, uint64_t needed, size_t *bin)
{
    struct order *order = &histogram->order;
    *bin = order->count;
    if (count_wanted(order, ORDER_HINT | ORDER_NEEDED) > hint)
        forget(order, ORDER_HINT);
    if (count_wanted(order, ORDER_HINT | ORDER_NEEDED) <= needed)
        return;
    for (size_t i = 0; i < order->count; i++)
        if (order->bin[i].wanted &&
            (*bin == order->count || order->bin[i].sums.count > order->bin[*bin].sums.count))
            *bin = i;
}

void clump_histogram_planned(struct histogram *histogram)
{
    forget(&histogram->order, ORDER_HINT | ORDER_NEEDED);
    histogram->order.guessed = false;
}

enum clump_status clump_histogram_refine(struct histogram *histogram)
{
    size_t bin;
    clump_histogram_plan(histogram, hint_limit(histogram), needed_limit(histogram), &bin);
    enum clump_status status =
        bin < histogram->order.count ? clump_histogram_split(histogram, bin) : gather(histogram);
    clump_histogram_planned(histogram);
    return status;
}

enum clump_status clump_histogram_refine_all(struct histogram *histogram)
{
    struct order *order = &histogram->order;
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i < order->count; i++)
        if (order->bin[i].first != order->bin[i].last && !order->bin[i].keys)
            order->bin[i].wanted = ORDER_NEEDED;
    if (count_wanted(order, ORDER_NEEDED) > 0)
        status = gather(histogram);
    forget(order, ORDER_NEEDED);
    return status;
}
