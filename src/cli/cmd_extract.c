/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract_apertures.h"
#include "extract_bands.h"
#include "extract_gauss.h"
#include "extract_report.h"
#include "weights.h"

#define SHOWN 10 /* objects printed */

static struct {
    double zero_point;
    const char *mesh, *filter, *clean, *mask, *rms, *weight, *segments, *measure, *check, *regions;
    const char *report;
    struct option_list aperture;
    bool all_planes, gaussians;
} set = {.zero_point = NAN, .filter = "default"};

static struct clump_extract_field_params params;

static void set_defaults(void) { params = clump_extract_field_defaults; }

static const struct option options[] = {
    {"thresh", 't', OPTION_DOUBLE, &params.extract.thresh, "N",
     "threshold in units of the noise of each pixel (@)"},
    {"low", 0, OPTION_DOUBLE, &params.extract.low, "N",
     "objects reach down to this threshold, and have a pixel above --thresh (as --thresh)"},
    {"mesh", 0, OPTION_STRING, &set.mesh, "W[xH]", "pixels of a box of the background (64)"},
    {"mesh-filter", 0, OPTION_SIZE, &params.background.filter_width, "N",
     "boxes along a side of the background's median filter; 1: none (@)"},
    {"keep-background", 0, OPTION_FLAG, &params.keep_background, NULL,
     "the image has no background: subtract nothing"},
    {"filter", 0, OPTION_STRING, &set.filter, "default|none|gauss:FWHM|FILE",
     "what the image is filtered with to find objects: SExtractor's 3 x 3 weights, nothing, a "
     "gaussian by its full width in pixels, or an image (default)"},
    {"filter-type", 0, OPTION_CHOICE, &params.extract.filter_type, "matched|conv",
     "weigh pixels by their noise, or not (@)"},
    {"area", 'a', OPTION_SIZE, &params.extract.min_area, "N",
     "least number of pixels of a source (@)"},
    {"deblend-levels", 0, OPTION_UNSIGNED, &params.extract.deblend_levels, "N",
     "levels between threshold and peak at which blends are looked at; 1: none (@)"},
    {"deblend-contrast", 0, OPTION_DOUBLE, &params.extract.deblend_contrast, "F",
     "part of a blend's flux that makes an object of its own; 1: never (@)"},
    {"clean", 0, OPTION_STRING, &set.clean, "N|off",
     "remove objects that the wings of others explain; exponent of the wings (1)"},
    {"mask", 0, OPTION_STRING, &set.mask, "FILE", "pixels that are not 0 here are left out"},
    {"noise", 0, OPTION_DOUBLE, &params.extract.noise, "V",
     "standard deviation of all pixels, instead of the background's map"},
    {"rms", 0, OPTION_STRING, &set.rms, "FILE", "standard deviation of every pixel"},
    {"weight", 0, OPTION_STRING, &set.weight, "FILE",
     "1 / variance of every pixel; 0 or less: bad"},
    {"gain", 0, OPTION_DOUBLE, &params.extract.gain, "G", "electrons per unit, for errors (none)"},
    {"saturation", 0, OPTION_DOUBLE, &params.saturation, "V",
     "objects with a pixel of the image at or above this are flagged"},
    {"zero-point", 0, OPTION_DOUBLE, &set.zero_point, "M", "add magnitudes with this zero point"},
    {"segmentation", 0, OPTION_STRING, &set.segments, "FILE",
     "measure the objects whose numbers these pixels have, instead of detecting any"},
    {"measure", 0, OPTION_STRING, &set.measure, "FILE,...",
     "measure the same objects in these images too: columns flux_1, flux_auto_1 and so on"},
    {"negative", 0, OPTION_FLAG, &params.extract.negative, NULL,
     "extract the negative: what lies below the background, as if it stood above it"},
    {"isophotes", 0, OPTION_FLAG, &params.isophotes_only, NULL,
     "leave out what apertures show: flux_auto, flux_radius, xwin, ywin"},
    {"all-planes", 0, OPTION_FLAG, &set.all_planes, NULL,
     "extract every plane of a cube, into one table with a column plane, from 0"},
    {"aperture", 0, OPTION_LIST, &set.aperture, "R,...",
     "sum circles of these radii in pixels too: columns flux_aper_1, fluxerr_aper_1, flag_aper_1 "
     "and so on"},
    {"gaussians", 0, OPTION_FLAG, &set.gaussians, NULL,
     "fit a Gaussian to every object: columns gauss_peak, gauss_flux, gauss_major and so on; with "
     "a beam also own_major, own_minor, own_angle, sizes without it"},
    {"check", 0, OPTION_STRING, &set.check, "KIND=FILE,...",
     "write images: background, rms, subtracted, filtered, segmentation, residual, apertures "
     "(the Kron ellipses and those of --aperture, drawn on the image without its background)"},
    {"regions", 0, OPTION_STRING, &set.regions, "FILE", "write a DS9 region file (.reg)"},
    {"report", 0, OPTION_STRING, &set.report, "FILE",
     "write a page with the picture, the table, statistics and histogram (.html)"},
    {0},
};

/* The images that --check may ask for. */
enum kind { BACKGROUND, RMS, SUBTRACTED, FILTERED, SEGMENTATION, RESIDUAL, APERTURES, KINDS };
static const char *const kinds[] = {"background",   "rms",      "subtracted", "filtered",
                                    "segmentation", "residual", "apertures"};
static char *check_files[KINDS]; /* into a copy of set.check */

/* Takes --check apart: KIND=FILE,KIND=FILE. */
static int read_checks(struct run *run)
{
    char *copy = set.check ? strdup(set.check) : NULL, *rest = copy;
    int status = EXIT_DONE;
    for (char *word; !status && (word = strsep(&rest, ","));) {
        char *file = strchr(word, '=');
        enum kind kind = 0;
        if (file)
            *file++ = 0;
        while (kind < KINDS && strcmp(word, kinds[kind]) != 0)
            kind++;
        if (!file || !*file || kind == KINDS)
            status = run_misuse(run,
                                "--check takes KIND=FILE, where KIND is background, rms, "
                                "subtracted, filtered, segmentation, residual or apertures; not "
                                "\"%s\"",
                                word);
        else if (check_files[kind])
            status = run_misuse(run, "--check has %s twice; each image is written once", word);
        else
            check_files[kind] = file;
        if (!status)
            status = run_check_output(run, "--check", file, clump_output_check_image);
    }
    if (!status && check_files[APERTURES] && params.isophotes_only && !set.aperture.count)
        status = run_misuse(run, "--check apertures has nothing to draw with --isophotes; give "
                                 "--aperture");
    return status; /* the copy lives as long as the command */
}

static int read_mesh(struct run *run)
{
    if (!set.mesh)
        return EXIT_DONE;
    uint64_t *width = &params.background.mesh_width, *height = &params.background.mesh_height;
    char rest;
    int read = sscanf(set.mesh, "%" SCNu64 "x%" SCNu64 "%c", width, height, &rest);
    if (read == 1 && !strchr(set.mesh, 'x'))
        *height = *width;
    else if (read != 2)
        read = 0;
    if (!read || strchr(set.mesh, '-') || !*width || !*height)
        return run_misuse(run, "--mesh takes pixels, 64 or 64x32; not \"%s\"", set.mesh);
    return EXIT_DONE;
}

static int read_clean(void)
{
    const struct option number = {.type = OPTION_DOUBLE, .target = &params.extract.clean_param};
    if (!set.clean)
        return EXIT_DONE;
    params.extract.clean = strcmp(set.clean, "off") != 0;
    if (!params.extract.clean)
        return EXIT_DONE;
    return options_value("clump extract", "--clean", &number, set.clean) ? EXIT_DONE : EXIT_USAGE;
}

/* Makes the weights of the filter; release them with free unless they are the default. */
static enum clump_status make_filter(struct run *run, struct clump_weights *made)
{
    char text[64];
    params.extract.filter = &clump_extract_default_filter;
    if (!strcmp(set.filter, "default"))
        return CLUMP_OK;
    params.extract.filter = strcmp(set.filter, "none") != 0 ? made : NULL;
    if (!params.extract.filter)
        return CLUMP_OK;
    if (strncmp(set.filter, "gauss:", 6) != 0)
        return weights_make(run, set.filter, false, false, made);
    snprintf(text, sizeof text, "%s%s", set.filter, strstr(set.filter, "px") ? "" : "px");
    return weights_make(run, text, false, false, made);
}

/* Reads mask, noise and segmentation. */
static enum clump_status read_companions(struct run *run, struct input *mask, struct input *noise,
                                         struct input *segments)
{
    const char *map = set.rms ? set.rms : set.weight;
    enum clump_status status = CLUMP_OK;
    if (set.mask)
        status = run_read_other(run, set.mask, mask);
    if (!status && map)
        status = run_read_other(run, map, noise);
    if (!status && set.segments)
        status = run_read_other(run, set.segments, segments);
    params.extract.segmentation = segments->image;
    params.extract.mask = mask->image;
    params.extract.noise_map = noise->image;
    params.extract.noise_kind = set.weight ? CLUMP_EXTRACT_NOISE_WEIGHT : CLUMP_EXTRACT_NOISE_SIGMA;
    return status;
}

static void print_result(struct run *run, const struct clump_background_result *level,
                         const struct clump_extract_result *found)
{
    if (level->mesh_rows)
        run_print(run, "background = %.*g, rms = %.4g, in %" PRIu64 " x %" PRIu64 " boxes%s\n",
                  run_digits(level->level, level->rms), level->level, level->rms, level->mesh_rows,
                  level->mesh_cols, level->bad ? ", some without enough pixels" : "");
    run_print(run,
              "%" PRIu64 " sources above %g of the noise, %" PRIu64 " objects after deblending, "
              "%" PRIu64 " after cleaning\n",
              found->sources, params.extract.low > 0 ? params.extract.low : params.extract.thresh,
              found->deblended, found->count);
    if (!found->count)
        return;
    run_print(run, "%6s %10s %10s %12s %12s %8s %7s\n", "id", "x", "y", "flux", "flux_auto", "snr",
              "npix");
    for (uint64_t i = 0; i < found->count && i < SHOWN; i++) {
        const struct clump_object *o = &found->objects[i];
        run_print(run, "%6" PRIu64 " %10.3f %10.3f %12.6g %12.6g %8.1f %7" PRIu64 "\n", i + 1,
                  o->x + 1, o->y + 1, o->flux, o->flux_auto, o->snr, o->npix);
    }
    if (found->count > SHOWN)
        run_more(run, found->count - SHOWN);
}

static void add_json(json_t *json, const struct clump_background_result *level,
                     const struct clump_extract_result *found)
{
    json_object_set_new(json, "background", run_json_real(level->level));
    json_object_set_new(json, "rms", run_json_real(level->rms));
    json_object_set_new(json, "sources", json_integer((json_int_t)found->sources));
    json_object_set_new(json, "deblended", json_integer((json_int_t)found->deblended));
    json_object_set_new(json, "objects", json_integer((json_int_t)found->count));
    json_object_set_new(json, "files", json_array());
}

static enum clump_status note(clump_catalog *catalog, const struct clump_background_result *level)
{
    enum clump_status status = clump_catalog_number(catalog, "THRESH", params.extract.thresh, NULL);
    if (!status)
        status = clump_catalog_number(catalog, "BACK", level->level, NULL);
    return status ? status : clump_catalog_number(catalog, "RMS", level->rms, NULL);
}

/* Adds the number of the plane that all objects come from. */
static enum clump_status add_plane(struct run *run, clump_catalog *catalog)
{
    uint64_t rows = clump_catalog_rows(catalog);
    int64_t *planes = malloc((rows + 1) * sizeof *planes);
    if (!planes)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for a column of %" PRIu64 " numbers",
                        rows);
    for (uint64_t i = 0; i < rows; i++)
        planes[i] = (int64_t)common.file.plane;
    enum clump_status status =
        clump_catalog_add(catalog,
                          &(struct clump_column){.name = "plane",
                                                 .description = "plane of the cube, first 0",
                                                 .type = CLUMP_COLUMN_I64,
                                                 .values = planes});
    free(planes);
    return status;
}

static enum clump_status write_files(struct run *run, const char *path, const struct input *input,
                                     clump_image *images[KINDS],
                                     const struct clump_background_result *level,
                                     const struct clump_extract_result *found, json_t *json)
{
    struct clump_extract_catalog_params columns = {.zero_point = set.zero_point,
                                                   .magnitudes = !isnan(set.zero_point),
                                                   .isophotes_only = params.isophotes_only,
                                                   .file = input->file};
    const clump_image *measured = params.keep_background ? input->image : images[SUBTRACTED];
    clump_catalog *catalog = NULL;
    enum clump_status status = clump_extract_catalog(&run->log, found, &columns, &catalog);
    if (!status)
        status = extract_bands(run, set.measure, images[SEGMENTATION], &params, found, catalog);
    if (!status && set.aperture.count)
        status = extract_apertures(run, &set.aperture, measured, images[RMS], &params.extract,
                                   found, catalog);
    if (!status && set.gaussians)
        status = extract_gauss(run, input, measured, images[SEGMENTATION], params.extract.mask,
                               found, catalog);
    if (!status && set.all_planes)
        status = add_plane(run, catalog);
    if (!status)
        status = note(catalog, level);
    if (!status)
        status = run_catalog(run, catalog, common.output, path, json);
    if (!status && common.json)
        json_object_set_new(json, "table", run_json_table(catalog));
    if (!status)
        status = run_catalog(run, catalog, set.regions, path, json);
    if (!status && check_files[APERTURES])
        status = extract_draw(run, &set.aperture, measured, params.extract.negative, found,
                              &images[APERTURES]);
    for (int i = 0; !status && i < KINDS; i++)
        status = (i == SEGMENTATION ? run_write_plain : run_write)(run, images[i], check_files[i],
                                                                   path, input, json);
    if (!status && set.report)
        status = extract_report(run, path, input, &params, level, found, catalog, set.report, json);
    clump_catalog_destroy(&catalog);
    return status;
}

/* Whether an image of this kind is written, or needed for columns. */
static bool is_wanted(enum kind kind)
{
    bool noise = params.extract.noise > 0 || set.rms || set.weight;
    return check_files[kind] || (kind == SEGMENTATION && (set.measure || set.gaussians)) ||
           (kind == SUBTRACTED && !params.keep_background &&
            (set.gaussians || set.aperture.count || check_files[APERTURES])) ||
           (kind == RMS && !noise && set.aperture.count);
}

static enum clump_status extract_file(struct run *run, const char *path, json_t *json)
{
    struct input input = {0}, mask = {0}, noise = {0}, segments = {0};
    struct clump_weights weights = {0};
    struct clump_background_result level = {0};
    struct clump_extract_result found = {0};
    clump_image *images[KINDS] = {NULL};
    clump_image **place[KINDS];
    for (int i = 0; i < KINDS; i++)
        place[i] = is_wanted(i) ? &images[i] : NULL;
    const struct clump_extract_images wanted = {.background = place[BACKGROUND],
                                                .rms = place[RMS],
                                                .subtracted = place[SUBTRACTED],
                                                .filtered = place[FILTERED],
                                                .segmentation = place[SEGMENTATION],
                                                .residual = place[RESIDUAL]};
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = read_companions(run, &mask, &noise, &segments);
    if (!status)
        status = make_filter(run, &weights);
    if (!status)
        status = clump_extract_field(run->context, input.image, &params, &wanted, &level, &found);
    if (!status) {
        add_json(json, &level, &found);
        print_result(run, &level, &found);
        status = write_files(run, path, &input, images, &level, &found, json);
    }
    for (int i = 0; i < KINDS; i++)
        clump_image_destroy(&images[i]);
    clump_extract_release(&found);
    free((void *)weights.weights);
    run_release(&segments);
    run_release(&noise);
    run_release(&mask);
    run_release(&input);
    return status;
}

/* Extracts the planes of a cube, one after the other; their tables become one. */
static enum clump_status extract_planes(struct run *run, const char *path, json_t *json)
{
    clump_file *file = NULL;
    json_t *list = json_array();
    json_object_set_new(json, "planes", list);
    enum clump_status status = clump_file_open(&run->log, path, &common.file, &file);
    uint64_t planes = status ? 0 : clump_file_info(file)->planes;
    clump_file_close(&file);
    run->joins = common.output != NULL;
    for (uint64_t plane = 0; !status && plane < planes; plane++) {
        json_t *own = json_object();
        json_array_append_new(list, own);
        common.file.plane = plane;
        run_print(run, "plane %" PRIu64 "\n", plane);
        status = extract_file(run, path, own);
    }
    common.file.plane = 0;
    return status;
}

static int run_extract(struct run *run)
{
    params.background.filter_height = params.background.filter_width;
    if ((set.rms != NULL) + (set.weight != NULL) + (params.extract.noise > 0) > 1)
        return run_misuse(run, "--noise, --rms and --weight each tell the noise; give one of them");
    if (set.all_planes && (set.check || set.regions || set.measure || set.report ||
                           common.file.plane || (common.output && strstr(common.output, "{}"))))
        return run_misuse(run, "--all-planes makes one table, without --check, --regions, "
                               "--report, --measure, --plane and {}; give --plane N for those");
    if (set.gaussians && params.extract.negative)
        return run_misuse(run, "--gaussians fits what stands above the background; not --negative");
    for (size_t i = 0; i < set.aperture.count; i++)
        if (!(set.aperture.values[i] > 0) || isinf(set.aperture.values[i]))
            return run_misuse(run, "--aperture takes radii above 0, not %g",
                              set.aperture.values[i]);
    int status = read_mesh(run);
    if (!status)
        status = read_clean();
    if (!status)
        status = read_checks(run);
    if (!status)
        status = run_check_output(run, "--regions", set.regions, clump_output_check_table);
    if (!status)
        status = run_check_output(run, "--report", set.report, NULL);
    return status ? status : run_each(run, set.all_planes ? extract_planes : extract_file);
}

const struct command command_extract = {
    .name = "extract",
    .summary = "Extracts the objects of an astronomical image, as SExtractor does",
    .usage = "FILE...",
    .about =
        "Measures and subtracts the background, filters the image, joins what stands above the\n"
        "threshold in units of the noise of each pixel, takes blends apart, removes what the\n"
        "wings of bright objects explain, and measures the rest: isophotal and Kron fluxes with\n"
        "errors, positions, shapes, half-light radii. The catalogue, -o, is written as .fits\n"
        ".csv .ecsv or .vot, with SEP's columns; its positions count from 1, as in FITS. For a\n"
        "flat background and one level, `clump find` is simpler.",
    .examples =
        "  clump extract field.fits -o objects.fits --zero-point 25 --gain 1.5\n"
        "  clump extract field.fits -o objects.csv --check segmentation=seg.fits,rms=rms.fits\n"
        "  clump extract field.fits --low 1.5 --thresh 5 --report objects.html\n"
        "  clump extract r.fits -o objects.fits --measure g.fits,i.fits --mask bad.fits\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES | COMMAND_TABLE,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_extract,
};
