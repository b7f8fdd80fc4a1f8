/* SPDX-License-Identifier: MIT */
/*
 * Runs a case on everybody in turns: each gets a slice of time, round after round, until the
 * medians are steady or the time is up. What disturbs the machine disturbs all alike.
 */
#include "contest.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"

#define SLICES       8    /* parts of a contender's time, of which it gets one per round */
#define LEAST_ROUNDS 3    /* rounds before a median is believed to be steady */
#define SIDE_SHARE   0.25 /* of a contender's time: so much again for transfers, and for events */
#define SIDE_SIZE    0.2  /* of that time: for a size that is not the table's */
#define MOST_SIDE    20   /* runs with transfers at most, and runs with events */
#define WARM_UP_MS   50   /* a run longer than this needs no warm-up before each slice */
#define PAGE         4096
#define NOT_THERE    "the device has no fp64"

static enum clump_status run_once(const struct contest *contest, struct contender *c,
                                  const struct pair_input *in, struct pair_output *out, double *ms)
{
    double start = clump_now_ms();
    enum clump_status status = contest->pair.run(c->on->context, &contest->test, in, out);
    if (!status)
        status = clump_context_finish(c->on->context);
    *ms = clump_now_ms() - start;
    return status;
}

static void give_up(struct contender *c, enum bench_state state, const char *why)
{
    c->state = state;
    c->done = true;
    snprintf(c->message, sizeof c->message, "%s", why);
}

/* The first run: it builds kernels, and its result is what is compared. */
static void enter(struct contest *contest, struct contender *c)
{
    struct pair_output out = {0};
    clump_context *context = c->on->context;
    if (contest->test.type == CLUMP_F64 && !c->on->device->fp64) {
        give_up(c, BENCH_UNSUPPORTED, NOT_THERE);
        return;
    }
    enum clump_status status = pair_input_make(context, &contest->pair, &contest->test, &c->in);
    if (!status)
        status = clump_profile_start(context, true);
    if (!status)
        status = run_once(contest, c, &c->in, &out, &c->first_ms);
    if (!status)
        status = clump_profile_read(context, &c->first);
    clump_profile_start(context, false);
    if (status) {
        give_up(c, BENCH_FAILED, clump_status_text(status));
        pair_output_release(&out);
        return;
    }
    if (c->by == BENCH_REFERENCE) {
        contest->expected = out;
        samples_add(&c->wall, c->first_ms);
        return;
    }
    char difference[sizeof c->message] = "";
    if (!pair_compare(&contest->pair, &contest->test, &contest->contenders[0].in,
                      &contest->expected, &out, difference, sizeof difference))
        give_up(c, BENCH_DIFFERS, difference);
    pair_output_release(&out);
}

static void slice(const struct contest *contest, struct contender *c, double ms)
{
    struct pair_output out = {0};
    double took = 0, spent = 0;
    enum clump_status status = CLUMP_OK;
    if (c->by == BENCH_PEER) {
        if (peers_run(contest->peers, c->peer_index, ms, &c->wall, &c->on_device))
            give_up(c, BENCH_FAILED, "the peer's process failed");
        return;
    }
    bool warm_up = samples_summary(&c->wall).median < WARM_UP_MS;
    struct bench_energy energy = bench_energy_read(c->on->device);
    for (int run = warm_up ? -1 : 0; !status && (run < 1 || spent < ms); run++) {
        status = run_once(contest, c, &c->in, &out, &took);
        pair_output_release(&out);
        if (!status && run >= 0)
            samples_add(&c->wall, took);
        spent += run >= 0 ? took : 0;
        c->counted++;
    }
    c->joules += bench_energy_since(c->on->device, energy);
    if (status)
        give_up(c, BENCH_FAILED, clump_status_text(status));
}

static void take_turns(struct contest *contest)
{
    double ms = 1e3 * contest->settings->seconds * (contest->main ? 1 : SIDE_SIZE);
    unsigned least = contest->main ? contest->settings->runs : 1;
    for (unsigned round = 1, busy = 1; busy; round++) {
        busy = 0;
        for (size_t i = 0; i < contest->count; i++) {
            struct contender *c = &contest->contenders[i];
            if (c->by == BENCH_REFERENCE && c->wall.spent >= ms)
                c->done = true; /* the reference, which is slow, is known well enough */
            if (c->done)
                continue;
            slice(contest, c, ms / SLICES);
            bool enough = c->wall.count >= least && c->wall.spent >= ms;
            c->done |= enough || (round >= LEAST_ROUNDS && samples_summary(&c->wall).steady);
            busy += !c->done;
        }
    }
}

/* The image from host memory to the device, the run, and what it made back to the host. */
static enum clump_status run_with_transfers(const struct contest *contest, struct contender *c,
                                            void *pixels)
{
    const struct pair_case *test = &contest->test;
    struct pair_input in = c->in;
    struct pair_output out = {0};
    clump_image *wrapped = NULL;
    void *mapped;
    double start = clump_now_ms(), run_ms = 0;
    enum clump_status status =
        clump_image_wrap(c->on->context, test->type, test->rows, test->cols, pixels, &wrapped);
    double uploaded = clump_now_ms();
    in.image = wrapped;
    if (!status)
        status = run_once(contest, c, &in, &out, &run_ms);
    double ran = clump_now_ms();
    for (unsigned i = 0; i < out.image_count && !status; i++)
        status = clump_image_map(out.images[i].image, CLUMP_IMAGE_READ, &mapped);
    double end = clump_now_ms();
    for (unsigned i = 0; i < out.image_count && !status; i++)
        clump_image_unmap(out.images[i].image);
    pair_output_release(&out);
    clump_image_destroy(&wrapped);
    if (status)
        return status;
    samples_add(&c->upload, uploaded - start);
    samples_add(&c->download, end - ran);
    samples_add(&c->total, end - start);
    return CLUMP_OK;
}

static void time_transfers(const struct contest *contest, struct contender *c, double ms)
{
    const struct pair_case *test = &contest->test;
    size_t bytes = clump_type_row_bytes(test->type, test->cols) * (size_t)test->rows;
    void *pixels = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    enum clump_status status =
        pixels ? clump_image_download(c->in.image, pixels) : CLUMP_ERROR_MEMORY;
    for (int run = 0; run < MOST_SIDE && !status && (run < 2 || c->total.spent < ms); run++)
        status = run_with_transfers(contest, c, pixels);
    free(pixels);
    if (status)
        give_up(c, BENCH_FAILED, clump_status_text(status));
}

/* Device times have runs of their own, because events cost a little. */
static void time_events(const struct contest *contest, struct contender *c, double ms)
{
    struct pair_output out = {0};
    double took = 0, spent = 0;
    enum clump_status status = CLUMP_OK;
    for (int run = 0; run < MOST_SIDE && !status && (run < 2 || spent < ms); run++) {
        status = clump_profile_start(c->on->context, true);
        if (!status)
            status = run_once(contest, c, &c->in, &out, &took);
        if (!status)
            status = clump_profile_read(c->on->context, &c->usual);
        pair_output_release(&out);
        if (!status)
            samples_add(&c->on_device, c->usual.device_ms);
        spent += took;
    }
    clump_profile_start(c->on->context, false);
    if (status)
        give_up(c, BENCH_FAILED, clump_status_text(status));
}

static enum clump_status add_peers(struct contest *contest, struct bench_report *report)
{
    const struct contender *base = &contest->contenders[0];
    struct bench_peer *list = NULL;
    size_t more = 0;
    enum clump_status status = peers_load(contest->peers, contest->item->name, base->on->context,
                                          &base->in, &contest->expected, report, &list, &more);
    if (status)
        return status;
    struct contender *grown = realloc(contest->contenders, (contest->count + more) * sizeof *grown);
    if (grown)
        contest->contenders = grown;
    for (size_t i = 0; i < more && grown; i++)
        grown[contest->count++] = (struct contender){.by = BENCH_PEER,
                                                     .peer_index = i,
                                                     .peer = list[i],
                                                     .state = list[i].state,
                                                     .done = list[i].state == BENCH_DIFFERS};
    free(list);
    return grown ? CLUMP_OK : CLUMP_ERROR_MEMORY;
}

static void release(struct contest *contest)
{
    for (size_t i = 0; i < contest->count; i++) {
        struct contender *c = &contest->contenders[i];
        pair_input_release(&c->in);
        samples_release(&c->wall);
        samples_release(&c->upload);
        samples_release(&c->download);
        samples_release(&c->total);
        samples_release(&c->on_device);
    }
    pair_output_release(&contest->expected);
    free(contest->contenders);
}

static enum clump_status time_all(struct contest *contest, struct bench_report *report)
{
    double side = 1e3 * contest->settings->seconds * SIDE_SHARE * (contest->main ? 1 : SIDE_SIZE);
    enum clump_status status = CLUMP_OK;
    if (contest->peers && contest->main)
        status = add_peers(contest, report);
    if (status)
        return status;
    take_turns(contest);
    for (size_t i = 0; i < contest->count; i++) {
        struct contender *c = &contest->contenders[i];
        if (c->by == BENCH_DEVICE && c->state == BENCH_AGREES)
            time_transfers(contest, c, side);
        if (c->by == BENCH_DEVICE && c->state == BENCH_AGREES)
            time_events(contest, c, side);
    }
    return CLUMP_OK;
}

enum clump_status bench_contest(const struct bench_settings *settings,
                                const struct bench_case *item, uint64_t size,
                                struct bench_device *devices, size_t count, struct peers *peers,
                                struct bench_report *report, size_t *differ)
{
    struct contest contest = {.settings = settings, .item = item, .size = size, .peers = peers};
    contest.pair = bench_pair(item);
    contest.test = bench_test(item, size);
    if (*settings->image) {
        contest.pair.picture = bench_own_picture;
        contest.test = bench_own_test(item);
    }
    contest.main = size == settings->size;
    contest.contenders = calloc(count, sizeof *contest.contenders);
    if (!contest.contenders)
        return CLUMP_ERROR_MEMORY;
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i < count; i++) {
        struct contender *c = &contest.contenders[contest.count++];
        c->by = i ? BENCH_DEVICE : BENCH_REFERENCE;
        c->on = &devices[i];
        settings->tell("clump bench: %s on %s", item->name, c->on->device->name);
        enter(&contest, c);
        if (!i && c->state != BENCH_AGREES) { /* without a base nothing can be compared */
            status = CLUMP_ERROR_ARGUMENT;
            break;
        }
    }
    if (!status && !settings->agree_only)
        status = time_all(&contest, report);
    if (!status)
        status = bench_rows(&contest, report, differ);
    release(&contest);
    return status;
}
