/* SPDX-License-Identifier: MIT */
/* The names of all pairs, in data-path order: the only place that lists them. */
#ifndef CLUMP_PAIRS_LIST_H
#define CLUMP_PAIRS_LIST_H

#include "pair.h"

/* clang-format off */
#define EVERY_PAIR(PAIR)                \
    PAIR(convert)                       \
    PAIR(crop)                          \
    PAIR(channel)                       \
    PAIR(reshape)                       \
    PAIR(compress)                      \
    PAIR(select)                        \
    PAIR(arith)                         \
    PAIR(arith_bits)                    \
    PAIR(allclose)                      \
    PAIR(allclose_near)                 \
    PAIR(stats)                         \
    PAIR(stats_sweep)                   \
    PAIR(stats_full)                    \
    PAIR(stats_hard)                    \
    PAIR(stats_bits)                    \
    PAIR(stats_sampled)                 \
    PAIR(clip)                          \
    PAIR(clip_full)                     \
    PAIR(clip_hard)                     \
    PAIR(clip_bits)                     \
    PAIR(clip_sweep)                    \
    PAIR(background)                    \
    PAIR(background_full)               \
    PAIR(background_hard)               \
    PAIR(background_bits)               \
    PAIR(background_split)               \
    PAIR(otsu)                          \
    PAIR(otsu_hard)                     \
    PAIR(otsu_edges)                    \
    PAIR(convolve)                      \
    PAIR(convolve_gauss)                \
    PAIR(convolve_ignore)               \
    PAIR(convolve_huge)                 \
    PAIR(convolve_fft)                  \
    PAIR(convolve_folded)               \
    PAIR(convolve_fast)                 \
    PAIR(convolve_1d)                   \
    PAIR(gaussian)                      \
    PAIR(gaussian_ignore)               \
    PAIR(gaussian_level)                \
    PAIR(threshold)                     \
    PAIR(threshold_u8)                  \
    PAIR(threshold_levels)              \
    PAIR(threshold_below)               \
    PAIR(threshold_map)                 \
    PAIR(threshold_hysteresis)          \
    PAIR(morphology)                    \
    PAIR(morphology_shapes)             \
    PAIR(morphology_custom)             \
    PAIR(morphology_choose)             \
    PAIR(label)                         \
    PAIR(label_8)                       \
    PAIR(label_count)                   \
    PAIR(measure)                       \
    PAIR(measure_bits)                  \
    PAIR(measure_labels)                \
    PAIR(measure_ids)                   \
    PAIR(measure_shape)                 \
    PAIR(measure_brief)                 \
    PAIR(measure_ends)                  \
    PAIR(measure_far)                   \
    PAIR(measure_scales)                \
    PAIR(measure_negative)              \
    PAIR(measure_level)                 \
    PAIR(measure_level_ends)            \
    PAIR(measure_sources)               \
    PAIR(measure_cells)                 \
    PAIR(photometry_sum)                \
    PAIR(photometry_circles)            \
    PAIR(photometry_exact)              \
    PAIR(photometry_masked)             \
    PAIR(photometry_kron)               \
    PAIR(photometry_radius)             \
    PAIR(photometry_window)             \
    PAIR(photometry_gauss)              \
    PAIR(find)                          \
    PAIR(find_full)                     \
    PAIR(find_lesson)                   \
    PAIR(extract)                       \
    PAIR(extract_full)                  \
    PAIR(extract_types)                 \
    PAIR(extract_field)                 \
    PAIR(cells)                         \
    PAIR(cells_defaults)                \
    PAIR(lookup)                        \
    PAIR(relabel)                       \
    PAIR(label2rgb)                     \
    PAIR(label2rgb_picture)             \
    PAIR(label2rgb_ids)                 \
    PAIR(label2rgb_cells)               \
    PAIR(primes)
/* clang-format on */

#define PAIR_DECLARE(name) extern const struct pair pair_##name;
EVERY_PAIR(PAIR_DECLARE)

#endif
