/* SPDX-License-Identifier: MIT */
/* What the files of this room share: one extraction on its way. docs/extract.md, "On a device". */
#ifndef CLUMP_SRC_OPENCL_EXTRACT_EXTRACT_H
#define CLUMP_SRC_OPENCL_EXTRACT_EXTRACT_H

#include "extract/extract.h"
#include "opencl/core/opencl.h"

/* An object, and what only deblending and cleaning look at. */
struct extract_figure {
    struct clump_object object;
    float abcor, mthresh;
};

struct extract_job {
    clump_context *context;
    const clump_image *image;
    const struct clump_extract_params *params;
    struct extract_view view;
    char options[48]; /* of every program that looks at the noise */

    clump_image *c, *labels; /* labels: of components, then of what deblending writes there */
    uint64_t components;
    cl_mem boxes;

    struct extract_source *sources; /* by their last pixels */
    float *thresholds;              /* of the sources */
    struct extract_total *totals;
    uint32_t source_count, pixels; /* pixels: of all sources */
    cl_mem list;                   /* their raster indices, source after source */

    struct extract_blend *blends; /* those that are divided, in the order of the sources */
    uint32_t *blend_sources;      /* which source each of them is */
    uint32_t blend_count, child_count, place_count, node_count;
    struct extract_item *children; /* of all blends */
    cl_mem places, next;           /* scratch of the blends, then copies of lists */
    struct extract_core *cores;
    struct extract_figure *core_figures;

    struct extract_item *items; /* all objects */
    const double **centres;     /* of the objects of blends; else NULL */
    struct extract_figure *figures;
    uint32_t *numbers; /* in the segmentation, 0: cleaned away */
    uint32_t count, kept;
};

/* detect.c: makes c, the components of members, and their boxes. */
enum clump_status clump_extract_detect(struct extract_job *job);
/* given.c: makes labels, boxes and lists of the objects of a segmentation. `good` has positive
 * pixels where the image is not bad; NULL: where it is finite. */
enum clump_status clump_extract_given(struct extract_job *job, const clump_image *good);
/* sources.c: lists the sources and their pixels. */
enum clump_status clump_extract_sources(struct extract_job *job);
/* blends.c: finds the sources that are blends, and the cores of their objects. */
enum clump_status clump_extract_blends(struct extract_job *job);
/* share.c: shares the pixels of blends out among their objects. */
enum clump_status clump_extract_share(struct extract_job *job);
/* figures.c: measures `count` items of a list. centres[i] NULL: that of the pixels. */
enum clump_status clump_extract_figures(struct extract_job *job, const struct extract_item *items,
                                        uint32_t count, cl_mem list, const double *const *centres,
                                        struct extract_figure *figures);
/* clean.c: gives numbers to the objects that the wings of others do not explain. */
enum clump_status clump_extract_clean(struct extract_job *job);

/* extract.c: launches a kernel of which each work-item takes one of `count` things. */
enum clump_status clump_extract_launch(struct extract_job *job, cl_kernel kernel, uint32_t count,
                                       const struct clump_arg *args, unsigned arg_count);
/* Host memory for `count` things of `size` bytes; fails with a line. */
enum clump_status clump_extract_memory(struct extract_job *job, size_t count, size_t size,
                                       void *place);
/* Borrows a buffer and copies host memory to it. */
enum clump_status clump_extract_upload(struct extract_job *job, const void *memory, size_t bytes,
                                       cl_mem *buffer);
/* The map of noise, or a buffer in its place that no kernel reads. */
const clump_image *clump_extract_noise(const struct extract_job *job);

#endif
