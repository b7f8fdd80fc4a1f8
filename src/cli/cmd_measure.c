/* SPDX-License-Identifier: MIT */
#include "labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <clump/catalog.h>

static struct {
    const char *labels;
    unsigned connectivity; /* 0: the labels are labels */
    bool basic, brief;
} set;

static const struct option options[] = {
    {"labels", 'l', OPTION_STRING, &set.labels, "FILE",
     "the label image, of the same size; {} stands for the input's name"},
    LABELS_OPTIONS,
    {"connectivity", 'c', OPTION_UNSIGNED, &set.connectivity, "4|8",
     "the labels are a mask: join its pixels first, with so many neighbours"},
    {"basic", 0, OPTION_FLAG, &set.basic, NULL,
     "leave out perimeter, convex area, solidity and Euler number"},
    {"brief", 0, OPTION_FLAG, &set.brief, NULL,
     "leave out std, axes, orientation and eccentricity"},
    {0},
};

static struct clump_measure_params params;

/* Reads the labels, or a mask where its pixels are to be joined first. */
static enum clump_status read_labels(struct run *run, const char *path, struct input *labels)
{
    char *name = run_output(set.labels, path);
    enum clump_status status =
        name ? labels_read(run, name, labels) : run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    free(name);
    if (status)
        return status;
    return set.connectivity ? run_mask(run, &labels->image) : CLUMP_OK;
}

static enum clump_status measure_file(struct run *run, const char *path, json_t *json)
{
    struct input input, labels = {0};
    struct clump_region *regions = NULL;
    clump_catalog *table = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = read_labels(run, path, &labels);
    if (!status)
        status = clump_measure(run->context, input.image, labels.image, &params, &regions, &count);
    if (!status)
        status = clump_measure_catalog(&run->log, regions, count, &params, &table);
    if (!status && (common.output || !common.json)) /* the same digits in a file and on stdout */
        status = run_catalog(run, table, common.output ? common.output : "-", path, json);
    if (!status) {
        json_object_set_new(json, "regions", json_integer((json_int_t)count));
        if (common.output)
            run_print(run, "%-12s %" PRIu64 "\n", "regions", count);
        else if (common.json)
            json_object_set_new(json, "table", run_json_table(table));
    }
    clump_catalog_destroy(&table);
    clump_measure_destroy(&regions);
    run_release(&labels);
    run_release(&input);
    return status;
}

static int run_measure(struct run *run)
{
    if (!set.labels)
        return run_misuse(run, "--labels FILE is wanted");
    params = clump_measure_defaults;
    params.perimeter = params.convex = params.euler = !set.basic;
    params.brief = set.brief;
    if (set.connectivity)
        params.connectivity = set.connectivity;
    return run_each(run, measure_file);
}

const struct command command_measure = {
    .name = "measure",
    .summary = "Measures every region of a label image",
    .usage = "FILE... --labels LABELS",
    .about =
        "The columns are named as skimage.measure.regionprops_table names them, with sum, std\n"
        "and the place of the peak beside them; positions are rows and columns from 0. The\n"
        "table goes to -o (.csv .ecsv .fits .vot), or to stdout as CSV.",
    .examples = "  clump measure field.fits --labels labels.fits -o regions.csv\n"
                "  clump measure cells.png --channel green --labels labels.npy\n"
                "  clump measure field.fits --labels mask.npy --connectivity 8 --basic --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES | COMMAND_TABLE,
    .least = 1,
    .most = -1,
    .run = run_measure,
};
