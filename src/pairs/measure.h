/* SPDX-License-Identifier: MIT */
/* What the pairs of measure share. */
#ifndef CLUMP_PAIRS_MEASURE_H
#define CLUMP_PAIRS_MEASURE_H

#include "pair.h"

/* Measures, and adds the number of regions and a list of all their figures. `image` may be NULL. */
enum clump_status pair_measure_all(clump_context *context, const clump_image *image,
                                   const clump_image *labels,
                                   const struct clump_measure_params *params,
                                   struct pair_output *out);

/* The mask that pair_picture_mask draws for a size and a seed, as an image of bits. */
enum clump_status pair_make_mask(clump_context *context, const struct pair_case *test,
                                 clump_image **mask);

/* How often regions may call for work to be done again: once for scales of their own, if these were
 * guessed. */
unsigned pair_scale_fallbacks(const struct pair_case *test);

/* The same of label images: once more for longer lists, where labels change often in a band of more
 * than a thousand pixels. */
unsigned pair_label_fallbacks(const struct pair_case *test);

/* Default parameters; only the brief figures. Both measure in->image by in->extra[0]. */
enum clump_status pair_measure_plain(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out);
enum clump_status pair_measure_briefly(clump_context *context, const struct pair_case *test,
                                       const struct pair_input *in, struct pair_output *out);

/* What stands out in the picture, as a mask in in->extra[0]. */
enum clump_status pair_mask_above(clump_context *context, const struct pair_case *test,
                                  struct pair_input *in);

#endif
