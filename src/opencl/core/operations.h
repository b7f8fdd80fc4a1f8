/* SPDX-License-Identifier: MIT */
/* What fills the backend's table (backend.c): the ground in context.c and buffer.c, and the
 * operations, one file each. src/backend.h says what they are given. */
#ifndef CLUMP_SRC_OPENCL_OPERATIONS_H
#define CLUMP_SRC_OPENCL_OPERATIONS_H

#include "context.h"

/* context.c */
void clump_opencl_close(clump_context *context);
enum clump_status clump_opencl_finish(clump_context *context);

/* buffer.c */
enum clump_status clump_opencl_trim(clump_context *context);
enum clump_status clump_opencl_image_create(clump_image *image, void *wrapped);
void clump_opencl_image_destroy(clump_image *image);
enum clump_status clump_opencl_image_write(clump_image *image, const void *pixels);
enum clump_status clump_opencl_image_download(const clump_image *image, void *pixels);
enum clump_status clump_opencl_image_map(clump_image *image, enum clump_image_access access,
                                         void **pixels);
enum clump_status clump_opencl_image_unmap(clump_image *image);

/* The operations, one file each. */
enum clump_status clump_opencl_convert(clump_context *context, const clump_image *image,
                                       enum clump_type type, clump_image **converted);
enum clump_status clump_opencl_crop(clump_context *context, const clump_image *image, uint64_t row,
                                    uint64_t col, uint64_t rows, uint64_t cols, clump_image **part);
enum clump_status clump_opencl_channel(clump_context *context, const clump_image *image,
                                       unsigned channel, clump_image **grey);
enum clump_status clump_opencl_reshape(clump_context *context, const clump_image *image,
                                       uint64_t rows, uint64_t cols, clump_image **result);
enum clump_status clump_opencl_compress(clump_context *context, const clump_image *image,
                                        const clump_image *mask, clump_image **row,
                                        uint64_t *count);
enum clump_status clump_opencl_select(clump_context *context, const clump_image *mask,
                                      const struct clump_operand *a, const struct clump_operand *b,
                                      enum clump_type type, clump_image **result);
enum clump_status clump_opencl_arith(clump_context *context, const struct clump_operand *a,
                                     enum clump_arith_op op, const struct clump_operand *b,
                                     enum clump_type type, clump_image **result);
enum clump_status clump_opencl_allclose(clump_context *context, const clump_image *a,
                                        const clump_image *b,
                                        const struct clump_allclose_params *params,
                                        struct clump_allclose_result *result);
enum clump_status clump_opencl_stats(clump_context *context, const clump_image *image,
                                     const struct clump_stats_params *params, double *quantiles,
                                     struct clump_stats_result *result);
enum clump_status clump_opencl_clip(clump_context *context, const clump_image *image,
                                    const struct clump_clip_params *params, clump_image **mask,
                                    clump_image **kept, struct clump_clip_result *result);
/* Of rows of an image: src/backend.h. stats/bands.c */
enum clump_status clump_opencl_bands_fill(clump_context *context, const clump_image *image,
                                          const struct bands_window *window, struct bands_bin *bins,
                                          struct bands_extremes *extremes);
enum clump_status clump_opencl_bands_gather(clump_context *context, const clump_image *image,
                                            const struct bands_intervals *intervals,
                                            struct bands_keys *keys);
enum clump_status clump_opencl_bands_seek(clump_context *context, const clump_image *image,
                                          struct bands_places *places);
enum clump_status clump_opencl_background(clump_context *context, const clump_image *image,
                                          const clump_image *mask,
                                          const struct clump_background_params *params,
                                          clump_image **back, clump_image **rms,
                                          clump_image **subtracted,
                                          struct clump_background_result *result);
enum clump_status clump_opencl_otsu(clump_context *context, const clump_image *image,
                                    double *threshold);
enum clump_status clump_opencl_convolve(clump_context *context, const clump_image *image,
                                        const struct clump_weights *kernel,
                                        const struct clump_convolve_params *params,
                                        clump_image **convolved);
enum clump_status clump_opencl_convolve_1d(clump_context *context, const clump_image *image,
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved);
enum clump_status clump_opencl_gaussian(clump_context *context, const clump_image *image,
                                        const struct clump_gaussian_params *params,
                                        clump_image **blurred);
enum clump_status clump_opencl_threshold(clump_context *context, const clump_image *image,
                                         const struct clump_threshold_params *params,
                                         clump_image **mask, uint64_t *count);
enum clump_status clump_opencl_label(clump_context *context, const clump_image *mask,
                                     const struct clump_label_params *params, clump_image **labels,
                                     uint64_t *count);
enum clump_status clump_opencl_measure(clump_context *context, const clump_image *image,
                                       const clump_image *labels,
                                       const struct clump_measure_params *params,
                                       struct clump_region **regions, uint64_t *count);
enum clump_status clump_opencl_morphology(clump_context *context, const clump_image *mask,
                                          const struct clump_morphology_params *params,
                                          clump_image **result);
struct photometry_job;
enum clump_status clump_opencl_photometry_sum(clump_context *context,
                                              const struct photometry_job *job,
                                              struct clump_flux *fluxes);
enum clump_status clump_opencl_photometry_kron(clump_context *context,
                                               const struct photometry_job *job,
                                               struct clump_kron *radii);
enum clump_status clump_opencl_photometry_radius(clump_context *context,
                                                 const struct photometry_job *job,
                                                 const double *totals, const double *fractions,
                                                 unsigned parts, double *radii, uint32_t *flags);
enum clump_status clump_opencl_photometry_gauss(clump_context *context,
                                                const struct photometry_job *job, bool fixed,
                                                struct clump_gauss *fits);
enum clump_status clump_opencl_photometry_window(clump_context *context,
                                                 const struct photometry_job *job,
                                                 struct clump_window *positions);
enum clump_status clump_opencl_extract(clump_context *context, const clump_image *image,
                                       const struct clump_extract_params *params,
                                       clump_image **segmentation, clump_image **filtered,
                                       struct clump_extract_result *result);
enum clump_status clump_opencl_lookup(clump_context *context, const clump_image *labels,
                                      const struct clump_lookup_table *table, clump_image **result);
enum clump_status clump_opencl_label2rgb(clump_context *context, const clump_image *labels,
                                         const clump_image *picture,
                                         const struct clump_label2rgb_params *params,
                                         clump_image **rgb);
enum clump_status clump_opencl_primes(clump_context *context, uint32_t below, clump_image **mask,
                                      uint64_t *count);

#endif
