/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <stddef.h>

extern const struct pair pair_convert;
extern const struct pair pair_crop;
extern const struct pair pair_channel;
extern const struct pair pair_arith;
extern const struct pair pair_arith_bits;
extern const struct pair pair_allclose;
extern const struct pair pair_allclose_near;
extern const struct pair pair_stats;
extern const struct pair pair_stats_sweep;
extern const struct pair pair_stats_full;
extern const struct pair pair_stats_hard;
extern const struct pair pair_stats_bits;
extern const struct pair pair_clip;
extern const struct pair pair_clip_full;
extern const struct pair pair_clip_hard;
extern const struct pair pair_clip_bits;
extern const struct pair pair_otsu;
extern const struct pair pair_otsu_hard;
extern const struct pair pair_otsu_edges;
extern const struct pair pair_convolve;
extern const struct pair pair_convolve_gauss;
extern const struct pair pair_convolve_ignore;
extern const struct pair pair_convolve_fft;
extern const struct pair pair_convolve_folded;
extern const struct pair pair_convolve_1d;
extern const struct pair pair_gaussian;
extern const struct pair pair_gaussian_ignore;
extern const struct pair pair_gaussian_level;
extern const struct pair pair_threshold;
extern const struct pair pair_threshold_u8;
extern const struct pair pair_threshold_levels;
extern const struct pair pair_threshold_below;
extern const struct pair pair_threshold_map;
extern const struct pair pair_threshold_hysteresis;
extern const struct pair pair_morphology;
extern const struct pair pair_morphology_shapes;
extern const struct pair pair_morphology_custom;
extern const struct pair pair_morphology_choose;
extern const struct pair pair_label;
extern const struct pair pair_label_8;
extern const struct pair pair_label_count;
extern const struct pair pair_measure;
extern const struct pair pair_measure_bits;
extern const struct pair pair_measure_labels;
extern const struct pair pair_measure_ids;
extern const struct pair pair_measure_shape;
extern const struct pair pair_measure_brief;
extern const struct pair pair_measure_ends;
extern const struct pair pair_measure_far;
extern const struct pair pair_measure_negative;
extern const struct pair pair_measure_level;
extern const struct pair pair_measure_level_ends;
extern const struct pair pair_find;
extern const struct pair pair_find_full;
extern const struct pair pair_cells;
extern const struct pair pair_label2rgb;
extern const struct pair pair_label2rgb_picture;
extern const struct pair pair_label2rgb_ids;
extern const struct pair pair_primes;

/* clang-format off: one a line */
const struct pair *const pairs[] = {
    &pair_convert,
    &pair_crop,
    &pair_channel,
    &pair_arith,
    &pair_arith_bits,
    &pair_allclose,
    &pair_allclose_near,
    &pair_stats,
    &pair_stats_sweep,
    &pair_stats_full,
    &pair_stats_hard,
    &pair_stats_bits,
    &pair_clip,
    &pair_clip_full,
    &pair_clip_hard,
    &pair_clip_bits,
    &pair_otsu,
    &pair_otsu_hard,
    &pair_otsu_edges,
    &pair_convolve,
    &pair_convolve_gauss,
    &pair_convolve_ignore,
    &pair_convolve_fft,
    &pair_convolve_folded,
    &pair_convolve_1d,
    &pair_gaussian,
    &pair_gaussian_ignore,
    &pair_gaussian_level,
    &pair_threshold,
    &pair_threshold_u8,
    &pair_threshold_levels,
    &pair_threshold_below,
    &pair_threshold_map,
    &pair_threshold_hysteresis,
    &pair_morphology,
    &pair_morphology_shapes,
    &pair_morphology_custom,
    &pair_morphology_choose,
    &pair_label,
    &pair_label_8,
    &pair_label_count,
    &pair_measure,
    &pair_measure_bits,
    &pair_measure_labels,
    &pair_measure_ids,
    &pair_measure_shape,
    &pair_measure_brief,
    &pair_measure_ends,
    &pair_measure_far,
    &pair_measure_negative,
    &pair_measure_level,
    &pair_measure_level_ends,
    &pair_find,
    &pair_find_full,
    &pair_cells,
    &pair_label2rgb,
    &pair_label2rgb_picture,
    &pair_label2rgb_ids,
    &pair_primes,
    NULL,
};
/* clang-format on */
