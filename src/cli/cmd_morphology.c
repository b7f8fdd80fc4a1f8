/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 63 /* of a side of a footprint */

static const char words[] = "erosion|dilation|opening|closing|fill|remove";

static struct {
    const char *footprint;
} set;

static struct clump_morphology_params params;

static void set_defaults(void) { params = clump_morphology_defaults; }

static const struct option options[] = {
    {"footprint", 'p', OPTION_STRING, &set.footprint, "disk:R|square:N|diamond:R|FILE",
     "the neighbourhood (disk:1); in a file what is not 0 belongs to it"},
    {"area", 'a', OPTION_SIZE, &params.min_area, "N", "remove: objects of fewer pixels go (@)"},
    {"connectivity", 'c', OPTION_UNSIGNED, &params.connectivity, "4|8",
     "remove: neighbours that belong to one object (@)"},
    {"border", 'b', OPTION_CHOICE, &params.border, "neutral|clear|set",
     "what lies outside; neutral decides nothing (@)"},
    {0},
};

static uint8_t cells[MOST_CELLS * MOST_CELLS];

/* Reads "disk:2" and its like; false when it is none of them. */
static bool parse_shape(const char *text, struct clump_footprint *footprint)
{
    static const char *const names[] = {[CLUMP_FOOTPRINT_DISK] = "disk:",
                                        [CLUMP_FOOTPRINT_SQUARE] = "square:",
                                        [CLUMP_FOOTPRINT_DIAMOND] = "diamond:"};
    for (int shape = CLUMP_FOOTPRINT_DISK; shape <= CLUMP_FOOTPRINT_DIAMOND; shape++) {
        size_t length = strlen(names[shape]);
        char *end;
        if (strncmp(text, names[shape], length) || text[length] < '0' || text[length] > '9')
            continue;
        unsigned long size = strtoul(text + length, &end, 10);
        footprint->kind = (enum clump_footprint_kind)shape;
        footprint->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
        return !*end;
    }
    return false;
}

static void copy_cells(const uint32_t *bits, uint64_t rows, uint64_t cols)
{
    size_t words_a_row = clump_type_row_bytes(CLUMP_BITS, cols) / 4;
    for (uint64_t i = 0; i < rows * cols; i++) {
        uint64_t row = i / cols, col = i % cols;
        cells[i] = bits[row * words_a_row + col / 32] >> col % 32 & 1;
    }
}

/* Reads a footprint from an image file. */
static enum clump_status read_footprint(struct run *run, struct clump_footprint *footprint)
{
    struct input input;
    void *bits = NULL;
    enum clump_status status = run_read_other(run, set.footprint, &input);
    if (!status)
        status = run_mask(run, &input.image);
    uint64_t rows = status ? 0 : clump_image_rows(input.image);
    uint64_t cols = status ? 0 : clump_image_cols(input.image);
    if (!status && (rows > MOST_CELLS || cols > MOST_CELLS))
        status =
            run_fail(run, CLUMP_ERROR_ARGUMENT,
                     "the footprint %s is %" PRIu64 " x %" PRIu64 "; it may be %d x %d at most",
                     set.footprint, rows, cols, MOST_CELLS, MOST_CELLS);
    if (!status)
        status = clump_image_map(input.image, CLUMP_IMAGE_READ, &bits);
    if (!status) {
        copy_cells(bits, rows, cols);
        status = clump_image_unmap(input.image);
    }
    run_release(&input);
    footprint->kind = CLUMP_FOOTPRINT_CUSTOM;
    footprint->rows = (uint32_t)rows;
    footprint->cols = (uint32_t)cols;
    footprint->cells = cells;
    return status;
}

static enum clump_status count_set(clump_image *mask, uint64_t *count)
{
    void *bits = NULL;
    enum clump_status status = clump_image_map(mask, CLUMP_IMAGE_READ, &bits);
    if (status)
        return status;
    size_t total =
        clump_type_row_bytes(CLUMP_BITS, clump_image_cols(mask)) / 4 * clump_image_rows(mask);
    *count = 0;
    for (size_t i = 0; i < total; i++)
        *count += (uint64_t)__builtin_popcount(((const uint32_t *)bits)[i]);
    return clump_image_unmap(mask);
}

static enum clump_status morphology_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *result = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status && set.footprint && !parse_shape(set.footprint, &params.footprint))
        status = read_footprint(run, &params.footprint);
    if (!status)
        status = clump_morphology(run->context, input.image, &params, &result);
    if (!status)
        status = count_set(result, &count);
    if (!status)
        status = run_write_plain(run, result, common.output, path, &input, json);
    if (!status)
        run_count(run, json, "count", count);
    clump_image_destroy(&result);
    run_release(&input);
    return status;
}

static int run_morphology(struct run *run)
{
    const struct option operation = {"OPERATION", 0, OPTION_CHOICE, &params.operation, words, NULL};
    if (!options_value("clump morphology", "OPERATION", &operation, run->operands[0]))
        return EXIT_USAGE;
    run->operands++; /* the rest are files */
    run->count--;
    return run_each(run, morphology_file);
}

const struct command command_morphology = {
    .name = "morphology",
    .summary = "Erodes, dilates, opens, closes, fills or cleans a mask",
    .usage = "erosion|dilation|opening|closing|fill|remove FILE...",
    .about =
        "Any pixel that is not 0 is set. What lies outside counts as set for an erosion and as\n"
        "clear for a dilation, as in skimage.morphology, or as --border says. fill closes holes, "
        "remove drops\n"
        "objects below an area. The number of pixels left set is printed.",
    .examples = "  clump morphology erosion mask.npy --footprint disk:2 -o eroded.npy\n"
                "  clump morphology closing mask.fits --footprint square:3 -o closed.fits\n"
                "  clump morphology remove mask.png --area 100 --connectivity 8 -o clean.png\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 2,
    .most = -1,
    .defaults = set_defaults,
    .run = run_morphology,
};
