/* SPDX-License-Identifier: MIT */
/*
 * Several runs as one page: a gallery of the devices, device against device for the same work, and
 * what each run says of its own reference and peers. Everything is there without scripts; where
 * they run, a click on a head of the table sorts it. Devices are told apart by their letters, not
 * by colours alone.
 */
#include "merge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "page.h"

#define BAR_ROOM 70.0 /* per cent of the width; the rest is for the figures */

static const char style[] =
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.8rem;"
    "margin:.6rem 0}"
    ".card{border:1px solid var(--line);border-left:6px solid var(--ref);border-radius:6px;"
    "background:var(--card);padding:.6rem .8rem;font-size:.88rem;break-inside:avoid}"
    ".card h3{margin:0 0 .3rem;font-size:1rem;overflow-wrap:anywhere}.card p{margin:.15rem 0}"
    ".score{font-size:1.5rem;font-weight:600}"
    ".card.d0{border-left-color:var(--d0)}.card.d1{border-left-color:var(--d1)}"
    ".card.d2{border-left-color:var(--d2)}.card.d3{border-left-color:var(--d3)}"
    ".card.d4{border-left-color:var(--d4)}.card.d5{border-left-color:var(--d5)}"
    ".card.d6{border-left-color:var(--d6)}.card.d7{border-left-color:var(--d7)}"
    ".best{font-weight:700}td small{font-weight:400;opacity:.75}.warn{border-left:4px solid "
    "var(--bad);padding-left:.6rem}"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;"
    "text-decoration:underline dotted}"
    "@media print{th button{display:contents}}\n"; /* one that is drawn is not repeated */

/* Sorts a table's rows by the column whose head is clicked, by numbers where there are any. */
static const char script[] =
    "<script>\n"
    "for (const table of document.querySelectorAll('table.sorts'))\n"
    "  [...table.rows[0].cells].forEach((head, column) => {\n"
    "    const button = document.createElement('button');\n"
    "    button.append(...head.childNodes);\n"
    "    head.append(button);\n"
    "    let down = false;\n"
    "    button.addEventListener('click', () => {\n"
    "      const value = row => {\n"
    "        const cell = row.cells[column], number = parseFloat(cell.dataset.value);\n"
    "        return isNaN(number) ? cell.textContent : number;\n"
    "      };\n"
    "      const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0)\n"
    "                              : typeof a === 'number' ? -1 : 1;\n"
    "      const rows = [...table.rows].slice(1);\n"
    "      rows.sort((a, b) => (down ? -1 : 1) * order(value(a), value(b)));\n"
    "      down = !down;\n"
    "      for (const row of rows) table.tBodies[0].append(row);\n"
    "      for (const other of table.rows[0].cells) other.removeAttribute('aria-sort');\n"
    "      head.setAttribute('aria-sort', down ? 'ascending' : 'descending');\n"
    "    });\n"
    "  });\n"
    "</script>\n";

static void paragraph(FILE *out, const char *class, const char *text)
{
    fprintf(out, "<p class=\"%s\">", class);
    page_text(out, text);
    fputs("</p>\n", out);
}

static void card(FILE *out, const struct bench_merge *merge, size_t index)
{
    const struct bench_entry *entry = &merge->entries[index];
    const struct bench_report *run = &merge->runs[entry->run];
    const struct bench_environment *environment = &run->environment;
    char text[600];
    size_t missing;
    double score = bench_score(run, entry->device->index, &missing);
    fprintf(out, "<div class=\"card d%zu\"><h3>%s: ", index % PAGE_COLOURS, entry->id);
    page_text(out, entry->device->name);
    fputs("</h3>", out);
    if (isnan(score))
        snprintf(text, sizeof text, "no score: %zu of the cases that it takes were not run",
                 missing);
    else
        snprintf(text, sizeof text, "score %.0f", score);
    paragraph(out, isnan(score) ? "faint" : "score", text);
    snprintf(text, sizeof text, "%s, driver %s", entry->device->platform, entry->device->driver);
    paragraph(out, "", text);
    snprintf(text, sizeof text, "on %s, %d cores", environment->cpu, (int)environment->cores);
    paragraph(out, "", text);
    bench_reaches(&entry->device->limits, text, sizeof text);
    if (*text)
        paragraph(out, "", text);
    snprintf(text, sizeof text, "%s; clump %s (%s)", environment->date, environment->clump,
             environment->commit);
    paragraph(out, "faint", text);
    fputs("</div>\n", out);
}

static void gallery(FILE *out, const struct bench_merge *merge)
{
    char recipe[600];
    fputs("<h2>Devices</h2>\n<div class=\"cards\">\n", out);
    for (size_t i = 0; i < merge->entry_count; i++)
        card(out, merge, i);
    fputs("</div>\n", out);
    bench_score_recipe(recipe, sizeof recipe);
    paragraph(out, "faint", recipe);
}

static void time_cell(FILE *out, const struct bench_row *row, bool best)
{
    double ms = bench_median(row);
    if (!(ms > 0)) {
        fprintf(out, "<td>%s</td>",
                !row                               ? "–"
                : row->peer.state == BENCH_DIFFERS ? "<span class=\"bad\">wrong</span>"
                                                   : "none");
        return;
    }
    fprintf(out, "<td data-value=\"%.17g\"%s>", ms, best ? " class=\"best\"" : "");
    page_figure(out, ms);
    fprintf(out, "%s%s", best ? " ★" : "", bench_device_above_wall(row) ? " !" : "");
    if (!isnan(row->wall.low)) {
        fputs("<br><small>", out);
        page_figure(out, row->wall.low);
        fputs("–", out);
        page_figure(out, row->wall.high);
        fputs("</small>", out);
    }
    fputs("</td>", out);
}

static void times(FILE *out, const struct bench_merge *merge)
{
    size_t columns = bench_merge_columns(merge);
    fputs("<h2>Device against device</h2>\n<p class=\"faint\">Median wall times of whole calls in "
          "ms, the image already on the device, and their 95 % intervals; ★: the fastest of a row, "
          "and what these intervals do not tell from it; –: the device did not do this work. Rows "
          "are of the same case, type and size on every device. ref.: the run’s own scalar "
          "reference, which takes no part; beside it only devices of the same run may be put.</p>\n"
          "<div class=\"wide\"><table class=\"sorts\">\n<thead><tr>"
          "<th class=\"name\">case</th><th>pixels</th>",
          out);
    for (size_t i = 0; i < columns; i++) {
        char head[24];
        bench_merge_head(merge, i, head);
        fprintf(out, "<th>%s</th>", head);
    }
    fputs("</tr></thead>\n", out);
    for (size_t w = 0; w < merge->work_count; w++) {
        const struct bench_work *work = &merge->works[w];
        double reach = bench_merge_reach(merge, work);
        fputs("<tr><td class=\"name\">", out);
        page_text(out, work->name);
        fprintf(out, "</td><td data-value=\"%" PRId64 "\">%" PRId64 " × %" PRId64 " %s</td>",
                work->rows * work->cols, work->rows, work->cols, work->type);
        for (size_t i = 0; i < columns; i++) {
            const struct bench_row *row = bench_merge_cell(merge, i, work);
            time_cell(out, row, i < merge->entry_count && bench_merge_is_best(row, reach));
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

/* How many times longer than the fastest, on a logarithmic scale up to `most`. */
static void bar(FILE *out, const struct bench_merge *merge, size_t index, double ratio, double most)
{
    double width = BAR_ROOM * fmax(0.01, log(ratio * 1.1) / log(most * 1.1));
    fprintf(out,
            "<div><svg role=\"img\"><rect class=\"d%zu\" width=\"%.2f%%\" height=\"13\" rx=\"2\"/>"
            "<text x=\"%.2f%%\" y=\"11\" dx=\"5\">%s: ",
            index % PAGE_COLOURS, width, width, merge->entries[index].id);
    page_figure(out, ratio);
    fputs("×</text></svg></div>", out);
}

static double most_ratio(const struct bench_merge *merge)
{
    double most = 2;
    for (size_t w = 0; w < merge->work_count; w++)
        for (size_t i = 0; i < merge->entry_count; i++)
            most = fmax(most,
                        bench_median(bench_merge_row(merge, &merge->entries[i], &merge->works[w])) /
                            bench_merge_best(merge, &merge->works[w]));
    return most;
}

static void bars(FILE *out, const struct bench_merge *merge)
{
    double most = most_ratio(merge);
    fprintf(out,
            "<h2>Time over that of the fastest device</h2>\n<p class=\"faint\">Shorter is better; "
            "1 is the fastest of the row. Bars are logarithmic, up to %.0f. Work that one device "
            "alone has done is left out.</p>\n<div class=\"bars\">\n",
            most);
    for (size_t w = 0; w < merge->work_count; w++) {
        const struct bench_work *work = &merge->works[w];
        double best = bench_merge_best(merge, work);
        if (isnan(best))
            continue;
        fputs("<div><strong>", out);
        page_text(out, work->name);
        fprintf(out, "</strong><br><span class=\"faint\">%" PRId64 " × %" PRId64 ", ", work->rows,
                work->cols);
        page_text(out, work->about);
        fputs("</span></div><div class=\"bar\">", out);
        for (size_t i = 0; i < merge->entry_count; i++) {
            double ms = bench_median(bench_merge_row(merge, &merge->entries[i], work));
            if (ms > 0)
                bar(out, merge, i, ms / best, most);
        }
        fputs("</div>\n", out);
    }
    fputs("</div>\n", out);
}

/* What a run says of itself alone. */
static void run_section(FILE *out, const struct bench_merge *merge, size_t run)
{
    char letters[8];
    bench_merge_letters(run, letters);
    fprintf(out, "<h2>Run %s</h2>\n<p>Devices %s", letters,
            merge->runs[run].device_count ? "" : "none");
    for (size_t i = 0; i < merge->runs[run].device_count; i++)
        fprintf(out, "%s%s%d", i ? ", " : "", letters, (int)merge->runs[run].devices[i].index);
    fputs(". Its reference and peers ran on its own machine.</p>\n", out);
    page_peers(out, &merge->runs[run]);
    page_figures(out, &merge->runs[run]);
    page_environment(out, &merge->runs[run]);
}

void bench_merge_html(FILE *out, const struct bench_merge *merge)
{
    char sentence[600];
    page_begin(out, "clump bench: devices side by side", style);
    fprintf(out, "<p>%zu devices of %zu runs.</p>\n", merge->entry_count, merge->count);
    for (size_t i = 0; bench_merge_warning(merge, i, sentence, sizeof sentence); i++)
        paragraph(out, "warn", sentence);
    gallery(out, merge);
    times(out, merge);
    bars(out, merge);
    for (size_t run = 0; run < merge->count; run++)
        run_section(out, merge, run);
    fprintf(out, "%s</body>\n</html>\n", script);
}
