/* SPDX-License-Identifier: MIT */
/*
 * Pairs: an operation that is implemented twice, in cl/ and in src/reference/.
 *
 * A pair makes an input for a case, runs the operation through the public interface on
 * any context, and says how close two results must be. tests/run_pairs checks every pair
 * over awkward shapes, `clump devices --check` over a few, and `clump bench` times the
 * same pairs. To add one: src/pairs/X.c, and a line in src/pairs/list.c.
 */
#ifndef CLUMP_TESTS_PAIR_H
#define CLUMP_TESTS_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/clump.h>

struct pair_case {
    uint64_t rows, cols;
    enum clump_type type;
    uint64_t seed;
};

/* What a run is given: the picture, and what the pair's `prepare` adds to it. */
struct pair_input {
    clump_image *image;
    clump_image *extra[3];
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

    /* The right answer is a line of error, so that a fault cannot be told by one. */
    bool refused;

    /* For rates: bytes that have to be read and written, operations that have to be done;
     * NULL: not a meaningful figure. */
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

/* Pictures, by seed, the same on every machine. */
uint64_t pair_random(uint64_t *state); /* 64 bits */
/* Noise with sources on it, whatever the type; floats of odd seeds have blank pixels. */
void pair_picture_sky(const struct pair_case *test, void *pixels);
/* A level that parts it, by type. */
double pair_level(enum clump_type type);
/* Every pixel an unrelated value from the type's whole range, infinities and NaN too. */
void pair_picture_bits(const struct pair_case *test, void *pixels);
/* A mask: noise of a density that the seed chooses, or a hard pattern for some seeds. */
void pair_picture_mask(const struct pair_case *test, void *pixels);

#endif
