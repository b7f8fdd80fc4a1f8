/* SPDX-License-Identifier: MIT */
/*
 * Pairs: an operation that is implemented twice, in cl/ and in src/reference/.
 *
 * A pair makes an input for a case, runs the operation through the public interface on any context,
 * says how close two results must be, and what the operation has to read, write and compute.
 * tests/run_pairs checks every pair over awkward shapes, `clump devices --check` checks a few of
 * them, and `clump bench` times some of the same pairs, each with a picture and a size
 * (bench/cases.c). To add a pair: src/pairs/X.c, and a name in src/pairs/list.h.
 */
#ifndef CLUMP_PAIRS_PAIR_H
#define CLUMP_PAIRS_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/clump.h>

struct pair_case {
    uint64_t rows, cols;
    enum clump_type type;
    uint64_t seed;
};

/* Sets of image types, for struct pair. */
#define PAIR_NUMBERS                                                                               \
    (1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_I32 | 1u << CLUMP_U32 |      \
     1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)
#define PAIR_FLOATS (1u << CLUMP_F32 | 1u << CLUMP_F64)

/* What a run is given: the picture, and what the pair's `prepare` adds to it. */
struct pair_input {
    clump_image *image;
    clump_image *extra[4];
};

#define PAIR_ITEMS 64

/* What a run gives: images, numbers, and lists of numbers, each with a name for messages. */
struct pair_output {
    unsigned image_count, number_count, list_count;
    struct {
        const char *name;
        clump_image *image;
    } images[4];
    struct {
        const char *name;
        double value;
    } numbers[PAIR_ITEMS];
    struct {
        const char *name;
        double *values; /* from pair_memory */
        uint64_t count;
    } lists[4];
};

struct pair {
    const char *name;      /* "threshold", or "threshold_u8" for a variant */
    const char *operation; /* "threshold" */
    unsigned types;        /* image types to run with, 1 << CLUMP_F32 and so on */

    /* Writes the pixels of the input image; pair_picture_sky and others below do. */
    void (*picture)(const struct pair_case *test, void *pixels);

    /* Makes further inputs from in->image (not timed); NULL: none are needed. */
    enum clump_status (*prepare)(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in);

    /* The operation itself (timed). Images put into `out` belong to it. */
    enum clump_status (*run)(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out);

    /* Largest difference between two floating results; NULL: they have the same bits. */
    double (*tolerance)(const struct pair_case *test, const struct pair_input *reference);

    /* How often at most the input of a case calls for work to be done again
     * (clump_profile.fallbacks); NULL: never. A fall-back that nothing calls for may hide a kernel
     * that is wrong. */
    unsigned (*fallbacks)(const struct pair_case *test);

    /* The operation takes a device that computes in double, whatever the image's type. */
    bool fp64;

    /* The right answer is a line of error, so that a fault cannot be told by one. */
    bool refused;

    /* For the rates of `clump bench`: bytes that any method has to read and write, and products and
     * sums that the definition asks for; NULL: the figure would mean nothing. */
    double (*bytes)(const struct pair_case *test);
    double (*flops)(const struct pair_case *test);
};

/* All pairs, ended by NULL, in data-path order. */
extern const struct pair *const pairs[];

/* Memory for a pair's own use, freed with free; ends the program when there is none. It does not
 * come from malloc, which a test makes fail to see what the library does then. */
void *pair_memory(size_t bytes);

/* Outputs: called by `run`. */
void pair_add_image(struct pair_output *out, const char *name, clump_image *image);
void pair_add_number(struct pair_output *out, const char *name, double value);
void pair_add_list(struct pair_output *out, const char *name, double *values, uint64_t count);
void pair_output_release(struct pair_output *out);

/* Makes the inputs of a case in a context; release with pair_input_release. */
enum clump_status pair_input_make(clump_context *context, const struct pair *pair,
                                  const struct pair_case *test, struct pair_input *in);
void pair_input_release(struct pair_input *in);

/* True when the results agree; else `message` says which values differ, where, and by how much. */
bool pair_compare(const struct pair *pair, const struct pair_case *test,
                  const struct pair_input *reference_input, const struct pair_output *reference,
                  const struct pair_output *device, char *message, size_t room);

/* Runs a case on both contexts and compares. A case whose image the device does not take
 * (float64 without fp64) agrees and sets `*skipped`. */
bool pair_check(const struct pair *pair, const struct pair_case *test, clump_context *reference,
                clump_context *device, bool *skipped, char *message, size_t room);

/* Bytes that an image of the case's size takes in a type. */
double pair_image_bytes(const struct pair_case *test, enum clump_type type);

/* Pictures, by seed, the same on every machine. picture.c */
uint64_t pair_random(uint64_t *state); /* 64 bits */
/* Noise with sources on it, whatever the type; floats of odd seeds have blank pixels. */
void pair_picture_sky(const struct pair_case *test, void *pixels);
/* The level, by type, that parts the sources of pair_picture_sky and of pair_picture_stars from
 * their noise; of floats it is 5 standard deviations. */
double pair_level(enum clump_type type);
/* Every pixel an unrelated value from the type's whole range, infinities and NaN too. */
void pair_picture_bits(const struct pair_case *test, void *pixels);
/* The same for every type: a mask's bits past the last column are clear. */
void pair_picture_any(const struct pair_case *test, void *pixels);
/* A mask: noise of a density that the seed chooses, or a hard pattern for some seeds. */
void pair_picture_mask(const struct pair_case *test, void *pixels);

/* Pictures of the walk-throughs, in float32, float64 or integers of 16 bits, and masks of bits.
 * picture_lesson.c */
/* Every 16th pixel of every 16th row is one; an image of one row holds a square row after row. */
void pair_picture_deltas(const struct pair_case *test, void *pixels);
/* Normal noise of standard deviation 0.0133 and round sources. */
void pair_picture_stars(const struct pair_case *test, void *pixels);
void pair_picture_stars_mask(const struct pair_case *test, void *pixels); /* above pair_level */
/* Bright cells in rows, 829 of them at 2048 x 2048. */
void pair_picture_cells(const struct pair_case *test, void *pixels);
void pair_picture_cells_mask(const struct pair_case *test, void *pixels); /* above the level: */
#define PAIR_CELLS_LEVEL 0.2
/* A mask, each pixel set or not with the same chance. */
void pair_picture_coins(const struct pair_case *test, void *pixels);
/* A mask with one component that winds to the middle. */
void pair_picture_spiral(const struct pair_case *test, void *pixels);

#endif
