/* SPDX-License-Identifier: MIT */
/* Two reports, case by case: what became slower, beyond the noise of both. */
#include "bench.h"

#include <math.h>
#include <string.h>

#define LEAST_CHANGE 0.05 /* smaller ones are nobody's concern */

static const json_t *device_at(const json_t *report, const json_t *row)
{
    size_t i;
    json_t *device;
    json_array_foreach (json_object_get(report, "devices"), i, device)
        if (json_equal(json_object_get(device, "index"), json_object_get(row, "device")))
            return device;
    return NULL;
}

/* Devices are the same by name and platform: their numbers may have changed. */
static bool same_device(const json_t *report, const json_t *row, const json_t *old,
                        const json_t *old_row)
{
    const json_t *a = device_at(report, row), *b = device_at(old, old_row);
    return a && b && bench_is(a, "name", bench_text(b, "name")) &&
           bench_is(a, "platform", bench_text(b, "platform"));
}

static const json_t *find_old(const json_t *report, const json_t *row, const json_t *old)
{
    size_t i;
    json_t *other;
    json_array_foreach (json_object_get(old, "rows"), i, other) {
        if (!bench_is(other, "by", bench_text(row, "by")) ||
            !bench_is(other, "case", bench_text(row, "case")) ||
            !json_equal(json_object_get(other, "size"), json_object_get(row, "size")))
            continue;
        if (bench_is(row, "by", "reference") || same_device(report, row, old, other))
            return other;
    }
    return NULL;
}

/*
 * 1 slower, -1 faster, 0 neither beyond the noise. Medians move from run to run with what else
 * the machine does, the fastest runs less: slower is what, at its best, does not reach the
 * former median, after the machine's own change (the reference's) has been taken out.
 */
static int verdict(const json_t *now, const json_t *before, double machine)
{
    double least = bench_number(now, "min"), median = bench_number(now, "median");
    double former_least = bench_number(before, "min"), former = bench_number(before, "median");
    double excuse = fmax(machine, 1), help = fmin(machine, 1);
    if (least > former * excuse && median > former * excuse * (1 + LEAST_CHANGE))
        return 1;
    if (former_least * help > median && former * help > median * (1 + LEAST_CHANGE))
        return -1;
    return 0;
}

/* What the machine itself did: the median change of the reference, whose code is the measure. */
static double machine_change(const json_t *report, const json_t *old)
{
    struct samples changes = {0};
    size_t i;
    json_t *row;
    json_array_foreach (json_object_get(report, "rows"), i, row) {
        const json_t *other = bench_is(row, "by", "reference") ? find_old(report, row, old) : NULL;
        double change = bench_number(json_object_get(row, "wall"), "median") /
                        bench_number(json_object_get(other, "wall"), "median");
        if (change > 0)
            samples_add(&changes, change);
    }
    double median = changes.count ? samples_summary(&changes).median : NAN;
    samples_release(&changes);
    return median;
}

static void print_change(FILE *out, const json_t *report, const json_t *row, const json_t *now,
                         const json_t *before, const char *change)
{
    char who[160];
    bench_who(report, row, who, sizeof who);
    fprintf(out, "%-7s %-20s %6d  %-24.24s %9.3f -> %9.3f ms  x%.2f\n", change,
            bench_text(row, "case"), (int)json_integer_value(json_object_get(row, "size")), who,
            bench_number(before, "median"), bench_number(now, "median"),
            bench_number(now, "median") / bench_number(before, "median"));
}

size_t bench_compare(FILE *out, const json_t *report, const json_t *old)
{
    size_t i, slower = 0, faster = 0, compared = 0;
    json_t *row;
    double machine = machine_change(report, old);
    fprintf(out, "compared with %s of %s\n",
            bench_text(json_object_get(old, "environment"), "commit"),
            bench_text(json_object_get(old, "environment"), "date"));
    json_array_foreach (json_object_get(report, "rows"), i, row) {
        const json_t *other = bench_is(row, "by", "device") ? find_old(report, row, old) : NULL;
        const json_t *now = json_object_get(row, "wall"), *before = json_object_get(other, "wall");
        if (before && !now) {
            fprintf(out, "broken  %-20s %s\n", bench_text(row, "case"),
                    bench_text(row, "difference"));
            slower++;
        }
        if (!before || !now)
            continue;
        int change = verdict(now, before, machine > 0 ? machine : 1);
        compared++;
        slower += change > 0;
        faster += change < 0;
        if (change)
            print_change(out, report, row, now, before, change > 0 ? "slower" : "faster");
    }
    fprintf(out, "%zu compared, %zu slower, %zu faster beyond the noise", compared, slower, faster);
    if (machine > 0)
        fprintf(out, "; the reference took x%.2f of its former time", machine);
    fputc('\n', out);
    return slower;
}
