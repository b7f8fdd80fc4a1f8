/* SPDX-License-Identifier: MIT */
/* Figures as text for people or as JSON for programs. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

json_t *run_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *run_json_text(const char *text)
{
    json_t *json = json_string(text);
    if (json)
        return json;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if (*c & 0x80)
            *c = '?';
    json = copy ? json_string(copy) : NULL;
    free(copy);
    return json;
}

json_t *run_json_table(const clump_catalog *table)
{
    json_t *lists = json_object();
    for (size_t c = 0; c < clump_catalog_columns(table); c++) {
        const struct clump_column *column = clump_catalog_column(table, c);
        json_t *list = json_array();
        for (uint64_t i = 0; i < clump_catalog_rows(table); i++)
            json_array_append_new(list,
                                  column->type == CLUMP_COLUMN_I64
                                      ? json_integer(((const int64_t *)column->values)[i])
                                  : column->type == CLUMP_COLUMN_F64
                                      ? run_json_real(((const double *)column->values)[i])
                                      : run_json_text(((const char *const *)column->values)[i]));
        json_object_set_new(lists, column->name, list);
    }
    return lists;
}

void run_print(struct run *run, const char *format, ...)
{
    (void)run;
    bool out = run_to_stdout(common.output);
    if (common.json || (out && common.quiet))
        return;
    progress_clear();
    va_list list;
    char *text = NULL, *shown = NULL;
    va_start(list, format);
    if (vasprintf(&text, format, list) >= 0)
        shown = clump_shown_new(text, "\n\t"); /* names and values may hold what terminals act on */
    va_end(list);
    fputs(shown ? shown : "out of memory\n", out ? stderr : stdout);
    free(shown);
    free(text);
}

void run_more(struct run *run, uint64_t count)
{
    run_print(run, "and %" PRIu64 " more%s\n", count, common.output ? "" : "; -o FILE writes all");
}

int run_digits(double value, double noise)
{
    if (!(noise > 0) || isinf(noise) || !isfinite(value) || value == 0)
        return 4;
    double digits = floor(log10(fabs(value))) - floor(log10(noise)) + 3;
    return digits < 4 ? 4 : digits > 17 ? 17 : (int)digits;
}

void run_number(struct run *run, json_t *json, const char *name, double value)
{
    json_object_set_new(json, name, run_json_real(value));
    run_print(run, "%-12s %.9g\n", name, isnan(value) ? NAN : value); /* whatever its sign */
}

void run_count(struct run *run, json_t *json, const char *name, uint64_t value)
{
    json_object_set_new(json, name, json_integer((json_int_t)value));
    run_print(run, "%-12s %" PRIu64 "\n", name, value);
}

void run_word(struct run *run, json_t *json, const char *name, const char *value)
{
    json_object_set_new(json, name, run_json_text(value));
    run_print(run, "%-12s %s\n", name, value);
}

json_t *run_json_stats(const struct clump_stats_result *stats)
{
    json_t *json = json_object();
    json_object_set_new(json, "count", json_integer((json_int_t)stats->count));
    json_object_set_new(json, "blank", json_integer((json_int_t)stats->blank));
    json_object_set_new(json, "infinite", json_integer((json_int_t)stats->infinite));
    json_object_set_new(json, "min", run_json_real(stats->min));
    json_object_set_new(json, "max", run_json_real(stats->max));
    json_object_set_new(json, "sum", run_json_real(stats->sum));
    json_object_set_new(json, "mean", run_json_real(stats->mean));
    json_object_set_new(json, "variance", run_json_real(stats->variance));
    json_object_set_new(json, "std", run_json_real(stats->std));
    json_object_set_new(json, "median", run_json_real(stats->median));
    json_object_set_new(json, "mad", run_json_real(stats->mad));
    return json;
}

json_t *run_json_clip(const struct clump_clip_result *clip)
{
    json_t *json = json_object();
    json_object_set_new(json, "lower", run_json_real(clip->lower));
    json_object_set_new(json, "upper", run_json_real(clip->upper));
    json_object_set_new(json, "kept", json_integer((json_int_t)clip->kept));
    json_object_set_new(json, "iterations", json_integer(clip->iterations));
    json_object_set_new(json, "converged", json_boolean(clip->converged));
    return json;
}
