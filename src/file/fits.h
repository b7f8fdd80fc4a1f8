/* SPDX-License-Identifier: MIT */
/* What reading and writing FITS share. */
#ifndef CLUMP_SRC_FILE_FITS_H
#define CLUMP_SRC_FILE_FITS_H

#include <fitsio.h>

#include "format.h"

#define FITS_AXES  HEADER_AXES
#define FITS_BLOCK 2880u
#define FITS_CARDS 400000u /* the most that a header may have */

struct fits {
    fitsfile *in;
    void *bytes;                 /* where CFITSIO sees the file, in memory; or NULL */
    size_t size;                 /* bytes of that, a number that CFITSIO may change */
    uint64_t length;             /* bytes that a gzip file unpacks to */
    size_t room;                 /* bytes that are mapped */
    bool sparse;                 /* of a gzip file: only its headers were kept */
    unsigned count;              /* axes */
    unsigned kept[2];            /* those that became column and row; `count`: none */
    int64_t position[FITS_AXES]; /* first pixel of the plane, 1-based */
    int type;                    /* CFITSIO's type of the pixels in memory: TFLOAT... */
    bool blanks;                 /* let CFITSIO turn its null pixels into NaN */
};

/* Takes the first reason from CFITSIO's stack of messages and empties the stack. */
const char *clump_fits_reason(int status, char text[FLEN_ERRMSG]);

/* CFITSIO's name of an image type: TFLOAT and so on. */
int clump_fits_type(enum clump_type type);

enum clump_status clump_fits_write(struct writing *writing);

/* Fails when the headers of the FITS file would harm CFITSIO. */
enum clump_status clump_fits_guard(const clump_file *file);

/* The same, block after block: where the next block of a header is, and a look at it. */
struct fits_walk;
struct fits_walk *clump_fits_walk(uint64_t size);
uint64_t clump_fits_walk_at(const struct fits_walk *walk);
enum clump_status clump_fits_walk_block(const clump_file *file, struct fits_walk *walk,
                                        const char *block, size_t count);

/*
 * Unpacks a gzip file into memory, its headers looked at as they come. Of a long one the data
 * between headers are left out: clump_fits_unzip_all unpacks it again when pixels are asked for.
 */
enum clump_status clump_fits_unzip(clump_file *file);
enum clump_status clump_fits_unzip_all(clump_file *file);

/*
 * The name by which CFITSIO can create the file at `path`, which it would else take apart: leading
 * blanks, '~' and more than 1024 bytes mean something to it. `*folder` is to be closed then, or -1.
 */
const char *clump_fits_name(const char *path, char name[FLEN_FILENAME], int *folder);

/*
 * Closes what was written to `path`, if `out` is not NULL. Returns `status`, or a status of CFITSIO
 * when the file is shorter than it should be: CFITSIO does not always notice.
 */
int clump_fits_close(fitsfile *out, const char *path, int status);

/* Replaces the file at `temporary` by a gzip file of it. Returns 0 or an errno. */
int clump_fits_gzip(const char *temporary);

#endif
