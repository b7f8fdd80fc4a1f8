/* SPDX-License-Identifier: MIT */
/*
 * Pictures: an image in grey or colours for people to look at, with a colour bar, a grid of right
 * ascension and declination, and marks around what was found.
 *
 * Cairo draws them on the host, as an image or as a PDF or SVG file. Small images are magnified by
 * whole pixels; images beyond 4096 pixels are reduced by averaging. Host
 * src/render.c, src/render/.
 */
#ifndef CLUMP_RENDER_H
#define CLUMP_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clump/file.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the place t of a value between low (0) and high (1) becomes its brightness, as in astropy and
 * DS9. */
enum clump_render_stretch {
    CLUMP_RENDER_STRETCH_LINEAR,
    CLUMP_RENDER_STRETCH_SQRT,
    CLUMP_RENDER_STRETCH_LOG,     /* log(1 + 1000 t) / log(1001) */
    CLUMP_RENDER_STRETCH_ASINH,   /* asinh(10 t) / asinh(10) */
    CLUMP_RENDER_STRETCH_SQUARED, /* t^2 */
    CLUMP_RENDER_STRETCH_SINH,    /* sinh(3 t) / sinh(3) */
    CLUMP_RENDER_STRETCH_LOGNORM /* log(x / low) / log(high / low); low > 0; Matplotlib's LogNorm */
};

/* How the limits are chosen that are not given. Only the pixels shown count. */
enum clump_render_limits {
    /* low_percentile and high_percentile of the finite pixels; their least and greatest value where
     * the two percentiles are equal. */
    CLUMP_RENDER_LIMITS_PERCENTILES,
    /* The least and the greatest finite value. */
    CLUMP_RENDER_LIMITS_MINMAX,
    /* IRAF's zscale, with the constants and the sample of astropy's ZScaleInterval: contrast 0.25,
     * 1000 pixels. */
    CLUMP_RENDER_LIMITS_ZSCALE
};

enum clump_render_colormap {
    CLUMP_RENDER_COLORMAP_GREY,
    CLUMP_RENDER_COLORMAP_GREY_REVERSED, /* bright is black, as on a photographic plate */
    CLUMP_RENDER_COLORMAP_VIRIDIS,
    CLUMP_RENDER_COLORMAP_MAGMA,
    CLUMP_RENDER_COLORMAP_INFERNO,
    CLUMP_RENDER_COLORMAP_CIVIDIS,
    /* The ten colours of label2rgb.h in turn, 0 black. Limits and stretch are ignored, because
     * labels are names, not quantities. */
    CLUMP_RENDER_COLORMAP_LABELS,
    /* Labels for an I32 image whose least value is 0 and most of whose neighbours in a row are
     * equal; else grey reversed. */
    CLUMP_RENDER_COLORMAP_AUTO
};

enum clump_render_origin {
    CLUMP_RENDER_ORIGIN_AUTO,  /* bottom for FITS files, top for others */
    CLUMP_RENDER_ORIGIN_TOP,   /* the first row is at the top */
    CLUMP_RENDER_ORIGIN_BOTTOM /* the first row is at the bottom */
};

/* Something to point at, in the image's pixels: an ellipse, and a number beside it. */
struct clump_mark {
    double row, col;      /* centre, 0-based */
    double a, b;          /* semi-axes; drawn no smaller than a few pixels of the picture */
    double theta;         /* of `a`, radians from the column axis towards greater rows */
    int64_t id;           /* negative: no number */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

struct clump_render_params {
    enum clump_render_stretch stretch;
    enum clump_render_colormap colormap;
    double low, high; /* limits of the values; NaN: as `limits` says */
    enum clump_render_limits limits;
    double low_percentile, high_percentile; /* 0..100 */
    enum clump_render_origin origin;
    bool flip;                      /* exchange left and right */
    uint64_t row, col, rows, cols;  /* the part to show; rows or cols 0: to the end */
    double zoom;                    /* pixels of the picture per pixel of the image; 0: automatic */
    bool bar;                       /* a colour bar, with the file's unit */
    bool grid;                      /* right ascension and declination, where `file` has them */
    const char *title;              /* above the picture; may be NULL */
    const clump_file *file;         /* where the image came from: its WCS and unit; may be NULL */
    const struct clump_mark *marks; /* may be NULL */
    size_t mark_count;
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* Linear between the percentiles 0.5 and 99.5, grey reversed, the whole image, without bar, grid
 * and marks. */
CLUMP_API extern const struct clump_render_params clump_render_defaults;

/*
 * Makes `*picture`, a CLUMP_RGB image, of an image of any type; one that is CLUMP_RGB already is
 * shown in its own colours. `params` NULL: clump_render_defaults. Blocks. Returns
 * CLUMP_ERROR_ARGUMENT for a part outside the image, low >= high, or percentiles outside 0..100.
 */
CLUMP_API enum clump_status clump_render(clump_context *context, const clump_image *image,
                                         const struct clump_render_params *params,
                                         clump_image **picture);

/*
 * Draws the same picture into a file by the ending of `path`: .pdf or .svg, in which letters, lines
 * and marks stay sharp at any size and the pixels are an embedded image. An existing file is kept
 * unless `force`. Blocks. Returns CLUMP_ERROR_ARGUMENT as clump_render does and for another ending,
 * CLUMP_ERROR_FILE when the file exists or cannot be written.
 */
CLUMP_API enum clump_status clump_render_write(clump_context *context, const clump_image *image,
                                               const struct clump_render_params *params,
                                               const char *path, bool force);

#ifdef __cplusplus
}
#endif

#endif
