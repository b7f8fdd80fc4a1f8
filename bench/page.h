/* SPDX-License-Identifier: MIT */
/* The parts of the page that html.c puts together. */
#ifndef CLUMP_BENCH_PAGE_H
#define CLUMP_BENCH_PAGE_H

#include "report.h"

#define PAGE_COLOURS 8 /* of devices; then they start again, and their names tell them apart */

/* The page's head, with `more` behind its style, and its title. The body stays open. */
void page_begin(FILE *out, const char *title, const char *more);
/* Text, with entities for the characters that mean something in HTML. */
void page_text(FILE *out, const char *text);
/* A figure with as many digits as it is worth; NaN: a dash. */
void page_figure(FILE *out, double value);
/* A cell of a table with a figure in it. */
void page_cell(FILE *out, double value);
/* The class that colours a row's bars and lines: d0, d1, ... devices, ref, peer. */
void page_class(const struct bench_report *report, const struct bench_row *row, char *text,
                size_t room);

/* page_tables.c */
void page_lesson(FILE *out, const struct bench_report *report);
void page_peers(FILE *out, const struct bench_report *report);
void page_figures(FILE *out, const struct bench_report *report);
void page_environment(FILE *out, const struct bench_report *report);

/* page_charts.c */
void page_legend(FILE *out, const struct bench_report *report);
void page_speedups(FILE *out, const struct bench_report *report);
void page_limits(FILE *out, const struct bench_report *report);
void page_curves(FILE *out, const struct bench_report *report);

#endif
