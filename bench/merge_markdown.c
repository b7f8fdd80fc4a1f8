/* SPDX-License-Identifier: MIT */
/* Runs as Markdown, for a document. */
#include "merge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Text in a cell: a bar would end it. */
static void text(FILE *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '|')
            fputc('\\', out);
        fputc(*value, out);
    }
}

static void figure(FILE *out, double value)
{
    double size = fabs(value);
    if (!isfinite(value))
        fputs("–", out);
    else
        fprintf(out, "%.*f", size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0, value);
}

static void rule(FILE *out, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        fputs("|---", out);
    fputs("|\n", out);
}

static void devices(FILE *out, const struct bench_merge *merge)
{
    fputs(
        "| | device | platform, driver | machine | read, copy GB/s | FMA GFLOP/s f32, f64 | score "
        "| clump | date |\n",
        out);
    rule(out, 9);
    for (size_t i = 0; i < merge->entry_count; i++) {
        const struct bench_entry *entry = &merge->entries[i];
        const struct bench_report *run = &merge->runs[entry->run];
        const double *rate = entry->device->limits.rate;
        size_t missing;
        fprintf(out, "| %s | ", entry->id);
        text(out, entry->device->name);
        fputs(" | ", out);
        text(out, entry->device->platform);
        fputs(", ", out);
        text(out, entry->device->driver);
        fputs(" | ", out);
        text(out, run->environment.cpu);
        fprintf(out, ", %d cores | ", (int)run->environment.cores);
        figure(out, rate[BENCH_LIMIT_READ]);
        fputs(", ", out);
        figure(out, rate[BENCH_LIMIT_COPY]);
        fputs(" | ", out);
        figure(out, rate[BENCH_LIMIT_FMA_F32]);
        fputs(", ", out);
        figure(out, rate[BENCH_LIMIT_FMA_F64]);
        fputs(" | ", out);
        figure(out, bench_score(run, entry->device->index, &missing));
        fprintf(out, " | %s | %s |\n", run->environment.commit, run->environment.date);
    }
}

/* Median and its interval. */
static void time_cell(FILE *out, const struct bench_row *row, bool best)
{
    double ms = bench_median(row);
    const char *strong = best ? "**" : "";
    if (!(ms > 0)) {
        fputs(row ? " none |" : " – |", out);
        return;
    }
    fprintf(out, " %s", strong);
    figure(out, ms);
    fputs(strong, out);
    if (!isnan(row->wall.low)) {
        fputs(" (", out);
        figure(out, row->wall.low);
        fputs("–", out);
        figure(out, row->wall.high);
        fputc(')', out);
    }
    fprintf(out, "%s |", bench_device_above_wall(row) ? " !" : "");
}

static void times(FILE *out, const struct bench_merge *merge)
{
    size_t columns = bench_merge_columns(merge);
    fputs("\nMedian wall times in ms with their 95 % intervals, the fastest bold, and what is not "
          "told from it:\n\n| case | size "
          "|",
          out);
    for (size_t i = 0; i < columns; i++) {
        char head[24];
        bench_merge_head(merge, i, head);
        fprintf(out, " %s |", head);
    }
    fputc('\n', out);
    rule(out, columns + 2);
    for (size_t w = 0; w < merge->work_count; w++) {
        const struct bench_work *work = &merge->works[w];
        double reach = bench_merge_reach(merge, work);
        fprintf(out, "| %s | %" PRId64 " × %" PRId64 " %s |", work->name, work->rows, work->cols,
                work->type);
        for (size_t i = 0; i < columns; i++) {
            const struct bench_row *row = bench_merge_cell(merge, i, work);
            time_cell(out, row, i < merge->entry_count && bench_merge_is_best(row, reach));
        }
        fputc('\n', out);
    }
}

static void peer_heads(FILE *out, const struct bench_report *report, const char *letters)
{
    fprintf(out,
            "\nRun %s, times faster than what one would take instead (bold where the goal is "
            "reached):\n\n| case | peer | peer ms |",
            letters);
    for (size_t i = 0; i < report->device_count; i++)
        fprintf(out, " %s%d |", letters, (int)report->devices[i].index);
    fputs(" goal | remark |\n", out);
    rule(out, report->device_count + 5);
}

static void peers(FILE *out, const struct bench_report *report, const char *letters)
{
    bool started = false;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (row->by != BENCH_PEER || !bench_is_timed(row))
            continue;
        if (!started)
            peer_heads(out, report, letters);
        started = true;
        fprintf(out, "| %s | ", row->name);
        text(out, row->peer.name);
        fputs(" | ", out);
        figure(out, row->wall.median);
        fputs(" |", out);
        for (size_t d = 0; d < report->device_count; d++) {
            double ratio = bench_ratio_to(row, report->devices[d].index);
            const char *strong = ratio >= row->peer.goal ? "**" : "";
            fprintf(out, " %s", strong);
            figure(out, ratio);
            fprintf(out, "×%s |", strong);
        }
        fputc(' ', out);
        figure(out, row->peer.goal);
        fputs(" | ", out);
        text(out, row->peer.difference ? row->peer.difference : "");
        fputs(" |\n", out);
    }
}

void bench_merge_markdown(FILE *out, const struct bench_merge *merge)
{
    char sentence[600];
    devices(out, merge);
    bench_score_recipe(sentence, sizeof sentence);
    fprintf(out, "\n%s\n", sentence);
    times(out, merge);
    for (size_t run = 0; run < merge->count; run++) {
        char letters[8];
        bench_merge_letters(run, letters);
        peers(out, &merge->runs[run], letters);
    }
    for (size_t i = 0; bench_merge_warning(merge, i, sentence, sizeof sentence); i++)
        fprintf(out, "%s- Warning: %s.\n", i ? "" : "\n", sentence);
}
