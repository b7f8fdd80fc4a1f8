/* SPDX-License-Identifier: MIT */
/* The runs of a folder, one after the other: where a case took a step, and at which commit. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

static int by_date(const void *a, const void *b)
{
    const struct bench_report *x = a, *y = b;
    return strcmp(x->environment.date, y->environment.date);
}

/* The latest earlier run that did the same work on the same device and kind of machine. */
static const struct bench_row *last_before(const struct bench_merge *merge, size_t run,
                                           const struct bench_row *row, size_t *at)
{
    for (size_t i = run; i-- > 0;) {
        const struct bench_report *old = &merge->runs[i];
        if (strcmp(old->environment.cpu, merge->runs[run].environment.cpu))
            continue;
        const struct bench_row *found = bench_former_row(&merge->runs[run], row, old);
        if (bench_is_timed(found)) {
            *at = i;
            return found;
        }
    }
    return NULL;
}

static void print_step(FILE *out, const struct bench_merge *merge, size_t run, size_t old,
                       const struct bench_row *row, const struct bench_row *before, int change)
{
    char who[160];
    bench_who(&merge->runs[run], row, who, sizeof who);
    fprintf(out, "%-7s %-20s %6d  %-20.20s %9.3f -> %9.3f ms  x%.2f  %s..%s\n",
            change > 0 ? "slower" : "faster", row->name, (int)row->size, who, before->wall.median,
            row->wall.median, row->wall.median / before->wall.median,
            merge->runs[old].environment.commit, merge->runs[run].environment.commit);
}

size_t bench_history(FILE *out, struct bench_merge *merge)
{
    size_t compared = 0, steps = 0;
    qsort(merge->runs, merge->count, sizeof *merge->runs, by_date);
    for (size_t run = 0; run < merge->count; run++) {
        const struct bench_report *report = &merge->runs[run];
        char text[512];
        fprintf(out, "%s  %s, clump %s, %zu rows\n", report->environment.date,
                report->environment.commit, report->environment.clump, report->row_count);
        for (size_t i = 0; bench_warning(report, i, text, sizeof text); i++)
            fprintf(out, "        warning: %s\n", text);
        for (size_t i = 0; i < report->row_count; i++) {
            const struct bench_row *row = &report->rows[i];
            size_t old = 0;
            const struct bench_row *before = row->by == BENCH_DEVICE && bench_is_timed(row)
                                                 ? last_before(merge, run, row, &old)
                                                 : NULL;
            if (!before)
                continue;
            int change = bench_verdict(&row->wall, &before->wall);
            compared++;
            steps += change != 0;
            if (change)
                print_step(out, merge, run, old, row, before, change);
        }
    }
    fprintf(out, "%zu runs, %zu compared, %zu steps beyond the noise\n", merge->count, compared,
            steps);
    return compared;
}
