/* SPDX-License-Identifier: MIT */
/* What the tables of report_text.c and merge_text.c are printed with. */
#ifndef CLUMP_BENCH_TEXT_H
#define CLUMP_BENCH_TEXT_H

#include <stdio.h>

/* A figure with as many digits as it is worth, in `width` columns; NaN leaves them blank. */
void text_figure(FILE *out, int width, double value);
void text_percent(FILE *out, int width, double value);
/* Text cut to a width, with a mark where it was cut. */
void text_word(FILE *out, int width, const char *text);
/* A sentence after a mark, in lines of at most 100 columns. */
void text_sentence(FILE *out, const char *mark, const char *sentence);

#endif
