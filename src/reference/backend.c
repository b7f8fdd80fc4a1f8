/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

static void context_close(clump_context *context) { (void)context; }

static enum clump_status nothing(clump_context *context)
{
    (void)context;
    return CLUMP_OK;
}

static enum clump_status image_create(clump_image *image, void *wrapped)
{
    image->borrowed = wrapped != NULL;
    image->pixels = wrapped ? wrapped : malloc(image->bytes);
    if (!image->pixels)
        return clump_fail(&image->context->log, CLUMP_ERROR_MEMORY,
                          "image: cannot allocate %zu bytes", image->bytes);
    return CLUMP_OK;
}

static void image_destroy(clump_image *image)
{
    if (!image->borrowed)
        free(image->pixels);
}

static enum clump_status image_write(clump_image *image, const void *pixels)
{
    memcpy(image->pixels, pixels, image->bytes);
    return CLUMP_OK;
}

static enum clump_status image_download(const clump_image *image, void *pixels)
{
    memcpy(pixels, image->pixels, image->bytes);
    return CLUMP_OK;
}

static enum clump_status image_map(clump_image *image, enum clump_image_access access,
                                   void **pixels)
{
    (void)access;
    *pixels = image->pixels;
    return CLUMP_OK;
}

static enum clump_status image_unmap(clump_image *image)
{
    (void)image;
    return CLUMP_OK;
}

const struct backend clump_backend_reference = {
    .close = context_close,
    .finish = nothing,
    .trim = nothing,
    .image_create = image_create,
    .image_destroy = image_destroy,
    .image_write = image_write,
    .image_download = image_download,
    .image_map = image_map,
    .image_unmap = image_unmap,
    .convert = clump_reference_convert,
    .crop = clump_reference_crop,
    .channel = clump_reference_channel,
    .reshape = clump_reference_reshape,
    .compress = clump_reference_compress,
    .select = clump_reference_select,
    .arith = clump_reference_arith,
    .allclose = clump_reference_allclose,
    .convolve = clump_reference_convolve,
    .convolve_1d = clump_reference_convolve_1d,
    .gaussian = clump_reference_gaussian,
    .stats = clump_reference_stats,
    .clip = clump_reference_clip,
    .bands_fill = clump_reference_bands_fill,
    .bands_gather = clump_reference_bands_gather,
    .bands_seek = clump_reference_bands_seek,
    .background = clump_reference_background,
    .otsu = clump_reference_otsu,
    .threshold = clump_reference_threshold,
    .morphology = clump_reference_morphology,
    .label = clump_reference_label,
    .measure = clump_reference_measure,
    .photometry_sum = clump_reference_photometry_sum,
    .photometry_kron = clump_reference_photometry_kron,
    .photometry_radius = clump_reference_photometry_radius,
    .photometry_gauss = clump_reference_photometry_gauss,
    .photometry_window = clump_reference_photometry_window,
    .extract = clump_reference_extract,
    .lookup = clump_reference_lookup,
    .label2rgb = clump_reference_label2rgb,
    .primes = clump_reference_primes,
};
