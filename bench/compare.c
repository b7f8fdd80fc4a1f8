/* SPDX-License-Identifier: MIT */
/* Two reports, case by case: what became slower, beyond the noise of both. */
#include "bench.h"

#include <math.h>
#include <string.h>

#define LEAST_CHANGE 0.05 /* a smaller change is never told */
#define SAME_MACHINE 0.15 /* a change of the reference's times that needs no sentence */

/* How many devices of a report have this platform and type. */
static size_t like(const struct bench_report *report, const struct bench_device_info *device)
{
    size_t count = 0;
    for (size_t i = 0; i < report->device_count; i++)
        count += !strcmp(report->devices[i].platform, device->platform) &&
                 !strcmp(report->devices[i].type, device->type);
    return count;
}

/*
 * The device of `old` that is `device`: the one with its name and platform, for numbers may have
 * changed; else, as drivers rename devices, the only one of its platform and type, if it is the
 * only one in both. NULL: there is none.
 */
static const struct bench_device_info *former(const struct bench_report *report,
                                              const struct bench_device_info *device,
                                              const struct bench_report *old)
{
    const struct bench_device_info *renamed = NULL;
    for (size_t i = 0; i < old->device_count; i++) {
        const struct bench_device_info *other = &old->devices[i];
        if (strcmp(other->platform, device->platform))
            continue;
        if (!strcmp(other->name, device->name))
            return other;
        if (!strcmp(other->type, device->type))
            renamed = other;
    }
    return like(report, device) == 1 && like(old, device) == 1 ? renamed : NULL;
}

const struct bench_row *bench_former_row(const struct bench_report *report,
                                         const struct bench_row *row,
                                         const struct bench_report *old)
{
    const struct bench_device_info *device = bench_device_at(report, row->device);
    const struct bench_device_info *before = device ? former(report, device, old) : NULL;
    if (strcmp(report->image, old->image) || row->by == BENCH_PEER ||
        (row->by == BENCH_DEVICE && !before))
        return NULL;
    for (size_t i = 0; i < old->row_count; i++) {
        const struct bench_row *other = &old->rows[i];
        if (other->by == row->by && other->rows == row->rows && other->cols == row->cols &&
            (row->by == BENCH_REFERENCE || other->device == before->index) &&
            !strcmp(other->name, row->name) && !strcmp(other->type, row->type))
            return other;
    }
    return NULL;
}

/*
 * Medians move from run to run with what else the machine does; the fastest runs move less. So a
 * case is slower when its fastest run does not reach the former median, and faster the other way
 * round.
 */
int bench_verdict(const struct summary *now, const struct summary *before)
{
    if (now->min > before->median && now->median > before->median * (1 + LEAST_CHANGE))
        return 1;
    if (before->min > now->median && before->median > now->median * (1 + LEAST_CHANGE))
        return -1;
    return 0;
}

/* What the machine itself did: the median change of the reference, whose code hardly changes. */
static double machine_change(const struct bench_report *report, const struct bench_report *old)
{
    struct samples changes = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        double change = row->by == BENCH_REFERENCE
                            ? bench_median(row) / bench_median(bench_former_row(report, row, old))
                            : (double)NAN;
        if (change > 0)
            samples_add(&changes, change);
    }
    double median = changes.count ? samples_summary(&changes).median : (double)NAN;
    samples_release(&changes);
    return median;
}

/* A line for each device that has another name now, and for each that the other run lacks. */
static void print_devices(FILE *out, const struct bench_report *report,
                          const struct bench_report *old)
{
    for (size_t i = 0; i < report->device_count; i++) {
        const struct bench_device_info *now = &report->devices[i];
        const struct bench_device_info *before = former(report, now, old);
        if (!before)
            fprintf(out, "not compared: %s (%s) is not in the other run\n", now->name,
                    now->platform);
        else if (strcmp(before->name, now->name))
            fprintf(out, "taken for the same device, the only %s of %s: %s, formerly %s\n",
                    now->type, now->platform, now->name, before->name);
    }
    for (size_t i = 0; i < old->device_count; i++)
        if (!former(old, &old->devices[i], report))
            fprintf(out, "not compared: %s (%s) is not in this run\n", old->devices[i].name,
                    old->devices[i].platform);
}

static void print_change(FILE *out, const struct bench_report *report, const struct bench_row *row,
                         const struct bench_row *before, const char *change)
{
    char who[160];
    bench_who(report, row, who, sizeof who);
    fprintf(out, "%-7s %-20s %6d  %-24.24s %9.3f -> %9.3f ms  x%.2f\n", change, row->name,
            (int)row->size, who, before->wall.median, row->wall.median,
            row->wall.median / before->wall.median);
}

/* What the reference's change means for the others: it is told, and excuses nothing. */
static void print_machine(FILE *out, double machine)
{
    if (!(machine > 0))
        return;
    fprintf(out, "the reference took x%.2f of its former time", machine);
    if (machine > 1 + SAME_MACHINE)
        fputs(": the machine was slower, or busy, or the reference's code is; measure again before "
              "trusting either run",
              out);
    else if (machine < 1 - SAME_MACHINE)
        fputs(": the machine was faster, or less busy; what became slower may be hidden", out);
    fputc('\n', out);
}

size_t bench_compare(FILE *out, const struct bench_report *report, const struct bench_report *old,
                     size_t *compared)
{
    size_t slower = 0, faster = 0;
    *compared = 0;
    fprintf(out, "compared with %s of %s\n", old->environment.commit, old->environment.date);
    print_devices(out, report, old);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        const struct bench_row *before =
            row->by == BENCH_DEVICE ? bench_former_row(report, row, old) : NULL;
        bool untimed = report->agree_only && row->peer.state == BENCH_AGREES;
        if (!before || !bench_is_timed(before) || untimed) /* --agree measures no time */
            continue;
        ++*compared;
        if (!bench_is_timed(row)) {
            fprintf(out, "broken  %-20s %s\n", row->name,
                    row->peer.difference ? row->peer.difference : "");
            slower++;
            continue;
        }
        int change = bench_verdict(&row->wall, &before->wall);
        slower += change > 0;
        faster += change < 0;
        if (change)
            print_change(out, report, row, before, change > 0 ? "slower" : "faster");
    }
    fprintf(out, "%zu compared, %zu slower, %zu faster beyond the noise\n", *compared, slower,
            faster);
    print_machine(out, machine_change(report, old));
    return slower;
}
