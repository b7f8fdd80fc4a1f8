/* SPDX-License-Identifier: MIT */
/* Several runs side by side, for a terminal. */
#include "merge.h"

#include <inttypes.h>
#include <math.h>

#include "text.h"

#define CASE_WIDTH   34
#define COLUMN_WIDTH 11
#define BLOCK        6 /* devices that fit into a line */

static void print_entry(FILE *out, const struct bench_merge *merge, const struct bench_entry *entry)
{
    const struct bench_environment *environment = &merge->runs[entry->run].environment;
    size_t missing;
    double score = bench_score(&merge->runs[entry->run], entry->device->index, &missing);
    fprintf(out, "%-4s %s, %s, driver %s\n", entry->id, entry->device->name,
            entry->device->platform, entry->device->driver);
    fprintf(out, "     on %s, %d cores, %s; clump %s (%s)\n", environment->cpu,
            (int)environment->cores, environment->date, environment->clump, environment->commit);
    if (!isnan(score))
        fprintf(out, "     score %.0f\n", score);
}

/* One cell: the median, with a star where no device is faster beyond the noise. */
static void print_cell(FILE *out, const struct bench_row *row, bool best)
{
    double ms = bench_median(row);
    if (ms > 0)
        text_figure(out, COLUMN_WIDTH - 1, ms);
    else
        fprintf(out, "%*s", COLUMN_WIDTH - 1,
                !row                               ? "-"
                : row->peer.state == BENCH_DIFFERS ? "NO"
                                                   : "none");
    fputc(best ? '*' : ' ', out);
}

static void print_block(FILE *out, const struct bench_merge *merge, size_t first)
{
    size_t columns = bench_merge_columns(merge);
    size_t end = first + BLOCK < columns ? first + BLOCK : columns;
    fprintf(out, "\n%-*s", CASE_WIDTH, "median wall times, ms");
    for (size_t i = first; i < end; i++) {
        char head[24];
        bench_merge_head(merge, i, head);
        fprintf(out, "%*s ", COLUMN_WIDTH - 1, head);
    }
    fputc('\n', out);
    for (size_t w = 0; w < merge->work_count; w++) {
        const struct bench_work *work = &merge->works[w];
        double reach = bench_merge_reach(merge, work);
        char name[80];
        snprintf(name, sizeof name, "%s %" PRId64 " x %" PRId64, work->name, work->rows,
                 work->cols);
        text_word(out, CASE_WIDTH, name);
        for (size_t i = first; i < end; i++) {
            const struct bench_row *row = bench_merge_cell(merge, i, work);
            print_cell(out, row, i < merge->entry_count && bench_merge_is_best(row, reach));
        }
        fputc('\n', out);
    }
}

void bench_merge_table(FILE *out, const struct bench_merge *merge)
{
    char text[600];
    bool scored = false;
    for (size_t i = 0; i < merge->entry_count; i++) {
        size_t missing;
        print_entry(out, merge, &merge->entries[i]);
        scored |= !isnan(bench_score(&merge->runs[merge->entries[i].run],
                                     merge->entries[i].device->index, &missing));
    }
    for (size_t first = 0; first < bench_merge_columns(merge); first += BLOCK)
        print_block(out, merge, first);
    fputs("\n*: the fastest of the row, and what the medians' 95 % intervals do not tell from it; "
          "-: this "
          "work\n   was not done; NO: the result was wrong; ref.: the run's own scalar reference, "
          "beside "
          "which\n   only devices of the same run may be put\n",
          out);
    bench_score_recipe(text, sizeof text);
    if (scored)
        text_sentence(out, "", text);
    for (size_t i = 0; bench_merge_warning(merge, i, text, sizeof text); i++)
        text_sentence(out, "warning: ", text);
}
