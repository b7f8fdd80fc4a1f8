/* SPDX-License-Identifier: MIT */
/* What reading and writing FITS share. */
#ifndef CLUMP_SRC_FILE_FITS_H
#define CLUMP_SRC_FILE_FITS_H

#include <fitsio.h>

#include "format.h"

#define FITS_AXES 32

struct fits {
    fitsfile *in;
    int unpacked;     /* of a gzip file: descriptor of a nameless file with its contents; else -1 */
    unsigned count;   /* of axes */
    unsigned kept[2]; /* axes that became column and row; `count`: none */
    int64_t position[FITS_AXES]; /* first pixel of the plane, 1-based */
    int type;                    /* CFITSIO's type of the pixels in memory: TFLOAT... */
    bool blanks;                 /* let CFITSIO turn its null pixels into NaN */
};

/* Takes the first reason from CFITSIO's stack of messages and empties the stack. */
const char *clump_fits_reason(int status, char text[FLEN_ERRMSG]);

/* CFITSIO's name of an image type: TFLOAT and so on. */
int clump_fits_type(enum clump_type type);

enum clump_status clump_fits_write(const struct writing *writing);

/* Fails when the headers of the FITS file open at `fd` would harm CFITSIO. */
enum clump_status clump_fits_guard(const clump_file *file, int fd, uint64_t size);

/* Unpacks a gzip file into memory and gives a file descriptor of that. */
enum clump_status clump_fits_unzip(const clump_file *file, int *fd, uint64_t *size);

/*
 * Closes what was written to `path`, if `out` is not NULL. Returns `status`, or a status of CFITSIO
 * when the file is shorter than it should be: CFITSIO does not always notice.
 */
int clump_fits_close(fitsfile *out, const char *path, int status);

/* Replaces the file at `temporary` by a gzip file of it. Returns 0 or an errno. */
int clump_fits_gzip(const char *temporary);

#endif
