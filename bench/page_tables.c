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

static void device_heads(FILE *out, const struct bench_report *report, const char *what)
{
    for (size_t i = 0; i < report->device_count; i++) {
        char text[80];
        snprintf(text, sizeof text, "device %d, %s", (int)report->devices[i].index, what);
        head(out, text, false);
    }
}

/* NumPy or SciPy doing the case, as in the lesson; NULL: they did not run here. */
static const struct bench_row *lesson_peer(const struct bench_report *report, const char *name)
{
    for (size_t i = 0; i < report->row_count; i++)
        if (bench_is_lesson_peer(&report->rows[i]) && !strcmp(report->rows[i].name, name))
            return &report->rows[i];
    return NULL;
}

/* A ratio, green where it is at least the lesson's; a dash where there is none. */
static void ratio_cell(FILE *out, double ratio, double lesson)
{
    fprintf(out, "<td class=\"%s\"><strong>",
            ratio >= lesson  ? "good"
            : ratio < lesson ? "bad"
                             : "");
    page_figure(out, ratio);
    fprintf(out, "%s</strong></td>", isnan(ratio) ? "" : "×");
}

static void lesson_row(FILE *out, const struct bench_report *report,
                       const struct bench_case_info *item)
{
    const struct bench_row *base = lesson_peer(report, item->name);
    double cpu = item->lesson.cpu_ms, gpu = item->lesson.gpu_ms, base_ms = bench_median(base);
    double total = item->lesson.total_ms > 0 ? item->lesson.total_ms : (double)NAN;
    fputs("<tr>", out);
    name_cell(out, item->name);
    page_cell(out, cpu);
    page_cell(out, gpu);
    page_cell(out, cpu / gpu);
    page_cell(out, total);
    page_cell(out, cpu / total);
    name_cell(out, base ? base->peer.name : "did not run");
    page_cell(out, base_ms);
    for (size_t i = 0; i < report->device_count; i++) {
        const struct bench_row *row =
            bench_row_at(report, item->name, report->devices[i].index, BENCH_LESSON_SIZE);
        double moved = row && row->total.runs > 0 ? row->total.median : (double)NAN;
        page_cell(out, bench_median(row));
        ratio_cell(out, base_ms / bench_median(row), cpu / gpu);
        page_cell(out, moved);
        ratio_cell(out, base_ms / moved, cpu / total);
    }
    fputs("</tr>\n", out);
}

static void lesson_heads(FILE *out, const struct bench_report *report)
{
    fputs("<thead><tr>", out);
    head(out, "step", true);
    head(out, "lesson: CPU ms", false);
    head(out, "T4 ms", false);
    head(out, "T4 ×", false);
    head(out, "T4 with transfers", false);
    head(out, "×", false);
    head(out, "here, on the CPU", true);
    head(out, "ms", false);
    for (size_t i = 0; i < report->device_count; i++) {
        char text[80];
        snprintf(text, sizeof text, "device %d ms", (int)report->devices[i].index);
        head(out, text, false);
        head(out, "×", false);
        head(out, "with transfers", false);
        head(out, "×", false);
    }
    fputs("</tr></thead>\n", out);
}

void page_lesson(FILE *out, const struct bench_report *report)
{
    fputs("<h2>The lesson’s experiments</h2>\n", out);
    if (report->size != BENCH_LESSON_SIZE) {
        fprintf(out,
                "<p>The lesson’s images have %d × %d pixels. This run’s have not, so its figures "
                "are not put beside the lesson’s.</p>\n",
                BENCH_LESSON_SIZE, BENCH_LESSON_SIZE);
        return;
    }
    fputs("<p>The lesson times NumPy and SciPy on its own CPU and CuPy on a Tesla T4. Here are the "
          "same steps on this machine. A ratio is against NumPy or SciPy timed in this run, and "
          "against nothing else; it is green where it is at least the T4’s. Where they did not "
          "run (<code>--peers</code>) there is no ratio.</p>\n<div class=\"wide\"><table>\n",
          out);
    lesson_heads(out, report);
    for (size_t i = 0; i < report->case_count; i++)
        if (report->cases[i].lesson.gpu_ms > 0)
            lesson_row(out, report, &report->cases[i]);
    fputs("</table></div>\n<p class=\"faint\">What the lesson leaves out: it gives transfers for "
          "the convolution alone. Its overall figure (find) times labelling and measuring only, "
          "for the first two steps run before its clock starts; here all four are timed. Its "
          "threshold on the T4 is timed with the comparison made beforehand. Its CPU figures are "
          "the fastest of seven rounds, its GPU figures means or minima of ten; here all are "
          "medians.</p>\n",
          out);
}

static void peer_row(FILE *out, const struct bench_report *report, const struct bench_row *row)
{
    double goal = row->peer.goal;
    fputs("<tr>", out);
    name_cell(out, row->name);
    name_cell(out, row->peer.name);
    fprintf(out, "<td>%d</td>", (int)row->peer.threads);
    page_cell(out, row->wall.median);
    for (size_t i = 0; i < report->device_count; i++) {
        double ratio = bench_ratio_to(row, report->devices[i].index);
        fprintf(out, "<td class=\"%s\">", ratio >= goal ? "good" : ratio < goal ? "bad" : "");
        page_figure(out, ratio);
        fputs("×</td>", out);
    }
    page_cell(out, goal);
    fputs("<td class=\"name remark\">", out);
    if (row->peer.state == BENCH_OTHER && row->peer.difference)
        page_text(out, row->peer.difference);
    fputs("</td></tr>\n", out);
}

void page_peers(FILE *out, const struct bench_report *report)
{
    if (!report->environment.peer_count)
        return;
    fputs(
        "<h2>Against what one would take instead</h2>\n<p class=\"faint\">Same input, whole "
        "operation against whole operation, in turns; results compared first. Goal: how many times "
        "faster clump wants to be.</p>\n<div class=\"wide\"><table>\n<thead><tr>",
        out);
    head(out, "case", true);
    head(out, "peer", true);
    head(out, "threads", false);
    head(out, "ms", false);
    device_heads(out, report, "×");
    head(out, "goal", false);
    head(out, "remark", true);
    fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].by == BENCH_PEER && bench_is_timed(&report->rows[i]))
            peer_row(out, report, &report->rows[i]);
    fputs("</table></div>\n", out);
}

static const char *state_word(const struct bench_row *row)
{
    static const char *const words[] = {[BENCH_AGREES] = "agrees",
                                        [BENCH_DIFFERS] = "differs",
                                        [BENCH_UNSUPPORTED] = "unsupported",
                                        [BENCH_FAILED] = "failed",
                                        [BENCH_OTHER] = "other"};
    return row->by == BENCH_REFERENCE ? "–" : words[row->peer.state];
}

static void figures_row(FILE *out, const struct bench_report *report, const struct bench_row *row,
                        bool first)
{
    const struct summary *wall = &row->wall;
    bool timed = bench_is_timed(row);
    const double walls[] = {wall->min,  wall->median, wall->low,        wall->high,
                            wall->mean, wall->std,    100 * wall->noise};
    const double others[] = {
        row->device_ms,   row->upload_ms,
        row->download_ms, row->total.runs > 0 ? row->total.median : (double)NAN,
        row->compile_ms,  row->first_ms,
        row->gbs,         row->gflops,
        100 * row->limit, row->speedup};
    char who[160];
    bench_who(report, row, who, sizeof who);
    fprintf(out, "<tr%s>", first ? " class=\"group\"" : "");
    name_cell(out, first ? row->name : "");
    name_cell(out, who);
    name_cell(out, state_word(row));
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++)
        page_cell(out, timed ? walls[i] : (double)NAN);
    fprintf(out, "<td>%d%s</td>", (int)wall->runs, timed && !wall->steady ? "*" : "");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        page_cell(out, others[i]);
    fputs("</tr>\n", out);
}

void page_figures(FILE *out, const struct bench_report *report)
{
    static const char *const titles[] = {"min",      "median",  "low",     "high",   "mean",
                                         "std",      "noise %", "runs",    "device", "upload",
                                         "download", "total",   "compile", "first",  "GB/s",
                                         "GFLOP/s",  "limit %", "× ref."};
    const char *last = "";
    fputs("<h2>All figures</h2>\n<p class=\"faint\">Milliseconds. Low, high: 95 % interval of the "
          "median. Noise: interquartile range over "
          "median; *: the time was up before the median was steady. Device: kernels alone, by "
          "events. "
          "Total: with the image brought and the result taken back. First: the first call, kernels "
          "being built or read.</p>\n<div class=\"wide\"><table>\n<thead><tr>",
          out);
    head(out, "case", true);
    head(out, "by", true);
    head(out, "agrees", true);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        head(out, titles[i], false);
    fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (!row->main)
            continue;
        figures_row(out, report, row, strcmp(last, row->name));
        last = row->name;
    }
    fputs("</table></div>\n", out);
}

static void entry(FILE *out, const char *key, const char *text)
{
    fputs("<dt>", out);
    page_text(out, key);
    fputs("</dt><dd>", out);
    page_text(out, text);
    fputs("</dd>\n", out);
}

/* A line for each member of a struct that exists. */
static void entries(FILE *out, const struct bench_field *fields, const void *from)
{
    for (; fields->key; fields++) {
        const void *member = (const char *)from + fields->offset;
        char text[64] = "";
        const char *words = NULL;
        if (fields->kind == BENCH_TEXT)
            words = *(const char *const *)member;
        else if (fields->kind == BENCH_COUNT && *(const int64_t *)member >= 0)
            snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)member);
        else if (fields->kind == BENCH_REAL && !isnan(*(const double *)member))
            snprintf(text, sizeof text, "%g", *(const double *)member);
        else if (fields->kind == BENCH_FLAG)
            snprintf(text, sizeof text, "%s", *(const bool *)member ? "yes" : "no");
        if (words || *text)
            entry(out, fields->key, words ? words : text);
    }
}

void page_environment(FILE *out, const struct bench_report *report)
{
    const struct bench_environment *environment = &report->environment;
    fputs("<h2>Environment</h2>\n<dl>\n", out);
    entries(out, bench_environment_fields, environment);
    fputs("</dl>\n", out);
    for (size_t i = 0; i < report->device_count; i++) {
        const struct bench_device_info *device = &report->devices[i];
        fprintf(out, "<h3>Device %d</h3>\n<dl>\n", (int)device->index);
        entries(out, bench_device_fields, device);
        entries(out, bench_limit_fields, &device->limits);
        fputs("</dl>\n", out);
    }
    if (!environment->peer_count)
        return;
    fputs("<h3>Peers</h3>\n<dl>\n", out);
    for (size_t i = 0; i < environment->peer_count; i++)
        entry(out, environment->peers[i].key, environment->peers[i].text);
    fputs("</dl>\n", out);
}
