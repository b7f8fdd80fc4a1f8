/* SPDX-License-Identifier: MIT */
/*
 * A backend does the work of the public functions: a table with one entry per operation. There are
 * two, src/opencl/core/backend.c and src/reference/backend.c.
 *
 * The public functions have checked the arguments of an entry: images belong to the context, have a
 * type that the operation takes and are not mapped, and `params` is never NULL. Outputs that the
 * caller may leave out are NULL here too. An entry that fails leaves its outputs as they were.
 */
#ifndef CLUMP_SRC_BACKEND_H
#define CLUMP_SRC_BACKEND_H

#include <clump/allclose.h>
#include <clump/arith.h>
#include <clump/background.h>
#include <clump/channel.h>
#include <clump/clip.h>
#include <clump/compress.h>
#include <clump/convert.h>
#include <clump/convolve.h>
#include <clump/crop.h>
#include <clump/extract.h>
#include <clump/gaussian.h>
#include <clump/label.h>
#include <clump/label2rgb.h>
#include <clump/lookup.h>
#include <clump/measure.h>
#include <clump/morphology.h>
#include <clump/otsu.h>
#include <clump/photometry.h>
#include <clump/primes.h>
#include <clump/reshape.h>
#include <clump/select.h>
#include <clump/stats.h>
#include <clump/threshold.h>

struct bands_window; /* these six: src/bands/tables.h */
struct bands_bin;
struct bands_extremes;
struct bands_intervals;
struct bands_keys;
struct bands_places;
struct photometry_job; /* src/photometry_job.h */

struct backend {
    /* contexts and images */
    void (*close)(clump_context *context);
    enum clump_status (*finish)(clump_context *context);
    enum clump_status (*trim)(clump_context *context);
    enum clump_status (*image_create)(clump_image *image, void *wrapped); /* NULL: new memory */
    void (*image_destroy)(clump_image *image);
    enum clump_status (*image_write)(clump_image *image, const void *pixels);
    enum clump_status (*image_download)(const clump_image *image, void *pixels);
    enum clump_status (*image_map)(clump_image *image, enum clump_image_access access,
                                   void **pixels);
    enum clump_status (*image_unmap)(clump_image *image);

    /* the operations, in the order of the data path; signatures as in the public headers */
    enum clump_status (*convert)(clump_context *, const clump_image *, enum clump_type,
                                 clump_image **);
    enum clump_status (*crop)(clump_context *, const clump_image *, uint64_t, uint64_t, uint64_t,
                              uint64_t, clump_image **);
    enum clump_status (*channel)(clump_context *, const clump_image *, unsigned, clump_image **);
    /* no mask */
    enum clump_status (*reshape)(clump_context *, const clump_image *, uint64_t, uint64_t,
                                 clump_image **);
    /* the mask is of bits */
    enum clump_status (*compress)(clump_context *, const clump_image *, const clump_image *,
                                  clump_image **, uint64_t *);
    /* the mask is of bits, and images have the type of the result */
    enum clump_status (*select)(clump_context *, const clump_image *, const struct clump_operand *,
                                const struct clump_operand *, enum clump_type, clump_image **);
    /* the operands of a logical operation are masks, those of others numbers; the type is the
     * result's */
    enum clump_status (*arith)(clump_context *, const struct clump_operand *, enum clump_arith_op,
                               const struct clump_operand *, enum clump_type, clump_image **);
    enum clump_status (*allclose)(clump_context *, const clump_image *, const clump_image *,
                                  const struct clump_allclose_params *,
                                  struct clump_allclose_result *);
    enum clump_status (*convolve)(clump_context *, const clump_image *,
                                  const struct clump_weights *,
                                  const struct clump_convolve_params *, clump_image **);
    enum clump_status (*convolve_1d)(clump_context *, const clump_image *,
                                     const struct clump_weights *,
                                     const struct clump_convolve_params *, clump_image **);
    enum clump_status (*gaussian)(clump_context *, const clump_image *,
                                  const struct clump_gaussian_params *, clump_image **);
    enum clump_status (*stats)(clump_context *, const clump_image *,
                               const struct clump_stats_params *, double *,
                               struct clump_stats_result *);
    enum clump_status (*clip)(clump_context *, const clump_image *,
                              const struct clump_clip_params *, clump_image **, clump_image **,
                              struct clump_clip_result *);
    /* tables of some rows: adds to the bins of a pass, and tells the rows' own extremes, which may
     * be NULL; appends keys of intervals, as far as there is room; looks for two keys */
    enum clump_status (*bands_fill)(clump_context *, const clump_image *,
                                    const struct bands_window *, struct bands_bin *,
                                    struct bands_extremes *);
    enum clump_status (*bands_gather)(clump_context *, const clump_image *,
                                      const struct bands_intervals *, struct bands_keys *);
    enum clump_status (*bands_seek)(clump_context *, const clump_image *, struct bands_places *);
    /* the mask is of bits, or NULL */
    enum clump_status (*background)(clump_context *, const clump_image *, const clump_image *,
                                    const struct clump_background_params *, clump_image **,
                                    clump_image **, clump_image **,
                                    struct clump_background_result *);
    enum clump_status (*otsu)(clump_context *, const clump_image *, double *);
    enum clump_status (*threshold)(clump_context *, const clump_image *,
                                   const struct clump_threshold_params *, clump_image **,
                                   uint64_t *);
    enum clump_status (*morphology)(clump_context *, const clump_image *,
                                    const struct clump_morphology_params *, clump_image **);
    enum clump_status (*label)(clump_context *, const clump_image *,
                               const struct clump_label_params *, clump_image **, uint64_t *);
    enum clump_status (*measure)(clump_context *, const clump_image *, const clump_image *,
                                 const struct clump_measure_params *, struct clump_region **,
                                 uint64_t *);
    /* the image and the map of noise are F32, the masks BITS; the negative is already taken */
    enum clump_status (*extract)(clump_context *, const clump_image *,
                                 const struct clump_extract_params *, clump_image **,
                                 clump_image **, struct clump_extract_result *);
    enum clump_status (*photometry_sum)(clump_context *, const struct photometry_job *,
                                        struct clump_flux *);
    enum clump_status (*photometry_kron)(clump_context *, const struct photometry_job *,
                                         struct clump_kron *);
    enum clump_status (*photometry_radius)(clump_context *, const struct photometry_job *,
                                           const double *totals, const double *fractions,
                                           unsigned parts, double *radii, uint32_t *flags);
    /* sets all members but a, b and theta; the bool fixes the shape */
    enum clump_status (*photometry_gauss)(clump_context *, const struct photometry_job *, bool,
                                          struct clump_gauss *);
    enum clump_status (*photometry_window)(clump_context *, const struct photometry_job *,
                                           struct clump_window *);
    /* labels are of a number type that is not float */
    enum clump_status (*lookup)(clump_context *, const clump_image *,
                                const struct clump_lookup_table *, clump_image **);
    enum clump_status (*label2rgb)(clump_context *, const clump_image *, const clump_image *,
                                   const struct clump_label2rgb_params *, clump_image **);
    enum clump_status (*primes)(clump_context *, uint32_t, clump_image **, uint64_t *);
};

extern const struct backend clump_backend_opencl;
extern const struct backend clump_backend_reference;

#endif
