/* SPDX-License-Identifier: MIT */
#include "merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void bench_merge_letters(size_t run, char text[8])
{
    char back[8];
    size_t count = 0, at = 0;
    for (size_t rest = run + 1; rest && count < sizeof back - 1; rest = (rest - 1) / 26)
        back[count++] = (char)('A' + (rest - 1) % 26);
    while (count)
        text[at++] = back[--count];
    text[at] = 0;
}

static bool same_run(const struct bench_report *a, const struct bench_report *b)
{
    const struct bench_environment *x = &a->environment, *y = &b->environment;
    return !strcmp(x->date, y->date) && !strcmp(x->host, y->host) && !strcmp(x->cpu, y->cpu) &&
           !strcmp(x->commit, y->commit) && a->row_count == b->row_count;
}

static bool add_run(struct bench_merge *merge, const json_t *json, const char *path, char *problem,
                    size_t room)
{
    struct bench_report *grown = realloc(merge->runs, (merge->count + 1) * sizeof *grown);
    if (!grown) {
        snprintf(problem, room, "%s: out of memory", path);
        return false;
    }
    merge->runs = grown;
    struct bench_report *made = &grown[merge->count++];
    *made = (struct bench_report){0};
    if (!bench_read(json, path, made, problem, room))
        return false;
    for (size_t i = 0; i + 1 < merge->count; i++)
        if (same_run(&grown[i], made)) {
            char letters[8];
            bench_merge_letters(i, letters);
            snprintf(problem, room, "%s is run %s once more: of %s, on %s", path, letters,
                     made->environment.date, made->environment.cpu);
            return false;
        }
    return true;
}

bool bench_merge_add(struct bench_merge *merge, const char *path, char *problem, size_t room)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error), *run;
    const char *format = json_string_value(json_object_get(json, "format"));
    size_t i, count = 0;
    bool good = json;
    if (!json)
        snprintf(problem, room, "%s: %s", path, error.text);
    else if (!format || strcmp(format, BENCH_MERGE_FORMAT))
        good = add_run(merge, json, path, problem, room);
    else
        json_array_foreach (json_object_get(json, "runs"), i, run) {
            good = good && add_run(merge, run, path, problem, room);
            count++;
        }
    if (good && format && !strcmp(format, BENCH_MERGE_FORMAT) && !count) {
        snprintf(problem, room, "%s holds no run", path);
        good = false;
    }
    json_decref(json);
    return good;
}

static bool add_entries(struct bench_merge *merge)
{
    size_t total = 0;
    for (size_t run = 0; run < merge->count; run++)
        total += merge->runs[run].device_count;
    merge->entries = calloc(total + 1, sizeof *merge->entries);
    if (!merge->entries)
        return false;
    for (size_t run = 0; run < merge->count; run++)
        for (size_t i = 0; i < merge->runs[run].device_count; i++) {
            struct bench_entry *made = &merge->entries[merge->entry_count++];
            char letters[8];
            bench_merge_letters(run, letters);
            made->run = run;
            made->device = &merge->runs[run].devices[i];
            snprintf(made->id, sizeof made->id, "%s%d", letters, (int)made->device->index);
        }
    return true;
}

static bool is_same_work(const struct bench_work *work, const struct bench_report *report,
                         const struct bench_row *row)
{
    return !strcmp(work->image, report->image) && work->rows == row->rows &&
           work->cols == row->cols && !strcmp(work->name, row->name) &&
           !strcmp(work->type, row->type);
}

static bool is_listed(const struct bench_merge *merge, const struct bench_report *report,
                      const struct bench_row *row)
{
    for (size_t i = 0; i < merge->work_count; i++)
        if (is_same_work(&merge->works[i], report, row))
            return true;
    return false;
}

/* Of each run, the rows of its table: other sizes are there for the curves. */
static bool add_works(struct bench_merge *merge)
{
    for (size_t run = 0; run < merge->count; run++) {
        const struct bench_report *report = &merge->runs[run];
        for (size_t i = 0; i < report->row_count; i++) {
            const struct bench_row *row = &report->rows[i];
            const struct bench_case_info *item = bench_case_named(report, row->name);
            if (!row->main || row->by != BENCH_DEVICE || is_listed(merge, report, row))
                continue;
            struct bench_work *grown =
                realloc(merge->works, (merge->work_count + 1) * sizeof *grown);
            if (!grown)
                return false;
            merge->works = grown;
            grown[merge->work_count++] =
                (struct bench_work){row->name,     row->type, item ? item->about : "",
                                    report->image, row->rows, row->cols};
        }
    }
    return true;
}

bool bench_merge_finish(struct bench_merge *merge)
{
    free(merge->entries);
    free(merge->works);
    merge->entries = NULL;
    merge->works = NULL;
    merge->entry_count = merge->work_count = 0;
    return add_entries(merge) && add_works(merge);
}

void bench_merge_release(struct bench_merge *merge)
{
    for (size_t i = 0; i < merge->count; i++)
        bench_report_release(&merge->runs[i]);
    free(merge->runs);
    free(merge->entries);
    free(merge->works);
    *merge = (struct bench_merge){0};
}

/* By a device, or by the reference, whose index is not looked at. */
static const struct bench_row *find_row(const struct bench_report *report, enum bench_by by,
                                        int64_t device, const struct bench_work *work)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (row->by == by && (by == BENCH_REFERENCE || row->device == device) &&
            is_same_work(work, report, row))
            return row;
    }
    return NULL;
}

const struct bench_row *bench_merge_row(const struct bench_merge *merge,
                                        const struct bench_entry *entry,
                                        const struct bench_work *work)
{
    return find_row(&merge->runs[entry->run], BENCH_DEVICE, entry->device->index, work);
}

size_t bench_merge_columns(const struct bench_merge *merge)
{
    return merge->entry_count + merge->count;
}

void bench_merge_head(const struct bench_merge *merge, size_t column, char text[24])
{
    char letters[8];
    if (column < merge->entry_count) {
        snprintf(text, 24, "%s", merge->entries[column].id);
        return;
    }
    bench_merge_letters(column - merge->entry_count, letters);
    snprintf(text, 24, "ref. %s", letters);
}

const struct bench_row *bench_merge_cell(const struct bench_merge *merge, size_t column,
                                         const struct bench_work *work)
{
    if (column < merge->entry_count)
        return bench_merge_row(merge, &merge->entries[column], work);
    return find_row(&merge->runs[column - merge->entry_count], BENCH_REFERENCE, 0, work);
}

double bench_merge_best(const struct bench_merge *merge, const struct bench_work *work)
{
    double best = NAN;
    size_t timed = 0;
    for (size_t i = 0; i < merge->entry_count; i++) {
        double ms = bench_median(bench_merge_row(merge, &merge->entries[i], work));
        best = fmin(best, ms);
        timed += ms > 0;
    }
    return timed < 2 ? (double)NAN : best;
}

double bench_merge_reach(const struct bench_merge *merge, const struct bench_work *work)
{
    double best = bench_merge_best(merge, work);
    for (size_t i = 0; i < merge->entry_count; i++) {
        const struct bench_row *row = bench_merge_row(merge, &merge->entries[i], work);
        if (bench_median(row) <= best && row->wall.high > best)
            return row->wall.high;
    }
    return best;
}

bool bench_merge_is_best(const struct bench_row *row, double reach)
{
    double ms = bench_median(row);
    return ms > 0 && (isnan(row->wall.low) ? ms : row->wall.low) <= reach;
}

/* Where a run differs from the first one, so that columns are not of the same thing. */
static bool differing(const struct bench_report *first, const struct bench_report *run,
                      const char *letters, size_t *index, char *text, size_t room)
{
    const struct bench_environment *a = &first->environment, *b = &run->environment;
    if ((strcmp(a->clump, b->clump) || strcmp(a->commit, b->commit)) && !(*index)--)
        snprintf(text, room,
                 "run %s is of clump %s (%s), run A of %s (%s): a difference may be the program's, "
                 "not the device's",
                 letters, b->clump, b->commit, a->clump, a->commit);
    else if (first->size != run->size && !(*index)--)
        snprintf(text, room,
                 "run %s is of %" PRId64 " x %" PRId64 " pixels, run A of %" PRId64 " x %" PRId64
                 ": only rows of one size stand side by side",
                 letters, run->size, run->size, first->size, first->size);
    else if (fabs(first->seconds - run->seconds) > 0 && !(*index)--)
        snprintf(text, room, "run %s gave each case %g s, run A %g s", letters, run->seconds,
                 first->seconds);
    else if (strcmp(a->build, b->build) && !(*index)--)
        snprintf(text, room, "run %s was built as %s, run A as %s", letters, b->build, a->build);
    else if (run->agree_only && !(*index)--)
        snprintf(text, room, "run %s has no times: it only compared results", letters);
    else
        return false;
    return true;
}

bool bench_merge_warning(const struct bench_merge *merge, size_t index, char *text, size_t room)
{
    for (size_t run = 0; run < merge->count; run++) {
        char letters[8], own[512];
        bench_merge_letters(run, letters);
        if (differing(&merge->runs[0], &merge->runs[run], letters, &index, text, room))
            return true;
        for (size_t i = 0; bench_warning(&merge->runs[run], i, own, sizeof own); i++)
            if (!index--) {
                snprintf(text, room, "%s%s%s%s", merge->count > 1 ? "run " : "",
                         merge->count > 1 ? letters : "", merge->count > 1 ? ": " : "", own);
                return true;
            }
    }
    return false;
}

void bench_merge_json(const struct bench_merge *merge, json_t *object)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < merge->count; i++) {
        json_t *run = json_object();
        bench_report_json(&merge->runs[i], run);
        json_array_append_new(runs, run);
    }
    json_object_set_new(object, "format", json_string(BENCH_MERGE_FORMAT));
    json_object_set_new(object, "version", json_integer(BENCH_VERSION));
    json_object_set_new(object, "runs", runs);
}
