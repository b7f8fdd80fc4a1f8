/* SPDX-License-Identifier: MIT */
/*
 * The scalar reference: the definition of every operation, one function each, with
 * the signatures of struct backend. An image's memory is image->pixels.
 */
#ifndef CLUMP_SRC_REFERENCE_H
#define CLUMP_SRC_REFERENCE_H

#include "context.h"

enum clump_status clump_reference_convert(clump_context *context, const clump_image *image,
                                          enum clump_type type, clump_image **converted);
enum clump_status clump_reference_crop(clump_context *context, const clump_image *image,
                                       uint64_t row, uint64_t col, uint64_t rows, uint64_t cols,
                                       clump_image **part);
enum clump_status clump_reference_reshape(clump_context *context, const clump_image *image,
                                          uint64_t rows, uint64_t cols, clump_image **result);
enum clump_status clump_reference_compress(clump_context *context, const clump_image *image,
                                           const clump_image *mask, clump_image **row,
                                           uint64_t *count);
enum clump_status clump_reference_select(clump_context *context, const clump_image *mask,
                                         const struct clump_operand *a,
                                         const struct clump_operand *b, enum clump_type type,
                                         clump_image **result);
enum clump_status clump_reference_channel(clump_context *context, const clump_image *image,
                                          unsigned channel, clump_image **grey);
enum clump_status clump_reference_arith(clump_context *context, const struct clump_operand *a,
                                        enum clump_arith_op op, const struct clump_operand *b,
                                        enum clump_type type, clump_image **result);
enum clump_status clump_reference_allclose(clump_context *context, const clump_image *a,
                                           const clump_image *b,
                                           const struct clump_allclose_params *params,
                                           struct clump_allclose_result *result);
enum clump_status clump_reference_convolve(clump_context *context, const clump_image *image,
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved);
enum clump_status clump_reference_convolve_1d(clump_context *context, const clump_image *image,
                                              const struct clump_weights *kernel,
                                              const struct clump_convolve_params *params,
                                              clump_image **convolved);
enum clump_status clump_reference_gaussian(clump_context *context, const clump_image *image,
                                           const struct clump_gaussian_params *params,
                                           clump_image **blurred);
enum clump_status clump_reference_stats(clump_context *context, const clump_image *image,
                                        const struct clump_stats_params *params, double *quantiles,
                                        struct clump_stats_result *result);
enum clump_status clump_reference_clip(clump_context *context, const clump_image *image,
                                       const struct clump_clip_params *params, clump_image **mask,
                                       clump_image **kept, struct clump_clip_result *result);
/* Of rows of an image: src/backend.h. bands.c */
enum clump_status clump_reference_bands_fill(clump_context *context, const clump_image *image,
                                             const struct bands_window *window,
                                             struct bands_bin *bins,
                                             struct bands_extremes *extremes);
enum clump_status clump_reference_bands_gather(clump_context *context, const clump_image *image,
                                               const struct bands_intervals *intervals,
                                               struct bands_keys *keys);
enum clump_status clump_reference_bands_seek(clump_context *context, const clump_image *image,
                                             struct bands_places *places);
enum clump_status clump_reference_background(clump_context *context, const clump_image *image,
                                             const clump_image *mask,
                                             const struct clump_background_params *params,
                                             clump_image **back, clump_image **rms,
                                             clump_image **subtracted,
                                             struct clump_background_result *result);
enum clump_status clump_reference_otsu(clump_context *context, const clump_image *image,
                                       double *threshold);
enum clump_status clump_reference_threshold(clump_context *context, const clump_image *image,
                                            const struct clump_threshold_params *params,
                                            clump_image **mask, uint64_t *count);
enum clump_status clump_reference_morphology(clump_context *context, const clump_image *mask,
                                             const struct clump_morphology_params *params,
                                             clump_image **result);
enum clump_status clump_reference_label(clump_context *context, const clump_image *mask,
                                        const struct clump_label_params *params,
                                        clump_image **labels, uint64_t *count);
enum clump_status clump_reference_measure(clump_context *context, const clump_image *image,
                                          const clump_image *labels,
                                          const struct clump_measure_params *params,
                                          struct clump_region **regions, uint64_t *count);
struct photometry_job;
enum clump_status clump_reference_photometry_sum(clump_context *context,
                                                 const struct photometry_job *job,
                                                 struct clump_flux *fluxes);
enum clump_status clump_reference_photometry_kron(clump_context *context,
                                                  const struct photometry_job *job,
                                                  struct clump_kron *radii);
enum clump_status clump_reference_photometry_radius(clump_context *context,
                                                    const struct photometry_job *job,
                                                    const double *totals, const double *fractions,
                                                    unsigned parts, double *radii, uint32_t *flags);
enum clump_status clump_reference_photometry_gauss(clump_context *context,
                                                   const struct photometry_job *job, bool fixed,
                                                   struct clump_gauss *fits);
enum clump_status clump_reference_photometry_window(clump_context *context,
                                                    const struct photometry_job *job,
                                                    struct clump_window *positions);
enum clump_status clump_reference_lookup(clump_context *context, const clump_image *labels,
                                         const struct clump_lookup_table *table,
                                         clump_image **result);
enum clump_status clump_reference_label2rgb(clump_context *context, const clump_image *labels,
                                            const clump_image *picture,
                                            const struct clump_label2rgb_params *params,
                                            clump_image **rgb);
enum clump_status clump_reference_extract(clump_context *context, const clump_image *image,
                                          const struct clump_extract_params *params,
                                          clump_image **segmentation, clump_image **filtered,
                                          struct clump_extract_result *result);
enum clump_status clump_reference_primes(clump_context *context, uint32_t below, clump_image **mask,
                                         uint64_t *count);

/* Makes a mask with every pixel clear. */
enum clump_status clump_reference_mask(clump_context *context, uint64_t rows, uint64_t cols,
                                       clump_image **mask);

/* Logs that `operation` found no memory on the host. */
enum clump_status clump_reference_no_memory(clump_context *context, const char *operation);

#endif
