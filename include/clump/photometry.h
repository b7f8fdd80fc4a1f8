/* SPDX-License-Identifier: MIT */
/*
 * Photometry at given positions: sums in apertures with errors, Kron radius, Gaussians, radii that
 * hold a part of the flux, windowed positions.
 *
 * Positions are x (column) and y (row), 0-based; the centre of the first pixel is (0, 0). A call
 * takes many apertures. With dx, dy from the centre and Rho^2 = cxx dx^2 + cyy dy^2 + cxy dx dy
 * (clump_ellipse_coefficients of a, b, theta), an aperture is where inner <= Rho < outer. A circle
 * has a = b = 1 and theta = 0, so that `inner` and `outer` are in pixels.
 *
 * A pixel counts by the part of it that lies in the aperture: of `subpix`^2 points, or exactly
 * where subpix is 0. Pixels whose middle is further than 0.7072 pixels (0.7072 / b of an ellipse)
 * inside or outside of an edge are taken as wholly in or out.
 *
 * Pixels that are masked (mask, segmentation), blank or infinite have no part in a sum. All
 * arithmetic is double, with products and sums in one order: along a row of pixels, then row after
 * row. So all results have the same bits on every device; docs/photometry.md has the formulas, and
 * where they differ from SEP's. An aperture that makes no sense gets NaN and a flag, and the others
 * are measured. Kernels cl/photometry/, host src/opencl/photometry/photometry.c, definition
 * src/reference/photometry.c.
 */
#ifndef CLUMP_PHOTOMETRY_H
#define CLUMP_PHOTOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of a result, a sum of these. The first four are SEP's SEP_APER_*. */
enum clump_photometry_flag {
    CLUMP_PHOTOMETRY_TRUNCATED = 0x10,   /* the aperture reaches beyond the image */
    CLUMP_PHOTOMETRY_MASKED = 0x20,      /* has pixels that were left out */
    CLUMP_PHOTOMETRY_ALL_MASKED = 0x40,  /* all of its pixels were left out */
    CLUMP_PHOTOMETRY_NONPOSITIVE = 0x80, /* a sum that must be positive is not */
    CLUMP_PHOTOMETRY_INVALID = 0x200     /* the aperture makes no sense: the figures are NaN */
};

/*
 * An aperture. It makes no sense where a member is not finite, a or b is negative, inner is
 * negative or outer less than inner. Any theta will do, and so will a < b.
 */
struct clump_aperture {
    double x, y;          /* the centre */
    double a, b;          /* semi-axes of Rho = 1 in pixels */
    double theta;         /* of `a`, in radians, from the x axis towards the y axis */
    double inner, outer;  /* inner <= Rho < outer: radii in units of a and b */
    int64_t id;           /* with a segmentation: the object's number. A pixel is left out where the
                             segmentation is neither 0 nor id; of id <= 0 where it is not -id */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

struct clump_photometry_params {
    unsigned subpix;              /* points along a side of a pixel, up to 1024; 0: exact areas */
    double error;                 /* of every pixel, standard deviation; 0: none */
    const clump_image *error_map; /* instead of `error`, of each pixel; NULL: none */
    bool variance;                /* error and error_map are variances */
    double gain;                  /* electrons per unit, for the noise of the source; 0: none */
    const clump_image *mask;      /* NULL: none */
    double mask_threshold;        /* a pixel is masked where the mask is greater than this */
    const clump_image *segmentation; /* object numbers, whole; NULL: none */
    bool ignore; /* sums leave out what is masked; else they are scaled to the whole area, as if the
                    masked part had the mean of the rest */
    /* The local background: the mean of an annulus about each aperture, from `local_inner` to
     * `local_outer` in units of a and b, is subtracted from its sum; local_outer 0: none. */
    double local_inner, local_outer;
    unsigned local_subpix; /* as subpix, for the annulus, of which masked pixels are ignored */
    uint64_t reserved[4];  /* 0 (clump.h) */
};

/* 5 x 5 points; no errors, gain, mask, segmentation; scaled; no local background, 1 point in it. */
CLUMP_API extern const struct clump_photometry_params clump_photometry_defaults;

/* A sum over an aperture. */
struct clump_flux {
    double sum;        /* of pixels times their part in the aperture, less the local background */
    double error;      /* its standard deviation; 0 where neither errors nor a gain are given */
    double area;       /* of the aperture in the image, in pixels; with `ignore`, what was used */
    double background; /* level per pixel that was subtracted; 0: none */
    uint32_t flags;    /* enum clump_photometry_flag; those of the annulus are left out */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/* A radius, or a position. */
struct clump_kron {
    double radius;        /* in units of a and b; 0 where it is not defined (flags) */
    uint32_t flags;       /* enum clump_photometry_flag */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

struct clump_window {
    double x, y;
    uint32_t iterations;
    uint32_t flags;       /* enum clump_photometry_flag */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/*
 * Sums the pixels of `count` apertures. `image` has any number type; mask, error map and
 * segmentation have its size. `apertures` and `fluxes` have `count` entries and may be NULL where
 * that is 0. `params` NULL: clump_photometry_defaults. Blocks. Returns CLUMP_ERROR_ARGUMENT for
 * parameters that make no sense, CLUMP_ERROR_UNSUPPORTED on a device without fp64.
 */
CLUMP_API enum clump_status clump_photometry_sum(clump_context *context, const clump_image *image,
                                                 uint64_t count,
                                                 const struct clump_aperture *apertures,
                                                 const struct clump_photometry_params *params,
                                                 struct clump_flux *fluxes);

/*
 * Kron's first-moment radius, the sum of Rho v over that of v, over pixels with Rho <= outer (6 is
 * usual); `inner` is not looked at. Masks and segmentation are used, the other parameters not.
 */
CLUMP_API enum clump_status clump_photometry_kron(clump_context *context, const clump_image *image,
                                                  uint64_t count,
                                                  const struct clump_aperture *apertures,
                                                  const struct clump_photometry_params *params,
                                                  struct clump_kron *radii);

/*
 * The radii in pixels of circles that hold given parts of a flux. Of an aperture x, y, outer (the
 * largest radius) and id are used. `totals` has the flux of each that the parts are of; NULL: what
 * lies within `outer`. `radii` gets `parts` figures for each aperture, in order; `flags` one, and
 * may be NULL. subpix must not be 0.
 */
CLUMP_API enum clump_status clump_photometry_radius(
    clump_context *context, const clump_image *image, uint64_t count,
    const struct clump_aperture *apertures, const double *totals, const double *fractions,
    unsigned parts, const struct clump_photometry_params *params, double *radii, uint32_t *flags);

/*
 * Positions weighted by a Gaussian window about the position, found by iteration. Of an aperture x,
 * y, outer (the window's sigma, at least 1 / 2.35) and id are used. SEP takes subpix 11.
 */
CLUMP_API enum clump_status clump_photometry_window(clump_context *context,
                                                    const clump_image *image, uint64_t count,
                                                    const struct clump_aperture *apertures,
                                                    const struct clump_photometry_params *params,
                                                    struct clump_window *positions);

/* A Gaussian that was fitted: height exp(-Rho^2 / 2), without the local background. */
struct clump_gauss {
    double height, x, y;
    double cxx, cyy, cxy; /* of Rho^2, so that a and b are standard deviations */
    double a, b, theta;   /* the same ellipse; theta in -pi/2..pi/2 */
    double residual;      /* sum of the squares of pixels less the Gaussian */
    uint64_t pixels;      /* that were used */
    uint32_t rounds;      /* of the fit; 100 at most */
    uint32_t flags;       /* enum clump_photometry_flag; NONPOSITIVE: of the height */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/*
 * Fits a Gaussian to the pixels with Rho <= outer of each aperture by least squares, from the
 * aperture's own centre and shape on. `fixed`: the shape stays, as for a point source, whose shape
 * is the beam's. Masks and segmentation are used, the other parameters not. An aperture without
 * more pixels than the fit has figures (6, fixed 3) gets NaN and ALL_MASKED. docs/photometry.md has
 * the method.
 */
CLUMP_API enum clump_status
clump_photometry_gauss(clump_context *context, const clump_image *image, uint64_t count,
                       const struct clump_aperture *apertures, bool fixed,
                       const struct clump_photometry_params *params, struct clump_gauss *fits);

/* cxx, cyy and cxy of an ellipse: Rho is 1 on it. Places may be NULL. */
CLUMP_API void clump_ellipse_coefficients(double a, double b, double theta, double *cxx,
                                          double *cyy, double *cxy);

/* The way back, with theta in -pi/2..pi/2. Returns false, and NaN in all, where the coefficients
 * are not those of an ellipse. Places may be NULL. */
CLUMP_API bool clump_ellipse_axes(double cxx, double cyy, double cxy, double *a, double *b,
                                  double *theta);

#ifdef __cplusplus
}
#endif

#endif
