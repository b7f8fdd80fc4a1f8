/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>

#include <clump/catalog.h>

static struct {
    const char *labels;
    unsigned connectivity; /* 0: the labels are labels */
    bool basic, brief;
} set;

static const struct option options[] = {
    {"labels", 'l', OPTION_STRING, &set.labels, "FILE", "the label image, of the same size"},
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
static enum clump_status read_labels(struct run *run, struct input *labels)
{
    enum clump_status status = run_read_other(run, set.labels, labels);
    if (status)
        return status;
    return (set.connectivity ? run_mask : run_labels)(run, &labels->image);
}

/* The table as CSV on stdout, or as lists under `table`. */
static void print_table(struct run *run, const clump_catalog *table, json_t *json)
{
    uint64_t rows = clump_catalog_rows(table);
    size_t columns = clump_catalog_columns(table);
    json_t *lists = json_object();
    for (size_t c = 0; c < columns; c++) {
        const struct clump_column *column = clump_catalog_column(table, c);
        json_t *list = json_array();
        for (uint64_t i = 0; i < rows && common.json; i++)
            json_array_append_new(list, column->type == CLUMP_COLUMN_I64
                                            ? json_integer(((const int64_t *)column->values)[i])
                                            : run_json_real(((const double *)column->values)[i]));
        json_object_set_new(lists, column->name, list);
        run_print(run, "%s%s", c ? "," : "", column->name);
    }
    json_object_set_new(json, "table", lists);
    run_print(run, "\n");
    for (uint64_t i = 0; i < rows; i++)
        for (size_t c = 0; c < columns; c++) {
            const struct clump_column *column = clump_catalog_column(table, c);
            const char *end = c + 1 < columns ? "," : "\n";
            if (column->type == CLUMP_COLUMN_I64)
                run_print(run, "%" PRId64 "%s", ((const int64_t *)column->values)[i], end);
            else
                run_print(run, "%.17g%s", ((const double *)column->values)[i], end);
        }
}

static enum clump_status measure_file(struct run *run, const char *path, json_t *json)
{
    struct input input, labels = {0};
    struct clump_region *regions = NULL;
    clump_catalog *table = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = read_labels(run, &labels);
    if (!status)
        status = clump_measure(run->context, input.image, labels.image, &params, &regions, &count);
    if (!status)
        status = clump_measure_catalog(&run->log, regions, count, &params, &table);
    if (!status)
        status = run_catalog(run, table, common.output, path, json);
    if (!status) {
        json_object_set_new(json, "regions", json_integer((json_int_t)count));
        if (common.output)
            run_print(run, "%-12s %" PRIu64 "\n", "regions", count);
        else
            print_table(run, table, json);
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
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_measure,
};
