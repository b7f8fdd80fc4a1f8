/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <clump/cells.h>

#include "ahead.h"
#include "report.h"

#define SHOWN 20 /* objects printed */

static struct {
    const char *labels, *overlay, *report;
} set;

static struct clump_cells_params params;

static void set_defaults(void) { params = clump_cells_defaults; }

static const struct option options[] = {
    {"sigma", 's', OPTION_DOUBLE, &params.sigma, "S", "blur, standard deviation in pixels (@)"},
    {"threshold", 't', OPTION_DOUBLE, &params.threshold, "T",
     "instead of Otsu's, in the scale it is printed in: 0 to 1 for u8 and u16 images"},
    {"below", 0, OPTION_FLAG, &params.below, NULL,
     "dark objects on a bright ground: set what is not above the threshold"},
    {"erosion", 'e', OPTION_UNSIGNED, &params.erosion, "R",
     "radius of the eroding disk (@); 0: none"},
    {"connectivity", 'c', OPTION_UNSIGNED, &params.connectivity, "4|8",
     "neighbours that belong to one object (@)"},
    {"area", 'a', OPTION_SIZE, &params.min_area, "N", "leave out objects of fewer than N pixels"},
    {"labels", 0, OPTION_STRING, &set.labels, "FILE",
     "write the image of labels (.tif .fits .npy)"},
    {"overlay", 0, OPTION_STRING, &set.overlay, "FILE",
     "write the objects in colours over the image (.png .tif)"},
    {"report", 0, OPTION_STRING, &set.report, "FILE",
     "write a page with the picture, the table, statistics and histogram (.html)"},
    {"alpha", 0, OPTION_DOUBLE, &params.colours.alpha, "A",
     "opacity of the overlay's colours, 0 to 1 (@)"},
    {0},
};

static void print_objects(struct run *run, const struct clump_cells_result *found)
{
    if (!found->count)
        return;
    run_print(run, "%6s %10s %10s %8s %15s %9s\n", "label", "centroid-0", "centroid-1", "area",
              "intensity_mean", "solidity");
    for (uint64_t i = 0; i < found->count && i < SHOWN; i++) {
        const struct clump_region *r = &found->regions[i];
        run_print(run, "%6" PRIu64 " %10.2f %10.2f %8" PRIu64 " %15.6f %9.6f\n", r->label,
                  r->centroid_row, r->centroid_col, r->area, r->mean, r->solidity);
    }
    if (found->count > SHOWN)
        run_more(run, found->count - SHOWN);
}

/* The greatest value of the type, which thresholds are given in. */
static double full_scale(enum clump_type type)
{
    static const double scales[CLUMP_TYPE_COUNT] = {
        [CLUMP_U8] = UINT8_MAX,  [CLUMP_U16] = UINT16_MAX, [CLUMP_I16] = INT16_MAX,
        [CLUMP_I32] = INT32_MAX, [CLUMP_U32] = UINT32_MAX, [CLUMP_I64] = (double)INT64_MAX,
        [CLUMP_F32] = 1,         [CLUMP_F64] = 1};
    return scales[type];
}

/* The histogram of all pixels. Bins of integers hold equally many values each, because a bin with
 * one value more than its neighbours stands out for no reason. */
static void choose_bins(enum clump_type type, const struct clump_stats_result *stats,
                        struct report *page)
{
    double range = stats->max - stats->min + 1, wide = ceil(range / REPORT_BINS);
    page->low = stats->min;
    page->high = stats->max + (stats->max - stats->min) / REPORT_BINS;
    if (type == CLUMP_F32 || type == CLUMP_F64)
        return;
    page->bins = (int)fmin(ceil(range / wide), REPORT_BINS);
    page->high = stats->min + page->bins * wide;
}

static enum clump_status report(struct run *run, const char *path, const struct input *input,
                                const struct clump_cells_result *found, const clump_catalog *table,
                                json_t *json)
{
    struct clump_stats_result stats;
    struct clump_mark *marks = calloc(found->count + 1, sizeof *marks);
    enum clump_status status = clump_stats(run->context, input->image, NULL, NULL, &stats);
    if (!marks)
        status = run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the picture's marks");
    for (uint64_t i = 0; marks && i < found->count; i++) {
        const struct clump_region *r = &found->regions[i];
        marks[i] = (struct clump_mark){.row = r->centroid_row,
                                       .col = r->centroid_col,
                                       .a = r->axis_major / 2,
                                       .b = r->axis_minor / 2,
                                       .theta = acos(-1.0) / 2 - r->orientation,
                                       .id = (int64_t)r->label};
    }
    struct report_fact facts[] = {{.name = "pixels"}, {.name = "threshold"}};
    if (!status) {
        double threshold = found->threshold * full_scale(clump_image_type(input->image));
        snprintf(facts[0].value, sizeof facts[0].value,
                 "%" PRIu64 ": mean %.6g, median %.6g, stddev %.6g, from %.6g to %.6g", stats.count,
                 stats.mean, stats.median, stats.std, stats.min, stats.max);
        snprintf(facts[1].value, sizeof facts[1].value, "%.9g of the blurred image, in pixels %.6g",
                 found->threshold, threshold);
        struct report page = {.what = "objects",
                              .key = "label",
                              .table = table,
                              .marks = marks,
                              .render = clump_render_defaults,
                              .facts = facts,
                              .fact_count = sizeof facts / sizeof *facts,
                              .level = NAN,
                              .threshold = threshold};
        choose_bins(clump_image_type(input->image), &stats, &page);
        status = run_report(run, &page, set.report, path, input, json);
    }
    free(marks);
    return status;
}

static enum clump_status cells_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    struct clump_cells_result found = {0};
    clump_image *labels = NULL, *overlay = NULL;
    clump_catalog *table = NULL;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        ahead_plan(clump_image_type(input.image));
    if (!status)
        status = clump_cells(run->context, input.image, &params, set.labels ? &labels : NULL,
                             set.overlay ? &overlay : NULL, &found);
    if (!status) {
        run_number(run, json, "threshold", found.threshold);
        run_count(run, json, "objects", found.count);
        json_object_set_new(json, "files", json_array());
        print_objects(run, &found);
    }
    if (!status && (common.output || set.report))
        status = clump_cells_catalog(&run->log, &found, &table);
    if (!status)
        status = run_catalog(run, table, common.output, path, json);
    if (!status)
        status = run_write_plain(run, labels, set.labels, path, &input, json);
    if (!status)
        status = run_write_plain(run, overlay, set.overlay, path, NULL, json);
    if (!status && set.report)
        status = report(run, path, &input, &found, table, json);
    clump_catalog_destroy(&table);
    clump_cells_release(&found);
    clump_image_destroy(&overlay);
    clump_image_destroy(&labels);
    run_release(&input);
    return status;
}

static int run_cells(struct run *run)
{
    enum clump_type type;
    if (!(params.sigma >= 0) || isinf(params.sigma))
        return run_misuse(run, "--sigma is 0 or more, not %g", params.sigma);
    if (!(params.colours.alpha >= 0 && params.colours.alpha <= 1))
        return run_misuse(run, "--alpha is from 0 to 1, not %g", params.colours.alpha);
    int status = run_check_output(run, "--labels", set.labels, clump_output_check_image);
    if (!status)
        status = run_check_output(run, "--overlay", set.overlay, clump_output_check_image);
    if (!status)
        status = run_check_output(run, "--report", set.report, NULL);
    if (!status && ahead_is_helper(&type))
        return ahead_cells(run, type, &params, set.labels != NULL, set.overlay != NULL);
    return status ? status : run_each(run, cells_file);
}

const struct command command_cells = {
    .name = "cells",
    .summary = "Finds and measures the cells of a microscopy image",
    .usage = "FILE...",
    .about =
        "Blurs the image, sets what is above Otsu's threshold, erodes that by a disk, labels it\n"
        "and measures each object in the image as it was. The threshold is in scikit-image's\n"
        "scale of floats: integer pixels count as their value over the type's greatest.",
    .examples = "  clump cells cells.png --channel green -o cells.csv --overlay cells-marked.png\n"
                "  clump cells plate/*.tif --area 100 -o 'tables/{}.csv' --labels 'labels/{}.tif'\n"
                "  clump cells stained.tif --below --area 50 -o nuclei.csv\n"
                "  clump cells cells.png --channel 1 --sigma 3 --threshold 0.2 --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES | COMMAND_TABLE,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_cells,
};
