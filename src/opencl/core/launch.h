/* SPDX-License-Identifier: MIT */
/* Launches of kernels, and the times of commands for the profile. */
#ifndef CLUMP_SRC_OPENCL_LAUNCH_H
#define CLUMP_SRC_OPENCL_LAUNCH_H

#include "context.h"
#include "opencl/core/api.h"

/* An argument of a kernel. */
struct clump_arg {
    size_t size;
    const void *value; /* NULL: local memory of that size */
    size_t pixels;     /* bytes of an image that the kernel is given, for the profile */
};
#define CLUMP_ARG(variable) ((struct clump_arg){sizeof(variable), &(variable), 0})
#define CLUMP_ARG_IMAGE(image)                                                                     \
    ((struct clump_arg){sizeof(cl_mem), &(image)->buffer, (image)->bytes})
#define CLUMP_ARG_LOCAL(bytes) ((struct clump_arg){(bytes), NULL, 0})
/* An image of which the kernel reads at most so many pixels. */
struct clump_arg clump_arg_part(const clump_image *image, uint64_t pixels);
/* A list of arguments and its length. */
#define CLUMP_ARGS(...)                                                                            \
    (const struct clump_arg[]){__VA_ARGS__},                                                       \
        (unsigned)(sizeof((struct clump_arg[]){__VA_ARGS__}) / sizeof(struct clump_arg))

/*
 * Enqueues a kernel over `global` work-items in groups of `local` (NULL: the driver chooses); both
 * have `dims` entries, and global must be a multiple of local. Does not block.
 *   clump_launch(context, kernel, 1, &global, &local, CLUMP_ARGS(CLUMP_ARG_IMAGE(image),
 *                                                                CLUMP_ARG(cols)));
 */
enum clump_status clump_launch(clump_context *context, cl_kernel kernel, unsigned dims,
                               const size_t *global, const size_t *local,
                               const struct clump_arg *args, unsigned count);
/*
 * The same in parts along the last dimension, where one launch would have more groups or work-items
 * than drivers take, or would keep a display's device busy for so long that a watchdog ends it
 * (struct bounds). `work` is the number of products, or as long steps, of a work-item. dims is 1 or
 * 2. The kernel must take its place from get_global_id: get_group_id begins anew with every part.
 */
enum clump_status clump_launch_parts(clump_context *context, cl_kernel kernel, unsigned dims,
                                     const size_t *global, const size_t *local, double work,
                                     const struct clump_arg *args, unsigned count);
/* The same over n work-items, of little work each, in groups of layout.group. The last group is
 * filled up: the kernel must check that its index is below n. */
enum clump_status clump_launch_flat(clump_context *context, cl_kernel kernel, uint64_t n,
                                    const struct clump_arg *args, unsigned count);
/* The same over cols x rows work-items (dimension 0 is the column) in groups of parts of a row, of
 * which the last is filled up. For one work-item per pixel: a row of mask words may be shorter than
 * a group, most of which would idle, and is better launched flat. */
enum clump_status clump_launch_rows(clump_context *context, cl_kernel kernel, uint64_t rows,
                                    uint64_t cols, const struct clump_arg *args, unsigned count);
/* The same with `work` as clump_launch_parts has it. */
enum clump_status clump_launch_heavy_rows(clump_context *context, cl_kernel kernel, uint64_t rows,
                                          uint64_t cols, double work, const struct clump_arg *args,
                                          unsigned count);

/* A command whose time is not yet in the profile. */
struct timed {
    cl_event event;
    enum timed_kind { TIMED_LAUNCH, TIMED_UPLOAD, TIMED_DOWNLOAD } kind;
};
/* Where the event of a command that is about to be enqueued goes; NULL while not profiling. */
cl_event *clump_event_place(clump_context *context, enum timed_kind kind);
/* Keeps that event once the command has been enqueued; `event` may be NULL. */
void clump_event_keep(clump_context *context, const cl_event *event);
/* Adds the times of finished commands to the profile; the queue must be drained. */
void clump_launch_collect(clump_context *context);

#endif
