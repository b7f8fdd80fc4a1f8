/* SPDX-License-Identifier: MIT */
/* A report as JSON, and back. The tables say what a member is called; both ways read them. */
#include "report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define TEXT(of, member)        #member, BENCH_TEXT, offsetof(of, member), NULL
#define COUNT(of, member)       #member, BENCH_COUNT, offsetof(of, member), NULL
#define REAL(of, member)        #member, BENCH_REAL, offsetof(of, member), NULL
#define FLAG(of, member)        #member, BENCH_FLAG, offsetof(of, member), NULL
#define WORD(of, member, words) #member, BENCH_WORD, offsetof(of, member), words

/* A member that has another name in JSON. */
#define NAMED(key, kind, of, member) key, kind, offsetof(of, member), NULL

static_assert(sizeof(enum bench_by) == sizeof(int) && sizeof(enum bench_state) == sizeof(int) &&
                  sizeof(enum bench_limit) == sizeof(int),
              "a word is stored as an int");

static const char *const by_words[] = {"reference", "device", "peer", NULL};
static const char *const state_words[] = {"agrees", "differs", "unsupported",
                                          "failed", "other",   NULL};
static const char *const limit_words[] = {"", "read_gbs", "copy_gbs", "fma_f32", "fma_f64", NULL};

const struct bench_field bench_environment_fields[] = {
    {TEXT(struct bench_environment, clump)},
    {TEXT(struct bench_environment, commit)},
    {TEXT(struct bench_environment, compiler)},
    {TEXT(struct bench_environment, build)},
    {TEXT(struct bench_environment, date)},
    {TEXT(struct bench_environment, host)},
    {TEXT(struct bench_environment, system)},
    {TEXT(struct bench_environment, release)},
    {TEXT(struct bench_environment, cpu)},
    {COUNT(struct bench_environment, cores)},
    {REAL(struct bench_environment, memory_gib)},
    {TEXT(struct bench_environment, caches)},
    {TEXT(struct bench_environment, load)},
    {TEXT(struct bench_environment, load_end)},
    {REAL(struct bench_environment, mhz)},
    {REAL(struct bench_environment, mhz_end)},
    {REAL(struct bench_environment, mhz_most)},
    {REAL(struct bench_environment, steal)},
    {REAL(struct bench_environment, others)},
    {TEXT(struct bench_environment, energy)},
    {NULL},
};

static const struct bench_field setting_fields[] = {
    {TEXT(struct bench_report, image)},      {COUNT(struct bench_report, size)},
    {REAL(struct bench_report, seconds)},    {COUNT(struct bench_report, runs)},
    {FLAG(struct bench_report, agree_only)}, {NULL},
};

const struct bench_field bench_device_fields[] = {
    {COUNT(struct bench_device_info, index)},
    {TEXT(struct bench_device_info, name)},
    {TEXT(struct bench_device_info, platform)},
    {TEXT(struct bench_device_info, driver)},
    {TEXT(struct bench_device_info, version)},
    {TEXT(struct bench_device_info, type)},
    {COUNT(struct bench_device_info, units)},
    {COUNT(struct bench_device_info, vector_width)},
    {FLAG(struct bench_device_info, fp64)},
    {FLAG(struct bench_device_info, shares_memory)},
    {NULL},
};

const struct bench_field bench_limit_fields[] = {
    {NAMED("read_gbs", BENCH_REAL, struct bench_limits, rate[BENCH_LIMIT_READ])},
    {NAMED("copy_gbs", BENCH_REAL, struct bench_limits, rate[BENCH_LIMIT_COPY])},
    {NAMED("fma_f32", BENCH_REAL, struct bench_limits, rate[BENCH_LIMIT_FMA_F32])},
    {NAMED("fma_f64", BENCH_REAL, struct bench_limits, rate[BENCH_LIMIT_FMA_F64])},
    {COUNT(struct bench_limits, bytes)},
    {REAL(struct bench_limits, integer)},
    {REAL(struct bench_limits, upload_gbs)},
    {REAL(struct bench_limits, download_gbs)},
    {REAL(struct bench_limits, launch_us)},
    {REAL(struct bench_limits, atomics_one)},
    {REAL(struct bench_limits, atomics_apart)},
    {NULL},
};

static const struct bench_field case_fields[] = {
    {TEXT(struct bench_case_info, name)},
    {TEXT(struct bench_case_info, about)},
    {TEXT(struct bench_case_info, operation)},
    {NULL},
};

static const struct bench_field lesson_fields[] = {
    {REAL(struct bench_lesson, cpu_ms)},
    {REAL(struct bench_lesson, gpu_ms)},
    {NAMED("gpu_total_ms", BENCH_REAL, struct bench_lesson, total_ms)},
    {NULL},
};

static const struct bench_field row_fields[] = {
    {NAMED("case", BENCH_TEXT, struct bench_row, name)},
    {TEXT(struct bench_row, type)},
    {COUNT(struct bench_row, rows)},
    {COUNT(struct bench_row, cols)},
    {COUNT(struct bench_row, size)},
    {FLAG(struct bench_row, main)},
    {WORD(struct bench_row, by, by_words)},
    {COUNT(struct bench_row, device)},
    {NAMED("name", BENCH_TEXT, struct bench_row, peer.name)},
    {NAMED("package", BENCH_TEXT, struct bench_row, peer.package)},
    {NAMED("threads", BENCH_COUNT, struct bench_row, peer.threads)},
    {NAMED("goal", BENCH_REAL, struct bench_row, peer.goal)},
    {"state", BENCH_WORD, offsetof(struct bench_row, peer.state), state_words},
    {NAMED("difference", BENCH_TEXT, struct bench_row, peer.difference)},
    {REAL(struct bench_row, speedup)},
    {REAL(struct bench_row, gbs)},
    {WORD(struct bench_row, gbs_limit, limit_words)},
    {REAL(struct bench_row, gflops)},
    {WORD(struct bench_row, gflops_limit, limit_words)},
    {REAL(struct bench_row, compile_ms)},
    {COUNT(struct bench_row, builds)},
    {REAL(struct bench_row, first_ms)},
    {REAL(struct bench_row, upload_ms)},
    {REAL(struct bench_row, download_ms)},
    {REAL(struct bench_row, device_ms)},
    {COUNT(struct bench_row, launches)},
    {COUNT(struct bench_row, bytes)},
    {REAL(struct bench_row, passes)},
    {REAL(struct bench_row, joules)},
    {COUNT(struct bench_row, allocations)},
    {REAL(struct bench_row, limit)},
    {WORD(struct bench_row, limit_by, limit_words)},
    {NULL},
};

static const struct bench_field summary_fields[] = {
    {COUNT(struct summary, runs)},  {REAL(struct summary, min)},
    {REAL(struct summary, median)}, {REAL(struct summary, mean)},
    {REAL(struct summary, std)},    {REAL(struct summary, low)},
    {REAL(struct summary, high)},   {REAL(struct summary, noise)},
    {FLAG(struct summary, steady)}, {NULL},
};

static const struct bench_field ratio_fields[] = {
    {COUNT(struct bench_ratio, device)},
    {REAL(struct bench_ratio, ratio)},
    {NULL},
};

static const struct bench_field tuned_fields[] = {
    {COUNT(struct bench_tuned, device)},
    {TEXT(struct bench_tuned, knob)},
    {NAMED("default", BENCH_COUNT, struct bench_tuned, usual)},
    {COUNT(struct bench_tuned, value)},
    {NULL},
};

static json_t *text_json(const char *text)
{
    json_t *made = json_string(text);
    return made ? made : json_string("(not UTF-8)");
}

/* What a member is in JSON, or NULL where it does not exist. */
static json_t *field_json(const struct bench_field *field, const char *member)
{
    const char *text;
    int64_t count;
    double real;
    bool flag;
    int word;
    switch (field->kind) {
    case BENCH_TEXT:
        memcpy(&text, member, sizeof text);
        return text ? text_json(text) : NULL;
    case BENCH_COUNT:
        memcpy(&count, member, sizeof count);
        return count < 0 ? NULL : json_integer(count);
    case BENCH_REAL:
        memcpy(&real, member, sizeof real);
        return isnan(real) ? NULL : isinf(real) ? json_null() : json_real(real);
    case BENCH_FLAG:
        memcpy(&flag, member, sizeof flag);
        return json_boolean(flag);
    default:
        memcpy(&word, member, sizeof word);
        return *field->words[word] ? json_string(field->words[word]) : NULL;
    }
}

static void write_fields(const void *from, const struct bench_field *fields, json_t *to)
{
    for (; fields->key; fields++) {
        json_t *value = field_json(fields, (const char *)from + fields->offset);
        if (value)
            json_object_set_new(to, fields->key, value);
    }
}

static json_t *fields_json(const void *from, const struct bench_field *fields)
{
    json_t *made = json_object();
    write_fields(from, fields, made);
    return made;
}

static int word_of(const struct bench_field *field, const char *text)
{
    for (int i = 0; text && field->words[i]; i++)
        if (!strcmp(field->words[i], text))
            return i;
    return 0;
}

/* Reads what is there; a text that is not there becomes empty if `whole`, else stays NULL. */
static void read_fields(struct bench_report *report, const json_t *from,
                        const struct bench_field *fields, bool whole, void *to)
{
    for (; fields->key; fields++) {
        const json_t *value = json_object_get(from, fields->key);
        const char *said = json_string_value(value), *text = bench_keep(report, said);
        char *member = (char *)to + fields->offset;
        int64_t count = json_is_number(value) ? (int64_t)json_number_value(value) : -1;
        double real = json_is_number(value) ? json_number_value(value) : (double)NAN;
        bool flag = json_is_true(value);
        int word = fields->kind == BENCH_WORD ? word_of(fields, said) : 0;
        if (!text && whole)
            text = "";
        switch (fields->kind) {
        case BENCH_TEXT:
            memcpy(member, &text, sizeof text);
            break;
        case BENCH_COUNT:
            memcpy(member, &count, sizeof count);
            break;
        case BENCH_REAL:
            memcpy(member, &real, sizeof real);
            break;
        case BENCH_FLAG:
            memcpy(member, &flag, sizeof flag);
            break;
        default:
            memcpy(member, &word, sizeof word);
        }
    }
}

static json_t *environment_json(const struct bench_environment *environment)
{
    json_t *made = fields_json(environment, bench_environment_fields), *peers;
    if (!environment->peer_count)
        return made;
    json_object_set_new(made, "peers", peers = json_object());
    for (size_t i = 0; i < environment->peer_count; i++)
        json_object_set_new(peers, environment->peers[i].key,
                            text_json(environment->peers[i].text));
    return made;
}

static json_t *device_json(const struct bench_device_info *device)
{
    json_t *made = fields_json(device, bench_device_fields);
    json_object_set_new(made, "limits", fields_json(&device->limits, bench_limit_fields));
    return made;
}

static json_t *case_json(const struct bench_case_info *item)
{
    json_t *made = fields_json(item, case_fields);
    if (item->lesson.gpu_ms > 0)
        json_object_set_new(made, "lesson", fields_json(&item->lesson, lesson_fields));
    return made;
}

/* A summary, with the times that it is made of where they are known. */
static json_t *summary_json(const struct summary *summary, const double *times, size_t count)
{
    json_t *made = fields_json(summary, summary_fields), *list = count ? json_array() : NULL;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(times[i]));
    if (list)
        json_object_set_new(made, "times", list);
    return made;
}

static json_t *row_json(const struct bench_row *row)
{
    json_t *made = fields_json(row, row_fields), *ratios;
    if (row->wall.runs > 0)
        json_object_set_new(made, "wall", summary_json(&row->wall, row->times, row->time_count));
    if (row->total.runs > 0)
        json_object_set_new(made, "total", summary_json(&row->total, NULL, 0));
    if (row->by != BENCH_PEER || !bench_is_timed(row))
        return made;
    json_object_set_new(made, "ratios", ratios = json_array());
    for (size_t i = 0; i < row->ratio_count; i++)
        json_array_append_new(ratios, fields_json(&row->ratios[i], ratio_fields));
    return made;
}

static json_t *tuned_json(const struct bench_tuned *tuned)
{
    json_t *made = fields_json(tuned, tuned_fields), *times = json_object();
    json_object_set_new(made, "ms", times);
    for (size_t i = 0; i < tuned->count; i++) {
        char value[24];
        double ms = tuned->trials[i].ms;
        snprintf(value, sizeof value, "%d", (int)tuned->trials[i].value);
        json_object_set_new(times, value, isnan(ms) ? json_null() : json_real(ms));
    }
    return made;
}

void bench_report_json(const struct bench_report *report, json_t *object)
{
    json_t *devices = json_array(), *cases = json_array(), *rows = json_array();
    json_t *warnings = json_array();
    char text[512];
    for (size_t i = 0; bench_warning(report, i, text, sizeof text); i++)
        json_array_append_new(warnings, json_string(text));
    for (size_t i = 0; i < report->device_count; i++)
        json_array_append_new(devices, device_json(&report->devices[i]));
    for (size_t i = 0; i < report->case_count; i++)
        json_array_append_new(cases, case_json(&report->cases[i]));
    for (size_t i = 0; i < report->row_count; i++)
        json_array_append_new(rows, row_json(&report->rows[i]));
    json_object_set_new(object, "format", json_string(BENCH_FORMAT));
    json_object_set_new(object, "version", json_integer(BENCH_VERSION));
    json_object_set_new(object, "environment", environment_json(&report->environment));
    json_object_set_new(object, "settings", fields_json(report, setting_fields));
    json_object_set_new(object, "warnings", warnings);
    json_object_set_new(object, "devices", devices);
    json_object_set_new(object, "cases", cases);
    json_object_set_new(object, "rows", rows);
}

void bench_tuned_json(const struct bench_report *report, json_t *object)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->tuned_count; i++)
        json_array_append_new(list, tuned_json(&report->tuned[i]));
    json_object_set_new(object, "tuned", list);
}

static bool read_row(struct bench_report *report, const json_t *json)
{
    struct bench_row *row = bench_add_row(report);
    const json_t *wall = json_object_get(json, "wall"), *total = json_object_get(json, "total");
    size_t i;
    json_t *entry;
    if (!row)
        return false;
    read_fields(report, json, row_fields, false, row);
    row->name = row->name ? row->name : "";
    row->type = row->type ? row->type : "";
    row->peer.name = row->peer.name || row->by != BENCH_PEER ? row->peer.name : "";
    if (wall)
        read_fields(report, wall, summary_fields, true, &row->wall);
    if (total)
        read_fields(report, total, summary_fields, true, &row->total);
    json_array_foreach (json_object_get(wall, "times"), i, entry)
        if (json_is_number(entry) && !bench_add_time(row, json_number_value(entry)))
            return false;
    json_array_foreach (json_object_get(json, "ratios"), i, entry) {
        struct bench_ratio ratio = {0};
        read_fields(report, entry, ratio_fields, true, &ratio);
        if (!bench_add_ratio(row, ratio.device, ratio.ratio))
            return false;
    }
    return true;
}

static bool read_device(struct bench_report *report, const json_t *json)
{
    struct bench_device_info *device = bench_add_device(report);
    if (!device)
        return false;
    read_fields(report, json, bench_device_fields, true, device);
    read_fields(report, json_object_get(json, "limits"), bench_limit_fields, true, &device->limits);
    return true;
}

static bool read_case(struct bench_report *report, const json_t *json)
{
    struct bench_case_info *item = bench_add_case(report);
    const json_t *lesson = json_object_get(json, "lesson");
    if (!item)
        return false;
    read_fields(report, json, case_fields, true, item);
    if (lesson)
        read_fields(report, lesson, lesson_fields, true, &item->lesson);
    return true;
}

static bool read_all(struct bench_report *report, const json_t *json)
{
    json_t *environment = json_object_get(json, "environment"), *entry;
    const char *key;
    size_t i;
    bool good = true;
    read_fields(report, environment, bench_environment_fields, true, &report->environment);
    json_object_foreach (json_object_get(environment, "peers"), key, entry)
        good &= bench_add_fact(report, key, json_is_string(entry) ? json_string_value(entry) : "");
    read_fields(report, json_object_get(json, "settings"), setting_fields, true, report);
    json_array_foreach (json_object_get(json, "devices"), i, entry)
        good &= read_device(report, entry);
    json_array_foreach (json_object_get(json, "cases"), i, entry)
        good &= read_case(report, entry);
    json_array_foreach (json_object_get(json, "rows"), i, entry)
        good &= read_row(report, entry);
    return good;
}

bool bench_read(const json_t *json, const char *path, struct bench_report *report, char *problem,
                size_t room)
{
    const char *format = json_string_value(json_object_get(json, "format"));
    int version = (int)json_integer_value(json_object_get(json, "version"));
    if (!format || strcmp(format, BENCH_FORMAT))
        snprintf(problem, room, "%s is not what `clump bench --json` writes", path);
    else if (version != BENCH_VERSION)
        snprintf(problem, room, "%s has layout version %d; this clump reads version %d", path,
                 version, BENCH_VERSION);
    else if (!read_all(report, json))
        snprintf(problem, room, "%s: out of memory", path);
    else
        return true;
    return false;
}

bool bench_load(const char *path, struct bench_report *report, char *problem, size_t room)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    bool good = json && bench_read(json, path, report, problem, room);
    if (!json)
        snprintf(problem, room, "%s: %s", path, error.text);
    json_decref(json);
    return good;
}
