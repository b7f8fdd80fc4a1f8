/* SPDX-License-Identifier: MIT */
/*
 * Image files in and out: FITS (CFITSIO), NumPy .npy, TIFF and PNG. The first bytes of a file tell
 * its format when it is read, the ending of its name when it is written.
 *
 * A file is opened, which reads its header; described; and read straight into an image's memory.
 * FITS, TIFF and PNG files are parsed by a process of their own, clump-reader, which is started
 * when a file is opened and ended when it is closed: a file that breaks CFITSIO, libtiff, libpng or
 * WCSLIB is an error with a line. SECURITY.md has the rest. Writing goes to a temporary name beside
 * the target, which is renamed when everything is written, so that nobody ever sees half a file. A
 * file needs no context until it is read. One thread at a time uses a clump_file. Host src/file/.
 */
#ifndef CLUMP_FILE_H
#define CLUMP_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_file clump_file;

enum clump_file_format { CLUMP_FILE_FITS, CLUMP_FILE_NPY, CLUMP_FILE_TIFF, CLUMP_FILE_PNG };

enum clump_file_channel {
    /* The luminance of a coloured image; of a TIFF with a palette, which serves display, the
     * numbers of the colours. */
    CLUMP_FILE_CHANNEL_GREY = -1,
    /* Red, green and blue at once, as a CLUMP_RGB image: 16-bit numbers are divided by 257, floats
     * of 0 to 1 multiplied by 255. */
    CLUMP_FILE_CHANNEL_RGB = -2,
    /* The luminance, also of the colours of a palette. */
    CLUMP_FILE_CHANNEL_PALETTE = -3
};

struct clump_file_params {
    uint64_t plane; /* of a cube: which plane, 0-based, counted over all axes beyond two */
    uint64_t page;  /* of a TIFF of several pages or an ImageJ stack: which page, 0-based */
    int channel;    /* of a colour image: 0 red, 1 green, 2 blue, 3 alpha, or one of
                       enum clump_file_channel */
    bool float32;   /* read as f32 whatever the file holds */
    bool crop;      /* read only these rows and columns: */
    int64_t rows[2], cols[2]; /* from the first up to, but not including, the second, as in
                                 NumPy's slices: negative numbers count from the end, and what lies
                                 beyond the image is left out; 0 and INT64_MAX: all. The WCS and the
                                 header that a written file takes over are moved accordingly. */
    uint64_t memory_limit;    /* bytes that the pixels of one image may take, and what a gzip file
                                 unpacks to; 0: half of the machine's memory */
    uint64_t reserved[4];     /* 0 (clump.h) */
};

/* First plane, first page, grey, the file's own type, the whole image, half of the memory. */
CLUMP_API extern const struct clump_file_params clump_file_defaults;

struct clump_file_info {
    enum clump_file_format format;
    uint64_t rows, cols;  /* of the image that clump_file_read will make; a vector is 1 x n */
    enum clump_type type; /* of that image: scaled integers (BSCALE, BZERO) and integers
                             with BLANK pixels become floats */
    uint64_t planes;      /* 1 unless a cube */
    uint64_t pages;       /* HDUs of a FITS file, pages of a TIFF, else 1 */
    uint64_t channels;    /* 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA */
    uint32_t dimensions;  /* axes in the file, including those of length 1 */
    char unit[72];        /* BUNIT or "" */
    uint64_t page;        /* the HDU or page that is read, 0-based */
    bool celestial;       /* the header's WCS leads to right ascension and declination; the
                             next members describe it */
    char projection[8];   /* "TAN", "SIN", ... */
    char frame[16];       /* "ICRS", "FK5", "FK4", "FK4-NO-E" by RADESYS or, without it, by EQUINOX
                             as the FITS standard says; "GALACTIC", for which celestial is true;
                             "ECLIPTIC" and others, for which it is false; "" without a WCS */
    char lon_name[8];     /* name of the frame's longitude: "ra", "glon", "elon", ... */
    char lat_name[8];     /* and of its latitude */
    double equinox;       /* years, of FK4, FK5 and ECLIPTIC; else NaN */
    double scale_x, scale_y; /* degrees per pixel along columns and rows, at the reference point */
    char wcs_problem[96];    /* why the WCS in the header cannot be used; else "" */
    bool beam;               /* the header has BMAJ and BMIN */
    double beam_major, beam_minor, beam_angle; /* degrees */
    double beam_pixels; /* pixels that the area of a beam covers; 0 where unknown */
    /* What a description of ImageJ's or OME's says about a TIFF file; pages follow in this order.
     */
    char stack_writer[8];    /* "ImageJ", "OME", or "", and the rest is empty then, too */
    char stack_order[8];     /* which axis runs fastest: "XYCZT", "XYZCT", ... */
    uint64_t stack_channels; /* channels (SizeC), slices (SizeZ) and frames (SizeT) that the */
    uint64_t stack_slices;   /* pages stand for; 0 where it does not say */
    uint64_t stack_frames;
    double pixel_size[3];        /* along columns, rows and slices; NaN where unknown */
    char pixel_size_unit[3][16]; /* in UTF-8; micrometres are a micro sign and m, as ever written */
    uint64_t reserved[4];        /* 0 (clump.h) */
};

/*
 * Opens an image file and reads its header. FITS takes an extension, "file.fits[2]" or
 * "file.fits[SCI]"; without one the first HDU with an image is meant. Every format takes a section
 * as CFITSIO writes it, "file.fits[10:20,30:40]", "file.fits[1][*,30:40]": columns first, from 1,
 * both ends included, without steps; `params` crops what the section leaves. `log` and `params` may
 * be NULL. Control characters of the path and of header texts are shown as \x1b and so on. Returns
 * CLUMP_ERROR_FILE, CLUMP_ERROR_FORMAT or CLUMP_ERROR_MEMORY.
 */
CLUMP_API enum clump_status clump_file_open(const struct clump_log *log, const char *path,
                                            const struct clump_file_params *params,
                                            clump_file **file);

/* Closes a file and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_file_close(clump_file **file);

/* Describes an open file. Borrowed, valid as long as the file; NULL for NULL. */
CLUMP_API const struct clump_file_info *clump_file_info(const clump_file *file);

/* One HDU of a FITS file, one page of a TIFF, or the whole of another file. */
struct clump_file_page {
    char name[72]; /* EXTNAME, or "" */
    bool image;    /* has pixels; false for a table and for a header alone */
    enum clump_type type;
    uint32_t dimensions;
    uint64_t axes[8];     /* lengths, slowest first (rows before columns); for a table its rows
                             and columns; where there are more than eight, the first eight */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/*
 * Describes page `number`, from 0 to info->pages - 1. Does not change which page
 * clump_file_read reads. Returns CLUMP_ERROR_ARGUMENT for a number beyond the last page,
 * CLUMP_ERROR_FORMAT for a broken page.
 */
CLUMP_API enum clump_status clump_file_page(clump_file *file, uint64_t number,
                                            struct clump_file_page *page);

/* Reads the pixels into a new image of `context`. */
CLUMP_API enum clump_status clump_file_read(clump_context *context, clump_file *file,
                                            clump_image **image);

/*
 * Whether clump_file_read_rows can read this file: a FITS image without compression, scaling or
 * blank integers, or an .npy file; not as colours. False for NULL.
 */
CLUMP_API bool clump_file_by_rows(const clump_file *file);

/* Reads `rows` rows of the image, from row `first` on, 0-based, and takes no memory for the others.
 * The memory limit does not count. An .npy file in Fortran order: CLUMP_ERROR_UNSUPPORTED. */
CLUMP_API enum clump_status clump_file_read_rows(clump_context *context, clump_file *file,
                                                 uint64_t first, uint64_t rows,
                                                 clump_image **image);

struct clump_file_write_params {
    bool force;             /* replace an existing file */
    const clump_file *like; /* FITS: keep this file's header (WCS, units); may be NULL */
    bool moved;             /* the image has another size than `like`, whose first pixel is */
    int64_t row, col;       /* this pixel of the image; the WCS is moved accordingly */
    const char *unit;       /* FITS: BUNIT; NULL: that of `like` */
    const char *cards;      /* FITS: further header lines, "NAME = value / comment", separated by
                               '\n'; may be NULL */
    const char *history;    /* FITS: HISTORY lines, separated by '\n'; may be NULL */
    uint64_t reserved[4];   /* 0 (clump.h) */
};

/* Nothing is replaced; no header is carried over. */
CLUMP_API extern const struct clump_file_write_params clump_file_write_defaults;

/*
 * Writes an image by the ending of `path`: .fits .fit .fits.gz, .npy, .tif .tiff, .png. Masks are
 * written as u8 0 and 1. `params` may be NULL. Returns CLUMP_ERROR_ARGUMENT for an ending that is
 * not known or a type that the format cannot hold, CLUMP_ERROR_FILE when the file exists already
 * or cannot be written.
 */
CLUMP_API enum clump_status clump_file_write(clump_context *context, const clump_image *image,
                                             const char *path,
                                             const struct clump_file_write_params *params);

/* Gives the next rows of an image, the first of which has number `row`; they are destroyed when
 * they have been written. */
typedef enum clump_status clump_file_next(void *user, uint64_t row, clump_image **rows);

/*
 * Writes an image of rows x cols pixels of `type` as clump_file_write does, asking `next` for its
 * rows, from the first to the last, as many at a time as it likes to give. .fits and .npy only.
 * Where `next` fails nothing is written, and its status is returned. `params` may be NULL.
 */
CLUMP_API enum clump_status clump_file_write_rows(clump_context *context, enum clump_type type,
                                                  uint64_t rows, uint64_t cols, const char *path,
                                                  const struct clump_file_write_params *params,
                                                  clump_file_next *next, void *user);

/*
 * Removes the temporary files of everything that is being written at this moment. Safe to call in
 * a signal handler that ends the program, and meant for nothing else.
 */
CLUMP_API void clump_file_cleanup(void);

#ifdef __cplusplus
}
#endif

#endif
