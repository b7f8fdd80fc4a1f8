/* SPDX-License-Identifier: MIT */
/*
 * The walk along the regions of an image, run by run; for the kernel files that include this one.
 *
 * Method:    one of three files has the walk: run_cursor_list.cl (coarse, LABELS 1), and
 *            run_cursor_band.cl (coarse, LABELS 0) and run_cursor_word.cl (fine). LABELS 1 walks
 *            along the regions of a label image, as measure_range.cl has left them; LABELS 0 along
 *            the components of a mask, as label.cl has left them. Each file defines
 *              REGIONS          the first arguments of a kernel, which say where the regions are;
 *              REGIONS_GIVEN    what `regions all = REGIONS_GIVEN;` gathers these with;
 *              cursor           a place on the walk, with the columns from..to - 1 and the row y of
 *                               the run that it is at;
 *              begin_runs(all, walk, c)         puts the cursor before the work-item's first run;
 *                               false: the work-item has none;
 *              next_run(all, walk, c)           goes on to the next run; false: there is none;
 *              find_row(all, walk, c, &label, &row)    the label of the run and its row among the
 *                               rows of sums; false: the run's label is not in this walk.
 *            A coarse work-item walks along the rows of a band and meets whole runs. A fine one has
 *            one word of 32 pixels and meets the pieces of runs in it.
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per word of the
 *            mask, in groups of GROUP.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels and 2^31 runs.
 * Others:    host clump_measure_where and clump_measure_launch in src/opencl/regions/measure.c;
 *            docs/measurement.md, "The walk".
 */
#include "regions/run_cursor.h"
#include "regions/runs.cl"

#ifndef LABELS
#define LABELS 0
#endif

#if !COARSE
#include "regions/run_cursor_word.cl"
#elif LABELS
#include "regions/run_cursor_list.cl"
#else
#include "regions/run_cursor_band.cl"
#endif
