/* SPDX-License-Identifier: MIT */
/* Two reports, case by case: what became slower, beyond the noise of both. */
#include "bench.h"

#include <math.h>
#include <string.h>

#define LEAST_CHANGE 0.05 /* a smaller change is never told */

/* Devices are the same by name and platform: their numbers may have changed. */
static bool same_device(const struct bench_report *report, const struct bench_row *row,
                        const struct bench_report *old, const struct bench_row *old_row)
{
    const struct bench_device_info *a = bench_device_at(report, row->device);
    const struct bench_device_info *b = bench_device_at(old, old_row->device);
    return a && b && !strcmp(a->name, b->name) && !strcmp(a->platform, b->platform);
}

static const struct bench_row *find_old(const struct bench_report *report,
                                        const struct bench_row *row, const struct bench_report *old)
{
    for (size_t i = 0; i < old->row_count; i++) {
        const struct bench_row *other = &old->rows[i];
        if (other->by == row->by && other->size == row->size && !strcmp(other->name, row->name) &&
            (row->by == BENCH_REFERENCE || same_device(report, row, old, other)))
            return other;
    }
    return NULL;
}

/*
 * 1 for slower, -1 for faster, 0 for neither beyond the noise. Medians move from run to run with
 * what else the machine does; the fastest runs move less. A case is slower when its fastest run
 * does not reach the former median, after the change of the machine itself (the reference's) has
 * been taken out.
 */
static int verdict(const struct summary *now, const struct summary *before, double machine)
{
    double excuse = fmax(machine, 1), help = fmin(machine, 1);
    if (now->min > before->median * excuse &&
        now->median > before->median * excuse * (1 + LEAST_CHANGE))
        return 1;
    if (before->min * help > now->median &&
        before->median * help > now->median * (1 + LEAST_CHANGE))
        return -1;
    return 0;
}

/* What the machine itself did: the median change of the reference, whose code is the yardstick. */
static double machine_change(const struct bench_report *report, const struct bench_report *old)
{
    struct samples changes = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        double change = row->by == BENCH_REFERENCE
                            ? bench_median(row) / bench_median(find_old(report, row, old))
                            : (double)NAN;
        if (change > 0)
            samples_add(&changes, change);
    }
    double median = changes.count ? samples_summary(&changes).median : (double)NAN;
    samples_release(&changes);
    return median;
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

size_t bench_compare(FILE *out, const struct bench_report *report, const struct bench_report *old)
{
    size_t slower = 0, faster = 0, compared = 0;
    double machine = machine_change(report, old);
    fprintf(out, "compared with %s of %s\n", old->environment.commit, old->environment.date);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        const struct bench_row *before =
            row->by == BENCH_DEVICE ? find_old(report, row, old) : NULL;
        if (!before || !bench_is_timed(before))
            continue;
        if (!bench_is_timed(row)) {
            fprintf(out, "broken  %-20s %s\n", row->name,
                    row->peer.difference ? row->peer.difference : "");
            slower++;
            continue;
        }
        int change = verdict(&row->wall, &before->wall, machine > 0 ? machine : 1);
        compared++;
        slower += change > 0;
        faster += change < 0;
        if (change)
            print_change(out, report, row, before, change > 0 ? "slower" : "faster");
    }
    fprintf(out, "%zu compared, %zu slower, %zu faster beyond the noise", compared, slower, faster);
    if (machine > 0)
        fprintf(out, "; the reference took x%.2f of its former time", machine);
    fputc('\n', out);
    return slower;
}
