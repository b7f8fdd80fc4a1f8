/* SPDX-License-Identifier: MIT */
/* Kernels of weights by name, or from a file. */
#ifndef CLUMP_CLI_WEIGHTS_H
#define CLUMP_CLI_WEIGHTS_H

#include "run.h"

/* What `--kernel` takes, for help and messages. */
#define WEIGHTS_USAGE "gauss:SIZE[,SIGMA]|gauss:SIZE,SIGMApx|gauss:FWHMpx|box:SIZE|disk:R|FILE"

/* A pixel of the lesson's gaussian: SIZE points from -2 to 2 along each axis, a peak of 1. */
double weights_gauss(uint64_t row, uint64_t col, uint64_t size, double sigma);

/* EXIT_USAGE, after one line, when `text` begins like a name but is none; else EXIT_DONE. */
int weights_check(struct run *run, const char *text);

/*
 * Makes the weights that `text` names; `line` asks for one row of them. Release kernel->weights
 * with free. Says in one line what is wrong with the file.
 */
enum clump_status weights_make(struct run *run, const char *text, bool line, bool normalize,
                               struct clump_weights *kernel);

#endif
