/* SPDX-License-Identifier: MIT */
/*
 * The table of image formats: how each is recognised, opened, read and written. There is one const
 * object per format; src/file.c walks the table and knows nothing of a format's insides.
 */
#ifndef CLUMP_SRC_FILE_FORMAT_H
#define CLUMP_SRC_FILE_FORMAT_H

#include <clump/file.h>

#include "context.h"

struct sky;    /* src/file/sky.h */
struct reader; /* src/file/reader/remote.h */

#define HEADER_AXES 32

/* A FITS header, as far as coordinates and files that are written with it need it. */
struct header {
    char *cards; /* 80 bytes each, as the file has them */
    uint32_t count;
    char *sky_cards; /* those that WCSLIB read */
    uint32_t sky_count;
    uint32_t axes, kept[2];        /* their number; those that became column and row, 0-based */
    int64_t position[HEADER_AXES]; /* first pixel of the plane on each axis, 1-based */
};

/* The part of the image that is read, and the whole of it. */
struct window {
    uint64_t row, col, rows, cols;
    uint64_t whole_rows, whole_cols;
};

/* Pixels that lie in the file one after the other, but for the order of their bytes. */
struct raw {
    uint64_t at;    /* where the plane begins */
    uint32_t bytes; /* of a pixel; 0: they do not lie so */
    bool flip;      /* the highest bit is the other way round: unsigned numbers, stored less half */
};

struct clump_file {
    struct clump_log log;    /* to `caller`, each as one line whatever the file has put into it */
    struct clump_log caller; /* as it was given */
    const struct format *format;
    const struct format *access; /* how to use it: `format`, or through a reader */
    struct reader *reader;       /* that reads it, or NULL */
    char *path;                  /* as the caller wrote it, for messages */
    char *name;                  /* on disk */
    int fd;                      /* the file: nothing is opened by its name again */
    bool packed;                 /* by gzip */
    bool isolated;               /* this process is a reader */
    struct header header;
    struct raw raw;
    char *extension; /* what stood in brackets behind it, or NULL */
    uint64_t size;   /* bytes on disk */
    struct clump_file_params params;
    struct clump_file_info info;
    enum clump_type plane_type; /* of one channel, where info.type is CLUMP_RGB */
    bool has_section;           /* the name was followed by a section in CFITSIO's notation: */
    int64_t section_rows[2], section_cols[2]; /* first and last, from 1; 1 and 0: all */
    struct window window;
    void *state;     /* belongs to the format */
    struct sky *sky; /* the header's celestial WCS or NULL */
};

/* What a format is asked to write: pixels in host memory, row after row. They may come in parts: a
 * format writes rows `row` to row + count - 1, whose pixels are there, and calls `next` for more.
 */
struct writing {
    const struct clump_log *log;
    const char *path;      /* of the target, for messages */
    const char *temporary; /* where to write */
    enum clump_type type;
    uint64_t rows, cols;
    const void *pixels;
    const struct clump_file_write_params *params;
    uint64_t row, count;
    bool (*next)(struct writing *writing); /* false: there are none, or it has failed */
    void *user;                            /* of next */
    enum clump_status status;              /* that next has failed with */
};

struct format {
    enum clump_file_format id;
    const char *name;
    const char *const *endings; /* with the dot, lower case, NULL at the end */
    unsigned types;             /* that the format can hold, 1 << CLUMP_U8 and so on */
    bool (*probe)(const unsigned char *head, size_t count);
    /* Fills in file->info and file->state; close releases the state, also after a failure. */
    enum clump_status (*open)(clump_file *file);
    /* Fills rows x cols pixels of info.type. Called once or more. */
    enum clump_status (*read)(clump_file *file, void *pixels);
    /* Fills `rows` whole rows of info.cols pixels, from row `first` on; may be NULL, for formats
     * whose rows are not found one by one. */
    enum clump_status (*read_rows)(clump_file *file, uint64_t first, uint64_t rows, void *pixels);
    /* Describes a page; NULL where there is only one. */
    enum clump_status (*page)(clump_file *file, uint64_t number, struct clump_file_page *page);
    void (*close)(clump_file *file);
    enum clump_status (*write)(struct writing *writing);
    bool parts; /* whether `write` takes pixels in parts */
};

extern const struct format clump_format_fits;
extern const struct format clump_format_npy;
extern const struct format clump_format_tiff;
extern const struct format clump_format_png;

/* The format that the ending of a name stands for, or NULL. file.c */
const struct format *clump_format_for(const char *path);

#define HEAD_BYTES 32 /* first bytes that probe is given; fewer of a shorter file */

/*
 * Of `count` axes, fastest first, chooses the two of a plane: the first two longer than 1 when
 * there are more than two axes. `kept[1]` is `count` for a vector. Fills in rows, cols, planes and
 * dimensions. Fails on axes of zero and on products beyond 2^62.
 */
enum clump_status clump_axes_choose(clump_file *file, const uint64_t *axes, unsigned count,
                                    unsigned kept[2]);

/* Fails unless rows x cols x planes x `pixel` bytes fit in the `room` bytes of `holder` ("the
 * file"). */
enum clump_status clump_check_room(clump_file *file, uint64_t pixel, uint64_t room,
                                   const char *holder);

/* What a file's info says before a format has looked at it. */
struct clump_file_info clump_info_begin(const struct format *format);

/* Whether the file begins as gzip's do. */
bool clump_is_gzip(const clump_file *file);

/* Bytes of memory that reading may take for pixels, by clump_file_params.memory_limit. */
uint64_t clump_memory_limit(const clump_file *file);

/* The most that a gzip file can unpack to, or may. */
uint64_t clump_unpacked_limit(const clump_file *file);

/* Reads at a place of the file. False where it has no such bytes. */
bool clump_read_at(const clump_file *file, void *bytes, size_t count, uint64_t at);

/* Reads raw pixels of info.rows x info.cols. Fails where the file has become shorter. */
enum clump_status clump_read_raw(const clump_file *file, void *pixels);

/* The same of `rows` whole rows from row `first` on. */
enum clump_status clump_read_raw_rows(const clump_file *file, uint64_t first, uint64_t rows,
                                      void *pixels);

/* A row of those that are there, as files hold it: masks as bytes 0 and 1, made in `scratch`;
 * others where they are. */
const void *clump_writing_row(const struct writing *writing, uint64_t row, uint8_t *scratch);

/* Says why writing failed: errno's reason when the disk is full or `reason` is NULL. */
enum clump_status clump_fail_write(const struct writing *writing, const char *reason);

#endif
