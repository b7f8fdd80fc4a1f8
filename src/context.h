/* SPDX-License-Identifier: MIT */
/*
 * What every part of the library shares: the members of a context and of an image, the log, and the
 * checks of arguments.
 */
#ifndef CLUMP_SRC_CONTEXT_H
#define CLUMP_SRC_CONTEXT_H

#include <clump/context.h>
#include <clump/image.h>
#include <clump/profile.h>

#include "backend.h"
#include "rounding.h"

struct opencl; /* src/opencl/core/opencl.h */

struct clump_context {
    const struct backend *backend;
    struct clump_device device;
    struct clump_log log;
    struct clump_profile profile;
    bool profiling;
    uint64_t images;       /* alive; each of them keeps the context alive */
    bool released;         /* the caller has destroyed it; the last image will close it */
    struct opencl *opencl; /* NULL on the reference device */
};

struct clump_image {
    uint64_t magic; /* tells an image from a pointer to host pixels */
    clump_context *context;
    enum clump_type type;
    uint64_t rows, cols;
    size_t bytes;
    void *pixels;  /* reference: the memory; opencl: the wrapped host memory or NULL */
    bool borrowed; /* the memory or buffer is not ours to free or to reuse */
    void *buffer;  /* opencl: the cl_mem */
    void *mapped;  /* address of the mapped pixels, or NULL */
};

/* Logs one line. `log` NULL: clump_log_defaults. */
void clump_say(const struct clump_log *log, enum clump_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Logs one line at ERROR and has the value `status`, so that `return clump_fail(...)` does both. A
 * macro, because the compiler then sees which status is returned. */
#define clump_fail(log, status, ...)                                                               \
    (clump_say((log), CLUMP_LOG_ERROR, __VA_ARGS__), clump_failed(status))
static inline enum clump_status clump_failed(enum clump_status status) { return status; }

/* Closes and frees a context that neither its creator nor an image needs any more. */
void clump_context_close_unused(clump_context *context);

/* Makes an image that has no memory yet; release with free. `what` begins the messages. */
enum clump_status clump_image_describe(clump_context *context, const char *what,
                                       enum clump_type type, uint64_t rows, uint64_t cols,
                                       clump_image **image);

/*
 * Checks that `image`, called `what` in messages, is an unmapped image of `context`. The set of
 * types is given as bits, 1 << CLUMP_F32 and so on.
 */
enum clump_status clump_check_image(clump_context *context, const char *operation, const char *what,
                                    const clump_image *image, unsigned types);

/*
 * Checks that the reserved words of the struct at `object` are 0, as this version has no meaning
 * for them (clump.h). `function` is the public function's name and `what` its argument's.
 */
#define clump_check_reserved(log, function, what, object)                                          \
    clump_check_words((log), (function), (what), (object)->reserved,                               \
                      sizeof(object)->reserved / sizeof *(object)->reserved)
enum clump_status clump_check_words(const struct clump_log *log, const char *function,
                                    const char *what, const uint64_t *words, size_t count);

/* The same of a log, which may be NULL. */
enum clump_status clump_check_log(const char *function, const struct clump_log *log);

/* Checks the arguments that every function which opens a context takes. */
enum clump_status clump_check_context_params(const char *function,
                                             const struct clump_context_params *params,
                                             clump_context *const *place);

/* Checks that two images have the same rows and columns. */
enum clump_status clump_check_same_size(clump_context *context, const char *operation,
                                        const clump_image *a, const clump_image *b);

/* Checks an image, called `what` in messages, that goes with another one: that its type is one of
 * `types`, and that it has the same rows and columns. */
enum clump_status clump_check_companion(clump_context *context, const char *operation,
                                        const clump_image *image, const char *what,
                                        const clump_image *companion, unsigned types);

/* Checks that a pointer, called `what` in the message, is not NULL. */
enum clump_status clump_check_given(const struct clump_log *log, const char *operation,
                                    const char *what, const void *pointer);

/* Checks that a context was given, and that it can be used in this process: not one of an OpenCL
 * device that was made before fork(). */
enum clump_status clump_check_context(const char *operation, const clump_context *context);

/* labels.c */
/*
 * Replaces a float image `*labels` by an I64 image, which `*made` gets too, for the caller to
 * destroy; NaN becomes 0. Blocks for a float image; leaves others as they are. Fails on a number
 * that is not whole or does not fit into int64.
 */
enum clump_status clump_labels_whole(clump_context *context, const char *operation,
                                     const clump_image **labels, clump_image **made);
/* Fails with a line on the first negative label of an image that has a negative label. */
enum clump_status clump_fail_negative(const clump_image *labels);

/*
 * Replaces `*image` by an image of `type`, which `*made` gets too, for the caller to destroy;
 * leaves it as it is where its type is one of `types`, given as bits.
 */
enum clump_status clump_convert_to(clump_context *context, unsigned types, enum clump_type type,
                                   const clump_image **image, clump_image **made);

/* masked.c */
/*
 * Replaces a mask by one of bits, set where `*mask` is greater than `threshold`, which `*made` gets
 * too, for the caller to destroy; leaves it as it is where that changes nothing. Fails where the
 * mask has another size than the image.
 */
enum clump_status clump_masked(clump_context *context, const char *operation,
                               const clump_image *image, double threshold, const clump_image **mask,
                               clump_image **made);

#define CLUMP_TYPES_NUMBER                                                                         \
    (1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_I32 | 1u << CLUMP_U32 |      \
     1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)
#define CLUMP_TYPES_FLOAT (1u << CLUMP_F32 | 1u << CLUMP_F64)
#define CLUMP_TYPES_MASK  (CLUMP_TYPES_NUMBER | 1u << CLUMP_BITS) /* what is not 0 is set */

/* 32-bit words in a row of a mask. */
static inline uint64_t clump_row_words(uint64_t cols) { return (cols + 31) / 32; }

/* Monotonic time in milliseconds. */
double clump_now_ms(void);

#endif
