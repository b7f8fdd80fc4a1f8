/* SPDX-License-Identifier: MIT */
/* The parts of the page that html.c puts together. */
#ifndef CLUMP_BENCH_PAGE_H
#define CLUMP_BENCH_PAGE_H

#include "bench.h"

/* The page's head, its style with `more` behind it, and its title; the body stays open. */
void page_begin(FILE *out, const char *title, const char *more);
/* Text with what HTML gives a meaning made harmless. */
void page_text(FILE *out, const char *text);
/* A figure with as many digits as it is worth; NaN: a dash. */
void page_figure(FILE *out, double value);
/* A cell of a table with a figure in it. */
void page_cell(FILE *out, double value);
/* The class that colours a row's bars and lines: d0, d1, ... devices, ref, peer. */
void page_class(const json_t *report, const json_t *row, char *text, size_t room);
/* The row of a case by a device (its index), by the reference (-1), at a size; or NULL. */
const json_t *page_row(const json_t *report, const char *name, int device, int64_t size);
int64_t page_size(const json_t *report); /* of the table */
bool page_timed(const json_t *row);      /* it has a time */

/* page_tables.c */
void page_lesson(FILE *out, const json_t *report);
void page_peers(FILE *out, const json_t *report);
void page_figures(FILE *out, const json_t *report);
void page_environment(FILE *out, const json_t *report);

/* page_charts.c */
void page_legend(FILE *out, const json_t *report);
void page_speedups(FILE *out, const json_t *report);
void page_limits(FILE *out, const json_t *report);
void page_curves(FILE *out, const json_t *report);

#endif
