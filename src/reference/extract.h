/* SPDX-License-Identifier: MIT */
/* What the files of the reference's extraction share. docs/extract.md has the definitions. */
#ifndef CLUMP_SRC_REFERENCE_EXTRACT_H
#define CLUMP_SRC_REFERENCE_EXTRACT_H

#include "reference/reference.h"

/* The image in all its forms, raster after raster. */
struct scene {
    const struct clump_extract_params *params;
    uint64_t rows, cols;
    float thresh, low;          /* of seeds and of members, in units of the noise */
    float *v, *c;               /* pixels, 0 where bad; filtered pixels */
    float *sigma;               /* noise of every pixel; NULL: that of params, or none */
    bool *good, *member, *seed; /* member: above low; seed: above thresh */
    int32_t *mark;              /* scratch: components of members, or of a level */
    uint32_t *stack;            /* scratch of a flood */
    float *heights;             /* scratch of a measurement */
};

/* Places in raster order, which are raster indices of the image. */
struct places {
    uint32_t *at;
    uint64_t count;
};

/* An object and what only deblending and cleaning look at. */
struct blob {
    struct clump_object object;
    struct places places;
    float abcor;   /* how much of a Gaussian's area the isophote shows */
    float mthresh; /* height over the threshold that the wings of another must reach to eat it */
};

/* A list of blobs that grows. */
struct blobs {
    struct blob *all;
    uint64_t count, room;
};

/* The threshold of a pixel, and the variance of its value. */
float extract_threshold(const struct scene *scene, uint64_t i);
double extract_variance(const struct scene *scene, uint64_t i);

/* The sum of c over places, rounded to F32. */
float extract_sum(const struct scene *scene, const struct places *places, double scale);
/* The power of two that makes numbers of at most 2^30 out of numbers of this magnitude. */
double extract_scale(double magnitude);

/* Measures the pixels of blob->places. `centre`, x and y, takes the place of the centre of c; NULL:
 * none is given. */
void extract_measure(const struct scene *scene, float thresh, const double *centre,
                     struct blob *blob);

/* Deblends the source at `places`, which it takes, and adds its objects, one or several. */
enum clump_status extract_deblend(clump_context *context, const struct scene *scene, float thresh,
                                  struct places *places, struct blobs *blobs);
/* Adds a blob of these places, which it takes. */
enum clump_status extract_add(clump_context *context, struct blobs *blobs, struct places *places,
                              struct blob **blob);

/* Gives `number` to all places 8-connected to `from` whose mark is `unseen`; returns how many. The
 * places are in the scene's stack, in no order. */
uint64_t extract_flood(const struct scene *scene, uint32_t from, int32_t unseen, int32_t number);

/* Removes objects that the wings of others explain. */
enum clump_status extract_clean(clump_context *context, double beta, struct blobs *blobs);

#endif
