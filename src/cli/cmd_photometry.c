/* SPDX-License-Identifier: MIT */
#include "positions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clump/catalog.h>

static struct {
    const char *catalog, *error, *mask, *segmentation;
    struct option_list at, aperture, annulus, radius;
    unsigned origin;
    bool kron, radians;
} set = {.origin = 1};

static struct clump_photometry_params given;

static void set_defaults(void) { given = clump_photometry_defaults; }

static const struct option options[] = {
    {"catalog", 'c', OPTION_STRING, &set.catalog, "FILE",
     "positions: the columns x and y of a CSV or ECSV table; {} stands for the input's name"},
    {"at", 0, OPTION_LIST, &set.at, "X,Y,...", "positions: pairs of numbers"},
    {"origin", 0, OPTION_UNSIGNED, &set.origin, "0|1",
     "the place of the first pixel's middle, in all positions (1)"},
    {"aperture", 'a', OPTION_LIST, &set.aperture, "R,...", "radii of circles, in pixels"},
    {"annulus", 0, OPTION_LIST, &set.annulus, "IN,OUT",
     "subtract the mean of this annulus as the local background"},
    {"kron", 0, OPTION_FLAG, &set.kron, NULL,
     "Kron radius and flux; the table has a, b and theta (in degrees, see --radians)"},
    {"radians", 0, OPTION_FLAG, &set.radians, NULL, "theta of the table is in radians"},
    {"radius", 0, OPTION_LIST, &set.radius, "PART,...",
     "radii that hold these parts of the flux, as 0.5"},
    {"err", 0, OPTION_STRING, &set.error, "E|FILE", "standard deviation of the pixels, or its map"},
    {"gain", 0, OPTION_DOUBLE, &given.gain, "G", "electrons per unit of the image"},
    {"mask", 0, OPTION_STRING, &set.mask, "FILE",
     "leave out the pixels that are not 0 in this image"},
    {"segmentation", 0, OPTION_STRING, &set.segmentation, "FILE",
     "leave out the pixels of other objects: numbers as in the table's column id"},
    {"ignore", 0, OPTION_FLAG, &given.ignore, NULL,
     "do not scale sums up for what was left out of an aperture"},
    {"subpix", 0, OPTION_UNSIGNED, &given.subpix, "N",
     "points along a side of a pixel; 0: exact areas (@)"},
    {0},
};

/* What one input is measured with. */
struct work {
    struct input input, error, mask, segmentation;
    struct positions positions;
    struct clump_photometry_params params;
    struct clump_aperture *apertures;
    double *column; /* one value per row */
    clump_catalog *table;
};

static enum clump_status add_column(struct work *work, const char *name, const char *unit,
                                    const char *description)
{
    const struct clump_column column = {.name = name,
                                        .unit = unit,
                                        .description = description,
                                        .type = CLUMP_COLUMN_F64,
                                        .values = work->column};
    return clump_catalog_add(work->table, &column);
}

static enum clump_status add_flags(struct work *work, const char *name, const uint32_t *flags,
                                   size_t stride)
{
    int64_t *values = calloc(work->positions.count + 1, sizeof *values);
    if (!values)
        return CLUMP_ERROR_MEMORY;
    for (uint64_t i = 0; i < work->positions.count; i++)
        values[i] = *(const uint32_t *)((const char *)flags + i * stride);
    const struct clump_column column = {
        .name = name,
        .description =
            "sum of 16 truncated, 32 masked, 64 all masked, 128 not positive, 512 invalid",
        .type = CLUMP_COLUMN_I64,
        .values = values};
    enum clump_status status = clump_catalog_add(work->table, &column);
    free(values);
    return status;
}

/* Adds flux, error and flags, their names followed by `suffix`. */
static enum clump_status add_fluxes(struct run *run, struct work *work, const char *suffix)
{
    uint64_t count = work->positions.count;
    char name[40];
    struct clump_flux *fluxes = calloc(count + 1, sizeof *fluxes);
    if (!fluxes)
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    enum clump_status status = clump_photometry_sum(run->context, work->input.image, count,
                                                    work->apertures, &work->params, fluxes);
    for (uint64_t i = 0; i < count && !status; i++)
        work->column[i] = fluxes[i].sum;
    snprintf(name, sizeof name, "flux%s", suffix);
    if (!status)
        status = add_column(work, name, NULL, "sum of the aperture");
    for (uint64_t i = 0; i < count && !status; i++)
        work->column[i] = fluxes[i].error;
    snprintf(name, sizeof name, "fluxerr%s", suffix);
    if (!status && (set.error || given.gain > 0))
        status = add_column(work, name, NULL, "its standard deviation");
    for (uint64_t i = 0; i < count && !status; i++)
        work->column[i] = fluxes[i].background;
    snprintf(name, sizeof name, "background%s", suffix);
    if (!status && set.annulus.count)
        status = add_column(work, name, NULL, "level of the annulus, per pixel");
    snprintf(name, sizeof name, "flags%s", suffix);
    if (!status)
        status = add_flags(work, name, &fluxes[0].flags, sizeof *fluxes);
    free(fluxes);
    return status;
}

static void make_circles(struct work *work, double radius)
{
    for (uint64_t i = 0; i < work->positions.count; i++) {
        const struct position *row = &work->positions.rows[i];
        work->apertures[i] = (struct clump_aperture){.x = row->x - set.origin,
                                                     .y = row->y - set.origin,
                                                     .a = 1,
                                                     .b = 1,
                                                     .outer = radius,
                                                     .id = row->id};
    }
}

/* Flux in an ellipse of 2.5 Kron radii, at least 3.5, as SExtractor's FLUX_AUTO. */
static enum clump_status add_kron(struct run *run, struct work *work)
{
    uint64_t count = work->positions.count;
    struct clump_kron *radii = calloc(count + 1, sizeof *radii);
    if (!radii)
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    for (uint64_t i = 0; i < count; i++) {
        const struct position *row = &work->positions.rows[i];
        work->apertures[i].a = row->a;
        work->apertures[i].b = row->b;
        work->apertures[i].theta = set.radians ? row->theta : row->theta * M_PI / 180;
        work->apertures[i].outer = 6;
    }
    enum clump_status status = clump_photometry_kron(run->context, work->input.image, count,
                                                     work->apertures, &work->params, radii);
    for (uint64_t i = 0; i < count && !status; i++) {
        work->column[i] = radii[i].radius;
        work->apertures[i].outer = fmax(2.5 * radii[i].radius, 3.5);
    }
    if (!status)
        status = add_column(work, "kron_radius", NULL, "in units of a and b");
    if (!status)
        status = add_flags(work, "flags_kron", &radii[0].flags, sizeof *radii);
    struct clump_photometry_params whole = work->params;
    work->params.local_outer = 0; /* of radii in pixels, not in units of a and b */
    if (!status)
        status = add_fluxes(run, work, "_auto");
    work->params = whole;
    free(radii);
    return status;
}

/* Radii that hold parts of the flux within 6 a, or within the largest aperture. */
static enum clump_status add_radii(struct run *run, struct work *work)
{
    uint64_t count = work->positions.count;
    unsigned parts = (unsigned)set.radius.count;
    char name[40], about[60];
    double largest = 10, *radii = calloc(count * parts + 1, sizeof *radii);
    if (!radii)
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < set.aperture.count; i++)
        largest = i ? fmax(largest, set.aperture.values[i]) : set.aperture.values[0];
    make_circles(work, largest);
    for (uint64_t i = 0; i < count && work->positions.shaped; i++)
        work->apertures[i].outer = 6 * work->positions.rows[i].a;
    struct clump_photometry_params params = work->params;
    params.subpix = params.subpix ? params.subpix : 5;
    enum clump_status status =
        clump_photometry_radius(run->context, work->input.image, count, work->apertures, NULL,
                                set.radius.values, parts, &params, radii, NULL);
    for (unsigned part = 0; part < parts && !status; part++) {
        for (uint64_t i = 0; i < count; i++)
            work->column[i] = radii[i * parts + part];
        snprintf(name, sizeof name, parts > 1 ? "flux_radius_%u" : "flux_radius", part + 1);
        snprintf(about, sizeof about, "radius that holds %g of the flux", set.radius.values[part]);
        status = add_column(work, name, "pix", about);
    }
    free(radii);
    return status;
}

/* Reads what was given besides the image. */
static enum clump_status read_others(struct run *run, const char *path, struct work *work)
{
    char *end, *name = set.catalog ? run_output(set.catalog, path) : NULL;
    enum clump_status status = CLUMP_OK;
    if (set.catalog)
        status = name ? positions_read(run, name, &work->positions)
                      : run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    else
        status = positions_of(run, &set.at, &work->positions);
    if (!status && set.kron && !work->positions.shaped)
        status = run_fail(run, CLUMP_ERROR_ARGUMENT,
                          "%s: --kron wants a table with the columns a, b and theta",
                          name ? name : "--at");
    free(name);
    if (!status && set.error) {
        work->params.error = strtod(set.error, &end);
        if (*end || end == set.error) {
            work->params.error = 0;
            status = run_read_other(run, set.error, &work->error);
            work->params.error_map = work->error.image;
        }
    }
    if (!status && set.mask)
        status = run_read_other(run, set.mask, &work->mask);
    if (!status && set.segmentation)
        status = run_read_other(run, set.segmentation, &work->segmentation);
    work->params.mask = work->mask.image;
    work->params.segmentation = work->segmentation.image;
    return status;
}

static enum clump_status make_table(struct run *run, struct work *work)
{
    uint64_t count = work->positions.count;
    char suffix[24] = "";
    work->apertures = calloc(count + 1, sizeof *work->apertures);
    work->column = calloc(count + 1, sizeof *work->column);
    if (!work->apertures || !work->column)
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    enum clump_status status = clump_catalog_create(&run->log, "PHOTOMETRY", count, &work->table);
    for (uint64_t i = 0; i < count; i++)
        work->column[i] = work->positions.rows[i].x;
    if (!status)
        status = add_column(work, "x", "pix", "position");
    for (uint64_t i = 0; i < count; i++)
        work->column[i] = work->positions.rows[i].y;
    if (!status)
        status = add_column(work, "y", "pix", "position");
    for (size_t k = 0; k < set.aperture.count && !status; k++) {
        if (set.aperture.count > 1)
            snprintf(suffix, sizeof suffix, "_%zu", k + 1);
        make_circles(work, set.aperture.values[k]);
        status = add_fluxes(run, work, suffix);
    }
    make_circles(work, 1);
    if (!status && set.kron)
        status = add_kron(run, work);
    if (!status && set.radius.count)
        status = add_radii(run, work);
    return status;
}

static enum clump_status photometry_file(struct run *run, const char *path, json_t *json)
{
    struct work work = {.params = given};
    if (set.annulus.count) {
        work.params.local_inner = set.annulus.values[0];
        work.params.local_outer = set.annulus.values[1];
    }
    enum clump_status status = run_read(run, path, &work.input);
    if (!status)
        status = read_others(run, path, &work);
    if (!status)
        status = make_table(run, &work);
    if (!status && (common.output || !common.json)) /* the same digits in a file and on stdout */
        status = run_catalog(run, work.table, common.output ? common.output : "-", path, json);
    if (!status) {
        json_object_set_new(json, "positions", json_integer((json_int_t)work.positions.count));
        if (!common.output && common.json)
            json_object_set_new(json, "table", run_json_table(work.table));
    }
    clump_catalog_destroy(&work.table);
    free(work.column);
    free(work.apertures);
    free(work.positions.rows);
    run_release(&work.segmentation);
    run_release(&work.mask);
    run_release(&work.error);
    run_release(&work.input);
    return status;
}

static int run_photometry(struct run *run)
{
    if (!set.catalog == !set.at.count)
        return run_misuse(run, "--catalog FILE or --at X,Y is wanted%s",
                          set.catalog ? ", not both" : "");
    if (set.at.count % 2)
        return run_misuse(run, "--at takes pairs of numbers, X,Y");
    if (set.annulus.count && set.annulus.count != 2)
        return run_misuse(run, "--annulus takes two radii, IN,OUT");
    if (!set.aperture.count && !set.kron && !set.radius.count)
        return run_misuse(run, "--aperture R, --kron or --radius PART is wanted");
    return run_each(run, photometry_file);
}

const struct command command_photometry = {
    .name = "photometry",
    .summary = "Measures fluxes and radii at given positions",
    .usage = "FILE... --catalog CAT|--at X,Y --aperture R",
    .about =
        "Sums apertures with errors, as SEP does. The table has x and y as they were given, then\n"
        "flux, fluxerr and flags of each aperture, kron_radius, flux_auto and flux_radius as\n"
        "asked for. It goes to -o (.csv .ecsv .fits .vot), or to stdout as CSV.",
    .examples =
        "  clump photometry field.fits --at 120.5,88 --aperture 3,5,10 --annulus 12,16\n"
        "  clump photometry field.fits --catalog stars.csv --kron --radius 0.5 -o mag.fits\n"
        "  clump photometry field.fits --catalog stars.csv --aperture 5 --err rms.fits\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES | COMMAND_TABLE,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_photometry,
};
