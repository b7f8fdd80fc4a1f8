/* SPDX-License-Identifier: MIT */
/* The page's tables. */
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void head(FILE *out, const char *name, bool left)
{
    fprintf(out, "<th%s>", left ? " class=\"name\"" : "");
    page_text(out, name);
    fputs("</th>", out);
}

static void name_cell(FILE *out, const char *name)
{
    fputs("<td class=\"name\">", out);
    page_text(out, name);
    fputs("</td>", out);
}

static void device_heads(FILE *out, const json_t *report, const char *what)
{
    size_t i;
    json_t *device;
    json_array_foreach (json_object_get(report, "devices"), i, device) {
        char text[80];
        snprintf(text, sizeof text, "device %d, %s",
                 (int)json_integer_value(json_object_get(device, "index")), what);
        head(out, text, false);
    }
}

/* The first peer of a case: what the lesson itself uses. */
static const json_t *first_peer(const json_t *report, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach (json_object_get(report, "rows"), i, row)
        if (bench_is(row, "case", name) && bench_is(row, "by", "peer") && page_timed(row))
            return row;
    return NULL;
}

static void lesson_row(FILE *out, const json_t *report, const json_t *item)
{
    const json_t *lesson = json_object_get(item, "lesson"), *device;
    const char *name = bench_text(item, "name");
    const json_t *base = first_peer(report, name);
    size_t i;
    if (!base)
        base = page_row(report, name, -1, page_size(report));
    double cpu = bench_number(lesson, "cpu_ms"), gpu = bench_number(lesson, "gpu_ms");
    double base_ms = bench_number(json_object_get(base, "wall"), "median");
    fputs("<tr>", out);
    name_cell(out, name);
    page_cell(out, cpu);
    page_cell(out, gpu);
    page_cell(out, cpu / gpu);
    page_cell(out, base_ms);
    json_array_foreach (json_object_get(report, "devices"), i, device) {
        int index = (int)json_integer_value(json_object_get(device, "index"));
        const json_t *row = page_row(report, name, index, page_size(report));
        double ms = bench_number(json_object_get(row, "wall"), "median"), ratio = base_ms / ms;
        page_cell(out, ms);
        fprintf(out, "<td class=\"%s\"><strong>", ratio >= cpu / gpu ? "good" : "bad");
        page_figure(out, ratio);
        fputs("×</strong></td>", out);
    }
    fputs("</tr>\n", out);
}

void page_lesson(FILE *out, const json_t *report)
{
    size_t i;
    json_t *item, *device;
    fputs(
        "<h2>The lesson’s experiments</h2>\n<p>The lesson times NumPy and SciPy on its own CPU and "
        "CuPy on a Tesla T4. Here the same steps on this machine; the ratio is against NumPy and "
        "SciPy where the peers ran, else against the reference, and green where it is at least the "
        "T4’s.</p>\n<div class=\"wide\"><table>\n<tr>",
        out);
    head(out, "step", true);
    head(out, "lesson: CPU ms", false);
    head(out, "T4 ms", false);
    head(out, "T4 ×", false);
    head(out, "here: CPU ms", false);
    json_array_foreach (json_object_get(report, "devices"), i, device) {
        char text[80];
        snprintf(text, sizeof text, "device %d ms",
                 (int)json_integer_value(json_object_get(device, "index")));
        head(out, text, false);
        head(out, "×", false);
    }
    fputs("</tr>\n", out);
    json_array_foreach (json_object_get(report, "cases"), i, item)
        if (json_object_get(item, "lesson"))
            lesson_row(out, report, item);
    fputs(
        "</table></div>\n<p class=\"faint\">The lesson’s overall figure (find) times labelling and "
        "measuring only: the first two steps run before its clock starts. Here all four are "
        "timed.</p>\n",
        out);
}

static void peer_row(FILE *out, const json_t *report, const json_t *row)
{
    const json_t *wall = json_object_get(row, "wall"), *device, *entry;
    double goal = bench_number(row, "goal");
    size_t i, k;
    fputs("<tr>", out);
    name_cell(out, bench_text(row, "case"));
    name_cell(out, bench_text(row, "name"));
    fprintf(out, "<td>%d</td>", (int)json_integer_value(json_object_get(row, "threads")));
    page_cell(out, bench_number(wall, "median"));
    json_array_foreach (json_object_get(report, "devices"), i, device) {
        double ratio = NAN;
        json_array_foreach (json_object_get(row, "ratios"), k, entry)
            if (json_equal(json_object_get(entry, "device"), json_object_get(device, "index")))
                ratio = bench_number(entry, "ratio");
        fprintf(out, "<td class=\"%s\">", ratio >= goal ? "good" : ratio < goal ? "bad" : "");
        page_figure(out, ratio);
        fputs("×</td>", out);
    }
    page_cell(out, goal);
    fputs("<td class=\"name remark\">", out);
    page_text(out, bench_is(row, "state", "other") ? bench_text(row, "difference") : "");
    fputs("</td></tr>\n", out);
}

void page_peers(FILE *out, const json_t *report)
{
    size_t i;
    json_t *row;
    if (!json_object_get(json_object_get(report, "environment"), "peers"))
        return;
    fputs(
        "<h2>Against what one would take instead</h2>\n<p class=\"faint\">Same input, whole "
        "operation against whole operation, in turns; results compared first. Goal: how many times "
        "faster clump wants to be.</p>\n<div class=\"wide\"><table>\n<tr>",
        out);
    head(out, "case", true);
    head(out, "peer", true);
    head(out, "threads", false);
    head(out, "ms", false);
    device_heads(out, report, "×");
    head(out, "goal", false);
    head(out, "remark", true);
    fputs("</tr>\n", out);
    json_array_foreach (json_object_get(report, "rows"), i, row)
        if (bench_is(row, "by", "peer") && page_timed(row))
            peer_row(out, report, row);
    fputs("</table></div>\n", out);
}

static void figures_row(FILE *out, const json_t *report, const json_t *row, bool first)
{
    static const char *const walls[] = {"min", "median", "mean", "std"};
    static const char *const others[] = {"device_ms", "upload_ms", "download_ms"};
    const json_t *wall = json_object_get(row, "wall");
    char who[160];
    bench_who(report, row, who, sizeof who);
    fprintf(out, "<tr%s>", first ? " class=\"group\"" : "");
    name_cell(out, first ? bench_text(row, "case") : "");
    name_cell(out, who);
    name_cell(out, bench_is(row, "by", "reference") ? "–" : bench_text(row, "state"));
    for (size_t i = 0; i < 4; i++)
        page_cell(out, bench_number(wall, walls[i]));
    page_cell(out, 100 * bench_number(wall, "noise"));
    fprintf(out, "<td>%d%s</td>", (int)json_integer_value(json_object_get(wall, "runs")),
            wall && !json_is_true(json_object_get(wall, "steady")) ? "*" : "");
    for (size_t i = 0; i < 3; i++)
        page_cell(out, bench_number(row, others[i]));
    page_cell(out, bench_number(json_object_get(row, "total"), "median"));
    page_cell(out, bench_number(row, "compile_ms"));
    page_cell(out, bench_number(row, "first_ms"));
    page_cell(out, bench_number(row, "gbs"));
    page_cell(out, bench_number(row, "gflops"));
    page_cell(out, 100 * bench_number(row, "limit"));
    page_cell(out, bench_number(row, "speedup"));
    fputs("</tr>\n", out);
}

void page_figures(FILE *out, const json_t *report)
{
    static const char *const titles[] = {"min",      "median",  "mean",    "std",
                                         "noise %",  "runs",    "device",  "upload",
                                         "download", "total",   "compile", "first",
                                         "GB/s",     "GFLOP/s", "limit %", "× ref."};
    size_t i;
    json_t *row;
    const char *last = "";
    fputs("<h2>All figures</h2>\n<p class=\"faint\">Milliseconds. Noise: interquartile range over "
          "median; *: the time was up before the median was steady. Device: kernels alone, by "
          "events. "
          "Total: with the image brought and the result taken back. First: the first call, kernels "
          "being built or read.</p>\n<div class=\"wide\"><table>\n<tr>",
          out);
    head(out, "case", true);
    head(out, "by", true);
    head(out, "agrees", true);
    for (i = 0; i < sizeof titles / sizeof *titles; i++)
        head(out, titles[i], false);
    fputs("</tr>\n", out);
    json_array_foreach (json_object_get(report, "rows"), i, row) {
        if (!json_is_true(json_object_get(row, "main")))
            continue;
        figures_row(out, report, row, strcmp(last, bench_text(row, "case")));
        last = bench_text(row, "case");
    }
    fputs("</table></div>\n", out);
}

static void entry(FILE *out, const char *key, const json_t *value)
{
    fputs("<dt>", out);
    page_text(out, key);
    fputs("</dt><dd>", out);
    if (json_is_string(value))
        page_text(out, json_string_value(value));
    else if (json_is_number(value))
        fprintf(out, "%g", json_number_value(value));
    fputs("</dd>\n", out);
}

static void entries(FILE *out, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value)
        if (!json_is_object(value))
            entry(out, key, value);
}

void page_environment(FILE *out, const json_t *report)
{
    const json_t *environment = json_object_get(report, "environment"), *device;
    size_t i;
    fputs("<h2>Environment</h2>\n<dl>\n", out);
    entries(out, environment);
    fputs("</dl>\n", out);
    json_array_foreach (json_object_get(report, "devices"), i, device) {
        fputs("<h3>Device ", out);
        fprintf(out, "%d</h3>\n<dl>\n", (int)json_integer_value(json_object_get(device, "index")));
        entries(out, device);
        entries(out, json_object_get(device, "limits"));
        fputs("</dl>\n", out);
    }
    if (json_object_get(environment, "peers")) {
        fputs("<h3>Peers</h3>\n<dl>\n", out);
        entries(out, json_object_get(environment, "peers"));
        fputs("</dl>\n", out);
    }
}
