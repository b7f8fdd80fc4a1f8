/* SPDX-License-Identifier: MIT */
/* The list of cases. The lesson's figures are those it prints for its own machine. */
#include "bench.h"

#include "list.h"

#define PRIMES 10000

/* Name and words; pair, picture, extent, type, seed, and what the lesson prints. */
/* clang-format off */
const struct bench_case bench_cases[] = {
    {"convolve-gauss-f32", "15 x 15 gaussian, full, over a grid of points",
     &pair_convolve_gauss, pair_picture_deltas, BENCH_SQUARE, CLUMP_F32, 0, {2400, 20.642, 35.4}},
    {"convolve-gauss-f64", "the same in double, the lesson's own type",
     &pair_convolve_gauss, pair_picture_deltas, BENCH_SQUARE, CLUMP_F64, 0, {2400, 20.642, 35.4}},
    {"convolve-dense-f32", "15 x 15 random weights, full, over a grid of points",
     &pair_convolve_fast, pair_picture_deltas, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"convolve-dense-f64", "the same in double",
     &pair_convolve_fast, pair_picture_deltas, BENCH_SQUARE, CLUMP_F64, 0, {0}},
    {"convolve-1d-f64", "the points in one row, 15 weights",
     &pair_convolve_1d, pair_picture_deltas, BENCH_ROW, CLUMP_F64, 0, {270, 14.529, 0}},
    {"stats", "mean, median, std, min, max of a sky",
     &pair_stats, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"clip", "kappa 3 around the median until nothing is removed",
     &pair_clip, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {777.7, 55.71, 0}},
    {"clip-f64", "the same in double",
     &pair_clip, pair_picture_stars, BENCH_SQUARE, CLUMP_F64, 0, {0}},
    {"clip-u16", "the same in counts of 16 bits",
     &pair_clip, pair_picture_stars, BENCH_SQUARE, CLUMP_U16, 0, {0}},
    {"clip-i16", "the same, signed",
     &pair_clip, pair_picture_stars, BENCH_SQUARE, CLUMP_I16, 0, {0}},
    {"threshold", "above 5 sigma, to a bit mask",
     &pair_threshold, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {6.294, 0.3298, 0}},
    {"label-sky", "the mask of the sky's sources, 4-connected",
     &pair_label, pair_picture_stars_mask, BENCH_SQUARE, CLUMP_BITS, 0, {25.46, 1.405, 0}},
    {"measure", "flux and centre of mass of every source, from labels",
     &pair_measure_sources, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {783.8, 56.16, 0}},
    {"background", "the sky minus its map, boxes of 64 x 64",
     &pair_background, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"photometry", "circles of radius 5 at every 16th pixel of every 16th row",
     &pair_photometry_circles, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"find", "clip, threshold, label and measure in one call",
     &pair_find_lesson, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {1060, 57.70, 0}},
    {"extract", "background, filter, objects, Kron fluxes, half-light radii in one call",
     &pair_extract_field, pair_picture_stars, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"label-noise", "half of the pixels set at random",
     &pair_label, pair_picture_coins, BENCH_SQUARE, CLUMP_BITS, 0, {0}},
    {"label-checker", "a checkerboard: each set pixel its own label",
     &pair_label, pair_picture_mask, BENCH_SQUARE, CLUMP_BITS, 11, {0}},
    {"label-spiral", "one component that winds to the middle",
     &pair_label, pair_picture_spiral, BENCH_SQUARE, CLUMP_BITS, 0, {0}},
    {"label-comb", "teeth that meet in the last row",
     &pair_label, pair_picture_mask, BENCH_SQUARE, CLUMP_BITS, 12, {0}},
    {"gaussian", "sigma 5 over a picture of cells",
     &pair_gaussian, pair_picture_cells, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"otsu", "256 bins",
     &pair_otsu, pair_picture_cells, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"erosion", "disk(2), over the mask of the cells",
     &pair_morphology, pair_picture_cells_mask, BENCH_SQUARE, CLUMP_BITS, 0, {0}},
    {"regions", "area, mean and solidity of every cell, from labels",
     &pair_measure_cells, pair_picture_cells, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"label2rgb", "labels in colour over the picture",
     &pair_label2rgb_cells, pair_picture_cells, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"cells", "gaussian, otsu, erosion, label and regions in one call",
     &pair_cells_defaults, pair_picture_cells, BENCH_SQUARE, CLUMP_F32, 0, {0}},
    {"primes", "below 10000, by trial division",
     &pair_primes, pair_picture_sky, BENCH_FIXED, CLUMP_U8, 0, {0}},
};
/* clang-format on */

const size_t bench_case_count = sizeof bench_cases / sizeof *bench_cases;

struct pair bench_pair(const struct bench_case *item)
{
    struct pair pair = *item->pair;
    pair.name = item->name;
    pair.picture = item->picture;
    return pair;
}

struct pair_case bench_test(const struct bench_case *item, uint64_t size)
{
    struct pair_case test = {size, size, item->type, item->seed};
    if (item->extent == BENCH_ROW)
        test = (struct pair_case){1, size * size, item->type, item->seed};
    if (item->extent == BENCH_FIXED)
        test = (struct pair_case){1, PRIMES, item->type, item->seed};
    return test;
}
