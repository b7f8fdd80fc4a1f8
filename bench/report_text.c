/* SPDX-License-Identifier: MIT */
/* A report as text, 100 columns at most. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text.h"

#define WIDTH        100
#define NAME_WIDTH   26
#define MOST_DEVICES 4 /* columns of the last table */

void text_figure(FILE *out, int width, double value)
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

void text_percent(FILE *out, int width, double value)
{
    if (isnan(value))
        fprintf(out, "%*s", width, "");
    else
        fprintf(out, "%*.*f%%", width - 1, value < 0.0995 ? 1 : 0, 100 * value);
}

void text_word(FILE *out, int width, const char *text)
{
    if ((int)strlen(text) > width)
        fprintf(out, "%.*s~", width - 1, text);
    else
        fprintf(out, "%-*s", width, text);
}

void text_sentence(FILE *out, const char *mark, const char *sentence)
{
    size_t at = strlen(mark), indent = at;
    fputs(mark, out);
    while (*sentence) {
        size_t length = strcspn(sentence, " ");
        if (at > indent && at + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", (int)length, sentence);
        at += length;
        sentence += length + strspn(sentence + length, " ");
    }
    fputc('\n', out);
}

static void print_devices(FILE *out, const struct bench_report *report)
{
    for (size_t i = 0; i < report->device_count; i++) {
        const struct bench_device_info *device = &report->devices[i];
        char text[512];
        fprintf(out, "%d %s, %s, driver %s\n", (int)device->index, device->name, device->platform,
                device->driver);
        bench_reaches(&device->limits, text, sizeof text);
        if (*text)
            text_sentence(out, "  reaches: ", text);
    }
}

static void print_case(FILE *out, const struct bench_report *report, const struct bench_row *row)
{
    const struct bench_case_info *item = bench_case_named(report, row->name);
    fprintf(out, "%s: %s, %" PRId64 " x %" PRId64 " %s\n", row->name, item ? item->about : "",
            row->rows, row->cols, row->type);
}

static bool has_result(const struct bench_row *row)
{
    return row->peer.state == BENCH_AGREES || row->peer.state == BENCH_OTHER;
}

/* The reason why there is no result, in the place of a time. */
static void print_untimed(FILE *out, const struct bench_row *row)
{
    const char *word = row->peer.state == BENCH_DIFFERS       ? "NO"
                       : row->peer.state == BENCH_UNSUPPORTED ? "unsupported"
                                                              : "failed";
    fprintf(out, "%6s  %s\n", word, row->peer.difference ? row->peer.difference : "");
}

static void print_row(FILE *out, const struct bench_report *report, const struct bench_row *row)
{
    bool reference = row->by == BENCH_REFERENCE;
    char who[160];
    bench_who(report, row, who, sizeof who);
    fputs("  ", out);
    text_word(out, NAME_WIDTH, who);
    if (!has_result(row)) {
        print_untimed(out, row);
        return;
    }
    fprintf(out, "%6s", reference ? "-" : row->peer.state == BENCH_OTHER ? "other" : "yes");
    if (bench_is_timed(row)) {
        text_figure(out, 10, row->wall.median);
        text_percent(out, 7, row->wall.noise);
        text_figure(out, 8, row->device_ms);
        fputc(bench_device_above_wall(row) ? '!' : ' ', out);
        text_figure(out, 9, row->total.runs > 0 ? row->total.median : (double)NAN);
        text_figure(out, 7, row->gbs);
        text_figure(out, 8, row->gflops);
        text_percent(out, 6, row->limit);
        text_figure(out, 9, reference ? (double)NAN : row->speedup);
    }
    fputc('\n', out);
}

static void print_results(FILE *out, const struct bench_report *report)
{
    const char *last = "";
    fprintf(out, "\n%-28s%6s%10s%7s%9s%9s%7s%8s%6s%9s\n", "", "agrees", "wall ms", "noise",
            "device", "+moves", "GB/s", "GFLOP/s", "limit", "x ref.");
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (!row->main && has_result(row))
            continue;
        if (strcmp(last, row->name))
            print_case(out, report, row);
        last = row->name;
        print_row(out, report, row);
    }
}

/* Every figure of the devices' times, in ms, and the work that their kernels were given. */
static void print_times(FILE *out, const struct bench_report *report)
{
    fprintf(out, "\n%-20s%8s%8s%8s%8s%8s%5s%8s%7s%7s%4s%7s\n", "times of devices, ms", "min",
            "median", "low", "high", "std", "runs", "first", "upload", "downl.", "k.", "passes");
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        const struct summary *wall = &row->wall;
        if (row->by != BENCH_DEVICE || !row->main || !bench_is_timed(row))
            continue;
        text_word(out, 18, row->name);
        fprintf(out, "%2d", (int)row->device);
        text_figure(out, 8, wall->min);
        text_figure(out, 8, wall->median);
        text_figure(out, 8, wall->low);
        text_figure(out, 8, wall->high);
        text_figure(out, 8, wall->std);
        fprintf(out, "%5d", (int)wall->runs);
        text_figure(out, 8, row->first_ms);
        text_figure(out, 7, row->upload_ms);
        text_figure(out, 7, row->download_ms);
        fprintf(out, "%4d", (int)(row->launches < 0 ? 0 : row->launches));
        text_figure(out, 7, row->passes);
        fputc('\n', out);
    }
}

/* How many times faster the lesson's graphics card is than its CPU; NaN: it does not say, or the
 * row is of another size, or of a package that the lesson does not use. */
static double lesson_ratio(const struct bench_report *report, const struct bench_row *row)
{
    const struct bench_case_info *item = bench_case_named(report, row->name);
    return item && item->lesson.gpu_ms > 0 && bench_is_lesson_peer(row)
               ? item->lesson.cpu_ms / item->lesson.gpu_ms
               : (double)NAN;
}

static void print_ratio_heads(FILE *out, const struct bench_report *report)
{
    fprintf(out, "\n%-52s", "times faster than a peer: by device");
    for (size_t d = 0; d < report->device_count && d < MOST_DEVICES; d++)
        fprintf(out, "%9d", (int)report->devices[d].index);
    fprintf(out, "%7s%11s\n", "goal", "lesson, T4");
}

/* How many times longer the peers take than each device, and what the lesson's card reaches. */
static void print_ratios(FILE *out, const struct bench_report *report)
{
    bool started = false;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (row->by != BENCH_PEER || !bench_is_timed(row))
            continue;
        if (!started)
            print_ratio_heads(out, report);
        started = true;
        text_word(out, 21, row->name);
        fputc(' ', out);
        text_word(out, 30, row->peer.name);
        for (size_t d = 0; d < report->device_count && d < MOST_DEVICES; d++)
            text_figure(out, 9, bench_ratio_to(row, report->devices[d].index));
        if (isnan(row->peer.goal))
            fprintf(out, "%7s", "");
        else
            fprintf(out, "%7g", row->peer.goal);
        text_figure(out, 11, lesson_ratio(report, row));
        fputc('\n', out);
    }
}

static void print_notes(FILE *out)
{
    fputs(
        "\nwall: median of a whole call, the image already on the device; low, high: its 95 % "
        "interval;\n"
        "noise: interquartile range / median, blank for one run; lesson, T4: its size, its "
        "packages;\n"
        "device: kernels alone, by events; +moves: with the image brought and the result taken "
        "back;\n"
        "limit: best time's share of the best the device reached; x ref.: times faster than the "
        "reference;\n"
        "k.: kernels launched; passes: bytes of images that these read and write, over those that "
        "they must.\n",
        out);
}

static void print_scores(FILE *out, const struct bench_report *report)
{
    char recipe[512];
    bool started = false;
    for (size_t i = 0; i < report->device_count; i++) {
        size_t missing;
        double score = bench_score(report, report->devices[i].index, &missing);
        if (isnan(score))
            continue;
        fprintf(out, "%sscore of %d %s: %.0f\n", started ? "" : "\n", (int)report->devices[i].index,
                report->devices[i].name, score);
        started = true;
    }
    bench_score_recipe(recipe, sizeof recipe);
    if (started)
        text_sentence(out, "", recipe);
}

void bench_table(FILE *out, const struct bench_report *report)
{
    const struct bench_environment *environment = &report->environment;
    char text[512];
    fprintf(out, "clump %s (%s), %s, %d cores, %s\n", environment->clump, environment->commit,
            environment->cpu, (int)environment->cores, environment->date);
    print_devices(out, report);
    print_results(out, report);
    if (!report->agree_only)
        print_times(out, report);
    print_ratios(out, report);
    if (report->agree_only)
        return;
    print_notes(out);
    print_scores(out, report);
    for (size_t i = 0; bench_warning(report, i, text, sizeof text); i++)
        text_sentence(out, "warning: ", text);
}
