/* SPDX-License-Identifier: MIT */
/* A report as one page that needs nothing but itself: no script, no font, no network. */
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char style[] =
    ":root{--back:#fcfcfa;--text:#1d1d1f;--faint:#6b6b70;--line:#dcdcd6;--card:#fff;"
    "--d0:#0072b2;--d1:#d55e00;--d2:#009e73;--d3:#cc79a7;--d4:#56b4e9;--d5:#e69f00;--d6:#b8a800;"
    "--d7:#5b3a8c;--ref:#8a8a90;--peer:#b9a7d6;"
    "--good:#1d7a3c;--bad:#b3261e;color-scheme:light dark}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#16171a;--text:#e8e8ea;--faint:#9a9aa2;"
    "--line:#34353a;--card:#1e2024;--d0:#3d9be0;--d1:#f07f35;--d2:#2fc79b;--d3:#e09bc2;"
    "--d4:#8fd0f5;--d5:#f3c04d;--d6:#e6dc55;--d7:#a78bdc;"
    "--ref:#85858d;--peer:#6f6292;--good:#6fcf8d;--bad:#ff8a80}}\n"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:1rem;max-width:68rem;background:var(--back);color:var(--text);"
    "font:16px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.2rem;margin:2.2rem 0 .4rem}"
    "p{margin:.4rem 0 .8rem;max-width:46rem}.faint{color:var(--faint);font-size:.88rem}"
    ".wide{overflow-x:auto;border:1px solid var(--line);border-radius:6px;background:var(--card)}"
    "table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.3rem .55rem;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}th{font-weight:600;vertical-align:bottom}"
    "tr:last-child td{border-bottom:0}"
    ".name{text-align:left}td.name:first-child,th.name:first-child{position:sticky;left:0;"
    "background:var(--card)}"
    "td.remark{white-space:normal;min-width:14rem;font-size:.8rem}"
    ".group td{border-top:2px solid var(--line)}"
    ".good{color:var(--good)}.bad{color:var(--bad)}td.good::after{content:' \\2713'}\n"
    ".bars{display:grid;grid-template-columns:minmax(8rem,13rem) 1fr;gap:.15rem .6rem;"
    "font-size:.85rem;align-items:start;margin-bottom:.4rem}"
    ".bars .bar{display:flex;flex-direction:column;gap:2px;padding:.15rem 0}"
    ".bars svg{display:block;width:100%;height:15px;overflow:visible}"
    "svg text{fill:var(--text);font:11px system-ui,sans-serif}svg .axis{fill:var(--faint)}"
    "svg .grid{stroke:var(--line);stroke-width:1}svg path{fill:none;stroke-width:2}"
    ".track{fill:var(--line);opacity:.5}\n"
    "rect.d0{fill:var(--d0)}rect.d1{fill:var(--d1)}rect.d2{fill:var(--d2)}rect.d3{fill:var(--d3)}"
    "rect.d4{fill:var(--d4)}rect.d5{fill:var(--d5)}rect.d6{fill:var(--d6)}rect.d7{fill:var(--d7)}"
    "rect.ref{fill:var(--ref)}rect.peer{fill:var(--peer)}"
    "path.d0{stroke:var(--d0)}path.d1{stroke:var(--d1)}path.d2{stroke:var(--d2)}"
    "path.d3{stroke:var(--d3)}path.d4{stroke:var(--d4)}path.d5{stroke:var(--d5)}"
    "path.d6{stroke:var(--d6)}path.d7{stroke:var(--d7)}path.ref{stroke:var(--ref);stroke-dasharray:"
    "4 3}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem;margin:.3rem 0 .8rem}"
    ".legend svg{width:12px;height:12px;margin-right:.35rem;vertical-align:-1px}"
    ".curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));gap:.8rem}"
    ".curves figure{margin:0;padding:.5rem;border:1px solid var(--line);border-radius:6px;"
    "background:var(--card)}.curves figcaption{font-size:.85rem;font-weight:600}"
    ".curves svg{width:100%;height:auto;display:block;overflow:visible}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;font-size:.88rem;"
    "margin:.4rem 0}dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}"
    "@media(max-width:34rem){body{padding:.7rem;font-size:15px}dl{grid-template-columns:1fr;"
    "gap:0}dd{margin-bottom:.4rem}.bars{grid-template-columns:1fr}.bars .bar{padding-bottom:.4rem}}"
    "@media print{:root{--back:#fff;--card:#fff;--text:#000}body{max-width:none;font-size:10.5pt}"
    ".wide{overflow:visible;border:0}table{font-size:7pt}th,td{padding:.1rem .25rem}"
    "td.remark{font-size:6.5pt}"
    "h2{break-after:avoid}thead{display:table-header-group;break-inside:avoid}"
    "figure,.bars>*,tr{break-inside:avoid}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

void page_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

void page_figure(FILE *out, double value)
{
    double size = fabs(value);
    if (!isfinite(value))
        fputs("–", out);
    else
        fprintf(out, "%.*f", size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
}

void page_cell(FILE *out, double value)
{
    fputs("<td>", out);
    page_figure(out, value);
    fputs("</td>", out);
}

void page_class(const struct bench_report *report, const struct bench_row *row, char *text,
                size_t room)
{
    snprintf(text, room, "%s", row->by == BENCH_REFERENCE ? "ref" : "peer");
    for (size_t i = 0; i < report->device_count && row->by == BENCH_DEVICE; i++)
        if (report->devices[i].index == row->device)
            snprintf(text, room, "d%zu", i % PAGE_COLOURS);
}

void page_begin(FILE *out, const char *title, const char *more)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    page_text(out, title);
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<h1>", style, more);
    page_text(out, title);
    fputs("</h1>\n", out);
}

static void begin(FILE *out, const struct bench_report *report)
{
    const struct bench_environment *environment = &report->environment;
    char warning[512];
    page_begin(out, "clump bench", "");
    fputs("<p>", out);
    page_text(out, environment->cpu);
    fprintf(out, ", %d cores. %" PRId64 " × %" PRId64 " pixels unless a row says otherwise. ",
            (int)environment->cores, report->size, report->size);
    page_text(out, environment->date);
    fputs(", commit ", out);
    page_text(out, environment->commit);
    fputs(".</p>\n<p class=\"faint\">Times are medians of whole calls, the image already on the "
          "device. A result that does not agree with the reference has no time.</p>\n",
          out);
    for (size_t i = 0; bench_warning(report, i, warning, sizeof warning); i++) {
        fputs("<p class=\"bad\">Warning: ", out);
        page_text(out, warning);
        fputs(".</p>\n", out);
    }
}

static void differing(FILE *out, const struct bench_report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        char who[160];
        if (row->peer.state != BENCH_DIFFERS && row->peer.state != BENCH_FAILED)
            continue;
        bench_who(report, row, who, sizeof who);
        fputs("<p class=\"bad\"><strong>", out);
        page_text(out, row->name);
        fputs("</strong> on ", out);
        page_text(out, who);
        fputs(" does not agree: ", out);
        page_text(out, row->peer.difference ? row->peer.difference : "");
        fputs("</p>\n", out);
    }
}

void bench_html(FILE *out, const struct bench_report *report)
{
    begin(out, report);
    differing(out, report);
    page_legend(out, report);
    page_lesson(out, report);
    page_speedups(out, report);
    page_peers(out, report);
    page_curves(out, report);
    page_limits(out, report);
    page_figures(out, report);
    page_environment(out, report);
    fputs("</body>\n</html>\n", out);
}
