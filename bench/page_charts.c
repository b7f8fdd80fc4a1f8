/* SPDX-License-Identifier: MIT */
/* Bars and curves, as SVG. */
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define BAR_ROOM 82.0 /* per cent of the width; the rest is for the figure */
#define WIDTH    260
#define HEIGHT   170
#define LEFT     46
#define RIGHT    12
#define TOP      8
#define BOTTOM   22

static void swatch(FILE *out, const char *class, const char *name)
{
    fprintf(out,
            "<span><svg viewBox=\"0 0 12 12\"><rect class=\"%s\" width=\"12\" height=\"12\"/>"
            "</svg>",
            class);
    page_text(out, name);
    fputs("</span>", out);
}

void page_legend(FILE *out, const struct bench_report *report)
{
    fputs("<div class=\"legend\">", out);
    for (size_t i = 0; i < report->device_count; i++) {
        const struct bench_device_info *device = &report->devices[i];
        char class[8], name[300];
        snprintf(class, sizeof class, "d%zu", i % PAGE_COLOURS);
        snprintf(name, sizeof name, "device %d: %s (%s)", (int)device->index, device->name,
                 device->platform);
        swatch(out, class, name);
    }
    swatch(out, "ref", "reference, scalar C");
    if (report->environment.peer_count)
        swatch(out, "peer", "peers");
    fputs("</div>\n", out);
}

static void bar(FILE *out, const char *class, double share, const char *label)
{
    double width = BAR_ROOM * (share < 0.002 ? 0.002 : share > 1 ? 1 : share);
    fprintf(out,
            "<svg role=\"img\"><rect class=\"track\" width=\"%.0f%%\" height=\"13\" rx=\"2\"/>"
            "<rect class=\"%s\" width=\"%.2f%%\" height=\"13\" rx=\"2\"/>"
            "<text x=\"%.2f%%\" y=\"11\" dx=\"5\">",
            BAR_ROOM, class, width, BAR_ROOM);
    page_text(out, label);
    fputs("</text></svg>", out);
}

static double most_speedup(const struct bench_report *report)
{
    double most = 10;
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].main && report->rows[i].speedup > most)
            most = report->rows[i].speedup;
    return most;
}

/* One case: a bar for each device and peer, on a logarithmic scale from 1/10. */
static void speedup_bars(FILE *out, const struct bench_report *report, const char *name,
                         double most)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        char class[8], who[160], label[64], device[16] = "";
        double speedup = row->speedup;
        if (strcmp(row->name, name) || !row->main || row->by == BENCH_REFERENCE ||
            !bench_is_timed(row))
            continue;
        page_class(report, row, class, sizeof class);
        bench_who(report, row, who, sizeof who);
        if (row->by == BENCH_DEVICE) /* so that colour is not all that tells devices apart */
            snprintf(device, sizeof device, "%d: ", (int)row->device);
        snprintf(label, sizeof label, "%s%.*f×", device, speedup < 10 ? 2 : 0, speedup);
        fputs("<div title=\"", out);
        page_text(out, who);
        fputs("\">", out);
        bar(out, class, log(speedup * 10) / log(most * 10), label);
        if (row->by == BENCH_PEER) {
            fputs("<span class=\"faint\">", out);
            page_text(out, who);
            fputs("</span>", out);
        }
        fputs("</div>", out);
    }
}

void page_speedups(FILE *out, const struct bench_report *report)
{
    double most = most_speedup(report);
    fprintf(out,
            "<h2>Times faster than the reference</h2>\n<p class=\"faint\">The scalar reference is "
            "1. Bars are logarithmic, from 0.1 to %.0f.</p>\n<div class=\"bars\">\n",
            most);
    for (size_t i = 0; i < report->case_count; i++) {
        const char *name = report->cases[i].name;
        fputs("<div><strong>", out);
        page_text(out, name);
        fputs("</strong><br><span class=\"faint\">", out);
        page_text(out, report->cases[i].about);
        fputs("</span></div><div class=\"bar\">", out);
        speedup_bars(out, report, name, most);
        fputs("</div>\n", out);
    }
    fputs("</div>\n", out);
}

void page_limits(FILE *out, const struct bench_report *report)
{
    const char *last = "";
    fputs(
        "<h2>Share of the device's limit</h2>\n<p class=\"faint\">What the definition has to read, "
        "write and compute, in the best wall time, against the best that the device reached in the "
        "same run when it only read, copied or multiplied and added; the nearer of the two limits. "
        "A method that saves work may pass 100 %.</p>\n<div class=\"bars\">\n",
        out);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        char class[8], label[64];
        if (!row->main || isnan(row->limit))
            continue;
        bool first = strcmp(last, row->name);
        last = row->name;
        fprintf(out, "<div>%s</div><div class=\"bar\">", first ? last : "");
        page_class(report, row, class, sizeof class);
        snprintf(label, sizeof label, "%.0f%% %s", 100 * row->limit,
                 row->limit_by == BENCH_LIMIT_READ   ? "read"
                 : row->limit_by == BENCH_LIMIT_COPY ? "copy"
                                                     : "FMA");
        bar(out, class, row->limit, label);
        fputs("</div>\n", out);
    }
    fputs("</div>\n", out);
}

struct scale {
    double low, high; /* logarithms to base 10 */
};

static double across(double size, struct scale x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(size) - x.low) / (x.high - x.low);
}

static double down(double ms, struct scale y)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (y.high - log10(ms)) / (y.high - y.low);
}

/* The decades that hold all times of a case, and its sizes. */
static bool scales(const struct bench_report *report, const char *name, struct scale *x,
                   struct scale *y)
{
    size_t count = 0;
    *x = *y = (struct scale){INFINITY, -INFINITY};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        double size = (double)row->size, ms = bench_median(row);
        if (strcmp(row->name, name) || row->by == BENCH_PEER || !(ms > 0))
            continue;
        x->low = fmin(x->low, log10(size));
        x->high = fmax(x->high, log10(size));
        y->low = fmin(y->low, floor(log10(ms)));
        y->high = fmax(y->high, ceil(log10(ms)));
        count++;
    }
    if (y->high - y->low < 1)
        y->high = y->low + 1;
    return count && x->high > x->low;
}

static void axes(FILE *out, const struct bench_report *report, const char *name, struct scale x,
                 struct scale y)
{
    for (int decade = (int)y.low; decade <= (int)y.high; decade++) {
        double at = down(pow(10, decade), y);
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"axis\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>",
                LEFT, WIDTH - RIGHT, at, at, LEFT - 4, at + 4, pow(10, decade));
    }
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        if (row->by == BENCH_REFERENCE && !strcmp(row->name, name))
            fprintf(out,
                    "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>",
                    across((double)row->size, x), HEIGHT - 6, (int)row->size);
    }
}

/* The next larger size at which a case was run, or 0 where there is none. */
static int64_t next_size(const struct bench_report *report, const char *name, int64_t after)
{
    int64_t next = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        int64_t size = report->rows[i].size;
        if (!strcmp(report->rows[i].name, name) && size > after && (!next || size < next))
            next = size;
    }
    return next;
}

/* One line: the case on one device, or on the reference, over sizes from small to large. */
static void line(FILE *out, const struct bench_report *report, const char *name, const char *class,
                 int64_t device, struct scale x, struct scale y)
{
    bool started = false;
    fprintf(out, "<path class=\"%s\" d=\"", class);
    for (int64_t size = 0; (size = next_size(report, name, size));) {
        double ms = bench_median(bench_row_at(report, name, device, size));
        if (!(ms > 0))
            continue;
        fprintf(out, "%c%.1f %.1f", started ? 'L' : 'M', across((double)size, x), down(ms, y));
        started = true;
    }
    fputs("\"/>", out);
}

void page_curves(FILE *out, const struct bench_report *report)
{
    bool started = false;
    for (size_t i = 0; i < report->case_count; i++) {
        struct scale x, y;
        const char *name = report->cases[i].name;
        if (!scales(report, name, &x, &y))
            continue;
        if (!started)
            fputs(
                "<h2>How the cost grows</h2>\n<p class=\"faint\">Milliseconds over the side of the "
                "image in pixels, both logarithmic; dashed: the reference.</p>\n"
                "<div class=\"curves\">\n",
                out);
        started = true;
        fputs("<figure><figcaption>", out);
        page_text(out, name);
        fprintf(out, "</figcaption><svg role=\"img\" viewBox=\"0 0 %d %d\">", WIDTH, HEIGHT);
        axes(out, report, name, x, y);
        line(out, report, name, "ref", -1, x, y);
        for (size_t d = 0; d < report->device_count; d++) {
            char class[8];
            snprintf(class, sizeof class, "d%zu", d % PAGE_COLOURS);
            line(out, report, name, class, report->devices[d].index, x, y);
        }
        fputs("</svg></figure>\n", out);
    }
    if (started)
        fputs("</div>\n", out);
}
