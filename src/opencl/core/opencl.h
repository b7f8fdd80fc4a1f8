/* SPDX-License-Identifier: MIT */
/*
 * What the OpenCL files share: the context's OpenCL side, how to get a kernel, to
 * launch it, to borrow a buffer, and to report an OpenCL error.
 *
 * An operation asks for its kernel (built and cached as needed), borrows scratch
 * buffers from the pool, launches, and gives the buffers back: the queue is in
 * order, so a buffer may be given back as soon as the last launch is enqueued.
 */
#ifndef CLUMP_SRC_OPENCL_OPENCL_H
#define CLUMP_SRC_OPENCL_OPENCL_H

#include "context.h"
#include "opencl/core/api.h"

#define CLUMP_POOL_SLOTS     32
#define CLUMP_CONSTANT_SLOTS 8

/* How kernels lay out their work on this device. */
struct layout {
    bool coarse;      /* few work-items with slices of their own; else many with local memory */
    uint32_t workers; /* coarse: how many work-items share an image */
    uint32_t group;   /* work-items of a work-group, a power of two, at most 256 */
    uint32_t vector;  /* floats in a vector of the widest kind worth using */

    /* Knobs of single operations, see tune.h. */
    uint32_t convolve_rows;   /* coarse: output rows that a work-item sums at once, 6 or 3 */
    uint32_t convolve_vector; /* coarse: floats in a vector of sums, 8 or 16 */
    uint32_t stats_workers;   /* coarse: work-items with a histogram of their own */
    uint32_t label_workers;   /* coarse: bands of rows that are labelled side by side */
};

/* The largest numbers that an operation takes at once, see docs/limits.md; tests lower them. */
struct bounds {
    uint64_t table_pixels; /* fine: of a table of bins */
    uint64_t otsu_pixels;  /* of a histogram */
    uint64_t sweep_pixels; /* of a sweep; more are done by the table */
    uint64_t runs;         /* of a mask: the highest bit of their numbers is a flag */
    uint64_t edges;        /* rows of all regions whose hulls are made at once */
    uint64_t cache_bytes;  /* of the files in the folder of built programs */
};
extern const struct bounds clump_bounds;

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool has_events; /* the queue keeps times */
    bool tight;      /* buffers are just as large as asked for: a checker sees what is past them */
    struct layout layout;
    struct bounds bounds;
    char *kernel_dir;             /* or NULL */
    char *cache_dir;              /* or NULL: no cache on disk */
    struct program *programs;     /* built in this context */
    void (*building)(void *user); /* called before the first build, then NULL */
    void *building_user;
    struct {
        cl_mem buffer;
        size_t bytes;
        uint64_t used; /* clock of the last use */
    } pool[CLUMP_POOL_SLOTS];
    uint64_t pool_clock;
    struct constant {
        cl_mem buffer;
        void *memory; /* what it holds */
        size_t bytes;
        uint64_t used;
    } constants[CLUMP_CONSTANT_SLOTS];
    struct fft *ffts; /* fft.c */
    struct timed {
        cl_event event;
        enum timed_kind { TIMED_LAUNCH, TIMED_UPLOAD, TIMED_DOWNLOAD } kind;
    } * events; /* of commands not yet counted, while profiling */
    size_t event_count, event_room;
};

/* error.c */
const char *clump_cl_symbol(cl_int error);
/* Logs "TEXT: SYMBOL" at ERROR; its value is the status that fits the error. */
#define clump_cl_fail(context, error, ...)                                                         \
    (clump_cl_say((context), (error), __VA_ARGS__), clump_cl_status(error))
void clump_cl_say(clump_context *context, cl_int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with one line where the device found another number of `what` than there are. */
enum clump_status clump_check_count(clump_context *context, const char *operation, const char *what,
                                    uint64_t found, uint64_t expected);

/* Counts that a quick way did not serve, and says so at DEBUG: `why`. */
void clump_fall_back(clump_context *context, const char *why);

static inline enum clump_status clump_cl_status(cl_int error)
{
    switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE:
        return CLUMP_ERROR_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY:
        return CLUMP_ERROR_MEMORY;
    default:
        return CLUMP_ERROR_OPENCL;
    }
}

/* device.c */
void clump_opencl_describe(cl_device_id id, struct clump_device *device);

/* layout.c */
void clump_layout_choose(clump_context *context, const struct clump_context_params *params);
/* The `-D` that names a pixel type in OpenCL C ("float"). */
const char *clump_type_opencl(enum clump_type type);

/* kernel_source.c: finds and reads a kernel file by its name from cl/ on, "stats/sweep.cl"; `*text`
 * and `*origin` (a path, or "the library itself") are freed by the caller. */
enum clump_status clump_kernel_source_read(clump_context *context, const char *name, char **text,
                                           char **origin);

/* cache.c: binaries of built programs on disk, by everything that made them. */
bool clump_cache_read(clump_context *context, const char *key, unsigned char **binary,
                      size_t *bytes);
void clump_cache_write(clump_context *context, const char *key, const unsigned char *binary,
                       size_t bytes);
void clump_cache_remove(clump_context *context, const char *key);
/* Waits until no other process or context builds the program of this key, and keeps others from
 * it; -1 where that cannot be had, which costs a second build and no more. */
int clump_cache_lock(clump_context *context, const char *key);
void clump_cache_unlock(int lock);
char *clump_cache_folder(const struct clump_context_params *params);

/*
 * program.c: the kernel `name` of the file cl/PROGRAM.cl ("stats/sweep"), built with `options`
 * ("-DT=float ..."; may be ""). Borrowed: it lives as long as the context.
 */
enum clump_status clump_kernel(clump_context *context, const char *program, const char *options,
                               const char *name, cl_kernel *kernel);
void clump_programs_release(struct opencl *opencl);

/* launch.c */
struct clump_arg {
    size_t size;
    const void *value; /* NULL: local memory of that size */
    size_t pixels;     /* bytes of an image that the kernel is given, for the profile */
};
#define CLUMP_ARG(variable) ((struct clump_arg){sizeof(variable), &(variable), 0})
#define CLUMP_ARG_IMAGE(image)                                                                     \
    ((struct clump_arg){sizeof(cl_mem), &(image)->buffer, (image)->bytes})
/* The same where the kernel reads so many of its pixels, at most. */
struct clump_arg clump_arg_part(const clump_image *image, uint64_t pixels);
#define CLUMP_ARG_LOCAL(bytes) ((struct clump_arg){(bytes), NULL, 0})
#define CLUMP_ARGS(...)                                                                            \
    (const struct clump_arg[]){__VA_ARGS__},                                                       \
        (unsigned)(sizeof((struct clump_arg[]){__VA_ARGS__}) / sizeof(struct clump_arg))

/*
 * Enqueues a kernel over `global` work-items in groups of `local` (NULL: as the driver likes);
 * both have `dims` entries, and global must be a multiple of local. Does not block.
 *   clump_launch(context, kernel, 1, &global, &local, CLUMP_ARGS(CLUMP_ARG_IMAGE(image),
 *                                                                CLUMP_ARG(cols)));
 */
enum clump_status clump_launch(clump_context *context, cl_kernel kernel, unsigned dims,
                               const size_t *global, const size_t *local,
                               const struct clump_arg *args, unsigned count);
/* The same over n work-items in groups of layout.group, the last group being filled up: the kernel
 * must look whether its index is below n. */
enum clump_status clump_launch_flat(clump_context *context, cl_kernel kernel, uint64_t n,
                                    const struct clump_arg *args, unsigned count);
/* The same over cols x rows work-items (dimension 0 is the column), rows taken one by one. */
enum clump_status clump_launch_rows(clump_context *context, cl_kernel kernel, uint64_t rows,
                                    uint64_t cols, const struct clump_arg *args, unsigned count);
/* Where the event of a command that is about to be enqueued goes: NULL while not profiling. */
cl_event *clump_event_place(clump_context *context, enum timed_kind kind);
/* Keeps that event, when the command has been enqueued; `event` may be NULL. */
void clump_event_keep(clump_context *context, const cl_event *event);
/* Adds the times of finished commands to the profile; called after the queue was drained. */
void clump_launch_collect(clump_context *context);

/* buffer.c: scratch from the pool, at least `bytes` long, contents undefined. */
enum clump_status clump_buffer_borrow(clump_context *context, size_t bytes, cl_mem *buffer);
/* Gives it back and nulls it; accepts the address of NULL. */
void clump_buffer_return(clump_context *context, cl_mem *buffer);
enum clump_status clump_buffer_fill(clump_context *context, cl_mem buffer, uint32_t word,
                                    size_t bytes);
/* Maps the first `bytes` for the host, waiting for the queue; unmap before the next launch. */
enum clump_status clump_buffer_map(clump_context *context, cl_mem buffer,
                                   enum clump_image_access access, size_t bytes, void **memory);
enum clump_status clump_buffer_unmap(clump_context *context, cl_mem buffer, void *memory);
/* Copies host memory to the start of a buffer; `memory` is free for other use on return. */
enum clump_status clump_buffer_write(clump_context *context, cl_mem buffer, const void *memory,
                                     size_t bytes);
/* The same without waiting: `memory` must stay as it is until a later call has blocked. */
enum clump_status clump_buffer_send(clump_context *context, cl_mem buffer, const void *memory,
                                    size_t bytes);
/* Copies the start of a buffer to host memory. Blocks. */
enum clump_status clump_buffer_read(clump_context *context, cl_mem buffer, void *memory,
                                    size_t bytes);
/*
 * A buffer that holds a copy of host memory, made without waiting for the queue, and found again
 * by what it holds: weights that a repeated call gives again are neither copied nor allocated.
 * Borrowed until the next call but CLUMP_CONSTANT_SLOTS - 1.
 */
enum clump_status clump_buffer_constant(clump_context *context, const void *memory, size_t bytes,
                                        cl_mem *buffer);
void clump_constants_release(struct opencl *opencl);
void clump_fft_release(struct opencl *opencl); /* fft.c */
enum clump_status clump_opencl_trim(clump_context *context);

enum clump_status clump_opencl_image_create(clump_image *image, void *wrapped);
void clump_opencl_image_destroy(clump_image *image);
enum clump_status clump_opencl_image_write(clump_image *image, const void *pixels);
enum clump_status clump_opencl_image_download(const clump_image *image, void *pixels);
enum clump_status clump_opencl_image_map(clump_image *image, enum clump_image_access access,
                                         void **pixels);
enum clump_status clump_opencl_image_unmap(clump_image *image);
void clump_opencl_close(clump_context *context);
enum clump_status clump_opencl_finish(clump_context *context);

/* The operations, one file each. */
enum clump_status clump_opencl_convert(clump_context *context, const clump_image *image,
                                       enum clump_type type, clump_image **converted);
enum clump_status clump_opencl_crop(clump_context *context, const clump_image *image, uint64_t row,
                                    uint64_t col, uint64_t rows, uint64_t cols, clump_image **part);
enum clump_status clump_opencl_channel(clump_context *context, const clump_image *image,
                                       unsigned channel, clump_image **grey);
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
enum clump_status clump_opencl_label2rgb(clump_context *context, const clump_image *labels,
                                         const clump_image *picture,
                                         const struct clump_label2rgb_params *params,
                                         clump_image **rgb);
enum clump_status clump_opencl_primes(clump_context *context, uint32_t below, clump_image **mask,
                                      uint64_t *count);

#endif
