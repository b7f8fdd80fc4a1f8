/* SPDX-License-Identifier: MIT */
/* A report as text, 100 columns at most. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define NAME_WIDTH   26
#define MOST_DEVICES 4 /* columns of the last table */

/* A figure with as many digits as it is worth, in `width` columns; NaN leaves them blank. */
static void figure(FILE *out, int width, double value)
{
    double size = fabs(value);
    if (isnan(value))
        fprintf(out, "%*s", width, "");
    else
        fprintf(out, "%*.*f", width,
                size < 9.9995   ? 3
                : size < 99.995 ? 2
                : size < 999.95 ? 1
                                : 0,
                value);
}

static void percent(FILE *out, int width, double value)
{
    if (isnan(value))
        fprintf(out, "%*s", width, "");
    else
        fprintf(out, "%*.*f%%", width - 1, value < 0.0995 ? 1 : 0, 100 * value);
}

/* Text cut to a width, with a mark where it was cut. */
static void word(FILE *out, int width, const char *text)
{
    if ((int)strlen(text) > width)
        fprintf(out, "%.*s~", width - 1, text);
    else
        fprintf(out, "%-*s", width, text);
}

static void print_devices(FILE *out, const json_t *report)
{
    size_t i;
    json_t *device;
    json_array_foreach (json_object_get(report, "devices"), i, device) {
        const json_t *limits = json_object_get(device, "limits");
        fprintf(out, "%d %s, %s, driver %s\n",
                (int)json_integer_value(json_object_get(device, "index")),
                bench_text(device, "name"), bench_text(device, "platform"),
                bench_text(device, "driver"));
        if (json_object_size(limits))
            fprintf(out,
                    "  reaches: reading %.1f GB/s, copying %.1f GB/s, FMA %.0f GFLOP/s in float, "
                    "%.0f in double\n",
                    bench_number(limits, "read_gbs"), bench_number(limits, "copy_gbs"),
                    bench_number(limits, "fma_f32"), bench_number(limits, "fma_f64"));
    }
}

static const json_t *case_of(const json_t *report, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(report, "cases"), i, item)
        if (bench_is(item, "name", name))
            return item;
    return NULL;
}

static void print_case(FILE *out, const json_t *report, const json_t *row)
{
    const char *name = bench_text(row, "case");
    fprintf(out, "%s: %s, %" PRId64 " x %" PRId64 " %s\n", name,
            bench_text(case_of(report, name), "about"),
            (int64_t)json_integer_value(json_object_get(row, "rows")),
            (int64_t)json_integer_value(json_object_get(row, "cols")), bench_text(row, "type"));
}

/* What stands where a time would: the difference, without a time. */
static bool print_untimed(FILE *out, const json_t *row)
{
    if (bench_is(row, "state", "agrees") || bench_is(row, "state", "other"))
        return false;
    fprintf(out, "%6s  %s\n", bench_is(row, "state", "differs") ? "NO" : bench_text(row, "state"),
            bench_text(row, "difference"));
    return true;
}

static void print_row(FILE *out, const json_t *report, const json_t *row)
{
    const json_t *wall = json_object_get(row, "wall");
    char who[160];
    bench_who(report, row, who, sizeof who);
    fputs("  ", out);
    word(out, NAME_WIDTH, who);
    if (print_untimed(out, row))
        return;
    bool reference = bench_is(row, "by", "reference");
    fprintf(out, "%6s", reference ? "-" : bench_is(row, "state", "other") ? "other" : "yes");
    if (wall) {
        figure(out, 10, bench_number(wall, "median"));
        percent(out, 7, bench_number(wall, "noise"));
        figure(out, 9, bench_number(row, "device_ms"));
        figure(out, 9, bench_number(json_object_get(row, "total"), "median"));
        figure(out, 7, bench_number(row, "gbs"));
        figure(out, 8, bench_number(row, "gflops"));
        percent(out, 6, bench_number(row, "limit"));
        figure(out, 9, reference ? NAN : bench_number(row, "speedup"));
    }
    fputc('\n', out);
}

static void print_results(FILE *out, const json_t *report)
{
    size_t i;
    json_t *row;
    const char *last = "";
    fprintf(out, "\n%-28s%6s%10s%7s%9s%9s%7s%8s%6s%9s\n", "", "agrees", "wall ms", "noise",
            "device", "+moves", "GB/s", "GFLOP/s", "limit", "x ref.");
    json_array_foreach (json_object_get(report, "rows"), i, row) {
        bool differs = !bench_is(row, "state", "agrees") && !bench_is(row, "state", "other");
        if (!json_is_true(json_object_get(row, "main")) && !differs)
            continue;
        if (strcmp(last, bench_text(row, "case")))
            print_case(out, report, row);
        last = bench_text(row, "case");
        print_row(out, report, row);
    }
}

/* Every figure of the devices' times, in ms, and the work that their kernels were given. */
static void print_times(FILE *out, const json_t *report)
{
    size_t i;
    json_t *row;
    fprintf(out, "\n%-22s%8s%8s%8s%8s%5s%8s%8s%7s%7s%4s%7s\n", "times of devices, ms", "min",
            "median", "mean", "std", "runs", "compile", "first", "upload", "downl.", "k.",
            "passes");
    json_array_foreach (json_object_get(report, "rows"), i, row) {
        const json_t *wall = json_object_get(row, "wall");
        if (!wall || !bench_is(row, "by", "device") || !json_is_true(json_object_get(row, "main")))
            continue;
        word(out, 19, bench_text(row, "case"));
        fprintf(out, "%2d ", (int)json_integer_value(json_object_get(row, "device")));
        figure(out, 8, bench_number(wall, "min"));
        figure(out, 8, bench_number(wall, "median"));
        figure(out, 8, bench_number(wall, "mean"));
        figure(out, 8, bench_number(wall, "std"));
        fprintf(out, "%5d", (int)json_integer_value(json_object_get(wall, "runs")));
        figure(out, 8, bench_number(row, "compile_ms"));
        figure(out, 8, bench_number(row, "first_ms"));
        figure(out, 7, bench_number(row, "upload_ms"));
        figure(out, 7, bench_number(row, "download_ms"));
        fprintf(out, "%4d", (int)json_integer_value(json_object_get(row, "launches")));
        figure(out, 7, bench_number(row, "passes"));
        fputc('\n', out);
    }
}

static double lesson_ratio(const json_t *report, const json_t *row)
{
    const json_t *lesson = json_object_get(case_of(report, bench_text(row, "case")), "lesson");
    return bench_number(lesson, "cpu_ms") / bench_number(lesson, "gpu_ms");
}

static double ratio_to(const json_t *row, int device)
{
    size_t i;
    json_t *entry;
    json_array_foreach (json_object_get(row, "ratios"), i, entry)
        if (json_integer_value(json_object_get(entry, "device")) == device)
            return bench_number(entry, "ratio");
    return NAN;
}

/* How many times longer the peers take than each device, beside the lesson's graphics card. */
static void print_ratios(FILE *out, const json_t *report)
{
    size_t i;
    json_t *row, *device, *devices = json_object_get(report, "devices");
    bool started = false;
    json_array_foreach (json_object_get(report, "rows"), i, row) {
        size_t d;
        if (!bench_is(row, "by", "peer") || !json_object_get(row, "wall"))
            continue;
        if (!started) {
            fprintf(out, "\n%-52s", "times faster than a peer: by device");
            for (d = 0; d < json_array_size(devices) && d < MOST_DEVICES; d++)
                fprintf(out, "%9d",
                        (int)json_integer_value(
                            json_object_get(json_array_get(devices, d), "index")));
            fprintf(out, "%7s%11s\n", "goal", "lesson, T4");
            started = true;
        }
        word(out, 21, bench_text(row, "case"));
        fputc(' ', out);
        word(out, 30, bench_text(row, "name"));
        json_array_foreach (devices, d, device) {
            if (d < MOST_DEVICES)
                figure(out, 9,
                       ratio_to(row, (int)json_integer_value(json_object_get(device, "index"))));
        }
        if (!isnan(bench_number(row, "goal")))
            fprintf(out, "%7g", bench_number(row, "goal"));
        else
            fprintf(out, "%7s", "");
        figure(out, 11, lesson_ratio(report, row));
        fputc('\n', out);
    }
}

static void print_notes(FILE *out, const json_t *report)
{
    bool timed = !json_is_true(json_object_get(json_object_get(report, "settings"), "agree_only"));
    if (!timed)
        return;
    fputs(
        "\nwall: median of a whole call, the image already on the device; noise: interquartile "
        "range / median;\n"
        "device: kernels alone, by events; +moves: with the image brought and the result taken "
        "back;\n"
        "limit: best time's share of the best the device reached; x ref.: times faster than the "
        "reference;\n"
        "k.: kernels launched; passes: bytes of images that these read and write, over those that "
        "they must.\n",
        out);
}

void bench_table(FILE *out, const json_t *report)
{
    const json_t *environment = json_object_get(report, "environment");
    fprintf(out, "clump %s (%s), %s, %d cores, %s\n", bench_text(environment, "clump"),
            bench_text(environment, "commit"), bench_text(environment, "cpu"),
            (int)json_integer_value(json_object_get(environment, "cores")),
            bench_text(environment, "date"));
    print_devices(out, report);
    print_results(out, report);
    if (!json_is_true(json_object_get(json_object_get(report, "settings"), "agree_only")))
        print_times(out, report);
    print_ratios(out, report);
    print_notes(out, report);
}
