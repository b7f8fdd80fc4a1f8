/* SPDX-License-Identifier: MIT */
#include "extract_bands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figures of one image, one of each per object. */
struct band {
    double *flux, *fluxerr, *flux_auto, *fluxerr_auto;
    struct clump_aperture *apertures;
    struct clump_flux *sums;
};

static void release(struct band *band)
{
    free(band->flux);
    free(band->fluxerr);
    free(band->flux_auto);
    free(band->fluxerr_auto);
    free(band->apertures);
    free(band->sums);
}

static enum clump_status prepare(struct run *run, const struct clump_extract_result *found,
                                 struct band *band)
{
    size_t n = found->count ? found->count : 1;
    *band = (struct band){calloc(n, sizeof(double)),          calloc(n, sizeof(double)),
                          calloc(n, sizeof(double)),          calloc(n, sizeof(double)),
                          calloc(n, sizeof *band->apertures), calloc(n, sizeof *band->sums)};
    if (!band->flux || !band->fluxerr || !band->flux_auto || !band->fluxerr_auto ||
        !band->apertures || !band->sums)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the fluxes of %" PRIu64 " objects",
                        found->count);
    for (uint64_t i = 0; i < found->count; i++) {
        const struct clump_object *object = &found->objects[i];
        band->apertures[i] = (struct clump_aperture){.x = object->x,
                                                     .y = object->y,
                                                     .a = object->a,
                                                     .b = object->b,
                                                     .theta = object->theta,
                                                     .outer = object->kron_radius,
                                                     .id = (int64_t)i + 1};
    }
    return CLUMP_OK;
}

/* Sums the pixels of every object; those of a segmentation without gaps come in its order. */
static enum clump_status sum_pixels(struct run *run, const clump_image *image,
                                    const clump_image *segmentation, uint64_t count, double *sums)
{
    const struct clump_measure_params brief = {.connectivity = 8, .brief = true};
    struct clump_region *regions = NULL;
    uint64_t regions_count = 0;
    if (!count)
        return CLUMP_OK;
    enum clump_status status =
        clump_measure(run->context, image, segmentation, &brief, &regions, &regions_count);
    for (uint64_t i = 0; !status && i < regions_count; i++)
        if (regions[i].label >= 1 && regions[i].label <= count)
            sums[regions[i].label - 1] = regions[i].sum;
    clump_measure_destroy(&regions);
    return status;
}

static enum clump_status measure(struct run *run, const clump_image *image, const clump_image *rms,
                                 const clump_image *segmentation,
                                 const struct clump_extract_field_params *params,
                                 const struct clump_extract_result *found, struct band *band)
{
    struct clump_photometry_params photometry = clump_photometry_defaults;
    const struct clump_operand noise = {.image = rms};
    clump_image *variances = NULL;
    enum clump_status status = sum_pixels(run, image, segmentation, found->count, band->flux);
    if (!status)
        status = clump_arith(run->context, &noise, CLUMP_ARITH_MULTIPLY, &noise, &variances);
    if (!status)
        status = sum_pixels(run, variances, segmentation, found->count, band->fluxerr);
    for (uint64_t i = 0; i < found->count; i++) {
        double light = params->extract.gain > 0 ? fmax(band->flux[i], 0) / params->extract.gain : 0;
        band->fluxerr[i] = sqrt(band->fluxerr[i] + light);
    }
    photometry.subpix = 1;
    photometry.ignore = true;
    photometry.error_map = rms;
    photometry.gain = params->extract.gain;
    photometry.mask = params->extract.mask;
    photometry.segmentation = segmentation;
    if (!status && !params->isophotes_only)
        status = clump_photometry_sum(run->context, image, found->count, band->apertures,
                                      &photometry, band->sums);
    for (uint64_t i = 0; i < found->count; i++) {
        band->flux_auto[i] = band->sums[i].sum;
        band->fluxerr_auto[i] = band->sums[i].error;
    }
    clump_image_destroy(&variances);
    return status;
}

static enum clump_status add_columns(clump_catalog *catalog, const struct band *band,
                                     unsigned number, const char *path, bool isophotes_only)
{
    const struct {
        const char *name, *about;
        const double *values;
    } columns[] = {{"flux", "sum of the pixels of", band->flux},
                   {"fluxerr", "error of the sum of the pixels of", band->fluxerr},
                   {"flux_auto", "flux in the Kron ellipse, of", band->flux_auto},
                   {"fluxerr_auto", "error of the flux in the Kron ellipse, of",
                    band->fluxerr_auto}};
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    enum clump_status status = CLUMP_OK;
    for (unsigned i = 0; !status && i < (isophotes_only ? 2u : 4u); i++) {
        char name[40], about[400];
        snprintf(name, sizeof name, "%s_%u", columns[i].name, number);
        snprintf(about, sizeof about, "%s %s", columns[i].about, file);
        status = clump_catalog_add(catalog, &(struct clump_column){.name = name,
                                                                   .description = about,
                                                                   .type = CLUMP_COLUMN_F64,
                                                                   .values = columns[i].values});
    }
    return status;
}

static enum clump_status measure_file(struct run *run, const char *path, unsigned number,
                                      const clump_image *segmentation,
                                      const struct clump_extract_field_params *params,
                                      const struct clump_extract_result *found,
                                      clump_catalog *catalog)
{
    struct input input;
    struct band band = {0};
    struct clump_background_result level;
    clump_image *rms = NULL, *subtracted = NULL;
    enum clump_status status = run_read_other(run, path, &input);
    if (!status && (clump_image_rows(input.image) != clump_image_rows(segmentation) ||
                    clump_image_cols(input.image) != clump_image_cols(segmentation)))
        status = run_fail(run, CLUMP_ERROR_ARGUMENT,
                          "%s has %" PRIu64 " x %" PRIu64 " pixels, the image in which objects "
                          "were found %" PRIu64 " x %" PRIu64,
                          path, clump_image_rows(input.image), clump_image_cols(input.image),
                          clump_image_rows(segmentation), clump_image_cols(segmentation));
    if (!status)
        status = clump_background(run->context, input.image, params->extract.mask,
                                  &params->background, NULL, &rms, &subtracted, &level);
    if (!status)
        status = prepare(run, found, &band);
    if (!status)
        status = measure(run, params->keep_background ? input.image : subtracted, rms, segmentation,
                         params, found, &band);
    if (!status)
        status = add_columns(catalog, &band, number, path, params->isophotes_only);
    release(&band);
    clump_image_destroy(&subtracted);
    clump_image_destroy(&rms);
    run_release(&input);
    return status;
}

enum clump_status extract_bands(struct run *run, const char *files, const clump_image *segmentation,
                                const struct clump_extract_field_params *params,
                                const struct clump_extract_result *found, clump_catalog *catalog)
{
    enum clump_status status = CLUMP_OK;
    char *copy = files ? strdup(files) : NULL, *rest = copy;
    unsigned number = 0;
    if (files && !copy)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the names of files");
    for (char *path; !status && (path = strsep(&rest, ","));)
        status = measure_file(run, path, ++number, segmentation, params, found, catalog);
    free(copy);
    return status;
}
