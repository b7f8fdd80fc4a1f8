/* SPDX-License-Identifier: MIT */
/*
 * Extract: sources in an image whose background has been subtracted, as SExtractor and its library
 * SEP define them: detection on a filtered image, measurement on the image itself, blends taken
 * apart, false sources in the wings of bright ones cleaned away. docs/extract.md has the formulas,
 * what differs from SEP, and why; find.h is the simpler way for a flat background.
 *
 * Pixels are taken as F32. A pixel is bad where it is not finite, where the mask is set, and where
 * a map of noise is not finite or not positive; bad pixels count as 0 in the filter and belong to
 * no source.
 *
 * 1. Filter: the weights, divided by the sum of their magnitudes, are laid over the image without
 *    turning them, their centre at (rows / 2, cols / 2). Sums begin with 0; products enter in
 * raster order by a fused multiply-add in F32. Pixels outside the image count as 0. This gives c.
 * 2. Members: pixels with c > t, where t is the threshold times the noise. With a map of noise and
 *    the filter type MATCHED, pixels where sum(k v w) / sqrt(sum(k k w)) > threshold, with w = 1 /
 *    noise^2, instead.
 * 3. Sources: the 8-connected components of members of at least min_area pixels, in the order of
 *    their last pixels in raster order. With two thresholds, those that have a pixel above the
 *    higher one.
 * 4. Deblending: the source's components at `deblend_levels` thresholds between its own and its
 *    peak form a tree. Branches whose flux above their level is more than deblend_contrast of the
 *    source's become sources; every other pixel goes to the one whose profile is highest there.
 * 5. Measurement, cleaning, and a segmentation image whose numbers are those of the objects, 1..n.
 *
 * With a segmentation instead, the objects are its numbers above 0, in rising order, with all their
 * pixels that are not bad; a number without such pixels has no object. Thresholds, areas,
 * deblending and cleaning do not choose then, and pixels of an object need not be connected.
 *
 * Sums are kept in integers, so that all figures have the same bits on every device. Takes a device
 * with double precision. Kernels cl/extract/, host src/opencl/extract/, definition
 * src/reference/extract.c.
 */
#ifndef CLUMP_EXTRACT_H
#define CLUMP_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/background.h>
#include <clump/catalog.h>
#include <clump/convolve.h>
#include <clump/file.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of an object, a sum of these. The bits up to 128 are SEP's. */
enum clump_object_flag {
    CLUMP_OBJECT_MERGED = 1,          /* was taken out of a blend */
    CLUMP_OBJECT_TRUNCATED = 2,       /* touches the image's border; of a blend: its core does */
    CLUMP_OBJECT_SINGULAR = 8,        /* too thin: 1/12, the moment of a pixel, was added */
    CLUMP_OBJECT_APER_TRUNCATED = 16, /* of apertures: reaches beyond the image */
    CLUMP_OBJECT_APER_MASKED = 32,    /* has masked pixels */
    CLUMP_OBJECT_APER_ALL_MASKED = 64,
    CLUMP_OBJECT_APER_NEGATIVE = 128, /* the flux in the Kron ellipse is not positive */
    CLUMP_OBJECT_SATURATED = 1024     /* has a saturated pixel */
};

enum clump_extract_filter { CLUMP_EXTRACT_FILTER_MATCHED, CLUMP_EXTRACT_FILTER_CONV };

/* What a map of noise holds: standard deviations, variances, or weights, which are 1 / variance. */
enum clump_extract_noise {
    CLUMP_EXTRACT_NOISE_SIGMA,
    CLUMP_EXTRACT_NOISE_VARIANCE,
    CLUMP_EXTRACT_NOISE_WEIGHT
};

struct clump_extract_params {
    double thresh; /* in units of the noise; without noise a value of the image. Positive */
    double low;    /* members are above this; a source has a pixel above `thresh`. 0: thresh */
    double noise;  /* standard deviation of all pixels; 0: none */
    const clump_image *noise_map; /* noise of every pixel, instead of `noise`; NULL: none */
    enum clump_extract_noise noise_kind;
    const clump_image *mask;            /* bad where not 0; NULL: none */
    const struct clump_weights *filter; /* NULL: no filter, c is the image */
    enum clump_extract_filter filter_type;
    uint64_t min_area;       /* members that a source must have; 1 or more */
    uint32_t deblend_levels; /* 1: no deblending; at most 255 */
    double deblend_contrast; /* 0..1; 1: no deblending */
    bool clean;
    double clean_param;           /* exponent of the profile; positive */
    double gain;                  /* electrons per unit of the image, for errors; 0: none */
    const clump_image *saturated; /* flags objects with a member where this is not 0; NULL: none */
    bool negative; /* extract the image's negative: what stands below the background */
    const clump_image *segmentation; /* measure these objects instead of detecting any: one for each
                                        number above 0, in their order; NULL: detect */
    uint64_t reserved[7];            /* 0 (clump.h) */
};

/* SExtractor's 3 x 3 filter: 1 2 1, 2 4 2, 1 2 1. */
CLUMP_API extern const struct clump_weights clump_extract_default_filter;

/* 1.5, no noise, no mask, the default filter, matched, 5 pixels, 32 levels, contrast 0.005,
 * cleaning with 1, no gain. */
CLUMP_API extern const struct clump_extract_params clump_extract_defaults;

/* An object, named as in SEP's records. Pixels count from 0, boxes include their last pixels. */
struct clump_object {
    double thresh;        /* mean of t over the members */
    uint64_t npix, tnpix; /* members; those whose pixel is above thresh */
    uint64_t xmin, xmax, ymin, ymax;
    double x, y;                           /* centre of c; of a blend: of its core */
    double x2, y2, xy;                     /* second moments of c about it */
    double errx2, erry2, errxy;            /* variances of the centre */
    double a, b, theta;                    /* of the ellipse; theta from x towards y, -pi/2..pi/2 */
    double cxx, cyy, cxy;                  /* the same ellipse as coefficients */
    double cflux, flux;                    /* sums of c and of the image over the members */
    double cpeak, peak;                    /* largest c and largest pixel */
    uint64_t xcpeak, ycpeak, xpeak, ypeak; /* where, first in raster order */
    uint32_t flag;                         /* enum clump_object_flag */

    double fluxerr, snr; /* of flux: root of the members' variances; flux / fluxerr, NaN if 0 */

    /* Of clump_extract_photometry, else 0. */
    double kron_radius;             /* of the ellipse of flux_auto, in units of a and b */
    double flux_auto, fluxerr_auto; /* in that ellipse */
    double flux_radius;             /* of the circle that has half of flux_auto */
    double xwin, ywin;              /* centre weighted by a Gaussian of that circle's width */
    uint64_t reserved[8];           /* 0 (clump.h) */
};

struct clump_extract_result {
    struct clump_object *objects;
    uint64_t count;
    uint64_t sources;     /* components before deblending */
    uint64_t deblended;   /* objects before cleaning */
    uint64_t reserved[8]; /* 0 (clump.h) */
};

/*
 * Extracts the objects of an image of any number type. `params` NULL: clump_extract_defaults.
 * `segmentation` may be NULL; else `*segmentation` gets an I32 image: 0, or 1 + the object's
 * number. `filtered` may be NULL; else `*filtered` gets c. Blocks. Release with
 * clump_extract_release. Returns CLUMP_ERROR_ARGUMENT for parameters out of range,
 * CLUMP_ERROR_UNSUPPORTED on a device without double precision and for an image of 2^31 pixels or
 * more.
 */
CLUMP_API enum clump_status clump_extract(clump_context *context, const clump_image *image,
                                          const struct clump_extract_params *params,
                                          clump_image **segmentation, clump_image **filtered,
                                          struct clump_extract_result *result);

/*
 * Measures what apertures show: flux_auto in an ellipse of 2.5 Kron radii, at least 3.5
 * (SExtractor's PHOT_AUTOPARAMS), over whole pixels, without those of other objects; flux_radius;
 * xwin and ywin; and the flags of these. `image` is the one that was extracted, or one of another
 * band of the same size; `params` those of the extraction, whose noise, gain and mask are used.
 * `segmentation` NULL: pixels of other objects count. Blocks.
 */
CLUMP_API enum clump_status clump_extract_photometry(clump_context *context,
                                                     const clump_image *image,
                                                     const clump_image *segmentation,
                                                     const struct clump_extract_params *params,
                                                     struct clump_object *objects, uint64_t count);

struct clump_extract_field_params {
    struct clump_background_params background;
    bool keep_background;                /* the image has none: nothing is subtracted */
    struct clump_extract_params extract; /* without noise: that of the background's rms map */
    double saturation;    /* pixels of the image at or above it are saturated; 0: none are */
    bool isophotes_only;  /* leave clump_extract_photometry out */
    uint64_t reserved[8]; /* 0 (clump.h) */
};

/* The defaults of both; everything is done. */
CLUMP_API extern const struct clump_extract_field_params clump_extract_field_defaults;

/* Where images of a field go that are wanted; NULL: not wanted. All are F32 but segmentation. */
struct clump_extract_images {
    clump_image **background, **rms;
    clump_image **subtracted; /* the image without its background */
    clump_image **filtered;
    clump_image **segmentation; /* I32 */
    clump_image **residual;     /* subtracted, 0 where an object is */
    uint64_t reserved[4];       /* 0 (clump.h) */
};

/*
 * From pixels to a catalogue: subtracts the background, extracts the objects and measures them.
 * `params` NULL: clump_extract_field_defaults. `images` and `background` may be NULL; the latter
 * gets what clump_background says. Blocks.
 */
CLUMP_API enum clump_status clump_extract_field(clump_context *context, const clump_image *image,
                                                const struct clump_extract_field_params *params,
                                                const struct clump_extract_images *images,
                                                struct clump_background_result *background,
                                                struct clump_extract_result *result);

struct clump_extract_catalog_params {
    double zero_point;      /* of magnitudes: zero_point - 2.5 log10(flux) */
    bool magnitudes;        /* add mag_auto and magerr_auto */
    bool isophotes_only;    /* leave out what clump_extract_photometry measures */
    const clump_file *file; /* for ra and dec, unit and beam; NULL: none */
    uint64_t reserved[4];   /* 0 (clump.h) */
};

/*
 * Makes a catalogue of objects: id, SEP's columns, fluxerr flux_isocor snr flux_beam fluxerr_beam
 * flux_auto fluxerr_auto kron_radius flux_radius xwin ywin mag_auto magerr_auto ra dec. Those of a
 * beam exist as in clump_find_catalog; fluxerr_beam takes the noise within a beam as one, and is
 * not less than that of one beam. Positions count from 1, as in FITS; clump_object counts from 0.
 * `log` and `params` may be NULL.
 */
CLUMP_API enum clump_status clump_extract_catalog(const struct clump_log *log,
                                                  const struct clump_extract_result *result,
                                                  const struct clump_extract_catalog_params *params,
                                                  clump_catalog **catalog);

/* Releases what a result holds; accepts one that is all zero. */
CLUMP_API void clump_extract_release(struct clump_extract_result *result);

#ifdef __cplusplus
}
#endif

#endif
