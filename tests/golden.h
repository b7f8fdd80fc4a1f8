/* SPDX-License-Identifier: MIT */
/*
 * Golden values: the files in tests/golden, read word by word, and the inputs that
 * tests/golden/make.py describes in them, made again from the same integers. The device is
 * CLUMP_TEST_DEVICE, or else `reference`.
 */
#ifndef CLUMP_TESTS_GOLDEN_H
#define CLUMP_TESTS_GOLDEN_H

#include "support.h"

#include <stdint.h>

/* One case: the words of a line. */
struct golden {
    void *file;
    char *text; /* the line, its words ended by '\0' */
    size_t size;
    char *next;      /* what has not been read yet */
    unsigned number; /* of the line, for messages */
};

/* Opens tests/golden/NAME.txt and skips its first two lines, which are comments. */
struct golden golden_open(const char *name);
void golden_close(struct golden *golden);

/* Goes to the next line; false at the end. */
bool golden_line(struct golden *golden);

/* The next word of the line: as it is, as a number, as a number of an enumeration by its place in
 * a list of words ended by NULL. The test fails where there is none. */
const char *golden_word(struct golden *golden);
double golden_number(struct golden *golden);
uint64_t golden_count(struct golden *golden);
int golden_choice(struct golden *golden, const char *const *words);
enum clump_type golden_type(struct golden *golden);

/* Expects the next word to be this number, to the bit (all NaN are one), or within `tolerance`. */
void golden_expect(struct golden *golden, const char *what, double value, double tolerance);
void golden_expect_count(struct golden *golden, const char *what, uint64_t value);
void golden_expect_hash(struct golden *golden, const char *what, const void *bytes, size_t size);

clump_context *golden_context(void);

/* Can the device take images of this type? */
bool golden_takes(clump_context *context, enum clump_type type);

/* 64 bits for pixel i. */
uint64_t golden_draw(uint64_t seed, uint64_t i);

/* Pixels of an image of a kind; free them. */
void *golden_pixels(enum clump_type type, const char *kind, uint64_t rows, uint64_t cols,
                    uint64_t seed);

/* A mask of a kind, one byte per pixel, 0 or 1; to be freed with free. */
uint8_t *golden_mask(const char *kind, uint64_t rows, uint64_t cols, uint64_t seed,
                     uint64_t permille);

clump_image *golden_image(clump_context *context, enum clump_type type, const char *kind,
                          uint64_t rows, uint64_t cols, uint64_t seed);

/* Uploads 0/1 bytes as a mask, and gets a mask (bits or u8) back as such; free them. */
clump_image *golden_upload_mask(clump_context *context, const uint8_t *bytes, uint64_t rows,
                                uint64_t cols);
uint8_t *golden_download_mask(const clump_image *mask);

/* All pixels of an image; free them. */
void *golden_download(const clump_image *image);

/* Expects shape, 20 values, their signed sum and the number of NaN, as make.py's sampled(). */
void golden_expect_sampled(struct golden *golden, const clump_image *image, uint64_t seed,
                           double tolerance);

/* A float image of values -2..2, some NaN; weights of a kernel; free them. */
clump_image *golden_real_image(clump_context *context, enum clump_type type, uint64_t rows,
                               uint64_t cols, uint64_t seed, bool nan);
double *golden_weights(uint64_t rows, uint64_t cols, uint64_t seed, bool positive);

#endif
