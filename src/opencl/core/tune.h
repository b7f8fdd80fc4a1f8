/* SPDX-License-Identifier: MIT */
/*
 * Knobs: parameters of kernels and launches whose best value depends on the device. layout.c gives
 * them defaults by the type and vendor of the device. `clump bench --tune` (bench/tune.c) tries
 * other values and keeps the best ones in the cache, by name and platform of the device; every
 * later context takes them from there. Knobs change no result, except the last bits of a
 * convolution by folded rows, which keeps its bound.
 */
#ifndef CLUMP_SRC_OPENCL_TUNE_H
#define CLUMP_SRC_OPENCL_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clump/context.h>

#define CLUMP_KNOB_VALUES 8

extern const size_t clump_knob_count;

/* "convolve_rows" and so on: the operation's word comes first. Borrowed. */
const char *clump_knob_name(size_t knob);
uint32_t clump_knob_get(const clump_context *context, size_t knob);
/* Before the context's first operation: kernels that are built stay as they are. */
void clump_knob_set(clump_context *context, size_t knob, uint32_t value);
/* The values worth trying on this device, its default among them; 0 where the knob is idle. */
size_t clump_knob_candidates(const clump_context *context, size_t knob,
                             uint32_t values[CLUMP_KNOB_VALUES]);

/* Keeps the values of all knobs for later contexts; false without a folder for caches. */
bool clump_tuned_write(clump_context *context);
/* Takes what was kept for this device, if anything was and it makes sense. */
void clump_tuned_read(clump_context *context);

#endif
