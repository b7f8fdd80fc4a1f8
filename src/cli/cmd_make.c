/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/output.h"
#include "sample.h"
#include "weights.h"

#define EACH 16 /* one pixel in so many along each axis is one, as the lesson has it */

enum what { DELTAS, GAUSS, FIELD, CELLS };
static const char *const words[] = {"deltas", "gauss", "field", "cells"};
static const uint64_t usual[] = {2048, 15, 2048, 640}; /* pixels a side */
static const double crowd[] = {0, 0, 185.0 / (2048 * 2048), 24.0 / (640 * 640)};

static struct {
    uint64_t size, count, seed; /* size: UINT64_MAX where it is not given */
    double sigma;
    int type;
    const char *truth;
} set = {.size = UINT64_MAX, .sigma = 1, .seed = 1};

static const struct option options[] = {
    {"size", 's', OPTION_SIZE, &set.size, "N", "pixels a side (2048, gauss 15, cells 640)"},
    {"sigma", 0, OPTION_DOUBLE, &set.sigma, "S",
     "gauss: standard deviation, in a picture that goes from -2 to 2 (1)"},
    {"count", 'n', OPTION_SIZE, &set.count, "N",
     "field, cells: how many (185 or 24 at the usual size, by area at another)"},
    {"seed", 0, OPTION_SIZE, &set.seed, "N", "field, cells: of the random numbers (1)"},
    {"type", 't', OPTION_CHOICE, &set.type, "float64|float32", "deltas, gauss: type (float64)"},
    {"truth", 0, OPTION_STRING, &set.truth, "FILE",
     "field, cells: write where everything is (.csv .ecsv .fits .vot)"},
    {0},
};

static enum what what;
static struct sample_thing things[SAMPLE_THINGS];

/* The pixels of deltas and gauss as doubles. */
static void fill(double *pixels)
{
    for (uint64_t row = 0; row < set.size; row++)
        for (uint64_t col = 0; col < set.size; col++)
            pixels[row * set.size + col] = what == GAUSS
                                               ? weights_gauss(row, col, set.size, set.sigma)
                                               : row % EACH == EACH / 2 && col % EACH == EACH / 2;
}

static enum clump_status paint(struct run *run, void *pixels, size_t *placed)
{
    uint64_t wanted =
        set.count ? set.count : (uint64_t)(crowd[what] * (double)(set.size * set.size) + 0.5);
    wanted = wanted < 1 ? 1 : wanted > SAMPLE_THINGS ? SAMPLE_THINGS : wanted;
    bool made = true;
    if (what == CELLS)
        made = sample_cells(pixels, (long)set.size, wanted, set.seed, things, placed);
    else if (what == FIELD)
        made = sample_field(pixels, (long)set.size, wanted, set.seed, things, placed);
    else
        fill(pixels);
    if (!made)
        return run_fail(run, CLUMP_ERROR_MEMORY,
                        "no memory for a picture of %" PRIu64 " x %" PRIu64, set.size, set.size);
    if (set.count && what >= FIELD && *placed < set.count)
        return run_fail(run, CLUMP_ERROR_ARGUMENT,
                        "there is room for %zu of %" PRIu64 " in %" PRIu64 " x %" PRIu64 " pixels",
                        *placed, set.count, set.size, set.size);
    return CLUMP_OK;
}

static enum clump_status write_image(struct run *run, const void *pixels, json_t *json)
{
    enum clump_type type = what == CELLS ? CLUMP_RGB : CLUMP_F64;
    clump_image *image = NULL, *single = NULL;
    char cards[2048] = "";
    enum clump_status status =
        clump_image_upload(run->context, type, set.size, set.size, pixels, &image);
    if (!status && type == CLUMP_F64 && (what == FIELD || set.type))
        status = clump_convert(run->context, image, CLUMP_F32, &single);
    if (what == FIELD)
        sample_cards(cards, sizeof cards, (long)set.size);
    if (!status)
        status =
            run_write_made(run, single ? single : image, common.output, words[what], cards, json);
    clump_image_destroy(&single);
    clump_image_destroy(&image);
    return status;
}

static enum clump_status add_column(clump_catalog *catalog, const char *name, const char *unit,
                                    double (*value)(const struct sample_thing *), size_t count)
{
    static double values[SAMPLE_THINGS];
    for (size_t i = 0; i < count; i++)
        values[i] = value(&things[i]);
    return clump_catalog_add(catalog, &(struct clump_column){.name = name,
                                                             .unit = unit,
                                                             .type = CLUMP_COLUMN_F64,
                                                             .values = values});
}

static double x_of(const struct sample_thing *thing) { return thing->x + 1; }
static double y_of(const struct sample_thing *thing) { return thing->y + 1; }
static double peak_of(const struct sample_thing *thing) { return thing->peak; }
static double flux_of(const struct sample_thing *thing) { return thing->flux; }
static double major_of(const struct sample_thing *thing) { return thing->major; }
static double minor_of(const struct sample_thing *thing) { return thing->minor; }

static enum clump_status write_truth(struct run *run, size_t count, json_t *json)
{
    static const struct {
        const char *name, *unit;
        double (*value)(const struct sample_thing *);
    } columns[] = {{"x", "pix", x_of},
                   {"y", "pix", y_of},
                   {"peak", NULL, peak_of},
                   {"flux", NULL, flux_of},
                   {"sigma_major", "pix", major_of},
                   {"sigma_minor", "pix", minor_of}};
    static int64_t ids[SAMPLE_THINGS];
    static const char *kinds[SAMPLE_THINGS];
    clump_catalog *catalog = NULL;
    for (size_t i = 0; i < count; i++) {
        ids[i] = (int64_t)i + 1;
        kinds[i] = sample_kind_text(things[i].kind);
    }
    enum clump_status status = clump_catalog_create(&run->log, "TRUTH", count, &catalog);
    if (!status)
        status = clump_catalog_add(catalog, &(struct clump_column){.name = "id",
                                                                   .type = CLUMP_COLUMN_I64,
                                                                   .values = ids});
    if (!status)
        status = clump_catalog_add(catalog, &(struct clump_column){.name = "kind",
                                                                   .type = CLUMP_COLUMN_TEXT,
                                                                   .values = kinds});
    for (size_t i = 0; !status && i < sizeof columns / sizeof *columns; i++)
        status = add_column(catalog, columns[i].name, columns[i].unit, columns[i].value, count);
    if (!status)
        status = run_catalog(run, catalog, set.truth, words[what], json);
    clump_catalog_destroy(&catalog);
    return status;
}

static enum clump_status make(struct run *run, const char *path, json_t *json)
{
    size_t placed = 0, bytes = what == CELLS ? 3 : sizeof(double);
    void *pixels = calloc(set.size * set.size, bytes);
    (void)path;
    enum clump_status status =
        pixels ? paint(run, pixels, &placed)
               : run_fail(run, CLUMP_ERROR_MEMORY, "no memory for %" PRIu64 " x %" PRIu64 " pixels",
                          set.size, set.size);
    if (!status)
        status = write_image(run, pixels, json);
    if (!status && set.truth)
        status = write_truth(run, placed, json);
    if (!status) {
        run_count(run, json, "rows", set.size);
        run_count(run, json, "cols", set.size);
        if (what >= FIELD)
            run_count(run, json, what == FIELD ? "sources" : "objects", placed);
    }
    free(pixels);
    return status;
}

static int run_make(struct run *run)
{
    size_t chosen = 0;
    while (chosen < 4 && strcmp(words[chosen], run->operands[0]))
        chosen++;
    if (chosen == 4)
        return run_misuse(run, "deltas, gauss, field or cells can be made, not '%s'",
                          run->operands[0]);
    what = (enum what)chosen;
    uint64_t least = what >= FIELD ? SAMPLE_LEAST : 1;
    if (set.size == UINT64_MAX)
        set.size = usual[what];
    if (set.size < least || set.size > SAMPLE_MOST)
        return run_misuse(run, "--size of %s is from %" PRIu64 " to %d, not %" PRIu64, words[what],
                          least, SAMPLE_MOST, set.size);
    if (set.count > SAMPLE_THINGS)
        return run_misuse(run, "--count is at most %d, not %" PRIu64, SAMPLE_THINGS, set.count);
    if (!(set.sigma > 0))
        return run_misuse(run, "--sigma is more than 0, not %g", set.sigma);
    if (what < FIELD && (set.truth || set.count))
        return run_misuse(run, "--truth and --count are for field and cells");
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted");
    if (run_check_output(run, "--truth", set.truth, clump_output_check_table))
        return EXIT_USAGE;
    common.device = "reference"; /* all is made on the host */
    return run_once(run, make);
}

const struct command command_make = {
    .name = "make",
    .summary = "Makes an image to try things on: the lesson's, a field of the sky, cells",
    .usage = "deltas|gauss|field|cells -o OUT",
    .about = "deltas: zeros, and a one at every 16th pixel of every 16th row, from 8. gauss: the\n"
             "lesson's kernel, SIZE points from -2 to 2 along each axis, its peak 1. field: a sky\n"
             "of radio sources in noise of 0.0133 Jy/beam, with WCS and beam in a FITS header.\n"
             "cells: a colour micrograph, whose green channel has the signal. The same numbers\n"
             "make the same pixels everywhere.",
    .examples = "  clump make deltas -o deltas.npy\n"
                "  clump make gauss --size 15 -o gauss.npy\n"
                "  clump make field --size 1024 --truth truth.csv -o field.fits\n"
                "  clump make cells --count 40 --size 1024 -o cells.png\n",
    .options = options,
    .groups = COMMAND_WRITES,
    .least = 1,
    .most = 1,
    .run = run_make,
};
