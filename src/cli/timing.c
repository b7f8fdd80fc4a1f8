/* SPDX-License-Identifier: MIT */
/* --time: where the time of a file went. */
#include "run.h"

#include <math.h>
#include <time.h>

#include "progress.h"

double run_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void run_time_begin(struct run *run)
{
    if (!common.time)
        return;
    if (run->context)
        clump_profile_start(run->context, true);
    run->reading_ms = run->writing_ms = 0;
    run->begun_ms = run_now_ms();
}

/* What the context has counted so far; unknown times are NaN. */
static struct clump_profile counted(struct run *run)
{
    struct clump_profile profile = {.upload_ms = NAN, .download_ms = NAN};
    if (run->context)
        clump_profile_read(run->context, &profile);
    return profile;
}

double run_write_begin(struct run *run)
{
    if (!common.time)
        return 0;
    double downloads = counted(run).download_ms; /* waits: what is still computed is no writing */
    return run_now_ms() - (isnan(downloads) ? 0 : downloads);
}

void run_write_end(struct run *run, double begun)
{
    if (!common.time)
        return;
    double downloads = counted(run).download_ms;
    run->writing_ms += run_now_ms() - (isnan(downloads) ? 0 : downloads) - begun;
}

static double known(double ms) { return isnan(ms) ? 0 : ms; }

static void print_time(const char *word, double ms)
{
    if (isnan(ms))
        fprintf(stderr, " %s unknown,", word);
    else
        fprintf(stderr, " %s %.3f,", word, ms);
}

void run_time_end(struct run *run, json_t *json)
{
    if (!common.time)
        return;
    struct clump_profile profile = counted(run);
    double all = run_now_ms() - run->begun_ms;
    double others = run->reading_ms + run->writing_ms + profile.compile_ms +
                    known(profile.upload_ms) + known(profile.download_ms);
    const struct {
        const char *word;
        double ms;
    } times[] = {{"build", profile.compile_ms},     {"read", run->reading_ms},
                 {"upload", profile.upload_ms},     {"compute", fmax(all - others, 0)},
                 {"download", profile.download_ms}, {"write", run->writing_ms}};
    json_t *list = json_object();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_object_set_new(list, times[i].word, run_json_real(times[i].ms));
    json_object_set_new(json, "time", list);
    run->timed = true;
    if (run->context)
        clump_profile_start(run->context, false);
    if (common.json)
        return;
    progress_clear();
    fflush(stdout);
    fprintf(stderr, "clump %s: time in ms:", run->command->name);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        print_time(times[i].word, times[i].ms);
    fprintf(stderr, " in all %.3f\n", all);
}
